// SPDX-License-Identifier: GPL-2.0-only
/* vivid's camera with buffers of heapsim; see camera.h. */
#include <fcntl.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "camera.h"

#define TYPE	V4L2_BUF_TYPE_VIDEO_CAPTURE
#define NOTES	(60 * PAGE)	/* their offset */

static int find_vivid(void)
{
	char path[32];
	int i, fd;

	for (i = 0; i < 16; i++) {
		struct v4l2_capability cap = { 0 };

		snprintf(path, sizeof(path), "/dev/video%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (!ioctl(fd, VIDIOC_QUERYCAP, &cap) &&
		    !strcmp((char *)cap.driver, "vivid") &&
		    cap.device_caps & V4L2_CAP_VIDEO_CAPTURE)
			return fd;
		close(fd);
	}
	_exit(77);
}

static void request(int camera, unsigned int nr)
{
	struct v4l2_requestbuffers buffers = {
		.count = nr,
		.type = TYPE,
		.memory = V4L2_MEMORY_DMABUF,
	};

	need(!ioctl(camera, VIDIOC_REQBUFS, &buffers), "get buffers");
}

int camera_open(unsigned int nr_bufs)
{
	int camera = find_vivid(), input = 0;
	struct v4l2_format format = {
		.type = TYPE,
		.fmt.pix = {
			.width = 320,
			.height = 180,
			.pixelformat = V4L2_PIX_FMT_XBGR32,
			.field = V4L2_FIELD_NONE,
		},
	};
	struct v4l2_streamparm rate = {
		.type = TYPE,
		.parm.capture.timeperframe = { 1, 4 },
	};

	/* Only one program at a time can use the camera. */
	need(!flock(camera, LOCK_EX), "wait for the camera");
	need(!ioctl(camera, VIDIOC_S_INPUT, &input), "choose an input");
	need(!ioctl(camera, VIDIOC_S_FMT, &format) &&
	     format.fmt.pix.sizeimage == CAMERA_PICTURE, "set the format");
	ioctl(camera, VIDIOC_S_PARM, &rate);
	request(camera, nr_bufs);
	return camera;
}

/* vivid's controls have no constants, so they are found by name. */
void camera_noise(int camera)
{
	struct v4l2_queryctrl query = { .id = V4L2_CTRL_FLAG_NEXT_CTRL };
	struct v4l2_control pattern = { 0 };
	struct v4l2_querymenu item = { 0 };

	while (!ioctl(camera, VIDIOC_QUERYCTRL, &query)) {
		if (!strcmp((char *)query.name, "Test Pattern"))
			break;
		query.id |= V4L2_CTRL_FLAG_NEXT_CTRL;
	}
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
	struct v4l2_buffer buffer = {
		.index = index,
		.type = TYPE,
		.memory = V4L2_MEMORY_DMABUF,
		.m.fd = buf->fd,
		.length = buf->len,
	};

	need(!ioctl(camera, VIDIOC_QBUF, &buffer), "queue a buffer");
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
	struct v4l2_buffer buffer = {
		.type = TYPE,
		.memory = V4L2_MEMORY_DMABUF,
	};
	struct pollfd ready = { .fd = camera, .events = POLLIN };

	need(poll(&ready, 1, 10000) == 1, "wait for a picture");
	need(!ioctl(camera, VIDIOC_DQBUF, &buffer), "take a picture");
	return buffer.index;
}

void camera_start(int camera)
{
	int type = TYPE;

	need(!ioctl(camera, VIDIOC_STREAMON, &type), "start the stream");
}

void camera_stop(int camera)
{
	int type = TYPE;

	need(!ioctl(camera, VIDIOC_STREAMOFF, &type), "stop the stream");
	request(camera, 0);
	close(camera);
}
