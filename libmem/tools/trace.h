/* SPDX-License-Identifier: GPL-2.0-only */
/* The timeline of a run, as a file for Perfetto */
#ifndef HEAPSIM_TRACE_H
#define HEAPSIM_TRACE_H

#include <stdint.h>
#include <stdio.h>

#include <linux/heapsim.h>

#include "report.h"

struct trace;

/**
 * struct trace_job - facts about a job that a record lacks
 * @kernel: name of the kernel or host function that it runs; NULL: none
 * @thread: thread of the program that simulates the engine; 0: the engine is
 *	the module's
 */
struct trace_job {
	const char *kernel;
	uint32_t thread;
};

struct trace *trace_open(FILE *out);
void trace_close(struct trace *trace);
void trace_event(struct trace *trace, const struct heapsim_record *r,
		 const struct trace_job *job);
void trace_finding(struct trace *trace, const struct heapsim_record *r);
int trace_end(struct trace *trace, const struct run_facts *facts);
uint64_t trace_nr_lost(const struct trace *trace);

#endif
