/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fixture of many tests of the real module: an open, and a mapped buffer.
 * Children inherit both.
 */
#ifndef FIXTURE_H
#define FIXTURE_H

#include "device.h"

struct fixture {
	int dev;
	int watch;	/* an open that gets records of mistakes; -1: none */
	int fd;
	uint64_t id;
	size_t line;
	size_t granule;	/* bytes that a fill reads */
	size_t page;
	size_t len;
	uint8_t *map;
};

/* Makes the open and reads its probe, without a buffer. */
struct fixture *fixture_create(void);
void fixture_alloc(struct fixture *f, uint32_t kind, size_t len);
/* Makes the open and the buffer; with fixture_teardown() for most tests. */
int fixture_setup(void **state, uint32_t kind, size_t len);
int fixture_teardown(void **state);

static inline struct heapsim_counters count(const struct fixture *f)
{
	return device_count(f->dev, f->fd);
}

#endif
