/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions of numbers that CUDA has beside the C library's. What is less exact
 * on a GPU (__expf() and so on) is as exact here as the function that it
 * stands for.
 */
#ifndef __MATH_FUNCTIONS_H__
#define __MATH_FUNCTIONS_H__

#ifdef __cplusplus
#include <cmath>
#include <cstdlib>
#endif
#include <math.h>
#include <stdlib.h>

/* The C library declares functions of these names that it does not export. */
#define __expf(x)		expf(x)
#define __exp10f(x)		powf(10.0f, x)
#define __logf(x)		logf(x)
#define __log2f(x)		log2f(x)
#define __log10f(x)		log10f(x)
#define __sinf(x)		sinf(x)
#define __cosf(x)		cosf(x)
#define __tanf(x)		tanf(x)
#define __powf(x, y)		powf(x, y)
#define __sincosf(x, s, c)	heapsim_sincosf(x, s, c)

#ifdef __cplusplus
extern "C" {
#endif

static inline void heapsim_sincosf(float x, float *s, float *c)
{
	*s = sinf(x);
	*c = cosf(x);
}

/* glibc has had some of C23's from 2.41 and 2.42 on. */
#if !(defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 42))
static inline float rsqrtf(float x)
{
	return 1.0f / sqrtf(x);
}

static inline double rsqrt(double x)
{
	return 1.0 / sqrt(x);
}
#endif

#if !(defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 41))
#define HEAPSIM_PI	3.14159265358979323846

static inline float sinpif(float x)
{
	return (float)sin(HEAPSIM_PI * (double)fmodf(x, 2.0f));
}

static inline float cospif(float x)
{
	return (float)cos(HEAPSIM_PI * (double)fmodf(x, 2.0f));
}

static inline double sinpi(double x)
{
	return sin(HEAPSIM_PI * fmod(x, 2.0));
}

static inline double cospi(double x)
{
	return cos(HEAPSIM_PI * fmod(x, 2.0));
}

#undef HEAPSIM_PI
#endif

static inline float rcbrtf(float x)
{
	return 1.0f / cbrtf(x);
}

static inline double rcbrt(double x)
{
	return 1.0 / cbrt(x);
}

static inline float rhypotf(float x, float y)
{
	return 1.0f / hypotf(x, y);
}

static inline double rhypot(double x, double y)
{
	return 1.0 / hypot(x, y);
}

static inline void sincospif(float x, float *s, float *c)
{
	*s = sinpif(x);
	*c = cospif(x);
}

static inline void sincospi(double x, double *s, double *c)
{
	*s = sinpi(x);
	*c = cospi(x);
}

static inline float fdividef(float x, float y)
{
	return x / y;
}

static inline float __fdividef(float x, float y)
{
	return x / y;
}

static inline float __saturatef(float x)
{
	return x > 0.0f ? x < 1.0f ? x : 1.0f : 0.0f;
}

/* Rounded to the nearest: each is one instruction, not fused with others. */
#define HEAPSIM_BINARY(name, op)					\
static inline float __f ## name ## _rn(float x, float y)		\
{									\
	volatile float ret = x op y;					\
									\
	return ret;							\
}									\
									\
static inline double __d ## name ## _rn(double x, double y)		\
{									\
	volatile double ret = x op y;					\
									\
	return ret;							\
}

HEAPSIM_BINARY(add, +)
HEAPSIM_BINARY(sub, -)
HEAPSIM_BINARY(mul, *)
HEAPSIM_BINARY(div, /)

#undef HEAPSIM_BINARY

static inline float __fmaf_rn(float x, float y, float z)
{
	return fmaf(x, y, z);
}

static inline double __fma_rn(double x, double y, double z)
{
	return fma(x, y, z);
}

static inline float __fsqrt_rn(float x)
{
	return sqrtf(x);
}

static inline double __dsqrt_rn(double x)
{
	return sqrt(x);
}

static inline float __frsqrt_rn(float x)
{
	return (float)(1.0 / sqrt((double)x));
}

static inline float __frcp_rn(float x)
{
	return 1.0f / x;
}

static inline double __drcp_rn(double x)
{
	return 1.0 / x;
}

static inline unsigned long long ullmin(unsigned long long a,
					unsigned long long b)
{
	return a < b ? a : b;
}

static inline unsigned long long ullmax(unsigned long long a,
					unsigned long long b)
{
	return a > b ? a : b;
}

static inline unsigned int umin(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

static inline unsigned int umax(unsigned int a, unsigned int b)
{
	return a > b ? a : b;
}

#include "rounded_functions.h"
#include "special_functions.h"

#ifdef __cplusplus
}

#include "math_functions.hpp"
#endif

#endif
