// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Device work in the order of streams: the classification of copies and sets,
 * and which managed buffers a job may touch. A job is judged by the states at
 * its submission. Buffers whose state was in flight then, or has changed since,
 * have a verdict that the job keeps; all others still have the state of that
 * time.
 */
#include <errno.h>
#include <stdlib.h>

#include "../../kmod/model/list.h"
#include "../engine/engine.h"
#include "order.h"

static struct work_verdict *verdict_find(const struct work *work,
					 const struct mem_buf *buf)
{
	size_t i;

	for (i = 0; i < work->nr_verdicts; i++)
		if (work->verdicts[i].buf == buf)
			return &work->verdicts[i];
	return NULL;
}

/* Returns true if the current states allow the job to touch the buffer. */
static bool work_may_touch(struct mem_ctx *ctx, const struct work *work,
			   const struct mem_buf *buf)
{
	return attach_judge_job(&ctx->order->model, work->stream,
				&buf->order->model, NULL) == ATTACH_ALLOWED;
}

static struct work_verdict *verdict_add(struct work *work, struct mem_buf *buf,
					bool sees)
{
	const size_t nr = work->nr_verdicts;
	struct work_verdict *all;

	/* The array has room for a power of two. */
	if (!(nr & (nr - 1))) {
		all = realloc(work->verdicts,
			      (nr ? 2 * nr : 1) * sizeof(*all));
		if (!all)
			return NULL;
		work->verdicts = all;
	}
	work->verdicts[nr] = (struct work_verdict) {
		.buf = buf,
		.sees = sees,
	};
	work->nr_verdicts++;
	return &work->verdicts[nr];
}

static int verdict_keep(struct mem_ctx *ctx, struct work *work,
			struct mem_buf *buf)
{
	const bool sees = work_may_touch(ctx, work, buf);

	return verdict_add(work, buf, sees) ? 0 : -ENOMEM;
}

static void buf_land(struct order_buf *buf)
{
	if (!buf->is_in_flight)
		return;
	buf->is_in_flight = false;
	list_remove(&buf->in_flight);
}

/**
 * order_works_keep() - keep the verdicts of submitted jobs on a buffer
 * @buf: managed buffer whose attach state is about to change
 *
 * Has no effect if the state does not change in the end.
 *
 * Context: caller must hold the order lock.
 * Return: 0 or -ENOMEM.
 */
int order_works_keep(struct mem_buf *buf)
{
	struct order_ctx *order = buf->ctx->order;
	struct work *work;
	int err = 0;

	for (work = order->works; work && !err; work = work->next)
		if (!verdict_find(work, buf))
			err = verdict_keep(buf->ctx, work, buf);
	if (err || buf->order->is_in_flight)
		return err;
	buf->order->is_in_flight = true;
	list_append(&order->in_flight, &buf->order->in_flight);
	return 0;
}

/**
 * order_works_forget() - drop the verdicts on a buffer that is destroyed
 * @buf: managed buffer that no job accesses any more
 *
 * Context: caller must hold the order lock.
 */
void order_works_forget(struct mem_buf *buf)
{
	struct work_verdict *verdict;
	struct work *work;

	buf_land(buf->order);
	for (work = buf->ctx->order->works; work; work = work->next) {
		verdict = verdict_find(work, buf);
		if (verdict)
			verdict->buf = NULL;
	}
}

/* Keeps verdicts of a new job on the buffers whose state is in flight. */
static int work_judge_in_flight(struct mem_ctx *ctx, struct work *work)
{
	struct attach_link *link = ctx->order->in_flight.next;
	int err = 0;

	while (link != &ctx->order->in_flight && !err) {
		struct order_buf *buf = containerof(link, struct order_buf,
						    in_flight);

		link = link->next;
		if (!buf->model.is_in_flight)
			buf_land(buf);
		else
			err = verdict_keep(ctx, work, buf->buf);
	}
	return err;
}

/**
 * order_work_sees() - find out whether a job may touch a managed buffer
 * @ctx: context
 * @work: job
 * @buf: managed buffer
 *
 * Context: caller must hold the order lock.
 * Return: true if it may, by the states at its submission.
 */
bool order_work_sees(struct mem_ctx *ctx, const struct work *work,
		     struct mem_buf *buf)
{
	const struct work_verdict *verdict = verdict_find(work, buf);

	return verdict ? verdict->sees : work_may_touch(ctx, work, buf);
}

/**
 * order_job_sees() - check the access of a job to a managed buffer
 * @ctx: context
 * @work: job
 * @buf: managed buffer
 * @is_first: out: the job may not touch the buffer, and this has not been
 *	reported yet: each job is reported once for each buffer
 *
 * Context: caller must hold the order lock.
 * Return: true if it may.
 */
bool order_job_sees(struct mem_ctx *ctx, struct work *work, struct mem_buf *buf,
		    bool *is_first)
{
	struct work_verdict *verdict = verdict_find(work, buf);

	*is_first = false;
	if (order_work_sees(ctx, work, buf))
		return true;
	if (!verdict)
		verdict = verdict_add(work, buf, false);
	*is_first = !verdict || !verdict->is_reported;
	if (verdict)
		verdict->is_reported = true;
	if (*is_first)
		attach_count_job_touch(&ctx->order->model, &buf->order->model);
	return false;
}

/**
 * order_work_begin() - start a job, for which the buffers that it sees are
 * cleaned
 * @ctx: context
 * @work: job
 *
 * Return: 0 or -ENOMEM: the job cannot start.
 */
int order_work_begin(struct mem_ctx *ctx, struct work *work)
{
	sigset_t old;
	int err;

	order_lock(ctx, &old);
	err = ctx->backend->order->work_begin(ctx, work);
	work->has_begun = !err;
	race_work_begin(ctx->order, work);
	order_unlock(ctx, &old);
	return err;
}

static struct attach_side side_of_buf(const struct mem_buf *buf)
{
	struct attach_side side = { .memory = ATTACH_PAGEABLE };

	if (!buf)
		return side;
	/* For a heap's buffer that the CPU accesses, the caller passes NULL. */
	if (buf->kind == MEM_KIND_DEVICE || is_heaps(buf)) {
		side.memory = ATTACH_DEVICE;
	} else if (buf->kind == MEM_KIND_MANAGED) {
		side.memory = ATTACH_MANAGED;
		side.buf = &buf->order->model;
	} else {
		side.memory = ATTACH_PINNED;
	}
	return side;
}

/**
 * order_judge() - classify a copy or set
 * @stream: its stream
 * @dst: target; NULL for pageable memory
 * @src: source; NULL for pageable memory
 * @is_set: it is a set, without a source
 * @verdict: out
 *
 * Return: 0, or -EINVAL for a set of pageable memory.
 */
int order_judge(struct mem_stream *stream, const struct mem_buf *dst,
		const struct mem_buf *src, bool is_set,
		struct verdict *verdict)
{
	struct mem_ctx *ctx = stream->ctx;
	const struct attach_side to = side_of_buf(dst), from = side_of_buf(src);
	struct attach_copy copy;
	sigset_t old;
	int err = 0;

	order_lock(ctx, &old);
	if (is_set)
		err = attach_judge_set(to.memory, &copy);
	else
		attach_judge_copy(&ctx->order->model, order_model_of(stream),
				  &from, &to, &copy);
	order_unlock(ctx, &old);
	if (!err)
		*verdict = (struct verdict) {
			.src_is_device = copy.from_is_device,
			.dst_is_device = copy.to_is_device,
			.is_work = copy.is_work,
			.is_waited_for = copy.is_waited_for,
		};
	return err;
}

static void work_link(struct order_ctx *ctx, struct work *work)
{
	work->next = ctx->works;
	if (work->next)
		work->next->prev = work;
	ctx->works = work;
}

static void work_free(struct work *work)
{
	free(work->verdicts);
	free(work->behind);
	free(work);
}

/* OpenGL is the only other API so far. */
static const char *work_engine(const struct mem_stream *stream,
			       const struct mem_launch *launch)
{
	if (launch)
		return engine_name(launch->engine);
	return stream->is_foreign ? "gl" : "dma";
}

/**
 * order_work_submit() - add a job to the model
 * @stream: its stream
 * @launch: kernel, whose entry is set; NULL for a copy or set
 * @made: out: job, for order_work_end()
 *
 * Return: 0, -ENOMEM or -EOPNOTSUPP (an older module).
 */
int order_work_submit(struct mem_stream *stream,
		      const struct mem_launch *launch, struct work **made)
{
	struct mem_ctx *ctx = stream->ctx;
	struct work *work = calloc(1, sizeof(*work));
	sigset_t old;
	int err;

	if (!work)
		return -ENOMEM;
	work->stream = order_model_of(stream);
	work->is_own = launch && gate_has_kernel(launch->kernel);
	work->acting = (struct acting) {
		.time_ns = now_ns(),
		.stream = stream->id,
		.kernel = launch ? (uintptr_t)launch->entry : 0,
		.engine = work_engine(stream, launch),
		.stack = record_stack(0),
	};
	order_lock(ctx, &old);
	err = order_give_ops(ctx, 1);
	if (!err)
		err = work_judge_in_flight(ctx, work);
	if (!err)
		err = ctx->backend->order->work_submit(ctx, work);
	if (!err) {
		/* Cannot fail: it has memory, and the stream exists. */
		attach_submit_work(&ctx->order->model, work->stream);
		race_submit(ctx->order, work);
		work_link(ctx->order, work);
	}
	order_unlock(ctx, &old);
	if (err) {
		work_free(work);
		return err;
	}
	*made = work;
	return 0;
}

/**
 * order_work_touch() - check a buffer that a copy or set is known to access,
 * and report the access if it is not allowed
 * @ctx: context
 * @work: job
 * @buf: buffer of the context
 * @is_write: the job writes the buffer
 */
void order_work_touch(struct mem_ctx *ctx, struct work *work,
		      struct mem_buf *buf, bool is_write)
{
	bool is_first;
	sigset_t old;

	if (buf->kind != MEM_KIND_MANAGED)
		return;
	order_lock(ctx, &old);
	if (!order_job_sees(ctx, work, buf, &is_first) && is_first)
		ctx->backend->order->work_report(buf, is_write, work);
	order_unlock(ctx, &old);
}

/**
 * order_work_end() - note that a job is done
 * @ctx: context
 * @work: job; freed
 */
void order_work_end(struct mem_ctx *ctx, struct work *work)
{
	const struct order_ops *ops = ctx->backend->order;
	sigset_t old;

	order_lock(ctx, &old);
	if (ops->work_end)
		ops->work_end(ctx, work);
	if (work->prev)
		work->prev->next = work->next;
	else
		ctx->order->works = work->next;
	if (work->next)
		work->next->prev = work->prev;
	attach_end_work(&ctx->order->model, work->stream);
	order_take_streams(ctx);
	order_unlock(ctx, &old);
	work_free(work);
}
