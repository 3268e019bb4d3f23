// SPDX-License-Identifier: LGPL-2.1-or-later
/* Makes formats, colour specs and swizzles from their parts. */
#include "vpi.h"

static VPIImageFormat format_make(VPIColorModel model, unsigned int spec,
				  VPIChromaSubsampling css,
				  VPIMemLayout layout, VPIDataType type,
				  VPISwizzle swizzle,
				  const VPIPacking *packings)
{
	if (layout < 1 || layout > VPI_MEM_LAYOUT_BLOCK32_LINEAR || type < 1 ||
	    type > VPI_DATA_TYPE_FLOATISP || spec >= 1 << 15 || css < 0 ||
	    css > VPI_CSS_420)
		return VPI_IMAGE_FORMAT_INVALID;
	return vpi_format_planes(VPI_LIBMEM_FORMAT1(model, spec, css, layout,
						    type, 0, 0),
				 swizzle, packings);
}

VPI_PUBLIC VPIImageFormat
vpiMakeYCbCrImageFormat(VPIColorSpec colorSpec, VPIChromaSubsampling chromaSub,
			VPIMemLayout memLayout, VPIDataType dataType,
			VPISwizzle swizzle, VPIPacking packing0,
			VPIPacking packing1, VPIPacking packing2,
			VPIPacking packing3)
{
	const VPIPacking packings[] = { packing0, packing1, packing2,
					packing3 };

	return format_make(VPI_COLOR_MODEL_YCbCr, colorSpec, chromaSub,
			   memLayout, dataType, swizzle, packings);
}

VPI_PUBLIC VPIImageFormat
vpiMakeColorImageFormat(VPIColorModel colorModel, VPIColorSpec colorSpec,
			VPIMemLayout memLayout, VPIDataType dataType,
			VPISwizzle swizzle, VPIPacking packing0,
			VPIPacking packing1, VPIPacking packing2,
			VPIPacking packing3)
{
	const VPIPacking packings[] = { packing0, packing1, packing2,
					packing3 };

	if (colorModel != VPI_COLOR_MODEL_YCbCr &&
	    colorModel != VPI_COLOR_MODEL_RGB)
		return VPI_IMAGE_FORMAT_INVALID;
	return format_make(colorModel, colorSpec, VPI_CSS_NONE, memLayout,
			   dataType, swizzle, packings);
}

VPI_PUBLIC VPIImageFormat
vpiMakeNonColorImageFormat(VPIMemLayout memLayout, VPIDataType dataType,
			   VPISwizzle swizzle, VPIPacking packing0,
			   VPIPacking packing1, VPIPacking packing2,
			   VPIPacking packing3)
{
	const VPIPacking packings[] = { packing0, packing1, packing2,
					packing3 };

	return format_make(VPI_COLOR_MODEL_UNDEFINED, VPI_COLOR_SPEC_UNDEFINED,
			   VPI_CSS_NONE, memLayout, dataType, swizzle,
			   packings);
}

VPI_PUBLIC VPIImageFormat
vpiMakeRawImageFormat(VPIRawPattern rawPattern, VPIMemLayout memLayout,
		      VPIDataType dataType, VPISwizzle swizzle,
		      VPIPacking packing0, VPIPacking packing1,
		      VPIPacking packing2, VPIPacking packing3)
{
	const VPIPacking packings[] = { packing0, packing1, packing2,
					packing3 };

	if (rawPattern <= VPI_RAW_INVALID || rawPattern > VPI_RAW_BAYER_CCCC)
		return VPI_IMAGE_FORMAT_INVALID;
	return format_make(VPI_COLOR_MODEL_RAW, rawPattern, VPI_CSS_NONE,
			   memLayout, dataType, swizzle, packings);
}

VPI_PUBLIC VPIPixelType vpiMakePixelType(VPIMemLayout memLayout,
					 VPIDataType dataType,
					 VPIPacking packing)
{
	if (memLayout < 1 || memLayout > VPI_MEM_LAYOUT_BLOCK32_LINEAR ||
	    dataType < 1 || dataType > VPI_DATA_TYPE_FLOATISP || !packing ||
	    packing == VPI_PACKING_INVALID)
		return VPI_PIXEL_TYPE_INVALID;
	return VPI_LIBMEM_PIXEL(memLayout, dataType, packing);
}

VPI_PUBLIC VPISwizzle vpiMakeSwizzle(VPIChannel x, VPIChannel y, VPIChannel z,
				     VPIChannel w)
{
	return (VPISwizzle)VPI_LIBMEM_SWIZZLE(x, y, z, w);
}

VPI_PUBLIC void vpiSwizzleGetChannels(VPISwizzle swizzle, VPIChannel *channels)
{
	int i;

	for (i = 0; channels && i < 4; i++)
		channels[i] = (VPIChannel)VPI_LIBMEM_TAKE(swizzle, i * 3, 3);
}

VPI_PUBLIC int vpiSwizzleGetChannelCount(VPISwizzle swizzle)
{
	unsigned int channel;
	int nr = 0;
	int i;

	for (i = 0; i < 4; i++) {
		channel = VPI_LIBMEM_TAKE(swizzle, i * 3, 3);
		nr += channel >= VPI_CHANNEL_X && channel <= VPI_CHANNEL_W;
	}
	return nr;
}

VPI_PUBLIC VPIColorSpec vpiMakeColorSpec(VPIColorSpace cspace,
					 VPIYCbCrEncoding encoding,
					 VPIColorTransferFunction xferFunc,
					 VPIColorRange range,
					 VPIChromaLocation locHoriz,
					 VPIChromaLocation locVert)
{
	return (VPIColorSpec)VPI_LIBMEM_SPEC(cspace, encoding, xferFunc, range,
					     locHoriz, locVert);
}

VPI_PUBLIC VPIColorSpace vpiColorSpecGetSpace(VPIColorSpec cspec)
{
	unsigned int space = VPI_LIBMEM_TAKE(cspec, 0, 3);

	return space == 7 ? VPI_COLOR_SPACE_UNDEFINED : (VPIColorSpace)space;
}

VPI_PUBLIC VPIYCbCrEncoding vpiColorSpecGetYCbCrEncoding(VPIColorSpec cspec)
{
	return (VPIYCbCrEncoding)VPI_LIBMEM_TAKE(cspec, 7, 3);
}

VPI_PUBLIC VPIColorTransferFunction
vpiColorSpecGetTransferFunction(VPIColorSpec cspec)
{
	return (VPIColorTransferFunction)VPI_LIBMEM_TAKE(cspec, 3, 4);
}

VPI_PUBLIC VPIColorRange vpiColorSpecGetRange(VPIColorSpec cspec)
{
	return (VPIColorRange)VPI_LIBMEM_TAKE(cspec, 14, 1);
}

VPI_PUBLIC VPIChromaLocation vpiColorSpecGetChromaLocHoriz(VPIColorSpec cspec)
{
	return (VPIChromaLocation)VPI_LIBMEM_TAKE(cspec, 10, 2);
}

VPI_PUBLIC VPIChromaLocation vpiColorSpecGetChromaLocVert(VPIColorSpec cspec)
{
	return (VPIChromaLocation)VPI_LIBMEM_TAKE(cspec, 12, 2);
}

static const struct {
	int horiz;
	int vert;
} samples[] = {
	[VPI_CSS_444] = { 4, 4 },
	[VPI_CSS_422] = { 2, 4 },
	[VPI_CSS_422R] = { 4, 2 },
	[VPI_CSS_411] = { 1, 4 },
	[VPI_CSS_411R] = { 4, 1 },
	[VPI_CSS_420] = { 2, 2 },
};

#define NR_SAMPLES	(sizeof(samples) / sizeof(*samples))

VPI_PUBLIC VPIChromaSubsampling vpiMakeChromaSubsampling(int samplesHoriz,
							 int samplesVert)
{
	size_t i;

	for (i = 0; i < NR_SAMPLES; i++)
		if (samples[i].horiz == samplesHoriz &&
		    samples[i].vert == samplesVert)
			return (VPIChromaSubsampling)i;
	return VPI_CSS_INVALID;
}

VPI_PUBLIC int vpiChromaSubsamplingGetSamplesHoriz(VPIChromaSubsampling css)
{
	return (size_t)css < NR_SAMPLES ? samples[css].horiz : 0;
}

VPI_PUBLIC int vpiChromaSubsamplingGetSamplesVert(VPIChromaSubsampling css)
{
	return (size_t)css < NR_SAMPLES ? samples[css].vert : 0;
}
