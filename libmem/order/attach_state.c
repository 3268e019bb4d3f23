// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Managed memory: the attach states of buffers, whether they permit access by
 * the CPU, and the maintenance that becomes due (Documentation/model.rst).
 * Locks: none, see attach.h.
 */
#include "../../kmod/model/list.h"
#include "attach_internal.h"

/* States */

static struct attach_state buf_newest_state(const struct attach_buf *buf)
{
	return list_is_empty(&buf->states) ?
	       buf->base : attach_state_op(buf->states.prev)->state;
}

/*
 * Returns the group of the buffers that have a state, without an attach in
 * flight; NULL for the state host.
 */
static struct right_group *state_group(struct attach_ctx *ctx,
				       const struct attach_state *state)
{
	switch (state->kind) {
	case ATTACH_GLOBAL:
		return &ctx->group;
	case ATTACH_SINGLE:
		return &state->stream->group;
	default:
		return NULL;
	}
}

/**
 * attach_buf_join() - add a buffer to the group of its state
 * @ctx: context
 * @buf: buffer without an attach in flight; if its state is host, it has no
 *	group
 */
void attach_buf_join(struct attach_ctx *ctx, struct attach_buf *buf)
{
	struct right_group *group = state_group(ctx, &buf->base);

	if (group)
		right_join(group, &buf->right);
}

/**
 * attach_buf_list_newest() - update to which stream a buffer is single
 * @buf: buffer whose newest state has changed
 */
void attach_buf_list_newest(struct attach_buf *buf)
{
	struct attach_state state = buf_newest_state(buf);

	list_remove(&buf->in_newest);
	if (state.kind == ATTACH_SINGLE)
		list_append(&state.stream->singles, &buf->in_newest);
}

/*
 * Adds a buffer to the claims of a state. A buffer with an attach in flight has
 * a claim by its last state that is known done and one by each later state.
 */
static void buf_claim(struct attach_ctx *ctx, struct attach_claim *claim,
		      struct attach_buf *buf, const struct attach_state *state)
{
	claim->buf = buf;
	list_remove(&claim->in_claims);
	if (state->kind == ATTACH_GLOBAL)
		list_append(&ctx->claims, &claim->in_claims);
	else if (state->kind == ATTACH_SINGLE)
		list_append(&state->stream->claims, &claim->in_claims);
}

/**
 * attach_buf_set_base() - set the last state of a buffer that is known done
 * @ctx: context
 * @buf: buffer
 * @state: state
 * @until: newest attach that is dropped, because the state is as new or newer;
 *	NULL: all attaches of the buffer are dropped
 */
void attach_buf_set_base(struct attach_ctx *ctx, struct attach_buf *buf,
			 struct attach_state state, struct attach_op *until)
{
	struct attach_state old = buf->base;

	attach_stream_get(state.stream);
	buf->base = state;
	buf_claim(ctx, &buf->claim, buf, &state);
	attach_stream_put(ctx, old.stream);
	while (!list_is_empty(&buf->states)) {
		struct attach_op *op = attach_state_op(buf->states.next);

		attach_op_drop(ctx, op);
		if (op == until)
			break;
	}
}

/* Calls act for a change of one buffer if the host has groups of its own. */
static void attach_act_group(struct attach_ctx *ctx, struct attach_buf *buf,
			     u32 what)
{
	if (ctx->stream_changed)
		ctx->act(ctx, buf, what);
}

/**
 * attach_buf_settle() - note that no attach of a buffer is in flight any more
 * @ctx: context
 * @buf: buffer, which joins the group of its state
 */
void attach_buf_settle(struct attach_ctx *ctx, struct attach_buf *buf)
{
	buf->is_in_flight = false;
	buf->blocker = NULL;
	list_remove(&buf->claim.in_claims);
	attach_buf_join(ctx, buf);
	attach_act_group(ctx, buf, ATTACH_JOIN);
}

/**
 * attach_may_be_dirty() - note that the CPU may have stored to a buffer
 * @ctx: context
 * @buf: buffer
 *
 * Has no effect if the host has groups of its own, because that host records
 * itself what jobs have to clean.
 */
void attach_may_be_dirty(struct attach_ctx *ctx, struct right_buf *buf)
{
	if (!ctx->stream_changed)
		right_set_dirty(buf, true);
}

/* Maintenance */

static void counters_add(struct attach_counters *count, u32 what, u64 len)
{
	if (what & ATTACH_REVOKE)
		count->revoked++;
	if (what & ATTACH_RESTORE)
		count->restored++;
	if (what & ATTACH_PREFETCH_TO_CPU)
		count->prefetches_to_cpu++;
	if (what & ATTACH_PREFETCH_TO_GPU)
		count->prefetches_to_gpu++;
	if (what & ATTACH_CLEAN) {
		count->cleans++;
		count->cleaned_bytes += len;
	}
	if (what & ATTACH_CPU_INVALIDATE) {
		count->cpu_invalidates++;
		count->cpu_invalidated_bytes += len;
	}
	if (what & ATTACH_GPU_CLEAN) {
		count->gpu_cleans++;
		count->gpu_cleaned_bytes += len;
	}
}

/*
 * Counts and carries out what is due for one buffer. What is done for a group
 * is counted with the group.
 */
static void buf_maintain(struct attach_ctx *ctx, struct attach_buf *buf,
			 u32 what)
{
	counters_add(&buf->count, what, buf->right.len);
	counters_add(&ctx->count, what, buf->right.len);
	if (ctx->act)
		ctx->act(ctx, buf, what);
}

/**
 * attach_stream_work() - get the newest work of a stream
 * @s: stream
 *
 * Return: its newest row of jobs that is not known done; NULL if it has none.
 */
struct attach_op *attach_stream_work(struct attach_stream *s)
{
	struct attach_link *rows = &s->queue.ops[ATTACH_OP_WORK];

	return list_is_empty(rows) ? NULL : attach_op_of(rows->prev);
}

/*
 * Returns true if a stream has work that is not known done. With @attach, work
 * that the last search reached does not count.
 */
static bool stream_has_work_left(struct attach_ctx *ctx,
				 struct attach_stream *s,
				 const struct attach_op *attach)
{
	struct attach_op *work = attach_stream_work(s);

	ctx->nr_steps++;
	return work && !(attach && attach_is_reached_whole(ctx, work));
}

/*
 * As stream_has_work_left(), for all streams. The result is kept until the next
 * search.
 */
static bool ctx_has_work_left(struct attach_ctx *ctx,
			      const struct attach_op *attach)
{
	struct attach_link *link;

	if (!attach)
		return ctx->nr_works;
	if (ctx->left_epoch == ctx->epoch)
		return ctx->has_work_left;
	ctx->left_epoch = ctx->epoch;
	ctx->has_work_left = false;
	for (link = ctx->streams.next;
	     link != &ctx->streams && !ctx->has_work_left; link = link->next)
		ctx->has_work_left =
			stream_has_work_left(ctx,
					     of_link(link, struct attach_stream,
						     in_ctx), attach);
	return ctx->has_work_left;
}

/*
 * Returns true if work that stream_has_work_left() counts may have seen a
 * buffer in this state.
 */
static bool state_has_work_left(struct attach_ctx *ctx,
				const struct attach_state *state,
				const struct attach_op *attach)
{
	switch (state->kind) {
	case ATTACH_GLOBAL:
		return ctx_has_work_left(ctx, attach);
	case ATTACH_SINGLE:
		return stream_has_work_left(ctx, state->stream, attach);
	default:
		return false;
	}
}

/*
 * Returns true if work that is not known done may have seen a buffer, by any
 * state that decides about access by the CPU. In that case the buffer has to be
 * taken from the GPU again later: a job behind a host function may be behind an
 * attach that is not known done either. With @attach, work that this attach is
 * behind does not count.
 */
static bool buf_is_still_seen(struct attach_ctx *ctx,
			      const struct attach_buf *buf,
			      const struct attach_op *attach)
{
	struct attach_link *link;

	/* Without host functions, all work not known done is active. */
	if (!attach && !ctx->nr_host)
		return false;
	if (attach) {
		const struct attach_point point = {
			.stream = attach->stream,
			.at = attach->first,
			.null = attach->null,
		};

		attach_search_all(ctx, &point);
	}
	if (state_has_work_left(ctx, &buf->base, attach))
		return true;
	for (link = buf->states.next; link != &buf->states; link = link->next)
		if (state_has_work_left(ctx, &attach_state_op(link)->state,
					attach))
			return true;
	return false;
}

/**
 * attach_gpu_clean() - get what is due when a buffer is taken from the GPU
 * @ctx: context
 *
 * Return: ATTACH_GPU_CLEAN, and ATTACH_CPU_INVALIDATE if the board needs it.
 */
u32 attach_gpu_clean(const struct attach_ctx *ctx)
{
	return ctx->class == ATTACH_NONCOHERENT ?
	       ATTACH_GPU_CLEAN | ATTACH_CPU_INVALIDATE : ATTACH_GPU_CLEAN;
}

/*
 * Returns the GPU clean and CPU invalidate that are due, or 0 if no job has
 * seen the buffer since the last ones, and none that was not known done then.
 * @attach: see buf_is_still_seen().
 */
static u32 buf_take_from_gpu(struct attach_ctx *ctx, struct attach_buf *buf,
			     const struct attach_op *attach)
{
	if (!buf->right.is_due)
		return 0;
	buf->right.is_due = buf_is_still_seen(ctx, buf, attach);
	return attach_gpu_clean(ctx);
}

/* Access by the CPU */

static bool state_allows_cpu(const struct attach_ctx *ctx,
			     const struct attach_state *state)
{
	switch (state->kind) {
	case ATTACH_GLOBAL:
		return !ctx->nr_active;
	case ATTACH_SINGLE:
		return !state->stream->is_active;
	default:
		return true;
	}
}

/**
 * attach_forbids_cpu() - find what forbids the CPU to access a buffer
 * @ctx: context
 * @buf: buffer
 *
 * Return: the oldest state that forbids it; NULL if none does.
 */
const struct attach_state *attach_forbids_cpu(struct attach_ctx *ctx,
					      const struct attach_buf *buf)
{
	struct attach_link *link;

	if (ctx->class == ATTACH_CONCURRENT)
		return NULL;
	if (!state_allows_cpu(ctx, &buf->base))
		return &buf->base;
	for (link = buf->states.next; link != &buf->states; link = link->next) {
		ctx->nr_steps++;
		if (!state_allows_cpu(ctx, &attach_state_op(link)->state))
			return &attach_state_op(link)->state;
	}
	return NULL;
}

static void buf_set_blocker(struct attach_ctx *ctx, struct attach_buf *buf,
			    struct attach_stream *blocker)
{
	if (buf->blocker == blocker)
		return;
	buf->blocker = blocker;
	attach_act_group(ctx, buf, ATTACH_BLOCKER);
}

/**
 * attach_buf_update() - revoke or restore access by the CPU, as states require
 * @ctx: context
 * @buf: buffer with an attach in flight
 */
void attach_buf_update(struct attach_ctx *ctx, struct attach_buf *buf)
{
	const struct attach_state *state = attach_forbids_cpu(ctx, buf);
	const bool is_forbidden = state;

	buf_set_blocker(ctx, buf, state ? state->stream : NULL);
	if (is_forbidden == buf->right.is_refused)
		return;
	buf->right.is_refused = is_forbidden;
	if (is_forbidden) {
		buf_maintain(ctx, buf, ATTACH_REVOKE);
		return;
	}
	attach_may_be_dirty(ctx, &buf->right);
	buf_maintain(ctx, buf,
		     ATTACH_RESTORE | buf_take_from_gpu(ctx, buf, NULL));
}

/* Carries out the prefetch of an attach. @op: the attach; NULL: known done. */
static void buf_prefetch(struct attach_ctx *ctx, struct attach_buf *buf,
			 enum attach_kind from, enum attach_kind to,
			 const struct attach_op *op)
{
	u32 what = 0;

	if (ctx->class == ATTACH_CONCURRENT)
		return;
	if (from != ATTACH_HOST && to == ATTACH_HOST)
		what = ATTACH_PREFETCH_TO_CPU | buf_take_from_gpu(ctx, buf, op);
	else if (from == ATTACH_HOST && to != ATTACH_HOST)
		what = ATTACH_PREFETCH_TO_GPU |
		       (ctx->class == ATTACH_NONCOHERENT ? ATTACH_CLEAN : 0);
	if (what)
		buf_maintain(ctx, buf, what);
}

/**
 * attach_buf_change() - give a buffer another state
 * @ctx: context
 * @buf: buffer
 * @state: state
 * @op: operation of the attach; NULL: the attach is known done
 */
void attach_buf_change(struct attach_ctx *ctx, struct attach_buf *buf,
		       struct attach_state state, struct attach_op *op)
{
	enum attach_kind old = buf_newest_state(buf).kind;

	if (buf->right.group) {
		right_leave(&buf->right);
		attach_act_group(ctx, buf, ATTACH_LEAVE);
	}
	if (op) {
		op->state = state;
		attach_stream_get(state.stream);
		buf_claim(ctx, &op->claim, buf, &state);
		if (!buf->is_in_flight)
			buf_claim(ctx, &buf->claim, buf, &buf->base);
		buf->is_in_flight = true;
		list_append(&buf->states, &op->in_buf);
	} else {
		attach_buf_set_base(ctx, buf, state, NULL);
	}
	attach_buf_list_newest(buf);
	buf_prefetch(ctx, buf, old, state.kind, op);
	attach_buf_update(ctx, buf);
	if (!op)
		attach_buf_settle(ctx, buf);
}
