// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Mappings of objects (NvSciBuf): device memory that is part of an object. A
 * part may be mapped several times, always at the same address. Each mapping
 * holds a reference to the object.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "internal.h"

/**
 * struct mapping - a mapping of a part of an object
 * @next: next older mapping
 * @ctx: context that owns it
 * @object: object, a reference
 * @ptr: first byte
 * @len: bytes
 */
struct mapping {
	struct mapping *next;
	struct CUctx_st *ctx;
	struct mem_object *object;
	char *ptr;
	uint64_t len;
};

/* Protects the list. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mapping *all;
/*
 * Length of the list. Addresses are looked up often, and most programs have no
 * mapping.
 */
static atomic_uint nr_all;

static void mapping_take_out(struct mapping *mapping)
{
	struct mapping **link = &all;

	while (*link != mapping)
		link = &(*link)->next;
	*link = mapping->next;
	atomic_fetch_sub(&nr_all, 1);
}

/**
 * core_mapping_add() - map a part of an object
 * @ctx: context
 * @object: object; the mapping takes a reference
 * @ptr: first byte, in the object
 * @len: bytes
 *
 * Return: CUDA_SUCCESS or CUDA_ERROR_OUT_OF_MEMORY.
 */
int core_mapping_add(struct CUctx_st *ctx, struct mem_object *object,
		     void *ptr, uint64_t len)
{
	struct mapping *new = malloc(sizeof(*new));
	int rc;

	if (!new)
		return CUDA_ERROR_OUT_OF_MEMORY;
	new->ctx = ctx;
	new->object = mem_object_get(object);
	new->ptr = ptr;
	new->len = len;
	rc = core_object_add(CORE_MAPPING, new, ctx);
	if (rc) {
		mem_object_put(object);
		free(new);
		return rc;
	}
	pthread_mutex_lock(&lock);
	new->next = all;
	all = new;
	atomic_fetch_add(&nr_all, 1);
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}

/* Returns the newest mapping that starts at an address. The lock is held. */
static struct mapping *mapping_find(const void *ptr)
{
	struct mapping *mapping;

	for (mapping = all; mapping; mapping = mapping->next)
		if (mapping->ptr == ptr)
			return mapping;
	return NULL;
}

/**
 * core_mapping_ctx() - return the context of a mapping
 * @ptr: start of a mapping, any address
 *
 * Return: context, or NULL if no mapping starts there.
 */
struct CUctx_st *core_mapping_ctx(const void *ptr)
{
	const struct mapping *mapping;
	struct CUctx_st *ctx = NULL;

	if (!atomic_load(&nr_all))
		return NULL;
	pthread_mutex_lock(&lock);
	mapping = mapping_find(ptr);
	if (mapping)
		ctx = mapping->ctx;
	pthread_mutex_unlock(&lock);
	return ctx;
}

/**
 * core_mapping_free() - destroy a mapping
 * @ptr: its first byte; of several mappings the newest is destroyed
 *
 * Return: true if there was one; if several threads call this, for only one.
 */
bool core_mapping_free(const void *ptr)
{
	struct mapping *mapping;

	pthread_mutex_lock(&lock);
	mapping = mapping_find(ptr);
	pthread_mutex_unlock(&lock);
	/* The thread that removes it from the objects destroys it. */
	if (!mapping || !core_object_del(CORE_MAPPING, mapping))
		return false;
	core_mapping_drop(mapping->ctx, mapping);
	return true;
}

/**
 * core_mapping_find() - find the mapping that contains an address
 * @ptr: any address
 * @what: in: libmem's information; out: device memory, with the bounds of the
 *	mapping
 *
 * Return: false if no mapping contains it; @what is unchanged then.
 */
bool core_mapping_find(const void *ptr, struct core_ptr *what)
{
	const struct mapping *mapping;

	if (!atomic_load(&nr_all))
		return false;
	pthread_mutex_lock(&lock);
	for (mapping = all; mapping; mapping = mapping->next)
		if ((uintptr_t)ptr - (uintptr_t)mapping->ptr < mapping->len)
			break;
	if (mapping) {
		what->ctx = mapping->ctx;
		what->kind = MEM_KIND_DEVICE;
		what->is_start = ptr == mapping->ptr;
		what->info.base = mapping->ptr;
		what->info.len = mapping->len;
		what->info.device = (void *)ptr;
		what->info.host = NULL;
		/* CUDA's IPC cannot export it. */
		what->info.flags |= MEM_DEVICE_IMPORTED;
	}
	pthread_mutex_unlock(&lock);
	return mapping;
}

/* Also called by core_objects_drop(). It is no object any more. */
void core_mapping_drop(struct CUctx_st *ctx, void *object)
{
	struct mapping *mapping = object;

	(void)ctx;
	pthread_mutex_lock(&lock);
	mapping_take_out(mapping);
	pthread_mutex_unlock(&lock);
	mem_object_put(mapping->object);
	free(mapping);
}
