// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Image formats and pixel types: decoding of their 64 bits, and the formats of
 * libmem that match. detail/FormatUtils.h defines the bit fields.
 */
#include <stdio.h>
#include <string.h>

#include "vpi.h"

/* All formats with a name; libmem has no images of those without a @mem. */
#define FORMAT(name, mem)	{ VPI_IMAGE_FORMAT_##name, mem, #name }
#define LACKED(name)		FORMAT(name, MEM_FORMAT_INVALID)

static const struct named {
	VPIImageFormat format;
	unsigned int mem;
	const char *name;
} formats[] = {
	FORMAT(U8, MEM_FORMAT_U8),
	FORMAT(S16, MEM_FORMAT_S16),
	FORMAT(U16, MEM_FORMAT_U16),
	FORMAT(F32, MEM_FORMAT_F32),
	FORMAT(2S16, MEM_FORMAT_2S16),
	FORMAT(2F32, MEM_FORMAT_2F32),
	FORMAT(Y8, MEM_FORMAT_Y8),
	FORMAT(Y8_ER, MEM_FORMAT_Y8_ER),
	FORMAT(Y16, MEM_FORMAT_Y16),
	FORMAT(Y16_ER, MEM_FORMAT_Y16_ER),
	FORMAT(NV12, MEM_FORMAT_NV12),
	FORMAT(NV12_ER, MEM_FORMAT_NV12_ER),
	FORMAT(NV12_BL, MEM_FORMAT_NV12_BL),
	FORMAT(NV12_ER_BL, MEM_FORMAT_NV12_ER_BL),
	FORMAT(RGB8, MEM_FORMAT_RGB8),
	FORMAT(BGR8, MEM_FORMAT_BGR8),
	FORMAT(RGBA8, MEM_FORMAT_RGBA8),
	FORMAT(BGRA8, MEM_FORMAT_BGRA8),
	FORMAT(RGB8p, MEM_FORMAT_RGB8P),
	LACKED(U8_BL), LACKED(U8_BL16), LACKED(S8), LACKED(U32), LACKED(S32),
	LACKED(S16_BL), LACKED(S16_BL16), LACKED(2S16_BL), LACKED(2S16_BL16),
	LACKED(F64),
	LACKED(Y8_BL), LACKED(Y8_BL16), LACKED(Y8_ER_BL), LACKED(Y8_ER_BL16),
	LACKED(Y16_BL), LACKED(Y16_BL16), LACKED(Y16_ER_BL),
	LACKED(Y16_ER_BL16),
	LACKED(NV12_BL16), LACKED(NV12_ER_BL16),
	LACKED(NV24), LACKED(NV24_BL), LACKED(NV24_BL16),
	LACKED(NV24_ER), LACKED(NV24_ER_BL), LACKED(NV24_ER_BL16),
	LACKED(UYVY), LACKED(UYVY_BL), LACKED(UYVY_BL16),
	LACKED(UYVY_ER), LACKED(UYVY_ER_BL), LACKED(UYVY_ER_BL16),
	LACKED(YUYV), LACKED(YUYV_BL), LACKED(YUYV_BL16),
	LACKED(YUYV_ER), LACKED(YUYV_ER_BL), LACKED(YUYV_ER_BL16),
	LACKED(BGR8p), LACKED(RGBA8p), LACKED(BGRA8p),
};

#define NR_FORMATS	(sizeof(formats) / sizeof(*formats))

/* Codes of whole images: DRM's, and equivalent ones of fourcc.org */
static const struct {
	uint32_t fourcc;
	VPIImageFormat format;
} fourccs[] = {
	{ MEM_FOURCC('N', 'V', '1', '2'), VPI_IMAGE_FORMAT_NV12 },
	{ MEM_FOURCC('N', 'V', '2', '4'), VPI_IMAGE_FORMAT_NV24 },
	{ MEM_FOURCC('U', 'Y', 'V', 'Y'), VPI_IMAGE_FORMAT_UYVY },
	{ MEM_FOURCC('Y', 'U', 'Y', 'V'), VPI_IMAGE_FORMAT_YUYV },
	{ MEM_FOURCC('Y', 'U', 'Y', '2'), VPI_IMAGE_FORMAT_YUYV },
	{ MEM_FOURCC('Y', '8', '0', '0'), VPI_IMAGE_FORMAT_Y8 },
	{ MEM_FOURCC('G', 'R', 'E', 'Y'), VPI_IMAGE_FORMAT_Y8 },
	{ MEM_FOURCC('Y', '1', '6', ' '), VPI_IMAGE_FORMAT_Y16 },
	{ MEM_FOURCC('R', '8', ' ', ' '), VPI_IMAGE_FORMAT_U8 },
	{ MEM_FOURCC('R', '1', '6', ' '), VPI_IMAGE_FORMAT_U16 },
	{ MEM_FOURCC('B', 'G', '2', '4'), VPI_IMAGE_FORMAT_RGB8 },
	{ MEM_FOURCC('R', 'G', '2', '4'), VPI_IMAGE_FORMAT_BGR8 },
	{ MEM_FOURCC('A', 'B', '2', '4'), VPI_IMAGE_FORMAT_RGBA8 },
	{ MEM_FOURCC('A', 'R', '2', '4'), VPI_IMAGE_FORMAT_BGRA8 },
};

static __thread char text[128];

static const struct named *format_find(VPIImageFormat format)
{
	size_t i;

	for (i = 0; i < NR_FORMATS; i++)
		if (formats[i].format == format)
			return &formats[i];
	return NULL;
}

/**
 * vpi_format_to_mem() - convert a format to libmem's
 * @format: format
 *
 * Return: enum mem_format; MEM_FORMAT_INVALID: libmem does not support it.
 */
unsigned int vpi_format_to_mem(VPIImageFormat format)
{
	const struct named *found = format_find(format);

	return found ? found->mem : MEM_FORMAT_INVALID;
}

/**
 * vpi_format_of_mem() - convert a format of libmem to VPI's
 * @format: enum mem_format
 *
 * Return: the format, or VPI_IMAGE_FORMAT_INVALID.
 */
VPIImageFormat vpi_format_of_mem(unsigned int format)
{
	size_t i;

	for (i = 0; i < NR_FORMATS; i++)
		if (format && formats[i].mem == format)
			return formats[i].format;
	return VPI_IMAGE_FORMAT_INVALID;
}

/**
 * vpi_format_check() - convert a format to libmem's, with an error message
 * @format: format
 * @mem: out: enum mem_format
 *
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT (no such format),
 * INVALID_IMAGE_FORMAT (heapsim does not support it).
 */
VPIStatus vpi_format_check(VPIImageFormat format, unsigned int *mem)
{
	if (!vpiImageFormatGetPlaneCount(format))
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"0x%llx is no image format",
				(unsigned long long)format);
	*mem = vpi_format_to_mem(format);
	if (*mem)
		return VPI_SUCCESS;
	return vpi_lacks(VPI_ERROR_INVALID_IMAGE_FORMAT,
			 vpiImageFormatGetName(format));
}

VPI_PUBLIC const char *vpiImageFormatGetName(VPIImageFormat fmt)
{
	const struct named *found = format_find(fmt);

	if (found)
		snprintf(text, sizeof(text), "VPI_IMAGE_FORMAT_%s",
			 found->name);
	else if (!fmt)
		snprintf(text, sizeof(text), "VPI_IMAGE_FORMAT_INVALID");
	else
		snprintf(text, sizeof(text),
			 "VPI_IMAGE_FORMAT_0x%llx (%d planes, %d bits)",
			 (unsigned long long)fmt,
			 vpiImageFormatGetPlaneCount(fmt),
			 vpiImageFormatGetPlaneBitsPerPixel(fmt, 0));
	return text;
}

VPI_PUBLIC uint32_t vpiImageFormatGetFourCC(VPIImageFormat fmt)
{
	size_t i;

	for (i = 0; i < sizeof(fourccs) / sizeof(*fourccs); i++)
		if (vpiImageFormatHasSameDataLayout(fmt, fourccs[i].format) &&
		    vpiImageFormatGetColorModel(fmt) ==
		    vpiImageFormatGetColorModel(fourccs[i].format))
			return fourccs[i].fourcc;
	return 0;
}

VPI_PUBLIC VPIImageFormat vpiMakeImageFormatFromFourCC(uint32_t fourcc,
						       VPIColorSpec colorSpec,
						       VPIMemLayout memLayout)
{
	VPIImageFormat format;
	size_t i;

	for (i = 0; i < sizeof(fourccs) / sizeof(*fourccs); i++) {
		if (fourccs[i].fourcc != fourcc)
			continue;
		format = vpiImageFormatSetMemLayout(fourccs[i].format,
						    memLayout);
		if (colorSpec != VPI_COLOR_SPEC_DEFAULT &&
		    vpiImageFormatGetColorModel(format))
			format = vpiImageFormatSetColorSpec(format, colorSpec);
		return format;
	}
	return VPI_IMAGE_FORMAT_INVALID;
}

/* Returns the bits of a pixel for their code in the format. */
static int format_bits_of(unsigned int code)
{
	return code < 4 ? (code + 1) * 8 : code < 6 ? (code - 1) * 16 :
	       code < 8 ? (code - 3) * 32 : (code - 5) * 64;
}

VPI_PUBLIC VPIPacking vpiImageFormatGetPlanePacking(VPIImageFormat fmt,
						    int plane)
{
	uint64_t packing;
	uint64_t bits;

	switch (plane) {
	case 0:
		packing = VPI_LIBMEM_TAKE(fmt, 35, 9);
		bits = packing >> 5;
		packing &= 0x1f;
		break;
	case 1:
	case 2:
		packing = VPI_LIBMEM_TAKE(fmt, plane == 1 ? 44 : 51, 7);
		bits = packing >> 4;
		packing &= 0xf;
		break;
	case 3:
		bits = VPI_LIBMEM_TAKE(fmt, 58, 3);
		if (bits == 7)
			return VPI_PACKING_X8;
		return (VPIPacking)(bits << 6);
	default:
		return VPI_PACKING_0;
	}
	return (VPIPacking)((packing & 7) | packing >> 3 << 4 | bits << 6);
}

VPI_PUBLIC int vpiPackingGetBitsPerPixel(VPIPacking packing)
{
	unsigned int which = VPI_LIBMEM_TAKE(packing, 0, 4);
	unsigned int code = VPI_LIBMEM_TAKE(packing, 6, 4);

	if (packing == VPI_PACKING_0 || packing == VPI_PACKING_INVALID)
		return 0;
	if (!code && which < 4)
		return which == 3 ? 4 : which;
	return format_bits_of(code);
}

VPI_PUBLIC int vpiPackingGetComponentCount(VPIPacking packing)
{
	if (packing == VPI_PACKING_0 || packing == VPI_PACKING_INVALID)
		return 0;
	/* The two pixels share the channels X and Z. */
	if (packing == VPI_PACKING_X8_Y8__X8_Z8 ||
	    packing == VPI_PACKING_Y8_X8__Z8_X8)
		return 3;
	return VPI_LIBMEM_TAKE(packing, 4, 2) + 1;
}

VPI_PUBLIC int vpiImageFormatGetPlaneBitsPerPixel(VPIImageFormat fmt,
						  int plane)
{
	VPIPacking packing = vpiImageFormatGetPlanePacking(fmt, plane);
	int bits = vpiPackingGetBitsPerPixel(packing);

	return bits;
}

VPI_PUBLIC int vpiImageFormatGetPlaneChannelCount(VPIImageFormat fmt,
						  int plane)
{
	VPIPacking packing = vpiImageFormatGetPlanePacking(fmt, plane);

	return vpiPackingGetComponentCount(packing);
}

VPI_PUBLIC int vpiImageFormatGetPlaneCount(VPIImageFormat fmt)
{
	int nr = 0;

	if (!vpiImageFormatGetDataType(fmt))
		return 0;
	while (nr < 4 && vpiImageFormatGetPlanePacking(fmt, nr))
		nr++;
	return nr;
}

VPI_PUBLIC int vpiImageFormatGetChannelCount(VPIImageFormat fmt)
{
	int nr = 0;
	int i;

	for (i = 0; i < vpiImageFormatGetPlaneCount(fmt); i++)
		nr += vpiImageFormatGetPlaneChannelCount(fmt, i);
	return nr;
}

VPI_PUBLIC VPIDataType vpiImageFormatGetDataType(VPIImageFormat fmt)
{
	return (VPIDataType)VPI_LIBMEM_TAKE(fmt, 61, 3);
}

VPI_PUBLIC VPIImageFormat vpiImageFormatSetDataType(VPIImageFormat fmt,
						    VPIDataType dataType)
{
	if (!vpiImageFormatGetPlaneCount(fmt) || dataType < 1 ||
	    dataType > VPI_DATA_TYPE_FLOATISP)
		return VPI_IMAGE_FORMAT_INVALID;
	return (fmt & ~VPI_LIBMEM_PUT(7, 61, 3)) |
	       VPI_LIBMEM_PUT(dataType, 61, 3);
}

VPI_PUBLIC VPISwizzle vpiImageFormatGetSwizzle(VPIImageFormat fmt)
{
	return (VPISwizzle)VPI_LIBMEM_TAKE(fmt, 0, 12);
}

VPI_PUBLIC VPIMemLayout vpiImageFormatGetMemLayout(VPIImageFormat fmt)
{
	return (VPIMemLayout)VPI_LIBMEM_TAKE(fmt, 12, 3);
}

VPI_PUBLIC VPIImageFormat vpiImageFormatSetMemLayout(VPIImageFormat fmt,
						     VPIMemLayout memLayout)
{
	if (!vpiImageFormatGetPlaneCount(fmt) || memLayout < 1 ||
	    memLayout > VPI_MEM_LAYOUT_BLOCK32_LINEAR)
		return VPI_IMAGE_FORMAT_INVALID;
	return (fmt & ~VPI_LIBMEM_PUT(7, 12, 3)) |
	       VPI_LIBMEM_PUT(memLayout, 12, 3);
}

VPI_PUBLIC VPIColorModel vpiImageFormatGetColorModel(VPIImageFormat fmt)
{
	unsigned int model = VPI_LIBMEM_TAKE(fmt, 17, 3);

	if (VPI_LIBMEM_TAKE(fmt, 16, 19) == VPI_LIBMEM_TAKE(~0ULL, 0, 19) ||
	    !vpiImageFormatGetDataType(fmt))
		return VPI_COLOR_MODEL_UNDEFINED;
	if (!VPI_LIBMEM_TAKE(fmt, 16, 1))
		return VPI_COLOR_MODEL_YCbCr;
	if (model < 7)
		return (VPIColorModel)(model + 2);
	return VPI_LIBMEM_TAKE(fmt, 20, 1) ? VPI_COLOR_MODEL_XYZ :
	       VPI_COLOR_MODEL_RAW;
}

VPI_PUBLIC VPIColorSpec vpiImageFormatGetColorSpec(VPIImageFormat fmt)
{
	VPIColorModel model = vpiImageFormatGetColorModel(fmt);

	if (!vpiImageFormatGetPlaneCount(fmt))
		return VPI_COLOR_SPEC_INVALID;
	if (model == VPI_COLOR_MODEL_UNDEFINED || model >= VPI_COLOR_MODEL_RAW)
		return VPI_COLOR_SPEC_UNDEFINED;
	return (VPIColorSpec)VPI_LIBMEM_TAKE(fmt, 20, 15);
}

VPI_PUBLIC VPIImageFormat vpiImageFormatSetColorSpec(VPIImageFormat fmt,
						     VPIColorSpec colorSpec)
{
	VPIColorModel model = vpiImageFormatGetColorModel(fmt);

	if (model == VPI_COLOR_MODEL_UNDEFINED ||
	    model >= VPI_COLOR_MODEL_RAW || (unsigned int)colorSpec >= 1 << 15)
		return VPI_IMAGE_FORMAT_INVALID;
	return (fmt & ~VPI_LIBMEM_PUT(0x7fff, 20, 15)) |
	       VPI_LIBMEM_PUT(colorSpec, 20, 15);
}

VPI_PUBLIC VPIChromaSubsampling
vpiImageFormatGetChromaSubsampling(VPIImageFormat fmt)
{
	if (!vpiImageFormatGetPlaneCount(fmt))
		return VPI_CSS_INVALID;
	if (vpiImageFormatGetColorModel(fmt) != VPI_COLOR_MODEL_YCbCr)
		return VPI_CSS_NONE;
	return (VPIChromaSubsampling)VPI_LIBMEM_TAKE(fmt, 17, 3);
}

VPI_PUBLIC VPIImageFormat
vpiImageFormatSetChromaSubsampling(VPIImageFormat fmt, VPIChromaSubsampling css)
{
	if (vpiImageFormatGetColorModel(fmt) != VPI_COLOR_MODEL_YCbCr ||
	    css < 0 || css > VPI_CSS_420)
		return VPI_IMAGE_FORMAT_INVALID;
	return (fmt & ~VPI_LIBMEM_PUT(7, 17, 3)) | VPI_LIBMEM_PUT(css, 17, 3);
}

VPI_PUBLIC VPIRawPattern vpiImageFormatGetRawPattern(VPIImageFormat fmt)
{
	if (vpiImageFormatGetColorModel(fmt) != VPI_COLOR_MODEL_RAW)
		return VPI_RAW_INVALID;
	return (VPIRawPattern)VPI_LIBMEM_TAKE(fmt, 21, 6);
}

VPI_PUBLIC VPIImageFormat vpiImageFormatSetRawPattern(VPIImageFormat fmt,
						      VPIRawPattern rawPattern)
{
	if (vpiImageFormatGetColorModel(fmt) != VPI_COLOR_MODEL_RAW ||
	    rawPattern <= VPI_RAW_INVALID || rawPattern > VPI_RAW_BAYER_CCCC)
		return VPI_IMAGE_FORMAT_INVALID;
	return (fmt & ~VPI_LIBMEM_PUT(0x3f, 21, 6)) |
	       VPI_LIBMEM_PUT(rawPattern, 21, 6);
}

/* All planes except the first have chroma. */
static int32_t format_plane_side(VPIImageFormat fmt, int32_t side, int plane,
				 bool is_width)
{
	VPIChromaSubsampling css = vpiImageFormatGetChromaSubsampling(fmt);
	int samples = is_width ? vpiChromaSubsamplingGetSamplesHoriz(css) :
		      vpiChromaSubsamplingGetSamplesVert(css);

	if (plane < 0 || plane >= vpiImageFormatGetPlaneCount(fmt) || side < 1)
		return 0;
	if (!plane || samples == 4)
		return side;
	return samples ? ((int64_t)side * samples + 3) / 4 : 0;
}

VPI_PUBLIC int32_t vpiImageFormatGetPlaneWidth(VPIImageFormat fmt,
					       int32_t imgWidth, int plane)
{
	return format_plane_side(fmt, imgWidth, plane, true);
}

VPI_PUBLIC int32_t vpiImageFormatGetPlaneHeight(VPIImageFormat fmt,
						int32_t imgHeight, int plane)
{
	return format_plane_side(fmt, imgHeight, plane, false);
}

VPI_PUBLIC VPIPixelType vpiImageFormatGetPlanePixelType(VPIImageFormat fmt,
							int plane)
{
	VPIPacking packing = vpiImageFormatGetPlanePacking(fmt, plane);

	if (plane >= vpiImageFormatGetPlaneCount(fmt))
		return VPI_PIXEL_TYPE_INVALID;
	return vpiMakePixelType(vpiImageFormatGetMemLayout(fmt),
				vpiImageFormatGetDataType(fmt), packing);
}

VPI_PUBLIC int vpiImageFormatHasSameDataLayout(VPIImageFormat a,
					       VPIImageFormat b)
{
	const uint64_t colour = VPI_LIBMEM_PUT(~0ULL, 16, 19);
	/* An unused fourth channel may be encoded as 0 or 1. */
	uint64_t missing = 0;

	if (vpiImageFormatGetChannelCount(a) < 4)
		missing = VPI_LIBMEM_PUT(7, 9, 3);
	return !((a ^ b) & ~(colour | missing)) &&
	       vpiImageFormatGetChromaSubsampling(a) ==
	       vpiImageFormatGetChromaSubsampling(b);
}

VPI_PUBLIC VPIPacking vpiPixelTypeGetPacking(VPIPixelType type)
{
	return vpiImageFormatGetPlanePacking(type, 0);
}

VPI_PUBLIC int vpiPixelTypeGetBitsPerPixel(VPIPixelType type)
{
	return vpiImageFormatGetPlaneBitsPerPixel(type, 0);
}

VPI_PUBLIC VPIDataType vpiPixelTypeGetDataType(VPIPixelType type)
{
	return vpiImageFormatGetDataType(type);
}

VPI_PUBLIC VPIMemLayout vpiPixelTypeGetMemLayout(VPIPixelType type)
{
	return vpiImageFormatGetMemLayout(type);
}

VPI_PUBLIC int vpiPixelTypeGetChannelCount(VPIPixelType type)
{
	return vpiImageFormatGetPlaneChannelCount(type, 0);
}

VPI_PUBLIC const char *vpiPixelTypeGetName(VPIPixelType type)
{
	static const char letters[] = "?USFF";
	int nr = vpiPixelTypeGetChannelCount(type);
	unsigned int data = vpiPixelTypeGetDataType(type);

	if (!nr || data > VPI_DATA_TYPE_FLOATISP)
		return "VPI_PIXEL_TYPE_INVALID";
	snprintf(text, sizeof(text), "VPI_PIXEL_TYPE_%.*s%c%d", nr > 1,
		 &"0123456"[nr], letters[data],
		 vpiPixelTypeGetBitsPerPixel(type) / nr);
	return text;
}
