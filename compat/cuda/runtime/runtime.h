/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the runtime's files share: its calls over the core. */
#ifndef _COMPAT_CUDA_RUNTIME_RUNTIME_H
#define _COMPAT_CUDA_RUNTIME_RUNTIME_H

#include "core.h"
#include "cuda_runtime_api.h"

/**
 * struct cudart_attributes - what an address is
 * @type: of its memory
 * @device: whose
 * @device_ptr: where the device has it; NULL: nowhere
 * @host_ptr: where the CPU has it; NULL: nowhere
 */
struct cudart_attributes {
	enum cudaMemoryType type;
	int device;
	void *device_ptr;
	void *host_ptr;
};

/* Of a program whose default stream is the thread's; ptsz.c has the others. */
cudaError_t cudaMemcpy_ptds(void *dst, const void *src, size_t count,
			    enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2D_ptds(void *dst, size_t dpitch, const void *src,
			      size_t spitch, size_t width, size_t height,
			      enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyToSymbol_ptds(const void *symbol, const void *src,
				    size_t count, size_t offset,
				    enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromSymbol_ptds(void *dst, const void *symbol,
				      size_t count, size_t offset,
				      enum cudaMemcpyKind kind);
cudaError_t cudaMemset_ptds(void *devPtr, int value, size_t count);
cudaError_t cudaMemset2D_ptds(void *devPtr, size_t pitch, int value,
			      size_t width, size_t height);

cudaError_t cudart_return(int rc);
void cudart_attributes(const void *ptr, struct cudart_attributes *attributes);

#endif
