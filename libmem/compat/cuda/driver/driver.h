/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the driver's files share. A call looks first whether the driver is
 * there, then for a current context, then at its arguments: unlike the
 * runtime's it makes none current by itself.
 */
#ifndef _COMPAT_CUDA_DRIVER_DRIVER_H
#define _COMPAT_CUDA_DRIVER_DRIVER_H

#include "core.h"

/*
 * Names that a program of an older version, or one that looks symbols up, finds
 * a call by: ALIAS(cuMemAlloc, cuMemAlloc_v2);
 */
#define ALIAS(other, call) \
	API __typeof__(call) other __attribute__((alias(#call)))

/* Declares the call of a program whose default stream is the thread's. */
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

/* The stream that a program with a default stream a thread means. */
static inline CUstream driver_own(CUstream stream)
{
	return stream ? stream : CU_STREAM_PER_THREAD;
}

#endif
