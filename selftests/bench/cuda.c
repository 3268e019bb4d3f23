// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the cost of a call of the CUDA API compared with the libmem call
 * that it wraps. The same work is done both ways alternately, so that other
 * load affects both; the results are medians of all calls. The program never
 * fails; the last column shows the limit.
 *
 * usage: cuda [ROUNDS]
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cuda_runtime.h>
#include <heapsim_cuda.h>
#include <libmem.h>

#include "measure.h"

#define LEN		65536UL
#define NR_CALLS	200
#define MAX_ROUNDS	101

static struct mem_ctx *ctx;
static struct mem_stream *stream;
static struct mem_event *event;
static cudaStream_t cuda_stream;
static cudaEvent_t cuda_event;

static void *pinned, *device;

static int libmem_copy(void)
{
	return mem_copy_async(stream, device, pinned, 64, MEM_DIR_DEFAULT);
}

static int surface_copy(void)
{
	return cudaMemcpyAsync(device, pinned, 64,
			       cudaMemcpyHostToDevice, cuda_stream);
}

static int libmem_set(void)
{
	return mem_fill_async(stream, device, 0, 64);
}

static int surface_set(void)
{
	return cudaMemsetAsync(device, 0, 64, cuda_stream);
}

static int libmem_record(void)
{
	return mem_event_record(event, stream);
}

static int surface_record(void)
{
	return cudaEventRecord(cuda_event, cuda_stream);
}

static int libmem_query(void)
{
	return mem_event_query(event);
}

static int surface_query(void)
{
	return cudaEventQuery(cuda_event);
}

static int libmem_stream_query(void)
{
	return mem_stream_query(stream);
}

static int surface_stream_query(void)
{
	return cudaStreamQuery(cuda_stream);
}

static int libmem_ask(void)
{
	struct mem_ptr_info info = { .size = sizeof(info) };

	return mem_ptr_info(ctx, device, &info);
}

static int surface_ask(void)
{
	struct cudaPointerAttributes what;

	return cudaPointerGetAttributes(&what, device);
}

static int libmem_alloc(void)
{
	void *p;
	int err = mem_alloc(ctx, MEM_KIND_DEVICE, LEN, 0, &p);

	/* cudaFree() waits for all work. */
	if (!err)
		err = mem_ctx_sync(ctx);
	return err ? err : mem_free(ctx, p);
}

static int surface_alloc(void)
{
	void *p;
	cudaError_t err = cudaMalloc(&p, LEN);

	return err ? err : cudaFree(p);
}

static void k_nothing(const struct mem_block *block, void *args)
{
	(void)block;
	(void)args;
}

static int libmem_launch(void)
{
	const struct mem_launch launch = {
		.size = sizeof(launch),
		.engine = MEM_ENGINE_GPU,
		.kernel = k_nothing,
		.grid = { 1, 1, 1 },
		.block = { 1, 1, 1 },
	};
	int err = mem_launch(stream, &launch);

	return err ? err : mem_stream_sync(stream);
}

__global__ void nothing(void)
{
}

CUDA_KERNEL(nothing);

static int surface_launch(void)
{
	const dim3 one = { 1, 1, 1 };
	cudaError_t err = cudaLaunchKernel(nothing, one, one, NULL, 0,
					   cuda_stream);

	return err ? err : cudaStreamSynchronize(cuda_stream);
}

/**
 * struct row - the same work done in two ways
 * @name: name for the table
 * @libmem: does the work with libmem; returns 0 or an error
 * @surface: does the work with the CUDA API
 * @nr_calls: number of calls of the CUDA API; each may cost 1 us more
 * @is_queued: the call returns before the work is done
 */
struct row {
	const char *name;
	int (*libmem)(void);
	int (*surface)(void);
	unsigned int nr_calls;
	bool is_queued;
};

static const struct row rows[] = {
	{ "kernel launched and waited for", libmem_launch, surface_launch,
	  2, false },
	{ "copy of 64 bytes, async", libmem_copy, surface_copy, 1, true },
	{ "set of 64 bytes, async", libmem_set, surface_set, 1, true },
	{ "event recorded", libmem_record, surface_record, 1, true },
	{ "event queried", libmem_query, surface_query, 1, false },
	{ "stream queried", libmem_stream_query, surface_stream_query,
	  1, false },
	{ "what a pointer is", libmem_ask, surface_ask, 1, false },
	{ "allocated and freed", libmem_alloc, surface_alloc, 2, false },
};

static uint64_t call_ns(int (*call)(void), const char *name)
{
	const uint64_t begin = now_ns();
	const int err = call();
	const uint64_t end = now_ns();

	must(err, name);
	return end - begin;
}

/* Blocks the stream, so that no work runs while calls are measured. */
static void wait_for_end(void *is_done)
{
	while (!__atomic_load_n((int *)is_done, __ATOMIC_ACQUIRE))
		usleep(1000);
}

static void call_both(const struct row *row, uint64_t *libmem,
		      uint64_t *surface)
{
	int is_done = !row->is_queued;

	must(cudaLaunchHostFunc(cuda_stream, wait_for_end, &is_done),
	     "host function");
	if (is_done)
		must(cudaDeviceSynchronize(), "wait");
	for (int i = 0; i < NR_CALLS; i++) {
		libmem[i] = call_ns(row->libmem, row->name);
		surface[i] = call_ns(row->surface, row->name);
	}
	__atomic_store_n(&is_done, 1, __ATOMIC_RELEASE);
	must(cudaDeviceSynchronize(), "wait");
}

static void measure(const struct row *row, int nr)
{
	static uint64_t libmem[MAX_ROUNDS * NR_CALLS];
	static uint64_t surface[MAX_ROUNDS * NR_CALLS];
	int64_t more;

	/* The first call warms up caches. */
	call_both(row, libmem, surface);
	for (int i = 0; i < nr; i++)
		call_both(row, libmem + i * NR_CALLS, surface + i * NR_CALLS);
	nr *= NR_CALLS;
	more = (int64_t)median_ns(surface, nr) - (int64_t)median_ns(libmem, nr);
	printf("%-34s %9llu ns %9llu ns %+8lld ns   %u\n", row->name,
	       (unsigned long long)median_ns(surface, nr),
	       (unsigned long long)median_ns(libmem, nr), (long long)more,
	       1000 * row->nr_calls);
}

int main(int argc, char **argv)
{
	int nr = argc > 1 ? atoi(argv[1]) : 9;

	if (nr < 1 || nr > MAX_ROUNDS) {
		fprintf(stderr, "usage: cuda [1-%d]\n", MAX_ROUNDS);
		return 2;
	}
	/* Both ways use one context, since a board has one GPU. */
	must(cudaStreamCreate(&cuda_stream), "stream");
	must(heapsim_cuda_ctx(&ctx), "context");
	must(heapsim_cuda_stream(cuda_stream, &stream), "stream");
	must(cudaEventCreate(&cuda_event), "event");
	must(mem_event_create(ctx, 0, &event), "event");
	must(cudaMallocHost(&pinned, LEN), "memory");
	must(cudaMalloc(&device, LEN), "memory");
	must(mem_event_record(event, stream), "event");
	must(cudaEventRecord(cuda_event, cuda_stream), "event");
	memset(pinned, 0, LEN);
	printf("%-34s %12s %12s %11s   bar\n", "CUDA surface, embedded",
	       "median", "libmem", "more");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		measure(&rows[i], nr);
	mem_event_destroy(event);
	cudaEventDestroy(cuda_event);
	cudaFreeHost(pinned);
	cudaFree(device);
	cudaStreamDestroy(cuda_stream);
	return 0;
}
