// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of the host that kernels use where it is: pinned, and registered. See
 * README.rst.
 *
 * zero-copy [atomic]
 */
#include "sample.h"

#define NR	(64 * 1024)

__global__ void add(const float *a, const float *b, float *sum, int nr)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < nr)
		sum[i] = a[i] + b[i];
}

/* A block says when it is done; the CPU may look at any time. */
__global__ void count(volatile int *is_done)
{
	is_done[blockIdx.x] = 1;
}

__global__ void twice(int *counter)
{
	*counter *= 2;
}

static int nr_wrong(const float *sum)
{
	int wrong = 0;

	for (int i = 0; i < NR; i++)
		wrong += sum[i] != 3.0f * i;
	return wrong;
}

static void fill(float *a, float *b)
{
	for (int i = 0; i < NR; i++) {
		a[i] = i;
		b[i] = 2.0f * i;
	}
}

/* Pinned memory: on the boards here CPU and GPU have it at one address. */
static int with_pinned(void)
{
	const size_t size = NR * sizeof(float);
	float *a, *b, *sum, *d_a, *d_b, *d_sum;
	double begin, ran, end;
	int wrong;

	CHECK(cudaHostAlloc(&a, size, cudaHostAllocMapped));
	CHECK(cudaHostAlloc(&b, size, cudaHostAllocMapped));
	CHECK(cudaHostAlloc(&sum, size, cudaHostAllocMapped));
	CHECK(cudaHostGetDevicePointer(&d_a, a, 0));
	CHECK(cudaHostGetDevicePointer(&d_b, b, 0));
	CHECK(cudaHostGetDevicePointer(&d_sum, sum, 0));
	fill(a, b);
	begin = now_ms();
	add<<<NR / 256, 256>>>(d_a, d_b, d_sum, NR);
	CHECK_LAUNCH();
	CHECK(cudaDeviceSynchronize());
	ran = now_ms();
	wrong = nr_wrong(sum);
	end = now_ms();
	costs_begin("pinned");
	cost("a", a);
	cost("b", b);
	cost("sum", sum);
	printf("  kernel %.1f ms, read %.1f ms, %d sums are wrong\n",
	       ran - begin, end - ran, wrong);
	CHECK(cudaFreeHost(a));
	CHECK(cudaFreeHost(b));
	CHECK(cudaFreeHost(sum));
	return wrong;
}

/* Memory of malloc(): the GPU has it at an address of its own. */
static int with_registered(void)
{
	const size_t size = NR * sizeof(float);
	float *a = (float *)malloc(size), *b = (float *)malloc(size);
	float *sum = (float *)malloc(size), *d_a, *d_b, *d_sum;
	double begin, ran, end;
	cudaError_t answer;
	int wrong = 0;

	answer = cudaHostRegister(a, size, cudaHostRegisterMapped);
	if (answer != cudaSuccess) {
		printf("registered: %s\n", cudaGetErrorName(answer));
		/* It was told; CHECK_LAUNCH() shall not find it again. */
		cudaGetLastError();
		goto out;
	}
	CHECK(cudaHostRegister(b, size, cudaHostRegisterMapped));
	CHECK(cudaHostRegister(sum, size, cudaHostRegisterMapped));
	CHECK(cudaHostGetDevicePointer(&d_a, a, 0));
	CHECK(cudaHostGetDevicePointer(&d_b, b, 0));
	CHECK(cudaHostGetDevicePointer(&d_sum, sum, 0));
	fill(a, b);
	begin = now_ms();
	add<<<NR / 256, 256>>>(d_a, d_b, d_sum, NR);
	CHECK_LAUNCH();
	CHECK(cudaDeviceSynchronize());
	ran = now_ms();
	wrong = nr_wrong(sum);
	end = now_ms();
	costs_begin("registered");
	cost("a", a);
	cost("b", b);
	cost("sum", sum);
	printf("  kernel %.1f ms, read %.1f ms, %d sums are wrong\n",
	       ran - begin, end - ran, wrong);
	CHECK(cudaHostUnregister(a));
	CHECK(cudaHostUnregister(b));
	CHECK(cudaHostUnregister(sum));
out:
	free(a);
	free(b);
	free(sum);
	return wrong;
}

/* While the kernel runs; managed memory would be refused here. */
static int with_progress(void)
{
	const int nr_blocks = 16;
	volatile int *is_done;
	int i, done;

	CHECK(cudaMallocHost(&is_done, nr_blocks * sizeof(*is_done)));
	for (i = 0; i < nr_blocks; i++)
		is_done[i] = 0;
	count<<<nr_blocks, 1>>>(is_done);
	CHECK_LAUNCH();
	do {
		for (i = done = 0; i < nr_blocks; i++)
			done += is_done[i];
	} while (done < nr_blocks);
	CHECK(cudaDeviceSynchronize());
	printf("blocks that said they are done: %d of %d\n", done, nr_blocks);
	CHECK(cudaFreeHost((void *)is_done));
	return done != nr_blocks;
}

/* The CPU counts, the GPU reads: below capability 7.2 not with atomics. */
static OWN_FRAME int with_counter(bool has_atomics)
{
	int *counter, wrong;

	CHECK(cudaMallocHost(&counter, sizeof(*counter)));
	set_name(counter, "counter");
	for (int i = 0; i < 10; i++) {
		if (has_atomics)
			__sync_fetch_and_add(counter, 1);	/* found here */
		else
			(*counter)++;
	}
	twice<<<1, 1>>>(counter);
	CHECK_LAUNCH();
	CHECK(cudaDeviceSynchronize());
	wrong = *counter != 20;
	printf("counted with%s atomics: %s\n", has_atomics ? "" : "out",
	       wrong ? "WRONG" : "right");
	CHECK(cudaFreeHost(counter));
	return wrong;
}

int main(int argc, char **argv)
{
	int wrong = 0;

	print_device(use_integrated_gpu());
	wrong += with_pinned();
	wrong += with_registered();
	wrong += with_progress();
	wrong += with_counter(is_asked(argc, argv, "atomic"));
	puts(wrong ? "WRONG" : "right");
	return wrong != 0;
}
