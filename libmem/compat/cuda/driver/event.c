// SPDX-License-Identifier: LGPL-2.1-or-later
/* Driver: events. */
#include "driver.h"

API CUresult cuEventCreate(CUevent *phEvent, unsigned int Flags)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	return phEvent ? core_event_create(ctx, Flags, phEvent) :
			 CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuEventDestroy_v2(CUevent hEvent)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_event_destroy(hEvent);
}

ALIAS(cuEventDestroy, cuEventDestroy_v2);

API CUresult cuEventRecord(CUevent hEvent, CUstream hStream)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_event_record(hEvent, hStream);
}

PER_THREAD(cuEventRecord, _ptsz);

API CUresult cuEventRecord_ptsz(CUevent hEvent, CUstream hStream)
{
	return cuEventRecord(hEvent, driver_own(hStream));
}

API CUresult cuEventRecordWithFlags(CUevent hEvent, CUstream hStream,
				    unsigned int flags)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	/* CU_EVENT_RECORD_EXTERNAL is only for capture. */
	if (flags)
		return CUDA_ERROR_INVALID_VALUE;
	return core_event_record(hEvent, hStream);
}

PER_THREAD(cuEventRecordWithFlags, _ptsz);

API CUresult cuEventRecordWithFlags_ptsz(CUevent hEvent, CUstream hStream,
					 unsigned int flags)
{
	return cuEventRecordWithFlags(hEvent, driver_own(hStream), flags);
}

static int driver_event_find(CUevent handle, struct mem_event **event)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_event(handle, event);
}

API CUresult cuEventQuery(CUevent hEvent)
{
	struct mem_event *mem;
	const int rc = driver_event_find(hEvent, &mem);

	return rc ? rc : core_error(mem_event_query(mem));
}

API CUresult cuEventSynchronize(CUevent hEvent)
{
	struct mem_event *mem;
	const int rc = driver_event_find(hEvent, &mem);

	return rc ? rc : core_error(mem_event_sync(mem));
}

API CUresult cuEventElapsedTime_v2(float *pMilliseconds, CUevent hStart,
				   CUevent hEnd)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_event_elapsed(hStart, hEnd, pMilliseconds);
}

ALIAS(cuEventElapsedTime, cuEventElapsedTime_v2);
