/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which buffers an engine may access and has mapped, for both backends. */
#ifndef _LIBMEM_GRANT_H
#define _LIBMEM_GRANT_H

#include "engine/engine.h"
#include "internal.h"

/**
 * struct grant_link - links of a circular list; also its head
 * @next: next entry, or the head
 * @prev: previous entry, or the head
 */
struct grant_link {
	struct grant_link *next;
	struct grant_link *prev;
};

/**
 * struct granted - engines that have mapped a buffer
 * @link: for each engine, links in its list, if the buffer is in it
 * @engines: for each engine a bit: the buffer is in its list
 */
struct granted {
	struct grant_link link[NR_ENGINES];
	uint8_t engines;
};

/**
 * struct grants - buffers that an engine has mapped; the caller locks it
 * @at: enum mem_engine
 * @list: list of struct granted
 * @hidden: ranges to unmap before the next job
 * @nr_hidden: number of ranges
 * @max_hidden: number of ranges that fit
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
