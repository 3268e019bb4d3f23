// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The list of the process's mappings, and what an address in them is. The list
 * is not in the heap, which other threads use at the same time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "process.h"

#define LIST_LEN	(MAPPINGS_LEN / 5)
#define MAX_MAPPINGS	(LIST_LEN / sizeof(struct mapping))
#define MAX_TEXT	(MAPPINGS_LEN - LIST_LEN)

#define MAX_GUARD	(128UL << 10)

/* Reads the whole text, terminated, as far as it fits. */
static int mappings_read_text(char *text)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t got;

	if (fd < 0)
		return -errno;
	while (len < MAX_TEXT - 1 &&
	       (got = read(fd, text + len, MAX_TEXT - 1 - len)) > 0)
		len += (size_t)got;
	close(fd);
	text[len] = '\0';
	return 0;
}

static bool mapping_has_no_access(const struct mapping *mapping)
{
	return !mapping->is_readable && !mapping->is_writable;
}

/*
 * Returns true for a thread's stack: it has a guard below it, and no name. The
 * unused rest of an arena, and reserved addresses, are longer than a guard.
 */
static bool mapping_is_thread_stack(const struct mapping *mapping,
				    const struct mapping *before)
{
	return before && before->at.end == mapping->at.start &&
	       mapping_has_no_access(before) &&
	       before->at.end - before->at.start <= MAX_GUARD &&
	       !mapping->is_file && mapping->is_writable && !mapping->is_shared;
}

static enum engine_place mapping_place_of(const struct mapping *mapping,
					  const char *name,
					  const struct mapping *before,
					  const struct objects *objects)
{
	const struct segment *segment;

	segment = objects ? objects_find(objects, mapping->at.start) : NULL;
	if (segment)
		return segment->is_writable ? ENGINE_HOST_GLOBAL :
					      ENGINE_HOST_CODE;
	if (!strncmp(name, "[stack", 6) ||
	    mapping_is_thread_stack(mapping, before))
		return ENGINE_HOST_STACK;
	if (mapping_has_no_access(mapping))
		return ENGINE_UNKNOWN;
	if (!mapping->is_writable)
		return ENGINE_HOST_CODE;
	return ENGINE_HOST_HEAP;
}

/* Parses "offset major:minor inode". */
static void mapping_parse_file(const char *text, struct mapping *mapping)
{
	unsigned int major, minor;
	char *at;

	mapping->off = strtoul(text, &at, 16);
	major = (unsigned int)strtoul(at, &at, 16);
	minor = (unsigned int)strtoul(at + 1, &at, 16);
	mapping->dev = makedev(major, minor);
	mapping->ino = strtoul(at, NULL, 10);
}

/* Parses "start-end rwxp offset device inode name". */
static void mapping_parse(char *line, struct mapping *mapping,
			  const struct mapping *before,
			  const struct objects *objects)
{
	char *name = line, *at = line;
	int field;

	mapping->at.start = strtoul(at, &at, 16);
	mapping->at.end = strtoul(at + 1, &at, 16);
	mapping->is_readable = at[1] == 'r';
	mapping->is_writable = at[2] == 'w';
	mapping->is_shared = at[4] == 's';
	mapping_parse_file(at + 5, mapping);
	for (field = 0, name = at; field < 4 && name; field++)
		name = strchr(name + 1, ' ');
	name = name ? name + strspn(name, " ") : "";
	mapping->is_brk = !strcmp(name, "[heap]");
	mapping->grows = !strcmp(name, "[stack]");
	mapping->is_file = *name && strncmp(name, "[anon", 5);
	mapping->place = mapping_place_of(mapping, name, before, objects);
}

/**
 * mappings_read() - list the mappings
 * @mappings: out: list
 * @area: MAPPINGS_LEN zeroed bytes for the list
 * @objects: loaded objects
 *
 * Return: 0, or -errno if /proc/self/maps cannot be opened: the list is empty.
 */
int mappings_read(struct mappings *mappings, void *area,
		  const struct objects *objects)
{
	char *text = (char *)area + LIST_LEN, *line, *end;
	struct mapping *before = NULL;
	int err = mappings_read_text(text);

	mappings->at = area;
	mappings->nr = 0;
	for (line = text;
	     (end = strchr(line, '\n')) && mappings->nr < MAX_MAPPINGS;
	     line = end + 1) {
		*end = '\0';
		mapping_parse(line, &mappings->at[mappings->nr], before,
			      objects);
		before = &mappings->at[mappings->nr++];
	}
	madvise(text, MAX_TEXT, MADV_DONTNEED);
	return err;
}

/**
 * mappings_place() - return what an address is
 * @mappings: list
 * @addr: any address
 *
 * Context: any, also a signal handler.
 * Return: enum engine_place.
 */
enum engine_place mappings_place(const struct mappings *mappings,
				 uintptr_t addr)
{
	size_t low = 0, high = mappings->nr, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (addr < mappings->at[middle].at.start)
			high = middle;
		else if (addr >= mappings->at[middle].at.end)
			low = middle + 1;
		else
			return mappings->at[middle].place;
	}
	return ENGINE_UNKNOWN;
}

/**
 * mappings_get() - list the mappings, in pages that are not in the heap
 *
 * Context: any thread.
 * Return: the list, for mappings_put(), or NULL.
 */
struct mappings *mappings_get(void)
{
	const size_t head_len = (size_t)getpagesize();
	struct mappings *mappings;

	mappings = mmap(NULL, head_len + MAPPINGS_LEN, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mappings == MAP_FAILED)
		return NULL;
	if (!mappings_read(mappings, (char *)mappings + head_len, NULL))
		return mappings;
	mappings_put(mappings);
	return NULL;
}

/**
 * mappings_put() - free a list of mappings_get()
 * @mappings: list, or NULL, which does nothing
 */
void mappings_put(struct mappings *mappings)
{
	if (mappings)
		munmap(mappings, (size_t)getpagesize() + MAPPINGS_LEN);
}

/**
 * mappings_nr() - count the mappings of a list
 * @mappings: list, or NULL
 *
 * Return: the number; 0 if there is no list.
 */
size_t mappings_nr(const struct mappings *mappings)
{
	return mappings ? mappings->nr : 0;
}

/* Returns the first mapping that ends after an address, or NULL. */
static const struct mapping *mappings_after(const struct mappings *mappings,
					    uintptr_t addr)
{
	size_t low = 0, high = mappings->nr, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (mappings->at[middle].at.end <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < mappings->nr ? &mappings->at[low] : NULL;
}

/**
 * mappings_run_of() - find out how much of a file is still mapped at an address
 * @mappings: list
 * @at: range
 * @file: file
 * @off: offset in @file that belongs to the range's start
 * @is_there: out: @file is mapped at the range's start, at this offset. True if
 *	the list does not reach to that address
 *
 * Return: bytes from the range's start on for which @is_there holds.
 */
size_t mappings_run_of(const struct mappings *mappings, const struct range *at,
		       const struct own_fd *file, uint64_t off, bool *is_there)
{
	const struct mapping *found = mappings_after(mappings, at->start);
	uintptr_t end = at->end;

	*is_there = !found ||
		    (found->at.start <= at->start && found->is_shared &&
		     found->dev == file->dev && found->ino == file->ino &&
		     found->off + (at->start - found->at.start) == off);
	if (found && found->at.start > at->start && found->at.start < end)
		end = found->at.start;
	else if (found && found->at.start <= at->start && found->at.end < end)
		end = found->at.end;
	return end - at->start;
}

/* Checks the mappings from @start to @end, which must have no hole. */
static bool mappings_are_own(const struct mappings *mappings, uintptr_t start,
			     uintptr_t end)
{
	size_t i;

	for (i = 0; i < mappings->nr && start < end; i++) {
		const struct mapping *mapping = &mappings->at[i];

		if (mapping->at.end <= start)
			continue;
		if (mapping->at.start > start || mapping->is_shared ||
		    !mapping->is_readable || !mapping->is_writable)
			return false;
		start = mapping->at.end;
	}
	return start >= end;
}

static const struct mapping *mappings_find(const struct mappings *mappings,
					   uintptr_t addr)
{
	size_t i;

	for (i = 0; i < mappings->nr; i++)
		if (addr >= mappings->at[i].at.start &&
		    addr < mappings->at[i].at.end)
			return &mappings->at[i];
	return NULL;
}

/*
 * Returns true if the address is in glibc's heap, where no thread's stack or
 * struct is.
 */
static bool mappings_is_in_heap(const struct mappings *mappings, uintptr_t addr)
{
	const uintptr_t page_mask = (uintptr_t)getpagesize() - 1;
	const uintptr_t base = addr / ARENA_LEN * ARENA_LEN;
	const struct mapping *mapping = mappings_find(mappings, addr);

	if (mapping && mapping->is_brk)
		return !drop_is_near_first(addr, addr + 1);
	mapping = mappings_find(mappings, base);
	return mapping && mapping->at.start == base && mapping->is_writable &&
	       drop_is_arena(base, page_mask);
}

/*
 * Returns true if stores to the page of @addr may wait in the handler of
 * SIGSEGV. No thread may need the page for the handler to run: the kernel
 * stores a signal's frame to the stack, and some data to the C library's
 * struct of a thread.
 */
static bool mappings_can_hold_back(const struct mappings *mappings,
				   uintptr_t addr)
{
	const uintptr_t page_len = (uintptr_t)getpagesize();
	const uintptr_t start = addr / page_len * page_len;
	const struct range page = { start, start + page_len };

	return mappings_is_in_heap(mappings, addr) ||
	       !threads_use(mappings, &page);
}

/**
 * mappings_check_own() - check for private memory that is readable and writable
 * @start: first byte
 * @end: address after the last byte
 * @can_hold_back: out: stores to its first and its last page may wait in the
 *	handler of SIGSEGV
 * @grows: out: its first byte is in the first thread's stack
 *
 * The cost grows with the number of mappings, and of threads.
 *
 * Context: any thread.
 * Return: 0, -EINVAL (a part of it is not mapped, is shared, or cannot be read
 * or stored to), -ENOMEM, or as mappings_read().
 */
int mappings_check_own(uintptr_t start, uintptr_t end, bool *can_hold_back,
		       bool *grows)
{
	const struct mapping *mapping;
	struct mappings mappings;
	void *area;
	int err;

	area = mmap(NULL, MAPPINGS_LEN, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (area == MAP_FAILED)
		return -ENOMEM;
	err = mappings_read(&mappings, area, NULL);
	/* These addresses were not mapped before this call. */
	if (!err && ((end > (uintptr_t)area &&
		      start < (uintptr_t)area + MAPPINGS_LEN) ||
		     !mappings_are_own(&mappings, start, end)))
		err = -EINVAL;
	*can_hold_back = !err && mappings_can_hold_back(&mappings, start) &&
			 mappings_can_hold_back(&mappings, end - 1);
	mapping = mappings_find(&mappings, start);
	*grows = mapping && mapping->grows;
	munmap(area, MAPPINGS_LEN);
	return err;
}
