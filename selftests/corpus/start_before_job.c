// SPDX-License-Identifier: GPL-2.0-only
/*
 * Begins access before the transfer instead of after it.
 *
 * Like https://github.com/apache/nuttx/pull/19506: the cache was invalidated
 * before a sector came in by DMA and not again afterwards; now and then the CPU
 * read the sector before.
 */
#include <string.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

static uint8_t copy[LEN];

int main(void)
{
	struct buf sectors = buf_alloc(LEN);
	int dev = dev_open();
	int i;

	for (i = 1; i <= 2; i++) {
#ifndef FIXED
		/* EXPECT: redundant-invalidate off=0 */
		fd_sync(sectors.fd, START_READ);
#endif
		/* OTHER */
		dev_fill(dev, &sectors, 0, LEN, i);
#ifdef FIXED
		fd_sync(sectors.fd, START_READ);
#endif
		/* EXPECT: possible-stale-read off=0 other=engine */
		memcpy(copy, sectors.map, LEN);
		fd_sync(sectors.fd, END_READ);
		check(is_all(copy, i, LEN));
	}
	return 0;
}
