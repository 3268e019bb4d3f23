// SPDX-License-Identifier: GPL-2.0-only
/*
 * A host of the model that keeps groups of buffers, as a backend does. It is
 * called for streams and for single buffers, and revokes pages and drops lines
 * only of the buffers in its lists. It must not miss a page or line that the
 * reference revokes or drops.
 */
#include <list.h>

#include "attach_run.h"

static struct run *run_of(struct attach_ctx *ctx)
{
	return (struct run *)((char *)ctx - offsetof(struct run, ctx));
}

/**
 * groups_are_used() - check whether the program runs for this host
 * @run: program
 *
 * Return: true if it does.
 */
bool groups_are_used(const struct run *run)
{
	return run->ctx.stream_changed;
}

static struct right_group *group_of(struct run *run, struct attach_stream *s)
{
	return s == &run->ctx.null_stream ? &run->null_group :
					    &((struct own *)s)->group;
}

static struct buf *buf_of(struct right_buf *right)
{
	return (struct buf *)((char *)right - offsetof(struct buf, right));
}

static void take_pages(struct buf *b)
{
	b->has_pages = false;
	right_set_lines(&b->right, RIGHT_CACHED);
}

static void drop(struct buf *b)
{
	b->has_pages = false;
	b->has_lines = false;
	right_set_lines(&b->right, RIGHT_NO_LINES);
}

static void refuse_group(struct right_group *group)
{
	struct right_buf *right;

	right_group_refuse(group);
	while ((right = right_group_mapped(group)))
		take_pages(buf_of(right));
}

static void drop_listed(struct right_group *group,
			struct right_buf *(*first)(struct right_group *g),
			u64 nr)
{
	while (nr--) {
		struct right_buf *right = first(group);

		assert_non_null(right);
		if (right_is_due(right))
			drop(buf_of(right));
		else
			right_set_lines(right, right->lines);
	}
}

static void allow_group(struct run *run, struct right_group *group, bool again)
{
	struct right_sum cleaned;

	if (run->ctx.class == ATTACH_NONCOHERENT) {
		drop_listed(group, right_group_cached, group->nr_cached);
		drop_listed(group, right_group_mapped, group->nr_mapped);
	}
	right_group_allow(group, again, &cleaned);
}

static void stream_changed(struct attach_ctx *ctx, struct attach_stream *s,
			   bool again_own, bool again_all)
{
	struct run *run = run_of(ctx);

	if (s->is_active) {
		refuse_group(group_of(run, s));
		if (!run->nr_active++)
			refuse_group(&run->globals);
		return;
	}
	allow_group(run, group_of(run, s), again_own);
	if (!--run->nr_active)
		allow_group(run, &run->globals, again_all);
}

/**
 * groups_join() - add a buffer that has no attach in flight any more to a group
 * @run: program
 * @b: buffer
 */
void groups_join(struct run *run, struct buf *b)
{
	const struct attach_state *state = &b->model.base;

	b->right.is_due = right_is_due(&b->model.right);
	if (state->kind == ATTACH_GLOBAL)
		right_join(&run->globals, &b->right);
	else if (state->kind == ATTACH_SINGLE)
		right_join(group_of(run, state->stream), &b->right);
}

static void act_on_one(struct attach_ctx *ctx, struct attach_buf *buf, u32 what)
{
	struct buf *b = (struct buf *)buf;

	act(ctx, buf, what);
	if (what & ATTACH_LEAVE)
		right_leave(&b->right);
	if (what & ATTACH_REVOKE) {
		b->right.is_refused = true;
		take_pages(b);
	}
	if (what & ATTACH_CPU_INVALIDATE)
		drop(b);
	if (what & ATTACH_RESTORE)
		b->right.is_refused = false;
	if (what & ATTACH_JOIN)
		groups_join(run_of(ctx), b);
}

static void touch(struct buf *b)
{
	b->has_pages = true;
	b->has_lines = true;
	right_set_lines(&b->right, RIGHT_MAPPED);
	right_set_dirty(&b->right, true);
}

static void clean_group(struct right_group *group)
{
	struct right_buf *right, *next;

	for (right = right_group_dirty(group, NULL); right; right = next) {
		next = right_group_dirty(group, right);
		right_set_dirty(right, false);
	}
	right_group_job(group);
}

/**
 * groups_see_job() - handle the submission of a job
 * @run: program
 * @s: stream of the job
 * @is_visible: for each buffer: the job may use it
 *
 * The job begins at once, and writes some of these buffers.
 */
void groups_see_job(struct run *run, struct attach_stream *s,
		    const bool *is_visible)
{
	size_t i;

	if (run->ctx.class == ATTACH_CONCURRENT)
		return;
	clean_group(&run->globals);
	clean_group(group_of(run, s));
	for (i = 0; i < NR_BUFS; i++) {
		struct buf *b = &run->bufs[i];

		if (!b->exists || !b->right.group)
			continue;
		if (is_visible[i])
			equal(run, "dirty for a job", b->right.is_dirty, 0);
		if (!is_visible[i] || below(run, 2))
			continue;
		b->has_lines = true;
		if (b->right.lines == RIGHT_NO_LINES)
			right_set_lines(&b->right, RIGHT_CACHED);
	}
}

/**
 * groups_compare() - compare a buffer with the reference
 * @run: program
 * @b: buffer
 *
 * After the comparison the CPU may access the buffer.
 */
void groups_compare(struct run *run, struct buf *b)
{
	const struct attach_ref_count *want = &run->ref->bufs[b->ref].count;
	struct right_tally tally;

	equal(run, "CPU may, by group", !right_is_refused(&b->right),
	      attach_ref_cpu_may(run->ref, b->ref));
	if (right_is_refused(&b->right))
		equal(run, "pages that are left", b->has_pages, 0);
	if (want->cpu_invalidates != b->invalidates)
		equal(run, "lines that are left", b->has_lines, 0);
	b->invalidates = want->cpu_invalidates;
	right_tally_of(&b->right, &tally);
	equal(run, "GPU cleans, by group",
	      tally.gpu_cleans + acted(b, ATTACH_GPU_CLEAN), want->gpu_cleans);
	/* The CPU may access the buffer at any time after the call. */
	if (!below(run, 3) && !right_is_refused(&b->right))
		touch(b);
}

/**
 * groups_init() - run a program for this host
 * @run: program that begins
 */
void groups_init(struct run *run)
{
	run->ctx.act = act_on_one;
	run->ctx.stream_changed = stream_changed;
	right_group_init(&run->globals);
	right_group_init(&run->null_group);
}
