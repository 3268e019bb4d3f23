// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls END after the job is submitted. The engine may read correct data if it
 * is slow, but from the submit on it may read at any moment.
 *
 * Like https://github.com/au-ts/sddf/issues/740: entries of a queue had not
 * left the cache when they were submitted to the device.
 */
#include <string.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

static uint8_t want[LEN];

int main(void)
{
	struct buf queue = buf_alloc(LEN);
	int dev = dev_open();
	uint64_t job;

	fd_sync(queue.fd, START_WRITE);
	/* EXPECT: missing-clean off=0 other=engine */
	memset(queue.map, 0x75, LEN);
#ifdef FIXED
	fd_sync(queue.fd, END_WRITE);
#endif
	/* OTHER */
	job = dev_start_sum(dev, &queue, 0, LEN, 600 * MSEC);
#ifndef FIXED
	fd_sync(queue.fd, END_WRITE);
#endif
	memset(want, 0x75, LEN);
	check(dev_wait(dev, job) == sum_of(want, LEN));
	return 0;
}
