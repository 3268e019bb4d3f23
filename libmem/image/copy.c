// SPDX-License-Identifier: LGPL-2.1-or-later
/* libmem: copies and fills of images. */
#include "view.h"

/**
 * view_copy() - copy pixels
 * @dst: image of the format and sides of @src
 * @src: image that is read
 * @part: rows of each plane to be copied
 */
void view_copy(const struct view *dst, const struct view *src,
	       const struct part *part)
{
	uint32_t i, y, end;

	for (i = 0; i < dst->nr_planes; i++) {
		const struct mem_plane *to = &dst->planes[i];
		const size_t len = (size_t)to->width * to->pixel_len;

		part_rows(part, to->height, &y, &end);
		for (; y < end; y++)
			memcpy(row_of(to, y), row_of(&src->planes[i], y), len);
	}
}

/* Stores @nr components in a pixel; @value has a number for each. */
static void fill_pixel(enum comp comp, uint8_t *pixel, uint32_t nr,
		       const double *value)
{
	uint32_t i;

	for (i = 0; i < nr; i++)
		if (comp == COMP_F32)
			float_store(pixel, i, (float)value[i]);
		else
			comp_store(comp, pixel, i,
				   comp_clamp(comp, nearest(value[i], true)));
}

/**
 * view_fill() - fill an image with one colour
 * @dst: image that is written
 * @value: a number for each component, of all planes in order; rounded and
 *	clamped, except for floats
 * @part: rows of each plane to be filled
 */
void view_fill(const struct view *dst, const double *value,
	       const struct part *part)
{
	const enum comp comp = pixel_of(dst->format)->comp;
	uint8_t pixel[MAX_CHANNELS * sizeof(float)];
	uint32_t i, x, y, end;

	for (i = 0; i < dst->nr_planes; i++) {
		const struct mem_plane *to = &dst->planes[i];
		const uint32_t nr = to->pixel_len / comp_len(comp);

		fill_pixel(comp, pixel, nr, value);
		value += nr;
		part_rows(part, to->height, &y, &end);
		for (; y < end; y++)
			for (x = 0; x < to->width; x++)
				memcpy(row_of(to, y) +
				       (size_t)x * to->pixel_len,
				       pixel, to->pixel_len);
	}
}
