// SPDX-License-Identifier: GPL-2.0-only
/*
 * Uses two buffers in turn: while one is filled, the other is read. The index
 * is swapped too early, so that START is for the wrong buffer.
 *
 * Like https://github.com/stm32-rs/stm32h7xx-hal/pull/171, about which
 * half of a double buffer a program may use when they are swapped.
 */
#include <string.h>

#include "corpus.h"

#define LEN	(2 * PAGE)

static uint8_t copy[LEN];

int main(void)
{
	struct buf bufs[2] = { buf_alloc(LEN), buf_alloc(LEN) };
	int dev = dev_open();
	int n;

	for (n = 0; n < 4; n++) {
		struct buf *half = &bufs[n % 2];
#ifdef FIXED
		int fd = half->fd;
#else
		int fd = bufs[(n + 1) % 2].fd;
#endif
		/* OTHER */
		dev_fill(dev, half, 0, LEN, n + 1);
		/* EXPECT: redundant-invalidate off=0 */
		fd_sync(fd, START_READ);
		/* EXPECT: possible-stale-read off=0 other=engine */
		memcpy(copy, half->map, LEN);
		fd_sync(fd, END_READ);
		check(is_all(copy, n + 1, LEN));
	}
	return 0;
}
