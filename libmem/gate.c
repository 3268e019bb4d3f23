// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What gates of buffers allow, and the accesses of libmem to which they do not
 * apply: those of its own kernels, which are in a section of their own, and
 * those of threads while they work on an image.
 */
#include <stdint.h>

#include "gate.h"
#include "internal.h"

static __thread unsigned int own_depth;

/**
 * gate_set() - set who may touch a buffer from now on
 * @buf: buffer
 * @gate: its gate
 *
 * Has no effect if the backend does not detect touches.
 *
 * Context: may sleep; any thread.
 */
void gate_set(struct mem_buf *buf, enum gate gate)
{
	if (buf->ctx->backend->set_gate)
		buf->ctx->backend->set_gate(buf, gate);
}

/**
 * gate_own_begin() - begin accesses of libmem on the calling thread
 *
 * Nests. Code of the program must not be called before gate_own_end().
 */
void gate_own_begin(void)
{
	own_depth++;
}

/**
 * gate_own_end() - end accesses of libmem on the calling thread
 */
void gate_own_end(void)
{
	own_depth--;
}

/**
 * gate_is_own() - check whether the calling thread accesses memory for libmem
 *
 * Context: any, also a signal handler.
 * Return: true between gate_own_begin() and gate_own_end().
 */
bool gate_is_own(void)
{
	return own_depth;
}

/**
 * gate_has_kernel() - check whether a kernel is one of libmem's own
 * @kernel: kernel of a launch
 *
 * Return: true if it was defined with GATE_KERNEL.
 */
bool gate_has_kernel(mem_kernel kernel)
{
	return (uintptr_t)kernel >= (uintptr_t)__start_libmem_kernels &&
	       (uintptr_t)kernel < (uintptr_t)__stop_libmem_kernels;
}

/**
 * gate_allows_cpu() - check whether the CPU may touch a buffer
 * @gate: gate of the buffer
 * @is_write: the touch is a store
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
 * gate_allows_device() - check whether jobs may touch a buffer
 * @gate: gate of the buffer
 *
 * Return: true if the gate allows it.
 */
bool gate_allows_device(enum gate gate)
{
	return gate == GATE_NONE || gate == GATE_DEVICE || gate == GATE_ALL;
}
