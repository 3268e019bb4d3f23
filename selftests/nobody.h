/* SPDX-License-Identifier: GPL-2.0-only */
/* For children that act as a user without rights */
#ifndef _SELFTESTS_NOBODY_H
#define _SELFTESTS_NOBODY_H

#include <unistd.h>

#define NOBODY	65534	/* the user, and his group */

/* Gives up root for good. Returns 0 or -1. */
static inline int become_nobody(void)
{
	return setgid(NOBODY) || setuid(NOBODY) ? -1 : 0;
}

#endif
