// SPDX-License-Identifier: GPL-2.0-only
/*
 * Duplicates the first buffer's descriptor twice instead of those of two
 * buffers: a worker's START is for another buffer than the one it reads.
 *
 * Like https://github.com/intel/IA-Hardware-Composer/pull/90: the first plane's
 * descriptor was kept for every plane.
 */
#include <string.h>
#include <unistd.h>

#include "corpus.h"

#define LEN	(2 * PAGE)

static uint8_t copy[LEN];

int main(void)
{
	struct buf bufs[2] = { buf_alloc(LEN), buf_alloc(LEN) };
	int dev = dev_open();
	int fds[2], n;

	for (n = 0; n < 2; n++)
#ifdef FIXED
		fds[n] = dup(bufs[n].fd);
#else
		fds[n] = dup(bufs[0].fd);
#endif
	for (n = 1; n <= 2; n++) {
		dev_fill(dev, &bufs[0], 0, LEN, n);
		/* OTHER */
		dev_fill(dev, &bufs[1], 0, LEN, 0x10 * n);
		fd_sync(fds[1], START_READ);
		/* EXPECT: possible-stale-read off=0 other=engine */
		/* EXPECT: stale-read off=0 other=engine */
		memcpy(copy, bufs[1].map, LEN);
		fd_sync(fds[1], END_READ);
		check(is_all(copy, 0x10 * n, LEN));
	}
	return 0;
}
