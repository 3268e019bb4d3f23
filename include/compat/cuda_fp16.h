/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers of 16 bits, IEEE 754's binary16: 11 digits, up to 65504. What is
 * computed is rounded once, from a float or double that has it exactly, or has
 * more than twice the digits. C has the bits alone.
 */
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__

#include "cuda_runtime.h"

typedef struct {
	unsigned short x;
} __half_raw;

typedef struct __attribute__((aligned(4))) {
	unsigned short x;
	unsigned short y;
} __half2_raw;

#ifdef __cplusplus
#include "cuda_fp16.hpp"
#endif

#endif
