// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests semaphores: eventfds that streams wait for and signal, in this program,
 * in other contexts and in other processes; and waits that are never signalled.
 * LIBMEM_SOC or the module chooses the board.
 */
#include "../asleep.h"
#include "stream.h"

#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define NR_WAITS	1000
#define NR_TURNS	20

/* A time in which something must not happen */
#define A_WHILE_US	30000

struct semaphore {
	int fd;
	struct mem_semaphore *of;
};

static struct semaphore semaphore_in(struct mem_ctx *where, unsigned int count,
				     int flags)
{
	struct semaphore new = { .fd = eventfd(count, EFD_CLOEXEC | flags) };

	assert_true(new.fd >= 0);
	assert_int_equal(mem_semaphore_import(where, new.fd, &new.of), 0);
	return new;
}

static struct semaphore new_semaphore(void)
{
	return semaphore_in(ctx, 0, EFD_SEMAPHORE);
}

static void drop(struct semaphore semaphore)
{
	mem_semaphore_destroy(semaphore.of);
	close(semaphore.fd);
}

static void post(struct semaphore semaphore)
{
	assert_int_equal(eventfd_write(semaphore.fd, 1), 0);
}

/* Returns the count of the eventfd, and leaves it unchanged. */
static unsigned long long count_in(struct semaphore semaphore)
{
	unsigned long long count = 0;
	char path[64], line[128];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", semaphore.fd);
	file = fopen(path, "re");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "eventfd-count: %llx", &count) == 1)
			break;
	fclose(file);
	return count;
}

static void wait_for(struct mem_stream *where, struct semaphore semaphore)
{
	assert_int_equal(mem_stream_wait_semaphore(where, semaphore.of), 0);
}

static void signal_in(struct mem_stream *where, struct semaphore semaphore)
{
	assert_int_equal(mem_stream_signal_semaphore(where, semaphore.of), 0);
}

/* If kernels run in the program, their access may hide one of the CPU. */
static void is_active(uint32_t *ptr)
{
	if (has_processes)
		is_refused(ptr);
}

static void is_pending(struct mem_stream *where)
{
	usleep(A_WHILE_US);
	assert_int_equal(mem_stream_query(where), -EBUSY);
}

/* Basic properties */

static void a_stream_waits_for_a_signal(void **state)
{
	struct semaphore go = new_semaphore();
	uint32_t *to = memory(MEM_KIND_PINNED);
	uint32_t *from = memory(MEM_KIND_PINNED);

	(void)state;
	set_all(to, 0);
	set_all(from, 5);
	wait_for(stream, go);
	start_add(stream, to, from, 1);
	is_pending(stream);
	all_are(to, 0);
	post(go);
	sync_stream();
	all_are(to, 6);
	assert_int_equal(count_in(go), 0);
	drop(go);
	release(to);
	release(from);
}

static void a_signal_comes_after_what_is_before_it(void **state)
{
	struct semaphore done = new_semaphore();
	struct gate gate = hold_up(stream);

	(void)state;
	signal_in(stream, done);
	usleep(A_WHILE_US);
	assert_int_equal(count_in(done), 0);
	let_go(gate);
	sync_stream();
	assert_int_equal(count_in(done), 1);
	drop(done);
	release(gate.word);
}

static void a_signal_may_come_before_the_wait(void **state)
{
	struct semaphore go = semaphore_in(ctx, 2, EFD_SEMAPHORE);

	(void)state;
	wait_for(stream, go);
	sync_stream();
	assert_int_equal(count_in(go), 1);
	wait_for(stream, go);
	sync_stream();
	assert_int_equal(count_in(go), 0);
	drop(go);
}

static void without_a_count_all_signals_are_one(void **state)
{
	struct semaphore go = semaphore_in(ctx, 3, 0);

	(void)state;
	wait_for(stream, go);
	sync_stream();
	assert_int_equal(count_in(go), 0);
	wait_for(stream, go);
	is_pending(stream);
	post(go);
	sync_stream();
	drop(go);
}

static void a_full_one_stays_signalled(void **state)
{
	struct semaphore full = semaphore_in(ctx, 0, 0);

	(void)state;
	assert_int_equal(eventfd_write(full.fd, UINT64_MAX - 1), 0);
	signal_in(stream, full);
	sync_stream();
	assert_true(count_in(full) == UINT64_MAX - 1);
	wait_for(stream, full);
	sync_stream();
	assert_int_equal(count_in(full), 0);
	drop(full);
}

static void the_descriptor_stays_the_callers(void **state)
{
	struct semaphore go = new_semaphore();
	const int copy = dup(go.fd);
	const size_t nr_fds = nr_of_process("fd");

	(void)state;
	assert_int_equal(close(go.fd), 0);
	wait_for(stream, go);
	assert_int_equal(eventfd_write(copy, 1), 0);
	sync_stream();
	/* Each semaphore had one descriptor; the thread's ones are kept. */
	mem_semaphore_destroy(go.of);
	close(copy);
	assert_true(nr_of_process("fd") <= nr_fds);
}

/* Order */

static void set_flag(void *arg)
{
	atomic_store((atomic_int *)arg, 1);
}

static void until(atomic_int *flag)
{
	const uint64_t end = now_ns() + 20000 * NS_PER_MS;

	while (!atomic_load(flag)) {
		assert_true(now_ns() < end);
		usleep(100);
	}
}

static void a_wait_holds_up_its_stream_alone(void **state)
{
	struct semaphore go = new_semaphore();
	struct mem_stream *other = new_stream();
	uint32_t *to = memory(MEM_KIND_PINNED);
	uint32_t *from = memory(MEM_KIND_PINNED);
	atomic_int called = 0, late = 0;
	uint32_t word;

	(void)state;
	set_all(from, 1);
	wait_for(stream, go);
	assert_int_equal(mem_stream_call(stream, set_flag, &late), 0);
	/* A kernel, a copy and a host function wait. */
	start_add(other, to, from, 1);
	assert_int_equal(mem_copy(other, &word, to, sizeof(word),
				  MEM_DIR_DEFAULT), 0);
	assert_int_equal(word, 2);
	assert_int_equal(mem_stream_call(other, set_flag, &called), 0);
	until(&called);
	assert_int_equal(mem_stream_sync(other), 0);
	assert_int_equal(atomic_load(&late), 0);
	post(go);
	sync_stream();
	assert_int_equal(atomic_load(&late), 1);
	assert_int_equal(mem_stream_destroy(other), 0);
	drop(go);
	release(to);
	release(from);
}

static void one_stream_signals_another(void **state)
{
	struct semaphore ping = new_semaphore(), pong = new_semaphore();
	struct mem_stream *other = new_stream();
	uint32_t *word = memory(MEM_KIND_DEVICE);
	uint32_t *to = memory(MEM_KIND_PINNED);
	uint32_t i;

	(void)state;
	assert_int_equal(mem_fill(stream, word, 0, LEN), 0);
	sync_stream();
	for (i = 0; i < NR_TURNS; i++) {
		start_add(stream, word, word, 1);
		signal_in(stream, ping);
		wait_for(other, ping);
		start_add(other, word, word, 1);
		signal_in(other, pong);
		wait_for(stream, pong);
	}
	start_add(stream, to, word, 0);
	sync_stream();
	all_are(to, 2 * NR_TURNS);
	assert_int_equal(mem_stream_destroy(other), 0);
	drop(ping);
	drop(pong);
	release(word);
	release(to);
}

static void the_legacy_stream_holds_up_blocking_ones(void **state)
{
	struct semaphore go = new_semaphore();
	struct mem_stream *blocking;

	(void)state;
	assert_int_equal(mem_stream_create(ctx, 0, 0, &blocking), 0);
	wait_for(mem_stream_legacy(ctx), go);
	start(blocking, k_nothing, NULL, 0);
	is_pending(blocking);
	post(go);
	assert_int_equal(mem_stream_sync(blocking), 0);
	/* Work of a blocking stream delays the legacy stream, too. */
	wait_for(blocking, go);
	signal_in(mem_stream_legacy(ctx), go);
	is_pending(mem_stream_legacy(ctx));
	assert_int_equal(count_in(go), 0);
	post(go);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	assert_int_equal(count_in(go), 1);
	assert_int_equal(mem_stream_destroy(blocking), 0);
	drop(go);
}

static void an_event_behind_a_wait_waits(void **state)
{
	struct semaphore go = new_semaphore();
	struct mem_event *event;

	(void)state;
	assert_int_equal(mem_event_create(ctx, 0, &event), 0);
	wait_for(stream, go);
	assert_int_equal(mem_event_record(event, stream), 0);
	usleep(A_WHILE_US);
	assert_int_equal(mem_event_query(event), -EBUSY);
	post(go);
	assert_int_equal(mem_event_sync(event), 0);
	mem_event_destroy(event);
	drop(go);
}

static void a_wait_is_none_of_the_hosts(void **state)
{
	struct semaphore done = new_semaphore();
	struct mem_stream *other = new_stream();
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	uint64_t count;

	(void)state;
	start_add(stream, ptr, ptr, 1);
	signal_in(stream, done);
	/* The kernel has finished, but the program has not waited for it. */
	assert_int_equal(eventfd_read(done.fd, &count), 0);
	is_active(ptr);
	signal_in(stream, done);
	wait_for(other, done);
	assert_int_equal(mem_stream_sync(other), 0);
	is_active(ptr);
	sync_stream();
	is_allowed(ptr);
	assert_int_equal(mem_stream_destroy(other), 0);
	drop(done);
	release(ptr);
}

static void nor_does_it_make_a_stream_active(void **state)
{
	struct semaphore go = new_semaphore();
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);

	(void)state;
	wait_for(stream, go);
	signal_in(stream, go);
	is_allowed(ptr);
	start_add(stream, ptr, ptr, 1);
	is_active(ptr);
	post(go);
	sync_stream();
	is_allowed(ptr);
	drop(go);
	release(ptr);
}

/* Many */

static void many_streams_wait_for_many(void **state)
{
	struct mem_stream *streams[64];
	struct semaphore all[64];
	uint32_t *word = memory(MEM_KIND_PINNED);
	size_t i, nr_threads;

	(void)state;
	*word = 0;
	for (i = 0; i < 64; i++) {
		streams[i] = new_stream();
		all[i] = new_semaphore();
		wait_for(streams[i], all[i]);
		if (!i)
			nr_threads = nr_of_process("task");
	}
	assert_int_equal(nr_of_process("task"), nr_threads);
	/* In reverse order, each signal ends only its own wait. */
	for (i = 64; i--; ) {
		assert_int_equal(mem_stream_query(streams[i]), -EBUSY);
		post(all[i]);
		assert_int_equal(mem_stream_sync(streams[i]), 0);
		assert_int_equal(mem_stream_destroy(streams[i]), 0);
		drop(all[i]);
	}
	release(word);
}

static void add_one(void *arg)
{
	atomic_fetch_add((atomic_uint *)arg, 1);
}

static void each_of_a_thousand_waits_has_its_signal(void **state)
{
	struct semaphore go = new_semaphore();
	const size_t nr_fds = nr_of_process("fd");
	struct mem_stream *streams[8];
	atomic_uint nr = 0;
	size_t i;

	(void)state;
	for (i = 0; i < 8; i++)
		streams[i] = new_stream();
	for (i = 0; i < NR_WAITS; i++) {
		wait_for(streams[i % 8], go);
		assert_int_equal(mem_stream_call(streams[i % 8], add_one, &nr),
				 0);
	}
	/* A thousand waits need as many descriptors as one. */
	assert_true(nr_of_process("fd") <= nr_fds + 2);
	for (i = 0; i < NR_WAITS / 2; i++)
		post(go);
	while (atomic_load(&nr) < NR_WAITS / 2)
		usleep(1000);
	usleep(A_WHILE_US);
	assert_int_equal(atomic_load(&nr), NR_WAITS / 2);
	assert_int_equal(eventfd_write(go.fd, NR_WAITS / 2), 0);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	assert_int_equal(atomic_load(&nr), NR_WAITS);
	assert_int_equal(count_in(go), 0);
	for (i = 0; i < 8; i++)
		assert_int_equal(mem_stream_destroy(streams[i]), 0);
	drop(go);
}

static void *post_many(void *arg)
{
	struct semaphore *go = arg;
	size_t i;

	for (i = 0; i < NR_WAITS; i++)
		post(*go);
	return NULL;
}

/* Another reader may take a signal before the streams do. */
static void nothing_blocks_where_another_takes_the_signal(void **state)
{
	struct semaphore go = new_semaphore();
	struct mem_ctx *ctxs[2];
	struct mem_semaphore *of[2];
	atomic_uint nr = 0;
	size_t i, k;
	pthread_t thread;

	(void)state;
	for (k = 0; k < 2; k++) {
		assert_int_equal(mem_ctx_open(NULL, &ctxs[k]), 0);
		assert_int_equal(mem_semaphore_import(ctxs[k], go.fd, &of[k]),
				 0);
		for (i = 0; i < NR_WAITS / 2; i++) {
			struct mem_stream *legacy = mem_stream_legacy(ctxs[k]);

			assert_int_equal(mem_stream_wait_semaphore(legacy,
								   of[k]), 0);
			assert_int_equal(mem_stream_call(legacy, add_one, &nr),
					 0);
		}
	}
	assert_int_equal(pthread_create(&thread, NULL, post_many, &go), 0);
	for (k = 0; k < 2; k++)
		assert_int_equal(mem_ctx_sync(ctxs[k]), 0);
	pthread_join(thread, NULL);
	assert_int_equal(atomic_load(&nr), NR_WAITS);
	assert_int_equal(count_in(go), 0);
	for (k = 0; k < 2; k++) {
		mem_semaphore_destroy(of[k]);
		mem_ctx_close(ctxs[k]);
	}
	drop(go);
}

/* Other processes */

static uint32_t copy_of(struct mem_stream *where, uint32_t *word)
{
	uint32_t value;

	assert_int_equal(mem_copy(where, &value, word, sizeof(value),
				  MEM_DIR_DEFAULT), 0);
	return value;
}

/*
 * Both processes add one in turn. They pass the word through a shared page,
 * which copies of both streams access.
 */
static int take_turns(uint32_t *page, struct semaphore in,
		      struct semaphore out)
{
	uint32_t *device = memory(MEM_KIND_DEVICE);
	uint32_t *pinned = memory(MEM_KIND_PINNED);
	uint32_t i;

	for (i = 0; i < NR_TURNS; i++) {
		wait_for(stream, in);
		if (mem_copy(stream, pinned, page, sizeof(*page),
			     MEM_DIR_DEFAULT))
			return 1;
		start_add(stream, device, pinned, 1);
		*page = copy_of(stream, device);
		signal_in(stream, out);
	}
	if (mem_stream_sync(stream))
		return 1;
	release(device);
	release(pinned);
	return 0;
}

static void two_processes_take_turns(void **state)
{
	int ping = eventfd(0, EFD_CLOEXEC), pong = eventfd(0, EFD_CLOEXEC);
	struct semaphore in, out;
	uint32_t *page;
	pid_t pid;

	(void)state;
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(page, MAP_FAILED);
	/* The child inherits no context from its parent. */
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (mem_ctx_open(NULL, &ctx) ||
		    mem_stream_create(ctx, 0, 0, &stream))
			_exit(2);
		if (mem_semaphore_import(ctx, ping, &in.of) ||
		    mem_semaphore_import(ctx, pong, &out.of))
			_exit(3);
		_exit(take_turns(page, in, out));
	}
	assert_int_equal(open_with(MEM_POLICY_STRICT), 0);
	assert_int_equal(mem_semaphore_import(ctx, pong, &in.of), 0);
	assert_int_equal(mem_semaphore_import(ctx, ping, &out.of), 0);
	/* The parent has the first turn. */
	assert_int_equal(eventfd_write(pong, 1), 0);
	assert_int_equal(take_turns(page, in, out), 0);
	assert_int_equal(exit_code_of(pid), 0);
	assert_int_equal(*page, 2 * NR_TURNS);
	mem_semaphore_destroy(in.of);
	mem_semaphore_destroy(out.of);
	assert_int_equal(mem_stream_destroy(stream), 0);
	mem_ctx_close(ctx);
	munmap(page, 4096);
	close(ping);
	close(pong);
}

static void a_child_of_fork_has_none(void **state)
{
	struct semaphore go = new_semaphore();
	struct mem_semaphore *other = UNTOUCHED;
	pid_t pid;

	(void)state;
	wait_for(stream, go);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (mem_stream_wait_semaphore(stream, go.of) != -EPERM ||
		    mem_stream_signal_semaphore(stream, go.of) != -EPERM ||
		    mem_semaphore_import(ctx, go.fd, &other) != -EPERM ||
		    mem_ctx_cancel(ctx) != -EPERM || other != UNTOUCHED)
			_exit(1);
		mem_semaphore_destroy(go.of);
		_exit(0);
	}
	assert_int_equal(exit_code_of(pid), 0);
	/* The parent's wait is unchanged. */
	is_pending(stream);
	post(go);
	sync_stream();
	drop(go);
}

/* Waits that are never signalled */

static atomic_int last_status;

static void tell_status(struct mem_stream *where, int status, void *arg)
{
	(void)where;
	(void)arg;
	atomic_store(&last_status, status);
}

static void what_is_cancelled_does_nothing(void **state)
{
	struct semaphore go = new_semaphore(), behind = new_semaphore();
	uint32_t *to = memory(MEM_KIND_PINNED);
	uint32_t *from = memory(MEM_KIND_PINNED);
	struct mem_stream *other = new_stream();
	atomic_int called = 0;
	struct mem_event *event;

	(void)state;
	set_all(to, 0);
	set_all(from, 1);
	atomic_store(&last_status, 1);
	assert_int_equal(mem_event_create(ctx, 0, &event), 0);
	wait_for(stream, go);
	start_add(stream, to, from, 1);
	assert_int_equal(mem_fill_async(stream, to, 0xff, LEN), 0);
	assert_int_equal(mem_copy_async(stream, to, from, LEN,
					MEM_DIR_DEFAULT), 0);
	assert_int_equal(mem_stream_call(stream, set_flag, &called), 0);
	assert_int_equal(mem_stream_add_callback(stream, tell_status, NULL),
			 0);
	signal_in(stream, behind);
	assert_int_equal(mem_event_record(event, stream), 0);
	assert_int_equal(mem_stream_wait_event(other, event), 0);
	signal_in(other, behind);
	assert_int_equal(mem_ctx_cancel(ctx), -EDEADLK);
	all_are(to, 0);
	assert_int_equal(atomic_load(&called), 0);
	assert_int_equal(atomic_load(&last_status), -EDEADLK);
	assert_int_equal(count_in(behind), 0);
	assert_int_equal(mem_event_query(event), -EDEADLK);
	assert_int_equal(mem_ctx_error(ctx), 0);
	/* The context can be used as before. */
	assert_int_equal(mem_ctx_cancel(ctx), 0);
	start_add(stream, to, from, 1);
	signal_in(stream, behind);
	wait_for(stream, behind);
	sync_stream();
	all_are(to, 2);
	assert_int_equal(mem_stream_destroy(other), 0);
	mem_event_destroy(event);
	drop(go);
	drop(behind);
	release(to);
	release(from);
}

static void cancel_waits_for_what_signals_itself(void **state)
{
	struct semaphore done = new_semaphore();
	struct mem_stream *other = new_stream();
	uint32_t *to = memory(MEM_KIND_PINNED);
	uint32_t *from = memory(MEM_KIND_PINNED);

	(void)state;
	set_all(to, 0);
	set_all(from, 1);
	wait_for(stream, done);
	start_add(stream, to, from, 1);
	start_add(other, from, from, 2);
	signal_in(other, done);
	assert_int_equal(mem_ctx_cancel(ctx), 0);
	all_are(to, 4);
	assert_int_equal(mem_stream_destroy(other), 0);
	drop(done);
	release(to);
	release(from);
}

struct waiter {
	atomic_int tid;
	int result;
};

static void *sync_in_thread(void *arg)
{
	struct waiter *waiter = arg;

	waiter->tid = gettid();
	waiter->result = mem_stream_sync(stream);
	return NULL;
}

static void *copy_in_thread(void *arg)
{
	struct waiter *waiter = arg;
	uint32_t word = 7;

	waiter->tid = gettid();
	/* The caller does this copy itself. */
	waiter->result = mem_copy(stream, &word, &word, sizeof(word),
				  MEM_DIR_DEFAULT);
	return NULL;
}

static void a_waiter_gets_the_error_of_the_cancel(void **state)
{
	struct semaphore go = new_semaphore();
	struct waiter waiters[2] = { { .result = 1 }, { .result = 1 } };
	pthread_t threads[2];
	int i;

	(void)state;
	wait_for(stream, go);
	assert_int_equal(pthread_create(&threads[0], NULL, sync_in_thread,
					&waiters[0]), 0);
	assert_int_equal(pthread_create(&threads[1], NULL, copy_in_thread,
					&waiters[1]), 0);
	for (i = 0; i < 2; i++)
		wait_until_asleep(&waiters[i].tid);
	assert_int_equal(mem_ctx_cancel(ctx), -EDEADLK);
	for (i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(waiters[i].result, -EDEADLK);
	}
	sync_stream();
	drop(go);
}

static void an_attach_behind_a_cancelled_wait_happens(void **state)
{
	struct mem_ptr_info info = { .size = sizeof(info) };
	struct semaphore go = new_semaphore();
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);

	(void)state;
	set_all(ptr, 3);
	wait_for(stream, go);
	start_add(stream, ptr, ptr, 1);
	assert_int_equal(mem_stream_attach(stream, ptr, 0, MEM_ATTACH_HOST),
			 0);
	assert_int_equal(mem_ctx_cancel(ctx), -EDEADLK);
	is_allowed(ptr + 1);
	assert_int_equal(mem_ptr_info(ctx, ptr, &info), 0);
	assert_int_equal(info.attach, MEM_ATTACH_HOST);
	/* The dropped kernel has stored nothing. */
	assert_int_equal(ptr[2], 3);
	drop(go);
	release(ptr);
}

static void a_stream_may_go_before_its_wait(void **state)
{
	struct semaphore go = new_semaphore();
	struct mem_stream *other = new_stream();
	uint32_t *to = memory(MEM_KIND_PINNED);
	uint32_t *from = memory(MEM_KIND_PINNED);

	(void)state;
	set_all(to, 0);
	set_all(from, 1);
	wait_for(other, go);
	start_add(other, to, from, 1);
	assert_int_equal(mem_stream_destroy(other), 0);
	/* The semaphore may be destroyed, too. */
	mem_semaphore_destroy(go.of);
	usleep(A_WHILE_US);
	all_are(to, 0);
	post(go);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	all_are(to, 2);
	close(go.fd);
	release(to);
	release(from);
}

static atomic_int called_late;

/* Either the polling thread or the caller frees all objects. */
static void a_closed_context_waits_for_nobody(void **state)
{
	const size_t nr_threads = nr_of_process("task");
	const size_t nr_fds = nr_of_process("fd");
	int round;

	(void)state;
	for (round = 0; round < 8; round++) {
		struct mem_ctx *other;
		struct mem_stream *where;
		struct semaphore go, done;

		atomic_store(&called_late, 0);
		assert_int_equal(mem_ctx_open(NULL, &other), 0);
		assert_int_equal(mem_stream_create(other, 0, 0, &where), 0);
		go = semaphore_in(other, 0, EFD_SEMAPHORE);
		done = semaphore_in(other, 0, EFD_SEMAPHORE);
		start(where, k_nothing, NULL, 0);
		wait_for(where, go);
		assert_int_equal(mem_stream_call(where, set_flag,
						 &called_late), 0);
		signal_in(where, done);
		if (round & 1)
			usleep(2000);
		if (round & 2)
			post(go);
		if (round & 4)
			assert_int_equal(mem_stream_destroy(where), 0);
		else if (round & 2)
			assert_int_equal(mem_stream_sync(where), 0);
		mem_semaphore_destroy(go.of);
		mem_semaphore_destroy(done.of);
		mem_ctx_close(other);
		if (!(round & 4))
			assert_int_equal(mem_stream_destroy(where), 0);
		wait_for_threads(nr_threads);
		if (!(round & 2)) {
			assert_int_equal(atomic_load(&called_late), 0);
			assert_int_equal(count_in(done), 0);
		}
		close(go.fd);
		close(done.fd);
	}
	assert_int_equal(nr_of_process("fd"), nr_fds);
}

static void one_that_is_closed_still_has_its_signals(void **state)
{
	const size_t nr_threads = nr_of_process("task");
	struct mem_ctx *other;
	struct mem_stream *where;
	struct semaphore go;

	(void)state;
	assert_int_equal(mem_ctx_open(NULL, &other), 0);
	assert_int_equal(mem_stream_create(other, 0, 0, &where), 0);
	go = semaphore_in(other, 1, 0);
	mem_ctx_close(other);
	wait_for(where, go);
	assert_int_equal(mem_stream_sync(where), 0);
	wait_for(where, go);
	assert_int_equal(mem_stream_query(where), 0);
	drop(go);
	assert_int_equal(mem_stream_destroy(where), 0);
	wait_for_threads(nr_threads);
}

static void k_bad(const struct mem_block *block, void *arg)
{
	(void)block;
	(void)arg;
	exit(3);
}

static void after_an_error_nothing_is_waited_for(void **state)
{
	const size_t nr_threads = nr_of_process("task");
	struct semaphore go, done;
	struct mem_stream *one, *two;
	struct mem_ctx *other;

	(void)state;
	if (!has_processes)
		return;
	assert_int_equal(mem_ctx_open(NULL, &other), 0);
	assert_int_equal(mem_stream_create(other, 0, 0, &one), 0);
	assert_int_equal(mem_stream_create(other, 0, 0, &two), 0);
	go = semaphore_in(other, 0, 0);
	done = semaphore_in(other, 0, 0);
	wait_for(one, go);
	signal_in(one, done);
	start(two, k_bad, NULL, 0);
	signal_in(two, done);
	assert_int_equal(mem_stream_sync(two), -EIO);
	assert_int_equal(mem_ctx_cancel(other), -EIO);
	assert_int_equal(count_in(done), 0);
	assert_int_equal(mem_stream_wait_semaphore(one, go.of), -EIO);
	assert_int_equal(mem_stream_destroy(one), 0);
	assert_int_equal(mem_stream_destroy(two), 0);
	drop(go);
	drop(done);
	mem_ctx_close(other);
	/* The next test counts on it that no descriptor becomes free. */
	wait_for_threads(nr_threads);
	while (mem_ctx_next_violation(ctx, &(struct mem_violation) {
		.size = sizeof(struct mem_violation) }) == 1)
		;
}

/* Errors */

static void import_says_what_is_wrong(void **state)
{
	struct mem_semaphore *new = UNTOUCHED;
	int fd = eventfd(0, EFD_CLOEXEC), pair[2], memfd;
	struct rlimit old;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	memfd = memfd_create("semaphore", MFD_CLOEXEC);
	assert_true(memfd >= 0);
	assert_int_equal(mem_semaphore_import(NULL, fd, &new), -EINVAL);
	assert_int_equal(mem_semaphore_import(ctx, fd, NULL), -EINVAL);
	assert_int_equal(mem_semaphore_import(ctx, pair[0], &new), -EINVAL);
	assert_int_equal(mem_semaphore_import(ctx, memfd, &new), -EINVAL);
	assert_int_equal(mem_semaphore_import(ctx, -1, &new), -EBADF);
	close(pair[0]);
	assert_int_equal(mem_semaphore_import(ctx, pair[0], &new), -EBADF);
	old = take_all_fds();
	assert_int_equal(mem_semaphore_import(ctx, fd, &new), -EMFILE);
	give_fds_back(old);
	assert_ptr_equal(new, UNTOUCHED);
	mem_semaphore_destroy(NULL);
	close(pair[1]);
	close(memfd);
	close(fd);
}

static void wait_and_signal_say_what_is_wrong(void **state)
{
	struct semaphore go = new_semaphore();
	struct mem_ctx *other;
	struct rlimit old;

	(void)state;
	assert_int_equal(mem_ctx_open(NULL, &other), 0);
	assert_int_equal(mem_stream_wait_semaphore(NULL, go.of), -EINVAL);
	assert_int_equal(mem_stream_wait_semaphore(stream, NULL), -EINVAL);
	assert_int_equal(mem_stream_signal_semaphore(NULL, go.of), -EINVAL);
	assert_int_equal(mem_stream_signal_semaphore(stream, NULL), -EINVAL);
	assert_int_equal(mem_stream_wait_semaphore(mem_stream_legacy(other),
						   go.of), -EXDEV);
	assert_int_equal(mem_stream_signal_semaphore(mem_stream_legacy(other),
						     go.of), -EXDEV);
	assert_int_equal(mem_ctx_cancel(NULL), -EINVAL);
	drop(go);
	/* The first wait of a context makes a thread and descriptors. */
	go = semaphore_in(other, 1, 0);
	old = take_all_fds();
	assert_int_equal(mem_stream_wait_semaphore(mem_stream_legacy(other),
						   go.of), -EMFILE);
	give_fds_back(old);
	wait_for(mem_stream_legacy(other), go);
	assert_int_equal(mem_ctx_sync(other), 0);
	drop(go);
	mem_ctx_close(other);
}

static struct semaphore inside;
static int wrong_inside;

static void call_inside(void *arg)
{
	struct mem_semaphore *new;

	(void)arg;
	wrong_inside =
		mem_semaphore_import(ctx, inside.fd, &new) != -EPERM ||
		mem_stream_wait_semaphore(stream, inside.of) != -EPERM ||
		mem_stream_signal_semaphore(stream, inside.of) != -EPERM ||
		mem_ctx_cancel(ctx) != -EPERM;
	mem_semaphore_destroy(inside.of);
}

static void a_host_function_may_only_destroy(void **state)
{
	(void)state;
	inside = new_semaphore();
	wrong_inside = 1;
	assert_int_equal(mem_stream_call(stream, call_inside, NULL), 0);
	sync_stream();
	assert_int_equal(wrong_inside, 0);
	close(inside.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stream_waits_for_a_signal),
		cmocka_unit_test(a_signal_comes_after_what_is_before_it),
		cmocka_unit_test(a_signal_may_come_before_the_wait),
		cmocka_unit_test(without_a_count_all_signals_are_one),
		cmocka_unit_test(a_full_one_stays_signalled),
		cmocka_unit_test(the_descriptor_stays_the_callers),
		cmocka_unit_test(a_wait_holds_up_its_stream_alone),
		cmocka_unit_test(one_stream_signals_another),
		cmocka_unit_test(the_legacy_stream_holds_up_blocking_ones),
		cmocka_unit_test(an_event_behind_a_wait_waits),
		cmocka_unit_test(a_wait_is_none_of_the_hosts),
		cmocka_unit_test(nor_does_it_make_a_stream_active),
		cmocka_unit_test(many_streams_wait_for_many),
		cmocka_unit_test(each_of_a_thousand_waits_has_its_signal),
		cmocka_unit_test(nothing_blocks_where_another_takes_the_signal),
		cmocka_unit_test(a_child_of_fork_has_none),
		cmocka_unit_test(what_is_cancelled_does_nothing),
		cmocka_unit_test(cancel_waits_for_what_signals_itself),
		cmocka_unit_test(a_waiter_gets_the_error_of_the_cancel),
		cmocka_unit_test(an_attach_behind_a_cancelled_wait_happens),
		cmocka_unit_test(a_stream_may_go_before_its_wait),
		cmocka_unit_test(a_closed_context_waits_for_nobody),
		cmocka_unit_test(one_that_is_closed_still_has_its_signals),
		cmocka_unit_test(after_an_error_nothing_is_waited_for),
		cmocka_unit_test(import_says_what_is_wrong),
		cmocka_unit_test(wait_and_signal_say_what_is_wrong),
		cmocka_unit_test(a_host_function_may_only_destroy),
	};
	/* This test opens its context after the fork. */
	const struct CMUnitTest alone[] = {
		cmocka_unit_test(two_processes_take_turns),
	};

	return cmocka_run_group_tests(alone, NULL, NULL) |
	       cmocka_run_group_tests(tests, open_strict, close_all);
}
