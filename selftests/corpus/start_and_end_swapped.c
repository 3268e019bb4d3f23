// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls END when it gets the memory, and START when it returns it.
 *
 * Like the review of https://github.com/xbmc/xbmc/pull/17561: the calls stood
 * at the wrong ends of get and release.
 */
#include <string.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

#ifdef FIXED
#define AT_GET		START_WRITE
#define AT_RELEASE	END_WRITE
#else
#define AT_GET		END_WRITE
#define AT_RELEASE	START_WRITE
#endif

static uint8_t want[LEN];

static uint8_t *memory_get(struct buf *buf)
{
	/* EXPECT: unmatched-end off=0 */
	/* EXPECT: redundant-clean off=0 */
	fd_sync(buf->fd, AT_GET);
	return buf->map;
}

static void memory_release(struct buf *buf)
{
	/* EXPECT: missing-end off=0 */
	fd_sync(buf->fd, AT_RELEASE);
}

int main(void)
{
	struct buf frame = buf_alloc(LEN);
	int dev = dev_open();
	uint64_t sum;
	uint8_t *to;

	to = memory_get(&frame);
	/* EXPECT: missing-clean off=0 other=engine */
	memset(to, 0x17, LEN);
	memory_release(&frame);
	/* OTHER */
	sum = dev_sum(dev, &frame, 0, LEN);
	memset(want, 0x17, LEN);
	check(sum == sum_of(want, LEN));
	return 0;
}
