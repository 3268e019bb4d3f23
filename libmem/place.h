/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Places in a range of pages, for the windows of both backends. */
#ifndef _LIBMEM_PLACE_H
#define _LIBMEM_PLACE_H

#include <stddef.h>
#include <stdint.h>

#define PLACE_MAX_ORDERS	32
/* Of private_reserve(): as large pages are, and as buffers may have to be */
#define PLACE_ALIGN		((size_t)2 << 20)

/**
 * struct place - the first page of a block; all 0: it is no block's first
 * @owner: who has it; NULL: it is free
 * @next: of the free blocks of its order, page or none
 * @prev: the same
 * @order: log2 of its pages, plus 1
 */
struct place {
	void *owner;
	uint32_t next;
	uint32_t prev;
	uint8_t order;
};

/**
 * struct places - a range of pages; whoever has it locks it
 * @all: a page each
 * @nr_pages: a power of two
 * @nr_orders: the whole range is a block of the last
 * @free: by order, page or none
 */
struct places {
	struct place *all;
	size_t nr_pages;
	unsigned int nr_orders;
	uint32_t free[PLACE_MAX_ORDERS];
};

int places_init(struct places *places, size_t nr_pages);
void places_fini(struct places *places);
int place_alloc(struct places *places, size_t nr_pages, void *owner,
		size_t *page);
void place_free(struct places *places, size_t page);
size_t place_len(const struct places *places, size_t page);
void *place_find(const struct places *places, size_t page, size_t *first);

void *private_reserve(size_t len);
int private_keep(void *addr, size_t len);
void *private_table(size_t len);

#endif
