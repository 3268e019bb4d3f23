// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Limits of kernels. Except for the stack's, they are only stored and returned,
 * since no resource here is as scarce as on a GPU.
 */
#include "core.h"

#define KIB		1024U

/* Maximum of the fetch granularity, bytes; a hint */
#define MAX_FETCH	128U

/* Defaults of the CUDA programming guide */
static size_t limits[] = {
	[CU_LIMIT_PRINTF_FIFO_SIZE] = 1024 * KIB,
	[CU_LIMIT_MALLOC_HEAP_SIZE] = 8192 * KIB,
	[CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH] = 2,
	[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048,
	[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64,
	[CU_LIMIT_PERSISTING_L2_CACHE_SIZE] = 0,
};

static unsigned int cache_config = CU_FUNC_CACHE_PREFER_NONE;

/**
 * core_limit() - return a limit
 * @limit: CU_LIMIT_*
 * @value: out: value
 *
 * Return: CUDA_SUCCESS or CUDA_ERROR_INVALID_VALUE (no such limit).
 */
CORE_API int core_limit(unsigned int limit, size_t *value)
{
	if (limit >= sizeof(limits) / sizeof(*limits))
		return CUDA_ERROR_INVALID_VALUE;
	*value = limit == CU_LIMIT_STACK_SIZE ? core_stack_limit() :
		__atomic_load_n(&limits[limit], __ATOMIC_RELAXED);
	return CUDA_SUCCESS;
}

/**
 * core_set_limit() - set a limit
 * @limit: CU_LIMIT_*
 * @value: value
 *
 * Return: CUDA_SUCCESS or CUDA_ERROR_INVALID_VALUE (no such limit, too much).
 */
CORE_API int core_set_limit(unsigned int limit, size_t value)
{
	if (limit >= sizeof(limits) / sizeof(*limits) ||
	    (limit == CU_LIMIT_MAX_L2_FETCH_GRANULARITY && value > MAX_FETCH))
		return CUDA_ERROR_INVALID_VALUE;
	if (limit == CU_LIMIT_STACK_SIZE)
		return core_set_stack_limit(value);
	__atomic_store_n(&limits[limit], value, __ATOMIC_RELAXED);
	return CUDA_SUCCESS;
}

/**
 * core_is_cache_config() - check a cache configuration
 * @config: CU_FUNC_CACHE_*, any number
 *
 * Return: true if it is valid.
 */
CORE_API bool core_is_cache_config(unsigned int config)
{
	return config <= CU_FUNC_CACHE_PREFER_EQUAL;
}

/**
 * core_cache_config() - return the preferred cache configuration, a hint
 *
 * Return: CU_FUNC_CACHE_*.
 */
CORE_API unsigned int core_cache_config(void)
{
	return __atomic_load_n(&cache_config, __ATOMIC_RELAXED);
}

/**
 * core_set_cache_config() - set the preferred cache configuration
 * @config: CU_FUNC_CACHE_*
 *
 * Return: CUDA_SUCCESS or CUDA_ERROR_INVALID_VALUE (no such configuration).
 */
CORE_API int core_set_cache_config(unsigned int config)
{
	if (!core_is_cache_config(config))
		return CUDA_ERROR_INVALID_VALUE;
	__atomic_store_n(&cache_config, config, __ATOMIC_RELAXED);
	return CUDA_SUCCESS;
}
