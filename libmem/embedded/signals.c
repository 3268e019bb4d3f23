// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The application's signals. Once a context exists, SIGSEGV belongs to the
 * library; a SIGSEGV that is not a touch of the window is passed on to the
 * handler that the application has installed. For this, libmem-trap passes the
 * application's calls of sigaction() and signal() to this file, which forwards
 * those that do not concern SIGSEGV to the kernel. SIGSEGV is never blocked:
 * the kernel ends a process that touches a page without access while it is
 * blocked.
 *
 * The lock protects the application's action; handlers read a copy.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "embedded.h"

static struct {
	atomic_bool is_ours;		/* SIGSEGV belongs to the library */
	/* by signal: its handler is to block SIGSEGV */
	atomic_bool blocks_ours[_NSIG];

	atomic_flag lock;
	struct sigaction theirs;	/* the application's for SIGSEGV */
} IN_OWN_PAGES signals = {
	.lock = ATOMIC_FLAG_INIT,
};

/* A spin lock: it is held for a few instructions, with signals blocked. */
static void lock(sigset_t *old)
{
	signals_block(old);
	while (atomic_flag_test_and_set_explicit(&signals.lock,
						 memory_order_acquire))
		;
}

static void unlock(const sigset_t *old)
{
	atomic_flag_clear_explicit(&signals.lock, memory_order_release);
	signals_restore(old);
}

/* The thread that held the lock may not exist in the child. */
static void unlock_in_child(void)
{
	atomic_flag_clear(&signals.lock);
}

static struct sigaction exchange_theirs(const struct sigaction *action)
{
	struct sigaction was, new = { .sa_handler = SIG_DFL };
	sigset_t old;

	/* Reading memory of the caller may fault: not under the lock. */
	if (action)
		new = *action;
	lock(&old);
	was = signals.theirs;
	if (action)
		signals.theirs = new;
	unlock(&old);
	return was;
}

/* Performs the default action of the signal. */
static void act_by_default(int signal, const siginfo_t *info)
{
	const struct sigaction none = { .sa_handler = SIG_DFL };

	__sigaction(signal, &none, NULL);
	/* A signal that was sent is not raised again by the instruction. */
	if (info->si_code <= 0)
		raise(signal);
}

/*
 * If they are blocked, a touch of a page without access ends the process, and
 * so does a system call that the kernel passes to the library (clone.c).
 */
static void leave_unblocked(sigset_t *mask)
{
	sigdelset(mask, SIGSEGV);
	sigdelset(mask, SIGSYS);
}

/* Calls the application's handler with its mask, except for these signals. */
static void pass_on(int signal, siginfo_t *info, ucontext_t *context)
{
	struct sigaction theirs = exchange_theirs(NULL);
	sigset_t mask;

	if (theirs.sa_handler == SIG_IGN && info->si_code <= 0)
		return;
	if (theirs.sa_handler == SIG_DFL || theirs.sa_handler == SIG_IGN) {
		engine_leave_kernel(signal, info, context);
		act_by_default(signal, info);
		return;
	}
	if (theirs.sa_flags & SA_RESETHAND)
		exchange_theirs(&(struct sigaction) { .sa_handler = SIG_DFL });
	sigorset(&mask, &context->uc_sigmask, &theirs.sa_mask);
	leave_unblocked(&mask);
	signals_restore(&mask);
	if (theirs.sa_flags & SA_SIGINFO)
		theirs.sa_sigaction(signal, info, context);
	else
		theirs.sa_handler(signal);
}

/* Raises SIGBUS, as the kernel does for memory that a driver refuses. */
static void refuse(const siginfo_t *info, ucontext_t *context)
{
	siginfo_t bus = { 0 };
	struct sigaction theirs;
	sigset_t mask;

	bus.si_signo = SIGBUS;
	bus.si_code = BUS_ADRERR;
	bus.si_addr = info->si_addr;
	__sigaction(SIGBUS, NULL, &theirs);
	if (theirs.sa_handler == SIG_DFL || theirs.sa_handler == SIG_IGN ||
	    sigismember(&context->uc_sigmask, SIGBUS) == 1) {
		theirs.sa_handler = SIG_DFL;
		__sigaction(SIGBUS, &theirs, NULL);
		sigdelset(&context->uc_sigmask, SIGBUS);
		syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGBUS,
			&bus);
		return;
	}
	if (theirs.sa_flags & SA_RESETHAND)
		__sigaction(SIGBUS,
			    &(struct sigaction) { .sa_handler = SIG_DFL },
			    NULL);
	sigorset(&mask, &context->uc_sigmask, &theirs.sa_mask);
	if (!(theirs.sa_flags & SA_NODEFER))
		sigaddset(&mask, SIGBUS);
	leave_unblocked(&mask);
	signals_restore(&mask);
	if (theirs.sa_flags & SA_SIGINFO)
		theirs.sa_sigaction(SIGBUS, &bus, context);
	else
		theirs.sa_handler(SIGBUS);
}

static void on_segv(int signal, siginfo_t *info, void *context)
{
	/* First, because errno may be in such a page. */
	if (info->si_code == SEGV_MAPERR &&
	    fork_restore_at((uintptr_t)info->si_addr))
		return;
	switch (fault_handle(info, context)) {
	case FAULT_READY:
		break;
	case FAULT_REFUSED:
		refuse(info, context);
		break;
	case FAULT_STRANGE:
		pass_on(signal, info, context);
		break;
	}
}

static void without_ours(struct sigaction *action, int signal)
{
	const bool blocks = sigismember(&action->sa_mask, SIGSEGV) == 1;

	atomic_store(&signals.blocks_ours[signal], blocks);
	sigdelset(&action->sa_mask, SIGSEGV);
}

/* Handlers that exist already: they must not block SIGSEGV either. */
static void adopt(int signal)
{
	struct sigaction action;

	if (__sigaction(signal, NULL, &action) ||
	    action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN ||
	    sigismember(&action.sa_mask, SIGSEGV) != 1)
		return;
	without_ours(&action, signal);
	__sigaction(signal, &action, NULL);
}

/**
 * signals_init() - take over SIGSEGV until the process ends
 *
 * Context: called once.
 * Return: 0 or -errno.
 */
int signals_init(void)
{
	struct sigaction action = {
		.sa_sigaction = on_segv,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART,
	};
	int signal;

	/* Also those of the C library, one of which cancels a thread. */
	memset(&action.sa_mask, 0xff, sizeof(action.sa_mask));
	leave_unblocked(&action.sa_mask);
	for (signal = 1; signal < _NSIG; signal++)
		if (signal != SIGSEGV)
			adopt(signal);
	if (pthread_atfork(NULL, NULL, unlock_in_child))
		return -ENOMEM;
	if (__sigaction(SIGSEGV, &action, &signals.theirs))
		return -errno;
	atomic_store(&signals.is_ours, true);
	libmem_trap_set(&syscall_ops);
	signal_unblock(SIGSEGV);
	return 0;
}

/**
 * signals_are_seen() - check whether the application's calls pass through here
 *
 * The list of loaded objects does not tell: the dynamic linker lists an
 * auxiliary library that was preloaded behind the C library, although it looks
 * symbols up in it first.
 *
 * Context: any thread; not a signal handler.
 * Return: false if the C library's functions are found before those of
 * libmem-trap.
 */
bool signals_are_seen(void)
{
	return dlsym(RTLD_DEFAULT, "sigaction") != (void *)__sigaction;
}

static bool is_ours(int signal)
{
	return signal == SIGSEGV && atomic_load(&signals.is_ours);
}

/**
 * signals_action() - sigaction() of the application
 * @signal: any number
 * @action: new one, or NULL
 * @old: out: previous one, or NULL
 *
 * Context: any, including signal handlers.
 * Return: 0, or -1 with errno set.
 */
int signals_action(int signal, const struct sigaction *action,
		   struct sigaction *old)
{
	struct sigaction copy;
	bool blocked = false;
	int ret;

	if (is_ours(signal)) {
		copy = exchange_theirs(action);
		if (old)
			*old = copy;
		return 0;
	}
	if (signal <= 0 || signal >= _NSIG || !atomic_load(&signals.is_ours))
		return __sigaction(signal, action, old);
	blocked = atomic_load(&signals.blocks_ours[signal]);
	if (action) {
		copy = *action;
		without_ours(&copy, signal);
	}
	ret = __sigaction(signal, action ? &copy : NULL, old);
	if (ret)
		atomic_store(&signals.blocks_ours[signal], blocked);
	else if (old && blocked)
		sigaddset(&old->sa_mask, SIGSEGV);
	return ret;
}
