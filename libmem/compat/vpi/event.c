// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events. */
#include <errno.h>
#include <stdlib.h>

#include "vpi.h"

/**
 * vpi_event_drop() - free an event
 * @event: event whose handle is not valid any more
 */
void vpi_event_drop(struct VPIEventImpl *event)
{
	mem_event_destroy(event->mem);
	free(event);
}

VPI_PUBLIC VPIStatus vpiEventCreate(uint64_t flags,
				    VPIEvent *event)
{
	struct VPIContextImpl *ctx;
	struct VPIEventImpl *new;
	struct mem_ctx *mem;
	VPIStatus status;
	int rc;

	VPI_ENTER();
	if (!event)
		return vpi_null("event");
	status = vpi_current(&ctx);
	if (!status)
		status = vpi_flags(ctx, &flags, VPI_OBJECT_FLAGS |
				   VPI_EVENT_DISABLE_TIMESTAMP, 0);
	if (!status)
		status = vpi_mem(&mem);
	if (status)
		return status;
	new = calloc(1, sizeof(*new));
	if (!new)
		return vpi_rc(-ENOMEM, "the event");
	rc = mem_event_create(mem, flags & VPI_EVENT_DISABLE_TIMESTAMP ?
			      MEM_EVENT_NO_TIMING : 0, &new->mem);
	if (rc) {
		free(new);
		return vpi_errno(rc, "the event");
	}
	status = vpi_object_add(new, VPI_KIND_EVENT, flags, ctx);
	if (status)
		vpi_event_drop(new);
	else
		*event = new;
	return status;
}

VPI_PUBLIC void vpiEventDestroy(VPIEvent event)
{
	if (vpi_object_del(event, VPI_KIND_EVENT))
		vpi_event_drop(event);
}

VPI_PUBLIC VPIStatus vpiEventGetFlags(VPIEvent event, uint64_t *flags)
{
	VPI_ENTER();
	return vpi_object_flags(event, VPI_KIND_EVENT, flags);
}

VPI_PUBLIC VPIStatus vpiEventRecord(VPIEvent event, VPIStream stream)
{
	VPIStatus status;

	VPI_ENTER();
	status = vpi_object_check(event, VPI_KIND_EVENT, "event");
	if (!status)
		status = vpi_stream_check(stream);
	if (status)
		return status;
	if (!(event->object.flags & stream->object.flags & VPI_BACKEND_MASK))
		return vpi_fail(VPI_ERROR_INVALID_OPERATION,
				"event and stream have no backend in common");
	return vpi_rc(mem_event_record(event->mem, stream->mem), "event");
}

VPI_PUBLIC VPIStatus vpiEventSync(VPIEvent event)
{
	VPIStatus status;

	VPI_ENTER();
	status = vpi_object_check(event, VPI_KIND_EVENT, "event");
	if (status)
		return status;
	return vpi_rc(mem_event_sync(event->mem), "event");
}

VPI_PUBLIC VPIStatus vpiEventQuery(VPIEvent event,
				   VPIEventState *state)
{
	VPIStatus status;
	int rc;

	VPI_ENTER();
	status = vpi_object_check_out(event, VPI_KIND_EVENT, "event", state,
				      "state");
	if (status)
		return status;
	rc = mem_event_query(event->mem);
	if (rc && rc != -EBUSY)
		return vpi_errno(rc, "event");
	*state = rc ? VPI_EVENT_STATE_NOT_SIGNALED : VPI_EVENT_STATE_SIGNALED;
	return VPI_SUCCESS;
}

VPI_PUBLIC VPIStatus vpiEventElapsedTimeMillis(VPIEvent start, VPIEvent end,
					       float *msec)
{
	VPIStatus status;
	int64_t ns;
	int rc;

	VPI_ENTER();
	status = vpi_object_check(start, VPI_KIND_EVENT, "start");
	if (!status)
		status = vpi_object_check_out(end, VPI_KIND_EVENT, "end", msec,
					      "msec");
	if (status)
		return status;
	if ((start->object.flags | end->object.flags) &
	    VPI_EVENT_DISABLE_TIMESTAMP)
		return vpi_fail(VPI_ERROR_INVALID_OPERATION,
				"start or end was made with VPI_EVENT_DISABLE_TIMESTAMP");
	rc = mem_event_elapsed(start->mem, end->mem, &ns);
	if (rc == -EBUSY)
		return vpi_fail(VPI_ERROR_NOT_READY,
				"start or end has not been reached: vpiEventSync() first");
	if (rc == -EINVAL)
		return vpi_fail(VPI_ERROR_NOT_READY,
				"start or end was never recorded");
	if (rc)
		return vpi_errno(rc, "start or end");
	*msec = ns / 1e6f;
	return VPI_SUCCESS;
}
