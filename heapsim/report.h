/* SPDX-License-Identifier: GPL-2.0-only */
/* What is said of the findings, to people and to programs. */
#ifndef HEAPSIM_REPORT_H
#define HEAPSIM_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "finding.h"

/**
 * struct run_facts - what was run, and on what
 * @argv: the program and its arguments, NULL terminated
 * @pid: its process
 * @status: of waitpid(); -1: it was not run
 * @nr_left: processes that it left behind
 * @probe: of the module
 */
struct run_facts {
	char *const *argv;
	int pid;
	int status;
	int nr_left;
	struct heapsim_probe probe;
};

void report_print(FILE *out, const struct findings *findings,
		  bool has_suppressions);
int report_write_json(FILE *out, const struct findings *findings,
		      const struct run_facts *facts);

#endif
