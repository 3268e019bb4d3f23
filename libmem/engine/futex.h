/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Futexes in memory that processes share. Usable in signal handlers, too. */
#ifndef _LIBMEM_FUTEX_H
#define _LIBMEM_FUTEX_H

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define FOREVER		UINT64_MAX

/*
 * Waits until @word is not @seen or @until_ns (CLOCK_MONOTONIC) has passed; may
 * also return early.
 */
static inline void futex_wait(atomic_uint *word, unsigned int seen,
			      uint64_t until_ns)
{
	const struct timespec at = {
		.tv_sec = (time_t)(until_ns / 1000000000),
		.tv_nsec = (long)(until_ns % 1000000000),
	};

	syscall(SYS_futex, word, FUTEX_WAIT_BITSET, seen,
		until_ns == FOREVER ? NULL : &at, NULL, FUTEX_BITSET_MATCH_ANY);
}

static inline void futex_wake(atomic_uint *word, int nr)
{
	syscall(SYS_futex, word, FUTEX_WAKE, nr, NULL, NULL, 0);
}

/* The word has three states: free, held, held with waiters. */
static inline void futex_lock(atomic_uint *word)
{
	unsigned int was = 0;

	if (atomic_compare_exchange_strong(word, &was, 1))
		return;
	while (atomic_exchange(word, 2))
		futex_wait(word, 2, FOREVER);
}

static inline void futex_unlock(atomic_uint *word)
{
	if (atomic_exchange(word, 0) == 2)
		futex_wake(word, 1);
}

#endif
