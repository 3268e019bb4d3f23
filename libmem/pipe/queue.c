// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: the frames of a pipe as a state machine, which has no effect outside
 * its arguments. The states and transitions are those of an EGLStream between
 * two CUDA contexts. The pipe's lock is held.
 */
#include <errno.h>

#include "pipe.h"

static void list_append(struct pipe_list *list, struct pipe_slot *slot)
{
	slot->next = NULL;
	if (list->first)
		list->last->next = slot;
	else
		list->first = slot;
	list->last = slot;
	list->nr++;
}

static void list_prepend(struct pipe_list *list, struct pipe_slot *slot)
{
	slot->next = list->first;
	if (!list->first)
		list->last = slot;
	list->first = slot;
	list->nr++;
}

static struct pipe_slot *list_pop(struct pipe_list *list)
{
	struct pipe_slot *slot = list->first;

	if (slot) {
		list->first = slot->next;
		list->nr--;
	}
	return slot;
}

static void queue_done(struct pipe_queue *queue, struct pipe_slot *slot)
{
	slot->state = SLOT_DONE;
	list_append(&queue->done, slot);
}

/* Returns true if a frame waits that can be acquired now. */
bool queue_has_new(const struct pipe_queue *queue)
{
	return queue->waiting.first && queue->waiting.first->is_ready;
}

/* Returns true if the frame that was acquired last can be acquired again. */
bool queue_has_old(const struct pipe_queue *queue)
{
	return queue->last && queue->last->state == SLOT_KEPT;
}

/**
 * queue_state() - return the state of a pipe
 * @queue: frames of the pipe
 *
 * Return: the state.
 */
enum mem_pipe_state queue_state(const struct pipe_queue *queue)
{
	if (queue->is_disconnected)
		return MEM_PIPE_DISCONNECTED;
	if (!queue->is_connected[PIPE_CONSUMER])
		return MEM_PIPE_CREATED;
	if (!queue->is_connected[PIPE_PRODUCER])
		return MEM_PIPE_CONNECTING;
	if (queue_has_new(queue))
		return MEM_PIPE_NEW_FRAME;
	return queue->last && !(queue->flags & MEM_PIPE_NO_REUSE) ?
		MEM_PIPE_OLD_FRAME : MEM_PIPE_EMPTY;
}

/*
 * Returns true if an end has disconnected since the frame was presented: the
 * pipe has no use for it any more.
 */
bool queue_is_lost(const struct pipe_queue *queue, const struct pipe_slot *slot)
{
	return queue->is_disconnected || slot->session != queue->session;
}

/**
 * queue_reserve() - take a free slot for a new frame
 * @queue: frames
 * @err: out: -EPIPE, -ENOBUFS, or -EAGAIN: the fifo is full
 *
 * Return: slot, which the calling thread has; or NULL.
 */
struct pipe_slot *queue_reserve(struct pipe_queue *queue, int *err)
{
	if (!queue->is_disconnected &&
	    queue->nr_active < MEM_PIPE_FRAMES_MAX && queue->length &&
	    queue->waiting.nr + queue->nr_coming >= queue->length) {
		*err = -EAGAIN;
		return NULL;
	}
	return queue_reserve_any(queue, err);
}

/**
 * queue_reserve_any() - take a free slot for a frame that had room
 * @queue: frames
 * @err: out: -EPIPE or -ENOBUFS
 *
 * The room in a fifo was counted by the producer's process.
 *
 * Return: slot, which the calling thread has; or NULL.
 */
struct pipe_slot *queue_reserve_any(struct pipe_queue *queue, int *err)
{
	struct pipe_slot *slot = queue->slots;

	*err = 0;
	if (queue->is_disconnected)
		*err = -EPIPE;
	else if (queue->nr_active == MEM_PIPE_FRAMES_MAX)
		*err = -ENOBUFS;
	if (*err)
		return NULL;
	while (slot->state != SLOT_FREE)
		slot++;
	slot->state = SLOT_BUSY;
	slot->session = queue->session;
	slot->epoch = queue->epoch;
	slot->is_again = false;
	slot->is_ready = !(queue->flags & MEM_PIPE_SYNCHRONOUS);
	queue->nr_active++;
	queue->nr_coming++;
	return slot;
}

/* Makes a slot, which is in no list, free. */
void queue_free(struct pipe_queue *queue, struct pipe_slot *slot)
{
	if (queue->last == slot)
		queue->last = NULL;
	slot->state = SLOT_FREE;
	queue->nr_active--;
}

static void queue_replace(struct pipe_queue *queue)
{
	struct pipe_slot *old;

	while ((old = list_pop(&queue->waiting))) {
		queue->nr_replaced++;
		queue_done(queue, old);
	}
}

/**
 * queue_publish() - make a frame available
 * @queue: frames, not disconnected since the slot was reserved
 * @slot: slot from queue_reserve()
 * @time_ns: current time
 */
void queue_publish(struct pipe_queue *queue, struct pipe_slot *slot,
		   uint64_t time_ns)
{
	queue->nr_coming--;
	/* A reset that came in between has discarded it. */
	if (slot->epoch != queue->epoch) {
		queue_done(queue, slot);
		return;
	}
	queue->producer_frame = ++queue->last_number;
	slot->frame.number = queue->producer_frame;
	slot->frame.time_ns = time_ns;
	queue->producer_time_ns = time_ns;
	if (!queue->length)
		queue_replace(queue);
	slot->state = SLOT_WAITING;
	list_append(&queue->waiting, slot);
}

/**
 * queue_take() - take the frame that an acquire gets
 * @queue: frames
 *
 * Return: slot, which the calling thread has; NULL: there is none.
 */
struct pipe_slot *queue_take(struct pipe_queue *queue)
{
	struct pipe_slot *slot = NULL;

	if (queue_has_new(queue))
		slot = list_pop(&queue->waiting);
	else if (queue_has_old(queue))
		slot = queue->last;
	if (slot)
		slot->state = SLOT_BUSY;
	return slot;
}

/**
 * queue_put_back() - undo queue_take()
 * @queue: frames, not disconnected since
 * @slot: slot
 */
void queue_put_back(struct pipe_queue *queue, struct pipe_slot *slot)
{
	if (slot->epoch != queue->epoch) {
		queue_done(queue, slot);
	} else if (slot->is_again) {
		/* A newer frame may have been acquired meanwhile. */
		queue_release(queue, slot);
	} else if (!queue->length && queue->waiting.first) {
		queue->nr_replaced++;
		queue_done(queue, slot);
	} else {
		slot->state = SLOT_WAITING;
		list_prepend(&queue->waiting, slot);
	}
}

/**
 * queue_hold() - give a frame to the consumer
 * @queue: frames
 * @slot: slot from queue_take()
 * @time_ns: current time
 */
void queue_hold(struct pipe_queue *queue, struct pipe_slot *slot,
		uint64_t time_ns)
{
	struct pipe_slot *last = queue->last;

	slot->state = SLOT_HELD;
	if (slot->is_again || slot->epoch != queue->epoch)
		return;
	slot->is_again = true;
	/* Threads may get here in another order. */
	if (slot->frame.number < queue->consumer_frame)
		return;
	queue->consumer_frame = slot->frame.number;
	queue->consumer_time_ns = slot->frame.time_ns;
	queue->measured_latency_ns = time_ns - slot->frame.time_ns;
	queue->last = slot;
	if (last && last->state == SLOT_KEPT)
		queue_done(queue, last);
}

/**
 * queue_find() - find a frame that the consumer holds
 * @queue: frames
 * @id: of the frame
 *
 * Return: slot; NULL: there is none.
 */
struct pipe_slot *queue_find(struct pipe_queue *queue, uint64_t id)
{
	struct pipe_slot *slot = queue->slots;
	unsigned int i;

	for (i = 0; i < MEM_PIPE_FRAMES_MAX; i++, slot++)
		if (slot->state == SLOT_HELD && slot->frame.id == id)
			return slot;
	return NULL;
}

/**
 * queue_find_take() - take a frame that the consumer holds
 * @queue: frames
 * @id: of the frame
 *
 * Return: slot, which the calling thread has from now on; NULL: there is none.
 */
struct pipe_slot *queue_find_take(struct pipe_queue *queue, uint64_t id)
{
	struct pipe_slot *slot = queue_find(queue, id);

	if (slot)
		slot->state = SLOT_BUSY;
	return slot;
}

/**
 * queue_release() - take a frame back from the consumer
 * @queue: frames, not disconnected since it was presented
 * @slot: slot that the calling thread has
 */
void queue_release(struct pipe_queue *queue, struct pipe_slot *slot)
{
	if (slot == queue->last && !(queue->flags & MEM_PIPE_NO_REUSE)) {
		slot->state = SLOT_KEPT;
		return;
	}
	if (slot == queue->last)
		queue->last = NULL;
	queue_done(queue, slot);
}

/**
 * queue_settle() - let the frame that was acquired last return if it has become
 *	obsolete: it is not held, and a newer one can be acquired
 * @queue: frames
 *
 * Return: true if it can be returned from now on.
 */
bool queue_settle(struct pipe_queue *queue)
{
	if (!queue_has_new(queue) || !queue_has_old(queue))
		return false;
	queue_done(queue, queue->last);
	queue->last = NULL;
	return true;
}

/**
 * queue_return() - take the frame that a return gets
 * @queue: frames
 *
 * Return: slot, which the calling thread has; NULL: there is none.
 */
struct pipe_slot *queue_return(struct pipe_queue *queue)
{
	struct pipe_slot *slot = list_pop(&queue->done);

	if (slot)
		slot->state = SLOT_BUSY;
	return slot;
}

/* Undoes queue_return(). */
void queue_return_failed(struct pipe_queue *queue, struct pipe_slot *slot)
{
	slot->state = SLOT_DONE;
	list_prepend(&queue->done, slot);
}

/**
 * queue_disconnect() - disconnect an end
 * @queue: frames, none of which is in a list afterwards: those in state
 *	SLOT_WAITING, SLOT_KEPT and SLOT_DONE are to be freed
 * @role: end
 */
void queue_disconnect(struct pipe_queue *queue, enum pipe_role role)
{
	queue->is_connected[role] = false;
	queue->is_disconnected = true;
	queue->session++;
	queue->waiting = (struct pipe_list) { .nr = 0 };
	queue->done = (struct pipe_list) { .nr = 0 };
	queue->last = NULL;
}

/**
 * queue_reset() - discard all frames
 * @queue: frames
 */
void queue_reset(struct pipe_queue *queue)
{
	struct pipe_slot *slot;

	queue->epoch++;
	while ((slot = list_pop(&queue->waiting)))
		queue_done(queue, slot);
	if (queue_has_old(queue))
		queue_done(queue, queue->last);
	queue->last = NULL;
	queue->is_disconnected = false;
	queue->is_spoiled = false;
	/* A real EGLStream does not start again, and skips a number. */
	queue->last_number++;
	queue->producer_frame = queue->consumer_frame;
	queue->producer_time_ns = queue->consumer_time_ns;
	queue->measured_latency_ns = 0;
	queue->nr_replaced = 0;
}
