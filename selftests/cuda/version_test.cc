// SPDX-License-Identifier: GPL-2.0-only
// Tests calls whose form depends on CUDA's version, as C++ programs use them.
// It is built for several versions, with and without one default stream for
// each thread; that it can be compiled and linked is half of the test. Prints
// TAP.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstring>

static int nr_tests, nr_failed;

static void check(bool is_good, const char *name)
{
	std::printf("%sok %d - %s, version %d\n", is_good ? "" : "not ",
		    ++nr_tests, name, CUDART_VERSION);
	nr_failed += !is_good;
}

static bool properties_have_the_fields()
{
	cudaDeviceProp prop;
	int value = 0;

	if (cudaGetDeviceProperties(&prop, 0) != cudaSuccess || !prop.major)
		return false;
#if CUDART_VERSION < 13000
	return cudaDeviceGetAttribute(&value, cudaDevAttrClockRate, 0) ==
	       cudaSuccess && value && prop.clockRate == value;
#else
	return cudaDeviceGetAttribute(&value, cudaDevAttrIntegrated, 0) ==
	       cudaSuccess && value == prop.integrated;
#endif
}

static bool pointers_have_the_attributes(void *managed)
{
	cudaPointerAttributes attributes;
	const int pageable = 0;
	cudaError_t rc = cudaPointerGetAttributes(&attributes, &pageable);

#if CUDART_VERSION < 11000
	if (rc != cudaErrorInvalidValue)
		return false;
	rc = cudaPointerGetAttributes(&attributes, managed);
	return rc == cudaSuccess && attributes.isManaged &&
	       attributes.memoryType == cudaMemoryTypeDevice &&
	       attributes.type == cudaMemoryTypeManaged;
#else
	if (rc != cudaSuccess || attributes.type != cudaMemoryTypeUnregistered)
		return false;
	rc = cudaPointerGetAttributes(&attributes, managed);
	return rc == cudaSuccess && attributes.type == cudaMemoryTypeManaged;
#endif
}

// Advice is accepted only on a board with concurrent access.
static bool advice_takes_a_place(void *managed, size_t len, cudaStream_t stream)
{
	const cudaMemoryAdvise advice = cudaMemAdviseSetPreferredLocation;
	const cudaMemRangeAttribute attr =
		cudaMemRangeAttributePreferredLocation;
	cudaError_t rc, prefetched;
	int has_access = 0, place = 0;

	cudaDeviceGetAttribute(&has_access, cudaDevAttrConcurrentManagedAccess,
			       0);
#if CUDART_VERSION < 13000
	rc = cudaMemAdvise(managed, len, advice, cudaCpuDeviceId);
	prefetched = cudaMemPrefetchAsync(managed, len, 0, stream);
#else
	cudaMemLocation host = {}, device = {};

	host.type = cudaMemLocationTypeHost;
	device.type = cudaMemLocationTypeDevice;
	rc = cudaMemAdvise(managed, len, advice, host);
	prefetched = cudaMemPrefetchAsync(managed, len, device, 0, stream);
#endif
	if (!has_access)
		return rc == cudaErrorInvalidDevice &&
		       prefetched == cudaErrorInvalidDevice;
	if (rc != cudaSuccess || prefetched != cudaSuccess)
		return false;
	rc = cudaMemRangeGetAttribute(&place, sizeof(place), attr, managed,
				      len);
	return rc == cudaSuccess && place == cudaCpuDeviceId;
}

static bool no_stream_is_the_default_one()
{
	// The default stream is the thread's if the program is built so.
	cudaStream_t mine, want;
	unsigned long long id_mine, id_want;

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
	want = cudaStreamPerThread;
#else
	want = cudaStreamLegacy;
#endif
	mine = nullptr;
	return cudaStreamGetId(mine, &id_mine) == cudaSuccess &&
	       cudaStreamGetId(want, &id_want) == cudaSuccess &&
	       id_mine == id_want;
}

static bool copies_go_through(void *managed)
{
	char here[64], there[64];
	CUdeviceptr to;

	std::memset(here, 7, sizeof(here));
	std::memset(there, 0, sizeof(there));
	if (cudaMemcpyAsync(managed, here, sizeof(here),
			    cudaMemcpyHostToDevice) != cudaSuccess ||
	    cudaStreamSynchronize(nullptr) != cudaSuccess ||
	    cudaMemcpy(there, managed, sizeof(there),
		       cudaMemcpyDeviceToHost) != cudaSuccess ||
	    std::memcmp(here, there, sizeof(here)))
		return false;
	to = reinterpret_cast<CUdeviceptr>(managed);
	return cuMemcpyDtoH(there, to, sizeof(there)) == CUDA_SUCCESS;
}

static bool what_is_missing_says_so()
{
	cudaGraphExec_t exec = nullptr;
	cudaGraph_t graph = nullptr;
	cudaError_t rc;

	cudaGetLastError();
	if (cudaGraphCreate(&graph, 0) != cudaErrorNotSupported)
		return false;
#if CUDART_VERSION < 12000
	rc = cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0);
#else
	rc = cudaGraphInstantiate(&exec, graph);
#endif
	return rc == cudaErrorNotSupported && !exec &&
	       cudaGetLastError() == cudaErrorNotSupported;
}

static bool the_driver_makes_contexts()
{
	CUcontext ctx = nullptr, was = nullptr;
	CUresult rc;

#if CUDA_VERSION >= 13000
	rc = cuCtxCreate(&ctx, nullptr, 0, 0);
#else
	rc = cuCtxCreate(&ctx, 0, 0);
#endif
	return rc == CUDA_SUCCESS && ctx &&
	       cuCtxPopCurrent(&was) == CUDA_SUCCESS && was == ctx &&
	       cuCtxDestroy(ctx) == CUDA_SUCCESS;
}

static bool names_from_before_are_there()
{
#if CUDART_VERSION < 13000
	return cudaThreadSynchronize() == cudaSuccess;
#else
	return cudaDeviceSynchronize() == cudaSuccess;
#endif
}

static bool the_runtime_is_of_the_version()
{
	int version = 0;

	return cudaRuntimeGetVersion(&version) == cudaSuccess &&
	       version == CUDART_VERSION;
}

int main()
{
	const size_t len = 1 << 16;
	cudaStream_t stream = nullptr;
	void *managed = nullptr;

	check(the_runtime_is_of_the_version(), "the_runtime_is_of_the_version");
	check(properties_have_the_fields(), "properties_have_the_fields");
	if (cudaMallocManaged(&managed, len) == cudaErrorNotSupported) {
		// A discrete GPU of a Tegra has no managed memory.
		std::printf("1..%d\n", nr_tests);
		return !!nr_failed;
	}
	check(managed && cudaStreamCreate(&stream) == cudaSuccess,
	      "memory_and_stream_are_made");
	check(pointers_have_the_attributes(managed),
	      "pointers_have_the_attributes");
	check(advice_takes_a_place(managed, len, stream),
	      "advice_takes_a_place");
	check(no_stream_is_the_default_one(), "no_stream_is_the_default_one");
	check(copies_go_through(managed), "copies_go_through");
	check(cudaStreamAttachMemAsync(stream, managed) == cudaSuccess &&
	      cudaStreamSynchronize(stream) == cudaSuccess,
	      "default_arguments_are_there");
	check(what_is_missing_says_so(), "what_is_missing_says_so");
	check(the_driver_makes_contexts(), "the_driver_makes_contexts");
	check(names_from_before_are_there(), "names_from_before_are_there");
	check(cudaFree(managed) == cudaSuccess, "memory_goes_back");
	std::printf("1..%d\n", nr_tests);
	return !!nr_failed;
}
