// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Semaphores of others, by file descriptor. What an opaque descriptor stands
 * for is the exporter's secret; here it is an eventfd, the semaphore that any
 * program of Linux can make, pass on, signal and wait for.
 *
 * A semaphore with a timeline has no such stand-in: Linux has it as a syncobj
 * of a DRM driver, and none that is there without a GPU. NvSciSync objects come
 * with the calls for them; all others are of Windows.
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

static bool is_valid(const struct core_semaphore_desc *desc)
{
	if (desc->type >= NR_TYPES || !type_names[desc->type])
		return false;
	switch (desc->type) {
	case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC:
		/* It says what it is for. */
		return true;
	case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD:
	case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD:
		return !desc->flags && desc->fd >= 0;
	default:
		return !desc->flags;
	}
}

static int import_error(int err)
{
	if (err == -EINVAL || err == -EBADF)
		return CUDA_ERROR_OPERATING_SYSTEM;
	return core_error(err);
}

/**
 * core_semaphore_import() - take a semaphore
 * @ctx: context
 * @desc: what; the descriptor is CUDA's on success, and closed
 * @semaphore: out: owned by the caller: core_semaphore_destroy()
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE (no such type or flags, no
 * descriptor), CUDA_ERROR_OPERATING_SYSTEM (what the descriptor is for is no
 * eventfd, or none is left), CUDA_ERROR_NOT_SUPPORTED (another type; reports
 * name it), CUDA_ERROR_OUT_OF_MEMORY, or as core_error() of
 * mem_semaphore_import().
 */
CORE_API int core_semaphore_import(struct CUctx_st *ctx,
				   const struct core_semaphore_desc *desc,
				   CUexternalSemaphore *semaphore)
{
	struct CUextSemaphore_st *new;
	char call[64];
	int rc;

	if (!is_valid(desc))
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
	rc = import_error(mem_semaphore_import(ctx->mem, desc->fd, &new->mem));
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
 * @nr: of them, above 0
 * @stream: in order of this one
 * @submit: mem_stream_wait_semaphore() or mem_stream_signal_semaphore()
 *
 * Nothing is done unless there are all of them.
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_HANDLE (there is no such stream,
 * or no such semaphore in its context), or as core_error() of @submit.
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
 * core_semaphore_destroy() - give a semaphore back
 * @semaphore: handle
 *
 * Waits and signals that streams have go on.
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_HANDLE, or what has ended the
 * context's work: it is destroyed all the same.
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

/* For core_objects_drop(), too: nobody else has it any more. */
void core_semaphore_drop(struct CUctx_st *ctx, void *object)
{
	struct CUextSemaphore_st *semaphore = object;

	(void)ctx;
	mem_semaphore_destroy(semaphore->mem);
	free(semaphore);
}
