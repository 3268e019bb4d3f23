// SPDX-License-Identifier: LGPL-2.1-or-later
/* Runtime: surface objects. */
#include <string.h>

#include "array.h"

_Static_assert((int)cudaResourceTypeArray == CU_RESOURCE_TYPE_ARRAY &&
	       (int)cudaResourceTypeMipmappedArray ==
	       CU_RESOURCE_TYPE_MIPMAPPED_ARRAY &&
	       (int)cudaResourceTypeLinear == CU_RESOURCE_TYPE_LINEAR &&
	       (int)cudaResourceTypePitch2D == CU_RESOURCE_TYPE_PITCH2D,
	       "kinds of resource");

/**
 * cudart_resource() - convert a resource to the driver's
 * @from: the runtime's resource
 * @to: out: the driver's
 *
 * Return: cudaSuccess, cudaErrorInvalidChannelDescriptor, or
 * cudaErrorInvalidValue (no such kind).
 */
cudaError_t cudart_resource(const struct cudaResourceDesc *from,
			    CUDA_RESOURCE_DESC *to)
{
	memset(to, 0, sizeof(*to));
	to->resType = (CUresourcetype)from->resType;
	switch (from->resType) {
	case cudaResourceTypeArray:
		to->res.array.hArray = (CUarray)from->res.array.array;
		return cudaSuccess;
	case cudaResourceTypeMipmappedArray:
		to->res.mipmap.hMipmappedArray =
			(CUmipmappedArray)from->res.mipmap.mipmap;
		return cudaSuccess;
	case cudaResourceTypeLinear:
		to->res.linear.devPtr = (uintptr_t)from->res.linear.devPtr;
		to->res.linear.sizeInBytes = from->res.linear.sizeInBytes;
		return cudart_format(&from->res.linear.desc,
				     &to->res.linear.format,
				     &to->res.linear.numChannels);
	case cudaResourceTypePitch2D:
		to->res.pitch2D.devPtr = (uintptr_t)from->res.pitch2D.devPtr;
		to->res.pitch2D.width = from->res.pitch2D.width;
		to->res.pitch2D.height = from->res.pitch2D.height;
		to->res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
		return cudart_format(&from->res.pitch2D.desc,
				     &to->res.pitch2D.format,
				     &to->res.pitch2D.numChannels);
	default:
		return cudaErrorInvalidValue;
	}
}

/**
 * cudart_resource_back() - convert a resource to the runtime's
 * @from: the driver's resource
 * @to: out: the runtime's
 */
void cudart_resource_back(const CUDA_RESOURCE_DESC *from,
			  struct cudaResourceDesc *to)
{
	memset(to, 0, sizeof(*to));
	to->resType = (enum cudaResourceType)from->resType;
	switch (from->resType) {
	case CU_RESOURCE_TYPE_ARRAY:
		to->res.array.array = (cudaArray_t)from->res.array.hArray;
		return;
	case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
		to->res.mipmap.mipmap = (cudaMipmappedArray_t)
			from->res.mipmap.hMipmappedArray;
		return;
	case CU_RESOURCE_TYPE_LINEAR:
		to->res.linear.devPtr = (void *)(uintptr_t)
			from->res.linear.devPtr;
		to->res.linear.sizeInBytes = from->res.linear.sizeInBytes;
		to->res.linear.desc =
			cudart_channels(from->res.linear.format,
					from->res.linear.numChannels);
		return;
	default:
		to->res.pitch2D.devPtr = (void *)(uintptr_t)
			from->res.pitch2D.devPtr;
		to->res.pitch2D.width = from->res.pitch2D.width;
		to->res.pitch2D.height = from->res.pitch2D.height;
		to->res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
		to->res.pitch2D.desc =
			cudart_channels(from->res.pitch2D.format,
					from->res.pitch2D.numChannels);
	}
}

/*
 * If the memory is no array, a CUDA 13.0 runtime returns that its channels are
 * wrong, whatever they are (the recorded case surface.linear).
 */
API cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *pSurfObject,
					const struct cudaResourceDesc *pResDesc)
{
	CUDA_RESOURCE_DESC resource;
	unsigned long long surface;
	struct CUctx_st *ctx;
	int rc;

	if (!pSurfObject || !pResDesc)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_current(&ctx);
	if (!rc)
		rc = cudart_resource(pResDesc, &resource);
	if (!rc && pResDesc->resType != cudaResourceTypeArray)
		rc = cudaErrorInvalidChannelDescriptor;
	if (!rc)
		rc = core_surface_create(ctx, &resource, &surface);
	if (!rc)
		*pSurfObject = surface;
	return cudart_return(rc);
}

API cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject)
{
	return cudart_return(core_view_destroy(CORE_SURFACE, surfObject));
}

API cudaError_t
cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *pResDesc,
				 cudaSurfaceObject_t surfObject)
{
	CUDA_RESOURCE_DESC resource;
	int rc;

	if (!pResDesc)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_view_resource(CORE_SURFACE, surfObject, &resource);
	if (!rc)
		cudart_resource_back(&resource, pResDesc);
	return cudart_return(rc);
}
