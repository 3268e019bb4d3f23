// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: events. The scheduler's lock protects what an event stands for.
 */
#include <errno.h>
#include <stdlib.h>

#include "order/order.h"
#include "sched.h"

/**
 * struct record - what an event stands for
 * @nr_users: references: of each event while it stands for this, and of each
 *	thread that waits for it; protected by the scheduler's lock
 * @op: operation that ends after all that the event stands for; with a
 *	reference
 * @mark: its place in the order
 */
struct record {
	unsigned int nr_users;
	struct op *op;
	struct mark *mark;
};

/**
 * struct mem_event - an event
 * @ctx: context, with a reference
 * @living: leak record
 * @flags: MEM_EVENT_*
 * @record: what it was recorded as last, with a reference; NULL: it never was;
 *	protected by the scheduler's lock
 */
struct mem_event {
	struct mem_ctx *ctx;
	struct living living;
	unsigned int flags;
	struct record *record;
};

/**
 * event_make() - create an event without a leak record
 * @ctx: context
 * @flags: as for mem_event_create()
 * @event: out: event, for mem_event_destroy()
 *
 * Return: 0, or as mem_event_create().
 */
int event_make(struct mem_ctx *ctx, unsigned int flags,
	       struct mem_event **event)
{
	struct mem_event *new;
	int err;

	err = ctx_check(ctx);
	if (err)
		return err;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	new->ctx = ctx_get(ctx);
	new->flags = flags;
	*event = new;
	return 0;
}

API int mem_event_create(struct mem_ctx *ctx, unsigned int flags,
			 struct mem_event **event)
{
	int err;

	if (!ctx || !event ||
	    flags & ~(MEM_EVENT_BLOCKING | MEM_EVENT_NO_TIMING))
		return -EINVAL;
	err = event_make(ctx, flags, event);
	if (!err)
		living_begin_event(&(*event)->living);
	return err;
}

/* Drops a reference. The caller must hold the scheduler's lock. */
static void record_put(struct mem_ctx *ctx, struct record *record)
{
	if (!record || --record->nr_users)
		return;
	op_put(record->op);
	order_mark_free(ctx, record->mark);
	free(record);
}

API void mem_event_destroy(struct mem_event *event)
{
	struct mem_ctx *ctx;

	if (!event)
		return;
	ctx = event->ctx;
	if (!ctx_is_forked(ctx)) {
		sched_lock(ctx);
		record_put(ctx, event->record);
		sched_unlock(ctx);
	}
	living_end(&event->living);
	free(event);
	ctx_put(ctx);
}

API int mem_event_record(struct mem_event *event, struct mem_stream *stream)
{
	struct record *record;
	struct mem_ctx *ctx;
	int err;

	if (!event || !stream)
		return -EINVAL;
	ctx = event->ctx;
	if (stream->ctx != ctx)
		return -EXDEV;
	err = ctx_check(ctx);
	if (err)
		return err;
	record = malloc(sizeof(*record));
	if (!record)
		return -ENOMEM;
	record->nr_users = 1;
	sched_lock(ctx);
	err = stream_submit_mark(stream, &record->mark, &record->op);
	if (!err) {
		record_put(ctx, event->record);
		event->record = record;
	}
	sched_unlock(ctx);
	if (err)
		free(record);
	return err;
}

API int mem_event_copy(struct mem_event *event, struct mem_event *from)
{
	struct record *record;
	struct mem_ctx *ctx;
	int err;

	if (!event || !from)
		return -EINVAL;
	ctx = event->ctx;
	if (from->ctx != ctx)
		return -EXDEV;
	err = ctx_check(ctx);
	if (err)
		return err;
	sched_lock(ctx);
	record = from->record;
	if (record)
		record->nr_users++;
	record_put(ctx, event->record);
	event->record = record;
	sched_unlock(ctx);
	return 0;
}

API int mem_stream_wait_event(struct mem_stream *stream,
			      struct mem_event *event)
{
	const struct record *record;
	struct mem_ctx *ctx;
	struct op *op;
	int err;

	if (!stream || !event)
		return -EINVAL;
	ctx = stream->ctx;
	if (event->ctx != ctx)
		return -EXDEV;
	err = ctx_check(ctx);
	if (err)
		return err;
	op = op_create(stream, OP_MARK);
	if (!op)
		return -ENOMEM;
	sched_lock(ctx);
	record = event->record;
	/* In the legacy stream, an unrecorded event orders operations, too. */
	err = order_mark_wait(stream, record ? record->mark : NULL);
	return op_submit_unlock(op, record ? record->op : NULL, err);
}

API int mem_event_fence(struct mem_event *event, int *fd)
{
	struct mem_stream *stream;
	int err;

	if (!event || !fd)
		return -EINVAL;
	err = ctx_check(event->ctx);
	if (!err)
		err = stream_make(event->ctx, MEM_STREAM_NON_BLOCKING, 0, false,
				  &stream);
	if (err)
		return err;
	err = mem_stream_wait_event(stream, event);
	if (!err)
		err = mem_stream_fence(stream, fd);
	mem_stream_destroy(stream);
	return err;
}

/*
 * Returns what the event stands for now, with a reference, because another
 * thread may record it again meanwhile.
 */
static struct record *event_take(struct mem_event *event)
{
	struct record *record;

	sched_lock(event->ctx);
	record = event->record;
	if (record)
		record->nr_users++;
	sched_unlock(event->ctx);
	return record;
}

/*
 * Drops the reference of event_take(). Returns -EBUSY if the work is not done;
 * otherwise notes that the host has waited for it. The event may have been
 * destroyed meanwhile.
 */
static int record_finish(struct mem_ctx *ctx, struct record *record)
{
	int err = -EBUSY;

	sched_lock(ctx);
	if (op_is_done(record->op)) {
		order_mark_sync(ctx, record->mark);
		err = op_result(ctx, record->op);
	}
	record_put(ctx, record);
	sched_unlock(ctx);
	return err;
}

API int mem_event_sync(struct mem_event *event)
{
	struct record *record;
	uint64_t begin_ns;
	struct mem_ctx *ctx;
	int err;

	if (!event)
		return -EINVAL;
	ctx = event->ctx;
	err = ctx_check(ctx);
	if (err)
		return err;
	begin_ns = record_begin();
	record = event_take(event);
	if (record) {
		op_wait(record->op, OP_DONE,
			event->flags & MEM_EVENT_BLOCKING ?
				MEM_WAIT_BLOCK : sched_wait_policy(ctx));
		err = record_finish(ctx, record);
	}
	record_waited("event", 0, begin_ns);
	return err ? err : ctx_result(ctx);
}

API int mem_event_query(struct mem_event *event)
{
	struct record *record;
	struct mem_ctx *ctx;
	int err;

	if (!event)
		return -EINVAL;
	ctx = event->ctx;
	err = ctx_check(ctx);
	if (err)
		return err;
	record = event_take(event);
	if (record)
		err = record_finish(ctx, record);
	return err ? err : ctx_result(ctx);
}

static bool event_has_time(const struct mem_event *event)
{
	return !(event->flags & MEM_EVENT_NO_TIMING) && event->record;
}

API int mem_event_elapsed(struct mem_event *start, struct mem_event *end,
			  int64_t *ns)
{
	struct mem_ctx *ctx;
	int64_t elapsed_ns = 0;
	int err;

	if (!start || !end || !ns)
		return -EINVAL;
	ctx = start->ctx;
	if (end->ctx != ctx)
		return -EXDEV;
	err = ctx_check(ctx);
	if (err)
		return err;
	sched_lock(ctx);
	if (!event_has_time(start) || !event_has_time(end))
		err = -EINVAL;
	else if (!op_is_done(start->record->op) ||
		 !op_is_done(end->record->op))
		err = -EBUSY;
	else
		elapsed_ns = (int64_t)(end->record->op->done_ns -
				       start->record->op->done_ns);
	sched_unlock(ctx);
	/* A store to memory of the caller may fault, so no lock is held. */
	if (!err)
		*ns = elapsed_ns;
	return err;
}
