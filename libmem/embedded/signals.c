// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Shares SIGSEGV with the application. The library installs its own handler
 * when the first context is created. A SIGSEGV that has nothing to do with the
 * window is passed on to the application's handler. libmem-trap intercepts the
 * application's calls of sigaction() and signal() and passes them to this file,
 * which keeps the application's action for SIGSEGV and passes all others to the
 * kernel. SIGSEGV stays unblocked, because the kernel kills a process that
 * accesses a page without permission while SIGSEGV is blocked.
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
	atomic_bool is_ours;		/* our handler is installed */
	/* By signal: the application's handler shall block SIGSEGV */
	atomic_bool blocks_ours[_NSIG];

	atomic_flag lock;
	struct sigaction theirs;	/* the application's for SIGSEGV */
} IN_OWN_PAGES signals = {
	.lock = ATOMIC_FLAG_INIT,
};

/* A spinlock: it is held for a few instructions with all signals blocked. */
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

/* In a child, the thread that held the lock may not exist. */
static void unlock_in_child(void)
{
	atomic_flag_clear(&signals.lock);
}

static struct sigaction exchange_theirs(const struct sigaction *action)
{
	struct sigaction was, new = { .sa_handler = SIG_DFL };
	sigset_t old;

	/* The caller's memory may fault, so it is read without the lock. */
	if (action)
		new = *action;
	lock(&old);
	was = signals.theirs;
	if (action)
		signals.theirs = new;
	unlock(&old);
	return was;
}

/* Does what the kernel does if no handler is installed. */
static void act_by_default(int signal, const siginfo_t *info)
{
	const struct sigaction none = { .sa_handler = SIG_DFL };

	__sigaction(signal, &none, NULL);
	/* A signal that was sent, unlike a fault, does not occur again. */
	if (info->si_code <= 0)
		raise(signal);
}

/*
 * If these were blocked, the kernel would kill the process at an access without
 * permission, or at a system call that clone.c intercepts.
 */
static void leave_unblocked(sigset_t *mask)
{
	sigdelset(mask, SIGSEGV);
	sigdelset(mask, SIGSYS);
}

/*
 * Calls the application's handler with the signal mask that the kernel would
 * have set, except for the signals of leave_unblocked().
 */
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

/*
 * Sends SIGBUS, as the kernel does if a driver refuses an access, and calls the
 * application's handler with the context of the access.
 */
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
	/* This comes first because errno may lie in such a page. */
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

/* Keeps SIGSEGV unblocked in a handler that was installed earlier. */
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
 * signals_init() - install the handler of SIGSEGV for the rest of the process
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
 * signals_are_seen() - find out whether libmem-trap intercepts sigaction()
 *
 * The list of loaded objects cannot be used for this: a preloaded auxiliary
 * library is listed after the C library, but symbols are looked up in it first.
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
 * signals_action() - carry out a sigaction() of the application
 * @signal: any signal
 * @action: new action, or NULL
 * @old: out: previous action, or NULL
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
