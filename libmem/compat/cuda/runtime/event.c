// SPDX-License-Identifier: LGPL-2.1-or-later
/* Runtime: events. */
#include "runtime.h"

API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event,
					 unsigned int flags)
{
	struct CUctx_st *ctx;
	int rc;

	if (!event)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_current(&ctx);
	if (!rc)
		rc = core_event_create(ctx, flags, event);
	return cudart_return(rc);
}

API cudaError_t cudaEventCreate(cudaEvent_t *event)
{
	return cudaEventCreateWithFlags(event, cudaEventDefault);
}

API cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	return cudart_return(core_event_destroy(event));
}

API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	return cudart_return(core_event_record(event, stream));
}

API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event,
					 cudaStream_t stream,
					 unsigned int flags)
{
	/* cudaEventRecordExternal is only for capture. */
	if (flags)
		return cudart_return(cudaErrorInvalidValue);
	return cudart_return(core_event_record(event, stream));
}

API cudaError_t cudaEventQuery(cudaEvent_t event)
{
	struct mem_event *mem;
	int rc = core_event(event, &mem);

	return cudart_return(rc ? rc : core_error(mem_event_query(mem)));
}

API cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
	struct mem_event *mem;
	int rc = core_event(event, &mem);

	return cudart_return(rc ? rc : core_error(mem_event_sync(mem)));
}

API cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start,
				     cudaEvent_t end)
{
	return cudart_return(core_event_elapsed(start, end, ms));
}
