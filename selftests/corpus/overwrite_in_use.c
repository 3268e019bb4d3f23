// SPDX-License-Identifier: GPL-2.0-only
/*
 * Builds the next command list in the buffer that the engine still reads.
 *
 * Like https://github.com/grate-driver/libdrm/pull/13: command buffers were
 * recycled while the hardware executed them.
 */
#include <string.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

static uint8_t want[LEN];

int main(void)
{
	struct buf commands = buf_alloc(LEN);
	int dev = dev_open();
	uint64_t first, sum;

	fd_sync(commands.fd, START_WRITE);
	memset(commands.map, 1, LEN);
	fd_sync(commands.fd, END_WRITE);
	/* OTHER */
	first = dev_start_sum(dev, &commands, 0, LEN, 600 * MSEC);
#ifdef FIXED
	fd_sync(commands.fd, START_WRITE);
#endif
	/* EXPECT: unbracketed-access off=0 other=fence */
	/* EXPECT: missing-clean off=0 other=engine */
	memset(commands.map, 2, LEN);
#ifdef FIXED
	fd_sync(commands.fd, END_WRITE);
#endif
	memset(want, 1, LEN);
	sum = dev_wait(dev, first);
	check(sum == sum_of(want, LEN));
	return 0;
}
