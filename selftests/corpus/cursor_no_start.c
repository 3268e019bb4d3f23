// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads a cursor's picture once, without START. The bytes happen to be right:
 * nothing of them was in the cache.
 *
 * Like https://github.com/fxd0h/libdrmtap/pull/38: the cursor's mapping was
 * read outside any bracket, while that of the screen had one.
 */
#include <string.h>

#include "corpus.h"

static uint8_t copy[PAGE];

int main(void)
{
	struct buf cursor = buf_alloc(4 * PAGE);
	int dev = dev_open();

	/* OTHER */
	dev_fill(dev, &cursor, 0, cursor.len, 0xc5);
#ifdef FIXED
	fd_sync(cursor.fd, START_READ);
#endif
	/* EXPECT: possible-stale-read off=8192 other=engine */
	memcpy(copy, cursor.map + 2 * PAGE, PAGE);
#ifdef FIXED
	fd_sync(cursor.fd, END_READ);
#endif
	check(is_all(copy, 0xc5, PAGE));
	return 0;
}
