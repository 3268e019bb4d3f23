// SPDX-License-Identifier: LGPL-2.1-or-later
/* libmem: the consumer's end of a pipe. */
#include <errno.h>

#include "../object/endpoint.h"
#include "pipe.h"

/*
 * Waits for a new frame, then also accepts an old one. The pipe's lock is held.
 */
static int acquire_take(struct mem_pipe_end *end, uint64_t deadline,
			struct pipe_slot **slot)
{
	struct pipe_queue *queue = &end->pipe->queue;
	int late = 0;

	for (;;) {
		if (queue->is_disconnected || !end->is_attached)
			return -EPIPE;
		if (late || queue_has_new(queue))
			break;
		late = pipe_wait(end, deadline);
	}
	*slot = queue_take(queue);
	return *slot ? 0 : -ETIMEDOUT;
}

/* The slot becomes the consumer's, or is put back. The lock is held. */
static int acquire_end(struct mem_pipe *pipe, struct pipe_slot *slot, int err)
{
	struct pipe_queue *queue = &pipe->queue;

	if (queue_is_lost(queue, slot)) {
		pipe_slot_drop(pipe, slot);
		return err ? err : -EPIPE;
	}
	if (err)
		queue_put_back(queue, slot);
	else
		queue_hold(queue, slot, now_ns());
	return err;
}

static int acquire(struct mem_pipe_end *end, struct mem_stream *stream,
		   uint64_t timeout_ns, struct mem_frame *frame)
{
	const uint64_t begin_ns = record_begin();
	struct mem_pipe *pipe = end->pipe;
	struct pipe_slot *slot;
	int err;

	serve_catch_up(pipe);
	pthread_mutex_lock(&pipe->lock);
	if (timeout_ns == MEM_PIPE_TIMEOUT)
		timeout_ns = pipe->timeout_ns;
	err = acquire_take(end, deadline_of(timeout_ns), &slot);
	pthread_mutex_unlock(&pipe->lock);
	if (err == -ETIMEDOUT)
		record_waited("frame", stream->id, begin_ns);
	if (err)
		return err;
	*frame = slot->frame;
	frame->is_again = slot->is_again;
	err = frame_map(end, slot, frame);
	if (!err) {
		/* The consumer may use it in another stream than before. */
		err = frame_wait(frame->image, &slot->produced,
				 &slot->consumed, stream);
		if (err)
			frame_unmap(pipe, slot);
		else
			watch_begin(end, slot, frame, stream);
	}
	pthread_mutex_lock(&pipe->lock);
	err = acquire_end(pipe, slot, err);
	if (!err)
		pipe_record(pipe, RECORD_FRAME_ACQUIRE, slot, frame->number,
			    stream, begin_ns);
	/* There may be room, or a frame to be returned. */
	pipe_unlock(pipe, WAKE_PRODUCER);
	if (err == -EPIPE)
		frame_forget(pipe);
	return err;
}

API int mem_pipe_acquire(struct mem_pipe_end *end, struct mem_stream *stream,
			 uint64_t timeout_ns, struct mem_frame *frame)
{
	struct mem_frame all;
	int err, cancel;

	if (!end || !stream || !frame || end->role != PIPE_CONSUMER ||
	    struct_check(frame, offsetofend(struct mem_frame, time_ns)))
		return -EINVAL;
	err = pipe_check(end, stream);
	if (err)
		return err;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	err = acquire(end, stream, timeout_ns, &all);
	pthread_setcancelstate(cancel, NULL);
	if (!err)
		struct_out(frame, &all, sizeof(all));
	return err;
}

/* The slot leaves the consumer, or stays. The lock is held. */
static int release_end(struct mem_pipe *pipe, struct pipe_slot *slot, int err)
{
	struct pipe_queue *queue = &pipe->queue;

	if (queue_is_lost(queue, slot)) {
		pipe_slot_drop(pipe, slot);
		return -EPIPE;
	}
	if (err) {
		slot->state = SLOT_HELD;
		return err;
	}
	queue_release(queue, slot);
	return 0;
}

static int release(struct mem_pipe_end *end, uint64_t id,
		   struct mem_stream *stream)
{
	const uint64_t begin_ns = record_begin();
	struct mem_pipe *pipe = end->pipe;
	struct pipe_slot *slot;
	bool is_for_other = false;
	int err = 0;

	pthread_mutex_lock(&pipe->lock);
	slot = queue_find_take(&pipe->queue, id);
	if (!slot)
		err = pipe->queue.is_disconnected || !end->is_attached ?
		      -EPIPE : -ENOENT;
	else
		is_for_other = slot->server || slot->ctx != end->ctx;
	pthread_mutex_unlock(&pipe->lock);
	if (err)
		return err;
	watch_release(slot, stream);
	err = pipe_fence_record(&slot->consumed, stream, is_for_other);
	if (err)
		watch_undo_release(slot);
	else
		frame_unmap(pipe, slot);
	pthread_mutex_lock(&pipe->lock);
	if (!err)
		pipe_record(pipe, RECORD_FRAME_RELEASE, slot,
			    slot->frame.number, stream, begin_ns);
	err = release_end(pipe, slot, err);
	/* One that is kept cannot be returned yet. */
	pipe_unlock(pipe, pipe->queue.done.first ? WAKE_PRODUCER : 0);
	if (err == -EPIPE)
		frame_forget(pipe);
	return err;
}

API int mem_pipe_release(struct mem_pipe_end *end,
			 const struct mem_frame *frame,
			 struct mem_stream *stream)
{
	int err, cancel;

	if (!end || !frame || !stream || end->role != PIPE_CONSUMER ||
	    struct_check(frame, offsetofend(struct mem_frame, time_ns)))
		return -EINVAL;
	err = pipe_check(end, stream);
	if (err)
		return err;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	err = release(end, frame->id, stream);
	pthread_setcancelstate(cancel, NULL);
	return err;
}
