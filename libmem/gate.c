// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What gates of buffers allow, and the accesses of libmem to which they do not
 * apply: those of its own kernels, which are in a section of their own, and
 * those of threads while they work on an image.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <unistd.h>

#include "gate.h"
#include "internal.h"

static __thread unsigned int own_depth;

/* Protects the numbers of held frames in all buffers, and their gates. */
static pthread_mutex_t frames_lock = PTHREAD_MUTEX_INITIALIZER;

/**
 * gate_note_here() - describe the call that is being made
 *
 * Return: time, thread and stack.
 */
struct gate_note gate_note_here(void)
{
	return (struct gate_note) {
		.time_ns = now_ns(),
		.tid = (uint32_t)gettid(),
		.stack = record_stack(0),
	};
}

/**
 * gate_set() - set who may touch a buffer from now on
 * @buf: buffer
 * @gate: its gate
 *
 * Reports name the call that is being made as the cause. Has no effect if the
 * backend does not detect touches.
 *
 * Context: may sleep; any thread.
 */
void gate_set(struct mem_buf *buf, enum gate gate)
{
	if (buf->ctx->backend->set_gate)
		buf->ctx->backend->set_gate(buf, gate, NULL);
}

/**
 * gate_change() - begin or end to check the use of frames
 * @change: change; the buffers are of a backend that detects touches
 *
 * Context: any thread, also with the scheduler's lock held.
 */
void gate_change(const struct gate_change *change)
{
	unsigned int i;

	/* Frames of several threads may be in one buffer. */
	pthread_mutex_lock(&frames_lock);
	for (i = 0; i < change->nr; i++) {
		struct mem_buf *buf = change->bufs[i];
		enum gate gate = GATE_FRAME_HELD;

		buf->nr_frames += change->by;
		if (buf->nr_frames <= 0)
			gate = change->is_shared ? GATE_NONE :
						   GATE_FRAME_RELEASED;
		buf->ctx->backend->set_gate(buf, gate, &change->note);
	}
	pthread_mutex_unlock(&frames_lock);
}

/**
 * gate_change_fini() - drop the references of a change
 * @change: change with a reference to each of its buffers
 */
void gate_change_fini(const struct gate_change *change)
{
	unsigned int i;

	for (i = 0; i < change->nr; i++)
		change->bufs[i]->ctx->backend->put(change->bufs[i]);
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
	case GATE_FRAME_RELEASED:
		return false;
	case GATE_READ:
	case GATE_FRAME_HELD:
		return !is_write;
	default:
		return true;
	}
}

/**
 * gate_allows_device() - check whether jobs may touch a buffer
 * @gate: gate of the buffer
 * @is_write: the touch is a store
 *
 * Return: true if the gate allows it.
 */
bool gate_allows_device(enum gate gate, bool is_write)
{
	switch (gate) {
	case GATE_NONE:
	case GATE_DEVICE:
	case GATE_ALL:
		return true;
	case GATE_FRAME_HELD:
		return !is_write;
	default:
		return false;
	}
}
