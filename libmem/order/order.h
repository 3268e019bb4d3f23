/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The order of a context's streams: what is known done, which streams are
 * active, which attach state a managed buffer has, and what a job may touch.
 * It is computed here, with the model of kmod/model/attach.h. A backend carries
 * out what follows from that, see struct order_ops.
 *
 * Lock order: the scheduler's lock, an engine's, a context's order lock, those
 * of the backend that are held while a buffer is looked at. No handler of a
 * fault takes the order lock.
 */
#ifndef _LIBMEM_ORDER_H
#define _LIBMEM_ORDER_H

#include "../../kmod/model/attach.h"
#include "../internal.h"

/**
 * struct acting - an engine's job, for whom it concerns later
 * @job: id, 0 none
 * @time_ns: when it was submitted
 * @stream: id of its stream
 * @kernel: that it runs, 0 none
 * @engine: name of the engine, static
 * @stack: of who did, from tell_stack()
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
 * struct order - a stream, in what the backend keeps of it
 * @model: in the model, whose memory it is until it is taken back
 */
struct order {
	struct attach_stream model;
};

#define NEWEST_STREAM_SHIFT	3	/* above MEM_ATTACH_* */

/**
 * struct order_buf - a managed buffer
 * @buf: the buffer
 * @newest: newest attach state: number of the stream that it is single to, and
 *	MEM_ATTACH_* in the low bits
 * @model: its attach states; the order lock protects the rest
 * @in_flight: place in the context's list, if @is_in_flight
 * @is_in_flight: it is in that
 * @nr_to_drop: attaches to the host whose streams have to come to them still
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
 * struct work_verdict - what a job may do with a buffer
 * @buf: the buffer; NULL: it has been destroyed
 * @sees: it may touch it
 * @is_told: that it may not has been told
 */
struct work_verdict {
	struct mem_buf *buf;
	bool sees;
	bool is_told;
};

/**
 * struct work - device work that is not done
 * @stream: the model's
 * @is_own: a kernel of libmem's own: no gate stops it
 * @acting: it, for who is told of it
 * @verdicts: of buffers whose state was, or is, in flight since it was
 *	submitted; all others are judged by the state that they have
 * @nr_verdicts: how many
 * @next: of the context's
 * @prev: of the context's
 */
struct work {
	struct attach_stream *stream;
	bool is_own;
	struct acting acting;
	struct work_verdict *verdicts;
	size_t nr_verdicts;
	struct work *next;
	struct work *prev;
};

/**
 * struct order_ctx - a context
 * @ctx: the context
 * @lock: protects what follows
 * @model: the model
 * @works: device work that is not done
 * @reach: what the call makes due later
 * @in_flight: managed buffers with an attach that is not known done, and some
 *	that had one
 */
struct order_ctx {
	struct mem_ctx *ctx;

	pthread_mutex_t lock;
	struct attach_ctx model;
	struct work *works;
	struct reach *reach;
	struct attach_link in_flight;
};

/**
 * struct order_ops - what a backend does for the order of streams
 * @stream_create: make what the backend keeps of a stream, which gets its
 *	order; 0 or -errno
 * @stream_destroy: free it: nothing refers to the stream any more
 * @stream_state: a stream has become active or idle, as
 *	attach_ctx.stream_changed has it
 * @attach: carry out what has changed for a managed buffer, and what is due
 *	for it now: ATTACH_*
 * @attached: remember how a managed buffer came to a new attach state; not
 *	called while nobody reads reports
 * @work_submit: a job is submitted, of which the model does not know yet; it
 *	gets its number
 * @work_begin: a job starts: what it sees is cleaned
 * @work_report: a copy or set touches a managed buffer that it may not touch
 * @nr_refused: how often the CPU touched a managed buffer, or any of the
 *	context if that is NULL, when it might not
 *
 * All but @stream_create are called with the order lock held, except at the end
 * of the context.
 */
struct order_ops {
	int (*stream_create)(struct mem_stream *stream);
	void (*stream_destroy)(struct order *order);
	void (*stream_state)(struct mem_ctx *ctx, struct attach_stream *model,
			     bool again_own, bool again_all);
	void (*attach)(struct mem_buf *buf, u32 what);
	void (*attached)(struct mem_buf *buf, const struct tell_attach *how,
			 uint32_t attach);
	void (*work_submit)(struct mem_ctx *ctx, struct work *work);
	void (*work_begin)(struct mem_ctx *ctx, const struct work *work);
	void (*work_report)(struct mem_buf *buf, bool is_write,
			    const struct work *work);
	uint64_t (*nr_refused)(struct mem_ctx *ctx, const struct mem_buf *buf);
};

/* order.c */
void order_init(struct mem_ctx *ctx, struct order_ctx *order);
void order_fini(struct mem_ctx *ctx);
void order_lock(struct mem_ctx *ctx, sigset_t *old);
void order_unlock(struct mem_ctx *ctx, const sigset_t *old);
int order_give_ops(struct mem_ctx *ctx, u64 nr);
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
		    bool *is_news);
void order_work_begin(struct mem_ctx *ctx, struct work *work);
void order_work_touch(struct mem_ctx *ctx, struct work *work,
		      struct mem_buf *buf, bool is_write);
void order_work_end(struct mem_ctx *ctx, struct work *work);

#endif
