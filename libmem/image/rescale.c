// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: scaling of images, plane by plane. The centre of a pixel is at 1/2:
 * pixel x of the target is at (2 x + 1) * source width / (2 * target width) -
 * 1/2 in the source, which is computed as an exact fraction.
 */
#include "view.h"

/**
 * struct sample - position of a target pixel in the source's row or column
 * @at: pixel before the position, at least -1
 * @weight: weight of the pixel behind it, as a fraction of @of
 * @of: denominator of @weight
 */
struct sample {
	int64_t at;
	int64_t weight;
	int64_t of;
};

static struct sample rescale_sample_at(uint32_t at, uint32_t dst_len,
				       uint32_t src_len)
{
	struct sample s = { .of = 2 * (int64_t)dst_len };
	const int64_t num = (2 * (int64_t)at + 1) * src_len - dst_len;

	s.at = num < 0 ? -1 : num / s.of;
	s.weight = num - s.at * s.of;
	return s;
}

static uint32_t rescale_nearest_at(uint32_t at, uint32_t dst_len,
				   uint32_t src_len)
{
	return (uint32_t)((2 * (uint64_t)at + 1) * src_len /
			  (2 * (uint64_t)dst_len));
}

static void rescale_row_nearest(const struct mem_plane *dst,
				const struct mem_plane *src, uint32_t y)
{
	const uint8_t *from = row_of(src, rescale_nearest_at(y, dst->height,
							     src->height));
	const size_t len = dst->pixel_len;
	uint8_t *to = row_of(dst, y);
	uint32_t x;

	for (x = 0; x < dst->width; x++)
		memcpy(to + x * len,
		       from + len *
		       rescale_nearest_at(x, dst->width, src->width), len);
}

/**
 * struct corner - one of the four pixels around a position
 * @row: row of the pixel; NULL: the pixel is beyond the source and counts as 0
 * @x: column
 * @weight: weight, as a fraction of the product of both @of
 */
struct corner {
	const uint8_t *row;
	size_t x;
	int64_t weight;
};

static void rescale_find_corner(const struct mem_plane *src, int64_t x,
				int64_t y, bool is_clamped,
				struct corner *corner)
{
	const int64_t near_x = within(x, src->width);
	const int64_t near_y = within(y, src->height);

	corner->x = (size_t)near_x;
	if (is_clamped || (near_x == x && near_y == y))
		corner->row = row_of(src, (uint32_t)near_y);
	else
		corner->row = NULL;
}

static void rescale_find_corners(const struct mem_plane *src,
				 const struct sample *sx,
				 const struct sample *sy, bool is_clamped,
				 struct corner *corners)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		const int64_t wx = i & 1 ? sx->weight : sx->of - sx->weight;
		const int64_t wy = i & 2 ? sy->weight : sy->of - sy->weight;

		rescale_find_corner(src, sx->at + (i & 1), sy->at + (i >> 1),
				    is_clamped, &corners[i]);
		corners[i].weight = wx * wy;
	}
}

static void rescale_blend(const struct corner *corners, int64_t of,
			  enum comp comp, uint32_t nr, uint8_t *to)
{
	unsigned int i, c;
	double real;
	int64_t sum;

	for (c = 0; c < nr; c++) {
		sum = 0;
		real = 0;
		for (i = 0; i < 4; i++) {
			const struct corner *corner = &corners[i];
			const size_t at = corner->x * nr + c;

			/* The value may be NaN even if its weight is 0. */
			if (!corner->row || !corner->weight)
				continue;
			if (comp == COMP_F32)
				real += (double)corner->weight *
					float_load(corner->row, at);
			else
				sum += corner->weight *
				       comp_load(comp, corner->row, at);
		}
		if (comp == COMP_F32)
			float_store(to, c, (float)(real / (double)of));
		else
			comp_store(comp, to, c, div_nearest(sum, of));
	}
}

static void rescale_row_linear(const struct mem_plane *dst,
			       const struct mem_plane *src, enum comp comp,
			       bool is_clamped, uint32_t y)
{
	const struct sample sy = rescale_sample_at(y, dst->height, src->height);
	const uint32_t nr = dst->pixel_len / comp_len(comp);
	uint8_t *to = row_of(dst, y);
	struct corner corners[4];
	uint32_t x;

	for (x = 0; x < dst->width; x++) {
		const struct sample sx =
			rescale_sample_at(x, dst->width, src->width);

		rescale_find_corners(src, &sx, &sy, is_clamped, corners);
		rescale_blend(corners, sx.of * sy.of, comp, nr,
			      to + (size_t)x * dst->pixel_len);
	}
}

/**
 * view_rescale() - scale an image
 * @dst: image of the format of @src
 * @src: image that is read
 * @interp: enum mem_interp
 * @border: enum mem_border; unused by MEM_INTERP_NEAREST
 * @part: rows of each plane to be computed
 *
 * Floats are weighted in double precision.
 */
void view_rescale(const struct view *dst, const struct view *src,
		  unsigned int interp, unsigned int border,
		  const struct part *part)
{
	const enum comp comp = pixel_of(dst->format)->comp;
	uint32_t i, y, end;

	for (i = 0; i < dst->nr_planes; i++) {
		const struct mem_plane *to = &dst->planes[i];
		const struct mem_plane *from = &src->planes[i];

		part_rows(part, to->height, &y, &end);
		for (; y < end; y++)
			if (interp == MEM_INTERP_NEAREST)
				rescale_row_nearest(to, from, y);
			else
				rescale_row_linear(to, from, comp,
						   border == MEM_BORDER_CLAMP,
						   y);
	}
}
