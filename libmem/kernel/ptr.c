// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Memory by address: managed, pinned and device memory, and buffers of heaps
 * with one view. Managed, pinned and device memory has two dma-bufs, one of the
 * CPU view and one of the device view. The first is mapped in the window, at
 * the address at which engines map the second. This includes device memory, so
 * that the module detects touches by the CPU. The second is mapped once more,
 * at any address, for copies.
 *
 * A guard page follows each buffer: a store of an engine to it is reported as
 * an overrun. The bytes between the allocation and that page are checked, too.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../buddy.h"
#include "kernel.h"

#define MAX_WINDOW	(64ULL << 30)
#define MIN_WINDOW	(1ULL << 30)

/* The window: one for the process, created once. */
static struct {
	pthread_mutex_t lock;	/* protects all members */
	int err;		/* -errno if there is no fork handler */
	pid_t pid;		/* process that created it; 0: none */
	uint8_t *addr;
	size_t len;
	uint32_t page_shift;
	struct own_fd guard;	/* file of the guard pages, for engines */
	struct buddy buddy;
} window = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.guard = { .nr = -1 },
};

/* A thread that held the lock does not exist in the child. */
static void window_in_child(void)
{
	pthread_mutex_init(&window.lock, NULL);
}

static void __attribute__((constructor)) window_init(void)
{
	window.err = -pthread_atfork(NULL, NULL, window_in_child);
}

static size_t ptr_page_len(void)
{
	return (size_t)1 << window.page_shift;
}

static int ptr_make(size_t len)
{
	window.addr = private_reserve(len);
	if (!window.addr)
		return -ENOMEM;
	if (private_keep(window.addr, len) ||
	    buddy_init(&window.buddy, len >> window.page_shift)) {
		munmap(window.addr, len);
		return -ENOMEM;
	}
	window.len = len;
	return 0;
}

static int ptr_start(void)
{
	size_t len;
	int err;

	window.page_shift = (uint32_t)
		__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
	err = own_fd_take(&window.guard,
			  memfd_create("libmem-behind", MFD_CLOEXEC));
	if (err)
		return err;
	err = -ENOMEM;
	if (ftruncate(window.guard.nr, (off_t)ptr_page_len()))
		err = -errno;
	else
		for (len = MAX_WINDOW; err && len >= MIN_WINDOW; len /= 2)
			err = ptr_make(len);
	if (err)
		own_fd_close(&window.guard);
	else
		window.pid = getpid();
	return err;
}

static int window_get(void)
{
	int err = window.err;

	if (err)
		return err;
	pthread_mutex_lock(&window.lock);
	if (!window.pid)
		err = ptr_start();
	else if (window.pid != getpid())
		err = -EPERM;
	pthread_mutex_unlock(&window.lock);
	return err;
}

/**
 * kernel_ptr_for_engine() - describe the window to an engine
 * @engine: out: description
 *
 * Creates the window if a kernel runs before anything is allocated.
 *
 * Return: 0, -ENOMEM, -EMFILE or -EPERM (a child of the process that has the
 * window).
 */
int kernel_ptr_for_engine(struct engine_window *engine)
{
	const int err = window_get();

	if (err)
		return err;
	*engine = (struct engine_window) {
		.addr = window.addr,
		.len = window.len,
		.page_shift = window.page_shift,
		.view = OWN_FD_NONE,
		.before = OWN_FD_NONE,
	};
	return 0;
}

/**
 * kernel_ptr_off() - return the offset of a buffer in the window
 * @buf: buffer with an address
 *
 * Return: bytes from the start of the window.
 */
uint64_t kernel_ptr_off(const struct kernel_buf *buf)
{
	return (uint64_t)buf->first << window.page_shift;
}

/**
 * kernel_ptr_guard() - return the file of guard pages for engines
 *
 * Return: file of one page.
 */
struct own_fd kernel_ptr_guard(void)
{
	return window.guard;
}

/* Removes a mapping, but keeps its addresses reserved for the window. */
static void ptr_hide(const struct kernel_buf *buf)
{
	if (mmap(buf->addr, buf->base.len, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
		 0) == MAP_FAILED || private_keep(buf->addr, buf->base.len))
		abort();
}

static int ptr_show(const struct kernel_buf *buf, int fd)
{
	if (mmap(buf->addr, buf->base.len, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
		return -errno;
	return private_keep(buf->addr, buf->base.len);
}

/**
 * kernel_ptr_show_view() - map one of the views at a buffer's address
 * @buf: buffer with an address
 * @is_devices: map the device view, else the CPU view
 *
 * Context: the context's lock is held.
 */
void kernel_ptr_show_view(struct kernel_buf *buf, bool is_devices)
{
	if (buf->is_lent == is_devices)
		return;
	if (!ptr_show(buf, is_devices ? buf->view.nr : buf->fd))
		buf->is_lent = is_devices;
}

static int ptr_place_take(struct kernel_buf *buf)
{
	int err;

	pthread_mutex_lock(&window.lock);
	/* One more page, which is the guard page. */
	err = buddy_alloc(&window.buddy, buf->nr_pages + 1, buf, &buf->first);
	pthread_mutex_unlock(&window.lock);
	if (!err)
		buf->addr = window.addr + kernel_ptr_off(buf);
	return err;
}

static void ptr_place_give(struct kernel_buf *buf)
{
	pthread_mutex_lock(&window.lock);
	buddy_free(&window.buddy, buf->first);
	pthread_mutex_unlock(&window.lock);
}

static bool buf_try(struct kernel_buf *buf)
{
	unsigned int nr = atomic_load(&buf->nr_users);

	while (nr && !atomic_compare_exchange_weak(&buf->nr_users, &nr, nr + 1))
		;
	return nr;
}

/**
 * kernel_ptr_find_page() - find the buffer at an offset of the window
 * @off: bytes from the start of the window
 * @is_behind: out: the byte is in the guard page behind the buffer
 *
 * Return: the buffer, with a reference, for kernel_ptr_put(), or NULL.
 */
struct kernel_buf *kernel_ptr_find_page(uint64_t off, bool *is_behind)
{
	const size_t page = off >> window.page_shift;
	struct kernel_buf *buf;
	size_t first;

	pthread_mutex_lock(&window.lock);
	buf = buddy_find(&window.buddy, page, &first);
	if (buf && (page - first > buf->nr_pages || !buf_try(buf)))
		buf = NULL;
	pthread_mutex_unlock(&window.lock);
	*is_behind = buf && page - first == buf->nr_pages;
	return buf;
}

static int ptr_map_dram(struct kernel_buf *buf)
{
	const int prot = buf->base.is_read_only ? PROT_READ :
						  PROT_READ | PROT_WRITE;
	const size_t len = buf->base.len;
	void *dram;

	dram = mmap(NULL, len, prot, MAP_SHARED, buf->view.nr, 0);
	if (dram == MAP_FAILED)
		return -errno;
	if (private_keep(dram, len)) {
		munmap(dram, len);
		return -ENOMEM;
	}
	buf->dram = dram;
	return 0;
}

/* Maps the device view for copies. Without it the buffer is not found. */
static int ptr_need_dram(struct kernel_buf *buf)
{
	struct kernel_ctx *ctx = kernel_ctx_of(buf->base.ctx);
	int err = 0;

	if (!is_heaps(&buf->base))
		return 0;
	pthread_mutex_lock(&ctx->lock);
	if (!buf->dram)
		err = ptr_map_dram(buf);
	pthread_mutex_unlock(&ctx->lock);
	return err;
}

/**
 * kernel_ptr_find() - find the buffer at an address
 * @ctx: ignored
 * @addr: any address
 *
 * Return: the buffer, with a reference, for kernel_ptr_put(), or NULL.
 */
struct mem_buf *kernel_ptr_find(struct mem_ctx *ctx, const void *addr)
{
	const uintptr_t off = (uintptr_t)addr - (uintptr_t)window.addr;
	struct kernel_buf *buf;
	bool is_behind;

	(void)ctx;
	if (!window.pid || off >= window.len)
		return NULL;
	buf = kernel_ptr_find_page(off, &is_behind);
	if (buf && (is_behind || ptr_need_dram(buf))) {
		kernel_ptr_put(&buf->base);
		return NULL;
	}
	return buf ? &buf->base : NULL;
}

/* Allocates both dma-bufs; the module rounds the length up to pages. */
static int buf_open(struct kernel_ctx *ctx, struct kernel_buf *buf)
{
	struct heapsim_buf_alloc arg = {
		.size = sizeof(arg),
		.fd_flags = O_RDWR | O_CLOEXEC,
		.len = buf->base.asked_len,
		.kind = buf->base.kind,
		.alloc_flags = HEAPSIM_ALLOC_DEVICE_VIEW,
	};
	int err;

	if (buf->base.kind == MEM_KIND_MANAGED)
		arg.attach = buf->base.flags;
	do
		err = ioctl_again(ctx->fd, HEAPSIM_IOC_BUF_ALLOC, &arg);
	while (err == -EMFILE && fd_limit_raise());
	if (err)
		return err == -EBUSY ? -ENOMEM : err;
	err = own_fd_take(&buf->view, arg.view_fd);
	if (err) {
		fd_close(arg.fd);
		return err;
	}
	buf->fd = arg.fd;
	buf->id = arg.id;
	return 0;
}

static void buf_close(struct kernel_buf *buf)
{
	if (!is_heaps(&buf->base))
		own_fd_close(&buf->view);
	fd_close(buf->fd);
}

static int ptr_map_all(struct kernel_buf *buf)
{
	int err = ptr_map_dram(buf);

	if (err || !ptr_show(buf, buf->fd))
		return err;
	ptr_hide(buf);
	munmap(buf->dram, buf->base.len);
	return -ENOMEM;
}

static int ptr_wait_and_close(struct kernel_ctx *ctx,
			      const struct heapsim_dma_submit *job)
{
	struct heapsim_job_wait arg = {
		.size = sizeof(arg),
		.job = job->job,
		.timeout_ns = ENGINE_WAIT_NS,
	};
	int err;

	err = ioctl_again(ctx->fd, HEAPSIM_IOC_JOB_WAIT, &arg);
	fd_close(job->fence_fd);
	return err ? err : arg.status;
}

/*
 * Fills new memory. If it has two views, the module's engine fills it, because
 * a store to the device view would count as a store of some work. The CPU has
 * no lines yet, so no violation is recorded.
 */
static int ptr_fill_by_job(struct kernel_ctx *ctx, const struct kernel_buf *buf)
{
	struct heapsim_dma_submit job = {
		.size = sizeof(job),
		.op = HEAPSIM_DMA_FILL,
		.src_fd = -1,
		.dst_fd = buf->fd,
		.pattern = 0x01010101U * (uint8_t)ctx->poison,
		.row_len = buf->base.len,
		.dst_pitch = (int64_t)buf->base.len,
		.nr_rows = 1,
	};
	struct heapsim_range range = {
		.fd = buf->fd,
		.op = HEAPSIM_MAINT_INVALIDATE,
		.len = buf->base.len,
	};
	struct heapsim_buf_maintain maintain = {
		.size = sizeof(maintain),
		.nr_ranges = 1,
		.ranges = (uintptr_t)&range,
	};
	int err;

	err = ioctl_again(ctx->fd, HEAPSIM_IOC_DMA_SUBMIT, &job);
	if (!err)
		err = ptr_wait_and_close(ctx, &job);
	if (!err)
		err = ioctl_again(ctx->fd, HEAPSIM_IOC_BUF_MAINTAIN,
				  &maintain);
	return err;
}

static int ptr_fill_new(struct kernel_ctx *ctx, const struct kernel_buf *buf)
{
	struct heapsim_buf_info info = { .size = sizeof(info), .fd = buf->fd };
	int err;

	if (ctx->poison < 0 || buf->base.kind == MEM_KIND_PINNED)
		return 0;
	err = ioctl_again(ctx->fd, HEAPSIM_IOC_BUF_INFO, &info);
	if (err)
		return err;
	if (info.has_two_views)
		return ptr_fill_by_job(ctx, buf);
	memset(buf->dram, ctx->poison, buf->base.len);
	return 0;
}

static size_t ptr_canary_len(const struct kernel_buf *buf)
{
	const uint64_t rest = buf->base.len - buf->base.asked_len;

	return rest < CANARY_MAX ? rest : CANARY_MAX;
}

/**
 * kernel_ptr_look_behind() - check the bytes behind an allocation
 * @ctx: context
 * @buf: buffer with an address
 * @work: work that has just run, and is blamed; NULL: before work runs, the CPU
 *
 * A change is reported once: afterwards the new bytes must not change.
 *
 * Context: the context's lock is held.
 */
void kernel_ptr_look_behind(struct kernel_ctx *ctx, struct kernel_buf *buf,
			    const struct work *work)
{
	const uint8_t *behind = buf->dram + buf->base.asked_len;
	const size_t len = ptr_canary_len(buf);
	size_t i;

	/* A heap's buffer has no bytes behind its length. */
	if (!len)
		return;
	if (!memcmp(behind, buf->canary, len))
		return;
	for (i = 0; i < len && behind[i] == buf->canary[i]; i++)
		;
	kernel_watch_overrun(ctx, buf, buf->base.asked_len + i, 0, work);
	memcpy(buf->canary, behind, len);
}

static void list_add(struct kernel_ctx *ctx, struct kernel_buf *buf)
{
	pthread_mutex_lock(&ctx->lock);
	buf->next = ctx->bufs;
	if (buf->next)
		buf->next->prev = buf;
	ctx->bufs = buf;
	pthread_mutex_unlock(&ctx->lock);
}

static void list_remove(struct kernel_ctx *ctx, struct kernel_buf *buf)
{
	pthread_mutex_lock(&ctx->lock);
	if (buf->prev)
		buf->prev->next = buf->next;
	else
		ctx->bufs = buf->next;
	if (buf->next)
		buf->next->prev = buf->prev;
	pthread_mutex_unlock(&ctx->lock);
}

static struct kernel_buf *buf_new(struct mem_ctx *ctx, enum mem_kind kind,
				  uint64_t len, unsigned int flags)
{
	const uint64_t mask = ptr_page_len() - 1;
	struct kernel_buf *buf = calloc(1, sizeof(*buf));

	if (!buf)
		return NULL;
	buf_init(&buf->base, kind, (len + mask) & ~mask);
	buf->base.ctx = ctx;
	buf->base.asked_len = len;
	buf->base.flags = flags;
	buf->nr_pages = buf->base.len >> window.page_shift;
	return buf;
}

/* Allocates addresses first, which refuses a length that is too large. */
static int buf_make(struct kernel_ctx *ctx, struct kernel_buf *buf)
{
	int err;

	err = ptr_place_take(buf);
	if (err)
		return err;
	err = buf_open(ctx, buf);
	if (err)
		goto err_place;
	err = ptr_map_all(buf);
	if (err)
		goto err_close;
	err = ptr_fill_new(ctx, buf);
	if (err)
		goto err_unmap;
	memcpy(buf->canary, buf->dram + buf->base.asked_len,
	       ptr_canary_len(buf));
	return 0;

err_unmap:
	ptr_hide(buf);
	munmap(buf->dram, buf->base.len);
err_close:
	buf_close(buf);
err_place:
	ptr_place_give(buf);
	return err;
}

/* Records the call site, for the report of a leak. */
static void living_begin(struct kernel_buf *buf)
{
	const struct mem_buf_info info = {
		.id = buf->id,
		.len = buf->base.asked_len,
	};

	if (record_is_on())
		living_begin_buf(&buf->base.living, &info);
}

/**
 * kernel_ptr_alloc() - allocate memory for mem_alloc()
 * @base: context
 * @kind: managed, pinned or device
 * @len: bytes, above 0
 * @flags: flags of the kind
 * @made: out: buffer
 *
 * Return: 0, -EINVAL (@len is too large), -ENOMEM, -EMFILE, -EPERM (a child of
 * the process that has the window) or -EOPNOTSUPP (an older module).
 */
int kernel_ptr_alloc(struct mem_ctx *base, enum mem_kind kind, uint64_t len,
		     unsigned int flags, struct mem_buf **made)
{
	struct kernel_ctx *ctx = kernel_ctx_of(base);
	struct kernel_buf *buf;
	int err;

	if (!(ctx->features & HEAPSIM_FEATURE_RIGHTS))
		return -EOPNOTSUPP;
	if (len > INT64_MAX / 2)
		return -EINVAL;
	err = window_get();
	if (err)
		return err;
	err = board_take(base->board, kind, flags, len);
	if (err)
		return err;
	err = -ENOMEM;
	buf = buf_new(base, kind, len, flags);
	if (!buf)
		goto err_give;
	err = buf_make(ctx, buf);
	if (err)
		goto err_free;
	buf->base.device = buf->addr;
	buf->base.host = kind == MEM_KIND_DEVICE ? NULL : buf->addr;
	if (kind == MEM_KIND_MANAGED)
		order_buf_create(&buf->base, &buf->order);
	list_add(ctx, buf);
	/* From now on it is found by its address. */
	atomic_store(&buf->nr_users, 1);
	living_begin(buf);
	*made = &buf->base;
	return 0;

err_free:
	pthread_mutex_destroy(&buf->base.lock);
	free(buf);
err_give:
	board_give(base->board, kind, flags, len);
	return err;
}

/**
 * kernel_ptr_register() - refuse mem_register()
 * @ctx: context
 * @ptr: memory of the caller
 * @len: bytes
 * @flags: MEM_REGISTER_*
 * @made: not written
 *
 * Return: -EOPNOTSUPP: the module does not support it.
 */
int kernel_ptr_register(struct mem_ctx *ctx, void *ptr, uint64_t len,
			unsigned int flags, struct mem_buf **made)
{
	(void)ctx;
	(void)ptr;
	(void)len;
	(void)flags;
	(void)made;
	return -EOPNOTSUPP;
}

/**
 * kernel_ptr_keep() - take a reference to a buffer
 * @base: buffer with an address; the caller has a reference
 */
void kernel_ptr_keep(struct mem_buf *base)
{
	atomic_fetch_add(&kernel_buf_of(base)->nr_users, 1);
}

/**
 * kernel_ptr_put() - drop a reference to a buffer
 * @base: buffer; the last reference frees it
 */
void kernel_ptr_put(struct mem_buf *base)
{
	struct kernel_buf *buf = kernel_buf_of(base);

	if (atomic_fetch_sub(&buf->nr_users, 1) != 1)
		return;
	/* The window does not exist in a child. */
	if (window.pid != getpid()) {
		buf_close(buf);
		free(buf);
		return;
	}
	if (buf->addr)
		ptr_hide(buf);
	if (buf->dram)
		munmap(buf->dram, base->len);
	buf_close(buf);
	if (buf->addr)
		ptr_place_give(buf);
	if (!is_heaps(base))
		pthread_mutex_destroy(&base->lock);
	free(buf);
}

/**
 * kernel_ptr_free() - free memory for mem_free()
 * @base: buffer that no work uses
 */
void kernel_ptr_free(struct mem_buf *base)
{
	struct kernel_buf *buf = kernel_buf_of(base);
	struct kernel_ctx *ctx = kernel_ctx_of(base->ctx);

	pthread_mutex_lock(&ctx->lock);
	kernel_ptr_look_behind(ctx, buf, NULL);
	buf->is_freed = true;
	pthread_mutex_unlock(&ctx->lock);
	list_remove(ctx, buf);
	kernel_run_forget(ctx, buf);
	if (base->kind == MEM_KIND_MANAGED)
		order_buf_destroy(base);
	living_end(&base->living);
	board_give(ctx->base.board, base->kind, base->flags, base->asked_len);
	kernel_ptr_put(base);
}

/* Heaps' buffers */

/* Returns true for kinds that have one view under every policy. */
static bool ptr_has_one_view(const struct kernel_buf *buf)
{
	return buf->base.kind == MEM_KIND_COHERENT ||
	       buf->base.kind == MEM_KIND_UNCACHED ||
	       buf->base.kind == MEM_KIND_CONTIGUOUS;
}

/**
 * kernel_ptr_place_heaps() - allocate addresses in the window for a heap's
 * buffer
 * @buf: buffer
 *
 * From then on it is mapped there, for the CPU and for engines.
 *
 * Context: the buffer's lock is held.
 * Return: 0, -EOPNOTSUPP (it may have two views), -EBADF, -ENOMEM, -EMFILE or
 * -EPERM (a child of the process that has the window).
 */
int kernel_ptr_place_heaps(struct kernel_buf *buf)
{
	struct stat stat;
	int err;

	if (buf->base.device)
		return 0;
	if (!ptr_has_one_view(buf))
		return -EOPNOTSUPP;
	err = window_get();
	if (err)
		return err;
	if (fstat(buf->fd, &stat))
		return -EBADF;
	buf->view = (struct own_fd) {
		.nr = buf->fd,
		.dev = stat.st_dev,
		.ino = stat.st_ino,
	};
	buf->nr_pages = buf->base.len >> window.page_shift;
	err = ptr_place_take(buf);
	if (err)
		return err;
	buf->base.device = buf->addr;
	return 0;
}

/**
 * kernel_ptr_show_heaps() - map a heap's buffer at its address in the window
 * @buf: buffer with an address
 *
 * A child of the process inherits the mapping, like that of any dma-buf.
 *
 * Context: the buffer's lock is held.
 * Return: 0, or an error of mmap().
 */
int kernel_ptr_show_heaps(struct kernel_buf *buf)
{
	const int prot = buf->base.is_read_only ? PROT_READ :
						  PROT_READ | PROT_WRITE;
	int err;

	if (mmap(buf->addr, buf->base.len, prot, MAP_SHARED | MAP_FIXED,
		 buf->fd, 0) != MAP_FAILED)
		return 0;
	err = -errno;
	ptr_hide(buf);
	return err;
}

/**
 * kernel_ptr_hide_heaps() - undo kernel_ptr_show_heaps()
 * @buf: buffer
 *
 * Context: the buffer's lock is held.
 */
void kernel_ptr_hide_heaps(struct kernel_buf *buf)
{
	if (window.pid == getpid())
		ptr_hide(buf);
	else
		munmap(buf->addr, buf->base.len);
}

/**
 * kernel_ptr_set_name() - name a buffer for mem_set_name()
 * @base: buffer
 * @name: shorter than MEM_NAME_LEN
 *
 * The dma-buf gets the name, so that the module's records, `heapsim stat` and
 * fdinfo show it.
 */
void kernel_ptr_set_name(struct mem_buf *base, const char *name)
{
	struct kernel_ctx *ctx = kernel_ctx_of(base->ctx);
	struct kernel_buf *buf = kernel_buf_of(base);

	pthread_mutex_lock(&ctx->lock);
	strcpy(buf->name, name);
	pthread_mutex_unlock(&ctx->lock);
	/* If the kernel has no memory, only the library knows the name. */
	ioctl_again(buf->fd, DMA_BUF_SET_NAME_B, (void *)name);
}
