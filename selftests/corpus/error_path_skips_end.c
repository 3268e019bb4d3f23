// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stamps a frame; where the frame is not what was expected, the function
 * returns without END.
 *
 * Like https://github.com/fxd0h/libdrmtap/issues/43, too: when the map failed,
 * the START before it was never ended.
 */
#include <string.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

static uint8_t want[LEN];

static int stamp(struct buf *frame, uint8_t magic)
{
	/* EXPECT: missing-end off=0 */
	fd_sync(frame->fd, START_RW);
	/* EXPECT: missing-clean off=0 other=engine */
	memset(frame->map, 0x99, PAGE);
	if (frame->map[2 * PAGE] != magic) {
#ifdef FIXED
		fd_sync(frame->fd, END_RW);
#endif
		return -1;
	}
	fd_sync(frame->fd, END_RW);
	return 0;
}

int main(void)
{
	struct buf frame = buf_alloc(LEN);
	int dev = dev_open();
	uint64_t sum;
	int ret;

	dev_fill(dev, &frame, 0, LEN, 1);
	ret = stamp(&frame, 2);
	check(ret == -1);
	/* OTHER */
	sum = dev_sum(dev, &frame, 0, LEN);
	memset(want, 1, LEN);
	memset(want, 0x99, PAGE);
	check(sum == sum_of(want, LEN));
	buf_free(&frame);
	return 0;
}
