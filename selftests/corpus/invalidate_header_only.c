// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receives packets, each a page of header and a page of payload, and
 * invalidates only as many bytes as the header's struct has.
 *
 * Like https://github.com/emuflight/EmuFlight/issues/1207: the size passed to
 * the invalidate was that of one element, not of all received data.
 */
#include <string.h>

#include "corpus.h"

#ifdef FIXED
#define RECEIVED	(2 * PAGE)
#else
#define RECEIVED	LINE
#endif

static uint8_t header, payload[PAGE];

int main(void)
{
	struct buf packet = buf_alloc(2 * PAGE);
	int dev = dev_open();
	int i;

	for (i = 1; i <= 3; i++) {
		/* OTHER */
		dev_fill(dev, &packet, 0, packet.len, i);
		dev_maintain(dev, &packet, HEAPSIM_MAINT_INVALIDATE, 0,
			     RECEIVED);
		header = packet.map[0];
		/* EXPECT: possible-stale-read off=4096 other=engine */
		/* EXPECT: stale-read off=4096 other=engine */
		memcpy(payload, packet.map + PAGE, PAGE);
		check(header == i && is_all(payload, i, PAGE));
	}
	return 0;
}
