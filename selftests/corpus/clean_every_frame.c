// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shows frames, of which only the first is drawn, and cleans for each.
 *
 * Like https://github.com/lvgl/lvgl/issues/3714: the whole cache was cleaned
 * before each transfer, also when nothing could be dirty.
 */
#include <string.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

static uint8_t want[LEN];

int main(void)
{
	struct buf frame = buf_alloc(LEN);
	int dev = dev_open();
	uint64_t sum = 0;
	int i;

	for (i = 0; i < 3; i++) {
		bool has_changed = !i;

#ifdef FIXED
		if (!has_changed)
			continue;
#endif
		fd_sync(frame.fd, START_WRITE);
		if (has_changed)
			memset(frame.map, 0x71, LEN);
		/* EXPECT: redundant-clean off=0 */
		fd_sync(frame.fd, END_WRITE);
	}
	sum = dev_sum(dev, &frame, 0, LEN);
	memset(want, 0x71, LEN);
	check(sum == sum_of(want, LEN));
	return 0;
}
