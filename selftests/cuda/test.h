/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of the CUDA-shaped surface share, in C and in C++. */
#ifndef _CUDA_TEST_H
#define _CUDA_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
#include <cmocka.h>
#ifdef __cplusplus
}
#endif
#include <cuda.h>
#include <cuda_runtime_api.h>

#include "../skip.h"

/* The runtime's calls; an error is the last one, too, and then none. */
#define ok(call)	assert_int_equal(call, cudaSuccess)
#define is(call, error)	\
	do { \
		assert_int_equal(call, error); \
		assert_int_equal(cudaGetLastError(), error); \
	} while (0)

/* The driver's, which have no last error */
#define cu(call)	assert_int_equal(call, CUDA_SUCCESS)
#define cu_is(call, error)	assert_int_equal(call, error)

/* Before, or behind, a test: nothing is left of another. */
static inline int reset(void **state)
{
	(void)state;
	ok(cudaSetDevice(0));
	ok(cudaDeviceReset());
	cudaGetLastError();
	return 0;
}

static inline int attribute(enum cudaDeviceAttr which, int device)
{
	int value = -12345;

	ok(cudaDeviceGetAttribute(&value, which, device));
	assert_int_not_equal(value, -12345);
	return value;
}

/* Of the current device */
static inline int own_attribute(enum cudaDeviceAttr which)
{
	int device;

	ok(cudaGetDevice(&device));
	return attribute(which, device);
}

/* A discrete GPU of a Tegra has no managed memory. */
static inline bool has_managed(void)
{
	return own_attribute(cudaDevAttrManagedMemory);
}

/* Memory that both sides have, cleared */
static inline void *common_alloc(size_t len)
{
	void *ptr;

	if (has_managed())
		ok(cudaMallocManaged(&ptr, len, cudaMemAttachGlobal));
	else
		ok(cudaHostAlloc(&ptr, len, cudaHostAllocDefault));
	memset(ptr, 0, len);
	return ptr;
}

static inline void common_free(void *ptr)
{
	if (has_managed())
		ok(cudaFree(ptr));
	else
		ok(cudaFreeHost(ptr));
}

#endif
