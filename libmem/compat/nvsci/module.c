// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * NvSciBuf: modules. All modules of a process use its shared context, in which
 * CUDA's pointers and objects of other vendor layers are valid, too. The module
 * of a list only matters in that lists of two modules cannot be reconciled.
 */
#include <errno.h>
#include <stdlib.h>

#include "../../compat.h"
#include "key.h"

/**
 * nvsci_module_get() - take a reference
 * @module: module, or NULL
 *
 * Return: @module.
 */
struct NvSciBufModuleRec *nvsci_module_get(struct NvSciBufModuleRec *module)
{
	if (module)
		atomic_fetch_add(&module->nr_users, 1);
	return module;
}

/**
 * nvsci_module_put() - drop a reference
 * @module: module, or NULL
 */
void nvsci_module_put(struct NvSciBufModuleRec *module)
{
	unsigned int i;

	if (!module || atomic_fetch_sub(&module->nr_users, 1) != 1)
		return;
	for (i = 0; i < NR_HIDDEN; i++)
		mem_attrs_destroy(module->hidden[i]);
	mem_ctx_close(module->ctx);
	libmem_handle_free(&module->handle);
}

/* The vendor's default is an uncached CPU mapping, libmem's is cached. */
static int module_make_hidden(struct NvSciBufModuleRec *module)
{
	static const uint8_t off;
	static const uint8_t yes = 1;
	const struct mem_attr values[] = {
		{ .key = MEM_ATTR_CPU_CACHE, .value = &off, .len = 1 },
		{ .key = MEM_ATTR_CLIENT + KEPT_ALIGN_0, .value = &yes,
		  .len = 1 },
	};
	unsigned int i;
	int err;

	for (i = 0; i < NR_HIDDEN; i++) {
		err = mem_attrs_create(module->ctx, &module->hidden[i]);
		if (!err)
			err = mem_attrs_set(module->hidden[i], values, i + 1);
		if (err)
			return err;
	}
	return 0;
}

API NvSciError NvSciBufModuleOpen(NvSciBufModule *newModule)
{
	struct NvSciBufModuleRec *module;
	int err;

	if (!newModule)
		return NvSciError_BadParameter;
	module = calloc(1, sizeof(*module));
	if (!module)
		return NvSciError_InsufficientMemory;
	module->nr_users = 1;
	err = compat_ctx_open(&module->ctx);
	if (!err)
		err = module_make_hidden(module);
	if (!err)
		err = libmem_handle_add(&module->handle,
					LIBMEM_HANDLE_BUF_MODULE);
	if (err) {
		nvsci_module_put(module);
		return err == -ENOMEM ? NvSciError_InsufficientMemory :
		       NvSciError_ResourceError;
	}
	*newModule = module;
	return NvSciError_Success;
}

API void NvSciBufModuleClose(NvSciBufModule module)
{
	if (libmem_handle_put(module, LIBMEM_HANDLE_BUF_MODULE))
		nvsci_module_put(module);
}

API NvSciError NvSciBufCheckVersionCompatibility(uint32_t majorVer,
						 uint32_t minorVer,
						 bool *isCompatible)
{
	if (!isCompatible)
		return NvSciError_BadParameter;
	*isCompatible = majorVer == NvSciBufMajorVersion &&
			minorVer <= NvSciBufMinorVersion;
	return NvSciError_Success;
}
