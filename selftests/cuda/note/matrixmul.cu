// SPDX-License-Identifier: GPL-2.0-only
/*
 * "CUDA for Tegra", 3.3: the function MatrixMul with its hints. Added: what the
 * kernel does, what fills the matrices, the launch's shape, and a main program
 * that compares what was printed.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define HP	6
#define WP	8
#define HQ	WP
#define WQ	5

static int wanted[HP * WQ];

static void randFill(int *p, int *q, int hp, int wp, int hq, int wq)
{
	for (int i = 0; i < hp * wp; i++)
		p[i] = rand() % 100;
	for (int i = 0; i < hq * wq; i++)
		q[i] = rand() % 100;
	for (int y = 0; y < hp; y++)
		for (int x = 0; x < wq; x++)
			for (int k = 0; k < wp; k++)
				wanted[y * wq + x] +=
					p[y * wp + k] * q[k * wq + x];
}

__global__ void matrixMul(int *p, int *q, int *r, int hp, int hq, int wp,
			  int wq)
{
	int x = threadIdx.x, y = blockIdx.x, sum = 0;

	for (int k = 0; k < hq; k++)
		sum += p[y * wp + k] * q[k * wq + x];
	if (y < hp)
		r[y * wq + x] = sum;
}

static void MatrixMul(int hp, int hq, int wp, int wq)
{
	int *p, *q, *r;
	int i;
	size_t sizeP = hp * wp * sizeof(int);
	size_t sizeQ = hq * wq * sizeof(int);
	size_t sizeR = hp * wq * sizeof(int);

	cudaMallocManaged(&p, sizeP, cudaMemAttachHost);
	cudaMallocManaged(&q, sizeQ, cudaMemAttachHost);
	cudaMallocManaged(&r, sizeR);
	randFill(p, q, hp, wp, hq, wq);

	cudaStreamAttachMemAsync(NULL, p, 0, cudaMemAttachGlobal);
	cudaStreamAttachMemAsync(NULL, q, 0, cudaMemAttachGlobal);
	matrixMul<<<hp, wq>>>(p, q, r, hp, hq, wp, wq);
	cudaStreamAttachMemAsync(NULL, r, 0, cudaMemAttachHost);
	cudaStreamSynchronize(NULL);

	for (i = 0; i < hp * wq; i++)
		printf("%d ", r[i]);
	printf("\n");
	for (i = 0; i < hp * wq; i++)
		if (r[i] != wanted[i])
			exit(1);
}

int main()
{
	MatrixMul(HP, HQ, WP, WQ);
	return 0;
}
