// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events for `heapsim run --trace`. libmem's embedded backend puts them into a
 * ring (record/tables.h), which is read while the programs run and drawn by
 * trace.c. A program may overwrite the ring, so nothing in it is trusted.
 * Events of the module get the names of their kernels here.
 */
#include <stdlib.h>
#include <string.h>

#include "../clock.h"
#include "events.h"
#include "symbol.h"

/* Whose writer was killed, or is stopped, is not waited for any longer. */
#define PATIENCE_NS	1000000000ULL

/* Names that are remembered. */
#define NR_NAMES	64

/**
 * struct events - a ring that is being read
 * @stacks: where it is
 * @trace: where to
 * @symbols: opened when the first kernel is to have a name
 * @stuck_ns: since when the next event is not all there; 0 it was never missed
 * @nr_skipped: events that were given up
 * @nr_lost: those that were lost, as far as that was told
 * @frames: of kernels
 * @names: theirs; NULL: none was found
 * @nr_names: how many
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
 * events_open() - have events told, and be ready to read them
 * @stacks: that programs will have
 * @trace: where they are drawn; outlives what is returned
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
	stacks->told.is_traced = 1;
	return e;
}

/**
 * events_close() - free it
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

/* Name of the function at a frame, to be freed; NULL: not known. */
static char *name_find(struct events *e, uint64_t frame)
{
	const uint64_t number = frame >> STACKS_MODULE_SHIFT;
	char path[STACKS_PATH_LEN + 1] = "";
	struct frame frames[32];
	int nr;

	if (!number || number > STACKS_NR_MODULES)
		return NULL;
	if (!e->symbols)
		e->symbols = symbols_open();
	if (!e->symbols)
		return NULL;
	/* It may have no end. */
	memcpy(path, e->stacks->modules[number - 1].path, STACKS_PATH_LEN);
	nr = symbols_find(e->symbols, path, frame & STACKS_OFF_MASK, frames,
			  sizeof(frames) / sizeof(frames[0]));
	/* Where it begins, others may be inlined. */
	return nr > 0 && frames[nr - 1].function ?
	       strdup(frames[nr - 1].function) : NULL;
}

static const char *name_of(struct events *e, uint64_t frame,
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
		e->names[i] = name_find(e, frame);
		e->frames[i] = frame;
		e->nr_names++;
	}
	return e->names[i] ? e->names[i] : unnamed;
}

static int draw(struct events *e, const struct told_event *event)
{
	const struct heapsim_record *r = &event->record;
	const struct trace_job job = {
		.kernel = name_of(e, event->kernel, r->kind == TOLD_CALL ?
				  "host function" : "kernel"),
		.thread = event->thread,
	};

	if (r->kind == HEAPSIM_RECORD_DROPPED)
		return 0;
	if (r->kind < HEAPSIM_RECORD_FILL)
		return trace_finding(e->trace, r);
	return trace_event(e->trace, r, &job);
}

/* The next event, if it is there; -1: not yet, 0: it never will be. */
static int event_take(struct events *e, uint64_t nr, bool is_last,
		      struct told_event *event)
{
	const struct told *told = &e->stacks->told;
	const struct told_event *place = &told->events[nr % TOLD_NR_EVENTS];

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

static int lost_draw(struct events *e)
{
	const uint64_t nr = atomic_load(&e->stacks->told.nr_events_lost) +
			    e->nr_skipped;
	const struct heapsim_record r = {
		.kind = HEAPSIM_RECORD_DROPPED,
		.count = nr - e->nr_lost,
		.time_ns = now_ns(),
	};

	if (!r.count)
		return 0;
	e->nr_lost = nr;
	return trace_event(e->trace, &r, NULL);
}

/**
 * events_read() - draw what has been told
 * @events: all; NULL does nothing
 * @is_last: nobody tells anything any more
 *
 * Return: 0 or the first error, -errno; what is there is read all the same.
 */
int events_read(struct events *events, bool is_last)
{
	struct told *told;
	struct told_event event;
	uint64_t nr, end;
	int ret = 0, err;

	if (!events)
		return 0;
	told = &events->stacks->told;
	nr = atomic_load(&told->nr_read);
	end = atomic_load(&told->nr_events);
	/* Never more than there is room for, whatever it says. */
	if (end - nr > TOLD_NR_EVENTS)
		end = nr + TOLD_NR_EVENTS;
	for (; nr != end; nr++) {
		const int is_there = event_take(events, nr, is_last, &event);

		if (is_there < 0)
			break;
		err = is_there ? draw(events, &event) : 0;
		atomic_store(&told->nr_read, nr + 1);
		ret = ret ? ret : err;
	}
	err = lost_draw(events);
	return ret ? ret : err;
}

/**
 * events_of_module() - draw what the module tells
 * @events: all
 * @r: its record
 *
 * Return: as trace_event().
 */
int events_of_module(struct events *events, const struct heapsim_record *r)
{
	const struct trace_job job = {
		.kernel = name_of(events, r->kernel, "kernel"),
	};

	return trace_event(events->trace, r, &job);
}
