// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Memory of images and textures. An image and what was made of it (another
 * image, a resource of CUDA) hold references: the memory stays when the texture
 * is deleted or gets another size.
 */
#include <errno.h>
#include <stdlib.h>

#include "egl.h"

/* As for pitched memory of CUDA, which shows textures as arrays */
#define PITCH_ALIGN	512

/**
 * egl_memory_get() - take a reference
 * @memory: memory
 *
 * Return: @memory.
 */
struct heapsim_egl_memory *egl_memory_get(struct heapsim_egl_memory *memory)
{
	__atomic_fetch_add(&memory->nr_users, 1, __ATOMIC_RELAXED);
	return memory;
}

API void heapsim_egl_image_put(struct heapsim_egl_memory *memory)
{
	if (!memory ||
	    __atomic_sub_fetch(&memory->nr_users, 1, __ATOMIC_ACQ_REL))
		return;
	if (memory->ptr)
		mem_free(memory->image.ctx, memory->ptr);
	mem_buf_destroy(memory->buf);
	free(memory);
}

API int heapsim_egl_image_export(struct heapsim_egl_memory *memory, int *fd)
{
	return memory->ptr ?
		mem_ptr_export(memory->image.ctx, memory->ptr, fd) :
		mem_buf_export(memory->buf, fd);
}

static struct heapsim_egl_memory *
memory_make(struct mem_ctx *ctx, const struct heapsim_egl_image *image)
{
	struct heapsim_egl_memory *memory = calloc(1, sizeof(*memory));

	if (!memory)
		return NULL;
	memory->nr_users = 1;
	memory->image = *image;
	memory->image.memory = memory;
	memory->image.ctx = ctx;
	return memory;
}

/**
 * egl_memory_alloc() - allocate the memory of a texture
 * @ctx: context
 * @width: pixels, above 0
 * @height: rows, above 0
 * @format: format
 * @memory: out: memory, a reference: heapsim_egl_image_put()
 *
 * Return: 0, -ENOMEM, or as mem_alloc().
 */
int egl_memory_alloc(struct mem_ctx *ctx, unsigned int width,
		     unsigned int height, const struct egl_format *format,
		     struct heapsim_egl_memory **memory)
{
	struct heapsim_egl_image image = {
		.fourcc = format->fourcc,
		.is_texture = 1,
		.is_float = format->is_float,
		.nr_planes = 1,
		.nr_channels = { format->nr_channels },
	};
	struct mem_plane *plane = &image.planes[0];
	struct heapsim_egl_memory *new;
	int err;

	plane->width = width;
	plane->height = height;
	plane->pixel_len = format->nr_channels * format->channel_len;
	plane->pitch = (width * plane->pixel_len + PITCH_ALIGN - 1) /
		       PITCH_ALIGN * PITCH_ALIGN;
	image.len = (uint64_t)plane->pitch * height;
	new = memory_make(ctx, &image);
	if (!new)
		return -ENOMEM;
	err = mem_alloc(ctx, MEM_KIND_DEVICE, image.len, 0, &new->ptr);
	if (err) {
		heapsim_egl_image_put(new);
		return err;
	}
	mem_set_name(ctx, new->ptr, "texture");
	/* Without memory, races go unseen. */
	mem_check_order(ctx, new->ptr);
	new->image.planes[0].base = new->ptr;
	*memory = new;
	return 0;
}

/**
 * egl_memory_import() - import the memory of a descriptor
 * @ctx: context
 * @fd: dma-buf, or what mem_buf_export() returned
 * @image: formats and planes, with offsets; addresses are found here
 * @memory: out: memory, a reference: heapsim_egl_image_put()
 *
 * Return: 0, -ENOMEM, -EACCES (a plane exceeds the memory), or as
 * mem_buf_import() or mem_buf_device_ptr().
 */
int egl_memory_import(struct mem_ctx *ctx, int fd,
		      const struct heapsim_egl_image *image,
		      struct heapsim_egl_memory **memory)
{
	struct heapsim_egl_memory *new = memory_make(ctx, image);
	void *base;
	uint32_t i;
	int err;

	if (!new)
		return -ENOMEM;
	err = mem_buf_import(ctx, fd, &new->buf);
	if (!err)
		err = mem_buf_device_ptr(new->buf, &base);
	if (!err)
		new->image.len = mem_buf_len(new->buf);
	for (i = 0; !err && i < image->nr_planes; i++) {
		struct mem_plane *plane = &new->image.planes[i];
		const uint64_t len = (uint64_t)plane->pitch * plane->height;

		if (plane->off > new->image.len ||
		    len > new->image.len - plane->off)
			err = -EACCES;
		else
			plane->base = (char *)base + plane->off;
	}
	if (err)
		heapsim_egl_image_put(new);
	else
		*memory = new;
	return err;
}
