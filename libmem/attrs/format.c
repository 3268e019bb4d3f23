// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: formats of planes and of whole images. The codes are DRM's
 * (drm_fourcc.h), and MEM_FOURCC_* where DRM has none.
 */
#include <drm_fourcc.h>
#include <errno.h>
#include <string.h>

#include "../internal.h"
#include "format.h"

/*
 * A pixel of packed YUV has two components: luma, and one of the two chroma
 * components that it shares with its neighbour. Components of 10 bits are
 * fields of a 32-bit word.
 */
static const struct format_plane planes[] = {
	{ DRM_FORMAT_R8, 8, 1, MEM_DATA_U8 },
	{ DRM_FORMAT_R16, 16, 1, MEM_DATA_U16 },
	{ DRM_FORMAT_GR88, 16, 2, MEM_DATA_U8 },
	{ DRM_FORMAT_RG88, 16, 2, MEM_DATA_U8 },
	{ DRM_FORMAT_GR1616, 32, 2, MEM_DATA_U16 },
	{ DRM_FORMAT_RG1616, 32, 2, MEM_DATA_U16 },
	{ DRM_FORMAT_BGR888, 24, 3, MEM_DATA_U8 },
	{ DRM_FORMAT_RGB888, 24, 3, MEM_DATA_U8 },
	{ DRM_FORMAT_ABGR8888, 32, 4, MEM_DATA_U8 },
	{ DRM_FORMAT_ARGB8888, 32, 4, MEM_DATA_U8 },
	{ DRM_FORMAT_RGBA8888, 32, 4, MEM_DATA_U8 },
	{ DRM_FORMAT_BGRA8888, 32, 4, MEM_DATA_U8 },
	{ DRM_FORMAT_AYUV, 32, 4, MEM_DATA_U8 },
	{ DRM_FORMAT_YUYV, 16, 2, MEM_DATA_U8 },
	{ DRM_FORMAT_YVYU, 16, 2, MEM_DATA_U8 },
	{ DRM_FORMAT_UYVY, 16, 2, MEM_DATA_U8 },
	{ DRM_FORMAT_VYUY, 16, 2, MEM_DATA_U8 },
	{ DRM_FORMAT_ARGB2101010, 32, 4, MEM_DATA_U32 },
	{ DRM_FORMAT_ABGR16161616, 64, 4, MEM_DATA_U16 },
	{ DRM_FORMAT_ABGR16161616F, 64, 4, MEM_DATA_F16 },
	{ MEM_FOURCC_S16, 16, 1, MEM_DATA_S16 },
	{ MEM_FOURCC_F32, 32, 1, MEM_DATA_F32 },
	{ MEM_FOURCC_2S16, 32, 2, MEM_DATA_S16 },
	{ MEM_FOURCC_2F32, 64, 2, MEM_DATA_F32 },
};

/**
 * format_plane() - find the format of a plane
 * @fourcc: fourcc, any number
 *
 * Return: format, or NULL if no plane has such pixels.
 */
const struct format_plane *format_plane(uint64_t fourcc)
{
	size_t i;

	for (i = 0; i < sizeof(planes) / sizeof(*planes); i++)
		if (planes[i].fourcc == fourcc)
			return &planes[i];
	return NULL;
}

const char *const format_data_words[NR_DATA_TYPES] = {
	"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f16", "f32",
	"f64", "bool", "keypoint"
};

/**
 * format_data_len() - return the length of an element
 * @data_type: below NR_DATA_TYPES
 *
 * Return: bytes, a power of two.
 */
uint32_t format_data_len(uint32_t data_type)
{
	static const uint8_t len[NR_DATA_TYPES] = {
		[MEM_DATA_U8] = 1,
		[MEM_DATA_S8] = 1,
		[MEM_DATA_U16] = 2,
		[MEM_DATA_S16] = 2,
		[MEM_DATA_U32] = 4,
		[MEM_DATA_S32] = 4,
		[MEM_DATA_U64] = 8,
		[MEM_DATA_S64] = 8,
		[MEM_DATA_F16] = 2,
		[MEM_DATA_F32] = 4,
		[MEM_DATA_F64] = 8,
		[MEM_DATA_BOOL] = 1,
		[MEM_DATA_KEYPOINT] = sizeof(struct mem_keypoint),
	};

	return len[data_type];
}

/**
 * struct format - a format of images
 * @fourcc: fourcc of the image; 0: DRM has none
 * @layout: enum mem_layout
 * @color_std: enum mem_color_std
 * @planes: fourcc of each plane; 0: no plane
 * @div: sides of the image, divided by those of each plane except the first
 * @name: name for reports
 */
struct format {
	uint32_t fourcc;
	uint32_t layout;
	uint32_t color_std;
	uint32_t planes[MEM_PLANES_MAX];
	uint32_t div;
	const char *name;
};

#define ONE(code)	.fourcc = code, .planes = { code }, \
			.layout = MEM_LAYOUT_PITCH_LINEAR
/* Formats that have no code in DRM */
#define OWN(code)	.planes = { code }, .layout = MEM_LAYOUT_PITCH_LINEAR
#define NV12(how)	.fourcc = DRM_FORMAT_NV12, .div = 2, .layout = how, \
			.planes = { DRM_FORMAT_R8, DRM_FORMAT_GR88 }
#define YUV420(how)	.fourcc = DRM_FORMAT_YUV420, .div = 2, .layout = how, \
			.planes = { DRM_FORMAT_R8, DRM_FORMAT_R8, \
				    DRM_FORMAT_R8 }
#define STD(std)	.color_std = MEM_COLOR_STD_##std

static const struct format formats[] = {
	[MEM_FORMAT_U8] = { ONE(DRM_FORMAT_R8), .name = "u8" },
	[MEM_FORMAT_S16] = { OWN(MEM_FOURCC_S16), .name = "s16" },
	[MEM_FORMAT_U16] = { ONE(DRM_FORMAT_R16), .name = "u16" },
	[MEM_FORMAT_F32] = { OWN(MEM_FOURCC_F32), .name = "f32" },
	[MEM_FORMAT_Y8] = { ONE(DRM_FORMAT_R8), STD(REC601_SR),
			    .name = "y8" },
	[MEM_FORMAT_Y8_ER] = { ONE(DRM_FORMAT_R8), STD(REC601_ER),
			       .name = "y8-er" },
	[MEM_FORMAT_Y16] = { ONE(DRM_FORMAT_R16), STD(REC601_SR),
			     .name = "y16" },
	[MEM_FORMAT_Y16_ER] = { ONE(DRM_FORMAT_R16), STD(REC601_ER),
				.name = "y16-er" },
	[MEM_FORMAT_NV12] = { NV12(MEM_LAYOUT_PITCH_LINEAR), STD(REC601_SR),
			      .name = "nv12" },
	[MEM_FORMAT_NV12_ER] = { NV12(MEM_LAYOUT_PITCH_LINEAR),
				 STD(REC601_ER), .name = "nv12-er" },
	[MEM_FORMAT_NV12_BL] = { NV12(MEM_LAYOUT_BLOCK_LINEAR),
				 STD(REC601_SR), .name = "nv12-bl" },
	[MEM_FORMAT_NV12_ER_BL] = { NV12(MEM_LAYOUT_BLOCK_LINEAR),
				    STD(REC601_ER), .name = "nv12-er-bl" },
	[MEM_FORMAT_RGB8] = { ONE(DRM_FORMAT_BGR888), STD(SRGB),
			      .name = "rgb8" },
	[MEM_FORMAT_BGR8] = { ONE(DRM_FORMAT_RGB888), STD(SRGB),
			      .name = "bgr8" },
	[MEM_FORMAT_RGBA8] = { ONE(DRM_FORMAT_ABGR8888), STD(SRGB),
			       .name = "rgba8" },
	[MEM_FORMAT_BGRA8] = { ONE(DRM_FORMAT_ARGB8888), STD(SRGB),
			       .name = "bgra8" },
	[MEM_FORMAT_RGB8P] = { .planes = { DRM_FORMAT_R8, DRM_FORMAT_R8,
					   DRM_FORMAT_R8 },
			       .layout = MEM_LAYOUT_PITCH_LINEAR, .div = 1,
			       STD(SRGB), .name = "rgb8p" },
	[MEM_FORMAT_2S16] = { OWN(MEM_FOURCC_2S16), .name = "2s16" },
	[MEM_FORMAT_2F32] = { OWN(MEM_FOURCC_2F32), .name = "2f32" },
	[MEM_FORMAT_YUV420] = { YUV420(MEM_LAYOUT_PITCH_LINEAR),
				STD(REC601_SR), .name = "yuv420" },
	[MEM_FORMAT_YUV420_ER] = { YUV420(MEM_LAYOUT_PITCH_LINEAR),
				   STD(REC601_ER), .name = "yuv420-er" },
	[MEM_FORMAT_YUV420_BL] = { YUV420(MEM_LAYOUT_BLOCK_LINEAR),
				   STD(REC601_SR), .name = "yuv420-bl" },
	[MEM_FORMAT_YUV420_ER_BL] = { YUV420(MEM_LAYOUT_BLOCK_LINEAR),
				      STD(REC601_ER), .name = "yuv420-er-bl" },
};

static void format_plane_out(const struct format *format, unsigned int i,
			     struct mem_format_plane *out)
{
	const struct format_plane *plane = format_plane(format->planes[i]);

	*out = (struct mem_format_plane) {
		.fourcc = plane->fourcc,
		.pixel_len = plane->bits / 8,
		.nr_channels = plane->nr_channels,
		.x_div = i ? format->div : 1,
		.y_div = i ? format->div : 1,
	};
}

API int mem_format_info(unsigned int format, struct mem_format_info *info)
{
	struct mem_format_info all = { 0 };
	const struct format *of;

	if (!info || struct_check(info, offsetofend(struct mem_format_info,
						    name)))
		return -EINVAL;
	if (!format || format >= sizeof(formats) / sizeof(*formats))
		return -EINVAL;
	of = &formats[format];
	all.fourcc = of->fourcc;
	all.data_type = format_plane(of->planes[0])->data_type;
	all.layout = of->layout;
	all.color_std = of->color_std;
	while (all.nr_planes < MEM_PLANES_MAX && of->planes[all.nr_planes]) {
		format_plane_out(of, all.nr_planes, &all.planes[all.nr_planes]);
		all.nr_planes++;
	}
	strncpy(all.name, of->name, sizeof(all.name) - 1);
	struct_out(info, &all, sizeof(all));
	return 0;
}
