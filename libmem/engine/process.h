/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Engines: what the owner and the process share, and declarations of both.
 *
 * The owner sends requests (nr_requests), the process sends events (nr_events)
 * and gets replies (nr_replies). Each is a counter on which the other side
 * waits, followed by the fields that it announces: they are written before the
 * counter is incremented. A descriptor that belongs to them has been sent over
 * the socket by then. Otherwise the socket only signals the end of one side.
 */
#ifndef _LIBMEM_PROCESS_H
#define _LIBMEM_PROCESS_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "engine.h"
#include "futex.h"

#define ENGINE_NAME_LEN		16	/* of a thread, with the terminator */
#define NR_CHANGES		128	/* most changes in one request */
#define LINE			64	/* counters are on lines of their own */

/**
 * enum engine_request - requests of the owner
 * @REQUEST_CHANGES: change access, before a job
 * @REQUEST_JOB: change access, and run a job
 * @REQUEST_FLUSH: flush output
 */
enum engine_request {
	REQUEST_CHANGES,
	REQUEST_JOB,
	REQUEST_FLUSH,
};

/**
 * enum engine_event - events of the process
 * @EVENT_DONE: a request, or its start, is done; the result's status is valid
 * @EVENT_TOUCH: it waits for a reply to a touch
 * @EVENT_END: it cannot continue; the result is valid
 */
enum engine_event {
	EVENT_DONE,
	EVENT_TOUCH,
	EVENT_END,
};

/**
 * struct wire_grant - a struct engine_grant in shared memory
 * @off: as in struct engine_grant
 * @len: as in struct engine_grant
 * @fd_off: as in struct engine_grant
 * @access: as in struct engine_grant
 * @has_fd: its file is sent over the socket
 */
struct wire_grant {
	uint64_t off;
	uint64_t len;
	uint64_t fd_off;
	enum engine_access access;
	bool has_fd;
};

/**
 * struct wire_job - a struct engine_job in shared memory
 * @kernel: address, the same in both processes
 * @grid: as in struct engine_job
 * @block: as in struct engine_job
 * @shared_len: as in struct engine_job
 * @args_len: bytes of @args
 * @args: copy of the arguments
 */
struct wire_job {
	mem_kernel kernel;
	uint32_t grid[3];
	uint32_t block[3];
	uint32_t shared_len;
	size_t args_len;
	uint8_t args[MEM_ARGS_MAX];
};

/**
 * struct page_set - a set of pages of the window, in shared memory
 * @words: a bit for each page
 * @blocks: a bit for each word of @words: the word may be other than 0
 * @nr_words: number of @words
 */
struct page_set {
	uint64_t *words;
	uint64_t *blocks;
	size_t nr_words;
};

/**
 * struct engine_shared - shared memory; the set of pages that the job stored to
 *	follows it
 * @nr_requests: requests of the owner
 * @request: the newest of them
 * @nr_changes: changes of access of that request
 * @nr_events: events of the process
 * @nr_taken: requests that the process has accepted
 * @event: the newest event
 * @touch: of EVENT_TOUCH
 * @result: of the other events
 * @has_output: output has not been flushed
 * @nr_replies: replies of the owner
 * @reply: the newest reply
 * @nr_stored: above 0 if the set has pages
 * @is_compared: every page of the set has changed since the job began
 * @job: of REQUEST_JOB
 * @changes: @nr_changes changes
 */
struct engine_shared {
	atomic_uint nr_requests __attribute__((aligned(LINE)));
	enum engine_request request;
	size_t nr_changes;

	atomic_uint nr_events __attribute__((aligned(LINE)));
	atomic_uint nr_taken;
	enum engine_event event;
	struct engine_touch touch;
	struct engine_result result;
	bool has_output;

	atomic_uint nr_replies __attribute__((aligned(LINE)));
	struct wire_grant reply;

	size_t nr_stored __attribute__((aligned(LINE)));
	bool is_compared;
	struct wire_job job;
	struct wire_grant changes[NR_CHANGES];
};

/**
 * struct segment - a part of a loaded object, whole pages
 * @at: its addresses
 * @id: id of the object; another object at the same address has another id
 * @is_writable: it contains variables
 * @is_host: its variables belong to the application
 * @is_program: it is part of the program, not of a library
 * @may_store: the object stores to the application's variables on purpose
 */
struct segment {
	struct range at;
	uint64_t id;
	bool is_writable;
	bool is_host;
	bool is_program;
	bool may_store;
};

#define MAX_OPEN	64

/**
 * struct objects - the program and its libraries
 * @segments: their segments
 * @nr: number of segments
 * @max: number of segments that fit
 * @nr_added: objects ever loaded, when they were listed
 * @nr_removed: objects ever unloaded, when they were listed
 * @open: variables of the C and C++ library that are located in the program
 * @nr_open: number of such ranges
 * @tls: thread-local variables of the thread that listed them
 * @nr_tls: number of such ranges
 * @len: bytes of this struct with the segments
 */
struct objects {
	struct segment *segments;
	size_t nr;
	size_t max;
	unsigned long long nr_added;
	unsigned long long nr_removed;
	struct range open[MAX_OPEN];
	size_t nr_open;
	struct range tls[MAX_OPEN];
	size_t nr_tls;
	size_t len;
};

/**
 * struct mapping - a line of /proc/self/maps
 * @at: its addresses
 * @place: what an address in it is, for a report
 * @is_writable: its permissions
 * @is_readable: its permissions
 * @is_shared: its permissions
 * @is_file: it has a name
 * @dev: device of its file
 * @ino: inode of its file
 * @off: offset in its file
 * @is_brk: it is the C library's heap, without blocks that malloc() mapped
 * @grows: it is the first thread's stack
 */
struct mapping {
	struct range at;
	enum engine_place place;
	bool is_writable;
	bool is_readable;
	bool is_shared;
	bool is_file;
	bool is_brk;
	bool grows;
	dev_t dev;
	ino_t ino;
	uint64_t off;
};

/**
 * struct mappings - all mappings of the process, by address
 * @at: list
 * @nr: number of mappings
 */
struct mappings {
	struct mapping *at;
	size_t nr;
};

/**
 * enum keep - memory of the application that a process keeps
 * @KEEP_NEEDED: code, and what glibc's allocator needs
 * @KEEP_LIBRARIES: all private anonymous memory, for other allocators;
 *	variables of libraries can be stored to
 * @KEEP_ALL: the same, and variables of the program can be stored to, for an
 *	allocator that is part of the program
 */
enum keep {
	KEEP_NEEDED,
	KEEP_LIBRARIES,
	KEEP_ALL,
};

/**
 * struct engine_start - arguments of a new process, in memory of its own
 * @name: name of the engine
 * @window: the owner's window
 * @shared: memory shared with the owner
 * @shared_len: bytes
 * @objects: the owner's list of objects
 * @area: addresses for this struct, the first stack and all mappings of the
 *	process. The application has nothing there, so that none of its pointers
 *	is valid in the process by chance
 * @next: first unused address of the area
 * @sock: the process's end of the socket
 * @app_pidfd: pidfd of the application; -1 none
 * @nr_workers: threads that run blocks
 * @keep: memory of the application to keep
 * @app: process number of the application
 * @pid: out: the process's number
 * @pidfd: out: pidfd of the process
 * @err: out: 0 or -errno
 */
struct engine_start {
	char name[ENGINE_NAME_LEN];
	struct engine_window window;
	struct engine_shared *shared;
	size_t shared_len;
	const struct objects *objects;
	struct range area;
	uintptr_t next;
	int sock;
	int app_pidfd;
	unsigned int nr_workers;
	enum keep keep;
	pid_t app;
	pid_t pid;
	int pidfd;
	int err;
};

/**
 * struct pool - threads that run the blocks of a job together
 * @left: blocks that no thread has begun; 0 or less: none
 * @nr_undone: blocks that are not done
 * @nr_jobs: number of jobs; helpers wait on it for the next one
 * @nr_done: number of jobs done; the caller waits on it
 * @is_stopped: helpers shall return
 * @begin_block: called before each block; may be NULL
 * @call: calls the kernel for a block, 0 or -errno; NULL: call it directly
 * @err: error of the job, after which no more of its blocks begin
 * @job: the job; changes only while no block runs
 * @args: its arguments
 * @nr_blocks: its blocks
 */
struct pool {
	atomic_long left __attribute__((aligned(LINE)));
	atomic_long nr_undone __attribute__((aligned(LINE)));
	atomic_uint nr_jobs __attribute__((aligned(LINE)));
	atomic_uint nr_done;
	atomic_bool is_stopped;
	void (*begin_block)(void);
	int (*call)(mem_kernel kernel, const struct mem_block *block,
		    void *args);
	atomic_int err;
	struct wire_job job;
	void *args;
	long nr_blocks;
};

/**
 * struct worker - state of a thread that runs blocks
 * @is_helper: another thread waits for the end of the job
 * @shared: block-shared memory
 * @shared_len: allocated bytes of it
 */
struct worker {
	bool is_helper;
	void *shared;
	size_t shared_len;
};

#define NR_RUNS		16
#define MAX_RUN		256U
#define MAX_OPENED	64

/**
 * struct store_run - consecutive pages that were stored to in order
 * @first: first page that was made writable
 * @end: page after the last one
 * @len: number of pages that were made writable at once
 */
struct store_run {
	size_t first;
	size_t end;
	size_t len;
};

/**
 * struct process - state of an engine's process
 * @start: its arguments
 * @shared: from @start
 * @window: from @start
 * @nr_pages: pages of the window
 * @page_len: bytes of a page
 * @access: enum engine_access for each page, one byte each
 * @before: previous contents of pages, at the window's offsets; NULL: stores
 *	are not tracked
 * @stored: pages that the job stored to
 * @mappings: the application's mappings at the fork
 * @opened: pages of variables that are writable until the end of a block
 * @nr_opened: number of such pages
 * @lock: protects all of this; held during a request to the owner
 * @runs: runs of stores that may continue
 * @next_run: run to replace next
 * @pool: workers
 * @args: copy of a job's arguments, between guard pages
 * @has_helpers: there is more than one worker
 */
struct process {
	struct engine_start start;
	struct engine_shared *shared;
	uint8_t *window;
	size_t nr_pages;
	size_t page_len;
	uint8_t *access;
	uint8_t *before;
	struct page_set stored;
	struct mappings mappings;
	atomic_uintptr_t opened[MAX_OPENED];
	atomic_uint nr_opened;
	atomic_uint lock;
	struct store_run runs[NR_RUNS];
	size_t next_run;
	struct pool pool;
	void *args;
	bool has_helpers;
};

/*
 * Functions of sanitizers, which exist if the program or a library has them.
 * ThreadSanitizer does not see the atomic operations of a library that was not
 * built with it.
 * Code on a stack that AddressSanitizer does not know is not instrumented.
 */
void __asan_init(void);
void __tsan_init(void);
void __tsan_acquire(void *addr);
void __tsan_release(void *addr);
void __ubsan_handle_builtin_unreachable(void *at);
#pragma weak __asan_init
#pragma weak __tsan_init
#pragma weak __tsan_acquire
#pragma weak __tsan_release
#pragma weak __ubsan_handle_builtin_unreachable
#define NO_ASAN		__attribute__((no_sanitize_address))

/* stored.c */
size_t page_set_len(size_t nr_pages);
void page_set_init(struct page_set *set, void *at, size_t nr_pages);
void page_set_remove(struct page_set *set, size_t page);
bool page_set_has(const struct page_set *set, size_t page);
void page_set_add(struct page_set *set, size_t page);
size_t page_set_next(const struct page_set *set, size_t from, size_t *nr);
void page_set_clear(struct page_set *set);

/* objects.c */
int objects_list(struct objects **made);
void objects_free(struct objects *objects);
bool objects_have(struct objects *objects, uintptr_t addr);
const struct segment *objects_find(const struct objects *objects,
				   uintptr_t addr);

/* mappings.c */
#define MAPPINGS_LEN		(20UL << 20)

/* HEAP_MAX_SIZE of glibc (malloc/arena.c), 64 bit; not of the first arena. */
#define ARENA_LEN	(64UL << 20)

int mappings_read(struct mappings *mappings, void *area,
		  const struct objects *objects);
enum engine_place mappings_place(const struct mappings *mappings,
				 uintptr_t addr);

/* threads.c */
bool threads_use(const struct mappings *mappings, const struct range *at);

/* drop.c */
int drop_memory(struct process *process);
bool drop_is_arena(uintptr_t addr, uintptr_t page_mask);
bool drop_is_near_first(uintptr_t start, uintptr_t end);
void drop_stores(const struct process *process);

/* process.c */
#define ENGINE_STACK_LEN	(8UL << 20)	/* of a thread */
#define ENGINE_OUTPUT_LEN	(64UL << 10)

extern struct process *process;
void *process_map(size_t len);
void process_main(struct engine_start *start) __attribute__((noreturn));
void process_send_event(enum engine_event event);
int process_take_fd(void);

/* touch.c */
#define TOUCH_STACK_LEN		(64UL << 10)

int touch_init(void);
int touch_thread_init(void *stack);
bool touch_is_beyond_stack(uintptr_t addr, const void *context);
int touch_change(const struct wire_grant *grant, int fd);
void touch_begin_job(void);
void touch_end_job(void);
void touch_begin_block(void);
void touch_end(int status, int signal) __attribute__((noreturn));

/* pool.c */
int pool_run(struct pool *pool, struct worker *worker,
	     const struct wire_job *job, void *args);
void pool_help(struct pool *pool, struct worker *worker);
void pool_stop(struct pool *pool);
int pool_check(const struct engine_job *job);
unsigned int pool_nr_workers(void);

/* inline.c */
struct inline_engine;
int inline_create(const char *name, const struct engine_window *window,
		  struct inline_engine **engine);
void inline_destroy(struct inline_engine *engine);
void inline_run(struct inline_engine *engine, const struct engine_job *job,
		struct engine_result *result);

#endif
