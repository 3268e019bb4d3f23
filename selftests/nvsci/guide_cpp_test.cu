// SPDX-License-Identifier: GPL-2.0-only
/* guide_test.c in C++, with a kernel. */
#define WITH_KERNEL
#include "guide_test.c"

__global__ static void fill(uint8_t *bytes, uint64_t size)
{
	const uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;

	if (i < size)
		bytes[i] = 0x5a;
}

void run_kernel(void *dptr, uint64_t size)
{
	fill<<<(unsigned int)((size + 255) / 256), 256>>>((uint8_t *)dptr,
							   size);
	cuda(cudaGetLastError());
}
