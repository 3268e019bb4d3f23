// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Semaphores imported by file descriptor. The meaning of an opaque descriptor
 * is private to the exporter; here it is an eventfd, a semaphore that any Linux
 * program can create, pass on, signal and wait for.
 *
 * Timeline semaphores cannot be imported: on Linux they are syncobjs of a DRM
 * driver, and none exists without a GPU. An NvSciSyncObj is a timeline of
 * libmem. All other types are Windows'.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../sync.h"
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
		return desc->object &&
		       !(desc->flags & ~(CUDA_NVSCISYNC_ATTR_SIGNAL |
					 CUDA_NVSCISYNC_ATTR_WAIT));
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

static int semaphore_take_fd(const struct core_semaphore_desc *desc,
			     struct CUextSemaphore_st *semaphore)
{
	return semaphore_import_error(mem_semaphore_import(semaphore->ctx->mem,
							   desc->fd,
							   &semaphore->mem));
}

static int semaphore_take_object(const struct core_semaphore_desc *desc,
				 struct CUextSemaphore_st *semaphore)
{
	const struct sync_object *object = desc->object;

	if (!sync_object_is(object))
		return CUDA_ERROR_INVALID_VALUE;
	semaphore->timeline = mem_timeline_get(object->timeline);
	semaphore->cpu_perm = object->cpu_perm;
	return CUDA_SUCCESS;
}

static bool semaphore_can_import(unsigned int type)
{
	return type == CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD ||
	       type == CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC;
}

/**
 * core_semaphore_import() - import a semaphore
 * @ctx: context
 * @desc: description; on success, CUDA takes over the descriptor and closes it,
 *	or has a reference to the object
 * @semaphore: out: owned by the caller: core_semaphore_destroy()
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (no such type or flags, no
 * descriptor or object), CUDA_ERROR_OPERATING_SYSTEM (the descriptor is no
 * eventfd, or no descriptor is free), CUDA_ERROR_NOT_SUPPORTED (another type;
 * reports name it), CUDA_ERROR_OUT_OF_MEMORY, or core_error() of
 * mem_semaphore_import().
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
	if (!semaphore_can_import(desc->type)) {
		snprintf(call, sizeof(call), "%s of %s", desc->call,
			 type_names[desc->type]);
		return core_missing(call);
	}
	new = calloc(1, sizeof(*new));
	if (!new)
		return CUDA_ERROR_OUT_OF_MEMORY;
	new->ctx = ctx;
	rc = desc->object ? semaphore_take_object(desc, new) :
			    semaphore_take_fd(desc, new);
	if (!rc)
		rc = core_object_add(CORE_SEMAPHORE, new, ctx);
	if (rc) {
		core_semaphore_drop(ctx, new);
		return rc;
	}
	if (!desc->object)
		close(desc->fd);
	*semaphore = new;
	return CUDA_SUCCESS;
}

/* Checks all handles before the first is used. */
static int semaphores_check(const CUexternalSemaphore *all, unsigned int nr,
			    CUstream stream, struct mem_stream **mem)
{
	struct CUctx_st *ctx;
	unsigned int i;
	int rc = core_current(&ctx);

	if (!rc)
		rc = core_stream(ctx, stream, mem);
	for (i = 0; i < nr && !rc; i++) {
		const struct CUctx_st *own = core_object_ctx(CORE_SEMAPHORE,
							     all[i]);

		if (!own || own->mem != ctx->mem)
			rc = CUDA_ERROR_INVALID_HANDLE;
	}
	return rc;
}

/*
 * Checks the parameters of one semaphore. Only one flag exists for signals, and
 * one for waits, both of NvSciSync.
 */
static int semaphore_check(const struct CUextSemaphore_st *semaphore,
			   unsigned int flags, unsigned int known,
			   const void *fence, unsigned int perm)
{
	if (!semaphore->timeline)
		return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
	if (flags & ~known || !fence)
		return CUDA_ERROR_INVALID_VALUE;
	return mem_timeline_perm(semaphore->timeline) & (int)perm ?
	       CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

static int semaphore_error(int err)
{
	return err == -EXDEV ? CUDA_ERROR_INVALID_HANDLE : core_error(err);
}

static int semaphore_signal(struct mem_stream *stream,
			    const struct CUextSemaphore_st *semaphore,
			    void *fence)
{
	const struct sync_object object = {
		.timeline = semaphore->timeline,
		.cpu_perm = semaphore->cpu_perm,
	};
	uint64_t point;
	int err;

	if (!semaphore->timeline)
		return mem_stream_signal_semaphore(stream, semaphore->mem);
	err = mem_timeline_next(semaphore->timeline, &point);
	if (!err)
		err = mem_stream_signal_timeline(stream, semaphore->timeline,
						 point);
	if (!err)
		sync_fence_set(fence, &object, point);
	return err;
}

/**
 * core_semaphores_signal() - signal semaphores
 * @all: handles, not NULL
 * @params: parameters of each, not NULL
 * @nr: number of handles, above 0
 * @stream: stream
 *
 * If one of the handles or parameters is invalid, nothing is done.
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_HANDLE (no such stream, or no such
 * semaphore in its context), CUDA_ERROR_INVALID_VALUE (flags, or no fence),
 * CUDA_ERROR_NOT_SUPPORTED (the NvSciSyncObj may not be signalled), or
 * core_error() of mem_stream_signal_semaphore().
 */
CORE_API int
core_semaphores_signal(const CUexternalSemaphore *all,
		       const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *params,
		       unsigned int nr, CUstream stream)
{
	const unsigned int known =
		CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC;
	struct mem_stream *mem;
	unsigned int i;
	int rc = semaphores_check(all, nr, stream, &mem);

	for (i = 0; i < nr && !rc; i++)
		rc = semaphore_check(all[i], params[i].flags, known,
				     params[i].params.nvSciSync.fence,
				     MEM_WRITE);
	for (i = 0; i < nr && !rc; i++) {
		void *fence = params[i].params.nvSciSync.fence;

		rc = semaphore_error(semaphore_signal(mem, all[i], fence));
	}
	return rc;
}

static int semaphore_wait(struct mem_stream *stream,
			  const struct CUextSemaphore_st *semaphore,
			  const void *of)
{
	struct sync_fence fence;

	if (!semaphore->timeline)
		return mem_stream_wait_semaphore(stream, semaphore->mem);
	fence = sync_fence_get(of);
	if (!fence.timeline)
		return 0;
	return mem_stream_wait_timeline(stream, fence.timeline, fence.point);
}

/**
 * core_semaphores_wait() - wait for semaphores
 * @all: handles, not NULL
 * @params: parameters of each, not NULL
 * @nr: number of handles, above 0
 * @stream: stream
 *
 * If one of the handles or parameters is invalid, nothing is done.
 *
 * Return: as core_semaphores_signal().
 */
CORE_API int
core_semaphores_wait(const CUexternalSemaphore *all,
		     const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *params,
		     unsigned int nr, CUstream stream)
{
	const unsigned int known =
		CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC;
	struct mem_stream *mem;
	unsigned int i;
	int rc = semaphores_check(all, nr, stream, &mem);

	for (i = 0; i < nr && !rc; i++)
		rc = semaphore_check(all[i], params[i].flags, known,
				     params[i].params.nvSciSync.fence,
				     MEM_READ);
	for (i = 0; i < nr && !rc; i++) {
		const void *fence = params[i].params.nvSciSync.fence;

		rc = semaphore_error(semaphore_wait(mem, all[i], fence));
	}
	return rc;
}

/**
 * core_sync_attributes() - set what a GPU needs in a list of NvSciSync
 * @list: NvSciSyncAttrList
 * @flags: CUDA_NVSCISYNC_ATTR_SIGNAL, CUDA_NVSCISYNC_ATTR_WAIT or both
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (no such list or flags, or the
 * list has a permission), or core_error() of mem_attrs_set().
 */
CORE_API int core_sync_attributes(void *list, unsigned int flags)
{
	const uint64_t perm = (flags & CUDA_NVSCISYNC_ATTR_SIGNAL ?
			       MEM_WRITE : 0) |
			      (flags & CUDA_NVSCISYNC_ATTR_WAIT ? MEM_READ : 0);
	const struct mem_attr value = {
		.key = MEM_ATTR_CLIENT + SYNC_REQUIRED_PERM,
		.value = &perm,
		.len = sizeof(perm),
	};
	struct mem_attr mark = { .key = MEM_ATTR_CLIENT + SYNC_MARK };
	int err;

	if (!perm || flags & ~(CUDA_NVSCISYNC_ATTR_SIGNAL |
			       CUDA_NVSCISYNC_ATTR_WAIT) ||
	    mem_attrs_get(list, 0, &mark, 1) || !mark.value)
		return CUDA_ERROR_INVALID_VALUE;
	err = mem_attrs_set(list, &value, 1);
	if (err == -EEXIST ||
	    (err == -EPERM && mem_attrs_state(list) == MEM_ATTRS_RECONCILED))
		return CUDA_ERROR_INVALID_VALUE;
	return core_error(err);
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
	mem_timeline_put(semaphore->timeline);
	free(semaphore);
}
