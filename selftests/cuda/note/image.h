/* SPDX-License-Identifier: GPL-2.0-only */
/* What the note's pipelines need and it does not show. */
#ifndef _NOTE_IMAGE_H
#define _NOTE_IMAGE_H

#include <stdio.h>

#define NR_PIXELS	(1024 * 1024)
#define THREADS		256
#define BLOCKS		(NR_PIXELS / THREADS)

static int nr_wrong;

static int nth(int i)
{
	return i * 7 % 1000;
}

static void readImage(int *image)
{
	for (int i = 0; i < NR_PIXELS; i++)
		image[i] = nth(i);
}

__global__ void k1(const int *from, int *to)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	to[i] = from[i] + 1;
}

__global__ void k2(const int *from, int *to)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	to[i] = from[i] * 3;
}

__global__ void k3(const int *from, int *to)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	to[i] = from[i] - 5;
}

static void UseImageonCPU(const int *image)
{
	for (int i = 0; i < NR_PIXELS; i++)
		nr_wrong += image[i] != (nth(i) + 1) * 3 - 5;
	printf("%d of %d pixels are wrong\n", nr_wrong, NR_PIXELS);
}

#endif
