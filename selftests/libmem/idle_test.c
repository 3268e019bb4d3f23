// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests managed memory that is never accessed: launches and waits cost no time
 * for it, but its counters include them. Other threads access memory meanwhile.
 */
#include "stream.h"

#include <pthread.h>
#include <time.h>

#define NR_IDLE		2000U
#define NR_LAUNCHES	200U
#define NR_TRIES	5U	/* the fastest try counts */

/*
 * Launches with 2,000 idle buffers take 1.05 times as long as those with none
 * (over the module 1.0), and took 17 times as long (124 times) when each buffer
 * was visited. On a machine with much other load the CPU time of a launch
 * varies by a factor of three.
 */
#define MAX_RATIO	6U

static int open_unwatched(void **state)
{
	(void)state;
	if (mem_ctx_open(NULL, &ctx))
		return -1;
	return mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING, 0, &stream);
}

static void launch_and_wait(unsigned int nr)
{
	while (nr--) {
		start(stream, k_nothing, NULL, 0);
		sync_stream();
	}
}

static uint64_t launches_ns(void)
{
	uint64_t best = UINT64_MAX;
	unsigned int i;

	launch_and_wait(1);
	for (i = 0; i < NR_TRIES; i++) {
		const uint64_t begin = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
		uint64_t ns;

		launch_and_wait(NR_LAUNCHES);
		ns = cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - begin;
		if (ns < best)
			best = ns;
	}
	return best;
}

/* Measures launches without and with idle buffers. */
static void compare_launches(uint64_t *alone, uint64_t *crowded)
{
	static uint32_t *idle[NR_IDLE];
	unsigned int i;

	*alone = launches_ns();
	for (i = 0; i < NR_IDLE; i++) {
		idle[i] = managed(MEM_ATTACH_GLOBAL);
		idle[i][0] = i;
	}
	*crowded = launches_ns();
	for (i = 0; i < NR_IDLE; i++) {
		assert_int_equal(idle[i][0], i);
		release(idle[i]);
	}
}

/* Other processes may slow down all tries of one side, so it is repeated. */
static void idle_memory_costs_a_launch_nothing(void **state)
{
	uint64_t alone = 0, crowded = 1;
	unsigned int i;

	(void)state;
	for (i = 0; i < NR_TRIES && crowded > MAX_RATIO * alone; i++)
		compare_launches(&alone, &crowded);
	if (crowded > MAX_RATIO * alone)
		fail_msg("%u launches: %llu us, with %u idle buffers %llu us",
			 NR_LAUNCHES, (unsigned long long)alone / 1000, NR_IDLE,
			 (unsigned long long)crowded / 1000);
}

/* The board would do these invalidates, which have nothing to do. */
static void an_invalidate_that_is_spared_is_redundant(void **state)
{
	uint32_t *idle = managed(MEM_ATTACH_GLOBAL);
	uint32_t *used = managed(MEM_ATTACH_GLOBAL);
	struct mem_buf_info of_idle, of_used;
	unsigned int i;

	(void)state;
	for (i = 0; i < NR_LAUNCHES; i++) {
		start_add(stream, used, used, 1);
		sync_stream();
		assert_int_equal(used[0], used[N - 1]);
	}
	of_idle = ptr_buf_info_of(idle);
	of_used = ptr_buf_info_of(used);
	if (of_idle.has_two_views) {
		assert_int_equal(of_idle.count.redundant_invalidates,
				 NR_LAUNCHES);
		assert_int_equal(of_used.count.redundant_invalidates, 0);
	}
	release(idle);
	release(used);
}

/** struct toucher - a thread that accesses memory until a test stops it */
struct toucher {
	pthread_t thread;
	const uint32_t *word;
	bool has_ended;
};

static void *touch_again_and_again(void *arg)
{
	struct toucher *t = arg;

	while (!__atomic_load_n(&t->has_ended, __ATOMIC_ACQUIRE))
		(void)__atomic_load_n(t->word, __ATOMIC_RELAXED);
	return NULL;
}

/*
 * Another thread reads the buffer all the time, permitted or not. The thread
 * that waits for a job must not see lines that the other one fetched before the
 * job.
 */
static void a_race_of_another_thread_leaves_no_old_bytes(void **state)
{
	uint32_t *words = managed(MEM_ATTACH_GLOBAL);
	struct toucher t = { .word = words + N - 1 };
	unsigned int i;

	(void)state;
	set_all(words, 0);
	assert_int_equal(pthread_create(&t.thread, NULL, touch_again_and_again,
					&t), 0);
	for (i = 1; i <= NR_LAUNCHES; i++) {
		start_add(stream, words, words, 1);
		sync_stream();
		all_are(words, i);
	}
	__atomic_store_n(&t.has_ended, true, __ATOMIC_RELEASE);
	pthread_join(t.thread, NULL);
	release(words);
}

int main(void)
{
	const struct CMUnitTest unwatched[] = {
		cmocka_unit_test(idle_memory_costs_a_launch_nothing),
		cmocka_unit_test(an_invalidate_that_is_spared_is_redundant),
	};
	const struct CMUnitTest watched[] = {
		cmocka_unit_test(an_invalidate_that_is_spared_is_redundant),
	};
	const struct CMUnitTest racing[] = {
		cmocka_unit_test(a_race_of_another_thread_leaves_no_old_bytes),
	};

	return cmocka_run_group_tests(unwatched, open_unwatched, close_all) +
	       cmocka_run_group_tests(watched, open_strict, close_all) +
	       cmocka_run_group_tests(racing, open_record, close_all);
}
