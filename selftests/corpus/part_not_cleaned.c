// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sends a body and a trailer behind it. Only the body is cleaned: the trailer
 * was added later, by other code.
 *
 * Like https://github.com/thesofproject/sof/pull/117: of two buffers that a
 * device gets, one was written back from the cache and the other was not.
 */
#include <string.h>

#include "corpus.h"

#define BODY	(4 * PAGE)
#define LEN	(6 * PAGE)

#ifdef FIXED
#define CLEANED	LEN
#else
#define CLEANED	BODY
#endif

static uint8_t want[LEN];

static void write_body(uint8_t *at)
{
	memset(at, 0x0b, BODY);
}

static void write_trailer(uint8_t *at)
{
	/* EXPECT: missing-clean off=16384 other=engine */
	memset(at, 0x07, LEN - BODY);
}

int main(void)
{
	struct buf message = buf_alloc(LEN);
	int dev = dev_open();
	uint64_t sum;

	write_body(message.map);
	write_trailer(message.map + BODY);
	dev_maintain(dev, &message, HEAPSIM_MAINT_CLEAN, 0, CLEANED);
	/* OTHER */
	sum = dev_sum(dev, &message, 0, LEN);
	memset(want, 0x0b, BODY);
	memset(want + BODY, 0x07, LEN - BODY);
	check(sum == sum_of(want, LEN));
	return 0;
}
