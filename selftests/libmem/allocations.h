/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For tests that make allocations fail one after the other. A program includes
 * this once and is linked with libmem.a and --wrap of malloc and calloc.
 */
#ifndef _LIBMEM_ALLOCATIONS_H
#define _LIBMEM_ALLOCATIONS_H

#include <stdbool.h>
#include <stddef.h>

/* Number of this thread's next allocations that succeed; negative: all. */
static _Thread_local int nr_allocations = -1;

void *__real_malloc(size_t len);
void *__wrap_malloc(size_t len);
void *__real_calloc(size_t nr, size_t len);
void *__wrap_calloc(size_t nr, size_t len);

static bool may_allocate(void)
{
	if (nr_allocations < 0)
		return true;
	if (!nr_allocations)
		return false;
	nr_allocations--;
	return true;
}

void *__wrap_malloc(size_t len)
{
	return may_allocate() ? __real_malloc(len) : NULL;
}

void *__wrap_calloc(size_t nr, size_t len)
{
	return may_allocate() ? __real_calloc(nr, len) : NULL;
}

#endif
