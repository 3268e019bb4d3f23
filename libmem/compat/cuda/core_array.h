/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The core's arrays, and what looks at memory through them. */
#ifndef _COMPAT_CUDA_CORE_ARRAY_H
#define _COMPAT_CUDA_CORE_ARRAY_H

#include "core.h"

/**
 * struct CUarray_st - an array, or a level of a mipmapped one
 * @ctx: whose
 * @desc: as it was asked for; of a level its own extent
 * @element_len: bytes
 * @base: device memory
 * @pitch: bytes from row to row
 * @slice: bytes from slice to slice, or layer to layer
 * @mipmap: what it is a level of, and goes with; else NULL
 */
struct CUarray_st {
	struct CUctx_st *ctx;
	CUDA_ARRAY3D_DESCRIPTOR desc;
	unsigned int element_len;
	char *base;
	uint64_t pitch;
	uint64_t slice;
	struct CUmipmappedArray_st *mipmap;
};

/**
 * struct CUmipmappedArray_st - a mipmapped array
 * @ctx: whose
 * @desc: as it was asked for
 * @nr_levels: at least 1
 * @base: device memory of all levels
 * @object: what it is in, a reference; NULL: it is the array's own
 * @levels: the finest first
 */
struct CUmipmappedArray_st {
	struct CUctx_st *ctx;
	CUDA_ARRAY3D_DESCRIPTOR desc;
	unsigned int nr_levels;
	char *base;
	struct mem_object *object;
	struct CUarray_st levels[];
};

/**
 * struct core_part - part of another driver's memory
 * @object: what it is part of, or NULL
 * @at: with @object: first byte, where engines have it
 * @pitch: with @object: bytes from row to row of the image whose plane begins
 *	there; 0: no plane does
 * @fd: its file, without @object
 * @off: first byte
 * @len: bytes that there are from that on
 */
struct core_part {
	struct mem_object *object;
	char *at;
	uint64_t pitch;
	int fd;
	uint64_t off;
	uint64_t len;
};

/* array.c */
CORE_API unsigned int core_format_len(CUarray_format format,
				      unsigned int nr_channels);
CORE_API int core_array_create(struct CUctx_st *ctx,
			       const CUDA_ARRAY3D_DESCRIPTOR *desc,
			       CUarray *array);
CORE_API int core_array_destroy(CUarray array);
CORE_API bool core_array_exists(const struct CUarray_st *array);
CORE_API int core_mipmap_create(struct CUctx_st *ctx,
				const CUDA_ARRAY3D_DESCRIPTOR *desc,
				unsigned int nr_levels,
				CUmipmappedArray *mipmap);
int core_mipmap_map(struct CUctx_st *ctx, const CUDA_ARRAY3D_DESCRIPTOR *desc,
		    unsigned int nr_levels, const struct core_part *part,
		    CUmipmappedArray *mipmap);
CORE_API int core_mipmap_destroy(CUmipmappedArray mipmap);
CORE_API int core_mipmap_level(CUmipmappedArray mipmap, unsigned int level,
			       CUarray *array);
CORE_API bool core_mipmap_exists(const struct CUmipmappedArray_st *mipmap);

/* copy3d.c */
CORE_API int core_copy3d(const CUDA_MEMCPY3D *copy, CUstream stream,
			 bool is_async);
CORE_API int core_copy_run(const CUDA_MEMCPY3D *copy, uint64_t len,
			   CUstream stream, bool is_async);
CORE_API bool core_is_within(const void *ptr, uint64_t len);

/* view.c */
CORE_API int core_surface_create(struct CUctx_st *ctx,
				 const CUDA_RESOURCE_DESC *resource,
				 unsigned long long *surface);
CORE_API int core_texture_create(struct CUctx_st *ctx,
				 const CUDA_RESOURCE_DESC *resource,
				 const CUDA_TEXTURE_DESC *texture,
				 const CUDA_RESOURCE_VIEW_DESC *view,
				 unsigned long long *object);
CORE_API int core_view_destroy(enum core_type type, unsigned long long handle);
CORE_API int core_view_resource(enum core_type type, unsigned long long handle,
				CUDA_RESOURCE_DESC *resource);
CORE_API int core_view_texture(unsigned long long handle,
			       CUDA_TEXTURE_DESC *texture);
CORE_API int core_view_view(unsigned long long handle,
			    CUDA_RESOURCE_VIEW_DESC *view);

#endif
