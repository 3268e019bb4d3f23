// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * An engine unmaps the memory of the application that it must not access. This
 * also saves copies: as long as both have a page, the kernel copies it when the
 * application stores to it. An engine keeps what it needs: code, constants, the
 * C library's heap, and data of the loader and the thread library for this
 * thread. If the program has another allocator, it is unknown what that needs,
 * and all private memory is kept.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "process.h"

/*
 * Smaller mappings may belong to the dynamic linker; malloc() maps larger ones.
 */
#define SMALL_LEN	(128UL << 10)
/* Distance of the loader's other memory from its known memory */
#define NEAR_LEN	(64UL << 10)
#define LARGE_LEN	(1UL << 20)

/* Distance around the thread library's struct: more than its length. */
#define THREAD_LEN	8192UL

#define MAX_KEPT	1024

/* Start of arguments and environment on the initial stack. */
extern void *__libc_stack_end __attribute__((weak));

/**
 * struct kept - ranges to keep
 * @at: ranges
 * @nr: number of ranges
 * @is_full: there are more than fit
 * @objects: objects to keep, too
 * @page_mask: mask of the offset in a page
 */
struct kept {
	struct range at[MAX_KEPT];
	size_t nr;
	bool is_full;
	const struct objects *objects;
	uintptr_t page_mask;
};

static void kept_add(struct kept *kept, uintptr_t start, uintptr_t end)
{
	kept->is_full = kept->nr == MAX_KEPT;
	if (kept->is_full)
		return;
	kept->at[kept->nr++] = (struct range) {
		start & ~kept->page_mask,
		(end + kept->page_mask) & ~kept->page_mask,
	};
}

/* Returns @at if it ends after @start and begins before @found, else @found. */
static const struct range *kept_nearer(const struct range *found,
				       const struct range *at, uintptr_t start)
{
	return at->end > start && (!found || at->start < found->start) ? at :
									 found;
}

/* Returns the lowest range to keep at or after @start, or NULL. */
static const struct range *kept_next(const struct kept *kept, uintptr_t start)
{
	const struct range *found = NULL;
	size_t i;

	for (i = 0; i < kept->nr; i++)
		found = kept_nearer(found, &kept->at[i], start);
	for (i = 0; i < kept->objects->nr; i++)
		found = kept_nearer(found, &kept->objects->segments[i].at,
				    start);
	return found;
}

/* Keeps the addresses reserved. */
static void drop_hide(uintptr_t start, uintptr_t end)
{
	mmap((void *)start, end - start, PROT_NONE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

static bool kept_has(const struct kept *kept, uintptr_t addr)
{
	const struct range *next = kept_next(kept, addr);

	return next && next->start <= addr;
}

static void drop_range(const struct kept *kept, uintptr_t start, uintptr_t end)
{
	const struct range *next;
	uintptr_t until;

	while (start < end) {
		next = kept_next(kept, start);
		until = next && next->start < end ? next->start : end;
		if (until > start)
			drop_hide(start, until);
		start = next && next->start < end ? next->end : end;
	}
}

/**
 * struct arena - the start of each part of an arena (glibc's malloc/arena.c:
 * heap_info)
 * @state: state of the arena, in its first part
 * @before: previous part
 * @len: bytes in use
 * @accessible: bytes that are readable and writable
 */
struct arena {
	uintptr_t state;
	uintptr_t before;
	size_t len;
	size_t accessible;
};

/* Returns true if @at, which is at @addr or a copy of it, looks like a part. */
static bool drop_looks_like_arena(uintptr_t addr, const struct arena *at,
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
 * drop_is_arena() - check for a part of an arena of glibc
 * @addr: multiple of ARENA_LEN
 * @page_mask: mask of the offset in a page
 *
 * Context: any thread; other threads may unmap the memory.
 * Return: true if it looks like one; false also if it cannot be read.
 */
bool drop_is_arena(uintptr_t addr, uintptr_t page_mask)
{
	struct arena copy;
	const struct iovec from = { (void *)addr, sizeof(copy) };
	const struct iovec to = { &copy, sizeof(copy) };

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) ==
		sizeof(copy) && drop_looks_like_arena(addr, &copy, page_mask);
}

/* Neighbours may be one mapping, so every possible address is checked. */
static void kept_add_arenas(struct kept *kept, const struct range *at)
{
	uintptr_t addr = (at->start + ARENA_LEN - 1) / ARENA_LEN * ARENA_LEN;

	for (; addr < at->end; addr += ARENA_LEN) {
		const struct arena *arena = (const struct arena *)addr;

		if (drop_looks_like_arena(addr, arena, kept->page_mask))
			kept_add(kept, addr, addr + arena->len);
	}
}

static size_t drop_len_of(const struct mapping *mapping)
{
	return mapping->at.end - mapping->at.start;
}

static bool drop_is_anonymous(const struct mapping *mapping)
{
	return !mapping->is_file && !mapping->is_shared && mapping->is_writable;
}

/* Registered memory, whose pages are pages of the window. */
static bool drop_is_registered(const struct process *own,
			       const struct mapping *mapping)
{
	const struct own_fd *view = &own->start.window.view;

	return mapping->is_shared && view->nr >= 0 &&
	       mapping->dev == view->dev && mapping->ino == view->ino;
}

/* The first and last page of a registered block are not shared in a child. */
static bool drop_is_same_block(const struct process *own,
			       const struct mapping *one)
{
	return one->at.end == one[1].at.start &&
	       (drop_is_registered(own, one) ? drop_is_anonymous(&one[1]) :
		drop_is_anonymous(one) && drop_is_registered(own, &one[1]));
}

static size_t drop_block_len(const struct process *own,
			     const struct mapping *at)
{
	const struct mapping *const all = own->mappings.at;
	const struct mapping *first = at, *last = at;

	while (first > all && drop_is_same_block(own, first - 1))
		first--;
	while (last + 1 < all + own->mappings.nr &&
	       drop_is_same_block(own, last))
		last++;
	return last->at.end - first->at.start;
}

/* Returns true if only the application needs the mapping. */
static bool drop_is_unwanted(const struct process *own,
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
	/* A part of it is the sanitizer's, which cannot be distinguished. */
	if (__asan_init || own->start.keep != KEEP_NEEDED)
		return false;
	return mapping->place == ENGINE_HOST_STACK ||
	       drop_block_len(own, mapping) >= SMALL_LEN;
}

static void drop_unwanted(struct kept *kept, const struct process *own,
			  size_t min_len)
{
	const struct mappings *mappings = &own->mappings;
	size_t i;

	for (i = 0; i < mappings->nr; i++) {
		const struct mapping *mapping = &mappings->at[i];

		if (drop_len_of(mapping) < min_len ||
		    !drop_is_unwanted(own, mapping))
			continue;
		drop_range(kept, mapping->at.start, mapping->at.end);
	}
}

/*
 * No allocator has its own memory in such mappings, whatever is near them,
 * except for registered memory, which is part of a heap.
 */
static void drop_shared(const struct kept *kept, const struct process *own)
{
	const struct mappings *mappings = &own->mappings;
	size_t i;

	for (i = 0; i < mappings->nr; i++) {
		const struct mapping *mapping = &mappings->at[i];

		if (mapping->is_shared && mapping->is_writable &&
		    !drop_is_registered(own, mapping))
			drop_range(kept, mapping->at.start, mapping->at.end);
	}
}

/* Keeps thread-local variables, and what is near the thread's own struct. */
static void kept_add_thread(struct kept *kept, const struct objects *objects)
{
	const uintptr_t self = (uintptr_t)pthread_self();
	struct range near = { self, self };
	size_t i;

	for (i = 0; i < objects->nr_tls; i++) {
		const struct range *tls = &objects->tls[i];

		kept_add(kept, tls->start - 2 * sizeof(void *), tls->end);
		if (tls->end <= near.start &&
		    near.start - tls->end < THREAD_LEN)
			near.start = tls->start;
		if (tls->start >= near.end &&
		    tls->start - near.end < THREAD_LEN)
			near.end = tls->end;
	}
	kept_add(kept, near.start - THREAD_LEN, near.end + THREAD_LEN);
}

/* Of the thread that loaded the library, which usually is the first. */
static pthread_t first_thread;

static void __attribute__((constructor)) drop_note_first_thread(void)
{
	first_thread = pthread_self();
}

/**
 * drop_is_near_first() - check for memory near that of the first thread
 * @start: first byte
 * @end: address after the last byte
 *
 * In a statically linked program that memory is in the heap.
 *
 * Return: true if it is near.
 */
bool drop_is_near_first(uintptr_t start, uintptr_t end)
{
	const uintptr_t self = (uintptr_t)first_thread;

	return start < self + NEAR_LEN && end > self - NEAR_LEN;
}

/* A large block of the heap may be mapped beside it. */
static void kept_add_part(struct kept *kept, const struct range *at,
			  uintptr_t addr)
{
	const uintptr_t page = addr & ~kept->page_mask;
	const uintptr_t start = page - at->start > NEAR_LEN ? page - NEAR_LEN :
							      at->start;
	const uintptr_t end = at->end - page > NEAR_LEN ? page + NEAR_LEN :
							  at->end;

	kept_add(kept, start, end);
}

/* Keeps as little of a stack as possible, so that accesses are detected. */
static void kept_add_top(struct kept *kept, const struct range *at,
			 uintptr_t addr)
{
	const uintptr_t page = addr & ~kept->page_mask;

	kept_add(kept, page - at->start > THREAD_LEN ? page - THREAD_LEN :
						   at->start,
		 at->end - page > NEAR_LEN ? page + NEAR_LEN : at->end);
}

/*
 * Memory that is near it in the same mapping has the same owner, except for a
 * thread's stack that was mapped just below the loader's memory.
 */
static void kept_add_near(struct kept *kept, const struct mappings *mappings,
			  uintptr_t addr)
{
	size_t i;

	for (i = 0; i < mappings->nr; i++) {
		const struct mapping *mapping = &mappings->at[i];

		if (addr - mapping->at.start >= drop_len_of(mapping) ||
		    mapping->is_brk)
			continue;
		if (mapping->place == ENGINE_HOST_STACK)
			kept_add_top(kept, &mapping->at, addr);
		else
			kept_add_part(kept, &mapping->at, addr);
	}
}

/*
 * The loader maps memory before malloc() exists. Its lists are there, below the
 * first thread's own memory or apart from it.
 */
static void kept_add_loader(struct kept *kept, const struct mappings *mappings)
{
	const struct link_map *object;

	kept_add_near(kept, mappings, (uintptr_t)first_thread);
	for (object = _r_debug.r_map; object; object = object->l_next)
		if (!kept_has(kept, (uintptr_t)object))
			kept_add_near(kept, mappings, (uintptr_t)object);
}

static void kept_add_initial(struct kept *kept, const struct mappings *mappings)
{
	const uintptr_t from = (uintptr_t)__libc_stack_end;
	size_t i;

	for (i = 0; from && i < mappings->nr; i++) {
		const struct range *at = &mappings->at[i].at;

		if (from < at->start || from >= at->end)
			continue;
		kept_add(kept, from, at->end);
		/* Frames of the first functions are in its first page, too. */
		mprotect((void *)(from & ~kept->page_mask),
			 at->end - (from & ~kept->page_mask), PROT_READ);
	}
}

/* Mappings that libmem has made for the engine. */
static void kept_add_own(struct kept *kept, const struct engine_start *start)
{
	const struct objects *objects = start->objects;

	kept_add(kept, start->area.start, start->area.end);
	kept_add(kept, (uintptr_t)start->shared,
		 (uintptr_t)start->shared + start->shared_len);
	kept_add(kept, (uintptr_t)objects, (uintptr_t)objects + objects->len);
}

static void kept_add_needed(struct kept *kept, const struct process *own)
{
	size_t i;

	kept_add_thread(kept, own->start.objects);
	kept_add_initial(kept, &own->mappings);
	/* The sanitizer's heap has no arenas; all of it is kept. */
	for (i = 0; !__asan_init && i < own->mappings.nr; i++)
		if (drop_is_anonymous(&own->mappings.at[i]) &&
		    own->mappings.at[i].place != ENGINE_HOST_STACK)
			kept_add_arenas(kept, &own->mappings.at[i].at);
	kept_add_loader(kept, &own->mappings);
}

/**
 * drop_memory() - unmap memory that only the application needs
 * @own: process; gets the list of the application's mappings
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
	kept_add_own(&kept, &own->start);
	drop_shared(&kept, own);
	kept_add_needed(&kept, own);
	if (kept.is_full)
		return -ENOMEM;
	drop_unwanted(&kept, own, LARGE_LEN);
	drop_unwanted(&kept, own, 0);
	return 0;
}

/**
 * drop_stores() - make the application's variables read-only
 * @own: process whose handlers are installed, since the loader stores to some
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
