// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the place of a thread that cannot write its stack: in a static program,
 * in one whose environment was cleared, or in one that blocks all signals. As
 * long as the process exists, /proc/PID/maps shows the mapped file, and other
 * files show why no library was preloaded.
 */
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outside.h"
#include "symbol.h"

#define MAX_PROCESSES	64	/* whose maps are cached */
#define MAX_PLACES	65536

#define PRELOADED	"/libheapsim-preload.so"

/**
 * struct map - a mapped part of a file in a process
 * @start: first address
 * @end: address after the last
 * @off: offset in the file, bytes
 * @path: path of the file
 */
struct map {
	uint64_t start;
	uint64_t end;
	uint64_t off;
	char *path;
};

/**
 * struct process - maps of a process when it was last read
 * @pid: process; 0: the entry is unused
 * @maps: array of @nr maps
 * @nr: number of maps
 * @why: reason why the process writes no stacks
 */
struct process {
	pid_t pid;
	struct map *maps;
	size_t nr;
	enum outside_why why;
};

/**
 * struct where - a place in a file
 * @path: path of the file; NULL: unknown
 * @off: offset in the file; if it is unknown, an address
 */
struct where {
	char *path;
	uint64_t off;
};

/**
 * struct outside - cache of processes and places
 * @program: the program that is run, with maps if its addresses are fixed
 * @processes: the processes that were read last
 * @next: index in @processes that is replaced next
 * @places: array of @nr places
 * @nr: number of places
 */
struct outside {
	struct process program;
	struct process processes[MAX_PROCESSES];
	size_t next;
	struct where *places;
	long nr;
};

/**
 * outside_open() - make an empty cache
 *
 * Return: for outside_close(); NULL without memory.
 */
struct outside *outside_open(void)
{
	return calloc(1, sizeof(struct outside));
}

static void process_forget(struct process *process)
{
	size_t i;

	for (i = 0; i < process->nr; i++)
		free(process->maps[i].path);
	free(process->maps);
	memset(process, 0, sizeof(*process));
}

/**
 * outside_close() - free a cache
 * @outside: may be NULL
 */
void outside_close(struct outside *outside)
{
	size_t i;

	if (!outside)
		return;
	for (i = 0; i < MAX_PROCESSES; i++)
		process_forget(&outside->processes[i]);
	process_forget(&outside->program);
	while (outside->nr)
		free(outside->places[--outside->nr].path);
	free(outside->places);
	free(outside);
}

static void process_add_map(struct process *process, const struct map *map,
			    const char *path)
{
	struct map *more = reallocarray(process->maps, process->nr + 1,
					sizeof(*more));

	if (!more)
		return;
	process->maps = more;
	more[process->nr] = *map;
	more[process->nr].path = strdup(path);
	if (more[process->nr].path)
		process->nr++;
}

/* Returns true if the file has an interpreter: the program is dynamic. */
static bool elf_has_interpreter(Elf *elf)
{
	size_t nr = 0, i;

	if (elf_getphdrnum(elf, &nr))
		return true;
	for (i = 0; i < nr; i++) {
		GElf_Phdr mem, *p = gelf_getphdr(elf, i, &mem);

		if (p && p->p_type == PT_INTERP)
			return true;
	}
	return false;
}

static Elf *elf_open(const char *path, int *fd)
{
	elf_version(EV_CURRENT);
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	return *fd < 0 ? NULL : elf_begin(*fd, ELF_C_READ, NULL);
}

static void elf_close(Elf *elf, int fd)
{
	elf_end(elf);
	if (fd >= 0)
		close(fd);
}

static bool process_is_static(pid_t pid)
{
	char path[32];
	bool ret;
	Elf *elf;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	elf = elf_open(path, &fd);
	ret = elf && elf_kind(elf) == ELF_K_ELF && !elf_has_interpreter(elf);
	elf_close(elf, fd);
	return ret;
}

/* Returns true if the kernel set AT_SECURE for the dynamic linker. */
static bool process_is_secure(pid_t pid)
{
	unsigned long entry[2] = { AT_NULL };
	bool ret = false;
	char path[32];
	FILE *auxv;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)pid);
	auxv = fopen(path, "re");
	if (!auxv)
		return false;
	while (fread(entry, sizeof(entry), 1, auxv) == 1 && entry[0] != AT_NULL)
		if (entry[0] == AT_SECURE)
			ret = entry[1];
	fclose(auxv);
	return ret;
}

/* Returns true if the process may not open a descriptor of this process. */
static bool process_has_other_rights(pid_t pid)
{
	struct stat status;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return !stat(path, &status) && (status.st_uid != geteuid() ||
					status.st_gid != getegid());
}

static bool process_is_preloaded(const struct process *process)
{
	size_t i;

	for (i = 0; i < process->nr; i++)
		if (strstr(process->maps[i].path, PRELOADED))
			return true;
	return false;
}

/* Returns true if the process's initial environment names the library. */
static bool process_names_library(pid_t pid)
{
	char path[32], *text = NULL;
	size_t size = 0;
	bool ret = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (!ret && getdelim(&text, &size, '\0', file) > 0)
		ret = !strncmp(text, "LD_PRELOAD=", 11) &&
		      strstr(text, PRELOADED);
	free(text);
	fclose(file);
	return ret;
}

/* Returns why a process that has not mapped the file cannot write stacks. */
static enum outside_why process_why(const struct process *process)
{
	const bool is_other = process_has_other_rights(process->pid);

	if (process_is_preloaded(process))
		return is_other ? OUTSIDE_NO_RIGHTS : OUTSIDE_UNKNOWN;
	if (process_is_static(process->pid))
		return OUTSIDE_STATIC;
	if (process_is_secure(process->pid))
		return OUTSIDE_SECURE;
	return is_other && process_names_library(process->pid) ?
	       OUTSIDE_NO_RIGHTS : OUTSIDE_NOT_PRELOADED;
}

/* Reads a process; the result has no maps if the process has ended. */
static struct process process_read(pid_t pid)
{
	struct process process = { .pid = pid };
	char name[32], *line = NULL;
	bool has_file = false;
	size_t size = 0;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	maps = fopen(name, "re");
	while (maps && getline(&line, &size, maps) > 0) {
		struct map map = { 0 };
		int at = 0;

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*2cx%*c %" SCNx64
			   " %*s %*s %n", &map.start, &map.end, &map.off,
			   &at) == 3 && at && line[at] == '/')
			process_add_map(&process, &map, line + at);
		has_file |= !!strstr(line, "/memfd:heapsim-stacks");
	}
	free(line);
	if (maps)
		fclose(maps);
	if (process.nr && !has_file)
		process.why = process_why(&process);
	return process;
}

static const struct map *process_find_map(const struct process *process,
					  uint64_t ip)
{
	size_t i;

	for (i = 0; i < process->nr; i++)
		if (process->maps[i].start <= ip && ip < process->maps[i].end)
			return &process->maps[i];
	return NULL;
}

/* Returns a cached process, or NULL. */
static struct process *outside_find_process(struct outside *outside, pid_t pid)
{
	size_t i;

	for (i = 0; i < MAX_PROCESSES; i++)
		if (outside->processes[i].pid == pid)
			return &outside->processes[i];
	return NULL;
}

/* Reads a process again; if it has ended, returns the cached one or NULL. */
static struct process *outside_update_process(struct outside *outside,
					      pid_t pid)
{
	struct process *process = outside_find_process(outside, pid);
	const struct process now = process_read(pid);

	if (!now.nr)
		return process;
	if (!process)
		process = &outside->processes[outside->next++ % MAX_PROCESSES];
	process_forget(process);
	*process = now;
	return process;
}

static const struct map *outside_find_map(struct outside *outside, pid_t pid,
					  uint64_t ip)
{
	const struct process *process = outside_find_process(outside, pid);
	const struct map *map = process ? process_find_map(process, ip) : NULL;

	if (map)
		return map;
	/* The process is new, has mapped more since, or has a reused number. */
	process = outside_update_process(outside, pid);
	map = process ? process_find_map(process, ip) : NULL;
	/*
	 * A process that has ended already most likely ran the program itself.
	 */
	return map ? map : process_find_map(&outside->program, ip);
}

/* The library is preloaded into a setuid program if its owner starts it. */
static enum outside_why outside_why_program(const char *path, Elf *elf)
{
	struct stat status;

	if (elf_kind(elf) == ELF_K_ELF && !elf_has_interpreter(elf))
		return OUTSIDE_STATIC;
	if (!stat(path, &status) &&
	    ((status.st_mode & S_ISUID && status.st_uid != getuid()) ||
	     (status.st_mode & S_ISGID && status.st_gid != getgid())))
		return OUTSIDE_SECURE;
	return OUTSIDE_GONE;
}

/**
 * outside_set_program() - set the program that is run
 * @outside: cache
 * @path: path of the program
 *
 * A static program, which cannot write stacks, mostly has fixed addresses. Then
 * its places are found even if the process ends too soon to be read.
 */
void outside_set_program(struct outside *outside, const char *path)
{
	struct map map = { 0 };
	GElf_Ehdr header;
	size_t nr = 0, i;
	Elf *elf;
	int fd;

	elf = elf_open(path, &fd);
	if (!elf || !gelf_getehdr(elf, &header) || header.e_type != ET_EXEC ||
	    elf_getphdrnum(elf, &nr))
		nr = 0;
	for (i = 0; i < nr; i++) {
		GElf_Phdr mem, *p = gelf_getphdr(elf, i, &mem);

		if (!p || p->p_type != PT_LOAD)
			continue;
		map.start = p->p_vaddr;
		map.end = p->p_vaddr + p->p_filesz;
		map.off = p->p_offset;
		process_add_map(&outside->program, &map, path);
	}
	if (elf)
		outside->program.why = outside_why_program(path, elf);
	elf_close(elf, fd);
}

/**
 * outside_find() - find the place of an address in a process
 * @outside: cache
 * @pid: process
 * @ip: address in it
 *
 * Return: number of the place, equal for equal places; -1 if out of memory.
 */
long outside_find(struct outside *outside, pid_t pid, uint64_t ip)
{
	const struct map *map = outside_find_map(outside, pid, ip);
	const uint64_t off = map ? ip - map->start + map->off : ip;
	struct where *more;
	long i;

	for (i = 0; i < outside->nr; i++) {
		const struct where *w = &outside->places[i];

		if (w->off == off && !w->path == !map &&
		    (!map || !strcmp(w->path, map->path)))
			return i;
	}
	if (outside->nr == MAX_PLACES)
		return -1;
	more = reallocarray(outside->places, outside->nr + 1, sizeof(*more));
	if (!more)
		return -1;
	outside->places = more;
	more[i].off = off;
	more[i].path = map ? strdup(map->path) : NULL;
	if (map && !more[i].path)
		return -1;
	outside->nr++;
	return i;
}

/**
 * outside_at() - return a place
 * @outside: cache
 * @place: number from outside_find()
 * @symbols: symbols of the place's file
 * @address: out: address for symbols_find()
 *
 * Return: path of the file, or NULL if @address is one in the process.
 */
const char *outside_at(struct outside *outside, long place,
		       struct symbols *symbols, uint64_t *address)
{
	const struct where *w = &outside->places[place];

	*address = w->path ? symbols_address(symbols, w->path, w->off) : w->off;
	return w->path;
}

/**
 * outside_why() - find out why a process has written no stack
 * @outside: cache
 * @pid: process
 *
 * Return: the reason; OUTSIDE_UNKNOWN if the process could have written one.
 */
enum outside_why outside_why(struct outside *outside, pid_t pid)
{
	const struct process *process = outside_find_process(outside, pid);

	/* The process may have mapped the file since it was read. */
	if (!process || process->why == OUTSIDE_NO_RIGHTS)
		process = outside_update_process(outside, pid);
	return process ? process->why : outside->program.why;
}

/**
 * outside_stat() - read the state and the parent of a process or thread
 * @path: path of its file stat below /proc
 * @state: out: letter of the state, see proc(5)
 * @parent: out: pid of the parent
 *
 * Return: false if the process or thread has ended.
 */
bool outside_stat(const char *path, char *state, int *parent)
{
	char line[512] = "";
	const char *end = NULL;
	FILE *file = fopen(path, "re");

	if (!file)
		return false;
	/* A process chooses its name, which may contain a parenthesis. */
	if (fgets(line, sizeof(line), file))
		end = strrchr(line, ')');
	fclose(file);
	return end && sscanf(end, ") %c %d", state, parent) == 2;
}

/**
 * outside_is_running() - check if a thread runs or waits for a processor
 * @pid: process of the thread
 * @tid: number of the thread
 *
 * Return: false if it has ended, is stopped, or is in a sleep that a signal can
 * interrupt.
 */
bool outside_is_running(pid_t pid, pid_t tid)
{
	char path[64], state;
	int parent;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid,
		 (int)tid);
	return outside_stat(path, &state, &parent) &&
	       (state == 'R' || state == 'D');
}

/**
 * outside_why_name() - name a reason for the report for programs
 * @why: reason from outside_why()
 *
 * Return: static string.
 */
const char *outside_why_name(enum outside_why why)
{
	static const char *const names[] = {
		[OUTSIDE_UNKNOWN] = "no",
		[OUTSIDE_STATIC] = "static",
		[OUTSIDE_SECURE] = "setuid",
		[OUTSIDE_NOT_PRELOADED] = "not-preloaded",
		[OUTSIDE_NO_RIGHTS] = "no-rights",
		[OUTSIDE_GONE] = "ended",
	};

	return names[why];
}
