// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Registered memory. mem_register() copies the program's pages into the window
 * and maps the window's pages in their place; mem_unregister() does the
 * reverse. Other threads may use the memory beside the registered bytes in the
 * meantime, and the pages may hold the stack of the caller.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <errno.h>
#include <search.h>
#include <sys/mman.h>
#include <unistd.h>

#include <valgrind/memcheck.h>

#include "../engine/futex.h"
#include "registered.h"

struct registered IN_OWN_PAGES registered = {
	.move_lock = PTHREAD_MUTEX_INITIALIZER,
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

/**
 * registered_page_of() - address of the page of an address
 * @addr: any address
 *
 * Return: the address of the page's first byte.
 */
uintptr_t registered_page_of(const void *addr)
{
	return (uintptr_t)addr >> window_page_shift() << window_page_shift();
}

static int register_by_range(const void *a, const void *b)
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

/* A page can be moved only once, so ranges must not share a page. */
static int registered_add(struct embedded_buf *buf)
{
	const struct mem_buf pages = {
		.host = (void *)registered_page_of(buf->base.host),
		.asked_len = buf->base.len,
	};
	sigset_t old;
	int err = 0;

	registered_lock(&old);
	if (tfind(&pages, &registered.tree, register_by_range))
		err = -EEXIST;
	else if (!tsearch(&buf->base, &registered.tree, register_by_range))
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
	tdelete(&buf->base, &registered.tree, register_by_range);
	registered.nr--;
	registered_unlock(&old);
}

/**
 * register_find() - find the registered buffer that contains an address
 * @addr: any address
 *
 * Return: the buffer, with a reference for embedded_buf_put(), or NULL.
 */
struct embedded_buf *register_find(const void *addr)
{
	const struct mem_buf key = { .host = (void *)addr, .asked_len = 1 };
	struct embedded_buf *buf = NULL;
	struct mem_buf **node;
	sigset_t old;

	registered_lock(&old);
	node = tfind(&key, &registered.tree, register_by_range);
	if (node && embedded_buf_try(embedded_buf_of(*node)))
		buf = embedded_buf_of(*node);
	registered_unlock(&old);
	return buf;
}

/**
 * registered_copy() - copy whole pages
 * @to: first page of the copy
 * @from: first page
 * @len: bytes, a multiple of 8
 *
 * memcpy() does not do, because AddressSanitizer and valgrind check it: pages
 * also hold bytes that the caller has no right to read.
 */
void __attribute__((no_sanitize("address", "thread")))
registered_copy(void *to, const void *from, size_t len)
{
	const volatile uint64_t *src = from;
	uint64_t *dst = to;
	size_t i;

	VALGRIND_DISABLE_ERROR_REPORTING;
	for (i = 0; i < len / sizeof(*dst); i++)
		dst[i] = src[i];
	VALGRIND_ENABLE_ERROR_REPORTING;
	/* valgrind does not see later stores, which use another address. */
	VALGRIND_MAKE_MEM_DEFINED(to, len);
}

/**
 * registered_map_new() - map zeroed private pages without the heap
 * @len: bytes
 *
 * Return: the pages, for munmap(), or NULL.
 */
void *registered_map_new(size_t len)
{
	void *new = mmap(NULL, len, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return new == MAP_FAILED ? NULL : new;
}

/**
 * struct move - pages that move into the window, or back into the program
 * @buf: registered buffer to which they belong
 * @pages: their address in the program
 * @off: their offset in the buffer
 * @len: bytes
 * @err: out: 0 or -errno
 */
struct move {
	struct embedded_buf *buf;
	void *pages;
	size_t off;
	size_t len;
	int err;
};

/*
 * Other threads may use, allocate and free memory beside a block while its
 * pages are moved. Without write permission their stores fault, and wait in the
 * handler of SIGSEGV (register_wait()). Pages with stacks or data of the C
 * library stay writable, because the kernel stores there.
 */
static void register_set_edges(const struct move *move, int prot)
{
	const size_t page_len = (size_t)1 << window_page_shift();

	if (!move->buf->can_hold_back || window_is_open())
		return;
	mprotect(move->pages, page_len, prot);
	mprotect((char *)move->pages + move->len - page_len, page_len, prot);
}

static void hold_back(const struct move *move)
{
	atomic_fetch_add(&registered.nr_moves, 1);
	register_set_edges(move, PROT_READ);
}

static void register_let_go(void)
{
	atomic_fetch_add(&registered.nr_moves, 1);
	futex_wake(&registered.nr_moves, INT_MAX);
}

/*
 * Returns true if the word at @addr can be stored to. A futex operation adds 0
 * to it, so that the kernel does the store and nothing faults.
 */
static bool register_can_store(uintptr_t addr)
{
	static atomic_uint none;

	return syscall(SYS_futex, &none, FUTEX_WAKE_OP_PRIVATE, 0, 0,
		       addr & ~3UL,
		       FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0)) >= 0;
}

/**
 * register_wait() - wait until no page is being moved
 * @addr: address of the store that faulted
 *
 * Context: any, including the handler of SIGSEGV.
 * Return: true if @addr can be stored to now.
 */
bool register_wait(uintptr_t addr)
{
	unsigned int nr;

	if (!atomic_load(&registered.nr_moves))
		return false;
	do {
		while ((nr = atomic_load(&registered.nr_moves)) % 2)
			futex_wait(&registered.nr_moves, nr, FOREVER);
		if (register_can_store(addr))
			return true;
		/* The next move may have begun. */
	} while (atomic_load(&registered.nr_moves) != nr);
	return false;
}

/*
 * Copies the edges last, because other threads cannot store to them from
 * hold_back() on.
 */
static void register_copy_moved(const struct move *move, uint8_t *to,
				const uint8_t *from)
{
	const size_t page_len = (size_t)1 << window_page_shift();
	const size_t last = move->len - page_len;

	if (last > page_len)
		registered_copy(to + page_len, from + page_len,
				last - page_len);
	hold_back(move);
	registered_copy(to, from, page_len);
	if (last)
		registered_copy(to + last, from + last, page_len);
}

/*
 * Moves the pages into the window without a change of their bytes. @arg may
 * lie in them, and is therefore stored to only at the end.
 */
static void register_move_in(void *arg)
{
	struct move *move = arg;
	int err;

	register_copy_moved(move, move->buf->dram, move->pages);
	err = window_map_host(move->buf, move->pages, move->len);
	if (err)
		register_set_edges(move, PROT_READ | PROT_WRITE);
	register_let_go();
	move->err = err;
}

static void register_move_out(void *arg)
{
	struct move *move = arg;
	uint8_t *copy = registered_map_new(move->len);

	if (!copy) {
		move->err = -ENOMEM;
		return;
	}
	register_copy_moved(move, copy, move->buf->dram + move->off);
	if (mremap(copy, move->len, move->len, MREMAP_MAYMOVE | MREMAP_FIXED,
		   move->pages) == MAP_FAILED) {
		move->err = -ENOMEM;
		munmap(copy, move->len);
		register_set_edges(move, PROT_READ | PROT_WRITE);
	}
	register_let_go();
}

/*
 * A thread in pthread_join() waits for a futex word in the TCB of this thread.
 * The kernel identifies the word by file and offset in a shared mapping, and by
 * address in a private one, so a waiter from before the move has to be woken to
 * wait anew. The position of the word is private to the C library; all words of
 * the page are woken.
 */
static void register_wake_joiners(const struct move *move)
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

/* Runs @what on another stack: the pages may hold frames of the caller. */
static int register_move_aside(struct move *move, void (*what)(void *))
{
	struct aside *aside = aside_create();

	if (!aside)
		return -ENOMEM;
	aside_run(aside, what, move);
	aside_destroy(aside);
	return move->err;
}

/*
 * The stack of the first thread grows only as long as its lowest page belongs
 * to the kernel's own stack mapping. A touch below the pages that are moved
 * makes sure that such a page exists.
 */
static int register_move_in_below(struct move *move)
{
	const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	const uintptr_t first = (uintptr_t)move->pages;
	volatile uint8_t *below;

	if (frame - first < move->len) {
		below = alloca(frame - first);
		*below = 0;
	}
	return register_move_aside(move, register_move_in);
}

/* The lock makes a fork see either all of the pages moved, or none. */
static int register_move_in_own(struct embedded_buf *buf)
{
	const uintptr_t first = registered_page_of(buf->base.host);
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
	/*
	 * A copy of a page without access would end the process, and a shared
	 * page would no longer be shared with others.
	 */
	err = mappings_check_own(first, first + move.len, &buf->can_hold_back,
				 &grows);
	if (!err)
		err = grows ? register_move_in_below(&move) :
			      register_move_aside(&move, register_move_in);
	if (err)
		registered_remove(buf);
out:
	pthread_mutex_unlock(&registered.move_lock);
	return err;
}

/* The caller has blocked all signals. */
static int register_own(struct embedded_ctx *ctx, struct embedded_buf *buf)
{
	void *const host = buf->base.host;
	int err = ptr_place(ctx, buf);

	if (err) {
		embedded_buf_destroy(buf);
		return err;
	}
	buf->base.device = buf->addr +
			   ((uintptr_t)host - registered_page_of(host));
	err = register_move_in_own(buf);
	if (err) {
		embedded_buf_put(buf);
		return err;
	}
	ptr_give_access(buf);
	watch_register(buf);
	return 0;
}

/**
 * register_ptr() - backend operation of mem_register()
 * @base: context
 * @ptr: memory of the caller
 * @len: bytes, above 0
 * @flags: MEM_REGISTER_*
 * @made: out: the buffer, with one reference
 *
 * Blocks all signals: a signal handler that forks in the middle of malloc()
 * would wait for ever.
 *
 * Return: 0; -EOPNOTSUPP if the board cannot register host memory; -EEXIST if
 * @ptr is the library's memory or shares a page with a registered range;
 * -EINVAL if the range is too long or its pages cannot be moved; -ENOMEM.
 */
int register_ptr(struct mem_ctx *base, void *ptr, uint64_t len,
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
	buf = embedded_buf_create(ctx, MEM_KIND_REGISTERED, (uintptr_t)ptr +
				  len - registered_page_of(ptr));
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

/*
 * Moves those pages back that the program has not unmapped: what it has mapped
 * there since is not the library's. @is_gone: out: there are others.
 */
static int register_move_out_own(const struct move *all, bool *is_gone)
{
	struct mappings *mappings = mappings_get();
	struct move part = *all;
	bool is_there;
	int err = 0;

	*is_gone = false;
	for (; part.off < all->len && !err; part.off += part.len) {
		part.pages = (char *)all->pages + part.off;
		part.len = window_host_run(mappings, part.pages,
					   all->len - part.off,
					   window_off(all->buf) + part.off,
					   &is_there);
		if (is_there)
			err = register_move_aside(&part, register_move_out);
		else
			*is_gone = true;
	}
	mappings_put(mappings);
	return err;
}

/**
 * unregister_ptr() - move the pages back into the program
 * @base: registered buffer of which no job is left
 *
 * Pages that the program has unmapped meanwhile are left alone, and reported.
 *
 * Return: 0, or -ENOMEM, and the memory stays registered.
 */
int unregister_ptr(struct mem_buf *base)
{
	struct embedded_buf *buf = embedded_buf_of(base);
	struct move move = {
		.buf = buf,
		.pages = (void *)registered_page_of(base->host),
		.len = base->len,
	};
	bool is_gone;
	sigset_t old;
	int err;

	signals_block(&old);
	pthread_mutex_lock(&registered.move_lock);
	err = register_move_out_own(&move, &is_gone);
	if (!err) {
		registered_remove(buf);
		register_wake_joiners(&move);
	}
	pthread_mutex_unlock(&registered.move_lock);
	if (!err && is_gone)
		watch_registered_gone(buf);
	signals_restore(&old);
	return err;
}

