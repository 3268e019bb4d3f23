// SPDX-License-Identifier: LGPL-2.1-or-later
/* Runtime: advice about managed memory, and prefetches of it. */
#include "runtime.h"

/*
 * Converts to an ordinal or cudaCpuDeviceId. A Tegra's host is one NUMA node.
 * Returns false if the location is invalid.
 */
static bool runtime_location_of(struct cudaMemLocation location, int *place)
{
	switch (location.type) {
	case cudaMemLocationTypeDevice:
		*place = location.id;
		/*
		 * cudaCpuDeviceId is refused: versions without locations used
		 * it.
		 */
		return location.id >= 0;
	case cudaMemLocationTypeHost:
	case cudaMemLocationTypeHostNumaCurrent:
		*place = cudaCpuDeviceId;
		return true;
	case cudaMemLocationTypeHostNuma:
		*place = cudaCpuDeviceId;
		return !location.id;
	default:
		return false;
	}
}

API cudaError_t cudaMemAdvise(const void *devPtr, size_t count,
			      enum cudaMemoryAdvise advice,
			      struct cudaMemLocation location)
{
	/* The location is ignored if the advice has none. */
	int place = cudaCpuDeviceId;

	if (advice >= cudaMemAdviseSetPreferredLocation &&
	    advice != cudaMemAdviseUnsetPreferredLocation &&
	    !runtime_location_of(location, &place))
		return cudart_return(cudaErrorInvalidValue);
	return cudart_return(core_advise(devPtr, count, advice, place));
}

API cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count,
				     struct cudaMemLocation location,
				     unsigned int flags, cudaStream_t stream)
{
	int place;

	if (flags || !runtime_location_of(location, &place))
		return cudart_return(cudaErrorInvalidValue);
	return cudart_return(core_prefetch(devPtr, count, place, stream));
}

API cudaError_t cudaMemRangeGetAttribute(void *data, size_t dataSize,
					 enum cudaMemRangeAttribute attribute,
					 const void *devPtr, size_t count)
{
	return cudart_return(core_range_attribute(data, dataSize, attribute,
						  devPtr, count));
}

API cudaError_t
cudaMemRangeGetAttributes(void **data, size_t *dataSizes,
			  enum cudaMemRangeAttribute *attributes,
			  size_t numAttributes, const void *devPtr,
			  size_t count)
{
	size_t i;
	int rc = 0;

	if (!data || !dataSizes || !attributes || !numAttributes)
		return cudart_return(cudaErrorInvalidValue);
	for (i = 0; i < numAttributes && !rc; i++)
		rc = core_range_attribute(data[i], dataSizes[i], attributes[i],
					  devPtr, count);
	return cudart_return(rc);
}
