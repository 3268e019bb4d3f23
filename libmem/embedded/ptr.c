// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Memory that is known by its address: managed, pinned, device and registered.
 * Each allocation has bytes behind it that nobody has a right to; engines are
 * looked after there.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <valgrind/memcheck.h>

#include "../engine/futex.h"
#include "embedded.h"

/* So long at most the parent waits for a child of fork. */
#define APART_NS	1000000000ULL

/* Behind each allocation, at least and at most. */
#define CANARY_MIN	64U
#define CANARY_MAX	256U
#define CANARY_BYTE	0xc3

/**
 * struct host_pages - pages of registered memory, for a child of fork
 * @at: where the program has them
 * @len: bytes
 * @is_edge: it is one, in which memory that is not registered lies, too
 * @is_away: a child has nothing there, until it gets @copy
 * @copy: what was in them before the fork, NULL none, or it is there already
 * @off: of the window
 */
struct host_pages {
	uint8_t *at;
	size_t len;
	bool is_edge;
	bool is_away;
	void *copy;
	uint64_t off;
};

/* A page that begins it, those within, and one that ends it. */
#define HOST_PAGES_MAX	3

/*
 * Registered memory by the host's address. Handlers of fork hold both locks
 * from before the fork on; what they note is in a mapping of its own, since any
 * other memory may be in registered pages.
 */
static struct {
	pthread_once_t once;
	int err;

	pthread_mutex_t move_lock;	/* pages become the program's again */

	pthread_mutex_t lock;
	void *tree;		/* of struct embedded_buf, none overlaps */
	size_t nr;

	struct host_pages *pages;	/* at the last fork */
	size_t nr_pages;
	pid_t parent;			/* who forked */
	atomic_uint *is_apart;	/* the child has its own; shared */
	sigset_t old;
} registered = {
	.once = PTHREAD_ONCE_INIT,
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

static int place(struct embedded_ctx *ctx, struct embedded_buf *buf)
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

static void give_access(struct embedded_buf *buf)
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
	err = place(ctx, buf);
	if (err)
		goto err_destroy;
	buf->base.device = buf->addr;
	buf->base.host = kind == MEM_KIND_DEVICE ? NULL : buf->addr;
	fill_new(ctx, buf);
	if (kind == MEM_KIND_MANAGED)
		order_buf_create(ctx, buf);
	give_access(buf);
	watch_alloc(buf);
	*made = &buf->base;
	return 0;

err_destroy:
	embedded_buf_destroy(buf);
err_give:
	board_give(base->board, kind, flags, len);
	return err;
}

/* Memory in files of its own */

/* Nobody can take pages from it, or have it longer. */
static int shared_file(uint64_t len, struct own_fd *file)
{
	int err = own_fd_take(file, memfd_create("libmem-shared", MFD_CLOEXEC |
						 MFD_ALLOW_SEALING));

	if (err)
		return err;
	if (!ftruncate(file->nr, (off_t)len) &&
	    !fcntl(file->nr, F_ADD_SEALS,
		   F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return 0;
	own_fd_close(file);
	return -ENOMEM;
}

static int move_to_file(struct embedded_ctx *ctx, struct embedded_buf *buf)
{
	struct own_fd file;
	sigset_t old;
	int err;

	err = shared_file(buf->base.len, &file);
	if (err)
		return err;
	buf_lock(buf, &old);
	window_protect(buf->first, buf->nr_pages, PAGE_NO_ACCESS);
	buf_unlock(buf, &old);
	signals_block(&old);
	err = window_move(buf, &file);
	signals_restore(&old);
	if (err) {
		own_fd_close(&file);
		return err;
	}
	run_forget(ctx, buf);
	return 0;
}

/**
 * ptr_export() - of mem_ptr_export()
 * @base: device memory, its own
 * @fd: out: for the caller
 *
 * Its bytes go to a file of its own the first time.
 *
 * Context: no work of the context is under way, and none can begin.
 * Return: 0, -EMFILE, -ENFILE, -ENOMEM or -EBADF (the program has closed a
 * descriptor of the library).
 */
int ptr_export(struct mem_buf *base, int *fd)
{
	struct embedded_buf *buf = embedded_buf_of(base);
	int err = 0, copy;

	if (buf->file.nr < 0)
		err = move_to_file(embedded_ctx_of(base->ctx), buf);
	if (!err && !own_fd_is_open(&buf->file))
		err = -EBADF;
	if (err)
		return err;
	copy = dup_cloexec(buf->file.nr);
	if (copy < 0)
		return copy;
	*fd = copy;
	return 0;
}

/* A dma-buf's length is where its end is; some files have none. */
static int check_file(int fd, uint64_t end)
{
	struct stat stat;
	off_t len;

	if (fstat(fd, &stat))
		return -errno;
	if (S_ISREG(stat.st_mode))
		return (uint64_t)stat.st_size < end ? -EINVAL : 0;
	len = lseek(fd, 0, SEEK_END);
	return len > 0 && (uint64_t)len < end ? -EINVAL : 0;
}

static int import_error(int err)
{
	switch (err) {
	case -EACCES:
		return -EPERM;
	case -ENODEV:
		return -EOPNOTSUPP;
	case -EAGAIN:
	case -ENFILE:
		return -ENOMEM;
	default:
		return err;
	}
}

static int place_others(struct embedded_ctx *ctx, struct embedded_buf *buf)
{
	sigset_t old;
	int err = place(ctx, buf);

	if (err)
		return err;
	signals_block(&old);
	err = window_map_own(buf);
	if (err)
		window_free(buf);
	signals_restore(&old);
	return import_error(err);
}

static int dup_own(int fd, struct own_fd *file)
{
	const int copy = dup_cloexec(fd);

	return copy < 0 ? copy : own_fd_take(file, copy);
}

/**
 * ptr_import() - of mem_ptr_import()
 * @base: context
 * @fd: the caller's
 * @off: first byte in that
 * @len: bytes, above 0
 * @flags: of device memory
 * @made: out
 *
 * Return: 0, -EINVAL, -EBADF, -EPERM, -EOPNOTSUPP, -EMFILE or -ENOMEM.
 */
int ptr_import(struct mem_ctx *base, int fd, uint64_t off, uint64_t len,
	       unsigned int flags, struct mem_buf **made)
{
	struct embedded_ctx *ctx = embedded_ctx_of(base);
	const uint64_t in_page = off & ((1ULL << window_page_shift()) - 1);
	struct embedded_buf *buf;
	int err;

	if (off > INT64_MAX / 2 || len > INT64_MAX / 2)
		return -EINVAL;
	err = check_file(fd, off + len);
	if (err)
		return err;
	buf = embedded_buf_create(ctx, MEM_KIND_DEVICE, in_page + len);
	if (!buf)
		return -ENOMEM;
	buf->base.ctx = base;
	buf->base.asked_len = len;
	buf->base.flags = flags | MEM_DEVICE_IMPORTED;
	buf->fd_off = off - in_page;
	err = dup_own(fd, &buf->file);
	if (!err)
		err = place_others(ctx, buf);
	if (err) {
		embedded_buf_destroy(buf);
		return err;
	}
	buf->base.device = buf->addr + in_page;
	give_access(buf);
	watch_alloc(buf);
	*made = &buf->base;
	return 0;
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
 */

static void note(const struct mem_buf *buf, size_t first, size_t end,
		 bool is_edge)
{
	if (first >= end)
		return;
	registered.pages[registered.nr_pages++] = (struct host_pages) {
		.at = (uint8_t *)page_of(buf->host) + first,
		.len = end - first,
		.is_edge = is_edge,
		.off = window_off((const struct embedded_buf *)buf) + first,
	};
}

static void note_pages(const void *node, VISIT visit, void *unused)
{
	const struct mem_buf *buf = *(struct mem_buf *const *)node;
	const size_t page_len = (size_t)1 << window_page_shift();
	const size_t before = (uintptr_t)buf->host - page_of(buf->host);
	const size_t first = before ? page_len : 0;
	size_t end = buf->len;

	(void)unused;
	if (visit != preorder && visit != leaf)
		return;
	if (before + buf->asked_len < end && end > first)
		end -= page_len;
	note(buf, 0, first, true);
	note(buf, first, end, false);
	note(buf, end, buf->len, true);
}

/* The program goes on meanwhile, if it has other threads. */
static void *copy_of(const void *pages, size_t len)
{
	void *copy = mmap(NULL, len, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (copy == MAP_FAILED)
		return NULL;
	copy_pages(copy, pages, len);
	return copy;
}

static size_t noted_len(void)
{
	return HOST_PAGES_MAX * registered.nr * sizeof(*registered.pages);
}

/*
 * Until a child has its own pages it has those of the window, which another
 * thread of the parent may free, and malloc() in the child begins before any
 * handler does: the parent waits. Not for ever, for a child that a debugger
 * has stopped, or that was killed.
 */
static void apart_begin(void)
{
	void *page = mmap(NULL, sizeof(*registered.is_apart),
			  PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			  -1, 0);

	registered.is_apart = page == MAP_FAILED ? NULL : page;
}

static void apart_wait(void)
{
	const uint64_t until = now_ns() + APART_NS;

	while (registered.is_apart && !atomic_load(registered.is_apart) &&
	       now_ns() < until)
		futex_wait(registered.is_apart, 0, until);
}

static void apart_tell(void)
{
	if (!registered.is_apart)
		return;
	atomic_store(registered.is_apart, 1);
	futex_wake(registered.is_apart, 1);
}

static void apart_end(void)
{
	if (registered.is_apart)
		munmap(registered.is_apart, sizeof(*registered.is_apart));
	registered.is_apart = NULL;
}

static bool is_near(uintptr_t first, size_t len, uintptr_t addr)
{
	const uintptr_t page_len = (uintptr_t)1 << window_page_shift();

	return first < addr + page_len && first + len > addr - page_len;
}

/* The frames of this call and of those around it, and some more. */
static bool has_frame(uintptr_t first, size_t len)
{
	return is_near(first, len, (uintptr_t)__builtin_frame_address(0));
}

/* The kernel needs these before the child could get them. */
static bool is_of_thread(const struct host_pages *pages)
{
	return has_frame((uintptr_t)pages->at, pages->len) ||
	       is_near((uintptr_t)pages->at, pages->len,
		       (uintptr_t)pthread_self());
}

static void copy_for_child(struct host_pages *pages)
{
	if (engine_is_forking() && !pages->is_edge)
		return;
	pages->copy = copy_of(pages->at, pages->len);
	pages->is_away = pages->is_edge && pages->copy &&
			 !is_of_thread(pages) &&
			 !madvise(pages->at, pages->len, MADV_DONTFORK);
}

static void before_fork(void)
{
	sigset_t old;
	size_t i;

	signals_block(&old);
	pthread_mutex_lock(&registered.move_lock);
	pthread_mutex_lock(&registered.lock);
	registered.old = old;
	registered.pages = NULL;
	registered.nr_pages = 0;
	registered.parent = getpid();
	if (!registered.nr)
		return;
	apart_begin();
	registered.pages = mmap(NULL, noted_len(), PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (registered.pages == MAP_FAILED) {
		registered.pages = NULL;
		return;
	}
	twalk_r(registered.tree, note_pages, NULL);
	for (i = 0; i < registered.nr_pages; i++)
		copy_for_child(&registered.pages[i]);
}

static void end_fork(void)
{
	const sigset_t old = registered.old;

	pthread_mutex_unlock(&registered.lock);
	pthread_mutex_unlock(&registered.move_lock);
	signals_restore(&old);
}

static void in_parent(void)
{
	const size_t nr = registered.nr_pages;
	size_t i;

	apart_wait();
	apart_end();
	registered.nr_pages = 0;
	for (i = 0; i < nr; i++) {
		struct host_pages *pages = &registered.pages[i];

		if (pages->is_away)
			madvise(pages->at, pages->len, MADV_DOFORK);
		if (pages->copy)
			munmap(pages->copy, pages->len);
	}
	if (registered.pages)
		munmap(registered.pages, noted_len());
	end_fork();
}

static void put_copy(struct host_pages *pages)
{
	mremap(pages->copy, pages->len, pages->len,
	       MREMAP_MAYMOVE | MREMAP_FIXED, pages->at);
	pages->copy = NULL;
}

/* The library stays shared with nobody, but for pages without memory. */
static void in_child_of(struct host_pages *pages)
{
	if (pages->copy)
		put_copy(pages);
	else if (!pages->is_away && !engine_is_forking())
		window_map_private(pages->at, pages->len, pages->off);
}

/**
 * ptr_is_given() - a child of fork touches a page before its handler is called
 * @addr: what it touches
 *
 * Context: signal handler.
 * Return: true if it is there now.
 */
bool ptr_is_given(uintptr_t addr)
{
	size_t i;

	if (!registered.nr_pages || registered.parent == getpid())
		return false;
	for (i = 0; i < registered.nr_pages; i++) {
		struct host_pages *pages = &registered.pages[i];

		if (!pages->is_away || !pages->copy ||
		    addr - (uintptr_t)pages->at >= pages->len)
			continue;
		put_copy(pages);
		return true;
	}
	return false;
}

static void in_child(void)
{
	size_t i;

	for (i = 0; i < registered.nr_pages; i++)
		in_child_of(&registered.pages[i]);
	apart_tell();
	apart_end();
	end_fork();
}

static void init_registered(void)
{
	registered.err = -pthread_atfork(before_fork, in_parent, in_child);
}

/* Its pages become the window's; their bytes stay. */
static int move_in(struct embedded_buf *buf, void *pages, size_t len)
{
	/* A page without access would end the process, a shared one part. */
	const uintptr_t first = (uintptr_t)pages;
	int err;

	if (has_frame(first, len))
		return -EINVAL;
	err = mappings_check_own(first, first + len);
	if (err)
		return err;
	copy_pages(buf->dram, pages, len);
	return window_map_host(buf, pages, len);
}

/* Ordinary memory again; at once, since @buf may be in it. */
static void move_out(struct embedded_buf *buf, void *pages, size_t len)
{
	void *copy = mmap(NULL, len, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (copy == MAP_FAILED)
		abort();
	memcpy(copy, buf->dram, len);
	if (mremap(copy, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, pages) ==
	    MAP_FAILED)
		abort();
}

/**
 * ptr_register() - of mem_register()
 * @base: context
 * @ptr: memory of the caller's
 * @len: bytes, above 0
 * @flags: MEM_REGISTER_*
 * @made: out
 *
 * Return: 0, -EOPNOTSUPP, -EEXIST, -EINVAL or -ENOMEM.
 */
int ptr_register(struct mem_ctx *base, void *ptr, uint64_t len,
		 unsigned int flags, struct mem_buf **made)
{
	struct embedded_ctx *ctx = embedded_ctx_of(base);
	const uintptr_t first = page_of(ptr);
	struct embedded_buf *buf;
	size_t all;
	int err;

	if (!ctx->base.board->has_host_register)
		return -EOPNOTSUPP;
	if (len > INT64_MAX / 2)
		return -EINVAL;
	if (window_has((uintptr_t)ptr))
		return -EEXIST;
	pthread_once(&registered.once, init_registered);
	if (registered.err)
		return registered.err;
	buf = embedded_buf_create(ctx, MEM_KIND_REGISTERED,
				  (uintptr_t)ptr + len - first);
	if (!buf)
		return -ENOMEM;
	buf->base.ctx = base;
	buf->base.asked_len = len;
	buf->base.flags = flags;
	buf->base.host = ptr;
	all = buf->base.len;
	err = place(ctx, buf);
	if (err)
		goto err_destroy;
	buf->base.device = buf->addr + ((uintptr_t)ptr - first);
	err = registered_add(buf);
	if (err)
		goto err_place;
	err = move_in(buf, (void *)first, all);
	if (err)
		goto err_registered;
	give_access(buf);
	watch_register(buf);
	*made = &buf->base;
	return 0;

err_registered:
	registered_remove(buf);
err_place:
	embedded_buf_put(buf);
	return err;

err_destroy:
	embedded_buf_destroy(buf);
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
	sigset_t old;

	order_lock(ctx, &old);
	ptr_look_behind(buf, NULL);
	order_unlock(ctx, &old);
	run_forget(ctx, buf);
	if (base->kind == MEM_KIND_MANAGED)
		order_buf_destroy(ctx, buf);
	if (base->kind == MEM_KIND_REGISTERED) {
		signals_block(&old);
		pthread_mutex_lock(&registered.move_lock);
		registered_remove(buf);
		move_out(buf, (void *)page_of(base->host), base->len);
		pthread_mutex_unlock(&registered.move_lock);
		signals_restore(&old);
	} else if (!is_imported(base)) {
		board_give(ctx->base.board, base->kind, base->flags,
			   base->asked_len);
	}
	buf_lock(buf, &old);
	watch_free(buf);
	watch_freed(buf);
	buf->is_mapped = false;
	window_protect(buf->first, buf->nr_pages, PAGE_NO_ACCESS);
	buf_unlock(buf, &old);
	embedded_buf_put(buf);
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
