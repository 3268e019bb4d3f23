// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A buddy allocator: blocks are powers of two of pages, so that the block of a
 * page is found without a search. Also reserves memory of this process that is
 * neither inherited by children nor written to core files.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>

#include "buddy.h"

#define NONE	UINT32_MAX

/**
 * private_reserve() - reserve addresses
 * @len: bytes, whole pages
 *
 * Blocks of the range are aligned to their length, up to PRIVATE_ALIGN.
 *
 * Return: the first address, a multiple of PRIVATE_ALIGN; NULL if there is no
 * room.
 */
void *private_reserve(size_t len)
{
	char *all = mmap(NULL, len + PRIVATE_ALIGN, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	size_t before;

	if (all == MAP_FAILED)
		return NULL;
	before = -(uintptr_t)all & (PRIVATE_ALIGN - 1);
	if (before)
		munmap(all, before);
	munmap(all + before + len, PRIVATE_ALIGN - before);
	return all + before;
}

/**
 * private_keep() - exclude a mapping from children and core files
 * @addr: first byte
 * @len: bytes
 *
 * A child cannot use the board; with the mapping, pages of the parent would be
 * copied on each store. A core file would be as long as the window.
 *
 * Return: 0 or -errno.
 */
int private_keep(void *addr, size_t len)
{
	return madvise(addr, len, MADV_DONTFORK) ||
	       madvise(addr, len, MADV_DONTDUMP) ? -errno : 0;
}

/**
 * private_table() - allocate a sparse, zeroed table
 * @len: bytes, of which only those that are touched use memory
 *
 * After mlockall(MCL_FUTURE) the kernel fills new memory that is accessible.
 *
 * Return: the table, for munmap(), or NULL.
 */
void *private_table(size_t len)
{
	void *addr = mmap(NULL, len, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (addr == MAP_FAILED)
		return NULL;
	if (!private_keep(addr, len) && !munlock(addr, len) &&
	    !mprotect(addr, len, PROT_READ | PROT_WRITE))
		return addr;
	munmap(addr, len);
	return NULL;
}

static void buddy_push(struct buddy *buddy, uint32_t page, unsigned int order)
{
	struct buddy_block *block = &buddy->blocks[page];

	*block = (struct buddy_block) {
		.next = buddy->free[order],
		.prev = NONE,
		.order = (uint8_t)(order + 1),
	};
	if (block->next != NONE)
		buddy->blocks[block->next].prev = page;
	buddy->free[order] = page;
}

static void buddy_pull(struct buddy *buddy, uint32_t page)
{
	struct buddy_block *block = &buddy->blocks[page];

	if (block->next != NONE)
		buddy->blocks[block->next].prev = block->prev;
	if (block->prev != NONE)
		buddy->blocks[block->prev].next = block->next;
	else
		buddy->free[block->order - 1] = block->next;
	*block = (struct buddy_block) { 0 };
}

/**
 * buddy_table_len() - return the length of the table of blocks
 * @buddy: range
 *
 * Return: bytes.
 */
size_t buddy_table_len(const struct buddy *buddy)
{
	return buddy->nr_pages * sizeof(*buddy->blocks);
}

/**
 * buddy_init() - initialise a range of free pages
 * @buddy: out: range
 * @nr_pages: its pages, a power of two
 *
 * Return: 0 or -ENOMEM.
 */
int buddy_init(struct buddy *buddy, size_t nr_pages)
{
	unsigned int order;

	buddy->blocks = private_table(nr_pages * sizeof(*buddy->blocks));
	if (!buddy->blocks)
		return -ENOMEM;
	buddy->nr_pages = nr_pages;
	buddy->nr_orders = 1 + (unsigned int)__builtin_ctzll(nr_pages);
	for (order = 0; order < BUDDY_MAX_ORDERS; order++)
		buddy->free[order] = NONE;
	buddy_push(buddy, 0, buddy->nr_orders - 1);
	return 0;
}

/**
 * buddy_fini() - free the table of a range
 * @buddy: range, or zeros
 */
void buddy_fini(struct buddy *buddy)
{
	if (buddy->blocks)
		munmap(buddy->blocks, buddy_table_len(buddy));
	buddy->blocks = NULL;
}

static unsigned int buddy_order_of(size_t nr_pages)
{
	return nr_pages > 1 ? 64U - (unsigned int)
			      __builtin_clzll(nr_pages - 1) : 0;
}

/**
 * buddy_alloc() - allocate a block
 * @buddy: range
 * @nr_pages: least number of pages
 * @owner: what buddy_find() returns, not NULL
 * @page: out: first page of the block
 *
 * Return: 0 or -ENOMEM.
 */
int buddy_alloc(struct buddy *buddy, size_t nr_pages, void *owner,
		size_t *page)
{
	const unsigned int order = buddy_order_of(nr_pages);
	unsigned int have = order;
	uint32_t first;

	while (have < buddy->nr_orders && buddy->free[have] == NONE)
		have++;
	if (have >= buddy->nr_orders)
		return -ENOMEM;
	first = buddy->free[have];
	buddy_pull(buddy, first);
	/* Split a larger block. */
	while (have > order) {
		have--;
		buddy_push(buddy, first + (1U << have), have);
	}
	buddy->blocks[first].order = (uint8_t)(order + 1);
	buddy->blocks[first].owner = owner;
	*page = first;
	return 0;
}

/**
 * buddy_free() - free a block
 * @buddy: range
 * @page: first page of the block
 *
 * If its buddy is free, too, the two become a block of the next order.
 */
void buddy_free(struct buddy *buddy, size_t page)
{
	unsigned int order = buddy->blocks[page].order - 1U;

	buddy->blocks[page] = (struct buddy_block) { 0 };
	while (order + 1 < buddy->nr_orders) {
		size_t other = page ^ ((size_t)1 << order);

		if (buddy->blocks[other].order != order + 1 ||
		    buddy->blocks[other].owner)
			break;
		buddy_pull(buddy, (uint32_t)other);
		if (other < page)
			page = other;
		order++;
	}
	buddy_push(buddy, (uint32_t)page, order);
}

/**
 * buddy_len() - return the length of a block
 * @buddy: range
 * @page: first page of the block
 *
 * Return: number of pages.
 */
size_t buddy_len(const struct buddy *buddy, size_t page)
{
	return (size_t)1 << (buddy->blocks[page].order - 1);
}

/**
 * buddy_find() - find the block of a page
 * @buddy: range
 * @page: a page, also one beyond the range
 * @first: out: first page of the block
 *
 * Return: owner of the block; NULL if the block is free, or there is none.
 */
void *buddy_find(const struct buddy *buddy, size_t page, size_t *first)
{
	unsigned int order;

	*first = page;
	if (page >= buddy->nr_pages)
		return NULL;
	for (order = 0; buddy->blocks[*first].order <= order; order++)
		*first = page >> (order + 1) << (order + 1);
	return buddy->blocks[*first].owner;
}
