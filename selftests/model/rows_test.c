// SPDX-License-Identifier: GPL-2.0-only
/* Tests the rows of jobs of the dma engine. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <rows.h>

#define SIZE	4096
#define LINE	64
#define PATTERN	0x44332211u
#define LEN	23

static void check_bounds(const struct rows *rows, u64 lo, u64 len)
{
	u64 got_lo, got_len;

	assert_int_equal(rows_bounds(rows, SIZE, &got_lo, &got_len), 0);
	assert_int_equal(got_lo, lo);
	assert_int_equal(got_len, len);
}

static void rows_lie_between_the_first_and_the_last(void **state)
{
	(void)state;
	check_bounds(&(struct rows) { 8, 100, 10, 3 }, 8, 210);
	check_bounds(&(struct rows) { 208, -100, 10, 3 }, 8, 210);
	check_bounds(&(struct rows) { 8, 0, 10, 3 }, 8, 10);
	check_bounds(&(struct rows) { 8, INT64_MIN, 10, 1 }, 8, 10);
	check_bounds(&(struct rows) { 0, SIZE / 2, SIZE / 2, 2 }, 0, SIZE);
}

static void rows_outside_of_the_buffer_are_refused(void **state)
{
	static const struct rows bad[] = {
		{ 1, 0, SIZE, 1 },
		{ 0, SIZE / 2 + 1, SIZE / 2, 2 },
		{ 99, -100, 10, 2 },
		{ UINT64_MAX, 0, 1, 1 },
		{ 0, 0, UINT64_MAX, 1 },
		{ 8, INT64_MAX, 8, 3 },
		{ 8, INT64_MIN, 8, UINT32_MAX },
		{ UINT64_MAX - 1, 2, 8, 2 },
	};
	u64 lo, len;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(rows_bounds(&bad[i], SIZE, &lo, &len),
				 -EINVAL);
}

static void passes_over_a_buffer_are_bounded(void **state)
{
	(void)state;
	assert_true(rows_are_within_passes(&(struct rows) { 0, 0, SIZE, 64 },
					   SIZE, 64));
	assert_false(rows_are_within_passes(&(struct rows) { 0, 0, SIZE, 65 },
					    SIZE, 64));
	assert_false(rows_are_within_passes(&(struct rows) {
			.len = 1ULL << 33, .nr = 1ULL << 31 }, SIZE, 64));
}

static void check_by_line(const struct rows *rows, u64 off, u64 len, u64 nr)
{
	const struct rows got = rows_by_line(rows, LINE);

	assert_int_equal(got.off, off);
	assert_int_equal(got.len, len);
	assert_int_equal(got.nr, nr);
}

static void rows_a_line_apart_are_visited_one_by_one(void **state)
{
	(void)state;
	check_by_line(&(struct rows) { 5, 10 + LINE, 10, 3 }, 5, 10, 3);
	check_by_line(&(struct rows) { 500, -(10 + LINE), 10, 3 }, 500, 10, 3);
}

static void rows_that_may_share_a_line_are_visited_as_one(void **state)
{
	(void)state;
	check_by_line(&(struct rows) { 5, 9 + LINE, 10, 3 }, 5,
		      2 * (9 + LINE) + 10, 1);
	check_by_line(&(struct rows) { 500, -20, 10, 3 }, 460, 50, 1);
	check_by_line(&(struct rows) { 5, 0, 10, 3 }, 5, 10, 1);
}

static u8 byte_of(u32 pattern, size_t i)
{
	return (u8)(pattern >> (8 * (i % 4)));
}

static void a_pattern_begins_at_any_byte_of_a_row(void **state)
{
	u64 pos;
	size_t i;

	(void)state;
	for (pos = 0; pos < 9; pos++)
		for (i = 0; i < 4; i++)
			assert_int_equal(byte_of(rows_pattern_at(PATTERN, pos),
						 i),
					 byte_of(PATTERN, pos + i));
}

static void a_fill_repeats_the_pattern(void **state)
{
	static const u32 patterns[] = { PATTERN, 0, 0x5a5a5a5a, 0x5a5a5aa5 };
	u8 bytes[LEN + 1];
	size_t p, len, i;

	(void)state;
	for (p = 0; p < sizeof(patterns) / sizeof(patterns[0]); p++) {
		for (len = 0; len <= LEN; len++) {
			memset(bytes, 0x77, sizeof(bytes));
			rows_fill(bytes, len, patterns[p]);
			for (i = 0; i < len; i++)
				assert_int_equal(bytes[i],
						 byte_of(patterns[p], i));
			assert_int_equal(bytes[len], 0x77);
		}
	}
}

/* Copies inside one array, from @from to @to. */
static void check_copy(size_t from, size_t to, u32 pattern)
{
	const bool back = to > from;
	u8 bytes[3 * LEN], before[3 * LEN];
	size_t i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (u8)(7 * i + 3);
	memcpy(before, bytes, sizeof(before));
	rows_copy(bytes + to, bytes + from, LEN, pattern, back);
	for (i = 0; i < sizeof(bytes); i++)
		assert_int_equal(bytes[i], i < to || i >= to + LEN ? before[i] :
				 before[from + i - to] ^
				 byte_of(pattern, i - to));
}

static void a_copy_combines_bytes_with_the_pattern(void **state)
{
	(void)state;
	check_copy(0, 2 * LEN, 0);
	check_copy(0, 2 * LEN, PATTERN);
	check_copy(2 * LEN, 0, PATTERN);
}

static void a_copy_to_overlapping_bytes_reads_old_ones(void **state)
{
	size_t by;

	(void)state;
	for (by = 1; by < LEN; by++) {
		check_copy(0, by, PATTERN);
		check_copy(by, 0, PATTERN);
		check_copy(0, by, 0);
		check_copy(by, 0, 0);
	}
}

static void a_checksum_is_that_of_fnv_1a(void **state)
{
	const u8 *bytes = (const u8 *)"foobar";
	u64 sum = rows_checksum(ROWS_CHECKSUM_BASIS, bytes, 2);

	(void)state;
	/* From the reference of the hash. */
	assert_int_equal(rows_checksum(sum, bytes + 2, 4), 0x85944171f73967e8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_lie_between_the_first_and_the_last),
		cmocka_unit_test(rows_outside_of_the_buffer_are_refused),
		cmocka_unit_test(passes_over_a_buffer_are_bounded),
		cmocka_unit_test(rows_a_line_apart_are_visited_one_by_one),
		cmocka_unit_test(rows_that_may_share_a_line_are_visited_as_one),
		cmocka_unit_test(a_pattern_begins_at_any_byte_of_a_row),
		cmocka_unit_test(a_fill_repeats_the_pattern),
		cmocka_unit_test(a_copy_combines_bytes_with_the_pattern),
		cmocka_unit_test(a_copy_to_overlapping_bytes_reads_old_ones),
		cmocka_unit_test(a_checksum_is_that_of_fnv_1a),
	};

	return cmocka_run_group_tests_name("rows", tests, NULL, NULL);
}
