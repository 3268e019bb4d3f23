/* SPDX-License-Identifier: GPL-2.0-only */
/* Stacks, from their keys in records to functions and lines */
#ifndef HEAPSIM_BACKTRACE_H
#define HEAPSIM_BACKTRACE_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/heapsim.h>

#include "../record/stacks.h"
#include "symbol.h"

struct outside;

/**
 * struct backtrace - a stack, innermost frame first
 * @nr: number of frames; 0: unknown
 * @frames: array of @nr
 */
struct backtrace {
	int nr;
	struct frame *frames;
};

/**
 * struct backtrace_sources - where frames are found
 * @stacks: file in which threads write their stacks
 * @symbols: looks up functions and lines
 * @outside: looks up places in processes that write no stacks
 */
struct backtrace_sources {
	struct stacks *stacks;
	struct symbols *symbols;
	struct outside *outside;
};

/* Key of an unknown stack; a key names a stack that is not resolved yet. */
#define BACKTRACE_NONE	0ULL

bool backtrace_key_find(const struct backtrace_sources *from, uint64_t id,
			uint64_t *key);
uint64_t backtrace_key_outside(const struct backtrace_sources *from,
			       const struct heapsim_record_cpu *cpu);
uint64_t backtrace_key_of_stack(uint32_t stack);
uint64_t backtrace_key_of_frame(uint64_t frame);
bool backtrace_key_is_stack(uint64_t key);

bool backtrace_module_path(const struct stacks *stacks, uint64_t frame,
			   char path[STACKS_PATH_LEN + 1]);
int backtrace_resolve(struct backtrace *trace, uint64_t key,
		      const struct backtrace_sources *from);
enum kind_api backtrace_cut_libmem(struct backtrace *trace);
void backtrace_cut_headers(struct backtrace *trace);
bool backtrace_is_same(const struct backtrace *a, const struct backtrace *b);

#endif
