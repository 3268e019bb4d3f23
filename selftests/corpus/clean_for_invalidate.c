// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cleans after the device has written, where it should invalidate.
 *
 * Like the review of https://github.com/armbian/build/pull/10154: the way from
 * the device used the operation of the way to it.
 */
#include <string.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

#ifdef FIXED
#define OP	HEAPSIM_MAINT_INVALIDATE
#else
#define OP	HEAPSIM_MAINT_CLEAN
#endif

static uint8_t copy[LEN];

int main(void)
{
	struct buf tensor = buf_alloc(LEN);
	int dev = dev_open();
	int n;

	for (n = 1; n <= 2; n++) {
		/* OTHER */
		dev_fill(dev, &tensor, 0, LEN, n);
		/* EXPECT: redundant-clean off=0 */
		dev_maintain(dev, &tensor, OP, 0, LEN);
		/* EXPECT: possible-stale-read off=0 other=engine */
		/* EXPECT: stale-read off=0 other=engine */
		memcpy(copy, tensor.map, LEN);
		check(is_all(copy, n, LEN));
	}
	return 0;
}
