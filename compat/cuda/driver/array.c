// SPDX-License-Identifier: LGPL-2.1-or-later
/* Driver: arrays and mipmapped arrays. */
#include "core_array.h"
#include "driver.h"

API CUresult cuArray3DCreate_v2(CUarray *pHandle,
				const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!pHandle || !pAllocateArray)
		return CUDA_ERROR_INVALID_VALUE;
	return core_array_create(ctx, pAllocateArray, pHandle);
}

ALIAS(cuArray3DCreate, cuArray3DCreate_v2);

API CUresult cuArrayCreate_v2(CUarray *pHandle,
			      const CUDA_ARRAY_DESCRIPTOR *pAllocateArray)
{
	CUDA_ARRAY3D_DESCRIPTOR desc;
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!pHandle || !pAllocateArray)
		return CUDA_ERROR_INVALID_VALUE;
	desc = (CUDA_ARRAY3D_DESCRIPTOR){
		.Width = pAllocateArray->Width,
		.Height = pAllocateArray->Height,
		.Format = pAllocateArray->Format,
		.NumChannels = pAllocateArray->NumChannels,
	};
	return core_array_create(ctx, &desc, pHandle);
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
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!to)
		return CUDA_ERROR_INVALID_VALUE;
	if (!core_array_exists(hArray))
		return CUDA_ERROR_INVALID_HANDLE;
	*to = hArray->desc;
	return CUDA_SUCCESS;
}

ALIAS(cuArray3DGetDescriptor, cuArray3DGetDescriptor_v2);

API CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *pArrayDescriptor,
				     CUarray hArray)
{
	CUDA_ARRAY3D_DESCRIPTOR desc;
	int rc;

	if (!pArrayDescriptor)
		return cuArray3DGetDescriptor_v2(NULL, hArray);
	rc = cuArray3DGetDescriptor_v2(&desc, hArray);
	if (rc)
		return rc;
	*pArrayDescriptor = (CUDA_ARRAY_DESCRIPTOR){
		.Width = desc.Width,
		.Height = desc.Height,
		.Format = desc.Format,
		.NumChannels = desc.NumChannels,
	};
	return CUDA_SUCCESS;
}

ALIAS(cuArrayGetDescriptor, cuArrayGetDescriptor_v2);

API CUresult cuMipmappedArrayCreate(CUmipmappedArray *pHandle,
				    const CUDA_ARRAY3D_DESCRIPTOR *desc,
				    unsigned int numMipmapLevels)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!pHandle || !desc)
		return CUDA_ERROR_INVALID_VALUE;
	return core_mipmap_create(ctx, desc, numMipmapLevels, pHandle);
}

API CUresult cuMipmappedArrayGetLevel(CUarray *pLevelArray,
				      CUmipmappedArray hMipmappedArray,
				      unsigned int level)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!pLevelArray)
		return CUDA_ERROR_INVALID_VALUE;
	return core_mipmap_level(hMipmappedArray, level, pLevelArray);
}

API CUresult cuMipmappedArrayDestroy(CUmipmappedArray hMipmappedArray)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_mipmap_destroy(hMipmappedArray);
}

/* Of planes there is one: planar formats are not modelled. */
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
