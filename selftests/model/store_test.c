// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests which stores to managed memory an invalidate cleans first, and which
 * refused touches are the same one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <right.h>

#define LEN	4096

/* Makes a buffer of a group that the CPU may touch. */
static void setup(struct right_group *group, struct right_buf *buf)
{
	right_group_init(group);
	right_buf_init(buf, LEN);
	right_join(group, buf);
}

static void a_permitted_store_is_cleaned_first(void **state)
{
	struct right_group group;
	struct right_buf buf;

	(void)state;
	setup(&group, &buf);
	assert_false(right_must_clean(&buf));
	right_store(&buf, true);
	assert_true(right_must_clean(&buf));
	assert_ptr_equal(right_group_dirty(&group, NULL), &buf);
}

static void a_refused_store_is_lost(void **state)
{
	struct right_group group;
	struct right_buf buf;

	(void)state;
	setup(&group, &buf);
	right_store(&buf, false);
	assert_false(right_must_clean(&buf));
	assert_ptr_equal(right_group_dirty(&group, NULL), &buf);
}

static void a_refused_store_does_not_undo_a_permitted_one(void **state)
{
	struct right_group group;
	struct right_buf buf;

	(void)state;
	setup(&group, &buf);
	right_store(&buf, true);
	right_store(&buf, false);
	assert_true(right_must_clean(&buf));
}

static void a_clean_ends_it(void **state)
{
	struct right_group group;
	struct right_buf buf;

	(void)state;
	setup(&group, &buf);
	right_store(&buf, true);
	right_cleaned(&buf, false);
	assert_false(right_must_clean(&buf));
	assert_null(right_group_dirty(&group, NULL));
	right_store(&buf, false);
	assert_false(right_must_clean(&buf));
}

static void a_clean_of_some_lines_leaves_the_others_dirty(void **state)
{
	struct right_group group;
	struct right_buf buf;

	(void)state;
	setup(&group, &buf);
	right_store(&buf, true);
	right_cleaned(&buf, true);
	assert_false(right_must_clean(&buf));
	assert_ptr_equal(right_group_dirty(&group, NULL), &buf);
}

static void an_invalidate_ends_it(void **state)
{
	struct right_group group;
	struct right_buf buf;

	(void)state;
	setup(&group, &buf);
	right_store(&buf, true);
	right_set_dirty(&buf, false);
	right_store(&buf, false);
	assert_false(right_must_clean(&buf));
}

static void a_right_that_begins_permits_earlier_stores(void **state)
{
	struct right_group group;
	struct right_buf buf;

	(void)state;
	setup(&group, &buf);
	right_store(&buf, false);
	right_keep(&buf);
	assert_true(right_must_clean(&buf));
}

static void a_right_that_begins_finds_no_store(void **state)
{
	struct right_group group;
	struct right_buf buf;

	(void)state;
	setup(&group, &buf);
	right_keep(&buf);
	right_store(&buf, false);
	assert_false(right_must_clean(&buf));
}

static void a_right_that_begins_moves_the_buffer_back(void **state)
{
	struct right_group group;
	struct right_buf buf, other;

	(void)state;
	setup(&group, &buf);
	right_buf_init(&other, LEN);
	right_join(&group, &other);
	right_set_lines(&buf, RIGHT_MAPPED);
	right_set_lines(&other, RIGHT_MAPPED);
	right_keep(&buf);
	assert_ptr_equal(right_group_mapped(&group), &other);
	assert_int_equal(group.nr_mapped, 2);
}

static void a_buffer_takes_its_stores_to_another_group(void **state)
{
	struct right_group group, next;
	struct right_buf buf;

	(void)state;
	setup(&group, &buf);
	right_group_init(&next);
	right_store(&buf, true);
	right_leave(&buf);
	assert_true(right_must_clean(&buf));
	right_join(&next, &buf);
	assert_true(right_must_clean(&buf));
	assert_ptr_equal(right_group_dirty(&next, NULL), &buf);
}

/* A page may be revoked before the instruction that faulted completes. */
static void an_instruction_that_faults_again_is_one_touch(void **state)
{
	struct right_refused first = {
		.thread = 1, .ip = 0x1000, .off = 8, .job = 3,
	};
	struct right_group group;
	struct right_buf buf;

	(void)state;
	setup(&group, &buf);
	assert_false(right_is_repeated(&buf, &first));
	assert_true(right_is_repeated(&buf, &first));
	assert_true(right_is_repeated(&buf, &first));
}

static void a_touch_that_differs_is_another_one(void **state)
{
	struct right_refused first = {
		.thread = 1, .ip = 0x1000, .off = 8, .job = 3,
	};
	struct right_refused others[5] = { first, first, first, first, first };
	struct right_group group;
	struct right_buf buf;
	size_t i;

	(void)state;
	setup(&group, &buf);
	others[0].thread = 2;
	others[1].ip = 0x1004;
	others[2].off = 16;
	others[3].job = 4;
	others[4].is_write = true;
	for (i = 0; i < 5; i++) {
		assert_false(right_is_repeated(&buf, &first));
		assert_false(right_is_repeated(&buf, &others[i]));
	}
}

static void a_touch_in_a_later_period_is_another_one(void **state)
{
	struct right_refused touch = {
		.thread = 1, .ip = 0x1000, .off = 8,
	};
	struct right_group group;
	struct right_buf buf;
	struct right_sum sum;

	(void)state;
	setup(&group, &buf);
	right_group_refuse(&group);
	assert_false(right_is_repeated(&buf, &touch));
	assert_true(right_is_repeated(&buf, &touch));
	right_group_allow(&group, false, &sum);
	right_group_refuse(&group);
	assert_false(right_is_repeated(&buf, &touch));
	/* It was attached to the host, and to the group again. */
	right_leave(&buf);
	right_join(&group, &buf);
	assert_false(right_is_repeated(&buf, &touch));
}

static void a_touch_after_its_own_right_is_another_one(void **state)
{
	struct right_refused touch = {
		.thread = 1, .ip = 0x1000, .off = 8, .job = 3,
	};
	struct right_group group;
	struct right_buf buf;

	(void)state;
	setup(&group, &buf);
	right_group_refuse(&group);
	assert_false(right_is_repeated(&buf, &touch));
	right_leave(&buf);
	assert_true(right_is_repeated(&buf, &touch));
	right_allow(&buf);
	assert_false(right_is_refused(&buf));
	buf.is_refused = true;
	assert_false(right_is_repeated(&buf, &touch));
}

/* A system call may touch the buffer several times at the same address. */
static void a_touch_without_an_address_is_another_one(void **state)
{
	struct right_refused touch = { .thread = 1, .off = 8, .job = 3 };
	struct right_group group;
	struct right_buf buf;

	(void)state;
	setup(&group, &buf);
	assert_false(right_is_repeated(&buf, &touch));
	assert_false(right_is_repeated(&buf, &touch));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_permitted_store_is_cleaned_first),
		cmocka_unit_test(a_refused_store_is_lost),
		cmocka_unit_test(a_refused_store_does_not_undo_a_permitted_one),
		cmocka_unit_test(a_clean_ends_it),
		cmocka_unit_test(a_clean_of_some_lines_leaves_the_others_dirty),
		cmocka_unit_test(an_invalidate_ends_it),
		cmocka_unit_test(a_right_that_begins_permits_earlier_stores),
		cmocka_unit_test(a_right_that_begins_finds_no_store),
		cmocka_unit_test(a_right_that_begins_moves_the_buffer_back),
		cmocka_unit_test(a_buffer_takes_its_stores_to_another_group),
		cmocka_unit_test(an_instruction_that_faults_again_is_one_touch),
		cmocka_unit_test(a_touch_that_differs_is_another_one),
		cmocka_unit_test(a_touch_in_a_later_period_is_another_one),
		cmocka_unit_test(a_touch_after_its_own_right_is_another_one),
		cmocka_unit_test(a_touch_without_an_address_is_another_one),
	};

	return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
