/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What many tests of the real module begin with: an open, and a buffer of it
 * that is mapped. Children inherit both.
 */
#ifndef FIXTURE_H
#define FIXTURE_H

#include "device.h"

struct fixture {
	int dev;
	int watch;	/* an open that is told of mistakes; -1: none */
	int fd;
	uint64_t id;
	size_t line;
	size_t granule;	/* of a fill */
	size_t page;
	size_t len;
	uint8_t *map;
};

/* The open, and what its probe says; no buffer yet. */
struct fixture *fixture_create(void);
void fixture_alloc(struct fixture *f, uint32_t kind, size_t len);
int fixture_teardown(void **state);

/* The next record of who watches; false: there is none. */
bool record_next(int watch, struct heapsim_record *r);
/* Forget what the preparations of a test were told of. */
void record_drain(int watch);

#endif
