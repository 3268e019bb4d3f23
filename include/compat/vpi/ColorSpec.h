/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the channels of an image mean. */
#ifndef NV_VPI_COLORSPEC_H
#define NV_VPI_COLORSPEC_H

#include <stdint.h>

#include "Export.h"
#include "detail/FormatUtils.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
	VPI_COLOR_MODEL_UNDEFINED = 0,
	VPI_COLOR_MODEL_YCbCr = 1,
	VPI_COLOR_MODEL_RGB = 2,
	VPI_COLOR_MODEL_RAW = 9,
	VPI_COLOR_MODEL_XYZ
} VPIColorModel;

/* Primaries and white point */
typedef enum {
	VPI_COLOR_SPACE_SENSOR,
	VPI_COLOR_SPACE_BT601,
	VPI_COLOR_SPACE_BT709,
	VPI_COLOR_SPACE_BT2020,
	VPI_COLOR_SPACE_DCIP3,
	VPI_COLOR_SPACE_UNDEFINED = INT32_MAX
} VPIColorSpace;

typedef enum {
	VPI_WHITE_POINT_D65,
	VPI_WHITE_POINT_UNDEFINED = INT32_MAX
} VPIWhitePoint;

typedef enum {
	VPI_YCbCr_ENC_UNDEFINED = 0,
	VPI_YCbCr_ENC_BT601,
	VPI_YCbCr_ENC_BT709,
	VPI_YCbCr_ENC_BT2020,
	VPI_YCbCr_ENC_BT2020c,
	VPI_YCbCr_ENC_SMPTE240M
} VPIYCbCrEncoding;

typedef enum {
	VPI_COLOR_XFER_LINEAR,
	VPI_COLOR_XFER_sRGB,
	VPI_COLOR_XFER_sYCC,
	VPI_COLOR_XFER_PQ,
	VPI_COLOR_XFER_BT709,
	VPI_COLOR_XFER_BT2020,
	VPI_COLOR_XFER_SMPTE240M
} VPIColorTransferFunction;

typedef enum {
	VPI_COLOR_RANGE_FULL,
	VPI_COLOR_RANGE_LIMITED
} VPIColorRange;

typedef enum {
	VPI_CHROMA_LOC_EVEN = 0,
	VPI_CHROMA_LOC_CENTER = 1,
	VPI_CHROMA_LOC_ODD = 2,
	VPI_CHROMA_LOC_BOTH = 3
} VPIChromaLocation;

/* Of names without what they begin with */
#define VPI_LIBMEM_SHORT_SPEC(space, encoding, xfer, range, horiz, vert) \
	VPI_LIBMEM_SPEC(VPI_COLOR_##space, VPI_YCbCr_##encoding, \
			VPI_COLOR_##xfer, VPI_COLOR_##range, \
			VPI_CHROMA_##horiz, VPI_CHROMA_##vert)

#define VPI_LIBMEM_NAMED_SPEC(name, space, encoding, xfer, range, horiz, vert) \
	VPI_COLOR_SPEC_##name = \
		VPI_LIBMEM_SHORT_SPEC(SPACE_##space, ENC_##encoding, \
				      XFER_##xfer, RANGE_##range, \
				      LOC_##horiz, LOC_##vert)

/* All of the above but the model, in 15 bits */
typedef enum {
	VPI_COLOR_SPEC_INVALID = INT32_MAX,
	VPI_LIBMEM_NAMED_SPEC(DEFAULT, UNDEFINED, UNDEFINED, LINEAR,
			      FULL, BOTH, BOTH),
	VPI_LIBMEM_NAMED_SPEC(UNDEFINED, BT709, UNDEFINED, LINEAR,
			      FULL, BOTH, BOTH),
	VPI_LIBMEM_NAMED_SPEC(BT601, BT709, BT601, BT709,
			      LIMITED, EVEN, EVEN),
	VPI_LIBMEM_NAMED_SPEC(BT601_ER, BT709, BT601, BT709,
			      FULL, EVEN, EVEN),
	VPI_LIBMEM_NAMED_SPEC(BT709, BT709, BT709, BT709,
			      LIMITED, EVEN, EVEN),
	VPI_LIBMEM_NAMED_SPEC(BT709_ER, BT709, BT709, BT709,
			      FULL, EVEN, EVEN),
	VPI_LIBMEM_NAMED_SPEC(BT709_LINEAR, BT709, BT709, LINEAR,
			      LIMITED, EVEN, EVEN),
	VPI_LIBMEM_NAMED_SPEC(BT2020, BT2020, BT2020, BT2020,
			      LIMITED, EVEN, EVEN),
	VPI_LIBMEM_NAMED_SPEC(BT2020_ER, BT2020, BT2020, BT2020,
			      FULL, EVEN, EVEN),
	VPI_LIBMEM_NAMED_SPEC(BT2020_LINEAR, BT2020, BT2020, LINEAR,
			      LIMITED, EVEN, EVEN),
	VPI_LIBMEM_NAMED_SPEC(BT2020_PQ, BT2020, BT2020, PQ,
			      LIMITED, EVEN, EVEN),
	VPI_LIBMEM_NAMED_SPEC(BT2020_PQ_ER, BT2020, BT2020, PQ,
			      FULL, EVEN, EVEN),
	VPI_LIBMEM_NAMED_SPEC(BT2020c, BT2020, BT2020c, BT2020,
			      LIMITED, EVEN, EVEN),
	VPI_LIBMEM_NAMED_SPEC(BT2020c_ER, BT2020, BT2020c, BT2020,
			      FULL, EVEN, EVEN),
	VPI_LIBMEM_NAMED_SPEC(MPEG2_BT601, BT709, BT601, BT709,
			      FULL, EVEN, CENTER),
	VPI_LIBMEM_NAMED_SPEC(MPEG2_BT709, BT709, BT709, BT709,
			      FULL, EVEN, CENTER),
	VPI_LIBMEM_NAMED_SPEC(MPEG2_SMPTE240M, BT709, SMPTE240M, SMPTE240M,
			      FULL, EVEN, CENTER),
	VPI_LIBMEM_NAMED_SPEC(sRGB, BT709, UNDEFINED, sRGB,
			      FULL, BOTH, BOTH),
	VPI_LIBMEM_NAMED_SPEC(sYCC, BT709, BT601, sYCC,
			      FULL, CENTER, CENTER),
	VPI_LIBMEM_NAMED_SPEC(SMPTE240M, BT709, SMPTE240M, SMPTE240M,
			      LIMITED, EVEN, EVEN),
	VPI_LIBMEM_NAMED_SPEC(DISPLAYP3, DCIP3, UNDEFINED, sRGB,
			      FULL, BOTH, BOTH),
	VPI_LIBMEM_NAMED_SPEC(DISPLAYP3_LINEAR, DCIP3, UNDEFINED, LINEAR,
			      FULL, BOTH, BOTH),
	VPI_LIBMEM_NAMED_SPEC(SENSOR, SENSOR, UNDEFINED, LINEAR,
			      FULL, BOTH, BOTH)
} VPIColorSpec;

#define VPI_MAKE_COLOR_SPEC(space, encoding, xfer, range, horiz, vert) \
	((VPIColorSpec)VPI_LIBMEM_SPEC(space, encoding, xfer, range, horiz, \
				       vert))
#define VPI_MAKE_COLOR_SPEC_ABBREV(space, encoding, xfer, range, horiz, vert) \
	((VPIColorSpec)VPI_LIBMEM_SHORT_SPEC(space, encoding, xfer, range, \
					     horiz, vert))

/* Bayer patterns; C: clear */
typedef enum {
	VPI_RAW_INVALID,
	VPI_RAW_BAYER_RGGB,
	VPI_RAW_BAYER_BGGR,
	VPI_RAW_BAYER_GRBG,
	VPI_RAW_BAYER_GBRG,
	VPI_RAW_BAYER_RCCB,
	VPI_RAW_BAYER_BCCR,
	VPI_RAW_BAYER_CRBC,
	VPI_RAW_BAYER_CBRC,
	VPI_RAW_BAYER_RCCC,
	VPI_RAW_BAYER_CRCC,
	VPI_RAW_BAYER_CCRC,
	VPI_RAW_BAYER_CCCR,
	VPI_RAW_BAYER_CCCC,
	VPI_RAW_FORCE8 = UINT8_MAX
} VPIRawPattern;

typedef enum {
	VPI_CSS_INVALID = -1,
	VPI_CSS_NONE = 0,
	VPI_CSS_444 = VPI_CSS_NONE,
	VPI_CSS_422,
	VPI_CSS_422R,	/* full width, half height */
	VPI_CSS_411,
	VPI_CSS_411R,	/* full width, a quarter of the height */
	VPI_CSS_420
} VPIChromaSubsampling;

/**
 * vpiMakeColorSpec() - a colour spec of its parts
 * @cspace: primaries and white point
 * @encoding: of YCbCr
 * @xferFunc: transfer function
 * @range: full or limited
 * @locHoriz: where chroma is sampled
 * @locVert: where chroma is sampled
 *
 * Context: any.
 * Return: the colour spec.
 */
VPI_PUBLIC VPIColorSpec vpiMakeColorSpec(VPIColorSpace cspace,
					 VPIYCbCrEncoding encoding,
					 VPIColorTransferFunction xferFunc,
					 VPIColorRange range,
					 VPIChromaLocation locHoriz,
					 VPIChromaLocation locVert);

/**
 * vpiMakeChromaSubsampling() - chroma subsampling of its samples
 * @samplesHoriz: chroma samples of four luma samples: 1, 2 or 4
 * @samplesVert: the same of rows
 *
 * Context: any.
 * Return: the subsampling, or VPI_CSS_INVALID.
 */
VPI_PUBLIC VPIChromaSubsampling vpiMakeChromaSubsampling(int samplesHoriz,
							 int samplesVert);

/**
 * vpiChromaSubsamplingGetSamplesHoriz() - chroma samples in a row
 * @css: subsampling
 *
 * Context: any.
 * Return: those of four luma samples; 0: no such subsampling.
 */
VPI_PUBLIC int vpiChromaSubsamplingGetSamplesHoriz(VPIChromaSubsampling css);

/**
 * vpiChromaSubsamplingGetSamplesVert() - chroma samples in a column
 * @css: subsampling
 *
 * Context: any.
 * Return: those of four luma samples; 0: no such subsampling.
 */
VPI_PUBLIC int vpiChromaSubsamplingGetSamplesVert(VPIChromaSubsampling css);

/**
 * vpiColorSpecGetSpace() - primaries and white point of a colour spec
 * @cspec: colour spec
 *
 * Context: any.
 * Return: VPIColorSpace.
 */
VPI_PUBLIC VPIColorSpace vpiColorSpecGetSpace(VPIColorSpec cspec);

/**
 * vpiColorSpecGetYCbCrEncoding() - encoding of a colour spec
 * @cspec: colour spec
 *
 * Context: any.
 * Return: VPIYCbCrEncoding.
 */
VPI_PUBLIC VPIYCbCrEncoding vpiColorSpecGetYCbCrEncoding(VPIColorSpec cspec);

/**
 * vpiColorSpecGetTransferFunction() - transfer function of a colour spec
 * @cspec: colour spec
 *
 * Context: any.
 * Return: VPIColorTransferFunction.
 */
VPI_PUBLIC VPIColorTransferFunction
vpiColorSpecGetTransferFunction(VPIColorSpec cspec);

/**
 * vpiColorSpecGetRange() - range of a colour spec
 * @cspec: colour spec
 *
 * Context: any.
 * Return: VPIColorRange.
 */
VPI_PUBLIC VPIColorRange vpiColorSpecGetRange(VPIColorSpec cspec);

/**
 * vpiColorSpecGetChromaLocHoriz() - horizontal place of chroma of a colour spec
 * @cspec: colour spec
 *
 * Context: any.
 * Return: VPIChromaLocation.
 */
VPI_PUBLIC VPIChromaLocation
vpiColorSpecGetChromaLocHoriz(VPIColorSpec cspec);

/**
 * vpiColorSpecGetChromaLocVert() - vertical place of chroma of a colour spec
 * @cspec: colour spec
 *
 * Context: any.
 * Return: VPIChromaLocation.
 */
VPI_PUBLIC VPIChromaLocation vpiColorSpecGetChromaLocVert(VPIColorSpec cspec);

#ifdef __cplusplus
}
#endif

#endif
