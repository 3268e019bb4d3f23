// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waits for a job's fence, with the duration of a frame as the limit, and does
 * not check whether the wait timed out.
 *
 * Like https://github.com/toyota-connected/ivi-homescreen/pull/334: its review
 * found that the result of poll() was ignored, and an incomplete picture was
 * shown.
 */
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "corpus.h"

#define LEN	(4 * PAGE)
#ifdef FIXED
#define PATIENCE	10000	/* in ms */
#else
#define PATIENCE	16
#endif

static uint8_t shown[PAGE];

int main(void)
{
	struct buf picture = buf_alloc(LEN);
	struct heapsim_dma_submit draw = {
		.size = sizeof(draw),
		.op = HEAPSIM_DMA_FILL,
		.src_fd = -1,
		.dst_fd = picture.fd,
		.pattern = 0x2b2b2b2b,
		.row_len = LEN,
		.nr_rows = 1,
		.delay_ns = 600 * MSEC,
	};
	struct pollfd fence = { .events = POLLIN };
	int dev = dev_open();

	memcpy(shown, picture.map + PAGE, PAGE);
	need(!ioctl(dev, HEAPSIM_IOC_DMA_SUBMIT, &draw), "submit a job");
	fence.fd = draw.fence_fd;
	need(poll(&fence, 1, PATIENCE) >= 0, "wait for a fence");
	close(draw.fence_fd);
	dev_maintain(dev, &picture, HEAPSIM_MAINT_INVALIDATE, 0, LEN);
	/* EXPECT: unbracketed-access off=4096 other=fence */
	memcpy(shown, picture.map + PAGE, PAGE);
	check(is_all(shown, 0x2b, PAGE));
	dev_wait(dev, draw.job);
	return 0;
}
