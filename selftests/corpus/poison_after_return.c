// SPDX-License-Identifier: GPL-2.0-only
/*
 * Returns received blocks, but marks each as free only after the receiver has
 * filled it again: the mark stays in the cache, in a line of old data.
 *
 * Like https://github.com/STMicroelectronics/STM32CubeH7/issues/244: a pattern
 * was written to freed blocks, and lines of it appeared in data received later.
 * Here these lines are not read, cleaned or invalidated before the program
 * ends. The finding is a byte that a line overwrote when the cache wrote it
 * back, and so needs random eviction.
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
