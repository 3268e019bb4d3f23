// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands of the dma engine. Scheduling of jobs is in queue.c, their accesses
 * to bytes and lines in job.c.
 */
#include <linux/dma-resv.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/slab.h>
#include <linux/sync_file.h>

#include "queue.h"

#define MAX_JOBS	64		/* of one open */
#define MAX_WAIT_NS	3600000000000ULL

static void dma_release(struct heapsim_object *object)
{
	struct heapsim_job *job = (void *)object;

	dma_fence_put(job->fence);
	heapsim_queue_put(job->queue);
}

static const struct heapsim_object_ops job_ops = {
	.type = HEAPSIM_OBJECT_JOB,
	.size = HEAPSIM_OBJECT_SIZE(struct heapsim_job),
	.max = MAX_JOBS,
	.reserve = HEAPSIM_CORE_BYTES,
	.release = dma_release,
};

static bool dma_is_well_formed(const struct heapsim_dma_submit *cmd)
{
	if (cmd->flags || cmd->reserved || !cmd->row_len || !cmd->nr_rows ||
	    cmd->delay_ns > HEAPSIM_DMA_MAX_DELAY_NS)
		return false;
	switch (cmd->op) {
	case HEAPSIM_DMA_FILL:
		return cmd->src_fd == -1;
	case HEAPSIM_DMA_COPY:
		return true;
	case HEAPSIM_DMA_CHECKSUM:
		return cmd->dst_fd == -1 && !cmd->pattern;
	default:
		return false;
	}
}

/* Unlocks both on failure. @b may be NULL. */
static int dma_lock_both(struct dma_resv *a, struct dma_resv *b,
			 struct ww_acquire_ctx *ww)
{
	int ret;

	ret = dma_resv_lock_interruptible(a, ww);
	if (ret || !b)
		return ret;
	ret = dma_resv_lock_interruptible(b, ww);
	while (ret == -EDEADLK) {
		/* Unlock the other one, wait for this one, and swap them. */
		dma_resv_unlock(a);
		ret = dma_resv_lock_slow_interruptible(b, ww);
		if (ret)
			return ret;
		swap(a, b);
		ret = dma_resv_lock_interruptible(b, ww);
	}
	if (ret)
		dma_resv_unlock(a);
	return ret;
}

/*
 * Fences of the job's own queue are signalled before the job is the first in
 * it.
 */
static void dma_add_deps(struct heapsim_job *job, struct dma_fence **fences,
			 unsigned int nr)
{
	struct heapsim_dep *dep;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (fences[i]->context == job->queue->context) {
			dma_fence_put(fences[i]);
			continue;
		}
		dep = &job->deps[job->nr_deps++];
		dep->job = job;
		dep->fence = fences[i];
	}
}

/*
 * Collects the fences that the job depends on, and reserves slots for its own.
 */
static int dma_get_deps(struct heapsim_job *job, struct dma_resv *src,
			struct dma_resv *dst)
{
	struct dma_fence **of_dst = NULL, **of_src = NULL;
	unsigned int nr_dst = 0, nr_src = 0, i;
	int ret = 0;

	if (dst) {
		ret = dma_resv_get_fences(dst, DMA_RESV_USAGE_READ, &nr_dst,
					  &of_dst);
		if (!ret)
			ret = dma_resv_reserve_fences(dst, 1);
	}
	if (!ret && src) {
		ret = dma_resv_get_fences(src, DMA_RESV_USAGE_WRITE, &nr_src,
					  &of_src);
		if (!ret)
			ret = dma_resv_reserve_fences(src, 1);
	}
	if (!ret && nr_dst + nr_src) {
		job->deps = kcalloc(nr_dst + nr_src, sizeof(*job->deps),
				    HEAPSIM_GFP_USER);
		ret = job->deps ? 0 : -ENOMEM;
	}
	if (!ret) {
		dma_add_deps(job, of_dst, nr_dst);
		dma_add_deps(job, of_src, nr_src);
		goto out_free;
	}
	for (i = 0; i < nr_dst; i++)
		dma_fence_put(of_dst[i]);
	for (i = 0; i < nr_src; i++)
		dma_fence_put(of_src[i]);
out_free:
	kfree(of_dst);
	kfree(of_src);
	return ret;
}

static bool dma_side_has_fence(const struct heapsim_side *side, bool is_write)
{
	return side->dmabuf &&
	       !dma_resv_test_signaled(side->dmabuf->resv,
				       dma_resv_usage_rw(is_write));
}

/*
 * Returns true if the job starts at once: it waits neither for a fence nor for
 * a job of the same context that waits for one. The order of the jobs of one
 * context may be known to the program. That the engine is busy with jobs of
 * others is nothing that a program can rely on.
 */
static bool dma_is_next(const struct heapsim_job *job)
{
	return !dma_side_has_fence(&job->src, false) &&
	       !dma_side_has_fence(&job->dst, true) &&
	       !atomic_read(&job->queue->nr_unstarted);
}

/*
 * Publishes the fence and queues the job, or fails without effect. The queue's
 * lock is held.
 */
static int dma_publish(struct heapsim_job *job)
{
	struct dma_resv *src = job->src.dmabuf ? job->src.dmabuf->resv : NULL;
	struct dma_resv *dst = job->dst.dmabuf ? job->dst.dmabuf->resv : NULL;
	struct ww_acquire_ctx ww;
	int ret;

	if (src == dst)
		src = NULL;	/* a write fence covers reads, too */
	ww_acquire_init(&ww, &reservation_ww_class);
	ret = dma_lock_both(dst ? dst : src, dst ? src : NULL, &ww);
	if (ret)
		goto out_fini;
	ww_acquire_done(&ww);
	ret = dma_get_deps(job, src, dst);
	if (!ret)
		heapsim_queue_push(job, src, dst);
	if (src)
		dma_resv_unlock(src);
	if (dst)
		dma_resv_unlock(dst);
out_fini:
	ww_acquire_fini(&ww);
	return ret;
}

/* Creates the fence of the job, and publishes both. */
static int dma_submit(struct heapsim_job *job, struct file **file)
{
	struct heapsim_queue *q = job->queue;
	struct sync_file *sync;
	int ret;

	ret = mutex_lock_interruptible(&q->lock);
	if (ret)
		return ret;
	ret = -ENOMEM;
	job->fence = heapsim_fence_new("dma", q->context, ++q->seqno);
	if (!job->fence)
		goto out_unlock;
	sync = sync_file_create(job->fence);
	if (!sync)
		goto out_unlock;
	ret = dma_publish(job);
	if (ret)
		fput(sync->file);
	else
		*file = sync->file;
out_unlock:
	mutex_unlock(&q->lock);
	return ret;
}

/* Judges the job if it starts at once, and submits it. */
static int dma_start(struct heapsim_job *job, struct file **file)
{
	int ret = 0;

	/* Checked before taking locks that others may wait for. */
	job->is_started = dma_is_next(job);
	if (job->is_started)
		ret = heapsim_job_judge(job);
	return ret ? ret : dma_submit(job, file);
}

/* Returns ERR_PTR(-EBUSY) or ERR_PTR(-ENOMEM). */
static struct heapsim_job *dma_alloc(struct heapsim_ctx *ctx,
				     const struct heapsim_dma_submit *cmd)
{
	struct heapsim_job *job;

	job = (void *)heapsim_object_alloc(&ctx->objects, &job_ops);
	if (IS_ERR(job))
		return job;
	heapsim_queue_init_job(ctx->queue, job);
	job->op = cmd->op;
	job->pattern = cmd->pattern;
	job->row_len = cmd->row_len;
	job->nr_rows = cmd->nr_rows;
	job->delay_ns = cmd->delay_ns;
	heapsim_note_party(&job->party, HEAPSIM_OTHER_ENGINE, "dma");
	job->party.other.job = job->object.id;
	job->serial = heapsim_party_keep(&job->party);
	return job;
}

/* The job was not prepared. */
static void dma_abort(struct heapsim_ctx *ctx, struct heapsim_job *job)
{
	dma_release(&job->object);
	heapsim_object_abort(&ctx->objects, &job->object);
}

static void dma_cancel(struct heapsim_ctx *ctx, struct heapsim_job *job)
{
	heapsim_object_unlink(&ctx->objects, &job->object);
	heapsim_queue_cancel(job);
}

/**
 * heapsim_dma_submit() - submit a job
 * @call: command with a struct heapsim_dma_submit; receives the result
 *
 * Return: 0, or an error described at struct heapsim_dma_submit; -ETIMEDOUT if
 * a foreign buffer stayed busy, -EINTR, -ERESTARTSYS.
 */
int heapsim_dma_submit(struct heapsim_call *call)
{
	struct heapsim_dma_submit *cmd = &call->cmd.submit;
	struct heapsim_side src = { 0 }, dst = { 0 };
	struct heapsim_ctx *ctx = call->ctx;
	struct heapsim_job *job;
	int ret, fd;

	if (!dma_is_well_formed(cmd))
		return -EINVAL;
	ret = heapsim_job_get_sides(cmd, &src, &dst);
	if (ret)
		goto err_sides;
	job = dma_alloc(ctx, cmd);
	if (IS_ERR(job)) {
		ret = PTR_ERR(job);
		goto err_sides;
	}
	job->src = src;
	job->dst = dst;
	ret = -EBUSY;
	if (!heapsim_queue_add_running(ctx->queue))
		goto err_job;
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0) {
		ret = fd;
		goto err_running;
	}
	ret = heapsim_job_prepare(job);
	if (ret)
		goto err_fd;
	ret = dma_start(job, &call->file);
	if (ret)
		goto err_prepared;
	cmd->job = job->object.id;
	cmd->fence_fd = fd;
	call->fd = fd;
	call->made = heapsim_object_publish(&ctx->objects, &job->object);
	return 0;
err_prepared:
	put_unused_fd(fd);
	heapsim_queue_del_running(ctx->queue);
	dma_cancel(ctx, job);
	return ret;
err_fd:
	put_unused_fd(fd);
err_running:
	heapsim_queue_del_running(ctx->queue);
err_job:
	dma_abort(ctx, job);
err_sides:
	heapsim_job_put_sides(&src, &dst);
	return ret;
}

/**
 * heapsim_dma_end_wait() - drop a job, or let it be waited for again
 * @call: command whose heapsim_dma_wait() has succeeded
 * @is_copied: the result was copied to user space
 */
void heapsim_dma_end_wait(struct heapsim_call *call, bool is_copied)
{
	struct heapsim_job *job = call->job;

	if (is_copied)
		heapsim_object_remove(&call->ctx->objects, &job->object);
	else
		atomic_set(&job->is_taken, 0);
	heapsim_object_put(&job->object);
}

/**
 * heapsim_dma_wait() - wait for a job and get its result
 * @call: command with a struct heapsim_job_wait; receives the result, and the
 *	job, which no other caller can get until heapsim_dma_end_wait()
 *
 * Return: 0, -EINVAL if malformed, -ENOENT if there is no such job, -EINTR,
 * -ETIMEDOUT if the job is not done, -EAGAIN if it would have to sleep.
 */
int heapsim_dma_wait(struct heapsim_call *call)
{
	struct heapsim_job_wait *cmd = &call->cmd.wait;
	const long jiffies_most = heapsim_jiffies_of(cmd->timeout_ns);
	struct heapsim_job *job;
	long left;
	int ret;

	if (cmd->flags || cmd->reserved || cmd->timeout_ns > MAX_WAIT_NS)
		return -EINVAL;
	job = (void *)heapsim_object_get(&call->ctx->objects, &job_ops,
					 cmd->job);
	if (!job)
		return -ENOENT;
	if (cmd->timeout_ns && call->waits)
		left = dma_fence_wait_timeout(job->fence, true, jiffies_most);
	else
		left = dma_fence_is_signaled(job->fence);
	if (left < 0) {
		ret = left == -ERESTARTSYS ? -EINTR : left;
	} else if (!left) {
		ret = cmd->timeout_ns && !call->waits ? -EAGAIN : -ETIMEDOUT;
	} else if (atomic_cmpxchg(&job->is_taken, 0, 1)) {
		ret = -ENOENT;	/* another caller gets the result */
	} else {
		/*
		 * Pairs with the atomic test_and_set_bit() in
		 * dma_fence_signal().
		 */
		smp_rmb();
		cmd->result = job->result;
		cmd->status = job->status;
		call->job = job;
		return 0;
	}
	heapsim_object_put(&job->object);
	return ret;
}
