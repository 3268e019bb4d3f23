/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A camera of vivid, the kernel's virtual video driver, that captures into
 * dma-bufs. Functions return 0 or -errno except where they say otherwise.
 */
#ifndef _SELFTESTS_VIVID_H
#define _SELFTESTS_VIVID_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/videodev2.h>

static inline int vivid_ioctl(int fd, unsigned long cmd, void *arg)
{
	int ret;

	do {
		ret = ioctl(fd, cmd, arg);
	} while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : 0;
}

/* Opens camera number @nr. Returns a descriptor, or -ENODEV. */
static inline int vivid_open(unsigned int nr)
{
	const uint32_t needed = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
	char path[32];
	int i, fd;

	for (i = 0; i < 64; i++) {
		struct v4l2_capability cap = { 0 };

		snprintf(path, sizeof(path), "/dev/video%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (!vivid_ioctl(fd, VIDIOC_QUERYCAP, &cap) &&
		    !strcmp((const char *)cap.driver, "vivid") &&
		    (cap.device_caps & needed) == needed && !nr--)
			return fd;
		close(fd);
	}
	return -ENODEV;
}

/*
 * Chooses the first input, pixels of four bytes, and a rate, which a camera
 * with only one rate ignores. The camera may choose another size.
 */
static inline int vivid_set_format(int fd, unsigned int width,
				   unsigned int height, unsigned int rate,
				   struct v4l2_pix_format *pix)
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
	struct v4l2_streamparm parm = {
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.parm.capture.timeperframe = { 1, rate },
	};
	int input = 0, err;

	err = vivid_ioctl(fd, VIDIOC_S_INPUT, &input);
	if (!err)
		err = vivid_ioctl(fd, VIDIOC_S_FMT, &format);
	*pix = format.fmt.pix;
	if (err)
		return err;
	vivid_ioctl(fd, VIDIOC_S_PARM, &parm);
	return pix->pixelformat == V4L2_PIX_FMT_XBGR32 ? 0 : -EINVAL;
}

/* Finds a control by its name, since vivid's controls have no constants. */
static inline int vivid_find_control(int fd, const char *name,
				     struct v4l2_queryctrl *query)
{
	*query = (struct v4l2_queryctrl) { .id = V4L2_CTRL_FLAG_NEXT_CTRL };
	while (!vivid_ioctl(fd, VIDIOC_QUERYCTRL, query)) {
		if (!strcmp((const char *)query->name, name))
			return 0;
		query->id |= V4L2_CTRL_FLAG_NEXT_CTRL;
	}
	return -ENOENT;
}

/* Makes places for @nr buffers; 0: releases all buffers. */
static inline int vivid_request(int fd, unsigned int nr)
{
	struct v4l2_requestbuffers request = {
		.count = nr,
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.memory = V4L2_MEMORY_DMABUF,
	};
	const int err = vivid_ioctl(fd, VIDIOC_REQBUFS, &request);

	return !err && request.count != nr ? -ENOMEM : err;
}

/* @cmd is VIDIOC_QBUF or VIDIOC_PREPARE_BUF; @len 0: that of the buffer. */
static inline int vivid_give(int fd, unsigned long cmd, unsigned int index,
			     int buf_fd, size_t len)
{
	struct v4l2_buffer buffer = {
		.index = index,
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.memory = V4L2_MEMORY_DMABUF,
		.m.fd = buf_fd,
		.length = (uint32_t)len,
	};

	return vivid_ioctl(fd, cmd, &buffer);
}

static inline int vivid_queue(int fd, unsigned int index, int buf_fd,
			      size_t len)
{
	return vivid_give(fd, VIDIOC_QBUF, index, buf_fd, len);
}

/*
 * Waits for a frame of @len bytes, but not longer than 20 s, since the queue
 * stalls if the camera has refused a buffer. Returns the buffer's index.
 */
static inline int vivid_dequeue(int fd, size_t len)
{
	struct v4l2_buffer buffer = {
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.memory = V4L2_MEMORY_DMABUF,
	};
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	int ret;

	do {
		ret = poll(&ready, 1, 20000);
	} while (ret < 0 && errno == EINTR);
	if (ret <= 0)
		return ret ? -errno : -ETIMEDOUT;
	ret = vivid_ioctl(fd, VIDIOC_DQBUF, &buffer);
	if (ret)
		return ret;
	return buffer.flags & V4L2_BUF_FLAG_ERROR || buffer.bytesused != len ?
	       -EIO : (int)buffer.index;
}

/* @cmd is VIDIOC_STREAMON or VIDIOC_STREAMOFF. */
static inline int vivid_stream(int fd, unsigned long cmd)
{
	int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;

	return vivid_ioctl(fd, cmd, &type);
}

#endif
