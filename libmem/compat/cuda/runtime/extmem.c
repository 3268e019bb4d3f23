// SPDX-License-Identifier: LGPL-2.1-or-later
/* Runtime: memory of other drivers. */
#include "array.h"

/* Short name, so that declarations fit a line */
typedef const struct cudaExternalMemoryMipmappedArrayDesc mipmap_desc;

API cudaError_t
cudaImportExternalMemory(cudaExternalMemory_t *extMem_out,
			 const struct cudaExternalMemoryHandleDesc *what)
{
	CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = { 0 };
	CUexternalMemory memory;
	int rc;

	if (!extMem_out || !what)
		return cudart_return(cudaErrorInvalidValue);
	/*
	 * Types and flags have the same values in the runtime and the driver.
	 */
	desc.type = (CUexternalMemoryHandleType)what->type;
	if (what->type == cudaExternalMemoryHandleTypeNvSciBuf)
		desc.handle.nvSciBufObject = what->handle.nvSciBufObject;
	else
		desc.handle.fd = what->handle.fd;
	desc.size = what->size;
	desc.flags = what->flags;
	rc = core_extmem_import(&desc, &memory);
	if (!rc)
		*extMem_out = (cudaExternalMemory_t)memory;
	return cudart_return(rc);
}

API cudaError_t
cudaExternalMemoryGetMappedBuffer(void **devPtr, cudaExternalMemory_t extMem,
				  const struct cudaExternalMemoryBufferDesc *to)
{
	CUDA_EXTERNAL_MEMORY_BUFFER_DESC desc = { 0 };

	if (!devPtr || !to)
		return cudart_return(cudaErrorInvalidValue);
	desc.offset = to->offset;
	desc.size = to->size;
	desc.flags = to->flags;
	return cudart_return(core_extmem_buffer((CUexternalMemory)extMem,
						&desc, devPtr));
}

API cudaError_t
cudaExternalMemoryGetMappedMipmappedArray(cudaMipmappedArray_t *mipmap,
					  cudaExternalMemory_t extMem,
					  mipmap_desc *mipmapDesc)
{
	CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC desc = { 0 };
	CUmipmappedArray new;
	int rc;

	if (!mipmap || !mipmapDesc)
		return cudart_return(cudaErrorInvalidValue);
	if (!core_object_ctx(CORE_EXTERNAL, extMem))
		return cudart_return(cudaErrorInvalidResourceHandle);
	desc.offset = mipmapDesc->offset;
	desc.numLevels = mipmapDesc->numLevels;
	rc = cudart_describe(&mipmapDesc->formatDesc, mipmapDesc->extent,
			     mipmapDesc->flags, &desc.arrayDesc);
	if (!rc)
		rc = core_extmem_mipmap((CUexternalMemory)extMem, &desc, &new);
	if (!rc)
		*mipmap = (cudaMipmappedArray_t)new;
	return cudart_return(rc);
}

API cudaError_t cudaDestroyExternalMemory(cudaExternalMemory_t extMem)
{
	return cudart_return(core_extmem_destroy((CUexternalMemory)extMem));
}
