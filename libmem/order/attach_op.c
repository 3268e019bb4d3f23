// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Managed memory: the operations of streams and the order between them.
 * Documentation/model.rst has the rules in words, and what a call costs. Locks:
 * none, see attach.h.
 *
 * Each operation has a ticket, and the tickets of a stream ascend. Therefore
 * the operations of a stream that are known done are those up to some ticket.
 * Only operations that are not known done are kept: waits, host functions,
 * states, and rows of jobs. A search backwards over the waits that are kept
 * finds what an operation is ordered behind. A wait of the host searches in the
 * same way and drops what it finds, so each operation is dropped once.
 *
 * All operations of the NULL stream and of the blocking streams are also in one
 * common queue, the domain. An operation of the NULL stream is behind all
 * operations of the domain with a lower ticket, so that no search visits the
 * blocking streams one by one.
 */
#include "../../kmod/model/list.h"
#include "attach_internal.h"

/* Streams */

/**
 * attach_known_of() - get up to which ticket a stream is known done
 * @ctx: context
 * @s: stream
 *
 * Return: the ticket; 0: no operation of the stream is known done.
 */
u64 attach_known_of(const struct attach_ctx *ctx, const struct attach_stream *s)
{
	u64 known = s->queue.known;

	if (s->is_blocking && ctx->domain.known > known)
		known = ctx->domain.known;
	return known;
}

/**
 * attach_recheck_later() - have a stream checked at the end of the call
 * @ctx: context
 * @s: stream whose work changed, or what its work waits for, or that may have
 *	lost its last reference; see attach_end_call()
 */
void attach_recheck_later(struct attach_ctx *ctx, struct attach_stream *s)
{
	if (list_is_empty(&s->in_recheck))
		list_append(&ctx->recheck, &s->in_recheck);
}

/**
 * attach_stream_get() - take a reference to a stream
 * @s: stream, or NULL
 */
void attach_stream_get(struct attach_stream *s)
{
	if (s)
		s->refs++;
}

/**
 * attach_stream_put() - drop a reference to a stream
 * @ctx: context
 * @s: stream, or NULL
 *
 * A destroyed stream is released at the end of the call, if it has no reference
 * then: until then, it stays in its lists.
 */
void attach_stream_put(struct attach_ctx *ctx, struct attach_stream *s)
{
	if (!s)
		return;
	s->refs--;
	if (s->is_destroyed && (s->is_foreign || !s->refs))
		attach_recheck_later(ctx, s);
}

/* The pool */

/**
 * attach_give_op() - give the context memory for an operation
 * @ctx: context
 * @op: memory that the caller owns again after attach_take_op(); not yet used
 *
 * Each submission uses one at most. It returns to the pool when the operation
 * is known done and nothing refers to it.
 */
void attach_give_op(struct attach_ctx *ctx, struct attach_op *op)
{
	list_append(&ctx->pool, &op->in_stream);
	ctx->nr_pool++;
}

/**
 * attach_take_op() - take an operation's memory back from the pool
 * @ctx: context
 *
 * Return: memory of attach_give_op(); NULL if all of it is in use.
 */
struct attach_op *attach_take_op(struct attach_ctx *ctx)
{
	struct attach_op *op;

	if (list_is_empty(&ctx->pool))
		return NULL;
	op = attach_op_of(ctx->pool.next);
	list_remove(&op->in_stream);
	ctx->nr_pool--;
	return op;
}

static struct attach_op *pool_get(struct attach_ctx *ctx)
{
	struct attach_op *op = attach_op_of(ctx->pool.next);

	list_remove(&op->in_stream);
	ctx->nr_pool--;
	memset(op, 0, sizeof(*op));
	list_init(&op->in_stream);
	list_init(&op->in_domain);
	list_init(&op->in_buf);
	list_init(&op->in_waits);
	list_init(&op->claim.in_claims);
	list_init(&op->watchers);
	return op;
}

/* Operations */

/**
 * attach_op_drop() - remove an operation from all lists, to the pool
 * @ctx: context
 * @op: operation of any kind
 */
void attach_op_drop(struct attach_ctx *ctx, struct attach_op *op)
{
	struct attach_stream *s = op->stream;

	if (op->kind == ATTACH_OP_WORK)
		ctx->nr_works--;
	list_remove(&op->in_stream);
	list_remove(&op->in_domain);
	list_remove(&op->in_buf);
	list_remove(&op->in_waits);
	list_remove(&op->claim.in_claims);
	attach_stream_put(ctx, op->source.stream);
	attach_stream_put(ctx, op->state.stream);
	attach_give_op(ctx, op);
	attach_stream_put(ctx, s);
}

/**
 * attach_null_now() - get what a new operation is behind in the NULL stream
 * @ctx: context
 * @s: stream of the operation
 *
 * Return: the ticket up to which it would be behind the operations of the NULL
 * stream; 0 if the stream is not blocking.
 */
u64 attach_null_now(const struct attach_ctx *ctx, const struct attach_stream *s)
{
	return s->is_blocking ? ctx->null_last : 0;
}

/**
 * attach_take_ticket() - number a new operation
 * @ctx: context
 * @s: stream of the operation
 *
 * Return: its ticket, which is the newest of the stream and of the context.
 */
u64 attach_take_ticket(struct attach_ctx *ctx, struct attach_stream *s)
{
	s->last_null = attach_null_now(ctx, s);
	s->last = ++ctx->ticket;
	if (attach_is_null(ctx, s))
		ctx->null_last = s->last;
	else if (s->is_blocking)
		ctx->blocking_last = s->last;
	return s->last;
}

/**
 * attach_point_now() - get the place of a new operation in the order
 * @ctx: context
 * @s: stream of the operation
 *
 * Return: what an operation that is submitted now would be behind.
 */
struct attach_point attach_point_now(const struct attach_ctx *ctx,
				     struct attach_stream *s)
{
	return (struct attach_point) {
		.stream = s,
		.at = ctx->ticket,
		.null = attach_null_now(ctx, s),
	};
}

/**
 * attach_op_submit() - add an operation at the end of a stream
 * @ctx: context whose pool is not empty
 * @s: stream
 * @kind: kind of the operation
 *
 * Return: the operation, which has the newest ticket.
 */
struct attach_op *attach_op_submit(struct attach_ctx *ctx,
				   struct attach_stream *s,
				   enum attach_op_kind kind)
{
	struct attach_op *op = pool_get(ctx);

	op->kind = kind;
	op->stream = s;
	op->null = attach_null_now(ctx, s);
	op->first = attach_take_ticket(ctx, s);
	op->last = op->first;
	attach_stream_get(s);
	list_append(&s->queue.ops[kind], &op->in_stream);
	if (s->is_blocking)
		list_append(&ctx->domain.ops[kind], &op->in_domain);
	if (kind == ATTACH_OP_WAIT)
		list_append(&ctx->waits, &op->in_waits);
	if (kind == ATTACH_OP_WORK)
		ctx->nr_works++;
	return op;
}

/* Order */

static void queue_reach(struct attach_ctx *ctx, struct attach_queue *queue,
			u64 at)
{
	if (queue->epoch != ctx->epoch) {
		queue->epoch = ctx->epoch;
		queue->reach = 0;
		queue->cursor = queue->ops[ATTACH_OP_WAIT].next;
		list_init(&queue->in_work);
		list_append(&ctx->reached, &queue->in_reached);
	}
	if (at <= queue->reach)
		return;
	queue->reach = at;
	if (list_is_empty(&queue->in_work))
		list_append(&ctx->work, &queue->in_work);
}

/*
 * A search need not continue at a point that is known done: it waits for
 * nothing, and all operations before it are known done, too.
 */
static void point_reach(struct attach_ctx *ctx,
			const struct attach_point *point)
{
	struct attach_stream *s = point->stream;
	u64 null = attach_is_null(ctx, s) ? point->at : point->null;

	if (point->at > attach_known_of(ctx, s))
		queue_reach(ctx, &s->queue, point->at);
	if (s->is_blocking && null > ctx->domain.known)
		queue_reach(ctx, &ctx->domain, null);
}

/* Returns the operation at a link of one of the lists of a queue. */
static struct attach_op *queue_op(const struct attach_ctx *ctx,
				  const struct attach_queue *queue,
				  struct attach_link *link)
{
	if (queue == &ctx->domain)
		return of_link(link, struct attach_op, in_domain);
	return attach_op_of(link);
}

/**
 * attach_queue_first() - get the oldest operation of a kind
 * @ctx: context
 * @queue: queue of a stream, or the domain
 * @kind: kind of operation
 *
 * Return: the operation; NULL if the queue has none of this kind.
 */
struct attach_op *attach_queue_first(const struct attach_ctx *ctx,
				     struct attach_queue *queue,
				     enum attach_op_kind kind)
{
	struct attach_link *head = &queue->ops[kind];

	return list_is_empty(head) ? NULL : queue_op(ctx, queue, head->next);
}

/**
 * attach_search() - find all operations that a point is behind
 * @ctx: context
 * @point: point
 * @host: out: a host function that the point is behind and that has not
 *	returned, at which the search stops; NULL if there is none. If @host is
 *	NULL, the search does not stop at host functions
 *
 * Operations that are known done are not searched. Afterwards the point is
 * behind the operations of each reached queue up to the reach of that queue.
 */
void attach_search(struct attach_ctx *ctx, const struct attach_point *point,
		   struct attach_op **host)
{
	if (host)
		*host = NULL;
	ctx->epoch++;
	list_init(&ctx->work);
	list_init(&ctx->reached);
	point_reach(ctx, point);
	while (!list_is_empty(&ctx->work)) {
		struct attach_queue *queue = of_link(ctx->work.next,
						     struct attach_queue,
						     in_work);
		struct attach_link *end = &queue->ops[ATTACH_OP_WAIT];
		struct attach_op *op = attach_queue_first(ctx, queue,
							  ATTACH_OP_HOST);

		list_remove(&queue->in_work);
		if (host && op && op->first <= queue->reach) {
			*host = op;
			return;
		}
		while (queue->cursor != end) {
			ctx->nr_steps++;
			op = queue_op(ctx, queue, queue->cursor);
			if (op->first > queue->reach)
				break;
			queue->cursor = queue->cursor->next;
			point_reach(ctx, &op->source);
		}
	}
}

/**
 * attach_search_all() - attach_search() that does not stop at host functions
 * @ctx: context
 * @point: point
 *
 * Within a call, it searches once for successive calls with the same point.
 */
void attach_search_all(struct attach_ctx *ctx, const struct attach_point *point)
{
	const struct attach_point *last = &ctx->searched;

	if (ctx->searched_epoch == ctx->epoch &&
	    last->stream == point->stream && last->at == point->at &&
	    last->null == point->null)
		return;
	attach_search(ctx, point, NULL);
	ctx->searched = *point;
	ctx->searched_epoch = ctx->epoch;
}

/*
 * Returns a host function that has not returned and that operations of @queue
 * up to @at are behind, as attach_find_held() found it; NULL if there is none.
 */
static struct attach_op *queue_held(struct attach_ctx *ctx,
				    struct attach_queue *queue, u64 at)
{
	struct attach_op *host = attach_queue_first(ctx, queue, ATTACH_OP_HOST);

	if (host && host->first <= at)
		return host;
	return queue->held_epoch == ctx->epoch && queue->held_from <= at ?
	       queue->held_by : NULL;
}

/**
 * attach_point_held() - get a host function that holds up a point
 * @ctx: context, after attach_find_held()
 * @point: point
 *
 * Return: a host function that the point is behind and that has not returned;
 * NULL if there is none.
 */
struct attach_op *attach_point_held(struct attach_ctx *ctx,
				    const struct attach_point *point)
{
	struct attach_stream *s = point->stream;
	u64 null = attach_is_null(ctx, s) ? point->at : point->null;
	struct attach_op *host = queue_held(ctx, &s->queue, point->at);

	if (!host && s->is_blocking)
		host = queue_held(ctx, &ctx->domain, null);
	return host;
}

static void queue_hold(struct attach_ctx *ctx, struct attach_queue *queue,
		       u64 from, struct attach_op *host)
{
	if (queue->held_epoch == ctx->epoch)
		return;
	queue->held_epoch = ctx->epoch;
	queue->held_from = from;
	queue->held_by = host;
}

/**
 * attach_find_held() - find which operations host functions hold up
 * @ctx: context
 *
 * It finds the ticket of each queue from which on the operations are behind a
 * host function that has not returned. A wait waits for what came before it, so
 * one pass over all waits, the oldest first, finds the ticket of every queue. A
 * search for each stream would cost the product of both numbers.
 */
void attach_find_held(struct attach_ctx *ctx)
{
	struct attach_link *link;

	ctx->epoch++;
	for (link = ctx->waits.next; link != &ctx->waits; link = link->next) {
		struct attach_op *wait = of_link(link, struct attach_op,
						 in_waits);
		struct attach_op *host = attach_point_held(ctx, &wait->source);

		ctx->nr_steps++;
		if (!host)
			continue;
		queue_hold(ctx, &wait->stream->queue, wait->first, host);
		if (wait->stream->is_blocking)
			queue_hold(ctx, &ctx->domain, wait->first, host);
	}
}

/* Returns up to which ticket the last search reached a stream; 0: nowhere. */
static u64 stream_reach(const struct attach_ctx *ctx,
			const struct attach_stream *s)
{
	const struct attach_queue *queue = &s->queue;
	u64 reach = queue->epoch == ctx->epoch ? queue->reach : 0;

	queue = &ctx->domain;
	if (s->is_blocking && queue->epoch == ctx->epoch &&
	    queue->reach > reach)
		reach = queue->reach;
	return reach;
}

static bool stream_is_reached(const struct attach_ctx *ctx,
			      const struct attach_stream *s, u64 ticket)
{
	return ticket <= stream_reach(ctx, s);
}

/**
 * attach_behind() - find out what an operation is behind
 * @ctx: context
 * @s: stream of the operation, which is its newest one
 * @other: another stream
 *
 * Successive calls for one @s search once.
 *
 * Return: ticket; the operation is behind all operations of @other up to it, or
 * the host knew when it was submitted that they are done. Those after it are
 * neither.
 */
u64 attach_behind(struct attach_ctx *ctx, struct attach_stream *s,
		  const struct attach_stream *other)
{
	const struct attach_point point = attach_point_now(ctx, s);
	u64 behind = attach_known_of(ctx, other), reach;

	attach_search_all(ctx, &point);
	reach = stream_reach(ctx, other);
	if (reach > behind)
		behind = reach;
	/* What was before it is none of its operations. */
	return other->born > behind ? other->born : behind;
}

/**
 * attach_is_reached() - check whether the last search reached an operation
 * @ctx: context
 * @op: operation; of a row of jobs, the first job counts
 *
 * Return: true if it did.
 */
bool attach_is_reached(const struct attach_ctx *ctx, const struct attach_op *op)
{
	return stream_is_reached(ctx, op->stream, op->first);
}

/**
 * attach_is_reached_whole() - attach_is_reached() for all jobs of a row
 * @ctx: context
 * @op: operation
 *
 * Return: true if the last search reached the last job of the row, too.
 */
bool attach_is_reached_whole(const struct attach_ctx *ctx,
			     const struct attach_op *op)
{
	return stream_is_reached(ctx, op->stream, op->last);
}

/* Attaches at the end of a stream */

/**
 * attach_domain_place() - find the place of a state in the domain
 * @ctx: context
 * @at: ticket of the state
 *
 * Return: the link of the last state in the domain that is not after the
 * ticket, or the head of the list.
 */
struct attach_link *attach_domain_place(struct attach_ctx *ctx, u64 at)
{
	struct attach_link *head = &ctx->domain.ops[ATTACH_OP_STATE];
	struct attach_link *link = head->prev;

	while (link != head && queue_op(ctx, &ctx->domain, link)->first > at)
		link = link->prev;
	return link;
}

/**
 * attach_state_at_end() - add an attach at the end of a stream
 * @ctx: context whose pool is not empty
 * @s: stream
 * @at: its place in the domain, from attach_domain_place()
 *
 * The attach has the ticket of the stream's last operation and none of its own.
 * Therefore all that is behind that operation is behind the attach.
 *
 * Return: the operation.
 */
struct attach_op *attach_state_at_end(struct attach_ctx *ctx,
				      struct attach_stream *s,
				      struct attach_link *at)
{
	struct attach_op *op = pool_get(ctx);

	op->kind = ATTACH_OP_STATE;
	op->stream = s;
	op->null = s->last_null;
	op->first = s->last;
	op->last = s->last;
	attach_stream_get(s);
	list_append(&s->queue.ops[ATTACH_OP_STATE], &op->in_stream);
	if (s->is_blocking)
		list_insert(at, &op->in_domain);
	return op;
}
