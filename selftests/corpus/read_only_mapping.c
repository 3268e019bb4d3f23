// SPDX-License-Identifier: GPL-2.0-only
/*
 * Maps statistics for reading only, and has no brackets for that reason: a
 * mapping that cannot be written needs no clean, but it needs invalidates.
 *
 * Like https://github.com/au-ts/sddf/pull/128: receive buffers that are mapped
 * read-only need no clean any more, but still the invalidate.
 */
#include <string.h>
#include <sys/mman.h>

#include "corpus.h"

#define LEN	(2 * PAGE)

static uint8_t copy[LEN];

int main(void)
{
	struct buf stats = buf_alloc(LEN);
	const uint8_t *view = mmap(NULL, LEN, PROT_READ, MAP_SHARED, stats.fd,
				   0);
	int dev = dev_open();
	int n;

	need(view != MAP_FAILED, "map for reading");
	for (n = 1; n <= 2; n++) {
		/* OTHER */
		dev_fill(dev, &stats, 0, LEN, n);
#ifdef FIXED
		fd_sync(stats.fd, START_READ);
#endif
		/* EXPECT: possible-stale-read off=0 other=engine */
		/* EXPECT: stale-read off=0 other=engine */
		memcpy(copy, view, LEN);
#ifdef FIXED
		fd_sync(stats.fd, END_READ);
#endif
		check(is_all(copy, n, LEN));
	}
	return 0;
}
