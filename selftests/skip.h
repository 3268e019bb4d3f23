/* SPDX-License-Identifier: GPL-2.0-only */
/* To skip a cmocka test; the runner fails one that gives no reason. */
#ifndef _SELFTESTS_SKIP_H
#define _SELFTESTS_SKIP_H

#include <stdio.h>

/* The caller includes cmocka.h, which needs other headers before it. */
#define skip_because(why) \
	do { \
		printf("# skipped: %s\n", why); \
		fflush(stdout); \
		skip(); \
	} while (0)

#endif
