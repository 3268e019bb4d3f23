// SPDX-License-Identifier: GPL-2.0-only
/*
 * Draws a line of text into a captured picture without a bracket, and gives the
 * buffer back to the camera, which has had it mapped all the time.
 *
 * Like https://github.com/Gnurou/v4l2r/pull/57: a client that writes into a
 * capture buffer races with the hardware unless the cache is seen to.
 */
#include <string.h>

#include "camera.h"

#define LEN	(64 * PAGE)
#define TAIL	(60 * PAGE)

static uint8_t copy[PAGE];

static void give(int camera, unsigned int index, struct buf *buf)
{
	fd_sync(buf->fd, START_WRITE);
	memset(buf->map, 0x5f, LEN);
	/* OTHER */
	camera_queue(camera, index, buf);
	memset(buf->map + TAIL, index, PAGE);
	fd_sync(buf->fd, END_WRITE);
}

int main(void)
{
	struct buf bufs[2] = { buf_alloc(LEN), buf_alloc(LEN) };
	int camera = camera_open(2);
	struct buf *picture;

	give(camera, 0, &bufs[0]);
	give(camera, 1, &bufs[1]);
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
