// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: frames of pipes: checks of what is presented, and the memory of
 * frames in the context of the consumer. If that is another one than the
 * producer's, the memory is imported when it is first acquired, and kept for
 * the next frame that has it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../image/image.h"
#include "pipe.h"

/* Imports that are kept while no frame uses them */
#define MAPS_MAX	(MEM_PIPE_FRAMES_MAX * MEM_PLANES_MAX)

/**
 * struct pipe_map - memory of the producer's context in the consumer's
 * @next: next of the pipe, older
 * @ctx: context of the consumer, which the pipe may have replaced since
 * @nr_users: held frames that use it
 * @store: of the producer's image, with a reference; NULL: it is of a buffer
 * @image: image in the consumer's context
 * @id: id of the producer's buffer
 * @buf: buffer in the consumer's context
 * @base: its address for engines
 */
struct pipe_map {
	struct pipe_map *next;
	const struct mem_ctx *ctx;
	unsigned int nr_users;
	struct store *store;
	struct mem_image *image;
	uint64_t id;
	struct mem_buf *buf;
	uint8_t *base;
};

static struct mem_image *frame_image_of(struct store *store)
{
	return containerof(store, struct mem_image, store);
}

/* Presented frames */

/**
 * frame_take_planes() - describe the planes of a frame's image
 * @frame: in: image; out: its planes, without addresses
 */
void frame_take_planes(struct mem_frame *frame)
{
	const struct view *view = &frame->image->store.main.view;
	uint32_t i;

	frame->nr_planes = view->nr_planes;
	memset(frame->planes, 0, sizeof(frame->planes));
	for (i = 0; i < view->nr_planes; i++) {
		frame->planes[i] = view->planes[i];
		frame->planes[i].base = NULL;
	}
}

static int frame_check_image(const struct mem_ctx *ctx, enum frame_way way,
			     struct mem_frame *frame)
{
	struct store *store = &frame->image->store;
	int err;

	if (store->ctx != ctx ||
	    (way != FRAME_WITHIN && !image_has_ctxs(frame->image)))
		return -EXDEV;
	err = store_job_begin(store, MEM_READ);
	if (err)
		return err;
	store_job_end(store, NULL);
	frame_take_planes(frame);
	return 0;
}

/* Returns 0, or an error if the other side cannot access the buffer. */
static int frame_check_way(const struct mem_buf *buf, enum frame_way way)
{
	if (way == FRAME_WITHIN || is_heaps(buf))
		return 0;
	if (way == FRAME_TO_CTX)
		return -EXDEV;
	/* A file is passed on only by who has made it. */
	if (buf->kind != MEM_KIND_DEVICE ||
	    (way == FRAME_TO_PROCESS && is_imported(buf)))
		return -EOPNOTSUPP;
	return 0;
}

static int frame_check_plane(struct mem_ctx *ctx, const struct mem_plane *plane,
			     enum frame_way way)
{
	struct mem_buf *buf;
	uint64_t len;
	int err;

	if (!plane->width || !plane->height || !plane->pixel_len ||
	    plane->width > UINT32_MAX / plane->pixel_len ||
	    plane->pitch < plane->width * plane->pixel_len)
		return -EINVAL;
	if (!plane->base)
		return -EFAULT;
	len = plane_len(plane);
	buf = ctx->backend->find(ctx, plane->base);
	/* Engines of some boards can access any memory of the process. */
	if (!buf)
		return way == FRAME_WITHIN &&
		       board_has_pageable_access(ctx->board) ? 0 : -EFAULT;
	err = buf->ctx == ctx ? frame_check_way(buf, way) : -EXDEV;
	if (!err && (buf_off_of(buf, plane->base) > buf->asked_len ||
		     len > buf->asked_len - buf_off_of(buf, plane->base)))
		err = -EINVAL;
	ctx->backend->put(buf);
	return err;
}

/**
 * frame_take() - read and check a frame that is presented
 * @end: producer
 * @from: the caller's
 * @way: where it goes
 * @frame: out: frame, without number, id and time
 *
 * Return: 0, or an error as documented for mem_pipe_present().
 */
int frame_take(const struct mem_pipe_end *end, const struct mem_frame *from,
	       enum frame_way way, struct mem_frame *frame)
{
	uint32_t i;
	int err;

	err = struct_in(frame, sizeof(*frame), from,
			offsetofend(struct mem_frame, time_ns));
	if (err)
		return err;
	if (frame->reserved)
		return -EINVAL;
	frame->is_again = 0;
	frame->number = 0;
	if (frame->image)
		return frame_check_image(end->ctx, way, frame);
	if (!frame->nr_planes || frame->nr_planes > MEM_PLANES_MAX)
		return -EINVAL;
	for (i = 0; i < frame->nr_planes && !err; i++)
		err = frame_check_plane(end->ctx, &frame->planes[i], way);
	return err;
}

/* Memory of another context */

static void map_free(struct pipe_map *map)
{
	mem_image_destroy(map->image);
	/* The consumer may still have work on frames that were in it. */
	memory_retire(map->buf, 0);
	if (map->store)
		store_put(map->store);
	free(map);
}

/* Returns true if the producer has destroyed the image. */
static bool map_is_left(const struct pipe_map *map)
{
	return map->store && atomic_load(&map->store->nr_users) == 1;
}

/*
 * Frees imports that no frame uses, of images that the producer has destroyed,
 * and the oldest ones above @max. The lock of the maps is held.
 */
static void maps_trim(struct mem_pipe *pipe, unsigned int max)
{
	struct pipe_map **at = &pipe->maps, *map;
	unsigned int nr = 0;

	while ((map = *at)) {
		if (map->nr_users || (++nr <= max && !map_is_left(map))) {
			at = &map->next;
			continue;
		}
		*at = map->next;
		map_free(map);
	}
}

static int map_make_buf(struct mem_buf *from, struct mem_ctx *ctx,
			struct pipe_map *map)
{
	void *base;
	int fd, err;

	err = mem_buf_export_as(from, from->is_read_only ? MEM_READ : MEM_RW,
				&fd);
	if (err)
		return err;
	err = mem_buf_import(ctx, fd, &map->buf);
	fd_close(fd);
	if (err)
		return err;
	err = mem_buf_device_ptr(map->buf, &base);
	if (err) {
		mem_buf_destroy(map->buf);
		return err;
	}
	map->base = base;
	return 0;
}

/* Imports an image, or a buffer with an id. The lock of the maps is held. */
static int map_make(struct mem_pipe_end *end, struct store *store,
		    struct mem_buf *buf, uint64_t id, struct pipe_map **map)
{
	struct pipe_map *new = calloc(1, sizeof(*new));
	int err;

	if (!new)
		return -ENOMEM;
	if (store)
		err = image_in_ctx(frame_image_of(store), end->ctx,
				   &new->image);
	else
		err = map_make_buf(buf, end->ctx, new);
	if (err) {
		free(new);
		return err;
	}
	new->ctx = end->ctx;
	new->store = store ? store_get(store) : NULL;
	new->id = id;
	new->next = end->pipe->maps;
	end->pipe->maps = new;
	*map = new;
	return 0;
}

static struct pipe_map *map_find(const struct mem_pipe_end *end,
				 const struct store *store, uint64_t id)
{
	struct pipe_map *map = end->pipe->maps;

	while (map && (map->ctx != end->ctx || map->store != store ||
		       map->id != id))
		map = map->next;
	return map;
}

/* Returns an import with a user more. The lock of the maps is held. */
static int map_get(struct mem_pipe_end *end, struct store *store,
		   struct mem_buf *buf, struct pipe_map **map)
{
	struct mem_buf_info info = { .size = sizeof(info) };
	struct pipe_map *found;
	int err = 0;

	if (buf)
		err = mem_buf_info(buf, &info);
	if (err)
		return err;
	found = map_find(end, store, info.id);
	if (!found) {
		maps_trim(end->pipe, MAPS_MAX);
		err = map_make(end, store, buf, info.id, &found);
	}
	if (err)
		return err;
	found->nr_users++;
	*map = found;
	return 0;
}

static int frame_map_plane(struct mem_pipe_end *end, struct pipe_slot *slot,
			   uint32_t plane, void **base)
{
	const struct backend *backend = end->ctx->backend;
	struct mem_buf *buf = backend->find(end->ctx, *base);
	int err;

	if (!buf)
		return -EFAULT;
	/* The producer may have freed it, and others may have its address. */
	err = buf->ctx != slot->ctx || !is_heaps(buf) ? -EFAULT : 0;
	if (!err)
		err = map_get(end, NULL, buf, &slot->maps[plane]);
	if (!err)
		*base = slot->maps[plane]->base + buf_off_of(buf, *base);
	backend->put(buf);
	return err;
}

static int frame_map_maps(struct mem_pipe_end *end, struct pipe_slot *slot,
			  struct mem_frame *frame)
{
	uint32_t i;
	int err = 0;

	if (slot->store) {
		err = map_get(end, slot->store, NULL, &slot->maps[0]);
		if (!err)
			frame->image = slot->maps[0]->image;
		return err;
	}
	for (i = 0; i < frame->nr_planes && !err; i++)
		err = frame_map_plane(end, slot, i, &frame->planes[i].base);
	return err;
}

/**
 * frame_map() - give the consumer's context access to a frame
 * @end: consumer
 * @slot: slot that the calling thread has
 * @frame: in: as it was presented; out: as the consumer sees it
 *
 * Context: may sleep, no lock is held.
 * Return: 0, or an error of mem_buf_import() and the like.
 */
int frame_map(struct mem_pipe_end *end, struct pipe_slot *slot,
	      struct mem_frame *frame)
{
	struct mem_pipe *pipe = end->pipe;
	int err;

	if (!slot->is_for_other)
		return 0;
	pthread_mutex_lock(&pipe->maps_lock);
	err = frame_map_maps(end, slot, frame);
	pthread_mutex_unlock(&pipe->maps_lock);
	if (err)
		frame_unmap(pipe, slot);
	return err;
}

/**
 * frame_unmap() - undo frame_map()
 * @pipe: pipe
 * @slot: slot that the calling thread has
 *
 * The imports are kept for other frames.
 */
void frame_unmap(struct mem_pipe *pipe, struct pipe_slot *slot)
{
	uint32_t i;

	pthread_mutex_lock(&pipe->maps_lock);
	for (i = 0; i < MEM_PLANES_MAX; i++) {
		if (slot->maps[i])
			slot->maps[i]->nr_users--;
		slot->maps[i] = NULL;
	}
	pthread_mutex_unlock(&pipe->maps_lock);
}

/**
 * frame_forget() - free the imports that no frame uses
 * @pipe: pipe
 */
void frame_forget(struct mem_pipe *pipe)
{
	pthread_mutex_lock(&pipe->maps_lock);
	maps_trim(pipe, 0);
	pthread_mutex_unlock(&pipe->maps_lock);
	serve_forget(pipe);
}

/* The consumer need not hold the frame. */
static int frame_begin_wait(struct mem_image *image)
{
	int err;

	gate_own_begin();
	err = store_job_begin(&image->store, MEM_READ);
	gate_own_end();
	return err;
}

/**
 * frame_wait() - make the further work of a stream wait for earlier work
 * @image: image of the frame in the context of the stream; NULL: it has none
 * @fence: end of the other side's work
 * @own: end of work of the same side; NULL: not waited for
 * @stream: stream
 *
 * A lock of the image waits for that, too.
 *
 * Return: 0, or -errno as documented for mem_pipe_acquire().
 */
int frame_wait(struct mem_image *image, const struct pipe_fence *fence,
	       const struct pipe_fence *own, struct mem_stream *stream)
{
	int err = 0;

	if (image)
		err = frame_begin_wait(image);
	if (err)
		return err;
	err = pipe_fence_wait(fence, stream);
	if (!err && own)
		err = pipe_fence_wait(own, stream);
	if (image)
		store_job_end(&image->store, err ? NULL : stream);
	return err;
}

/**
 * frame_wait_back() - make a stream wait for the consumer's work on a frame
 * @image: image of the frame, or NULL
 * @fence: end of the consumer's work
 * @stream: stream of the producer
 *
 * Return: 0, or -errno as documented for mem_pipe_return().
 */
int frame_wait_back(struct mem_image *image, const struct pipe_fence *fence,
		    struct mem_stream *stream)
{
	int err;

	err = frame_wait(image, fence, NULL, stream);
	/* A lock that the producer or the consumer holds does not matter. */
	if (err == -EBUSY && image)
		err = frame_wait(NULL, fence, NULL, stream);
	return err;
}
