// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of libmem where a thread is cancelled (pthread_cancel()) in a call or
 * in an access: it is carried out first, and no lock stays taken.
 */
#include "test.h"

#include <pthread.h>
#include <sys/eventfd.h>

/* A call that hangs does so with all signals blocked. */
#define LIMIT_S		60

#define NR_CANCELLED	200

static struct mem_buf *buf;
static volatile uint8_t *map;
static uint8_t *numbers;
static void *registered;

static void set_one(const struct mem_block *block, void *args)
{
	(void)block;
	**(uint8_t **)args = 1;
}

static int launch_one(void)
{
	const struct mem_launch launch = launch_of(set_one, &numbers,
						   sizeof(numbers));

	return mem_launch(mem_stream_legacy(ctx), &launch);
}

static int call_open(void)
{
	struct mem_ctx *other;
	int err = mem_ctx_open(NULL, &other);

	if (!err)
		mem_ctx_close(other);
	return err;
}

static void do_nothing(void *arg)
{
	(void)arg;
}

/* A thread of the context is joined. */
static int call_close(void)
{
	struct mem_ctx *other;
	int err = mem_ctx_open(NULL, &other);

	if (err)
		return err;
	err = mem_stream_call(mem_stream_legacy(other), do_nothing, NULL);
	if (!err)
		err = mem_ctx_sync(other);
	mem_ctx_close(other);
	return err;
}

static int call_watch(void)
{
	struct mem_violation found = { .size = sizeof(found) };
	struct mem_ctx *other;
	int fd, err = mem_ctx_open(NULL, &other);

	if (err)
		return err;
	err = mem_ctx_watch(other, MEM_WATCH_ERRORS, 16);
	if (!err)
		err = mem_ctx_watch_fd(other, &fd);
	if (!err)
		err = mem_ctx_next_violation(other, &found);
	if (!err)
		err = close_range(fd, fd, 0);
	mem_ctx_close(other);
	return err;
}

/* A violation sets the descriptor, in the handler of the touch. */
static int call_touch(void)
{
	struct mem_job *job;
	int err = mem_job_fill(buf, 0, LEN, 0x01020304, &job);

	if (err)
		return err;
	err = mem_job_wait(job, MEM_WAIT_FOREVER, NULL);
	mem_job_destroy(job);
	(void)map[0];
	return err;
}

static int call_bracket(void)
{
	int err = mem_buf_begin(buf, MEM_RW);

	return err ? err : mem_buf_end(buf, MEM_RW);
}

static int call_buf(void)
{
	struct mem_buf *other;
	int err = mem_buf_alloc(ctx, MEM_KIND_SYSTEM, LEN, NULL, &other);

	if (!err)
		mem_buf_destroy(other);
	return err;
}

static int call_heap(void)
{
	struct mem_buf *other;
	int err = mem_buf_alloc_heap(ctx, "system", LEN, &other);

	if (!err)
		mem_buf_destroy(other);
	return err;
}

static int call_share(void)
{
	struct mem_buf *here, *there;
	int fd, err = mem_buf_alloc(ctx, MEM_KIND_COHERENT, LEN, NULL, &here);

	if (err)
		return err;
	err = mem_buf_export(here, &fd);
	if (!err) {
		err = mem_buf_import(ctx, fd, &there);
		close_range(fd, fd, 0);
		if (!err)
			mem_buf_destroy(there);
	}
	mem_buf_destroy(here);
	return err;
}

static int call_job(void)
{
	struct mem_job *job;
	int fd, err = mem_job_fill(buf, 0, LEN, 0, &job);

	if (err)
		return err;
	err = mem_job_fence(job, &fd);
	if (!err)
		err = mem_stream_wait_fence(mem_stream_legacy(ctx), fd);
	if (!err)
		err = mem_job_wait(job, MEM_WAIT_FOREVER, NULL);
	if (!err)
		err = close_range(fd, fd, 0);
	mem_job_destroy(job);
	return err ? err : mem_ctx_sync(ctx);
}

static int call_memory(void)
{
	void *ptr;
	int err = mem_alloc(ctx, MEM_KIND_DEVICE, LEN, 0, &ptr);

	if (err)
		return err;
	err = mem_copy(mem_stream_legacy(ctx), ptr, numbers, 1,
		       MEM_DIR_DEFAULT);
	return err ? err : mem_free(ctx, ptr);
}

static int call_export(void)
{
	void *ptr, *again;
	int fd, err = mem_alloc(ctx, MEM_KIND_DEVICE, LEN, 0, &ptr);

	if (err)
		return err;
	err = mem_ptr_export(ctx, ptr, &fd);
	if (!err) {
		err = mem_ptr_import(ctx, fd, 0, LEN, 0, &again);
		close_range(fd, fd, 0);
		if (!err)
			err = mem_free(ctx, again);
	}
	mem_free(ctx, ptr);
	return err == -EOPNOTSUPP ? 0 : err;
}

static int call_register(void)
{
	int err = mem_register(ctx, registered, 1000, 0);

	if (err)
		return err == -EOPNOTSUPP ? 0 : err;
	return mem_unregister(ctx, registered);
}

static int call_launch(void)
{
	int err = launch_one();

	return err ? err : mem_stream_sync(mem_stream_legacy(ctx));
}

static int call_semaphore(void)
{
	struct mem_stream *stream = mem_stream_legacy(ctx);
	struct mem_semaphore *semaphore;
	int fd = eventfd(0, EFD_CLOEXEC);
	int err = mem_semaphore_import(ctx, fd, &semaphore);

	close_range(fd, fd, 0);
	if (err)
		return err;
	err = mem_stream_signal_semaphore(stream, semaphore);
	if (!err)
		err = mem_stream_wait_semaphore(stream, semaphore);
	mem_semaphore_destroy(semaphore);
	return err ? err : mem_ctx_sync(ctx);
}

static const struct {
	const char *name;
	int (*call)(void);
} calls[] = {
	{ "open", call_open }, { "close", call_close },
	{ "watch", call_watch }, { "touch", call_touch },
	{ "bracket", call_bracket }, { "buf", call_buf },
	{ "heap", call_heap }, { "share", call_share }, { "job", call_job },
	{ "memory", call_memory }, { "export", call_export },
	{ "register", call_register }, { "launch", call_launch },
	{ "semaphore", call_semaphore },
};

static pthread_barrier_t both;
static atomic_int has_returned;

/* Cancelled before it calls: at the first place where that counts. */
static void *run(void *call)
{
	int (*const *const function)(void) = call;
	int cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_barrier_wait(&both);
	pthread_barrier_wait(&both);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancel);
	cancel = (*function)();
	atomic_store(&has_returned, 1);
	pthread_testcancel();
	return (void *)(intptr_t)cancel;
}

static void *watchdog(void *unused)
{
	static const char text[] = "# it hangs\n";

	(void)unused;
	sleep(LIMIT_S);
	if (write(STDOUT_FILENO, text, sizeof(text) - 1) < 0)
		_exit(2);
	_exit(1);
}

static pthread_t dog_start(void)
{
	pthread_t dog;

	assert_int_equal(pthread_create(&dog, NULL, watchdog, NULL), 0);
	return dog;
}

static void dog_stop(pthread_t dog)
{
	pthread_cancel(dog);
	pthread_join(dog, NULL);
}

static void no_call_is_a_cancellation_point(void **state)
{
	const pthread_t dog = dog_start();
	pthread_t thread;
	size_t i, j;
	void *ret;

	(void)state;
	assert_int_equal(pthread_barrier_init(&both, NULL, 2), 0);
	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		print_message("# %s\n", calls[i].name);
		atomic_store(&has_returned, 0);
		assert_int_equal(pthread_create(&thread, NULL, run,
						(void *)&calls[i].call), 0);
		pthread_barrier_wait(&both);
		assert_int_equal(pthread_cancel(thread), 0);
		pthread_barrier_wait(&both);
		assert_int_equal(pthread_join(thread, &ret), 0);
		assert_ptr_equal(ret, PTHREAD_CANCELED);
		assert_true(atomic_load(&has_returned));
		for (j = 0; j < sizeof(calls) / sizeof(calls[0]); j++)
			assert_int_equal(calls[j].call(), 0);
	}
	dog_stop(dog);
}

static void *read_until_cancelled(void *started)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (;;) {
		(void)*map;
		atomic_store((atomic_bool *)started, true);
	}
	return NULL;
}

/*
 * A thread that can be cancelled at any time loses the access to the buffer, so
 * that the library handles a fault of it, and is cancelled.
 */
static void no_access_is_a_cancellation_point(void **state)
{
	const pthread_t dog = dog_start();
	atomic_bool started;
	pthread_t thread;
	void *ret;
	int i;

	(void)state;
	for (i = 0; i < NR_CANCELLED; i++) {
		atomic_store(&started, false);
		assert_int_equal(pthread_create(&thread, NULL,
						read_until_cancelled, &started),
				 0);
		while (!atomic_load(&started))
			sched_yield();
		assert_int_equal(mem_buf_revoke(buf), 0);
		assert_int_equal(pthread_cancel(thread), 0);
		assert_int_equal(pthread_join(thread, &ret), 0);
		assert_ptr_equal(ret, PTHREAD_CANCELED);
		assert_int_equal(mem_buf_revoke(buf), 0);
		(void)*map;
	}
	dog_stop(dog);
}

static int begin(void **state)
{
	void *addr;
	int fd;

	if (open_ctx(state) || mem_ctx_watch(ctx, MEM_WATCH_ERRORS, 16) ||
	    mem_ctx_watch_fd(ctx, &fd) ||
	    mem_buf_alloc(ctx, MEM_KIND_NONCOHERENT, LEN, NULL, &buf) ||
	    mem_buf_map(buf, &addr) ||
	    mem_alloc(ctx, MEM_KIND_PINNED, LEN, 0, (void **)&numbers))
		return -1;
	map = addr;
	registered = calloc(1, 3000);
	return registered ? 0 : -1;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_call_is_a_cancellation_point),
		cmocka_unit_test(no_access_is_a_cancellation_point),
	};

	return cmocka_run_group_tests(tests, begin, close_ctx);
}
