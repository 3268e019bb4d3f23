// SPDX-License-Identifier: GPL-2.0-only
/* Trees of processes, as deep as is looked. */
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "watch.h"

/* Who looks may hold a spinlock, and does so for each of several trees. */
#define MAX_DEPTH	64

/**
 * heapsim_tree_depth() - how far a process is below another
 * @task: of the process
 * @tgid: the other
 *
 * A process whose parent is gone is where it was put then.
 *
 * Context: under RCU: what is looked at may be on its way out, not gone.
 * Return: generations, 0 the process itself; -1 it is not below, or too far.
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
