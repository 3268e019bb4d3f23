// SPDX-License-Identifier: GPL-2.0-only
/*
 * Invalidates the CPU's writes instead of writing them back.
 *
 * Like the review of https://github.com/openmv/openmv/pull/1605: the comment
 * says that the CPU's writes are flushed, the call invalidates.
 */
#include <string.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

#ifdef FIXED
#define OP	HEAPSIM_MAINT_CLEAN
#else
#define OP	HEAPSIM_MAINT_INVALIDATE
#endif

static uint8_t want[LEN];

int main(void)
{
	struct buf frame = buf_alloc(LEN);
	int dev = dev_open();
	uint64_t sum;

	/* EXPECT: lost-cpu-write off=0 other=process */
	memset(frame.map, 0x16, LEN);
	/* OTHER */
	dev_maintain(dev, &frame, OP, 0, LEN);
	sum = dev_sum(dev, &frame, 0, LEN);
	memset(want, 0x16, LEN);
	check(sum == sum_of(want, LEN));
	return 0;
}
