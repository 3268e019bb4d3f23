/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cases of image jobs with expected results, computed by image_cases.py. A test
 * includes this once; CASES is the file.
 */
#ifndef _IMAGE_CASES_H
#define _IMAGE_CASES_H

#include "image.h"

/* The same numbers as in image_cases.py */
enum case_op {
	CASE_COPY,
	CASE_FILL,
	CASE_CONVERT,
	CASE_RESCALE,
	CASE_BOX,
	CASE_HARRIS,
};

/**
 * struct case_head - a case; bytes of the source and of the result follow
 * @op: enum case_op
 * @dst_format: enum mem_format
 * @src_format: enum mem_format; 0: no source
 * @dst_width: pixels
 * @dst_height: rows
 * @src_width: pixels
 * @src_height: rows
 * @ints: convert: is saturating; rescale: interpolation, border; box: border,
 *	width, height; harris: gradient, block, capacity
 * @src_len: bytes of the source, rows without padding
 * @dst_len: bytes of the result; harris: x, y and score of each keypoint,
 *   floats
 * @reserved: 0
 * @reals: fill: values; convert: scale, offset; harris: strength, sensitivity,
 *	distance
 * @name: name for messages
 */
struct case_head {
	uint32_t op;
	uint32_t dst_format;
	uint32_t src_format;
	uint32_t dst_width;
	uint32_t dst_height;
	uint32_t src_width;
	uint32_t src_height;
	uint32_t ints[4];
	uint32_t src_len;
	uint32_t dst_len;
	uint32_t reserved;
	double reals[4];
	char name[40];
};

extern const uint8_t cases_first[], cases_end[];

__asm__(".section .rodata\n"
	".balign 8\n"
	".global cases_first\n"
	"cases_first: .incbin \"" CASES "\"\n"
	".global cases_end\n"
	"cases_end: .byte 0\n"
	".previous\n");

/* Iterates over cases: returns the first for NULL, and NULL after the last. */
static inline const uint8_t *case_next(const uint8_t *at,
				       struct case_head *head)
{
	if (at) {
		memcpy(head, at, sizeof(*head));
		at += sizeof(*head) + head->src_len + head->dst_len;
	} else {
		at = cases_first;
	}
	if (at >= cases_end)
		return NULL;
	memcpy(head, at, sizeof(*head));
	return at;
}

static inline double distance_of(float one, float other)
{
	const double d = (double)one - (double)other;

	return d < 0 ? -d : d;
}

static inline bool is_near(float one, float other)
{
	const double most = distance_of(other, 0) / 8e6 + 1.0 / 100000000;

	return distance_of(one, other) <= most;
}

/* Floats may differ by the rounding of doubles; all else must be equal. */
static inline bool is_same_result(bool is_float, const uint8_t *have,
				  const uint8_t *want, size_t len)
{
	float one, other;
	size_t i;

	if (!is_float)
		return !memcmp(have, want, len);
	for (i = 0; i < len; i += sizeof(one)) {
		memcpy(&one, have + i, sizeof(one));
		memcpy(&other, want + i, sizeof(other));
		if (memcmp(have + i, want + i, sizeof(one)) &&
		    !is_near(one, other))
			return false;
	}
	return true;
}

static inline bool is_same_score(bool is_float, const void *have,
				 float want)
{
	uint32_t whole;
	float real;

	if (is_float) {
		memcpy(&real, have, sizeof(real));
		return real == want;
	}
	memcpy(&whole, have, sizeof(whole));
	return whole == (want >= 4294967295.0f ? UINT32_MAX :
						 (uint32_t)(want + 0.5));
}

static inline void case_fail(const struct case_head *head, const char *what)
{
	fail_msg("%s (%ux%u to %ux%u, %u %u %u, %g %g %g): %s", head->name,
		 head->src_width, head->src_height, head->dst_width,
		 head->dst_height, head->ints[0], head->ints[1], head->ints[2],
		 head->reals[0], head->reals[1], head->reals[2], what);
}

#endif
