// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the file of the module through libkmod, reads its description, inserts
 * and removes it. These functions print errors on standard error; callers pass
 * the prefix of messages (@who).
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <syslog.h>

#include <libkmod.h>

#include "heapsim.h"
#include "module.h"

#define NAME	"heapsim"

static struct kmod_ctx *module_new_ctx(void)
{
	struct kmod_ctx *ctx = kmod_new(NULL, NULL);

	/* By default libkmod prints errors about unrelated files. */
	if (ctx)
		kmod_set_log_priority(ctx, LOG_CRIT);
	return ctx;
}

static const char *module_running_release(void)
{
	static struct utsname name;

	return uname(&name) ? "" : name.release;
}

/**
 * module_print_missing() - print that no file of the module is installed
 * @who: prefix of the message
 */
void module_print_missing(const char *who)
{
	const char *release = module_running_release();

	fprintf(stderr,
		"%s: no module heapsim is installed for this kernel (%s).\n"
		"In heapsim's sources, 'make && sudo make install' installs it for this kernel,\n"
		"'sudo make dkms-install' for it and later ones; or name a file:\n"
		"  %s --module build/kmod/%s/heapsim.ko\n",
		who, release, who, release);
}

static int module_open_file(struct module *module, const char *file,
			    const char *who)
{
	int err = kmod_module_new_from_path(module->ctx, file, &module->mod);

	if (!err) {
		module->has_file = true;
		return EXIT_OK;
	}
	return error_print(who, "%s: %s", file, strerror(-err));
}

static int module_open_installed(struct module *module, const char *who)
{
	int err = kmod_module_new_from_name(module->ctx, NAME, &module->mod);

	if (err)
		return error_print(who, "libkmod: %s", strerror(-err));
	if (kmod_module_get_path(module->mod)) {
		module->has_file = true;
		return EXIT_OK;
	}
	if (module_state() == MODULE_LIVE)
		return EXIT_OK;
	module_print_missing(who);
	return EXIT_FAILED;
}

/* Dashes match underscores, as in the kernel. @name has no null byte. */
static bool module_param_has_name(const char *known, const char *name,
				  size_t len)
{
	size_t i;

	if (strlen(known) != len)
		return false;
	for (i = 0; i < len; i++)
		if (known[i] != name[i] &&
		    !(known[i] == '_' && name[i] == '-'))
			return false;
	return true;
}

/* Returns the parameter in "NAME:...", which is added if it is new. */
static struct module_param *module_get_param(struct module *module,
					     const char *value, size_t len)
{
	struct module_param *more;
	size_t i;

	for (i = 0; i < module->nr_params; i++)
		if (module_param_has_name(module->params[i].name, value, len))
			return &module->params[i];
	more = realloc(module->params,
		       (module->nr_params + 1) * sizeof(*more));
	if (!more)
		return NULL;
	module->params = more;
	more += module->nr_params;
	more->name = strndup(value, len);
	more->type = strdup("");
	more->text = strdup("");
	module->nr_params++;
	return more;
}

static int module_set_string(char **at, const char *value)
{
	free(*at);
	*at = strdup(value);
	return *at ? 0 : -ENOMEM;
}

static int module_note_param(struct module *module, const char *value,
			     bool is_type)
{
	const char *colon = strchr(value, ':');
	struct module_param *param;

	if (!colon)
		return 0;
	param = module_get_param(module, value, colon - value);
	if (!param || !param->name)
		return -ENOMEM;
	return module_set_string(is_type ? &param->type : &param->text,
				 colon + 1);
}

static int module_note_key(struct module *module, const char *key,
			   const char *value, char **name)
{
	if (!strcmp(key, "parm"))
		return module_note_param(module, value, false);
	if (!strcmp(key, "parmtype"))
		return module_note_param(module, value, true);
	if (!strcmp(key, "name"))
		return module_set_string(name, value);
	if (!strcmp(key, "depends"))
		return module_set_string(&module->depends, value);
	if (!strcmp(key, "vermagic")) {
		free(module->release);
		module->release = strndup(value, strcspn(value, " "));
		return module->release ? 0 : -ENOMEM;
	}
	return 0;
}

/* Sorts parameters, whose order in the file depends on the compiler. */
static int module_param_compare(const void *a, const void *b)
{
	const struct module_param *left = a, *right = b;
	unsigned long long max;
	int left_number = module_param_is_number(left, &max);
	int right_number = module_param_is_number(right, &max);

	if (left_number != right_number)
		return left_number - right_number;
	return strcmp(left->name, right->name);
}

/* Reads the description in the file, and checks that it is heapsim's. */
static int module_read_info(struct module *module, const char *who)
{
	const char *path = kmod_module_get_path(module->mod);
	struct kmod_list *list = NULL, *at;
	char *name = NULL;
	int err, ret = EXIT_OK;

	err = kmod_module_get_info(module->mod, &list);
	if (err < 0)
		return error_print(who, "%s: not a kernel module (%s)", path,
				   strerror(-err));
	err = 0;
	kmod_list_foreach(at, list) {
		if (!err)
			err = module_note_key(module,
					      kmod_module_info_get_key(at),
					      kmod_module_info_get_value(at),
					      &name);
	}
	kmod_module_info_free_list(list);
	if (err)
		ret = error_print(who, "%s", strerror(-err));
	else if (!name || strcmp(name, NAME))
		ret = error_print(who, "%s: the module %s, not " NAME, path,
				  name ? name : "of no name");
	free(name);
	if (ret)
		return ret;
	qsort(module->params, module->nr_params, sizeof(*module->params),
	      module_param_compare);
	return EXIT_OK;
}

/*
 * Without a file, only the names of the loaded module's parameters are known.
 */
static int module_read_loaded(struct module *module, const char *who)
{
	const struct dirent *entry;
	int err = 0;
	DIR *dir;

	dir = opendir("/sys/module/" NAME "/parameters");
	if (!dir)
		return error_print(who, "the module's parameters: %s",
				   strerror(errno));
	while (!err && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' &&
		    !module_get_param(module, entry->d_name,
				      strlen(entry->d_name)))
			err = -ENOMEM;
	closedir(dir);
	if (err)
		return error_print(who, "%s", strerror(-err));
	qsort(module->params, module->nr_params, sizeof(*module->params),
	      module_param_compare);
	return EXIT_OK;
}

/**
 * module_open() - find the module's file and read its description
 * @module: out; the caller must call module_close(), also after a failure
 * @file: path; NULL: the file installed for the running kernel, or, if there is
 *	none, the loaded module
 * @who: prefix of messages
 *
 * Return: EXIT_OK, or EXIT_FAILED after an error message.
 */
int module_open(struct module *module, const char *file, const char *who)
{
	int ret;

	memset(module, 0, sizeof(*module));
	module->ctx = module_new_ctx();
	module->release = strdup("");
	module->depends = strdup("");
	if (!module->ctx || !module->release || !module->depends)
		return error_print(who, "libkmod cannot be used");
	ret = file ? module_open_file(module, file, who) :
		     module_open_installed(module, who);
	if (ret)
		return ret;
	return module->has_file ? module_read_info(module, who) :
				  module_read_loaded(module, who);
}

/** module_close() - free the resources of module_open() */
void module_close(struct module *module)
{
	size_t i;

	for (i = 0; i < module->nr_params; i++) {
		free(module->params[i].name);
		free(module->params[i].type);
		free(module->params[i].text);
	}
	free(module->params);
	free(module->release);
	free(module->depends);
	kmod_module_unref(module->mod);
	kmod_unref(module->ctx);
}

/*
 * Inserts the modules that the file's description names, since the lists of
 * depmod have only installed files.
 */
static int module_insert_depends(struct module *module, const char *who)
{
	char *names = module->depends, *name, *rest;
	struct kmod_module *mod;
	int err;

	for (name = strtok_r(names, ",", &rest); name;
	     name = strtok_r(NULL, ",", &rest)) {
		err = kmod_module_new_from_name(module->ctx, name, &mod);
		if (!err) {
			err = kmod_module_probe_insert_module(mod, 0, NULL,
							      NULL, NULL, NULL);
			kmod_module_unref(mod);
		}
		if (err) {
			error_print(who,
				    "the module %s, which heapsim needs: %s",
				    name, strerror(-err));
			return err;
		}
	}
	return 0;
}

/**
 * module_insert() - insert the module
 * @module: module after module_open()
 * @options: "NAME=VALUE NAME=VALUE"; they override those of modprobe.d(5)
 * @who: prefix of messages
 *
 * Return: 0 or -errno. Only the failure of a module that this one needs has
 * been reported by a message.
 */
int module_insert(struct module *module, const char *options, const char *who)
{
	const char *configured;
	char *all;
	int err;

	err = module_insert_depends(module, who);
	if (err)
		return err;
	configured = kmod_module_get_options(module->mod);
	if (asprintf(&all, "%s %s", configured ? configured : "", options) < 0)
		return -ENOMEM;
	err = kmod_module_insert_module(module->mod, 0, all);
	free(all);
	return err;
}

/* Opens the loaded module, whose file may be unknown or deleted. */
static struct kmod_module *module_open_loaded(struct kmod_ctx **ctx)
{
	struct kmod_module *mod = NULL;

	*ctx = module_new_ctx();
	if (*ctx && kmod_module_new_from_name(*ctx, NAME, &mod))
		mod = NULL;
	return mod;
}

static void module_close_loaded(struct kmod_ctx *ctx, struct kmod_module *mod)
{
	kmod_module_unref(mod);
	kmod_unref(ctx);
}

/** module_state() - return whether the module is loaded now */
enum module_state module_state(void)
{
	struct kmod_ctx *ctx;
	struct kmod_module *mod = module_open_loaded(&ctx);
	int state = mod ? kmod_module_get_initstate(mod) : -ENOENT;

	module_close_loaded(ctx, mod);
	switch (state) {
	case KMOD_MODULE_LIVE:
	case KMOD_MODULE_BUILTIN:
		return MODULE_LIVE;
	case KMOD_MODULE_COMING:
	case KMOD_MODULE_GOING:
		return MODULE_COMING;
	default:
		return MODULE_ABSENT;
	}
}

/**
 * module_refcount() - count the references to the module
 *
 * Return: number of references, or -errno if it is not loaded.
 */
int module_refcount(void)
{
	struct kmod_ctx *ctx;
	struct kmod_module *mod = module_open_loaded(&ctx);
	int nr = mod ? kmod_module_get_refcnt(mod) : -ENOENT;

	module_close_loaded(ctx, mod);
	return nr;
}

/**
 * module_remove() - remove the module, if it has no references
 *
 * Return: 0; -EAGAIN if it is in use; -EBUSY if it is being inserted or
 * removed; -ENOENT if it is not loaded; -EPERM.
 */
int module_remove(void)
{
	struct kmod_ctx *ctx;
	struct kmod_module *mod = module_open_loaded(&ctx);
	int err = mod ? kmod_module_remove_module(mod, 0) : -ENOENT;

	module_close_loaded(ctx, mod);
	return err;
}

/**
 * module_param_find() - find a parameter by its name
 * @module: module after module_open()
 * @name: name without a terminating null byte
 * @len: length of @name
 *
 * Return: the parameter or NULL.
 */
const struct module_param *module_param_find(const struct module *module,
					     const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < module->nr_params; i++)
		if (module_param_has_name(module->params[i].name, name, len))
			return &module->params[i];
	return NULL;
}

/**
 * module_param_is_number() - check for an unsigned number
 * @param: parameter
 * @max: out: the largest value of its type
 */
bool module_param_is_number(const struct module_param *param,
			    unsigned long long *max)
{
	if (!strcmp(param->type, "uint"))
		*max = UINT_MAX;
	else if (!strcmp(param->type, "ulong"))
		*max = ULONG_MAX;
	else if (!strcmp(param->type, "ullong"))
		*max = ULLONG_MAX;
	else
		return false;
	return true;
}

/**
 * module_param_values() - list the values of a parameter that takes a word
 * @param: parameter
 *
 * The parameter's description lists them after a colon: "The board: nano, tx2
 * (default)".
 *
 * Return: "nano|tx2", which the caller frees; NULL if the parameter takes other
 * values, or if out of memory.
 */
char *module_param_values(const struct module_param *param)
{
	const char *from = strchr(param->text, ':');
	bool in_note = false;
	char *values, *to;

	if (!from || strcmp(param->type, "charp"))
		return NULL;
	values = strdup(from + 1);
	if (!values)
		return NULL;
	to = values;
	for (from++; *from; from++) {
		if (*from == '(')
			in_note = true;
		else if (*from == ',')
			*to++ = '|';
		else if (*from != ' ' && !in_note)
			*to++ = *from;
		if (*from == ')')
			in_note = false;
	}
	*to = '\0';
	return values;
}

/**
 * module_param_now() - read a parameter of the loaded module
 * @name: name of the parameter
 *
 * Return: its value, which the caller frees; NULL if there is none.
 */
char *module_param_now(const char *name)
{
	char path[128], *line = NULL;
	size_t size = 0;
	ssize_t len;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/module/" NAME "/parameters/%s",
		 name);
	file = fopen(path, "re");
	if (!file)
		return NULL;
	len = getline(&line, &size, file);
	fclose(file);
	if (len < 0) {
		free(line);
		return NULL;
	}
	line[strcspn(line, "\n")] = '\0';
	return line;
}
