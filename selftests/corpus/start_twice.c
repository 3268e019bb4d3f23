// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls START when it maps the buffer and when it draws, but END only once.
 *
 * Like https://github.com/fxd0h/libdrmtap/issues/43: two STARTs and one END a
 * frame.
 */
#include <string.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

static uint8_t want[LEN];

int main(void)
{
	struct buf frame = buf_alloc(LEN);
	int dev = dev_open();
	uint64_t sum;

#ifndef FIXED
	fd_sync(frame.fd, START_WRITE);
#endif
	/* EXPECT: missing-end off=0 */
	fd_sync(frame.fd, START_WRITE);
	memset(frame.map, 0x43, LEN);
	fd_sync(frame.fd, END_WRITE);
	sum = dev_sum(dev, &frame, 0, LEN);
	memset(want, 0x43, LEN);
	check(sum == sum_of(want, LEN));
	return 0;
}
