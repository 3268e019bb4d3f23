// SPDX-License-Identifier: GPL-2.0-only
/* Tests of kernels in plain C: registration, launch, errors and attributes */
#include <unistd.h>

#include <cuda_runtime.h>

#include "gate.h"
#include "test.h"

#define LEN(array)	(sizeof(array) / sizeof(*(array)))

struct odd {
	char bytes[3];
};

struct full {
	char bytes[4096 - sizeof(void *)];
};

struct too_much {
	char bytes[4097 - sizeof(void *)];
};

__global__ void store_one(int *to)
{
	*to = 1;
}

CUDA_KERNEL(store_one, int *);

__global__ void nothing(void)
{
}

CUDA_KERNEL(nothing);

__global__ void unknown(int *to)
{
	*to = 1;
}

__global__ void sum_up(double *to, char a, short b, int c, long long d, float e,
		       double f, struct odd g, unsigned char h, long i, int j,
		       int k, int l, int m, int n, int o)
{
	*to = a + b + c + d + e + f + g.bytes[0] + g.bytes[1] + g.bytes[2] + h +
	      i + j + k + l + m + n + o;
}

CUDA_KERNEL(sum_up, double *, char, short, int, long long, float, double,
	    struct odd, unsigned char, long, int, int, int, int, int, int);

__global__ void take_all(char *to, struct full what)
{
	to[threadIdx.x] = what.bytes[threadIdx.x];
}

CUDA_KERNEL(take_all, char *, struct full);

__global__ void take_too_much(char *to, struct too_much what)
{
	to[0] = what.bytes[0];
}

CUDA_KERNEL(take_too_much, char *, struct too_much);

__global__ void turn(int *at)
{
	__shared__ int shared[64];
	const unsigned int own = threadIdx.x;

	shared[own] = at[own];
	__syncthreads();
	at[own] = shared[blockDim.x - 1 - own];
	atomicAdd(&at[64], 1);
	atomicMax(&at[65], (int)own);
}

CUDA_KERNEL(turn, int *);

__global__ void fill_shared(char *to, unsigned int len)
{
	char *shared = heapsim_cu_shared;
	unsigned int i;

	for (i = 0; i < len; i++)
		shared[i] = (char)i;
	*to = shared[len - 1];
}

CUDA_KERNEL(fill_shared, char *, unsigned int);

static int max_active(int *nr, const void *fn, int size, size_t shared)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessor(nr, fn, size,
							     shared);
}

static const dim3 one = { 1, 1, 1 };

static void a_kernel_is_known_by_its_address(void **state)
{
	int *to = common_alloc(sizeof(*to));
	void *args[] = { &to };

	(void)state;
	assert_int_equal(cudaLaunchKernel((void *)store_one, one, one, args, 0,
					  NULL), 0);
	assert_int_equal(cudaDeviceSynchronize(), 0);
	assert_int_equal(*to, 1);
	assert_int_equal(cudaLaunchKernel((void *)nothing, one, one, NULL, 0,
					  NULL), 0);
	assert_int_equal(cudaDeviceSynchronize(), 0);
	common_free(to);
}

static void one_that_is_not_known_is_refused(void **state)
{
	int to;
	void *args[] = { &to };

	(void)state;
	assert_int_equal(cudaLaunchKernel(NULL, one, one, NULL, 0, NULL),
			 cudaErrorInvalidDeviceFunction);
	assert_int_equal(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
	assert_int_equal(cudaLaunchKernel((void *)unknown, one, one, args, 0,
					  NULL),
			 cudaErrorInvalidDeviceFunction);
	assert_int_equal(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
	assert_int_equal(cudaGetLastError(), 0);
}

static void attributes_of_a_launch_are_what_is_so(void **state)
{
	int *to = common_alloc(sizeof(*to));
	void *args[] = { &to };
	cudaLaunchAttribute attrs[] = {
		{ .id = cudaLaunchAttributePriority, .val.priority = -1 },
		{ .id = cudaLaunchAttributeCooperative, .val.cooperative = 0 },
		{ .id = cudaLaunchAttributeClusterDimension,
		  .val.clusterDim = { 1, 1, 1 } },
		{ .id = cudaLaunchAttributeProgrammaticStreamSerialization,
		  .val.programmaticStreamSerializationAllowed = 1 },
	};
	cudaLaunchConfig_t config = {
		.gridDim = one,
		.blockDim = one,
		.attrs = attrs,
		.numAttrs = 4,
	};
	void *const kernel = (void *)store_one;

	(void)state;
	assert_int_equal(cudaLaunchKernelExC(&config, kernel, args), 0);
	assert_int_equal(cudaDeviceSynchronize(), 0);
	assert_int_equal(*to, 1);
	attrs[1].val.cooperative = 1;
	assert_int_equal(cudaLaunchKernelExC(&config, kernel, args),
			 cudaErrorNotSupported);
	attrs[1].id = cudaLaunchAttributeClusterDimension;
	attrs[1].val.clusterDim.x = 2;
	assert_int_equal(cudaLaunchKernelExC(&config, kernel, args),
			 cudaErrorNotSupported);
	config.attrs = NULL;
	assert_int_equal(cudaLaunchKernelExC(&config, kernel, args),
			 cudaErrorInvalidValue);
	assert_int_equal(cudaLaunchKernelExC(NULL, kernel, args),
			 cudaErrorInvalidValue);
	assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
	common_free(to);
}

/* The call in programs with one default stream for each thread */
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config,
				     const void *func, void **args);

static void no_stream_is_the_threads_own_if_so_asked(void **state)
{
	const cudaLaunchConfig_t config = { .gridDim = one, .blockDim = one };
	struct gate gate = { 0 };
	cudaStream_t stream;
	int *to;
	void *args[] = { &to };

	(void)state;
	assert_int_equal(cudaMallocHost((void **)&to, sizeof(*to)), 0);
	*to = 0;
	assert_int_equal(cudaStreamCreate(&stream), 0);
	assert_int_equal(cudaLaunchHostFunc(stream, gate_wait, &gate), 0);
	/* The legacy stream would wait for the other one. */
	assert_int_equal(cudaLaunchKernelExC_ptsz(&config, (void *)store_one,
						  args), 0);
	assert_int_equal(cudaStreamSynchronize(cudaStreamPerThread), 0);
	assert_false(atomic_load(&gate.is_passed));
	assert_int_equal(*to, 1);
	gate_open(&gate);
	assert_int_equal(cudaLaunchKernelExC_ptsz(NULL, (void *)store_one,
						  args), cudaErrorInvalidValue);
	assert_int_equal(cudaStreamDestroy(stream), 0);
	assert_int_equal(cudaDeviceSynchronize(), 0);
	assert_int_equal(cudaFreeHost(to), 0);
}

static void parameters_of_all_sizes_arrive(void **state)
{
	double *to = common_alloc(sizeof(*to));
	char a = 1;
	short b = 2;
	int c = 3, j = 10, k = 11, l = 12, m = 13, n = 14, o = 15;
	long long d = 4;
	float e = 5;
	double f = 6;
	struct odd g = { { 7, 8, 9 } };
	unsigned char h = 200;
	long i = 1L << 33;
	void *args[] = { &to, &a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l,
			 &m, &n, &o };

	(void)state;
	assert_int_equal(cudaLaunchKernel((void *)sum_up, one, one, args, 0,
					  NULL), 0);
	/* The launch has read the arguments already. */
	c = 1000;
	assert_int_equal(cudaDeviceSynchronize(), 0);
	assert_true(*to == 21 + 24 + 200 + (double)(1LL << 33) + 75);
	common_free(to);
}

static void parameters_have_4_kib(void **state)
{
	static struct full full;
	static struct too_much too_much;
	const dim3 block = { 1000, 1, 1 };
	char *to = common_alloc(sizeof(full));
	void *args[] = { &to, &full };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(full.bytes); i++)
		full.bytes[i] = (char)(i * 7);
	assert_int_equal(cudaLaunchKernel((void *)take_all, one, block, args, 0,
					  NULL), 0);
	assert_int_equal(cudaDeviceSynchronize(), 0);
	assert_memory_equal(to, full.bytes, block.x);
	args[1] = &too_much;
	assert_int_equal(cudaLaunchKernel((void *)take_too_much, one, one, args,
					  0, NULL), cudaErrorInvalidValue);
	assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
	common_free(to);
}

static void threads_share_memory_and_wait_in_c_too(void **state)
{
	int *at = common_alloc(66 * sizeof(*at)), i;
	const dim3 block = { 64, 1, 1 };
	void *args[] = { &at };

	(void)state;
	for (i = 0; i < 64; i++)
		at[i] = i;
	assert_int_equal(cudaLaunchKernel((void *)turn, one, block, args, 0,
					  NULL), 0);
	assert_int_equal(cudaDeviceSynchronize(), 0);
	for (i = 0; i < 64; i++)
		assert_int_equal(at[i], 63 - i);
	assert_int_equal(at[64], 64);
	assert_int_equal(at[65], 63);
	common_free(at);
}

static void grids_and_blocks_have_limits(void **state)
{
	static const struct {
		dim3 grid;
		dim3 block;
		bool is_good;
	} tries[] = {
		{ { 1, 1, 1 }, { 1024, 1, 1 }, true },
		{ { 1, 1, 1 }, { 1, 1024, 1 }, true },
		{ { 1, 1, 1 }, { 16, 1, 64 }, true },
		{ { 1, 65535, 1 }, { 1, 1, 1 }, true },
		{ { 1, 1, 65535 }, { 1, 1, 1 }, true },
		{ { 70000, 1, 1 }, { 1, 1, 1 }, true },
		{ { 1, 1, 1 }, { 1025, 1, 1 }, false },
		{ { 1, 1, 1 }, { 1, 1025, 1 }, false },
		{ { 1, 1, 1 }, { 1, 1, 65 }, false },
		{ { 1, 1, 1 }, { 32, 33, 1 }, false },
		{ { 1, 1, 1 }, { 65536, 65536, 1 }, false },
		{ { 1, 65536, 1 }, { 1, 1, 1 }, false },
		{ { 1, 1, 65536 }, { 1, 1, 1 }, false },
		{ { 0x80000000, 1, 1 }, { 1, 1, 1 }, false },
		{ { 0, 1, 1 }, { 1, 1, 1 }, false },
		{ { 1, 0, 1 }, { 1, 1, 1 }, false },
		{ { 1, 1, 0 }, { 1, 1, 1 }, false },
		{ { 1, 1, 1 }, { 0, 1, 1 }, false },
		{ { 1, 1, 1 }, { 1, 0, 1 }, false },
		{ { 1, 1, 1 }, { 1, 1, 0 }, false },
	};
	const cudaError_t bad = cudaErrorInvalidConfiguration;
	size_t i;

	(void)state;
	for (i = 0; i < LEN(tries); i++) {
		assert_int_equal(cudaLaunchKernel((void *)nothing,
						  tries[i].grid,
						  tries[i].block, NULL, 0,
						  NULL),
				 tries[i].is_good ? cudaSuccess : bad);
		assert_int_equal(cudaGetLastError(),
				 tries[i].is_good ? cudaSuccess : bad);
	}
	assert_int_equal(cudaDeviceSynchronize(), 0);
}

static void shared_memory_is_as_long_as_the_board_has_it(void **state)
{
	const int max = own_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
	const enum cudaFuncAttribute wanted =
		cudaFuncAttributeMaxDynamicSharedMemorySize;
	unsigned int len = 48 << 10;
	char *to = common_alloc(1);
	void *args[] = { &to, &len };

	(void)state;
	assert_int_equal(cudaLaunchKernel((void *)fill_shared, one, one, args,
					  len, NULL), 0);
	assert_int_equal(cudaDeviceSynchronize(), 0);
	assert_int_equal(*to, (char)(len - 1));
	assert_int_equal(cudaLaunchKernel((void *)fill_shared, one, one, args,
					  len + 1, NULL),
			 cudaErrorInvalidValue);
	assert_int_equal(cudaFuncSetAttribute((void *)fill_shared, wanted,
					      max + 1), cudaErrorInvalidValue);
	assert_int_equal(cudaFuncSetAttribute((void *)fill_shared, wanted,
					      max), 0);
	len = (unsigned int)max;
	assert_int_equal(cudaLaunchKernel((void *)fill_shared, one, one, args,
					  len, NULL), 0);
	assert_int_equal(cudaLaunchKernel((void *)fill_shared, one, one, args,
					  len + 1, NULL),
			 cudaErrorInvalidValue);
	assert_int_equal(cudaDeviceSynchronize(), 0);
	assert_int_equal(*to, (char)(len - 1));
	assert_int_equal(cudaFuncSetAttribute((void *)unknown, wanted, 0),
			 cudaErrorInvalidDeviceFunction);
	cudaGetLastError();
	common_free(to);
}

static void a_stream_that_is_none_is_refused(void **state)
{
	cudaStream_t stream;

	(void)state;
	assert_int_equal(cudaStreamCreate(&stream), 0);
	assert_int_equal(cudaLaunchKernel((void *)nothing, one, one, NULL, 0,
					  stream), 0);
	assert_int_equal(cudaStreamSynchronize(stream), 0);
	assert_int_equal(cudaStreamDestroy(stream), 0);
	assert_int_equal(cudaLaunchKernel((void *)nothing, one, one, NULL, 0,
					  stream),
			 cudaErrorInvalidResourceHandle);
	cudaGetLastError();
}

static void attributes_are_the_boards(void **state)
{
	struct cudaFuncAttributes attributes;
	const int capability =
		10 * own_attribute(cudaDevAttrComputeCapabilityMajor) +
		own_attribute(cudaDevAttrComputeCapabilityMinor);
	size_t off, size;

	(void)state;
	assert_int_equal(cudaFuncGetAttributes(&attributes, (void *)sum_up), 0);
	assert_int_equal(attributes.maxThreadsPerBlock, 1024);
	assert_int_equal(attributes.binaryVersion, capability);
	assert_int_equal(attributes.maxDynamicSharedSizeBytes, 48 << 10);
	assert_int_equal(cudaFuncGetAttributes(&attributes, (void *)unknown),
			 cudaErrorInvalidDeviceFunction);
	assert_int_equal(cudaFuncGetAttributes(NULL, (void *)sum_up),
			 cudaErrorInvalidValue);
	assert_int_equal(cudaFuncGetParamInfo((void *)sum_up, 4, &off, &size),
			 0);
	assert_int_equal(off, 16);
	assert_int_equal(size, sizeof(long long));
	assert_int_equal(cudaFuncGetParamInfo((void *)sum_up, 16, &off, &size),
			 cudaErrorInvalidValue);
	assert_int_equal(cudaFuncSetCacheConfig((void *)sum_up,
						cudaFuncCachePreferL1), 0);
	assert_int_equal(cudaFuncSetCacheConfig((void *)unknown,
						cudaFuncCachePreferL1),
			 cudaErrorInvalidDeviceFunction);
	cudaGetLastError();
}

static void occupancy_is_what_a_processor_has_room_for(void **st)
{
	const int threads =
		own_attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
	const int blocks = own_attribute(cudaDevAttrMaxBlocksPerMultiprocessor);
	int nr;

	(void)st;
	assert_int_equal(max_active(&nr, nothing, 256, 0), 0);
	assert_int_equal(nr, threads / 256);
	assert_int_equal(max_active(&nr, nothing, 33, 0), 0);
	assert_int_equal(nr, threads / 64 < blocks ? threads / 64 : blocks);
	assert_int_equal(max_active(&nr, nothing, 1, 40000), 0);
	assert_in_range(nr, 1, 5);
	assert_int_equal(max_active(&nr, nothing, 0, 0), cudaErrorInvalidValue);
	assert_int_equal(max_active(&nr, unknown, 1, 0),
			 cudaErrorInvalidDeviceFunction);
	cudaGetLastError();
}

static void limits_are_kept(void **state)
{
	static const struct {
		enum cudaLimit limit;
		size_t value;
	} first[] = {
		{ cudaLimitStackSize, 1024 },
		{ cudaLimitMallocHeapSize, 8 << 20 },
		{ cudaLimitDevRuntimePendingLaunchCount, 2048 },
	};
	enum cudaFuncCache cache;
	size_t value, i;

	(void)state;
	for (i = 0; i < LEN(first); i++) {
		assert_int_equal(cudaDeviceGetLimit(&value, first[i].limit), 0);
		assert_int_equal(value, first[i].value);
		assert_int_equal(cudaDeviceSetLimit(first[i].limit,
						    2 * value), 0);
		assert_int_equal(cudaDeviceGetLimit(&value, first[i].limit), 0);
		assert_int_equal(value, 2 * first[i].value);
	}
	assert_int_equal(cudaDeviceGetLimit(&value, (enum cudaLimit)99),
			 cudaErrorInvalidValue);
	assert_int_equal(cudaDeviceSetLimit((enum cudaLimit)99, 1),
			 cudaErrorInvalidValue);
	assert_int_equal(cudaDeviceSetLimit(cudaLimitStackSize, 1UL << 40),
			 cudaErrorInvalidValue);
	assert_int_equal(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1), 0);
	assert_int_equal(cudaDeviceGetCacheConfig(&cache), 0);
	assert_int_equal(cache, cudaFuncCachePreferL1);
	assert_int_equal(cudaDeviceSetCacheConfig((enum cudaFuncCache)9),
			 cudaErrorInvalidValue);
	cudaGetLastError();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kernel_is_known_by_its_address),
		cmocka_unit_test(one_that_is_not_known_is_refused),
		cmocka_unit_test(attributes_of_a_launch_are_what_is_so),
		cmocka_unit_test(no_stream_is_the_threads_own_if_so_asked),
		cmocka_unit_test(parameters_of_all_sizes_arrive),
		cmocka_unit_test(parameters_have_4_kib),
		cmocka_unit_test(threads_share_memory_and_wait_in_c_too),
		cmocka_unit_test(grids_and_blocks_have_limits),
		cmocka_unit_test(shared_memory_is_as_long_as_the_board_has_it),
		cmocka_unit_test(a_stream_that_is_none_is_refused),
		cmocka_unit_test(attributes_are_the_boards),
		cmocka_unit_test(occupancy_is_what_a_processor_has_room_for),
		cmocka_unit_test(limits_are_kept),
	};

	return cmocka_run_group_tests_name("launch", tests, NULL, NULL);
}
