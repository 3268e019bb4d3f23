/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of a random program on the model of managed memory and its
 * reference. attach_random_test.c runs it; attach_groups.c is a host with
 * groups.
 */
#ifndef ATTACH_RUN_H
#define ATTACH_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <attach.h>

#include "attach_ref.h"
#include "steps.h"

#define NR_STREAMS	6	/* existing at a time; the first is NULL */
#define NR_BUFS		5
#define NR_EVENTS	4
#define NR_FOREIGN	3
#define NR_HOSTS	4

/**
 * struct buf - a buffer on both sides
 * @model: buffer of the model; first, so that act finds this struct
 * @ref: number in the reference
 * @exists: the slot is in use
 * @may_be_dirty: the CPU had access since act was called for a job's clean
 * @told: bits of the actions in this call
 * @acted: number of calls of act for each bit
 * @right: the CPU's right in a host with groups
 * @has_pages: in such a host: the CPU has access to pages
 * @has_lines: in such a host: the CPU's cache has lines
 * @invalidates: number of invalidates by the reference
 */
struct buf {
	struct attach_buf model;
	int ref;
	bool exists;
	bool may_be_dirty;
	uint32_t told;
	uint64_t acted[8];
	struct right_buf right;
	bool has_pages;
	bool has_lines;
	uint64_t invalidates;
};

/**
 * struct own - a stream's memory
 * @model: stream of the model
 * @group: in a host with groups: buffers that are single to it
 */
struct own {
	struct attach_stream model;
	struct right_group group;
};

/**
 * struct stream - a stream on both sides
 * @model: stream of the model; NULL: the slot is free
 * @ref: number in the reference
 */
struct stream {
	struct attach_stream *model;
	int ref;
};

/**
 * struct function - a host function on both sides
 * @model: operation of the model; NULL: none
 * @ref: number in the reference
 */
struct function {
	struct attach_op *model;
	size_t ref;
};

/**
 * struct run - a program while it runs
 * @steps: steps of the program
 * @ctx: the model
 * @ref: the reference
 * @streams: existing streams
 * @bufs: existing buffers
 * @events: events of the model; the reference has the same numbers
 * @hosts: functions that have not returned
 * @foreign: streams of jobs of foreign streams that have not ended, or NULL
 * @gone: counters of destroyed buffers
 * @nr_ops: number of operations given to the model
 * @nr_given: number of streams given to the model
 * @globals: in a host with groups: the global buffers
 * @null_group: in such a host: buffers that are single to the NULL stream
 * @nr_active: number of active streams that such a host knows
 */
struct run {
	struct steps steps;
	struct attach_ctx ctx;
	struct attach_ref *ref;
	struct stream streams[NR_STREAMS];
	struct buf bufs[NR_BUFS];
	struct attach_event events[NR_EVENTS];
	struct function hosts[NR_HOSTS];
	struct attach_stream *foreign[NR_FOREIGN];
	struct attach_counters gone;
	size_t nr_ops;
	size_t nr_given;
	struct right_group globals;
	struct right_group null_group;
	size_t nr_active;
};

static inline size_t below(struct run *run, size_t bound)
{
	return steps_draw(&run->steps, bound);
}

static inline void failed(const struct run *run, const char *why,
			  uint64_t have, uint64_t want)
{
	fprintf(stderr, "# %s: %llu, reference %llu; SEED=%#llx; last steps:\n",
		why, (unsigned long long)have, (unsigned long long)want,
		(unsigned long long)run->steps.seed);
	steps_print(&run->steps, stderr);
	fail();
}

static inline void equal(const struct run *run, const char *what,
			 uint64_t have, uint64_t want)
{
	if (have != want)
		failed(run, what, have, want);
}

static inline void act(struct attach_ctx *ctx, struct attach_buf *buf, u32 what)
{
	struct buf *b = (struct buf *)buf;
	size_t i;

	(void)ctx;
	b->told |= what;
	for (i = 0; i < 8; i++)
		b->acted[i] += what >> i & 1;
}

static inline uint64_t acted(const struct buf *b, u32 what)
{
	return b->acted[__builtin_ctz(what)];
}

/* attach_groups.c */
void groups_init(struct run *run);
bool groups_are_used(const struct run *run);
void groups_join(struct run *run, struct buf *b);
void groups_see_job(struct run *run, struct attach_stream *s,
		    const bool *is_visible);
void groups_compare(struct run *run, struct buf *b);

#endif
