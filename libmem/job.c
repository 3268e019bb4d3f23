// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: jobs of the dma engine. The result of a job is stored when it has
 * been waited for.
 */
#include <errno.h>

#include "internal.h"

static int job_submit(struct mem_ctx *ctx, enum job_op op,
		      const struct mem_copy2d *rows, struct mem_job **job)
{
	struct mem_job *new;
	int err;

	if (rows->src && rows->src->ctx->backend != ctx->backend)
		return -EINVAL;
	if (rows->dst && rows->dst->is_read_only)
		return -EPERM;
	err = sched_check_call();
	if (!err)
		err = ctx->backend->submit(ctx, op, rows, &new);
	if (err)
		return err;
	new->ctx = ctx_get(ctx);
	living_begin_job(&new->living);
	*job = new;
	return 0;
}

API int mem_job_fill(struct mem_buf *dst, uint64_t off, uint64_t len,
		     uint32_t pattern, struct mem_job **job)
{
	struct mem_copy2d rows = {
		.pattern = pattern,
		.dst = dst,
		.dst_off = off,
		.row_len = len,
		.nr_rows = 1,
	};

	if (!dst || !job)
		return -EINVAL;
	return job_submit(dst->ctx, JOB_FILL, &rows, job);
}

API int mem_job_copy(struct mem_buf *dst, uint64_t dst_off,
		     struct mem_buf *src, uint64_t src_off, uint64_t len,
		     struct mem_job **job)
{
	struct mem_copy2d rows = {
		.dst = dst,
		.src = src,
		.dst_off = dst_off,
		.src_off = src_off,
		.row_len = len,
		.nr_rows = 1,
	};

	if (!dst || !src || !job)
		return -EINVAL;
	return job_submit(dst->ctx, JOB_COPY, &rows, job);
}

API int mem_job_copy2d(const struct mem_copy2d *copy, struct mem_job **job)
{
	struct mem_copy2d all;
	int err;

	if (!copy || !job)
		return -EINVAL;
	err = struct_in(&all, sizeof(all), copy,
			offsetofend(struct mem_copy2d, delay_ns));
	if (err)
		return err;
	if (!all.dst || !all.src || all.reserved)
		return -EINVAL;
	return job_submit(all.dst->ctx, JOB_COPY, &all, job);
}

API int mem_job_checksum(struct mem_buf *src, uint64_t off, uint64_t len,
			 struct mem_job **job)
{
	struct mem_copy2d rows = {
		.src = src,
		.src_off = off,
		.row_len = len,
		.nr_rows = 1,
	};

	if (!src || !job)
		return -EINVAL;
	return job_submit(src->ctx, JOB_CHECKSUM, &rows, job);
}

static int job_wait_done(struct mem_job *job, uint64_t timeout_ns)
{
	uint64_t start = now_ns();
	uint64_t left = timeout_ns;
	int err;

	for (;;) {
		uint64_t passed;

		err = job->ctx->backend->wait_job(job, left);
		if (!err)
			job->is_done = true;
		if (err != -EINTR && err != -ETIMEDOUT)
			return err;
		if (timeout_ns == MEM_WAIT_FOREVER)
			continue;
		/* After a signal that came too late, checks once more. */
		passed = now_ns() - start;
		if (err == -ETIMEDOUT && passed >= timeout_ns)
			return err;
		left = passed < timeout_ns ? timeout_ns - passed : 0;
	}
}

API int mem_job_wait(struct mem_job *job, uint64_t timeout_ns,
		     uint64_t *result)
{
	uint64_t begin_ns;
	int err;

	if (!job)
		return -EINVAL;
	err = sched_check_call();
	if (err)
		return err;
	if (!job->is_done) {
		begin_ns = record_begin();
		err = job_wait_done(job, timeout_ns);
		record_waited("job", 0, begin_ns);
		if (err)
			return err;
	}
	/* As a result of the job, -ETIMEDOUT would mean that it is not done. */
	if (job->status)
		return job->status == -ETIMEDOUT ? -ETIME : job->status;
	if (result)
		*result = job->result;
	return 0;
}

API int mem_job_fence(struct mem_job *job, int *fd)
{
	int err;

	if (!job || !fd)
		return -EINVAL;
	err = sched_check_call();
	return err ? err : job->ctx->backend->fence(job, fd);
}

API void mem_job_destroy(struct mem_job *job)
{
	struct mem_ctx *ctx;

	if (!job)
		return;
	ctx = job->ctx;
	living_end(&job->living);
	ctx->backend->forget(job);
	ctx_put(ctx);
}
