// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The CPU's right to touch managed memory, carried out on pages and lines.
 *
 * order.c reports which streams are active and which state a buffer has.
 * Whether the CPU may touch a buffer follows from the group that the buffer is
 * in (kmod/model/right.h); while an attach is in flight it is set for the
 * buffer alone. A fault needs nothing else. These facts have a lock of their
 * own, the rights lock, so that a fault does not wait for a call of the
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

static struct embedded_ctx *ctx_of(const struct embedded_buf *buf)
{
	return embedded_ctx_of(buf->base.ctx);
}

static struct embedded_buf *buf_of(struct right_buf *right)
{
	return containerof(right, struct embedded_buf, right);
}

/**
 * rights_stream_init() - make the rights of a stream
 * @stream: out
 * @id: number of the stream
 */
void rights_stream_init(struct rights_stream *stream, uint64_t id)
{
	memset(stream, 0, sizeof(*stream));
	stream->id = id;
	right_group_init(&stream->group);
	list_init(&stream->in_active);
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

static void revoke_buf(struct embedded_buf *buf)
{
	pthread_mutex_lock(&buf->lock);
	if (buf->has_two_views)
		view_revoke(buf, 0, buf->nr_pages);
	else
		window_protect(buf->first, buf->nr_pages, PAGE_NO_ACCESS);
	pthread_mutex_unlock(&buf->lock);
}

/* The buffer's lock is held. */
static void clean_locked(struct embedded_buf *buf)
{
	struct embedded_ctx *ctx = ctx_of(buf);

	rights_lock(ctx);
	right_set_dirty(&buf->right, false);
	buf->is_by_right = false;
	rights_unlock(ctx);
	view_clean(buf, 0, buf->base.len);
}

static void clean_buf(struct embedded_buf *buf)
{
	pthread_mutex_lock(&buf->lock);
	if (buf->right.is_dirty)
		clean_locked(buf);
	pthread_mutex_unlock(&buf->lock);
}

/*
 * What the CPU stored by right, and no job has seen since, is not lost: work
 * that never gets to the buffer may stand for one that did.
 */
static void drop_lines(struct embedded_buf *buf)
{
	struct embedded_ctx *ctx = ctx_of(buf);

	if (!buf->has_two_views)
		return;
	pthread_mutex_lock(&buf->lock);
	if (buf->right.is_dirty && buf->is_by_right)
		clean_locked(buf);
	view_invalidate(buf, 0, buf->base.len);
	rights_lock(ctx);
	right_set_lines(&buf->right, view_has_lines(buf) ? RIGHT_CACHED :
							   RIGHT_NO_LINES);
	rights_unlock(ctx);
	pthread_mutex_unlock(&buf->lock);
}

/* Groups */

/* Where nothing is looked at, no touch needs to be seen. */
static bool is_off(const struct embedded_ctx *ctx)
{
	return ctx->policy == MEM_POLICY_OFF;
}

static enum right_lines lines_unmapped(const struct embedded_buf *buf)
{
	return buf->has_two_views ? RIGHT_CACHED : RIGHT_NO_LINES;
}

/*
 * With policy record a touch that is refused enters the list all the same: the
 * number ends the loop, whatever other threads touch.
 */
static void refuse_group(struct embedded_ctx *ctx, struct right_group *group)
{
	struct right_buf *right;
	u64 nr;

	rights_lock(ctx);
	right_group_refuse(group);
	nr = is_off(ctx) ? 0 : group->nr_mapped;
	while (nr-- && (right = right_group_mapped(group))) {
		right_set_lines(right, lines_unmapped(buf_of(right)));
		rights_unlock(ctx);
		revoke_buf(buf_of(right));
		rights_lock(ctx);
	}
	rights_unlock(ctx);
}

static bool is_drop_due(const struct embedded_buf *buf)
{
	return right_is_due(&buf->right) || buf->nr_to_drop;
}

static void drop_by_group(struct embedded_buf *buf)
{
	struct embedded_ctx *ctx = ctx_of(buf);

	rights_lock(ctx);
	buf->nr_dropped += right_is_due(&buf->right);
	rights_unlock(ctx);
	drop_lines(buf);
}

static void drop_listed(struct embedded_ctx *ctx, struct right_group *group,
			struct right_buf *(*first)(struct right_group *group),
			u64 nr)
{
	struct right_buf *right;

	rights_lock(ctx);
	while (nr-- && (right = first(group))) {
		if (is_drop_due(buf_of(right))) {
			rights_unlock(ctx);
			drop_by_group(buf_of(right));
			rights_lock(ctx);
		} else {
			/* To the end of the list. */
			right_set_lines(right, right->lines);
		}
	}
	rights_unlock(ctx);
}

/*
 * Where maintenance is reported, that of buffers that have no lines is, too: it
 * is redundant.
 */
static void drop_all(struct right_group *group)
{
	struct right_buf *right = NULL;

	while ((right = right_group_next(group, right)))
		if (is_drop_due(buf_of(right)))
			drop_by_group(buf_of(right));
}

static void allow_group(struct embedded_ctx *ctx, struct right_group *group,
			bool again)
{
	struct right_sum cleaned;

	if (ctx->attach.class == ATTACH_NONCOHERENT) {
		if (watch_is_on()) {
			drop_all(group);
		} else {
			drop_listed(ctx, group, right_group_cached,
				    group->nr_cached);
			drop_listed(ctx, group, right_group_mapped,
				    group->nr_mapped);
		}
	}
	rights_lock(ctx);
	right_group_allow(group, again, &cleaned);
	rights_unlock(ctx);
}

/**
 * rights_stream_set() - a stream has become active, or idle
 * @ctx: context
 * @stream: stream
 * @is_active: it has become that
 * @again_own: of its own buffers, what is due now is due the next time, too
 * @again_all: the same of the global ones
 *
 * Context: the order lock is held.
 */
void rights_stream_set(struct embedded_ctx *ctx, struct rights_stream *stream,
		       bool is_active, bool again_own, bool again_all)
{
	const bool was_any_active = !list_is_empty(&ctx->actives);

	if (is_active) {
		rights_lock(ctx);
		list_append(&ctx->actives, &stream->in_active);
		rights_unlock(ctx);
		refuse_group(ctx, &stream->group);
		if (!was_any_active)
			refuse_group(ctx, &ctx->globals);
		return;
	}
	allow_group(ctx, &stream->group, again_own);
	/* Until it is allowed, a fault names the stream that forbids it. */
	if (ctx->actives.next->next == &ctx->actives)
		allow_group(ctx, &ctx->globals, again_all);
	rights_lock(ctx);
	list_remove(&stream->in_active);
	rights_unlock(ctx);
}

/* Attaches */

static void do_later(struct embedded_ctx *ctx, struct embedded_buf *buf)
{
	embedded_buf_get(buf);
	ctx->reach->bufs[ctx->reach->nr++] = buf;
}

/* The right of one buffer that is in no group. */
static void refuse_buf(struct embedded_ctx *ctx, struct embedded_buf *buf)
{
	bool was_mapped;

	rights_lock(ctx);
	buf->right.is_refused = true;
	was_mapped = buf->right.lines == RIGHT_MAPPED && !is_off(ctx);
	if (was_mapped)
		right_set_lines(&buf->right, lines_unmapped(buf));
	rights_unlock(ctx);
	if (was_mapped)
		revoke_buf(buf);
}

static void allow_buf(struct embedded_ctx *ctx, struct embedded_buf *buf)
{
	rights_lock(ctx);
	buf->right.is_refused = false;
	rights_unlock(ctx);
}

/* Takes over what the model has changed about the buffer's group or blocker. */
static void regroup(struct embedded_ctx *ctx, struct embedded_buf *buf,
		    u32 what)
{
	struct attach_buf *attach = &buf->attach;

	rights_lock(ctx);
	if (what & ATTACH_LEAVE)
		right_leave(&buf->right);
	if (what & ATTACH_BLOCKER)
		buf->blocker = order_rights(ctx, attach->blocker);
	if (what & ATTACH_JOIN) {
		buf->blocker = NULL;
		buf->right.is_due = right_is_due(&attach->right);
		if (attach->base.kind == ATTACH_GLOBAL)
			right_join(&ctx->globals, &buf->right);
		else if (attach->base.kind == ATTACH_SINGLE)
			right_join(&order_rights(ctx,
						 attach->base.stream)->group,
				   &buf->right);
	}
	rights_unlock(ctx);
}

/**
 * rights_act() - carry out what an attach makes due for a buffer
 * @ctx: context
 * @buf: buffer
 * @what: ATTACH_*, as attach_ctx.act has it
 *
 * What the CPU stores until the stream comes to a prefetch belongs to that,
 * too; what it had stored is cleaned at once, as a wait may drop lines before.
 *
 * Context: the order lock is held.
 */
void rights_act(struct embedded_ctx *ctx, struct embedded_buf *buf, u32 what)
{
	if (what & (ATTACH_LEAVE | ATTACH_BLOCKER | ATTACH_JOIN))
		regroup(ctx, buf, what);
	if (what & ATTACH_PREFETCH_TO_CPU && what & ATTACH_CPU_INVALIDATE) {
		buf->nr_to_drop++;
		do_later(ctx, buf);
		what &= ~ATTACH_CPU_INVALIDATE;
	}
	if (what & ATTACH_PREFETCH_TO_GPU && what & ATTACH_CLEAN) {
		ctx->reach->is_clean = true;
		do_later(ctx, buf);
		clean_buf(buf);
	}
	if (what & ATTACH_REVOKE)
		refuse_buf(ctx, buf);
	/* It may be touchable before the stream comes to the prefetch. */
	if (what & ATTACH_CPU_INVALIDATE ||
	    (what & ATTACH_RESTORE && buf->nr_to_drop))
		drop_lines(buf);
	if (what & ATTACH_RESTORE)
		allow_buf(ctx, buf);
}

/**
 * rights_reach() - a stream has come to an attach
 * @reach: what is due
 *
 * Context: the order lock is held.
 */
void rights_reach(const struct reach *reach)
{
	size_t i;

	for (i = 0; i < reach->nr; i++) {
		struct embedded_buf *buf = reach->bufs[i];

		if (reach->is_clean) {
			clean_buf(buf);
			continue;
		}
		buf->nr_to_drop--;
		drop_lines(buf);
	}
}

/* Jobs */

/**
 * rights_work_submit() - a job of a stream has been submitted
 * @ctx: context
 * @stream: stream
 * @acting: the job; faults name it from now on
 *
 * Context: the order lock is held.
 */
void rights_work_submit(struct embedded_ctx *ctx, struct rights_stream *stream,
			const struct acting *acting)
{
	rights_lock(ctx);
	stream->newest = *acting;
	right_group_job(&ctx->globals);
	right_group_job(&stream->group);
	rights_unlock(ctx);
}

static void clean_group(struct embedded_ctx *ctx, struct right_group *group,
			const struct work *work)
{
	struct right_buf *right, *next;

	rights_lock(ctx);
	for (right = right_group_dirty(group, NULL); right; right = next) {
		/* Faults only add to the list. */
		next = right_group_dirty(group, right);
		rights_unlock(ctx);
		if (order_work_sees(ctx, work, buf_of(right)))
			clean_buf(buf_of(right));
		rights_lock(ctx);
	}
	rights_unlock(ctx);
}

/**
 * rights_work_begin() - a job starts: what it sees is cleaned
 * @ctx: context
 * @work: job
 *
 * It sees its groups, but for buffers that have a verdict of their own.
 *
 * Context: the order lock is held.
 */
void rights_work_begin(struct embedded_ctx *ctx, const struct work *work)
{
	size_t i;

	for (i = 0; i < work->nr_verdicts; i++)
		if (work->verdicts[i].buf && work->verdicts[i].sees)
			clean_buf(work->verdicts[i].buf);
	clean_group(ctx, &ctx->globals, work);
	clean_group(ctx, &order_rights(ctx, work->stream)->group, work);
}

/* Buffers */

/**
 * rights_buf_create() - a managed buffer begins
 * @ctx: context
 * @buf: buffer that the model has
 *
 * Context: the order lock is held.
 */
void rights_buf_create(struct embedded_ctx *ctx, struct embedded_buf *buf)
{
	right_buf_init(&buf->right, buf->base.asked_len);
	regroup(ctx, buf, ATTACH_JOIN);
}

/**
 * rights_buf_destroy() - a managed buffer ends
 * @ctx: context
 * @buf: buffer that no job touches any more
 *
 * Context: the order lock is held.
 */
void rights_buf_destroy(struct embedded_ctx *ctx, struct embedded_buf *buf)
{
	rights_lock(ctx);
	right_leave(&buf->right);
	right_set_dirty(&buf->right, false);
	rights_unlock(ctx);
}

/**
 * rights_attached() - remember how a buffer came to its attach state
 * @buf: buffer
 * @how: from watch_attached_now()
 * @attach: MEM_ATTACH_*
 *
 * Context: the order lock is held.
 */
void rights_attached(struct embedded_buf *buf, const struct tell_attach *how,
		     uint32_t attach)
{
	struct embedded_ctx *ctx = ctx_of(buf);

	rights_lock(ctx);
	memmove(buf->attaches + 1, buf->attaches,
		sizeof(buf->attaches) - sizeof(buf->attaches[0]));
	buf->attaches[0] = *how;
	buf->attaches[0].attach = attach;
	rights_unlock(ctx);
}

/**
 * rights_nr_refused() - how often the CPU touched what it might not
 * @ctx: context
 * @buf: buffer of it, or NULL: any
 *
 * Context: all signals are blocked.
 * Return: that.
 */
uint64_t rights_nr_refused(struct embedded_ctx *ctx,
			   const struct embedded_buf *buf)
{
	uint64_t nr;

	rights_lock(ctx);
	nr = buf ? buf->nr_refused : ctx->nr_refused;
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
	struct embedded_ctx *ctx = ctx_of(buf);
	struct right_tally tally;
	uint64_t nr;

	if (ctx->attach.class != ATTACH_NONCOHERENT)
		return 0;
	rights_lock(ctx);
	right_tally_of(&buf->right, &tally);
	nr = tally.gpu_cleans - buf->nr_dropped;
	rights_unlock(ctx);
	return nr;
}

/* Touches; the buffer's lock is held. */

static void enter(struct embedded_buf *buf, bool is_write, bool is_by_right)
{
	if (buf->right.lines != RIGHT_MAPPED)
		right_set_lines(&buf->right, RIGHT_MAPPED);
	if (!is_write || !buf->has_two_views)
		return;
	right_set_dirty(&buf->right, true);
	buf->is_by_right |= is_by_right;
}

/* The stream that the CPU has to wait for; NULL: it has become idle. */
static const struct rights_stream *blocker_of(struct embedded_ctx *ctx,
					      const struct embedded_buf *buf)
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

static void refuse(struct embedded_ctx *ctx, struct embedded_buf *buf,
		   struct refusal *refusal)
{
	const struct rights_stream *blocker = blocker_of(ctx, buf);

	buf->nr_refused++;
	ctx->nr_refused++;
	memcpy(refusal->attaches, buf->attaches, sizeof(refusal->attaches));
	memset(&refusal->newest, 0, sizeof(refusal->newest));
	refusal->stream = 0;
	if (blocker) {
		refusal->stream = blocker->id;
		refusal->newest = blocker->newest;
	}
}

/**
 * rights_touch() - the CPU touches managed memory: may it?
 * @buf: buffer
 * @is_write: it stores
 * @refusal: out: why not
 *
 * If it may, or the policy lets it all the same, the page can be made
 * accessible while the buffer stays locked.
 *
 * Context: signal handlers too; the buffer's lock is held.
 * Return: true if it may.
 */
bool rights_touch(struct embedded_buf *buf, bool is_write,
		  struct refusal *refusal)
{
	struct embedded_ctx *ctx = ctx_of(buf);
	bool is_allowed;

	rights_lock(ctx);
	is_allowed = !right_is_refused(&buf->right);
	if (!is_allowed)
		refuse(ctx, buf, refusal);
	if (is_allowed || ctx->policy != MEM_POLICY_STRICT)
		enter(buf, is_write, is_allowed);
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
	struct embedded_ctx *ctx = ctx_of(buf);

	rights_lock(ctx);
	enter(buf, is_write, false);
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
	struct embedded_ctx *ctx = ctx_of(buf);

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
	struct embedded_ctx *ctx = ctx_of(buf);

	if (buf->is_lent)
		return;
	buf->is_lent = true;
	rights_lock(ctx);
	list_append(&ctx->lent, &buf->in_lent);
	rights_unlock(ctx);
}

static struct embedded_buf *lent_next(struct embedded_ctx *ctx)
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
	while ((buf = lent_next(ctx))) {
		pthread_mutex_lock(&buf->lock);
		buf->is_lent = false;
		window_protect(buf->first, buf->nr_pages, PAGE_NO_ACCESS);
		pthread_mutex_unlock(&buf->lock);
		embedded_buf_put(buf);
	}
	signals_restore(&old);
}
