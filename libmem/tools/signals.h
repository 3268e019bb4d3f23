/* SPDX-License-Identifier: GPL-2.0-only */
/* Signals that a run takes, and forwards to the program */
#ifndef HEAPSIM_SIGNALS_H
#define HEAPSIM_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "group.h"

/**
 * struct signals - signals of a run
 * @who: prefix of messages
 * @last_arg: the last argument in the original argv of this process
 * @fd: signalfd with the signals; -1: not opened
 * @old_mask: mask of blocked signals before the run
 * @group: our process group, which the program is in unless it leaves it
 * @nr_asked: how often a signal asked this process to end
 */
struct signals {
	const char *who;
	char *last_arg;
	int fd;
	sigset_t old_mask;
	struct group group;
	int nr_asked;
};

int signals_stand_in(struct signals *signals);
int signals_open(struct signals *signals);
void signals_close(struct signals *signals);
void signals_forward(struct signals *signals, pid_t pid, bool has_ended);

#endif
