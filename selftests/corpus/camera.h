/* SPDX-License-Identifier: GPL-2.0-only */
/* vivid's camera with buffers of ours, for programs that capture. */
#ifndef CAMERA_H
#define CAMERA_H

#include "corpus.h"

#define CAMERA_PICTURE	(320 * 180 * 4)	/* bytes */
#define CAMERA_BUF	(64 * PAGE)	/* with room behind the picture */

/* Ends the program with 77 where there is no vivid. */
int camera_open(unsigned int nr_bufs);
/* No two pictures have the same bytes. */
void camera_noise(int camera);
void camera_queue(int camera, unsigned int index, const struct buf *buf);
/*
 * Queues a grey card of CAMERA_BUF bytes, which is to be seen until there is a
 * picture; the program's notes behind it are written once the driver has it.
 */
void camera_lend(int camera, unsigned int index, const struct buf *buf);
unsigned int camera_dequeue(int camera);
void camera_start(int camera);
/* Lets go of all buffers. */
void camera_stop(int camera);

#endif
