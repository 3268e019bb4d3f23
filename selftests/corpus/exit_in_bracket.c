// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lends a frame to a client that draws into it, and never takes it back: the
 * bracket is open when the program ends.
 *
 * Like https://github.com/xbmc/xbmc/pull/28983: each frame that was drawn by
 * way of a lent buffer left a START without END.
 */
#include <string.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

static uint8_t want[LEN];

int main(void)
{
	struct buf frame = buf_alloc(LEN);
	int dev = dev_open();

	/* EXPECT: missing-end off=0 */
	fd_sync(frame.fd, START_WRITE);
	memset(frame.map, 0x28, LEN);
#ifdef FIXED
	fd_sync(frame.fd, END_WRITE);
#endif
	/* Other programs would read the frame now. */
	memset(want, 0x28, LEN);
	if (IS_FIXED)
		check(dev_sum(dev, &frame, 0, LEN) == sum_of(want, LEN));
	return 0;
}
