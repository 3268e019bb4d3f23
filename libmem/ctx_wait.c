// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: waits for all work of a context.
 */
#include <errno.h>
#include <stdlib.h>

#include "order/order.h"
#include "sched.h"

/*
 * Marks the end of each stream with work that is not known done, so that the
 * wait does not cover later work. That work stays unknown until the wait has
 * ended: a wait in another thread marks it as well, and may return first. On
 * -ENOMEM the list lacks some streams.
 */
static int place_marks_take(struct mem_ctx *ctx, struct place_mark **first)
{
	struct sched *sched = &ctx->sched;
	struct mem_stream *stream = &sched->legacy;
	struct place_mark *place;
	int err = 0;

	*first = NULL;
	for (; stream; stream = stream == &sched->legacy ? sched->streams :
							   stream->next) {
		if (stream->is_foreign || !stream_has_unknown(stream))
			continue;
		place = malloc(sizeof(*place));
		err = place ? order_mark(stream, &place->mark) : -ENOMEM;
		if (err) {
			free(place);
			break;
		}
		place->seq = sched->seq;
		place->next = *first;
		*first = place;
	}
	return err;
}

/*
 * Frees the marks up to operation @seq. With @with_sync it notes for each that
 * the host has waited for it; otherwise order/ has that already.
 */
static void place_marks_known(struct mem_ctx *ctx, struct place_mark **first,
			      uint64_t seq, bool with_sync)
{
	struct place_mark *place;

	while ((place = *first)) {
		if (place->seq > seq) {
			first = &place->next;
			continue;
		}
		*first = place->next;
		if (with_sync)
			order_mark_sync(ctx, place->mark);
		order_mark_free(ctx, place->mark);
		free(place);
	}
}

static void streams_set_known(struct sched *sched, uint64_t seq)
{
	struct mem_stream *stream = &sched->legacy;

	for (; stream; stream = stream == &sched->legacy ? sched->streams :
							   stream->next)
		if (!stream->is_foreign && stream->known < seq)
			stream->known = seq;
}

/*
 * Notes that all work is known done; none is left. The caller must hold the
 * scheduler's lock.
 */
static void ctx_set_all_known(struct mem_ctx *ctx)
{
	struct sched *sched = &ctx->sched;

	order_sync_all(ctx);
	streams_set_known(sched, sched->seq);
	place_marks_known(ctx, &sched->orphans, sched->seq, false);
}

/*
 * Notes the end of a wait for all work up to operation @seq. The caller must
 * hold the scheduler's lock.
 */
static void ctx_end_wait(struct mem_ctx *ctx, struct place_mark *marks,
			 uint64_t seq, bool has_all_marks)
{
	struct sched *sched = &ctx->sched;

	if (!sched->all.first) {
		ctx_set_all_known(ctx);
		place_marks_known(ctx, &marks, seq, false);
		return;
	}
	place_marks_known(ctx, &marks, seq, true);
	place_marks_known(ctx, &sched->orphans, seq, true);
	if (has_all_marks)
		streams_set_known(sched, seq);
}

/**
 * ctx_settle() - wait for all work of a context
 * @ctx: context
 *
 * Does not return the error of the work.
 *
 * Return: 0; -ENOMEM if some of the work is not known done; -EDEADLK if an
 * operation was dropped.
 */
int ctx_settle(struct mem_ctx *ctx)
{
	struct sched *sched = &ctx->sched;
	struct place_mark *marks;
	uint64_t seq, nr_dropped;
	int err;

	sched_lock(ctx);
	if (!sched->all.first) {
		/* In the same critical section: new work may come after it. */
		ctx_set_all_known(ctx);
		sched_unlock(ctx);
		return 0;
	}
	seq = sched->seq;
	nr_dropped = sched->nr_dropped;
	err = place_marks_take(ctx, &marks);
	sched_unlock(ctx);
	sched_wait_all(ctx, seq);
	sched_lock(ctx);
	ctx_end_wait(ctx, marks, seq, !err);
	nr_dropped = sched->nr_dropped - nr_dropped;
	sched_unlock(ctx);
	return !err && nr_dropped ? -EDEADLK : err;
}

/**
 * ctx_wait() - wait for all work of a context, and get its error
 * @ctx: context
 *
 * Return: the error of the work if it has one; else as ctx_settle().
 */
int ctx_wait(struct mem_ctx *ctx)
{
	const int settled = ctx_settle(ctx);
	int err = 0;

	if (!settled || settled == -EDEADLK)
		err = ctx_result(ctx);
	return err ? err : settled;
}

API int mem_ctx_sync(struct mem_ctx *ctx)
{
	uint64_t begin_ns;
	int err;

	if (!ctx)
		return -EINVAL;
	err = ctx_check(ctx);
	if (err)
		return err;
	begin_ns = record_begin();
	err = ctx_wait(ctx);
	record_waited("context", 0, begin_ns);
	return err;
}

API int mem_ctx_cancel(struct mem_ctx *ctx)
{
	uint64_t nr_dropped, begin_ns;
	struct sched *sched;
	int err;

	if (!ctx)
		return -EINVAL;
	err = ctx_may_change(ctx);
	if (err)
		return err;
	begin_ns = record_begin();
	sched = &ctx->sched;
	sched_lock(ctx);
	nr_dropped = sched->nr_dropped;
	sched->nr_cancels++;
	sched_drop_waits(sched);
	sched_unlock(ctx);
	err = ctx_wait(ctx);
	sched_lock(ctx);
	sched->nr_cancels--;
	nr_dropped = sched->nr_dropped - nr_dropped;
	sched_unlock(ctx);
	record_waited("context", 0, begin_ns);
	return !err && nr_dropped ? -EDEADLK : err;
}

API int mem_ctx_error(struct mem_ctx *ctx)
{
	if (!ctx)
		return -EINVAL;
	return ctx_is_forked(ctx) ? -EPERM : atomic_load(&ctx->sched.error);
}

API int mem_ctx_set_wait_policy(struct mem_ctx *ctx, unsigned int policy)
{
	int err;

	if (!ctx || policy > MEM_WAIT_BLOCK)
		return -EINVAL;
	err = ctx_is_forked(ctx) ? -EPERM : sched_check_call();
	if (!err)
		atomic_store(&ctx->sched.wait_policy, policy);
	return err;
}
