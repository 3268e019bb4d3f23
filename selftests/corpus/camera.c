// SPDX-License-Identifier: GPL-2.0-only
/* vivid's camera with buffers of heapsim; see camera.h. */
#include <sys/file.h>

#include "../vivid.h"
#include "camera.h"

#define NOTES	(60 * PAGE)	/* their offset */

int camera_open(unsigned int nr_bufs)
{
	struct v4l2_pix_format pix;
	int camera = vivid_open(0);

	if (camera < 0)
		_exit(77);
	/* Only one program at a time can use the camera. */
	need(!flock(camera, LOCK_EX), "wait for the camera");
	need(!vivid_set_format(camera, 320, 180, 4, &pix) &&
	     pix.sizeimage == CAMERA_PICTURE, "set the format");
	need(!vivid_request(camera, nr_bufs), "get buffers");
	return camera;
}

void camera_noise(int camera)
{
	struct v4l2_control pattern = { 0 };
	struct v4l2_querymenu item = { 0 };
	struct v4l2_queryctrl query;

	need(!vivid_find_control(camera, "Test Pattern", &query),
	     "have pictures to choose from");
	pattern.id = query.id;
	item.id = query.id;
	for (item.index = 0; (int)item.index <= query.maximum; item.index++)
		if (!ioctl(camera, VIDIOC_QUERYMENU, &item) &&
		    !strcmp((char *)item.name, "Noise"))
			pattern.value = item.index;
	need(pattern.value && !ioctl(camera, VIDIOC_S_CTRL, &pattern),
	     "have noise for a picture");
}

void camera_queue(int camera, unsigned int index, const struct buf *buf)
{
	need(!vivid_queue(camera, index, buf->fd, buf->len), "queue a buffer");
}

void camera_lend(int camera, unsigned int index, const struct buf *buf)
{
	fd_sync(buf->fd, START_WRITE);
	memset(buf->map, 0x5f, CAMERA_BUF);
	camera_queue(camera, index, buf);
	memset(buf->map + NOTES, index, PAGE);
	fd_sync(buf->fd, END_WRITE);
}

unsigned int camera_dequeue(int camera)
{
	const int index = vivid_dequeue(camera, CAMERA_PICTURE);

	need(index >= 0, "take a picture");
	return (unsigned int)index;
}

void camera_start(int camera)
{
	need(!vivid_stream(camera, VIDIOC_STREAMON), "start the stream");
}

void camera_stop(int camera)
{
	need(!vivid_stream(camera, VIDIOC_STREAMOFF), "stop the stream");
	need(!vivid_request(camera, 0), "free buffers");
	close(camera);
}
