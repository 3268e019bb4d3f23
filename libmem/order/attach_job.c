// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Managed memory: jobs and what they see, and the verdicts on touches, copies
 * and sets (Documentation/model.rst). Locks: none, see attach.h.
 */
#include "../../kmod/model/list.h"
#include "../../kmod/model/profile.h"
#include "attach_internal.h"

/* Jobs */

static bool state_allows_job(const struct attach_state *state,
			     const struct attach_stream *s)
{
	return state->kind == ATTACH_GLOBAL ||
	       (state->kind == ATTACH_SINGLE && state->stream == s);
}

/*
 * Returns the newest state, in call order, that is ordered before an operation
 * of @s submitted now or that is known done.
 */
static struct attach_state buf_judge(struct attach_ctx *ctx,
				     struct attach_stream *s,
				     const struct attach_buf *buf)
{
	const struct attach_point point = attach_point_now(ctx, s);
	struct attach_link *link;

	for (link = buf->states.prev; link != &buf->states;
	     link = link->prev) {
		const struct attach_op *op = attach_state_op(link);

		if (op->stream == s)
			return op->state;
		attach_search_all(ctx, &point);
		if (attach_is_reached(ctx, op))
			return op->state;
	}
	return buf->base;
}

static void ctx_count_job(struct attach_ctx *ctx, u64 nr, u64 len)
{
	ctx->count.gpu_invalidates += nr;
	ctx->count.gpu_invalidated_bytes += len;
	if (ctx->class == ATTACH_NONCOHERENT) {
		ctx->count.cleans += nr;
		ctx->count.cleaned_bytes += len;
	}
}

/* Calls act only for a buffer that may have something to clean. */
static void attach_act_job(struct attach_ctx *ctx, struct attach_buf *buf)
{
	if (!buf->right.is_dirty)
		return;
	if (attach_is_revoked(buf))
		right_set_dirty(&buf->right, false);
	if (ctx->act)
		ctx->act(ctx, buf, ctx->class == ATTACH_NONCOHERENT ?
				   ATTACH_CLEAN | ATTACH_GPU_INVALIDATE :
				   ATTACH_GPU_INVALIDATE);
}

static void group_sees_job(struct attach_ctx *ctx, struct right_group *group)
{
	struct right_buf *buf, *next;

	ctx->nr_steps += right_group_job(group);
	ctx_count_job(ctx, group->nr, group->len);
	for (buf = right_group_dirty(group, NULL); buf; buf = next) {
		next = right_group_dirty(group, buf);
		ctx->nr_steps++;
		attach_act_job(ctx, attach_buf_of(buf));
	}
}

/*
 * Judges buffers with an attach in flight. A buffer may have several claims; it
 * is judged once.
 */
static void claims_see_job(struct attach_ctx *ctx, struct attach_stream *s,
			   struct attach_link *head)
{
	struct attach_link *link;

	for (link = head->next; link != head; link = link->next) {
		struct attach_buf *buf = attach_claim_of(link)->buf;
		struct attach_state state;

		if (buf->judged == ctx->ticket)
			continue;
		buf->judged = ctx->ticket;
		state = buf_judge(ctx, s, buf);
		if (!state_allows_job(&state, s))
			continue;
		buf->right.tally.jobs++;
		buf->right.is_due = true;
		ctx_count_job(ctx, 1, buf->right.len);
		attach_act_job(ctx, buf);
	}
}

static void ctx_see_job(struct attach_ctx *ctx, struct attach_stream *s)
{
	if (ctx->class == ATTACH_CONCURRENT)
		return;
	group_sees_job(ctx, &ctx->group);
	group_sees_job(ctx, &s->group);
	claims_see_job(ctx, s, &ctx->claims);
	claims_see_job(ctx, s, &s->claims);
}

/*
 * Returns true if a job can be added to a row that is the last of @s. This
 * requires that what holds up one job of the row holds up all of them.
 */
static bool op_takes_job(const struct attach_ctx *ctx,
			 const struct attach_stream *s,
			 const struct attach_op *op)
{
	if (op->last < s->last_hold)
		return false;
	if (attach_is_null(ctx, s))
		return op->last >= ctx->blocking_last;
	return op->null == attach_null_now(ctx, s);
}

/**
 * attach_submit_work() - submit device work: a job, or a copy or set by a
 * device
 * @ctx: context
 * @s: stream
 *
 * Calls act for what is due. The clean and the invalidate of the GPU's cache
 * have to be carried out after the earlier work of the stream and before this
 * work. Unless the stream is foreign, attach_end_work() need not be called: the
 * end of the work changes nothing.
 *
 * Return: 0; -EINVAL if the stream is destroyed; -ENOMEM if the pool is empty.
 */
int attach_submit_work(struct attach_ctx *ctx, struct attach_stream *s)
{
	struct attach_link *rows = &s->queue.ops[ATTACH_OP_WORK];

	if (s->is_destroyed)
		return -EINVAL;
	if (list_is_empty(&ctx->pool))
		return -ENOMEM;
	if (s->is_foreign) {
		attach_take_ticket(ctx, s);
		attach_stream_get(s);
		return 0;
	}
	if (!list_is_empty(rows) &&
	    op_takes_job(ctx, s, attach_op_of(rows->prev))) {
		attach_op_of(rows->prev)->last = attach_take_ticket(ctx, s);
	} else {
		if (list_is_empty(rows))
			attach_recheck_later(ctx, s);
		attach_op_submit(ctx, s, ATTACH_OP_WORK);
	}
	attach_end_call(ctx);
	ctx_see_job(ctx, s);
	return 0;
}

/**
 * attach_end_work() - note the end of device work
 * @ctx: context
 * @s: stream of attach_submit_work(); if it is foreign, it may be released
 */
void attach_end_work(struct attach_ctx *ctx, struct attach_stream *s)
{
	if (!s->is_foreign)
		return;
	attach_stream_put(ctx, s);
	attach_end_call(ctx);
}

/* Touches */

/* Returns an active stream for which a state forbids the CPU to touch. */
static struct attach_stream *
state_active_stream(const struct attach_ctx *ctx,
		    const struct attach_state *state)
{
	if (state->kind == ATTACH_SINGLE)
		return state->stream;
	return of_link(ctx->actives.next, struct attach_stream, in_active);
}

/**
 * attach_cpu_touch() - judge and count a touch of a buffer by the CPU
 * @ctx: context
 * @buf: buffer
 * @why: out: what forbids it; unchanged if nothing does; may be NULL
 *
 * Return: ATTACH_ALLOWED, or ATTACH_CPU_WHILE_ACTIVE, which is counted.
 */
enum attach_verdict attach_cpu_touch(struct attach_ctx *ctx,
				     struct attach_buf *buf,
				     struct attach_why *why)
{
	const struct attach_state *state;

	if (!attach_is_revoked(buf))
		return ATTACH_ALLOWED;
	/* With the policy record, the CPU may store nevertheless. */
	attach_may_be_dirty(ctx, &buf->right);
	ctx->count.cpu_while_active++;
	buf->count.cpu_while_active++;
	state = attach_forbids_cpu(ctx, buf);
	if (why && state)
		*why = (struct attach_why) {
			.kind = state->kind,
			.stream = state_active_stream(ctx, state),
			.is_in_flight = state != &buf->base,
		};
	return ATTACH_CPU_WHILE_ACTIVE;
}

/**
 * attach_judge_job() - judge a touch of a buffer by a job
 * @ctx: context
 * @s: stream of the job, which is the newest operation or is submitted next
 * @buf: buffer
 * @why: out: what forbids it; unchanged if nothing does; may be NULL
 *
 * Jobs may touch the buffer later than that: the verdict on the job does not
 * change with later calls. Use attach_count_job_touch() to count the touch.
 *
 * Return: ATTACH_ALLOWED or ATTACH_ENGINE_NOT_ATTACHED; nothing is counted.
 */
enum attach_verdict attach_judge_job(struct attach_ctx *ctx,
				     struct attach_stream *s,
				     const struct attach_buf *buf,
				     struct attach_why *why)
{
	struct attach_state state = buf_judge(ctx, s, buf);

	if (ctx->class == ATTACH_CONCURRENT || state_allows_job(&state, s))
		return ATTACH_ALLOWED;
	if (why)
		*why = (struct attach_why) {
			.kind = state.kind,
			.stream = state.stream,
		};
	return ATTACH_ENGINE_NOT_ATTACHED;
}

/**
 * attach_count_job_touch() - count a touch by a job that is not allowed
 * @ctx: context
 * @buf: buffer; the job was judged when it was submitted
 */
void attach_count_job_touch(struct attach_ctx *ctx, struct attach_buf *buf)
{
	ctx->count.engine_not_attached++;
	buf->count.engine_not_attached++;
}

/**
 * attach_job_touch() - judge and count a touch of a buffer by a job
 * @ctx: context
 * @s: stream of the job, which is the newest operation
 * @buf: buffer
 * @why: out: what forbids it; unchanged if nothing does; may be NULL
 *
 * Return: ATTACH_ALLOWED, or ATTACH_ENGINE_NOT_ATTACHED, which is counted.
 */
enum attach_verdict attach_job_touch(struct attach_ctx *ctx,
				     struct attach_stream *s,
				     struct attach_buf *buf,
				     struct attach_why *why)
{
	enum attach_verdict verdict = attach_judge_job(ctx, s, buf, why);

	if (verdict != ATTACH_ALLOWED)
		attach_count_job_touch(ctx, buf);
	return verdict;
}

/* Copies and sets */

static bool side_is_device(struct attach_ctx *ctx, struct attach_stream *s,
			   const struct attach_side *side)
{
	return side->memory == ATTACH_DEVICE ||
	       (side->memory == ATTACH_MANAGED && !s->is_foreign &&
		attach_judge_job(ctx, s, side->buf, NULL) == ATTACH_ALLOWED);
}

/**
 * attach_judge_copy() - classify a synchronous copy
 * @ctx: context
 * @s: its stream, before anything is submitted
 * @from: source
 * @to: target
 * @copy: out
 *
 * A managed side counts as device memory if a job may touch it now, unless the
 * stream is foreign. Otherwise it counts as host memory, which the CPU touches,
 * and as pageable: its bytes are read before a copy to the device returns.
 */
void attach_judge_copy(struct attach_ctx *ctx, struct attach_stream *s,
		       const struct attach_side *from,
		       const struct attach_side *to, struct attach_copy *copy)
{
	copy->from_is_device = side_is_device(ctx, s, from);
	copy->to_is_device = side_is_device(ctx, s, to);
	copy->is_work = copy->from_is_device || copy->to_is_device;
	copy->is_waited_for = !copy->to_is_device ||
			      (!copy->from_is_device &&
			       from->memory == ATTACH_PINNED);
}

/**
 * attach_judge_set() - classify a synchronous set
 * @memory: kind of the target
 * @copy: out
 *
 * Return: 0; -EINVAL for pageable memory, which no device can set.
 */
int attach_judge_set(enum attach_memory memory, struct attach_copy *copy)
{
	if (memory == ATTACH_PAGEABLE)
		return -EINVAL;
	*copy = (struct attach_copy) {
		.to_is_device = memory != ATTACH_PINNED,
		.is_work = true,
		.is_waited_for = memory != ATTACH_DEVICE,
	};
	return 0;
}

/**
 * attach_has_pinned_atomics() - check whether atomic instructions of a device
 * work on pinned memory
 * @profile: board
 *
 * Return: true if they do; false if pinned memory is uncached, which holds for
 * each board that is not I/O-coherent, and so for each below capability 7.2. A
 * use of such instructions there is the violation atomic-on-uncached.
 */
bool attach_has_pinned_atomics(const struct profile *profile)
{
	return profile->is_io_coherent;
}
