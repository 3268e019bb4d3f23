/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libmem: what the engines of a board need of a buffer. */
#ifndef _LIBMEM_ATTRS_CONSTRAINT_H
#define _LIBMEM_ATTRS_CONSTRAINT_H

#include "attrs.h"

/* Bit of the CPU, used together with those of MEM_ATTR_ENGINES */
#define CONSTRAINT_CPU		(1ULL << 33)

/**
 * enum swizzle - byte order of a block-linear image
 * @SWIZZLE_NONE: the engine does not support such images
 * @SWIZZLE_TEGRA: Tegra before Xavier
 * @SWIZZLE_VOLTA: discrete GPUs up to Volta, and Xavier
 * @SWIZZLE_TURING: later ones
 * @SWIZZLE_ANY: the engine copies bytes and accepts any order
 */
enum swizzle {
	SWIZZLE_NONE,
	SWIZZLE_TEGRA,
	SWIZZLE_VOLTA,
	SWIZZLE_TURING,
	SWIZZLE_ANY
};

/**
 * struct constraint - needs of an engine
 * @name: name of the engine
 * @base_align: alignment of each plane, and of other buffers, bytes
 * @pitch_align: alignment of pitch-linear rows, bytes
 * @max_width: maximum width of a plane, pixels
 * @max_height: maximum height of a plane, rows
 * @swizzle: byte order of block-linear images
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
