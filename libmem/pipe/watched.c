// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: what a consumer may do with frames, for `heapsim run`: it may read a
 * frame from the acquire to the release, in the order of its streams. If the
 * producer has the same context, both use the same buffers and images. Then
 * nothing is checked after the release, since the frame is the producer's soon.
 */
#include <string.h>

#include "../compat.h"
#include "../image/image.h"
#include "pipe.h"

/* Padding at the end of a row: CUDA aligns rows to 512 bytes. */
#define MAX_PADDING	512

/* Returns the buffer at an address, with a reference, if it can be checked. */
static struct mem_buf *watch_find(struct mem_ctx *ctx, void *base)
{
	struct mem_buf *buf = ctx->backend->find(ctx, base);

	if (!buf || (buf->ctx == ctx &&
		     (is_heaps(buf) || buf->kind == MEM_KIND_DEVICE)))
		return buf;
	ctx->backend->put(buf);
	return NULL;
}

static uint64_t watch_id(struct mem_buf *buf)
{
	struct mem_buf_info info = { .size = sizeof(info) };

	return mem_buf_info(buf, &info) ? 0 : info.id;
}

static bool watch_has(const struct gate_change *change,
		      const struct mem_buf *buf)
{
	unsigned int i;

	for (i = 0; i < change->nr; i++)
		if (change->bufs[i] == buf)
			return true;
	return false;
}

/* Returns the change of the buffers that still exist, with references. */
static struct gate_change watch_change_of(const struct pipe_watch *watch,
					  int by)
{
	struct gate_change change = {
		.is_shared = watch->is_shared,
		.by = by,
		.note = gate_note_here(),
	};
	unsigned int i;

	for (i = 0; i < watch->nr; i++) {
		struct mem_buf *buf = watch_find(watch->ctx, watch->bases[i]);

		if (!buf)
			continue;
		/* The program may have freed it, and got another one there. */
		if (watch_id(buf) == watch->ids[i] &&
		    !watch_has(&change, buf)) {
			change.epochs[change.nr] = gate_epoch(buf);
			change.bufs[change.nr++] = buf;
		} else {
			watch->ctx->backend->put(buf);
		}
	}
	return change;
}

/*
 * Changes who may use the frame: at once, or when the stream gets there. If
 * memory is short for the latter, buffers are not checked any more.
 */
static void watch_change(struct pipe_watch *watch, int by,
			 struct mem_stream *stream)
{
	struct gate_change change = watch_change_of(watch, by);

	if (watch->store)
		store_change_frames(watch->store, &change);
	if (!change.nr)
		return;
	if (stream && !stream_change_gates(stream, &change))
		return;
	if (!stream)
		gate_change(&change);
	else if (watch->is_shared)
		gate_end_shared(&change);
	gate_change_fini(&change);
	if (stream)
		watch->nr = 0;
}

/* Returns true if the plane shares bytes with one before it in the frame. */
static bool watch_overlaps(const struct mem_frame *frame, uint32_t i)
{
	const uint8_t *first = frame->planes[i].base, *other;
	uint32_t j;

	for (j = 0; j < i; j++) {
		other = frame->planes[j].base;
		if (first < other + plane_len(&frame->planes[j]) &&
		    other < first + plane_len(&frame->planes[i]))
			return true;
	}
	return false;
}

/*
 * Returns true if the buffer may have other frames, too: the pixels leave more
 * room than the padding of rows, which is shorter than a row.
 */
static bool watch_is_part(struct mem_ctx *ctx, const struct mem_frame *frame,
			  const struct mem_buf *buf)
{
	uint64_t len = 0;
	uint32_t i;

	for (i = 0; i < frame->nr_planes; i++) {
		const struct mem_plane *plane = &frame->planes[i];
		const uint32_t row_len = plane->width * plane->pixel_len;
		struct mem_buf *found = watch_find(ctx, plane->base);

		if (found)
			ctx->backend->put(found);
		if (found != buf)
			continue;
		if (watch_overlaps(frame, i) ||
		    plane->pitch - row_len >= row_len ||
		    plane->pitch - row_len >= MAX_PADDING)
			return true;
		len += (uint64_t)plane->pitch * plane->height;
	}
	return len < buf->asked_len;
}

static void watch_add_plane(struct pipe_watch *watch,
			    const struct mem_frame *frame, void *base)
{
	struct mem_buf *buf = watch_find(watch->ctx, base);

	if (!buf)
		return;
	/*
	 * The producer may write to another frame in the buffer. A gate of a
	 * buffer with two views would cut a system call short that reads it.
	 */
	if (!watch->is_shared || (buf->kind != MEM_KIND_NONCOHERENT &&
				  !watch_is_part(watch->ctx, frame, buf))) {
		watch->bases[watch->nr] = base;
		watch->ids[watch->nr++] = watch_id(buf);
	}
	watch->ctx->backend->put(buf);
}

/**
 * watch_begin() - begin to check the use of a frame that is being acquired
 * @end: consumer
 * @slot: slot that the calling thread has
 * @frame: frame as the consumer sees it
 * @stream: stream that waits for the producer's work
 */
void watch_begin(const struct mem_pipe_end *end, struct pipe_slot *slot,
		 const struct mem_frame *frame, struct mem_stream *stream)
{
	struct pipe_watch *watch = &slot->watch;
	uint32_t i;

	if (!record_is_on())
		return;
	/* It may have been acquired and released before. */
	watch_end(slot, false);
	*watch = (struct pipe_watch) {
		.is_held = true,
		.is_shared = !slot->server && !slot->is_for_other,
		.ctx = end->ctx,
	};
	if (frame->image)
		watch->store = store_get(&frame->image->store);
	else if (end->ctx->backend->set_gate)
		for (i = 0; i < frame->nr_planes; i++)
			watch_add_plane(watch, frame, frame->planes[i].base);
	/* Work of a producer with the same context may still be under way. */
	watch_change(watch, 1, watch->is_shared ? stream : NULL);
}

/**
 * watch_release() - the consumer may not use a frame any more
 * @slot: slot that the calling thread has
 * @stream: stream of the release
 */
void watch_release(struct pipe_slot *slot, struct mem_stream *stream)
{
	if (slot->watch.is_held)
		watch_change(&slot->watch, -1, stream);
	slot->watch.is_held = false;
}

/**
 * watch_undo_release() - undo watch_release()
 * @slot: slot that the calling thread has
 */
void watch_undo_release(struct pipe_slot *slot)
{
	if (!slot->watch.ctx)
		return;
	watch_change(&slot->watch, 1, NULL);
	slot->watch.is_held = true;
}

/* The frame is the producer's, though its release may not be reached. */
static void watch_end_shared(struct pipe_watch *watch)
{
	const struct gate_change change = watch_change_of(watch, -1);

	if (watch->store && watch->is_held)
		store_change_frames(watch->store, &change);
	gate_end_shared(&change);
	gate_change_fini(&change);
}

/**
 * watch_end() - forget a frame
 * @slot: slot; another thread may have it only if this one holds the pipe's
 *	lock
 * @is_lost: the pipe was disconnected, so that the producer has it again
 */
void watch_end(struct pipe_slot *slot, bool is_lost)
{
	struct pipe_watch *watch = &slot->watch;

	if (watch->is_shared && (is_lost || watch->is_held))
		watch_end_shared(watch);
	if (watch->store)
		store_put(watch->store);
	memset(watch, 0, sizeof(*watch));
}

API void libmem_watch_frame(struct mem_pipe_end *end,
			    const struct mem_frame *frame, unsigned int nr,
			    void *const *bases)
{
	struct mem_pipe *pipe = end->pipe;
	struct pipe_watch *watch;
	struct pipe_slot *slot;
	unsigned int i;

	if (!record_is_on() || !end->ctx->backend->set_gate)
		return;
	pthread_mutex_lock(&pipe->lock);
	slot = queue_find(&pipe->queue, frame->id);
	if (slot) {
		watch = &slot->watch;
		watch_end(slot, false);
		watch->ctx = end->ctx;
		watch->is_held = true;
		for (i = 0; i < nr; i++)
			if (bases[i])
				watch_add_plane(watch, frame, bases[i]);
		watch_change(watch, 1, NULL);
	}
	pthread_mutex_unlock(&pipe->lock);
}
