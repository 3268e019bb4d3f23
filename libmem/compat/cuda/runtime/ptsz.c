// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Runtime: variants of calls for a program with a default stream per thread.
 * They call the ordinary function with that stream instead of NULL. The
 * variants of synchronous calls end in _ptds and are defined next to the
 * ordinary functions.
 *
 * With CUDA_API_PER_THREAD_DEFAULT_STREAM the header declares each name as the
 * variant's; the ordinary function can only be named by its symbol.
 */
#undef LIBMEM_CUDA
#define CUDA_API_PER_THREAD_DEFAULT_STREAM
#include "cuda_runtime_api.h"

static cudaStream_t ptsz_own(cudaStream_t stream)
{
	return stream ? stream : cudaStreamPerThread;
}

#define PTSZ_OF(call, params, args)					\
	extern __typeof__(call) plain_ ## call __asm__(#call);		\
	__attribute__((visibility("default"))) cudaError_t call params	\
	{								\
		return plain_ ## call args;				\
	}

PTSZ_OF(cudaMemPrefetchAsync,
	(const void *devPtr, size_t count, struct cudaMemLocation location,
	 unsigned int flags, cudaStream_t stream),
	(devPtr, count, location, flags, ptsz_own(stream)))
PTSZ_OF(cudaMemPrefetchBatchAsync,
	(void **dptrs, size_t *sizes, size_t count,
	 struct cudaMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
	 size_t numPrefetchLocs, unsigned long long flags, cudaStream_t stream),
	(dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs,
	 flags, ptsz_own(stream)))
PTSZ_OF(cudaMemDiscardBatchAsync,
	(void **dptrs, size_t *sizes, size_t count, unsigned long long flags,
	 cudaStream_t stream),
	(dptrs, sizes, count, flags, ptsz_own(stream)))
PTSZ_OF(cudaMemDiscardAndPrefetchBatchAsync,
	(void **dptrs, size_t *sizes, size_t count,
	 struct cudaMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
	 size_t numPrefetchLocs, unsigned long long flags, cudaStream_t stream),
	(dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs,
	 flags, ptsz_own(stream)))
PTSZ_OF(cudaMemcpyAsync,
	(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
	 cudaStream_t stream),
	(dst, src, count, kind, ptsz_own(stream)))
PTSZ_OF(cudaMemcpy2DAsync,
	(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
	 size_t height, enum cudaMemcpyKind kind, cudaStream_t stream),
	(dst, dpitch, src, spitch, width, height, kind, ptsz_own(stream)))
PTSZ_OF(cudaMemcpy3DAsync,
	(const struct cudaMemcpy3DParms *p, cudaStream_t stream),
	(p, ptsz_own(stream)))
PTSZ_OF(cudaMemcpy3DPeerAsync,
	(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream),
	(p, ptsz_own(stream)))
PTSZ_OF(cudaMemsetAsync,
	(void *devPtr, int value, size_t count, cudaStream_t stream),
	(devPtr, value, count, ptsz_own(stream)))
PTSZ_OF(cudaMemset2DAsync,
	(void *devPtr, size_t pitch, int value, size_t width, size_t height,
	 cudaStream_t stream),
	(devPtr, pitch, value, width, height, ptsz_own(stream)))
PTSZ_OF(cudaMemset3DAsync,
	(struct cudaPitchedPtr pitchedDevPtr, int value,
	 struct cudaExtent extent, cudaStream_t stream),
	(pitchedDevPtr, value, extent, ptsz_own(stream)))
PTSZ_OF(cudaMemcpyBatchAsync,
	(void *const *dsts, const void *const *srcs, const size_t *sizes,
	 size_t count, struct cudaMemcpyAttributes *attrs, size_t *attrsIdxs,
	 size_t numAttrs, cudaStream_t stream),
	(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs,
	 ptsz_own(stream)))
PTSZ_OF(cudaMemcpy3DBatchAsync,
	(size_t numOps, struct cudaMemcpy3DBatchOp *opList,
	 unsigned long long flags, cudaStream_t stream),
	(numOps, opList, flags, ptsz_own(stream)))
PTSZ_OF(cudaMemcpyToSymbolAsync,
	(const void *symbol, const void *src, size_t count, size_t offset,
	 enum cudaMemcpyKind kind, cudaStream_t stream),
	(symbol, src, count, offset, kind, ptsz_own(stream)))
PTSZ_OF(cudaMemcpyFromSymbolAsync,
	(void *dst, const void *symbol, size_t count, size_t offset,
	 enum cudaMemcpyKind kind, cudaStream_t stream),
	(dst, symbol, count, offset, kind, ptsz_own(stream)))
PTSZ_OF(cudaMemcpy2DToArrayAsync,
	(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
	 size_t spitch, size_t width, size_t height, enum cudaMemcpyKind kind,
	 cudaStream_t stream),
	(dst, wOffset, hOffset, src, spitch, width, height, kind,
	 ptsz_own(stream)))
PTSZ_OF(cudaMemcpy2DFromArrayAsync,
	(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset,
	 size_t hOffset, size_t width, size_t height, enum cudaMemcpyKind kind,
	 cudaStream_t stream),
	(dst, dpitch, src, wOffset, hOffset, width, height, kind,
	 ptsz_own(stream)))
PTSZ_OF(cudaMemcpyToArrayAsync,
	(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
	 size_t count, enum cudaMemcpyKind kind, cudaStream_t stream),
	(dst, wOffset, hOffset, src, count, kind, ptsz_own(stream)))
PTSZ_OF(cudaMemcpyFromArrayAsync,
	(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset,
	 size_t count, enum cudaMemcpyKind kind, cudaStream_t stream),
	(dst, src, wOffset, hOffset, count, kind, ptsz_own(stream)))
PTSZ_OF(cudaStreamGetPriority,
	(cudaStream_t hStream, int *priority),
	(ptsz_own(hStream), priority))
PTSZ_OF(cudaStreamGetFlags,
	(cudaStream_t hStream, unsigned int *flags),
	(ptsz_own(hStream), flags))
PTSZ_OF(cudaStreamGetId,
	(cudaStream_t hStream, unsigned long long *streamId),
	(ptsz_own(hStream), streamId))
PTSZ_OF(cudaStreamGetDevice,
	(cudaStream_t hStream, int *device),
	(ptsz_own(hStream), device))
PTSZ_OF(cudaStreamQuery,
	(cudaStream_t stream),
	(ptsz_own(stream)))
PTSZ_OF(cudaStreamSynchronize,
	(cudaStream_t stream),
	(ptsz_own(stream)))
PTSZ_OF(cudaStreamWaitEvent,
	(cudaStream_t stream, cudaEvent_t event, unsigned int flags),
	(ptsz_own(stream), event, flags))
PTSZ_OF(cudaStreamAddCallback,
	(cudaStream_t stream, cudaStreamCallback_t callback, void *userData,
	 unsigned int flags),
	(ptsz_own(stream), callback, userData, flags))
PTSZ_OF(cudaLaunchHostFunc,
	(cudaStream_t stream, cudaHostFn_t fn, void *userData),
	(ptsz_own(stream), fn, userData))
PTSZ_OF(cudaStreamAttachMemAsync,
	(cudaStream_t stream, void *devPtr, size_t length, unsigned int flags),
	(ptsz_own(stream), devPtr, length, flags))
PTSZ_OF(cudaStreamCopyAttributes,
	(cudaStream_t dst, cudaStream_t src),
	(ptsz_own(dst), ptsz_own(src)))
PTSZ_OF(cudaStreamGetAttribute,
	(cudaStream_t hStream, cudaLaunchAttributeID attr,
	 union cudaLaunchAttributeValue *value_out),
	(ptsz_own(hStream), attr, value_out))
PTSZ_OF(cudaStreamSetAttribute,
	(cudaStream_t hStream, cudaLaunchAttributeID attr,
	 const union cudaLaunchAttributeValue *value),
	(ptsz_own(hStream), attr, value))
PTSZ_OF(cudaEventRecord,
	(cudaEvent_t event, cudaStream_t stream),
	(event, ptsz_own(stream)))
PTSZ_OF(cudaEventRecordWithFlags,
	(cudaEvent_t event, cudaStream_t stream, unsigned int flags),
	(event, ptsz_own(stream), flags))
PTSZ_OF(cudaLaunchKernel,
	(const void *func, dim3 gridDim, dim3 blockDim, void **args,
	 size_t sharedMem, cudaStream_t stream),
	(func, gridDim, blockDim, args, sharedMem, ptsz_own(stream)))
PTSZ_OF(cudaLaunchKernelExC,
	(const cudaLaunchConfig_t *config, const void *func, void **args),
	(config ? &(const cudaLaunchConfig_t){
		.gridDim = config->gridDim,
		.blockDim = config->blockDim,
		.dynamicSmemBytes = config->dynamicSmemBytes,
		.stream = ptsz_own(config->stream),
		.attrs = config->attrs,
		.numAttrs = config->numAttrs,
	} : NULL, func, args))
PTSZ_OF(cudaLaunchCooperativeKernel,
	(const void *func, dim3 gridDim, dim3 blockDim, void **args,
	 size_t sharedMem, cudaStream_t stream),
	(func, gridDim, blockDim, args, sharedMem, ptsz_own(stream)))
PTSZ_OF(cudaSignalExternalSemaphoresAsync,
	(const cudaExternalSemaphore_t *extSemArray,
	 const struct cudaExternalSemaphoreSignalParams *paramsArray,
	 unsigned int numExtSems, cudaStream_t stream),
	(extSemArray, paramsArray, numExtSems, ptsz_own(stream)))
PTSZ_OF(cudaWaitExternalSemaphoresAsync,
	(const cudaExternalSemaphore_t *extSemArray,
	 const struct cudaExternalSemaphoreWaitParams *paramsArray,
	 unsigned int numExtSems, cudaStream_t stream),
	(extSemArray, paramsArray, numExtSems, ptsz_own(stream)))
PTSZ_OF(cudaMallocAsync,
	(void **devPtr, size_t size, cudaStream_t hStream),
	(devPtr, size, ptsz_own(hStream)))
PTSZ_OF(cudaFreeAsync,
	(void *devPtr, cudaStream_t hStream),
	(devPtr, ptsz_own(hStream)))
PTSZ_OF(cudaMallocFromPoolAsync,
	(void **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream),
	(ptr, size, memPool, ptsz_own(stream)))
PTSZ_OF(cudaStreamIsCapturing,
	(cudaStream_t stream, enum cudaStreamCaptureStatus *pCaptureStatus),
	(ptsz_own(stream), pCaptureStatus))
