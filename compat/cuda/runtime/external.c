// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Runtime: memory of other drivers, by file descriptor.
 *
 * It cannot be had: libmem imports a dma-buf (mem_buf_import(), over the
 * module) for brackets, maps and the dma engine; a kernel's engine has no
 * address of it. So an import is refused after its arguments have been looked
 * at, and the report names it; no other call can be given a handle that there
 * is.
 */
#include "array.h"

/* A shorter name, for a call with a long one */
typedef const struct cudaExternalMemoryMipmappedArrayDesc mipmap_desc;

static bool is_fd(int fd)
{
	return fd >= 0;
}

API cudaError_t
cudaImportExternalMemory(cudaExternalMemory_t *extMem_out,
			 const struct cudaExternalMemoryHandleDesc *what)
{
	struct CUctx_st *ctx;
	int rc;

	if (!extMem_out || !what ||
	    what->type < cudaExternalMemoryHandleTypeOpaqueFd ||
	    what->type > cudaExternalMemoryHandleTypeNvSciBuf ||
	    !what->size || what->flags & ~cudaExternalMemoryDedicated)
		return cudart_return(cudaErrorInvalidValue);
	if (what->type == cudaExternalMemoryHandleTypeOpaqueFd &&
	    !is_fd(what->handle.fd))
		return cudart_return(cudaErrorInvalidValue);
	rc = core_current(&ctx);
	return cudart_return(rc ? rc :
			     core_missing("cudaImportExternalMemory"));
}

API cudaError_t
cudaExternalMemoryGetMappedBuffer(void **devPtr, cudaExternalMemory_t extMem,
				  const struct cudaExternalMemoryBufferDesc *to)
{
	(void)extMem;
	if (!devPtr || !to)
		return cudart_return(cudaErrorInvalidValue);
	return cudart_return(cudaErrorInvalidResourceHandle);
}

API cudaError_t
cudaExternalMemoryGetMappedMipmappedArray(cudaMipmappedArray_t *mipmap,
					  cudaExternalMemory_t extMem,
					  mipmap_desc *mipmapDesc)
{
	(void)extMem;
	if (!mipmap || !mipmapDesc)
		return cudart_return(cudaErrorInvalidValue);
	return cudart_return(cudaErrorInvalidResourceHandle);
}

API cudaError_t cudaDestroyExternalMemory(cudaExternalMemory_t extMem)
{
	(void)extMem;
	return cudart_return(cudaErrorInvalidResourceHandle);
}
