// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Places are given by buddies, in powers of two of pages, so whose a page is
 * can be told without a search. What belongs to one process is kept from its
 * children and from cores.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>

#include "place.h"

#define NONE	UINT32_MAX

/**
 * private_reserve() - addresses, where the kernel chooses
 * @len: bytes, whole pages
 *
 * Blocks of a range are aligned to their length, as far as the range is.
 *
 * Return: where, a multiple of PLACE_ALIGN; NULL: there is no room.
 */
void *private_reserve(size_t len)
{
	char *all = mmap(NULL, len + PLACE_ALIGN, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	size_t before;

	if (all == MAP_FAILED)
		return NULL;
	before = -(uintptr_t)all & (PLACE_ALIGN - 1);
	if (before)
		munmap(all, before);
	munmap(all + before + len, PLACE_ALIGN - before);
	return all + before;
}

/**
 * private_keep() - keep a mapping from children and cores
 * @addr: of it
 * @len: bytes
 *
 * A child has no board; it would only keep our pages copied. A core would be as
 * long as the window.
 *
 * Return: 0 or -errno.
 */
int private_keep(void *addr, size_t len)
{
	return madvise(addr, len, MADV_DONTFORK) ||
	       madvise(addr, len, MADV_DONTDUMP) ? -errno : 0;
}

/**
 * private_table() - sparse, zeroed memory of which little is ever touched
 * @len: bytes
 *
 * Return: for munmap(), or NULL.
 */
void *private_table(size_t len)
{
	void *addr = mmap(NULL, len, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (addr == MAP_FAILED)
		return NULL;
	if (!private_keep(addr, len))
		return addr;
	munmap(addr, len);
	return NULL;
}

static void push(struct places *places, uint32_t page, unsigned int order)
{
	struct place *place = &places->all[page];

	*place = (struct place) {
		.next = places->free[order],
		.prev = NONE,
		.order = (uint8_t)(order + 1),
	};
	if (place->next != NONE)
		places->all[place->next].prev = page;
	places->free[order] = page;
}

static void pull(struct places *places, uint32_t page)
{
	struct place *place = &places->all[page];

	if (place->next != NONE)
		places->all[place->next].prev = place->prev;
	if (place->prev != NONE)
		places->all[place->prev].next = place->next;
	else
		places->free[place->order - 1] = place->next;
	*place = (struct place) { 0 };
}

/**
 * places_init() - all of a range is free
 * @places: out
 * @nr_pages: of it, a power of two
 *
 * Return: 0 or -ENOMEM.
 */
int places_init(struct places *places, size_t nr_pages)
{
	unsigned int order;

	places->all = private_table(nr_pages * sizeof(*places->all));
	if (!places->all)
		return -ENOMEM;
	places->nr_pages = nr_pages;
	places->nr_orders = 1 + (unsigned int)__builtin_ctzll(nr_pages);
	for (order = 0; order < PLACE_MAX_ORDERS; order++)
		places->free[order] = NONE;
	push(places, 0, places->nr_orders - 1);
	return 0;
}

/**
 * places_fini() - nobody asks for a place any more
 * @places: range; it may never have been
 */
void places_fini(struct places *places)
{
	if (places->all)
		munmap(places->all, places->nr_pages * sizeof(*places->all));
	places->all = NULL;
}

static unsigned int order_of(size_t nr_pages)
{
	return nr_pages > 1 ? 64U - (unsigned int)
			      __builtin_clzll(nr_pages - 1) : 0;
}

/**
 * place_alloc() - a block of pages
 * @places: range
 * @nr_pages: at least
 * @owner: who gets it, not NULL
 * @page: out: its first
 *
 * Return: 0 or -ENOMEM.
 */
int place_alloc(struct places *places, size_t nr_pages, void *owner,
		size_t *page)
{
	const unsigned int order = order_of(nr_pages);
	unsigned int have = order;
	uint32_t first;

	while (have < places->nr_orders && places->free[have] == NONE)
		have++;
	if (have >= places->nr_orders)
		return -ENOMEM;
	first = places->free[have];
	pull(places, first);
	/* Larger ones are split. */
	while (have > order) {
		have--;
		push(places, first + (1U << have), have);
	}
	places->all[first].order = (uint8_t)(order + 1);
	places->all[first].owner = owner;
	*page = first;
	return 0;
}

/**
 * place_free() - give a block back
 * @places: range
 * @page: its first
 *
 * With its buddy, if that is free, it is one of the next order.
 */
void place_free(struct places *places, size_t page)
{
	unsigned int order = places->all[page].order - 1U;

	places->all[page] = (struct place) { 0 };
	while (order + 1 < places->nr_orders) {
		size_t buddy = page ^ ((size_t)1 << order);

		if (places->all[buddy].order != order + 1 ||
		    places->all[buddy].owner)
			break;
		pull(places, (uint32_t)buddy);
		if (buddy < page)
			page = buddy;
		order++;
	}
	push(places, (uint32_t)page, order);
}

/**
 * place_len() - length of a block
 * @places: range
 * @page: its first
 *
 * Return: pages.
 */
size_t place_len(const struct places *places, size_t page)
{
	return (size_t)1 << (places->all[page].order - 1);
}

/**
 * place_find() - whose a page is
 * @places: range
 * @page: of it, or behind it
 * @first: out: first page of the block
 *
 * Return: the owner of the block, NULL: it is free, or there is none.
 */
void *place_find(const struct places *places, size_t page, size_t *first)
{
	unsigned int order;

	*first = page;
	if (page >= places->nr_pages)
		return NULL;
	for (order = 0; places->all[*first].order <= order; order++)
		*first = page >> (order + 1) << (order + 1);
	return places->all[*first].owner;
}
