// SPDX-License-Identifier: LGPL-2.1-or-later
/* Driver: texture and surface objects. */
#include "core_array.h"
#include "driver.h"

API CUresult cuTexObjectCreate(CUtexObject *pTexObject,
			       const CUDA_RESOURCE_DESC *pResDesc,
			       const CUDA_TEXTURE_DESC *pTexDesc,
			       const CUDA_RESOURCE_VIEW_DESC *pResViewDesc)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!pTexObject || !pResDesc || !pTexDesc)
		return CUDA_ERROR_INVALID_VALUE;
	return core_texture_create(ctx, pResDesc, pTexDesc, pResViewDesc,
				   pTexObject);
}

API CUresult cuTexObjectDestroy(CUtexObject texObject)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_view_destroy(CORE_TEXTURE, texObject);
}

API CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc,
					CUtexObject texObject)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!pResDesc)
		return CUDA_ERROR_INVALID_VALUE;
	return core_view_resource(CORE_TEXTURE, texObject, pResDesc);
}

API CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *pTexDesc,
				       CUtexObject texObject)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!pTexDesc)
		return CUDA_ERROR_INVALID_VALUE;
	return core_view_texture(texObject, pTexDesc);
}

API CUresult
cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *pResViewDesc,
			       CUtexObject texObject)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!pResViewDesc)
		return CUDA_ERROR_INVALID_VALUE;
	return core_view_view(texObject, pResViewDesc);
}

API CUresult cuSurfObjectCreate(CUsurfObject *pSurfObject,
				const CUDA_RESOURCE_DESC *pResDesc)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!pSurfObject || !pResDesc)
		return CUDA_ERROR_INVALID_VALUE;
	return core_surface_create(ctx, pResDesc, pSurfObject);
}

API CUresult cuSurfObjectDestroy(CUsurfObject surfObject)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_view_destroy(CORE_SURFACE, surfObject);
}

API CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc,
					 CUsurfObject surfObject)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!pResDesc)
		return CUDA_ERROR_INVALID_VALUE;
	return core_view_resource(CORE_SURFACE, surfObject, pResDesc);
}
