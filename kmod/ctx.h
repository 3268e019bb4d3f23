/* SPDX-License-Identifier: GPL-2.0-only */
/* An open of /dev/heapsim, and the commands on it. */
#ifndef HEAPSIM_CTX_H
#define HEAPSIM_CTX_H

#include <linux/wait.h>

#include "object.h"

struct heapsim_buf;
struct heapsim_job;
struct heapsim_owner;		/* ctx_buf.h */
struct heapsim_queue;		/* queue.h */
struct heapsim_buf_params;
struct heapsim_access;

/**
 * struct heapsim_ctx - an open of /dev/heapsim
 * @objects: table of everything that has an id
 * @queue: queue of the dma engine
 * @has_rule: @rule is valid; protected by rules_lock (policy.c), as the next
 *	three
 * @rule: policy of the buffers that this open allocates
 * @nr_ruled: number of buffers that got @rule
 * @tree: policy set for a process tree, or NULL
 * @watcher: NULL if this open does not watch; see watch.c
 * @wait: readers and pollers of records
 * @owner: owner of the buffers that this open allocates, and their streams
 */
struct heapsim_ctx {
	struct heapsim_objects objects;
	struct heapsim_queue *queue;
	bool has_rule;
	struct heapsim_rule rule;
	u64 nr_ruled;
	struct heapsim_tree *tree;
	struct heapsim_watcher *watcher;
	wait_queue_head_t wait;
	struct heapsim_owner *owner;
};

/** union heapsim_cmd - argument of a command */
union heapsim_cmd {
	u32 size;
	struct heapsim_probe probe;
	struct heapsim_info info;
	struct heapsim_buf_alloc alloc;
	struct heapsim_buf_info buf_info;
	struct heapsim_buf_maintain maintain;
	struct heapsim_dma_submit submit;
	struct heapsim_job_wait wait;
	struct heapsim_fence_create create;
	struct heapsim_fence_signal signal;
	struct heapsim_hold hold;
	struct heapsim_release release;
	struct heapsim_buf_revoke revoke;
	struct heapsim_watch watch;
	struct heapsim_set_policy policy;
	struct heapsim_range_maintain range;
	struct heapsim_buf_reopen reopen;
	struct heapsim_stream_id stream_id;
	struct heapsim_stream_state stream_state;
	struct heapsim_buf_attach buf_attach;
	struct heapsim_work_add work_add;
	struct heapsim_work_start work_start;
	struct heapsim_work_finish work_finish;
	struct heapsim_work_report work_report;
	struct heapsim_rights_info rights_info;
};

/**
 * struct heapsim_call - a command being run
 * @ctx: open of /dev/heapsim
 * @waits: the command may sleep for a lock; otherwise it returns -EAGAIN
 * @cmd: copy of the argument; the command stores its result in it
 * @fd: reserved number at which @file is installed after the result was copied
 *	to user space
 * @file: file for the caller, or NULL
 * @view_fd: the same for a second file
 * @view_file: second file for the caller, or NULL
 * @job: from heapsim_dma_wait(), or NULL
 * @made: object that the command has published, with a reference, or NULL;
 *	removed if its id could not be copied to user space
 */
struct heapsim_call {
	struct heapsim_ctx *ctx;
	bool waits;
	union heapsim_cmd cmd;
	int fd;
	struct file *file;
	int view_fd;
	struct file *view_file;
	struct heapsim_job *job;
	struct heapsim_object *made;
};

/* maintain.c */
int heapsim_maintain(struct heapsim_call *call);
int heapsim_maintain_range(struct heapsim_call *call);

/* order.c */
int heapsim_order_stream_add(struct heapsim_call *call);
int heapsim_order_stream_remove(struct heapsim_call *call);
int heapsim_order_stream_state(struct heapsim_call *call);
int heapsim_order_attach(struct heapsim_call *call);
int heapsim_order_work_add(struct heapsim_call *call);
int heapsim_order_work_start(struct heapsim_call *call);
int heapsim_order_work_finish(struct heapsim_call *call);
int heapsim_order_work_report(struct heapsim_call *call);
int heapsim_order_info(struct heapsim_call *call);

/* owner.c */
struct heapsim_owner *heapsim_owner_create(struct heapsim_objects *objects);
void heapsim_owner_end(struct heapsim_owner *owner);
int heapsim_ctx_buf_create(struct heapsim_buf *buf,
			   const struct heapsim_buf_params *params);
void heapsim_ctx_buf_destroy(struct heapsim_buf *buf);
vm_fault_t heapsim_ctx_buf_touch(struct heapsim_buf *buf,
				 struct heapsim_access *access);

/* dma.c */
int heapsim_dma_submit(struct heapsim_call *call);
int heapsim_dma_wait(struct heapsim_call *call);
void heapsim_dma_end_wait(struct heapsim_call *call, bool is_copied);

/* queue.c */
int heapsim_queues_init(void);
void heapsim_queues_fini(void);
struct heapsim_queue *heapsim_queue_create(void);
void heapsim_queue_put(struct heapsim_queue *q);
u64 heapsim_queue_nr_jobs(void);

/* fence.c */
struct dma_fence *heapsim_fence_new(const char *timeline, u64 context,
				    u64 seqno);
int heapsim_fence_create(struct heapsim_call *call);
int heapsim_fence_signal(struct heapsim_call *call);

/* hold.c */
int heapsim_hold_init(void);
void heapsim_hold_fini(void);
int heapsim_hold(struct heapsim_call *call);
int heapsim_hold_release(struct heapsim_call *call);

#endif
