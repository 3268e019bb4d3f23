// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: streams, events and host functions. Each call tells order/ and queues
 * what is to be waited for under the scheduler's lock, so that both have the
 * same order.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "order/order.h"
#include "sched.h"

/**
 * struct record - what an event stands for
 * @nr_users: the event while it stands for that, and who waits for it; under
 *	the scheduler's lock
 * @op: done when all of it is, kept
 * @mark: the same, in the order
 */
struct record {
	unsigned int nr_users;
	struct op *op;
	struct mark *mark;
};

/**
 * struct mem_event - an event
 * @ctx: kept
 * @living: for who is told of leaks
 * @flags: MEM_EVENT_*
 * @record: newest, kept; NULL: it was never recorded; under the scheduler's
 *	lock
 */
struct mem_event {
	struct mem_ctx *ctx;
	struct living living;
	unsigned int flags;
	struct record *record;
};

/**
 * struct thread_stream - the stream of a thread in a context
 * @pid: of the process that has the thread
 * @ctx: which is there while @stream is
 * @stream: it; NULL: the context is gone
 * @is_left: the thread is gone
 * @next: of the thread's
 * @next_in_ctx: of the context's
 */
struct thread_stream {
	pid_t pid;
	struct mem_ctx *ctx;
	struct mem_stream *stream;
	bool is_left;
	struct thread_stream *next;
	struct thread_stream *next_in_ctx;
};

/* A thread's streams go with it, or with their context. */
static pthread_key_t thread_key;
static pthread_once_t thread_once = PTHREAD_ONCE_INIT;
static int thread_key_err;
static pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER;

/*
 * A mark, and an operation that is done when all before it is; the scheduler's
 * lock is held. Either can fail, the first leaves nothing behind.
 */
static int mark_submit(struct mem_stream *stream, struct mark **mark,
		       struct op **made)
{
	struct op *op = op_create(stream, OP_MARK);
	int err;

	if (!op)
		return -ENOMEM;
	err = order_mark(stream, mark);
	if (err) {
		op_discard(op);
		return err;
	}
	op_submit(op, NULL);
	*made = op;
	return 0;
}

/* The host has waited for all before a mark, which goes. */
static void mark_known(struct mem_ctx *ctx, struct mark *mark)
{
	sched_lock(ctx);
	order_mark_sync(ctx, mark);
	order_mark_free(ctx, mark);
	sched_unlock(ctx);
}

static enum mem_wait_policy wait_policy(struct mem_ctx *ctx)
{
	return (enum mem_wait_policy)atomic_load(&ctx->sched.wait_policy);
}

/* Wait for all that a stream has; its last operation is the host's to know. */
int stream_wait(struct mem_stream *stream)
{
	struct mem_ctx *ctx = stream->ctx;
	struct mark *mark;
	struct op *op;
	int err;

	sched_lock(ctx);
	err = mark_submit(stream, &mark, &op);
	sched_unlock(ctx);
	if (err)
		return err;
	op_wait(op, OP_DONE, wait_policy(ctx));
	mark_known(ctx, mark);
	err = op_result(ctx, op);
	op_put(op);
	return err;
}

static int priority_of(int priority)
{
	if (priority > MEM_PRIORITY_LEAST)
		return MEM_PRIORITY_LEAST;
	return priority < MEM_PRIORITY_GREATEST ? MEM_PRIORITY_GREATEST :
						  priority;
}

static int stream_make(struct mem_ctx *ctx, unsigned int flags, int priority,
		       bool is_own, struct mem_stream **made)
{
	struct mem_stream *stream = calloc(1, sizeof(*stream));
	struct sched *sched = &ctx->sched;
	int err;

	if (!stream)
		return -ENOMEM;
	stream->ctx = ctx;
	stream->is_blocking = !(flags & MEM_STREAM_NON_BLOCKING);
	stream->is_own = is_own;
	stream->priority = priority_of(priority);
	atomic_init(&stream->nr_users, 1);
	sched_lock(ctx);
	stream->id = sched->last_stream + 1;
	err = order_stream_create(stream);
	if (!err) {
		sched->last_stream++;
		stream->next = sched->streams;
		if (stream->next)
			stream->next->prev = stream;
		sched->streams = stream;
	}
	sched_unlock(ctx);
	if (err) {
		free(stream);
		return err;
	}
	if (!is_own)
		ctx_get(ctx);
	*made = stream;
	return 0;
}

/* Has it anything that no wait for all has made known? The lock is held. */
static bool has_news(const struct mem_stream *stream)
{
	return stream->last && stream->last->seq > stream->known;
}

/*
 * The model forgets it with its last work; that it has been waited for can
 * be said by a mark still. The scheduler's lock is held.
 */
static int stream_forget(struct mem_stream *stream)
{
	struct mem_ctx *ctx = stream->ctx;
	struct sched *sched = &ctx->sched;
	struct op *op = op_create(stream, OP_ATTACH);
	struct place_mark *place = NULL;
	int err = -ENOMEM;

	if (!op)
		return -ENOMEM;
	if (has_news(stream)) {
		place = malloc(sizeof(*place));
		if (!place)
			goto err_free;
		/* What falls back does so at the last that was asked for. */
		err = order_mark_end(stream, &place->mark);
		if (err)
			goto err_free;
	}
	err = order_stream_destroy(stream, &op->reach);
	if (err)
		goto err_mark;
	op_submit(op, NULL);
	op_put(op);
	if (place) {
		place->seq = sched->seq;
		place->next = sched->orphans;
		sched->orphans = place;
	}
	if (stream->prev)
		stream->prev->next = stream->next;
	else
		sched->streams = stream->next;
	if (stream->next)
		stream->next->prev = stream->prev;
	return 0;

err_mark:
	if (place)
		order_mark_free(ctx, place->mark);
err_free:
	free(place);
	op_discard(op);
	return err;
}

API int mem_stream_create(struct mem_ctx *ctx, unsigned int flags,
			  int priority, struct mem_stream **stream)
{
	int err;

	if (!ctx || !stream || flags & ~MEM_STREAM_NON_BLOCKING)
		return -EINVAL;
	err = ctx_check(ctx);
	if (err)
		return err;
	err = stream_make(ctx, flags, priority, false, stream);
	if (!err)
		tell_stream(&(*stream)->living);
	return err;
}

API struct mem_stream *mem_stream_legacy(struct mem_ctx *ctx)
{
	return ctx ? &ctx->sched.legacy : NULL;
}

API int mem_stream_destroy(struct mem_stream *stream)
{
	struct mem_ctx *ctx;
	int err;

	if (!stream)
		return 0;
	if (stream->is_own)
		return -EINVAL;
	ctx = stream->ctx;
	err = ctx_may_change(ctx);
	if (err)
		return err;
	sched_lock(ctx);
	err = stream_forget(stream);
	sched_unlock(ctx);
	if (err)
		return err;
	tell_gone(&stream->living);
	stream_put(stream);
	return 0;
}

static void thread_stream_unlink(struct thread_stream *one)
{
	struct thread_stream **at = &one->ctx->sched.thread_streams;

	while (*at != one)
		at = &(*at)->next_in_ctx;
	*at = one->next_in_ctx;
}

/* A stream that the scheduler still has stays until the context goes. */
static void thread_stream_keep(struct thread_stream *one)
{
	pthread_mutex_lock(&threads_lock);
	one->is_left = true;
	one->next_in_ctx = one->ctx->sched.thread_streams;
	one->ctx->sched.thread_streams = one;
	pthread_mutex_unlock(&threads_lock);
}

static void thread_stream_end(struct thread_stream *one)
{
	struct mem_ctx *ctx = one->ctx;
	int err;

	sched_lock(ctx);
	err = stream_forget(one->stream);
	sched_unlock(ctx);
	if (err) {
		thread_stream_keep(one);
	} else {
		stream_drop(one->stream);
		free(one);
	}
	ctx_put(ctx);
}

/*
 * In a child of fork those of before are the parent's, as all are that are
 * behind one: their context's lock may be that of a thread which is not there.
 */
static void thread_end(void *first)
{
	struct thread_stream *one, *next;
	const pid_t pid = getpid();
	bool is_ours;

	for (one = first; one && one->pid == pid; one = next) {
		next = one->next;
		pthread_mutex_lock(&threads_lock);
		is_ours = one->stream && ctx_try(one->ctx);
		if (is_ours)
			thread_stream_unlink(one);
		else
			one->is_left = true;
		pthread_mutex_unlock(&threads_lock);
		if (is_ours)
			thread_stream_end(one);
		else if (!one->stream)
			free(one);
	}
}

/* The context goes: whose thread is gone needs the struct no more. */
void threads_forget(struct mem_ctx *ctx)
{
	struct thread_stream *one, *next;

	pthread_mutex_lock(&threads_lock);
	for (one = ctx->sched.thread_streams; one; one = next) {
		next = one->next_in_ctx;
		stream_drop(one->stream);
		one->stream = NULL;
		if (one->is_left)
			free(one);
	}
	pthread_mutex_unlock(&threads_lock);
}

/* A thread which is not there may have had it. */
static void threads_in_child(void)
{
	pthread_mutex_init(&threads_lock, NULL);
}

static void thread_init(void)
{
	thread_key_err = pthread_atfork(NULL, NULL, threads_in_child);
	if (!thread_key_err)
		thread_key_err = pthread_key_create(&thread_key, thread_end);
}

static int thread_stream_make(struct mem_ctx *ctx, struct mem_stream **stream)
{
	struct thread_stream *one = calloc(1, sizeof(*one));
	int err;

	if (!one)
		return -ENOMEM;
	one->pid = getpid();
	one->ctx = ctx;
	one->next = pthread_getspecific(thread_key);
	if (pthread_setspecific(thread_key, one)) {
		free(one);
		return -ENOMEM;
	}
	/* Without a stream it is one whose context is gone. */
	err = stream_make(ctx, 0, MEM_PRIORITY_LEAST, true, &one->stream);
	if (err)
		return err;
	pthread_mutex_lock(&threads_lock);
	one->next_in_ctx = ctx->sched.thread_streams;
	ctx->sched.thread_streams = one;
	pthread_mutex_unlock(&threads_lock);
	*stream = one->stream;
	return 0;
}

API int mem_stream_per_thread(struct mem_ctx *ctx, struct mem_stream **stream)
{
	struct thread_stream *one;
	int err;

	if (!ctx || !stream)
		return -EINVAL;
	err = ctx_check(ctx);
	if (err)
		return err;
	pthread_once(&thread_once, thread_init);
	if (thread_key_err)
		return -ENOMEM;
	for (one = pthread_getspecific(thread_key); one; one = one->next)
		if (one->stream && one->ctx == ctx) {
			*stream = one->stream;
			return 0;
		}
	return thread_stream_make(ctx, stream);
}

API uint64_t mem_stream_id(const struct mem_stream *stream)
{
	return stream ? stream->id : 0;
}

API int mem_stream_priority(const struct mem_stream *stream)
{
	return stream ? stream->priority : MEM_PRIORITY_LEAST;
}

API int mem_stream_sync(struct mem_stream *stream)
{
	uint64_t begin_ns, id;
	int err;

	if (!stream)
		return -EINVAL;
	err = ctx_check(stream->ctx);
	if (err)
		return err;
	begin_ns = tell_begin();
	/* Another thread may destroy it meanwhile. */
	id = stream->id;
	err = stream_wait(stream);
	tell_waited("stream", id, begin_ns);
	return err;
}

API int mem_stream_query(struct mem_stream *stream)
{
	struct mem_ctx *ctx;
	struct mark *mark;
	int err;

	if (!stream)
		return -EINVAL;
	ctx = stream->ctx;
	err = ctx_check(ctx);
	if (err)
		return err;
	sched_lock(ctx);
	if (!stream_is_idle(stream))
		err = -EBUSY;
	else
		err = order_mark(stream, &mark);
	if (!err) {
		order_mark_sync(ctx, mark);
		order_mark_free(ctx, mark);
	}
	sched_unlock(ctx);
	return err ? err : ctx_result(ctx);
}

/*
 * Marks of all that is not known, so that what comes meanwhile is left out. It
 * stays unknown until the wait is over: who waits at the same time marks it,
 * too, and may be the first to return.
 */
static int marks_take(struct mem_ctx *ctx, struct place_mark **first)
{
	struct sched *sched = &ctx->sched;
	struct mem_stream *stream = &sched->legacy;
	struct place_mark *place;
	int err = 0;

	*first = NULL;
	for (; stream; stream = stream == &sched->legacy ? sched->streams :
							   stream->next) {
		if (!has_news(stream))
			continue;
		place = malloc(sizeof(*place));
		err = place ? order_mark(stream, &place->mark) : -ENOMEM;
		if (err) {
			free(place);
			break;
		}
		place->seq = sched->seq;
		place->next = *first;
		*first = place;
	}
	return err;
}

/* Those up to a number go; order/ knows that all is done, or is told. */
static void marks_known(struct mem_ctx *ctx, struct place_mark **first,
			uint64_t seq, bool is_to_be_told)
{
	struct place_mark *place;

	while ((place = *first)) {
		if (place->seq > seq) {
			first = &place->next;
			continue;
		}
		*first = place->next;
		if (is_to_be_told)
			order_mark_sync(ctx, place->mark);
		order_mark_free(ctx, place->mark);
		free(place);
	}
}

static void streams_known(struct sched *sched, uint64_t seq)
{
	struct mem_stream *stream = &sched->legacy;

	for (; stream; stream = stream == &sched->legacy ? sched->streams :
							   stream->next)
		if (stream->known < seq)
			stream->known = seq;
}

/* Nothing is left, and the host knows; the lock is held. */
static void all_known(struct mem_ctx *ctx)
{
	struct sched *sched = &ctx->sched;

	order_sync_all(ctx);
	streams_known(sched, sched->seq);
	marks_known(ctx, &sched->orphans, sched->seq, false);
}

/* The wait for all up to a number is over; the lock is held. */
static void wait_known(struct mem_ctx *ctx, struct place_mark *marks,
		       uint64_t seq, bool has_all_marks)
{
	struct sched *sched = &ctx->sched;

	if (!sched->all.first) {
		all_known(ctx);
		marks_known(ctx, &marks, seq, false);
		return;
	}
	marks_known(ctx, &marks, seq, true);
	marks_known(ctx, &sched->orphans, seq, true);
	if (has_all_marks)
		streams_known(sched, seq);
}

/*
 * Wait for all of a context. Returns 0, -ENOMEM (not all is known done) or
 * -EDEADLK (some was dropped), whatever the work came to.
 */
int ctx_settle(struct mem_ctx *ctx)
{
	struct sched *sched = &ctx->sched;
	struct place_mark *marks;
	uint64_t seq, nr_dropped;
	int err;

	sched_lock(ctx);
	if (!sched->all.first) {
		/* Now: there may be news before the lock is taken again. */
		all_known(ctx);
		sched_unlock(ctx);
		return 0;
	}
	seq = sched->seq;
	nr_dropped = sched->nr_dropped;
	err = marks_take(ctx, &marks);
	sched_unlock(ctx);
	sched_wait_all(ctx, seq);
	sched_lock(ctx);
	wait_known(ctx, marks, seq, !err);
	nr_dropped = sched->nr_dropped - nr_dropped;
	sched_unlock(ctx);
	return !err && nr_dropped ? -EDEADLK : err;
}

/* The same, and what the work came to, which goes before what was dropped. */
int ctx_wait(struct mem_ctx *ctx)
{
	const int settled = ctx_settle(ctx);
	int err = 0;

	if (!settled || settled == -EDEADLK)
		err = ctx_result(ctx);
	return err ? err : settled;
}

API int mem_ctx_sync(struct mem_ctx *ctx)
{
	uint64_t begin_ns;
	int err;

	if (!ctx)
		return -EINVAL;
	err = ctx_check(ctx);
	if (err)
		return err;
	begin_ns = tell_begin();
	err = ctx_wait(ctx);
	tell_waited("context", 0, begin_ns);
	return err;
}

API int mem_ctx_cancel(struct mem_ctx *ctx)
{
	uint64_t nr_dropped, begin_ns;
	struct sched *sched;
	int err;

	if (!ctx)
		return -EINVAL;
	err = ctx_may_change(ctx);
	if (err)
		return err;
	begin_ns = tell_begin();
	sched = &ctx->sched;
	sched_lock(ctx);
	nr_dropped = sched->nr_dropped;
	sched->nr_cancels++;
	sched_drop_waits(sched);
	sched_unlock(ctx);
	err = ctx_wait(ctx);
	sched_lock(ctx);
	sched->nr_cancels--;
	nr_dropped = sched->nr_dropped - nr_dropped;
	sched_unlock(ctx);
	tell_waited("context", 0, begin_ns);
	return !err && nr_dropped ? -EDEADLK : err;
}

API int mem_ctx_error(struct mem_ctx *ctx)
{
	if (!ctx)
		return -EINVAL;
	return ctx_is_forked(ctx) ? -EPERM : atomic_load(&ctx->sched.error);
}

API int mem_ctx_set_wait_policy(struct mem_ctx *ctx, unsigned int policy)
{
	int err;

	if (!ctx || policy > MEM_WAIT_BLOCK)
		return -EINVAL;
	err = ctx_is_forked(ctx) ? -EPERM : sched_check_call();
	if (!err)
		atomic_store(&ctx->sched.wait_policy, policy);
	return err;
}

/* Host functions */

/**
 * stream_call() - have a function of the host called
 * @stream: in order of this one
 * @call: what
 * @done: called at its end if this succeeds; NULL: nothing
 *
 * Return: 0, or as mem_stream_call().
 */
int stream_call(struct mem_stream *stream, const struct op_call *call,
		const struct op_done *done)
{
	struct mem_ctx *ctx = stream->ctx;
	struct op *op;
	int err;

	err = ctx_check(ctx);
	if (err)
		return err;
	op = op_create(stream, OP_CALL);
	if (!op)
		return -ENOMEM;
	op->call = *call;
	if (done)
		op->done = *done;
	sched_lock(ctx);
	err = sched_start(ctx, EXEC_HOST);
	if (!err)
		err = order_call_submit(stream, &op->call.call);
	if (!err)
		op_submit(op, NULL);
	sched_unlock(ctx);
	if (err)
		op_discard(op);
	else
		op_put(op);
	return err;
}

API int mem_stream_call(struct mem_stream *stream, mem_host_fn fn, void *arg)
{
	const struct op_call call = { .fn = fn, .arg = arg };

	if (!stream || !fn)
		return -EINVAL;
	return stream_call(stream, &call, NULL);
}

API int mem_stream_add_callback(struct mem_stream *stream, mem_callback fn,
				void *arg)
{
	const struct op_call call = { .callback = fn, .arg = arg };

	if (!stream || !fn)
		return -EINVAL;
	return stream_call(stream, &call, NULL);
}

/* Events */

/**
 * event_make() - an event of libmem's own, of which nobody is told
 * @ctx: context
 * @flags: as at mem_event_create()
 * @event: out: the event: mem_event_destroy()
 *
 * Return: 0, or as mem_event_create().
 */
int event_make(struct mem_ctx *ctx, unsigned int flags,
	       struct mem_event **event)
{
	struct mem_event *new;
	int err;

	err = ctx_check(ctx);
	if (err)
		return err;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	new->ctx = ctx_get(ctx);
	new->flags = flags;
	*event = new;
	return 0;
}

API int mem_event_create(struct mem_ctx *ctx, unsigned int flags,
			 struct mem_event **event)
{
	int err;

	if (!ctx || !event ||
	    flags & ~(MEM_EVENT_BLOCKING | MEM_EVENT_NO_TIMING))
		return -EINVAL;
	err = event_make(ctx, flags, event);
	if (!err)
		tell_event(&(*event)->living);
	return err;
}

/* The scheduler's lock is held. */
static void record_put(struct mem_ctx *ctx, struct record *record)
{
	if (!record || --record->nr_users)
		return;
	op_put(record->op);
	order_mark_free(ctx, record->mark);
	free(record);
}

API void mem_event_destroy(struct mem_event *event)
{
	struct mem_ctx *ctx;

	if (!event)
		return;
	ctx = event->ctx;
	if (!ctx_is_forked(ctx)) {
		sched_lock(ctx);
		record_put(ctx, event->record);
		sched_unlock(ctx);
	}
	tell_gone(&event->living);
	free(event);
	ctx_put(ctx);
}

API int mem_event_record(struct mem_event *event, struct mem_stream *stream)
{
	struct record *record;
	struct mem_ctx *ctx;
	int err;

	if (!event || !stream)
		return -EINVAL;
	ctx = event->ctx;
	if (stream->ctx != ctx)
		return -EXDEV;
	err = ctx_check(ctx);
	if (err)
		return err;
	record = malloc(sizeof(*record));
	if (!record)
		return -ENOMEM;
	record->nr_users = 1;
	sched_lock(ctx);
	err = mark_submit(stream, &record->mark, &record->op);
	if (!err) {
		record_put(ctx, event->record);
		event->record = record;
	}
	sched_unlock(ctx);
	if (err)
		free(record);
	return err;
}

API int mem_stream_wait_event(struct mem_stream *stream,
			      struct mem_event *event)
{
	const struct record *record;
	struct mem_ctx *ctx;
	struct op *op;
	int err;

	if (!stream || !event)
		return -EINVAL;
	ctx = stream->ctx;
	if (event->ctx != ctx)
		return -EXDEV;
	err = ctx_check(ctx);
	if (err)
		return err;
	op = op_create(stream, OP_MARK);
	if (!op)
		return -ENOMEM;
	sched_lock(ctx);
	record = event->record;
	/* Of the legacy stream even one that waits for nothing is in order. */
	err = order_mark_wait(stream, record ? record->mark : NULL);
	if (!err)
		op_submit(op, record ? record->op : NULL);
	sched_unlock(ctx);
	if (err)
		op_discard(op);
	else
		op_put(op);
	return err;
}

/* What it stands for now, kept: it may be recorded anew meanwhile. */
static struct record *event_take(struct mem_event *event)
{
	struct record *record;

	sched_lock(event->ctx);
	record = event->record;
	if (record)
		record->nr_users++;
	sched_unlock(event->ctx);
	return record;
}

/*
 * One that was taken goes: -EBUSY if it is not done, else the host knows all of
 * it. The event may be gone, too.
 */
static int record_known(struct mem_ctx *ctx, struct record *record)
{
	int err = -EBUSY;

	sched_lock(ctx);
	if (op_is_done(record->op)) {
		order_mark_sync(ctx, record->mark);
		err = op_result(ctx, record->op);
	}
	record_put(ctx, record);
	sched_unlock(ctx);
	return err;
}

API int mem_event_sync(struct mem_event *event)
{
	struct record *record;
	uint64_t begin_ns;
	struct mem_ctx *ctx;
	int err;

	if (!event)
		return -EINVAL;
	ctx = event->ctx;
	err = ctx_check(ctx);
	if (err)
		return err;
	begin_ns = tell_begin();
	record = event_take(event);
	if (record) {
		op_wait(record->op, OP_DONE,
			event->flags & MEM_EVENT_BLOCKING ? MEM_WAIT_BLOCK :
							    wait_policy(ctx));
		err = record_known(ctx, record);
	}
	tell_waited("event", 0, begin_ns);
	return err ? err : ctx_result(ctx);
}

API int mem_event_query(struct mem_event *event)
{
	struct record *record;
	struct mem_ctx *ctx;
	int err;

	if (!event)
		return -EINVAL;
	ctx = event->ctx;
	err = ctx_check(ctx);
	if (err)
		return err;
	record = event_take(event);
	if (record)
		err = record_known(ctx, record);
	return err ? err : ctx_result(ctx);
}

static bool has_time(const struct mem_event *event)
{
	return !(event->flags & MEM_EVENT_NO_TIMING) && event->record;
}

API int mem_event_elapsed(struct mem_event *start, struct mem_event *end,
			  int64_t *ns)
{
	struct mem_ctx *ctx;
	int64_t elapsed_ns = 0;
	int err;

	if (!start || !end || !ns)
		return -EINVAL;
	ctx = start->ctx;
	if (end->ctx != ctx)
		return -EXDEV;
	err = ctx_check(ctx);
	if (err)
		return err;
	sched_lock(ctx);
	if (!has_time(start) || !has_time(end))
		err = -EINVAL;
	else if (!op_is_done(start->record->op) ||
		 !op_is_done(end->record->op))
		err = -EBUSY;
	else
		elapsed_ns = (int64_t)(end->record->op->done_ns -
				       start->record->op->done_ns);
	sched_unlock(ctx);
	/* The caller's memory: a store to it may fault, so hold no lock. */
	if (!err)
		*ns = elapsed_ns;
	return err;
}

/* Kernels */

static int launch_check(const struct mem_launch *launch)
{
	uint64_t nr_blocks = 1;
	unsigned int i;

	for (i = 0; i < 3; i++)
		if (!launch->grid[i] || !launch->block[i] ||
		    __builtin_mul_overflow(nr_blocks, launch->grid[i],
					   &nr_blocks))
			return -EINVAL;
	if (launch->engine >= NR_ENGINES || !launch->kernel ||
	    nr_blocks > MEM_BLOCKS_MAX || launch->shared_len > MAX_SHARED_LEN ||
	    launch->args_len > MEM_ARGS_MAX ||
	    (launch->args_len && !launch->args))
		return -EINVAL;
	return 0;
}

/* An object pointer: POSIX has both alike. */
static const void *entry_of(mem_kernel kernel)
{
	return (const void *)(uintptr_t)kernel;
}

/**
 * stream_launch() - have an engine run a kernel
 * @stream: in order of this one
 * @launch: what
 * @done: called at its end if this succeeds; NULL: nothing
 *
 * Return: 0, or as mem_launch().
 */
int stream_launch(struct mem_stream *stream, const struct mem_launch *launch,
		  const struct op_done *done)
{
	struct mem_launch all;
	struct mem_ctx *ctx;
	struct op *op;
	int err;

	if (!stream || !launch)
		return -EINVAL;
	ctx = stream->ctx;
	err = ctx_check(ctx);
	if (!err)
		err = struct_in(&all, sizeof(all), launch,
				offsetofend(struct mem_launch, timeout_ns));
	if (!err)
		err = launch_check(&all);
	if (!err && !board_has_engine(ctx->board, all.engine))
		err = -EOPNOTSUPP;
	if (err)
		return err;
	op = op_create(stream, OP_RUN);
	if (!op)
		return -ENOMEM;
	op->launch = all;
	if (done)
		op->done = *done;
	if (!all.entry)
		op->launch.entry = entry_of(all.kernel);
	if (all.args_len) {
		op->args = malloc(all.args_len);
		if (!op->args) {
			op_discard(op);
			return -ENOMEM;
		}
		memcpy(op->args, all.args, all.args_len);
	}
	op->launch.args = op->args;
	sched_lock(ctx);
	err = sched_start(ctx, all.engine);
	if (!err)
		err = order_work_submit(stream, &op->launch, &op->work);
	if (!err)
		op_submit(op, NULL);
	sched_unlock(ctx);
	if (err)
		op_discard(op);
	else
		op_put(op);
	return err;
}

API int mem_launch(struct mem_stream *stream, const struct mem_launch *launch)
{
	return stream_launch(stream, launch, NULL);
}
