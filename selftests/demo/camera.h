/* SPDX-License-Identifier: GPL-2.0-only */
/* Frames of the vivid driver, captured into dma-bufs of the caller. */
#ifndef _DEMO_CAMERA_H
#define _DEMO_CAMERA_H

#define NR_FRAMES	2

int camera_capture(const int fds[NR_FRAMES], unsigned int width,
		   unsigned int height, const char **failed);

#endif
