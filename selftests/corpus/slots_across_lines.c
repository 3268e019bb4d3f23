// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receives into slots of one line and a half, and invalidates one of them.
 *
 * Like https://github.com/STMicroelectronics/STM32CubeF7/issues/95: a start
 * that is not aligned was rounded down, over the bytes of the preceding data.
 */
#include <string.h>

#include "corpus.h"

#ifdef FIXED
#define SLOT	(2 * LINE)
#else
#define SLOT	(LINE + LINE / 2)
#endif

static uint8_t copy[SLOT];

int main(void)
{
	struct buf slots = buf_alloc(PAGE);
	int dev = dev_open();

	dev_fill(dev, &slots, 0, SLOT, 1);
	dev_fill(dev, &slots, SLOT, SLOT, 2);
	/* EXPECT: shared-line off=64 */
	dev_maintain(dev, &slots, HEAPSIM_MAINT_INVALIDATE, SLOT, SLOT);
	memcpy(copy, slots.map + SLOT, SLOT);
	check(is_all(copy, 2, SLOT));
	return 0;
}
