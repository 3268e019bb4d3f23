/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all files of the module share.
 *
 * Lock order: mmap_lock, dma_resv, heapsim_streams.lock, heapsim_buf.lock,
 * i_mmap_rwsem, PTE lock, heapsim_buf.lines_lock, then one of watchers_lock (of
 * watch.c), parties_lock (of record.c), stacks_lock (of stack.c) and
 * dma_buf.name_lock. Under heapsim_streams.lock no user memory is touched.
 * rules_lock (of policy.c) has none of these around or in it. Under
 * heapsim_buf.lock nothing that may sleep is allocated but page tables (by the
 * core, while a PFN is inserted).
 * A worker between publication and signal of its fence takes lines_lock,
 * watchers_lock, parties_lock, name_lock, heapsim_share.lock (of queue.c) and
 * those of fences alone.
 * heapsim_queue.lock (of queue.c) is taken before dma_resv.
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

/* Every wait for fences of others ends after this. */
#define HEAPSIM_WAIT_MS		5000

/* At least so long: rounded up, and the present one is partly over. */
static inline unsigned long heapsim_jiffies_of(u64 ns)
{
	return nsecs_to_jiffies(ns + TICK_NSEC - 1) + 1;
}

/*
 * Asked for each page of a long operation. What a worker of io_uring's runs is
 * cancelled by a signal that is not fatal. The thread that polls a queue is a
 * worker by its flag, too: it gets such signals when any request is done.
 */
static inline bool heapsim_is_killed(void)
{
	return fatal_signal_pending(current) ||
	       (current->flags & PF_IO_WORKER && current->worker_private &&
		signal_pending(current));
}

/* Takes a lock whose holder may clean gigabytes, if the caller @waits. */
static inline int heapsim_lock(struct mutex *lock, bool waits)
{
	if (waits)
		return mutex_lock_killable(lock);
	return mutex_trylock(lock) ? 0 : -EAGAIN;
}

/**
 * enum heapsim_until - what ends an operation on many pages
 * @HEAPSIM_UNTIL_DONE: its last page
 * @HEAPSIM_UNTIL_KILLED: that, or SIGKILL of the caller
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
 * struct heapsim_rule - what holds for a buffer
 * @policy: enum heapsim_policy
 * @evicts: its lines are evicted and filled at random
 * @is_precise: each access of the CPU is seen
 * @seed: of random eviction
 */
struct heapsim_rule {
	u32 policy;
	bool evicts;
	bool is_precise;
	u64 seed;
};

/**
 * struct heapsim_config - what the parameters say; fixed once loaded
 * @profile: the board
 * @vmap_is_cpu: a vmap gives the CPU view, not DRAM
 * @fill: fill granule, bytes
 * @pool_pages: most pages that each pool keeps
 * @mem_accounting: DRAM is charged to memory cgroups, and no pool keeps it
 * @limit: most bytes of all buffers, with all their CPU images and twins
 * @user_limit: most bytes of one user's buffers, the same way
 * @has_test_hooks: HOLD, FENCE_CREATE and FENCE_SIGNAL are offered
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
 * @HEAPSIM_FAIL_ALLOC: allocation of a chunk of a buffer: ENOMEM
 * @HEAPSIM_FAIL_MAP: an importer's map: ENOMEM
 * @HEAPSIM_FAIL_VMAP: a kernel mapping: ENOMEM
 * @HEAPSIM_FAIL_BEGIN: START of a bracket: EINTR
 * @HEAPSIM_LATE_FENCE: the fence of a job is signalled at its deadline, with
 *	ETIMEDOUT
 * @HEAPSIM_NR_FAULTS: number of these
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
