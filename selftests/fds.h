/* SPDX-License-Identifier: GPL-2.0-only */
/* For cmocka tests that check that no descriptor is left open. */
#ifndef _SELFTESTS_FDS_H
#define _SELFTESTS_FDS_H

#include <dirent.h>

/* The caller includes cmocka.h, which needs other headers before it. */
static inline int nr_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int nr = 0;

	assert_non_null(dir);
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

/* The first round may leave descriptors open; later rounds must not. */
static inline void check_leaves_no_fd(void (*round)(void))
{
	int i, nr;

	round();
	nr = nr_fds();
	for (i = 0; i < 9; i++)
		round();
	assert_int_equal(nr_fds(), nr);
}

#endif
