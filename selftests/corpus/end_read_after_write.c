// SPDX-License-Identifier: GPL-2.0-only
/*
 * Begins with READ and WRITE, ends with READ alone.
 *
 * <linux/dma-buf.h> requires that END has the flags of its START. A helper that
 * always calls END with the flags of a reader breaks this rule, as in
 * https://github.com/fxd0h/libdrmtap/pull/48 (STARTs and ENDs out of balance).
 */
#include <string.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

static uint8_t want[LEN];

static void done(struct buf *image)
{
#ifdef FIXED
	fd_sync(image->fd, END_RW);
#else
	fd_sync(image->fd, END_READ);
#endif
}

int main(void)
{
	struct buf image = buf_alloc(LEN);
	int dev = dev_open();
	uint64_t sum;

	dev_fill(dev, &image, 0, LEN, 0x11);
	/* EXPECT: missing-end off=0 */
	fd_sync(image.fd, START_RW);
	/* EXPECT: missing-clean off=8192 other=engine */
	memset(image.map + 2 * PAGE, 0x22, PAGE);
	done(&image);
	/* OTHER */
	sum = dev_sum(dev, &image, 0, LEN);

	memset(want, 0x11, LEN);
	memset(want + 2 * PAGE, 0x22, PAGE);
	check(sum == sum_of(want, LEN));
	return 0;
}
