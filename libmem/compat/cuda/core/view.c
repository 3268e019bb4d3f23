// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Surface and texture objects. Kernels run in another process and follow an
 * object's handle. So the data that they need is in pinned memory, which has
 * the same address in both processes and which the CPU may write at any time:
 * creating or destroying an object neither needs an engine nor waits for one.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core_array.h"
#include "internal.h"
#include "libmem_view.h"

/* Handles are multiples of this. */
#define SLOT_LEN	1024
#define NR_SLOTS	64

/* CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT and _TEXTURE_PITCH_ALIGNMENT */
#define BASE_ALIGN	512
#define PITCH_ALIGN	32

#define TEXTURE_FLAGS	(CU_TRSF_READ_AS_INTEGER | \
			 CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB | \
			 CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION | \
			 CU_TRSF_SEAMLESS_CUBEMAP)

_Static_assert(sizeof(struct libmem_view) <= SLOT_LEN, "a view has its slot");

/**
 * struct object - parameters that a program can query
 * @resource: resource
 * @texture: parameters of a texture
 * @view: parameters of a view of the resource
 * @has_view: @view is used
 */
struct object {
	CUDA_RESOURCE_DESC resource;
	CUDA_TEXTURE_DESC texture;
	CUDA_RESOURCE_VIEW_DESC view;
	bool has_view;
};

/**
 * struct slab - memory for some objects
 * @ctx: context
 * @memory: pinned memory of NR_SLOTS slots
 * @used: a bit for each used slot
 * @objects: parameters of each slot's object
 * @next: next slab
 */
struct slab {
	struct CUctx_st *ctx;
	char *memory;
	uint64_t used;
	struct object objects[NR_SLOTS];
	struct slab *next;
};

/* Protects the slabs. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct slab *slabs;

/*
 * The lock is held. The slab is added to the context before its objects, so
 * that it is destroyed after them.
 */
static int slab_create(struct CUctx_st *ctx, struct slab **slab)
{
	struct slab *new = calloc(1, sizeof(*new));
	void *memory;
	int rc;

	if (!new)
		return CUDA_ERROR_OUT_OF_MEMORY;
	rc = core_error(mem_alloc(ctx->mem, MEM_KIND_PINNED,
				  NR_SLOTS * SLOT_LEN, 0, &memory));
	if (rc)
		goto err_free;
	mem_set_name(ctx->mem, memory, "surface and texture objects");
	/*
	 * Freeing it with its last object would wait for the context's work,
	 * which cudaDestroyTextureObject() must not do.
	 */
	mem_set_lasting(ctx->mem, memory);
	new->ctx = ctx;
	new->memory = memory;
	rc = core_object_add(CORE_VIEWS, new, ctx);
	if (rc)
		goto err_mem_free;
	new->next = slabs;
	slabs = new;
	*slab = new;
	return CUDA_SUCCESS;

err_mem_free:
	mem_free(ctx->mem, memory);
err_free:
	free(new);
	return rc;
}

/* Called by core_objects_drop(), after its objects have been dropped. */
void core_views_drop(struct CUctx_st *ctx, void *object)
{
	struct slab *slab = object;
	struct slab **at;

	pthread_mutex_lock(&lock);
	for (at = &slabs; *at != slab; at = &(*at)->next)
		;
	*at = slab->next;
	pthread_mutex_unlock(&lock);
	mem_free(ctx->mem, slab->memory);
	free(slab);
}

/* The lock is held. */
static struct slab *slab_of(unsigned long long handle, unsigned int *slot)
{
	const char *at = (char *)(uintptr_t)handle;
	struct slab *slab;

	for (slab = slabs; slab; slab = slab->next)
		if (at >= slab->memory &&
		    at < slab->memory + NR_SLOTS * SLOT_LEN)
			break;
	*slot = slab ? (at - slab->memory) / SLOT_LEN : 0;
	return slab;
}

static int slot_take(struct CUctx_st *ctx, const struct object *object,
		     struct libmem_view **view)
{
	struct slab *slab;
	unsigned int slot;
	int rc = CUDA_SUCCESS;

	pthread_mutex_lock(&lock);
	for (slab = slabs; slab; slab = slab->next)
		if (slab->ctx == ctx && ~slab->used)
			break;
	if (!slab)
		rc = slab_create(ctx, &slab);
	if (!rc) {
		slot = __builtin_ctzll(~slab->used);
		slab->used |= 1ULL << slot;
		slab->objects[slot] = *object;
		*view = (void *)(slab->memory + slot * SLOT_LEN);
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

/* Clears the slot, so that a kernel that uses the handle finds no object. */
static void slot_give(unsigned long long handle)
{
	struct slab *slab;
	unsigned int slot;

	pthread_mutex_lock(&lock);
	slab = slab_of(handle, &slot);
	memset((void *)(uintptr_t)handle, 0, sizeof(struct libmem_view));
	slab->used &= ~(1ULL << slot);
	pthread_mutex_unlock(&lock);
}

/* Called by core_objects_drop(). */
void core_view_drop(struct CUctx_st *ctx, void *object)
{
	(void)ctx;
	slot_give((uintptr_t)object);
}

/* Normalised formats are integers that are always read as floats. */
static void view_set_format(struct libmem_view *view, CUarray_format format,
			    unsigned int nr_channels)
{
	static const unsigned int formats[] = {
		LIBMEM_VIEW_U8, LIBMEM_VIEW_U16, LIBMEM_VIEW_S8,
		LIBMEM_VIEW_S16,
	};

	view->element_len = core_format_len(format, nr_channels);
	view->nr_channels = nr_channels;
	view->format = format;
	if (format >= CU_AD_FORMAT_UNORM_INT8X1 &&
	    format <= CU_AD_FORMAT_SNORM_INT16X4) {
		view->format = formats[(format - CU_AD_FORMAT_UNORM_INT8X1) /
				       3];
		view->flags |= LIBMEM_VIEW_TO_FLOAT;
	}
}

static void view_add_level(struct libmem_view *view,
			   const struct CUarray_st *array)
{
	const CUDA_ARRAY3D_DESCRIPTOR *desc = &array->desc;

	view->levels[view->nr_levels++] = (struct libmem_level){
		.base = array->base,
		.pitch = array->pitch,
		.slice = array->slice,
		.width = desc->Width,
		.height = desc->Height ? desc->Height : 1,
		.depth = desc->Depth ? desc->Depth : 1,
	};
}

static void view_set_shape(struct libmem_view *view,
			   const CUDA_ARRAY3D_DESCRIPTOR *desc)
{
	if (desc->Flags & CUDA_ARRAY3D_LAYERED)
		view->flags |= LIBMEM_VIEW_LAYERED;
	if (desc->Flags & CUDA_ARRAY3D_CUBEMAP)
		view->flags |= LIBMEM_VIEW_CUBEMAP;
}

static int view_take_array(const struct CUctx_st *ctx, CUarray array,
			   struct libmem_view *view)
{
	if (!core_array_exists(array))
		return CUDA_ERROR_INVALID_HANDLE;
	if (array->ctx->mem != ctx->mem)
		return CUDA_ERROR_INVALID_VALUE;
	view_set_format(view, array->desc.Format, array->desc.NumChannels);
	view_set_shape(view, &array->desc);
	view_add_level(view, array);
	return CUDA_SUCCESS;
}

static int view_take_mipmap(const struct CUctx_st *ctx, CUmipmappedArray mipmap,
			    struct libmem_view *view)
{
	unsigned int i;

	if (!core_mipmap_exists(mipmap))
		return CUDA_ERROR_INVALID_HANDLE;
	if (mipmap->ctx->mem != ctx->mem ||
	    mipmap->nr_levels > LIBMEM_VIEW_LEVELS)
		return CUDA_ERROR_INVALID_VALUE;
	view_set_format(view, mipmap->desc.Format, mipmap->desc.NumChannels);
	view_set_shape(view, &mipmap->desc);
	for (i = 0; i < mipmap->nr_levels; i++)
		view_add_level(view, &mipmap->levels[i]);
	return CUDA_SUCCESS;
}

/*
 * Returns the engines' address of memory, or NULL if engines cannot access it
 * or it is not aligned.
 */
static char *view_base_of(const struct CUctx_st *ctx, CUdeviceptr ptr)
{
	char *const base = (char *)(uintptr_t)ptr;
	struct core_ptr what;

	if (!ptr || ptr % BASE_ALIGN)
		return NULL;
	core_ptr(base, &what);
	if (what.kind == MEM_KIND_PAGEABLE)
		return ctx->device->board.has_pageable_access ? base : NULL;
	return what.info.device;
}

static bool view_fits(const struct CUctx_st *ctx, size_t extent, int attribute)
{
	int limit;

	return !core_attribute(ctx->device, attribute, &limit) &&
	       extent <= (size_t)limit;
}

static int view_take_linear(const struct CUctx_st *ctx,
			    const CUDA_RESOURCE_DESC *resource,
			    struct libmem_view *view)
{
	const CUarray_format format = resource->res.linear.format;
	const unsigned int nr_channels = resource->res.linear.numChannels;
	const unsigned int len = core_format_len(format, nr_channels);
	char *base = view_base_of(ctx, resource->res.linear.devPtr);
	size_t width;

	if (!len || !base)
		return CUDA_ERROR_INVALID_VALUE;
	width = resource->res.linear.sizeInBytes / len;
	if (!width ||
	    !view_fits(ctx, width,
		       CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH))
		return CUDA_ERROR_INVALID_VALUE;
	view_set_format(view, format, nr_channels);
	view->flags |= LIBMEM_VIEW_BUFFER;
	view->nr_levels = 1;
	view->levels[0] = (struct libmem_level){
		.base = base,
		.pitch = width * len,
		.slice = width * len,
		.width = width,
		.height = 1,
		.depth = 1,
	};
	return CUDA_SUCCESS;
}

static int view_take_pitch2d(const struct CUctx_st *ctx,
			     const CUDA_RESOURCE_DESC *resource,
			     struct libmem_view *view)
{
	const CUarray_format format = resource->res.pitch2D.format;
	const unsigned int nr_channels = resource->res.pitch2D.numChannels;
	const unsigned int len = core_format_len(format, nr_channels);
	const size_t pitch = resource->res.pitch2D.pitchInBytes;
	const size_t width = resource->res.pitch2D.width;
	const size_t height = resource->res.pitch2D.height;
	char *base = view_base_of(ctx, resource->res.pitch2D.devPtr);

	if (!len || !base || !width || !height || pitch % PITCH_ALIGN ||
	    !view_fits(ctx, width,
		       CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH) ||
	    !view_fits(ctx, height,
		       CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT) ||
	    !view_fits(ctx, pitch,
		       CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH) ||
	    pitch < width * len)
		return CUDA_ERROR_INVALID_VALUE;
	view_set_format(view, format, nr_channels);
	view->nr_levels = 1;
	view->levels[0] = (struct libmem_level){
		.base = base,
		.pitch = pitch,
		.slice = pitch * height,
		.width = width,
		.height = height,
		.depth = 1,
	};
	return CUDA_SUCCESS;
}

static int view_take_resource(const struct CUctx_st *ctx,
			      const CUDA_RESOURCE_DESC *resource,
			      struct libmem_view *view)
{
	if (resource->flags)
		return CUDA_ERROR_INVALID_VALUE;
	switch (resource->resType) {
	case CU_RESOURCE_TYPE_ARRAY:
		return view_take_array(ctx, resource->res.array.hArray, view);
	case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
		return view_take_mipmap(ctx,
					resource->res.mipmap.hMipmappedArray,
					view);
	case CU_RESOURCE_TYPE_LINEAR:
		return view_take_linear(ctx, resource, view);
	case CU_RESOURCE_TYPE_PITCH2D:
		return view_take_pitch2d(ctx, resource, view);
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

static bool view_is_array(const CUDA_RESOURCE_DESC *resource)
{
	return resource->resType == CU_RESOURCE_TYPE_ARRAY ||
	       resource->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
}

/* CU_RES_VIEW_FORMAT_* are numbered by format, each with 1, 2, 4 channels. */
static int view_set_resource_format(struct libmem_view *view,
				    unsigned int format)
{
	static const CUarray_format formats[] = {
		CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_SIGNED_INT8,
		CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_SIGNED_INT16,
		CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32,
		CU_AD_FORMAT_HALF, CU_AD_FORMAT_FLOAT,
	};
	static const unsigned int channels[] = { 1, 2, 4 };
	const unsigned int element_len = view->element_len;
	const unsigned int which = format - CU_RES_VIEW_FORMAT_UINT_1X8;

	if (format == CU_RES_VIEW_FORMAT_NONE)
		return CUDA_SUCCESS;
	if (format > CU_RES_VIEW_FORMAT_UNSIGNED_BC7)
		return CUDA_ERROR_INVALID_VALUE;
	/* Block compression is not modelled. */
	if (format > CU_RES_VIEW_FORMAT_FLOAT_4X32)
		return CUDA_ERROR_NOT_SUPPORTED;
	view->flags &= ~LIBMEM_VIEW_TO_FLOAT;
	view_set_format(view, formats[which / 3], channels[which % 3]);
	return view->element_len == element_len ? CUDA_SUCCESS :
						  CUDA_ERROR_INVALID_VALUE;
}

/* The extents must be the resource's; 0 where the resource has none. */
static int view_check_extent(const CUDA_RESOURCE_DESC *resource,
			     const CUDA_RESOURCE_VIEW_DESC *desc)
{
	const CUDA_ARRAY3D_DESCRIPTOR *of =
		resource->resType == CU_RESOURCE_TYPE_ARRAY ?
		&resource->res.array.hArray->desc :
		&resource->res.mipmap.hMipmappedArray->desc;

	return desc->width == of->Width && desc->height == of->Height &&
	       desc->depth == of->Depth ? CUDA_SUCCESS :
					  CUDA_ERROR_INVALID_VALUE;
}

static int view_take_desc(const CUDA_RESOURCE_DESC *resource,
			  const CUDA_RESOURCE_VIEW_DESC *desc,
			  struct libmem_view *view)
{
	struct libmem_level *level;
	unsigned int i;
	int rc;

	if (!view_is_array(resource) || view_check_extent(resource, desc) ||
	    desc->firstMipmapLevel > desc->lastMipmapLevel ||
	    desc->lastMipmapLevel >= view->nr_levels ||
	    desc->firstLayer > desc->lastLayer)
		return CUDA_ERROR_INVALID_VALUE;
	if (view->flags & LIBMEM_VIEW_LAYERED ?
	    desc->lastLayer >= view->levels[0].depth : desc->lastLayer)
		return CUDA_ERROR_INVALID_VALUE;
	rc = view_set_resource_format(view, desc->format);
	if (rc)
		return rc;
	view->nr_levels = desc->lastMipmapLevel - desc->firstMipmapLevel + 1;
	memmove(view->levels, view->levels + desc->firstMipmapLevel,
		view->nr_levels * sizeof(*view->levels));
	if (!(view->flags & LIBMEM_VIEW_LAYERED))
		return CUDA_SUCCESS;
	for (i = 0; i < view->nr_levels; i++) {
		level = &view->levels[i];
		level->base += desc->firstLayer * level->slice;
		level->depth = desc->lastLayer - desc->firstLayer + 1;
	}
	return CUDA_SUCCESS;
}

static bool view_is_float(const struct libmem_view *view)
{
	return view->format == LIBMEM_VIEW_F16 ||
	       view->format == LIBMEM_VIEW_F32 ||
	       view->flags & LIBMEM_VIEW_TO_FLOAT;
}

static bool view_is_wide(const struct libmem_view *view)
{
	return view->format == LIBMEM_VIEW_U32 ||
	       view->format == LIBMEM_VIEW_S32;
}

/* 32-bit integers are never converted to floats. */
static void view_take_flags(const CUDA_TEXTURE_DESC *desc,
			    struct libmem_view *view)
{
	if (!(desc->flags & CU_TRSF_READ_AS_INTEGER) && !view_is_float(view) &&
	    !view_is_wide(view))
		view->flags |= LIBMEM_VIEW_TO_FLOAT;
	if (desc->flags & CU_TRSF_NORMALIZED_COORDINATES)
		view->flags |= LIBMEM_VIEW_NORMALIZED;
	if (desc->flags & CU_TRSF_SRGB)
		view->flags |= LIBMEM_VIEW_SRGB;
}

/*
 * Linear memory is not filtered, and its addressing modes have no effect
 * (CUDA's reference, cuTexObjectCreate()). With coordinates that are not
 * normalised, modes that repeat are replaced by clamping.
 */
static int view_take_sampler(const CUDA_TEXTURE_DESC *desc,
			     struct libmem_view *view)
{
	unsigned int i;

	if (desc->flags & ~TEXTURE_FLAGS ||
	    (unsigned int)desc->filterMode > CU_TR_FILTER_MODE_LINEAR ||
	    (unsigned int)desc->mipmapFilterMode > CU_TR_FILTER_MODE_LINEAR)
		return CUDA_ERROR_INVALID_VALUE;
	view_take_flags(desc, view);
	for (i = 0; i < 3; i++) {
		view->address[i] = desc->addressMode[i];
		if (view->address[i] > LIBMEM_VIEW_BORDER)
			return CUDA_ERROR_INVALID_VALUE;
		if (!(view->flags & LIBMEM_VIEW_NORMALIZED) &&
		    view->address[i] != LIBMEM_VIEW_BORDER)
			view->address[i] = LIBMEM_VIEW_CLAMP;
	}
	if (desc->filterMode == CU_TR_FILTER_MODE_LINEAR &&
	    !(view->flags & LIBMEM_VIEW_BUFFER)) {
		if (!view_is_float(view))
			return CUDA_ERROR_INVALID_VALUE;
		view->flags |= LIBMEM_VIEW_LINEAR;
	}
	if (desc->mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR &&
	    view_is_float(view))
		view->flags |= LIBMEM_VIEW_MIP_LINEAR;
	memcpy(view->border, desc->borderColor, sizeof(view->border));
	view->bias = desc->mipmapLevelBias;
	view->min_level = desc->minMipmapLevelClamp;
	view->max_level = desc->maxMipmapLevelClamp;
	return CUDA_SUCCESS;
}

static int view_object_create(struct CUctx_st *ctx, enum core_type type,
			      const struct object *object,
			      const struct libmem_view *view,
			      unsigned long long *handle)
{
	struct libmem_view *new;
	int rc;

	rc = slot_take(ctx, object, &new);
	if (rc)
		return rc;
	*new = *view;
	rc = core_object_add(type, new, ctx);
	if (rc)
		slot_give((uintptr_t)new);
	else
		*handle = (uintptr_t)new;
	return rc;
}

/*
 * NVIDIA's sample cudaNvSciNvMedia maps planes of an NvSciBufObj as arrays
 * without the flag, and has surfaces of them.
 */
static bool view_may_be_surface(const struct CUarray_st *array)
{
	return array->desc.Flags & CUDA_ARRAY3D_SURFACE_LDST ||
	       (array->mipmap && array->mipmap->object);
}

/**
 * core_surface_create() - create a surface object
 * @ctx: context
 * @resource: array with CUDA_ARRAY3D_SURFACE_LDST, or of an object's memory
 * @surface: out: object, owned by the caller: core_view_destroy()
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (another kind of resource, an
 * array without the flag), CUDA_ERROR_INVALID_HANDLE (no such array),
 * CUDA_ERROR_OUT_OF_MEMORY.
 */
CORE_API int core_surface_create(struct CUctx_st *ctx,
				 const CUDA_RESOURCE_DESC *resource,
				 unsigned long long *surface)
{
	const struct object object = { .resource = *resource };
	struct libmem_view view = { .magic = LIBMEM_VIEW_SURFACE };
	int rc;

	if (resource->resType != CU_RESOURCE_TYPE_ARRAY)
		return CUDA_ERROR_INVALID_VALUE;
	rc = view_take_resource(ctx, resource, &view);
	if (rc)
		return rc;
	if (!view_may_be_surface(resource->res.array.hArray))
		return CUDA_ERROR_INVALID_VALUE;
	return view_object_create(ctx, CORE_SURFACE, &object, &view, surface);
}

/**
 * core_texture_create() - create a texture object
 * @ctx: context
 * @resource: resource that it reads
 * @texture: parameters of reading
 * @view: view of the resource; NULL: the resource as it is
 * @object: out: object, owned by the caller: core_view_destroy()
 *
 * Anisotropic filtering and seamless cubemaps are not modelled: their flags are
 * accepted but have no effect.
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (inconsistent parameters: see
 * CUDA's reference, cuTexObjectCreate()), CUDA_ERROR_INVALID_HANDLE (no such
 * array), CUDA_ERROR_NOT_SUPPORTED (block compression),
 * CUDA_ERROR_OUT_OF_MEMORY.
 */
CORE_API int core_texture_create(struct CUctx_st *ctx,
				 const CUDA_RESOURCE_DESC *resource,
				 const CUDA_TEXTURE_DESC *texture,
				 const CUDA_RESOURCE_VIEW_DESC *view,
				 unsigned long long *object)
{
	struct object new = { .resource = *resource, .texture = *texture };
	struct libmem_view seen = { .magic = LIBMEM_VIEW_TEXTURE };
	int rc = view_take_resource(ctx, resource, &seen);

	if (!rc && view) {
		new.view = *view;
		new.has_view = true;
		rc = view_take_desc(resource, view, &seen);
	}
	if (!rc)
		rc = view_take_sampler(texture, &seen);
	if (rc)
		return rc;
	if ((resource->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY &&
	     !(seen.flags & LIBMEM_VIEW_NORMALIZED)) ||
	    (texture->flags & CU_TRSF_SEAMLESS_CUBEMAP &&
	     !(seen.flags & LIBMEM_VIEW_CUBEMAP)))
		return CUDA_ERROR_INVALID_VALUE;
	return view_object_create(ctx, CORE_TEXTURE, &new, &seen, object);
}

/**
 * core_view_destroy() - destroy a surface or texture object
 * @type: CORE_SURFACE or CORE_TEXTURE
 * @handle: object
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE (no such object).
 */
CORE_API int core_view_destroy(enum core_type type, unsigned long long handle)
{
	if (!core_object_del(type, (void *)(uintptr_t)handle))
		return CUDA_ERROR_INVALID_VALUE;
	slot_give(handle);
	return CUDA_SUCCESS;
}

static int view_object_get(enum core_type type, unsigned long long handle,
			   struct object *object)
{
	struct slab *slab;
	unsigned int slot;

	if (!core_object_ctx(type, (void *)(uintptr_t)handle))
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	slab = slab_of(handle, &slot);
	/* NULL if another thread has just destroyed the context. */
	if (slab)
		*object = slab->objects[slot];
	pthread_mutex_unlock(&lock);
	return slab ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/**
 * core_view_resource() - return the resource of an object
 * @type: CORE_SURFACE or CORE_TEXTURE
 * @handle: object
 * @resource: out: resource
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE (no such object).
 */
CORE_API int core_view_resource(enum core_type type, unsigned long long handle,
				CUDA_RESOURCE_DESC *resource)
{
	struct object object;
	int rc = view_object_get(type, handle, &object);

	if (!rc)
		*resource = object.resource;
	return rc;
}

/**
 * core_view_texture() - return the parameters of a texture object
 * @handle: object
 * @texture: out: parameters
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE (no such object).
 */
CORE_API int core_view_texture(unsigned long long handle,
			       CUDA_TEXTURE_DESC *texture)
{
	struct object object;
	int rc = view_object_get(CORE_TEXTURE, handle, &object);

	if (!rc)
		*texture = object.texture;
	return rc;
}

/**
 * core_view_view() - return the view of a texture object
 * @handle: object
 * @view: out: view
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE (no such object, or it
 * reads the resource as it is).
 */
CORE_API int core_view_view(unsigned long long handle,
			    CUDA_RESOURCE_VIEW_DESC *view)
{
	struct object object;
	int rc = view_object_get(CORE_TEXTURE, handle, &object);

	if (rc)
		return rc;
	if (!object.has_view)
		return CUDA_ERROR_INVALID_VALUE;
	*view = object.view;
	return CUDA_SUCCESS;
}
