// SPDX-License-Identifier: GPL-2.0-only
/*
 * Saves what the device has measured by write(2) straight from the buffer.
 *
 * Like https://github.com/ikwzm/udmabuf/issues/116: the data that was read was
 * not the data that the programmable logic had written.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

static uint8_t copy[LEN];

int main(void)
{
	struct buf samples = buf_alloc(LEN);
	int file = memfd_create("samples", MFD_CLOEXEC);
	int dev = dev_open();
	ssize_t done;
	int n;

	for (n = 1; n <= 2; n++) {
		/* OTHER */
		dev_fill(dev, &samples, 0, LEN, n);
#ifdef FIXED
		fd_sync(samples.fd, START_READ);
#endif
		/* EXPECT: possible-stale-read off=0 other=engine */
		/* EXPECT: stale-read off=0 other=engine */
		done = pwrite(file, samples.map, LEN, 0);
#ifdef FIXED
		fd_sync(samples.fd, END_READ);
#endif
		need(done == LEN, "write the file");
		need(pread(file, copy, LEN, 0) == LEN, "read it again");
		check(is_all(copy, n, LEN));
	}
	return 0;
}
