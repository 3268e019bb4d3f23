// SPDX-License-Identifier: GPL-2.0-only
/*
 * The camera is vivid's capture device, found by the name of its driver, and
 * used with V4L2 and V4L2_MEMORY_DMABUF. One call captures, and keeps no state.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "camera.h"

#define NR_DEVICES	64
#define FRAME_WAIT_MS	10000
/* Number of frames between the two that are kept, so that they differ */
#define NR_BETWEEN	8

static int xioctl(int fd, unsigned long cmd, void *arg)
{
	int ret;

	do {
		ret = ioctl(fd, cmd, arg);
	} while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : 0;
}

static int is_vivid_capture(int fd)
{
	struct v4l2_capability caps;
	unsigned int want = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;

	memset(&caps, 0, sizeof(caps));
	return !xioctl(fd, VIDIOC_QUERYCAP, &caps) &&
	       !strcmp((const char *)caps.driver, "vivid") &&
	       (caps.device_caps & want) == want;
}

static int camera_open(void)
{
	char path[32];
	int i, fd;

	for (i = 0; i < NR_DEVICES; i++) {
		snprintf(path, sizeof(path), "/dev/video%d", i);
		fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (is_vivid_capture(fd))
			return fd;
		close(fd);
	}
	return -ENODEV;
}

/* vivid's controls have no constants, so they are found by name. */
static int set_control(int fd, const char *name, int value)
{
	struct v4l2_queryctrl query = { .id = V4L2_CTRL_FLAG_NEXT_CTRL };
	struct v4l2_control control = { .value = value };

	while (!xioctl(fd, VIDIOC_QUERYCTRL, &query)) {
		if (!strcmp((const char *)query.name, name)) {
			control.id = query.id;
			if (control.value > query.maximum)
				control.value = query.maximum;
			return xioctl(fd, VIDIOC_S_CTRL, &control);
		}
		query.id |= V4L2_CTRL_FLAG_NEXT_CTRL;
	}
	return -ENOENT;
}

static int set_format(int fd, unsigned int width, unsigned int height)
{
	struct v4l2_format format = {
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.fmt.pix = {
			.width = width,
			.height = height,
			.pixelformat = V4L2_PIX_FMT_XBGR32,
			.field = V4L2_FIELD_NONE,
		},
	};
	const struct v4l2_pix_format *pix = &format.fmt.pix;
	int err;

	err = xioctl(fd, VIDIOC_S_FMT, &format);
	if (err)
		return err;
	if (pix->width != width || pix->height != height ||
	    pix->pixelformat != V4L2_PIX_FMT_XBGR32 ||
	    pix->bytesperline != width * 4)
		return -EINVAL;
	return 0;
}

static int queue(int fd, unsigned int index, int buf_fd)
{
	struct v4l2_buffer buffer = {
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.memory = V4L2_MEMORY_DMABUF,
		.index = index,
		.m.fd = buf_fd,
	};

	return xioctl(fd, VIDIOC_QBUF, &buffer);
}

/* Return: index of the buffer with the next frame, or -errno. */
static int dequeue(int fd)
{
	struct v4l2_buffer buffer = {
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.memory = V4L2_MEMORY_DMABUF,
	};
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	int ret, err;

	do {
		ret = poll(&poll_fd, 1, FRAME_WAIT_MS);
	} while (ret < 0 && errno == EINTR);
	if (ret <= 0)
		return ret ? -errno : -ETIMEDOUT;
	err = xioctl(fd, VIDIOC_DQBUF, &buffer);
	if (err)
		return err;
	return buffer.flags & V4L2_BUF_FLAG_ERROR ? -EIO : (int)buffer.index;
}

static int request(int fd, unsigned int count)
{
	struct v4l2_requestbuffers buffers = {
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.memory = V4L2_MEMORY_DMABUF,
		.count = count,
	};

	return xioctl(fd, VIDIOC_REQBUFS, &buffers);
}

/* The first frame stays in buffer 0; a later one is left in buffer 1. */
static int stream(int fd, const int fds[NR_FRAMES])
{
	int nr_kept = 0, nr_seen = 0;
	int i, index, err;

	for (i = 0; i < NR_FRAMES; i++) {
		err = queue(fd, (unsigned int)i, fds[i]);
		if (err)
			return err;
	}
	i = V4L2_BUF_TYPE_VIDEO_CAPTURE;
	err = xioctl(fd, VIDIOC_STREAMON, &i);
	if (err)
		return err;
	while (nr_kept < NR_FRAMES) {
		index = dequeue(fd);
		if (index < 0)
			return index;
		if (index && nr_seen++ < NR_BETWEEN) {
			err = queue(fd, 1, fds[1]);
			if (err)
				return err;
		} else {
			nr_kept++;
		}
	}
	return 0;
}

/*
 * camera_capture() - capture two frames that are some frames apart
 * @fds: dma-bufs of at least @width * @height * 4 bytes
 * @width: pixels
 * @height: pixels
 * @failed: out, on failure: the step that failed, in words
 *
 * The camera is upside down, and its picture moves. The driver has released the
 * buffers when the call returns.
 *
 * Return: 0, -ENODEV (no vivid), -ETIMEDOUT (no frame arrives), or the error of
 * the driver.
 */
int camera_capture(const int fds[NR_FRAMES], unsigned int width,
		   unsigned int height, const char **failed)
{
	struct v4l2_streamparm rate = {
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.parm.capture.timeperframe = { 1, 30 },
	};
	int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
	int input = 0;
	int fd, err;

	*failed = "find a capture device of vivid";
	fd = camera_open();
	if (fd < 0)
		return fd;
	*failed = "choose the input";
	err = xioctl(fd, VIDIOC_S_INPUT, &input);
	if (err)
		goto out;
	*failed = "set the format";
	err = set_format(fd, width, height);
	if (err)
		goto out;
	xioctl(fd, VIDIOC_S_PARM, &rate);
	*failed = "set the controls";
	err = set_control(fd, "Vertical Flip", 1);
	if (!err)
		err = set_control(fd, "Horizontal Movement", 6);
	if (err)
		goto out;
	*failed = "get buffers";
	err = request(fd, NR_FRAMES);
	if (err)
		goto out;
	*failed = "capture into the buffers";
	err = stream(fd, fds);
	xioctl(fd, VIDIOC_STREAMOFF, &type);
	if (request(fd, 0) && !err)
		err = -EBUSY;
out:
	close(fd);
	return err;
}
