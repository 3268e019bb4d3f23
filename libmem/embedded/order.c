// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The order of streams: the model of kmod/model/attach.h. It is called for what
 * the program asks for, in the order of the program's calls, and says at once
 * which streams are active and what is due. What a wait makes due is done at
 * once (rights.c). What belongs to the order of a stream is done when that
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
#include "embedded.h"

struct mark {
	struct attach_event event;
};

struct call {
	struct attach_op *host;
};

/**
 * order_lock() - lock the order of a context
 * @ctx: context
 * @old: out: for order_unlock()
 */
void order_lock(struct embedded_ctx *ctx, sigset_t *old)
{
	signals_block(old);
	pthread_mutex_lock(&ctx->order_lock);
}

/**
 * order_unlock() - and unlock it
 * @ctx: context
 * @old: from order_lock()
 */
void order_unlock(struct embedded_ctx *ctx, const sigset_t *old)
{
	pthread_mutex_unlock(&ctx->order_lock);
	signals_restore(old);
}

static struct embedded_buf *buf_of(struct attach_buf *buf)
{
	return containerof(buf, struct embedded_buf, attach);
}

static void act(struct attach_ctx *model, struct attach_buf *attach, u32 what)
{
	rights_act(containerof(model, struct embedded_ctx, attach),
		   buf_of(attach), what);
}

static void stream_changed(struct attach_ctx *model, struct attach_stream *s,
			   bool again_own, bool again_all)
{
	struct embedded_ctx *ctx = containerof(model, struct embedded_ctx,
					       attach);

	rights_stream_set(ctx, order_rights(ctx, s), s->is_active, again_own,
			  again_all);
}

/* Room for what a call makes due later; NULL: it is not there. */
static struct reach *reach_create(size_t max)
{
	return calloc(1, sizeof(struct reach) +
			 max * sizeof(struct embedded_buf *));
}

/* What has come of it. */
static struct reach *reach_take(struct embedded_ctx *ctx)
{
	struct reach *reach = ctx->reach;

	ctx->reach = NULL;
	if (reach->nr)
		return reach;
	free(reach);
	return NULL;
}

/**
 * order_reach() - a stream has come to an attach
 * @base: context
 * @reach: what is due; gone
 */
void order_reach(struct mem_ctx *base, struct reach *reach)
{
	struct embedded_ctx *ctx = embedded_ctx_of(base);
	sigset_t old;
	size_t i;

	order_lock(ctx, &old);
	rights_reach(reach);
	order_unlock(ctx, &old);
	for (i = 0; i < reach->nr; i++)
		embedded_buf_put(reach->bufs[i]);
	free(reach);
}

/**
 * order_init() - a context's part of the model
 * @ctx: context with its board
 *
 * Return: 0.
 */
int order_init(struct embedded_ctx *ctx)
{
	pthread_mutex_init(&ctx->order_lock, NULL);
	attach_init(&ctx->attach, ctx->base.board);
	ctx->attach.act = act;
	ctx->attach.stream_changed = stream_changed;
	list_init(&ctx->in_flight);
	return 0;
}

static struct order *order_of(struct attach_stream *model)
{
	return containerof(model, struct order, model);
}

/* Streams that nothing refers to any more. */
static void take_streams(struct embedded_ctx *ctx)
{
	struct attach_stream *model;

	while ((model = attach_take_stream(&ctx->attach)))
		free(order_of(model));
}

/**
 * order_fini() - the context goes
 * @ctx: context without buffers, events and work
 */
void order_fini(struct embedded_ctx *ctx)
{
	struct attach_op *op;

	attach_fini(&ctx->attach);
	while ((op = attach_take_op(&ctx->attach)))
		free(op);
	take_streams(ctx);
	pthread_mutex_destroy(&ctx->order_lock);
}

/* The model takes memory from a pool: as much as a call may need is there. */
static int give_ops(struct embedded_ctx *ctx, u64 nr)
{
	struct attach_op *op;

	while (ctx->attach.nr_pool < nr) {
		op = calloc(1, sizeof(*op));
		if (!op)
			return -ENOMEM;
		attach_give_op(&ctx->attach, op);
	}
	return 0;
}

static struct attach_stream *model_of(struct mem_stream *stream)
{
	if (stream->order)
		return &stream->order->model;
	return &embedded_ctx_of(stream->ctx)->attach.null_stream;
}

/* What jobs may do, as of their submission */

static struct work_verdict *verdict_find(const struct work *work,
					 const struct embedded_buf *buf)
{
	size_t i;

	for (i = 0; i < work->nr_verdicts; i++)
		if (work->verdicts[i].buf == buf)
			return &work->verdicts[i];
	return NULL;
}

/* What the rules say of a job as things are. */
static bool may_touch(struct embedded_ctx *ctx, const struct work *work,
		      const struct embedded_buf *buf)
{
	return attach_judge_job(&ctx->attach, work->stream, &buf->attach,
				NULL) == ATTACH_ALLOWED;
}

static struct work_verdict *verdict_add(struct work *work,
					struct embedded_buf *buf,
					bool sees)
{
	const size_t nr = work->nr_verdicts;
	struct work_verdict *all;

	/* Room for a power of two. */
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

static int verdict_keep(struct embedded_ctx *ctx, struct work *work,
			struct embedded_buf *buf)
{
	return verdict_add(work, buf, may_touch(ctx, work, buf)) ? 0 : -ENOMEM;
}

static void verdict_forget(struct work *work, const struct embedded_buf *buf)
{
	struct work_verdict *verdict = verdict_find(work, buf);

	if (verdict)
		verdict->buf = NULL;
}

/* Its state is going to change: what is under way is judged by the old one. */
static int keep_verdicts(struct embedded_ctx *ctx, struct embedded_buf *buf)
{
	struct work *work;
	int err = 0;

	for (work = ctx->works; work && !err; work = work->next)
		if (!verdict_find(work, buf))
			err = verdict_keep(ctx, work, buf);
	return err;
}

static void put_in_flight(struct embedded_ctx *ctx, struct embedded_buf *buf)
{
	if (buf->is_in_flight)
		return;
	buf->is_in_flight = true;
	list_append(&ctx->in_flight, &buf->in_flight);
}

static void land(struct embedded_buf *buf)
{
	if (!buf->is_in_flight)
		return;
	buf->is_in_flight = false;
	list_remove(&buf->in_flight);
}

/* A job that is about to be submitted: what in flight means for it. */
static int judge_in_flight(struct embedded_ctx *ctx, struct work *work)
{
	struct attach_link *link = ctx->in_flight.next;
	int err = 0;

	while (link != &ctx->in_flight && !err) {
		struct embedded_buf *buf = containerof(link,
						       struct embedded_buf,
						       in_flight);

		link = link->next;
		if (!buf->attach.is_in_flight)
			land(buf);
		else
			err = verdict_keep(ctx, work, buf);
	}
	return err;
}

/**
 * order_work_sees() - may a job touch a managed buffer?
 * @ctx: context
 * @work: the job
 * @buf: the buffer
 *
 * Context: the order lock is held.
 * Return: true if it may, as of its submission.
 */
bool order_work_sees(struct embedded_ctx *ctx, const struct work *work,
		     struct embedded_buf *buf)
{
	const struct work_verdict *verdict = verdict_find(work, buf);

	return verdict ? verdict->sees : may_touch(ctx, work, buf);
}

/**
 * order_job_sees() - a job touches a managed buffer: may it?
 * @ctx: context
 * @work: the job
 * @buf: the buffer
 * @is_news: out: if not: it has not been told for this job; it counts as told
 *
 * Context: the order lock is held.
 * Return: true if it may.
 */
bool order_job_sees(struct embedded_ctx *ctx, struct work *work,
		    struct embedded_buf *buf, bool *is_news)
{
	struct work_verdict *verdict = verdict_find(work, buf);

	*is_news = false;
	if (order_work_sees(ctx, work, buf))
		return true;
	if (!verdict)
		verdict = verdict_add(work, buf, false);
	*is_news = !verdict || !verdict->is_told;
	if (verdict)
		verdict->is_told = true;
	if (*is_news)
		attach_count_job_touch(&ctx->attach, &buf->attach);
	return false;
}

/**
 * order_work_begin() - a job starts: what it sees is cleaned
 * @ctx: context
 * @work: it
 */
void order_work_begin(struct embedded_ctx *ctx, struct work *work)
{
	sigset_t old;

	order_lock(ctx, &old);
	rights_work_begin(ctx, work);
	order_unlock(ctx, &old);
}

/* Buffers */

static uint32_t name_of(enum attach_kind kind)
{
	if (kind == ATTACH_SINGLE)
		return MEM_ATTACH_SINGLE;
	return kind == ATTACH_HOST ? MEM_ATTACH_HOST : MEM_ATTACH_GLOBAL;
}

static void newest_set(struct embedded_buf *buf, unsigned int how,
		       const struct mem_stream *stream)
{
	const uint64_t id = how == MEM_ATTACH_SINGLE ? stream->id : 0;

	atomic_store_explicit(&buf->newest, id << NEWEST_STREAM_SHIFT | how,
			      memory_order_relaxed);
}

/**
 * order_buf_create() - a managed buffer begins
 * @ctx: context
 * @buf: with its flags
 */
void order_buf_create(struct embedded_ctx *ctx, struct embedded_buf *buf)
{
	struct tell_attach how;
	bool is_told;
	sigset_t old;

	newest_set(buf, buf->base.flags, NULL);
	is_told = watch_attached_now(&how, TELL_ATTACHED_BY_ALLOC, 0);
	order_lock(ctx, &old);
	if (is_told)
		rights_attached(buf, &how, buf->base.flags);
	attach_buf_create(&ctx->attach, &buf->attach,
			  buf->base.asked_len,
			  buf->base.flags == MEM_ATTACH_HOST ? ATTACH_HOST :
							       ATTACH_GLOBAL);
	rights_buf_create(ctx, buf);
	order_unlock(ctx, &old);
}

/**
 * order_buf_destroy() - and ends
 * @ctx: context
 * @buf: that no work touches any more
 */
void order_buf_destroy(struct embedded_ctx *ctx, struct embedded_buf *buf)
{
	struct work *work;
	sigset_t old;

	order_lock(ctx, &old);
	land(buf);
	rights_buf_destroy(ctx, buf);
	for (work = ctx->works; work; work = work->next)
		verdict_forget(work, buf);
	attach_buf_destroy(&ctx->attach, &buf->attach);
	take_streams(ctx);
	order_unlock(ctx, &old);
}

/* Newest attach state; the order lock is held. */
static struct attach_state newest_state(const struct embedded_buf *buf)
{
	const struct attach_buf *model = &buf->attach;

	if (model->states.prev == &model->states)
		return model->base;
	return containerof(model->states.prev, struct attach_op, in_buf)->state;
}

/**
 * order_attach_name() - as applications have it
 * @state: attach state
 *
 * Return: MEM_ATTACH_*.
 */
uint32_t order_attach_name(const struct attach_state *state)
{
	return name_of(state->kind);
}

/**
 * order_rights() - the rights of a stream
 * @ctx: context
 * @model: stream, or NULL
 *
 * Return: them, NULL of none.
 */
struct rights_stream *order_rights(struct embedded_ctx *ctx,
				   struct attach_stream *model)
{
	if (!model)
		return NULL;
	return model == &ctx->attach.null_stream ? &ctx->null_stream :
						   &order_of(model)->rights;
}

/**
 * order_attach_of() - newest attach state
 * @base: managed buffer
 *
 * Return: MEM_ATTACH_*.
 */
uint32_t order_attach_of(struct mem_buf *base)
{
	struct embedded_ctx *ctx = embedded_ctx_of(base->ctx);
	struct attach_state state;
	sigset_t old;

	order_lock(ctx, &old);
	state = newest_state(embedded_buf_of(base));
	order_unlock(ctx, &old);
	return order_attach_name(&state);
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
 * @base: context
 * @buf: managed buffer, of any context; NULL: all of this one
 * @count: out: all but the size
 */
void order_counters(struct mem_ctx *base, struct mem_buf *buf,
		    struct mem_attach_counters *count)
{
	struct embedded_ctx *ctx = embedded_ctx_of(buf ? buf->ctx : base);
	struct attach_counters all;
	sigset_t old;

	order_lock(ctx, &old);
	if (buf)
		attach_buf_counters(&ctx->attach,
				    &embedded_buf_of(buf)->attach, &all);
	else
		all = ctx->attach.count;
	all.cpu_while_active = rights_nr_refused(ctx, buf ?
						 embedded_buf_of(buf) : NULL);
	order_unlock(ctx, &old);
	memcpy(&count->revoked, &all, COUNTERS_LEN);
}

/* Streams */

/**
 * order_stream_create() - a stream begins
 * @stream: gets its order
 *
 * Return: 0 or -ENOMEM.
 */
int order_stream_create(struct mem_stream *stream)
{
	struct embedded_ctx *ctx = embedded_ctx_of(stream->ctx);
	struct order *order = calloc(1, sizeof(*order));
	sigset_t old;

	if (!order)
		return -ENOMEM;
	rights_stream_init(&order->rights, stream->id);
	order_lock(ctx, &old);
	attach_stream_create(&ctx->attach, &order->model, stream->is_blocking);
	order_unlock(ctx, &old);
	stream->order = order;
	return 0;
}

/* Buffers that are single to it fall back, but not for what is under way. */
static int keep_singles(struct embedded_ctx *ctx, struct attach_stream *model)
{
	struct attach_link *link;
	int err;

	for (link = model->singles.next; link != &model->singles;
	     link = link->next) {
		struct embedded_buf *buf =
			buf_of(containerof(link, struct attach_buf,
					   in_newest));

		err = keep_verdicts(ctx, buf);
		if (err)
			return err;
		put_in_flight(ctx, buf);
	}
	return 0;
}

/* Nothing can fail any more: it is told of already. */
static void tell_singles(const struct mem_stream *stream,
			 struct attach_stream *model)
{
	struct tell_attach how;
	struct attach_link *link;
	bool is_told;

	if (model->singles.next == &model->singles)
		return;
	is_told = watch_attached_now(&how, TELL_ATTACHED_BY_DESTROY,
				     stream->id);
	for (link = model->singles.next; link != &model->singles;
	     link = link->next) {
		struct attach_buf *buf = containerof(link, struct attach_buf,
						     in_newest);

		newest_set(buf_of(buf), name_of(buf->fallback), NULL);
		if (is_told)
			rights_attached(buf_of(buf), &how,
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
	struct embedded_ctx *ctx = embedded_ctx_of(stream->ctx);
	struct attach_stream *model = model_of(stream);
	sigset_t old;
	u64 needs;
	int err;

	order_lock(ctx, &old);
	needs = attach_stream_destroy_needs(model);
	ctx->reach = reach_create(needs);
	err = ctx->reach ? give_ops(ctx, needs) : -ENOMEM;
	if (!err)
		err = keep_singles(ctx, model);
	if (!err)
		tell_singles(stream, model);
	if (!err)
		err = attach_stream_destroy(&ctx->attach, model);
	if (ctx->reach)
		*reach = reach_take(ctx);
	take_streams(ctx);
	order_unlock(ctx, &old);
	return err;
}

static int mark_make(struct mem_stream *stream, struct mark **mark,
		     int (*set)(struct attach_ctx *ctx,
				struct attach_event *event,
				struct attach_stream *s))
{
	struct embedded_ctx *ctx = embedded_ctx_of(stream->ctx);
	struct mark *new = calloc(1, sizeof(*new));
	sigset_t old;
	int err;

	if (!new)
		return -ENOMEM;
	order_lock(ctx, &old);
	err = set(&ctx->attach, &new->event, model_of(stream));
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
	struct embedded_ctx *ctx = embedded_ctx_of(stream->ctx);
	sigset_t old;
	int err;

	order_lock(ctx, &old);
	err = give_ops(ctx, 1);
	if (!err)
		err = attach_event_wait(&ctx->attach, model_of(stream),
					mark ? &mark->event : &never);
	take_streams(ctx);
	order_unlock(ctx, &old);
	return err;
}

/**
 * order_mark_sync() - the host has waited for all before a mark
 * @base: context
 * @mark: mark
 */
void order_mark_sync(struct mem_ctx *base, struct mark *mark)
{
	struct embedded_ctx *ctx = embedded_ctx_of(base);
	sigset_t old;

	order_lock(ctx, &old);
	attach_sync_event(&ctx->attach, &mark->event);
	take_streams(ctx);
	order_unlock(ctx, &old);
}

/**
 * order_mark_free() - nobody needs a mark any more
 * @base: context
 * @mark: mark
 */
void order_mark_free(struct mem_ctx *base, struct mark *mark)
{
	struct embedded_ctx *ctx = embedded_ctx_of(base);
	sigset_t old;

	order_lock(ctx, &old);
	attach_event_destroy(&ctx->attach, &mark->event);
	take_streams(ctx);
	order_unlock(ctx, &old);
	free(mark);
}

/**
 * order_sync_all() - the host has waited for all
 * @base: context
 */
void order_sync_all(struct mem_ctx *base)
{
	struct embedded_ctx *ctx = embedded_ctx_of(base);
	sigset_t old;

	order_lock(ctx, &old);
	attach_sync_device(&ctx->attach);
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
 * @base: managed buffer of the same context
 * @how: MEM_ATTACH_*
 * @reach: out: what is due when the stream comes to it, or NULL
 *
 * Return: 0 or -ENOMEM.
 */
int order_attach(struct mem_stream *stream, struct mem_buf *base,
		 unsigned int how, struct reach **reach)
{
	struct embedded_ctx *ctx = embedded_ctx_of(stream->ctx);
	struct embedded_buf *buf = embedded_buf_of(base);
	struct tell_attach attached;
	sigset_t old;
	int err;

	order_lock(ctx, &old);
	ctx->reach = reach_create(1);
	err = ctx->reach ? give_ops(ctx, 1) : -ENOMEM;
	if (!err)
		err = keep_verdicts(ctx, buf);
	if (!err)
		err = attach_submit_state(&ctx->attach, model_of(stream),
					  &buf->attach, kind_of(how));
	if (!err) {
		put_in_flight(ctx, buf);
		newest_set(buf, how, stream);
	}
	if (!err && watch_attached_now(&attached, TELL_ATTACHED_BY_CALL,
				       order_rights(ctx, model_of(stream))->id))
		rights_attached(buf, &attached, how);
	if (ctx->reach)
		*reach = reach_take(ctx);
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
	struct embedded_ctx *ctx = embedded_ctx_of(stream->ctx);
	struct call *call = calloc(1, sizeof(*call));
	sigset_t old;
	int err;

	if (!call)
		return -ENOMEM;
	order_lock(ctx, &old);
	err = give_ops(ctx, 1);
	if (!err)
		err = attach_submit_host(&ctx->attach, model_of(stream),
					 &call->host);
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
 * @base: context
 * @call: it
 */
void order_call_begin(struct mem_ctx *base, struct call *call)
{
	struct embedded_ctx *ctx = embedded_ctx_of(base);
	sigset_t old;

	order_lock(ctx, &old);
	attach_host_begin(&ctx->attach, call->host);
	take_streams(ctx);
	order_unlock(ctx, &old);
}

/**
 * order_call_return() - it has returned
 * @base: context
 * @call: it; gone
 */
void order_call_return(struct mem_ctx *base, struct call *call)
{
	struct embedded_ctx *ctx = embedded_ctx_of(base);
	sigset_t old;

	order_lock(ctx, &old);
	attach_host_return(&ctx->attach, call->host);
	take_streams(ctx);
	order_unlock(ctx, &old);
	free(call);
}

/* Device work */

static struct attach_side side_of(const struct mem_buf *buf)
{
	struct attach_side side = { .memory = ATTACH_PAGEABLE };

	if (!buf)
		return side;
	/* Where the CPU is meant, a heap's buffer is not looked up. */
	if (buf->kind == MEM_KIND_DEVICE || is_heaps(buf)) {
		side.memory = ATTACH_DEVICE;
	} else if (buf->kind == MEM_KIND_MANAGED) {
		side.memory = ATTACH_MANAGED;
		side.buf = &containerof(buf, struct embedded_buf, base)->attach;
	} else {
		side.memory = ATTACH_PINNED;
	}
	return side;
}

/**
 * order_judge() - what a copy or set is
 * @stream: in order of this one
 * @dst: target, NULL: pageable
 * @src: source, NULL: pageable
 * @is_set: there is no source
 * @verdict: out
 *
 * Return: 0, or -EINVAL (nobody sets pageable memory).
 */
int order_judge(struct mem_stream *stream, const struct mem_buf *dst,
		const struct mem_buf *src, bool is_set,
		struct verdict *verdict)
{
	struct embedded_ctx *ctx = embedded_ctx_of(stream->ctx);
	const struct attach_side to = side_of(dst), from = side_of(src);
	struct attach_copy copy;
	sigset_t old;
	int err = 0;

	order_lock(ctx, &old);
	if (is_set)
		err = attach_judge_set(to.memory, &copy);
	else
		attach_judge_copy(&ctx->attach, model_of(stream), &from, &to,
				  &copy);
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

static void work_link(struct embedded_ctx *ctx, struct work *work)
{
	work->next = ctx->works;
	if (work->next)
		work->next->prev = work;
	ctx->works = work;
}

static void work_free(struct work *work)
{
	free(work->verdicts);
	free(work);
}

/**
 * order_work_submit() - a device has something to do
 * @stream: in order of this one
 * @launch: a kernel, whose entry is set; NULL: a copy or set
 * @made: out
 *
 * Return: 0 or -ENOMEM.
 */
int order_work_submit(struct mem_stream *stream,
		      const struct mem_launch *launch, struct work **made)
{
	struct embedded_ctx *ctx = embedded_ctx_of(stream->ctx);
	struct work *work = calloc(1, sizeof(*work));
	sigset_t old;
	int err;

	if (!work)
		return -ENOMEM;
	work->stream = model_of(stream);
	work->is_own = launch && gate_has_kernel(launch->kernel);
	work->acting = (struct acting) {
		.job = atomic_fetch_add(&ctx->nr_submitted, 1) + 1,
		.time_ns = now_ns(),
		.stream = stream->id,
		.kernel = launch ? (uintptr_t)launch->entry : 0,
		.engine = launch ? engine_name(launch->engine) : "dma",
		.stack = tell_stack(0),
	};
	order_lock(ctx, &old);
	err = give_ops(ctx, 1);
	if (!err)
		err = judge_in_flight(ctx, work);
	if (!err) {
		rights_work_submit(ctx, order_rights(ctx, work->stream),
				   &work->acting);
		err = attach_submit_work(&ctx->attach, work->stream);
	}
	if (!err)
		work_link(ctx, work);
	order_unlock(ctx, &old);
	if (err) {
		work_free(work);
		return err;
	}
	trace_submit(&work->acting, NULL);
	*made = work;
	return 0;
}

/**
 * order_work_touch() - what a copy or set is known to touch
 * @base: context
 * @work: it
 * @buf: of the context
 * @is_write: it writes that
 */
void order_work_touch(struct mem_ctx *base, struct work *work,
		      struct mem_buf *buf, bool is_write)
{
	struct embedded_ctx *ctx = embedded_ctx_of(base);
	bool is_news;
	sigset_t old;

	if (buf->kind != MEM_KIND_MANAGED)
		return;
	order_lock(ctx, &old);
	if (!order_job_sees(ctx, work, embedded_buf_of(buf), &is_news) &&
	    is_news)
		watch_not_attached(embedded_buf_of(buf), 0, is_write, 0, work);
	order_unlock(ctx, &old);
}

/**
 * order_work_end() - it is done
 * @base: context
 * @work: it; gone
 */
void order_work_end(struct mem_ctx *base, struct work *work)
{
	struct embedded_ctx *ctx = embedded_ctx_of(base);
	sigset_t old;

	order_lock(ctx, &old);
	if (work->prev)
		work->prev->next = work->next;
	else
		ctx->works = work->next;
	if (work->next)
		work->next->prev = work->prev;
	order_unlock(ctx, &old);
	work_free(work);
}
