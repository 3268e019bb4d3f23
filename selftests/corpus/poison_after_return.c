// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gives received blocks back, and marks each as free when the receiver has
 * filled it anew: the mark stays in the cache, with the old block around it.
 *
 * Like https://github.com/STMicroelectronics/STM32CubeH7/issues/244: a pattern
 * was put into blocks that were freed, and lines of it turned up in what came
 * later. Nobody reads, cleans or drops these lines here before the program
 * ends. What has to be found is a byte lost to a line that the cache wrote
 * back, and so it takes a cache that does.
 */
#include "corpus.h"

#define BLOCK	(2 * LINE)
#define LEN	(256 * PAGE)
#define MARK	0x77

#ifdef FIXED
#define ACCESS	DMA_BUF_SYNC_RW
#else
#define ACCESS	DMA_BUF_SYNC_READ
#endif

static void read_all(const struct buf *blocks, uint8_t value)
{
	check(is_all(blocks->map, value, LEN));
}

static void mark_all(struct buf *blocks)
{
	size_t off;

	for (off = 0; off < LEN; off += BLOCK)
		/* EXPECT: lost-device-write off=0 other=engine evict=only */
		*(volatile uint8_t *)(blocks->map + off) = MARK;
}

int main(void)
{
	struct buf blocks = buf_alloc(LEN);
	int dev = dev_open();

	dev_fill(dev, &blocks, 0, LEN, 1);
	fd_sync(blocks.fd, DMA_BUF_SYNC_START | ACCESS);
	read_all(&blocks, 1);
#ifdef FIXED
	mark_all(&blocks);
#endif
	fd_sync(blocks.fd, DMA_BUF_SYNC_END | ACCESS);
	/* OTHER */
	dev_fill(dev, &blocks, 0, LEN, 2);
#ifndef FIXED
	mark_all(&blocks);
#endif
	return 0;
}
