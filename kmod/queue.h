/* SPDX-License-Identifier: GPL-2.0-only */
/* Queues of the dma engine. */
#ifndef HEAPSIM_QUEUE_H
#define HEAPSIM_QUEUE_H

#include <linux/hrtimer.h>
#include <linux/kref.h>

#include "job.h"

struct heapsim_share;	/* queue.c */

/**
 * struct heapsim_queue - the queue of a context
 * @refs: one reference of the context, one of each job
 * @share: share of the user
 * @context: fence context
 * @timer: end of the delay of the first job, or its deadline
 * @nr_unstarted: published jobs that have not started
 * @lock: serialises publication, so that jobs are in the order of their fences;
 *	protects @seqno. Taken before dma_resv
 * @seqno: sequence number of the last fence
 * @ready: entry in heapsim_share.ready
 * @jobs: jobs that are not done, oldest first
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
 * struct heapsim_dep - a fence that a job depends on
 * @cb: callback
 * @job: job
 * @fence: fence, with a reference
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
