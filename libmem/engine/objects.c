// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The loaded objects: the program and its libraries. An engine may not store to
 * their variables, and can run their functions if it was created after they
 * were loaded. The owner lists them before it forks, because in a child another
 * thread may hold the dynamic linker's lock.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "process.h"

#define FNV_BASIS	0xcbf29ce484222325ULL
#define FNV_PRIME	0x100000001b3ULL

#if defined(__x86_64__)
#define COPY_RELOCATION	R_X86_64_COPY
#else
#define COPY_RELOCATION	R_AARCH64_COPY
#endif

/* Libraries that an engine uses, and that store to their own variables. */
static const char * const runtime_names[] = {
	"ld-linux", "libc.so", "libm.so", "libstdc++.so", "libgcc_s.so",
	"libc++", "libunwind", "libpthread", "libdl.so", "librt.so", "libasan",
	"libubsan", "liblsan", "libclang_rt", "linux-vdso",
	"libheapsim-preload", "libmem-trap",
};

/*
 * Libraries that store to variables of the application: the dynamic linker, and
 * sanitizers, which mark what they have reported.
 */
static const char * const storing_names[] = {
	"ld-linux", "libubsan", "libasan",
};

#define LEN_OF(array)	(sizeof(array) / sizeof(*(array)))

static bool objects_has_name(const char *path, const char *name)
{
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	return !strncmp(base, name, strlen(name));
}

static bool objects_has_any_name(const char *path, const char *const *names,
				 size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (objects_has_name(path, names[i]))
			return true;
	return false;
}

static bool objects_holds(const struct dl_phdr_info *info, uintptr_t addr)
{
	size_t i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *part = &info->dlpi_phdr[i];

		if (part->p_type == PT_LOAD &&
		    addr - (info->dlpi_addr + part->p_vaddr) < part->p_memsz)
			return true;
	}
	return false;
}

static const Elf64_Phdr *objects_part_of(const struct dl_phdr_info *info,
					 Elf64_Word type)
{
	size_t i;

	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == type)
			return &info->dlpi_phdr[i];
	return NULL;
}

/*
 * The program's name is empty. A program without an interpreter is static, and
 * contains its C library. An engine stores to variables of libmem only if
 * libmem is a library of its own.
 */
static bool objects_is_host(const struct dl_phdr_info *info)
{
	const bool is_program = !*info->dlpi_name;

	if (is_program && !objects_part_of(info, PT_INTERP))
		return false;
	if (!is_program && objects_holds(info, (uintptr_t)objects_list))
		return false;
	if (__asan_init && objects_holds(info, (uintptr_t)__asan_init))
		return false;
	if (__ubsan_handle_builtin_unreachable &&
	    objects_holds(info, (uintptr_t)__ubsan_handle_builtin_unreachable))
		return false;
	return !objects_has_any_name(info->dlpi_name, runtime_names,
				     LEN_OF(runtime_names));
}

static uint64_t objects_hash(uint64_t sum, const void *bytes, size_t len)
{
	const uint8_t *byte = bytes;

	while (len--)
		sum = (sum ^ *byte++) * FNV_PRIME;
	return sum;
}

/* Computes an id from name, address and notes, one of which is the build id. */
static uint64_t objects_id_of(const struct dl_phdr_info *info)
{
	const Elf64_Phdr *notes = objects_part_of(info, PT_NOTE);
	uint64_t sum = FNV_BASIS;

	sum = objects_hash(sum, info->dlpi_name, strlen(info->dlpi_name));
	sum = objects_hash(sum, &info->dlpi_addr, sizeof(info->dlpi_addr));
	if (notes)
		sum = objects_hash(sum,
				   (void *)(info->dlpi_addr + notes->p_vaddr),
				   notes->p_memsz);
	return sum;
}

static uintptr_t objects_page_mask(void)
{
	return (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
}

static void objects_add_segments(struct objects *objects,
				 const struct dl_phdr_info *info)
{
	const uintptr_t mask = objects_page_mask();
	struct segment segment = {
		.id = objects_id_of(info),
		.is_host = objects_is_host(info),
		.is_program = !*info->dlpi_name,
		.may_store = objects_has_any_name(info->dlpi_name,
						  storing_names,
						  LEN_OF(storing_names)),
	};
	size_t i;

	for (i = 0; i < info->dlpi_phnum && objects->nr < objects->max; i++) {
		const Elf64_Phdr *part = &info->dlpi_phdr[i];
		const uintptr_t start = info->dlpi_addr + part->p_vaddr;

		if (part->p_type != PT_LOAD)
			continue;
		segment.at.start = start & ~mask;
		segment.at.end = (start + part->p_memsz + mask) & ~mask;
		segment.is_writable = part->p_flags & PF_W;
		objects->segments[objects->nr++] = segment;
	}
}

static void objects_add_tls(struct objects *objects,
			    const struct dl_phdr_info *info)
{
	const Elf64_Phdr *part = objects_part_of(info, PT_TLS);
	const uintptr_t start = (uintptr_t)info->dlpi_tls_data;

	if (!part || !start || objects->nr_tls == MAX_OPEN)
		return;
	objects->tls[objects->nr_tls++] = (struct range) {
		start, start + part->p_memsz,
	};
}

/**
 * struct dynamic - entries of an object's dynamic section
 * @symbols: symbol table
 * @relocations: relocation table
 * @nr: number of relocations
 */
struct dynamic {
	const Elf64_Sym *symbols;
	const Elf64_Rela *relocations;
	size_t nr;
};

static struct dynamic objects_dynamic_of(const struct dl_phdr_info *info)
{
	const Elf64_Phdr *part = objects_part_of(info, PT_DYNAMIC);
	struct dynamic dynamic = { 0 };
	const Elf64_Dyn *entry;

	if (!part)
		return dynamic;
	/* The dynamic linker has relocated these. */
	for (entry = (void *)(info->dlpi_addr + part->p_vaddr);
	     entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_SYMTAB)
			dynamic.symbols = (void *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_RELA)
			dynamic.relocations = (void *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_RELASZ)
			dynamic.nr = entry->d_un.d_val / sizeof(Elf64_Rela);
	}
	if (!dynamic.symbols || !dynamic.relocations)
		dynamic.nr = 0;
	return dynamic;
}

/* Variables of libraries (stdout, std::cout) that the linker put here. */
static void objects_add_open(struct objects *objects,
			     const struct dl_phdr_info *info)
{
	const struct dynamic dynamic = objects_dynamic_of(info);
	size_t i;

	for (i = 0; i < dynamic.nr && objects->nr_open < MAX_OPEN; i++) {
		const Elf64_Rela *at = &dynamic.relocations[i];
		const uintptr_t start = info->dlpi_addr + at->r_offset;
		const Elf64_Sym *symbol;

		if (ELF64_R_TYPE(at->r_info) != COPY_RELOCATION)
			continue;
		symbol = &dynamic.symbols[ELF64_R_SYM(at->r_info)];
		objects->open[objects->nr_open++] = (struct range) {
			start, start + symbol->st_size,
		};
	}
}

static int objects_add(struct dl_phdr_info *info, size_t len, void *arg)
{
	struct objects *objects = arg;

	(void)len;
	objects->nr_added = info->dlpi_adds;
	objects->nr_removed = info->dlpi_subs;
	objects_add_segments(objects, info);
	objects_add_tls(objects, info);
	if (!*info->dlpi_name)
		objects_add_open(objects, info);
	return 0;
}

static int objects_count_segments(struct dl_phdr_info *info, size_t len,
				  void *arg)
{
	size_t *nr = arg;

	(void)len;
	*nr += info->dlpi_phnum;
	return 0;
}

/**
 * objects_list() - list the loaded objects
 * @made: out: the list, for objects_free(); in a mapping of its own
 *
 * Context: takes the dynamic linker's lock.
 * Return: 0, or -ENOMEM.
 */
int objects_list(struct objects **made)
{
	struct objects *objects;
	size_t max = MAX_OPEN, len;	/* others may be loaded meanwhile */

	dl_iterate_phdr(objects_count_segments, &max);
	len = sizeof(*objects) + max * sizeof(*objects->segments);
	objects = mmap(NULL, len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (objects == MAP_FAILED)
		return -ENOMEM;
	objects->len = len;
	objects->max = max;
	objects->segments = (struct segment *)(objects + 1);
	dl_iterate_phdr(objects_add, objects);
	*made = objects;
	return 0;
}

/**
 * objects_free() - free a list
 * @objects: list, or NULL
 */
void objects_free(struct objects *objects)
{
	if (objects)
		munmap(objects, objects->len);
}

/**
 * objects_find() - find the segment that contains an address
 * @objects: list
 * @addr: any address
 *
 * Context: any, also a signal handler.
 * Return: the segment, or NULL.
 */
const struct segment *objects_find(const struct objects *objects,
				   uintptr_t addr)
{
	size_t i;

	for (i = 0; i < objects->nr; i++)
		if (addr - objects->segments[i].at.start <
		    objects->segments[i].at.end - objects->segments[i].at.start)
			return &objects->segments[i];
	return NULL;
}

struct search {
	uintptr_t addr;
	unsigned long long nr_added;
	unsigned long long nr_removed;
	uint64_t id;
};

static int objects_read_counts(struct dl_phdr_info *info, size_t len, void *arg)
{
	struct search *search = arg;

	(void)len;
	search->nr_added = info->dlpi_adds;
	search->nr_removed = info->dlpi_subs;
	return 1;
}

static int objects_match_id(struct dl_phdr_info *info, size_t len, void *arg)
{
	struct search *search = arg;

	(void)len;
	if (!objects_holds(info, search->addr))
		return 0;
	search->id = objects_id_of(info);
	return 1;
}

/**
 * objects_have() - check whether a function was loaded when a list was made
 * @objects: list
 * @addr: address of the function
 *
 * Context: takes the dynamic linker's lock.
 * Return: true if its library was loaded at the same address.
 */
bool objects_have(struct objects *objects, uintptr_t addr)
{
	struct search search = { .addr = addr };
	const struct segment *segment;

	dl_iterate_phdr(objects_read_counts, &search);
	segment = objects_find(objects, addr);
	if (!segment)
		return false;
	if (search.nr_added == objects->nr_added &&
	    search.nr_removed == objects->nr_removed)
		return true;
	dl_iterate_phdr(objects_match_id, &search);
	return search.id == segment->id;
}
