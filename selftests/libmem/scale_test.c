// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests large numbers of streams, allocations, threads and contexts. SCALE=
 * divides the numbers, except that of threads, for slow machines.
 */
#include "test.h"

#include <pthread.h>

#define NR_STREAMS	1000U
#define NR_ALLOCS	100000U
#define NR_LOOKUPS	100000U
#define NR_THREADS	64U
#define NR_CONTEXTS	10000U

#define NR_LAUNCHES	4U	/* for each stream */
#define NR_TURNS	8U	/* for each thread */
#define KERNEL_EACH	100U	/* contexts, since starting an engine is slow */
#define SMALL_LEN	100U
#define THREAD_LEN	10000U

/*
 * A lookup among 100 times as many allocations may take at most 20 times as
 * long. A search through all of them would take about 100 times as long.
 */
#define MORE		100U
#define MAX_RATIO	20U

static uint64_t random_state = 1;

static uint32_t any(uint32_t end)
{
	random_state = random_state * 6364136223846793005ULL + 1;
	return (uint32_t)(random_state >> 33) % end;
}

static void *alloc(struct mem_ctx *of, enum mem_kind kind, uint64_t len)
{
	void *ptr;

	assert_int_equal(mem_alloc(of, kind, len, kind == MEM_KIND_MANAGED ?
				   MEM_ATTACH_HOST : 0, &ptr), 0);
	return ptr;
}

static int start(struct mem_stream *stream, mem_kernel kernel, uint32_t *word)
{
	const struct mem_launch launch = launch_of(kernel, &word, sizeof(word));

	return mem_launch(stream, &launch);
}

static void k_count(const struct mem_block *block, void *arg)
{
	(void)block;
	++**(uint32_t **)arg;
}

/* Each stream counts in its own word, and the next one waits for it. */
static void a_thousand_streams_work(void **state)
{
	const unsigned int nr = scaled(NR_STREAMS);
	struct mem_stream **streams = calloc(nr, sizeof(*streams));
	uint32_t *words = alloc(ctx, MEM_KIND_PINNED, nr * sizeof(*words));
	struct mem_event *event;
	unsigned int i, j;

	(void)state;
	assert_non_null(streams);
	assert_int_equal(mem_event_create(ctx, 0, &event), 0);
	for (i = 0; i < nr; i++)
		assert_int_equal(mem_stream_create(ctx, i % 2 ?
						   MEM_STREAM_NON_BLOCKING : 0,
						   -(int)(i % 6), &streams[i]),
				 0);
	for (j = 0; j < NR_LAUNCHES; j++)
		for (i = 0; i < nr; i++) {
			assert_int_equal(mem_stream_wait_event(streams[i],
							       event), 0);
			assert_int_equal(start(streams[i], k_count, &words[i]),
					 0);
			assert_int_equal(mem_event_record(event, streams[i]),
					 0);
		}
	for (i = 0; i < nr; i++)
		assert_int_equal(mem_stream_sync(streams[i]), 0);
	for (i = 0; i < nr; i++) {
		assert_int_equal(words[i], NR_LAUNCHES);
		assert_int_equal(mem_stream_query(streams[i]), 0);
		assert_int_equal(mem_stream_destroy(streams[i]), 0);
	}
	mem_event_destroy(event);
	assert_int_equal(mem_free(ctx, words), 0);
	free(streams);
}

/* Looks up addresses inside random ones of the first @nr allocations. */
static uint64_t time_of_lookups(char *const *ptrs, unsigned int nr)
{
	const unsigned int nr_lookups = scaled(NR_LOOKUPS);
	struct mem_ptr_info info = { .size = sizeof(info) };
	const uint64_t begin = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
	unsigned int i;

	for (i = 0; i < nr_lookups; i++) {
		char *base = ptrs[any(nr)];
		const uint32_t off = any(SMALL_LEN);

		assert_int_equal(mem_ptr_info(ctx, base + off, &info), 0);
		assert_ptr_equal(info.device, base + off);
		assert_int_equal(info.len, SMALL_LEN);
	}
	return cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
}

static void a_hundred_thousand_allocations_are_looked_up(void **state)
{
	static const enum mem_kind kinds[] = {
		MEM_KIND_MANAGED, MEM_KIND_PINNED, MEM_KIND_DEVICE,
	};
	const unsigned int nr = scaled(NR_ALLOCS);
	char **ptrs = calloc(nr, sizeof(*ptrs));
	uint64_t few, many;
	unsigned int i;

	(void)state;
	assert_non_null(ptrs);
	for (i = 0; i < nr / MORE; i++)
		ptrs[i] = alloc(ctx, kinds[i % 3], SMALL_LEN);
	few = time_of_lookups(ptrs, i);
	for (; i < nr; i++)
		ptrs[i] = alloc(ctx, kinds[i % 3], SMALL_LEN);
	many = time_of_lookups(ptrs, i);
	print_message("# %u look-ups: %llu us among %u, %llu us among %u\n",
		      scaled(NR_LOOKUPS), (unsigned long long)few / 1000,
		      nr / MORE, (unsigned long long)many / 1000, nr);
	assert_in_range(many, 0, MAX_RATIO * few);
	/* The order is random, so free memory is between used memory. */
	while (i) {
		const unsigned int at = any(i);
		char *ptr = ptrs[at];

		ptrs[at] = ptrs[--i];
		assert_int_equal(mem_free(ctx, ptr), 0);
	}
	free(ptrs);
}

/* Allocates, uses and frees memory while other threads do the same. */
static int use_memory(struct mem_stream *stream, uint32_t value)
{
	void *ptr;
	uint32_t *words;
	int err;

	err = mem_alloc(ctx, MEM_KIND_MANAGED, THREAD_LEN, MEM_ATTACH_HOST,
			&ptr);
	if (err)
		return err;
	words = ptr;
	words[0] = value;
	words[THREAD_LEN / 4 - 1] = value;
	err = mem_stream_attach(stream, ptr, 0, MEM_ATTACH_SINGLE);
	if (!err)
		err = start(stream, k_count, &words[0]);
	if (!err)
		err = start(stream, k_count, &words[THREAD_LEN / 4 - 1]);
	if (!err)
		err = mem_stream_sync(stream);
	if (!err && (words[0] != value + 1 ||
		     words[THREAD_LEN / 4 - 1] != value + 1))
		err = -EBADMSG;
	return err ? err : mem_free(ctx, ptr);
}

static void *work_in_thread(void *arg)
{
	struct mem_stream *stream;
	unsigned int i;
	int err;

	err = mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING, 0, &stream);
	for (i = 0; !err && i < NR_TURNS; i++)
		err = use_memory(stream, (uint32_t)(uintptr_t)arg + i);
	if (!err)
		err = mem_stream_destroy(stream);
	return (void *)(intptr_t)err;
}

static void many_threads_have_a_stream_each(void **state)
{
	struct mem_violation v = { .size = sizeof(v) };
	pthread_t threads[NR_THREADS];
	uintptr_t i;
	void *err;

	(void)state;
	for (i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL,
						work_in_thread,
						(void *)(i << 16)), 0);
	for (i = 0; i < NR_THREADS; i++) {
		pthread_join(threads[i], &err);
		assert_int_equal((intptr_t)err, 0);
	}
	if (mem_ctx_next_violation(ctx, &v))
		fail_msg("%s", mem_violation_name(v.kind));
}

static void use_context(bool runs)
{
	struct mem_stream *stream, *unused;
	struct mem_event *event;
	struct mem_ctx *other;
	uint32_t *word;

	assert_int_equal(mem_ctx_open(NULL, &other), 0);
	assert_int_equal(mem_stream_create(other, 0, 0, &stream), 0);
	assert_int_equal(mem_stream_create(other, 0, 0, &unused), 0);
	assert_int_equal(mem_event_create(other, 0, &event), 0);
	word = alloc(other, MEM_KIND_PINNED, sizeof(*word));
	if (runs)
		assert_int_equal(start(stream, k_count, word), 0);
	assert_int_equal(mem_event_record(event, stream), 0);
	assert_int_equal(mem_event_sync(event), 0);
	assert_int_equal(*word, runs);
	assert_int_equal(mem_free(other, word), 0);
	mem_event_destroy(event);
	assert_int_equal(mem_stream_destroy(unused), 0);
	assert_int_equal(mem_stream_destroy(stream), 0);
	mem_ctx_close(other);
}

static void ten_thousand_contexts_come_and_go(void **state)
{
	const unsigned int nr = scaled(NR_CONTEXTS);
	const size_t threads = nr_of_process("task");
	size_t fds;
	unsigned int i;

	(void)state;
	use_context(true);
	wait_for_threads(threads);
	fds = nr_of_process("fd");
	for (i = 0; i < nr; i++)
		use_context(i % KERNEL_EACH == 0);
	wait_for_threads(threads);
	assert_int_equal(nr_of_process("fd"), fds);
}

/* With the module, each allocation has two descriptors. */
static int open_all(void **state)
{
	const struct rlimit many = { 4 * NR_ALLOCS, 4 * NR_ALLOCS };
	struct rlimit now;
	int err;

	if (setrlimit(RLIMIT_NOFILE, &many) &&
	    !getrlimit(RLIMIT_NOFILE, &now)) {
		now.rlim_cur = now.rlim_max;
		setrlimit(RLIMIT_NOFILE, &now);
	}
	err = open_ctx(state);
	return err ? err : mem_ctx_watch(ctx, MEM_WATCH_ERRORS, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thousand_streams_work),
		cmocka_unit_test(a_hundred_thousand_allocations_are_looked_up),
		cmocka_unit_test(many_threads_have_a_stream_each),
		cmocka_unit_test(ten_thousand_contexts_come_and_go),
	};

	return cmocka_run_group_tests(tests, open_all, close_ctx);
}
