// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The address window, which contains all memory of the embedded backend. A
 * process has one; it is created once and remains.
 *
 * It has two regions: one for buffers with two views, one for those with one
 * view. DRAM is one memfd, as long as both regions. The CPU view of the first
 * region is another memfd; that of the second is DRAM. There is a gap between
 * the regions: buffers begin at powers of two, and in a cache that is indexed
 * by some bits of the address (AMD's first level) buffers of both regions would
 * displace each other. Loops from one to the other took three times as long.
 *
 * A byte has the same offset in the window, its alias and its file, so that
 * neighbours with the same protection (protect.c) are one mapping: the kernel
 * limits the number of mappings.
 *
 * Under valgrind the window is open: pages of a buffer are always accessible,
 * and there is one view. A handler cannot complete a touch there: the registers
 * are those of some instructions earlier (--vex-iropt-register-updates), and
 * memcheck would report each touch.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../buddy.h"
#include "embedded.h"

#define REGION_MAX_LEN	(64ULL << 30)
#define REGION_MIN_LEN	(1ULL << 30)
/* Shorter under valgrind: memcheck scans all tables at the end. */
#define REGION_OPEN_LEN	(4ULL << 30)
/* Not a sum of few powers of two, and a multiple of a buffer's alignment. */
#define GAP_LEN		(37 * PRIVATE_ALIGN)

static struct {
	uint8_t *addr;
	uint8_t *dram;		/* alias of both regions */
	uint8_t *cpu;		/* alias of the first region's CPU view */
	uint8_t *twin;		/* as long as @cpu; anonymous */
	size_t len;
	size_t region_pages;	/* of the first region, with the gap */
	uint32_t page_shift;
	struct own_fd dram_file;
	struct own_fd before_file;
	uint8_t *before;	/* alias of @before_file */
	atomic_uintptr_t mark;	/* address of a byte: 1 here, 0 in a child */

	pthread_mutex_t lock;	/* protects @buddy, and the start */
	atomic_uint nr_getters;	/* threads in window_get() */
	bool is_there;
	bool is_open;
	struct buddy buddy[2];	/* by region */
	size_t free_pages;	/* of the machine's memory, not allocated */
} IN_OWN_PAGES window = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.dram_file = { .nr = -1 },
	.before_file = { .nr = -1 },
};

/* Creates a page that reads as zeros in any child, unless there is one. */
static int window_mark_make(void)
{
	const size_t len = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t none = 0;
	uint8_t *mark;

	if (atomic_load(&window.mark))
		return 0;
	mark = mmap(NULL, len, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mark == MAP_FAILED)
		return -errno;
	if (madvise(mark, len, MADV_WIPEONFORK)) {
		munmap(mark, len);
		return -ENOMEM;
	}
	*mark = 1;
	if (!atomic_compare_exchange_strong(&window.mark, &none,
					    (uintptr_t)mark))
		munmap(mark, len);
	return 0;
}

/*
 * Returns true if the caller is a child of a process that had no window, and
 * from then on is no child. The lock of a window that was just being created
 * would never be released in a child.
 */
static bool window_mark_is_renewed(void)
{
	if (window.is_there || atomic_load(&window.nr_getters))
		return false;
	*(uint8_t *)atomic_load(&window.mark) = 1;
	return true;
}

static void window_release(void *addr, size_t len)
{
	if (addr)
		munmap(addr, len);
}

/*
 * No child is created between the two calls: an engine cannot start if it
 * inherits a mapping at the window's addresses.
 */
static int window_map_fd(void *addr, size_t len, int prot, int fd, size_t off)
{
	int err;

	fork_block();
	/*
	 * ThreadSanitizer treats mmap() as a store to the whole range. After
	 * mlockall(MCL_FUTURE) the kernel would fill it if it had access.
	 */
	if (syscall(SYS_mmap, addr, len, PROT_NONE,
		    MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd, off) == -1)
		err = -errno;
	else
		err = private_keep(addr, len);
	if (!err && (munlock(addr, len) ||
		     (prot != PROT_NONE && mprotect(addr, len, prot))))
		err = -errno;
	fork_unblock();
	return err;
}

static int window_map_file(void *addr, size_t len, int prot,
			   const struct own_fd *file, size_t off)
{
	if (!own_fd_is_open(file))
		return -EBADF;
	return window_map_fd(addr, len, prot, file->nr, off);
}

static int window_file_create(const char *name, size_t len, struct own_fd *file)
{
	int err = own_fd_take(file, memfd_create(name, MFD_CLOEXEC));

	if (err)
		return err;
	return ftruncate(file->nr, (off_t)len) ? -errno : 0;
}

static void window_undo(size_t len)
{
	const size_t first_len = window.region_pages << window.page_shift;

	window_release(window.addr, len);
	window_release(window.dram, len);
	window_release(window.cpu, first_len);
	window_release(window.twin, first_len);
	window_release(window.before, first_len);
	protect_exit();
	own_fd_close(&window.dram_file);
	own_fd_close(&window.before_file);
	window.addr = NULL;
	window.dram = NULL;
	window.cpu = NULL;
	window.twin = NULL;
	window.before = NULL;
	buddy_fini(&window.buddy[0]);
	buddy_fini(&window.buddy[1]);
}

/* Memcheck scans a child, too, and needs 10 ms for a page that is missing. */
static void window_let_fork(void)
{
	unsigned int i;

	protect_let_fork();
	for (i = 0; i < 2; i++)
		madvise(window.buddy[i].blocks,
			window.buddy[i].nr_pages *
			sizeof(*window.buddy[i].blocks), MADV_DOFORK);
}

/* Makes all reservations with one size; on failure none remains. */
static int window_make(size_t region_len)
{
	const size_t nr_places = region_len >> window.page_shift;
	const size_t first_len = region_len + GAP_LEN;
	const size_t len = first_len + region_len;
	const int prot = window.is_open ? PROT_NONE : PROT_READ | PROT_WRITE;
	struct own_fd cpu_file = OWN_FD_NONE;
	int err;

	window.region_pages = first_len >> window.page_shift;
	err = window_file_create("libmem-dram", len, &window.dram_file);
	if (!err)
		err = window_file_create("libmem-cpu", first_len, &cpu_file);
	/*
	 * As long as the window, so that engines use one offset for all files.
	 */
	if (!err)
		err = window_file_create("libmem-before", len,
					 &window.before_file);
	if (err)
		goto err_undo;
	err = -ENOMEM;
	window.addr = private_reserve(len);
	window.dram = private_reserve(len);
	window.cpu = private_reserve(first_len);
	window.before = private_reserve(first_len);
	window.twin = window.is_open ? private_reserve(first_len) :
				       private_table(first_len);
	if (!window.addr || !window.dram || !window.cpu || !window.twin ||
	    !window.before ||
	    protect_init(window.addr, window.region_pages, nr_places) ||
	    buddy_init(&window.buddy[0], nr_places) ||
	    buddy_init(&window.buddy[1], nr_places))
		goto err_undo;
	err = window_map_file(window.addr, first_len, PROT_NONE, &cpu_file, 0);
	if (!err)
		err = window_map_file(window.addr + first_len, region_len,
				      PROT_NONE,
				      &window.dram_file, first_len);
	if (!err)
		err = window_map_file(window.dram, len, prot, &window.dram_file,
				      0);
	if (!err)
		err = window_map_file(window.cpu, first_len, prot, &cpu_file,
				      0);
	if (!err)
		err = window_map_file(window.before, first_len, prot,
				      &window.before_file, 0);
	if (err)
		goto err_undo;
	/* Only its mappings are needed. */
	own_fd_close(&cpu_file);
	window.len = len;
	return 0;

err_undo:
	own_fd_close(&cpu_file);
	window_undo(len);
	return err;
}

/* A file that exceeds RLIMIT_FSIZE would end the process (SIGXFSZ). */
static size_t window_longest_region(void)
{
	struct rlimit limit;
	size_t len = window.is_open ? REGION_OPEN_LEN : REGION_MAX_LEN;

	if (getrlimit(RLIMIT_FSIZE, &limit))
		return len;
	while (len >= REGION_MIN_LEN &&
	       2 * len + GAP_LEN > limit.rlim_cur)
		len /= 2;
	return len;
}

/* Says on standard error that mistakes are not detected. */
static void window_say_open(void)
{
	static const char text[] =
		"libmem: under valgrind: policy off, kernels in the program\n";

	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		return;
}

static int window_start(void)
{
	size_t region_len;
	int err = -ENOMEM;

	window.is_open = engine_has_valgrind();
	window.page_shift = (uint32_t)
		__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
	for (region_len = window_longest_region();
	     err == -ENOMEM && region_len >= REGION_MIN_LEN; region_len /= 2)
		err = window_make(region_len);
	if (err)
		return err;
	window.free_pages = (size_t)sysconf(_SC_PHYS_PAGES);
	err = signals_init();
	if (err) {
		window_undo(window.len);
		window.len = 0;
	} else if (window.is_open) {
		window_let_fork();
		window_say_open();
	}
	return err;
}

/**
 * window_get() - create the window unless it exists
 *
 * Unblocks SIGSEGV in the calling thread.
 *
 * Context: any thread; takes the window's lock.
 * Return: 0, -EPERM (a child of the process that created it, or that was
 * creating it), -ENOMEM (no room
 * in the address space), -EMFILE or -ENFILE (two descriptors are needed).
 */
int window_get(void)
{
	sigset_t old;
	int err;

	if (window_is_forked() && !window_mark_is_renewed())
		return -EPERM;
	err = window_mark_make();
	if (err)
		return err;
	signals_block(&old);
	atomic_fetch_add(&window.nr_getters, 1);
	pthread_mutex_lock(&window.lock);
	if (!window.is_there) {
		err = window_start();
		window.is_there = !err;
	}
	pthread_mutex_unlock(&window.lock);
	atomic_fetch_sub(&window.nr_getters, 1);
	/* This thread may have inherited it, or libmem-trap did not see it. */
	if (!err)
		sigdelset(&old, SIGSEGV);
	signals_restore(&old);
	return err;
}

/**
 * window_is_forked() - check whether this is a child of the window's process
 *
 * Return: true if it is, and so has no window.
 */
bool window_is_forked(void)
{
	const uintptr_t mark = atomic_load_explicit(&window.mark,
						    memory_order_acquire);

	return mark && !*(const uint8_t *)mark;
}

/**
 * window_is_there() - check whether this process has the window
 *
 * Context: any, also a signal handler.
 * Return: true if it has.
 */
bool window_is_there(void)
{
	return !window_is_forked() && window.len;
}

/**
 * window_is_open() - check whether touches cannot be detected
 *
 * Context: after window_get().
 * Return: true under valgrind, where no access is detected.
 */
bool window_is_open(void)
{
	return window.is_open;
}

/**
 * window_has() - check whether an address is in the window
 * @addr: any address
 *
 * Context: any, also a signal handler.
 * Return: true if it is.
 */
bool window_has(uintptr_t addr)
{
	return !window_is_forked() &&
	       addr - (uintptr_t)window.addr < window.len;
}

static bool window_is_in(uintptr_t addr, const void *at, size_t len)
{
	return addr - (uintptr_t)at < len;
}

/**
 * window_is_sparse() - check whether an address is in the window, an alias or a
 * table of it
 * @addr: any address
 *
 * Context: any thread.
 * Return: true if it is.
 */
bool window_is_sparse(uintptr_t addr)
{
	const size_t first_len = window.region_pages << window.page_shift;
	const struct buddy *buddy = window.buddy;

	return window_is_in(addr, window.addr, window.len) ||
	       window_is_in(addr, window.dram, window.len) ||
	       window_is_in(addr, window.cpu, first_len) ||
	       window_is_in(addr, window.twin, first_len) ||
	       window_is_in(addr, window.before, first_len) ||
	       window_is_in(addr, buddy[0].blocks, buddy_table_len(buddy)) ||
	       window_is_in(addr, buddy[1].blocks,
			    buddy_table_len(buddy + 1)) ||
	       protect_is_table(addr);
}

/**
 * window_page_shift() - return log2 of the page size
 *
 * Return: 12, 14 or 16.
 */
uint32_t window_page_shift(void)
{
	return window.page_shift;
}

/* Returns the first page of a page's region. */
static size_t window_base_of(size_t page)
{
	return page < window.region_pages ? 0 : window.region_pages;
}

static struct buddy *window_buddy_of(size_t page)
{
	return &window.buddy[page >= window.region_pages];
}

/**
 * window_block_pages() - return the size of a buffer's place
 * @page: first page of the buffer
 *
 * Context: the buffer's lock is held.
 * Return: pages of the place, which may be more than those of the buffer.
 */
size_t window_block_pages(size_t page)
{
	return buddy_len(window_buddy_of(page), page - window_base_of(page));
}

/* Makes a buffer of an open window, and its alias, accessible. Lock held. */
static int window_give_open(size_t off, size_t len)
{
	const int prot = PROT_READ | PROT_WRITE;

	if (!window.is_open)
		return 0;
	if (mprotect(window.addr + off, len, prot) ||
	    mprotect(window.dram + off, len, prot))
		return -ENOMEM;
	return 0;
}

/* Maps the pages again: memcheck does not notice a mprotect() to no access. */
static void window_take_open(size_t off, size_t len)
{
	if (!window.is_open)
		return;
	window_map_file(window.addr + off, len, PROT_NONE, &window.dram_file,
			off);
	window_map_file(window.dram + off, len, PROT_NONE, &window.dram_file,
			off);
}

/**
 * window_alloc() - allocate memory for a buffer
 * @buf: buffer; its number of views and of pages is set, and its addresses are
 *	set by this call
 *
 * The memory is zeroed. The CPU has no access to it, unless the window is open.
 * The pages from the end of the buffer to the next power of two are unused.
 *
 * Context: takes the window's lock; all signals blocked.
 * Return: 0, or -ENOMEM (all buffers together would exceed the machine's
 * memory, or there is no room).
 */
int window_alloc(struct embedded_buf *buf)
{
	const size_t base = buf->has_two_views ? 0 : window.region_pages;
	int err = -ENOMEM;
	size_t off;

	pthread_mutex_lock(&window.lock);
	/* An import does not use memory of this machine by itself. */
	if (buf->nr_pages <= window.free_pages || buf->is_imported)
		err = buddy_alloc(window_buddy_of(base), buf->nr_pages, buf,
				  &buf->first);
	if (!err) {
		buf->first += base;
		off = buf->first << window.page_shift;
		err = window_give_open(off, buf->nr_pages << window.page_shift);
		if (err)
			buddy_free(window_buddy_of(base), buf->first - base);
		else if (!buf->is_imported)
			window.free_pages -= buf->nr_pages;
	}
	pthread_mutex_unlock(&window.lock);
	if (err)
		return err;
	buf->addr = window.addr + off;
	buf->dram = window.dram + off;
	buf->cpu = buf->has_two_views ? window.cpu + off : buf->dram;
	buf->twin = buf->has_two_views ? window.twin + off : NULL;
	return 0;
}

/*
 * Maps the pages of the CPU view at its addresses again. Their file is closed,
 * but mremap() with an old length of 0 duplicates a mapping.
 */
static int window_map_cpu_view(size_t off, size_t len)
{
	if (mremap(window.cpu + off, 0, len, MREMAP_MAYMOVE | MREMAP_FIXED,
		   window.addr + off) == MAP_FAILED ||
	    mprotect(window.addr + off, len, PROT_NONE))
		return -errno;
	return private_keep(window.addr + off, len);
}

/* Maps the window's file at the addresses of a buffer. The lock is held. */
static int window_map_back(const struct embedded_buf *buf)
{
	const size_t off = buf->first << window.page_shift;
	const size_t len = buf->nr_pages << window.page_shift;
	const int prot = window.is_open ? PROT_NONE : PROT_READ | PROT_WRITE;
	int err;

	if (buf->first < window.region_pages)
		err = window_map_cpu_view(off, len);
	else
		err = window_map_file(buf->addr, len, PROT_NONE,
				      &window.dram_file,
				      off);
	if (!err)
		err = window_map_file(buf->dram, len, prot, &window.dram_file,
				      off);
	return err;
}

/**
 * window_map_own() - map a buffer's own file at its addresses
 * @buf: buffer with a file, and one view from now on; its pages have no access
 *
 * Context: takes the window's lock; all signals blocked.
 * Return: 0; -EBADF (the program has closed a descriptor of the library) or an
 * error of mmap(): either nothing has changed, or the caller must call
 * window_free().
 */
int window_map_own(const struct embedded_buf *buf)
{
	const size_t len = buf->nr_pages << window.page_shift;
	const int all = buf->base.is_read_only ? PROT_READ :
						 PROT_READ | PROT_WRITE;
	int err;

	/* The file of an import has just been opened. */
	if (!buf->is_imported && (!own_fd_is_open(&window.dram_file) ||
				  !own_fd_is_open(&buf->file)))
		return -EBADF;
	pthread_mutex_lock(&window.lock);
	err = window_map_fd(buf->dram, len, all, buf->file.nr, buf->fd_off);
	if (!err)
		err = window_map_fd(buf->addr, len,
				    window.is_open ? all : PROT_NONE,
				    buf->file.nr, buf->fd_off);
	/* A buffer that is being moved has its bytes in the window. */
	if (err && window_map_back(buf) && !buf->is_imported)
		abort();
	pthread_mutex_unlock(&window.lock);
	return err;
}

/*
 * Frees the pages of an alias, which read as zeros afterwards. Uses the
 * mapping, because the program may have reused the number of the descriptor.
 */
static void window_release_pages(void *alias, size_t len)
{
	/* Locked memory (mlockall) cannot be freed. */
	if (madvise(alias, len, MADV_REMOVE))
		memset(alias, 0, len);
}

/* Clears the second view, for the next buffer at these addresses. */
static void window_release_views(const struct embedded_buf *buf)
{
	const size_t len = buf->nr_pages << window.page_shift;

	window_release_pages(buf->cpu, len);
	window_release_pages(window.before + window_off(buf), len);
	madvise(buf->twin, len, MADV_DONTNEED);
}

/**
 * window_free() - free the memory of a buffer
 * @buf: buffer that only the caller uses, and whose pages have no access
 *
 * Context: takes the window's lock; all signals blocked.
 */
void window_free(struct embedded_buf *buf)
{
	const size_t off = buf->first << window.page_shift;
	const size_t len = buf->nr_pages << window.page_shift;
	bool is_back;

	pthread_mutex_lock(&window.lock);
	/* A buffer with its own file has no pages in the window's file. */
	is_back = buf->file.nr < 0 || !window_map_back(buf);
	if (buf->file.nr < 0) {
		window_release_pages(buf->dram, len);
		window_take_open(off, len);
	}
	if (buf->has_two_views)
		window_release_views(buf);
	/*
	 * If the window's file cannot be mapped again, the addresses are not
	 * reused.
	 */
	if (is_back)
		buddy_free(window_buddy_of(buf->first),
			   buf->first - window_base_of(buf->first));
	if (!buf->is_imported)
		window.free_pages += buf->nr_pages;
	pthread_mutex_unlock(&window.lock);
}

/* Copies only pages that exist: the file may be sparse. */
static int window_copy_out(const struct embedded_buf *buf, int fd)
{
	const off_t first = (off_t)window_off(buf);
	const off_t end = first + (off_t)buf->base.len;
	off_t at = first, hole;
	ssize_t nr;

	if (!own_fd_is_open(&window.dram_file))
		return -EBADF;
	while (at < end) {
		at = lseek(window.dram_file.nr, at, SEEK_DATA);
		if (at < 0 || at >= end)
			break;
		hole = lseek(window.dram_file.nr, at, SEEK_HOLE);
		if (hole > end)
			hole = end;
		for (; at < hole; at += nr) {
			nr = pwrite(fd, buf->dram + (at - first),
				    (size_t)(hole - at), at - first);
			if (nr <= 0)
				return -ENOMEM;
		}
	}
	return 0;
}

/**
 * window_move() - give a buffer a file of its own
 * @buf: buffer that nothing touches; its pages have no access
 * @file: empty file, as long as the buffer; on success the buffer owns it
 *
 * A buffer with two views has one afterwards.
 *
 * Context: takes the window's lock; all signals blocked.
 * Return: 0; -ENOMEM; or -EBADF if the program has closed a descriptor of the
 * library. After an error nothing has changed.
 */
int window_move(struct embedded_buf *buf, struct own_fd *file)
{
	const size_t len = buf->nr_pages << window.page_shift;
	void *old;
	int err;

	err = window_copy_out(buf, file->nr);
	if (err)
		return err;
	/* When the buffer is freed, its pages have no other mapping. */
	old = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED,
		   window.dram_file.nr, (off_t)window_off(buf));
	if (old == MAP_FAILED)
		return -ENOMEM;
	buf->file = *file;
	buf->fd_off = 0;
	err = window_map_own(buf);
	if (err)
		buf->file = OWN_FD_NONE;
	else
		window_release_pages(old, len);
	munmap(old, len);
	if (!err && buf->has_two_views) {
		window_release_views(buf);
		buf->has_two_views = false;
		buf->cpu = buf->dram;
		buf->twin = NULL;
	}
	return err == -EBADF ? err : err ? -ENOMEM : 0;
}

/**
 * window_find_buf() - find the buffer at an address
 * @addr: address in the window
 *
 * Context: takes the window's lock; all signals blocked.
 * Return: the buffer, with a reference, for embedded_buf_put(), or NULL.
 */
struct embedded_buf *window_find_buf(uintptr_t addr)
{
	size_t page = (addr - (uintptr_t)window.addr) >> window.page_shift;
	struct embedded_buf *buf;
	size_t first;

	pthread_mutex_lock(&window.lock);
	buf = buddy_find(window_buddy_of(page), page - window_base_of(page),
			 &first);
	if (buf && (page - buf->first >= buf->nr_pages ||
		    !embedded_buf_try(buf)))
		buf = NULL;
	pthread_mutex_unlock(&window.lock);
	return buf;
}

/**
 * window_lock_buf() - find the buffer at an address, and lock it
 * @addr: address in the window
 *
 * Context: takes the window's lock, then the buffer's; all signals blocked.
 * Return: the buffer, locked and with a reference, or NULL.
 */
struct embedded_buf *window_lock_buf(uintptr_t addr)
{
	struct embedded_buf *buf = window_find_buf(addr);

	/* May wait here, so the window's lock must not be held. */
	if (buf)
		pthread_mutex_lock(&buf->lock);
	return buf;
}

/**
 * window_addr() - return the address of an offset
 * @off: bytes from the start of the window
 *
 * Return: address for the CPU and for engines.
 */
uintptr_t window_addr(uint64_t off)
{
	return (uintptr_t)window.addr + off;
}

/**
 * window_off() - return the offset of a buffer
 * @buf: buffer
 *
 * Return: bytes from the start of the window.
 */
uint64_t window_off(const struct embedded_buf *buf)
{
	return (uint64_t)buf->first << window.page_shift;
}

/**
 * window_before() - return the contents of a page before a kernel stored to it
 * @off: offset in the window, of a buffer with two views
 *
 * Return: address of these contents.
 */
const uint8_t *window_before(uint64_t off)
{
	return window.before + off;
}

/**
 * window_for_engine() - describe the window to an engine
 * @engine: out: description
 */
void window_for_engine(struct engine_window *engine)
{
	*engine = (struct engine_window) {
		.addr = window.addr,
		.len = window.len,
		.page_shift = window.page_shift,
		.view = window.dram_file,
		.before = window.before_file,
	};
}

/**
 * window_map_host() - replace pages of the application by a buffer
 * @buf: buffer with one view
 * @host: address of the pages
 * @len: bytes, whole pages, at most the buffer's
 *
 * Return: 0; -ENOMEM; or -EBADF if the program has closed a descriptor of the
 * library. After an error nothing has changed.
 */
int window_map_host(const struct embedded_buf *buf, void *host, size_t len)
{
	if (!own_fd_is_open(&window.dram_file))
		return -EBADF;
	if (mmap(host, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		 window.dram_file.nr, (off_t)window_off(buf)) == MAP_FAILED)
		return -ENOMEM;
	return 0;
}

/**
 * window_host_run() - find out how much of window_map_host() is still there
 * @mappings: list of the process's mappings; NULL: all of it
 * @host: first page to look at
 * @len: bytes
 * @off: offset in the window that belongs to @host
 * @is_there: out: the first page is; else the program has unmapped it
 *
 * Return: bytes from @host on for which @is_there holds, whole pages.
 */
size_t window_host_run(const struct mappings *mappings, const void *host,
		       size_t len, uint64_t off, bool *is_there)
{
	const struct range at = { (uintptr_t)host, (uintptr_t)host + len };

	*is_there = true;
	return mappings ? mappings_run_of(mappings, &at, &window.dram_file, off,
					  is_there) : len;
}

/**
 * window_map_again() - map a part of DRAM at another address
 * @len: bytes
 * @off: offset in the window
 *
 * Return: address, for munmap(), or NULL.
 */
void *window_map_again(size_t len, uint64_t off)
{
	void *at;

	if (!own_fd_is_open(&window.dram_file))
		return NULL;
	at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED,
		  window.dram_file.nr, (off_t)off);
	return at == MAP_FAILED ? NULL : at;
}

/**
 * window_map_private() - make pages of window_map_host() private
 * @host: address of the pages
 * @len: bytes
 * @off: offset in the window
 *
 * Pages that this process stores to become its own. All others still show the
 * file.
 *
 * Context: in a child, before fork() returns; calls nothing that takes a lock.
 */
void window_map_private(void *host, size_t len, uint64_t off)
{
	if (own_fd_is_open(&window.dram_file))
		mmap(host, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED,
		     window.dram_file.nr, (off_t)off);
}
