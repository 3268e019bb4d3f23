/* SPDX-License-Identifier: GPL-2.0-only */
/* Queues of the dma engine: what dma.c and queue.c share. */
#ifndef HEAPSIM_QUEUE_H
#define HEAPSIM_QUEUE_H

#include <linux/hrtimer.h>
#include <linux/kref.h>

#include "job.h"

struct heapsim_share;	/* of queue.c */

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

bool heapsim_queue_add_running(struct heapsim_queue *q);
void heapsim_queue_del_running(struct heapsim_queue *q);
void heapsim_queue_init_job(struct heapsim_queue *q, struct heapsim_job *job);
void heapsim_queue_push(struct heapsim_job *job, struct dma_resv *src,
			struct dma_resv *dst);
void heapsim_queue_cancel(struct heapsim_job *job);

#endif
