// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests gates of buffers (libmem/gate.h): which accesses are reported, and that
 * all bytes are those of the board. Runs on the embedded backend, with
 * libmem.a.
 */
#include <fcntl.h>
#include <sys/uio.h>

#include "test.h"

#include "../../libmem/internal.h"

struct args {
	uint8_t *at;
	uint8_t value;
};

static void k_store(const struct mem_block *block, void *arg)
{
	struct args *args = arg;

	(void)block;
	*args->at = args->value;
}

/* A kernel like those of libmem's image jobs */
GATE_KERNEL static void k_own_store(const struct mem_block *block, void *arg)
{
	k_store(block, arg);
}

/* Opens a context for each test, which watches. */
static struct mem_ctx *open_watching(unsigned int policy)
{
	struct mem_ctx_options options = {
		.size = sizeof(options),
		.backend = MEM_BACKEND_EMBEDDED,
		.policy = policy,
	};
	struct mem_ctx *new;

	assert_int_equal(mem_ctx_open(&options, &new), 0);
	assert_int_equal(mem_ctx_watch(new, MEM_WATCH_ERRORS, 64), 0);
	return new;
}

static int open_test(void **state)
{
	(void)state;
	ctx = open_watching(MEM_POLICY_STRICT);
	return 0;
}

static const enum mem_kind kinds[] = {
	MEM_KIND_COHERENT, MEM_KIND_NONCOHERENT, MEM_KIND_UNCACHED,
};

#define NR_KINDS	(sizeof(kinds) / sizeof(kinds[0]))

static bool next(struct mem_violation *v)
{
	*v = (struct mem_violation) { .size = sizeof(*v) };
	return mem_ctx_next_violation(ctx, v) == 1;
}

static void assert_none(void)
{
	struct mem_violation v;

	if (next(&v))
		fail_msg("%s was reported", mem_violation_name(v.kind));
}

static void assert_one(uint32_t kind, uint64_t off, bool is_write)
{
	struct mem_violation v;

	assert_true(next(&v));
	assert_string_equal(mem_violation_name(v.kind),
			    mem_violation_name(kind));
	assert_int_equal(v.off, off);
	assert_int_equal(v.is_write, is_write);
	assert_none();
}

static void launch(mem_kernel kernel, uint8_t *at, uint8_t value)
{
	const struct args args = { at, value };
	const struct mem_launch launch = launch_of(kernel, &args, sizeof(args));

	assert_int_equal(mem_launch(mem_stream_legacy(ctx), &launch), 0);
	assert_int_equal(mem_ctx_sync(ctx), 0);
}

static void store(uint8_t *at, uint8_t value)
{
	__atomic_store_n(at, value, __ATOMIC_RELAXED);
}

static void a_touch_of_a_closed_buffer_is_reported_once(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < NR_KINDS; i++) {
		struct mem_buf *buf = new_buf(kinds[i]);
		uint8_t *p = map_buf(buf);

		store(p, 7);
		gate_set(buf, GATE_CLOSED);
		assert_none();
		assert_int_equal(byte_at(p), 7);
		assert_one(MEM_VIOLATION_UNLOCKED_ACCESS, 0, false);
		assert_int_equal(byte_at(p), 7);
		assert_none();
		gate_set(buf, GATE_CLOSED);
		store(p + 100, 8);
		assert_one(MEM_VIOLATION_UNLOCKED_ACCESS, 100, true);
		assert_int_equal(byte_at(p + 100), 8);
		mem_buf_destroy(buf);
	}
}

static void a_gate_for_reading_reports_stores_alone(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < NR_KINDS; i++) {
		struct mem_buf *buf = new_buf(kinds[i]);
		uint8_t *p = map_buf(buf);

		gate_set(buf, GATE_CPU_READ);
		assert_int_equal(byte_at(p + 5), 0);
		assert_none();
		store(p + 64, 9);
		assert_one(MEM_VIOLATION_UNLOCKED_ACCESS, 64, true);
		assert_int_equal(byte_at(p + 64), 9);
		mem_buf_destroy(buf);
	}
}

static void gates_that_are_open_to_the_cpu_report_nothing(void **state)
{
	static const enum gate gates[] = {
		GATE_CPU_WRITE, GATE_NONE,
	};
	size_t i, j;

	(void)state;
	for (i = 0; i < NR_KINDS; i++) {
		struct mem_buf *buf = new_buf(kinds[i]);
		uint8_t *p = map_buf(buf);

		for (j = 0; j < sizeof(gates) / sizeof(gates[0]); j++) {
			gate_set(buf, GATE_CLOSED);
			gate_set(buf, gates[j]);
			store(p + j, (uint8_t)(j + 1));
			assert_int_equal(byte_at(p + j), j + 1);
		}
		assert_none();
		mem_buf_destroy(buf);
	}
}

static void a_buffer_that_is_mapped_while_closed_is_closed(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < NR_KINDS; i++) {
		struct mem_buf *buf = new_buf(kinds[i]);
		uint8_t *p;

		gate_set(buf, GATE_CLOSED);
		p = map_buf(buf);
		assert_int_equal(byte_at(p + 3), 0);
		assert_one(MEM_VIOLATION_UNLOCKED_ACCESS, 3, false);
		mem_buf_destroy(buf);
	}
}

/* Accesses of engines that are threads of the program are not detected. */
static bool kernels_are_seen(void)
{
	return engine_pid_of(ctx) != getpid();
}

static void kernels_are_reported_by_what_the_gate_is(void **state)
{
	static const struct {
		enum gate gate;
		uint32_t kind;
	} cases[] = {
		{ GATE_CLOSED, MEM_VIOLATION_UNLOCKED_ACCESS },
		{ GATE_CPU_READ, MEM_VIOLATION_ENGINE_WHILE_LOCKED },
		{ GATE_CPU_WRITE, MEM_VIOLATION_ENGINE_WHILE_LOCKED },
	};
	size_t i, j;

	(void)state;
	if (!kernels_are_seen())
		skip_because("kernels run on threads of the program");
	for (i = 0; i < NR_KINDS; i++) {
		struct mem_buf *buf = new_buf(kinds[i]);
		uint8_t *p = map_buf(buf);

		for (j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
			gate_set(buf, cases[j].gate);
			/* The second job must ask for access again. */
			launch(k_store, p + 64 * j, 1);
			assert_one(cases[j].kind, 64 * j, true);
			launch(k_store, p + 64 * j, 2);
			assert_one(cases[j].kind, 64 * j, true);
		}
		gate_set(buf, GATE_DEVICE_WRITE);
		launch(k_store, p + 1000, 3);
		gate_set(buf, GATE_NONE);
		launch(k_store, p + 1002, 5);
		assert_none();
		mem_buf_destroy(buf);
	}
}

static void k_load(const struct mem_block *block, void *arg)
{
	const struct args *args = arg;

	(void)block;
	(void)*(const volatile uint8_t *)args->at;
}

static void a_lock_of_engines_for_reading_reports_their_stores(void **state)
{
	size_t i;

	(void)state;
	if (!kernels_are_seen())
		skip_because("kernels run on threads of the program");
	for (i = 0; i < NR_KINDS; i++) {
		struct mem_buf *buf = new_buf(kinds[i]);
		uint8_t *p = map_buf(buf);

		gate_set(buf, GATE_DEVICE_READ);
		launch(k_load, p, 0);
		assert_none();
		launch(k_store, p + 64, 1);
		assert_one(MEM_VIOLATION_UNLOCKED_ACCESS, 64, true);
		mem_buf_destroy(buf);
	}
}

static void a_copy_into_what_is_locked_for_reading_is_reported(void **state)
{
	struct mem_stream *stream = mem_stream_legacy(ctx);
	size_t i;

	(void)state;
	for (i = 0; i < NR_KINDS; i++) {
		struct mem_buf *buf = new_buf(kinds[i]);
		struct mem_buf *from = new_buf(kinds[i]);
		uint8_t *p = map_buf(buf), *q = map_buf(from);

		gate_set(buf, GATE_DEVICE_READ);
		assert_int_equal(mem_copy_async(stream, q, p, 64,
						MEM_DIR_DEVICE_TO_DEVICE), 0);
		assert_int_equal(mem_ctx_sync(ctx), 0);
		assert_none();
		assert_int_equal(mem_copy_async(stream, p + 3, q, 64,
						MEM_DIR_DEVICE_TO_DEVICE), 0);
		assert_int_equal(mem_ctx_sync(ctx), 0);
		assert_one(MEM_VIOLATION_UNLOCKED_ACCESS, 3, true);
		gate_set(buf, GATE_DEVICE_WRITE);
		assert_int_equal(mem_copy_async(stream, p + 3, q, 64,
						MEM_DIR_DEVICE_TO_DEVICE), 0);
		assert_int_equal(mem_ctx_sync(ctx), 0);
		assert_none();
		mem_buf_destroy(from);
		mem_buf_destroy(buf);
	}
}

static void two_locks_for_reading_allow_no_store(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < NR_KINDS; i++) {
		struct mem_buf *buf = new_buf(kinds[i]);
		uint8_t *p = map_buf(buf);

		gate_set(buf, GATE_CPU_READ & GATE_DEVICE_READ);
		assert_int_equal(byte_at(p), 0);
		launch(k_load, p, 0);
		assert_none();
		store(p + 5, 1);
		assert_one(MEM_VIOLATION_UNLOCKED_ACCESS, 5, true);
		if (kernels_are_seen()) {
			launch(k_store, p + 512, 1);
			assert_one(MEM_VIOLATION_UNLOCKED_ACCESS, 512, true);
		}
		mem_buf_destroy(buf);
	}
}

/* Frames of a pipe whose producer has another context, unless it is shared */
static void hold_frames(struct mem_buf *buf, int by, bool is_shared)
{
	const struct gate_change change = {
		.is_shared = is_shared,
		.by = by,
		.note = gate_note_here(),
		.nr = 1,
		.bufs = { buf },
	};

	gate_change(&change);
}

static void a_held_frame_may_be_read(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < NR_KINDS; i++) {
		struct mem_buf *buf = new_buf(kinds[i]);
		uint8_t *p = map_buf(buf);

		hold_frames(buf, 1, false);
		hold_frames(buf, 1, false);
		hold_frames(buf, -1, false);
		assert_int_equal(byte_at(p), 0);
		launch(k_load, p, 0);
		assert_none();
		if (kernels_are_seen()) {
			/* This job reads the page first. */
			launch(k_load, p, 0);
			launch(k_store, p + 64, 1);
			assert_one(MEM_VIOLATION_FRAME_WRITTEN_BY_CONSUMER, 64,
				   true);
		}
		store(p + 128, 2);
		assert_one(MEM_VIOLATION_FRAME_WRITTEN_BY_CONSUMER, 128, true);
		hold_frames(buf, -1, false);
		assert_int_equal(byte_at(p + 128), 2);
		assert_one(MEM_VIOLATION_FRAME_USED_AFTER_RELEASE, 128, false);
		if (kernels_are_seen()) {
			launch(k_load, p, 0);
			assert_one(MEM_VIOLATION_FRAME_USED_AFTER_RELEASE, 0,
				   false);
		}
		hold_frames(buf, 1, false);
		assert_int_equal(byte_at(p + 128), 2);
		launch(k_load, p, 0);
		assert_none();
		mem_buf_destroy(buf);
	}
}

static void a_frame_of_one_context_is_the_producers_after_it(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_UNCACHED);
	uint8_t *p = map_buf(buf);

	(void)state;
	hold_frames(buf, 1, true);
	store(p + 5, 1);
	assert_one(MEM_VIOLATION_FRAME_WRITTEN_BY_CONSUMER, 5, true);
	hold_frames(buf, -1, true);
	store(p + 6, 2);
	launch(k_store, p, 1);
	launch(k_load, p, 1);
	/* A release may come before the acquire, in another stream. */
	hold_frames(buf, -1, true);
	store(p + 7, 3);
	hold_frames(buf, 1, true);
	store(p + 8, 4);
	assert_none();
	/* After a disconnection, changes that were made before do nothing. */
	hold_frames(buf, 1, true);
	gate_end_shared(&(struct gate_change) { .nr = 1, .bufs = { buf } });
	hold_frames(buf, -1, true);
	hold_frames(buf, 1, true);
	store(p + 9, 5);
	assert_none();
	mem_buf_destroy(buf);
}

/* The CPU cannot access it at all, so only engines matter. */
static void a_frame_of_device_memory_is_checked(void **state)
{
	struct mem_buf *buf;
	void *p;

	(void)state;
	if (!kernels_are_seen())
		skip_because("kernels run on threads of the program");
	assert_int_equal(mem_alloc(ctx, MEM_KIND_DEVICE, LEN, 0, &p), 0);
	buf = ctx->backend->find(ctx, p);
	assert_non_null(buf);
	hold_frames(buf, 1, true);
	hold_frames(buf, -1, true);
	launch(k_store, p, 1);
	hold_frames(buf, 1, false);
	launch(k_load, p, 0);
	assert_none();
	launch(k_store, p, 2);
	assert_one(MEM_VIOLATION_FRAME_WRITTEN_BY_CONSUMER, 0, true);
	assert_int_equal(mem_fill_async(mem_stream_legacy(ctx), p, 3, 64), 0);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	assert_one(MEM_VIOLATION_FRAME_WRITTEN_BY_CONSUMER, 0, true);
	hold_frames(buf, -1, false);
	launch(k_load, p, 0);
	assert_one(MEM_VIOLATION_FRAME_USED_AFTER_RELEASE, 0, false);
	/* A consumer that passes the frame on in its own context */
	hold_frames(buf, 1, false);
	hold_frames(buf, -1, true);
	launch(k_load, p, 0);
	hold_frames(buf, 1, true);
	launch(k_load, p, 0);
	assert_none();
	ctx->backend->put(buf);
	assert_int_equal(mem_free(ctx, p), 0);
}

static void what_libmem_does_itself_is_not_reported(void **state)
{
	size_t i;

	(void)state;
	assert_true(gate_has_kernel(k_own_store));
	assert_false(gate_has_kernel(k_store));
	for (i = 0; i < NR_KINDS; i++) {
		struct mem_buf *buf = new_buf(kinds[i]);
		uint8_t *p = map_buf(buf);

		gate_set(buf, GATE_CLOSED);
		launch(k_own_store, p, 1);
		gate_own_begin();
		store(p + 4096, 2);
		gate_own_end();
		assert_none();
		gate_set(buf, GATE_CLOSED);
		store(p + 4096, 3);
		assert_one(MEM_VIOLATION_UNLOCKED_ACCESS, 4096, true);
		mem_buf_destroy(buf);
	}
}

/* A gate only reports, and changes no byte of the views. */
static void a_gate_changes_no_line(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	uint8_t *p = map_buf(buf);
	struct mem_job *job;

	(void)state;
	store(p, 1);
	gate_set(buf, GATE_CLOSED);
	gate_set(buf, GATE_CPU_WRITE);
	/* The store is still in the CPU's cache. */
	assert_int_not_equal(sum_of(buf), fnv1a(p, LEN));
	assert_one(MEM_VIOLATION_MISSING_CLEAN, 0, true);
	assert_int_equal(mem_buf_end(buf, MEM_WRITE), 0);
	assert_one(MEM_VIOLATION_UNMATCHED_END, 0, true);
	assert_int_equal(mem_job_fill(buf, 0, 64, 0x05050505, &job), 0);
	finish_job(job);
	gate_set(buf, GATE_CLOSED);
	gate_set(buf, GATE_CPU_READ);
	assert_int_equal(byte_at(p), 1);
	assert_one(MEM_VIOLATION_STALE_READ, 0, false);
	mem_buf_destroy(buf);
}

static void a_system_call_touches_as_the_program_does(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < NR_KINDS; i++) {
		struct mem_buf *buf = new_buf(kinds[i]);
		uint8_t *p = map_buf(buf);
		uint8_t byte = 0;
		int fds[2];

		assert_int_equal(pipe(fds), 0);
		store(p, 42);
		gate_set(buf, GATE_CPU_READ);
		assert_int_equal(write(fds[1], p, 1), 1);
		assert_none();
		gate_set(buf, GATE_CLOSED);
		assert_int_equal(write(fds[1], p + 2, 1), 1);
		assert_one(MEM_VIOLATION_UNLOCKED_ACCESS, 2, false);
		assert_int_equal(read(fds[0], &byte, 1), 1);
		assert_int_equal(byte, 42);
		assert_int_equal(read(fds[0], p + 3, 1), 1);
		assert_one(MEM_VIOLATION_UNLOCKED_ACCESS, 3, true);
		gate_set(buf, GATE_CPU_READ);
		assert_int_equal(write(fds[1], p, 1), 1);
		assert_int_equal(read(fds[0], p + 4, 100), 1);
		assert_one(MEM_VIOLATION_UNLOCKED_ACCESS, 4, true);
		assert_int_equal(byte_at(p + 4), 42);
		gate_set(buf, GATE_CPU_WRITE);
		assert_int_equal(write(fds[1], p, 1), 1);
		assert_int_equal(read(fds[0], p + 5, 1), 1);
		assert_none();
		close(fds[0]);
		close(fds[1]);
		mem_buf_destroy(buf);
	}
}

/* What a call could have stored, but did not, is no access. */
static void a_call_that_is_cut_short_stores_no_more(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < NR_KINDS; i++) {
		struct mem_buf *open = new_buf(kinds[i]);
		struct mem_buf *closed = new_buf(kinds[i]);
		struct iovec areas[2] = {
			{ map_buf(open), 100 }, { map_buf(closed), 100 },
		};
		int fds[2];

		assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
		gate_set(open, GATE_CPU_WRITE);
		gate_set(closed, GATE_CLOSED);
		assert_int_equal(read(fds[0], areas[1].iov_base, 100), -1);
		assert_int_equal(write(fds[1], "short", 5), 5);
		assert_int_equal(readv(fds[0], areas, 2), 5);
		assert_none();
		store(areas[1].iov_base, 1);
		assert_one(MEM_VIOLATION_UNLOCKED_ACCESS, 0, true);
		close(fds[0]);
		close(fds[1]);
		mem_buf_destroy(open);
		mem_buf_destroy(closed);
	}
}

static void with_policy_off_there_are_no_gates(void **state)
{
	struct mem_buf *buf;
	uint8_t *p;

	(void)state;
	mem_ctx_close(ctx);
	ctx = open_watching(MEM_POLICY_OFF);
	buf = new_buf(MEM_KIND_COHERENT);
	p = map_buf(buf);
	gate_set(buf, GATE_CLOSED);
	store(p, 1);
	assert_int_equal(byte_at(p), 1);
	assert_none();
	mem_buf_destroy(buf);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_test, close_ctx)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_touch_of_a_closed_buffer_is_reported_once),
		TEST(a_gate_for_reading_reports_stores_alone),
		TEST(gates_that_are_open_to_the_cpu_report_nothing),
		TEST(a_buffer_that_is_mapped_while_closed_is_closed),
		TEST(kernels_are_reported_by_what_the_gate_is),
		TEST(a_lock_of_engines_for_reading_reports_their_stores),
		TEST(a_copy_into_what_is_locked_for_reading_is_reported),
		TEST(two_locks_for_reading_allow_no_store),
		TEST(a_held_frame_may_be_read),
		TEST(a_frame_of_one_context_is_the_producers_after_it),
		TEST(a_frame_of_device_memory_is_checked),
		TEST(what_libmem_does_itself_is_not_reported),
		TEST(a_gate_changes_no_line),
		TEST(a_system_call_touches_as_the_program_does),
		TEST(a_call_that_is_cut_short_stores_no_more),
		TEST(with_policy_off_there_are_no_gates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
