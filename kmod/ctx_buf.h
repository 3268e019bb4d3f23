/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Buffers of an open of /dev/heapsim, their common state (ctx_buf.c), and their
 * creation and release (owner.c).
 */
#ifndef HEAPSIM_CTX_BUF_H
#define HEAPSIM_CTX_BUF_H

#include <linux/kref.h>

#include "buf.h"
#include "ctx.h"
#include "rights.h"

/**
 * struct heapsim_owner - what the buffers of an open refer to
 * @refs: references of the open and of each buffer
 * @user: user that all of this counts for, with a reference
 * @rights: rights to its managed buffers; says which lock protects what
 * @lock: serialises commands, and creation and release of buffers. Memory is
 *	allocated before it is taken
 * @has_ended: the open has been closed
 * @buf_ids: struct heapsim_ctx_buf by id of the buffer
 * @rights_lock: inside heapsim_buf.lock; protects the fields below
 * @written: struct heapsim_ctx_buf whose device view was stored to
 * @cpu_on_device: forbidden CPU accesses to device memory of all buffers
 */
struct heapsim_owner {
	struct kref refs;
	struct heapsim_user *user;
	struct heapsim_rights rights;

	struct mutex lock;
	bool has_ended;
	struct xarray buf_ids;

	spinlock_t rights_lock;
	struct list_head written;
	u64 cpu_on_device;
};

/**
 * struct heapsim_state - an attach state
 * @attach: HEAPSIM_ATTACH_*
 * @stream: id of the stream that the buffer is single to, else 0
 */
struct heapsim_state {
	u32 attach;
	u64 stream;
};

/**
 * struct heapsim_ctx_buf - state of a buffer in its context
 * @buf: buffer
 * @owner: its open, with a reference
 * @newest: managed memory: newest state; written with the lock held, read by
 *	records without it
 * @attaches: last attaches, newest first, for records
 * @written: entry in heapsim_owner.written
 * @cpu_on_device: device memory: forbidden CPU accesses; protected by
 *	rights_lock, as are @cpu_while_active to @right. All fields below are
 *	those of managed memory
 * @cpu_while_active: forbidden CPU accesses
 * @engine_not_attached: reported accesses of works
 * @has_blocker: @blocker is valid
 * @blocker: id of the active stream that records name
 * @right: group, lines
 * @nr_invalidated: how often lines were invalidated for a GPU clean that
 *	@right counts
 * @stamp: number of the last begin of a work that was or need not be cleaned
 *	for
 * @drops: the next fault of the CPU invalidates all lines; protected by
 *	heapsim_buf.lock
 */
struct heapsim_ctx_buf {
	struct heapsim_buf *buf;
	struct heapsim_owner *owner;
	struct heapsim_state newest;
	struct heapsim_record_attach attaches[HEAPSIM_RECORD_NR_ATTACHES];
	struct list_head written;
	u64 cpu_on_device;

	u64 cpu_while_active;
	u64 engine_not_attached;
	bool has_blocker;
	u64 blocker;
	struct right_buf right;
	u64 nr_invalidated;
	u64 stamp;

	bool drops;
};

struct heapsim_ctx_buf *heapsim_ctx_buf_find(struct heapsim_owner *owner,
					     u64 id);
void heapsim_ctx_buf_remember(struct heapsim_ctx_buf *m, u32 attach,
			      u64 stream,
			      const struct heapsim_record_attach *how);
int heapsim_ctx_buf_settle(struct heapsim_owner *owner,
			   const struct heapsim_party *party);

static inline bool heapsim_is_managed(const struct heapsim_ctx_buf *m)
{
	return m->buf->kind == HEAPSIM_KIND_MANAGED;
}

/**
 * heapsim_ctx_buf_note_lines() - note that the next invalidate of a buffer has
 *	something to do, although the CPU has not touched the buffer
 * @buf: two-view buffer; may belong to no context
 * @is_dirty: the next clean has, too
 *
 * Context: the buffer's lock is held.
 */
static inline void heapsim_ctx_buf_note_lines(struct heapsim_buf *buf,
					      bool is_dirty)
{
	struct heapsim_ctx_buf *m = buf->owned;

	if (!m || !heapsim_is_managed(m))
		return;
	spin_lock(&m->owner->rights_lock);
	if (m->right.lines == RIGHT_NO_LINES)
		right_set_lines(&m->right, RIGHT_CACHED);
	if (is_dirty)
		right_set_dirty(&m->right, true);
	spin_unlock(&m->owner->rights_lock);
}

#endif
