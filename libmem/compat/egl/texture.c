// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Two-dimensional textures, for libmem-gl. Their names are those of all
 * contexts. Writes and reads are copies in the order of a context's stream.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "egl.h"

/* Largest side, pixels */
#define SIDE_MAX	32768

/* Protects the number, and the memory of textures. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned int last_name;

static void texture_destroy(struct egl_object *object)
{
	struct egl_texture *texture = (struct egl_texture *)object;

	heapsim_egl_image_put(texture->memory);
	free(texture);
}

/**
 * egl_texture_create() - make a texture without memory
 * @name: out: its name
 *
 * Return: 0 or -ENOMEM.
 */
EGL_CORE_API int egl_texture_create(unsigned int *name)
{
	struct egl_texture *texture = calloc(1, sizeof(*texture));

	if (!texture)
		return -ENOMEM;
	texture->object.kind = EGL_KIND_TEXTURE;
	texture->object.destroy = texture_destroy;
	pthread_mutex_lock(&lock);
	texture->name = ++last_name;
	pthread_mutex_unlock(&lock);
	*name = texture->name;
	egl_object_add(&texture->object);
	return 0;
}

static bool texture_is_named(const struct egl_object *object, unsigned int name)
{
	return ((const struct egl_texture *)object)->name == name;
}

/**
 * egl_texture_get() - find a texture by its name
 * @name: any number
 *
 * Return: texture, with a user more: egl_object_put(); NULL: there is none.
 */
EGL_CORE_API struct egl_texture *egl_texture_get(unsigned int name)
{
	return egl_object_find(EGL_KIND_TEXTURE, texture_is_named, name);
}

/**
 * egl_texture_del() - take a texture's name away
 * @texture: texture, which stays while it has users
 */
EGL_CORE_API void egl_texture_del(struct egl_texture *texture)
{
	egl_object_del(EGL_KIND_TEXTURE, texture);
}

/* Takes a reference to the memory of a texture. */
static struct heapsim_egl_memory *texture_memory(struct egl_texture *texture)
{
	struct heapsim_egl_memory *memory = NULL;

	pthread_mutex_lock(&lock);
	if (texture->memory)
		memory = egl_memory_get(texture->memory);
	pthread_mutex_unlock(&lock);
	return memory;
}

/**
 * egl_texture_specify() - give a texture new memory
 * @texture: texture
 * @width: pixels, 0 to SIDE_MAX; 0: it has no memory then
 * @height: rows, likewise
 * @format: format
 *
 * Images that were made of it keep the old memory.
 *
 * Return: 0, -EINVAL (a side is too large), or as egl_memory_alloc().
 */
EGL_CORE_API int egl_texture_specify(struct egl_texture *texture,
				     unsigned int width, unsigned int height,
				     const struct egl_format *format)
{
	struct heapsim_egl_memory *new = NULL, *old;
	int err;

	if (width > SIDE_MAX || height > SIDE_MAX)
		return -EINVAL;
	if (width && height) {
		err = egl_memory_alloc(egl_ctx(), width, height, format, &new);
		if (err)
			return err;
	}
	pthread_mutex_lock(&lock);
	old = texture->memory;
	texture->memory = new;
	texture->format = *format;
	pthread_mutex_unlock(&lock);
	heapsim_egl_image_put(old);
	return 0;
}

static bool texture_has(const struct mem_plane *plane, unsigned int x,
			unsigned int y, unsigned int width, unsigned int height)
{
	return x <= plane->width && width <= plane->width - x &&
	       y <= plane->height && height <= plane->height - y;
}

static char *texture_at(const struct mem_plane *plane, unsigned int x,
			unsigned int y)
{
	return (char *)plane->base + (uint64_t)y * plane->pitch +
	       (uint64_t)x * plane->pixel_len;
}

/**
 * egl_texture_write() - write pixels of a texture, in order of a stream
 * @texture: texture
 * @stream: stream
 * @x: first pixel of each row
 * @y: first row
 * @width: pixels
 * @height: rows
 * @pixels: rows one after the other; read when the call returns
 *
 * Return: 0, -EINVAL (no memory, a part outside), or as mem_copy_rows_async().
 */
EGL_CORE_API int egl_texture_write(struct egl_texture *texture,
				   struct mem_stream *stream, unsigned int x,
				   unsigned int y, unsigned int width,
				   unsigned int height, const void *pixels)
{
	struct heapsim_egl_memory *memory = texture_memory(texture);
	const struct mem_plane *plane;
	struct mem_rows rows;
	int err = -EINVAL;

	if (!memory)
		return -EINVAL;
	plane = &memory->image.planes[0];
	if (texture_has(plane, x, y, width, height)) {
		rows.dst = texture_at(plane, x, y);
		rows.src = pixels;
		rows.dst_pitch = plane->pitch;
		rows.src_pitch = (uint64_t)width * plane->pixel_len;
		rows.row_len = rows.src_pitch;
		rows.nr_rows = height;
		err = !width || !height ? 0 :
			mem_copy_rows_async(stream, &rows,
					    MEM_DIR_HOST_TO_DEVICE);
	}
	heapsim_egl_image_put(memory);
	return err;
}

/**
 * egl_texture_read() - read all pixels of a texture
 * @texture: texture
 * @stream: stream
 * @pixels: out: rows one after the other
 *
 * Return: 0, -EINVAL (no memory), or as mem_copy_rows().
 */
EGL_CORE_API int egl_texture_read(struct egl_texture *texture,
				  struct mem_stream *stream, void *pixels)
{
	struct heapsim_egl_memory *memory = texture_memory(texture);
	const struct mem_plane *plane;
	struct mem_rows rows;
	int err;

	if (!memory)
		return -EINVAL;
	plane = &memory->image.planes[0];
	rows.dst = pixels;
	rows.src = plane->base;
	rows.src_pitch = plane->pitch;
	rows.dst_pitch = (uint64_t)plane->width * plane->pixel_len;
	rows.row_len = rows.dst_pitch;
	rows.nr_rows = plane->height;
	err = mem_copy_rows(stream, &rows, MEM_DIR_DEVICE_TO_HOST);
	heapsim_egl_image_put(memory);
	return err;
}

/**
 * egl_texture_copy() - copy pixels of a texture, in order of a stream
 * @from: texture
 * @from_x: first pixel of each row
 * @from_y: first row
 * @to: texture; may be @from
 * @to_x: likewise
 * @to_y: likewise
 * @width: pixels
 * @height: rows
 * @stream: stream
 *
 * Return: 0, -EMEDIUMTYPE (no memory, or pixels of another length), -EINVAL (a
 * part outside), or as mem_copy_rows_async().
 */
EGL_CORE_API int egl_texture_copy(struct egl_texture *from, unsigned int from_x,
				  unsigned int from_y, struct egl_texture *to,
				  unsigned int to_x, unsigned int to_y,
				  unsigned int width, unsigned int height,
				  struct mem_stream *stream)
{
	struct heapsim_egl_memory *source = texture_memory(from);
	struct heapsim_egl_memory *target = texture_memory(to);
	const struct mem_plane *src, *dst;
	struct mem_rows rows;
	int err = -EMEDIUMTYPE;

	if (!source || !target)
		goto out_put;
	/* Another thread may specify the textures again, but not the memory. */
	src = &source->image.planes[0];
	dst = &target->image.planes[0];
	if (src->pixel_len != dst->pixel_len)
		goto out_put;
	err = -EINVAL;
	if (!texture_has(src, from_x, from_y, width, height) ||
	    !texture_has(dst, to_x, to_y, width, height))
		goto out_put;
	rows.dst = texture_at(dst, to_x, to_y);
	rows.src = texture_at(src, from_x, from_y);
	rows.dst_pitch = dst->pitch;
	rows.src_pitch = src->pitch;
	rows.row_len = (uint64_t)width * src->pixel_len;
	rows.nr_rows = height;
	err = !width || !height ? 0 :
		mem_copy_rows_async(stream, &rows, MEM_DIR_DEVICE_TO_DEVICE);
out_put:
	if (source)
		heapsim_egl_image_put(source);
	if (target)
		heapsim_egl_image_put(target);
	return err;
}

/**
 * egl_texture_memory() - take a reference to the memory of a texture
 * @name: name, any number
 *
 * Return: memory, or NULL if there is no such texture or it has none.
 */
struct heapsim_egl_memory *egl_texture_memory(unsigned int name)
{
	struct egl_texture *texture = egl_texture_get(name);
	struct heapsim_egl_memory *memory;

	if (!texture)
		return NULL;
	memory = texture_memory(texture);
	egl_object_put(texture);
	return memory;
}
