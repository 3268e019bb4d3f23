/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Atomic functions, relaxed as CUDA's are: of the device, of a block (_block),
 * and with the CPU (_system), which the board refuses below capability 7.2. In
 * C they are macros that take any type of 4 or 8 bytes.
 */
#ifndef __DEVICE_ATOMIC_FUNCTIONS_H__
#define __DEVICE_ATOMIC_FUNCTIONS_H__

#ifdef __cplusplus
extern "C" {
#endif

/* The kernel fails if the board has no atomics of CPU and GPU together. */
void heapsim_cu_system_atomic(void);

#ifdef __cplusplus
}

#include "device_atomic_functions.hpp"

#else

/*
 * The first guess is not read: an instruction that is not atomic would be the
 * first to touch the memory, and hide this one from who looks for it.
 */
#define HEAPSIM_ATOMIC(address, new_value)				\
__extension__ ({							\
	__typeof__(address) heapsim_at = (address);			\
	__typeof__(*heapsim_at + 0) heapsim_old = 0, heapsim_new;	\
									\
	do {								\
		heapsim_new = (new_value);				\
	} while (!__atomic_compare_exchange(heapsim_at, &heapsim_old,	\
					    &heapsim_new, 0,		\
					    __ATOMIC_RELAXED,		\
					    __ATOMIC_RELAXED));		\
	heapsim_old;							\
})

#define atomicAdd(address, value)					\
	HEAPSIM_ATOMIC(address, heapsim_old + (value))
#define atomicSub(address, value)					\
	HEAPSIM_ATOMIC(address, heapsim_old - (value))
#define atomicExch(address, value)					\
	HEAPSIM_ATOMIC(address, value)
#define atomicMin(address, value)					\
	HEAPSIM_ATOMIC(address, heapsim_old < (value) ?			\
				heapsim_old : (value))
#define atomicMax(address, value)					\
	HEAPSIM_ATOMIC(address, heapsim_old > (value) ?			\
				heapsim_old : (value))
#define atomicInc(address, value)					\
	HEAPSIM_ATOMIC(address, heapsim_old >= (value) ?		\
				0 : heapsim_old + 1)
#define atomicDec(address, value)					\
	HEAPSIM_ATOMIC(address, heapsim_old && heapsim_old <= (value) ?	\
				heapsim_old - 1 : (value))
#define atomicAnd(address, value)					\
	HEAPSIM_ATOMIC(address, heapsim_old & (value))
#define atomicOr(address, value)					\
	HEAPSIM_ATOMIC(address, heapsim_old | (value))
#define atomicXor(address, value)					\
	HEAPSIM_ATOMIC(address, heapsim_old ^ (value))
#define atomicCAS(address, compare, value)				\
__extension__ ({							\
	__typeof__(*(address) + 0) heapsim_was = (compare);		\
									\
	__atomic_compare_exchange_n((address), &heapsim_was, (value), 0, \
				    __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
	heapsim_was;							\
})

#endif

#endif
