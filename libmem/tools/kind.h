/* SPDX-License-Identifier: GPL-2.0-only */
/* The kinds of findings, and their text in the report. */
#ifndef HEAPSIM_KIND_H
#define HEAPSIM_KIND_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/heapsim.h>

/** enum kind_class - what a kind counts as */
enum kind_class {
	KIND_ERROR,	/* a mistake: counted in the summary */
	KIND_WASTE,	/* no error: redundant work, brackets left open */
	KIND_LEAK,	/* never destroyed; an error with --leak-check=error */
	KIND_MISSING,	/* a call that is not supported */
};

/** enum kind_api - the interface that a program uses */
enum kind_api {
	KIND_API_DMABUF,	/* the kernel's ioctls */
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
 * @headline: what happened, without the range; NULL: report.c composes it
 * @cpu: what the CPU's side did; NULL: it read or wrote
 * @other: what the other side did
 * @count: what is counted, in the plural
 * @class: what it counts as
 * @mend: how to fix it if no operation was missing; NULL: the table of missing
 *	operations has the text
 * @mend_cuda: the same with calls of CUDA, or of a layer above it; NULL: @mend
 *	names no call
 */
struct kind {
	const char *name;
	const char *headline;
	const char *cpu;
	const char *other;
	const char *count;
	enum kind_class class;
	const char *mend;
	const char *mend_cuda;
};

const struct kind *kind_of(uint32_t number);
int kind_find(const char *name);
uint32_t kind_end(void);
const char *kind_missing_name(uint32_t missing);
const char *kind_mend(uint32_t number, uint32_t missing, enum kind_api api);
const char *kind_api_name(enum kind_api api);
const char *kind_other_name(uint32_t type);

#endif
