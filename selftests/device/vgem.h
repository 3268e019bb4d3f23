/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Access to vgem for all tests: its two ioctls, since no package for user space
 * has drm/vgem_drm.h, and its device.
 */
#ifndef VGEM_H
#define VGEM_H

#include <drm.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct vgem_attach {
	uint32_t handle;
	uint32_t flags;
	uint32_t out_fence;
	uint32_t pad;
};

struct vgem_signal {
	uint32_t fence;
	uint32_t flags;
};

#define VGEM_WRITE	1
#define VGEM_ATTACH	_IOWR('d', DRM_COMMAND_BASE + 1, struct vgem_attach)
#define VGEM_SIGNAL	_IOW('d', DRM_COMMAND_BASE + 2, struct vgem_signal)

/* Returns a descriptor of vgem, or -1 if there is no such device. */
static inline int vgem_open(void)
{
	char path[32], name[32];
	int i, fd;

	for (i = 0; i < 16; i++) {
		struct drm_version version = {
			.name = name,
			.name_len = sizeof(name) - 1,
		};

		snprintf(path, sizeof(path), "/dev/dri/card%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		memset(name, 0, sizeof(name));
		if (!ioctl(fd, DRM_IOCTL_VERSION, &version) &&
		    !strcmp(name, "vgem"))
			return fd;
		close(fd);
	}
	return -1;
}

#endif
