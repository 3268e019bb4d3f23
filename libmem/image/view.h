/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The algorithms of image jobs, as pure functions over planes in memory. They
 * run in the process of an engine or on the thread of host functions, allocate
 * nothing, take no lock and know neither images nor objects. Each computes one
 * part of its result, so that the blocks of a kernel share the work.
 *
 * Integers are exact: a result is the exact quotient, rounded once, halves away
 * from zero, which is VPI's rule. What is computed in double precision instead
 * is said at each function.
 */
#ifndef _LIBMEM_IMAGE_VIEW_H
#define _LIBMEM_IMAGE_VIEW_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "libmem.h"
#include "libmem/image.h"

/* Of a pixel */
#define MAX_CHANNELS	4U

/**
 * enum comp - component of a pixel
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
 * enum family - what pixels of a format mean
 * @FAMILY_PLAIN: one component, a number without range
 * @FAMILY_LUMA: one component, of a range
 * @FAMILY_RGB: red, green and blue, and perhaps alpha
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
 */
struct pixel {
	enum family family;
	enum comp comp;
	bool is_studio;
	bool is_planar;
	uint8_t red;
	bool has_alpha;
};

/**
 * struct view - planes in memory
 * @format: enum mem_format, pitch-linear
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
 * struct part - which part of the result is computed
 * @at: number of the part
 * @of: parts
 */
struct part {
	uint32_t at;
	uint32_t of;
};

/**
 * struct harris_out - where keypoints go
 * @keypoints: at most @capacity
 * @scores: of each; NULL: none
 * @keypoint_stride: bytes from one to the next
 * @score_stride: bytes from one to the next
 * @is_float: scores are floats, else uint32_t
 * @capacity: keypoints
 * @counts: where the number of keypoints and of scores is kept
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

/* The rows of a plane that are of a part: from @first to before @end. */
static inline void part_rows(const struct part *part, uint32_t height,
			     uint32_t *first, uint32_t *end)
{
	*first = (uint32_t)((uint64_t)height * part->at / part->of);
	*end = (uint32_t)((uint64_t)height * (part->at + 1) / part->of);
}

/* The nearest of @len places. */
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

/* Memory of the caller may lie anywhere. */
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

/* Also what is below 0 or above the largest: the low bits of it. */
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

/* The nearest integer to a quotient, halves away from zero; @den above 0. */
static inline int64_t div_nearest(int64_t num, int64_t den)
{
	return num < 0 ? -((-num + den / 2) / den) : (num + den / 2) / den;
}

/*
 * The same of a number. What no int64_t is near to becomes 0, or the farthest
 * if it is to be saturated.
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
