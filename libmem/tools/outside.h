/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a thread is that cannot say so itself. */
#ifndef HEAPSIM_OUTSIDE_H
#define HEAPSIM_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct outside;
struct symbols;

/** enum outside_why - why no thread of a process puts its stack down */
enum outside_why {
	OUTSIDE_UNKNOWN,	/* none of these, or they do */
	OUTSIDE_STATIC,		/* no dynamic linker, which preloads */
	OUTSIDE_SECURE,		/* setuid and the like: it preloads nothing */
	OUTSIDE_NOT_PRELOADED,	/* LD_PRELOAD was cleared or replaced */
	OUTSIDE_NO_RIGHTS,	/* cannot open the library, or its file */
	OUTSIDE_GONE,		/* it had ended */
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
