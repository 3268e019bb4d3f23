// SPDX-License-Identifier: LGPL-2.1-or-later
/* Streams, and host functions in them. */
#include <errno.h>
#include <stdlib.h>

#include "internal.h"

#define ATTACH_FLAGS	(CU_MEM_ATTACH_GLOBAL | CU_MEM_ATTACH_HOST | \
			 CU_MEM_ATTACH_SINGLE)

/**
 * core_stream() - libmem's stream of a handle
 * @ctx: current context
 * @handle: of the program; NULL, CU_STREAM_LEGACY or CU_STREAM_PER_THREAD: the
 *	context's own
 * @stream: out
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_HANDLE (no such stream), or as
 * core_error() of mem_stream_per_thread().
 */
CORE_API int core_stream(struct CUctx_st *ctx, CUstream handle,
			 struct mem_stream **stream)
{
	if (!handle || handle == CU_STREAM_LEGACY) {
		*stream = mem_stream_legacy(ctx->mem);
		return CUDA_SUCCESS;
	}
	if (handle == CU_STREAM_PER_THREAD)
		return core_error(mem_stream_per_thread(ctx->mem, stream));
	if (!core_object_ctx(CORE_STREAM, handle))
		return CUDA_ERROR_INVALID_HANDLE;
	*stream = handle->mem;
	return CUDA_SUCCESS;
}

/**
 * core_stream_create() - make a stream
 * @ctx: context
 * @flags: CU_STREAM_DEFAULT or CU_STREAM_NON_BLOCKING
 * @priority: lower is sooner; what is beyond counts as the nearest
 * @stream: out: the stream, owned by the caller: core_stream_destroy()
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE (no such flags),
 * CUDA_ERROR_OUT_OF_MEMORY, or as core_error() of mem_stream_create().
 */
CORE_API int core_stream_create(struct CUctx_st *ctx, unsigned int flags,
				int priority, CUstream *stream)
{
	struct CUstream_st *new;
	int rc;

	if (flags & ~CU_STREAM_NON_BLOCKING)
		return CUDA_ERROR_INVALID_VALUE;
	new = calloc(1, sizeof(*new));
	if (!new)
		return CUDA_ERROR_OUT_OF_MEMORY;
	new->ctx = ctx;
	new->flags = flags;
	rc = core_error(mem_stream_create(ctx->mem,
					  flags ? MEM_STREAM_NON_BLOCKING : 0,
					  priority, &new->mem));
	if (rc)
		goto err_free;
	rc = core_object_add(CORE_STREAM, new, ctx);
	if (rc)
		goto err_destroy;
	*stream = new;
	return CUDA_SUCCESS;

err_destroy:
	mem_stream_destroy(new->mem);
err_free:
	free(new);
	return rc;
}

/**
 * core_stream_destroy() - a stream takes no more work
 * @stream: handle
 *
 * What it has goes on.
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_HANDLE (no such stream, or none
 * of the program's), or what has ended the context's work: it is destroyed all
 * the same.
 */
CORE_API int core_stream_destroy(CUstream stream)
{
	struct CUctx_st *ctx;

	if (!core_object_del(CORE_STREAM, stream))
		return CUDA_ERROR_INVALID_HANDLE;
	ctx = stream->ctx;
	core_stream_drop(ctx, stream);
	return core_error(mem_ctx_error(ctx->mem));
}

/**
 * core_stream_attach() - say who may touch managed memory
 * @stream: in order of this one
 * @ptr: start of managed memory
 * @len: 0 or the whole length
 * @flags: one of CU_MEM_ATTACH_*
 *
 * Single to stream 0 is refused; to its handle CU_STREAM_LEGACY it is not
 * (asked of a CUDA 13.0 runtime).
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE,
 * or as core_error() of mem_stream_attach().
 */
CORE_API int core_stream_attach(CUstream stream, void *ptr, uint64_t len,
				unsigned int flags)
{
	struct mem_stream *mem;
	struct CUctx_st *ctx;
	int rc = core_current(&ctx);

	if (rc)
		return rc;
	if (!flags || flags & ~ATTACH_FLAGS || flags & (flags - 1) ||
	    (!stream && flags == CU_MEM_ATTACH_SINGLE))
		return CUDA_ERROR_INVALID_VALUE;
	rc = core_stream(ctx, stream, &mem);
	if (rc)
		return rc;
	return core_error(mem_stream_attach(mem, ptr, len, flags));
}

/**
 * core_stream_call() - have a function of the host called
 * @stream: in order of this one
 * @fn: function, without calls of CUDA
 * @arg: for it
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE (@fn is NULL),
 * CUDA_ERROR_INVALID_HANDLE, or as core_error() of mem_stream_call().
 */
CORE_API int core_stream_call(CUstream stream, void (*fn)(void *), void *arg)
{
	struct mem_stream *mem;
	struct CUctx_st *ctx;
	int rc;

	if (!fn)
		return CUDA_ERROR_INVALID_VALUE;
	rc = core_current(&ctx);
	if (!rc)
		rc = core_stream(ctx, stream, &mem);
	return rc ? rc : core_error(mem_stream_call(mem, fn, arg));
}

/**
 * struct callback - a callback that is to come
 * @stream: as the program named it
 * @fn: its function
 * @arg: for it
 */
struct callback {
	CUstream stream;
	CUstreamCallback fn;
	void *arg;
};

static void call_back(struct mem_stream *stream, int status, void *arg)
{
	struct callback *callback = arg;

	(void)stream;
	callback->fn(callback->stream, core_error(status), callback->arg);
	free(callback);
}

/**
 * core_stream_callback() - have a function called, and told of errors
 * @stream: in order of this one
 * @fn: function, without calls of CUDA
 * @arg: for it
 * @flags: 0
 *
 * Return: CUDA_SUCCESS, or as core_stream_call().
 */
CORE_API int core_stream_callback(CUstream stream, CUstreamCallback fn,
				  void *arg, unsigned int flags)
{
	struct callback *callback;
	struct mem_stream *mem;
	struct CUctx_st *ctx;
	int rc;

	if (!fn || flags)
		return CUDA_ERROR_INVALID_VALUE;
	rc = core_current(&ctx);
	if (!rc)
		rc = core_stream(ctx, stream, &mem);
	if (rc)
		return rc;
	callback = malloc(sizeof(*callback));
	if (!callback)
		return CUDA_ERROR_OUT_OF_MEMORY;
	callback->stream = stream;
	callback->fn = fn;
	callback->arg = arg;
	rc = core_error(mem_stream_add_callback(mem, call_back, callback));
	if (rc)
		free(callback);
	return rc;
}

/**
 * core_capture_mode() - what a thread may do while a stream is captured
 * @mode: CU_STREAM_CAPTURE_MODE_*; out: what it was
 *
 * There is no capture; libraries say so around what it would forbid.
 *
 * Return: CUDA_SUCCESS or CUDA_ERROR_INVALID_VALUE (no such mode, NULL).
 */
CORE_API int core_capture_mode(unsigned int *mode)
{
	static __thread unsigned int current = CU_STREAM_CAPTURE_MODE_GLOBAL;
	unsigned int old = current;

	if (!mode || *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
		return CUDA_ERROR_INVALID_VALUE;
	current = *mode;
	*mode = old;
	return CUDA_SUCCESS;
}

/* For core_objects_drop(), too: nobody else has it any more. */
void core_stream_drop(struct CUctx_st *ctx, void *object)
{
	struct CUstream_st *stream = object;
	const uint64_t id = mem_stream_id(stream->mem);

	core_stream_forget(ctx, &id);
	mem_stream_destroy(stream->mem);
	free(stream);
}
