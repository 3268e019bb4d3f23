/* SPDX-License-Identifier: GPL-2.0-only */
/* Kinds of findings and their texts, which all reports share */
#ifndef HEAPSIM_KIND_H
#define HEAPSIM_KIND_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/heapsim.h>

/** enum kind_class - what a kind counts as */
enum kind_class {
	KIND_ERROR,	/* an error, which the summary counts */
	KIND_WASTE,	/* no error: redundant work, brackets left open */
	KIND_LEAK,	/* an object that was not destroyed */
	KIND_MISSING,	/* a call of an unimplemented function */
};

/** enum kind_api - API that a program calls, and that a report proposes */
enum kind_api {
	KIND_API_DMABUF,	/* ioctls of dma-bufs */
	KIND_API_LIBMEM,
	KIND_API_CUDA,		/* libmem-cudart and libmem-cuda */
	KIND_API_NVSCI,		/* libmem-nvscibuf */
	KIND_API_NVBUF,		/* libmem-nvbuf */
	KIND_API_VPI,		/* libmem-vpi */
	KIND_NR_APIS,
};

/**
 * struct kind - a kind of finding
 * @name: name in reports and suppressions
 * @headline: what happened; the range follows. NULL: report.c makes the text
 * @cpu: what the CPU's side did; NULL: it read or wrote
 * @other: what the other side did
 * @count: noun, in the plural, for the number of occurrences
 * @class: whether it counts as an error
 * @fix: proposed fix if no operation is missing; NULL: the missing operation
 *	determines the text
 * @fix_cuda: the same with calls of CUDA or of layers above; NULL: @fix names
 *	no calls
 */
struct kind {
	const char *name;
	const char *headline;
	const char *cpu;
	const char *other;
	const char *count;
	enum kind_class class;
	const char *fix;
	const char *fix_cuda;
};

const struct kind *kind_of(uint32_t number);
int kind_find(const char *name);
uint32_t kind_end(void);
const char *kind_missing_name(uint32_t missing);
const char *kind_fix(uint32_t number, uint32_t missing, enum kind_api api);
const char *kind_api_name(enum kind_api api);
const char *kind_other_name(uint32_t type);

#endif
