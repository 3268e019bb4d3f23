/* SPDX-License-Identifier: GPL-2.0-only */
/* What can be found, and how it is told: one table, for all reports. */
#ifndef HEAPSIM_KIND_H
#define HEAPSIM_KIND_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/heapsim.h>

/** enum kind_class - what a kind counts as */
enum kind_class {
	KIND_ERROR,	/* a mistake: it is in the summary */
	KIND_WASTE,	/* no error: redundant work, brackets left open */
	KIND_LEAK,	/* what nobody destroyed: an error if that is asked */
	KIND_MISSING,	/* what was called, and is not there */
};

/** enum kind_api - whose calls a program makes, and has to make */
enum kind_api {
	KIND_API_DMABUF,	/* the kernel's */
	KIND_API_LIBMEM,
	KIND_API_CUDA,		/* those of libmem-cudart and libmem-cuda */
	KIND_API_NVSCI,		/* of libmem-nvscibuf */
	KIND_API_NVBUF,		/* of libmem-nvbuf */
	KIND_API_VPI,		/* of libmem-vpi */
	KIND_NR_APIS,
};

/**
 * struct kind - a kind of finding
 * @name: as reports and suppressions have it
 * @headline: what happened; the range follows. NULL: report.c's to say
 * @cpu: what the CPU's side did; NULL: it read or wrote
 * @other: what the other side did
 * @count: of what there are many, in the plural
 * @class: what it counts as
 * @mend: what to do where no operation of ours was missing, NULL: that knows
 * @mend_cuda: the same with CUDA's calls, or those of layers above; NULL: @mend
 *	has none
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
