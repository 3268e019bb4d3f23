// SPDX-License-Identifier: GPL-2.0-only
/*
 * Invalidates width times height bytes, although rows are longer in memory.
 *
 * Like https://github.com/DragonMinded/libdragon/pull/116: lines that belong to
 * the range were left out, since its layout in memory was computed wrongly.
 */
#include <string.h>

#include "corpus.h"

#define WIDTH		768
#define PITCH		1024
#define HEIGHT		16

#ifdef FIXED
#define SIZE		(PITCH * HEIGHT)
#else
#define SIZE		(WIDTH * HEIGHT)
#endif

static uint8_t copy[HEIGHT][WIDTH];

int main(void)
{
	struct buf picture = buf_alloc(PITCH * HEIGHT);
	int dev = dev_open();
	int n, y;

	for (n = 1; n <= 3; n++) {
		/* OTHER */
		dev_fill(dev, &picture, 0, picture.len, n);
		dev_maintain(dev, &picture, HEAPSIM_MAINT_INVALIDATE, 0, SIZE);
		for (y = 0; y < HEIGHT; y++)
			/* EXPECT: possible-stale-read off=12288 other=engine */
			/* EXPECT: stale-read off=12288 other=engine */
			memcpy(copy[y], picture.map + y * PITCH, WIDTH);
		check(is_all(copy, n, sizeof(copy)));
	}
	return 0;
}
