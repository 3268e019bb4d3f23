// SPDX-License-Identifier: LGPL-2.1-or-later
/* Counters of completed work, on which threads wait. */
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "embedded.h"

/**
 * done_wait() - wait until a counter changes
 * @count: counter
 * @seen: its value when the caller read it
 * @deadline: CLOCK_MONOTONIC
 *
 * No lock is held, so signal handlers can run.
 *
 * Return: 0 or -ETIMEDOUT; a signal may end it early.
 */
int done_wait(atomic_uint *count, unsigned int seen, uint64_t deadline)
{
	const struct timespec at = {
		.tv_sec = (time_t)(deadline / NS_PER_S),
		.tv_nsec = (long)(deadline % NS_PER_S),
	};

	if (!syscall(SYS_futex, count, FUTEX_WAIT_BITSET_PRIVATE, seen, &at,
		     NULL, FUTEX_BITSET_MATCH_ANY))
		return 0;
	return errno == ETIMEDOUT ? -ETIMEDOUT : 0;
}

/**
 * done_add() - increment a counter and wake the waiters
 * @count: counter
 */
void done_add(atomic_uint *count)
{
	atomic_fetch_add(count, 1);
	syscall(SYS_futex, count, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}
