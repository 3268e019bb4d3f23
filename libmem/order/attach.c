// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Managed memory: order, known done, active, attach states and the maintenance
 * that they make due (DESIGN 2.4; the rules in words, and what a call costs,
 * are in Documentation/model.rst). Locks: none, see attach.h.
 *
 * Each operation has a ticket; a stream's are in order, so what is known done
 * of a stream is all up to some ticket. Only what is not known done is kept:
 * waits, host functions, states, and rows of jobs. What an operation is
 * ordered behind is found by a search backwards over the waits that are kept;
 * a wait of the host goes the same way and drops what it comes to, so each is
 * dropped once. The NULL stream and the blocking streams have a queue that all
 * are in, too: of that, an operation of the NULL stream is behind all that has
 * a lower ticket, and no blocking stream need be looked at.
 */
#include "../../kmod/model/list.h"
#include "../../kmod/model/profile.h"
#include "attach.h"

#define of_link(link, type, member) \
	((type *)((char *)(link) - offsetof(type, member)))

static struct attach_op *op_of(struct attach_link *in_stream)
{
	return of_link(in_stream, struct attach_op, in_stream);
}

static struct attach_op *state_of(struct attach_link *in_buf)
{
	return of_link(in_buf, struct attach_op, in_buf);
}

static struct attach_claim *claim_of(struct attach_link *in_claims)
{
	return of_link(in_claims, struct attach_claim, in_claims);
}

static struct attach_buf *newest_of(struct attach_link *in_newest)
{
	return of_link(in_newest, struct attach_buf, in_newest);
}

static struct attach_stream *recheck_of(struct attach_link *in_recheck)
{
	return of_link(in_recheck, struct attach_stream, in_recheck);
}

static bool is_null(const struct attach_ctx *ctx, const struct attach_stream *s)
{
	return s == &ctx->null_stream;
}

static void queue_init(struct attach_queue *queue)
{
	size_t i;

	memset(queue, 0, sizeof(*queue));
	for (i = 0; i < ATTACH_NR_OP_KINDS; i++)
		list_init(&queue->ops[i]);
	list_init(&queue->in_work);
	list_init(&queue->in_reached);
}

static u64 known_of(const struct attach_ctx *ctx, const struct attach_stream *s)
{
	u64 known = s->queue.known;

	if (s->is_blocking && ctx->domain.known > known)
		known = ctx->domain.known;
	return known;
}

/* Streams, and who names them */

static void get_stream(struct attach_stream *s)
{
	if (s)
		s->refs++;
}

static void recheck_later(struct attach_ctx *ctx, struct attach_stream *s)
{
	if (list_is_empty(&s->in_recheck))
		list_append(&ctx->recheck, &s->in_recheck);
}

/* When the call ends the last may be taken back: lists stay until then. */
static void put_stream(struct attach_ctx *ctx, struct attach_stream *s)
{
	if (!s)
		return;
	s->refs--;
	if (s->is_destroyed && !s->refs)
		recheck_later(ctx, s);
}

static void drop_dead(struct attach_ctx *ctx, struct attach_stream *s)
{
	if (!s->is_destroyed || s->refs)
		return;
	list_remove(&s->in_ctx);
	list_append(&ctx->dead, &s->in_ctx);
}

static void stream_init(struct attach_ctx *ctx, struct attach_stream *s,
			bool is_blocking)
{
	memset(s, 0, sizeof(*s));
	s->is_blocking = is_blocking;
	queue_init(&s->queue);
	right_group_init(&s->group);
	list_init(&s->singles);
	list_init(&s->claims);
	list_init(&s->in_watchers);
	list_init(&s->in_active);
	list_init(&s->in_recheck);
	list_append(&ctx->streams, &s->in_ctx);
}

/* Operations */

static struct attach_op *pool_get(struct attach_ctx *ctx)
{
	struct attach_op *op = op_of(ctx->pool.next);

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

static void pool_put(struct attach_ctx *ctx, struct attach_op *op)
{
	list_append(&ctx->pool, &op->in_stream);
	ctx->nr_pool++;
}

/* Out of all lists and into the pool, whatever it is. */
static void op_drop(struct attach_ctx *ctx, struct attach_op *op)
{
	struct attach_stream *s = op->stream;

	if (op->kind == ATTACH_OP_WORK)
		ctx->nr_works--;
	list_remove(&op->in_stream);
	list_remove(&op->in_domain);
	list_remove(&op->in_buf);
	list_remove(&op->in_waits);
	list_remove(&op->claim.in_claims);
	put_stream(ctx, op->source.stream);
	put_stream(ctx, op->state.stream);
	pool_put(ctx, op);
	put_stream(ctx, s);
}

/* The ticket up to which it would be behind the NULL stream's. */
static u64 null_now(const struct attach_ctx *ctx, const struct attach_stream *s)
{
	return s->is_blocking ? ctx->null_last : 0;
}

/* Another operation in @s: its ticket. */
static u64 take_ticket(struct attach_ctx *ctx, struct attach_stream *s)
{
	s->last_null = null_now(ctx, s);
	s->last = ++ctx->ticket;
	if (is_null(ctx, s))
		ctx->null_last = s->last;
	else if (s->is_blocking)
		ctx->blocking_last = s->last;
	return s->last;
}

/* What an operation submitted to @s now would be behind. */
static struct attach_point point_now(const struct attach_ctx *ctx,
				     struct attach_stream *s)
{
	return (struct attach_point) {
		.stream = s,
		.at = ctx->ticket,
		.null = null_now(ctx, s),
	};
}

static struct attach_op *op_submit(struct attach_ctx *ctx,
				   struct attach_stream *s,
				   enum attach_op_kind kind)
{
	struct attach_op *op = pool_get(ctx);

	op->kind = kind;
	op->stream = s;
	op->null = null_now(ctx, s);
	op->first = take_ticket(ctx, s);
	op->last = op->first;
	get_stream(s);
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

static void reach_queue(struct attach_ctx *ctx, struct attach_queue *queue,
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

/* What is known done holds up nothing, and all before it is known, too. */
static void reach_point(struct attach_ctx *ctx,
			const struct attach_point *point)
{
	struct attach_stream *s = point->stream;
	u64 null = is_null(ctx, s) ? point->at : point->null;

	if (point->at > known_of(ctx, s))
		reach_queue(ctx, &s->queue, point->at);
	if (s->is_blocking && null > ctx->domain.known)
		reach_queue(ctx, &ctx->domain, null);
}

/* The operation at a link of one of @queue's lists. */
static struct attach_op *op_in(const struct attach_ctx *ctx,
			       const struct attach_queue *queue,
			       struct attach_link *link)
{
	if (queue == &ctx->domain)
		return of_link(link, struct attach_op, in_domain);
	return op_of(link);
}

static struct attach_op *first_in(const struct attach_ctx *ctx,
				  struct attach_queue *queue,
				  enum attach_op_kind kind)
{
	struct attach_link *head = &queue->ops[kind];

	return list_is_empty(head) ? NULL : op_in(ctx, queue, head->next);
}

/*
 * Find all that @point is behind and that is not known done: of each queue
 * that is reached, all up to its reach. With @host it ends at a host function
 * that has not returned, which comes back there, NULL there is none.
 */
static void search(struct attach_ctx *ctx, const struct attach_point *point,
		   struct attach_op **host)
{
	if (host)
		*host = NULL;
	ctx->epoch++;
	list_init(&ctx->work);
	list_init(&ctx->reached);
	reach_point(ctx, point);
	while (!list_is_empty(&ctx->work)) {
		struct attach_queue *queue = of_link(ctx->work.next,
						     struct attach_queue,
						     in_work);
		struct attach_link *end = &queue->ops[ATTACH_OP_WAIT];
		struct attach_op *op = first_in(ctx, queue, ATTACH_OP_HOST);

		list_remove(&queue->in_work);
		if (host && op && op->first <= queue->reach) {
			*host = op;
			return;
		}
		while (queue->cursor != end) {
			ctx->nr_steps++;
			op = op_in(ctx, queue, queue->cursor);
			if (op->first > queue->reach)
				break;
			queue->cursor = queue->cursor->next;
			reach_point(ctx, &op->source);
		}
	}
}

/* The same to the end, once for each point as long as nothing changes. */
static void search_all(struct attach_ctx *ctx, const struct attach_point *point)
{
	const struct attach_point *last = &ctx->searched;

	if (ctx->searched_epoch == ctx->epoch &&
	    last->stream == point->stream && last->at == point->at &&
	    last->null == point->null)
		return;
	search(ctx, point, NULL);
	ctx->searched = *point;
	ctx->searched_epoch = ctx->epoch;
}

/*
 * Returns a host function that has not returned and that operations of @queue
 * up to @at are behind, as find_held() found it; NULL: there is none.
 */
static struct attach_op *queue_held(struct attach_ctx *ctx,
				    struct attach_queue *queue, u64 at)
{
	struct attach_op *host = first_in(ctx, queue, ATTACH_OP_HOST);

	if (host && host->first <= at)
		return host;
	return queue->held_epoch == ctx->epoch && queue->held_from <= at ?
	       queue->held_by : NULL;
}

static struct attach_op *point_held(struct attach_ctx *ctx,
				    const struct attach_point *point)
{
	struct attach_stream *s = point->stream;
	u64 null = is_null(ctx, s) ? point->at : point->null;
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

/*
 * Find from which ticket on each queue is behind a host function that has not
 * returned. A wait is for what came before it, so that one look at all waits,
 * the oldest first, answers for all streams: a search for each of them would
 * take the product of both numbers.
 */
static void find_held(struct attach_ctx *ctx)
{
	struct attach_link *link;

	ctx->epoch++;
	for (link = ctx->waits.next; link != &ctx->waits; link = link->next) {
		struct attach_op *wait = of_link(link, struct attach_op,
						 in_waits);
		struct attach_op *host = point_held(ctx, &wait->source);

		ctx->nr_steps++;
		if (!host)
			continue;
		queue_hold(ctx, &wait->stream->queue, wait->first, host);
		if (wait->stream->is_blocking)
			queue_hold(ctx, &ctx->domain, wait->first, host);
	}
}

/* Has the last search come to that ticket of a stream? */
static bool ticket_is_reached(const struct attach_ctx *ctx,
			      const struct attach_stream *s, u64 ticket)
{
	const struct attach_queue *queue = &s->queue;

	if (queue->epoch == ctx->epoch && ticket <= queue->reach)
		return true;
	queue = &ctx->domain;
	return s->is_blocking && queue->epoch == ctx->epoch &&
	       ticket <= queue->reach;
}

/* Has it come to an operation? */
static bool is_reached(const struct attach_ctx *ctx, const struct attach_op *op)
{
	return ticket_is_reached(ctx, op->stream, op->first);
}

/* To the last of a row of jobs? */
static bool is_reached_whole(const struct attach_ctx *ctx,
			     const struct attach_op *op)
{
	return ticket_is_reached(ctx, op->stream, op->last);
}

/* States of a buffer */

static struct attach_state newest_state(const struct attach_buf *buf)
{
	return list_is_empty(&buf->states) ? buf->base :
					     state_of(buf->states.prev)->state;
}

/* Buffers of this state, without an attach in flight; NULL: of host. */
static struct right_group *group_of(struct attach_ctx *ctx,
				    const struct attach_state *state)
{
	switch (state->kind) {
	case ATTACH_GLOBAL:
		return &ctx->group;
	case ATTACH_SINGLE:
		return &state->stream->group;
	default:
		return NULL;
	}
}

static void join_group(struct attach_ctx *ctx, struct attach_buf *buf)
{
	struct right_group *group = group_of(ctx, &buf->base);

	if (group)
		right_join(group, &buf->right);
}

static void list_by_newest(struct attach_buf *buf)
{
	struct attach_state state = newest_state(buf);

	list_remove(&buf->in_newest);
	if (state.kind == ATTACH_SINGLE)
		list_append(&state.stream->singles, &buf->in_newest);
}

/* While an attach is in flight, of this and of each state after it. */
static void claim(struct attach_ctx *ctx, struct attach_claim *claim,
		  struct attach_buf *buf, const struct attach_state *state)
{
	claim->buf = buf;
	list_remove(&claim->in_claims);
	if (state->kind == ATTACH_GLOBAL)
		list_append(&ctx->claims, &claim->in_claims);
	else if (state->kind == ATTACH_SINGLE)
		list_append(&state->stream->claims, &claim->in_claims);
}

/* The new base; older states in flight say nothing any more. */
static void set_base(struct attach_ctx *ctx, struct attach_buf *buf,
		     struct attach_state state, struct attach_op *until)
{
	struct attach_state old = buf->base;

	get_stream(state.stream);
	buf->base = state;
	claim(ctx, &buf->claim, buf, &state);
	put_stream(ctx, old.stream);
	while (!list_is_empty(&buf->states)) {
		struct attach_op *op = state_of(buf->states.next);

		op_drop(ctx, op);
		if (op == until)
			break;
	}
}

/* For hosts that have groups, too. */
static void tell_group(struct attach_ctx *ctx, struct attach_buf *buf, u32 what)
{
	if (ctx->stream_changed)
		ctx->act(ctx, buf, what);
}

static void set_settled(struct attach_ctx *ctx, struct attach_buf *buf)
{
	buf->is_in_flight = false;
	buf->blocker = NULL;
	list_remove(&buf->claim.in_claims);
	join_group(ctx, buf);
	tell_group(ctx, buf, ATTACH_JOIN);
}

/* A host with groups knows by itself what jobs have to clean. */
static void may_be_dirty(struct attach_ctx *ctx, struct right_buf *buf)
{
	if (!ctx->stream_changed)
		right_set_dirty(buf, true);
}

/* What is due, and what it counts */

static void count_maintenance(struct attach_counters *count, u32 what, u64 len)
{
	if (what & ATTACH_REVOKE)
		count->revoked++;
	if (what & ATTACH_RESTORE)
		count->restored++;
	if (what & ATTACH_PREFETCH_TO_CPU)
		count->prefetches_to_cpu++;
	if (what & ATTACH_PREFETCH_TO_GPU)
		count->prefetches_to_gpu++;
	if (what & ATTACH_CLEAN) {
		count->cleans++;
		count->cleaned_bytes += len;
	}
	if (what & ATTACH_CPU_INVALIDATE) {
		count->cpu_invalidates++;
		count->cpu_invalidated_bytes += len;
	}
	if (what & ATTACH_GPU_CLEAN) {
		count->gpu_cleans++;
		count->gpu_cleaned_bytes += len;
	}
}

/* For one buffer; what is done for a group is counted with that. */
static void maintain(struct attach_ctx *ctx, struct attach_buf *buf, u32 what)
{
	count_maintenance(&buf->count, what, buf->right.len);
	count_maintenance(&ctx->count, what, buf->right.len);
	if (ctx->act)
		ctx->act(ctx, buf, what);
}

static bool state_allows_job(const struct attach_state *state,
			     const struct attach_stream *s)
{
	return state->kind == ATTACH_GLOBAL ||
	       (state->kind == ATTACH_SINGLE && state->stream == s);
}

/* The newest work of a stream that is not known done, NULL there is none. */
static struct attach_op *unknown_work(struct attach_stream *s)
{
	struct attach_link *rows = &s->queue.ops[ATTACH_OP_WORK];

	return list_is_empty(rows) ? NULL : op_of(rows->prev);
}

/*
 * Returns true if a stream has work that is not known done. With @attach what
 * the last search came to does not count.
 */
static bool stream_has_work_left(struct attach_ctx *ctx,
				 struct attach_stream *s,
				 const struct attach_op *attach)
{
	struct attach_op *work = unknown_work(s);

	ctx->nr_steps++;
	return work && !(attach && is_reached_whole(ctx, work));
}

/* The same of any stream; found once for each search. */
static bool any_has_work_left(struct attach_ctx *ctx,
			      const struct attach_op *attach)
{
	struct attach_link *link;

	if (!attach)
		return ctx->nr_works;
	if (ctx->left_epoch == ctx->epoch)
		return ctx->has_work_left;
	ctx->left_epoch = ctx->epoch;
	ctx->has_work_left = false;
	for (link = ctx->streams.next;
	     link != &ctx->streams && !ctx->has_work_left; link = link->next)
		ctx->has_work_left =
			stream_has_work_left(ctx,
					     of_link(link, struct attach_stream,
						     in_ctx), attach);
	return ctx->has_work_left;
}

/* Returns true if such work may have seen a buffer that is in this state. */
static bool state_has_work_left(struct attach_ctx *ctx,
				const struct attach_state *state,
				const struct attach_op *attach)
{
	switch (state->kind) {
	case ATTACH_GLOBAL:
		return any_has_work_left(ctx, attach);
	case ATTACH_SINGLE:
		return stream_has_work_left(ctx, state->stream, attach);
	default:
		return false;
	}
}

/*
 * Returns true if there is work that is not known done and that may have seen a
 * buffer, by any of the states that decide about the CPU: taking the buffer
 * from the GPU now is not the last time then. A job behind a host function may
 * be behind an attach that is as little known as itself. @attach: as that is
 * reached, behind the work before it; NULL: now.
 */
static bool is_still_seen(struct attach_ctx *ctx, const struct attach_buf *buf,
			  const struct attach_op *attach)
{
	struct attach_link *link;

	/* Then all work that is not known done is active. */
	if (!attach && !ctx->nr_host)
		return false;
	if (attach) {
		const struct attach_point point = {
			.stream = attach->stream,
			.at = attach->first,
			.null = attach->null,
		};

		search_all(ctx, &point);
	}
	if (state_has_work_left(ctx, &buf->base, attach))
		return true;
	for (link = buf->states.next; link != &buf->states; link = link->next)
		if (state_has_work_left(ctx, &state_of(link)->state, attach))
			return true;
	return false;
}

static u32 gpu_clean_of(const struct attach_ctx *ctx)
{
	return ctx->class == ATTACH_NONCOHERENT ?
	       ATTACH_GPU_CLEAN | ATTACH_CPU_INVALIDATE : ATTACH_GPU_CLEAN;
}

/*
 * GPU clean and CPU invalidate: only if a job has seen it since the last, or
 * was not known done then. @attach: see is_still_seen().
 */
static u32 take_from_gpu(struct attach_ctx *ctx, struct attach_buf *buf,
			 const struct attach_op *attach)
{
	if (!buf->right.is_due)
		return 0;
	buf->right.is_due = is_still_seen(ctx, buf, attach);
	return gpu_clean_of(ctx);
}

static bool state_allows_cpu(const struct attach_ctx *ctx,
			     const struct attach_state *state)
{
	switch (state->kind) {
	case ATTACH_GLOBAL:
		return !ctx->nr_active;
	case ATTACH_SINGLE:
		return !state->stream->is_active;
	default:
		return true;
	}
}

/* The oldest state that forbids it, NULL none does. */
static const struct attach_state *forbids_cpu(struct attach_ctx *ctx,
					      const struct attach_buf *buf)
{
	struct attach_link *link;

	if (ctx->class == ATTACH_CONCURRENT)
		return NULL;
	if (!state_allows_cpu(ctx, &buf->base))
		return &buf->base;
	for (link = buf->states.next; link != &buf->states; link = link->next) {
		ctx->nr_steps++;
		if (!state_allows_cpu(ctx, &state_of(link)->state))
			return &state_of(link)->state;
	}
	return NULL;
}

static void set_blocker(struct attach_ctx *ctx, struct attach_buf *buf,
			struct attach_stream *blocker)
{
	if (buf->blocker == blocker)
		return;
	buf->blocker = blocker;
	tell_group(ctx, buf, ATTACH_BLOCKER);
}

/* Of a buffer with an attach in flight. */
static void update_right(struct attach_ctx *ctx, struct attach_buf *buf)
{
	const struct attach_state *state = forbids_cpu(ctx, buf);
	const bool is_forbidden = state;

	set_blocker(ctx, buf, state ? state->stream : NULL);
	if (is_forbidden == buf->right.is_refused)
		return;
	buf->right.is_refused = is_forbidden;
	if (is_forbidden) {
		maintain(ctx, buf, ATTACH_REVOKE);
		return;
	}
	may_be_dirty(ctx, &buf->right);
	maintain(ctx, buf, ATTACH_RESTORE | take_from_gpu(ctx, buf, NULL));
}

/* @op: the attach, NULL: it is done */
static void prefetch_by_attach(struct attach_ctx *ctx, struct attach_buf *buf,
			       enum attach_kind from, enum attach_kind to,
			       const struct attach_op *op)
{
	u32 what = 0;

	if (ctx->class == ATTACH_CONCURRENT)
		return;
	if (from != ATTACH_HOST && to == ATTACH_HOST)
		what = ATTACH_PREFETCH_TO_CPU | take_from_gpu(ctx, buf, op);
	else if (from == ATTACH_HOST && to != ATTACH_HOST)
		what = ATTACH_PREFETCH_TO_GPU |
		       (ctx->class == ATTACH_NONCOHERENT ? ATTACH_CLEAN : 0);
	if (what)
		maintain(ctx, buf, what);
}

/* Active */

static void unwatch(struct attach_stream *s)
{
	list_remove(&s->in_watchers);
	s->witness = NULL;
}

static void set_active(struct attach_ctx *ctx, struct attach_stream *s,
		       bool is_active)
{
	if (s->is_active == is_active)
		return;
	s->is_active = is_active;
	if (is_active) {
		ctx->nr_active++;
		list_append(&ctx->actives, &s->in_active);
	} else {
		ctx->nr_active--;
		list_remove(&s->in_active);
	}
}

/*
 * What holds up some work of a stream holds up all that follows it there: the
 * oldest work decides. find_held() has been called, if there is a host function
 * that has not returned.
 */
static void recheck(struct attach_ctx *ctx, struct attach_stream *s)
{
	struct attach_op *work = first_in(ctx, &s->queue, ATTACH_OP_WORK);
	struct attach_op *host = NULL;

	unwatch(s);
	if (work && ctx->nr_host) {
		const struct attach_point point = {
			.stream = s, .at = work->first, .null = work->null,
		};

		host = point_held(ctx, &point);
	}
	if (host) {
		s->witness = host;
		list_append(&host->watchers, &s->in_watchers);
	}
	set_active(ctx, s, work && !host);
}

/* Buffers without an attach in flight, by group */

static struct attach_buf *member_of(struct right_buf *right)
{
	return of_link(right, struct attach_buf, right);
}

static void act_on_group(struct attach_ctx *ctx, struct right_group *group,
			 u32 what)
{
	struct right_buf *buf = NULL;

	if (!ctx->act || ctx->stream_changed)
		return;
	while ((buf = right_group_next(group, buf))) {
		u32 due = what;

		ctx->nr_steps++;
		if (what & ATTACH_RESTORE) {
			right_set_dirty(buf, true);
			if (right_is_due(buf))
				due |= gpu_clean_of(ctx);
		}
		ctx->act(ctx, member_of(buf), due);
	}
}

static void refuse_group(struct attach_ctx *ctx, struct right_group *group)
{
	act_on_group(ctx, group, ATTACH_REVOKE);
	right_group_refuse(group);
	ctx->count.revoked += group->nr;
}

/* @has_work_left: of the streams whose jobs see it, there is one that has. */
static void allow_group(struct attach_ctx *ctx, struct right_group *group,
			bool has_work_left)
{
	struct attach_counters *count = &ctx->count;
	struct right_sum cleaned;

	act_on_group(ctx, group, ATTACH_RESTORE);
	/* Without host functions what is left would be active. */
	right_group_allow(group, ctx->nr_host && has_work_left, &cleaned);
	ctx->nr_steps += cleaned.nr_visited;
	count->restored += group->nr;
	count->gpu_cleans += cleaned.nr;
	count->gpu_cleaned_bytes += cleaned.len;
	if (ctx->class == ATTACH_NONCOHERENT) {
		count->cpu_invalidates += cleaned.nr;
		count->cpu_invalidated_bytes += cleaned.len;
	}
}

static void update_group(struct attach_ctx *ctx, struct right_group *group,
			 bool is_refused, bool has_work_left)
{
	if (is_refused == group->is_refused)
		return;
	if (is_refused)
		refuse_group(ctx, group);
	else
		allow_group(ctx, group, has_work_left);
}

/* Those with one, by each of their states; each buffer once in a call. */
static void update_claims(struct attach_ctx *ctx, struct attach_link *head)
{
	struct attach_link *link;

	for (link = head->next; link != head; link = link->next) {
		struct attach_buf *buf = claim_of(link)->buf;

		if (buf->updated == ctx->nr_calls)
			continue;
		buf->updated = ctx->nr_calls;
		update_right(ctx, buf);
	}
}

static void update_news(struct attach_ctx *ctx)
{
	while (!list_is_empty(&ctx->news)) {
		struct attach_buf *buf = of_link(ctx->news.next,
						 struct attach_buf, in_news);

		list_remove(&buf->in_news);
		update_right(ctx, buf);
		if (list_is_empty(&buf->states))
			set_settled(ctx, buf);
	}
}

static void update_stream(struct attach_ctx *ctx, struct attach_stream *s)
{
	update_group(ctx, &s->group, s->is_active, unknown_work(s));
	if (ctx->stream_changed)
		ctx->stream_changed(ctx, s, ctx->nr_host && unknown_work(s),
				    ctx->nr_host && ctx->nr_works);
	update_claims(ctx, &s->claims);
}

static void update_streams(struct attach_ctx *ctx, struct attach_link *head,
			   bool is_active)
{
	struct attach_link *link;

	for (link = head->next; link != head; link = link->next) {
		struct attach_stream *s = recheck_of(link);

		if (s->is_active == is_active &&
		    s->group.is_refused != is_active)
			update_stream(ctx, s);
	}
}

/*
 * What is taken comes before what is given: where one stream becomes idle and
 * another active, nothing that both forbid is allowed in between. @head:
 * streams that may have become active or idle.
 */
static void update_all(struct attach_ctx *ctx, struct attach_link *head)
{
	update_streams(ctx, head, true);
	update_streams(ctx, head, false);
	if (!ctx->nr_active == !ctx->group.is_refused)
		return;
	update_group(ctx, &ctx->group, ctx->nr_active, ctx->nr_works);
	update_claims(ctx, &ctx->claims);
}

/* The end of each call that may have changed what is active or known. */
static void end_call(struct attach_ctx *ctx)
{
	struct attach_link *head = &ctx->recheck;
	struct attach_link *link;

	ctx->nr_calls++;
	ctx->searched.stream = NULL;
	if (ctx->nr_host && !list_is_empty(head))
		find_held(ctx);
	for (link = head->next; link != head; link = link->next)
		recheck(ctx, recheck_of(link));
	if (ctx->class != ATTACH_CONCURRENT)
		update_all(ctx, head);
	update_news(ctx);
	while (!list_is_empty(head)) {
		struct attach_stream *s = recheck_of(head->next);

		list_remove(&s->in_recheck);
		drop_dead(ctx, s);
	}
}

/* Known done */

static void op_known(struct attach_ctx *ctx, struct attach_op *op)
{
	if (op->kind == ATTACH_OP_STATE) {
		struct attach_buf *buf = op->claim.buf;

		if (list_is_empty(&buf->in_news))
			list_append(&ctx->news, &buf->in_news);
		set_base(ctx, buf, op->state, op);
		return;
	}
	if (op->kind == ATTACH_OP_WORK)
		recheck_later(ctx, op->stream);
	op_drop(ctx, op);
}

/* All of a queue up to @at is known done; a row of jobs stays to its last. */
static void queue_known(struct attach_ctx *ctx, struct attach_queue *queue,
			u64 at)
{
	enum attach_op_kind kind;

	if (at > queue->known)
		queue->known = at;
	for (kind = 0; kind < ATTACH_NR_OP_KINDS; kind++) {
		struct attach_op *op = first_in(ctx, queue, kind);

		while (op && op->last <= at) {
			op_known(ctx, op);
			op = first_in(ctx, queue, kind);
		}
	}
}

/* The host has waited for all that @point is behind. */
static int point_known(struct attach_ctx *ctx, const struct attach_point *point)
{
	struct attach_link *link;
	struct attach_op *host;

	search(ctx, point, &host);
	if (host)
		return -EBUSY;
	for (link = ctx->reached.next; link != &ctx->reached;
	     link = link->next) {
		struct attach_queue *queue = of_link(link, struct attach_queue,
						     in_reached);

		queue_known(ctx, queue, queue->reach);
	}
	end_call(ctx);
	return 0;
}

/**
 * attach_init() - make a context, with its NULL stream
 * @ctx: out; its act is NULL, to be set before anything else is done
 * @profile: the board
 */
void attach_init(struct attach_ctx *ctx, const struct profile *profile)
{
	memset(ctx, 0, sizeof(*ctx));
	ctx->class = attach_class_of(profile);
	queue_init(&ctx->domain);
	right_group_init(&ctx->group);
	list_init(&ctx->claims);
	list_init(&ctx->news);
	list_init(&ctx->streams);
	list_init(&ctx->actives);
	list_init(&ctx->recheck);
	list_init(&ctx->waits);
	list_init(&ctx->work);
	list_init(&ctx->reached);
	list_init(&ctx->pool);
	list_init(&ctx->dead);
	stream_init(ctx, &ctx->null_stream, true);
}

/**
 * attach_fini() - the context ends, whatever is in flight
 * @ctx: the context; its buffers and events have been destroyed
 *
 * All operations and all streams can be taken back then, and nothing else be
 * done with the context.
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
			while ((op = first_in(ctx, &s->queue, kind))) {
				list_remove(&op->in_stream);
				pool_put(ctx, op);
			}
		if (!is_null(ctx, s))
			list_append(&ctx->dead, &s->in_ctx);
	}
}

/**
 * attach_give_op() - give the context memory for an operation
 * @ctx: the context
 * @op: the host's until it is taken back; not used before
 *
 * Each submission takes one at most. It comes back to the pool when nothing
 * remains to be known of the operation.
 */
void attach_give_op(struct attach_ctx *ctx, struct attach_op *op)
{
	pool_put(ctx, op);
}

/**
 * attach_take_op() - take an operation's memory back from the pool
 * @ctx: the context
 *
 * Return: one that has been given, NULL if all are in use.
 */
struct attach_op *attach_take_op(struct attach_ctx *ctx)
{
	struct attach_op *op;

	if (list_is_empty(&ctx->pool))
		return NULL;
	op = op_of(ctx->pool.next);
	list_remove(&op->in_stream);
	ctx->nr_pool--;
	return op;
}

/**
 * attach_take_stream() - take back a stream that has been destroyed
 * @ctx: the context
 *
 * A destroyed stream is kept while its work, an event or a buffer's state
 * refers to it. To be asked after each call.
 *
 * Return: one that nothing refers to any more, NULL there is none.
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
 * attach_stream_create() - make a stream
 * @ctx: the context
 * @s: out; the host's memory, the model's until it is taken back
 * @is_blocking: it is ordered with the NULL stream, as per-thread default
 *	streams are
 */
void attach_stream_create(struct attach_ctx *ctx, struct attach_stream *s,
			  bool is_blocking)
{
	stream_init(ctx, s, is_blocking);
}

/**
 * attach_stream_destroy_needs() - what the destruction of a stream may take
 * @s: the stream
 *
 * Return: how many operations must be in the pool at most.
 */
u64 attach_stream_destroy_needs(const struct attach_stream *s)
{
	const struct attach_link *link;
	u64 nr = 0;

	for (link = s->singles.next; link != &s->singles; link = link->next)
		nr++;
	return nr;
}

/* Another state, in flight with @op or, if that is NULL, at once. */
static void change_state(struct attach_ctx *ctx, struct attach_buf *buf,
			 struct attach_state state, struct attach_op *op)
{
	enum attach_kind old = newest_state(buf).kind;

	if (buf->right.group) {
		right_leave(&buf->right);
		tell_group(ctx, buf, ATTACH_LEAVE);
	}
	if (op) {
		op->state = state;
		get_stream(state.stream);
		claim(ctx, &op->claim, buf, &state);
		if (!buf->is_in_flight)
			claim(ctx, &buf->claim, buf, &buf->base);
		buf->is_in_flight = true;
		list_append(&buf->states, &op->in_buf);
	} else {
		set_base(ctx, buf, state, NULL);
	}
	list_by_newest(buf);
	prefetch_by_attach(ctx, buf, old, state.kind, op);
	update_right(ctx, buf);
	if (!op)
		set_settled(ctx, buf);
}

/*
 * An attach at the end of @s: it has no ticket of its own, so that all that
 * is behind the last operation is behind it. @at: its place among the states
 * of all blocking streams.
 */
static struct attach_op *state_at_end(struct attach_ctx *ctx,
				      struct attach_stream *s,
				      struct attach_link *at)
{
	struct attach_op *op = pool_get(ctx);

	op->kind = ATTACH_OP_STATE;
	op->stream = s;
	op->null = s->last_null;
	op->first = s->last;
	op->last = s->last;
	get_stream(s);
	list_append(&s->queue.ops[ATTACH_OP_STATE], &op->in_stream);
	if (s->is_blocking)
		list_insert(at, &op->in_domain);
	return op;
}

/* The last state of all blocking streams that is not after ticket @at. */
static struct attach_link *place_in_domain(struct attach_ctx *ctx, u64 at)
{
	struct attach_link *head = &ctx->domain.ops[ATTACH_OP_STATE];
	struct attach_link *link = head->prev;

	while (link != head && op_in(ctx, &ctx->domain, link)->first > at)
		link = link->prev;
	return link;
}

/**
 * attach_stream_destroy() - a stream takes no more operations
 * @ctx: the context
 * @s: the stream; what it holds goes on. It is the model's until it is taken
 *	back
 *
 * Each buffer that is single to it by its newest state falls back to its
 * default at the stream's end: at once, if all of the stream is known done.
 *
 * Return: 0; -EINVAL for the NULL stream and one destroyed before; -ENOMEM if
 * there is too little in the pool, see attach_stream_destroy_needs().
 */
int attach_stream_destroy(struct attach_ctx *ctx, struct attach_stream *s)
{
	bool is_known = s->last <= known_of(ctx, s);
	struct attach_link *at;

	if (is_null(ctx, s) || s->is_destroyed)
		return -EINVAL;
	if (!is_known && attach_stream_destroy_needs(s) > ctx->nr_pool)
		return -ENOMEM;
	at = place_in_domain(ctx, s->last);
	s->is_destroyed = true;
	recheck_later(ctx, s);
	while (!list_is_empty(&s->singles)) {
		struct attach_buf *buf = newest_of(s->singles.next);
		struct attach_state state = { .kind = buf->fallback };

		change_state(ctx, buf, state,
			     is_known ? NULL : state_at_end(ctx, s, at));
	}
	end_call(ctx);
	return 0;
}

/**
 * attach_buf_create() - make a managed buffer
 * @ctx: the context
 * @buf: out; the host's memory
 * @len: bytes
 * @kind: ATTACH_GLOBAL or ATTACH_HOST: its state, and what it falls back to
 *
 * A global one that is made while a stream is active cannot be touched by the
 * CPU before the host has waited.
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
	list_init(&buf->in_news);
	list_by_newest(buf);
	join_group(ctx, buf);
	if (!attach_is_revoked(buf))
		may_be_dirty(ctx, &buf->right);
}

/**
 * attach_buf_destroy() - a buffer goes, whatever is in flight
 * @ctx: the context
 * @buf: the buffer; the host's alone again
 */
void attach_buf_destroy(struct attach_ctx *ctx, struct attach_buf *buf)
{
	right_leave(&buf->right);
	list_remove(&buf->in_newest);
	set_base(ctx, buf, (struct attach_state) { .kind = ATTACH_HOST }, NULL);
	list_remove(&buf->in_news);
	end_call(ctx);
}

/**
 * attach_buf_counters() - what was done for a buffer
 * @ctx: the context
 * @buf: the buffer
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
 * attach_is_revoked() - whether the CPU may not touch a buffer now
 * @buf: the buffer
 *
 * Return: true if it may not.
 */
bool attach_is_revoked(const struct attach_buf *buf)
{
	return right_is_refused(&buf->right);
}

/* Jobs */

/*
 * The newest state, in call order, that is ordered before an operation of @s
 * submitted now, or that is known done.
 */
static struct attach_state judge(struct attach_ctx *ctx,
				 struct attach_stream *s,
				 const struct attach_buf *buf)
{
	const struct attach_point point = point_now(ctx, s);
	struct attach_link *link;

	for (link = buf->states.prev; link != &buf->states;
	     link = link->prev) {
		const struct attach_op *op = state_of(link);

		if (op->stream == s)
			return op->state;
		search_all(ctx, &point);
		if (is_reached(ctx, op))
			return op->state;
	}
	return buf->base;
}

static void count_job(struct attach_ctx *ctx, u64 nr, u64 len)
{
	ctx->count.gpu_invalidates += nr;
	ctx->count.gpu_invalidated_bytes += len;
	if (ctx->class == ATTACH_NONCOHERENT) {
		ctx->count.cleans += nr;
		ctx->count.cleaned_bytes += len;
	}
}

/* Told only where there may be something to clean. */
static void tell_job(struct attach_ctx *ctx, struct attach_buf *buf)
{
	if (!buf->right.is_dirty)
		return;
	if (attach_is_revoked(buf))
		right_set_dirty(&buf->right, false);
	if (ctx->act)
		ctx->act(ctx, buf, ctx->class == ATTACH_NONCOHERENT ?
				   ATTACH_CLEAN | ATTACH_GPU_INVALIDATE :
				   ATTACH_GPU_INVALIDATE);
}

static void group_sees_job(struct attach_ctx *ctx, struct right_group *group)
{
	struct right_buf *buf, *next;

	ctx->nr_steps += right_group_job(group);
	count_job(ctx, group->nr, group->len);
	for (buf = right_group_dirty(group, NULL); buf; buf = next) {
		next = right_group_dirty(group, buf);
		ctx->nr_steps++;
		tell_job(ctx, member_of(buf));
	}
}

/*
 * Buffers with an attach in flight, each judged once though it may have made
 * several claims.
 */
static void claims_see_job(struct attach_ctx *ctx, struct attach_stream *s,
			   struct attach_link *head)
{
	struct attach_link *link;

	for (link = head->next; link != head; link = link->next) {
		struct attach_buf *buf = claim_of(link)->buf;
		struct attach_state state;

		if (buf->judged == ctx->ticket)
			continue;
		buf->judged = ctx->ticket;
		state = judge(ctx, s, buf);
		if (!state_allows_job(&state, s))
			continue;
		buf->right.tally.jobs++;
		buf->right.is_due = true;
		count_job(ctx, 1, buf->right.len);
		tell_job(ctx, buf);
	}
}

static void buffers_see_job(struct attach_ctx *ctx, struct attach_stream *s)
{
	if (ctx->class == ATTACH_CONCURRENT)
		return;
	group_sees_job(ctx, &ctx->group);
	group_sees_job(ctx, &s->group);
	claims_see_job(ctx, s, &ctx->claims);
	claims_see_job(ctx, s, &s->claims);
}

/*
 * May a job be added to the row that is the last of @s? What holds up one of
 * a row holds up all of it.
 */
static bool is_in_row(const struct attach_ctx *ctx,
		      const struct attach_stream *s, const struct attach_op *op)
{
	if (op->last < s->last_hold)
		return false;
	if (is_null(ctx, s))
		return op->last >= ctx->blocking_last;
	return op->null == null_now(ctx, s);
}

/**
 * attach_submit_work() - device work: a job, or a copy or set a device does
 * @ctx: the context
 * @s: to this stream
 *
 * The clean and the invalidate of the GPU's cache that act is told of are to
 * be done after the earlier work of the stream and before this. That the work
 * has finished need not be said: it changes nothing.
 *
 * Return: 0; -EINVAL if the stream is destroyed; -ENOMEM if the pool is empty.
 */
int attach_submit_work(struct attach_ctx *ctx, struct attach_stream *s)
{
	struct attach_link *rows = &s->queue.ops[ATTACH_OP_WORK];

	if (s->is_destroyed)
		return -EINVAL;
	if (list_is_empty(&ctx->pool))
		return -ENOMEM;
	if (!list_is_empty(rows) && is_in_row(ctx, s, op_of(rows->prev))) {
		op_of(rows->prev)->last = take_ticket(ctx, s);
	} else {
		if (list_is_empty(rows))
			recheck_later(ctx, s);
		op_submit(ctx, s, ATTACH_OP_WORK);
	}
	end_call(ctx);
	buffers_see_job(ctx, s);
	return 0;
}

/**
 * attach_submit_state() - attach a buffer
 * @ctx: the context
 * @s: ordered in this stream, to which ATTACH_SINGLE attaches it
 * @buf: the buffer
 * @kind: the new state
 *
 * The maintenance that act is told of with a prefetch is to be done after the
 * earlier work of the stream; access is revoked at once.
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
	change_state(ctx, buf, state, op_submit(ctx, s, ATTACH_OP_STATE));
	return 0;
}

/**
 * attach_submit_host() - a host function
 * @ctx: the context
 * @s: to this stream; work behind it does not count as active until it returns
 * @host: out: what begin and return are told of, until return
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
	*host = op_submit(ctx, s, ATTACH_OP_HOST);
	s->last_hold = s->last;
	ctx->nr_host++;
	return 0;
}

/**
 * attach_host_begin() - a host function is called now
 * @ctx: the context
 * @host: the function
 *
 * All that it is ordered behind is known done.
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
	err = point_known(ctx, &point);
	if (!err)
		host->has_begun = true;
	return err;
}

/* It holds up nothing any more. */
static void host_lets_go(struct attach_ctx *ctx, struct attach_op *host)
{
	while (!list_is_empty(&host->watchers)) {
		struct attach_stream *s = of_link(host->watchers.next,
						  struct attach_stream,
						  in_watchers);

		unwatch(s);
		recheck_later(ctx, s);
	}
	ctx->nr_host--;
}

/**
 * attach_host_withdraw() - a host function will not be called after all
 * @ctx: the context
 * @host: the function; gone afterwards
 *
 * Nothing becomes known by that.
 */
void attach_host_withdraw(struct attach_ctx *ctx, struct attach_op *host)
{
	host_lets_go(ctx, host);
	op_drop(ctx, host);
	end_call(ctx);
}

/**
 * attach_host_return() - a host function has returned
 * @ctx: the context
 * @host: the function; gone when this succeeds
 *
 * What was only behind it becomes active.
 *
 * Return: 0; -EINVAL if it has not begun.
 */
int attach_host_return(struct attach_ctx *ctx, struct attach_op *host)
{
	struct attach_queue *queue = &host->stream->queue;
	u64 at = host->first;

	if (!host->has_begun)
		return -EINVAL;
	host_lets_go(ctx, host);
	queue_known(ctx, queue, at);
	end_call(ctx);
	return 0;
}

static void event_set(struct attach_ctx *ctx, struct attach_event *event,
		      const struct attach_point *point)
{
	get_stream(point->stream);
	put_stream(ctx, event->point.stream);
	event->point = *point;
	end_call(ctx);
}

/**
 * attach_event_end() - let an event stand for what a stream has so far
 * @ctx: the context
 * @event: the event; what it stood for before is forgotten
 * @s: all of this stream; that is no operation of it, its last stays that
 *
 * Return: 0; -EINVAL if the stream is destroyed.
 */
int attach_event_end(struct attach_ctx *ctx, struct attach_event *event,
		     struct attach_stream *s)
{
	struct attach_point point;

	if (s->is_destroyed)
		return -EINVAL;
	point = point_now(ctx, s);
	event_set(ctx, event, &point);
	return 0;
}

/**
 * attach_event_record() - record an event
 * @ctx: the context
 * @event: the event; what it stood for before is forgotten
 * @s: behind all of this stream so far
 *
 * Return: 0; -EINVAL if the stream is destroyed.
 */
int attach_event_record(struct attach_ctx *ctx, struct attach_event *event,
			struct attach_stream *s)
{
	struct attach_point point;

	if (s->is_destroyed)
		return -EINVAL;
	point = point_now(ctx, s);
	point.at = take_ticket(ctx, s);
	event_set(ctx, event, &point);
	return 0;
}

/**
 * attach_event_wait() - a stream waits for an event
 * @ctx: the context
 * @s: all that is submitted to it from now on is behind the event
 * @event: as it was recorded last; never: nothing is waited for
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
	op = op_submit(ctx, s, ATTACH_OP_WAIT);
	op->source = event->point;
	get_stream(op->source.stream);
	if (!op->source.stream || op->source.stream == s ||
	    op->source.at <= known_of(ctx, op->source.stream))
		op_drop(ctx, op);
	else
		s->last_hold = s->last;
	end_call(ctx);
	return 0;
}

/**
 * attach_event_destroy() - an event is forgotten
 * @ctx: the context
 * @event: the event; who waits for it goes on waiting
 */
void attach_event_destroy(struct attach_ctx *ctx, struct attach_event *event)
{
	put_stream(ctx, event->point.stream);
	event->point.stream = NULL;
	end_call(ctx);
}

/**
 * attach_sync_device() - the host has waited for all
 * @ctx: the context
 *
 * Return: 0; -EBUSY if a host function has not returned, so that it cannot
 * have.
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
		queue_known(ctx, &s->queue, ctx->ticket);
	}
	ctx->domain.known = ctx->ticket;
	end_call(ctx);
	return 0;
}

/**
 * attach_sync_stream() - the host has waited for a stream
 * @ctx: the context
 * @s: the stream; what is known done is all that an operation submitted to it
 *	now would be behind
 *
 * Also for a query that answered success, and for a fully synchronous copy or
 * set, after its work has been submitted.
 *
 * Return: 0; -EINVAL if the stream is destroyed; -EBUSY if it is behind a host
 * function that has not returned.
 */
int attach_sync_stream(struct attach_ctx *ctx, struct attach_stream *s)
{
	const struct attach_point point = point_now(ctx, s);

	if (s->is_destroyed)
		return -EINVAL;
	return point_known(ctx, &point);
}

/**
 * attach_sync_event() - the host has waited for an event
 * @ctx: the context
 * @event: as it was recorded last; never: there is nothing to be known
 *
 * Also for a query that answered success.
 *
 * Return: 0; -EBUSY if it is behind a host function that has not returned.
 */
int attach_sync_event(struct attach_ctx *ctx, const struct attach_event *event)
{
	return event->point.stream ? point_known(ctx, &event->point) : 0;
}

static struct attach_stream *who_is_active(const struct attach_ctx *ctx,
					   const struct attach_state *state)
{
	if (state->kind == ATTACH_SINGLE)
		return state->stream;
	return of_link(ctx->actives.next, struct attach_stream, in_active);
}

/**
 * attach_cpu_touch() - the CPU touches a buffer
 * @ctx: the context
 * @buf: the buffer
 * @why: out: what forbids it, if something does; may be NULL
 *
 * Return: ATTACH_ALLOWED, or ATTACH_CPU_WHILE_ACTIVE, which is counted.
 */
enum attach_verdict attach_cpu_touch(struct attach_ctx *ctx,
				     struct attach_buf *buf,
				     struct attach_why *why)
{
	const struct attach_state *state;

	if (!attach_is_revoked(buf))
		return ATTACH_ALLOWED;
	/* with policy record it may write, all the same */
	may_be_dirty(ctx, &buf->right);
	ctx->count.cpu_while_active++;
	buf->count.cpu_while_active++;
	state = forbids_cpu(ctx, buf);
	if (why && state)
		*why = (struct attach_why) {
			.kind = state->kind,
			.stream = who_is_active(ctx, state),
			.is_in_flight = state != &buf->base,
		};
	return ATTACH_CPU_WHILE_ACTIVE;
}

/**
 * attach_judge_job() - would a touch by a job be right?
 * @ctx: the context
 * @s: its stream; the job was submitted last of all, or is about to be
 * @buf: the buffer
 * @why: out: what forbids it, if something does; may be NULL
 *
 * For a host whose jobs touch later than that: the answer holds for the job
 * whatever is called in between. attach_count_job_touch() counts it then.
 *
 * Return: ATTACH_ALLOWED or ATTACH_ENGINE_NOT_ATTACHED; nothing is counted.
 */
enum attach_verdict attach_judge_job(struct attach_ctx *ctx,
				     struct attach_stream *s,
				     const struct attach_buf *buf,
				     struct attach_why *why)
{
	struct attach_state state = judge(ctx, s, buf);

	if (ctx->class == ATTACH_CONCURRENT || state_allows_job(&state, s))
		return ATTACH_ALLOWED;
	if (why)
		*why = (struct attach_why) {
			.kind = state.kind,
			.stream = state.stream,
		};
	return ATTACH_ENGINE_NOT_ATTACHED;
}

/**
 * attach_count_job_touch() - a job touches a buffer that it may not
 * @ctx: the context
 * @buf: the buffer; the job was judged when it was submitted
 */
void attach_count_job_touch(struct attach_ctx *ctx, struct attach_buf *buf)
{
	ctx->count.engine_not_attached++;
	buf->count.engine_not_attached++;
}

/**
 * attach_job_touch() - a job touches a buffer
 * @ctx: the context
 * @s: its stream; the job was submitted last of all
 * @buf: the buffer
 * @why: out: what forbids it, if something does; may be NULL
 *
 * Return: ATTACH_ALLOWED, or ATTACH_ENGINE_NOT_ATTACHED, which is counted.
 */
enum attach_verdict attach_job_touch(struct attach_ctx *ctx,
				     struct attach_stream *s,
				     struct attach_buf *buf,
				     struct attach_why *why)
{
	enum attach_verdict verdict = attach_judge_job(ctx, s, buf, why);

	if (verdict != ATTACH_ALLOWED)
		attach_count_job_touch(ctx, buf);
	return verdict;
}

static bool counts_as_device(struct attach_ctx *ctx, struct attach_stream *s,
			     const struct attach_side *side)
{
	return side->memory == ATTACH_DEVICE ||
	       (side->memory == ATTACH_MANAGED &&
		attach_judge_job(ctx, s, side->buf, NULL) == ATTACH_ALLOWED);
}

/**
 * attach_judge_copy() - what a synchronous call for a copy is
 * @ctx: the context
 * @s: its stream, before anything is submitted
 * @from: source
 * @to: target
 * @copy: out
 *
 * A managed side counts as device if a job may touch it now, else as host: it
 * is then the CPU that touches it. One on the host counts as pageable: its
 * bytes are read before a copy to the device returns.
 */
void attach_judge_copy(struct attach_ctx *ctx, struct attach_stream *s,
		       const struct attach_side *from,
		       const struct attach_side *to, struct attach_copy *copy)
{
	copy->from_is_device = counts_as_device(ctx, s, from);
	copy->to_is_device = counts_as_device(ctx, s, to);
	copy->is_work = copy->from_is_device || copy->to_is_device;
	copy->is_waited_for = !copy->to_is_device ||
			      (!copy->from_is_device &&
			       from->memory == ATTACH_PINNED);
}

/**
 * attach_judge_set() - what a synchronous call for a set is
 * @memory: of its target
 * @copy: out
 *
 * Return: 0; -EINVAL for pageable memory, which no device can set.
 */
int attach_judge_set(enum attach_memory memory, struct attach_copy *copy)
{
	if (memory == ATTACH_PAGEABLE)
		return -EINVAL;
	*copy = (struct attach_copy) {
		.to_is_device = memory != ATTACH_PINNED,
		.is_work = true,
		.is_waited_for = memory != ATTACH_DEVICE,
	};
	return 0;
}

/**
 * attach_has_pinned_atomics() - do atomic instructions work on pinned memory?
 * @profile: the board
 *
 * Return: false where pinned memory is uncached: on each board that is not
 * I/O-coherent, so below capability 7.2; else atomic-on-uncached.
 */
bool attach_has_pinned_atomics(const struct profile *profile)
{
	return profile->is_io_coherent;
}
