// SPDX-License-Identifier: GPL-2.0-only
/*
 * A sheet of two sprites beside each other, which an engine draws. The CPU
 * clears the left one, in a bracket for writing alone, and its rows end within
 * a line: the right one gets back what the cache had of it, zeros. What is
 * cleared whole is right, though the cache has the same zeros.
 *
 * Like https://github.com/lvgl/lvgl/issues/3714: areas that CPU and DMA2D drew
 * in one frame neither began nor ended at lines.
 */
#include <string.h>

#include "corpus.h"

#define NR_ROWS		64
#define PITCH		256
#define LEN		(NR_ROWS * PITCH)

#ifdef FIXED
#define WIDTH		128
#else
#define WIDTH		96
#endif

static uint8_t copy[LEN], want[LEN];

int main(void)
{
	struct buf sheet = buf_alloc(LEN);
	int dev = dev_open();
	uint64_t sum;
	size_t i;

	dev_fill(dev, &sheet, 0, LEN, 0);
	fd_sync(sheet.fd, START_READ);
	memcpy(copy, sheet.map, LEN);
	fd_sync(sheet.fd, END_READ);
	/* OTHER */
	dev_fill(dev, &sheet, 0, LEN, 0x77);
	memset(want, 0x77, LEN);
	fd_sync(sheet.fd, START_WRITE);
	for (i = 0; i < NR_ROWS; i++) {
		/* EXPECT: lost-device-write off=64 other=engine */
		memset(sheet.map + i * PITCH, 0, WIDTH);
		memset(want + i * PITCH, 0, WIDTH);
	}
	fd_sync(sheet.fd, END_WRITE);
	sum = dev_sum(dev, &sheet, 0, LEN);
	check(sum == sum_of(want, LEN));
	return 0;
}
