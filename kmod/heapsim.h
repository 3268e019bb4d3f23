/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Included by all files of the module.
 *
 * Lock order: mmap_lock, dma_resv, heapsim_owner.lock, heapsim_buf.vmap_lock,
 * heapsim_buf.stock_lock, heapsim_buf.lock, i_mmap_rwsem, PTE lock,
 * heapsim_buf.lines_lock or heapsim_owner.rights_lock, then one of
 * watchers_lock (watch.c), parties_lock (record.c), stacks_lock (stack.c) and
 * dma_buf.name_lock.
 *
 * heapsim_queue.lock (queue.c) is taken before dma_resv. rules_lock (policy.c)
 * is never held together with any of these.
 *
 * User memory is not accessed with heapsim_owner.lock held. With
 * heapsim_buf.lock held, nothing is allocated that may sleep, except page
 * tables, which the core allocates while a PFN is inserted.
 *
 * Between publication and signal of a fence, a worker takes only lines_lock,
 * watchers_lock, parties_lock, name_lock, heapsim_share.lock (queue.c) and
 * locks of fences.
 */
#ifndef HEAPSIM_H
#define HEAPSIM_H

#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/types.h>

#include <linux/heapsim.h>

#include "compat.h"
#include "model/profile.h"

/* Upper bound of every wait for fences of others. */
#define HEAPSIM_WAIT_MS		5000

/*
 * Longest time until a test fence is signalled: below the bound of 10 s, since
 * a timer may be late.
 */
#define HEAPSIM_FENCE_LIFE_NS	(9900 * (u64)NSEC_PER_MSEC)

/* Rounds up and adds one, because the current jiffy has partly passed. */
static inline unsigned long heapsim_jiffies_of(u64 ns)
{
	return nsecs_to_jiffies(ns + TICK_NSEC - 1) + 1;
}

/*
 * Returns true if a long operation should stop; called for each page. A command
 * that runs in an io_uring worker is cancelled by a signal that is not fatal.
 * The thread that polls a queue has the flag of a worker, too, and receives
 * such signals whenever a request completes; it has no worker_private.
 */
static inline bool heapsim_is_killed(void)
{
	return fatal_signal_pending(current) ||
	       (current->flags & PF_IO_WORKER && current->worker_private &&
		signal_pending(current));
}

/* If @waits, sleeps for the lock, whose holder may be cleaning gigabytes. */
static inline int heapsim_lock(struct mutex *lock, bool waits)
{
	if (waits)
		return mutex_lock_killable(lock);
	return mutex_trylock(lock) ? 0 : -EAGAIN;
}

/**
 * enum heapsim_until - when an operation on many pages ends
 * @HEAPSIM_UNTIL_DONE: after its last page
 * @HEAPSIM_UNTIL_KILLED: after its last page, or if the caller is killed
 */
enum heapsim_until {
	HEAPSIM_UNTIL_DONE,
	HEAPSIM_UNTIL_KILLED,
};

static inline bool heapsim_is_over(enum heapsim_until until)
{
	return until == HEAPSIM_UNTIL_KILLED && heapsim_is_killed();
}

/**
 * struct heapsim_rule - policy of a buffer
 * @policy: enum heapsim_policy
 * @evicts: lines are evicted and filled at random
 * @is_precise: every CPU access is tracked
 * @seed: seed of random eviction
 */
struct heapsim_rule {
	u32 policy;
	bool evicts;
	bool is_precise;
	u64 seed;
};

/**
 * struct heapsim_config - configuration; does not change after the module is
 *	loaded
 * @profile: simulated board
 * @vmap_is_cpu: a vmap shows the CPU view instead of DRAM
 * @fill: fill granule, bytes
 * @pool_pages: upper bound of pages kept in each pool
 * @mem_accounting: DRAM is charged to memory cgroups and not kept in pools
 * @limit: upper bound of bytes for all buffers, including CPU images and twins
 * @user_limit: the same for the buffers of one user
 * @has_test_hooks: HOLD, FENCE_CREATE with a buffer and sw_sync are enabled
 */
struct heapsim_config {
	const struct profile *profile;
	bool vmap_is_cpu;
	u32 fill;
	unsigned long pool_pages;
	bool mem_accounting;
	u64 limit;
	u64 user_limit;
	bool has_test_hooks;
};

extern struct heapsim_config heapsim_config;

int heapsim_config_init(struct heapsim_rule *rule);

/**
 * enum heapsim_fault - operations that can be made to fail
 * @HEAPSIM_FAIL_ALLOC: allocation of a chunk fails with ENOMEM
 * @HEAPSIM_FAIL_MAP: the map of an importer fails with ENOMEM
 * @HEAPSIM_FAIL_VMAP: a kernel mapping fails with ENOMEM
 * @HEAPSIM_FAIL_BEGIN: START of a bracket fails with EINTR
 * @HEAPSIM_LATE_FENCE: the fence of a job is signalled at its deadline, with
 *	ETIMEDOUT
 * @HEAPSIM_NR_FAULTS: number of faults
 */
enum heapsim_fault {
	HEAPSIM_FAIL_ALLOC,
	HEAPSIM_FAIL_MAP,
	HEAPSIM_FAIL_VMAP,
	HEAPSIM_FAIL_BEGIN,
	HEAPSIM_LATE_FENCE,
	HEAPSIM_NR_FAULTS,
};

struct dentry;

void heapsim_faults_init(struct dentry *dir);
bool heapsim_fault(enum heapsim_fault which, size_t len);

#endif
