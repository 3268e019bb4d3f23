// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Locks the memory of the process without the window, its aliases and its
 * tables. These are sparse and writable, and the kernel would fill all of them
 * with pages, 64 GiB or more.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "embedded.h"

/*
 * Fills all mappings but ours, which are locked already, with pages. As in the
 * kernel's mlockall(), it is no error if a mapping cannot be filled.
 */
static void lock_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end;
	char *line = NULL;
	size_t size = 0;

	while (maps && getline(&line, &size, maps) > 0) {
		if (sscanf(line, "%lx-%lx", &start, &end) != 2)
			continue;
		if (window_is_sparse(start))
			munlock((void *)start, end - start);
		else
			mlock((void *)start, end - start);
	}
	free(line);
	if (maps)
		fclose(maps);
}

/**
 * lock_all() - lock the memory of the process, as mlockall() does
 * @flags: as of mlockall()
 *
 * Context: any thread.
 * Return: 0, or -1 and errno.
 */
int lock_all(int flags)
{
	const int filled = MCL_CURRENT | MCL_FUTURE;
	int error = errno;

	/* Memory that is locked when it is touched is not filled. */
	if (!(flags & MCL_CURRENT) || flags & ~filled || window_is_forked())
		return (int)syscall(SYS_mlockall, flags);
	if (syscall(SYS_mlockall, MCL_CURRENT | MCL_ONFAULT))
		return -1;
	lock_mappings();
	errno = error;
	/* This changes nothing about memory that exists. */
	return flags & MCL_FUTURE ? (int)syscall(SYS_mlockall, MCL_FUTURE) : 0;
}
