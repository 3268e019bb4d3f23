/* SPDX-License-Identifier: GPL-2.0-only */
/* Waits until a thread waits, for tests of what ends a wait. */
#ifndef _SELFTESTS_ASLEEP_H
#define _SELFTESTS_ASLEEP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* Returns true if a thread of this process sleeps. */
static inline bool is_asleep(pid_t tid)
{
	char path[64], line[256] = "";
	const char *name_end;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	file = fopen(path, "re");
	if (!file || !fgets(line, sizeof(line), file))
		abort();
	fclose(file);
	name_end = strrchr(line, ')');
	if (!name_end)
		abort();
	return name_end[2] == 'S';
}

/*
 * Returns when a thread, which sets its number as soon as it begins, sleeps for
 * longer than for a lock.
 */
static inline void wait_until_asleep(const atomic_int *tid)
{
	int nr = 0;

	while (!*tid)
		usleep(1000);
	while (nr < 50) {
		nr = is_asleep(*tid) ? nr + 1 : 0;
		usleep(2000);
	}
}

#endif
