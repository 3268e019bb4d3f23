/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Streams, works and managed buffers of an open of /dev/heapsim. Functions
 * whose name ends in _errno return 0 or -errno; the others fail the running
 * test when the kernel refuses. Stream 0 is the NULL stream.
 */
#ifndef STREAM_H
#define STREAM_H

#include "device.h"

/**
 * struct managed - a mapped buffer of a context
 * @fd: dma-buf
 * @view_fd: dma-buf of the device view; -1: none was requested
 * @id: id of the buffer
 * @len: length in bytes
 * @map: mapping of the CPU's view
 * @view: mapping of the device view; NULL: none
 */
struct managed {
	int fd;
	int view_fd;
	uint64_t id;
	size_t len;
	volatile uint8_t *map;
	volatile uint8_t *view;
};

int managed_alloc_errno(int dev, uint32_t kind, uint32_t attach, uint32_t flags,
			struct heapsim_buf_alloc *answer);
/* Makes a buffer with a device view; @attach is 0 unless it is managed. */
struct managed managed_create(int dev, uint32_t kind, uint32_t attach,
			      size_t len);
void managed_destroy(struct managed *m);

/* Access a byte; return false if this raises SIGBUS. */
bool cpu_reads(const volatile uint8_t *at, uint8_t *value);
bool cpu_writes(volatile uint8_t *at, uint8_t value);

#endif
