/* SPDX-License-Identifier: GPL-2.0-only */
/* From an offset in an ELF file to function, file and line. */
#ifndef HEAPSIM_SYMBOL_H
#define HEAPSIM_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>

#include "kind.h"

/**
 * struct frame - a frame of a stack, as people read it
 * @address: where in @module, as the file has it; without a module where in
 *	the process
 * @module: path, NULL unknown
 * @function: name, NULL unknown
 * @file: of the source, as the compiler was told, NULL unknown
 * @line: from 1; 0 unknown
 * @is_inlined: into the frame that follows
 */
struct frame {
	uint64_t address;
	const char *module;
	const char *function;
	const char *file;
	int line;
	int is_inlined;
};

struct symbols;

struct symbols *symbols_open(void);
void symbols_close(struct symbols *symbols);
int symbols_find(struct symbols *symbols, const char *module, uint64_t address,
		 struct frame *frames, int nr);
uint64_t symbols_address(struct symbols *symbols, const char *module,
			 uint64_t off);
bool symbol_is_runtime(const struct frame *frame);
enum kind_api symbol_api(const struct frame *frame);
int symbol_in_headers(const struct frame *frames, int nr);
int symbol_in_libmem(const struct frame *frames, int nr);

#endif
