// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Queue of the violations that a context has not read yet. Violations that
 * repeat at one place are merged into one with a count. Both backends use it,
 * each under a lock of its own.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "internal.h"
#include "violations.h"

/* Number of the newest violations that are searched for the same place. */
#define MERGE_DEPTH	64

/**
 * violations_create() - create a queue
 * @what: MEM_WATCH_*, which kinds it takes
 * @nr: number of violations that may wait, 1 to MEM_WATCH_MAX
 *
 * Return: the queue, for violations_destroy(), or NULL.
 */
struct violations *violations_create(unsigned int what, uint32_t nr)
{
	const uint32_t waste = 1U << MEM_VIOLATION_SHARED_LINE |
			       1U << MEM_VIOLATION_REDUNDANT_CLEAN |
			       1U << MEM_VIOLATION_REDUNDANT_INVALIDATE |
			       1U << MEM_VIOLATION_UNENDED_READ;
	_Static_assert(MEM_VIOLATION_INVALID_HANDLE < 32,
		       "kinds are bits");
	struct violations *queue = calloc(1, sizeof(*queue) +
					  (size_t)nr * sizeof(queue->ring[0]));

	if (!queue)
		return NULL;
	if (what & MEM_WATCH_ERRORS)
		queue->kinds |= ~waste;
	if (what & MEM_WATCH_WASTE)
		queue->kinds |= waste;
	queue->size = nr;
	queue->event = OWN_FD_NONE;
	return queue;
}

/**
 * violations_destroy() - free a queue
 * @queue: queue that nobody uses any more, or NULL
 */
void violations_destroy(struct violations *queue)
{
	if (!queue)
		return;
	own_fd_close(&queue->event);
	free(queue);
}

static bool violations_are_waiting(const struct violations *queue)
{
	return queue->nr || queue->nr_dropped;
}

static bool violation_is_same_place(const struct mem_violation *a,
				    const struct mem_violation *b)
{
	return a->kind == b->kind && a->buf == b->buf &&
	       a->missing == b->missing && a->cpu_ip == b->cpu_ip &&
	       a->other == b->other && a->other_kernel == b->other_kernel &&
	       !strcmp(a->other_name, b->other_name);
}

static void violation_merge(struct mem_violation *into,
			    const struct mem_violation *v)
{
	const uint64_t end = into->off + into->len > v->off + v->len ?
			     into->off + into->len : v->off + v->len;

	into->count += v->count;
	if (v->off < into->off)
		into->off = v->off;
	into->len = end - into->off;
}

/**
 * violations_add() - queue a violation
 * @queue: queue
 * @v: violation, all but its size
 *
 * If the queue is full, the violation is only counted as dropped.
 *
 * Context: caller must hold the lock of the queue. Any, including signal
 * handlers; allocates nothing.
 */
void violations_add(struct violations *queue, const struct mem_violation *v)
{
	const uint32_t depth = queue->nr < MERGE_DEPTH ? queue->nr :
							 MERGE_DEPTH;
	uint32_t i;

	if (!(queue->kinds & 1U << v->kind))
		return;
	for (i = 1; i <= depth; i++) {
		struct mem_violation *old =
			&queue->ring[(queue->first + queue->nr - i) %
				     queue->size];

		if (violation_is_same_place(old, v)) {
			violation_merge(old, v);
			return;
		}
	}
	if (!violations_are_waiting(queue))
		own_event_set(&queue->event, true);
	if (queue->nr == queue->size) {
		queue->nr_dropped += v->count;
		return;
	}
	queue->ring[(queue->first + queue->nr++) % queue->size] = *v;
}

/**
 * violations_take() - take the oldest violation
 * @queue: queue
 * @v: out: all but the size
 *
 * The number of dropped violations is reported after all others.
 *
 * Context: caller must hold the lock of the queue.
 * Return: 1, or 0 if none waits.
 */
int violations_take(struct violations *queue, struct mem_violation *v)
{
	if (!violations_are_waiting(queue))
		return 0;
	if (queue->nr) {
		*v = queue->ring[queue->first];
		queue->first = (queue->first + 1) % queue->size;
		queue->nr--;
	} else {
		v->kind = MEM_VIOLATION_DROPPED;
		v->count = queue->nr_dropped;
		v->time_ns = now_ns();
		queue->nr_dropped = 0;
	}
	if (!violations_are_waiting(queue))
		own_event_set(&queue->event, false);
	return 1;
}

/**
 * violations_open_event() - open the eventfd of a queue unless it is open
 * @queue: queue
 *
 * Context: caller must hold the lock of the queue.
 * Return: 0 or -errno.
 */
int violations_open_event(struct violations *queue)
{
	int err;

	if (queue->event.nr >= 0)
		return 0;
	err = own_event_open(&queue->event);
	if (!err && violations_are_waiting(queue))
		own_event_set(&queue->event, true);
	return err;
}

/**
 * violation_of_failed() - describe the failure of a kernel
 * @result: result of its job, for which engine_is_failed() is true
 * @refused: name of the memory that was refused to it; NULL: @result names it
 *
 * Return: the violation, without its size and the job.
 */
struct mem_violation violation_of_failed(const struct engine_result *result,
					 const char *refused)
{
	const bool is_illegal = result->status == -EFAULT;
	struct mem_violation v = {
		.kind = is_illegal ? MEM_VIOLATION_ILLEGAL_ADDRESS :
				     MEM_VIOLATION_FAILED_KERNEL,
		.count = 1,
		.time_ns = now_ns(),
		.cpu_addr = result->addr,
		.is_write = result->is_write,
		.other_ip = result->ip,
	};

	if (!is_illegal)
		refused = engine_end_name(result);
	else if (!refused)
		refused = engine_place_name(result->place);
	strcpy(v.name, refused);
	return v;
}
