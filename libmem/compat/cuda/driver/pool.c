// SPDX-License-Identifier: LGPL-2.1-or-later
/* Driver: pools of stream-ordered allocation. */
#include "driver.h"

API CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev)
{
	const int rc = driver_ready();

	return rc ? rc : core_pool_default(dev, pool_out);
}

API CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev)
{
	const int rc = driver_ready();

	return rc ? rc : core_pool_current(dev, pool);
}

API CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool)
{
	const int rc = driver_ready();

	return rc ? rc : core_pool_set_current(dev, pool);
}

API CUresult cuMemPoolCreate(CUmemoryPool *pool,
			     const CUmemPoolProps *poolProps)
{
	const int rc = driver_ready();

	return rc ? rc : core_pool_create(poolProps, pool);
}

API CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
	const int rc = driver_ready();

	return rc ? rc : core_pool_destroy(pool);
}

/* The next wait for all work frees what can be freed, despite the argument. */
API CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep)
{
	const int rc = driver_ready();

	(void)minBytesToKeep;
	return rc ? rc : core_pool_trim_to(pool);
}

API CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr,
				   void *value)
{
	const int rc = driver_ready();

	return rc ? rc : core_pool_set_attribute(pool, attr, value);
}

API CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr,
				   void *value)
{
	const int rc = driver_ready();

	return rc ? rc : core_pool_attribute(pool, attr, value);
}

API CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map,
				size_t count)
{
	const int rc = driver_ready();

	return rc ? rc : core_pool_set_access(pool, map, count);
}

API CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool memPool,
				CUmemLocation *location)
{
	const int rc = driver_ready();

	return rc ? rc : core_pool_access(memPool, location,
					  (unsigned int *)flags);
}

API CUresult cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize,
				     CUmemoryPool pool, CUstream hStream)
{
	struct CUctx_st *ctx;
	void *ptr;
	int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!dptr || !bytesize)
		return CUDA_ERROR_INVALID_VALUE;
	rc = core_alloc_from_pool(bytesize, pool, hStream, &ptr);
	if (!rc)
		*dptr = driver_address(ptr);
	return rc;
}

PER_THREAD(cuMemAllocFromPoolAsync, _ptsz);

API CUresult cuMemAllocFromPoolAsync_ptsz(CUdeviceptr *dptr, size_t bytesize,
					  CUmemoryPool pool, CUstream hStream)
{
	return cuMemAllocFromPoolAsync(dptr, bytesize, pool,
				       driver_own(hStream));
}
