// SPDX-License-Identifier: GPL-2.0-only
/*
 * heapsim load: inserts the module. Names and numbers are checked here against
 * the module's description of its parameters. Only the module can check other
 * values; it logs the reason of a refusal in the kernel log.
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "heapsim.h"
#include "kmsg.h"
#include "module.h"
#include "number.h"

/* A parameter and the value that the user gave */
struct wish {
	const struct module_param *param;
	const char *value;
};

static const char help[] =
"usage: heapsim load [OPTION]... [PARAMETER=VALUE]...\n"
"\n"
"Inserts the module, with parameters (soc=tx2 policy=record). If it is already\n"
"loaded with the same values, nothing is done; with others it is an error.\n"
"\n"
"  -m, --module FILE  load FILE instead of the installed module\n"
"  -l, --list         only list the parameters and their values\n"
"  -h, --help         this text\n";

static size_t word_min(size_t a, size_t b, size_t c)
{
	if (b < a)
		a = b;
	return c < a ? c : a;
}

/* Returns the edit distance: letters to add, drop or change. */
static size_t word_distance(const char *from, size_t len, const char *to)
{
	size_t row[64], before, here, i, j, width = strlen(to);

	if (width >= sizeof(row) / sizeof(row[0]))
		return width + len;
	for (j = 0; j <= width; j++)
		row[j] = j;
	for (i = 0; i < len; i++) {
		before = row[0];
		row[0] = i + 1;
		for (j = 1; j <= width; j++) {
			here = row[j];
			row[j] = word_min(here + 1, row[j - 1] + 1,
					  before + (from[i] != to[j - 1]));
			before = here;
		}
	}
	return row[width];
}

static int load_print_unknown(const struct module *module, const char *name,
			      size_t len, const char *who)
{
	size_t best = 3, far, i;	/* 3 differences are no typing error */
	const char *near = NULL;

	for (i = 0; i < module->nr_params; i++) {
		far = word_distance(name, len, module->params[i].name);
		if (far < best && far < len) {
			best = far;
			near = module->params[i].name;
		}
	}
	fprintf(stderr, "%s: %.*s: no such parameter", who, (int)len, name);
	if (near)
		fprintf(stderr, "; do you mean %s?", near);
	fprintf(stderr, "\nThere are:");
	for (i = 0; i < module->nr_params; i++)
		fprintf(stderr, " %s", module->params[i].name);
	fputc('\n', stderr);
	return EXIT_USAGE;
}

static int wish_parse(struct wish *wish, const struct module *module,
		      const char *word, const char *who)
{
	size_t len = strcspn(word, "=");
	unsigned long long max;
	uint64_t number;

	wish->param = module_param_find(module, word, len);
	if (!wish->param)
		return load_print_unknown(module, word, len, who);
	if (!word[len])
		return error_usage(who, "%s: needs a value: %s=...", word,
				   wish->param->name);
	wish->value = word + len + 1;
	/* Quotes and blanks have a meaning in the kernel's list of options. */
	if (strpbrk(wish->value, "\" \t\n"))
		return error_usage(who,
				   "%s: a value cannot contain blanks or quotes",
				   word);
	if (module_param_is_number(wish->param, &max) &&
	    number_whole(wish->value, max, &number))
		return error_usage(who, "%s: not a number from 0 to %llu", word,
				   max);
	return EXIT_OK;
}

static int wishes_parse(struct wish *wishes, int nr, char **words,
			const struct module *module, const char *who)
{
	int i, j, ret;

	for (i = 0; i < nr; i++) {
		ret = wish_parse(&wishes[i], module, words[i], who);
		if (ret)
			return ret;
		for (j = 0; j < i; j++)
			if (wishes[j].param == wishes[i].param)
				return error_usage(who, "%s is given twice",
						   wishes[i].param->name);
	}
	return EXIT_OK;
}

static bool wish_is_fulfilled(const struct wish *wish, const char *now)
{
	uint64_t a, b;

	if (!now)
		return false;
	if (!number_whole(wish->value, UINT64_MAX, &a) &&
	    !number_whole(now, UINT64_MAX, &b))
		return a == b;
	return !strcmp(wish->value, now);
}

static void load_print_params(FILE *out, const struct module *module)
{
	char *now;
	size_t i;

	for (i = 0; i < module->nr_params; i++) {
		now = module_param_now(module->params[i].name);
		if (now)
			fprintf(out, " %s=%s", module->params[i].name, now);
		free(now);
	}
	fputc('\n', out);
}

static int load_print_loaded(const struct module *module,
			     const struct wish *wishes, int nr, const char *who)
{
	int i, nr_other = 0;
	char *now;

	for (i = 0; i < nr; i++) {
		now = module_param_now(wishes[i].param->name);
		if (!wish_is_fulfilled(&wishes[i], now)) {
			error_print(who, "already loaded, with %s=%s",
				    wishes[i].param->name, now ? now : "?");
			nr_other++;
		}
		free(now);
	}
	if (!nr_other) {
		printf("already loaded:");
		load_print_params(stdout, module);
		return EXIT_OK;
	}
	fprintf(stderr, "All it has:");
	load_print_params(stderr, module);
	fprintf(stderr, "Unload it first: heapsim unload\n");
	return EXIT_FAILED;
}

static int load_print_refusal(const struct module *module, int err, int kmsg,
			      const char *who)
{
	struct utsname name;

	if (err == -EPERM && geteuid())
		return error_print(who,
				   "only root may load modules: sudo heapsim load ...");
	error_print(who, "the kernel refuses the module: %s", strerror(-err));
	if (kmsg_print(kmsg, stderr, "kernel: "))
		return EXIT_FAILED;
	if (*module->release && !uname(&name) &&
	    strcmp(module->release, name.release))
		fprintf(stderr, "It was built for %s, this kernel is %s.\n",
			module->release, name.release);
	else if (err == -EPERM)
		fprintf(stderr,
			"Modules may be locked here: kernel.modules_disabled, lockdown, or a container.\n");
	else if (err == -ENOSYS)
		fprintf(stderr, "It was built without modules.\n");
	else if (err == -EKEYREJECTED || err == -ENOKEY)
		fprintf(stderr,
			"This kernel (Secure Boot?) requires signed modules.\n");
	else
		fprintf(stderr, "The kernel log may have the reason: dmesg\n");
	return EXIT_FAILED;
}

static int wishes_make_options(char **options, const struct wish *wishes,
			       int nr)
{
	size_t size;
	FILE *out = open_memstream(options, &size);
	int i;

	if (!out)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		fprintf(out, "%s%s=%s", i ? " " : "", wishes[i].param->name,
			wishes[i].value);
	return fclose(out) ? -ENOMEM : 0;
}

static int load_insert(struct module *module, const struct wish *wishes, int nr,
		       const char *who)
{
	int kmsg, err, ret = EXIT_OK;
	char *options;

	switch (module_state()) {
	case MODULE_LIVE:
		return load_print_loaded(module, wishes, nr, who);
	case MODULE_COMING:
		return error_print(who,
				   "it is being inserted or removed elsewhere: try again");
	case MODULE_ABSENT:
		break;
	}
	kmsg = kmsg_open();
	err = wishes_make_options(&options, wishes, nr);
	if (!err) {
		err = module_insert(module, options, who);
		free(options);
	}
	if (err == -EEXIST) {	/* another process inserted it meanwhile */
		ret = load_print_loaded(module, wishes, nr, who);
	} else if (err) {
		ret = load_print_refusal(module, err, kmsg, who);
	} else {
		printf("loaded:");
		load_print_params(stdout, module);
		kmsg_print(kmsg, stdout, "kernel: ");
	}
	if (kmsg >= 0)
		close(kmsg);
	return ret;
}

/* completion.bash parses this list: lines that do not begin with a blank. */
static int load_list(const struct module *module)
{
	const struct module_param *param;
	unsigned long long max;
	char *values;
	size_t i;

	for (i = 0; i < module->nr_params; i++) {
		param = &module->params[i];
		values = module_param_values(param);
		printf("%s=%s\n", param->name, values ? values :
		       module_param_is_number(param, &max) ? "NUMBER" : "TEXT");
		if (*param->text)
			printf("    %s\n", param->text);
		free(values);
	}
	return EXIT_OK;
}

int cmd_load(int argc, char **argv)
{
	static const struct option options[] = {
		{ "module", required_argument, NULL, 'm' },
		{ "list", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	const char *file = NULL, *who = argv[0];
	bool is_list = false;
	struct module module;
	struct wish *wishes;
	int opt, nr, ret;

	while ((opt = getopt_long(argc, argv, "m:lh", options, NULL)) != -1) {
		switch (opt) {
		case 'm':
			file = optarg;
			break;
		case 'l':
			is_list = true;
			break;
		case 'h':
			fputs(help, stdout);
			return EXIT_OK;
		default:
			return error_try(who);
		}
	}
	nr = argc - optind;
	if (is_list && nr)
		return error_usage(who, "--list takes no parameters");
	wishes = calloc(nr + 1, sizeof(*wishes));
	if (!wishes) {
		perror(who);
		return EXIT_FAILED;
	}
	ret = module_open(&module, file, who);
	if (!ret && is_list && !module.has_file) {
		module_print_missing(who);
		ret = EXIT_FAILED;
	} else if (!ret && is_list) {
		ret = load_list(&module);
	}
	if (!ret && !is_list)
		ret = wishes_parse(wishes, nr, argv + optind, &module, who);
	if (!ret && !is_list)
		ret = load_insert(&module, wishes, nr, who);
	module_close(&module);
	free(wishes);
	return ret;
}
