/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The work of a context: operations that wait for each other, and the threads
 * that run them. The files that submit an operation also submit it to order/,
 * under the same lock.
 */
#ifndef _LIBMEM_SCHED_H
#define _LIBMEM_SCHED_H

#include "internal.h"

/**
 * enum op_kind - kinds of operation
 * @OP_MARK: runs nothing: an event, or a wait for one
 * @OP_ATTACH: runs nothing, except that maintenance may be due
 * @OP_RUN: a kernel
 * @OP_COPY: a copy or fill by the dma engine
 * @OP_CALL: a host function
 * @OP_OWN: run and finished by the thread that submitted it, once it is ready
 * @OP_WAIT: a wait for a semaphore
 * @OP_SIGNAL: runs nothing: a semaphore is signalled
 * @OP_GATE: runs nothing: gates of buffers change
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
	OP_GATE,
};

/**
 * enum op_state - state of an operation
 * @OP_QUEUED: it waits for other operations
 * @OP_READY: it waits for none, or runs
 * @OP_DONE: it has ended
 */
enum op_state {
	OP_QUEUED,
	OP_READY,
	OP_DONE,
};

/**
 * struct op_wait - one operation waits for another
 * @op: the operation that waits
 * @next: next wait for the same operation
 */
struct op_wait {
	struct op *op;
	struct op_wait *next;
};

/* The operation before it in its stream, in the legacy stream, and an event. */
#define MAX_OP_WAITS	3

/**
 * struct op_link - links of an operation in a struct op_list
 * @next: newer operation
 * @prev: older operation
 */
struct op_link {
	struct op *next;
	struct op *prev;
};

/**
 * struct op_call - the host function of OP_CALL
 * @fn: called unless the context has an error; NULL: @callback is called
 * @callback: always called, with 0 or the error
 * @arg: argument of @fn or @callback
 * @call: its place in the order
 */
struct op_call {
	mem_host_fn fn;
	mem_callback callback;
	void *arg;
	struct call *call;
};

/**
 * struct op_done - a function that is called when an operation has ended
 * @fn: called once, also after an error, before any operation or thread that
 *	waits for it continues; on the thread that ran it, without a lock. It
 *	must not wait. NULL: none
 * @arg: argument of @fn
 */
struct op_done {
	void (*fn)(void *arg);
	void *arg;
};

/**
 * struct op - an operation of a stream
 * @kind: enum op_kind
 * @stream: its stream, with a reference
 * @nr_users: references: of the thread that submitted it, the scheduler, its
 *	stream and events
 * @state: enum op_state; a futex
 * @nr_waiters: threads that wait for a change of @state
 * @seq: number in call order
 * @is_dropped: it is not carried out; does not change once it runs
 * @nr_before: number of operations that it waits for
 * @waits_for_domain: @nr_before counts all operations of the domain before it
 *	as one
 * @waits: entries in the lists of the operations that it waits for
 * @followers: operations that wait for it
 * @in_all: links in the list of operations that are not done
 * @in_domain: links in that of blocking streams
 * @next_ready: next in the queue of a thread or of a semaphore, or of
 *	operations that are done
 * @done_ns: when it ended, CLOCK_MONOTONIC
 * @done: OP_RUN, OP_CALL: called when it has ended
 * @work: OP_RUN, OP_COPY, OP_OWN: the job, or NULL
 * @launch: OP_RUN: the kernel
 * @args: OP_RUN: copy of the arguments, which @launch refers to
 * @copy: OP_COPY: the copy
 * @call: OP_CALL: the host function
 * @reach: OP_ATTACH: maintenance that is due then, or NULL
 * @semaphore: OP_WAIT, OP_SIGNAL: the semaphore, with a reference
 * @ticket: OP_WAIT, OP_SIGNAL: its place in the order
 * @gates: OP_GATE: the change, with references to its buffers
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
		struct {
			struct mem_semaphore *semaphore;
			uint64_t ticket;
		};
		struct gate_change gates;
	};
};

/**
 * struct place_mark - a mark that is kept until the host has waited for all
 * work
 * @mark: mark
 * @seq: number of the newest operation before it
 * @next: next such mark
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
void sched_reap(struct sched *sched);
int sched_start(struct mem_ctx *ctx, unsigned int exec);
void sched_lock(struct mem_ctx *ctx);
void sched_unlock(struct mem_ctx *ctx);
void sched_note_error(struct mem_ctx *ctx, int err);
void sched_wait_all(struct mem_ctx *ctx, uint64_t seq);
enum mem_wait_policy sched_wait_policy(struct mem_ctx *ctx);

void stream_get(struct mem_stream *stream);
void stream_drop(struct mem_stream *stream);
void stream_put(struct mem_stream *stream);
bool stream_is_idle(const struct mem_stream *stream);

/* stream.c */
int stream_make(struct mem_ctx *ctx, unsigned int flags, int priority,
		bool is_own, struct mem_stream **made);
int stream_forget(struct mem_stream *stream);
bool stream_has_unknown(const struct mem_stream *stream);
int stream_submit_mark(struct mem_stream *stream, struct mark **mark,
		       struct op **made);
int stream_wait(struct mem_stream *stream);
int stream_change_gates(struct mem_stream *stream,
			const struct gate_change *change);
bool stream_has_work(struct mem_stream *stream, bool is_for_other);

/* thread_stream.c */
void thread_streams_fini(struct mem_ctx *ctx);

/* ctx_wait.c */
int ctx_settle(struct mem_ctx *ctx);
int ctx_wait(struct mem_ctx *ctx);

/* memory.c */
int memory_import(struct mem_ctx *ctx, int fd, uint64_t off, uint64_t len,
		  unsigned int flags, struct mem_buf **buf);
void memory_retire(struct mem_buf *buf, uint64_t owner);
unsigned int memory_nr_retired(struct mem_ctx *ctx, uint64_t owner);

/* event.c */
int event_make(struct mem_ctx *ctx, unsigned int flags,
	       struct mem_event **event);

/* launch.c */
int stream_call(struct mem_stream *stream, const struct op_call *call,
		const struct op_done *done);
int stream_launch(struct mem_stream *stream, const struct mem_launch *launch,
		  const struct op_done *done);

struct op *op_create(struct mem_stream *stream, enum op_kind kind);
struct op *op_get(struct op *op);
void op_put(struct op *op);
void op_discard(struct op *op);
void op_submit(struct op *op, struct op *after);
int op_submit_unlock(struct op *op, struct op *after, int err);
void op_finish(struct op *op);
void ops_finish(struct sched *sched, struct op *done);
void op_wait(struct op *op, enum op_state state, enum mem_wait_policy policy);
bool op_is_done(const struct op *op);
int op_result(struct mem_ctx *ctx, const struct op *op);

int semaphore_check_fd(int fd);
void semaphore_put(struct mem_semaphore *semaphore);
void semaphore_signal(const struct mem_semaphore *semaphore, int error);
int stream_fence(struct mem_stream *stream, struct own_fd *fence);
int fence_check(int fd);
bool semaphore_wait(struct op *op);
void semaphores_take(struct sched *sched, struct op **done);
void semaphores_give_up(struct sched *sched, struct op **done);
bool semaphores_fini(struct sched *sched);

#endif
