// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: conversions of formats. A colour is one number (luma, or a number
 * without a range), red, green and blue, or luma and two chroma values. They
 * are converted with the matrices of ITU-R BT.601, whose luma is 0.299 R +
 * 0.587 G + 0.114 B, as exact fractions. The number of bits does not scale a
 * value: 255 stays 255 in 16 bits.
 */
#include "view.h"

/* Studio range of 8 bits: luma from 16 to 235, chroma of 224 steps. */
#define LUMA_FIRST	16
#define LUMA_SPAN	219
#define CHROMA_MIDDLE	128
#define CHROMA_SPAN	224

/**
 * struct fraction - an exact number
 * @num: numerator
 * @den: denominator, above 0
 */
struct fraction {
	int64_t num;
	int64_t den;
};

/**
 * struct conversion - parameters of a conversion
 * @to: format of the target
 * @from: format of the source
 * @dst: target
 * @src: source
 * @scale: each component is multiplied by it
 * @offset: added after that
 * @is_exact: @scale is 1 and @offset is 0
 * @is_saturating: values out of range become the nearest value
 */
struct conversion {
	const struct pixel *to;
	const struct pixel *from;
	const struct view *dst;
	const struct view *src;
	double scale;
	double offset;
	bool is_exact;
	bool is_saturating;
};

static void convert_store_whole(const struct conversion *c, uint8_t *row,
				size_t at, int64_t value)
{
	const enum comp comp = c->to->comp;

	if (c->is_saturating)
		value = comp_clamp(comp, value);
	comp_store(comp, row, at, value);
}

static void convert_store_real(const struct conversion *c, uint8_t *row,
			       size_t at, double value)
{
	if (!c->is_exact)
		value = value * c->scale + c->offset;
	if (c->to->comp == COMP_F32)
		float_store(row, at, (float)value);
	else
		convert_store_whole(c, row, at,
				    nearest(value, c->is_saturating));
}

static void convert_store(const struct conversion *c, uint8_t *row, size_t at,
			  struct fraction value)
{
	if (c->is_exact && c->to->comp != COMP_F32)
		convert_store_whole(c, row, at,
				    div_nearest(value.num, value.den));
	else
		convert_store_real(c, row, at,
				   (double)value.num / (double)value.den);
}

static bool convert_has_range(const struct pixel *pixel)
{
	return pixel->family == FAMILY_LUMA || pixel->family == FAMILY_YUV420;
}

/* Converts luma of the depth of @comp from one range to the other. */
static struct fraction convert_map_luma(struct fraction luma, enum comp comp,
					bool from_studio, bool to_studio)
{
	const int64_t step = comp == COMP_U16 ? 256 : 1;
	const int64_t max = comp == COMP_U16 ? UINT16_MAX : UINT8_MAX;
	const int64_t first = LUMA_FIRST * step;
	const int64_t span = LUMA_SPAN * step;

	if (from_studio == to_studio)
		return luma;
	if (from_studio)
		return (struct fraction) {
			(luma.num - first * luma.den) * max, luma.den * span,
		};
	return (struct fraction) {
		luma.num * span + first * luma.den * max, luma.den * max,
	};
}

/* Converts 8-bit chroma around 0 from one range to the other. */
static struct fraction convert_map_chroma(struct fraction chroma,
					  bool from_studio, bool to_studio)
{
	if (from_studio == to_studio)
		return chroma;
	if (from_studio)
		return (struct fraction) {
			chroma.num * UINT8_MAX, chroma.den * CHROMA_SPAN,
		};
	return (struct fraction) {
		chroma.num * CHROMA_SPAN, chroma.den * UINT8_MAX,
	};
}

static void convert_load_rgb(const struct conversion *c, uint32_t x, uint32_t y,
			     int64_t *rgb)
{
	const struct view *src = c->src;
	const uint8_t *at;
	unsigned int i;

	if (c->from->is_planar) {
		for (i = 0; i < 3; i++)
			rgb[i] = row_of(&src->planes[i], y)[x];
		return;
	}
	at = row_of(&src->planes[0], y) + (size_t)x * src->planes[0].pixel_len;
	rgb[0] = at[c->from->red];
	rgb[1] = at[1];
	rgb[2] = at[2 - c->from->red];
}

static void convert_store_rgb(const struct conversion *c, uint32_t x,
			      uint32_t y, const struct fraction *rgb)
{
	const struct view *dst = c->dst;
	uint8_t *at;
	unsigned int i;

	if (c->to->is_planar) {
		for (i = 0; i < 3; i++)
			convert_store(c, row_of(&dst->planes[i], y), x, rgb[i]);
		return;
	}
	at = row_of(&dst->planes[0], y) + (size_t)x * dst->planes[0].pixel_len;
	convert_store(c, at, c->to->red, rgb[0]);
	convert_store(c, at, 1, rgb[1]);
	convert_store(c, at, 2 - c->to->red, rgb[2]);
	if (c->to->has_alpha)
		at[3] = UINT8_MAX;
}

/* The first, blue, or the second chroma value of a chroma pixel. */
static uint8_t *convert_chroma_of(const struct view *view,
				  const struct pixel *pixel, uint32_t x,
				  uint32_t y, unsigned int i)
{
	if (pixel->is_planar)
		return row_of(&view->planes[1 + i], y) + x;
	return row_of(&view->planes[1], y) + 2 * (size_t)x + i;
}

/* Luma of a pixel of the source, in the range of the target. */
static struct fraction convert_luma_at(const struct conversion *c, uint32_t x,
				       uint32_t y)
{
	const bool to_studio = convert_has_range(c->to) && c->to->is_studio;
	struct fraction luma;
	int64_t rgb[3];

	if (c->from->family == FAMILY_RGB) {
		convert_load_rgb(c, x, y, rgb);
		luma.num = 299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2];
		luma.den = 1000;
		return convert_map_luma(luma, COMP_U8, false, to_studio);
	}
	luma.num = comp_load(c->from->comp, row_of(&c->src->planes[0], y), x);
	luma.den = 1;
	/* A format without a range takes the range of the other. */
	if (!convert_has_range(c->from) || c->to->family == FAMILY_PLAIN)
		return luma;
	return convert_map_luma(luma, c->from->comp, c->from->is_studio,
				to_studio);
}

/* Computes blue and red chroma, around 0, of a chroma pixel of the target. */
static void convert_chroma_at(const struct conversion *c, uint32_t x,
			      uint32_t y, struct fraction *chroma)
{
	const bool to_studio = c->to->is_studio;
	int64_t rgb[3];
	unsigned int i;

	chroma[0] = (struct fraction) { 0, 1 };
	chroma[1] = (struct fraction) { 0, 1 };
	if (c->from->family == FAMILY_RGB) {
		convert_load_rgb(c, 2 * x, 2 * y, rgb);
		chroma[0] = (struct fraction) {
			886 * rgb[2] - 299 * rgb[0] - 587 * rgb[1], 1772,
		};
		chroma[1] = (struct fraction) {
			701 * rgb[0] - 587 * rgb[1] - 114 * rgb[2], 1402,
		};
		for (i = 0; i < 2; i++)
			chroma[i] =
				convert_map_chroma(chroma[i], false, to_studio);
	} else if (c->from->family == FAMILY_YUV420) {
		for (i = 0; i < 2; i++) {
			chroma[i].num =
				*convert_chroma_of(c->src, c->from, x, y, i) -
				CHROMA_MIDDLE;
			chroma[i] = convert_map_chroma(chroma[i],
						       c->from->is_studio,
						       to_studio);
		}
	}
}

/* Converts luma and chroma of full range to red, green and blue. */
static void convert_rgb_of(struct fraction luma, const struct fraction *chroma,
			   struct fraction *rgb)
{
	const int64_t y = luma.num * chroma[0].den;
	const int64_t blue = chroma[0].num * luma.den;
	const int64_t red = chroma[1].num * luma.den;
	const int64_t den = luma.den * chroma[0].den;

	rgb[0] = (struct fraction) { 1000 * y + 1402 * red, 1000 * den };
	rgb[1] = (struct fraction) {
		587000 * y - 419198 * red - 202008 * blue, 587000 * den,
	};
	rgb[2] = (struct fraction) { 1000 * y + 1772 * blue, 1000 * den };
}

static void convert_rgb_at(const struct conversion *c, uint32_t x, uint32_t y,
			   struct fraction *rgb)
{
	struct fraction chroma[2];
	int64_t whole[3];
	unsigned int i;

	if (c->from->family == FAMILY_RGB) {
		convert_load_rgb(c, x, y, whole);
		for (i = 0; i < 3; i++)
			rgb[i] = (struct fraction) { whole[i], 1 };
		return;
	}
	rgb[0] = convert_luma_at(c, x, y);
	rgb[1] = rgb[0];
	rgb[2] = rgb[0];
	if (c->from->family != FAMILY_YUV420)
		return;
	for (i = 0; i < 2; i++) {
		chroma[i].num =
			*convert_chroma_of(c->src, c->from, x / 2, y / 2, i) -
			CHROMA_MIDDLE;
		chroma[i].den = 1;
		chroma[i] = convert_map_chroma(chroma[i], c->from->is_studio,
					       false);
	}
	convert_rgb_of(rgb[0], chroma, rgb);
}

/* Float formats have no range, so none is converted. */
static void convert_row_of_floats(const struct conversion *c, uint32_t y)
{
	const uint8_t *from = row_of(&c->src->planes[0], y);
	const struct mem_plane *plane = &c->dst->planes[0];
	uint32_t x, i, nr_planes = 1, nr = 1;
	uint8_t *to;

	if (c->to->family == FAMILY_RGB) {
		nr_planes = c->to->is_planar ? 3 : 1;
		nr = c->to->is_planar ? 1 : 3;
	}
	for (; nr_planes--; plane++)
		for (x = 0; x < plane->width; x++) {
			to = row_of(plane, y) + (size_t)x * plane->pixel_len;
			for (i = 0; i < nr; i++)
				convert_store_real(c, to, i,
						   float_load(from, x));
			if (c->to->has_alpha)
				to[3] = UINT8_MAX;
		}
}

static void convert_rows(const struct conversion *c, const struct part *part)
{
	const struct mem_plane *plane = &c->dst->planes[0];
	struct fraction rgb[3];
	uint32_t x, y, end;

	part_rows(part, plane->height, &y, &end);
	for (; y < end; y++) {
		if (c->from->comp == COMP_F32) {
			convert_row_of_floats(c, y);
			continue;
		}
		for (x = 0; x < plane->width; x++) {
			if (c->to->family == FAMILY_RGB) {
				convert_rgb_at(c, x, y, rgb);
				convert_store_rgb(c, x, y, rgb);
			} else {
				convert_store(c, row_of(plane, y), x,
					      convert_luma_at(c, x, y));
			}
		}
	}
}

static void convert_chroma(const struct conversion *c, const struct part *part)
{
	const struct mem_plane *plane = &c->dst->planes[1];
	struct fraction chroma[2];
	uint32_t x, y, end;
	unsigned int i;

	part_rows(part, plane->height, &y, &end);
	for (; y < end; y++)
		for (x = 0; x < plane->width; x++) {
			convert_chroma_at(c, x, y, chroma);
			for (i = 0; i < 2; i++) {
				const struct fraction *one = &chroma[i];
				const int64_t num = one->num +
						    CHROMA_MIDDLE * one->den;
				uint8_t *to = convert_chroma_of(c->dst, c->to,
								x, y, i);

				convert_store_whole(c, to, 0,
						    div_nearest(num, one->den));
			}
		}
}

static bool convert_is_single(const struct pixel *pixel)
{
	return pixel->family == FAMILY_PLAIN || pixel->family == FAMILY_LUMA;
}

static bool convert_is_plain(const struct mem_convert *how)
{
	return (how->scale == 0 || how->scale == 1) && how->offset == 0;
}

/**
 * view_can_convert() - check whether a conversion is supported
 * @dst: enum mem_format
 * @src: enum mem_format
 * @how: parameters
 *
 * Return: true if it is.
 */
bool view_can_convert(unsigned int dst, unsigned int src,
		      const struct mem_convert *how)
{
	const struct pixel *to = pixel_of(dst);
	const struct pixel *from = pixel_of(src);

	if (convert_is_plain(how) && pixels_are_alike(to, from))
		return true;
	if (to->is_block_linear || from->is_block_linear)
		return false;
	if (to->family == FAMILY_VECTOR || from->family == FAMILY_VECTOR)
		return false;
	return convert_is_plain(how) || convert_is_single(to) ||
	       convert_is_single(from);
}

/**
 * view_convert() - convert pixels
 * @dst: image of the sides of @src
 * @src: image that is read
 * @how: parameters that view_can_convert() accepts
 * @part: rows of each plane to be computed
 *
 * Four pixels share a chroma value: it is computed from the first of them, and
 * used for all of them. With a scale or an offset, and from or to floats,
 * computation is in double precision: the exact quotient, the product and the
 * sum are each rounded.
 */
void view_convert(const struct view *dst, const struct view *src,
		  const struct mem_convert *how, const struct part *part)
{
	const struct conversion c = {
		.to = pixel_of(dst->format),
		.from = pixel_of(src->format),
		.dst = dst,
		.src = src,
		.scale = how->scale == 0 ? 1 : how->scale,
		.offset = how->offset,
		.is_exact = convert_is_plain(how),
		.is_saturating = how->is_saturating,
	};

	if (pixels_are_alike(c.to, c.from) && c.is_exact) {
		view_copy(dst, src, part);
		return;
	}
	convert_rows(&c, part);
	if (c.to->family == FAMILY_YUV420)
		convert_chroma(&c, part);
}
