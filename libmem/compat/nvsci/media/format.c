// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * NvMedia: surface types. The number of a type consists of the values of its
 * attributes, so that no table of types is needed.
 */
#include "media.h"

/* Bits of each attribute, and a bit that the vendor's types do not have */
#define BITS		4U
#define ORDER_BITS	6U
#define IS_TYPE		(1U << 31)

#define NONE	NvSciColor_LowerBound
#define BPC(of)	NVM_SURF_ATTR_BITS_PER_COMPONENT_##of

/* Raw pixels by component order, from NVM_SURF_ATTR_COMPONENT_ORDER_RGGB on */
#define FIRST_RAW	NVM_SURF_ATTR_COMPONENT_ORDER_RGGB
#define NR_RAW		13U
#define BAYER(bits)							\
	NvSciColor_##bits##RGGB, NvSciColor_##bits##BGGR,		\
	NvSciColor_##bits##GRBG, NvSciColor_##bits##GBRG
#define CLEAR(bits)							\
	NvSciColor_##bits##RCCB, NvSciColor_##bits##BCCR,		\
	NvSciColor_##bits##CRBC, NvSciColor_##bits##CBRC,		\
	NvSciColor_##bits##RCCC, NvSciColor_##bits##CCCR,		\
	NvSciColor_##bits##CRCC, NvSciColor_##bits##CCRC
#define NO_CLEAR	NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE

static const uint32_t raws[][NR_RAW] = {
	[BPC(8)] = { BAYER(Bayer8), NO_CLEAR, NvSciColor_Bayer8CCCC },
	[BPC(10)] = { BAYER(X6Bayer10), NO_CLEAR, NvSciColor_X6Bayer10CCCC },
	[BPC(12)] = { BAYER(X4Bayer12), CLEAR(X4Bayer12),
		      NvSciColor_X4Bayer12CCCC },
	[BPC(14)] = { BAYER(X2Bayer14), NO_CLEAR, NvSciColor_X2Bayer14CCCC },
	[BPC(16)] = { BAYER(Bayer16), CLEAR(Bayer16), NvSciColor_Bayer16CCCC },
	[BPC(20)] = { BAYER(X12Bayer20), CLEAR(X12Bayer20),
		      NvSciColor_X12Bayer20CCCC },
};

#define NR_RAWS	(sizeof(raws) / sizeof(*raws))

/**
 * struct packed - a packed format that is not raw
 * @surf: NVM_SURF_ATTR_SURF_TYPE_*
 * @data: NVM_SURF_ATTR_DATA_TYPE_*
 * @bpc: NVM_SURF_ATTR_BITS_PER_COMPONENT_*
 * @order: NVM_SURF_ATTR_COMPONENT_ORDER_*, named from the lowest byte
 * @color: format of NvSciBuf
 */
struct packed {
	uint32_t surf;
	uint32_t data;
	uint32_t bpc;
	uint32_t order;
	uint32_t color;
};

#define PACKED(surf, data, bpc, order, color) \
	{ NVM_SURF_ATTR_SURF_TYPE_##surf, NVM_SURF_ATTR_DATA_TYPE_##data, \
	  BPC(bpc), NVM_SURF_ATTR_COMPONENT_ORDER_##order, NvSciColor_##color }

static const struct packed packeds[] = {
	PACKED(RGBA, UINT, 8, RGBA, A8B8G8R8),
	PACKED(RGBA, UINT, 8, ARGB, B8G8R8A8),
	PACKED(RGBA, UINT, 8, BGRA, A8R8G8B8),
	PACKED(RGBA, UINT, 8, ALPHA, A8),
	PACKED(RGBA, UINT, 16, RGBA, A16B16G16R16),
	PACKED(RGBA, FLOAT, 16, RGBA, Float_A16B16G16R16),
	PACKED(RGBA, UINT, LAYOUT_2_10_10_10, ARGB, A2R10G10B10),
	PACKED(RGBA, INT, 16, RG, Signed_R16G16),
	PACKED(YUV, UINT, 8, YUYV, Y8U8Y8V8),
	PACKED(YUV, UINT, 8, YVYU, Y8V8Y8U8),
	PACKED(YUV, UINT, 8, UYVY, U8Y8V8Y8),
	PACKED(YUV, UINT, 8, VYUY, V8Y8U8Y8),
	PACKED(YUV, UINT, 8, VUYX, A8Y8U8V8),
	PACKED(YUV, UINT, 16, VUYX, A16Y16U16V16),
};

/**
 * media_format_color() - return the colour format of a packed format
 * @format: format
 *
 * Return: NvSciBufAttrValColorFmt; NvSciColor_LowerBound: it is not packed.
 */
uint32_t media_format_color(const struct media_format *format)
{
	const uint32_t bpc = format->is[NVM_SURF_ATTR_BITS_PER_COMPONENT];
	const uint32_t order = format->is[NVM_SURF_ATTR_COMPONENT_ORDER];
	size_t i;

	if (format->is[NVM_SURF_ATTR_SURF_TYPE] == NVM_SURF_ATTR_SURF_TYPE_RAW)
		return bpc < NR_RAWS && order >= FIRST_RAW &&
		       order < FIRST_RAW + NR_RAW ?
		       raws[bpc][order - FIRST_RAW] : NONE;
	for (i = 0; i < sizeof(packeds) / sizeof(*packeds); i++) {
		const struct packed *of = &packeds[i];

		if (of->surf == format->is[NVM_SURF_ATTR_SURF_TYPE] &&
		    of->data == format->is[NVM_SURF_ATTR_DATA_TYPE] &&
		    of->bpc == bpc && of->order == order)
			return of->color;
	}
	return NONE;
}

/**
 * media_format_bpc() - return the bits of a component of planar YUV
 * @format: format
 *
 * Return: NvSciBufSurfBPC; NvSciSurfBPC_MaxValid: there is no such surface.
 */
uint32_t media_format_bpc(const struct media_format *format)
{
	switch (format->is[NVM_SURF_ATTR_BITS_PER_COMPONENT]) {
	case BPC(8):
		return NvSciSurfBPC_8;
	case BPC(10):
		return NvSciSurfBPC_10;
	case BPC(12):
		return NvSciSurfBPC_12;
	case BPC(14):
		return NvSciSurfBPC_14;
	case BPC(16):
		return NvSciSurfBPC_16;
	case BPC(LAYOUT_16_8_8):
		return NvSciSurfBPC_Layout_16_8_8;
	case BPC(LAYOUT_10_8_8):
		return NvSciSurfBPC_Layout_10_8_8;
	default:
		return NvSciSurfBPC_MaxValid;
	}
}

static bool media_format_has_planes(const struct media_format *format)
{
	const uint32_t sample = format->is[NVM_SURF_ATTR_SUB_SAMPLING_TYPE];
	const uint32_t order = format->is[NVM_SURF_ATTR_COMPONENT_ORDER];

	if (format->is[NVM_SURF_ATTR_SURF_TYPE] !=
	    NVM_SURF_ATTR_SURF_TYPE_YUV ||
	    media_format_bpc(format) == NvSciSurfBPC_MaxValid ||
	    sample > NVM_SURF_ATTR_SUB_SAMPLING_TYPE_422R)
		return false;
	/* A format without chroma must have neither subsampling nor order. */
	if (order == NVM_SURF_ATTR_COMPONENT_ORDER_LUMA)
		return sample == NVM_SURF_ATTR_SUB_SAMPLING_TYPE_NONE;
	return sample != NVM_SURF_ATTR_SUB_SAMPLING_TYPE_NONE &&
	       (order == NVM_SURF_ATTR_COMPONENT_ORDER_YUV ||
		order == NVM_SURF_ATTR_COMPONENT_ORDER_YVU);
}

static bool media_format_is_valid(const struct media_format *format)
{
	const uint32_t layout = format->is[NVM_SURF_ATTR_LAYOUT];
	const uint32_t memory = format->is[NVM_SURF_ATTR_MEMORY];

	if (layout != NVM_SURF_ATTR_LAYOUT_BL &&
	    layout != NVM_SURF_ATTR_LAYOUT_PL)
		return false;
	switch (memory) {
	case NVM_SURF_ATTR_MEMORY_PACKED:
		/* Luma alone may be declared as packed or as planar. */
		return media_format_color(format) != NONE ||
		       (format->is[NVM_SURF_ATTR_COMPONENT_ORDER] ==
			NVM_SURF_ATTR_COMPONENT_ORDER_LUMA &&
			media_format_has_planes(format));
	case NVM_SURF_ATTR_MEMORY_PLANAR:
	case NVM_SURF_ATTR_MEMORY_SEMI_PLANAR:
		return media_format_has_planes(format);
	default:
		return false;
	}
}

/**
 * media_format_find() - return the attributes of a surface type
 * @type: surface type, any number
 * @format: out: attributes
 *
 * Return: false if there is no such type.
 */
bool media_format_find(NvMediaSurfaceType type, struct media_format *format)
{
	uint32_t bits = type & ~IS_TYPE;
	unsigned int i;

	if (!(type & IS_TYPE))
		return false;
	for (i = 0; i < NVM_SURF_FMT_ATTR_MAX; i++) {
		const unsigned int nr = i == NVM_SURF_ATTR_COMPONENT_ORDER ?
					ORDER_BITS : BITS;

		format->is[i] = bits & ((1U << nr) - 1);
		bits >>= nr;
	}
	return !bits && media_format_is_valid(format);
}

API NvMediaSurfaceType
NvMediaSurfaceFormatGetType(const NvMediaSurfFormatAttr *attrs,
			    uint32_t numAttrs)
{
	struct media_format format = { 0 };
	uint32_t type = 0, seen = 0;
	unsigned int i;

	if (!attrs || numAttrs != NVM_SURF_FMT_ATTR_MAX)
		return NvMediaSurfaceType_Unsupported;
	for (i = 0; i < numAttrs; i++) {
		const uint32_t at = attrs[i].type;

		if (at >= NVM_SURF_FMT_ATTR_MAX || seen >> at & 1 ||
		    attrs[i].value >= 1U << ORDER_BITS)
			return NvMediaSurfaceType_Unsupported;
		seen |= 1U << at;
		format.is[at] = attrs[i].value;
	}
	for (i = NVM_SURF_FMT_ATTR_MAX; i-- > 0;) {
		if (i != NVM_SURF_ATTR_COMPONENT_ORDER &&
		    format.is[i] >= 1U << BITS)
			return NvMediaSurfaceType_Unsupported;
		type = type << (i == NVM_SURF_ATTR_COMPONENT_ORDER ?
				ORDER_BITS : BITS) | format.is[i];
	}
	return media_format_is_valid(&format) ? type | IS_TYPE :
	       NvMediaSurfaceType_Unsupported;
}
