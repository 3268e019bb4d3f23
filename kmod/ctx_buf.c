// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers of an open of /dev/heapsim: what does not depend on who decides about
 * the CPU's access. heapsim_owner.lock is held by callers, and heapsim_buf.lock
 * is taken inside it.
 */
#include "ctx_buf.h"
#include "devview.h"
#include "lines.h"

/**
 * heapsim_ctx_buf_find() - look up a buffer of an open
 * @owner: locked
 * @id: id of the buffer
 *
 * Return: the buffer, or NULL.
 */
struct heapsim_ctx_buf *heapsim_ctx_buf_find(struct heapsim_owner *owner,
					     u64 id)
{
	return id > ULONG_MAX ? NULL : xa_load(&owner->buf_ids, id);
}

/**
 * heapsim_ctx_buf_remember() - set the newest state of a managed buffer
 * @m: buffer of an open that is locked
 * @attach: HEAPSIM_ATTACH_*
 * @stream: id of the stream that it is single to, else 0
 * @how: how it came to that, except for the state; for records
 */
void heapsim_ctx_buf_remember(struct heapsim_ctx_buf *m, u32 attach,
			      u64 stream,
			      const struct heapsim_record_attach *how)
{
	WRITE_ONCE(m->newest.attach, attach);
	WRITE_ONCE(m->newest.stream, stream);
	memmove(m->attaches + 1, m->attaches,
		sizeof(m->attaches) - sizeof(m->attaches[0]));
	m->attaches[0] = *how;
	m->attaches[0].attach = attach;
}

static struct heapsim_ctx_buf *
ctx_buf_take_written(struct heapsim_owner *owner, struct list_head *written)
{
	struct heapsim_ctx_buf *m;

	spin_lock(&owner->rights_lock);
	m = list_first_entry_or_null(written, struct heapsim_ctx_buf, written);
	if (m)
		list_del_init(&m->written);
	spin_unlock(&owner->rights_lock);
	return m;
}

/**
 * heapsim_ctx_buf_settle() - report what was stored to device views
 * @owner: locked
 * @party: work that stored
 *
 * Only handles the buffers that are on the list when it is called: a thread
 * that keeps storing adds its buffers again, and this would never end.
 *
 * Return: 0, or -EINTR if the caller is killed; the rest is left to the next
 * call.
 */
int heapsim_ctx_buf_settle(struct heapsim_owner *owner,
			   const struct heapsim_party *party)
{
	struct heapsim_ctx_buf *m;
	LIST_HEAD(written);
	int ret = 0;
	u64 serial;

	spin_lock(&owner->rights_lock);
	list_splice_init(&owner->written, &written);
	spin_unlock(&owner->rights_lock);
	if (list_empty(&written))
		return 0;
	serial = heapsim_party_keep(party);
	while (!ret && (m = ctx_buf_take_written(owner, &written))) {
		ret = mutex_lock_killable(&m->buf->lock);
		if (!ret) {
			ret = heapsim_devview_settle(m->buf, party, serial);
			mutex_unlock(&m->buf->lock);
		}
		if (ret)
			heapsim_devview_add_written(m->buf);
	}
	spin_lock(&owner->rights_lock);
	list_splice(&written, &owner->written);
	spin_unlock(&owner->rights_lock);
	return ret;
}
