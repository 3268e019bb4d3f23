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
 * Errors: a call returns its error, and cudaGetLastError() returns the last one
 * of the thread again. An error that ends all work (an illegal address, a
 * kernel that did not return, or ran for too long) is returned from then on by
 * every call that needs the device. Every call that may wait may return an
 * error of earlier work; below, only a call's own errors are listed.
 *
 * Calls without a text of their own exist, so that programs link: they return
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
#define cudaRuntimeGetVersion	cudaRuntimeGetVersion_10020
#elif CUDART_VERSION < 12000
#define cudaRuntimeGetVersion	cudaRuntimeGetVersion_11040
#elif CUDART_VERSION < 13000
#define cudaRuntimeGetVersion	cudaRuntimeGetVersion_12060
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

/**
 * cudaGetLastError() - the thread's last error, and forget it
 *
 * An error that has ended the context stays, and is returned again.
 *
 * Return: cudaSuccess, or the error.
 */
cudaError_t cudaGetLastError(void);

/**
 * cudaPeekAtLastError() - the thread's last error
 *
 * Return: cudaSuccess, or the error.
 */
cudaError_t cudaPeekAtLastError(void);

/**
 * cudaGetErrorName() - name of an error
 * @error: its number
 *
 * Return: its name; "unrecognized error code" if there is none.
 */
const char *cudaGetErrorName(cudaError_t error);

/**
 * cudaGetErrorString() - what an error means
 * @error: its number
 *
 * Return: a short text; "unrecognized error code" if there is none.
 */
const char *cudaGetErrorString(cudaError_t error);

/* Devices */

/**
 * cudaGetDeviceCount() - how many GPUs the board has
 * @count: out
 *
 * The board is LIBMEM_SOC's (Documentation/libmem.rst).
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue (@count is NULL),
 * cudaErrorNoDevice.
 */
cudaError_t cudaGetDeviceCount(int *count);

/**
 * cudaSetDevice() - choose a device for this thread
 * @device: its number
 *
 * Its primary context is opened, over mem_ctx_open().
 *
 * Return: cudaSuccess, or cudaErrorInvalidDevice.
 */
cudaError_t cudaSetDevice(int device);

/**
 * cudaGetDevice() - this thread's device
 * @device: out: its number
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaGetDevice(int *device);

/**
 * cudaInitDevice() - open a device, and choose none
 * @device: its number
 * @deviceFlags: cudaDevice*, if @flags says so
 * @flags: 0 or cudaInitDeviceFlagsAreValid
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorInvalidDevice.
 */
cudaError_t cudaInitDevice(int device, unsigned int deviceFlags,
			   unsigned int flags);

/**
 * cudaSetValidDevices() - devices to choose from
 * @device_arr: their numbers
 * @len: how many
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaSetValidDevices(int *device_arr, int len);

/**
 * cudaChooseDevice() - the device that fits best
 * @device: out: its number
 * @prop: what it should have; 0 in a field: anything
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop);

/**
 * cudaSetDeviceFlags() - how threads wait for this thread's device
 * @flags: cudaDevice*
 *
 * mem_ctx_set_wait_policy(). Host memory is always mapped. With
 * cudaDeviceSyncMemops copies and sets within device memory wait, too.
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaSetDeviceFlags(unsigned int flags);

/**
 * cudaGetDeviceFlags() - how they wait
 * @flags: out
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaGetDeviceFlags(unsigned int *flags);

/**
 * cudaGetDeviceProperties() - what a device is like
 * @prop: out
 * @device: its number
 *
 * The facts are the profile's: mem_ctx_board().
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorInvalidDevice.
 */
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device);

/**
 * cudaDeviceGetAttribute() - one fact of a device
 * @value: out
 * @attr: cudaDevAttr*
 * @device: its number
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorInvalidDevice.
 */
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr,
				   int device);

/**
 * cudaDeviceReset() - close this thread's device
 *
 * Waits for its work, and takes away all memory, streams and events of it.
 *
 * Return: cudaSuccess, or an error of earlier work.
 */
cudaError_t cudaDeviceReset(void);

/**
 * cudaDeviceSynchronize() - wait for all work of this thread's device
 *
 * mem_ctx_sync().
 *
 * Return: cudaSuccess, or cudaErrorNotPermitted (in a host function).
 */
cudaError_t cudaDeviceSynchronize(void);

/**
 * cudaDeviceSetLimit() - how much kernels may use
 * @limit: of what
 * @value: how much
 *
 * Return: cudaSuccess, or cudaErrorUnsupportedLimit, cudaErrorInvalidValue.
 */
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);

/**
 * cudaDeviceGetLimit() - how much kernels may use
 * @pValue: out
 * @limit: of what
 *
 * Return: cudaSuccess, or cudaErrorUnsupportedLimit, cudaErrorInvalidValue.
 */
cudaError_t cudaDeviceGetLimit(size_t *pValue, enum cudaLimit limit);

/**
 * cudaDeviceGetCacheConfig() - which cache is preferred
 * @pCacheConfig: out
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *pCacheConfig);

/**
 * cudaDeviceSetCacheConfig() - prefer a cache
 * @cacheConfig: which
 *
 * A hint, which nothing follows.
 *
 * Return: cudaSuccess, or an error of earlier work.
 */
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache cacheConfig);

/**
 * cudaDeviceGetStreamPriorityRange() - what priorities streams have
 * @leastPriority: out; may be NULL
 * @greatestPriority: out; may be NULL
 *
 * Return: cudaSuccess, or an error of earlier work.
 */
cudaError_t cudaDeviceGetStreamPriorityRange(int *leastPriority,
					     int *greatestPriority);

/**
 * cudaDeviceGetByPCIBusId() - a device by where it is
 * @device: out: its number
 * @pciBusId: [domain:]bus:device[.function], hexadecimal
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorInvalidDevice.
 */
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *pciBusId);

/**
 * cudaDeviceGetPCIBusId() - where a device is
 * @pciBusId: out: as a string
 * @len: of it, bytes
 * @device: its number
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorInvalidDevice.
 */
cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device);

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements,
		const struct cudaChannelFormatDesc *fmtDesc, int device);

/**
 * cudaDeviceCanAccessPeer() - return whether a device may use another's memory
 * @canAccessPeer: out: 0 on every Tegra
 * @device: its number
 * @peerDevice: the other one
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorInvalidDevice.
 */
cudaError_t cudaDeviceCanAccessPeer(int *canAccessPeer, int device,
				    int peerDevice);

/**
 * cudaDeviceEnablePeerAccess() - use another device's memory
 * @peerDevice: the other one
 * @flags: 0
 *
 * Return: cudaSuccess, or cudaErrorPeerAccessUnsupported (always on a Tegra),
 * cudaErrorInvalidDevice, cudaErrorInvalidValue.
 */
cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags);

/**
 * cudaDeviceDisablePeerAccess() - use it no longer
 * @peerDevice: the other one
 *
 * Return: cudaSuccess, or cudaErrorPeerAccessNotEnabled,
 * cudaErrorInvalidDevice.
 */
cudaError_t cudaDeviceDisablePeerAccess(int peerDevice);

/**
 * cudaDeviceGetP2PAttribute() - one fact of two devices
 * @value: out
 * @attr: which
 * @srcDevice: the one
 * @dstDevice: the other
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorInvalidDevice.
 */
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr,
				      int srcDevice, int dstDevice);

cudaError_t
cudaDeviceFlushGPUDirectRDMAWrites(enum cudaFlushGPUDirectRDMAWritesTarget to,
		enum cudaFlushGPUDirectRDMAWritesScope scope);

/**
 * cudaDriverGetVersion() - of libmem-cuda
 * @driverVersion: out: as CUDA_VERSION
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaDriverGetVersion(int *driverVersion);

/**
 * cudaRuntimeGetVersion() - of libmem-cudart
 * @runtimeVersion: out: CUDART_VERSION, as the program has it
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
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
/* Memory */

/**
 * cudaMalloc() - memory that only the device touches
 * @devPtr: out: NULL for 0 bytes
 * @size: bytes
 *
 * mem_alloc() of MEM_KIND_DEVICE; not cleared.
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorMemoryAllocation.
 */
cudaError_t cudaMalloc(void **devPtr, size_t size);

/**
 * cudaMallocManaged() - memory that host and device touch in turn
 * @devPtr: out
 * @size: bytes
 * @flags: cudaMemAttachGlobal or cudaMemAttachHost: whom it is attached to
 *
 * mem_alloc() of MEM_KIND_MANAGED; not cleared. Who may touch it when:
 * Documentation/cuda.rst.
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue (0 bytes, no such @flags),
 * cudaErrorMemoryAllocation, cudaErrorNotSupported (a discrete GPU).
 */
cudaError_t cudaMallocManaged(void **devPtr, size_t size, unsigned int flags);

/**
 * cudaMallocHost() - pinned memory
 * @ptr: out: NULL for 0 bytes
 * @size: bytes
 *
 * cudaHostAlloc() without flags.
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorMemoryAllocation.
 */
cudaError_t cudaMallocHost(void **ptr, size_t size);

/**
 * cudaHostAlloc() - pinned memory, which host and device touch at any time
 * @pHost: out: NULL for 0 bytes
 * @size: bytes
 * @flags: cudaHostAlloc*
 *
 * mem_alloc() of MEM_KIND_PINNED. Below capability 7.2 the CPU does not cache
 * it.
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorMemoryAllocation.
 */
cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned int flags);

/**
 * cudaMallocPitch() - rows of device memory
 * @devPtr: out
 * @pitch: out: bytes from row to row: a multiple of 512
 * @width: of a row, bytes
 * @height: rows
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorMemoryAllocation.
 */
cudaError_t cudaMallocPitch(void **devPtr, size_t *pitch, size_t width,
			    size_t height);

/**
 * cudaMalloc3D() - boxes of device memory
 * @pitchedDevPtr: out
 * @extent: width in bytes, rows, layers
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorMemoryAllocation.
 */
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitchedDevPtr,
			 struct cudaExtent extent);

/**
 * cudaFree() - give back device or managed memory
 * @devPtr: its start, or NULL
 *
 * Waits for work that may use it. mem_free().
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue (no call has given it).
 */
cudaError_t cudaFree(void *devPtr);

/**
 * cudaFreeHost() - give back pinned memory
 * @ptr: its start, or NULL
 *
 * mem_free().
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue (no call has given it).
 */
cudaError_t cudaFreeHost(void *ptr);

/**
 * cudaHostRegister() - make the program's pages pinned memory
 * @ptr: first byte
 * @size: bytes
 * @flags: cudaHostRegister*
 *
 * mem_register().
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue,
 * cudaErrorHostMemoryAlreadyRegistered, cudaErrorNotSupported (below capability
 * 7.2).
 */
cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int flags);

/**
 * cudaHostUnregister() - make it ordinary memory again
 * @ptr: what cudaHostRegister() was given
 *
 * mem_unregister().
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue,
 * cudaErrorHostMemoryNotRegistered, cudaErrorNotSupported.
 */
cudaError_t cudaHostUnregister(void *ptr);

/**
 * cudaHostGetDevicePointer() - where the device has pinned memory
 * @pDevice: out
 * @pHost: address in pinned or registered memory
 * @flags: 0
 *
 * mem_device_ptr(). That of registered memory differs from the host's.
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaHostGetDevicePointer(void **pDevice, void *pHost,
				     unsigned int flags);

/**
 * cudaHostGetFlags() - how pinned memory was made
 * @pFlags: out: cudaHostAlloc* or cudaHostRegister*
 * @pHost: address in it
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaHostGetFlags(unsigned int *pFlags, void *pHost);

/**
 * cudaPointerGetAttributes() - what an address is
 * @attributes: out
 * @ptr: any address
 *
 * mem_ptr_info(). Below 11.0 what CUDA does not know is an error.
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
				     const void *ptr);

/**
 * cudaMemGetInfo() - how much memory the device has
 * @free: out, bytes; may be NULL
 * @total: out, bytes; may be NULL
 *
 * Return: cudaSuccess, or an error of earlier work.
 */
cudaError_t cudaMemGetInfo(size_t *free, size_t *total);

/* Managed memory: who uses it where. 13.0 has locations for device numbers. */
#if CUDART_VERSION >= 13000 || defined(LIBMEM_CUDA)

/**
 * cudaMemAdvise() - say how managed memory will be used
 * @devPtr: first byte
 * @count: bytes; 0 does nothing
 * @advice: what
 * @location: who; where the advice has one
 *
 * Kept for cudaMemRangeGetAttribute(); nothing else follows it.
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorInvalidDevice.
 */
cudaError_t cudaMemAdvise(const void *devPtr, size_t count,
			  enum cudaMemoryAdvise advice,
			  struct cudaMemLocation location);

/**
 * cudaMemPrefetchAsync() - bring managed memory to where it is used
 * @devPtr: first byte
 * @count: bytes; 0 does nothing
 * @location: where to
 * @flags: 0
 * @stream: in order of this one; 0: the default one
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorInvalidDevice (a
 * place that has not concurrentManagedAccess: every Tegra before Thor).
 */
cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count,
				 struct cudaMemLocation location,
				 unsigned int flags, cudaStream_t stream);

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

/**
 * cudaMemRangeGetAttribute() - what was said of managed memory
 * @data: out
 * @dataSize: of @data, bytes
 * @attribute: which
 * @devPtr: first byte
 * @count: bytes, above 0
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaMemRangeGetAttribute(void *data, size_t dataSize,
				     enum cudaMemRangeAttribute attribute,
				     const void *devPtr, size_t count);

/**
 * cudaMemRangeGetAttributes() - cudaMemRangeGetAttribute() of several
 * @data: out: one each
 * @dataSizes: of each, bytes
 * @attributes: which
 * @numAttributes: how many
 * @devPtr: first byte
 * @count: bytes, above 0
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
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

/**
 * cudaMemcpy() - copy
 * @dst: target
 * @src: source
 * @count: bytes; 0 does nothing
 * @kind: which way; cudaMemcpyDefault: as the addresses are
 *
 * mem_copy(): returns when it is done, but for device to device, and from
 * pageable memory, which has been read by then.
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue (an address is NULL, is not
 * what @kind says, or the range leaves its allocation),
 * cudaErrorInvalidMemcpyDirection (no such @kind).
 */
cudaError_t cudaMemcpy(void *dst, const void *src, size_t count,
		       enum cudaMemcpyKind kind);

/**
 * cudaMemcpyAsync() - copy in order of a stream
 * @dst: target
 * @src: source
 * @count: bytes; 0 does nothing
 * @kind: which way; cudaMemcpyDefault: as the addresses are
 * @stream: in order of this one; 0: the default one
 *
 * mem_copy_async(). With a pageable side it waits, as the driver does.
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue (an address is NULL, is not
 * what @kind says, or the range leaves its allocation),
 * cudaErrorInvalidMemcpyDirection (no such @kind).
 */
cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count,
			    enum cudaMemcpyKind kind, cudaStream_t stream);

/**
 * cudaMemcpy2D() - copy rows
 * @dst: target
 * @dpitch: bytes from row to row of the target
 * @src: source
 * @spitch: bytes from row to row of the source
 * @width: of a row, bytes
 * @height: rows
 * @kind: which way; cudaMemcpyDefault: as the addresses are
 *
 * mem_copy_rows().
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue (an address is NULL, is not
 * what @kind says, or the range leaves its allocation),
 * cudaErrorInvalidMemcpyDirection (no such @kind), cudaErrorInvalidPitchValue.
 */
cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src,
			 size_t spitch, size_t width, size_t height,
			 enum cudaMemcpyKind kind);

/**
 * cudaMemcpy2DAsync() - copy rows in order of a stream
 * @dst: target
 * @dpitch: bytes from row to row of the target
 * @src: source
 * @spitch: bytes from row to row of the source
 * @width: of a row, bytes
 * @height: rows
 * @kind: which way; cudaMemcpyDefault: as the addresses are
 * @stream: in order of this one; 0: the default one
 *
 * mem_copy_rows_async().
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue (an address is NULL, is not
 * what @kind says, or the range leaves its allocation),
 * cudaErrorInvalidMemcpyDirection (no such @kind), cudaErrorInvalidPitchValue.
 */
cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src,
			      size_t spitch, size_t width, size_t height,
			      enum cudaMemcpyKind kind, cudaStream_t stream);

/**
 * cudaMemcpy3D() - copy a box
 * @p: what
 *
 * A side is an array, or memory; then its unit is a byte.
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorInvalidPitchValue,
 * cudaErrorInvalidMemcpyDirection.
 */
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p);

/**
 * cudaMemcpy3DAsync() - copy a box in order of a stream
 * @p: what
 * @stream: in order of this one; 0: the default one
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorInvalidPitchValue,
 * cudaErrorInvalidMemcpyDirection.
 */
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p,
			      cudaStream_t stream);

/**
 * cudaMemcpyPeer() - copy from device to device
 * @dst: target
 * @dstDevice: whose target
 * @src: source
 * @srcDevice: whose source
 * @count: bytes; 0 does nothing
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorInvalidDevice.
 */
cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src,
			   int srcDevice, size_t count);

/**
 * cudaMemcpyPeerAsync() - cudaMemcpyPeer() in order of a stream
 * @dst: target
 * @dstDevice: whose target
 * @src: source
 * @srcDevice: whose source
 * @count: bytes; 0 does nothing
 * @stream: in order of this one; 0: the default one
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorInvalidDevice.
 */
cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src,
				int srcDevice, size_t count,
				cudaStream_t stream);

/**
 * cudaMemcpy3DPeer() - cudaMemcpy3D() from device to device
 * @p: what
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorInvalidDevice.
 */
cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p);

/**
 * cudaMemcpy3DPeerAsync() - cudaMemcpy3DPeer() in order of a stream
 * @p: what
 * @stream: in order of this one; 0: the default one
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorInvalidDevice.
 */
cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p,
				  cudaStream_t stream);

/**
 * cudaMemset() - fill memory
 * @devPtr: first byte
 * @value: the low byte fills
 * @count: bytes; 0 does nothing
 *
 * mem_fill(): returns when it is done, but for device memory.
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue (the device has not got all of
 * it).
 */
cudaError_t cudaMemset(void *devPtr, int value, size_t count);

/**
 * cudaMemsetAsync() - fill memory in order of a stream
 * @devPtr: first byte
 * @value: the low byte fills
 * @count: bytes; 0 does nothing
 * @stream: in order of this one; 0: the default one
 *
 * mem_fill_async().
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count,
			    cudaStream_t stream);

/**
 * cudaMemset2D() - fill rows
 * @devPtr: first byte
 * @pitch: bytes from row to row
 * @value: the low byte fills
 * @width: of a row, bytes
 * @height: rows
 *
 * mem_fill_rows().
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width,
			 size_t height);

/**
 * cudaMemset2DAsync() - fill rows in order of a stream
 * @devPtr: first byte
 * @pitch: bytes from row to row
 * @value: the low byte fills
 * @width: of a row, bytes
 * @height: rows
 * @stream: in order of this one; 0: the default one
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaMemset2DAsync(void *devPtr, size_t pitch, int value,
			      size_t width, size_t height, cudaStream_t stream);

/**
 * cudaMemset3D() - fill a box
 * @pitchedDevPtr: where
 * @value: the low byte fills
 * @extent: width in bytes, rows, layers
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value,
			 struct cudaExtent extent);

/**
 * cudaMemset3DAsync() - fill a box in order of a stream
 * @pitchedDevPtr: where
 * @value: the low byte fills
 * @extent: width in bytes, rows, layers
 * @stream: in order of this one; 0: the default one
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value,
			      struct cudaExtent extent, cudaStream_t stream);

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

/**
 * cudaGetSymbolAddress() - where a variable of the device is
 * @devPtr: out
 * @symbol: variable of the device
 *
 * Return: cudaSuccess, or cudaErrorInvalidSymbol, cudaErrorInvalidValue.
 */
cudaError_t cudaGetSymbolAddress(void **devPtr, const void *symbol);

/**
 * cudaGetSymbolSize() - how long it is
 * @size: out, bytes
 * @symbol: variable of the device
 *
 * Return: cudaSuccess, or cudaErrorInvalidSymbol, cudaErrorInvalidValue.
 */
cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol);

/**
 * cudaMemcpyToSymbol() - write a variable of the device
 * @symbol: variable of the device
 * @src: source
 * @count: bytes; 0 does nothing
 * @offset: of the first byte in it
 * @kind: which way; cudaMemcpyDefault: as the addresses are
 *
 * Return: cudaSuccess, or cudaErrorInvalidSymbol, cudaErrorInvalidValue,
 * cudaErrorInvalidMemcpyDirection.
 */
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src,
			       size_t count, size_t offset,
			       enum cudaMemcpyKind kind);

/**
 * cudaMemcpyToSymbolAsync() - do so in order of a stream
 * @symbol: variable of the device
 * @src: source
 * @count: bytes; 0 does nothing
 * @offset: of the first byte in it
 * @kind: which way; cudaMemcpyDefault: as the addresses are
 * @stream: in order of this one; 0: the default one
 *
 * Return: cudaSuccess, or cudaErrorInvalidSymbol, cudaErrorInvalidValue,
 * cudaErrorInvalidMemcpyDirection.
 */
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src,
				    size_t count, size_t offset,
				    enum cudaMemcpyKind kind,
				    cudaStream_t stream);

/**
 * cudaMemcpyFromSymbol() - read a variable of the device
 * @dst: target
 * @symbol: variable of the device
 * @count: bytes; 0 does nothing
 * @offset: of the first byte in it
 * @kind: which way; cudaMemcpyDefault: as the addresses are
 *
 * Return: cudaSuccess, or cudaErrorInvalidSymbol, cudaErrorInvalidValue,
 * cudaErrorInvalidMemcpyDirection.
 */
cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count,
				 size_t offset, enum cudaMemcpyKind kind);

/**
 * cudaMemcpyFromSymbolAsync() - do so in order of a stream
 * @dst: target
 * @symbol: variable of the device
 * @count: bytes; 0 does nothing
 * @offset: of the first byte in it
 * @kind: which way; cudaMemcpyDefault: as the addresses are
 * @stream: in order of this one; 0: the default one
 *
 * Return: cudaSuccess, or cudaErrorInvalidSymbol, cudaErrorInvalidValue,
 * cudaErrorInvalidMemcpyDirection.
 */
cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol,
				      size_t count, size_t offset,
				      enum cudaMemcpyKind kind,
				      cudaStream_t stream);

/* Arrays */

/**
 * cudaCreateChannelDesc() - describe an element
 * @x: bits of the first channel
 * @y: of the second, or 0
 * @z: of the third, or 0
 * @w: of the fourth, or 0
 * @f: what the channels are
 *
 * Return: the description.
 */
struct cudaChannelFormatDesc
cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f);

/**
 * cudaGetChannelDesc() - what an array's element is
 * @desc: out
 * @array: array
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue,
 * cudaErrorInvalidResourceHandle.
 */
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc,
			       cudaArray_const_t array);

/**
 * cudaMallocArray() - make an array of one or two dimensions
 * @array: out
 * @desc: what an element is
 * @width: elements
 * @height: elements; 0: one dimension
 * @flags: cudaArray*
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue,
 * cudaErrorInvalidChannelDescriptor, cudaErrorMemoryAllocation.
 */
cudaError_t cudaMallocArray(cudaArray_t *array,
			    const struct cudaChannelFormatDesc *desc,
			    size_t width, size_t height, unsigned int flags);

/**
 * cudaMalloc3DArray() - make an array of up to three dimensions, or layers
 * @array: out
 * @desc: what an element is
 * @extent: elements
 * @flags: cudaArray*
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue,
 * cudaErrorInvalidChannelDescriptor, cudaErrorMemoryAllocation.
 */
cudaError_t cudaMalloc3DArray(cudaArray_t *array,
			      const struct cudaChannelFormatDesc *desc,
			      struct cudaExtent extent, unsigned int flags);

/**
 * cudaMallocMipmappedArray() - make arrays of one picture in halving sizes
 * @mipmappedArray: out
 * @desc: what an element is
 * @extent: of the first, elements
 * @numLevels: how many; no more than halving gives
 * @flags: cudaArray*
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue,
 * cudaErrorInvalidChannelDescriptor, cudaErrorMemoryAllocation.
 */
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmappedArray,
				     const struct cudaChannelFormatDesc *desc,
				     struct cudaExtent extent,
				     unsigned int numLevels,
				     unsigned int flags);

/**
 * cudaGetMipmappedArrayLevel() - one of them
 * @levelArray: out; goes with @mipmappedArray
 * @mipmappedArray: of which
 * @level: 0: the largest
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue,
 * cudaErrorInvalidResourceHandle.
 */
cudaError_t
cudaGetMipmappedArrayLevel(cudaArray_t *levelArray,
			   cudaMipmappedArray_const_t mipmappedArray,
			   unsigned int level);

/**
 * cudaFreeArray() - give back an array
 * @array: array, or NULL
 *
 * Return: cudaSuccess, or cudaErrorInvalidResourceHandle.
 */
cudaError_t cudaFreeArray(cudaArray_t array);

/**
 * cudaFreeMipmappedArray() - give back a mipmapped array
 * @mipmappedArray: array, or NULL
 *
 * Return: cudaSuccess, or cudaErrorInvalidResourceHandle.
 */
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray);

/**
 * cudaArrayGetInfo() - what an array is
 * @desc: out; may be NULL
 * @extent: out; may be NULL
 * @flags: out; may be NULL
 * @array: array
 *
 * Return: cudaSuccess, or cudaErrorInvalidResourceHandle.
 */
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc,
			     struct cudaExtent *extent, unsigned int *flags,
			     cudaArray_t array);

/**
 * cudaArrayGetPlane() - one plane of an array with several
 * @pPlaneArray: out
 * @hArray: array
 * @planeIdx: which
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue,
 * cudaErrorInvalidResourceHandle.
 */
cudaError_t cudaArrayGetPlane(cudaArray_t *pPlaneArray, cudaArray_t hArray,
			      unsigned int planeIdx);

/**
 * cudaMemcpy2DToArray() - copy rows to an array
 * @dst: target
 * @wOffset: bytes from the start of a row of the array
 * @hOffset: first row of the array
 * @src: source
 * @spitch: bytes from row to row of the source
 * @width: of a row, bytes
 * @height: rows
 * @kind: which way; cudaMemcpyDefault: as the addresses are
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue (it leaves the array),
 * cudaErrorInvalidResourceHandle, cudaErrorInvalidPitchValue,
 * cudaErrorInvalidMemcpyDirection.
 */
cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset,
				const void *src, size_t spitch, size_t width,
				size_t height, enum cudaMemcpyKind kind);

/**
 * cudaMemcpy2DToArrayAsync() - copy rows to an array, in order of a stream
 * @dst: target
 * @wOffset: bytes from the start of a row of the array
 * @hOffset: first row of the array
 * @src: source
 * @spitch: bytes from row to row of the source
 * @width: of a row, bytes
 * @height: rows
 * @kind: which way; cudaMemcpyDefault: as the addresses are
 * @stream: in order of this one; 0: the default one
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue (it leaves the array),
 * cudaErrorInvalidResourceHandle, cudaErrorInvalidPitchValue,
 * cudaErrorInvalidMemcpyDirection.
 */
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset,
				     size_t hOffset, const void *src,
				     size_t spitch, size_t width, size_t height,
				     enum cudaMemcpyKind kind,
				     cudaStream_t stream);

/**
 * cudaMemcpy2DFromArray() - copy rows from an array
 * @dst: target
 * @dpitch: bytes from row to row of the target
 * @src: source
 * @wOffset: bytes from the start of a row of the array
 * @hOffset: first row of the array
 * @width: of a row, bytes
 * @height: rows
 * @kind: which way; cudaMemcpyDefault: as the addresses are
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue (it leaves the array),
 * cudaErrorInvalidResourceHandle, cudaErrorInvalidPitchValue,
 * cudaErrorInvalidMemcpyDirection.
 */
cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch,
				  cudaArray_const_t src, size_t wOffset,
				  size_t hOffset, size_t width, size_t height,
				  enum cudaMemcpyKind kind);

/**
 * cudaMemcpy2DFromArrayAsync() - copy rows from an array, in order of a stream
 * @dst: target
 * @dpitch: bytes from row to row of the target
 * @src: source
 * @wOffset: bytes from the start of a row of the array
 * @hOffset: first row of the array
 * @width: of a row, bytes
 * @height: rows
 * @kind: which way; cudaMemcpyDefault: as the addresses are
 * @stream: in order of this one; 0: the default one
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue (it leaves the array),
 * cudaErrorInvalidResourceHandle, cudaErrorInvalidPitchValue,
 * cudaErrorInvalidMemcpyDirection.
 */
cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch,
				       cudaArray_const_t src, size_t wOffset,
				       size_t hOffset, size_t width,
				       size_t height, enum cudaMemcpyKind kind,
				       cudaStream_t stream);

/**
 * cudaMemcpy2DArrayToArray() - copy rows from array to array
 * @dst: target
 * @wOffsetDst: bytes in a row of the target
 * @hOffsetDst: first row of it
 * @src: source
 * @wOffsetSrc: bytes in a row of the source
 * @hOffsetSrc: first row of it
 * @width: of a row, bytes
 * @height: rows
 * @kind: which way; cudaMemcpyDefault: as the addresses are
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue (it leaves the array),
 * cudaErrorInvalidResourceHandle, cudaErrorInvalidPitchValue,
 * cudaErrorInvalidMemcpyDirection.
 */
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst,
				     size_t hOffsetDst, cudaArray_const_t src,
				     size_t wOffsetSrc, size_t hOffsetSrc,
				     size_t width, size_t height,
				     enum cudaMemcpyKind kind);

/**
 * cudaMemcpyToArray() - copy bytes to an array
 * @dst: target
 * @wOffset: bytes from the start of a row of the array
 * @hOffset: first row of the array
 * @src: source
 * @count: bytes; 0 does nothing
 * @kind: which way; cudaMemcpyDefault: as the addresses are
 *
 * Deprecated.
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue (it leaves the array),
 * cudaErrorInvalidResourceHandle, cudaErrorInvalidPitchValue,
 * cudaErrorInvalidMemcpyDirection.
 */
cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset,
			      const void *src, size_t count,
			      enum cudaMemcpyKind kind);

/**
 * cudaMemcpyToArrayAsync() - copy bytes to an array, in order of a stream
 * @dst: target
 * @wOffset: bytes from the start of a row of the array
 * @hOffset: first row of the array
 * @src: source
 * @count: bytes; 0 does nothing
 * @kind: which way; cudaMemcpyDefault: as the addresses are
 * @stream: in order of this one; 0: the default one
 *
 * Deprecated.
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue (it leaves the array),
 * cudaErrorInvalidResourceHandle, cudaErrorInvalidPitchValue,
 * cudaErrorInvalidMemcpyDirection.
 */
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset,
				   size_t hOffset, const void *src,
				   size_t count, enum cudaMemcpyKind kind,
				   cudaStream_t stream);

/**
 * cudaMemcpyFromArray() - copy bytes from an array
 * @dst: target
 * @src: source
 * @wOffset: bytes from the start of a row of the array
 * @hOffset: first row of the array
 * @count: bytes; 0 does nothing
 * @kind: which way; cudaMemcpyDefault: as the addresses are
 *
 * Deprecated.
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue (it leaves the array),
 * cudaErrorInvalidResourceHandle, cudaErrorInvalidPitchValue,
 * cudaErrorInvalidMemcpyDirection.
 */
cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src,
				size_t wOffset, size_t hOffset, size_t count,
				enum cudaMemcpyKind kind);

/**
 * cudaMemcpyFromArrayAsync() - copy bytes from an array, in order of a stream
 * @dst: target
 * @src: source
 * @wOffset: bytes from the start of a row of the array
 * @hOffset: first row of the array
 * @count: bytes; 0 does nothing
 * @kind: which way; cudaMemcpyDefault: as the addresses are
 * @stream: in order of this one; 0: the default one
 *
 * Deprecated.
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue (it leaves the array),
 * cudaErrorInvalidResourceHandle, cudaErrorInvalidPitchValue,
 * cudaErrorInvalidMemcpyDirection.
 */
cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src,
				     size_t wOffset, size_t hOffset,
				     size_t count, enum cudaMemcpyKind kind,
				     cudaStream_t stream);

/**
 * cudaMemcpyArrayToArray() - copy bytes from array to array
 * @dst: target
 * @wOffsetDst: bytes in a row of the target
 * @hOffsetDst: first row of it
 * @src: source
 * @wOffsetSrc: bytes in a row of the source
 * @hOffsetSrc: first row of it
 * @count: bytes; 0 does nothing
 * @kind: which way; cudaMemcpyDefault: as the addresses are
 *
 * Deprecated.
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue (it leaves the array),
 * cudaErrorInvalidResourceHandle, cudaErrorInvalidPitchValue,
 * cudaErrorInvalidMemcpyDirection.
 */
cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst,
				   size_t hOffsetDst, cudaArray_const_t src,
				   size_t wOffsetSrc, size_t hOffsetSrc,
				   size_t count, enum cudaMemcpyKind kind);

cudaError_t
cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *to,
			       cudaArray_t array, int device);
cudaError_t
cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *to,
					cudaMipmappedArray_t mipmap,
					int device);
cudaError_t
cudaArrayGetSparseProperties(struct cudaArraySparseProperties *sparseProperties,
			     cudaArray_t array);
cudaError_t
cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties *to,
				      cudaMipmappedArray_t mipmap);

/* Texture and surface objects */

/**
 * cudaCreateTextureObject() - let kernels read by coordinates
 * @pTexObject: out
 * @pResDesc: what
 * @pTexDesc: how
 * @pResViewDesc: as what format; NULL: its own
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue,
 * cudaErrorInvalidChannelDescriptor, cudaErrorInvalidResourceHandle.
 */
cudaError_t
cudaCreateTextureObject(cudaTextureObject_t *pTexObject,
			const struct cudaResourceDesc *pResDesc,
			const struct cudaTextureDesc *pTexDesc,
			const struct cudaResourceViewDesc *pResViewDesc);

/**
 * cudaDestroyTextureObject() - take that away
 * @texObject: texture, or 0
 *
 * Return: cudaSuccess, or an error of earlier work.
 */
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texObject);

/**
 * cudaGetTextureObjectResourceDesc() - what a texture shows
 * @pResDesc: out
 * @texObject: texture
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *pResDesc,
					     cudaTextureObject_t texObject);

/**
 * cudaGetTextureObjectTextureDesc() - how it shows that
 * @pTexDesc: out
 * @texObject: texture
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *pTexDesc,
					    cudaTextureObject_t texObject);

/**
 * cudaGetTextureObjectResourceViewDesc() - as what format
 * @pResViewDesc: out
 * @texObject: texture
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t
cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *pResViewDesc,
				     cudaTextureObject_t texObject);

/**
 * cudaCreateSurfaceObject() - let kernels write an array
 * @pSurfObject: out
 * @pResDesc: which: one with cudaArraySurfaceLoadStore
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue,
 * cudaErrorInvalidChannelDescriptor (it is no array).
 */
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *pSurfObject,
				    const struct cudaResourceDesc *pResDesc);

/**
 * cudaDestroySurfaceObject() - take that away
 * @surfObject: surface, or 0
 *
 * Return: cudaSuccess, or an error of earlier work.
 */
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject);

/**
 * cudaGetSurfaceObjectResourceDesc() - which array it is
 * @pResDesc: out
 * @surfObject: surface
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *pResDesc,
					     cudaSurfaceObject_t surfObject);

/* Streams */
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status,
				     void *userData);

/**
 * cudaStreamCreate() - make a stream
 * @pStream: out
 *
 * mem_stream_create().
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaStreamCreate(cudaStream_t *pStream);

/**
 * cudaStreamCreateWithFlags() - make a stream
 * @pStream: out
 * @flags: 0, or cudaStreamNonBlocking: it does not wait for the NULL stream,
 *	nor that for it
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream,
				      unsigned int flags);

/**
 * cudaStreamCreateWithPriority() - make a stream that goes before others
 * @pStream: out
 * @flags: as cudaStreamCreateWithFlags()
 * @priority: below 0: before those with 0; clamped
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *pStream,
					 unsigned int flags, int priority);

/**
 * cudaStreamDestroy() - forget a stream when its work is done
 * @stream: stream that was made
 *
 * mem_stream_destroy(). Memory that is single to it falls back to its default.
 *
 * Return: cudaSuccess, or cudaErrorInvalidResourceHandle.
 */
cudaError_t cudaStreamDestroy(cudaStream_t stream);

/**
 * cudaStreamGetPriority() - its priority
 * @hStream: stream; 0: the default one
 * @priority: out
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue,
 * cudaErrorInvalidResourceHandle.
 */
cudaError_t cudaStreamGetPriority(cudaStream_t hStream, int *priority);

/**
 * cudaStreamGetFlags() - its flags
 * @hStream: stream; 0: the default one
 * @flags: out
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue,
 * cudaErrorInvalidResourceHandle.
 */
cudaError_t cudaStreamGetFlags(cudaStream_t hStream, unsigned int *flags);

/**
 * cudaStreamGetId() - its number
 * @hStream: stream; 0: the default one
 * @streamId: out: never used again
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue,
 * cudaErrorInvalidResourceHandle.
 */
cudaError_t cudaStreamGetId(cudaStream_t hStream, unsigned long long *streamId);

/**
 * cudaStreamGetDevice() - its device
 * @hStream: stream; 0: the default one
 * @device: out: its number
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue,
 * cudaErrorInvalidResourceHandle.
 */
cudaError_t cudaStreamGetDevice(cudaStream_t hStream, int *device);

/**
 * cudaStreamQuery() - return whether all work of a stream is done
 * @stream: stream; 0: the default one
 *
 * mem_stream_query(): success counts as having waited.
 *
 * Return: cudaSuccess, or cudaErrorNotReady (no),
 * cudaErrorInvalidResourceHandle.
 */
cudaError_t cudaStreamQuery(cudaStream_t stream);

/**
 * cudaStreamSynchronize() - wait for a stream
 * @stream: stream; 0: the default one
 *
 * mem_stream_sync().
 *
 * Return: cudaSuccess, or cudaErrorInvalidResourceHandle, cudaErrorNotPermitted
 * (in a host function).
 */
cudaError_t cudaStreamSynchronize(cudaStream_t stream);

/**
 * cudaStreamWaitEvent() - have a stream's further work wait for an event
 * @stream: stream; 0: the default one
 * @event: event
 * @flags: 0 or cudaEventWaitExternal
 *
 * mem_stream_wait_event().
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue,
 * cudaErrorInvalidResourceHandle.
 */
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
				unsigned int flags);

/**
 * cudaStreamAddCallback() - have a function called, with the error
 * @stream: in order of this one; 0: the default one
 * @callback: function
 * @userData: for it
 * @flags: 0
 *
 * mem_stream_add_callback(). What it may call: mem_stream_call().
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaStreamAddCallback(cudaStream_t stream,
				  cudaStreamCallback_t callback, void *userData,
				  unsigned int flags);

/**
 * cudaLaunchHostFunc() - have a function of the host called
 * @stream: in order of this one; 0: the default one
 * @fn: function
 * @userData: for it
 *
 * mem_stream_call(). Calls of CUDA in it return cudaErrorNotPermitted.
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn,
			       void *userData);

/**
 * cudaStreamAttachMemAsync() - say who may touch managed memory
 * @stream: in order of this one; 0: the default one
 * @devPtr: its start
 * @length: 0, or all of it
 * @flags: cudaMemAttachGlobal, cudaMemAttachHost or cudaMemAttachSingle
 *
 * mem_stream_attach(). What it gives is given in order of the stream, what it
 * takes is taken at once.
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue (it is not the start of managed
 * memory, another length, no such @flags, single to stream 0).
 */
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr,
				     size_t length, unsigned int flags);

/**
 * cudaStreamCopyAttributes() - have a stream be like another
 * @dst: stream; 0: the default one
 * @src: stream of the same context; 0: the default one
 *
 * Return: as cudaStreamGetAttribute().
 */
cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src);

/**
 * cudaStreamGetAttribute() - what a stream is like
 * @hStream: stream; 0: the default one
 * @attr: one that streams have
 * @value_out: out
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue,
 * cudaErrorInvalidResourceHandle.
 */
cudaError_t cudaStreamGetAttribute(cudaStream_t hStream,
				   cudaLaunchAttributeID attr,
				   cudaLaunchAttributeValue *value_out);

/**
 * cudaStreamSetAttribute() - say what a stream shall be like
 * @hStream: stream; 0: the default one
 * @attr: one that streams have
 * @value: it is stored for queries and has no effect
 *
 * Return: as cudaStreamGetAttribute().
 */
cudaError_t cudaStreamSetAttribute(cudaStream_t hStream,
				   cudaLaunchAttributeID attr,
				   const cudaLaunchAttributeValue *value);

/* Events */

/**
 * cudaEventCreate() - make an event
 * @event: out
 *
 * mem_event_create().
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaEventCreate(cudaEvent_t *event);

/**
 * cudaEventCreateWithFlags() - make an event
 * @event: out
 * @flags: cudaEvent*
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);

/**
 * cudaEventRecord() - let an event stand for what a stream has so far
 * @event: event
 * @stream: in order of this one; 0: the default one
 *
 * mem_event_record().
 *
 * Return: cudaSuccess, or cudaErrorInvalidResourceHandle.
 */
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);

/**
 * cudaEventRecordWithFlags() - cudaEventRecord()
 * @event: event
 * @stream: in order of this one; 0: the default one
 * @flags: 0 or cudaEventRecordExternal
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue,
 * cudaErrorInvalidResourceHandle.
 */
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
				     unsigned int flags);

/**
 * cudaEventQuery() - return whether the recorded work is done
 * @event: event
 *
 * mem_event_query(): success counts as having waited. One that was never
 * recorded is done.
 *
 * Return: cudaSuccess, or cudaErrorNotReady (no),
 * cudaErrorInvalidResourceHandle.
 */
cudaError_t cudaEventQuery(cudaEvent_t event);

/**
 * cudaEventSynchronize() - wait for that
 * @event: event
 *
 * mem_event_sync().
 *
 * Return: cudaSuccess, or cudaErrorInvalidResourceHandle.
 */
cudaError_t cudaEventSynchronize(cudaEvent_t event);

/**
 * cudaEventDestroy() - forget an event
 * @event: event
 *
 * mem_event_destroy(). Who waits for it goes on waiting.
 *
 * Return: cudaSuccess, or cudaErrorInvalidResourceHandle.
 */
cudaError_t cudaEventDestroy(cudaEvent_t event);

/**
 * cudaEventElapsedTime() - time between two events
 * @ms: out: milliseconds
 * @start: the one
 * @end: the other
 *
 * mem_event_elapsed().
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorInvalidResourceHandle
 * (never recorded, or without time), cudaErrorNotReady.
 */
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end);

/* Kernels */

/**
 * cudaLaunchKernel() - run a kernel
 * @func: kernel
 * @gridDim: blocks
 * @blockDim: threads of a block
 * @args: addresses of the parameters' values
 * @sharedMem: dynamic shared memory of a block, bytes
 * @stream: in order of this one; 0: the default one
 *
 * mem_launch(). In C++ the kernel's parameters are known by its type, in C by
 * what registers it: cuda_runtime.h.
 *
 * Return: cudaSuccess, or cudaErrorInvalidDeviceFunction (no kernel of the
 * program), cudaErrorInvalidConfiguration, cudaErrorInvalidValue.
 */
cudaError_t cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim,
			     void **args, size_t sharedMem,
			     cudaStream_t stream);

/**
 * cudaLaunchKernelExC() - run a kernel
 * @config: how
 * @func: kernel
 * @args: addresses of the parameters' values
 *
 * Return: cudaSuccess, or cudaErrorInvalidDeviceFunction (no kernel of the
 * program), cudaErrorInvalidConfiguration, cudaErrorInvalidValue,
 * cudaErrorNotSupported (an attribute that no board here has).
 */
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
				const void *func, void **args);

/**
 * cudaLaunchCooperativeKernel() - run a kernel whose blocks wait for each other
 * @func: kernel
 * @gridDim: blocks
 * @blockDim: threads of a block
 * @args: addresses of the parameters' values
 * @sharedMem: dynamic shared memory of a block, bytes
 * @stream: in order of this one; 0: the default one
 *
 * Return: cudaSuccess, or cudaErrorInvalidDeviceFunction (no kernel of the
 * program), cudaErrorInvalidConfiguration, cudaErrorInvalidValue,
 * cudaErrorNotSupported.
 */
cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 gridDim,
					dim3 blockDim, void **args,
					size_t sharedMem, cudaStream_t stream);

/**
 * cudaFuncGetAttributes() - what a kernel is like
 * @attr: out
 * @func: kernel
 *
 * Return: cudaSuccess, or cudaErrorInvalidDeviceFunction,
 * cudaErrorInvalidValue.
 */
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr,
				  const void *func);

/**
 * cudaFuncSetAttribute() - how a kernel shall be
 * @func: kernel
 * @attr: which
 * @value: what
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue,
 * cudaErrorInvalidDeviceFunction.
 */
cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr,
				 int value);

/**
 * cudaFuncSetCacheConfig() - prefer a cache for a kernel
 * @func: kernel
 * @cacheConfig: which
 *
 * A hint, which nothing follows.
 *
 * Return: cudaSuccess, or cudaErrorInvalidDeviceFunction.
 */
cudaError_t cudaFuncSetCacheConfig(const void *func,
				   enum cudaFuncCache cacheConfig);

cudaError_t cudaFuncSetSharedMemConfig(const void *func,
				       enum cudaSharedMemConfig config);
cudaError_t cudaFuncGetName(const char **name, const void *func);
cudaError_t cudaFuncGetParamInfo(const void *func, size_t paramIndex,
				 size_t *paramOffset, size_t *paramSize);

/**
 * cudaOccupancyMaxActiveBlocksPerMultiprocessor() - how many blocks run at once
 * @numBlocks: out: a multiprocessor
 * @func: kernel
 * @blockSize: threads of one
 * @dynamicSMemSize: of one, bytes
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue,
 * cudaErrorInvalidDeviceFunction.
 */
cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func,
					      int blockSize,
					      size_t dynamicSMemSize);

/**
 * cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags() - do so
 * @numBlocks: out: a multiprocessor
 * @func: kernel
 * @blockSize: threads of one
 * @dynamicSMemSize: of one, bytes
 * @flags: cudaOccupancy*
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue,
 * cudaErrorInvalidDeviceFunction.
 */
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
/**
 * cudaGetFuncBySymbol() - the driver's handle of a kernel
 * @functionPtr: out: for cuLaunchKernel()
 * @symbolPtr: the kernel, as cudaLaunchKernel() takes it
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorInvalidDeviceFunction
 * (no kernel of the program).
 */
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *functionPtr,
				const void *symbolPtr);

/**
 * cudaGetKernel() - a handle of a kernel
 * @kernelPtr: out: for cudaLaunchKernel()
 * @entryFuncAddr: the kernel, as cudaLaunchKernel() takes it
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorInvalidDeviceFunction
 * (no kernel of the program).
 */
cudaError_t cudaGetKernel(cudaKernel_t *kernelPtr, const void *entryFuncAddr);

/* Other processes */

/**
 * cudaIpcGetEventHandle() - let other processes have an event
 * @handle: out
 * @event: one with cudaEventInterprocess
 *
 * Return: cudaErrorNotSupported.
 */
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle,
				  cudaEvent_t event);

/**
 * cudaIpcOpenEventHandle() - another process's event
 * @event: out
 * @handle: from there
 *
 * Return: cudaErrorNotSupported.
 */
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event,
				   cudaIpcEventHandle_t handle);

/**
 * cudaIpcGetMemHandle() - let other processes have device memory
 * @handle: out: good until the memory is freed, or this process ends
 * @devPtr: its start, or any byte of it: others get the start
 *
 * mem_ptr_export(), which the first time waits for work.
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue (an argument is NULL, it is not
 * this process's own device memory), cudaErrorMemoryAllocation,
 * cudaErrorOperatingSystem (no descriptor is left), cudaErrorNotSupported
 * (every Tegra before Thor; over the module).
 */
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *devPtr);

/**
 * cudaIpcOpenMemHandle() - another process's device memory
 * @devPtr: out: its start; the same as long as it is open
 * @handle: from there
 * @flags: cudaIpcMemLazyEnablePeerAccess
 *
 * mem_ptr_import(). cudaIpcCloseMemHandle() gives it back, as often as it was
 * opened; cudaFree() does not.
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue (@devPtr is NULL, other flags,
 * no handle), cudaErrorDeviceUninitialized (it is this process's own),
 * cudaErrorInvalidResourceHandle (the memory was freed, or its process has
 * ended), cudaErrorMapBufferObjectFailed (it is another user's),
 * cudaErrorMemoryAllocation, cudaErrorOperatingSystem (no descriptor is left),
 * cudaErrorNotSupported (every Tegra before Thor; over the module).
 */
cudaError_t cudaIpcOpenMemHandle(void **devPtr, cudaIpcMemHandle_t handle,
				 unsigned int flags);

/**
 * cudaIpcCloseMemHandle() - no longer
 * @devPtr: from cudaIpcOpenMemHandle()
 *
 * Waits for all work.
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue (it is not open),
 * cudaErrorNotSupported (every Tegra before Thor).
 */
cudaError_t cudaIpcCloseMemHandle(void *devPtr);

/* Memory and semaphores of others */

/**
 * cudaImportExternalMemory() - take memory of another driver
 * @extMem_out: out: cudaDestroyExternalMemory()
 * @memHandleDesc: what: a descriptor that can be mapped shared, to read and
 *	write: a memfd, a dma-buf whose driver can. It is the library's from
 *	then on, if all is well. Or an NvSciBufObj, of which a reference is
 *	kept
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue (an argument is NULL, no such
 * type or flags, no size, no descriptor or object, a file or object that is
 * shorter), cudaErrorOperatingSystem (it cannot be mapped),
 * cudaErrorMemoryAllocation, cudaErrorNotPermitted (the object's attributes
 * name no engine that runs kernels), cudaErrorNotSupported (handles that Linux
 * has not; over the module descriptors).
 */
cudaError_t cudaImportExternalMemory(cudaExternalMemory_t *extMem_out,
		const struct cudaExternalMemoryHandleDesc *memHandleDesc);

/**
 * cudaExternalMemoryGetMappedBuffer() - part of it as device memory
 * @devPtr: out: cudaFree()
 * @extMem: which
 * @bufferDesc: which part
 *
 * mem_ptr_import(); of an object where engines have it, and as long as it is
 * mapped the object stays. Kernels may write what the object's permission lets
 * the program write: else cudaErrorIllegalAddress, and cudaErrorNotPermitted of
 * copies.
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue (an argument is NULL, flags, no
 * size, more than there is), cudaErrorInvalidResourceHandle (it was destroyed,
 * it is none), cudaErrorMemoryAllocation, cudaErrorOperatingSystem (no
 * descriptor is left).
 */
cudaError_t cudaExternalMemoryGetMappedBuffer(void **devPtr,
		cudaExternalMemory_t extMem,
		const struct cudaExternalMemoryBufferDesc *bufferDesc);

/**
 * cudaExternalMemoryGetMappedMipmappedArray() - part of it as arrays
 * @mipmap: out: cudaFreeMipmappedArray()
 * @extMem: which
 * @mipmapDesc: which part, as what
 *
 * Levels are one behind the other, the finest first, each in rows of a multiple
 * of 512 bytes. A GPU has an order of its own. One level that begins where a
 * plane of an object's image does is that plane.
 *
 * Return: cudaSuccess, or cudaErrorInvalidResourceHandle (it was destroyed, it
 * is none), cudaErrorInvalidValue (there is not so much), or as
 * cudaMallocMipmappedArray().
 */
cudaError_t
cudaExternalMemoryGetMappedMipmappedArray(cudaMipmappedArray_t *mipmap,
		cudaExternalMemory_t extMem,
		const struct cudaExternalMemoryMipmappedArrayDesc *mipmapDesc);

/**
 * cudaDestroyExternalMemory() - give it back
 * @extMem: which; what is mapped of it is to be freed all the same, before or
 *	after
 *
 * Return: cudaSuccess, or cudaErrorInvalidResourceHandle (it was destroyed, it
 * is none).
 */
cudaError_t cudaDestroyExternalMemory(cudaExternalMemory_t extMem);

/**
 * cudaImportExternalSemaphore() - take a semaphore
 * @extSem_out: out
 * @semHandleDesc: an opaque descriptor: an eventfd, the library's from then on;
 *	or an NvSciSyncObj, of which a reference is kept
 *
 * mem_semaphore_import().
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorOperatingSystem (it
 * is no eventfd), cudaErrorNotSupported (another type).
 */
cudaError_t cudaImportExternalSemaphore(cudaExternalSemaphore_t *extSem_out,
		const struct cudaExternalSemaphoreHandleDesc *semHandleDesc);

/**
 * cudaSignalExternalSemaphoresAsync() - signal semaphores in order of a stream
 * @extSemArray: which
 * @paramsArray: one each; of an NvSciSyncObj with the initialised fence that is
 *	set; of others with no flags
 * @numExtSems: how many
 * @stream: in order of this one; 0: the default one
 *
 * mem_stream_signal_semaphore(), mem_stream_signal_timeline().
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue,
 * cudaErrorInvalidResourceHandle, cudaErrorNotPermitted (in a host function).
 */
cudaError_t
cudaSignalExternalSemaphoresAsync(const cudaExternalSemaphore_t *extSemArray,
		const struct cudaExternalSemaphoreSignalParams *paramsArray,
		unsigned int numExtSems, cudaStream_t stream);

/**
 * cudaWaitExternalSemaphoresAsync() - have a stream wait for semaphores
 * @extSemArray: which
 * @paramsArray: one each; of an NvSciSyncObj with the fence that is waited for;
 *	of others with no flags
 * @numExtSems: how many
 * @stream: in order of this one; 0: the default one
 *
 * mem_stream_wait_semaphore(), mem_stream_wait_timeline().
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue,
 * cudaErrorInvalidResourceHandle, cudaErrorNotPermitted (in a host function).
 */
cudaError_t
cudaWaitExternalSemaphoresAsync(const cudaExternalSemaphore_t *extSemArray,
		const struct cudaExternalSemaphoreWaitParams *paramsArray,
		unsigned int numExtSems, cudaStream_t stream);

/**
 * cudaDeviceGetNvSciSyncAttributes() - set what a GPU needs in a list
 * @nvSciSyncAttrList: NvSciSyncAttrList, unreconciled, with no permission yet
 * @device: GPU
 * @flags: cudaNvSciSyncAttrSignal: it signals; cudaNvSciSyncAttrWait: it waits;
 *	or both
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorInvalidDevice.
 */
cudaError_t cudaDeviceGetNvSciSyncAttributes(void *nvSciSyncAttrList,
					     int device, int flags);

/**
 * cudaDestroyExternalSemaphore() - give it back
 * @extSem: which; waits and signals that streams have go on
 *
 * Return: cudaSuccess, or cudaErrorInvalidResourceHandle.
 */
cudaError_t cudaDestroyExternalSemaphore(cudaExternalSemaphore_t extSem);

/* Memory in order of a stream, and pools */

/**
 * cudaMallocAsync() - device memory from a stream's order on
 * @devPtr: out
 * @size: bytes
 * @hStream: stream; 0: the default one
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorMemoryAllocation.
 */
cudaError_t cudaMallocAsync(void **devPtr, size_t size, cudaStream_t hStream);

/**
 * cudaFreeAsync() - give it back in order of a stream
 * @devPtr: its start, or NULL
 * @hStream: stream; 0: the default one
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t hStream);

/**
 * cudaDeviceGetDefaultMemPool() - the pool that a device always has
 * @memPool: out
 * @device: device
 *
 * Return: cudaSuccess, or cudaErrorInvalidDevice, cudaErrorInvalidValue,
 * cudaErrorNotSupported (the board has no pools).
 */
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device);

/**
 * cudaDeviceSetMemPool() - have cudaMallocAsync() allocate from another pool
 * @device: device
 * @memPool: a pool of its
 *
 * Return: as cudaDeviceGetDefaultMemPool().
 */
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t memPool);

/**
 * cudaDeviceGetMemPool() - the pool that cudaMallocAsync() allocates from
 * @memPool: out
 * @device: device
 *
 * Return: as cudaDeviceGetDefaultMemPool().
 */
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device);

/**
 * cudaMemPoolTrimTo() - have a pool hold back less
 * @memPool: pool
 * @minBytesToKeep: bytes that it may
 *
 * What was given back may go when the host waits for all work, and then goes.
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorNotSupported (the
 * board has no pools).
 */
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep);

/**
 * cudaMemPoolSetAttribute() - say what a pool shall be like
 * @memPool: pool
 * @attr: what of it
 * @value: int of those about reuse, else an unsigned number of 64 bits; of the
 *	most that there was 0: count from what there is
 *
 * Return: as cudaMemPoolTrimTo().
 */
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool,
				    enum cudaMemPoolAttr attr, void *value);

/**
 * cudaMemPoolGetAttribute() - what a pool is like
 * @memPool: pool
 * @attr: what of it
 * @value: out: int of those about reuse, else an unsigned number of 64 bits
 *
 * Return: as cudaMemPoolTrimTo().
 */
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool,
				    enum cudaMemPoolAttr attr, void *value);

/**
 * cudaMemPoolSetAccess() - say who has a pool's memory
 * @memPool: pool
 * @descList: who and how: the pool's own device reads and writes
 * @count: how many
 *
 * Return: as cudaMemPoolTrimTo(), or cudaErrorInvalidDevice (not the pool's).
 */
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t memPool,
				 const struct cudaMemAccessDesc *descList,
				 size_t count);

/**
 * cudaMemPoolGetAccess() - who has a pool's memory
 * @flags: out: how
 * @memPool: pool
 * @location: who
 *
 * Return: as cudaMemPoolSetAccess().
 */
cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags,
				 cudaMemPool_t memPool,
				 struct cudaMemLocation *location);

/**
 * cudaMemPoolCreate() - make a pool
 * @memPool: out: cudaMemPoolDestroy()
 * @poolProps: device memory of a device that other processes do not have
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorNotSupported (the
 * board has no pools, or none of these), cudaErrorMemoryAllocation.
 */
cudaError_t cudaMemPoolCreate(cudaMemPool_t *memPool,
			      const struct cudaMemPoolProps *poolProps);

/**
 * cudaMemPoolDestroy() - nothing is allocated from a pool any more
 * @memPool: pool; not the one that a device always has
 *
 * What has been stays until it is given back.
 *
 * Return: as cudaMemPoolTrimTo().
 */
cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool);

/**
 * cudaMallocFromPoolAsync() - cudaMallocAsync() of a pool that is named
 * @ptr: out
 * @size: bytes
 * @memPool: pool
 * @stream: stream; 0: the default one
 *
 * Return: as cudaMallocAsync(), or cudaErrorNotSupported (the board has no
 * pools).
 */
cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size,
				    cudaMemPool_t memPool, cudaStream_t stream);

/* Missing: pools of other processes, of other memory */
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
cudaGraphicsResourceGetMappedMipmappedArray(cudaMipmappedArray_t *to,
					    cudaGraphicsResource_t resource);

/* Entries of the driver, libraries of code, logs */
typedef void (*cudaLogsCallback_t)(void *data, cudaLogLevel logLevel,
				   char *message, size_t length);

#if CUDART_VERSION >= 12000

/**
 * cudaGetDriverEntryPoint() - a call of the driver by its name
 * @symbol: its name, without a version
 * @funcPtr: out
 * @flags: cudaEnable*
 * @driverStatus: out: why not; may be NULL
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorSymbolNotFound (and
 * no @driverStatus).
 */
cudaError_t
cudaGetDriverEntryPoint(const char *symbol, void **funcPtr,
			unsigned long long flags,
			enum cudaDriverEntryPointQueryResult *driverStatus);

#else
cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **funcPtr,
				    unsigned long long flags);
#endif

/**
 * cudaGetDriverEntryPointByVersion() - a call as a version of CUDA had it
 * @symbol: its name, without a version
 * @funcPtr: out
 * @cudaVersion: as CUDA_VERSION
 * @flags: cudaEnable*
 * @driverStatus: out: why not; may be NULL
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue, cudaErrorSymbolNotFound.
 */
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **funcPtr,
		unsigned int cudaVersion, unsigned long long flags,
		enum cudaDriverEntryPointQueryResult *driverStatus);

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

/**
 * cudaThreadExchangeStreamCaptureMode() - what a thread may do while captured
 * @mode: mode; out: what it was; there are no graphs
 *
 * Return: cudaSuccess or cudaErrorInvalidValue.
 */
cudaError_t
cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode);

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph);

/**
 * cudaStreamIsCapturing() - return whether a stream is being captured
 * @stream: stream; 0: the default one
 * @pCaptureStatus: out: no
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue,
 * cudaErrorInvalidResourceHandle.
 */
cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
				  enum cudaStreamCaptureStatus *pCaptureStatus);

#if CUDART_VERSION >= 13000

/**
 * cudaStreamGetCaptureInfo() - return whether a stream is being captured
 * @stream: stream; 0: the default one
 * @captureStatus_out: out: no
 * @id_out: not written
 * @graph_out: not written
 * @dependencies_out: not written
 * @edgeData_out: not written
 * @numDependencies_out: not written
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue,
 * cudaErrorInvalidResourceHandle.
 */
cudaError_t
cudaStreamGetCaptureInfo(cudaStream_t stream,
			 enum cudaStreamCaptureStatus *captureStatus_out,
			 unsigned long long *id_out, cudaGraph_t *graph_out,
			 const cudaGraphNode_t **dependencies_out,
			 const cudaGraphEdgeData **edgeData_out,
			 size_t *numDependencies_out);

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

/**
 * cudaThreadExit() - cudaDeviceReset()
 *
 * Return: cudaSuccess, or an error of earlier work.
 */
cudaError_t cudaThreadExit(void);

/**
 * cudaThreadSynchronize() - cudaDeviceSynchronize()
 *
 * Return: cudaSuccess, or an error of earlier work.
 */
cudaError_t cudaThreadSynchronize(void);

/**
 * cudaThreadSetLimit() - cudaDeviceSetLimit()
 * @limit: of what
 * @value: how much
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value);

/**
 * cudaThreadGetLimit() - cudaDeviceGetLimit()
 * @pValue: out
 * @limit: of what
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaThreadGetLimit(size_t *pValue, enum cudaLimit limit);

/**
 * cudaThreadGetCacheConfig() - cudaDeviceGetCacheConfig()
 * @pCacheConfig: out
 *
 * Return: cudaSuccess, or cudaErrorInvalidValue.
 */
cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *pCacheConfig);

/**
 * cudaThreadSetCacheConfig() - cudaDeviceSetCacheConfig()
 * @cacheConfig: which
 *
 * Return: cudaSuccess, or an error of earlier work.
 */
cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache cacheConfig);

cudaError_t cudaSetDoubleForDevice(double *d);
cudaError_t cudaSetDoubleForHost(double *d);
cudaError_t
cudaLaunchCooperativeKernelMultiDevice(struct cudaLaunchParams *list,
				       unsigned int numDevices,
				       unsigned int flags __dv(0));
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
/* The same again: what need not be given. */
cudaError_t cudaMallocManaged(void **devPtr, size_t size,
			      unsigned int flags = 1);
#if CUDART_VERSION >= 13000
cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count,
				 struct cudaMemLocation location,
				 unsigned int flags,
				 cudaStream_t stream = 0);
#endif
cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count,
			    enum cudaMemcpyKind kind,
			    cudaStream_t stream = 0);
cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src,
			      size_t spitch, size_t width, size_t height,
			      enum cudaMemcpyKind kind,
			      cudaStream_t stream = 0);
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p,
			      cudaStream_t stream = 0);
cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src,
				int srcDevice, size_t count,
				cudaStream_t stream = 0);
cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p,
				  cudaStream_t stream = 0);
cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count,
			    cudaStream_t stream = 0);
cudaError_t cudaMemset2DAsync(void *devPtr, size_t pitch, int value,
			      size_t width, size_t height,
			      cudaStream_t stream = 0);
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value,
			      struct cudaExtent extent,
			      cudaStream_t stream = 0);
cudaError_t
cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count,
		   size_t offset = 0,
		   enum cudaMemcpyKind kind = cudaMemcpyHostToDevice);
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src,
				    size_t count, size_t offset,
				    enum cudaMemcpyKind kind,
				    cudaStream_t stream = 0);
cudaError_t
cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count,
		     size_t offset = 0,
		     enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost);
cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol,
				      size_t count, size_t offset,
				      enum cudaMemcpyKind kind,
				      cudaStream_t stream = 0);
cudaError_t cudaMallocArray(cudaArray_t *array,
			    const struct cudaChannelFormatDesc *desc,
			    size_t width, size_t height = 0,
			    unsigned int flags = 0);
cudaError_t cudaMalloc3DArray(cudaArray_t *array,
			      const struct cudaChannelFormatDesc *desc,
			      struct cudaExtent extent,
			      unsigned int flags = 0);
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmappedArray,
				     const struct cudaChannelFormatDesc *desc,
				     struct cudaExtent extent,
				     unsigned int numLevels,
				     unsigned int flags = 0);
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset,
				     size_t hOffset, const void *src,
				     size_t spitch, size_t width, size_t height,
				     enum cudaMemcpyKind kind,
				     cudaStream_t stream = 0);
cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch,
				       cudaArray_const_t src, size_t wOffset,
				       size_t hOffset, size_t width,
				       size_t height, enum cudaMemcpyKind kind,
				       cudaStream_t stream = 0);
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst,
		size_t hOffsetDst, cudaArray_const_t src, size_t wOffsetSrc,
		size_t hOffsetSrc, size_t width, size_t height,
		enum cudaMemcpyKind kind = cudaMemcpyDeviceToDevice);
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset,
				   size_t hOffset, const void *src,
				   size_t count, enum cudaMemcpyKind kind,
				   cudaStream_t stream = 0);
cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src,
				     size_t wOffset, size_t hOffset,
				     size_t count, enum cudaMemcpyKind kind,
				     cudaStream_t stream = 0);
cudaError_t
cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
		       cudaArray_const_t src, size_t wOffsetSrc,
		       size_t hOffsetSrc, size_t count,
		       enum cudaMemcpyKind kind = cudaMemcpyDeviceToDevice);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
				unsigned int flags = 0);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr,
				     size_t length = 0,
				     unsigned int flags = 4);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = 0);
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event,
				     cudaStream_t stream = 0,
				     unsigned int flags = 0);
cudaError_t
cudaSignalExternalSemaphoresAsync(const cudaExternalSemaphore_t *extSemArray,
		const struct cudaExternalSemaphoreSignalParams *paramsArray,
		unsigned int numExtSems, cudaStream_t stream = 0);
cudaError_t
cudaWaitExternalSemaphoresAsync(const cudaExternalSemaphore_t *extSemArray,
		const struct cudaExternalSemaphoreWaitParams *paramsArray,
		unsigned int numExtSems, cudaStream_t stream = 0);
#if CUDART_VERSION >= 12000
cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **funcPtr,
		unsigned long long flags,
		enum cudaDriverEntryPointQueryResult *driverStatus = NULL);
#endif
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **funcPtr,
		unsigned int cudaVersion, unsigned long long flags,
		enum cudaDriverEntryPointQueryResult *driverStatus = 0);
#if CUDART_VERSION >= 13000
cudaError_t
cudaStreamGetCaptureInfo(cudaStream_t stream,
			 enum cudaStreamCaptureStatus *captureStatus_out,
			 unsigned long long *id_out = 0,
			 cudaGraph_t *graph_out = 0,
			 const cudaGraphNode_t **dependencies_out = 0,
			 const cudaGraphEdgeData **edgeData_out = 0,
			 size_t *numDependencies_out = 0);
#endif
#endif

#ifdef __cplusplus
}
#endif

#include "channel_descriptor.h"

#endif
