// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receives a page and invalidates it and the line behind it, where the CPU
 * has written data that it is going to send.
 *
 * Like https://github.com/KallistiOS/KallistiOS/pull/664: the loop over a range
 * went on for a line too many, which does no harm to a flush and destroys data
 * when it invalidates.
 */
#include <string.h>

#include "corpus.h"

#ifdef FIXED
#define END	PAGE
#else
#define END	(PAGE + LINE)
#endif

static uint8_t copy[PAGE], want[LINE];

int main(void)
{
	struct buf ring = buf_alloc(2 * PAGE);
	int dev = dev_open();
	uint64_t sum;

	/* EXPECT: lost-cpu-write off=4096 other=process */
	memset(ring.map + PAGE, 0x33, LINE);
	dev_fill(dev, &ring, 0, PAGE, 0x44);
	/* OTHER */
	dev_maintain(dev, &ring, HEAPSIM_MAINT_INVALIDATE, 0, END);
	/* EXPECT: redundant-clean off=4096 */
	dev_maintain(dev, &ring, HEAPSIM_MAINT_CLEAN, PAGE, LINE);
	sum = dev_sum(dev, &ring, PAGE, LINE);
	memset(want, 0x33, LINE);
	check(sum == sum_of(want, LINE));
	memcpy(copy, ring.map, PAGE);
	check(is_all(copy, 0x44, PAGE));
	return 0;
}
