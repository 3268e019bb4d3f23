/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The backend over the module: /dev/heapsim, /dev/dma_heap and the ioctls of a
 * dma-buf. Files of this folder alone know the kernel's structs.
 */
#ifndef _LIBMEM_KERNEL_H
#define _LIBMEM_KERNEL_H

#include "../internal.h"
#include "uapi/linux/heapsim.h"

/**
 * struct kernel_job - a job of the module's dma engine
 * @base: for the rest of the library
 * @next: of orphans
 * @fence_fd: its fence
 * @id: of it
 */
struct kernel_job {
	struct mem_job base;
	struct kernel_job *next;
	int fence_fd;
	uint64_t id;
};

/**
 * struct kernel_ctx - a context
 * @base: for the rest of the library
 * @fd: open of /dev/heapsim
 * @lock: protects the rest
 * @orphans: jobs that were forgotten and are not known done
 * @watch_fd: -1: it does not watch
 */
struct kernel_ctx {
	struct mem_ctx base;
	int fd;

	pthread_mutex_t lock;
	struct kernel_job *orphans;
	int watch_fd;
};

/**
 * struct kernel_buf - a buffer
 * @base: for the rest of the library
 * @fd: dma-buf
 */
struct kernel_buf {
	struct mem_buf base;
	int fd;
};

static inline struct kernel_ctx *kernel_ctx_of(struct mem_ctx *ctx)
{
	return containerof(ctx, struct kernel_ctx, base);
}

static inline struct kernel_buf *kernel_buf_of(struct mem_buf *buf)
{
	return containerof(buf, struct kernel_buf, base);
}

static inline struct kernel_job *kernel_job_of(struct mem_job *job)
{
	return containerof(job, struct kernel_job, base);
}

#endif
