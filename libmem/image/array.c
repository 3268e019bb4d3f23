// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: arrays. An array is laid out as an image of two planes: one has a row
 * per element, so that copies do not touch the bytes between elements; the
 * other one has the count.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../attrs/format.h"
#include "image.h"

/* Returns the bytes of an element, or 0 if there is no such type. */
static uint32_t array_element_len(unsigned int data_type)
{
	return data_type < NR_DATA_TYPES ? format_data_len(data_type) : 0;
}

static int array_geometry(const struct mem_array *array, struct view *view)
{
	const uint32_t len = array_element_len(array->data_type);

	if (!len || array->stride < len || array->stride % len ||
	    array->stride > INT32_MAX || !array->capacity ||
	    array->capacity > UINT32_MAX)
		return -EINVAL;
	memset(view, 0, sizeof(*view));
	view->width = len;
	view->height = (uint32_t)array->capacity;
	view->nr_planes = 2;
	view->planes[0] = (struct mem_plane) {
		.width = len, .height = view->height, .pixel_len = 1,
		.pitch = array->stride,
	};
	view->planes[ARRAY_COUNT] = (struct mem_plane) {
		.width = 1, .height = 1, .pixel_len = sizeof(uint64_t),
		.pitch = sizeof(uint64_t),
	};
	return 0;
}

static struct mem_array *array_new(struct mem_ctx *ctx, uint64_t uses,
				   unsigned int data_type, uint32_t stride,
				   uint64_t capacity)
{
	struct mem_array *new = calloc(1, sizeof(*new));

	if (!new)
		return NULL;
	store_init(&new->store, ctx, uses);
	new->store.is_array = true;
	new->data_type = data_type;
	new->stride = stride;
	new->capacity = capacity;
	return new;
}

API int mem_array_create(struct mem_ctx *ctx, uint64_t capacity,
			 unsigned int data_type, uint64_t uses,
			 struct mem_array **array)
{
	struct mem_array shape = {
		.data_type = data_type,
		.stride = array_element_len(data_type),
		.capacity = capacity,
	};
	struct mem_array *new;
	struct view view;
	int err;

	if (!ctx || !array)
		return -EINVAL;
	err = array_geometry(&shape, &view);
	if (!err)
		err = uses_check(ctx, &uses);
	if (err)
		return err;
	new = array_new(ctx, uses, data_type, shape.stride, capacity);
	if (!new)
		return -ENOMEM;
	new->store.main.view = view;
	strcpy(new->store.format, format_data_words[data_type]);
	err = array_place_alloc(ctx, new, uses, &new->store.main);
	if (err) {
		store_put(&new->store);
		return err;
	}
	store_record(&new->store);
	store_set_gate(&new->store);
	*array = new;
	return 0;
}

/* Wrappers */

static int array_wrap_data(struct mem_ctx *ctx,
			   const struct mem_array_data *data,
			   const struct mem_array *array,
			   struct wrapped *wrapped)
{
	const uint64_t uses = array->store.uses;
	struct mem_buf *buf;
	int err;

	memset(wrapped, 0, sizeof(*wrapped));
	err = array_geometry(array, &wrapped->place.view);
	if (err)
		return err;
	if (data->as == MEM_LOCK_OBJECT) {
		buf = mem_object_buf(data->object);
		if (!buf || data->count)
			return -EINVAL;
		if (buf->ctx != ctx)
			return -EXDEV;
		err = array_place_of(data->object, array, uses,
				     &wrapped->place);
	} else {
		err = wrap_plane(ctx, data->as, 0, data->base, wrapped);
		if (!err)
			err = wrap_plane(ctx, data->as, ARRAY_COUNT,
					 data->count, wrapped);
	}
	if (!err)
		err = wrap_check(ctx, uses, true, wrapped);
	if (err)
		place_fini(&wrapped->place);
	return err;
}

static int array_data_take(struct mem_array_data *all,
			   const struct mem_array_data *data)
{
	int err;

	err = struct_in(all, sizeof(*all), data,
			offsetofend(struct mem_array_data, object));
	if (err)
		return err;
	return all->as > MEM_LOCK_OBJECT || all->as == MEM_LOCK_FD ? -EINVAL :
								     0;
}

API int mem_array_wrap(struct mem_ctx *ctx, const struct mem_array_data *data,
		       uint64_t uses, struct mem_array **array)
{
	struct mem_array_data all;
	struct wrapped wrapped;
	struct mem_array *new;
	int err;

	if (!ctx || !data || !array)
		return -EINVAL;
	err = array_data_take(&all, data);
	if (!err)
		err = uses_check(ctx, &uses);
	if (err)
		return err;
	new = array_new(ctx, uses, all.data_type, all.stride, all.capacity);
	if (!new)
		return -ENOMEM;
	new->store.is_wrapper = true;
	new->wrapped_as = all.as;
	err = array_wrap_data(ctx, &all, new, &wrapped);
	if (!err)
		err = store_wrap(&new->store, &wrapped);
	if (err)
		store_put(&new->store);
	else
		*array = new;
	return err;
}

API int mem_array_rewrap(struct mem_array *array,
			 const struct mem_array_data *data)
{
	struct mem_array_data all;
	struct wrapped wrapped;
	struct hold *hold;
	int err;

	if (!array || !data)
		return -EINVAL;
	err = array_data_take(&all, data);
	if (!err && array->store.is_wrapper &&
	    (all.data_type != array->data_type || all.stride != array->stride ||
	     all.capacity != array->capacity))
		err = -EINVAL;
	if (!err)
		err = rewrap_begin(&array->store, all.as == array->wrapped_as,
				   &hold);
	if (err)
		return err;
	err = array_wrap_data(array->store.ctx, &all, array, &wrapped);
	if (!err)
		err = store_wrap(&array->store, &wrapped);
	store_drop(&array->store, hold);
	return err;
}

API void mem_array_destroy(struct mem_array *array)
{
	if (array)
		store_destroy(&array->store);
}

API int mem_array_set_name(struct mem_array *array, const char *name)
{
	return array ? store_set_name(&array->store, name) : -EINVAL;
}

/* The count */

/* The caller has locked the array, or has waited for its jobs. */
static int array_read_count(const struct place *place, struct mem_ctx *ctx,
			    uint64_t *count)
{
	if (place->host[ARRAY_COUNT]) {
		memcpy(count, place->host[ARRAY_COUNT], sizeof(*count));
		return 0;
	}
	return mem_copy(mem_stream_legacy(ctx), count,
			place->device[ARRAY_COUNT], sizeof(*count),
			MEM_DIR_DEFAULT);
}

API int mem_array_count(struct mem_array *array, uint64_t *count)
{
	uint64_t now = 0;
	int err;

	if (!array || !count)
		return -EINVAL;
	err = ctx_check(array->store.ctx);
	if (!err)
		err = store_wait(&array->store);
	if (!err)
		err = array_read_count(&array->store.main, array->store.ctx,
				       &now);
	if (!err)
		*count = now < array->capacity ? now : array->capacity;
	return err;
}

/* Returns the newest lock's place, or NULL without a lock for writing. */
static const struct place *array_place_to_write(struct store *store)
{
	const struct place *place = NULL;

	pthread_mutex_lock(&store->lock);
	if (store->access & MEM_WRITE && store->holds->is_complete)
		place = store->holds->place;
	pthread_mutex_unlock(&store->lock);
	return place;
}

API int mem_array_set_count(struct mem_array *array, uint64_t count)
{
	const struct place *place;
	int err;

	if (!array || count > array->capacity)
		return -EINVAL;
	err = ctx_may_change(array->store.ctx);
	if (err)
		return err;
	place = array_place_to_write(&array->store);
	if (!place)
		return -ENOLCK;
	if (place->host[ARRAY_COUNT]) {
		memcpy(place->host[ARRAY_COUNT], &count, sizeof(count));
		return 0;
	}
	return mem_copy(mem_stream_legacy(array->store.ctx),
			place->device[ARRAY_COUNT], &count, sizeof(count),
			MEM_DIR_DEFAULT);
}

/* Locks */

static void array_data_fill(const struct mem_array *array,
			    const struct hold *hold,
			    struct mem_array_data *data)
{
	const struct place *place = hold->place;
	const bool is_device = hold->as == MEM_LOCK_DEVICE;

	data->as = hold->as;
	data->data_type = array->data_type;
	data->stride = array->stride;
	data->capacity = array->capacity;
	data->count = is_device ? place->device[ARRAY_COUNT] :
				  place->host[ARRAY_COUNT];
	data->base = is_device ? place->device[0] : place->host[0];
	data->object = NULL;
	if (hold->as == MEM_LOCK_OBJECT) {
		data->base = NULL;
		data->object = place->object;
	}
}

API int mem_array_lock(struct mem_array *array, unsigned int access,
		       unsigned int as, struct mem_array_data *data)
{
	struct mem_array_data all = { .size = sizeof(all) };
	struct hold held;
	int err;

	if (!array || !data || !access || access & ~MEM_RW ||
	    as > MEM_LOCK_OBJECT || as == MEM_LOCK_FD ||
	    struct_check(data, offsetofend(struct mem_array_data, object)))
		return -EINVAL;
	err = ctx_check(array->store.ctx);
	if (!err)
		err = store_lock(&array->store, access, as, &held);
	if (err)
		return err;
	array_data_fill(array, &held, &all);
	struct_out(data, &all, sizeof(all));
	return 0;
}

API int mem_array_unlock(struct mem_array *array)
{
	return array ? store_unlock(&array->store) : -EINVAL;
}
