/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the samples share: they end at the first call that fails, run on the
 * GPU that shares the board's memory, and report what each buffer has cost. On
 * a real board, without heapsim's headers, all but the costs is the same.
 */
#ifndef _SAMPLE_H
#define _SAMPLE_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__has_include)
#if __has_include("heapsim_cuda.h")
#include <heapsim_cuda.h>
#include <libmem.h>
#define HAVE_HEAPSIM
#endif
#endif

/* So that a finding names the function and its line, whatever is optimised. */
#define OWN_FRAME	__attribute__((noinline))

#define CHECK(call)	check(call, #call, __FILE__, __LINE__)
/* A launch returns no error of its own. */
#define CHECK_LAUNCH()	check(cudaGetLastError(), "launch", __FILE__, __LINE__)

static inline void check(cudaError_t err, const char *call, const char *file,
			 int line)
{
	if (err == cudaSuccess)
		return;
	fprintf(stderr, "%s:%d: %s: %s\n", file, line, call,
		cudaGetErrorString(err));
	exit(2);
}

/* Seconds do not matter: only differences do. */
static inline double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static inline void print_device(int device)
{
	struct cudaDeviceProp prop;

	CHECK(cudaGetDeviceProperties(&prop, device));
	printf("device %d: %s, compute capability %d.%d, %s GPU\n", device,
	       prop.name, prop.major, prop.minor,
	       prop.integrated ? "integrated" : "discrete");
}

/*
 * Device 0 is the fastest: on a board with two GPUs that is the discrete one,
 * which has no managed memory.
 */
static inline int use_integrated_gpu(void)
{
	int i, nr, is_integrated = 0;

	CHECK(cudaGetDeviceCount(&nr));
	for (i = 0; i < nr && !is_integrated; i++)
		CHECK(cudaDeviceGetAttribute(&is_integrated,
					     cudaDevAttrIntegrated, i));
	if (!is_integrated) {
		fprintf(stderr, "no integrated GPU\n");
		exit(2);
	}
	CHECK(cudaSetDevice(i - 1));
	return i - 1;
}

static inline int device_has(int device, enum cudaDeviceAttr attr)
{
	int value;

	CHECK(cudaDeviceGetAttribute(&value, attr, device));
	return value;
}

/* Is an argument of the command line the word? */
static inline int is_asked(int argc, char **argv, const char *word)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], word))
			return 1;
	return 0;
}

static inline void costs_begin(const char *title)
{
	printf("%s\n", title);
#ifdef HAVE_HEAPSIM
	printf("  %-10s %-10s %6s  %15s  %15s  %s\n", "", "", "",
	       "CPU cache, KiB", "GPU cache, KiB", "prefetches");
	printf("  %-10s %-10s %6s  %7s %7s  %7s %7s  %s\n", "buffer", "kind",
	       "KiB", "cleaned", "dropped", "cleaned", "dropped",
	       "to CPU, GPU");
#endif
}

/* What the driver did for a buffer since it was allocated. */
static inline void cost(const char *name, const void *ptr)
{
#ifdef HAVE_HEAPSIM
	static const char *const kinds[] = {
		"", "", "", "", "", "", "managed", "pinned", "device",
		"registered", "pageable",
	};
	struct mem_ptr_info info;
	struct mem_attach_counters count;
	struct mem_ctx *ctx;

	memset(&info, 0, sizeof(info));
	info.size = sizeof(info);
	memset(&count, 0, sizeof(count));
	count.size = sizeof(count);
	if (heapsim_cuda_ctx(&ctx) || mem_ptr_info(ctx, ptr, &info))
		return;
	printf("  %-10s %-10s %6llu  ", name, kinds[info.kind],
	       (unsigned long long)info.len / 1024);
	if (info.kind != MEM_KIND_MANAGED ||
	    mem_ptr_attach_counters(ctx, ptr, &count)) {
		printf("%7s %7s  %7s %7s\n", "-", "-", "-", "-");
		return;
	}
	printf("%7llu %7llu  %7llu %7llu  %6llu, %llu\n",
	       (unsigned long long)count.cleaned_bytes / 1024,
	       (unsigned long long)count.cpu_invalidated_bytes / 1024,
	       (unsigned long long)count.gpu_cleaned_bytes / 1024,
	       (unsigned long long)count.gpu_invalidated_bytes / 1024,
	       (unsigned long long)count.prefetches_to_cpu,
	       (unsigned long long)count.prefetches_to_gpu);
#else
	(void)name;
	(void)ptr;
#endif
}

/* The name that reports call a buffer by. */
static inline void set_name(const void *ptr, const char *name)
{
#ifdef HAVE_HEAPSIM
	struct mem_ctx *ctx;

	if (!heapsim_cuda_ctx(&ctx))
		mem_set_name(ctx, ptr, name);
#else
	(void)ptr;
	(void)name;
#endif
}

#endif
