/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The algorithms of image jobs, as pure functions on planes in memory. They run
 * in the process of an engine or in host functions, allocate nothing and take
 * no lock. They know neither images nor objects. Each call computes a part of
 * the result, so that the blocks of a kernel can share the work.
 *
 * Integers are exact: a result is the exact quotient, rounded once, halves away
 * from zero, as VPI does. Functions that use double precision say so.
 */
#ifndef _LIBMEM_IMAGE_VIEW_H
#define _LIBMEM_IMAGE_VIEW_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "libmem.h"
#include "libmem/image.h"

/* Maximum number of components of a pixel */
#define MAX_CHANNELS	4U

/**
 * enum comp - type of a pixel's components
 * @COMP_U8: 0 to 255
 * @COMP_U16: 0 to 65535
 * @COMP_S16: -32768 to 32767
 * @COMP_F32: float
 */
enum comp {
	COMP_U8,
	COMP_U16,
	COMP_S16,
	COMP_F32,
};

/**
 * enum family - meaning of a format's pixels
 * @FAMILY_PLAIN: one component, a number without a range
 * @FAMILY_LUMA: luma, with a range
 * @FAMILY_RGB: red, green and blue, and alpha if it has one
 * @FAMILY_YUV420: luma, and chroma of half the width and height
 * @FAMILY_VECTOR: two components, numbers
 */
enum family {
	FAMILY_PLAIN,
	FAMILY_LUMA,
	FAMILY_RGB,
	FAMILY_YUV420,
	FAMILY_VECTOR,
};

/**
 * struct pixel - how algorithms see a format
 * @family: what it means
 * @comp: all its components
 * @is_studio: luma and chroma are of studio range
 * @is_planar: FAMILY_RGB: a plane each; FAMILY_YUV420: each of both chroma
 *	values has a plane
 * @red: FAMILY_RGB: place of red in a pixel; blue is at 2 - @red
 * @has_alpha: FAMILY_RGB: at place 3
 * @is_block_linear: only copied, and converted to the same pixels
 */
struct pixel {
	enum family family;
	enum comp comp;
	bool is_studio;
	bool is_planar;
	uint8_t red;
	bool has_alpha;
	bool is_block_linear;
};

/**
 * struct view - planes in memory
 * @format: enum mem_format
 * @width: pixels
 * @height: rows
 * @nr_planes: of the format
 * @planes: their @base and @pitch are right for whoever runs the algorithm
 */
struct view {
	uint32_t format;
	uint32_t width;
	uint32_t height;
	uint32_t nr_planes;
	struct mem_plane planes[MEM_PLANES_MAX];
};

/**
 * struct part - the part of the result that a call computes
 * @at: number of the part, from 0
 * @of: number of parts
 */
struct part {
	uint32_t at;
	uint32_t of;
};

/**
 * struct harris_out - memory for keypoints
 * @keypoints: keypoints
 * @scores: score of each keypoint
 * @keypoint_stride: bytes from one keypoint to the next
 * @score_stride: bytes from one score to the next
 * @is_float: scores are float, else uint32_t
 * @capacity: maximum number of keypoints
 * @counts: addresses of the counts of keypoints and of scores
 */
struct harris_out {
	void *keypoints;
	void *scores;
	uint64_t keypoint_stride;
	uint64_t score_stride;
	bool is_float;
	uint64_t capacity;
	uint64_t *counts[2];
};

const struct pixel *pixel_of(unsigned int format);
bool view_can_convert(unsigned int dst, unsigned int src,
		      const struct mem_convert *how);

bool pixels_are_alike(const struct pixel *one, const struct pixel *other);
void view_copy(const struct view *dst, const struct view *src,
	       const struct part *part);
void view_fill(const struct view *dst, const double *value,
	       const struct part *part);
void view_convert(const struct view *dst, const struct view *src,
		  const struct mem_convert *how, const struct part *part);
void view_rescale(const struct view *dst, const struct view *src,
		  unsigned int interp, unsigned int border,
		  const struct part *part);
void view_box(const struct view *dst, const struct view *src, uint32_t width,
	      uint32_t height, unsigned int border, const struct part *part);
uint64_t harris_scratch_len(uint32_t width, uint32_t height);
void harris_scores(const struct view *src, const struct mem_harris *how,
		   void *scratch, const struct part *part);
void harris_pick(const struct view *src, const struct mem_harris *how,
		 void *scratch, const struct harris_out *out);

static inline uint8_t *row_of(const struct mem_plane *plane, uint32_t y)
{
	return (uint8_t *)plane->base + (uint64_t)y * plane->pitch;
}

/* Returns a plane's rows of a part: @first up to, not including, @end. */
static inline void part_rows(const struct part *part, uint32_t height,
			     uint32_t *first, uint32_t *end)
{
	*first = (uint32_t)((uint64_t)height * part->at / part->of);
	*end = (uint32_t)((uint64_t)height * (part->at + 1) / part->of);
}

/* Returns the number below @len that is nearest to @at. */
static inline int64_t within(int64_t at, uint32_t len)
{
	return at < 0 ? 0 : at >= len ? (int64_t)len - 1 : at;
}

static inline unsigned int comp_len(enum comp comp)
{
	static const uint8_t lens[] = {
		[COMP_U8] = 1, [COMP_U16] = 2, [COMP_S16] = 2, [COMP_F32] = 4,
	};

	return lens[comp];
}

/* Uses memcpy(), since the caller's memory may be unaligned. */
static inline int64_t comp_load(enum comp comp, const uint8_t *row, size_t at)
{
	uint16_t u16;
	int16_t s16;

	switch (comp) {
	case COMP_U16:
		memcpy(&u16, row + 2 * at, sizeof(u16));
		return u16;
	case COMP_S16:
		memcpy(&s16, row + 2 * at, sizeof(s16));
		return s16;
	default:
		return row[at];
	}
}

static inline float float_load(const uint8_t *row, size_t at)
{
	float value;

	memcpy(&value, row + 4 * at, sizeof(value));
	return value;
}

/* Of a value out of range, stores the low bits. */
static inline void comp_store(enum comp comp, uint8_t *row, size_t at,
			      int64_t value)
{
	const uint16_t u16 = (uint16_t)value;

	if (comp == COMP_U8)
		row[at] = (uint8_t)value;
	else
		memcpy(row + 2 * at, &u16, sizeof(u16));
}

static inline void float_store(uint8_t *row, size_t at, float value)
{
	memcpy(row + 4 * at, &value, sizeof(value));
}

static inline int64_t comp_clamp(enum comp comp, int64_t value)
{
	const int64_t min = comp == COMP_S16 ? INT16_MIN : 0;
	const int64_t max = comp == COMP_S16 ? INT16_MAX :
			    comp == COMP_U16 ? UINT16_MAX : UINT8_MAX;

	return value < min ? min : value > max ? max : value;
}

/* Returns the rounded quotient, halves away from zero. @den is above 0. */
static inline int64_t div_nearest(int64_t num, int64_t den)
{
	return num < 0 ? -((-num + den / 2) / den) : (num + den / 2) / den;
}

/*
 * Returns the nearest integer, halves away from zero. NaN becomes 0, and so
 * does a value beyond int64_t, or its limit if @is_saturating.
 */
static inline int64_t nearest(double value, bool is_saturating)
{
	const double limit = 9223372036854775808.0;
	int64_t whole;

	if (value != value)
		return 0;
	if (value >= limit || value < -limit) {
		if (!is_saturating)
			return 0;
		return value < 0 ? INT64_MIN : INT64_MAX;
	}
	whole = (int64_t)value;
	if (value - (double)whole >= 0.5)
		whole++;
	else if (value - (double)whole <= -0.5)
		whole--;
	return whole;
}

#endif
