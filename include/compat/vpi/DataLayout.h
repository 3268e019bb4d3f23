/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the channels of a pixel lie in memory. */
#ifndef NV_VPI_DATALAYOUT_H
#define NV_VPI_DATALAYOUT_H

#include <stdint.h>

#include "Export.h"
#include "detail/FormatUtils.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Most channels of a format */
#define VPI_MAX_CHANNEL_COUNT (4)

/*
 * Channels X, Y, Z, W with their bits; b: bits that are not used. Those that
 * are written together lie in one word, the first in its highest bits; "_"
 * begins the next word, "__" the next pixel.
 */
typedef enum {
	VPI_PACKING_0 = 0,
	VPI_PACKING_X1 = VPI_LIBMEM_PACKING(1, 1),
	VPI_PACKING_X2 = VPI_LIBMEM_PACKING(2, 1),
	VPI_PACKING_X4 = VPI_LIBMEM_PACKING(4, 1),
	VPI_PACKING_X8 = VPI_LIBMEM_PACKING(8, 1),
	VPI_PACKING_X4Y4 = VPI_LIBMEM_PACKING(8, 2),
	VPI_PACKING_X3Y3Z2 = VPI_LIBMEM_PACKING(8, 3),
	VPI_PACKING_X16 = VPI_LIBMEM_PACKING(16, 1),
	VPI_PACKING_b6X10,
	VPI_PACKING_X10b6,
	VPI_PACKING_b4X12,
	VPI_PACKING_X12b4,
	VPI_PACKING_b2X14,
	VPI_PACKING_X8_Y8 = VPI_LIBMEM_PACKING(16, 2),
	VPI_PACKING_X5Y5Z6 = VPI_LIBMEM_PACKING(16, 3),
	VPI_PACKING_X5Y6Z5,
	VPI_PACKING_X6Y5Z5,
	VPI_PACKING_b4X4Y4Z4,
	VPI_PACKING_b1X5Y5Z5,
	VPI_PACKING_X5Y5b1Z5,
	VPI_PACKING_X1Y5Z5W5 = VPI_LIBMEM_PACKING(16, 4),
	VPI_PACKING_X4Y4Z4W4,
	VPI_PACKING_X5Y1Z5W5,
	VPI_PACKING_X5Y5Z1W5,
	VPI_PACKING_X5Y5Z5W1,
	VPI_PACKING_X8_Y8__X8_Z8,
	VPI_PACKING_Y8_X8__Z8_X8,
	VPI_PACKING_X24 = VPI_LIBMEM_PACKING(24, 1),
	VPI_PACKING_X8_Y8_Z8 = VPI_LIBMEM_PACKING(24, 3),
	VPI_PACKING_X32 = VPI_LIBMEM_PACKING(32, 1),
	VPI_PACKING_b12X20,
	VPI_PACKING_X16_Y16 = VPI_LIBMEM_PACKING(32, 2),
	VPI_PACKING_X10b6_Y10b6,
	VPI_PACKING_X12b4_Y12b4,
	VPI_PACKING_X10Y11Z11 = VPI_LIBMEM_PACKING(32, 3),
	VPI_PACKING_X11Y11Z10,
	VPI_PACKING_X8_Y8_Z8_W8 = VPI_LIBMEM_PACKING(32, 4),
	VPI_PACKING_X2Y10Z10W10,
	VPI_PACKING_X10Y10Z10W2,
	VPI_PACKING_X48 = VPI_LIBMEM_PACKING(48, 1),
	VPI_PACKING_X16_Y16_Z16 = VPI_LIBMEM_PACKING(48, 3),
	VPI_PACKING_X64 = VPI_LIBMEM_PACKING(64, 1),
	VPI_PACKING_X32_Y32 = VPI_LIBMEM_PACKING(64, 2),
	VPI_PACKING_X16_Y16_Z16_W16 = VPI_LIBMEM_PACKING(64, 4),
	VPI_PACKING_X96 = VPI_LIBMEM_PACKING(96, 1),
	VPI_PACKING_X32_Y32_Z32 = VPI_LIBMEM_PACKING(96, 3),
	VPI_PACKING_X128 = VPI_LIBMEM_PACKING(128, 1),
	VPI_PACKING_X64_Y64 = VPI_LIBMEM_PACKING(128, 2),
	VPI_PACKING_X32_Y32_Z32_W32 = VPI_LIBMEM_PACKING(128, 4),
	VPI_PACKING_X192 = VPI_LIBMEM_PACKING(192, 1),
	VPI_PACKING_X64_Y64_Z64 = VPI_LIBMEM_PACKING(192, 3),
	VPI_PACKING_X256 = VPI_LIBMEM_PACKING(256, 1),
	VPI_PACKING_X64_Y64_Z64_W64 = VPI_LIBMEM_PACKING(256, 4),
	VPI_PACKING_INVALID = INT32_MAX
} VPIPacking;

typedef enum {
	VPI_DATA_TYPE_INVALID = 0,
	VPI_DATA_TYPE_UNSIGNED,
	VPI_DATA_TYPE_SIGNED,
	VPI_DATA_TYPE_FLOAT,
	VPI_DATA_TYPE_FLOATISP
} VPIDataType;

typedef enum {
	VPI_MEM_LAYOUT_INVALID = 0,
	VPI_MEM_LAYOUT_PITCH_LINEAR,
	VPI_MEM_LAYOUT_BLOCK1_LINEAR,
	VPI_MEM_LAYOUT_BLOCK2_LINEAR,
	VPI_MEM_LAYOUT_BLOCK4_LINEAR,
	VPI_MEM_LAYOUT_BLOCK8_LINEAR,
	VPI_MEM_LAYOUT_BLOCK16_LINEAR,
	VPI_MEM_LAYOUT_BLOCK32_LINEAR,
	VPI_MEM_LAYOUT_BLOCK_LINEAR = VPI_MEM_LAYOUT_BLOCK2_LINEAR,
	VPI_MEM_LAYOUT_PL = VPI_MEM_LAYOUT_PITCH_LINEAR,
	VPI_MEM_LAYOUT_BL = VPI_MEM_LAYOUT_BLOCK_LINEAR
} VPIMemLayout;

typedef enum {
	VPI_CHANNEL_INVALID = 7,
	VPI_CHANNEL_0 = 0,
	VPI_CHANNEL_X,
	VPI_CHANNEL_Y,
	VPI_CHANNEL_Z,
	VPI_CHANNEL_W,
	VPI_CHANNEL_1		/* the largest value */
} VPIChannel;

#define VPI_LIBMEM_SHORT_SWIZZLE(x, y, z, w) \
	VPI_LIBMEM_SWIZZLE(VPI_CHANNEL_##x, VPI_CHANNEL_##y, \
			   VPI_CHANNEL_##z, VPI_CHANNEL_##w)
#define VPI_LIBMEM_NAMED_SWIZZLE(x, y, z, w) \
	VPI_SWIZZLE_##x##y##z##w = VPI_LIBMEM_SHORT_SWIZZLE(x, y, z, w)

/* Where each channel comes from */
typedef enum {
	VPI_SWIZZLE_INVALID =
		VPI_LIBMEM_SHORT_SWIZZLE(INVALID, INVALID, INVALID, INVALID),
	VPI_LIBMEM_NAMED_SWIZZLE(0, 0, 0, 0),
	VPI_LIBMEM_NAMED_SWIZZLE(1, 0, 0, 0),
	VPI_LIBMEM_NAMED_SWIZZLE(0, 0, 0, 1),
	VPI_LIBMEM_NAMED_SWIZZLE(X, Y, Z, W),
	VPI_LIBMEM_NAMED_SWIZZLE(Z, Y, X, W),
	VPI_LIBMEM_NAMED_SWIZZLE(W, X, Y, Z),
	VPI_LIBMEM_NAMED_SWIZZLE(W, Z, Y, X),
	VPI_LIBMEM_NAMED_SWIZZLE(Y, Z, W, X),
	VPI_LIBMEM_NAMED_SWIZZLE(X, Y, Z, 1),
	VPI_LIBMEM_NAMED_SWIZZLE(X, Y, Z, 0),
	VPI_LIBMEM_NAMED_SWIZZLE(Y, Z, W, 1),
	VPI_LIBMEM_NAMED_SWIZZLE(X, X, X, 1),
	VPI_LIBMEM_NAMED_SWIZZLE(X, Z, Y, 1),
	VPI_LIBMEM_NAMED_SWIZZLE(Z, Y, X, 1),
	VPI_LIBMEM_NAMED_SWIZZLE(Z, Y, X, 0),
	VPI_LIBMEM_NAMED_SWIZZLE(W, Z, Y, 1),
	VPI_LIBMEM_NAMED_SWIZZLE(X, 0, 0, 0),
	VPI_LIBMEM_NAMED_SWIZZLE(0, X, 0, 0),
	VPI_LIBMEM_NAMED_SWIZZLE(0, 0, X, 0),
	VPI_LIBMEM_NAMED_SWIZZLE(0, 0, 0, X),
	VPI_LIBMEM_NAMED_SWIZZLE(Y, 0, 0, 0),
	VPI_LIBMEM_NAMED_SWIZZLE(0, Y, 0, 0),
	VPI_LIBMEM_NAMED_SWIZZLE(0, 0, Y, 0),
	VPI_LIBMEM_NAMED_SWIZZLE(0, 0, 0, Y),
	VPI_LIBMEM_NAMED_SWIZZLE(0, X, Y, 0),
	VPI_LIBMEM_NAMED_SWIZZLE(X, X, X, Y),
	VPI_LIBMEM_NAMED_SWIZZLE(Y, Y, Y, X),
	VPI_LIBMEM_NAMED_SWIZZLE(0, Y, X, 0),
	VPI_LIBMEM_NAMED_SWIZZLE(X, 0, 0, Y),
	VPI_LIBMEM_NAMED_SWIZZLE(Y, 0, 0, X),
	VPI_LIBMEM_NAMED_SWIZZLE(X, 0, 0, 1),
	VPI_LIBMEM_NAMED_SWIZZLE(X, Y, 0, 1),
	VPI_LIBMEM_NAMED_SWIZZLE(X, Y, 0, 0),
	VPI_LIBMEM_NAMED_SWIZZLE(0, X, Z, 0),
	VPI_LIBMEM_NAMED_SWIZZLE(0, Z, X, 0),
	VPI_LIBMEM_NAMED_SWIZZLE(X, Z, Y, 0),
	VPI_LIBMEM_NAMED_SWIZZLE(Y, Z, X, 1),
	VPI_LIBMEM_NAMED_SWIZZLE(Z, Y, W, 1),
	VPI_LIBMEM_NAMED_SWIZZLE(0, Y, X, 1),
	VPI_LIBMEM_NAMED_SWIZZLE(X, Y, X, Z),
	VPI_LIBMEM_NAMED_SWIZZLE(Y, X, Z, X),
	VPI_LIBMEM_NAMED_SWIZZLE(X, Z, 0, 0),
	VPI_LIBMEM_NAMED_SWIZZLE(W, Y, X, Z),
	VPI_LIBMEM_NAMED_SWIZZLE(Y, X, 0, 0),
	VPI_LIBMEM_NAMED_SWIZZLE(Y, X, 0, 1),
	VPI_LIBMEM_NAMED_SWIZZLE(0, 0, Y, X),
	VPI_LIBMEM_NAMED_SWIZZLE(0, 0, X, Y),
	VPI_LIBMEM_NAMED_SWIZZLE(0, X, Y, 1),
	VPI_LIBMEM_NAMED_SWIZZLE(0, X, 0, 1),
	VPI_LIBMEM_NAMED_SWIZZLE(Y, Z, X, W),
	VPI_LIBMEM_NAMED_SWIZZLE(Y, W, 0, 0),
	VPI_LIBMEM_NAMED_SWIZZLE(X, Y, W, 0),
	VPI_LIBMEM_NAMED_SWIZZLE(Y, Z, W, 0)
} VPISwizzle;

#define VPI_MAKE_SWIZZLE(x, y, z, w) \
	((VPISwizzle)VPI_LIBMEM_SWIZZLE(x, y, z, w))
#define VPI_MAKE_SWIZZLE_ABBREV(x, y, z, w) \
	((VPISwizzle)VPI_LIBMEM_SHORT_SWIZZLE(x, y, z, w))

/**
 * vpiMakeSwizzle() - a swizzle of its channels
 * @x: first
 * @y: second
 * @z: third
 * @w: fourth
 *
 * Context: any.
 * Return: the swizzle.
 */
VPI_PUBLIC VPISwizzle vpiMakeSwizzle(VPIChannel x, VPIChannel y, VPIChannel z,
				     VPIChannel w);

/**
 * vpiSwizzleGetChannels() - channels of a swizzle
 * @swizzle: swizzle
 * @channels: out: four; NULL: nothing is done
 *
 * Context: any.
 */
VPI_PUBLIC void vpiSwizzleGetChannels(VPISwizzle swizzle,
				      VPIChannel *channels);

/**
 * vpiSwizzleGetChannelCount() - how many channels a swizzle has
 * @swizzle: swizzle
 *
 * Context: any.
 * Return: those that are one of X to W.
 */
VPI_PUBLIC int vpiSwizzleGetChannelCount(VPISwizzle swizzle);

typedef enum {
	VPI_INVALID_ENDIAN,
	VPI_HOST_ENDIAN,
	VPI_BIG_ENDIAN
} VPIEndianness;

/**
 * struct VPIPackingParams - the order of a packing's bits
 * @endianness: VPI_HOST_ENDIAN: one word, the first component in its highest
 *	bits; VPI_BIG_ENDIAN: the first component has the lowest address
 * @swizzle: component of each channel, X: the first one
 * @bits: bits of each component; 0: it does not exist
 */
typedef struct {
	VPIEndianness endianness;
	VPISwizzle swizzle;
	int bits[4];
} VPIPackingParams;

/**
 * vpiMakePacking() - a packing with these parameters
 * @params: parameters; a swizzle VPI_SWIZZLE_0000 or VPI_SWIZZLE_INVALID: the
 *	first packing with these bits; a channel alone has any endianness
 *
 * Context: any.
 * Return: the packing; VPI_PACKING_INVALID: none has them, or @params is NULL.
 */
VPI_PUBLIC VPIPacking vpiMakePacking(const VPIPackingParams *params);

/**
 * vpiPackingGetParams() - parameters of a packing
 * @packing: packing
 * @params: out: parameters, with VPI_INVALID_ENDIAN if there is no such
 *	packing; NULL: nothing is done
 *
 * Context: any.
 */
VPI_PUBLIC void vpiPackingGetParams(VPIPacking packing,
				    VPIPackingParams *params);

/**
 * vpiPackingGetBitsPerComponent() - bits of each component
 * @packing: packing
 * @bits: out: four, as in VPIPackingParams; NULL: nothing is done
 *
 * Context: any.
 */
VPI_PUBLIC void vpiPackingGetBitsPerComponent(VPIPacking packing,
					      int32_t *bits);

/**
 * vpiPackingGetComponentCount() - how many channels a packing has
 * @packing: packing
 *
 * Context: any.
 * Return: 0 to 4.
 */
VPI_PUBLIC int vpiPackingGetComponentCount(VPIPacking packing);

/**
 * vpiPackingGetBitsPerPixel() - bits of a pixel
 * @packing: packing
 *
 * Context: any.
 * Return: bits; 0: VPI_PACKING_0 or VPI_PACKING_INVALID.
 */
VPI_PUBLIC int vpiPackingGetBitsPerPixel(VPIPacking packing);

#ifdef __cplusplus
}
#endif

#endif
