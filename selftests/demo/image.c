// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pictures in ordinary memory, without a device. The demo compares the pipeline
 * with results that are computed here by the CPU alone.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>
#include <png.h>

#include "image.h"

/* Larger pictures are refused. */
#define MAX_PIXELS	(100u * 1000 * 1000)

/* Value for the dma engine's xor, which inverts the colours */
#define INVERT		0xff

int image_create(struct image *image, unsigned int width, unsigned int height)
{
	uint8_t *pixels;

	if (!width || !height)
		return -EINVAL;
	if (width > MAX_PIXELS / height)
		return -EFBIG;
	pixels = calloc((size_t)width * height, PIXEL_LEN);
	if (!pixels)
		return -ENOMEM;
	*image = (struct image) {
		.width = width,
		.height = height,
		.pixels = pixels,
	};
	return 0;
}

void image_destroy(struct image *image)
{
	free(image->pixels);
	image->pixels = NULL;
}

size_t image_len(const struct image *image)
{
	return (size_t)image->width * image->height * PIXEL_LEN;
}

static uint8_t *pixel_at(uint8_t *pixels, unsigned int width, unsigned int x,
			 unsigned int y)
{
	return pixels + ((size_t)y * width + x) * PIXEL_LEN;
}

/* Draws the picture on white, as most programs show it. */
static void drop_alpha(struct image *image)
{
	uint8_t *end = image->pixels + image_len(image);
	uint8_t *pixel;
	int channel;

	for (pixel = image->pixels; pixel < end; pixel += PIXEL_LEN) {
		unsigned int alpha = pixel[3];

		for (channel = 0; channel < 3; channel++)
			pixel[channel] = (uint8_t)((pixel[channel] * alpha +
				255 * (255 - alpha) + 127) / 255);
		pixel[3] = 0;
	}
}

static int load_png(struct image *image, FILE *file)
{
	png_image png = { .version = PNG_IMAGE_VERSION };
	int err;

	if (!png_image_begin_read_from_stdio(&png, file))
		return -EINVAL;
	png.format = PNG_FORMAT_BGRA;
	err = image_create(image, png.width, png.height);
	if (err)
		goto out;
	if (!png_image_finish_read(&png, NULL, image->pixels, 0, NULL)) {
		image_destroy(image);
		err = -EINVAL;
		goto out;
	}
	drop_alpha(image);
out:
	png_image_free(&png);
	return err;
}

struct jpeg_failure {
	struct jpeg_error_mgr manager;
	jmp_buf back;
};

static void jpeg_fail(j_common_ptr jpeg)
{
	struct jpeg_failure *failure = (struct jpeg_failure *)jpeg->err;

	longjmp(failure->back, 1);
}

/* libjpeg only warns if a file is truncated, so a warning is an error. */
static void jpeg_warn(j_common_ptr jpeg, int level)
{
	if (level < 0 && jpeg->err->msg_code == JWRN_JPEG_EOF)
		jpeg_fail(jpeg);
}

/* Converts CMYK, which libjpeg does not convert. */
static void take_cmyk(uint8_t *dst, const uint8_t *src, unsigned int width,
		      int is_inverted)
{
	uint8_t flip = is_inverted ? 0 : 0xff;
	unsigned int x, channel;

	for (x = 0; x < width; x++, dst += PIXEL_LEN, src += 4)
		for (channel = 0; channel < 3; channel++)
			dst[2 - channel] = (uint8_t)
				((src[channel] ^ flip) * (src[3] ^ flip) / 255);
}

static int load_jpeg(struct image *image, FILE *file)
{
	struct jpeg_decompress_struct jpeg;
	struct jpeg_failure failure;
	JSAMPARRAY cmyk = NULL;
	uint8_t *row;
	int err;

	image->pixels = NULL;
	jpeg.err = jpeg_std_error(&failure.manager);
	failure.manager.error_exit = jpeg_fail;
	failure.manager.emit_message = jpeg_warn;
	if (setjmp(failure.back)) {
		jpeg_destroy_decompress(&jpeg);
		image_destroy(image);
		return -EINVAL;
	}
	jpeg_create_decompress(&jpeg);
	jpeg_stdio_src(&jpeg, file);
	jpeg_read_header(&jpeg, TRUE);
	err = image_create(image, jpeg.image_width, jpeg.image_height);
	if (err)
		goto out;
	if (jpeg.out_color_space != JCS_CMYK)
		jpeg.out_color_space = JCS_EXT_BGRX;
	jpeg_start_decompress(&jpeg);
	if (jpeg.out_color_space == JCS_CMYK)
		cmyk = jpeg.mem->alloc_sarray((j_common_ptr)&jpeg, JPOOL_IMAGE,
					      jpeg.output_width * 4, 1);
	while (jpeg.output_scanline < jpeg.output_height) {
		row = pixel_at(image->pixels, image->width, 0,
			       jpeg.output_scanline);
		jpeg_read_scanlines(&jpeg, cmyk ? cmyk : &row, 1);
		if (cmyk)
			take_cmyk(row, cmyk[0], image->width,
				  jpeg.saw_Adobe_marker);
	}
out:
	jpeg_destroy_decompress(&jpeg);
	return err;
}

/*
 * Loads a PNG or a JPEG, whichever it is. Return: 0, -EINVAL for a file that
 * is neither or broken, -EFBIG for more than MAX_PIXELS, -ENOMEM, or why the
 * file cannot be read.
 */
int image_load(struct image *image, const char *path)
{
	uint8_t magic[2] = { 0 };
	FILE *file;
	int err;

	file = fopen(path, "rb");
	if (!file)
		return -errno;
	if (fread(magic, 1, sizeof(magic), file) != sizeof(magic)) {
		err = ferror(file) ? -errno : -EINVAL;
	} else {
		rewind(file);
		if (magic[0] == 0xff && magic[1] == 0xd8)
			err = load_jpeg(image, file);
		else
			err = load_png(image, file);
	}
	fclose(file);
	return err;
}

/*
 * Saves as PNG with @bits (1 to 8) bits of each colour. Return: 0, -ENOMEM, or
 * -EIO for a file that cannot be written.
 */
int image_save(const struct image *image, const char *path, int bits)
{
	png_image png = {
		.version = PNG_IMAGE_VERSION,
		.width = image->width,
		.height = image->height,
		.format = PNG_FORMAT_BGR,
	};
	size_t nr_pixels = (size_t)image->width * image->height;
	uint8_t mask = (uint8_t)(0xff << (8 - bits));
	uint8_t *packed;
	size_t i, channel;
	int err = 0;

	packed = malloc(nr_pixels * 3);
	if (!packed)
		return -ENOMEM;
	for (i = 0; i < nr_pixels; i++)
		for (channel = 0; channel < 3; channel++)
			packed[i * 3 + channel] =
				image->pixels[i * PIXEL_LEN + channel] & mask;
	if (!png_image_write_to_file(&png, path, 0, packed, 0, NULL))
		err = -EIO;
	free(packed);
	return err;
}

/* Computes the mean of the pixels of @src that one smaller pixel replaces. */
static void mean_of_box(uint8_t *dst, const struct image *src, unsigned int x,
			unsigned int y, unsigned int nr_x, unsigned int nr_y)
{
	unsigned int sum[3] = { 0 };
	unsigned int i, j, channel;

	for (j = 0; j < nr_y; j++)
		for (i = 0; i < nr_x; i++)
			for (channel = 0; channel < 3; channel++)
				sum[channel] += pixel_at(src->pixels,
							 src->width, x + i,
							 y + j)[channel];
	for (channel = 0; channel < 3; channel++)
		dst[channel] = (uint8_t)(sum[channel] / (nr_x * nr_y));
	dst[3] = 0;
}

/*
 * Fills @dst with the largest part of @src of the same shape that leaves a
 * tenth of the width for a pan; @pan of @pan_max is how far it has gone.
 */
void image_crop_scaled(struct image *dst, const struct image *src,
		       unsigned int pan, unsigned int pan_max)
{
	uint64_t part_w = (uint64_t)src->width * 9 / 10;
	uint64_t part_h = part_w * dst->height / dst->width;
	uint64_t left, top;
	unsigned int x, y;

	if (part_h > src->height) {
		part_h = src->height;
		part_w = part_h * dst->width / dst->height;
	}
	/* At least one pixel of a tiny picture is left. */
	if (!part_w)
		part_w = 1;
	if (!part_h)
		part_h = 1;
	left = (src->width - part_w) * pan / pan_max;
	top = (src->height - part_h) / 2;
	for (y = 0; y < dst->height; y++) {
		for (x = 0; x < dst->width; x++) {
			uint64_t x0 = left + x * part_w / dst->width;
			uint64_t x1 = left + (x + 1) * part_w / dst->width;
			uint64_t y0 = top + y * part_h / dst->height;
			uint64_t y1 = top + (y + 1) * part_h / dst->height;

			mean_of_box(pixel_at(dst->pixels, dst->width, x, y),
				    src, (unsigned int)x0, (unsigned int)y0,
				    x1 > x0 ? (unsigned int)(x1 - x0) : 1,
				    y1 > y0 ? (unsigned int)(y1 - y0) : 1);
		}
	}
}

/* Turns the picture and inverts its colours, like the first engine job. */
void image_develop(struct image *dst, const struct image *src)
{
	size_t row_len = (size_t)src->width * PIXEL_LEN;
	unsigned int y;
	size_t i;

	for (y = 0; y < src->height; y++) {
		const uint8_t *from = src->pixels + y * row_len;
		uint8_t *to = dst->pixels + (src->height - 1 - y) * row_len;

		for (i = 0; i < row_len; i++)
			to[i] = i % PIXEL_LEN == 3 ? from[i] : from[i] ^ INVERT;
	}
}

/* Letters of 5 by 7: seven rows from the top, bit 4 is the left column. */
static const struct glyph {
	char letter;
	uint8_t rows[7];
} glyphs[] = {
	{ '0', { 0x0e, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0e } },
	{ '1', { 0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e } },
	{ '2', { 0x0e, 0x11, 0x01, 0x06, 0x08, 0x10, 0x1f } },
	{ '3', { 0x1e, 0x01, 0x01, 0x0e, 0x01, 0x01, 0x1e } },
	{ '4', { 0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02 } },
	{ '5', { 0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e } },
	{ '6', { 0x06, 0x08, 0x10, 0x1e, 0x11, 0x11, 0x0e } },
	{ '7', { 0x1f, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08 } },
	{ '8', { 0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e } },
	{ '9', { 0x0e, 0x11, 0x11, 0x0f, 0x01, 0x02, 0x0c } },
	{ 'A', { 0x0e, 0x11, 0x11, 0x1f, 0x11, 0x11, 0x11 } },
	{ 'B', { 0x1e, 0x11, 0x11, 0x1e, 0x11, 0x11, 0x1e } },
	{ 'C', { 0x0e, 0x11, 0x10, 0x10, 0x10, 0x11, 0x0e } },
	{ 'D', { 0x1e, 0x11, 0x11, 0x11, 0x11, 0x11, 0x1e } },
	{ 'E', { 0x1f, 0x10, 0x10, 0x1e, 0x10, 0x10, 0x1f } },
	{ 'F', { 0x1f, 0x10, 0x10, 0x1e, 0x10, 0x10, 0x10 } },
	{ 'G', { 0x0e, 0x11, 0x10, 0x17, 0x11, 0x11, 0x0f } },
	{ 'H', { 0x11, 0x11, 0x11, 0x1f, 0x11, 0x11, 0x11 } },
	{ 'I', { 0x0e, 0x04, 0x04, 0x04, 0x04, 0x04, 0x0e } },
	{ 'J', { 0x07, 0x02, 0x02, 0x02, 0x02, 0x12, 0x0c } },
	{ 'K', { 0x11, 0x12, 0x14, 0x18, 0x14, 0x12, 0x11 } },
	{ 'L', { 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x1f } },
	{ 'M', { 0x11, 0x1b, 0x15, 0x15, 0x11, 0x11, 0x11 } },
	{ 'N', { 0x11, 0x19, 0x15, 0x13, 0x11, 0x11, 0x11 } },
	{ 'O', { 0x0e, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0e } },
	{ 'P', { 0x1e, 0x11, 0x11, 0x1e, 0x10, 0x10, 0x10 } },
	{ 'Q', { 0x0e, 0x11, 0x11, 0x11, 0x15, 0x12, 0x0d } },
	{ 'R', { 0x1e, 0x11, 0x11, 0x1e, 0x14, 0x12, 0x11 } },
	{ 'S', { 0x0f, 0x10, 0x10, 0x0e, 0x01, 0x01, 0x1e } },
	{ 'T', { 0x1f, 0x04, 0x04, 0x04, 0x04, 0x04, 0x04 } },
	{ 'U', { 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0e } },
	{ 'V', { 0x11, 0x11, 0x11, 0x11, 0x11, 0x0a, 0x04 } },
	{ 'W', { 0x11, 0x11, 0x11, 0x15, 0x15, 0x1b, 0x11 } },
	{ 'X', { 0x11, 0x11, 0x0a, 0x04, 0x0a, 0x11, 0x11 } },
	{ 'Y', { 0x11, 0x11, 0x0a, 0x04, 0x04, 0x04, 0x04 } },
	{ 'Z', { 0x1f, 0x01, 0x02, 0x04, 0x08, 0x10, 0x1f } },
	{ ':', { 0x00, 0x04, 0x04, 0x00, 0x04, 0x04, 0x00 } },
	{ ',', { 0x00, 0x00, 0x00, 0x00, 0x04, 0x04, 0x08 } },
	{ '-', { 0x00, 0x00, 0x00, 0x0e, 0x00, 0x00, 0x00 } },
};

static void put_pixel(uint8_t *pixels, unsigned int width, unsigned int height,
		      int x, int y, uint32_t colour)
{
	uint8_t *pixel;

	if (x < 0 || y < 0 || x >= (int)width || y >= (int)height)
		return;
	pixel = pixel_at(pixels, width, (unsigned int)x, (unsigned int)y);
	pixel[0] = (uint8_t)colour;
	pixel[1] = (uint8_t)(colour >> 8);
	pixel[2] = (uint8_t)(colour >> 16);
}

static void fill_box(uint8_t *pixels, unsigned int width, unsigned int height,
		     int x, int y, int nr_x, int nr_y, uint32_t colour)
{
	int i, j;

	for (j = y; j < y + nr_y; j++)
		for (i = x; i < x + nr_x; i++)
			put_pixel(pixels, width, height, i, j, colour);
}

static void draw_glyph(uint8_t *pixels, unsigned int width,
		       unsigned int height, int x, int y, int scale,
		       uint32_t colour, const struct glyph *glyph)
{
	int column, row;

	for (row = 0; row < 7; row++)
		for (column = 0; column < 5; column++)
			if (glyph->rows[row] & (0x10 >> column))
				fill_box(pixels, width, height,
					 x + column * scale, y + row * scale,
					 scale, scale, colour);
}

/* @colour is 0xRRGGBB; a letter is 6 by 8 dots of @scale pixels with its gap */
void image_draw_text(uint8_t *pixels, unsigned int width, unsigned int height,
		     int x, int y, int scale, uint32_t colour,
		     const char *text)
{
	size_t i;

	for (; *text; text++, x += 6 * scale)
		for (i = 0; i < sizeof(glyphs) / sizeof(*glyphs); i++)
			if (glyphs[i].letter == *text)
				draw_glyph(pixels, width, height, x, y, scale,
					   colour, &glyphs[i]);
}

/* Darkens the area under a label, for which the CPU must also read. */
static void darken_box(uint8_t *pixels, unsigned int width,
		       unsigned int x, unsigned int y, unsigned int nr_x,
		       unsigned int nr_y)
{
	unsigned int i, j, channel;

	for (j = y; j < y + nr_y; j++)
		for (i = x; i < x + nr_x; i++)
			for (channel = 0; channel < 3; channel++)
				pixel_at(pixels, width, i, j)[channel] /= 2;
}

static void draw_checker(uint8_t *pixels, unsigned int width,
			 unsigned int height, int x, int y)
{
	int i, j;

	for (j = 0; j < 6; j++)
		for (i = 0; i < 10; i++)
			fill_box(pixels, width, height, x + i * 12, y + j * 12,
				 12, 12, (i + j) % 2 ? 0xffffff : 0x202020);
}

/*
 * Draws like the CPU's step: a box around the middle, as a detector would, a
 * label on a darkened area, and a checker pattern. Works in place, on any
 * memory.
 */
void image_draw_overlay(uint8_t *pixels, unsigned int width,
			unsigned int height, unsigned int round)
{
	int w = (int)width, h = (int)height;
	int left = w * 5 / 16 + 10 * (int)round, top = h / 4;
	int box_w = w * 6 / 16, box_h = h / 2;
	char label[32];

	fill_box(pixels, width, height, left, top, box_w, 4, 0xffd000);
	fill_box(pixels, width, height, left, top + box_h - 4, box_w, 4,
		 0xffd000);
	fill_box(pixels, width, height, left, top, 4, box_h, 0xffd000);
	fill_box(pixels, width, height, left + box_w - 4, top, 4, box_h,
		 0xffd000);
	darken_box(pixels, width, 21, height - 69, 302, 48);
	snprintf(label, sizeof(label), "DRAWN BY CPU: %u", round);
	image_draw_text(pixels, width, height, 30, h - 56, 3, 0xffffff, label);
	draw_checker(pixels, width, height, w - 147, h - 93);
}

void image_compare(const struct image *left, const struct image *right,
		   size_t line_size, struct damage *damage)
{
	size_t len = image_len(left), last_line = SIZE_MAX;
	size_t i;

	*damage = (struct damage) { 0 };
	for (i = 0; i < len; i++) {
		if (left->pixels[i] == right->pixels[i])
			continue;
		if (!damage->nr_bytes)
			damage->first = i;
		damage->last = i;
		damage->nr_bytes++;
		if (i / line_size != last_line)
			damage->nr_lines++;
		last_line = i / line_size;
	}
}

/*
 * Draws wrong pixels in red, right ones in the same cache line in brown, and
 * all others as a pale copy of the right picture.
 */
void image_draw_damage(struct image *dst, const struct image *seen,
		       const struct image *right, size_t line_size)
{
	size_t len = image_len(right), line, i;

	for (line = 0; line < len; line += line_size) {
		size_t end = line + line_size < len ? line + line_size : len;
		int is_wrong = memcmp(seen->pixels + line,
				      right->pixels + line, end - line);

		for (i = line; i + PIXEL_LEN <= end; i += PIXEL_LEN) {
			const uint8_t *good = right->pixels + i;
			uint8_t grey = (uint8_t)((good[0] + good[1] * 2 +
						  good[2]) / 16 + 16);
			uint8_t *to = dst->pixels + i;

			memset(to, grey, 3);
			if (!is_wrong)
				continue;
			if (memcmp(seen->pixels + i, good, PIXEL_LEN)) {
				to[2] = 255;
			} else {
				to[1] = 70;
				to[2] = 110;
			}
		}
	}
}

/* Draws @src, reduced by @shrink in both directions, into @sheet. */
void image_paste_small(struct image *sheet, unsigned int x, unsigned int y,
		       const struct image *src, unsigned int shrink)
{
	unsigned int i, j;

	for (j = 0; j < src->height / shrink; j++)
		for (i = 0; i < src->width / shrink; i++)
			mean_of_box(pixel_at(sheet->pixels, sheet->width,
					     x + i, y + j),
				    src, i * shrink, j * shrink, shrink,
				    shrink);
}
