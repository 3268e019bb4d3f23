/* SPDX-License-Identifier: GPL-2.0-only */
/* What a run reads from the module */
#ifndef HEAPSIM_WATCH_H
#define HEAPSIM_WATCH_H

#include <stdbool.h>

#include <linux/heapsim.h>

struct events;
struct findings;
struct trace;

/**
 * struct watch - opens of /dev/heapsim, each with its own queue of records
 * @who: prefix of messages
 * @fd: for findings and the policy; -1: the module is not used
 * @events_fd: for events, which are many: they must not take the room of
 *	findings; -1: none
 * @seen_fd: kept until the first event shows that a buffer was used; -1: none
 */
struct watch {
	const char *who;
	int fd;
	int events_fd;
	int seen_fd;
};

int watch_open(struct watch *watch, struct heapsim_probe *probe);
int watch_begin(struct watch *watch, const struct heapsim_probe *probe,
		const struct heapsim_set_policy *policy);
int watch_begin_seen(struct watch *watch);
int watch_begin_events(struct watch *watch);
void watch_close(struct watch *watch);
bool watch_read_seen(struct watch *watch);
int watch_read(struct watch *watch, struct findings *findings,
	       struct events *events, struct trace *trace);

#endif
