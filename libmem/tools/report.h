/* SPDX-License-Identifier: GPL-2.0-only */
/* What is said of the findings, to people and to programs. */
#ifndef HEAPSIM_REPORT_H
#define HEAPSIM_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "finding.h"

/** enum run_backend - where the board is */
enum run_backend {
	RUN_AUTO,	/* only asked for: the module where it is loaded */
	RUN_KERNEL,	/* the module */
	RUN_EMBEDDED,	/* libmem, in the program itself */
};

/**
 * struct run_refusal - a process that was not watched
 * @pid: its number
 * @version: of what its library shares with a command
 * @library: name and version of the library
 * @program: path
 */
struct run_refusal {
	uint32_t pid;
	uint32_t version;
	char library[48];
	char program[192];
};

#define RUN_NR_REFUSALS	15

/**
 * struct run_facts - what was run, and on what
 * @argv: the program and its arguments, NULL terminated
 * @pid: its process
 * @status: of waitpid(); -1: it was not run
 * @nr_left: processes that it left behind
 * @backend: where the board was
 * @probe: of the module; embedded: name and line size of the first context's
 * @nr_contexts: embedded ones that were opened
 * @nr_inline: contexts whose kernels ran in the program, and were not checked
 * @nr_failed: that could not be
 * @failed_err: -errno of the first of these
 * @failed_name: the variable of the environment that it may come from, empty
 *	none
 * @failed_value: its value
 * @bypassed_pid: a process whose system calls libmem could not see, 0 none
 * @is_seen: the program used a buffer or a context that the board sees
 * @nr_refused: processes whose library is of another version than this command
 * @nr_refusals: how many of them @refusals lists
 * @refusals: the first of them
 */
struct run_facts {
	char *const *argv;
	int pid;
	int status;
	int nr_left;
	enum run_backend backend;
	struct heapsim_probe probe;
	uint32_t nr_contexts;
	uint32_t nr_inline;
	uint32_t nr_failed;
	int failed_err;
	char failed_name[32];
	char failed_value[64];
	uint32_t bypassed_pid;
	bool is_seen;
	uint32_t nr_refused;
	uint32_t nr_refusals;
	struct run_refusal refusals[RUN_NR_REFUSALS];
};

void report_print(FILE *out, const struct findings *findings,
		  const struct run_facts *facts, bool has_suppressions);
int report_write_json(FILE *out, const struct findings *findings,
		      const struct run_facts *facts);

#endif
