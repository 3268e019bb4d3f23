// SPDX-License-Identifier: GPL-2.0-only
/*
 * A function registered with atexit(3) blanks the screen and shows it, without
 * a bracket: those of the main program are closed.
 *
 * Like https://github.com/mrcodetastic/ESP32-HUB75-MatrixPanel-DMA/issues/910:
 * after the flush of each pixel was removed, in favour of one for the whole
 * frame, the screen stayed black.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

static struct buf screen;
static int dev;
static uint8_t want[LEN];

static void show(uint8_t colour)
{
	/* OTHER */
	uint64_t sum = dev_sum(dev, &screen, 0, LEN);

	memset(want, colour, LEN);
	if (IS_FIXED && sum != sum_of(want, LEN))
		_exit(1);
}

static void blank(void)
{
#ifdef FIXED
	fd_sync(screen.fd, START_WRITE);
#endif
	/* EXPECT: missing-clean off=0 other=engine */
	memset(screen.map, 0, LEN);
#ifdef FIXED
	fd_sync(screen.fd, END_WRITE);
#endif
	show(0);
}

int main(void)
{
	dev = dev_open();
	screen = buf_alloc(LEN);
	atexit(blank);
	fd_sync(screen.fd, START_WRITE);
	memset(screen.map, 0xff, LEN);
	fd_sync(screen.fd, END_WRITE);
	show(0xff);
	return 0;
}
