/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Rows of bytes, which a job of the dma engine reads or writes. */
#ifndef HEAPSIM_MODEL_ROWS_H
#define HEAPSIM_MODEL_ROWS_H

#include "env.h"

#define ROWS_CHECKSUM_BASIS	0xcbf29ce484222325ULL	/* FNV-1a */

/**
 * struct rows - rows of one side of a job
 * @off: offset of the first row
 * @pitch: bytes from one row to the next
 * @len: bytes of a row
 * @nr: number of rows
 */
struct rows {
	u64 off;
	s64 pitch;
	u64 len;
	u64 nr;
};

int rows_bounds(const struct rows *rows, u64 size, u64 *lo, u64 *len);
bool rows_are_within_passes(const struct rows *rows, u64 size, u64 nr_passes);
struct rows rows_by_line(const struct rows *rows, u32 line_size);
u32 rows_pattern_at(u32 pattern, u64 pos);
void rows_fill(u8 *to, size_t len, u32 pattern);
void rows_copy(u8 *to, const u8 *from, size_t len, u32 pattern, bool back);
u64 rows_checksum(u64 sum, const u8 *from, size_t len);

#endif
