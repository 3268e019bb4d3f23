// SPDX-License-Identifier: GPL-2.0-only
/* Tests which stores to managed memory an invalidate cleans first. */
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
	};

	return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
