/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a kernel's thread knows of itself, barriers and fences, integer
 * functions and conversions. Threads of a block take turns: one runs until it
 * comes to a barrier or returns.
 */
#ifndef __DEVICE_FUNCTIONS_H__
#define __DEVICE_FUNCTIONS_H__

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "vector_types.h"
#include "heapsim_cu.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef LIBMEM_CUDA
extern HEAPSIM_TLS const uint3 threadIdx;
extern HEAPSIM_TLS const uint3 blockIdx;
extern HEAPSIM_TLS const dim3 blockDim;
extern HEAPSIM_TLS const dim3 gridDim;
#endif

#ifdef __cplusplus
static const int warpSize = 32;
#else
enum { warpSize = 32 };
#endif

/* A thread that has returned counts as having come to the barrier. */
void heapsim_cu_syncthreads(void);
int heapsim_cu_syncthreads_count(int is_true);
int heapsim_cu_syncthreads_and(int is_true);
int heapsim_cu_syncthreads_or(int is_true);

static inline void __syncthreads(void)
{
	heapsim_cu_syncthreads();
}

static inline int __syncthreads_count(int predicate)
{
	return heapsim_cu_syncthreads_count(predicate);
}

static inline int __syncthreads_and(int predicate)
{
	return heapsim_cu_syncthreads_and(predicate);
}

static inline int __syncthreads_or(int predicate)
{
	return heapsim_cu_syncthreads_or(predicate);
}

static inline void __threadfence(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline void __threadfence_block(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline void __threadfence_system(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* The kernel fails. */
static inline void __trap(void)
{
	__builtin_trap();
}

static inline void __brkpt(void)
{
	__builtin_trap();
}

/* Of this machine's clock, not the board's; clock() is the C library's. */
static inline long long clock64(void)
{
#if defined(__x86_64__)
	return (long long)__builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	unsigned long long count;

	__asm__ __volatile__("mrs %0, cntvct_el0" : "=r" (count));
	return (long long)count;
#else
	return (long long)clock();
#endif
}

/* Of the library: strict C has no function that sleeps. */
void heapsim_cu_nanosleep(unsigned int ns);

static inline void __nanosleep(unsigned int ns)
{
	heapsim_cu_nanosleep(ns);
}

static inline int __popc(unsigned int x)
{
	return __builtin_popcount(x);
}

static inline int __popcll(unsigned long long x)
{
	return __builtin_popcountll(x);
}

static inline int __clz(int x)
{
	return x ? __builtin_clz((unsigned int)x) : 32;
}

static inline int __clzll(long long x)
{
	return x ? __builtin_clzll((unsigned long long)x) : 64;
}

static inline int __ffs(int x)
{
	return __builtin_ffs(x);
}

static inline int __ffsll(long long x)
{
	return __builtin_ffsll(x);
}

static inline unsigned long long __brevll(unsigned long long x)
{
	x = (x >> 1 & 0x5555555555555555ULL) |
	    (x & 0x5555555555555555ULL) << 1;
	x = (x >> 2 & 0x3333333333333333ULL) |
	    (x & 0x3333333333333333ULL) << 2;
	x = (x >> 4 & 0x0f0f0f0f0f0f0f0fULL) |
	    (x & 0x0f0f0f0f0f0f0f0fULL) << 4;
	return __builtin_bswap64(x);
}

static inline unsigned int __brev(unsigned int x)
{
	return (unsigned int)(__brevll(x) >> 32);
}

/* Byte i of the result is the byte that the selector's nibble i says. */
static inline unsigned int __byte_perm(unsigned int x, unsigned int y,
				       unsigned int s)
{
	const unsigned long long from = (unsigned long long)y << 32 | x;
	unsigned int to = 0, i;

	for (i = 0; i < 4; i++)
		to |= (unsigned int)(from >> (s >> 4 * i & 7) * 8 & 0xff)
		      << 8 * i;
	return to;
}

static inline unsigned int __funnelshift_l(unsigned int lo, unsigned int hi,
					   unsigned int shift)
{
	return (unsigned int)((((unsigned long long)hi << 32 | lo) <<
			       (shift & 31)) >> 32);
}

static inline unsigned int __funnelshift_r(unsigned int lo, unsigned int hi,
					   unsigned int shift)
{
	return (unsigned int)(((unsigned long long)hi << 32 | lo) >>
			      (shift & 31));
}

/* A shift of 32 and more is one of 32. */
static inline unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi,
					    unsigned int shift)
{
	return shift < 32 ? __funnelshift_l(lo, hi, shift) : lo;
}

static inline unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi,
					    unsigned int shift)
{
	return shift < 32 ? __funnelshift_r(lo, hi, shift) : hi;
}

/* The low 24 bits of each. */
static inline int __mul24(int x, int y)
{
	const long long a = (int)((unsigned int)x << 8) >> 8;
	const long long b = (int)((unsigned int)y << 8) >> 8;

	return (int)(unsigned int)(unsigned long long)(a * b);
}

static inline unsigned int __umul24(unsigned int x, unsigned int y)
{
	return (x & 0xffffff) * (y & 0xffffff);
}

static inline int __mulhi(int x, int y)
{
	return (int)((long long)x * y >> 32);
}

static inline unsigned int __umulhi(unsigned int x, unsigned int y)
{
	return (unsigned int)((unsigned long long)x * y >> 32);
}

static inline long long __mul64hi(long long x, long long y)
{
	__extension__ typedef __int128 wide;

	return (long long)((wide)x * y >> 64);
}

static inline unsigned long long __umul64hi(unsigned long long x,
					    unsigned long long y)
{
	__extension__ typedef unsigned __int128 wide;

	return (unsigned long long)((wide)x * y >> 64);
}

static inline unsigned int __sad(int x, int y, unsigned int z)
{
	return z + (x < y ? (unsigned int)y - (unsigned int)x :
			    (unsigned int)x - (unsigned int)y);
}

static inline unsigned int __usad(unsigned int x, unsigned int y,
				  unsigned int z)
{
	return z + (x < y ? y - x : x - y);
}

static inline int __hadd(int x, int y)
{
	return (int)(((long long)x + y) >> 1);
}

static inline int __rhadd(int x, int y)
{
	return (int)(((long long)x + y + 1) >> 1);
}

static inline unsigned int __uhadd(unsigned int x, unsigned int y)
{
	return (unsigned int)(((unsigned long long)x + y) >> 1);
}

static inline unsigned int __urhadd(unsigned int x, unsigned int y)
{
	return (unsigned int)(((unsigned long long)x + y + 1) >> 1);
}

/* The bits of one type as another. */
#define HEAPSIM_BITS(name, to_type, from_type)				\
static inline to_type name(from_type from)				\
{									\
	to_type to;							\
									\
	memcpy(&to, &from, sizeof(to));					\
	return to;							\
}

HEAPSIM_BITS(__float_as_int, int, float)
HEAPSIM_BITS(__float_as_uint, unsigned int, float)
HEAPSIM_BITS(__int_as_float, float, int)
HEAPSIM_BITS(__uint_as_float, float, unsigned int)
HEAPSIM_BITS(__double_as_longlong, long long, double)
HEAPSIM_BITS(__longlong_as_double, double, long long)

#undef HEAPSIM_BITS

static inline int __double2hiint(double x)
{
	return (int)(__double_as_longlong(x) >> 32);
}

static inline int __double2loint(double x)
{
	return (int)(unsigned int)(unsigned long long)__double_as_longlong(x);
}

static inline double __hiloint2double(int hi, int lo)
{
	return __longlong_as_double((long long)((unsigned long long)
		(unsigned int)hi << 32 | (unsigned int)lo));
}

/* What is beyond the result's type becomes its end, not a number becomes 0. */
#define HEAPSIM_TO_INT(name, type, from, round, low, high)		\
static inline type name(from x)						\
{									\
	x = round(x);							\
	if (!(x > (from)(low)))						\
		return x == x ? (low) : 0;				\
	return x < (from)(high) ? (type)x : (high);			\
}

#define HEAPSIM_TO_INTS(name, type, low, high)				\
HEAPSIM_TO_INT(__float2 ## name ## _rn, type, float, rintf, low, high)	\
HEAPSIM_TO_INT(__float2 ## name ## _rz, type, float, truncf, low, high)	\
HEAPSIM_TO_INT(__float2 ## name ## _ru, type, float, ceilf, low, high)	\
HEAPSIM_TO_INT(__float2 ## name ## _rd, type, float, floorf, low, high)	\
HEAPSIM_TO_INT(__double2 ## name ## _rn, type, double, rint, low, high)	\
HEAPSIM_TO_INT(__double2 ## name ## _rz, type, double, trunc, low, high) \
HEAPSIM_TO_INT(__double2 ## name ## _ru, type, double, ceil, low, high)	\
HEAPSIM_TO_INT(__double2 ## name ## _rd, type, double, floor, low, high)

HEAPSIM_TO_INTS(int, int, -__INT_MAX__ - 1, __INT_MAX__)
HEAPSIM_TO_INTS(uint, unsigned int, 0U, __INT_MAX__ * 2U + 1U)
HEAPSIM_TO_INTS(ll, long long, -__LONG_LONG_MAX__ - 1, __LONG_LONG_MAX__)
HEAPSIM_TO_INTS(ull, unsigned long long, 0ULL, __LONG_LONG_MAX__ * 2ULL + 1ULL)

#undef HEAPSIM_TO_INTS
#undef HEAPSIM_TO_INT

/* Rounded to the nearest, as this machine's do. */
#define HEAPSIM_FROM_INT(name, type)					\
static inline float __ ## name ## 2float_rn(type x)			\
{									\
	return (float)x;						\
}									\
									\
static inline double __ ## name ## 2double_rn(type x)			\
{									\
	return (double)x;						\
}

HEAPSIM_FROM_INT(int, int)
HEAPSIM_FROM_INT(uint, unsigned int)
HEAPSIM_FROM_INT(ll, long long)
HEAPSIM_FROM_INT(ull, unsigned long long)

#undef HEAPSIM_FROM_INT

static inline float __double2float_rn(double x)
{
	return (float)x;
}

/*
 * Threads of a warp do not run together here, so they cannot exchange values.
 * __syncwarp() would be wrong as nothing at all: the others of the warp may not
 * have come that far.
 */
#define HEAPSIM_NO_WARPS_TEXT \
	"heapsim has no warps: see Documentation/cuda.rst"
int heapsim_no_warps(void) __attribute__((error(HEAPSIM_NO_WARPS_TEXT)));

#define HEAPSIM_NO_WARPS	heapsim_no_warps()
#define __syncwarp(...)			HEAPSIM_NO_WARPS
#define __activemask(...)		HEAPSIM_NO_WARPS
#define __all(...)			HEAPSIM_NO_WARPS
#define __any(...)			HEAPSIM_NO_WARPS
#define __ballot(...)			HEAPSIM_NO_WARPS
#define __all_sync(...)			HEAPSIM_NO_WARPS
#define __any_sync(...)			HEAPSIM_NO_WARPS
#define __ballot_sync(...)		HEAPSIM_NO_WARPS
#define __uni_sync(...)			HEAPSIM_NO_WARPS
#define __shfl(...)			HEAPSIM_NO_WARPS
#define __shfl_up(...)			HEAPSIM_NO_WARPS
#define __shfl_down(...)		HEAPSIM_NO_WARPS
#define __shfl_xor(...)			HEAPSIM_NO_WARPS
#define __shfl_sync(...)		HEAPSIM_NO_WARPS
#define __shfl_up_sync(...)		HEAPSIM_NO_WARPS
#define __shfl_down_sync(...)		HEAPSIM_NO_WARPS
#define __shfl_xor_sync(...)		HEAPSIM_NO_WARPS
#define __match_any_sync(...)		HEAPSIM_NO_WARPS
#define __match_all_sync(...)		HEAPSIM_NO_WARPS
#define __reduce_add_sync(...)		HEAPSIM_NO_WARPS
#define __reduce_min_sync(...)		HEAPSIM_NO_WARPS
#define __reduce_max_sync(...)		HEAPSIM_NO_WARPS
#define __reduce_and_sync(...)		HEAPSIM_NO_WARPS
#define __reduce_or_sync(...)		HEAPSIM_NO_WARPS
#define __reduce_xor_sync(...)		HEAPSIM_NO_WARPS

#ifdef __cplusplus
}
#endif

#endif
