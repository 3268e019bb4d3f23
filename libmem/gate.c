// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What gates of buffers allow, and what libmem itself does behind them: kernels
 * of its own, which lie in a section of their own, and threads while they work
 * on an image.
 */
#include <stdint.h>

#include "gate.h"
#include "internal.h"

static __thread unsigned int own_depth;

/**
 * gate_set() - say who may touch a buffer from now on
 * @buf: buffer
 * @gate: who
 *
 * Where the backend cannot have touches seen, nothing happens.
 *
 * Context: may sleep; any thread.
 */
void gate_set(struct mem_buf *buf, enum gate gate)
{
	if (buf->ctx->backend->set_gate)
		buf->ctx->backend->set_gate(buf, gate);
}

/**
 * gate_own_begin() - the calling thread touches memory for libmem
 *
 * Nests. The program's code must not be called in between.
 */
void gate_own_begin(void)
{
	own_depth++;
}

/**
 * gate_own_end() - it does so no more
 */
void gate_own_end(void)
{
	own_depth--;
}

/**
 * gate_is_own() - is the calling thread between gate_own_begin() and its end?
 *
 * Context: any, also a signal handler.
 * Return: true if it is.
 */
bool gate_is_own(void)
{
	return own_depth;
}

/**
 * gate_has_kernel() - is a kernel one of libmem's own?
 * @kernel: of a launch
 *
 * Return: true if it was defined with GATE_KERNEL.
 */
bool gate_has_kernel(mem_kernel kernel)
{
	return (uintptr_t)kernel >= (uintptr_t)__start_libmem_kernels &&
	       (uintptr_t)kernel < (uintptr_t)__stop_libmem_kernels;
}

/**
 * gate_allows_cpu() - may the CPU touch a buffer?
 * @gate: of it
 * @is_write: it stores
 *
 * Return: true if the gate allows it.
 */
bool gate_allows_cpu(enum gate gate, bool is_write)
{
	switch (gate) {
	case GATE_CLOSED:
	case GATE_DEVICE:
		return false;
	case GATE_READ:
		return !is_write;
	default:
		return true;
	}
}

/**
 * gate_allows_device() - may kernels and copies of the program touch a buffer?
 * @gate: of it
 *
 * Return: true if the gate allows it.
 */
bool gate_allows_device(enum gate gate)
{
	return gate == GATE_NONE || gate == GATE_DEVICE || gate == GATE_ALL;
}
