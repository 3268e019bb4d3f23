// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The address window: where all memory of the embedded backend lies, one for
 * the process.
 *
 * It has two regions, of buffers with two views and with one. DRAM is one
 * memfd, as long as both; the CPU view of the first region is another, of the
 * second DRAM itself. A byte has the same offset in the window, its alias and
 * its file, so that neighbours with the same protection are one mapping: the
 * kernel has a limit for those. Where protections differ from page to page all
 * the same, the first region is revoked as a whole now and then, which changes
 * nothing but that touches fault again.
 *
 * Places are given by buddies, in powers of two of pages, and live as long as
 * the process does: the window is made once.
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
#include <unistd.h>

#include "embedded.h"

#define REGION_MAX_LEN	(64ULL << 30)
#define REGION_MIN_LEN	(1ULL << 30)
#define MAX_ORDERS	32
#define NONE		UINT32_MAX

/* A limit of mappings is the process's: take a part of it. */
#define DEFAULT_MAX_MAPPINGS	65530
#define OUR_SHARE		4

/**
 * struct place - the first page of a block; all 0: it is no block's first
 * @buf: who has it; NULL: it is free
 * @next: of the free blocks of its order, page or NONE
 * @prev: the same
 * @order: log2 of its pages, plus 1
 */
struct place {
	struct embedded_buf *buf;
	uint32_t next;
	uint32_t prev;
	uint8_t order;
};

/**
 * struct region - a half of the window
 * @first: its first page
 * @nr_orders: the whole region is a block of the last
 * @free: by order, page or NONE
 */
struct region {
	size_t first;
	unsigned int nr_orders;
	uint32_t free[MAX_ORDERS];
};

static struct {
	uint8_t *addr;
	uint8_t *dram;		/* alias of both regions */
	uint8_t *cpu;		/* alias of the first one's CPU view */
	uint8_t *twin;		/* as long as that; no file */
	size_t len;
	size_t region_pages;
	uint32_t page_shift;
	int dram_fd;
	int cpu_fd;
	int before_fd;
	uint8_t *before;	/* alias of that */
	struct place *places;
	atomic_uintptr_t mark;	/* of a byte: 1 here, 0 in a child; 0 none */

	pthread_mutex_t lock;	/* places and regions, start */
	bool is_there;
	struct region regions[2];
	size_t free_pages;	/* of the machine's memory */

	/* read: protections change; write: all of a region do */
	pthread_rwlock_t protect_lock;
	uint8_t *access;	/* a page each, enum page_access */
	atomic_long nr_edges;	/* neighbours that differ */
	long max_edges;
} window = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.protect_lock = PTHREAD_RWLOCK_INITIALIZER,
	.dram_fd = -1,
	.cpu_fd = -1,
	.before_fd = -1,
};

static void *reserve(size_t len)
{
	void *addr = mmap(NULL, len, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return addr == MAP_FAILED ? NULL : addr;
}

/*
 * A child has no board; it would only keep our pages copied. A core would be as
 * long as the window.
 */
static int keep_private(void *addr, size_t len)
{
	return madvise(addr, len, MADV_DONTFORK) ||
	       madvise(addr, len, MADV_DONTDUMP) ? -errno : 0;
}

/* Sparse, zeroed memory of which little is ever touched. */
static void *table(size_t len)
{
	void *addr = mmap(NULL, len, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (addr == MAP_FAILED)
		return NULL;
	if (!keep_private(addr, len))
		return addr;
	munmap(addr, len);
	return NULL;
}

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

static int map_file(void *addr, size_t len, int prot, int fd, size_t off)
{
	if (mmap(addr, len, prot, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd,
		 (off_t)off) == MAP_FAILED)
		return -errno;
	return keep_private(addr, len);
}

static int file_create(const char *name, size_t len, int *fd)
{
	*fd = memfd_create(name, MFD_CLOEXEC);
	if (*fd < 0)
		return -errno;
	return ftruncate(*fd, (off_t)len) ? -errno : 0;
}

static void undo(size_t len)
{
	const size_t nr_pages = 2 * window.region_pages;

	release(window.addr, len);
	release(window.dram, len);
	release(window.cpu, len / 2);
	release(window.twin, len / 2);
	release(window.before, len / 2);
	release(window.places, nr_pages * sizeof(*window.places));
	release(window.access, nr_pages);
	if (window.dram_fd >= 0)
		close(window.dram_fd);
	if (window.cpu_fd >= 0)
		close(window.cpu_fd);
	if (window.before_fd >= 0)
		close(window.before_fd);
	window.addr = NULL;
	window.dram = NULL;
	window.cpu = NULL;
	window.twin = NULL;
	window.before = NULL;
	window.places = NULL;
	window.access = NULL;
	window.dram_fd = -1;
	window.cpu_fd = -1;
	window.before_fd = -1;
}

/* All reservations of one size, or -errno with nothing held. */
static int make(size_t region_len)
{
	const size_t len = 2 * region_len;
	const size_t nr_pages = len >> window.page_shift;
	int err;

	window.region_pages = nr_pages / 2;
	err = file_create("libmem-dram", len, &window.dram_fd);
	if (!err)
		err = file_create("libmem-cpu", region_len, &window.cpu_fd);
	/* As long as all: so have engines one offset for all files. */
	if (!err)
		err = file_create("libmem-before", len, &window.before_fd);
	if (err)
		goto err_undo;
	err = -ENOMEM;
	window.addr = reserve(len);
	window.dram = reserve(len);
	window.cpu = reserve(region_len);
	window.before = reserve(region_len);
	window.twin = table(region_len);
	window.places = table(nr_pages * sizeof(*window.places));
	window.access = table(nr_pages);
	if (!window.addr || !window.dram || !window.cpu || !window.twin ||
	    !window.before || !window.places || !window.access)
		goto err_undo;
	err = map_file(window.addr, region_len, PROT_NONE, window.cpu_fd, 0);
	if (!err)
		err = map_file(window.addr + region_len, region_len, PROT_NONE,
			       window.dram_fd, region_len);
	if (!err)
		err = map_file(window.dram, len, PROT_READ | PROT_WRITE,
			       window.dram_fd, 0);
	if (!err)
		err = map_file(window.cpu, region_len, PROT_READ | PROT_WRITE,
			       window.cpu_fd, 0);
	if (!err)
		err = map_file(window.before, region_len,
			       PROT_READ | PROT_WRITE, window.before_fd, 0);
	if (err)
		goto err_undo;
	window.len = len;
	return 0;

err_undo:
	undo(len);
	return err;
}

static void push(struct region *region, uint32_t page, unsigned int order)
{
	struct place *place = &window.places[page];

	*place = (struct place) {
		.next = region->free[order],
		.prev = NONE,
		.order = (uint8_t)(order + 1),
	};
	if (place->next != NONE)
		window.places[place->next].prev = page;
	region->free[order] = page;
}

static void pull(struct region *region, uint32_t page)
{
	struct place *place = &window.places[page];

	if (place->next != NONE)
		window.places[place->next].prev = place->prev;
	if (place->prev != NONE)
		window.places[place->prev].next = place->next;
	else
		region->free[place->order - 1] = place->next;
	*place = (struct place) { 0 };
}

static void region_init(struct region *region, size_t first)
{
	unsigned int order;

	region->first = first;
	region->nr_orders = 1 + (unsigned int)
		__builtin_ctzll(window.region_pages);
	for (order = 0; order < MAX_ORDERS; order++)
		region->free[order] = NONE;
	push(region, (uint32_t)first, region->nr_orders - 1);
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
	size_t len = REGION_MAX_LEN;

	if (getrlimit(RLIMIT_FSIZE, &limit))
		return len;
	while (len >= REGION_MIN_LEN && 2 * len > limit.rlim_cur)
		len /= 2;
	return len;
}

static int start(void)
{
	size_t region_len;
	int err = -ENOMEM;

	window.page_shift = (uint32_t)
		__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
	for (region_len = longest_region();
	     err == -ENOMEM && region_len >= REGION_MIN_LEN; region_len /= 2)
		err = make(region_len);
	if (err)
		return err;
	region_init(&window.regions[0], 0);
	region_init(&window.regions[1], window.region_pages);
	window.free_pages = (size_t)sysconf(_SC_PHYS_PAGES);
	window.max_edges = max_mappings() / OUR_SHARE;
	err = mark_make();
	if (!err)
		err = signals_init();
	if (err) {
		undo(window.len);
		window.len = 0;
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

static struct region *region_of(const struct embedded_buf *buf)
{
	return &window.regions[!buf->has_two_views];
}

static size_t block_pages(size_t page)
{
	return (size_t)1 << (window.places[page].order - 1);
}

/* A free block of @order; larger ones are split. */
static int take_block(struct region *region, unsigned int order, size_t *page)
{
	unsigned int have = order;
	uint32_t first;

	while (have < region->nr_orders && region->free[have] == NONE)
		have++;
	if (have >= region->nr_orders)
		return -ENOMEM;
	first = region->free[have];
	pull(region, first);
	while (have > order) {
		have--;
		push(region, first + (1U << have), have);
	}
	window.places[first].order = (uint8_t)(order + 1);
	*page = first;
	return 0;
}

/* With its buddy, if that is free, it is one of the next order. */
static void give_block(struct region *region, size_t page)
{
	unsigned int order = window.places[page].order - 1U;

	window.places[page] = (struct place) { 0 };
	while (order + 1 < region->nr_orders) {
		size_t buddy = region->first +
			       ((page - region->first) ^ ((size_t)1 << order));

		if (window.places[buddy].order != order + 1 ||
		    window.places[buddy].buf)
			break;
		pull(region, (uint32_t)buddy);
		if (buddy < page)
			page = buddy;
		order++;
	}
	push(region, (uint32_t)page, order);
}

static unsigned int order_of(size_t nr_pages)
{
	return nr_pages > 1 ? 64U - (unsigned int)
			      __builtin_clzll(nr_pages - 1) : 0;
}

/**
 * window_alloc() - a place for a buffer
 * @buf: with its kind of views and number of pages; gets its addresses
 *
 * The memory is zeroed. The CPU has no access to it. What follows the buffer
 * up to the next power of two is nobody's.
 *
 * Context: takes the window's lock; all signals blocked.
 * Return: 0, or -ENOMEM (all buffers would be more than the machine's memory,
 * or there is no room).
 */
int window_alloc(struct embedded_buf *buf)
{
	struct region *region = region_of(buf);
	int err = -ENOMEM;
	size_t off;

	pthread_mutex_lock(&window.lock);
	if (buf->nr_pages <= window.free_pages &&
	    buf->nr_pages <= window.region_pages)
		err = take_block(region, order_of(buf->nr_pages), &buf->first);
	if (!err) {
		window.places[buf->first].buf = buf;
		window.free_pages -= buf->nr_pages;
	}
	pthread_mutex_unlock(&window.lock);
	if (err)
		return err;
	off = buf->first << window.page_shift;
	buf->addr = window.addr + off;
	buf->dram = window.dram + off;
	buf->cpu = buf->has_two_views ? window.cpu + off : buf->dram;
	buf->twin = buf->has_two_views ? window.twin + off : NULL;
	return 0;
}

static void punch(int fd, size_t off, size_t len)
{
	/* All that fails it is a bug: the range is the file's. */
	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		      (off_t)off, (off_t)len))
		abort();
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

	pthread_mutex_lock(&window.lock);
	window.places[buf->first].buf = NULL;
	punch(window.dram_fd, off, len);
	if (buf->has_two_views) {
		punch(window.cpu_fd, off, len);
		punch(window.before_fd, off, len);
		madvise(buf->twin, len, MADV_DONTNEED);
	}
	give_block(region_of(buf), buf->first);
	window.free_pages += buf->nr_pages;
	pthread_mutex_unlock(&window.lock);
}

/* The first page of the block that a page is in. */
static size_t block_of(size_t page)
{
	const struct region *region =
		&window.regions[page >= window.region_pages];
	const size_t in = page - region->first;
	size_t first = page;
	unsigned int order;

	for (order = 0; window.places[first].order <= order; order++)
		first = region->first + (in >> (order + 1) << (order + 1));
	return first;
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
	first = block_of(page);
	buf = window.places[first].buf;
	if (buf && (page - first >= buf->nr_pages || !embedded_buf_try(buf)))
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
		.view_fd = window.dram_fd,
		.before_fd = window.before_fd,
	};
}

/**
 * window_map_host() - let memory of the application's be a buffer's
 * @buf: with one view
 * @host: pages
 * @len: bytes, whole pages, at most the buffer's
 *
 * Return: 0 or -ENOMEM, and nothing has changed.
 */
int window_map_host(const struct embedded_buf *buf, void *host, size_t len)
{
	if (mmap(host, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		 window.dram_fd, (off_t)window_off(buf)) == MAP_FAILED)
		return -ENOMEM;
	return 0;
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
		madvise(window.access, window.region_pages, MADV_DONTNEED);
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
	const size_t nr = block_pages(first);
	int err;

	err = protect(first, nr, access);
	if (!err) {
		memset(window.access + first, access, nr);
		return 0;
	}
	/* Too many mappings: access is left to all, or given to all. */
	if (access == PAGE_NO_ACCESS)
		return 0;
	return protect(window.region_pages, window.region_pages, access);
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
