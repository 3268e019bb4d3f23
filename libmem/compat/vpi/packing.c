// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Packings: the order of their bits, as parameters.
 *
 * The vendor's headers do not say which parameters a packing with unused bits
 * has. The values are those of CV-CUDA, which has the same packings, in
 * nvcvPackingGetParams() and its tests.
 */
#include <string.h>

#include "vpi.h"

/* A word, with X in the highest bits; or several words in memory order */
#define ROW(name, order, swizzle, ...) \
	{ VPI_PACKING_##name, { VPI_##order##_ENDIAN, \
				VPI_SWIZZLE_##swizzle, { __VA_ARGS__ } } }
#define ONE(bits)	ROW(X##bits, HOST, X000, bits)

/* Packings with unused or repeated bits follow those with the same bits. */
static const struct row {
	VPIPacking packing;
	VPIPackingParams params;
} rows[] = {
	ONE(1), ONE(2), ONE(4), ONE(8), ONE(16), ONE(24), ONE(32), ONE(48),
	ONE(64), ONE(96), ONE(128), ONE(192), ONE(256),
	ROW(X4Y4, HOST, XY00, 4, 4),
	ROW(X3Y3Z2, HOST, XYZ0, 3, 3, 2),
	ROW(X5Y5Z6, HOST, XYZ0, 5, 5, 6),
	ROW(X5Y6Z5, HOST, XYZ0, 5, 6, 5),
	ROW(X6Y5Z5, HOST, XYZ0, 6, 5, 5),
	ROW(X1Y5Z5W5, HOST, XYZW, 1, 5, 5, 5),
	ROW(X4Y4Z4W4, HOST, XYZW, 4, 4, 4, 4),
	ROW(X5Y1Z5W5, HOST, XYZW, 5, 1, 5, 5),
	ROW(X5Y5Z1W5, HOST, XYZW, 5, 5, 1, 5),
	ROW(X5Y5Z5W1, HOST, XYZW, 5, 5, 5, 1),
	ROW(X10Y11Z11, HOST, XYZ0, 10, 11, 11),
	ROW(X11Y11Z10, HOST, XYZ0, 11, 11, 10),
	ROW(X2Y10Z10W10, HOST, XYZW, 2, 10, 10, 10),
	ROW(X10Y10Z10W2, HOST, XYZW, 10, 10, 10, 2),
	ROW(X8_Y8, BIG, XY00, 8, 8),
	ROW(X8_Y8_Z8, BIG, XYZ0, 8, 8, 8),
	ROW(X8_Y8_Z8_W8, BIG, XYZW, 8, 8, 8, 8),
	ROW(X16_Y16, BIG, XY00, 16, 16),
	ROW(X16_Y16_Z16, BIG, XYZ0, 16, 16, 16),
	ROW(X16_Y16_Z16_W16, BIG, XYZW, 16, 16, 16, 16),
	ROW(X32_Y32, BIG, XY00, 32, 32),
	ROW(X32_Y32_Z32, BIG, XYZ0, 32, 32, 32),
	ROW(X32_Y32_Z32_W32, BIG, XYZW, 32, 32, 32, 32),
	ROW(X64_Y64, BIG, XY00, 64, 64),
	ROW(X64_Y64_Z64, BIG, XYZ0, 64, 64, 64),
	ROW(X64_Y64_Z64_W64, BIG, XYZW, 64, 64, 64, 64),
	ROW(b6X10, HOST, Y000, 6, 10),
	ROW(X10b6, BIG, X000, 10, 6),
	ROW(b4X12, HOST, Y000, 4, 12),
	ROW(X12b4, BIG, X000, 12, 4),
	ROW(b2X14, HOST, Y000, 2, 14),
	ROW(b12X20, HOST, Y000, 12, 20),
	ROW(b4X4Y4Z4, HOST, YZW0, 4, 4, 4, 4),
	ROW(b1X5Y5Z5, HOST, YZW0, 1, 5, 5, 5),
	ROW(X5Y5b1Z5, HOST, XYW0, 5, 5, 1, 5),
	ROW(X10b6_Y10b6, BIG, XZ00, 10, 6, 10, 6),
	ROW(X12b4_Y12b4, BIG, XZ00, 12, 4, 12, 4),
	ROW(X8_Y8__X8_Z8, BIG, XYXZ, 8, 8, 8, 8),
	ROW(Y8_X8__Z8_X8, BIG, YXZX, 8, 8, 8, 8),
};

#define NR_ROWS		(sizeof(rows) / sizeof(*rows))

/* A channel alone has no order. */
static bool packing_is_like(const VPIPackingParams *row,
			    const VPIPackingParams *params)
{
	const VPISwizzle swizzle = params->swizzle;

	return !memcmp(row->bits, params->bits, sizeof(row->bits)) &&
	       (params->endianness == row->endianness ||
		(params->endianness && !row->bits[1])) &&
	       (swizzle == row->swizzle || swizzle == VPI_SWIZZLE_0000 ||
		swizzle == VPI_SWIZZLE_INVALID);
}

VPI_PUBLIC VPIPacking vpiMakePacking(const VPIPackingParams *params)
{
	size_t i;

	for (i = 0; params && i < NR_ROWS; i++)
		if (packing_is_like(&rows[i].params, params))
			return rows[i].packing;
	return VPI_PACKING_INVALID;
}

VPI_PUBLIC void vpiPackingGetParams(VPIPacking packing,
				    VPIPackingParams *params)
{
	size_t i;

	if (!params)
		return;
	*params = (VPIPackingParams) { .endianness = VPI_INVALID_ENDIAN };
	for (i = 0; i < NR_ROWS; i++)
		if (rows[i].packing == packing)
			*params = rows[i].params;
}

VPI_PUBLIC void vpiPackingGetBitsPerComponent(VPIPacking packing, int32_t *bits)
{
	VPIPackingParams params;

	vpiPackingGetParams(packing, &params);
	if (bits)
		memcpy(bits, params.bits, sizeof(params.bits));
}

/* Stores the bits of at most @most channels, and returns their number. */
static int packing_channel_bits(VPIPacking packing, int32_t *bits, int most)
{
	int i, nr = vpiPackingGetComponentCount(packing);
	VPIChannel channels[4];
	VPIPackingParams params;

	vpiPackingGetParams(packing, &params);
	vpiSwizzleGetChannels(params.swizzle, channels);
	if (nr > most)
		nr = most;
	for (i = 0; i < nr && channels[i]; i++)
		bits[i] = params.bits[channels[i] - VPI_CHANNEL_X];
	return i;
}

VPI_PUBLIC void vpiImageFormatGetBitsPerChannel(VPIImageFormat fmt,
						int32_t *bits)
{
	int plane, nr = 0;

	if (!bits)
		return;
	memset(bits, 0, VPI_MAX_CHANNEL_COUNT * sizeof(*bits));
	for (plane = 0; plane < vpiImageFormatGetPlaneCount(fmt); plane++)
		nr += packing_channel_bits(vpiImageFormatGetPlanePacking(fmt,
									 plane),
					   bits + nr,
					   VPI_MAX_CHANNEL_COUNT - nr);
}
