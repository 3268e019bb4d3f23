// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes a screenshot of a buffer that a driver has mapped into the kernel and
 * draws into, outside any bracket.
 *
 * Like https://github.com/w23/obs-kmsgrab/issues/6: the screen's own buffer is
 * read without a way to know when it is complete.
 */
#include <string.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

static uint8_t copy[PAGE];

int main(void)
{
	struct buf screen = buf_alloc(LEN);
	int dev = dev_open();
	uint64_t driver;

	fd_sync(screen.fd, START_WRITE);
	memset(screen.map, 1, LEN);
	/* OTHER */
	driver = dev_hold(dev, screen.fd, HEAPSIM_HOLD_VMAP, 0);
	memset(screen.map, 2, PAGE);
	fd_sync(screen.fd, END_WRITE);

#ifdef FIXED
	fd_sync(screen.fd, START_READ);
#endif
	/* EXPECT: unbracketed-access off=4096 other=vmap */
	memcpy(copy, screen.map + PAGE, PAGE);
#ifdef FIXED
	fd_sync(screen.fd, END_READ);
#endif
	check(is_all(copy, 1, PAGE));
	dev_release(dev, driver);
	return 0;
}
