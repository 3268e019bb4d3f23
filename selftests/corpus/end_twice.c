// SPDX-License-Identifier: GPL-2.0-only
/*
 * Releases a frame that it could not use, and again in its clean-up.
 *
 * Like the review of https://github.com/fxd0h/libdrmtap/pull/13: release ENDs a
 * bracket whether it is open or not.
 */
#include <string.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

static uint8_t copy[LEN];

struct frame {
	struct buf buf;
	bool is_open;
};

static void frame_open(struct frame *frame)
{
	fd_sync(frame->buf.fd, START_READ);
	frame->is_open = true;
}

static void frame_release(struct frame *frame)
{
#ifdef FIXED
	if (!frame->is_open)
		return;
#endif
	/* EXPECT: unmatched-end off=0 */
	fd_sync(frame->buf.fd, END_READ);
	frame->is_open = false;
}

int main(void)
{
	struct frame frame = { .buf = buf_alloc(LEN) };
	int dev = dev_open();

	dev_fill(dev, &frame.buf, 0, LEN, 3);
	frame_open(&frame);
	memcpy(copy, frame.buf.map, LEN);
	check(is_all(copy, 3, LEN));
	if (copy[0] != 4)
		frame_release(&frame);
	frame_release(&frame);
	return 0;
}
