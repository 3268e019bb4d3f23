// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Rows of bytes: which range and which lines they touch, and what the dma
 * engine does with their bytes.
 */
#include "rows.h"

#define CHECKSUM_PRIME	0x100000001b3ULL

static u64 rows_step(const struct rows *rows)
{
	return rows->pitch < 0 ? -(u64)rows->pitch : (u64)rows->pitch;
}

/**
 * rows_bounds() - get the range of rows
 * @rows: rows; any values
 * @size: bytes of the buffer
 * @lo: out: lowest offset of all rows
 * @len: out: bytes from @lo to the end of the highest row
 *
 * Return: 0, or -EINVAL if the rows exceed the buffer.
 */
int rows_bounds(const struct rows *rows, u64 size, u64 *lo, u64 *len)
{
	u64 walk = 0, end;

	if (rows->nr > 1 &&
	    __builtin_mul_overflow(rows_step(rows), rows->nr - 1, &walk))
		return -EINVAL;
	*lo = rows->off;
	if (rows->pitch < 0) {
		if (walk > rows->off)
			return -EINVAL;
		*lo -= walk;
	}
	if (__builtin_add_overflow(*lo, walk, &end) ||
	    __builtin_add_overflow(end, rows->len, &end) || end > size)
		return -EINVAL;
	*len = end - *lo;
	return 0;
}

/**
 * rows_are_within_passes() - bound the duration of a job
 * @rows: rows of either side
 * @size: bytes of the larger buffer
 * @nr_passes: upper bound of passes over it
 *
 * Overlapping rows could go over a buffer many times.
 *
 * Return: true if the rows are no longer than that in sum.
 */
bool rows_are_within_passes(const struct rows *rows, u64 size, u64 nr_passes)
{
	u64 total;

	return !__builtin_mul_overflow(rows->len, rows->nr, &total) &&
	       total <= size * nr_passes;
}

/**
 * rows_by_line() - get rows that visit each line once
 * @rows: rows within their buffer
 * @line_size: bytes
 *
 * If the gap between two rows is smaller than a line, the rows touch all lines
 * from the first to the last; otherwise no two rows share a line.
 *
 * Return: @rows, or one row from the lowest to the highest byte.
 */
struct rows rows_by_line(const struct rows *rows, u32 line_size)
{
	const u64 step = rows_step(rows);
	const u64 walk = step * (rows->nr - 1);

	if (step >= rows->len + line_size)
		return *rows;
	return (struct rows) {
		.off = rows->pitch < 0 ? rows->off - walk : rows->off,
		.len = walk + rows->len,
		.nr = 1,
	};
}

/**
 * rows_pattern_at() - rotate a pattern to begin with a byte of the row
 * @pattern: byte i of a row is combined with byte i % 4 of it
 * @pos: number of the byte of the row
 *
 * Return: pattern for the bytes from @pos on.
 */
u32 rows_pattern_at(u32 pattern, u64 pos)
{
	return (u32)(((u64)pattern << 32 | pattern) >> (8 * (pos % 4)));
}

static u8 pattern_byte(u32 pattern, size_t i)
{
	return (u8)(pattern >> (8 * (i % 4)));
}

/* Returns the pattern as it lies in memory. */
static u32 pattern_word(u32 pattern)
{
	const u8 bytes[4] = {
		pattern_byte(pattern, 0), pattern_byte(pattern, 1),
		pattern_byte(pattern, 2), pattern_byte(pattern, 3),
	};
	u32 word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/**
 * rows_fill() - fill bytes
 * @to: bytes
 * @len: number of bytes
 * @pattern: pattern that begins at the first byte
 */
void rows_fill(u8 *to, size_t len, u32 pattern)
{
	const u32 word = pattern_word(pattern);
	size_t i;

	if (pattern == rows_pattern_at(pattern, 1)) {
		memset(to, pattern & 0xff, len);
		return;
	}
	for (i = 0; i + 4 <= len; i += 4)
		memcpy(to + i, &word, 4);
	for (; i < len; i++)
		to[i] = pattern_byte(pattern, i);
}

/**
 * rows_copy() - copy bytes and combine them with a pattern
 * @to: destination
 * @from: source
 * @len: number of bytes
 * @pattern: pattern that begins at the first byte, for exclusive or
 * @back: the last byte comes first, for a destination that overlaps its source
 *	and lies above it
 *
 * The CPU may clean what an engine reads. On the board these are not ordered
 * either; which bytes a job gets is a bug of the program.
 */
env_no_kcsan void rows_copy(u8 *to, const u8 *from, size_t len, u32 pattern,
			    bool back)
{
	const u32 mask = pattern_word(pattern);
	size_t i;
	u32 word;

	if (!pattern) {
		memmove(to, from, len);
		return;
	}
	if (back) {
		for (i = len; i--;)
			to[i] = from[i] ^ pattern_byte(pattern, i);
		return;
	}
	for (i = 0; i + 4 <= len; i += 4) {
		memcpy(&word, from + i, 4);
		word ^= mask;
		memcpy(to + i, &word, 4);
	}
	for (; i < len; i++)
		to[i] = from[i] ^ pattern_byte(pattern, i);
}

/**
 * rows_checksum() - continue a checksum
 * @sum: checksum of the bytes before; ROWS_CHECKSUM_BASIS if there are none
 * @from: bytes, which the CPU may clean meanwhile, as for rows_copy()
 * @len: number of bytes
 *
 * Return: the FNV-1a hash.
 */
env_no_kcsan u64 rows_checksum(u64 sum, const u8 *from, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		sum = (sum ^ from[i]) * CHECKSUM_PRIME;
	return sum;
}
