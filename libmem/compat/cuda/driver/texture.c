// SPDX-License-Identifier: LGPL-2.1-or-later
/* Driver: texture and surface objects. */
#include "core_array.h"
#include "driver.h"

static int driver_get_resource(CUDA_RESOURCE_DESC *to, enum core_type type,
			       unsigned long long object)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	return to ? core_view_resource(type, object, to) :
		    CUDA_ERROR_INVALID_VALUE;
}

static int driver_get_texture(CUDA_TEXTURE_DESC *to, unsigned long long object)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	return to ? core_view_texture(object, to) : CUDA_ERROR_INVALID_VALUE;
}

static int driver_get_view(CUDA_RESOURCE_VIEW_DESC *to,
			   unsigned long long object)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	return to ? core_view_view(object, to) : CUDA_ERROR_INVALID_VALUE;
}

static int driver_texture_destroy(enum core_type type,
				  unsigned long long object)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_view_destroy(type, object);
}

API CUresult cuTexObjectCreate(unsigned long long *pTexObject,
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
	return driver_texture_destroy(CORE_TEXTURE, texObject);
}

API CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc,
					CUtexObject texObject)
{
	return driver_get_resource(pResDesc, CORE_TEXTURE, texObject);
}

API CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *pTexDesc,
				       CUtexObject texObject)
{
	return driver_get_texture(pTexDesc, texObject);
}

API CUresult
cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *pResViewDesc,
			       CUtexObject texObject)
{
	return driver_get_view(pResViewDesc, texObject);
}

API CUresult cuSurfObjectCreate(unsigned long long *pSurfObject,
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
	return driver_texture_destroy(CORE_SURFACE, surfObject);
}

API CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc,
					 CUsurfObject surfObject)
{
	return driver_get_resource(pResDesc, CORE_SURFACE, surfObject);
}
