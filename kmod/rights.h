/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The CPU's right to managed memory, for a caller that knows the order of its
 * streams: rights.c carries it out, order.c has the commands.
 */
#ifndef HEAPSIM_RIGHTS_H
#define HEAPSIM_RIGHTS_H

#include <linux/bits.h>
#include <linux/rbtree.h>

#include "model/right.h"
#include "record.h"

struct heapsim_access;		/* buf.h */
struct heapsim_buf;
struct heapsim_buf_params;
struct heapsim_ctx_buf;		/* ctx_buf.h */
struct heapsim_owner;

/**
 * struct heapsim_id - entry of a table by ids that the caller chose
 * @node: entry in the table
 * @id: id
 */
struct heapsim_id {
	struct rb_node node;
	u64 id;
};

/**
 * struct heapsim_order_stream - a stream
 * @id: entry in heapsim_rights.streams, except for the NULL stream; id 0
 * @group: managed buffers that are single to this stream
 * @is_active: the stream is active
 * @in_active: entry in heapsim_rights.actives
 * @nr_works: works that have not ended
 * @nr_singles: managed buffers whose newest state is single to this stream
 * @newest: last work that was added, for records
 */
struct heapsim_order_stream {
	struct heapsim_id id;
	struct right_group group;
	bool is_active;
	struct list_head in_active;
	u64 nr_works;
	u64 nr_singles;
	struct heapsim_party newest;
};

/**
 * struct heapsim_order_work - a work that has not ended
 * @id: entry in heapsim_rights.works
 * @stream: its stream
 * @is_reported: its begin has been reported; a caller that is killed leaves
 *	this without @has_begun
 * @has_begun: the work has begun
 * @party: the work in records
 */
struct heapsim_order_work {
	struct heapsim_id id;
	struct heapsim_order_stream *stream;
	bool is_reported;
	bool has_begun;
	struct heapsim_party party;
};

/* What is left to do for a buffer whose right is being changed. */
#define HEAPSIM_TODO_REVOKE		BIT(0)
#define HEAPSIM_TODO_CLEAN		BIT(1)
#define HEAPSIM_TODO_INVALIDATE		BIT(2)

/**
 * struct heapsim_rights - rights to the managed buffers of an open
 * @class: board
 * @works: struct heapsim_order_work by id
 * @nr_active: number of active streams
 * @changed: stream whose change is being carried out, maybe by a caller that
 *	was killed; NULL: none
 * @changes_globals: it changes the right to @globals, too
 * @again_own: its jobs may still see the buffers that are single to it
 * @again_all: jobs may still see @globals
 * @attached: buffer whose change is being carried out, as @changed
 * @todo: what is left for @attached, HEAPSIM_TODO_*
 * @right: the right that it has then, HEAPSIM_RIGHT_*
 * @is_due: HEAPSIM_RIGHT_TABLE: an invalidate is due then
 * @last_stamp: last heapsim_ctx_buf.stamp
 * @streams: struct heapsim_order_stream by id. heapsim_owner.rights_lock
 *	protects this and the fields below, heapsim_owner.lock the others. Of
 *	groups and buffers, rights_lock protects what faults need, as right.h
 *	has it. What faults only read is written with both locks held
 * @null: NULL stream
 * @globals: global managed buffers
 * @actives: active streams, oldest first, and at its end @changed until it has
 *	become idle
 * @cpu_while_active: forbidden CPU accesses of all buffers
 * @engine_not_attached: reported accesses of works to all buffers
 */
struct heapsim_rights {
	enum attach_class class;
	struct rb_root works;
	u64 nr_active;
	struct heapsim_order_stream *changed;
	bool changes_globals;
	bool again_own;
	bool again_all;
	struct heapsim_ctx_buf *attached;
	u32 todo;
	u32 right;
	bool is_due;
	u64 last_stamp;

	struct rb_root streams;
	struct heapsim_order_stream null;
	struct right_group globals;
	struct list_head actives;
	u64 cpu_while_active;
	u64 engine_not_attached;
};

/* rights.c */
struct heapsim_id *heapsim_id_find(const struct rb_root *ids, u64 id);
bool heapsim_id_add(struct rb_root *ids, struct heapsim_id *fresh);
void heapsim_rights_init(struct heapsim_rights *r);
struct heapsim_order_stream *heapsim_rights_stream(struct heapsim_rights *r,
						   u64 id);
void heapsim_rights_stream_init(struct heapsim_order_stream *stream, u64 id);
void heapsim_rights_refuse(struct heapsim_owner *owner,
			   struct heapsim_order_stream *stream);
void heapsim_rights_allow(struct heapsim_owner *owner,
			  struct heapsim_order_stream *stream, bool again_own,
			  bool again_all);
void heapsim_rights_state(struct heapsim_ctx_buf *m, u32 right, u32 todo);
int heapsim_rights_complete(struct heapsim_owner *owner);
int heapsim_rights_clean(struct heapsim_ctx_buf *m);
int heapsim_rights_clean_dirty(struct heapsim_owner *owner,
			       struct right_group *group);
void heapsim_rights_add(struct heapsim_ctx_buf *m,
			const struct heapsim_buf_params *params);
void heapsim_rights_forget(struct heapsim_ctx_buf *m);
void heapsim_rights_end(struct heapsim_ctx_buf *m);
int heapsim_rights_get_spared(struct heapsim_buf *buf, u64 *nr);
vm_fault_t heapsim_rights_touch(struct heapsim_ctx_buf *m,
				struct heapsim_access *access);

/* order.c */
void heapsim_order_end(struct heapsim_owner *owner);

#endif
