// SPDX-License-Identifier: GPL-2.0-only
/*
 * A ring's control line: the device moves the head, the CPU moves the tail. The
 * CPU stores its half into a line that it still has from before.
 *
 * Like https://github.com/thesofproject/sof/pull/4640: descriptors that DSP and
 * DMA controller both write were corrupted by the cache's write-back.
 */
#include <string.h>

#include "corpus.h"

#define HEAD	0
#define TAIL	16
#define LEN	4

#ifdef FIXED
#define ACCESS	DMA_BUF_SYNC_RW
#else
#define ACCESS	DMA_BUF_SYNC_WRITE
#endif

int main(void)
{
	struct buf control = buf_alloc(PAGE);
	uint8_t want[LINE] = { 2, 2, 2, 2, [TAIL] = 1 };
	int dev = dev_open();
	uint64_t sum;
	uint8_t head;

	dev_fill(dev, &control, HEAD, LEN, 1);
	fd_sync(control.fd, START_READ);
	head = control.map[HEAD];
	fd_sync(control.fd, END_READ);
	/* OTHER */
	dev_fill(dev, &control, HEAD, LEN, 2);
	fd_sync(control.fd, DMA_BUF_SYNC_START | ACCESS);
	/* EXPECT: lost-device-write off=0 other=engine */
	control.map[TAIL] = head;
	fd_sync(control.fd, DMA_BUF_SYNC_END | ACCESS);
	sum = dev_sum(dev, &control, 0, LINE);
	check(sum == sum_of(want, LINE));
	return 0;
}
