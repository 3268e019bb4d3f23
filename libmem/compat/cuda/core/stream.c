// SPDX-License-Identifier: LGPL-2.1-or-later
/* Streams, and host functions in them. */
#include <errno.h>
#include <stdlib.h>

#include "internal.h"

#define ATTACH_FLAGS	(CU_MEM_ATTACH_GLOBAL | CU_MEM_ATTACH_HOST | \
			 CU_MEM_ATTACH_SINGLE)

/**
 * core_stream() - return libmem's stream of a handle
 * @ctx: current context
 * @handle: handle, any value; NULL, CU_STREAM_LEGACY or CU_STREAM_PER_THREAD:
 *	streams that the context always has
 * @stream: out: stream
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_HANDLE (no such stream), or
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
 * core_stream_create() - create a stream
 * @ctx: context
 * @flags: CU_STREAM_DEFAULT or CU_STREAM_NON_BLOCKING
 * @priority: lower is more urgent; clamped to the valid range
 * @stream: out: stream, owned by the caller: core_stream_destroy()
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (no such flags),
 * CUDA_ERROR_OUT_OF_MEMORY, or core_error() of mem_stream_create().
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
 * core_stream_destroy() - destroy a stream
 * @stream: handle
 *
 * Work that was submitted to it continues.
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_HANDLE (no such stream, or not
 * created by the program), or the error that ended the context's work; the
 * stream is destroyed in the last case, too.
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
 * core_stream_attach() - attach managed memory to a stream
 * @stream: stream
 * @ptr: start of managed memory
 * @len: 0 or the whole length
 * @flags: one of CU_MEM_ATTACH_*
 *
 * CU_MEM_ATTACH_SINGLE is refused for stream 0 but not for CU_STREAM_LEGACY, as
 * by a CUDA 13.0 runtime.
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE, or
 * core_error() of mem_stream_attach().
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
 * core_stream_call() - submit a host function
 * @stream: stream
 * @fn: function; must not call CUDA
 * @arg: argument of @fn
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (@fn is NULL),
 * CUDA_ERROR_INVALID_HANDLE, or core_error() of mem_stream_call().
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
 * struct callback - a callback that was submitted
 * @stream: handle, as passed by the program
 * @fn: function
 * @arg: argument of @fn
 */
struct callback {
	CUstream stream;
	CUstreamCallback fn;
	void *arg;
};

static void stream_call_back(struct mem_stream *stream, int status, void *arg)
{
	struct callback *callback = arg;

	(void)stream;
	callback->fn(callback->stream, core_error(status), callback->arg);
	free(callback);
}

/**
 * core_stream_callback() - submit a host function that gets the stream's status
 * @stream: stream
 * @fn: function; must not call CUDA
 * @arg: argument of @fn
 * @flags: 0
 *
 * Return: CUDA_SUCCESS, or an error of core_stream_call().
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
	rc = core_error(mem_stream_add_callback(mem, stream_call_back,
						callback));
	if (rc)
		free(callback);
	return rc;
}

/**
 * core_capture_mode() - exchange a thread's capture mode
 * @mode: in: CU_STREAM_CAPTURE_MODE_*; out: previous mode
 *
 * The mode has no effect, since capture is not implemented, but libraries set
 * it around calls that a capture would forbid.
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

/* Also called by core_objects_drop(). The handle is not valid any more. */
void core_stream_drop(struct CUctx_st *ctx, void *object)
{
	struct CUstream_st *stream = object;
	const uint64_t id = mem_stream_id(stream->mem);

	core_stream_forget(ctx, &id);
	mem_stream_destroy(stream->mem);
	free(stream);
}
