/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a thread is that cannot say so itself. */
#ifndef HEAPSIM_OUTSIDE_H
#define HEAPSIM_OUTSIDE_H

#include <stdint.h>
#include <sys/types.h>

struct outside;
struct symbols;

struct outside *outside_open(void);
void outside_set_program(struct outside *outside, const char *path);
void outside_close(struct outside *outside);
long outside_find(struct outside *outside, pid_t pid, uint64_t ip);
const char *outside_at(struct outside *outside, long place,
		       struct symbols *symbols, uint64_t *address);

#endif
