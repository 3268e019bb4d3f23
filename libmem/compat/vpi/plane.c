// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Planes of image formats. The swizzle of a format numbers the channels of all
 * planes, X to W; that of a plane numbers the plane's channels.
 */
#include "vpi.h"

/* Bits of a format except those of swizzle and planes */
#define PLANE_FREE	(VPI_LIBMEM_PUT(~0ULL, 12, 23) | \
			 VPI_LIBMEM_PUT(7, 61, 3))
#define PLANE_CSS	VPI_LIBMEM_PUT(7, 17, 3)

/* Returns the number of channels that the swizzle reads. */
static int plane_nr_channels(VPISwizzle swizzle)
{
	VPIChannel channels[4];
	int i, nr = 0;

	vpiSwizzleGetChannels(swizzle, channels);
	for (i = 0; i < 4; i++)
		if ((int)channels[i] > nr && channels[i] <= VPI_CHANNEL_W)
			nr = channels[i];
	return nr;
}

/**
 * vpi_format_planes() - make a format with other planes
 * @format: format of which the colour, layout and data type are taken
 * @swizzle: order of the channels of all planes
 * @packings: packings of four planes
 *
 * Return: the format; VPI_IMAGE_FORMAT_INVALID: @swizzle and @packings differ
 * in their number of channels, or a plane cannot have its packing.
 */
VPIImageFormat vpi_format_planes(VPIImageFormat format, VPISwizzle swizzle,
				 const VPIPacking *packings)
{
	const VPIImageFormat made =
		(format & PLANE_FREE) |
		VPI_LIBMEM_FORMAT(VPI_COLOR_MODEL_YCbCr, 0, 0, 0, 0, swizzle,
				  packings[0], packings[1], packings[2],
				  packings[3]);
	int i;

	for (i = 0; i < 4; i++)
		if (vpiImageFormatGetPlanePacking(made, i) != packings[i] ||
		    (i && packings[i] && !packings[i - 1]))
			return VPI_IMAGE_FORMAT_INVALID;
	if (!packings[0] ||
	    vpiImageFormatGetChannelCount(made) != plane_nr_channels(swizzle))
		return VPI_IMAGE_FORMAT_INVALID;
	return made;
}

VPI_PUBLIC VPIImageFormat
vpiImageFormatSetSwizzleAndPacking(VPIImageFormat fmt, VPISwizzle swizzle,
				   VPIPacking packing0, VPIPacking packing1,
				   VPIPacking packing2, VPIPacking packing3)
{
	VPIPacking packings[] = { packing0, packing1, packing2, packing3 };
	int i;

	if (!vpiImageFormatGetPlaneCount(fmt))
		return VPI_IMAGE_FORMAT_INVALID;
	if (swizzle == VPI_SWIZZLE_INVALID)
		swizzle = vpiImageFormatGetSwizzle(fmt);
	for (i = 0; i < 4; i++)
		if (packings[i] == VPI_PACKING_INVALID)
			packings[i] = vpiImageFormatGetPlanePacking(fmt, i);
	return vpi_format_planes(fmt, swizzle, packings);
}

VPI_PUBLIC VPISwizzle vpiImageFormatGetPlaneSwizzle(VPIImageFormat fmt,
						    int plane)
{
	VPISwizzle swizzle = vpiImageFormatGetSwizzle(fmt);
	int nr = vpiImageFormatGetPlaneChannelCount(fmt, plane);
	VPIChannel channels[4];
	int i, first = 0;

	if (plane >= vpiImageFormatGetPlaneCount(fmt) || !nr)
		return VPI_SWIZZLE_0000;
	if (vpiImageFormatGetChannelCount(fmt) > plane_nr_channels(swizzle))
		return VPI_SWIZZLE_INVALID;
	for (i = 0; i < plane; i++)
		first += vpiImageFormatGetPlaneChannelCount(fmt, i);
	vpiSwizzleGetChannels(swizzle, channels);
	for (i = 0; i < 4; i++) {
		const int channel = (int)channels[i] - first;

		if (channels[i] == VPI_CHANNEL_1)
			continue;
		channels[i] = channel >= VPI_CHANNEL_X && channel <= nr ?
			      (VPIChannel)channel : VPI_CHANNEL_0;
	}
	return vpiMakeSwizzle(channels[0], channels[1], channels[2],
			      channels[3]);
}

VPI_PUBLIC VPIImageFormat vpiImageFormatGetPlaneFormat(VPIImageFormat fmt,
						       int plane)
{
	const int nr = vpiImageFormatGetPlaneCount(fmt);
	const VPIPacking packings[4] = {
		vpiImageFormatGetPlanePacking(fmt, plane),
	};

	if (plane < 0 || plane >= nr)
		return VPI_IMAGE_FORMAT_INVALID;
	if (nr == 1)
		return fmt;
	/* All planes except the first have chroma. */
	if (!plane && vpiImageFormatGetColorModel(fmt) == VPI_COLOR_MODEL_YCbCr)
		fmt &= ~PLANE_CSS;
	return (fmt & PLANE_FREE) |
	       VPI_LIBMEM_FORMAT1(VPI_COLOR_MODEL_YCbCr, 0, 0, 0, 0,
				  vpiImageFormatGetPlaneSwizzle(fmt, plane),
				  packings[0]);
}

/**
 * struct merge - planes that become one format
 * @format: colour, layout and data type of all planes
 * @css: chroma subsampling of those that have one
 * @channels: swizzle
 * @packings: packings
 * @nr_channels: number of channels of the planes so far
 */
struct merge {
	VPIImageFormat format;
	VPIChromaSubsampling css;
	VPIChannel channels[4];
	VPIPacking packings[4];
	int nr_channels;
};

/* Returns false if a channel is in two planes. */
static bool plane_merge_swizzle(struct merge *merge, VPISwizzle swizzle)
{
	VPIChannel channels[4];
	int i;

	vpiSwizzleGetChannels(swizzle, channels);
	for (i = 0; i < 4; i++) {
		VPIChannel *to = &merge->channels[i];

		if (channels[i] == VPI_CHANNEL_0 ||
		    (channels[i] == VPI_CHANNEL_1 && *to == VPI_CHANNEL_1))
			continue;
		if (*to != VPI_CHANNEL_0)
			return false;
		*to = channels[i] == VPI_CHANNEL_1 ? VPI_CHANNEL_1 :
		      (VPIChannel)(channels[i] + merge->nr_channels);
	}
	return true;
}

static bool plane_merge(struct merge *merge, VPIImageFormat plane, int index)
{
	const VPIChromaSubsampling css =
		vpiImageFormatGetChromaSubsampling(plane);
	VPIImageFormat format = plane & PLANE_FREE;

	if (vpiImageFormatGetColorModel(plane) == VPI_COLOR_MODEL_YCbCr)
		format &= ~PLANE_CSS;
	if (!index)
		merge->format = format;
	if (vpiImageFormatGetPlaneCount(plane) != 1 ||
	    format != merge->format ||
	    (css && merge->css && css != merge->css) ||
	    !plane_merge_swizzle(merge, vpiImageFormatGetSwizzle(plane)))
		return false;
	if (css)
		merge->css = css;
	merge->packings[index] = vpiImageFormatGetPlanePacking(plane, 0);
	merge->nr_channels += vpiImageFormatGetChannelCount(plane);
	return merge->nr_channels <= 4;
}

VPI_PUBLIC VPIImageFormat vpiMakeImageFormatFromPlanes(VPIImageFormat plane0,
						       VPIImageFormat plane1,
						       VPIImageFormat plane2,
						       VPIImageFormat plane3)
{
	const VPIImageFormat planes[] = { plane0, plane1, plane2, plane3 };
	struct merge merge = { .css = VPI_CSS_NONE };
	const VPIChannel *channels = merge.channels;
	int i, nr = 4;

	while (nr && !planes[nr - 1])
		nr--;
	for (i = 0; i < nr; i++)
		if (!plane_merge(&merge, planes[i], i))
			return VPI_IMAGE_FORMAT_INVALID;
	if (merge.css)
		merge.format |= VPI_LIBMEM_PUT(merge.css, 17, 3);
	return vpi_format_planes(merge.format,
				 vpiMakeSwizzle(channels[0], channels[1],
						channels[2], channels[3]),
				 merge.packings);
}
