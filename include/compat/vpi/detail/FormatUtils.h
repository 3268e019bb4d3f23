/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How VPI puts an image format and a pixel type into 64 bits.
 *
 *	bits	of
 *	0-11	swizzle: four channels of three bits
 *	12-14	memory layout
 *	16-34	colour: chroma subsampling (17-19) and colour spec (20-34) of
 *		YCbCr; bit 16, the model and the colour spec or raw pattern of
 *		others; all ones if it is undefined
 *	35-43	packing of plane 0: which one (3 bits), channels - 1 (2 bits),
 *		bits of a pixel (4 bits)
 *	44-50	of plane 1: 3 bits, 1 bit, 3 bits
 *	51-57	of plane 2: the same
 *	58-60	of plane 3: bits of a pixel
 *	61-63	data type
 *
 * A VPIPacking has which one in bits 0-3, channels - 1 in 4-5, bits of a pixel
 * in 6-9.
 */
#ifndef NV_VPI_DETAIL_FORMATUTILS_H
#define NV_VPI_DETAIL_FORMATUTILS_H

#include <stdint.h>

#define VPI_LIBMEM_PUT(value, shift, nr) \
	(((uint64_t)(value) & ((1ULL << (nr)) - 1)) << (shift))
#define VPI_LIBMEM_TAKE(value, shift, nr) \
	(((uint64_t)(value) >> (shift)) & ((1ULL << (nr)) - 1))

/* Bits of a pixel as a number of four bits */
#define VPI_LIBMEM_BPP(bits) \
	((bits) <= 8 ? 0 : (bits) <= 32 ? (bits) / 8 - 1 : \
	 (bits) <= 64 ? (bits) / 16 + 1 : \
	 (bits) <= 128 ? (bits) / 32 + 3 : (bits) / 64 + 5)

/* The first packing of so many bits and channels; the next ones count up. */
#define VPI_LIBMEM_PACKING(bits, channels) \
	(int)(VPI_LIBMEM_PUT(VPI_LIBMEM_BPP(bits), 6, 4) | \
	      VPI_LIBMEM_PUT((channels) - 1, 4, 2) | \
	      ((bits) <= 2 ? (bits) : (bits) == 4 ? 3 : (bits) == 8 ? 4 : 0))

#define VPI_LIBMEM_SWIZZLE(x, y, z, w) \
	(VPI_LIBMEM_PUT(x, 0, 3) | VPI_LIBMEM_PUT(y, 3, 3) | \
	 VPI_LIBMEM_PUT(z, 6, 3) | VPI_LIBMEM_PUT(w, 9, 3))

#define VPI_LIBMEM_SPEC(space, encoding, xfer, range, horiz, vert) \
	(int)(VPI_LIBMEM_PUT(space, 0, 3) | VPI_LIBMEM_PUT(xfer, 3, 4) | \
	      VPI_LIBMEM_PUT(encoding, 7, 3) | VPI_LIBMEM_PUT(horiz, 10, 2) | \
	      VPI_LIBMEM_PUT(vert, 12, 2) | VPI_LIBMEM_PUT(range, 14, 1))

/* A packing in a plane of a format: three bits, then these many. */
#define VPI_LIBMEM_PLANE(packing, nr_channel, nr_bpp) \
	(VPI_LIBMEM_PUT(packing, 0, 3) | \
	 VPI_LIBMEM_PUT(VPI_LIBMEM_TAKE(packing, 4, 2), 3, nr_channel) | \
	 VPI_LIBMEM_PUT(VPI_LIBMEM_TAKE(packing, 6, 4), 3 + (nr_channel), \
			nr_bpp))
/* The last plane has bits of a pixel alone: all ones stand for 8. */
#define VPI_LIBMEM_PLANE3(packing) \
	((packing) == VPI_PACKING_X8 ? 7ULL : \
	 VPI_LIBMEM_PUT(VPI_LIBMEM_TAKE(packing, 6, 4), 0, 3))

#define VPI_LIBMEM_COLOR(model, spec, css) \
	((model) == VPI_COLOR_MODEL_YCbCr ? \
	 VPI_LIBMEM_PUT(spec, 20, 15) | VPI_LIBMEM_PUT(css, 17, 3) : \
	 (model) == VPI_COLOR_MODEL_UNDEFINED ? \
	 VPI_LIBMEM_PUT(~0ULL, 16, 19) : \
	 (model) == VPI_COLOR_MODEL_RAW ? \
	 VPI_LIBMEM_PUT(0xf, 16, 4) | VPI_LIBMEM_PUT(spec, 21, 6) : \
	 (model) == VPI_COLOR_MODEL_XYZ ? \
	 VPI_LIBMEM_PUT(0x1f, 16, 5) : \
	 VPI_LIBMEM_PUT(1, 16, 1) | VPI_LIBMEM_PUT((model) - 2, 17, 3) | \
	 VPI_LIBMEM_PUT(spec, 20, 15))

#define VPI_LIBMEM_FORMAT(model, spec, css, layout, type, swizzle, p0, p1, \
			  p2, p3) \
	(VPI_LIBMEM_PUT(type, 61, 3) | VPI_LIBMEM_PUT(swizzle, 0, 12) | \
	 VPI_LIBMEM_PUT(layout, 12, 3) | VPI_LIBMEM_COLOR(model, spec, css) | \
	 VPI_LIBMEM_PUT(VPI_LIBMEM_PLANE(p0, 2, 4), 35, 9) | \
	 VPI_LIBMEM_PUT(VPI_LIBMEM_PLANE(p1, 1, 3), 44, 7) | \
	 VPI_LIBMEM_PUT(VPI_LIBMEM_PLANE(p2, 1, 3), 51, 7) | \
	 VPI_LIBMEM_PUT(VPI_LIBMEM_PLANE3(p3), 58, 3))

/* With the packings of one to four planes */
#define VPI_LIBMEM_FORMAT1(model, spec, css, layout, type, swizzle, p0) \
	VPI_LIBMEM_FORMAT(model, spec, css, layout, type, swizzle, p0, 0, 0, 0)
#define VPI_LIBMEM_FORMAT2(model, spec, css, layout, type, swizzle, p0, p1) \
	VPI_LIBMEM_FORMAT(model, spec, css, layout, type, swizzle, p0, p1, 0, 0)
#define VPI_LIBMEM_FORMAT3(model, spec, css, layout, type, swizzle, p0, p1, \
			   p2) \
	VPI_LIBMEM_FORMAT(model, spec, css, layout, type, swizzle, p0, p1, p2, \
			  0)
#define VPI_LIBMEM_FORMAT4(model, spec, css, layout, type, swizzle, p0, p1, \
			   p2, p3) \
	VPI_LIBMEM_FORMAT(model, spec, css, layout, type, swizzle, p0, p1, p2, \
			  p3)

/* The same of names without what they begin with */
#define VPI_LIBMEM_SHORT1(model, spec, css, layout, type, swizzle, p0) \
	VPI_LIBMEM_FORMAT1(model, spec, css, VPI_MEM_LAYOUT_##layout, \
			   VPI_DATA_TYPE_##type, VPI_SWIZZLE_##swizzle, \
			   VPI_PACKING_##p0)
#define VPI_LIBMEM_SHORT2(model, spec, css, layout, type, swizzle, p0, p1) \
	VPI_LIBMEM_FORMAT2(model, spec, css, VPI_MEM_LAYOUT_##layout, \
			   VPI_DATA_TYPE_##type, VPI_SWIZZLE_##swizzle, \
			   VPI_PACKING_##p0, VPI_PACKING_##p1)
#define VPI_LIBMEM_SHORT3(model, spec, css, layout, type, swizzle, p0, p1, \
			  p2) \
	VPI_LIBMEM_FORMAT3(model, spec, css, VPI_MEM_LAYOUT_##layout, \
			   VPI_DATA_TYPE_##type, VPI_SWIZZLE_##swizzle, \
			   VPI_PACKING_##p0, VPI_PACKING_##p1, VPI_PACKING_##p2)
#define VPI_LIBMEM_SHORT4(model, spec, css, layout, type, swizzle, p0, p1, \
			  p2, p3) \
	VPI_LIBMEM_FORMAT4(model, spec, css, VPI_MEM_LAYOUT_##layout, \
			   VPI_DATA_TYPE_##type, VPI_SWIZZLE_##swizzle, \
			   VPI_PACKING_##p0, VPI_PACKING_##p1, \
			   VPI_PACKING_##p2, VPI_PACKING_##p3)

/* A pixel type has the swizzle that its packing's channels give. */
#define VPI_LIBMEM_PIXEL(layout, type, packing) \
	VPI_LIBMEM_FORMAT1(VPI_COLOR_MODEL_UNDEFINED, 0, 0, layout, type, \
		VPI_LIBMEM_SWIZZLE(1, \
			VPI_LIBMEM_TAKE(packing, 4, 2) >= 1 ? 2 : 0, \
			VPI_LIBMEM_TAKE(packing, 4, 2) >= 2 ? 3 : 0, \
			VPI_LIBMEM_TAKE(packing, 4, 2) >= 3 ? 4 : 0), packing)

#endif
