// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stacks of those whom records may name. The kernel cannot walk the user stacks
 * of today's programs; they can themselves. So a thread that is noted gets a
 * number, and on its way back to user space a signal that carries it. The
 * signal is not sent at once: pending, it would interrupt the system call.
 *
 * What a thread does between its entry into the kernel and its return is one
 * place in its program: one number, one signal.
 */
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include <linux/uaccess.h>

#include <asm/syscall.h>

#include "watch.h"

/* Bytes of stack: a frame with all registers, and the unwinder of libgcc. */
#define ROOM	SZ_16K

#define PLACE_WORDS	32	/* u64 of the stack that tell places apart */

/**
 * struct stack - a thread that is on its way back
 * @work: tells it
 * @node: in stacks
 * @task: the thread
 * @ip: where it was
 * @id: its number
 * @signal: that it gets
 */
struct stack {
	struct callback_head work;
	struct hlist_node node;
	struct task_struct *task;
	u64 ip;
	u64 id;
	int signal;
};

static DEFINE_SPINLOCK(stacks_lock);	/* protects what follows */
static DEFINE_HASHTABLE(stacks, 6);
static u64 nr_accesses;		/* that had a number */
static u64 nr_calls;		/* the same */

static bool had_stacks;

/*
 * Returns true if the calling thread has a handler for stack signals, and the
 * signal is not blocked: it would kill the thread, or be delivered too late.
 * @flags: out: SA_* of the handler.
 */
static bool stack_is_taken(int signal, unsigned long *flags_of_handler)
{
	/* A thread's own, until it is reaped. */
	struct sighand_struct *sighand =
		rcu_dereference_protected(current->sighand, true);
	const struct k_sigaction *action = &sighand->action[signal - 1];
	unsigned long flags;
	bool ret;

	BUILD_BUG_ON(HEAPSIM_SA_STACK !=
		     (SA_EXPOSE_TAGBITS | SA_NOCLDSTOP | SA_NOCLDWAIT));
	spin_lock_irqsave(&sighand->siglock, flags);
	*flags_of_handler = action->sa.sa_flags;
	ret = action->sa.sa_handler != SIG_DFL &&
	      action->sa.sa_handler != SIG_IGN &&
	      action->sa.sa_flags & SA_SIGINFO &&
	      (action->sa.sa_flags & HEAPSIM_SA_STACK) == HEAPSIM_SA_STACK &&
	      !sigismember(&current->blocked, signal);
	spin_unlock_irqrestore(&sighand->siglock, flags);
	return ret;
}

/*
 * Returns true if a driver maps memory there. A probe of it would count as an
 * access of the program, and a buffer's page may be open for one step only.
 */
static bool stack_is_device_memory(unsigned long low, unsigned long end)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	bool ret = false;

	mmap_read_lock(mm);
	for (vma = find_vma(mm, low); vma && vma->vm_start < end && !ret;
	     vma = find_vma(mm, vma->vm_end))
		ret = vma->vm_flags & (VM_IO | VM_PFNMAP);
	mmap_read_unlock(mm);
	return ret;
}

/*
 * Returns true if the signal's frame, and a handler that walks the stack, fit.
 * Without room the thread would be killed, or memory below a small stack
 * overwritten. What lies below the stack pointer may be live, so nothing is
 * written there: reads grow the stack, which only a real access does, and find
 * guard pages; the second probe finds pages that cannot be written.
 */
static bool stack_has_room(unsigned long flags)
{
	unsigned long sp = current_user_stack_pointer();
	const unsigned long low = current->sas_ss_sp;
	const unsigned long size = current->sas_ss_size;
	const char __user *from;

	if (flags & SA_ONSTACK && !sas_ss_flags(sp))
		sp = low + size;	/* where the handler will run */
	if (size && sp - low <= size && sp - low < ROOM)
		return false;
	if (sp <= ROOM)
		return false;
	from = (const char __user *)sp - ROOM;
	return !stack_is_device_memory(sp - ROOM, sp) &&
	       !fault_in_readable(from, ROOM) &&
	       !fault_in_safe_writeable(from, ROOM);
}

/* Returns true if the calling thread will be back in user space. */
static bool stack_is_needed(void)
{
	return current->mm && !(current->flags & PF_EXITING) &&
	       !fatal_signal_pending(current);
}

/*
 * Runs in the thread that was noted, with no lock held. The thread stays in the
 * table until the end: should the probe of its stack fault in a buffer, that
 * must not have it noted again, and this run again, for ever.
 */
static void stack_signal(struct callback_head *work)
{
	struct stack *s = container_of(work, struct stack, work);
	struct kernel_siginfo info;
	unsigned long flags;

	/* An exec may have taken its handler away. */
	if (stack_is_needed() && stack_is_taken(s->signal, &flags) &&
	    stack_has_room(flags)) {
		clear_siginfo(&info);
		info.si_signo = s->signal;
		info.si_code = HEAPSIM_SI_STACK;
		/* By the time it is taken the thread may be elsewhere. */
		info.si_pid = lower_32_bits(s->ip);
		info.si_uid = upper_32_bits(s->ip);
		info.si_value.sival_ptr = (void __user *)(uintptr_t)s->id;
		send_sig_info(s->signal, &info, current);
	}
	spin_lock(&stacks_lock);
	hash_del(&s->node);
	spin_unlock(&stacks_lock);
	kfree(s);
	/* It may go from here on, see heapsim_stack_fini(). */
	module_put(THIS_MODULE);
}

static u64 stack_find(void)
{
	struct stack *s;
	u64 id = 0;

	spin_lock(&stacks_lock);
	hash_for_each_possible(stacks, s, node, (uintptr_t)current)
		if (s->task == current)
			id = s->id;
	spin_unlock(&stacks_lock);
	return id;
}

/*
 * Accesses are many, and soon nobody can ask for them any more; who has begun a
 * bracket, mapped or submitted may be asked for long after. They are counted
 * apart, so that whoever keeps the last so many of each keeps these.
 */
static u64 stack_add(struct stack *s)
{
	struct pt_regs *regs = task_pt_regs(current);
	const bool is_call = syscall_get_nr(current, regs) >= 0;

	spin_lock(&stacks_lock);
	s->id = is_call ? ++nr_calls << 1 | HEAPSIM_STACK_CALL :
			  ++nr_accesses << 1;
	hash_add(stacks, &s->node, (uintptr_t)current);
	spin_unlock(&stacks_lock);
	return s->id;
}

/* Between the begin and the end of user access nothing may be called. */
static __always_inline u64 stack_hash(u64 h, u64 word)
{
	return (h ^ word) * 0x9e3779b97f4a7c15ULL;
}

/**
 * heapsim_stack_place() - where the calling thread is, cheaply
 *
 * The instruction, and what lies uppermost on the stack: return addresses, and
 * variables, by which the same place may seem to be another, but hardly another
 * the same.
 *
 * Context: any of a thread; touches user memory without faults.
 * Return: not 0 if it can be told.
 */
u64 heapsim_stack_place(void)
{
	struct pt_regs *regs = task_pt_regs(current);
	const u64 __user *top = (void __user *)user_stack_pointer(regs);
	u64 word, h = 0;
	size_t i;

	h = stack_hash(h, instruction_pointer(regs));
	h = stack_hash(h, user_stack_pointer(regs));
#ifdef CONFIG_ARM64
	/* Where a leaf function returns to. */
	h = stack_hash(h, regs->regs[30]);
#endif
	/* Each fault of a row comes here: word by word is the fastest. */
	pagefault_disable();
	if (!user_read_access_begin(top, PLACE_WORDS * sizeof(*top)))
		goto err_enable;
	for (i = 0; i < PLACE_WORDS; i++) {
		unsafe_get_user(word, top + i, err_end);
		h = stack_hash(h ^ h >> 32, word);
	}
	user_read_access_end();
	pagefault_enable();
	return h ? h : 1;

err_end:
	user_read_access_end();
err_enable:
	pagefault_enable();
	return 0;
}

/**
 * heapsim_stack_now() - have the calling thread note its stack
 * @signal: that asks it to, 0: nobody does
 *
 * Context: any of a thread, also under locks.
 * Return: a number, never used again while the module lives; 0: nobody asked
 * for stacks of the process, it takes no signal now, or there is no memory.
 */
u64 heapsim_stack_now(int signal)
{
	unsigned long flags;
	struct stack *s;
	u64 id;

	if (!signal ||
	    current->flags & (PF_KTHREAD | PF_USER_WORKER | PF_EXITING))
		return 0;
	id = stack_find();
	if (id || !stack_is_taken(signal, &flags))
		return id;
	s = kmalloc(sizeof(*s), GFP_NOWAIT | __GFP_NOWARN);
	if (!s)
		return 0;
	init_task_work(&s->work, stack_signal);
	s->task = current;
	s->ip = instruction_pointer(task_pt_regs(current));
	s->signal = signal;
	/* In the table first: the work takes it out. */
	id = stack_add(s);
	/* Whose buffer this is about has a reference. */
	__module_get(THIS_MODULE);
	WRITE_ONCE(had_stacks, true);
	if (!task_work_add(current, &s->work, TWA_RESUME))
		return id;
	spin_lock(&stacks_lock);
	hash_del(&s->node);
	spin_unlock(&stacks_lock);
	kfree(s);
	module_put(THIS_MODULE);
	return 0;
}

/**
 * heapsim_stack_fini() - see the last thread off
 *
 * Each had a reference of the module. What may still run is the end of the
 * function that let go of it: it does not sleep any more.
 */
void heapsim_stack_fini(void)
{
	if (READ_ONCE(had_stacks))
		synchronize_rcu_tasks();
}
