// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls START for each buffer of a camera when it is dequeued for the first
 * time, and never END: the program sees the first pictures again and again. The
 * driver keeps its mappings. A row of noise is the same as before once in 160
 * times, so the first rows of a picture may not be stale.
 *
 * Like https://github.com/edgarigl/v4l-dmabuf-example, which has no START at
 * all, and https://github.com/fxd0h/libdrmtap/issues/43, which lacks ENDs.
 */
#include <string.h>

#include "camera.h"

#define NR_BUFS		2
#define NR_PICTURES	8

static uint8_t copies[2][CAMERA_PICTURE];

int main(void)
{
	struct buf bufs[NR_BUFS] = {
		buf_alloc(CAMERA_BUF), buf_alloc(CAMERA_BUF),
	};
	int camera = camera_open(NR_BUFS);
	struct buf *picture;
	unsigned int i;

	camera_noise(camera);
	for (i = 0; i < NR_BUFS; i++) {
		/* OTHER */
		camera_lend(camera, i, &bufs[i]);
	}
	camera_start(camera);
	for (i = 0; i < NR_PICTURES; i++) {
		unsigned int index = camera_dequeue(camera);

		picture = &bufs[index];
		if (IS_FIXED || i < NR_BUFS) {
			/* EXPECT: stale-read off=0..2560 other=vmap */
			/* EXPECT: unended-read off=0 */
			fd_sync(picture->fd, START_READ);
		}
		memcpy(copies[i % 2], picture->map, CAMERA_PICTURE);
		if (IS_FIXED)
			fd_sync(picture->fd, END_READ);
		check(memcmp(copies[0], copies[1], CAMERA_PICTURE));
		camera_queue(camera, index, picture);
	}
	camera_stop(camera);
	return 0;
}
