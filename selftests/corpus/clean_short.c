// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sends 48 KiB, but cleans no more than one transfer may have.
 *
 * Like https://github.com/PaulStoffregen/SPI/pull/61: the count had been cut to
 * the most of one DMA transfer before it was used to flush the cache.
 */
#include <string.h>

#include "corpus.h"

#define LEN		(48 * KIB)
#define MOST		(32 * KIB)

#ifdef FIXED
#define COUNT		LEN
#else
#define COUNT		MOST
#endif

static uint8_t want[LEN];

int main(void)
{
	struct buf page = buf_alloc(LEN);
	int dev = dev_open();
	uint64_t sum;

	/* EXPECT: missing-clean off=32768 other=engine */
	memset(page.map, 0x61, LEN);
	dev_maintain(dev, &page, HEAPSIM_MAINT_CLEAN, 0, COUNT);
	/* OTHER */
	sum = dev_sum(dev, &page, 0, LEN);
	memset(want, 0x61, LEN);
	check(sum == sum_of(want, LEN));
	return 0;
}
