/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* make_float4(x, y, z, w) and its like: a vector of its elements */
#ifndef __VECTOR_FUNCTIONS_H__
#define __VECTOR_FUNCTIONS_H__

#include "vector_types.h"

#define CUDART_MAKE1(name, type)					\
static inline struct name ## 1 make_ ## name ## 1(type x)		\
{									\
	struct name ## 1 v = { x };					\
									\
	return v;							\
}

#define CUDART_MAKE2(name, type)					\
static inline struct name ## 2 make_ ## name ## 2(type x, type y)	\
{									\
	struct name ## 2 v = { x, y };					\
									\
	return v;							\
}

#define CUDART_MAKE3(name, type)					\
static inline struct name ## 3						\
make_ ## name ## 3(type x, type y, type z)				\
{									\
	struct name ## 3 v = { x, y, z };				\
									\
	return v;							\
}

#define CUDART_MAKE4(name, type)					\
static inline struct name						\
make_ ## name(type x, type y, type z, type w)				\
{									\
	struct name v = { x, y, z, w };					\
									\
	return v;							\
}

#define CUDART_MAKE(name, type)						\
	CUDART_MAKE1(name, type)					\
	CUDART_MAKE2(name, type)					\
	CUDART_MAKE3(name, type)					\
	CUDART_MAKE4(name ## 4, type)

CUDART_MAKE(char, signed char)
CUDART_MAKE(uchar, unsigned char)
CUDART_MAKE(short, short)
CUDART_MAKE(ushort, unsigned short)
CUDART_MAKE(int, int)
CUDART_MAKE(uint, unsigned int)
CUDART_MAKE(long, long)
CUDART_MAKE(ulong, unsigned long)
CUDART_MAKE(float, float)
CUDART_MAKE(longlong, long long)
CUDART_MAKE(ulonglong, unsigned long long)
CUDART_MAKE(double, double)

CUDART_MAKE4(long4_16a, long)
CUDART_MAKE4(long4_32a, long)
CUDART_MAKE4(ulong4_16a, unsigned long)
CUDART_MAKE4(ulong4_32a, unsigned long)
CUDART_MAKE4(longlong4_16a, long long)
CUDART_MAKE4(longlong4_32a, long long)
CUDART_MAKE4(ulonglong4_16a, unsigned long long)
CUDART_MAKE4(ulonglong4_32a, unsigned long long)
CUDART_MAKE4(double4_16a, double)
CUDART_MAKE4(double4_32a, double)

#undef CUDART_MAKE
#undef CUDART_MAKE1
#undef CUDART_MAKE2
#undef CUDART_MAKE3
#undef CUDART_MAKE4

#endif
