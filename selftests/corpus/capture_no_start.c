// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes a picture of a V4L2 camera and looks at it as soon as it is dequeued.
 * The driver keeps its mapping of the buffer for the next picture.
 *
 * Like https://github.com/raspberrypi/libcamera/pull/79: the pipeline scaled
 * pictures in buffers of the application without DMA_BUF_IOCTL_SYNC.
 */
#include <string.h>

#include "camera.h"

static uint8_t copy[CAMERA_PICTURE];

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
	fd_sync(picture->fd, START_READ);
#endif
	/* EXPECT: unbracketed-access off=0 other=vmap */
	/* EXPECT: stale-read off=0 other=vmap */
	memcpy(copy, picture->map, CAMERA_PICTURE);
#ifdef FIXED
	fd_sync(picture->fd, END_READ);
#endif
	check(!is_all(copy, 0x5f, PAGE));
	camera_stop(camera);
	return 0;
}
