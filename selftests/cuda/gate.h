/* SPDX-License-Identifier: GPL-2.0-only */
/* A host function that blocks its stream until a test opens the gate */
#ifndef _CUDA_GATE_H
#define _CUDA_GATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

/**
 * struct gate - what a test and the host function exchange
 * @is_open: the host function may return
 * @is_reached: the host function was called
 * @is_passed: the host function returns
 */
struct gate {
	atomic_bool is_open;
	atomic_bool is_reached;
	atomic_bool is_passed;
};

/* The wait is bounded: a gate that stays closed would block all later work. */
static inline void gate_wait(void *arg)
{
	struct gate *gate = arg;
	int ms;

	atomic_store(&gate->is_reached, true);
	for (ms = 0; !atomic_load(&gate->is_open) && ms < 20000; ms++)
		usleep(1000);
	atomic_store(&gate->is_passed, true);
}

static inline void gate_open(struct gate *gate)
{
	atomic_store(&gate->is_open, true);
}

#endif
