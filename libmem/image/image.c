// SPDX-License-Identifier: LGPL-2.1-or-later
/* libmem: images: creation, destruction and locks. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"

/**
 * image_name_make() - give a new image its default name
 * @image: image with memory
 */
void image_name_make(struct mem_image *image)
{
	struct mem_format_info info = { .size = sizeof(info) };
	const struct view *view = &image->store.main.view;
	char name[MEM_NAME_LEN];

	if (mem_format_info(view->format, &info))
		return;
	snprintf(name, sizeof(name), "%s %ux%u", info.name, view->width,
		 view->height);
	strcpy(image->store.format, info.name);
	store_set_name(&image->store, name);
}

API int mem_image_create(struct mem_ctx *ctx, uint32_t width, uint32_t height,
			 unsigned int format, uint64_t uses,
			 struct mem_image **image)
{
	struct mem_image *new;
	struct view view;
	int err;

	if (!ctx || !image)
		return -EINVAL;
	err = image_geometry(format, width, height, &view);
	if (!err)
		err = uses_check(ctx, &uses);
	if (err)
		return err;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	store_init(&new->store, ctx, uses);
	err = image_place_alloc(ctx, &view, uses, &new->store.main);
	if (err) {
		store_put(&new->store);
		return err;
	}
	image_name_make(new);
	store_set_gate(&new->store);
	*image = new;
	return 0;
}

API void mem_image_destroy(struct mem_image *image)
{
	if (image)
		store_destroy(&image->store);
}

API int mem_image_set_name(struct mem_image *image, const char *name)
{
	return image ? store_set_name(&image->store, name) : -EINVAL;
}

API int mem_image_info(struct mem_image *image, struct mem_image_info *info)
{
	struct mem_image_info all = { .size = sizeof(all) };
	struct store *store;
	int err;

	if (!image || !info ||
	    struct_check(info, offsetofend(struct mem_image_info, name)))
		return -EINVAL;
	store = &image->store;
	err = ctx_look(store->ctx);
	if (err)
		return err;
	all.format = store->main.view.format;
	all.width = store->main.view.width;
	all.height = store->main.view.height;
	all.uses = store->uses;
	all.is_wrapper = store->is_wrapper;
	all.copies = store->why;
	all.nr_copies = atomic_load(&store->nr_copies);
	all.copied_bytes = atomic_load(&store->copied_bytes);
	pthread_mutex_lock(&store->lock);
	all.nr_locks = store->nr_holds;
	all.lock_access = store->access;
	memcpy(all.name, store->name, sizeof(all.name));
	pthread_mutex_unlock(&store->lock);
	struct_out(info, &all, sizeof(all));
	return 0;
}

/* Returns -EOPNOTSUPP if the board or the format has no such lock. */
static int image_lock_check(const struct mem_image *image, unsigned int as)
{
	const unsigned int format = image->store.main.view.format;
	struct mem_format_info info = { .size = sizeof(info) };

	if (as == MEM_LOCK_FD)
		return board_has_surface_export(image->store.ctx->board) ?
		       0 : -EOPNOTSUPP;
	if (as == MEM_LOCK_OBJECT)
		return 0;
	if (mem_format_info(format, &info))
		return -EINVAL;
	return info.layout == MEM_LAYOUT_BLOCK_LINEAR ? -EOPNOTSUPP : 0;
}

static void image_data_fill(const struct hold *hold,
			    struct mem_image_data *data)
{
	const struct place *place = hold->place;
	const bool is_device = hold->as == MEM_LOCK_DEVICE;
	const struct view view = place_view(place, is_device);
	uint32_t i;

	data->as = hold->as;
	data->format = view.format;
	data->width = view.width;
	data->height = view.height;
	data->nr_planes = view.nr_planes;
	data->fd = hold->fd;
	data->object = hold->as == MEM_LOCK_FD || hold->as == MEM_LOCK_OBJECT ?
		       place->object : NULL;
	for (i = 0; i < view.nr_planes; i++) {
		data->planes[i] = view.planes[i];
		if (hold->as == MEM_LOCK_FD || hold->as == MEM_LOCK_OBJECT)
			data->planes[i].base = NULL;
	}
}

API int mem_image_lock(struct mem_image *image, unsigned int access,
		       unsigned int as, struct mem_image_data *data)
{
	struct mem_image_data all = { .size = sizeof(all) };
	struct hold held;
	int err;

	if (!image || !data || !access || access & ~MEM_RW ||
	    as > MEM_LOCK_OBJECT ||
	    struct_check(data, offsetofend(struct mem_image_data, object)))
		return -EINVAL;
	err = ctx_check(image->store.ctx);
	if (!err)
		err = image_lock_check(image, as);
	if (!err)
		err = store_lock(&image->store, access, as, &held);
	if (err)
		return err;
	image_data_fill(&held, &all);
	struct_out(data, &all, sizeof(all));
	return 0;
}

API int mem_image_unlock(struct mem_image *image)
{
	return image ? store_unlock(&image->store) : -EINVAL;
}
