// SPDX-License-Identifier: LGPL-2.1-or-later
/* Colour formats: their planes, and the formats of libmem that match. */
#include <errno.h>

#include <drm_fourcc.h>

#include "nvbuf.h"

/**
 * enum shape - arrangement of planes
 * @SHAPE_NONE: heapsim does not support the format
 * @SHAPE_PACKED: one plane
 * @SHAPE_PLANAR: three planes of 8-bit components
 * @SHAPE_SEMI: a plane of 8-bit luma, and one of both chroma components
 * @SHAPE_WIDE: like SHAPE_SEMI with 16-bit components
 */
enum shape {
	SHAPE_NONE,
	SHAPE_PACKED,
	SHAPE_PLANAR,
	SHAPE_SEMI,
	SHAPE_WIDE
};

/**
 * struct known - a colour format
 * @name: name without NVBUF_COLOR_FORMAT_
 * @shape: enum shape
 * @std: enum mem_color_std
 * @fourcc: fourcc of packed pixels
 * @len: bytes of a packed pixel
 * @x_div: width of luma divided by width of chroma
 * @y_div: height of luma divided by height of chroma
 */
struct known {
	const char *name;
	uint8_t shape;
	uint8_t std;
	uint32_t fourcc;
	uint8_t len;
	uint8_t x_div;
	uint8_t y_div;
};

#define PACKED(color, pixels, pixel_len, color_std) \
	[NVBUF_COLOR_FORMAT_##color] = { \
		.name = #color, .shape = SHAPE_PACKED, \
		.std = MEM_COLOR_STD_##color_std, \
		.fourcc = (pixels), .len = (pixel_len) }
#define CHROMA(color, how, x, y, color_std) \
	[NVBUF_COLOR_FORMAT_##color] = { \
		.name = #color, .shape = SHAPE_##how, \
		.std = MEM_COLOR_STD_##color_std, \
		.x_div = (x), .y_div = (y) }

static const struct known formats[] = {
	PACKED(GRAY8, DRM_FORMAT_R8, 1, REC601_ER),
	CHROMA(YUV420, PLANAR, 2, 2, REC601_SR),
	CHROMA(YVU420, PLANAR, 2, 2, REC601_SR),
	CHROMA(YUV420_ER, PLANAR, 2, 2, REC601_ER),
	CHROMA(YVU420_ER, PLANAR, 2, 2, REC601_ER),
	CHROMA(NV12, SEMI, 2, 2, REC601_SR),
	CHROMA(NV12_ER, SEMI, 2, 2, REC601_ER),
	CHROMA(NV21, SEMI, 2, 2, REC601_SR),
	CHROMA(NV21_ER, SEMI, 2, 2, REC601_ER),
	PACKED(UYVY, DRM_FORMAT_UYVY, 2, REC601_SR),
	PACKED(UYVY_ER, DRM_FORMAT_UYVY, 2, REC601_ER),
	PACKED(VYUY, DRM_FORMAT_VYUY, 2, REC601_SR),
	PACKED(VYUY_ER, DRM_FORMAT_VYUY, 2, REC601_ER),
	PACKED(YUYV, DRM_FORMAT_YUYV, 2, REC601_SR),
	PACKED(YUYV_ER, DRM_FORMAT_YUYV, 2, REC601_ER),
	PACKED(YVYU, DRM_FORMAT_YVYU, 2, REC601_SR),
	PACKED(YVYU_ER, DRM_FORMAT_YVYU, 2, REC601_ER),
	CHROMA(YUV444, PLANAR, 1, 1, REC601_SR),
	/* The names have byte order; those of DRM have the reverse order. */
	PACKED(RGBA, DRM_FORMAT_ABGR8888, 4, SRGB),
	PACKED(BGRA, DRM_FORMAT_ARGB8888, 4, SRGB),
	PACKED(ARGB, DRM_FORMAT_BGRA8888, 4, SRGB),
	PACKED(ABGR, DRM_FORMAT_RGBA8888, 4, SRGB),
	PACKED(RGBx, DRM_FORMAT_ABGR8888, 4, SRGB),
	PACKED(BGRx, DRM_FORMAT_ARGB8888, 4, SRGB),
	PACKED(xRGB, DRM_FORMAT_BGRA8888, 4, SRGB),
	PACKED(xBGR, DRM_FORMAT_RGBA8888, 4, SRGB),
	PACKED(RGB, DRM_FORMAT_BGR888, 3, SRGB),
	PACKED(BGR, DRM_FORMAT_RGB888, 3, SRGB),
	CHROMA(NV12_10LE, WIDE, 2, 2, REC601_SR),
	CHROMA(NV12_12LE, WIDE, 2, 2, REC601_SR),
	CHROMA(YUV420_709, PLANAR, 2, 2, REC709_SR),
	CHROMA(YUV420_709_ER, PLANAR, 2, 2, REC709_ER),
	CHROMA(NV12_709, SEMI, 2, 2, REC709_SR),
	CHROMA(NV12_709_ER, SEMI, 2, 2, REC709_ER),
	CHROMA(YUV420_2020, PLANAR, 2, 2, REC2020_SR),
	CHROMA(NV12_2020, SEMI, 2, 2, REC2020_SR),
	CHROMA(NV12_10LE_ER, WIDE, 2, 2, REC601_ER),
	CHROMA(NV12_10LE_709, WIDE, 2, 2, REC709_SR),
	CHROMA(NV12_10LE_709_ER, WIDE, 2, 2, REC709_ER),
	CHROMA(NV12_10LE_2020, WIDE, 2, 2, REC2020_SR),
	PACKED(SIGNED_R16G16, MEM_FOURCC_2S16, 4, NONE),
	CHROMA(R8_G8_B8, PLANAR, 1, 1, SRGB),
	CHROMA(B8_G8_R8, PLANAR, 1, 1, SRGB),
	CHROMA(YUV422, PLANAR, 2, 1, REC601_SR),
	CHROMA(NV16, SEMI, 2, 1, REC601_SR),
	CHROMA(NV16_ER, SEMI, 2, 1, REC601_ER),
	CHROMA(NV16_709, SEMI, 2, 1, REC709_SR),
	CHROMA(NV16_709_ER, SEMI, 2, 1, REC709_ER),
	CHROMA(NV24, SEMI, 1, 1, REC601_SR),
	CHROMA(NV24_ER, SEMI, 1, 1, REC601_ER),
	CHROMA(NV24_709, SEMI, 1, 1, REC709_SR),
	CHROMA(NV24_709_ER, SEMI, 1, 1, REC709_ER),
	CHROMA(YUV444_ER, PLANAR, 1, 1, REC601_ER),
	CHROMA(YUV444_709, PLANAR, 1, 1, REC709_SR),
	CHROMA(YUV444_709_ER, PLANAR, 1, 1, REC709_ER),
	CHROMA(YUV444_2020, PLANAR, 1, 1, REC2020_SR),
};

/* Formats of libmem's images; for a lock, the first match is used */
static const struct {
	NvBufSurfaceColorFormat color;
	NvBufSurfaceLayout layout;
	unsigned int mem;
} images[] = {
	{ NVBUF_COLOR_FORMAT_GRAY8, NVBUF_LAYOUT_PITCH, MEM_FORMAT_Y8_ER },
	{ NVBUF_COLOR_FORMAT_GRAY8, NVBUF_LAYOUT_PITCH, MEM_FORMAT_Y8 },
	{ NVBUF_COLOR_FORMAT_GRAY8, NVBUF_LAYOUT_PITCH, MEM_FORMAT_U8 },
	{ NVBUF_COLOR_FORMAT_NV12, NVBUF_LAYOUT_PITCH, MEM_FORMAT_NV12 },
	{ NVBUF_COLOR_FORMAT_NV12_ER, NVBUF_LAYOUT_PITCH, MEM_FORMAT_NV12_ER },
	{ NVBUF_COLOR_FORMAT_YUV420, NVBUF_LAYOUT_PITCH, MEM_FORMAT_YUV420 },
	{ NVBUF_COLOR_FORMAT_YUV420_ER, NVBUF_LAYOUT_PITCH,
	  MEM_FORMAT_YUV420_ER },
	{ NVBUF_COLOR_FORMAT_NV12, NVBUF_LAYOUT_BLOCK_LINEAR,
	  MEM_FORMAT_NV12_BL },
	{ NVBUF_COLOR_FORMAT_NV12_ER, NVBUF_LAYOUT_BLOCK_LINEAR,
	  MEM_FORMAT_NV12_ER_BL },
	{ NVBUF_COLOR_FORMAT_YUV420, NVBUF_LAYOUT_BLOCK_LINEAR,
	  MEM_FORMAT_YUV420_BL },
	{ NVBUF_COLOR_FORMAT_YUV420_ER, NVBUF_LAYOUT_BLOCK_LINEAR,
	  MEM_FORMAT_YUV420_ER_BL },
	{ NVBUF_COLOR_FORMAT_RGBA, NVBUF_LAYOUT_PITCH, MEM_FORMAT_RGBA8 },
	{ NVBUF_COLOR_FORMAT_BGRA, NVBUF_LAYOUT_PITCH, MEM_FORMAT_BGRA8 },
	{ NVBUF_COLOR_FORMAT_RGBx, NVBUF_LAYOUT_PITCH, MEM_FORMAT_RGBA8 },
	{ NVBUF_COLOR_FORMAT_BGRx, NVBUF_LAYOUT_PITCH, MEM_FORMAT_BGRA8 },
	{ NVBUF_COLOR_FORMAT_RGB, NVBUF_LAYOUT_PITCH, MEM_FORMAT_RGB8 },
	{ NVBUF_COLOR_FORMAT_BGR, NVBUF_LAYOUT_PITCH, MEM_FORMAT_BGR8 },
	{ NVBUF_COLOR_FORMAT_R8_G8_B8, NVBUF_LAYOUT_PITCH, MEM_FORMAT_RGB8P },
	{ NVBUF_COLOR_FORMAT_SIGNED_R16G16, NVBUF_LAYOUT_PITCH,
	  MEM_FORMAT_2S16 },
};

#define NR_IMAGES	(sizeof(images) / sizeof(*images))

/**
 * nvbuf_format() - return the planes of a colour format
 * @color: colour format
 * @format: out: planes
 *
 * Return: 0, or -EOPNOTSUPP (heapsim does not support the format).
 */
int nvbuf_format(NvBufSurfaceColorFormat color, struct nvbuf_format *format)
{
	static const struct nvbuf_plane planar = { DRM_FORMAT_R8, 1, 1, 1 };
	static const struct nvbuf_plane semi = { DRM_FORMAT_GR88, 2, 1, 1 };
	static const struct nvbuf_plane wide = { DRM_FORMAT_GR1616, 4, 1, 1 };
	const struct known *known;
	uint32_t i;

	if ((size_t)color >= sizeof(formats) / sizeof(*formats))
		return -EOPNOTSUPP;
	known = &formats[color];
	format->std = known->std;
	format->planes[0] = planar;
	switch (known->shape) {
	case SHAPE_PACKED:
		format->nr_planes = 1;
		format->planes[0].fourcc = known->fourcc;
		format->planes[0].pixel_len = known->len;
		break;
	case SHAPE_PLANAR:
		format->nr_planes = 3;
		format->planes[1] = planar;
		format->planes[2] = planar;
		break;
	case SHAPE_SEMI:
		format->nr_planes = 2;
		format->planes[1] = semi;
		break;
	case SHAPE_WIDE:
		format->nr_planes = 2;
		format->planes[0].fourcc = DRM_FORMAT_R16;
		format->planes[0].pixel_len = 2;
		format->planes[1] = wide;
		break;
	default:
		return -EOPNOTSUPP;
	}
	for (i = 1; i < format->nr_planes; i++) {
		format->planes[i].x_div = known->x_div;
		format->planes[i].y_div = known->y_div;
	}
	return 0;
}

/**
 * nvbuf_format_name() - get the name of a colour format
 * @color: colour format
 *
 * Return: the name without NVBUF_COLOR_FORMAT_, or "?" if heapsim does not
 * support the format.
 */
const char *nvbuf_format_name(NvBufSurfaceColorFormat color)
{
	return (size_t)color < sizeof(formats) / sizeof(*formats) &&
	       formats[color].name ? formats[color].name : "?";
}

/**
 * nvbuf_to_mem() - convert a colour format to libmem's
 * @color: colour format
 * @layout: layout
 *
 * Return: enum mem_format; MEM_FORMAT_INVALID: libmem's images do not support
 * it.
 */
unsigned int nvbuf_to_mem(NvBufSurfaceColorFormat color,
			  NvBufSurfaceLayout layout)
{
	size_t i;

	for (i = 0; i < NR_IMAGES; i++)
		if (images[i].color == color && images[i].layout == layout)
			return images[i].mem;
	return MEM_FORMAT_INVALID;
}

/**
 * nvbuf_of_mem() - convert libmem's format to a colour format
 * @format: enum mem_format
 * @layout: out: layout
 *
 * Return: colour format; NVBUF_COLOR_FORMAT_INVALID: there is none.
 */
NvBufSurfaceColorFormat nvbuf_of_mem(unsigned int format,
				     NvBufSurfaceLayout *layout)
{
	size_t i;

	for (i = 0; i < NR_IMAGES; i++) {
		if (images[i].mem == format) {
			*layout = images[i].layout;
			return images[i].color;
		}
	}
	return NVBUF_COLOR_FORMAT_INVALID;
}
