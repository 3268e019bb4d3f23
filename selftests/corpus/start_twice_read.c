// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls START when it maps the buffer and when it reads, but END only once.
 *
 * Like https://github.com/fxd0h/libdrmtap/issues/43: two STARTs and one END a
 * frame. No byte is wrong.
 */
#include <string.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

static uint8_t copy[LEN];

int main(void)
{
	struct buf frame = buf_alloc(LEN);
	int dev = dev_open();

	dev_fill(dev, &frame, 0, LEN, 0x43);
#ifndef FIXED
	fd_sync(frame.fd, START_READ);
	memcpy(copy, frame.map, PAGE);
#endif
	/* EXPECT: unended-read off=0 */
	fd_sync(frame.fd, START_READ);
	memcpy(copy, frame.map, LEN);
	fd_sync(frame.fd, END_READ);
	check(is_all(copy, 0x43, LEN));
	return 0;
}
