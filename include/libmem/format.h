/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Formats of pixels: of whole images, and of the planes that attribute lists
 * describe. Part of libmem.h.
 */
#ifndef _LIBMEM_FORMAT_H
#define _LIBMEM_FORMAT_H

#include <stdint.h>

#include <libmem/attrs.h>

#ifdef __cplusplus
extern "C" {
/* A call may have the name of a struct, as stat() has. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif

/**
 * enum mem_format - pixels of an image
 *
 * Planes in brackets, each with its DRM fourcc (drm_fourcc.h), which
 * MEM_ATTR_IMAGE_PLANE_FORMAT takes. Where DRM has none (signed and floating
 * point pixels) MEM_FOURCC_S16 and MEM_FOURCC_F32 stand for it. Components are
 * named from the lowest byte on.
 *
 * @MEM_FORMAT_INVALID: none
 * @MEM_FORMAT_U8: [R8], values without a meaning
 * @MEM_FORMAT_S16: [S16]
 * @MEM_FORMAT_U16: [R16]
 * @MEM_FORMAT_F32: [F32]
 * @MEM_FORMAT_Y8: [R8], luma of studio range
 * @MEM_FORMAT_Y8_ER: [R8], luma of full range
 * @MEM_FORMAT_Y16: [R16], luma of studio range
 * @MEM_FORMAT_Y16_ER: [R16], luma of full range
 * @MEM_FORMAT_NV12: [R8] [GR88], 4:2:0, studio range, BT.601
 * @MEM_FORMAT_NV12_ER: the same of full range
 * @MEM_FORMAT_NV12_BL: as MEM_FORMAT_NV12, block-linear
 * @MEM_FORMAT_NV12_ER_BL: as MEM_FORMAT_NV12_ER, block-linear
 * @MEM_FORMAT_RGB8: [BGR888]: bytes R, G, B
 * @MEM_FORMAT_BGR8: [RGB888]: bytes B, G, R
 * @MEM_FORMAT_RGBA8: [ABGR8888]: bytes R, G, B, A
 * @MEM_FORMAT_BGRA8: [ARGB8888]: bytes B, G, R, A
 * @MEM_FORMAT_RGB8P: [R8] [R8] [R8]: planes of R, G and B
 * @MEM_FORMAT_2S16: [GR1616 of signed values, MEM_FOURCC_2S16]
 * @MEM_FORMAT_2F32: [two floats, MEM_FOURCC_2F32]
 * @MEM_FORMAT_YUV420: [R8] [R8] [R8]: planes of Y, Cb and Cr, 4:2:0, studio
 *	range, BT.601
 * @MEM_FORMAT_YUV420_ER: the same of full range
 * @MEM_FORMAT_YUV420_BL: as MEM_FORMAT_YUV420, block-linear
 * @MEM_FORMAT_YUV420_ER_BL: as MEM_FORMAT_YUV420_ER, block-linear
 */
enum mem_format {
	MEM_FORMAT_INVALID,
	MEM_FORMAT_U8,
	MEM_FORMAT_S16,
	MEM_FORMAT_U16,
	MEM_FORMAT_F32,
	MEM_FORMAT_Y8,
	MEM_FORMAT_Y8_ER,
	MEM_FORMAT_Y16,
	MEM_FORMAT_Y16_ER,
	MEM_FORMAT_NV12,
	MEM_FORMAT_NV12_ER,
	MEM_FORMAT_NV12_BL,
	MEM_FORMAT_NV12_ER_BL,
	MEM_FORMAT_RGB8,
	MEM_FORMAT_BGR8,
	MEM_FORMAT_RGBA8,
	MEM_FORMAT_BGRA8,
	MEM_FORMAT_RGB8P,
	MEM_FORMAT_2S16,
	MEM_FORMAT_2F32,
	MEM_FORMAT_YUV420,
	MEM_FORMAT_YUV420_ER,
	MEM_FORMAT_YUV420_BL,
	MEM_FORMAT_YUV420_ER_BL
};

#define MEM_FOURCC(a, b, c, d) \
	((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | \
	 (uint32_t)(d) << 24)
/* libmem's own, where DRM has no code */
#define MEM_FOURCC_S16		MEM_FOURCC('S', '1', '6', ' ')
#define MEM_FOURCC_F32		MEM_FOURCC('F', '3', '2', ' ')
#define MEM_FOURCC_2S16		MEM_FOURCC('2', 'S', '1', '6')
#define MEM_FOURCC_2F32		MEM_FOURCC('2', 'F', '3', '2')

/**
 * struct mem_format_plane - a plane of a format
 * @fourcc: DRM fourcc of the plane
 * @pixel_len: bytes of a pixel
 * @nr_channels: components of a pixel
 * @x_div: image width by plane width
 * @y_div: image height by plane height
 *
 * It has no size, and does not grow: it is an element of a list.
 */
struct mem_format_plane {
	uint32_t fourcc;
	uint32_t pixel_len;
	uint32_t nr_channels;
	uint32_t x_div;
	uint32_t y_div;
};

/**
 * struct mem_format_info - what a format is
 * @size: in: sizeof of this struct; out: bytes that were filled in
 * @fourcc: out: DRM fourcc of the whole; 0: DRM has none
 * @data_type: out: enum mem_data_type of a component
 * @layout: out: enum mem_layout
 * @color_std: out: enum mem_color_std
 * @nr_planes: out: 1 to MEM_PLANES_MAX
 * @planes: out: each
 * @reserved: out: 0
 * @name: out: "nv12-er", terminated
 */
struct mem_format_info {
	uint32_t size;
	uint32_t fourcc;
	uint32_t data_type;
	uint32_t layout;
	uint32_t color_std;
	uint32_t nr_planes;
	struct mem_format_plane planes[MEM_PLANES_MAX];
	uint32_t reserved;
	char name[16];
};

/**
 * mem_format_info() - what a format is
 * @format: enum mem_format
 * @info: in and out: @info->size is set by the caller
 *
 * Context: any.
 * Return: 0, or -EINVAL (no such format, @info is NULL, @info->size is below
 * the struct's first version or no multiple of 8).
 */
int mem_format_info(unsigned int format, struct mem_format_info *info);

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif

#endif
