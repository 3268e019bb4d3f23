/* SPDX-License-Identifier: GPL-2.0-only */
/* A photograph into memory, 0x00RRGGBB a pixel, and memory into a PNG. */
#ifndef _PICTURE_H
#define _PICTURE_H

#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>
#include <png.h>

/* Larger ones are made smaller as they are read. */
#define MAX_WIDTH	1024

struct picture {
	FILE *file;
	struct jpeg_error_mgr errors;
	struct jpeg_decompress_struct jpeg;
	int width;
	int height;
};

/* libjpeg says what is wrong with a file, and exits. */
static inline void picture_open(struct picture *picture, const char *path)
{
	struct jpeg_decompress_struct *jpeg = &picture->jpeg;

	picture->file = fopen(path, "rb");
	if (!picture->file) {
		perror(path);
		exit(2);
	}
	jpeg->err = jpeg_std_error(&picture->errors);
	jpeg_create_decompress(jpeg);
	jpeg_stdio_src(jpeg, picture->file);
	jpeg_read_header(jpeg, TRUE);
	jpeg->out_color_space = JCS_EXT_BGRX;
	for (jpeg->scale_denom = 1; jpeg->scale_denom < 8;
	     jpeg->scale_denom *= 2)
		if (jpeg->image_width <= MAX_WIDTH * jpeg->scale_denom)
			break;
	jpeg->scale_num = 1;
	jpeg_start_decompress(jpeg);
	picture->width = (int)jpeg->output_width;
	picture->height = (int)jpeg->output_height;
}

/* Into memory of any kind that the CPU may touch. */
static inline void picture_read(struct picture *picture, int *pixels)
{
	struct jpeg_decompress_struct *jpeg = &picture->jpeg;
	int x, *row;

	while (jpeg->output_scanline < jpeg->output_height) {
		JSAMPROW to;

		row = pixels + jpeg->output_scanline * picture->width;
		to = (JSAMPROW)row;
		jpeg_read_scanlines(jpeg, &to, 1);
		for (x = 0; x < picture->width; x++)
			row[x] &= 0xffffff;
	}
	jpeg_finish_decompress(jpeg);
	jpeg_destroy_decompress(jpeg);
	fclose(picture->file);
}

static inline void picture_write(const char *path, const int *pixels,
				 int width, int height)
{
	unsigned char *rgb = (unsigned char *)malloc(width * height * 3);
	png_image png;
	int i;

	for (i = 0; rgb && i < width * height; i++) {
		rgb[3 * i] = (unsigned char)(pixels[i] >> 16);
		rgb[3 * i + 1] = (unsigned char)(pixels[i] >> 8);
		rgb[3 * i + 2] = (unsigned char)pixels[i];
	}
	memset(&png, 0, sizeof(png));
	png.version = PNG_IMAGE_VERSION;
	png.width = width;
	png.height = height;
	png.format = PNG_FORMAT_RGB;
	if (!rgb || !png_image_write_to_file(&png, path, 0, rgb, 0, NULL)) {
		fprintf(stderr, "%s: %s\n", path, rgb ? png.message :
			"no memory");
		exit(2);
	}
	free(rgb);
}

#endif
