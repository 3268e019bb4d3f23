// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CPU's brackets: who has told that it will touch a buffer, and who was
 * seen to store into it (DESIGN 2.3). The buffer's lock protects all of it.
 *
 * A process is known by the struct pid of its thread group, which a reference
 * keeps: a number that is used again is another process. The model gets
 * numbers of ours, which a buffer never uses twice.
 *
 * Nobody tells an exporter that a process closed a descriptor, since the file
 * is shared, or that it unmapped, since areas are split, moved and inherited.
 * So nothing is kept in step: whoever looks at the brackets looks at the file's
 * mappings and at the descriptors of the processes then.
 */
#include <linux/dma-buf.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/pid.h>
#include <linux/rbtree.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "bracket.h"
#include "limit.h"
#include "ptes.h"

static atomic64_t nr_missing_ends;

/**
 * heapsim_missing_ends() - WRITE brackets that were never ended
 *
 * Return: of all buffers, also those that are gone.
 */
u64 heapsim_missing_ends(void)
{
	return atomic64_read(&nr_missing_ends);
}

/* Of any of the buffer's dma-bufs: their files have the core's operations. */
static int bracket_is_fd_of_buf(const void *wanted, struct file *file,
				unsigned int fd)
{
	const struct heapsim_buf *buf = wanted;
	const struct dma_buf *dmabuf = file->private_data;

	return file->f_op == buf->dmabuf->file->f_op &&
	       dmabuf->ops == buf->dmabuf->ops &&
	       heapsim_buf_of_ours(dmabuf) == buf;
}

/* Leaves the read side for a while; false: there is no going on from there. */
static bool bracket_rest_at(struct task_struct *task)
{
	bool ret;

	get_task_struct(task);
	rcu_read_unlock();
	cond_resched();
	rcu_read_lock();
	ret = pid_alive(task);
	put_task_struct(task);
	return ret;
}

/*
 * Returns true if the process has one; also while threads end, or if the caller
 * is killed: whoever asks will ask again.
 */
static bool bracket_process_has_fd(const struct heapsim_buf *buf,
				   struct pid *tgid)
{
	const struct files_struct *seen = NULL;
	struct task_struct *leader, *task;
	struct signal_struct *group;
	bool ret = false;

	rcu_read_lock();
	leader = pid_task(tgid, PIDTYPE_TGID);
	if (!leader)
		goto out_unlock;
	/* Not the leader: an exec frees it while another thread lives on. */
	group = leader->signal;
	/*
	 * A thread may have a table of its own; one that ended has none. A
	 * table can be long: one that a row of threads shares is looked at
	 * once.
	 */
	__for_each_thread(group, task) {
		task_lock(task);
		if (task->files != seen) {
			seen = task->files;
			ret = iterate_fd(task->files, 0, bracket_is_fd_of_buf,
					 buf);
		}
		task_unlock(task);
		if (!ret && (need_resched() || heapsim_is_killed())) {
			ret = !bracket_rest_at(task) || heapsim_is_killed();
			/* It may have been freed, and be another's now. */
			seen = NULL;
		}
		if (ret)
			break;
	}
out_unlock:
	rcu_read_unlock();
	return ret;
}

static const struct mm_struct *bracket_mm_of(struct pid *tgid)
{
	struct task_struct *leader, *task;
	const struct mm_struct *mm = NULL;

	rcu_read_lock();
	leader = pid_task(tgid, PIDTYPE_TGID);
	if (!leader)
		goto out_unlock;
	/* All have the same, but for those that ended. */
	for_each_thread(leader, task) {
		task_lock(task);
		if (!(task->flags & PF_KTHREAD))
			mm = task->mm;
		task_unlock(task);
		if (mm)
			break;
	}
out_unlock:
	rcu_read_unlock();
	return mm;
}

/*
 * The address space is not referenced, only compared: while the lock is held
 * nobody can put an area of another one that lies at the same place into the
 * tree, or take away the last area of this one.
 */
static bool bracket_process_has_mapping(struct address_space *mapping,
					struct pid *tgid)
{
	const struct mm_struct *mm;
	struct rb_node *node;
	bool ret = false;

	i_mmap_lock_read(mapping);
	mm = bracket_mm_of(tgid);
	for (node = rb_first_cached(&mapping->i_mmap); mm && node && !ret;
	     node = rb_next(node)) {
		ret = rb_entry(node, struct vm_area_struct,
			       shared.rb)->vm_mm == mm || heapsim_is_killed();
		cond_resched();
	}
	i_mmap_unlock_read(mapping);
	return ret;
}

static bool bracket_process_has_buf(const struct heapsim_buf *buf,
				    struct pid *tgid)
{
	return bracket_process_has_mapping(buf->dmabuf->file->f_mapping,
					   tgid) ||
	       bracket_process_has_fd(buf, tgid);
}

/* Whether or not its parent has waited for it. */
static bool bracket_process_is_gone(struct pid *tgid)
{
	struct task_struct *leader;
	bool ret;

	rcu_read_lock();
	leader = pid_task(tgid, PIDTYPE_TGID);
	ret = !leader || (READ_ONCE(leader->exit_state) &&
			  thread_group_empty(leader));
	rcu_read_unlock();
	return ret;
}

static bool bracket_is_open(const struct heapsim_bracket *b)
{
	return b->open.nr_read || b->open.nr_write;
}

static enum line_dir bracket_line_dir(enum dma_data_direction dir)
{
	switch (dir) {
	case DMA_FROM_DEVICE:
		return LINE_DIR_READ;
	case DMA_TO_DEVICE:
		return LINE_DIR_WRITE;
	default:
		return LINE_DIR_RW;
	}
}

static struct heapsim_bracket *bracket_find(const struct heapsim_buf *buf)
{
	const struct pid *tgid = task_tgid(current);
	struct heapsim_bracket *b;

	list_for_each_entry(b, &buf->brackets, node)
		if (b->tgid == tgid)
			return b;
	return NULL;
}

static void bracket_del(struct heapsim_bracket *b)
{
	list_del(&b->node);
	put_pid(b->tgid);
	kfree(b);
}

/**
 * heapsim_bracket_alloc() - memory for a process that may be new to a buffer
 *
 * Context: may sleep; no lock of a buffer held.
 * Return: for heapsim_bracket_add(), or for kfree(); NULL without memory.
 */
struct heapsim_bracket *heapsim_bracket_alloc(void)
{
	return kzalloc(sizeof(struct heapsim_bracket), HEAPSIM_GFP_USER);
}

/**
 * heapsim_bracket_who() - the number of the calling process
 * @buf: two-view buffer
 *
 * Context: the buffer's lock is held.
 * Return: its number in this buffer, 0 if it has none.
 */
u32 heapsim_bracket_who(const struct heapsim_buf *buf)
{
	const struct heapsim_bracket *b = bracket_find(buf);

	return b ? b->who : 0;
}

/**
 * heapsim_bracket_add() - give the calling process a number
 * @buf: two-view buffer in which it has none
 * @fresh: memory, taken over
 *
 * The number goes when the process has ended.
 *
 * Context: the buffer's lock is held.
 * Return: the number.
 */
u32 heapsim_bracket_add(struct heapsim_buf *buf, struct heapsim_bracket *fresh)
{
	/* What the list may grow to is the number of living processes. */
	heapsim_brackets_reap(buf);
	fresh->tgid = get_pid(task_tgid(current));
	fresh->who = ++buf->last_who;
	list_add(&fresh->node, &buf->brackets);
	return fresh->who;
}

/**
 * heapsim_bracket_is_open() - has a process an open bracket?
 * @buf: two-view buffer
 * @who: number of the process; 0 none
 * @touch: what the bracket must allow
 *
 * Context: the buffer's lock is held.
 * Return: true if it has.
 */
bool heapsim_bracket_is_open(const struct heapsim_buf *buf, u32 who,
			     enum heapsim_touch touch)
{
	const struct heapsim_bracket *b;

	list_for_each_entry(b, &buf->brackets, node)
		if (b->who == who)
			return touch == HEAPSIM_TOUCH_WRITE ?
				b->open.nr_write : b->open.nr_read;
	return false;
}

/**
 * heapsim_bracket_of_current() - the open brackets of the calling process
 * @buf: two-view buffer
 *
 * Context: the buffer's lock is held.
 * Return: they, or NULL: it has no number in this buffer.
 */
const struct line_bracket *
heapsim_bracket_of_current(const struct heapsim_buf *buf)
{
	const struct heapsim_bracket *b = bracket_find(buf);

	return b ? &b->open : NULL;
}

/**
 * heapsim_bracket_any_open() - has any process an open bracket?
 * @buf: buffer
 *
 * Context: the buffer's lock is held.
 * Return: true if one has.
 */
bool heapsim_bracket_any_open(const struct heapsim_buf *buf)
{
	const struct heapsim_bracket *b;

	list_for_each_entry(b, &buf->brackets, node)
		if (bracket_is_open(b))
			return true;
	return false;
}

/**
 * heapsim_bracket_reader() - find a process that has a READ bracket open
 * @buf: buffer
 *
 * Context: the buffer's lock is held.
 * Return: its last START that may read, or NULL.
 */
const struct heapsim_cpu *heapsim_bracket_reader(const struct heapsim_buf *buf)
{
	const struct heapsim_bracket *b;

	list_for_each_entry(b, &buf->brackets, node)
		if (b->open.nr_read)
			return &b->read_start;
	return NULL;
}

/**
 * heapsim_bracket_open() - START of the calling process
 * @buf: two-view buffer
 * @dir: of the START
 * @fresh: memory for a process that is new; NULL if it was taken
 *
 * Context: the buffer's lock is held.
 */
void heapsim_bracket_open(struct heapsim_buf *buf, enum dma_data_direction dir,
			  struct heapsim_bracket **fresh)
{
	struct heapsim_bracket *b = bracket_find(buf);
	const bool is_write = dir != DMA_FROM_DEVICE;
	struct heapsim_cpu start;
	bool could_hide;

	if (!b) {
		b = *fresh;
		*fresh = NULL;
		heapsim_bracket_add(buf, b);
	}
	/* A driver may call for a process that never had a descriptor. */
	if (!b->had_buf)
		b->had_buf = bracket_process_has_buf(buf, b->tgid);
	heapsim_note_cpu(&start, 0, is_write);
	if (is_write)
		b->write_start = start;
	if (dir != DMA_TO_DEVICE)
		b->read_start = start;
	could_hide = line_bracket_hides(&b->open);
	line_bracket_open(&buf->lines, &b->open, bracket_line_dir(dir));
	/*
	 * What is stored from now on hides lines: it is to be seen. The bracket
	 * of a caller who is killed ends with it.
	 */
	if (!could_hide && line_bracket_hides(&b->open))
		heapsim_ptes_revoke_until(buf, 0, buf->nr_pages,
					  HEAPSIM_UNTIL_KILLED);
}

/**
 * heapsim_bracket_close() - END of the calling process
 * @buf: two-view buffer
 * @dir: of the END
 *
 * An END that lacks its START in one of its directions closes nothing, and is
 * counted.
 *
 * Context: the buffer's lock is held.
 * Return: true if it closed a bracket.
 */
bool heapsim_bracket_close(struct heapsim_buf *buf, enum dma_data_direction dir)
{
	const bool is_write = dir != DMA_FROM_DEVICE;
	struct heapsim_bracket *b = bracket_find(buf);

	if (b &&
	    line_bracket_close(&buf->lines, &b->open, bracket_line_dir(dir))) {
		if (!bracket_is_open(b))
			b->had_buf = false;
		return true;
	}
	spin_lock(&buf->lines_lock);
	buf->lines.count.unmatched_ends++;
	spin_unlock(&buf->lines_lock);
	heapsim_record_unmatched_end(buf, is_write && (!b || !b->open.nr_write),
				     is_write);
	return false;
}

/**
 * heapsim_bracket_reopen() - the END did not come to its end
 * @buf: two-view buffer
 * @dir: of the END, which closed a bracket
 *
 * The calling thread is killed, mostly with its process: its bracket ends with
 * it.
 *
 * Context: the buffer's lock is held.
 */
void heapsim_bracket_reopen(struct heapsim_buf *buf,
			    enum dma_data_direction dir)
{
	struct heapsim_bracket *b = bracket_find(buf);

	if (!b)
		return;
	line_bracket_open(&buf->lines, &b->open, bracket_line_dir(dir));
	if (!b->had_buf)
		b->had_buf = bracket_process_has_buf(buf, b->tgid);
}

/* The process will not END any more: no maintenance, but it is counted. */
static void bracket_end(struct heapsim_buf *buf, struct heapsim_bracket *b)
{
	spin_lock(&buf->lines_lock);
	buf->lines.count.missing_ends += b->open.nr_write;
	spin_unlock(&buf->lines_lock);
	atomic64_add(b->open.nr_write, &nr_missing_ends);
	heapsim_record_open_bracket(buf, b);
	line_bracket_end(&buf->lines, &b->open);
	b->had_buf = false;
}

/**
 * heapsim_brackets_reap() - end the brackets of processes that are gone, or
 *	have closed their last descriptor and mapping of the buffer
 * @buf: buffer that somebody has
 *
 * A caller that is killed leaves it to the next one.
 *
 * Context: the buffer's lock is held; may sleep.
 */
void heapsim_brackets_reap(struct heapsim_buf *buf)
{
	struct heapsim_bracket *b, *next;

	list_for_each_entry_safe(b, next, &buf->brackets, node) {
		if (heapsim_is_killed())
			break;
		if (bracket_process_is_gone(b->tgid)) {
			bracket_end(buf, b);
			bracket_del(b);
		} else if (bracket_is_open(b) && b->had_buf &&
			   !bracket_process_has_buf(buf, b->tgid)) {
			bracket_end(buf, b);
		}
	}
}

/**
 * heapsim_brackets_fini() - the buffer goes, and all brackets with it
 * @buf: buffer that nobody has any more
 */
void heapsim_brackets_fini(struct heapsim_buf *buf)
{
	struct heapsim_bracket *b, *next;

	list_for_each_entry_safe(b, next, &buf->brackets, node) {
		bracket_end(buf, b);
		bracket_del(b);
	}
}
