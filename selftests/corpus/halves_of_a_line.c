// SPDX-License-Identifier: GPL-2.0-only
/*
 * A mailbox: 32 bytes that the device writes, and behind them 32 that the CPU
 * writes, in one line.
 *
 * Like https://github.com/zephyrproject-rtos/zephyr/pull/42546: four buffers of
 * 16 bytes shared one line, and the CPU wrote some of them.
 */
#include <string.h>

#include "corpus.h"

#ifdef FIXED
#define SLOT	LINE
#else
#define SLOT	32
#endif

static uint8_t received[SLOT], sent[SLOT];

int main(void)
{
	struct buf mailbox = buf_alloc(PAGE);
	int dev = dev_open();
	uint64_t sum;

	/* EXPECT: write-conflict off=0 other=engine */
	/* EXPECT: lost-device-write off=0 other=engine */
	memset(mailbox.map + SLOT, 0x22, SLOT);
	/* OTHER */
	dev_fill(dev, &mailbox, 0, SLOT, 0x11);
	/* EXPECT: shared-line off=0 */
	dev_maintain(dev, &mailbox, HEAPSIM_MAINT_INVALIDATE, 0, SLOT);
	memcpy(received, mailbox.map, SLOT);
	check(is_all(received, 0x11, SLOT));
	/* EXPECT: redundant-clean off=32 */
	dev_maintain(dev, &mailbox, HEAPSIM_MAINT_CLEAN, SLOT, SLOT);
	sum = dev_sum(dev, &mailbox, SLOT, SLOT);
	memset(sent, 0x22, SLOT);
	check(sum == sum_of(sent, SLOT));
	return 0;
}
