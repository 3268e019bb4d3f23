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
 * Once a context tracks accesses precisely (step.c), SIGTRAP belongs to the
 * library, too. Handlers of other synchronous signals are called by one of the
 * library, because the instruction of a step may cause these signals.
 *
 * The lock protects the application's actions; handlers read a copy.
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
	atomic_bool has_traps;		/* SIGTRAP does */
	/* by signal: its handler is to block SIGSEGV */
	atomic_bool blocks_ours[_NSIG];

	atomic_flag lock;
	/* by signal: the application's, if a handler of the library is set */
	struct sigaction theirs[SIGSEGV + 1];
} IN_OWN_PAGES signals = {
	.lock = ATOMIC_FLAG_INIT,
};

/* A spin lock: it is held for a few instructions, with signals blocked. */
static void signals_lock(sigset_t *old)
{
	signals_block(old);
	while (atomic_flag_test_and_set_explicit(&signals.lock,
						 memory_order_acquire))
		;
}

static void signals_unlock(const sigset_t *old)
{
	atomic_flag_clear_explicit(&signals.lock, memory_order_release);
	signals_restore(old);
}

/* The thread that held the lock may not exist in the child. */
static void signals_unlock_in_child(void)
{
	atomic_flag_clear(&signals.lock);
}

static struct sigaction signals_exchange_theirs(int signal,
						const struct sigaction *action)
{
	struct sigaction was, new = { .sa_handler = SIG_DFL };
	sigset_t old;

	/* Reading memory of the caller may fault: not under the lock. */
	if (action)
		new = *action;
	signals_lock(&old);
	was = signals.theirs[signal];
	if (action)
		signals.theirs[signal] = new;
	signals_unlock(&old);
	return was;
}

/* Performs the default action of the signal. */
static void signals_act_by_default(int signal, const siginfo_t *info)
{
	const struct sigaction none = { .sa_handler = SIG_DFL };

	__sigaction(signal, &none, NULL);
	/* A signal that was sent, or a trap, is not raised again. */
	if (info->si_code <= 0 || signal == SIGTRAP)
		raise(signal);
}

/*
 * If they are blocked, a touch of a page without access ends the process, and
 * so does a system call that the kernel passes to the library (clone.c).
 */
static void signals_leave_unblocked(sigset_t *mask)
{
	sigdelset(mask, SIGSEGV);
	sigdelset(mask, SIGSYS);
}

/* Calls the application's handler with its mask, except for these signals. */
static void signals_pass_on(int signal, siginfo_t *info, ucontext_t *context)
{
	const struct sigaction by_default = { .sa_handler = SIG_DFL };
	struct sigaction theirs = signals_exchange_theirs(signal, NULL);
	sigset_t mask;

	if (theirs.sa_handler == SIG_IGN && info->si_code <= 0)
		return;
	if (theirs.sa_handler == SIG_DFL || theirs.sa_handler == SIG_IGN) {
		engine_leave_kernel(signal, info, context);
		signals_act_by_default(signal, info);
		return;
	}
	if (theirs.sa_flags & SA_RESETHAND)
		signals_exchange_theirs(signal, &by_default);
	sigorset(&mask, &context->uc_sigmask, &theirs.sa_mask);
	if (signal == SIGTRAP && !(theirs.sa_flags & SA_NODEFER))
		sigaddset(&mask, SIGTRAP);
	signals_leave_unblocked(&mask);
	signals_restore(&mask);
	if (theirs.sa_flags & SA_SIGINFO)
		theirs.sa_sigaction(signal, info, context);
	else
		theirs.sa_handler(signal);
}

/* Raises SIGBUS, as the kernel does for memory that a driver refuses. */
static void signals_refuse(const siginfo_t *info, ucontext_t *context)
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
	signals_leave_unblocked(&mask);
	signals_restore(&mask);
	if (theirs.sa_flags & SA_SIGINFO)
		theirs.sa_sigaction(SIGBUS, &bus, context);
	else
		theirs.sa_handler(SIGBUS);
}

static void signals_on_segv(int signal, siginfo_t *info, void *context)
{
	/* First, because errno may be in such a page. */
	if (info->si_code == SEGV_MAPERR &&
	    fork_restore_at((uintptr_t)info->si_addr))
		return;
	switch (fault_handle(info, context)) {
	case FAULT_READY:
	case FAULT_WATCHED:
		break;
	case FAULT_REFUSED:
		step_disarm(context);
		signals_refuse(info, context);
		break;
	case FAULT_STRANGE:
		step_disarm(context);
		signals_pass_on(signal, info, context);
		break;
	}
}

static void signals_on_trap(int signal, siginfo_t *info, void *context)
{
	const int err = errno;
	const bool is_done = step_end(info, context);

	errno = err;
	if (!is_done)
		signals_pass_on(signal, info, context);
}

/*
 * A signal that the instruction of a step may cause. It was delivered with the
 * mask of the step, if there was one.
 */
static void signals_on_other(int signal, siginfo_t *info, void *arg)
{
	const struct sigaction theirs = signals_exchange_theirs(signal, NULL);
	ucontext_t *context = arg;
	const int err = errno;
	sigset_t mask;

	if (step_disarm(context)) {
		sigorset(&mask, &context->uc_sigmask, &theirs.sa_mask);
		if (!(theirs.sa_flags & SA_NODEFER))
			sigaddset(&mask, signal);
		signals_leave_unblocked(&mask);
		signals_restore(&mask);
	}
	errno = err;
	if (theirs.sa_flags & SA_SIGINFO)
		theirs.sa_sigaction(signal, info, context);
	else
		theirs.sa_handler(signal);
}

static const int others[] = { SIGBUS, SIGFPE, SIGILL };

static bool signals_is_other(int signal)
{
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i] == signal)
			return atomic_load(&signals.has_traps);
	return false;
}

static bool signals_is_function(const struct sigaction *action)
{
	return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
}

/*
 * Sets an action, with a handler of the library in the place of the program's.
 * The caller must hold the lock. @action, @old: may be NULL.
 */
static int signals_set_other(int signal, const struct sigaction *action,
			     struct sigaction *old)
{
	struct sigaction *theirs = &signals.theirs[signal];
	const struct sigaction was = *theirs;
	struct sigaction ours, before;

	if (action && signals_is_function(action)) {
		ours = *action;
		ours.sa_sigaction = signals_on_other;
		ours.sa_flags |= SA_SIGINFO;
		*theirs = *action;
		action = &ours;
	}
	if (__sigaction(signal, action, &before)) {
		*theirs = was;
		return -1;
	}
	if (before.sa_sigaction == signals_on_other) {
		before.sa_sigaction = was.sa_sigaction;
		before.sa_flags = was.sa_flags;
	}
	if (old)
		*old = before;
	return 0;
}

static int signals_exchange_action(int signal, const struct sigaction *action,
				   struct sigaction *old)
{
	struct sigaction was;
	sigset_t mask;
	int ret;

	if (!signals_is_other(signal))
		return __sigaction(signal, action, old);
	signals_lock(&mask);
	ret = signals_set_other(signal, action, &was);
	signals_unlock(&mask);
	if (!ret && old)
		*old = was;
	return ret;
}

static void signals_without_ours(struct sigaction *action, int signal)
{
	const bool blocks = sigismember(&action->sa_mask, SIGSEGV) == 1;

	atomic_store(&signals.blocks_ours[signal], blocks);
	sigdelset(&action->sa_mask, SIGSEGV);
}

/* Handlers that exist already: they must not block SIGSEGV either. */
static void signals_adopt(int signal)
{
	struct sigaction action;

	if (__sigaction(signal, NULL, &action) ||
	    action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN ||
	    sigismember(&action.sa_mask, SIGSEGV) != 1)
		return;
	signals_without_ours(&action, signal);
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
		.sa_sigaction = signals_on_segv,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART,
	};
	int signal;

	/* Also those of the C library, one of which cancels a thread. */
	memset(&action.sa_mask, 0xff, sizeof(action.sa_mask));
	signals_leave_unblocked(&action.sa_mask);
	for (signal = 1; signal < _NSIG; signal++)
		if (signal != SIGSEGV)
			signals_adopt(signal);
	if (pthread_atfork(NULL, NULL, signals_unlock_in_child))
		return -ENOMEM;
	if (__sigaction(SIGSEGV, &action, &signals.theirs[SIGSEGV]))
		return -errno;
	atomic_store(&signals.is_ours, true);
	libmem_trap_set(&syscall_ops);
	return 0;
}

/* The lock is held. */
static int signals_take_traps_locked(void)
{
	struct sigaction action = {
		.sa_sigaction = signals_on_trap,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART,
	};
	struct sigaction theirs;
	size_t i;

	memset(&action.sa_mask, 0xff, sizeof(action.sa_mask));
	signals_leave_unblocked(&action.sa_mask);
	if (__sigaction(SIGTRAP, &action, &signals.theirs[SIGTRAP]))
		return -errno;
	atomic_store(&signals.has_traps, true);
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!__sigaction(others[i], NULL, &theirs) &&
		    signals_is_function(&theirs))
			signals_set_other(others[i], &theirs, NULL);
	return 0;
}

/**
 * signals_take_traps() - take over SIGTRAP until the process ends
 *
 * Context: after signals_init(); any thread; not a signal handler.
 * Return: 0 or -errno.
 */
int signals_take_traps(void)
{
	sigset_t old;
	int err = 0;

	signals_lock(&old);
	if (!atomic_load(&signals.has_traps))
		err = signals_take_traps_locked();
	signals_unlock(&old);
	return err;
}

/**
 * signals_has_traps() - check whether SIGTRAP reaches the library
 *
 * Context: any, including signal handlers.
 * Return: false if the program has replaced the handler by a system call.
 */
bool signals_has_traps(void)
{
	struct sigaction action;

	return !__sigaction(SIGTRAP, NULL, &action) &&
	       action.sa_sigaction == signals_on_trap;
}

/**
 * signals_are_seen() - check whether the application's calls pass through here
 *
 * The list of loaded objects does not show it: the dynamic linker lists an
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

static bool signals_is_ours(int signal)
{
	return (signal == SIGSEGV && atomic_load(&signals.is_ours)) ||
	       (signal == SIGTRAP && atomic_load(&signals.has_traps));
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

	if (signals_is_ours(signal)) {
		copy = signals_exchange_theirs(signal, action);
		if (old)
			*old = copy;
		return 0;
	}
	if (signal <= 0 || signal >= _NSIG || !atomic_load(&signals.is_ours))
		return __sigaction(signal, action, old);
	blocked = atomic_load(&signals.blocks_ours[signal]);
	if (action) {
		copy = *action;
		signals_without_ours(&copy, signal);
	}
	ret = signals_exchange_action(signal, action ? &copy : NULL, old);
	if (ret)
		atomic_store(&signals.blocks_ours[signal], blocked);
	else if (old && blocked)
		sigaddset(&old->sa_mask, SIGSEGV);
	return ret;
}
