// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests mistakes of programs that use memory by its address. Each mistake must
 * have the result that libmem.h and Documentation/libmem.rst describe, and
 * leave nothing behind. For this, each mistake is made several times in a new
 * context, and the descriptors, mappings and children of the process are
 * counted before and after. The process is a subreaper, so engines are its
 * children.
 */
#include "stream.h"

#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define NR_TIMES	10U
#define NR_QUEUED	100U
#define END_NS		(20000 * NS_PER_MS)
#define NR_FORKS	4U
#define EXIT_CODE	7

/* The C library caches stacks of threads, so mappings vary by these. */
#define MAX_MORE_MAPPINGS	(NR_TIMES - 1)

static size_t nr_threads;

/* Remaining children must end soon. */
static void no_child_is_left(void)
{
	const uint64_t end = now_ns() + END_NS;
	pid_t got;

	while ((got = waitpid(-1, NULL, WNOHANG)) >= 0) {
		assert_true(now_ns() < end);
		if (!got)
			usleep(1000);
	}
	assert_int_equal(errno, ECHILD);
}

static void open_one(void)
{
	assert_int_equal(mem_ctx_open(NULL, &ctx), 0);
	assert_int_equal(mem_ctx_watch(ctx, MEM_WATCH_ERRORS, 100), 0);
	assert_int_equal(mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING, 0,
					   &stream), 0);
}

static void close_one(void)
{
	assert_int_equal(mem_stream_destroy(stream), 0);
	mem_ctx_close(ctx);
}

/* Once there was a job, its thread stays after the context was closed. */
static int count_threads(void **state)
{
	struct mem_job *job;
	struct mem_buf *buf;

	(void)state;
	open_one();
	buf = new_buf(MEM_KIND_SYSTEM);
	assert_int_equal(mem_job_fill(buf, 0, LEN, 0, &job), 0);
	assert_int_equal(mem_job_wait(job, MEM_WAIT_FOREVER, NULL), 0);
	mem_job_destroy(job);
	mem_buf_destroy(buf);
	close_one();
	nr_threads = nr_of_process("task");
	return 0;
}

static void once(void (*mistake)(void))
{
	open_one();
	mistake();
	close_one();
	no_child_is_left();
	wait_for_threads(nr_threads);
}

/* The first time makes permanent objects: the window, the C library's own. */
static void leaves_nothing(void (*mistake)(void))
{
	size_t fds, mappings, i;

	once(mistake);
	fds = nr_of_process("fd");
	mappings = nr_mappings();
	for (i = 0; i < NR_TIMES; i++)
		once(mistake);
	assert_int_equal(nr_of_process("fd"), fds);
	assert_in_range(nr_mappings(), 0, mappings + MAX_MORE_MAPPINGS);
}

static int try_start(struct mem_stream *where, mem_kernel kernel,
		     const void *arg)
{
	struct mem_launch launch = launch_of(kernel, arg,
					     arg ? sizeof(void *) : 0);

	launch.timeout_ns = 3 * END_NS;
	return mem_launch(where, &launch);
}

static void k_one(const struct mem_block *block, void *arg)
{
	(void)block;
	**(uint32_t **)arg = 1;
}

/* Returns 0 if kernels run in this process itself. */
static pid_t engine_pid(void)
{
	const pid_t pid = engine_pid_of(ctx);

	return pid == getpid() ? 0 : pid;
}

/* For accesses that a sanitizer would report. */
#define WILD	__attribute__((no_sanitize("address", "undefined")))

static WILD void k_behind(const struct mem_block *block, void *arg)
{
	(void)block;
	(*(volatile uint8_t **)arg)[LEN] = 1;
}

static WILD void k_far_behind(const struct mem_block *block, void *arg)
{
	(void)block;
	(*(volatile uint8_t **)arg)[64 * LEN] = 1;
}

static void store_just_behind(void)
{
	uint32_t *ptr = memory(MEM_KIND_DEVICE);

	if (engine_pid()) {
		assert_int_equal(try_start(stream, k_behind, &ptr), 0);
		assert_int_equal(mem_stream_sync(stream), 0);
		assert_int_equal(found(MEM_VIOLATION_OVERRUN), 1);
		assert_int_equal(try_start(stream, k_one, &ptr), 0);
		assert_int_equal(mem_stream_sync(stream), 0);
	}
	release(ptr);
}

static void store_far_behind(void)
{
	uint32_t *ptr = memory(MEM_KIND_DEVICE);
	struct mem_event *event;
	void *other = UNTOUCHED;

	if (!engine_pid()) {
		release(ptr);
		return;
	}
	assert_int_equal(mem_event_create(ctx, 0, &event), 0);
	assert_int_equal(try_start(stream, k_far_behind, &ptr), 0);
	/* Later operations are dropped, or refused if the kernel has failed. */
	try_start(stream, k_nothing, NULL);
	mem_event_record(event, stream);
	assert_int_equal(mem_stream_sync(stream), -EFAULT);
	assert_int_equal(found(MEM_VIOLATION_ILLEGAL_ADDRESS), 1);
	assert_int_equal(mem_event_sync(event), -EFAULT);
	assert_int_equal(mem_ctx_error(ctx), -EFAULT);
	assert_int_equal(mem_alloc(ctx, MEM_KIND_DEVICE, LEN, 0, &other),
			 -EFAULT);
	assert_ptr_equal(other, UNTOUCHED);
	assert_int_equal(mem_free(ctx, ptr), 0);
	assert_int_equal(mem_free(ctx, ptr), -EINVAL);
	assert_int_equal(mem_ctx_sync(ctx), -EFAULT);
	mem_event_destroy(event);
}

/* With the module, engines cannot use a heap's buffer, which is reported. */
static void heap_buffer_in_a_kernel(void)
{
	struct mem_violation v = { .size = sizeof(v) };
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	void *ptr;

	assert_int_equal(mem_buf_map(buf, &ptr), 0);
	if (engine_pid() && is_embedded()) {
		assert_int_equal(try_start(stream, k_one, &ptr), 0);
		assert_int_equal(mem_stream_sync(stream), 0);
		assert_int_equal(mem_buf_begin(buf, MEM_READ), 0);
		assert_int_equal(*(uint32_t *)ptr, 1);
		assert_int_equal(mem_buf_end(buf, MEM_READ), 0);
	} else if (engine_pid()) {
		assert_int_equal(try_start(stream, k_one, &ptr), 0);
		assert_int_equal(mem_stream_sync(stream), -EFAULT);
		assert_int_equal(mem_ctx_next_violation(ctx, &v), 1);
		assert_int_equal(v.kind, MEM_VIOLATION_ILLEGAL_ADDRESS);
		assert_int_equal(v.cpu_addr, (uintptr_t)ptr);
		assert_string_equal(v.name, "buffer of a heap");
	}
	assert_int_equal(found(MEM_VIOLATION_DROPPED), 0);
	mem_buf_unmap(buf);
	mem_buf_destroy(buf);
}

/*
 * An engine still knows a buffer that its owner frees. The next job must not
 * look it up where another buffer is now. AddressSanitizer finds this at once.
 */
static void heap_buffers_freed_between_kernels(void)
{
	static const enum mem_kind kinds[] = {
		MEM_KIND_COHERENT, MEM_KIND_NONCOHERENT,
	};
	struct mem_buf *buf;
	size_t i;
	void *ptr;

	if (!is_embedded())
		return;
	for (i = 0; i < 8; i++) {
		buf = new_buf(kinds[i % 2]);
		assert_int_equal(mem_buf_map(buf, &ptr), 0);
		assert_int_equal(try_start(stream, k_one, &ptr), 0);
		assert_int_equal(mem_stream_sync(stream), 0);
		assert_int_equal(mem_buf_begin(buf, MEM_READ), 0);
		assert_int_equal(*(uint32_t *)ptr, 1);
		assert_int_equal(mem_buf_end(buf, MEM_READ), 0);
		mem_buf_destroy(buf);
	}
	assert_int_equal(try_start(stream, k_nothing, NULL), 0);
	assert_int_equal(mem_stream_sync(stream), 0);
}

static void free_twice(void)
{
	uint32_t *ptr = memory(MEM_KIND_MANAGED);
	uint32_t *next = memory(MEM_KIND_MANAGED);

	release(ptr);
	assert_int_equal(mem_free(ctx, ptr), -EINVAL);
	assert_int_equal(mem_free(ctx, ptr), -EINVAL);
	next[0] = 5;
	assert_int_equal(next[0], 5);
	release(next);
}

static void *free_it(void *ptr)
{
	return (void *)(intptr_t)mem_free(ctx, ptr);
}

/* Two threads free the same memory at once; one of them succeeds. */
static void free_at_once(void)
{
	uint32_t *ptr = memory(MEM_KIND_PINNED);
	pthread_t threads[2];
	void *answers[2];
	size_t i;

	for (i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, free_it,
						ptr), 0);
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], &answers[i]);
	assert_int_equal((intptr_t)answers[0] + (intptr_t)answers[1], -EINVAL);
	assert_true(!answers[0] || !answers[1]);
}

/* A free waits for kernels; meanwhile the memory cannot be used. */
static void free_while_busy(void)
{
	uint32_t *ptr = memory(MEM_KIND_MANAGED);
	const struct gate gate = hold_up(stream);
	pthread_t thread;
	void *answer;

	assert_int_equal(try_start(stream, k_one, &ptr), 0);
	gate_begins(gate);
	assert_int_equal(pthread_create(&thread, NULL, free_it, ptr), 0);
	while (mem_stream_attach(stream, ptr, 0, MEM_ATTACH_GLOBAL) != -EINVAL)
		usleep(100);
	assert_int_equal(mem_free(ctx, ptr), -EINVAL);
	let_go(gate);
	pthread_join(thread, &answer);
	assert_null(answer);
	assert_int_equal(mem_stream_query(stream), 0);
	release(gate.word);
}

static void attach_inside(void)
{
	uint32_t *ptr = memory(MEM_KIND_MANAGED);
	struct mem_ptr_info info = { .size = sizeof(info) };

	assert_int_equal(mem_stream_attach(stream, ptr + 1, 0,
					   MEM_ATTACH_HOST), -EINVAL);
	assert_int_equal(mem_stream_attach(stream, ptr + 1024, LEN - 4096,
					   MEM_ATTACH_HOST), -EINVAL);
	assert_int_equal(mem_stream_attach(stream, ptr, LEN - 1,
					   MEM_ATTACH_HOST), -EINVAL);
	assert_int_equal(mem_free(ctx, ptr + 1), -EINVAL);
	assert_int_equal(mem_ptr_info(ctx, ptr, &info), 0);
	assert_int_equal(info.attach, MEM_ATTACH_GLOBAL);
	release(ptr);
}

static void null_memory(void)
{
	struct mem_launch launch = { .size = sizeof(launch) };
	struct mem_attach_counters count = { .size = sizeof(count) };
	void *ptr;

	assert_int_equal(mem_ctx_open(NULL, NULL), -EINVAL);
	assert_int_equal(mem_ctx_open_shared(NULL, NULL), -EINVAL);
	assert_int_equal(mem_ctx_sync(NULL), -EINVAL);
	assert_int_equal(mem_ctx_error(NULL), -EINVAL);
	assert_int_equal(mem_ctx_watch(NULL, MEM_WATCH_ERRORS, 1), -EINVAL);
	assert_int_equal(mem_ctx_set_wait_policy(NULL, MEM_WAIT_SPIN), -EINVAL);
	assert_int_equal(mem_alloc(NULL, MEM_KIND_DEVICE, 1, 0, &ptr), -EINVAL);
	assert_int_equal(mem_alloc(ctx, MEM_KIND_DEVICE, 1, 0, NULL), -EINVAL);
	assert_int_equal(mem_free(NULL, NULL), -EINVAL);
	assert_int_equal(mem_free(ctx, NULL), 0);
	assert_int_equal(mem_register(ctx, NULL, 1, 0), -EINVAL);
	assert_int_equal(mem_unregister(ctx, NULL), -EINVAL);
	assert_int_equal(mem_device_ptr(ctx, NULL, &ptr), -EINVAL);
	assert_int_equal(mem_ptr_info(ctx, &ptr, NULL), -EINVAL);
	assert_int_equal(mem_ptr_buf_info(ctx, &ptr, NULL), -EINVAL);
	assert_int_equal(mem_ptr_attach_counters(NULL, NULL, &count), -EINVAL);
	assert_int_equal(mem_ptr_attach_counters(ctx, NULL, NULL), -EINVAL);
	assert_int_equal(mem_set_name(ctx, NULL, "name"), -EINVAL);
	assert_int_equal(mem_set_name(ctx, &ptr, NULL), -EINVAL);
	assert_int_equal(mem_check_order(NULL, &ptr), -EINVAL);
	assert_int_equal(mem_check_order(ctx, &ptr), -EINVAL);
	assert_int_equal(mem_set_lasting(NULL, &ptr), -EINVAL);
	assert_int_equal(mem_set_lasting(ctx, &ptr), -EINVAL);
	assert_int_equal(mem_launch(NULL, &launch), -EINVAL);
	assert_int_equal(mem_launch(stream, NULL), -EINVAL);
	assert_int_equal(mem_copy(stream, NULL, &ptr, 1, MEM_DIR_DEFAULT),
			 -EINVAL);
	assert_int_equal(mem_copy(stream, &ptr, NULL, 1, MEM_DIR_DEFAULT),
			 -EINVAL);
	assert_int_equal(mem_copy_rows(stream, NULL, MEM_DIR_DEFAULT), -EINVAL);
	assert_int_equal(mem_fill(stream, NULL, 0, 1), -EINVAL);
	assert_int_equal(mem_fill_rows(stream, NULL, 0), -EINVAL);
	mem_ctx_close(NULL);
}

static void null_streams(void)
{
	struct mem_event *event;
	struct mem_stream *other;
	int64_t ns;

	assert_int_equal(mem_event_create(ctx, 0, &event), 0);
	assert_int_equal(mem_stream_create(NULL, 0, 0, &other), -EINVAL);
	assert_int_equal(mem_stream_create(ctx, 0, 0, NULL), -EINVAL);
	assert_int_equal(mem_stream_per_thread(ctx, NULL), -EINVAL);
	assert_int_equal(mem_stream_destroy(NULL), 0);
	assert_null(mem_stream_legacy(NULL));
	assert_int_equal(mem_stream_id(NULL), 0);
	assert_int_equal(mem_stream_sync(NULL), -EINVAL);
	assert_int_equal(mem_stream_query(NULL), -EINVAL);
	assert_int_equal(mem_stream_call(stream, NULL, NULL), -EINVAL);
	assert_int_equal(mem_stream_add_callback(stream, NULL, NULL), -EINVAL);
	assert_int_equal(mem_stream_attach(stream, NULL, 0, MEM_ATTACH_HOST),
			 -EINVAL);
	assert_int_equal(mem_stream_wait_event(stream, NULL), -EINVAL);
	assert_int_equal(mem_event_create(ctx, 0, NULL), -EINVAL);
	assert_int_equal(mem_event_record(event, NULL), -EINVAL);
	assert_int_equal(mem_event_record(NULL, stream), -EINVAL);
	assert_int_equal(mem_event_copy(event, NULL), -EINVAL);
	assert_int_equal(mem_event_copy(NULL, event), -EINVAL);
	assert_int_equal(mem_event_sync(NULL), -EINVAL);
	assert_int_equal(mem_event_query(NULL), -EINVAL);
	assert_int_equal(mem_event_elapsed(event, NULL, &ns), -EINVAL);
	assert_int_equal(mem_event_elapsed(event, event, NULL), -EINVAL);
	mem_event_destroy(event);
	mem_event_destroy(NULL);
}

/* A kernel that uses memory of another stream runs, and is reported. */
static void launch_on_the_wrong_stream(void)
{
	struct mem_probe probe = { .size = sizeof(probe) };
	uint32_t *ptr = memory(MEM_KIND_MANAGED);
	struct mem_stream *other;

	assert_int_equal(mem_ctx_probe(ctx, &probe), 0);
	assert_int_equal(mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING, 0,
					   &other), 0);
	assert_int_equal(mem_stream_attach(other, ptr, 0, MEM_ATTACH_SINGLE),
			 0);
	assert_int_equal(mem_stream_sync(other), 0);
	assert_int_equal(try_start(stream, k_one, &ptr), 0);
	assert_int_equal(mem_stream_sync(stream), 0);
	/* With concurrent access there is no wrong stream. */
	if (engine_pid())
		assert_int_equal(found(MEM_VIOLATION_ENGINE_NOT_ATTACHED),
				 strcmp(probe.soc, "thor") ? 1 : 0);
	assert_int_equal(mem_stream_destroy(other), 0);
	release(ptr);
}

static void use_another_context(void)
{
	uint32_t *ptr = memory(MEM_KIND_MANAGED);
	struct mem_stream *strange;
	struct mem_event *event, *own;
	struct mem_ctx *other;
	uint32_t word;

	assert_int_equal(mem_ctx_open(NULL, &other), 0);
	strange = mem_stream_legacy(other);
	assert_int_equal(mem_event_create(other, 0, &event), 0);
	assert_int_equal(mem_free(other, ptr), -EXDEV);
	assert_int_equal(mem_stream_attach(strange, ptr, 0, MEM_ATTACH_HOST),
			 -EXDEV);
	assert_int_equal(mem_copy(strange, &word, ptr, 4, MEM_DIR_DEFAULT),
			 -EXDEV);
	assert_int_equal(mem_fill(strange, ptr, 0, 4), -EXDEV);
	assert_int_equal(mem_event_record(event, stream), -EXDEV);
	assert_int_equal(mem_event_create(ctx, 0, &own), 0);
	assert_int_equal(mem_event_copy(own, event), -EXDEV);
	mem_event_destroy(own);
	assert_int_equal(mem_stream_wait_event(stream, event), -EXDEV);
	mem_event_destroy(event);
	mem_ctx_close(other);
	release(ptr);
}

/* All calls return -EPERM; what the child frees stays in the parent. */
static bool child_has_nothing(uint32_t *ptr, struct mem_event *event,
			      bool embedded)
{
	struct mem_probe probe = { .size = sizeof(probe) };
	struct mem_stream *other;
	struct mem_ctx *again;
	void *more;

	return mem_stream_sync(stream) == -EPERM &&
	       mem_ctx_sync(ctx) == -EPERM &&
	       try_start(stream, k_nothing, NULL) == -EPERM &&
	       mem_alloc(ctx, MEM_KIND_DEVICE, LEN, 0, &more) == -EPERM &&
	       mem_free(ctx, ptr) == -EPERM &&
	       mem_stream_create(ctx, 0, 0, &other) == -EPERM &&
	       mem_event_record(event, stream) == -EPERM &&
	       mem_event_sync(event) == -EPERM &&
	       mem_ctx_error(ctx) == -EPERM &&
	       mem_ctx_set_wait_policy(ctx, MEM_WAIT_SPIN) == -EPERM &&
	       (!embedded || (mem_ctx_probe(ctx, &probe) == -EPERM &&
			      mem_ctx_open(NULL, &again) == -EPERM));
}

static void fork_in_the_midst(void)
{
	uint32_t *ptr = memory(MEM_KIND_MANAGED);
	const struct gate gate = hold_up(stream);
	const bool embedded = is_embedded();
	struct mem_event *event;
	pid_t child;

	assert_int_equal(mem_event_create(ctx, 0, &event), 0);
	gate_begins(gate);
	assert_int_equal(try_start(stream, k_one, &ptr), 0);
	assert_int_equal(mem_event_record(event, stream), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		if (!child_has_nothing(ptr, event, embedded))
			_exit(1);
		mem_event_destroy(event);
		mem_ctx_close(ctx);
		_exit(EXIT_CODE);
	}
	assert_int_equal(exit_code_of(child), EXIT_CODE);
	let_go(gate);
	assert_int_equal(mem_event_sync(event), 0);
	assert_int_equal(ptr[0], 1);
	mem_event_destroy(event);
	release(ptr);
	release(gate.word);
}

static atomic_bool is_over;

/* Holds the context's lock about half of the time. */
static void *ask_often(void *arg)
{
	(void)arg;
	while (!is_over)
		mem_stream_query(stream);
	return NULL;
}

/* The child ends with its thread, which has a stream of the parent. */
static int fork_and_end_thread(void)
{
	int status = -1;
	pid_t child;

	/* The child flushes stdio at its end, so flush before the fork. */
	fflush(stdout);
	child = fork();
	if (!child) {
		alarm(3 * END_NS / NS_PER_MS / 1000);
		pthread_exit(NULL);
	}
	if (child > 0)
		waitpid(child, &status, 0);
	return status;
}

static void *fork_often(void *arg)
{
	struct mem_stream *mine;
	unsigned int i;
	intptr_t err;

	(void)arg;
	err = mem_stream_per_thread(ctx, &mine);
	for (i = 0; !err && i < NR_FORKS; i++)
		err = fork_and_end_thread();
	if (!err)
		err = try_start(mine, k_nothing, NULL);
	if (!err)
		err = mem_stream_sync(mine);
	return (void *)err;
}

static void fork_in_a_thread(void)
{
	pthread_t asking, forking;
	void *err;

	is_over = false;
	assert_int_equal(pthread_create(&asking, NULL, ask_often, NULL), 0);
	assert_int_equal(pthread_create(&forking, NULL, fork_often, NULL), 0);
	pthread_join(forking, &err);
	is_over = true;
	pthread_join(asking, NULL);
	assert_null(err);
}

/**
 * struct answer - result of a call
 * @call: text of the call
 * @answer: result
 */
struct answer {
	const char *call;
	int64_t answer;
};

#define ANSWER(call)	{ #call, call }

/**
 * struct inside - objects with which a host function calls libmem
 * @other: a context to close
 * @buf: a buffer to destroy
 * @job: a finished job to destroy
 * @event: a recorded event to destroy
 * @attrs: an unreconciled list to destroy
 * @image: an image to destroy
 * @second: another image
 * @array: an array to destroy
 * @points: another array of its type
 * @scores: another array
 * @ptr: managed memory
 * @wrong: out: the first call with another result than documented
 */
struct inside {
	struct mem_ctx *other;
	struct mem_buf *buf;
	struct mem_job *job;
	struct mem_event *event;
	struct mem_semaphore *semaphore;
	struct mem_timeline *timeline;
	struct mem_endpoint *endpoint;
	struct mem_pipe *pipe;
	struct mem_pipe_end *producer, *consumer;
	struct mem_attrs *attrs;
	struct mem_object *object;
	struct mem_image *image;
	struct mem_image *second;
	struct mem_array *array;
	struct mem_array *points;
	struct mem_array *scores;
	uint32_t *ptr;
	struct answer wrong;
};

static void are_all(struct inside *in, const struct answer *answers, size_t nr,
		    int64_t answer)
{
	for (; nr--; answers++)
		if (answers->answer != answer && !in->wrong.call)
			in->wrong = *answers;
}

static void never(void *arg);

static void never_called(struct mem_stream *where, int status, void *arg)
{
	(void)where;
	(void)status;
	never(arg);
}

/* Calls all functions for streams, events and memory by its address. */
static void call_streams_inside(struct inside *in)
{
	const struct mem_rows rows = { .dst = in->ptr, .src = in->ptr };
	struct mem_semaphore *semaphore;
	struct mem_timeline *timeline;
	struct mem_event *event;
	struct mem_stream *other;
	int64_t ns;
	int fd;
	const struct answer answers[] = {
		ANSWER(mem_ctx_sync(ctx)),
		ANSWER(mem_ctx_cancel(ctx)),
		ANSWER(mem_ctx_set_wait_policy(ctx, MEM_WAIT_AUTO)),
		ANSWER(mem_stream_create(ctx, 0, 0, &other)),
		ANSWER(mem_stream_per_thread(ctx, &other)),
		ANSWER(mem_stream_destroy(stream)),
		ANSWER(mem_stream_sync(stream)),
		ANSWER(mem_stream_query(stream)),
		ANSWER(mem_stream_wait_event(stream, in->event)),
		ANSWER(mem_stream_attach(stream, in->ptr, 0, MEM_ATTACH_HOST)),
		ANSWER(mem_stream_call(stream, never, NULL)),
		ANSWER(mem_stream_add_callback(stream, never_called, NULL)),
		ANSWER(try_start(stream, k_nothing, NULL)), /* mem_launch() */
		ANSWER(mem_copy(stream, in->ptr, in->ptr, 4, MEM_DIR_DEFAULT)),
		ANSWER(mem_copy_async(stream, in->ptr, in->ptr, 4,
				      MEM_DIR_DEFAULT)),
		ANSWER(mem_copy_rows(stream, &rows, MEM_DIR_DEFAULT)),
		ANSWER(mem_copy_rows_async(stream, &rows, MEM_DIR_DEFAULT)),
		ANSWER(mem_fill(stream, in->ptr, 0, 4)),
		ANSWER(mem_fill_async(stream, in->ptr, 0, 4)),
		ANSWER(mem_fill_rows(stream, &rows, 0)),
		ANSWER(mem_fill_rows_async(stream, &rows, 0)),
		ANSWER(mem_event_create(ctx, 0, &event)),
		ANSWER(mem_event_record(in->event, stream)),
		ANSWER(mem_event_copy(in->event, in->event)),
		ANSWER(mem_event_sync(in->event)),
		ANSWER(mem_event_query(in->event)),
		ANSWER(mem_event_elapsed(in->event, in->event, &ns)),
		ANSWER(mem_semaphore_import(ctx, 0, &semaphore)),
		ANSWER(mem_stream_wait_semaphore(stream, in->semaphore)),
		ANSWER(mem_stream_signal_semaphore(stream, in->semaphore)),
		ANSWER(mem_stream_wait_fence(stream, 0)),
		ANSWER(mem_stream_fence(stream, &fd)),
		ANSWER(mem_event_fence(in->event, &fd)),
		ANSWER(mem_timeline_create(ctx, &timeline)),
		ANSWER(mem_stream_wait_timeline(stream, in->timeline, 0)),
		ANSWER(mem_stream_signal_timeline(stream, in->timeline, 0)),
	};

	are_all(in, answers, NR(answers), -EPERM);
}

/* Calls all other functions that must be refused. */
static void call_buffers_inside(struct inside *in)
{
	const struct mem_range range = {
		.buf = in->buf,
		.op = MEM_MAINT_CLEAN,
		.len = LEN,
	};
	const struct mem_copy2d copy = {
		.size = sizeof(copy),
		.dst = in->buf,
		.src = in->buf,
		.row_len = LEN,
		.nr_rows = 1,
	};
	struct mem_buf *buf;
	struct mem_job *job;
	struct mem_ctx *other;
	uint64_t pitch;
	void *ptr;
	int fd;
	const struct answer answers[] = {
		ANSWER(mem_ctx_open(NULL, &other)),
		ANSWER(mem_ctx_open_shared(NULL, &other)),
		ANSWER(mem_ctx_watch(in->other, MEM_WATCH_ERRORS, 1)),
		ANSWER(mem_ctx_watch_fd(in->other, &fd)),
		ANSWER(mem_buf_alloc(ctx, MEM_KIND_SYSTEM, LEN, NULL, &buf)),
		ANSWER(mem_buf_alloc_heap(ctx, "system", LEN, &buf)),
		ANSWER(mem_buf_import(ctx, 0, &buf)),
		ANSWER(mem_buf_export(in->buf, &fd)),
		ANSWER(mem_buf_export_as(in->buf, MEM_READ, &fd)),
		ANSWER(mem_buf_map(in->buf, &ptr)),
		ANSWER(mem_buf_unmap(in->buf)),
		ANSWER(mem_buf_begin(in->buf, MEM_RW)),
		ANSWER(mem_buf_end(in->buf, MEM_RW)),
		ANSWER(mem_buf_begin_range(in->buf, 0, LEN, MEM_RW)),
		ANSWER(mem_buf_end_range(in->buf, 0, LEN, MEM_RW)),
		ANSWER(mem_buf_maintain(ctx, &range, 1, NULL)),
		ANSWER(mem_buf_revoke(in->buf)),
		ANSWER(mem_job_fill(in->buf, 0, LEN, 0, &job)),
		ANSWER(mem_job_copy(in->buf, 0, in->buf, 0, LEN, &job)),
		ANSWER(mem_job_copy2d(&copy, &job)),
		ANSWER(mem_job_checksum(in->buf, 0, LEN, &job)),
		ANSWER(mem_job_wait(in->job, 0, NULL)),
		ANSWER(mem_job_fence(in->job, &fd)),
		ANSWER(mem_alloc(ctx, MEM_KIND_PINNED, LEN, 0, &ptr)),
		ANSWER(mem_alloc_pitch(ctx, LEN, 1, &pitch, &ptr)),
		ANSWER(mem_free(ctx, in->ptr)),
		ANSWER(mem_ptr_export(ctx, in->ptr, &fd)),
		ANSWER(mem_ptr_import(ctx, 0, 0, LEN, 0, &ptr)),
		ANSWER(mem_register(ctx, &ptr, sizeof(ptr), 0)),
		ANSWER(mem_unregister(ctx, &ptr)),
		ANSWER(mem_device_ptr(ctx, in->ptr, &ptr)),
		ANSWER(mem_set_name(ctx, in->ptr, "name")),
		ANSWER(mem_check_order(ctx, in->ptr)),
		ANSWER(mem_set_lasting(ctx, in->ptr)),
	};

	are_all(in, answers, NR(answers), -EPERM);
}

static void call_objects_inside(struct inside *in)
{
	const struct mem_attrs *attrs = mem_object_attrs(in->object);
	uint8_t desc[MEM_OBJECT_DESC_LEN] = { 0 };
	struct mem_timeline *timeline;
	struct mem_object *other;
	struct mem_attrs *list;
	void *ptr;
	size_t len;
	int fd;
	const struct answer answers[] = {
		ANSWER(mem_object_alloc(attrs, NULL, &other)),
		ANSWER(mem_object_restrict(in->object, MEM_READ, &other)),
		ANSWER(mem_object_cpu_ptr(in->object, MEM_READ, &ptr)),
		ANSWER(mem_object_device_ptr(in->object, &ptr)),
		ANSWER(mem_object_flush(in->object, 0, 1)),
		ANSWER(mem_object_begin(in->object, MEM_READ)),
		ANSWER(mem_object_end(in->object, MEM_READ)),
		ANSWER(mem_object_fd(in->object, &fd)),
		ANSWER(mem_object_export(in->object, MEM_READ, in->endpoint,
					 0, &ptr, &len)),
		ANSWER(mem_object_export_bare(in->object, MEM_READ,
					      in->endpoint, 0, desc)),
		ANSWER(mem_object_import(in->endpoint, desc, sizeof(desc),
					 NULL, 0, 0, 0, &other)),
		ANSWER(mem_object_import_bare(in->endpoint, desc, attrs, 0, 0,
					      &other)),
		ANSWER(mem_attrs_export(&in->attrs, 1, in->endpoint, &ptr,
					&len)),
		ANSWER(mem_attrs_import(in->endpoint, desc, sizeof(desc),
					NULL, 0, &list)),
		ANSWER(mem_timeline_export(in->timeline, MEM_READ, in->endpoint,
					   0, desc)),
		ANSWER(mem_timeline_import(in->endpoint, desc, 0, 0,
					   &timeline)),
	};

	are_all(in, answers, NR(answers), -EPERM);
}

static void call_images_inside(struct inside *in)
{
	struct mem_image_data data = { .size = sizeof(data) };
	const struct mem_image_data wrapped = {
		.size = sizeof(wrapped), .format = MEM_FORMAT_U8,
		.width = 1, .height = 1, .nr_planes = 1,
		.planes[0] = { 1, 1, 1, 1, 0, in->ptr },
	};
	const struct mem_convert how = { .size = sizeof(how) };
	struct mem_image *other;
	const double value = 1;
	const struct answer answers[] = {
		ANSWER(mem_image_create(ctx, 1, 1, MEM_FORMAT_U8, 0, &other)),
		ANSWER(mem_image_wrap(ctx, &wrapped, 0, &other)),
		ANSWER(mem_image_rewrap(in->image, &wrapped)),
		ANSWER(mem_image_set_name(in->image, "name")),
		ANSWER(mem_image_lock(in->image, MEM_READ, MEM_LOCK_HOST,
				      &data)),
		ANSWER(mem_image_unlock(in->image)),
		ANSWER(mem_image_copy(stream, 0, in->image, in->second)),
		ANSWER(mem_image_fill(stream, 0, in->image, &value, 1)),
		ANSWER(mem_image_convert(stream, 0, in->image, in->second,
					 &how)),
		ANSWER(mem_image_rescale(stream, 0, in->image, in->second, 0,
					 0)),
		ANSWER(mem_image_box(stream, 0, in->image, in->second, 1, 1,
				     0)),
	};

	are_all(in, answers, NR(answers), -EPERM);
}

static void call_arrays_inside(struct inside *in)
{
	struct mem_array_data data = { .size = sizeof(data) };
	const struct mem_harris how = {
		.size = sizeof(how), .gradient_len = 3, .block_len = 3,
	};
	struct mem_array_data wrapped = {
		.size = sizeof(wrapped), .data_type = MEM_DATA_KEYPOINT,
		.stride = sizeof(struct mem_keypoint), .capacity = 1,
		.base = in->ptr, .count = (uint64_t *)(in->ptr + 2),
	};
	struct mem_array *other;
	uint64_t count;
	const struct answer answers[] = {
		ANSWER(mem_array_create(ctx, 1, MEM_DATA_U8, 0, &other)),
		ANSWER(mem_array_wrap(ctx, &wrapped, 0, &other)),
		ANSWER(mem_array_rewrap(in->array, &wrapped)),
		ANSWER(mem_array_set_name(in->array, "name")),
		ANSWER(mem_array_count(in->array, &count)),
		ANSWER(mem_array_set_count(in->array, 0)),
		ANSWER(mem_array_copy(stream, 0, in->points, in->array)),
		ANSWER(mem_array_lock(in->array, MEM_READ, MEM_LOCK_HOST,
				      &data)),
		ANSWER(mem_array_unlock(in->array)),
		ANSWER(mem_image_harris(stream, 0, in->image, in->array,
					in->scores, &how)),
	};

	are_all(in, answers, NR(answers), -EPERM);
}

static void call_endpoints_inside(struct inside *in)
{
	struct mem_endpoint *endpoint;
	char byte = 0;
	const struct answer answers[] = {
		ANSWER(mem_endpoint_open(ctx, "name", 0, &endpoint)),
		ANSWER(mem_endpoint_from_fd(ctx, 0, &endpoint)),
		ANSWER(mem_endpoint_send(in->endpoint, &byte, 1, 0)),
		ANSWER(mem_endpoint_wait_room(in->endpoint, 0)),
		ANSWER(mem_endpoint_recv(in->endpoint, &byte, 1, 0)),
	};

	are_all(in, answers, NR(answers), -EPERM);
}

static void call_pipes_inside(struct inside *in)
{
	struct mem_frame frame = { .size = sizeof(frame), .image = in->image };
	struct mem_pipe_info info = { .size = sizeof(info) };
	struct mem_pipe_end *end;
	struct mem_pipe *pipe;
	const struct answer answers[] = {
		ANSWER(mem_pipe_create(ctx, NULL, &pipe)),
		ANSWER(mem_pipe_connect_consumer(in->pipe, ctx, &end)),
		ANSWER(mem_pipe_connect_producer(in->pipe, ctx, 1, 1, &end)),
		ANSWER(mem_pipe_present(in->producer, &frame, stream, 0)),
		ANSWER(mem_pipe_return(in->producer, stream, 0, &frame)),
		ANSWER(mem_pipe_acquire(in->consumer, stream, 0, &frame)),
		ANSWER(mem_pipe_release(in->consumer, &frame, stream)),
		ANSWER(mem_pipe_reset(in->pipe)),
		ANSWER(mem_pipe_set_timeout(in->pipe, 0)),
		ANSWER(mem_pipe_set_latency(in->pipe, 0)),
		ANSWER(mem_pipe_export(in->pipe, in->endpoint)),
		ANSWER(mem_pipe_import(in->endpoint, 0, &pipe)),
	};
	const struct answer others[] = {
		ANSWER(mem_pipe_info(in->pipe, &info)),
		ANSWER(mem_pipe_end_info(in->consumer, &info)),
		ANSWER(mem_pipe_disconnect(in->producer)),
	};

	are_all(in, answers, NR(answers), -EPERM);
	are_all(in, others, NR(others), 0);
}

/* Queries have the same results as elsewhere. */
static void ask_inside(struct inside *in)
{
	struct mem_violation v = { .size = sizeof(v) };
	struct mem_probe probe = { .size = sizeof(probe) };
	struct mem_buf_info info = { .size = sizeof(info) };
	struct mem_ptr_info ptr_info = { .size = sizeof(ptr_info) };
	struct mem_board board = { .size = sizeof(board) };
	struct mem_attach_counters count = { .size = sizeof(count) };
	struct mem_image_info image_info = { .size = sizeof(image_info) };
	uint64_t left, all, point;
	uint8_t id[16];
	void *ptr;
	const struct answer answers[] = {
		ANSWER(mem_ctx_probe(ctx, &probe)),
		ANSWER(mem_ctx_gpu_id(ctx, MEM_ENGINE_GPU, id)),
		ANSWER(mem_ctx_board(ctx, MEM_ENGINE_GPU, &board)),
		ANSWER(mem_ctx_memory(ctx, MEM_ENGINE_GPU, &left, &all)),
		ANSWER(mem_ctx_error(ctx)),
		ANSWER(mem_ctx_next_violation(ctx, &v)),
		ANSWER(!mem_violation_name(MEM_VIOLATION_DROPPED)),
		ANSWER(!mem_version()),
		ANSWER(!mem_buf_len(in->buf)),
		ANSWER(mem_buf_kind(in->buf) == MEM_KIND_SYSTEM),
		ANSWER(mem_buf_info(in->buf, &info)),
		ANSWER(mem_buf_device_ptr(in->buf, &ptr) &&
		       is_embedded()),
		ANSWER(mem_ptr_info(ctx, in->ptr, &ptr_info)),
		ANSWER(mem_ptr_buf_info(ctx, in->ptr, &info)),
		ANSWER(mem_ptr_attach_counters(ctx, in->ptr, &count)),
		ANSWER(!mem_stream_legacy(ctx)),
		ANSWER(!mem_stream_id(stream)),
		ANSWER(mem_stream_priority(stream)),
		ANSWER(mem_endpoint_fd(in->endpoint) < 0),
		ANSWER(!mem_object_attrs(in->object)),
		ANSWER(mem_image_info(in->image, &image_info)),
		ANSWER(!mem_object_buf(in->object)),
		ANSWER(mem_timeline_id(in->timeline, id)),
		ANSWER(mem_timeline_perm(in->timeline) - MEM_RW),
		ANSWER(mem_timeline_next(in->timeline, &point)),
		ANSWER(mem_timeline_signal(in->timeline)),
		ANSWER(mem_timeline_wait(in->timeline, point, 0)),
	};

	are_all(in, answers, NR(answers), 0);
}

/* Lists can be read, but neither made nor changed. */
static void call_attrs_inside(struct inside *in)
{
	const uint32_t type = MEM_ATTR_TYPE_RAW;
	struct mem_attr attr = { MEM_ATTR_TYPES, 0, &type, sizeof(type) };
	struct mem_format_info format = { .size = sizeof(format) };
	struct mem_attrs *other, *conflict;
	const struct answer answers[] = {
		ANSWER(mem_attrs_create(ctx, &other)),
		ANSWER(mem_attrs_clone(in->attrs, &other)),
		ANSWER(mem_attrs_append(&in->attrs, 1, &other)),
		ANSWER(mem_attrs_set(in->attrs, &attr, 1)),
		ANSWER(mem_attrs_reconcile(&in->attrs, 1, &other, &conflict)),
	};
	const struct answer others[] = {
		ANSWER(mem_attrs_get(in->attrs, 0, &attr, 1)),
		ANSWER(mem_attrs_state(in->attrs)),
		ANSWER(mem_attrs_slots(in->attrs) - 1),
		ANSWER(mem_attrs_dump(in->attrs, NULL, 0)),
		ANSWER(mem_attrs_validate(NULL, &in->attrs, 1) + EINVAL),
		ANSWER(mem_attrs_set_client(in->attrs, in, NULL)),
		ANSWER(mem_attrs_client(in->attrs) != in),
		ANSWER(!mem_attr_name(MEM_ATTR_TYPES)),
		ANSWER(mem_format_info(MEM_FORMAT_NV12, &format)),
	};

	are_all(in, answers, NR(answers), -EPERM);
	are_all(in, others, NR(others), 0);
}

static void call_all_inside(void *arg)
{
	struct inside *in = arg;

	call_streams_inside(in);
	call_buffers_inside(in);
	call_endpoints_inside(in);
	call_objects_inside(in);
	call_attrs_inside(in);
	call_images_inside(in);
	call_arrays_inside(in);
	call_pipes_inside(in);
	ask_inside(in);
	mem_object_put(mem_object_get(in->object));
	mem_object_put(in->object);
	mem_image_destroy(in->image);
	mem_image_destroy(in->second);
	mem_array_destroy(in->array);
	mem_array_destroy(in->points);
	mem_array_destroy(in->scores);
	mem_pipe_end_destroy(in->producer);
	mem_pipe_end_destroy(in->consumer);
	mem_pipe_destroy(in->pipe);
	mem_endpoint_close(in->endpoint);
	mem_job_destroy(in->job);
	mem_buf_destroy(in->buf);
	mem_event_destroy(in->event);
	mem_semaphore_destroy(in->semaphore);
	mem_timeline_put(mem_timeline_get(in->timeline));
	mem_timeline_put(in->timeline);
	mem_attrs_destroy(in->attrs);
	mem_ctx_close(in->other);
}

static struct mem_object *an_object(void)
{
	const uint32_t type = MEM_ATTR_TYPE_RAW;
	const uint64_t len = LEN;
	const struct mem_attr attrs[] = {
		{ MEM_ATTR_TYPES, 0, &type, sizeof(type) },
		{ MEM_ATTR_RAW_SIZE, 0, &len, sizeof(len) },
	};
	struct mem_attrs *list, *result;
	struct mem_object *object;

	assert_int_equal(mem_attrs_create(ctx, &list), 0);
	assert_int_equal(mem_attrs_set(list, attrs, NR(attrs)), 0);
	assert_int_equal(mem_attrs_reconcile(&list, 1, &result, NULL), 0);
	assert_int_equal(mem_object_alloc(result, NULL, &object), 0);
	mem_attrs_destroy(result);
	mem_attrs_destroy(list);
	return object;
}

static void call_in_a_host_function(void)
{
	struct inside in = { .ptr = memory(MEM_KIND_MANAGED) };
	const int fd = eventfd(0, EFD_CLOEXEC);
	int socks[2];

	assert_int_equal(mem_ctx_open(NULL, &in.other), 0);
	in.buf = new_buf(MEM_KIND_SYSTEM);
	assert_int_equal(mem_job_fill(in.buf, 0, LEN, 0, &in.job), 0);
	assert_int_equal(mem_job_wait(in.job, MEM_WAIT_FOREVER, NULL), 0);
	assert_int_equal(mem_event_create(ctx, 0, &in.event), 0);
	assert_int_equal(mem_event_record(in.event, stream), 0);
	assert_int_equal(mem_semaphore_import(ctx, fd, &in.semaphore), 0);
	assert_int_equal(mem_timeline_create(ctx, &in.timeline), 0);
	close(fd);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
				    socks), 0);
	assert_int_equal(mem_endpoint_from_fd(ctx, socks[0], &in.endpoint), 0);
	assert_int_equal(mem_attrs_create(ctx, &in.attrs), 0);
	in.object = an_object();
	assert_int_equal(mem_image_create(ctx, 1, 1, MEM_FORMAT_U8, 0,
					  &in.image), 0);
	assert_int_equal(mem_image_create(ctx, 1, 1, MEM_FORMAT_U8, 0,
					  &in.second), 0);
	assert_int_equal(mem_array_create(ctx, 1, MEM_DATA_KEYPOINT, 0,
					  &in.array), 0);
	assert_int_equal(mem_array_create(ctx, 1, MEM_DATA_KEYPOINT, 0,
					  &in.points), 0);
	assert_int_equal(mem_array_create(ctx, 1, MEM_DATA_U32, 0,
					  &in.scores), 0);
	assert_int_equal(mem_pipe_create(ctx, NULL, &in.pipe), 0);
	assert_int_equal(mem_pipe_connect_consumer(in.pipe, ctx, &in.consumer),
			 0);
	assert_int_equal(mem_pipe_connect_producer(in.pipe, ctx, 1, 1,
						   &in.producer), 0);
	assert_int_equal(mem_stream_call(stream, call_all_inside, &in), 0);
	assert_int_equal(mem_stream_sync(stream), 0);
	if (in.wrong.call)
		fail_msg("%s answers %d", in.wrong.call,
			 (int)in.wrong.answer);
	close(socks[0]);
	close(socks[1]);
	release(in.ptr);
}

static void never(void *arg)
{
	(void)arg;
	abort();
}

/* Runs in a new program, which exits while kernels are running and queued. */
static int exit_with_work(const char *how)
{
	struct gate gate;
	uint32_t i;

	open_one();
	gate = hold_up(stream);
	for (i = 0; i < NR_QUEUED; i++)
		if (try_start(stream, k_nothing, NULL))
			return 1;
	if (mem_stream_call(stream, never, NULL))
		return 1;
	gate_begins(gate);
	if (!strcmp(how, "_exit"))
		_exit(EXIT_CODE);
	if (!strcmp(how, "exit"))
		exit(EXIT_CODE);
	/* Queued work is not waited for, but the context exists for it. */
	mem_stream_destroy(stream);
	mem_ctx_close(ctx);
	return EXIT_CODE;
}

static void exit_with_work_queued(void)
{
	static const char *const hows[] = { "return", "exit", "_exit" };
	size_t i;

	for (i = 0; i < NR(hows); i++) {
		const uint64_t begin = now_ns();

		assert_int_equal(exit_code_of(start_again(hows[i], -1)),
				 EXIT_CODE);
		assert_true(now_ns() - begin < END_NS);
	}
}

static void kill_the_engine(void)
{
	uint32_t *spare = memory(MEM_KIND_PINNED);
	pid_t pid = engine_pid();
	struct gate gate;

	if (!pid) {
		release(spare);
		return;
	}
	gate = hold_up(stream);
	gate_begins(gate);
	assert_int_equal(kill(pid, SIGKILL), 0);
	/* mem_free() does not report the error; the next wait does, once. */
	assert_int_equal(mem_free(ctx, spare), 0);
	assert_int_equal(mem_stream_sync(stream), -EOWNERDEAD);
	assert_int_equal(mem_stream_sync(stream), 0);
	assert_int_equal(mem_ctx_error(ctx), 0);
	assert_int_not_equal(engine_pid(), pid);
	/* The end of an idle engine is not reported. */
	assert_int_equal(kill(engine_pid(), SIGKILL), 0);
	assert_int_not_equal(engine_pid(), 0);
	release(gate.word);
}

static void start_without_descriptors(void)
{
	struct mem_ctx *other;
	struct rlimit old;
	uint32_t *ptr;
	pid_t pid;

	/* This context has no engine process yet. */
	assert_int_equal(mem_ctx_open(NULL, &other), 0);
	pid = engine_pid_of(other);
	mem_ctx_close(other);
	if (pid == getpid())
		return;
	ptr = memory(MEM_KIND_PINNED);
	ptr[0] = 0;
	old = take_all_fds();
	assert_int_equal(try_start(stream, k_one, &ptr), 0);
	assert_int_equal(mem_stream_sync(stream), -EMFILE);
	give_fds_back(old);
	assert_int_equal(mem_stream_sync(stream), 0);
	assert_int_equal(mem_ctx_error(ctx), 0);
	assert_int_equal(ptr[0], 0);
	assert_int_equal(try_start(stream, k_one, &ptr), 0);
	assert_int_equal(mem_stream_sync(stream), 0);
	assert_int_equal(ptr[0], 1);
	release(ptr);
}

static void remove_the_module(void)
{
	uint32_t *ptr = memory(MEM_KIND_PINNED);

	assert_int_equal(syscall(SYS_delete_module, "heapsim", O_NONBLOCK),
			 -1);
	assert_int_equal(errno, EWOULDBLOCK);
	assert_int_equal(try_start(stream, k_one, &ptr), 0);
	assert_int_equal(mem_stream_sync(stream), 0);
	assert_int_equal(ptr[0], 1);
	release(ptr);
}

static void k_exit(const struct mem_block *block, void *arg)
{
	(void)block;
	(void)arg;
	exit(0);
}

/* A child of the engine would be an engine, too. */
static void k_fork(const struct mem_block *block, void *arg)
{
	(void)block;
	(void)arg;
	fork();
}

static void fail_by(mem_kernel kernel)
{
	uint32_t *ptr = memory(MEM_KIND_DEVICE);

	if (!engine_pid()) {
		release(ptr);
		return;
	}
	assert_int_equal(try_start(stream, kernel, NULL), 0);
	assert_int_equal(mem_stream_sync(stream), -EIO);
	assert_int_equal(found(MEM_VIOLATION_FAILED_KERNEL), 1);
	assert_int_equal(mem_free(ctx, ptr), 0);
}

static void exit_in_a_kernel(void)
{
	fail_by(k_exit);
}

static void fork_in_a_kernel(void)
{
	fail_by(k_fork);
}

static void an_overrun_is_reported_and_survived(void **state)
{
	(void)state;
	leaves_nothing(store_just_behind);
}

static void a_store_out_of_bounds_ends_the_context(void **state)
{
	(void)state;
	leaves_nothing(store_far_behind);
}

static void a_heaps_buffer_in_a_kernel_is_an_error(void **state)
{
	(void)state;
	leaves_nothing(heap_buffer_in_a_kernel);
}

static void a_kernel_that_fails_ends_the_context(void **state)
{
	(void)state;
	leaves_nothing(exit_in_a_kernel);
	leaves_nothing(fork_in_a_kernel);
}

static void a_second_free_is_einval(void **state)
{
	(void)state;
	leaves_nothing(free_twice);
	leaves_nothing(free_at_once);
}

static void free_of_busy_memory_waits(void **state)
{
	(void)state;
	leaves_nothing(free_while_busy);
}

static void an_interior_attach_is_einval(void **state)
{
	(void)state;
	leaves_nothing(attach_inside);
}

static void null_is_einval(void **state)
{
	(void)state;
	leaves_nothing(null_memory);
	leaves_nothing(null_streams);
}

static void the_wrong_stream_is_reported(void **state)
{
	(void)state;
	leaves_nothing(launch_on_the_wrong_stream);
}

static void the_wrong_context_is_exdev(void **state)
{
	(void)state;
	leaves_nothing(use_another_context);
}

static void a_child_of_fork_gets_eperm(void **state)
{
	(void)state;
	leaves_nothing(fork_in_the_midst);
}

static void a_thread_that_forks_ends_in_the_child(void **state)
{
	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip_because("at a thread's end the sanitizer takes a lock");
#endif
	leaves_nothing(fork_in_a_thread);
}

static void a_host_function_may_only_ask(void **state)
{
	(void)state;
	leaves_nothing(call_in_a_host_function);
}

static void exit_drops_what_is_queued(void **state)
{
	(void)state;
	leaves_nothing(exit_with_work_queued);
}

static void buffers_may_be_freed_between_kernels(void **state)
{
	(void)state;
	leaves_nothing(heap_buffers_freed_between_kernels);
}

static void a_killed_engine_is_reported_once(void **state)
{
	(void)state;
	leaves_nothing(kill_the_engine);
}

static void an_engine_that_cannot_start_is_reported_once(void **state)
{
	(void)state;
	leaves_nothing(start_without_descriptors);
}

static void the_module_stays_while_a_context_is_open(void **state)
{
	(void)state;
	leaves_nothing(remove_the_module);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest both[] = {
		cmocka_unit_test(an_overrun_is_reported_and_survived),
		cmocka_unit_test(a_store_out_of_bounds_ends_the_context),
		cmocka_unit_test(a_heaps_buffer_in_a_kernel_is_an_error),
		cmocka_unit_test(buffers_may_be_freed_between_kernels),
		cmocka_unit_test(a_kernel_that_fails_ends_the_context),
		cmocka_unit_test(a_second_free_is_einval),
		cmocka_unit_test(free_of_busy_memory_waits),
		cmocka_unit_test(an_interior_attach_is_einval),
		cmocka_unit_test(null_is_einval),
		cmocka_unit_test(the_wrong_stream_is_reported),
		cmocka_unit_test(the_wrong_context_is_exdev),
		cmocka_unit_test(a_child_of_fork_gets_eperm),
		cmocka_unit_test(a_thread_that_forks_ends_in_the_child),
		cmocka_unit_test(a_host_function_may_only_ask),
		cmocka_unit_test(exit_drops_what_is_queued),
		cmocka_unit_test(a_killed_engine_is_reported_once),
		cmocka_unit_test(an_engine_that_cannot_start_is_reported_once),
	};
	const struct CMUnitTest kernel[] = {
		cmocka_unit_test(the_module_stays_while_a_context_is_open),
	};
	const char *backend = getenv("LIBMEM_BACKEND");
	int failed;

	if (argc > 1)
		return exit_with_work(argv[1]);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1))
		return 1;
	failed = cmocka_run_group_tests(both, count_threads, NULL);
	if (backend && !strcmp(backend, "kernel"))
		failed |= cmocka_run_group_tests(kernel, count_threads, NULL);
	return failed;
}
