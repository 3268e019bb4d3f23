// SPDX-License-Identifier: GPL-2.0-only
/*
 * A child draws into a frame that a display has imported, in the bracket of its
 * parent.
 *
 * Like https://github.com/raspberrypi/picamera2/pull/1346, which had to state
 * that other processes may no longer alter an image that one process synced.
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

static uint8_t want[LEN];

static void draw_title(struct buf *frame)
{
#ifdef FIXED
	fd_sync(frame->fd, START_WRITE);
#endif
	/* EXPECT: unbracketed-access off=8192 other=device */
	memset(frame->map + 2 * PAGE, 3, PAGE);
#ifdef FIXED
	fd_sync(frame->fd, END_WRITE);
#endif
}

int main(void)
{
	struct buf frame = buf_alloc(LEN);
	int dev = dev_open();
	uint64_t display, sum;
	pid_t child;

	fd_sync(frame.fd, START_WRITE);
	memset(frame.map, 1, LEN);
	/* OTHER */
	display = dev_hold(dev, frame.fd, HEAPSIM_HOLD_MAP,
			   HEAPSIM_DIR_TO_DEVICE);
	child = fork();
	if (!child) {
		draw_title(&frame);
		_exit(0);
	}
	need(waitpid(child, NULL, 0) == child, "wait for the child");
	memset(frame.map, 2, PAGE);
	fd_sync(frame.fd, END_WRITE);
	sum = dev_sum(dev, &frame, 0, LEN);
	dev_release(dev, display);

	memset(want, 1, LEN);
	memset(want, 2, PAGE);
	memset(want + 2 * PAGE, 3, PAGE);
	check(sum == sum_of(want, LEN));
	return 0;
}
