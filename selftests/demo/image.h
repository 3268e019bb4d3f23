/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pictures in ordinary memory: loading, saving, the expected result of the
 * pipeline, differences. Pixels are 4 bytes in the order blue, green, red,
 * unused (V4L2_PIX_FMT_XBGR32), without gaps between rows.
 */
#ifndef _DEMO_IMAGE_H
#define _DEMO_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#define PIXEL_LEN	4

/**
 * struct image - a picture
 * @width: pixels
 * @height: pixels
 * @pixels: @width * @height * PIXEL_LEN bytes, owned
 */
struct image {
	unsigned int width;
	unsigned int height;
	uint8_t *pixels;
};

/**
 * struct damage - where two pictures differ
 * @nr_bytes: bytes that differ
 * @nr_lines: cache lines with such a byte
 * @first: offset of the first such byte
 * @last: offset of the last one
 */
struct damage {
	size_t nr_bytes;
	size_t nr_lines;
	size_t first;
	size_t last;
};

int image_create(struct image *image, unsigned int width, unsigned int height);
void image_destroy(struct image *image);
size_t image_len(const struct image *image);
int image_load(struct image *image, const char *path);
int image_save(const struct image *image, const char *path, int bits);

void image_crop_scaled(struct image *dst, const struct image *src,
		       unsigned int pan, unsigned int pan_max);
void image_develop(struct image *dst, const struct image *src);
void image_draw_overlay(uint8_t *pixels, unsigned int width,
			unsigned int height, unsigned int round);
void image_compare(const struct image *left, const struct image *right,
		   size_t line_size, struct damage *damage);
void image_draw_damage(struct image *dst, const struct image *seen,
		       const struct image *right, size_t line_size);
void image_draw_text(uint8_t *pixels, unsigned int width, unsigned int height,
		     int x, int y, int scale, uint32_t colour,
		     const char *text);
void image_paste_small(struct image *sheet, unsigned int x, unsigned int y,
		       const struct image *src, unsigned int shrink);

#endif
