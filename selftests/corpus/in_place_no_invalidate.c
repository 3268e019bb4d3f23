// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lets an engine invert a picture in place. The CPU's writes are cleaned, but
 * the CPU then reads its own cache lines instead of the result.
 *
 * Like https://github.com/DragonMinded/libdragon/pull/937: DMA was started
 * while the CPU's cache still had lines of the destination.
 */
#include <string.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

static uint8_t copy[LEN];

int main(void)
{
	struct buf picture = buf_alloc(LEN);
	int dev = dev_open();

	fd_sync(picture.fd, START_WRITE);
	memset(picture.map, 0x0f, LEN);
	fd_sync(picture.fd, END_WRITE);
	/* OTHER */
	dev_invert(dev, &picture, 0, LEN);
#ifdef FIXED
	fd_sync(picture.fd, START_READ);
#endif
	/* EXPECT: stale-read off=0 other=engine evict=possible-stale-read */
	memcpy(copy, picture.map, LEN);
#ifdef FIXED
	fd_sync(picture.fd, END_READ);
#endif
	check(is_all(copy, 0xf0, LEN));
	return 0;
}
