/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Queue of the violations that a context has not read yet. */
#ifndef _LIBMEM_VIOLATIONS_H
#define _LIBMEM_VIOLATIONS_H

#include <stdint.h>

#include "fd.h"
#include "libmem.h"

struct engine_result;

/**
 * struct violations - a queue of violations
 * @kinds: bit mask of MEM_VIOLATION_*; others are not queued
 * @size: places in @ring
 * @first: place of the oldest
 * @nr: number of places in use
 * @nr_dropped: violations that found no place since this was last reported
 * @event: eventfd that is set while violations wait; open if the caller has
 *	asked for it
 * @ring: the violations
 */
struct violations {
	uint32_t kinds;
	uint32_t size;
	uint32_t first;
	uint32_t nr;
	uint64_t nr_dropped;
	struct own_fd event;
	struct mem_violation ring[];
};

struct violations *violations_create(unsigned int what, uint32_t nr);
void violations_destroy(struct violations *queue);
void violations_add(struct violations *queue, const struct mem_violation *v);
int violations_take(struct violations *queue, struct mem_violation *v);
int violations_open_event(struct violations *queue);
struct mem_violation violation_of_failed(const struct engine_result *result,
					 const char *refused);

#endif
