/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dot products of small integers, which are overloads: C++ alone. */
#ifndef __SM_61_INTRINSICS_H__
#define __SM_61_INTRINSICS_H__

#ifdef __cplusplus
#include "vector_types.h"

namespace heapsim {
template <class T> inline T bits_of(const void *from)
{
	T to;

	__builtin_memcpy(&to, from, sizeof(to));
	return to;
}
}

/* To c, which wraps, the products of four bytes, or of two halves and bytes. */
#define HEAPSIM_DOT(type, four, two)					\
static inline type __dp4a(four x, four y, type c)			\
{									\
	return (type)((unsigned int)c +					\
		      (unsigned int)(x.x * y.x + x.y * y.y +		\
				     x.z * y.z + x.w * y.w));		\
}									\
									\
static inline type __dp2a_lo(two x, four y, type c)			\
{									\
	return (type)((unsigned int)c +					\
		      (unsigned int)(x.x * y.x + x.y * y.y));		\
}									\
									\
static inline type __dp2a_hi(two x, four y, type c)			\
{									\
	return (type)((unsigned int)c +					\
		      (unsigned int)(x.x * y.z + x.y * y.w));		\
}									\
									\
static inline type __dp4a(type x, type y, type c)			\
{									\
	return __dp4a(::heapsim::bits_of<four>(&x),			\
		      ::heapsim::bits_of<four>(&y), c);			\
}									\
									\
static inline type __dp2a_lo(type x, type y, type c)			\
{									\
	return __dp2a_lo(::heapsim::bits_of<two>(&x),			\
			 ::heapsim::bits_of<four>(&y), c);		\
}									\
									\
static inline type __dp2a_hi(type x, type y, type c)			\
{									\
	return __dp2a_hi(::heapsim::bits_of<two>(&x),			\
			 ::heapsim::bits_of<four>(&y), c);		\
}

HEAPSIM_DOT(int, char4, short2)
HEAPSIM_DOT(unsigned int, uchar4, ushort2)

#undef HEAPSIM_DOT
#endif

#endif
