// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a child of fork gets of registered memory.
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
 * @HOST_WITHIN: registered memory alone
 * @HOST_EDGE: other memory, too
 * @HOST_OWN: frames of the thread that forks, or what it has for itself; what
 *	the kernel has to copy
 */
enum host_place {
	HOST_WITHIN,
	HOST_EDGE,
	HOST_OWN,
};

/**
 * struct host_pages - pages of registered memory, for a child of fork
 * @at: where the program has them
 * @len: bytes
 * @off: of the window
 * @dram: the library's own address for them
 * @place: what lies in them
 * @is_away: a child has nothing there, until it gets @copy
 * @copy: what was in them before the fork, NULL none, or it is there already
 * @shared: the thread's own: where they are shared while they are private at
 *	@at, NULL they are not
 * @before: what was in them when they became private
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

/* Frames of fork, of its handlers and of a signal's are in so much. */
#define FRAMES_LEN	(16UL << 10)

/* The thread's that forks: frames, TCB, alternate signal stack, rseq. */
#define NR_OWN		4

/* Two edges, what is within, and what each part of the thread's cuts apart. */
#define HOST_PAGES_MAX	(3 + 2 * NR_OWN)

/*
 * Handlers of fork hold both locks of registered memory from before the fork
 * on; what they note is in mappings of its own, since any other memory may be
 * in registered pages.
 */
static struct {
	struct host_pages *pages;	/* while there is a fork */
	size_t nr_pages;
	struct range own[NR_OWN];	/* of the thread that forks */
	struct aside *aside;
	sigset_t old;
} IN_OWN_PAGES forked;

/*
 * fork: pages of registered memory are shared mappings, and memory that is not
 * registered lies in the first and the last, malloc()'s own among it. A child
 * gets copies of all pages. An engine gets copies of those that it needs to go
 * on, and only of those: kernels have registered memory at another address.
 *
 * In a child the C library stores to its heap before it calls any handler: it
 * makes locks new, and arenas those of no thread. So that these stores do not
 * come to the parent, a child has no first and no last page at all until it
 * touches them, or its handler gives it the copies.
 *
 * Of pages that the thread needs to get there, and stores to until then, the
 * kernel has to make the copies: these are private while it forks. What engines
 * store meanwhile the parent sees afterwards, and the reverse. The thread is on
 * another stack when they become private, and shared again.
 */

static bool is_in(const struct range *at, uintptr_t addr, size_t len)
{
	return at->start < addr + len && at->end > addr;
}

/* A signal's frame is stored there by the kernel. */
static struct range signal_stack(void)
{
	stack_t stack;

	if (sigaltstack(NULL, &stack) || stack.ss_flags & SS_DISABLE)
		return (struct range) { 0 };
	return (struct range) {
		(uintptr_t)stack.ss_sp, (uintptr_t)stack.ss_sp + stack.ss_size,
	};
}

/* The kernel stores there whenever it goes on with the thread. */
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

static void note_thread(void)
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

static enum host_place place_of(const struct mem_buf *buf, uintptr_t page)
{
	const uintptr_t host = (uintptr_t)buf->host;
	const size_t page_len = (size_t)1 << window_page_shift();
	size_t i;

	for (i = 0; i < NR_OWN; i++)
		if (is_in(&forked.own[i], page, page_len))
			return HOST_OWN;
	if (page >= host && page + page_len <= host + buf->asked_len)
		return HOST_WITHIN;
	/*
	 * Under valgrind no handler can give a page to who touched it, and
	 * nothing of malloc()'s own is there.
	 */
	return window_is_open() ? HOST_WITHIN : HOST_EDGE;
}

/* Neighbours of one place are one. */
static void note_page(const struct mem_buf *buf, uintptr_t page, bool is_first)
{
	const struct embedded_buf *own = (const struct embedded_buf *)buf;
	const uint64_t off = page - registered_page_of(buf->host);
	const size_t page_len = (size_t)1 << window_page_shift();
	const enum host_place place = place_of(buf, page);
	struct host_pages *last = &forked.pages[forked.nr_pages - 1];

	if (!is_first && last->place == place) {
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

static void note_pages(const void *node, VISIT visit, void *unused)
{
	const struct mem_buf *buf = *(struct mem_buf *const *)node;
	const uintptr_t first = registered_page_of(buf->host);
	const size_t page_len = (size_t)1 << window_page_shift();
	uintptr_t page;

	(void)unused;
	if (visit != preorder && visit != leaf)
		return;
	for (page = first; page < first + buf->len; page += page_len)
		note_page(buf, page, page == first);
}
static void unmap(void *addr, size_t len)
{
	if (addr)
		munmap(addr, len);
}

/* The program goes on meanwhile, if it has other threads. */
static void *copy_of(const void *pages, size_t len)
{
	void *copy = registered_map_new(len);

	if (copy)
		registered_copy(copy, pages, len);
	return copy;
}

static size_t noted_len(void)
{
	return HOST_PAGES_MAX * registered.nr * sizeof(*forked.pages);
}

static void copy_for_child(enum host_place place)
{
	size_t i;

	for (i = 0; i < forked.nr_pages; i++) {
		struct host_pages *pages = &forked.pages[i];

		if (pages->place != place)
			continue;
		pages->copy = copy_of(pages->dram, pages->len);
		pages->is_away = place == HOST_EDGE && pages->copy &&
				 !madvise(pages->at, pages->len,
					  MADV_DONTFORK);
	}
}

/* Others change the edges all the time, until the child is made. */
static void copy_edges(void)
{
	size_t i;

	for (i = 0; i < forked.nr_pages; i++) {
		const struct host_pages *pages = &forked.pages[i];

		if (pages->is_away)
			registered_copy(pages->copy, pages->dram, pages->len);
	}
}

static bool put_copy(struct host_pages *pages)
{
	if (mremap(pages->copy, pages->len, pages->len,
		   MREMAP_MAYMOVE | MREMAP_FIXED, pages->at) == MAP_FAILED)
		return false;
	pages->copy = NULL;
	return true;
}

/* Runs while no frame of the thread is in them. */
static void make_private(struct host_pages *pages)
{
	void *shared = window_map_again(pages->len, pages->off);

	if (!shared)
		return;
	pages->before = copy_of(pages->at, pages->len);
	if (pages->before)
		pages->copy = copy_of(pages->before, pages->len);
	if (pages->copy && !madvise(shared, pages->len, MADV_DONTFORK) &&
	    put_copy(pages)) {
		pages->shared = shared;
		return;
	}
	unmap(pages->copy, pages->len);
	unmap(pages->before, pages->len);
	munmap(shared, pages->len);
	pages->copy = NULL;
	pages->before = NULL;
}

/* Bytes that engines have stored meanwhile stay, but for those. */
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

static void make_shared(struct host_pages *pages)
{
	if (!pages->shared)
		return;
	store_changes(pages);
	madvise(pages->shared, pages->len, MADV_DOFORK);
	/* First: what follows may need one mapping more; there is a limit. */
	munmap(pages->before, pages->len);
	if (mremap(pages->shared, pages->len, pages->len,
		   MREMAP_MAYMOVE | MREMAP_FIXED, pages->at) == MAP_FAILED)
		abort();
}

static void all_private(void *unused)
{
	size_t i;

	(void)unused;
	for (i = 0; i < forked.nr_pages; i++)
		if (forked.pages[i].place == HOST_OWN)
			make_private(&forked.pages[i]);
}

static void all_shared(void *unused)
{
	size_t i;

	(void)unused;
	for (i = 0; i < forked.nr_pages; i++)
		make_shared(&forked.pages[i]);
}

static bool has_own(void)
{
	size_t i;

	for (i = 0; i < forked.nr_pages; i++)
		if (forked.pages[i].place == HOST_OWN)
			return true;
	return false;
}

static void before_fork(void)
{
	sigset_t old;

	signals_block(&old);
	pthread_mutex_lock(&registered.move_lock);
	pthread_mutex_lock(&registered.lock);
	forked.old = old;
	forked.nr_pages = 0;
	forked.pages = registered.nr ? registered_map_new(noted_len()) : NULL;
	if (!forked.pages)
		return;
	note_thread();
	twalk_r(registered.tree, note_pages, NULL);
	if (!engine_is_forking())
		copy_for_child(HOST_WITHIN);
	copy_for_child(HOST_EDGE);
	forked.aside = has_own() ? aside_create() : NULL;
	if (forked.aside)
		aside_run(forked.aside, all_private, NULL);
	if (!window_is_open())
		clone_watch(copy_edges);
}

static void end_fork(void)
{
	const sigset_t old = forked.old;

	clone_unwatch();
	aside_destroy(forked.aside);
	unmap(forked.pages, noted_len());
	forked.aside = NULL;
	forked.pages = NULL;
	pthread_mutex_unlock(&registered.lock);
	pthread_mutex_unlock(&registered.move_lock);
	signals_restore(&old);
}

static void in_parent(void)
{
	const size_t nr = forked.nr_pages;
	size_t i;

	if (forked.aside)
		aside_run(forked.aside, all_shared, NULL);
	forked.nr_pages = 0;
	for (i = 0; i < nr; i++) {
		struct host_pages *pages = &forked.pages[i];

		if (pages->is_away)
			madvise(pages->at, pages->len, MADV_DOFORK);
		unmap(pages->copy, pages->len);
	}
	end_fork();
}

/**
 * fork_block() - no child of the process is made until fork_unblock()
 *
 * Context: all signals blocked; a fork may be under way, which takes as long as
 * that of a large process does.
 */
void fork_block(void)
{
	pthread_mutex_lock(&registered.move_lock);
}

/**
 * fork_unblock() - children may be made again
 */
void fork_unblock(void)
{
	pthread_mutex_unlock(&registered.move_lock);
}

/* A child's, until its handler has been called. */
static bool has_pages_away(void)
{
	return forked.nr_pages && window_is_forked();
}

/**
 * fork_restore() - give a child of fork the pages that it has not got yet
 *
 * Context: any; touches nothing that may lie in such a page, as thread-local
 * variables.
 */
void fork_restore(void)
{
	size_t i;

	if (!has_pages_away())
		return;
	for (i = 0; i < forked.nr_pages; i++)
		if (forked.pages[i].is_away && forked.pages[i].copy)
			put_copy(&forked.pages[i]);
}

/**
 * fork_restore_at() - as fork_restore(), if this is in one of the pages
 * @addr: what it touches
 *
 * All pages are given: what called this may need some.
 *
 * Context: signal handler; as fork_restore().
 * Return: true if it is there now.
 */
bool fork_restore_at(uintptr_t addr)
{
	size_t i;

	if (!has_pages_away())
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

/* The library stays shared with nobody, but for pages without memory. */
static void in_child_of(struct host_pages *pages)
{
	if (pages->copy)
		put_copy(pages);
	else if (!pages->is_away && !pages->shared &&
		 (pages->place != HOST_WITHIN || !engine_is_forking()))
		window_map_private(pages->at, pages->len, pages->off);
	unmap(pages->before, pages->len);
}

static void in_child(void)
{
	size_t i;

	for (i = 0; i < forked.nr_pages; i++)
		in_child_of(&forked.pages[i]);
	forked.nr_pages = 0;
	end_fork();
	/* It is memory as any other; checkers for leaks see what is kept. */
	if (registered.tree)
		registered.parents = registered.tree;
	registered.tree = NULL;
	registered.nr = 0;
}

/*
 * As early as can be: other handlers, which may take locks that are held where
 * memory is registered, come before these, and after them in parent and child.
 */
static void __attribute__((constructor)) init_registered(void)
{
	registered.err = -pthread_atfork(before_fork, in_parent, in_child);
}
