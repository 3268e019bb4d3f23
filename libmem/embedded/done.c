// SPDX-License-Identifier: LGPL-2.1-or-later
/* Counters of completed work, on which other threads wait. */
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "embedded.h"

/**
 * done_wait() - wait until a counter has changed
 * @count: counter
 * @seen: value of the counter that the caller has read
 * @deadline: monotonic clock, ns
 *
 * Context: the caller holds no lock and has not blocked signals, so that signal
 * handlers run.
 * Return: 0, also if a signal has ended the wait early, or -ETIMEDOUT.
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
 * done_tell() - increment a counter and wake those that wait for it
 * @count: counter
 */
void done_tell(atomic_uint *count)
{
	atomic_fetch_add(count, 1);
	syscall(SYS_futex, count, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}
