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
 * @has_first: memory that is not registered lies in the first page, too
 * @has_last: the same of the last page
 * @copy: what was in them at the fork, NULL none
 * @off: of the window
 */
struct host_pages {
	uint8_t *at;
	size_t len;
	bool has_first;
	bool has_last;
	void *copy;
	uint64_t off;
};

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
 */

static void note_pages(const void *node, VISIT visit, void *unused)
{
	const struct mem_buf *buf = *(struct mem_buf *const *)node;
	struct host_pages *pages = &registered.pages[registered.nr_pages];
	uint8_t *const first = (uint8_t *)page_of(buf->host);
	const uint8_t *end = (uint8_t *)buf->host + buf->asked_len;

	(void)unused;
	if (visit != preorder && visit != leaf)
		return;
	registered.nr_pages++;
	*pages = (struct host_pages) {
		.at = first,
		.len = buf->len,
		.has_first = (uint8_t *)buf->host > first,
		.has_last = end < first + buf->len,
		.off = window_off((const struct embedded_buf *)buf),
	};
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
	return registered.nr * sizeof(*registered.pages);
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
	if (engine_is_forking())
		return;
	for (i = 0; i < registered.nr_pages; i++)
		registered.pages[i].copy = copy_of(registered.pages[i].at,
						   registered.pages[i].len);
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
	size_t i;

	apart_wait();
	apart_end();
	for (i = 0; i < registered.nr_pages; i++)
		if (registered.pages[i].copy)
			munmap(registered.pages[i].copy,
			       registered.pages[i].len);
	if (registered.pages)
		munmap(registered.pages, noted_len());
	end_fork();
}

static void put_copy(void *copy, size_t len, void *at)
{
	if (copy)
		mremap(copy, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, at);
}

/* The library stays shared with nobody, but for pages without memory. */
static void in_child_of(const struct host_pages *pages)
{
	if (pages->copy)
		put_copy(pages->copy, pages->len, pages->at);
	else
		window_map_private(pages->at, pages->len, pages->off);
}

static void in_engine(const struct host_pages *pages)
{
	const size_t page_len = (size_t)1 << window_page_shift();
	uint8_t *const last = pages->at + pages->len - page_len;

	if (pages->has_first)
		put_copy(copy_of(pages->at, page_len), page_len, pages->at);
	if (pages->has_last && (last > pages->at || !pages->has_first))
		put_copy(copy_of(last, page_len), page_len, last);
}

static void in_child(void)
{
	size_t i;

	for (i = 0; i < registered.nr_pages; i++)
		if (engine_is_forking())
			in_engine(&registered.pages[i]);
		else
			in_child_of(&registered.pages[i]);
	apart_tell();
	apart_end();
	end_fork();
}

static void init_registered(void)
{
	registered.err = -pthread_atfork(before_fork, in_parent, in_child);
}

/* The frames of this call and of those around it, and some more. */
static bool has_frame(uintptr_t first, size_t len)
{
	const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	const uintptr_t page_len = (uintptr_t)1 << window_page_shift();

	return first < frame + page_len && first + len > frame - page_len;
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
