// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What was found: by the module, which is read, and by the library, of what
 * only an engine's owner sees: that `heapsim run` is told of here, all else it
 * has from the module. kernel_ctx.lock protects all.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

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
/* libmem's own are beyond these, and fit into a mask of 32 bits. */
static_assert((int)MEM_VIOLATION_ATOMIC_ON_UNCACHED ==
	      (int)HEAPSIM_NR_RECORD_KINDS &&
	      (int)MEM_VIOLATION_READ_ONLY_WRITE < (int)HEAPSIM_RECORD_FILL &&
	      (int)HEAPSIM_RECORD_FILL == 32, "no two kinds have one number");
static_assert((int)MEM_MISSING_ATTACH == (int)HEAPSIM_MISSING_ATTACH,
	      "missing operations have the same numbers");
static_assert((int)MEM_OTHER_PROCESS == (int)HEAPSIM_OTHER_PROCESS,
	      "others have the same numbers");
static_assert(MEM_WATCH_MAX == HEAPSIM_WATCH_MAX_RECORDS, "as many may wait");

/**
 * kernel_watch_open() - an open of the device that watches this process
 * @ctx: context
 * @what: MEM_WATCH_*, or 0
 * @nr: records that may wait, above 0
 *
 * Return: its descriptor, the caller's, or -errno.
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
	if (!(ctx->features & HEAPSIM_FEATURE_STREAMS))
		arg.kinds &= ~HEAPSIM_KINDS_STREAMS;
	do {
		fd = open("/dev/heapsim", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	} while (fd < 0 && errno == EINTR);
	if (fd < 0)
		return -errno;
	err = ioctl_again(fd, HEAPSIM_IOC_WATCH, &arg);
	if (!err)
		return fd;
	close(fd);
	return err;
}

/**
 * kernel_watch_begin() - violations are kept from now on
 * @ctx: context
 * @what: MEM_WATCH_*
 * @nr: most that wait
 *
 * Return: 0, -EBUSY (it watches already) or -errno.
 */
int kernel_watch_begin(struct kernel_ctx *ctx, unsigned int what, uint32_t nr)
{
	int fd, err = 0;

	pthread_mutex_lock(&ctx->lock);
	if (ctx->watch_fd >= 0) {
		err = -EBUSY;
	} else {
		fd = kernel_watch_open(ctx, what, nr);
		if (fd < 0)
			err = fd;
		else
			ctx->watch_fd = fd;
		if (!err && what & MEM_WATCH_ERRORS)
			ctx->max_found = nr;
	}
	pthread_mutex_unlock(&ctx->lock);
	return err;
}

/**
 * kernel_watch_end() - nobody will ask
 * @ctx: context that goes
 */
void kernel_watch_end(struct kernel_ctx *ctx)
{
	struct found *found;

	while ((found = ctx->found)) {
		ctx->found = found->next;
		free(found);
	}
	own_fd_close(&ctx->watch_poll);
	own_fd_close(&ctx->found_event);
	if (ctx->watch_fd >= 0)
		close(ctx->watch_fd);
}

static int poll_add(const struct kernel_ctx *ctx, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(ctx->watch_poll.nr, EPOLL_CTL_ADD, fd, &event) ?
	       -errno : 0;
}

/* What the module finds, and what the library does; the lock is held. */
static int poll_open(struct kernel_ctx *ctx)
{
	int err = own_event_open(&ctx->found_event);

	if (err)
		return err;
	err = own_fd_take(&ctx->watch_poll, epoll_create1(EPOLL_CLOEXEC));
	if (!err)
		err = poll_add(ctx, ctx->watch_fd);
	if (!err)
		err = poll_add(ctx, ctx->found_event.nr);
	if (err) {
		own_fd_close(&ctx->watch_poll);
		own_fd_close(&ctx->found_event);
	} else if (ctx->found || ctx->nr_dropped) {
		own_event_set(&ctx->found_event, true);
	}
	return err;
}

/**
 * kernel_watch_fd() - a descriptor that polls readable while violations wait
 * @ctx: context
 * @fd: out: owned by the caller
 *
 * Return: 0, -EINVAL (the context does not watch) or -errno.
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

/* What the module does not know of a buffer and a work. */
static void complete(const struct kernel_ctx *ctx,
		     const struct heapsim_record *r, struct mem_violation *v)
{
	const struct kernel_buf *buf = buf_find(ctx, r->buf);
	const struct work *work;

	if (buf && buf->name[0])
		memcpy(v->name, buf->name, sizeof(v->name));
	if (r->attach == HEAPSIM_ATTACH_SINGLE)
		v->attach_stream = kernel_order_stream_of(ctx,
							  r->attach_stream);
	if (r->other.type != HEAPSIM_OTHER_ENGINE)
		return;
	work = kernel_order_remember(ctx, r->other.job, r->other.time_ns);
	if (work) {
		v->other_stream = work->stream;
		v->other_kernel = work->kernel;
	} else {
		v->other_stream = kernel_order_stream_of(ctx, r->other.stream);
	}
}

static void violation_of(const struct heapsim_record *r,
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
	memcpy(v->other_name, r->other.name, sizeof(v->other_name));
	v->attach = r->attach;
}

static int found_take(struct kernel_ctx *ctx, struct mem_violation *v)
{
	struct found *found = ctx->found;

	if (found) {
		*v = found->v;
		ctx->found = found->next;
		if (!ctx->found)
			ctx->last_found = NULL;
		ctx->nr_found--;
		free(found);
		return 1;
	}
	if (!ctx->nr_dropped)
		return 0;
	v->kind = MEM_VIOLATION_DROPPED;
	v->count = ctx->nr_dropped;
	ctx->nr_dropped = 0;
	return 1;
}

/**
 * kernel_watch_next() - the next violation
 * @ctx: context
 * @violation: out: all but the size
 *
 * Return: 1, 0: none waits; -EINVAL: the context does not watch; -errno.
 */
int kernel_watch_next(struct kernel_ctx *ctx, struct mem_violation *violation)
{
	struct heapsim_record record;
	ssize_t len;
	int fd, ret;

	pthread_mutex_lock(&ctx->lock);
	fd = ctx->watch_fd;
	ret = found_take(ctx, violation);
	if (!ctx->found && !ctx->nr_dropped)
		own_event_set(&ctx->found_event, false);
	pthread_mutex_unlock(&ctx->lock);
	if (fd < 0)
		return -EINVAL;
	if (ret)
		return ret;
	do {
		len = read(fd, &record, sizeof(record));
	} while (len < 0 && errno == EINTR);
	if (len < 0)
		return errno == EAGAIN ? 0 : -errno;
	violation_of(&record, violation);
	pthread_mutex_lock(&ctx->lock);
	complete(ctx, &record, violation);
	pthread_mutex_unlock(&ctx->lock);
	return 1;
}

static void add_work(struct mem_violation *v, const struct work *work)
{
	if (!work)
		return;
	v->other = MEM_OTHER_ENGINE;
	v->other_job = work->id;
	v->other_stream = work->stream;
	v->other_kernel = work->kernel;
	v->other_time_ns = work->submitted_ns;
	strcpy(v->other_name, work->engine);
}

/* The lock is held. */
static void tell(struct kernel_ctx *ctx, const struct mem_violation *v,
		 const struct work *work)
{
	const struct tell beside = { .other_stack = work ? work->stack : 0 };
	struct found *found = NULL;

	tell_violation(v, &beside);
	if (!ctx->max_found)
		return;
	own_event_set(&ctx->found_event, true);
	if (ctx->nr_found < ctx->max_found)
		found = calloc(1, sizeof(*found));
	if (!found) {
		ctx->nr_dropped++;
		return;
	}
	found->v = *v;
	if (ctx->last_found)
		ctx->last_found->next = found;
	else
		ctx->found = found;
	ctx->last_found = found;
	ctx->nr_found++;
}

/**
 * kernel_watch_failed() - a kernel touched what is not an engine's, or did not
 * return
 * @ctx: context
 * @result: of its job, as engine_is_failed() has it
 * @work: the job
 * @refused: what was not given to it, in words; NULL: @result knows
 */
void kernel_watch_failed(struct kernel_ctx *ctx,
			 const struct engine_result *result,
			 const struct work *work, const char *refused)
{
	const bool is_illegal = result->status == -EFAULT;
	struct mem_violation v = {
		.kind = is_illegal ? MEM_VIOLATION_ILLEGAL_ADDRESS :
				     MEM_VIOLATION_FAILED_KERNEL,
		.count = 1,
		.time_ns = now_ns(),
		.cpu_addr = result->addr,
		.is_write = result->is_write,
		.other_ip = result->ip,
	};

	if (!is_illegal)
		strcpy(v.name, engine_end_name(result));
	else
		strcpy(v.name, refused ? refused :
					 engine_place_name(result->place));
	add_work(&v, work);
	pthread_mutex_lock(&ctx->lock);
	tell(ctx, &v, work);
	pthread_mutex_unlock(&ctx->lock);
}

/**
 * kernel_watch_overrun() - bytes behind an allocation have changed
 * @ctx: context
 * @buf: allocation
 * @off: the first of them
 * @ip: instruction of the kernel, 0: not known
 * @work: that did it; NULL: the CPU
 *
 * Context: the lock is held.
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

	/* heapsim run wants nothing looked at. */
	if (tell_policy() == MEM_POLICY_OFF)
		return;
	memcpy(v.name, buf->name, sizeof(v.name));
	add_work(&v, work);
	tell(ctx, &v, work);
}
