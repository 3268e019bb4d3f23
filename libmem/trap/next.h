/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the wrappers of libmem-trap share: the C library's own functions, and
 * whether the memory that a call names is tracked.
 */
#ifndef _LIBMEM_TRAP_NEXT_H
#define _LIBMEM_TRAP_NEXT_H

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "ops.h"

/* Finds the C library's own function. Aborts if the C library lacks it. */
static inline void *trap_find_next(const char *name)
{
	void *ret = dlsym(RTLD_NEXT, name);

	if (!ret)
		abort();
	return ret;
}

/* Looks a function up once. Threads that race find the same address. */
static inline void *trap_next_of(atomic_uintptr_t *next, const char *name)
{
	uintptr_t ret = atomic_load_explicit(next, memory_order_relaxed);

	if (!ret) {
		ret = (uintptr_t)trap_find_next(name);
		atomic_store_explicit(next, ret, memory_order_relaxed);
	}
	return (void *)ret;
}

#define NEXT(function) ({						\
	static atomic_uintptr_t next;					\
	__typeof__((function)) *real = trap_next_of(&next, #function);	\
									\
	real;								\
})

/* Returns true if any of the bytes is tracked memory. */
static inline bool trap_is_tracked(const void *addr, size_t len)
{
	const struct trap_ops *ops = trap_ops();
	const struct area area = { addr, len };

	return ops && addr && ops->is_ours(&area, 1);
}

/* off_t has 64 bits, so one function serves both names. */
#define ALIAS64(function) __attribute__((alias(#function)))

#endif
