// SPDX-License-Identifier: LGPL-2.1-or-later
/* Runtime: streams and host functions. */
#include "runtime.h"

static cudaError_t runtime_stream_create(cudaStream_t *stream,
					 unsigned int flags, int priority)
{
	struct CUctx_st *ctx;
	int rc;

	if (!stream)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_current(&ctx);
	if (!rc)
		rc = core_stream_create(ctx, flags, priority, stream);
	return cudart_return(rc);
}

API cudaError_t cudaStreamCreate(cudaStream_t *pStream)
{
	return runtime_stream_create(pStream, cudaStreamDefault,
				     MEM_PRIORITY_LEAST);
}

API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream,
					  unsigned int flags)
{
	return runtime_stream_create(pStream, flags, MEM_PRIORITY_LEAST);
}

API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *pStream,
					     unsigned int flags, int priority)
{
	return runtime_stream_create(pStream, flags, priority);
}

API cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	struct CUctx_st *ctx;
	int rc = core_current(&ctx);

	return cudart_return(rc ? rc : core_stream_destroy(stream));
}

/* Finds libmem's stream of a handle in the current context. */
static int runtime_stream_find(cudaStream_t handle, struct mem_stream **stream)
{
	struct CUctx_st *ctx;
	int rc = core_current(&ctx);

	return rc ? rc : core_stream(ctx, handle, stream);
}

API cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
	struct mem_stream *mem;
	int rc = runtime_stream_find(stream, &mem);

	return cudart_return(rc ? rc : core_error(mem_stream_sync(mem)));
}

API cudaError_t cudaStreamQuery(cudaStream_t stream)
{
	struct mem_stream *mem;
	int rc = runtime_stream_find(stream, &mem);

	return cudart_return(rc ? rc : core_error(mem_stream_query(mem)));
}

API cudaError_t cudaStreamGetFlags(cudaStream_t hStream, unsigned int *flags)
{
	struct mem_stream *mem;
	int rc;

	if (!flags)
		return cudart_return(cudaErrorInvalidValue);
	rc = runtime_stream_find(hStream, &mem);
	if (rc)
		return cudart_return(rc);
	*flags = core_object_ctx(CORE_STREAM, hStream) ? hStream->flags :
							 cudaStreamDefault;
	return cudaSuccess;
}

API cudaError_t cudaStreamGetPriority(cudaStream_t hStream, int *priority)
{
	struct mem_stream *mem;
	int rc;

	if (!priority)
		return cudart_return(cudaErrorInvalidValue);
	rc = runtime_stream_find(hStream, &mem);
	if (rc)
		return cudart_return(rc);
	*priority = mem_stream_priority(mem);
	return cudaSuccess;
}

API cudaError_t cudaStreamGetId(cudaStream_t hStream,
				unsigned long long *streamId)
{
	struct mem_stream *mem;
	int rc;

	if (!streamId)
		return cudart_return(cudaErrorInvalidValue);
	rc = runtime_stream_find(hStream, &mem);
	if (rc)
		return cudart_return(rc);
	*streamId = mem_stream_id(mem);
	return cudaSuccess;
}

API cudaError_t cudaStreamGetDevice(cudaStream_t hStream, int *device)
{
	struct mem_stream *mem;
	struct CUctx_st *ctx;
	int rc;

	if (!device)
		return cudart_return(cudaErrorInvalidValue);
	rc = runtime_stream_find(hStream, &mem);
	if (rc)
		return cudart_return(rc);
	ctx = core_object_ctx(CORE_STREAM, hStream);
	*device = (ctx ? ctx : core_top())->device->ordinal;
	return cudaSuccess;
}

API cudaError_t cudaDeviceGetStreamPriorityRange(int *leastPriority,
						 int *greatestPriority)
{
	struct CUctx_st *ctx;
	int rc = core_current(&ctx);

	if (rc)
		return cudart_return(rc);
	if (leastPriority)
		*leastPriority = MEM_PRIORITY_LEAST;
	if (greatestPriority)
		*greatestPriority = MEM_PRIORITY_GREATEST;
	return cudaSuccess;
}

API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
				    unsigned int flags)
{
	return cudart_return(core_event_wait(stream, event, flags));
}

API cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr,
					 size_t length, unsigned int flags)
{
	return cudart_return(core_stream_attach(stream, devPtr, length,
						flags));
}

API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn,
				   void *userData)
{
	return cudart_return(core_stream_call(stream, fn, userData));
}

API cudaError_t cudaStreamAddCallback(cudaStream_t stream,
				      cudaStreamCallback_t callback,
				      void *userData, unsigned int flags)
{
	/* Errors have the same numbers in the runtime and the driver. */
	return cudart_return(core_stream_callback(stream,
						  (CUstreamCallback)callback,
						  userData, flags));
}

/* The runtime's union has the same members as the driver's. */
_Static_assert(sizeof(cudaLaunchAttributeValue) ==
	       sizeof(CUlaunchAttributeValue),
	       "an attribute has another value than the driver's");

API cudaError_t cudaStreamGetAttribute(cudaStream_t hStream,
				       cudaLaunchAttributeID attr,
				       cudaLaunchAttributeValue *value_out)
{
	return cudart_return(core_stream_attribute(hStream, attr,
						   (void *)value_out));
}

API cudaError_t cudaStreamSetAttribute(cudaStream_t hStream,
				       cudaLaunchAttributeID attr,
				       const cudaLaunchAttributeValue *value)
{
	return cudart_return(core_stream_set_attribute(hStream, attr,
						       (const void *)value));
}

API cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src)
{
	return cudart_return(core_stream_copy_attributes(dst, src));
}
