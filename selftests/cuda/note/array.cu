// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CUDA calls of a thread of NVIDIA's forum on managed memory and VPI: an
 * array for 8192 keypoints, attached to the host while another engine fills it,
 * then to all, and a kernel on the same stream. Its VPI calls are not here: a
 * function of the host, in order of the stream, stands for the detector.
 */
#include <cuda_runtime.h>
#include <stdio.h>

#define CAPACITY	8192

__global__ void k(int *data)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < CAPACITY * 2)
		data[i] *= 2;
}

static void CUDART_CB detect(void *data)
{
	for (int i = 0; i < CAPACITY * 2; i++)
		((int *)data)[i] = i;
}

int main()
{
	int *data_managed, wrong = 0;
	cudaStream_t cuda_stream;

	cudaMallocManaged(&data_managed, CAPACITY * 2 * sizeof(float));
	cudaStreamCreate(&cuda_stream);

	cudaStreamAttachMemAsync(cuda_stream, data_managed, 0,
				 cudaMemAttachHost);
	cudaLaunchHostFunc(cuda_stream, detect, data_managed);
	cudaStreamAttachMemAsync(cuda_stream, data_managed, 0,
				 cudaMemAttachGlobal);
	k<<<64, 256, 0, cuda_stream>>>(data_managed);

	/* The answer of the thread: wait before the CPU has it. */
	cudaStreamSynchronize(cuda_stream);
	for (int i = 0; i < CAPACITY * 2; i++)
		wrong += data_managed[i] != 2 * i;
	printf("%d of %d values are wrong\n", wrong, CAPACITY * 2);
	cudaFree(data_managed);
	cudaStreamDestroy(cuda_stream);
	return wrong != 0;
}
