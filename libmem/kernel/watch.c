// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Violations: those of the module, which are read, and those that only the
 * owner of an engine can detect. The latter are recorded for `heapsim run`
 * here; it reads all others from the module. kernel_ctx.lock protects all
 * members.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../violations.h"
#include "kernel.h"

#define SAME_KIND(kind)							\
	static_assert((int)MEM_VIOLATION_##kind ==			\
		      (int)HEAPSIM_RECORD_##kind, "they have the same numbers")

SAME_KIND(DROPPED);
SAME_KIND(STALE_READ);
SAME_KIND(POSSIBLE_STALE_READ);
SAME_KIND(LOST_DEVICE_WRITE);
SAME_KIND(LOST_CPU_WRITE);
SAME_KIND(MISSING_CLEAN);
SAME_KIND(WRITE_CONFLICT);
SAME_KIND(UNBRACKETED_ACCESS);
SAME_KIND(MISSING_END);
SAME_KIND(UNMATCHED_END);
SAME_KIND(SHARED_LINE);
SAME_KIND(REDUNDANT_CLEAN);
SAME_KIND(REDUNDANT_INVALIDATE);
SAME_KIND(CPU_WHILE_ACTIVE);
SAME_KIND(ENGINE_NOT_ATTACHED);
SAME_KIND(CPU_ON_DEVICE);
SAME_KIND(UNENDED_READ);
/* Kinds of libmem are above those of the module; all fit into 32 bits. */
static_assert((int)MEM_VIOLATION_ATOMIC_ON_UNCACHED ==
	      (int)HEAPSIM_NR_RECORD_KINDS &&
	      (int)MEM_VIOLATION_INVALID_HANDLE < (int)HEAPSIM_RECORD_FILL &&
	      (int)HEAPSIM_RECORD_FILL == 32, "no two kinds have one number");
static_assert((int)MEM_MISSING_ATTACH == (int)HEAPSIM_MISSING_ATTACH,
	      "missing operations have the same numbers");
static_assert((int)MEM_OTHER_PROCESS == (int)HEAPSIM_OTHER_PROCESS,
	      "others have the same numbers");
static_assert(MEM_WATCH_MAX == HEAPSIM_WATCH_MAX_RECORDS, "as many may wait");

/**
 * kernel_watch_open() - open the device to watch this process
 * @ctx: context
 * @what: MEM_WATCH_*, or 0
 * @nr: length of the queue of records, above 0
 *
 * Return: a descriptor, owned by the caller, or -errno.
 */
int kernel_watch_open(const struct kernel_ctx *ctx, unsigned int what,
		      uint32_t nr)
{
	struct heapsim_watch arg = {
		.size = sizeof(arg),
		.scope = HEAPSIM_WATCH_PROCESS,
		.nr_records = nr,
		.record_size = sizeof(struct heapsim_record),
	};
	int fd, err;

	if (what & MEM_WATCH_ERRORS)
		arg.kinds |= HEAPSIM_KINDS_ERRORS;
	if (what & MEM_WATCH_WASTE)
		arg.kinds |= HEAPSIM_KINDS_WASTE;
	/* An older module refuses kinds that it does not know. */
	if (!(ctx->features & HEAPSIM_FEATURE_RIGHTS))
		arg.kinds &= ~HEAPSIM_KINDS_STREAMS;
	fd = open_again("/dev/heapsim", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return fd;
	err = ioctl_again(fd, HEAPSIM_IOC_WATCH, &arg);
	if (!err)
		return fd;
	fd_close(fd);
	return err;
}

/**
 * kernel_watch_begin() - start to queue violations
 * @ctx: context
 * @what: MEM_WATCH_*
 * @nr: length of the queue
 *
 * Return: 0; -EBUSY if the context watches already; -ENOMEM; or -errno.
 */
int kernel_watch_begin(struct kernel_ctx *ctx, unsigned int what, uint32_t nr)
{
	struct violations *found;
	int fd;

	found = violations_create(what, nr);
	if (!found)
		return -ENOMEM;
	pthread_mutex_lock(&ctx->lock);
	fd = ctx->watch_fd < 0 ? kernel_watch_open(ctx, what, nr) : -EBUSY;
	if (fd >= 0) {
		ctx->watch_fd = fd;
		ctx->found = found;
	}
	pthread_mutex_unlock(&ctx->lock);
	if (fd >= 0)
		return 0;
	violations_destroy(found);
	return fd;
}

/**
 * kernel_watch_end() - stop to queue violations
 * @ctx: context that is being freed
 */
void kernel_watch_end(struct kernel_ctx *ctx)
{
	violations_destroy(ctx->found);
	own_fd_close(&ctx->watch_poll);
	if (ctx->watch_fd >= 0)
		fd_close(ctx->watch_fd);
}

static int poll_add(const struct kernel_ctx *ctx, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(ctx->watch_poll.nr, EPOLL_CTL_ADD, fd, &event) ?
	       -errno : 0;
}

/* Creates an epoll of both queues. The lock is held. */
static int poll_open(struct kernel_ctx *ctx)
{
	int err = violations_open_event(ctx->found);

	if (err)
		return err;
	err = own_fd_take(&ctx->watch_poll, epoll_create1(EPOLL_CLOEXEC));
	if (!err)
		err = poll_add(ctx, ctx->watch_fd);
	if (!err)
		err = poll_add(ctx, ctx->found->event.nr);
	if (err)
		own_fd_close(&ctx->watch_poll);
	return err;
}

/**
 * kernel_watch_fd() - return a descriptor to poll for violations
 * @ctx: context
 * @fd: out: owned by the caller
 *
 * Return: 0; -EINVAL if the context does not watch; or -errno.
 */
int kernel_watch_fd(struct kernel_ctx *ctx, int *fd)
{
	int err = 0;

	pthread_mutex_lock(&ctx->lock);
	if (ctx->watch_fd < 0)
		err = -EINVAL;
	else if (ctx->watch_poll.nr < 0)
		err = poll_open(ctx);
	if (!err)
		err = own_fd_dup(&ctx->watch_poll);
	pthread_mutex_unlock(&ctx->lock);
	if (err < 0)
		return err;
	*fd = err;
	return 0;
}

static const struct kernel_buf *buf_find(const struct kernel_ctx *ctx,
					 uint64_t id)
{
	const struct kernel_buf *buf;

	for (buf = ctx->bufs; buf && buf->id != id; buf = buf->next)
		;
	return buf;
}

/* Completes a violation with what only the library knows. */
static void watch_complete(const struct kernel_ctx *ctx,
			   const struct heapsim_record *r,
			   struct mem_violation *v)
{
	const struct kernel_buf *buf = buf_find(ctx, r->buf);
	const struct acting *acting;

	if (buf && buf->name[0])
		memcpy(v->name, buf->name, sizeof(v->name));
	if (r->other.type != HEAPSIM_OTHER_ENGINE)
		return;
	acting = kernel_rights_remember(ctx, r->other.job, r->other.time_ns);
	if (acting)
		v->other_kernel = acting->kernel;
}

static void watch_violation_of(const struct heapsim_record *r,
			       struct mem_violation *v)
{
	v->kind = r->kind;
	if (r->missing <= MEM_MISSING_ATTACH)
		v->missing = r->missing;
	v->other = r->other.type;
	v->count = r->count;
	v->buf = r->buf;
	v->off = r->off;
	v->len = r->len;
	v->time_ns = r->time_ns;
	memcpy(v->name, r->name, sizeof(v->name));
	v->cpu_ip = r->cpu.ip;
	v->cpu_addr = r->cpu.addr;
	v->cpu_time_ns = r->cpu.time_ns;
	v->cpu_tid = r->cpu.tid;
	v->is_write = r->cpu.is_write;
	v->other_time_ns = r->other.time_ns;
	v->other_job = r->other.job;
	if (r->other.type == HEAPSIM_OTHER_ENGINE)
		v->other_stream = r->other.stream;
	memcpy(v->other_name, r->other.name, sizeof(v->other_name));
	v->attach = r->attach;
	if (r->attach == HEAPSIM_ATTACH_SINGLE)
		v->attach_stream = r->attach_stream;
}

/**
 * kernel_watch_next() - return the next violation
 * @ctx: context
 * @violation: out: all members except the size
 *
 * Return: 1, 0 if none waits, -EINVAL (the context does not watch), or -errno.
 */
int kernel_watch_next(struct kernel_ctx *ctx, struct mem_violation *violation)
{
	struct heapsim_record record;
	ssize_t len;
	int fd, ret;

	pthread_mutex_lock(&ctx->lock);
	fd = ctx->watch_fd;
	ret = ctx->found ? violations_take(ctx->found, violation) : -EINVAL;
	pthread_mutex_unlock(&ctx->lock);
	if (ret)
		return ret;
	do {
		len = syscall(SYS_read, fd, &record, sizeof(record));
	} while (len < 0 && errno == EINTR);
	if (len < 0)
		return errno == EAGAIN ? 0 : -errno;
	watch_violation_of(&record, violation);
	pthread_mutex_lock(&ctx->lock);
	watch_complete(ctx, &record, violation);
	pthread_mutex_unlock(&ctx->lock);
	return 1;
}

static void watch_add_work(struct mem_violation *v, const struct work *work)
{
	if (!work)
		return;
	v->other = MEM_OTHER_ENGINE;
	v->other_job = work->acting.job;
	v->other_stream = work->acting.stream;
	v->other_kernel = work->acting.kernel;
	v->other_time_ns = work->acting.time_ns;
	strcpy(v->other_name, work->acting.engine);
}

/* The caller must hold the lock. */
static void watch_report(struct kernel_ctx *ctx, const struct mem_violation *v,
			 const struct work *work)
{
	const struct record_facts beside = {
		.other_stack = work ? work->acting.stack : 0,
	};

	record_add_violation(v, &beside);
	if (ctx->found)
		violations_add(ctx->found, v);
}

/**
 * kernel_watch_failed() - report an illegal address, or a kernel that failed
 * @ctx: context
 * @result: result for which engine_is_failed() returns true
 * @work: the job
 * @refused: kind of memory that it touched, as text; NULL: @result has it
 */
void kernel_watch_failed(struct kernel_ctx *ctx,
			 const struct engine_result *result,
			 const struct work *work, const char *refused)
{
	struct mem_violation v = violation_of_failed(result, refused);

	watch_add_work(&v, work);
	pthread_mutex_lock(&ctx->lock);
	watch_report(ctx, &v, work);
	pthread_mutex_unlock(&ctx->lock);
}

/**
 * kernel_watch_overrun() - report that bytes behind an allocation have changed
 * @ctx: context
 * @buf: allocation
 * @off: first byte that has changed
 * @ip: instruction of the kernel, 0: unknown
 * @work: work that changed it; NULL: the CPU
 *
 * Context: caller must hold the lock.
 */
void kernel_watch_overrun(struct kernel_ctx *ctx, const struct kernel_buf *buf,
			  uint64_t off, uintptr_t ip, const struct work *work)
{
	struct mem_violation v = {
		.kind = MEM_VIOLATION_OVERRUN,
		.count = 1,
		.buf = buf->id,
		.off = off,
		.len = 1,
		.time_ns = now_ns(),
		.is_write = true,
		.other_ip = ip,
	};

	/* heapsim run --policy=off: nothing is checked. */
	if (record_policy() == MEM_POLICY_OFF)
		return;
	memcpy(v.name, buf->name, sizeof(v.name));
	watch_add_work(&v, work);
	watch_report(ctx, &v, work);
}
