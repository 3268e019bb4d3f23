// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looks at a frame that a camera driver has imported, in a bracket that says
 * WRITE.
 *
 * Like https://github.com/ikwzm/udmabuf/issues/82, too; here the driver may
 * write at any time, so that the bracket is more than a matter of stale lines.
 */
#include <string.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

#ifdef FIXED
#define ACCESS	DMA_BUF_SYNC_READ
#else
#define ACCESS	DMA_BUF_SYNC_WRITE
#endif

static uint8_t copy[LEN];

int main(void)
{
	struct buf frame = buf_alloc(LEN);
	int dev = dev_open();
	uint64_t camera;

	fd_sync(frame.fd, START_WRITE);
	memset(frame.map, 1, LEN);
	/* OTHER */
	camera = dev_hold(dev, frame.fd, HEAPSIM_HOLD_MAP,
			  HEAPSIM_DIR_FROM_DEVICE);
	memset(frame.map, 2, PAGE);
	fd_sync(frame.fd, END_WRITE);

	fd_sync(frame.fd, DMA_BUF_SYNC_START | ACCESS);
	/* EXPECT: unbracketed-access off=0 other=device */
	memcpy(copy, frame.map, LEN);
	/* EXPECT: redundant-clean off=0 */
	fd_sync(frame.fd, DMA_BUF_SYNC_END | ACCESS);
	check(is_all(copy, 2, PAGE) && is_all(copy + PAGE, 1, LEN - PAGE));
	dev_release(dev, camera);
	return 0;
}
