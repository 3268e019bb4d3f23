// SPDX-License-Identifier: GPL-2.0-only
/*
 * stream DEVICE [MISTAKE]: a right program with V4L2's dma-bufs, for `heapsim
 * run`. It reads the frames of a camera, and draws some for a screen; each
 * plane is a buffer of the noncoherent heap. MISTAKE: one START or one END is
 * left out:
 *
 *	no-start	of one frame that the camera has given
 *	no-end		of one frame that is to be shown
 */
#include <fcntl.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../corpus/corpus.h"

#define NR_BUFS		3
#define NR_FRAMES	8
#define MISTAKEN_FRAME	5	/* each buffer has been held before */
#define MAX_PLANES	4

struct stream {
	int fd;
	uint32_t type;
	bool has_planes;
	bool is_output;
	unsigned int nr_planes;
	size_t len[MAX_PLANES];
	size_t pitch[MAX_PLANES];
	struct buf bufs[NR_BUFS][MAX_PLANES];
};

static const char *mistake = "";

static bool is_mistaken(const char *what, unsigned int frame)
{
	return frame == MISTAKEN_FRAME && !strcmp(mistake, what);
}

static void open_device(struct stream *stream, const char *path)
{
	struct v4l2_capability cap = { 0 };

	stream->fd = open(path, O_RDWR | O_CLOEXEC);
	need(stream->fd >= 0, path);
	need(!ioctl(stream->fd, VIDIOC_QUERYCAP, &cap), "ask the device");
	if (cap.device_caps & V4L2_CAP_VIDEO_CAPTURE)
		stream->type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
	else if (cap.device_caps & V4L2_CAP_VIDEO_CAPTURE_MPLANE)
		stream->type = V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE;
	else if (cap.device_caps & V4L2_CAP_VIDEO_OUTPUT)
		stream->type = V4L2_BUF_TYPE_VIDEO_OUTPUT;
	else if (cap.device_caps & V4L2_CAP_VIDEO_OUTPUT_MPLANE)
		stream->type = V4L2_BUF_TYPE_VIDEO_OUTPUT_MPLANE;
	need(stream->type, "find a camera or a screen");
	stream->has_planes = V4L2_TYPE_IS_MULTIPLANAR(stream->type);
	stream->is_output = V4L2_TYPE_IS_OUTPUT(stream->type);
}

static void set_format(struct stream *stream)
{
	struct v4l2_format format = { .type = stream->type };
	struct v4l2_pix_format_mplane *mp = &format.fmt.pix_mp;
	struct v4l2_pix_format *pix = &format.fmt.pix;
	unsigned int i;

	need(!ioctl(stream->fd, VIDIOC_G_FMT, &format), "get the format");
	if (stream->has_planes) {
		mp->pixelformat = V4L2_PIX_FMT_YUV420M;
		mp->width = 320;
		mp->height = 180;
		memset(mp->plane_fmt, 0, sizeof(mp->plane_fmt));
	} else {
		pix->pixelformat = V4L2_PIX_FMT_XBGR32;
		pix->width = 320;
		pix->height = 180;
		pix->bytesperline = 0;
		pix->sizeimage = 0;
	}
	need(!ioctl(stream->fd, VIDIOC_S_FMT, &format), "set the format");
	if (!stream->has_planes) {
		stream->nr_planes = 1;
		stream->len[0] = pix->sizeimage;
		stream->pitch[0] = pix->bytesperline;
		return;
	}
	stream->nr_planes = mp->num_planes;
	need(stream->nr_planes == 3, "have a format of three planes");
	for (i = 0; i < stream->nr_planes; i++) {
		stream->len[i] = mp->plane_fmt[i].sizeimage;
		stream->pitch[i] = mp->plane_fmt[i].bytesperline;
	}
}

static void set_rate(struct stream *stream)
{
	struct v4l2_streamparm rate = {
		.type = stream->type,
		.parm.capture.timeperframe = { 1, 15 },
	};

	/* A device with only one rate may refuse this. */
	ioctl(stream->fd, VIDIOC_S_PARM, &rate);
}

static void request(struct stream *stream, unsigned int nr)
{
	struct v4l2_requestbuffers buffers = {
		.count = nr,
		.type = stream->type,
		.memory = V4L2_MEMORY_DMABUF,
	};

	need(!ioctl(stream->fd, VIDIOC_REQBUFS, &buffers) &&
	     buffers.count == nr, "get places for buffers");
}

static void queue(struct stream *stream, unsigned int index)
{
	struct v4l2_plane planes[MAX_PLANES] = { 0 };
	struct v4l2_buffer buffer = {
		.index = index,
		.type = stream->type,
		.memory = V4L2_MEMORY_DMABUF,
		.field = V4L2_FIELD_NONE,
	};
	const struct buf *bufs = stream->bufs[index];
	unsigned int i;

	if (stream->has_planes) {
		for (i = 0; i < stream->nr_planes; i++) {
			planes[i].m.fd = bufs[i].fd;
			planes[i].length = bufs[i].len;
			planes[i].bytesused = bufs[i].len;
		}
		buffer.m.planes = planes;
		buffer.length = stream->nr_planes;
	} else {
		buffer.m.fd = bufs[0].fd;
		buffer.length = bufs[0].len;
		buffer.bytesused = bufs[0].len;
	}
	need(!ioctl(stream->fd, VIDIOC_QBUF, &buffer), "give a buffer");
}

static unsigned int dequeue(struct stream *stream)
{
	struct v4l2_plane planes[MAX_PLANES] = { 0 };
	struct v4l2_buffer buffer = {
		.type = stream->type,
		.memory = V4L2_MEMORY_DMABUF,
	};
	struct pollfd ready = {
		.fd = stream->fd,
		.events = stream->is_output ? POLLOUT : POLLIN,
	};

	if (stream->has_planes) {
		buffer.m.planes = planes;
		buffer.length = MAX_PLANES;
	}
	need(poll(&ready, 1, 20000) == 1, "wait for a buffer");
	need(!ioctl(stream->fd, VIDIOC_DQBUF, &buffer), "take a buffer");
	check(!(buffer.flags & V4L2_BUF_FLAG_ERROR));
	return buffer.index;
}

/*
 * vivid shows colour bars with moving text on them. The last rows have only
 * bars, so each equals the row above and has many colours.
 */
static bool is_picture(const uint8_t *plane, size_t len, size_t pitch)
{
	const uint8_t *row = plane + (len / pitch - 2) * pitch;
	unsigned int nr_steps = 0;
	size_t x;

	for (x = 4; x < pitch; x++)
		nr_steps += row[x] != row[x - 4];
	return nr_steps >= 4 && !memcmp(row, row + pitch, pitch);
}

static void look(struct stream *stream, unsigned int index, unsigned int frame,
		 uint64_t *last_sum)
{
	static uint8_t copy[4 * 320 * 180];
	uint64_t sum;
	unsigned int i;

	for (i = 0; i < stream->nr_planes; i++) {
		const struct buf *buf = &stream->bufs[index][i];

		need(buf->len <= sizeof(copy), "have room for a plane");
		if (!is_mistaken("no-start", frame))
			fd_sync(buf->fd, START_READ);
		memcpy(copy, buf->map, buf->len);
		fd_sync(buf->fd, END_READ);
		check(is_picture(copy, buf->len, stream->pitch[i]));
		if (i)
			continue;
		/* The text differs in every frame. */
		sum = sum_of(copy, buf->len);
		check(sum != *last_sum);
		*last_sum = sum;
	}
}

/* The screen reads memory, so no line of the frame may be dirty. */
static void draw(struct stream *stream, unsigned int index, unsigned int frame,
		 int dev)
{
	unsigned int i;

	for (i = 0; i < stream->nr_planes; i++) {
		const struct buf *buf = &stream->bufs[index][i];
		static uint8_t want[4 * 320 * 180];

		need(buf->len <= sizeof(want), "have room for a plane");
		memset(want, 0x10 * i + frame + 1, buf->len);
		fd_sync(buf->fd, START_WRITE);
		memset(buf->map, 0x10 * i + frame + 1, buf->len);
		if (!is_mistaken("no-end", frame))
			fd_sync(buf->fd, END_WRITE);
		check(dev_sum(dev, buf, 0, buf->len) ==
		      sum_of(want, buf->len));
	}
}

static void clear(struct stream *stream, unsigned int index)
{
	unsigned int i;

	for (i = 0; i < stream->nr_planes; i++) {
		const struct buf *buf = &stream->bufs[index][i];

		fd_sync(buf->fd, START_WRITE);
		memset(buf->map, 0x5f, buf->len);
		fd_sync(buf->fd, END_WRITE);
	}
}

int main(int argc, char **argv)
{
	static struct stream stream;
	unsigned int frame, index, i;
	uint64_t last_sum = 0;
	int dev = dev_open();

	need(argc >= 2, "usage: stream DEVICE [no-start|no-end]");
	if (argc > 2)
		mistake = argv[2];
	open_device(&stream, argv[1]);
	set_format(&stream);
	set_rate(&stream);
	request(&stream, NR_BUFS);
	for (index = 0; index < NR_BUFS; index++) {
		for (i = 0; i < stream.nr_planes; i++)
			stream.bufs[index][i] = buf_alloc(stream.len[i]);
		clear(&stream, index);
		queue(&stream, index);
	}
	need(!ioctl(stream.fd, VIDIOC_STREAMON, &stream.type),
	     "start the stream");
	for (frame = 0; frame < NR_FRAMES; frame++) {
		index = dequeue(&stream);
		if (stream.is_output)
			draw(&stream, index, frame, dev);
		else
			look(&stream, index, frame, &last_sum);
		queue(&stream, index);
	}
	need(!ioctl(stream.fd, VIDIOC_STREAMOFF, &stream.type),
	     "stop the stream");
	request(&stream, 0);
	for (index = 0; index < NR_BUFS; index++)
		for (i = 0; i < stream.nr_planes; i++)
			buf_free(&stream.bufs[index][i]);
	close(stream.fd);
	close(dev);
	printf("%u frames of %u planes\n", NR_FRAMES, stream.nr_planes);
	return 0;
}
