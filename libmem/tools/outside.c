// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a thread is that cannot say so itself: a static program, one whose
 * environment was cleared, or one that blocks all signals. Of these
 * /proc/PID/maps tells the module, while the process lives.
 */
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "outside.h"
#include "symbol.h"

#define MAX_PROCESSES	64	/* that are remembered */
#define MAX_PLACES	65536

/**
 * struct map - a part of a module in a process
 * @start: address
 * @end: after it
 * @off: in the file, bytes
 * @path: of the module
 */
struct map {
	uint64_t start;
	uint64_t end;
	uint64_t off;
	char *path;
};

/**
 * struct process - what was mapped in it when it was looked at
 * @pid: its number; 0: nobody
 * @maps: array
 * @nr: how many
 */
struct process {
	pid_t pid;
	struct map *maps;
	size_t nr;
};

/**
 * struct where - a place in a module
 * @path: of the module, NULL unknown
 * @off: in the file; without a module an address
 */
struct where {
	char *path;
	uint64_t off;
};

/**
 * struct outside - what was seen
 * @program: the one that is run, if it lies where its file says
 * @processes: that were looked at last
 * @next: of them, which is forgotten for a new one
 * @places: array
 * @nr: how many
 */
struct outside {
	struct process program;
	struct process processes[MAX_PROCESSES];
	size_t next;
	struct where *places;
	long nr;
};

/**
 * outside_open() - begin to look
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
 * outside_close() - forget what was seen
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

static void map_add(struct process *process, const struct map *map,
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

static void process_look(struct process *process, pid_t pid)
{
	char name[32], *line = NULL;
	size_t size = 0;
	FILE *maps;

	process_forget(process);
	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	maps = fopen(name, "re");
	if (!maps)
		return;
	process->pid = pid;
	while (getline(&line, &size, maps) > 0) {
		struct map map = { 0 };
		int at = 0;

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*2cx%*c %" SCNx64
			   " %*s %*s %n", &map.start, &map.end, &map.off,
			   &at) == 3 && at && line[at] == '/')
			map_add(process, &map, line + at);
	}
	free(line);
	fclose(maps);
}

static const struct map *map_find(const struct process *process, uint64_t ip)
{
	size_t i;

	for (i = 0; i < process->nr; i++)
		if (process->maps[i].start <= ip && ip < process->maps[i].end)
			return &process->maps[i];
	return NULL;
}

static const struct map *look(struct outside *outside, pid_t pid, uint64_t ip)
{
	struct process *process = NULL;
	const struct map *map;
	size_t i;

	for (i = 0; i < MAX_PROCESSES && !process; i++)
		if (outside->processes[i].pid == pid)
			process = &outside->processes[i];
	if (!process)
		process = &outside->processes[outside->next % MAX_PROCESSES];
	map = process->pid == pid ? map_find(process, ip) : NULL;
	if (map)
		return map;
	/* New to us, or it has mapped something since, or is another one. */
	process_look(process, pid);
	outside->next += process->nr > 0;
	map = map_find(process, ip);
	/* One that is gone already was most likely the program itself. */
	return map || process->nr ? map : map_find(&outside->program, ip);
}

/**
 * outside_set_program() - say what is run
 * @outside: from outside_open()
 * @path: of the program
 *
 * A static program, which can put no stack down, mostly has fixed addresses:
 * then it need not be looked at while it lives.
 */
void outside_set_program(struct outside *outside, const char *path)
{
	struct map map = { 0 };
	GElf_Ehdr header;
	size_t nr = 0, i;
	Elf *elf;
	int fd;

	elf_version(EV_CURRENT);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
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
		map_add(&outside->program, &map, path);
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
}

/**
 * outside_find() - where a process is
 * @outside: from outside_open()
 * @pid: process
 * @ip: address in it
 *
 * Return: number of the place, the same for the same one; -1 no memory.
 */
long outside_find(struct outside *outside, pid_t pid, uint64_t ip)
{
	const struct map *map = look(outside, pid, ip);
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
 * outside_at() - a place that was found
 * @outside: as before
 * @place: from outside_find()
 * @symbols: where its module is looked up
 * @address: out: as for symbols_find()
 *
 * Return: path of the module, or NULL: @address is the process's.
 */
const char *outside_at(struct outside *outside, long place,
		       struct symbols *symbols, uint64_t *address)
{
	const struct where *w = &outside->places[place];

	*address = w->path ? symbols_address(symbols, w->path, w->off) : w->off;
	return w->path;
}
