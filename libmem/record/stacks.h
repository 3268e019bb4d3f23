/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The file in which threads under `heapsim run` record their stacks. It is in
 * memory; the command creates it, and each process maps it (walk.c). It is
 * written without locks, by threads that may be killed at any point: an entry
 * that is incomplete stays so, and is skipped.
 */
#ifndef STACKS_H
#define STACKS_H

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/heapsim.h>

#include "tables.h"

/* Environment variable with the path of the file. */
#define STACKS_ENV	"HEAPSIM_STACKS"

#define STACKS_MAGIC	0x736b636174734851ULL

/* Version of all that follows the header; a test defines another. */
#ifndef STACKS_VERSION
#define STACKS_VERSION	12
#endif

/* Length of the header, which is the same in all versions. */
#define STACKS_HEADER_LEN	4096
#define STACKS_NR_REFUSALS	15

/* The last real-time signal: glibc allocates them from both ends. */
#define STACKS_SIGNAL	64

#define STACKS_NR_MODULES	4096
#define STACKS_PATH_LEN		504
#define STACKS_NR_STACKS	32768
#define STACKS_DEPTH		64
#define STACKS_PROBES		64	/* before a hash table counts as full */

/* Stacks to remember; a test defines fewer. Stacks of calls stay longer. */
#ifndef STACKS_NR_ACCESSES
#define STACKS_NR_ACCESSES	(1U << 20)
#endif
#define STACKS_NR_CALLS		(1U << 22)

/* State of an entry: module, stack, refusal, call site or shape. */
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
 * @program: path of the executable, terminated; the end of a long path is cut
 *	off
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

/* A frame: the number of a module, and an address of its ELF file. */
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
 * struct stacks_stack - a stack, which many events may share
 * @state: enum stacks_state
 * @nr: number of frames
 * @frames: innermost first: the number of the module from 1 and the offset in
 *	it; 0 and an address if there is no module. A caller's frame is the byte
 *	before the return address, which is inside of the call instruction
 */
struct stacks_stack {
	_Atomic uint32_t state;
	uint32_t nr;
	uint64_t frames[STACKS_DEPTH];
};

/*
 * A word that maps the number of a stack in a record to its index, or to
 * STACKS_NR_STACKS: both in one word, so that it is written atomically.
 */
#define STACKS_INDEX_BITS	16
#define STACKS_INDEX_MASK	((1ULL << STACKS_INDEX_BITS) - 1)

/**
 * struct stacks - the file
 * @header: the part that never changes
 * @nr_lost: stacks that could not be stored
 * @modules: hash table of modules by path
 * @stacks: hash table of stacks by frames
 * @accesses: maps even numbers to stacks; a ring
 * @calls: maps odd numbers to stacks; a ring
 * @tables: libmem's own records
 */
struct stacks {
	struct stacks_header header;
	_Atomic uint32_t nr_lost;
	struct stacks_module modules[STACKS_NR_MODULES];
	struct stacks_stack stacks[STACKS_NR_STACKS];
	_Atomic uint64_t accesses[STACKS_NR_ACCESSES];
	_Atomic uint64_t calls[STACKS_NR_CALLS];
	struct record_tables tables;
};

/* Returns the word for a number of a stack. */
static inline _Atomic uint64_t *stacks_at(struct stacks *stacks, uint64_t id)
{
	return id & HEAPSIM_STACK_CALL ?
		&stacks->calls[(id >> 1) % STACKS_NR_CALLS] :
		&stacks->accesses[(id >> 1) % STACKS_NR_ACCESSES];
}

#endif
