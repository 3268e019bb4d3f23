// SPDX-License-Identifier: GPL-2.0-only
/*
 * Puts messages into a ring for the engine, and cleans each up to the ring's
 * end: what has wrapped to its beginning stays in the cache.
 *
 * Like https://github.com/thesofproject/sof/pull/715: the write-back of what
 * was produced did not take the wrap into account, and the sound buzzed.
 */
#include <string.h>

#include "corpus.h"

#define LEN	(4 * PAGE)
#define MESSAGE	(3 * PAGE)

static uint8_t want[MESSAGE];

static void put(int dev, struct buf *ring, size_t off, uint8_t value)
{
	const size_t room = LEN - off;
	const size_t head = room < MESSAGE ? room : MESSAGE;

	memset(ring->map + off, value, head);
	dev_maintain(dev, ring, HEAPSIM_MAINT_CLEAN, off, head);
	if (head == MESSAGE)
		return;
	/* EXPECT: missing-clean off=0 other=engine */
	memset(ring->map, value, MESSAGE - head);
#ifdef FIXED
	dev_maintain(dev, ring, HEAPSIM_MAINT_CLEAN, 0, MESSAGE - head);
#endif
}

int main(void)
{
	struct buf ring = buf_alloc(LEN);
	int dev = dev_open();
	uint64_t sum;

	put(dev, &ring, 0, 0x31);
	sum = dev_sum(dev, &ring, 0, MESSAGE);
	memset(want, 0x31, MESSAGE);
	check(sum == sum_of(want, MESSAGE));
	put(dev, &ring, MESSAGE, 0x32);
	dev_sum(dev, &ring, MESSAGE, LEN - MESSAGE);
	/* OTHER */
	sum = dev_sum(dev, &ring, 0, 2 * MESSAGE - LEN);
	memset(want, 0x32, MESSAGE);
	check(sum == sum_of(want, 2 * MESSAGE - LEN));
	return 0;
}
