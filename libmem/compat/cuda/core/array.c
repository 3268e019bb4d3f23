// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Arrays and mipmapped arrays: device memory in rows of a fixed pitch, for
 * which the program has a handle. Hardware orders the elements differently,
 * which copies, surfaces and textures hide.
 */
#include <errno.h>
#include <stdlib.h>

#include "core_array.h"
#include "internal.h"

/* As for pitched memory of a CUDA 13.0 runtime */
#define PITCH_ALIGN	512

#define SIZE_FLAGS	(CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)
#define KNOWN_FLAGS	(SIZE_FLAGS | CUDA_ARRAY3D_SURFACE_LDST | \
			 CUDA_ARRAY3D_TEXTURE_GATHER | \
			 CUDA_ARRAY3D_DEPTH_TEXTURE | \
			 CUDA_ARRAY3D_COLOR_ATTACHMENT | UNBACKED_FLAGS)
/* Memory is mapped later by cuMemMapArrayAsync(), which Tegra lacks. */
#define UNBACKED_FLAGS	(CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING)

enum shape {
	SHAPE_1D,
	SHAPE_2D,
	SHAPE_3D,
	SHAPE_3D_ALTERNATE,
	SHAPE_1D_LAYERED,
	SHAPE_2D_LAYERED,
	SHAPE_CUBEMAP,
	SHAPE_CUBEMAP_LAYERED,
	SHAPE_1D_MIPMAPPED,
	SHAPE_2D_MIPMAPPED,
	SHAPE_GATHER,
	SHAPE_1D_SURFACE,
	SHAPE_2D_SURFACE,
	SHAPE_3D_SURFACE,
	SHAPE_1D_LAYERED_SURFACE,
	SHAPE_2D_LAYERED_SURFACE,
	SHAPE_CUBEMAP_SURFACE,
	SHAPE_CUBEMAP_LAYERED_SURFACE,
	NR_SHAPES,
};

#define LIMIT(name)	(CU_DEVICE_ATTRIBUTE_MAXIMUM_ ## name)

/* Attributes that limit width, height and depth; 0: no limit */
static const CUdevice_attribute limits[NR_SHAPES][3] = {
	[SHAPE_1D] = { LIMIT(TEXTURE1D_WIDTH) },
	[SHAPE_2D] = { LIMIT(TEXTURE2D_WIDTH), LIMIT(TEXTURE2D_HEIGHT) },
	[SHAPE_3D] = { LIMIT(TEXTURE3D_WIDTH), LIMIT(TEXTURE3D_HEIGHT),
		       LIMIT(TEXTURE3D_DEPTH) },
	[SHAPE_3D_ALTERNATE] = { LIMIT(TEXTURE3D_WIDTH_ALTERNATE),
				 LIMIT(TEXTURE3D_HEIGHT_ALTERNATE),
				 LIMIT(TEXTURE3D_DEPTH_ALTERNATE) },
	[SHAPE_1D_LAYERED] = { LIMIT(TEXTURE1D_LAYERED_WIDTH), 0,
			       LIMIT(TEXTURE1D_LAYERED_LAYERS) },
	[SHAPE_2D_LAYERED] = { LIMIT(TEXTURE2D_LAYERED_WIDTH),
			       LIMIT(TEXTURE2D_LAYERED_HEIGHT),
			       LIMIT(TEXTURE2D_LAYERED_LAYERS) },
	[SHAPE_CUBEMAP] = { LIMIT(TEXTURECUBEMAP_WIDTH) },
	[SHAPE_CUBEMAP_LAYERED] = { LIMIT(TEXTURECUBEMAP_LAYERED_WIDTH), 0,
				    LIMIT(TEXTURECUBEMAP_LAYERED_LAYERS) },
	[SHAPE_1D_MIPMAPPED] = { LIMIT(TEXTURE1D_MIPMAPPED_WIDTH) },
	[SHAPE_2D_MIPMAPPED] = { LIMIT(TEXTURE2D_MIPMAPPED_WIDTH),
				 LIMIT(TEXTURE2D_MIPMAPPED_HEIGHT) },
	[SHAPE_GATHER] = { LIMIT(TEXTURE2D_GATHER_WIDTH),
			   LIMIT(TEXTURE2D_GATHER_HEIGHT) },
	[SHAPE_1D_SURFACE] = { LIMIT(SURFACE1D_WIDTH) },
	[SHAPE_2D_SURFACE] = { LIMIT(SURFACE2D_WIDTH),
			       LIMIT(SURFACE2D_HEIGHT) },
	[SHAPE_3D_SURFACE] = { LIMIT(SURFACE3D_WIDTH), LIMIT(SURFACE3D_HEIGHT),
			       LIMIT(SURFACE3D_DEPTH) },
	[SHAPE_1D_LAYERED_SURFACE] = { LIMIT(SURFACE1D_LAYERED_WIDTH), 0,
				       LIMIT(SURFACE1D_LAYERED_LAYERS) },
	[SHAPE_2D_LAYERED_SURFACE] = { LIMIT(SURFACE2D_LAYERED_WIDTH),
				       LIMIT(SURFACE2D_LAYERED_HEIGHT),
				       LIMIT(SURFACE2D_LAYERED_LAYERS) },
	[SHAPE_CUBEMAP_SURFACE] = { LIMIT(SURFACECUBEMAP_WIDTH) },
	[SHAPE_CUBEMAP_LAYERED_SURFACE] = {
		LIMIT(SURFACECUBEMAP_LAYERED_WIDTH), 0,
		LIMIT(SURFACECUBEMAP_LAYERED_LAYERS)
	},
};

/* Shapes with the limits of surfaces */
static const enum shape as_surface[NR_SHAPES] = {
	[SHAPE_1D] = SHAPE_1D_SURFACE,
	[SHAPE_2D] = SHAPE_2D_SURFACE,
	[SHAPE_3D] = SHAPE_3D_SURFACE,
	[SHAPE_1D_LAYERED] = SHAPE_1D_LAYERED_SURFACE,
	[SHAPE_2D_LAYERED] = SHAPE_2D_LAYERED_SURFACE,
	[SHAPE_CUBEMAP] = SHAPE_CUBEMAP_SURFACE,
	[SHAPE_CUBEMAP_LAYERED] = SHAPE_CUBEMAP_LAYERED_SURFACE,
};

/**
 * core_format_len() - return the length of an element
 * @format: format of a channel
 * @nr_channels: number of channels
 *
 * Block-compressed and planar formats are not modelled.
 *
 * Return: bytes; 0: there is no such element.
 */
CORE_API unsigned int core_format_len(CUarray_format format,
				      unsigned int nr_channels)
{
	/* Number of channels in the names of normalised formats, in order */
	static const unsigned int channels_of[] = { 1, 2, 4 };
	unsigned int normalized;

	if (nr_channels != 1 && nr_channels != 2 && nr_channels != 4)
		return 0;
	switch (format) {
	case CU_AD_FORMAT_UNSIGNED_INT8:
	case CU_AD_FORMAT_SIGNED_INT8:
		return nr_channels;
	case CU_AD_FORMAT_UNSIGNED_INT16:
	case CU_AD_FORMAT_SIGNED_INT16:
	case CU_AD_FORMAT_HALF:
		return nr_channels * 2;
	case CU_AD_FORMAT_UNSIGNED_INT32:
	case CU_AD_FORMAT_SIGNED_INT32:
	case CU_AD_FORMAT_FLOAT:
		return nr_channels * 4;
	default:
		break;
	}
	if (format < CU_AD_FORMAT_UNORM_INT8X1 ||
	    format > CU_AD_FORMAT_SNORM_INT16X4)
		return 0;
	normalized = format - CU_AD_FORMAT_UNORM_INT8X1;
	if (channels_of[normalized % 3] != nr_channels)
		return 0;
	return normalized / 3 % 2 ? nr_channels * 2 : nr_channels;
}

static bool array_is_layered(const CUDA_ARRAY3D_DESCRIPTOR *desc)
{
	return desc->Flags & SIZE_FLAGS;
}

/* Returns false if extent and flags are inconsistent. */
static bool array_shape_of(const CUDA_ARRAY3D_DESCRIPTOR *desc,
			   enum shape *shape)
{
	const bool is_cubemap = desc->Flags & CUDA_ARRAY3D_CUBEMAP;

	if (!desc->Width)
		return false;
	switch (desc->Flags & SIZE_FLAGS) {
	case 0:
		*shape = desc->Depth ? SHAPE_3D :
			desc->Height ? SHAPE_2D : SHAPE_1D;
		return desc->Height || !desc->Depth;
	case CUDA_ARRAY3D_LAYERED:
		*shape = desc->Height ? SHAPE_2D_LAYERED : SHAPE_1D_LAYERED;
		return desc->Depth;
	case CUDA_ARRAY3D_CUBEMAP:
		*shape = SHAPE_CUBEMAP;
		return desc->Height == desc->Width && desc->Depth == 6;
	default:
		*shape = SHAPE_CUBEMAP_LAYERED;
		return is_cubemap && desc->Height == desc->Width &&
		       desc->Depth && desc->Depth % 6 == 0;
	}
}

static bool array_is_within(const struct core_device *device, enum shape shape,
			    const CUDA_ARRAY3D_DESCRIPTOR *desc)
{
	const size_t extent[] = { desc->Width, desc->Height, desc->Depth };
	unsigned int i;
	int limit;

	for (i = 0; i < 3; i++)
		if (limits[shape][i] &&
		    (core_attribute(device, limits[shape][i], &limit) ||
		     extent[i] > (size_t)limit))
			return false;
	return true;
}

static bool array_fits(const struct core_device *device,
		       const CUDA_ARRAY3D_DESCRIPTOR *desc, bool is_mipmapped)
{
	enum shape shape;

	if (!array_shape_of(desc, &shape))
		return false;
	if (desc->Flags & CUDA_ARRAY3D_SURFACE_LDST &&
	    !array_is_within(device, as_surface[shape], desc))
		return false;
	if (desc->Flags & CUDA_ARRAY3D_TEXTURE_GATHER &&
	    (shape != SHAPE_2D || !array_is_within(device, SHAPE_GATHER, desc)))
		return false;
	if (is_mipmapped && shape == SHAPE_1D)
		shape = SHAPE_1D_MIPMAPPED;
	if (is_mipmapped && shape == SHAPE_2D)
		shape = SHAPE_2D_MIPMAPPED;
	return array_is_within(device, shape, desc) ||
	       (shape == SHAPE_3D &&
		array_is_within(device, SHAPE_3D_ALTERNATE, desc));
}

/* Checks the parameters of an array or a mipmapped array. */
static int array_check(const struct CUctx_st *ctx,
		       const CUDA_ARRAY3D_DESCRIPTOR *desc, bool is_mipmapped)
{
	if (desc->Flags & ~KNOWN_FLAGS ||
	    !core_format_len(desc->Format, desc->NumChannels) ||
	    !array_fits(ctx->device, desc, is_mipmapped))
		return CUDA_ERROR_INVALID_VALUE;
	if (desc->Flags & UNBACKED_FLAGS)
		return CUDA_ERROR_NOT_SUPPORTED;
	return CUDA_SUCCESS;
}

/* Returns the length in bytes; the limits keep it far below 2^63. */
static uint64_t array_lay_out(struct CUarray_st *array)
{
	const CUDA_ARRAY3D_DESCRIPTOR *desc = &array->desc;
	const uint64_t nr_rows = desc->Height ? desc->Height : 1;
	const uint64_t nr_slices = desc->Depth ? desc->Depth : 1;
	uint64_t row_len;

	array->element_len = core_format_len(desc->Format, desc->NumChannels);
	row_len = array->element_len * desc->Width;
	array->pitch = (row_len + PITCH_ALIGN - 1) / PITCH_ALIGN * PITCH_ALIGN;
	array->slice = array->pitch * nr_rows;
	return array->slice * nr_slices;
}

/*
 * Computes the layout of a plane of an image. Returns the bytes up to the end
 * of its last row.
 */
static uint64_t array_lay_out_plane(struct CUarray_st *array, uint64_t pitch)
{
	const uint64_t row_len = array->element_len * array->desc.Width;
	const uint64_t nr_rows = array->desc.Height ? array->desc.Height : 1;

	array->pitch = pitch;
	array->slice = pitch * nr_rows;
	return row_len > pitch ? UINT64_MAX : pitch * (nr_rows - 1) + row_len;
}

/* Allocates memory that the program only accesses by an array's handle. */
static int array_alloc_memory(struct CUctx_st *ctx, uint64_t len,
			      const char *name, char **base)
{
	const unsigned int flags = ctx->device->is_discrete ?
		MEM_DEVICE_DISCRETE : 0;
	void *memory;
	int rc;

	rc = mem_alloc(ctx->mem, MEM_KIND_DEVICE, len, flags, &memory);
	/* For CUDA, a length above what libmem accepts is not invalid. */
	if (rc == -EINVAL)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (rc)
		return core_error(rc);
	mem_set_name(ctx->mem, memory, name);
	*base = memory;
	return CUDA_SUCCESS;
}

/* As array_alloc_memory(), but uses another driver's memory. */
static int array_import_memory(struct CUctx_st *ctx, uint64_t len,
			       const struct core_part *part, char **base)
{
	void *memory;
	int rc;

	if (len > part->len)
		return CUDA_ERROR_INVALID_VALUE;
	if (part->object) {
		*base = part->at;
		return CUDA_SUCCESS;
	}
	rc = mem_ptr_import(ctx->mem, part->fd, part->off, len,
			    ctx->device->is_discrete ? MEM_DEVICE_DISCRETE : 0,
			    &memory);
	if (!rc)
		*base = memory;
	return core_error(rc);
}

/**
 * core_array_create() - create an array
 * @ctx: context
 * @desc: parameters
 * @array: out: array, owned by the caller: core_array_destroy()
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (no such format or flags, an
 * extent that the device or the flags do not permit), CUDA_ERROR_NOT_SUPPORTED
 * (memory is to be mapped later), CUDA_ERROR_OUT_OF_MEMORY.
 */
CORE_API int core_array_create(struct CUctx_st *ctx,
			       const CUDA_ARRAY3D_DESCRIPTOR *desc,
			       CUarray *array)
{
	struct CUarray_st *new;
	int rc = array_check(ctx, desc, false);

	if (rc)
		return rc;
	new = calloc(1, sizeof(*new));
	if (!new)
		return CUDA_ERROR_OUT_OF_MEMORY;
	new->ctx = ctx;
	new->desc = *desc;
	rc = array_alloc_memory(ctx, array_lay_out(new), "array", &new->base);
	if (rc)
		goto err_free;
	rc = core_object_add(CORE_ARRAY, new, ctx);
	if (rc)
		goto err_mem_free;
	*array = new;
	return CUDA_SUCCESS;

err_mem_free:
	mem_free(ctx->mem, new->base);
err_free:
	free(new);
	return rc;
}

/**
 * core_array_exists() - check a handle of an array or a level
 * @array: handle, any value
 *
 * Return: true if it is valid.
 */
CORE_API bool core_array_exists(const struct CUarray_st *array)
{
	return array && core_object_ctx(CORE_ARRAY, array);
}

/**
 * core_array_destroy() - destroy an array
 * @array: array from core_array_create()
 *
 * Waits for all work of its context first.
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_HANDLE (it is no array, or is a
 * level or a view, which its owner destroys), CUDA_ERROR_NOT_PERMITTED
 * (in a host function), or the error that ended the context's work; the array
 * is destroyed in the last case, too.
 */
CORE_API int core_array_destroy(CUarray array)
{
	struct CUctx_st *ctx;
	int waited, err, rc;

	if (!core_array_exists(array) || array->mipmap || array->is_view)
		return CUDA_ERROR_INVALID_HANDLE;
	ctx = array->ctx;
	/* Waits first, as CUDA does. A host function must not do that. */
	waited = mem_ctx_sync(ctx->mem);
	if (waited == -EPERM)
		return core_error(-EPERM);
	if (!core_object_del(CORE_ARRAY, array))
		return CUDA_ERROR_INVALID_HANDLE;
	err = mem_free(ctx->mem, array->base);
	rc = core_error(err ? err : waited);
	free(array);
	return rc;
}

/* Called by core_objects_drop(). Levels and views are freed by their owner. */
void core_array_drop(struct CUctx_st *ctx, void *object)
{
	struct CUarray_st *array = object;

	if (array->mipmap || array->is_view)
		return;
	mem_free(ctx->mem, array->base);
	free(array);
}

/**
 * core_array_view() - make an array of memory that has an owner
 * @ctx: context
 * @desc: parameters; two-dimensional
 * @base: first byte, for engines
 * @pitch: bytes from one row to the next
 * @array: out: array, owned by the caller: core_array_view_destroy()
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (as for core_array_create(), a
 * pitch that is shorter than a row), CUDA_ERROR_OUT_OF_MEMORY.
 */
int core_array_view(struct CUctx_st *ctx, const CUDA_ARRAY3D_DESCRIPTOR *desc,
		    void *base, uint64_t pitch, CUarray *array)
{
	struct CUarray_st *new;
	int rc = array_check(ctx, desc, false);

	if (rc)
		return rc;
	new = calloc(1, sizeof(*new));
	if (!new)
		return CUDA_ERROR_OUT_OF_MEMORY;
	new->ctx = ctx;
	new->desc = *desc;
	new->element_len = core_format_len(desc->Format, desc->NumChannels);
	new->base = base;
	new->is_view = true;
	if (array_lay_out_plane(new, pitch) == UINT64_MAX)
		rc = CUDA_ERROR_INVALID_VALUE;
	else
		rc = core_object_add(CORE_ARRAY, new, ctx);
	if (rc)
		free(new);
	else
		*array = new;
	return rc;
}

/**
 * core_array_view_destroy() - destroy a view; the memory stays
 * @array: array of core_array_view(), or NULL, which does nothing
 */
void core_array_view_destroy(CUarray array)
{
	core_object_del(CORE_ARRAY, array);
	free(array);
}

static unsigned int mipmap_max_levels(const CUDA_ARRAY3D_DESCRIPTOR *desc)
{
	size_t longest = desc->Width;
	unsigned int nr = 1;

	if (desc->Height > longest)
		longest = desc->Height;
	if (!array_is_layered(desc) && desc->Depth > longest)
		longest = desc->Depth;
	while (longest >>= 1)
		nr++;
	return nr;
}

static size_t mipmap_halved(size_t extent, unsigned int times)
{
	if (!extent)
		return 0;
	return extent >> times ? extent >> times : 1;
}

/* Returns the bytes of all levels. Their bases are offsets until later. */
static uint64_t mipmap_lay_out(struct CUmipmappedArray_st *mipmap)
{
	struct CUarray_st *level;
	uint64_t len = 0;
	unsigned int i;

	for (i = 0; i < mipmap->nr_levels; i++) {
		level = &mipmap->levels[i];
		level->ctx = mipmap->ctx;
		level->mipmap = mipmap;
		level->desc = mipmap->desc;
		level->desc.Width = mipmap_halved(level->desc.Width, i);
		level->desc.Height = mipmap_halved(level->desc.Height, i);
		if (!array_is_layered(&level->desc))
			level->desc.Depth = mipmap_halved(level->desc.Depth, i);
		level->base = (char *)(uintptr_t)len;
		len += array_lay_out(level);
	}
	return len;
}

/* Adds the array before its levels, so that it is destroyed after them. */
static int mipmap_add_levels(struct CUmipmappedArray_st *mipmap)
{
	unsigned int i;
	int rc;

	rc = core_object_add(CORE_MIPMAP, mipmap, mipmap->ctx);
	if (rc)
		return rc;
	for (i = 0; i < mipmap->nr_levels; i++) {
		rc = core_object_add(CORE_ARRAY, &mipmap->levels[i],
				     mipmap->ctx);
		if (rc)
			break;
	}
	if (!rc)
		return CUDA_SUCCESS;
	while (i--)
		core_object_del(CORE_ARRAY, &mipmap->levels[i]);
	core_object_del(CORE_MIPMAP, mipmap);
	return rc;
}

static int mipmap_free_memory(struct CUmipmappedArray_st *mipmap)
{
	if (!mipmap->object)
		return mem_free(mipmap->ctx->mem, mipmap->base);
	mem_object_put(mipmap->object);
	return 0;
}

/* Allocates memory if @part is NULL. */
static int mipmap_make(struct CUctx_st *ctx,
		       const CUDA_ARRAY3D_DESCRIPTOR *desc,
		       unsigned int nr_levels, const struct core_part *part,
		       CUmipmappedArray *mipmap)
{
	struct CUmipmappedArray_st *new;
	unsigned int i;
	uint64_t len;
	int rc = array_check(ctx, desc, true);

	if (rc)
		return rc;
	if (!nr_levels)
		nr_levels = 1;
	if (nr_levels > mipmap_max_levels(desc))
		nr_levels = mipmap_max_levels(desc);
	new = calloc(1, sizeof(*new) + nr_levels * sizeof(*new->levels));
	if (!new)
		return CUDA_ERROR_OUT_OF_MEMORY;
	new->ctx = ctx;
	new->desc = *desc;
	new->nr_levels = nr_levels;
	len = mipmap_lay_out(new);
	if (part && part->pitch && nr_levels == 1 && !desc->Depth)
		len = array_lay_out_plane(&new->levels[0], part->pitch);
	rc = part ? array_import_memory(ctx, len, part, &new->base) :
		    array_alloc_memory(ctx, len, "mipmapped array", &new->base);
	if (rc)
		goto err_free;
	for (i = 0; i < nr_levels; i++)
		new->levels[i].base = new->base +
			(uintptr_t)new->levels[i].base;
	if (part && part->object)
		new->object = mem_object_get(part->object);
	rc = mipmap_add_levels(new);
	if (rc)
		goto err_free_memory;
	*mipmap = new;
	return CUDA_SUCCESS;

err_free_memory:
	mipmap_free_memory(new);
err_free:
	free(new);
	return rc;
}

/**
 * core_mipmap_create() - create a mipmapped array
 * @ctx: context
 * @desc: parameters of the finest level
 * @nr_levels: number of levels; limited to between 1 and what the extent
 *	permits
 * @mipmap: out: array, owned by the caller: core_mipmap_destroy()
 *
 * Return: CUDA_SUCCESS, or an error of core_array_create().
 */
CORE_API int core_mipmap_create(struct CUctx_st *ctx,
				const CUDA_ARRAY3D_DESCRIPTOR *desc,
				unsigned int nr_levels,
				CUmipmappedArray *mipmap)
{
	return mipmap_make(ctx, desc, nr_levels, NULL, mipmap);
}

/**
 * core_mipmap_map() - create a mipmapped array in another driver's memory
 * @ctx: context
 * @desc: parameters of the finest level
 * @nr_levels: number of levels; limited to between 1 and what the extent
 *	permits
 * @part: memory, with the levels one after the other, the finest first, each
 *	with a pitch that is a multiple of PITCH_ALIGN; but a single
 *	two-dimensional level in a plane of an image has the pitch of the plane
 * @mipmap: out: array, owned by the caller: core_mipmap_destroy()
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (the memory is too short), an
 * error of core_array_create(), or core_error() of mem_ptr_import().
 */
int core_mipmap_map(struct CUctx_st *ctx, const CUDA_ARRAY3D_DESCRIPTOR *desc,
		    unsigned int nr_levels, const struct core_part *part,
		    CUmipmappedArray *mipmap)
{
	return mipmap_make(ctx, desc, nr_levels, part, mipmap);
}

/**
 * core_mipmap_exists() - check a handle of a mipmapped array
 * @mipmap: handle, any value
 *
 * Return: true if it is valid.
 */
CORE_API bool core_mipmap_exists(const struct CUmipmappedArray_st *mipmap)
{
	return mipmap && core_object_ctx(CORE_MIPMAP, mipmap);
}

/**
 * core_mipmap_destroy() - destroy a mipmapped array and its levels
 * @mipmap: array from core_mipmap_create()
 *
 * Return: CUDA_SUCCESS, or an error of core_array_destroy().
 */
CORE_API int core_mipmap_destroy(CUmipmappedArray mipmap)
{
	struct CUctx_st *ctx;
	unsigned int i;
	int waited, err, rc;

	if (!core_mipmap_exists(mipmap))
		return CUDA_ERROR_INVALID_HANDLE;
	ctx = mipmap->ctx;
	waited = mem_ctx_sync(ctx->mem);
	if (waited == -EPERM)
		return core_error(-EPERM);
	if (!core_object_del(CORE_MIPMAP, mipmap))
		return CUDA_ERROR_INVALID_HANDLE;
	for (i = 0; i < mipmap->nr_levels; i++)
		core_object_del(CORE_ARRAY, &mipmap->levels[i]);
	err = mipmap_free_memory(mipmap);
	rc = core_error(err ? err : waited);
	free(mipmap);
	return rc;
}

/* Called by core_objects_drop(), after its levels have been dropped. */
void core_mipmap_drop(struct CUctx_st *ctx, void *object)
{
	struct CUmipmappedArray_st *mipmap = object;

	(void)ctx;
	mipmap_free_memory(mipmap);
	free(mipmap);
}

/**
 * core_mipmap_level() - return a level as an array
 * @mipmap: mipmapped array
 * @level: number of the level; 0 is the finest
 * @array: out: array, destroyed with @mipmap
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_INVALID_VALUE (no
 * such level).
 */
CORE_API int core_mipmap_level(CUmipmappedArray mipmap, unsigned int level,
			       CUarray *array)
{
	if (!core_mipmap_exists(mipmap))
		return CUDA_ERROR_INVALID_HANDLE;
	if (level >= mipmap->nr_levels)
		return CUDA_ERROR_INVALID_VALUE;
	*array = &mipmap->levels[level];
	return CUDA_SUCCESS;
}
