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
#include "model/attach.h"

struct heapsim_streams;		/* streams.h */

/**
 * struct heapsim_owner - what the buffers of an open refer to
 * @refs: references of the open and of each buffer
 * @user: user that all of this counts for, with a reference
 * @streams: streams
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
	struct heapsim_streams *streams;

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
 * @serial: number of that stream, never reused
 */
struct heapsim_state {
	u32 attach;
	u64 stream;
	u64 serial;
};

/**
 * struct heapsim_ctx_buf - state of a buffer in its context
 * @buf: buffer
 * @owner: its open, with a reference
 * @newest: managed memory: newest state; written with the lock held, read by
 *	records without it
 * @attaches: last attaches, newest first, for records
 * @written: entry in heapsim_owner.written
 * @cpu_on_device: device memory: forbidden CPU accesses
 * @model: managed memory: buffer in the model
 * @pasts: struct heapsim_kept, in order: earlier states
 * @in_singles: entry in heapsim_stream.singles
 * @in_flight: entry in heapsim_streams.in_flight
 * @due: entry in heapsim_streams.due
 * @owing: entry in heapsim_streams.owing
 * @left: entry in heapsim_streams.left
 * @drops: lines must be invalidated before the CPU accesses the buffer
 * @owes_to: the invalidate waits for works up to this heapsim_work.seq
 */
struct heapsim_ctx_buf {
	struct heapsim_buf *buf;
	struct heapsim_owner *owner;
	struct heapsim_state newest;
	struct heapsim_record_attach attaches[HEAPSIM_RECORD_NR_ATTACHES];
	struct list_head written;
	u64 cpu_on_device;

	struct attach_buf model;
	struct list_head pasts;
	struct list_head in_singles;
	struct list_head in_flight;
	struct list_head due;
	struct list_head owing;
	struct list_head left;
	bool drops;
	u64 owes_to;
};

struct heapsim_ctx_buf *heapsim_ctx_buf_find(struct heapsim_owner *owner,
					     u64 id);
void heapsim_ctx_buf_remember(struct heapsim_ctx_buf *m, u32 attach,
			      u64 stream,
			      const struct heapsim_record_attach *how);
int heapsim_ctx_buf_clean(struct heapsim_buf *buf);
int heapsim_ctx_buf_invalidate(struct heapsim_buf *buf);
int heapsim_ctx_buf_settle(struct heapsim_owner *owner,
			   const struct heapsim_party *party);

static inline bool heapsim_is_managed(const struct heapsim_ctx_buf *m)
{
	return m->buf->kind == HEAPSIM_KIND_MANAGED;
}

#endif
