// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queues and workers of the dma engine.
 *
 * Each context has a queue, whose jobs run in the order of their fences. The
 * queues of one user take turns on one worker, for a time slice each, so that a
 * context does not wait for the bytes of another. Each user has a worker.
 *
 * A worker never sleeps. The callbacks of the fences that a job depends on, and
 * the timer of the queue, make the queue ready again. Between publication and
 * signal of a fence only heapsim_share.lock, lines_lock, watchers_lock,
 * parties_lock and locks of fences are taken. A job that is not done
 * JOB_LIMIT_NS after its publication fails, so every fence is signalled.
 * Everything that needs other locks is done after the signal, in separate work.
 */
#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/hrtimer.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "queue.h"
#include "trace.h"

#define MAX_RUNNING	1024		/* of a user, including closed opens */

/* Below the bound of 10 s, to leave time for the worker. */
#define JOB_LIMIT_NS	(9800 * (u64)NSEC_PER_MSEC)

/* Time slice of a queue if others are ready, too. */
#define SLICE_NS	((u64)NSEC_PER_MSEC)

/**
 * struct heapsim_share - the share of a user in the engine
 * @node: entry in shares
 * @user: user, with a reference
 * @nr_queues: number of queues; protected by shares_lock
 * @nr_running: published jobs that are not done
 * @work: runs the first ready queue
 * @lock: protects @ready, and @jobs and @ready of the queues
 * @ready: queues that have something to do, in order
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

/* Returns the share of the calling user, or NULL without memory. */
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

/* Makes a queue ready to run. */
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

/* A queue with an expired timer does not wait for the slices of the others. */
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
 * heapsim_queue_create() - create the queue of a context
 *
 * Context: may sleep.
 * Return: queue for heapsim_queue_put(), or NULL without memory.
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

	/*
	 * The queue has no jobs, so only the timer could make it ready again.
	 */
	hrtimer_cancel(&q->timer);
	spin_lock_irq(&share->lock);
	list_del_init(&q->ready);
	spin_unlock_irq(&share->lock);
	flush_work(&share->work);
	kfree(q);
	share_put(share);
}

/**
 * heapsim_queue_put() - drop the reference of a context; jobs continue
 * @q: queue
 *
 * Context: may sleep.
 */
void heapsim_queue_put(struct heapsim_queue *q)
{
	kref_put(&q->refs, queue_free);
}

/* May be called between publication and signal of a fence. */
static void queue_report_job(const struct heapsim_job *job, u32 kind,
			     u64 begin_ns)
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

/* Called with the lock of the fence held. */
static void queue_dep_signalled(struct dma_fence *fence,
				struct dma_fence_cb *cb)
{
	struct heapsim_dep *dep = container_of(cb, struct heapsim_dep, cb);

	if (atomic_dec_and_test(&dep->job->nr_pending))
		queue_kick(dep->job->queue);
}

/* No callback runs after this. */
static void queue_remove_callbacks(struct heapsim_job *job)
{
	unsigned int i;

	for (i = 0; i < job->nr_deps; i++)
		dma_fence_remove_callback(job->deps[i].fence,
					  &job->deps[i].cb);
}

static void queue_put_deps(struct heapsim_job *job)
{
	unsigned int i;

	for (i = 0; i < job->nr_deps; i++)
		dma_fence_put(job->deps[i].fence);
	kfree(job->deps);
	job->deps = NULL;
	job->nr_deps = 0;
}

/*
 * Starts the first job of the queue, whose dependencies are signalled, or which
 * has reached its deadline.
 */
static void queue_begin_job(struct heapsim_job *job, u64 now)
{
	queue_remove_callbacks(job);
	queue_report_job(job, HEAPSIM_RECORD_JOB_BEGIN, 0);
	job->until_ns = now + job->delay_ns;
	if (job->is_started) {
		job->phase = HEAPSIM_JOB_LASTS;
		return;
	}
	atomic_dec(&job->queue->nr_unstarted);
	heapsim_job_begin_judging(job);
}

static void queue_finish_job(struct heapsim_job *job)
{
	u64 src = job->src.buf ? job->src.buf->id : 0;
	u64 dst = job->dst.buf ? job->dst.buf->id : 0;

	queue_report_job(job, HEAPSIM_RECORD_JOB_END, 0);
	heapsim_job_stop(job);
	if (job->status)
		dma_fence_set_error(job->fence, job->status);
	heapsim_queue_del_running(job->queue);
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

/*
 * Removes the first job, which is done. Returns true if there is another. That
 * one may reach its deadline before the queue gets its next turn, so the timer
 * waits for it already now.
 */
static bool queue_pop(struct heapsim_queue *q, struct heapsim_job *job)
{
	struct heapsim_job *next;

	spin_lock_irq(&q->share->lock);
	list_del(&job->node);
	next = list_first_entry_or_null(&q->jobs, struct heapsim_job, node);
	spin_unlock_irq(&q->share->lock);
	if (next)
		hrtimer_start(&q->timer, ns_to_ktime(next->deadline_ns),
			      HRTIMER_MODE_ABS);
	return next;
}

/*
 * Runs the first job for a time slice. Returns true if the queue has more to
 * do.
 */
static bool queue_run(struct heapsim_queue *q)
{
	struct heapsim_job *job = queue_first(q);
	u64 now = ktime_get_ns(), at;
	bool has_more;

	if (!job)
		return false;
	if (job->phase == HEAPSIM_JOB_WAITS &&
	    (!atomic_read(&job->nr_pending) || now >= job->deadline_ns))
		queue_begin_job(job, now);
	if (job->phase == HEAPSIM_JOB_LASTS && now >= job->until_ns)
		heapsim_job_begin_rows(job);
	if (heapsim_job_is_moving(job) && now < job->deadline_ns)
		heapsim_job_move(job, min(now + SLICE_NS, job->deadline_ns));
	/* One that still waits begins first: the timer ends at its deadline. */
	if (job->phase != HEAPSIM_JOB_WAITS &&
	    job->phase != HEAPSIM_JOB_IS_DONE &&
	    ktime_get_ns() >= job->deadline_ns) {
		job->status = -ETIMEDOUT;
		job->phase = HEAPSIM_JOB_IS_DONE;
	}
	if (job->phase == HEAPSIM_JOB_IS_DONE) {
		has_more = queue_pop(q, job);
		queue_finish_job(job);
		return has_more;
	}
	at = job->deadline_ns;
	if (job->phase == HEAPSIM_JOB_LASTS)
		at = min(at, job->until_ns);
	hrtimer_start(&q->timer, ns_to_ktime(at), HRTIMER_MODE_ABS);
	return heapsim_job_is_moving(job);
}

/*
 * Removes and returns the first ready queue; queues the work again for the
 * others.
 */
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

	/*
	 * The queue stays valid whichever job ends, because freeing it waits
	 * for this work.
	 */
	if (q && queue_run(q))
		queue_kick(q);
	dma_fence_end_signalling(cookie);
}

static void queue_end_job(struct work_struct *work)
{
	struct heapsim_job *job = container_of(work, struct heapsim_job, end);

	queue_put_deps(job);
	heapsim_job_end(job);
	heapsim_object_put(&job->object);
}

/**
 * heapsim_queue_add_running() - count a job of a user that will be published
 * @q: queue of the user
 *
 * Bounds the jobs of a user that are not done, and so the memory they use.
 *
 * Return: true, or false if there are too many.
 */
bool heapsim_queue_add_running(struct heapsim_queue *q)
{
	if (!atomic_add_unless(&q->share->nr_running, 1, MAX_RUNNING))
		return false;
	atomic64_inc(&nr_running);
	return true;
}

/**
 * heapsim_queue_del_running() - undo heapsim_queue_add_running()
 * @q: queue
 */
void heapsim_queue_del_running(struct heapsim_queue *q)
{
	atomic64_dec(&nr_running);
	atomic_dec(&q->share->nr_running);
}

/**
 * heapsim_queue_init_job() - assign a job to a queue
 * @q: queue; the job gets a reference
 * @job: job
 */
void heapsim_queue_init_job(struct heapsim_queue *q, struct heapsim_job *job)
{
	kref_get(&q->refs);
	job->queue = q;
	INIT_WORK(&job->end, queue_end_job);
}

/**
 * heapsim_queue_cancel() - end a prepared job that was never in its queue
 * @job: job that is not in a table any more
 *
 * The end runs in work as for any other job: the caller may be killed, and the
 * end needs the lock of a buffer, which may be held for long.
 */
void heapsim_queue_cancel(struct heapsim_job *job)
{
	heapsim_job_stop(job);
	queue_work(ends, &job->end);
}

/* One more is counted as pending until the job is in its queue. */
static void queue_add_callbacks(struct heapsim_job *job)
{
	struct heapsim_dep *dep;
	unsigned int i;

	atomic_set(&job->nr_pending, job->nr_deps + 1);
	for (i = 0; i < job->nr_deps; i++) {
		dep = &job->deps[i];
		if (dma_fence_add_callback(dep->fence, &dep->cb,
					   queue_dep_signalled))
			atomic_dec(&job->nr_pending);
	}
}

/**
 * heapsim_queue_push() - publish a job and add it to its queue; cannot fail
 * @job: job with its fence and dependencies
 * @src: dma_resv to add the fence to as a read fence, locked, with a reserved
 *	slot; may be NULL
 * @dst: dma_resv to add the fence to as a write fence, in the same way
 *
 * Context: the queue's lock is held.
 */
void heapsim_queue_push(struct heapsim_job *job, struct dma_resv *src,
			struct dma_resv *dst)
{
	const bool is_late = heapsim_fault(HEAPSIM_LATE_FENCE, 0);
	struct heapsim_queue *q = job->queue;
	bool cookie;

	queue_add_callbacks(job);
	refcount_inc(&job->object.refs);
	if (!job->is_started)
		atomic_inc(&q->nr_unstarted);
	job->deadline_ns = ktime_get_ns() + JOB_LIMIT_NS;
	cookie = dma_fence_begin_signalling();
	if (dst)
		dma_resv_add_fence(dst, job->fence, DMA_RESV_USAGE_WRITE);
	if (src)
		dma_resv_add_fence(src, job->fence, DMA_RESV_USAGE_READ);
	/* Once the job is in the queue, it may end at any moment. */
	queue_report_job(job, HEAPSIM_RECORD_SUBMIT, job->party.other.time_ns);
	/*
	 * A job that must be late keeps its own pending count and waits for
	 * itself.
	 */
	if (!is_late)
		atomic_dec(&job->nr_pending);
	spin_lock_irq(&q->share->lock);
	list_add_tail(&job->node, &q->jobs);
	spin_unlock_irq(&q->share->lock);
	queue_kick(q);
	dma_fence_end_signalling(cookie);
}

/**
 * heapsim_queue_nr_jobs() - get the number of jobs that are not done
 *
 * Return: jobs of all opens.
 */
u64 heapsim_queue_nr_jobs(void)
{
	return atomic64_read(&nr_running);
}

/**
 * heapsim_queues_init() - create the workqueues
 *
 * Return: 0 or -ENOMEM.
 */
int heapsim_queues_init(void)
{
	ends = alloc_workqueue("heapsim-end", WQ_UNBOUND, 0);
	if (!ends)
		return -ENOMEM;
	/*
	 * Memory reclaim may wait for published fences, which depend on this.
	 */
	engine = alloc_workqueue("heapsim-dma", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!engine) {
		destroy_workqueue(ends);
		return -ENOMEM;
	}
	return 0;
}

/** heapsim_queues_fini() - wait for the last job and destroy the workqueues */
void heapsim_queues_fini(void)
{
	/* The end of a job may free a queue, which waits for the engine. */
	destroy_workqueue(ends);
	destroy_workqueue(engine);
}
