// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sends a message that begins in the middle of a line, and cleans as many lines
 * as its length has.
 *
 * Like https://github.com/rsta2/circle/pull/630: the loop over the lines of a
 * range began at its first byte, and so left out the last line of a range that
 * is not aligned.
 */
#include <string.h>

#include "corpus.h"

#define OFF		40
#define LEN		200

#ifdef FIXED
#define NR_LINES	((OFF % LINE + LEN + LINE - 1) / LINE)
#else
#define NR_LINES	(LEN / LINE)
#endif

static uint8_t want[LEN];

int main(void)
{
	struct buf outbox = buf_alloc(PAGE);
	int dev = dev_open();
	uint64_t sum;

	/* EXPECT: missing-clean off=192 other=engine */
	memset(outbox.map + OFF, 0x6f, LEN);
	dev_maintain(dev, &outbox, HEAPSIM_MAINT_CLEAN, OFF - OFF % LINE,
		     NR_LINES * LINE);
	/* OTHER */
	sum = dev_sum(dev, &outbox, OFF, LEN);
	memset(want, 0x6f, LEN);
	check(sum == sum_of(want, LEN));
	return 0;
}
