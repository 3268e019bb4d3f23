/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Gates: who may touch the memory of an image or an array now. Most buffers
 * have no gate. A backend that detects touches removes the access that a gate
 * does not allow, and reports such a touch; the touch is carried out
 * nevertheless, as on the board.
 */
#ifndef _LIBMEM_GATE_H
#define _LIBMEM_GATE_H

#include <stdbool.h>

#include "libmem.h"

/**
 * enum gate - who may touch a buffer beside libmem itself
 * @GATE_NONE: the CPU and engines: the buffer has no gate
 * @GATE_CLOSED: only libmem
 * @GATE_READ: the CPU may read
 * @GATE_WRITE: the CPU may read and write
 * @GATE_DEVICE: kernels and copies
 * @GATE_ALL: the CPU, kernels and copies
 */
enum gate {
	GATE_NONE,
	GATE_CLOSED,
	GATE_READ,
	GATE_WRITE,
	GATE_DEVICE,
	GATE_ALL,
};

/* Marks a function as a kernel of libmem, to which no gate applies. */
#define GATE_KERNEL	__attribute__((section("libmem_kernels"), noinline))

/* Start and end of the section of such functions, defined by the linker. */
extern const char __start_libmem_kernels[]
	__attribute__((weak, visibility("hidden")));
extern const char __stop_libmem_kernels[]
	__attribute__((weak, visibility("hidden")));

void gate_set(struct mem_buf *buf, enum gate gate);
void gate_own_begin(void);
void gate_own_end(void);
bool gate_is_own(void);
bool gate_has_kernel(mem_kernel kernel);
bool gate_allows_cpu(enum gate gate, bool is_write);
bool gate_allows_device(enum gate gate);

#endif
