/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Interfaces between the driver's files. A call first checks whether the driver
 * is initialised, then for a current context, then its arguments. Unlike the
 * runtime's calls it does not make a context current.
 */
#ifndef _COMPAT_CUDA_DRIVER_DRIVER_H
#define _COMPAT_CUDA_DRIVER_DRIVER_H

#include "core.h"

/*
 * Defines another name of a call, as used by programs of an older version or in
 * lookups by name: ALIAS(cuMemAlloc, cuMemAlloc_v2);
 */
#define ALIAS(other, call) \
	API __typeof__(call) other __attribute__((alias(#call)))

/* Declares the variant of a call for a default stream per thread. */
#define PER_THREAD(call, suffix)	API __typeof__(call) call##suffix

int driver_ready(void);
int driver_ctx(struct CUctx_st **ctx);
int driver_device(int ordinal, const struct core_device **device);

static inline void *driver_ptr(CUdeviceptr ptr)
{
	return (void *)(uintptr_t)ptr;
}

static inline CUdeviceptr driver_address(const void *ptr)
{
	return (uintptr_t)ptr;
}

/* Returns the stream that a program with a default stream per thread means. */
static inline CUstream driver_own(CUstream stream)
{
	return stream ? stream : CU_STREAM_PER_THREAD;
}

#endif
