// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads a surface that the engine has not drawn yet.
 *
 * Like https://github.com/hyprwm/Hyprland/pull/9806: clients' buffers were read
 * when they were handed over, before their fences had signalled.
 */
#include <string.h>

#include "corpus.h"

static uint8_t copy[PAGE];

int main(void)
{
	struct buf surface = buf_alloc(4 * PAGE);
	int dev = dev_open();
	uint64_t job;

	job = dev_start_fill(dev, &surface, 0, surface.len, 0x77, 600 * MSEC);
#ifdef FIXED
	fd_sync(surface.fd, START_READ);
#endif
	/* EXPECT: unbracketed-access off=4096 other=fence */
	memcpy(copy, surface.map + PAGE, PAGE);
#ifdef FIXED
	fd_sync(surface.fd, END_READ);
#endif
	check(is_all(copy, 0x77, PAGE));
	dev_wait(dev, job);
	return 0;
}
