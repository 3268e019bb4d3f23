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

/* Sets the gate that follows from the frames. The lock is held. */
static void gate_set_frames(struct mem_buf *buf, const struct gate_note *note)
{
	const struct frame_holds *frames = &buf->frames;
	enum gate gate = GATE_NONE;

	if (frames->nr_own > 0 || frames->nr_shared > 0)
		gate = GATE_FRAME_HELD;
	else if (frames->is_consumers)
		gate = GATE_FRAME_RELEASED;
	buf->ctx->backend->set_gate(buf, gate, note);
}

/**
 * gate_epoch() - return the epoch for a change of a buffer
 * @buf: buffer
 *
 * Return: number, see struct gate_change.
 */
unsigned int gate_epoch(struct mem_buf *buf)
{
	unsigned int ret;

	pthread_mutex_lock(&frames_lock);
	ret = buf->frames.epoch;
	pthread_mutex_unlock(&frames_lock);
	return ret;
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
		struct frame_holds *frames = &buf->frames;

		if (!change->is_shared) {
			frames->nr_own += change->by;
			frames->is_consumers = true;
		} else if (frames->epoch == change->epochs[i]) {
			frames->nr_shared += change->by;
		}
		gate_set_frames(buf, &change->note);
	}
	pthread_mutex_unlock(&frames_lock);
}

/**
 * gate_end_shared() - end all frames of a producer with the same context
 * @change: its buffers; changes that streams have not reached have no effect
 *
 * Context: any thread.
 */
void gate_end_shared(const struct gate_change *change)
{
	unsigned int i;

	pthread_mutex_lock(&frames_lock);
	for (i = 0; i < change->nr; i++) {
		struct frame_holds *frames = &change->bufs[i]->frames;

		frames->nr_shared = 0;
		frames->epoch++;
		gate_set_frames(change->bufs[i], &change->note);
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
	return !(gate & (is_write ? GATE_NO_CPU_WRITE : GATE_NO_CPU_READ));
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
	return !(gate & (is_write ? GATE_NO_DEVICE_WRITE :
				    GATE_NO_DEVICE_READ));
}
