// SPDX-License-Identifier: LGPL-2.1-or-later
/* Driver: memory of other drivers. */
#include "driver.h"

API CUresult
cuImportExternalMemory(CUexternalMemory *extMem_out,
		       const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *memHandleDesc)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!extMem_out || !memHandleDesc)
		return CUDA_ERROR_INVALID_VALUE;
	return core_extmem_import(memHandleDesc, extMem_out);
}

API CUresult
cuExternalMemoryGetMappedBuffer(CUdeviceptr *devPtr, CUexternalMemory extMem,
				const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *to)
{
	struct CUctx_st *ctx;
	void *ptr;
	int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!devPtr || !to)
		return CUDA_ERROR_INVALID_VALUE;
	rc = core_extmem_buffer(extMem, to, &ptr);
	if (!rc)
		*devPtr = driver_address(ptr);
	return rc;
}

/* Short name, so that declarations fit a line */
typedef const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC mipmap_desc;

API CUresult cuExternalMemoryGetMappedMipmappedArray(CUmipmappedArray *mipmap,
						     CUexternalMemory extMem,
						     mipmap_desc *mipmapDesc)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!mipmap || !mipmapDesc)
		return CUDA_ERROR_INVALID_VALUE;
	return core_extmem_mipmap(extMem, mipmapDesc, mipmap);
}

API CUresult cuDestroyExternalMemory(CUexternalMemory extMem)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_extmem_destroy(extMem);
}
