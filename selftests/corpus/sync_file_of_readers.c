// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exports a snapshot of fences and waits for it before it writes, but asks for
 * the fences of writers, which do not include an engine that still reads.
 *
 * The kernel's documentation of struct dma_buf_export_sync_file says which flag
 * gives which fences. https://github.com/hyprwm/Hyprland/pull/9774 discusses
 * how a compositor has to wait by it.
 */
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

static uint8_t want[LEN];

static void wait_for_readers(struct buf *frame)
{
	struct dma_buf_export_sync_file snapshot = {
#ifdef FIXED
		.flags = DMA_BUF_SYNC_WRITE,
#else
		.flags = DMA_BUF_SYNC_READ,
#endif
	};

	need(!ioctl(frame->fd, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &snapshot),
	     "take a snapshot of the fences");
	fd_wait(snapshot.fd);
	close(snapshot.fd);
}

int main(void)
{
	struct buf frame = buf_alloc(LEN);
	int dev = dev_open();
	uint64_t first, sum;

	fd_sync(frame.fd, START_WRITE);
	memset(frame.map, 1, LEN);
	fd_sync(frame.fd, END_WRITE);
	first = dev_start_sum(dev, &frame, 0, LEN, 600 * MSEC);
	wait_for_readers(&frame);
	/* EXPECT: unbracketed-access off=0 other=fence */
	memset(frame.map, 2, LEN);
	dev_maintain(dev, &frame, HEAPSIM_MAINT_CLEAN, 0, LEN);
	memset(want, 1, LEN);
	sum = dev_wait(dev, first);
	check(sum == sum_of(want, LEN));
	sum = dev_sum(dev, &frame, 0, LEN);
	memset(want, 2, LEN);
	check(sum == sum_of(want, LEN));
	return 0;
}
