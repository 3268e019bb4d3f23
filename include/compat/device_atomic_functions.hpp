// SPDX-License-Identifier: LGPL-2.1-or-later
/* device_atomic_functions.h in C++: an overload for each type that CUDA has. */
#ifndef __DEVICE_ATOMIC_FUNCTIONS_HPP__
#define __DEVICE_ATOMIC_FUNCTIONS_HPP__

namespace heapsim {

/*
 * The first guess is not read: an instruction that is not atomic would be the
 * first to touch the memory, and hide this one from who looks for it.
 */
template <class T, class F> inline T atomic(T *address, F next)
{
	T old = T(), now;

	do {
		now = next(old);
	} while (!__atomic_compare_exchange(address, &old, &now, false,
					    __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED));
	return old;
}

}

#define HEAPSIM_ATOMIC_1(name, type, body)				\
static inline type name(type *address, type value)			\
{									\
	body;								\
}									\
									\
static inline type name ## _block(type *address, type value)		\
{									\
	return name(address, value);					\
}									\
									\
static inline type name ## _system(type *address, type value)		\
{									\
	heapsim_cu_system_atomic();					\
	return name(address, value);					\
}

#define HEAPSIM_ATOMIC_BUILTIN(name, type, builtin)			\
	HEAPSIM_ATOMIC_1(name, type,					\
			 return builtin(address, value, __ATOMIC_RELAXED))

#define HEAPSIM_ATOMIC_LOOP(name, type, now)				\
	HEAPSIM_ATOMIC_1(name, type, return heapsim::atomic(address,	\
			 [value](type old) -> type { return now; }))

#define HEAPSIM_ATOMIC_CAS(type)					\
static inline type atomicCAS(type *address, type compare, type value)	\
{									\
	__atomic_compare_exchange_n(address, &compare, value, false,	\
				    __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
	return compare;							\
}									\
									\
static inline type atomicCAS_block(type *address, type compare,		\
				   type value)				\
{									\
	return atomicCAS(address, compare, value);			\
}									\
									\
static inline type atomicCAS_system(type *address, type compare,	\
				    type value)				\
{									\
	heapsim_cu_system_atomic();					\
	return atomicCAS(address, compare, value);			\
}

HEAPSIM_ATOMIC_BUILTIN(atomicAdd, int, __atomic_fetch_add)
HEAPSIM_ATOMIC_BUILTIN(atomicAdd, unsigned int, __atomic_fetch_add)
HEAPSIM_ATOMIC_BUILTIN(atomicAdd, unsigned long long, __atomic_fetch_add)
HEAPSIM_ATOMIC_LOOP(atomicAdd, float, old + value)
HEAPSIM_ATOMIC_LOOP(atomicAdd, double, old + value)
HEAPSIM_ATOMIC_BUILTIN(atomicSub, int, __atomic_fetch_sub)
HEAPSIM_ATOMIC_BUILTIN(atomicSub, unsigned int, __atomic_fetch_sub)
HEAPSIM_ATOMIC_BUILTIN(atomicExch, int, __atomic_exchange_n)
HEAPSIM_ATOMIC_BUILTIN(atomicExch, unsigned int, __atomic_exchange_n)
HEAPSIM_ATOMIC_BUILTIN(atomicExch, unsigned long long, __atomic_exchange_n)
HEAPSIM_ATOMIC_LOOP(atomicExch, float, ((void)old, value))
HEAPSIM_ATOMIC_LOOP(atomicMin, int, old < value ? old : value)
HEAPSIM_ATOMIC_LOOP(atomicMin, unsigned int, old < value ? old : value)
HEAPSIM_ATOMIC_LOOP(atomicMin, unsigned long long, old < value ? old : value)
HEAPSIM_ATOMIC_LOOP(atomicMin, long long, old < value ? old : value)
HEAPSIM_ATOMIC_LOOP(atomicMax, int, old > value ? old : value)
HEAPSIM_ATOMIC_LOOP(atomicMax, unsigned int, old > value ? old : value)
HEAPSIM_ATOMIC_LOOP(atomicMax, unsigned long long, old > value ? old : value)
HEAPSIM_ATOMIC_LOOP(atomicMax, long long, old > value ? old : value)
HEAPSIM_ATOMIC_LOOP(atomicInc, unsigned int, old >= value ? 0 : old + 1)
HEAPSIM_ATOMIC_LOOP(atomicDec, unsigned int,
		    old && old <= value ? old - 1 : value)
HEAPSIM_ATOMIC_BUILTIN(atomicAnd, int, __atomic_fetch_and)
HEAPSIM_ATOMIC_BUILTIN(atomicAnd, unsigned int, __atomic_fetch_and)
HEAPSIM_ATOMIC_BUILTIN(atomicAnd, unsigned long long, __atomic_fetch_and)
HEAPSIM_ATOMIC_BUILTIN(atomicOr, int, __atomic_fetch_or)
HEAPSIM_ATOMIC_BUILTIN(atomicOr, unsigned int, __atomic_fetch_or)
HEAPSIM_ATOMIC_BUILTIN(atomicOr, unsigned long long, __atomic_fetch_or)
HEAPSIM_ATOMIC_BUILTIN(atomicXor, int, __atomic_fetch_xor)
HEAPSIM_ATOMIC_BUILTIN(atomicXor, unsigned int, __atomic_fetch_xor)
HEAPSIM_ATOMIC_BUILTIN(atomicXor, unsigned long long, __atomic_fetch_xor)
HEAPSIM_ATOMIC_CAS(unsigned short)
HEAPSIM_ATOMIC_CAS(int)
HEAPSIM_ATOMIC_CAS(unsigned int)
HEAPSIM_ATOMIC_CAS(unsigned long long)

#undef HEAPSIM_ATOMIC_1
#undef HEAPSIM_ATOMIC_BUILTIN
#undef HEAPSIM_ATOMIC_LOOP
#undef HEAPSIM_ATOMIC_CAS

#endif
