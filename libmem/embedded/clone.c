// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Runs a function at the moment at which a thread creates a child. fork() takes
 * the locks of the C library's heap after all fork handlers, so only at its
 * system call do other threads no longer change the heap. The kernel can pass a
 * thread's system calls to the process as SIGSYS (PR_SET_SYSCALL_USER_DISPATCH,
 * Linux 5.11 on x86). The instruction is then repeated.
 *
 * One thread at a time; the caller's lock protects all variables.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "embedded.h"

#if defined(__x86_64__) && defined(PR_SET_SYSCALL_USER_DISPATCH)

/* Length of the instruction that makes a system call. */
#define CALL_LEN	2
/* Length that contains the C library's code by which a handler returns. */
#define RESTORER_LEN	16

#define CODE_USER_DISPATCH	2	/* si_code of SIGSYS */

/** struct kernel_action - the struct of SYS_rt_sigaction */
struct kernel_action {
	void *handler;
	unsigned long flags;
	void *restorer;
	unsigned long mask;
};

static struct {
	void (*what)(void);
	volatile char selector;
	struct sigaction theirs;
} IN_OWN_PAGES watched;

static bool clone_is_fork(const siginfo_t *info, const greg_t *regs)
{
	uint64_t flags = 0;

	if (info->si_syscall == SYS_clone)
		flags = regs[REG_RDI];
	else if (info->si_syscall == SYS_clone3)
		flags = ((const struct clone_args *)regs[REG_RDI])->flags;
	else
		return info->si_syscall == SYS_fork;
	return !(flags & CLONE_VM);
}

/* System calls of other fork handlers, which our handler makes itself. */
static bool clone_is_plain(int call)
{
	switch (call) {
	case SYS_brk:
	case SYS_close:
	case SYS_futex:
	case SYS_getpid:
	case SYS_gettid:
	case SYS_madvise:
	case SYS_mmap:
	case SYS_mprotect:
	case SYS_munmap:
	case SYS_read:
	case SYS_rt_sigprocmask:
	case SYS_sched_yield:
	case SYS_write:
		return true;
	}
	return false;
}

static void clone_stop(void)
{
	prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0);
}

static void clone_make_call(int call, ucontext_t *context)
{
	greg_t *regs = context->uc_mcontext.gregs;
	const int err = errno;
	const long ret = syscall(call, regs[REG_RDI], regs[REG_RSI],
				 regs[REG_RDX], regs[REG_R10], regs[REG_R8],
				 regs[REG_R9]);

	regs[REG_RAX] = ret == -1 ? -errno : ret;
	errno = err;
	if (call != SYS_rt_sigprocmask)
		return;
	/*
	 * The new mask has to go into the context, from which it is set when
	 * the handler returns. Newer C libraries block all signals in fork();
	 * SIGSYS stays unblocked, because the kernel kills a process to which
	 * it sends a blocked SIGSYS.
	 */
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &context->uc_sigmask,
		_NSIG / 8);
	sigdelset(&context->uc_sigmask, SIGSYS);
}

/* A SIGSYS with another cause: acts as if there were no handler. */
static void clone_act_by_default(int signal)
{
	__sigaction(signal, &watched.theirs, NULL);
	raise(signal);
}

static void clone_on_call(int signal, siginfo_t *info, void *arg)
{
	ucontext_t *context = arg;

	if (info->si_code != CODE_USER_DISPATCH) {
		clone_act_by_default(signal);
		return;
	}
	watched.selector = SYSCALL_DISPATCH_FILTER_ALLOW;
	if (clone_is_plain(info->si_syscall)) {
		clone_make_call(info->si_syscall, context);
		watched.selector = SYSCALL_DISPATCH_FILTER_BLOCK;
		return;
	}
	if (clone_is_fork(info, context->uc_mcontext.gregs))
		watched.what();
	clone_stop();
	context->uc_mcontext.gregs[REG_RIP] -= CALL_LEN;
	context->uc_mcontext.gregs[REG_RAX] = info->si_syscall;
}

/**
 * clone_watch() - call a function just before this thread creates a child
 * @what: function, called in a signal handler
 *
 * The caller makes no system call between this and its return to fork(). In a
 * program that handles SIGSYS itself, @what is not called.
 *
 * Context: in a fork handler, between signals_block() and signals_restore();
 * clone_unwatch() follows in parent and child.
 */
void clone_watch(void (*what)(void))
{
	/* The handler must not change the mask that the thread's calls see. */
	const struct sigaction action = {
		.sa_sigaction = clone_on_call,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER,
	};
	struct kernel_action kernel;

	watched.what = NULL;
	if (__sigaction(SIGSYS, NULL, &watched.theirs) ||
	    watched.theirs.sa_handler != SIG_DFL ||
	    __sigaction(SIGSYS, &action, NULL))
		return;
	watched.what = what;
	watched.selector = SYSCALL_DISPATCH_FILTER_ALLOW;
	if (syscall(SYS_rt_sigaction, SIGSYS, NULL, &kernel, _NSIG / 8) ||
	    prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON,
		  kernel.restorer, RESTORER_LEN, &watched.selector))
		return;
	watched.selector = SYSCALL_DISPATCH_FILTER_BLOCK;
}

/**
 * clone_unwatch() - end clone_watch(), whether the child was created or not
 *
 * Context: as clone_watch(), in the thread that called it or in its child.
 */
void clone_unwatch(void)
{
	if (!watched.what)
		return;
	watched.selector = SYSCALL_DISPATCH_FILTER_ALLOW;
	clone_stop();
	__sigaction(SIGSYS, &watched.theirs, NULL);
	watched.what = NULL;
}

#else

void clone_watch(void (*what)(void))
{
	(void)what;
}

void clone_unwatch(void)
{
}

#endif
