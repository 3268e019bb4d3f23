/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an open of /dev/heapsim has of streams: shared by stream.c, which has
 * the commands, and managed.c, which has the buffers.
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
 * @stream: id of the stream that it is single to, else 0
 * @serial: number of that stream, never used again
 */
struct heapsim_state {
	u32 attach;
	u32 stream;
	u64 serial;
};

/**
 * struct heapsim_stream - a stream
 * @object: head; id 0: the NULL stream
 * @model: in the attach context
 * @own: that, but of the NULL stream
 * @serial: never used again
 * @singles: struct heapsim_ctx_buf, by its newest state single to this
 * @newest: the work that was submitted last, for records
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
 * struct heapsim_kept - what judging a work later needs
 * @node: in heapsim_work.verdicts or heapsim_ctx_buf.pasts, or spare
 * @in_streams: of a past state: in heapsim_streams.pasts
 * @buf: of a verdict: id of the buffer
 * @is_allowed: of a verdict
 * @until: of a past state: it holds for works before that
 * @state: it, or the one that decided
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
 * @node: in heapsim_streams.works
 * @seq: place in the order of works and attaches
 * @serial: of its stream
 * @has_begun: it has
 * @verdicts: struct heapsim_kept: of buffers that had an attach in flight
 * @party: it, for records
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
 * @refs: the open and each buffer of it have one
 * @user: for whom what follows counts, referenced
 * @objects: streams, events, host functions and works; until @has_ended
 * @lock: protects what follows, and the above types of @objects; all that
 *	allocates is done before
 * @attach: the model
 * @has_ended: the open is closed
 * @null: the NULL stream
 * @last_seq: of a work or attach
 * @last_serial: of a stream
 * @buf_ids: struct heapsim_ctx_buf, by id of the buffer
 * @works: struct heapsim_work, in order
 * @nr_unbegun: works that have not begun
 * @in_flight: struct heapsim_ctx_buf that may have an attach in flight
 * @due: struct heapsim_ctx_buf that works which have not begun may have to
 *	clean
 * @owing: struct heapsim_ctx_buf whose CPU invalidate waits for a work
 * @left: struct heapsim_ctx_buf that callers who were killed have left with
 *	PTEs, or with lines to be dropped; the next command sees to them
 * @written_lock: inside heapsim_buf.lock; protects @written
 * @written: struct heapsim_ctx_buf whose device view was stored to
 * @pasts: struct heapsim_kept, in order
 * @spare: struct heapsim_kept to be had
 * @nr_spare: how many
 * @cpu_on_device: of all its buffers: violations
 */
struct heapsim_streams {
	struct kref refs;
	struct heapsim_user *user;
	struct heapsim_objects *objects;

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
 * struct heapsim_ctx_buf - what a context has of a buffer
 * @buf: the buffer
 * @streams: of its open, referenced
 * @model: of a managed one
 * @newest: of a managed one; written under the lock, read by records without
 * @attaches: how it came to that, the newest first, for records
 * @pasts: struct heapsim_kept, in order: states before that
 * @in_singles: place in heapsim_stream.singles
 * @in_flight: place in heapsim_streams.in_flight
 * @due: place in heapsim_streams.due
 * @owing: place in heapsim_streams.owing
 * @left: place in heapsim_streams.left
 * @drops: its lines are to be dropped before the CPU touches it
 * @written: place in heapsim_streams.written
 * @owes_to: until works before that have ended
 * @cpu_on_device: of device memory: violations
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
