// SPDX-License-Identifier: GPL-2.0-only
/*
 * Brackets of the CPU: which processes have announced accesses to a buffer, and
 * which have stored to it. The buffer's lock protects the list.
 *
 * A process is identified by the struct pid of its thread group, with a
 * reference, since a pid number may be reused. The model gets numbers that a
 * buffer never reuses.
 *
 * An exporter is not notified when a process closes a descriptor, since the
 * file may be shared, or unmaps, since VMAs are split, moved and inherited.
 * So no state is kept about this: it is found out, when brackets are looked at,
 * from the mappings of the file and the descriptors of the processes.
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
 * heapsim_missing_ends() - get the number of WRITE brackets that were never
 *	ended
 *
 * Return: sum over all buffers, including released ones.
 */
u64 heapsim_missing_ends(void)
{
	return atomic64_read(&nr_missing_ends);
}

/*
 * Returns nonzero if the file is one of the dma-bufs of the buffer. The core
 * gives all files of dma-bufs the same operations.
 */
static int bracket_is_fd_of_buf(const void *wanted, struct file *file,
				unsigned int fd)
{
	const struct heapsim_buf *buf = wanted;
	const struct dma_buf *dmabuf = file->private_data;

	return file->f_op == buf->dmabuf->file->f_op &&
	       dmabuf->ops == buf->dmabuf->ops &&
	       heapsim_buf_of_ours(dmabuf) == buf;
}

/*
 * Leaves the RCU read section for a while. Returns false if the walk over
 * threads cannot continue from this one.
 */
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
 * Returns true if the process has a descriptor of the buffer, but also while
 * threads exit or if the caller is killed: the caller will check again later.
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
	/* The leader may be freed by an exec of another thread. */
	group = leader->signal;
	/*
	 * A thread may have its own descriptor table, or none if it has exited.
	 * Tables can be long, so one that consecutive threads share is searched
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
			/*
			 * The table may have been freed and its memory reused.
			 */
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
	/* All threads have the same mm, except those that have exited. */
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
 * The mm is compared, not referenced. With i_mmap locked, nobody can insert a
 * VMA of a new mm at the same address, or remove the last VMA of this one.
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

/* Returns true also if its parent has not waited for it. */
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
 * heapsim_bracket_alloc() - allocate memory for a process that is new to a
 *	buffer
 *
 * Context: may sleep; no lock of a buffer is held.
 * Return: memory for heapsim_bracket_add() or kfree(), or NULL.
 */
struct heapsim_bracket *heapsim_bracket_alloc(void)
{
	return kzalloc(sizeof(struct heapsim_bracket), HEAPSIM_GFP_USER);
}

/**
 * heapsim_bracket_who() - get the number of the calling process
 * @buf: two-view buffer
 *
 * Context: the buffer's lock is held.
 * Return: number in this buffer, or 0 if it has none.
 */
u32 heapsim_bracket_who(const struct heapsim_buf *buf)
{
	const struct heapsim_bracket *b = bracket_find(buf);

	return b ? b->who : 0;
}

/**
 * heapsim_bracket_add() - give the calling process a number
 * @buf: two-view buffer in which it has no number
 * @fresh: memory; owned by the buffer afterwards
 *
 * The entry is removed after the process has ended.
 *
 * Context: the buffer's lock is held.
 * Return: number of the process.
 */
u32 heapsim_bracket_add(struct heapsim_buf *buf, struct heapsim_bracket *fresh)
{
	/* Keeps the list from growing beyond the number of living processes. */
	heapsim_brackets_reap(buf);
	fresh->tgid = get_pid(task_tgid(current));
	fresh->who = ++buf->last_who;
	list_add(&fresh->node, &buf->brackets);
	return fresh->who;
}

/**
 * heapsim_bracket_is_open() - check whether a process has an open bracket
 * @buf: two-view buffer
 * @who: number of the process, or 0
 * @touch: access that the bracket must allow
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
 * heapsim_bracket_of_current() - get the open brackets of the calling process
 * @buf: two-view buffer
 *
 * Context: the buffer's lock is held.
 * Return: brackets, or NULL if it has no number in this buffer.
 */
const struct line_bracket *
heapsim_bracket_of_current(const struct heapsim_buf *buf)
{
	const struct heapsim_bracket *b = bracket_find(buf);

	return b ? &b->open : NULL;
}

/**
 * heapsim_bracket_any_open() - check whether any process has an open bracket
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
 * heapsim_bracket_reader() - find a process with an open READ bracket
 * @buf: buffer
 *
 * Context: the buffer's lock is held.
 * Return: its last START that allows reads, or NULL.
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
 * heapsim_bracket_open() - open a bracket of the calling process
 * @buf: two-view buffer
 * @dir: direction of the START
 * @fresh: memory for a new entry; becomes NULL if it is used
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
	/*
	 * A driver may call this on behalf of a process that has no descriptor.
	 */
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
	 * Stores hide lines from now on, so the next one must fault. If this is
	 * interrupted, the caller is killed, and its bracket ends with it.
	 */
	if (!could_hide && line_bracket_hides(&b->open))
		heapsim_ptes_revoke_until(buf, 0, buf->nr_pages,
					  HEAPSIM_UNTIL_KILLED);
}

/**
 * heapsim_bracket_close() - close a bracket of the calling process
 * @buf: two-view buffer
 * @dir: direction of the END
 *
 * If a START is missing in one of the directions, nothing is closed, and the
 * END is counted and reported.
 *
 * Context: the buffer's lock is held.
 * Return: true if a bracket was closed.
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
 * heapsim_bracket_reopen() - undo heapsim_bracket_close()
 * @buf: two-view buffer
 * @dir: direction of the END, which closed a bracket
 *
 * Used if the END fails because the calling thread is killed.
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

/*
 * Ends brackets that the process will not end; without maintenance, but
 * counted.
 */
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
 * heapsim_brackets_reap() - end the brackets of processes that have ended, or
 *	have closed their last descriptor and mapping of the buffer
 * @buf: buffer with users
 *
 * If the caller is killed, the rest is left to the next call.
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
 * heapsim_brackets_fini() - end and free all brackets
 * @buf: buffer without users
 */
void heapsim_brackets_fini(struct heapsim_buf *buf)
{
	struct heapsim_bracket *b, *next;

	list_for_each_entry_safe(b, next, &buf->brackets, node) {
		bracket_end(buf, b);
		bracket_del(b);
	}
}
