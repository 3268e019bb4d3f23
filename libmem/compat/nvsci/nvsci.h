/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NvSciBuf over libmem: interfaces between its files. The vendor's lists are
 * struct mem_attrs with a struct nvsci_list as their client, its objects are
 * struct mem_object. Other vendor layers can therefore use both directly.
 */
#ifndef _COMPAT_NVSCI_NVSCI_H
#define _COMPAT_NVSCI_NVSCI_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../compat.h"
#include "libmem.h"
#include "libmem/attrs.h"
#include "libmem/object.h"
#include "nvscibuf.h"

#define API	__attribute__((visibility("default")))

/* How long exports and imports wait for a peer that has not come yet */
#define NVSCI_WAIT_NS	(10ULL * 1000 * 1000 * 1000)

/**
 * enum nvsci_hidden - lists added to each reconciliation
 * @HIDDEN_DEFAULTS: has the vendor's defaults where libmem's differ
 * @HIDDEN_ALIGN_0: also has KEPT_ALIGN_0
 * @NR_HIDDEN: number of lists
 */
enum nvsci_hidden {
	HIDDEN_DEFAULTS,
	HIDDEN_ALIGN_0,
	NR_HIDDEN
};

/**
 * struct NvSciBufModuleRec - a module
 * @handle: the module's address is its handle, until the program closes it
 * @ctx: shared context of the process
 * @hidden: lists, indexed by enum nvsci_hidden
 * @nr_users: references: one until the program closes it, one of each list
 */
struct NvSciBufModuleRec {
	struct libmem_handle handle;
	struct mem_ctx *ctx;
	struct mem_attrs *hidden[NR_HIDDEN];
	atomic_uint nr_users;
};

struct nvsci_value;

/**
 * struct nvsci_list - data that NvSciBuf keeps with a list
 * @module: module; the list holds a reference; NULL: list of an object
 * @is_align_0: an alignment of 1 was set as 0
 * @values: converted values, newest first; protected by the lock of value.c
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

/* These return true if the program passed what they name. */
static inline bool nvsci_object_is(NvSciBufObj object)
{
	return libmem_handle_is(object, LIBMEM_HANDLE_OBJECT);
}

static inline bool nvsci_list_is(NvSciBufAttrList list)
{
	return libmem_handle_is(list, LIBMEM_HANDLE_ATTRS);
}

static inline bool nvsci_module_is(NvSciBufModule module)
{
	return libmem_handle_is(module, LIBMEM_HANDLE_BUF_MODULE);
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

/* transport.c */
uint64_t nvsci_timeout(int64_t microseconds);
NvSciError nvsci_export_lists(struct mem_attrs *const *lists, size_t nr,
			      NvSciIpcEndpoint handle, void **bytes,
			      size_t *len);
NvSciError nvsci_import_list(NvSciIpcEndpoint handle, const void *bytes,
			     size_t len, struct mem_attrs *const *lists,
			     size_t nr, struct mem_attrs **attrs);

/* ipc.c */
struct nvsci_endpoint;

NvSciError nvsci_endpoint_get(NvSciIpcEndpoint handle,
			      struct nvsci_endpoint **own,
			      struct mem_endpoint **mem);
void nvsci_endpoint_put(struct nvsci_endpoint *own);
NvSciError nvsci_endpoint_check(NvSciIpcEndpoint handle);

#endif
