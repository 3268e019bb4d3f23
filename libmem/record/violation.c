// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Records violations, with the stacks of both sides, and calls of unsupported
 * functions.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <unistd.h>

#include "../clock.h"
#include "internal.h"
#include "walk.h"

/* The kernel runs on another thread, whose stack is not walked. */
static uint32_t record_kernel_stack(struct stacks *s,
				    const struct mem_violation *v)
{
	uintptr_t ips[2];
	uint32_t nr = 0, index;

	if (v->other_ip)
		ips[nr++] = v->other_ip;
	if (v->other_kernel)
		ips[nr++] = v->other_kernel;
	if (!nr)
		return 0;
	index = stacks_put_at(s, ips, nr);
	return index < STACKS_NR_STACKS ? index + 1 : 0;
}

static_assert(HEAPSIM_RECORD_NR_ATTACHES == (int)RECORD_NR_ATTACHES &&
	      HEAPSIM_ATTACHED_BY_CALL == (int)RECORD_ATTACHED_BY_CALL &&
	      HEAPSIM_ATTACHED_BY_ALLOC == (int)RECORD_ATTACHED_BY_ALLOC &&
	      HEAPSIM_ATTACHED_BY_DESTROY == (int)RECORD_ATTACHED_BY_DESTROY &&
	      HEAPSIM_ATTACH_SINGLE == (int)MEM_ATTACH_SINGLE,
	      "attaches are the module's");

static void record_attaches(struct record_entry *r,
			    const struct record_attach *attaches)
{
	int i;

	for (i = 0; i < RECORD_NR_ATTACHES; i++)
		r->attaches[i] = (struct heapsim_record_attach) {
			.attach = attaches[i].attach,
			.by = attaches[i].by,
			.stream = attaches[i].stream,
			.time_ns = attaches[i].time_ns,
			.stack = attaches[i].stack,
		};
}

static bool record_is_harmless(uint32_t kind)
{
	return kind == MEM_VIOLATION_SHARED_LINE ||
	       kind == MEM_VIOLATION_REDUNDANT_CLEAN ||
	       kind == MEM_VIOLATION_REDUNDANT_INVALIDATE ||
	       kind == RECORD_MISSING_CALL;
}

/* Records a violation as an event, each time that it happens. */
static void record_violation_event(const struct mem_violation *v)
{
	struct heapsim_record r = {
		.kind = v->kind,
		.missing = v->missing,
		.time_ns = v->time_ns,
		.count = v->count,
		.buf = v->buf,
		.off = v->off,
		.len = v->len,
		.bytes = v->len,
		.cpu = {
			.tid = v->cpu_tid,
			.ip = v->cpu_ip,
			.addr = v->cpu_addr,
			.time_ns = v->cpu_time_ns,
			.is_write = v->is_write,
		},
		.other = {
			.type = v->other,
			.job = v->other_job,
			.stream = v->other_stream,
			.time_ns = v->other_time_ns,
		},
	};

	record_copy_text(r.name, v->name, sizeof(r.name));
	record_copy_text(r.other.name, v->other_name, sizeof(r.other.name));
	record_add_event(&r, NULL);
}

static void record_add_or_drop(struct stacks *s, struct record_entry *r,
			       const struct mem_violation *v)
{
	if (record_add_finding(&s->tables, r, v))
		return;
	/* In this order, so that the second never exceeds the first. */
	atomic_fetch_add(&s->tables.nr_dropped, v->count);
	if (record_is_harmless(v->kind))
		atomic_fetch_add(&s->tables.nr_dropped_harmless, v->count);
}

/**
 * record_add_violation() - record a violation
 * @v: violation
 * @beside: its stacks, and facts that @v lacks
 *
 * Context: any.
 */
void record_add_violation(const struct mem_violation *v,
			  const struct record_facts *beside)
{
	struct stacks *s = record_tables();
	struct record_entry r;

	if (!s)
		return;
	if (s->tables.is_traced)
		record_violation_event(v);
	r = record_of_violation(v);
	r.cpu_stack = beside->cpu_stack;
	r.other_stack = beside->other_stack;
	r.kernel_stack = record_kernel_stack(s, v);
	if (beside->attaches)
		record_attaches(&r, beside->attaches);
	record_add_or_drop(s, &r, v);
}

/**
 * record_missing() - record a call of an unsupported function
 * @call: name of the function; the end of a long name is cut off
 *
 * Context: any thread.
 */
void record_missing(const char *call)
{
	struct mem_violation v = {
		.kind = RECORD_MISSING_CALL,
		.count = 1,
		.cpu_tid = (uint32_t)gettid(),
	};
	struct stacks *s = record_tables();
	struct record_entry r;

	if (!s)
		return;
	v.time_ns = now_ns();
	v.cpu_time_ns = v.time_ns;
	record_copy_text(v.name, call, sizeof(v.name));
	/* A long name continues in the second field. */
	record_copy_text(v.other_name, call + strlen(v.name),
			 sizeof(v.other_name));
	r = record_of_violation(&v);
	r.cpu_stack = record_stack(0);
	record_add_or_drop(s, &r, &v);
}
