// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receives blocks: the completion invalidates, and the consumer once more.
 *
 * Like https://github.com/openmv/openmv/pull/1498: with the maintenance where
 * it belongs, what was done for each frame elsewhere had become needless.
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
