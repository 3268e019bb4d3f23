// SPDX-License-Identifier: GPL-2.0-only
/* Process trees. */
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "watch.h"

/*
 * Bounds the time that a caller holds a spinlock, possibly for several trees.
 */
#define MAX_DEPTH	64

/**
 * heapsim_tree_depth() - get the depth of a process below another
 * @task: a task of the process
 * @tgid: the other process
 *
 * A process whose parent has ended is below the process that adopted it.
 *
 * Context: the RCU read lock is held; tasks may be exiting but are not freed.
 * Return: generations, 0 for the process itself; -1 if it is not below, or too
 * deep.
 */
int heapsim_tree_depth(struct task_struct *task, const struct pid *tgid)
{
	int depth;

	for (depth = 0; depth <= MAX_DEPTH && task->pid; depth++) {
		if (task_tgid(task) == tgid)
			return depth;
		task = rcu_dereference(task->real_parent);
	}
	return -1;
}
