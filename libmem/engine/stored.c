// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A sparse set of pages: the window has millions of pages, and a job stores to
 * few. The caller holds a lock, or is the only user.
 */
#include <string.h>

#include "process.h"

#define BITS	64

static size_t page_set_words_of(size_t nr)
{
	return (nr + BITS - 1) / BITS;
}

/**
 * page_set_len() - return the memory that a set needs
 * @nr_pages: number of pages of the window
 *
 * Return: bytes.
 */
size_t page_set_len(size_t nr_pages)
{
	const size_t nr_words = page_set_words_of(nr_pages);

	return (nr_words + page_set_words_of(nr_words)) * sizeof(uint64_t);
}

/**
 * page_set_init() - initialise a set
 * @set: out: set
 * @at: page_set_len() bytes; if they are zeroed, the set is empty
 * @nr_pages: number of pages of the window
 */
void page_set_init(struct page_set *set, void *at, size_t nr_pages)
{
	set->nr_words = page_set_words_of(nr_pages);
	set->words = at;
	set->blocks = set->words + set->nr_words;
}

/**
 * page_set_has() - check whether a page is in a set
 * @set: set
 * @page: page
 *
 * Context: any, also a signal handler.
 * Return: true if it is.
 */
bool page_set_has(const struct page_set *set, size_t page)
{
	return set->words[page / BITS] >> (page % BITS) & 1;
}

/**
 * page_set_add() - add a page to a set
 * @set: set
 * @page: page
 *
 * Context: any, also a signal handler.
 */
void page_set_add(struct page_set *set, size_t page)
{
	const size_t word = page / BITS;

	set->words[word] |= 1ULL << (page % BITS);
	set->blocks[word / BITS] |= 1ULL << (word % BITS);
}

/**
 * page_set_remove() - remove a page from a set
 * @set: set
 * @page: page
 */
void page_set_remove(struct page_set *set, size_t page)
{
	set->words[page / BITS] &= ~(1ULL << (page % BITS));
}

/* Returns the first bit at or after @from, or @nr_words * 64. */
static size_t page_set_next_bit(const uint64_t *words, size_t nr_words,
				size_t from)
{
	size_t word = from / BITS;
	uint64_t bits;

	if (word >= nr_words)
		return nr_words * BITS;
	bits = words[word] & UINT64_MAX << (from % BITS);
	while (!bits && ++word < nr_words)
		bits = words[word];
	return bits ? word * BITS + (size_t)__builtin_ctzll(bits) :
		      nr_words * BITS;
}

/* Returns the first page at or after @from; skips empty words by @blocks. */
static size_t page_set_next_page(const struct page_set *set, size_t from)
{
	const size_t nr_blocks = page_set_words_of(set->nr_words);
	size_t word = from / BITS, page;

	while (word < set->nr_words) {
		page = page_set_next_bit(set->words, word + 1, from);
		if (page < (word + 1) * BITS)
			return page;
		word = page_set_next_bit(set->blocks, nr_blocks, word + 1);
		from = word * BITS;
	}
	return set->nr_words * BITS;
}

/**
 * page_set_next() - find the next run of pages
 * @set: set
 * @from: page at which to begin
 * @nr: out: number of pages in the run, 0 none
 *
 * Return: first page of the run, at or after @from.
 */
size_t page_set_next(const struct page_set *set, size_t from, size_t *nr)
{
	const size_t end = set->nr_words * BITS;
	const size_t first = page_set_next_page(set, from);
	size_t last = first;

	while (last < end && page_set_has(set, last))
		last++;
	*nr = last - first;
	return first;
}

/**
 * page_set_clear() - remove all pages from a set
 * @set: set
 */
void page_set_clear(struct page_set *set)
{
	const size_t nr_blocks = page_set_words_of(set->nr_words);
	size_t word = page_set_next_bit(set->blocks, nr_blocks, 0);

	for (; word < set->nr_words;
	     word = page_set_next_bit(set->blocks, nr_blocks, word + 1))
		set->words[word] = 0;
	memset(set->blocks, 0, nr_blocks * sizeof(*set->blocks));
}
