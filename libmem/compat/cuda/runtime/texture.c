// SPDX-License-Identifier: LGPL-2.1-or-later
/* Runtime: texture objects. */
#include <string.h>

#include "array.h"

_Static_assert((int)cudaAddressModeWrap == CU_TR_ADDRESS_MODE_WRAP &&
	       (int)cudaAddressModeClamp == CU_TR_ADDRESS_MODE_CLAMP &&
	       (int)cudaAddressModeMirror == CU_TR_ADDRESS_MODE_MIRROR &&
	       (int)cudaAddressModeBorder == CU_TR_ADDRESS_MODE_BORDER &&
	       (int)cudaFilterModePoint == CU_TR_FILTER_MODE_POINT &&
	       (int)cudaFilterModeLinear == CU_TR_FILTER_MODE_LINEAR &&
	       (int)cudaResViewFormatNone == CU_RES_VIEW_FORMAT_NONE &&
	       (int)cudaResViewFormatUnsignedBlockCompressed7 ==
	       CU_RES_VIEW_FORMAT_UNSIGNED_BC7,
	       "how textures are read");

static cudaError_t runtime_sampler_of(const struct cudaTextureDesc *from,
				      CUDA_TEXTURE_DESC *to)
{
	unsigned int i;

	memset(to, 0, sizeof(*to));
	switch (from->readMode) {
	case cudaReadModeElementType:
		to->flags |= CU_TRSF_READ_AS_INTEGER;
		break;
	case cudaReadModeNormalizedFloat:
		break;
	default:
		return cudaErrorInvalidValue;
	}
	if (from->normalizedCoords)
		to->flags |= CU_TRSF_NORMALIZED_COORDINATES;
	if (from->sRGB)
		to->flags |= CU_TRSF_SRGB;
	if (from->disableTrilinearOptimization)
		to->flags |= CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
	if (from->seamlessCubemap)
		to->flags |= CU_TRSF_SEAMLESS_CUBEMAP;
	for (i = 0; i < 3; i++)
		to->addressMode[i] = (CUaddress_mode)from->addressMode[i];
	to->filterMode = (CUfilter_mode)from->filterMode;
	to->maxAnisotropy = from->maxAnisotropy;
	to->mipmapFilterMode = (CUfilter_mode)from->mipmapFilterMode;
	to->mipmapLevelBias = from->mipmapLevelBias;
	to->minMipmapLevelClamp = from->minMipmapLevelClamp;
	to->maxMipmapLevelClamp = from->maxMipmapLevelClamp;
	memcpy(to->borderColor, from->borderColor, sizeof(to->borderColor));
	return cudaSuccess;
}

static void runtime_view_of(const struct cudaResourceViewDesc *from,
			    CUDA_RESOURCE_VIEW_DESC *to)
{
	*to = (CUDA_RESOURCE_VIEW_DESC){
		.format = (CUresourceViewFormat)from->format,
		.width = from->width,
		.height = from->height,
		.depth = from->depth,
		.firstMipmapLevel = from->firstMipmapLevel,
		.lastMipmapLevel = from->lastMipmapLevel,
		.firstLayer = from->firstLayer,
		.lastLayer = from->lastLayer,
	};
}

/* Returns false if the format is not known here. */
static bool runtime_format_of(const CUDA_RESOURCE_DESC *resource,
			      CUarray_format *format)
{
	const CUarray array = resource->res.array.hArray;
	const CUmipmappedArray mipmap = resource->res.mipmap.hMipmappedArray;

	switch (resource->resType) {
	case CU_RESOURCE_TYPE_ARRAY:
		if (!core_array_exists(array))
			return false;
		*format = array->desc.Format;
		return true;
	case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
		if (!core_mipmap_exists(mipmap))
			return false;
		*format = mipmap->desc.Format;
		return true;
	case CU_RESOURCE_TYPE_PITCH2D:
		*format = resource->res.pitch2D.format;
		return true;
	default:
		return false;
	}
}

static bool runtime_is_integer(CUarray_format format)
{
	return format < CU_AD_FORMAT_HALF;
}

static bool runtime_is_32_bits(CUarray_format format)
{
	return format == CU_AD_FORMAT_UNSIGNED_INT32 ||
	       format == CU_AD_FORMAT_SIGNED_INT32;
}

/* Integers that are read as integers cannot be filtered: a special error */
static bool runtime_is_filtered(const CUDA_RESOURCE_DESC *resource,
				const struct cudaTextureDesc *texture)
{
	CUarray_format format;

	return texture->filterMode == cudaFilterModeLinear &&
	       runtime_format_of(resource, &format) &&
	       runtime_is_integer(format) &&
	       (texture->readMode == cudaReadModeElementType ||
		runtime_is_32_bits(format));
}

API cudaError_t
cudaCreateTextureObject(cudaTextureObject_t *pTexObject,
			const struct cudaResourceDesc *pResDesc,
			const struct cudaTextureDesc *pTexDesc,
			const struct cudaResourceViewDesc *pResViewDesc)
{
	CUDA_RESOURCE_VIEW_DESC view;
	CUDA_RESOURCE_DESC resource;
	CUDA_TEXTURE_DESC texture;
	unsigned long long object;
	struct CUctx_st *ctx;
	int rc;

	if (!pTexObject || !pResDesc || !pTexDesc)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_current(&ctx);
	if (!rc)
		rc = cudart_resource(pResDesc, &resource);
	if (!rc)
		rc = runtime_sampler_of(pTexDesc, &texture);
	/* With a view, the core checks this. */
	if (!rc && !pResViewDesc && runtime_is_filtered(&resource, pTexDesc))
		rc = cudaErrorInvalidFilterSetting;
	if (rc)
		return cudart_return(rc);
	if (pResViewDesc)
		runtime_view_of(pResViewDesc, &view);
	rc = core_texture_create(ctx, &resource, &texture,
				 pResViewDesc ? &view : NULL, &object);
	if (!rc)
		*pTexObject = object;
	return cudart_return(rc);
}

API cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texObject)
{
	return cudart_return(core_view_destroy(CORE_TEXTURE, texObject));
}

API cudaError_t
cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *pResDesc,
				 cudaTextureObject_t texObject)
{
	CUDA_RESOURCE_DESC resource;
	int rc;

	if (!pResDesc)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_view_resource(CORE_TEXTURE, texObject, &resource);
	if (!rc)
		cudart_resource_back(&resource, pResDesc);
	return cudart_return(rc);
}

API cudaError_t
cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *pTexDesc,
				cudaTextureObject_t texObject)
{
	CUDA_TEXTURE_DESC from;
	unsigned int i;
	int rc;

	if (!pTexDesc)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_view_texture(texObject, &from);
	if (rc)
		return cudart_return(rc);
	*pTexDesc = (struct cudaTextureDesc){
		.filterMode = (enum cudaTextureFilterMode)from.filterMode,
		.readMode = from.flags & CU_TRSF_READ_AS_INTEGER ?
			cudaReadModeElementType : cudaReadModeNormalizedFloat,
		.sRGB = !!(from.flags & CU_TRSF_SRGB),
		.normalizedCoords =
			!!(from.flags & CU_TRSF_NORMALIZED_COORDINATES),
		.maxAnisotropy = from.maxAnisotropy,
		.mipmapFilterMode =
			(enum cudaTextureFilterMode)from.mipmapFilterMode,
		.mipmapLevelBias = from.mipmapLevelBias,
		.minMipmapLevelClamp = from.minMipmapLevelClamp,
		.maxMipmapLevelClamp = from.maxMipmapLevelClamp,
		.disableTrilinearOptimization = !!(from.flags &
			CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION),
		.seamlessCubemap = !!(from.flags & CU_TRSF_SEAMLESS_CUBEMAP),
	};
	for (i = 0; i < 3; i++)
		pTexDesc->addressMode[i] =
			(enum cudaTextureAddressMode)from.addressMode[i];
	memcpy(pTexDesc->borderColor, from.borderColor,
	       sizeof(pTexDesc->borderColor));
	return cudaSuccess;
}

API cudaError_t
cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *pResViewDesc,
				     cudaTextureObject_t texObject)
{
	CUDA_RESOURCE_VIEW_DESC from;
	int rc;

	if (!pResViewDesc)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_view_view(texObject, &from);
	if (rc)
		return cudart_return(rc);
	*pResViewDesc = (struct cudaResourceViewDesc){
		.format = (enum cudaResourceViewFormat)from.format,
		.width = from.width,
		.height = from.height,
		.depth = from.depth,
		.firstMipmapLevel = from.firstMipmapLevel,
		.lastMipmapLevel = from.lastMipmapLevel,
		.firstLayer = from.firstLayer,
		.lastLayer = from.lastLayer,
	};
	return cudaSuccess;
}
