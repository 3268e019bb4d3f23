// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copies and kernels beside each other, in streams; and what is left of that
 * where there is one memory. See README.rst.
 *
 * overlap [wrong]
 */
#include "sample.h"

#define NR_CHUNKS	4
#define CHUNK		(64 * 1024)
#define NR		(NR_CHUNKS * CHUNK)

__host__ __device__ static unsigned int mixed(unsigned int value)
{
	for (int i = 0; i < 8; i++)
		value = (value ^ value >> 13) * 2654435761u + 1;
	return value;
}

__global__ void mix(unsigned int *values, int nr)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < nr)
		values[i] = mixed(values[i]);
}

static OWN_FRAME int nr_wrong(const unsigned int *values)
{
	int wrong = 0;

	for (unsigned int i = 0; i < NR; i++)
		wrong += values[i] != mixed(i);	/* found here */
	return wrong;
}

static void fill(unsigned int *values)
{
	for (unsigned int i = 0; i < NR; i++)
		values[i] = i;
}

struct run {
	cudaEvent_t begin, end, copied[NR_CHUNKS], ran[NR_CHUNKS];
	float ms;
	int nr_beside;
};

static void run_init(struct run *run)
{
	CHECK(cudaEventCreate(&run->begin));
	CHECK(cudaEventCreate(&run->end));
	for (int i = 0; i < NR_CHUNKS; i++) {
		CHECK(cudaEventCreate(&run->copied[i]));
		CHECK(cudaEventCreate(&run->ran[i]));
	}
}

/* How many chunks were there before the one before them was done? */
static void run_fini(struct run *run)
{
	run->nr_beside = 0;
	CHECK(cudaEventElapsedTime(&run->ms, run->begin, run->end));
	for (int i = 1; i < NR_CHUNKS; i++) {
		float ms;

		CHECK(cudaEventElapsedTime(&ms, run->copied[i],
					   run->ran[i - 1]));
		run->nr_beside += ms > 0;
	}
	CHECK(cudaEventDestroy(run->begin));
	CHECK(cudaEventDestroy(run->end));
	for (int i = 0; i < NR_CHUNKS; i++) {
		CHECK(cudaEventDestroy(run->copied[i]));
		CHECK(cudaEventDestroy(run->ran[i]));
	}
}

/* In, kernel, out: each chunk on its stream, or all on one. */
static int with_copies(int nr_streams)
{
	const size_t size = CHUNK * sizeof(unsigned int);
	cudaStream_t streams[NR_CHUNKS];
	unsigned int *host, *device;
	struct run run;
	int i, wrong;

	CHECK(cudaMallocHost(&host, NR_CHUNKS * size));
	CHECK(cudaMalloc(&device, NR_CHUNKS * size));
	for (i = 0; i < nr_streams; i++)
		CHECK(cudaStreamCreate(&streams[i]));
	fill(host);
	run_init(&run);
	/* The legacy stream: all others wait for it, and it for them. */
	CHECK(cudaEventRecord(run.begin));
	for (i = 0; i < NR_CHUNKS; i++) {
		cudaStream_t stream = streams[i % nr_streams];
		unsigned int *at = device + i * CHUNK;

		CHECK(cudaMemcpyAsync(at, host + i * CHUNK, size,
				      cudaMemcpyHostToDevice, stream));
		CHECK(cudaEventRecord(run.copied[i], stream));
		mix<<<CHUNK / 256, 256, 0, stream>>>(at, CHUNK);
		CHECK_LAUNCH();
		CHECK(cudaEventRecord(run.ran[i], stream));
		CHECK(cudaMemcpyAsync(host + i * CHUNK, at, size,
				      cudaMemcpyDeviceToHost, stream));
	}
	CHECK(cudaEventRecord(run.end));
	CHECK(cudaDeviceSynchronize());
	wrong = nr_wrong(host);
	run_fini(&run);
	costs_begin(nr_streams > 1 ? "copies, a stream for each chunk" :
				     "copies, one stream");
	cost("host", host);
	cost("device", device);
	printf("  %.1f ms, copied: %zu KiB, %d values are wrong\n", run.ms,
	       2 * NR_CHUNKS * size / 1024, wrong);
	if (nr_streams > 1)
		printf("  copied while one before was at work: %d times\n",
		       run.nr_beside);
	for (i = 0; i < nr_streams; i++)
		CHECK(cudaStreamDestroy(streams[i]));
	CHECK(cudaFreeHost(host));
	CHECK(cudaFree(device));
	return wrong;
}

/* The same buffer for both: nothing to overlap. */
static int without_copies(bool is_wrong)
{
	unsigned int *values;
	struct run run;
	int i, wrong;

	CHECK(cudaMallocManaged(&values, NR * sizeof(*values),
				cudaMemAttachHost));
	set_name(values, "values");
	fill(values);
	run_init(&run);
	CHECK(cudaEventRecord(run.begin));
	CHECK(cudaStreamAttachMemAsync(NULL, values, 0, cudaMemAttachGlobal));
	for (i = 0; i < NR_CHUNKS; i++) {
		CHECK(cudaEventRecord(run.copied[i]));
		mix<<<CHUNK / 256, 256>>>(values + i * CHUNK, CHUNK);
		CHECK_LAUNCH();
		CHECK(cudaEventRecord(run.ran[i]));
	}
	CHECK(cudaStreamAttachMemAsync(NULL, values, 0, cudaMemAttachHost));
	CHECK(cudaEventRecord(run.end));
	if (!is_wrong)
		CHECK(cudaDeviceSynchronize());
	wrong = nr_wrong(values);
	CHECK(cudaDeviceSynchronize());
	run_fini(&run);
	costs_begin("no copies");
	cost("values", values);
	printf("  %.1f ms, copied: 0 KiB, %d values are wrong\n", run.ms,
	       wrong);
	CHECK(cudaFree(values));
	return wrong;
}

int main(int argc, char **argv)
{
	bool is_wrong = is_asked(argc, argv, "wrong");
	int wrong = 0;

	print_device(use_integrated_gpu());
	wrong += with_copies(1);
	wrong += with_copies(NR_CHUNKS);
	wrong += without_copies(is_wrong);
	puts(wrong ? "WRONG" : "right");
	return wrong != 0;
}
