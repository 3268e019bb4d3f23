/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NvSciBuf over libmem: what its files have in common. A list of the vendor's
 * is a struct mem_attrs, which keeps a struct nvsci_list as its client; an
 * object is a struct mem_object. Other surfaces can take both as they are.
 */
#ifndef _COMPAT_NVSCI_NVSCI_H
#define _COMPAT_NVSCI_NVSCI_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libmem.h"
#include "libmem/attrs.h"
#include "libmem/object.h"
#include "nvscibuf.h"

#define API	__attribute__((visibility("default")))

/* How long exports and imports wait for a peer that has not come yet */
#define NVSCI_WAIT_NS	(10ULL * 1000 * 1000 * 1000)

/**
 * enum nvsci_hidden - lists that each reconciliation takes in besides
 * @HIDDEN_DEFAULTS: says what the vendor's defaults are where libmem's differ
 * @HIDDEN_ALIGN_0: says besides that the alignment is 0
 * @NR_HIDDEN: how many there are
 */
enum nvsci_hidden {
	HIDDEN_DEFAULTS,
	HIDDEN_ALIGN_0,
	NR_HIDDEN
};

/**
 * struct NvSciBufModuleRec - what lists belong to
 * @ctx: the process's context
 * @hidden: by enum nvsci_hidden
 * @nr_users: the program, and each list
 */
struct NvSciBufModuleRec {
	struct mem_ctx *ctx;
	struct mem_attrs *hidden[NR_HIDDEN];
	atomic_uint nr_users;
};

struct nvsci_value;

/**
 * struct nvsci_list - what a list keeps besides its values
 * @module: what it belongs to, kept; NULL: that of an object
 * @is_align_0: an alignment of 1 was set as 0
 * @values: in the vendor's types, the newest first; protected by the lock of
 *	value.c
 */
struct nvsci_list {
	struct NvSciBufModuleRec *module;
	bool is_align_0;
	struct nvsci_value *values;
};

static inline struct mem_attrs *attrs_of(NvSciBufAttrList list)
{
	return (struct mem_attrs *)list;
}

static inline struct mem_object *object_of(NvSciBufObj object)
{
	return (struct mem_object *)object;
}

/* error.c */
NvSciError nvsci_error(int err);
NvSciError nvsci_missing(const char *what);

/* module.c */
struct NvSciBufModuleRec *nvsci_module_get(struct NvSciBufModuleRec *module);
void nvsci_module_put(struct NvSciBufModuleRec *module);

/* list.c */
NvSciError nvsci_list_own(struct mem_attrs *attrs,
			  struct NvSciBufModuleRec *module,
			  NvSciBufAttrList *list);
struct nvsci_list *nvsci_list(const struct mem_attrs *attrs);
NvSciError nvsci_lists(const NvSciBufAttrList lists[], size_t nr,
		       struct NvSciBufModuleRec **module);

/* ipc.c */
struct nvsci_endpoint;

NvSciError nvsci_endpoint_get(NvSciIpcEndpoint handle,
			      struct nvsci_endpoint **own,
			      struct mem_endpoint **mem);
void nvsci_endpoint_put(struct nvsci_endpoint *own);
NvSciError nvsci_endpoint_check(NvSciIpcEndpoint handle);

#endif
