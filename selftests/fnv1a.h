/* SPDX-License-Identifier: GPL-2.0-only */
/* The checksum of HEAPSIM_DMA_CHECKSUM and mem_job_checksum(), on the CPU */
#ifndef _SELFTESTS_FNV1A_H
#define _SELFTESTS_FNV1A_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t fnv1a(const void *bytes, size_t len)
{
	const uint8_t *at = bytes;
	uint64_t sum = 0xcbf29ce484222325ULL;

	while (len--)
		sum = (sum ^ *at++) * 0x100000001b3ULL;
	return sum;
}

#endif
