// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens one bracket for as long as it looks at pictures, and reads the second
 * while it is being written.
 *
 * Like https://github.com/camthink-ai/ne301/pull/44: a buffer was handed out as
 * ready while the camera was writing the next picture into it.
 */
#include <string.h>

#include "corpus.h"

static uint8_t copy[PAGE];

int main(void)
{
	struct buf picture = buf_alloc(4 * PAGE);
	int dev = dev_open();
	uint64_t job;

	dev_fill(dev, &picture, 0, picture.len, 1);
	fd_sync(picture.fd, START_READ);
	memcpy(copy, picture.map + PAGE, PAGE);
	check(is_all(copy, 1, PAGE));
#ifdef FIXED
	fd_sync(picture.fd, END_READ);
#endif
	job = dev_start_fill(dev, &picture, 0, picture.len, 2, 600 * MSEC);
#ifdef FIXED
	fd_sync(picture.fd, START_READ);
#endif
	/* EXPECT: unbracketed-access off=4096 other=fence */
	memcpy(copy, picture.map + PAGE, PAGE);
	check(is_all(copy, 2, PAGE));
	dev_wait(dev, job);
	fd_sync(picture.fd, END_READ);
	return 0;
}
