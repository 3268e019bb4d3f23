/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An engine: what its owner and its process share, and the interfaces of their
 * files.
 *
 * The owner sends requests (nr_requests); the process reports events
 * (nr_events) and gets answers (nr_answers). Each of these is a counter on
 * which the other side waits. The fields of a message are stored, and its
 * descriptor is sent over the socket, before its counter is incremented. Apart
 * from descriptors, the socket only shows each side that the other has ended.
 */
#ifndef _LIBMEM_PROCESS_H
#define _LIBMEM_PROCESS_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "engine.h"
#include "futex.h"

#define ENGINE_NAME_LEN		16	/* with the terminating 0 */
#define NR_CHANGES		128	/* per request */
#define LINE			64	/* of a cache line; one per counter */

/**
 * enum engine_request - requests of the owner
 * @REQUEST_CHANGES: change access, before a job
 * @REQUEST_JOB: change access, then run the job
 * @REQUEST_FLUSH: flush what was printed
 */
enum engine_request {
	REQUEST_CHANGES,
	REQUEST_JOB,
	REQUEST_FLUSH,
};

/**
 * enum engine_event - events of the process
 * @EVENT_DONE: a request, or the start, is done; status is in the result
 * @EVENT_TOUCH: a worker waits for an answer
 * @EVENT_END: the process cannot go on; the reason is in the result
 */
enum engine_event {
	EVENT_DONE,
	EVENT_TOUCH,
	EVENT_END,
};

/**
 * struct wire_grant - a grant in shared memory
 * @off: as in struct engine_grant
 * @len: as in struct engine_grant
 * @fd_off: as in struct engine_grant
 * @access: as in struct engine_grant
 * @has_fd: the grant's file is sent over the socket
 */
struct wire_grant {
	uint64_t off;
	uint64_t len;
	uint64_t fd_off;
	enum engine_access access;
	bool has_fd;
};

/**
 * struct wire_job - a job in shared memory
 * @kernel: function, at the same address in both processes
 * @grid: as in struct engine_job
 * @block: as in struct engine_job
 * @shared_len: as in struct engine_job
 * @args_len: bytes of @args that are used
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
 * @words: one bit per page
 * @blocks: one bit per word of @words; clear: the word is 0
 * @nr_words: number of @words
 */
struct page_set {
	uint64_t *words;
	uint64_t *blocks;
	size_t nr_words;
};

/**
 * struct engine_shared - memory shared by owner and process; followed by the
 * set of pages to which the job stored
 * @nr_requests: number of requests
 * @request: newest request
 * @nr_changes: number of @changes of the request
 * @nr_events: number of events
 * @nr_taken: number of requests that the process has taken up
 * @event: newest event
 * @touch: access of EVENT_TOUCH
 * @result: result of the other events
 * @has_output: output of jobs has not been flushed
 * @nr_answers: number of answers
 * @answer: newest answer
 * @nr_stored: above 0 if the set has pages
 * @is_compared: the bytes of each page of the set have changed in the job
 * @job: job of REQUEST_JOB
 * @changes: changes of access
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

	atomic_uint nr_answers __attribute__((aligned(LINE)));
	struct wire_grant answer;

	size_t nr_stored __attribute__((aligned(LINE)));
	bool is_compared;
	struct wire_job job;
	struct wire_grant changes[NR_CHANGES];
};

/**
 * struct segment - a part of a loaded object, in whole pages
 * @at: addresses
 * @id: identifies the object; differs if another one is loaded there
 * @is_writable: contains variables
 * @is_host: the variables are the application's
 * @is_program: part of the program, not of a library
 * @may_store: its code stores to the application's variables on purpose
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
 * struct objects - loaded objects
 * @segments: segments of the program and its libraries
 * @nr: number of @segments
 * @max: maximum of @nr
 * @nr_added: number of objects ever loaded, when the list was made
 * @nr_removed: number of objects ever unloaded, when the list was made
 * @open: variables of the C and C++ libraries that lie in the program
 * @nr_open: number of @open
 * @tls: thread-local variables of the thread that made the list
 * @nr_tls: number of @tls
 * @len: bytes of this struct and the segments
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
 * @at: addresses
 * @place: classification for reports
 * @is_writable: has PROT_WRITE
 * @is_readable: has PROT_READ
 * @is_shared: is MAP_SHARED
 * @is_file: the line has a name
 * @dev: device of its file
 * @ino: inode of its file
 * @is_brk: the C library's heap, without blocks mapped by malloc()
 * @grows: the first thread's stack
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
};

/**
 * struct mappings - all mappings, by address
 * @at: list
 * @nr: number of mappings
 */
struct mappings {
	struct mapping *at;
	size_t nr;
};

/**
 * enum keep - memory of the application that a process keeps
 * @KEEP_NEEDED: what glibc's allocator needs, and code
 * @KEEP_LIBRARIES: all private anonymous memory, for other allocators;
 *	variables of libraries stay writable
 * @KEEP_ALL: like KEEP_LIBRARIES, and variables of the program stay writable,
 *	since it may contain its allocator
 */
enum keep {
	KEEP_NEEDED,
	KEEP_LIBRARIES,
	KEEP_ALL,
};

/**
 * struct engine_start - what a process starts with, in its own memory
 * @name: name of the engine
 * @window: the owner's window
 * @shared: memory shared with the owner
 * @shared_len: bytes
 * @objects: objects loaded in the application
 * @area: addresses of this struct, of the stack on which the process starts,
 *	and for all that it maps; the application maps nothing there, so none of
 *	its pointers is valid there by chance
 * @next: first unused address of @area
 * @sock: the process's end of the socket
 * @app_pidfd: pidfd of the application; -1: none
 * @nr_workers: number of threads that run blocks
 * @keep: memory of the application to keep
 * @app: pid of the application
 * @pid: out: pid of the process
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
 * @left: number of blocks not taken yet; may fall below 0
 * @nr_undone: number of blocks not finished
 * @nr_jobs: counts jobs; helpers wait for a change
 * @nr_done: counts jobs finished by a helper; the thread in pool_run() waits
 *	for a change
 * @is_stopped: helpers must return
 * @begin_block: called before each block; may be NULL
 * @call: runs a block and returns 0 or -errno; NULL: the kernel is called
 *	directly
 * @err: first error of the job; no further block is run
 * @job: current job; only changed while no block is taken
 * @args: arguments of the job
 * @nr_blocks: number of blocks of the job
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
 * @shared_len: length of @shared, bytes
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
 * struct store_run - pages stored to in ascending or descending order
 * @first: first page made ready
 * @end: page behind the last one made ready
 * @len: number of pages made ready at a time
 */
struct store_run {
	size_t first;
	size_t end;
	size_t len;
};

/**
 * struct process - state of an engine's process
 * @start: what it was started with
 * @shared: memory shared with the owner
 * @window: address of the window
 * @nr_pages: pages of the window
 * @page_len: bytes of a page
 * @access: enum engine_access of each page
 * @before: copies of pages, at the window's offsets; NULL: not tracked
 * @stored: pages to which the job stored
 * @mappings: mappings before any were dropped
 * @opened: pages of variables that are writable until the block ends
 * @nr_opened: number of @opened; may exceed its size
 * @lock: protects all of this; held while the owner is asked
 * @runs: runs of stores that may continue
 * @next_run: index of the run to be replaced next
 * @pool: workers
 * @args: copy of the job's arguments, with unmapped pages around it
 * @has_helpers: helpers have been created, as far as possible
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
 * Symbols of sanitizers in the program or its libraries; NULL otherwise.
 * NO_ASAN is for code on a stack that AddressSanitizer does not know.
 */
void __asan_init(void);
void __tsan_init(void);
void __ubsan_handle_builtin_unreachable(void *at);
#pragma weak __asan_init
#pragma weak __tsan_init
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

/* Size of glibc's arenas except the first: HEAP_MAX_SIZE of malloc/arena.c */
#define ARENA_LEN	(64UL << 20)

int mappings_read(struct mappings *mappings, void *area,
		  const struct objects *objects);
enum engine_place mappings_place(const struct mappings *mappings,
				 uintptr_t addr);

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
void process_tell(enum engine_event event);
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
