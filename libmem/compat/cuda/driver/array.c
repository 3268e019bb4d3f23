// SPDX-License-Identifier: LGPL-2.1-or-later
/* Driver: arrays and mipmapped arrays. */
#include "core_array.h"
#include "driver.h"

static int driver_array_create(CUarray *array,
			       const CUDA_ARRAY3D_DESCRIPTOR *desc)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!array || !desc)
		return CUDA_ERROR_INVALID_VALUE;
	return core_array_create(ctx, desc, array);
}

static int driver_array_get(CUDA_ARRAY3D_DESCRIPTOR *to, CUarray array)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!to)
		return CUDA_ERROR_INVALID_VALUE;
	if (!core_array_exists(array))
		return CUDA_ERROR_INVALID_HANDLE;
	*to = array->desc;
	return CUDA_SUCCESS;
}

static int driver_flat_create(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *flat)
{
	CUDA_ARRAY3D_DESCRIPTOR desc = { 0 };

	if (!flat)
		return driver_array_create(array, NULL);
	desc.Width = flat->Width;
	desc.Height = flat->Height;
	desc.Format = flat->Format;
	desc.NumChannels = flat->NumChannels;
	return driver_array_create(array, &desc);
}

static int driver_flat_get(CUDA_ARRAY_DESCRIPTOR *to, CUarray array)
{
	CUDA_ARRAY3D_DESCRIPTOR desc;
	const int rc = driver_array_get(to ? &desc : NULL, array);

	if (rc)
		return rc;
	to->Width = desc.Width;
	to->Height = desc.Height;
	to->Format = desc.Format;
	to->NumChannels = desc.NumChannels;
	return CUDA_SUCCESS;
}

static int driver_mipmap_create(CUmipmappedArray *mipmap,
				const CUDA_ARRAY3D_DESCRIPTOR *desc,
				unsigned int nr_levels)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!mipmap || !desc)
		return CUDA_ERROR_INVALID_VALUE;
	return core_mipmap_create(ctx, desc, nr_levels, mipmap);
}

static int driver_level_get(CUarray *array, CUmipmappedArray mipmap,
			    unsigned int level)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!array)
		return CUDA_ERROR_INVALID_VALUE;
	return core_mipmap_level(mipmap, level, array);
}

API CUresult cuArray3DCreate_v2(CUarray *pHandle,
				const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray)
{
	return driver_array_create(pHandle, pAllocateArray);
}

ALIAS(cuArray3DCreate, cuArray3DCreate_v2);

API CUresult cuArrayCreate_v2(CUarray *pHandle,
			      const CUDA_ARRAY_DESCRIPTOR *pAllocateArray)
{
	return driver_flat_create(pHandle, pAllocateArray);
}

ALIAS(cuArrayCreate, cuArrayCreate_v2);

API CUresult cuArrayDestroy(CUarray hArray)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_array_destroy(hArray);
}

API CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *to,
				       CUarray hArray)
{
	return driver_array_get(to, hArray);
}

ALIAS(cuArray3DGetDescriptor, cuArray3DGetDescriptor_v2);

API CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *pArrayDescriptor,
				     CUarray hArray)
{
	return driver_flat_get(pArrayDescriptor, hArray);
}

ALIAS(cuArrayGetDescriptor, cuArrayGetDescriptor_v2);

API CUresult cuMipmappedArrayCreate(CUmipmappedArray *pHandle,
				    const CUDA_ARRAY3D_DESCRIPTOR *desc,
				    unsigned int numMipmapLevels)
{
	return driver_mipmap_create(pHandle, desc, numMipmapLevels);
}

API CUresult cuMipmappedArrayGetLevel(CUarray *pLevelArray,
				      CUmipmappedArray hMipmappedArray,
				      unsigned int level)
{
	return driver_level_get(pLevelArray, hMipmappedArray, level);
}

API CUresult cuMipmappedArrayDestroy(CUmipmappedArray hMipmappedArray)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_mipmap_destroy(hMipmappedArray);
}

/* Fails for all arrays, since planar formats are not modelled. */
API CUresult cuArrayGetPlane(CUarray *pPlaneArray, CUarray hArray,
			     unsigned int planeIdx)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	(void)planeIdx;
	if (rc)
		return rc;
	return pPlaneArray && !core_array_exists(hArray) ?
		CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
}
