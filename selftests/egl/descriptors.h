/* SPDX-License-Identifier: GPL-2.0-only */
/* Lets calls fail that need a file descriptor. */
#ifndef _EGL_DESCRIPTORS_H
#define _EGL_DESCRIPTORS_H

#include <sys/resource.h>

#include "test.h"

/* No descriptor can be opened until the limit is restored. */
static inline struct rlimit use_all_descriptors(void)
{
	const int next = dup(0);
	struct rlimit before, limit;

	assert_true(next >= 0);
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = before;
	limit.rlim_cur = next;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	return before;
}

#endif
