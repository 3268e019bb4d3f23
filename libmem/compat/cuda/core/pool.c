// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Stream-ordered allocation, and its pools. Memory freed in the order of a
 * stream is not freed in libmem until the host waits for all work of the
 * context: mem_free() would wait, and libmem would then know more work to be
 * done than the program has waited for. Until then, an allocation of the same
 * length from the same pool in the same stream can reuse it.
 *
 * A pool belongs to a device, not to a context. It is a name and an account:
 * its memory is ordinary device memory of libmem. On a board without pools the
 * default pool exists, too, but programs cannot get a handle of it.
 */
#include <pthread.h>
#include <search.h>
#include <stdlib.h>

#include "internal.h"

/**
 * struct CUmemPoolHandle_st - a pool
 * @device: device
 * @is_default: it is the device's default pool
 * @is_current: allocations of the device that name no pool use it
 * @is_gone: destroyed; it is freed with its last piece
 * @nr: number of its pieces
 * @max: maximum size, bytes; 0: unlimited
 * @may_reuse: CU_MEMPOOL_ATTR_REUSE_*, in their order; only stored
 * @threshold: bytes that it may keep; only stored
 * @used: bytes that the program has allocated
 * @used_high: maximum of @used
 * @reserved: bytes of all pieces
 * @reserved_high: maximum of @reserved
 * @next: next pool that is not destroyed
 */
struct CUmemPoolHandle_st {
	const struct core_device *device;
	bool is_default;
	bool is_current;
	bool is_gone;
	uint64_t nr;
	uint64_t max;
	int may_reuse[3];
	uint64_t threshold;
	uint64_t used;
	uint64_t used_high;
	uint64_t reserved;
	uint64_t reserved_high;
	struct CUmemPoolHandle_st *next;
};

/**
 * struct piece - memory of a pool, or any memory freed in a stream's order
 * @ctx: context
 * @pool: pool; NULL: it was not allocated in a stream's order
 * @stream: id of the stream in whose order it was freed
 * @ptr: start of the memory
 * @len: bytes
 * @next: next freed piece
 */
struct piece {
	struct CUctx_st *ctx;
	CUmemoryPool pool;
	uint64_t stream;
	void *ptr;
	uint64_t len;
	struct piece *next;
};

/* Protects the variables below. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CUmemoryPool pools;
static void *live;		/* allocated pieces, by address */
static struct piece *spares;	/* freed pieces */

static int piece_compare(const void *a, const void *b)
{
	const struct piece *x = a;
	const struct piece *y = b;

	if (x->ptr == y->ptr)
		return 0;
	return x->ptr < y->ptr ? -1 : 1;
}

/* Returns true if the device supports pools. */
static bool pool_is_supported(const struct core_device *device)
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

static CUmemoryPool pool_current_of(const struct core_device *device)
{
	CUmemoryPool pool;

	for (pool = pools; pool; pool = pool->next)
		if (pool->device == device && pool->is_current)
			return pool;
	return pool_default_of(device);
}

static bool pool_exists(CUmemoryPool wanted)
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

/* Accounts for memory that the program has allocated. */
static void pool_use(CUmemoryPool pool, uint64_t len)
{
	pool->used += len;
	if (pool->used_high < pool->used)
		pool->used_high = pool->used;
	if (pool->reserved_high < pool->reserved)
		pool->reserved_high = pool->reserved;
}

/* Removes a piece that the program has freed from its pool. */
static void pool_give_up(CUmemoryPool pool, uint64_t len)
{
	if (!pool)
		return;
	pool->reserved -= len;
	pool->nr--;
	if (pool->is_gone && !pool->nr)
		free(pool);
}

static struct piece *piece_find_live(const void *ptr)
{
	const struct piece wanted = { .ptr = (void *)ptr };
	struct piece **found = tfind(&wanted, &live, piece_compare);

	return found ? *found : NULL;
}

/* Removes a piece from the allocated ones. */
static struct piece *piece_take_live(const void *ptr)
{
	struct piece *piece = piece_find_live(ptr);

	if (piece) {
		tdelete(piece, &live, piece_compare);
		piece->pool->used -= piece->len;
	}
	return piece;
}

static struct piece *piece_take_spare(const struct piece *wanted)
{
	struct piece **at, *piece;

	for (at = &spares; *at; at = &(*at)->next)
		if ((*at)->ctx == wanted->ctx && (*at)->pool == wanted->pool &&
		    (*at)->stream == wanted->stream &&
		    (*at)->len == wanted->len)
			break;
	piece = *at;
	if (piece)
		*at = piece->next;
	return piece;
}

/**
 * core_pool_trim() - free in libmem what has been freed in streams' order
 * @ctx: context; waits for all its work
 */
void core_pool_trim(struct CUctx_st *ctx)
{
	struct piece **at, *piece, *mine = NULL;

	pthread_mutex_lock(&lock);
	for (at = &spares; *at;) {
		piece = *at;
		if (piece->ctx != ctx) {
			at = &piece->next;
			continue;
		}
		*at = piece->next;
		piece->next = mine;
		mine = piece;
		pool_give_up(piece->pool, piece->len);
	}
	pthread_mutex_unlock(&lock);
	while (mine) {
		piece = mine;
		mine = piece->next;
		mem_free(ctx->mem, piece->ptr);
		free(piece);
	}
}

/**
 * core_pool_forget() - account for memory freed in no stream's order
 * @ptr: start of the memory, which need not be of a pool
 */
void core_pool_forget(const void *ptr)
{
	struct piece *piece;

	pthread_mutex_lock(&lock);
	piece = piece_take_live(ptr);
	if (piece)
		pool_give_up(piece->pool, piece->len);
	pthread_mutex_unlock(&lock);
	free(piece);
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

	pthread_mutex_lock(&lock);
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
	pthread_mutex_unlock(&lock);
}

/* Reserves memory of the pool, or finds a freed piece in @spare. */
static int piece_reserve(struct piece *wanted, struct piece **spare)
{
	CUmemoryPool pool = wanted->pool;

	if (!pool) {
		pool = pool_current_of(wanted->ctx->device);
		if (!pool)
			return CUDA_ERROR_OUT_OF_MEMORY;
	}
	if (!pool_exists(pool))
		return CUDA_ERROR_INVALID_VALUE;
	/* Boards with pools have one GPU so far. */
	if (pool->device != wanted->ctx->device)
		return CUDA_ERROR_INVALID_VALUE;
	wanted->pool = pool;
	*spare = piece_take_spare(wanted);
	if (*spare)
		return CUDA_SUCCESS;
	if (pool->max && (wanted->len > pool->max ||
			  pool->reserved > pool->max - wanted->len))
		return CUDA_ERROR_OUT_OF_MEMORY;
	pool->nr++;
	pool->reserved += wanted->len;
	return CUDA_SUCCESS;
}

/* Before it fails, frees in libmem what has been freed. */
static int piece_reserve_or_trim(struct piece *wanted, struct piece **spare)
{
	int rc;

	pthread_mutex_lock(&lock);
	rc = piece_reserve(wanted, spare);
	pthread_mutex_unlock(&lock);
	if (rc != CUDA_ERROR_OUT_OF_MEMORY)
		return rc;
	core_pool_trim(wanted->ctx);
	pthread_mutex_lock(&lock);
	rc = piece_reserve(wanted, spare);
	pthread_mutex_unlock(&lock);
	return rc;
}

static int piece_alloc(struct piece *piece)
{
	struct CUctx_st *ctx = piece->ctx;
	int rc = core_alloc(ctx, MEM_KIND_DEVICE, piece->len, 0, &piece->ptr);

	if (rc != CUDA_ERROR_OUT_OF_MEMORY)
		return rc;
	core_pool_trim(ctx);
	return core_alloc(ctx, MEM_KIND_DEVICE, piece->len, 0, &piece->ptr);
}

/* Makes a new piece, or a freed one that is reused, the program's. */
static int piece_hand_out(struct piece *piece, bool is_new)
{
	int rc = is_new ? piece_alloc(piece) :
			  core_object_add(CORE_MEMORY, piece->ptr, piece->ctx);

	pthread_mutex_lock(&lock);
	if (!rc && !tsearch(piece, &live, piece_compare))
		rc = CUDA_ERROR_OUT_OF_MEMORY;
	else if (!rc)
		pool_use(piece->pool, piece->len);
	else if (is_new)
		piece->ptr = NULL;
	if (rc)
		pool_give_up(piece->pool, piece->len);
	pthread_mutex_unlock(&lock);
	if (rc && piece->ptr) {
		core_object_del(CORE_MEMORY, piece->ptr);
		mem_free(piece->ctx->mem, piece->ptr);
	}
	return rc;
}

/**
 * core_alloc_async() - allocate device memory in a stream's order
 * @len: bytes, above 0
 * @pool: handle; NULL: the device's current pool
 * @stream: handle
 * @ptr: out: memory, owned by the caller: core_free_async() or core_free()
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_HANDLE (no such stream),
 * CUDA_ERROR_INVALID_VALUE (no such pool), CUDA_ERROR_OUT_OF_MEMORY (also if
 * the pool is full), or an error of core_alloc().
 */
CORE_API int core_alloc_async(uint64_t len, CUmemoryPool pool, CUstream stream,
			      void **ptr)
{
	struct piece *piece, *spare = NULL;
	struct mem_stream *mem;
	struct CUctx_st *ctx;
	int rc = core_current(&ctx);

	if (!rc)
		rc = core_stream(ctx, stream, &mem);
	if (rc)
		return rc;
	piece = calloc(1, sizeof(*piece));
	if (!piece)
		return CUDA_ERROR_OUT_OF_MEMORY;
	piece->ctx = ctx;
	piece->pool = pool;
	piece->stream = mem_stream_id(mem);
	piece->len = len;
	rc = piece_reserve_or_trim(piece, &spare);
	if (rc)
		goto err_free;
	if (spare) {
		free(piece);
		piece = spare;
	}
	rc = piece_hand_out(piece, !spare);
	if (rc)
		goto err_free;
	*ptr = piece->ptr;
	return CUDA_SUCCESS;

err_free:
	free(piece);
	return rc;
}

/**
 * core_free_async() - free device memory in a stream's order
 * @ptr: device or managed memory
 * @stream: handle
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (not allocated, freed before,
 * interior), CUDA_ERROR_INVALID_HANDLE (no such stream),
 * CUDA_ERROR_OUT_OF_MEMORY (nothing has changed).
 */
CORE_API int core_free_async(void *ptr, CUstream stream)
{
	struct piece *spare, *piece;
	struct mem_stream *mem;
	struct CUctx_st *ctx;
	struct core_ptr what;
	int rc = core_current(&ctx);

	if (!rc)
		rc = core_stream(ctx, stream, &mem);
	if (rc)
		return rc;
	core_ptr(ptr, &what);
	if (!what.is_start || (what.kind != MEM_KIND_DEVICE &&
			       what.kind != MEM_KIND_MANAGED))
		return CUDA_ERROR_INVALID_VALUE;
	spare = calloc(1, sizeof(*spare));
	if (!spare)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (!core_object_del(CORE_MEMORY, ptr)) {
		free(spare);
		return CUDA_ERROR_INVALID_VALUE;
	}
	core_advice_forget(ptr);
	core_ipc_forget(ptr);
	spare->ctx = what.ctx;
	spare->ptr = ptr;
	pthread_mutex_lock(&lock);
	/* A piece without a pool is never reused by an allocation. */
	piece = piece_take_live(ptr);
	if (piece) {
		free(spare);
		spare = piece;
	}
	spare->stream = mem_stream_id(mem);
	spare->next = spares;
	spares = spare;
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}

/**
 * core_pool_of() - return the pool from which memory was allocated
 * @ptr: start of the memory
 *
 * Return: pool, or NULL if there is none or the board has no pools.
 */
CORE_API CUmemoryPool core_pool_of(const void *ptr)
{
	CUmemoryPool pool = NULL;
	struct piece *piece;

	pthread_mutex_lock(&lock);
	piece = piece_find_live(ptr);
	if (piece && pool_is_supported(piece->ctx->device) &&
	    !piece->pool->is_gone)
		pool = piece->pool;
	pthread_mutex_unlock(&lock);
	return pool;
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
	return pool_is_supported(*device) ? CUDA_SUCCESS :
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
	pthread_mutex_lock(&lock);
	found = find(device);
	pthread_mutex_unlock(&lock);
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
	return pool_find(ordinal, pool_current_of, pool);
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
	pthread_mutex_lock(&lock);
	if (pool_exists(pool) && pool->device == device)
		pool_set_current(device, pool);
	else
		rc = CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_unlock(&lock);
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
	return pool_is_supported(core_device(at->id)) ? CUDA_SUCCESS :
						CUDA_ERROR_NOT_SUPPORTED;
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
	pthread_mutex_lock(&lock);
	new = pool_add(core_device(props->location.id));
	if (new) {
		new->max = props->maxSize;
		*pool = new;
	}
	pthread_mutex_unlock(&lock);
	return new ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* Acquires the lock if the pool exists. */
static int pool_lock(CUmemoryPool pool)
{
	const int rc = pool_check_device();

	if (rc)
		return rc;
	pthread_mutex_lock(&lock);
	if (pool_exists(pool))
		return CUDA_SUCCESS;
	pthread_mutex_unlock(&lock);
	return CUDA_ERROR_INVALID_VALUE;
}

/**
 * core_alloc_from_pool() - as core_alloc_async(), from a pool named by the
 * program
 * @len: bytes, above 0
 * @pool: handle
 * @stream: handle
 * @ptr: out: memory, owned by the caller: core_free_async() or core_free()
 *
 * Return: as core_alloc_async(), or CUDA_ERROR_NOT_SUPPORTED (the board has no
 * pools).
 */
CORE_API int core_alloc_from_pool(uint64_t len, CUmemoryPool pool,
				  CUstream stream, void **ptr)
{
	const int rc = pool_lock(pool);

	if (rc)
		return rc;
	pthread_mutex_unlock(&lock);
	return core_alloc_async(len, pool, stream, ptr);
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
	int rc = pool_lock(pool);

	if (rc)
		return rc;
	if (pool->is_default)
		rc = CUDA_ERROR_INVALID_VALUE;
	else
		pool_remove(pool);
	pthread_mutex_unlock(&lock);
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
	const int rc = pool_lock(pool);

	if (!rc)
		pthread_mutex_unlock(&lock);
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
	int rc = pool_lock(pool);

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
	pthread_mutex_unlock(&lock);
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
	int rc = pool_lock(pool);

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
	pthread_mutex_unlock(&lock);
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
	int rc = pool_lock(pool);

	if (rc)
		return rc;
	rc = location && flags ? pool_check_location(pool, location) :
				 CUDA_ERROR_INVALID_VALUE;
	if (!rc)
		*flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	pthread_mutex_unlock(&lock);
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
	int rc = pool_lock(pool);
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
	pthread_mutex_unlock(&lock);
	return rc;
}
