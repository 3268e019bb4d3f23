// SPDX-License-Identifier: GPL-2.0-only
/*
 * A pipeline of images: a picture is drawn by the CPU, converted, smoothed,
 * made smaller, and its corners are found, each step by an engine that can do
 * it. Uses libmem alone. See README.rst.
 *
 * image-pipeline [unlocked] [PGM]
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libmem.h>
#include <libmem/image.h>

#define WIDTH	640U
#define HEIGHT	480U
#define SIDE	80U
#define CORNERS	64U

#define CHECK(call)	check(call, #call, __LINE__)

static struct mem_ctx *ctx;
static struct mem_stream *stream;

/* The steps, in order. */
static struct mem_image *picture, *grey, *smooth, *small, *deep;
static struct mem_array *points, *scores;

static void check(int err, const char *call, int line)
{
	if (!err)
		return;
	fprintf(stderr, "image-pipeline.c:%d: %s: %s\n", line, call,
		strerror(-err));
	exit(2);
}

static struct mem_image *image_new(uint32_t width, uint32_t height,
				   unsigned int format, const char *name)
{
	struct mem_image *image;

	CHECK(mem_image_create(ctx, width, height, format, 0, &image));
	CHECK(mem_image_set_name(image, name));
	return image;
}

static struct mem_array *array_new(unsigned int type, const char *name)
{
	struct mem_array *array;

	CHECK(mem_array_create(ctx, CORNERS, type, 0, &array));
	CHECK(mem_array_set_name(array, name));
	return array;
}

static struct mem_image_data lock(struct mem_image *image, unsigned int access)
{
	struct mem_image_data data = { .size = sizeof(data) };

	CHECK(mem_image_lock(image, access, MEM_LOCK_HOST, &data));
	return data;
}

/* Twelve squares on a ground that gets lighter to the right. */
static void draw(void)
{
	const struct mem_image_data data = lock(picture, MEM_WRITE);
	const struct mem_plane *plane = &data.planes[0];
	uint32_t x, y;

	for (y = 0; y < HEIGHT; y++) {
		uint8_t *row = (uint8_t *)plane->base + y * plane->pitch;

		for (x = 0; x < WIDTH; x++) {
			const int is_square = (x + SIDE / 2) / SIDE % 2 &&
					      (y + SIDE / 2) / SIDE % 2;

			row[3 * x] = is_square ? 230 : 40;
			row[3 * x + 1] = (uint8_t)(is_square ? 180 : x / 8);
			row[3 * x + 2] = is_square ? 60 : 70;
		}
	}
	CHECK(mem_image_unlock(picture));
}

/* The vision accelerator where there is one, else the GPU. */
static unsigned int accelerator(void)
{
	struct mem_board board = { .size = sizeof(board) };

	CHECK(mem_ctx_board(ctx, MEM_ENGINE_GPU, &board));
	return board.has_pva ? MEM_ENGINE_PVA : MEM_ENGINE_GPU;
}

static void submit(void)
{
	const struct mem_harris how = {
		.size = sizeof(how),
		.gradient_len = 5,
		.block_len = 5,
		.strength = 20,
		.sensitivity = 0.0625f,
		.min_distance = 8,
	};

	CHECK(mem_image_convert(stream, MEM_ENGINE_GPU, grey, picture, NULL));
	CHECK(mem_image_box(stream, accelerator(), smooth, grey, 3, 3,
			    MEM_BORDER_CLAMP));
	CHECK(mem_image_rescale(stream, MEM_ENGINE_GPU, small, smooth,
				MEM_INTERP_LINEAR, MEM_BORDER_CLAMP));
	CHECK(mem_image_convert(stream, MEM_ENGINE_CPU, deep, small, NULL));
	CHECK(mem_image_harris(stream, accelerator(), deep, points, scores,
			       &how));
}

/* How many of the keypoints are next to a corner that was drawn. */
static unsigned int count_right(const struct mem_array_data *found)
{
	const struct mem_keypoint *point = found->base;
	unsigned int nr = 0;
	uint64_t i;

	for (i = 0; i < *found->count; i++) {
		const int dx = (int)point[i].x % (int)(SIDE / 2);
		const int dy = (int)point[i].y % (int)(SIDE / 2);

		nr += abs(dx - (int)SIDE / 4) < 4 &&
		      abs(dy - (int)SIDE / 4) < 4;
	}
	return nr;
}

/* A cross at each keypoint. */
static void mark(uint8_t *pixels, const struct mem_array_data *found)
{
	const struct mem_keypoint *point = found->base;
	int i, x, y;
	uint64_t nr;

	for (nr = 0; nr < *found->count; nr++)
		for (i = -3; i <= 3; i++) {
			x = (int)point[nr].x;
			y = (int)point[nr].y;
			pixels[y * (int)WIDTH / 2 + x + i] = 255;
			pixels[(y + i) * (int)WIDTH / 2 + x] = 255;
		}
}

static void write_picture(const char *path, const uint8_t *pixels)
{
	FILE *file = fopen(path, "wb");

	if (!file) {
		perror(path);
		exit(2);
	}
	fprintf(file, "P5\n%u %u\n255\n", WIDTH / 2, HEIGHT / 2);
	fwrite(pixels, 1, WIDTH / 2 * HEIGHT / 2, file);
	fclose(file);
}

/* The sum of a row in the middle. */
__attribute__((noinline))
static unsigned int sum_row(const struct mem_plane *plane)
{
	const uint8_t *row = (uint8_t *)plane->base +
			     plane->height / 2 * plane->pitch;
	unsigned int sum = 0;
	uint32_t x;

	for (x = 0; x < plane->width; x++)
		sum += row[x];		/* found here */
	return sum;
}

/* Wrong: pointers of a lock that was given back before the jobs ran. */
static unsigned int sum_without_lock(void)
{
	const struct mem_image_data data = lock(smooth, MEM_READ);

	printf("before: %u\n", sum_row(&data.planes[0]));
	CHECK(mem_image_unlock(smooth));
	submit();
	CHECK(mem_stream_sync(stream));
	return sum_row(&data.planes[0]);
}

static unsigned int sum_with_lock(void)
{
	struct mem_image_data data;
	unsigned int sum;

	submit();
	data = lock(smooth, MEM_READ);
	sum = sum_row(&data.planes[0]);
	CHECK(mem_image_unlock(smooth));
	return sum;
}

/* Reads the results, which the locks wait for. Returns how many are right. */
static unsigned int results(const char *path)
{
	static uint8_t pixels[WIDTH / 2 * HEIGHT / 2];
	const struct mem_image_data data = lock(small, MEM_READ);
	struct mem_array_data found = { .size = sizeof(found) };
	unsigned int nr;
	uint32_t y;

	for (y = 0; y < HEIGHT / 2; y++)
		memcpy(pixels + y * (WIDTH / 2),
		       (uint8_t *)data.planes[0].base +
		       y * data.planes[0].pitch, WIDTH / 2);
	CHECK(mem_image_unlock(small));
	CHECK(mem_array_lock(points, MEM_READ, MEM_LOCK_HOST, &found));
	nr = count_right(&found);
	printf("%u corners, %u of them where they were drawn\n",
	       (unsigned int)*found.count, nr);
	mark(pixels, &found);
	CHECK(mem_array_unlock(points));
	if (path)
		write_picture(path, pixels);
	return nr;
}

int main(int argc, char **argv)
{
	const int is_unlocked = argc > 1 && !strcmp(argv[1], "unlocked");
	const char *path = argc > 1 + is_unlocked ?
			   argv[1 + is_unlocked] : NULL;
	unsigned int sum, nr;

	CHECK(mem_ctx_open(NULL, &ctx));
	CHECK(mem_stream_create(ctx, 0, 0, &stream));
	picture = image_new(WIDTH, HEIGHT, MEM_FORMAT_RGB8, "picture");
	grey = image_new(WIDTH, HEIGHT, MEM_FORMAT_U8, "grey");
	smooth = image_new(WIDTH, HEIGHT, MEM_FORMAT_U8, "smooth");
	small = image_new(WIDTH / 2, HEIGHT / 2, MEM_FORMAT_U8, "small");
	deep = image_new(WIDTH / 2, HEIGHT / 2, MEM_FORMAT_S16, "deep");
	points = array_new(MEM_DATA_KEYPOINT, "points");
	scores = array_new(MEM_DATA_U32, "scores");
	draw();
	sum = is_unlocked ? sum_without_lock() : sum_with_lock();
	printf("a row of the smooth image sums up to %u\n", sum);
	nr = results(path);
	mem_array_destroy(scores);
	mem_array_destroy(points);
	mem_image_destroy(deep);
	mem_image_destroy(small);
	mem_image_destroy(smooth);
	mem_image_destroy(grey);
	mem_image_destroy(picture);
	mem_stream_destroy(stream);
	mem_ctx_close(ctx);
	return nr == 48 ? 0 : 1;
}
