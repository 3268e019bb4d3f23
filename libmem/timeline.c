// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: timelines. A timeline has no context and no lock: its state is the
 * count in a page, which other processes change, too. Waits of streams are
 * semaphores (semaphore.c).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "page.h"
#include "sched.h"
#include "timeline.h"

#define TIMELINE_MAGIC	0x656e696c656d6974ULL	/* "timeline" */

static void timeline_free(struct mem_timeline *timeline)
{
	page_unmap(timeline->page);
	own_fd_close(&timeline->file);
	own_fd_close(&timeline->event);
	own_fd_close(&timeline->life);
	free(timeline);
}

static struct mem_timeline *timeline_new(unsigned int perm)
{
	struct mem_timeline *new = calloc(1, sizeof(*new));

	if (!new)
		return NULL;
	atomic_init(&new->nr_users, 1);
	new->perm = perm;
	new->file = OWN_FD_NONE;
	new->event = OWN_FD_NONE;
	new->life = OWN_FD_NONE;
	return new;
}

/* Processes of any user may have the right to wait, and open the other end. */
static int timeline_begin_life(struct mem_timeline *timeline)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	fchmod(fds[0], 0666);
	fd_close(fds[0]);
	return own_fd_take(&timeline->life, fds[1]);
}

static int timeline_init(struct mem_timeline *timeline)
{
	void *page;
	int err;

	err = page_create(&page, &timeline->file);
	if (err)
		return err;
	timeline->page = page;
	err = own_event_open(&timeline->event);
	if (!err)
		err = timeline_begin_life(timeline);
	if (err)
		return err;
	if (getrandom(timeline->id, sizeof(timeline->id), 0) !=
	    sizeof(timeline->id))
		return -EIO;
	timeline->page->magic = TIMELINE_MAGIC;
	memcpy(timeline->page->id, timeline->id, sizeof(timeline->id));
	return 0;
}

API int mem_timeline_create(struct mem_ctx *ctx, struct mem_timeline **timeline)
{
	struct mem_timeline *new;
	int err;

	if (!ctx || !timeline)
		return -EINVAL;
	err = ctx_check(ctx);
	if (err)
		return err;
	new = timeline_new(MEM_RW);
	if (!new)
		return -ENOMEM;
	err = timeline_init(new);
	if (err)
		timeline_free(new);
	else
		*timeline = new;
	return err;
}

/**
 * timeline_open_life() - open the end of a timeline's pipe for a process
 * @fd: an end, not trusted; the caller keeps it
 * @perm: what the process may do
 *
 * Return: descriptor, owned by the caller; -EINVAL (@fd is no such end), or
 * -errno of open() or fcntl().
 */
int timeline_open_life(int fd, unsigned int perm)
{
	const int flags = fcntl(fd, F_GETFL);
	char path[32];
	struct stat stat;
	bool is_writer;
	int new;

	if (flags < 0 || fstat(fd, &stat))
		return -errno;
	is_writer = (flags & O_ACCMODE) == O_WRONLY;
	if (!S_ISFIFO(stat.st_mode) || (perm & MEM_WRITE && !is_writer))
		return -EINVAL;
	if (perm & MEM_WRITE || !is_writer)
		return dup_cloexec(fd);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	new = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return new < 0 ? -errno : new;
}

static int timeline_take_life(struct mem_timeline *timeline, int fd)
{
	const int own = timeline_open_life(fd, timeline->perm);

	return own < 0 ? own : own_fd_take(&timeline->life, own);
}

/**
 * timeline_from_fds() - make a timeline of another process's files
 * @file: file of the page, not trusted; the caller keeps it
 * @event: eventfd, not trusted; the caller keeps it
 * @life: end of a pipe, not trusted; the caller keeps it
 * @perm: MEM_READ, MEM_WRITE or MEM_RW
 * @timeline: out: with one reference
 *
 * Return: 0, -EINVAL (a file is no such file, or may not be written), -EMFILE
 * or -ENOMEM.
 */
int timeline_from_fds(int file, int event, int life, unsigned int perm,
		      struct mem_timeline **timeline)
{
	const int prot = perm & MEM_WRITE ? PROT_READ | PROT_WRITE : PROT_READ;
	struct mem_timeline *new;
	void *page;
	int err;

	err = semaphore_check_fd(event);
	if (err)
		return err;
	new = timeline_new(perm);
	if (!new)
		return -ENOMEM;
	err = page_map(file, prot, &page);
	if (err)
		goto err_free;
	new->page = page;
	memcpy(new->id, new->page->id, sizeof(new->id));
	err = new->page->magic == TIMELINE_MAGIC ? 0 : -EINVAL;
	if (!err)
		err = own_fd_copy(&new->file, file);
	if (!err)
		err = own_fd_copy(&new->event, event);
	if (!err)
		err = timeline_take_life(new, life);
	if (err)
		goto err_free;
	*timeline = new;
	return 0;

err_free:
	timeline_free(new);
	return err;
}

API struct mem_timeline *mem_timeline_get(struct mem_timeline *timeline)
{
	if (timeline)
		atomic_fetch_add(&timeline->nr_users, 1);
	return timeline;
}

API void mem_timeline_put(struct mem_timeline *timeline)
{
	if (timeline && atomic_fetch_sub(&timeline->nr_users, 1) == 1)
		timeline_free(timeline);
}

API int mem_timeline_id(const struct mem_timeline *timeline, void *id)
{
	if (!timeline || !id)
		return -EINVAL;
	memcpy(id, timeline->id, sizeof(timeline->id));
	return 0;
}

API int mem_timeline_perm(const struct mem_timeline *timeline)
{
	return timeline ? (int)timeline->perm : -EINVAL;
}

API int mem_timeline_next(struct mem_timeline *timeline, uint64_t *point)
{
	if (!timeline || !point)
		return -EINVAL;
	if (!(timeline->perm & MEM_WRITE))
		return -EACCES;
	*point = atomic_fetch_add(&timeline->page->reserved, 1) + 1;
	return 0;
}

/*
 * Wakes all that wait. A peer may have filled the counter, which nobody else
 * reads, or may have made the file blocking.
 */
static void timeline_wake(const struct mem_timeline *timeline)
{
	struct pollfd full = { .fd = timeline->event.nr, .events = POLLOUT };
	uint64_t nr = 1;
	struct iovec to = { &nr, sizeof(nr) };

	if (!own_fd_is_open(&timeline->event))
		return;
	if (poll(&full, 1, 0) != 1 || !(full.revents & POLLOUT))
		preadv2(timeline->event.nr, &to, 1, -1, RWF_NOWAIT);
	eventfd_write(timeline->event.nr, 1);
}

/**
 * timeline_reach() - advance a timeline to a point
 * @timeline: timeline that may be signalled
 * @point: point; the count does not decrease
 */
void timeline_reach(struct mem_timeline *timeline, uint64_t point)
{
	uint64_t now = atomic_load(&timeline->page->reached);

	while (now < point &&
	       !atomic_compare_exchange_weak(&timeline->page->reached, &now,
					     point))
		;
	timeline_wake(timeline);
}

API int mem_timeline_signal(struct mem_timeline *timeline)
{
	if (!timeline)
		return -EINVAL;
	if (!(timeline->perm & MEM_WRITE))
		return -EACCES;
	atomic_fetch_add(&timeline->page->reached, 1);
	timeline_wake(timeline);
	return 0;
}

/**
 * timeline_is_reached() - check whether a point is reached
 * @timeline: timeline
 * @point: point
 *
 * Return: true if it is.
 */
bool timeline_is_reached(const struct mem_timeline *timeline, uint64_t point)
{
	return atomic_load(&timeline->page->reached) >= point;
}

/**
 * timeline_is_orphan() - check whether nobody can signal a timeline any more
 * @timeline: timeline
 *
 * Return: true if no process is left that may signal it. If this process may,
 * it is one.
 */
bool timeline_is_orphan(const struct mem_timeline *timeline)
{
	struct pollfd life = { .fd = timeline->life.nr };

	return !(timeline->perm & MEM_WRITE) &&
	       own_fd_is_open(&timeline->life) && poll(&life, 1, 0) == 1 &&
	       life.revents & POLLHUP;
}

/* Waits for an edge of the event or the life. Returns false at the deadline. */
static bool timeline_poll(int poll_fd, uint64_t deadline)
{
	const uint64_t now = now_ns();
	const uint64_t left = deadline > now ? deadline - now : 0;
	const struct timespec time = {
		.tv_sec = (time_t)(left / NS_PER_S),
		.tv_nsec = (long)(left % NS_PER_S),
	};
	struct pollfd ready = { .fd = poll_fd, .events = POLLIN };
	struct epoll_event event;

	if (!left)
		return false;
	if (ppoll(&ready, 1, deadline == MEM_WAIT_FOREVER ? NULL : &time,
		  NULL) == 1)
		epoll_wait(poll_fd, &event, 1, 0);
	return true;
}

static int timeline_watch(const struct mem_timeline *timeline, int poll_fd)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	struct epoll_event life = { .events = EPOLLET };

	if (!own_fd_is_open(&timeline->event) ||
	    !own_fd_is_open(&timeline->life))
		return -EBADF;
	if (epoll_ctl(poll_fd, EPOLL_CTL_ADD, timeline->event.nr, &event) ||
	    epoll_ctl(poll_fd, EPOLL_CTL_ADD, timeline->life.nr, &life))
		return -ENOMEM;
	return 0;
}

static int timeline_block(const struct mem_timeline *timeline, uint64_t point,
			  uint64_t deadline)
{
	const int fd = epoll_create1(EPOLL_CLOEXEC);
	bool is_orphan;
	int err;

	if (fd < 0)
		return -errno;
	/* Both are watched before they are read. */
	err = timeline_watch(timeline, fd);
	while (!err) {
		/* The last process may have signalled before its end. */
		is_orphan = timeline_is_orphan(timeline);
		if (timeline_is_reached(timeline, point))
			break;
		if (is_orphan)
			err = -EPIPE;
		else if (!timeline_poll(fd, deadline))
			err = -ETIMEDOUT;
	}
	fd_close(fd);
	return err;
}

API int mem_timeline_wait(struct mem_timeline *timeline, uint64_t point,
			  uint64_t timeout_ns)
{
	uint64_t now;

	if (!timeline)
		return -EINVAL;
	if (!(timeline->perm & MEM_READ))
		return -EACCES;
	if (timeline_is_reached(timeline, point))
		return 0;
	if (!timeout_ns)
		return -ETIMEDOUT;
	now = now_ns();
	return timeline_block(timeline, point,
			      timeout_ns < MEM_WAIT_FOREVER - now ?
			      now + timeout_ns : MEM_WAIT_FOREVER);
}
