/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records for `heapsim run`: objects of both backends, and what the embedded
 * one finds. In a process that `heapsim run` does not watch, every function
 * here checks one pointer and does nothing.
 *
 * A new kind of violation needs a row in mem_violation_name(), one in
 * libmem/tools/kind.c, and a call of record_add_violation(). An object whose
 * leaks are to be reported needs a number in enum record_kind, a row in
 * libmem/tools/kind.c and a struct living.
 */
#ifndef _LIBMEM_RECORD_H
#define _LIBMEM_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "libmem.h"

struct heapsim_record;
struct record_place;
struct record_shape;

/* Number of attaches of a buffer that are remembered. */
#define RECORD_NR_ATTACHES	4

/** enum record_attached_by - how managed memory came to its attach state */
enum record_attached_by {
	RECORD_ATTACHED_BY_CALL = 1,
	RECORD_ATTACHED_BY_ALLOC,		/* its first one */
	RECORD_ATTACHED_BY_DESTROY,	/* of the stream it was single to */
};

/**
 * struct record_attach - an attach of managed memory
 * @attach: MEM_ATTACH_*; 0: there were no more attaches
 * @by: enum record_attached_by
 * @stream: number of the stream in whose order it takes effect, and to which
 *	MEM_ATTACH_SINGLE attaches
 * @time_ns: when it was called, CLOCK_MONOTONIC
 * @stack: stack of the caller, from record_stack()
 */
struct record_attach {
	uint32_t attach;
	enum record_attached_by by;
	uint64_t stream;
	uint64_t time_ns;
	uint32_t stack;
};

/**
 * struct record_facts - facts about a violation that struct mem_violation lacks
 * @cpu_stack: stack of the CPU's side, from record_stack(); 0 none
 * @other_stack: stack of the other side
 * @attaches: array of RECORD_NR_ATTACHES, the newest first; NULL none
 */
struct record_facts {
	uint32_t cpu_stack;
	uint32_t other_stack;
	const struct record_attach *attaches;
};

/**
 * struct living - an object that is reported as leaked unless it is destroyed
 * @place: record of the call site that created it; NULL: not recorded
 * @len: bytes
 * @buf: id of the buffer, 0 none
 * @maker: process that created it; a child that inherits it by fork does not
 *	own it
 */
struct living {
	struct record_place *place;
	uint64_t len;
	uint64_t buf;
	pid_t maker;
};

/**
 * struct record_job - facts about an engine's job that its record lacks
 * @kernel: kernel that it runs, 0 none
 * @thread: thread that runs it
 */
struct record_job {
	uintptr_t kernel;
	pid_t thread;
};

/** enum record_frame_op - what happens to a frame of a pipe */
enum record_frame_op {
	RECORD_FRAME_PRESENT,	/* it can be acquired */
	RECORD_FRAME_ACQUIRE,
	RECORD_FRAME_RELEASE,
	RECORD_FRAME_RETURN,	/* the producer gets it */
	RECORD_FRAME_LOSE,	/* all leave the pipe, but those held stay so */
	RECORD_FRAME_LOSE_ALL,	/* all leave the pipe and the consumer */
};

/** enum record_fence_op - what happens to a fence, semaphore or timeline */
enum record_fence_op {
	RECORD_FENCE_WAIT,	/* a stream has come to a wait, and stops */
	RECORD_FENCE_PASS,	/* such a stream goes on */
	RECORD_FENCE_SIGNAL,	/* a stream signals it */
};

/**
 * struct record_frame - what happens to a frame, for the timeline
 * @pipe: number of the pipe in this process
 * @id: identifies the frame while it is in the pipe; 0 all
 * @number: its number, 0 unknown
 * @stream: number of the stream of the call, 0 none
 * @begin_ns: begin of the call, from record_begin()
 */
struct record_frame {
	uint64_t pipe;
	uint64_t id;
	uint64_t number;
	uint64_t stream;
	uint64_t begin_ns;
};

void record_init(void);
bool record_is_on(void);
enum mem_policy record_policy(void);
bool record_evicts(uint64_t *seed);
bool record_is_precise(void);
void record_process(void);
void record_engine(pid_t pid);
void record_inline(void);
void record_unwatched(bool is_embedded);
void record_context(const char *soc, uint32_t line_size);
void record_bypassed(void);
void record_no_context(int err, const char *variable);
void record_done_for(uint32_t stack);
uint32_t record_stack(uintptr_t from);
bool record_is_traced(void);
uint64_t record_kernel(uintptr_t kernel);
uint64_t record_begin(void);
void record_waited(const char *what, uint64_t stream, uint64_t begin_ns);
void record_called(uintptr_t function, uint64_t stream, uint64_t begin_ns);
void record_attached(const struct mem_buf_info *info, uint32_t how,
		     uint64_t stream);
void record_frame(enum record_frame_op op, const struct record_frame *frame);
void record_fence(enum record_fence_op op, const void *wait, uint64_t stream);
void record_add_event(struct heapsim_record *r, const struct record_job *job);
void record_add_violation(const struct mem_violation *v,
			  const struct record_facts *beside);
void record_missing(const char *call);
struct record_place *record_create_object(const struct mem_violation *v,
					  uint32_t cpu_stack);
void record_destroy_object(struct record_place *place, uint64_t len);
void living_begin_buf(struct living *living, const struct mem_buf_info *info);
void living_begin_registration(struct living *living,
			       const struct mem_buf_info *info);
void living_begin_lock(struct living *living, const struct mem_buf_info *info);
void living_begin_job(struct living *living);
void living_begin_stream(struct living *living);
void living_begin_event(struct living *living);
void record_add_shape(uint64_t buf, bool is_modules,
		      const struct record_shape *shape);
void living_set_name(struct living *living, const char *name);
void living_end(struct living *living);
void living_dismiss(struct living *living);

#endif
