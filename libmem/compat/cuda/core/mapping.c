// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What is mapped of objects (NvSciBuf): device memory that lies in an object.
 * The same part may be mapped several times, and has one address then; each
 * mapping keeps the object until it is given back.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "internal.h"

/**
 * struct mapping - part of an object
 * @next: made before it
 * @ctx: whose
 * @object: a reference of it
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
/* Of the list: most programs have none, and look addresses up often. */
static atomic_uint nr_all;

static void take_out(struct mapping *mapping)
{
	struct mapping **link = &all;

	while (*link != mapping)
		link = &(*link)->next;
	*link = mapping->next;
	atomic_fetch_sub(&nr_all, 1);
}

/**
 * core_mapping_add() - map part of an object
 * @ctx: context
 * @object: kept by the mapping
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

/* Which one starts at an address, the newest; the lock is held. */
static struct mapping *starts_at(const void *ptr)
{
	struct mapping *mapping;

	for (mapping = all; mapping; mapping = mapping->next)
		if (mapping->ptr == ptr)
			return mapping;
	return NULL;
}

/**
 * core_mapping_ctx() - whose mapping starts at an address?
 * @ptr: any address
 *
 * Return: NULL if none does.
 */
struct CUctx_st *core_mapping_ctx(const void *ptr)
{
	const struct mapping *mapping;
	struct CUctx_st *ctx = NULL;

	if (!atomic_load(&nr_all))
		return NULL;
	pthread_mutex_lock(&lock);
	mapping = starts_at(ptr);
	if (mapping)
		ctx = mapping->ctx;
	pthread_mutex_unlock(&lock);
	return ctx;
}

/**
 * core_mapping_free() - give a mapping back
 * @ptr: its first byte; of several the newest goes
 *
 * Return: true if there was one: of several that ask, one is told so.
 */
bool core_mapping_free(const void *ptr)
{
	struct mapping *mapping;

	pthread_mutex_lock(&lock);
	mapping = starts_at(ptr);
	pthread_mutex_unlock(&lock);
	/* Whoever takes it from the context's objects has it. */
	if (!mapping || !core_object_del(CORE_MAPPING, mapping))
		return false;
	core_mapping_drop(mapping->ctx, mapping);
	return true;
}

/**
 * core_mapping_find() - what an address in a mapping is
 * @ptr: any address
 * @what: in: libmem's answer; out: device memory, the mapping alone
 *
 * Return: false if it is in no mapping: @what stays as it is.
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
		/* Nothing that CUDA's own IPC can hand on */
		what->info.flags |= MEM_DEVICE_IMPORTED;
	}
	pthread_mutex_unlock(&lock);
	return mapping;
}

/* For core_objects_drop(), too: nobody else has it any more. */
void core_mapping_drop(struct CUctx_st *ctx, void *object)
{
	struct mapping *mapping = object;

	(void)ctx;
	pthread_mutex_lock(&lock);
	take_out(mapping);
	pthread_mutex_unlock(&lock);
	mem_object_put(mapping->object);
	free(mapping);
}
