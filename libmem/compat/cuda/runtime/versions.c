// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Runtime: calls for programs of older versions. Up to 12.6 these had the
 * number of a device where 13.0 has a location. This file also defines the
 * names that 11.2 to 12.9 used for 13.0's calls.
 */
#include "runtime.h"

/* Short names, so that declarations fit a line */
typedef const struct cudaExternalSemaphoreSignalParams signal_params;
typedef const struct cudaExternalSemaphoreWaitParams wait_params;

/* Symbols of older programs */
cudaError_t cudaMemAdvise_12060(const void *devPtr, size_t count,
				enum cudaMemoryAdvise advice, int device);
cudaError_t cudaMemPrefetchAsync_12060(const void *devPtr, size_t count,
				       int dstDevice, cudaStream_t stream);
cudaError_t cudaMemPrefetchAsync_12060_ptsz(const void *devPtr, size_t count,
					    int dstDevice,
					    cudaStream_t stream);
cudaError_t cudaMemPrefetchAsync_v2_ptsz(const void *devPtr, size_t count,
					 struct cudaMemLocation location,
					 unsigned int flags,
					 cudaStream_t stream);
cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *prop, int device);
cudaError_t
cudaSignalExternalSemaphoresAsync_v2(const cudaExternalSemaphore_t *extSemArray,
				     signal_params *paramsArray,
				     unsigned int numExtSems,
				     cudaStream_t stream);
cudaError_t
cudaSignalExternalSemaphoresAsync_v2_ptsz(const cudaExternalSemaphore_t *all,
					  signal_params *paramsArray,
					  unsigned int numExtSems,
					  cudaStream_t stream);
cudaError_t
cudaWaitExternalSemaphoresAsync_v2(const cudaExternalSemaphore_t *extSemArray,
				   wait_params *paramsArray,
				   unsigned int numExtSems,
				   cudaStream_t stream);
cudaError_t
cudaWaitExternalSemaphoresAsync_v2_ptsz(const cudaExternalSemaphore_t *all,
					wait_params *paramsArray,
					unsigned int numExtSems,
					cudaStream_t stream);
cudaError_t
cudaPointerGetAttributes_10020(struct cudaPointerAttributes *attributes,
			       const void *ptr);
cudaError_t cudaEventElapsedTime_v2(float *ms, cudaEvent_t start,
				    cudaEvent_t end);
cudaError_t cudaRuntimeGetVersion_10020(int *runtimeVersion);
cudaError_t cudaRuntimeGetVersion_11040(int *runtimeVersion);
cudaError_t cudaRuntimeGetVersion_12060(int *runtimeVersion);

static struct cudaMemLocation versions_location_of(int device)
{
	const struct cudaMemLocation location = {
		.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost :
						    cudaMemLocationTypeDevice,
		.id = device == cudaCpuDeviceId ? 0 : device,
	};

	return location;
}

static cudaStream_t versions_own(cudaStream_t stream)
{
	return stream ? stream : cudaStreamPerThread;
}

API cudaError_t cudaMemAdvise_12060(const void *devPtr, size_t count,
				    enum cudaMemoryAdvise advice, int device)
{
	return cudaMemAdvise(devPtr, count, advice,
			     versions_location_of(device));
}

API cudaError_t cudaMemPrefetchAsync_12060(const void *devPtr, size_t count,
					   int dstDevice, cudaStream_t stream)
{
	return cudaMemPrefetchAsync(devPtr, count,
				    versions_location_of(dstDevice), 0, stream);
}

API cudaError_t cudaMemPrefetchAsync_12060_ptsz(const void *devPtr,
						size_t count, int dstDevice,
						cudaStream_t stream)
{
	return cudaMemPrefetchAsync(devPtr, count,
				    versions_location_of(dstDevice), 0,
				    versions_own(stream));
}

API cudaError_t cudaMemAdvise_v2(const void *devPtr, size_t count,
				 enum cudaMemoryAdvise advice,
				 struct cudaMemLocation location)
{
	return cudaMemAdvise(devPtr, count, advice, location);
}

API cudaError_t cudaMemPrefetchAsync_v2(const void *devPtr, size_t count,
					struct cudaMemLocation location,
					unsigned int flags, cudaStream_t stream)
{
	return cudaMemPrefetchAsync(devPtr, count, location, flags, stream);
}

API cudaError_t cudaMemPrefetchAsync_v2_ptsz(const void *devPtr, size_t count,
					     struct cudaMemLocation location,
					     unsigned int flags,
					     cudaStream_t stream)
{
	return cudaMemPrefetchAsync(devPtr, count, location, flags,
				    versions_own(stream));
}

API cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *prop,
					   int device)
{
	return cudaGetDeviceProperties(prop, device);
}

API cudaError_t cudaEventElapsedTime_v2(float *ms, cudaEvent_t start,
					cudaEvent_t end)
{
	return cudaEventElapsedTime(ms, start, end);
}

/* The parameters were shorter before 11.2; headers kept the name _v2. */
API cudaError_t
cudaSignalExternalSemaphoresAsync_v2(const cudaExternalSemaphore_t *extSemArray,
				     signal_params *paramsArray,
				     unsigned int numExtSems,
				     cudaStream_t stream)
{
	return cudaSignalExternalSemaphoresAsync(extSemArray, paramsArray,
						 numExtSems, stream);
}

API cudaError_t
cudaSignalExternalSemaphoresAsync_v2_ptsz(const cudaExternalSemaphore_t *all,
					  signal_params *paramsArray,
					  unsigned int numExtSems,
					  cudaStream_t stream)
{
	return cudaSignalExternalSemaphoresAsync(all, paramsArray, numExtSems,
						 versions_own(stream));
}

API cudaError_t
cudaWaitExternalSemaphoresAsync_v2(const cudaExternalSemaphore_t *extSemArray,
				   wait_params *paramsArray,
				   unsigned int numExtSems,
				   cudaStream_t stream)
{
	return cudaWaitExternalSemaphoresAsync(extSemArray, paramsArray,
					       numExtSems, stream);
}

API cudaError_t
cudaWaitExternalSemaphoresAsync_v2_ptsz(const cudaExternalSemaphore_t *all,
					wait_params *paramsArray,
					unsigned int numExtSems,
					cudaStream_t stream)
{
	return cudaWaitExternalSemaphoresAsync(all, paramsArray, numExtSems,
					       versions_own(stream));
}

/* Up to 10.2 there was no type for memory that CUDA does not know. */
API cudaError_t
cudaPointerGetAttributes_10020(struct cudaPointerAttributes *attributes,
			       const void *ptr)
{
	cudaError_t rc = cudaPointerGetAttributes(attributes, ptr);

	if (!rc && attributes->type == cudaMemoryTypeUnregistered)
		return cudart_return(cudaErrorInvalidValue);
	return rc;
}

/* Before 4.0 a device belonged to a thread. */
API cudaError_t cudaThreadSynchronize(void)
{
	return cudaDeviceSynchronize();
}

API cudaError_t cudaThreadExit(void)
{
	return cudaDeviceReset();
}

API cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value)
{
	return cudaDeviceSetLimit(limit, value);
}

API cudaError_t cudaThreadGetLimit(size_t *pValue, enum cudaLimit limit)
{
	return cudaDeviceGetLimit(pValue, limit);
}

API cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache cacheConfig)
{
	return cudaDeviceSetCacheConfig(cacheConfig);
}

API cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *pCacheConfig)
{
	return cudaDeviceGetCacheConfig(pCacheConfig);
}

/* GPUs of capability 1.3 and higher have the host's doubles. */
API cudaError_t cudaSetDoubleForDevice(double *d)
{
	return d ? cudaSuccess : cudart_return(cudaErrorInvalidValue);
}

API cudaError_t cudaSetDoubleForHost(double *d)
{
	return d ? cudaSuccess : cudart_return(cudaErrorInvalidValue);
}

/* Returns the version for which the program was built. */
static cudaError_t versions_return(int *to, int number)
{
	const cudaError_t rc = cudaRuntimeGetVersion(to);

	if (!rc)
		*to = number;
	return rc;
}

API cudaError_t cudaRuntimeGetVersion_10020(int *runtimeVersion)
{
	return versions_return(runtimeVersion, 10020);
}

API cudaError_t cudaRuntimeGetVersion_11040(int *runtimeVersion)
{
	return versions_return(runtimeVersion, 11040);
}

API cudaError_t cudaRuntimeGetVersion_12060(int *runtimeVersion)
{
	return versions_return(runtimeVersion, 12060);
}
