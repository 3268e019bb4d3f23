// SPDX-License-Identifier: GPL-2.0-only
/* Functions that the programs of the corpus share; see corpus.h. */
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-heap.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "corpus.h"
#include "../pass.h"

void need(bool is_there, const char *what)
{
	if (is_there)
		return;
	perror(what);
	exit(2);
}

void check_if(bool matters, bool is_right, const char *what, int line)
{
	if (is_right || !matters)
		return;
	fprintf(stderr, "line %d: not so: %s\n", line, what);
	exit(1);
}

int fd_alloc(size_t len, uint32_t flags)
{
	struct dma_heap_allocation_data data = {
		.len = len,
		.fd_flags = flags | O_CLOEXEC,
	};
	int heap = open("/dev/dma_heap/noncoherent", O_RDONLY | O_CLOEXEC);

	need(heap >= 0, "/dev/dma_heap/noncoherent");
	need(!ioctl(heap, DMA_HEAP_IOCTL_ALLOC, &data), "allocate a buffer");
	close(heap);
	return data.fd;
}

uint8_t *fd_map(int fd, size_t len)
{
	void *map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	need(map != MAP_FAILED, "map a buffer");
	return map;
}

void fd_sync(int fd, uint64_t flags)
{
	struct dma_buf_sync sync = { .flags = flags };

	need(!ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync), "sync a buffer");
}

void fd_wait(int fence_fd)
{
	struct pollfd fence = { .fd = fence_fd, .events = POLLIN };

	need(poll(&fence, 1, 10000) == 1, "wait for a fence");
}

struct buf buf_alloc(size_t len)
{
	struct buf buf = { .fd = fd_alloc(len, O_RDWR), .len = len };

	buf.map = fd_map(buf.fd, len);
	return buf;
}

void buf_free(struct buf *buf)
{
	munmap(buf->map, buf->len);
	close(buf->fd);
}

int dev_open(void)
{
	int dev = open("/dev/heapsim", O_RDWR | O_CLOEXEC);

	need(dev >= 0, "/dev/heapsim");
	return dev;
}

static uint64_t start(int dev, struct heapsim_dma_submit *job)
{
	job->size = sizeof(*job);
	job->nr_rows = 1;
	need(!ioctl(dev, HEAPSIM_IOC_DMA_SUBMIT, job), "submit a job");
	close(job->fence_fd);
	return job->job;
}

uint64_t dev_wait(int dev, uint64_t job)
{
	struct heapsim_job_wait wait = {
		.size = sizeof(wait),
		.job = job,
		.timeout_ns = 60000 * MSEC,
	};

	while (ioctl(dev, HEAPSIM_IOC_JOB_WAIT, &wait))
		need(errno == EINTR, "wait for a job");
	need(!wait.status, "finish a job");
	return wait.result;
}

uint64_t dev_start_fill(int dev, const struct buf *buf, size_t off, size_t len,
			uint8_t value, uint64_t delay_ns)
{
	struct heapsim_dma_submit job = {
		.op = HEAPSIM_DMA_FILL,
		.src_fd = -1,
		.dst_fd = buf->fd,
		.dst_off = off,
		.row_len = len,
		.pattern = value * 0x01010101u,
		.delay_ns = delay_ns,
	};

	return start(dev, &job);
}

uint64_t dev_start_sum(int dev, const struct buf *buf, size_t off, size_t len,
		       uint64_t delay_ns)
{
	struct heapsim_dma_submit job = {
		.op = HEAPSIM_DMA_CHECKSUM,
		.src_fd = buf->fd,
		.dst_fd = -1,
		.src_off = off,
		.row_len = len,
		.delay_ns = delay_ns,
	};

	return start(dev, &job);
}

void dev_fill(int dev, const struct buf *buf, size_t off, size_t len,
	      uint8_t value)
{
	dev_wait(dev, dev_start_fill(dev, buf, off, len, value, 0));
}

uint64_t dev_sum(int dev, const struct buf *buf, size_t off, size_t len)
{
	return dev_wait(dev, dev_start_sum(dev, buf, off, len, 0));
}

static void copy(int dev, const struct buf *dst, size_t dst_off,
		 const struct buf *src, size_t src_off, size_t len,
		 uint32_t pattern)
{
	struct heapsim_dma_submit job = {
		.op = HEAPSIM_DMA_COPY,
		.src_fd = src->fd,
		.dst_fd = dst->fd,
		.pattern = pattern,
		.src_off = src_off,
		.dst_off = dst_off,
		.row_len = len,
	};

	dev_wait(dev, start(dev, &job));
}

void dev_copy(int dev, const struct buf *dst, size_t dst_off,
	      const struct buf *src, size_t src_off, size_t len)
{
	copy(dev, dst, dst_off, src, src_off, len, 0);
}

void dev_invert(int dev, const struct buf *buf, size_t off, size_t len)
{
	copy(dev, buf, off, buf, off, len, 0xffffffff);
}

void dev_maintain(int dev, const struct buf *buf, uint32_t op, size_t off,
		  size_t len)
{
	struct heapsim_range range = {
		.fd = buf->fd,
		.op = op,
		.off = off,
		.len = len,
	};
	struct heapsim_buf_maintain maintain = {
		.size = sizeof(maintain),
		.nr_ranges = 1,
		.ranges = (uintptr_t)&range,
	};

	need(!ioctl(dev, HEAPSIM_IOC_BUF_MAINTAIN, &maintain),
	     "maintain a range");
}

uint64_t dev_hold(int dev, int fd, uint32_t how, uint32_t dir)
{
	struct heapsim_hold hold = {
		.size = sizeof(hold),
		.how = how,
		.fd = fd,
		.dir = dir,
	};

	need(!ioctl(dev, HEAPSIM_IOC_HOLD, &hold), "import a buffer");
	return hold.hold;
}

void dev_release(int dev, uint64_t hold)
{
	struct heapsim_release release = {
		.size = sizeof(release),
		.hold = hold,
	};

	need(!ioctl(dev, HEAPSIM_IOC_RELEASE, &release), "release a buffer");
}

uint64_t sum_of(const void *bytes, size_t len)
{
	const uint8_t *at = bytes;
	uint64_t sum = 0xcbf29ce484222325ULL;

	while (len--)
		sum = (sum ^ *at++) * 0x100000001b3ULL;
	return sum;
}

bool is_all(const void *bytes, uint8_t value, size_t len)
{
	const uint8_t *at = bytes;

	while (len--)
		if (*at++ != value)
			return false;
	return true;
}

void fd_send(int sock, int fd)
{
	need(!pass_fd(sock, fd), "send a descriptor");
}

int fd_receive(int sock)
{
	const int fd = passed_fd(sock);

	need(fd >= 0, "receive a descriptor");
	return fd;
}
