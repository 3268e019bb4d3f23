/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The CUDA runtime's calls over libmem: libmem-cudart.
 *
 * Version: CUDART_VERSION is 13000 unless the program says another one before
 * its first header: -DCUDART_VERSION=10020, 11040 or 12060. Then calls have the
 * parameters of that version, and what it still had is declared:
 * - A call whose parameters have changed is a macro for a symbol whose suffix
 *   is the last version that had them so: cudaMemAdvise is cudaMemAdvise_12060
 *   for 12060 and before. Without a suffix a symbol is 13.0's.
 * - Structures have one layout in all versions, that of 13.0. Fields that only
 *   older versions had have their names in what 13.0 reserves, and newer fields
 *   stay: objects that were built for different versions may be linked.
 * - Enumerations have the values of all versions.
 *
 * Per-thread default stream: with CUDA_API_PER_THREAD_DEFAULT_STREAM defined
 * before the first header, a call that takes a stream, or uses the default one,
 * is a macro for its symbol with _ptsz or _ptds: 0 is cudaStreamPerThread.
 *
 * Errors: a call answers its error, and cudaGetLastError() tells the thread's
 * last one again. What ends all work (an illegal address, a kernel that did not
 * return, or ran for too long) is answered from then on by every call that
 * needs the device. Every call that may wait may answer an error of earlier
 * work; below, only a call's own errors are listed.
 *
 * Calls without a text of their own exist, so that programs link: they answer
 * cudaErrorNotSupported, and the report names them (Documentation/cuda.rst).
 */
#ifndef __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_API_H__

#include "host_defines.h"
#include "builtin_types.h"
#include "cuda_device_runtime_api.h"

/* A default argument, where the language has them */
#ifdef __cplusplus
#define __dv(v)	= v
#else
#define __dv(v)
#endif

/*
 * libmem-cudart itself is built with LIBMEM_CUDA defined: it has all symbols
 * and all fields.
 */
#ifndef LIBMEM_CUDA

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define CUDART_PTDS(call)	call ## _ptds
#define CUDART_PTSZ(call)	call ## _ptsz
#else
#define CUDART_PTDS(call)	call
#define CUDART_PTSZ(call)	call
#endif

#if CUDART_VERSION < 11000
#define cudaPointerGetAttributes	cudaPointerGetAttributes_10020
#endif

#if CUDART_VERSION < 12000
#define cudaStreamGetCaptureInfo \
	CUDART_PTSZ(cudaStreamGetCaptureInfo_11040)
#define cudaGraphInstantiate	cudaGraphInstantiate_11040
#define cudaGraphExecUpdate	cudaGraphExecUpdate_11040
#define cudaGetDriverEntryPoint	CUDART_PTSZ(cudaGetDriverEntryPoint_11040)
#endif

#if CUDART_VERSION < 13000
#define cudaMemAdvise	cudaMemAdvise_12060
#define cudaMemPrefetchAsync	CUDART_PTSZ(cudaMemPrefetchAsync_12060)
#if CUDART_VERSION >= 12000
#define cudaStreamGetCaptureInfo \
	CUDART_PTSZ(cudaStreamGetCaptureInfo_12060)
#endif
#define cudaStreamUpdateCaptureDependencies \
	CUDART_PTSZ(cudaStreamUpdateCaptureDependencies_12060)
#define cudaGraphGetEdges	cudaGraphGetEdges_12060
#define cudaGraphNodeGetDependencies	cudaGraphNodeGetDependencies_12060
#define cudaGraphNodeGetDependentNodes	cudaGraphNodeGetDependentNodes_12060
#define cudaGraphAddDependencies	cudaGraphAddDependencies_12060
#define cudaGraphRemoveDependencies	cudaGraphRemoveDependencies_12060
#define cudaGraphAddNode	cudaGraphAddNode_12060
#endif

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define cudaMemcpy	cudaMemcpy_ptds
#define cudaMemcpyToSymbol	cudaMemcpyToSymbol_ptds
#define cudaMemcpyFromSymbol	cudaMemcpyFromSymbol_ptds
#define cudaMemcpy2D	cudaMemcpy2D_ptds
#define cudaMemcpyToArray	cudaMemcpyToArray_ptds
#define cudaMemcpy2DToArray	cudaMemcpy2DToArray_ptds
#define cudaMemcpyFromArray	cudaMemcpyFromArray_ptds
#define cudaMemcpy2DFromArray	cudaMemcpy2DFromArray_ptds
#define cudaMemcpyArrayToArray	cudaMemcpyArrayToArray_ptds
#define cudaMemcpy2DArrayToArray	cudaMemcpy2DArrayToArray_ptds
#define cudaMemcpy3D	cudaMemcpy3D_ptds
#define cudaMemcpy3DPeer	cudaMemcpy3DPeer_ptds
#define cudaMemset	cudaMemset_ptds
#define cudaMemset2D	cudaMemset2D_ptds
#define cudaMemset3D	cudaMemset3D_ptds
#define cudaGraphInstantiateWithParams	cudaGraphInstantiateWithParams_ptsz
#define cudaGraphUpload	cudaGraphUpload_ptsz
#define cudaGraphLaunch	cudaGraphLaunch_ptsz
#define cudaStreamBeginCapture	cudaStreamBeginCapture_ptsz
#define cudaStreamBeginCaptureToGraph	cudaStreamBeginCaptureToGraph_ptsz
#define cudaStreamEndCapture	cudaStreamEndCapture_ptsz
#define cudaStreamGetCaptureInfo_v3	cudaStreamGetCaptureInfo_v3_ptsz
#define cudaStreamUpdateCaptureDependencies_v2 \
	cudaStreamUpdateCaptureDependencies_v2_ptsz
#define cudaStreamIsCapturing	cudaStreamIsCapturing_ptsz
#define cudaMemcpyAsync	cudaMemcpyAsync_ptsz
#define cudaMemcpyToSymbolAsync	cudaMemcpyToSymbolAsync_ptsz
#define cudaMemcpyFromSymbolAsync	cudaMemcpyFromSymbolAsync_ptsz
#define cudaMemcpy2DAsync	cudaMemcpy2DAsync_ptsz
#define cudaMemcpyToArrayAsync	cudaMemcpyToArrayAsync_ptsz
#define cudaMemcpy2DToArrayAsync	cudaMemcpy2DToArrayAsync_ptsz
#define cudaMemcpyFromArrayAsync	cudaMemcpyFromArrayAsync_ptsz
#define cudaMemcpy2DFromArrayAsync	cudaMemcpy2DFromArrayAsync_ptsz
#define cudaMemcpy3DAsync	cudaMemcpy3DAsync_ptsz
#define cudaMemcpy3DPeerAsync	cudaMemcpy3DPeerAsync_ptsz
#define cudaMemsetAsync	cudaMemsetAsync_ptsz
#define cudaMemset2DAsync	cudaMemset2DAsync_ptsz
#define cudaMemset3DAsync	cudaMemset3DAsync_ptsz
#define cudaStreamQuery	cudaStreamQuery_ptsz
#define cudaStreamGetFlags	cudaStreamGetFlags_ptsz
#define cudaStreamGetId	cudaStreamGetId_ptsz
#define cudaStreamGetPriority	cudaStreamGetPriority_ptsz
#define cudaEventRecord	cudaEventRecord_ptsz
#define cudaEventRecordWithFlags	cudaEventRecordWithFlags_ptsz
#define cudaStreamWaitEvent	cudaStreamWaitEvent_ptsz
#define cudaStreamAddCallback	cudaStreamAddCallback_ptsz
#define cudaStreamAttachMemAsync	cudaStreamAttachMemAsync_ptsz
#define cudaStreamSynchronize	cudaStreamSynchronize_ptsz
#define cudaLaunchKernel	cudaLaunchKernel_ptsz
#define cudaLaunchKernelExC	cudaLaunchKernelExC_ptsz
#define cudaLaunchHostFunc	cudaLaunchHostFunc_ptsz
#define cudaMemPrefetchAsync_v2	cudaMemPrefetchAsync_v2_ptsz
#define cudaLaunchCooperativeKernel	cudaLaunchCooperativeKernel_ptsz
#define cudaStreamCopyAttributes	cudaStreamCopyAttributes_ptsz
#define cudaStreamGetAttribute	cudaStreamGetAttribute_ptsz
#define cudaStreamSetAttribute	cudaStreamSetAttribute_ptsz
#define cudaMallocAsync	cudaMallocAsync_ptsz
#define cudaFreeAsync	cudaFreeAsync_ptsz
#define cudaMallocFromPoolAsync	cudaMallocFromPoolAsync_ptsz
#define cudaSignalExternalSemaphoresAsync \
	cudaSignalExternalSemaphoresAsync_ptsz
#define cudaWaitExternalSemaphoresAsync	cudaWaitExternalSemaphoresAsync_ptsz
#define cudaStreamGetDevice	cudaStreamGetDevice_ptsz
#define cudaMemcpyBatchAsync	cudaMemcpyBatchAsync_ptsz
#define cudaMemcpy3DBatchAsync	cudaMemcpy3DBatchAsync_ptsz
#define cudaMemPrefetchBatchAsync	cudaMemPrefetchBatchAsync_ptsz
#define cudaMemDiscardBatchAsync	cudaMemDiscardBatchAsync_ptsz
#define cudaMemDiscardAndPrefetchBatchAsync \
	cudaMemDiscardAndPrefetchBatchAsync_ptsz
#define cudaGetDriverEntryPointByVersion \
	cudaGetDriverEntryPointByVersion_ptsz
#if CUDART_VERSION >= 13000
#define cudaMemPrefetchAsync	cudaMemPrefetchAsync_ptsz
#define cudaStreamGetCaptureInfo	cudaStreamGetCaptureInfo_ptsz
#define cudaStreamUpdateCaptureDependencies \
	cudaStreamUpdateCaptureDependencies_ptsz
#endif
#if CUDART_VERSION >= 12000
#define cudaGetDriverEntryPoint	cudaGetDriverEntryPoint_ptsz
#endif
#endif

#endif
#ifdef __cplusplus
extern "C" {
#endif

/* Errors */
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);

/* Devices */
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaInitDevice(int device, unsigned int deviceFlags,
			   unsigned int flags);
cudaError_t cudaSetValidDevices(int *device_arr, int len);
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop);
cudaError_t cudaSetDeviceFlags(unsigned int flags);
cudaError_t cudaGetDeviceFlags(unsigned int *flags);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr,
				   int device);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *pValue, enum cudaLimit limit);
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *pCacheConfig);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache cacheConfig);
cudaError_t cudaDeviceGetStreamPriorityRange(int *leastPriority,
					     int *greatestPriority);
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *pciBusId);
cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device);
cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements,
		const struct cudaChannelFormatDesc *fmtDesc, int device);
cudaError_t cudaDeviceCanAccessPeer(int *canAccessPeer, int device,
				    int peerDevice);
cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags);
cudaError_t cudaDeviceDisablePeerAccess(int peerDevice);
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr,
				      int srcDevice, int dstDevice);
cudaError_t
cudaDeviceFlushGPUDirectRDMAWrites(enum cudaFlushGPUDirectRDMAWritesTarget target,
		enum cudaFlushGPUDirectRDMAWritesScope scope);
cudaError_t cudaDriverGetVersion(int *driverVersion);
cudaError_t cudaRuntimeGetVersion(int *runtimeVersion);
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *pConfig);
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config);
cudaError_t cudaCtxResetPersistingL2Cache(void);
cudaError_t
cudaDeviceGetHostAtomicCapabilities(unsigned int *capabilities,
				    const enum cudaAtomicOperation *operations,
				    unsigned int count, int device);
cudaError_t
cudaDeviceGetP2PAtomicCapabilities(unsigned int *capabilities,
				   const enum cudaAtomicOperation *operations,
				   unsigned int count, int srcDevice,
				   int dstDevice);
cudaError_t
cudaDeviceRegisterAsyncNotification(int device, cudaAsyncCallback callbackFunc,
				    void *userData,
				    cudaAsyncCallbackHandle_t *callback);
cudaError_t
cudaDeviceUnregisterAsyncNotification(int device,
				      cudaAsyncCallbackHandle_t callback);
cudaError_t cudaDeviceGetNvSciSyncAttributes(void *nvSciSyncAttrList,
					     int device, int flags);

/* Memory */
cudaError_t cudaMalloc(void **devPtr, size_t size);
cudaError_t cudaMallocManaged(void **devPtr, size_t size,
			      unsigned int flags __dv(1));
cudaError_t cudaMallocHost(void **ptr, size_t size);
cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned int flags);
cudaError_t cudaMallocPitch(void **devPtr, size_t *pitch, size_t width,
			    size_t height);
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitchedDevPtr,
			 struct cudaExtent extent);
cudaError_t cudaFree(void *devPtr);
cudaError_t cudaFreeHost(void *ptr);
cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int flags);
cudaError_t cudaHostUnregister(void *ptr);
cudaError_t cudaHostGetDevicePointer(void **pDevice, void *pHost,
				     unsigned int flags);
cudaError_t cudaHostGetFlags(unsigned int *pFlags, void *pHost);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
				     const void *ptr);
cudaError_t cudaMemGetInfo(size_t *free, size_t *total);

/* Managed memory: who uses it where. 13.0 has locations for device numbers. */
#if CUDART_VERSION >= 13000 || defined(LIBMEM_CUDA)
cudaError_t cudaMemAdvise(const void *devPtr, size_t count,
			  enum cudaMemoryAdvise advice,
			  struct cudaMemLocation location);
cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count,
				 struct cudaMemLocation location,
				 unsigned int flags,
				 cudaStream_t stream __dv(0));
#endif
#if CUDART_VERSION < 13000
cudaError_t cudaMemAdvise(const void *devPtr, size_t count,
			  enum cudaMemoryAdvise advice, int device);
cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count,
				 int dstDevice, cudaStream_t stream __dv(0));
#endif
#if CUDART_VERSION == 12060 || defined(LIBMEM_CUDA)
cudaError_t cudaMemAdvise_v2(const void *devPtr, size_t count,
			     enum cudaMemoryAdvise advice,
			     struct cudaMemLocation location);
cudaError_t cudaMemPrefetchAsync_v2(const void *devPtr, size_t count,
				    struct cudaMemLocation location,
				    unsigned int flags,
				    cudaStream_t stream __dv(0));
#endif
cudaError_t cudaMemRangeGetAttribute(void *data, size_t dataSize,
				     enum cudaMemRangeAttribute attribute,
				     const void *devPtr, size_t count);
cudaError_t cudaMemRangeGetAttributes(void **data, size_t *dataSizes,
				      enum cudaMemRangeAttribute *attributes,
				      size_t numAttributes, const void *devPtr,
				      size_t count);
cudaError_t cudaMemPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
				      struct cudaMemLocation *prefetchLocs,
				      size_t *prefetchLocIdxs,
				      size_t numPrefetchLocs,
				      unsigned long long flags,
				      cudaStream_t stream);
cudaError_t cudaMemDiscardBatchAsync(void **dptrs, size_t *sizes, size_t count,
				     unsigned long long flags,
				     cudaStream_t stream);
cudaError_t
cudaMemDiscardAndPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
				    struct cudaMemLocation *prefetchLocs,
				    size_t *prefetchLocIdxs,
				    size_t numPrefetchLocs,
				    unsigned long long flags,
				    cudaStream_t stream);

/* Copies */
cudaError_t cudaMemcpy(void *dst, const void *src, size_t count,
		       enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count,
			    enum cudaMemcpyKind kind,
			    cudaStream_t stream __dv(0));
cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src,
			 size_t spitch, size_t width, size_t height,
			 enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src,
			      size_t spitch, size_t width, size_t height,
			      enum cudaMemcpyKind kind,
			      cudaStream_t stream __dv(0));
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p);
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p,
			      cudaStream_t stream __dv(0));
cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src,
			   int srcDevice, size_t count);
cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src,
				int srcDevice, size_t count,
				cudaStream_t stream __dv(0));
cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p);
cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p,
				  cudaStream_t stream __dv(0));
cudaError_t cudaMemset(void *devPtr, int value, size_t count);
cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count,
			    cudaStream_t stream __dv(0));
cudaError_t cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width,
			 size_t height);
cudaError_t cudaMemset2DAsync(void *devPtr, size_t pitch, int value,
			      size_t width, size_t height,
			      cudaStream_t stream __dv(0));
cudaError_t cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value,
			 struct cudaExtent extent);
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value,
			      struct cudaExtent extent,
			      cudaStream_t stream __dv(0));
cudaError_t cudaMemcpyBatchAsync(void *const *dsts, const void *const *srcs,
				 const size_t *sizes, size_t count,
				 struct cudaMemcpyAttributes *attrs,
				 size_t *attrsIdxs, size_t numAttrs,
				 cudaStream_t stream);
cudaError_t cudaMemcpy3DBatchAsync(size_t numOps,
				   struct cudaMemcpy3DBatchOp *opList,
				   unsigned long long flags,
				   cudaStream_t stream);

/* Variables of the device */
cudaError_t cudaGetSymbolAddress(void **devPtr, const void *symbol);
cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol);
cudaError_t
cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count,
		   size_t offset __dv(0),
		   enum cudaMemcpyKind kind __dv(cudaMemcpyHostToDevice));
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src,
				    size_t count, size_t offset,
				    enum cudaMemcpyKind kind,
				    cudaStream_t stream __dv(0));
cudaError_t
cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count,
		     size_t offset __dv(0),
		     enum cudaMemcpyKind kind __dv(cudaMemcpyDeviceToHost));
cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol,
				      size_t count, size_t offset,
				      enum cudaMemcpyKind kind,
				      cudaStream_t stream __dv(0));

/* Arrays */
struct cudaChannelFormatDesc
cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f);
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc,
			       cudaArray_const_t array);
cudaError_t cudaMallocArray(cudaArray_t *array,
			    const struct cudaChannelFormatDesc *desc,
			    size_t width, size_t height __dv(0),
			    unsigned int flags __dv(0));
cudaError_t cudaMalloc3DArray(cudaArray_t *array,
			      const struct cudaChannelFormatDesc *desc,
			      struct cudaExtent extent,
			      unsigned int flags __dv(0));
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmappedArray,
				     const struct cudaChannelFormatDesc *desc,
				     struct cudaExtent extent,
				     unsigned int numLevels,
				     unsigned int flags __dv(0));
cudaError_t
cudaGetMipmappedArrayLevel(cudaArray_t *levelArray,
			   cudaMipmappedArray_const_t mipmappedArray,
			   unsigned int level);
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray);
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc,
			     struct cudaExtent *extent, unsigned int *flags,
			     cudaArray_t array);
cudaError_t cudaArrayGetPlane(cudaArray_t *pPlaneArray, cudaArray_t hArray,
			      unsigned int planeIdx);
cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset,
				const void *src, size_t spitch, size_t width,
				size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset,
				     size_t hOffset, const void *src,
				     size_t spitch, size_t width, size_t height,
				     enum cudaMemcpyKind kind,
				     cudaStream_t stream __dv(0));
cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch,
				  cudaArray_const_t src, size_t wOffset,
				  size_t hOffset, size_t width, size_t height,
				  enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch,
				       cudaArray_const_t src, size_t wOffset,
				       size_t hOffset, size_t width,
				       size_t height, enum cudaMemcpyKind kind,
				       cudaStream_t stream __dv(0));
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst,
		size_t hOffsetDst, cudaArray_const_t src, size_t wOffsetSrc,
		size_t hOffsetSrc, size_t width, size_t height,
		enum cudaMemcpyKind kind __dv(cudaMemcpyDeviceToDevice));
cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset,
			      const void *src, size_t count,
			      enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset,
				   size_t hOffset, const void *src,
				   size_t count, enum cudaMemcpyKind kind,
				   cudaStream_t stream __dv(0));
cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src,
				size_t wOffset, size_t hOffset, size_t count,
				enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src,
				     size_t wOffset, size_t hOffset,
				     size_t count, enum cudaMemcpyKind kind,
				     cudaStream_t stream __dv(0));
cudaError_t
cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
		       cudaArray_const_t src, size_t wOffsetSrc,
		       size_t hOffsetSrc, size_t count,
		       enum cudaMemcpyKind kind __dv(cudaMemcpyDeviceToDevice));
cudaError_t
cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *memoryRequirements,
		cudaArray_t array, int device);
cudaError_t
cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *memoryRequirements,
		cudaMipmappedArray_t mipmap, int device);
cudaError_t
cudaArrayGetSparseProperties(struct cudaArraySparseProperties *sparseProperties,
			     cudaArray_t array);
cudaError_t
cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties *sparseProperties,
		cudaMipmappedArray_t mipmap);

/* Texture and surface objects */
cudaError_t
cudaCreateTextureObject(cudaTextureObject_t *pTexObject,
			const struct cudaResourceDesc *pResDesc,
			const struct cudaTextureDesc *pTexDesc,
			const struct cudaResourceViewDesc *pResViewDesc);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texObject);
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *pResDesc,
					     cudaTextureObject_t texObject);
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *pTexDesc,
					    cudaTextureObject_t texObject);
cudaError_t
cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *pResViewDesc,
				     cudaTextureObject_t texObject);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *pSurfObject,
				    const struct cudaResourceDesc *pResDesc);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject);
cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *pResDesc,
					     cudaSurfaceObject_t surfObject);

/* Streams */
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status,
				     void *userData);

cudaError_t cudaStreamCreate(cudaStream_t *pStream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream,
				      unsigned int flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *pStream,
					 unsigned int flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamGetPriority(cudaStream_t hStream, int *priority);
cudaError_t cudaStreamGetFlags(cudaStream_t hStream, unsigned int *flags);
cudaError_t cudaStreamGetId(cudaStream_t hStream, unsigned long long *streamId);
cudaError_t cudaStreamGetDevice(cudaStream_t hStream, int *device);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
				unsigned int flags __dv(0));
cudaError_t cudaStreamAddCallback(cudaStream_t stream,
				  cudaStreamCallback_t callback, void *userData,
				  unsigned int flags);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn,
			       void *userData);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr,
				     size_t length __dv(0),
				     unsigned int flags __dv(4));
cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src);
cudaError_t cudaStreamGetAttribute(cudaStream_t hStream,
				   cudaLaunchAttributeID attr,
				   cudaLaunchAttributeValue *value_out);
cudaError_t cudaStreamSetAttribute(cudaStream_t hStream,
				   cudaLaunchAttributeID attr,
				   const cudaLaunchAttributeValue *value);

/* Events */
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream __dv(0));
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event,
				     cudaStream_t stream __dv(0),
				     unsigned int flags __dv(0));
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end);

/* Kernels */
cudaError_t cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim,
			     void **args, size_t sharedMem,
			     cudaStream_t stream);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
				const void *func, void **args);
cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 gridDim,
					dim3 blockDim, void **args,
					size_t sharedMem, cudaStream_t stream);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr,
				  const void *func);
cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr,
				 int value);
cudaError_t cudaFuncSetCacheConfig(const void *func,
				   enum cudaFuncCache cacheConfig);
cudaError_t cudaFuncSetSharedMemConfig(const void *func,
				       enum cudaSharedMemConfig config);
cudaError_t cudaFuncGetName(const char **name, const void *func);
cudaError_t cudaFuncGetParamInfo(const void *func, size_t paramIndex,
				 size_t *paramOffset, size_t *paramSize);
cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func,
					      int blockSize,
					      size_t dynamicSMemSize);
cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks,
						       const void *func,
						       int blockSize,
						       size_t dynamicSMemSize,
						       unsigned int flags);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize,
						      const void *func,
						      int numBlocks,
						      int blockSize);
cudaError_t
cudaOccupancyMaxPotentialClusterSize(int *clusterSize, const void *func,
				     const cudaLaunchConfig_t *launchConfig);
cudaError_t
cudaOccupancyMaxActiveClusters(int *numClusters, const void *func,
			       const cudaLaunchConfig_t *launchConfig);
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *functionPtr,
				const void *symbolPtr);
cudaError_t cudaGetKernel(cudaKernel_t *kernelPtr, const void *entryFuncAddr);

/* Other processes */
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle,
				  cudaEvent_t event);
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event,
				   cudaIpcEventHandle_t handle);
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *devPtr);
cudaError_t cudaIpcOpenMemHandle(void **devPtr, cudaIpcMemHandle_t handle,
				 unsigned int flags);
cudaError_t cudaIpcCloseMemHandle(void *devPtr);

/* Memory and semaphores of others */
cudaError_t cudaImportExternalMemory(cudaExternalMemory_t *extMem_out,
		const struct cudaExternalMemoryHandleDesc *memHandleDesc);
cudaError_t cudaExternalMemoryGetMappedBuffer(void **devPtr,
		cudaExternalMemory_t extMem,
		const struct cudaExternalMemoryBufferDesc *bufferDesc);
cudaError_t
cudaExternalMemoryGetMappedMipmappedArray(cudaMipmappedArray_t *mipmap,
		cudaExternalMemory_t extMem,
		const struct cudaExternalMemoryMipmappedArrayDesc *mipmapDesc);
cudaError_t cudaDestroyExternalMemory(cudaExternalMemory_t extMem);
cudaError_t cudaImportExternalSemaphore(cudaExternalSemaphore_t *extSem_out,
		const struct cudaExternalSemaphoreHandleDesc *semHandleDesc);
cudaError_t
cudaSignalExternalSemaphoresAsync(const cudaExternalSemaphore_t *extSemArray,
		const struct cudaExternalSemaphoreSignalParams *paramsArray,
		unsigned int numExtSems, cudaStream_t stream __dv(0));
cudaError_t
cudaWaitExternalSemaphoresAsync(const cudaExternalSemaphore_t *extSemArray,
		const struct cudaExternalSemaphoreWaitParams *paramsArray,
		unsigned int numExtSems, cudaStream_t stream __dv(0));
cudaError_t cudaDestroyExternalSemaphore(cudaExternalSemaphore_t extSem);

/* Memory in order of a stream, and pools */
cudaError_t cudaMallocAsync(void **devPtr, size_t size, cudaStream_t hStream);
cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t hStream);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t memPool);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool,
				    enum cudaMemPoolAttr attr, void *value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool,
				    enum cudaMemPoolAttr attr, void *value);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t memPool,
				 const struct cudaMemAccessDesc *descList,
				 size_t count);
cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags,
				 cudaMemPool_t memPool,
				 struct cudaMemLocation *location);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *memPool,
			      const struct cudaMemPoolProps *poolProps);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool);
cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size,
				    cudaMemPool_t memPool, cudaStream_t stream);
cudaError_t
cudaMemPoolExportToShareableHandle(void *shareableHandle, cudaMemPool_t memPool,
				   enum cudaMemAllocationHandleType handleType,
				   unsigned int flags);
cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *memPool,
		void *shareableHandle,
		enum cudaMemAllocationHandleType handleType,
		unsigned int flags);
cudaError_t
cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *exportData,
			 void *ptr);
cudaError_t
cudaMemPoolImportPointer(void **ptr, cudaMemPool_t memPool,
			 struct cudaMemPoolPtrExportData *exportData);
cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *memPool,
				     struct cudaMemLocation *location,
				     enum cudaMemAllocationType type);
cudaError_t cudaMemGetMemPool(cudaMemPool_t *memPool,
			      struct cudaMemLocation *location,
			      enum cudaMemAllocationType type);
cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location,
			      enum cudaMemAllocationType type,
			      cudaMemPool_t memPool);

/* Graphics */
cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t resource);
cudaError_t cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t resource,
					    unsigned int flags);
cudaError_t cudaGraphicsMapResources(int count,
				     cudaGraphicsResource_t *resources,
				     cudaStream_t stream __dv(0));
cudaError_t cudaGraphicsUnmapResources(int count,
				       cudaGraphicsResource_t *resources,
				       cudaStream_t stream __dv(0));
cudaError_t
cudaGraphicsResourceGetMappedPointer(void **devPtr, size_t *size,
				     cudaGraphicsResource_t resource);
cudaError_t
cudaGraphicsSubResourceGetMappedArray(cudaArray_t *array,
				      cudaGraphicsResource_t resource,
				      unsigned int arrayIndex,
				      unsigned int mipLevel);
cudaError_t
cudaGraphicsResourceGetMappedMipmappedArray(cudaMipmappedArray_t *mipmappedArray,
		cudaGraphicsResource_t resource);

/* Entries of the driver, libraries of code, logs */
typedef void (*cudaLogsCallback_t)(void *data, cudaLogLevel logLevel,
				   char *message, size_t length);

#if CUDART_VERSION >= 12000
cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **funcPtr,
		unsigned long long flags,
		enum cudaDriverEntryPointQueryResult *driverStatus __dv(NULL));
#else
cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **funcPtr,
				    unsigned long long flags);
#endif
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **funcPtr,
		unsigned int cudaVersion, unsigned long long flags,
		enum cudaDriverEntryPointQueryResult *driverStatus __dv(0));
cudaError_t cudaGetExportTable(const void **ppExportTable,
			       const cudaUUID_t *pExportTableId);
cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
				enum cudaJitOption *jitOptions,
				void **jitOptionsValues,
				unsigned int numJitOptions,
				enum cudaLibraryOption *libraryOptions,
				void **libraryOptionValues,
				unsigned int numLibraryOptions);
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library,
				    const char *fileName,
				    enum cudaJitOption *jitOptions,
				    void **jitOptionsValues,
				    unsigned int numJitOptions,
				    enum cudaLibraryOption *libraryOptions,
				    void **libraryOptionValues,
				    unsigned int numLibraryOptions);
cudaError_t cudaLibraryUnload(cudaLibrary_t library);
cudaError_t cudaLibraryGetKernel(cudaKernel_t *pKernel, cudaLibrary_t library,
				 const char *name);
cudaError_t cudaLibraryGetGlobal(void **dptr, size_t *bytes,
				 cudaLibrary_t library, const char *name);
cudaError_t cudaLibraryGetManaged(void **dptr, size_t *bytes,
				  cudaLibrary_t library, const char *name);
cudaError_t cudaLibraryGetUnifiedFunction(void **fptr, cudaLibrary_t library,
					  const char *symbol);
cudaError_t cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t lib);
cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels,
					unsigned int numKernels,
					cudaLibrary_t lib);
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel,
					    enum cudaFuncAttribute attr,
					    int value, int device);
cudaError_t cudaLogsRegisterCallback(cudaLogsCallback_t callbackFunc,
				     void *userData,
				     cudaLogsCallbackHandle *callback_out);
cudaError_t cudaLogsUnregisterCallback(cudaLogsCallbackHandle callback);
cudaError_t cudaLogsCurrent(cudaLogIterator *iterator_out, unsigned int flags);
cudaError_t cudaLogsDumpToFile(cudaLogIterator *iterator,
			       const char *pathToFile, unsigned int flags);
cudaError_t cudaLogsDumpToMemory(cudaLogIterator *iterator, char *buffer,
				 size_t *size, unsigned int flags);

/* Capture of streams */
cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
				   enum cudaStreamCaptureMode mode);
cudaError_t
cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
			      const cudaGraphNode_t *dependencies,
			      const cudaGraphEdgeData *dependencyData,
			      size_t numDependencies,
			      enum cudaStreamCaptureMode mode);
cudaError_t
cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
				  enum cudaStreamCaptureStatus *pCaptureStatus);
#if CUDART_VERSION >= 13000
cudaError_t
cudaStreamGetCaptureInfo(cudaStream_t stream,
			 enum cudaStreamCaptureStatus *captureStatus_out,
			 unsigned long long *id_out __dv(0),
			 cudaGraph_t *graph_out __dv(0),
			 const cudaGraphNode_t **dependencies_out __dv(0),
			 const cudaGraphEdgeData **edgeData_out __dv(0),
			 size_t *numDependencies_out __dv(0));
cudaError_t
cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
				    cudaGraphNode_t *dependencies,
				    const cudaGraphEdgeData *dependencyData,
				    size_t numDependencies,
				    unsigned int flags __dv(0));
#else
#if CUDART_VERSION >= 12000
cudaError_t
cudaStreamGetCaptureInfo(cudaStream_t stream,
			 enum cudaStreamCaptureStatus *captureStatus_out,
			 unsigned long long *id_out __dv(0),
			 cudaGraph_t *graph_out __dv(0),
			 const cudaGraphNode_t **dependencies_out __dv(0),
			 size_t *numDependencies_out __dv(0));
#else
cudaError_t
cudaStreamGetCaptureInfo(cudaStream_t stream,
			 enum cudaStreamCaptureStatus *pCaptureStatus,
			 unsigned long long *pId);
#endif
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
						cudaGraphNode_t *dependencies,
						size_t numDependencies,
						unsigned int flags __dv(0));
#endif

/* Graphs */
cudaError_t cudaGraphCreate(cudaGraph_t *pGraph, unsigned int flags);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphClone(cudaGraph_t *pGraphClone, cudaGraph_t originalGraph);
cudaError_t
cudaGraphAddKernelNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
		       const cudaGraphNode_t *pDependencies,
		       size_t numDependencies,
		       const struct cudaKernelNodeParams *pNodeParams);
cudaError_t
cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
			     struct cudaKernelNodeParams *pNodeParams);
cudaError_t
cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
			     const struct cudaKernelNodeParams *pNodeParams);
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t hDst,
					      cudaGraphNode_t hSrc);
cudaError_t
cudaGraphKernelNodeGetAttribute(cudaGraphNode_t hNode,
				cudaLaunchAttributeID attr,
				cudaLaunchAttributeValue *value_out);
cudaError_t
cudaGraphKernelNodeSetAttribute(cudaGraphNode_t hNode,
				cudaLaunchAttributeID attr,
				const cudaLaunchAttributeValue *value);
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *pGraphNode,
				   cudaGraph_t graph,
				   const cudaGraphNode_t *pDependencies,
				   size_t numDependencies,
				   const struct cudaMemcpy3DParms *pCopyParams);
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *pGraphNode,
					   cudaGraph_t graph,
					   const cudaGraphNode_t *pDependencies,
					   size_t numDependencies,
					   const void *symbol, const void *src,
					   size_t count, size_t offset,
					   enum cudaMemcpyKind kind);
cudaError_t
cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
				 const cudaGraphNode_t *pDependencies,
				 size_t numDependencies, void *dst,
				 const void *symbol, size_t count,
				 size_t offset, enum cudaMemcpyKind kind);
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *pGraphNode,
				     cudaGraph_t graph,
				     const cudaGraphNode_t *pDependencies,
				     size_t numDependencies, void *dst,
				     const void *src, size_t count,
				     enum cudaMemcpyKind kind);
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node,
					 struct cudaMemcpy3DParms *pNodeParams);
cudaError_t
cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
			     const struct cudaMemcpy3DParms *pNodeParams);
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node,
						 const void *symbol,
						 const void *src, size_t count,
						 size_t offset,
						 enum cudaMemcpyKind kind);
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node,
						   void *dst,
						   const void *symbol,
						   size_t count, size_t offset,
						   enum cudaMemcpyKind kind);
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst,
					   const void *src, size_t count,
					   enum cudaMemcpyKind kind);
cudaError_t
cudaGraphAddMemsetNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
		       const cudaGraphNode_t *pDependencies,
		       size_t numDependencies,
		       const struct cudaMemsetParams *pMemsetParams);
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node,
					 struct cudaMemsetParams *pNodeParams);
cudaError_t
cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
			     const struct cudaMemsetParams *pNodeParams);
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
				 const cudaGraphNode_t *pDependencies,
				 size_t numDependencies,
				 const struct cudaHostNodeParams *pNodeParams);
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node,
				       struct cudaHostNodeParams *pNodeParams);
cudaError_t
cudaGraphHostNodeSetParams(cudaGraphNode_t node,
			   const struct cudaHostNodeParams *pNodeParams);
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *pGraphNode,
				       cudaGraph_t graph,
				       const cudaGraphNode_t *pDependencies,
				       size_t numDependencies,
				       cudaGraph_t childGraph);
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node,
					    cudaGraph_t *pGraph);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *pGraphNode,
				  cudaGraph_t graph,
				  const cudaGraphNode_t *pDependencies,
				  size_t numDependencies);
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *pGraphNode,
					cudaGraph_t graph,
					const cudaGraphNode_t *pDependencies,
					size_t numDependencies,
					cudaEvent_t event);
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node,
					     cudaEvent_t *event_out);
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node,
					     cudaEvent_t event);
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *pGraphNode,
				      cudaGraph_t graph,
				      const cudaGraphNode_t *pDependencies,
				      size_t numDependencies,
				      cudaEvent_t event);
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node,
					   cudaEvent_t *event_out);
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node,
					   cudaEvent_t event);
cudaError_t
cudaGraphAddExternalSemaphoresSignalNode(cudaGraphNode_t *pGraphNode,
		cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
		size_t numDependencies,
		const struct cudaExternalSemaphoreSignalNodeParams *nodeParams);
cudaError_t
cudaGraphExternalSemaphoresSignalNodeGetParams(cudaGraphNode_t hNode,
		struct cudaExternalSemaphoreSignalNodeParams *params_out);
cudaError_t
cudaGraphExternalSemaphoresSignalNodeSetParams(cudaGraphNode_t hNode,
		const struct cudaExternalSemaphoreSignalNodeParams *nodeParams);
cudaError_t cudaGraphAddExternalSemaphoresWaitNode(cudaGraphNode_t *pGraphNode,
		cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
		size_t numDependencies,
		const struct cudaExternalSemaphoreWaitNodeParams *nodeParams);
cudaError_t cudaGraphExternalSemaphoresWaitNodeGetParams(cudaGraphNode_t hNode,
		struct cudaExternalSemaphoreWaitNodeParams *params_out);
cudaError_t cudaGraphExternalSemaphoresWaitNodeSetParams(cudaGraphNode_t hNode,
		const struct cudaExternalSemaphoreWaitNodeParams *nodeParams);
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *pGraphNode,
				     cudaGraph_t graph,
				     const cudaGraphNode_t *pDependencies,
				     size_t numDependencies,
				     struct cudaMemAllocNodeParams *nodeParams);
cudaError_t
cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
			       struct cudaMemAllocNodeParams *params_out);
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *pGraphNode,
				    cudaGraph_t graph,
				    const cudaGraphNode_t *pDependencies,
				    size_t numDependencies, void *dptr);
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *dptr_out);
cudaError_t cudaDeviceGraphMemTrim(int device);
cudaError_t cudaDeviceGetGraphMemAttribute(int device,
					   enum cudaGraphMemAttributeType attr,
					   void *value);
cudaError_t cudaDeviceSetGraphMemAttribute(int device,
					   enum cudaGraphMemAttributeType attr,
					   void *value);
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *pNode,
				     cudaGraphNode_t originalNode,
				     cudaGraph_t clonedGraph);
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node,
				 enum cudaGraphNodeType *pType);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes,
			      size_t *numNodes);
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph,
				  cudaGraphNode_t *pRootNodes,
				  size_t *pNumRootNodes);
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *pGraphExec,
					  cudaGraph_t graph,
					  unsigned long long flags __dv(0));
cudaError_t
cudaGraphInstantiateWithParams(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
			       cudaGraphInstantiateParams *instantiateParams);
cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t graphExec,
				  unsigned long long *flags);
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec,
		cudaGraphNode_t node,
		const struct cudaKernelNodeParams *pNodeParams);
cudaError_t
cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec,
				 cudaGraphNode_t node,
				 const struct cudaMemcpy3DParms *pNodeParams);
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec,
						     cudaGraphNode_t node,
						     const void *symbol,
						     const void *src,
						     size_t count,
						     size_t offset,
						     enum cudaMemcpyKind kind);
cudaError_t
cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec,
					   cudaGraphNode_t node, void *dst,
					   const void *symbol, size_t count,
					   size_t offset,
					   enum cudaMemcpyKind kind);
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec,
					       cudaGraphNode_t node, void *dst,
					       const void *src, size_t count,
					       enum cudaMemcpyKind kind);
cudaError_t
cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec,
				 cudaGraphNode_t node,
				 const struct cudaMemsetParams *pNodeParams);
cudaError_t
cudaGraphExecHostNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
			       const struct cudaHostNodeParams *pNodeParams);
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t hGraphExec,
						 cudaGraphNode_t node,
						 cudaGraph_t childGraph);
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t hGraphExec,
						 cudaGraphNode_t hNode,
						 cudaEvent_t event);
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t hGraphExec,
					       cudaGraphNode_t hNode,
					       cudaEvent_t event);
cudaError_t
cudaGraphExecExternalSemaphoresSignalNodeSetParams(cudaGraphExec_t hGraphExec,
		cudaGraphNode_t hNode,
		const struct cudaExternalSemaphoreSignalNodeParams *nodeParams);
cudaError_t
cudaGraphExecExternalSemaphoresWaitNodeSetParams(cudaGraphExec_t hGraphExec,
		cudaGraphNode_t hNode,
		const struct cudaExternalSemaphoreWaitNodeParams *nodeParams);
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t hGraphExec,
				    cudaGraphNode_t hNode,
				    unsigned int isEnabled);
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t hGraphExec,
				    cudaGraphNode_t hNode,
				    unsigned int *isEnabled);
cudaError_t cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream);
cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec);
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path,
				   unsigned int flags);
cudaError_t cudaUserObjectCreate(cudaUserObject_t *object_out, void *ptr,
				 cudaHostFn_t destroy,
				 unsigned int initialRefcount,
				 unsigned int flags);
cudaError_t cudaUserObjectRetain(cudaUserObject_t object,
				 unsigned int count __dv(1));
cudaError_t cudaUserObjectRelease(cudaUserObject_t object,
				  unsigned int count __dv(1));
cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph,
				      cudaUserObject_t object,
				      unsigned int count __dv(1),
				      unsigned int flags __dv(0));
cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph,
				       cudaUserObject_t object,
				       unsigned int count __dv(1));
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node,
				   struct cudaGraphNodeParams *nodeParams);
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t graphExec,
				       cudaGraphNode_t node,
				       struct cudaGraphNodeParams *nodeParams);
cudaError_t
cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *pHandle_out,
				 cudaGraph_t graph,
				 unsigned int defaultLaunchValue __dv(0),
				 unsigned int flags __dv(0));

/* Graphs, with parameters that have changed */
#if CUDART_VERSION >= 13000
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from,
			      cudaGraphNode_t *to, cudaGraphEdgeData *edgeData,
			      size_t *numEdges);
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node,
					 cudaGraphNode_t *pDependencies,
					 cudaGraphEdgeData *edgeData,
					 size_t *pNumDependencies);
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
					   cudaGraphNode_t *pDependentNodes,
					   cudaGraphEdgeData *edgeData,
					   size_t *pNumDependentNodes);
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph,
				     const cudaGraphNode_t *from,
				     const cudaGraphNode_t *to,
				     const cudaGraphEdgeData *edgeData,
				     size_t numDependencies);
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph,
					const cudaGraphNode_t *from,
					const cudaGraphNode_t *to,
					const cudaGraphEdgeData *edgeData,
					size_t numDependencies);
cudaError_t cudaGraphAddNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
			     const cudaGraphNode_t *pDependencies,
			     const cudaGraphEdgeData *dependencyData,
			     size_t numDependencies,
			     struct cudaGraphNodeParams *nodeParams);
#else
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from,
			      cudaGraphNode_t *to, size_t *numEdges);
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node,
					 cudaGraphNode_t *pDependencies,
					 size_t *pNumDependencies);
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
					   cudaGraphNode_t *pDependentNodes,
					   size_t *pNumDependentNodes);
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph,
				     const cudaGraphNode_t *from,
				     const cudaGraphNode_t *to,
				     size_t numDependencies);
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph,
					const cudaGraphNode_t *from,
					const cudaGraphNode_t *to,
					size_t numDependencies);
cudaError_t cudaGraphAddNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
			     const cudaGraphNode_t *pDependencies,
			     size_t numDependencies,
			     struct cudaGraphNodeParams *nodeParams);
#endif
#if CUDART_VERSION >= 12000
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
				 unsigned long long flags __dv(0));
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
				cudaGraphExecUpdateResultInfo *resultInfo);
#else
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
				 cudaGraphNode_t *pErrorNode, char *pLogBuffer,
				 size_t bufferSize);
cudaError_t
cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
		    cudaGraphNode_t *hErrorNode_out,
		    enum cudaGraphExecUpdateResult *updateResult_out);
#endif

#if CUDART_VERSION == 12060
/* 12.x: the newer form of a call beside the older one */
cudaError_t
cudaStreamGetCaptureInfo_v3(cudaStream_t stream,
			    enum cudaStreamCaptureStatus *captureStatus_out,
			    unsigned long long *id_out __dv(0),
			    cudaGraph_t *graph_out __dv(0),
			    const cudaGraphNode_t **dependencies_out __dv(0),
			    const cudaGraphEdgeData **edgeData_out __dv(0),
			    size_t *numDependencies_out __dv(0));
cudaError_t
cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream,
				       cudaGraphNode_t *dependencies,
				       const cudaGraphEdgeData *dependencyData,
				       size_t numDependencies,
				       unsigned int flags __dv(0));
cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from,
				 cudaGraphNode_t *to,
				 cudaGraphEdgeData *edgeData, size_t *numEdges);
cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node,
					    cudaGraphNode_t *pDependencies,
					    cudaGraphEdgeData *edgeData,
					    size_t *pNumDependencies);
cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node,
					      cudaGraphNode_t *pDependentNodes,
					      cudaGraphEdgeData *edgeData,
					      size_t *pNumDependentNodes);
cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph,
					const cudaGraphNode_t *from,
					const cudaGraphNode_t *to,
					const cudaGraphEdgeData *edgeData,
					size_t numDependencies);
cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph,
					   const cudaGraphNode_t *from,
					   const cudaGraphNode_t *to,
					   const cudaGraphEdgeData *edgeData,
					   size_t numDependencies);
cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
				const cudaGraphNode_t *pDependencies,
				const cudaGraphEdgeData *dependencyData,
				size_t numDependencies,
				struct cudaGraphNodeParams *nodeParams);
#endif

#if CUDART_VERSION < 13000 || defined(LIBMEM_CUDA)
/* What went with 13.0 */
cudaError_t cudaThreadExit(void);
cudaError_t cudaThreadSynchronize(void);
cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaThreadGetLimit(size_t *pValue, enum cudaLimit limit);
cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *pCacheConfig);
cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache cacheConfig);
cudaError_t cudaSetDoubleForDevice(double *d);
cudaError_t cudaSetDoubleForHost(double *d);
cudaError_t
cudaLaunchCooperativeKernelMultiDevice(struct cudaLaunchParams *launchParamsList,
		unsigned int numDevices, unsigned int flags __dv(0));
#endif

#if CUDART_VERSION < 12000
/* What went with 12.0 */
cudaError_t cudaBindTexture(size_t *offset,
			    const struct textureReference *texref,
			    const void *devPtr,
			    const struct cudaChannelFormatDesc *desc,
			    size_t size __dv(UINT_MAX));
cudaError_t cudaBindTexture2D(size_t *offset,
			      const struct textureReference *texref,
			      const void *devPtr,
			      const struct cudaChannelFormatDesc *desc,
			      size_t width, size_t height, size_t pitch);
cudaError_t cudaBindTextureToArray(const struct textureReference *texref,
				   cudaArray_const_t array,
				   const struct cudaChannelFormatDesc *desc);
cudaError_t
cudaBindTextureToMipmappedArray(const struct textureReference *texref,
				cudaMipmappedArray_const_t mipmappedArray,
				const struct cudaChannelFormatDesc *desc);
cudaError_t cudaUnbindTexture(const struct textureReference *texref);
cudaError_t
cudaGetTextureAlignmentOffset(size_t *offset,
			      const struct textureReference *texref);
cudaError_t cudaGetTextureReference(const struct textureReference **texref,
				    const void *symbol);
cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *surfref,
				   cudaArray_const_t array,
				   const struct cudaChannelFormatDesc *desc);
cudaError_t cudaGetSurfaceReference(const struct surfaceReference **surfref,
				    const void *symbol);
#endif

#ifdef __cplusplus
}
#endif

#include "channel_descriptor.h"

#endif
