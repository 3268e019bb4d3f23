/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NvSciSync over libmem: interfaces between its files. The vendor's lists are
 * struct mem_attrs whose slots have SYNC_MARK, with a struct sync_list as their
 * client.
 */
#ifndef _COMPAT_NVSCI_SYNC_H
#define _COMPAT_NVSCI_SYNC_H

#include "../nvsci.h"
#include "nvscisync.h"
#include "../../sync.h"

/**
 * struct NvSciSyncModuleRec - a module
 * @handle: the module's address is its handle, until the program closes it
 * @ctx: shared context of the process
 * @nr_users: references: one until the program closes it, those of lists and
 *	contexts
 */
struct NvSciSyncModuleRec {
	struct libmem_handle handle;
	struct mem_ctx *ctx;
	atomic_uint nr_users;
};

/**
 * struct sync_list - data that NvSciSync keeps with a list
 * @module: module, a reference
 * @is_imported: another process has made the list
 * @own_perm: reconciled: what this process needs or has; 0: unknown
 * @peer_perm: reconciled: what lists of other processes need; 0: unknown
 * @conflict: conflict list: why reconciliation failed
 */
struct sync_list {
	struct NvSciSyncModuleRec *module;
	bool is_imported;
	uint64_t own_perm;
	uint64_t peer_perm;
	const char *conflict;
};

/**
 * struct NvSciSyncObjRec - an object
 * @base: handle, and the timeline, which CUDA uses
 * @attrs: reconciled list, owned by the object, and lent to the program
 */
struct NvSciSyncObjRec {
	struct sync_object base;
	struct mem_attrs *attrs;
};

static inline struct mem_attrs *sync_attrs_of(NvSciSyncAttrList list)
{
	return (struct mem_attrs *)list;
}

static inline struct sync_list *sync_list_of(const struct mem_attrs *attrs)
{
	return mem_attrs_client(attrs);
}

static inline bool sync_module_is(NvSciSyncModule module)
{
	return libmem_handle_is(module, LIBMEM_HANDLE_SYNC_MODULE);
}

/* Returns the value of a key, or NULL. */
static inline const void *sync_get(const struct mem_attrs *attrs,
				   unsigned int slot, enum sync_kept kept,
				   size_t *len)
{
	struct mem_attr attr = { .key = MEM_ATTR_CLIENT + kept };

	if (mem_attrs_get(attrs, slot, &attr, 1))
		return NULL;
	if (len)
		*len = attr.len;
	return attr.value;
}

static inline bool sync_flag(const struct mem_attrs *attrs, unsigned int slot,
			     enum sync_kept kept)
{
	const uint8_t *flag = sync_get(attrs, slot, kept, NULL);

	return flag && *flag;
}

static inline uint64_t sync_perm(const struct mem_attrs *attrs,
				 unsigned int slot)
{
	const uint64_t *perm = sync_get(attrs, slot, SYNC_REQUIRED_PERM, NULL);

	return perm ? *perm : 0;
}

/* module.c */
struct NvSciSyncModuleRec *sync_module_get(struct NvSciSyncModuleRec *module);
void sync_module_put(struct NvSciSyncModuleRec *module);

/* list.c */
NvSciError sync_list_own(struct mem_attrs *attrs,
			 struct NvSciSyncModuleRec *module,
			 struct mem_attrs **list);
NvSciError sync_lists(const NvSciSyncAttrList lists[], size_t nr,
		      struct NvSciSyncModuleRec **module);
bool sync_list_is(NvSciSyncAttrList list, int state);
bool sync_list_is_valid(const struct mem_attrs *attrs);

/* reconcile.c */
uint64_t sync_perms_of(const NvSciSyncAttrList lists[], size_t nr,
		       bool is_imported_only);
bool sync_list_meets(const struct mem_attrs *reconciled,
		     const NvSciSyncAttrList lists[], size_t nr);

/* object.c */
NvSciError sync_object_create(struct mem_timeline *timeline,
			      const struct mem_attrs *attrs,
			      NvSciSyncObj *object);

#endif
