/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Image formats: what planes an image has, and what their channels mean. */
#ifndef NV_VPI_IMAGE_FORMAT_H
#define NV_VPI_IMAGE_FORMAT_H

#include <assert.h>
#include <stdint.h>

#include "ColorSpec.h"
#include "DataLayout.h"
#include "PixelType.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t VPIImageFormat;

/* Formats of one's own: of whole names, and of what follows their beginning */
#define VPI_MAKE_YCbCr_IMAGE_FORMAT(spec, css, layout, type, swizzle, planes, \
				    ...) \
	((VPIImageFormat)VPI_LIBMEM_FORMAT##planes(VPI_COLOR_MODEL_YCbCr, \
		spec, css, layout, type, swizzle, __VA_ARGS__))
#define VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(spec, css, layout, type, swizzle, \
					   planes, ...) \
	((VPIImageFormat)VPI_LIBMEM_SHORT##planes(VPI_COLOR_MODEL_YCbCr, \
		VPI_COLOR_SPEC_##spec, VPI_CSS_##css, layout, type, swizzle, \
		__VA_ARGS__))
#define VPI_MAKE_COLOR_IMAGE_FORMAT(model, spec, layout, type, swizzle, \
				    planes, ...) \
	((VPIImageFormat)VPI_LIBMEM_FORMAT##planes(model, spec, VPI_CSS_NONE, \
		layout, type, swizzle, __VA_ARGS__))
#define VPI_MAKE_COLOR_IMAGE_FORMAT_ABBREV(model, spec, layout, type, \
					   swizzle, planes, ...) \
	((VPIImageFormat)VPI_LIBMEM_SHORT##planes(VPI_COLOR_MODEL_##model, \
		VPI_COLOR_SPEC_##spec, VPI_CSS_NONE, layout, type, swizzle, \
		__VA_ARGS__))
#define VPI_MAKE_NONCOLOR_IMAGE_FORMAT(layout, type, swizzle, planes, ...) \
	((VPIImageFormat)VPI_LIBMEM_FORMAT##planes(VPI_COLOR_MODEL_UNDEFINED, \
		VPI_COLOR_SPEC_UNDEFINED, VPI_CSS_NONE, layout, type, \
		swizzle, __VA_ARGS__))
#define VPI_MAKE_NONCOLOR_IMAGE_FORMAT_ABBREV(layout, type, swizzle, planes, \
					      ...) \
	((VPIImageFormat)VPI_LIBMEM_SHORT##planes(VPI_COLOR_MODEL_UNDEFINED, \
		VPI_COLOR_SPEC_UNDEFINED, VPI_CSS_NONE, layout, type, \
		swizzle, __VA_ARGS__))
#define VPI_MAKE_RAW_IMAGE_FORMAT(pattern, layout, type, swizzle, planes, \
				  ...) \
	((VPIImageFormat)VPI_LIBMEM_FORMAT##planes(VPI_COLOR_MODEL_RAW, \
		pattern, VPI_CSS_NONE, layout, type, swizzle, __VA_ARGS__))
#define VPI_MAKE_RAW_IMAGE_FORMAT_ABBREV(pattern, layout, type, swizzle, \
					 planes, ...) \
	((VPIImageFormat)VPI_LIBMEM_SHORT##planes(VPI_COLOR_MODEL_RAW, \
		VPI_RAW_##pattern, VPI_CSS_NONE, layout, type, swizzle, \
		__VA_ARGS__))

#define VPI_IMAGE_FORMAT_INVALID ((VPIImageFormat)0)

/* Values without a meaning */
#define VPI_IMAGE_FORMAT_U8 \
	VPI_MAKE_NONCOLOR_IMAGE_FORMAT_ABBREV(PL, UNSIGNED, X000, 1, X8)
#define VPI_IMAGE_FORMAT_U8_BL \
	VPI_MAKE_NONCOLOR_IMAGE_FORMAT_ABBREV(BL, UNSIGNED, X000, 1, X8)
#define VPI_IMAGE_FORMAT_U8_BL16 \
	VPI_MAKE_NONCOLOR_IMAGE_FORMAT_ABBREV(BLOCK16_LINEAR, UNSIGNED, \
		X000, 1, X8)
#define VPI_IMAGE_FORMAT_S8 \
	VPI_MAKE_NONCOLOR_IMAGE_FORMAT_ABBREV(PL, SIGNED, X000, 1, X8)
#define VPI_IMAGE_FORMAT_U16 \
	VPI_MAKE_NONCOLOR_IMAGE_FORMAT_ABBREV(PL, UNSIGNED, X000, 1, X16)
#define VPI_IMAGE_FORMAT_U32 \
	VPI_MAKE_NONCOLOR_IMAGE_FORMAT_ABBREV(PL, UNSIGNED, X000, 1, X32)
#define VPI_IMAGE_FORMAT_S32 \
	VPI_MAKE_NONCOLOR_IMAGE_FORMAT_ABBREV(PL, SIGNED, X000, 1, X32)
#define VPI_IMAGE_FORMAT_S16 \
	VPI_MAKE_NONCOLOR_IMAGE_FORMAT_ABBREV(PL, SIGNED, X000, 1, X16)
#define VPI_IMAGE_FORMAT_S16_BL \
	VPI_MAKE_NONCOLOR_IMAGE_FORMAT_ABBREV(BL, SIGNED, X000, 1, X16)
#define VPI_IMAGE_FORMAT_S16_BL16 \
	VPI_MAKE_NONCOLOR_IMAGE_FORMAT_ABBREV(BLOCK16_LINEAR, SIGNED, \
		X000, 1, X16)
#define VPI_IMAGE_FORMAT_2S16 \
	VPI_MAKE_NONCOLOR_IMAGE_FORMAT_ABBREV(PL, SIGNED, XY00, 1, X16_Y16)
#define VPI_IMAGE_FORMAT_2S16_BL \
	VPI_MAKE_NONCOLOR_IMAGE_FORMAT_ABBREV(BL, SIGNED, XY00, 1, X16_Y16)
#define VPI_IMAGE_FORMAT_2S16_BL16 \
	VPI_MAKE_NONCOLOR_IMAGE_FORMAT_ABBREV(BLOCK16_LINEAR, SIGNED, \
		XY00, 1, X16_Y16)
#define VPI_IMAGE_FORMAT_F32 \
	VPI_MAKE_NONCOLOR_IMAGE_FORMAT_ABBREV(PL, FLOAT, X000, 1, X32)
#define VPI_IMAGE_FORMAT_F64 \
	VPI_MAKE_NONCOLOR_IMAGE_FORMAT_ABBREV(PL, FLOAT, X000, 1, X64)
#define VPI_IMAGE_FORMAT_2F32 \
	VPI_MAKE_NONCOLOR_IMAGE_FORMAT_ABBREV(PL, FLOAT, XY00, 1, X32_Y32)

/* Luma; ER: of full range */
#define VPI_IMAGE_FORMAT_Y8 \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601, NONE, PL, \
		UNSIGNED, X000, 1, X8)
#define VPI_IMAGE_FORMAT_Y8_BL \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601, NONE, BL, \
		UNSIGNED, X000, 1, X8)
#define VPI_IMAGE_FORMAT_Y8_BL16 \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601, NONE, BLOCK16_LINEAR, \
		UNSIGNED, X000, 1, X8)
#define VPI_IMAGE_FORMAT_Y8_ER \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601_ER, NONE, PL, \
		UNSIGNED, X000, 1, X8)
#define VPI_IMAGE_FORMAT_Y8_ER_BL \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601_ER, NONE, BL, \
		UNSIGNED, X000, 1, X8)
#define VPI_IMAGE_FORMAT_Y8_ER_BL16 \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601_ER, NONE, BLOCK16_LINEAR, \
		UNSIGNED, X000, 1, X8)
#define VPI_IMAGE_FORMAT_Y16 \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601, NONE, PL, \
		UNSIGNED, X000, 1, X16)
#define VPI_IMAGE_FORMAT_Y16_BL \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601, NONE, BL, \
		UNSIGNED, X000, 1, X16)
#define VPI_IMAGE_FORMAT_Y16_BL16 \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601, NONE, BLOCK16_LINEAR, \
		UNSIGNED, X000, 1, X16)
#define VPI_IMAGE_FORMAT_Y16_ER \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601_ER, NONE, PL, \
		UNSIGNED, X000, 1, X16)
#define VPI_IMAGE_FORMAT_Y16_ER_BL \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601_ER, NONE, BL, \
		UNSIGNED, X000, 1, X16)
#define VPI_IMAGE_FORMAT_Y16_ER_BL16 \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601_ER, NONE, BLOCK16_LINEAR, \
		UNSIGNED, X000, 1, X16)

/* Luma, then Cb and Cr together */
#define VPI_IMAGE_FORMAT_NV12 \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601, 420, PL, \
		UNSIGNED, XYZ0, 2, X8, X8_Y8)
#define VPI_IMAGE_FORMAT_NV12_BL \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601, 420, BL, \
		UNSIGNED, XYZ0, 2, X8, X8_Y8)
#define VPI_IMAGE_FORMAT_NV12_BL16 \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601, 420, BLOCK16_LINEAR, \
		UNSIGNED, XYZ0, 2, X8, X8_Y8)
#define VPI_IMAGE_FORMAT_NV12_ER \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601_ER, 420, PL, \
		UNSIGNED, XYZ0, 2, X8, X8_Y8)
#define VPI_IMAGE_FORMAT_NV12_ER_BL \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601_ER, 420, BL, \
		UNSIGNED, XYZ0, 2, X8, X8_Y8)
#define VPI_IMAGE_FORMAT_NV12_ER_BL16 \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601_ER, 420, BLOCK16_LINEAR, \
		UNSIGNED, XYZ0, 2, X8, X8_Y8)
#define VPI_IMAGE_FORMAT_NV24 \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601, 444, PL, \
		UNSIGNED, XYZ0, 2, X8, X8_Y8)
#define VPI_IMAGE_FORMAT_NV24_BL \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601, 444, BL, \
		UNSIGNED, XYZ0, 2, X8, X8_Y8)
#define VPI_IMAGE_FORMAT_NV24_BL16 \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601, 444, BLOCK16_LINEAR, \
		UNSIGNED, XYZ0, 2, X8, X8_Y8)
#define VPI_IMAGE_FORMAT_NV24_ER \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601_ER, 444, PL, \
		UNSIGNED, XYZ0, 2, X8, X8_Y8)
#define VPI_IMAGE_FORMAT_NV24_ER_BL \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601_ER, 444, BL, \
		UNSIGNED, XYZ0, 2, X8, X8_Y8)
#define VPI_IMAGE_FORMAT_NV24_ER_BL16 \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601_ER, 444, BLOCK16_LINEAR, \
		UNSIGNED, XYZ0, 2, X8, X8_Y8)

/* Of one plane */
#define VPI_IMAGE_FORMAT_UYVY \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601, 422, PL, \
		UNSIGNED, XYZ1, 1, Y8_X8__Z8_X8)
#define VPI_IMAGE_FORMAT_UYVY_BL \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601, 422, BL, \
		UNSIGNED, XYZ1, 1, Y8_X8__Z8_X8)
#define VPI_IMAGE_FORMAT_UYVY_BL16 \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601, 422, BLOCK16_LINEAR, \
		UNSIGNED, XYZ1, 1, Y8_X8__Z8_X8)
#define VPI_IMAGE_FORMAT_UYVY_ER \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601_ER, 422, PL, \
		UNSIGNED, XYZ1, 1, Y8_X8__Z8_X8)
#define VPI_IMAGE_FORMAT_UYVY_ER_BL \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601_ER, 422, BL, \
		UNSIGNED, XYZ1, 1, Y8_X8__Z8_X8)
#define VPI_IMAGE_FORMAT_UYVY_ER_BL16 \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601_ER, 422, BLOCK16_LINEAR, \
		UNSIGNED, XYZ1, 1, Y8_X8__Z8_X8)
#define VPI_IMAGE_FORMAT_YUYV \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601, 422, PL, \
		UNSIGNED, XYZ1, 1, X8_Y8__X8_Z8)
#define VPI_IMAGE_FORMAT_YUYV_BL \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601, 422, BL, \
		UNSIGNED, XYZ1, 1, X8_Y8__X8_Z8)
#define VPI_IMAGE_FORMAT_YUYV_BL16 \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601, 422, BLOCK16_LINEAR, \
		UNSIGNED, XYZ1, 1, X8_Y8__X8_Z8)
#define VPI_IMAGE_FORMAT_YUYV_ER \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601_ER, 422, PL, \
		UNSIGNED, XYZ1, 1, X8_Y8__X8_Z8)
#define VPI_IMAGE_FORMAT_YUYV_ER_BL \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601_ER, 422, BL, \
		UNSIGNED, XYZ1, 1, X8_Y8__X8_Z8)
#define VPI_IMAGE_FORMAT_YUYV_ER_BL16 \
	VPI_MAKE_YCbCr_IMAGE_FORMAT_ABBREV(BT601_ER, 422, BLOCK16_LINEAR, \
		UNSIGNED, XYZ1, 1, X8_Y8__X8_Z8)

/* In the order of their bytes; p: of as many planes */
#define VPI_IMAGE_FORMAT_RGB8 \
	VPI_MAKE_COLOR_IMAGE_FORMAT_ABBREV(RGB, UNDEFINED, PL, \
		UNSIGNED, XYZ1, 1, X8_Y8_Z8)
#define VPI_IMAGE_FORMAT_BGR8 \
	VPI_MAKE_COLOR_IMAGE_FORMAT_ABBREV(RGB, UNDEFINED, PL, \
		UNSIGNED, ZYX1, 1, X8_Y8_Z8)
#define VPI_IMAGE_FORMAT_RGBA8 \
	VPI_MAKE_COLOR_IMAGE_FORMAT_ABBREV(RGB, UNDEFINED, PL, \
		UNSIGNED, XYZW, 1, X8_Y8_Z8_W8)
#define VPI_IMAGE_FORMAT_BGRA8 \
	VPI_MAKE_COLOR_IMAGE_FORMAT_ABBREV(RGB, UNDEFINED, PL, \
		UNSIGNED, ZYXW, 1, X8_Y8_Z8_W8)
#define VPI_IMAGE_FORMAT_RGB8p \
	VPI_MAKE_COLOR_IMAGE_FORMAT_ABBREV(RGB, UNDEFINED, PL, \
		UNSIGNED, XYZ1, 3, X8, X8, X8)
#define VPI_IMAGE_FORMAT_BGR8p \
	VPI_MAKE_COLOR_IMAGE_FORMAT_ABBREV(RGB, UNDEFINED, PL, \
		UNSIGNED, ZYX1, 3, X8, X8, X8)
#define VPI_IMAGE_FORMAT_RGBA8p \
	VPI_MAKE_COLOR_IMAGE_FORMAT_ABBREV(RGB, UNDEFINED, PL, \
		UNSIGNED, XYZW, 4, X8, X8, X8, X8)
#define VPI_IMAGE_FORMAT_BGRA8p \
	VPI_MAKE_COLOR_IMAGE_FORMAT_ABBREV(RGB, UNDEFINED, PL, \
		UNSIGNED, ZYXW, 4, X8, X8, X8, X8)

/**
 * vpiMakeYCbCrImageFormat() - an image format of YCbCr
 * @colorSpec: colour spec
 * @chromaSub: chroma subsampling
 * @memLayout: memory layout
 * @dataType: type of a channel
 * @swizzle: order of channels
 * @packing0: of the first plane
 * @packing1: of the second; VPI_PACKING_0: there is none
 * @packing2: of the third
 * @packing3: of the fourth
 *
 * Context: any.
 * Return: the format, or VPI_IMAGE_FORMAT_INVALID.
 */
VPI_PUBLIC VPIImageFormat
vpiMakeYCbCrImageFormat(VPIColorSpec colorSpec, VPIChromaSubsampling chromaSub,
			VPIMemLayout memLayout, VPIDataType dataType,
			VPISwizzle swizzle, VPIPacking packing0,
			VPIPacking packing1, VPIPacking packing2,
			VPIPacking packing3);

/**
 * vpiMakeColorImageFormat() - an image format of colours
 * @colorModel: VPI_COLOR_MODEL_RGB and so on
 * @colorSpec: colour spec
 * @memLayout: memory layout
 * @dataType: type of a channel
 * @swizzle: order of channels
 * @packing0: of the first plane
 * @packing1: of the second; VPI_PACKING_0: there is none
 * @packing2: of the third
 * @packing3: of the fourth
 *
 * Context: any.
 * Return: the format, or VPI_IMAGE_FORMAT_INVALID.
 */
VPI_PUBLIC VPIImageFormat
vpiMakeColorImageFormat(VPIColorModel colorModel, VPIColorSpec colorSpec,
			VPIMemLayout memLayout, VPIDataType dataType,
			VPISwizzle swizzle, VPIPacking packing0,
			VPIPacking packing1, VPIPacking packing2,
			VPIPacking packing3);

/**
 * vpiMakeNonColorImageFormat() - an image format of values without a meaning
 * @memLayout: memory layout
 * @dataType: type of a channel
 * @swizzle: order of channels
 * @packing0: of the first plane
 * @packing1: of the second; VPI_PACKING_0: there is none
 * @packing2: of the third
 * @packing3: of the fourth
 *
 * Context: any.
 * Return: the format, or VPI_IMAGE_FORMAT_INVALID.
 */
VPI_PUBLIC VPIImageFormat
vpiMakeNonColorImageFormat(VPIMemLayout memLayout, VPIDataType dataType,
			   VPISwizzle swizzle, VPIPacking packing0,
			   VPIPacking packing1, VPIPacking packing2,
			   VPIPacking packing3);

/**
 * vpiMakeRawImageFormat() - an image format of a sensor's pixels
 * @rawPattern: pattern of colours
 * @memLayout: memory layout
 * @dataType: type of a channel
 * @swizzle: order of channels
 * @packing0: of the first plane
 * @packing1: of the second; VPI_PACKING_0: there is none
 * @packing2: of the third
 * @packing3: of the fourth
 *
 * Context: any.
 * Return: the format, or VPI_IMAGE_FORMAT_INVALID.
 */
VPI_PUBLIC VPIImageFormat
vpiMakeRawImageFormat(VPIRawPattern rawPattern, VPIMemLayout memLayout,
		      VPIDataType dataType, VPISwizzle swizzle,
		      VPIPacking packing0, VPIPacking packing1,
		      VPIPacking packing2, VPIPacking packing3);

/**
 * vpiMakeImageFormatFromPlanes() - an image format of planes
 * @plane0: format of one plane
 * @plane1: of the second; VPI_IMAGE_FORMAT_INVALID: there is none
 * @plane2: of the third
 * @plane3: of the fourth
 *
 * The opposite of vpiImageFormatGetPlaneFormat(). All planes have one colour
 * spec, memory layout and data type, at most one chroma subsampling, and four
 * channels in total, none of which is in two planes.
 *
 * Context: any.
 * Return: the format, or VPI_IMAGE_FORMAT_INVALID.
 */
VPI_PUBLIC VPIImageFormat vpiMakeImageFormatFromPlanes(VPIImageFormat plane0,
						       VPIImageFormat plane1,
						       VPIImageFormat plane2,
						       VPIImageFormat plane3);

/**
 * vpiMakeImageFormatFromFourCC() - an image format of a FourCC
 * @fourcc: code of a whole image, DRM's or fourcc.org's
 * @colorSpec: colour spec; VPI_COLOR_SPEC_DEFAULT: as the format of that name
 *	has it
 * @memLayout: memory layout
 *
 * Context: any.
 * Return: the format, or VPI_IMAGE_FORMAT_INVALID.
 */
VPI_PUBLIC VPIImageFormat vpiMakeImageFormatFromFourCC(uint32_t fourcc,
						       VPIColorSpec colorSpec,
						       VPIMemLayout memLayout);

/**
 * vpiImageFormatGetFourCC() - FourCC of an image format
 * @fmt: format
 *
 * Context: any.
 * Return: the code; 0: there is none.
 */
VPI_PUBLIC uint32_t vpiImageFormatGetFourCC(VPIImageFormat fmt);

/**
 * vpiImageFormatGetPlanePacking() - packing of a plane
 * @fmt: format
 * @plane: 0 to 3
 *
 * Context: any.
 * Return: the packing; VPI_PACKING_0: no such format or plane.
 */
VPI_PUBLIC VPIPacking vpiImageFormatGetPlanePacking(VPIImageFormat fmt,
						    int plane);

/**
 * vpiImageFormatGetPlaneWidth() - width of a plane
 * @fmt: format
 * @imgWidth: of the image, pixels
 * @plane: 0 to 3
 *
 * Context: any.
 * Return: pixels; 0: no such format, width or plane.
 */
VPI_PUBLIC int32_t vpiImageFormatGetPlaneWidth(VPIImageFormat fmt,
					       int32_t imgWidth, int plane);

/**
 * vpiImageFormatGetPlaneHeight() - height of a plane
 * @fmt: format
 * @imgHeight: of the image, rows
 * @plane: 0 to 3
 *
 * Context: any.
 * Return: rows; 0: no such format, height or plane.
 */
VPI_PUBLIC int32_t vpiImageFormatGetPlaneHeight(VPIImageFormat fmt,
						int32_t imgHeight, int plane);

/**
 * vpiImageFormatGetPlaneBitsPerPixel() - bits of a plane's pixel
 * @fmt: format
 * @plane: 0 to 3
 *
 * Context: any.
 * Return: bits; 0: no such format or plane.
 */
VPI_PUBLIC int vpiImageFormatGetPlaneBitsPerPixel(VPIImageFormat fmt,
						  int plane);

/**
 * vpiImageFormatSetDataType() - a format with another type of channels
 * @fmt: format
 * @dataType: the type
 *
 * Context: any.
 * Return: the format, or VPI_IMAGE_FORMAT_INVALID.
 */
VPI_PUBLIC VPIImageFormat vpiImageFormatSetDataType(VPIImageFormat fmt,
						    VPIDataType dataType);

/**
 * vpiImageFormatGetDataType() - type of a channel
 * @fmt: format
 *
 * Context: any.
 * Return: VPIDataType.
 */
VPI_PUBLIC VPIDataType vpiImageFormatGetDataType(VPIImageFormat fmt);

/**
 * vpiImageFormatGetSwizzle() - order of channels
 * @fmt: format
 *
 * Context: any.
 * Return: VPISwizzle.
 */
VPI_PUBLIC VPISwizzle vpiImageFormatGetSwizzle(VPIImageFormat fmt);

/**
 * vpiImageFormatGetPlaneSwizzle() - order of a plane's channels
 * @fmt: format
 * @plane: 0 to 3
 *
 * Context: any.
 * Return: swizzle of the image, with the channels of the plane alone;
 * VPI_SWIZZLE_0000: no such format or plane; VPI_SWIZZLE_INVALID: the planes
 * have more channels than the swizzle of the image.
 */
VPI_PUBLIC VPISwizzle vpiImageFormatGetPlaneSwizzle(VPIImageFormat fmt,
						    int plane);

/**
 * vpiImageFormatSetSwizzleAndPacking() - a format with other channels
 * @fmt: format
 * @swizzle: order of channels; VPI_SWIZZLE_INVALID: that of @fmt
 * @packing0: of the first plane; VPI_PACKING_INVALID: that of @fmt
 * @packing1: of the second
 * @packing2: of the third
 * @packing3: of the fourth
 *
 * Context: any.
 * Return: the format; VPI_IMAGE_FORMAT_INVALID: no such format, or the swizzle
 * has not the channels of the packings.
 */
VPI_PUBLIC VPIImageFormat
vpiImageFormatSetSwizzleAndPacking(VPIImageFormat fmt, VPISwizzle swizzle,
				   VPIPacking packing0, VPIPacking packing1,
				   VPIPacking packing2, VPIPacking packing3);

/**
 * vpiImageFormatSetMemLayout() - a format in another memory layout
 * @fmt: format
 * @memLayout: the layout
 *
 * Context: any.
 * Return: the format, or VPI_IMAGE_FORMAT_INVALID.
 */
VPI_PUBLIC VPIImageFormat vpiImageFormatSetMemLayout(VPIImageFormat fmt,
						     VPIMemLayout memLayout);

/**
 * vpiImageFormatGetMemLayout() - memory layout of a format
 * @fmt: format
 *
 * Context: any.
 * Return: VPIMemLayout.
 */
VPI_PUBLIC VPIMemLayout vpiImageFormatGetMemLayout(VPIImageFormat fmt);

/**
 * vpiImageFormatSetColorSpec() - a format with another colour spec
 * @fmt: format with a colour model
 * @colorSpec: the spec
 *
 * Context: any.
 * Return: the format, or VPI_IMAGE_FORMAT_INVALID.
 */
VPI_PUBLIC VPIImageFormat vpiImageFormatSetColorSpec(VPIImageFormat fmt,
						     VPIColorSpec colorSpec);

/**
 * vpiImageFormatGetColorSpec() - colour spec of a format
 * @fmt: format
 *
 * Context: any.
 * Return: the spec; VPI_COLOR_SPEC_UNDEFINED: it has no colour model that
 * takes one; VPI_COLOR_SPEC_INVALID: no such format.
 */
VPI_PUBLIC VPIColorSpec vpiImageFormatGetColorSpec(VPIImageFormat fmt);

/**
 * vpiImageFormatGetColorModel() - colour model of a format
 * @fmt: format
 *
 * Context: any.
 * Return: VPIColorModel.
 */
VPI_PUBLIC VPIColorModel vpiImageFormatGetColorModel(VPIImageFormat fmt);

/**
 * vpiImageFormatSetChromaSubsampling() - a format with other subsampling
 * @fmt: format of YCbCr
 * @css: subsampling
 *
 * Context: any.
 * Return: the format, or VPI_IMAGE_FORMAT_INVALID.
 */
VPI_PUBLIC VPIImageFormat
vpiImageFormatSetChromaSubsampling(VPIImageFormat fmt,
				   VPIChromaSubsampling css);

/**
 * vpiImageFormatGetChromaSubsampling() - chroma subsampling of a format
 * @fmt: format
 *
 * Context: any.
 * Return: the subsampling; VPI_CSS_NONE: it is not YCbCr; VPI_CSS_INVALID: no
 * such format.
 */
VPI_PUBLIC VPIChromaSubsampling
vpiImageFormatGetChromaSubsampling(VPIImageFormat fmt);

/**
 * vpiImageFormatGetPlaneChannelCount() - how many channels a plane has
 * @fmt: format
 * @plane: 0 to 3
 *
 * Context: any.
 * Return: 0 to 4.
 */
VPI_PUBLIC int vpiImageFormatGetPlaneChannelCount(VPIImageFormat fmt,
						  int plane);

/**
 * vpiImageFormatGetPlaneCount() - how many planes a format has
 * @fmt: format
 *
 * Context: any.
 * Return: 0 to 4.
 */
VPI_PUBLIC int vpiImageFormatGetPlaneCount(VPIImageFormat fmt);

/**
 * vpiImageFormatGetChannelCount() - how many channels all planes have
 * @fmt: format
 *
 * Context: any.
 * Return: 0 to 4.
 */
VPI_PUBLIC int vpiImageFormatGetChannelCount(VPIImageFormat fmt);

/**
 * vpiImageFormatGetBitsPerChannel() - bits of each channel
 * @fmt: format
 * @bits: out: four, 0: there is no such channel; NULL: nothing is done
 *
 * Context: any.
 */
VPI_PUBLIC void vpiImageFormatGetBitsPerChannel(VPIImageFormat fmt,
						int32_t *bits);

/**
 * vpiImageFormatGetPlanePixelType() - type of a plane's pixels
 * @fmt: format
 * @plane: 0 to 3
 *
 * Context: any.
 * Return: the type, or VPI_PIXEL_TYPE_INVALID.
 */
VPI_PUBLIC VPIPixelType vpiImageFormatGetPlanePixelType(VPIImageFormat fmt,
							int plane);

/**
 * vpiImageFormatGetPlaneFormat() - a plane as an image of its own
 * @fmt: format
 * @plane: 0 to 3
 *
 * Context: any.
 * Return: the format, or VPI_IMAGE_FORMAT_INVALID.
 */
VPI_PUBLIC VPIImageFormat vpiImageFormatGetPlaneFormat(VPIImageFormat fmt,
						       int plane);

/**
 * vpiImageFormatGetName() - an image format as text
 * @fmt: format
 *
 * Context: any thread.
 * Return: "VPI_IMAGE_FORMAT_NV12_ER" and so on, the parts of one that has no
 * name; valid until this thread's next call.
 */
VPI_PUBLIC const char *vpiImageFormatGetName(VPIImageFormat fmt);

/**
 * vpiImageFormatGetRawPattern() - pattern of a sensor's colours
 * @fmt: format
 *
 * Context: any.
 * Return: the pattern; VPI_RAW_INVALID: its model is not VPI_COLOR_MODEL_RAW.
 */
VPI_PUBLIC VPIRawPattern vpiImageFormatGetRawPattern(VPIImageFormat fmt);

/**
 * vpiImageFormatSetRawPattern() - a format with another pattern
 * @fmt: format with the model VPI_COLOR_MODEL_RAW
 * @rawPattern: the pattern
 *
 * Context: any.
 * Return: the format, or VPI_IMAGE_FORMAT_INVALID.
 */
VPI_PUBLIC VPIImageFormat vpiImageFormatSetRawPattern(VPIImageFormat fmt,
						      VPIRawPattern rawPattern);

/**
 * vpiImageFormatHasSameDataLayout() - whether formats lie in memory alike
 * @a: format
 * @b: another
 *
 * What the channels mean does not matter.
 *
 * Context: any.
 * Return: 1 or 0.
 */
VPI_PUBLIC int vpiImageFormatHasSameDataLayout(VPIImageFormat a,
					       VPIImageFormat b);

#ifdef __cplusplus
}
#endif

#endif
