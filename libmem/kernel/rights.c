// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The CPU's right to touch managed memory, which the module enforces. order/
 * computes it, and calls rights_ops with the facts that the module needs: which
 * streams are active, which attach state a buffer has, and what a job may
 * touch. Each call is one command of the module (struct heapsim_stream_id and
 * what follows it there).
 *
 * The order lock is held during each command, so that the module receives them
 * in the order of the decisions. Ids of streams and works are libmem's own.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

static_assert(HEAPSIM_ATTACH_GLOBAL == (int)MEM_ATTACH_GLOBAL &&
	      HEAPSIM_ATTACH_HOST == (int)MEM_ATTACH_HOST &&
	      HEAPSIM_ATTACH_SINGLE == (int)MEM_ATTACH_SINGLE,
	      "attach states have the same numbers");

/* Verdicts that need no allocation; most works have none. */
#define NR_VERDICTS_ON_STACK	32

/**
 * struct rights_stream - a stream
 * @order: its order
 * @id: its id, which is the module's, too
 */
struct rights_stream {
	struct order order;
	uint64_t id;
};

/* EBUSY, which no other cause has here, means that the user has too much. */
static int rights_command(const struct kernel_ctx *ctx, unsigned long cmd,
			  void *arg)
{
	int err;

	if (!(ctx->features & HEAPSIM_FEATURE_RIGHTS))
		return -EOPNOTSUPP;
	err = ioctl_again(ctx->fd, cmd, arg);
	return err == -EBUSY ? -ENOMEM : err;
}

static uint64_t rights_id_of(const struct kernel_ctx *ctx,
			     const struct attach_stream *model)
{
	if (model == &ctx->order.model.null_stream)
		return 0;
	return containerof(model, struct rights_stream, order.model)->id;
}

/* Streams */

static int rights_stream_set(const struct kernel_ctx *ctx, uint64_t stream,
			     uint32_t flags)
{
	struct heapsim_stream_state arg = {
		.size = sizeof(arg),
		.flags = flags,
		.stream = stream,
	};

	return rights_command(ctx, HEAPSIM_IOC_STREAM_STATE, &arg);
}

/**
 * kernel_rights_choose() - state to the module that libmem knows the order
 * @ctx: context that has no buffers yet
 *
 * The first command decides how the module treats managed buffers. This one
 * changes nothing else: no stream is active yet. An older module has no such
 * commands, and no managed memory is allocated over it.
 *
 * Return: 0 or -errno.
 */
int kernel_rights_choose(const struct kernel_ctx *ctx)
{
	const int err = rights_stream_set(ctx, 0, 0);

	return err == -EOPNOTSUPP ? 0 : err;
}

static int rights_stream_create(struct mem_stream *stream)
{
	struct heapsim_stream_id arg = {
		.size = sizeof(arg),
		.stream = stream->id,
	};
	struct rights_stream *new = calloc(1, sizeof(*new));
	int err;

	if (!new)
		return -ENOMEM;
	err = rights_command(kernel_ctx_of(stream->ctx), HEAPSIM_IOC_STREAM_ADD,
			     &arg);
	if (err) {
		free(new);
		return err;
	}
	new->id = stream->id;
	stream->order = &new->order;
	return 0;
}

static void rights_stream_destroy(struct mem_ctx *ctx, struct order *order)
{
	struct rights_stream *stream = containerof(order, struct rights_stream,
						   order);
	struct heapsim_stream_id arg = {
		.size = sizeof(arg),
		.stream = stream->id,
	};

	rights_command(kernel_ctx_of(ctx), HEAPSIM_IOC_STREAM_REMOVE, &arg);
	free(stream);
}

static void rights_stream_state(struct mem_ctx *base,
				struct attach_stream *model, bool again_own,
				bool again_all)
{
	const struct kernel_ctx *ctx = kernel_ctx_of(base);
	uint32_t flags = 0;

	if (model->is_active) {
		flags = HEAPSIM_STREAM_ACTIVE;
	} else {
		if (again_own)
			flags |= HEAPSIM_STREAM_SEEN_AGAIN;
		if (again_all)
			flags |= HEAPSIM_STREAM_GLOBAL_AGAIN;
	}
	rights_stream_set(ctx, rights_id_of(ctx, model), flags);
}

/* Attach states */

/*
 * Sends a command about a buffer; all but the buffer and its blocker is set. A
 * blocker that is not stated again stays, until it becomes idle.
 */
static void rights_send(struct mem_buf *base, struct heapsim_buf_attach *arg)
{
	const struct kernel_ctx *ctx = kernel_ctx_of(base->ctx);
	const struct attach_stream *blocker = base->order->model.blocker;

	arg->size = sizeof(*arg);
	arg->buf = kernel_buf_of(base)->id;
	if (blocker && arg->right != HEAPSIM_RIGHT_TABLE) {
		arg->flags |= HEAPSIM_ATTACH_HAS_BLOCKER;
		arg->blocker = rights_id_of(ctx, blocker);
	}
	rights_command(ctx, HEAPSIM_IOC_BUF_ATTACH, arg);
}

/*
 * Until a stream has reached an earlier prefetch to the CPU, the jobs before
 * that may write, and an invalidate is due when the CPU gets the right.
 */
static bool rights_is_due(const struct order_buf *order)
{
	return right_is_due(&order->model.right) || order->nr_to_drop;
}

/*
 * A buffer that leaves its group is no news to the module, which has received
 * the new state before.
 */
static void rights_attach(struct mem_buf *buf, u32 what)
{
	struct heapsim_buf_attach arg = { .right = HEAPSIM_RIGHT_SAME };

	if (what & ATTACH_CLEAN)
		arg.flags |= HEAPSIM_ATTACH_CLEAN;
	if (what & ATTACH_CPU_INVALIDATE)
		arg.flags |= HEAPSIM_ATTACH_INVALIDATE;
	if (what & ATTACH_REVOKE)
		arg.right = HEAPSIM_RIGHT_REFUSED;
	if (what & ATTACH_RESTORE)
		arg.right = HEAPSIM_RIGHT_ALLOWED;
	if (what & ATTACH_JOIN) {
		arg.right = HEAPSIM_RIGHT_TABLE;
		if (rights_is_due(buf->order))
			arg.flags |= HEAPSIM_ATTACH_DUE;
	}
	if (arg.flags || arg.right ||
	    (what & ATTACH_BLOCKER && buf->order->model.blocker))
		rights_send(buf, &arg);
}

/* From now on the table does not apply, until the new state is known done. */
static void rights_attached(struct mem_buf *buf,
			    const struct record_attach *how)
{
	struct heapsim_buf_attach arg = {
		.flags = HEAPSIM_ATTACH_NEWEST,
		.stream = how->stream,
		.attach = how->attach,
		.right = HEAPSIM_RIGHT_ALONE,
	};

	if (how->by == RECORD_ATTACHED_BY_DESTROY)
		arg.flags |= HEAPSIM_ATTACH_IS_DESTROY;
	rights_send(buf, &arg);
}

/*
 * The module's buffer exists as long as any process has its descriptor, but its
 * stream may be removed before.
 */
static void rights_buf_destroy(struct mem_buf *buf)
{
	struct heapsim_buf_attach arg = {
		.flags = HEAPSIM_ATTACH_NEWEST,
		.attach = HEAPSIM_ATTACH_HOST,
		.right = HEAPSIM_RIGHT_TABLE,
	};

	if (order_attach_of(buf) == MEM_ATTACH_SINGLE)
		rights_send(buf, &arg);
}

/* Works */

static void rights_remember(struct kernel_ctx *ctx, const struct acting *acting)
{
	struct remembered *one;

	pthread_mutex_lock(&ctx->lock);
	one = &ctx->remembered[acting->job % NR_REMEMBERED];
	one->acting = *acting;
	one->submitted_ns = now_ns();
	pthread_mutex_unlock(&ctx->lock);
}

/**
 * kernel_rights_remember() - find a work that may have ended
 * @ctx: context
 * @id: id of a work, of this or of another context of the process
 * @time_ns: time of its submission by the module's record
 *
 * Context: the context's lock is held.
 * Return: the work, or NULL: it is another context's, or too old.
 */
const struct acting *kernel_rights_remember(const struct kernel_ctx *ctx,
					    uint64_t id, uint64_t time_ns)
{
	const struct remembered *one = &ctx->remembered[id % NR_REMEMBERED];

	if (!id || one->acting.job != id || time_ns < one->acting.time_ns ||
	    time_ns > one->submitted_ns)
		return NULL;
	return &one->acting;
}

static int rights_work_submit(struct mem_ctx *base, struct work *work)
{
	struct kernel_ctx *ctx = kernel_ctx_of(base);
	struct acting *acting = &work->acting;
	struct heapsim_work_add arg = {
		.size = sizeof(arg),
		.stream = acting->stream,
		.work = ctx->last_work + 1,
		.kernel = record_kernel(acting->kernel),
	};
	int err;

	strcpy(arg.name, acting->engine);
	err = rights_command(ctx, HEAPSIM_IOC_WORK_ADD, &arg);
	if (err)
		return err;
	ctx->last_work = arg.work;
	acting->job = arg.work;
	rights_remember(ctx, acting);
	return 0;
}

static int rights_work_start(const struct kernel_ctx *ctx,
			     const struct work *work,
			     const struct heapsim_work_verdict *verdicts,
			     size_t nr)
{
	struct heapsim_work_start arg = {
		.size = sizeof(arg),
		.work = work->acting.job,
		.verdicts = nr ? (uintptr_t)verdicts : 0,
		.nr_verdicts = (uint32_t)nr,
	};

	return rights_command(ctx, HEAPSIM_IOC_WORK_START, &arg);
}

static size_t rights_verdicts(const struct work *work,
			      struct heapsim_work_verdict *verdicts)
{
	size_t i, nr = 0;

	for (i = 0; i < work->nr_verdicts; i++) {
		const struct work_verdict *verdict = &work->verdicts[i];

		if (verdict->buf)
			verdicts[nr++] = (struct heapsim_work_verdict) {
				.buf = kernel_buf_of(verdict->buf)->id,
				.sees = verdict->sees,
			};
	}
	return nr;
}

static int rights_work_begin(struct mem_ctx *base, const struct work *work)
{
	struct heapsim_work_verdict few[NR_VERDICTS_ON_STACK], *all = few;
	const struct kernel_ctx *ctx = kernel_ctx_of(base);
	int err;

	if (work->nr_verdicts > HEAPSIM_MAX_VERDICTS)
		return -ENOMEM;
	if (work->nr_verdicts > NR_VERDICTS_ON_STACK) {
		all = malloc(work->nr_verdicts * sizeof(*all));
		if (!all)
			return -ENOMEM;
	}
	err = rights_work_start(ctx, work, all, rights_verdicts(work, all));
	if (all != few)
		free(all);
	return err;
}

static void rights_work_report(struct mem_buf *buf, bool is_write,
			       const struct work *work)
{
	struct heapsim_work_report arg = {
		.size = sizeof(arg),
		.access = is_write ? HEAPSIM_ACCESS_WRITE :
				     HEAPSIM_ACCESS_READ,
		.work = work->acting.job,
		.buf = kernel_buf_of(buf)->id,
	};

	rights_command(kernel_ctx_of(buf->ctx), HEAPSIM_IOC_WORK_REPORT, &arg);
}

/* A work that has never begun has touched nothing, and needs no verdicts. */
static void rights_work_end(struct mem_ctx *base, const struct work *work)
{
	const struct kernel_ctx *ctx = kernel_ctx_of(base);
	struct heapsim_work_finish arg = {
		.size = sizeof(arg),
		.work = work->acting.job,
	};

	if (!work->has_begun)
		rights_work_start(ctx, work, NULL, 0);
	rights_command(ctx, HEAPSIM_IOC_WORK_FINISH, &arg);
}

static uint64_t rights_nr_refused(struct mem_ctx *ctx,
				  const struct mem_buf *buf)
{
	struct heapsim_rights_info arg = { .size = sizeof(arg) };

	if (buf)
		arg.buf = containerof(buf, struct kernel_buf, base)->id;
	if (rights_command(kernel_ctx_of(ctx), HEAPSIM_IOC_RIGHTS_INFO, &arg))
		return 0;
	return arg.cpu_while_active;
}

const struct order_ops kernel_rights_ops = {
	.stream_create = rights_stream_create,
	.stream_destroy = rights_stream_destroy,
	.stream_state = rights_stream_state,
	.buf_destroy = rights_buf_destroy,
	.attach = rights_attach,
	.attached = rights_attached,
	.work_submit = rights_work_submit,
	.work_begin = rights_work_begin,
	.work_report = rights_work_report,
	.work_end = rights_work_end,
	.nr_refused = rights_nr_refused,
};
