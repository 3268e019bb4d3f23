// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replaces a buffer by a larger one, which gets the same descriptor number, and
 * goes on drawing through the mapping of the old one.
 *
 * Like the review of https://github.com/fxd0h/libdrmtap/pull/8: after a new
 * descriptor had been received, the old one's buffer was mapped.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "corpus.h"

#define SMALL	(2 * PAGE)
#define LARGE	(4 * PAGE)

static uint8_t want[LARGE];

int main(void)
{
	struct buf view = buf_alloc(SMALL);
	int dev = dev_open();
	uint64_t sum;

	fd_sync(view.fd, START_WRITE);
	memset(view.map, 1, SMALL);
	fd_sync(view.fd, END_WRITE);
	dev_sum(dev, &view, 0, SMALL);

	close(view.fd);
	view.fd = fd_alloc(LARGE, O_RDWR);
#ifdef FIXED
	view.map = fd_map(view.fd, LARGE);
#endif
	fd_sync(view.fd, START_WRITE);
	memset(view.map, 2, SMALL);
	/* EXPECT: redundant-clean off=0 */
	fd_sync(view.fd, END_WRITE);
	sum = dev_sum(dev, &view, 0, LARGE);
	memset(want, 2, SMALL);
	check(sum == sum_of(want, LARGE));
	return 0;
}
