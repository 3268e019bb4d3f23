/* SPDX-License-Identifier: GPL-2.0-only */
/* Detection of signals that were sent to our whole process group */
#ifndef HEAPSIM_GROUP_H
#define HEAPSIM_GROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct group - our process group and its witness
 * @last_arg: the last argument of our command line
 * @witness: process that keeps signals pending; not above 0 if there is none
 * @pending: mask of signals that a witness got and that group_got() has not
 *	returned yet; bit 0 is signal 1
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
