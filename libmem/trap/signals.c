// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Wrappers of C library calls that concern signals, and the operations that all
 * wrappers call. libmem.a contains this file, too.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ops.h"

static const struct trap_ops *_Atomic current;

/**
 * trap_ops() - return what libmem does about calls
 *
 * Context: any.
 * Return: NULL as long as there is no embedded context.
 */
const struct trap_ops *trap_ops(void)
{
	return atomic_load_explicit(&current, memory_order_acquire);
}

/**
 * libmem_trap_set() - set the operations that the wrappers call
 * @ops: operations; stay valid until the process ends
 *
 * Only libmem calls this, and only one libmem in a process.
 *
 * Context: any thread.
 */
TRAP_API void libmem_trap_set(const struct trap_ops *ops)
{
	atomic_store_explicit(&current, ops, memory_order_release);
}

TRAP_API int sigaction(int signal, const struct sigaction *action,
		       struct sigaction *old)
{
	const struct trap_ops *ops = trap_ops();

	return ops ? ops->sigaction(signal, action, old) :
		     __sigaction(signal, action, old);
}

/* @action: contains the flags and the mask */
static sighandler_t trap_set_handler(int signal, sighandler_t handler,
				     struct sigaction *action)
{
	struct sigaction old;

	action->sa_handler = handler;
	return sigaction(signal, action, &old) ? SIG_ERR : old.sa_handler;
}

/* Has BSD's semantics, as glibc's signal() has by default. */
TRAP_API sighandler_t signal(int signal, sighandler_t handler)
{
	struct sigaction action = { .sa_flags = SA_RESTART };

	sigaddset(&action.sa_mask, signal);
	return trap_set_handler(signal, handler, &action);
}

/* Has System V's semantics, as signal() has under strict ISO C. */
sighandler_t __sysv_signal(int signal, sighandler_t handler);

TRAP_API sighandler_t __sysv_signal(int signal, sighandler_t handler)
{
	struct sigaction action = { .sa_flags = SA_RESETHAND | SA_NODEFER };

	return trap_set_handler(signal, handler, &action);
}

TRAP_API sighandler_t sysv_signal(int signal, sighandler_t handler)
{
	return __sysv_signal(signal, handler);
}

/*
 * Keeps SIGSEGV unblocked, since libmem finds accesses by their faults. Also
 * without a context: threads keep their mask when there is one.
 */
TRAP_API int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	/* Only so much of a set is the kernel's. */
	unsigned long copy = 0, was;

	if (set)
		memcpy(&copy, set, sizeof(copy));
	if (how == SIG_BLOCK || how == SIG_SETMASK) {
		copy &= ~(1UL << (SIGSEGV - 1));
		/* The C library reserves 32 and 33 and never blocks them. */
		copy &= ~(3UL << 31);
	}
	/* Tracked memory is accessed here, where a page can be made ready. */
	if (syscall(SYS_rt_sigprocmask, how, set ? &copy : NULL, &was,
		    sizeof(was)))
		return errno;
	if (old)
		memcpy(old, &was, sizeof(was));
	return 0;
}

TRAP_API int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	int err = pthread_sigmask(how, set, old);

	if (!err)
		return 0;
	errno = err;
	return -1;
}
