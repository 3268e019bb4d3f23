/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by tests of images: images with known bytes, and violations */
#ifndef _TEST_IMAGE_H
#define _TEST_IMAGE_H

#include "test.h"

#include <libmem/image.h>

/* Size of most images, which have one plane of bytes */
#define WIDTH		50
#define HEIGHT		20
#define PIXELS		(WIDTH * HEIGHT)
#define GPU_AND_CPU	(1ULL << MEM_ENGINE_GPU | MEM_USE_CPU)

static inline struct mem_format_info format_info(uint32_t format)
{
	struct mem_format_info info = { .size = sizeof(info) };

	assert_int_equal(mem_format_info(format, &info), 0);
	return info;
}

static inline uint32_t side(uint32_t len, uint32_t div)
{
	return (len + div - 1) / div;
}

/* Copies packed bytes to planes (@is_in) or back. */
static inline void planes_move(const struct mem_plane *planes, uint32_t nr,
			       uint8_t *packed, bool is_in)
{
	uint32_t i, y;

	for (i = 0; i < nr; i++)
		for (y = 0; y < planes[i].height; y++) {
			const size_t len = (size_t)planes[i].width *
					   planes[i].pixel_len;
			uint8_t *row = (uint8_t *)planes[i].base +
				       (size_t)y * planes[i].pitch;

			memcpy(is_in ? row : packed, is_in ? packed : row, len);
			packed += len;
		}
}

static inline struct mem_image *new_image(uint32_t width, uint32_t height,
					  uint32_t format, uint64_t uses)
{
	struct mem_image *image;

	assert_int_equal(mem_image_create(ctx, width, height, format, uses,
					  &image), 0);
	return image;
}

static inline struct mem_array *new_array(uint64_t capacity, uint32_t type,
					  uint64_t uses)
{
	struct mem_array *array;

	assert_int_equal(mem_array_create(ctx, capacity, type, uses, &array),
			 0);
	return array;
}

static inline struct mem_image_data lock_image(struct mem_image *image,
					       unsigned int access,
					       unsigned int as)
{
	struct mem_image_data data = { .size = sizeof(data) };

	assert_int_equal(mem_image_lock(image, access, as, &data), 0);
	return data;
}

static inline void unlock_image(struct mem_image *image)
{
	assert_int_equal(mem_image_unlock(image), 0);
}

static inline struct mem_array_data lock_array(struct mem_array *array,
					       unsigned int access,
					       unsigned int as)
{
	struct mem_array_data data = { .size = sizeof(data) };

	assert_int_equal(mem_array_lock(array, access, as, &data), 0);
	return data;
}

/* Sets all pixels to one byte, and all padding to another. */
static inline void set_image(struct mem_image *image, int pixels, int padding)
{
	const struct mem_image_data data = lock_image(image, MEM_WRITE,
						      MEM_LOCK_HOST);
	uint32_t i, y;

	for (i = 0; i < data.nr_planes; i++)
		for (y = 0; y < data.planes[i].height; y++) {
			uint8_t *row = (uint8_t *)data.planes[i].base +
				       (size_t)y * data.planes[i].pitch;
			const size_t len = (size_t)data.planes[i].width *
					   data.planes[i].pixel_len;

			memset(row, pixels, len);
			memset(row + len, padding, data.planes[i].pitch - len);
		}
	unlock_image(image);
}

/* Returns true if all pixels and all padding have these bytes. */
static inline bool is_image(struct mem_image *image, int pixels, int padding)
{
	const struct mem_image_data data = lock_image(image, MEM_READ,
						      MEM_LOCK_HOST);
	bool is_right = true;
	uint32_t i, y, x;

	for (i = 0; i < data.nr_planes; i++)
		for (y = 0; y < data.planes[i].height; y++)
			for (x = 0; x < data.planes[i].pitch; x++) {
				const struct mem_plane *p = &data.planes[i];
				const int want = x < p->width * p->pixel_len ?
						 pixels : padding;

				is_right &= want < 0 || byte_at(p->base +
					(size_t)y * p->pitch + x) == want;
			}
	unlock_image(image);
	return is_right;
}

static inline struct mem_board board_of(void)
{
	struct mem_board board = { .size = sizeof(board) };

	assert_int_equal(mem_ctx_board(ctx, MEM_ENGINE_GPU, &board), 0);
	return board;
}

static inline struct mem_image_info info_of(struct mem_image *image)
{
	struct mem_image_info info = { .size = sizeof(info) };

	assert_int_equal(mem_image_info(image, &info), 0);
	return info;
}

static inline void fill_by(unsigned int engine, struct mem_image *image,
			   double value)
{
	assert_int_equal(mem_image_fill(mem_stream_legacy(ctx), engine, image,
					&value, 1), 0);
}

/* Describes an image of one plane of bytes. */
static inline struct mem_image_data data_of(unsigned int as, void *base,
					    uint32_t pitch)
{
	return (struct mem_image_data) {
		.size = sizeof(struct mem_image_data),
		.as = as,
		.format = MEM_FORMAT_U8,
		.width = WIDTH,
		.height = HEIGHT,
		.nr_planes = 1,
		.planes[0] = {
			.width = WIDTH,
			.height = HEIGHT,
			.pixel_len = 1,
			.pitch = pitch,
			.base = base,
		},
		.fd = -1,
	};
}

static inline struct mem_image *wrap(unsigned int as, void *base,
				     uint32_t pitch, uint64_t uses)
{
	const struct mem_image_data data = data_of(as, base, pitch);
	struct mem_image *image;

	assert_int_equal(mem_image_wrap(ctx, &data, uses, &image), 0);
	return image;
}

static inline bool has_engine(unsigned int engine)
{
	const struct mem_board board = board_of();

	if (engine == MEM_ENGINE_CPU || engine == MEM_ENGINE_GPU)
		return true;
	return engine == MEM_ENGINE_PVA ? board.has_pva :
	       engine == MEM_ENGINE_VIC ? board.has_vic : board.has_dgpu;
}

static inline uint64_t use_of(unsigned int engine)
{
	return engine == MEM_ENGINE_CPU ? MEM_USE_CPU : 1ULL << engine;
}

static inline int open_watched(void **state)
{
	(void)state;
	return mem_ctx_open(NULL, &ctx) ||
	       mem_ctx_watch(ctx, MEM_WATCH_ERRORS, 64);
}

/* Checks that nothing was reported, since the programs are right. */
static inline int nothing_found(void **state)
{
	struct mem_violation v = { .size = sizeof(v) };
	int nr = 0;

	(void)state;
	while (mem_ctx_next_violation(ctx, &v) == 1) {
		printf("# %s at %llu of %s, %s\n", mem_violation_name(v.kind),
		       (unsigned long long)v.off, v.name, v.other_name);
		nr++;
	}
	return nr;
}

#endif
