// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The order of streams: the model of kmod/model/attach.h. It is called for what
 * the program asks for, in the order of the program's calls, and says at once
 * which streams are active and what is due. What a wait makes due is done at
 * once, by the backend. What belongs to the order of a stream is done when that
 * comes to it: behind a host function is work that the model knew before the
 * function stored anything. So what a job has cleaned is what the CPU may have
 * stored to when it starts, and an attach drops lines when the stream comes to
 * it.
 *
 * A context's order lock is held over each call of the model and what follows
 * from it.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../kmod/model/list.h"
#include "order.h"

struct mark {
	struct attach_event event;
};

struct call {
	struct attach_op *host;
};

/**
 * struct reach - what a stream has to do when it comes to an attach
 * @is_clean: the CPU's lines are written back, else dropped
 * @nr: buffers
 * @bufs: kept
 */
struct reach {
	bool is_clean;
	size_t nr;
	struct mem_buf *bufs[];
};

/**
 * order_lock() - lock the order of a context
 * @ctx: context
 * @old: out: for order_unlock()
 */
void order_lock(struct mem_ctx *ctx, sigset_t *old)
{
	signals_block(old);
	pthread_mutex_lock(&ctx->order->lock);
}

/**
 * order_unlock() - and unlock it
 * @ctx: context
 * @old: from order_lock()
 */
void order_unlock(struct mem_ctx *ctx, const sigset_t *old)
{
	pthread_mutex_unlock(&ctx->order->lock);
	signals_restore(old);
}

static struct mem_buf *buf_of(struct attach_buf *model)
{
	return containerof(model, struct order_buf, model)->buf;
}

static struct mem_ctx *ctx_of(struct attach_ctx *model)
{
	return containerof(model, struct order_ctx, model)->ctx;
}

static void do_later(struct mem_buf *buf)
{
	struct reach *reach = buf->ctx->order->reach;

	buf->ctx->backend->keep(buf);
	reach->bufs[reach->nr++] = buf;
}

/*
 * What the CPU stores until the stream comes to a prefetch belongs to that,
 * too; what it had stored is cleaned at once, as a wait may drop lines before.
 */
static void act(struct attach_ctx *model, struct attach_buf *attach, u32 what)
{
	struct mem_buf *buf = buf_of(attach);

	if (what & ATTACH_PREFETCH_TO_CPU && what & ATTACH_CPU_INVALIDATE) {
		buf->order->nr_to_drop++;
		do_later(buf);
		what &= ~ATTACH_CPU_INVALIDATE;
	}
	if (what & ATTACH_PREFETCH_TO_GPU && what & ATTACH_CLEAN) {
		buf->ctx->order->reach->is_clean = true;
		do_later(buf);
	}
	/* It may be touchable before the stream comes to the prefetch. */
	if (what & ATTACH_RESTORE && buf->order->nr_to_drop)
		what |= ATTACH_CPU_INVALIDATE;
	ctx_of(model)->backend->order->attach(buf, what);
}

static void stream_changed(struct attach_ctx *model, struct attach_stream *s,
			   bool again_own, bool again_all)
{
	struct mem_ctx *ctx = ctx_of(model);

	ctx->backend->order->stream_state(ctx, s, again_own, again_all);
}

/* Room for what a call makes due later; NULL: it is not there. */
static struct reach *reach_create(size_t max)
{
	return calloc(1, sizeof(struct reach) +
			 max * sizeof(struct mem_buf *));
}

/* What has come of it. */
static struct reach *reach_take(struct order_ctx *order)
{
	struct reach *reach = order->reach;

	order->reach = NULL;
	if (reach->nr)
		return reach;
	free(reach);
	return NULL;
}

/**
 * order_reach() - a stream has come to an attach
 * @ctx: context
 * @reach: what is due; gone
 */
void order_reach(struct mem_ctx *ctx, struct reach *reach)
{
	sigset_t old;
	size_t i;

	order_lock(ctx, &old);
	for (i = 0; i < reach->nr; i++) {
		if (!reach->is_clean)
			reach->bufs[i]->order->nr_to_drop--;
		ctx->backend->order->attach(reach->bufs[i], reach->is_clean ?
						    ATTACH_CLEAN :
						    ATTACH_CPU_INVALIDATE);
	}
	order_unlock(ctx, &old);
	for (i = 0; i < reach->nr; i++)
		ctx->backend->put(reach->bufs[i]);
	free(reach);
}

/**
 * order_init() - a context's part of the model
 * @ctx: context with its board
 * @order: out; the context's until order_fini()
 */
void order_init(struct mem_ctx *ctx, struct order_ctx *order)
{
	ctx->order = order;
	order->ctx = ctx;
	pthread_mutex_init(&order->lock, NULL);
	attach_init(&order->model, ctx->board);
	order->model.act = act;
	order->model.stream_changed = stream_changed;
	list_init(&order->in_flight);
}

static struct order *order_of(struct attach_stream *model)
{
	return containerof(model, struct order, model);
}

/* Streams that nothing refers to any more. */
static void take_streams(struct mem_ctx *ctx)
{
	struct attach_stream *model;

	while ((model = attach_take_stream(&ctx->order->model)))
		ctx->backend->order->stream_destroy(order_of(model));
}

/**
 * order_fini() - the context goes
 * @ctx: context without buffers, events and work
 */
void order_fini(struct mem_ctx *ctx)
{
	struct attach_ctx *model = &ctx->order->model;
	struct attach_op *op;

	attach_fini(model);
	while ((op = attach_take_op(model)))
		free(op);
	take_streams(ctx);
	pthread_mutex_destroy(&ctx->order->lock);
}

/**
 * order_give_ops() - make sure that the model has memory for operations
 * @ctx: context
 * @nr: how many a call may need
 *
 * Context: the order lock is held.
 * Return: 0 or -ENOMEM.
 */
int order_give_ops(struct mem_ctx *ctx, u64 nr)
{
	struct attach_ctx *model = &ctx->order->model;
	struct attach_op *op;

	while (model->nr_pool < nr) {
		op = calloc(1, sizeof(*op));
		if (!op)
			return -ENOMEM;
		attach_give_op(model, op);
	}
	return 0;
}

/**
 * order_model_of() - a stream in the model
 * @stream: stream of the library
 *
 * Return: it.
 */
struct attach_stream *order_model_of(const struct mem_stream *stream)
{
	if (stream->order)
		return &stream->order->model;
	return &stream->ctx->order->model.null_stream;
}

/* Buffers */

static uint32_t name_of(enum attach_kind kind)
{
	if (kind == ATTACH_SINGLE)
		return MEM_ATTACH_SINGLE;
	return kind == ATTACH_HOST ? MEM_ATTACH_HOST : MEM_ATTACH_GLOBAL;
}

static void newest_set(struct mem_buf *buf, unsigned int how,
		       const struct mem_stream *stream)
{
	const uint64_t id = how == MEM_ATTACH_SINGLE ? stream->id : 0;

	atomic_store_explicit(&buf->order->newest,
			      id << NEWEST_STREAM_SHIFT | how,
			      memory_order_relaxed);
}

/* Returns true if reports are on: then all but the state is filled in. */
static bool attached_now(struct tell_attach *how, enum tell_attached_by by,
			 uint64_t stream)
{
	if (!tell_is_on())
		return false;
	*how = (struct tell_attach) {
		.by = by,
		.stream = stream,
		.time_ns = now_ns(),
		.stack = tell_stack(0),
	};
	return true;
}

/**
 * order_buf_create() - a managed buffer begins
 * @buf: with its flags
 * @order: out; the buffer's until order_buf_destroy()
 */
void order_buf_create(struct mem_buf *buf, struct order_buf *order)
{
	struct mem_ctx *ctx = buf->ctx;
	struct tell_attach how;
	bool is_told;
	sigset_t old;

	buf->order = order;
	order->buf = buf;
	newest_set(buf, buf->flags, NULL);
	is_told = attached_now(&how, TELL_ATTACHED_BY_ALLOC, 0);
	order_lock(ctx, &old);
	if (is_told)
		ctx->backend->order->attached(buf, &how, buf->flags);
	attach_buf_create(&ctx->order->model, &order->model, buf->asked_len,
			  buf->flags == MEM_ATTACH_HOST ? ATTACH_HOST :
							  ATTACH_GLOBAL);
	ctx->backend->order->attach(buf, ATTACH_JOIN);
	order_unlock(ctx, &old);
}

/**
 * order_buf_destroy() - and ends
 * @buf: that no work touches any more
 */
void order_buf_destroy(struct mem_buf *buf)
{
	struct mem_ctx *ctx = buf->ctx;
	sigset_t old;

	order_lock(ctx, &old);
	order_works_forget(buf);
	ctx->backend->order->attach(buf, ATTACH_LEAVE);
	attach_buf_destroy(&ctx->order->model, &buf->order->model);
	take_streams(ctx);
	order_unlock(ctx, &old);
}

/**
 * order_attach_of() - newest attach state
 * @buf: managed buffer
 *
 * Return: MEM_ATTACH_*.
 */
uint32_t order_attach_of(struct mem_buf *buf)
{
	return atomic_load_explicit(&buf->order->newest, memory_order_relaxed) &
	       ((1U << NEWEST_STREAM_SHIFT) - 1);
}

#define COUNTERS_LEN \
	(sizeof(struct mem_attach_counters) - \
	 offsetof(struct mem_attach_counters, revoked))

static_assert(COUNTERS_LEN ==
	      sizeof(struct attach_counters),
	      "counters are copied as a whole");
static_assert(offsetof(struct mem_attach_counters, engine_not_attached) -
	      offsetof(struct mem_attach_counters, revoked) ==
	      offsetof(struct attach_counters, engine_not_attached),
	      "counters are copied as a whole");

/**
 * order_counters() - what was done
 * @ctx: context
 * @buf: managed buffer, of any context; NULL: all of this one
 * @count: out: all but the size
 */
void order_counters(struct mem_ctx *ctx, struct mem_buf *buf,
		    struct mem_attach_counters *count)
{
	struct attach_counters all;
	sigset_t old;

	if (buf)
		ctx = buf->ctx;
	order_lock(ctx, &old);
	if (buf)
		attach_buf_counters(&ctx->order->model, &buf->order->model,
				    &all);
	else
		all = ctx->order->model.count;
	all.cpu_while_active = ctx->backend->order->nr_refused(ctx, buf);
	order_unlock(ctx, &old);
	memcpy(&count->revoked, &all, COUNTERS_LEN);
}

/* Streams */

/**
 * order_stream_create() - a stream begins
 * @stream: gets its order
 *
 * Return: 0 or -errno.
 */
int order_stream_create(struct mem_stream *stream)
{
	struct mem_ctx *ctx = stream->ctx;
	sigset_t old;
	int err;

	err = ctx->backend->order->stream_create(stream);
	if (err)
		return err;
	order_lock(ctx, &old);
	attach_stream_create(&ctx->order->model, &stream->order->model,
			     stream->is_blocking);
	order_unlock(ctx, &old);
	return 0;
}

/* Buffers that are single to it fall back, but not for what is under way. */
static int keep_singles(struct attach_stream *model)
{
	struct attach_link *link;
	int err = 0;

	for (link = model->singles.next; link != &model->singles && !err;
	     link = link->next)
		err = order_works_keep(buf_of(containerof(link,
							  struct attach_buf,
							  in_newest)));
	return err;
}

/* Nothing can fail any more: it is told of already. */
static void tell_singles(const struct mem_stream *stream,
			 struct attach_stream *model)
{
	const struct order_ops *ops = stream->ctx->backend->order;
	struct tell_attach how;
	struct attach_link *link;
	bool is_told;

	if (model->singles.next == &model->singles)
		return;
	is_told = attached_now(&how, TELL_ATTACHED_BY_DESTROY, stream->id);
	for (link = model->singles.next; link != &model->singles;
	     link = link->next) {
		struct attach_buf *buf = containerof(link, struct attach_buf,
						     in_newest);

		newest_set(buf_of(buf), name_of(buf->fallback), NULL);
		if (is_told)
			ops->attached(buf_of(buf), &how,
				      name_of(buf->fallback));
	}
}

/**
 * order_stream_destroy() - it takes nothing more
 * @stream: stream
 * @reach: out: what is due at its end, or NULL
 *
 * Return: 0 or -ENOMEM.
 */
int order_stream_destroy(struct mem_stream *stream, struct reach **reach)
{
	struct mem_ctx *ctx = stream->ctx;
	struct attach_stream *model = order_model_of(stream);
	sigset_t old;
	u64 needs;
	int err;

	order_lock(ctx, &old);
	needs = attach_stream_destroy_needs(model);
	ctx->order->reach = reach_create(needs);
	err = ctx->order->reach ? order_give_ops(ctx, needs) : -ENOMEM;
	if (!err)
		err = keep_singles(model);
	if (!err)
		tell_singles(stream, model);
	if (!err)
		err = attach_stream_destroy(&ctx->order->model, model);
	if (ctx->order->reach)
		*reach = reach_take(ctx->order);
	take_streams(ctx);
	order_unlock(ctx, &old);
	return err;
}

static int mark_make(struct mem_stream *stream, struct mark **mark,
		     int (*set)(struct attach_ctx *ctx,
				struct attach_event *event,
				struct attach_stream *s))
{
	struct mem_ctx *ctx = stream->ctx;
	struct mark *new = calloc(1, sizeof(*new));
	sigset_t old;
	int err;

	if (!new)
		return -ENOMEM;
	order_lock(ctx, &old);
	err = set(&ctx->order->model, &new->event, order_model_of(stream));
	order_unlock(ctx, &old);
	if (err) {
		free(new);
		return err;
	}
	*mark = new;
	return 0;
}

/**
 * order_mark() - behind all that a stream has so far
 * @stream: stream
 * @mark: out
 *
 * Return: 0 or -ENOMEM.
 */
int order_mark(struct mem_stream *stream, struct mark **mark)
{
	return mark_make(stream, mark, attach_event_record);
}

/**
 * order_mark_end() - the same, but it is no operation of the stream
 * @stream: stream
 * @mark: out
 *
 * Return: 0 or -ENOMEM.
 */
int order_mark_end(struct mem_stream *stream, struct mark **mark)
{
	return mark_make(stream, mark, attach_event_end);
}

/**
 * order_mark_wait() - further work of a stream is behind a mark
 * @stream: stream
 * @mark: mark; NULL: it waits for nothing, which is an operation all the same
 *
 * Return: 0 or -ENOMEM.
 */
int order_mark_wait(struct mem_stream *stream, struct mark *mark)
{
	static const struct attach_event never;
	struct mem_ctx *ctx = stream->ctx;
	sigset_t old;
	int err;

	order_lock(ctx, &old);
	err = order_give_ops(ctx, 1);
	if (!err)
		err = attach_event_wait(&ctx->order->model,
					order_model_of(stream),
					mark ? &mark->event : &never);
	take_streams(ctx);
	order_unlock(ctx, &old);
	return err;
}

/**
 * order_mark_sync() - the host has waited for all before a mark
 * @ctx: context
 * @mark: mark
 */
void order_mark_sync(struct mem_ctx *ctx, struct mark *mark)
{
	sigset_t old;

	order_lock(ctx, &old);
	attach_sync_event(&ctx->order->model, &mark->event);
	take_streams(ctx);
	order_unlock(ctx, &old);
}

/**
 * order_mark_free() - nobody needs a mark any more
 * @ctx: context
 * @mark: mark
 */
void order_mark_free(struct mem_ctx *ctx, struct mark *mark)
{
	sigset_t old;

	order_lock(ctx, &old);
	attach_event_destroy(&ctx->order->model, &mark->event);
	take_streams(ctx);
	order_unlock(ctx, &old);
	free(mark);
}

/**
 * order_sync_all() - the host has waited for all
 * @ctx: context
 */
void order_sync_all(struct mem_ctx *ctx)
{
	sigset_t old;

	order_lock(ctx, &old);
	attach_sync_device(&ctx->order->model);
	take_streams(ctx);
	order_unlock(ctx, &old);
}

static enum attach_kind kind_of(unsigned int how)
{
	if (how == MEM_ATTACH_SINGLE)
		return ATTACH_SINGLE;
	return how == MEM_ATTACH_HOST ? ATTACH_HOST : ATTACH_GLOBAL;
}

/**
 * order_attach() - another attach state
 * @stream: in order of this one
 * @buf: managed buffer of the same context
 * @how: MEM_ATTACH_*
 * @reach: out: what is due when the stream comes to it, or NULL
 *
 * Return: 0 or -ENOMEM.
 */
int order_attach(struct mem_stream *stream, struct mem_buf *buf,
		 unsigned int how, struct reach **reach)
{
	struct mem_ctx *ctx = stream->ctx;
	struct tell_attach attached;
	sigset_t old;
	int err;

	order_lock(ctx, &old);
	ctx->order->reach = reach_create(1);
	err = ctx->order->reach ? order_give_ops(ctx, 1) : -ENOMEM;
	if (!err)
		err = order_works_keep(buf);
	if (!err)
		err = attach_submit_state(&ctx->order->model,
					  order_model_of(stream),
					  &buf->order->model, kind_of(how));
	if (!err)
		newest_set(buf, how, stream);
	if (!err && attached_now(&attached, TELL_ATTACHED_BY_CALL, stream->id))
		ctx->backend->order->attached(buf, &attached, how);
	if (ctx->order->reach)
		*reach = reach_take(ctx->order);
	take_streams(ctx);
	order_unlock(ctx, &old);
	return err;
}

/* Host functions */

/**
 * order_call_submit() - a host function is queued
 * @stream: in order of this one
 * @made: out
 *
 * Return: 0 or -ENOMEM.
 */
int order_call_submit(struct mem_stream *stream, struct call **made)
{
	struct mem_ctx *ctx = stream->ctx;
	struct call *call = calloc(1, sizeof(*call));
	sigset_t old;
	int err;

	if (!call)
		return -ENOMEM;
	order_lock(ctx, &old);
	err = order_give_ops(ctx, 1);
	if (!err)
		err = attach_submit_host(&ctx->order->model,
					 order_model_of(stream), &call->host);
	order_unlock(ctx, &old);
	if (err) {
		free(call);
		return err;
	}
	*made = call;
	return 0;
}

/**
 * order_call_begin() - it is called
 * @ctx: context
 * @call: it
 */
void order_call_begin(struct mem_ctx *ctx, struct call *call)
{
	sigset_t old;

	order_lock(ctx, &old);
	attach_host_begin(&ctx->order->model, call->host);
	take_streams(ctx);
	order_unlock(ctx, &old);
}

/**
 * order_call_return() - it has returned
 * @ctx: context
 * @call: it; gone
 */
void order_call_return(struct mem_ctx *ctx, struct call *call)
{
	sigset_t old;

	order_lock(ctx, &old);
	attach_host_return(&ctx->order->model, call->host);
	take_streams(ctx);
	order_unlock(ctx, &old);
	free(call);
}
