// SPDX-License-Identifier: LGPL-2.1-or-later
/* Descriptors that the library keeps. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fd.h"

/* The kernel gives out the lowest free number, so programs rarely get here. */
#define LOW_NR		512

/**
 * dup_cloexec() - duplicate a descriptor for the caller
 * @fd: descriptor; need not be valid
 *
 * Return: the lowest free number, or -errno of fcntl().
 */
int dup_cloexec(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	return copy < 0 ? -errno : copy;
}

/**
 * fd_close() - close a descriptor without a cancellation point
 * @fd: descriptor
 *
 * close() itself is called, so that ThreadSanitizer sees it. Keeps errno.
 *
 * Context: any thread, also with locks held.
 */
void fd_close(int fd)
{
	const int err = errno;
	int cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	close(fd);
	pthread_setcancelstate(cancel, NULL);
	errno = err;
}

/**
 * fd_aside() - move a descriptor to a number that programs rarely use
 * @fd: a new descriptor, which is closed; or -1
 *
 * The number is 512 or more if RLIMIT_NOFILE allows it, and never one of the
 * standard three: if the program has closed those, its output would be written
 * to the library's file.
 *
 * Return: the new number; -1 and errno if fcntl() failed; -1 if @fd is -1.
 */
int fd_aside(int fd)
{
	int aside;

	if (fd < 0 || fd >= LOW_NR)
		return fd;
	aside = fcntl(fd, F_DUPFD_CLOEXEC, LOW_NR);
	if (aside < 0 && fd > STDERR_FILENO)
		return fd;
	if (aside < 0)
		aside = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	fd_close(fd);
	return aside;
}

/**
 * fd_limit_raise() - raise the process's limit of descriptors
 *
 * Doubles the soft limit, as far as the hard limit allows, because the objects
 * of a program need no descriptors on the board. New descriptors of the program
 * still have the lowest numbers that are free.
 *
 * Return: true if the limit is higher now.
 */
bool fd_limit_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) ||
	    limit.rlim_cur >= limit.rlim_max)
		return false;
	if (limit.rlim_cur > limit.rlim_max / 2)
		limit.rlim_cur = limit.rlim_max;
	else
		limit.rlim_cur *= 2;
	return !setrlimit(RLIMIT_NOFILE, &limit);
}

/**
 * own_fd_take() - keep a descriptor
 * @own: out: the descriptor, moved by fd_aside(); none on failure
 * @fd: a new descriptor, which is closed; or -1, with errno
 *
 * Return: 0 or -errno.
 */
int own_fd_take(struct own_fd *own, int fd)
{
	struct stat stat;

	*own = OWN_FD_NONE;
	fd = fd_aside(fd);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &stat)) {
		fd_close(fd);
		return -EBADF;
	}
	*own = (struct own_fd) {
		.nr = fd,
		.dev = stat.st_dev,
		.ino = stat.st_ino,
	};
	return 0;
}

/**
 * own_fd_copy() - keep a duplicate of a descriptor
 * @own: out: the duplicate, numbered as by fd_aside(); none on failure
 * @fd: descriptor, which the caller keeps
 *
 * Return: 0 or -errno.
 */
int own_fd_copy(struct own_fd *own, int fd)
{
	const int copy = fcntl(fd, F_DUPFD_CLOEXEC, LOW_NR);

	/* RLIMIT_NOFILE does not allow such a number, or none is free. */
	if (copy < 0 && (errno == EINVAL || errno == EMFILE))
		return own_fd_take(own, fcntl(fd, F_DUPFD_CLOEXEC, 0));
	return own_fd_take(own, copy);
}

/**
 * own_fd_is_open() - check whether a number still refers to the kept file
 * @own: descriptor, or none
 *
 * Files that have no inode of their own (eventfd, epoll) are distinguished from
 * all other files, but not from each other.
 *
 * Context: any, signal handlers too.
 * Return: true if it does, so that the program has not closed the descriptor.
 */
bool own_fd_is_open(const struct own_fd *own)
{
	struct stat stat;

	return own->nr >= 0 && !fstat(own->nr, &stat) &&
	       stat.st_dev == own->dev && stat.st_ino == own->ino;
}

/**
 * own_fd_close() - close a descriptor, unless the program has done so
 * @own: descriptor, or none; none afterwards
 */
void own_fd_close(struct own_fd *own)
{
	if (own_fd_is_open(own))
		fd_close(own->nr);
	*own = OWN_FD_NONE;
}

/**
 * own_fd_dup() - duplicate a descriptor for the caller
 * @own: descriptor
 *
 * Return: the lowest free number, -EBADF (the program has closed it), or -errno
 * of fcntl().
 */
int own_fd_dup(const struct own_fd *own)
{
	return own_fd_is_open(own) ? dup_cloexec(own->nr) : -EBADF;
}

/**
 * own_event_open() - create an eventfd
 * @own: out: eventfd, which is not set; none on failure
 *
 * Return: 0 or -errno.
 */
int own_event_open(struct own_fd *own)
{
	return own_fd_take(own, eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
}

/**
 * own_event_set() - set or clear an eventfd
 * @own: eventfd of own_event_open(), or none
 * @is_set: it polls readable afterwards
 *
 * Is no cancellation point, because callers that found a violation hold locks.
 *
 * Context: any, signal handlers too. Keeps errno.
 */
void own_event_set(const struct own_fd *own, bool is_set)
{
	const int err = errno;
	eventfd_t value = 1;

	if (own_fd_is_open(own))
		syscall(is_set ? SYS_write : SYS_read, own->nr, &value,
			sizeof(value));
	errno = err;
}
