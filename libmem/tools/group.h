/* SPDX-License-Identifier: GPL-2.0-only */
/* Which signals went to all of our process group. */
#ifndef HEAPSIM_GROUP_H
#define HEAPSIM_GROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct group - our process group, as a witness sees it
 * @last_arg: the last argument of our command line
 * @witness: a process of the group; not above 0 if there is none
 * @pending: signals that witnesses got, by bits from 0, and that nobody has
 *	asked for yet
 */
struct group {
	char *last_arg;
	pid_t witness;
	uint64_t pending;
};

void group_watch(struct group *group, char *last_arg);
bool group_got(struct group *group, int number);
void group_leave(struct group *group);

#endif
