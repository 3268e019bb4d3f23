// SPDX-License-Identifier: GPL-2.0-only
/*
 * User stacks for records. The kernel cannot unwind user stacks built without
 * frame pointers, so the program unwinds its own stack. A thread whose action
 * is noted gets a number, and a signal with that number on its way back to user
 * space. The signal is not sent at once, because a pending signal would
 * interrupt the system call.
 *
 * Everything that a thread does between entering and leaving the kernel has the
 * same stack: it gets one number and one signal.
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

/*
 * Room on the stack for a signal frame with all registers and for the unwinder
 * of libgcc.
 */
#define ROOM	SZ_16K

#define PLACE_WORDS	32	/* top of the stack, hashed */

/**
 * struct stack - a thread that will get a stack signal
 * @work: sends the signal
 * @node: entry in stacks
 * @task: thread
 * @ip: instruction that it is at
 * @id: number of the stack
 * @signal: signal to send
 */
struct stack {
	struct callback_head work;
	struct hlist_node node;
	struct task_struct *task;
	u64 ip;
	u64 id;
	int signal;
};

static DEFINE_SPINLOCK(stacks_lock);	/* protects the variables below */
static DEFINE_HASHTABLE(stacks, 6);
static u64 nr_accesses;		/* numbers given to stacks of accesses */
static u64 nr_calls;		/* numbers given to stacks of system calls */

static bool had_stacks;

/*
 * Returns true if the calling thread has a handler for stack signals and does
 * not block the signal. Otherwise the signal would kill the thread or be
 * delivered too late. @flags_of_handler: out: SA_* flags.
 */
static bool stack_is_taken(int signal, unsigned long *flags_of_handler)
{
	/*
	 * Valid without a lock: it is the current thread's, until it is reaped.
	 */
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
 * Returns true if a driver maps memory there. Probing it would count as an
 * access by the program, and a page of a buffer may be mapped for one step
 * only.
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
 * Returns true if there is room for the signal frame and a handler that unwinds
 * the stack. Without room the thread would be killed, or memory below a small
 * stack would be overwritten. Memory below the stack pointer may be live, so it
 * is not written: the first probe reads it, which grows the stack as only a
 * real access does, and finds guard pages; the second one finds read-only
 * pages.
 */
static bool stack_has_room(unsigned long flags)
{
	unsigned long sp = current_user_stack_pointer();
	const unsigned long low = current->sas_ss_sp;
	const unsigned long size = current->sas_ss_size;
	const char __user *from;

	if (flags & SA_ONSTACK && !sas_ss_flags(sp))
		sp = low + size;	/* the handler runs there */
	if (size && sp - low <= size && sp - low < ROOM)
		return false;
	if (sp <= ROOM)
		return false;
	from = (const char __user *)sp - ROOM;
	return !stack_is_device_memory(sp - ROOM, sp) &&
	       !fault_in_readable(from, ROOM) &&
	       !fault_in_safe_writeable(from, ROOM);
}

/* Returns true if the calling thread will return to user space. */
static bool stack_is_needed(void)
{
	return current->mm && !(current->flags & PF_EXITING) &&
	       !fatal_signal_pending(current);
}

/*
 * Runs in the noted thread, without locks. The thread stays in the table until
 * the end: if probing its stack faults in a buffer, it must not be noted again,
 * or this would be repeated for ever.
 */
static void stack_signal(struct callback_head *work)
{
	struct stack *s = container_of(work, struct stack, work);
	struct kernel_siginfo info;
	unsigned long flags;

	/* An exec may have removed the handler. */
	if (stack_is_needed() && stack_is_taken(s->signal, &flags) &&
	    stack_has_room(flags)) {
		clear_siginfo(&info);
		info.si_signo = s->signal;
		info.si_code = HEAPSIM_SI_STACK;
		/*
		 * When the signal is handled, the thread may be at another
		 * instruction.
		 */
		info.si_pid = lower_32_bits(s->ip);
		info.si_uid = upper_32_bits(s->ip);
		info.si_value.sival_ptr = (void __user *)(uintptr_t)s->id;
		send_sig_info(s->signal, &info, current);
	}
	spin_lock(&stacks_lock);
	hash_del(&s->node);
	spin_unlock(&stacks_lock);
	kfree(s);
	/* The module may be unloaded from here on, see heapsim_stack_fini(). */
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
 * There are many accesses, and their stacks are soon not needed any more.
 * Stacks of brackets, maps and submissions may be needed much later. They are
 * numbered separately, so that a program that keeps the last of each keeps
 * enough of both.
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

/* No function may be called between user_read_access_begin() and _end(). */
static __always_inline u64 stack_hash(u64 h, u64 word)
{
	return (h ^ word) * 0x9e3779b97f4a7c15ULL;
}

/**
 * heapsim_stack_place() - identify the place of the calling thread, cheaply
 *
 * Hashes the instruction pointer and the top of the stack, which holds return
 * addresses and variables. One place may give several values, but different
 * places hardly give the same.
 *
 * Context: any of a thread; reads user memory without faulting.
 * Return: hash, or 0 if the stack cannot be read.
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
	/* The return address of a leaf function. */
	h = stack_hash(h, regs->regs[30]);
#endif
	/*
	 * Called for each fault of a row of stores; reading single words is
	 * fastest.
	 */
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
 * heapsim_stack_now() - make the calling thread record its stack
 * @signal: stack signal; 0 if no watcher wants stacks
 *
 * Context: any of a thread, including with locks held.
 * Return: number that is not reused while the module is loaded; 0 if no watcher
 * wants stacks, if the thread cannot take the signal now, or without memory.
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
	/* Added before the work is queued, which removes it. */
	id = stack_add(s);
	/* The buffer that is accessed has a reference to the module. */
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
 * heapsim_stack_fini() - wait for the last thread
 *
 * Each thread had a reference to the module. What may still run is the end of
 * the function that dropped it, which does not sleep.
 */
void heapsim_stack_fini(void)
{
	if (READ_ONCE(had_stacks))
		synchronize_rcu_tasks();
}
