// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that a buffer stays usable while the embedded backend moves it to a
 * file of its own, which happens at the first export.
 */
#include "export.h"

#include <pthread.h>
#include <sys/eventfd.h>

#define NR_THREADS	4
#define NR_BUFS		200

static void two_views_become_one(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT), *other;
	uint32_t *words = words_of(buf);
	struct mem_range range = {
		.buf = buf,
		.op = MEM_MAINT_CLEAN_INVALIDATE,
		.len = LEN,
	};
	int fd;

	(void)state;
	if (!has_two_views(buf))
		skip_because("the process has no second view");
	/* There are stores without a bracket, and in one that is open. */
	set_all(words, 11);
	assert_int_equal(mem_buf_begin(buf, MEM_RW), 0);
	words[1] = 12;
	fd = export_of(buf, MEM_RW);
	other = import_of(fd);
	close(fd);
	assert_false(has_two_views(buf));
	assert_int_equal(words_of(other)[1], 12);
	words_of(other)[1] = 11;
	all_are(words, 11);
	assert_int_equal(mem_buf_end(buf, MEM_RW), 0);
	words[2] = 9;
	engines_add(other, 1);
	assert_int_equal(words[2], 10);
	assert_int_equal(mem_buf_maintain(ctx, &range, 1, NULL), 0);
	assert_int_equal(mem_buf_revoke(buf), 0);
	assert_int_equal(mem_buf_begin_range(buf, 0, 64, MEM_RW), 0);
	assert_int_equal(mem_buf_end_range(buf, 0, 64, MEM_RW), 0);
	assert_ptr_equal(words_of(buf), words);
	mem_buf_destroy(other);
	mem_buf_destroy(buf);
	nothing_found();
}

static void an_export_finds_what_was_wrong_before(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	uint32_t *words = words_of(buf);

	(void)state;
	if (!has_two_views(buf))
		skip_because("the process has no second view");
	words[0] = 1;
	fill_buf(buf, 2);
	assert_int_equal(found(MEM_VIOLATION_WRITE_CONFLICT), 1);
	close(export_of(buf, MEM_RW));
	assert_int_equal(found(MEM_VIOLATION_LOST_DEVICE_WRITE), 1);
	assert_int_equal(words[0], 1);
	assert_int_equal(words[N - 1], 2);
	mem_buf_destroy(buf);
}

/* The address range of the moved buffer can be used again. */
static void a_place_has_two_views_again(void **state)
{
	const size_t nr_fds = nr_of_process("fd");
	size_t i, nr_maps = 0;
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	const bool has_two = has_two_views(buf);
	uint32_t *words;

	(void)state;
	mem_buf_destroy(buf);
	if (!has_two)
		skip_because("the process has no second view");
	for (i = 0; i < NR_BUFS; i++) {
		buf = new_buf(MEM_KIND_NONCOHERENT);
		words = words_of(buf);
		assert_true(has_two_views(buf));
		all_are(words, 0);
		set_all(words, 5);
		close(export_of(buf, i % 3 ? MEM_RW : MEM_READ));
		set_all(words, 6);
		engines_add(buf, 1);
		all_are(words, 7);
		if (i == 9)
			nr_maps = nr_mappings();
		mem_buf_destroy(buf);
	}
	buf = new_buf(MEM_KIND_NONCOHERENT);
	words = words_of(buf);
	words[0] = 3;
	/* The CPU has its own view, so DRAM is unchanged. */
	assert_int_not_equal(sum_of(buf), fnv1a((uint8_t *)words, LEN));
	assert_int_equal(found(MEM_VIOLATION_MISSING_CLEAN), 1);
	mem_buf_destroy(buf);
	assert_true(nr_mappings() <= nr_maps + 4);
	assert_int_equal(nr_of_process("fd"), nr_fds);
}

/* Threads that use a buffer while it moves */

struct busy {
	uint32_t *words;
	unsigned int index;
	atomic_bool *is_over;
	uint32_t nr;
	int err;
};

static void *count_up(void *arg)
{
	struct busy *busy = arg;
	volatile uint32_t *word = &busy->words[busy->index];

	while (!atomic_load(busy->is_over)) {
		*word = *word + 1;
		busy->nr++;
	}
	return NULL;
}

/* System calls must not fail with EFAULT during the move. */
static void *read_zeros(void *arg)
{
	const int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct busy *busy = arg;
	uint8_t *at = (uint8_t *)&busy->words[busy->index];

	while (!atomic_load(busy->is_over) && !busy->err) {
		if (read(zero, at, 8192) != 8192 ||
		    write(null, at, 8192) != 8192)
			busy->err = errno;
		busy->nr++;
	}
	close(zero);
	close(null);
	return NULL;
}

static void move_under(void *(*what)(void *), enum mem_kind kind)
{
	struct busy busy[NR_THREADS];
	pthread_t threads[NR_THREADS];
	atomic_bool is_over = false;
	struct mem_buf *buf;
	uint32_t *words;
	unsigned int i;

	buf = new_buf(kind);
	words = words_of(buf);
	for (i = 0; i < NR_THREADS; i++) {
		busy[i] = (struct busy) {
			.words = words,
			.index = i * 2048,
			.is_over = &is_over,
		};
		assert_int_equal(pthread_create(&threads[i], NULL, what,
						&busy[i]), 0);
	}
	usleep(1000);
	close(export_of(buf, MEM_RW));
	usleep(1000);
	atomic_store(&is_over, true);
	for (i = 0; i < NR_THREADS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(busy[i].err, 0);
		if (what == count_up)
			assert_int_equal(words[i * 2048], busy[i].nr);
	}
	assert_false(has_two_views(buf));
	mem_buf_destroy(buf);
	nothing_found();
}

static void threads_store_while_it_moves(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < 40; i++)
		move_under(count_up, kinds[i % 2]);
}

static void system_calls_store_while_it_moves(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < 40; i++)
		move_under(read_zeros, kinds[i % 2]);
}

struct mover {
	struct mem_buf *buf;
	int err;
};

static void *export_aside(void *arg)
{
	struct mover *mover = arg;
	int fd;

	mover->err = mem_buf_export(mover->buf, &fd);
	if (!mover->err)
		close(fd);
	return NULL;
}

/* A kernel that has accessed a buffer keeps access until it ends. */
static void k_store_late(const struct mem_block *block, void *arg)
{
	const struct args *args = arg;
	uint32_t i;

	(void)block;
	args->to[0] = 1;
	while (!__atomic_load_n(args->from, __ATOMIC_ACQUIRE))
		;
	for (i = 0; i < args->nr; i++)
		args->to[i] = args->value;
}

static void an_export_waits_for_a_kernel_that_has_it(void **state)
{
	uint32_t *word = memory(MEM_KIND_PINNED);
	struct args args = { .from = word, .nr = N, .value = 77 };
	struct mover mover;
	pthread_t thread;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		*word = 0;
		mover.buf = new_buf(kinds[i]);
		args.to = device_of(mover.buf);
		start(stream, k_store_late, &args, sizeof(args));
		usleep(20000);
		assert_int_equal(pthread_create(&thread, NULL, export_aside,
						&mover), 0);
		usleep(20000);
		__atomic_store_n(word, 1, __ATOMIC_RELEASE);
		sync_stream();
		pthread_join(thread, NULL);
		assert_int_equal(mover.err, 0);
		holds(mover.buf, 77);
		engines_add(mover.buf, 1);
		holds(mover.buf, 78);
		mem_buf_destroy(mover.buf);
	}
	release(word);
	nothing_found();
}

/* Other running kernels and queued work may depend on the exporter. */
static void an_export_waits_for_nothing_else(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	struct gate gate = hold_up(stream);
	const int event = eventfd(0, EFD_CLOEXEC);
	struct mem_semaphore *semaphore;
	uint32_t *device = device_of(buf);
	struct mem_stream *other;

	(void)state;
	assert_int_equal(mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING, 0,
					   &other), 0);
	assert_int_equal(mem_semaphore_import(ctx, event, &semaphore), 0);
	assert_int_equal(mem_stream_wait_semaphore(other, semaphore), 0);
	start_add(other, device, device, 1);
	start_add(stream, device, device, 2);
	store(buf, 10);
	close(export_of(buf, MEM_RW));
	assert_int_equal(eventfd_write(event, 1), 0);
	let_go(gate);
	sync_stream();
	assert_int_equal(mem_stream_sync(other), 0);
	holds(buf, 13);
	mem_semaphore_destroy(semaphore);
	mem_stream_destroy(other);
	close(event);
	release(gate.word);
	mem_buf_destroy(buf);
	nothing_found();
}

static void a_job_goes_on_while_it_moves(void **state)
{
	struct mem_job *jobs[8], *slow;
	struct mem_buf *buf, *src;
	size_t i, k;

	(void)state;
	for (k = 0; k < 8; k++) {
		buf = new_buf(kinds[k % 2]);
		src = new_buf(kinds[k / 2 % 2]);
		fill_buf(src, 0x11111111);
		slow = start_slow(src, k * NS_PER_MS);
		for (i = 0; i < 8; i++)
			assert_int_equal(i % 2 ?
				mem_job_copy(buf, 0, src, 0, LEN, &jobs[i]) :
				mem_job_fill(buf, 0, LEN, 0x22222222,
					     &jobs[i]), 0);
		if (k % 3)
			close(export_of(src, MEM_RW));
		close(export_of(buf, MEM_RW));
		finish_job(slow);
		for (i = 0; i < 8; i++)
			finish_job(jobs[i]);
		holds(buf, 0x11111111);
		mem_buf_destroy(buf);
		mem_buf_destroy(src);
	}
	nothing_found();
}

static void copies_go_on_while_it_moves(void **state)
{
	struct mem_buf *buf;
	uint32_t *device, *from = memory(MEM_KIND_DEVICE);
	size_t i, k;

	(void)state;
	assert_int_equal(mem_fill(stream, from, 3, LEN), 0);
	for (k = 0; k < 20; k++) {
		buf = new_buf(kinds[k % 2]);
		device = device_of(buf);
		for (i = 0; i < 20; i++)
			assert_int_equal(mem_copy_async(stream, device, from,
							LEN,
							MEM_DIR_DEFAULT), 0);
		close(export_of(buf, MEM_RW));
		sync_stream();
		holds(buf, 0x03030303);
		mem_buf_destroy(buf);
	}
	release(from);
	nothing_found();
}

static void *export_many(void *arg)
{
	const atomic_bool *is_over = arg;

	while (!atomic_load(is_over)) {
		struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);

		close(export_of(buf, MEM_RW));
		mem_buf_destroy(buf);
	}
	return NULL;
}

/* An engine that knew a moved buffer is replaced for the next kernel. */
static void engines_start_while_others_move(void **state)
{
	atomic_bool is_over = false;
	struct mem_buf *buf;
	pthread_t thread;
	size_t i;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, export_many, &is_over),
			 0);
	for (i = 0; i < 60; i++) {
		buf = new_buf(MEM_KIND_COHERENT);
		engines_add(buf, 1);
		close(export_of(buf, MEM_RW));
		engines_add(buf, 1);
		holds(buf, 2);
		mem_buf_destroy(buf);
	}
	atomic_store(&is_over, true);
	pthread_join(thread, NULL);
	nothing_found();
}

static void first_exports_meet(void **state)
{
	struct mover movers[NR_THREADS];
	pthread_t threads[NR_THREADS];
	const size_t nr_fds = nr_of_process("fd");
	struct mem_buf *buf;
	size_t i, k;

	(void)state;
	for (k = 0; k < 20; k++) {
		buf = new_buf(MEM_KIND_NONCOHERENT);
		store(buf, 5);
		for (i = 0; i < NR_THREADS; i++) {
			movers[i].buf = buf;
			assert_int_equal(pthread_create(&threads[i], NULL,
							export_aside,
							&movers[i]), 0);
		}
		for (i = 0; i < NR_THREADS; i++) {
			pthread_join(threads[i], NULL);
			assert_int_equal(movers[i].err, 0);
		}
		holds(buf, 5);
		mem_buf_destroy(buf);
	}
	assert_int_equal(nr_of_process("fd"), nr_fds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_views_become_one),
		cmocka_unit_test(an_export_finds_what_was_wrong_before),
		cmocka_unit_test(a_place_has_two_views_again),
		cmocka_unit_test(threads_store_while_it_moves),
		cmocka_unit_test(system_calls_store_while_it_moves),
		cmocka_unit_test(an_export_waits_for_a_kernel_that_has_it),
		cmocka_unit_test(an_export_waits_for_nothing_else),
		cmocka_unit_test(a_job_goes_on_while_it_moves),
		cmocka_unit_test(copies_go_on_while_it_moves),
		cmocka_unit_test(engines_start_while_others_move),
		cmocka_unit_test(first_exports_meet),
	};

	return cmocka_run_group_tests(tests, open_strict, close_all);
}
