// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes a texture and lets the engine read it, without any bracket.
 *
 * Like https://github.com/OpenSiFli/sifli-rs/pull/43: the display controller
 * took a buffer whose bytes were still in the CPU's cache, and showed garbage.
 */
#include <string.h>

#include "corpus.h"

#define LEN	(8 * PAGE)

static uint8_t want[LEN];

int main(void)
{
	struct buf texture = buf_alloc(LEN);
	int dev = dev_open();
	uint64_t sum;

	memset(want, 0x5a, LEN);
#ifdef FIXED
	fd_sync(texture.fd, START_WRITE);
#endif
	/* EXPECT: missing-clean off=0 other=engine */
	memset(texture.map, 0x5a, LEN);
#ifdef FIXED
	fd_sync(texture.fd, END_WRITE);
#endif
	/* OTHER */
	sum = dev_sum(dev, &texture, 0, LEN);
	check(sum == sum_of(want, LEN));
	return 0;
}
