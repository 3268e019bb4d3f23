// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Registered memory and fork().
 *
 * Pages of registered memory are shared mappings. The first and the last page
 * of a registered range also hold memory that is not registered, such as the
 * C library's heap. A child of fork() gets copies of all pages. An engine's
 * process gets copies only of the pages that it needs to continue, because
 * kernels access registered memory at another address.
 *
 * In a child the C library stores to its heap before it calls any fork handler:
 * it initialises locks again and marks arenas as unused. These stores must not
 * reach the parent. Therefore the child has no first and last page until it
 * touches them, or until its fork handler maps the copies.
 *
 * The thread that forks stores to some pages until the child's handler runs:
 * those of its stack, its TCB, its rseq area and its alternate signal stack.
 * Only the kernel can copy these at the right moment, so they are private
 * mappings during the fork. Afterwards the parent makes them shared again and
 * merges what engines have stored in the meantime. The thread runs on another
 * stack (aside.c) while the mappings of its own stack change.
 */
#define _GNU_SOURCE
#include <search.h>
#include <stdlib.h>
#include <sys/mman.h>
#if __has_include("sys/rseq.h")
#include <sys/rseq.h>
#endif
#include <unistd.h>

#include <valgrind/memcheck.h>

#include "registered.h"

/**
 * enum host_place - what lies in pages of registered memory
 * @HOST_WITHIN: only registered memory
 * @HOST_EDGE: registered memory and other memory
 * @HOST_OWN: stack frames of the thread that forks, or data that the C library
 *	or the kernel keeps for this thread; only the kernel can copy these
 */
enum host_place {
	HOST_WITHIN,
	HOST_EDGE,
	HOST_OWN,
};

/**
 * struct host_pages - adjacent pages of registered memory, for a child of fork
 * @at: their address in the program
 * @len: bytes
 * @off: their offset in the window
 * @dram: the address at which the library accesses them
 * @place: what lies in them
 * @is_away: the child has no mapping at @at until it maps @copy there
 * @copy: copy of their bytes, made before the fork; NULL if there is none, or
 *	if it has been mapped at @at
 * @shared: for HOST_OWN, the address of the shared pages while @at is a private
 *	mapping; NULL if @at is shared
 * @before: for HOST_OWN, their bytes when they became private
 */
struct host_pages {
	uint8_t *at;
	size_t len;
	uint64_t off;
	const uint8_t *dram;
	enum host_place place;
	bool is_away;
	void *copy;
	uint8_t *shared;
	uint8_t *before;
};

/*
 * The frames of fork(), of its handlers and of a signal handler fit into this
 * many bytes.
 */
#define FRAMES_LEN	(16UL << 10)

/* Ranges of the thread that forks: frames, TCB, signal stack, rseq area. */
#define NR_OWN		4

/*
 * A registered range has two edges and what lies between them. Each of the
 * thread's ranges may cut one of these parts in two.
 */
#define HOST_PAGES_MAX	(3 + 2 * NR_OWN)

/*
 * State of the fork in progress. The fork handlers hold both locks of
 * registered memory while they use it. It lies in mappings of its own, because
 * any other memory of the process may be in registered pages.
 */
static struct {
	struct host_pages *pages;
	atomic_size_t nr_pages;		/* other threads look whether it is 0 */
	struct range own[NR_OWN];	/* of the thread that forks */
	struct aside *aside;		/* NULL if no page is HOST_OWN */
	struct mappings *mappings;	/* before the fork, NULL if unknown */
	sigset_t old;			/* signal mask before the fork */
} IN_OWN_PAGES forked;

static bool fork_is_in(const struct range *at, uintptr_t addr, size_t len)
{
	return at->start < addr + len && at->end > addr;
}

/* The kernel stores the frame of a signal handler there. */
static struct range signal_stack(void)
{
	stack_t stack;

	if (sigaltstack(NULL, &stack) || stack.ss_flags & SS_DISABLE)
		return (struct range) { 0 };
	return (struct range) {
		(uintptr_t)stack.ss_sp, (uintptr_t)stack.ss_sp + stack.ss_size,
	};
}

/* The kernel stores there whenever the thread continues to run. */
static struct range rseq_of(uintptr_t self)
{
#if __has_include("sys/rseq.h")
	const uintptr_t at = self + __rseq_offset;

	return (struct range) { at, at + __rseq_size };
#else
	(void)self;
	return (struct range) { 0 };
#endif
}

static void fork_note_thread(void)
{
	const uintptr_t page_len = (uintptr_t)1 << window_page_shift();
	const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	const uintptr_t self = (uintptr_t)pthread_self();

	forked.own[0] = (struct range) {
		frame - FRAMES_LEN, frame + page_len,
	};
	forked.own[1] = (struct range) { self - page_len, self + page_len };
	forked.own[2] = signal_stack();
	forked.own[3] = rseq_of(self);
}

static enum host_place fork_place_of(const struct mem_buf *buf, uintptr_t page)
{
	const uintptr_t host = (uintptr_t)buf->host;
	const size_t page_len = (size_t)1 << window_page_shift();
	size_t i;

	for (i = 0; i < NR_OWN; i++)
		if (fork_is_in(&forked.own[i], page, page_len))
			return HOST_OWN;
	if (page >= host && page + page_len <= host + buf->asked_len)
		return HOST_WITHIN;
	/*
	 * Under valgrind a SIGSEGV handler cannot map the page for the code
	 * that touched it. valgrind's malloc() keeps none of its own data
	 * there, so the edges can be treated as registered memory.
	 */
	return window_is_open() ? HOST_WITHIN : HOST_EDGE;
}

/* Returns true if the program has unmapped the page, as free() may do. */
static bool fork_is_gone(const struct mem_buf *buf, uintptr_t page)
{
	const struct embedded_buf *own = (const struct embedded_buf *)buf;
	bool is_there;

	window_host_run(forked.mappings, (void *)page,
			(size_t)1 << window_page_shift(),
			window_off(own) + (page -
					   registered_page_of(buf->host)),
			&is_there);
	return !is_there;
}

/* Merges the page with the one before if the same kind of memory lies there. */
static void fork_note_page(const struct mem_buf *buf, uintptr_t page)
{
	const struct embedded_buf *own = (const struct embedded_buf *)buf;
	const uint64_t off = page - registered_page_of(buf->host);
	const size_t page_len = (size_t)1 << window_page_shift();
	const enum host_place place = fork_place_of(buf, page);
	struct host_pages *last = &forked.pages[forked.nr_pages - 1];

	if (forked.nr_pages && last->place == place &&
	    last->at + last->len == (uint8_t *)page &&
	    last->off + last->len == window_off(own) + off) {
		last->len += page_len;
		return;
	}
	forked.pages[forked.nr_pages++] = (struct host_pages) {
		.at = (uint8_t *)page,
		.len = page_len,
		.off = window_off(own) + off,
		.dram = own->dram + off,
		.place = place,
	};
}

static void fork_note_pages(const void *node, VISIT visit, void *unused)
{
	const struct mem_buf *buf = *(struct mem_buf *const *)node;
	const uintptr_t first = registered_page_of(buf->host);
	const size_t page_len = (size_t)1 << window_page_shift();
	uintptr_t page;

	(void)unused;
	if (visit != preorder && visit != leaf)
		return;
	for (page = first; page < first + buf->len; page += page_len)
		if (!fork_is_gone(buf, page))
			fork_note_page(buf, page);
}

static void fork_unmap(void *addr, size_t len)
{
	if (addr)
		munmap(addr, len);
}

/* Other threads of the program may store to the pages during the copy. */
static void *fork_copy_of(const void *pages, size_t len)
{
	void *copy = registered_map_new(len);

	if (copy)
		registered_copy(copy, pages, len);
	return copy;
}

/* Pages that are gone are other mappings, and may cut a range at each. */
static size_t fork_noted_len(void)
{
	const size_t nr_cuts = mappings_nr(forked.mappings);

	return (HOST_PAGES_MAX * registered.nr + nr_cuts) *
	       sizeof(*forked.pages);
}

static void fork_copy_for_child(enum host_place place)
{
	size_t i;

	for (i = 0; i < forked.nr_pages; i++) {
		struct host_pages *pages = &forked.pages[i];

		if (pages->place != place)
			continue;
		pages->copy = fork_copy_of(pages->dram, pages->len);
		pages->is_away = place == HOST_EDGE && pages->copy &&
				 !madvise(pages->at, pages->len,
					  MADV_DONTFORK);
	}
}

/*
 * Copies the edges once more, just before the child is made: other threads
 * store to the rest of these pages until then.
 */
static void fork_copy_edges(void)
{
	size_t i;

	for (i = 0; i < forked.nr_pages; i++) {
		const struct host_pages *pages = &forked.pages[i];

		if (pages->is_away)
			registered_copy(pages->copy, pages->dram, pages->len);
	}
}

static bool fork_put_copy(struct host_pages *pages)
{
	if (mremap(pages->copy, pages->len, pages->len,
		   MREMAP_MAYMOVE | MREMAP_FIXED, pages->at) == MAP_FAILED)
		return false;
	pages->copy = NULL;
	return true;
}

/* The caller runs on a stack that is not in these pages. */
static void fork_make_private(struct host_pages *pages)
{
	void *shared = window_map_again(pages->len, pages->off);

	if (!shared)
		return;
	pages->before = fork_copy_of(pages->at, pages->len);
	if (pages->before)
		pages->copy = fork_copy_of(pages->before, pages->len);
	if (pages->copy && !madvise(shared, pages->len, MADV_DONTFORK) &&
	    fork_put_copy(pages)) {
		pages->shared = shared;
		return;
	}
	fork_unmap(pages->copy, pages->len);
	fork_unmap(pages->before, pages->len);
	munmap(shared, pages->len);
	pages->copy = NULL;
	pages->before = NULL;
}

/*
 * Stores only those bytes that this thread has changed while the pages were
 * private: engines may have changed others.
 */
static void __attribute__((no_sanitize("address", "thread")))
store_changes(const struct host_pages *pages)
{
	const volatile uint8_t *now = pages->at;
	size_t i;

	VALGRIND_DISABLE_ERROR_REPORTING;
	for (i = 0; i < pages->len; i++)
		if (now[i] != pages->before[i])
			pages->shared[i] = now[i];
	VALGRIND_ENABLE_ERROR_REPORTING;
}

static void fork_make_shared(struct host_pages *pages)
{
	if (!pages->shared)
		return;
	store_changes(pages);
	madvise(pages->shared, pages->len, MADV_DOFORK);
	/*
	 * This comes first because mremap() may need one more mapping, whose
	 * number the kernel limits.
	 */
	munmap(pages->before, pages->len);
	if (mremap(pages->shared, pages->len, pages->len,
		   MREMAP_MAYMOVE | MREMAP_FIXED, pages->at) == MAP_FAILED)
		abort();
}

static void fork_all_private(void *unused)
{
	size_t i;

	(void)unused;
	for (i = 0; i < forked.nr_pages; i++)
		if (forked.pages[i].place == HOST_OWN)
			fork_make_private(&forked.pages[i]);
}

static void fork_all_shared(void *unused)
{
	size_t i;

	(void)unused;
	for (i = 0; i < forked.nr_pages; i++)
		fork_make_shared(&forked.pages[i]);
}

static bool fork_has_own(void)
{
	size_t i;

	for (i = 0; i < forked.nr_pages; i++)
		if (forked.pages[i].place == HOST_OWN)
			return true;
	return false;
}

static void fork_prepare(void)
{
	sigset_t old;

	signals_block(&old);
	pthread_mutex_lock(&registered.move_lock);
	pthread_mutex_lock(&registered.lock);
	forked.old = old;
	forked.nr_pages = 0;
	forked.mappings = registered.nr ? mappings_get() : NULL;
	forked.pages = registered.nr ?
		       registered_map_new(fork_noted_len()) : NULL;
	if (!forked.pages)
		return;
	fork_note_thread();
	twalk_r(registered.tree, fork_note_pages, NULL);
	if (!engine_is_forking())
		fork_copy_for_child(HOST_WITHIN);
	fork_copy_for_child(HOST_EDGE);
	forked.aside = fork_has_own() ? aside_create() : NULL;
	if (forked.aside)
		aside_run(forked.aside, fork_all_private, NULL);
	if (!window_is_open())
		clone_watch(fork_copy_edges);
}

static void fork_finish(void)
{
	const sigset_t old = forked.old;

	clone_unwatch();
	aside_destroy(forked.aside);
	fork_unmap(forked.pages, fork_noted_len());
	mappings_put(forked.mappings);
	forked.aside = NULL;
	forked.pages = NULL;
	forked.mappings = NULL;
	pthread_mutex_unlock(&registered.lock);
	pthread_mutex_unlock(&registered.move_lock);
	signals_restore(&old);
}

static void fork_in_parent(void)
{
	const size_t nr = forked.nr_pages;
	size_t i;

	if (forked.aside)
		aside_run(forked.aside, fork_all_shared, NULL);
	forked.nr_pages = 0;
	for (i = 0; i < nr; i++) {
		struct host_pages *pages = &forked.pages[i];

		if (pages->is_away)
			madvise(pages->at, pages->len, MADV_DOFORK);
		fork_unmap(pages->copy, pages->len);
	}
	fork_finish();
}

/**
 * fork_block() - keep the process from forking until fork_unblock()
 *
 * Context: all signals blocked. Waits for a fork in progress, which in a large
 * process takes milliseconds.
 */
void fork_block(void)
{
	pthread_mutex_lock(&registered.move_lock);
}

/**
 * fork_unblock() - allow forks again
 */
void fork_unblock(void)
{
	pthread_mutex_unlock(&registered.move_lock);
}

/* Returns true in a child of fork whose fork handler has not run yet. */
static bool fork_has_pages_away(void)
{
	return forked.nr_pages && window_is_forked();
}

/**
 * fork_restore() - map the pages that a child of fork lacks
 *
 * Does nothing except in a child whose fork handler has not run yet.
 *
 * Context: any. Does not access memory that may lie in such a page, such as
 * thread-local variables.
 */
void fork_restore(void)
{
	size_t i;

	if (!fork_has_pages_away())
		return;
	for (i = 0; i < forked.nr_pages; i++)
		if (forked.pages[i].is_away && forked.pages[i].copy)
			fork_put_copy(&forked.pages[i]);
}

/**
 * fork_restore_at() - call fork_restore() if an address is in a missing page
 * @addr: address of the access that faulted
 *
 * Maps all missing pages, because the caller may need others of them.
 *
 * Context: handler of SIGSEGV; as fork_restore().
 * Return: true if the page of @addr was missing and is mapped now.
 */
bool fork_restore_at(uintptr_t addr)
{
	size_t i;

	if (!fork_has_pages_away())
		return false;
	for (i = 0; i < forked.nr_pages; i++) {
		const struct host_pages *pages = &forked.pages[i];

		if (pages->is_away && pages->copy &&
		    addr - (uintptr_t)pages->at < pages->len) {
			fork_restore();
			return true;
		}
	}
	return false;
}

/*
 * Ends the sharing of the pages in the child. If there was no memory for a copy
 * the child gets a private mapping of the window's file.
 */
static void fork_in_child_of(struct host_pages *pages)
{
	if (pages->copy)
		fork_put_copy(pages);
	else if (!pages->is_away && !pages->shared &&
		 (pages->place != HOST_WITHIN || !engine_is_forking()))
		window_map_private(pages->at, pages->len, pages->off);
	fork_unmap(pages->before, pages->len);
}

static void fork_in_child(void)
{
	size_t i;

	for (i = 0; i < forked.nr_pages; i++)
		fork_in_child_of(&forked.pages[i]);
	forked.nr_pages = 0;
	fork_finish();
	/*
	 * In the child the pages are ordinary memory. The parent's tree stays
	 * reachable, so that leak checkers do not report it.
	 */
	if (registered.tree)
		registered.parents = registered.tree;
	registered.tree = NULL;
	registered.nr = 0;
}

/*
 * Installed as early as possible: other fork handlers may take locks that
 * callers hold while they register memory. Those handlers therefore have to run
 * before these ones when a fork begins, and after these ones when it is done.
 */
static void __attribute__((constructor)) init_registered(void)
{
	registered.err = -pthread_atfork(fork_prepare, fork_in_parent,
					 fork_in_child);
}
