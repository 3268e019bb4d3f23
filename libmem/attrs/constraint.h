/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libmem: what the engines of a board need of a buffer. */
#ifndef _LIBMEM_ATTRS_CONSTRAINT_H
#define _LIBMEM_ATTRS_CONSTRAINT_H

#include "attrs.h"

/* Bit of an engine, beside those of MEM_ATTR_ENGINES: the CPU */
#define CONSTRAINT_CPU		(1ULL << 33)

/**
 * enum swizzle - how bytes of a block-linear image are placed
 * @SWIZZLE_NONE: the engine takes no such image
 * @SWIZZLE_TEGRA: of Tegras before Xavier
 * @SWIZZLE_VOLTA: of discrete GPUs up to Volta, and of Xavier
 * @SWIZZLE_TURING: of later ones
 * @SWIZZLE_ANY: that of the others: the engine copies bytes
 */
enum swizzle {
	SWIZZLE_NONE,
	SWIZZLE_TEGRA,
	SWIZZLE_VOLTA,
	SWIZZLE_TURING,
	SWIZZLE_ANY
};

/**
 * struct constraint - what an engine needs, or several of them
 * @name: of the engine
 * @base_align: of the first byte of each plane, and of other buffers
 * @pitch_align: of pitch-linear rows, bytes
 * @max_width: of a plane, pixels
 * @max_height: of a plane, rows
 * @swizzle: of block-linear images
 */
struct constraint {
	const char *name;
	uint32_t base_align;
	uint32_t pitch_align;
	uint32_t max_width;
	uint32_t max_height;
	enum swizzle swizzle;
};

uint64_t constraint_engines(struct mem_ctx *ctx, const struct attrs_slot *slot);
bool constraint_is_coherent(struct mem_ctx *ctx);
unsigned int constraint_of_gpu(struct mem_ctx *ctx, const uint8_t *id);
const char *constraint_name(unsigned int at);
enum swizzle constraint_swizzle(struct mem_ctx *ctx);
bool constraint_find(struct mem_ctx *ctx, unsigned int at,
		     struct constraint *constraint);

#endif
