/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interfaces between the runtime's files. */
#ifndef _COMPAT_CUDA_RUNTIME_RUNTIME_H
#define _COMPAT_CUDA_RUNTIME_RUNTIME_H

#include "core.h"
#include "cuda_runtime_api.h"

/**
 * struct cudart_attributes - attributes of an address
 * @type: type of memory
 * @device: device of the memory
 * @device_ptr: address for the device; NULL: it has none
 * @host_ptr: address for the CPU; NULL: it has none
 */
struct cudart_attributes {
	enum cudaMemoryType type;
	int device;
	void *device_ptr;
	void *host_ptr;
};

/* Variants for a default stream per thread; the others are in ptsz.c. */
#define PER_THREAD(call)	extern __typeof__(call) call ## _ptds

PER_THREAD(cudaMemcpy);
PER_THREAD(cudaMemcpy2D);
PER_THREAD(cudaMemcpy3D);
PER_THREAD(cudaMemcpy3DPeer);
PER_THREAD(cudaMemset);
PER_THREAD(cudaMemset2D);
PER_THREAD(cudaMemset3D);
PER_THREAD(cudaMemcpy2DToArray);
PER_THREAD(cudaMemcpy2DFromArray);
PER_THREAD(cudaMemcpy2DArrayToArray);
PER_THREAD(cudaMemcpyToArray);
PER_THREAD(cudaMemcpyFromArray);
PER_THREAD(cudaMemcpyArrayToArray);
PER_THREAD(cudaMemcpyToSymbol);
PER_THREAD(cudaMemcpyFromSymbol);

#undef PER_THREAD

cudaError_t cudart_return(int rc);
void cudart_attributes(const void *ptr, struct cudart_attributes *attributes);

#endif
