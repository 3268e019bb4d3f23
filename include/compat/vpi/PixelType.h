/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Types of a plane's pixels. */
#ifndef NV_VPI_PIXEL_TYPE_H
#define NV_VPI_PIXEL_TYPE_H

#include <stdint.h>

#include "ColorSpec.h"
#include "DataLayout.h"
#include "detail/FormatUtils.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t VPIPixelType;

#define VPI_MAKE_PIXEL_TYPE(layout, type, packing) \
	((VPIPixelType)VPI_LIBMEM_PIXEL(layout, type, packing))
#define VPI_MAKE_PIXEL_TYPE_ABBREV(layout, type, packing) \
	((VPIPixelType)VPI_LIBMEM_PIXEL(VPI_MEM_LAYOUT_##layout, \
					VPI_DATA_TYPE_##type, \
					VPI_PACKING_##packing))

/* The type follows from the image format. */
#define VPI_PIXEL_TYPE_DEFAULT	((VPIPixelType)0)
#define VPI_PIXEL_TYPE_INVALID	((VPIPixelType)0)

#define VPI_PIXEL_TYPE_U8 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, UNSIGNED, X8)
#define VPI_PIXEL_TYPE_2U8 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, UNSIGNED, X8_Y8)
#define VPI_PIXEL_TYPE_3U8 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, UNSIGNED, X8_Y8_Z8)
#define VPI_PIXEL_TYPE_4U8 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, UNSIGNED, X8_Y8_Z8_W8)
#define VPI_PIXEL_TYPE_U16 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, UNSIGNED, X16)
#define VPI_PIXEL_TYPE_2U16 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, UNSIGNED, X16_Y16)
#define VPI_PIXEL_TYPE_3U16 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, UNSIGNED, X16_Y16_Z16)
#define VPI_PIXEL_TYPE_4U16 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, UNSIGNED, X16_Y16_Z16_W16)
#define VPI_PIXEL_TYPE_U32 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, UNSIGNED, X32)
#define VPI_PIXEL_TYPE_2U32 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, UNSIGNED, X32_Y32)
#define VPI_PIXEL_TYPE_3U32 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, UNSIGNED, X32_Y32_Z32)
#define VPI_PIXEL_TYPE_4U32 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, UNSIGNED, X32_Y32_Z32_W32)
#define VPI_PIXEL_TYPE_U64 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, UNSIGNED, X64)
#define VPI_PIXEL_TYPE_2U64 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, UNSIGNED, X64_Y64)
#define VPI_PIXEL_TYPE_3U64 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, UNSIGNED, X64_Y64_Z64)
#define VPI_PIXEL_TYPE_4U64 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, UNSIGNED, X64_Y64_Z64_W64)
#define VPI_PIXEL_TYPE_S8 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, SIGNED, X8)
#define VPI_PIXEL_TYPE_2S8 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, SIGNED, X8_Y8)
#define VPI_PIXEL_TYPE_3S8 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, SIGNED, X8_Y8_Z8)
#define VPI_PIXEL_TYPE_4S8 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, SIGNED, X8_Y8_Z8_W8)
#define VPI_PIXEL_TYPE_S16 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, SIGNED, X16)
#define VPI_PIXEL_TYPE_2S16 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, SIGNED, X16_Y16)
#define VPI_PIXEL_TYPE_3S16 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, SIGNED, X16_Y16_Z16)
#define VPI_PIXEL_TYPE_4S16 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, SIGNED, X16_Y16_Z16_W16)
#define VPI_PIXEL_TYPE_S32 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, SIGNED, X32)
#define VPI_PIXEL_TYPE_2S32 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, SIGNED, X32_Y32)
#define VPI_PIXEL_TYPE_3S32 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, SIGNED, X32_Y32_Z32)
#define VPI_PIXEL_TYPE_4S32 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, SIGNED, X32_Y32_Z32_W32)
#define VPI_PIXEL_TYPE_S64 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, SIGNED, X64)
#define VPI_PIXEL_TYPE_2S64 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, SIGNED, X64_Y64)
#define VPI_PIXEL_TYPE_3S64 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, SIGNED, X64_Y64_Z64)
#define VPI_PIXEL_TYPE_4S64 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, SIGNED, X64_Y64_Z64_W64)
#define VPI_PIXEL_TYPE_F32 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, FLOAT, X32)
#define VPI_PIXEL_TYPE_2F32 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, FLOAT, X32_Y32)
#define VPI_PIXEL_TYPE_3F32 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, FLOAT, X32_Y32_Z32)
#define VPI_PIXEL_TYPE_4F32 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, FLOAT, X32_Y32_Z32_W32)
#define VPI_PIXEL_TYPE_F64 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, FLOAT, X64)
#define VPI_PIXEL_TYPE_2F64 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, FLOAT, X64_Y64)
#define VPI_PIXEL_TYPE_3F64 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, FLOAT, X64_Y64_Z64)
#define VPI_PIXEL_TYPE_4F64 \
	VPI_MAKE_PIXEL_TYPE_ABBREV(PL, FLOAT, X64_Y64_Z64_W64)

/**
 * vpiMakePixelType() - a pixel type of its parts
 * @memLayout: memory layout
 * @dataType: type of a channel
 * @packing: packing
 *
 * Context: any.
 * Return: the pixel type, or VPI_PIXEL_TYPE_INVALID.
 */
VPI_PUBLIC VPIPixelType vpiMakePixelType(VPIMemLayout memLayout,
					 VPIDataType dataType,
					 VPIPacking packing);

/**
 * vpiPixelTypeGetPacking() - packing of a pixel type
 * @type: pixel type
 *
 * Context: any.
 * Return: the packing; VPI_PACKING_0: no such type.
 */
VPI_PUBLIC VPIPacking vpiPixelTypeGetPacking(VPIPixelType type);

/**
 * vpiPixelTypeGetBitsPerPixel() - bits of a pixel
 * @type: pixel type
 *
 * Context: any.
 * Return: bits; 0: no such type.
 */
VPI_PUBLIC int vpiPixelTypeGetBitsPerPixel(VPIPixelType type);

/**
 * vpiPixelTypeGetDataType() - type of a channel
 * @type: pixel type
 *
 * Context: any.
 * Return: VPIDataType.
 */
VPI_PUBLIC VPIDataType vpiPixelTypeGetDataType(VPIPixelType type);

/**
 * vpiPixelTypeGetMemLayout() - memory layout of a pixel type
 * @type: pixel type
 *
 * Context: any.
 * Return: VPIMemLayout.
 */
VPI_PUBLIC VPIMemLayout vpiPixelTypeGetMemLayout(VPIPixelType type);

/**
 * vpiPixelTypeGetChannelCount() - how many channels a pixel type has
 * @type: pixel type
 *
 * Context: any.
 * Return: 0 to 4.
 */
VPI_PUBLIC int vpiPixelTypeGetChannelCount(VPIPixelType type);

/**
 * vpiPixelTypeGetName() - a pixel type as text
 * @type: pixel type
 *
 * Context: any thread.
 * Return: the text, valid until this thread's next call.
 */
VPI_PUBLIC const char *vpiPixelTypeGetName(VPIPixelType type);

#ifdef __cplusplus
}
#endif

#endif
