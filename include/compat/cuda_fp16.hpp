// SPDX-License-Identifier: LGPL-2.1-or-later
/* cuda_fp16.h's types, conversions, arithmetic, comparisons and functions. */
#ifndef __CUDA_FP16_HPP__
#define __CUDA_FP16_HPP__

namespace heapsim {

enum half_way {
	HALF_NEAREST,
	HALF_ZERO,
	HALF_DOWN,
	HALF_UP,
};

/*
 * The bits of the half next to x: how many units of the last place it is, and
 * what is left of it. A carry goes into the exponent, and on to infinity.
 */
static inline unsigned short half_bits(double x, half_way way)
{
	const unsigned long long bits =
		(unsigned long long)__double_as_longlong(x);
	const unsigned short sign = (unsigned short)(bits >> 48 & 0x8000);
	const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
	const bool grows = way == HALF_UP ? !sign :
			   way == HALF_DOWN ? sign != 0 : false;
	const int unit = exponent < -14 ? -14 : exponent;
	const int shift = 42 + unit - exponent;
	unsigned long long digits = bits & 0xfffffffffffffULL;
	unsigned long long nr, rest, middle;

	if (x != x)
		return 0x7fff;
	if (exponent > 15) {
		if (exponent == 1024 || way == HALF_NEAREST || grows)
			return sign | 0x7c00;
		return sign | 0x7bff;
	}
	if (shift > 53)	/* below half of the smallest: 2^-25 */
		return sign | (grows && (bits & ~0ULL >> 1));
	digits |= 1ULL << 52;
	nr = digits >> shift;
	rest = digits & ((1ULL << shift) - 1);
	middle = 1ULL << (shift - 1);
	if (way == HALF_NEAREST)
		nr += rest > middle || (rest == middle && (nr & 1));
	else
		nr += grows && rest;
	return (unsigned short)(sign | (nr + ((unsigned int)(unit + 14)
					      << 10)));
}

static inline float half_value(unsigned short bits)
{
	const unsigned int sign = (unsigned int)(bits & 0x8000) << 16;
	const unsigned int exponent = bits >> 10 & 31, digits = bits & 0x3ff;

	if (exponent == 31)
		return __uint_as_float(digits ? 0x7fffffff : sign | 0x7f800000);
	if (!exponent) {
		const float small = (float)digits * (1.0f / (1 << 24));

		return sign ? -small : small;
	}
	return __uint_as_float(sign | (exponent + 112) << 23 | digits << 13);
}

}

struct __half {
	__half() = default;

	__half(const __half_raw &raw) : __x(raw.x)
	{
	}

	/* Of a float, a double, an integer */
	template <class T, class = typename std::enable_if<
			  std::is_arithmetic<T>::value>::type>
	__half(T x) : __x(::heapsim::half_bits((double)x,
					       ::heapsim::HALF_NEAREST))
	{
	}

	__half &operator=(const __half_raw &raw)
	{
		__x = raw.x;
		return *this;
	}

	operator __half_raw() const
	{
		__half_raw raw;

		raw.x = __x;
		return raw;
	}

	operator float() const
	{
		return ::heapsim::half_value(__x);
	}

protected:
	unsigned short __x;
};

struct __attribute__((aligned(4))) __half2 {
	__half x;
	__half y;

	__half2() = default;

	__half2(const __half &low, const __half &high) : x(low), y(high)
	{
	}

	__half2(const __half2_raw &raw)
	{
		__half_raw part;

		part.x = raw.x;
		x = part;
		part.x = raw.y;
		y = part;
	}

	operator __half2_raw() const
	{
		__half2_raw raw;

		raw.x = static_cast<__half_raw>(x).x;
		raw.y = static_cast<__half_raw>(y).x;
		return raw;
	}
};

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;

/* Bits */

static inline __half __ushort_as_half(unsigned short bits)
{
	__half_raw raw;

	raw.x = bits;
	return raw;
}

static inline __half __short_as_half(short bits)
{
	return __ushort_as_half((unsigned short)bits);
}

static inline unsigned short __half_as_ushort(__half x)
{
	return static_cast<__half_raw>(x).x;
}

static inline short __half_as_short(__half x)
{
	return (short)__half_as_ushort(x);
}

/* Conversions */

static inline float __half2float(__half x)
{
	return x;
}

static inline __half __float2half(float x)
{
	return __half(x);
}

static inline __half __double2half(double x)
{
	return __half(x);
}

#define HEAPSIM_TO_HALF(name, type, suffix, way)			\
static inline __half __ ## name ## 2half_ ## suffix(type x)		\
{									\
	return __ushort_as_half(::heapsim::half_bits((double)x,		\
						      ::heapsim::way));	\
}

#define HEAPSIM_TO_HALVES(name, type)					\
HEAPSIM_TO_HALF(name, type, rn, HALF_NEAREST)				\
HEAPSIM_TO_HALF(name, type, rz, HALF_ZERO)				\
HEAPSIM_TO_HALF(name, type, rd, HALF_DOWN)				\
HEAPSIM_TO_HALF(name, type, ru, HALF_UP)

HEAPSIM_TO_HALVES(float, float)
HEAPSIM_TO_HALVES(int, int)
HEAPSIM_TO_HALVES(uint, unsigned int)
HEAPSIM_TO_HALVES(short, short)
HEAPSIM_TO_HALVES(ushort, unsigned short)
HEAPSIM_TO_HALVES(ll, long long)
HEAPSIM_TO_HALVES(ull, unsigned long long)

#undef HEAPSIM_TO_HALVES
#undef HEAPSIM_TO_HALF

#define HEAPSIM_FROM_HALF(name, type, suffix)				\
static inline type __half2 ## name ## _ ## suffix(__half x)		\
{									\
	return __float2 ## name ## _ ## suffix(x);			\
}

/* By an int, cut to what is smaller. */
#define HEAPSIM_FROM_HALF_SMALL(name, type, low, high, suffix)		\
static inline type __half2 ## name ## _ ## suffix(__half x)		\
{									\
	return (type)max(low, min(high, __float2int_ ## suffix(x)));	\
}

#define HEAPSIM_FROM_HALVES(what, ...)					\
	what(__VA_ARGS__, rn)						\
	what(__VA_ARGS__, rz)						\
	what(__VA_ARGS__, rd)						\
	what(__VA_ARGS__, ru)

HEAPSIM_FROM_HALVES(HEAPSIM_FROM_HALF, int, int)
HEAPSIM_FROM_HALVES(HEAPSIM_FROM_HALF, uint, unsigned int)
HEAPSIM_FROM_HALVES(HEAPSIM_FROM_HALF, ll, long long)
HEAPSIM_FROM_HALVES(HEAPSIM_FROM_HALF, ull, unsigned long long)
HEAPSIM_FROM_HALVES(HEAPSIM_FROM_HALF_SMALL, short, short, -0x8000, 0x7fff)
HEAPSIM_FROM_HALVES(HEAPSIM_FROM_HALF_SMALL, ushort, unsigned short, 0, 0xffff)
HEAPSIM_FROM_HALF_SMALL(char, signed char, -0x80, 0x7f, rz)
HEAPSIM_FROM_HALF_SMALL(uchar, unsigned char, 0, 0xff, rz)

#undef HEAPSIM_FROM_HALVES
#undef HEAPSIM_FROM_HALF_SMALL
#undef HEAPSIM_FROM_HALF

/* Two at once: the low one is x. */

static inline __half2 __halves2half2(__half low, __half high)
{
	return __half2(low, high);
}

static inline __half2 make_half2(__half low, __half high)
{
	return __half2(low, high);
}

static inline __half2 __half2half2(__half x)
{
	return __half2(x, x);
}

static inline __half2 __float2half2_rn(float x)
{
	return __half2half2(__float2half(x));
}

static inline __half2 __floats2half2_rn(float low, float high)
{
	return __half2(__float2half(low), __float2half(high));
}

static inline __half2 __float22half2_rn(float2 x)
{
	return __floats2half2_rn(x.x, x.y);
}

static inline float2 __half22float2(__half2 x)
{
	return make_float2(x.x, x.y);
}

static inline __half __low2half(__half2 x)
{
	return x.x;
}

static inline __half __high2half(__half2 x)
{
	return x.y;
}

static inline float __low2float(__half2 x)
{
	return x.x;
}

static inline float __high2float(__half2 x)
{
	return x.y;
}

static inline __half2 __low2half2(__half2 x)
{
	return __half2(x.x, x.x);
}

static inline __half2 __high2half2(__half2 x)
{
	return __half2(x.y, x.y);
}

static inline __half2 __lows2half2(__half2 x, __half2 y)
{
	return __half2(x.x, y.x);
}

static inline __half2 __highs2half2(__half2 x, __half2 y)
{
	return __half2(x.y, y.y);
}

static inline __half2 __lowhigh2highlow(__half2 x)
{
	return __half2(x.y, x.x);
}

/* Arithmetic: a float has all digits that decide how a half is rounded. */

#define HEAPSIM_HALF_TWO(name, name2, expr)				\
static inline __half name(__half x, __half y)				\
{									\
	const float a = x, b = y;					\
									\
	return __float2half(expr);					\
}									\
									\
static inline __half2 name2(__half2 x, __half2 y)			\
{									\
	return __half2(name(x.x, y.x), name(x.y, y.y));			\
}

HEAPSIM_HALF_TWO(__hadd, __hadd2, a + b)
HEAPSIM_HALF_TWO(__hsub, __hsub2, a - b)
HEAPSIM_HALF_TWO(__hmul, __hmul2, a * b)
HEAPSIM_HALF_TWO(__hdiv, __h2div, a / b)
HEAPSIM_HALF_TWO(__hadd_rn, __hadd2_rn, a + b)
HEAPSIM_HALF_TWO(__hsub_rn, __hsub2_rn, a - b)
HEAPSIM_HALF_TWO(__hmul_rn, __hmul2_rn, a * b)
HEAPSIM_HALF_TWO(__hadd_sat, __hadd2_sat, __saturatef(a + b))
HEAPSIM_HALF_TWO(__hsub_sat, __hsub2_sat, __saturatef(a - b))
HEAPSIM_HALF_TWO(__hmul_sat, __hmul2_sat, __saturatef(a * b))

#undef HEAPSIM_HALF_TWO

/*
 * A product has 22 digits. With a third number that could change how it is
 * rounded the sum has at most 40: a double has it exactly.
 */
static inline __half __hfma(__half x, __half y, __half z)
{
	return __double2half((double)(float)x * (float)y + (float)z);
}

static inline __half __hfma_sat(__half x, __half y, __half z)
{
	const double sum = (double)(float)x * (float)y + (float)z;

	return __double2half(sum > 0 ? sum < 1 ? sum : 1 : 0);
}

static inline __half __hfma_relu(__half x, __half y, __half z)
{
	const double sum = (double)(float)x * (float)y + (float)z;

	return __double2half(sum < 0 ? 0 : sum);
}

#define HEAPSIM_HALF_THREE(name, name2)					\
static inline __half2 name2(__half2 x, __half2 y, __half2 z)		\
{									\
	return __half2(name(x.x, y.x, z.x), name(x.y, y.y, z.y));	\
}

HEAPSIM_HALF_THREE(__hfma, __hfma2)
HEAPSIM_HALF_THREE(__hfma_sat, __hfma2_sat)
HEAPSIM_HALF_THREE(__hfma_relu, __hfma2_relu)

#undef HEAPSIM_HALF_THREE

/* Of a sign nothing else changes, not even of what is no number. */
static inline __half __hneg(__half x)
{
	return __ushort_as_half(__half_as_ushort(x) ^ 0x8000);
}

static inline __half __habs(__half x)
{
	return __ushort_as_half(__half_as_ushort(x) & 0x7fff);
}

static inline __half2 __hneg2(__half2 x)
{
	return __half2(__hneg(x.x), __hneg(x.y));
}

static inline __half2 __habs2(__half2 x)
{
	return __half2(__habs(x.x), __habs(x.y));
}

/* Comparisons: what is no number makes them false, with a u at the end true. */

#define HEAPSIM_HALF_COMPARED(name, op)					\
static inline bool __h ## name(__half x, __half y)			\
{									\
	const float a = x, b = y;					\
									\
	return a op b && a == a && b == b;				\
}									\
									\
static inline bool __h ## name ## u(__half x, __half y)			\
{									\
	const float a = x, b = y;					\
									\
	return a op b || a != a || b != b;				\
}									\
									\
HEAPSIM_HALF_COMPARED2(name)						\
HEAPSIM_HALF_COMPARED2(name ## u)

#define HEAPSIM_HALF_COMPARED2(name)					\
static inline __half2 __h ## name ## 2(__half2 x, __half2 y)		\
{									\
	return __half2(__h ## name(x.x, y.x), __h ## name(x.y, y.y));	\
}									\
									\
static inline bool __hb ## name ## 2(__half2 x, __half2 y)		\
{									\
	return __h ## name(x.x, y.x) && __h ## name(x.y, y.y);		\
}

HEAPSIM_HALF_COMPARED(eq, ==)
HEAPSIM_HALF_COMPARED(ne, !=)
HEAPSIM_HALF_COMPARED(le, <=)
HEAPSIM_HALF_COMPARED(ge, >=)
HEAPSIM_HALF_COMPARED(lt, <)
HEAPSIM_HALF_COMPARED(gt, >)

#undef HEAPSIM_HALF_COMPARED2
#undef HEAPSIM_HALF_COMPARED

static inline bool __hisnan(__half x)
{
	return (__half_as_ushort(x) & 0x7fff) > 0x7c00;
}

/* 1 and -1 for the two of them. */
static inline int __hisinf(__half x)
{
	const unsigned short bits = __half_as_ushort(x);

	return (bits & 0x7fff) != 0x7c00 ? 0 : bits & 0x8000 ? -1 : 1;
}

static inline __half2 __hisnan2(__half2 x)
{
	return __half2(__hisnan(x.x), __hisnan(x.y));
}

/* 0 is more than -0; what is no number is neither, or with _nan always. */
#define HEAPSIM_HALF_OF_TWO(name, op, both)				\
static inline __half name(__half x, __half y)				\
{									\
	const unsigned short a = __half_as_ushort(x);			\
	const unsigned short b = __half_as_ushort(y);			\
									\
	if (__hisnan(x))						\
		return __hisnan(y) ? __ushort_as_half(0x7fff) : y;	\
	if (__hisnan(y))						\
		return x;						\
	if (__heq(x, y))						\
		return __ushort_as_half((unsigned short)(a both b));	\
	return (float)x op (float)y ? x : y;				\
}									\
									\
static inline __half name ## _nan(__half x, __half y)			\
{									\
	return __hisnan(x) || __hisnan(y) ? __ushort_as_half(0x7fff) :	\
					    name(x, y);			\
}									\
									\
static inline __half2 name ## 2(__half2 x, __half2 y)			\
{									\
	return __half2(name(x.x, y.x), name(x.y, y.y));			\
}									\
									\
static inline __half2 name ## 2_nan(__half2 x, __half2 y)		\
{									\
	return __half2(name ## _nan(x.x, y.x), name ## _nan(x.y, y.y));	\
}

HEAPSIM_HALF_OF_TWO(__hmax, >, &)
HEAPSIM_HALF_OF_TWO(__hmin, <, |)

#undef HEAPSIM_HALF_OF_TWO

/* Functions, by those of double: their last digit decides next to nothing. */

#define HEAPSIM_HALF_FUNCTION(name, expr)				\
static inline __half h ## name(__half x)				\
{									\
	const double a = (float)x;					\
									\
	return __double2half(expr);					\
}									\
									\
static inline __half2 h2 ## name(__half2 x)				\
{									\
	return __half2(h ## name(x.x), h ## name(x.y));			\
}

HEAPSIM_HALF_FUNCTION(sqrt, sqrt(a))
HEAPSIM_HALF_FUNCTION(rsqrt, 1 / sqrt(a))
HEAPSIM_HALF_FUNCTION(rcp, 1 / a)
HEAPSIM_HALF_FUNCTION(exp, exp(a))
HEAPSIM_HALF_FUNCTION(exp2, exp2(a))
HEAPSIM_HALF_FUNCTION(exp10, pow(10, a))
HEAPSIM_HALF_FUNCTION(log, log(a))
HEAPSIM_HALF_FUNCTION(log2, log2(a))
HEAPSIM_HALF_FUNCTION(log10, log10(a))
HEAPSIM_HALF_FUNCTION(sin, sin(a))
HEAPSIM_HALF_FUNCTION(cos, cos(a))
HEAPSIM_HALF_FUNCTION(floor, floor(a))
HEAPSIM_HALF_FUNCTION(ceil, ceil(a))
HEAPSIM_HALF_FUNCTION(trunc, trunc(a))
HEAPSIM_HALF_FUNCTION(rint, rint(a))

#undef HEAPSIM_HALF_FUNCTION

static inline __half hdiv(__half x, __half y)
{
	return __hdiv(x, y);
}

/* Operators, unless a program has its own */

#ifndef __CUDA_NO_HALF_OPERATORS__
#define HEAPSIM_HALF_OPERATOR(type, op, name)				\
static inline type operator op(const type &x, const type &y)		\
{									\
	return name(x, y);						\
}									\
									\
static inline type &operator op ## =(type &x, const type &y)		\
{									\
	return x = name(x, y);						\
}

#define HEAPSIM_HALF_RELATION(type, op, name)				\
static inline bool operator op(const type &x, const type &y)		\
{									\
	return name(x, y);						\
}

#define HEAPSIM_HALF_SIGNS(type, one, add, sub, neg)			\
static inline type operator+(const type &x)				\
{									\
	return x;							\
}									\
									\
static inline type operator-(const type &x)				\
{									\
	return neg(x);							\
}									\
									\
static inline type &operator++(type &x)					\
{									\
	return x = add(x, one);						\
}									\
									\
static inline type &operator--(type &x)					\
{									\
	return x = sub(x, one);						\
}									\
									\
static inline type operator++(type &x, int)				\
{									\
	const type before = x;						\
									\
	++x;								\
	return before;							\
}									\
									\
static inline type operator--(type &x, int)				\
{									\
	const type before = x;						\
									\
	--x;								\
	return before;							\
}

HEAPSIM_HALF_OPERATOR(__half, +, __hadd)
HEAPSIM_HALF_OPERATOR(__half, -, __hsub)
HEAPSIM_HALF_OPERATOR(__half, *, __hmul)
HEAPSIM_HALF_OPERATOR(__half, /, __hdiv)
HEAPSIM_HALF_SIGNS(__half, __half(1), __hadd, __hsub, __hneg)
HEAPSIM_HALF_RELATION(__half, ==, __heq)
HEAPSIM_HALF_RELATION(__half, !=, __hneu)
HEAPSIM_HALF_RELATION(__half, <, __hlt)
HEAPSIM_HALF_RELATION(__half, <=, __hle)
HEAPSIM_HALF_RELATION(__half, >, __hgt)
HEAPSIM_HALF_RELATION(__half, >=, __hge)
#endif

#ifndef __CUDA_NO_HALF2_OPERATORS__
HEAPSIM_HALF_OPERATOR(__half2, +, __hadd2)
HEAPSIM_HALF_OPERATOR(__half2, -, __hsub2)
HEAPSIM_HALF_OPERATOR(__half2, *, __hmul2)
HEAPSIM_HALF_OPERATOR(__half2, /, __h2div)
HEAPSIM_HALF_SIGNS(__half2, __half2half2(__half(1)), __hadd2, __hsub2, __hneg2)
HEAPSIM_HALF_RELATION(__half2, ==, __hbeq2)
HEAPSIM_HALF_RELATION(__half2, !=, __hbneu2)
HEAPSIM_HALF_RELATION(__half2, <, __hblt2)
HEAPSIM_HALF_RELATION(__half2, <=, __hble2)
HEAPSIM_HALF_RELATION(__half2, >, __hbgt2)
HEAPSIM_HALF_RELATION(__half2, >=, __hbge2)
#endif

#undef HEAPSIM_HALF_SIGNS
#undef HEAPSIM_HALF_RELATION
#undef HEAPSIM_HALF_OPERATOR

/* The parts of two are added one by one, here in one go. */

static inline __half atomicAdd(__half *address, __half x)
{
	return __ushort_as_half(::heapsim::atomic(
		reinterpret_cast<unsigned short *>(address),
		[x](unsigned short old) {
			return __half_as_ushort(
				__hadd(__ushort_as_half(old), x));
		}));
}

static inline __half2 atomicAdd(__half2 *address, __half2 x)
{
	const unsigned int old = ::heapsim::atomic(
		reinterpret_cast<unsigned int *>(address),
		[x](unsigned int bits) {
			__half2 sum;

			__builtin_memcpy(&sum, &bits, sizeof(sum));
			sum = __hadd2(sum, x);
			__builtin_memcpy(&bits, &sum, sizeof(bits));
			return bits;
		});
	__half2 before;

	__builtin_memcpy(&before, &old, sizeof(before));
	return before;
}

#endif
