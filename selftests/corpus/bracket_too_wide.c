// SPDX-License-Identifier: GPL-2.0-only
/*
 * Only reads, but asks for READ and WRITE: each END looks for dirty lines.
 *
 * Like https://github.com/raspberrypi/linux/pull/6995: on arm64 a sync for READ
 * did the maintenance that only a sync for WRITE needs.
 */
#include <string.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

#ifdef FIXED
#define ACCESS	DMA_BUF_SYNC_READ
#else
#define ACCESS	DMA_BUF_SYNC_RW
#endif

static uint8_t copy[LEN];

int main(void)
{
	struct buf frame = buf_alloc(LEN);
	int dev = dev_open();
	int n;

	for (n = 1; n <= 2; n++) {
		dev_fill(dev, &frame, 0, LEN, n);
		fd_sync(frame.fd, DMA_BUF_SYNC_START | ACCESS);
		memcpy(copy, frame.map, LEN);
		/* EXPECT: redundant-clean off=0 */
		fd_sync(frame.fd, DMA_BUF_SYNC_END | ACCESS);
		check(is_all(copy, n, LEN));
	}
	return 0;
}
