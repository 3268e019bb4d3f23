// SPDX-License-Identifier: GPL-2.0-only
/*
 * A library to preload, which replaces buffers that a V4L2 program exports from
 * a device by buffers of a heap. v4l2-compliance supports only dma-bufs that
 * another V4L2 device exports (-e); with this library it streams with a heap's
 * buffers, without changes.
 *
 * HEAPSIM_EXPBUF_DEVICE: the exporting device; others are left alone
 * HEAPSIM_EXPBUF_HEAP:   the heap's node
 *
 * The device exports first, so that its errors are kept; then its buffer is
 * closed and replaced by one of the heap with the same length. The number of
 * replaced buffers is printed at the end.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/dma-heap.h>
#include <linux/videodev2.h>

static int (*next_ioctl)(int fd, unsigned long cmd, ...);
static unsigned int nr_replaced;

static bool is_exporter(int fd)
{
	const char *path = getenv("HEAPSIM_EXPBUF_DEVICE");
	struct stat ours, theirs;

	return path && !stat(path, &ours) && !fstat(fd, &theirs) &&
	       S_ISCHR(theirs.st_mode) && ours.st_rdev == theirs.st_rdev;
}

static __u64 length_of(int fd, const struct v4l2_exportbuffer *export)
{
	struct v4l2_plane planes[VIDEO_MAX_PLANES] = { 0 };
	struct v4l2_buffer buffer = {
		.type = export->type,
		.memory = V4L2_MEMORY_MMAP,
		.index = export->index,
	};
	const bool has_planes = V4L2_TYPE_IS_MULTIPLANAR(export->type);

	if (has_planes) {
		buffer.m.planes = planes;
		buffer.length = VIDEO_MAX_PLANES;
	}
	if (next_ioctl(fd, VIDIOC_QUERYBUF, &buffer))
		return 0;
	return has_planes ? planes[export->plane].length : buffer.length;
}

static int replace(int fd, struct v4l2_exportbuffer *export)
{
	struct dma_heap_allocation_data alloc = {
		.len = length_of(fd, export),
		.fd_flags = export->flags,
	};
	const char *path = getenv("HEAPSIM_EXPBUF_HEAP");
	int heap = open(path ? path : "", O_RDONLY | O_CLOEXEC);
	int ret;

	if (heap < 0) {
		fprintf(stderr, "expbuf: no heap %s\n", path ? path : "");
		abort();
	}
	ret = next_ioctl(heap, DMA_HEAP_IOCTL_ALLOC, &alloc);
	close(heap);
	close(export->fd);
	export->fd = ret ? -1 : (int)alloc.fd;
	nr_replaced += !ret;
	return ret;
}

int ioctl(int fd, unsigned long cmd, ...)
{
	va_list args;
	void *arg;
	int ret;

	va_start(args, cmd);
	arg = va_arg(args, void *);
	va_end(args);
	if (!next_ioctl)
		*(void **)&next_ioctl = dlsym(RTLD_NEXT, "ioctl");
	ret = next_ioctl(fd, cmd, arg);
	if (!ret && (unsigned int)cmd == VIDIOC_EXPBUF && is_exporter(fd))
		ret = replace(fd, arg);
	return ret;
}

__attribute__((destructor))
static void tell(void)
{
	fprintf(stderr, "expbuf: %u buffers of %s\n", nr_replaced,
		getenv("HEAPSIM_EXPBUF_HEAP"));
}
