// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Wrappers of C library calls that wait, or concern sockets, processes and
 * timers, and take structs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>

#include "bounce.h"

/* A call may return fewer events than it is asked for. */
#define EVENTS_MAX	((int)(BOUNCE_MAX / sizeof(struct epoll_event)))

/*
 * Removes SIGSEGV from the mask of a call that waits. A handler that runs
 * meanwhile may touch tracked memory, and the kernel would end the process if
 * the signal were blocked. The first context may be opened meanwhile, too.
 */
static const sigset_t *mask_of(const sigset_t *mask, sigset_t *copy)
{
	if (!mask)
		return mask;
	*copy = *mask;
	sigdelset(copy, SIGSEGV);
	return copy;
}

TRAP_API int sigsuspend(const sigset_t *mask)
{
	sigset_t copy;

	return NEXT(sigsuspend)(mask_of(mask, &copy));
}

TRAP_API int sigwait(const sigset_t *set, int *signal)
{
	return WITH_IN(set, sizeof(*set), NEXT(sigwait)(set, signal));
}

TRAP_API int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	return WITH_IN_OUT(set, info, NEXT(sigwaitinfo)(set, info));
}

TRAP_API int sigtimedwait(const sigset_t *set, siginfo_t *info,
			  const struct timespec *timeout)
{
	BOUNCE_IN(timeout, sizeof(*timeout));
	return WITH_IN_OUT(set, info, NEXT(sigtimedwait)(set, info, timeout));
}

TRAP_API int sigpending(sigset_t *set)
{
	return WITH_OUT(set, NEXT(sigpending)(set));
}

TRAP_API int signalfd(int fd, const sigset_t *set, int flags)
{
	return WITH_IN(set, sizeof(*set), NEXT(signalfd)(fd, set, flags));
}

TRAP_API int eventfd_read(int fd, eventfd_t *value)
{
	return WITH_OUT(value, NEXT(eventfd_read)(fd, value));
}

/* poll() */

/* Only these members of the array are the kernel's to write. */
static void poll_copy_out(const struct bounce *files, nfds_t nr)
{
	const struct pollfd *from = files->copy;
	struct pollfd *to = files->user;
	nfds_t i;

	for (i = 0; to && i < nr; i++)
		to[i].revents = from[i].revents;
}

#define WITH_POLL(files, nr, expr) ({					\
	const size_t len = (nr) < BOUNCE_MAX ?				\
			   (nr) * sizeof(*(files)) : SIZE_MAX;		\
	int ret;							\
	BOUNCE_IN(files, len);						\
	ret = (expr);							\
	if (ret >= 0)							\
		poll_copy_out(&files##_bounce, (nr));			\
	ret;								\
})

TRAP_API int poll(struct pollfd *files, nfds_t nr, int timeout_ms)
{
	return WITH_POLL(files, nr, NEXT(poll)(files, nr, timeout_ms));
}

TRAP_API int ppoll(struct pollfd *files, nfds_t nr,
		   const struct timespec *timeout, const sigset_t *mask)
{
	sigset_t copy;

	BOUNCE_IN(timeout, sizeof(*timeout));
	return WITH_POLL(files, nr,
			 NEXT(ppoll)(files, nr, timeout, mask_of(mask, &copy)));
}

/* The variants of _FORTIFY_SOURCE */
int __poll_chk(struct pollfd *files, nfds_t nr, int timeout_ms, size_t room);
int __ppoll_chk(struct pollfd *files, nfds_t nr, const struct timespec *timeout,
		const sigset_t *mask, size_t room);

TRAP_API int __poll_chk(struct pollfd *files, nfds_t nr, int timeout_ms,
			size_t room)
{
	return WITH_POLL(files, nr,
			 NEXT(__poll_chk)(files, nr, timeout_ms, room));
}

TRAP_API int __ppoll_chk(struct pollfd *files, nfds_t nr,
			 const struct timespec *timeout, const sigset_t *mask,
			 size_t room)
{
	sigset_t copy;

	BOUNCE_IN(timeout, sizeof(*timeout));
	return WITH_POLL(files, nr,
			 NEXT(__ppoll_chk)(files, nr, timeout,
					   mask_of(mask, &copy), room));
}

/* select() */

/* The kernel uses whole words of the sets. */
static size_t set_len(int nr)
{
	return nr > 0 ? (size_t)(nr + 63) / 64 * 8 : 0;
}

#define WITH_SELECT(nr, in, out, except, expr) ({			\
	int ret;							\
	BOUNCE_IN(in, set_len(nr));					\
	BOUNCE_IN(out, set_len(nr));					\
	BOUNCE_IN(except, set_len(nr));					\
	ret = (expr);							\
	if (ret >= 0) {							\
		COPY_OUT(in, set_len(nr));				\
		COPY_OUT(out, set_len(nr));				\
		COPY_OUT(except, set_len(nr));				\
	}								\
	ret;								\
})

TRAP_API int select(int nr, fd_set *in, fd_set *out, fd_set *except,
		    struct timeval *timeout)
{
	int nr_ready;

	/* The kernel also stores how much of the time is left. */
	BOUNCE_IN(timeout, sizeof(*timeout));
	nr_ready = WITH_SELECT(nr, in, out, except,
			       NEXT(select)(nr, in, out, except, timeout));
	COPY_OUT(timeout, sizeof(*timeout));
	return nr_ready;
}

TRAP_API int pselect(int nr, fd_set *in, fd_set *out, fd_set *except,
		     const struct timespec *timeout, const sigset_t *mask)
{
	sigset_t copy;

	BOUNCE_IN(timeout, sizeof(*timeout));
	return WITH_SELECT(nr, in, out, except,
			   NEXT(pselect)(nr, in, out, except, timeout,
					 mask_of(mask, &copy)));
}

/* epoll */

TRAP_API int epoll_ctl(int fd, int op, int file, struct epoll_event *event)
{
	return WITH_IN(event, sizeof(*event),
		       NEXT(epoll_ctl)(fd, op, file, event));
}

#define WITH_EVENTS(events, nr, expr) ({				\
	int ret;							\
	if ((nr) > EVENTS_MAX && trap_is_tracked((events), 1))		\
		(nr) = EVENTS_MAX;					\
	BOUNCE(events, (nr) > 0 ? (size_t)(nr) * sizeof(*(events)) : 0)	\
	ret = (expr);							\
	if (ret > 0)							\
		COPY_OUT(events, (size_t)ret * sizeof(*(events)));	\
	ret;								\
})

TRAP_API int epoll_wait(int fd, struct epoll_event *events, int nr,
			int timeout_ms)
{
	return WITH_EVENTS(events, nr,
			   NEXT(epoll_wait)(fd, events, nr, timeout_ms));
}

TRAP_API int epoll_pwait(int fd, struct epoll_event *events, int nr,
			 int timeout_ms, const sigset_t *mask)
{
	sigset_t copy;

	return WITH_EVENTS(events, nr,
			   NEXT(epoll_pwait)(fd, events, nr, timeout_ms,
					     mask_of(mask, &copy)));
}

TRAP_API int epoll_pwait2(int fd, struct epoll_event *events, int nr,
			  const struct timespec *timeout, const sigset_t *mask)
{
	sigset_t copy;

	BOUNCE_IN(timeout, sizeof(*timeout));
	return WITH_EVENTS(events, nr,
			   NEXT(epoll_pwait2)(fd, events, nr, timeout,
					      mask_of(mask, &copy)));
}

/* Sockets */

TRAP_API int bind(int fd, const struct sockaddr *addr, socklen_t len)
{
	return WITH_IN(addr, len, NEXT(bind)(fd, addr, len));
}

TRAP_API int connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	return WITH_IN(addr, len, NEXT(connect)(fd, addr, len));
}

TRAP_API int setsockopt(int fd, int level, int name, const void *value,
			socklen_t len)
{
	return WITH_IN(value, len,
		       NEXT(setsockopt)(fd, level, name, value, len));
}

/* @len: in: room at @addr; out: bytes that there are */
#define WITH_NAME(addr, len, expr) ({					\
	const bool is_tracked = trap_is_tracked((len), sizeof(*(len))) ||\
				trap_is_tracked((addr), 1);		\
	const socklen_t room = is_tracked && (len) ? *(len) : 0;	\
	int ret;							\
	BOUNCE(addr, room)						\
	BOUNCE_IN(len, sizeof(*(len)));					\
	ret = (expr);							\
	if (ret >= 0) {							\
		COPY_OUT(addr, *(len) < room ? *(len) : room);		\
		COPY_OUT(len, sizeof(*(len)));				\
	}								\
	ret;								\
})

TRAP_API int accept(int fd, struct sockaddr *addr, socklen_t *len)
{
	return WITH_NAME(addr, len, NEXT(accept)(fd, addr, len));
}

TRAP_API int accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags)
{
	return WITH_NAME(addr, len, NEXT(accept4)(fd, addr, len, flags));
}

TRAP_API int getsockname(int fd, struct sockaddr *addr, socklen_t *len)
{
	return WITH_NAME(addr, len, NEXT(getsockname)(fd, addr, len));
}

TRAP_API int getpeername(int fd, struct sockaddr *addr, socklen_t *len)
{
	return WITH_NAME(addr, len, NEXT(getpeername)(fd, addr, len));
}

TRAP_API int getsockopt(int fd, int level, int name, void *value,
			socklen_t *len)
{
	return WITH_NAME(value, len,
			 NEXT(getsockopt)(fd, level, name, value, len));
}

TRAP_API int socketpair(int domain, int type, int protocol, int fds[2])
{
	int (*both)[2] = (int (*)[2])fds;

	return WITH_OUT(both, NEXT(socketpair)(domain, type, protocol, *both));
}

/* Processes */

/* The kernel stores a status only of a child that has changed its state. */
#define WITH_STATUS(status, expr) ({					\
	pid_t ret;							\
	BOUNCE(status, sizeof(*(status)))				\
	ret = (expr);							\
	if (ret > 0)							\
		COPY_OUT(status, sizeof(*(status)));			\
	ret;								\
})

TRAP_API pid_t wait(int *status)
{
	return WITH_STATUS(status, NEXT(wait)(status));
}

TRAP_API pid_t waitpid(pid_t pid, int *status, int flags)
{
	return WITH_STATUS(status, NEXT(waitpid)(pid, status, flags));
}

TRAP_API pid_t wait4(pid_t pid, int *status, int flags, struct rusage *usage)
{
	pid_t ret;

	BOUNCE(status, sizeof(*status))
	BOUNCE(usage, sizeof(*usage))
	ret = NEXT(wait4)(pid, status, flags, usage);
	if (ret > 0) {
		COPY_OUT(status, sizeof(*status));
		COPY_OUT(usage, sizeof(*usage));
	}
	return ret;
}

TRAP_API int waitid(idtype_t type, id_t id, siginfo_t *info, int flags)
{
	return WITH_OUT(info, NEXT(waitid)(type, id, info, flags));
}

/* Timers. A call that a signal ends stores what is left of the time. */

TRAP_API int nanosleep(const struct timespec *time, struct timespec *left)
{
	int ret;

	BOUNCE_IN(time, sizeof(*time));
	BOUNCE(left, sizeof(*left))
	ret = NEXT(nanosleep)(time, left);
	if (ret && errno == EINTR)
		COPY_OUT(left, sizeof(*left));
	return ret;
}

TRAP_API int clock_nanosleep(clockid_t clock, int flags,
			     const struct timespec *time, struct timespec *left)
{
	int ret;

	BOUNCE_IN(time, sizeof(*time));
	BOUNCE(left, sizeof(*left))
	ret = NEXT(clock_nanosleep)(clock, flags, time, left);
	if (ret == EINTR && !(flags & TIMER_ABSTIME))
		COPY_OUT(left, sizeof(*left));
	return ret;
}

TRAP_API int getitimer(__itimer_which_t which, struct itimerval *value)
{
	return WITH_OUT(value, NEXT(getitimer)(which, value));
}

TRAP_API int setitimer(__itimer_which_t which, const struct itimerval *value,
		       struct itimerval *old)
{
	return WITH_IN_OUT(value, old, NEXT(setitimer)(which, value, old));
}

TRAP_API int timerfd_gettime(int fd, struct itimerspec *value)
{
	return WITH_OUT(value, NEXT(timerfd_gettime)(fd, value));
}

TRAP_API int timerfd_settime(int fd, int flags, const struct itimerspec *value,
			     struct itimerspec *old)
{
	return WITH_IN_OUT(value, old,
			   NEXT(timerfd_settime)(fd, flags, value, old));
}
