// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds function, file and line of an offset in an ELF file, including inlined
 * functions, with libdw of elfutils. Strings are valid until symbols_close().
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
 * @next: next module in struct symbols
 * @path: path that the caller used
 * @dwfl: libdw's session for this file alone; NULL: the file cannot be read
 * @module: the file's module in @dwfl
 * @base: number that libdw adds to the file's addresses
 */
struct module {
	struct module *next;
	char *path;
	Dwfl *dwfl;
	Dwfl_Module *module;
	GElf_Addr base;
};

/**
 * struct name - name of a C++ function
 * @next: next name in struct symbols
 * @mangled: mangled name; a string of the module
 * @text: demangled name
 */
struct name {
	struct name *next;
	const char *mangled;
	char *text;
};

#define NR_BUCKETS	1024

/**
 * struct place - cached frames of an address
 * @next: next place in a bucket of struct symbols
 * @module: file of the address
 * @address: address in the file
 * @nr: number of frames
 * @frames: frames as symbols_find() returns them
 */
struct place {
	struct place *next;
	const struct module *module;
	uint64_t address;
	int nr;
	struct frame frames[];
};

/*
 * Results are cached: stacks share most of their frames, and libdw needs tenths
 * of a millisecond for each.
 */
struct symbols {
	struct module *modules;
	struct name *names;
	struct place *places[NR_BUCKETS];
};

static char *debuginfo_path;

static bool symbol_has_prefix(const char *text, const char *prefix)
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
 * symbols_open() - make an empty cache of symbols
 *
 * Return: for symbols_close(); NULL without memory.
 */
struct symbols *symbols_open(void)
{
	return calloc(1, sizeof(struct symbols));
}

/**
 * symbols_close() - free all symbols and their strings
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

static void symbols_load_module(struct module *m)
{
	struct stat status;
	Elf *elf;
	int fd;

	/* The program chose the path, which may be a FIFO or a terminal. */
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
	/* On success libdw owns the descriptor. */
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

static struct module *symbols_find_module(struct symbols *symbols,
					  const char *path)
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
	symbols_load_module(m);
	m->next = symbols->modules;
	symbols->modules = m;
	return m;
}

/**
 * symbols_address() - convert an offset in a file to an address
 * @symbols: cache of symbols
 * @module: path of an ELF file
 * @off: offset in the file, bytes
 *
 * Return: the address; @off if the file does not map this offset.
 */
uint64_t symbols_address(struct symbols *symbols, const char *module,
			 uint64_t off)
{
	struct module *m = symbols_find_module(symbols, module);
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

/* Demangles a C++ name; other names are returned unchanged. */
static const char *symbols_demangle(struct symbols *symbols, const char *name)
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
	/* The compiler names a part that it moved elsewhere " [clone ...]". */
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

/*
 * @symbol: symbol of the address, or NULL; @die may be another function that is
 * inlined there
 */
static const char *symbols_function(struct symbols *symbols, Dwarf_Die *die,
				    const char *symbol)
{
	Dwarf_Attribute attr;
	const char *name;

	name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name,
						     &attr));
	/* A static function has no linkage name in DWARF. */
	if (!name && dwarf_tag(die) == DW_TAG_subprogram &&
	    symbol_has_prefix(symbol, "_Z"))
		name = symbol;
	return name ? symbols_demangle(symbols, name) : dwarf_diename(die);
}

/* Sets file and line of the call that the compiler replaced by inlining. */
static void frame_set_call_site(Dwarf_Die *die, Dwarf_Die *cu,
				struct frame *frame)
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
 * The innermost function has the line of the address. Each inlined function has
 * a caller, whose line is that of the call.
 */
static int symbols_find_inlined(struct symbols *symbols, Dwarf_Die *cu,
				Dwarf_Addr pc, const char *symbol,
				struct frame *frames, int nr)
{
	struct frame at = frames[0];
	Dwarf_Die *innermost = NULL, *scopes = NULL;
	int nr_scopes, i, n = 0;

	/* The scopes of an inlined function are those of its definition. */
	if (dwarf_getscopes(cu, pc, &innermost) <= 0)
		return 0;
	nr_scopes = dwarf_getscopes_die(&innermost[0], &scopes);
	for (i = 0; i < nr_scopes && n < nr; i++) {
		const int tag = dwarf_tag(&scopes[i]);

		if (tag != DW_TAG_inlined_subroutine &&
		    tag != DW_TAG_subprogram)
			continue;
		at.is_inlined = tag == DW_TAG_inlined_subroutine;
		at.function = symbols_function(symbols, &scopes[i], symbol);
		frames[n++] = at;
		if (!at.is_inlined)
			break;
		frame_set_call_site(&scopes[i], cu, &at);
	}
	free(scopes);
	free(innermost);
	return n;
}

/*
 * Finds the compilation unit of the code at @pc. libdw uses a table that clang
 * does not write, and returns the nearest entry if it finds none. So a result
 * that does not contain @pc is replaced by a search of all units.
 */
static bool symbols_find_unit(Dwfl_Module *module, Dwarf_Addr pc,
			      Dwarf_Addr *bias, Dwarf_Die *unit)
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

/* Fills in what libdw finds; returns at least one frame. */
static int symbols_look_up(struct symbols *symbols, struct module *m,
			   uint64_t address, struct frame *frames, int nr)
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
	frames[0].function = symbols_demangle(symbols, symbol);
	if (!symbols_find_unit(m->module, pc, &bias, &cu))
		return 1;
	line = dwarf_getsrc_die(&cu, pc - bias);
	if (line && !dwarf_lineno(line, &frames[0].line))
		frames[0].file = dwarf_linesrc(line, NULL, NULL);
	n = symbols_find_inlined(symbols, &cu, pc - bias, symbol, frames, nr);
	return n ? n : 1;
}

static struct place **symbols_bucket(struct symbols *symbols, uint64_t address)
{
	return &symbols->places[(address ^ address >> 10) % NR_BUCKETS];
}

static void symbols_keep_place(struct place **bucket, const struct module *m,
			       uint64_t address, const struct frame *frames,
			       int nr) {
	struct place *p = malloc(sizeof(*p) + nr * sizeof(p->frames[0]));

	/* Without memory the place is not cached. */
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
 * symbols_find() - find the frames at an address
 * @symbols: cache of symbols
 * @module: path of an ELF file
 * @address: address in the file
 * @frames: out: innermost first; more than one if functions are inlined
 * @nr: room in @frames, above 0
 *
 * Return: number of frames, at least 1; fields that could not be found are
 * unknown.
 */
int symbols_find(struct symbols *symbols, const char *module, uint64_t address,
		 struct frame *frames, int nr)
{
	struct module *m = symbols_find_module(symbols, module);
	struct place **bucket = symbols_bucket(symbols, address);
	const struct place *p;

	for (p = *bucket; p; p = p->next) {
		if (p->module != m || p->address != address)
			continue;
		nr = p->nr < nr ? p->nr : nr;
		memcpy(frames, p->frames, nr * sizeof(*frames));
		return nr;
	}
	nr = symbols_look_up(symbols, m, address, frames, nr);
	if (m)
		symbols_keep_place(bucket, m, address, frames, nr);
	return nr;
}

static const char *symbol_base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

static const char *symbol_module_name(const struct frame *frame)
{
	return symbol_base_name(frame->module);
}

/**
 * symbol_is_runtime() - check for a frame in the C library or the like
 * @frame: frame of a stack
 *
 * Return: true if programs make their system calls through this code.
 */
bool symbol_is_runtime(const struct frame *frame)
{
	static const char *const names[] = {
		"libc.so", "libc-", "libpthread", "libasan", "libubsan",
		"liblsan", "ld-linux",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (symbol_has_prefix(symbol_module_name(frame), names[i]))
			return true;
	return false;
}

/**
 * symbol_api() - return the API of a library
 * @frame: frame in one of libmem's libraries
 *
 * Return: the API of a vendor, or KIND_API_LIBMEM.
 */
enum kind_api symbol_api(const struct frame *frame)
{
	static const struct {
		const char *prefix;
		enum kind_api api;
	} layers[] = {
		{ "libmem-cuda", KIND_API_CUDA },
		{ "libmem-egl", KIND_API_CUDA },
		{ "libmem-gl", KIND_API_CUDA },
		{ "libmem-nvsci", KIND_API_NVSCI },
		{ "libmem-nvmedia", KIND_API_NVSCI },
		{ "libmem-nvbuf", KIND_API_NVBUF },
		{ "libmem-vpi", KIND_API_VPI },
	};
	const char *name = symbol_module_name(frame);
	size_t i;

	for (i = 0; i < sizeof(layers) / sizeof(layers[0]); i++)
		if (symbol_has_prefix(name, layers[i].prefix))
			return layers[i].api;
	return KIND_API_LIBMEM;
}

/* "libmem" alone is not enough: a library of the program may begin so, too. */
static bool symbol_is_libmem(const struct frame *frame)
{
	return symbol_has_prefix(symbol_module_name(frame), "libmem.so") ||
	       symbol_has_prefix(symbol_module_name(frame), "libmem-trap.so") ||
	       symbol_api(frame) != KIND_API_LIBMEM;
}

#define LAUNCH	"heapsim::kernel<"

/*
 * Returns true for inline functions in the headers of the CUDA layer, which the
 * compiler puts into the program. They are recognized by the file, or, without
 * line numbers, by the name of the function.
 */
static bool symbol_is_of_headers(const struct frame *frame)
{
	static const char *const files[] = {
		"heapsim_cu.", "cuda_runtime", "cuda.h", "math_functions.",
		"device_atomic_functions.", "vector_functions.",
		"surface_indirect_functions.", "texture_indirect_functions.",
	};
	size_t i;

	/* Compilers may report another file for this function. */
	if (symbol_has_prefix(frame->function, LAUNCH))
		return true;
	if (!frame->file)
		return symbol_has_prefix(frame->function, "cudaError cuda");
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (symbol_has_prefix(symbol_base_name(frame->file), files[i]))
			return true;
	return false;
}

/* Returns the length of a function's name without its parameters. */
static size_t symbol_name_len(const char *name)
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
 * Returns true if @frame is the kernel that @launch launches. The code that
 * heapsim-cu generates for a launch calls the kernel, which first of all
 * launches itself. So the kernel's frame is outside of the launch's, unless the
 * compiler made a jump of the call.
 */
static bool symbol_is_kernel_of(const struct frame *frame,
				const struct frame *launch)
{
	const char *at = launch->function, *name = frame->function, *end;
	size_t len;

	if (!symbol_has_prefix(at, LAUNCH) || !name)
		return false;
	/* Either name may lack the parameters of the function. */
	len = symbol_name_len(name);
	/* The type precedes the name; a kernel may also be named launch(). */
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
 * symbol_in_headers() - count the frames in headers of the CUDA layer
 * @frames: stack, innermost frame first
 * @nr: number of frames
 *
 * Return: number of frames, including that of a kernel about to be launched.
 */
int symbol_in_headers(const struct frame *frames, int nr)
{
	const struct frame *launch;
	int i;

	for (i = 0; i < nr && symbol_is_of_headers(&frames[i]); i++)
		;
	launch = &frames[i - !!i];
	/* The kernel has more than one frame if parts of it are inlined. */
	while (i && i < nr && symbol_is_kernel_of(&frames[i], launch))
		i++;
	return i;
}

static bool symbol_is_export(const struct frame *frame)
{
	return symbol_has_prefix(frame->function, "mem_") ||
	       symbol_has_prefix(frame->function, "libmem_");
}

/**
 * symbol_in_libmem() - count the frames inside a call of libmem
 * @frames: stack, innermost frame first; this may be one of the C library
 * @nr: number of frames
 *
 * Calls of the vendor APIs that are part of libmem count, too.
 *
 * Return: number of frames.
 */
int symbol_in_libmem(const struct frame *frames, int nr)
{
	int i, end = 0;

	for (i = 0; i < nr; i++) {
		if (symbol_is_libmem(&frames[i]))
			end = i + 1;
		else if (!symbol_is_runtime(&frames[i]))
			break;
	}
	end += symbol_in_headers(frames + end, nr - end);
	if (end || !nr || !frames[0].function ||
	    strcmp(frames[0].function, "stacks_put"))
		return end;
	/* In a program linked with libmem.a: up to the public function. */
	for (i = 0; i < nr && !symbol_is_export(&frames[i]); i++)
		;
	while (i < nr && symbol_is_export(&frames[i]))
		i++;
	return i;
}
