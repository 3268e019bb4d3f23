// SPDX-License-Identifier: LGPL-2.1-or-later
/* Driver: advice about managed memory. */
#include "driver.h"

/* Converts to an ordinal or CU_DEVICE_CPU. Returns false if it is invalid. */
static bool driver_location_of(const CUmemLocation *location, int *where)
{
	switch (location->type) {
	case CU_MEM_LOCATION_TYPE_DEVICE:
		*where = location->id;
		return location->id >= 0;
	case CU_MEM_LOCATION_TYPE_HOST:
	case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
		*where = CU_DEVICE_CPU;
		return true;
	/* A Tegra's host is one NUMA node. */
	case CU_MEM_LOCATION_TYPE_HOST_NUMA:
		*where = CU_DEVICE_CPU;
		return !location->id;
	default:
		return false;
	}
}

API CUresult cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice,
			 CUdevice device)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_advise(driver_ptr(devPtr), count, advice,
				     device);
}

/* The location is ignored if the advice has none. */
static bool driver_advice_has_location(CUmem_advise advice)
{
	return advice != CU_MEM_ADVISE_SET_READ_MOSTLY &&
	       advice != CU_MEM_ADVISE_UNSET_READ_MOSTLY &&
	       advice != CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION;
}

API CUresult cuMemAdvise_v2(CUdeviceptr devPtr, size_t count,
			    CUmem_advise advice, CUmemLocation location)
{
	struct CUctx_st *ctx;
	int where = CU_DEVICE_CPU;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (driver_advice_has_location(advice) &&
	    !driver_location_of(&location, &where))
		return CUDA_ERROR_INVALID_VALUE;
	return core_advise(driver_ptr(devPtr), count, advice, where);
}

API CUresult cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count,
				CUdevice dstDevice, CUstream hStream)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_prefetch(driver_ptr(devPtr), count, dstDevice,
				       hStream);
}

PER_THREAD(cuMemPrefetchAsync, _ptsz);

API CUresult cuMemPrefetchAsync_ptsz(CUdeviceptr devPtr, size_t count,
				     CUdevice dstDevice, CUstream hStream)
{
	return cuMemPrefetchAsync(devPtr, count, dstDevice,
				  driver_own(hStream));
}

API CUresult cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count,
				   CUmemLocation location, unsigned int flags,
				   CUstream hStream)
{
	struct CUctx_st *ctx;
	int where;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (flags || !driver_location_of(&location, &where))
		return CUDA_ERROR_INVALID_VALUE;
	return core_prefetch(driver_ptr(devPtr), count, where, hStream);
}

PER_THREAD(cuMemPrefetchAsync_v2, _ptsz);

API CUresult cuMemPrefetchAsync_v2_ptsz(CUdeviceptr devPtr, size_t count,
					CUmemLocation location,
					unsigned int flags, CUstream hStream)
{
	return cuMemPrefetchAsync_v2(devPtr, count, location, flags,
				     driver_own(hStream));
}

API CUresult cuMemRangeGetAttribute(void *data, size_t dataSize,
				    CUmem_range_attribute attribute,
				    CUdeviceptr devPtr, size_t count)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_range_attribute(data, dataSize, attribute,
					      driver_ptr(devPtr), count);
}

API CUresult cuMemRangeGetAttributes(void **data, size_t *dataSizes,
				     CUmem_range_attribute *attributes,
				     size_t numAttributes, CUdeviceptr devPtr,
				     size_t count)
{
	struct CUctx_st *ctx;
	size_t i;
	int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!data || !dataSizes || !attributes || !numAttributes)
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; !rc && i < numAttributes; i++)
		rc = core_range_attribute(data[i], dataSizes[i], attributes[i],
					  driver_ptr(devPtr), count);
	return rc;
}
