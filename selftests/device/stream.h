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

/* Adds a stream, removes one, or states that it is active or idle. */
int stream_errno(int dev, unsigned long cmd, uint64_t stream);
int stream_state_errno(int dev, uint64_t stream, uint32_t flags);
/* An attach that is known to have taken effect: with its maintenance. */
int attach_errno(int dev, uint64_t stream, uint64_t buf, uint32_t attach);
int work_add_errno(int dev, uint64_t stream, uint64_t work, const char *name);
/* Begins or ends a work without verdicts. */
int work_start_errno(int dev, uint64_t work);
int work_finish_errno(int dev, uint64_t work);
int work_report_errno(int dev, uint64_t work, uint64_t buf);
/* Adds a work and states that its stream is active. */
int work_submit_errno(int dev, uint64_t stream, uint64_t work,
		      const char *name);
int rights_info_errno(int dev, uint64_t buf,
		      struct heapsim_rights_info *answer);
struct heapsim_rights_info rights_info(int dev, uint64_t buf);

/* Access a byte; return false if this raises SIGBUS. */
bool cpu_reads(const volatile uint8_t *at, uint8_t *value);
bool cpu_writes(volatile uint8_t *at, uint8_t value);

#endif
