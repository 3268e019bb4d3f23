// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Who may touch managed memory: the module is told of what the program asks
 * for, in the order of its calls. The scheduler's lock is held over each call
 * but those that look.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

/* A mark that is to spare keeps the module from forgetting a stream. */
#define MAX_SPARE	8U

/* EBUSY, which means other things above, is that the user has too much. */
static int submit(const struct kernel_ctx *ctx, unsigned long cmd, void *arg)
{
	int err;

	if (!(ctx->features & HEAPSIM_FEATURE_STREAMS))
		return -EOPNOTSUPP;
	err = ioctl_again(ctx->fd, cmd, arg);
	return err == -EBUSY ? -ENOMEM : err;
}

static uint64_t id_of(const struct mem_stream *stream)
{
	return stream->order ? stream->order->id : 0;
}

/**
 * kernel_order_fini() - the context goes
 * @ctx: context
 */
void kernel_order_fini(struct kernel_ctx *ctx)
{
	struct mark *mark;

	/* The events go with the open. */
	while ((mark = ctx->spare)) {
		ctx->spare = mark->next;
		free(mark);
	}
	free(ctx->streams);
}

/* Streams */

/* The module's ids are used again. */
static int streams_add(struct kernel_ctx *ctx, uint64_t id, uint64_t stream)
{
	size_t nr = ctx->nr_streams ? ctx->nr_streams : 8;
	uint64_t *all;

	while (nr <= id)
		nr *= 2;
	if (nr > ctx->nr_streams) {
		all = realloc(ctx->streams, nr * sizeof(*all));
		if (!all)
			return -ENOMEM;
		memset(all + ctx->nr_streams, 0,
		       (nr - ctx->nr_streams) * sizeof(*all));
		ctx->streams = all;
		ctx->nr_streams = nr;
	}
	ctx->streams[id] = stream;
	return 0;
}

/**
 * kernel_order_stream_of() - a stream by the module's id
 * @ctx: context
 * @id: the module's
 *
 * Context: the context's lock is held.
 * Return: the id of it, 0: the legacy one, or none.
 */
uint64_t kernel_order_stream_of(const struct kernel_ctx *ctx, uint64_t id)
{
	return id < ctx->nr_streams ? ctx->streams[id] : 0;
}

/**
 * kernel_order_stream_create() - a stream begins
 * @stream: gets its order
 *
 * Return: 0, -ENOMEM or -EOPNOTSUPP (an older module).
 */
int kernel_order_stream_create(struct mem_stream *stream)
{
	struct heapsim_stream_op arg = {
		.size = sizeof(arg),
		.flags = stream->is_blocking ? 0 : HEAPSIM_STREAM_NON_BLOCKING,
	};
	struct kernel_ctx *ctx = kernel_ctx_of(stream->ctx);
	struct order *order = calloc(1, sizeof(*order));
	int err;

	if (!order)
		return -ENOMEM;
	err = submit(ctx, HEAPSIM_IOC_STREAM_CREATE, &arg);
	if (err)
		goto err_free;
	pthread_mutex_lock(&ctx->lock);
	err = streams_add(ctx, arg.stream, stream->id);
	pthread_mutex_unlock(&ctx->lock);
	if (err)
		goto err_destroy;
	order->id = arg.stream;
	stream->order = order;
	return 0;

err_destroy:
	ioctl_again(ctx->fd, HEAPSIM_IOC_STREAM_DESTROY, &arg);
err_free:
	free(order);
	return err;
}

/**
 * kernel_order_stream_destroy() - it takes nothing more
 * @stream: stream
 * @reach: not written: what is due at its end the module does
 *
 * Return: 0 or -ENOMEM.
 */
int kernel_order_stream_destroy(struct mem_stream *stream, struct reach **reach)
{
	struct heapsim_stream_op arg = {
		.size = sizeof(arg),
		.stream = id_of(stream),
	};
	int err;

	(void)reach;
	err = submit(kernel_ctx_of(stream->ctx), HEAPSIM_IOC_STREAM_DESTROY,
		     &arg);
	if (!err) {
		free(stream->order);
		stream->order = NULL;
	}
	return err;
}

/**
 * kernel_order_stream_number() - as the module's records have it
 * @stream: stream
 *
 * Return: the module's id.
 */
uint64_t kernel_order_stream_number(const struct mem_stream *stream)
{
	return id_of(stream);
}

/* Marks: events, used again and again. */

static struct mark *spare_take(struct kernel_ctx *ctx)
{
	struct mark *mark;

	pthread_mutex_lock(&ctx->lock);
	mark = ctx->spare;
	if (mark) {
		ctx->spare = mark->next;
		ctx->nr_spare--;
	}
	pthread_mutex_unlock(&ctx->lock);
	return mark;
}

static bool spare_give(struct kernel_ctx *ctx, struct mark *mark)
{
	bool has_room;

	pthread_mutex_lock(&ctx->lock);
	has_room = ctx->nr_spare < MAX_SPARE;
	if (has_room) {
		mark->next = ctx->spare;
		ctx->spare = mark;
		ctx->nr_spare++;
	}
	pthread_mutex_unlock(&ctx->lock);
	return has_room;
}

static int mark_create(struct kernel_ctx *ctx, struct mark **made)
{
	struct heapsim_event_op arg = { .size = sizeof(arg) };
	struct mark *mark = spare_take(ctx);
	int err;

	if (!mark) {
		mark = calloc(1, sizeof(*mark));
		if (!mark)
			return -ENOMEM;
		err = submit(ctx, HEAPSIM_IOC_EVENT_CREATE, &arg);
		if (err) {
			free(mark);
			return err;
		}
		mark->event = arg.event;
	}
	*made = mark;
	return 0;
}

static int mark_make(struct mem_stream *stream, uint32_t flags,
		     struct mark **mark)
{
	struct heapsim_event_op arg = {
		.size = sizeof(arg),
		.flags = flags,
		.stream = id_of(stream),
	};
	struct kernel_ctx *ctx = kernel_ctx_of(stream->ctx);
	struct mark *new;
	int err;

	err = mark_create(ctx, &new);
	if (err)
		return err;
	arg.event = new->event;
	err = submit(ctx, HEAPSIM_IOC_EVENT_RECORD, &arg);
	if (err)
		kernel_order_mark_free(stream->ctx, new);
	else
		*mark = new;
	return err;
}

/**
 * kernel_order_mark() - behind all that a stream has so far
 * @stream: stream
 * @mark: out
 *
 * Return: 0 or -ENOMEM.
 */
int kernel_order_mark(struct mem_stream *stream, struct mark **mark)
{
	return mark_make(stream, 0, mark);
}

/**
 * kernel_order_mark_end() - the same, but it is no operation of the stream
 * @stream: stream
 * @mark: out
 *
 * Return: 0 or -ENOMEM.
 */
int kernel_order_mark_end(struct mem_stream *stream, struct mark **mark)
{
	const int err = mark_make(stream, HEAPSIM_EVENT_END, mark);

	/* An older module has a stream end with it. */
	return err == -EINVAL ? mark_make(stream, 0, mark) : err;
}

static int wait_for_mark(struct mem_stream *stream, struct mark *mark)
{
	struct heapsim_event_op arg = {
		.size = sizeof(arg),
		.event = mark->event,
		.stream = id_of(stream),
	};

	return submit(kernel_ctx_of(stream->ctx), HEAPSIM_IOC_EVENT_WAIT,
		      &arg);
}

/* For an event that was never recorded: in the stream's order all the same. */
static int wait_for_nothing(struct mem_stream *stream)
{
	struct kernel_ctx *ctx = kernel_ctx_of(stream->ctx);
	struct heapsim_event_op arg = { .size = sizeof(arg) };
	int err;

	err = submit(ctx, HEAPSIM_IOC_EVENT_CREATE, &arg);
	if (err)
		return err;
	arg.stream = id_of(stream);
	err = submit(ctx, HEAPSIM_IOC_EVENT_WAIT, &arg);
	arg.stream = 0;
	ioctl_again(ctx->fd, HEAPSIM_IOC_EVENT_DESTROY, &arg);
	return err;
}

/**
 * kernel_order_mark_wait() - further work of a stream is behind a mark
 * @stream: stream
 * @mark: mark; NULL: nothing
 *
 * Return: 0 or -ENOMEM.
 */
int kernel_order_mark_wait(struct mem_stream *stream, struct mark *mark)
{
	if (!mark)
		return wait_for_nothing(stream);
	return wait_for_mark(stream, mark);
}

/**
 * kernel_order_mark_sync() - the host has waited for all before a mark
 * @ctx: context
 * @mark: mark
 */
void kernel_order_mark_sync(struct mem_ctx *ctx, struct mark *mark)
{
	struct heapsim_sync arg = {
		.size = sizeof(arg),
		.scope = HEAPSIM_SYNC_EVENT,
		.id = mark->event,
	};

	ioctl_again(kernel_ctx_of(ctx)->fd, HEAPSIM_IOC_SYNC, &arg);
}

/**
 * kernel_order_mark_free() - nobody needs a mark any more
 * @base: context
 * @mark: mark
 */
void kernel_order_mark_free(struct mem_ctx *base, struct mark *mark)
{
	struct heapsim_event_op arg = {
		.size = sizeof(arg),
		.event = mark->event,
	};
	struct kernel_ctx *ctx = kernel_ctx_of(base);

	if (spare_give(ctx, mark))
		return;
	ioctl_again(ctx->fd, HEAPSIM_IOC_EVENT_DESTROY, &arg);
	free(mark);
}

/**
 * kernel_order_sync_all() - the host has waited for all
 * @ctx: context
 */
void kernel_order_sync_all(struct mem_ctx *ctx)
{
	struct heapsim_sync arg = {
		.size = sizeof(arg),
		.scope = HEAPSIM_SYNC_DEVICE,
	};

	ioctl_again(kernel_ctx_of(ctx)->fd, HEAPSIM_IOC_SYNC, &arg);
}

/* Attach states */

static_assert(HEAPSIM_ATTACH_GLOBAL == (int)MEM_ATTACH_GLOBAL &&
	      HEAPSIM_ATTACH_HOST == (int)MEM_ATTACH_HOST &&
	      HEAPSIM_ATTACH_SINGLE == (int)MEM_ATTACH_SINGLE,
	      "attach states have the same numbers");
#define COUNTERS_LEN \
	(sizeof(struct mem_attach_counters) - \
	 offsetof(struct mem_attach_counters, revoked))

static_assert(COUNTERS_LEN ==
	      offsetof(struct heapsim_attach_counters, cpu_on_device),
	      "counters are copied as a whole");
static_assert(offsetof(struct mem_attach_counters, engine_not_attached) -
	      offsetof(struct mem_attach_counters, revoked) ==
	      offsetof(struct heapsim_attach_counters, engine_not_attached),
	      "counters are copied as a whole");

/**
 * kernel_order_attach() - another attach state
 * @stream: in order of this one
 * @base: managed buffer of the same context
 * @how: MEM_ATTACH_*
 * @reach: not written: what is due then the module does
 *
 * Return: 0 or -ENOMEM.
 */
int kernel_order_attach(struct mem_stream *stream, struct mem_buf *base,
			unsigned int how, struct reach **reach)
{
	struct kernel_buf *buf = kernel_buf_of(base);
	struct heapsim_attach_op arg = {
		.size = sizeof(arg),
		.attach = how,
		.stream = id_of(stream),
		.buf = buf->id,
	};

	(void)reach;
	atomic_store(&buf->was_attached, true);
	return submit(kernel_ctx_of(stream->ctx), HEAPSIM_IOC_ATTACH, &arg);
}

static int attach_info(const struct kernel_ctx *ctx, uint64_t buf,
		       struct heapsim_attach_info *arg)
{
	*arg = (struct heapsim_attach_info) {
		.size = sizeof(*arg),
		.buf = buf,
	};
	return ioctl_again(ctx->fd, HEAPSIM_IOC_ATTACH_INFO, arg);
}

/**
 * kernel_order_attach_of() - newest attach state
 * @base: managed buffer
 *
 * Return: MEM_ATTACH_*.
 */
uint32_t kernel_order_attach_of(struct mem_buf *base)
{
	struct heapsim_attach_info arg;

	if (attach_info(kernel_ctx_of(base->ctx), kernel_buf_of(base)->id,
			&arg))
		return base->flags;
	return arg.attach;
}

/**
 * kernel_order_counters() - what was done
 * @base: context
 * @buf: managed buffer, of any context; NULL: all of this one
 * @count: out: all but the size
 */
void kernel_order_counters(struct mem_ctx *base, struct mem_buf *buf,
			   struct mem_attach_counters *count)
{
	struct heapsim_attach_info arg;

	if (attach_info(kernel_ctx_of(buf ? buf->ctx : base),
			buf ? kernel_buf_of(buf)->id : 0, &arg))
		memset(&arg.count, 0, sizeof(arg.count));
	memcpy(&count->revoked, &arg.count, COUNTERS_LEN);
}

/* Host functions */

/**
 * kernel_order_call_submit() - a host function is queued
 * @stream: in order of this one
 * @made: out
 *
 * Return: 0, -ENOMEM or -EOPNOTSUPP (an older module).
 */
int kernel_order_call_submit(struct mem_stream *stream, struct call **made)
{
	struct heapsim_host_op arg = {
		.size = sizeof(arg),
		.stream = id_of(stream),
	};
	struct call *call = calloc(1, sizeof(*call));
	int err;

	if (!call)
		return -ENOMEM;
	err = submit(kernel_ctx_of(stream->ctx), HEAPSIM_IOC_HOST_SUBMIT,
		     &arg);
	if (err) {
		free(call);
		return err;
	}
	call->host = arg.host;
	*made = call;
	return 0;
}

static void call_tell(struct mem_ctx *ctx, const struct call *call,
		      unsigned long cmd)
{
	struct heapsim_host_op arg = {
		.size = sizeof(arg),
		.host = call->host,
	};

	ioctl_again(kernel_ctx_of(ctx)->fd, cmd, &arg);
}

/**
 * kernel_order_call_begin() - it is called
 * @ctx: context
 * @call: it
 */
void kernel_order_call_begin(struct mem_ctx *ctx, struct call *call)
{
	call_tell(ctx, call, HEAPSIM_IOC_HOST_BEGIN);
}

/**
 * kernel_order_call_return() - it has returned
 * @ctx: context
 * @call: it; gone
 */
void kernel_order_call_return(struct mem_ctx *ctx, struct call *call)
{
	call_tell(ctx, call, HEAPSIM_IOC_HOST_RETURN);
	free(call);
}

/* Device work */

/*
 * A managed side is a device's when a job of the stream may touch it. Of one
 * with an attach under way in another stream the newest state is taken: the
 * module tells no other without a job.
 */
static bool is_devices(struct mem_stream *stream, const struct mem_buf *base)
{
	struct kernel_ctx *ctx = kernel_ctx_of(stream->ctx);
	const struct kernel_buf *buf;
	struct heapsim_attach_info arg;

	if (!base || base->kind == MEM_KIND_PINNED)
		return false;
	if (base->kind == MEM_KIND_DEVICE || is_heaps(base) ||
	    board_has_concurrent_access(ctx->base.board))
		return true;
	buf = containerof(base, struct kernel_buf, base);
	if (!atomic_load(&buf->was_attached))
		return base->flags == MEM_ATTACH_GLOBAL;
	if (attach_info(ctx, buf->id, &arg))
		return false;
	return arg.attach == HEAPSIM_ATTACH_GLOBAL ||
	       (arg.attach == HEAPSIM_ATTACH_SINGLE &&
		arg.attach_stream == id_of(stream));
}

/**
 * kernel_order_judge() - what a copy or set is
 * @stream: in order of this one
 * @dst: target, NULL: pageable
 * @src: source, NULL: pageable
 * @is_set: there is no source
 * @verdict: out
 *
 * The rules are those of attach_judge_copy() and attach_judge_set().
 *
 * Return: 0, or -EINVAL (nobody sets pageable memory).
 */
int kernel_order_judge(struct mem_stream *stream, const struct mem_buf *dst,
		       const struct mem_buf *src, bool is_set,
		       struct verdict *verdict)
{
	if (is_set) {
		if (!dst)
			return -EINVAL;
		*verdict = (struct verdict) {
			.dst_is_device = dst->kind != MEM_KIND_PINNED,
			.is_work = true,
			.is_waited_for = dst->kind != MEM_KIND_DEVICE &&
					 !is_heaps(dst),
		};
		return 0;
	}
	verdict->src_is_device = is_devices(stream, src);
	verdict->dst_is_device = is_devices(stream, dst);
	verdict->is_work = verdict->src_is_device || verdict->dst_is_device;
	verdict->is_waited_for = !verdict->dst_is_device ||
				 (!verdict->src_is_device && src &&
				  src->kind == MEM_KIND_PINNED);
	return 0;
}

/**
 * kernel_order_work_submit() - a device has something to do
 * @stream: in order of this one
 * @launch: a kernel, whose entry is set; NULL: a copy or set
 * @made: out
 *
 * Return: 0, -ENOMEM or -EOPNOTSUPP (an older module).
 */
int kernel_order_work_submit(struct mem_stream *stream,
			     const struct mem_launch *launch,
			     struct work **made)
{
	struct heapsim_work_op arg = {
		.size = sizeof(arg),
		.stream = id_of(stream),
	};
	struct kernel_ctx *ctx = kernel_ctx_of(stream->ctx);
	struct work *work = calloc(1, sizeof(*work));
	int err;

	if (!work)
		return -ENOMEM;
	work->stream = stream->id;
	work->engine = launch ? engine_name(launch->engine) : "dma";
	work->kernel = launch ? (uintptr_t)launch->entry : 0;
	work->stack = tell_stack(0);
	work->asked_ns = now_ns();
	strcpy(arg.name, work->engine);
	arg.kernel = tell_kernel(work->kernel);
	err = submit(ctx, HEAPSIM_IOC_WORK_SUBMIT, &arg);
	if (err == -E2BIG) {
		/* An older module draws no works. */
		arg.kernel = 0;
		err = submit(ctx, HEAPSIM_IOC_WORK_SUBMIT, &arg);
	}
	if (err) {
		free(work);
		return err;
	}
	work->submitted_ns = now_ns();
	work->id = arg.work;
	pthread_mutex_lock(&ctx->lock);
	ctx->remembered[work->id % NR_REMEMBERED] = *work;
	pthread_mutex_unlock(&ctx->lock);
	*made = work;
	return 0;
}

/**
 * kernel_order_remember() - a work that may have ended
 * @ctx: context
 * @id: the module's
 * @time_ns: when it was submitted
 *
 * Context: the context's lock is held.
 * Return: it, or NULL.
 */
const struct work *kernel_order_remember(const struct kernel_ctx *ctx,
					 uint64_t id, uint64_t time_ns)
{
	const struct work *work = &ctx->remembered[id % NR_REMEMBERED];

	if (!id || work->id != id || time_ns < work->asked_ns ||
	    time_ns > work->submitted_ns)
		return NULL;
	return work;
}

/**
 * kernel_order_may_touch() - may a work touch a managed buffer?
 * @ctx: context
 * @work: it
 * @buf: of the context
 * @is_write: it stores
 *
 * That it may not the module tells whoever watches.
 *
 * Return: true if so.
 */
bool kernel_order_may_touch(struct kernel_ctx *ctx, const struct work *work,
			    const struct kernel_buf *buf, bool is_write)
{
	struct heapsim_work_touch arg = {
		.size = sizeof(arg),
		.access = is_write ? HEAPSIM_ACCESS_WRITE :
				     HEAPSIM_ACCESS_READ,
		.work = work->id,
		.buf = buf->id,
	};

	return !ioctl_again(ctx->fd, HEAPSIM_IOC_WORK_TOUCH, &arg) &&
	       arg.is_allowed;
}

/**
 * kernel_order_work_touch() - what a copy or set is known to touch
 * @ctx: context
 * @work: it
 * @buf: of the context
 * @is_write: it writes that
 */
void kernel_order_work_touch(struct mem_ctx *ctx, struct work *work,
			     struct mem_buf *buf, bool is_write)
{
	if (buf->kind == MEM_KIND_MANAGED)
		kernel_order_may_touch(kernel_ctx_of(ctx), work,
				       kernel_buf_of(buf), is_write);
}

static void work_tell(const struct kernel_ctx *ctx, const struct work *work,
		      unsigned long cmd)
{
	struct heapsim_work_op arg = {
		.size = sizeof(arg),
		.work = work->id,
	};

	ioctl_again(ctx->fd, cmd, &arg);
}

/**
 * kernel_order_work_begin() - a work starts: what it sees is cleaned
 * @ctx: context
 * @work: it
 */
void kernel_order_work_begin(struct kernel_ctx *ctx, struct work *work)
{
	work->has_begun = true;
	work_tell(ctx, work, HEAPSIM_IOC_WORK_BEGIN);
}

/**
 * kernel_order_work_end() - it is done
 * @base: context
 * @work: it; gone
 */
void kernel_order_work_end(struct mem_ctx *base, struct work *work)
{
	struct kernel_ctx *ctx = kernel_ctx_of(base);

	/* One that an error has dropped. */
	if (!work->has_begun)
		kernel_order_work_begin(ctx, work);
	work_tell(ctx, work, HEAPSIM_IOC_WORK_END);
	free(work);
}
