/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pools, and the memory that is allocated from them. */
#ifndef _COMPAT_CUDA_CORE_POOL_H
#define _COMPAT_CUDA_CORE_POOL_H

#include <pthread.h>

#include "internal.h"

/**
 * struct CUmemPoolHandle_st - a pool
 * @device: device
 * @is_default: it is the device's default pool
 * @is_current: allocations of the device that name no pool use it
 * @is_gone: destroyed; it is freed with its last piece
 * @nr: number of its pieces
 * @max: maximum size, bytes; 0: unlimited
 * @may_reuse: CU_MEMPOOL_ATTR_REUSE_*, in their order; only stored
 * @threshold: bytes that it may keep; only stored
 * @used: bytes that the program has allocated
 * @used_high: maximum of @used
 * @reserved: bytes of all pieces
 * @reserved_high: maximum of @reserved
 * @next: next pool that is not destroyed
 */
struct CUmemPoolHandle_st {
	const struct core_device *device;
	bool is_default;
	bool is_current;
	bool is_gone;
	uint64_t nr;
	uint64_t max;
	int may_reuse[3];
	uint64_t threshold;
	uint64_t used;
	uint64_t used_high;
	uint64_t reserved;
	uint64_t reserved_high;
	struct CUmemPoolHandle_st *next;
};

/* Protects all pools and pieces. */
extern pthread_mutex_t core_pools_lock;

bool core_pool_is_supported(const struct core_device *device);
CUmemoryPool core_pool_current_of(const struct core_device *device);
bool core_pool_exists(CUmemoryPool wanted);
void core_pool_use(CUmemoryPool pool, uint64_t len);
void core_pool_give_up(CUmemoryPool pool, uint64_t len);
int core_pool_lock(CUmemoryPool pool);

#endif
