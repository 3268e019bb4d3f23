// SPDX-License-Identifier: GPL-2.0-only
/*
 * A plain program of dma-heaps: the CPU draws a frame, an engine copies it, the
 * CPU reads the copy. It uses the kernel's own interfaces; heapsim's alone is
 * the engine, in whose place a driver would stand. See README.rst.
 *
 * dma-heap [wrong] [HEAP]
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <linux/heapsim.h>

#define LEN	(64 << 10)

struct buffer {
	int fd;
	uint8_t *map;
};

static void die(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

static struct buffer buffer_alloc(int heap, const char *name)
{
	struct dma_heap_allocation_data alloc = {
		.len = LEN,
		.fd_flags = O_RDWR | O_CLOEXEC,
	};
	struct buffer buffer;

	if (ioctl(heap, DMA_HEAP_IOCTL_ALLOC, &alloc))
		die("DMA_HEAP_IOCTL_ALLOC");
	buffer.fd = (int)alloc.fd;
	/* Reports name the buffer so. */
	if (ioctl(buffer.fd, DMA_BUF_SET_NAME_B, (uint64_t)(uintptr_t)name))
		die("DMA_BUF_SET_NAME");
	buffer.map = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_SHARED,
			  buffer.fd, 0);
	if (buffer.map == MAP_FAILED)
		die("mmap");
	return buffer;
}

static void buffer_free(struct buffer buffer)
{
	munmap(buffer.map, LEN);
	close(buffer.fd);
}

/* Another driver's fence, or a signal, may interrupt it. */
static void buffer_sync(struct buffer buffer, uint64_t flags)
{
	struct dma_buf_sync sync = { .flags = flags };
	int ret;

	do {
		ret = ioctl(buffer.fd, DMA_BUF_IOCTL_SYNC, &sync);
	} while (ret && (errno == EINTR || errno == EAGAIN));
	if (ret)
		die("DMA_BUF_IOCTL_SYNC");
}

static void draw(struct buffer frame, int is_wrong)
{
	buffer_sync(frame, DMA_BUF_SYNC_START | DMA_BUF_SYNC_WRITE);
	memset(frame.map, 0x5a, LEN); /* DRAW */
	if (is_wrong)
		return;		/* What was drawn stays in the CPU's cache. */
	buffer_sync(frame, DMA_BUF_SYNC_END | DMA_BUF_SYNC_WRITE);
}

/* What a driver does with a buffer that it is given. */
static void engine_copy(struct buffer to, struct buffer from)
{
	struct heapsim_dma_submit submit = {
		.size = sizeof(submit),
		.op = HEAPSIM_DMA_COPY,
		.src_fd = from.fd,
		.dst_fd = to.fd,
		.row_len = LEN,
		.nr_rows = 1,
	};
	int dev = open("/dev/heapsim", O_RDWR | O_CLOEXEC);

	if (dev < 0)
		die("/dev/heapsim");
	if (ioctl(dev, HEAPSIM_IOC_DMA_SUBMIT, &submit))
		die("HEAPSIM_IOC_DMA_SUBMIT");
	close(submit.fence_fd);
	close(dev);
}

/* START waits for the engine, and drops what the CPU's cache holds. */
static int is_right(struct buffer copy)
{
	size_t nr_wrong = 0, i;

	buffer_sync(copy, DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ);
	for (i = 0; i < LEN; i++)
		nr_wrong += copy.map[i] != 0x5a;
	buffer_sync(copy, DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ);
	printf("%zu of %d bytes are wrong\n", nr_wrong, LEN);
	return !nr_wrong;
}

int main(int argc, char **argv)
{
	const int is_wrong = argc > 1 && !strcmp(argv[1], "wrong");
	const char *name = argc > 1 + is_wrong ? argv[1 + is_wrong] :
						 "noncoherent";
	struct buffer frame, copy;
	char path[64];
	int heap, ret;

	snprintf(path, sizeof(path), "/dev/dma_heap/%s", name);
	heap = open(path, O_RDONLY | O_CLOEXEC);
	if (heap < 0)
		die(path);
	frame = buffer_alloc(heap, "frame");
	copy = buffer_alloc(heap, "copy");
	close(heap);
	draw(frame, is_wrong);
	engine_copy(copy, frame);
	ret = is_right(copy);
	buffer_free(frame);
	buffer_free(copy);
	return ret ? EXIT_SUCCESS : EXIT_FAILURE;
}
