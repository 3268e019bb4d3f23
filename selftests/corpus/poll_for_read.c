// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens its bracket early, and polls the buffer for POLLIN before it draws:
 * POLLIN waits for writers of the buffer, not for the engine that still reads.
 *
 * The kernel's documentation of dma-buf, "Implicit Fence Poll Support", says
 * which event is which access. https://github.com/hyprwm/Hyprland/pull/9774
 * discusses what a compositor can wait for with a descriptor.
 */
#include <poll.h>
#include <string.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

static uint8_t want[LEN];

int main(void)
{
	struct buf frame = buf_alloc(LEN);
	struct pollfd idle = {
		.fd = frame.fd,
#ifdef FIXED
		.events = POLLOUT,
#else
		.events = POLLIN,
#endif
	};
	int dev = dev_open();
	uint64_t first, sum;

	fd_sync(frame.fd, START_WRITE);
	memset(frame.map, 1, LEN);
	fd_sync(frame.fd, END_WRITE);
	fd_sync(frame.fd, START_WRITE);
	first = dev_start_sum(dev, &frame, 0, LEN, 600 * MSEC);
	need(poll(&idle, 1, 10000) == 1, "wait for the buffer");
	/* EXPECT: unbracketed-access off=0 other=fence */
	memset(frame.map, 2, LEN);
	fd_sync(frame.fd, END_WRITE);
	sum = dev_wait(dev, first);
	memset(want, 1, LEN);
	check(sum == sum_of(want, LEN));
	sum = dev_sum(dev, &frame, 0, LEN);
	memset(want, 2, LEN);
	check(sum == sum_of(want, LEN));
	return 0;
}
