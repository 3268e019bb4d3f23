/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interfaces between the files of the core. */
#ifndef _COMPAT_CUDA_CORE_INTERNAL_H
#define _COMPAT_CUDA_CORE_INTERNAL_H

#include "core.h"

void core_wait_policy(struct CUctx_st *ctx);
void core_advice_forget(const void *base);
size_t core_shared_max(const struct heapsim_kernel *kernel);
int core_memop(struct CUctx_st *ctx, struct mem_stream *stream, bool is_async,
	       int rc);
void core_pool_trim(struct CUctx_st *ctx);
void core_pool_forget(const void *ptr);
void core_pools_reset(const struct core_device *device);
void core_symbols_reset(struct CUctx_st *ctx);
void core_objects_drop(struct CUctx_st *ctx);
void core_extmem_drop(struct CUctx_st *ctx, void *memory);
int core_mapping_add(struct CUctx_st *ctx, struct mem_object *object,
		     void *ptr, uint64_t len);
struct CUctx_st *core_mapping_ctx(const void *ptr);
bool core_mapping_free(const void *ptr);
bool core_mapping_find(const void *ptr, struct core_ptr *what);
void core_mapping_drop(struct CUctx_st *ctx, void *mapping);
void core_ipc_forget(const void *base);
void core_ipc_drop(struct CUctx_st *ctx, void *ptr);
void core_memory_drop(struct CUctx_st *ctx, void *ptr);
void core_registered_drop(struct CUctx_st *ctx, void *ptr);
void core_stream_forget(struct CUctx_st *ctx, const uint64_t *stream);
void core_stream_drop(struct CUctx_st *ctx, void *stream);
void core_event_drop(struct CUctx_st *ctx, void *event);
void core_semaphore_drop(struct CUctx_st *ctx, void *semaphore);
void core_connection_drop(struct CUctx_st *ctx, void *conn);
void core_graphics_drop(struct CUctx_st *ctx, void *resource);
void core_array_drop(struct CUctx_st *ctx, void *array);
void core_mipmap_drop(struct CUctx_st *ctx, void *mipmap);
void core_view_drop(struct CUctx_st *ctx, void *view);
void core_views_drop(struct CUctx_st *ctx, void *slab);

#endif
