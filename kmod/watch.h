/* SPDX-License-Identifier: GPL-2.0-only */
/* Watchers, the stacks they ask for, process trees. */
#ifndef HEAPSIM_WATCH_H
#define HEAPSIM_WATCH_H

#include <linux/poll.h>

#include "heapsim.h"

struct heapsim_ctx;
struct pid;

/**
 * struct heapsim_watching - watchers of the calling process or of its ancestors
 * @seen_by: bitmap of their slots; a slot may later be reused by another
 *	watcher
 * @signal: stack signal of the watcher nearest in the process tree; 0 if no
 *	watcher wants stacks
 */
struct heapsim_watching {
	u64 seen_by;
	int signal;
};

extern unsigned int heapsim_nr_watchers;	/* written by watch.c */
extern unsigned int heapsim_nr_event_watchers;

static inline bool heapsim_is_watched(void)
{
	return READ_ONCE(heapsim_nr_watchers);
}

struct heapsim_watching heapsim_watching(void);
void heapsim_watch_report(const struct heapsim_record *r, u64 cpu_seen_by,
			  u64 other_seen_by);
int heapsim_watch(struct heapsim_ctx *ctx, const struct heapsim_watch *cmd);
void heapsim_watch_end(struct heapsim_ctx *ctx);
bool heapsim_watch_has_current(const struct heapsim_ctx *ctx);
ssize_t heapsim_watch_read(struct heapsim_ctx *ctx, char __user *to,
			   size_t len, bool waits);
__poll_t heapsim_watch_poll(struct heapsim_ctx *ctx, struct file *file,
			    struct poll_table_struct *table);

u64 heapsim_stack_place(void);
u64 heapsim_stack_now(int signal);
void heapsim_stack_fini(void);

int heapsim_tree_depth(struct task_struct *task, const struct pid *tgid);

#endif
