/* SPDX-License-Identifier: GPL-2.0-only */
/* vivid's camera with buffers of heapsim, for programs that capture. */
#ifndef CAMERA_H
#define CAMERA_H

#include "corpus.h"

#define CAMERA_PICTURE	(320 * 180 * 4)	/* bytes */
#define CAMERA_BUF	(64 * PAGE)	/* bytes, with room after the picture */

/* Exits with 77 if the kernel has no vivid. */
int camera_open(unsigned int nr_bufs);
/* No two pictures have the same bytes. */
void camera_noise(int camera);
void camera_queue(int camera, unsigned int index, const struct buf *buf);
/*
 * Queues a buffer of CAMERA_BUF bytes with a grey card, which is visible until
 * there is a picture. The notes after it are written when the driver has it.
 */
void camera_lend(int camera, unsigned int index, const struct buf *buf);
unsigned int camera_dequeue(int camera);
void camera_start(int camera);
/* Releases all buffers. */
void camera_stop(int camera);

#endif
