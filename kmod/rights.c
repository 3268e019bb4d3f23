// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CPU's right to touch managed memory, carried out on PTEs and lines.
 *
 * Whether the CPU may touch a buffer follows from the group that the buffer is
 * in (model/right.h), or is stated for the buffer alone. A fault needs nothing
 * else: it takes heapsim_buf.lock and heapsim_owner.rights_lock, and never
 * heapsim_owner.lock, which commands hold while they clean gigabytes.
 *
 * A fault checks the right and enters the buffer in its group's list of mapped
 * buffers in one section of rights_lock, and holds the buffer's lock until the
 * PTE is set. To take a right away, the state is changed first, and then the
 * PTEs of the listed buffers are revoked, each with its buffer's lock held:
 * either the fault sees the new state, or its PTE is revoked. To give a right,
 * lines are invalidated first. Buffers that nothing has touched since then are
 * in no list and cost nothing.
 *
 * A change is noted in struct heapsim_rights before it is carried out, so that
 * the next command can complete what a killed caller has left. Each step may be
 * repeated. rights_lock is never held for more than one buffer.
 */
#include <linux/bitmap.h>

#include "ctx_buf.h"
#include "lines.h"

static int rights_id_compare(const void *key, const struct rb_node *node)
{
	const u64 id = *(const u64 *)key;
	const u64 other = rb_entry(node, struct heapsim_id, node)->id;

	return id < other ? -1 : id > other;
}

static int rights_id_compare_nodes(struct rb_node *fresh,
				   const struct rb_node *node)
{
	return rights_id_compare(&rb_entry(fresh, struct heapsim_id, node)->id,
				 node);
}

/**
 * heapsim_id_find() - look up an entry
 * @ids: table, which does not change meanwhile
 * @id: id
 *
 * Return: the entry, or NULL.
 */
struct heapsim_id *heapsim_id_find(const struct rb_root *ids, u64 id)
{
	struct rb_node *node = rb_find(&id, ids, rights_id_compare);

	return node ? rb_entry(node, struct heapsim_id, node) : NULL;
}

/**
 * heapsim_id_add() - add an entry
 * @ids: table
 * @fresh: entry, whose id is set
 *
 * Return: true if it was added; false if there is one with this id.
 */
bool heapsim_id_add(struct rb_root *ids, struct heapsim_id *fresh)
{
	return !rb_find_add(&fresh->node, ids, rights_id_compare_nodes);
}

static struct heapsim_ctx_buf *rights_buf_of(struct right_buf *right)
{
	return container_of(right, struct heapsim_ctx_buf, right);
}

/**
 * heapsim_rights_stream_init() - initialise an idle stream
 * @stream: zeroed memory
 * @id: id
 */
void heapsim_rights_stream_init(struct heapsim_order_stream *stream, u64 id)
{
	stream->id.id = id;
	right_group_init(&stream->group);
	INIT_LIST_HEAD(&stream->in_active);
}

/**
 * heapsim_rights_init() - initialise the rights of an open
 * @r: zeroed memory
 */
void heapsim_rights_init(struct heapsim_rights *r)
{
	r->class = attach_class_of(heapsim_config.profile);
	r->works = RB_ROOT;
	r->streams = RB_ROOT;
	heapsim_rights_stream_init(&r->null, 0);
	right_group_init(&r->globals);
	INIT_LIST_HEAD(&r->actives);
}

/**
 * heapsim_rights_stream() - look up a stream
 * @r: rights
 * @id: id; 0 the NULL stream
 *
 * Context: heapsim_owner.lock or rights_lock is held.
 * Return: the stream, or NULL.
 */
struct heapsim_order_stream *heapsim_rights_stream(struct heapsim_rights *r,
						   u64 id)
{
	struct heapsim_id *found;

	if (!id)
		return &r->null;
	found = heapsim_id_find(&r->streams, id);
	return found ? container_of(found, struct heapsim_order_stream, id) :
		       NULL;
}

/* The PTEs and lines of one buffer */

static int rights_buf_lock(struct heapsim_buf *buf)
{
	return heapsim_is_killed() || mutex_lock_killable(&buf->lock) ?
	       -EINTR : 0;
}

/*
 * Policy off needs no care here: nothing enters the list while it lasts, and
 * PTEs are revoked when it ends.
 */
static int rights_buf_revoke(struct heapsim_ctx_buf *m)
{
	struct heapsim_buf *buf = m->buf;
	int ret;

	ret = rights_buf_lock(buf);
	if (ret)
		return ret;
	ret = heapsim_ptes_revoke_all(buf);
	if (!ret) {
		spin_lock(&m->owner->rights_lock);
		right_set_lines(&m->right, buf->has_two_views ?
				RIGHT_CACHED : RIGHT_NO_LINES);
		spin_unlock(&m->owner->rights_lock);
	}
	mutex_unlock(&buf->lock);
	cond_resched();
	return ret;
}

/*
 * Costs nothing if nobody has stored. Returns 0, or -EINTR if the caller is
 * killed; some pages are clean then. The buffer is locked.
 */
static int rights_clean_locked(struct heapsim_ctx_buf *m)
{
	struct heapsim_buf *buf = m->buf;
	int ret;

	if (buf->has_two_views && buf->has_stores) {
		ret = heapsim_lines_clean(buf, 0, buf->len,
					  HEAPSIM_UNTIL_KILLED);
		if (ret)
			return ret;
		/* Partial lines stay while WRITE brackets are open. */
		buf->has_stores = !bitmap_empty(buf->stored, buf->nr_pages);
	}
	spin_lock(&m->owner->rights_lock);
	right_cleaned(&m->right, buf->has_two_views && buf->has_stores);
	spin_unlock(&m->owner->rights_lock);
	return 0;
}

/*
 * Returns 0, or -EINTR if the caller is killed; some lines remain. The buffer
 * is locked.
 */
static int rights_invalidate_locked(struct heapsim_ctx_buf *m)
{
	struct heapsim_buf *buf = m->buf;
	bool must_clean;
	int ret = 0;

	if (!buf->has_two_views || !buf->lines.pages)
		return 0;
	spin_lock(&m->owner->rights_lock);
	must_clean = right_must_clean(&m->right);
	spin_unlock(&m->owner->rights_lock);
	if (must_clean)
		ret = rights_clean_locked(m);
	if (!ret)
		ret = heapsim_lines_invalidate(buf, 0, buf->len);
	if (!ret && buf->has_stores)
		buf->has_stores = !bitmap_empty(buf->stored, buf->nr_pages);
	return ret;
}

/**
 * heapsim_rights_clean() - clean what the CPU has stored to a managed buffer
 * @m: buffer of an open that is locked
 *
 * Context: takes the buffer's lock; may sleep.
 * Return: 0, or -EINTR if the caller is killed.
 */
int heapsim_rights_clean(struct heapsim_ctx_buf *m)
{
	int ret;

	ret = rights_buf_lock(m->buf);
	if (ret)
		return ret;
	ret = rights_clean_locked(m);
	mutex_unlock(&m->buf->lock);
	cond_resched();
	return ret;
}

/*
 * What the CPU has of a two-view buffer after an invalidate. As long as an
 * engine may write, the next invalidate has something to do. The buffer is
 * locked.
 */
static enum right_lines rights_lines_left(const struct heapsim_buf *buf)
{
	if (!buf->lines.pages)
		return RIGHT_NO_LINES;
	return heapsim_buf_is_written(buf) ||
	       !bitmap_empty(buf->active, buf->nr_pages) ?
	       RIGHT_CACHED : RIGHT_NO_LINES;
}

/* @counts: the invalidate belongs to the group's GPU clean */
static int rights_buf_invalidate(struct heapsim_ctx_buf *m, bool counts)
{
	struct heapsim_buf *buf = m->buf;
	int ret;

	ret = rights_buf_lock(buf);
	if (ret)
		return ret;
	ret = rights_invalidate_locked(m);
	if (!ret) {
		const bool has_two_views = buf->has_two_views;
		const enum right_lines left = rights_lines_left(buf);

		m->nr_invalidated += counts && has_two_views &&
				     buf->lines.pages;
		spin_lock(&m->owner->rights_lock);
		/* In any case to the end of the list. */
		right_set_lines(&m->right, has_two_views ? left :
							   m->right.lines);
		right_set_dirty(&m->right, has_two_views && buf->has_stores);
		spin_unlock(&m->owner->rights_lock);
	}
	mutex_unlock(&buf->lock);
	cond_resched();
	return ret;
}

/* The right begins, and the lines stay. */
static int rights_buf_keep(struct heapsim_ctx_buf *m)
{
	struct heapsim_buf *buf = m->buf;
	int ret;

	ret = rights_buf_lock(buf);
	if (ret)
		return ret;
	spin_lock(&m->owner->rights_lock);
	right_keep(&m->right);
	spin_unlock(&m->owner->rights_lock);
	mutex_unlock(&buf->lock);
	cond_resched();
	return 0;
}

/* Groups */

/*
 * Calls @act for each buffer of a list, whose first one @first returns. If the
 * policy is record, a touch that is refused enters the list, too: the number
 * ends the loop, whatever other threads touch.
 */
static int rights_group_for_listed(struct heapsim_owner *owner,
				   struct right_group *group,
				   struct right_buf *(*first)
					(struct right_group *group),
				   const u64 *nr_listed,
				   int (*act)(struct heapsim_ctx_buf *m))
{
	struct right_buf *right;
	int ret = 0;
	u64 nr;

	spin_lock(&owner->rights_lock);
	nr = *nr_listed;
	while (!ret && nr-- && (right = first(group))) {
		spin_unlock(&owner->rights_lock);
		ret = act(rights_buf_of(right));
		cond_resched();
		spin_lock(&owner->rights_lock);
	}
	spin_unlock(&owner->rights_lock);
	return ret;
}

static int rights_group_revoke(struct heapsim_owner *owner,
			       struct right_group *group)
{
	return rights_group_for_listed(owner, group, right_group_mapped,
				       &group->nr_mapped, rights_buf_revoke);
}

static int rights_buf_invalidate_due(struct heapsim_ctx_buf *m)
{
	return right_is_due(&m->right) ? rights_buf_invalidate(m, true) :
					 rights_buf_keep(m);
}

/*
 * If maintenance is watched, the redundant one of buffers that have no lines is
 * reported, too.
 */
static int rights_group_invalidate_all(struct right_group *group)
{
	struct right_buf *right = NULL;
	int ret = 0;

	while (!ret && (right = right_group_next(group, right)))
		ret = rights_buf_invalidate_due(rights_buf_of(right));
	return ret;
}

static int rights_group_invalidate(struct heapsim_owner *owner,
				   struct right_group *group)
{
	int ret;

	if (owner->rights.class != ATTACH_NONCOHERENT)
		return 0;
	if (heapsim_record_is_wanted() || heapsim_has_event_watchers())
		return rights_group_invalidate_all(group);
	ret = rights_group_for_listed(owner, group, right_group_cached,
				      &group->nr_cached,
				      rights_buf_invalidate_due);
	if (ret)
		return ret;
	return rights_group_for_listed(owner, group, right_group_mapped,
				       &group->nr_mapped,
				       rights_buf_invalidate_due);
}

static int rights_group_allow(struct heapsim_owner *owner,
			      struct right_group *group, bool again)
{
	struct right_sum cleaned;
	int ret;

	/* A caller that was killed later has done it. */
	if (!group->is_refused)
		return 0;
	ret = rights_group_invalidate(owner, group);
	if (ret)
		return ret;
	right_group_clean(group, again, &cleaned);
	spin_lock(&owner->rights_lock);
	right_group_restore(group);
	spin_unlock(&owner->rights_lock);
	return 0;
}

/**
 * heapsim_rights_clean_dirty() - clean what the CPU has stored to a group
 * @owner: locked; nothing is left to complete
 * @group: group
 *
 * Buffers whose stamp is the last one are left out, and get it otherwise: a
 * thread that keeps storing adds its buffers again, and this would never end.
 *
 * Return: 0, or -EINTR if the caller is killed.
 */
int heapsim_rights_clean_dirty(struct heapsim_owner *owner,
			       struct right_group *group)
{
	const u64 stamp = owner->rights.last_stamp;
	struct right_buf *right, *next;
	int ret = 0;

	spin_lock(&owner->rights_lock);
	for (right = right_group_dirty(group, NULL); right && !ret;
	     right = next) {
		struct heapsim_ctx_buf *m = rights_buf_of(right);

		/* Faults only add to the end of the list. */
		next = right_group_dirty(group, right);
		spin_unlock(&owner->rights_lock);
		if (m->stamp != stamp)
			ret = heapsim_rights_clean(m);
		m->stamp = stamp;
		if (!ret && heapsim_is_killed())
			ret = -EINTR;
		cond_resched();
		spin_lock(&owner->rights_lock);
	}
	spin_unlock(&owner->rights_lock);
	return ret;
}

/* Changes of a stream */

/**
 * heapsim_rights_refuse() - state that a stream has become active
 * @owner: locked; nothing is left to complete
 * @stream: idle stream
 *
 * heapsim_rights_complete() revokes the PTEs.
 */
void heapsim_rights_refuse(struct heapsim_owner *owner,
			   struct heapsim_order_stream *stream)
{
	struct heapsim_rights *r = &owner->rights;

	r->changed = stream;
	r->changes_globals = !r->nr_active++;
	stream->is_active = true;
	spin_lock(&owner->rights_lock);
	list_add_tail(&stream->in_active, &r->actives);
	if (r->class != ATTACH_CONCURRENT) {
		right_group_refuse(&stream->group);
		if (r->changes_globals)
			right_group_refuse(&r->globals);
	}
	spin_unlock(&owner->rights_lock);
}

/**
 * heapsim_rights_allow() - state that a stream has become idle
 * @owner: locked; nothing is left to complete
 * @stream: active stream
 * @again_own: jobs may still see the buffers that are single to it
 * @again_all: jobs may still see the global buffers
 *
 * heapsim_rights_complete() invalidates lines, and gives the right then.
 */
void heapsim_rights_allow(struct heapsim_owner *owner,
			  struct heapsim_order_stream *stream, bool again_own,
			  bool again_all)
{
	struct heapsim_rights *r = &owner->rights;

	r->changed = stream;
	r->again_own = again_own;
	r->again_all = again_all;
	r->changes_globals = !--r->nr_active;
	stream->is_active = false;
	/* Until that, a fault names the stream that forbids it. */
	spin_lock(&owner->rights_lock);
	list_move_tail(&stream->in_active, &r->actives);
	spin_unlock(&owner->rights_lock);
}

static int rights_complete_active(struct heapsim_owner *owner)
{
	struct heapsim_rights *r = &owner->rights;
	int ret;

	if (r->class == ATTACH_CONCURRENT)
		return 0;
	ret = rights_group_revoke(owner, &r->changed->group);
	if (!ret && r->changes_globals)
		ret = rights_group_revoke(owner, &r->globals);
	return ret;
}

static int rights_complete_idle(struct heapsim_owner *owner)
{
	struct heapsim_rights *r = &owner->rights;
	int ret;

	ret = rights_group_allow(owner, &r->changed->group, r->again_own);
	if (!ret && r->changes_globals)
		ret = rights_group_allow(owner, &r->globals, r->again_all);
	if (ret)
		return ret;
	spin_lock(&owner->rights_lock);
	list_del_init(&r->changed->in_active);
	spin_unlock(&owner->rights_lock);
	return 0;
}

/* Changes of a buffer */

static struct right_group *rights_group_of_newest(struct heapsim_ctx_buf *m)
{
	struct heapsim_rights *r = &m->owner->rights;

	switch (m->newest.attach) {
	case HEAPSIM_ATTACH_GLOBAL:
		return &r->globals;
	case HEAPSIM_ATTACH_SINGLE:
		/* It exists: heapsim_order_stream.nr_singles counts this. */
		return &heapsim_rights_stream(r, m->newest.stream)->group;
	default:
		return NULL;
	}
}

static bool rights_will_refuse(struct heapsim_ctx_buf *m, u32 right)
{
	const struct right_group *group;

	if (right == HEAPSIM_RIGHT_REFUSED)
		return m->owner->rights.class != ATTACH_CONCURRENT;
	if (right != HEAPSIM_RIGHT_TABLE)
		return false;
	group = rights_group_of_newest(m);
	return group && group->is_refused;
}

/**
 * heapsim_rights_state() - state the right to a buffer, and what is due for it
 * @m: managed buffer of an open that is locked, with nothing left to complete
 * @right: HEAPSIM_RIGHT_*
 * @todo: HEAPSIM_TODO_CLEAN and HEAPSIM_TODO_INVALIDATE
 *
 * A right that ends has ended afterwards, except for PTEs.
 * heapsim_rights_complete() does all else.
 */
void heapsim_rights_state(struct heapsim_ctx_buf *m, u32 right, u32 todo)
{
	struct heapsim_rights *r = &m->owner->rights;
	bool was_refused;

	r->attached = m;
	r->right = right;
	r->todo = todo;
	if (right == HEAPSIM_RIGHT_SAME)
		return;
	spin_lock(&m->owner->rights_lock);
	was_refused = right_is_refused(&m->right);
	right_leave(&m->right);
	if (!was_refused && rights_will_refuse(m, right)) {
		m->right.is_refused = true;
		if (m->right.lines == RIGHT_MAPPED)
			r->todo |= HEAPSIM_TODO_REVOKE;
	}
	spin_unlock(&m->owner->rights_lock);
}

static bool rights_will_allow(struct heapsim_ctx_buf *m, u32 right)
{
	return right == HEAPSIM_RIGHT_ALLOWED ||
	       (right == HEAPSIM_RIGHT_TABLE && !rights_will_refuse(m, right));
}

/* The last step: the right that begins. */
static void rights_buf_settle(struct heapsim_ctx_buf *m)
{
	const struct heapsim_rights *r = &m->owner->rights;
	struct right_group *group;

	spin_lock(&m->owner->rights_lock);
	if (r->right == HEAPSIM_RIGHT_TABLE) {
		m->has_blocker = false;
		m->right.is_due = r->is_due;
		group = rights_group_of_newest(m);
		if (group)
			right_join(group, &m->right);
		else
			right_allow(&m->right);
	} else if (r->right == HEAPSIM_RIGHT_ALLOWED) {
		right_allow(&m->right);
	}
	spin_unlock(&m->owner->rights_lock);
}

static int rights_complete_buf(struct heapsim_owner *owner)
{
	struct heapsim_rights *r = &owner->rights;
	struct heapsim_ctx_buf *m = r->attached;
	int ret = 0;

	if (r->todo & HEAPSIM_TODO_REVOKE)
		ret = rights_buf_revoke(m);
	if (ret)
		return ret;
	r->todo &= ~HEAPSIM_TODO_REVOKE;
	if (r->todo & HEAPSIM_TODO_CLEAN)
		ret = heapsim_rights_clean(m);
	if (ret)
		return ret;
	r->todo &= ~HEAPSIM_TODO_CLEAN;
	if (r->todo & HEAPSIM_TODO_INVALIDATE)
		ret = rights_buf_invalidate(m, false);
	else if (rights_will_allow(m, r->right))
		ret = rights_buf_keep(m);
	if (ret)
		return ret;
	rights_buf_settle(m);
	r->attached = NULL;
	return 0;
}

/**
 * heapsim_rights_complete() - carry out what has been stated
 * @owner: locked
 *
 * Also completes what killed callers have left: each command calls this first.
 *
 * Return: 0, or -EINTR if the caller is killed; the rest is left to the next
 * call.
 */
int heapsim_rights_complete(struct heapsim_owner *owner)
{
	struct heapsim_rights *r = &owner->rights;
	int ret = 0;

	if (r->changed)
		ret = r->changed->is_active ? rights_complete_active(owner) :
					      rights_complete_idle(owner);
	if (ret)
		return ret;
	r->changed = NULL;
	return r->attached ? rights_complete_buf(owner) : 0;
}

/* The life of a buffer */

/**
 * heapsim_rights_add() - add a managed buffer
 * @m: new buffer of an open that is locked
 * @params: its parameters
 */
void heapsim_rights_add(struct heapsim_ctx_buf *m,
			const struct heapsim_buf_params *params)
{
	struct heapsim_owner *owner = m->owner;
	struct heapsim_record_attach how;

	heapsim_note_attach(&how, HEAPSIM_ATTACHED_BY_ALLOC);
	heapsim_ctx_buf_remember(m, params->attach, 0, &how);
	right_buf_init(&m->right, params->len);
	if (params->attach != HEAPSIM_ATTACH_GLOBAL)
		return;
	spin_lock(&owner->rights_lock);
	right_join(&owner->rights.globals, &m->right);
	spin_unlock(&owner->rights_lock);
}

/**
 * heapsim_rights_forget() - remove a managed buffer that is released
 * @m: buffer of an open that is locked
 */
void heapsim_rights_forget(struct heapsim_ctx_buf *m)
{
	struct heapsim_rights *r = &m->owner->rights;

	if (r->attached == m)
		r->attached = NULL;
	if (m->newest.attach == HEAPSIM_ATTACH_SINGLE)
		heapsim_rights_stream(r, m->newest.stream)->nr_singles--;
	spin_lock(&m->owner->rights_lock);
	right_leave(&m->right);
	spin_unlock(&m->owner->rights_lock);
}

/*
 * Returns true if an invalidate has been stated that a caller which was killed
 * has not carried out.
 */
static bool rights_buf_is_left(const struct heapsim_ctx_buf *m)
{
	const struct heapsim_rights *r = &m->owner->rights;
	const struct right_group *group = m->right.group;

	if (r->attached == m)
		return r->todo & HEAPSIM_TODO_INVALIDATE;
	if (!r->changed || r->changed->is_active || !group ||
	    !group->is_refused || !right_is_due(&m->right))
		return false;
	return group == &r->changed->group ||
	       (group == &r->globals && r->changes_globals);
}

/**
 * heapsim_rights_end() - the open of a managed buffer ends
 * @m: buffer of an open that is locked and has ended
 *
 * The CPU may touch it from now on.
 */
void heapsim_rights_end(struct heapsim_ctx_buf *m)
{
	struct heapsim_buf *buf = m->buf;

	if (rights_buf_is_left(m)) {
		mutex_lock(&buf->lock);
		m->drops = true;
		/* Refused touches (policy record) have PTEs. */
		if (buf->has_two_views)
			heapsim_ptes_revoke_until(buf, 0, buf->nr_pages,
						  HEAPSIM_UNTIL_DONE);
		mutex_unlock(&buf->lock);
	}
	spin_lock(&m->owner->rights_lock);
	right_leave(&m->right);
	right_allow(&m->right);
	spin_unlock(&m->owner->rights_lock);
}

/**
 * heapsim_rights_get_spared() - count invalidates that were due, and were not
 *	carried out because there was nothing to do
 * @buf: buffer; may belong to no context
 * @nr: out: how many. On the board they are redundant ones
 *
 * Context: takes heapsim_owner.lock; may sleep.
 * Return: 0, or -EINTR if the caller is killed.
 */
int heapsim_rights_get_spared(struct heapsim_buf *buf, u64 *nr)
{
	struct heapsim_ctx_buf *m = buf->owned;
	struct right_tally tally;

	*nr = 0;
	if (!m || !heapsim_is_managed(m) ||
	    m->owner->rights.class != ATTACH_NONCOHERENT)
		return 0;
	if (mutex_lock_killable(&m->owner->lock))
		return -EINTR;
	right_tally_of(&m->right, &tally);
	/* One that a killed caller has begun counts twice. */
	if (tally.gpu_cleans > m->nr_invalidated)
		*nr = tally.gpu_cleans - m->nr_invalidated;
	mutex_unlock(&m->owner->lock);
	return 0;
}

/* Touches; the buffer's lock and rights_lock are held. */

/* The stream that the CPU has to wait for, or NULL. */
static const struct heapsim_order_stream *
rights_blocker_of(const struct heapsim_ctx_buf *m)
{
	struct heapsim_rights *r = &m->owner->rights;
	struct right_group *group = m->right.group;

	if (m->has_blocker)
		return heapsim_rights_stream(r, m->blocker);
	if (group && group != &r->globals)
		return container_of(group, struct heapsim_order_stream, group);
	return list_first_entry_or_null(&r->actives,
					struct heapsim_order_stream, in_active);
}

/* Reports a forbidden access, unless it is only repeated. */
static void rights_report(struct heapsim_ctx_buf *m,
			  const struct heapsim_access *access)
{
	const struct heapsim_order_stream *blocker = rights_blocker_of(m);
	const struct heapsim_party nobody = { 0 };
	struct right_refused refused = {
		.thread = task_pid_nr(current),
		/* If each touch faults, each counts. */
		.ip = m->buf->rule.is_precise && m->buf->has_two_views ? 0 :
		      access->ip,
		.off = access->off,
		.job = blocker ? blocker->newest.other.job : 0,
		.is_write = access->touch == HEAPSIM_TOUCH_WRITE,
	};

	if (m->buf->rule.policy != HEAPSIM_POLICY_STRICT &&
	    right_is_repeated(&m->right, &refused))
		return;
	m->cpu_while_active++;
	m->owner->rights.cpu_while_active++;
	heapsim_record_cpu_forbidden(m->buf, HEAPSIM_RECORD_CPU_WHILE_ACTIVE,
				     access, blocker ? &blocker->newest :
						       &nobody);
}

static void rights_enter(struct heapsim_ctx_buf *m, enum heapsim_touch touch,
			 bool is_allowed)
{
	if (m->right.lines != RIGHT_MAPPED)
		right_set_lines(&m->right, RIGHT_MAPPED);
	if (touch == HEAPSIM_TOUCH_WRITE && m->buf->has_two_views)
		right_store(&m->right, is_allowed);
}

/**
 * heapsim_rights_touch() - judge a CPU access to a managed buffer
 * @m: buffer whose policy is not off
 * @access: access; is_wrong is set if it is forbidden
 *
 * Context: the buffer's lock is held until the page is accessible.
 * Return: 0; VM_FAULT_SIGBUS if the access is refused, or the caller is killed.
 */
vm_fault_t heapsim_rights_touch(struct heapsim_ctx_buf *m,
				struct heapsim_access *access)
{
	struct heapsim_owner *owner = m->owner;
	bool is_allowed;
	vm_fault_t ret = 0;

	/* Left by a caller that was killed before the open ended. */
	if (m->drops && rights_invalidate_locked(m))
		return VM_FAULT_SIGBUS;
	m->drops = false;
	spin_lock(&owner->rights_lock);
	is_allowed = !right_is_refused(&m->right);
	if (!is_allowed && !access->is_wrong && !access->is_again) {
		rights_report(m, access);
		access->is_wrong = true;
		if (m->buf->rule.policy == HEAPSIM_POLICY_STRICT)
			ret = VM_FAULT_SIGBUS;
	}
	if (!ret)
		rights_enter(m, access->touch, is_allowed);
	spin_unlock(&owner->rights_lock);
	return ret;
}
