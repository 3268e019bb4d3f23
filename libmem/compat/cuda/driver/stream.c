// SPDX-License-Identifier: LGPL-2.1-or-later
/* Driver: streams, with host functions and attaches. */
#include "driver.h"

static int driver_stream_create(CUstream *stream, unsigned int flags,
				int priority)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	return stream ? core_stream_create(ctx, flags, priority, stream) :
			CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuStreamCreate(CUstream *phStream, unsigned int Flags)
{
	return driver_stream_create(phStream, Flags, MEM_PRIORITY_LEAST);
}

API CUresult cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags,
					int priority)
{
	return driver_stream_create(phStream, flags, priority);
}

API CUresult cuStreamDestroy_v2(CUstream hStream)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_stream_destroy(hStream);
}

ALIAS(cuStreamDestroy, cuStreamDestroy_v2);

/* Finds libmem's stream of a handle in the current context. */
static int driver_stream_find(CUstream handle, struct mem_stream **stream)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_stream(ctx, handle, stream);
}

API CUresult cuStreamGetPriority(CUstream hStream, int *priority)
{
	struct mem_stream *mem;
	const int rc = driver_stream_find(hStream, &mem);

	if (rc)
		return rc;
	if (!priority)
		return CUDA_ERROR_INVALID_VALUE;
	*priority = mem_stream_priority(mem);
	return CUDA_SUCCESS;
}

PER_THREAD(cuStreamGetPriority, _ptsz);

API CUresult cuStreamGetPriority_ptsz(CUstream hStream, int *priority)
{
	return cuStreamGetPriority(driver_own(hStream), priority);
}

API CUresult cuStreamGetFlags(CUstream hStream, unsigned int *flags)
{
	struct mem_stream *mem;
	const int rc = driver_stream_find(hStream, &mem);

	if (rc)
		return rc;
	if (!flags)
		return CUDA_ERROR_INVALID_VALUE;
	*flags = core_object_ctx(CORE_STREAM, hStream) ? hStream->flags :
							 CU_STREAM_DEFAULT;
	return CUDA_SUCCESS;
}

PER_THREAD(cuStreamGetFlags, _ptsz);

API CUresult cuStreamGetFlags_ptsz(CUstream hStream, unsigned int *flags)
{
	return cuStreamGetFlags(driver_own(hStream), flags);
}

API CUresult cuStreamGetId(CUstream hStream, unsigned long long *streamId)
{
	struct mem_stream *mem;
	const int rc = driver_stream_find(hStream, &mem);

	if (rc)
		return rc;
	if (!streamId)
		return CUDA_ERROR_INVALID_VALUE;
	*streamId = mem_stream_id(mem);
	return CUDA_SUCCESS;
}

PER_THREAD(cuStreamGetId, _ptsz);

API CUresult cuStreamGetId_ptsz(CUstream hStream, unsigned long long *streamId)
{
	return cuStreamGetId(driver_own(hStream), streamId);
}

API CUresult cuStreamGetCtx(CUstream hStream, CUcontext *pctx)
{
	struct mem_stream *mem;
	struct CUctx_st *ctx;
	const int rc = driver_stream_find(hStream, &mem);

	if (rc)
		return rc;
	if (!pctx)
		return CUDA_ERROR_INVALID_VALUE;
	ctx = core_object_ctx(CORE_STREAM, hStream);
	*pctx = ctx ? ctx : core_top();
	return CUDA_SUCCESS;
}

PER_THREAD(cuStreamGetCtx, _ptsz);

API CUresult cuStreamGetCtx_ptsz(CUstream hStream, CUcontext *pctx)
{
	return cuStreamGetCtx(driver_own(hStream), pctx);
}

API CUresult cuStreamGetDevice(CUstream hStream, CUdevice *device)
{
	struct CUctx_st *ctx;
	const int rc = cuStreamGetCtx(hStream, &ctx);

	if (rc)
		return rc;
	if (!device)
		return CUDA_ERROR_INVALID_VALUE;
	*device = ctx->device->ordinal;
	return CUDA_SUCCESS;
}

PER_THREAD(cuStreamGetDevice, _ptsz);

API CUresult cuStreamGetDevice_ptsz(CUstream hStream, CUdevice *device)
{
	return cuStreamGetDevice(driver_own(hStream), device);
}

API CUresult cuStreamQuery(CUstream hStream)
{
	struct mem_stream *mem;
	const int rc = driver_stream_find(hStream, &mem);

	return rc ? rc : core_error(mem_stream_query(mem));
}

PER_THREAD(cuStreamQuery, _ptsz);

API CUresult cuStreamQuery_ptsz(CUstream hStream)
{
	return cuStreamQuery(driver_own(hStream));
}

API CUresult cuStreamSynchronize(CUstream hStream)
{
	struct mem_stream *mem;
	const int rc = driver_stream_find(hStream, &mem);

	return rc ? rc : core_error(mem_stream_sync(mem));
}

PER_THREAD(cuStreamSynchronize, _ptsz);

API CUresult cuStreamSynchronize_ptsz(CUstream hStream)
{
	return cuStreamSynchronize(driver_own(hStream));
}

API CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent,
			       unsigned int Flags)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_event_wait(hStream, hEvent, Flags);
}

PER_THREAD(cuStreamWaitEvent, _ptsz);

API CUresult cuStreamWaitEvent_ptsz(CUstream hStream, CUevent hEvent,
				    unsigned int Flags)
{
	return cuStreamWaitEvent(driver_own(hStream), hEvent, Flags);
}

API CUresult cuStreamAddCallback(CUstream hStream, CUstreamCallback callback,
				 void *userData, unsigned int flags)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_stream_callback(hStream, callback, userData,
					      flags);
}

PER_THREAD(cuStreamAddCallback, _ptsz);

API CUresult cuStreamAddCallback_ptsz(CUstream hStream,
				      CUstreamCallback callback,
				      void *userData, unsigned int flags)
{
	return cuStreamAddCallback(driver_own(hStream), callback, userData,
				   flags);
}

API CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_stream_call(hStream, fn, userData);
}

PER_THREAD(cuLaunchHostFunc, _ptsz);

API CUresult cuLaunchHostFunc_ptsz(CUstream hStream, CUhostFn fn,
				   void *userData)
{
	return cuLaunchHostFunc(driver_own(hStream), fn, userData);
}

API CUresult cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr,
				    size_t length, unsigned int flags)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_stream_attach(hStream, driver_ptr(dptr), length,
					    flags);
}

PER_THREAD(cuStreamAttachMemAsync, _ptsz);

API CUresult cuStreamAttachMemAsync_ptsz(CUstream hStream, CUdeviceptr dptr,
					 size_t length, unsigned int flags)
{
	return cuStreamAttachMemAsync(driver_own(hStream), dptr, length, flags);
}

/* Graphs are not implemented, so a stream is never captured. */
API CUresult cuStreamIsCapturing(CUstream hStream,
				 CUstreamCaptureStatus *captureStatus)
{
	struct mem_stream *mem;
	const int rc = driver_stream_find(hStream, &mem);

	if (rc)
		return rc;
	if (!captureStatus)
		return CUDA_ERROR_INVALID_VALUE;
	*captureStatus = CU_STREAM_CAPTURE_STATUS_NONE;
	return CUDA_SUCCESS;
}

PER_THREAD(cuStreamIsCapturing, _ptsz);

API CUresult cuStreamIsCapturing_ptsz(CUstream hStream,
				      CUstreamCaptureStatus *captureStatus)
{
	return cuStreamIsCapturing(driver_own(hStream), captureStatus);
}

API CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
	const int rc = driver_ready();

	return rc ? rc : core_capture_mode((unsigned int *)mode);
}

API CUresult cuStreamGetAttribute(CUstream hStream, CUstreamAttrID attr,
				  CUstreamAttrValue *value_out)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_stream_attribute(hStream, attr, value_out);
}

PER_THREAD(cuStreamGetAttribute, _ptsz);

API CUresult cuStreamGetAttribute_ptsz(CUstream hStream, CUstreamAttrID attr,
				       CUstreamAttrValue *value_out)
{
	return cuStreamGetAttribute(driver_own(hStream), attr, value_out);
}

API CUresult cuStreamSetAttribute(CUstream hStream, CUstreamAttrID attr,
				  const CUstreamAttrValue *value)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_stream_set_attribute(hStream, attr, value);
}

PER_THREAD(cuStreamSetAttribute, _ptsz);

API CUresult cuStreamSetAttribute_ptsz(CUstream hStream, CUstreamAttrID attr,
				       const CUstreamAttrValue *value)
{
	return cuStreamSetAttribute(driver_own(hStream), attr, value);
}

API CUresult cuStreamCopyAttributes(CUstream dst, CUstream src)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_stream_copy_attributes(dst, src);
}

PER_THREAD(cuStreamCopyAttributes, _ptsz);

API CUresult cuStreamCopyAttributes_ptsz(CUstream dst, CUstream src)
{
	return cuStreamCopyAttributes(driver_own(dst), driver_own(src));
}
