/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libmem: declarations that all its files share. Structs of a backend begin
 * with the struct of the core (context, buffer, job). The core checks
 * arguments, and calls a backend only through its table, struct backend.
 */
#ifndef _LIBMEM_INTERNAL_H
#define _LIBMEM_INTERNAL_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "clock.h"
#include "record/record.h"
#include "fd.h"
#include "gate.h"
#include "libmem.h"

#define API		__attribute__((visibility("default")))
/* Number of values of enum mem_engine. */
#define NR_ENGINES	(MEM_ENGINE_DGPU + 1)

/* Size of the first version of a struct, by the last member that it had. */
#define offsetofend(type, member) \
	(offsetof(type, member) + sizeof(((type *)0)->member))
#define BUF_INFO_FIRST	offsetofend(struct mem_buf_info, count.unmatched_ends)

#define containerof(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

/* Structs of order/: */
struct call;	/* a host function */
struct mark;	/* a point in the order of all work */
struct race;	/* accesses among which races are looked for */
struct reach;	/* maintenance to perform when a stream reaches an attach */
struct order;	/* a stream */
struct work;	/* a job, or a copy or fill that an engine does */
struct order_buf;
struct order_ctx;
struct order_ops;

struct op;
struct profile;	/* a board, in the model */
struct thread_stream;

/**
 * struct mem_stream - a stream
 * @ctx: context; each reference that @nr_users counts has one to the context,
 *	except those of the legacy stream and of a thread
 * @living: leak record, if the caller owns the stream
 * @id: number for the caller and in records; 0: the legacy stream
 * @is_blocking: ordered with the legacy stream, or is the legacy stream
 * @is_foreign: of MEM_STREAM_FOREIGN
 * @is_own: owned by the library: the caller cannot destroy it
 * @priority: priority of its work
 * @nr_users: references: of the caller or the thread, and of each operation
 * @order: its order; NULL: the legacy stream
 * @last: newest operation, with a reference; NULL: it never had one
 * @known: number of the newest operation of the context when the host last
 *	began to wait for all work, set once that wait has ended
 * @next: next stream of the context
 * @prev: previous stream of the context
 */
struct mem_stream {
	struct mem_ctx *ctx;
	struct living living;
	uint64_t id;
	bool is_blocking;
	bool is_foreign;
	bool is_own;
	int priority;
	atomic_uint nr_users;
	struct order *order;
	struct op *last;
	uint64_t known;
	struct mem_stream *next;
	struct mem_stream *prev;
};

/* Threads that run operations: one for each engine, then these. */
enum {
	EXEC_DMA = NR_ENGINES,
	EXEC_HOST,
	NR_EXECS,
};

#define NR_PRIORITIES	(MEM_PRIORITY_LEAST - MEM_PRIORITY_GREATEST + 1)

/**
 * struct exec - a thread that runs operations, one at a time
 * @ctx: its context
 * @thread: valid if @is_running
 * @is_running: it has been started
 * @has_work: signalled when an operation is ready, or the thread is to stop
 * @first: for each priority, the oldest operation that is ready
 * @last: for each priority, the newest
 */
struct exec {
	struct mem_ctx *ctx;
	pthread_t thread;
	bool is_running;
	pthread_cond_t has_work;
	struct op *first[NR_PRIORITIES];
	struct op *last[NR_PRIORITIES];
};

/**
 * struct op_list - operations that are not done, in call order
 * @first: the oldest
 * @last: the newest
 */
struct op_list {
	struct op *first;
	struct op *last;
};

/**
 * struct sched - the work of a context
 * @lock: protects the members up to @semaphores, and makes order/ see
 *	operations in the order in which they are queued; taken before the order
 *	lock and any lock of the backend
 * @cancel: cancel state of the thread that holds the lock, from before it
 *	locked
 * @pid: process that opened the context; never changes
 * @is_stopping: the context is being freed
 * @seq: number of the newest operation
 * @last_stream: id of the newest stream
 * @legacy: the legacy stream
 * @streams: all other streams
 * @thread_streams: streams of threads; protected by a lock of their own
 * @orphans: ends of destroyed streams whose work is not known done
 * @retired: memory that is freed once the work that may use it has ended,
 *	oldest first
 * @last_retired: newest; valid if @retired is not NULL
 * @all: operations that are not done
 * @domain: those of them that belong to the legacy or to blocking streams
 * @execs: threads that run operations
 * @nr_going: operations that are not done and wait for no other operation,
 *	except those that @nr_pending counts
 * @nr_pending: waits for semaphores that have begun
 * @nr_dropped: operations that were dropped because they were behind such a
 *	wait
 * @nr_cancels: calls in progress that drop such waits
 * @is_closed: the caller has closed the context
 * @is_polling: @poller, @poll and @stop are valid
 * @poller: thread that polls semaphores
 * @poll: epoll of the semaphores
 * @stop: eventfd in @poll that makes the thread end
 * @semaphores: semaphores that are polled
 * @wait_policy: enum mem_wait_policy
 * @error: sticky error, 0 or -errno
 * @lost: error that one wait returns, such as that of a killed engine; 0 or
 *	-errno
 */
struct sched {
	pthread_mutex_t lock;
	int cancel;
	pid_t pid;
	bool is_stopping;
	uint64_t seq;
	uint64_t last_stream;
	struct mem_stream legacy;
	struct mem_stream *streams;
	struct thread_stream *thread_streams;
	struct place_mark *orphans;
	struct mem_buf *retired;
	struct mem_buf *last_retired;
	struct op_list all;
	struct op_list domain;
	struct exec execs[NR_EXECS];
	uint64_t nr_going;
	uint64_t nr_pending;
	uint64_t nr_dropped;
	unsigned int nr_cancels;
	bool is_closed;
	bool is_polling;
	pthread_t poller;
	struct own_fd poll;
	struct own_fd stop;
	struct mem_semaphore *semaphores;

	atomic_int wait_policy;
	atomic_int error;
	atomic_int lost;
};

/**
 * struct ctx_hook - a function that is called when a context is closed
 * @closed: called once by mem_ctx_close(), with the lock of the hooks
 * @next: next hook of the context
 */
struct ctx_hook {
	void (*closed)(struct ctx_hook *hook);
	struct ctx_hook *next;
};

/**
 * struct retired - memory of memory_retire()
 * @next: retired later
 * @seq: number of the newest operation that may use it
 * @owner: number of who has imported it
 */
struct retired {
	struct mem_buf *next;
	uint64_t seq;
	uint64_t owner;
};

/* The caller and each object have a reference; dropping the last closes it. */
struct mem_ctx {
	const struct backend *backend;
	const struct profile *board;
	struct order_ctx *order;
	bool is_shared;	/* of mem_ctx_open_shared(); set before others see it */
	atomic_uint nr_users;
	struct sched sched;

	pthread_mutex_t hooks_lock;	/* hooks */
	struct ctx_hook *hooks;
};

struct mem_buf {
	struct mem_ctx *ctx;
	uint64_t len;
	enum mem_kind kind;
	struct living living;

	/*
	 * Memory by address: of mem_alloc() and mem_register(), and buffers of
	 * a heap that a backend finds by their address, which have @host as
	 * long as they are mapped.
	 */
	uint64_t asked_len;
	unsigned int flags;
	void *host;
	void *device;
	/* The scheduler's lock protects these two. */
	bool is_claimed;	/* being freed */
	struct retired retired;
	/* Buffers of a heap, and imports. @is_read_only never changes. */
	bool is_read_only;
	atomic_bool is_device_exposed;	/* mem_buf_device_ptr() returned it */
	struct order_buf *order;	/* of managed memory, else NULL */
	struct frame_holds frames;	/* frames that are held */
	struct race *race;	/* of mem_check_order(); under the order lock */

	pthread_mutex_t lock;		/* addr, nr_maps */
	void *addr;
	uint32_t nr_maps;
};

/**
 * struct copy - a copy or fill to carry out
 * @rows: rows of both sides; for a fill the source is NULL
 * @value: byte of a fill
 * @dst: buffer that is written; NULL: pageable memory
 * @src: buffer that is read; NULL: pageable memory, or a fill
 * @dst_is_device: the device view is written, else the CPU view
 * @src_is_device: the device view is read, else the CPU view
 */
struct copy {
	struct mem_rows rows;
	uint8_t value;
	struct mem_buf *dst;
	struct mem_buf *src;
	bool dst_is_device;
	bool src_is_device;
};

/**
 * struct verdict - how a copy or fill is carried out; see struct attach_copy
 * @src_is_device: the source counts as device memory
 * @dst_is_device: the target counts as device memory
 * @is_work: an engine does it
 * @is_waited_for: a synchronous call has waited for it when it returns
 */
struct verdict {
	bool src_is_device;
	bool dst_is_device;
	bool is_work;
	bool is_waited_for;
};

/* Returns true if memory of mem_alloc() is in the discrete GPU's memory. */
static inline bool is_discrete(enum mem_kind kind, unsigned int flags)
{
	return kind == MEM_KIND_DEVICE && flags & MEM_DEVICE_DISCRETE;
}

/*
 * Returns true for buffers of a heap: those of mem_buf_alloc(),
 * mem_buf_alloc_heap() and mem_buf_import().
 */
static inline bool is_heaps(const struct mem_buf *buf)
{
	return buf->kind <= MEM_KIND_FOREIGN;
}

/* Returns true for memory of mem_alloc() and mem_register(). */
static inline bool is_by_address(const struct mem_buf *buf)
{
	return buf->kind == MEM_KIND_MANAGED || buf->kind == MEM_KIND_PINNED ||
	       buf->kind == MEM_KIND_DEVICE ||
	       buf->kind == MEM_KIND_REGISTERED;
}

/* Returns the offset in a buffer of an address, the CPU's or the engines'. */
static inline uint64_t buf_off_of(const struct mem_buf *buf, const void *ptr)
{
	const uintptr_t addr = (uintptr_t)ptr;

	if (buf->host && addr - (uintptr_t)buf->host < buf->len)
		return addr - (uintptr_t)buf->host;
	return addr - (uintptr_t)buf->device;
}

/* Returns true for device memory of mem_ptr_import(). */
static inline bool is_imported(const struct mem_buf *buf)
{
	return buf->kind == MEM_KIND_DEVICE && buf->flags & MEM_DEVICE_IMPORTED;
}

struct mem_job {
	struct mem_ctx *ctx;
	struct living living;
	bool is_done;
	int status;
	uint64_t result;
};

/**
 * enum job_op - jobs of the dma engine
 * @JOB_FILL: fills dst; src is NULL
 * @JOB_COPY: copies from src to dst
 * @JOB_CHECKSUM: reads src; dst is NULL
 */
enum job_op {
	JOB_FILL,
	JOB_COPY,
	JOB_CHECKSUM,
};

/**
 * struct backend - the functions behind a context
 * @name: value of LIBMEM_BACKEND that selects it
 * @id: MEM_BACKEND_EMBEDDED or MEM_BACKEND_KERNEL
 * @open: creates a context. The caller initialises its scheduler. Without a
 *	policy the backend's default applies
 * @close: frees a context that nobody refers to
 * @check: checks whether calls are possible, before an object's lock is taken;
 *	NULL: always
 * @probe: fills in all members except the size
 * @watch: starts to queue violations; called once for a context
 * @watch_fd: returns a new descriptor that polls readable while violations wait
 * @next_violation: returns 1 with all members except the size filled in, or 0;
 *	-EINVAL: the context does not watch
 * @alloc: allocates a buffer; @len is above 0, @name is short enough or NULL
 * @alloc_heap: allocates from a heap; @heap is a file name
 * @import: creates a buffer from a descriptor, which the caller keeps; the
 *	buffer is read-only if the descriptor is
 * @export: returns a new descriptor, which is read-only with MEM_READ; with
 *	MEM_RW it has the access that the buffer has
 * @free: frees a buffer, which is not mapped
 * @device_ptr: makes a buffer of a heap accessible to kernels at @device; NULL:
 *	every buffer is
 * @map: maps the whole buffer, which is not mapped yet
 * @unmap: undoes @map
 * @info: fills in all members except the size
 * @begin: begins a bracket, after waiting for engines
 * @end: ends a bracket
 * @wait: waits for engines that write, and with @for_write also for those that
 *	read; at most 20 s
 * @maintain: maintains a list of ranges in order, without brackets
 * @revoke: makes the next touch of each page fault
 * @submit: submits a job of the dma engine; the caller has checked the
 *	arguments that do not depend on a buffer
 * @wait_job: waits with a time limit; fills in status and result; the caller
 *	repeats it on -EINTR
 * @fence: returns a new descriptor that polls readable once the job is done
 * @forget: destroys a job, which may still run
 * @alloc_ptr: allocates memory of mem_alloc(); the caller has checked the
 *	arguments
 * @register_ptr: registers memory of mem_register(); the caller has checked the
 *	flags
 * @export_ptr: returns a new descriptor of device memory; no work of the
 *	context is left; NULL: unsupported
 * @import_ptr: creates device memory from a file; the caller has checked the
 *	arguments that do not depend on the file; NULL: unsupported
 * @unregister_ptr: makes the caller's memory ordinary memory again; @free_ptr
 *	follows; NULL if @register_ptr is
 * @free_ptr: frees memory of these four calls, which no work uses and @find
 *	does not return any more
 * @find: returns the buffer at an address, of any context, with a reference;
 *	NULL: none
 * @keep: takes a reference to a buffer
 * @put: drops a reference to a buffer
 * @set_name: names a buffer; the name is short enough
 * @set_gate: sets who may touch a buffer of a heap, or who besides the CPU may
 *	touch device memory, from now on; violations name the call of the note,
 *	or that of the calling thread if it is NULL; NULL: touches are not
 *	detected
 * @order: the functions that order/ calls
 * @fence_create: creates a sync_file for @fence_signal; NULL: there are none
 * @fence_signal: signals it; takes no lock
 * @run: runs a kernel that was submitted as @work, and waits for its end
 * @copy: carries out a copy or fill; @work is NULL if no engine does it
 *
 * The caller holds the scheduler's lock for @export_ptr, and for @free_ptr of
 * what @import_ptr has created. All except @next_violation return 0 or -errno;
 * on failure they have changed nothing, except for @run and @copy. -EOPNOTSUPP:
 * unsupported by the backend. For an object that they create, the caller takes
 * the reference to the context.
 */
struct backend {
	const char *name;
	enum mem_backend id;
	int (*open)(const struct mem_ctx_options *options,
		    struct mem_ctx **ctx);
	void (*close)(struct mem_ctx *ctx);
	int (*check)(void);
	int (*probe)(struct mem_ctx *ctx, struct mem_probe *probe);
	int (*watch)(struct mem_ctx *ctx, unsigned int what, uint32_t nr);
	int (*watch_fd)(struct mem_ctx *ctx, int *fd);
	int (*next_violation)(struct mem_ctx *ctx,
			      struct mem_violation *violation);
	int (*alloc)(struct mem_ctx *ctx, enum mem_kind kind, uint64_t len,
		     const char *name, struct mem_buf **buf);
	int (*alloc_heap)(struct mem_ctx *ctx, const char *heap, uint64_t len,
			  struct mem_buf **buf);
	int (*import)(struct mem_ctx *ctx, int fd, struct mem_buf **buf);
	int (*export)(struct mem_buf *buf, unsigned int access, int *fd);
	void (*free)(struct mem_buf *buf);
	int (*device_ptr)(struct mem_buf *buf);
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
	int (*fence_create)(struct mem_ctx *ctx, int *fd, uint64_t *id);
	void (*fence_signal)(struct mem_ctx *ctx, uint64_t id, int error);
	void (*forget)(struct mem_job *job);

	int (*alloc_ptr)(struct mem_ctx *ctx, enum mem_kind kind, uint64_t len,
			 unsigned int flags, struct mem_buf **buf);
	int (*register_ptr)(struct mem_ctx *ctx, void *ptr, uint64_t len,
			    unsigned int flags, struct mem_buf **buf);
	int (*export_ptr)(struct mem_buf *buf, int *fd);
	int (*import_ptr)(struct mem_ctx *ctx, int fd, uint64_t off,
			  uint64_t len, unsigned int flags,
			  struct mem_buf **buf);
	int (*unregister_ptr)(struct mem_buf *buf);
	void (*free_ptr)(struct mem_buf *buf);
	struct mem_buf *(*find)(struct mem_ctx *ctx, const void *addr);
	void (*keep)(struct mem_buf *buf);
	void (*put)(struct mem_buf *buf);
	void (*set_name)(struct mem_buf *buf, const char *name);
	void (*set_gate)(struct mem_buf *buf, enum gate gate,
			 const struct gate_note *note);
	const struct order_ops *order;

	int (*run)(struct mem_ctx *ctx, struct work *work,
		   const struct mem_launch *launch);
	int (*copy)(struct mem_ctx *ctx, struct work *work,
		    const struct copy *copy);
};

extern const struct backend kernel_backend;
extern const struct backend embedded_backend;

/* Longest list of mem_buf_maintain(). */
#define MAX_RANGES		65536
/* Longest wait for engines: above the longest time that they take. */
#define ENGINE_WAIT_NS		(20 * NS_PER_S)
/* Most block-shared memory of a block. */
#define MAX_SHARED_LEN		(1U << 20)

int sched_check_call(void);
const struct profile *board_find(const char *name);
bool board_is_known(const struct profile *board);
const char *board_name(const struct profile *board);
bool board_has_engine(const struct profile *board, unsigned int at);
bool board_has_pageable_access(const struct profile *board);
bool board_has_concurrent_access(const struct profile *board);
bool board_is_io_coherent(const struct profile *board);
uint32_t board_line_size(const struct profile *board);
uint32_t board_capability(const struct profile *board, unsigned int at);
bool board_has_surface_export(const struct profile *board);
int board_take(const struct profile *board, enum mem_kind kind,
	       unsigned int flags, uint64_t len);
void board_give(const struct profile *board, enum mem_kind kind,
		unsigned int flags, uint64_t len);
void ctx_init(struct mem_ctx *ctx);
void ctx_hook_add(struct mem_ctx *ctx, struct ctx_hook *hook);
void ctx_hook_del(struct mem_ctx *ctx, struct ctx_hook *hook);
struct mem_ctx *ctx_get(struct mem_ctx *ctx);
bool ctx_try(struct mem_ctx *ctx);
bool ctx_put(struct mem_ctx *ctx);
bool ctx_is_forked(const struct mem_ctx *ctx);
int ctx_look(const struct mem_ctx *ctx);
int ctx_may_call(const struct mem_ctx *ctx);
int ctx_may_change(const struct mem_ctx *ctx);
int ctx_check(struct mem_ctx *ctx);
int ctx_result(struct mem_ctx *ctx);
void buf_init(struct mem_buf *buf, enum mem_kind kind, uint64_t len);
void buf_fini(struct mem_buf *buf);

int struct_check(const void *from, size_t first);
int struct_in(void *to, size_t len, const void *from, size_t first);
void struct_out(void *to, const void *from, size_t len);

void signals_block(sigset_t *old);
void signals_restore(const sigset_t *old);

#endif
