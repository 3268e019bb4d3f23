/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The clock of records, CLOCK_MONOTONIC, for the library and the command. */
#ifndef _LIBMEM_CLOCK_H
#define _LIBMEM_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_S	1000000000ULL

static inline uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

#endif
