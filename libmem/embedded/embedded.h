/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The embedded backend: the board in the process itself.
 *
 * Lock order: engine lock, window lock, embedded_buf.lock, the lock of page
 * protections or of watchers. A thread holds any of them with all signals
 * blocked that can be, and touches no memory of the window meanwhile but by its
 * aliases: a fault's handler takes the window's lock and a buffer's.
 */
#ifndef _LIBMEM_EMBEDDED_H
#define _LIBMEM_EMBEDDED_H

#include <signal.h>

#include "../../kmod/model/line.h"
#include "../../kmod/model/profile.h"
#include "../internal.h"

/**
 * struct embedded_ctx - a context
 * @base: for the rest of the library
 * @profile: the board
 * @fill: fill granule, bytes
 * @nr_jobs: that are not done
 * @nr_waiting: those that wait for others
 * @nr_submitted: jobs so far
 * @watch: what waits to be told; NULL: it does not watch
 */
struct embedded_ctx {
	struct mem_ctx base;
	const struct profile *profile;
	uint32_t fill;
	atomic_uint nr_jobs;
	atomic_uint nr_waiting;
	atomic_ullong nr_submitted;
	struct watch *watch;
};

/**
 * struct acting - an engine's job, for whom it concerns later
 * @job: id, 0 none
 * @time_ns: when it was submitted
 */
struct acting {
	uint64_t job;
	uint64_t time_ns;
};

/**
 * struct note - who was at a page last
 * @ip: instruction that stored
 * @addr: where; of pages made ready with another, there
 * @time_ns: when, 0 never
 * @tid: thread
 * @engine: who wrote DRAM
 */
struct note {
	uintptr_t ip;
	uintptr_t addr;
	uint64_t time_ns;
	pid_t tid;
	struct acting engine;
};

struct watch;
struct touch;

/**
 * struct embedded_buf - a buffer
 * @base: for the rest of the library
 * @name: given at allocation
 * @id: never used again
 * @has_two_views: CPU and engines may see different bytes
 * @fill: fill granule, bytes
 * @first: its first page in the window
 * @nr_pages: what it asked for
 * @addr: in the window, as the CPU sees it
 * @dram: alias of DRAM
 * @cpu: alias of the CPU view; @dram if there is one view
 * @twin: place for what lines were filled with, if there are two views
 * @nr_users: the caller and the jobs that use it
 * @nr_done: jobs on it that are done: what waits for one looks again
 * @lock: protects what follows
 * @is_mapped: the CPU may touch it
 * @lines: its lines, if it has two views
 * @active: bit a page: it may have valid or engine-written lines
 * @stored: bit a page: it may have Dirty lines
 * @notes: a page each
 * @nr_jobs: jobs that are to use it
 * @nr_write_jobs: those that are to write it
 * @was_faulted: a page was made ready while one was to write it
 * @nr_read: open READ brackets
 * @nr_write: open WRITE brackets
 * @begin: of the newest WRITE bracket
 * @touch: that is being judged
 * @acting: whose work on DRAM is being judged
 */
struct embedded_buf {
	struct mem_buf base;
	char name[MEM_NAME_LEN];
	uint64_t id;
	bool has_two_views;
	uint32_t fill;
	size_t first;
	size_t nr_pages;
	uint8_t *addr;
	uint8_t *dram;
	uint8_t *cpu;
	uint8_t *twin;
	atomic_uint nr_users;
	atomic_uint nr_done;

	pthread_mutex_t lock;
	bool is_mapped;
	struct line_buf lines;
	uint64_t *active;
	uint64_t *stored;
	struct note *notes;
	uint32_t nr_jobs;
	uint32_t nr_write_jobs;
	bool was_faulted;
	uint64_t nr_read;
	uint64_t nr_write;
	struct note begin;
	const struct touch *touch;
	struct acting acting;
};

/**
 * struct touch - what the CPU is seen to do
 * @off: byte of the buffer
 * @is_write: it stores
 * @is_ahead: it may come to store; the line is not judged
 * @ip: instruction
 */
struct touch {
	uint64_t off;
	bool is_write;
	bool is_ahead;
	uintptr_t ip;
};

/* window.c */
enum page_access {
	PAGE_NO_ACCESS,
	PAGE_READ,
	PAGE_WRITE,
};

int window_get(void);
void window_put(void);
bool window_is_forked(void);
bool window_is_there(void);
bool window_has(uintptr_t addr);
uint32_t window_page_shift(void);
int window_alloc(struct embedded_buf *buf);
void window_free(struct embedded_buf *buf);
struct embedded_buf *window_lock_buf(uintptr_t addr);
int window_protect(size_t first, size_t nr, enum page_access access);
enum page_access window_access(size_t page);

/* view.c */
int view_init(struct embedded_buf *buf, const struct profile *profile);
void view_fini(struct embedded_buf *buf);
bool view_touch(struct embedded_buf *buf, const struct touch *touch);
void view_engine_access(struct embedded_buf *buf, uint64_t off, uint64_t len,
			struct line_job *told,
			void (*account)(struct line_buf *lines, u64 off,
					u64 len, struct line_job *told));
void view_prepare(struct embedded_buf *buf, uint64_t off, uint64_t len,
		  bool is_write, uintptr_t ip);
void view_finish_write(struct embedded_buf *buf, uint64_t off, uint64_t len,
		       uintptr_t ip);
void view_clean(struct embedded_buf *buf, uint64_t off, uint64_t len);
void view_invalidate(struct embedded_buf *buf, uint64_t off, uint64_t len);
void view_take_in(struct embedded_buf *buf);
void view_revoke(struct embedded_buf *buf, size_t first, size_t end);
void view_begin_write(struct embedded_buf *buf, uint64_t off, uint64_t len);

/* watch.c */
int watch_begin(struct embedded_ctx *ctx, unsigned int what, uint32_t nr);
void watch_end(struct embedded_ctx *ctx);
int watch_next(struct embedded_ctx *ctx, struct mem_violation *violation);
void watch_lines(struct line_buf *lines, enum line_event event, u64 off,
		 u64 len);
void watch_unbracketed(const struct embedded_buf *buf,
		       const struct touch *touch);
void watch_unmatched_end(const struct embedded_buf *buf, bool lacks_write,
			 bool is_write);
void watch_missing_end(const struct embedded_buf *buf);

/* backend.c */
void embedded_buf_get(struct embedded_buf *buf);
bool embedded_buf_try(struct embedded_buf *buf);
void embedded_buf_put(struct embedded_buf *buf);

/* signals.c */
int signals_init(void);
void signals_block(sigset_t *old);
void signals_restore(const sigset_t *old);

/* fault.c */
bool fault_handle(const siginfo_t *info, const void *context);
void buf_lock(struct embedded_buf *buf, sigset_t *old);
void buf_unlock(struct embedded_buf *buf, const sigset_t *old);

/* engine.c */
int engine_submit(struct mem_ctx *ctx, enum job_op op,
		  const struct mem_copy2d *rows, struct mem_job **job);
int engine_wait_job(struct mem_job *job, uint64_t timeout_ns);
int engine_fence(struct mem_job *job, int *fd);
void engine_forget(struct mem_job *job);
int engine_wait_buf(struct embedded_buf *buf, bool for_write,
		    uint64_t timeout_ns);

static inline struct embedded_buf *embedded_buf_of(struct mem_buf *buf)
{
	return containerof(buf, struct embedded_buf, base);
}

static inline struct embedded_ctx *embedded_ctx_of(struct mem_ctx *ctx)
{
	return containerof(ctx, struct embedded_ctx, base);
}

#endif
