// SPDX-License-Identifier: GPL-2.0-only
/*
 * Presets the output buffer and has the accelerator write into it, while the
 * preset bytes are still in the cache.
 *
 * Like https://github.com/blue-oil/blueoil/pull/957: a memset of the output
 * buffer was not followed by a sync, and its cache lines overwrote the FPGA's
 * results.
 */
#include <string.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

static uint8_t copy[LEN];

int main(void)
{
	struct buf output = buf_alloc(LEN);
	int dev = dev_open();

#ifdef FIXED
	fd_sync(output.fd, START_WRITE);
#endif
	/* EXPECT: write-conflict off=0 other=engine */
	/* EXPECT: lost-cpu-write off=0 other=process */
	memset(output.map, 0xff, LEN);
#ifdef FIXED
	fd_sync(output.fd, END_WRITE);
#endif
	/* OTHER */
	dev_fill(dev, &output, 0, LEN, 0x09);
	/* OTHER */
	fd_sync(output.fd, START_READ);
	memcpy(copy, output.map, LEN);
	fd_sync(output.fd, END_READ);
	check(is_all(copy, 0x09, LEN));
	return 0;
}
