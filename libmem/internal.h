/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libmem: what its files share. A context, a buffer and a job are the first
 * member of what a backend keeps of each; all files but the backends' check
 * arguments and know none of them: a backend is reached by its table alone.
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
/* Of enum mem_engine. */
#define NR_ENGINES	(MEM_ENGINE_DGPU + 1)

/* What the first version of a struct had, up to its last member. */
#define offsetofend(type, member) \
	(offsetof(type, member) + sizeof(((type *)0)->member))
#define BUF_INFO_FIRST	offsetofend(struct mem_buf_info, count.unmatched_ends)

#define containerof(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

struct call;	/* a host function, as the backend has it */
struct mark;	/* a place in the order of all work, as the backend has it */
struct op;
struct reach;	/* what an attach makes due in its stream's order */
struct order;	/* a stream, as the backend has it */
struct profile;	/* a board, as the model has it */
struct thread_stream;
struct work;	/* a job, or a copy or set by a device, as the backend has it */

/**
 * struct mem_stream - a stream
 * @ctx: kept by what @nr_users says; not for the legacy one or a thread's
 * @living: for who is told of leaks, if it is the caller's
 * @id: 0: the legacy one
 * @number: that records have of it, for as long as anything of it is there; 0:
 *	the legacy one
 * @is_blocking: ordered with the legacy one, or that itself
 * @is_own: the library's: the caller cannot destroy it
 * @priority: of its work
 * @nr_users: the caller or its thread, and its operations, each of which keeps
 *	the context, too
 * @order: the backend's; NULL: the legacy one
 * @last: its newest operation, kept; NULL: it never had one
 * @known: number of the newest operation of the context when the host last
 *	began to wait for all, once that is known
 * @next: of the context's
 * @prev: of the context's
 */
struct mem_stream {
	struct mem_ctx *ctx;
	struct living living;
	uint64_t id;
	uint64_t number;
	bool is_blocking;
	bool is_own;
	int priority;
	atomic_uint nr_users;
	struct order *order;
	struct op *last;
	uint64_t known;
	struct mem_stream *next;
	struct mem_stream *prev;
};

/* Who runs operations: an engine each, then these. */
enum {
	EXEC_DMA = NR_ENGINES,
	EXEC_HOST,
	NR_EXECS,
};

#define NR_PRIORITIES	(MEM_PRIORITY_LEAST - MEM_PRIORITY_GREATEST + 1)

/**
 * struct exec - a thread that runs operations, one at a time
 * @ctx: its context
 * @thread: if @is_running
 * @is_running: it has been started
 * @has_work: or is to stop
 * @first: by priority, operations that are ready
 * @last: by priority
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
 * @lock: protects what follows, and has the backend told of things in the
 *	order in which they are queued; taken before any of the backend's
 * @cancel: cancel state of the thread that has the lock, from before
 * @pid: of the process that opened the context
 * @is_stopping: the context goes
 * @seq: number of the newest operation
 * @last_stream: id of the newest stream
 * @legacy: the stream that all blocking ones wait for
 * @streams: the others
 * @thread_streams: those of threads; under their own lock
 * @orphans: ends of streams that were destroyed with something unknown
 * @all: operations that are not done
 * @domain: those of the legacy and of blocking streams
 * @execs: who runs them
 * @nr_going: operations that wait for none and are not done, but those of
 *	@nr_pending
 * @nr_pending: waits for semaphores that streams have come to
 * @nr_dropped: operations that were behind such a wait, which was given up
 * @nr_cancels: calls that have such waits given up
 * @is_closed: the caller has closed the context
 * @is_polling: what follows is there
 * @poller: thread that polls semaphores
 * @poll_fd: their epoll
 * @stop_fd: an eventfd in that: the thread is to end
 * @semaphores: that are polled
 * @wait_policy: enum mem_wait_policy
 * @error: what ended all work, 0 or -errno
 * @lost: told once: a job of a killed engine, 0 or -errno
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
	int poll_fd;
	int stop_fd;
	struct mem_semaphore *semaphores;

	atomic_int wait_policy;
	atomic_int error;
	atomic_int lost;
};

/* Shared by the caller and every object made from it; the last one closes. */
struct mem_ctx {
	const struct backend *backend;
	const struct profile *board;
	bool is_shared;	/* by mem_ctx_open_shared(); set before it is seen */
	atomic_uint nr_users;
	struct sched sched;
};

struct mem_buf {
	struct mem_ctx *ctx;
	uint64_t len;
	enum mem_kind kind;
	struct living living;

	/*
	 * what mem_alloc() and mem_register() make; of a heap's buffer that a
	 * backend finds by its address, @host as long as it is mapped
	 */
	uint64_t asked_len;
	unsigned int flags;
	void *host;
	void *device;
	bool is_claimed;	/* it is being freed; the scheduler's lock */
	/* of a heap's buffer, or an import; the first never changes */
	bool is_read_only;
	atomic_bool is_device_told;	/* engines' address is in use */

	pthread_mutex_t lock;		/* addr, nr_maps */
	void *addr;
	uint32_t nr_maps;
};

/**
 * struct copy - a copy or set, as it is carried out
 * @rows: what; of a set @src is NULL
 * @value: of a set: its byte
 * @dst: NULL: pageable memory
 * @src: NULL: pageable memory, or a set
 * @dst_is_device: the device view is written, else what the CPU has
 * @src_is_device: the device view is read, else what the CPU has
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
 * struct verdict - what a copy or set is; see struct attach_copy
 * @src_is_device: the source counts as device memory
 * @dst_is_device: the target does
 * @is_work: a device does it
 * @is_waited_for: a synchronous call has waited for it when it returns
 */
struct verdict {
	bool src_is_device;
	bool dst_is_device;
	bool is_work;
	bool is_waited_for;
};

/* Memory of mem_alloc() that is the discrete GPU's own. */
static inline bool is_discrete(enum mem_kind kind, unsigned int flags)
{
	return kind == MEM_KIND_DEVICE && flags & MEM_DEVICE_DISCRETE;
}

/* What mem_buf_alloc(), mem_buf_alloc_heap() and mem_buf_import() make. */
static inline bool is_heaps(const struct mem_buf *buf)
{
	return buf->kind <= MEM_KIND_FOREIGN;
}

/* Device memory in a file of somebody's. */
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
 * @name: value of LIBMEM_BACKEND that selects it
 * @id: MEM_BACKEND_EMBEDDED or MEM_BACKEND_KERNEL
 * @open: a context; all but its count of users is filled in. Without a policy
 *	the default is the backend's
 * @close: nobody has it any more
 * @check: before an object's lock is taken; NULL: there is nothing to check
 * @probe: what is simulated; all but the size
 * @watch: violations are kept from now on; once a context
 * @watch_fd: a new descriptor that polls readable while violations wait
 * @next_violation: 1 with all but the size, or 0; -EINVAL: nobody watches
 * @alloc: @len above 0, @name short enough or NULL
 * @alloc_heap: @heap is a file name
 * @import: of a descriptor that stays the caller's; the buffer is read-only if
 *	that is
 * @export: a new descriptor, MEM_READ: without permission to write; MEM_RW:
 *	with what the buffer has
 * @free: unmapped before
 * @device_ptr: kernels have a heap's buffer at @device from now on; NULL: they
 *	have each
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
 * @alloc_ptr: memory of mem_alloc(); arguments are checked
 * @register_ptr: of mem_register(); flags are checked
 * @export_ptr: a descriptor of device memory, the caller's; no work of the
 *	context is under way; NULL: it cannot
 * @import_ptr: device memory in a file of somebody's; arguments are checked as
 *	far as they need no file; NULL: it cannot
 * @unregister_ptr: have the caller's memory be its own again, then @free_ptr;
 *	NULL with @register_ptr
 * @free_ptr: of all of these, not used by work; nobody else knows it any more
 * @find: whose address it is, of any context; kept; NULL: nobody's
 * @keep: a buffer's memory
 * @put: and let it go
 * @set_name: short enough
 * @set_gate: who may touch a buffer of a heap from now on, as the calling
 *	thread says; NULL: touches are not seen
 * @attach_of: newest attach state of a managed buffer
 * @attach_counters: of a managed buffer; NULL: of the context
 * @stream_create: the stream's order
 * @stream_number: that records have of one just made; NULL: its id
 * @stream_destroy: it takes nothing more; its order is the backend's; @reach as
 *	of @attach, at its end
 * @mark: behind all that the stream has so far
 * @mark_end: the same, but no operation of it
 * @mark_wait: its further work is behind a mark, or NULL: nothing
 * @mark_sync: the host has waited for all before a mark
 * @mark_free: nobody needs it
 * @sync_all: the host has waited for all
 * @attach: in call order; @reach is what is to be done when the stream comes to
 *	it, or NULL
 * @reach: so; the struct is gone. NULL: none makes anything due
 * @call_submit: a host function
 * @call_begin: it is called now
 * @call_return: it has returned; the struct is gone
 * @judge: what a copy or, with no source, a set is; NULL buffer: pageable
 * @work_submit: device work of a stream: a kernel, whose entry is set, or with
 *	no @launch a copy or set
 * @work_touch: what it is known to touch
 * @work_end: it is done; the struct is gone
 * @run: a kernel, as the work that was submitted; waits for its end
 * @copy: a copy or set; @work is NULL if no device does it
 *
 * From @stream_create to @work_end all are called with the scheduler's lock
 * held, and @export_ptr is. All but @next_violation return 0 or -errno and have
 * given nothing away on failure. -EOPNOTSUPP: the backend cannot. What they
 * make gets its ctx_get() from the caller of the table.
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
	void (*set_gate)(struct mem_buf *buf, enum gate gate);
	uint32_t (*attach_of)(struct mem_buf *buf);
	void (*attach_counters)(struct mem_ctx *ctx, struct mem_buf *buf,
				struct mem_attach_counters *count);

	int (*stream_create)(struct mem_stream *stream);
	uint64_t (*stream_number)(const struct mem_stream *stream);
	int (*stream_destroy)(struct mem_stream *stream, struct reach **reach);
	int (*mark)(struct mem_stream *stream, struct mark **mark);
	int (*mark_end)(struct mem_stream *stream, struct mark **mark);
	int (*mark_wait)(struct mem_stream *stream, struct mark *mark);
	void (*mark_sync)(struct mem_ctx *ctx, struct mark *mark);
	void (*mark_free)(struct mem_ctx *ctx, struct mark *mark);
	void (*sync_all)(struct mem_ctx *ctx);
	int (*attach)(struct mem_stream *stream, struct mem_buf *buf,
		      unsigned int how, struct reach **reach);
	void (*reach)(struct mem_ctx *ctx, struct reach *reach);
	int (*call_submit)(struct mem_stream *stream, struct call **call);
	void (*call_begin)(struct mem_ctx *ctx, struct call *call);
	void (*call_return)(struct mem_ctx *ctx, struct call *call);
	int (*judge)(struct mem_stream *stream, const struct mem_buf *dst,
		     const struct mem_buf *src, bool is_set,
		     struct verdict *verdict);
	int (*work_submit)(struct mem_stream *stream,
			   const struct mem_launch *launch,
			   struct work **work);
	void (*work_touch)(struct mem_ctx *ctx, struct work *work,
			   struct mem_buf *buf, bool is_write);
	void (*work_end)(struct mem_ctx *ctx, struct work *work);
	int (*run)(struct mem_ctx *ctx, struct work *work,
		   const struct mem_launch *launch);
	void (*copy)(struct mem_ctx *ctx, struct work *work,
		     const struct copy *copy);
};

extern const struct backend kernel_backend;
extern const struct backend embedded_backend;

/* Longest list that mem_buf_maintain() takes. */
#define MAX_RANGES		65536
/* Above the longest time for which an engine lets a buffer be waited for. */
#define ENGINE_WAIT_NS		(20 * NS_PER_S)
/* Of a block. */
#define MAX_SHARED_LEN		(1U << 20)

int sched_check_call(void);
const struct profile *board_find(const char *name);
bool board_is_known(const struct profile *board);
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

int struct_check(const void *from, size_t first);
int struct_in(void *to, size_t len, const void *from, size_t first);
void struct_out(void *to, const void *from, size_t len);

void signals_block(sigset_t *old);
void signals_restore(const sigset_t *old);
void signal_unblock(int signal);

#endif
