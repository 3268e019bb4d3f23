// SPDX-License-Identifier: GPL-2.0-only
/*
 * Managed buffers of a context with streams: carries out what the model of
 * attach states decides on pages and page tables, and reports forbidden
 * accesses. heapsim_owner.lock is held, and heapsim_buf.lock taken inside it.
 *
 * Whether the CPU must not access a buffer is stored in the buffer, under its
 * own lock. So a fault asks the model only if that is set, and when the CPU
 * loses access, all PTEs are revoked.
 */
#include <linux/mm.h>

#include "lines.h"
#include "streams.h"

/*
 * Returns true if an invalidate for a prefetch to the CPU has to wait, because
 * earlier works may not have ended: their writes would reach DRAM after the
 * invalidate.
 */
static bool managed_owes_invalidate(struct heapsim_streams *s,
				    struct heapsim_ctx_buf *m, u32 what)
{
	if (!(what & ATTACH_PREFETCH_TO_CPU) || list_empty(&s->works))
		return false;
	m->owes_to = s->last_seq;
	list_move_tail(&m->owing, &s->owing);
	return true;
}

/*
 * Returns true if an invalidate is still owed because of a work that sees the
 * buffer. Called for each buffer that is restored, so it stops if the caller is
 * killed.
 */
static bool managed_is_owed(const struct heapsim_streams *s,
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
 * Returns true if a clean is due for a work that is submitted, or due again
 * because a host function gets a buffer that works submitted earlier wait
 * behind.
 */
static bool managed_is_due(const struct heapsim_streams *s, u32 what)
{
	if (what & ATTACH_RESTORE)
		return s->nr_unbegun && s->attach.class == ATTACH_NONCOHERENT;
	return what & ATTACH_CLEAN && !(what & ATTACH_PREFETCH_TO_GPU);
}

/*
 * Invalidates if that is pending, maybe left over by a caller that was killed.
 * The buffer is locked. Returns 0, or -EINTR if the caller is killed.
 */
static int managed_drop_lines(struct heapsim_ctx_buf *m)
{
	int ret = m->drops ? heapsim_ctx_buf_invalidate(m->buf) : 0;

	if (!ret)
		m->drops = false;
	return ret;
}

/* Whoever writes is_revoked holds the lock of the context. */
static void managed_leave(struct heapsim_streams *s, struct heapsim_ctx_buf *m)
{
	WRITE_ONCE(m->buf->is_revoked, true);
	if (list_empty(&m->left))
		list_add_tail(&m->left, &s->left);
}

/*
 * The caller is killed: it neither waits for a lock whose holder may be
 * cleaning gigabytes, nor revokes the PTEs of each buffer. An access by a PTE
 * that remains is not tracked until the next command; an access that faults
 * completes the operation.
 */
static void managed_act_later(struct heapsim_streams *s,
			      struct heapsim_ctx_buf *m, u32 what)
{
	if (what & ATTACH_PREFETCH_TO_GPU && list_empty(&m->due))
		list_add_tail(&m->due, &s->due);
	if (what & ATTACH_REVOKE || m->drops)
		managed_leave(s, m);
}

/**
 * heapsim_managed_catch_up() - complete what killed callers have left
 * @s: locked
 *
 * For the model these operations are done: a second sync does not invalidate
 * again, and access that has ended does not end again. So each command calls
 * this first.
 *
 * Return: 0, or -EINTR if the caller is killed; the rest is left to the next
 * command.
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
			ret = managed_drop_lines(m);
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
 * heapsim_managed_act() - carry out a decision of the model; attach_ctx.act
 * @attach: attach context of a struct heapsim_streams, locked
 * @model: model of a struct heapsim_ctx_buf
 * @what: ATTACH_REVOKE and so on
 *
 * A clean for a work waits until it begins. There is no GPU cache to maintain.
 *
 * If the caller is killed meanwhile, nothing is lost for other users of the
 * buffer: a clean becomes due for the next work that begins, and the CPU must
 * not access the buffer until an access to it, or the next command, has
 * completed the invalidate.
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

	if (managed_is_due(s, what) && list_empty(&m->due))
		list_add_tail(&m->due, &s->due);
	if (drops && managed_owes_invalidate(s, m, what))
		drops = false;
	if (what & ATTACH_RESTORE && !list_empty(&m->owing)) {
		/*
		 * It belongs to a host function while works wait behind that.
		 */
		if (!managed_is_owed(s, m))
			list_del_init(&m->owing);
		drops = true;
	}
	m->drops |= drops;
	if (heapsim_is_killed() || mutex_lock_killable(&buf->lock)) {
		managed_act_later(s, m, what);
		return;
	}
	if (what & ATTACH_REVOKE) {
		WRITE_ONCE(buf->is_revoked, true);
		if (heapsim_ptes_revoke_all(buf))
			managed_leave(s, m);
	}
	if (what & ATTACH_PREFETCH_TO_GPU && heapsim_ctx_buf_clean(buf) &&
	    list_empty(&m->due))
		list_add_tail(&m->due, &s->due);
	if (managed_drop_lines(m))
		managed_leave(s, m);
	else if (what & ATTACH_RESTORE)
		WRITE_ONCE(buf->is_revoked, false);
	mutex_unlock(&buf->lock);
}

/* Keeps the state for works that were submitted before it changes. */
static void managed_keep_past(struct heapsim_streams *s,
			      struct heapsim_ctx_buf *m, u64 until)
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

/**
 * heapsim_managed_set_state() - set the newest state of a buffer that was
 *	attached
 * @m: managed buffer of a context that is locked and has a spare struct
 *	heapsim_kept
 * @state: newest state
 * @single_to: stream that the buffer is single to, or NULL
 * @how: from heapsim_note_attach(), with the stream that orders the attach
 */
void heapsim_managed_set_state(struct heapsim_ctx_buf *m,
			       const struct heapsim_state *state,
			       struct heapsim_stream *single_to,
			       const struct heapsim_record_attach *how)
{
	struct heapsim_streams *s = m->owner->streams;

	managed_keep_past(s, m, ++s->last_seq);
	heapsim_ctx_buf_remember(m, state->attach, state->stream, how);
	m->newest.serial = state->serial;
	list_del_init(&m->in_singles);
	if (single_to)
		list_add_tail(&m->in_singles, &single_to->singles);
	if (m->model.is_in_flight && list_empty(&m->in_flight))
		list_add_tail(&m->in_flight, &s->in_flight);
}

/**
 * heapsim_managed_nr_in_flight() - count buffers with an attach in flight
 * @s: locked
 *
 * Return: number of buffers.
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

static u32 managed_attach_of(enum attach_kind kind)
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

static void managed_keep_verdict(struct heapsim_streams *s,
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
		.attach = managed_attach_of(why.kind),
		.stream = to ? to->object.id : 0,
	};
	list_add_tail(&kept->node, &work->verdicts);
}

/**
 * heapsim_managed_judge_all() - judge the buffers that cannot be judged later
 * @s: locked, with heapsim_managed_nr_in_flight() spare struct heapsim_kept
 * @stream: stream of the work
 * @work: work that has just been submitted
 *
 * The state of all other buffers is the newest one, which can be found later.
 */
void heapsim_managed_judge_all(struct heapsim_streams *s,
			       struct heapsim_stream *stream,
			       struct heapsim_work *work)
{
	struct heapsim_ctx_buf *m;

	list_for_each_entry(m, &s->in_flight, in_flight)
		if (m->model.is_in_flight)
			managed_keep_verdict(s, stream, work, m);
}

/*
 * Returns the state at the submission of the work, of a buffer that had no
 * attach in flight then.
 */
static struct heapsim_state managed_state_then(const struct heapsim_ctx_buf *m,
					       const struct heapsim_work *work)
{
	const struct heapsim_kept *kept;

	list_for_each_entry(kept, &m->pasts, node)
		if (kept->until > work->seq)
			return kept->state;
	return m->newest;
}

/**
 * heapsim_managed_sees() - check whether a work may access a buffer
 * @work: work of a context that is locked
 * @m: buffer of the same context
 * @state: out: state that forbids it, if one does
 *
 * Return: true if it may, as of the submission of the work.
 */
bool heapsim_managed_sees(const struct heapsim_work *work,
			  const struct heapsim_ctx_buf *m,
			  struct heapsim_state *state)
{
	const struct heapsim_kept *kept;

	if (!heapsim_is_managed(m) ||
	    m->owner->streams->attach.class == ATTACH_CONCURRENT)
		return true;
	list_for_each_entry(kept, &work->verdicts, node) {
		if (kept->buf != m->buf->id)
			continue;
		*state = kept->state;
		return kept->is_allowed;
	}
	*state = managed_state_then(m, work);
	return state->attach == HEAPSIM_ATTACH_GLOBAL ||
	       (state->attach == HEAPSIM_ATTACH_SINGLE &&
		state->serial == work->serial);
}

/**
 * heapsim_managed_clean_for() - clean the buffers that a work may access
 * @s: locked
 * @work: work that begins
 *
 * While other works have not begun, a host function that they wait behind may
 * store to their buffers, so these stay due.
 *
 * Return: 0, or -EINTR if the caller is killed; the rest stays due.
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
			ret = heapsim_ctx_buf_clean(m->buf);
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

static u64 managed_oldest_seq(const struct heapsim_streams *s)
{
	return list_empty(&s->works) ? U64_MAX :
		list_first_entry(&s->works, struct heapsim_work, node)->seq;
}

/**
 * heapsim_managed_work_ended() - do what had to wait for the end of a work
 * @s: locked; the work has been removed
 */
void heapsim_managed_work_ended(struct heapsim_streams *s)
{
	const u64 oldest = managed_oldest_seq(s);
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
		ret = heapsim_ctx_buf_invalidate(m->buf);
		mutex_unlock(&m->buf->lock);
		/* The invalidate stays owed. */
		if (ret)
			break;
		list_del_init(&m->owing);
		cond_resched();
	}
}

/**
 * heapsim_managed_forget() - remove a buffer from its context
 * @m: buffer of an open that is locked
 */
void heapsim_managed_forget(struct heapsim_ctx_buf *m)
{
	struct heapsim_streams *s = m->owner->streams;
	struct heapsim_kept *kept, *next;

	list_for_each_entry_safe(kept, next, &m->pasts, node)
		heapsim_kept_put(s, kept);
	list_del_init(&m->in_singles);
	list_del_init(&m->in_flight);
	list_del_init(&m->due);
	list_del_init(&m->owing);
	list_del_init(&m->left);
	xa_erase(&m->owner->buf_ids, m->buf->id);
	if (heapsim_is_managed(m) && !m->uses_rights)
		attach_buf_destroy(&s->attach, &m->model);
}

/**
 * heapsim_managed_end() - detach the buffers from their context, which ends
 * @s: locked, without works
 */
void heapsim_managed_end(struct heapsim_streams *s)
{
	const struct heapsim_party nobody = { 0 };
	struct heapsim_ctx_buf *m;
	unsigned long id;

	heapsim_ctx_buf_settle(s->owner, &nobody);
	heapsim_managed_catch_up(s);
	xa_for_each(&s->owner->buf_ids, id, m) {
		heapsim_managed_forget(m);
		mutex_lock(&m->buf->lock);
		WRITE_ONCE(m->buf->is_revoked, m->drops);
		mutex_unlock(&m->buf->lock);
	}
}

/**
 * heapsim_managed_init() - initialise a buffer that is in no list
 * @m: new buffer
 */
void heapsim_managed_init(struct heapsim_ctx_buf *m)
{
	INIT_LIST_HEAD(&m->pasts);
	INIT_LIST_HEAD(&m->in_singles);
	INIT_LIST_HEAD(&m->in_flight);
	INIT_LIST_HEAD(&m->due);
	INIT_LIST_HEAD(&m->owing);
	INIT_LIST_HEAD(&m->left);
}

/**
 * heapsim_managed_add() - add a managed buffer to the model
 * @m: new buffer of an open that is locked
 * @params: its parameters
 *
 * Counters of the model use the requested size, not that of the pages.
 */
void heapsim_managed_add(struct heapsim_ctx_buf *m,
			 const struct heapsim_buf_params *params)
{
	struct heapsim_record_attach how;

	heapsim_note_attach(&how, HEAPSIM_ATTACHED_BY_ALLOC);
	heapsim_ctx_buf_remember(m, params->attach, 0, &how);
	attach_buf_create(&m->owner->streams->attach, &m->model, params->len,
			  params->attach == HEAPSIM_ATTACH_HOST ? ATTACH_HOST :
								ATTACH_GLOBAL);
	m->buf->is_revoked = attach_is_revoked(&m->model);
}

/* Returns false if the access is allowed by now. */
static bool managed_touch(struct heapsim_streams *s, struct heapsim_buf *buf,
			  const struct heapsim_access *access)
{
	struct heapsim_party nobody = { 0 };
	struct attach_why why = { 0 };
	struct heapsim_stream *st;

	if (s->owner->has_ended ||
	    attach_cpu_touch(&s->attach, &buf->owned->model, &why) ==
	    ATTACH_ALLOWED)
		return false;
	st = heapsim_stream_of(s, why.stream);
	heapsim_record_cpu_forbidden(buf, HEAPSIM_RECORD_CPU_WHILE_ACTIVE,
				     access, st ? &st->newest : &nobody);
	return true;
}

/*
 * The CPU may access the buffer, but a killed caller has left the rest of an
 * invalidate, see heapsim_managed_act().
 */
static vm_fault_t managed_invalidate_rest(struct heapsim_buf *buf)
{
	vm_fault_t ret = 0;

	if (mutex_lock_killable(&buf->lock))
		return VM_FAULT_SIGBUS;
	if (managed_drop_lines(buf->owned))
		ret = VM_FAULT_SIGBUS;
	else
		WRITE_ONCE(buf->is_revoked, false);
	mutex_unlock(&buf->lock);
	return ret;
}

/**
 * heapsim_managed_touch() - judge a CPU access to a buffer that is revoked
 * @vmf: fault; NULL if the access is no fault or cannot be retried
 * @buf: managed buffer of a context
 * @access: access; is_wrong is set if it has been reported
 *
 * Context: takes heapsim_owner.lock; the lock of the buffer is not held.
 * Return: 0 to try again; VM_FAULT_SIGBUS if the access is refused or the
 * caller is killed; VM_FAULT_RETRY as for heapsim_fault_lock().
 */
vm_fault_t heapsim_managed_touch(const struct vm_fault *vmf,
				 struct heapsim_buf *buf,
				 struct heapsim_access *access)
{
	struct heapsim_owner *owner = buf->owned->owner;
	vm_fault_t ret;

	ret = heapsim_fault_lock(vmf, buf->dmabuf, &owner->lock);
	if (ret)
		return ret;
	access->is_wrong = managed_touch(owner->streams, buf, access);
	if (!access->is_wrong)
		ret = managed_invalidate_rest(buf);
	mutex_unlock(&owner->lock);
	return access->is_wrong &&
	       READ_ONCE(buf->rule.policy) == HEAPSIM_POLICY_STRICT ?
		VM_FAULT_SIGBUS : ret;
}
