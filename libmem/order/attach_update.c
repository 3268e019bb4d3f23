// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Managed memory: what a call makes known done, which streams are active after
 * it, and which buffers the CPU may therefore access (Documentation/model.rst).
 * Locks: none, see attach.h.
 */
#include "../../kmod/model/list.h"
#include "attach_internal.h"

/* Active streams */

static struct attach_stream *stream_of_recheck(struct attach_link *in_recheck)
{
	return of_link(in_recheck, struct attach_stream, in_recheck);
}

/*
 * The waits of a foreign stream may never be known done. They order nothing
 * when there is neither a job nor an event nor a wait of another stream that
 * refers to it.
 */
static void stream_drop_last_waits(struct attach_ctx *ctx,
				   struct attach_stream *s)
{
	struct attach_link *waits = &s->queue.ops[ATTACH_OP_WAIT], *link;
	u64 nr = 0;

	for (link = waits->next; link != waits; link = link->next)
		nr++;
	if (nr == s->refs)
		while (!list_is_empty(waits))
			attach_op_drop(ctx, attach_op_of(waits->next));
}

static void stream_drop_dead(struct attach_ctx *ctx, struct attach_stream *s)
{
	if (s->is_destroyed && s->is_foreign)
		stream_drop_last_waits(ctx, s);
	if (!s->is_destroyed || s->refs)
		return;
	list_remove(&s->in_ctx);
	list_append(&ctx->dead, &s->in_ctx);
}

/**
 * attach_stream_unwatch() - remove a stream from its host function's watchers
 * @s: stream
 */
void attach_stream_unwatch(struct attach_stream *s)
{
	list_remove(&s->in_watchers);
	s->witness = NULL;
}

static void stream_set_active(struct attach_ctx *ctx, struct attach_stream *s,
			      bool is_active)
{
	if (s->is_active == is_active)
		return;
	s->is_active = is_active;
	if (is_active) {
		ctx->nr_active++;
		list_append(&ctx->actives, &s->in_active);
	} else {
		ctx->nr_active--;
		list_remove(&s->in_active);
	}
}

/*
 * Determines whether a stream is active. Whatever holds up some work of a
 * stream also holds up all later work of the stream, so the oldest work
 * decides. If a host function has not returned, attach_find_held() must have
 * been called.
 */
static void stream_recheck(struct attach_ctx *ctx, struct attach_stream *s)
{
	struct attach_op *work = attach_queue_first(ctx, &s->queue,
						    ATTACH_OP_WORK);
	struct attach_op *host = NULL;

	attach_stream_unwatch(s);
	if (work && ctx->nr_host) {
		const struct attach_point point = {
			.stream = s, .at = work->first, .null = work->null,
		};

		host = attach_point_held(ctx, &point);
	}
	if (host) {
		s->witness = host;
		list_append(&host->watchers, &s->in_watchers);
	}
	stream_set_active(ctx, s, work && !host);
}

/* Groups of buffers without an attach in flight */

static void group_act(struct attach_ctx *ctx, struct right_group *group,
		      u32 what)
{
	struct right_buf *buf = NULL;

	if (!ctx->act || ctx->stream_changed)
		return;
	while ((buf = right_group_next(group, buf))) {
		u32 due = what;

		ctx->nr_steps++;
		if (what & ATTACH_RESTORE) {
			right_set_dirty(buf, true);
			if (right_is_due(buf))
				due |= attach_gpu_clean(ctx);
		}
		ctx->act(ctx, attach_buf_of(buf), due);
	}
}

static void group_refuse(struct attach_ctx *ctx, struct right_group *group)
{
	group_act(ctx, group, ATTACH_REVOKE);
	right_group_refuse(group);
	ctx->count.revoked += group->nr;
}

/* @has_work_left: a stream whose jobs see the group has work not known done. */
static void group_allow(struct attach_ctx *ctx, struct right_group *group,
			bool has_work_left)
{
	struct attach_counters *count = &ctx->count;
	struct right_sum cleaned;

	group_act(ctx, group, ATTACH_RESTORE);
	/* Without host functions, the work that is left would be active. */
	right_group_allow(group, ctx->nr_host && has_work_left, &cleaned);
	ctx->nr_steps += cleaned.nr_visited;
	count->restored += group->nr;
	count->gpu_cleans += cleaned.nr;
	count->gpu_cleaned_bytes += cleaned.len;
	if (ctx->class == ATTACH_NONCOHERENT) {
		count->cpu_invalidates += cleaned.nr;
		count->cpu_invalidated_bytes += cleaned.len;
	}
}

static void group_update(struct attach_ctx *ctx, struct right_group *group,
			 bool is_refused, bool has_work_left)
{
	if (is_refused == group->is_refused)
		return;
	if (is_refused)
		group_refuse(ctx, group);
	else
		group_allow(ctx, group, has_work_left);
}

/* Buffers with an attach in flight */

/* Updates the buffers of a list of claims, each of them once in a call. */
static void claims_update(struct attach_ctx *ctx, struct attach_link *head)
{
	struct attach_link *link;

	for (link = head->next; link != head; link = link->next) {
		struct attach_buf *buf = attach_claim_of(link)->buf;

		if (buf->updated == ctx->nr_calls)
			continue;
		buf->updated = ctx->nr_calls;
		attach_buf_update(ctx, buf);
	}
}

/* Updates the buffers of which an attach became known done in this call. */
static void bufs_update(struct attach_ctx *ctx)
{
	while (!list_is_empty(&ctx->changed)) {
		struct attach_buf *buf = of_link(ctx->changed.next,
						 struct attach_buf, in_changed);

		list_remove(&buf->in_changed);
		attach_buf_update(ctx, buf);
		if (list_is_empty(&buf->states))
			attach_buf_settle(ctx, buf);
	}
}

/* The end of a call */

static void stream_update(struct attach_ctx *ctx, struct attach_stream *s)
{
	group_update(ctx, &s->group, s->is_active, attach_stream_work(s));
	if (ctx->stream_changed)
		ctx->stream_changed(ctx, s,
				    ctx->nr_host && attach_stream_work(s),
				    ctx->nr_host && ctx->nr_works);
	claims_update(ctx, &s->claims);
}

static void streams_update(struct attach_ctx *ctx, struct attach_link *head,
			   bool is_active)
{
	struct attach_link *link;

	for (link = head->next; link != head; link = link->next) {
		struct attach_stream *s = stream_of_recheck(link);

		if (s->is_active == is_active &&
		    s->group.is_refused != is_active)
			stream_update(ctx, s);
	}
}

/*
 * Access is revoked before it is granted: if one stream becomes idle and
 * another active, a buffer that both forbid is never accessible in between.
 * @head: streams that may have become active or idle.
 */
static void ctx_update(struct attach_ctx *ctx, struct attach_link *head)
{
	streams_update(ctx, head, true);
	streams_update(ctx, head, false);
	if (!ctx->nr_active == !ctx->group.is_refused)
		return;
	group_update(ctx, &ctx->group, ctx->nr_active, ctx->nr_works);
	claims_update(ctx, &ctx->claims);
}

/**
 * attach_end_call() - bring streams and buffers up to date
 * @ctx: context
 *
 * Must be called at the end of each call that may have changed which streams
 * are active or what is known done.
 */
void attach_end_call(struct attach_ctx *ctx)
{
	struct attach_link *head = &ctx->recheck;
	struct attach_link *link;

	ctx->nr_calls++;
	ctx->searched.stream = NULL;
	if (ctx->nr_host && !list_is_empty(head))
		attach_find_held(ctx);
	for (link = head->next; link != head; link = link->next)
		stream_recheck(ctx, stream_of_recheck(link));
	if (ctx->class != ATTACH_CONCURRENT)
		ctx_update(ctx, head);
	bufs_update(ctx);
	while (!list_is_empty(head)) {
		struct attach_stream *s = stream_of_recheck(head->next);

		list_remove(&s->in_recheck);
		stream_drop_dead(ctx, s);
	}
}

/* Known done */

static void op_known(struct attach_ctx *ctx, struct attach_op *op)
{
	if (op->kind == ATTACH_OP_STATE) {
		struct attach_buf *buf = op->claim.buf;

		if (list_is_empty(&buf->in_changed))
			list_append(&ctx->changed, &buf->in_changed);
		attach_buf_set_base(ctx, buf, op->state, op);
		return;
	}
	if (op->kind == ATTACH_OP_WORK)
		attach_recheck_later(ctx, op->stream);
	attach_op_drop(ctx, op);
}

/**
 * attach_queue_known() - note that operations of a queue are known done
 * @ctx: context
 * @queue: queue
 * @at: ticket of the last of them; a row of jobs is kept until its last job is
 *	known done
 *
 * The caller must call attach_end_call() afterwards.
 */
void attach_queue_known(struct attach_ctx *ctx, struct attach_queue *queue,
			u64 at)
{
	enum attach_op_kind kind;

	if (at > queue->known)
		queue->known = at;
	for (kind = 0; kind < ATTACH_NR_OP_KINDS; kind++) {
		struct attach_op *op = attach_queue_first(ctx, queue, kind);

		while (op && op->last <= at) {
			op_known(ctx, op);
			op = attach_queue_first(ctx, queue, kind);
		}
	}
}

/**
 * attach_reached_known() - note that what the last search reached is known done
 * @ctx: context
 *
 * The caller must call attach_end_call() afterwards.
 */
void attach_reached_known(struct attach_ctx *ctx)
{
	struct attach_link *link;

	for (link = ctx->reached.next; link != &ctx->reached;
	     link = link->next) {
		struct attach_queue *queue = of_link(link, struct attach_queue,
						     in_reached);

		attach_queue_known(ctx, queue, queue->reach);
	}
}

/**
 * attach_point_known() - note that the host has waited for a point
 * @ctx: context
 * @point: point; all operations that it is behind are known done
 *
 * Return: 0; -EBUSY if the point is behind a host function that has not
 * returned.
 */
int attach_point_known(struct attach_ctx *ctx, const struct attach_point *point)
{
	struct attach_op *host;

	attach_search(ctx, point, &host);
	if (host)
		return -EBUSY;
	attach_reached_known(ctx);
	attach_end_call(ctx);
	return 0;
}
