// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Managed memory: groups of buffers that the CPU may touch at the same time,
 * and which of them a change concerns. Locks: none, see right.h.
 *
 * Whether a GPU clean is due is a fact of a group, but for the buffers that
 * came in since its last job or GPU clean and of which the opposite holds. The
 * next job or clean of the group makes them like the others, so that each is
 * looked at once for each time that it came in.
 */
#include "right.h"
#include "list.h"
#include "profile.h"

#define of_link(link, member) \
	((struct right_buf *)((char *)(link) - \
			      offsetof(struct right_buf, member)))

/**
 * attach_class_of() - the kind of a board
 * @profile: the board
 *
 * Return: the kind.
 */
enum attach_class attach_class_of(const struct profile *profile)
{
	if (profile->has_concurrent_access)
		return ATTACH_CONCURRENT;
	return profile->is_io_coherent ? ATTACH_IO_COHERENT :
					 ATTACH_NONCOHERENT;
}

/**
 * right_group_init() - make an empty group, that the CPU may touch
 * @group: out
 */
void right_group_init(struct right_group *group)
{
	memset(group, 0, sizeof(*group));
	list_init(&group->odd);
	list_init(&group->bufs);
	list_init(&group->mapped);
	list_init(&group->cached);
	list_init(&group->dirty);
}

static u64 forget_odd(struct right_group *group)
{
	u64 nr = 0;

	for (; !list_is_empty(&group->odd); nr++)
		list_remove(group->odd.next);
	return nr;
}

/**
 * right_group_job() - a job has been submitted that sees a group
 * @group: the group
 *
 * Return: how many buffers were looked at one by one.
 */
u64 right_group_job(struct right_group *group)
{
	group->tally.jobs++;
	group->is_due = true;
	return forget_odd(group);
}

/**
 * right_group_refuse() - the CPU may not touch a group any more
 * @group: the group, that it might touch
 *
 * The pages of the mapped ones are to be taken from the CPU.
 */
void right_group_refuse(struct right_group *group)
{
	group->is_refused = true;
	group->tally.revoked++;
}

static void clean_odd(struct right_group *group, struct right_buf *buf,
		      struct right_sum *cleaned)
{
	if (!group->is_due) {
		buf->tally.gpu_cleans++;
		cleaned->nr++;
		cleaned->len += buf->len;
		return;
	}
	/* All others have one more. */
	buf->since.gpu_cleans++;
	cleaned->nr--;
	cleaned->len -= buf->len;
}

/**
 * right_group_clean() - note the GPU clean of a group that was due
 * @group: the group, that the CPU may not touch
 * @again: a job that has seen it may still run, so that what is due now is due
 *	the next time, too
 * @cleaned: out: the buffers for which a GPU clean was due
 *
 * What right_is_due() says before this call is to be done for the cached and
 * the mapped ones.
 */
void right_group_clean(struct right_group *group, bool again,
		       struct right_sum *cleaned)
{
	struct attach_link *link;

	memset(cleaned, 0, sizeof(*cleaned));
	group->tally.restored++;
	if (group->is_due) {
		group->tally.gpu_cleans++;
		cleaned->nr = group->nr;
		cleaned->len = group->len;
	}
	for (link = group->odd.next; link != &group->odd; link = link->next) {
		clean_odd(group, of_link(link, in_odd), cleaned);
		cleaned->nr_visited++;
	}
	if (again)
		return;
	group->is_due = false;
	forget_odd(group);
}

/**
 * right_group_restore() - the CPU may touch a group again
 * @group: the group, that it might not touch, after right_group_clean()
 */
void right_group_restore(struct right_group *group)
{
	group->is_refused = false;
}

/**
 * right_group_allow() - right_group_clean() and right_group_restore()
 * @group: as for right_group_clean()
 * @again: the same
 * @cleaned: out: the same
 */
void right_group_allow(struct right_group *group, bool again,
		       struct right_sum *cleaned)
{
	right_group_clean(group, again, cleaned);
	right_group_restore(group);
}

static struct right_buf *first_of(struct attach_link *head)
{
	return list_is_empty(head) ? NULL : of_link(head->next, in_lines);
}

/**
 * right_group_mapped() - a buffer whose pages are to be taken from the CPU
 * @group: the group
 *
 * Return: the one that has been in the list for the longest time, or NULL. It
 * stays there until right_set_lines().
 */
struct right_buf *right_group_mapped(struct right_group *group)
{
	return first_of(&group->mapped);
}

/**
 * right_group_cached() - a buffer whose lines are to be invalidated
 * @group: the group
 *
 * Return: as right_group_mapped() has it.
 */
struct right_buf *right_group_cached(struct right_group *group)
{
	return first_of(&group->cached);
}

/**
 * right_group_dirty() - go through the buffers that are to be cleaned
 * @group: the group
 * @buf: one of them, NULL: before the first; read what follows it before
 *	right_set_dirty()
 *
 * Return: the next, NULL there is none.
 */
struct right_buf *right_group_dirty(struct right_group *group,
				    struct right_buf *buf)
{
	struct attach_link *link = buf ? buf->in_dirty.next : group->dirty.next;

	return link == &group->dirty ? NULL : of_link(link, in_dirty);
}

/**
 * right_group_next() - go through all buffers of a group
 * @group: the group
 * @buf: one of it, NULL: before the first
 *
 * Return: the next, NULL there is none.
 */
struct right_buf *right_group_next(struct right_group *group,
				   struct right_buf *buf)
{
	struct attach_link *link = buf ? buf->in_bufs.next : group->bufs.next;

	return link == &group->bufs ? NULL : of_link(link, in_bufs);
}

/**
 * right_buf_init() - make a buffer that is in no group
 * @buf: out; the CPU may touch it, and has no lines of it
 * @len: bytes
 */
void right_buf_init(struct right_buf *buf, u64 len)
{
	memset(buf, 0, sizeof(*buf));
	buf->len = len;
	list_init(&buf->in_odd);
	list_init(&buf->in_bufs);
	list_init(&buf->in_lines);
	list_init(&buf->in_dirty);
}

static void lines_leave(struct right_buf *buf)
{
	if (list_is_empty(&buf->in_lines))
		return;
	if (buf->lines == RIGHT_MAPPED)
		buf->group->nr_mapped--;
	else
		buf->group->nr_cached--;
	list_remove(&buf->in_lines);
}

static void lines_enter(struct right_buf *buf)
{
	struct right_group *group = buf->group;

	if (!group || buf->lines == RIGHT_NO_LINES)
		return;
	if (buf->lines == RIGHT_MAPPED) {
		list_append(&group->mapped, &buf->in_lines);
		group->nr_mapped++;
	} else {
		list_append(&group->cached, &buf->in_lines);
		group->nr_cached++;
	}
}

/**
 * right_set_lines() - say what the CPU has of a buffer
 * @buf: the buffer
 * @lines: that; the buffer goes to the end of the group's list
 */
void right_set_lines(struct right_buf *buf, enum right_lines lines)
{
	lines_leave(buf);
	buf->lines = lines;
	lines_enter(buf);
}

/**
 * right_set_dirty() - say that the CPU may have stored to a buffer, or not
 * @buf: the buffer
 * @is_dirty: it may, since the last clean; a buffer that is in the group's list
 *	already keeps its place
 */
void right_set_dirty(struct right_buf *buf, bool is_dirty)
{
	buf->is_dirty = is_dirty;
	buf->is_kept &= is_dirty;
	if (!is_dirty)
		list_remove(&buf->in_dirty);
	else if (buf->group && list_is_empty(&buf->in_dirty))
		list_append(&buf->group->dirty, &buf->in_dirty);
}

/**
 * right_store() - note that the CPU is about to store to a buffer
 * @buf: the buffer
 * @is_allowed: false if the store is a violation that the policy lets pass
 */
void right_store(struct right_buf *buf, bool is_allowed)
{
	right_set_dirty(buf, true);
	buf->is_kept |= is_allowed;
}

/**
 * right_keep() - the CPU's right begins, and its lines stay valid
 * @buf: the buffer; goes to the end of the group's list
 *
 * Stores that were refused count as permitted ones from now on, since later
 * stores to the same pages do not fault.
 */
void right_keep(struct right_buf *buf)
{
	buf->is_kept |= buf->is_dirty;
	right_set_lines(buf, buf->lines);
}

/**
 * right_cleaned() - note that a buffer has been cleaned
 * @buf: the buffer
 * @is_dirty: some lines were left Dirty
 */
void right_cleaned(struct right_buf *buf, bool is_dirty)
{
	right_set_dirty(buf, is_dirty);
	buf->is_kept = false;
}

/**
 * right_must_clean() - whether an invalidate must clean a buffer first
 * @buf: the buffer
 *
 * Permitted stores that no job has seen yet are not lost: the job that the
 * invalidate is for may not have begun, and may need them.
 *
 * Return: true if it holds permitted stores that have not been cleaned.
 */
bool right_must_clean(const struct right_buf *buf)
{
	return buf->is_dirty && buf->is_kept;
}

/**
 * right_join() - a buffer's state is known done, and not host
 * @group: the group of that state
 * @buf: buffer in no group
 *
 * From now on the CPU may touch it if it may touch the group.
 */
void right_join(struct right_group *group, struct right_buf *buf)
{
	buf->group = group;
	buf->since = group->tally;
	buf->refused.ip = 0;
	group->nr++;
	group->len += buf->len;
	list_append(&group->bufs, &buf->in_bufs);
	if (buf->is_due != group->is_due)
		list_append(&group->odd, &buf->in_odd);
	lines_enter(buf);
	right_set_dirty(buf, buf->is_dirty);
}

/**
 * right_leave() - a buffer gets another state, or goes
 * @buf: the buffer; it may be in no group
 *
 * Its own fields say then what the group's have said.
 */
void right_leave(struct right_buf *buf)
{
	struct right_group *group = buf->group;
	struct right_tally tally;

	if (!group)
		return;
	buf->is_refused = group->is_refused;
	buf->is_due = right_is_due(buf);
	right_tally_of(buf, &tally);
	buf->tally = tally;
	group->nr--;
	group->len -= buf->len;
	lines_leave(buf);
	list_remove(&buf->in_odd);
	list_remove(&buf->in_bufs);
	list_remove(&buf->in_dirty);
	buf->group = NULL;
}

/**
 * right_allow() - give the CPU the right to a buffer in no group
 * @buf: the buffer
 */
void right_allow(struct right_buf *buf)
{
	buf->is_refused = false;
	buf->refused.ip = 0;
}

/**
 * right_is_refused() - whether the CPU may not touch a buffer now
 * @buf: the buffer
 *
 * Return: true if it may not.
 */
bool right_is_refused(const struct right_buf *buf)
{
	return buf->group ? buf->group->is_refused : buf->is_refused;
}

/**
 * right_is_repeated() - check whether a refused touch is the last one again
 * @buf: the buffer
 * @now: the touch, which the host lets the program carry out. Its revoked is
 *	set
 *
 * The page that the host gives may be revoked before the instruction completes,
 * since the job begins at that time. The instruction then faults again, and
 * there is still only one mistake. If the CPU had the right in between, there
 * are two.
 *
 * Return: true if it is.
 */
bool right_is_repeated(struct right_buf *buf, struct right_refused *now)
{
	const struct right_refused last = buf->refused;

	now->revoked = buf->tally.revoked;
	if (buf->group)
		now->revoked += buf->group->tally.revoked - buf->since.revoked;
	buf->refused = *now;
	return now->ip && now->ip == last.ip && now->thread == last.thread &&
	       now->off == last.off && now->job == last.job &&
	       now->revoked == last.revoked && now->is_write == last.is_write;
}

/**
 * right_is_due() - whether a GPU clean and a CPU invalidate are due
 * @buf: the buffer
 *
 * Return: true if a job has seen it since they were done last.
 */
bool right_is_due(const struct right_buf *buf)
{
	if (!buf->group)
		return buf->is_due;
	return buf->group->is_due != !list_is_empty(&buf->in_odd);
}

/**
 * right_tally_of() - what was done for a buffer
 * @buf: the buffer
 * @tally: out
 */
void right_tally_of(const struct right_buf *buf, struct right_tally *tally)
{
	const struct right_group *group = buf->group;

	*tally = buf->tally;
	if (!group)
		return;
	tally->jobs += group->tally.jobs - buf->since.jobs;
	tally->revoked += group->tally.revoked - buf->since.revoked;
	tally->restored += group->tally.restored - buf->since.restored;
	tally->gpu_cleans += group->tally.gpu_cleans - buf->since.gpu_cleans;
}
