/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The backend over the module: /dev/heapsim, /dev/dma_heap and the ioctls of a
 * dma-buf. Only files of this folder know the kernel's structs.
 *
 * Lock order: the scheduler's lock, an engine's, the order lock, the window's,
 * a context's. Ioctls are called under any of them.
 */
#ifndef _LIBMEM_KERNEL_H
#define _LIBMEM_KERNEL_H

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../grant.h"
#include "../internal.h"
#include "../order/order.h"
#include "uapi/linux/heapsim.h"

/* Number of bytes behind an allocation that are checked for overruns. */
#define CANARY_MAX	256U

/**
 * struct kernel_job - a job of the module's dma engine
 * @base: the core's struct
 * @next: next of the context's orphans
 * @fence_fd: its fence
 * @id: the module's number of it
 */
struct kernel_job {
	struct mem_job base;
	struct kernel_job *next;
	int fence_fd;
	uint64_t id;
};

/* Works that are remembered by their ids. */
#define NR_REMEMBERED	256U

/**
 * struct remembered - a work that may have ended
 * @acting: what reports say about it; its time is from before its submission
 * @submitted_ns: time after that
 */
struct remembered {
	struct acting acting;
	uint64_t submitted_ns;
};

/**
 * struct owner - an engine and the buffers that it has mapped
 * @ctx: its context
 * @run_lock: held while a job runs; protects @engine, @work and @refused
 * @engine: the engine; NULL: nothing has run yet
 * @work: work that it runs; NULL: it only unmaps buffers
 * @refused: kind of memory that @work touched although it may not, as text for
 *	a report; NULL: none
 * @grants: buffers that it has mapped; protected by the context's lock
 */
struct owner {
	struct kernel_ctx *ctx;
	pthread_mutex_t run_lock;
	struct engine *engine;
	struct work *work;
	const char *refused;
	struct grants grants;
};

/**
 * struct kernel_ctx - a context
 * @base: the core's struct
 * @fd: descriptor of /dev/heapsim
 * @features: HEAPSIM_FEATURE_*
 * @policy: enum mem_policy that was requested
 * @evict: enum mem_evict that was requested
 * @seed: seed of @evict
 * @is_precise: precise tracking was requested
 * @poison: byte that new memory is filled with; -1: zeros
 * @owners: its engines
 * @order: the order of its streams
 * @last_work: id of its newest work; protected by the order lock
 * @lock: protects the members below
 * @orphans: jobs that were destroyed and are not known done
 * @watch_fd: descriptor of /dev/heapsim that watches; -1: it does not watch
 * @found_event: eventfd that is set while @found is not empty; none before
 *	mem_ctx_watch_fd()
 * @watch_poll: epoll of @watch_fd and @found_event; none before
 *	mem_ctx_watch_fd()
 * @max_found: greatest length of @found
 * @nr_found: length of @found
 * @nr_dropped: violations that found it full
 * @found: oldest violation that the library has detected
 * @last_found: the newest
 * @bufs: buffers that have an address
 * @nr_lending: jobs that run on threads of the application
 * @remembered: by id, works
 */
struct kernel_ctx {
	struct mem_ctx base;
	int fd;
	uint64_t features;
	uint32_t policy;
	uint32_t evict;
	uint64_t seed;
	bool is_precise;
	int poison;
	struct owner owners[NR_ENGINES];

	struct order_ctx order;
	uint64_t last_work;

	pthread_mutex_t lock;
	struct kernel_job *orphans;
	int watch_fd;
	struct own_fd watch_poll;
	struct violations *found;
	struct kernel_buf *bufs;
	unsigned int nr_lending;
	struct remembered remembered[NR_REMEMBERED];
};

/**
 * struct kernel_buf - a buffer
 * @base: the core's struct
 * @fd: dma-buf
 *
 * If it has an address:
 * @view: dma-buf of the device view; of a heap's buffer @fd; none: it has no
 *	address
 * @id: the module's number of it
 * @first: its first page in the window
 * @nr_pages: number of its pages
 * @addr: address of its first page
 * @dram: the device view, mapped for the library; NULL: not mapped yet
 * @nr_users: references: of the caller, and of works that use it; 0: it is not
 *	complete yet, and is not found
 * @order: managed: its attach states
 * @name: from mem_set_name(); the context's lock protects this and the members
 *	below
 * @canary: previous contents of the bytes behind it
 * @granted: engines that have mapped it
 * @is_lent: an inline engine has mapped its device view at @addr
 * @is_freed: the caller has destroyed it: engines cannot map it any more
 * @next: next buffer of the context
 * @prev: previous buffer of the context
 */
struct kernel_buf {
	struct mem_buf base;
	int fd;

	struct own_fd view;
	uint64_t id;
	size_t first;
	size_t nr_pages;
	uint8_t *addr;
	uint8_t *dram;
	atomic_uint nr_users;
	struct order_buf order;
	char name[MEM_NAME_LEN];
	uint8_t canary[CANARY_MAX];
	struct granted granted;
	bool is_lent;
	bool is_freed;
	struct kernel_buf *next;
	struct kernel_buf *prev;
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

/* Returns 0 or -errno. A command that a signal interrupts is repeated. */
static inline int ioctl_again(int fd, unsigned long cmd, void *arg)
{
	int ret;

	do {
		ret = ioctl(fd, cmd, arg);
	} while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : 0;
}

/*
 * Opens a file and returns its descriptor, or -errno. A call that a signal
 * interrupts is repeated. Unlike open(), it is no cancellation point.
 */
static inline int open_again(const char *path, int flags)
{
	long fd;

	do {
		fd = syscall(SYS_openat, AT_FDCWD, path, flags);
	} while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : (int)fd;
}

/* watch.c */
int kernel_watch_open(const struct kernel_ctx *ctx, unsigned int what,
		      uint32_t nr);
int kernel_watch_begin(struct kernel_ctx *ctx, unsigned int what, uint32_t nr);
void kernel_watch_end(struct kernel_ctx *ctx);
int kernel_watch_next(struct kernel_ctx *ctx, struct mem_violation *violation);
int kernel_watch_fd(struct kernel_ctx *ctx, int *fd);
void kernel_watch_failed(struct kernel_ctx *ctx,
			 const struct engine_result *result,
			 const struct work *work, const char *refused);
void kernel_watch_overrun(struct kernel_ctx *ctx, const struct kernel_buf *buf,
			  uint64_t off, uintptr_t ip, const struct work *work);

/* ptr.c */
int kernel_ptr_alloc(struct mem_ctx *ctx, enum mem_kind kind, uint64_t len,
		     unsigned int flags, struct mem_buf **buf);
int kernel_ptr_register(struct mem_ctx *ctx, void *ptr, uint64_t len,
			unsigned int flags, struct mem_buf **buf);
void kernel_ptr_free(struct mem_buf *buf);
int kernel_ptr_place_heaps(struct kernel_buf *buf);
int kernel_ptr_show_heaps(struct kernel_buf *buf);
void kernel_ptr_hide_heaps(struct kernel_buf *buf);
struct mem_buf *kernel_ptr_find(struct mem_ctx *ctx, const void *addr);
void kernel_ptr_keep(struct mem_buf *buf);
void kernel_ptr_put(struct mem_buf *buf);
void kernel_ptr_set_name(struct mem_buf *buf, const char *name);
void kernel_ptr_look_behind(struct kernel_ctx *ctx, struct kernel_buf *buf,
			    const struct work *work);
struct kernel_buf *kernel_ptr_find_page(uint64_t off, bool *is_behind);
void kernel_ptr_show_view(struct kernel_buf *buf, bool is_devices);
int kernel_ptr_for_engine(struct engine_window *window);
uint64_t kernel_ptr_off(const struct kernel_buf *buf);
struct own_fd kernel_ptr_guard(void);

/* rights.c */
extern const struct order_ops kernel_rights_ops;

int kernel_rights_choose(const struct kernel_ctx *ctx);
const struct acting *kernel_rights_remember(const struct kernel_ctx *ctx,
					    uint64_t id, uint64_t time_ns);

/* run.c */
void kernel_run_init(struct kernel_ctx *ctx);
void kernel_run_fini(struct kernel_ctx *ctx);
void kernel_run_forget(struct kernel_ctx *ctx, struct kernel_buf *buf);
bool kernel_run_is_inline(const struct kernel_ctx *ctx);
int kernel_run(struct mem_ctx *ctx, struct work *work,
	       const struct mem_launch *launch);
int kernel_copy(struct mem_ctx *ctx, struct work *work,
		const struct copy *copy);

#endif
