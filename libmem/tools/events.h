/* SPDX-License-Identifier: GPL-2.0-only */
/* Events that libmem reports while a program runs, for the timeline. */
#ifndef HEAPSIM_EVENTS_H
#define HEAPSIM_EVENTS_H

#include <stdbool.h>

#include "../record/stacks.h"
#include "trace.h"

struct events;

struct events *events_open(struct stacks *stacks, struct trace *trace);
void events_close(struct events *events);
void events_read(struct events *events, bool is_last);
void events_write_of_module(struct events *events,
			    const struct heapsim_record *r);

#endif
