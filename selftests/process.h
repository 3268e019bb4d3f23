/* SPDX-License-Identifier: GPL-2.0-only */
/* What a process has, counted for tests that look for leaks */
#ifndef _SELFTESTS_PROCESS_H
#define _SELFTESTS_PROCESS_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

/* Counts descriptors ("fd") or threads ("task"), including the first. */
static inline size_t nr_of_process(const char *what)
{
	char path[64];
	size_t nr = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/self/%s", what);
	dir = opendir(path);
	if (!dir)
		abort();
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

#endif
