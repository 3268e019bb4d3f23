// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs random sequences on the model and the reference. After each step all
 * bytes, states and counters must be equal. SEED= runs one seed only, ROUNDS=
 * is the number of seeds, STEPS= the length.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "host.h"
#include "sequence.h"

static struct sequence sequence_of(size_t line_size, size_t page_size,
				   size_t nr_pages, size_t fill_pages)
{
	return (struct sequence) {
		.p = {
			.len = nr_pages * page_size,
			.line_size = line_size,
			.fill_size = fill_pages * page_size,
			.page_size = page_size,
		},
		.nr_steps = (unsigned int)env_or("STEPS", 300),
	};
}

static void play_rounds(struct sequence *seq, const struct subject_ops *ops)
{
	uint64_t only = env_or("SEED", 0);
	uint64_t nr_rounds = only ? 1 : env_or("ROUNDS", 30);
	uint64_t i;

	if (!only && seq->p.page_size > 4096)
		nr_rounds = (nr_rounds + 3) /
			    (seq->p.page_size > 16384 ? 16 : 4);
	for (i = 0; i < nr_rounds; i++) {
		seq->seed = only ? only : 1 + i;
		assert_int_equal(sequence_play(seq, ops), 0);
	}
}

static void play(size_t line_size, size_t page_size, size_t nr_pages,
		 size_t fill_pages)
{
	struct sequence seq = sequence_of(line_size, page_size, nr_pages,
					  fill_pages);

	play_rounds(&seq, &host_ops);
}

#define RANDOM_TEST(line, page_kib)					\
static void line_##line##_page_##page_kib##k_equals_the_reference(	\
							void **state)	\
{									\
	(void)state;							\
	play(line, (page_kib) * 1024, 3, 1);				\
}									\
static void line_##line##_page_##page_kib##k_wide_fill_equals_it(	\
							void **state)	\
{									\
	(void)state;							\
	play(line, (page_kib) * 1024, 3, 2);				\
}

RANDOM_TEST(32, 4)
RANDOM_TEST(64, 4)
RANDOM_TEST(128, 4)
RANDOM_TEST(32, 16)
RANDOM_TEST(64, 16)
RANDOM_TEST(128, 16)
RANDOM_TEST(32, 64)
RANDOM_TEST(64, 64)
RANDOM_TEST(128, 64)

static void one_page_buffer_equals_the_reference(void **state)
{
	(void)state;
	play(64, 4096, 1, 1);
}

/* As on a device, accesses through a PTE are not seen; bytes must be equal. */
static void bytes_are_the_references_if_touches_go_unseen(void **state)
{
	struct sequence seq = sequence_of(64, 4096, 3, 1);
	struct subject_ops ops = host_unseen_ops;

	(void)state;
	/* A store seen only by the reference could not restore old bytes. */
	ops.cpu_store = NULL;
	/* The process of a store that is not seen is unknown. */
	ops.nr_who = 1;
	seq.is_bytes_only = true;
	play_rounds(&seq, &ops);
}

#define RANDOM_TESTS(line, page_kib)					\
	cmocka_unit_test(						\
		line_##line##_page_##page_kib##k_equals_the_reference),	\
	cmocka_unit_test(						\
		line_##line##_page_##page_kib##k_wide_fill_equals_it)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RANDOM_TESTS(32, 4),
		RANDOM_TESTS(64, 4),
		RANDOM_TESTS(128, 4),
		RANDOM_TESTS(32, 16),
		RANDOM_TESTS(64, 16),
		RANDOM_TESTS(128, 16),
		RANDOM_TESTS(32, 64),
		RANDOM_TESTS(64, 64),
		RANDOM_TESTS(128, 64),
		cmocka_unit_test(one_page_buffer_equals_the_reference),
		cmocka_unit_test(bytes_are_the_references_if_touches_go_unseen),
	};

	return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
