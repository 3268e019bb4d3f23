// SPDX-License-Identifier: LGPL-2.1-or-later
/* math_functions.h in C++: overloads, and loads that say how they are cached. */
#ifndef __MATH_FUNCTIONS_HPP__
#define __MATH_FUNCTIONS_HPP__

/* Of two integers that differ, the type that C++ would compare them in. */
#define HEAPSIM_MIN_MAX(type, a_type, b_type)				\
static inline type min(a_type a, b_type b)				\
{									\
	return (type)a < (type)b ? (type)a : (type)b;			\
}									\
									\
static inline type max(a_type a, b_type b)				\
{									\
	return (type)a > (type)b ? (type)a : (type)b;			\
}

#define HEAPSIM_FLOAT_MIN_MAX(type, a_type, b_type, suffix)		\
static inline type min(a_type a, b_type b)				\
{									\
	return fmin ## suffix(a, b);					\
}									\
									\
static inline type max(a_type a, b_type b)				\
{									\
	return fmax ## suffix(a, b);					\
}

HEAPSIM_MIN_MAX(int, int, int)
HEAPSIM_MIN_MAX(unsigned int, unsigned int, unsigned int)
HEAPSIM_MIN_MAX(unsigned int, int, unsigned int)
HEAPSIM_MIN_MAX(unsigned int, unsigned int, int)
HEAPSIM_MIN_MAX(long, long, long)
HEAPSIM_MIN_MAX(unsigned long, unsigned long, unsigned long)
HEAPSIM_MIN_MAX(unsigned long, long, unsigned long)
HEAPSIM_MIN_MAX(unsigned long, unsigned long, long)
HEAPSIM_MIN_MAX(long long, long long, long long)
HEAPSIM_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
HEAPSIM_MIN_MAX(unsigned long long, long long, unsigned long long)
HEAPSIM_MIN_MAX(unsigned long long, unsigned long long, long long)
HEAPSIM_FLOAT_MIN_MAX(float, float, float, f)
HEAPSIM_FLOAT_MIN_MAX(double, double, double, )
HEAPSIM_FLOAT_MIN_MAX(double, float, double, )
HEAPSIM_FLOAT_MIN_MAX(double, double, float, )

#undef HEAPSIM_MIN_MAX
#undef HEAPSIM_FLOAT_MIN_MAX

static inline long long llmin(long long a, long long b)
{
	return a < b ? a : b;
}

static inline long long llmax(long long a, long long b)
{
	return a > b ? a : b;
}

/* One view, so it is a load or a store like any other. */
#define HEAPSIM_LOAD(name)						\
template <class T> static inline T name(const T *at)			\
{									\
	return *at;							\
}

#define HEAPSIM_STORE(name)						\
template <class T> static inline void name(T *at, T value)		\
{									\
	*at = value;							\
}

HEAPSIM_LOAD(__ldg)
HEAPSIM_LOAD(__ldca)
HEAPSIM_LOAD(__ldcg)
HEAPSIM_LOAD(__ldcs)
HEAPSIM_LOAD(__ldcv)
HEAPSIM_LOAD(__ldlu)
HEAPSIM_STORE(__stcg)
HEAPSIM_STORE(__stcs)
HEAPSIM_STORE(__stwb)
HEAPSIM_STORE(__stwt)

#undef HEAPSIM_LOAD
#undef HEAPSIM_STORE

#endif
