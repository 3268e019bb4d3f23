/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Managed memory: streams, what the host knows to be done, which streams are
 * active, and who may touch a managed buffer (DESIGN 2.4).
 *
 * The host calls in the order in which the program's calls are made and says
 * what it waited for; the model answers who may touch what, which maintenance
 * is due, and counts. It holds no memory of its own: contexts, streams, events
 * and buffers are the host's, operations come from a pool that the host fills.
 *
 * Nothing here locks: the host serialises calls on a context and all that is
 * in it. All fields are the model's; the host reads those that it is told of.
 */
#ifndef _LIBMEM_ORDER_ATTACH_H
#define _LIBMEM_ORDER_ATTACH_H

#include "../../kmod/model/right.h"

struct attach_buf;
struct attach_ctx;
struct attach_op;
struct profile;
struct attach_stream;

/* What is due for a buffer; what attach_ctx's act is told. */
#define ATTACH_REVOKE		0x01U
#define ATTACH_RESTORE		0x02U
#define ATTACH_CLEAN		0x04U
#define ATTACH_CPU_INVALIDATE	0x08U
#define ATTACH_GPU_CLEAN	0x10U
#define ATTACH_GPU_INVALIDATE	0x20U
#define ATTACH_PREFETCH_TO_CPU	0x40U
#define ATTACH_PREFETCH_TO_GPU	0x80U
/* Told of only if attach_ctx's stream_changed is set. */
#define ATTACH_LEAVE		0x100U
#define ATTACH_JOIN		0x200U
#define ATTACH_BLOCKER		0x400U

/**
 * struct attach_counters - what was done for one buffer, or for all
 * @revoked: the CPU's right ended
 * @restored: the host waited, and the buffer became touchable by the CPU
 * @cleans: CPU lines written back, whole buffers
 * @cleaned_bytes: the sum of their lengths; so are all bytes below
 * @cpu_invalidates: CPU lines dropped
 * @cpu_invalidated_bytes: bytes of that
 * @gpu_cleans: GPU cache written back
 * @gpu_cleaned_bytes: bytes of that
 * @gpu_invalidates: GPU cache dropped
 * @gpu_invalidated_bytes: bytes of that
 * @prefetches_to_cpu: attaches from global or single to host
 * @prefetches_to_gpu: attaches from host to global or single
 * @cpu_while_active: violations: the CPU touched what it may not now
 * @engine_not_attached: violations: a job touched what its stream may not
 *
 * For a job every buffer visible to it counts, be there anything to clean or
 * not: that is what the driver does, and what hints save.
 */
struct attach_counters {
	u64 revoked;
	u64 restored;
	u64 cleans;
	u64 cleaned_bytes;
	u64 cpu_invalidates;
	u64 cpu_invalidated_bytes;
	u64 gpu_cleans;
	u64 gpu_cleaned_bytes;
	u64 gpu_invalidates;
	u64 gpu_invalidated_bytes;
	u64 prefetches_to_cpu;
	u64 prefetches_to_gpu;
	u64 cpu_while_active;
	u64 engine_not_attached;
};

/** enum attach_verdict - a touch is right, or which violation it is */
enum attach_verdict {
	ATTACH_ALLOWED,
	ATTACH_CPU_WHILE_ACTIVE,
	ATTACH_ENGINE_NOT_ATTACHED,
};

/** enum attach_op_kind - operations of which something is to be remembered */
enum attach_op_kind {
	ATTACH_OP_WORK,
	ATTACH_OP_WAIT,
	ATTACH_OP_HOST,
	ATTACH_OP_STATE,
	ATTACH_NR_OP_KINDS,
};

/**
 * struct attach_state - an attach state
 * @kind: of it
 * @stream: the one stream of ATTACH_SINGLE, else NULL
 */
struct attach_state {
	enum attach_kind kind;
	struct attach_stream *stream;
};

/**
 * struct attach_claim - a state of a buffer that has an attach in flight
 * @buf: the buffer
 * @in_claims: place among the claims of that state, if it is not host
 */
struct attach_claim {
	struct attach_buf *buf;
	struct attach_link in_claims;
};

/**
 * struct attach_point - a place in the order of all operations
 * @stream: in which stream
 * @at: behind all operations of it up to this ticket
 * @null: of a blocking stream: behind all of the NULL stream, and so of all
 *	blocking streams, up to this ticket
 */
struct attach_point {
	struct attach_stream *stream;
	u64 at;
	u64 null;
};

/**
 * struct attach_op - an operation, or a row of jobs, that is not known done
 * @kind: of it
 * @stream: where it was submitted
 * @first: ticket, of a row of jobs that of the first
 * @last: the same, or that of the last in the row
 * @null: as in struct attach_point, when it was submitted
 * @source: ATTACH_OP_WAIT: what it waits for
 * @state: ATTACH_OP_STATE: the new one
 * @claim: ATTACH_OP_STATE: the buffer's by this state
 * @in_buf: ATTACH_OP_STATE: place in that buffer's states
 * @in_waits: ATTACH_OP_WAIT: place among all waits of the context
 * @watchers: ATTACH_OP_HOST: streams whose next work it is known to hold up
 * @has_begun: ATTACH_OP_HOST: the function has been called
 * @in_stream: place in the stream's queue, or in the pool
 * @in_domain: place in the queue of all blocking streams, if it is of one
 */
struct attach_op {
	enum attach_op_kind kind;
	struct attach_stream *stream;
	u64 first;
	u64 last;
	u64 null;
	struct attach_point source;
	struct attach_state state;
	struct attach_claim claim;
	struct attach_link in_buf;
	struct attach_link in_waits;
	struct attach_link watchers;
	bool has_begun;
	struct attach_link in_stream;
	struct attach_link in_domain;
};

/**
 * struct attach_queue - operations not known done, by kind, in ticket order
 * @ops: a list each kind
 * @known: all up to this ticket is known done
 * @epoch: the search that @reach and @cursor are of
 * @reach: the search has come to all up to this ticket
 * @cursor: first wait that the search has not looked at
 * @in_work: place among those that the search has still to look at
 * @in_reached: place among those that it came to
 * @held_epoch: the search that @held_from and @held_by are of
 * @held_from: a wait of this ticket, and all behind it, are behind @held_by
 * @held_by: a host function that has not returned
 */
struct attach_queue {
	struct attach_link ops[ATTACH_NR_OP_KINDS];
	u64 known;
	u64 epoch;
	u64 reach;
	struct attach_link *cursor;
	struct attach_link in_work;
	struct attach_link in_reached;
	u64 held_epoch;
	u64 held_from;
	struct attach_op *held_by;
};

/**
 * struct attach_stream - a stream
 * @is_blocking: ordered with the NULL stream, or that itself
 * @is_destroyed: it takes no more operations
 * @is_active: it holds work that may be running
 * @last: ticket of its last operation, 0 none
 * @last_null: the NULL stream's newest when that was submitted
 * @last_hold: ticket of its last wait or host function, 0 none
 * @refs: operations, events and states that name it
 * @queue: what is not known done
 * @group: buffers single to it, without an attach in flight
 * @singles: buffers whose newest state is single to it
 * @claims: states single to it, of buffers with an attach in flight
 * @witness: a host function that holds up its next work, NULL none is known
 * @in_watchers: place among those that @witness holds up
 * @in_ctx: place in the context's streams, then among those to be taken back
 * @in_active: place among the active ones
 * @in_recheck: place among those to be looked at before the call ends
 */
struct attach_stream {
	bool is_blocking;
	bool is_destroyed;
	bool is_active;
	u64 last;
	u64 last_null;
	u64 last_hold;
	u64 refs;
	struct attach_queue queue;
	struct right_group group;
	struct attach_link singles;
	struct attach_link claims;
	struct attach_op *witness;
	struct attach_link in_watchers;
	struct attach_link in_ctx;
	struct attach_link in_active;
	struct attach_link in_recheck;
};

/**
 * struct attach_event - an event; all zero it has never been recorded
 * @point: its last record; no stream if there is none
 */
struct attach_event {
	struct attach_point point;
};

/**
 * struct attach_buf - a managed buffer
 * @right: who may touch it, and what was done by group; dirty if the CPU had
 *	access since a job's clean was told
 * @fallback: what comes back when the stream that it is single to is destroyed
 * @base: the last state that is known done
 * @claim: by that, while an attach is in flight
 * @states: operations with the states after that, in call order
 * @is_in_flight: there are some, or were when the call began
 * @count: what was done for it alone
 * @in_newest: place among those whose newest state is single to the same stream
 * @in_changed: links of the context's list of the same name
 * @blocker: while in flight: the active stream for which the CPU may not touch
 *	it; NULL: any that is active
 * @judged: ticket of the last job that it was judged for while in flight
 * @updated: number of the last call at whose end its claims were looked at
 */
struct attach_buf {
	struct right_buf right;
	enum attach_kind fallback;
	struct attach_state base;
	struct attach_claim claim;
	struct attach_link states;
	bool is_in_flight;
	struct attach_counters count;
	struct attach_link in_newest;
	struct attach_link in_changed;
	struct attach_stream *blocker;
	u64 judged;
	u64 updated;
};

/**
 * struct attach_ctx - a context: what is active concerns all that is in it
 * @class: column of the table
 * @null_stream: the legacy NULL stream
 * @domain: operations of the NULL stream and of all blocking ones
 * @ticket: of the newest operation
 * @null_last: ticket of the NULL stream's newest
 * @blocking_last: ticket of the newest of all other blocking streams
 * @epoch: number of the newest search
 * @nr_calls: calls that have ended
 * @searched: what the newest search of all was for; no stream: something has
 *	changed since
 * @searched_epoch: its number
 * @left_epoch: the search that @has_work_left is of
 * @has_work_left: work that is not known done lies outside of what that came to
 * @nr_steps: steps of all loops over operations and streams that decide
 *	something, so far: what calls cost, for tests
 * @nr_works: rows of jobs that are not known done
 * @nr_host: host functions that have not returned
 * @nr_active: streams that are active
 * @group: the global buffers, without an attach in flight
 * @claims: global states, of buffers with an attach in flight
 * @changed: buffers of which an attach became known done in this call
 * @streams: all that have not been taken back
 * @actives: active streams, the oldest first
 * @recheck: streams whose work or what holds it up changed in this call
 * @waits: all waits that are not known done, by ticket
 * @work: queues that the search has still to look at
 * @reached: those that it came to
 * @pool: operations that can be had
 * @nr_pool: how many
 * @dead: streams that can be taken back
 * @count: of all buffers, those that have gone, too
 * @act: called with what is due for a buffer, ATTACH_REVOKE and so on, as soon
 *	as it is; it must not call the model. NULL: nothing is called
 * @stream_changed: called when a stream has become active or idle, with
 *	@again_own and @again_all as right_group_allow() has @again for its own
 *	group and the global one; it must not call the model. Of one call,
 *	streams that have become active come before idle ones. If it is set,
 *	@act is called for a change of one buffer alone, not for its group, and
 *	not for jobs; ATTACH_LEAVE and ATTACH_JOIN say that a buffer has left
 *	its group or entered that of its base, ATTACH_BLOCKER that its blocker
 *	has changed
 */
struct attach_ctx {
	enum attach_class class;
	struct attach_stream null_stream;
	struct attach_queue domain;
	u64 ticket;
	u64 null_last;
	u64 blocking_last;
	u64 epoch;
	u64 nr_calls;
	struct attach_point searched;
	u64 searched_epoch;
	u64 left_epoch;
	bool has_work_left;
	u64 nr_steps;
	u64 nr_works;
	u64 nr_host;
	u64 nr_active;
	struct right_group group;
	struct attach_link claims;
	struct attach_link changed;
	struct attach_link streams;
	struct attach_link actives;
	struct attach_link recheck;
	struct attach_link waits;
	struct attach_link work;
	struct attach_link reached;
	struct attach_link pool;
	u64 nr_pool;
	struct attach_link dead;
	struct attach_counters count;
	void (*act)(struct attach_ctx *ctx, struct attach_buf *buf, u32 what);
	void (*stream_changed)(struct attach_ctx *ctx, struct attach_stream *s,
			       bool again_own, bool again_all);
};

/**
 * struct attach_why - what forbids a touch
 * @kind: of the state that does
 * @stream: CPU touch: a stream that is active; job: the one that the buffer is
 *	single to, NULL if its state is host
 * @is_in_flight: that state's attach is not known done
 */
struct attach_why {
	enum attach_kind kind;
	struct attach_stream *stream;
	bool is_in_flight;
};

/** enum attach_memory - what a copy or set meets */
enum attach_memory {
	ATTACH_PAGEABLE,
	ATTACH_PINNED,
	ATTACH_DEVICE,
	ATTACH_MANAGED,
};

/**
 * struct attach_side - a side of a copy
 * @memory: its kind
 * @buf: ATTACH_MANAGED: the buffer
 */
struct attach_side {
	enum attach_memory memory;
	struct attach_buf *buf;
};

/**
 * struct attach_copy - what a synchronous call for a copy or set is
 * @from_is_device: the source counts as device memory
 * @to_is_device: the target does
 * @is_work: a device does it: device work of its stream
 * @is_waited_for: the host has waited for it when the call returns
 */
struct attach_copy {
	bool from_is_device;
	bool to_is_device;
	bool is_work;
	bool is_waited_for;
};

void attach_init(struct attach_ctx *ctx, const struct profile *profile);
void attach_fini(struct attach_ctx *ctx);
void attach_give_op(struct attach_ctx *ctx, struct attach_op *op);
struct attach_op *attach_take_op(struct attach_ctx *ctx);
struct attach_stream *attach_take_stream(struct attach_ctx *ctx);

void attach_stream_create(struct attach_ctx *ctx, struct attach_stream *s,
			  bool is_blocking);
int attach_stream_destroy(struct attach_ctx *ctx, struct attach_stream *s);
u64 attach_stream_destroy_needs(const struct attach_stream *s);

void attach_buf_create(struct attach_ctx *ctx, struct attach_buf *buf, u64 len,
		       enum attach_kind kind);
void attach_buf_destroy(struct attach_ctx *ctx, struct attach_buf *buf);
void attach_buf_counters(const struct attach_ctx *ctx,
			 const struct attach_buf *buf,
			 struct attach_counters *count);

bool attach_is_revoked(const struct attach_buf *buf);

int attach_submit_work(struct attach_ctx *ctx, struct attach_stream *s);
int attach_submit_state(struct attach_ctx *ctx, struct attach_stream *s,
			struct attach_buf *buf, enum attach_kind kind);
int attach_submit_host(struct attach_ctx *ctx, struct attach_stream *s,
		       struct attach_op **host);
int attach_host_begin(struct attach_ctx *ctx, struct attach_op *host);
void attach_host_withdraw(struct attach_ctx *ctx, struct attach_op *host);
int attach_host_return(struct attach_ctx *ctx, struct attach_op *host);

int attach_event_end(struct attach_ctx *ctx, struct attach_event *event,
		     struct attach_stream *s);
int attach_event_record(struct attach_ctx *ctx, struct attach_event *event,
			struct attach_stream *s);
int attach_event_wait(struct attach_ctx *ctx, struct attach_stream *s,
		      const struct attach_event *event);
void attach_event_destroy(struct attach_ctx *ctx, struct attach_event *event);

int attach_sync_device(struct attach_ctx *ctx);
int attach_sync_stream(struct attach_ctx *ctx, struct attach_stream *s);
int attach_sync_event(struct attach_ctx *ctx, const struct attach_event *event);

enum attach_verdict attach_cpu_touch(struct attach_ctx *ctx,
				     struct attach_buf *buf,
				     struct attach_why *why);
enum attach_verdict attach_judge_job(struct attach_ctx *ctx,
				     struct attach_stream *s,
				     const struct attach_buf *buf,
				     struct attach_why *why);
void attach_count_job_touch(struct attach_ctx *ctx, struct attach_buf *buf);
enum attach_verdict attach_job_touch(struct attach_ctx *ctx,
				     struct attach_stream *s,
				     struct attach_buf *buf,
				     struct attach_why *why);

void attach_judge_copy(struct attach_ctx *ctx, struct attach_stream *s,
		       const struct attach_side *from,
		       const struct attach_side *to, struct attach_copy *copy);
int attach_judge_set(enum attach_memory memory, struct attach_copy *copy);
bool attach_has_pinned_atomics(const struct profile *profile);

#endif
