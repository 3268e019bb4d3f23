/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Streams of an open of /dev/heapsim: commands in stream.c, buffers in
 * managed.c.
 */
#ifndef HEAPSIM_STREAMS_H
#define HEAPSIM_STREAMS_H

#include "ctx_buf.h"

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
 * @owner: owner of the buffers of the open. Its lock protects the fields below
 *	@nr_wanted, and the above types of @objects
 * @objects: table of streams, events, host functions and works; valid until
 *	heapsim_owner.has_ended
 * @nr_wanted: upper bound of the spare objects that running commands stock
 * @attach: model
 * @null: NULL stream
 * @last_seq: last heapsim_work.seq
 * @last_serial: last heapsim_stream.serial
 * @works: struct heapsim_work, in order
 * @nr_unbegun: works that have not begun
 * @in_flight: struct heapsim_ctx_buf that may have an attach in flight
 * @due: struct heapsim_ctx_buf that works which have not begun may have to
 *	clean
 * @owing: struct heapsim_ctx_buf whose CPU invalidate waits for a work
 * @left: struct heapsim_ctx_buf that killed callers have left with PTEs, or
 *	with lines to invalidate; completed by the next command
 * @pasts: struct heapsim_kept, in order
 * @spare: unused struct heapsim_kept
 * @nr_spare: number of @spare
 */
struct heapsim_streams {
	struct heapsim_owner *owner;
	struct heapsim_objects *objects;
	atomic_t nr_wanted;

	struct attach_ctx attach;
	struct heapsim_stream null;
	u64 last_seq;
	u64 last_serial;
	struct list_head works;
	u64 nr_unbegun;
	struct list_head in_flight;
	struct list_head due;
	struct list_head owing;
	struct list_head left;
	struct list_head pasts;
	struct list_head spare;
	u64 nr_spare;
};

/* stream.c */
struct heapsim_stream *heapsim_stream_of(struct heapsim_streams *s,
					 struct attach_stream *model);
struct heapsim_streams *
heapsim_streams_create(struct heapsim_owner *owner,
		       struct heapsim_objects *objects);
void heapsim_streams_end(struct heapsim_streams *s);
void heapsim_streams_free(struct heapsim_streams *s);
void heapsim_streams_unlock(struct heapsim_streams *s);
struct heapsim_kept *heapsim_kept_get(struct heapsim_streams *s);
void heapsim_kept_put(struct heapsim_streams *s, struct heapsim_kept *kept);

/* managed.c */
void heapsim_managed_act(struct attach_ctx *attach, struct attach_buf *model,
			 u32 what);
int heapsim_managed_catch_up(struct heapsim_streams *s);
void heapsim_managed_init(struct heapsim_ctx_buf *m);
void heapsim_managed_add(struct heapsim_ctx_buf *m,
			 const struct heapsim_buf_params *params);
void heapsim_managed_forget(struct heapsim_ctx_buf *m);
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
void heapsim_managed_work_ended(struct heapsim_streams *s);
void heapsim_managed_end(struct heapsim_streams *s);

#endif
