/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The work of a context: operations that wait for each other, and the threads
 * that run them. What they are for the model the backend is told by the files
 * that submit them, under the same lock.
 */
#ifndef _LIBMEM_SCHED_H
#define _LIBMEM_SCHED_H

#include "internal.h"

/**
 * enum op_kind - operations
 * @OP_MARK: nothing to run: an event, a wait
 * @OP_ATTACH: nothing to run, but for what the backend has to do then
 * @OP_RUN: a kernel
 * @OP_COPY: a copy or set by the dma engine
 * @OP_CALL: a host function
 * @OP_OWN: whoever submitted it runs and finishes it, once it is ready
 * @OP_WAIT: a wait for a semaphore
 * @OP_SIGNAL: nothing to run: a semaphore is signalled
 */
enum op_kind {
	OP_MARK,
	OP_ATTACH,
	OP_RUN,
	OP_COPY,
	OP_CALL,
	OP_OWN,
	OP_WAIT,
	OP_SIGNAL,
};

/**
 * enum op_state - where it is
 * @OP_QUEUED: it waits for others
 * @OP_READY: it waits for none
 * @OP_DONE: so
 */
enum op_state {
	OP_QUEUED,
	OP_READY,
	OP_DONE,
};

/**
 * struct op_wait - one operation waits for another
 * @op: the one that waits
 * @next: of those that wait for the same
 */
struct op_wait {
	struct op *op;
	struct op_wait *next;
};

/* Before it in its stream; in the legacy stream; an event. */
#define MAX_OP_WAITS	3

/**
 * struct op_link - a place in struct op_list
 * @next: newer
 * @prev: older
 */
struct op_link {
	struct op *next;
	struct op *prev;
};

/**
 * struct op_call - OP_CALL
 * @fn: called while there is no error, or NULL
 * @callback: called with the error, if @fn is NULL
 * @arg: for either
 * @call: the backend's
 */
struct op_call {
	mem_host_fn fn;
	mem_callback callback;
	void *arg;
	struct call *call;
};

/**
 * struct op_done - what is called when an operation has ended
 * @fn: called once, whatever the operation came to, before anyone who waits for
 *	it goes on; on the thread that ran it, without a lock, and it may not
 *	wait. NULL: nothing
 * @arg: for it
 */
struct op_done {
	void (*fn)(void *arg);
	void *arg;
};

/**
 * struct op - an operation of a stream
 * @kind: of it
 * @stream: kept
 * @nr_users: whoever submitted it, the scheduler, its stream and events
 * @state: enum op_state; a futex
 * @nr_waiters: threads that wait for a change of that
 * @seq: place in call order
 * @is_dropped: it is not carried out; not written once it runs
 * @nr_before: operations that it waits for
 * @waits_for_domain: one of those stands for all of the domain before it
 * @waits: in the lists of those
 * @followers: who waits for it
 * @in_all: place among those that are not done
 * @in_domain: the same, of blocking streams
 * @next_ready: in an executor's queue, a semaphore's, or of those that are done
 * @done_ns: when it was
 * @done: OP_RUN, OP_CALL: called at its end
 * @work: OP_RUN, OP_COPY, OP_OWN: the backend's, or NULL
 * @launch: OP_RUN
 * @args: OP_RUN: what @launch names
 * @copy: OP_COPY
 * @call: OP_CALL
 * @reach: OP_ATTACH: the backend's, or NULL
 * @semaphore: OP_WAIT, OP_SIGNAL: kept
 */
struct op {
	enum op_kind kind;
	struct mem_stream *stream;
	atomic_uint nr_users;
	atomic_uint state;
	atomic_uint nr_waiters;
	uint64_t seq;
	bool is_dropped;
	unsigned int nr_before;
	bool waits_for_domain;
	struct op_wait waits[MAX_OP_WAITS];
	struct op_wait *followers;
	struct op_link in_all;
	struct op_link in_domain;
	struct op *next_ready;
	uint64_t done_ns;
	struct op_done done;
	struct work *work;
	union {
		struct {
			struct mem_launch launch;
			unsigned char *args;
		};
		struct copy copy;
		struct op_call call;
		struct reach *reach;
		struct mem_semaphore *semaphore;
	};
};

/**
 * struct place_mark - a mark that is kept until the host has waited for all
 * @mark: the backend's
 * @seq: number of the newest operation before it
 * @next: of those
 */
struct place_mark {
	struct mark *mark;
	uint64_t seq;
	struct place_mark *next;
};

void sched_init(struct mem_ctx *ctx);
bool sched_fini(struct mem_ctx *ctx);
void sched_close(struct mem_ctx *ctx);
void sched_drop_waits(struct sched *sched);
int sched_start(struct mem_ctx *ctx, unsigned int exec);
void sched_lock(struct mem_ctx *ctx);
void sched_unlock(struct mem_ctx *ctx);
void sched_note_error(struct mem_ctx *ctx, int err);
void sched_wait_all(struct mem_ctx *ctx, uint64_t seq);

void stream_get(struct mem_stream *stream);
void stream_drop(struct mem_stream *stream);
void stream_put(struct mem_stream *stream);
bool stream_is_idle(const struct mem_stream *stream);

int stream_wait(struct mem_stream *stream);
int event_make(struct mem_ctx *ctx, unsigned int flags,
	       struct mem_event **event);
int stream_call(struct mem_stream *stream, const struct op_call *call,
		const struct op_done *done);
int stream_launch(struct mem_stream *stream, const struct mem_launch *launch,
		  const struct op_done *done);
int ctx_settle(struct mem_ctx *ctx);
int ctx_wait(struct mem_ctx *ctx);
void threads_forget(struct mem_ctx *ctx);

struct op *op_create(struct mem_stream *stream, enum op_kind kind);
struct op *op_get(struct op *op);
void op_put(struct op *op);
void op_discard(struct op *op);
void op_submit(struct op *op, struct op *after);
void op_finish(struct op *op);
void ops_finish(struct sched *sched, struct op *done);
void op_wait(struct op *op, enum op_state state, enum mem_wait_policy policy);
bool op_is_done(const struct op *op);
int op_result(struct mem_ctx *ctx, const struct op *op);

void semaphore_put(struct mem_semaphore *semaphore);
void semaphore_signal(const struct mem_semaphore *semaphore);
bool semaphore_wait(struct op *op);
void semaphores_take(struct sched *sched, struct op **done);
void semaphores_give_up(struct sched *sched, struct op **done);
bool semaphores_fini(struct sched *sched);

#endif
