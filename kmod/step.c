// SPDX-License-Identifier: GPL-2.0-only
/*
 * Precise tracking: a thread that was given a PTE executes a single
 * instruction, the one that faulted, and the PTE is revoked again.
 *
 * The fault handler sets the trap flag in the thread's registers. The debug
 * exception after the instruction clears it, and task work, which runs before
 * the thread returns to user space, revokes the PTEs. The work is queued by the
 * fault: if the thread handles a signal, is stopped or ends first, the kernel
 * runs the work before that, and nobody sees the flag. What has been judged for
 * the instruction is then kept until it runs again, so that nothing counts
 * twice.
 *
 * An access by a system call is not stepped: its PTEs are revoked when the call
 * returns.
 *
 * Only the thread itself creates, arms and ends its steps. steps_lock protects
 * the table of steps and the list of unfinished instructions. No other lock is
 * taken with it held; the debug exception takes it, too.
 */
#include <linux/kdebug.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/task_work.h>

#include <asm/debugreg.h>
#include <asm/processor-flags.h>
#include <asm/ptrace.h>

#include "limit.h"
#include "ptes.h"
#include "step.h"

#define NR_BUCKETS	64
#define NR_SETS		256	/* selected by the pid */
#define NR_WAYS		4
#define NR_SEEN		4	/* movs: two accesses of two pages each */
#define MAX_TRIES	64	/* of an instruction that does not complete */

/**
 * struct insn - an instruction and its accesses that have been judged
 * @buf: id of the buffer
 * @tid: thread
 * @ip: address of the instruction
 * @nr_tries: how often it did not complete
 * @nr_seen: number of accesses; those beyond NR_SEEN overwrite older ones
 * @seen: accesses
 */
struct insn {
	u64 buf;
	pid_t tid;
	unsigned long ip;
	unsigned int nr_tries;
	unsigned int nr_seen;
	struct {
		u64 addr;
		enum heapsim_touch touch;
	} seen[NR_SEEN];
};

/**
 * struct heapsim_step - a step of a thread, or its system call
 * @work: ends the step
 * @node: entry in steps
 * @task: thread
 * @dmabuf: dma-buf of the buffer, with a reference
 * @first: first page that the thread was given
 * @end: page after the last
 * @insn: instruction
 * @is_user: the thread is stepped; false in a system call
 * @had_flag: the trap flag was set by somebody else, who needs the trap, too
 * @is_done: the instruction completed
 */
struct heapsim_step {
	struct callback_head work;
	struct hlist_node node;
	const struct task_struct *task;
	struct dma_buf *dmabuf;
	size_t first;
	size_t end;
	struct insn insn;
	bool is_user;
	bool had_flag;
	bool is_done;
};

static DEFINE_RAW_SPINLOCK(steps_lock);	/* protects the variables below */
static struct hlist_head steps[NR_BUCKETS];
static struct insn unfinished[NR_SETS][NR_WAYS];
static unsigned int next_way;

static struct hlist_head *step_bucket_of_current(void)
{
	return &steps[(unsigned int)current->pid % NR_BUCKETS];
}

/*
 * The result stays valid without the lock, because only the thread itself ends
 * its steps.
 */
static struct heapsim_step *step_find(const struct heapsim_buf *buf)
{
	struct heapsim_step *step, *ret = NULL;

	raw_spin_lock(&steps_lock);
	hlist_for_each_entry(step, step_bucket_of_current(), node)
		if (step->task == current && step->dmabuf == buf->dmabuf)
			ret = step;
	raw_spin_unlock(&steps_lock);
	return ret;
}

static struct insn *step_set_of_current(void)
{
	return unfinished[(unsigned int)current->pid % NR_SETS];
}

static struct insn *step_find_unfinished(const struct heapsim_buf *buf)
{
	const unsigned long ip = instruction_pointer(task_pt_regs(current));
	struct insn *set = step_set_of_current();
	unsigned int i;

	for (i = 0; i < NR_WAYS; i++)
		if (set[i].nr_seen && set[i].buf == buf->id &&
		    set[i].tid == current->pid && set[i].ip == ip)
			return &set[i];
	return NULL;
}

static bool step_insn_has_seen(const struct insn *insn,
			       const struct heapsim_access *access)
{
	unsigned int i, nr = min_t(unsigned int, insn->nr_seen, NR_SEEN);

	for (i = 0; i < nr; i++)
		if (insn->seen[i].addr == access->addr &&
		    insn->seen[i].touch == access->touch)
			return true;
	return false;
}

static void step_insn_see(struct insn *insn,
			  const struct heapsim_access *access)
{
	unsigned int i = insn->nr_seen % NR_SEEN;

	if (step_insn_has_seen(insn, access))
		return;
	insn->seen[i].addr = access->addr;
	insn->seen[i].touch = access->touch;
	insn->nr_seen++;
}

/**
 * heapsim_step_alloc() - allocate memory for a step
 *
 * Context: may sleep; no lock of a buffer is held.
 * Return: memory for heapsim_step_arm() or kfree(), or NULL.
 */
struct heapsim_step *heapsim_step_alloc(void)
{
	return kzalloc(sizeof(struct heapsim_step), HEAPSIM_GFP_USER);
}

/**
 * heapsim_step_is_wanted() - check whether heapsim_step_arm() will need memory
 * @buf: buffer that the calling thread accesses
 *
 * Threads that never return to user space are not stepped.
 *
 * Context: the buffer's lock is held.
 * Return: true if it will.
 */
bool heapsim_step_is_wanted(const struct heapsim_buf *buf)
{
	return buf->rule.is_precise && buf->has_two_views &&
	       !(current->flags & (PF_KTHREAD | PF_USER_WORKER)) &&
	       !step_find(buf);
}

/**
 * heapsim_step_is_again() - check whether an access has been judged already
 * @buf: buffer
 * @access: fault of the calling thread in user mode
 *
 * Return: true if it was judged and its instruction did not complete.
 */
bool heapsim_step_is_again(const struct heapsim_buf *buf,
			   const struct heapsim_access *access)
{
	const unsigned long ip = instruction_pointer(task_pt_regs(current));
	const struct heapsim_step *step;
	const struct insn *insn;
	bool ret;

	if (!READ_ONCE(buf->rule.is_precise))
		return false;
	step = step_find(buf);
	if (step)
		return step->insn.ip == ip &&
		       step_insn_has_seen(&step->insn, access);
	raw_spin_lock(&steps_lock);
	insn = step_find_unfinished(buf);
	ret = insn && step_insn_has_seen(insn, access);
	raw_spin_unlock(&steps_lock);
	return ret;
}

/*
 * Runs before anything else that the thread does, or after the debug exception.
 */
static void step_end(struct callback_head *work)
{
	struct heapsim_step *step = container_of(work, struct heapsim_step,
						 work);
	struct dma_buf *dmabuf = step->dmabuf;
	struct heapsim_buf *buf = heapsim_buf_of_ours(dmabuf);

	raw_spin_lock(&steps_lock);
	hlist_del(&step->node);
	if (step->is_user && !step->is_done) {
		step->insn.nr_tries++;
		step_set_of_current()[next_way++ % NR_WAYS] = step->insn;
	}
	raw_spin_unlock(&steps_lock);
	if (step->is_user && !step->is_done && !step->had_flag)
		task_pt_regs(current)->flags &= ~X86_EFLAGS_TF;
	/* The PTEs of a process that is killed go with it. */
	if (!mutex_lock_killable(&buf->lock)) {
		heapsim_ptes_revoke(buf, step->first, step->end);
		mutex_unlock(&buf->lock);
	}
	kfree(step);
	/* The module may be unloaded from here on, see heapsim_step_fini(). */
	dma_buf_put(dmabuf);
}

/* An instruction can fault in several buffers, but there is only one flag. */
static bool step_flag_is_of_others(void)
{
	const struct heapsim_step *step;
	bool ret = task_pt_regs(current)->flags & X86_EFLAGS_TF;

	raw_spin_lock(&steps_lock);
	hlist_for_each_entry(step, step_bucket_of_current(), node)
		if (step->task == current && step->is_user)
			ret = step->had_flag;
	raw_spin_unlock(&steps_lock);
	return ret;
}

/* Returns NULL if the thread ends, because it does not return to user mode. */
static struct heapsim_step *step_begin(struct heapsim_buf *buf,
				       struct heapsim_step *step, bool is_user)
{
	struct insn *insn;

	init_task_work(&step->work, step_end);
	step->task = current;
	step->dmabuf = buf->dmabuf;
	step->insn.buf = buf->id;
	step->insn.tid = current->pid;
	step->insn.ip = instruction_pointer(task_pt_regs(current));
	step->first = SIZE_MAX;
	if (task_work_add(current, &step->work,
			  is_user ? TWA_NONE : TWA_RESUME))
		return NULL;
	get_dma_buf(buf->dmabuf);
	raw_spin_lock(&steps_lock);
	insn = is_user ? step_find_unfinished(buf) : NULL;
	if (insn) {
		step->insn = *insn;
		insn->nr_seen = 0;
	}
	hlist_add_head(&step->node, step_bucket_of_current());
	raw_spin_unlock(&steps_lock);
	return step;
}

/*
 * Other task work that is due before the thread returns to user space makes
 * this work run, too, for example after a preemption. Then the instruction
 * starts again, and on a slow machine that can repeat for ever. Returns true if
 * this may be the case, and forgets the instruction.
 */
static bool step_never_ends(const struct heapsim_buf *buf)
{
	struct insn *insn;
	bool ret;

	raw_spin_lock(&steps_lock);
	insn = step_find_unfinished(buf);
	ret = insn && insn->nr_tries >= MAX_TRIES;
	if (ret)
		insn->nr_seen = 0;
	raw_spin_unlock(&steps_lock);
	return ret;
}

/**
 * heapsim_step_arm() - revoke the PTEs of an access after its instruction
 * @buf: buffer; does nothing if it is not tracked precisely
 * @fresh: memory; becomes NULL if it is used, and is NULL if none was wanted
 * @access: fault of the calling thread
 * @is_user: the thread is in user mode
 *
 * An instruction that failed to complete MAX_TRIES times is not stepped. Its
 * page stays mapped until something else revokes it.
 *
 * Context: the buffer's lock is held.
 */
void heapsim_step_arm(struct heapsim_buf *buf, struct heapsim_step **fresh,
		      const struct heapsim_access *access, bool is_user)
{
	const size_t page = access->off >> PAGE_SHIFT;
	struct heapsim_step *step;

	if (!buf->rule.is_precise || !buf->has_two_views ||
	    current->flags & (PF_KTHREAD | PF_USER_WORKER))
		return;
	step = step_find(buf);
	if (!step && is_user && step_never_ends(buf))
		return;
	if (!step && *fresh) {
		step = step_begin(buf, *fresh, is_user);
		if (step)
			*fresh = NULL;
	}
	if (!step)
		return;
	step->first = min(step->first, page);
	step->end = max(step->end, page + 1);
	if (!is_user) {
		set_thread_flag(TIF_NOTIFY_RESUME);
		return;
	}
	step_insn_see(&step->insn, access);
	step->had_flag = step_flag_is_of_others();
	step->is_user = true;
	task_pt_regs(current)->flags |= X86_EFLAGS_TF;
}

/*
 * Interrupts are disabled. The exception came from user mode, so no lock is
 * held.
 */
static int step_on_debug(struct notifier_block *block, unsigned long what,
			 void *data)
{
	struct die_args *args = data;
	struct heapsim_step *step;
	bool is_ours = false, had_flag = false;
	unsigned long *dr6;

	if (what != DIE_DEBUG || !user_mode(args->regs))
		return NOTIFY_DONE;
	/*
	 * args->err points to a copy of DR6; a handler clears the bits that it
	 * has handled.
	 */
	dr6 = (unsigned long *)args->err;
	/*
	 * Under virtualisation the CPU sometimes reports no cause after a step.
	 * INT1 has no cause either, but a step does not execute it, because it
	 * accesses no memory.
	 */
	if (*dr6 && !(*dr6 & DR_STEP))
		return NOTIFY_DONE;
	raw_spin_lock(&steps_lock);
	hlist_for_each_entry(step, step_bucket_of_current(), node)
		if (step->task == current && step->is_user) {
			step->is_done = true;
			is_ours = true;
			had_flag = step->had_flag;
		}
	raw_spin_unlock(&steps_lock);
	if (!is_ours)
		return NOTIFY_DONE;
	set_thread_flag(TIF_NOTIFY_RESUME);
	if (had_flag)
		return NOTIFY_DONE;
	args->regs->flags &= ~X86_EFLAGS_TF;
	current->thread.virtual_dr6 &= ~DR_STEP;
	*dr6 &= ~DR_STEP;
	return *dr6 & DR_TRAP_BITS ? NOTIFY_DONE : NOTIFY_STOP;
}

static struct notifier_block debug_block = { .notifier_call = step_on_debug };

/**
 * heapsim_step_init() - register for debug exceptions
 *
 * Return: 0 or -errno.
 */
int heapsim_step_init(void)
{
	return register_die_notifier(&debug_block);
}

/**
 * heapsim_step_fini() - wait for the last step
 *
 * Each step had a reference to a buffer, and so to the module. What may still
 * run is the end of the function that dropped it, which does not sleep.
 */
void heapsim_step_fini(void)
{
	unregister_die_notifier(&debug_block);
	synchronize_rcu_tasks();
}
