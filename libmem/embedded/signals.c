// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The application's signals and ours. SIGSEGV is ours once a context is there;
 * what is not a touch of the window goes to the handler that the application
 * asked for. To that end libmem-trap passes its calls of sigaction() and
 * signal() on to this file; all but what concerns SIGSEGV goes to the kernel.
 * SIGSEGV stays unblocked: the kernel ends a process that touches a page
 * without access while it is blocked.
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
	atomic_bool is_ours;		/* SIGSEGV */
	/* by signal: the application wants SIGSEGV blocked meanwhile */
	atomic_bool blocks_ours[_NSIG];

	atomic_flag lock;
	struct sigaction theirs;	/* for SIGSEGV */
} IN_OWN_PAGES signals = {
	.lock = ATOMIC_FLAG_INIT,
};

/* A few instructions, with all signals blocked: nobody waits for long. */
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

/* The thread that holds it may not be there. */
static void unlock_in_child(void)
{
	atomic_flag_clear(&signals.lock);
}

static struct sigaction exchange_theirs(const struct sigaction *action)
{
	struct sigaction was, new = { .sa_handler = SIG_DFL };
	sigset_t old;

	/* The caller's memory: not under the lock. */
	if (action)
		new = *action;
	lock(&old);
	was = signals.theirs;
	if (action)
		signals.theirs = new;
	unlock(&old);
	return was;
}

/* As the kernel would: what the signal does where nobody handles it. */
static void act_by_default(int signal, const siginfo_t *info)
{
	const struct sigaction none = { .sa_handler = SIG_DFL };

	__sigaction(signal, &none, NULL);
	/* One that was sent does not come again by itself. */
	if (info->si_code <= 0)
		raise(signal);
}

/*
 * Blocked, these end a process that touches a page without access, or whose
 * system calls are handed to the library (clone.c).
 */
static void leave_unblocked(sigset_t *mask)
{
	sigdelset(mask, SIGSEGV);
	sigdelset(mask, SIGSYS);
}

/* With the mask that the kernel would have set, but for those. */
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

/* As the kernel tells of memory that a driver refuses. */
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
	/* First: errno may be in such a page. */
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

/* Handlers from before: SIGSEGV stays unblocked in them, too. */
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
 * signals_init() - take SIGSEGV over, for good
 *
 * Context: once.
 * Return: 0 or -errno.
 */
int signals_init(void)
{
	struct sigaction action = {
		.sa_sigaction = on_segv,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART,
	};
	int signal;

	sigfillset(&action.sa_mask);
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
 * signals_are_seen() - find out if the application's calls come by here
 *
 * The order of objects does not say it: the dynamic linker moves an auxiliary
 * library that was preloaded behind the C library, where it lists it, not where
 * it looks symbols up.
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
 * @signal: any
 * @action: new one, or NULL
 * @old: out: previous one, or NULL
 *
 * Context: any, also a signal handler.
 * Return: 0, or -1 and errno.
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
