/* SPDX-License-Identifier: GPL-2.0-only */
/* The program that is run, its environment and its start */
#ifndef HEAPSIM_PROGRAM_H
#define HEAPSIM_PROGRAM_H

#include <signal.h>

#include "report.h"

int program_prepare(const char *who, const struct run_facts *facts,
		    const char *soc, int stacks_fd);
int program_start(const char *who, struct run_facts *facts,
		  struct findings *findings, const sigset_t *mask);

#endif
