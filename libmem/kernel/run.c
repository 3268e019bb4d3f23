// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Kernels, copies and fills. A kernel runs in an engine's process, which sends
 * a request at its first touch of each buffer, and maps its device view. Copies
 * and fills use these views, too. The module tracks the stores to them. A
 * heap's buffer with one view is its own device view; one with two views cannot
 * be accessed by engines: a kernel that touches it fails, which is reported.
 *
 * While an inline engine runs, the application's mappings show the device
 * views: accesses of other threads are not detected meanwhile.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

/**
 * kernel_run_init() - initialise the engines of a context
 * @ctx: context
 */
void kernel_run_init(struct kernel_ctx *ctx)
{
	unsigned int i;

	for (i = 0; i < NR_ENGINES; i++) {
		ctx->owners[i].ctx = ctx;
		pthread_mutex_init(&ctx->owners[i].run_lock, NULL);
		grants_init(&ctx->owners[i].grants, i);
	}
}

/**
 * kernel_run_fini() - end the engines of a context
 * @ctx: context without work
 */
void kernel_run_fini(struct kernel_ctx *ctx)
{
	unsigned int i;

	for (i = 0; i < NR_ENGINES; i++) {
		if (ctx->owners[i].engine)
			engine_destroy(ctx->owners[i].engine);
		grants_fini(&ctx->owners[i].grants);
		pthread_mutex_destroy(&ctx->owners[i].run_lock);
	}
}

/* Buffers that an engine has mapped */

static struct kernel_buf *run_granted_next(struct owner *owner,
					   struct kernel_buf *buf)
{
	struct granted *next = grants_next(&owner->grants,
					   buf ? &buf->granted : NULL);

	return next ? containerof(next, struct kernel_buf, granted) : NULL;
}

/*
 * Returns true if the job may use a buffer that an earlier one has mapped. The
 * caller must hold the order lock.
 */
static bool run_may_keep(const struct owner *owner, struct kernel_buf *buf)
{
	return buf->base.kind != MEM_KIND_MANAGED || !owner->work ||
	       order_work_sees(&owner->ctx->base, owner->work, &buf->base);
}

static enum engine_access run_access_of(const struct kernel_buf *buf)
{
	return buf->base.is_read_only ? ENGINE_READ : ENGINE_WRITE;
}

static int run_hide(struct owner *owner, struct kernel_buf *buf)
{
	return grants_hide(&owner->grants, &buf->granted, kernel_ptr_off(buf),
			   buf->base.len);
}

/* Before a job: unmaps buffers that it may not use, and checks the others. */
static int run_before_job(struct owner *owner, struct engine_grant **hidden,
			  size_t *nr_hidden)
{
	struct kernel_ctx *ctx = owner->ctx;
	struct kernel_buf *buf, *next;
	sigset_t old;
	int err = 0;

	order_lock(&ctx->base, &old);
	pthread_mutex_lock(&ctx->lock);
	for (buf = run_granted_next(owner, NULL); buf && !err; buf = next) {
		next = run_granted_next(owner, buf);
		kernel_ptr_look_behind(ctx, buf, NULL);
		if (!run_may_keep(owner, buf))
			err = run_hide(owner, buf);
	}
	*hidden = grants_take_hidden(&owner->grants, nr_hidden);
	pthread_mutex_unlock(&ctx->lock);
	order_unlock(&ctx->base, &old);
	return err;
}

static void run_after_job(struct owner *owner)
{
	struct kernel_ctx *ctx = owner->ctx;
	struct kernel_buf *buf;

	pthread_mutex_lock(&ctx->lock);
	for (buf = run_granted_next(owner, NULL); buf;
	     buf = run_granted_next(owner, buf))
		kernel_ptr_look_behind(ctx, buf, owner->work);
	pthread_mutex_unlock(&ctx->lock);
}

/* Reports a store behind a buffer; a spare page receives it for this job. */
static int run_grant_behind(struct owner *owner, struct kernel_buf *buf,
			    const struct engine_touch *touch,
			    struct engine_grant *grant)
{
	const uint64_t off = kernel_ptr_off(buf) + buf->base.len;
	struct kernel_ctx *ctx = owner->ctx;
	struct engine_window window;
	int err;

	err = kernel_ptr_for_engine(&window);
	if (err)
		return err;
	*grant = (struct engine_grant) {
		.off = off,
		.len = 1ULL << window.page_shift,
		.access = touch->is_write ? ENGINE_WRITE : ENGINE_READ,
		.file = kernel_ptr_guard(),
	};
	pthread_mutex_lock(&ctx->lock);
	err = grants_hide_range(&owner->grants, off, grant->len);
	if (!err && touch->is_write)
		kernel_watch_overrun(ctx, buf, touch->off - kernel_ptr_off(buf),
				     touch->ip, owner->work);
	pthread_mutex_unlock(&ctx->lock);
	return err ? -EFAULT : 0;
}

/*
 * Managed memory: a touch that is not allowed is reported, and carried out. The
 * caller must hold the order lock.
 */
static void run_judge_touch(struct owner *owner, struct kernel_buf *buf,
			    bool is_write)
{
	struct mem_ctx *ctx = &owner->ctx->base;
	bool is_news;

	if (!order_job_sees(ctx, owner->work, &buf->base, &is_news) && is_news)
		ctx->backend->order->work_report(&buf->base, is_write,
						 owner->work);
}

static int run_grant_buf(struct owner *owner, struct kernel_buf *buf,
			 const struct engine_touch *touch,
			 struct engine_grant *grant)
{
	struct kernel_ctx *ctx = owner->ctx;
	bool is_news, is_freed;
	sigset_t old;

	/* Until the touch is judged, the buffer stays in the model. */
	order_lock(&ctx->base, &old);
	pthread_mutex_lock(&ctx->lock);
	is_freed = buf->is_freed;
	is_news = !grants_has(&owner->grants, &buf->granted);
	if (!is_freed)
		grants_add(&owner->grants, &buf->granted);
	pthread_mutex_unlock(&ctx->lock);
	if (!is_freed && is_news && buf->base.kind == MEM_KIND_MANAGED)
		run_judge_touch(owner, buf, touch->is_write);
	order_unlock(&ctx->base, &old);
	if (is_freed)
		return -EFAULT;
	*grant = (struct engine_grant) {
		.off = kernel_ptr_off(buf),
		.len = buf->base.len,
		.access = run_access_of(buf),
		.file = buf->view,
	};
	return 0;
}

static int run_on_touch(void *arg, const struct engine_touch *touch,
			struct engine_grant *grant)
{
	struct owner *owner = arg;
	struct kernel_buf *buf;
	bool is_behind;
	int err = 0;

	buf = kernel_ptr_find_page(touch->off, &is_behind);
	if (!buf)
		return -EFAULT;
	owner->refused = grants_refusal(&owner->grants, &owner->ctx->base,
					&buf->base);
	if (!owner->refused && buf->base.is_read_only && touch->is_write &&
	    !is_behind)
		owner->refused = "read-only memory";
	if (owner->refused)
		err = -EFAULT;
	else if (is_behind)
		err = run_grant_behind(owner, buf, touch, grant);
	else
		err = run_grant_buf(owner, buf, touch, grant);
	/* A job that may use it has a reference; any other finds it here. */
	kernel_ptr_put(&buf->base);
	return err;
}

static const struct engine_ops ops = {
	.touch = run_on_touch,
};

/**
 * kernel_run_is_inline() - check whether kernels run in the application
 * @ctx: context
 *
 * Return: true if they do, and so can access all of its memory.
 */
bool kernel_run_is_inline(const struct kernel_ctx *ctx)
{
	return board_has_pageable_access(ctx->base.board) || engine_is_inline();
}

static int owner_start(struct owner *owner)
{
	struct engine_window window;
	int err;

	if (owner->engine)
		return 0;
	err = kernel_ptr_for_engine(&window);
	if (err)
		return err;
	window.is_inline = kernel_run_is_inline(owner->ctx);
	return engine_create(engine_name(owner->grants.at), &window, &ops,
			     owner, &owner->engine);
}

/* Maps device views where the module would refuse accesses of the program. */
static void run_lend_all(struct kernel_ctx *ctx)
{
	struct kernel_buf *buf;

	pthread_mutex_lock(&ctx->lock);
	ctx->nr_lending++;
	for (buf = ctx->bufs; buf; buf = buf->next)
		if (buf->base.kind == MEM_KIND_DEVICE ||
		    (buf->base.kind == MEM_KIND_MANAGED &&
		     !board_has_concurrent_access(ctx->base.board)))
			kernel_ptr_show_view(buf, true);
	pthread_mutex_unlock(&ctx->lock);
}

static void run_take_back_all(struct kernel_ctx *ctx)
{
	struct kernel_buf *buf;

	pthread_mutex_lock(&ctx->lock);
	if (!--ctx->nr_lending)
		for (buf = ctx->bufs; buf; buf = buf->next)
			kernel_ptr_show_view(buf, false);
	pthread_mutex_unlock(&ctx->lock);
}

/* Ends an engine; the next one has nothing mapped. */
static void engine_end(struct owner *owner)
{
	if (owner->engine)
		engine_destroy(owner->engine);
	owner->engine = NULL;
}

static int run_run(struct owner *owner, struct engine_job *job,
		   struct engine_result *result)
{
	struct engine_grant *hidden;
	int err;

	err = run_before_job(owner, &hidden, &job->nr_changes);
	if (err)
		engine_end(owner);
	job->changes = hidden;
	err = owner_start(owner);
	if (!err)
		engine_run(owner->engine, job, result);
	free(hidden);
	return err;
}

static void run_nothing(const struct mem_block *block, void *args)
{
	(void)block;
	(void)args;
}

/*
 * An engine that has mapped the view keeps the dma-bufs, and the driver would
 * continue to maintain the buffer.
 */
static void run_let_go(struct owner *owner)
{
	const struct mem_launch launch = {
		.kernel = run_nothing,
		.grid = { 1, 1, 1 },
		.block = { 1, 1, 1 },
	};
	struct engine_job job = engine_job_of(&launch);
	struct engine_result result;

	/* An engine that is running unmaps it before its next job. */
	if (pthread_mutex_trylock(&owner->run_lock))
		return;
	if (owner->engine)
		run_run(owner, &job, &result);
	pthread_mutex_unlock(&owner->run_lock);
}

/**
 * kernel_run_forget() - unmap a buffer from all engines before it is freed
 * @ctx: context
 * @buf: buffer that no work uses
 */
void kernel_run_forget(struct kernel_ctx *ctx, struct kernel_buf *buf)
{
	unsigned int i;
	bool has_it;
	int err;

	for (i = 0; i < NR_ENGINES; i++) {
		struct owner *owner = &ctx->owners[i];

		pthread_mutex_lock(&ctx->lock);
		has_it = grants_has(&owner->grants, &buf->granted);
		err = has_it ? run_hide(owner, buf) : 0;
		pthread_mutex_unlock(&ctx->lock);
		if (err) {
			pthread_mutex_lock(&owner->run_lock);
			engine_end(owner);
			pthread_mutex_unlock(&owner->run_lock);
		} else if (has_it && !kernel_run_is_inline(ctx)) {
			run_let_go(owner);
		}
	}
}

/* Returns true if a dma-buf is mapped there, by the name of the mapping. */
static bool run_is_dmabuf(uintptr_t addr)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	uintptr_t start, end;
	char *line = NULL;
	bool ret = false;
	size_t size = 0;

	while (maps && !ret && getline(&line, &size, maps) > 0)
		ret = sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &start, &end) ==
			      2 &&
		      start <= addr && addr < end && strstr(line, "/dmabuf:");
	free(line);
	if (maps)
		fclose(maps);
	return ret;
}

/**
 * kernel_run() - run a kernel and wait for its end
 * @base: context
 * @work: work of the kernel
 * @launch: launch of the kernel
 *
 * Context: the thread of the engine.
 * Return: 0, @status of struct engine_result, or -errno if it cannot start.
 */
int kernel_run(struct mem_ctx *base, struct work *work,
	       const struct mem_launch *launch)
{
	struct kernel_ctx *ctx = kernel_ctx_of(base);
	struct owner *owner = &ctx->owners[launch->engine];
	struct engine_result result = { 0 };
	struct engine_job job = engine_job_of(launch);
	const char *refused;
	int err;

	err = order_work_begin(base, work);
	if (err)
		return err;
	pthread_mutex_lock(&owner->run_lock);
	owner->work = work;
	owner->refused = NULL;
	if (kernel_run_is_inline(ctx))
		run_lend_all(ctx);
	err = run_run(owner, &job, &result);
	if (kernel_run_is_inline(ctx))
		run_take_back_all(ctx);
	run_after_job(owner);
	owner->work = NULL;
	refused = owner->refused;
	pthread_mutex_unlock(&owner->run_lock);
	if (err)
		return err;
	if (result.status == -EFAULT && !refused && run_is_dmabuf(result.addr))
		refused = "buffer of a heap";
	if (engine_is_failed(&result))
		kernel_watch_failed(ctx, &result, work, refused);
	return result.status;
}

/* Copies and fills */

/* Returns where to access a side: in the device view unless it is the CPU's. */
static uint8_t *side_of(const struct mem_buf *base, const void *ptr,
			bool is_device)
{
	const struct kernel_buf *buf;

	if (!base || (base->kind == MEM_KIND_MANAGED && !is_device))
		return (uint8_t *)ptr;
	buf = containerof(base, struct kernel_buf, base);
	return buf->dram + ((uintptr_t)ptr - (uintptr_t)buf->addr);
}

/**
 * kernel_copy() - carry out a copy or fill
 * @ctx: context
 * @work: its work; NULL: no engine does it
 * @copy: copy
 *
 * Memory of the CPU is touched like in any other code.
 *
 * Context: the dma engine's thread, or the caller of mem_copy().
 * Return: 0, or -ENOMEM: the work cannot start.
 */
int kernel_copy(struct mem_ctx *ctx, struct work *work, const struct copy *copy)
{
	const struct mem_rows *rows = &copy->rows;
	uint8_t *dst = side_of(copy->dst, rows->dst, copy->dst_is_device);
	const uint8_t *src = rows->src ? side_of(copy->src, rows->src,
						 copy->src_is_device) : NULL;
	int err = work ? order_work_begin(ctx, work) : 0;
	uint64_t i;

	if (err)
		return err;
	for (i = 0; i < rows->nr_rows; i++) {
		uint8_t *to = dst + i * rows->dst_pitch;

		if (src)
			memmove(to, src + i * rows->src_pitch, rows->row_len);
		else
			memset(to, copy->value, rows->row_len);
	}
	return 0;
}
