// SPDX-License-Identifier: GPL-2.0-only
/*
 * "CUDA for Tegra", 3.2, the first program: the calls of a pipeline for a
 * discrete GPU. What the note leaves out is here: addresses of the pointers,
 * the launches' shape, the kernels, and the two functions for the image. No
 * result is checked there; here the image shows it.
 */
#include <cuda_runtime.h>
#include "image.h"

int main()
{
	int *h_a, *d_a, *d_b, *d_c, *d_d, *h_d;
	int height = 1024;
	int width = 1024;
	size_t sizeOfImage = width * height * sizeof(int);

	cudaMallocHost(&h_a, sizeOfImage);
	cudaMallocHost(&h_d, sizeOfImage);
	cudaMalloc(&d_a, sizeOfImage);
	cudaMalloc(&d_b, sizeOfImage);
	cudaMalloc(&d_c, sizeOfImage);
	cudaMalloc(&d_d, sizeOfImage);

	readImage(h_a);
	cudaMemcpy(d_a, h_a, sizeOfImage, cudaMemcpyHostToDevice);
	k1<<<BLOCKS, THREADS>>>(d_a, d_b);
	k2<<<BLOCKS, THREADS>>>(d_b, d_c);
	k3<<<BLOCKS, THREADS>>>(d_c, d_d);
	cudaMemcpy(h_d, d_d, sizeOfImage, cudaMemcpyDeviceToHost);

	UseImageonCPU(h_d);
	return nr_wrong != 0;
}
