// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads a decoded picture of two planes, each a dma-buf of its own, but begins
 * access to the first one twice.
 *
 * Like https://github.com/hyprwm/xdg-desktop-portal-hyprland/pull/427: of
 * several planes only the first one's descriptor was used.
 */
#include <string.h>

#include "corpus.h"

#define LEN	(2 * PAGE)

static uint8_t copy[2][LEN];

int main(void)
{
	struct buf plane[2] = { buf_alloc(LEN), buf_alloc(LEN) };
	int dev = dev_open();
	int n, i;

	for (n = 1; n <= 2; n++) {
		dev_fill(dev, &plane[0], 0, LEN, 0x10 + n);
		/* OTHER */
		dev_fill(dev, &plane[1], 0, LEN, 0x80 + n);
		for (i = 0; i < 2; i++)
#ifdef FIXED
			fd_sync(plane[i].fd, START_READ);
#else
			/* EXPECT: redundant-invalidate off=0 */
			fd_sync(plane[0].fd, START_READ);
#endif
		memcpy(copy[0], plane[0].map, LEN);
		/* EXPECT: possible-stale-read off=0 other=engine */
		/* EXPECT: stale-read off=0 other=engine */
		memcpy(copy[1], plane[1].map, LEN);
		for (i = 0; i < 2; i++)
#ifdef FIXED
			fd_sync(plane[i].fd, END_READ);
#else
			fd_sync(plane[0].fd, END_READ);
#endif
		check(is_all(copy[0], 0x10 + n, LEN));
		check(is_all(copy[1], 0x80 + n, LEN));
	}
	return 0;
}
