/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the threads of a program under `heapsim run` put their stacks: a file
 * in memory, that the command makes and each process maps (walk.c). All of
 * it is written without locks, by threads that may be killed at any point: what
 * is half made stays so, and is passed over.
 */
#ifndef STACKS_H
#define STACKS_H

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/heapsim.h>

#include "tables.h"

/* Names the file to the program. */
#define STACKS_ENV	"HEAPSIM_STACKS"

#define STACKS_MAGIC	0x736b636174734851ULL

/* Of all that follows the header; a test has another. */
#ifndef STACKS_VERSION
#define STACKS_VERSION	11
#endif

/* The header, which every version has at the same place: see below. */
#define STACKS_HEADER_LEN	4096
#define STACKS_NR_REFUSALS	15

/* glibc hands out real-time signals from both ends: this is the last. */
#define STACKS_SIGNAL	64

#define STACKS_NR_MODULES	4096
#define STACKS_PATH_LEN		504
#define STACKS_NR_STACKS	32768
#define STACKS_DEPTH		64
#define STACKS_PROBES		64	/* of a hash table that is full */

/* Stacks to remember; a test defines fewer. Calls may be needed much later. */
#ifndef STACKS_NR_ACCESSES
#define STACKS_NR_ACCESSES	(1U << 20)
#endif
#define STACKS_NR_CALLS		(1U << 22)

/* Of modules and stacks. */
enum stacks_state {
	STACKS_FREE,
	STACKS_BUSY,	/* being written, or its writer was killed */
	STACKS_READY,
};

/**
 * struct stacks_refusal - a process that could not use the file
 * @state: enum stacks_state
 * @pid: its number
 * @version: STACKS_VERSION of its library
 * @reserved: 0
 * @library: name and version of the library, terminated
 * @program: path of the executable, terminated; the end of it is cut off if it
 *	is too long
 */
struct stacks_refusal {
	_Atomic uint32_t state;
	uint32_t pid;
	uint32_t version;
	uint32_t reserved;
	char library[48];
	char program[192];
};

/**
 * struct stacks_header - how the file begins, in all versions
 * @magic: STACKS_MAGIC
 * @version: STACKS_VERSION of the command
 * @nr_refusals: processes that could not use the file
 * @reserved: 0
 * @refusals: the first of them
 *
 * A library reads no more of a file of another version than this, and writes a
 * refusal, so that the command can report which process it did not watch. The
 * layout never changes.
 */
struct stacks_header {
	uint64_t magic;
	uint32_t version;
	_Atomic uint32_t nr_refusals;
	uint8_t reserved[240];
	struct stacks_refusal refusals[STACKS_NR_REFUSALS];
};

static_assert(sizeof(struct stacks_refusal) == 256 &&
	      sizeof(struct stacks_header) == STACKS_HEADER_LEN &&
	      offsetof(struct stacks_header, refusals) == 256 &&
	      offsetof(struct stacks_refusal, library) == 16 &&
	      offsetof(struct stacks_refusal, program) == 64,
	      "libraries of other versions write the header");

/* A frame: which module, and where in it as its ELF file has addresses. */
#define STACKS_MODULE_SHIFT	48
#define STACKS_OFF_MASK		((1ULL << STACKS_MODULE_SHIFT) - 1)

/**
 * struct stacks_module - an executable or a library
 * @state: enum stacks_state
 * @path: absolute, terminated
 */
struct stacks_module {
	_Atomic uint32_t state;
	char path[STACKS_PATH_LEN];
};

/**
 * struct stacks_stack - a stack, which many events may have
 * @state: enum stacks_state
 * @nr: frames
 * @frames: innermost first: the number of the module from 1 (0: none, then an
 *	address) and the offset. That of a caller is a byte before where it
 *	goes on: in the call, whatever comes behind it
 */
struct stacks_stack {
	_Atomic uint32_t state;
	uint32_t nr;
	uint64_t frames[STACKS_DEPTH];
};

/*
 * What a number of a record stands for: the number, and the index of the stack
 * or STACKS_NR_STACKS. One word, so it is there or not.
 */
#define STACKS_INDEX_BITS	16
#define STACKS_INDEX_MASK	((1ULL << STACKS_INDEX_BITS) - 1)

/**
 * struct stacks - the file
 * @header: the part that never changes
 * @nr_lost: stacks that found no room
 * @modules: hash table by path
 * @stacks: hash table by frames
 * @accesses: what numbers stand for, the even ones, in turn
 * @calls: the same of the odd ones
 * @told: what libmem found itself
 */
struct stacks {
	struct stacks_header header;
	_Atomic uint32_t nr_lost;
	struct stacks_module modules[STACKS_NR_MODULES];
	struct stacks_stack stacks[STACKS_NR_STACKS];
	_Atomic uint64_t accesses[STACKS_NR_ACCESSES];
	_Atomic uint64_t calls[STACKS_NR_CALLS];
	struct told told;
};

/* Where it is put what a number stands for. */
static inline _Atomic uint64_t *stacks_at(struct stacks *stacks, uint64_t id)
{
	return id & HEAPSIM_STACK_CALL ?
		&stacks->calls[(id >> 1) % STACKS_NR_CALLS] :
		&stacks->accesses[(id >> 1) % STACKS_NR_ACCESSES];
}

#endif
