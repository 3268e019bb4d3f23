/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers of the CUDA tests, for C and C++ */
#ifndef _CUDA_TEST_H
#define _CUDA_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
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

/*
 * Calls of the runtime. An error is also the thread's last error, which is()
 * clears.
 */
#define ok(call)	assert_int_equal(call, cudaSuccess)
#define is(call, error)	\
	do { \
		assert_int_equal(call, error); \
		assert_int_equal(cudaGetLastError(), error); \
	} while (0)

/* Calls of the driver, which has no last error */
#define cu(call)	assert_int_equal(call, CUDA_SUCCESS)
#define cu_is(call, error)	assert_int_equal(call, error)

/*
 * Returns true over the module, which sees no atomic instructions, cannot map
 * the program's own memory, and has no file for device memory
 * (Documentation/libmem.rst).
 */
static inline bool is_over_module(void)
{
	const char *backend = getenv("LIBMEM_BACKEND");

	return backend && !strcmp(backend, "kernel");
}

/* Run before or after a test, so that no state of another test is left. */
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

/* The attribute of the current device */
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

/* Allocate memory that CPU and GPU can access, and clear it. */
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
