// SPDX-License-Identifier: LGPL-2.1-or-later
/* NvSciSync: modules and contexts of waits. */
#include <errno.h>
#include <stdlib.h>

#include "../../../compat.h"
#include "sync.h"

/**
 * struct NvSciSyncCpuWaitContextRec - a context of waits
 * @handle: the context's address is its handle
 * @module: module, a reference
 *
 * A wait needs nothing that could be kept for the next one.
 */
struct NvSciSyncCpuWaitContextRec {
	struct libmem_handle handle;
	struct NvSciSyncModuleRec *module;
};

/**
 * sync_module_get() - take a reference
 * @module: module
 *
 * Return: @module.
 */
struct NvSciSyncModuleRec *sync_module_get(struct NvSciSyncModuleRec *module)
{
	atomic_fetch_add(&module->nr_users, 1);
	return module;
}

/**
 * sync_module_put() - drop a reference
 * @module: module, or NULL
 */
void sync_module_put(struct NvSciSyncModuleRec *module)
{
	if (!module || atomic_fetch_sub(&module->nr_users, 1) != 1)
		return;
	mem_ctx_close(module->ctx);
	libmem_handle_free(&module->handle);
}

API NvSciError NvSciSyncModuleOpen(NvSciSyncModule *newModule)
{
	struct NvSciSyncModuleRec *module;
	int err;

	if (!newModule)
		return NvSciError_BadParameter;
	module = calloc(1, sizeof(*module));
	if (!module)
		return NvSciError_InsufficientMemory;
	module->nr_users = 1;
	err = compat_ctx_open(&module->ctx);
	if (!err)
		err = libmem_handle_add(&module->handle,
					LIBMEM_HANDLE_SYNC_MODULE);
	if (err) {
		sync_module_put(module);
		return err == -ENOMEM ? NvSciError_InsufficientMemory :
		       NvSciError_ResourceError;
	}
	*newModule = module;
	return NvSciError_Success;
}

API void NvSciSyncModuleClose(NvSciSyncModule module)
{
	if (libmem_handle_put(module, LIBMEM_HANDLE_SYNC_MODULE))
		sync_module_put(module);
}

API NvSciError NvSciSyncCheckVersionCompatibility(uint32_t majorVer,
						  uint32_t minorVer,
						  bool *isCompatible)
{
	if (!isCompatible)
		return NvSciError_BadParameter;
	*isCompatible = majorVer == NvSciSyncMajorVersion &&
			minorVer <= NvSciSyncMinorVersion;
	return NvSciError_Success;
}

API NvSciError
NvSciSyncCpuWaitContextAlloc(NvSciSyncModule module,
			     NvSciSyncCpuWaitContext *newContext)
{
	struct NvSciSyncCpuWaitContextRec *context;

	if (!newContext || !sync_module_is(module))
		return NvSciError_BadParameter;
	context = malloc(sizeof(*context));
	if (!context)
		return NvSciError_InsufficientMemory;
	if (libmem_handle_add(&context->handle, LIBMEM_HANDLE_SYNC_CONTEXT)) {
		free(context);
		return NvSciError_InsufficientMemory;
	}
	context->module = sync_module_get(module);
	*newContext = context;
	return NvSciError_Success;
}

API void NvSciSyncCpuWaitContextFree(NvSciSyncCpuWaitContext context)
{
	if (!libmem_handle_put(context, LIBMEM_HANDLE_SYNC_CONTEXT))
		return;
	sync_module_put(context->module);
	libmem_handle_free(&context->handle);
}
