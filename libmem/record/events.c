// SPDX-License-Identifier: LGPL-2.1-or-later
/* Records events for `heapsim run --trace`, in a ring for the command. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../clock.h"
#include "internal.h"
#include "walk.h"

/**
 * record_is_traced() - return whether events are recorded
 *
 * Context: any.
 * Return: true under `heapsim run --trace`.
 */
bool record_is_traced(void)
{
	const struct stacks *s = record_tables();

	return s && s->tables.is_traced;
}

/**
 * record_kernel() - return a number for a kernel, to pass to the module
 * @kernel: function; 0 none
 *
 * Context: any.
 * Return: a number by which the command finds the name; 0: not watched.
 */
uint64_t record_kernel(uintptr_t kernel)
{
	struct stacks *s = record_tables();

	return s && kernel ? stacks_frame(s, kernel) : 0;
}

/* Returns a free entry of the ring, and its number, or NULL if it is full. */
static struct record_event *record_event_get(struct record_tables *tables,
					     uint64_t *turn)
{
	uint64_t nr = atomic_load(&tables->nr_events);

	do {
		if (nr - atomic_load(&tables->nr_read) >= RECORD_NR_EVENTS)
			return NULL;
	} while (!atomic_compare_exchange_weak(&tables->nr_events, &nr,
					       nr + 1));
	*turn = nr + 1;
	return &tables->events[nr % RECORD_NR_EVENTS];
}

/**
 * record_add_event() - record an event
 * @r: event; this call fills in the process, and if @cpu.time_ns is not 0 the
 *	calling thread
 * @job: of a job that begins, else NULL
 *
 * Context: any.
 */
void record_add_event(struct heapsim_record *r, const struct record_job *job)
{
	struct stacks *s = record_tables();
	struct record_event *event;
	uint64_t turn;

	if (!s || !s->tables.is_traced)
		return;
	event = record_event_get(&s->tables, &turn);
	if (!event) {
		atomic_fetch_add(&s->tables.nr_events_lost, 1);
		return;
	}
	r->size = sizeof(*r);
	if (r->cpu.time_ns) {
		r->cpu.pid = (uint32_t)getpid();
		if (!r->cpu.tid || r->cpu.tid == (uint32_t)gettid()) {
			r->cpu.tid = (uint32_t)gettid();
			prctl(PR_GET_NAME, r->cpu.comm, 0, 0, 0);
		} else {
			record_copy_text(r->cpu.comm,
					 program_invocation_short_name,
					 sizeof(r->cpu.comm));
		}
	}
	if (r->other.type) {
		r->other.pid = (uint32_t)getpid();
		record_copy_text(r->other.comm, program_invocation_short_name,
				 sizeof(r->other.comm));
	}
	event->record = *r;
	event->kernel = job && job->kernel ? stacks_frame(s, job->kernel) : 0;
	event->thread = job ? (uint32_t)job->thread : 0;
	atomic_store_explicit(&event->turn, turn, memory_order_release);
}

/**
 * record_begin() - return the time at which an event begins
 *
 * Context: any.
 * Return: CLOCK_MONOTONIC; 0: events are not recorded.
 */
uint64_t record_begin(void)
{
	return record_is_traced() ? now_ns() : 0;
}

static struct heapsim_record record_done_by_host(uint32_t kind, uint64_t stream,
						 uint64_t begin_ns)
{
	return (struct heapsim_record) {
		.kind = kind,
		.count = 1,
		.time_ns = now_ns(),
		.cpu.time_ns = begin_ns,
		.other.stream = stream,
	};
}

/**
 * record_waited() - record that the calling thread has waited
 * @what: what it waited for
 * @stream: number of that stream, else 0
 * @begin_ns: from record_begin(); 0: not recorded
 */
void record_waited(const char *what, uint64_t stream, uint64_t begin_ns)
{
	struct heapsim_record r;

	if (!begin_ns)
		return;
	r = record_done_by_host(RECORD_WAIT, stream, begin_ns);
	record_copy_text(r.other.name, what, sizeof(r.other.name));
	record_add_event(&r, NULL);
}

/**
 * record_called() - record that the calling thread has run a host function
 * @function: the function
 * @stream: number of its stream
 * @begin_ns: from record_begin(); 0: not recorded
 */
void record_called(uintptr_t function, uint64_t stream, uint64_t begin_ns)
{
	const struct record_job job = { .kernel = function };
	struct heapsim_record r;

	if (!begin_ns)
		return;
	r = record_done_by_host(RECORD_CALL, stream, begin_ns);
	record_add_event(&r, &job);
}

/**
 * record_attached() - record that the calling thread has attached a buffer
 * @info: the buffer
 * @how: MEM_ATTACH_*
 * @stream: number of the stream in whose order the attach takes effect
 */
void record_attached(const struct mem_buf_info *info, uint32_t how,
		     uint64_t stream)
{
	struct heapsim_record r;

	if (!record_is_traced())
		return;
	r = record_done_by_host(RECORD_ATTACH, stream, now_ns());
	r.buf = info->id;
	r.len = info->len;
	r.attach = how;
	record_copy_text(r.name, info->name, sizeof(r.name));
	record_add_event(&r, NULL);
}

/**
 * record_frame() - record what happens to a frame of a pipe
 * @op: what
 * @frame: frame
 *
 * Context: any.
 */
void record_frame(enum record_frame_op op, const struct record_frame *frame)
{
	struct heapsim_record r;

	if (!frame->begin_ns)
		return;
	r = record_done_by_host(RECORD_FRAME, frame->stream, frame->begin_ns);
	r.op = op;
	r.buf = frame->id;
	r.src = frame->pipe;
	r.bytes = frame->number;
	record_add_event(&r, NULL);
}

/**
 * record_fence() - record that a stream waits for a fence or signals one
 * @op: what
 * @wait: identifies the wait while it lasts
 * @stream: number of the stream
 *
 * Context: any.
 */
void record_fence(enum record_fence_op op, const void *wait, uint64_t stream)
{
	struct heapsim_record r;

	if (!record_is_traced())
		return;
	r = record_done_by_host(RECORD_FENCE, stream, now_ns());
	r.op = op;
	r.buf = (uintptr_t)wait;
	record_add_event(&r, NULL);
}
