/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records for `heapsim run`: what the files that write them share. */
#ifndef _LIBMEM_RECORD_INTERNAL_H
#define _LIBMEM_RECORD_INTERNAL_H

#include <stdbool.h>
#include <string.h>

#include "record.h"
#include "stacks.h"

/* notice.c */
void notice_unwatched(bool is_embedded);

/* record.c */
struct stacks *record_tables(void);

/* hash.c */
struct record_entry record_of_violation(const struct mem_violation *v);
struct record_place *record_add_finding(struct record_tables *tables,
					struct record_entry *r,
					const struct mem_violation *v);
struct record_place *record_add_object(struct record_tables *tables,
				       struct record_entry *r,
				       const struct mem_violation *v);

/* Copies a text, NULL is empty, and cuts off its end if it is too long. */
static inline void record_copy_text(char *to, const char *from, size_t size)
{
	size_t len = from ? strnlen(from, size - 1) : 0;

	memcpy(to, from ? from : "", len);
	memset(to + len, 0, size - len);
}

#endif
