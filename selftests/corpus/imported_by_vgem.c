// SPDX-License-Identifier: GPL-2.0-only
/*
 * Draws the next frame while another driver, vgem, has the buffer imported.
 *
 * Like https://docs.pipewire.org/page_dma_buf.html, which warns that a program
 * that maps a buffer of a GPU has to bracket its accesses.
 */
#include <drm.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../device/vgem.h"
#include "corpus.h"

#define LEN	(4 * PAGE)

static uint8_t want[LEN];

int main(void)
{
	struct buf frame = buf_alloc(LEN);
	struct drm_prime_handle prime = { .fd = frame.fd };
	struct drm_gem_close gem = { 0 };
	int dev = dev_open(), vgem = vgem_open();
	uint64_t sum;

	if (vgem < 0)
		_exit(77);
	fd_sync(frame.fd, START_WRITE);
	memset(frame.map, 1, LEN);
	/* OTHER */
	need(!ioctl(vgem, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime), "import");
	memset(frame.map, 2, PAGE);
	fd_sync(frame.fd, END_WRITE);

#ifdef FIXED
	fd_sync(frame.fd, START_WRITE);
#endif
	/* EXPECT: unbracketed-access off=0 other=device */
	/* EXPECT: missing-clean off=0 other=engine */
	memset(frame.map, 3, LEN);
#ifdef FIXED
	fd_sync(frame.fd, END_WRITE);
#endif
	/* OTHER */
	sum = dev_sum(dev, &frame, 0, LEN);
	gem.handle = prime.handle;
	need(!ioctl(vgem, DRM_IOCTL_GEM_CLOSE, &gem), "close the handle");
	memset(want, 3, LEN);
	check(sum == sum_of(want, LEN));
	return 0;
}
