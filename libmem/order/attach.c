// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Managed memory: contexts, streams, buffers, host functions, events and waits
 * of the model (Documentation/model.rst has the rules in words, and what a call
 * costs). Locks: none, see attach.h.
 */
#include "../../kmod/model/list.h"
#include "attach_internal.h"

/* Contexts */

static void queue_init(struct attach_queue *queue)
{
	size_t i;

	memset(queue, 0, sizeof(*queue));
	for (i = 0; i < ATTACH_NR_OP_KINDS; i++)
		list_init(&queue->ops[i]);
	list_init(&queue->in_work);
	list_init(&queue->in_reached);
}

static void stream_init(struct attach_ctx *ctx, struct attach_stream *s,
			enum attach_stream_kind kind)
{
	memset(s, 0, sizeof(*s));
	s->is_blocking = kind == ATTACH_STREAM_BLOCKING;
	s->is_foreign = kind == ATTACH_STREAM_FOREIGN;
	s->born = ctx->ticket;
	ctx->nr_foreign += s->is_foreign;
	queue_init(&s->queue);
	right_group_init(&s->group);
	list_init(&s->singles);
	list_init(&s->claims);
	list_init(&s->in_watchers);
	list_init(&s->in_active);
	list_init(&s->in_recheck);
	list_append(&ctx->streams, &s->in_ctx);
}

/**
 * attach_init() - create a context, with its NULL stream
 * @ctx: out; the caller sets its act before any other call
 * @profile: board
 */
void attach_init(struct attach_ctx *ctx, const struct profile *profile)
{
	memset(ctx, 0, sizeof(*ctx));
	ctx->class = attach_class_of(profile);
	queue_init(&ctx->domain);
	right_group_init(&ctx->group);
	list_init(&ctx->claims);
	list_init(&ctx->changed);
	list_init(&ctx->streams);
	list_init(&ctx->actives);
	list_init(&ctx->recheck);
	list_init(&ctx->waits);
	list_init(&ctx->work);
	list_init(&ctx->reached);
	list_init(&ctx->pool);
	list_init(&ctx->dead);
	stream_init(ctx, &ctx->null_stream, ATTACH_STREAM_BLOCKING);
}

/**
 * attach_fini() - end a context, whatever is in flight
 * @ctx: context, whose buffers and events have been destroyed
 *
 * The host then takes back all operations with attach_take_op() and all streams
 * with attach_take_stream(). No other call is permitted.
 */
void attach_fini(struct attach_ctx *ctx)
{
	while (!list_is_empty(&ctx->streams)) {
		struct attach_stream *s = of_link(ctx->streams.next,
						  struct attach_stream,
						  in_ctx);
		struct attach_op *op;
		enum attach_op_kind kind;

		list_remove(&s->in_ctx);
		for (kind = 0; kind < ATTACH_NR_OP_KINDS; kind++)
			while ((op = attach_queue_first(ctx, &s->queue,
							kind))) {
				list_remove(&op->in_stream);
				attach_give_op(ctx, op);
			}
		if (!attach_is_null(ctx, s))
			list_append(&ctx->dead, &s->in_ctx);
	}
}

/* Streams */

/**
 * attach_take_stream() - take back a stream that has been destroyed
 * @ctx: context
 *
 * A destroyed stream is kept while its work, an event or a state of a buffer
 * refers to it. To be called after each other call.
 *
 * Return: a stream that nothing refers to any more; NULL if there is none.
 */
struct attach_stream *attach_take_stream(struct attach_ctx *ctx)
{
	struct attach_stream *s;

	if (list_is_empty(&ctx->dead))
		return NULL;
	s = of_link(ctx->dead.next, struct attach_stream, in_ctx);
	list_remove(&s->in_ctx);
	return s;
}

/**
 * attach_stream_create() - create a stream
 * @ctx: context
 * @s: out; memory of the host, which the model uses until it is taken back
 * @kind: its kind; default streams of threads are ATTACH_STREAM_BLOCKING
 */
void attach_stream_create(struct attach_ctx *ctx, struct attach_stream *s,
			  enum attach_stream_kind kind)
{
	stream_init(ctx, s, kind);
}

/**
 * attach_stream_destroy_needs() - get what the destruction of a stream needs
 * @s: stream
 *
 * Return: number of operations that the pool must have, at most.
 */
u64 attach_stream_destroy_needs(const struct attach_stream *s)
{
	const struct attach_link *link;
	u64 nr = 0;

	for (link = s->singles.next; link != &s->singles; link = link->next)
		nr++;
	return nr;
}

static struct attach_buf *buf_of_newest(struct attach_link *in_newest)
{
	return of_link(in_newest, struct attach_buf, in_newest);
}

/**
 * attach_stream_destroy() - destroy a stream
 * @ctx: context
 * @s: stream, which takes no more operations. Its operations continue, and the
 *	model uses its memory until attach_take_stream() returns it
 *
 * Each buffer whose newest state is single to the stream falls back to its
 * default at the end of the stream, or at once if all operations of the stream
 * are known done.
 *
 * Return: 0; -EINVAL for the NULL stream and one destroyed before; -ENOMEM if
 * the pool has too few operations, see attach_stream_destroy_needs().
 */
int attach_stream_destroy(struct attach_ctx *ctx, struct attach_stream *s)
{
	bool is_known = s->last <= attach_known_of(ctx, s);
	struct attach_link *at;

	if (attach_is_null(ctx, s) || s->is_destroyed)
		return -EINVAL;
	if (!is_known && attach_stream_destroy_needs(s) > ctx->nr_pool)
		return -ENOMEM;
	at = attach_domain_place(ctx, s->last);
	s->is_destroyed = true;
	attach_recheck_later(ctx, s);
	while (!list_is_empty(&s->singles)) {
		struct attach_buf *buf = buf_of_newest(s->singles.next);
		struct attach_state state = { .kind = buf->fallback };

		attach_buf_change(ctx, buf, state,
				  is_known ? NULL :
					     attach_state_at_end(ctx, s, at));
	}
	attach_end_call(ctx);
	return 0;
}

/* Buffers */

/**
 * attach_buf_create() - create a managed buffer
 * @ctx: context
 * @buf: out; memory of the host
 * @len: bytes
 * @kind: ATTACH_GLOBAL or ATTACH_HOST: its state, and what it falls back to
 *
 * The CPU cannot touch a global buffer that is created while a stream is active
 * until the host has waited.
 */
void attach_buf_create(struct attach_ctx *ctx, struct attach_buf *buf, u64 len,
		       enum attach_kind kind)
{
	memset(buf, 0, sizeof(*buf));
	right_buf_init(&buf->right, len);
	buf->fallback = kind;
	buf->base.kind = kind;
	list_init(&buf->states);
	list_init(&buf->in_newest);
	list_init(&buf->claim.in_claims);
	list_init(&buf->in_changed);
	attach_buf_list_newest(buf);
	attach_buf_join(ctx, buf);
	if (!attach_is_revoked(buf))
		attach_may_be_dirty(ctx, &buf->right);
}

/**
 * attach_buf_destroy() - destroy a buffer, whatever is in flight
 * @ctx: context
 * @buf: buffer, whose memory the model does not use any more
 */
void attach_buf_destroy(struct attach_ctx *ctx, struct attach_buf *buf)
{
	right_leave(&buf->right);
	list_remove(&buf->in_newest);
	attach_buf_set_base(ctx, buf,
			    (struct attach_state) { .kind = ATTACH_HOST },
			    NULL);
	list_remove(&buf->in_changed);
	attach_end_call(ctx);
}

/**
 * attach_buf_counters() - get what was done for a buffer
 * @ctx: context
 * @buf: buffer
 * @count: out
 */
void attach_buf_counters(const struct attach_ctx *ctx,
			 const struct attach_buf *buf,
			 struct attach_counters *count)
{
	const u64 len = buf->right.len;
	struct right_tally tally;

	right_tally_of(&buf->right, &tally);
	*count = buf->count;
	count->revoked += tally.revoked;
	count->restored += tally.restored;
	count->gpu_cleans += tally.gpu_cleans;
	count->gpu_cleaned_bytes += tally.gpu_cleans * len;
	count->gpu_invalidates += tally.jobs;
	count->gpu_invalidated_bytes += tally.jobs * len;
	if (ctx->class == ATTACH_NONCOHERENT) {
		count->cpu_invalidates += tally.gpu_cleans;
		count->cpu_invalidated_bytes += tally.gpu_cleans * len;
		count->cleans += tally.jobs;
		count->cleaned_bytes += tally.jobs * len;
	}
}

/**
 * attach_is_revoked() - check whether the CPU may not touch a buffer now
 * @buf: buffer
 *
 * Return: true if it may not.
 */
bool attach_is_revoked(const struct attach_buf *buf)
{
	return right_is_refused(&buf->right);
}

/**
 * attach_submit_state() - attach a buffer
 * @ctx: context
 * @s: stream in whose order the attach is, and to which ATTACH_SINGLE attaches
 * @buf: buffer
 * @kind: new state
 *
 * Calls act for what is due. The maintenance of a prefetch has to be carried
 * out after the earlier work of the stream. Access is revoked at once.
 *
 * Return: 0; -EINVAL if the stream is destroyed; -ENOMEM if the pool is empty.
 */
int attach_submit_state(struct attach_ctx *ctx, struct attach_stream *s,
			struct attach_buf *buf, enum attach_kind kind)
{
	struct attach_state state = {
		.kind = kind,
		.stream = kind == ATTACH_SINGLE ? s : NULL,
	};

	if (s->is_destroyed)
		return -EINVAL;
	if (list_is_empty(&ctx->pool))
		return -ENOMEM;
	attach_buf_change(ctx, buf, state,
			  attach_op_submit(ctx, s, ATTACH_OP_STATE));
	return 0;
}

/* Host functions */

/**
 * attach_submit_host() - submit a host function
 * @ctx: context
 * @s: stream; later work does not count as active until the function returns
 * @host: out: function, for attach_host_begin(), attach_host_return() and
 *	attach_host_withdraw()
 *
 * Return: 0; -EINVAL if the stream is destroyed; -ENOMEM if the pool is empty.
 */
int attach_submit_host(struct attach_ctx *ctx, struct attach_stream *s,
		       struct attach_op **host)
{
	if (s->is_destroyed)
		return -EINVAL;
	if (list_is_empty(&ctx->pool))
		return -ENOMEM;
	*host = attach_op_submit(ctx, s, ATTACH_OP_HOST);
	s->last_hold = s->last;
	ctx->nr_host++;
	return 0;
}

/**
 * attach_host_begin() - note that a host function is being called
 * @ctx: context
 * @host: function; all operations that it is ordered behind are known done
 *
 * Return: 0; -EINVAL if it has begun; -EBUSY if it is behind a host function
 * that has not returned, so that it cannot have been called.
 */
int attach_host_begin(struct attach_ctx *ctx, struct attach_op *host)
{
	const struct attach_point point = {
		.stream = host->stream,
		.at = host->first - 1,
		.null = host->null,
	};
	int err;

	if (host->has_begun)
		return -EINVAL;
	err = attach_point_known(ctx, &point);
	if (!err)
		host->has_begun = true;
	return err;
}

/* Rechecks the streams that a host function held up, and no longer does. */
static void host_let_go(struct attach_ctx *ctx, struct attach_op *host)
{
	while (!list_is_empty(&host->watchers)) {
		struct attach_stream *s = of_link(host->watchers.next,
						  struct attach_stream,
						  in_watchers);

		attach_stream_unwatch(s);
		attach_recheck_later(ctx, s);
	}
	ctx->nr_host--;
}

/**
 * attach_host_withdraw() - remove a host function that will not be called
 * @ctx: context
 * @host: function, which no longer exists afterwards
 *
 * Makes nothing known done.
 */
void attach_host_withdraw(struct attach_ctx *ctx, struct attach_op *host)
{
	host_let_go(ctx, host);
	attach_op_drop(ctx, host);
	attach_end_call(ctx);
}

/**
 * attach_host_return() - note that a host function has returned
 * @ctx: context
 * @host: function, which no longer exists if this succeeds
 *
 * Operations that only this function held up become active.
 *
 * Return: 0; -EINVAL if it has not begun.
 */
int attach_host_return(struct attach_ctx *ctx, struct attach_op *host)
{
	struct attach_queue *queue = &host->stream->queue;
	u64 at = host->first;

	if (!host->has_begun)
		return -EINVAL;
	host_let_go(ctx, host);
	attach_queue_known(ctx, queue, at);
	attach_end_call(ctx);
	return 0;
}

/* Events */

static void event_set(struct attach_ctx *ctx, struct attach_event *event,
		      const struct attach_point *point)
{
	attach_stream_get(point->stream);
	attach_stream_put(ctx, event->point.stream);
	event->point = *point;
	attach_end_call(ctx);
}

/**
 * attach_event_end() - record an event without an operation of the stream
 * @ctx: context
 * @event: event; what it stood for before is forgotten
 * @s: stream; the event stands for all its operations so far
 *
 * Return: 0; -EINVAL if the stream is destroyed.
 */
int attach_event_end(struct attach_ctx *ctx, struct attach_event *event,
		     struct attach_stream *s)
{
	struct attach_point point;

	if (s->is_destroyed)
		return -EINVAL;
	point = attach_point_now(ctx, s);
	event_set(ctx, event, &point);
	return 0;
}

/**
 * attach_event_record() - record an event
 * @ctx: context
 * @event: event; what it stood for before is forgotten
 * @s: stream; the event is behind all its operations so far
 *
 * Return: 0; -EINVAL if the stream is destroyed.
 */
int attach_event_record(struct attach_ctx *ctx, struct attach_event *event,
			struct attach_stream *s)
{
	struct attach_point point;

	if (s->is_destroyed)
		return -EINVAL;
	point = attach_point_now(ctx, s);
	point.at = attach_take_ticket(ctx, s);
	event_set(ctx, event, &point);
	return 0;
}

/* Returns true if a wait orders nothing that the host does not know. */
static bool wait_is_known(const struct attach_ctx *ctx,
			  const struct attach_op *wait)
{
	const struct attach_point *source = &wait->source;

	return !source->stream || source->stream == wait->stream ||
	       source->at <= attach_known_of(ctx, source->stream);
}

/* The host may never wait for a foreign stream itself. */
static void stream_drop_waits(struct attach_ctx *ctx, struct attach_stream *s)
{
	struct attach_op *op;

	while ((op = attach_queue_first(ctx, &s->queue, ATTACH_OP_WAIT)) &&
	       wait_is_known(ctx, op))
		attach_op_drop(ctx, op);
}

/**
 * attach_event_wait() - have a stream wait for an event
 * @ctx: context
 * @s: stream; all operations that are submitted to it later are behind the
 *	event
 * @event: event, as it was recorded last; if it never was, the stream waits for
 *	nothing
 *
 * Return: 0; -EINVAL if the stream is destroyed; -ENOMEM if the pool is empty.
 */
int attach_event_wait(struct attach_ctx *ctx, struct attach_stream *s,
		      const struct attach_event *event)
{
	struct attach_op *op;

	if (s->is_destroyed)
		return -EINVAL;
	if (list_is_empty(&ctx->pool))
		return -ENOMEM;
	if (s->is_foreign)
		stream_drop_waits(ctx, s);
	op = attach_op_submit(ctx, s, ATTACH_OP_WAIT);
	op->source = event->point;
	attach_stream_get(op->source.stream);
	if (wait_is_known(ctx, op))
		attach_op_drop(ctx, op);
	else
		s->last_hold = s->last;
	attach_end_call(ctx);
	return 0;
}

/**
 * attach_event_destroy() - destroy an event
 * @ctx: context
 * @event: event; streams that wait for it continue to wait
 */
void attach_event_destroy(struct attach_ctx *ctx, struct attach_event *event)
{
	attach_stream_put(ctx, event->point.stream);
	event->point.stream = NULL;
	attach_end_call(ctx);
}

/* Waits of the host */

/*
 * Makes all operations of a stream known done. What they waited for in foreign
 * streams is known with them.
 */
static void stream_known(struct attach_ctx *ctx, struct attach_stream *s)
{
	const struct attach_point point = attach_point_now(ctx, s);

	if (ctx->nr_foreign) {
		attach_search(ctx, &point, NULL);
		attach_reached_known(ctx);
	}
	attach_queue_known(ctx, &s->queue, ctx->ticket);
}

/**
 * attach_sync_device() - note that the host has waited for all operations
 * @ctx: context
 *
 * Foreign streams do not count: the host waits for other APIs by their calls.
 *
 * Return: 0; -EBUSY if a host function has not returned, so that the host
 * cannot have waited.
 */
int attach_sync_device(struct attach_ctx *ctx)
{
	struct attach_link *link = ctx->streams.next;

	if (ctx->nr_host)
		return -EBUSY;
	while (link != &ctx->streams) {
		struct attach_stream *s = of_link(link, struct attach_stream,
						  in_ctx);

		link = link->next;
		if (!s->is_foreign)
			stream_known(ctx, s);
	}
	ctx->domain.known = ctx->ticket;
	attach_end_call(ctx);
	return 0;
}

/**
 * attach_sync_stream() - note that the host has waited for a stream
 * @ctx: context
 * @s: stream; what an operation submitted to it now would be behind is known
 *	done
 *
 * Also to be called after a query that returned success, and after the work of
 * a fully synchronous copy or set has been submitted.
 *
 * Return: 0; -EINVAL if the stream is destroyed; -EBUSY if it is behind a host
 * function that has not returned.
 */
int attach_sync_stream(struct attach_ctx *ctx, struct attach_stream *s)
{
	const struct attach_point point = attach_point_now(ctx, s);

	if (s->is_destroyed)
		return -EINVAL;
	return attach_point_known(ctx, &point);
}

/**
 * attach_sync_event() - note that the host has waited for an event
 * @ctx: context
 * @event: event, as it was recorded last; if it never was, nothing becomes
 *	known done
 *
 * Also to be called after a query that returned success.
 *
 * Return: 0; -EBUSY if it is behind a host function that has not returned.
 */
int attach_sync_event(struct attach_ctx *ctx, const struct attach_event *event)
{
	return event->point.stream ? attach_point_known(ctx, &event->point) : 0;
}
