// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: streams. Operations are added to order/ and to the queue under the
 * scheduler's lock, so that both have them in the same order.
 */
#include <errno.h>
#include <stdlib.h>

#include "order/order.h"
#include "sched.h"

/**
 * stream_submit_mark() - submit an operation that ends after all earlier ones
 * @stream: stream
 * @mark: out: mark in the order, for order_mark_free()
 * @made: out: operation, with a reference
 *
 * Context: caller must hold the scheduler's lock.
 * Return: 0 or -ENOMEM.
 */
int stream_submit_mark(struct mem_stream *stream, struct mark **mark,
		       struct op **made)
{
	struct op *op = op_create(stream, OP_MARK);
	int err;

	if (!op)
		return -ENOMEM;
	err = order_mark(stream, mark);
	if (err) {
		op_discard(op);
		return err;
	}
	op_submit(op, NULL);
	*made = op;
	return 0;
}

/* Notes that the host has waited for all before a mark, and frees the mark. */
static void mark_finish(struct mem_ctx *ctx, struct mark *mark)
{
	sched_lock(ctx);
	order_mark_sync(ctx, mark);
	order_mark_free(ctx, mark);
	sched_unlock(ctx);
}

/**
 * stream_wait() - wait for all operations of a stream
 * @stream: stream; all operations before this call are known done afterwards
 *
 * Return: 0, -ENOMEM, or the error of the work.
 */
int stream_wait(struct mem_stream *stream)
{
	struct mem_ctx *ctx = stream->ctx;
	struct mark *mark;
	struct op *op;
	int err;

	sched_lock(ctx);
	err = stream_submit_mark(stream, &mark, &op);
	sched_unlock(ctx);
	if (err)
		return err;
	op_wait(op, OP_DONE, sched_wait_policy(ctx));
	mark_finish(ctx, mark);
	err = op_result(ctx, op);
	op_put(op);
	return err;
}

/**
 * stream_change_gates() - change gates when the stream's earlier work has ended
 * @stream: stream
 * @change: change; the references to its buffers become the operation's, unless
 *	the call fails
 *
 * Return: 0 or -ENOMEM.
 */
int stream_change_gates(struct mem_stream *stream,
			const struct gate_change *change)
{
	struct op *op = op_create(stream, OP_GATE);
	int err;

	if (!op)
		return -ENOMEM;
	sched_lock(stream->ctx);
	/* It orders operations of the stream, but is no wait of the host. */
	err = order_mark_wait(stream, NULL);
	if (!err)
		op->gates = *change;
	return op_submit_unlock(op, NULL, err);
}

static int stream_clamp_priority(int priority)
{
	if (priority > MEM_PRIORITY_LEAST)
		return MEM_PRIORITY_LEAST;
	return priority < MEM_PRIORITY_GREATEST ? MEM_PRIORITY_GREATEST :
						  priority;
}

/**
 * stream_make() - create a stream without a leak record
 * @ctx: context
 * @flags: as for mem_stream_create()
 * @priority: as for mem_stream_create()
 * @is_own: the library owns it; it has no reference to the context
 * @made: out: stream
 *
 * Return: 0, -ENOMEM, or -errno of the backend.
 */
int stream_make(struct mem_ctx *ctx, unsigned int flags, int priority,
		bool is_own, struct mem_stream **made)
{
	struct mem_stream *stream = calloc(1, sizeof(*stream));
	struct sched *sched = &ctx->sched;
	int err;

	if (!stream)
		return -ENOMEM;
	stream->ctx = ctx;
	stream->is_foreign = flags & MEM_STREAM_FOREIGN;
	stream->is_blocking = !(flags & (MEM_STREAM_NON_BLOCKING |
					 MEM_STREAM_FOREIGN));
	stream->is_own = is_own;
	stream->priority = stream_clamp_priority(priority);
	atomic_init(&stream->nr_users, 1);
	sched_lock(ctx);
	stream->id = sched->last_stream + 1;
	err = order_stream_create(stream);
	if (!err) {
		sched->last_stream++;
		stream->next = sched->streams;
		if (stream->next)
			stream->next->prev = stream;
		sched->streams = stream;
	}
	sched_unlock(ctx);
	if (err) {
		free(stream);
		return err;
	}
	if (!is_own)
		ctx_get(ctx);
	*made = stream;
	return 0;
}

/**
 * stream_has_unknown() - check whether a stream has work that is not known done
 * @stream: stream
 *
 * Context: caller must hold the scheduler's lock.
 * Return: true if it has an operation that no wait for the whole context has
 * covered.
 */
bool stream_has_unknown(const struct mem_stream *stream)
{
	return stream->last && stream->last->seq > stream->known;
}

/**
 * stream_forget() - remove a stream from the model and from its context
 * @stream: stream, to which nothing more is submitted
 *
 * The model keeps its own struct until the last work of the stream is known
 * done. If work is left, a mark stays in the context, so that a wait for the
 * whole context can still note that the work is done.
 *
 * Context: caller must hold the scheduler's lock.
 * Return: 0 or -ENOMEM.
 */
int stream_forget(struct mem_stream *stream)
{
	struct mem_ctx *ctx = stream->ctx;
	struct sched *sched = &ctx->sched;
	struct op *op = op_create(stream, OP_ATTACH);
	struct place_mark *place = NULL;
	int err = -ENOMEM;

	if (!op)
		return -ENOMEM;
	if (!stream->is_foreign && stream_has_unknown(stream)) {
		place = malloc(sizeof(*place));
		if (!place)
			goto err_free;
		/* It adds no operation: buffers fall back at the last one. */
		err = order_mark_end(stream, &place->mark);
		if (err)
			goto err_free;
	}
	err = order_stream_destroy(stream, &op->reach);
	if (err)
		goto err_mark;
	op_submit(op, NULL);
	op_put(op);
	if (place) {
		place->seq = sched->seq;
		place->next = sched->orphans;
		sched->orphans = place;
	}
	if (stream->prev)
		stream->prev->next = stream->next;
	else
		sched->streams = stream->next;
	if (stream->next)
		stream->next->prev = stream->prev;
	return 0;

err_mark:
	if (place)
		order_mark_free(ctx, place->mark);
err_free:
	free(place);
	op_discard(op);
	return err;
}

API int mem_stream_create(struct mem_ctx *ctx, unsigned int flags,
			  int priority, struct mem_stream **stream)
{
	int err;

	if (!ctx || !stream ||
	    flags & ~(MEM_STREAM_NON_BLOCKING | MEM_STREAM_FOREIGN))
		return -EINVAL;
	err = ctx_check(ctx);
	if (err)
		return err;
	err = stream_make(ctx, flags, priority, false, stream);
	if (!err)
		living_begin_stream(&(*stream)->living);
	return err;
}

API struct mem_stream *mem_stream_legacy(struct mem_ctx *ctx)
{
	return ctx ? &ctx->sched.legacy : NULL;
}

API int mem_stream_destroy(struct mem_stream *stream)
{
	struct mem_ctx *ctx;
	int err;

	if (!stream)
		return 0;
	if (stream->is_own)
		return -EINVAL;
	ctx = stream->ctx;
	err = ctx_may_change(ctx);
	if (err)
		return err;
	sched_lock(ctx);
	err = stream_forget(stream);
	sched_unlock(ctx);
	if (err)
		return err;
	living_end(&stream->living);
	stream_put(stream);
	return 0;
}

API uint64_t mem_stream_id(const struct mem_stream *stream)
{
	return stream ? stream->id : 0;
}

API int mem_stream_priority(const struct mem_stream *stream)
{
	return stream ? stream->priority : MEM_PRIORITY_LEAST;
}

API int mem_stream_sync(struct mem_stream *stream)
{
	uint64_t begin_ns, id;
	int err;

	if (!stream)
		return -EINVAL;
	err = ctx_check(stream->ctx);
	if (err)
		return err;
	begin_ns = record_begin();
	/* Another thread may destroy the stream meanwhile. */
	id = stream->id;
	err = stream_wait(stream);
	record_waited("stream", id, begin_ns);
	return err;
}

API int mem_stream_query(struct mem_stream *stream)
{
	struct mem_ctx *ctx;
	struct mark *mark;
	int err;

	if (!stream)
		return -EINVAL;
	ctx = stream->ctx;
	err = ctx_check(ctx);
	if (err)
		return err;
	sched_lock(ctx);
	if (!stream_is_idle(stream))
		err = -EBUSY;
	else
		err = order_mark(stream, &mark);
	if (!err) {
		order_mark_sync(ctx, mark);
		order_mark_free(ctx, mark);
	}
	sched_unlock(ctx);
	return err ? err : ctx_result(ctx);
}

/**
 * stream_has_work() - check whether a fence for the work of a stream is needed
 * @stream: stream
 * @is_for_other: it would be for another context, whose waits make nothing
 *	known of this one
 *
 * Return: false if no work is left, and a wait for it would not make the host
 * know more than it does.
 */
bool stream_has_work(struct mem_stream *stream, bool is_for_other)
{
	bool ret;

	sched_lock(stream->ctx);
	ret = !stream_is_idle(stream);
	if (!is_for_other)
		ret = ret || stream->is_blocking || stream_has_unknown(stream);
	sched_unlock(stream->ctx);
	return ret;
}
