/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A buddy allocator for pages of the address windows of both backends. */
#ifndef _LIBMEM_BUDDY_H
#define _LIBMEM_BUDDY_H

#include <stddef.h>
#include <stdint.h>

#define BUDDY_MAX_ORDERS	32
/* Of private_reserve(): the size of large pages, and a buffer's alignment. */
#define PRIVATE_ALIGN		((size_t)2 << 20)

/**
 * struct buddy_block - the block that begins at a page; all 0: none does
 * @owner: the caller's; NULL: the block is free
 * @next: next free block of this order: its first page, or none
 * @prev: previous one
 * @order: log2 of the number of its pages, plus 1
 */
struct buddy_block {
	void *owner;
	uint32_t next;
	uint32_t prev;
	uint8_t order;
};

/**
 * struct buddy - a range of pages; the caller locks it
 * @blocks: for each page, the block that begins there
 * @nr_pages: a power of two
 * @nr_orders: number of orders; the whole range is a block of the highest
 * @free: for each order, the first free block: its first page, or none
 */
struct buddy {
	struct buddy_block *blocks;
	size_t nr_pages;
	unsigned int nr_orders;
	uint32_t free[BUDDY_MAX_ORDERS];
};

int buddy_init(struct buddy *buddy, size_t nr_pages);
void buddy_fini(struct buddy *buddy);
int buddy_alloc(struct buddy *buddy, size_t nr_pages, void *owner,
		size_t *page);
void buddy_free(struct buddy *buddy, size_t page);
size_t buddy_table_len(const struct buddy *buddy);
size_t buddy_len(const struct buddy *buddy, size_t page);
void *buddy_find(const struct buddy *buddy, size_t page, size_t *first);

void *private_reserve(size_t len);
int private_keep(void *addr, size_t len);
void *private_table(size_t len);

#endif
