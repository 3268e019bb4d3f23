// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The address window: where all memory of the embedded backend lies, one for
 * the process.
 *
 * It has two regions, of buffers with two views and with one. DRAM is one
 * memfd, as long as both; the CPU view of the first region is another, of the
 * second DRAM itself. Between them is a gap: places begin at powers of two, and
 * a cache that looks up by some bits of the address (AMD's first level) would
 * have those of both regions in each other's way: loops from one to the other
 * took three times as long.
 *
 * A byte has the same offset in the window, its alias and its file, so that
 * neighbours with the same protection are one mapping: the kernel has a limit
 * for those. Where protections differ from page to page all the same, the first
 * region is revoked as a whole now and then, which changes nothing but that
 * touches fault again.
 *
 * Places live as long as the process does: the window is made once.
 *
 * Under valgrind it is open: pages have access as long as they are a buffer's,
 * aliases too. A handler cannot let a touch go on there: the registers are
 * those of some instructions before (its --vex-iropt-register-updates), and
 * memcheck tells of each touch. There is one view then.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
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
/* Memcheck looks through all tables at the end. */
#define REGION_OPEN_LEN	(4ULL << 30)
/* No sum of few powers of two, and as aligned as buffers may have to be. */
#define GAP_LEN		(37 * PRIVATE_ALIGN)

/* A limit of mappings is the process's: take a part of it. */
#define DEFAULT_MAX_MAPPINGS	65530
#define OUR_SHARE		4

static struct {
	uint8_t *addr;
	uint8_t *dram;		/* alias of both regions */
	uint8_t *cpu;		/* alias of the first one's CPU view */
	uint8_t *twin;		/* as long as that; no file */
	size_t len;
	size_t region_pages;	/* the first region's, with the gap */
	uint32_t page_shift;
	struct own_fd dram_file;
	struct own_fd before_file;
	uint8_t *before;	/* alias of that */
	atomic_uintptr_t mark;	/* of a byte: 1 here, 0 in a child; 0 none */

	pthread_mutex_t lock;	/* places, start */
	bool is_there;
	bool is_open;
	struct buddy buddy[2];	/* by region */
	size_t free_pages;	/* of the machine's memory */

	/* read: protections change; write: all of a region do */
	pthread_rwlock_t protect_lock;
	uint8_t *access;	/* a page each, enum page_access */
	atomic_long nr_edges;	/* neighbours that differ */
	long max_edges;
} IN_OWN_PAGES window = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.protect_lock = PTHREAD_RWLOCK_INITIALIZER,
	.dram_file = { .nr = -1 },
	.before_file = { .nr = -1 },
};

/* A page that is all zeros in a child, however it was made. */
static int mark_make(void)
{
	const size_t len = (size_t)1 << window.page_shift;
	uint8_t *mark = mmap(NULL, len, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mark == MAP_FAILED)
		return -errno;
	if (madvise(mark, len, MADV_WIPEONFORK)) {
		munmap(mark, len);
		return -ENOMEM;
	}
	*mark = 1;
	atomic_store(&window.mark, (uintptr_t)mark);
	return 0;
}

static void release(void *addr, size_t len)
{
	if (addr)
		munmap(addr, len);
}

/*
 * No child is made between the two: an engine that had something at the
 * window's addresses could not begin.
 */
static int map_fd(void *addr, size_t len, int prot, int fd, size_t off)
{
	int err;

	fork_block();
	/* ThreadSanitizer takes mmap() for a store to all of the memory. */
	if (syscall(SYS_mmap, addr, len, prot,
		    MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd, off) == -1)
		err = -errno;
	else
		err = private_keep(addr, len);
	fork_unblock();
	return err;
}

static int map_file(void *addr, size_t len, int prot,
		    const struct own_fd *file, size_t off)
{
	if (!own_fd_is_open(file))
		return -EBADF;
	return map_fd(addr, len, prot, file->nr, off);
}

static int file_create(const char *name, size_t len, struct own_fd *file)
{
	int err = own_fd_take(file, memfd_create(name, MFD_CLOEXEC));

	if (err)
		return err;
	return ftruncate(file->nr, (off_t)len) ? -errno : 0;
}

static void undo(size_t len)
{
	const size_t first_len = window.region_pages << window.page_shift;

	release(window.addr, len);
	release(window.dram, len);
	release(window.cpu, first_len);
	release(window.twin, first_len);
	release(window.before, first_len);
	release(window.access, len >> window.page_shift);
	own_fd_close(&window.dram_file);
	own_fd_close(&window.before_file);
	window.addr = NULL;
	window.dram = NULL;
	window.cpu = NULL;
	window.twin = NULL;
	window.before = NULL;
	window.access = NULL;
	buddy_fini(&window.buddy[0]);
	buddy_fini(&window.buddy[1]);
}

/* Memcheck looks through a child, too: 10 ms for a page that is not there. */
static void let_fork(void)
{
	unsigned int i;

	madvise(window.access, window.len >> window.page_shift, MADV_DOFORK);
	for (i = 0; i < 2; i++)
		madvise(window.buddy[i].blocks,
			window.buddy[i].nr_pages *
			sizeof(*window.buddy[i].blocks), MADV_DOFORK);
}

/* All reservations of one size, or -errno with nothing held. */
static int make(size_t region_len)
{
	const size_t nr_places = region_len >> window.page_shift;
	const size_t first_len = region_len + GAP_LEN;
	const size_t len = first_len + region_len;
	const int prot = window.is_open ? PROT_NONE : PROT_READ | PROT_WRITE;
	struct own_fd cpu_file = OWN_FD_NONE;
	int err;

	window.region_pages = first_len >> window.page_shift;
	err = file_create("libmem-dram", len, &window.dram_file);
	if (!err)
		err = file_create("libmem-cpu", first_len, &cpu_file);
	/* As long as all: so have engines one offset for all files. */
	if (!err)
		err = file_create("libmem-before", len, &window.before_file);
	if (err)
		goto err_undo;
	err = -ENOMEM;
	window.addr = private_reserve(len);
	window.dram = private_reserve(len);
	window.cpu = private_reserve(first_len);
	window.before = private_reserve(first_len);
	window.twin = window.is_open ? private_reserve(first_len) :
				       private_table(first_len);
	window.access = private_table(len >> window.page_shift);
	if (!window.addr || !window.dram || !window.cpu || !window.twin ||
	    !window.before || !window.access ||
	    buddy_init(&window.buddy[0], nr_places) ||
	    buddy_init(&window.buddy[1], nr_places))
		goto err_undo;
	err = map_file(window.addr, first_len, PROT_NONE, &cpu_file, 0);
	if (!err)
		err = map_file(window.addr + first_len, region_len, PROT_NONE,
			       &window.dram_file, first_len);
	if (!err)
		err = map_file(window.dram, len, prot, &window.dram_file, 0);
	if (!err)
		err = map_file(window.cpu, first_len, prot, &cpu_file, 0);
	if (!err)
		err = map_file(window.before, first_len, prot,
			       &window.before_file, 0);
	if (err)
		goto err_undo;
	/* Its mappings are all that is needed. */
	own_fd_close(&cpu_file);
	window.len = len;
	return 0;

err_undo:
	own_fd_close(&cpu_file);
	undo(len);
	return err;
}

static long max_mappings(void)
{
	FILE *file = fopen("/proc/sys/vm/max_map_count", "re");
	long max = DEFAULT_MAX_MAPPINGS;

	if (file && fscanf(file, "%ld", &max) != 1)
		max = DEFAULT_MAX_MAPPINGS;
	if (file)
		fclose(file);
	return max;
}

/* A file that is longer than the process may write would end it. */
static size_t longest_region(void)
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

/* Who has asked for a checker should know that this one looks away. */
static void say_open(void)
{
	static const char text[] =
		"libmem: under valgrind: policy off, kernels in the program\n";

	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		return;
}

static int start(void)
{
	size_t region_len;
	int err = -ENOMEM;

	window.is_open = engine_has_valgrind();
	window.page_shift = (uint32_t)
		__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
	for (region_len = longest_region();
	     err == -ENOMEM && region_len >= REGION_MIN_LEN; region_len /= 2)
		err = make(region_len);
	if (err)
		return err;
	window.free_pages = (size_t)sysconf(_SC_PHYS_PAGES);
	window.max_edges = max_mappings() / OUR_SHARE;
	err = mark_make();
	if (!err)
		err = signals_init();
	if (err) {
		undo(window.len);
		window.len = 0;
	} else if (window.is_open) {
		let_fork();
		say_open();
	}
	return err;
}

/**
 * window_get() - have the window made, if it is not there
 *
 * Context: any thread; takes the window's lock.
 * Return: 0, -EPERM (a child of the process that made it), -ENOMEM (no room in
 * the address space), -EMFILE or -ENFILE (two descriptors are needed).
 */
int window_get(void)
{
	sigset_t old;
	int err = 0;

	if (window_is_forked())
		return -EPERM;
	signals_block(&old);
	pthread_mutex_lock(&window.lock);
	if (!window.is_there) {
		err = start();
		window.is_there = !err;
	}
	pthread_mutex_unlock(&window.lock);
	signals_restore(&old);
	return err;
}

/**
 * window_is_forked() - is this a child of the process that has the window?
 *
 * Return: true if so: nothing of it is there.
 */
bool window_is_forked(void)
{
	const uintptr_t mark = atomic_load_explicit(&window.mark,
						    memory_order_acquire);

	return mark && !*(const uint8_t *)mark;
}

/**
 * window_is_there() - has this process got it?
 *
 * Context: any, signal handlers too.
 * Return: true if an address can be in it.
 */
bool window_is_there(void)
{
	return !window_is_forked() && window.len;
}

/**
 * window_is_open() - is no touch ever seen?
 *
 * Context: after window_get().
 * Return: true under valgrind.
 */
bool window_is_open(void)
{
	return window.is_open;
}

/**
 * window_has() - is an address in the window?
 * @addr: any
 *
 * Context: any, signal handlers too.
 * Return: true if it is.
 */
bool window_has(uintptr_t addr)
{
	return !window_is_forked() &&
	       addr - (uintptr_t)window.addr < window.len;
}

/**
 * window_page_shift() - log2 of the page size
 *
 * Return: 12, 14 or 16.
 */
uint32_t window_page_shift(void)
{
	return window.page_shift;
}

/* Where the places of a page's region begin. */
static size_t base_of(size_t page)
{
	return page < window.region_pages ? 0 : window.region_pages;
}

static struct buddy *buddy_of(size_t page)
{
	return &window.buddy[page >= window.region_pages];
}

/* An open buffer's own access, and that of its alias; the lock is held. */
static int give_open(size_t off, size_t len)
{
	const int prot = PROT_READ | PROT_WRITE;

	if (!window.is_open)
		return 0;
	if (mprotect(window.addr + off, len, prot) ||
	    mprotect(window.dram + off, len, prot))
		return -ENOMEM;
	return 0;
}

/* By another mapping: that mprotect() takes access memcheck does not note. */
static void take_open(size_t off, size_t len)
{
	if (!window.is_open)
		return;
	map_file(window.addr + off, len, PROT_NONE, &window.dram_file, off);
	map_file(window.dram + off, len, PROT_NONE, &window.dram_file, off);
}

/**
 * window_alloc() - a place for a buffer
 * @buf: with its kind of views and number of pages; gets its addresses
 *
 * The memory is zeroed. The CPU has no access to it, unless all is open. What
 * follows the buffer up to the next power of two is nobody's.
 *
 * Context: takes the window's lock; all signals blocked.
 * Return: 0, or -ENOMEM (all buffers would be more than the machine's memory,
 * or there is no room).
 */
int window_alloc(struct embedded_buf *buf)
{
	const size_t base = buf->has_two_views ? 0 : window.region_pages;
	int err = -ENOMEM;
	size_t off;

	pthread_mutex_lock(&window.lock);
	/* What was imported takes none of the machine's memory. */
	if (buf->nr_pages <= window.free_pages || buf->is_imported)
		err = buddy_alloc(buddy_of(base), buf->nr_pages, buf,
				  &buf->first);
	if (!err) {
		buf->first += base;
		off = buf->first << window.page_shift;
		err = give_open(off, buf->nr_pages << window.page_shift);
		if (err)
			buddy_free(buddy_of(base), buf->first - base);
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
 * The CPU view's own pages, at its addresses: nobody has their file, but a
 * mapping of no length is mapped once more.
 */
static int map_cpu_view(size_t off, size_t len)
{
	if (mremap(window.cpu + off, 0, len, MREMAP_MAYMOVE | MREMAP_FIXED,
		   window.addr + off) == MAP_FAILED ||
	    mprotect(window.addr + off, len, PROT_NONE))
		return -errno;
	return private_keep(window.addr + off, len);
}

/* The window's own file, at the addresses of a buffer; the lock is held. */
static int map_back(const struct embedded_buf *buf)
{
	const size_t off = buf->first << window.page_shift;
	const size_t len = buf->nr_pages << window.page_shift;
	const int prot = window.is_open ? PROT_NONE : PROT_READ | PROT_WRITE;
	int err;

	if (buf->first < window.region_pages)
		err = map_cpu_view(off, len);
	else
		err = map_file(buf->addr, len, PROT_NONE, &window.dram_file,
			       off);
	if (!err)
		err = map_file(buf->dram, len, prot, &window.dram_file, off);
	return err;
}

/**
 * window_map_own() - have a buffer's own file at its addresses
 * @buf: with that file, and one view from now on; its pages have no access
 *
 * Context: takes the window's lock; all signals blocked.
 * Return: 0; -EBADF (the program has closed a descriptor of the library) or an
 * error of mmap(): the place is as it was, or only window_free() may follow.
 */
int window_map_own(const struct embedded_buf *buf)
{
	const size_t len = buf->nr_pages << window.page_shift;
	const int all = buf->base.is_read_only ? PROT_READ :
						 PROT_READ | PROT_WRITE;
	int err;

	/* That of an import has just been opened. */
	if (!buf->is_imported && (!own_fd_is_open(&window.dram_file) ||
				  !own_fd_is_open(&buf->file)))
		return -EBADF;
	pthread_mutex_lock(&window.lock);
	err = map_fd(buf->dram, len, all, buf->file.nr, buf->fd_off);
	if (!err)
		err = map_fd(buf->addr, len, window.is_open ? all : PROT_NONE,
			     buf->file.nr, buf->fd_off);
	/* Of what is to be moved the window has the bytes. */
	if (err && map_back(buf) && !buf->is_imported)
		abort();
	pthread_mutex_unlock(&window.lock);
	return err;
}

/*
 * Frees the pages of an alias, which read as zeros afterwards. By the mapping:
 * the program may have a file of its own at the number of the descriptor.
 */
static void release_pages(void *alias, size_t len)
{
	/* Locked memory (mlockall) cannot be freed. */
	if (madvise(alias, len, MADV_REMOVE))
		memset(alias, 0, len);
}

/* What there is of a second view, for the next in its place. */
static void release_views(const struct embedded_buf *buf)
{
	const size_t len = buf->nr_pages << window.page_shift;

	release_pages(buf->cpu, len);
	release_pages(window.before + window_off(buf), len);
	madvise(buf->twin, len, MADV_DONTNEED);
}

/**
 * window_free() - give a place back
 * @buf: buffer that only the caller uses; whose pages have no access
 *
 * Context: takes the window's lock; all signals blocked.
 */
void window_free(struct embedded_buf *buf)
{
	const size_t off = buf->first << window.page_shift;
	const size_t len = buf->nr_pages << window.page_shift;
	bool is_back;

	pthread_mutex_lock(&window.lock);
	/* With a file of its own it has no pages of the window's. */
	is_back = buf->file.nr < 0 || !map_back(buf);
	if (buf->file.nr < 0) {
		release_pages(buf->dram, len);
		take_open(off, len);
	}
	if (buf->has_two_views)
		release_views(buf);
	/* Where the window's file cannot come back nobody gets the place. */
	if (is_back)
		buddy_free(buddy_of(buf->first),
			   buf->first - base_of(buf->first));
	if (!buf->is_imported)
		window.free_pages += buf->nr_pages;
	pthread_mutex_unlock(&window.lock);
}

/* Only pages that are there: of others there may be many. */
static int copy_out(const struct embedded_buf *buf, int fd)
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
 * @buf: that nothing touches; its pages have no access
 * @file: empty, as long as the buffer; on success it is the buffer's
 *
 * Of two views that of the CPU is gone then.
 *
 * Context: takes the window's lock; all signals blocked.
 * Return: 0; -ENOMEM or -EBADF (the program has closed a descriptor of the
 * library), and nothing has changed.
 */
int window_move(struct embedded_buf *buf, struct own_fd *file)
{
	const size_t len = buf->nr_pages << window.page_shift;
	void *old;
	int err;

	err = copy_out(buf, file->nr);
	if (err)
		return err;
	/* What is freed in the end has no other mapping then. */
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
		release_pages(old, len);
	munmap(old, len);
	if (!err && buf->has_two_views) {
		release_views(buf);
		buf->has_two_views = false;
		buf->cpu = buf->dram;
		buf->twin = NULL;
	}
	return err == -EBADF ? err : err ? -ENOMEM : 0;
}

/**
 * window_find_buf() - whose address it is
 * @addr: in the window
 *
 * Context: takes the window's lock; all signals blocked.
 * Return: the buffer, kept, for embedded_buf_put(), or NULL.
 */
struct embedded_buf *window_find_buf(uintptr_t addr)
{
	size_t page = (addr - (uintptr_t)window.addr) >> window.page_shift;
	struct embedded_buf *buf;
	size_t first;

	pthread_mutex_lock(&window.lock);
	buf = buddy_find(buddy_of(page), page - base_of(page), &first);
	if (buf && (page - buf->first >= buf->nr_pages ||
		    !embedded_buf_try(buf)))
		buf = NULL;
	pthread_mutex_unlock(&window.lock);
	return buf;
}

/**
 * window_lock_buf() - the same, and lock it
 * @addr: in the window
 *
 * Context: takes the window's lock, then the buffer's; all signals blocked.
 * Return: the buffer, locked and kept, for embedded_buf_put(), or NULL.
 */
struct embedded_buf *window_lock_buf(uintptr_t addr)
{
	struct embedded_buf *buf = window_find_buf(addr);

	/* It may wait here: not under the window's lock. */
	if (buf)
		pthread_mutex_lock(&buf->lock);
	return buf;
}

/**
 * window_addr() - an address
 * @off: byte of the window
 *
 * Return: where the CPU has it, and engines.
 */
uintptr_t window_addr(uint64_t off)
{
	return (uintptr_t)window.addr + off;
}

/**
 * window_off() - where a buffer is
 * @buf: buffer
 *
 * Return: byte of the window.
 */
uint64_t window_off(const struct embedded_buf *buf)
{
	return (uint64_t)buf->first << window.page_shift;
}

/**
 * window_before() - a page as it was before a kernel stored to it
 * @off: byte of the window, of a buffer with two views
 *
 * Return: where that is.
 */
const uint8_t *window_before(uint64_t off)
{
	return window.before + off;
}

/**
 * window_for_engine() - what an engine has to know
 * @engine: out
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
 * window_map_host() - let memory of the application's be a buffer's
 * @buf: with one view
 * @host: pages
 * @len: bytes, whole pages, at most the buffer's
 *
 * Return: 0; -ENOMEM or -EBADF (the program has closed a descriptor of the
 * library), and nothing has changed.
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
 * window_map_again() - the same bytes at another address
 * @len: bytes
 * @off: of the window
 *
 * Return: for munmap(), or NULL.
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
 * window_map_private() - share memory of a window_map_host() no longer
 * @host: pages
 * @len: bytes
 * @off: of the window
 *
 * Pages that this process stores to are its own. All others are what they are
 * in the file.
 *
 * Context: in a child, before it goes on; calls nothing that takes a lock.
 */
void window_map_private(void *host, size_t len, uint64_t off)
{
	if (own_fd_is_open(&window.dram_file))
		mmap(host, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED,
		     window.dram_file.nr, (off_t)off);
}

static int protect(size_t first, size_t nr, enum page_access access)
{
	static const int prots[] = {
		[PAGE_NO_ACCESS] = PROT_NONE,
		[PAGE_READ] = PROT_READ,
		[PAGE_WRITE] = PROT_READ | PROT_WRITE,
	};

	return mprotect(window.addr + (first << window.page_shift),
			nr << window.page_shift, prots[access]) ? -errno : 0;
}

/* Neighbours, from before the first to behind the last, that differ. */
static long edges_of(size_t first, size_t nr)
{
	const size_t end = first + nr;
	size_t i = first ? first : 1;
	long edges = 0;

	for (; i <= end; i++)
		edges += window.access[i - 1] != window.access[i];
	return edges;
}

/* Changes no state but of protections: the next touch of each page is seen. */
static void revoke_all(void)
{
	pthread_rwlock_wrlock(&window.protect_lock);
	if (!protect(0, window.region_pages, PAGE_NO_ACCESS)) {
		madvise(window.access, window.buddy[0].nr_pages,
			MADV_DONTNEED);
		atomic_store(&window.nr_edges, 0);
	}
	pthread_rwlock_unlock(&window.protect_lock);
}

static int protect_views(size_t first, size_t nr, enum page_access access)
{
	long before;
	int err;

	pthread_rwlock_rdlock(&window.protect_lock);
	before = edges_of(first, nr);
	err = protect(first, nr, access);
	if (!err) {
		memset(window.access + first, access, nr);
		atomic_fetch_add(&window.nr_edges,
				 edges_of(first, nr) - before);
	}
	pthread_rwlock_unlock(&window.protect_lock);
	return err;
}

/* All of a block, so that it is one mapping with what is before and behind. */
static int protect_one_view(size_t first, enum page_access access)
{
	const size_t nr = buddy_len(buddy_of(first), first - base_of(first));
	int err;

	err = protect(first, nr, access);
	if (!err) {
		memset(window.access + first, access, nr);
		return 0;
	}
	/* Too many mappings: access is left to all, or given to all. */
	if (access == PAGE_NO_ACCESS)
		return 0;
	return protect(window.region_pages, window.buddy[1].nr_pages, access);
}

/**
 * window_protect() - what the CPU may do with pages
 * @first: page
 * @nr: how many, all of one buffer; of one with one view, all that it has
 * @access: what
 *
 * Context: the buffer's lock is held.
 * Return: 0, or -ENOMEM (the process has too many mappings; the pages may have
 * lost access).
 */
int window_protect(size_t first, size_t nr, enum page_access access)
{
	int err;

	if (window.is_open)
		return 0;
	if (first >= window.region_pages)
		return protect_one_view(first, access);
	if (atomic_load(&window.nr_edges) > window.max_edges)
		revoke_all();
	err = protect_views(first, nr, access);
	if (!err)
		return 0;
	revoke_all();
	return protect_views(first, nr, access);
}

/**
 * window_access() - what the CPU may do with a page
 * @page: page
 *
 * Context: the lock of its buffer is held; unless access is taken from all.
 * Return: what window_protect() gave.
 */
enum page_access window_access(size_t page)
{
	return (enum page_access)__atomic_load_n(&window.access[page],
						 __ATOMIC_RELAXED);
}
