/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Arithmetic and conversions that say how they round: down (rd), up (ru), to
 * zero (rz). This machine rounds so while it is set to: what is computed is
 * volatile, so that it is then, and not before.
 */
#ifndef __ROUNDED_FUNCTIONS_H__
#define __ROUNDED_FUNCTIONS_H__

#include <fenv.h>
#include <math.h>

#define HEAPSIM_ROUNDED(type, name, mode, parameters, values, expr)	\
static inline type name parameters					\
{									\
	const int before = fegetround();				\
	values;								\
	volatile type ret;						\
									\
	fesetround(mode);						\
	ret = expr;							\
	fesetround(before);						\
	return ret;							\
}

#define HEAPSIM_EACH_WAY(what, ...)					\
	what(rd, FE_DOWNWARD, __VA_ARGS__)				\
	what(ru, FE_UPWARD, __VA_ARGS__)				\
	what(rz, FE_TOWARDZERO, __VA_ARGS__)

#define HEAPSIM_ONE(way, mode, type, name, expr)			\
HEAPSIM_ROUNDED(type, name ## _ ## way, mode, (type x),			\
		volatile type a = x, expr)

#define HEAPSIM_TWO(way, mode, type, name, expr)			\
HEAPSIM_ROUNDED(type, name ## _ ## way, mode, (type x, type y),		\
		volatile type a = x; volatile type b = y, expr)

#define HEAPSIM_THREE(way, mode, type, name, expr)			\
HEAPSIM_ROUNDED(type, name ## _ ## way, mode, (type x, type y, type z),	\
		volatile type a = x; volatile type b = y; volatile type c = z, \
		expr)

#define HEAPSIM_CONVERT(way, mode, type, name, from)			\
HEAPSIM_ROUNDED(type, name ## _ ## way, mode, (from x),			\
		volatile from a = x, (type)a)

HEAPSIM_EACH_WAY(HEAPSIM_TWO, float, __fadd, a + b)
HEAPSIM_EACH_WAY(HEAPSIM_TWO, float, __fsub, a - b)
HEAPSIM_EACH_WAY(HEAPSIM_TWO, float, __fmul, a * b)
HEAPSIM_EACH_WAY(HEAPSIM_TWO, float, __fdiv, a / b)
HEAPSIM_EACH_WAY(HEAPSIM_THREE, float, __fmaf, fmaf(a, b, c))
HEAPSIM_EACH_WAY(HEAPSIM_ONE, float, __fsqrt, sqrtf(a))
HEAPSIM_EACH_WAY(HEAPSIM_ONE, float, __frcp, 1.0f / a)

HEAPSIM_EACH_WAY(HEAPSIM_TWO, double, __dadd, a + b)
HEAPSIM_EACH_WAY(HEAPSIM_TWO, double, __dsub, a - b)
HEAPSIM_EACH_WAY(HEAPSIM_TWO, double, __dmul, a * b)
HEAPSIM_EACH_WAY(HEAPSIM_TWO, double, __ddiv, a / b)
HEAPSIM_EACH_WAY(HEAPSIM_THREE, double, __fma, fma(a, b, c))
HEAPSIM_EACH_WAY(HEAPSIM_ONE, double, __dsqrt, sqrt(a))
HEAPSIM_EACH_WAY(HEAPSIM_ONE, double, __drcp, 1.0 / a)

/* What fits exactly has one form: __int2double_rn(), __uint2double_rn(). */
HEAPSIM_EACH_WAY(HEAPSIM_CONVERT, float, __int2float, int)
HEAPSIM_EACH_WAY(HEAPSIM_CONVERT, float, __uint2float, unsigned int)
HEAPSIM_EACH_WAY(HEAPSIM_CONVERT, float, __ll2float, long long)
HEAPSIM_EACH_WAY(HEAPSIM_CONVERT, float, __ull2float, unsigned long long)
HEAPSIM_EACH_WAY(HEAPSIM_CONVERT, double, __ll2double, long long)
HEAPSIM_EACH_WAY(HEAPSIM_CONVERT, double, __ull2double, unsigned long long)
HEAPSIM_EACH_WAY(HEAPSIM_CONVERT, float, __double2float, double)

#undef HEAPSIM_CONVERT
#undef HEAPSIM_THREE
#undef HEAPSIM_TWO
#undef HEAPSIM_ONE
#undef HEAPSIM_EACH_WAY
#undef HEAPSIM_ROUNDED

#endif
