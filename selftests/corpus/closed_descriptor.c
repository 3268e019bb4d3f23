// SPDX-License-Identifier: GPL-2.0-only
/*
 * Closes the descriptor after mapping the buffer, as is usual with files, and
 * uses its number for START, but ignores the error EBADF.
 *
 * Like https://github.com/ROCm/rocm-systems/pull/7803: after a dma-buf was
 * closed, the caller still had its number and could use it again.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

static uint8_t copy[PAGE];

static void read_page(int fd, const uint8_t *map)
{
	struct dma_buf_sync sync = { .flags = START_READ };

	ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync);
	/* EXPECT: stale-read off=8192 other=engine evict=possible-stale-read */
	memcpy(copy, map + 2 * PAGE, PAGE);
	sync.flags = END_READ;
	ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync);
}

int main(void)
{
	struct buf import = { .fd = fd_alloc(LEN, O_RDWR), .len = LEN };
	struct buf device = { .fd = dup(import.fd), .len = LEN };
	int dev = dev_open();

	import.map = fd_map(import.fd, LEN);
#ifndef FIXED
	close(import.fd);
#endif
	/* There is no data yet, and no other user of the buffer. */
	memcpy(copy, import.map + 2 * PAGE, PAGE);
	/* OTHER */
	dev_fill(dev, &device, 0, LEN, 0x64);
	read_page(import.fd, import.map);
	check(is_all(copy, 0x64, PAGE));
	return 0;
}
