// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The program's objects: memory by its start; streams, events and others by
 * their handle. The lookup is safe for a handle that was never valid or has
 * been destroyed. It also finds the objects of a context.
 */
#include <pthread.h>
#include <search.h>
#include <stdlib.h>

#include "internal.h"

/**
 * struct object - an object
 * @type: type
 * @key: address or handle
 * @ctx: context that owns it
 * @next: next object
 * @prev: previous object
 */
struct object {
	enum core_type type;
	const void *key;
	struct CUctx_st *ctx;
	struct object *next;
	struct object *prev;
};

/* Protects the tree and the list. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *tree;
static struct object all = { .next = &all, .prev = &all };

static int core_object_compare(const void *a, const void *b)
{
	const struct object *x = a;
	const struct object *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (int)x->type - (int)y->type;
}

/* The lock is held. */
static struct object *core_object_find(enum core_type type, const void *key)
{
	const struct object wanted = { .type = type, .key = key };
	struct object **found = tfind(&wanted, &tree, core_object_compare);

	return found ? *found : NULL;
}

static void core_object_take_out(struct object *object)
{
	tdelete(object, &tree, core_object_compare);
	object->prev->next = object->next;
	object->next->prev = object->prev;
	free(object);
}

/**
 * core_object_add() - make an object known
 * @type: type
 * @key: address or handle
 * @ctx: context that owns it
 *
 * Return: CUDA_SUCCESS or CUDA_ERROR_OUT_OF_MEMORY.
 */
CORE_API int core_object_add(enum core_type type, void *key,
			     struct CUctx_st *ctx)
{
	struct object *object = malloc(sizeof(*object));

	if (!object)
		return CUDA_ERROR_OUT_OF_MEMORY;
	object->type = type;
	object->key = key;
	object->ctx = ctx;
	pthread_mutex_lock(&lock);
	if (!tsearch(object, &tree, core_object_compare)) {
		pthread_mutex_unlock(&lock);
		free(object);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	object->next = &all;
	object->prev = all.prev;
	object->prev->next = object;
	all.prev = object;
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}

/**
 * core_object_ctx() - return the context of an object
 * @type: required type
 * @key: address or handle, any value
 *
 * Return: context, or NULL if there is no such object.
 */
CORE_API struct CUctx_st *core_object_ctx(enum core_type type,
					  const void *key)
{
	struct CUctx_st *ctx = NULL;
	struct object *object;

	pthread_mutex_lock(&lock);
	object = core_object_find(type, key);
	if (object)
		ctx = object->ctx;
	pthread_mutex_unlock(&lock);
	return ctx;
}

/**
 * core_object_del() - make an object unknown, to destroy it
 * @type: required type
 * @key: address or handle, any value
 *
 * Return: true if it was known; if several threads call this, for only one.
 */
CORE_API bool core_object_del(enum core_type type, const void *key)
{
	struct object *object;

	pthread_mutex_lock(&lock);
	object = core_object_find(type, key);
	if (object)
		core_object_take_out(object);
	pthread_mutex_unlock(&lock);
	return object;
}

/* The newest object first: objects refer to older ones only. */
static bool core_object_next(struct CUctx_st *ctx, enum core_type *type,
			     void **key)
{
	struct object *object;

	pthread_mutex_lock(&lock);
	for (object = all.prev; object != &all; object = object->prev)
		if (object->ctx == ctx)
			break;
	if (object != &all) {
		*type = object->type;
		*key = (void *)object->key;
		core_object_take_out(object);
		object = NULL;
	}
	pthread_mutex_unlock(&lock);
	return !object;
}

/**
 * core_objects_drop() - destroy all objects of a context
 * @ctx: context whose work has ended
 */
void core_objects_drop(struct CUctx_st *ctx)
{
	static void (*const drop[CORE_NR_TYPES])(struct CUctx_st *, void *) = {
		[CORE_MEMORY] = core_memory_drop,
		[CORE_PINNED] = core_memory_drop,
		[CORE_REGISTERED] = core_registered_drop,
		[CORE_STREAM] = core_stream_drop,
		[CORE_EVENT] = core_event_drop,
		[CORE_ARRAY] = core_array_drop,
		[CORE_MIPMAP] = core_mipmap_drop,
		[CORE_SURFACE] = core_view_drop,
		[CORE_TEXTURE] = core_view_drop,
		[CORE_VIEWS] = core_views_drop,
		[CORE_SEMAPHORE] = core_semaphore_drop,
		[CORE_CONNECTION] = core_connection_drop,
		[CORE_GRAPHICS] = core_graphics_drop,
		[CORE_EXTERNAL] = core_extmem_drop,
		[CORE_MAPPING] = core_mapping_drop,
		[CORE_IPC] = core_ipc_drop,
	};
	enum core_type type;
	void *key;

	while (core_object_next(ctx, &type, &key))
		if (drop[type])
			drop[type](ctx, key);
	core_stream_forget(ctx, NULL);
}
