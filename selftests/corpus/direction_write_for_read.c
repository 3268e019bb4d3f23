// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads results inside a bracket that says WRITE.
 *
 * Like https://github.com/ikwzm/udmabuf/issues/82: the sample that people
 * copied asked for the direction to the device before the CPU read.
 */
#include <string.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

#ifdef FIXED
#define ACCESS	DMA_BUF_SYNC_READ
#else
#define ACCESS	DMA_BUF_SYNC_WRITE
#endif

static uint8_t copy[LEN];

int main(void)
{
	struct buf result = buf_alloc(LEN);
	int dev = dev_open();
	int i;

	for (i = 1; i <= 2; i++) {
		/* OTHER */
		dev_fill(dev, &result, 0, LEN, i);
		fd_sync(result.fd, DMA_BUF_SYNC_START | ACCESS);
		/* EXPECT: possible-stale-read off=0 other=engine */
		/* EXPECT: stale-read off=0 other=engine */
		memcpy(copy, result.map, LEN);
		/* EXPECT: redundant-clean off=0 */
		fd_sync(result.fd, DMA_BUF_SYNC_END | ACCESS);
		check(is_all(copy, i, LEN));
	}
	return 0;
}
