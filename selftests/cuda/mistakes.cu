// SPDX-License-Identifier: GPL-2.0-only
/*
 * CUDA programs with one mistake each, for report.sh: `mistakes NAME` runs one,
 * and `mistakes right-NAME` the corrected one. Comments in capitals mark lines
 * that reports have to name. Programs wait for events, never for a time.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LEN	4096
#define ALONE	static void __attribute__((noinline))

static bool is_right;
static volatile int sink;

#define CHECK(call)							\
	do {								\
		const cudaError_t err = (call);				\
									\
		if (err) {						\
			fprintf(stderr, "%s: %s\n", #call,		\
				cudaGetErrorString(err));		\
			exit(1);					\
		}							\
	} while (0)

__global__ void store(int *at, int value)
{
	*at = value; /* STORE */
}

namespace {

template <class T>
__global__ void add(T *all, T value, int nr)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < nr)
		all[i] += value; /* ADD */
}

/* Store after the host has opened the gate. */
__global__ void store_late(int *at, volatile int *gate)
{
	while (!*gate)
		;
	*at = 7;
}

}

__global__ void open_gate(volatile int *gate)
{
	*gate = 1;
}

__global__ void count(int *at)
{
	atomicAdd(at, 1); /* COUNT */
}

__global__ void leave(void)
{
	exit(3);
}

static int of_the_host;

ALONE while_active(void)
{
	int *all;

	CHECK(cudaMallocManaged(&all, LEN)); /* MANAGED */
	add<int><<<4, 64>>>(all, 1, 256); /* LAUNCH */
	if (is_right)
		CHECK(cudaDeviceSynchronize());
	sink = all[3]; /* ACTIVE */
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(all));
}

/* The second read hits the cache line that the first one has filled. */
ALONE stale(void)
{
	volatile int *all;
	int *gates;

	CHECK(cudaMallocManaged((int **)&all, LEN));
	CHECK(cudaMallocHost(&gates, 2 * sizeof(*gates)));
	gates[0] = gates[1] = 0;
	store_late<<<1, 1>>>((int *)all, gates); /* LATE */
	open_gate<<<1, 1>>>(gates + 1); /* DONE */
	if (!is_right)
		sink = all[0]; /* EARLY */
	*(volatile int *)gates = 1;
	while (!*(volatile int *)(gates + 1))
		;
	if (is_right)
		CHECK(cudaStreamSynchronize(0));
	sink = all[0]; /* STALE */
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree((int *)all));
	CHECK(cudaFreeHost(gates));
}

ALONE not_attached(void)
{
	cudaStream_t one, other;
	int *all;

	CHECK(cudaStreamCreate(&one));
	CHECK(cudaStreamCreate(&other));
	CHECK(cudaMallocManaged(&all, LEN));
	CHECK(cudaStreamAttachMemAsync(one, all)); /* ATTACH */
	CHECK(cudaStreamSynchronize(one));
	store<<<1, 1, 0, is_right ? one : other>>>(all, 7); /* WRONG */
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(all));
	CHECK(cudaStreamDestroy(one));
	CHECK(cudaStreamDestroy(other));
}

ALONE on_device(void)
{
	int *all, copy;

	CHECK(cudaMalloc(&all, LEN));
	if (is_right)
		CHECK(cudaMemcpy(&copy, all, sizeof(copy), cudaMemcpyDefault));
	else
		copy = all[3]; /* DEVICE */
	sink = copy;
	CHECK(cudaFree(all));
}

/* The error ends all work of the context, so nothing can be freed. */
ALONE illegal(void)
{
	int *at = &of_the_host;

	if (is_right)
		CHECK(cudaMalloc(&at, LEN));
	store<<<1, 1>>>(at, 7); /* ILLEGAL */
	puts(cudaGetErrorName(cudaDeviceSynchronize()));
	if (is_right)
		CHECK(cudaFree(at));
}

ALONE failed(void)
{
	int *at;

	CHECK(cudaMalloc(&at, LEN));
	if (is_right)
		store<<<1, 1>>>(at, 7);
	else
		leave<<<1, 1>>>(); /* FAILED */
	puts(cudaGetErrorName(cudaDeviceSynchronize()));
	cudaFree(at);
}

ALONE overrun(void)
{
	int *all;

	CHECK(cudaMalloc(&all, LEN));
	store<<<1, 1>>>(all + LEN / sizeof(*all) - is_right, 7); /* OVERRUN */
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(all));
}

ALONE on_uncached(void)
{
	int *at;

	if (is_right)
		CHECK(cudaMalloc(&at, LEN));
	else
		CHECK(cudaMallocHost(&at, LEN));
	count<<<1, 1>>>(at); /* UNCACHED */
	CHECK(cudaDeviceSynchronize());
	CHECK(is_right ? cudaFree(at) : cudaFreeHost(at));
}

/* After the free, the pages are unmapped, and the access causes SIGSEGV. */
ALONE freed(void)
{
	int *all;

	CHECK(cudaMallocManaged(&all, LEN));
	if (is_right)
		sink = all[3];
	CHECK(cudaFree(all));
	if (!is_right)
		sink = all[3]; /* FREED */
}

/* Memory of another driver, by a kernel and by a copy */
ALONE external(void)
{
	struct cudaExternalMemoryHandleDesc desc = {};
	struct cudaExternalMemoryBufferDesc part = {};
	const int fd = memfd_create("others", MFD_CLOEXEC);
	cudaExternalMemory_t memory;
	int value = 0;
	void *ptr;

	if (fd < 0 || ftruncate(fd, 4096))
		exit(99);
	desc.type = cudaExternalMemoryHandleTypeOpaqueFd;
	desc.handle.fd = fd;
	desc.size = part.size = 4096;
	CHECK(cudaImportExternalMemory(&memory, &desc));
	CHECK(cudaExternalMemoryGetMappedBuffer(&ptr, memory, &part));
	if (!is_right)
		CHECK(cudaDestroyExternalMemory(memory)); /* DESTROY */
	store<<<1, 1>>>((int *)ptr, 5); /* KERNEL */
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(&value, ptr, 4, cudaMemcpyDeviceToHost)); /* COPY */
	if (value != 5)
		exit(99);
	/* To free the mapping later is right. */
	if (is_right)
		CHECK(cudaDestroyExternalMemory(memory));
	CHECK(cudaFree(ptr));
}

ALONE missing_call(void)
{
	if (!is_right)
		cudaGraphLaunch(NULL, NULL); /* GRAPH */
	cudaGetLastError();
}

ALONE leak(void)
{
	cudaStream_t stream;
	cudaEvent_t event;
	int *all;

	CHECK(cudaMalloc(&all, 1000)); /* LEAK */
	CHECK(cudaStreamCreate(&stream)); /* STREAM */
	CHECK(cudaEventCreate(&event)); /* EVENT */
	if (!is_right)
		return;
	CHECK(cudaFree(all));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaEventDestroy(event));
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = {
		{ "while-active", while_active },
		{ "stale", stale },
		{ "not-attached", not_attached },
		{ "on-device", on_device },
		{ "illegal", illegal },
		{ "failed", failed },
		{ "overrun", overrun },
		{ "on-uncached", on_uncached },
		{ "freed", freed },
		{ "external", external },
		{ "missing-call", missing_call },
		{ "leak", leak },
	};
	const char *name = argc > 1 ? argv[1] : "";

	is_right = !strncmp(name, "right-", 6);
	name += 6 * is_right;
	for (const auto &one : all) {
		if (strcmp(one.name, name))
			continue;
		one.run();
		return 0;
	}
	fprintf(stderr, "usage: mistakes [right-]NAME\n");
	return 2;
}
