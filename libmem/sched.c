// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: the scheduler: which operation waits for which others, and the
 * threads that run them. An operation waits for the one before it in its
 * stream, for the newest one of the legacy stream if its stream is blocking,
 * and possibly for an event. An operation of the legacy stream waits until it
 * is the oldest of the domain, which consists of the legacy stream and all
 * blocking streams. An operation that waits for no other goes to a thread:
 * there is one for each engine, one for the dma engine and one for host
 * functions.
 *
 * A thread is started with the first operation for it, and ends with the
 * context. The context may be freed on one of them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/engine.h"
#include "order/order.h"
#include "sched.h"

/* Times that a thread yields before it blocks, with MEM_WAIT_AUTO. */
#define AUTO_SPINS	64

static _Thread_local bool is_in_call;

/* The thread cannot be cancelled while it holds the lock. */
void sched_lock(struct mem_ctx *ctx)
{
	int cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_mutex_lock(&ctx->sched.lock);
	ctx->sched.cancel = cancel;
}

void sched_unlock(struct mem_ctx *ctx)
{
	const int cancel = ctx->sched.cancel;

	pthread_mutex_unlock(&ctx->sched.lock);
	pthread_setcancelstate(cancel, NULL);
}

/**
 * sched_wait_policy() - get how waits of a context wait
 * @ctx: context
 *
 * Return: the policy that mem_ctx_set_wait_policy() has set, or the default.
 */
enum mem_wait_policy sched_wait_policy(struct mem_ctx *ctx)
{
	return (enum mem_wait_policy)atomic_load(&ctx->sched.wait_policy);
}

/* A host function may not wait, nor create or change objects. */
int sched_check_call(void)
{
	return is_in_call ? -EPERM : 0;
}

void sched_init(struct mem_ctx *ctx)
{
	struct sched *sched = &ctx->sched;
	unsigned int i;

	pthread_mutex_init(&sched->lock, NULL);
	sched->pid = getpid();
	sched->legacy.ctx = ctx;
	sched->legacy.is_blocking = true;
	sched->legacy.is_own = true;
	atomic_init(&sched->legacy.nr_users, 1);
	for (i = 0; i < NR_EXECS; i++) {
		sched->execs[i].ctx = ctx;
		pthread_cond_init(&sched->execs[i].has_work, NULL);
	}
}

void stream_get(struct mem_stream *stream)
{
	atomic_fetch_add(&stream->nr_users, 1);
	ctx_get(stream->ctx);
}

/* Drops a reference to a stream that keeps no reference to the context. */
void stream_drop(struct mem_stream *stream)
{
	if (atomic_fetch_sub(&stream->nr_users, 1) != 1)
		return;
	if (stream->last)
		op_put(stream->last);
	free(stream);
}

/* Drops a reference, which may also free the context. */
void stream_put(struct mem_stream *stream)
{
	struct mem_ctx *ctx = stream->ctx;

	stream_drop(stream);
	ctx_put(ctx);
}

struct op *op_create(struct mem_stream *stream, enum op_kind kind)
{
	struct op *op = calloc(1, sizeof(*op));

	if (!op)
		return NULL;
	op->kind = kind;
	op->stream = stream;
	atomic_init(&op->nr_users, 1);
	stream_get(stream);
	return op;
}

struct op *op_get(struct op *op)
{
	atomic_fetch_add(&op->nr_users, 1);
	return op;
}

/* Drops what the operation refers to; it is done, or was never submitted. */
static void op_release(struct op *op)
{
	const struct backend *backend = op->stream->ctx->backend;

	if (op->kind == OP_RUN) {
		free(op->args);
	} else if (op->kind == OP_WAIT || op->kind == OP_SIGNAL) {
		if (op->semaphore)
			semaphore_put(op->semaphore);
	} else if (op->kind == OP_GATE) {
		gate_change_fini(&op->gates);
	} else if (op->kind == OP_COPY || op->kind == OP_OWN) {
		if (op->copy.dst)
			backend->put(op->copy.dst);
		if (op->copy.src)
			backend->put(op->copy.src);
	}
}

/* Frees an operation that was never submitted. */
void op_discard(struct op *op)
{
	op_release(op);
	stream_put(op->stream);
	free(op);
}

/* Drops a reference. The operation's stream may already have been freed. */
void op_put(struct op *op)
{
	if (atomic_fetch_sub(&op->nr_users, 1) == 1)
		free(op);
}

bool op_is_done(const struct op *op)
{
	return atomic_load_explicit(&op->state, memory_order_acquire) ==
	       OP_DONE;
}

/* Returns the result of a call that has waited for the operation. */
int op_result(struct mem_ctx *ctx, const struct op *op)
{
	const int err = ctx_result(ctx);

	return !err && op->is_dropped ? -EDEADLK : err;
}

static void futex_wake(atomic_uint *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static void futex_wait(atomic_uint *word, unsigned int seen)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static void op_set_state(struct op *op, enum op_state state)
{
	atomic_store(&op->state, state);
	if (atomic_load(&op->nr_waiters))
		futex_wake(&op->state);
}

static void op_block(struct op *op, enum op_state state)
{
	unsigned int seen;

	atomic_fetch_add(&op->nr_waiters, 1);
	while ((seen = atomic_load(&op->state)) < state)
		futex_wait(&op->state, seen);
	atomic_fetch_sub(&op->nr_waiters, 1);
}

/* Waits until an operation, kept by the caller, is in @state or a later one. */
void op_wait(struct op *op, enum op_state state, enum mem_wait_policy policy)
{
	unsigned int spins = 0;

	while (atomic_load_explicit(&op->state, memory_order_acquire) < state) {
		if (policy == MEM_WAIT_BLOCK ||
		    (policy == MEM_WAIT_AUTO && spins++ == AUTO_SPINS)) {
			op_block(op, state);
			return;
		}
		if (policy != MEM_WAIT_SPIN)
			sched_yield();
	}
}

/* Lists of operations that are not done */

static void op_list_append(struct op_list *list, struct op *op,
			   struct op_link *(*link_of)(struct op *op))
{
	struct op_link *link = link_of(op);

	link->prev = list->last;
	link->next = NULL;
	if (list->last)
		link_of(list->last)->next = op;
	else
		list->first = op;
	list->last = op;
}

static void op_list_remove(struct op_list *list, struct op *op,
			   struct op_link *(*link_of)(struct op *op))
{
	struct op_link *link = link_of(op);

	if (link->prev)
		link_of(link->prev)->next = link->next;
	else
		list->first = link->next;
	if (link->next)
		link_of(link->next)->prev = link->prev;
	else
		list->last = link->prev;
}

static struct op_link *op_in_all(struct op *op)
{
	return &op->in_all;
}

static struct op_link *op_in_domain(struct op *op)
{
	return &op->in_domain;
}

static bool stream_is_legacy(const struct mem_stream *stream)
{
	return !stream->id;
}

/* Threads that run operations */

static unsigned int op_exec(const struct op *op)
{
	if (op->kind == OP_RUN)
		return op->launch.engine;
	return op->kind == OP_COPY ? EXEC_DMA : EXEC_HOST;
}

static void exec_push(struct exec *exec, struct op *op)
{
	const int at = op->stream->priority - MEM_PRIORITY_GREATEST;

	op->next_ready = NULL;
	if (exec->last[at])
		exec->last[at]->next_ready = op;
	else
		exec->first[at] = op;
	exec->last[at] = op;
	pthread_cond_signal(&exec->has_work);
}

static struct op *exec_pop(struct exec *exec)
{
	struct op *op;
	int at;

	for (at = 0; at < NR_PRIORITIES; at++) {
		op = exec->first[at];
		if (!op)
			continue;
		exec->first[at] = op->next_ready;
		if (!exec->first[at])
			exec->last[at] = NULL;
		return op;
	}
	return NULL;
}

/* Returns the error of the context, or -ECANCELED if it was dropped. */
static int op_error(const struct op *op)
{
	const int error = atomic_load(&op->stream->ctx->sched.error);

	return !error && op->is_dropped ? -ECANCELED : error;
}

/*
 * Called when the operation waits for no other any more. If it has nothing to
 * run, it is added to the list @done.
 */
static void op_ready(struct op *op, struct op **done)
{
	struct sched *sched = &op->stream->ctx->sched;

	switch (op->kind) {
	case OP_WAIT:
		if (!op_error(op) && !semaphore_wait(op)) {
			record_fence(RECORD_FENCE_WAIT, op, op->stream->id);
			return;
		}
		break;
	case OP_SIGNAL:
		record_fence(RECORD_FENCE_SIGNAL, NULL, op->stream->id);
		race_signalled(op->stream, op->ticket);
		semaphore_signal(op->semaphore, op_error(op));
		break;
	case OP_OWN:
		sched->nr_going++;
		op_set_state(op, OP_READY);
		return;
	case OP_MARK:
	case OP_ATTACH:
	case OP_GATE:
		break;
	default:
		sched->nr_going++;
		exec_push(&sched->execs[op_exec(op)], op);
		return;
	}
	op->next_ready = *done;
	*done = op;
}

static void op_count_down(struct op *op, struct op **done)
{
	if (!--op->nr_before)
		op_ready(op, done);
}

static void op_complete(struct sched *sched, struct op *op, struct op **done)
{
	struct op_wait *wait = op->followers;

	if (op->kind == OP_ATTACH && op->reach)
		order_reach(op->stream->ctx, op->reach);
	if (op->kind == OP_GATE)
		gate_change(&op->gates);
	if (op->kind == OP_WAIT) {
		record_fence(RECORD_FENCE_PASS, op, op->stream->id);
		race_passed(op->stream->ctx);
	}
	op->followers = NULL;
	op->done_ns = now_ns();
	op_list_remove(&sched->all, op, op_in_all);
	for (; wait; wait = wait->next)
		op_count_down(wait->op, done);
	if (op->stream->is_blocking) {
		op_list_remove(&sched->domain, op, op_in_domain);
		op = sched->domain.first;
		if (op && op->waits_for_domain) {
			op->waits_for_domain = false;
			op_count_down(op, done);
		}
	}
}

/* Frees retired memory whose work has ended. The lock is held. */
void sched_reap(struct sched *sched)
{
	const struct op *oldest = sched->all.first;
	struct mem_buf *buf;

	while ((buf = sched->retired) &&
	       (!oldest || oldest->seq > buf->retired.seq)) {
		sched->retired = buf->retired.next;
		if (is_heaps(buf))
			buf->ctx->backend->free(buf);
		else
			buf->ctx->backend->free_ptr(buf);
	}
}

static void ops_complete(struct sched *sched, struct op *done)
{
	struct op *op;

	while ((op = done)) {
		done = op->next_ready;
		op_complete(sched, op, &done);
		op_release(op);
		op_set_state(op, OP_DONE);
		stream_put(op->stream);
		op_put(op);
	}
	sched_reap(sched);
}

/*
 * Drops waits for semaphores, and all operations behind them, if the context is
 * closed, is cancelled or has an error, and no running operation may still
 * signal one.
 */
void sched_drop_waits(struct sched *sched)
{
	struct op *op, *done;

	if (!sched->is_closed && !sched->nr_cancels &&
	    !atomic_load(&sched->error))
		return;
	do {
		if (!sched->nr_pending || sched->nr_going)
			return;
		/* The thread that polls may not have seen a signal yet. */
		done = NULL;
		semaphores_take(sched, &done);
		ops_complete(sched, done);
	} while (done);
	for (op = sched->all.first; op; op = op->in_all.next) {
		op->is_dropped = true;
		sched->nr_dropped++;
	}
	semaphores_give_up(sched, &done);
	ops_complete(sched, done);
}

/* Like op_finish(), for a list of waits that have ended. */
void ops_finish(struct sched *sched, struct op *done)
{
	ops_complete(sched, done);
	sched_drop_waits(sched);
}

/*
 * Ends an operation; others that only waited for it begin. The caller holds the
 * scheduler's lock, and a reference to the context, since the operation may
 * have had the last other one.
 */
void op_finish(struct op *op)
{
	struct sched *sched = &op->stream->ctx->sched;

	sched->nr_going--;
	op->next_ready = NULL;
	ops_finish(sched, op);
}

/*
 * Makes the context drop its waits for semaphores from now on. The caller must
 * not hold the lock.
 */
void sched_close(struct mem_ctx *ctx)
{
	sched_lock(ctx);
	ctx->sched.is_closed = true;
	sched_drop_waits(&ctx->sched);
	sched_unlock(ctx);
}

static void op_follow(struct op *op, unsigned int slot, struct op *other)
{
	if (!other || op_is_done(other))
		return;
	op->waits[slot] = (struct op_wait) { op, other->followers };
	other->followers = &op->waits[slot];
	op->nr_before++;
}

/*
 * Queues an operation, which also waits for @after unless that is NULL. Cannot
 * fail. The caller has started the thread for it and holds the scheduler's
 * lock.
 */
void op_submit(struct op *op, struct op *after)
{
	struct mem_stream *stream = op->stream;
	struct sched *sched = &stream->ctx->sched;
	struct op *done = NULL;

	op->seq = ++sched->seq;
	/* Operations of the legacy stream are ordered by the domain. */
	if (!stream_is_legacy(stream))
		op_follow(op, 0, stream->last);
	if (stream->is_blocking && !stream_is_legacy(stream))
		op_follow(op, 1, sched->legacy.last);
	op_follow(op, 2, after);
	if (stream_is_legacy(stream) && sched->domain.first) {
		op->waits_for_domain = true;
		op->nr_before++;
	}
	op_list_append(&sched->all, op, op_in_all);
	if (stream->is_blocking)
		op_list_append(&sched->domain, op, op_in_domain);
	if (stream->last)
		op_put(stream->last);
	stream->last = op_get(op);
	op_get(op);
	if (!op->nr_before)
		op_ready(op, &done);
	ops_finish(sched, done);
}

/**
 * op_submit_unlock() - submit a new operation, or free it, and unlock
 * @op: operation; the creator's reference is dropped
 * @after: as for op_submit()
 * @err: 0, or -errno because of which it is not submitted
 *
 * Return: @err.
 */
int op_submit_unlock(struct op *op, struct op *after, int err)
{
	struct mem_ctx *ctx = op->stream->ctx;

	if (!err)
		op_submit(op, after);
	sched_unlock(ctx);
	if (err)
		op_discard(op);
	else
		op_put(op);
	return err;
}

/*
 * Returns true if an operation that is submitted now would wait for no other.
 * The lock is held.
 */
bool stream_is_idle(const struct mem_stream *stream)
{
	const struct sched *sched = &stream->ctx->sched;

	if (stream_is_legacy(stream))
		return !sched->domain.first;
	if (stream->last && !op_is_done(stream->last))
		return false;
	return !stream->is_blocking || !sched->legacy.last ||
	       op_is_done(sched->legacy.last);
}

/* Waits for all operations up to number @seq. No lock is held. */
void sched_wait_all(struct mem_ctx *ctx, uint64_t seq)
{
	struct sched *sched = &ctx->sched;
	struct op *op;

	for (;;) {
		sched_lock(ctx);
		op = sched->all.first;
		if (op && op->seq <= seq)
			op_get(op);
		else
			op = NULL;
		sched_unlock(ctx);
		if (!op)
			return;
		op_wait(op, OP_DONE, sched_wait_policy(ctx));
		op_put(op);
	}
}

/**
 * sched_note_error() - store the error of work that has failed
 * @ctx: context
 * @err: 0 or -errno; a final one becomes the context's sticky error, any other
 *	is returned by one wait
 *
 * Context: any thread, also of a host function.
 */
void sched_note_error(struct mem_ctx *ctx, int err)
{
	int none = 0;

	if (engine_status_is_final(err))
		atomic_compare_exchange_strong(&ctx->sched.error, &none, err);
	else if (err)
		atomic_store(&ctx->sched.lost, err);
}

static void op_run_kernel(struct mem_ctx *ctx, struct op *op)
{
	/* After a failed kernel no other kernel runs. */
	if (!op_error(op))
		sched_note_error(ctx, ctx->backend->run(ctx, op->work,
							&op->launch));
}

static void op_run_copy(struct mem_ctx *ctx, struct op *op)
{
	if (!op_error(op))
		sched_note_error(ctx, ctx->backend->copy(ctx, op->work,
							 &op->copy));
}

static void op_run_call(struct mem_ctx *ctx, struct op *op)
{
	const struct op_call *call = &op->call;
	uint64_t begin_ns;
	int err;

	sched_lock(ctx);
	order_call_begin(ctx, call->call);
	sched_unlock(ctx);
	err = atomic_load(&ctx->sched.error);
	if (!err && op->is_dropped)
		err = -EDEADLK;
	is_in_call = true;
	begin_ns = record_begin();
	if (call->callback)
		call->callback(op->stream, err, call->arg);
	else if (!err)
		call->fn(call->arg);
	is_in_call = false;
	if (call->callback || !err)
		record_called(call->callback ? (uintptr_t)call->callback :
					     (uintptr_t)call->fn,
			      op->stream->id, begin_ns);
}

static void op_run(struct mem_ctx *ctx, struct op *op)
{
	if (op->kind == OP_RUN)
		op_run_kernel(ctx, op);
	else if (op->kind == OP_COPY)
		op_run_copy(ctx, op);
	else
		op_run_call(ctx, op);
	sched_lock(ctx);
	if (op->kind == OP_CALL)
		order_call_return(ctx, op->call.call);
	else if (op->work)
		order_work_end(ctx, op->work);
	if (op->done.fn) {
		sched_unlock(ctx);
		op->done.fn(op->done.arg);
		sched_lock(ctx);
	}
	op_finish(op);
	sched_unlock(ctx);
}

static void *exec_main(void *arg)
{
	struct exec *exec = arg;
	struct mem_ctx *ctx = exec->ctx;
	struct op *op;

	for (;;) {
		sched_lock(ctx);
		while (!(op = exec_pop(exec)) && !ctx->sched.is_stopping)
			pthread_cond_wait(&exec->has_work, &ctx->sched.lock);
		if (op)
			ctx_get(ctx);
		sched_unlock(ctx);
		if (!op)
			return NULL;
		op_run(ctx, op);
		if (ctx_put(ctx))
			return NULL;
	}
}

static const char *exec_name(unsigned int exec)
{
	static const char *const names[NR_EXECS] = {
		[MEM_ENGINE_GPU] = "libmem-gpu",
		[MEM_ENGINE_PVA] = "libmem-pva",
		[MEM_ENGINE_VIC] = "libmem-vic",
		[MEM_ENGINE_DGPU] = "libmem-dgpu",
		[EXEC_DMA] = "libmem-copy",
		[EXEC_HOST] = "libmem-host",
	};

	return names[exec];
}

/* Starts a thread, before an operation is queued for it. The lock is held. */
int sched_start(struct mem_ctx *ctx, unsigned int at)
{
	struct exec *exec = &ctx->sched.execs[at];
	sigset_t old;
	int err;

	if (exec->is_running)
		return 0;
	signals_block(&old);
	err = pthread_create(&exec->thread, NULL, exec_main, exec);
	signals_restore(&old);
	if (err)
		return -ENOMEM;
	pthread_setname_np(exec->thread, exec_name(at));
	exec->is_running = true;
	return 0;
}

/*
 * Ends the threads of a context without references. Returns true if the caller
 * is one of them, which then must end.
 */
bool sched_fini(struct mem_ctx *ctx)
{
	struct sched *sched = &ctx->sched;
	bool is_self = false;
	unsigned int i;

	sched_lock(ctx);
	sched->is_stopping = true;
	for (i = 0; i < NR_EXECS; i++)
		pthread_cond_signal(&sched->execs[i].has_work);
	sched_unlock(ctx);
	for (i = 0; i < NR_EXECS; i++) {
		struct exec *exec = &sched->execs[i];

		if (exec->is_running &&
		    pthread_equal(exec->thread, pthread_self())) {
			pthread_detach(exec->thread);
			is_self = true;
		} else if (exec->is_running) {
			pthread_join(exec->thread, NULL);
		}
		pthread_cond_destroy(&exec->has_work);
	}
	if (semaphores_fini(sched))
		is_self = true;
	thread_streams_fini(ctx);
	while (sched->orphans) {
		struct place_mark *place = sched->orphans;

		sched->orphans = place->next;
		order_mark_free(ctx, place->mark);
		free(place);
	}
	if (sched->legacy.last)
		op_put(sched->legacy.last);
	pthread_mutex_destroy(&sched->lock);
	return is_self;
}
