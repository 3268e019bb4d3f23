// SPDX-License-Identifier: GPL-2.0-only
/*
 * Draws a line of text into a captured picture without a bracket, and gives the
 * buffer back to the camera, which has had it mapped all the time.
 *
 * Like https://github.com/Gnurou/v4l2r/pull/57: a client that writes into a
 * capture buffer races with the hardware without cache maintenance.
 */
#include <string.h>

#include "camera.h"

static uint8_t copy[PAGE];

int main(void)
{
	struct buf bufs[2] = { buf_alloc(CAMERA_BUF), buf_alloc(CAMERA_BUF) };
	int camera = camera_open(2);
	struct buf *picture;

	/* OTHER */
	camera_lend(camera, 0, &bufs[0]);
	/* OTHER */
	camera_lend(camera, 1, &bufs[1]);
	camera_start(camera);
	picture = &bufs[camera_dequeue(camera)];
#ifdef FIXED
	fd_sync(picture->fd, START_RW);
#endif
	/* EXPECT: unbracketed-access off=4096 other=vmap */
	/* EXPECT: lost-cpu-write off=4096 other=process */
	memset(picture->map + PAGE, 0xee, PAGE);
#ifdef FIXED
	fd_sync(picture->fd, END_RW);
	fd_sync(picture->fd, START_READ);
	memcpy(copy, picture->map + PAGE, PAGE);
	fd_sync(picture->fd, END_READ);
#endif
	check(is_all(copy, 0xee, PAGE));
	/* OTHER */
	camera_stop(camera);
	return 0;
}
