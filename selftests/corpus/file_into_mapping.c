// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads a file by read(2) straight into the buffer. The kernel copies with the
 * CPU, into its cache.
 *
 * Like https://github.com/apache/tvm/pull/13844: buffers filled by a copy had
 * to be flushed before DMA that goes round the cache.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

static uint8_t want[LEN];

int main(void)
{
	struct buf weights = buf_alloc(LEN);
	int file = memfd_create("weights", MFD_CLOEXEC);
	int dev = dev_open();
	uint64_t sum;
	ssize_t n;

	memset(want, 0x13, LEN);
	need(pwrite(file, want, LEN, 0) == LEN, "make the file");
#ifdef FIXED
	fd_sync(weights.fd, START_WRITE);
#endif
	/* EXPECT: missing-clean off=0 other=engine */
	n = read(file, weights.map, LEN);
#ifdef FIXED
	fd_sync(weights.fd, END_WRITE);
#endif
	need(n == LEN, "read the file");
	/* OTHER */
	sum = dev_sum(dev, &weights, 0, LEN);
	check(sum == sum_of(want, LEN));
	return 0;
}
