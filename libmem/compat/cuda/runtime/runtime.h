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
