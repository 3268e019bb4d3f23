/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The order of a context's streams: which work is known to be done, which
 * streams are active, which attach state a managed buffer has, and what a job
 * may touch. It is computed here, with the model of attach.h. A backend carries
 * out the consequences, see struct order_ops.
 *
 * Lock order: the scheduler's lock, an engine's lock, a context's order lock,
 * then the backend's locks of buffers. Fault handlers do not take the order
 * lock. Functions that add to the order, and those for marks, are called with
 * the scheduler's lock held, so that operations come in the order in which they
 * are queued.
 */
#ifndef _LIBMEM_ORDER_H
#define _LIBMEM_ORDER_H

#include "../internal.h"
#include "attach.h"

/**
 * struct acting - an engine's job, as reports name it later
 * @job: id, 0 if there is none
 * @time_ns: time of its submission
 * @stream: id of its stream
 * @kernel: kernel that it runs, or 0
 * @engine: name of the engine, static
 * @stack: stack of its submission, from record_stack()
 */
struct acting {
	uint64_t job;
	uint64_t time_ns;
	uint64_t stream;
	uintptr_t kernel;
	const char *engine;
	uint32_t stack;
};

/**
 * struct order - a stream; a member of the backend's own struct
 * @model: stream of the model, which uses it until attach_take_stream()
 */
struct order {
	struct attach_stream model;
};

#define NEWEST_STREAM_SHIFT	3	/* above MEM_ATTACH_* */

/**
 * struct order_buf - a managed buffer
 * @buf: the buffer
 * @newest: newest attach state: MEM_ATTACH_* in the low bits, above them the
 *	number of the stream if it is single to one
 * @model: its attach states; the order lock protects the members from here on
 * @in_flight: links of the context's list of the same name
 * @is_in_flight: it is in this list
 * @nr_to_drop: number of attaches to the host that streams have not reached yet
 */
struct order_buf {
	struct mem_buf *buf;
	atomic_ullong newest;

	struct attach_buf model;
	struct attach_link in_flight;
	bool is_in_flight;
	unsigned int nr_to_drop;
};

/**
 * struct work_verdict - whether a job may touch a buffer
 * @buf: buffer, or NULL if it has been destroyed
 * @sees: the job may touch it
 * @is_reported: a touch that is not allowed has been reported
 */
struct work_verdict {
	struct mem_buf *buf;
	bool sees;
	bool is_reported;
};

/**
 * struct race_party - a job that another one races with
 * @acting: how reports name it
 * @tid: thread that has submitted it
 */
struct race_party {
	struct acting acting;
	uint32_t tid;
};

/**
 * struct race_rows - bytes of a buffer that a copy or fill accesses
 * @off: first byte
 * @pitch: bytes from row to row, at least @len
 * @len: bytes of a row
 * @nr: number of rows
 */
struct race_rows {
	uint64_t off;
	uint64_t pitch;
	uint64_t len;
	uint64_t nr;
};

/**
 * struct work - a job of an engine that is not done
 * @stream: its stream in the model
 * @ticket: its ticket in the model
 * @behind: what it is behind; NULL: no races are looked for in its context
 * @nr_passed: order_ctx.nr_passed at its submission
 * @begun: order_ctx.nr_accesses when it began
 * @tid: thread that has submitted it; only set if @behind is
 * @is_own: it is a kernel of libmem itself, which gates do not stop
 * @has_begun: it has started; a job that is dropped never does
 * @acting: how reports name it
 * @verdicts: verdicts on the buffers whose state was in flight at its
 *	submission, or has changed since; others are judged by their state
 * @nr_verdicts: number of @verdicts
 * @next: next job of the context
 * @prev: previous job of the context
 */
struct work {
	struct attach_stream *stream;
	u64 ticket;
	struct behind *behind;
	u64 nr_passed;
	u64 begun;
	uint32_t tid;
	bool is_own;
	bool has_begun;
	struct acting acting;
	struct work_verdict *verdicts;
	size_t nr_verdicts;
	struct work *next;
	struct work *prev;
};

/**
 * struct order_ctx - the order of a context
 * @ctx: context
 * @lock: protects the members below
 * @model: model
 * @works: jobs that are not done
 * @reach: maintenance that the current call makes due later
 * @in_flight: list of the managed buffers with an attach that is not known to
 *	be done; it may contain some whose attach is done
 * @nr_accesses: number of accesses that were noted to look for races
 * @nr_races: number of buffers in which races are looked for
 * @nr_passed: how often a stream has passed a semaphore or a host function
 */
struct order_ctx {
	struct mem_ctx *ctx;

	pthread_mutex_t lock;
	struct attach_ctx model;
	struct work *works;
	struct reach *reach;
	struct attach_link in_flight;
	u64 nr_accesses;
	atomic_uint nr_races;
	atomic_ullong nr_passed;
};

/**
 * struct order_ops - functions of a backend for the order of streams
 * @blocks_signals: signal handlers that touch a buffer take locks of the
 *	backend: all signals are blocked while the order lock is held
 * @stream_create: allocates the backend's struct of a stream and sets the
 *	stream's order; returns 0 or -errno
 * @stream_destroy: frees it; nothing refers to the stream any more
 * @stream_state: handles a stream that has become active or idle, with the
 *	arguments of attach_ctx.stream_changed
 * @buf_create: puts a new managed buffer into the group of its first state, and
 *	notes that state like @attached; NULL: both is done already
 * @buf_destroy: takes a managed buffer that is freed out of its group; the
 *	model still has it
 * @attach: carries out the changes and the maintenance (ATTACH_*) that are due
 *	for a managed buffer now
 * @attached: notes a new attach state of a managed buffer, before the model has
 *	it. The time and the stack are set only if reports are on
 * @work_submit: numbers a new job, before the model has it; returns 0 or -errno
 * @work_begin: cleans, for a job that starts, what it sees; returns 0 or
 *	-errno: the job cannot start
 * @work_report: reports a copy or set that touches a managed buffer without
 *	permission
 * @work_end: handles the end of a job, which may never have begun; NULL:
 *	nothing is to be done
 * @nr_refused: returns the number of refused touches by the CPU of a managed
 *	buffer, or of all buffers of the context if that is NULL
 *
 * All are called with the order lock held, except when the context is freed.
 */
struct order_ops {
	bool blocks_signals;
	int (*stream_create)(struct mem_stream *stream);
	void (*stream_destroy)(struct mem_ctx *ctx, struct order *order);
	void (*stream_state)(struct mem_ctx *ctx, struct attach_stream *model,
			     bool again_own, bool again_all);
	void (*buf_create)(struct mem_buf *buf,
			   const struct record_attach *how);
	void (*buf_destroy)(struct mem_buf *buf);
	void (*attach)(struct mem_buf *buf, u32 what);
	void (*attached)(struct mem_buf *buf, const struct record_attach *how);
	int (*work_submit)(struct mem_ctx *ctx, struct work *work);
	int (*work_begin)(struct mem_ctx *ctx, const struct work *work);
	void (*work_report)(struct mem_buf *buf, bool is_write,
			    const struct work *work);
	void (*work_end)(struct mem_ctx *ctx, const struct work *work);
	uint64_t (*nr_refused)(struct mem_ctx *ctx, const struct mem_buf *buf);
};

/* order.c */
void order_init(struct mem_ctx *ctx, struct order_ctx *order);
void order_fini(struct mem_ctx *ctx);
void order_lock(struct mem_ctx *ctx, sigset_t *old);
void order_unlock(struct mem_ctx *ctx, const sigset_t *old);
int order_give_ops(struct mem_ctx *ctx, u64 nr);
void order_take_streams(struct mem_ctx *ctx);
struct attach_stream *order_model_of(const struct mem_stream *stream);

void order_buf_create(struct mem_buf *buf, struct order_buf *order);
void order_buf_destroy(struct mem_buf *buf);
uint32_t order_attach_of(struct mem_buf *buf);
void order_counters(struct mem_ctx *ctx, struct mem_buf *buf,
		    struct mem_attach_counters *count);

int order_stream_create(struct mem_stream *stream);
int order_stream_destroy(struct mem_stream *stream, struct reach **reach);
int order_mark(struct mem_stream *stream, struct mark **mark);
int order_mark_end(struct mem_stream *stream, struct mark **mark);
int order_mark_wait(struct mem_stream *stream, struct mark *mark);
void order_mark_sync(struct mem_ctx *ctx, struct mark *mark);
void order_mark_free(struct mem_ctx *ctx, struct mark *mark);
void order_sync_all(struct mem_ctx *ctx);
int order_attach(struct mem_stream *stream, struct mem_buf *buf,
		 unsigned int how, struct reach **reach);
void order_reach(struct mem_ctx *ctx, struct reach *reach);
int order_call_submit(struct mem_stream *stream, struct call **call);
void order_call_begin(struct mem_ctx *ctx, struct call *call);
void order_call_return(struct mem_ctx *ctx, struct call *call);

/* work.c */
int order_works_keep(struct mem_buf *buf);
void order_works_forget(struct mem_buf *buf);
int order_judge(struct mem_stream *stream, const struct mem_buf *dst,
		const struct mem_buf *src, bool is_set,
		struct verdict *verdict);
int order_work_submit(struct mem_stream *stream,
		      const struct mem_launch *launch, struct work **work);
bool order_work_sees(struct mem_ctx *ctx, const struct work *work,
		     struct mem_buf *buf);
bool order_job_sees(struct mem_ctx *ctx, struct work *work, struct mem_buf *buf,
		    bool *is_first);
int order_work_begin(struct mem_ctx *ctx, struct work *work);
void order_work_touch(struct mem_ctx *ctx, struct work *work,
		      struct mem_buf *buf, bool is_write);
void order_work_end(struct mem_ctx *ctx, struct work *work);

/* race.c */
int race_begin(struct mem_buf *buf);
void race_end(struct mem_buf *buf);
uint64_t race_part(const struct mem_buf *buf, uint64_t off, uint64_t *len);
void race_submit(struct order_ctx *order, struct work *work);
void race_work_begin(struct order_ctx *order, struct work *work);
bool race_touch(const struct work *work, struct mem_buf *buf, uint64_t off,
		bool is_write, struct race_party *party);
bool race_copy(const struct work *work, struct mem_buf *buf,
	       const struct race_rows *rows, bool is_write,
	       struct race_party *party);
void race_signalled(struct mem_stream *stream, u64 ticket);
void race_passed(struct mem_ctx *ctx);

#endif
