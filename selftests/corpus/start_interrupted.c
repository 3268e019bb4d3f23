// SPDX-License-Identifier: GPL-2.0-only
/*
 * START waits for the engine and is interrupted by a timer. The program ignores
 * the error, reads, and calls END for a bracket that was never opened.
 *
 * Like the review of https://github.com/fxd0h/libdrmtap/pull/13: START may
 * fail, and then neither the pixels nor the END are right.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>

#include "corpus.h"

static uint8_t copy[PAGE];

static void on_timer(int sig)
{
	(void)sig;
}

static void begin(struct buf *frame)
{
	struct dma_buf_sync sync = { .flags = START_READ };

#ifdef FIXED
	while (ioctl(frame->fd, DMA_BUF_IOCTL_SYNC, &sync) && errno == EINTR)
		;
#else
	ioctl(frame->fd, DMA_BUF_IOCTL_SYNC, &sync);
#endif
}

int main(void)
{
	const struct sigaction action = { .sa_handler = on_timer };
	const struct itimerval often = {
		.it_value.tv_usec = 100000,
		.it_interval.tv_usec = 100000,
	};
	const struct itimerval never = { 0 };
	struct buf frame = buf_alloc(4 * PAGE);
	int dev = dev_open();
	uint64_t job;

	sigaction(SIGALRM, &action, NULL);
	job = dev_start_fill(dev, &frame, 0, frame.len, 0x3e, 1000 * MSEC);
	setitimer(ITIMER_REAL, &often, NULL);
	begin(&frame);
	setitimer(ITIMER_REAL, &never, NULL);
	/* EXPECT: unbracketed-access off=4096 other=fence */
	memcpy(copy, frame.map + PAGE, PAGE);
	/* EXPECT: unmatched-end off=0 */
	fd_sync(frame.fd, END_READ);
	check(is_all(copy, 0x3e, PAGE));
	dev_wait(dev, job);
	return 0;
}
