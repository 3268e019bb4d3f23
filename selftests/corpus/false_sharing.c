// SPDX-License-Identifier: GPL-2.0-only
/*
 * In each entry of a table, the device writes the first half and the CPU the
 * second, at the same time. The CPU's END writes back whole cache lines.
 *
 * Like https://github.com/rsta2/circle/issues/135: buffers that were not
 * aligned to lines had data modified at random.
 */
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "corpus.h"

#define NR_ENTRIES	128

#ifdef FIXED
#define HALF		LINE
#else
#define HALF		(LINE / 2)
#endif

#define ENTRY		(2 * HALF)

static uint8_t copy[HALF];

/* The device writes its half of each entry. */
static void device_fills(int dev, struct buf *table)
{
	struct heapsim_dma_submit job = {
		.size = sizeof(job),
		.op = HEAPSIM_DMA_FILL,
		.src_fd = -1,
		.dst_fd = table->fd,
		.dst_pitch = ENTRY,
		.row_len = HALF,
		.nr_rows = NR_ENTRIES,
		.pattern = 0x11111111,
	};

	/* OTHER */
	need(!ioctl(dev, HEAPSIM_IOC_DMA_SUBMIT, &job), "submit a job");
	close(job.fence_fd);
	dev_wait(dev, job.job);
}

int main(void)
{
	struct buf table = buf_alloc(NR_ENTRIES * ENTRY);
	int dev = dev_open();
	int i;

	fd_sync(table.fd, START_WRITE);
	for (i = 0; i < NR_ENTRIES; i++)
		/* EXPECT: write-conflict off=0 other=engine */
		/* EXPECT: lost-device-write off=0 other=engine */
		memset(table.map + i * ENTRY + HALF, 0x22, HALF);
	device_fills(dev, &table);
	fd_sync(table.fd, END_WRITE);

	fd_sync(table.fd, START_READ);
	for (i = 0; i < NR_ENTRIES; i++) {
		memcpy(copy, table.map + i * ENTRY, HALF);
		check(is_all(copy, 0x11, HALF));
	}
	fd_sync(table.fd, END_READ);
	return 0;
}
