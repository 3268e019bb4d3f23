/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions that CUDA has and the C library has not: norms, inverses of erf()
 * and erfc(), the normal distribution, modified Bessel functions. They are
 * found by the C library's own, so that they are as exact as those, nearly;
 * those of float by those of double.
 */
#ifndef __SPECIAL_FUNCTIONS_H__
#define __SPECIAL_FUNCTIONS_H__

#include <math.h>

/* A square that is beyond the range is no reason for the root to be. */
static inline double heapsim_norm(int dim, const double *x)
{
	double largest = 0, sum = 0;
	int i, exponent;

	for (i = 0; i < dim; i++) {
		if (__builtin_isinf(x[i]))
			return HUGE_VAL;
		largest = fmax(largest, fabs(x[i]));
	}
	frexp(largest, &exponent);
	for (i = 0; i < dim; i++)
		sum += ldexp(x[i], -exponent) * ldexp(x[i], -exponent);
	return ldexp(sqrt(sum), exponent);
}

static inline float heapsim_normf(int dim, const float *x)
{
	double sum = 0;
	int i;

	for (i = 0; i < dim; i++) {
		if (__builtin_isinf(x[i]))
			return HUGE_VALF;
		sum += (double)x[i] * (double)x[i];
	}
	return (float)sqrt(sum);
}

#define HEAPSIM_NORM(type, suffix)					\
static inline type norm3d ## suffix(type a, type b, type c)		\
{									\
	const type all[] = { a, b, c };					\
									\
	return heapsim_norm ## suffix(3, all);				\
}									\
									\
static inline type norm4d ## suffix(type a, type b, type c, type d)	\
{									\
	const type all[] = { a, b, c, d };				\
									\
	return heapsim_norm ## suffix(4, all);				\
}									\
									\
static inline type rnorm3d ## suffix(type a, type b, type c)		\
{									\
	return 1 / norm3d ## suffix(a, b, c);				\
}									\
									\
static inline type rnorm4d ## suffix(type a, type b, type c, type d)	\
{									\
	return 1 / norm4d ## suffix(a, b, c, d);			\
}

HEAPSIM_NORM(float, f)
HEAPSIM_NORM(double, )

#undef HEAPSIM_NORM

/* Of kernels' files alone: other programs may have functions of these names. */
#ifdef __CUDACC__

#define HEAPSIM_PI		3.14159265358979323846
#define HEAPSIM_2_SQRT_PI	1.12837916709551257390	/* 2 / sqrt(pi) */
#define HEAPSIM_SQRT_2		1.41421356237309504880
/* 1 / sqrt(2), and what a double has not of it. */
#define HEAPSIM_SQRT_HALF	0.70710678118654752440
#define HEAPSIM_SQRT_HALF_LOW	(-4.8336466567264567e-17)

/*
 * Halley's method for erf(x) = y and erfc(x) = z: each step has three times the
 * digits. At the ends, what is to be found is known.
 */
static inline double heapsim_erfinv_small(double y)
{
	double x = y / HEAPSIM_2_SQRT_PI * (1 + HEAPSIM_PI / 12 * y * y);
	double err;
	int i;

	for (i = 0; i < 3; i++) {
		err = (erf(x) - y) / (HEAPSIM_2_SQRT_PI * exp(-x * x));
		x -= err / (1 + x * err);
	}
	return x;
}

static inline double heapsim_erfcinv_tail(double z)
{
	/* Abramowitz and Stegun, 26.2.22, has three digits. */
	const double t = sqrt(-2 * (log(z) - log(2.0)));
	double x = HEAPSIM_SQRT_HALF *
		   (t - (2.30753 + t * 0.27061) /
			(1 + t * (0.99229 + t * 0.04481)));
	double err;
	int i;

	for (i = 0; i < 3; i++) {
		err = (erfc(x) - z) / (HEAPSIM_2_SQRT_PI * exp(-x * x));
		x += err / (1 - x * err);
	}
	return x;
}

static inline double erfcinv(double z)
{
	if (!(z >= 0 && z <= 2))
		return NAN;
	if (z == 0)
		return HUGE_VAL;
	if (z == 2)
		return -HUGE_VAL;
	if (z < 0.5)
		return heapsim_erfcinv_tail(z);
	if (z > 1.5)
		return -heapsim_erfcinv_tail(2 - z);
	return heapsim_erfinv_small(1 - z);
}

static inline double erfinv(double y)
{
	if (!(y >= -1 && y <= 1))
		return NAN;
	if (fabs(y) <= 0.5)
		return heapsim_erfinv_small(y);
	return y < 0 ? -erfcinv(1 + y) : erfcinv(1 - y);
}

/* The argument's rounding would be a large error far out. */
static inline double normcdf(double x)
{
	const double at = -x * HEAPSIM_SQRT_HALF;
	const double rest = fma(-x, HEAPSIM_SQRT_HALF, -at) -
			    x * HEAPSIM_SQRT_HALF_LOW;

	if (!__builtin_isfinite(at))
		return erfc(at) / 2;
	return (erfc(at) - HEAPSIM_2_SQRT_PI * exp(-at * at) * rest) / 2;
}

static inline double normcdfinv(double p)
{
	return -HEAPSIM_SQRT_2 * erfcinv(2 * p);
}

/* exp(x * x) * erfc(x), which neither is within range for a large x. */
static inline double erfcx(double x)
{
	const double square = x * x;
	double term = 1, sum = 1;
	int i;

	if (x < -27)
		return HUGE_VAL;
	if (x < 20)
		return exp(square) * (1 + fma(x, x, -square)) * erfc(x);
	if (x > 1e10)
		return HEAPSIM_2_SQRT_PI / 2 / x;
	for (i = 1; i < 16; i++) {
		term *= -(2 * i - 1) / (2 * square);
		sum += term;
	}
	return HEAPSIM_2_SQRT_PI / 2 / x * sum;
}

/* By the power series, where nothing cancels, or for large x from infinity. */
static inline double heapsim_bessel_i(int order, double x)
{
	const double size = fabs(x), mu = 4.0 * order * order;
	const double quarter = size * size / 4;
	double term = 1, sum = 1;
	int i;

	if (size < 30) {
		for (i = 1; term > 1e-18 * sum; i++) {
			term *= quarter / ((double)i * (i + order));
			sum += term;
		}
		return order ? x / 2 * sum : sum;
	}
	if (__builtin_isinf(size))
		return x > 0 || !order ? HUGE_VAL : -HUGE_VAL;
	for (i = 1; i < 40; i++) {
		term *= -(mu - (2.0 * i - 1) * (2.0 * i - 1)) / (8 * i * size);
		sum += term;
	}
	sum *= exp(size / 2) / sqrt(2 * HEAPSIM_PI * size) * exp(size / 2);
	return order && x < 0 ? -sum : sum;
}

static inline double cyl_bessel_i0(double x)
{
	return x == x ? heapsim_bessel_i(0, x) : x;
}

static inline double cyl_bessel_i1(double x)
{
	return x == x ? heapsim_bessel_i(1, x) : x;
}

#define HEAPSIM_AS_DOUBLE(name)						\
static inline float name ## f(float x)					\
{									\
	return (float)name((double)x);					\
}

HEAPSIM_AS_DOUBLE(erfinv)
HEAPSIM_AS_DOUBLE(erfcinv)
HEAPSIM_AS_DOUBLE(erfcx)
HEAPSIM_AS_DOUBLE(normcdf)
HEAPSIM_AS_DOUBLE(normcdfinv)
HEAPSIM_AS_DOUBLE(cyl_bessel_i0)
HEAPSIM_AS_DOUBLE(cyl_bessel_i1)

#undef HEAPSIM_AS_DOUBLE

#undef HEAPSIM_SQRT_HALF_LOW
#undef HEAPSIM_SQRT_HALF
#undef HEAPSIM_SQRT_2
#undef HEAPSIM_2_SQRT_PI
#undef HEAPSIM_PI

#define HEAPSIM_NORM(type, suffix)					\
static inline type norm ## suffix(int dim, const type *x)		\
{									\
	return heapsim_norm ## suffix(dim, x);				\
}									\
									\
static inline type rnorm ## suffix(int dim, const type *x)		\
{									\
	return 1 / heapsim_norm ## suffix(dim, x);			\
}

HEAPSIM_NORM(float, f)
HEAPSIM_NORM(double, )

#undef HEAPSIM_NORM

#endif

#endif
