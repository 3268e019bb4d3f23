// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events. */
#include <errno.h>
#include <stdlib.h>

#include "internal.h"

#define EVENT_FLAGS	(CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | \
			 CU_EVENT_INTERPROCESS)

/**
 * core_event() - return libmem's event of a handle
 * @handle: handle, any value
 * @event: out: event
 *
 * Return: CUDA_SUCCESS or CUDA_ERROR_INVALID_HANDLE.
 */
CORE_API int core_event(CUevent handle, struct mem_event **event)
{
	if (!core_object_ctx(CORE_EVENT, handle))
		return CUDA_ERROR_INVALID_HANDLE;
	*event = handle->mem;
	return CUDA_SUCCESS;
}

/**
 * core_event_create() - create an event
 * @ctx: context
 * @flags: CU_EVENT_*; an interprocess event must have no timing
 * @event: out: event, owned by the caller: core_event_destroy()
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (no such flags),
 * CUDA_ERROR_OUT_OF_MEMORY, or core_error() of mem_event_create().
 */
CORE_API int core_event_create(struct CUctx_st *ctx, unsigned int flags,
			       CUevent *event)
{
	unsigned int mem_flags = 0;
	struct CUevent_st *new;
	int rc;

	if (flags & ~EVENT_FLAGS ||
	    (flags & CU_EVENT_INTERPROCESS &&
	     !(flags & CU_EVENT_DISABLE_TIMING)))
		return CUDA_ERROR_INVALID_VALUE;
	new = calloc(1, sizeof(*new));
	if (!new)
		return CUDA_ERROR_OUT_OF_MEMORY;
	new->ctx = ctx;
	new->flags = flags;
	if (flags & CU_EVENT_BLOCKING_SYNC)
		mem_flags |= MEM_EVENT_BLOCKING;
	if (flags & CU_EVENT_DISABLE_TIMING)
		mem_flags |= MEM_EVENT_NO_TIMING;
	rc = core_error(mem_event_create(ctx->mem, mem_flags, &new->mem));
	if (rc)
		goto err_free;
	rc = core_object_add(CORE_EVENT, new, ctx);
	if (rc)
		goto err_destroy;
	*event = new;
	return CUDA_SUCCESS;

err_destroy:
	mem_event_destroy(new->mem);
err_free:
	free(new);
	return rc;
}

/**
 * core_event_destroy() - destroy an event
 * @event: handle
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_HANDLE, or the error that ended the
 * context's work; the event is destroyed in this case, too.
 */
CORE_API int core_event_destroy(CUevent event)
{
	struct CUctx_st *ctx;

	if (!core_object_del(CORE_EVENT, event))
		return CUDA_ERROR_INVALID_HANDLE;
	ctx = event->ctx;
	core_event_drop(ctx, event);
	return core_error(mem_ctx_error(ctx->mem));
}

/* An event and a stream of two contexts are an invalid handle. */
static int event_order_error(int err)
{
	return err == -EXDEV ? CUDA_ERROR_INVALID_HANDLE : core_error(err);
}

/**
 * core_event_record() - record an event behind the present work of a stream
 * @event: handle
 * @stream: handle
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_HANDLE (no such event or stream, or
 * of two contexts), CUDA_ERROR_NOT_SUPPORTED (an event of an EGLSync), or
 * core_error() of mem_event_record().
 */
CORE_API int core_event_record(CUevent event, CUstream stream)
{
	struct mem_event *mem_event;
	struct mem_stream *mem;
	struct CUctx_st *ctx;
	int rc = core_current(&ctx);

	if (!rc)
		rc = core_event(event, &mem_event);
	if (!rc && event->is_sync)
		rc = CUDA_ERROR_NOT_SUPPORTED;
	if (!rc)
		rc = core_stream(event->ctx, stream, &mem);
	return rc ? rc : event_order_error(mem_event_record(mem_event, mem));
}

/**
 * core_event_wait() - make later work of a stream wait for an event
 * @stream: handle
 * @event: handle
 * @flags: CU_EVENT_WAIT_DEFAULT; CU_EVENT_WAIT_EXTERNAL is only for capture
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (no such flags),
 * CUDA_ERROR_INVALID_HANDLE, or core_error() of mem_stream_wait_event().
 */
CORE_API int core_event_wait(CUstream stream, CUevent event,
			     unsigned int flags)
{
	struct mem_event *mem_event;
	struct mem_stream *mem;
	struct CUctx_st *ctx;
	int rc;

	if (flags != CU_EVENT_WAIT_DEFAULT)
		return CUDA_ERROR_INVALID_VALUE;
	rc = core_current(&ctx);
	if (!rc)
		rc = core_event(event, &mem_event);
	if (!rc)
		rc = core_stream(ctx, stream, &mem);
	return rc ? rc :
		    event_order_error(mem_stream_wait_event(mem, mem_event));
}

/**
 * core_event_elapsed() - return the time between two events
 * @start: handle
 * @end: handle
 * @ms: out: milliseconds
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (@ms is NULL),
 * CUDA_ERROR_INVALID_HANDLE (no such event, without timing, or never recorded),
 * CUDA_ERROR_NOT_READY, or core_error() of mem_event_elapsed().
 */
CORE_API int core_event_elapsed(CUevent start, CUevent end, float *ms)
{
	struct mem_event *from, *to;
	int64_t ns;
	int rc;

	if (!ms)
		return CUDA_ERROR_INVALID_VALUE;
	rc = core_event(start, &from);
	if (!rc)
		rc = core_event(end, &to);
	if (rc)
		return rc;
	rc = mem_event_elapsed(from, to, &ns);
	if (rc == -EINVAL)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!rc)
		*ms = (float)((double)ns / 1e6);
	return event_order_error(rc);
}

/* Also called by core_objects_drop(). The handle is not valid any more. */
void core_event_drop(struct CUctx_st *ctx, void *object)
{
	struct CUevent_st *event = object;

	(void)ctx;
	mem_event_destroy(event->mem);
	free(event);
}
