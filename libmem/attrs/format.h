/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libmem: formats of pixels and elements, for attribute lists and images. */
#ifndef _LIBMEM_ATTRS_FORMAT_H
#define _LIBMEM_ATTRS_FORMAT_H

#include "libmem/format.h"

/**
 * struct format_plane - pixels of one plane
 * @fourcc: fourcc of DRM, or MEM_FOURCC_*
 * @bits: bits of a pixel, a multiple of 8
 * @nr_channels: number of components of a pixel
 * @data_type: enum mem_data_type of a component
 */
struct format_plane {
	uint32_t fourcc;
	uint32_t bits;
	uint32_t nr_channels;
	uint32_t data_type;
};

#define NR_DATA_TYPES	(MEM_DATA_KEYPOINT + 1U)

/* Names for people, by enum mem_data_type */
extern const char *const format_data_words[NR_DATA_TYPES];

const struct format_plane *format_plane(uint64_t fourcc);
uint32_t format_data_len(uint32_t data_type);

#endif
