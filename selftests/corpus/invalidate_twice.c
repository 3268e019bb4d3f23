// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receives blocks that both the completion handler and the consumer invalidate.
 *
 * Like https://github.com/openmv/openmv/pull/1498: after maintenance was moved
 * to the right place, that for each frame elsewhere was redundant.
 */
#include <string.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

static uint8_t copy[LEN];

int main(void)
{
	struct buf block = buf_alloc(LEN);
	int dev = dev_open();
	int i;

	for (i = 1; i <= 3; i++) {
		dev_fill(dev, &block, 0, LEN, i);
		dev_maintain(dev, &block, HEAPSIM_MAINT_INVALIDATE, 0, LEN);
#ifndef FIXED
		/* EXPECT: redundant-invalidate off=0 */
		dev_maintain(dev, &block, HEAPSIM_MAINT_INVALIDATE, 0, LEN);
#endif
		memcpy(copy, block.map, LEN);
		check(is_all(copy, i, LEN));
	}
	return 0;
}
