// SPDX-License-Identifier: GPL-2.0-only
/*
 * "CUDA for Tegra", 3.2, the second program: the same for a Tegra, with
 * managed memory and attach. What was added is as in pinned.cu.
 */
#include <cuda_runtime.h>
#include "image.h"

int main()
{
	int *h_a, *d_b, *d_c, *h_d;
	int height = 1024;
	int width = 1024;
	size_t sizeOfImage = width * height * sizeof(int);

	cudaMallocManaged(&h_a, sizeOfImage, cudaMemAttachHost);
	cudaMallocManaged(&h_d, sizeOfImage);
	cudaMalloc(&d_b, sizeOfImage);
	cudaMalloc(&d_c, sizeOfImage);

	readImage(h_a);
	cudaStreamAttachMemAsync(NULL, h_a, 0, cudaMemAttachGlobal);
	k1<<<BLOCKS, THREADS>>>(h_a, d_b);
	k2<<<BLOCKS, THREADS>>>(d_b, d_c);
	k3<<<BLOCKS, THREADS>>>(d_c, h_d);
	cudaStreamAttachMemAsync(NULL, h_d, 0, cudaMemAttachHost);
	cudaStreamSynchronize(NULL);

	UseImageonCPU(h_d);
	return nr_wrong != 0;
}
