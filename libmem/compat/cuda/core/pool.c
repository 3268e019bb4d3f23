// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Pools of stream-ordered allocation. A pool belongs to a device, not to a
 * context. It is a name and an account: its memory is ordinary device memory of
 * libmem (alloc_async.c). On a board without pools the default pool exists,
 * too, but programs cannot get a handle of it.
 */
#include <stdlib.h>

#include "pool.h"

pthread_mutex_t core_pools_lock = PTHREAD_MUTEX_INITIALIZER;
static CUmemoryPool pools;	/* protected by it */

/**
 * core_pool_is_supported() - check whether a device supports pools
 * @device: device
 *
 * Return: true if it does.
 */
bool core_pool_is_supported(const struct core_device *device)
{
	int value = 0;

	core_attribute(device, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
		       &value);
	return value;
}

/*
 * The functions below are called with the lock held, unless they say otherwise.
 */
static CUmemoryPool pool_add(const struct core_device *device)
{
	CUmemoryPool pool = calloc(1, sizeof(*pool));
	int i;

	if (!pool)
		return NULL;
	pool->device = device;
	for (i = 0; i < 3; i++)
		pool->may_reuse[i] = 1;
	pool->next = pools;
	pools = pool;
	return pool;
}

static CUmemoryPool pool_default_of(const struct core_device *device)
{
	CUmemoryPool pool;

	for (pool = pools; pool; pool = pool->next)
		if (pool->device == device && pool->is_default)
			return pool;
	pool = pool_add(device);
	if (pool)
		pool->is_default = true;
	return pool;
}

/**
 * core_pool_current_of() - return the pool of allocations that name none
 * @device: device
 *
 * Context: the lock is held.
 * Return: pool, or NULL if there is no memory for a first one.
 */
CUmemoryPool core_pool_current_of(const struct core_device *device)
{
	CUmemoryPool pool;

	for (pool = pools; pool; pool = pool->next)
		if (pool->device == device && pool->is_current)
			return pool;
	return pool_default_of(device);
}

/**
 * core_pool_exists() - check a handle
 * @wanted: handle
 *
 * Context: the lock is held.
 * Return: true if it is that of a pool.
 */
bool core_pool_exists(CUmemoryPool wanted)
{
	CUmemoryPool pool;

	for (pool = pools; pool; pool = pool->next)
		if (pool == wanted)
			return true;
	return false;
}

static void pool_set_current(const struct core_device *device,
			     CUmemoryPool current)
{
	CUmemoryPool pool;

	for (pool = pools; pool; pool = pool->next)
		if (pool->device == device)
			pool->is_current = pool == current;
}

static void pool_remove(CUmemoryPool pool)
{
	CUmemoryPool *at;

	for (at = &pools; *at != pool; at = &(*at)->next)
		;
	*at = pool->next;
	pool->is_gone = true;
	if (!pool->nr)
		free(pool);
}

/**
 * core_pool_use() - account for memory that the program has allocated
 * @pool: pool, with the memory in @reserved
 * @len: bytes
 *
 * Context: the lock is held.
 */
void core_pool_use(CUmemoryPool pool, uint64_t len)
{
	pool->used += len;
	if (pool->used_high < pool->used)
		pool->used_high = pool->used;
	if (pool->reserved_high < pool->reserved)
		pool->reserved_high = pool->reserved;
}

/**
 * core_pool_give_up() - remove a piece that the program has freed
 * @pool: its pool; NULL: it was not allocated in a stream's order
 * @len: bytes
 *
 * Context: the lock is held.
 */
void core_pool_give_up(CUmemoryPool pool, uint64_t len)
{
	if (!pool)
		return;
	pool->reserved -= len;
	pool->nr--;
	if (pool->is_gone && !pool->nr)
		free(pool);
}

/**
 * core_pools_reset() - reset the pools of a device
 * @device: device; its primary context has no objects any more
 *
 * Memory of other contexts remains, and so does its pool.
 */
void core_pools_reset(const struct core_device *device)
{
	CUmemoryPool pool, next;
	int i;

	pthread_mutex_lock(&core_pools_lock);
	for (pool = pools; pool; pool = next) {
		next = pool->next;
		if (pool->device != device)
			continue;
		if (!pool->is_default) {
			pool_remove(pool);
			continue;
		}
		pool->is_current = false;
		pool->threshold = 0;
		for (i = 0; i < 3; i++)
			pool->may_reuse[i] = 1;
		pool->used_high = pool->used;
		pool->reserved_high = pool->reserved;
	}
	pthread_mutex_unlock(&core_pools_lock);
}

/* Returns an error if the device has no pools. The lock is not held. */
static int pool_device_of(int ordinal, const struct core_device **device)
{
	const int rc = core_init();

	if (rc)
		return rc;
	*device = core_device(ordinal);
	if (!*device)
		return CUDA_ERROR_INVALID_DEVICE;
	return core_pool_is_supported(*device) ? CUDA_SUCCESS :
						 CUDA_ERROR_NOT_SUPPORTED;
}

static int pool_find(int ordinal,
		     CUmemoryPool (*find)(const struct core_device *device),
		     CUmemoryPool *pool)
{
	const struct core_device *device;
	CUmemoryPool found;
	const int rc = pool_device_of(ordinal, &device);

	if (rc)
		return rc;
	if (!pool)
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&core_pools_lock);
	found = find(device);
	pthread_mutex_unlock(&core_pools_lock);
	if (!found)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*pool = found;
	return CUDA_SUCCESS;
}

/**
 * core_pool_default() - return the default pool of a device
 * @ordinal: number of the device
 * @pool: out: pool
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_NOT_SUPPORTED
 * (the board has no pools), CUDA_ERROR_INVALID_VALUE (@pool is NULL),
 * CUDA_ERROR_OUT_OF_MEMORY, or an error of core_init().
 */
CORE_API int core_pool_default(int ordinal, CUmemoryPool *pool)
{
	return pool_find(ordinal, pool_default_of, pool);
}

/**
 * core_pool_current() - return the pool of allocations that name none
 * @ordinal: number of the device
 * @pool: out: pool
 *
 * Return: as core_pool_default().
 */
CORE_API int core_pool_current(int ordinal, CUmemoryPool *pool)
{
	return pool_find(ordinal, core_pool_current_of, pool);
}

/**
 * core_pool_set_current() - set the pool of allocations that name none
 * @ordinal: number of the device
 * @pool: handle of a pool of the device
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_NOT_SUPPORTED
 * (the board has no pools), CUDA_ERROR_INVALID_VALUE (no such pool, or of
 * another device), or an error of core_init().
 */
CORE_API int core_pool_set_current(int ordinal, CUmemoryPool pool)
{
	const struct core_device *device;
	int rc = pool_device_of(ordinal, &device);

	if (rc)
		return rc;
	pthread_mutex_lock(&core_pools_lock);
	if (core_pool_exists(pool) && pool->device == device)
		pool_set_current(device, pool);
	else
		rc = CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_unlock(&core_pools_lock);
	return rc;
}

static bool pool_is_zero(const unsigned char *bytes, size_t len)
{
	while (len--)
		if (bytes[len])
			return false;
	return true;
}

/* Distinguishes malformed properties from those that are not supported. */
static int pool_check_props(const CUmemPoolProps *props)
{
	const unsigned int handles = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR |
		CU_MEM_HANDLE_TYPE_WIN32 | CU_MEM_HANDLE_TYPE_WIN32_KMT |
		CU_MEM_HANDLE_TYPE_FABRIC;
	const CUmemLocation *at = &props->location;

	if ((props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED &&
	     props->allocType != CU_MEM_ALLOCATION_TYPE_MANAGED) ||
	    props->handleTypes & ~handles ||
	    props->usage & ~CU_MEM_POOL_CREATE_USAGE_HW_DECOMPRESS ||
	    !pool_is_zero(props->reserved, sizeof(props->reserved)))
		return CUDA_ERROR_INVALID_VALUE;
	switch (at->type) {
	case CU_MEM_LOCATION_TYPE_DEVICE:
		if (!core_device(at->id))
			return CUDA_ERROR_INVALID_VALUE;
		break;
	case CU_MEM_LOCATION_TYPE_HOST:
	case CU_MEM_LOCATION_TYPE_HOST_NUMA:
		return CUDA_ERROR_NOT_SUPPORTED;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
	if (props->allocType == CU_MEM_ALLOCATION_TYPE_MANAGED ||
	    props->handleTypes || props->usage)
		return CUDA_ERROR_NOT_SUPPORTED;
	return core_pool_is_supported(core_device(at->id)) ?
		CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

/* For calls that only name a pool: checks the thread's device. */
static int pool_check_device(void)
{
	const struct core_device *device;

	return pool_device_of(core_get_device(), &device);
}

/**
 * core_pool_create() - create a pool
 * @props: properties
 * @pool: out: owned by the caller: core_pool_destroy()
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_SUPPORTED (the
 * board has no pools, or none with these properties), CUDA_ERROR_OUT_OF_MEMORY,
 * or an error of core_init().
 */
CORE_API int core_pool_create(const CUmemPoolProps *props, CUmemoryPool *pool)
{
	CUmemoryPool new;
	int rc = pool_check_device();

	if (rc)
		return rc;
	if (!props || !pool)
		return CUDA_ERROR_INVALID_VALUE;
	rc = pool_check_props(props);
	if (rc)
		return rc;
	pthread_mutex_lock(&core_pools_lock);
	new = pool_add(core_device(props->location.id));
	if (new) {
		new->max = props->maxSize;
		*pool = new;
	}
	pthread_mutex_unlock(&core_pools_lock);
	return new ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/**
 * core_pool_lock() - acquire the lock if a pool exists
 * @pool: handle
 *
 * Return: CUDA_SUCCESS, with the lock held; CUDA_ERROR_INVALID_VALUE (no such
 * pool), CUDA_ERROR_NOT_SUPPORTED (the board has no pools), or an error of
 * core_init().
 */
int core_pool_lock(CUmemoryPool pool)
{
	const int rc = pool_check_device();

	if (rc)
		return rc;
	pthread_mutex_lock(&core_pools_lock);
	if (core_pool_exists(pool))
		return CUDA_SUCCESS;
	pthread_mutex_unlock(&core_pools_lock);
	return CUDA_ERROR_INVALID_VALUE;
}

/**
 * core_pool_destroy() - destroy a pool
 * @pool: handle
 *
 * Memory allocated from it remains. If it was the device's current pool, the
 * default pool becomes current.
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (no such pool, or the default
 * one), CUDA_ERROR_NOT_SUPPORTED (the board has no pools), or an error of
 * core_init().
 */
CORE_API int core_pool_destroy(CUmemoryPool pool)
{
	int rc = core_pool_lock(pool);

	if (rc)
		return rc;
	if (pool->is_default)
		rc = CUDA_ERROR_INVALID_VALUE;
	else
		pool_remove(pool);
	pthread_mutex_unlock(&core_pools_lock);
	return rc;
}

/**
 * core_pool_trim_to() - reduce the memory that a pool keeps
 * @pool: handle
 *
 * Does nothing: freed memory must be kept until the host waits for all work,
 * and then all of it is freed.
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (no such pool),
 * CUDA_ERROR_NOT_SUPPORTED (the board has no pools), or an error of
 * core_init().
 */
CORE_API int core_pool_trim_to(CUmemoryPool pool)
{
	const int rc = core_pool_lock(pool);

	if (!rc)
		pthread_mutex_unlock(&core_pools_lock);
	return rc;
}

/**
 * core_pool_attribute() - return an attribute of a pool
 * @pool: handle
 * @attr: CU_MEMPOOL_ATTR_*
 * @value: out: int for attributes about reuse, else uint64_t
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (no such pool or attribute,
 * @value is NULL), CUDA_ERROR_NOT_SUPPORTED (the board has no pools), or an
 * error of core_init().
 */
CORE_API int core_pool_attribute(CUmemoryPool pool, unsigned int attr,
				 void *value)
{
	int rc = core_pool_lock(pool);

	if (rc)
		return rc;
	if (!value)
		attr = 0;
	switch (attr) {
	case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
	case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
	case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
		*(int *)value = pool->may_reuse[attr - 1];
		break;
	case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
		*(uint64_t *)value = pool->threshold;
		break;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
		*(uint64_t *)value = pool->reserved;
		break;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
		*(uint64_t *)value = pool->reserved_high;
		break;
	case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
		*(uint64_t *)value = pool->used;
		break;
	case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
		*(uint64_t *)value = pool->used_high;
		break;
	default:
		rc = CUDA_ERROR_INVALID_VALUE;
	}
	pthread_mutex_unlock(&core_pools_lock);
	return rc;
}

/**
 * core_pool_set_attribute() - set an attribute of a pool
 * @pool: handle
 * @attr: CU_MEMPOOL_ATTR_*
 * @value: int for attributes about reuse, else uint64_t; only 0 for a maximum,
 *	which restarts it at the present value
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (no such pool or attribute, it
 * cannot be set, or not to this value), CUDA_ERROR_NOT_SUPPORTED (the board has
 * no pools), or an error of core_init().
 */
CORE_API int core_pool_set_attribute(CUmemoryPool pool, unsigned int attr,
				     const void *value)
{
	int rc = core_pool_lock(pool);

	if (rc)
		return rc;
	rc = CUDA_ERROR_INVALID_VALUE;
	if (!value)
		goto out;
	switch (attr) {
	case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
	case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
	case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
		pool->may_reuse[attr - 1] = !!*(const int *)value;
		rc = CUDA_SUCCESS;
		break;
	case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
		pool->threshold = *(const uint64_t *)value;
		rc = CUDA_SUCCESS;
		break;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
		if (*(const uint64_t *)value)
			break;
		pool->reserved_high = pool->reserved;
		rc = CUDA_SUCCESS;
		break;
	case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
		if (*(const uint64_t *)value)
			break;
		pool->used_high = pool->used;
		rc = CUDA_SUCCESS;
		break;
	}
out:
	pthread_mutex_unlock(&core_pools_lock);
	return rc;
}

/* Only a pool's own device can access its memory. */
static int pool_check_location(CUmemoryPool pool, const CUmemLocation *location)
{
	if (location->type != CU_MEM_LOCATION_TYPE_DEVICE)
		return CUDA_ERROR_INVALID_VALUE;
	return location->id == pool->device->ordinal ?
		CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

/**
 * core_pool_access() - return the access of a location to a pool's memory
 * @pool: handle
 * @location: location
 * @flags: out: CU_MEM_ACCESS_FLAGS_*
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (no such pool, a pointer is
 * NULL, the location is no device), CUDA_ERROR_INVALID_DEVICE (not the pool's
 * device), CUDA_ERROR_NOT_SUPPORTED (the board has no pools), or an error of
 * core_init().
 */
CORE_API int core_pool_access(CUmemoryPool pool, const CUmemLocation *location,
			      unsigned int *flags)
{
	int rc = core_pool_lock(pool);

	if (rc)
		return rc;
	rc = location && flags ? pool_check_location(pool, location) :
				 CUDA_ERROR_INVALID_VALUE;
	if (!rc)
		*flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	pthread_mutex_unlock(&core_pools_lock);
	return rc;
}

/**
 * core_pool_set_access() - set the access to a pool's memory
 * @pool: handle
 * @access: locations and access; only read-write by the pool's own device is
 *	valid
 * @nr: number of @access
 *
 * Return: as core_pool_access().
 */
CORE_API int core_pool_set_access(CUmemoryPool pool,
				  const CUmemAccessDesc *access, size_t nr)
{
	int rc = core_pool_lock(pool);
	size_t i;

	if (rc)
		return rc;
	if (!access && nr)
		rc = CUDA_ERROR_INVALID_VALUE;
	for (i = 0; !rc && i < nr; i++) {
		rc = pool_check_location(pool, &access[i].location);
		if (!rc &&
		    access[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
			rc = CUDA_ERROR_INVALID_VALUE;
	}
	pthread_mutex_unlock(&core_pools_lock);
	return rc;
}
