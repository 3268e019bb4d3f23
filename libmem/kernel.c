// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: the seam to the kernel, and the only file that knows its structs:
 * /dev/heapsim, /dev/dma_heap and the ioctls of a dma-buf. No state.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"
#include "uapi/linux/heapsim.h"

/* Above the longest time for which the kernel lets a fence be pending. */
#define FENCE_WAIT_MS		20000

static_assert(sizeof(struct mem_counters) == sizeof(struct heapsim_counters),
	      "counters are copied as a whole");
static_assert(offsetof(struct mem_counters, unmatched_ends) ==
	      offsetof(struct heapsim_counters, unmatched_ends),
	      "counters are copied as a whole");
static_assert(MEM_NAME_LEN == HEAPSIM_NAME_LEN, "names are copied");
static_assert((int)MEM_KIND_FOREIGN == (int)HEAPSIM_KIND_FOREIGN,
	      "kinds have the same numbers");
static_assert((int)MEM_POLICY_OFF == (int)HEAPSIM_POLICY_OFF,
	      "policies have the same numbers");
static_assert((int)MEM_MAINT_CLEAN_INVALIDATE ==
	      (int)HEAPSIM_MAINT_CLEAN_INVALIDATE,
	      "operations have the same numbers");
static_assert(MEM_READ == DMA_BUF_SYNC_READ,
	      "accesses have the same numbers");
static_assert(MEM_WRITE == DMA_BUF_SYNC_WRITE,
	      "accesses have the same numbers");

uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* For calls that may simply be made again. */
static int ioctl_again(int fd, unsigned long cmd, void *arg)
{
	int ret;

	do {
		ret = ioctl(fd, cmd, arg);
	} while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : 0;
}

static int open_again(const char *path, int flags)
{
	int fd;

	do {
		fd = open(path, flags);
	} while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : fd;
}

int kernel_open(int *fd)
{
	int new = open_again("/dev/heapsim", O_RDWR | O_CLOEXEC);

	if (new < 0)
		return new;
	*fd = new;
	return 0;
}

int kernel_probe(int fd, struct mem_probe *probe)
{
	struct heapsim_probe arg = { .size = sizeof(arg) };
	int err;

	err = ioctl_again(fd, HEAPSIM_IOC_PROBE, &arg);
	if (err)
		return err;
	probe->abi_version = arg.abi_version;
	probe->line_size = arg.line_size;
	probe->fill_size = arg.fill_size;
	probe->page_size = arg.page_size;
	probe->policy = arg.policy;
	probe->evict_random = arg.evict_random;
	probe->io_coherent = arg.io_coherent;
	probe->seed = arg.seed;
	memcpy(probe->soc, arg.soc, sizeof(probe->soc));
	return 0;
}

int kernel_alloc(int fd, enum mem_kind kind, uint64_t len, const char *name,
		 int *buf_fd)
{
	struct heapsim_buf_alloc arg = {
		.size = sizeof(arg),
		.fd_flags = O_RDWR | O_CLOEXEC,
		.len = len,
		.kind = kind,
	};
	int err;

	if (name)
		strncpy(arg.name, name, sizeof(arg.name) - 1);
	err = ioctl_again(fd, HEAPSIM_IOC_BUF_ALLOC, &arg);
	if (err)
		return err;
	*buf_fd = arg.fd;
	return 0;
}

int kernel_alloc_heap(const char *heap, uint64_t len, int *buf_fd)
{
	struct dma_heap_allocation_data arg = {
		.len = len,
		.fd_flags = O_RDWR | O_CLOEXEC,
	};
	char path[300];
	int fd, err;

	snprintf(path, sizeof(path), "/dev/dma_heap/%s", heap);
	fd = open_again(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fd;
	err = ioctl_again(fd, DMA_HEAP_IOCTL_ALLOC, &arg);
	close(fd);
	if (err)
		return err;
	*buf_fd = (int)arg.fd;
	return 0;
}

int kernel_buf_info(int fd, int buf_fd, struct mem_buf_info *info)
{
	struct heapsim_buf_info arg = {
		.size = sizeof(arg),
		.fd = buf_fd,
	};
	int err;

	err = ioctl_again(fd, HEAPSIM_IOC_BUF_INFO, &arg);
	if (err)
		return err;
	info->kind = arg.kind;
	info->id = arg.id;
	info->len = arg.len;
	info->has_two_views = arg.has_two_views;
	info->nr_holders = arg.nr_holders;
	memcpy(info->name, arg.name, sizeof(info->name));
	memcpy(&info->count, &arg.count, sizeof(info->count));
	return 0;
}

int kernel_sync(int buf_fd, unsigned int access, bool is_end)
{
	struct dma_buf_sync arg = {
		.flags = access |
			 (is_end ? DMA_BUF_SYNC_END : DMA_BUF_SYNC_START),
	};
	int err;

	do {
		err = ioctl_again(buf_fd, DMA_BUF_IOCTL_SYNC, &arg);
	} while (err == -EAGAIN);
	return err;
}

int kernel_wait_fences(int buf_fd, bool for_write)
{
	uint64_t end = now_ns() + FENCE_WAIT_MS * (NS_PER_S / 1000);
	struct pollfd poll_fd = {
		.fd = buf_fd,
		.events = for_write ? POLLOUT : POLLIN,
	};
	int timeout_ms = FENCE_WAIT_MS;
	uint64_t now;
	int ret;

	for (;;) {
		ret = poll(&poll_fd, 1, timeout_ms);
		if (ret > 0)
			return 0;
		if (!ret)
			return -ETIMEDOUT;
		if (errno != EINTR && errno != EAGAIN)
			return -errno;
		now = now_ns();
		timeout_ms = now < end ?
			     (int)((end - now) / (NS_PER_S / 1000)) : 0;
	}
}

#define NR_RANGES_ON_STACK	16

int kernel_maintain(int fd, const struct mem_range *ranges, size_t nr_ranges,
		    size_t *nr_done)
{
	struct heapsim_range few[NR_RANGES_ON_STACK], *list = few;
	struct heapsim_buf_maintain arg = { .size = sizeof(arg) };
	size_t i;
	int err;

	*nr_done = 0;
	if (nr_ranges > HEAPSIM_MAX_RANGES)
		return -EINVAL;
	for (i = 0; i < nr_ranges; i++)
		if (!ranges[i].buf || ranges[i].reserved)
			return -EINVAL;
	if (nr_ranges > NR_RANGES_ON_STACK) {
		list = malloc(nr_ranges * sizeof(*list));
		if (!list)
			return -ENOMEM;
	}
	for (i = 0; i < nr_ranges; i++)
		list[i] = (struct heapsim_range) {
			.fd = ranges[i].buf->fd,
			.op = ranges[i].op,
			.off = ranges[i].off,
			.len = ranges[i].len,
		};
	arg.nr_ranges = (uint32_t)nr_ranges;
	arg.ranges = (uintptr_t)list;
	err = ioctl_again(fd, HEAPSIM_IOC_BUF_MAINTAIN, &arg);
	*nr_done = arg.nr_done;
	if (list != few)
		free(list);
	return err;
}

int kernel_submit(int fd, enum job_op op, const struct mem_copy2d *rows,
		  uint64_t *job, int *fence_fd)
{
	static const uint32_t ops[] = {
		[JOB_FILL] = HEAPSIM_DMA_FILL,
		[JOB_COPY] = HEAPSIM_DMA_COPY,
		[JOB_CHECKSUM] = HEAPSIM_DMA_CHECKSUM,
	};
	struct heapsim_dma_submit arg = {
		.size = sizeof(arg),
		.op = ops[op],
		.src_fd = rows->src ? rows->src->fd : -1,
		.dst_fd = rows->dst ? rows->dst->fd : -1,
		.pattern = rows->pattern,
		.src_off = rows->src_off,
		.dst_off = rows->dst_off,
		.src_pitch = rows->src_pitch,
		.dst_pitch = rows->dst_pitch,
		.row_len = rows->row_len,
		.nr_rows = rows->nr_rows,
		.delay_ns = rows->delay_ns,
	};
	int err;

	err = ioctl_again(fd, HEAPSIM_IOC_DMA_SUBMIT, &arg);
	if (err)
		return err;
	*job = arg.job;
	*fence_fd = arg.fence_fd;
	return 0;
}

/* Not restarted here: the time that is left changes. */
int kernel_job_wait(int fd, uint64_t job, uint64_t timeout_ns,
		    uint64_t *result, int *status)
{
	struct heapsim_job_wait arg = {
		.size = sizeof(arg),
		.job = job,
		.timeout_ns = timeout_ns,
	};

	if (ioctl(fd, HEAPSIM_IOC_JOB_WAIT, &arg) < 0)
		return -errno;
	*result = arg.result;
	*status = arg.status;
	return 0;
}
