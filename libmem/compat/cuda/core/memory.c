// SPDX-License-Identifier: LGPL-2.1-or-later
/* Memory of libmem as memory of CUDA. */
#include <errno.h>
#include <string.h>

#include "internal.h"

/* Each free function only accepts memory of its own kind. */
static enum core_type memory_type_of(enum mem_kind kind)
{
	switch (kind) {
	case MEM_KIND_PINNED:
		return CORE_PINNED;
	case MEM_KIND_REGISTERED:
		return CORE_REGISTERED;
	default:
		return CORE_MEMORY;
	}
}

/* Listed in the report with the calls that are not implemented */
#define DISCRETE_MANAGED	"managed memory on device 0, a discrete GPU"

/**
 * core_alloc() - allocate memory
 * @ctx: context
 * @kind: MEM_KIND_MANAGED, MEM_KIND_PINNED or MEM_KIND_DEVICE
 * @len: bytes, above 0
 * @flags: flags of mem_alloc()
 * @ptr: out: memory, owned by the caller: core_free()
 *
 * Device memory is allocated on the context's device. A discrete GPU of a Tegra
 * has no managed memory (CUDA for Tegra, table 1).
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_NOT_SUPPORTED (managed memory of a discrete
 * GPU), CUDA_ERROR_OUT_OF_MEMORY, or core_error() of mem_alloc().
 */
CORE_API int core_alloc(struct CUctx_st *ctx, enum mem_kind kind, uint64_t len,
			unsigned int flags, void **ptr)
{
	void *new;
	int rc;

	if (ctx->device->is_discrete) {
		if (kind == MEM_KIND_MANAGED)
			return core_missing(DISCRETE_MANAGED);
		if (kind == MEM_KIND_DEVICE)
			flags |= MEM_DEVICE_DISCRETE;
	}
	/* For CUDA, a length above what libmem accepts is not invalid. */
	rc = mem_alloc(ctx->mem, kind, len, flags, &new);
	if (rc == -EINVAL)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (rc)
		return core_error(rc);
	rc = core_object_add(memory_type_of(kind), new, ctx);
	if (rc)
		mem_free(ctx->mem, new);
	else
		*ptr = new;
	return rc;
}

/**
 * core_free() - free memory
 * @type: CORE_MEMORY, or CORE_PINNED
 * @ptr: device, managed or pinned memory from core_alloc(), or a mapping of an
 *	object
 *
 * Waits for all work of its context first.
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (not allocated, freed before,
 * interior, of another type), CUDA_ERROR_NOT_PERMITTED (in a host function), or
 * the error that ended the context's work; the memory is freed in the last
 * case, too.
 */
CORE_API int core_free(enum core_type type, void *ptr)
{
	struct CUctx_st *ctx = core_object_ctx(type, ptr);
	const bool is_mapping = !ctx && type == CORE_MEMORY;
	int waited, err;

	if (is_mapping)
		ctx = core_mapping_ctx(ptr);
	if (!ctx)
		return CUDA_ERROR_INVALID_VALUE;
	/* Waits first, as CUDA does. A host function must not do that. */
	waited = mem_ctx_sync(ctx->mem);
	if (waited == -EPERM)
		return core_error(-EPERM);
	if (is_mapping)
		return core_mapping_free(ptr) ? core_error(waited) :
		       CUDA_ERROR_INVALID_VALUE;
	/*
	 * Only one of two threads succeeds. After that, the address may be
	 * reused.
	 */
	if (!core_object_del(type, ptr))
		return CUDA_ERROR_INVALID_VALUE;
	core_advice_forget(ptr);
	core_ipc_forget(ptr);
	core_pool_forget(ptr);
	err = mem_free(ctx->mem, ptr);
	return core_error(err ? err : waited);
}

/**
 * core_register() - permit engines to access memory of the program
 * @ctx: context
 * @ptr: start of the memory
 * @len: bytes, above 0
 * @flags: MEM_REGISTER_*
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_NOT_SUPPORTED (the board's capability is
 * below 7.2), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
 * CUDA_ERROR_INVALID_VALUE (it is not the program's own memory).
 */
CORE_API int core_register(struct CUctx_st *ctx, void *ptr, uint64_t len,
			   unsigned int flags)
{
	struct core_ptr what;
	int rc;

	core_ptr(ptr, &what);
	if (what.kind != MEM_KIND_PAGEABLE && what.kind != MEM_KIND_REGISTERED)
		return CUDA_ERROR_INVALID_VALUE;
	rc = core_error(mem_register(ctx->mem, ptr, len, flags));
	if (rc)
		return rc;
	rc = core_object_add(CORE_REGISTERED, ptr, ctx);
	if (rc)
		mem_unregister(ctx->mem, ptr);
	return rc;
}

/**
 * core_unregister() - undo core_register()
 * @ptr: start of the registered memory
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
 * CUDA_ERROR_INVALID_VALUE (memory of core_alloc()), CUDA_ERROR_OUT_OF_MEMORY
 * (it remains registered), or the error that ended the context's work; the
 * memory is unregistered in the last case, too.
 */
CORE_API int core_unregister(void *ptr)
{
	struct CUctx_st *ctx;
	struct core_ptr what;
	int waited, err;

	core_ptr(ptr, &what);
	if (what.kind != MEM_KIND_PAGEABLE && what.kind != MEM_KIND_REGISTERED)
		return CUDA_ERROR_INVALID_VALUE;
	ctx = core_object_ctx(CORE_REGISTERED, ptr);
	if (!ctx)
		return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
	waited = mem_ctx_sync(ctx->mem);
	if (waited == -EPERM)
		return core_error(-EPERM);
	/* Only one of several threads succeeds. */
	err = mem_unregister(ctx->mem, ptr);
	if (err == -ENOENT)
		return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
	if (err)
		return core_error(err);
	core_object_del(CORE_REGISTERED, ptr);
	return core_error(waited);
}

/* Returns true for an address in the padding behind the allocation. */
static bool memory_is_behind(const struct mem_ptr_info *info)
{
	const void *at = info->host ? info->host : info->device;

	return (uint64_t)((char *)at - (char *)info->base) >= info->len;
}

/**
 * core_ptr() - return the properties of an address
 * @ptr: any address
 * @what: out: properties
 */
CORE_API void core_ptr(const void *ptr, struct core_ptr *what)
{
	struct CUctx_st *ctx;

	memset(what, 0, sizeof(*what));
	what->kind = MEM_KIND_PAGEABLE;
	what->info.size = sizeof(what->info);
	if (!ptr || core_current(&ctx) ||
	    mem_ptr_info(ctx->mem, ptr, &what->info) ||
	    what->info.kind == MEM_KIND_PAGEABLE ||
	    memory_is_behind(&what->info))
		return;
	/* In a heap's buffer, CUDA only knows mappings of its object. */
	what->ctx = core_object_ctx(memory_type_of(what->info.kind),
				    what->info.base);
	if (!what->ctx)
		what->ctx = core_object_ctx(CORE_IPC, what->info.base);
	if (!what->ctx && core_symbol_find(what->info.base))
		what->ctx = core_primary(0);
	if (!what->ctx) {
		core_mapping_find(ptr, what);
		return;
	}
	what->kind = what->info.kind;
	/* An engine that can access all memory needs no second address. */
	if (what->kind == MEM_KIND_REGISTERED &&
	    what->ctx->device->board.has_pageable_access)
		what->info.device = what->info.host;
	what->is_start = ptr == what->info.base;
}

/**
 * core_memory() - return the memory of the context's device
 * @ctx: context
 * @nr_free: out: free bytes
 * @nr_all: out: all bytes
 *
 * Return: CUDA_SUCCESS, the error that ended the context's work, or
 * core_error() of mem_ctx_memory().
 */
CORE_API int core_memory(struct CUctx_st *ctx, uint64_t *nr_free,
			 uint64_t *nr_all)
{
	const int rc = core_error(mem_ctx_error(ctx->mem));

	if (rc)
		return rc;
	return core_error(mem_ctx_memory(ctx->mem, ctx->device->engine,
					 nr_free, nr_all));
}

/* Called by core_objects_drop(). */
void core_memory_drop(struct CUctx_st *ctx, void *ptr)
{
	core_advice_forget(ptr);
	core_ipc_forget(ptr);
	core_pool_forget(ptr);
	mem_free(ctx->mem, ptr);
}

void core_registered_drop(struct CUctx_st *ctx, void *ptr)
{
	mem_unregister(ctx->mem, ptr);
}
