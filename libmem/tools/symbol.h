/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds function, file and line of an offset in an ELF file. */
#ifndef HEAPSIM_SYMBOL_H
#define HEAPSIM_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>

#include "kind.h"

/**
 * struct frame - a frame of a stack, as a report prints it
 * @address: address in the file @module; without a module, in the process
 * @module: path; NULL: unknown
 * @function: name; NULL: unknown
 * @file: source file as given to the compiler; NULL: unknown
 * @line: line from 1; 0: unknown
 * @is_inlined: the function is inlined into that of the next frame
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
