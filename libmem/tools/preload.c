// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A library that `heapsim run` preloads into programs. If a report may need a
 * thread's stack, the module signals the thread before it continues; the
 * handler here walks the stack and writes it to a shared file
 * (record/stacks.h).
 *
 * Until the first such signal, a process has only this handler, and no
 * descriptor, mapping or thread of the library. But before a process gives up
 * rights, the file is mapped while it still can be. The handler calls only
 * functions that are safe in a signal handler (record/walk.c).
 *
 * The program cannot use this signal, as it cannot use those of glibc: SIGRTMAX
 * does not count it, and it can be neither handled nor blocked.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>	/* for unshare() */
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <linux/heapsim.h>

#include "../record/walk.h"

#define EXPORT __attribute__((visibility("default")))

/* A command of another version prints this name in its report. */
#define PRELOADED "libheapsim-preload.so " HEAPSIM_VERSION

int __libc_allocate_rtsig(int high);

/* The C library has this function, but no header declares it. */
int capset(void *header, const void *caps);

static char stacks_path[64];
static int (*next_sigaction)(int, const struct sigaction *, struct sigaction *);
static int (*next_sigprocmask)(int, const sigset_t *, sigset_t *);
static int (*next_sigmask)(int, const sigset_t *, sigset_t *);
static sighandler_t (*next_signal)(int, sighandler_t);
static int (*next_prctl)(int, ...);
static bool is_taken;

static struct stacks *_Atomic stacks_mapped;
static atomic_bool has_failed;

/*
 * Returns the file, or NULL. If two threads map it, the first mapping is used.
 */
static struct stacks *preload_get_stacks(void)
{
	struct stacks *stacks = atomic_load(&stacks_mapped), *none = NULL;
	const struct sigaction ignore = { .sa_handler = SIG_IGN };

	if (stacks || atomic_load(&has_failed))
		return stacks;
	stacks = stacks_map(stacks_path, PRELOADED);
	if (!stacks) {
		/* The command would wait for stacks that are never written. */
		atomic_store(&has_failed, true);
		next_sigaction(STACKS_SIGNAL, &ignore, NULL);
		return NULL;
	}
	if (atomic_compare_exchange_strong(&stacks_mapped, &none, stacks))
		return stacks;
	munmap(stacks, sizeof(*stacks));
	return none;
}

/* Keeps a newer entry: this thread may have been stopped for long. */
static void preload_put_event(_Atomic uint64_t *at, uint64_t id,
			      uint64_t number)
{
	uint64_t old = atomic_load(at);

	while (old >> STACKS_INDEX_BITS < id &&
	       !atomic_compare_exchange_weak(at, &old, id << STACKS_INDEX_BITS |
					     number))
		;
}

static void preload_on_signal(int taken, siginfo_t *info, void *context)
{
	const uint64_t id = (uintptr_t)info->si_value.sival_ptr;
	const int error = errno;
	struct stacks *stacks;
	uintptr_t from;

	(void)taken;
	(void)context;
	if (info->si_code != HEAPSIM_SI_STACK)
		return;
	stacks = preload_get_stacks();
	if (stacks) {
		from = (uint32_t)info->si_pid |
		       (uint64_t)(uint32_t)info->si_uid << 32;
		/*
		 * A failure is written, too, since the command would wait for
		 * the stack.
		 */
		preload_put_event(stacks_at(stacks, id), id,
				  stacks_put(stacks, from));
	}
	errno = error;
}

/* Constructors of other libraries may call the functions below before ours. */
static void preload_find_next(void)
{
	if (next_sigmask)
		return;
	next_sigaction = dlsym(RTLD_NEXT, "sigaction");
	next_sigprocmask = dlsym(RTLD_NEXT, "sigprocmask");
	next_signal = dlsym(RTLD_NEXT, "signal");
	next_prctl = dlsym(RTLD_NEXT, "prctl");
	next_sigmask = dlsym(RTLD_NEXT, "pthread_sigmask");
}

__attribute__((constructor)) static void preload_init(void)
{
	static const int synchronous[] = {
		SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT,
	};
	struct sigaction ours = {
		.sa_sigaction = preload_on_signal,
		.sa_flags = SA_SIGINFO | HEAPSIM_SA_STACK | SA_ONSTACK |
			    SA_RESTART,
	};
	const char *path = getenv(STACKS_ENV);
	sigset_t set;
	size_t i;

	preload_find_next();
	if (!path || strlen(path) >= sizeof(stacks_path))
		return;
	strcpy(stacks_path, path);
	if (stacks_init())
		return;
	/*
	 * Another handler may call longjmp(), so none may interrupt this one.
	 */
	sigfillset(&ours.sa_mask);
	for (i = 0; i < sizeof(synchronous) / sizeof(synchronous[0]); i++)
		sigdelset(&ours.sa_mask, synchronous[i]);
	/* If the program already uses the signal, no stacks are written. */
	if (__libc_allocate_rtsig(0) != STACKS_SIGNAL ||
	    next_sigaction(STACKS_SIGNAL, &ours, NULL))
		return;
	is_taken = true;
	sigemptyset(&set);
	sigaddset(&set, STACKS_SIGNAL);
	next_sigprocmask(SIG_UNBLOCK, &set, NULL);
}

EXPORT int sigaction(int signal, const struct sigaction *action,
		     struct sigaction *old)
{
	struct sigaction without;

	preload_find_next();
	if (!is_taken)
		return next_sigaction(signal, action, old);
	if (signal == STACKS_SIGNAL) {
		errno = EINVAL;
		return -1;
	}
	if (action) {
		without = *action;
		sigdelset(&without.sa_mask, STACKS_SIGNAL);
		action = &without;
	}
	return next_sigaction(signal, action, old);
}

EXPORT sighandler_t signal(int number, sighandler_t handler)
{
	preload_find_next();
	if (is_taken && number == STACKS_SIGNAL) {
		errno = EINVAL;
		return SIG_ERR;
	}
	return next_signal(number, handler);
}

/* Removes the signal from a mask, unless the mask is one to unblock. */
static const sigset_t *preload_mask_without(int how, const sigset_t *set,
					    sigset_t *without)
{
	if (!is_taken || !set || how == SIG_UNBLOCK)
		return set;
	*without = *set;
	sigdelset(without, STACKS_SIGNAL);
	return without;
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	sigset_t without;

	preload_find_next();
	return next_sigprocmask(how, preload_mask_without(how, set, &without),
				old);
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	sigset_t without;

	preload_find_next();
	return next_sigmask(how, preload_mask_without(how, set, &without), old);
}

/*
 * A sandbox may kill a process that opens a file, and another user may not open
 * this one. So the handler's needs are prepared before rights are given up.
 */
static void preload_prepare(void)
{
	preload_find_next();
	if (is_taken)
		preload_get_stacks();
}

/* An unprivileged process must call prctl() before it can use seccomp. */
EXPORT int prctl(int option, ...)
{
	unsigned long args[4];
	va_list list;
	size_t i;

	va_start(list, option);
	for (i = 0; i < sizeof(args) / sizeof(args[0]); i++)
		args[i] = va_arg(list, unsigned long);
	va_end(list);
	if (option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECCOMP ||
	    option == PR_SET_DUMPABLE)
		preload_prepare();
	preload_find_next();
	return next_prctl(option, args[0], args[1], args[2], args[3]);
}

/* After these calls a process may be unable to open or find the file. */
#define RIGHTS_CALL(name, params, args)					\
	static int (*next_##name)params;				\
									\
	__attribute__((constructor))					\
	static void preload_find_##name(void)				\
	{								\
		next_##name = dlsym(RTLD_NEXT, #name);			\
	}								\
									\
	EXPORT int name params						\
	{								\
		preload_prepare();					\
		if (!next_##name)					\
			preload_find_##name();				\
		return next_##name args;				\
	}

RIGHTS_CALL(setuid, (uid_t uid), (uid))
RIGHTS_CALL(seteuid, (uid_t uid), (uid))
RIGHTS_CALL(setreuid, (uid_t real, uid_t effective), (real, effective))
RIGHTS_CALL(setresuid, (uid_t real, uid_t effective, uid_t saved),
	    (real, effective, saved))
RIGHTS_CALL(setfsuid, (uid_t uid), (uid))
RIGHTS_CALL(setgid, (gid_t gid), (gid))
RIGHTS_CALL(setegid, (gid_t gid), (gid))
RIGHTS_CALL(setregid, (gid_t real, gid_t effective), (real, effective))
RIGHTS_CALL(setresgid, (gid_t real, gid_t effective, gid_t saved),
	    (real, effective, saved))
RIGHTS_CALL(setfsgid, (gid_t gid), (gid))
RIGHTS_CALL(capset, (void *header, const void *caps), (header, caps))
RIGHTS_CALL(chroot, (const char *path), (path))
RIGHTS_CALL(unshare, (int flags), (flags))
RIGHTS_CALL(setns, (int fd, int type), (fd, type))
