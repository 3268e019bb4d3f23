// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The CPU's right to touch managed memory, carried out on pages and lines.
 *
 * order/ reports which streams are active and which state a buffer has, through
 * rights_ops. Whether the CPU may touch a buffer follows from the group that
 * the buffer is in (kmod/model/right.h); while an attach is in flight it is set
 * for the buffer alone. A fault needs nothing else. These facts have a lock of
 * their own, the rights lock, so that a fault does not wait for a call of the
 * program.
 *
 * A fault checks the right and enters the buffer in its group's list of mapped
 * buffers in one section of that lock, and holds the buffer's lock until the
 * page is accessible. To take a right away, the state is changed first, and
 * then the pages of the listed buffers are taken: either the fault sees the new
 * state, or its page is taken. To give a right, lines are dropped first.
 * Buffers that nothing has touched since then are in no list and cost nothing.
 *
 * All functions but those for faults require the order lock.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../kmod/model/list.h"
#include "embedded.h"

static void rights_lock(struct embedded_ctx *ctx)
{
	pthread_mutex_lock(&ctx->rights_lock);
}

static void rights_unlock(struct embedded_ctx *ctx)
{
	pthread_mutex_unlock(&ctx->rights_lock);
}

static struct embedded_ctx *rights_ctx_of(const struct embedded_buf *buf)
{
	return embedded_ctx_of(buf->base.ctx);
}

static struct embedded_buf *buf_of(struct right_buf *right)
{
	return containerof(right, struct embedded_buf, right);
}

static void rights_stream_init(struct rights_stream *stream, uint64_t id)
{
	stream->id = id;
	right_group_init(&stream->group);
	list_init(&stream->in_active);
}

static int rights_stream_create(struct mem_stream *stream)
{
	struct rights_stream *new = calloc(1, sizeof(*new));

	if (!new)
		return -ENOMEM;
	rights_stream_init(new, stream->id);
	stream->order = &new->order;
	return 0;
}

static void rights_stream_destroy(struct mem_ctx *ctx, struct order *order)
{
	(void)ctx;
	free(containerof(order, struct rights_stream, order));
}

/* Returns NULL for NULL. */
static struct rights_stream *rights_of(struct embedded_ctx *ctx,
				       struct attach_stream *model)
{
	if (!model)
		return NULL;
	if (model == &ctx->order.model.null_stream)
		return &ctx->null_stream;
	return containerof(model, struct rights_stream, order.model);
}

/**
 * rights_init() - make the rights of a context
 * @ctx: context
 */
void rights_init(struct embedded_ctx *ctx)
{
	pthread_mutex_init(&ctx->rights_lock, NULL);
	right_group_init(&ctx->globals);
	list_init(&ctx->actives);
	list_init(&ctx->lent);
	rights_stream_init(&ctx->null_stream, 0);
}

/**
 * rights_fini() - the context goes
 * @ctx: context without buffers
 */
void rights_fini(struct embedded_ctx *ctx)
{
	pthread_mutex_destroy(&ctx->rights_lock);
}

/* The pages and lines of one buffer */

static void rights_revoke_buf(struct embedded_buf *buf)
{
	pthread_mutex_lock(&buf->lock);
	if (buf->has_two_views)
		view_revoke(buf, 0, buf->nr_pages);
	else
		protect_set(buf->first, buf->nr_pages, PAGE_NO_ACCESS);
	pthread_mutex_unlock(&buf->lock);
}

/* The buffer's lock is held. */
static void rights_clean_locked(struct embedded_buf *buf)
{
	struct embedded_ctx *ctx = rights_ctx_of(buf);

	rights_lock(ctx);
	right_cleaned(&buf->right, false);
	rights_unlock(ctx);
	view_clean(buf, 0, buf->base.len);
}

static void rights_clean_buf(struct embedded_buf *buf)
{
	pthread_mutex_lock(&buf->lock);
	if (buf->right.is_dirty)
		rights_clean_locked(buf);
	pthread_mutex_unlock(&buf->lock);
}

static void rights_drop_lines(struct embedded_buf *buf)
{
	struct embedded_ctx *ctx = rights_ctx_of(buf);

	if (!buf->has_two_views)
		return;
	pthread_mutex_lock(&buf->lock);
	if (right_must_clean(&buf->right))
		rights_clean_locked(buf);
	view_invalidate(buf, 0, buf->base.len);
	rights_lock(ctx);
	right_set_lines(&buf->right, view_has_lines(buf) ? RIGHT_CACHED :
							   RIGHT_NO_LINES);
	right_cleaned(&buf->right, false);
	rights_unlock(ctx);
	pthread_mutex_unlock(&buf->lock);
}

/* Groups */

/* Where nothing is looked at, no touch needs to be seen. */
static bool rights_is_off(const struct embedded_ctx *ctx)
{
	return ctx->policy == MEM_POLICY_OFF;
}

static enum right_lines rights_lines_unmapped(const struct embedded_buf *buf)
{
	return buf->has_two_views ? RIGHT_CACHED : RIGHT_NO_LINES;
}

/*
 * With policy record a touch that is refused enters the list all the same: the
 * number ends the loop, whatever other threads touch.
 */
static void rights_refuse_group(struct embedded_ctx *ctx,
				struct right_group *group)
{
	struct right_buf *right;
	u64 nr;

	rights_lock(ctx);
	right_group_refuse(group);
	nr = rights_is_off(ctx) ? 0 : group->nr_mapped;
	while (nr-- && (right = right_group_mapped(group))) {
		right_set_lines(right, rights_lines_unmapped(buf_of(right)));
		rights_unlock(ctx);
		rights_revoke_buf(buf_of(right));
		rights_lock(ctx);
	}
	rights_unlock(ctx);
}

static bool rights_is_drop_due(const struct embedded_buf *buf)
{
	return right_is_due(&buf->right) || buf->order.nr_to_drop;
}

static void rights_drop_by_group(struct embedded_buf *buf)
{
	struct embedded_ctx *ctx = rights_ctx_of(buf);

	rights_lock(ctx);
	buf->nr_dropped += right_is_due(&buf->right);
	rights_unlock(ctx);
	rights_drop_lines(buf);
}

static void
rights_drop_listed(struct embedded_ctx *ctx, struct right_group *group,
		   struct right_buf *(*first)(struct right_group *group),
		   u64 nr)
{
	struct right_buf *right;

	rights_lock(ctx);
	while (nr-- && (right = first(group))) {
		if (rights_is_drop_due(buf_of(right))) {
			rights_unlock(ctx);
			rights_drop_by_group(buf_of(right));
			rights_lock(ctx);
		} else {
			right_keep(right);
		}
	}
	rights_unlock(ctx);
}

/*
 * Where maintenance is reported, that of buffers that have no lines is, too: it
 * is redundant.
 */
static void rights_drop_all(struct embedded_ctx *ctx, struct right_group *group)
{
	struct right_buf *right = NULL;

	while ((right = right_group_next(group, right))) {
		if (rights_is_drop_due(buf_of(right))) {
			rights_drop_by_group(buf_of(right));
			continue;
		}
		rights_lock(ctx);
		right_keep(right);
		rights_unlock(ctx);
	}
}

static void rights_allow_group(struct embedded_ctx *ctx,
			       struct right_group *group,
			       bool again)
{
	struct right_sum cleaned;

	if (ctx->order.model.class == ATTACH_NONCOHERENT) {
		if (watch_is_on()) {
			rights_drop_all(ctx, group);
		} else {
			rights_drop_listed(ctx, group, right_group_cached,
					   group->nr_cached);
			rights_drop_listed(ctx, group, right_group_mapped,
					   group->nr_mapped);
		}
	}
	rights_lock(ctx);
	right_group_allow(group, again, &cleaned);
	rights_unlock(ctx);
}

static void rights_stream_state(struct mem_ctx *base,
				struct attach_stream *model, bool again_own,
				bool again_all)
{
	struct embedded_ctx *ctx = embedded_ctx_of(base);
	struct rights_stream *stream = rights_of(ctx, model);
	const bool was_any_active = !list_is_empty(&ctx->actives);

	if (model->is_active) {
		rights_lock(ctx);
		list_append(&ctx->actives, &stream->in_active);
		rights_unlock(ctx);
		rights_refuse_group(ctx, &stream->group);
		if (!was_any_active)
			rights_refuse_group(ctx, &ctx->globals);
		return;
	}
	rights_allow_group(ctx, &stream->group, again_own);
	/* Until it is allowed, a fault names the stream that forbids it. */
	if (ctx->actives.next->next == &ctx->actives)
		rights_allow_group(ctx, &ctx->globals, again_all);
	rights_lock(ctx);
	list_remove(&stream->in_active);
	rights_unlock(ctx);
}

/* Attaches */

/* The right of one buffer that is in no group. */
static void rights_refuse_buf(struct embedded_ctx *ctx,
			      struct embedded_buf *buf)
{
	bool was_mapped;

	rights_lock(ctx);
	buf->right.is_refused = true;
	was_mapped = buf->right.lines == RIGHT_MAPPED && !rights_is_off(ctx);
	if (was_mapped)
		right_set_lines(&buf->right, rights_lines_unmapped(buf));
	rights_unlock(ctx);
	if (was_mapped)
		rights_revoke_buf(buf);
}

static void rights_allow_buf(struct embedded_ctx *ctx, struct embedded_buf *buf)
{
	rights_lock(ctx);
	right_keep(&buf->right);
	right_allow(&buf->right);
	rights_unlock(ctx);
}

/* Takes over what the model has changed about the buffer's group or blocker. */
static void rights_regroup(struct embedded_ctx *ctx, struct embedded_buf *buf,
			   u32 what)
{
	struct attach_buf *attach = &buf->order.model;

	rights_lock(ctx);
	if (what & ATTACH_LEAVE)
		right_leave(&buf->right);
	if (what & ATTACH_BLOCKER)
		buf->blocker = rights_of(ctx, attach->blocker);
	if (what & ATTACH_JOIN) {
		buf->blocker = NULL;
		buf->right.is_due = right_is_due(&attach->right);
		if (attach->base.kind == ATTACH_GLOBAL)
			right_join(&ctx->globals, &buf->right);
		else if (attach->base.kind == ATTACH_SINGLE)
			right_join(&rights_of(ctx, attach->base.stream)->group,
				   &buf->right);
	}
	rights_unlock(ctx);
}

static void rights_attach(struct mem_buf *base, u32 what)
{
	struct embedded_ctx *ctx = embedded_ctx_of(base->ctx);
	struct embedded_buf *buf = embedded_buf_of(base);

	if (what & (ATTACH_LEAVE | ATTACH_BLOCKER | ATTACH_JOIN))
		rights_regroup(ctx, buf, what);
	if (what & ATTACH_CLEAN)
		rights_clean_buf(buf);
	if (what & ATTACH_REVOKE)
		rights_refuse_buf(ctx, buf);
	if (what & ATTACH_CPU_INVALIDATE)
		rights_drop_lines(buf);
	if (what & ATTACH_RESTORE)
		rights_allow_buf(ctx, buf);
}

static void rights_attached(struct mem_buf *base,
			    const struct record_attach *how)
{
	struct embedded_ctx *ctx = embedded_ctx_of(base->ctx);
	struct embedded_buf *buf = embedded_buf_of(base);

	if (!record_is_on())
		return;
	rights_lock(ctx);
	memmove(buf->attaches + 1, buf->attaches,
		sizeof(buf->attaches) - sizeof(buf->attaches[0]));
	buf->attaches[0] = *how;
	rights_unlock(ctx);
}

static void rights_buf_create(struct mem_buf *buf,
			      const struct record_attach *how)
{
	rights_attached(buf, how);
	rights_attach(buf, ATTACH_JOIN);
}

static void rights_buf_destroy(struct mem_buf *buf)
{
	rights_attach(buf, ATTACH_LEAVE);
}

/* Jobs */

static int rights_work_submit(struct mem_ctx *base, struct work *work)
{
	struct embedded_ctx *ctx = embedded_ctx_of(base);
	struct rights_stream *stream = rights_of(ctx, work->stream);

	work->acting.job = atomic_fetch_add(&ctx->nr_submitted, 1) + 1;
	trace_submit(&work->acting, NULL);
	/* Faults name the job from now on. */
	rights_lock(ctx);
	stream->newest = work->acting;
	if (!work->stream->is_foreign) {
		right_group_job(&ctx->globals);
		right_group_job(&stream->group);
	}
	rights_unlock(ctx);
	return 0;
}

static void rights_clean_group(struct embedded_ctx *ctx,
			       struct right_group *group,
			       const struct work *work)
{
	struct right_buf *right, *next;

	rights_lock(ctx);
	for (right = right_group_dirty(group, NULL); right; right = next) {
		/* Faults only add to the list. */
		next = right_group_dirty(group, right);
		rights_unlock(ctx);
		if (order_work_sees(&ctx->base, work, &buf_of(right)->base))
			rights_clean_buf(buf_of(right));
		rights_lock(ctx);
	}
	rights_unlock(ctx);
}

/* It sees its groups, but for buffers that have a verdict of their own. */
static int rights_work_begin(struct mem_ctx *base, const struct work *work)
{
	struct embedded_ctx *ctx = embedded_ctx_of(base);
	struct mem_buf *buf;
	size_t i;

	if (work->stream->is_foreign)
		return 0;
	for (i = 0; i < work->nr_verdicts; i++) {
		buf = work->verdicts[i].buf;
		if (buf && work->verdicts[i].sees)
			rights_clean_buf(embedded_buf_of(buf));
	}
	rights_clean_group(ctx, &ctx->globals, work);
	rights_clean_group(ctx, &rights_of(ctx, work->stream)->group, work);
	return 0;
}

static void rights_work_report(struct mem_buf *buf, bool is_write,
			       const struct work *work)
{
	watch_not_attached(embedded_buf_of(buf), 0, is_write, 0, work);
}

static uint64_t rights_nr_refused(struct mem_ctx *base,
				  const struct mem_buf *buf)
{
	struct embedded_ctx *ctx = embedded_ctx_of(base);
	uint64_t nr;

	rights_lock(ctx);
	nr = buf ? containerof(buf, struct embedded_buf, base)->nr_refused :
		   ctx->nr_refused;
	rights_unlock(ctx);
	return nr;
}

/**
 * rights_nr_spared() - invalidates that were due and found nothing to do
 * @buf: two-view managed buffer
 *
 * They have not been carried out; on the board they are redundant ones.
 *
 * Context: all signals are blocked.
 * Return: how many.
 */
uint64_t rights_nr_spared(struct embedded_buf *buf)
{
	struct embedded_ctx *ctx = rights_ctx_of(buf);
	struct right_tally tally;
	uint64_t nr;

	if (ctx->order.model.class != ATTACH_NONCOHERENT)
		return 0;
	rights_lock(ctx);
	right_tally_of(&buf->right, &tally);
	nr = tally.gpu_cleans - buf->nr_dropped;
	rights_unlock(ctx);
	return nr;
}

/* Touches; the buffer's lock is held. */

static void rights_enter_as(struct embedded_buf *buf, bool is_write,
			    bool is_allowed)
{
	if (buf->right.lines != RIGHT_MAPPED)
		right_set_lines(&buf->right, RIGHT_MAPPED);
	if (is_write && buf->has_two_views)
		right_store(&buf->right, is_allowed);
}

/* The stream that the CPU has to wait for; NULL: it has become idle. */
static const struct rights_stream *
rights_blocker_of(struct embedded_ctx *ctx, const struct embedded_buf *buf)
{
	struct right_group *group = buf->right.group;

	if (buf->blocker)
		return buf->blocker;
	if (group && group != &ctx->globals)
		return containerof(group, struct rights_stream, group);
	if (list_is_empty(&ctx->actives))
		return NULL;
	return containerof(ctx->actives.next, struct rights_stream, in_active);
}

static void rights_refuse(struct embedded_ctx *ctx, struct embedded_buf *buf,
			  const struct touch *touch, struct refusal *refusal)
{
	const struct rights_stream *blocker = rights_blocker_of(ctx, buf);
	struct right_refused now = {
		.thread = (u64)gettid(),
		/* If each touch faults, each counts. */
		.ip = touch->is_call || ctx->is_precise ? 0 : touch->ip,
		.off = touch->off,
		.is_write = touch->is_write,
	};

	memcpy(refusal->attaches, buf->attaches, sizeof(refusal->attaches));
	memset(&refusal->newest, 0, sizeof(refusal->newest));
	refusal->stream = 0;
	if (blocker) {
		refusal->stream = blocker->id;
		refusal->newest = blocker->newest;
	}
	now.job = refusal->newest.job;
	refusal->is_repeated = ctx->policy != MEM_POLICY_STRICT &&
			       right_is_repeated(&buf->right, &now);
	if (!refusal->is_repeated) {
		buf->nr_refused++;
		ctx->nr_refused++;
	}
}

/**
 * rights_touch() - judge a touch of managed memory by the CPU
 * @buf: buffer
 * @touch: what it does
 * @refusal: out: why not
 *
 * If it may, or the policy lets it all the same, the page can be made
 * accessible while the buffer stays locked.
 *
 * Context: signal handlers too; the buffer's lock is held.
 * Return: true if it may.
 */
bool rights_touch(struct embedded_buf *buf, const struct touch *touch,
		  struct refusal *refusal)
{
	struct embedded_ctx *ctx = rights_ctx_of(buf);
	bool is_allowed;

	rights_lock(ctx);
	is_allowed = !right_is_refused(&buf->right);
	if (!is_allowed)
		rights_refuse(ctx, buf, touch, refusal);
	if (is_allowed || ctx->policy != MEM_POLICY_STRICT)
		rights_enter_as(buf, touch->is_write, is_allowed);
	rights_unlock(ctx);
	return is_allowed;
}

/**
 * rights_enter() - pages are made accessible without a judgement
 * @buf: managed buffer
 * @is_write: they may be stored to
 *
 * Context: signal handlers too; the buffer's lock is held.
 */
void rights_enter(struct embedded_buf *buf, bool is_write)
{
	struct embedded_ctx *ctx = rights_ctx_of(buf);

	rights_lock(ctx);
	rights_enter_as(buf, is_write, false);
	rights_unlock(ctx);
}

/**
 * rights_written() - an engine writes: the next invalidate has something to do
 * @buf: two-view managed buffer
 *
 * Context: the buffer's lock is held.
 */
void rights_written(struct embedded_buf *buf)
{
	struct embedded_ctx *ctx = rights_ctx_of(buf);

	rights_lock(ctx);
	if (buf->right.lines == RIGHT_NO_LINES)
		right_set_lines(&buf->right, RIGHT_CACHED);
	rights_unlock(ctx);
}

/**
 * rights_lend() - a kernel in a thread of the application touches memory
 * @buf: buffer that the CPU may not touch
 *
 * Context: signal handlers too; the buffer's lock is held.
 */
void rights_lend(struct embedded_buf *buf)
{
	struct embedded_ctx *ctx = rights_ctx_of(buf);

	if (buf->is_lent)
		return;
	buf->is_lent = true;
	rights_lock(ctx);
	list_append(&ctx->lent, &buf->in_lent);
	rights_unlock(ctx);
}

static struct embedded_buf *rights_lent_next(struct embedded_ctx *ctx)
{
	struct embedded_buf *buf = NULL;

	rights_lock(ctx);
	if (!list_is_empty(&ctx->lent)) {
		buf = containerof(ctx->lent.next, struct embedded_buf, in_lent);
		list_remove(&buf->in_lent);
		embedded_buf_get(buf);
	}
	rights_unlock(ctx);
	return buf;
}

/**
 * rights_take_back() - the kernel has ended
 * @ctx: context
 */
void rights_take_back(struct embedded_ctx *ctx)
{
	struct embedded_buf *buf;
	sigset_t old;

	signals_block(&old);
	while ((buf = rights_lent_next(ctx))) {
		pthread_mutex_lock(&buf->lock);
		buf->is_lent = false;
		protect_set(buf->first, buf->nr_pages, PAGE_NO_ACCESS);
		pthread_mutex_unlock(&buf->lock);
		embedded_buf_put(buf);
	}
	signals_restore(&old);
}

const struct order_ops rights_ops = {
	.blocks_signals = true,
	.stream_create = rights_stream_create,
	.stream_destroy = rights_stream_destroy,
	.stream_state = rights_stream_state,
	.buf_create = rights_buf_create,
	.buf_destroy = rights_buf_destroy,
	.attach = rights_attach,
	.attached = rights_attached,
	.work_submit = rights_work_submit,
	.work_begin = rights_work_begin,
	.work_report = rights_work_report,
	.nr_refused = rights_nr_refused,
};
