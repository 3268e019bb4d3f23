/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libmem: what its files share. kernel.c alone knows the kernel's structs.
 */
#ifndef _LIBMEM_INTERNAL_H
#define _LIBMEM_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "libmem.h"

#define API		__attribute__((visibility("default")))
#define NS_PER_S	1000000000ULL

/*
 * One open of /dev/heapsim. Shared by the caller and every object made from
 * it; the last one out closes.
 */
struct mem_ctx {
	int fd;
	atomic_uint nr_users;

	pthread_mutex_t lock;		/* orphans */
	struct mem_job *orphans;	/* destroyed, not known done */
};

struct mem_buf {
	struct mem_ctx *ctx;
	int fd;
	uint64_t len;
	enum mem_kind kind;

	pthread_mutex_t lock;		/* addr, nr_maps */
	void *addr;
	uint32_t nr_maps;
};

struct mem_job {
	struct mem_ctx *ctx;
	struct mem_job *next;		/* of orphans */
	int fence_fd;
	uint64_t id;
	bool is_done;
	int status;
	uint64_t result;
};

struct mem_ctx *ctx_get(struct mem_ctx *ctx);
void ctx_put(struct mem_ctx *ctx);

/**
 * enum job_op - jobs of the dma engine
 * @JOB_FILL: of dst; src is NULL
 * @JOB_COPY: from src to dst
 * @JOB_CHECKSUM: of src; dst is NULL
 */
enum job_op {
	JOB_FILL,
	JOB_COPY,
	JOB_CHECKSUM,
};

/*
 * All of kernel.c: 0 or -errno. Restarted on EINTR, except kernel_job_wait().
 */
int kernel_open(int *fd);
int kernel_probe(int fd, struct mem_probe *probe);
int kernel_alloc(int fd, enum mem_kind kind, uint64_t len, const char *name,
		 int *buf_fd);
int kernel_alloc_heap(const char *heap, uint64_t len, int *buf_fd);
int kernel_buf_info(int fd, int buf_fd, struct mem_buf_info *info);
int kernel_sync(int buf_fd, unsigned int access, bool is_end);
int kernel_wait_fences(int buf_fd, bool for_write);
int kernel_maintain(int fd, const struct mem_range *ranges, size_t nr_ranges,
		    size_t *nr_done);
int kernel_submit(int fd, enum job_op op, const struct mem_copy2d *rows,
		  uint64_t *job, int *fence_fd);
int kernel_job_wait(int fd, uint64_t job, uint64_t timeout_ns,
		    uint64_t *result, int *status);

uint64_t now_ns(void);

#endif
