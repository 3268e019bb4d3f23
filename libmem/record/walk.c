// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A thread's stack, put down for `heapsim run`. It is part of what is preloaded
 * into programs (preload.c) and of libmem, and may run in any signal handler:
 * glibc's _dl_find_object() takes no lock, and so neither does the unwinder;
 * system calls are made past the C library, where a thread that was cancelled
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
 * stacks_init() - find out what program this is
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

static void text_copy(char *to, const char *from, size_t size)
{
	const size_t len = strnlen(from, size - 1);

	memcpy(to, from, len);
	to[len] = '\0';
}

/* The command reports it: nobody shall believe that the process was watched. */
static void refuse(struct stacks_header *header, const char *library)
{
	const uint32_t i = atomic_fetch_add(&header->nr_refusals, 1);
	struct stacks_refusal *refusal;

	if (i >= STACKS_NR_REFUSALS)
		return;
	refusal = &header->refusals[i];
	refusal->pid = (uint32_t)getpid();
	refusal->version = STACKS_VERSION;
	text_copy(refusal->library, library, sizeof(refusal->library));
	text_copy(refusal->program, exe_path, sizeof(refusal->program));
	atomic_store(&refusal->state, STACKS_READY);
}

/* Returns true if the file is of this version; else says so in its header. */
static bool is_ours(int fd, const char *library)
{
	struct stacks_header *header;
	struct stat status;
	bool ret = false;

	/* Seen from elsewhere the path may be of another file. */
	if (fstat(fd, &status) || status.st_size < (off_t)sizeof(*header))
		return false;
	header = mmap(NULL, sizeof(*header), PROT_READ | PROT_WRITE, MAP_SHARED,
		      fd, 0);
	if (header == MAP_FAILED)
		return false;
	if (header->magic == STACKS_MAGIC) {
		ret = header->version == STACKS_VERSION &&
		      status.st_size == sizeof(struct stacks);
		if (!ret && library)
			refuse(header, library);
	}
	munmap(header, sizeof(*header));
	return ret;
}

/**
 * stacks_map() - map the file
 * @path: of it, as STACKS_ENV has it
 * @library: name and version of the caller, for the report of a command that
 *	has another version of the file; NULL: none is made
 *
 * Context: any signal handler, after stacks_init().
 * Return: NULL if it cannot be opened or mapped, or is of another version.
 */
struct stacks *stacks_map(const char *path, const char *library)
{
	struct stacks *stacks = NULL;
	int fd;

	fd = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (is_ours(fd, library))
		stacks = mmap(NULL, sizeof(*stacks), PROT_READ | PROT_WRITE,
			      MAP_SHARED, fd, 0);
	syscall(SYS_close, fd);
	return stacks == MAP_FAILED ? NULL : stacks;
}

static uint64_t hash(const void *bytes, size_t len)
{
	const unsigned char *p = bytes;
	uint64_t h = 0xcbf29ce484222325ULL;	/* FNV-1a */

	while (len--)
		h = (h ^ *p++) * 0x100000001b3ULL;
	return h ^ h >> 32;
}

/* Number of a module, from 1; 0: there is no room. */
static uint64_t module_number(struct stacks *stacks, const char *path)
{
	size_t len = strlen(path), i;
	uint64_t at;

	if (len >= STACKS_PATH_LEN)
		return 0;
	at = hash(path, len);
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
 * struct line - of /proc/self/maps, while it is read
 * @start: where the mapping begins
 * @end: where it ends
 * @nr_numbers: of these that are read
 * @len: of @path so far; 0: it has not begun
 * @is_cut: the path is longer than @path
 * @path: of what is mapped
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
 * struct search - in /proc/self/maps; too much for a handler's stack
 * @line: the last that was read
 * @bytes: of the file, some lines at a time
 */
struct search {
	struct line line;
	char bytes[512];
};

/* What comes before the path has no slash, and begins with two numbers. */
static void line_take(struct line *line, char c)
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
 * Path of the file that is mapped there, empty: of none. False: that could not
 * be found out.
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
				line_take(line, bytes[i]);
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
 * Number of a library that the program opened by a relative path: it may have
 * changed its folder since, so the kernel is asked. The answer, if there was
 * one (a program may have no descriptor left for a while), is kept, with what
 * tells the library from another that takes its place.
 */
static uint64_t relative_number(struct stacks *stacks, uintptr_t address,
				const struct link_map *map)
{
	static _Atomic uint64_t known[64];
	const uint64_t what[] = {
		(uintptr_t)map, map->l_addr, (uintptr_t)map->l_ld,
		hash(map->l_name, strlen(map->l_name)),
	};
	const uint64_t h = hash(what, sizeof(what)) & STACKS_OFF_MASK;
	const size_t i = h % (sizeof(known) / sizeof(known[0]));
	const uint64_t seen = atomic_load(&known[i]);
	struct search *search;
	uint64_t number;
	bool is_answer;

	if (seen && (seen & STACKS_OFF_MASK) == h)
		return seen >> STACKS_MODULE_SHIFT;
	search = mmap(NULL, sizeof(*search), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (search == MAP_FAILED)
		return module_number(stacks, map->l_name);
	is_answer = maps_find(address, search);
	number = module_number(stacks, is_answer && search->line.len ?
				       search->line.path : map->l_name);
	munmap(search, sizeof(*search));
	if (is_answer)
		atomic_store(&known[i], number << STACKS_MODULE_SHIFT | h);
	return number;
}

static uint64_t frame_of(struct stacks *stacks, uintptr_t address)
{
	struct dl_find_object object;
	const struct link_map *map;
	uint64_t number;

	if (_dl_find_object((void *)address, &object))
		return address & STACKS_OFF_MASK;
	map = object.dlfo_link_map;
	if (!map->l_name[0])
		number = module_number(stacks, exe_path);
	else if (map->l_name[0] == '/')
		number = module_number(stacks, map->l_name);
	else
		number = relative_number(stacks, address, map);
	if (!number)
		return address & STACKS_OFF_MASK;
	return number << STACKS_MODULE_SHIFT |
	       (address - map->l_addr);
}

/**
 * stacks_frame() - a place in code as stacks have it
 * @stacks: the file
 * @ip: instruction
 *
 * Context: any signal handler, after stacks_init().
 * Return: a frame.
 */
uint64_t stacks_frame(struct stacks *stacks, uintptr_t ip)
{
	return frame_of(stacks, ip);
}

/* By so much a system call that is to be made again is set back. */
#if defined(__x86_64__)
#define CALL_LEN	2
#elif defined(__aarch64__)
#define CALL_LEN	4
#else
#error "How long is the instruction of a system call?"
#endif

/**
 * struct walk - a stack while it is walked
 * @stacks: the file
 * @from: where the thread was noted: frames before are those of our handler,
 *	and of others that were to run at the same time
 * @has_begun: that frame was met
 * @function: where that of the last frame begins, 0: not known
 * @nr_same: how many frames in a row are of it
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
 * Of a function that calls itself the first and the last frame are kept: every
 * way down a tree would be a place of its own, and a deep one would leave no
 * room for who began.
 */
static bool is_between(struct walk *walk, uintptr_t function)
{
	if (!function || function != walk->function)
		walk->nr_same = 0;
	walk->function = function;
	walk->nr_same++;
	return walk->nr_same > 2;
}

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *arg)
{
	struct walk *walk = arg;
	int is_exact = 0;
	uintptr_t ip = _Unwind_GetIPInfo(context, &is_exact);

	if (!walk->has_begun && ip != walk->from &&
	    !(is_exact && ip == walk->from - CALL_LEN))
		return _URC_NO_REASON;
	if (!ip)
		return _URC_END_OF_STACK;
	if (is_between(walk, _Unwind_GetRegionStart(context)))
		walk->nr--;
	if (walk->nr == STACKS_DEPTH)
		return _URC_END_OF_STACK;
	/* A caller's frame says where it goes on. */
	if (!is_exact)
		ip--;
	walk->has_begun = true;
	walk->frames[walk->nr++] = frame_of(walk->stacks, ip);
	return _URC_NO_REASON;
}

/* Index of the stack, or -1: there is no room. */
static long stack_number(struct stacks *stacks, const struct walk *walk)
{
	const size_t len = walk->nr * sizeof(walk->frames[0]);
	uint64_t at = hash(walk->frames, len);
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
	number = stack_number(stacks, walk);
	if (number >= 0)
		return number;
	atomic_fetch_add(&stacks->nr_lost, 1);
	return STACKS_NR_STACKS;
}

/**
 * stacks_put() - put the calling thread's stack down
 * @stacks: the file
 * @from: instruction at which it begins: where a signal came, or where a call
 *	returns to; 0: here
 *
 * Context: any signal handler, after stacks_init().
 * Return: index of the stack; STACKS_NR_STACKS: there is no such frame, or no
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
	_Unwind_Backtrace(step, &walk);
	return walk_put(stacks, &walk);
}

/**
 * stacks_put_at() - put down places in code as a stack
 * @stacks: the file
 * @ips: instructions, innermost first
 * @nr: how many, at most STACKS_DEPTH
 *
 * Context: any signal handler, after stacks_init().
 * Return: as stacks_put().
 */
uint32_t stacks_put_at(struct stacks *stacks, const uintptr_t *ips,
		       uint32_t nr)
{
	struct walk walk;

	for (walk.nr = 0; walk.nr < nr; walk.nr++)
		walk.frames[walk.nr] = frame_of(stacks, ips[walk.nr]);
	return walk_put(stacks, &walk);
}
