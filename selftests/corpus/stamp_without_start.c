// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stamps each row of a picture that has just come, with no bracket, and shows
 * the picture in one that is for reading: it drops what is still in the cache.
 * Lines that the cache wrote back before had the last picture around the stamp.
 *
 * Like https://github.com/espressif/esp32-camera/pull/493: what the CPU changes
 * in the picture's memory is written back over what the camera has put there.
 */
#include <string.h>

#include "corpus.h"

#define ROW	(2 * LINE)
#define LEN	(64 * PAGE)
#define STAMP	8

static uint8_t copy[LEN];

int main(void)
{
	struct buf picture = buf_alloc(LEN);
	int dev = dev_open();
	size_t off;

	/* OTHER */
	dev_fill(dev, &picture, 0, LEN, 1);
	fd_sync(picture.fd, START_READ);
	memcpy(copy, picture.map, LEN);
	fd_sync(picture.fd, END_READ);
	/* OTHER */
	dev_fill(dev, &picture, 0, LEN, 2);
#ifdef FIXED
	fd_sync(picture.fd, START_RW);
#endif
	for (off = 0; off < LEN; off += ROW)
		/* EXPECT: lost-cpu-write off=0 evict=lost-device-write */
		memset(picture.map + off, 0xff, STAMP);
#ifndef FIXED
	/* OTHER */
	fd_sync(picture.fd, START_READ);
#endif
	memcpy(copy, picture.map, LEN);
#ifdef FIXED
	fd_sync(picture.fd, END_RW);
#else
	fd_sync(picture.fd, END_READ);
#endif
	for (off = 0; off < LEN; off += ROW) {
		check(is_all(copy + off, 0xff, STAMP));
		check(is_all(copy + off + STAMP, 2, ROW - STAMP));
	}
	return 0;
}
