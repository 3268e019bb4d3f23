// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Registered memory: the program's own pages become the window's, and its own
 * again.
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

uintptr_t registered_page_of(const void *addr)
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
		.host = (void *)registered_page_of(buf->base.host),
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

struct embedded_buf *register_find(const void *addr)
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
	/* What is stored from now on goes by another address. */
	VALGRIND_MAKE_MEM_DEFINED(to, len);
}

void *registered_map_new(size_t len)
{
	void *new = mmap(NULL, len, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return new == MAP_FAILED ? NULL : new;
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
 * register_wait() - wait until no page is moved
 * @addr: that was to be stored to
 *
 * Context: signal handler.
 * Return: true if it can be stored to now.
 */
bool register_wait(uintptr_t addr)
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
		registered_copy(to + page_len, from + page_len,
				last - page_len);
	hold_back(move);
	registered_copy(to, from, page_len);
	if (last)
		registered_copy(to + last, from + last, page_len);
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
	uint8_t *copy = registered_map_new(move->len);

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
	buf->base.device = buf->addr +
			   ((uintptr_t)host - registered_page_of(host));
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
 * register_ptr() - of mem_register()
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

/**
 * unregister_ptr() - the pages are the program's again
 * @base: registered; no work touches it any more
 *
 * Return: 0: ptr_free() is next; -ENOMEM: they stay registered.
 */
int unregister_ptr(struct mem_buf *base)
{
	struct embedded_buf *buf = embedded_buf_of(base);
	struct move move = {
		.buf = buf,
		.pages = (void *)registered_page_of(base->host),
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

