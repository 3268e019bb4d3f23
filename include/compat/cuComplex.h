/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Complex numbers as CUDA has them in C: a float2 or a double2, functions. */
#ifndef CU_COMPLEX_H_
#define CU_COMPLEX_H_

#include <math.h>

#include "vector_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

/* A divisor's squares would leave the range: it is taken to about 1 before. */
#define HEAPSIM_COMPLEX(complex, type, make, f)				\
static inline type cuCreal ## f(complex x)				\
{									\
	return x.x;							\
}									\
									\
static inline type cuCimag ## f(complex x)				\
{									\
	return x.y;							\
}									\
									\
static inline complex make(type re, type im)				\
{									\
	complex ret;							\
									\
	ret.x = re;							\
	ret.y = im;							\
	return ret;							\
}									\
									\
static inline complex cuConj ## f(complex x)				\
{									\
	return make(x.x, -x.y);						\
}									\
									\
static inline complex cuCadd ## f(complex x, complex y)			\
{									\
	return make(x.x + y.x, x.y + y.y);				\
}									\
									\
static inline complex cuCsub ## f(complex x, complex y)			\
{									\
	return make(x.x - y.x, x.y - y.y);				\
}									\
									\
static inline complex cuCmul ## f(complex x, complex y)			\
{									\
	return make(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);	\
}									\
									\
static inline complex cuCdiv ## f(complex x, complex y)			\
{									\
	const type scale = 1 / (fabs ## f(y.x) + fabs ## f(y.y));	\
	const type re = y.x * scale, im = y.y * scale;			\
	const type inverse = scale / (re * re + im * im);		\
									\
	return make((x.x * re + x.y * im) * inverse,			\
		    (x.y * re - x.x * im) * inverse);			\
}									\
									\
static inline type cuCabs ## f(complex x)				\
{									\
	return hypot ## f(x.x, x.y);					\
}									\
									\
static inline complex cuCfma ## f(complex x, complex y, complex z)	\
{									\
	return make(x.x * y.x - x.y * y.y + z.x,			\
		    x.x * y.y + x.y * y.x + z.y);			\
}

HEAPSIM_COMPLEX(cuFloatComplex, float, make_cuFloatComplex, f)
HEAPSIM_COMPLEX(cuDoubleComplex, double, make_cuDoubleComplex, )

#undef HEAPSIM_COMPLEX

static inline cuComplex make_cuComplex(float re, float im)
{
	return make_cuFloatComplex(re, im);
}

static inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x)
{
	return make_cuDoubleComplex((double)x.x, (double)x.y);
}

static inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x)
{
	return make_cuFloatComplex((float)x.x, (float)x.y);
}

#ifdef __cplusplus
}
#endif

#endif
