// SPDX-License-Identifier: GPL-2.0-only
/*
 * The camera is vivid's capture device, found by the name of its driver, and
 * used with V4L2 and V4L2_MEMORY_DMABUF. One call captures, and keeps no state.
 */
#include "../vivid.h"
#include "camera.h"

/* Number of frames between the two that are kept, so that they differ */
#define NR_BETWEEN	8

static int set_format(int fd, unsigned int width, unsigned int height)
{
	struct v4l2_pix_format pix;
	int err = vivid_set_format(fd, width, height, 30, &pix);

	if (err)
		return err;
	return pix.width == width && pix.height == height &&
	       pix.bytesperline == width * 4 ? 0 : -EINVAL;
}

static int set_control(int fd, const char *name, int value)
{
	struct v4l2_control control = { .value = value };
	struct v4l2_queryctrl query;
	int err = vivid_find_control(fd, name, &query);

	if (err)
		return err;
	control.id = query.id;
	if (control.value > query.maximum)
		control.value = query.maximum;
	return vivid_ioctl(fd, VIDIOC_S_CTRL, &control);
}

/* The first frame stays in buffer 0; a later one is left in buffer 1. */
static int stream(int fd, const int fds[NR_FRAMES], size_t len)
{
	int nr_kept = 0, nr_seen = 0;
	int i, index, err;

	for (i = 0; i < NR_FRAMES; i++) {
		err = vivid_queue(fd, (unsigned int)i, fds[i], 0);
		if (err)
			return err;
	}
	err = vivid_stream(fd, VIDIOC_STREAMON);
	if (err)
		return err;
	while (nr_kept < NR_FRAMES) {
		index = vivid_dequeue(fd, len);
		if (index < 0)
			return index;
		if (index && nr_seen++ < NR_BETWEEN) {
			err = vivid_queue(fd, 1, fds[1], 0);
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
	int fd, err;

	*failed = "find a capture device of vivid";
	fd = vivid_open(0);
	if (fd < 0)
		return fd;
	*failed = "choose the input and set the format";
	err = set_format(fd, width, height);
	if (err)
		goto out;
	*failed = "set the controls";
	err = set_control(fd, "Vertical Flip", 1);
	if (!err)
		err = set_control(fd, "Horizontal Movement", 6);
	if (err)
		goto out;
	*failed = "get buffers";
	err = vivid_request(fd, NR_FRAMES);
	if (err)
		goto out;
	*failed = "capture into the buffers";
	err = stream(fd, fds, 4UL * width * height);
	vivid_stream(fd, VIDIOC_STREAMOFF);
	if (vivid_request(fd, 0) && !err)
		err = -EBUSY;
out:
	close(fd);
	return err;
}
