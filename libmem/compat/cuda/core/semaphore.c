// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Semaphores imported by file descriptor. The meaning of an opaque descriptor
 * is private to the exporter; here it is an eventfd, a semaphore that any Linux
 * program can create, pass on, signal and wait for.
 *
 * Timeline semaphores cannot be imported: on Linux they are syncobjs of a DRM
 * driver, and none exists without a GPU. NvSciSync objects are not implemented
 * either, and all other types are Windows'.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "internal.h"

static const char *const type_names[] = {
	[CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD] = "an opaque descriptor",
	[CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32] = "OpaqueWin32",
	[CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT] = "OpaqueWin32Kmt",
	[CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE] = "D3D12Fence",
	[CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE] = "D3D11Fence",
	[CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC] = "NvSciSync",
	[CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX] = "KeyedMutex",
	[CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT] =
		"KeyedMutexKmt",
	[CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD] =
		"TimelineSemaphoreFd",
	[CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32] =
		"TimelineSemaphoreWin32",
};

#define NR_TYPES	(sizeof(type_names) / sizeof(*type_names))

static bool semaphore_is_valid(const struct core_semaphore_desc *desc)
{
	if (desc->type >= NR_TYPES || !type_names[desc->type])
		return false;
	switch (desc->type) {
	case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC:
		/* Its flags are not checked here. */
		return true;
	case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD:
	case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD:
		return !desc->flags && desc->fd >= 0;
	default:
		return !desc->flags;
	}
}

static int semaphore_import_error(int err)
{
	if (err == -EINVAL || err == -EBADF)
		return CUDA_ERROR_OPERATING_SYSTEM;
	return core_error(err);
}

/**
 * core_semaphore_import() - import a semaphore
 * @ctx: context
 * @desc: description; on success, CUDA takes over the descriptor and closes it
 * @semaphore: out: owned by the caller: core_semaphore_destroy()
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (no such type or flags, no
 * descriptor), CUDA_ERROR_OPERATING_SYSTEM (the descriptor is no eventfd, or no
 * descriptor is free), CUDA_ERROR_NOT_SUPPORTED (another type; reports name
 * it), CUDA_ERROR_OUT_OF_MEMORY, or core_error() of mem_semaphore_import().
 */
CORE_API int core_semaphore_import(struct CUctx_st *ctx,
				   const struct core_semaphore_desc *desc,
				   CUexternalSemaphore *semaphore)
{
	struct CUextSemaphore_st *new;
	char call[64];
	int rc;

	if (!semaphore_is_valid(desc))
		return CUDA_ERROR_INVALID_VALUE;
	if (desc->type != CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD) {
		snprintf(call, sizeof(call), "%s of %s", desc->call,
			 type_names[desc->type]);
		return core_missing(call);
	}
	new = calloc(1, sizeof(*new));
	if (!new)
		return CUDA_ERROR_OUT_OF_MEMORY;
	new->ctx = ctx;
	rc = semaphore_import_error(mem_semaphore_import(ctx->mem, desc->fd,
							 &new->mem));
	if (rc)
		goto err_free;
	rc = core_object_add(CORE_SEMAPHORE, new, ctx);
	if (rc)
		goto err_destroy;
	close(desc->fd);
	*semaphore = new;
	return CUDA_SUCCESS;

err_destroy:
	mem_semaphore_destroy(new->mem);
err_free:
	free(new);
	return rc;
}

/**
 * core_semaphores() - signal semaphores, or wait for them
 * @all: handles, not NULL
 * @nr: number of handles, above 0
 * @stream: stream
 * @submit: mem_stream_wait_semaphore() or mem_stream_signal_semaphore()
 *
 * If one of the handles is invalid, nothing is done.
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_HANDLE (no such stream, or no such
 * semaphore in its context), or core_error() of @submit.
 */
CORE_API int core_semaphores(const CUexternalSemaphore *all, unsigned int nr,
			     CUstream stream,
			     int (*submit)(struct mem_stream *stream,
					   struct mem_semaphore *semaphore))
{
	struct mem_stream *mem;
	struct CUctx_st *ctx;
	unsigned int i;
	int rc = core_current(&ctx);

	if (!rc)
		rc = core_stream(ctx, stream, &mem);
	for (i = 0; i < nr && !rc; i++) {
		const struct CUctx_st *own = core_object_ctx(CORE_SEMAPHORE,
							     all[i]);

		if (!own || own->mem != ctx->mem)
			rc = CUDA_ERROR_INVALID_HANDLE;
	}
	for (i = 0; i < nr && !rc; i++) {
		const int err = submit(mem, all[i]->mem);

		rc = err == -EXDEV ? CUDA_ERROR_INVALID_HANDLE :
				     core_error(err);
	}
	return rc;
}

/**
 * core_semaphore_destroy() - destroy an imported semaphore
 * @semaphore: handle
 *
 * Waits and signals that were submitted to streams remain.
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_HANDLE, or the error that ended the
 * context's work; the semaphore is destroyed in this case, too.
 */
CORE_API int core_semaphore_destroy(CUexternalSemaphore semaphore)
{
	struct CUctx_st *ctx;

	if (!core_object_del(CORE_SEMAPHORE, semaphore))
		return CUDA_ERROR_INVALID_HANDLE;
	ctx = semaphore->ctx;
	core_semaphore_drop(ctx, semaphore);
	return core_error(mem_ctx_error(ctx->mem));
}

/* Also called by core_objects_drop(). The handle is not valid any more. */
void core_semaphore_drop(struct CUctx_st *ctx, void *object)
{
	struct CUextSemaphore_st *semaphore = object;

	(void)ctx;
	mem_semaphore_destroy(semaphore->mem);
	free(semaphore);
}
