// SPDX-License-Identifier: LGPL-2.1-or-later
/* Runtime: arrays, mipmapped arrays, and formats of their elements. */
#include "array.h"

/* By kind and by bits: 8, 16 and 32 */
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

/* First and last of the kinds that define the whole format */
#define FIRST_NORMALIZED	cudaChannelFormatKindUnsignedNormalized8X1
#define LAST_NORMALIZED		cudaChannelFormatKindSignedNormalized16X4

static bool array_is_normalized(enum cudaChannelFormatKind kind)
{
	return kind >= FIRST_NORMALIZED && kind <= LAST_NORMALIZED;
}

/* Returns 0 unless there are 1, 2 or 4 channels of the same length. */
static unsigned int array_nr_channels(const struct cudaChannelFormatDesc *desc)
{
	if (!desc->y && !desc->z && !desc->w)
		return 1;
	if (desc->y != desc->x)
		return 0;
	if (!desc->z && !desc->w)
		return 2;
	return desc->z == desc->x && desc->w == desc->x ? 4 : 0;
}

static int array_row_of_bits(int bits)
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
 * cudart_format() - convert an element's format to the driver's
 * @desc: the runtime's description
 * @format: out: format of a channel
 * @nr_channels: out: number of channels
 *
 * Return: cudaSuccess, or cudaErrorInvalidChannelDescriptor.
 */
cudaError_t cudart_format(const struct cudaChannelFormatDesc *desc,
			  CUarray_format *format, unsigned int *nr_channels)
{
	const size_t nr_kinds = sizeof(formats) / sizeof(*formats);
	const int row = array_row_of_bits(desc->x);

	*nr_channels = array_nr_channels(desc);
	if (row < 0)
		return cudaErrorInvalidChannelDescriptor;
	if (array_is_normalized(desc->f))
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

static enum cudaChannelFormatKind array_kind_of(CUarray_format format)
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
 * cudart_channels() - convert an element's format to the runtime's
 * @format: format of a channel, valid
 * @nr_channels: number of channels
 *
 * Return: the runtime's description.
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
		.f = array_kind_of(format),
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

/* These flags have the same values in the runtime and the driver. */
_Static_assert(cudaArrayLayered == CUDA_ARRAY3D_LAYERED &&
	       cudaArraySurfaceLoadStore == CUDA_ARRAY3D_SURFACE_LDST &&
	       cudaArrayCubemap == CUDA_ARRAY3D_CUBEMAP &&
	       cudaArrayTextureGather == CUDA_ARRAY3D_TEXTURE_GATHER &&
	       cudaArrayColorAttachment == CUDA_ARRAY3D_COLOR_ATTACHMENT &&
	       cudaArraySparse == CUDA_ARRAY3D_SPARSE &&
	       cudaArrayDeferredMapping == CUDA_ARRAY3D_DEFERRED_MAPPING,
	       "flags of arrays");

/* Converts the parameters of an array. Does not set the thread's last error. */
cudaError_t cudart_describe(const struct cudaChannelFormatDesc *desc,
			    struct cudaExtent extent, unsigned int flags,
			    CUDA_ARRAY3D_DESCRIPTOR *to)
{
	/* Only the driver has this flag. */
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

/* For an invalid handle these calls return cudaErrorInvalidValue. */
static cudaError_t array_freed(int rc)
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
	return array_freed(core_array_destroy((CUarray)array));
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
	return array_freed(core_mipmap_destroy((CUmipmappedArray)
					       mipmappedArray));
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

/* Fails for all arrays, since planar formats are not modelled. */
API cudaError_t cudaArrayGetPlane(cudaArray_t *pPlaneArray, cudaArray_t hArray,
				  unsigned int planeIdx)
{
	(void)planeIdx;
	if (pPlaneArray && !core_array_exists((CUarray)hArray))
		return cudart_return(cudaErrorInvalidResourceHandle);
	return cudart_return(cudaErrorInvalidValue);
}

/* Fails for all arrays: none is sparse, or has deferred mapping. */
static cudaError_t array_unsupported(const void *out, bool exists)
{
	if (out && !exists)
		return cudart_return(cudaErrorInvalidResourceHandle);
	return cudart_return(cudaErrorInvalidValue);
}

API cudaError_t
cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *to,
			       cudaArray_t array, int device)
{
	(void)device;
	return array_unsupported(to, core_array_exists((CUarray)array));
}

API cudaError_t
cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *to,
					cudaMipmappedArray_t mipmap, int device)
{
	(void)device;
	return array_unsupported(to,
				 core_mipmap_exists((CUmipmappedArray)mipmap));
}

API cudaError_t
cudaArrayGetSparseProperties(struct cudaArraySparseProperties *to,
			     cudaArray_t array)
{
	return array_unsupported(to, core_array_exists((CUarray)array));
}

API cudaError_t
cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties *to,
				      cudaMipmappedArray_t mipmap)
{
	return array_unsupported(to,
				 core_mipmap_exists((CUmipmappedArray)mipmap));
}
