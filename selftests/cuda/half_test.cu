// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of floating-point numbers of 16 bits: conversion of all of them and of
 * numbers between neighbours, and arithmetic. The reference is a table of their
 * values, computed with ldexp().
 */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include <cuda_fp16.h>

#include "test.h"

#define INF	0x7c00
#define NR_FINITE	INF	/* finite numbers that are not negative */

static float values[NR_FINITE + 1];	/* the last one, 65536, overflows */

static void fill_values(void)
{
	for (int i = 0; i < NR_FINITE; i++)
		values[i] = i < 1024 ? std::ldexp((float)i, -24) :
			    std::ldexp((float)(1024 + i % 1024), i / 1024 - 25);
	values[NR_FINITE] = 65536;
}

/* Search the table for the half that is nearest to x. */
static unsigned int nearest(double x)
{
	const unsigned int sign = std::signbit(x) ? 0x8000 : 0;
	const double size = std::fabs(x);
	unsigned int i;

	if (std::isnan(x))
		return 0x7fff;
	i = (unsigned int)(std::upper_bound(values, values + NR_FINITE + 1,
					    size) - values) - 1;
	if (i >= NR_FINITE)
		return sign | INF;
	const double middle = ((double)values[i] + values[i + 1]) / 2;

	return sign | (i + (size > middle || (size == middle && i % 2)));
}

__global__ void to_float(float *to)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	to[i] = __half2float(__ushort_as_half((unsigned short)i));
}

static void all_of_them_are_floats(void **)
{
	float *to = static_cast<float *>(common_alloc(65536 * sizeof(*to)));

	to_float<<<256, 256>>>(to);
	ok(cudaDeviceSynchronize());
	for (int i = 0; i < 65536; i++) {
		const int bits = i & 0x7fff;

		if (bits > INF)
			assert_true(std::isnan(to[i]));
		else if (bits == INF)
			assert_true(std::isinf(to[i]));
		else
			assert_true(std::fabs(to[i]) == values[bits]);
		if (bits <= INF)
			assert_int_equal(!!std::signbit(to[i]), i >> 15);
		/* The conversion back is exact in all rounding modes. */
		const int want = bits > INF ? 0x7fff : i;
		const __half all[] = {
			__float2half(to[i]), __float2half_rz(to[i]),
			__float2half_rd(to[i]), __float2half_ru(to[i]),
			__double2half(to[i]),
		};

		for (const __half &h : all)
			assert_int_equal(__half_as_ushort(h), want);
	}
	common_free(to);
}

__global__ void from_floats(const float *from, ushort4 *to, int nr)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= nr)
		return;
	to[i].x = __half_as_ushort(__float2half_rn(from[i]));
	to[i].y = __half_as_ushort(__float2half_rz(from[i]));
	to[i].z = __half_as_ushort(__float2half_rd(from[i]));
	to[i].w = __half_as_ushort(__float2half_ru(from[i]));
}

/* Numbers just above a half, and at and around the middle to the next one */
static void what_is_between_is_rounded(void **)
{
	std::vector<float> all;
	float *from;
	ushort4 *to;

	for (int i = 0; i < NR_FINITE; i++) {
		const float low = values[i], high = values[i + 1];
		const float middle = (low + high) / 2;

		for (float x : { std::nextafter(low, high),
				 std::nextafter(middle, low), middle,
				 std::nextafter(middle, high),
				 std::nextafter(high, low) }) {
			all.push_back(x);
			all.push_back(-x);
		}
	}
	all.push_back(std::nextafter(0.0f, 1.0f));
	all.push_back(3e38f);
	all.push_back(-3e38f);
	const int nr = (int)all.size();

	from = static_cast<float *>(common_alloc(nr * sizeof(*from)));
	to = static_cast<ushort4 *>(common_alloc(nr * sizeof(*to)));
	std::copy(all.begin(), all.end(), from);
	from_floats<<<(nr + 255) / 256, 256>>>(from, to, nr);
	ok(cudaDeviceSynchronize());
	for (int n = 0; n < nr; n++) {
		const float x = all[n];
		const unsigned int sign = x < 0 ? 0x8000 : 0;
		const unsigned int low = std::min<unsigned int>(
			(unsigned int)(std::upper_bound(
				values, values + NR_FINITE + 1, std::fabs(x)) -
				values) - 1, NR_FINITE - 1);

		assert_int_equal(to[n].x, nearest(x));
		assert_int_equal(to[n].y, sign | low);
		assert_int_equal(to[n].z, x < 0 ? sign | (low + 1) : low);
		assert_int_equal(to[n].w, x < 0 ? sign | low : low + 1);
	}
	common_free(from);
	common_free(to);
}

/* A few numbers of each magnitude and both signs, infinities and NaNs */
static std::vector<unsigned short> some_of_them(void)
{
	std::vector<unsigned short> some = { 0, 1, 2, 0x3ff, 0x400, 0x3c00,
					     0x7bff, INF, 0x7e00 };
	const size_t nr = some.size();

	for (unsigned int i = 3; i < NR_FINITE; i += 373)
		some.push_back((unsigned short)i);
	for (size_t i = 0; i < nr || i < some.size() / 2 * 2; i++)
		if (some[i] < 0x8000)
			some.push_back(some[i] | 0x8000);
	return some;
}

struct results {
	__half add, sub, mul, div, fma, sat, max, min;
	unsigned char less, equal, not_equal, unordered;
};

__global__ void compute(const unsigned short *some, int nr, results *to)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	const half x = __ushort_as_half(some[blockIdx.x]);

	if ((int)threadIdx.x >= nr)
		return;
	const half y = __ushort_as_half(some[threadIdx.x]);
	const half z = __ushort_as_half(some[(i * 7) % nr]);

	to[i].add = x + y;
	to[i].sub = __hsub(x, y);
	to[i].mul = x * y;
	to[i].div = x / y;
	to[i].fma = __hfma(x, y, z);
	to[i].sat = __hadd_sat(x, y);
	to[i].max = __hmax(x, y);
	to[i].min = __hmin_nan(x, y);
	to[i].less = x < y;
	to[i].equal = __heq(x, y);
	to[i].not_equal = x != y;
	to[i].unordered = __hgeu(x, y);
}

static void is_half(__half got, double want)
{
	assert_int_equal(__half_as_ushort(got), nearest(want));
}

/* The types of references have enough digits for a single rounding. */
static void arithmetic_is_rounded_once(void **)
{
	const std::vector<unsigned short> some = some_of_them();
	const int nr = (int)some.size();
	unsigned short *from = static_cast<unsigned short *>(
		common_alloc(nr * sizeof(*from)));
	results *to = static_cast<results *>(
		common_alloc((size_t)nr * 256 * sizeof(*to)));

	assert_in_range(nr, 100, 256);
	std::copy(some.begin(), some.end(), from);
	compute<<<nr, 256>>>(from, nr, to);
	ok(cudaDeviceSynchronize());
	for (int n = 0; n < nr * 256; n++) {
		if (n % 256 >= nr)
			continue;
		const results &r = to[n];
		const double x = (float)__ushort_as_half(some[n / 256]);
		const double y = (float)__ushort_as_half(some[n % 256]);
		const double z = (float)__ushort_as_half(some[n * 7 % nr]);
		const bool has_nan = std::isnan(x) || std::isnan(y);

		is_half(r.add, x + y);
		is_half(r.sub, x - y);
		is_half(r.mul, x * y);
		is_half(r.div, x / y);
		is_half(r.sat, x + y > 0 ? std::min(x + y, 1.0) : 0);
		is_half(r.fma, (double)((long double)x * y + z));
		if (!has_nan) {
			is_half(r.max, x == y ? std::signbit(x) ? y : x :
						std::max(x, y));
			is_half(r.min, x == y ? std::signbit(x) ? x : y :
						std::min(x, y));
		} else {
			is_half(r.max, std::isnan(x) ? y : x);
			is_half(r.min, NAN);
		}
		assert_int_equal(r.less, x < y);
		assert_int_equal(r.equal, x == y);
		assert_int_equal(r.not_equal, x != y);
		assert_int_equal(r.unordered, has_nan || x >= y);
	}
	common_free(from);
	common_free(to);
	/* The sum is 2^-34 below a tie, which a float could not represent. */
	assert_int_equal(__half_as_ushort(__hfma(__ushort_as_half(0x3c01),
						 __ushort_as_half(0x2bfe),
						 __ushort_as_half(0x5801))),
			 0x5801);
}

__global__ void integers(int *to)
{
	*to++ = __half2int_rn(__float2half(2.5f));
	*to++ = __half2int_rz(__float2half(-2.75f));
	*to++ = (int)__half2uint_ru(__float2half(0.25f));
	*to++ = __half2short_rd(__float2half(-60000));
	*to++ = __half2ushort_rn(__float2half(-1));
	*to++ = __half2int_rn(__ushort_as_half(0x7e00));
	*to++ = (int)__half2ll_rz(__float2half(65504));
	*to++ = __half_as_ushort(__int2half_rn(2049));
	*to++ = __half_as_ushort(__int2half_ru(2049));
	*to++ = __half_as_ushort(__uint2half_rz(70000));
	*to++ = __half_as_ushort(__ll2half_rd(-70000));
	*to++ = __half_as_ushort(__ull2half_rn(~0ULL));
	*to++ = (int)half(7.9f);
	*to++ = __hisinf(__ushort_as_half(0xfc00)) + 2 *
		__hisnan(__ushort_as_half(0xfc01));
}

static void integers_and_halves_are_converted(void **)
{
	const int want[] = {
		2, -2, 1, -32768, 0, 0, 65504, 0x6800, 0x6801, 0x7bff, 0xfc00,
		0x7c00, 7, 1,
	};
	const int nr = sizeof(want) / sizeof(want[0]);
	int *to = static_cast<int *>(common_alloc(sizeof(want)));

	integers<<<1, 1>>>(to);
	ok(cudaDeviceSynchronize());
	for (int i = 0; i < nr; i++)
		assert_int_equal(to[i], want[i]);
	common_free(to);
}

/* Arithmetic with both parts, in an order that would show swapped parts */
__global__ void pairs(half2 *x, half *total, half2 *totals)
{
	__shared__ half2 part[32];
	half2 own = x[threadIdx.x];

	part[threadIdx.x] = __hmul2(own, __floats2half2_rn(2, 3));
	__syncthreads();
	own = part[31 - threadIdx.x];
	own += __float2half2_rn(1);
	x[threadIdx.x] = __lowhigh2highlow(own);
	atomicAdd(total, __low2half(own));
	atomicAdd(totals, __halves2half2(__float2half(1), __float2half(0.5f)));
}

static void pairs_are_two(void **)
{
	half2 *x = static_cast<half2 *>(common_alloc(34 * sizeof(*x)));
	half *total = reinterpret_cast<half *>(x + 32);

	for (int i = 0; i < 32; i++)
		x[i] = half2(half(i), half(10 * i));
	pairs<<<1, 32>>>(x, total, x + 33);
	ok(cudaDeviceSynchronize());
	for (int i = 0; i < 32; i++) {
		assert_true(__low2float(x[i]) == 30 * (31 - i) + 1);
		assert_true(__high2float(x[i]) == 2 * (31 - i) + 1);
	}
	assert_true((float)*total == 31 * 32 + 32);
	assert_true(x[33] == half2(half(32), half(16)));
	assert_true(__hbgt2(half2(2, 3), half2(1, 2)) &&
		    !__hbgt2(half2(2, 1), half2(1, 2)));
	assert_true(__hbeq2(__hgt2(half2(2, 1), half2(1, 2)), half2(1, 0)));
	assert_true(__hbeq2(__highs2half2(half2(1, 2), half2(3, 4)),
			    half2(2, 4)));
	common_free(x);
}

static void functions_are_rounded_once(void **)
{
	for (int i = 0; i < 65536; i++) {
		const half x = __ushort_as_half((unsigned short)i);
		const double value = (float)x;

		is_half(hsqrt(x), std::sqrt(value));
		is_half(hrcp(x), 1 / value);
		is_half(hexp(x), std::exp(value));
		is_half(hlog2(x), std::log2(value));
		is_half(hsin(x), std::sin(value));
		is_half(hfloor(x), std::floor(value));
		is_half(hrint(x), std::nearbyint(value));
		assert_int_equal(__half_as_ushort(-x), i ^ 0x8000);
		assert_int_equal(__half_as_ushort(__habs(x)), i & 0x7fff);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_them_are_floats),
		cmocka_unit_test(what_is_between_is_rounded),
		cmocka_unit_test(arithmetic_is_rounded_once),
		cmocka_unit_test(integers_and_halves_are_converted),
		cmocka_unit_test(pairs_are_two),
		cmocka_unit_test(functions_are_rounded_once),
	};

	fill_values();
	return cmocka_run_group_tests_name("half", tests, NULL, NULL);
}
