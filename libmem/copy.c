// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: copies and sets, by address.
 */
#include <errno.h>

#include "order/order.h"
#include "sched.h"

/*
 * Gets the length from the first byte of the first row to the last row's end.
 */
static int rows_extent(uint64_t pitch, const struct mem_rows *rows,
		       uint64_t *len)
{
	if (pitch < rows->row_len && rows->nr_rows > 1)
		return -EINVAL;
	if (__builtin_mul_overflow(pitch, rows->nr_rows - 1, len) ||
	    __builtin_add_overflow(*len, rows->row_len, len))
		return -EINVAL;
	return 0;
}

static bool dir_is_from_device(unsigned int dir)
{
	return dir == MEM_DIR_DEVICE_TO_HOST || dir == MEM_DIR_DEVICE_TO_DEVICE;
}

static bool dir_is_to_device(unsigned int dir)
{
	return dir == MEM_DIR_HOST_TO_DEVICE || dir == MEM_DIR_DEVICE_TO_DEVICE;
}

/*
 * Returns true if the CPU accesses this side of a copy. A heap's buffer has the
 * same address for the CPU and for engines. A copy accesses it as the CPU, in
 * the CPU's brackets, except if the direction says that it is device memory, if
 * the program has asked for its device pointer, or if it is not mapped.
 */
static bool side_is_cpus(const struct mem_buf *buf, unsigned int dir,
			 bool is_dst)
{
	if (is_by_address(buf) || !buf->host)
		return false;
	if (dir == MEM_DIR_DEFAULT)
		return !atomic_load(&buf->is_device_exposed);
	return is_dst ? !dir_is_to_device(dir) : !dir_is_from_device(dir);
}

/*
 * Finds the buffer of one side of a copy, with a reference; NULL for pageable
 * memory.
 */
static int side_find(struct mem_ctx *ctx, const struct mem_rows *rows,
		     unsigned int dir, bool is_dst, struct mem_buf **found)
{
	const void *ptr = is_dst ? rows->dst : rows->src;
	struct mem_buf *buf;
	uint64_t len;
	int err;

	*found = NULL;
	err = rows_extent(is_dst ? rows->dst_pitch : rows->src_pitch, rows,
			  &len);
	if (err)
		return err;
	buf = ctx->backend->find(ctx, ptr);
	if (!buf)
		return 0;
	if (is_dst && buf->is_read_only) {
		ctx->backend->put(buf);
		return -EACCES;
	}
	if (side_is_cpus(buf, dir, is_dst)) {
		ctx->backend->put(buf);
		return 0;
	}
	if (buf->ctx != ctx)
		err = -EXDEV;
	else if (len > buf->asked_len ||
		 buf_off_of(buf, ptr) > buf->asked_len - len)
		err = -EINVAL;
	if (err)
		ctx->backend->put(buf);
	else
		*found = buf;
	return err;
}

static bool side_is_host(const struct mem_buf *buf)
{
	return !buf || buf->kind != MEM_KIND_DEVICE;
}

static bool dir_is_valid(unsigned int dir, const struct mem_buf *dst,
			 const struct mem_buf *src)
{
	switch (dir) {
	case MEM_DIR_HOST_TO_HOST:
		return side_is_host(dst) && side_is_host(src);
	case MEM_DIR_HOST_TO_DEVICE:
		return dst && side_is_host(src);
	case MEM_DIR_DEVICE_TO_HOST:
		return side_is_host(dst) && src;
	case MEM_DIR_DEVICE_TO_DEVICE:
		return dst && src;
	case MEM_DIR_DEFAULT:
		return true;
	}
	return false;
}

/* Returns true if the calling thread has to access this side itself. */
static bool side_is_callers(const struct mem_buf *buf, bool is_device)
{
	return !buf || (buf->kind == MEM_KIND_MANAGED && !is_device);
}

/**
 * struct request - a copy or set that a call has submitted
 * @op: its operation
 * @is_set: it is a set, otherwise a copy
 * @is_async: the call does not wait
 * @verdict: how the model classifies it
 * @mark: mark after the operation, if the call waits for it; else NULL
 */
struct request {
	struct op *op;
	bool is_set;
	bool is_async;
	struct verdict verdict;
	struct mark *mark;
};

/*
 * Submits the operation to order/ and queues it. The caller must hold the
 * scheduler's lock.
 */
static int request_submit(struct request *request)
{
	struct op *op = request->op;
	struct mem_stream *stream = op->stream;
	struct mem_ctx *ctx = stream->ctx;
	struct copy *copy = &op->copy;
	const struct verdict *verdict = &request->verdict;
	int err;

	if ((copy->dst && copy->dst->is_claimed) ||
	    (copy->src && copy->src->is_claimed))
		return -EINVAL;
	err = order_judge(stream, copy->dst, copy->src, request->is_set,
			  &request->verdict);
	if (err)
		return err;
	copy->dst_is_device = verdict->dst_is_device;
	copy->src_is_device = verdict->src_is_device;
	if (!request->is_set &&
	    (side_is_callers(copy->dst, copy->dst_is_device) ||
	     side_is_callers(copy->src, copy->src_is_device)))
		op->kind = OP_OWN;
	else
		err = sched_start(ctx, EXEC_DMA);
	if (!err && verdict->is_work)
		err = order_work_submit(stream, NULL, &op->work);
	if (err)
		return err;
	if (verdict->dst_is_device)
		order_work_touch(ctx, op->work, copy->dst, true);
	if (verdict->src_is_device)
		order_work_touch(ctx, op->work, copy->src, false);
	if (verdict->is_waited_for && !request->is_async &&
	    order_mark(stream, &request->mark))
		request->mark = NULL;
	op_submit(op, NULL);
	return 0;
}

/* Copies on the calling thread. */
static void request_copy(struct request *request)
{
	struct op *op = request->op;
	struct mem_ctx *ctx = op->stream->ctx;

	op_wait(op, OP_READY, sched_wait_policy(ctx));
	if (!op->is_dropped && !atomic_load(&ctx->sched.error))
		sched_note_error(ctx, ctx->backend->copy(ctx, op->work,
							 &op->copy));
	sched_lock(ctx);
	/* A wait is not specified, but programs rely on it. */
	if (op->work && !request->is_async)
		race_signalled(op->stream, op->work->ticket);
	if (op->work)
		order_work_end(ctx, op->work);
	op_finish(op);
	sched_unlock(ctx);
}

/* Copies if the calling thread has to, and waits if the call is synchronous. */
static void request_finish(struct request *request)
{
	struct op *op = request->op;
	struct mem_ctx *ctx = op->stream->ctx;
	const enum mem_wait_policy policy = sched_wait_policy(ctx);

	if (op->kind == OP_OWN)
		request_copy(request);
	else if (request->verdict.is_waited_for && !request->is_async)
		op_wait(op, OP_DONE, policy);
	if (!request->mark)
		return;
	sched_lock(ctx);
	order_mark_sync(ctx, request->mark);
	order_mark_free(ctx, request->mark);
	sched_unlock(ctx);
}

static int request_run(struct mem_stream *stream, struct request *request)
{
	struct mem_ctx *ctx = stream->ctx;
	int err;

	sched_lock(ctx);
	err = request_submit(request);
	sched_unlock(ctx);
	if (err) {
		op_discard(request->op);
		return err;
	}
	request_finish(request);
	err = request->is_async ? 0 : op_result(ctx, request->op);
	op_put(request->op);
	return err;
}

/* Finds the buffers of both sides; @copy owns the references. */
static int copy_find(struct mem_ctx *ctx, const struct mem_rows *rows,
		     unsigned int dir, struct copy *copy)
{
	int err;

	copy->rows = *rows;
	err = side_find(ctx, rows, dir, true, &copy->dst);
	if (err || !rows->src)
		return err;
	return side_find(ctx, rows, dir, false, &copy->src);
}

/* Carries out a copy, or a set of @value if the rows have no source. */
static int request_rows(struct mem_stream *stream, const struct mem_rows *rows,
			unsigned int dir, uint8_t value, bool is_async)
{
	struct request request = {
		.is_set = !rows->src,
		.is_async = is_async,
	};
	struct copy *copy;
	int err;

	err = ctx_check(stream->ctx);
	if (err || !rows->row_len || !rows->nr_rows)
		return err;
	request.op = op_create(stream, OP_COPY);
	if (!request.op)
		return -ENOMEM;
	copy = &request.op->copy;
	copy->value = value;
	err = copy_find(stream->ctx, rows, dir, copy);
	if (!err && !dir_is_valid(dir, copy->dst, copy->src))
		err = -EINVAL;
	if (err) {
		op_discard(request.op);
		return err;
	}
	return request_run(stream, &request);
}

static int copy_rows(struct mem_stream *stream, const struct mem_rows *rows,
		     unsigned int dir, bool is_async)
{
	if (!stream || !rows || !rows->dst || !rows->src ||
	    dir > MEM_DIR_DEFAULT ||
	    rows->dst_pitch < rows->row_len || rows->src_pitch < rows->row_len)
		return -EINVAL;
	return request_rows(stream, rows, dir, 0, is_async);
}

static int fill_rows(struct mem_stream *stream, const struct mem_rows *rows,
		     int value, bool is_async)
{
	struct mem_rows dst;

	if (!stream || !rows || !rows->dst || rows->dst_pitch < rows->row_len)
		return -EINVAL;
	dst = *rows;
	dst.src = NULL;
	return request_rows(stream, &dst, MEM_DIR_HOST_TO_DEVICE,
			    (uint8_t)value, is_async);
}

static struct mem_rows rows_of_one(void *dst, const void *src, uint64_t len)
{
	return (struct mem_rows) {
		.dst = dst,
		.dst_pitch = len,
		.src = src,
		.src_pitch = len,
		.row_len = len,
		.nr_rows = 1,
	};
}

API int mem_copy(struct mem_stream *stream, void *dst, const void *src,
		 uint64_t len, unsigned int dir)
{
	const struct mem_rows rows = rows_of_one(dst, src, len);

	return copy_rows(stream, &rows, dir, false);
}

API int mem_copy_async(struct mem_stream *stream, void *dst, const void *src,
		       uint64_t len, unsigned int dir)
{
	const struct mem_rows rows = rows_of_one(dst, src, len);

	return copy_rows(stream, &rows, dir, true);
}

API int mem_copy_rows(struct mem_stream *stream, const struct mem_rows *rows,
		      unsigned int dir)
{
	return copy_rows(stream, rows, dir, false);
}

API int mem_copy_rows_async(struct mem_stream *stream,
			    const struct mem_rows *rows, unsigned int dir)
{
	return copy_rows(stream, rows, dir, true);
}

API int mem_fill(struct mem_stream *stream, void *dst, int value, uint64_t len)
{
	const struct mem_rows rows = rows_of_one(dst, NULL, len);

	return fill_rows(stream, &rows, value, false);
}

API int mem_fill_async(struct mem_stream *stream, void *dst, int value,
		       uint64_t len)
{
	const struct mem_rows rows = rows_of_one(dst, NULL, len);

	return fill_rows(stream, &rows, value, true);
}

API int mem_fill_rows_async(struct mem_stream *stream,
			    const struct mem_rows *rows, int value)
{
	return fill_rows(stream, rows, value, true);
}

API int mem_fill_rows(struct mem_stream *stream, const struct mem_rows *rows,
		      int value)
{
	return fill_rows(stream, rows, value, false);
}
