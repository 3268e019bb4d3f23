// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the events of libmem's embedded backend from a ring in shared memory
 * (record/tables.h) while the program runs, and writes them to the timeline
 * (trace.c). The program can write to this memory, too, so nothing in it is
 * trusted. Events of the module pass through this file, too, since the names of
 * their kernels are found in the same way.
 */
#include <stdlib.h>
#include <string.h>

#include "../clock.h"
#include "backtrace.h"
#include "events.h"
#include "symbol.h"

/* An event is skipped after this time: its writer was killed or is stopped. */
#define PATIENCE_NS	1000000000ULL

/* Number of kernels' names that are cached */
#define NR_NAMES	64

/**
 * struct events - a ring that is being read
 * @stacks: file with the ring
 * @trace: timeline that the events are written to
 * @symbols: opened when the name of a kernel is needed for the first time
 * @stuck_ns: time since which the next event is incomplete; 0: it is not
 * @nr_skipped: incomplete events that were skipped
 * @nr_lost: lost events that the timeline already shows
 * @frames: kernels whose names are cached
 * @names: names of @frames; NULL: no name was found
 * @nr_names: number of cached names
 */
struct events {
	struct stacks *stacks;
	struct trace *trace;
	struct symbols *symbols;
	uint64_t stuck_ns;
	uint64_t nr_skipped;
	uint64_t nr_lost;
	uint64_t frames[NR_NAMES];
	char *names[NR_NAMES];
	unsigned int nr_names;
};

/**
 * events_open() - make libmem report events, and prepare to read them
 * @stacks: file that programs will map
 * @trace: timeline that the events are written to; must outlive the result
 *
 * Return: for events_close(); NULL without memory.
 */
struct events *events_open(struct stacks *stacks, struct trace *trace)
{
	struct events *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->stacks = stacks;
	e->trace = trace;
	stacks->tables.is_traced = 1;
	return e;
}

/**
 * events_close() - free a reader of events
 * @events: may be NULL
 */
void events_close(struct events *events)
{
	unsigned int i;

	if (!events)
		return;
	for (i = 0; i < NR_NAMES; i++)
		free(events->names[i]);
	symbols_close(events->symbols);
	free(events);
}

/* Returns the function's name at a frame, to be freed; NULL if unknown. */
static char *events_name_find(struct events *e, uint64_t frame)
{
	char path[STACKS_PATH_LEN + 1];
	struct frame frames[32];
	int nr;

	if (!backtrace_module_path(e->stacks, frame, path))
		return NULL;
	if (!e->symbols)
		e->symbols = symbols_open();
	if (!e->symbols)
		return NULL;
	nr = symbols_find(e->symbols, path, frame & STACKS_OFF_MASK, frames,
			  sizeof(frames) / sizeof(frames[0]));
	/* Other functions may be inlined where the kernel begins. */
	return nr > 0 && frames[nr - 1].function ?
	       strdup(frames[nr - 1].function) : NULL;
}

static const char *events_name(struct events *e, uint64_t frame,
			       const char *unnamed)
{
	unsigned int i;

	if (!frame)
		return NULL;
	for (i = 0; i < e->nr_names; i++)
		if (e->frames[i] == frame)
			break;
	if (i == NR_NAMES) {
		e->nr_names = 0;
		i = 0;
	}
	if (i == e->nr_names) {
		free(e->names[i]);
		e->names[i] = events_name_find(e, frame);
		e->frames[i] = frame;
		e->nr_names++;
	}
	return e->names[i] ? e->names[i] : unnamed;
}

static void events_write(struct events *e, const struct record_event *event)
{
	const struct heapsim_record *r = &event->record;
	const struct trace_job job = {
		.kernel = events_name(e, event->kernel, r->kind == RECORD_CALL ?
				      "host function" : "kernel"),
		.thread = event->thread,
	};

	if (r->kind == HEAPSIM_RECORD_DROPPED)
		return;
	if (r->kind < HEAPSIM_RECORD_FILL)
		trace_finding(e->trace, r);
	else
		trace_event(e->trace, r, &job);
}

/* Returns 1 with the next event, -1 if it is incomplete, 0 if skipped. */
static int events_take(struct events *e, uint64_t nr, bool is_last,
		       struct record_event *event)
{
	const struct record_tables *tables = &e->stacks->tables;
	const struct record_event *place =
		&tables->events[nr % RECORD_NR_EVENTS];

	if (atomic_load_explicit(&place->turn, memory_order_acquire) ==
	    nr + 1) {
		memcpy(event, place, sizeof(*event));
		e->stuck_ns = 0;
		return 1;
	}
	if (!e->stuck_ns)
		e->stuck_ns = now_ns();
	if (!is_last && now_ns() - e->stuck_ns < PATIENCE_NS)
		return -1;
	e->stuck_ns = 0;
	e->nr_skipped++;
	return 0;
}

static void events_write_lost(struct events *e)
{
	const uint64_t nr = atomic_load(&e->stacks->tables.nr_events_lost) +
			    e->nr_skipped;
	const struct heapsim_record r = {
		.kind = HEAPSIM_RECORD_DROPPED,
		.count = nr - e->nr_lost,
		.time_ns = now_ns(),
	};

	if (!r.count)
		return;
	e->nr_lost = nr;
	trace_event(e->trace, &r, NULL);
}

/**
 * events_read() - write the events reported so far to the timeline
 * @events: reader; NULL does nothing
 * @is_last: no process writes events any more
 */
void events_read(struct events *events, bool is_last)
{
	struct record_tables *tables;
	struct record_event event;
	uint64_t nr, end;

	if (!events)
		return;
	tables = &events->stacks->tables;
	nr = atomic_load(&tables->nr_read);
	end = atomic_load(&tables->nr_events);
	/* The program may have changed the number, so it is limited. */
	if (end - nr > RECORD_NR_EVENTS)
		end = nr + RECORD_NR_EVENTS;
	for (; nr != end; nr++) {
		const int found = events_take(events, nr, is_last, &event);

		if (found < 0)
			break;
		if (found)
			events_write(events, &event);
		atomic_store(&tables->nr_read, nr + 1);
	}
	events_write_lost(events);
}

/**
 * events_write_of_module() - write an event of the module to the timeline
 * @events: reader, which finds the names of kernels
 * @r: record of the event
 */
void events_write_of_module(struct events *events,
			    const struct heapsim_record *r)
{
	const struct trace_job job = {
		.kernel = events_name(events, r->kernel, "kernel"),
	};

	trace_event(events->trace, r, &job);
}
