/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An engine: what its owner and its process share, and the files of each.
 *
 * The owner asks (nr_requests), the process tells (nr_events) and is answered
 * (nr_answers): each is a count that the other side waits at, of the fields
 * that follow it, which are there before the count goes up. A descriptor that
 * belongs to one of them is in the socket by then. Beyond that the socket is
 * for its end alone.
 */
#ifndef _LIBMEM_PROCESS_H
#define _LIBMEM_PROCESS_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "engine.h"
#include "futex.h"

#define ENGINE_NAME_LEN		16	/* of a thread, with its end */
#define NR_CHANGES		128	/* that are told at a time */
#define LINE			64	/* counts are on lines of their own */

/**
 * enum engine_request - what the owner asks for
 * @REQUEST_CHANGES: access to be changed, before a job
 * @REQUEST_JOB: the same, and the job to be run
 * @REQUEST_FLUSH: what was printed to come out
 */
enum engine_request {
	REQUEST_CHANGES,
	REQUEST_JOB,
	REQUEST_FLUSH,
};

/**
 * enum engine_event - what the process tells
 * @EVENT_DONE: a request, or its start; the result's status
 * @EVENT_TOUCH: it waits for an answer
 * @EVENT_END: it cannot go on; the result
 */
enum engine_event {
	EVENT_DONE,
	EVENT_TOUCH,
	EVENT_END,
};

/**
 * struct wire_grant - a grant, on its way
 * @off: as in struct engine_grant
 * @len: the same
 * @fd_off: the same
 * @access: the same
 * @has_fd: its file comes by the socket
 */
struct wire_grant {
	uint64_t off;
	uint64_t len;
	uint64_t fd_off;
	enum engine_access access;
	bool has_fd;
};

/**
 * struct wire_job - a job, on its way
 * @kernel: the same address in both
 * @grid: as in struct engine_job
 * @block: the same
 * @shared_len: the same
 * @args_len: of @args
 * @args: copy
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
 * struct page_set - pages of the window, in the memory that both share
 * @words: bit a page
 * @blocks: bit a word of @words: it may have some
 * @nr_words: of @words
 */
struct page_set {
	uint64_t *words;
	uint64_t *blocks;
	size_t nr_words;
};

/**
 * struct engine_shared - the memory that both share; behind it the pages that
 * the job stored to
 * @nr_requests: of the owner
 * @request: the last
 * @nr_changes: of access, with it
 * @nr_events: of the process
 * @nr_taken: requests that it took up
 * @event: the last
 * @touch: of EVENT_TOUCH
 * @result: of the others
 * @has_output: something was printed that has not come out
 * @nr_answers: of the owner
 * @answer: the last
 * @nr_stored: above 0: there are pages in the set
 * @is_compared: each of them has other bytes than before the job
 * @job: of REQUEST_JOB
 * @changes: as many as @nr_changes
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
 * struct segment - a part of an object, whole pages
 * @at: where
 * @id: of its object: another one at the same place has another
 * @is_writable: variables
 * @is_host: they are the application's
 * @is_program: of the program, not of a library
 * @may_store: it stores to the application's variables on purpose
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
 * struct objects - what is loaded
 * @segments: of the program and its libraries
 * @nr: how many
 * @max: for how many there is room
 * @nr_added: objects ever loaded, when they were listed
 * @nr_removed: and unloaded
 * @open: variables of the C and C++ library that lie in the program
 * @nr_open: how many
 * @tls: thread-local variables of the thread that listed them
 * @nr_tls: how many
 * @len: of this, with the segments
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
 * @at: where
 * @place: what it is, to who touches it
 * @is_writable: as the kernel has it
 * @is_readable: the same
 * @is_shared: the same
 * @is_file: it has a name
 * @dev: of its file
 * @ino: of its file
 * @is_brk: it is the C library's heap, but for what malloc() mapped
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
};

/**
 * struct mappings - all of them, in order
 * @at: the list
 * @nr: how many
 */
struct mappings {
	struct mapping *at;
	size_t nr;
};

/**
 * enum keep - memory of the application that a process keeps
 * @KEEP_NEEDED: what glibc's allocator needs, and code
 * @KEEP_LIBRARIES: all that is private and anonymous, for other allocators;
 *	variables of libraries can be stored to
 * @KEEP_ALL: the same, and the program's variables can be stored to: its
 *	allocator is part of it
 */
enum keep {
	KEEP_NEEDED,
	KEEP_LIBRARIES,
	KEEP_ALL,
};

/**
 * struct engine_start - what a process begins with, in memory of its own
 * @name: of the engine
 * @window: as the owner has it
 * @shared: as the owner has it
 * @shared_len: bytes
 * @objects: as the owner has them
 * @area: this, the stack on which the process begins, and addresses for all
 *	that it maps: the application has nothing there, so that no pointer of
 *	its is good by chance
 * @next: of the area, what is not used yet
 * @sock: its end of the socket
 * @app_pidfd: ready when the application has ended; -1 none
 * @nr_workers: threads that run blocks
 * @keep: of the application's memory
 * @app: the application
 * @pid: out: the process's number
 * @pidfd: out: of the process
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
 * @left: blocks that nobody has taken yet; below 1 there are none
 * @nr_undone: blocks that are not done
 * @nr_jobs: helpers wait here for the next one
 * @nr_done: who has it run waits here for its end
 * @is_stopped: helpers are to return
 * @begin_block: called before each; may be NULL
 * @call: runs a block, 0 or -errno; NULL: none is needed
 * @err: of the job: no more blocks of it begin
 * @job: what to run; set while nobody has a block
 * @args: its arguments
 * @nr_blocks: of it
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
 * struct worker - a thread's own
 * @is_helper: another thread waits for the end of the job
 * @shared: block-shared memory
 * @shared_len: bytes there are
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
 * struct store_run - pages that were stored to one after the other, upwards or
 * downwards
 * @first: of those that were made ready
 * @end: after the last of them
 * @len: how many were made ready at once
 */
struct store_run {
	size_t first;
	size_t end;
	size_t len;
};

/**
 * struct process - an engine's process; one, of its own
 * @start: what it began with
 * @shared: of that
 * @window: of that
 * @nr_pages: of the window
 * @page_len: bytes
 * @access: a byte a page, enum engine_access
 * @before: what pages were, at the window's offsets; NULL: nothing is tracked
 * @stored: pages that the job stored to
 * @mappings: what was there before it was dropped
 * @opened: pages of variables that are writable for the rest of a block
 * @nr_opened: how many
 * @lock: of all of this; held by who asks the owner
 * @runs: of stores that may go on
 * @next_run: to be forgotten
 * @pool: workers
 * @args: copy of a job's, with nothing around
 * @has_helpers: more than one of them is there
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
 * Of sanitizers in the program, or in libraries of it; not there otherwise.
 * What runs on a stack that AddressSanitizer does not know is not for it.
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

/* glibc's arenas but the first (malloc/arena.c): HEAP_MAX_SIZE, 64 bit. */
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
