/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Streams of an open of /dev/heapsim: commands in stream.c, buffers in
 * managed.c.
 */
#ifndef HEAPSIM_STREAMS_H
#define HEAPSIM_STREAMS_H

#include <linux/kref.h>

#include "buf.h"
#include "ctx.h"
#include "model/attach.h"

/**
 * struct heapsim_state - an attach state
 * @attach: HEAPSIM_ATTACH_*
 * @stream: id of the stream that the buffer is single to, else 0
 * @serial: number of that stream, never reused
 */
struct heapsim_state {
	u32 attach;
	u32 stream;
	u64 serial;
};

/**
 * struct heapsim_stream - a stream
 * @object: head; id 0 is the NULL stream
 * @model: stream in the model
 * @own: storage of @model, except for the NULL stream
 * @serial: number, never reused
 * @singles: struct heapsim_ctx_buf whose newest state is single to this stream
 * @newest: last work that was submitted, for records
 */
struct heapsim_stream {
	struct heapsim_object object;
	struct attach_stream *model;
	struct attach_stream own;
	u64 serial;
	struct list_head singles;
	struct heapsim_party newest;
};

/**
 * struct heapsim_kept - state needed to judge a work later
 * @node: entry in heapsim_work.verdicts, heapsim_ctx_buf.pasts or the spare
 *	ones
 * @in_streams: past state: entry in heapsim_streams.pasts
 * @buf: verdict: id of the buffer
 * @is_allowed: verdict: the work may access the buffer
 * @until: past state: holds for works with a lower heapsim_work.seq
 * @state: past state, or the state that decided the verdict
 */
struct heapsim_kept {
	struct list_head node;
	struct list_head in_streams;
	u64 buf;
	bool is_allowed;
	u64 until;
	struct heapsim_state state;
};

/**
 * struct heapsim_work - a work that has not ended
 * @object: head
 * @node: entry in heapsim_streams.works
 * @seq: position in the order of works and attaches
 * @serial: serial of its stream
 * @has_begun: the work has begun
 * @verdicts: struct heapsim_kept for buffers that had an attach in flight at
 *	submission
 * @party: the work in records
 */
struct heapsim_work {
	struct heapsim_object object;
	struct list_head node;
	u64 seq;
	u64 serial;
	bool has_begun;
	struct list_head verdicts;
	struct heapsim_party party;
};

/**
 * struct heapsim_streams - streams, works and buffers of an open
 * @refs: references of the open and of each buffer
 * @user: user that all of this counts for, with a reference
 * @objects: table of streams, events, host functions and works; valid until
 *	@has_ended
 * @nr_wanted: upper bound of the spare objects that running commands stock
 * @lock: protects the fields below, and the above types of @objects. Memory is
 *	allocated before it is taken
 * @attach: model
 * @has_ended: the open has been closed
 * @null: NULL stream
 * @last_seq: last heapsim_work.seq
 * @last_serial: last heapsim_stream.serial
 * @buf_ids: struct heapsim_ctx_buf by id of the buffer
 * @works: struct heapsim_work, in order
 * @nr_unbegun: works that have not begun
 * @in_flight: struct heapsim_ctx_buf that may have an attach in flight
 * @due: struct heapsim_ctx_buf that works which have not begun may have to
 *	clean
 * @owing: struct heapsim_ctx_buf whose CPU invalidate waits for a work
 * @left: struct heapsim_ctx_buf that killed callers have left with PTEs, or
 *	with lines to invalidate; completed by the next command
 * @written_lock: inside heapsim_buf.lock; protects @written
 * @written: struct heapsim_ctx_buf whose device view was stored to
 * @pasts: struct heapsim_kept, in order
 * @spare: unused struct heapsim_kept
 * @nr_spare: number of @spare
 * @cpu_on_device: forbidden CPU accesses to device memory of all buffers
 */
struct heapsim_streams {
	struct kref refs;
	struct heapsim_user *user;
	struct heapsim_objects *objects;
	atomic_t nr_wanted;

	struct mutex lock;
	struct attach_ctx attach;
	bool has_ended;
	struct heapsim_stream null;
	u64 last_seq;
	u64 last_serial;
	struct xarray buf_ids;
	struct list_head works;
	u64 nr_unbegun;
	struct list_head in_flight;
	struct list_head due;
	struct list_head owing;
	struct list_head left;
	spinlock_t written_lock;
	struct list_head written;
	struct list_head pasts;
	struct list_head spare;
	u64 nr_spare;
	u64 cpu_on_device;
};

/**
 * struct heapsim_ctx_buf - state of a buffer in its context
 * @buf: buffer
 * @streams: streams of its open, with a reference
 * @model: managed memory: buffer in the model
 * @newest: managed memory: newest state; written with the lock held, read by
 *	records without it
 * @attaches: last attaches, newest first, for records
 * @pasts: struct heapsim_kept, in order: earlier states
 * @in_singles: entry in heapsim_stream.singles
 * @in_flight: entry in heapsim_streams.in_flight
 * @due: entry in heapsim_streams.due
 * @owing: entry in heapsim_streams.owing
 * @left: entry in heapsim_streams.left
 * @drops: lines must be invalidated before the CPU accesses the buffer
 * @written: entry in heapsim_streams.written
 * @owes_to: the invalidate waits for works up to this heapsim_work.seq
 * @cpu_on_device: device memory: forbidden CPU accesses
 */
struct heapsim_ctx_buf {
	struct heapsim_buf *buf;
	struct heapsim_streams *streams;
	struct attach_buf model;
	struct heapsim_state newest;
	struct heapsim_record_attach attaches[HEAPSIM_RECORD_NR_ATTACHES];
	struct list_head pasts;
	struct list_head in_singles;
	struct list_head in_flight;
	struct list_head due;
	struct list_head owing;
	struct list_head left;
	bool drops;
	struct list_head written;
	u64 owes_to;
	u64 cpu_on_device;
};

/* stream.c */
struct heapsim_stream *heapsim_stream_of(struct heapsim_streams *s,
					 struct attach_stream *model);
void heapsim_streams_put(struct heapsim_streams *s);
void heapsim_streams_unlock(struct heapsim_streams *s);
struct heapsim_kept *heapsim_kept_get(struct heapsim_streams *s);
void heapsim_kept_put(struct heapsim_streams *s, struct heapsim_kept *kept);

/* managed.c */
void heapsim_managed_act(struct attach_ctx *attach, struct attach_buf *model,
			 u32 what);
int heapsim_managed_catch_up(struct heapsim_streams *s);
struct heapsim_ctx_buf *heapsim_ctx_buf_find(struct heapsim_streams *s, u64 id);
void heapsim_managed_set_state(struct heapsim_ctx_buf *m,
			       const struct heapsim_state *state,
			       struct heapsim_stream *single_to,
			       const struct heapsim_record_attach *how);
u64 heapsim_managed_nr_in_flight(struct heapsim_streams *s);
void heapsim_managed_judge_all(struct heapsim_streams *s,
			       struct heapsim_stream *stream,
			       struct heapsim_work *work);
bool heapsim_managed_sees(const struct heapsim_work *work,
			  const struct heapsim_ctx_buf *m,
			  struct heapsim_state *state);
int heapsim_managed_clean_for(struct heapsim_streams *s,
			      const struct heapsim_work *work);
int heapsim_managed_settle(struct heapsim_streams *s,
			   const struct heapsim_party *party);
void heapsim_managed_work_ended(struct heapsim_streams *s);
void heapsim_managed_end(struct heapsim_streams *s);

static inline bool heapsim_is_managed(const struct heapsim_ctx_buf *m)
{
	return m->buf->kind == HEAPSIM_KIND_MANAGED;
}

#endif
