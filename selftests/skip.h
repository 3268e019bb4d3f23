/* SPDX-License-Identifier: GPL-2.0-only */
/* Skips a cmocka test with a reason, without which the runner fails it. */
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
