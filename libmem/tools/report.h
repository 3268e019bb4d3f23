/* SPDX-License-Identifier: GPL-2.0-only */
/* Reports of the findings, for people and for programs */
#ifndef HEAPSIM_REPORT_H
#define HEAPSIM_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "findings.h"

/** enum run_backend - where the board is simulated */
enum run_backend {
	RUN_AUTO,	/* as an option only: the module if it is loaded */
	RUN_KERNEL,	/* the module */
	RUN_EMBEDDED,	/* libmem, in the program itself */
};

/**
 * struct run_refusal - a process that was not watched
 * @pid: process
 * @version: version of the layout that its library shares with the command
 * @library: name and version of the library; empty: unknown
 * @program: path of the program
 */
struct run_refusal {
	uint32_t pid;
	uint32_t version;
	char library[48];
	char program[192];
};

#define RUN_NR_REFUSALS	15

/**
 * struct run_facts - the program that was run, and its board
 * @argv: the program and its arguments, NULL terminated
 * @pid: process of the program
 * @status: status from waitpid(); -1: the program was not run
 * @nr_left: number of processes that the program left running
 * @backend: where the board was simulated
 * @probe: what the module returned; on the embedded backend, the name and line
 *	size of the first context's board
 * @nr_contexts: number of contexts opened on the embedded backend
 * @nr_inline: contexts whose kernels ran in the program and were not checked
 * @nr_failed: contexts that could not be opened
 * @failed_err: -errno of the first of these
 * @failed_name: environment variable that may be the cause; empty: none
 * @failed_value: value of this variable
 * @bypassed_pid: process whose system calls libmem could not see; 0: none
 * @is_seen: the program used a buffer or a context that the board sees
 * @nr_refused: processes whose library is of another version than the command
 * @nr_refusals: number of entries in @refusals
 * @refusals: the first of these processes
 * @nr_unwatched: processes that opened a context, and could not open the file
 *	of the records
 * @unwatched: the first RUN_NR_REFUSALS of these; their pid is 0 if they have
 *	no number in this pid namespace
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
	uint32_t nr_unwatched;
	struct run_refusal unwatched[RUN_NR_REFUSALS];
};

void report_print(FILE *out, const struct findings *findings,
		  const struct run_facts *facts, bool has_suppressions);
int report_write_json(FILE *out, const struct findings *findings,
		      const struct run_facts *facts);

#endif
