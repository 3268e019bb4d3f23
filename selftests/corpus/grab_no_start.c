// SPDX-License-Identifier: GPL-2.0-only
/*
 * Grabs the screen three times: the engine draws, the CPU copies, with no START
 * in between.
 *
 * Like https://github.com/fxd0h/libdrmtap/issues/10: one of several paths to a
 * frame was mapped and read without the bracket that the others had.
 */
#include <string.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

static uint8_t copy[LEN];

int main(void)
{
	struct buf screen = buf_alloc(LEN);
	int dev = dev_open();
	int i;

	for (i = 1; i <= 3; i++) {
		/* OTHER */
		dev_fill(dev, &screen, 0, LEN, i);
#ifdef FIXED
		fd_sync(screen.fd, START_READ);
#endif
		/* EXPECT: possible-stale-read off=0 other=engine */
		/* EXPECT: stale-read off=0 other=engine */
		memcpy(copy, screen.map, LEN);
#ifdef FIXED
		fd_sync(screen.fd, END_READ);
#endif
		check(is_all(copy, i, LEN));
	}
	return 0;
}
