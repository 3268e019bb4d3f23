/* SPDX-License-Identifier: GPL-2.0-only */
/* For cmocka tests that check that no descriptor is left open. */
#ifndef _SELFTESTS_FDS_H
#define _SELFTESTS_FDS_H

#include "process.h"

/*
 * The first round may leave descriptors open; later rounds must not. The caller
 * includes cmocka.h, which needs other headers before it.
 */
static inline void check_leaves_no_fd(void (*round)(void))
{
	size_t nr;
	int i;

	round();
	nr = nr_of_process("fd");
	for (i = 0; i < 9; i++)
		round();
	assert_int_equal(nr_of_process("fd"), nr);
}

#endif
