/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libmem: what its files share. A context, a buffer and a job are the first
 * member of what a backend keeps of each; ctx.c, buf.c and job.c check
 * arguments and know no backend, a backend is reached by its table alone.
 */
#ifndef _LIBMEM_INTERNAL_H
#define _LIBMEM_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "libmem.h"

#define API		__attribute__((visibility("default")))
#define NS_PER_S	1000000000ULL

#define containerof(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

/* Shared by the caller and every object made from it; the last one closes. */
struct mem_ctx {
	const struct backend *backend;
	atomic_uint nr_users;
};

struct mem_buf {
	struct mem_ctx *ctx;
	uint64_t len;
	enum mem_kind kind;

	pthread_mutex_t lock;		/* addr, nr_maps */
	void *addr;
	uint32_t nr_maps;
};

struct mem_job {
	struct mem_ctx *ctx;
	bool is_done;
	int status;
	uint64_t result;
};

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

/**
 * struct backend - what does the work behind a context
 * @name: as LIBMEM_BACKEND has it
 * @open: a context; all but its count of users is filled in
 * @close: nobody has it any more
 * @check: before an object's lock is taken; NULL: there is nothing to check
 * @probe: what is simulated; all but the size
 * @watch: violations are kept from now on; once a context
 * @next_violation: 1 with all but the size, or 0; -EINVAL: nobody watches
 * @alloc: @len above 0, @name short enough or NULL
 * @alloc_heap: @heap is a file name
 * @import: of a descriptor that stays the caller's
 * @export: a new descriptor
 * @free: unmapped before
 * @map: the whole buffer, which is not mapped
 * @unmap: what @map gave
 * @info: all but the size
 * @begin: a bracket; waits for engines
 * @end: of a bracket
 * @wait: for engines, at most 20 s; writers, if @for_write readers too
 * @maintain: a list in order; what is no bracket's business
 * @revoke: the next touch of each page is seen
 * @submit: a job of the dma engine; arguments that need no buffer are checked
 * @wait_job: at most so long; fills in status and result; -EINTR is tried again
 * @fence: a new descriptor that polls readable once the job is done
 * @forget: destroy a job, which may still run
 *
 * All but @next_violation return 0 or -errno and have given nothing away on
 * failure. -EOPNOTSUPP: the backend cannot. What they make gets its ctx_get()
 * from the caller of the table.
 */
struct backend {
	const char *name;
	int (*open)(const struct mem_ctx_options *options,
		    struct mem_ctx **ctx);
	void (*close)(struct mem_ctx *ctx);
	int (*check)(void);
	int (*probe)(struct mem_ctx *ctx, struct mem_probe *probe);
	int (*watch)(struct mem_ctx *ctx, unsigned int what, uint32_t nr);
	int (*next_violation)(struct mem_ctx *ctx,
			      struct mem_violation *violation);
	int (*alloc)(struct mem_ctx *ctx, enum mem_kind kind, uint64_t len,
		     const char *name, struct mem_buf **buf);
	int (*alloc_heap)(struct mem_ctx *ctx, const char *heap, uint64_t len,
			  struct mem_buf **buf);
	int (*import)(struct mem_ctx *ctx, int fd, struct mem_buf **buf);
	int (*export)(struct mem_buf *buf, int *fd);
	void (*free)(struct mem_buf *buf);
	int (*map)(struct mem_buf *buf, void **addr);
	void (*unmap)(struct mem_buf *buf);
	int (*info)(struct mem_buf *buf, struct mem_buf_info *info);
	int (*begin)(struct mem_buf *buf, unsigned int access);
	int (*end)(struct mem_buf *buf, unsigned int access);
	int (*wait)(struct mem_buf *buf, bool for_write);
	int (*maintain)(struct mem_ctx *ctx, const struct mem_range *ranges,
			size_t nr_ranges, size_t *nr_done);
	int (*revoke)(struct mem_buf *buf);
	int (*submit)(struct mem_ctx *ctx, enum job_op op,
		      const struct mem_copy2d *rows, struct mem_job **job);
	int (*wait_job)(struct mem_job *job, uint64_t timeout_ns);
	int (*fence)(struct mem_job *job, int *fd);
	void (*forget)(struct mem_job *job);
};

extern const struct backend kernel_backend;
extern const struct backend embedded_backend;

/* Longest list that mem_buf_maintain() takes. */
#define MAX_RANGES		65536
/* Above the longest time for which an engine lets a buffer be waited for. */
#define ENGINE_WAIT_NS		(20 * NS_PER_S)

struct mem_ctx *ctx_get(struct mem_ctx *ctx);
void ctx_put(struct mem_ctx *ctx);
void buf_init(struct mem_buf *buf, enum mem_kind kind, uint64_t len);

uint64_t now_ns(void);
int dup_cloexec(int fd);

#endif
