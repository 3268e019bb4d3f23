// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two threads draw, and END is called before the slower one has finished.
 *
 * Like https://github.com/xbmc/xbmc/pull/28983: frames that were shown had an
 * open bracket and a live writable mapping in the client that had drawn them.
 */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

static uint8_t want[LEN];

static void *draw_slowly(void *arg)
{
	struct buf *frame = arg;

	usleep(400000);
	/* EXPECT: missing-clean off=8192 other=engine */
	memset(frame->map + 2 * PAGE, 2, 2 * PAGE);
	return NULL;
}

int main(void)
{
	struct buf frame = buf_alloc(LEN);
	int dev = dev_open();
	pthread_t helper;
	uint64_t sum;

	fd_sync(frame.fd, START_WRITE);
	need(!pthread_create(&helper, NULL, draw_slowly, &frame), "thread");
	memset(frame.map, 1, 2 * PAGE);
#ifdef FIXED
	pthread_join(helper, NULL);
	fd_sync(frame.fd, END_WRITE);
#else
	fd_sync(frame.fd, END_WRITE);
	pthread_join(helper, NULL);
#endif
	/* OTHER */
	sum = dev_sum(dev, &frame, 0, LEN);
	memset(want, 1, LEN);
	memset(want + 2 * PAGE, 2, 2 * PAGE);
	check(sum == sum_of(want, LEN));
	return 0;
}
