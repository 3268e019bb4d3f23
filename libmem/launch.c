// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: launches of kernels, and calls of host functions.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "order/order.h"
#include "sched.h"

/* Host functions */

/**
 * stream_call() - submit a call of a host function
 * @stream: stream in whose order the function is called
 * @call: function and its argument
 * @done: called at its end if this succeeds; NULL: nothing is called
 *
 * Return: 0, or as mem_stream_call().
 */
int stream_call(struct mem_stream *stream, const struct op_call *call,
		const struct op_done *done)
{
	struct mem_ctx *ctx = stream->ctx;
	struct op *op;
	int err;

	err = ctx_check(ctx);
	if (err)
		return err;
	op = op_create(stream, OP_CALL);
	if (!op)
		return -ENOMEM;
	op->call = *call;
	if (done)
		op->done = *done;
	sched_lock(ctx);
	err = sched_start(ctx, EXEC_HOST);
	if (!err)
		err = order_call_submit(stream, &op->call.call);
	return op_submit_unlock(op, NULL, err);
}

API int mem_stream_call(struct mem_stream *stream, mem_host_fn fn, void *arg)
{
	const struct op_call call = { .fn = fn, .arg = arg };

	if (!stream || !fn)
		return -EINVAL;
	return stream_call(stream, &call, NULL);
}

API int mem_stream_add_callback(struct mem_stream *stream, mem_callback fn,
				void *arg)
{
	const struct op_call call = { .callback = fn, .arg = arg };

	if (!stream || !fn)
		return -EINVAL;
	return stream_call(stream, &call, NULL);
}

/* Kernels */

static int launch_check(const struct mem_launch *launch)
{
	uint64_t nr_blocks = 1;
	unsigned int i;

	for (i = 0; i < 3; i++)
		if (!launch->grid[i] || !launch->block[i] ||
		    __builtin_mul_overflow(nr_blocks, launch->grid[i],
					   &nr_blocks))
			return -EINVAL;
	if (launch->engine >= NR_ENGINES || !launch->kernel ||
	    nr_blocks > MEM_BLOCKS_MAX || launch->shared_len > MAX_SHARED_LEN ||
	    launch->args_len > MEM_ARGS_MAX ||
	    (launch->args_len && !launch->args))
		return -EINVAL;
	return 0;
}

/* Converts to an object pointer: POSIX represents both in the same way. */
static const void *launch_entry_of(mem_kernel kernel)
{
	return (const void *)(uintptr_t)kernel;
}

/**
 * stream_launch() - submit a kernel
 * @stream: stream in whose order the kernel runs
 * @launch: kernel, engine and arguments
 * @done: called at its end if this succeeds; NULL: nothing is called
 *
 * Return: 0, or as mem_launch().
 */
int stream_launch(struct mem_stream *stream, const struct mem_launch *launch,
		  const struct op_done *done)
{
	struct mem_launch all;
	struct mem_ctx *ctx;
	struct op *op;
	int err;

	if (!stream || !launch)
		return -EINVAL;
	ctx = stream->ctx;
	err = ctx_check(ctx);
	if (!err)
		err = struct_in(&all, sizeof(all), launch,
				offsetofend(struct mem_launch, timeout_ns));
	if (!err)
		err = launch_check(&all);
	if (!err && !board_has_engine(ctx->board, all.engine))
		err = -EOPNOTSUPP;
	if (err)
		return err;
	op = op_create(stream, OP_RUN);
	if (!op)
		return -ENOMEM;
	op->launch = all;
	if (done)
		op->done = *done;
	if (!all.entry)
		op->launch.entry = launch_entry_of(all.kernel);
	if (all.args_len) {
		op->args = malloc(all.args_len);
		if (!op->args) {
			op_discard(op);
			return -ENOMEM;
		}
		memcpy(op->args, all.args, all.args_len);
	}
	op->launch.args = op->args;
	sched_lock(ctx);
	err = sched_start(ctx, all.engine);
	if (!err)
		err = order_work_submit(stream, &op->launch, &op->work);
	return op_submit_unlock(op, NULL, err);
}

API int mem_launch(struct mem_stream *stream, const struct mem_launch *launch)
{
	return stream_launch(stream, launch, NULL);
}
