// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CPU writes row 0, the engine row 1. The CPU's row is 16 bytes too long.
 *
 * Like https://github.com/tinygrad/tinygrad/pull/16630: an operation on a range
 * went beyond its end, into memory of other owners.
 */
#include <string.h>

#include "corpus.h"

#define ROW	1024

#ifdef FIXED
#define DRAWN	ROW
#else
#define DRAWN	(ROW + 16)
#endif

static uint8_t copy[ROW], want[ROW];

int main(void)
{
	struct buf rows = buf_alloc(PAGE);
	int dev = dev_open();
	uint64_t sum;

	/* EXPECT: write-conflict off=1024 other=engine */
	/* EXPECT: lost-cpu-write off=1024 other=process */
	memset(rows.map, 5, DRAWN);
	dev_maintain(dev, &rows, HEAPSIM_MAINT_CLEAN, 0, ROW);
	/* OTHER */
	dev_fill(dev, &rows, ROW, ROW, 6);
	/* OTHER */
	dev_maintain(dev, &rows, HEAPSIM_MAINT_INVALIDATE, ROW, ROW);
	memcpy(copy, rows.map + ROW, ROW);
	check(is_all(copy, 6, ROW));
	sum = dev_sum(dev, &rows, 0, ROW);
	memset(want, 5, ROW);
	check(sum == sum_of(want, ROW));
	return 0;
}
