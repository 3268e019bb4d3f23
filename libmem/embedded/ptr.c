// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Memory that is known by its address: managed, pinned, device and registered.
 * Each allocation has bytes behind it that nobody has a right to; engines are
 * looked after there.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#if __has_include("sys/rseq.h")
#include <sys/rseq.h>
#endif
#include <unistd.h>

#include <valgrind/memcheck.h>

#include "../engine/futex.h"
#include "embedded.h"

/* Behind each allocation, at least and at most. */
#define CANARY_MIN	64U
#define CANARY_MAX	256U
#define CANARY_BYTE	0xc3

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
 * Registered memory by the host's address. Handlers of fork hold both locks
 * from before the fork on; what they note is in mappings of its own, since any
 * other memory may be in registered pages.
 */
static struct {
	int err;

	pthread_mutex_t move_lock;	/* no page changes hands meanwhile */
	atomic_uint nr_moves;	/* began and ended: odd while one goes on */

	pthread_mutex_t lock;
	void *tree;		/* of struct embedded_buf, none overlaps */
	void *parents;		/* in a child, which has none */
	size_t nr;

	struct host_pages *pages;	/* while there is a fork */
	size_t nr_pages;
	struct range own[NR_OWN];	/* of the thread that forks */
	struct aside *aside;
	sigset_t old;
} IN_OWN_PAGES registered = {
	.move_lock = PTHREAD_MUTEX_INITIALIZER,
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

static uint64_t canary_len(const struct embedded_buf *buf)
{
	const uint64_t rest = buf->base.len - buf->base.asked_len;

	/* What is behind that is its owner's. */
	if (is_imported(&buf->base))
		return 0;
	return rest < CANARY_MAX ? rest : CANARY_MAX;
}

static void fill_new(const struct embedded_ctx *ctx,
		     const struct embedded_buf *buf)
{
	const uint64_t len = buf->base.asked_len;

	if (ctx->poison >= 0 && buf->base.kind != MEM_KIND_PINNED)
		memset(buf->dram, ctx->poison, len);
	memset(buf->dram + len, CANARY_BYTE, canary_len(buf));
}

/**
 * ptr_look_behind() - has somebody written behind an allocation?
 * @buf: by address
 * @work: that has just run; NULL: it is about to: the CPU has
 *
 * Told once: the bytes are as they were then.
 *
 * Context: the order lock is held.
 */
void ptr_look_behind(const struct embedded_buf *buf, const struct work *work)
{
	uint8_t *canary = buf->dram + buf->base.asked_len;
	const uint64_t len = canary_len(buf);
	uint64_t i;

	if (buf->base.kind == MEM_KIND_REGISTERED)
		return;
	for (i = 0; i < len && canary[i] == CANARY_BYTE; i++)
		;
	if (i == len)
		return;
	watch_overrun(buf, buf->base.asked_len + i, work);
	memset(canary, CANARY_BYTE, len);
}

/**
 * ptr_place() - a place for memory, and the state of its lines
 * @ctx: context
 * @buf: without a place
 *
 * Return: 0 or -ENOMEM.
 */
int ptr_place(struct embedded_ctx *ctx, struct embedded_buf *buf)
{
	sigset_t old;
	int err;

	signals_block(&old);
	err = window_alloc(buf);
	signals_restore(&old);
	if (err || !buf->has_two_views)
		return err;
	err = view_init(buf, ctx->base.board);
	if (err) {
		signals_block(&old);
		window_free(buf);
		signals_restore(&old);
	}
	return err;
}

/**
 * ptr_give_access() - let the CPU touch memory, as far as its kind allows it
 * @buf: with its place
 */
void ptr_give_access(struct embedded_buf *buf)
{
	sigset_t old;

	buf_lock(buf, &old);
	buf->is_mapped = true;
	/* All else is given when it is touched, and may be. */
	if (buf->base.kind == MEM_KIND_PINNED && !atomic_is_looked_for(buf))
		window_protect(buf->first, buf->nr_pages, PAGE_WRITE);
	buf_unlock(buf, &old);
}

/**
 * ptr_alloc() - of mem_alloc()
 * @base: context
 * @kind: managed, pinned or device
 * @len: bytes, above 0
 * @flags: of the kind
 * @made: out
 *
 * Return: 0, -EINVAL (@len is more than can be) or -ENOMEM.
 */
int ptr_alloc(struct mem_ctx *base, enum mem_kind kind, uint64_t len,
	      unsigned int flags, struct mem_buf **made)
{
	struct embedded_ctx *ctx = embedded_ctx_of(base);
	struct embedded_buf *buf;
	int err;

	if (len > INT64_MAX / 2)
		return -EINVAL;
	err = board_take(base->board, kind, flags, len);
	if (err)
		return err;
	err = -ENOMEM;
	buf = embedded_buf_create(ctx, kind, len + CANARY_MIN);
	if (!buf)
		goto err_give;
	buf->base.ctx = base;
	buf->base.asked_len = len;
	buf->base.flags = flags;
	err = ptr_place(ctx, buf);
	if (err)
		goto err_destroy;
	buf->base.device = buf->addr;
	buf->base.host = kind == MEM_KIND_DEVICE ? NULL : buf->addr;
	fill_new(ctx, buf);
	if (kind == MEM_KIND_MANAGED)
		order_buf_create(ctx, buf);
	ptr_give_access(buf);
	watch_alloc(buf);
	*made = &buf->base;
	return 0;

err_destroy:
	embedded_buf_destroy(buf);
err_give:
	board_give(base->board, kind, flags, len);
	return err;
}

/* Registered memory */

static uintptr_t page_of(const void *addr)
{
	return (uintptr_t)addr >> window_page_shift() << window_page_shift();
}

static int by_range(const void *a, const void *b)
{
	const struct mem_buf *x = a, *y = b;
	const uintptr_t x_addr = (uintptr_t)x->host;
	const uintptr_t y_addr = (uintptr_t)y->host;

	if (x_addr + x->asked_len <= y_addr)
		return -1;
	return x_addr >= y_addr + y->asked_len;
}

static void registered_lock(sigset_t *old)
{
	signals_block(old);
	pthread_mutex_lock(&registered.lock);
}

static void registered_unlock(const sigset_t *old)
{
	pthread_mutex_unlock(&registered.lock);
	signals_restore(old);
}

/* A page can be moved once: what is beside another in one is in its way. */
static int registered_add(struct embedded_buf *buf)
{
	const struct mem_buf pages = {
		.host = (void *)page_of(buf->base.host),
		.asked_len = buf->base.len,
	};
	sigset_t old;
	int err = 0;

	registered_lock(&old);
	if (tfind(&pages, &registered.tree, by_range))
		err = -EEXIST;
	else if (!tsearch(&buf->base, &registered.tree, by_range))
		err = -ENOMEM;
	else
		registered.nr++;
	registered_unlock(&old);
	return err;
}

static void registered_remove(struct embedded_buf *buf)
{
	sigset_t old;

	registered_lock(&old);
	tdelete(&buf->base, &registered.tree, by_range);
	registered.nr--;
	registered_unlock(&old);
}

static struct embedded_buf *registered_find(const void *addr)
{
	const struct mem_buf key = { .host = (void *)addr, .asked_len = 1 };
	struct embedded_buf *buf = NULL;
	struct mem_buf **node;
	sigset_t old;

	registered_lock(&old);
	node = tfind(&key, &registered.tree, by_range);
	if (node && embedded_buf_try(embedded_buf_of(*node)))
		buf = embedded_buf_of(*node);
	registered_unlock(&old);
	return buf;
}

/*
 * As memcpy(), on which AddressSanitizer and valgrind have their eye: pages
 * hold more than what the caller may read.
 */
static void __attribute__((no_sanitize("address", "thread")))
copy_pages(void *to, const void *from, size_t len)
{
	const volatile uint64_t *src = from;
	uint64_t *dst = to;
	size_t i;

	VALGRIND_DISABLE_ERROR_REPORTING;
	for (i = 0; i < len / sizeof(*dst); i++)
		dst[i] = src[i];
	VALGRIND_ENABLE_ERROR_REPORTING;
	/* What is stored from now on goes by another address. */
	VALGRIND_MAKE_MEM_DEFINED(to, len);
}

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

	registered.own[0] = (struct range) {
		frame - FRAMES_LEN, frame + page_len,
	};
	registered.own[1] = (struct range) { self - page_len, self + page_len };
	registered.own[2] = signal_stack();
	registered.own[3] = rseq_of(self);
}

static enum host_place place_of(const struct mem_buf *buf, uintptr_t page)
{
	const uintptr_t host = (uintptr_t)buf->host;
	const size_t page_len = (size_t)1 << window_page_shift();
	size_t i;

	for (i = 0; i < NR_OWN; i++)
		if (is_in(&registered.own[i], page, page_len))
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
	const uint64_t off = page - page_of(buf->host);
	const size_t page_len = (size_t)1 << window_page_shift();
	const enum host_place place = place_of(buf, page);
	struct host_pages *last = &registered.pages[registered.nr_pages - 1];

	if (!is_first && last->place == place) {
		last->len += page_len;
		return;
	}
	registered.pages[registered.nr_pages++] = (struct host_pages) {
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
	const uintptr_t first = page_of(buf->host);
	const size_t page_len = (size_t)1 << window_page_shift();
	uintptr_t page;

	(void)unused;
	if (visit != preorder && visit != leaf)
		return;
	for (page = first; page < first + buf->len; page += page_len)
		note_page(buf, page, page == first);
}

static void *map_new(size_t len)
{
	void *new = mmap(NULL, len, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return new == MAP_FAILED ? NULL : new;
}

static void unmap(void *addr, size_t len)
{
	if (addr)
		munmap(addr, len);
}

/* The program goes on meanwhile, if it has other threads. */
static void *copy_of(const void *pages, size_t len)
{
	void *copy = map_new(len);

	if (copy)
		copy_pages(copy, pages, len);
	return copy;
}

static size_t noted_len(void)
{
	return HOST_PAGES_MAX * registered.nr * sizeof(*registered.pages);
}

static void copy_for_child(enum host_place place)
{
	size_t i;

	for (i = 0; i < registered.nr_pages; i++) {
		struct host_pages *pages = &registered.pages[i];

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

	for (i = 0; i < registered.nr_pages; i++) {
		const struct host_pages *pages = &registered.pages[i];

		if (pages->is_away)
			copy_pages(pages->copy, pages->dram, pages->len);
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
	for (i = 0; i < registered.nr_pages; i++)
		if (registered.pages[i].place == HOST_OWN)
			make_private(&registered.pages[i]);
}

static void all_shared(void *unused)
{
	size_t i;

	(void)unused;
	for (i = 0; i < registered.nr_pages; i++)
		make_shared(&registered.pages[i]);
}

static bool has_own(void)
{
	size_t i;

	for (i = 0; i < registered.nr_pages; i++)
		if (registered.pages[i].place == HOST_OWN)
			return true;
	return false;
}

static void before_fork(void)
{
	sigset_t old;

	signals_block(&old);
	pthread_mutex_lock(&registered.move_lock);
	pthread_mutex_lock(&registered.lock);
	registered.old = old;
	registered.nr_pages = 0;
	registered.pages = registered.nr ? map_new(noted_len()) : NULL;
	if (!registered.pages)
		return;
	note_thread();
	twalk_r(registered.tree, note_pages, NULL);
	if (!engine_is_forking())
		copy_for_child(HOST_WITHIN);
	copy_for_child(HOST_EDGE);
	registered.aside = has_own() ? aside_create() : NULL;
	if (registered.aside)
		aside_run(registered.aside, all_private, NULL);
	if (!window_is_open())
		clone_watch(copy_edges);
}

static void end_fork(void)
{
	const sigset_t old = registered.old;

	clone_unwatch();
	aside_destroy(registered.aside);
	unmap(registered.pages, noted_len());
	registered.aside = NULL;
	registered.pages = NULL;
	pthread_mutex_unlock(&registered.lock);
	pthread_mutex_unlock(&registered.move_lock);
	signals_restore(&old);
}

static void in_parent(void)
{
	const size_t nr = registered.nr_pages;
	size_t i;

	if (registered.aside)
		aside_run(registered.aside, all_shared, NULL);
	registered.nr_pages = 0;
	for (i = 0; i < nr; i++) {
		struct host_pages *pages = &registered.pages[i];

		if (pages->is_away)
			madvise(pages->at, pages->len, MADV_DOFORK);
		unmap(pages->copy, pages->len);
	}
	end_fork();
}

/**
 * ptr_hold_forks() - no child of the process is made until ptr_let_fork()
 *
 * Context: all signals blocked; a fork may be under way, which takes as long as
 * that of a large process does.
 */
void ptr_hold_forks(void)
{
	pthread_mutex_lock(&registered.move_lock);
}

/**
 * ptr_let_fork() - children may be made again
 */
void ptr_let_fork(void)
{
	pthread_mutex_unlock(&registered.move_lock);
}

/* A child's, until its handler has been called. */
static bool has_pages_away(void)
{
	return registered.nr_pages && window_is_forked();
}

/**
 * ptr_give() - before a child of fork touches pages: give it what it has not
 *
 * Context: any; touches nothing that may lie in such a page, as thread-local
 * variables.
 */
void ptr_give(void)
{
	size_t i;

	if (!has_pages_away())
		return;
	for (i = 0; i < registered.nr_pages; i++)
		if (registered.pages[i].is_away && registered.pages[i].copy)
			put_copy(&registered.pages[i]);
}

/**
 * ptr_is_given() - a child of fork touches a page before its handler is called
 * @addr: what it touches
 *
 * All pages are given: what called this may need some.
 *
 * Context: signal handler; as ptr_give().
 * Return: true if it is there now.
 */
bool ptr_is_given(uintptr_t addr)
{
	size_t i;

	if (!has_pages_away())
		return false;
	for (i = 0; i < registered.nr_pages; i++) {
		const struct host_pages *pages = &registered.pages[i];

		if (pages->is_away && pages->copy &&
		    addr - (uintptr_t)pages->at < pages->len) {
			ptr_give();
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

	for (i = 0; i < registered.nr_pages; i++)
		in_child_of(&registered.pages[i]);
	registered.nr_pages = 0;
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

/**
 * struct move - pages that become the window's, or the program's again
 * @buf: whose they are
 * @pages: where the program has them
 * @len: bytes
 * @err: out: 0 or -errno
 */
struct move {
	struct embedded_buf *buf;
	void *pages;
	size_t len;
	int err;
};

/*
 * Other threads allocate and free beside a block while its pages are moved.
 * What they store to the heap waits, in the handler of SIGSEGV. Not so where
 * the C library may have what it has for a thread: the kernel stores there.
 */
static void set_edges(const struct move *move, int prot)
{
	const size_t page_len = (size_t)1 << window_page_shift();

	if (!move->buf->is_heap || window_is_open())
		return;
	mprotect(move->pages, page_len, prot);
	mprotect((char *)move->pages + move->len - page_len, page_len, prot);
}

static void hold_back(const struct move *move)
{
	atomic_fetch_add(&registered.nr_moves, 1);
	set_edges(move, PROT_READ);
}

static void let_go(void)
{
	atomic_fetch_add(&registered.nr_moves, 1);
	futex_wake(&registered.nr_moves, INT_MAX);
}

/* To a word, by the kernel, which stores what is there. */
static bool can_store(uintptr_t addr)
{
	static atomic_uint none;

	return syscall(SYS_futex, &none, FUTEX_WAKE_OP_PRIVATE, 0, 0,
		       addr & ~3UL,
		       FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0)) >= 0;
}

/**
 * ptr_is_back() - wait until no page is moved
 * @addr: that was to be stored to
 *
 * Context: signal handler.
 * Return: true if it can be stored to now.
 */
bool ptr_is_back(uintptr_t addr)
{
	unsigned int nr;

	if (!atomic_load(&registered.nr_moves))
		return false;
	do {
		while ((nr = atomic_load(&registered.nr_moves)) % 2)
			futex_wait(&registered.nr_moves, nr, FOREVER);
		if (can_store(addr))
			return true;
		/* The next move may have begun. */
	} while (atomic_load(&registered.nr_moves) != nr);
	return false;
}

/* Its edges last: as short a time as can be. */
static void copy_moved(const struct move *move, uint8_t *to,
		       const uint8_t *from)
{
	const size_t page_len = (size_t)1 << window_page_shift();
	const size_t last = move->len - page_len;

	if (last > page_len)
		copy_pages(to + page_len, from + page_len, last - page_len);
	hold_back(move);
	copy_pages(to, from, page_len);
	if (last)
		copy_pages(to + last, from + last, page_len);
}

/*
 * Their bytes stay. What describes the move may lie in them, and is not stored
 * to meanwhile.
 */
static void move_in(void *arg)
{
	struct move *move = arg;
	int err;

	copy_moved(move, move->buf->dram, move->pages);
	err = window_map_host(move->buf, move->pages, move->len);
	if (err)
		set_edges(move, PROT_READ | PROT_WRITE);
	let_go();
	move->err = err;
}

static void move_out(void *arg)
{
	struct move *move = arg;
	uint8_t *copy = map_new(move->len);

	if (!copy) {
		move->err = -ENOMEM;
		return;
	}
	copy_moved(move, copy, move->buf->dram);
	if (mremap(copy, move->len, move->len, MREMAP_MAYMOVE | MREMAP_FIXED,
		   move->pages) == MAP_FAILED) {
		move->err = -ENOMEM;
		munmap(copy, move->len);
		set_edges(move, PROT_READ | PROT_WRITE);
	}
	let_go();
}

/*
 * Who joins this thread waits at a word of the C library's, which the kernel
 * finds by the file where the page is of one, and by the address else: it has
 * to look again. Which word is not known.
 */
static void wake_joiners(const struct move *move)
{
	const uintptr_t page_len = (uintptr_t)1 << window_page_shift();
	const uintptr_t self = (uintptr_t)pthread_self();
	size_t i;

	for (i = 0; i < page_len; i += sizeof(atomic_uint)) {
		const uint64_t off = self + i - (uintptr_t)move->pages;

		if (off < move->len)
			futex_wake((atomic_uint *)(move->buf->dram + off),
				   INT_MAX);
	}
}

/* Frames of the caller may be in the pages. */
static int move_aside(struct move *move, void (*what)(void *))
{
	struct aside *aside = aside_create();

	if (!aside)
		return -ENOMEM;
	aside_run(aside, what, move);
	aside_destroy(aside);
	return move->err;
}

/*
 * The first thread's stack grows only where a page of its own mapping is the
 * lowest.
 */
static int move_in_below(struct move *move)
{
	const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	const uintptr_t first = (uintptr_t)move->pages;
	volatile uint8_t *below;

	if (frame - first < move->len) {
		below = alloca(frame - first);
		*below = 0;
	}
	return move_aside(move, move_in);
}

/* A fork sees pages that are moved, or none. */
static int move_in_own(struct embedded_buf *buf)
{
	const uintptr_t first = page_of(buf->base.host);
	struct move move = {
		.buf = buf,
		.pages = (void *)first,
		.len = buf->base.len,
	};
	bool grows;
	int err;

	pthread_mutex_lock(&registered.move_lock);
	err = registered_add(buf);
	if (err)
		goto out;
	/* A page without access would end the process, a shared one part. */
	err = mappings_check_own(first, first + move.len, &buf->is_heap,
				 &grows);
	if (!err)
		err = grows ? move_in_below(&move) :
			      move_aside(&move, move_in);
	if (err)
		registered_remove(buf);
out:
	pthread_mutex_unlock(&registered.move_lock);
	return err;
}

/* Its signals are blocked. */
static int register_own(struct embedded_ctx *ctx, struct embedded_buf *buf)
{
	void *const host = buf->base.host;
	int err = ptr_place(ctx, buf);

	if (err) {
		embedded_buf_destroy(buf);
		return err;
	}
	buf->base.device = buf->addr + ((uintptr_t)host - page_of(host));
	err = move_in_own(buf);
	if (err) {
		embedded_buf_put(buf);
		return err;
	}
	ptr_give_access(buf);
	watch_register(buf);
	return 0;
}

/**
 * ptr_register() - of mem_register()
 * @base: context
 * @ptr: memory of the caller's
 * @len: bytes, above 0
 * @flags: MEM_REGISTER_*
 * @made: out
 *
 * A handler of a signal may fork, but not in the middle of malloc(): none is
 * called meanwhile.
 *
 * Return: 0, -EOPNOTSUPP, -EEXIST, -EINVAL or -ENOMEM.
 */
int ptr_register(struct mem_ctx *base, void *ptr, uint64_t len,
		 unsigned int flags, struct mem_buf **made)
{
	struct embedded_ctx *ctx = embedded_ctx_of(base);
	struct embedded_buf *buf;
	sigset_t old;
	int err = -ENOMEM;

	if (!ctx->base.board->has_host_register)
		return -EOPNOTSUPP;
	if (len > INT64_MAX / 2)
		return -EINVAL;
	if (window_has((uintptr_t)ptr))
		return -EEXIST;
	if (registered.err)
		return registered.err;
	signals_block(&old);
	buf = embedded_buf_create(ctx, MEM_KIND_REGISTERED,
				  (uintptr_t)ptr + len - page_of(ptr));
	if (buf) {
		buf->base.ctx = base;
		buf->base.asked_len = len;
		buf->base.flags = flags;
		buf->base.host = ptr;
		err = register_own(ctx, buf);
	}
	signals_restore(&old);
	if (!err)
		*made = &buf->base;
	return err;
}

/**
 * ptr_unregister() - the pages are the program's again
 * @base: registered; no work touches it any more
 *
 * Return: 0: ptr_free() is next; -ENOMEM: they stay registered.
 */
int ptr_unregister(struct mem_buf *base)
{
	struct embedded_buf *buf = embedded_buf_of(base);
	struct move move = {
		.buf = buf,
		.pages = (void *)page_of(base->host),
		.len = base->len,
	};
	sigset_t old;
	int err;

	signals_block(&old);
	pthread_mutex_lock(&registered.move_lock);
	err = move_aside(&move, move_out);
	if (!err) {
		registered_remove(buf);
		wake_joiners(&move);
	}
	pthread_mutex_unlock(&registered.move_lock);
	signals_restore(&old);
	return err;
}

/**
 * ptr_free() - of mem_free() and mem_unregister()
 * @base: buffer that no work touches any more
 */
void ptr_free(struct mem_buf *base)
{
	struct embedded_buf *buf = embedded_buf_of(base);
	struct embedded_ctx *ctx = embedded_ctx_of(base->ctx);
	sigset_t before, old;

	signals_block(&before);
	order_lock(ctx, &old);
	ptr_look_behind(buf, NULL);
	order_unlock(ctx, &old);
	run_forget(ctx, buf);
	if (base->kind == MEM_KIND_MANAGED)
		order_buf_destroy(ctx, buf);
	if (base->kind != MEM_KIND_REGISTERED && !is_imported(base))
		board_give(ctx->base.board, base->kind, base->flags,
			   base->asked_len);
	buf_lock(buf, &old);
	watch_free(buf);
	watch_freed(buf);
	buf->is_mapped = false;
	window_protect(buf->first, buf->nr_pages, PAGE_NO_ACCESS);
	buf_unlock(buf, &old);
	embedded_buf_put(buf);
	signals_restore(&before);
}

/**
 * ptr_find() - whose address it is
 * @ctx: not needed
 * @addr: any
 *
 * Return: the buffer, kept, for embedded_buf_put(), or NULL.
 */
struct mem_buf *ptr_find(struct mem_ctx *ctx, const void *addr)
{
	struct embedded_buf *buf;
	sigset_t old;

	(void)ctx;
	if (!window_has((uintptr_t)addr)) {
		buf = registered_find(addr);
		return buf ? &buf->base : NULL;
	}
	signals_block(&old);
	buf = window_find_buf((uintptr_t)addr);
	signals_restore(&old);
	return buf ? &buf->base : NULL;
}
