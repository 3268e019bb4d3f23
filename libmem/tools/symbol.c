// SPDX-License-Identifier: GPL-2.0-only
/*
 * From an offset in an ELF file to function, file and line, inlined functions
 * included, by elfutils' libdw. Strings live as long as the symbols do.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <libiberty/demangle.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol.h"

/**
 * struct module - an ELF file
 * @next: in struct symbols
 * @path: as it was asked for
 * @dwfl: of this file alone; NULL: it cannot be read
 * @module: in @dwfl
 * @base: what libdw adds to the file's addresses
 */
struct module {
	struct module *next;
	char *path;
	Dwfl *dwfl;
	Dwfl_Module *module;
	GElf_Addr base;
};

/**
 * struct name - of a function of C++
 * @next: in struct symbols
 * @mangled: as the linker has it; the module's
 * @text: as it is written
 */
struct name {
	struct name *next;
	const char *mangled;
	char *text;
};

#define NR_BUCKETS	1024

/**
 * struct place - what was found at an address
 * @next: in a bucket of struct symbols
 * @module: of it
 * @address: as the file has it
 * @nr: how many frames
 * @frames: as symbols_find() gives them
 */
struct place {
	struct place *next;
	const struct module *module;
	uint64_t address;
	int nr;
	struct frame frames[];
};

/* Stacks share most of their frames; libdw takes tenths of a ms for each. */
struct symbols {
	struct module *modules;
	struct name *names;
	struct place *places[NR_BUCKETS];
};

static char *debuginfo_path;

static bool has_prefix(const char *text, const char *prefix)
{
	return text && !strncmp(text, prefix, strlen(prefix));
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debuginfo_path,
};

/**
 * symbols_open() - begin to look symbols up
 *
 * Return: for symbols_close(); NULL without memory.
 */
struct symbols *symbols_open(void)
{
	return calloc(1, sizeof(struct symbols));
}

/**
 * symbols_close() - free what was found
 * @symbols: may be NULL
 */
void symbols_close(struct symbols *symbols)
{
	size_t i;

	if (!symbols)
		return;
	for (i = 0; i < NR_BUCKETS; i++)
		while (symbols->places[i]) {
			struct place *p = symbols->places[i];

			symbols->places[i] = p->next;
			free(p);
		}
	while (symbols->modules) {
		struct module *m = symbols->modules;

		symbols->modules = m->next;
		if (m->dwfl)
			dwfl_end(m->dwfl);
		free(m->path);
		free(m);
	}
	while (symbols->names) {
		struct name *n = symbols->names;

		symbols->names = n->next;
		free(n->text);
		free(n);
	}
	free(symbols);
}

static void module_load(struct module *m)
{
	Elf *elf;

	struct stat status;
	int fd;

	/* The program named it: it may be no file. */
	fd = open(m->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode))
		m->dwfl = dwfl_begin(&callbacks);
	if (!m->dwfl) {
		close(fd);
		return;
	}
	dwfl_report_begin(m->dwfl);
	/* The descriptor is its own from here on. */
	m->module = dwfl_report_elf(m->dwfl, m->path, m->path, fd, 0, false);
	if (!m->module)
		close(fd);
	dwfl_report_end(m->dwfl, NULL, NULL);
	if (!m->module)
		return;
	elf = dwfl_module_getelf(m->module, &m->base);
	if (!elf)
		m->module = NULL;
}

static struct module *module_find(struct symbols *symbols, const char *path)
{
	struct module *m;

	for (m = symbols->modules; m; m = m->next)
		if (!strcmp(m->path, path))
			return m;
	m = calloc(1, sizeof(*m));
	if (!m)
		return NULL;
	m->path = strdup(path);
	if (!m->path) {
		free(m);
		return NULL;
	}
	module_load(m);
	m->next = symbols->modules;
	symbols->modules = m;
	return m;
}

/**
 * symbols_address() - where a file's bytes are, as the file has addresses
 * @symbols: from symbols_open()
 * @module: path of an ELF file
 * @off: in the file, bytes
 *
 * Return: the address; @off where the file does not tell.
 */
uint64_t symbols_address(struct symbols *symbols, const char *module,
			 uint64_t off)
{
	struct module *m = module_find(symbols, module);
	GElf_Addr bias;
	size_t nr = 0, i;
	Elf *elf;

	elf = m && m->module ? dwfl_module_getelf(m->module, &bias) : NULL;
	if (!elf || elf_getphdrnum(elf, &nr))
		return off;
	for (i = 0; i < nr; i++) {
		GElf_Phdr mem, *p = gelf_getphdr(elf, i, &mem);

		if (p && p->p_type == PT_LOAD && p->p_offset <= off &&
		    off < p->p_offset + p->p_filesz)
			return off - p->p_offset + p->p_vaddr;
	}
	return off;
}

/* As it is written in C++; a name that is not mangled stays. */
static const char *readable(struct symbols *symbols, const char *name)
{
	struct name *n;
	char *text, *end;

	if (!name)
		return NULL;
	for (n = symbols->names; n; n = n->next)
		if (!strcmp(n->mangled, name))
			return n->text;
	text = cplus_demangle(name, DMGL_PARAMS | DMGL_ANSI);
	if (!text)
		return name;
	/* A part of it that the compiler has put elsewhere is it, too. */
	end = strstr(text, " [clone ");
	if (end)
		*end = '\0';
	n = malloc(sizeof(*n));
	if (!n) {
		free(text);
		return name;
	}
	n->mangled = name;
	n->text = text;
	n->next = symbols->names;
	symbols->names = n;
	return text;
}

/* @symbol: of the address, NULL none; others may have been inlined there */
static const char *function_of(struct symbols *symbols, Dwarf_Die *die,
			       const char *symbol)
{
	Dwarf_Attribute attr;
	const char *name;

	name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name,
						     &attr));
	/* What is known in its file alone has none. */
	if (!name && dwarf_tag(die) == DW_TAG_subprogram &&
	    has_prefix(symbol, "_Z"))
		name = symbol;
	return name ? readable(symbols, name) : dwarf_diename(die);
}

/* Where the compiler put an inlined function: the call of it. */
static void call_site(Dwarf_Die *die, Dwarf_Die *cu, struct frame *frame)
{
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	Dwarf_Word number;
	size_t nr;

	frame->file = NULL;
	frame->line = 0;
	if (!dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attr), &number))
		frame->line = number;
	if (!dwarf_getsrcfiles(cu, &files, &nr) &&
	    !dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attr), &number))
		frame->file = dwarf_filesrc(files, number, NULL, NULL);
}

/*
 * The innermost function is where the line is; each that was inlined has a
 * caller, whose line is that of the call.
 */
static int inlined(struct symbols *symbols, Dwarf_Die *cu, Dwarf_Addr pc,
		   const char *symbol, struct frame *frames, int nr)
{
	struct frame at = frames[0];
	Dwarf_Die *innermost = NULL, *scopes = NULL;
	int nr_scopes, i, n = 0;

	/* The scopes of what was inlined are those of its definition. */
	if (dwarf_getscopes(cu, pc, &innermost) <= 0)
		return 0;
	nr_scopes = dwarf_getscopes_die(&innermost[0], &scopes);
	for (i = 0; i < nr_scopes && n < nr; i++) {
		const int tag = dwarf_tag(&scopes[i]);

		if (tag != DW_TAG_inlined_subroutine &&
		    tag != DW_TAG_subprogram)
			continue;
		at.is_inlined = tag == DW_TAG_inlined_subroutine;
		at.function = function_of(symbols, &scopes[i], symbol);
		frames[n++] = at;
		if (!at.is_inlined)
			break;
		call_site(&scopes[i], cu, &at);
	}
	free(scopes);
	free(innermost);
	return n;
}

/*
 * The unit that was compiled to what is at @pc. libdw looks into a table that
 * clang does not write, and takes what is nearest there: then every unit is
 * asked.
 */
static bool unit_find(Dwfl_Module *module, Dwarf_Addr pc, Dwarf_Addr *bias,
		      Dwarf_Die *unit)
{
	Dwarf_Die *found = dwfl_module_addrdie(module, pc, bias);
	Dwarf *dwarf;
	Dwarf_CU *cu = NULL;

	if (found && dwarf_haspc(found, pc - *bias) > 0) {
		*unit = *found;
		return true;
	}
	dwarf = dwfl_module_getdwarf(module, bias);
	while (dwarf && !dwarf_get_units(dwarf, cu, &cu, NULL, NULL, unit,
					 NULL))
		if (dwarf_haspc(unit, pc - *bias) > 0)
			return true;
	return false;
}

/* What libdw knows, at least one frame. */
static int look_up(struct symbols *symbols, struct module *m, uint64_t address,
		   struct frame *frames, int nr)
{
	Dwarf_Addr bias = 0, pc;
	const char *symbol;
	Dwarf_Line *line;
	Dwarf_Die cu;
	int n;

	frames[0] = (struct frame) {
		.address = address,
		.module = m ? m->path : NULL,
	};
	if (!m || !m->module)
		return 1;
	pc = address + m->base;
	symbol = dwfl_module_addrname(m->module, pc);
	frames[0].function = readable(symbols, symbol);
	if (!unit_find(m->module, pc, &bias, &cu))
		return 1;
	line = dwarf_getsrc_die(&cu, pc - bias);
	if (line && !dwarf_lineno(line, &frames[0].line))
		frames[0].file = dwarf_linesrc(line, NULL, NULL);
	n = inlined(symbols, &cu, pc - bias, symbol, frames, nr);
	return n ? n : 1;
}

static struct place **bucket_of(struct symbols *symbols, uint64_t address)
{
	return &symbols->places[(address ^ address >> 10) % NR_BUCKETS];
}

static void place_keep(struct place **bucket, const struct module *m,
		       uint64_t address, const struct frame *frames, int nr)
{
	struct place *p = malloc(sizeof(*p) + nr * sizeof(p->frames[0]));

	/* Without memory it is looked up again. */
	if (!p)
		return;
	p->module = m;
	p->address = address;
	p->nr = nr;
	memcpy(p->frames, frames, nr * sizeof(p->frames[0]));
	p->next = *bucket;
	*bucket = p;
}

/**
 * symbols_find() - what is at an address
 * @symbols: from symbols_open()
 * @module: path of an ELF file
 * @address: as the file has it
 * @frames: out: innermost first; more than one where functions were inlined
 * @nr: room there, above 0
 *
 * Return: how many, at least 1: what could not be found is unknown.
 */
int symbols_find(struct symbols *symbols, const char *module, uint64_t address,
		 struct frame *frames, int nr)
{
	struct module *m = module_find(symbols, module);
	struct place **bucket = bucket_of(symbols, address);
	const struct place *p;

	for (p = *bucket; p; p = p->next) {
		if (p->module != m || p->address != address)
			continue;
		nr = p->nr < nr ? p->nr : nr;
		memcpy(frames, p->frames, nr * sizeof(*frames));
		return nr;
	}
	nr = look_up(symbols, m, address, frames, nr);
	if (m)
		place_keep(bucket, m, address, frames, nr);
	return nr;
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

static const char *module_name(const struct frame *frame)
{
	return base_name(frame->module);
}

/**
 * symbol_is_runtime() - is it code through which every program makes its
 * system calls?
 * @frame: of a stack
 *
 * Return: whether it is.
 */
bool symbol_is_runtime(const struct frame *frame)
{
	static const char *const names[] = {
		"libc.so", "libc-", "libpthread", "libasan", "libubsan",
		"liblsan", "ld-linux",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (has_prefix(module_name(frame), names[i]))
			return true;
	return false;
}

/**
 * symbol_api() - whose calls a frame of libmem's libraries offers
 * @frame: of a stack, in one of them
 *
 * Return: KIND_API_LIBMEM, or a vendor's.
 */
enum kind_api symbol_api(const struct frame *frame)
{
	static const struct {
		const char *prefix;
		enum kind_api api;
	} layers[] = {
		{ "libmem-cuda", KIND_API_CUDA },
		{ "libmem-nvsci", KIND_API_NVSCI },
		{ "libmem-nvbuf", KIND_API_NVBUF },
		{ "libmem-vpi", KIND_API_VPI },
	};
	const char *name = module_name(frame);
	size_t i;

	for (i = 0; i < sizeof(layers) / sizeof(layers[0]); i++)
		if (has_prefix(name, layers[i].prefix))
			return layers[i].api;
	return KIND_API_LIBMEM;
}

/* A program's own library may begin like that, too, but for the layers. */
static bool is_libmem(const struct frame *frame)
{
	return has_prefix(module_name(frame), "libmem.so") ||
	       has_prefix(module_name(frame), "libmem-trap.so") ||
	       symbol_api(frame) != KIND_API_LIBMEM;
}

#define LAUNCH	"heapsim::kernel<"

/*
 * Code of the CUDA layer that the compiler puts into the program: what is
 * inline in its headers, and so has no module of its own. Without line numbers
 * names have to do.
 */
static bool is_of_headers(const struct frame *frame)
{
	static const char *const files[] = {
		"heapsim_cu.", "cuda_runtime", "cuda.h", "math_functions.",
		"device_atomic_functions.", "vector_functions.",
		"surface_indirect_functions.", "texture_indirect_functions.",
	};
	size_t i;

	/* Compilers have been seen to name another file for it. */
	if (has_prefix(frame->function, LAUNCH))
		return true;
	if (!frame->file)
		return has_prefix(frame->function, "cudaError cuda");
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (has_prefix(base_name(frame->file), files[i]))
			return true;
	return false;
}

/* Without the parameters that end it. */
static size_t name_len(const char *name)
{
	const size_t all = strlen(name);
	size_t len = all;
	int depth = 0;

	if (!all || name[all - 1] != ')')
		return all;
	do {
		len--;
		depth += (name[len] == ')') - (name[len] == '(');
	} while (len && depth);
	return len;
}

/*
 * Is @frame the kernel that @launch launches? That is how a launch begins: what
 * heapsim-cu makes of it calls the kernel, which has itself launched before
 * anything else. Unless the compiler made a jump of that.
 */
static bool is_kernel_of(const struct frame *frame, const struct frame *launch)
{
	const char *at = launch->function, *name = frame->function, *end;
	size_t len;

	if (!has_prefix(at, LAUNCH) || !name)
		return false;
	/* Its parameters are not always there, and not always here. */
	len = name_len(name);
	/* Its type comes first; a program's own may be called launch(). */
	at = strstr(at, "), &");
	end = at ? strstr(at, ">::launch(") : NULL;
	if (!end || !len)
		return false;
	for (at++; at + len <= end; at++)
		if (!strncmp(at, name, len) && strchr("(: &", at[-1]) &&
		    (at[len] == '(' || at + len == end))
			return true;
	return false;
}

/**
 * symbol_in_headers() - how much of a stack is in headers of the CUDA layer?
 * @frames: innermost first
 * @nr: how many
 *
 * Return: frames; with that of a kernel that is about to be launched.
 */
int symbol_in_headers(const struct frame *frames, int nr)
{
	const struct frame *launch;
	int i;

	for (i = 0; i < nr && is_of_headers(&frames[i]); i++)
		;
	launch = &frames[i - !!i];
	/* More than one frame if parts of it were inlined into others. */
	while (i && i < nr && is_kernel_of(&frames[i], launch))
		i++;
	return i;
}

static bool is_export(const struct frame *frame)
{
	return has_prefix(frame->function, "mem_") ||
	       has_prefix(frame->function, "libmem_");
}

/**
 * symbol_in_libmem() - how much of a stack is within a call of libmem?
 * @frames: innermost first; that within may begin in the C library
 * @nr: how many
 *
 * A call of a layer on it that comes with it is one, too.
 *
 * Return: frames.
 */
int symbol_in_libmem(const struct frame *frames, int nr)
{
	int i, end = 0;

	for (i = 0; i < nr; i++) {
		if (is_libmem(&frames[i]))
			end = i + 1;
		else if (!symbol_is_runtime(&frames[i]))
			break;
	}
	end += symbol_in_headers(frames + end, nr - end);
	if (end || !nr || !frames[0].function ||
	    strcmp(frames[0].function, "stacks_put"))
		return end;
	/* A program that has libmem.a: up to the call that it exports. */
	for (i = 0; i < nr && !is_export(&frames[i]); i++)
		;
	while (i < nr && is_export(&frames[i]))
		i++;
	return i;
}
