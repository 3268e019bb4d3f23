// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers of a context: managed, pinned and device memory. What the model of
 * attach states decides is carried out on pages and page tables, and who
 * touches what he may not is told. heapsim_streams.lock is around all of it,
 * and heapsim_buf.lock in it.
 *
 * A buffer that the CPU may not touch says so itself, under its own lock: so a
 * fault asks the model only where that matters, and a right that ends takes
 * all PTEs with it.
 */
#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "devview.h"
#include "lines.h"
#include "streams.h"

/*
 * The buffer is locked. Costs nothing where nobody stored. Returns -EINTR if
 * the caller is killed.
 */
static int clean(struct heapsim_buf *buf)
{
	int ret;

	if (!buf->has_two_views || !buf->has_stores)
		return 0;
	ret = heapsim_lines_clean(buf, 0, buf->len, HEAPSIM_UNTIL_KILLED);
	if (ret)
		return ret;
	/* Lines that are not whole stay as long as WRITE brackets are open. */
	buf->has_stores = !bitmap_empty(buf->stored, buf->nr_pages);
	buf->has_own_stores = false;
	return 0;
}

/*
 * The same. What the CPU stored by right, and no work has seen since, is not
 * lost: one that has not begun may be what the invalidate is for.
 */
static int invalidate(struct heapsim_buf *buf)
{
	int ret = 0;

	if (!buf->has_two_views || !buf->lines.pages)
		return 0;
	if (buf->has_own_stores)
		ret = clean(buf);
	return ret ? ret : heapsim_lines_invalidate(buf, 0, buf->len);
}

/*
 * The works that a prefetch to the CPU is behind may not have ended: what they
 * write then would lie in DRAM after the invalidate. So it waits for them.
 */
static bool owes_invalidate(struct heapsim_streams *s,
			    struct heapsim_ctx_buf *m, u32 what)
{
	if (!(what & ATTACH_PREFETCH_TO_CPU) || list_empty(&s->works))
		return false;
	m->owes_to = s->last_seq;
	list_move_tail(&m->owing, &s->owing);
	return true;
}

/*
 * Is there one of them that the buffer is owed to? This is asked for each
 * buffer that is restored, so whoever is killed need not look.
 */
static bool is_owed(const struct heapsim_streams *s,
		    const struct heapsim_ctx_buf *m)
{
	const struct heapsim_work *work;
	struct heapsim_state state;

	list_for_each_entry(work, &s->works, node) {
		if (work->seq > m->owes_to)
			return false;
		if (heapsim_is_killed() ||
		    heapsim_managed_sees(work, m, &state))
			return true;
		cond_resched();
	}
	return false;
}

/*
 * A clean is due for a work that is submitted. It is due anew when a host
 * function gets the buffer that works are behind which were submitted before.
 */
static bool is_due(const struct heapsim_streams *s, u32 what)
{
	if (what & ATTACH_RESTORE)
		return s->nr_unbegun && s->attach.class == ATTACH_NONCOHERENT;
	return what & ATTACH_CLEAN && !(what & ATTACH_PREFETCH_TO_GPU);
}

/*
 * Drop what is to be dropped, which callers who were killed may have left. The
 * buffer is locked. Returns 0, or -EINTR if the caller is killed.
 */
static int drop_lines(struct heapsim_ctx_buf *m)
{
	int ret = m->drops ? invalidate(m->buf) : 0;

	if (!ret)
		m->drops = false;
	return ret;
}

/* All that writes is_revoked has the lock of the context. */
static void leave(struct heapsim_streams *s, struct heapsim_ctx_buf *m)
{
	WRITE_ONCE(m->buf->is_revoked, true);
	if (list_empty(&m->left))
		list_add_tail(&m->left, &s->left);
}

/*
 * The caller is killed: it neither waits for whoever cleans gigabytes of the
 * buffer, nor takes the PTEs of each buffer away. A touch by a PTE that is left
 * is not seen until the next command; one that faults does what is left.
 */
static void act_later(struct heapsim_streams *s, struct heapsim_ctx_buf *m,
		      u32 what)
{
	if (what & ATTACH_PREFETCH_TO_GPU && list_empty(&m->due))
		list_add_tail(&m->due, &s->due);
	if (what & ATTACH_REVOKE || m->drops)
		leave(s, m);
}

/**
 * heapsim_managed_catch_up() - do what callers who were killed have left
 * @s: locked
 *
 * The model takes it for done: a second sync drops nothing, and a right that
 * has ended does not end again. So each command does this first.
 *
 * Return: 0, -EINTR if the caller is killed; the rest is left to the next.
 */
int heapsim_managed_catch_up(struct heapsim_streams *s)
{
	struct heapsim_ctx_buf *m, *next;
	int ret;

	list_for_each_entry_safe(m, next, &s->left, left) {
		if (heapsim_is_killed() || mutex_lock_killable(&m->buf->lock))
			return -EINTR;
		ret = heapsim_ptes_revoke_all(m->buf);
		if (!ret)
			ret = drop_lines(m);
		if (!ret)
			WRITE_ONCE(m->buf->is_revoked,
				   attach_is_revoked(&m->model));
		mutex_unlock(&m->buf->lock);
		if (ret)
			return ret;
		list_del_init(&m->left);
		cond_resched();
	}
	return 0;
}

/**
 * heapsim_managed_act() - attach_ctx.act of every context
 * @attach: of a struct heapsim_streams, locked
 * @model: of a struct heapsim_ctx_buf
 * @what: ATTACH_REVOKE and so on
 *
 * A clean for a job waits until it begins; there is no GPU cache to maintain.
 *
 * If the caller is killed meanwhile the buffer's other users do not lose what
 * is left: a clean is due for the next work that begins, and the CPU may not
 * touch the buffer until a touch of it, or the next command, has invalidated
 * the rest.
 */
void heapsim_managed_act(struct attach_ctx *attach, struct attach_buf *model,
			 u32 what)
{
	struct heapsim_streams *s = container_of(attach, struct heapsim_streams,
						 attach);
	struct heapsim_ctx_buf *m = container_of(model, struct heapsim_ctx_buf,
						 model);
	struct heapsim_buf *buf = m->buf;
	bool drops = what & ATTACH_CPU_INVALIDATE;

	if (is_due(s, what) && list_empty(&m->due))
		list_add_tail(&m->due, &s->due);
	if (drops && owes_invalidate(s, m, what))
		drops = false;
	if (what & ATTACH_RESTORE && !list_empty(&m->owing)) {
		/* It is a host function's while works are behind that. */
		if (!is_owed(s, m))
			list_del_init(&m->owing);
		drops = true;
	}
	m->drops |= drops;
	if (heapsim_is_killed() || mutex_lock_killable(&buf->lock)) {
		act_later(s, m, what);
		return;
	}
	if (what & ATTACH_REVOKE) {
		WRITE_ONCE(buf->is_revoked, true);
		if (heapsim_ptes_revoke_all(buf))
			leave(s, m);
	}
	if (what & ATTACH_PREFETCH_TO_GPU && clean(buf) && list_empty(&m->due))
		list_add_tail(&m->due, &s->due);
	if (drop_lines(m))
		leave(s, m);
	else if (what & ATTACH_RESTORE)
		WRITE_ONCE(buf->is_revoked, false);
	mutex_unlock(&buf->lock);
}

/**
 * heapsim_ctx_buf_find() - a buffer of an open
 * @s: locked
 * @id: of the buffer
 *
 * Return: it, or NULL.
 */
struct heapsim_ctx_buf *heapsim_ctx_buf_find(struct heapsim_streams *s, u64 id)
{
	return id > ULONG_MAX ? NULL : xa_load(&s->buf_ids, id);
}

/* Works that were submitted before it changes are judged by what it was. */
static void past_keep(struct heapsim_streams *s, struct heapsim_ctx_buf *m,
		      u64 until)
{
	struct heapsim_kept *kept;

	if (list_empty(&s->works))
		return;
	kept = heapsim_kept_get(s);
	kept->until = until;
	kept->state = m->newest;
	list_add_tail(&kept->node, &m->pasts);
	list_add_tail(&kept->in_streams, &s->pasts);
}

/* @how: with all but the state */
static void attach_remember(struct heapsim_ctx_buf *m,
			    const struct heapsim_record_attach *how)
{
	memmove(m->attaches + 1, m->attaches,
		sizeof(m->attaches) - sizeof(m->attaches[0]));
	m->attaches[0] = *how;
	m->attaches[0].attach = m->newest.attach;
}

/**
 * heapsim_managed_set_state() - a buffer has been attached
 * @m: managed buffer of a context that is locked and has a spare
 *	struct heapsim_kept
 * @state: its newest state
 * @single_to: the stream that it is single to, NULL none
 * @how: from heapsim_note_attach(), with the stream that it is ordered in
 */
void heapsim_managed_set_state(struct heapsim_ctx_buf *m,
			       const struct heapsim_state *state,
			       struct heapsim_stream *single_to,
			       const struct heapsim_record_attach *how)
{
	struct heapsim_streams *s = m->streams;

	past_keep(s, m, ++s->last_seq);
	WRITE_ONCE(m->newest.attach, state->attach);
	WRITE_ONCE(m->newest.stream, state->stream);
	m->newest.serial = state->serial;
	attach_remember(m, how);
	list_del_init(&m->in_singles);
	if (single_to)
		list_add_tail(&m->in_singles, &single_to->singles);
	if (m->model.is_in_flight && list_empty(&m->in_flight))
		list_add_tail(&m->in_flight, &s->in_flight);
}

/**
 * heapsim_managed_nr_in_flight() - how many buffers have an attach in flight
 * @s: locked
 *
 * Return: that.
 */
u64 heapsim_managed_nr_in_flight(struct heapsim_streams *s)
{
	struct heapsim_ctx_buf *m, *next;
	u64 nr = 0;

	list_for_each_entry_safe(m, next, &s->in_flight, in_flight) {
		if (m->model.is_in_flight)
			nr++;
		else
			list_del_init(&m->in_flight);
	}
	return nr;
}

static u32 attach_of(enum attach_kind kind)
{
	switch (kind) {
	case ATTACH_GLOBAL:
		return HEAPSIM_ATTACH_GLOBAL;
	case ATTACH_HOST:
		return HEAPSIM_ATTACH_HOST;
	default:
		return HEAPSIM_ATTACH_SINGLE;
	}
}

static void verdict_keep(struct heapsim_streams *s,
			 struct heapsim_stream *stream,
			 struct heapsim_work *work, struct heapsim_ctx_buf *m)
{
	struct heapsim_kept *kept = heapsim_kept_get(s);
	struct attach_why why = { 0 };
	struct heapsim_stream *to;

	kept->buf = m->buf->id;
	kept->is_allowed = attach_judge_job(&s->attach, stream->model,
					    &m->model, &why) == ATTACH_ALLOWED;
	to = heapsim_stream_of(s, why.stream);
	kept->state = (struct heapsim_state) {
		.attach = attach_of(why.kind),
		.stream = to ? to->object.id : 0,
	};
	list_add_tail(&kept->node, &work->verdicts);
}

/**
 * heapsim_managed_judge_all() - judge what cannot be judged later
 * @s: locked, with heapsim_managed_nr_in_flight() struct heapsim_kept to spare
 * @stream: of the work
 * @work: was submitted just now
 *
 * The state of all other buffers is their newest, which can be found later.
 */
void heapsim_managed_judge_all(struct heapsim_streams *s,
			       struct heapsim_stream *stream,
			       struct heapsim_work *work)
{
	struct heapsim_ctx_buf *m;

	list_for_each_entry(m, &s->in_flight, in_flight)
		if (m->model.is_in_flight)
			verdict_keep(s, stream, work, m);
}

/* What the state of a buffer without an attach in flight was then. */
static struct heapsim_state state_then(const struct heapsim_ctx_buf *m,
				       const struct heapsim_work *work)
{
	const struct heapsim_kept *kept;

	list_for_each_entry(kept, &m->pasts, node)
		if (kept->until > work->seq)
			return kept->state;
	return m->newest;
}

/**
 * heapsim_managed_sees() - may a work touch a buffer?
 * @work: a work of a context that is locked
 * @m: buffer of the same
 * @state: out: the state that forbids it, if one does
 *
 * Return: as of the submission of the work.
 */
bool heapsim_managed_sees(const struct heapsim_work *work,
			  const struct heapsim_ctx_buf *m,
			  struct heapsim_state *state)
{
	const struct heapsim_kept *kept;

	if (!heapsim_is_managed(m) ||
	    m->streams->attach.class == ATTACH_CONCURRENT)
		return true;
	list_for_each_entry(kept, &work->verdicts, node) {
		if (kept->buf != m->buf->id)
			continue;
		*state = kept->state;
		return kept->is_allowed;
	}
	*state = state_then(m, work);
	return state->attach == HEAPSIM_ATTACH_GLOBAL ||
	       (state->attach == HEAPSIM_ATTACH_SINGLE &&
		state->serial == work->serial);
}

/**
 * heapsim_managed_clean_for() - clean what a work is to see
 * @s: locked
 * @work: it begins
 *
 * While others have not begun, what they see may be stored to again: a host
 * function that they are behind may do that. So it stays due.
 *
 * Return: 0, -EINTR if the caller is killed; the rest stays due.
 */
int heapsim_managed_clean_for(struct heapsim_streams *s,
			      const struct heapsim_work *work)
{
	struct heapsim_ctx_buf *m, *next;
	struct heapsim_state state;
	int ret = 0;

	list_for_each_entry_safe(m, next, &s->due, due) {
		if (heapsim_managed_sees(work, m, &state)) {
			ret = mutex_lock_killable(&m->buf->lock);
			if (ret)
				return ret;
			ret = clean(m->buf);
			mutex_unlock(&m->buf->lock);
		}
		if (!ret && heapsim_is_killed())
			ret = -EINTR;
		if (ret)
			return ret;
		if (!s->nr_unbegun)
			list_del_init(&m->due);
		cond_resched();
	}
	return 0;
}

static struct heapsim_ctx_buf *written_take(struct heapsim_streams *s,
					    struct list_head *written)
{
	struct heapsim_ctx_buf *m;

	spin_lock(&s->written_lock);
	m = list_first_entry_or_null(written, struct heapsim_ctx_buf, written);
	if (m)
		list_del_init(&m->written);
	spin_unlock(&s->written_lock);
	return m;
}

/**
 * heapsim_managed_settle() - report what was stored to device views
 * @s: locked
 * @party: the work that stored
 *
 * Takes the buffers that have been stored to when it is called: a thread that
 * goes on storing has its buffers put on the list again, and would never let
 * this end.
 *
 * Return: 0, -EINTR if the caller is killed; the rest stays for the next call.
 */
int heapsim_managed_settle(struct heapsim_streams *s,
			   const struct heapsim_party *party)
{
	struct heapsim_ctx_buf *m;
	LIST_HEAD(written);
	int ret = 0;
	u64 serial;

	spin_lock(&s->written_lock);
	list_splice_init(&s->written, &written);
	spin_unlock(&s->written_lock);
	if (list_empty(&written))
		return 0;
	serial = heapsim_party_keep(party);
	while (!ret && (m = written_take(s, &written))) {
		ret = mutex_lock_killable(&m->buf->lock);
		if (!ret) {
			ret = heapsim_devview_settle(m->buf, party, serial);
			mutex_unlock(&m->buf->lock);
		}
		if (ret)
			heapsim_devview_add_written(m->buf);
	}
	spin_lock(&s->written_lock);
	list_splice(&written, &s->written);
	spin_unlock(&s->written_lock);
	return ret;
}

static u64 oldest_seq(const struct heapsim_streams *s)
{
	return list_empty(&s->works) ? U64_MAX :
		list_first_entry(&s->works, struct heapsim_work, node)->seq;
}

/**
 * heapsim_managed_work_ended() - do what had to wait for a work
 * @s: locked; the work is gone
 */
void heapsim_managed_work_ended(struct heapsim_streams *s)
{
	const u64 oldest = oldest_seq(s);
	struct heapsim_ctx_buf *m, *next_m;
	struct heapsim_kept *kept, *next;

	list_for_each_entry_safe(kept, next, &s->pasts, in_streams) {
		if (kept->until > oldest)
			break;
		heapsim_kept_put(s, kept);
	}
	list_for_each_entry_safe(m, next_m, &s->owing, owing) {
		int ret;

		if (m->owes_to >= oldest)
			continue;
		if (mutex_lock_killable(&m->buf->lock))
			break;
		ret = invalidate(m->buf);
		mutex_unlock(&m->buf->lock);
		/* It stays owed. */
		if (ret)
			break;
		list_del_init(&m->owing);
		cond_resched();
	}
}

static void forget(struct heapsim_ctx_buf *m)
{
	struct heapsim_streams *s = m->streams;
	struct heapsim_kept *kept, *next;

	list_for_each_entry_safe(kept, next, &m->pasts, node)
		heapsim_kept_put(s, kept);
	list_del_init(&m->in_singles);
	list_del_init(&m->in_flight);
	list_del_init(&m->due);
	list_del_init(&m->owing);
	list_del_init(&m->left);
	xa_erase(&s->buf_ids, m->buf->id);
	if (heapsim_is_managed(m))
		attach_buf_destroy(&s->attach, &m->model);
}

/**
 * heapsim_managed_end() - the context ends: its buffers are nobody's
 * @s: locked, without works
 */
void heapsim_managed_end(struct heapsim_streams *s)
{
	const struct heapsim_party nobody = { 0 };
	struct heapsim_ctx_buf *m;
	unsigned long id;

	heapsim_managed_settle(s, &nobody);
	heapsim_managed_catch_up(s);
	xa_for_each(&s->buf_ids, id, m) {
		forget(m);
		mutex_lock(&m->buf->lock);
		WRITE_ONCE(m->buf->is_revoked,
			   m->buf->kind == HEAPSIM_KIND_DEVICE || m->drops);
		mutex_unlock(&m->buf->lock);
	}
}

/* Counted are bytes that were asked for, whatever pages they fill. */
static void model_init(struct heapsim_streams *s, struct heapsim_ctx_buf *m,
		       const struct heapsim_wish *wish)
{
	struct heapsim_record_attach how;

	m->newest.attach = wish->attach;
	heapsim_note_attach(&how, HEAPSIM_ATTACHED_BY_ALLOC);
	attach_remember(m, &how);
	attach_buf_create(&s->attach, &m->model, wish->len,
			  wish->attach == HEAPSIM_ATTACH_HOST ? ATTACH_HOST :
								ATTACH_GLOBAL);
	m->buf->is_revoked = attach_is_revoked(&m->model);
}

/**
 * heapsim_ctx_buf_create() - a context gets a buffer
 * @buf: managed, pinned or device memory, which nobody has yet
 * @wish: with the context
 *
 * Context: may sleep.
 * Return: 0, -EBUSY the user has too many objects, -ENOMEM, -EINTR the caller
 * is killed.
 */
int heapsim_ctx_buf_create(struct heapsim_buf *buf,
			   const struct heapsim_wish *wish)
{
	struct heapsim_streams *s = wish->ctx->streams;
	struct heapsim_ctx_buf *m;
	int ret;

	m = heapsim_limit_alloc(s->user, sizeof(*m));
	if (IS_ERR(m))
		return PTR_ERR(m);
	ret = xa_reserve(&s->buf_ids, buf->id, HEAPSIM_GFP_USER);
	if (ret)
		goto err_free;
	m->buf = buf;
	m->streams = s;
	INIT_LIST_HEAD(&m->pasts);
	INIT_LIST_HEAD(&m->in_singles);
	INIT_LIST_HEAD(&m->in_flight);
	INIT_LIST_HEAD(&m->due);
	INIT_LIST_HEAD(&m->owing);
	INIT_LIST_HEAD(&m->left);
	INIT_LIST_HEAD(&m->written);
	ret = mutex_lock_killable(&s->lock);
	if (ret)
		goto err_release;
	kref_get(&s->refs);
	buf->owned = m;
	if (heapsim_is_managed(m))
		model_init(s, m, wish);
	/* Takes no memory: the slot is there. */
	xa_store(&s->buf_ids, buf->id, m, GFP_NOWAIT);
	mutex_unlock(&s->lock);
	return 0;

err_release:
	xa_release(&s->buf_ids, buf->id);
err_free:
	heapsim_limit_free(s->user, m);
	return ret;
}

/**
 * heapsim_ctx_buf_destroy() - a buffer of a context is released
 * @buf: nobody has it any more; it may be no context's
 */
void heapsim_ctx_buf_destroy(struct heapsim_buf *buf)
{
	struct heapsim_ctx_buf *m = buf->owned;
	struct heapsim_streams *s;

	if (!m)
		return;
	s = m->streams;
	mutex_lock(&s->lock);
	/* A view is stored to also after its context has ended. */
	spin_lock(&s->written_lock);
	list_del_init(&m->written);
	spin_unlock(&s->written_lock);
	if (!s->has_ended)
		forget(m);
	/* A bracket that is still open is told of after this. */
	buf->owned = NULL;
	heapsim_limit_free(s->user, m);
	if (s->has_ended)
		mutex_unlock(&s->lock);
	else
		heapsim_streams_unlock(s);
	heapsim_streams_put(s);
}

/* False: it is allowed by now. */
static bool managed_touch(struct heapsim_streams *s, struct heapsim_buf *buf,
			  const struct heapsim_access *access)
{
	struct heapsim_party nobody = { 0 };
	struct attach_why why = { 0 };
	struct heapsim_stream *st;

	if (s->has_ended ||
	    attach_cpu_touch(&s->attach, &buf->owned->model, &why) ==
	    ATTACH_ALLOWED)
		return false;
	st = heapsim_stream_of(s, why.stream);
	heapsim_record_cpu_forbidden(buf, HEAPSIM_RECORD_CPU_WHILE_ACTIVE,
				     access, st ? &st->newest : &nobody);
	return true;
}

/*
 * The CPU may touch the buffer, but a caller that was killed has left it the
 * rest of an invalidate: see heapsim_managed_act().
 */
static vm_fault_t invalidate_rest(struct heapsim_buf *buf)
{
	vm_fault_t ret = 0;

	if (mutex_lock_killable(&buf->lock))
		return VM_FAULT_SIGBUS;
	if (drop_lines(buf->owned))
		ret = VM_FAULT_SIGBUS;
	else
		WRITE_ONCE(buf->is_revoked, false);
	mutex_unlock(&buf->lock);
	return ret;
}

static void device_touch(struct heapsim_streams *s, struct heapsim_buf *buf,
			 const struct heapsim_access *access)
{
	const struct heapsim_party nobody = { 0 };

	buf->owned->cpu_on_device++;
	s->cpu_on_device++;
	heapsim_record_cpu_forbidden(buf, HEAPSIM_RECORD_CPU_ON_DEVICE, access,
				     &nobody);
}

/**
 * heapsim_managed_touch() - the CPU touches a buffer that says it may not
 * @vmf: fault; NULL: the touch is none, or cannot be retried
 * @buf: buffer of a context
 * @access: touch; is_wrong comes back true if it has been reported
 *
 * Context: takes heapsim_streams.lock; the buffer's is not held.
 * Return: 0: try again; VM_FAULT_SIGBUS: it is refused, or the caller is
 * killed; VM_FAULT_RETRY as heapsim_fault_lock() has it.
 */
vm_fault_t heapsim_managed_touch(const struct vm_fault *vmf,
				 struct heapsim_buf *buf,
				 struct heapsim_access *access)
{
	struct heapsim_streams *s = buf->owned->streams;
	vm_fault_t ret;

	ret = heapsim_fault_lock(vmf, buf->dmabuf, &s->lock);
	if (ret)
		return ret;
	if (buf->kind == HEAPSIM_KIND_DEVICE) {
		device_touch(s, buf, access);
		access->is_wrong = true;
	} else {
		access->is_wrong = managed_touch(s, buf, access);
		if (!access->is_wrong)
			ret = invalidate_rest(buf);
	}
	mutex_unlock(&s->lock);
	return access->is_wrong &&
	       READ_ONCE(buf->rule.policy) == HEAPSIM_POLICY_STRICT ?
		VM_FAULT_SIGBUS : ret;
}
