// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the header to get the length of the data, and calls START only then.
 *
 * Like https://github.com/STMicroelectronics/STM32CubeN6/issues/20: the owner
 * bit of a descriptor was read and written with no cache maintenance, though
 * the packets had some.
 */
#include <string.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

static uint8_t copy[LEN];

int main(void)
{
	struct buf packet = buf_alloc(LEN);
	int dev = dev_open();
	uint8_t nr_pages;
	int n;

	for (n = 1; n <= 3; n++) {
		/* OTHER */
		dev_fill(dev, &packet, 0, LEN, n);
#ifdef FIXED
		fd_sync(packet.fd, START_READ);
#endif
		/* EXPECT: possible-stale-read off=0 other=engine */
		/* EXPECT: stale-read off=0 other=engine */
		nr_pages = packet.map[0];
#ifndef FIXED
		fd_sync(packet.fd, START_READ);
#endif
		memcpy(copy, packet.map + PAGE, nr_pages * PAGE);
		fd_sync(packet.fd, END_READ);
		check(nr_pages == n && is_all(copy, n, n * PAGE));
	}
	return 0;
}
