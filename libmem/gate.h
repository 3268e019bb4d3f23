/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Gates: who may touch the memory of an image, an array, or a frame of a pipe
 * now. Most buffers have no gate. A backend that detects touches removes the
 * access that a gate does not allow, and reports such a touch; the touch is
 * carried out nevertheless, as on the board.
 */
#ifndef _LIBMEM_GATE_H
#define _LIBMEM_GATE_H

#include <stdbool.h>

#include "libmem.h"
#include "libmem/format.h"

/**
 * enum gate - who may not touch a buffer beside libmem itself
 * @GATE_NONE: the buffer has no gate: all accesses are allowed
 * @GATE_NO_CPU_READ: the CPU may not read
 * @GATE_NO_CPU_WRITE: the CPU may not write
 * @GATE_NO_DEVICE_READ: kernels and copies may not read
 * @GATE_NO_DEVICE_WRITE: kernels and copies may not write
 * @GATE_FRAME: it is a frame that the consumer of a pipe holds or has released
 * @GATE_EXTERNAL: it is a mapping of another driver's memory
 * @GATE_CLOSED: nobody may touch it
 * @GATE_CPU_WRITE: it is locked for the CPU, which may read and write
 * @GATE_CPU_READ: it is locked for the CPU, which may read
 * @GATE_DEVICE_WRITE: it is locked for kernels and copies
 * @GATE_DEVICE_READ: it is locked for kernels and copies, which may read
 * @GATE_FRAME_HELD: a frame that the consumer holds: all may read
 * @GATE_FRAME_RELEASED: a frame that the consumer has released
 * @GATE_EXTERNAL_GONE: the handle was destroyed that the mapping was made of
 *
 * Several locks together deny what each of them denies.
 */
enum gate {
	GATE_NONE,
	GATE_NO_CPU_READ = 1 << 0,
	GATE_NO_CPU_WRITE = 1 << 1,
	GATE_NO_DEVICE_READ = 1 << 2,
	GATE_NO_DEVICE_WRITE = 1 << 3,
	GATE_FRAME = 1 << 4,
	GATE_EXTERNAL = 1 << 5,
	GATE_CPU_WRITE = GATE_NO_DEVICE_READ | GATE_NO_DEVICE_WRITE,
	GATE_CPU_READ = GATE_CPU_WRITE | GATE_NO_CPU_WRITE,
	GATE_DEVICE_WRITE = GATE_NO_CPU_READ | GATE_NO_CPU_WRITE,
	GATE_DEVICE_READ = GATE_DEVICE_WRITE | GATE_NO_DEVICE_WRITE,
	GATE_CLOSED = GATE_CPU_WRITE | GATE_DEVICE_WRITE,
	GATE_FRAME_HELD = GATE_FRAME | GATE_NO_CPU_WRITE | GATE_NO_DEVICE_WRITE,
	GATE_FRAME_RELEASED = GATE_FRAME | GATE_CLOSED,
	GATE_EXTERNAL_GONE = GATE_EXTERNAL | GATE_CLOSED,
};

/**
 * struct gate_note - the call because of which a gate has changed
 * @time_ns: when, CLOCK_MONOTONIC
 * @tid: thread
 * @stack: its stack, from record_stack()
 */
struct gate_note {
	uint64_t time_ns;
	uint32_t tid;
	uint32_t stack;
};

/* Marks a function as a kernel of libmem, to which no gate applies. */
#define GATE_KERNEL	__attribute__((section("libmem_kernels"), noinline))

/* Start and end of the section of such functions, defined by the linker. */
extern const char __start_libmem_kernels[]
	__attribute__((weak, visibility("hidden")));
extern const char __stop_libmem_kernels[]
	__attribute__((weak, visibility("hidden")));

/**
 * struct frame_holds - frames in a buffer that the consumers of pipes hold
 * @nr_own: frames of a producer that has another context
 * @nr_shared: frames of a producer that has the same context, and the same
 *	buffer; negative as long as a release is ahead of its acquire
 * @epoch: number of disconnections that ended those of @nr_shared
 * @is_consumers: only consumers use the buffer
 */
struct frame_holds {
	int nr_own;
	int nr_shared;
	unsigned int epoch;
	bool is_consumers;
};

/**
 * struct gate_change - frames that a consumer begins or ceases to hold
 * @is_shared: the producer has the same buffers, so that nothing is reported
 *	after the release
 * @by: 1 or -1: added to the number of frames that are held in each buffer
 * @note: acquire or release
 * @nr: number of @bufs
 * @bufs: buffers, each of them once
 * @epochs: @is_shared: epoch of each buffer when the change was made; after a
 *	disconnection it has no effect
 */
struct gate_change {
	bool is_shared;
	int by;
	struct gate_note note;
	unsigned int nr;
	struct mem_buf *bufs[MEM_PLANES_MAX];
	unsigned int epochs[MEM_PLANES_MAX];
};

struct gate_note gate_note_here(void);
void gate_set(struct mem_buf *buf, enum gate gate);
unsigned int gate_epoch(struct mem_buf *buf);
void gate_change(const struct gate_change *change);
void gate_end_shared(const struct gate_change *change);
void gate_change_fini(const struct gate_change *change);
void gate_own_begin(void);
void gate_own_end(void);
bool gate_is_own(void);
bool gate_has_kernel(mem_kernel kernel);
bool gate_allows_cpu(enum gate gate, bool is_write);
bool gate_allows_device(enum gate gate, bool is_write);

#endif
