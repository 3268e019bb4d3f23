// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: what the pixels of formats mean for algorithms. Where they lie in
 * planes is attrs/format.c's. Pixels of a block-linear plane are in rows, too:
 * whatever reads them is heapsim's own, and CUDA's arrays have them so.
 */
#include "view.h"

static const struct pixel pixels[] = {
	[MEM_FORMAT_U8] = { FAMILY_PLAIN, COMP_U8 },
	[MEM_FORMAT_S16] = { FAMILY_PLAIN, COMP_S16 },
	[MEM_FORMAT_U16] = { FAMILY_PLAIN, COMP_U16 },
	[MEM_FORMAT_F32] = { FAMILY_PLAIN, COMP_F32 },
	[MEM_FORMAT_Y8] = { FAMILY_LUMA, COMP_U8, .is_studio = true },
	[MEM_FORMAT_Y8_ER] = { FAMILY_LUMA, COMP_U8 },
	[MEM_FORMAT_Y16] = { FAMILY_LUMA, COMP_U16, .is_studio = true },
	[MEM_FORMAT_Y16_ER] = { FAMILY_LUMA, COMP_U16 },
	[MEM_FORMAT_NV12] = { FAMILY_YUV420, COMP_U8, .is_studio = true },
	[MEM_FORMAT_NV12_ER] = { FAMILY_YUV420, COMP_U8 },
	[MEM_FORMAT_NV12_BL] = { FAMILY_YUV420, COMP_U8, .is_studio = true,
				 .is_block_linear = true },
	[MEM_FORMAT_NV12_ER_BL] = { FAMILY_YUV420, COMP_U8,
				    .is_block_linear = true },
	[MEM_FORMAT_RGB8] = { FAMILY_RGB, COMP_U8 },
	[MEM_FORMAT_BGR8] = { FAMILY_RGB, COMP_U8, .red = 2 },
	[MEM_FORMAT_RGBA8] = { FAMILY_RGB, COMP_U8, .has_alpha = true },
	[MEM_FORMAT_BGRA8] = { FAMILY_RGB, COMP_U8, .red = 2,
			       .has_alpha = true },
	[MEM_FORMAT_RGB8P] = { FAMILY_RGB, COMP_U8, .is_planar = true },
	[MEM_FORMAT_2S16] = { FAMILY_VECTOR, COMP_S16 },
	[MEM_FORMAT_2F32] = { FAMILY_VECTOR, COMP_F32 },
	[MEM_FORMAT_YUV420] = { FAMILY_YUV420, COMP_U8, .is_studio = true,
				.is_planar = true },
	[MEM_FORMAT_YUV420_ER] = { FAMILY_YUV420, COMP_U8, .is_planar = true },
	[MEM_FORMAT_YUV420_BL] = { FAMILY_YUV420, COMP_U8, .is_studio = true,
				   .is_planar = true, .is_block_linear = true },
	[MEM_FORMAT_YUV420_ER_BL] = { FAMILY_YUV420, COMP_U8,
				      .is_planar = true,
				      .is_block_linear = true },
};

/**
 * pixel_of() - return the meaning of a format's pixels
 * @format: enum mem_format, not MEM_FORMAT_INVALID
 *
 * Return: never NULL.
 */
const struct pixel *pixel_of(unsigned int format)
{
	return &pixels[format];
}

/**
 * pixels_are_alike() - compare pixels of two formats
 * @one: of pixel_of()
 * @other: of pixel_of()
 *
 * Return: true if they are the same, whatever their layouts.
 */
bool pixels_are_alike(const struct pixel *one, const struct pixel *other)
{
	return one->family == other->family && one->comp == other->comp &&
	       one->is_studio == other->is_studio &&
	       one->is_planar == other->is_planar && one->red == other->red &&
	       one->has_alpha == other->has_alpha;
}
