// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: semaphores, which are eventfds that other programs share, and fences,
 * which are eventfds, sync_files or pipes from which waits take nothing. A wait
 * for a semaphore that is not signalled is in the semaphore's queue. It delays
 * the operations behind it, but blocks no thread: one thread of the context,
 * started at the first wait, polls all semaphores. The scheduler's lock
 * protects all members.
 *
 * Other users of the descriptor may consume a signal after it was polled, and
 * may make the descriptor blocking. Therefore it is read by a call that never
 * blocks.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/uio.h>
#include <unistd.h>

#include "order/order.h"
#include "sched.h"
#include "timeline.h"

/**
 * struct mem_semaphore - an imported semaphore or fence
 * @ctx: context; the caller and each operation have a reference to it
 * @file: eventfd; of a fence also a sync_file, or an end of a pipe; none if
 *	@has_id
 * @reader: @file is the writing end of a pipe: its reading end, so that the
 *	signal does not raise SIGPIPE if the other side has gone; a timeline
 *	that is waited for: the end that hangs up; else none
 * @is_fence: it is a fence: waits leave it signalled
 * @timeline: timeline, a reference; NULL: a semaphore or fence
 * @point: point of @timeline that is waited for or signalled
 * @has_id: it is a fence of the backend, which is only signalled
 * @id: of the backend's fence
 * @is_certain: it is signalled even if the work before the signal has failed or
 *	was dropped, so that no other context waits for ever
 * @nr_users: references: of the caller and of operations
 * @is_polled: it is in the context's list of polled semaphores
 * @first: oldest wait for it
 * @last: newest wait for it
 * @next: next in that list
 * @prev: previous in that list
 */
struct mem_semaphore {
	struct mem_ctx *ctx;
	struct own_fd file;
	struct own_fd reader;
	bool is_fence;
	struct mem_timeline *timeline;
	uint64_t point;
	bool has_id;
	uint64_t id;
	bool is_certain;
	unsigned int nr_users;
	bool is_polled;
	struct op *first;
	struct op *last;
	struct mem_semaphore *next;
	struct mem_semaphore *prev;
};

/* The writing end of a pipe never becomes readable. */
static int semaphore_check_readable(int fd)
{
	const int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return -errno;
	return flags & O_PATH || (flags & O_ACCMODE) == O_WRONLY ? -EINVAL : 0;
}

/* Checks the kind of a file by the beginning of the kernel's name for it. */
static int semaphore_check_name(int fd, const char *const *names)
{
	char path[32], link[64] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (readlink(path, link, sizeof(link) - 1) < 0)
		return errno == ENOENT ? -EBADF : -errno;
	for (; *names; names++)
		if (!strncmp(link, *names, strlen(*names)))
			return semaphore_check_readable(fd);
	return -EINVAL;
}

/* Files that are semaphores, and fences */
static const char *const semaphore_names[] = {
	"anon_inode:[eventfd]", NULL
};

static const char *const fence_names[] = {
	"pipe:[", "anon_inode:[eventfd]", "anon_inode:sync_file", NULL
};

/**
 * semaphore_check_fd() - check whether a descriptor is an eventfd
 * @fd: descriptor, any number
 *
 * Return: 0, -EINVAL (it is none), -EBADF (it is not open), or -errno.
 */
int semaphore_check_fd(int fd)
{
	return semaphore_check_name(fd, semaphore_names);
}

static struct mem_semaphore *semaphore_create(struct mem_ctx *ctx,
					      struct own_fd file)
{
	struct mem_semaphore *new = calloc(1, sizeof(*new));

	if (!new)
		return NULL;
	new->ctx = ctx_get(ctx);
	new->file = file;
	new->reader = OWN_FD_NONE;
	new->nr_users = 1;
	return new;
}

/* Makes a semaphore with a duplicate of the descriptor. */
static int semaphore_open(struct mem_ctx *ctx, int fd,
			  struct mem_semaphore **semaphore)
{
	struct own_fd file;
	int err;

	err = own_fd_copy(&file, fd);
	if (err)
		return err;
	/* Once more by a call that ThreadSanitizer intercepts. */
	dup3(fd, file.nr, O_CLOEXEC);
	*semaphore = semaphore_create(ctx, file);
	if (*semaphore)
		return 0;
	own_fd_close(&file);
	return -ENOMEM;
}

static int semaphore_import(struct mem_ctx *ctx, int fd,
			    const char *const *names,
			    struct mem_semaphore **semaphore)
{
	int err;

	err = ctx_check(ctx);
	if (!err)
		err = semaphore_check_name(fd, names);
	return err ? err : semaphore_open(ctx, fd, semaphore);
}

API int mem_semaphore_import(struct mem_ctx *ctx, int fd,
			     struct mem_semaphore **semaphore)
{
	struct mem_semaphore *new;
	int err;

	if (!ctx || !semaphore)
		return -EINVAL;
	err = semaphore_import(ctx, fd, semaphore_names, &new);
	if (!err)
		*semaphore = new;
	return err;
}

static void semaphore_unpoll(struct mem_semaphore *semaphore)
{
	struct sched *sched = &semaphore->ctx->sched;

	/* The file may stay open elsewhere, and would still be polled. */
	if (own_fd_is_open(&sched->poll) && own_fd_is_open(&semaphore->file))
		epoll_ctl(sched->poll.nr, EPOLL_CTL_DEL, semaphore->file.nr,
			  NULL);
	if (own_fd_is_open(&sched->poll) && own_fd_is_open(&semaphore->reader))
		epoll_ctl(sched->poll.nr, EPOLL_CTL_DEL, semaphore->reader.nr,
			  NULL);
	if (semaphore->prev)
		semaphore->prev->next = semaphore->next;
	else
		sched->semaphores = semaphore->next;
	if (semaphore->next)
		semaphore->next->prev = semaphore->prev;
}

static void semaphore_free(struct mem_semaphore *semaphore)
{
	own_fd_close(&semaphore->file);
	own_fd_close(&semaphore->reader);
	mem_timeline_put(semaphore->timeline);
	free(semaphore);
}

/* Drops a reference. The scheduler's lock is held. */
void semaphore_put(struct mem_semaphore *semaphore)
{
	if (--semaphore->nr_users)
		return;
	if (semaphore->is_polled)
		semaphore_unpoll(semaphore);
	semaphore_free(semaphore);
}

API void mem_semaphore_destroy(struct mem_semaphore *semaphore)
{
	struct mem_ctx *ctx;

	if (!semaphore)
		return;
	ctx = semaphore->ctx;
	if (ctx_is_forked(ctx)) {
		/* The epoll instance belongs to the parent. */
		semaphore_free(semaphore);
	} else {
		sched_lock(ctx);
		semaphore_put(semaphore);
		sched_unlock(ctx);
	}
	ctx_put(ctx);
}

/*
 * Consumes a signal, if there is one; that of a fence or timeline remains.
 */
static bool semaphore_take(const struct mem_semaphore *semaphore)
{
	struct pollfd fence = { .fd = semaphore->file.nr, .events = POLLIN };
	uint64_t nr;
	struct iovec to = { &nr, sizeof(nr) };

	if (semaphore->timeline)
		return timeline_is_reached(semaphore->timeline,
					   semaphore->point) ||
		       timeline_is_orphan(semaphore->timeline);
	/* The program may have closed it and reused the number. */
	if (!own_fd_is_open(&semaphore->file))
		return false;
	if (semaphore->is_fence)
		return poll(&fence, 1, 0) == 1;
	if (preadv2(semaphore->file.nr, &to, 1, -1, RWF_NOWAIT) != sizeof(nr))
		return false;
	/* For ThreadSanitizer, which does not know that system call. */
	return !readv(semaphore->file.nr, NULL, 0);
}

/*
 * Adds a signal. At its limit the counter stays as it is. After an error only
 * fences and points that are certain are signalled; a fence of the backend
 * carries the error.
 */
void semaphore_signal(const struct mem_semaphore *semaphore, int error)
{
	struct pollfd full = { .fd = semaphore->file.nr, .events = POLLOUT };
	struct mem_ctx *ctx = semaphore->ctx;
	const uint64_t one = 1;

	if (error && !semaphore->is_certain)
		return;
	if (semaphore->has_id) {
		ctx->backend->fence_signal(ctx, semaphore->id, error);
		return;
	}
	if (semaphore->timeline) {
		timeline_reach(semaphore->timeline, semaphore->point);
		return;
	}
	if (!own_fd_is_open(&semaphore->file))
		return;
	if (poll(&full, 1, 0) == 1 && full.revents & POLLOUT &&
	    write(semaphore->file.nr, &one, sizeof(one)) < 0)
		return;
}

/*
 * Arms the poll for the next signal. The poll of a timeline always is: its
 * eventfd stays readable, so only an edge is a signal.
 */
static void semaphore_arm(struct mem_semaphore *semaphore)
{
	struct epoll_event event = {
		.events = EPOLLIN | EPOLLONESHOT,
		.data.ptr = semaphore,
	};

	if (!semaphore->timeline)
		epoll_ctl(semaphore->ctx->sched.poll.nr, EPOLL_CTL_MOD,
			  semaphore->file.nr, &event);
}

/*
 * Called when a stream reaches a wait. Returns true if the semaphore is
 * signalled; otherwise the wait is finished later. The scheduler's lock is
 * held.
 */
bool semaphore_wait(struct op *op)
{
	struct mem_semaphore *semaphore = op->semaphore;

	if (!semaphore->first && semaphore_take(semaphore))
		return true;
	op->next_ready = NULL;
	if (semaphore->first) {
		semaphore->last->next_ready = op;
	} else {
		semaphore->first = op;
		semaphore_arm(semaphore);
	}
	semaphore->last = op;
	semaphore->ctx->sched.nr_pending++;
	return false;
}

static void semaphore_pop(struct mem_semaphore *semaphore, struct op **done)
{
	struct op *op = semaphore->first;

	semaphore->first = op->next_ready;
	semaphore->ctx->sched.nr_pending--;
	op->next_ready = *done;
	*done = op;
}

/* Finishes waits whose semaphore is signalled now. The lock is held. */
void semaphores_take(struct sched *sched, struct op **done)
{
	struct mem_semaphore *semaphore = sched->semaphores;

	for (; semaphore; semaphore = semaphore->next)
		while (semaphore->first && semaphore_take(semaphore))
			semaphore_pop(semaphore, done);
}

/* Finishes all waits. The scheduler's lock is held. */
void semaphores_give_up(struct sched *sched, struct op **done)
{
	struct mem_semaphore *semaphore = sched->semaphores;

	for (; semaphore; semaphore = semaphore->next)
		while (semaphore->first)
			semaphore_pop(semaphore, done);
}

/* Returns true if the semaphore is polled, and so was not freed meanwhile. */
static bool sched_polls(const struct sched *sched, const void *semaphore)
{
	const struct mem_semaphore *one = sched->semaphores;

	while (one && one != semaphore)
		one = one->next;
	return one;
}

/*
 * Finishes the waits for which the semaphore has signals. The caller must hold
 * the scheduler's lock and a reference to the context.
 */
static void semaphore_serve(struct mem_semaphore *semaphore)
{
	struct sched *sched = &semaphore->ctx->sched;
	struct op *done;

	/* The last wait may have the last reference. */
	semaphore->nr_users++;
	while (semaphore->first && semaphore_take(semaphore)) {
		done = NULL;
		semaphore_pop(semaphore, &done);
		ops_finish(sched, done);
	}
	if (semaphore->first)
		semaphore_arm(semaphore);
	semaphore_put(semaphore);
}

static void *poller_main(void *arg)
{
	struct mem_ctx *ctx = arg;
	struct sched *sched = &ctx->sched;
	struct epoll_event event;
	struct mem_semaphore *semaphore;
	bool is_due;

	for (;;) {
		if (!own_fd_is_open(&sched->poll))
			return NULL;
		if (epoll_wait(sched->poll.nr, &event, 1, -1) != 1) {
			if (errno == EINTR)
				continue;
			return NULL;
		}
		semaphore = event.data.ptr;
		sched_lock(ctx);
		if (sched->is_stopping) {
			sched_unlock(ctx);
			return NULL;
		}
		/* Waits have references: without one, it may be being freed. */
		is_due = sched_polls(sched, semaphore) && semaphore->first;
		if (is_due) {
			ctx_get(ctx);
			semaphore_serve(semaphore);
		}
		sched_unlock(ctx);
		if (is_due && ctx_put(ctx))
			return NULL;
	}
}

static void poller_close(struct sched *sched)
{
	own_fd_close(&sched->stop);
	own_fd_close(&sched->poll);
}

static int poller_open(struct sched *sched)
{
	struct epoll_event stop = { .events = EPOLLIN };
	int err;

	err = own_fd_take(&sched->poll, epoll_create1(EPOLL_CLOEXEC));
	if (err)
		return err;
	err = own_event_open(&sched->stop);
	if (!err && epoll_ctl(sched->poll.nr, EPOLL_CTL_ADD, sched->stop.nr,
			      &stop))
		err = -errno;
	if (err)
		poller_close(sched);
	return err;
}

/* Starts the thread at the first wait. The scheduler's lock is held. */
static int poller_start(struct mem_ctx *ctx)
{
	struct sched *sched = &ctx->sched;
	sigset_t old;
	int err;

	if (sched->is_polling)
		return 0;
	err = poller_open(sched);
	if (err)
		return err;
	signals_block(&old);
	err = pthread_create(&sched->poller, NULL, poller_main, ctx);
	signals_restore(&old);
	if (err) {
		poller_close(sched);
		return -ENOMEM;
	}
	pthread_setname_np(sched->poller, "libmem-wait");
	sched->is_polling = true;
	return 0;
}

/* Prepares a wait, which cannot fail afterwards. The lock is held. */
static int semaphore_make_polled(struct mem_semaphore *semaphore)
{
	struct sched *sched = &semaphore->ctx->sched;
	struct epoll_event event = {
		.events = semaphore->timeline ? EPOLLIN | EPOLLET :
						EPOLLONESHOT,
		.data.ptr = semaphore,
	};
	struct epoll_event life = {
		.events = EPOLLET,
		.data.ptr = semaphore,
	};
	int err;

	if (!own_fd_is_open(&semaphore->file) ||
	    (sched->is_polling && !own_fd_is_open(&sched->poll)))
		return -EBADF;
	if (semaphore->is_polled)
		return 0;
	err = poller_start(semaphore->ctx);
	if (err)
		return err;
	if (epoll_ctl(sched->poll.nr, EPOLL_CTL_ADD, semaphore->file.nr,
		      &event))
		return -ENOMEM;
	if (own_fd_is_open(&semaphore->reader) &&
	    epoll_ctl(sched->poll.nr, EPOLL_CTL_ADD, semaphore->reader.nr,
		      &life)) {
		epoll_ctl(sched->poll.nr, EPOLL_CTL_DEL, semaphore->file.nr,
			  NULL);
		return -ENOMEM;
	}
	semaphore->next = sched->semaphores;
	if (semaphore->next)
		semaphore->next->prev = semaphore;
	sched->semaphores = semaphore;
	semaphore->is_polled = true;
	return 0;
}

/*
 * Ends the thread, after the context was marked as stopping. Returns true if
 * the caller is that thread.
 */
bool semaphores_fini(struct sched *sched)
{
	bool is_self;

	if (!sched->is_polling)
		return false;
	is_self = pthread_equal(sched->poller, pthread_self());
	if (is_self) {
		pthread_detach(sched->poller);
	} else if (own_fd_is_open(&sched->stop)) {
		own_event_set(&sched->stop, true);
		pthread_join(sched->poller, NULL);
	}
	poller_close(sched);
	return is_self;
}

static int semaphore_submit(struct mem_stream *stream,
			    struct mem_semaphore *semaphore, enum op_kind kind)
{
	struct mem_ctx *ctx;
	struct op *op;
	int err;

	if (!stream || !semaphore)
		return -EINVAL;
	ctx = stream->ctx;
	if (semaphore->ctx != ctx)
		return -EXDEV;
	err = ctx_check(ctx);
	if (err)
		return err;
	op = op_create(stream, kind);
	if (!op)
		return -ENOMEM;
	sched_lock(ctx);
	if (kind == OP_WAIT)
		err = semaphore_make_polled(semaphore);
	/* It orders operations of the stream, but is no wait of the host. */
	if (!err)
		err = order_mark_wait(stream, NULL);
	if (!err) {
		op->semaphore = semaphore;
		op->ticket = order_model_of(stream)->last;
		semaphore->nr_users++;
	}
	return op_submit_unlock(op, NULL, err);
}

API int mem_stream_wait_semaphore(struct mem_stream *stream,
				  struct mem_semaphore *semaphore)
{
	return semaphore_submit(stream, semaphore, OP_WAIT);
}

API int mem_stream_signal_semaphore(struct mem_stream *stream,
				    struct mem_semaphore *semaphore)
{
	return semaphore_submit(stream, semaphore, OP_SIGNAL);
}

API int mem_stream_wait_fence(struct mem_stream *stream, int fd)
{
	struct mem_semaphore *fence;
	int err;

	if (!stream)
		return -EINVAL;
	err = semaphore_import(stream->ctx, fd, fence_names, &fence);
	if (err)
		return err;
	fence->is_fence = true;
	err = semaphore_submit(stream, fence, OP_WAIT);
	/* The wait has a reference. */
	mem_semaphore_destroy(fence);
	return err;
}

/* Submits a wait for a point of a timeline, or its signal. */
static int timeline_submit(struct mem_stream *stream,
			   struct mem_timeline *timeline, uint64_t point,
			   enum op_kind kind)
{
	const unsigned int perm = kind == OP_WAIT ? MEM_READ : MEM_WRITE;
	struct mem_semaphore *semaphore;
	int err;

	if (!stream || !timeline)
		return -EINVAL;
	err = ctx_check(stream->ctx);
	if (err)
		return err;
	if (!(timeline->perm & perm))
		return -EACCES;
	if (!own_fd_is_open(&timeline->event) ||
	    !own_fd_is_open(&timeline->life))
		return -EBADF;
	err = semaphore_open(stream->ctx, timeline->event.nr, &semaphore);
	if (err)
		return err;
	semaphore->timeline = mem_timeline_get(timeline);
	semaphore->point = point;
	semaphore->is_certain = true;
	if (kind == OP_WAIT)
		err = own_fd_copy(&semaphore->reader, timeline->life.nr);
	if (!err)
		err = semaphore_submit(stream, semaphore, kind);
	/* The operation has a reference. */
	mem_semaphore_destroy(semaphore);
	return err;
}

API int mem_stream_wait_timeline(struct mem_stream *stream,
				 struct mem_timeline *timeline, uint64_t point)
{
	return timeline_submit(stream, timeline, point, OP_WAIT);
}

API int mem_stream_signal_timeline(struct mem_stream *stream,
				   struct mem_timeline *timeline,
				   uint64_t point)
{
	return timeline_submit(stream, timeline, point, OP_SIGNAL);
}

/**
 * fence_check() - check a descriptor that another process has sent
 * @fd: descriptor
 *
 * Return: 0 if mem_stream_wait_fence() accepts it, else -EINVAL or -EBADF.
 */
int fence_check(int fd)
{
	return semaphore_check_name(fd, fence_names);
}

/* Submits the signal of a fence whatever becomes of the work before it. */
static int fence_submit(struct mem_stream *stream, struct mem_semaphore *fence)
{
	int err;

	fence->is_certain = true;
	err = semaphore_submit(stream, fence, OP_SIGNAL);
	/* The signal has a reference. */
	mem_semaphore_destroy(fence);
	return err;
}

/* Creates a pipe and a semaphore whose signal writes to it. */
static int fence_create(struct mem_ctx *ctx, struct own_fd *reader,
			struct mem_semaphore **semaphore)
{
	struct own_fd writer;
	int fds[2], err;

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	err = own_fd_take(&writer, fds[1]);
	if (err) {
		fd_close(fds[0]);
		return err;
	}
	err = own_fd_take(reader, fds[0]);
	if (err)
		goto err_close_writer;
	*semaphore = semaphore_create(ctx, writer);
	if (*semaphore)
		return 0;
	err = -ENOMEM;
	own_fd_close(reader);
err_close_writer:
	own_fd_close(&writer);
	return err;
}

/**
 * stream_fence() - create a fence for other contexts and processes
 * @stream: stream
 * @fence: out: the reading end of a pipe, for mem_stream_wait_fence(), owned by
 *	the caller. It polls readable once all work that the stream has now has
 *	ended, even if that has failed or was dropped, or the process has
 *	ended. For the latter, an eventfd does not serve
 *
 * Return: 0, or as mem_stream_signal_semaphore().
 */
int stream_fence(struct mem_stream *stream, struct own_fd *fence)
{
	struct mem_semaphore *semaphore = NULL;
	struct own_fd new;
	int err;

	err = ctx_check(stream->ctx);
	if (!err)
		err = fence_create(stream->ctx, &new, &semaphore);
	if (err)
		return err;
	err = own_fd_copy(&semaphore->reader, new.nr);
	if (err)
		mem_semaphore_destroy(semaphore);
	else
		err = fence_submit(stream, semaphore);
	if (err)
		own_fd_close(&new);
	else
		*fence = new;
	return err;
}

/* Makes a fence of the backend, which other drivers can wait for. */
static int stream_sync_file(struct mem_stream *stream, int *fd)
{
	struct mem_ctx *ctx = stream->ctx;
	struct mem_semaphore *semaphore;
	uint64_t id;
	int err, file;

	err = ctx->backend->fence_create(ctx, &file, &id);
	if (err)
		return err;
	semaphore = semaphore_create(ctx, OWN_FD_NONE);
	if (semaphore) {
		semaphore->has_id = true;
		semaphore->id = id;
		err = fence_submit(stream, semaphore);
	} else {
		err = -ENOMEM;
	}
	if (!err) {
		*fd = file;
		return 0;
	}
	ctx->backend->fence_signal(ctx, id, err);
	fd_close(file);
	return err;
}

/* Makes a fence that also ends with the process. */
static int stream_pipe(struct mem_stream *stream, int *fd)
{
	struct own_fd fence;
	int err, copy;

	err = stream_fence(stream, &fence);
	if (err)
		return err;
	copy = own_fd_dup(&fence);
	own_fd_close(&fence);
	if (copy < 0)
		return copy;
	*fd = copy;
	return 0;
}

API int mem_stream_fence(struct mem_stream *stream, int *fd)
{
	int err;

	if (!stream || !fd)
		return -EINVAL;
	err = ctx_check(stream->ctx);
	if (err)
		return err;
	return stream->ctx->backend->fence_create ?
		stream_sync_file(stream, fd) : stream_pipe(stream, fd);
}
