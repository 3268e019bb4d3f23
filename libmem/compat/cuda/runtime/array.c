// SPDX-License-Identifier: LGPL-2.1-or-later
/* Runtime: arrays, mipmapped arrays, and what their elements are. */
#include "array.h"

/* What cudaChannelFormatDesc says in bits, by kind: 8, 16 and 32. */
static const CUarray_format formats[][3] = {
	[cudaChannelFormatKindSigned] = {
		CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_SIGNED_INT16,
		CU_AD_FORMAT_SIGNED_INT32,
	},
	[cudaChannelFormatKindUnsigned] = {
		CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16,
		CU_AD_FORMAT_UNSIGNED_INT32,
	},
	[cudaChannelFormatKindFloat] = {
		0, CU_AD_FORMAT_HALF, CU_AD_FORMAT_FLOAT,
	},
};

/* The first of the kinds that say all by themselves, and the last of them */
#define FIRST_NORMALIZED	cudaChannelFormatKindUnsignedNormalized8X1
#define LAST_NORMALIZED		cudaChannelFormatKindSignedNormalized16X4

static bool is_normalized(enum cudaChannelFormatKind kind)
{
	return kind >= FIRST_NORMALIZED && kind <= LAST_NORMALIZED;
}

/* 1, 2 or 4 channels of as many bits; 0: it is none of these */
static unsigned int nr_channels_of(const struct cudaChannelFormatDesc *desc)
{
	if (!desc->y && !desc->z && !desc->w)
		return 1;
	if (desc->y != desc->x)
		return 0;
	if (!desc->z && !desc->w)
		return 2;
	return desc->z == desc->x && desc->w == desc->x ? 4 : 0;
}

static int row_of_bits(int bits)
{
	switch (bits) {
	case 8:
		return 0;
	case 16:
		return 1;
	case 32:
		return 2;
	default:
		return -1;
	}
}

/**
 * cudart_format() - what the driver calls an element
 * @desc: as the runtime has it
 * @format: out: of a channel
 * @nr_channels: out: how many
 *
 * Return: cudaSuccess, or cudaErrorInvalidChannelDescriptor.
 */
cudaError_t cudart_format(const struct cudaChannelFormatDesc *desc,
			  CUarray_format *format, unsigned int *nr_channels)
{
	const size_t nr_kinds = sizeof(formats) / sizeof(*formats);
	const int row = row_of_bits(desc->x);

	*nr_channels = nr_channels_of(desc);
	if (row < 0)
		return cudaErrorInvalidChannelDescriptor;
	if (is_normalized(desc->f))
		*format = CU_AD_FORMAT_UNORM_INT8X1 +
			  (desc->f - FIRST_NORMALIZED);
	else if ((size_t)desc->f < nr_kinds)
		*format = formats[desc->f][row];
	else
		return cudaErrorInvalidChannelDescriptor;
	if (core_format_len(*format, *nr_channels) * 8 !=
	    desc->x * *nr_channels || !*nr_channels)
		return cudaErrorInvalidChannelDescriptor;
	return cudaSuccess;
}

static enum cudaChannelFormatKind kind_of(CUarray_format format)
{
	switch (format) {
	case CU_AD_FORMAT_UNSIGNED_INT8:
	case CU_AD_FORMAT_UNSIGNED_INT16:
	case CU_AD_FORMAT_UNSIGNED_INT32:
		return cudaChannelFormatKindUnsigned;
	case CU_AD_FORMAT_SIGNED_INT8:
	case CU_AD_FORMAT_SIGNED_INT16:
	case CU_AD_FORMAT_SIGNED_INT32:
		return cudaChannelFormatKindSigned;
	case CU_AD_FORMAT_HALF:
	case CU_AD_FORMAT_FLOAT:
		return cudaChannelFormatKindFloat;
	default:
		return FIRST_NORMALIZED + (format - CU_AD_FORMAT_UNORM_INT8X1);
	}
}

/**
 * cudart_channels() - what the runtime calls an element
 * @format: of a channel, which there is
 * @nr_channels: how many
 *
 * Return: its description.
 */
struct cudaChannelFormatDesc cudart_channels(CUarray_format format,
					     unsigned int nr_channels)
{
	const int bits = 8 * core_format_len(format, nr_channels) /
		nr_channels;

	return (struct cudaChannelFormatDesc){
		.x = bits,
		.y = nr_channels > 1 ? bits : 0,
		.z = nr_channels > 2 ? bits : 0,
		.w = nr_channels > 2 ? bits : 0,
		.f = kind_of(format),
	};
}

API struct cudaChannelFormatDesc
cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f)
{
	return (struct cudaChannelFormatDesc){
		.x = x,
		.y = y,
		.z = z,
		.w = w,
		.f = f,
	};
}

/* What the runtime and the driver say with the same bits */
_Static_assert(cudaArrayLayered == CUDA_ARRAY3D_LAYERED &&
	       cudaArraySurfaceLoadStore == CUDA_ARRAY3D_SURFACE_LDST &&
	       cudaArrayCubemap == CUDA_ARRAY3D_CUBEMAP &&
	       cudaArrayTextureGather == CUDA_ARRAY3D_TEXTURE_GATHER &&
	       cudaArrayColorAttachment == CUDA_ARRAY3D_COLOR_ATTACHMENT &&
	       cudaArraySparse == CUDA_ARRAY3D_SPARSE &&
	       cudaArrayDeferredMapping == CUDA_ARRAY3D_DEFERRED_MAPPING,
	       "flags of arrays");

/* An array as the driver has it; else an error, which is not noted yet. */
cudaError_t cudart_describe(const struct cudaChannelFormatDesc *desc,
			    struct cudaExtent extent, unsigned int flags,
			    CUDA_ARRAY3D_DESCRIPTOR *to)
{
	/* It is the driver's alone. */
	if (flags & CUDA_ARRAY3D_DEPTH_TEXTURE)
		return cudaErrorInvalidValue;
	*to = (CUDA_ARRAY3D_DESCRIPTOR){
		.Width = extent.width,
		.Height = extent.height,
		.Depth = extent.depth,
		.Flags = flags,
	};
	return cudart_format(desc, &to->Format, &to->NumChannels);
}

API cudaError_t cudaMalloc3DArray(cudaArray_t *array,
				  const struct cudaChannelFormatDesc *desc,
				  struct cudaExtent extent, unsigned int flags)
{
	CUDA_ARRAY3D_DESCRIPTOR what;
	struct CUctx_st *ctx;
	CUarray new;
	int rc;

	if (!array || !desc)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_current(&ctx);
	if (!rc)
		rc = cudart_describe(desc, extent, flags, &what);
	if (!rc)
		rc = core_array_create(ctx, &what, &new);
	if (!rc)
		*array = (cudaArray_t)new;
	return cudart_return(rc);
}

API cudaError_t cudaMallocArray(cudaArray_t *array,
				const struct cudaChannelFormatDesc *desc,
				size_t width, size_t height,
				unsigned int flags)
{
	const struct cudaExtent extent = {
		.width = width,
		.height = height,
	};

	return cudaMalloc3DArray(array, desc, extent, flags);
}

/* What is no array, or was freed before, is a value here, not a handle. */
static cudaError_t freed(int rc)
{
	return cudart_return(rc == CUDA_ERROR_INVALID_HANDLE ?
			     (int)cudaErrorInvalidValue : rc);
}

API cudaError_t cudaFreeArray(cudaArray_t array)
{
	struct CUctx_st *ctx;
	int rc = core_current(&ctx);

	if (rc || !array)
		return cudart_return(rc);
	return freed(core_array_destroy((CUarray)array));
}

API cudaError_t
cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmappedArray,
			 const struct cudaChannelFormatDesc *desc,
			 struct cudaExtent extent, unsigned int numLevels,
			 unsigned int flags)
{
	CUDA_ARRAY3D_DESCRIPTOR what;
	CUmipmappedArray new;
	struct CUctx_st *ctx;
	int rc;

	if (!mipmappedArray || !desc)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_current(&ctx);
	if (!rc)
		rc = cudart_describe(desc, extent, flags, &what);
	if (!rc)
		rc = core_mipmap_create(ctx, &what, numLevels, &new);
	if (!rc)
		*mipmappedArray = (cudaMipmappedArray_t)new;
	return cudart_return(rc);
}

API cudaError_t
cudaGetMipmappedArrayLevel(cudaArray_t *levelArray,
			   cudaMipmappedArray_const_t mipmappedArray,
			   unsigned int level)
{
	CUarray array;
	int rc;

	if (!levelArray)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_mipmap_level((CUmipmappedArray)mipmappedArray, level, &array);
	if (!rc)
		*levelArray = (cudaArray_t)array;
	return cudart_return(rc);
}

API cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray)
{
	struct CUctx_st *ctx;
	int rc = core_current(&ctx);

	if (rc || !mipmappedArray)
		return cudart_return(rc);
	return freed(core_mipmap_destroy((CUmipmappedArray)mipmappedArray));
}

API cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc,
				 struct cudaExtent *extent,
				 unsigned int *flags, cudaArray_t array)
{
	const CUDA_ARRAY3D_DESCRIPTOR *of = &((CUarray)array)->desc;

	if (!core_array_exists((CUarray)array))
		return cudart_return(cudaErrorInvalidResourceHandle);
	if (desc)
		*desc = cudart_channels(of->Format, of->NumChannels);
	if (extent)
		*extent = (struct cudaExtent){
			.width = of->Width,
			.height = of->Height,
			.depth = of->Depth,
		};
	if (flags)
		*flags = of->Flags;
	return cudaSuccess;
}

API cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc,
				   cudaArray_const_t array)
{
	if (!desc)
		return cudart_return(cudaErrorInvalidValue);
	return cudaArrayGetInfo(desc, NULL, NULL, (cudaArray_t)array);
}

/* Of planes there is one: planar formats are not modelled. */
API cudaError_t cudaArrayGetPlane(cudaArray_t *pPlaneArray, cudaArray_t hArray,
				  unsigned int planeIdx)
{
	(void)planeIdx;
	if (pPlaneArray && !core_array_exists((CUarray)hArray))
		return cudart_return(cudaErrorInvalidResourceHandle);
	return cudart_return(cudaErrorInvalidValue);
}

/* No array waits for memory, and none is sparse: that is what they say. */
static cudaError_t no_such_array(const void *out, bool is_there)
{
	if (out && !is_there)
		return cudart_return(cudaErrorInvalidResourceHandle);
	return cudart_return(cudaErrorInvalidValue);
}

API cudaError_t
cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *to,
			       cudaArray_t array, int device)
{
	(void)device;
	return no_such_array(to, core_array_exists((CUarray)array));
}

API cudaError_t
cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *to,
					cudaMipmappedArray_t mipmap, int device)
{
	(void)device;
	return no_such_array(to,
			     core_mipmap_exists((CUmipmappedArray)mipmap));
}

API cudaError_t
cudaArrayGetSparseProperties(struct cudaArraySparseProperties *to,
			     cudaArray_t array)
{
	return no_such_array(to, core_array_exists((CUarray)array));
}

API cudaError_t
cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties *to,
				      cudaMipmappedArray_t mipmap)
{
	return no_such_array(to,
			     core_mipmap_exists((CUmipmappedArray)mipmap));
}
