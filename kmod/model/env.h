/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * All that the model needs of its host: integer types, memcpy, memmove, memset,
 * strlen, strcmp, a population count and a copy of whole pages. No lock, no
 * clock, no allocation.
 */
#ifndef HEAPSIM_MODEL_ENV_H
#define HEAPSIM_MODEL_ENV_H

#ifdef __KERNEL__
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/types.h>

#define env_no_kcsan	__no_kcsan
#define env_popcount64(word)	hweight64(word)
#define env_copy_page(to, from, page_shift)	copy_page(to, from)
#else
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;

#define env_no_kcsan
#define env_popcount64(word)	__builtin_popcountll(word)
#define env_copy_page(to, from, page_shift) \
	memcpy(to, from, (size_t)1 << (page_shift))
#endif

#endif
