// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The calling thread's signal mask, around the locks of the library.
 *
 * The mask is set by the system call itself: the C library's function is one
 * that libmem-trap replaces.
 */
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "internal.h"

static void sigmask_set(int how, const sigset_t *set, sigset_t *old)
{
	syscall(SYS_rt_sigprocmask, how, set, old, _NSIG / 8);
}

/**
 * signals_block() - block signals before a lock is taken
 * @old: out: the previous mask, for signals_restore()
 *
 * A signal handler that ran while the lock is held could touch the window, and
 * would then need a lock of the embedded backend. Synchronous signals stay
 * unblocked: if they were blocked, the kernel would end the process.
 *
 * Context: any.
 */
void signals_block(sigset_t *old)
{
	sigset_t all;

	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGFPE);
	sigdelset(&all, SIGILL);
	sigdelset(&all, SIGSYS);
	sigdelset(&all, SIGTRAP);
	sigmask_set(SIG_SETMASK, &all, old);
}

/**
 * signals_restore() - restore the mask after the lock is released
 * @old: from signals_block()
 *
 * Context: any.
 */
void signals_restore(const sigset_t *old)
{
	sigmask_set(SIG_SETMASK, old, NULL);
}
