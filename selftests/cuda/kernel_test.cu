// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of kernels in a .cu file that heapsim-cu has built: thread indices,
 * shared memory, barriers, atomics, variables in device memory, and errors of
 * kernels. An error that ends all work of a process is caused in another one:
 * this program, with the error's name as its argument.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "libmem.h"
#include "test.h"

#define LEN(array)	(sizeof(array) / sizeof(*(array)))
#define LAUNCH_TWICE(k, ...)	do { \
		k<<<1, 1>>>(__VA_ARGS__); \
		k<<<1, 1>>>(__VA_ARGS__); \
	} while (0)

/* Allocate memory that CPU and GPU can access. */
template <class T> static T *common(size_t nr)
{
	return static_cast<T *>(common_alloc(nr * sizeof(T)));
}

static void done(void)
{
	assert_int_equal(cudaGetLastError(), 0);
	assert_int_equal(cudaDeviceSynchronize(), 0);
}

/* Threads and blocks */

__global__ void number(unsigned int *to)
{
	unsigned int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x +
			     blockIdx.x;
	unsigned int thread = (threadIdx.z * blockDim.y + threadIdx.y) *
			      blockDim.x + threadIdx.x;
	unsigned int nr = blockDim.x * blockDim.y * blockDim.z;

	to[block * nr + thread] += block * nr + thread + 1;
}

static void each_thread_knows_its_place(void **)
{
	const dim3 grid(3, 2, 4), block(5, 4, 3);
	const unsigned int nr = 3 * 2 * 4 * 5 * 4 * 3;
	unsigned int *to = common<unsigned int>(nr);

	number<<<grid, block>>>(to);
	done();
	for (unsigned int i = 0; i < nr; i++)
		assert_int_equal(to[i], i + 1);
	common_free(to);
}

__global__ void count(unsigned long long *nr, unsigned int *last)
{
	if (!threadIdx.x) {
		atomicAdd(nr, 1ULL);
		atomicMax(last, blockIdx.x);
	}
}

static void grids_may_be_large(void **)
{
	unsigned long long *nr;
	unsigned int *last;
	unsigned long long got;
	unsigned int got_last;

	assert_int_equal(cudaMalloc(&nr, sizeof(*nr)), 0);
	assert_int_equal(cudaMalloc(&last, sizeof(*last)), 0);
	assert_int_equal(cudaMemset(nr, 0, sizeof(*nr)), 0);
	assert_int_equal(cudaMemset(last, 0, sizeof(*last)), 0);
	count<<<200000, 2>>>(nr, last);
	done();
	cudaMemcpy(&got, nr, sizeof(got), cudaMemcpyDeviceToHost);
	cudaMemcpy(&got_last, last, sizeof(got_last), cudaMemcpyDefault);
	assert_int_equal(got, 200000);
	assert_int_equal(got_last, 199999);
	assert_int_equal(cudaFree(nr), 0);
	assert_int_equal(cudaFree(last), 0);
}

/* volatile keeps the compiler from assuming the alignment. */
__global__ void look_at_stack(unsigned int *wrong)
{
	alignas(16) char on_stack[16];
	char *volatile at = on_stack;

	if ((uintptr_t)at % 16)
		atomicAdd(wrong, 1u);
	__syncthreads();
	if ((uintptr_t)at % 16)
		atomicAdd(wrong, 1u);
}

static void stacks_are_aligned(void **)
{
	unsigned int *wrong, got = 1;

	assert_int_equal(cudaMalloc(&wrong, sizeof(*wrong)), 0);
	assert_int_equal(cudaMemset(wrong, 0, sizeof(*wrong)), 0);
	look_at_stack<<<2, 40>>>(wrong);
	done();
	cudaMemcpy(&got, wrong, sizeof(got), cudaMemcpyDeviceToHost);
	assert_int_equal(got, 0);
	assert_int_equal(cudaFree(wrong), 0);
}

/* Barriers and shared memory */

template <int N> __global__ void reduce(const int *from, int *to)
{
	__shared__ int shared[N];
	const int own = threadIdx.x;

	shared[own] = from[blockIdx.x * N + own];
	for (int left = N / 2; left; left /= 2) {
		__syncthreads();
		if (own < left)
			shared[own] += shared[own + left];
	}
	if (!own)
		to[blockIdx.x] = shared[0];
}

static void barriers_hold_in_loops(void **)
{
	const int nr = 8;
	int *from = common<int>(nr * 1024), *to = common<int>(nr);
	int want[nr] = {};

	for (int i = 0; i < nr * 1024; i++) {
		from[i] = i * 37 % 101;
		want[i / 1024] += from[i];
	}
	reduce<1024><<<nr, 1024>>>(from, to);
	done();
	assert_memory_equal(to, want, sizeof(want));
	common_free(from);
	common_free(to);
}

__global__ void leave_early(int *seen, int rounds)
{
	extern __shared__ int at[];

	at[threadIdx.x] = 0;
	__syncthreads();
	for (int i = 0; i < rounds; i++) {
		/* Each round, the highest remaining thread returns. */
		if ((int)threadIdx.x >= (int)blockDim.x - i)
			return;
		at[threadIdx.x]++;
		__syncthreads();
		if (!threadIdx.x) {
			seen[i] = 0;
			for (unsigned int k = 0; k < blockDim.x; k++)
				seen[i] += at[k];
		}
		__syncthreads();
	}
}

static void who_has_returned_is_not_waited_for(void **)
{
	const int nr = 50, rounds = 40;
	int *seen = common<int>(rounds), sum = 0;

	leave_early<<<1, nr, nr * sizeof(int)>>>(seen, rounds);
	done();
	for (int i = 0; i < rounds; i++) {
		sum += nr - i;
		assert_int_equal(seen[i], sum);
	}
	common_free(seen);
}

__global__ void vote(int *to)
{
	const int own = threadIdx.x;

	if (own == 99)
		return;
	const int nr = __syncthreads_count(own % 3 == 0);
	const int all = __syncthreads_and(own < 99);
	const int not_all = __syncthreads_and(own < 98);
	const int any = __syncthreads_or(own == 5);
	const int none = __syncthreads_or(own == 99);

	to[own] = nr * 16 + all * 8 + not_all * 4 + any * 2 + none;
}

static void barriers_count_what_threads_say(void **)
{
	int *to = common<int>(100);

	vote<<<1, 100>>>(to);
	done();
	for (int i = 0; i < 99; i++)
		assert_int_equal(to[i], 33 * 16 + 8 + 2);
	assert_int_equal(to[99], 0);
	common_free(to);
}

extern __shared__ unsigned char of_file[];

__device__ static unsigned int sum_of_file(unsigned int len)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < len; i++)
		sum += of_file[i];
	return sum;
}

__global__ void share(unsigned int *to)
{
	extern __shared__ __align__(16) unsigned short rows[][4];
	__shared__ volatile unsigned int mark;

	if (!threadIdx.x)
		mark = blockIdx.x;
	rows[threadIdx.x][0] = 1;
	rows[threadIdx.x][1] = rows[threadIdx.x][2] = 0;
	rows[threadIdx.x][3] = (unsigned short)(blockIdx.x % 7);
	__syncthreads();
	if (threadIdx.x == blockDim.x - 1)
		to[blockIdx.x] = sum_of_file(blockDim.x * 8) + 1000 * mark;
}

static void shared_memory_is_a_blocks_own(void **)
{
	const unsigned int nr = 500;
	unsigned int *to = common<unsigned int>(nr);

	share<<<nr, 64, 64 * 8>>>(to);
	done();
	for (unsigned int i = 0; i < nr; i++)
		assert_int_equal(to[i], 64 * (1 + i % 7) + 1000 * i);
	common_free(to);
}

/* Launches that are difficult to translate */

__global__ void put(int *to, int value)
{
	*to = value;
}

__global__ void put(float *to, float value)
{
	*to = 2 * value;
}

template <class T, int K> __global__ void scale(T *to, const T, int n)
{
	if ((int)threadIdx.x < n)
		to[threadIdx.x] *= K;
}

template <class T, int K>
__global__ void add_restricted(T *__restrict__ to,
			       const T *const __restrict__ from)
{
	*to += *from + K;
}

template <class T> __global__ void by_default(T *to, T value = T(7))
{
	*to += value;
}

template <class F> __global__ void apply(F f, int *to)
{
	to[threadIdx.x] = f((int)threadIdx.x);
}

template <class... T> __global__ void sum(double *to, T... values)
{
	const double all[] = { (double)values... };

	*to = 0;
	for (double value : all)
		*to += value;
}

namespace inner {
struct pair {
	short a;
	double b;
};

__global__ void take(double *to, pair, const pair value, int (*)(int))
{
	*to = value.a + value.b;
}
}

static int launched;

static int launch_and_say(int *to, int value)
{
	launched++;
	put<<<1, 1>>>(to, value);
	return value + 1;
}

static void overloads_templates_and_conversions_are_cplusplus(void **)
{
	int *i = common<int>(8);
	float *f = common<float>(1);
	double *d = common<double>(1);
	const int n = 3, offset = 5;
	dim3 grids[2] = { dim3(1), dim3(2) };
	void (*fn)(int *, int) = put;

	put<<<1, 1>>>(i, 'a');
	put<<<1, 1>>>(f, 3);
	done();
	assert_int_equal(i[0], 'a');
	assert_true(*f == 6);
	i[0] = 1, i[1] = 2, i[2] = 3, i[3] = 4;
	done();
	scale<int, (4 > 3 ? 10 : 20)><<<grids[0], dim3(n + 1, 1)>>>(i, *i, n);
	done();
	assert_int_equal(i[0] + i[1] + i[2] + i[3], 10 + 20 + 30 + 4);
	add_restricted<int, 2><<<1, 1>>>(i, i + 1);
	done();
	assert_int_equal(i[0], 10 + 20 + 2);
	by_default<<<1, 1, 0, 0>>>(d);
	by_default<<<1, 1>>>(d, 0.5);
	LAUNCH_TWICE(by_default, d, 1.0);
	done();
	assert_true(*d == 9.5);
	apply<<<1, 8>>>([=] __device__ (int x) { return x * x + offset; }, i);
	done();
	assert_int_equal(i[7], 54);
	sum<<<1, 1>>>(d, 1, 2.5f, (char)3, 4ULL);
	done();
	assert_true(*d == 10.5);
	inner::take<<<1, 1>>>(d, { 1, 1 }, { 2, 0.25 }, nullptr);
	done();
	assert_true(*d == 2.25);
	(*fn)<<<1, 1>>>(i, 77);
	done();
	assert_int_equal(i[0], 77);
	/* A launch within the arguments of another */
	put<<<1, 1>>>(i, launch_and_say(i + 1, 41));
	done();
	assert_int_equal(launched, 1);
	assert_int_equal(i[0], 42);
	assert_int_equal(i[1], 41);
	common_free(i);
	common_free(f);
	common_free(d);
}

/* Constructors run on the host only; each thread gets a copy of the bytes. */
class counted {
public:
	explicit counted(int its_value) : value(its_value)
	{
	}

	counted(const counted &other) : value(other.value + 1)
	{
		nr_copies++;
	}

	~counted()
	{
		nr_ended++;
	}

	__device__ int next()
	{
		return value++;
	}

	static int nr_copies, nr_ended;

private:
	int value;
};

int counted::nr_copies, counted::nr_ended;

__global__ void copy_class(int *to, counted it, inner::pair second)
{
	second.a += (short)it.next();
	to[threadIdx.x] = it.next() * 100 + second.a;
}

template <class T> __global__ void refer(T &to, const T &from)
{
	to += from;
}

static void objects_are_copied_on_the_host_once(void **)
{
	int *to = common<int>(64);
	const counted it(3);
	const inner::pair second = { 7, 0 };
	cudaLaunchConfig_t config = {};

	copy_class<<<1, 64>>>(to, it, second);
	assert_int_equal(counted::nr_copies, 1);
	assert_int_equal(counted::nr_ended, 1);
	done();
	for (int i = 0; i < 64; i++)
		assert_int_equal(to[i], 511);
	config.gridDim = 1;
	config.blockDim = 2;
	assert_int_equal(cudaLaunchKernelEx(&config, copy_class, to, it,
					    second), 0);
	assert_int_equal(counted::nr_copies, counted::nr_ended);
	done();
	assert_int_equal(to[1], 511);
	common_free(to);
}

static void references_are_addresses(void **)
{
	int *to = common<int>(2);
	cudaLaunchConfig_t config = {};

	to[0] = 3;
	to[1] = 4;
	refer<<<1, 1>>>(to[0], to[1]);
	done();
	assert_int_equal(to[0], 7);
	config.gridDim = config.blockDim = 1;
	assert_int_equal(cudaLaunchKernelEx(&config, refer<int>, to[0], to[1]),
			 0);
	done();
	assert_int_equal(to[0], 11);
	common_free(to);
}

static void launches_say_what_is_wrong_with_them(void **)
{
	int *to = common<int>(1);

	put<<<0, 1>>>(to, 1);
	assert_int_equal(cudaGetLastError(), cudaErrorInvalidConfiguration);
	put<<<1, 1025>>>(to, 1);
	assert_int_equal(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
	assert_int_equal(cudaGetLastError(), cudaErrorInvalidConfiguration);
	put<<<1, 1, 49153>>>(to, 1);
	assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
	done();
	assert_int_equal(*to, 0);
	common_free(to);
}

static void a_kernels_type_is_enough_for_cudalaunchkernel(void **)
{
	int *to = common<int>(1), value = 5, blocks = 0, size = 0, nr = 0;
	void *args[] = { &to, &value };
	void (*fn)(int *, int) = put;
	cudaFuncAttributes attributes;

	assert_int_equal(cudaLaunchKernel(fn, 1, 1, args), 0);
	done();
	assert_int_equal(*to, 5);
	value = 6;
	assert_int_equal(cudaLaunchKernel((void *)fn, dim3(1), dim3(1), args, 0,
					  0), 0);
	done();
	assert_int_equal(*to, 6);
	assert_int_equal(cudaFuncGetAttributes(&attributes, fn), 0);
	assert_int_equal(cudaOccupancyMaxPotentialBlockSize(&blocks, &size,
							    reduce<1024>), 0);
	assert_int_equal(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
				 &nr, reduce<1024>, size, 0), 0);
	assert_in_range(size, 512, 1024);
	assert_in_range(nr, 1, 4);
	assert_int_equal(blocks % nr, 0);
	assert_int_equal(cudaLaunchCooperativeKernel(fn, 1, 1, args),
			 cudaErrorNotSupported);
	assert_int_equal(cudaGetLastError(), cudaErrorNotSupported);
	common_free(to);
}

/* Atomics and numbers */

struct totals {
	int add, sub, exch, min, max, cas, all, any, parity;
	unsigned int inc, dec;
	unsigned long long add64, max64;
	float addf;
	double addd;
};

__global__ void use_atomics(totals *to)
{
	const int own = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	int old;

	atomicAdd(&to->add, own);
	atomicSub(&to->sub, 2);
	atomicExch(&to->exch, own);
	atomicMin(&to->min, -own);
	atomicMax(&to->max, own);
	atomicAnd(&to->all, ~(1 << own % 8));
	atomicOr(&to->any, 1 << own % 16);
	atomicXor(&to->parity, 3);
	atomicInc(&to->inc, 9);
	atomicDec(&to->dec, 9);
	atomicAdd(&to->add64, 1ULL << 33);
	atomicMax(&to->max64, (unsigned long long)own << 32);
	atomicAdd_block(&to->addf, 0.5f);
	atomicAdd(&to->addd, 0.25);
	do {
		old = to->cas;
	} while (atomicCAS(&to->cas, old, old + 3) != old);
}

static void atomics_lose_nothing(void **)
{
	const int nr = 100 * 64;
	totals *to;
	totals got = {}, *device;

	got.all = 0xfff;
	got.exch = -1;
	assert_int_equal(cudaMalloc(&to, sizeof(*to)), 0);
	device = to;
	cudaMemcpy(device, &got, sizeof(got), cudaMemcpyHostToDevice);
	use_atomics<<<100, 64>>>(device);
	done();
	cudaMemcpy(&got, device, sizeof(got), cudaMemcpyDeviceToHost);
	assert_int_equal(got.add, nr * (nr - 1) / 2);
	assert_int_equal(got.sub, -2 * nr);
	assert_in_range(got.exch, 0, nr - 1);
	assert_int_equal(got.min, 1 - nr);
	assert_int_equal(got.max, nr - 1);
	assert_int_equal(got.cas, 3 * nr);
	assert_int_equal(got.all, 0xf00);
	assert_int_equal(got.any, 0xffff);
	assert_int_equal(got.parity, 0);
	assert_int_equal(got.inc, 0);
	assert_int_equal(got.dec, 0);
	assert_true(got.add64 == (unsigned long long)nr << 33);
	assert_true(got.max64 == (unsigned long long)(nr - 1) << 32);
	assert_true(got.addf == nr / 2.0f);
	assert_true(got.addd == nr / 4.0);
	assert_int_equal(cudaFree(to), 0);
}

__global__ void compute(unsigned int *to, int x, float f)
{
	*to++ = __popc(0xf0f0) + __popcll(~0ULL);
	*to++ = __clz(x) * 100 + __clz(0);
	*to++ = __ffs(x) * 100 + __ffs(0);
	*to++ = __brev(1) >> 31;
	*to++ = __umul24(0xff000003, 5);
	*to++ = (unsigned int)__mul24(-3, 7);
	*to++ = __umulhi(0x80000000, 6);
	*to++ = __byte_perm(0x33221100, 0x77665544, 0x7250);
	*to++ = (unsigned int)__float2int_rz(-2.7f);
	*to++ = __float_as_uint(__uint_as_float(0x40490fdb));
	*to++ = (unsigned int)(__fmul_rn(f, 2) + fminf(f, 1) + max(2, x));
	*to++ = (unsigned int)(1000 * rsqrtf(f * f));
	*to++ = (unsigned int)(1000 * __expf(0) + 100 * __cosf(0));
	*to = min(3u, 4u) + __ldg(to - 1), to++;
	*to++ = __funnelshift_l(0x80000000, 1, 1);
	*to++ = (unsigned int)__float2int_rn(1e20f);
}

static void functions_of_numbers_are_cudas(void **)
{
	const unsigned int want[] = {
		8 + 64, 2800 + 32, 400, 1, 15, (unsigned int)-21, 3, 0x77225500,
		(unsigned int)-2, 0x40490fdb, 4 + 1 + 8, 500, 1100, 1103, 3,
		0x7fffffff,
	};
	unsigned int *to = common<unsigned int>(LEN(want));

	compute<<<1, 1>>>(to, 8, 2);
	done();
	for (size_t i = 0; i < LEN(want); i++)
		assert_int_equal(to[i], want[i]);
	common_free(to);
}

/* Variables */

extern __device__ int plain;
__device__ int plain = 5, list[4] = { 1, 2, 3, 4 };
static __constant__ float factors[] = { 0.5f, 2 };
__managed__ unsigned int both = 9;
namespace inner {
__device__ pair a_pair = { 1, 2 };
__device__ const int fixed = 11;
}
static __device__ int *to_list;
static __device__ volatile int seen;
constexpr __device__ int known = 3;

__global__ void use_variables(float *to)
{
	plain++;
	list[threadIdx.x] += known;
	to_list = &list[1];
	inner::a_pair.b += inner::fixed;
	seen = list[0];
	*to = factors[0] + factors[1];
}

__global__ void use_managed(void)
{
	both++;
}

static void managed_variables_are_both_sides(void **)
{
	if (!has_managed())
		skip_because("the board has no managed memory");
	both = 20;
	use_managed<<<1, 1>>>();
	done();
	assert_int_equal(both, 21);
}

static void variables_are_the_devices(void **)
{
	float *to = common<float>(1);
	const float other[] = { 3, 4 };
	int got[4], *at, *again, last;
	size_t size;
	double b;

	use_variables<<<1, 1>>>(to);
	done();
	assert_true(*to == 2.5f);
	assert_int_equal(cudaMemcpyFromSymbol(got, plain, sizeof(int)), 0);
	assert_int_equal(got[0], 6);
	assert_int_equal(cudaMemcpyFromSymbol(got, list, sizeof(got)), 0);
	assert_int_equal(got[0] * 1000 + got[1] * 100 + got[2] * 10 + got[3],
			 4234);
	assert_int_equal(cudaMemcpyFromSymbol(&b, inner::a_pair, sizeof(b),
					      offsetof(inner::pair, b)), 0);
	assert_true(b == 13);
	assert_int_equal(cudaGetSymbolAddress((void **)&at, list), 0);
	assert_int_equal(cudaMemcpyFromSymbol(&again, to_list, sizeof(again)),
			 0);
	assert_ptr_equal(again, at + 1);
	assert_int_equal(cudaMemcpyFromSymbol(&last, seen, sizeof(last)), 0);
	assert_int_equal(last, 4);
	assert_int_equal(cudaGetSymbolSize(&size, list), 0);
	assert_int_equal(size, sizeof(got));
	assert_int_equal(cudaMemcpyToSymbol(factors, other, sizeof(other)), 0);
	assert_int_equal(cudaMemcpyToSymbol(list, got, sizeof(int), 8), 0);
	assert_int_equal(cudaMemcpy(got, at, sizeof(got),
				    cudaMemcpyDeviceToHost), 0);
	assert_int_equal(got[2], 4);
	use_variables<<<1, 1>>>(to);
	done();
	assert_true(*to == 7);
	common_free(to);
}

static void symbols_are_checked(void **)
{
	static int of_the_host;
	int got[5];
	void *at;

	assert_int_equal(cudaMemcpyFromSymbol(got, list, 17),
			 cudaErrorInvalidValue);
	assert_int_equal(cudaMemcpyFromSymbol(got, list, 4, 13),
			 cudaErrorInvalidValue);
	assert_int_equal(cudaMemcpyFromSymbol(got, of_the_host, 4),
			 cudaErrorInvalidSymbol);
	assert_int_equal(cudaGetSymbolAddress(&at, of_the_host),
			 cudaErrorInvalidSymbol);
	assert_int_equal(cudaMemcpyToSymbol(list, got, 4, 0,
					    cudaMemcpyDeviceToHost),
			 cudaErrorInvalidMemcpyDirection);
	assert_int_equal(cudaGetSymbolAddress(&at, list), 0);
	cudaGetLastError();
	assert_int_equal(cudaFree(at), cudaErrorInvalidValue);
	cudaGetLastError();
}

static void a_reset_gives_variables_their_first_value(void **)
{
	const int value = 99;
	int got, *before, *after;

	assert_int_equal(cudaGetSymbolAddress((void **)&before, plain), 0);
	assert_int_equal(cudaMemcpyToSymbol(plain, &value, sizeof(value)), 0);
	assert_int_equal(cudaDeviceSynchronize(), 0);
	both = 1;
	assert_int_equal(cudaDeviceReset(), 0);
	assert_int_equal(cudaGetSymbolAddress((void **)&after, plain), 0);
	assert_ptr_equal(before, after);
	assert_int_equal(cudaMemcpyFromSymbol(&got, plain, sizeof(got)), 0);
	assert_int_equal(got, 5);
	assert_int_equal(both, 9);
}

/* Registered memory */

__global__ void twice(float *values)
{
	values[threadIdx.x] *= 2;
}

/* The process that runs kernels is started after the vectors' allocation. */
static void small_vectors_can_be_registered(void **)
{
	std::vector<std::vector<float>> vectors(9, {1.5f});
	cudaError_t err;
	float *device;

	assert_int_equal(cudaDeviceReset(), 0);
	for (size_t i = 0; i < vectors.size(); i++) {
		std::vector<float> &values = vectors[i];

		values.resize(16UL << i, 1.5f);
		err = cudaHostRegister(values.data(),
				       values.size() * sizeof(float),
				       cudaHostRegisterMapped);
		if (err == cudaErrorNotSupported) {
			cudaGetLastError();
			skip_because("the board registers no memory");
		}
		assert_int_equal(err, 0);
		assert_int_equal(cudaHostGetDevicePointer((void **)&device,
							  values.data(), 0), 0);
		twice<<<1, 16>>>(device);
		done();
		assert_true(values[15] == 3);
		assert_int_equal(cudaHostUnregister(values.data()), 0);
		assert_int_equal(cudaDeviceReset(), 0);
	}
}

/* How kernels fail */

__global__ void store(int *to)
{
	*to = 1;
}

__global__ void run_out_of_stack(int *to, int depth)
{
	volatile char frame[3000];

	frame[depth % 3000] = 1;
	if (depth) {
		void (*volatile deeper)(int *, int) = run_out_of_stack;

		deeper(to, depth - 1);
	}
	*to = frame[depth % 3000];
}

__global__ void store_behind_barrier(void)
{
	__syncthreads();
	if (threadIdx.x == 100)
		*(volatile int *)nullptr = 1;
	__syncthreads();
}

__global__ void say_wrong(void)
{
	assert(threadIdx.x < 31);
}

__global__ void trap(void)
{
	__trap();
}

__global__ void launch_another(void)
{
	trap<<<1, 1>>>();
}

__global__ void add_with_cpu(int *to)
{
	atomicAdd_system(to, 1);
}

static int of_the_program;
static mem_ctx *watching;
static cudaEvent_t event;
static cudaStream_t stream;

static void watch(void)
{
	if (mem_ctx_open(NULL, &watching) ||
	    mem_ctx_watch(watching, MEM_WATCH_ERRORS, 16) ||
	    cudaEventCreate(&event) || cudaStreamCreate(&stream))
		exit(90);
}

/* Return: the exit code, which is 0 if the violation names the kernel. */
static int found(mem_violation_kind kind, const void *kernel, const char *name)
{
	mem_violation what = {};

	what.size = sizeof(what);
	if (mem_ctx_next_violation(watching, &what) != 1)
		return 91;
	if (what.kind != (uint32_t)kind)
		return 92;
	if (what.other_kernel != (uintptr_t)kernel)
		return 93;
	return !name || !strcmp(what.name, name) ? 0 : 94;
}

/* All later calls return the same error, which the context keeps. */
static int ends_with(cudaError_t err)
{
	cudaStream_t other;
	size_t len;
	void *ptr;

	return cudaDeviceSynchronize() == err && cudaGetLastError() == err &&
	       cudaPeekAtLastError() == cudaSuccess &&
	       cudaDeviceSynchronize() == err && cudaMalloc(&ptr, 1) == err &&
	       cudaStreamCreate(&other) == err && cudaFree(NULL) == err &&
	       cudaMemGetInfo(&len, &len) == err &&
	       cudaEventDestroy(event) == err &&
	       cudaEventDestroy(event) == cudaErrorInvalidResourceHandle &&
	       cudaStreamDestroy(stream) == err &&
	       cudaStreamDestroy(stream) == cudaErrorInvalidResourceHandle &&
	       cudaStreamQuery(cudaStreamLegacy) == err &&
	       cudaDeviceReset() == err && cudaMalloc(&ptr, 1) == err &&
	       cudaGetLastError() == err;
}

static int fail_illegal(void)
{
	/* On such a board the GPU can access the program's memory. */
	const bool has_all = own_attribute(cudaDevAttrPageableMemoryAccess);

	watch();
	store<<<1, 1>>>(has_all ? nullptr : &of_the_program);
	if (!ends_with(cudaErrorIllegalAddress))
		return 1;
	return found(MEM_VIOLATION_ILLEGAL_ADDRESS, (const void *)store,
		     has_all ? "nothing" : "variable of the host");
}

/* One thread of many fails after a barrier, and another kernel follows. */
static int fail_behind_barrier(void)
{
	watch();
	store_behind_barrier<<<64, 256>>>();
	if (!ends_with(cudaErrorIllegalAddress))
		return 1;
	return found(MEM_VIOLATION_ILLEGAL_ADDRESS,
		     (const void *)store_behind_barrier, "nothing");
}

static int fail_stack(void)
{
	int *to;

	watch();
	cudaMalloc(&to, sizeof(*to));
	run_out_of_stack<<<1, 1>>>(to, 10);
	if (cudaDeviceSynchronize())
		return 2;
	run_out_of_stack<<<1, 1>>>(to, 100);
	if (!ends_with(cudaErrorIllegalAddress))
		return 1;
	return found(MEM_VIOLATION_ILLEGAL_ADDRESS,
		     (const void *)run_out_of_stack,
		     "end of the kernel's stack");
}

static int more_stack(void)
{
	int *to;

	if (cudaDeviceSetLimit(cudaLimitStackSize, 1 << 20))
		return 2;
	cudaMalloc(&to, sizeof(*to));
	run_out_of_stack<<<1, 1>>>(to, 100);
	return cudaDeviceSynchronize();
}

static int fail_trap(void)
{
	watch();
	trap<<<1, 1>>>();
	if (!ends_with(cudaErrorLaunchFailure))
		return 1;
	return found(MEM_VIOLATION_FAILED_KERNEL, (const void *)trap, NULL);
}

static int fail_assert(void)
{
	watch();
	say_wrong<<<1, 32>>>();
	if (!ends_with(cudaErrorAssert))
		return 1;
	return found(MEM_VIOLATION_FAILED_KERNEL, (const void *)say_wrong,
		     NULL);
}

/* Redirect stderr, also of engines, to a file in memory. */
static int keep_stderr(void)
{
	const int fd = memfd_create("stderr", 0);

	return fd >= 0 && dup2(fd, STDERR_FILENO) >= 0 ? fd : -1;
}

static bool is_kept(int fd, const char *wanted)
{
	char text[1000] = "";

	return pread(fd, text, sizeof(text) - 1, 0) > 0 &&
	       strstr(text, wanted);
}

/* Dynamic parallelism is not supported, and is reported. */
static int fail_nested(void)
{
	const int fd = keep_stderr();

	watch();
	launch_another<<<1, 1>>>();
	if (!ends_with(cudaErrorLaunchFailure))
		return 1;
	if (!is_kept(fd, "dynamic parallelism"))
		return 2;
	return found(MEM_VIOLATION_FAILED_KERNEL, (const void *)launch_another,
		     NULL);
}

static int system_atomics(void)
{
	const int capability =
		10 * own_attribute(cudaDevAttrComputeCapabilityMajor) +
		own_attribute(cudaDevAttrComputeCapabilityMinor);
	const int fd = keep_stderr();
	int *to;

	cudaMalloc(&to, sizeof(*to));
	watch();
	add_with_cpu<<<1, 1>>>(to);
	if (capability >= 72)
		return cudaDeviceSynchronize();
	if (!ends_with(cudaErrorLaunchFailure))
		return 1;
	if (!is_kept(fd, "_system"))
		return 2;
	return found(MEM_VIOLATION_FAILED_KERNEL, (const void *)add_with_cpu,
		     NULL);
}

/* The host has no access to device memory, and gets SIGBUS. */
static int touch_variable(void)
{
	return *(volatile int *)&plain;
}

static const struct {
	const char *name;
	int (*run)(void);
	int status;
} alone[] = {
	{ "illegal", fail_illegal, 0 },
	{ "barrier", fail_behind_barrier, 0 },
	{ "stack", fail_stack, 0 },
	{ "more-stack", more_stack, 0 },
	{ "trap", fail_trap, 0 },
	{ "assert", fail_assert, 0 },
	{ "nested", fail_nested, 0 },
	{ "system-atomics", system_atomics, 0 },
	{ "touch-variable", touch_variable, SIGBUS },
};

static void kernels_that_fail_are_named(void **)
{
	for (size_t i = 0; i < LEN(alone); i++) {
		int status;
		pid_t child;

		child = fork();
		if (!child) {
			execl("/proc/self/exe", "kernel_test", alone[i].name,
			      (char *)NULL);
			_exit(127);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		if (status != alone[i].status)
			print_error("%s: status %#x\n", alone[i].name, status);
		assert_int_equal(status, alone[i].status);
	}
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_thread_knows_its_place),
		cmocka_unit_test(grids_may_be_large),
		cmocka_unit_test(stacks_are_aligned),
		cmocka_unit_test(barriers_hold_in_loops),
		cmocka_unit_test(who_has_returned_is_not_waited_for),
		cmocka_unit_test(barriers_count_what_threads_say),
		cmocka_unit_test(shared_memory_is_a_blocks_own),
		cmocka_unit_test(
			overloads_templates_and_conversions_are_cplusplus),
		cmocka_unit_test(objects_are_copied_on_the_host_once),
		cmocka_unit_test(references_are_addresses),
		cmocka_unit_test(launches_say_what_is_wrong_with_them),
		cmocka_unit_test(a_kernels_type_is_enough_for_cudalaunchkernel),
		cmocka_unit_test(atomics_lose_nothing),
		cmocka_unit_test(functions_of_numbers_are_cudas),
		cmocka_unit_test(managed_variables_are_both_sides),
		cmocka_unit_test(variables_are_the_devices),
		cmocka_unit_test(symbols_are_checked),
		cmocka_unit_test(a_reset_gives_variables_their_first_value),
		cmocka_unit_test(small_vectors_can_be_registered),
		cmocka_unit_test(kernels_that_fail_are_named),
	};

	for (size_t i = 0; argc > 1 && i < LEN(alone); i++)
		if (!strcmp(argv[1], alone[i].name))
			return alone[i].run();
	return cmocka_run_group_tests_name("kernel", tests, NULL, NULL);
}
