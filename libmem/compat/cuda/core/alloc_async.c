// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Memory allocated and freed in the order of a stream. Memory freed in a
 * stream's order is not freed in libmem until the host waits for all work of
 * the context: mem_free() would wait, and libmem would then know more work to
 * be done than the program has waited for. Until then, an allocation of the
 * same length from the same pool in the same stream can reuse it.
 */
#include <search.h>
#include <stdlib.h>

#include "pool.h"

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

/* Protected by core_pools_lock. */
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

	pthread_mutex_lock(&core_pools_lock);
	for (at = &spares; *at;) {
		piece = *at;
		if (piece->ctx != ctx) {
			at = &piece->next;
			continue;
		}
		*at = piece->next;
		piece->next = mine;
		mine = piece;
		core_pool_give_up(piece->pool, piece->len);
	}
	pthread_mutex_unlock(&core_pools_lock);
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

	pthread_mutex_lock(&core_pools_lock);
	piece = piece_take_live(ptr);
	if (piece)
		core_pool_give_up(piece->pool, piece->len);
	pthread_mutex_unlock(&core_pools_lock);
	free(piece);
}

/* Reserves memory of the pool, or finds a freed piece in @spare. */
static int piece_reserve(struct piece *wanted, struct piece **spare)
{
	CUmemoryPool pool = wanted->pool;

	if (!pool) {
		pool = core_pool_current_of(wanted->ctx->device);
		if (!pool)
			return CUDA_ERROR_OUT_OF_MEMORY;
	}
	if (!core_pool_exists(pool))
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

	pthread_mutex_lock(&core_pools_lock);
	rc = piece_reserve(wanted, spare);
	pthread_mutex_unlock(&core_pools_lock);
	if (rc != CUDA_ERROR_OUT_OF_MEMORY)
		return rc;
	core_pool_trim(wanted->ctx);
	pthread_mutex_lock(&core_pools_lock);
	rc = piece_reserve(wanted, spare);
	pthread_mutex_unlock(&core_pools_lock);
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

	pthread_mutex_lock(&core_pools_lock);
	if (!rc && !tsearch(piece, &live, piece_compare))
		rc = CUDA_ERROR_OUT_OF_MEMORY;
	else if (!rc)
		core_pool_use(piece->pool, piece->len);
	else if (is_new)
		piece->ptr = NULL;
	if (rc)
		core_pool_give_up(piece->pool, piece->len);
	pthread_mutex_unlock(&core_pools_lock);
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
	pthread_mutex_lock(&core_pools_lock);
	/* A piece without a pool is never reused by an allocation. */
	piece = piece_take_live(ptr);
	if (piece) {
		free(spare);
		spare = piece;
	}
	spare->stream = mem_stream_id(mem);
	spare->next = spares;
	spares = spare;
	pthread_mutex_unlock(&core_pools_lock);
	return CUDA_SUCCESS;
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
	const int rc = core_pool_lock(pool);

	if (rc)
		return rc;
	pthread_mutex_unlock(&core_pools_lock);
	return core_alloc_async(len, pool, stream, ptr);
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

	pthread_mutex_lock(&core_pools_lock);
	piece = piece_find_live(ptr);
	if (piece && core_pool_is_supported(piece->ctx->device) &&
	    !piece->pool->is_gone)
		pool = piece->pool;
	pthread_mutex_unlock(&core_pools_lock);
	return pool;
}
