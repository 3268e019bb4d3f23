// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What the process has mapped, and what that is to somebody who touches it.
 * The heap is used by others of the process at the same time: all is in
 * mappings of its own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "process.h"

#define MAX_MAPPINGS	(1U << 17)
#define MAX_TEXT	(16UL << 20)

/* glibc's arenas but the first (malloc/arena.c): HEAP_MAX_SIZE, 64 bit. */
#define ARENA_LEN	(64UL << 20)

/* The whole text, ended; as much as there is room for. */
static void read_text(char *text)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t got;

	if (fd >= 0) {
		while (len < MAX_TEXT - 1 &&
		       (got = read(fd, text + len, MAX_TEXT - 1 - len)) > 0)
			len += (size_t)got;
		close(fd);
	}
	text[len] = '\0';
}

static bool is_guard(const struct mapping *mapping)
{
	return !mapping->is_readable && !mapping->is_writable;
}

/*
 * Thread stacks have a guard below them, and no name. So may what lies behind
 * an arena, which is told from them by where that ends.
 */
static bool is_thread_stack(const struct mapping *mapping,
			    const struct mapping *before)
{
	return before && before->at.end == mapping->at.start &&
	       is_guard(before) && !mapping->is_file && mapping->is_writable &&
	       !mapping->is_shared && mapping->at.start % ARENA_LEN;
}

static enum engine_place place_of(const struct mapping *mapping,
				  const char *name,
				  const struct mapping *before,
				  const struct objects *objects)
{
	const struct segment *segment;

	segment = objects ? objects_find(objects, mapping->at.start) : NULL;
	if (segment)
		return segment->is_writable ? ENGINE_HOST_GLOBAL :
					      ENGINE_HOST_CODE;
	if (!strncmp(name, "[stack", 6) || is_thread_stack(mapping, before))
		return ENGINE_HOST_STACK;
	if (is_guard(mapping))
		return ENGINE_UNKNOWN;
	if (!mapping->is_writable)
		return ENGINE_HOST_CODE;
	return ENGINE_HOST_HEAP;
}

/* start-end rwxp offset device inode name */
static void parse_line(char *line, struct mapping *mapping,
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
	for (field = 0, name = at; field < 4 && name; field++)
		name = strchr(name + 1, ' ');
	name = name ? name + strspn(name, " ") : "";
	mapping->is_brk = !strcmp(name, "[heap]");
	mapping->is_file = *name && strncmp(name, "[anon", 5);
	mapping->place = place_of(mapping, name, before, objects);
}

/**
 * mappings_read() - list them
 * @mappings: out: the list, for mappings_free()
 * @objects: what is loaded
 *
 * Return: 0, or -ENOMEM.
 */
int mappings_read(struct mappings *mappings, const struct objects *objects)
{
	const size_t list_len = MAX_MAPPINGS * sizeof(*mappings->at);
	const size_t len = list_len + MAX_TEXT;
	struct mapping *before = NULL;
	char *area, *line, *end;

	area = mmap(NULL, len, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (area == MAP_FAILED)
		return -ENOMEM;
	mappings->at = (struct mapping *)area;
	mappings->nr = 0;
	mappings->area = area;
	mappings->area_len = len;
	read_text(area + list_len);
	for (line = area + list_len;
	     (end = strchr(line, '\n')) && mappings->nr < MAX_MAPPINGS;
	     line = end + 1) {
		*end = '\0';
		parse_line(line, &mappings->at[mappings->nr], before, objects);
		before = &mappings->at[mappings->nr++];
	}
	madvise(area + list_len, MAX_TEXT, MADV_DONTNEED);
	return 0;
}

/**
 * mappings_free() - forget them
 * @mappings: list; may be empty
 */
void mappings_free(struct mappings *mappings)
{
	if (mappings->area_len)
		munmap(mappings->area, mappings->area_len);
	mappings->area_len = 0;
	mappings->nr = 0;
}

/**
 * mappings_place() - what an address is
 * @mappings: list
 * @addr: any
 *
 * Context: any, signal handlers too.
 * Return: what it is in.
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
