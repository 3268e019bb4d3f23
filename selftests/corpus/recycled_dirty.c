// SPDX-License-Identifier: GPL-2.0-only
/*
 * Swaps the bytes of received samples where they are, and gives the buffer back
 * to be filled again, dirty.
 *
 * Like https://github.com/zephyrproject-rtos/zephyr/pull/42206: blocks went
 * back to the receiver with lines that were still to be written back.
 */
#include <string.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

#ifdef FIXED
#define ACCESS	DMA_BUF_SYNC_RW
#else
#define ACCESS	DMA_BUF_SYNC_READ
#endif

static uint8_t copy[LEN];

int main(void)
{
	struct buf samples = buf_alloc(LEN);
	int dev = dev_open();
	size_t i;
	int n;

	for (n = 1; n <= 3; n++) {
		/* OTHER */
		dev_fill(dev, &samples, 0, LEN, n);
		/* OTHER */
		fd_sync(samples.fd, DMA_BUF_SYNC_START | ACCESS);
		for (i = 0; i < LEN; i++)
			/* EXPECT: write-conflict off=0 other=engine */
			/* EXPECT: lost-cpu-write off=0 other=process */
			samples.map[i] ^= 0xff;
		memcpy(copy, samples.map, LEN);
		fd_sync(samples.fd, DMA_BUF_SYNC_END | ACCESS);
		check(is_all(copy, n ^ 0xff, LEN));
	}
	return 0;
}
