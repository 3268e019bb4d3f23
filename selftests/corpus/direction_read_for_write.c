// SPDX-License-Identifier: GPL-2.0-only
/*
 * Draws a box into a frame inside a bracket that says READ; the encoder then
 * takes the frame.
 *
 * Like https://github.com/raspberrypi/picamera2/pull/1346: buffers were synced
 * for reading only, and what was drawn into them never reached the GPU.
 */
#include <string.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

#ifdef FIXED
#define ACCESS	DMA_BUF_SYNC_RW
#else
#define ACCESS	DMA_BUF_SYNC_READ
#endif

static uint8_t want[LEN];

int main(void)
{
	struct buf frame = buf_alloc(LEN);
	int dev = dev_open();
	uint64_t sum;

	dev_fill(dev, &frame, 0, LEN, 0x40);
	fd_sync(frame.fd, DMA_BUF_SYNC_START | ACCESS);
	/* EXPECT: missing-clean off=4096 other=engine */
	memset(frame.map + PAGE, 0xff, PAGE);
	fd_sync(frame.fd, DMA_BUF_SYNC_END | ACCESS);
	/* OTHER */
	sum = dev_sum(dev, &frame, 0, LEN);

	memset(want, 0x40, LEN);
	memset(want + PAGE, 0xff, PAGE);
	check(sum == sum_of(want, LEN));
	return 0;
}
