// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Runtime: memory and semaphores of other drivers, by file descriptor.
 *
 * Neither can be had, and why:
 * - libmem imports a dma-buf (mem_buf_import(), over the module) for brackets,
 *   maps and the dma engine; a kernel's engine has no address of it.
 * - a semaphore would be waited for and signalled by host functions, of which a
 *   context runs one at a time: a wait would hold up the signal that ends it.
 *   And a host function counts as a wait of the host, which these calls are
 *   not: what the program forgot would not be found.
 * So an import is refused after its arguments have been looked at, and the
 * report names it; no other call can be given a handle that there is.
 */
#include "array.h"

/* Shorter names, for calls with long ones */
typedef const struct cudaExternalMemoryMipmappedArrayDesc mipmap_desc;
typedef const struct cudaExternalSemaphoreSignalParams signal_params;
typedef const struct cudaExternalSemaphoreWaitParams wait_params;

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

API cudaError_t
cudaImportExternalSemaphore(cudaExternalSemaphore_t *extSem_out,
			    const struct cudaExternalSemaphoreHandleDesc *what)
{
	struct CUctx_st *ctx;
	int rc;

	if (!extSem_out || !what ||
	    what->type < cudaExternalSemaphoreHandleTypeOpaqueFd ||
	    what->type > cudaExternalSemaphoreHandleTypeTimelineSemaphoreWin32)
		return cudart_return(cudaErrorInvalidValue);
	/* NvSciSync says in the flags what it is for; others have none. */
	if (what->type != cudaExternalSemaphoreHandleTypeNvSciSync &&
	    what->flags)
		return cudart_return(cudaErrorInvalidValue);
	if ((what->type == cudaExternalSemaphoreHandleTypeOpaqueFd ||
	     what->type ==
	     cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd) &&
	    !is_fd(what->handle.fd))
		return cudart_return(cudaErrorInvalidValue);
	rc = core_current(&ctx);
	return cudart_return(rc ? rc :
			     core_missing("cudaImportExternalSemaphore"));
}

static cudaError_t no_semaphores(const void *semaphores, const void *params,
				 unsigned int nr, cudaStream_t stream)
{
	struct mem_stream *mem;
	struct CUctx_st *ctx;
	int rc;

	if (!semaphores || !params || !nr)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_current(&ctx);
	if (!rc)
		rc = core_stream(ctx, stream, &mem);
	return cudart_return(rc ? rc : (int)cudaErrorInvalidResourceHandle);
}

API cudaError_t
cudaSignalExternalSemaphoresAsync(const cudaExternalSemaphore_t *extSemArray,
				  signal_params *paramsArray,
				  unsigned int numExtSems, cudaStream_t stream)
{
	return no_semaphores(extSemArray, paramsArray, numExtSems, stream);
}

API cudaError_t
cudaWaitExternalSemaphoresAsync(const cudaExternalSemaphore_t *extSemArray,
				wait_params *paramsArray,
				unsigned int numExtSems, cudaStream_t stream)
{
	return no_semaphores(extSemArray, paramsArray, numExtSems, stream);
}

API cudaError_t cudaDestroyExternalSemaphore(cudaExternalSemaphore_t extSem)
{
	(void)extSem;
	return cudart_return(cudaErrorInvalidResourceHandle);
}
