/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is behind a surface or texture object. Its handle is the address of such
 * a struct, in memory that engines read too, since kernels run in a process of
 * their own. Between libmem-cuda, which fills it in, and the functions of
 * surface_indirect_functions.h and texture_indirect_functions.h; programs leave
 * it alone.
 */
#ifndef _LIBMEM_VIEW_H
#define _LIBMEM_VIEW_H

/* What is there: another number is no object, or one that was destroyed */
#define LIBMEM_VIEW_SURFACE	0x53757266U
#define LIBMEM_VIEW_TEXTURE	0x54657874U

/* Levels of the largest mipmapped array */
#define LIBMEM_VIEW_LEVELS	16

/* Formats of a channel, as CUarray_format numbers them */
#define LIBMEM_VIEW_U8		0x01U
#define LIBMEM_VIEW_U16		0x02U
#define LIBMEM_VIEW_U32		0x03U
#define LIBMEM_VIEW_S8		0x08U
#define LIBMEM_VIEW_S16		0x09U
#define LIBMEM_VIEW_S32		0x0aU
#define LIBMEM_VIEW_F16		0x10U
#define LIBMEM_VIEW_F32		0x20U

/* Address modes, as CUaddress_mode numbers them */
#define LIBMEM_VIEW_WRAP	0U
#define LIBMEM_VIEW_CLAMP	1U
#define LIBMEM_VIEW_MIRROR	2U
#define LIBMEM_VIEW_BORDER	3U

/* Flags */
#define LIBMEM_VIEW_TO_FLOAT	0x01U	/* integers become 0 to 1, or -1 to 1 */
#define LIBMEM_VIEW_NORMALIZED	0x02U	/* coordinates go from 0 to 1 */
#define LIBMEM_VIEW_SRGB	0x04U
#define LIBMEM_VIEW_LINEAR	0x08U	/* filter */
#define LIBMEM_VIEW_MIP_LINEAR	0x10U
#define LIBMEM_VIEW_LAYERED	0x20U
#define LIBMEM_VIEW_CUBEMAP	0x40U
#define LIBMEM_VIEW_BUFFER	0x80U	/* linear memory, no array */

/**
 * struct libmem_level - an array, or a level of a mipmapped one
 * @base: its first element
 * @pitch: bytes from row to row
 * @slice: bytes from slice to slice, or layer to layer
 * @width: elements of a row
 * @height: rows, at least 1
 * @depth: slices or layers, at least 1
 * @reserved: 0
 */
struct libmem_level {
	char *base;
	unsigned long long pitch;
	unsigned long long slice;
	unsigned int width;
	unsigned int height;
	unsigned int depth;
	unsigned int reserved;
};

/**
 * struct libmem_view - a surface or texture object
 * @magic: LIBMEM_VIEW_SURFACE or LIBMEM_VIEW_TEXTURE
 * @format: of a channel
 * @nr_channels: 1, 2 or 4
 * @element_len: bytes
 * @nr_levels: at least 1
 * @flags: LIBMEM_VIEW_*
 * @address: mode in x, y and z
 * @border: what lies outside: floats, or the bits of integers
 * @bias: added to levels
 * @min_level: the finest
 * @max_level: the coarsest
 * @reserved: 0
 * @levels: each
 */
struct libmem_view {
	unsigned int magic;
	unsigned int format;
	unsigned int nr_channels;
	unsigned int element_len;
	unsigned int nr_levels;
	unsigned int flags;
	unsigned int address[3];
	float border[4];
	float bias;
	float min_level;
	float max_level;
	unsigned int reserved[2];
	struct libmem_level levels[LIBMEM_VIEW_LEVELS];
};

#endif
