// SPDX-License-Identifier: LGPL-2.1-or-later
/* Runtime: stream-ordered allocation, and pools. */
#include "runtime.h"

/* If no pool is named, the device's current one is used. */
static int pool_alloc(void **ptr, size_t len, cudaMemPool_t pool, bool is_named,
		      cudaStream_t stream)
{
	struct CUctx_st *ctx;
	int rc;

	if (!ptr)
		return CUDA_ERROR_INVALID_VALUE;
	rc = core_current(&ctx);
	if (rc)
		return rc;
	if (!len) {
		*ptr = NULL;
		return CUDA_SUCCESS;
	}
	return is_named ? core_alloc_from_pool(len, pool, stream, ptr) :
			  core_alloc_async(len, NULL, stream, ptr);
}

API cudaError_t cudaMallocAsync(void **devPtr, size_t size,
				cudaStream_t hStream)
{
	return cudart_return(pool_alloc(devPtr, size, NULL, false, hStream));
}

API cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size,
					cudaMemPool_t memPool,
					cudaStream_t stream)
{
	return cudart_return(pool_alloc(ptr, size, memPool, true, stream));
}

API cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t hStream)
{
	struct CUctx_st *ctx;
	int rc = core_current(&ctx);

	if (rc || !devPtr)
		return cudart_return(rc);
	return cudart_return(core_free_async(devPtr, hStream));
}

API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device)
{
	return cudart_return(core_pool_default(device, memPool));
}

API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device)
{
	return cudart_return(core_pool_current(device, memPool));
}

API cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t memPool)
{
	return cudart_return(core_pool_set_current(device, memPool));
}

/* The driver's structs have the same members and values. */
_Static_assert(sizeof(struct cudaMemPoolProps) == sizeof(CUmemPoolProps),
	       "one pool has other properties than the other");
_Static_assert(sizeof(struct cudaMemAccessDesc) == sizeof(CUmemAccessDesc),
	       "one access is described otherwise than the other");

API cudaError_t cudaMemPoolCreate(cudaMemPool_t *memPool,
				  const struct cudaMemPoolProps *poolProps)
{
	return cudart_return(core_pool_create((const void *)poolProps,
					      memPool));
}

API cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool)
{
	return cudart_return(core_pool_destroy(memPool));
}

/* The next wait for all work frees what can be freed, despite the argument. */
API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep)
{
	(void)minBytesToKeep;
	return cudart_return(core_pool_trim_to(memPool));
}

API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool,
					enum cudaMemPoolAttr attr, void *value)
{
	return cudart_return(core_pool_set_attribute(memPool, attr, value));
}

API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool,
					enum cudaMemPoolAttr attr, void *value)
{
	return cudart_return(core_pool_attribute(memPool, attr, value));
}

API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t memPool,
				     const struct cudaMemAccessDesc *descList,
				     size_t count)
{
	return cudart_return(core_pool_set_access(memPool,
						  (const void *)descList,
						  count));
}

API cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags,
				     cudaMemPool_t memPool,
				     struct cudaMemLocation *location)
{
	return cudart_return(core_pool_access(memPool, (const void *)location,
					      (unsigned int *)flags));
}
