/* SPDX-License-Identifier: GPL-2.0-only */
/* Places of threads that cannot write their stacks */
#ifndef HEAPSIM_OUTSIDE_H
#define HEAPSIM_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct outside;
struct symbols;

/** enum outside_why - why the threads of a process write no stacks */
enum outside_why {
	OUTSIDE_UNKNOWN,	/* another reason, or they do write stacks */
	OUTSIDE_STATIC,		/* no dynamic linker, which would preload */
	OUTSIDE_SECURE,		/* setuid and the like: nothing is preloaded */
	OUTSIDE_NOT_PRELOADED,	/* LD_PRELOAD was cleared or replaced */
	OUTSIDE_NO_RIGHTS,	/* may not open the library or its file */
	OUTSIDE_GONE,		/* the process had ended */
};

struct outside *outside_open(void);
void outside_set_program(struct outside *outside, const char *path);
void outside_close(struct outside *outside);
long outside_find(struct outside *outside, pid_t pid, uint64_t ip);
enum outside_why outside_why(struct outside *outside, pid_t pid);
bool outside_stat(const char *path, char *state, int *parent);
bool outside_is_running(pid_t pid, pid_t tid);
const char *outside_why_name(enum outside_why why);
const char *outside_at(struct outside *outside, long place,
		       struct symbols *symbols, uint64_t *address);

#endif
