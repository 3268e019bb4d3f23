// SPDX-License-Identifier: GPL-2.0-only
/*
 * The dma engine: queues, their fences and deadlines, and the commands. What a
 * job does with bytes: job.c.
 *
 * Each context has a queue, whose jobs run in the order of their fences. The
 * queues of one user take turns on one worker, a slice each, so that nobody
 * waits for another context's bytes; users have a worker each.
 *
 * The worker never waits: the callbacks of the fences that a job depends on and
 * the timer of the queue put the queue in line again. From publication to
 * signal only share->lock, lines_lock, watchers_lock, parties_lock and the locks
 * of fences are taken. A job that is not done JOB_LIMIT_NS after its publication fails, so
 * every fence is signalled. What takes other locks comes after the signal, in
 * work of its own.
 */
#include <linux/dma-resv.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/hrtimer.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sync_file.h>

#include "job.h"
#include "trace.h"

#define MAX_JOBS	64		/* of one open */
#define MAX_RUNNING	1024		/* of a user, closed opens too */
#define MAX_WAIT_NS	3600000000000ULL

/* Of 10 s; the rest is for the worker to come and signal. */
#define JOB_LIMIT_NS	(9800 * (u64)NSEC_PER_MSEC)

/* How long a queue has the worker while others are in line. */
#define SLICE_NS	((u64)NSEC_PER_MSEC)

/**
 * struct heapsim_share - a user's share of the engine
 * @node: in shares
 * @user: the user, referenced
 * @nr_queues: of the user; protected by shares_lock
 * @nr_running: jobs that are published and not done
 * @work: runs the first queue in line
 * @lock: protects @ready, and jobs and ready of the queues
 * @ready: queues that have something to do, in turn
 */
struct heapsim_share {
	struct list_head node;
	struct heapsim_user *user;
	unsigned int nr_queues;
	atomic_t nr_running;
	struct work_struct work;

	spinlock_t lock;
	struct list_head ready;
};

/**
 * struct heapsim_queue - the queue of a context
 * @refs: one of the context, one of each job
 * @share: of the user
 * @context: of its fences
 * @timer: for the first job: the end of its delay, or its deadline
 * @nr_unstarted: jobs that are published and have not started
 * @lock: serialises publication, so that jobs are in the order of their
 *	fences; protects @seqno. Taken before dma_resv
 * @seqno: of the last fence
 * @ready: in heapsim_share.ready, or empty
 * @jobs: that are not done, the oldest first
 */
struct heapsim_queue {
	struct kref refs;
	struct heapsim_share *share;
	u64 context;
	struct hrtimer timer;
	atomic_t nr_unstarted;

	struct mutex lock;
	u64 seqno;

	struct list_head ready;
	struct list_head jobs;
};

/**
 * struct heapsim_dep - a fence that a job waits for
 * @cb: callback
 * @job: the job
 * @fence: the fence, referenced
 */
struct heapsim_dep {
	struct dma_fence_cb cb;
	struct heapsim_job *job;
	struct dma_fence *fence;
};

static struct workqueue_struct *engine;
static struct workqueue_struct *ends;
static atomic64_t nr_running = ATOMIC64_INIT(0);
static DEFINE_MUTEX(shares_lock);	/* protects shares */
static LIST_HEAD(shares);

static void share_run(struct work_struct *work);

static struct heapsim_share *share_find(const struct heapsim_user *user)
{
	struct heapsim_share *share;

	list_for_each_entry(share, &shares, node)
		if (share->user == user)
			return share;
	return NULL;
}

static struct heapsim_share *share_create(struct heapsim_user *user)
{
	struct heapsim_share *share;

	share = kzalloc(sizeof(*share), HEAPSIM_GFP_USER);
	if (!share)
		return NULL;
	share->user = user;
	INIT_WORK(&share->work, share_run);
	spin_lock_init(&share->lock);
	INIT_LIST_HEAD(&share->ready);
	list_add(&share->node, &shares);
	return share;
}

/* The calling user's share, or NULL without memory. */
static struct heapsim_share *share_get(void)
{
	struct heapsim_user *user = heapsim_limit_user_get();
	struct heapsim_share *share, *old;

	if (!user)
		return NULL;
	mutex_lock(&shares_lock);
	old = share_find(user);
	share = old ? old : share_create(user);
	if (share)
		share->nr_queues++;
	mutex_unlock(&shares_lock);
	/* A share keeps the reference that it was created with. */
	if (!share || old)
		heapsim_limit_user_put(user);
	return share;
}

static void share_put(struct heapsim_share *share)
{
	bool is_last;

	mutex_lock(&shares_lock);
	is_last = !--share->nr_queues;
	if (is_last)
		list_del(&share->node);
	mutex_unlock(&shares_lock);
	if (!is_last)
		return;
	cancel_work_sync(&share->work);
	heapsim_limit_user_put(share->user);
	kfree(share);
}

/* The user's jobs that are not done are bounded, and so is what they keep. */
static bool share_add_running(struct heapsim_share *share)
{
	if (!atomic_add_unless(&share->nr_running, 1, MAX_RUNNING))
		return false;
	atomic64_inc(&nr_running);
	return true;
}

static void share_del_running(struct heapsim_share *share)
{
	atomic64_dec(&nr_running);
	atomic_dec(&share->nr_running);
}

/* The queue has something to do. */
static void queue_kick(struct heapsim_queue *q)
{
	struct heapsim_share *share = q->share;
	unsigned long flags;

	spin_lock_irqsave(&share->lock, flags);
	if (list_empty(&q->ready))
		list_add_tail(&q->ready, &share->ready);
	queue_work(engine, &share->work);
	spin_unlock_irqrestore(&share->lock, flags);
}

/* A job that is late does not wait until all others have had their slice. */
static enum hrtimer_restart queue_hurry(struct hrtimer *timer)
{
	struct heapsim_queue *q = container_of(timer, struct heapsim_queue,
					       timer);
	struct heapsim_share *share = q->share;
	unsigned long flags;

	spin_lock_irqsave(&share->lock, flags);
	list_move(&q->ready, &share->ready);
	queue_work(engine, &share->work);
	spin_unlock_irqrestore(&share->lock, flags);
	return HRTIMER_NORESTART;
}

/**
 * heapsim_queue_create() - make the queue of a context
 *
 * Context: may sleep.
 * Return: the queue, for heapsim_queue_put(), or NULL without memory.
 */
struct heapsim_queue *heapsim_queue_create(void)
{
	struct heapsim_queue *q = kzalloc(sizeof(*q), HEAPSIM_GFP_USER);

	if (!q)
		return NULL;
	q->share = share_get();
	if (!q->share) {
		kfree(q);
		return NULL;
	}
	kref_init(&q->refs);
	q->context = dma_fence_context_alloc(1);
	hrtimer_setup(&q->timer, queue_hurry, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS);
	mutex_init(&q->lock);
	INIT_LIST_HEAD(&q->ready);
	INIT_LIST_HEAD(&q->jobs);
	return q;
}

static void queue_free(struct kref *refs)
{
	struct heapsim_queue *q = container_of(refs, struct heapsim_queue,
					       refs);
	struct heapsim_share *share = q->share;

	/* It has no jobs: only the timer could put it in line again. */
	hrtimer_cancel(&q->timer);
	spin_lock_irq(&share->lock);
	list_del_init(&q->ready);
	spin_unlock_irq(&share->lock);
	flush_work(&share->work);
	kfree(q);
	share_put(share);
}

/**
 * heapsim_queue_put() - the context is closed; its jobs run on
 * @q: queue
 *
 * Context: may sleep.
 */
void heapsim_queue_put(struct heapsim_queue *q)
{
	kref_put(&q->refs, queue_free);
}

static void job_release(struct heapsim_object *object)
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
	.release = job_release,
};

/* Fit for the time between publication and signal. */
static void job_tell(const struct heapsim_job *job, u32 kind, u64 begin_ns)
{
	const bool is_write = job->op != HEAPSIM_DMA_CHECKSUM;
	const struct heapsim_side *side = is_write ? &job->dst : &job->src;

	if (!heapsim_has_event_watchers())
		return;
	heapsim_event_report(side->buf, &(struct heapsim_event) {
		.kind = kind,
		.access = is_write ? HEAPSIM_ACCESS_WRITE : HEAPSIM_ACCESS_READ,
		.off = side->lo,
		.len = side->len,
		.count = 1,
		.bytes = job->row_len * job->nr_rows,
		.begin_ns = begin_ns,
		.is_engines = kind != HEAPSIM_RECORD_SUBMIT,
		.party = &job->party,
		.op = job->op,
		.src = job->src.buf ? job->src.buf->id : 0,
		.status = kind == HEAPSIM_RECORD_JOB_END ? job->status : 0,
	});
}

/* Runs under the lock of the fence. */
static void dep_signalled(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct heapsim_dep *dep = container_of(cb, struct heapsim_dep, cb);

	if (atomic_dec_and_test(&dep->job->nr_pending))
		queue_kick(dep->job->queue);
}

/* Afterwards no callback runs any more. */
static void job_remove_callbacks(struct heapsim_job *job)
{
	unsigned int i;

	for (i = 0; i < job->nr_deps; i++)
		dma_fence_remove_callback(job->deps[i].fence,
					  &job->deps[i].cb);
}

static void job_put_deps(struct heapsim_job *job)
{
	unsigned int i;

	for (i = 0; i < job->nr_deps; i++)
		dma_fence_put(job->deps[i].fence);
	kfree(job->deps);
	job->deps = NULL;
	job->nr_deps = 0;
}

/* The job is the first of its queue, and need not or cannot wait any more. */
static void job_begin(struct heapsim_job *job, u64 now)
{
	job_remove_callbacks(job);
	job_tell(job, HEAPSIM_RECORD_JOB_BEGIN, 0);
	job->until_ns = now + job->delay_ns;
	if (job->is_started) {
		job->phase = HEAPSIM_JOB_LASTS;
		return;
	}
	atomic_dec(&job->queue->nr_unstarted);
	heapsim_job_begin_judging(job);
}

static void job_done(struct heapsim_job *job)
{
	u64 src = job->src.buf ? job->src.buf->id : 0;
	u64 dst = job->dst.buf ? job->dst.buf->id : 0;
	struct heapsim_share *share = job->queue->share;

	job_tell(job, HEAPSIM_RECORD_JOB_END, 0);
	heapsim_job_stop(job);
	if (job->status)
		dma_fence_set_error(job->fence, job->status);
	share_del_running(share);
	trace_heapsim_job(job->object.id, job->op, src, dst,
			  job->row_len * job->nr_rows, job->status);
	dma_fence_signal(job->fence);
	queue_work(ends, &job->end);
}

static struct heapsim_job *queue_first(struct heapsim_queue *q)
{
	struct heapsim_job *job;

	spin_lock_irq(&q->share->lock);
	job = list_first_entry_or_null(&q->jobs, struct heapsim_job, node);
	spin_unlock_irq(&q->share->lock);
	return job;
}

/* Take the first job, which is done, out; returns true if another follows. */
static bool queue_pop(struct heapsim_queue *q, struct heapsim_job *job)
{
	bool ret;

	spin_lock_irq(&q->share->lock);
	list_del(&job->node);
	ret = !list_empty(&q->jobs);
	spin_unlock_irq(&q->share->lock);
	return ret;
}

/* Run the first job for a slice; returns true if the queue has more to do. */
static bool queue_run(struct heapsim_queue *q)
{
	struct heapsim_job *job = queue_first(q);
	u64 now = ktime_get_ns(), at;
	bool has_more;

	if (!job)
		return false;
	if (job->phase == HEAPSIM_JOB_WAITS &&
	    (!atomic_read(&job->nr_pending) || now >= job->deadline_ns))
		job_begin(job, now);
	if (job->phase == HEAPSIM_JOB_LASTS && now >= job->until_ns)
		heapsim_job_begin_rows(job);
	if (heapsim_job_is_moving(job) && now < job->deadline_ns)
		heapsim_job_move(job, min(now + SLICE_NS, job->deadline_ns));
	if (job->phase != HEAPSIM_JOB_IS_DONE &&
	    ktime_get_ns() >= job->deadline_ns) {
		job->status = -ETIMEDOUT;
		job->phase = HEAPSIM_JOB_IS_DONE;
	}
	if (job->phase == HEAPSIM_JOB_IS_DONE) {
		has_more = queue_pop(q, job);
		job_done(job);
		return has_more;
	}
	at = job->deadline_ns;
	if (job->phase == HEAPSIM_JOB_LASTS)
		at = min(at, job->until_ns);
	hrtimer_start(&q->timer, ns_to_ktime(at), HRTIMER_MODE_ABS);
	return heapsim_job_is_moving(job);
}

/* The first queue in line, which leaves it; the others get work, too. */
static struct heapsim_queue *share_next(struct heapsim_share *share)
{
	struct heapsim_queue *q;

	spin_lock_irq(&share->lock);
	q = list_first_entry_or_null(&share->ready, struct heapsim_queue,
				     ready);
	if (q)
		list_del_init(&q->ready);
	if (!list_empty(&share->ready))
		queue_work(engine, &share->work);
	spin_unlock_irq(&share->lock);
	return q;
}

static void share_run(struct work_struct *work)
{
	struct heapsim_share *share = container_of(work, struct heapsim_share,
						   work);
	bool cookie = dma_fence_begin_signalling();
	struct heapsim_queue *q = share_next(share);

	/* Its end waits for this work: it is there whatever job is done. */
	if (q && queue_run(q))
		queue_kick(q);
	dma_fence_end_signalling(cookie);
}

static void job_end(struct work_struct *work)
{
	struct heapsim_job *job = container_of(work, struct heapsim_job, end);

	job_put_deps(job);
	heapsim_job_end(job);
	heapsim_object_put(&job->object);
}

static bool is_well_formed(const struct heapsim_dma_submit *cmd)
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

/* Unlocks what it locked if it fails. @b may be NULL. */
static int resv_lock_both(struct dma_resv *a, struct dma_resv *b,
			  struct ww_acquire_ctx *ww)
{
	int ret;

	ret = dma_resv_lock_interruptible(a, ww);
	if (ret || !b)
		return ret;
	ret = dma_resv_lock_interruptible(b, ww);
	while (ret == -EDEADLK) {
		/* Unlock the other one, wait for this one, swap them. */
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

/* Fences of the queue itself are signalled before its next job is the first. */
static void job_add_deps(struct heapsim_job *job, struct dma_fence **fences,
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

/* What the job waits for, and room for its own fence. */
static int job_get_deps(struct heapsim_job *job, struct dma_resv *src,
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
		job_add_deps(job, of_dst, nr_dst);
		job_add_deps(job, of_src, nr_src);
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

/* Until the job is in its queue, one more is pending. */
static void job_add_callbacks(struct heapsim_job *job)
{
	struct heapsim_dep *dep;
	unsigned int i;

	atomic_set(&job->nr_pending, job->nr_deps + 1);
	for (i = 0; i < job->nr_deps; i++) {
		dep = &job->deps[i];
		if (dma_fence_add_callback(dep->fence, &dep->cb,
					   dep_signalled))
			atomic_dec(&job->nr_pending);
	}
}

/* Returns NULL, or the job with a reference. */
static struct heapsim_job *job_find(struct heapsim_ctx *ctx, u64 id)
{
	return (void *)heapsim_object_get(&ctx->objects, &job_ops, id);
}

static bool side_has_fence(const struct heapsim_side *side, bool is_write)
{
	return side->dmabuf &&
	       !dma_resv_test_signaled(side->dmabuf->resv,
				       dma_resv_usage_rw(is_write));
}

/*
 * Returns true if the job starts at once: no fence keeps it, nor a job of the
 * same context that waits for one, since whoever submitted both may know the
 * order. That the engine is busy with another is nothing that a program could
 * rely on.
 */
static bool job_is_next(const struct heapsim_job *job)
{
	return !side_has_fence(&job->src, false) &&
	       !side_has_fence(&job->dst, true) &&
	       !atomic_read(&job->queue->nr_unstarted);
}

/* The queue's lock is held. From here on nothing fails. */
static void job_push(struct heapsim_job *job, struct dma_resv *src,
		     struct dma_resv *dst)
{
	const bool is_late = heapsim_fault(HEAPSIM_LATE_FENCE, 0);
	struct heapsim_queue *q = job->queue;
	bool cookie;

	job_add_callbacks(job);
	refcount_inc(&job->object.refs);
	if (!job->is_started)
		atomic_inc(&q->nr_unstarted);
	job->deadline_ns = ktime_get_ns() + JOB_LIMIT_NS;
	cookie = dma_fence_begin_signalling();
	if (dst)
		dma_resv_add_fence(dst, job->fence, DMA_RESV_USAGE_WRITE);
	if (src)
		dma_resv_add_fence(src, job->fence, DMA_RESV_USAGE_READ);
	/* Once it is in the queue it may be over at any moment. */
	job_tell(job, HEAPSIM_RECORD_SUBMIT, job->party.other.time_ns);
	/* A job that is to be late waits on for itself. */
	if (!is_late)
		atomic_dec(&job->nr_pending);
	spin_lock_irq(&q->share->lock);
	list_add_tail(&job->node, &q->jobs);
	spin_unlock_irq(&q->share->lock);
	queue_kick(q);
	dma_fence_end_signalling(cookie);
}

/*
 * Publish the fence and queue the job, or fail with nothing published. The
 * queue's lock is held.
 */
static int job_publish(struct heapsim_job *job)
{
	struct dma_resv *src = job->src.dmabuf ? job->src.dmabuf->resv : NULL;
	struct dma_resv *dst = job->dst.dmabuf ? job->dst.dmabuf->resv : NULL;
	struct ww_acquire_ctx ww;
	int ret;

	if (src == dst)
		src = NULL;	/* the fence of a writer covers it */
	ww_acquire_init(&ww, &reservation_ww_class);
	ret = resv_lock_both(dst ? dst : src, dst ? src : NULL, &ww);
	if (ret)
		goto out_fini;
	ww_acquire_done(&ww);
	ret = job_get_deps(job, src, dst);
	if (!ret)
		job_push(job, src, dst);
	if (src)
		dma_resv_unlock(src);
	if (dst)
		dma_resv_unlock(dst);
out_fini:
	ww_acquire_fini(&ww);
	return ret;
}

/* Make the fence of the job, and publish both. */
static int job_submit(struct heapsim_job *job, struct file **file)
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
	ret = job_publish(job);
	if (ret)
		fput(sync->file);
	else
		*file = sync->file;
out_unlock:
	mutex_unlock(&q->lock);
	return ret;
}

/* Judge the job if it starts at once, and submit it. */
static int job_start(struct heapsim_job *job, struct file **file)
{
	int ret = 0;

	/* Before locks are taken that others may wait for. */
	job->is_started = job_is_next(job);
	if (job->is_started)
		ret = heapsim_job_judge(job);
	return ret ? ret : job_submit(job, file);
}

/* Returns ERR_PTR(-EBUSY) or ERR_PTR(-ENOMEM). */
static struct heapsim_job *job_alloc(struct heapsim_ctx *ctx,
				     const struct heapsim_dma_submit *cmd)
{
	struct heapsim_job *job;

	job = (void *)heapsim_object_alloc(&ctx->objects, &job_ops);
	if (IS_ERR(job))
		return job;
	kref_get(&ctx->queue->refs);
	job->queue = ctx->queue;
	INIT_WORK(&job->end, job_end);
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

/* It was never prepared. */
static void job_abort(struct heapsim_ctx *ctx, struct heapsim_job *job)
{
	job_release(&job->object);
	heapsim_object_abort(&ctx->objects, &job->object);
}

/*
 * It was never in its queue. It ends as any: the caller may be killed, and a
 * buffer's lock that its end needs may be held for long.
 */
static void job_cancel(struct heapsim_ctx *ctx, struct heapsim_job *job)
{
	heapsim_job_stop(job);
	heapsim_object_unlink(&ctx->objects, &job->object);
	queue_work(ends, &job->end);
}

/**
 * heapsim_dma_submit() - start a job of the dma engine
 * @ctx: open of /dev/heapsim
 * @cmd: command; answered in place
 * @file: out: sync_file for the reserved @cmd->fence_fd, which the caller
 *	installs or gives back
 *
 * Return: 0, or what struct heapsim_dma_submit says; -ETIMEDOUT a foreign
 * buffer stayed busy, -EINTR, -ERESTARTSYS.
 */
int heapsim_dma_submit(struct heapsim_ctx *ctx, struct heapsim_dma_submit *cmd,
		       struct file **file)
{
	struct heapsim_share *share = ctx->queue->share;
	struct heapsim_side src = { 0 }, dst = { 0 };
	struct heapsim_job *job;
	int ret, fd;

	if (!is_well_formed(cmd))
		return -EINVAL;
	ret = heapsim_job_get_sides(cmd, &src, &dst);
	if (ret)
		goto err_sides;
	job = job_alloc(ctx, cmd);
	if (IS_ERR(job)) {
		ret = PTR_ERR(job);
		goto err_sides;
	}
	job->src = src;
	job->dst = dst;
	ret = -EBUSY;
	if (!share_add_running(share))
		goto err_job;
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0) {
		ret = fd;
		goto err_running;
	}
	ret = heapsim_job_prepare(job);
	if (ret)
		goto err_fd;
	ret = job_start(job, file);
	if (ret)
		goto err_prepared;
	cmd->job = job->object.id;
	cmd->fence_fd = fd;
	heapsim_object_publish(&ctx->objects, &job->object);
	return 0;
err_prepared:
	put_unused_fd(fd);
	share_del_running(share);
	job_cancel(ctx, job);
	return ret;
err_fd:
	put_unused_fd(fd);
err_running:
	share_del_running(share);
err_job:
	job_abort(ctx, job);
err_sides:
	heapsim_job_put_sides(&src, &dst);
	return ret;
}

/* One of several that waited takes the job. */
static bool job_take(struct heapsim_job *job)
{
	return !atomic_cmpxchg(&job->is_taken, 0, 1);
}

/**
 * heapsim_job_forget() - a job that was waited for is done with
 * @ctx: open of /dev/heapsim
 * @job: from heapsim_job_wait()
 */
void heapsim_job_forget(struct heapsim_ctx *ctx, struct heapsim_job *job)
{
	heapsim_object_remove(&ctx->objects, &job->object);
}

/**
 * heapsim_job_give_back() - a job that was waited for can be again
 * @job: from heapsim_job_wait()
 */
void heapsim_job_give_back(struct heapsim_job *job)
{
	atomic_set(&job->is_taken, 0);
}

/**
 * heapsim_dma_disown() - forget a job whose id nobody was told; it runs on
 * @ctx: open of /dev/heapsim
 * @id: of the job
 */
void heapsim_dma_disown(struct heapsim_ctx *ctx, u64 id)
{
	struct heapsim_job *job = job_find(ctx, id);

	if (!job)
		return;
	if (job_take(job))
		heapsim_job_forget(ctx, job);
	heapsim_object_put(&job->object);
}

/**
 * heapsim_job_wait() - wait for a job and take its result
 * @ctx: open of /dev/heapsim
 * @cmd: command; answered in place
 * @taken: out: the job, which nobody else can take now; the caller forgets it
 *	once the answer is out, or gives it back
 *
 * Return: 0, -EINVAL malformed, -ENOENT no such job, -EINTR, -ETIMEDOUT not
 * done yet.
 */
int heapsim_job_wait(struct heapsim_ctx *ctx, struct heapsim_job_wait *cmd,
		     struct heapsim_job **taken)
{
	const long jiffies_most = heapsim_jiffies_of(cmd->timeout_ns);
	struct heapsim_job *job;
	long left;
	int ret;

	if (cmd->flags || cmd->reserved || cmd->timeout_ns > MAX_WAIT_NS)
		return -EINVAL;
	job = job_find(ctx, cmd->job);
	if (!job)
		return -ENOENT;
	if (cmd->timeout_ns)
		left = dma_fence_wait_timeout(job->fence, true, jiffies_most);
	else
		left = dma_fence_is_signaled(job->fence);
	if (left < 0) {
		ret = left == -ERESTARTSYS ? -EINTR : left;
	} else if (!left) {
		ret = -ETIMEDOUT;
	} else if (!job_take(job)) {
		ret = -ENOENT;
	} else {
		/* Pairs with the atomic test and set of the signal. */
		smp_rmb();
		cmd->result = job->result;
		cmd->status = job->status;
		*taken = job;
		ret = 0;
	}
	heapsim_object_put(&job->object);
	return ret;
}

/**
 * heapsim_dma_forget() - forget the jobs of an open that ends; they run on
 * @ctx: open of /dev/heapsim
 */
void heapsim_dma_forget(struct heapsim_ctx *ctx)
{
	heapsim_objects_remove(&ctx->objects, &job_ops);
}

/**
 * heapsim_dma_nr_jobs() - jobs of all opens that are not yet done
 *
 * Return: how many.
 */
u64 heapsim_dma_nr_jobs(void)
{
	return atomic64_read(&nr_running);
}

/**
 * heapsim_dma_init() - make the engine
 *
 * Return: 0 or -ENOMEM.
 */
int heapsim_dma_init(void)
{
	ends = alloc_workqueue("heapsim-end", WQ_UNBOUND, 0);
	if (!ends)
		return -ENOMEM;
	/* Published fences depend on it, and reclaim may wait for these. */
	engine = alloc_workqueue("heapsim-dma", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!engine) {
		destroy_workqueue(ends);
		return -ENOMEM;
	}
	return 0;
}

/**
 * heapsim_dma_fini() - end the engine; waits until the last job has ended
 */
void heapsim_dma_fini(void)
{
	/* What ends may free a queue, which waits for the engine. */
	destroy_workqueue(ends);
	destroy_workqueue(engine);
}
