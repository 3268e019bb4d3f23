/* SPDX-License-Identifier: GPL-2.0-only */
/* Accesses of the CPU that may be refused */
#ifndef _LIBMEM_TOUCH_H
#define _LIBMEM_TOUCH_H

#include "test.h"

static sigjmp_buf touch_env;

static inline void on_touch(int signal)
{
	siglongjmp(touch_env, signal);
}

/* Loads or stores. Returns the signal that this raises, or 0. */
static inline int touch(volatile uint32_t *word, bool is_write)
{
	struct sigaction action = { .sa_handler = on_touch }, bus, segv;
	int signal;

	assert_int_equal(sigaction(SIGBUS, &action, &bus), 0);
	assert_int_equal(sigaction(SIGSEGV, &action, &segv), 0);
	signal = sigsetjmp(touch_env, 1);
	if (!signal && is_write)
		*word = 1;
	else if (!signal)
		(void)*word;
	assert_int_equal(sigaction(SIGBUS, &bus, NULL), 0);
	assert_int_equal(sigaction(SIGSEGV, &segv, NULL), 0);
	return signal;
}

#endif
