// SPDX-License-Identifier: GPL-2.0-only
/*
 * A signal handler writes to the buffer after the main program's bracket.
 *
 * Like https://github.com/micropython/micropython/issues/1677: an interrupt
 * handler that touches the buffer's lines while DMA is under way.
 */
#include <signal.h>
#include <string.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

static struct buf status;
static uint8_t want[LEN];

static void on_event(int sig)
{
#ifdef FIXED
	fd_sync(status.fd, START_WRITE);
#endif
	/* EXPECT: missing-clean off=4096 other=engine */
	memset(status.map + PAGE, sig, PAGE);
#ifdef FIXED
	fd_sync(status.fd, END_WRITE);
#endif
}

int main(void)
{
	int dev = dev_open();
	uint64_t sum;

	status = buf_alloc(LEN);
	signal(SIGUSR1, on_event);
	fd_sync(status.fd, START_WRITE);
	memset(status.map, 1, LEN);
	fd_sync(status.fd, END_WRITE);
	raise(SIGUSR1);
	/* OTHER */
	sum = dev_sum(dev, &status, 0, LEN);
	memset(want, 1, LEN);
	memset(want + PAGE, SIGUSR1, PAGE);
	check(sum == sum_of(want, LEN));
	return 0;
}
