/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The embedded backend, which simulates the board in the process itself.
 *
 * Lock order: the engine's lock, a context's order lock, embedded_buf.lock, a
 * context's rights lock or the window's lock, the lock of page protections, of
 * watchers or of forks. While a thread holds one of them, all signals that can
 * be blocked are blocked, and the thread accesses memory of the window only by
 * its aliases: the handler of a fault takes the window's lock, a buffer's lock
 * and a rights lock.
 */
#ifndef _LIBMEM_EMBEDDED_H
#define _LIBMEM_EMBEDDED_H

#include <signal.h>

#include "../../kmod/model/line.h"
#include "../../kmod/model/profile.h"
#include "../engine/engine.h"
#include "../grant.h"
#include "../order/order.h"
#include "../trap/ops.h"

/*
 * Attribute of a struct variable: it shares no page with other variables, also
 * in a program that is linked with libmem.a. A child of fork needs it while
 * pages of registered memory are not mapped, and so does a thread that moves
 * pages.
 */
#if defined(__x86_64__)
#define IN_OWN_PAGES	__attribute__((aligned(4096)))
#else
#define IN_OWN_PAGES	__attribute__((aligned(65536)))	/* the largest page */
#endif

/**
 * struct rights_stream - a stream, as far as the CPU's rights depend on it
 * @order: its order; not used of the legacy one
 * @id: number of the stream, 0: the legacy one
 * @group: buffers single to it, without an attach in flight
 * @in_active: place among the active streams of the context
 * @newest: the job that was submitted last, done or not
 */
struct rights_stream {
	struct order order;
	uint64_t id;
	struct right_group group;
	struct attach_link in_active;
	struct acting newest;
};

/**
 * struct refusal - why the CPU may not touch a buffer
 * @stream: number of the stream for which the host has to wait
 * @newest: the newest job of that stream; its number is 0 if there is none
 * @attaches: attaches of the buffer, the newest first
 * @is_repeated: it is the last refused touch again
 */
struct refusal {
	uint64_t stream;
	struct acting newest;
	struct record_attach attaches[RECORD_NR_ATTACHES];
	bool is_repeated;
};

/**
 * struct owner - an engine and what it has been given
 * @ctx: its context
 * @engine: the engine; NULL: nothing has run yet
 * @work: work that it runs
 * @refused: kind of memory that @work touched although it may not, as text for
 *	a report; NULL: none
 * @grants: buffers that it has mapped; the order lock protects this and the
 *	members below
 * @is_running: a job is using these buffers
 * @is_unsafe: it has mapped a buffer that it must not use, so that the next job
 *	needs a new engine
 */
struct owner {
	struct embedded_ctx *ctx;
	struct engine *engine;
	struct work *work;
	const char *refused;
	struct grants grants;
	bool is_running;
	bool is_unsafe;
};

/**
 * struct embedded_ctx - a context
 * @base: the core's struct
 * @fill: fill granule, bytes
 * @nr_jobs: jobs of the dma engine that are not done
 * @nr_waiting: those of them that wait for other jobs
 * @nr_submitted: jobs so far
 * @watch: queue of violations; NULL: the context does not watch
 * @policy: enum mem_policy
 * @poison: byte that new memory is filled with; -1: zeros
 * @evicts: lines are evicted and fetched at random
 * @seed: seed of that
 * @is_precise: each access of the CPU is detected
 * @nr_made: two-view buffers so far, from which each gets a seed of its own
 * @owners: its engines
 * @nr_running: engines that run a kernel
 * @order: the order of its streams
 * @rights_lock: protects what follows; faults do not change which buffer is in
 *	which group, so that the order lock is enough to read that
 * @globals: global buffers, without an attach in flight
 * @null_stream: the legacy stream
 * @actives: active streams, the oldest first
 * @nr_refused: touches by the CPU of managed memory that it might not touch
 * @lent: device memory that kernels in the application's threads have
 */
struct embedded_ctx {
	struct mem_ctx base;
	uint32_t fill;
	atomic_uint nr_jobs;
	atomic_uint nr_waiting;
	atomic_ullong nr_submitted;
	struct violations *watch;
	uint32_t policy;
	int poison;
	bool evicts;
	uint64_t seed;
	bool is_precise;
	atomic_ullong nr_made;
	struct owner owners[NR_ENGINES];
	atomic_uint nr_running;

	struct order_ctx order;

	pthread_mutex_t rights_lock;
	struct right_group globals;
	struct rights_stream null_stream;
	struct attach_link actives;
	uint64_t nr_refused;
	struct attach_link lent;
};

/**
 * struct note - the last access to a page
 * @ip: instruction that stored
 * @addr: address of the store; for pages that were made writable ahead, the
 *	address in the page that faulted
 * @time_ns: when, 0 never
 * @tid: thread
 * @stack: its stack, from record_stack()
 * @engine: engine that wrote DRAM
 */
struct note {
	uintptr_t ip;
	uintptr_t addr;
	uint64_t time_ns;
	pid_t tid;
	uint32_t stack;
	struct acting engine;
};

struct watch;
struct touch;

/** enum bracket_dir - what a bracket allows */
enum bracket_dir {
	BRACKET_READ,
	BRACKET_WRITE,
	BRACKET_NR_DIRS
};

/**
 * struct embedded_buf - a buffer
 * @base: the core's struct
 * @name: name from the allocation
 * @id: number, never reused
 * @has_two_views: CPU and engines may see different bytes; a heap's buffer that
 *	gets a file of its own then has one view: protected by @lock, too
 * @fill: fill granule, bytes
 * @first: its first page in the window
 * @nr_pages: number of its pages
 * @addr: address in the window, where the CPU accesses it
 * @dram: alias of DRAM
 * @cpu: alias of the CPU view; @dram if there is one view
 * @twin: memory for the bytes with which lines were filled, if there are two
 *	views
 * @gate: who may touch it; changes under @lock
 * @file: file of its own that contains it; none: the window's file does. Of a
 *	heap's buffer it is set under the order lock and @lock, of others while
 *	no work is left
 * @fd_off: offset of its first page in @file
 * @is_imported: @file was imported
 * @can_hold_back: registered: no thread has its stack or data of the C library
 *	in its first or last page
 * @nr_users: references: of the caller and of jobs that use it
 * @nr_done: number of its jobs and copies that are done; waiters wait on it
 * @newest: managed: newest attach state, for violations: number of the stream
 *	to which it is single, and MEM_ATTACH_* in the low bits
 * @lock: protects the members below
 * @is_mapped: the CPU may touch it, if nothing else forbids it
 * @lines: its lines, if it has two views
 * @active: a bit for each page: it may have valid or engine-written lines
 * @stored: a bit for each page: it may have Dirty lines
 * @notes: last access to each page
 * @nr_jobs: jobs that use it, or will
 * @nr_write_jobs: those of them that write it
 * @nr_copies: of a heap's buffer: copies and fills that use it
 * @was_faulted: a page became accessible while @nr_write_jobs was above 0
 * @nr_due: touches after which nothing has been evicted yet
 * @bracket: brackets that are open
 * @nr_own: those of them that libmem has opened to work on an image or array; a
 *	bracket for reading and writing counts as one for writing
 * @gated: when and where @gate was set
 * @begin: where the newest bracket of each direction was begun
 * @begun: record of an open bracket of each direction, in case the process ends
 *	in it; NULL: none is open, or the process is not watched
 * @touch: touch that is being judged
 * @acting: job whose access to DRAM is being judged
 * @is_lent: it is in the context's list of lent buffers
 * @right: managed: whether the CPU may touch it; the rights lock protects what
 *	follows
 * @blocker: while an attach is in flight: the stream for which the CPU may not
 *	touch it; NULL: any that is active
 * @attaches: how it came to its state, the newest first; all 0 unless it is
 *	watched
 * @nr_refused: touches by the CPU when it might not touch it
 * @nr_dropped: invalidates of its group that have been carried out for it
 * @in_lent: place in the context's list of lent buffers
 * @order: managed: its attach states
 * @granted: which engines have it; the order lock protects this and the rest
 * @is_freed: its owner has no more use for it
 * @nr_moving: who waits until no engine is at it
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
	atomic_uint gate;
	struct own_fd file;
	uint64_t fd_off;
	bool is_imported;
	bool can_hold_back;
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
	uint32_t nr_copies;
	bool was_faulted;
	uint32_t nr_due;
	struct line_bracket bracket;
	unsigned int nr_own[BRACKET_NR_DIRS];
	struct gate_note gated;
	struct note begin[BRACKET_NR_DIRS];
	struct record_place *begun[BRACKET_NR_DIRS];
	const struct touch *touch;
	struct acting acting;

	bool is_lent;

	struct right_buf right;
	const struct rights_stream *blocker;
	struct record_attach attaches[RECORD_NR_ATTACHES];
	uint64_t nr_refused;
	uint64_t nr_dropped;
	struct attach_link in_lent;

	struct order_buf order;
	struct granted granted;
	bool is_freed;
	unsigned int nr_moving;
};

/**
 * struct touch - a touch of the CPU that is detected
 * @off: byte of the buffer
 * @is_write: it is a store
 * @is_ahead: a store may follow; the line is not judged
 * @is_call: by a system call, which needs all its pages at the same time
 * @is_again: it has been judged; its instruction did not complete then
 * @ip: instruction
 */
struct touch {
	uint64_t off;
	bool is_write;
	bool is_ahead;
	bool is_call;
	bool is_again;
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
bool window_is_open(void);
bool window_has(uintptr_t addr);
bool window_is_sparse(uintptr_t addr);
uint32_t window_page_shift(void);
int window_alloc(struct embedded_buf *buf);
void window_free(struct embedded_buf *buf);
struct embedded_buf *window_find_buf(uintptr_t addr);
struct embedded_buf *window_lock_buf(uintptr_t addr);
uintptr_t window_addr(uint64_t off);
uint64_t window_off(const struct embedded_buf *buf);
void window_for_engine(struct engine_window *engine);
const uint8_t *window_before(uint64_t off);
void *window_map_again(size_t len, uint64_t off);
void window_map_private(void *host, size_t len, uint64_t off);
int window_map_host(const struct embedded_buf *buf, void *host, size_t len);
size_t window_host_run(const struct mappings *mappings, const void *host,
		       size_t len, uint64_t off, bool *is_there);
int window_move(struct embedded_buf *buf, struct own_fd *file);
int window_map_own(const struct embedded_buf *buf);
size_t window_block_pages(size_t page);

/* protect.c */
int protect_init(uint8_t *addr, size_t region_pages, size_t nr_places);
void protect_exit(void);
bool protect_is_table(uintptr_t addr);
void protect_let_fork(void);
int protect_set(size_t first, size_t nr, enum page_access access);
enum page_access protect_get(size_t page);
void protect_keep(size_t page);
bool protect_is_kept(size_t page);

/* view.c */
int view_init(struct embedded_buf *buf, const struct profile *profile);
void view_fini(struct embedded_buf *buf);
void view_write_back(struct embedded_buf *buf);
bool view_touch(struct embedded_buf *buf, const struct touch *touch);
void view_engine_access(struct embedded_buf *buf, uint64_t off, uint64_t len,
			struct line_job *reported,
			void (*account)(struct line_buf *lines, u64 off,
					u64 len, struct line_job *reported));
void view_prepare(struct embedded_buf *buf, uint64_t off, uint64_t len,
		  bool is_write, uintptr_t ip);
void view_finish_write(struct embedded_buf *buf, uint64_t off, uint64_t len,
		       uintptr_t ip);
void view_finish_call(struct embedded_buf *buf);
void view_clean(struct embedded_buf *buf, uint64_t off, uint64_t len);
void view_invalidate(struct embedded_buf *buf, uint64_t off, uint64_t len);
void view_take_in(struct embedded_buf *buf);
void view_revoke(struct embedded_buf *buf, size_t first, size_t end);
void view_begin_write(struct embedded_buf *buf, uint64_t off, uint64_t len);

void view_engine_begin_write(struct embedded_buf *buf, uint64_t off,
			     uint64_t len);
void view_engine_wrote(struct embedded_buf *buf, uint64_t off, uint64_t len,
		       const uint8_t *before, bool is_changed,
		       const struct acting *acting);
uint64_t view_clean_run(const struct embedded_buf *buf, uint64_t off);
bool view_has_lines(const struct embedded_buf *buf);

/* watchers.c */
int watchers_begin(struct embedded_ctx *ctx, unsigned int what, uint32_t nr);
void watchers_end(struct embedded_ctx *ctx);
int watchers_next(struct embedded_ctx *ctx, struct mem_violation *violation);
int watchers_fd(struct embedded_ctx *ctx, int *fd);
bool watchers_exist(void);
void watchers_add(const struct mem_violation *violation);

/* watch.c */
void watch_lines(struct line_buf *lines, enum line_event event, u64 off,
		 u64 len);
void watch_unbracketed(const struct embedded_buf *buf,
		       const struct touch *touch);
void watch_unmatched_end(const struct embedded_buf *buf, bool lacks_write,
			 bool is_write);
void watch_open_brackets(struct embedded_buf *buf);
void watch_bracket_begin(struct embedded_buf *buf, unsigned int access);
void watch_bracket_end(struct embedded_buf *buf, unsigned int access);
void watch_brackets(struct embedded_buf *buf);
void watch_alloc(struct embedded_buf *buf);
void watch_registered_gone(const struct embedded_buf *buf);
void watch_register(struct embedded_buf *buf);
void watch_free(struct embedded_buf *buf);
void watch_freed(const struct embedded_buf *buf);
void watch_use_after_free(uintptr_t addr, const struct embedded_buf *buf,
			  const struct touch *touch);
void watch_cpu_while_active(const struct embedded_buf *buf,
			    const struct touch *touch,
			    const struct refusal *refusal);
bool watch_is_on(void);
void watch_cpu_on_device(const struct embedded_buf *buf,
			 const struct touch *touch);
void watch_not_attached(const struct embedded_buf *buf, uint64_t off,
			bool is_write, uintptr_t ip, const struct work *work);
void watch_read_only(const struct embedded_buf *buf, const struct touch *touch);
void watch_gate_cpu(const struct embedded_buf *buf, const struct touch *touch);
void watch_gate_engine(const struct embedded_buf *buf, uint64_t off,
		       bool is_write, uintptr_t ip, const struct work *work);
void watch_race(const struct embedded_buf *buf, uint64_t off, bool is_write,
		uintptr_t ip, const struct work *work,
		const struct race_party *party);
void watch_atomic(const struct embedded_buf *buf, const struct touch *touch,
		  const struct work *work);
void watch_failed(const struct engine_result *result,
		  const struct work *work, const char *refused);
void watch_overrun(const struct embedded_buf *buf, uint64_t off,
		   const struct work *work);

/* trace.c */

/**
 * struct traced - a job of the dma engine, for the trace
 * @op: operation
 * @dst: buffer that it writes; NULL: none of libmem
 * @src: buffer that it reads; NULL: none of libmem
 * @off: first byte in @dst, or in @src if there is no @dst
 * @len: bytes to the end of the last row
 * @bytes: bytes of all rows
 */
struct traced {
	enum job_op op;
	const struct embedded_buf *dst;
	const struct embedded_buf *src;
	uint64_t off;
	uint64_t len;
	uint64_t bytes;
};

void trace_touch(const struct embedded_buf *buf, const struct touch *touch,
		 uint64_t nr_filled);
void trace_random(const struct embedded_buf *buf, uint64_t off, uint64_t len,
		  uint64_t nr_filled);
void trace_maintain(const struct embedded_buf *buf, const struct line_op *op,
		    bool is_clean, uint64_t nr_lines, uint64_t begin_ns);
void trace_bracket(const struct embedded_buf *buf, bool is_begin,
		   unsigned int access, uint64_t begin_ns);
void trace_submit(const struct acting *acting, const struct traced *what);
void trace_job_begin(const struct acting *acting, const struct traced *what);
void trace_job_end(const struct acting *acting, int status);

/* buf.c */
struct embedded_buf *embedded_buf_create(struct embedded_ctx *ctx,
					 enum mem_kind kind, uint64_t len);
void embedded_buf_destroy(struct embedded_buf *buf);
void embedded_buf_put(struct embedded_buf *buf);
void buf_lock(struct embedded_buf *buf, sigset_t *old);
void buf_unlock(struct embedded_buf *buf, const sigset_t *old);

/* The caller has a reference. */
static inline void embedded_buf_get(struct embedded_buf *buf)
{
	atomic_fetch_add(&buf->nr_users, 1);
}

/*
 * Takes a reference to a buffer that was found by its address. Returns false if
 * it is being freed. The window's lock is held.
 */
static inline bool embedded_buf_try(struct embedded_buf *buf)
{
	unsigned int nr = atomic_load(&buf->nr_users);

	while (nr && !atomic_compare_exchange_weak(&buf->nr_users, &nr, nr + 1))
		;
	return nr;
}

/* signals.c */
int signals_init(void);
int signals_action(int signal, const struct sigaction *action,
		   struct sigaction *old);
bool signals_are_seen(void);
int signals_take_traps(void);
bool signals_has_traps(void);

/* syscall.c */
extern const struct trap_ops syscall_ops;

/* lock.c */
int lock_all(int flags);

/* fault.c */

/**
 * enum fault - how a SIGSEGV was handled
 * @FAULT_STRANGE: it is not a touch of the window
 * @FAULT_READY: the instruction can be repeated
 * @FAULT_WATCHED: it can, and the next access is to be detected, too
 * @FAULT_REFUSED: the board refuses the touch
 */
enum fault {
	FAULT_STRANGE,
	FAULT_READY,
	FAULT_WATCHED,
	FAULT_REFUSED,
};

enum fault fault_handle(const siginfo_t *info, ucontext_t *context);
enum fault fault_touch(struct embedded_buf *buf, const struct touch *touch);
bool fault_is_judged(const struct embedded_buf *buf);
void fault_judge_gate(const struct embedded_buf *buf,
		      const struct touch *touch);
int fault_open(struct embedded_buf *buf);
void fault_close(struct embedded_buf *buf, size_t first, size_t end);

/* rights.c */
extern const struct order_ops rights_ops;

void rights_init(struct embedded_ctx *ctx);
void rights_fini(struct embedded_ctx *ctx);
uint64_t rights_nr_spared(struct embedded_buf *buf);
bool rights_touch(struct embedded_buf *buf, const struct touch *touch,
		  struct refusal *refusal);
void rights_enter(struct embedded_buf *buf, bool is_write);
void rights_written(struct embedded_buf *buf);
void rights_lend(struct embedded_buf *buf);
void rights_take_back(struct embedded_ctx *ctx);

/* ptr.c */
int ptr_alloc(struct mem_ctx *ctx, enum mem_kind kind, uint64_t len,
	      unsigned int flags, struct mem_buf **buf);
int ptr_place(struct embedded_ctx *ctx, struct embedded_buf *buf);
void ptr_give_access(struct embedded_buf *buf);
void ptr_free(struct mem_buf *buf);
struct mem_buf *ptr_find(struct mem_ctx *ctx, const void *addr);
void ptr_look_behind(const struct embedded_buf *buf, const struct work *work);

/* register.c */
int register_ptr(struct mem_ctx *ctx, void *ptr, uint64_t len,
		 unsigned int flags, struct mem_buf **buf);
int unregister_ptr(struct mem_buf *buf);
struct embedded_buf *register_find(const void *addr);
bool register_wait(uintptr_t addr);

/* fork.c */
void fork_block(void);
void fork_unblock(void);
bool fork_restore_at(uintptr_t addr);
void fork_restore(void);

/* share.c */
int share_export(struct mem_buf *buf, unsigned int access, int *fd);
int share_import(struct mem_ctx *ctx, int fd, struct mem_buf **buf);
int share_export_ptr(struct mem_buf *buf, int *fd);
int share_import_ptr(struct mem_ctx *ctx, int fd, uint64_t off, uint64_t len,
		     unsigned int flags, struct mem_buf **buf);

/* aside.c */
struct aside *aside_create(void);
void aside_destroy(struct aside *aside);
void aside_run(struct aside *aside, void (*what)(void *), void *arg);

/* clone.c */
void clone_watch(void (*what)(void));
void clone_unwatch(void);

/* atomic.c */
bool atomic_is_broken(const struct embedded_buf *buf, uintptr_t ip);
bool atomic_is_looked_for(const struct embedded_buf *buf);
bool atomic_is_at(uintptr_t ip);

/* step.c */
int step_init(void);
bool step_begin(const struct embedded_buf *buf, struct touch *touch,
		const ucontext_t *context);
void step_arm(ucontext_t *context);
void step_cancel(void);
bool step_disarm(ucontext_t *context);
bool step_end(const siginfo_t *info, ucontext_t *context);
bool step_hold(const struct embedded_buf *buf, uint64_t off, uint64_t len,
	       const void *call);
void step_unhold(const struct embedded_buf *buf, const void *call);
void step_release(const void *call);
bool step_is_held(size_t page);

/* run.c */
void run_init(struct embedded_ctx *ctx);
void run_fini(struct embedded_ctx *ctx);
void run_forget(struct embedded_ctx *ctx, struct embedded_buf *buf);
void run_forget_freed(struct embedded_ctx *ctx, struct embedded_buf *buf);
int run_keep_away(struct embedded_ctx *ctx, struct embedded_buf *buf,
		  sigset_t *old);
void run_let_come(struct embedded_ctx *ctx, struct embedded_buf *buf,
		  bool has_moved, const sigset_t *old);
int run_kernel(struct mem_ctx *ctx, struct work *work,
	       const struct mem_launch *launch);
int run_copy(struct mem_ctx *ctx, struct work *work, const struct copy *copy);

/* done.c */
int done_wait(atomic_uint *count, unsigned int seen, uint64_t deadline);
void done_add(atomic_uint *count);

/* dma.c */
int dma_submit(struct mem_ctx *ctx, enum job_op op,
	       const struct mem_copy2d *rows, struct mem_job **job);
int dma_wait_job(struct mem_job *job, uint64_t timeout_ns);
int dma_fence(struct mem_job *job, int *fd);
void dma_forget(struct mem_job *job);
int dma_wait_buf(struct embedded_buf *buf, bool for_write,
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
