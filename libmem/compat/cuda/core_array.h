/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays of the core, and the objects that access memory through them. */
#ifndef _COMPAT_CUDA_CORE_ARRAY_H
#define _COMPAT_CUDA_CORE_ARRAY_H

#include "core.h"

/**
 * struct CUarray_st - an array, or a level of a mipmapped one
 * @ctx: context that owns it
 * @desc: parameters of its creation; of a level, with the level's extent
 * @element_len: bytes of an element
 * @base: device memory
 * @pitch: bytes from one row to the next
 * @slice: bytes from one slice or layer to the next
 * @mipmap: mipmapped array of which it is a level, or NULL
 * @is_view: the memory and the handle are those of a frame or an image
 */
struct CUarray_st {
	struct CUctx_st *ctx;
	CUDA_ARRAY3D_DESCRIPTOR desc;
	unsigned int element_len;
	char *base;
	uint64_t pitch;
	uint64_t slice;
	struct CUmipmappedArray_st *mipmap;
	bool is_view;
};

/**
 * struct CUmipmappedArray_st - a mipmapped array
 * @ctx: context that owns it
 * @desc: parameters of its creation
 * @nr_levels: number of levels, at least 1
 * @base: device memory of all levels
 * @object: object that has the memory, a reference; NULL: allocated for it
 * @levels: levels, the finest first
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
 * @object: object that has the memory, or NULL
 * @at: with @object: address of the first byte for engines
 * @pitch: with @object: bytes from one row to the next of the image plane that
 *	begins at @at; 0: no plane does
 * @fd: file of the memory if there is no @object
 * @off: offset of the first byte
 * @len: bytes from @off to the end of the memory
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
int core_array_view(struct CUctx_st *ctx, const CUDA_ARRAY3D_DESCRIPTOR *desc,
		    void *base, uint64_t pitch, CUarray *array);
void core_array_view_destroy(CUarray array);
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
