// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Records a thread's stack for `heapsim run`. This file is part of the
 * preloaded library (preload.c) and of libmem, and runs in any signal handler:
 * glibc's _dl_find_object() takes no lock, and therefore the unwinder takes
 * none either. System calls bypass the C library, in which a cancelled thread
 * would end.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include "walk.h"

static char exe_path[STACKS_PATH_LEN];

/**
 * stacks_init() - find the path of this program
 *
 * Context: once, before stacks_put().
 * Return: 0 or -errno.
 */
int stacks_init(void)
{
	ssize_t len = readlink("/proc/self/exe", exe_path,
			       sizeof(exe_path) - 1);

	if (len < 0)
		return -errno;
	exe_path[len] = '\0';
	return 0;
}

static void walk_copy_text(char *to, const char *from, size_t size)
{
	const size_t len = strnlen(from, size - 1);

	memcpy(to, from, len);
	to[len] = '\0';
}

/* Records that the process is not watched, which the command then reports. */
static void stacks_refuse(struct stacks_header *header, const char *library)
{
	const uint32_t i = atomic_fetch_add(&header->nr_refusals, 1);
	struct stacks_refusal *refusal;

	if (i >= STACKS_NR_REFUSALS)
		return;
	refusal = &header->refusals[i];
	refusal->pid = (uint32_t)getpid();
	refusal->version = STACKS_VERSION;
	walk_copy_text(refusal->library, library, sizeof(refusal->library));
	walk_copy_text(refusal->program, exe_path, sizeof(refusal->program));
	atomic_store(&refusal->state, STACKS_READY);
}

/* Returns true if the file has this version; else records a refusal in it. */
static bool stacks_is_ours(int fd, const char *library)
{
	struct stacks_header *header;
	struct stat status;
	bool ret = false;

	/* In another mount namespace the path may name another file. */
	errno = EINVAL;
	if (fstat(fd, &status) || status.st_size < (off_t)sizeof(*header))
		return false;
	header = mmap(NULL, sizeof(*header), PROT_READ | PROT_WRITE, MAP_SHARED,
		      fd, 0);
	if (header == MAP_FAILED)
		return false;
	errno = EINVAL;
	if (header->magic == STACKS_MAGIC) {
		ret = header->version == STACKS_VERSION &&
		      status.st_size == sizeof(struct stacks);
		if (!ret)
			errno = EPROTO;
		if (!ret && library)
			stacks_refuse(header, library);
	}
	munmap(header, sizeof(*header));
	return ret;
}

/**
 * stacks_map() - map the file
 * @path: its path, from STACKS_ENV
 * @library: name and version of the caller, which a command with another
 *	version of the file reports; NULL: no refusal is recorded
 *
 * Context: any signal handler, after stacks_init().
 * Return: NULL and errno: it cannot be opened or mapped; EPROTO: it is of
 * another version; EINVAL: it is another file.
 */
struct stacks *stacks_map(const char *path, const char *library)
{
	struct stacks *stacks = NULL;
	int fd, error;

	fd = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (stacks_is_ours(fd, library))
		stacks = mmap(NULL, sizeof(*stacks), PROT_READ | PROT_WRITE,
			      MAP_SHARED, fd, 0);
	error = errno;
	syscall(SYS_close, fd);
	errno = error;
	return stacks == MAP_FAILED ? NULL : stacks;
}

static uint64_t stacks_hash(const void *bytes, size_t len)
{
	const unsigned char *p = bytes;
	uint64_t h = 0xcbf29ce484222325ULL;	/* FNV-1a */

	while (len--)
		h = (h ^ *p++) * 0x100000001b3ULL;
	return h ^ h >> 32;
}

/* Returns the number of a module, from 1, or 0 if there is no room. */
static uint64_t stacks_module_number(struct stacks *stacks, const char *path)
{
	size_t len = strlen(path), i;
	uint64_t at;

	if (len >= STACKS_PATH_LEN)
		return 0;
	at = stacks_hash(path, len);
	for (i = 0; i < STACKS_PROBES; i++, at++) {
		struct stacks_module *m =
			&stacks->modules[at % STACKS_NR_MODULES];
		uint32_t state = STACKS_FREE;

		if (atomic_compare_exchange_strong(&m->state, &state,
						   STACKS_BUSY)) {
			memcpy(m->path, path, len + 1);
			atomic_store(&m->state, STACKS_READY);
		} else if (state != STACKS_READY || strcmp(m->path, path)) {
			continue;
		}
		return at % STACKS_NR_MODULES + 1;
	}
	return 0;
}

/**
 * struct line - a line of /proc/self/maps that is being parsed
 * @start: first address of the mapping
 * @end: end of the mapping
 * @nr_numbers: how many of these two are parsed
 * @len: length of @path so far; 0: it has not begun
 * @is_cut: the path is longer than @path
 * @path: path of the mapped file
 */
struct line {
	uintptr_t start;
	uintptr_t end;
	int nr_numbers;
	size_t len;
	bool is_cut;
	char path[STACKS_PATH_LEN];
};

/**
 * struct search - a search in /proc/self/maps; too large for a handler's stack
 * @line: the last line that was parsed
 * @bytes: some lines of the file
 */
struct search {
	struct line line;
	char bytes[512];
};

/* A line begins with two numbers, and has no slash before the path. */
static void maps_take(struct line *line, char c)
{
	const uintptr_t digit = c <= '9' ? c - '0' : c - 'a' + 10;

	if (line->len || c == '/') {
		if (line->len < sizeof(line->path) - 1)
			line->path[line->len++] = c;
		else
			line->is_cut = true;
	} else if (c == '-' || c == ' ') {
		line->nr_numbers++;
	} else if (line->nr_numbers == 0) {
		line->start = line->start << 4 | digit;
	} else if (line->nr_numbers == 1) {
		line->end = line->end << 4 | digit;
	}
}

/*
 * Finds the path of the file that is mapped at an address; empty: none. Returns
 * false if /proc/self/maps could not be read.
 */
static bool maps_find(uintptr_t address, struct search *search)
{
	struct line *line = &search->line;
	char *bytes = search->bytes;
	bool is_found = false;
	long n, i;
	int fd;

	fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/maps",
		     O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	memset(line, 0, sizeof(*line));
	while (!is_found &&
	       (n = syscall(SYS_read, fd, bytes,
			      sizeof(search->bytes))) > 0) {
		for (i = 0; i < n && !is_found; i++) {
			if (bytes[i] != '\n') {
				maps_take(line, bytes[i]);
				continue;
			}
			is_found = line->start <= address &&
				   address < line->end;
			if (!is_found)
				memset(line, 0, sizeof(*line));
		}
	}
	syscall(SYS_close, fd);
	line->path[line->len] = '\0';
	return is_found && !line->is_cut;
}

/*
 * Returns the number of a library that the program opened by a relative path.
 * The program may have changed its directory since, so the path comes from
 * /proc/self/maps. If it could be read (the program may have no descriptor
 * left), it is kept, together with what distinguishes the library from another
 * that is loaded at its address later.
 */
static uint64_t stacks_relative_number(struct stacks *stacks, uintptr_t address,
				       const struct link_map *map)
{
	static _Atomic uint64_t known[64];
	const uint64_t what[] = {
		(uintptr_t)map, map->l_addr, (uintptr_t)map->l_ld,
		stacks_hash(map->l_name, strlen(map->l_name)),
	};
	const uint64_t h = stacks_hash(what, sizeof(what)) & STACKS_OFF_MASK;
	const size_t i = h % (sizeof(known) / sizeof(known[0]));
	const uint64_t seen = atomic_load(&known[i]);
	struct search *search;
	uint64_t number;
	bool is_found;

	if (seen && (seen & STACKS_OFF_MASK) == h)
		return seen >> STACKS_MODULE_SHIFT;
	search = mmap(NULL, sizeof(*search), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (search == MAP_FAILED)
		return stacks_module_number(stacks, map->l_name);
	is_found = maps_find(address, search);
	number = stacks_module_number(stacks, is_found && search->line.len ?
				       search->line.path : map->l_name);
	munmap(search, sizeof(*search));
	if (is_found)
		atomic_store(&known[i], number << STACKS_MODULE_SHIFT | h);
	return number;
}

static uint64_t stacks_frame_of(struct stacks *stacks, uintptr_t address)
{
	struct dl_find_object object;
	const struct link_map *map;
	uint64_t number;

	if (_dl_find_object((void *)address, &object))
		return address & STACKS_OFF_MASK;
	map = object.dlfo_link_map;
	if (!map->l_name[0])
		number = stacks_module_number(stacks, exe_path);
	else if (map->l_name[0] == '/')
		number = stacks_module_number(stacks, map->l_name);
	else
		number = stacks_relative_number(stacks, address, map);
	if (!number)
		return address & STACKS_OFF_MASK;
	return number << STACKS_MODULE_SHIFT |
	       (address - map->l_addr);
}

/**
 * stacks_frame() - convert an instruction to a frame
 * @stacks: the file
 * @ip: instruction
 *
 * Context: any signal handler, after stacks_init().
 * Return: a frame.
 */
uint64_t stacks_frame(struct stacks *stacks, uintptr_t ip)
{
	return stacks_frame_of(stacks, ip);
}

/* A system call that is restarted returns to this many bytes before. */
#if defined(__x86_64__)
#define CALL_LEN	2
#elif defined(__aarch64__)
#define CALL_LEN	4
#else
#error "How long is the instruction of a system call?"
#endif

/**
 * struct walk - a stack that is being walked
 * @stacks: the file
 * @from: instruction at which the stack begins: frames before it are those of
 *	our signal handler, and of other handlers that ran at the same time
 * @has_begun: the frame of @from was found
 * @function: start of the function of the last frame, 0: unknown
 * @nr_same: number of consecutive frames of @function
 * @nr: frames so far
 * @frames: as in struct stacks_stack
 */
struct walk {
	struct stacks *stacks;
	uintptr_t from;
	bool has_begun;
	uintptr_t function;
	uint32_t nr_same;
	uint32_t nr;
	uint64_t frames[STACKS_DEPTH];
};

/*
 * Of consecutive frames of one function, the first and the last are kept:
 * otherwise each path through a recursion would be a call site of its own, and
 * a deep one would leave no room for the outer callers.
 */
static bool walk_is_between(struct walk *walk, uintptr_t function)
{
	if (!function || function != walk->function)
		walk->nr_same = 0;
	walk->function = function;
	walk->nr_same++;
	return walk->nr_same > 2;
}

static _Unwind_Reason_Code walk_step(struct _Unwind_Context *context, void *arg)
{
	struct walk *walk = arg;
	int is_exact = 0;
	uintptr_t ip = _Unwind_GetIPInfo(context, &is_exact);

	if (!walk->has_begun && ip != walk->from &&
	    !(is_exact && ip == walk->from - CALL_LEN))
		return _URC_NO_REASON;
	if (!ip)
		return _URC_END_OF_STACK;
	if (walk_is_between(walk, _Unwind_GetRegionStart(context)))
		walk->nr--;
	if (walk->nr == STACKS_DEPTH)
		return _URC_END_OF_STACK;
	/* A caller's frame has the return address. */
	if (!is_exact)
		ip--;
	walk->has_begun = true;
	walk->frames[walk->nr++] = stacks_frame_of(walk->stacks, ip);
	return _URC_NO_REASON;
}

/* Returns the index of the stack, or -1 if there is no room. */
static long walk_stack_number(struct stacks *stacks, const struct walk *walk)
{
	const size_t len = walk->nr * sizeof(walk->frames[0]);
	uint64_t at = stacks_hash(walk->frames, len);
	size_t i;

	for (i = 0; i < STACKS_PROBES; i++, at++) {
		struct stacks_stack *s = &stacks->stacks[at % STACKS_NR_STACKS];
		uint32_t state = STACKS_FREE;

		if (atomic_compare_exchange_strong(&s->state, &state,
						   STACKS_BUSY)) {
			s->nr = walk->nr;
			memcpy(s->frames, walk->frames, len);
			atomic_store(&s->state, STACKS_READY);
		} else if (state != STACKS_READY || s->nr != walk->nr ||
			   memcmp(s->frames, walk->frames, len)) {
			continue;
		}
		return at % STACKS_NR_STACKS;
	}
	return -1;
}

static uint32_t walk_put(struct stacks *stacks, const struct walk *walk)
{
	long number;

	if (!walk->nr)
		return STACKS_NR_STACKS;
	number = walk_stack_number(stacks, walk);
	if (number >= 0)
		return number;
	atomic_fetch_add(&stacks->nr_lost, 1);
	return STACKS_NR_STACKS;
}

/**
 * stacks_put() - record the calling thread's stack
 * @stacks: the file
 * @from: instruction at which it begins: the one that a signal interrupted, or
 *	the return address of a call; 0: here
 *
 * Context: any signal handler, after stacks_init().
 * Return: index of the stack; STACKS_NR_STACKS if there is no such frame, or no
 * room.
 */
uint32_t stacks_put(struct stacks *stacks, uintptr_t from)
{
	struct walk walk;

	walk.stacks = stacks;
	walk.from = from;
	walk.has_begun = !from;
	walk.function = 0;
	walk.nr_same = 0;
	walk.nr = 0;
	_Unwind_Backtrace(walk_step, &walk);
	return walk_put(stacks, &walk);
}

/**
 * stacks_put_at() - record given instructions as a stack
 * @stacks: the file
 * @ips: instructions, innermost first
 * @nr: number of instructions, at most STACKS_DEPTH
 *
 * Context: any signal handler, after stacks_init().
 * Return: as stacks_put().
 */
uint32_t stacks_put_at(struct stacks *stacks, const uintptr_t *ips,
		       uint32_t nr)
{
	struct walk walk;

	for (walk.nr = 0; walk.nr < nr; walk.nr++)
		walk.frames[walk.nr] = stacks_frame_of(stacks, ips[walk.nr]);
	return walk_put(stacks, &walk);
}
