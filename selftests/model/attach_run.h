/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A random program on the model of managed memory and its reference, while it
 * is played: attach_random_test.c plays it, attach_groups.c is a host with
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

#define NR_STREAMS	6	/* at a time, the NULL stream is the first */
#define NR_BUFS		5
#define NR_EVENTS	4
#define NR_HOSTS	4

/**
 * struct buf - a buffer on both sides
 * @model: the model's; first, so that act finds the rest
 * @ref: its number
 * @exists: it does
 * @may_be_dirty: the CPU had access since a job's clean was told
 * @told: what act was told in this call
 * @acted: how often act was told, a bit each
 * @right: of a host with groups
 * @has_pages: the same: the CPU has access to pages
 * @has_lines: the CPU's cache has lines
 * @invalidates: how often the reference has invalidated these
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
 * @model: the model's
 * @group: of a host with groups: buffers single to it
 */
struct own {
	struct attach_stream model;
	struct right_group group;
};

/**
 * struct stream - a stream on both sides
 * @model: the model's, NULL free
 * @ref: its number
 */
struct stream {
	struct attach_stream *model;
	int ref;
};

/**
 * struct function - a host function on both sides
 * @model: the model's, NULL none
 * @ref: its number
 */
struct function {
	struct attach_op *model;
	size_t ref;
};

/**
 * struct run - a program while it is played
 * @steps: of it
 * @ctx: the model
 * @ref: the reference
 * @streams: at the moment
 * @bufs: at the moment
 * @events: of the model; the reference has the same numbers
 * @hosts: functions that have not returned
 * @gone: counters of buffers that have been destroyed
 * @nr_ops: operations given to the model
 * @nr_given: streams given to it
 * @globals: of a host with groups: the global buffers
 * @null_group: those that are single to the NULL stream
 * @nr_active: active streams, as such a host was told
 */
struct run {
	struct steps steps;
	struct attach_ctx ctx;
	struct attach_ref *ref;
	struct stream streams[NR_STREAMS];
	struct buf bufs[NR_BUFS];
	struct attach_event events[NR_EVENTS];
	struct function hosts[NR_HOSTS];
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
