/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an engine may have of buffers and has been given, for both backends. */
#ifndef _LIBMEM_GRANT_H
#define _LIBMEM_GRANT_H

#include "engine/engine.h"
#include "internal.h"

/**
 * struct grant_link - a place in a list, or its head
 * @next: or the head
 * @prev: or the head
 */
struct grant_link {
	struct grant_link *next;
	struct grant_link *prev;
};

/**
 * struct granted - which engines have a buffer
 * @link: by engine, place in its list, if it is in that
 * @engines: bit an engine: it is in its list
 */
struct granted {
	struct grant_link link[NR_ENGINES];
	uint8_t engines;
};

/**
 * struct grants - what an engine has; whoever has it locks it
 * @at: enum mem_engine
 * @list: of struct granted
 * @hidden: what it is to have no access to from the next job on
 * @nr_hidden: how many
 * @max_hidden: for how many there is room
 */
struct grants {
	unsigned int at;
	struct grant_link list;
	struct engine_grant *hidden;
	size_t nr_hidden;
	size_t max_hidden;
};

void grants_init(struct grants *grants, unsigned int at);
void grants_fini(struct grants *grants);
const char *grants_refusal(const struct grants *grants,
			   const struct mem_ctx *ctx,
			   const struct mem_buf *buf);
bool grants_has(const struct grants *grants, const struct granted *granted);
void grants_add(struct grants *grants, struct granted *granted);
int grants_hide(struct grants *grants, struct granted *granted, uint64_t off,
		uint64_t len);
int grants_hide_range(struct grants *grants, uint64_t off, uint64_t len);
struct engine_grant *grants_take_hidden(struct grants *grants, size_t *nr);
struct granted *grants_next(const struct grants *grants,
			    const struct granted *granted);

#endif
