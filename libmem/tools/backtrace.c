// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes stacks of functions and lines from the keys of records: from stacks
 * that threads wrote, from places that were read from /proc, or from single
 * frames.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backtrace.h"
#include "outside.h"

#define MAX_FRAMES	256	/* including inlined functions */

/*
 * A key is BACKTRACE_NONE, or the stack's index in the file of stacks
 * (stacks.h), the index of a place that was read from /proc (outside.h), or a
 * single frame as in stacks.h.
 */
#define KEY_STACK	(1ULL << 63)
#define KEY_OUTSIDE	(1ULL << 62)
#define KEY_FRAME	(1ULL << 61)
#define KEY_INDEX(key)	((key) & ~(KEY_STACK | KEY_OUTSIDE | KEY_FRAME))

/**
 * backtrace_key_find() - find the stack that a thread writes for an event
 * @from: sources
 * @id: number of the event, from a record
 * @key: out: key of the stack; BACKTRACE_NONE if it was overwritten or could
 *	not be written
 *
 * Return: false if the thread has not written the stack yet.
 */
bool backtrace_key_find(const struct backtrace_sources *from, uint64_t id,
			uint64_t *key)
{
	const uint64_t event = atomic_load(stacks_at(from->stacks, id));
	const uint64_t seen = event >> STACKS_INDEX_BITS;
	const uint64_t stack = event & STACKS_INDEX_MASK;

	if (seen < id)
		return false;
	*key = seen == id && stack < STACKS_NR_STACKS ? KEY_STACK | stack :
							BACKTRACE_NONE;
	return true;
}

/**
 * backtrace_key_outside() - look up the place of a thread that wrote no stack
 * @from: sources
 * @cpu: the thread and its instruction
 *
 * Return: key of a stack of one frame, or BACKTRACE_NONE.
 */
uint64_t backtrace_key_outside(const struct backtrace_sources *from,
			       const struct heapsim_record_cpu *cpu)
{
	long place;

	if (!cpu->pid || !cpu->ip)
		return BACKTRACE_NONE;
	place = outside_find(from->outside, cpu->pid, cpu->ip);
	return place < 0 ? BACKTRACE_NONE : KEY_OUTSIDE | place;
}

/**
 * backtrace_key_of_stack() - return the key of a stack in the file
 * @stack: number of the stack, from 1; 0: none
 *
 * Return: its key, or BACKTRACE_NONE.
 */
uint64_t backtrace_key_of_stack(uint32_t stack)
{
	return stack && stack <= STACKS_NR_STACKS ? KEY_STACK | (stack - 1) :
						    BACKTRACE_NONE;
}

/**
 * backtrace_key_of_frame() - return the key of a stack of one frame
 * @frame: frame in the form of stacks.h; 0: none
 *
 * Return: its key, or BACKTRACE_NONE.
 */
uint64_t backtrace_key_of_frame(uint64_t frame)
{
	return frame ? KEY_FRAME | KEY_INDEX(frame) : BACKTRACE_NONE;
}

/**
 * backtrace_key_is_stack() - check for a stack that a thread wrote
 * @key: key
 *
 * Return: true if it is that of a whole stack.
 */
bool backtrace_key_is_stack(uint64_t key)
{
	return key & KEY_STACK;
}

static int backtrace_add(struct backtrace *trace, const struct frame *frames,
			 int nr)
{
	struct frame *more;

	more = reallocarray(trace->frames, trace->nr + nr, sizeof(*frames));
	if (!more)
		return -ENOMEM;
	trace->frames = more;
	memcpy(more + trace->nr, frames, nr * sizeof(*frames));
	trace->nr += nr;
	return 0;
}

/* Adds the frames at an address. @module: NULL: unknown */
static int backtrace_add_address(struct backtrace *trace,
				 struct symbols *symbols, const char *module,
				 uint64_t address)
{
	struct frame frames[32] = { { .address = address } };
	int nr = 1;

	if (module)
		nr = symbols_find(symbols, module, address, frames,
				  sizeof(frames) / sizeof(frames[0]));
	return backtrace_add(trace, frames, nr);
}

/**
 * backtrace_module_path() - find the file that a frame is in
 * @stacks: file of stacks
 * @frame: frame in the form of stacks.h
 * @path: out: path of the file, which the program can write
 *
 * Return: false if the file is unknown.
 */
bool backtrace_module_path(const struct stacks *stacks, uint64_t frame,
			   char path[STACKS_PATH_LEN + 1])
{
	const uint64_t number = frame >> STACKS_MODULE_SHIFT;

	if (!number || number > STACKS_NR_MODULES)
		return false;
	/* The path may lack a terminating null byte. */
	memcpy(path, stacks->modules[number - 1].path, STACKS_PATH_LEN);
	path[STACKS_PATH_LEN] = '\0';
	return true;
}

/* Adds a frame in the form that stacks.h describes. */
static int backtrace_add_frame(struct backtrace *trace, uint64_t frame,
			       const struct backtrace_sources *from)
{
	char path[STACKS_PATH_LEN + 1];
	const bool has_path = backtrace_module_path(from->stacks, frame, path);

	return backtrace_add_address(trace, from->symbols,
				     has_path ? path : NULL,
				     frame & STACKS_OFF_MASK);
}

/* Frames outside of main() are the same for all programs and left out. */
static bool backtrace_ends_in_main(const struct backtrace *trace)
{
	const struct frame *last = trace->frames + trace->nr - !!trace->nr;

	return trace->nr && last->function && !strcmp(last->function, "main");
}

static int backtrace_add_stack(struct backtrace *trace,
			       const struct stacks_stack *stack,
			       const struct backtrace_sources *from)
{
	const uint32_t nr = stack->nr < STACKS_DEPTH ? stack->nr : STACKS_DEPTH;
	uint32_t i;
	int ret = 0;

	for (i = 0; i < nr && !ret && trace->nr < MAX_FRAMES &&
	     !backtrace_ends_in_main(trace); i++)
		ret = backtrace_add_frame(trace, stack->frames[i], from);
	return ret;
}

/**
 * backtrace_resolve() - add the frames of a stack
 * @trace: empty stack, whose @frames the caller frees
 * @key: key of the stack
 * @from: sources
 *
 * Return: 0 or -ENOMEM.
 */
int backtrace_resolve(struct backtrace *trace, uint64_t key,
		      const struct backtrace_sources *from)
{
	const uint64_t index = KEY_INDEX(key);
	const char *module;
	uint64_t address;

	if (key & KEY_STACK)
		return backtrace_add_stack(trace, &from->stacks->stacks[index],
					   from);
	if (key & KEY_FRAME)
		return backtrace_add_frame(trace, index, from);
	if (!(key & KEY_OUTSIDE))
		return 0;
	module = outside_at(from->outside, index, from->symbols, &address);
	return backtrace_add_address(trace, from->symbols, module, address);
}

static void backtrace_cut(struct backtrace *trace, int nr)
{
	trace->nr -= nr;
	memmove(trace->frames, trace->frames + nr,
		trace->nr * sizeof(*trace->frames));
}

/**
 * backtrace_cut_libmem() - remove the frames inside libmem
 * @trace: stack, which then begins where the program calls libmem
 *
 * Return: the API of that call, as far as the frames show it.
 */
enum kind_api backtrace_cut_libmem(struct backtrace *trace)
{
	const int nr = symbol_in_libmem(trace->frames, trace->nr);
	enum kind_api api = KIND_API_DMABUF, seen;
	int i;

	/* The stack of one of libmem's own threads has no other frames. */
	if (nr >= trace->nr)
		return api;
	for (i = 0; i < nr; i++) {
		seen = symbol_api(&trace->frames[i]);
		if (api < seen)
			api = seen;
	}
	backtrace_cut(trace, nr);
	return api;
}

static bool backtrace_is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/**
 * backtrace_cut_headers() - remove the frames of headers from a kernel's stack
 * @trace: stack of a kernel: its access, and its first instruction
 *
 * Also removes the frame of the first instruction if the access was in the same
 * function, as it mostly is.
 */
void backtrace_cut_headers(struct backtrace *trace)
{
	const int nr = symbol_in_headers(trace->frames, trace->nr);
	const struct frame *last;

	/* Functions of CUDA that are inline in headers touch memory, too. */
	if (nr < trace->nr)
		backtrace_cut(trace, nr);
	last = trace->frames + trace->nr - 1;
	if (trace->nr > 1 &&
	    backtrace_is_same_text(last->function, last[-1].function))
		trace->nr--;
}

/*
 * Two instructions of one source line count as the same place, and so do two of
 * a C library without symbols, whose callers distinguish them.
 */
static bool backtrace_is_same_frame(const struct frame *a,
				    const struct frame *b)
{
	if (!backtrace_is_same_text(a->module, b->module) ||
	    !backtrace_is_same_text(a->function, b->function))
		return false;
	if (a->line || b->line)
		return a->line == b->line &&
		       backtrace_is_same_text(a->file, b->file);
	return a->function || a->address == b->address || symbol_is_runtime(a);
}

/**
 * backtrace_is_same() - compare two stacks
 * @a: stack
 * @b: stack
 *
 * Return: true if all their functions and lines are the same.
 */
bool backtrace_is_same(const struct backtrace *a, const struct backtrace *b)
{
	int i;

	if (a->nr != b->nr)
		return false;
	for (i = 0; i < a->nr; i++)
		if (!backtrace_is_same_frame(&a->frames[i], &b->frames[i]))
			return false;
	return true;
}
