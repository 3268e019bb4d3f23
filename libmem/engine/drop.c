// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * An engine's process drops the application's memory that it must not use: as
 * long as both processes have a page, the kernel copies it when the application
 * stores to it. What the process needs to run stays: code, constants, the C
 * library's heap, and the data of the dynamic linker and of the thread library
 * for this thread. It is unknown what another allocator needs, so with one all
 * private memory stays.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "process.h"

/* The dynamic linker may use smaller mappings; malloc() maps larger blocks. */
#define SMALL_LEN	(128UL << 10)
/* Kept around an address that the dynamic linker is known to use */
#define NEAR_LEN	(64UL << 10)
#define LARGE_LEN	(1UL << 20)

/* Kept around the thread's control block; longer than that block */
#define THREAD_LEN	8192UL

#define MAX_KEPT	1024

/* The initial stack; arguments and environment begin at this address. */
extern void *__libc_stack_end __attribute__((weak));

/**
 * struct kept - memory that is not dropped
 * @at: ranges
 * @nr: number of ranges
 * @is_full: there are more than MAX_KEPT ranges
 * @objects: all segments of these are kept, too
 * @page_mask: mask of an address's offset in its page
 */
struct kept {
	struct range at[MAX_KEPT];
	size_t nr;
	bool is_full;
	const struct objects *objects;
	uintptr_t page_mask;
};

static void keep(struct kept *kept, uintptr_t start, uintptr_t end)
{
	kept->is_full = kept->nr == MAX_KEPT;
	if (kept->is_full)
		return;
	kept->at[kept->nr++] = (struct range) {
		start & ~kept->page_mask,
		(end + kept->page_mask) & ~kept->page_mask,
	};
}

/* Of two ranges, returns the first one that ends behind @start. */
static const struct range *nearer(const struct range *found,
				  const struct range *at, uintptr_t start)
{
	return at->end > start && (!found || at->start < found->start) ? at :
									 found;
}

/* Returns the lowest kept range that ends behind @start, or NULL. */
static const struct range *next_kept(const struct kept *kept, uintptr_t start)
{
	const struct range *found = NULL;
	size_t i;

	for (i = 0; i < kept->nr; i++)
		found = nearer(found, &kept->at[i], start);
	for (i = 0; i < kept->objects->nr; i++)
		found = nearer(found, &kept->objects->segments[i].at, start);
	return found;
}

/* Replaces a mapping by one without access, so that nothing is mapped there. */
static void hide(uintptr_t start, uintptr_t end)
{
	mmap((void *)start, end - start, PROT_NONE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

static bool is_kept(const struct kept *kept, uintptr_t addr)
{
	const struct range *next = next_kept(kept, addr);

	return next && next->start <= addr;
}

static void drop(const struct kept *kept, uintptr_t start, uintptr_t end)
{
	const struct range *next;
	uintptr_t until;

	while (start < end) {
		next = next_kept(kept, start);
		until = next && next->start < end ? next->start : end;
		if (until > start)
			hide(start, until);
		start = next && next->start < end ? next->end : end;
	}
}

/**
 * struct arena - header of each part of a glibc arena (heap_info in
 * malloc/arena.c)
 * @state: address of the arena's state, which lies in its first part
 * @before: address of the previous part; 0 in the first part
 * @len: bytes in use
 * @accessible: bytes that are readable and writable
 */
struct arena {
	uintptr_t state;
	uintptr_t before;
	size_t len;
	size_t accessible;
};

/* Returns true if @at (@addr, or a copy of what is there) looks like one. */
static bool is_arena(uintptr_t addr, const struct arena *at,
		     uintptr_t page_mask)
{
	if (!at->len || at->len > ARENA_LEN || at->len & page_mask ||
	    at->accessible > ARENA_LEN || at->accessible < at->len)
		return false;
	if (at->before)
		return !(at->before % ARENA_LEN);
	return at->state > addr && at->state < addr + page_mask;
}

/**
 * drop_is_arena() - check whether an address is a part of a glibc arena
 * @addr: multiple of ARENA_LEN
 * @page_mask: mask of an address's offset in its page
 *
 * Context: any thread; other threads may unmap the address meanwhile.
 * Return: true if it looks like one; false also if it cannot be read.
 */
bool drop_is_arena(uintptr_t addr, uintptr_t page_mask)
{
	struct arena copy;
	const struct iovec from = { (void *)addr, sizeof(copy) };
	const struct iovec to = { &copy, sizeof(copy) };

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) ==
		sizeof(copy) && is_arena(addr, &copy, page_mask);
}

/* Mappings may be merged, so arenas are searched at each possible address. */
static void keep_arenas(struct kept *kept, const struct range *at)
{
	uintptr_t addr = (at->start + ARENA_LEN - 1) / ARENA_LEN * ARENA_LEN;

	for (; addr < at->end; addr += ARENA_LEN) {
		const struct arena *arena = (const struct arena *)addr;

		if (is_arena(addr, arena, kept->page_mask))
			keep(kept, addr, addr + arena->len);
	}
}

static size_t len_of(const struct mapping *mapping)
{
	return mapping->at.end - mapping->at.start;
}

static bool is_anonymous(const struct mapping *mapping)
{
	return !mapping->is_file && !mapping->is_shared && mapping->is_writable;
}

/* Returns true for registered memory: it is mapped from the window's file. */
static bool is_registered(const struct process *own,
			  const struct mapping *mapping)
{
	const struct own_fd *view = &own->start.window.view;

	return mapping->is_shared && view->nr >= 0 &&
	       mapping->dev == view->dev && mapping->ino == view->ino;
}

/*
 * Registering a block replaces its whole pages by shared ones; its partial
 * first and last page stay anonymous. Returns true if a mapping and the next
 * one are parts of such a block.
 */
static bool are_one_block(const struct process *own, const struct mapping *one)
{
	return one->at.end == one[1].at.start &&
	       (is_registered(own, one) ? is_anonymous(&one[1]) :
		is_anonymous(one) && is_registered(own, &one[1]));
}

static size_t block_len(const struct process *own, const struct mapping *at)
{
	const struct mapping *const all = own->mappings.at;
	const struct mapping *first = at, *last = at;

	while (first > all && are_one_block(own, first - 1))
		first--;
	while (last + 1 < all + own->mappings.nr && are_one_block(own, last))
		last++;
	return last->at.end - first->at.start;
}

/* Returns true if the engine does not need the mapping. */
static bool is_unwanted(const struct process *own,
			const struct mapping *mapping)
{
	if (!mapping->is_writable)
		return false;
	if (mapping->is_shared)
		return true;
	if (mapping->place == ENGINE_HOST_GLOBAL || mapping->is_brk)
		return false;
	if (mapping->is_file)
		return true;
	/* The sanitizer's memory looks the same as the application's. */
	if (__asan_init || own->start.keep != KEEP_NEEDED)
		return false;
	return mapping->place == ENGINE_HOST_STACK ||
	       block_len(own, mapping) >= SMALL_LEN;
}

static void drop_unwanted(struct kept *kept, const struct process *own,
			  size_t min_len)
{
	const struct mappings *mappings = &own->mappings;
	size_t i;

	for (i = 0; i < mappings->nr; i++) {
		const struct mapping *mapping = &mappings->at[i];

		if (len_of(mapping) < min_len || !is_unwanted(own, mapping))
			continue;
		drop(kept, mapping->at.start, mapping->at.end);
	}
}

/*
 * Drops shared mappings whatever they are near, since no allocator keeps its
 * data there. Registered memory is an exception: it is part of a heap.
 */
static void drop_shared(const struct kept *kept, const struct process *own)
{
	const struct mappings *mappings = &own->mappings;
	size_t i;

	for (i = 0; i < mappings->nr; i++) {
		const struct mapping *mapping = &mappings->at[i];

		if (mapping->is_shared && mapping->is_writable &&
		    !is_registered(own, mapping))
			drop(kept, mapping->at.start, mapping->at.end);
	}
}

/* The C library keeps all data of a thread near its TLS or control block. */
static void keep_thread(struct kept *kept, const struct objects *objects)
{
	const uintptr_t self = (uintptr_t)pthread_self();
	struct range near = { self, self };
	size_t i;

	for (i = 0; i < objects->nr_tls; i++) {
		const struct range *tls = &objects->tls[i];

		keep(kept, tls->start - 2 * sizeof(void *), tls->end);
		if (tls->end <= near.start &&
		    near.start - tls->end < THREAD_LEN)
			near.start = tls->start;
		if (tls->start >= near.end &&
		    tls->start - near.end < THREAD_LEN)
			near.end = tls->end;
	}
	keep(kept, near.start - THREAD_LEN, near.end + THREAD_LEN);
}

/* The thread that loaded libmem, as a rule the first */
static pthread_t first_thread;

static void __attribute__((constructor)) note_first_thread(void)
{
	first_thread = pthread_self();
}

/**
 * drop_is_near_first() - check for the first thread's control block
 * @start: first byte
 * @end: behind the last byte
 *
 * In a program without the dynamic linker the control block is in the heap.
 *
 * Return: true if the range is near that block.
 */
bool drop_is_near_first(uintptr_t start, uintptr_t end)
{
	const uintptr_t self = (uintptr_t)first_thread;

	return start < self + NEAR_LEN && end > self - NEAR_LEN;
}

/* Keeps only the surroundings: the mapping may contain heap blocks, too. */
static void keep_part(struct kept *kept, const struct range *at, uintptr_t addr)
{
	const uintptr_t page = addr & ~kept->page_mask;
	const uintptr_t start = page - at->start > NEAR_LEN ? page - NEAR_LEN :
							      at->start;
	const uintptr_t end = at->end - page > NEAR_LEN ? page + NEAR_LEN :
							  at->end;

	keep(kept, start, end);
}

/* Keeps as little of a stack as possible, so that accesses to it are found. */
static void keep_top(struct kept *kept, const struct range *at, uintptr_t addr)
{
	const uintptr_t page = addr & ~kept->page_mask;

	keep(kept, page - at->start > THREAD_LEN ? page - THREAD_LEN :
						   at->start,
	     at->end - page > NEAR_LEN ? page + NEAR_LEN : at->end);
}

/*
 * Keeps what is near @addr in its mapping, since that probably has the same
 * owner. A thread's stack just below the dynamic linker's memory is an
 * exception: both may be one mapping.
 */
static void keep_near(struct kept *kept, const struct mappings *mappings,
		      uintptr_t addr)
{
	size_t i;

	for (i = 0; i < mappings->nr; i++) {
		const struct mapping *mapping = &mappings->at[i];

		if (addr - mapping->at.start >= len_of(mapping) ||
		    mapping->is_brk)
			continue;
		if (mapping->place == ENGINE_HOST_STACK)
			keep_top(kept, &mapping->at, addr);
		else
			keep_part(kept, &mapping->at, addr);
	}
}

/*
 * The dynamic linker maps memory before malloc() is available. Its lists lie
 * there, below the first thread's control block or apart from it.
 */
static void keep_loader(struct kept *kept, const struct mappings *mappings)
{
	const struct link_map *object;

	keep_near(kept, mappings, (uintptr_t)first_thread);
	for (object = _r_debug.r_map; object; object = object->l_next)
		if (!is_kept(kept, (uintptr_t)object))
			keep_near(kept, mappings, (uintptr_t)object);
}

static void keep_initial(struct kept *kept, const struct mappings *mappings)
{
	const uintptr_t from = (uintptr_t)__libc_stack_end;
	size_t i;

	for (i = 0; from && i < mappings->nr; i++) {
		const struct range *at = &mappings->at[i].at;

		if (from < at->start || from >= at->end)
			continue;
		keep(kept, from, at->end);
		/* This makes stack frames in the first page read-only, too. */
		mprotect((void *)(from & ~kept->page_mask),
			 at->end - (from & ~kept->page_mask), PROT_READ);
	}
}

/* Keeps what libmem mapped for the engine. */
static void keep_own(struct kept *kept, const struct engine_start *start)
{
	const struct objects *objects = start->objects;

	keep(kept, start->area.start, start->area.end);
	keep(kept, (uintptr_t)start->shared,
	     (uintptr_t)start->shared + start->shared_len);
	keep(kept, (uintptr_t)objects, (uintptr_t)objects + objects->len);
}

static void keep_needed(struct kept *kept, const struct process *own)
{
	size_t i;

	keep_thread(kept, own->start.objects);
	keep_initial(kept, &own->mappings);
	/* AddressSanitizer's heap has no arenas, and all of it is kept. */
	for (i = 0; !__asan_init && i < own->mappings.nr; i++)
		if (is_anonymous(&own->mappings.at[i]) &&
		    own->mappings.at[i].place != ENGINE_HOST_STACK)
			keep_arenas(kept, &own->mappings.at[i].at);
	keep_loader(kept, &own->mappings);
}

/**
 * drop_memory() - drop memory that only the application needs
 * @own: process; its list of mappings is filled in before anything is dropped
 *
 * Return: 0, or -ENOMEM.
 */
int drop_memory(struct process *own)
{
	struct kept kept = {
		.objects = own->start.objects,
		.page_mask = own->page_len - 1,
	};
	void *area = process_map(MAPPINGS_LEN);

	if (!area)
		return -ENOMEM;
	mappings_read(&own->mappings, area, own->start.objects);
	keep_own(&kept, &own->start);
	drop_shared(&kept, own);
	keep_needed(&kept, own);
	if (kept.is_full)
		return -ENOMEM;
	drop_unwanted(&kept, own, LARGE_LEN);
	drop_unwanted(&kept, own, 0);
	return 0;
}

/**
 * drop_stores() - make the application's variables read-only
 * @own: process with its handlers installed, since the dynamic linker stores to
 *	some variables
 */
void drop_stores(const struct process *own)
{
	const struct objects *objects = own->start.objects;
	const enum keep keep = own->start.keep;
	size_t i;

	for (i = 0; i < objects->nr; i++) {
		const struct segment *segment = &objects->segments[i];

		if (keep == KEEP_ALL ||
		    (keep == KEEP_LIBRARIES && !segment->is_program))
			continue;
		if (segment->is_writable && segment->is_host)
			mprotect((void *)segment->at.start,
				 segment->at.end - segment->at.start,
				 PROT_READ);
	}
}
