/* SPDX-License-Identifier: GPL-2.0-only */
/* The command heapsim: the clock of records, CLOCK_MONOTONIC. */
#ifndef HEAPSIM_CLOCK_H
#define HEAPSIM_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

#endif
