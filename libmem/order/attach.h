/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Managed memory: streams, what the host knows to be done, which streams are
 * active, and what may touch a managed buffer (Documentation/model.rst).
 *
 * The host calls the model in the order of the program's calls, and notes each
 * wait of the host. The model decides which touches are permitted and which
 * maintenance is due, and counts both. It allocates no memory: contexts,
 * streams, events and buffers belong to the host, and operations come from a
 * pool that the host fills.
 *
 * The model has no locks: the host serialises the calls on a context and on all
 * objects in it. All fields belong to the model; the host reads only those that
 * are documented for it.
 */
#ifndef _LIBMEM_ORDER_ATTACH_H
#define _LIBMEM_ORDER_ATTACH_H

#include "../../kmod/model/right.h"

struct attach_buf;
struct attach_ctx;
struct attach_op;
struct profile;
struct attach_stream;

/* What is due for a buffer; argument of attach_ctx.act. */
#define ATTACH_REVOKE		0x01U
#define ATTACH_RESTORE		0x02U
#define ATTACH_CLEAN		0x04U
#define ATTACH_CPU_INVALIDATE	0x08U
#define ATTACH_GPU_CLEAN	0x10U
#define ATTACH_GPU_INVALIDATE	0x20U
#define ATTACH_PREFETCH_TO_CPU	0x40U
#define ATTACH_PREFETCH_TO_GPU	0x80U
/* Only passed if attach_ctx.stream_changed is set. */
#define ATTACH_LEAVE		0x100U
#define ATTACH_JOIN		0x200U
#define ATTACH_BLOCKER		0x400U

/**
 * struct attach_counters - what was done for one buffer, or for all
 * @revoked: times that the CPU lost access
 * @restored: times that the CPU got access again after a wait of the host
 * @cleans: write-backs of CPU lines, each of a whole buffer
 * @cleaned_bytes: sum of the lengths of these buffers, as all bytes below
 * @cpu_invalidates: times that CPU lines were dropped
 * @cpu_invalidated_bytes: bytes of these buffers
 * @gpu_cleans: write-backs of the GPU's cache
 * @gpu_cleaned_bytes: bytes of these buffers
 * @gpu_invalidates: times that the GPU's cache was dropped
 * @gpu_invalidated_bytes: bytes of these buffers
 * @prefetches_to_cpu: attaches from global or single to host
 * @prefetches_to_gpu: attaches from host to global or single
 * @cpu_while_active: violations: touches by the CPU without access
 * @engine_not_attached: violations: touches by a job that were not permitted
 *
 * For a job, every buffer counts that is visible to it, even if there is
 * nothing to clean. The driver does the same, and attach hints save this cost.
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

/** enum attach_verdict - whether a touch is permitted, or its violation */
enum attach_verdict {
	ATTACH_ALLOWED,
	ATTACH_CPU_WHILE_ACTIVE,
	ATTACH_ENGINE_NOT_ATTACHED,
};

/** enum attach_op_kind - kinds of operations that are kept */
enum attach_op_kind {
	ATTACH_OP_WORK,
	ATTACH_OP_WAIT,
	ATTACH_OP_HOST,
	ATTACH_OP_STATE,
	ATTACH_NR_OP_KINDS,
};

/**
 * enum attach_stream_kind - kinds of streams
 * @ATTACH_STREAM_NON_BLOCKING: it is ordered by events alone
 * @ATTACH_STREAM_BLOCKING: it is ordered with the NULL stream, too
 * @ATTACH_STREAM_FOREIGN: another API's, ordered by events alone: its jobs use
 *	no managed memory and are none for which the CPU loses access, and a
 *	wait for the device says nothing about it
 */
enum attach_stream_kind {
	ATTACH_STREAM_NON_BLOCKING,
	ATTACH_STREAM_BLOCKING,
	ATTACH_STREAM_FOREIGN,
};

/**
 * struct attach_state - an attach state
 * @kind: kind of the state
 * @stream: the stream of ATTACH_SINGLE, else NULL
 */
struct attach_state {
	enum attach_kind kind;
	struct attach_stream *stream;
};

/**
 * struct attach_claim - a state of a buffer that has an attach in flight
 * @buf: buffer
 * @in_claims: links of the claims of that state, unless it is host
 */
struct attach_claim {
	struct attach_buf *buf;
	struct attach_link in_claims;
};

/**
 * struct attach_point - a place in the order of all operations
 * @stream: stream
 * @at: it is behind all operations of the stream up to this ticket
 * @null: of a blocking stream: it is behind all operations of the NULL stream,
 *	and therefore of all blocking streams, up to this ticket
 */
struct attach_point {
	struct attach_stream *stream;
	u64 at;
	u64 null;
};

/**
 * struct attach_op - an operation, or a row of jobs, that is not known done
 * @kind: kind of the operation
 * @stream: stream that it was submitted to
 * @first: ticket; of a row, that of the first job
 * @last: ticket; of a row, that of the last job
 * @null: as in struct attach_point, at the time of submission
 * @source: ATTACH_OP_WAIT: the point that it waits for
 * @state: ATTACH_OP_STATE: the new state
 * @claim: ATTACH_OP_STATE: claim of the buffer by this state
 * @in_buf: ATTACH_OP_STATE: links of the buffer's states
 * @in_waits: ATTACH_OP_WAIT: links of the context's waits
 * @watchers: ATTACH_OP_HOST: streams whose oldest work it is known to hold up
 * @has_begun: ATTACH_OP_HOST: the function has been called
 * @in_stream: links of the stream's queue, or of the pool
 * @in_domain: links of the domain, if the stream is blocking
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
 * @ops: a list for each kind
 * @known: all operations up to this ticket are known done
 * @epoch: number of the search that has set @reach and @cursor
 * @reach: the search has reached all operations up to this ticket
 * @cursor: first wait that the search has not visited
 * @in_work: links of the queues that the search still has to visit
 * @in_reached: links of the queues that the search has reached
 * @held_epoch: number of the search that has set @held_from and @held_by
 * @held_from: the wait with this ticket and all operations after it are behind
 *	@held_by
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
 * @is_blocking: it is ordered with the NULL stream, or is the NULL stream
 * @is_foreign: it is of ATTACH_STREAM_FOREIGN: its jobs are only numbered
 * @is_destroyed: it takes no more operations
 * @born: ticket of the newest operation of the context when it was created
 * @is_active: it has work that may be running
 * @last: ticket of its newest operation; 0: none
 * @last_null: ticket of the NULL stream's newest operation at that time
 * @last_hold: ticket of its newest wait or host function; 0: none
 * @signalled: of the host: ticket of the newest signal by which others may know
 *	that the operations before it are done
 * @refs: number of operations, events and states that refer to it, and of the
 *	jobs of a foreign stream
 * @queue: its operations that are not known done
 * @group: buffers single to it, without an attach in flight
 * @singles: buffers whose newest state is single to it
 * @claims: states single to it, of buffers with an attach in flight
 * @witness: a host function that holds up its oldest work; NULL: none is known
 * @in_watchers: links of the watchers of @witness
 * @in_ctx: links of the context's streams, later of those to be taken back
 * @in_active: links of the active streams
 * @in_recheck: links of the streams to be checked at the end of the call
 */
struct attach_stream {
	bool is_blocking;
	bool is_foreign;
	bool is_destroyed;
	u64 born;
	bool is_active;
	u64 last;
	u64 last_null;
	u64 last_hold;
	u64 signalled;
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
 * struct attach_event - an event; if all zero, it has never been recorded
 * @point: its last record; without a stream if there is none
 */
struct attach_event {
	struct attach_point point;
};

/**
 * struct attach_buf - a managed buffer
 * @right: whether the CPU has access, and what was done for its group; dirty if
 *	the CPU had access since a job last cleaned the buffer
 * @fallback: state after the stream that it is single to has been destroyed
 * @base: the last state that is known done
 * @claim: claim by @base, while an attach is in flight
 * @states: operations with the later states, in call order
 * @is_in_flight: @states is not empty, or was not when the call began
 * @count: what was done for this buffer alone
 * @in_newest: links of the stream's singles, if its newest state is single
 * @in_changed: links of the context's list of the same name
 * @blocker: while an attach is in flight: the active stream for which the CPU
 *	has no access; NULL: any active stream
 * @judged: ticket of the last job that it was judged for while in flight
 * @updated: number of the last call at whose end it was updated by its claims
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
 * struct attach_ctx - a context; an active stream affects all objects in it
 * @class: class of the board
 * @null_stream: the legacy NULL stream
 * @domain: operations of the NULL stream and of all blocking streams
 * @ticket: ticket of the newest operation
 * @null_last: ticket of the newest operation of the NULL stream
 * @blocking_last: ticket of the newest operation of the other blocking streams
 * @epoch: number of the newest search
 * @nr_calls: number of calls that have ended
 * @searched: point of the newest attach_search_all(); without a stream if its
 *	result is outdated
 * @searched_epoch: number of that search
 * @left_epoch: number of the search that has set @has_work_left
 * @has_work_left: there is work not known done that this search did not reach
 * @nr_steps: steps of all loops over operations and streams so far, which is
 *	what calls cost; for tests
 * @nr_works: number of rows of jobs that are not known done
 * @nr_host: number of host functions that have not returned
 * @nr_active: number of active streams
 * @nr_foreign: number of foreign streams that were ever created
 * @group: the global buffers without an attach in flight
 * @claims: global states, of buffers with an attach in flight
 * @changed: buffers of which an attach became known done in this call
 * @streams: all streams that have not been taken back
 * @actives: active streams, the oldest first
 * @recheck: streams whose work, or what holds it up, changed in this call
 * @waits: all waits that are not known done, by ticket
 * @work: queues that the search still has to visit
 * @reached: queues that the search has reached
 * @pool: operations that are free
 * @nr_pool: number of operations in @pool
 * @dead: streams that can be taken back
 * @count: sum for all buffers, including those that were destroyed
 * @act: called as soon as something is due for a buffer, with ATTACH_REVOKE and
 *	so on; it must not call the model. NULL: nothing is called
 * @stream_changed: called when a stream has become active or idle. @again_own
 *	and @again_all are the argument @again of right_group_allow() for the
 *	stream's group and for the global one. It must not call the model. In
 *	one call, streams that have become active come before idle ones. If it
 *	is set, @act is called only for changes of a single buffer, not for
 *	groups or jobs; ATTACH_LEAVE and ATTACH_JOIN then mean that a buffer has
 *	left its group or joined that of its base, and ATTACH_BLOCKER that its
 *	blocker has changed
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
	u64 nr_foreign;
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
 * @kind: kind of the state that forbids it
 * @stream: CPU touch: an active stream; job: the stream that the buffer is
 *	single to, or NULL if its state is host
 * @is_in_flight: the attach of that state is not known done
 */
struct attach_why {
	enum attach_kind kind;
	struct attach_stream *stream;
	bool is_in_flight;
};

/** enum attach_memory - kinds of memory that a copy or set accesses */
enum attach_memory {
	ATTACH_PAGEABLE,
	ATTACH_PINNED,
	ATTACH_DEVICE,
	ATTACH_MANAGED,
};

/**
 * struct attach_side - a side of a copy
 * @memory: kind of its memory
 * @buf: buffer, for ATTACH_MANAGED
 */
struct attach_side {
	enum attach_memory memory;
	struct attach_buf *buf;
};

/**
 * struct attach_copy - how a synchronous copy or set is carried out
 * @from_is_device: the source counts as device memory
 * @to_is_device: the target counts as device memory
 * @is_work: a device does it, as work of its stream
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
			  enum attach_stream_kind kind);
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
void attach_end_work(struct attach_ctx *ctx, struct attach_stream *s);
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

u64 attach_known_of(const struct attach_ctx *ctx,
		    const struct attach_stream *s);
u64 attach_behind(struct attach_ctx *ctx, struct attach_stream *s,
		  const struct attach_stream *other);

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
