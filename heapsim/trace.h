/* SPDX-License-Identifier: GPL-2.0-only */
/* A run over time, as a file that Perfetto opens. */
#ifndef HEAPSIM_TRACE_H
#define HEAPSIM_TRACE_H

#include <stdint.h>
#include <stdio.h>

#include <linux/heapsim.h>

#include "report.h"

struct trace;

struct trace *trace_open(FILE *out);
void trace_close(struct trace *trace);
int trace_event(struct trace *trace, const struct heapsim_record *r);
int trace_finding(struct trace *trace, const struct heapsim_record *r);
int trace_end(struct trace *trace, const struct run_facts *facts);
uint64_t trace_nr_lost(const struct trace *trace);

#endif
