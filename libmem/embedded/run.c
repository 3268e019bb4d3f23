// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Kernels, copies and fills. A kernel runs in an engine's process, which sends
 * a request at its first touch of each buffer. Copies and fills use the alias
 * of DRAM.
 *
 * A buffer of a heap is unmapped from the engine after each job, so that the
 * next job's touches are checked for Dirty lines again.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "embedded.h"

/* Longest pinned memory whose pages are each checked at their first touch. */
#define MAX_PAGES_ATOMIC	16

/**
 * run_init() - initialise the engines of a context
 * @ctx: context
 */
void run_init(struct embedded_ctx *ctx)
{
	unsigned int i;

	for (i = 0; i < NR_ENGINES; i++) {
		ctx->owners[i].ctx = ctx;
		grants_init(&ctx->owners[i].grants, i);
	}
}

/**
 * run_fini() - end the engines of a context
 * @ctx: context without work
 */
void run_fini(struct embedded_ctx *ctx)
{
	unsigned int i;

	for (i = 0; i < NR_ENGINES; i++) {
		if (ctx->owners[i].engine)
			engine_destroy(ctx->owners[i].engine);
		grants_fini(&ctx->owners[i].grants);
	}
}

/* Buffers that an engine has mapped */

static struct embedded_buf *run_granted_next(struct owner *owner,
					     struct embedded_buf *buf)
{
	struct granted *next = grants_next(&owner->grants,
					   buf ? &buf->granted : NULL);

	return next ? containerof(next, struct embedded_buf, granted) : NULL;
}

static struct engine_grant run_grant_of(const struct embedded_buf *buf,
					enum engine_access access)
{
	return (struct engine_grant) {
		.off = window_off(buf),
		.len = buf->base.len,
		.access = access,
		.file = buf->file,
		.fd_off = buf->fd_off,
	};
}

/*
 * If there is no memory to unmap the buffer, the next job gets a new engine. So
 * it does if the buffer has got or loses a file of its own: unmapping does not
 * replace the file that the engine has mapped.
 */
static void run_hide(struct owner *owner, struct embedded_buf *buf)
{
	if (grants_hide(&owner->grants, &buf->granted, window_off(buf),
			buf->base.len) || buf->file.nr >= 0)
		owner->is_unsafe = true;
}

/* The caller must hold the order lock. */
static void run_forget_locked(struct embedded_ctx *ctx,
			      struct embedded_buf *buf)
{
	unsigned int i;

	for (i = 0; i < NR_ENGINES; i++)
		if (grants_has(&ctx->owners[i].grants, &buf->granted))
			run_hide(&ctx->owners[i], buf);
}

/**
 * run_forget() - unmap a buffer from all engines: it gets a file of its own
 * @ctx: context
 * @buf: buffer that no work uses
 */
void run_forget(struct embedded_ctx *ctx, struct embedded_buf *buf)
{
	sigset_t old;

	order_lock(&ctx->base, &old);
	run_forget_locked(ctx, buf);
	order_unlock(&ctx->base, &old);
}

/**
 * run_forget_freed() - unmap a buffer that is freed from all engines
 * @ctx: context
 * @buf: buffer, which a running job may be using
 *
 * Engines cannot map it any more, even while references to it exist.
 */
void run_forget_freed(struct embedded_ctx *ctx, struct embedded_buf *buf)
{
	sigset_t old;

	order_lock(&ctx->base, &old);
	buf->is_freed = true;
	run_forget_locked(ctx, buf);
	order_unlock(&ctx->base, &old);
}

/* Returns true if a running engine has mapped it, or a copy or fill uses it. */
static bool run_is_in_use(struct embedded_ctx *ctx, struct embedded_buf *buf)
{
	unsigned int i;
	bool ret;

	for (i = 0; i < NR_ENGINES; i++)
		if (ctx->owners[i].is_running &&
		    grants_has(&ctx->owners[i].grants, &buf->granted))
			return true;
	pthread_mutex_lock(&buf->lock);
	ret = buf->nr_copies;
	pthread_mutex_unlock(&buf->lock);
	return ret;
}

/**
 * run_keep_away() - wait until no engine uses a heap's buffer, and exclude them
 * @ctx: its context
 * @buf: buffer
 * @old: out: for run_let_come()
 *
 * Work that is queued remains queued.
 *
 * Context: takes the order lock, which is held on success.
 * Return: 0, or -ETIMEDOUT if kernels or copies that use it have not ended.
 */
int run_keep_away(struct embedded_ctx *ctx, struct embedded_buf *buf,
		  sigset_t *old)
{
	const uint64_t deadline = now_ns() + ENGINE_WAIT_NS;
	unsigned int seen;
	int err = 0;

	order_lock(&ctx->base, old);
	buf->nr_moving++;
	for (;;) {
		seen = atomic_load(&buf->nr_done);
		if (!run_is_in_use(ctx, buf))
			return 0;
		if (err)
			break;
		order_unlock(&ctx->base, old);
		err = done_wait(&buf->nr_done, seen, deadline);
		order_lock(&ctx->base, old);
	}
	buf->nr_moving--;
	order_unlock(&ctx->base, old);
	return err;
}

/**
 * run_let_come() - let engines use a buffer again
 * @ctx: context
 * @buf: buffer
 * @has_moved: the buffer has got a file of its own
 * @old: signal mask from run_keep_away()
 */
void run_let_come(struct embedded_ctx *ctx, struct embedded_buf *buf,
		  bool has_moved, const sigset_t *old)
{
	buf->nr_moving--;
	if (has_moved)
		run_forget_locked(ctx, buf);
	order_unlock(&ctx->base, old);
}

/* Returns true if the job may use a buffer that the previous one has mapped. */
static bool run_may_keep(struct owner *owner, struct embedded_buf *buf)
{
	struct embedded_ctx *ctx = owner->ctx;

	if (buf->gate || buf->base.race)
		return false;
	if (is_heaps(&buf->base))
		return !buf->has_two_views && !buf->nr_moving;
	if (atomic_is_looked_for(buf))
		return false;
	return buf->base.kind != MEM_KIND_MANAGED ||
	       order_work_sees(&ctx->base, owner->work, &buf->base);
}

/* Before a job: unmaps buffers that it may not use, and checks the others. */
static struct engine_grant *run_before_job(struct owner *owner,
					   size_t *nr_hidden)
{
	struct embedded_ctx *ctx = owner->ctx;
	struct embedded_buf *buf, *next;
	struct engine_grant *hidden;
	sigset_t old;

	order_lock(&ctx->base, &old);
	for (buf = run_granted_next(owner, NULL); buf; buf = next) {
		next = run_granted_next(owner, buf);
		if (!is_heaps(&buf->base))
			ptr_look_behind(buf, NULL);
		if (!run_may_keep(owner, buf))
			run_hide(owner, buf);
	}
	hidden = grants_take_hidden(&owner->grants, nr_hidden);
	owner->is_running = true;
	order_unlock(&ctx->base, &old);
	return hidden;
}

static void run_after_job(struct owner *owner)
{
	struct embedded_ctx *ctx = owner->ctx;
	struct embedded_buf *buf;
	sigset_t old;

	order_lock(&ctx->base, &old);
	owner->is_running = false;
	for (buf = run_granted_next(owner, NULL); buf;
	     buf = run_granted_next(owner, buf)) {
		if (!is_heaps(&buf->base))
			ptr_look_behind(buf, owner->work);
		else if (buf->nr_moving)
			done_add(&buf->nr_done);
	}
	order_unlock(&ctx->base, &old);
}

/* Managed memory: a touch that is not allowed is reported, and carried out. */
static void run_judge_touch(struct owner *owner, struct embedded_buf *buf,
			    const struct engine_touch *touch)
{
	struct mem_ctx *ctx = &owner->ctx->base;
	bool is_news;

	if (!order_job_sees(ctx, owner->work, &buf->base, &is_news) && is_news)
		watch_not_attached(buf, touch->off - window_off(buf),
				   touch->is_write, touch->ip, owner->work);
}

/* A heap's buffer: Dirty lines are reported at the first touch. */
static void run_judge_lines(struct owner *owner, struct embedded_buf *buf,
			    const struct engine_touch *touch,
			    struct engine_grant *grant)
{
	const uint64_t page_size = 1ULL << window_page_shift();
	const uint64_t off = touch->off - window_off(buf);
	const uint64_t page = off & ~(page_size - 1);
	const uint64_t line = off >> buf->lines.line_shift
				  << buf->lines.line_shift;
	uint64_t len;

	pthread_mutex_lock(&buf->lock);
	len = view_clean_run(buf, page);
	if (!len) {
		buf->acting = owner->work->acting;
		line_engine_read(&buf->lines, line,
				 1ULL << buf->lines.line_shift, NULL);
		len = page_size;
	}
	pthread_mutex_unlock(&buf->lock);
	grant->off = window_off(buf) + page;
	grant->len = len;
}

/*
 * Checks for an atomic instruction: at the first touch of each page of a small
 * buffer, or at the first touch of a larger one.
 */
static void run_judge_atomic(struct owner *owner, struct embedded_buf *buf,
			     const struct engine_touch *touch,
			     struct engine_grant *grant)
{
	const uint64_t page_size = 1ULL << window_page_shift();
	const struct touch at = {
		.off = touch->off - window_off(buf),
		.is_write = touch->is_write,
		.ip = touch->ip,
	};

	if (atomic_is_broken(buf, touch->ip))
		watch_atomic(buf, &at, owner->work);
	if (buf->nr_pages > MAX_PAGES_ATOMIC)
		return;
	grant->off = touch->off & ~(page_size - 1);
	grant->len = page_size;
}

/* Looks for races at the first read and the first store in each part. */
static void run_judge_race(struct owner *owner, struct embedded_buf *buf,
			   const struct engine_touch *touch,
			   struct engine_grant *grant)
{
	const uint64_t off = touch->off - window_off(buf);
	struct race_party party;

	if (race_touch(owner->work, &buf->base, off, touch->is_write, &party))
		watch_race(buf, off, touch->is_write, touch->ip, owner->work,
			   &party);
	grant->off = window_off(buf) +
		     race_part(&buf->base, off, &grant->len);
}

static enum engine_access run_access_of(const struct embedded_buf *buf,
					bool is_write)
{
	/* The first store calls the owner again. */
	if (buf->base.is_read_only || (!is_write && buf->base.race) ||
	    (!is_write && gate_allows_device(buf->gate, false) &&
	     !gate_allows_device(buf->gate, true)))
		return ENGINE_READ;
	return buf->has_two_views ? ENGINE_TRACKED : ENGINE_WRITE;
}

static int run_grant_buf(struct owner *owner, struct embedded_buf *buf,
			 const struct engine_touch *touch,
			 struct engine_grant *grant)
{
	if (buf->is_freed)
		return -EFAULT;
	owner->refused = grants_refusal(&owner->grants, &owner->ctx->base,
					&buf->base);
	if (!owner->refused && buf->base.is_read_only && touch->is_write)
		owner->refused = "read-only memory";
	if (owner->refused)
		return -EFAULT;
	*grant = run_grant_of(buf, run_access_of(buf, touch->is_write));
	if (!owner->work->is_own &&
	    !gate_allows_device(buf->gate, touch->is_write))
		watch_gate_engine(buf, touch->off - window_off(buf),
				  touch->is_write, touch->ip, owner->work);
	if (buf->base.kind == MEM_KIND_MANAGED)
		run_judge_touch(owner, buf, touch);
	else if (buf->has_two_views)
		run_judge_lines(owner, buf, touch, grant);
	else if (buf->base.race)
		run_judge_race(owner, buf, touch, grant);
	else if (atomic_is_looked_for(buf))
		run_judge_atomic(owner, buf, touch, grant);
	grants_add(&owner->grants, &buf->granted);
	return 0;
}

static int run_on_touch(void *arg, const struct engine_touch *touch,
			struct engine_grant *grant)
{
	struct owner *owner = arg;
	struct embedded_buf *buf;
	sigset_t old;
	int err;

	order_lock(&owner->ctx->base, &old);
	buf = window_find_buf(window_addr(touch->off));
	err = buf ? run_grant_buf(owner, buf, touch, grant) : -EFAULT;
	order_unlock(&owner->ctx->base, &old);
	if (buf)
		embedded_buf_put(buf);
	return err;
}

/* A run may contain several neighbouring buffers. */
static void run_on_written(void *arg, uint64_t off, uint64_t len,
			   bool is_changed)
{
	struct owner *owner = arg;
	const uint64_t end = off + len;

	while (off < end) {
		struct embedded_buf *buf;
		uint64_t in, part;
		sigset_t old;

		signals_block(&old);
		buf = window_lock_buf(window_addr(off));
		if (!buf) {
			signals_restore(&old);
			return;
		}
		in = off - window_off(buf);
		part = buf->base.len - in;
		if (part > end - off)
			part = end - off;
		if (buf->has_two_views)
			view_engine_wrote(buf, in, part, window_before(off),
					  is_changed, &owner->work->acting);
		buf_unlock(buf, &old);
		embedded_buf_put(buf);
		off += part;
	}
}

static const struct engine_ops ops = {
	.touch = run_on_touch,
	.written = run_on_written,
};

static int owner_start(struct owner *owner)
{
	struct engine_window window;

	if (owner->is_unsafe) {
		engine_destroy(owner->engine);
		owner->engine = NULL;
		owner->is_unsafe = false;
	}
	if (owner->engine)
		return 0;
	window_for_engine(&window);
	window.is_inline = owner->ctx->base.board->has_pageable_access;
	return engine_create(engine_name(owner->grants.at), &window, &ops,
			     owner, &owner->engine);
}

/**
 * run_kernel() - run a kernel and wait for its end
 * @base: context
 * @work: work of the kernel
 * @launch: launch of the kernel
 *
 * Context: the thread of the engine.
 * Return: 0, or @status of struct engine_result.
 */
int run_kernel(struct mem_ctx *base, struct work *work,
	       const struct mem_launch *launch)
{
	struct embedded_ctx *ctx = embedded_ctx_of(base);
	struct owner *owner = &ctx->owners[launch->engine];
	struct engine_result result = { 0 };
	struct engine_grant *hidden;
	struct engine_job job = engine_job_of(launch);
	int err;

	err = order_work_begin(base, work);
	if (err)
		return err;
	owner->work = work;
	owner->refused = NULL;
	hidden = run_before_job(owner, &job.nr_changes);
	job.changes = hidden;
	err = owner_start(owner);
	if (err) {
		run_after_job(owner);
		goto out;
	}
	trace_job_begin(&work->acting, NULL);
	atomic_fetch_add(&ctx->nr_running, 1);
	engine_run(owner->engine, &job, &result);
	atomic_fetch_sub(&ctx->nr_running, 1);
	run_after_job(owner);
	rights_take_back(ctx);
	trace_job_end(&work->acting, result.status);
	if (engine_is_failed(&result))
		watch_failed(&result, work, owner->refused);
	err = result.status;
out:
	free(hidden);
	return err;
}

/* Copies and fills */

/**
 * struct copy_side - a side of a copy
 * @buf: buffer whose device view differs from the CPU view and is used; else
 *	NULL
 * @at: address at which to access the first byte
 * @off: offset of the first byte in @buf
 * @pitch: bytes from row to row
 */
struct copy_side {
	struct embedded_buf *buf;
	uint8_t *at;
	uint64_t off;
	uint64_t pitch;
};

/* Uses the alias of DRAM, except for memory of the CPU. */
static struct copy_side side_of(struct mem_buf *base, const void *ptr,
				bool is_device, uint64_t pitch)
{
	struct copy_side side = { .at = (uint8_t *)ptr, .pitch = pitch };
	struct embedded_buf *buf;

	if (!base || (base->kind == MEM_KIND_MANAGED && !is_device))
		return side;
	buf = embedded_buf_of(base);
	side.off = window_has((uintptr_t)ptr) ?
		   (uintptr_t)ptr - (uintptr_t)buf->addr :
		   (uintptr_t)ptr - ((uintptr_t)base->host >>
				     window_page_shift()
				     << window_page_shift());
	side.at = buf->dram + side.off;
	if (buf->has_two_views)
		side.buf = buf;
	return side;
}

static void side_read(const struct copy_side *side, uint64_t off, uint64_t len,
		      const struct acting *acting)
{
	struct embedded_buf *buf = side->buf;
	sigset_t old;

	if (!buf)
		return;
	buf_lock(buf, &old);
	buf->acting = *acting;
	if (buf->has_two_views)
		view_engine_access(buf, off, len, NULL, line_engine_read);
	buf_unlock(buf, &old);
}

/* A heap's buffer is not moved while a copy uses it. */
static void run_copy_begin(struct mem_buf *base)
{
	struct embedded_buf *buf = base ? embedded_buf_of(base) : NULL;
	sigset_t old;

	if (!buf || !is_heaps(&buf->base))
		return;
	buf_lock(buf, &old);
	buf->nr_copies++;
	buf_unlock(buf, &old);
}

static void run_copy_end(struct mem_buf *base)
{
	struct embedded_buf *buf = base ? embedded_buf_of(base) : NULL;
	sigset_t old;

	if (!buf || !is_heaps(&buf->base))
		return;
	buf_lock(buf, &old);
	buf->nr_copies--;
	buf_unlock(buf, &old);
	done_add(&buf->nr_done);
}

/* Pages get twins and are revoked before lines are reported. */
static void side_write(const struct copy_side *side, uint64_t off,
		       uint64_t len, const struct acting *acting)
{
	struct embedded_buf *buf = side->buf;
	sigset_t old;

	if (!buf)
		return;
	buf_lock(buf, &old);
	buf->acting = *acting;
	if (buf->has_two_views) {
		view_engine_begin_write(buf, off, len);
		line_engine_write(&buf->lines, off, len, NULL);
	}
	buf_unlock(buf, &old);
}

static void run_move(uint8_t *to, const uint8_t *from, uint8_t value,
		     uint64_t len)
{
	if (from)
		memmove(to, from, len);
	else
		memset(to, value, len);
}

/* Reports a copy or fill of the program that a gate does not allow. */
static void run_judge_gate(struct mem_buf *base, const struct copy_side *side,
			   bool is_write, const struct work *work)
{
	struct embedded_buf *buf = base ? embedded_buf_of(base) : NULL;

	if (buf && work && !gate_is_own() &&
	    !gate_allows_device(buf->gate, is_write))
		watch_gate_engine(buf, side->off, is_write, 0, work);
}

/* Looks for a race of a copy or fill. */
static void run_judge_copy(struct mem_buf *base, const struct copy_side *side,
			   const struct mem_rows *rows, bool is_write,
			   const struct work *work)
{
	const struct race_rows part = {
		.off = side->off,
		.pitch = side->pitch,
		.len = rows->row_len,
		.nr = rows->nr_rows,
	};
	struct race_party party;

	if (base && work && race_copy(work, base, &part, is_write, &party))
		watch_race(embedded_buf_of(base), side->off, is_write, 0, work,
			   &party);
}

static void run_trace_copy(const struct work *work, const struct copy *copy)
{
	const struct mem_rows *rows = &copy->rows;
	struct traced what = {
		.op = rows->src ? JOB_COPY : JOB_FILL,
		.bytes = rows->row_len * rows->nr_rows,
	};

	if (copy->dst)
		what.dst = embedded_buf_of(copy->dst);
	if (copy->src)
		what.src = embedded_buf_of(copy->src);
	what.len = what.bytes;
	trace_job_begin(&work->acting, &what);
}

/**
 * run_copy() - carry out a copy or fill
 * @ctx: context
 * @work: its work; NULL: no engine does it
 * @copy: copy
 *
 * Memory of the CPU is touched like in any other code.
 *
 * Context: the dma engine's thread, or the caller of mem_copy().
 * Return: 0, or -errno of order_work_begin().
 */
int run_copy(struct mem_ctx *ctx, struct work *work, const struct copy *copy)
{
	static const struct acting nobody;
	const struct acting *acting = work ? &work->acting : &nobody;
	const struct mem_rows *rows = &copy->rows;
	const struct copy_side dst = side_of(copy->dst, rows->dst,
					     copy->dst_is_device,
					     rows->dst_pitch);
	const struct copy_side src = side_of(copy->src, rows->src,
					     copy->src_is_device,
					     rows->src_pitch);
	uint64_t i;
	int err = 0;

	run_copy_begin(copy->dst);
	run_copy_begin(copy->src);
	if (work) {
		run_trace_copy(work, copy);
		err = order_work_begin(ctx, work);
	}
	if (err)
		goto out;
	run_judge_gate(copy->src, &src, false, work);
	run_judge_gate(copy->dst, &dst, true, work);
	run_judge_copy(copy->src, &src, rows, false, work);
	run_judge_copy(copy->dst, &dst, rows, true, work);
	for (i = 0; i < rows->nr_rows; i++) {
		const uint64_t from = i * src.pitch, to = i * dst.pitch;

		if (rows->src)
			side_read(&src, src.off + from, rows->row_len, acting);
		side_write(&dst, dst.off + to, rows->row_len, acting);
		run_move(dst.at + to, rows->src ? src.at + from : NULL,
			 copy->value, rows->row_len);
	}
out:
	if (work)
		trace_job_end(&work->acting, err);
	run_copy_end(copy->src);
	run_copy_end(copy->dst);
	return err;
}
