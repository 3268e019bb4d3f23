/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records for `heapsim run`: objects of both backends, and what the embedded
 * one finds. In a process that `heapsim run` does not watch, every function
 * here checks one pointer and does nothing.
 *
 * A new kind of violation needs a row in mem_violation_name(), one in
 * libmem/tools/kind.c, and a call of tell_violation(). An object whose leaks
 * are to be reported needs a number in enum told_kind, a row in
 * libmem/tools/kind.c and a struct living.
 */
#ifndef _LIBMEM_TELL_H
#define _LIBMEM_TELL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "libmem.h"

struct heapsim_record;
struct told_place;
struct told_shape;

/* Number of attaches of a buffer that are remembered. */
#define TELL_NR_ATTACHES	4

/** enum tell_attached_by - how managed memory came to its attach state */
enum tell_attached_by {
	TELL_ATTACHED_BY_CALL = 1,
	TELL_ATTACHED_BY_ALLOC,		/* its first one */
	TELL_ATTACHED_BY_DESTROY,	/* of the stream it was single to */
};

/**
 * struct tell_attach - an attach of managed memory
 * @attach: MEM_ATTACH_*; 0: there were no more attaches
 * @by: enum tell_attached_by
 * @stream: number of the stream in whose order it takes effect, and to which
 *	MEM_ATTACH_SINGLE attaches
 * @time_ns: when it was called, CLOCK_MONOTONIC
 * @stack: stack of the caller, from tell_stack()
 */
struct tell_attach {
	uint32_t attach;
	enum tell_attached_by by;
	uint64_t stream;
	uint64_t time_ns;
	uint32_t stack;
};

/**
 * struct tell - facts about a violation that struct mem_violation lacks
 * @cpu_stack: stack of the CPU's side, from tell_stack(); 0 none
 * @other_stack: stack of the other side
 * @attaches: array of TELL_NR_ATTACHES, the newest first; NULL none
 */
struct tell {
	uint32_t cpu_stack;
	uint32_t other_stack;
	const struct tell_attach *attaches;
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
	struct told_place *place;
	uint64_t len;
	uint64_t buf;
	pid_t maker;
};

/**
 * struct tell_job - facts about an engine's job that its record lacks
 * @kernel: kernel that it runs, 0 none
 * @thread: thread that runs it
 */
struct tell_job {
	uintptr_t kernel;
	pid_t thread;
};

void tell_init(void);
bool tell_is_on(void);
enum mem_policy tell_policy(void);
bool tell_evicts(uint64_t *seed);
bool tell_is_precise(void);
void tell_process(void);
void tell_engine(pid_t pid);
void tell_inline(void);
void tell_context(const char *soc, uint32_t line_size);
void tell_bypassed(void);
void tell_no_context(int err, const char *variable);
void tell_done_for(uint32_t stack);
uint32_t tell_stack(uintptr_t from);
bool tell_is_traced(void);
uint64_t tell_kernel(uintptr_t kernel);
uint64_t tell_begin(void);
void tell_waited(const char *what, uint64_t stream, uint64_t begin_ns);
void tell_called(uintptr_t function, uint64_t stream, uint64_t begin_ns);
void tell_attached(const struct mem_buf_info *info, uint32_t how,
		   uint64_t stream);
void tell_traced(struct heapsim_record *r, const struct tell_job *job);
void tell_violation(const struct mem_violation *v, const struct tell *beside);
void tell_missing(const char *call);
struct told_place *tell_object(const struct mem_violation *v,
			       uint32_t cpu_stack);
void tell_object_gone(struct told_place *place, uint64_t len);
void tell_buf(struct living *living, const struct mem_buf_info *info);
void tell_registered(struct living *living, const struct mem_buf_info *info);
void tell_lock(struct living *living, const struct mem_buf_info *info);
void tell_job(struct living *living);
void tell_stream(struct living *living);
void tell_event(struct living *living);
void tell_shape(uint64_t buf, bool is_modules, const struct told_shape *shape);
void tell_named(struct living *living, const char *name);
void tell_gone(struct living *living);
void tell_lasting(struct living *living);

#endif
