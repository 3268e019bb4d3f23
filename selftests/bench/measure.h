/* SPDX-License-Identifier: GPL-2.0-only */
/* The clock, medians and errors of the benchmarks */
#ifndef _BENCH_MEASURE_H
#define _BENCH_MEASURE_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../libmem/clock.h"

/* Ends the program if a call has failed. */
static inline void must(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "%s: %s: %d (%s)\n", program_invocation_short_name,
		what, err, strerror(abs(err)));
	exit(1);
}

static inline int by_value(const void *one, const void *other)
{
	const double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

/* Sorts the values. */
static inline double median(double *values, size_t nr)
{
	qsort(values, nr, sizeof(*values), by_value);
	return values[nr / 2];
}

static inline int by_time(const void *one, const void *other)
{
	const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

	return (a > b) - (a < b);
}

/* Sorts the times. */
static inline uint64_t median_ns(uint64_t *ns, size_t nr)
{
	qsort(ns, nr, sizeof(*ns), by_time);
	return ns[nr / 2];
}

#endif
