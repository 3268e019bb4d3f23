// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of device functions for numbers, most of which run in a kernel. The
 * reference is exact arithmetic with more bits for rounded operations, the C
 * library's long double for functions, and a loop for parts of a word.
 */
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuComplex.h>

#include "test.h"

#define NR	2000
#define EPSILON	2.2204460492503131e-16

#ifdef __x86_64__
typedef __float128 exact;
#else
typedef long double exact;
#endif

static unsigned long long seed = 1;

static unsigned int random_word(void)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned int)(seed >> 32);
}

/* The numbers have few enough bits for exact sums and products in "exact". */
template <class T> static T random_number(void)
{
	T x = (T)(random_word() >> 8) + (sizeof(T) > 4 ?
	      (T)random_word() / 4294967296.0 : 0);

	x = std::ldexp(x, (int)(random_word() % 16) - 24);
	return random_word() & 1 ? x : -x;
}

/* A kernel that applies a function to one, two or three numbers */
template <class T, class F>
__global__ void apply(F f, const T *from, T *to, int nr)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < nr)
		to[i] = f(from[3 * i], from[3 * i + 1], from[3 * i + 2]);
}

template <class T, class F>
static std::vector<T> applied(F f, const std::vector<T> &from)
{
	const int nr = (int)from.size() / 3;
	T *src = static_cast<T *>(common_alloc(from.size() * sizeof(T)));
	T *dst = static_cast<T *>(common_alloc(nr * sizeof(T)));

	std::copy(from.begin(), from.end(), src);
	apply<<<(nr + 63) / 64, 64>>>(f, (const T *)src, dst, nr);
	ok(cudaDeviceSynchronize());
	const std::vector<T> to(dst, dst + nr);
	common_free(src);
	common_free(dst);
	return to;
}

enum way { DOWN, UP, ZERO };

/* compare(x) returns the sign of x minus the exact result. */
template <class T, class F>
static bool is_rounded(T r, enum way way, bool is_negative, F compare)
{
	if (way == ZERO)
		way = is_negative ? UP : DOWN;
	if (way == DOWN)
		return compare(r) <= 0 &&
		       compare(std::nextafter(r, (T)INFINITY)) > 0;
	return compare(r) >= 0 &&
	       compare(std::nextafter(r, -(T)INFINITY)) < 0;
}

static int sign(exact x)
{
	return (x > 0) - (x < 0);
}

template <class T> static std::vector<T> random_numbers(void)
{
	std::vector<T> all(3 * NR);

	for (T &x : all)
		x = random_number<T>();
	return all;
}

/*
 * Check the three directed roundings of an operation. compare(x, a, b, c)
 * returns the sign of x minus the exact result.
 */
template <class T, class D, class U, class Z, class C>
static void check_ways(const char *name, D down, U up, Z zero, C compare)
{
	const std::vector<T> from = random_numbers<T>();
	const std::vector<T> got[] = {
		applied(down, from), applied(up, from), applied(zero, from),
	};

	for (int way = DOWN; way <= ZERO; way++) {
		for (int i = 0; i < NR; i++) {
			const T a = from[3 * i], b = from[3 * i + 1];
			const T c = from[3 * i + 2];
			const auto of = [&](T r) {
				return compare((exact)r, (exact)a, (exact)b,
					       (exact)c);
			};

			if (is_rounded(got[way][i], (enum way)way, of(0) > 0,
				       of))
				continue;
			print_error("%s, way %d: %a %a %a give %a\n", name,
				    way, (double)a, (double)b, (double)c,
				    (double)got[way][i]);
			fail();
		}
	}
}

#define CHECK_WAYS(T, name, arguments, compare)				\
	check_ways<T>(#name,						\
		[] __device__ (T a, T b, T c) {				\
			(void)a, (void)b, (void)c;			\
			return name ## _rd arguments;			\
		}, [] __device__ (T a, T b, T c) {			\
			(void)a, (void)b, (void)c;			\
			return name ## _ru arguments;			\
		}, [] __device__ (T a, T b, T c) {			\
			(void)a, (void)b, (void)c;			\
			return name ## _rz arguments;			\
		}, [](exact r, exact a, exact b, exact c) {		\
			(void)a, (void)b, (void)c;			\
			return compare;					\
		})

/* Multiplying by a negative divisor inverts the sign of the difference. */
static int compare_quotient(exact r, exact a, exact b)
{
	return sign(b) * sign(r * b - a);
}

static int compare_root(exact r, exact a)
{
	return r < 0 ? -1 : sign(r * r - a);
}

static void arithmetic_is_rounded_as_it_says(void **)
{
	CHECK_WAYS(float, __fadd, (a, b), sign(r - (a + b)));
	CHECK_WAYS(float, __fsub, (a, b), sign(r - (a - b)));
	CHECK_WAYS(float, __fmul, (a, b), sign(r - a * b));
	CHECK_WAYS(float, __fdiv, (a, b), compare_quotient(r, a, b));
	CHECK_WAYS(float, __frcp, (b), compare_quotient(r, 1, b));
	CHECK_WAYS(float, __fmaf, (a, b, c), sign(r - (a * b + c)));
	CHECK_WAYS(float, __fsqrt, (fabsf(a)),
		   compare_root(r, a < 0 ? -a : a));
	CHECK_WAYS(double, __dadd, (a, b), sign(r - (a + b)));
	CHECK_WAYS(double, __dsub, (a, b), sign(r - (a - b)));
	CHECK_WAYS(double, __dmul, (a, b), sign(r - a * b));
	CHECK_WAYS(double, __ddiv, (a, b), compare_quotient(r, a, b));
	CHECK_WAYS(double, __drcp, (b), compare_quotient(r, 1, b));
	CHECK_WAYS(double, __dsqrt, (fabs(a)),
		   compare_root(r, a < 0 ? -a : a));
	/* Arguments of few bits make the product, and its sum with c, exact. */
	CHECK_WAYS(double, __fma, ((float)a, (float)b, c),
		   sign(r - ((exact)(float)a * (float)b + c)));
}

template <class T, class From, class D, class U, class Z>
static void check_conversion(From largest, D down, U up, Z zero)
{
	for (int i = 0; i < NR; i++) {
		const unsigned long long bits =
			((unsigned long long)random_word() << 32 |
			 random_word()) >> random_word() % 64;
		const From x = i ? (From)bits : largest;
		const T got[] = { down(x), up(x), zero(x) };

		for (int way = DOWN; way <= ZERO; way++)
			assert_true(is_rounded(got[way], (enum way)way, x < 0,
					       [&](T r) {
				return sign((exact)r - (exact)x);
			}));
	}
}

#define CHECK_CONVERSION(T, From, name, largest)			\
	check_conversion<T, From>(largest, name ## _rd, name ## _ru, \
				  name ## _rz)

static void conversions_are_rounded_as_they_say(void **)
{
	CHECK_CONVERSION(float, int, __int2float, 0x7fffffff);
	CHECK_CONVERSION(float, unsigned int, __uint2float, ~0U);
	CHECK_CONVERSION(float, long long, __ll2float, 0x7fffffffffffffffLL);
	CHECK_CONVERSION(float, unsigned long long, __ull2float, ~0ULL);
	CHECK_CONVERSION(double, long long, __ll2double, 0x7fffffffffffffffLL);
	CHECK_CONVERSION(double, unsigned long long, __ull2double, ~0ULL);
	CHECK_CONVERSION(float, double, __double2float, 1.0 / 3);
	/* The rounding mode is "to nearest" again. */
	assert_true(1.0f + ldexpf(1, -25) == 1.0f);
}

/* Compare a function's result with the long double that is expected. */
static void check_near(const char *name, double x, double got, long double want,
		       double epsilons)
{
	if (std::fabs((long double)got - want) <=
	    epsilons * EPSILON * std::fabs(want))
		return;
	print_error("%s(%.17g) is %.17g, not %.17Lg\n", name, x, got, want);
	fail();
}

/* Close around x, the values of the function have to enclose y. */
template <class F>
static void check_inverse(const char *name, double y, double x, F function)
{
	const long double far = 16 * EPSILON * std::fabs((long double)x);
	const long double below = function(x - far), above = function(x + far);

	if ((below <= y && y <= above) || (above <= y && y <= below))
		return;
	print_error("%s(%.17g) is %.17g\n", name, y, x);
	fail();
}

static long double normal(long double x)
{
	return erfcl(-x / sqrtl(2)) / 2;
}

static void inverses_are_inverses(void **)
{
	std::vector<double> from(3 * NR);

	for (int i = 0; i < NR; i++)
		from[3 * i] = i < 300 ? std::ldexp(1.0, -i) :
			      (random_word() + 1.0) / 4294967298.0;
	const auto erfinvs = applied([] __device__ (double x, double, double) {
		return erfinv(x);
	}, from);
	const auto erfcinvs = applied([] __device__ (double x, double, double) {
		return erfcinv(2 * x);
	}, from);
	const auto normals = applied([] __device__ (double x, double, double) {
		return normcdfinv(x);
	}, from);

	assert_true(std::isinf(erfinvs[0]) && erfinvs[0] > 0);
	assert_true(std::isinf(erfcinvs[0]) && erfcinvs[0] < 0);
	for (int i = 1; i < NR; i++) {
		const double x = from[3 * i];

		check_inverse("erfinv", x, erfinvs[i], [](long double at) {
			return erfl(at);
		});
		check_inverse("erfinv", -x, erfinv(-x), [](long double at) {
			return erfl(at);
		});
		check_inverse("erfcinv", 2 * x, erfcinvs[i],
			      [](long double at) { return erfcl(at); });
		check_inverse("normcdfinv", x, normals[i], normal);
		assert_true(erfinvf((float)x) == (float)erfinv((float)x));
	}
	assert_true(std::isnan(erfinv(1.5)) && std::isnan(erfcinv(-1)) &&
		    std::isnan(normcdfinv(NAN)));
	assert_true(std::isinf(normcdfinv(0)) && normcdfinv(0) < 0);
	assert_true(erfinv(0) == 0 && erfcinv(1) == 0);
	/* erfc(27.2121...) is the smallest positive double. */
	assert_true(fabs(erfcinv(5e-324) - 27.2121) < 0.001);
}

static void functions_are_near_those_of_more_bits(void **)
{
	for (int i = 0; i < NR; i++) {
		const double x = (random_word() / 4294967296.0 - 0.5) *
				 (i % 3 ? 12 : 72);

		check_near("normcdf", x, normcdf(x), normal(x), 8);
		if (x > -26)
			check_near("erfcx", x, erfcx(x),
				   expl((long double)x * x) * erfcl(x), 8);
		check_near("cyl_bessel_i0", x, cyl_bessel_i0(x),
			   std::cyl_bessel_i(0.0L, fabsl(x)), 64);
		check_near("cyl_bessel_i1", x, cyl_bessel_i1(x),
			   copysignl(std::cyl_bessel_i(1.0L, fabsl(x)), x), 64);
	}
	assert_true(std::isinf(erfcx(-1e200)) && erfcx(1e200) > 0);
	assert_true(cyl_bessel_i0(0) == 1 && cyl_bessel_i1(0) == 0);
	assert_true(std::isinf(cyl_bessel_i0(1000)) &&
		    std::isfinite(cyl_bessel_i0(710)));
	assert_true(normcdf(-INFINITY) == 0 && normcdf(INFINITY) == 1);
	assert_true(norm4d(ldexp(3, 900), 0, ldexp(4, 900), 0) ==
		    ldexp(5, 900));
	assert_true(norm3df(3e30f, 4e30f, 0) == 5e30f);
	assert_true(norm3d(0, -0.0, 0) == 0 && norm3d(5e-324, 0, 0) == 5e-324);
	assert_true(std::isinf(norm4df(NAN, 1, INFINITY, 1)));
	assert_true(std::isnan(norm3d(NAN, 1, 1)));
	assert_true(rnorm4d(1, 1, 1, 1) == 0.5);
}

/* Compute each part of a word separately, in integers that cannot overflow. */
template <class Word, class Part>
static void check_parts(const char *name, Word word, Part part, int bits,
			bool is_signed)
{
	const unsigned int mask = (1U << bits) - 1;

	for (int i = 0; i < NR; i++) {
		const unsigned int ends[] = { 0x80007fff, 0x7f80ff00, ~0U, 0 };
		const unsigned int x = i % 8 < 4 ? random_word() : ends[i % 4];
		const unsigned int y = i % 16 < 8 ? random_word() :
				       ends[i / 16 % 4];
		unsigned int want = 0;

		for (int at = 0; at < 32; at += bits) {
			long long a = x >> at & mask, b = y >> at & mask;

			if (is_signed && a > mask / 2)
				a -= mask + 1LL;
			if (is_signed && b > mask / 2)
				b -= mask + 1LL;
			want |= ((unsigned int)part(a, b) & mask) << at;
		}
		if (word(x, y) == want)
			continue;
		print_error("%s of %d bits: %#x %#x give %#x, not %#x\n", name,
			    bits, x, y, word(x, y), want);
		fail();
	}
}

#define PARTS(name, is_signed, expr)					\
	do {								\
		int bits = 16;						\
		const auto part = [&](long long a, long long b) {	\
			const long long top = 1LL << (bits - is_signed); \
			const long long low = is_signed ? -top : 0;	\
									\
			(void)a, (void)b, (void)top, (void)low;		\
			return (long long)(expr);			\
		};							\
		check_parts(#name, name ## 2, part, 16, is_signed);	\
		bits = 8;						\
		check_parts(#name, name ## 4, part, 8, is_signed);	\
	} while (0)

static long long within(long long x, long long low, long long high)
{
	return std::min(std::max(x, low), high);
}

static void parts_of_words_are_their_own(void **)
{
	PARTS(__vadd, 0, a + b);
	PARTS(__vsub, 0, a - b);
	PARTS(__vaddss, 1, within(a + b, low, top - 1));
	PARTS(__vaddus, 0, within(a + b, low, top - 1));
	PARTS(__vsubss, 1, within(a - b, low, top - 1));
	PARTS(__vsubus, 0, within(a - b, low, top - 1));
	PARTS(__vmaxs, 1, std::max(a, b));
	PARTS(__vmaxu, 0, std::max(a, b));
	PARTS(__vmins, 1, std::min(a, b));
	PARTS(__vminu, 0, std::min(a, b));
	PARTS(__vabsdiffs, 1, std::llabs(a - b));
	PARTS(__vabsdiffu, 0, std::llabs(a - b));
	PARTS(__vavgs, 1, std::floor(std::abs((a + b) / 2.0) + 0.5) *
			  (a + b < 0 ? -1 : 1));
	PARTS(__vavgu, 0, std::ceil((a + b) / 2.0));
	PARTS(__vhaddu, 0, std::floor((a + b) / 2.0));
	PARTS(__vcmpeq, 0, a == b ? -1 : 0);
	PARTS(__vcmpne, 0, a != b ? -1 : 0);
	PARTS(__vcmpges, 1, a >= b ? -1 : 0);
	PARTS(__vcmpgtu, 0, a > b ? -1 : 0);
	PARTS(__vcmples, 1, a <= b ? -1 : 0);
	PARTS(__vcmpltu, 0, a < b ? -1 : 0);
	PARTS(__vcmplts, 1, a < b ? -1 : 0);
	PARTS(__vseteq, 0, a == b);
	PARTS(__vsetgeu, 0, a >= b);
	PARTS(__vsetgts, 1, a > b);
	PARTS(__vsetleu, 0, a <= b);
	PARTS(__vsetlts, 1, a < b);
	assert_int_equal(__vabs2(0x8000ffff), 0x80000001);
	assert_int_equal(__vabsss2(0x8000ffff), 0x7fff0001);
	assert_int_equal(__vabsss4(0x80ff7f01), 0x7f017f01);
	assert_int_equal(__vneg4(0x80ff0001), 0x800100ff);
	assert_int_equal(__vnegss4(0x80ff0001), 0x7f0100ff);
	assert_int_equal(__vsads4(0x80000000, 0x7fff0001), 255 + 1 + 0 + 1);
	assert_int_equal(__vsadu2(0x80000001, 0x7fff0003), 1 + 2);
}

__global__ void multiply(int *to, int x, int y)
{
	const char4 a = { 1, -2, 3, -128 }, b = { 5, 6, -7, -128 };
	const ushort2 two = make_ushort2(65535, 2);

	*to++ = __dp4a(a, b, -1);
	*to++ = __dp4a(x, y, 10);
	*to++ = (int)__dp4a((unsigned int)x, (unsigned int)y, 10U);
	*to++ = __dp2a_lo(x, y, 1);
	*to++ = __dp2a_hi(x, y, 1);
	*to++ = (int)__dp2a_hi(two, make_uchar4(1, 2, 3, 4), 5U);
	*to++ = (int)__funnelshift_lc(0x80000000, 1, 1);
	*to++ = (int)__funnelshift_lc(5, 1, 33);
	*to++ = (int)__funnelshift_rc(1, 6, 40);
	*to++ = (int)__funnelshift_rc(0, 1, 4);
}

static void products_of_parts_are_summed(void **)
{
	const int x = (int)0xff02fe80, y = 0x7f030405;
	const int want[] = {
		5 - 12 - 21 + 16384 - 1,
		/* -1 * 127 + 2 * 3 - 2 * 4 - 128 * 5 */
		10 - 127 + 6 - 8 - 640,
		10 + 255 * 127 + 6 + 254 * 4 + 128 * 5,
		/* 0xfe80 is -384 and 0xff02 is -254 if signed. */
		1 - 384 * 5 - 254 * 4,
		1 - 384 * 3 - 254 * 127,
		65535 * 3 + 2 * 4 + 5, 3, 5, 6, 0x10000000,
	};
	const int nr = sizeof(want) / sizeof(want[0]);
	int *to = static_cast<int *>(common_alloc(sizeof(want)));

	multiply<<<1, 1>>>(to, x, y);
	ok(cudaDeviceSynchronize());
	for (int i = 0; i < nr; i++)
		assert_int_equal(to[i], want[i]);
	common_free(to);
}

__global__ void use_complex(cuDoubleComplex *to, cuDoubleComplex a,
			    cuDoubleComplex b)
{
	*to++ = cuCadd(a, cuConj(b));
	*to++ = cuCsub(a, b);
	*to++ = cuCmul(a, b);
	*to++ = cuCdiv(a, b);
	*to++ = cuCfma(a, b, a);
	*to++ = make_cuDoubleComplex(cuCabs(a), cuCreal(b) + cuCimag(b));
	*to++ = cuComplexFloatToDouble(cuCdivf(cuComplexDoubleToFloat(a),
					       make_cuComplex(3, -4)));
}

static void complex_numbers_are_those_of_cplusplus(void **)
{
	const std::complex<double> a(1.5, -2), b(-3, 0.25);
	const std::complex<double> want[] = {
		a + std::conj(b), a - b, a * b, a / b, a * b + a,
		{ std::abs(a), -2.75 }, a / std::complex<double>(3, -4),
	};
	const int nr = sizeof(want) / sizeof(want[0]);
	cuDoubleComplex *to = static_cast<cuDoubleComplex *>(
		common_alloc(nr * sizeof(*to)));

	use_complex<<<1, 1>>>(to, make_cuDoubleComplex(1.5, -2),
			      make_cuDoubleComplex(-3, 0.25));
	ok(cudaDeviceSynchronize());
	for (int i = 0; i < nr; i++)
		assert_true(std::abs(want[i] - std::complex<double>(
				to[i].x, to[i].y)) < (i < 6 ? 1e-15 : 1e-7));
	common_free(to);
	/* Intermediate results do not overflow if the result does not. */
	assert_true(cuCrealf(cuCdivf(make_cuComplex(1e30f, 0),
				     make_cuComplex(1e30f, 0))) == 1);
	assert_true(cuCabs(make_cuDoubleComplex(ldexp(3, 900),
						ldexp(4, 900))) ==
		    ldexp(5, 900));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(arithmetic_is_rounded_as_it_says),
		cmocka_unit_test(conversions_are_rounded_as_they_say),
		cmocka_unit_test(inverses_are_inverses),
		cmocka_unit_test(functions_are_near_those_of_more_bits),
		cmocka_unit_test(parts_of_words_are_their_own),
		cmocka_unit_test(products_of_parts_are_summed),
		cmocka_unit_test(complex_numbers_are_those_of_cplusplus),
	};

	return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}
