// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Stream-ordered allocation. Memory that is given back in a stream's order is
 * not libmem's again before the host waits for all work of the context: libmem
 * would wait, and the host would know more to be done than the program has
 * asked for. Until then the same stream may have it once more, for the same
 * length.
 */
#include <pthread.h>
#include <stdlib.h>

#include "internal.h"

/**
 * struct spare - memory that was given back
 * @ctx: whose
 * @stream: number of the stream in whose order
 * @ptr: its start
 * @len: bytes
 * @next: of all
 */
struct spare {
	struct CUctx_st *ctx;
	uint64_t stream;
	void *ptr;
	uint64_t len;
	struct spare *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;	/* of spares */
static struct spare *spares;

static void *take(struct CUctx_st *ctx, uint64_t stream, uint64_t len)
{
	struct spare **at, *spare;
	void *ptr = NULL;

	pthread_mutex_lock(&lock);
	for (at = &spares; *at; at = &(*at)->next)
		if ((*at)->ctx == ctx && (*at)->stream == stream &&
		    (*at)->len == len)
			break;
	spare = *at;
	if (spare) {
		*at = spare->next;
		ptr = spare->ptr;
		free(spare);
	}
	pthread_mutex_unlock(&lock);
	return ptr;
}

/**
 * core_pool_trim() - give libmem all that has been given back
 * @ctx: context; waits for all its work
 */
void core_pool_trim(struct CUctx_st *ctx)
{
	struct spare **at, *spare, *mine = NULL;

	pthread_mutex_lock(&lock);
	for (at = &spares; *at;) {
		spare = *at;
		if (spare->ctx != ctx) {
			at = &spare->next;
			continue;
		}
		*at = spare->next;
		spare->next = mine;
		mine = spare;
	}
	pthread_mutex_unlock(&lock);
	while (mine) {
		spare = mine;
		mine = spare->next;
		mem_free(ctx->mem, spare->ptr);
		free(spare);
	}
}

/**
 * core_alloc_async() - allocate device memory in a stream's order
 * @len: bytes, above 0
 * @stream: handle
 * @ptr: out: the memory, owned by the caller: core_free_async() or core_free()
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_HANDLE (no such stream), or as
 * core_alloc().
 */
CORE_API int core_alloc_async(uint64_t len, CUstream stream, void **ptr)
{
	struct mem_stream *mem;
	struct CUctx_st *ctx;
	void *old;
	int rc = core_current(&ctx);

	if (!rc)
		rc = core_stream(ctx, stream, &mem);
	if (rc)
		return rc;
	old = take(ctx, mem_stream_id(mem), len);
	if (!old) {
		rc = core_alloc(ctx, MEM_KIND_DEVICE, len, 0, ptr);
		if (rc != CUDA_ERROR_OUT_OF_MEMORY)
			return rc;
		core_pool_trim(ctx);
		return core_alloc(ctx, MEM_KIND_DEVICE, len, 0, ptr);
	}
	rc = core_object_add(CORE_MEMORY, old, ctx);
	if (rc)
		mem_free(ctx->mem, old);
	else
		*ptr = old;
	return rc;
}

/**
 * core_free_async() - give device memory back in a stream's order
 * @ptr: device or managed memory
 * @stream: handle
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE (it is none: freed before,
 * interior), CUDA_ERROR_INVALID_HANDLE (no such stream),
 * CUDA_ERROR_OUT_OF_MEMORY (nothing has changed).
 */
CORE_API int core_free_async(void *ptr, CUstream stream)
{
	struct mem_stream *mem;
	struct spare *spare;
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
	spare = malloc(sizeof(*spare));
	if (!spare)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (!core_object_del(CORE_MEMORY, ptr)) {
		free(spare);
		return CUDA_ERROR_INVALID_VALUE;
	}
	core_advice_forget(ptr);
	core_ipc_forget(ptr);
	spare->ctx = what.ctx;
	spare->stream = mem_stream_id(mem);
	spare->ptr = ptr;
	/* Managed memory is not what an allocation asks for. */
	spare->len = what.kind == MEM_KIND_DEVICE ? what.info.len : 0;
	pthread_mutex_lock(&lock);
	spare->next = spares;
	spares = spare;
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}
