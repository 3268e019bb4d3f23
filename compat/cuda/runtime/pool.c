// SPDX-License-Identifier: LGPL-2.1-or-later
/* Runtime: allocation in a stream's order. */
#include "runtime.h"

API cudaError_t cudaMallocAsync(void **devPtr, size_t size,
				cudaStream_t hStream)
{
	struct CUctx_st *ctx;
	int rc;

	if (!devPtr)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_current(&ctx);
	if (rc)
		return cudart_return(rc);
	if (!size) {
		*devPtr = NULL;
		return cudaSuccess;
	}
	return cudart_return(core_alloc_async(size, hStream, devPtr));
}

API cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t hStream)
{
	struct CUctx_st *ctx;
	int rc = core_current(&ctx);

	if (rc || !devPtr)
		return cudart_return(rc);
	return cudart_return(core_free_async(devPtr, hStream));
}
