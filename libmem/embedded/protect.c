// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The CPU's access to the pages of the window.
 *
 * Neighbours with the same access are one mapping. The kernel limits the number
 * of mappings: if accesses differ from page to page, the whole first region, of
 * buffers with two views, is revoked before the limit is reached. This only
 * makes touches fault again.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "../buddy.h"
#include "embedded.h"

/*
 * The process has a limit of mappings: the window uses one part in this many.
 */
#define DEFAULT_MAX_MAPPINGS	65530
#define OUR_SHARE		4

/* In protect.access: the page stays accessible after a step (step.c). */
#define KEPT			0x80U

static struct {
	/* read: to change accesses; write: to change those of a region */
	pthread_rwlock_t lock;
	uint8_t *addr;		/* of the window */
	size_t region_pages;	/* of the first region, with the gap */
	size_t nr_places;	/* pages of a region, without the gap */
	uint8_t *access;	/* enum page_access of each page, and KEPT */
	atomic_long nr_edges;	/* neighbouring pages that differ */
	long max_edges;
} IN_OWN_PAGES protect = {
	.lock = PTHREAD_RWLOCK_INITIALIZER,
};

static long protect_max_mappings(void)
{
	FILE *file = fopen("/proc/sys/vm/max_map_count", "re");
	long max = DEFAULT_MAX_MAPPINGS;

	if (file && fscanf(file, "%ld", &max) != 1)
		max = DEFAULT_MAX_MAPPINGS;
	if (file)
		fclose(file);
	return max;
}

static size_t protect_len(void)
{
	return protect.region_pages + protect.nr_places;
}

/**
 * protect_init() - prepare the accesses of the window's pages
 * @addr: window, without access
 * @region_pages: pages of the first region, with the gap
 * @nr_places: pages of a region, without the gap
 *
 * Context: the window's lock is held, and the window is not used yet.
 * Return: 0 or -ENOMEM.
 */
int protect_init(uint8_t *addr, size_t region_pages, size_t nr_places)
{
	protect.addr = addr;
	protect.region_pages = region_pages;
	protect.nr_places = nr_places;
	protect.max_edges = protect_max_mappings() / OUR_SHARE;
	protect.access = private_table(protect_len());
	return protect.access ? 0 : -ENOMEM;
}

/**
 * protect_exit() - undo protect_init()
 *
 * Context: as protect_init(), which may have failed or not been called.
 */
void protect_exit(void)
{
	if (protect.access)
		munmap(protect.access, protect_len());
	protect.access = NULL;
}

/**
 * protect_is_table() - check whether an address is in the table of accesses
 * @addr: any address
 *
 * Return: true if it is.
 */
bool protect_is_table(uintptr_t addr)
{
	return addr - (uintptr_t)protect.access < protect_len();
}

/**
 * protect_let_fork() - let children inherit the table, which they do not need
 *
 * Context: after protect_init().
 */
void protect_let_fork(void)
{
	madvise(protect.access, protect_len(), MADV_DOFORK);
}

static int protect_change(size_t first, size_t nr, enum page_access access)
{
	static const int prots[] = {
		[PAGE_NO_ACCESS] = PROT_NONE,
		[PAGE_READ] = PROT_READ,
		[PAGE_WRITE] = PROT_READ | PROT_WRITE,
	};

	return mprotect(protect.addr + (first << window_page_shift()),
			nr << window_page_shift(), prots[access]) ? -errno : 0;
}

/* Counts neighbours that differ, from the page before to the page after. */
static long protect_edges_of(size_t first, size_t nr)
{
	const size_t end = first + nr;
	size_t i = first ? first : 1;
	long edges = 0;

	for (; i <= end; i++)
		edges += (protect.access[i - 1] & ~KEPT) !=
			 (protect.access[i] & ~KEPT);
	return edges;
}

/* The next touch of each page is detected again. */
static void protect_revoke_all(void)
{
	pthread_rwlock_wrlock(&protect.lock);
	if (!protect_change(0, protect.region_pages, PAGE_NO_ACCESS)) {
		madvise(protect.access, protect.nr_places, MADV_DONTNEED);
		atomic_store(&protect.nr_edges, 0);
	}
	pthread_rwlock_unlock(&protect.lock);
}

static int protect_views(size_t first, size_t nr, enum page_access access)
{
	long before;
	int err;

	pthread_rwlock_rdlock(&protect.lock);
	before = protect_edges_of(first, nr);
	err = protect_change(first, nr, access);
	if (!err) {
		memset(protect.access + first, access, nr);
		atomic_fetch_add(&protect.nr_edges,
				 protect_edges_of(first, nr) - before);
	}
	pthread_rwlock_unlock(&protect.lock);
	return err;
}

/*
 * Protects the whole block, so that it can be one mapping with its neighbours.
 */
static int protect_one_view(size_t first, enum page_access access)
{
	const size_t nr = window_block_pages(first);
	int err;

	err = protect_change(first, nr, access);
	if (!err) {
		memset(protect.access + first, access, nr);
		return 0;
	}
	/*
	 * Too many mappings: the whole region remains, or becomes, accessible.
	 */
	if (access == PAGE_NO_ACCESS)
		return 0;
	return protect_change(protect.region_pages, protect.nr_places, access);
}

/**
 * protect_set() - set the CPU's access to pages
 * @first: first page
 * @nr: number of pages, of one buffer; if it has one view, all its pages
 * @access: access
 *
 * Context: caller must hold the buffer's lock.
 * Return: 0, or -ENOMEM if the process has too many mappings; the pages may
 * have lost access then.
 */
int protect_set(size_t first, size_t nr, enum page_access access)
{
	int err;

	if (window_is_open())
		return 0;
	if (first >= protect.region_pages)
		return protect_one_view(first, access);
	if (atomic_load(&protect.nr_edges) > protect.max_edges)
		protect_revoke_all();
	err = protect_views(first, nr, access);
	if (!err)
		return 0;
	protect_revoke_all();
	return protect_views(first, nr, access);
}

/**
 * protect_get() - return the CPU's access to a page
 * @page: page
 *
 * Context: the lock of its buffer is held.
 * Return: as set by protect_set(), unless access was removed from all pages
 * since.
 */
enum page_access protect_get(size_t page)
{
	return (enum page_access)(__atomic_load_n(&protect.access[page],
						  __ATOMIC_RELAXED) & ~KEPT);
}

/**
 * protect_keep() - let a page stay accessible when a step ends
 * @page: page
 *
 * This holds until protect_set() changes the page, or access was removed from
 * all pages.
 *
 * Context: the lock of its buffer is held.
 */
void protect_keep(size_t page)
{
	if (protect_get(page) != PAGE_NO_ACCESS)
		__atomic_fetch_or(&protect.access[page], KEPT,
				  __ATOMIC_RELAXED);
}

/**
 * protect_is_kept() - check whether a page stays accessible when a step ends
 * @page: page
 *
 * Context: the lock of its buffer is held.
 * Return: true after protect_keep().
 */
bool protect_is_kept(size_t page)
{
	return __atomic_load_n(&protect.access[page], __ATOMIC_RELAXED) & KEPT;
}
