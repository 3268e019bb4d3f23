/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Gates: who may touch the memory of an image or an array now. Most buffers
 * have none. A backend that can have touches seen takes the memory away where
 * the gate is closed, and reports a touch that it does not allow; the touch is
 * carried out all the same, as on the board.
 */
#ifndef _LIBMEM_GATE_H
#define _LIBMEM_GATE_H

#include <stdbool.h>

#include "libmem.h"

/**
 * enum gate - who may touch a buffer beside libmem itself
 * @GATE_NONE: anybody: the buffer has no gate
 * @GATE_CLOSED: nobody
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

/* Of a function: a kernel of libmem's own, which no gate stops. */
#define GATE_KERNEL	__attribute__((section("libmem_kernels"), noinline))

/* Where the section of such functions begins and ends, by the linker. */
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
