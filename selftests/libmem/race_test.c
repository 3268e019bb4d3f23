// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests mem_check_order(): jobs of two streams that nothing orders are reported
 * if they touch one byte, and others are not; streams of another API; and
 * mem_event_copy(). Runs on the embedded backend.
 */
#include "test.h"

/* Streams, and device memory in which races are looked for */
static struct mem_stream *a, *b;
static uint8_t *memory;

struct args {
	uint8_t *at;
	uint8_t value;
};

static void k_store(const struct mem_block *block, void *arg)
{
	const struct args *args = arg;

	(void)block;
	*args->at = args->value;
}

static void k_load(const struct mem_block *block, void *arg)
{
	const struct args *args = arg;

	(void)block;
	(void)byte_at(args->at);
}

static int open_test(void **state)
{
	struct mem_ctx_options options = {
		.size = sizeof(options),
		.backend = MEM_BACKEND_EMBEDDED,
	};
	void *ptr;

	(void)state;
	assert_int_equal(mem_ctx_open(&options, &ctx), 0);
	assert_int_equal(mem_ctx_watch(ctx, MEM_WATCH_ERRORS, 64), 0);
	a = new_stream();
	b = new_stream();
	assert_int_equal(mem_alloc(ctx, MEM_KIND_DEVICE, LEN, 0, &ptr), 0);
	memory = ptr;
	assert_int_equal(mem_check_order(ctx, memory), 0);
	return 0;
}

static int close_test(void **state)
{
	assert_int_equal(mem_free(ctx, memory), 0);
	assert_int_equal(mem_stream_destroy(a), 0);
	assert_int_equal(mem_stream_destroy(b), 0);
	return close_ctx(state);
}

static bool next(struct mem_violation *v)
{
	*v = (struct mem_violation) { .size = sizeof(*v) };
	return mem_ctx_next_violation(ctx, v) == 1;
}

static void assert_none(void)
{
	struct mem_violation v;

	assert_int_equal(mem_ctx_sync(ctx), 0);
	if (next(&v))
		fail_msg("%s was reported", mem_violation_name(v.kind));
}

/*
 * One race: the later touch is that of @stream. Afterwards all jobs are waited
 * for.
 */
static void assert_race(const struct mem_stream *stream, uint64_t off,
			bool is_write)
{
	struct mem_violation v;

	assert_int_equal(mem_ctx_sync(ctx), 0);
	assert_true(next(&v));
	assert_string_equal(mem_violation_name(v.kind), "race");
	assert_int_equal(v.other, MEM_OTHER_ENGINE);
	assert_int_equal(v.other_stream, mem_stream_id(stream));
	assert_int_equal(v.off, off);
	assert_int_equal(v.is_write, is_write);
	assert_int_equal(v.cpu_tid, getpid());
	assert_none();
}

static void fill(struct mem_stream *stream, uint64_t off, uint64_t len)
{
	assert_int_equal(mem_fill_async(stream, memory + off, 1, len), 0);
}

static void load(struct mem_stream *stream, uint64_t off, uint64_t len)
{
	static uint8_t to[LEN];

	assert_int_equal(mem_copy_async(stream, to, memory + off, len,
					MEM_DIR_DEVICE_TO_HOST), 0);
}

static void launch(struct mem_stream *stream, mem_kernel kernel, uint64_t off)
{
	const struct args args = { memory + off, 1 };
	const struct mem_launch launch = launch_of(kernel, &args, sizeof(args));

	assert_int_equal(mem_launch(stream, &launch), 0);
}

/* Accesses of engines that are threads of the program are not detected. */
static void need_touches_of_kernels(void)
{
	if (engine_pid_of(ctx) == getpid())
		skip_because("kernels run on threads of the program");
}

static struct mem_event *recorded(struct mem_stream *stream)
{
	struct mem_event *event;

	assert_int_equal(mem_event_create(ctx, 0, &event), 0);
	assert_int_equal(mem_event_record(event, stream), 0);
	return event;
}

static struct mem_stream *new_foreign(void)
{
	struct mem_stream *stream;

	assert_int_equal(mem_stream_create(ctx, MEM_STREAM_FOREIGN, 0,
					   &stream), 0);
	return stream;
}

static void set_true(struct mem_stream *stream, int status, void *arg)
{
	atomic_bool *is_true = arg;

	(void)stream;
	(void)status;
	atomic_store(is_true, true);
}

/* Returns when the stream's work has ended, which orders nothing. */
static void let_end(struct mem_stream *stream)
{
	struct mem_event *event = recorded(stream);
	struct mem_stream *foreign = new_foreign();
	atomic_bool has_ended = false;

	assert_int_equal(mem_stream_wait_event(foreign, event), 0);
	assert_int_equal(mem_stream_add_callback(foreign, set_true,
						 &has_ended), 0);
	while (!atomic_load(&has_ended))
		usleep(100);
	mem_event_destroy(event);
	assert_int_equal(mem_stream_destroy(foreign), 0);
}

static void jobs_that_nothing_orders_race(void **state)
{
	(void)state;
	fill(a, 0, 100);
	fill(b, 64, 100);
	assert_race(b, 64, true);
	fill(a, 0, 100);
	let_end(a);
	load(b, 99, 100);
	assert_race(b, 99, false);
	load(a, 0, 100);
	fill(b, 99, 100);
	assert_race(b, 99, true);
}

static void jobs_that_only_read_do_not_race(void **state)
{
	(void)state;
	load(a, 0, 100);
	load(b, 0, 100);
	assert_none();
}

static void jobs_that_touch_different_bytes_do_not_race(void **state)
{
	struct mem_rows rows = {
		.dst = memory, .dst_pitch = 100, .row_len = 50, .nr_rows = 10,
	};

	(void)state;
	fill(a, 2000, 100);
	fill(b, 2100, 100);
	fill(b, 1900, 100);
	assert_none();
	/* Two halves of the rows of an image */
	assert_int_equal(mem_fill_rows_async(a, &rows, 1), 0);
	rows.dst = memory + 50;
	assert_int_equal(mem_fill_rows_async(b, &rows, 2), 0);
	assert_none();
	assert_int_equal(mem_fill_rows_async(b, &rows, 2), 0);
	fill(a, 400, 50);
	fill(a, 349, 2);
	assert_race(a, 349, true);
}

static void a_kernel_races_with_a_copy(void **state)
{
	(void)state;
	need_touches_of_kernels();
	fill(a, 0, 8192);
	let_end(a);
	launch(b, k_store, 5000);
	assert_race(b, 5000, true);
	launch(a, k_load, 5000);
	let_end(a);
	fill(b, 4096, 4096);
	assert_race(b, 4096, true);
	fill(a, 5001, 1000);
	launch(b, k_store, 5000);
	assert_none();
	load(a, 5000, 1000);
	launch(b, k_load, 5000);
	assert_none();
	load(a, 5000, 1000);
	launch(b, k_store, 5000);
	assert_race(b, 5000, true);
}

/*
 * Although the host knows that the copy is done before the kernel begins, of a
 * synchronous copy by its return.
 */
static void a_copy_races_with_a_kernel_that_has_yet_to_begin(void **state)
{
	unsigned int i;

	(void)state;
	need_touches_of_kernels();
	for (i = 0; i < 20; i++) {
		launch(b, k_store, 100);
		fill(a, 0, 200);
		assert_int_equal(mem_stream_sync(a), 0);
		assert_int_equal(mem_ctx_sync(ctx), 0);
	}
	for (i = 0; i < 20; i++) {
		struct mem_violation v;

		/* Races at one place are one violation. */
		if (!next(&v))
			break;
		assert_string_equal(mem_violation_name(v.kind), "race");
	}
	assert_in_range(i, 1, 2);
}

static void a_job_that_is_waited_for_later_races(void **state)
{
	(void)state;
	need_touches_of_kernels();
	fill(a, 0, 100);
	let_end(a);
	launch(b, k_store, 50);
	assert_int_equal(mem_stream_sync(a), 0);
	assert_race(b, 50, true);
}

static void kernels_that_touch_different_bytes_do_not_race(void **state)
{
	(void)state;
	need_touches_of_kernels();
	launch(a, k_store, 100);
	launch(b, k_store, 101);
	fill(a, 102, 100);
	assert_none();
	launch(b, k_store, 100);
	launch(a, k_store, 100);
	assert_race(a, 100, true);
}

static void by_event(void)
{
	struct mem_event *event = recorded(a);

	assert_int_equal(mem_stream_wait_event(b, event), 0);
	mem_event_destroy(event);
}

static void by_two_events(void)
{
	struct mem_event *first = recorded(a), *second;
	struct mem_stream *between = new_stream();

	assert_int_equal(mem_stream_wait_event(between, first), 0);
	second = recorded(between);
	assert_int_equal(mem_stream_destroy(between), 0);
	assert_int_equal(mem_stream_wait_event(b, second), 0);
	mem_event_destroy(first);
	mem_event_destroy(second);
}

static void by_copy_of_event(void)
{
	struct mem_event *event = recorded(a), *copy;

	assert_int_equal(mem_event_create(ctx, 0, &copy), 0);
	assert_int_equal(mem_event_copy(copy, event), 0);
	mem_event_destroy(event);
	assert_int_equal(mem_stream_wait_event(b, copy), 0);
	mem_event_destroy(copy);
}

static void by_stream_sync(void)
{
	assert_int_equal(mem_stream_sync(a), 0);
}

static void by_ctx_sync(void)
{
	assert_int_equal(mem_ctx_sync(ctx), 0);
}

static void by_event_sync(void)
{
	struct mem_event *event = recorded(a);

	assert_int_equal(mem_event_sync(event), 0);
	mem_event_destroy(event);
}

static void by_query(void)
{
	while (mem_stream_query(a) == -EBUSY)
		usleep(1000);
}

static void by_fence(void)
{
	int fd;

	assert_int_equal(mem_stream_fence(a, &fd), 0);
	assert_int_equal(mem_stream_wait_fence(b, fd), 0);
	close(fd);
}

/* As another process would answer */
static void by_fence_and_cpu(void)
{
	struct pollfd fence = { .events = POLLIN };

	assert_int_equal(mem_stream_fence(a, &fence.fd), 0);
	assert_int_equal(poll(&fence, 1, 10000), 1);
	close(fence.fd);
}

static atomic_bool was_called;

static void call(void *arg)
{
	(void)arg;
	atomic_store(&was_called, true);
}

static void by_host_function(void)
{
	atomic_store(&was_called, false);
	assert_int_equal(mem_stream_call(a, call, NULL), 0);
	while (!atomic_load(&was_called))
		usleep(1000);
}

static void (*const ways[])(void) = {
	by_event, by_two_events, by_copy_of_event, by_stream_sync, by_ctx_sync,
	by_event_sync, by_query, by_fence, by_fence_and_cpu, by_host_function,
};

static void jobs_that_are_ordered_do_not_race(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < NR(ways); i++) {
		fill(a, 0, 8192);
		ways[i]();
		fill(b, 0, 100);
		load(b, 0, 8192);
		launch(b, k_store, 5000);
		assert_none();
		launch(a, k_store, 5000);
		ways[i]();
		fill(b, 0, 8192);
		assert_none();
	}
}

static void the_legacy_stream_orders_jobs(void **state)
{
	struct mem_stream *blocking, *legacy = mem_stream_legacy(ctx);

	(void)state;
	assert_int_equal(mem_stream_create(ctx, 0, 0, &blocking), 0);
	fill(blocking, 0, 100);
	fill(legacy, 0, 100);
	fill(blocking, 0, 100);
	assert_none();
	fill(blocking, 0, 100);
	fill(a, 0, 100);
	assert_race(a, 0, true);
	fill(a, 0, 100);
	fill(legacy, 0, 100);
	assert_race(legacy, 0, true);
	assert_int_equal(mem_stream_destroy(blocking), 0);
}

static void wait_for_main(void *arg)
{
	const atomic_bool *may_go = arg;

	while (!atomic_load(may_go))
		usleep(1000);
}

/* The job is submitted first, but held up until the host has waited. */
static void a_job_that_the_host_holds_up_does_not_race(void **state)
{
	atomic_bool may_go = false;

	(void)state;
	assert_int_equal(mem_stream_call(b, wait_for_main, &may_go), 0);
	fill(b, 0, 100);
	fill(a, 0, 100);
	assert_int_equal(mem_stream_sync(a), 0);
	atomic_store(&may_go, true);
	assert_none();
}

/* NVIDIA specifies no wait for it, but it has been done in fact. */
static void a_synchronous_copy_from_pageable_memory_is_done(void **state)
{
	static uint8_t from[100];

	(void)state;
	assert_int_equal(mem_copy(a, memory, from, sizeof(from),
				  MEM_DIR_HOST_TO_DEVICE), 0);
	fill(b, 0, 100);
	assert_none();
	assert_int_equal(mem_copy_async(a, memory, from, sizeof(from),
					MEM_DIR_HOST_TO_DEVICE), 0);
	fill(b, 0, 100);
	assert_race(b, 0, true);
}

static void streams_that_are_gone_do_not_race(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < 100; i++) {
		struct mem_stream *stream = new_stream();

		fill(stream, 0, 100);
		assert_int_equal(mem_stream_sync(stream), 0);
		assert_int_equal(mem_stream_destroy(stream), 0);
	}
	assert_none();
}

static void a_wait_for_all_does_not_order_another_apis_work(void **state)
{
	struct mem_stream *stream = new_foreign();

	(void)state;
	fill(stream, 0, 100);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	fill(a, 0, 100);
	assert_race(a, 0, true);
	fill(stream, 0, 100);
	assert_int_equal(mem_stream_sync(stream), 0);
	fill(a, 0, 100);
	assert_none();
	/* All work of the context includes that of stream a. */
	fill(stream, 0, 100);
	assert_none();
	assert_int_equal(mem_stream_destroy(stream), 0);
}

static void events_order_another_apis_work(void **state)
{
	struct mem_stream *stream = new_foreign();
	struct mem_event *event;
	unsigned int i;

	(void)state;
	for (i = 0; i < 100; i++) {
		fill(stream, 0, 100);
		event = recorded(stream);
		assert_int_equal(mem_ctx_sync(ctx), 0);
		assert_int_equal(mem_stream_wait_event(a, event), 0);
		mem_event_destroy(event);
		fill(a, 0, 100);
		event = recorded(a);
		assert_int_equal(mem_stream_wait_event(stream, event), 0);
		mem_event_destroy(event);
	}
	/* The event stays when the stream is destroyed. */
	fill(stream, 0, 100);
	event = recorded(stream);
	assert_int_equal(mem_stream_destroy(stream), 0);
	assert_int_equal(mem_stream_wait_event(a, event), 0);
	mem_event_destroy(event);
	fill(a, 0, 100);
	assert_none();
}

static void another_apis_work_leaves_managed_memory_to_the_cpu(void **state)
{
	struct mem_stream *stream = new_foreign();
	uint8_t from[LEN] = { 1 };
	void *managed;

	(void)state;
	assert_int_equal(mem_alloc(ctx, MEM_KIND_MANAGED, LEN,
				   MEM_ATTACH_GLOBAL, &managed), 0);
	assert_int_equal(mem_stream_attach(stream, managed, 0,
					   MEM_ATTACH_SINGLE), -EINVAL);
	assert_int_equal(mem_copy_async(stream, memory, from, LEN,
					MEM_DIR_HOST_TO_DEVICE), 0);
	*(uint8_t *)managed = 1;
	assert_none();
	assert_int_equal(byte_at(managed), 1);
	/* It is the calling thread that reads managed memory. */
	assert_int_equal(mem_copy_async(stream, memory, managed, LEN,
					MEM_DIR_HOST_TO_DEVICE), 0);
	*(uint8_t *)managed = 2;
	assert_none();
	assert_int_equal(mem_free(ctx, managed), 0);
	assert_int_equal(mem_stream_destroy(stream), 0);
}

static void only_device_memory_is_checked(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_COHERENT);
	void *managed;

	(void)state;
	assert_int_equal(mem_alloc(ctx, MEM_KIND_MANAGED, LEN,
				   MEM_ATTACH_GLOBAL, &managed), 0);
	assert_int_equal(mem_check_order(ctx, managed), -EINVAL);
	assert_int_equal(mem_check_order(ctx, map_buf(buf)), -EINVAL);
	assert_int_equal(mem_check_order(ctx, &managed), -EINVAL);
	assert_int_equal(mem_check_order(NULL, memory), -EINVAL);
	/* A second call changes nothing. */
	fill(a, 0, 100);
	assert_int_equal(mem_check_order(ctx, memory + 5), 0);
	fill(b, 0, 100);
	assert_race(b, 0, true);
	assert_int_equal(mem_free(ctx, managed), 0);
	mem_buf_destroy(buf);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_test, close_test)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(jobs_that_nothing_orders_race),
		TEST(jobs_that_only_read_do_not_race),
		TEST(jobs_that_touch_different_bytes_do_not_race),
		TEST(a_kernel_races_with_a_copy),
		TEST(a_copy_races_with_a_kernel_that_has_yet_to_begin),
		TEST(a_job_that_is_waited_for_later_races),
		TEST(kernels_that_touch_different_bytes_do_not_race),
		TEST(jobs_that_are_ordered_do_not_race),
		TEST(the_legacy_stream_orders_jobs),
		TEST(a_job_that_the_host_holds_up_does_not_race),
		TEST(a_synchronous_copy_from_pageable_memory_is_done),
		TEST(streams_that_are_gone_do_not_race),
		TEST(a_wait_for_all_does_not_order_another_apis_work),
		TEST(events_order_another_apis_work),
		TEST(another_apis_work_leaves_managed_memory_to_the_cpu),
		TEST(only_device_memory_is_checked),
	};

	return cmocka_run_group_tests_name("race", tests, NULL, NULL);
}
