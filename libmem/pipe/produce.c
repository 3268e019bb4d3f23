// SPDX-License-Identifier: LGPL-2.1-or-later
/* libmem: the producer's end of a pipe. */
#include <errno.h>
#include <stdlib.h>

#include "../image/image.h"
#include "../object/endpoint.h"
#include "pipe.h"

/* Of the newest frame of the process: each pipe refuses frames of others. */
static atomic_ullong last_id;

/**
 * struct produced - the end of the producer's work on a frame of a synchronous
 * fifo
 * @pipe: pipe, with a reference
 * @id: of the frame
 */
struct produced {
	struct mem_pipe *pipe;
	uint64_t id;
};

/* Called by a thread of the producer's context. */
static void produce_ready(struct mem_stream *stream, int status, void *arg)
{
	const struct produced *produced = arg;
	struct mem_pipe *pipe = produced->pipe;
	struct pipe_slot *slot = pipe->queue.slots;
	unsigned int i;

	(void)stream;
	(void)status;
	pthread_mutex_lock(&pipe->lock);
	for (i = 0; i < MEM_PIPE_FRAMES_MAX; i++, slot++)
		if (slot->state != SLOT_FREE && slot->frame.id == produced->id)
			slot->is_ready = true;
	pipe_unlock(pipe, WAKE_CONSUMER);
	pipe_put(pipe);
	free(arg);
}

static int produce_call(struct mem_pipe *pipe, const struct pipe_slot *slot,
			struct mem_stream *stream)
{
	struct produced *produced;
	int err;

	if (!(pipe->queue.flags & MEM_PIPE_SYNCHRONOUS))
		return 0;
	produced = malloc(sizeof(*produced));
	if (!produced)
		return -ENOMEM;
	produced->pipe = pipe_get(pipe);
	produced->id = slot->frame.id;
	err = mem_stream_add_callback(stream, produce_ready, produced);
	if (err) {
		pipe_put(pipe);
		free(produced);
	}
	return err;
}

/* Waits for room and takes a slot. The pipe's lock is held. */
static int produce_reserve(struct mem_pipe_end *end, uint64_t deadline,
			   struct pipe_slot **slot)
{
	struct pipe_queue *queue = &end->pipe->queue;
	int err, late = 0;

	for (;;) {
		/* The pipe may have been reset, but this end is out of it. */
		if (!end->is_attached)
			return -EPIPE;
		*slot = queue_reserve(queue, &err);
		if (err != -EAGAIN)
			return err;
		if (late)
			return late;
		late = pipe_wait(end, deadline);
	}
}

/* Returns true if the consumer has another context. The lock is held. */
static bool produce_is_for_other(const struct mem_pipe_end *end)
{
	return end->pipe->ctxs[PIPE_CONSUMER] != end->ctx;
}

/**
 * produce_fill() - put a frame into a slot
 * @end: producer
 * @frame: checked frame
 * @slot: slot from queue_reserve()
 */
void produce_fill(const struct mem_pipe_end *end, const struct mem_frame *frame,
		  struct pipe_slot *slot)
{
	slot->frame = *frame;
	slot->frame.id = atomic_fetch_add(&last_id, 1) + 1;
	slot->ctx = end->ctx;
	slot->store = frame->image ? store_get(&frame->image->store) : NULL;
}

static int produce(struct mem_pipe_end *end, const struct mem_frame *frame,
		   struct mem_stream *stream, uint64_t deadline,
		   bool is_for_other)
{
	const uint64_t begin_ns = record_begin();
	struct mem_pipe *pipe = end->pipe;
	struct pipe_slot *slot;
	int err;

	pthread_mutex_lock(&pipe->lock);
	err = produce_reserve(end, deadline, &slot);
	if (!err) {
		produce_fill(end, frame, slot);
		slot->is_for_other = is_for_other;
	}
	pthread_mutex_unlock(&pipe->lock);
	if (err)
		return err;
	err = produce_call(pipe, slot, stream);
	if (!err)
		err = pipe_fence_record(&slot->produced, stream, is_for_other);
	pthread_mutex_lock(&pipe->lock);
	if (!err && queue_is_lost(&pipe->queue, slot))
		err = -EPIPE;
	if (err) {
		pipe->queue.nr_coming--;
		pipe_slot_drop(pipe, slot);
	} else {
		queue_publish(&pipe->queue, slot, now_ns());
		pipe_record(pipe, RECORD_FRAME_PRESENT, slot,
			    slot->frame.number, stream, begin_ns);
	}
	/* One that was replaced can be returned; one that failed had room. */
	pipe_unlock(pipe, WAKE_CONSUMER | WAKE_PRODUCER);
	return err;
}

API int mem_pipe_present(struct mem_pipe_end *end,
			 const struct mem_frame *frame,
			 struct mem_stream *stream, uint64_t timeout_ns)
{
	const uint64_t deadline = deadline_of(timeout_ns);
	enum frame_way way = FRAME_WITHIN;
	struct mem_frame all;
	int err, cancel;

	if (!end || !frame || !stream || end->role != PIPE_PRODUCER)
		return -EINVAL;
	err = pipe_check(end, stream);
	if (err)
		return err;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_mutex_lock(&end->pipe->lock);
	if (end->pipe->client)
		way = FRAME_TO_PROCESS;
	else if (produce_is_for_other(end))
		way = FRAME_TO_CTX;
	pthread_mutex_unlock(&end->pipe->lock);
	err = frame_take(end, frame, way, &all);
	if (!err && end->pipe->client)
		err = client_present(end, &all, stream, deadline);
	else if (!err)
		err = produce(end, &all, stream, deadline,
			      way == FRAME_TO_CTX);
	pthread_setcancelstate(cancel, NULL);
	return err;
}

/* Waits for a frame and takes it. The pipe's lock is held. */
static int return_take(struct mem_pipe_end *end, uint64_t deadline,
		       struct pipe_slot **slot)
{
	struct pipe_queue *queue = &end->pipe->queue;
	int late = 0;

	for (;;) {
		if (queue->is_disconnected || !end->is_attached)
			return -EPIPE;
		*slot = queue_return(queue);
		if (*slot)
			return 0;
		if (late)
			return queue->nr_active ? late : -ENODATA;
		late = pipe_wait(end, deadline);
	}
}

static int return_frame(struct mem_pipe_end *end, struct mem_stream *stream,
			uint64_t deadline, struct mem_frame *frame)
{
	const uint64_t begin_ns = record_begin();
	struct mem_pipe *pipe = end->pipe;
	struct pipe_slot *slot;
	int err;

	pthread_mutex_lock(&pipe->lock);
	err = return_take(end, deadline, &slot);
	pthread_mutex_unlock(&pipe->lock);
	if (err)
		return err;
	err = frame_wait_back(slot->frame.image, &slot->consumed, stream);
	pthread_mutex_lock(&pipe->lock);
	if (!err || queue_is_lost(&pipe->queue, slot)) {
		*frame = slot->frame;
		frame->is_again = 0;
		pipe_record(pipe, RECORD_FRAME_RETURN, slot, frame->number,
			    stream, begin_ns);
		pipe_slot_drop(pipe, slot);
	} else {
		queue_return_failed(&pipe->queue, slot);
	}
	pthread_mutex_unlock(&pipe->lock);
	return err;
}

API int mem_pipe_return(struct mem_pipe_end *end, struct mem_stream *stream,
			uint64_t timeout_ns, struct mem_frame *frame)
{
	const uint64_t deadline = deadline_of(timeout_ns);
	struct mem_frame all;
	int err, cancel;

	if (!end || !stream || !frame || end->role != PIPE_PRODUCER ||
	    struct_check(frame, offsetofend(struct mem_frame, time_ns)))
		return -EINVAL;
	err = pipe_check(end, stream);
	if (err)
		return err;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	if (end->pipe->client)
		err = client_return(end, stream, deadline, &all);
	else
		err = return_frame(end, stream, deadline, &all);
	pthread_setcancelstate(cancel, NULL);
	if (!err)
		struct_out(frame, &all, sizeof(all));
	return err;
}
