// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The order of streams, computed with the model of attach.h. The model is
 * called in the order of the program's calls. It determines at once which
 * streams are active and which maintenance is due. The backend carries out at
 * once what a wait makes due. What belongs to the order of a stream is carried
 * out when the stream reaches it, because a host function that runs before it
 * may still store. Therefore a job cleans, when it starts, what the CPU may
 * have stored to; and an attach drops lines when the stream reaches it.
 *
 * The order lock of the context is held during each call of the model and while
 * its consequences are carried out.
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

/* A host function; @host: its operation, or NULL if the stream is foreign */
struct call {
	struct attach_op *host;
};

/* An event that was never recorded, for operations that order nothing else */
static const struct attach_event never;

/**
 * struct reach - maintenance that is due when a stream reaches an attach
 * @is_clean: the CPU's lines are written back, otherwise dropped
 * @nr: number of buffers
 * @bufs: buffers, with a reference to each
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
	if (ctx->backend->order->blocks_signals)
		signals_block(old);
	pthread_mutex_lock(&ctx->order->lock);
}

/**
 * order_unlock() - unlock the order of a context
 * @ctx: context
 * @old: signal mask from order_lock()
 */
void order_unlock(struct mem_ctx *ctx, const sigset_t *old)
{
	pthread_mutex_unlock(&ctx->order->lock);
	if (ctx->backend->order->blocks_signals)
		signals_restore(old);
}

static struct mem_buf *model_buf(struct attach_buf *model)
{
	return containerof(model, struct order_buf, model)->buf;
}

static struct mem_ctx *model_ctx(struct attach_ctx *model)
{
	return containerof(model, struct order_ctx, model)->ctx;
}

static void reach_add(struct mem_buf *buf)
{
	struct reach *reach = buf->ctx->order->reach;

	buf->ctx->backend->keep(buf);
	reach->bufs[reach->nr++] = buf;
}

/*
 * Carries out what is due for a buffer. A prefetch also takes along what the
 * CPU stores until the stream reaches it. What the CPU has stored already is
 * cleaned at once, because a wait may drop lines before that.
 */
static void order_act(struct attach_ctx *model, struct attach_buf *attach,
		      u32 what)
{
	struct mem_buf *buf = model_buf(attach);

	if (what & ATTACH_PREFETCH_TO_CPU && what & ATTACH_CPU_INVALIDATE) {
		buf->order->nr_to_drop++;
		reach_add(buf);
		what &= ~ATTACH_CPU_INVALIDATE;
	}
	if (what & ATTACH_PREFETCH_TO_GPU && what & ATTACH_CLEAN) {
		buf->ctx->order->reach->is_clean = true;
		reach_add(buf);
	}
	/* The CPU may get access before the stream reaches the prefetch. */
	if (what & ATTACH_RESTORE && buf->order->nr_to_drop)
		what |= ATTACH_CPU_INVALIDATE;
	model_ctx(model)->backend->order->attach(buf, what);
}

static void order_stream_changed(struct attach_ctx *model,
				 struct attach_stream *s, bool again_own,
				 bool again_all)
{
	struct mem_ctx *ctx = model_ctx(model);

	ctx->backend->order->stream_state(ctx, s, again_own, again_all);
}

/* Allocates a list for up to @max buffers; returns NULL without memory. */
static struct reach *reach_create(size_t max)
{
	return calloc(1, sizeof(struct reach) +
			 max * sizeof(struct mem_buf *));
}

/* Takes the list that the call has filled, or returns NULL if it is empty. */
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
 * order_reach() - carry out what is due when a stream has reached an attach
 * @ctx: context
 * @reach: maintenance; freed
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
 * order_init() - initialise the order of a context
 * @ctx: context whose board is set
 * @order: out: used by the context until order_fini()
 */
void order_init(struct mem_ctx *ctx, struct order_ctx *order)
{
	ctx->order = order;
	order->ctx = ctx;
	pthread_mutex_init(&order->lock, NULL);
	attach_init(&order->model, ctx->board);
	order->model.act = order_act;
	order->model.stream_changed = order_stream_changed;
	list_init(&order->in_flight);
}

static struct order *model_order(struct attach_stream *model)
{
	return containerof(model, struct order, model);
}

/**
 * order_take_streams() - free streams to which nothing in the model refers
 * @ctx: context
 *
 * Context: caller must hold the order lock.
 */
void order_take_streams(struct mem_ctx *ctx)
{
	struct attach_stream *model;

	while ((model = attach_take_stream(&ctx->order->model)))
		ctx->backend->order->stream_destroy(ctx, model_order(model));
}

/**
 * order_fini() - free the order of a context
 * @ctx: context without buffers, events and work
 */
void order_fini(struct mem_ctx *ctx)
{
	struct attach_ctx *model = &ctx->order->model;
	struct attach_op *op;

	attach_fini(model);
	while ((op = attach_take_op(model)))
		free(op);
	order_take_streams(ctx);
	pthread_mutex_destroy(&ctx->order->lock);
}

/**
 * order_give_ops() - make sure that the model has memory for operations
 * @ctx: context
 * @nr: number of operations that a call may need
 *
 * Context: caller must hold the order lock.
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
 * order_model_of() - get the model's stream
 * @stream: stream of the library
 *
 * Return: the stream of the model; never NULL.
 */
struct attach_stream *order_model_of(const struct mem_stream *stream)
{
	if (stream->order)
		return &stream->order->model;
	return &stream->ctx->order->model.null_stream;
}

/* Buffers */

static uint32_t kind_to_attach(enum attach_kind kind)
{
	if (kind == ATTACH_SINGLE)
		return MEM_ATTACH_SINGLE;
	return kind == ATTACH_HOST ? MEM_ATTACH_HOST : MEM_ATTACH_GLOBAL;
}

static void buf_set_newest(struct mem_buf *buf, unsigned int how,
			   const struct mem_stream *stream)
{
	const uint64_t id = how == MEM_ATTACH_SINGLE ? stream->id : 0;

	atomic_store_explicit(&buf->order->newest,
			      id << NEWEST_STREAM_SHIFT | how,
			      memory_order_relaxed);
}

/* Describes an attach by the calling thread. */
static struct record_attach attach_now(enum record_attached_by by,
				       uint64_t stream, uint32_t attach)
{
	struct record_attach how = {
		.attach = attach,
		.by = by,
		.stream = stream,
	};

	if (record_is_on()) {
		how.time_ns = now_ns();
		how.stack = record_stack(0);
	}
	return how;
}

/**
 * order_buf_create() - add a managed buffer to the model
 * @buf: buffer whose flags are set
 * @order: out: used by the buffer until order_buf_destroy()
 */
void order_buf_create(struct mem_buf *buf, struct order_buf *order)
{
	struct mem_ctx *ctx = buf->ctx;
	const struct order_ops *ops = ctx->backend->order;
	struct record_attach how;
	sigset_t old;

	buf->order = order;
	order->buf = buf;
	buf_set_newest(buf, buf->flags, NULL);
	order_lock(ctx, &old);
	attach_buf_create(&ctx->order->model, &order->model, buf->asked_len,
			  buf->flags == MEM_ATTACH_HOST ? ATTACH_HOST :
							  ATTACH_GLOBAL);
	if (ops->buf_create) {
		how = attach_now(RECORD_ATTACHED_BY_ALLOC, 0, buf->flags);
		ops->buf_create(buf, &how);
	}
	order_unlock(ctx, &old);
}

/**
 * order_buf_destroy() - remove a managed buffer from the model
 * @buf: buffer that no job accesses any more
 */
void order_buf_destroy(struct mem_buf *buf)
{
	struct mem_ctx *ctx = buf->ctx;
	sigset_t old;

	order_lock(ctx, &old);
	order_works_forget(buf);
	ctx->backend->order->buf_destroy(buf);
	attach_buf_destroy(&ctx->order->model, &buf->order->model);
	order_take_streams(ctx);
	order_unlock(ctx, &old);
}

/**
 * order_attach_of() - get the newest attach state
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
 * order_counters() - get counters of attaches and maintenance
 * @ctx: context
 * @buf: managed buffer of any context; NULL for all buffers of @ctx
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

static enum attach_stream_kind stream_kind(const struct mem_stream *stream)
{
	if (stream->is_foreign)
		return ATTACH_STREAM_FOREIGN;
	return stream->is_blocking ? ATTACH_STREAM_BLOCKING :
				     ATTACH_STREAM_NON_BLOCKING;
}

/**
 * order_stream_create() - add a stream to the model
 * @stream: stream, whose order is set
 *
 * Return: 0 or -errno.
 */
int order_stream_create(struct mem_stream *stream)
{
	struct mem_ctx *ctx = stream->ctx;
	sigset_t old;
	int err;

	order_lock(ctx, &old);
	err = ctx->backend->order->stream_create(stream);
	if (!err)
		attach_stream_create(&ctx->order->model, &stream->order->model,
				     stream_kind(stream));
	order_unlock(ctx, &old);
	return err;
}

/*
 * Keeps the verdicts of submitted jobs on the buffers that are single to a
 * stream, because these buffers fall back to another state.
 */
static int singles_keep(struct attach_stream *model)
{
	struct attach_link *link;
	int err = 0;

	for (link = model->singles.next; link != &model->singles && !err;
	     link = link->next)
		err = order_works_keep(model_buf(containerof(link,
							     struct attach_buf,
							     in_newest)));
	return err;
}

/* Notes the new state of these buffers. Nothing can fail after this. */
static void order_note_singles(const struct mem_stream *stream,
			       struct attach_stream *model)
{
	const struct order_ops *ops = stream->ctx->backend->order;
	struct record_attach how;
	struct attach_link *link;

	if (model->singles.next == &model->singles)
		return;
	how = attach_now(RECORD_ATTACHED_BY_DESTROY, stream->id, 0);
	for (link = model->singles.next; link != &model->singles;
	     link = link->next) {
		struct attach_buf *buf = containerof(link, struct attach_buf,
						     in_newest);

		how.attach = kind_to_attach(buf->fallback);
		buf_set_newest(model_buf(buf), how.attach, NULL);
		ops->attached(model_buf(buf), &how);
	}
}

/**
 * order_stream_destroy() - remove a stream from the model
 * @stream: stream to which nothing more is submitted
 * @reach: out: maintenance that is due at its end, or NULL
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
		err = singles_keep(model);
	if (!err)
		order_note_singles(stream, model);
	if (!err)
		err = attach_stream_destroy(&ctx->order->model, model);
	if (ctx->order->reach)
		*reach = reach_take(ctx->order);
	order_take_streams(ctx);
	order_unlock(ctx, &old);
	return err;
}

static int mark_create(struct mem_stream *stream, struct mark **mark,
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
 * order_mark() - mark the place after all operations of a stream so far
 * @stream: stream
 * @mark: out: mark, for order_mark_free()
 *
 * Return: 0 or -ENOMEM.
 */
int order_mark(struct mem_stream *stream, struct mark **mark)
{
	return mark_create(stream, mark, attach_event_record);
}

/**
 * order_mark_end() - as order_mark(), but without an operation of the stream
 * @stream: stream
 * @mark: out: mark, for order_mark_free()
 *
 * Return: 0 or -ENOMEM.
 */
int order_mark_end(struct mem_stream *stream, struct mark **mark)
{
	return mark_create(stream, mark, attach_event_end);
}

/**
 * order_mark_wait() - order later operations of a stream after a mark
 * @stream: stream
 * @mark: mark; NULL adds an operation that waits for nothing
 *
 * Return: 0 or -ENOMEM.
 */
int order_mark_wait(struct mem_stream *stream, struct mark *mark)
{
	struct mem_ctx *ctx = stream->ctx;
	sigset_t old;
	int err;

	order_lock(ctx, &old);
	err = order_give_ops(ctx, 1);
	if (!err)
		err = attach_event_wait(&ctx->order->model,
					order_model_of(stream),
					mark ? &mark->event : &never);
	order_take_streams(ctx);
	order_unlock(ctx, &old);
	return err;
}

/**
 * order_mark_sync() - note that the host has waited for all before a mark
 * @ctx: context
 * @mark: mark
 */
void order_mark_sync(struct mem_ctx *ctx, struct mark *mark)
{
	sigset_t old;

	order_lock(ctx, &old);
	attach_sync_event(&ctx->order->model, &mark->event);
	order_take_streams(ctx);
	order_unlock(ctx, &old);
}

/**
 * order_mark_free() - free a mark
 * @ctx: context
 * @mark: mark
 */
void order_mark_free(struct mem_ctx *ctx, struct mark *mark)
{
	sigset_t old;

	order_lock(ctx, &old);
	attach_event_destroy(&ctx->order->model, &mark->event);
	order_take_streams(ctx);
	order_unlock(ctx, &old);
	free(mark);
}

/**
 * order_sync_all() - note that the host has waited for all work
 * @ctx: context
 */
void order_sync_all(struct mem_ctx *ctx)
{
	sigset_t old;

	order_lock(ctx, &old);
	attach_sync_device(&ctx->order->model);
	order_take_streams(ctx);
	order_unlock(ctx, &old);
}

static enum attach_kind kind_of_attach(unsigned int how)
{
	if (how == MEM_ATTACH_SINGLE)
		return ATTACH_SINGLE;
	return how == MEM_ATTACH_HOST ? ATTACH_HOST : ATTACH_GLOBAL;
}

/* Notes the new state. Nothing can fail after this. */
static void order_note_state(const struct mem_stream *stream,
			     struct mem_buf *buf,
			     unsigned int attach)
{
	const struct record_attach how =
		attach_now(RECORD_ATTACHED_BY_CALL, stream->id, attach);

	buf_set_newest(buf, attach, stream);
	stream->ctx->backend->order->attached(buf, &how);
}

/**
 * order_attach() - change the attach state of a buffer
 * @stream: stream in whose order the change takes effect
 * @buf: managed buffer of the same context
 * @how: MEM_ATTACH_*
 * @reach: out: maintenance that is due when the stream reaches it, or NULL
 *
 * Return: 0 or -ENOMEM.
 */
int order_attach(struct mem_stream *stream, struct mem_buf *buf,
		 unsigned int how, struct reach **reach)
{
	struct mem_ctx *ctx = stream->ctx;
	sigset_t old;
	int err;

	order_lock(ctx, &old);
	ctx->order->reach = reach_create(1);
	err = ctx->order->reach ? order_give_ops(ctx, 1) : -ENOMEM;
	if (!err)
		err = order_works_keep(buf);
	if (!err)
		order_note_state(stream, buf, how);
	if (!err)
		err = attach_submit_state(&ctx->order->model,
					  order_model_of(stream),
					  &buf->order->model,
					  kind_of_attach(how));
	if (ctx->order->reach)
		*reach = reach_take(ctx->order);
	order_take_streams(ctx);
	order_unlock(ctx, &old);
	return err;
}

/* Host functions */

/**
 * order_call_submit() - add a host function to the model
 * @stream: stream in whose order it is called
 * @made: out: call, for order_call_return()
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
	/* What another API calls tells the program nothing. */
	if (!err && stream->is_foreign)
		err = attach_event_wait(&ctx->order->model,
					order_model_of(stream), &never);
	else if (!err)
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
 * order_call_begin() - note that a host function is being called
 * @ctx: context
 * @call: call
 */
void order_call_begin(struct mem_ctx *ctx, struct call *call)
{
	sigset_t old;

	order_lock(ctx, &old);
	if (call->host)
		attach_host_begin(&ctx->order->model, call->host);
	order_take_streams(ctx);
	order_unlock(ctx, &old);
}

/**
 * order_call_return() - note that a host function has returned
 * @ctx: context
 * @call: call; freed
 */
void order_call_return(struct mem_ctx *ctx, struct call *call)
{
	sigset_t old;

	order_lock(ctx, &old);
	if (call->host) {
		attach_host_return(&ctx->order->model, call->host);
		race_passed(ctx);
	}
	order_take_streams(ctx);
	order_unlock(ctx, &old);
	free(call);
}
