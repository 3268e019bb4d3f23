/* SPDX-License-Identifier: GPL-2.0-only */
/* The module as a file, and as loaded by the kernel */
#ifndef HEAPSIM_MODULE_H
#define HEAPSIM_MODULE_H

#include <stdbool.h>
#include <stddef.h>

struct kmod_ctx;
struct kmod_module;

/* A parameter, as the module's file describes it */
struct module_param {
	char *name;
	char *type;	/* "uint", "ullong", "charp", ...; "": unknown */
	char *text;	/* description; "": unknown */
};

struct module {
	struct kmod_ctx *ctx;
	struct kmod_module *mod;
	bool has_file;		/* false: only the loaded module is known */
	char *release;		/* the kernel it was built for; "": unknown */
	char *depends;		/* modules that it needs, separated by commas */
	struct module_param *params;	/* words, then numbers, by name */
	size_t nr_params;
};

enum module_state {
	MODULE_ABSENT,
	MODULE_LIVE,
	MODULE_COMING,	/* being inserted or removed */
};

int module_open(struct module *module, const char *file, const char *who);
void module_print_missing(const char *who);
void module_close(struct module *module);
int module_insert(struct module *module, const char *options,
		  const char *who);

enum module_state module_state(void);
int module_refcount(void);
int module_remove(void);

const struct module_param *module_param_find(const struct module *module,
					     const char *name, size_t len);
bool module_param_is_number(const struct module_param *param,
			    unsigned long long *max);
char *module_param_values(const struct module_param *param);
char *module_param_now(const char *name);

#endif
