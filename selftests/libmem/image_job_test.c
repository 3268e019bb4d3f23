// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests jobs of images: each case of image_cases.py on each of the board's
 * engines that supports it, the order of jobs, and errors. LIBMEM_SOC chooses
 * the board; nothing may be reported. Prints TAP.
 */
#include "image_cases.h"

#include <pthread.h>

/* Bytes that nothing may overwrite */
#define CANARY		0xc7

static const unsigned int engines[] = {
	MEM_ENGINE_CPU, MEM_ENGINE_GPU, MEM_ENGINE_VIC, MEM_ENGINE_PVA,
	MEM_ENGINE_DGPU,
};

/* Number of cases that were tried, by engine */
static unsigned int nr_done[sizeof(engines) / sizeof(*engines)];

static void put_pixels(struct mem_image *image, const uint8_t *packed)
{
	const struct mem_image_data data = lock_image(image, MEM_RW,
						      MEM_LOCK_HOST);

	planes_move(data.planes, data.nr_planes, (uint8_t *)packed, true);
	unlock_image(image);
}

static void get_pixels(struct mem_image *image, uint8_t *packed)
{
	const struct mem_image_data data = lock_image(image, MEM_READ,
						      MEM_LOCK_HOST);

	planes_move(data.planes, data.nr_planes, packed, false);
	unlock_image(image);
}

static size_t nr_values_of(uint32_t format)
{
	const struct mem_format_info info = format_info(format);
	size_t nr = 0;
	uint32_t i;

	for (i = 0; i < info.nr_planes; i++)
		nr += info.planes[i].nr_channels;
	return nr;
}

static int submit(const struct case_head *head, struct mem_stream *stream,
		  unsigned int engine, struct mem_image *dst,
		  struct mem_image *src)
{
	const struct mem_convert how = {
		.size = sizeof(how),
		.is_saturating = head->ints[0],
		.scale = head->reals[0],
		.offset = head->reals[1],
	};

	switch (head->op) {
	case CASE_COPY:
		return mem_image_copy(stream, engine, dst, src);
	case CASE_FILL:
		return mem_image_fill(stream, engine, dst, head->reals,
				      nr_values_of(head->dst_format));
	case CASE_CONVERT:
		return mem_image_convert(stream, engine, dst, src, &how);
	case CASE_RESCALE:
		return mem_image_rescale(stream, engine, dst, src,
					 head->ints[0], head->ints[1]);
	default:
		return mem_image_box(stream, engine, dst, src, head->ints[1],
				     head->ints[2], head->ints[0]);
	}
}

/* Tries a case; returns false if the engine does not support it. */
static bool try_case(const struct case_head *head, const uint8_t *bytes,
		     struct mem_stream *stream, unsigned int engine)
{
	const bool is_float = head->dst_format == MEM_FORMAT_F32 ||
			      head->dst_format == MEM_FORMAT_2F32;
	const uint64_t uses = use_of(engine) | MEM_USE_CPU;
	static uint8_t packed[1 << 20];
	struct mem_image *dst, *src = NULL;
	int err;

	dst = new_image(head->dst_width, head->dst_height, head->dst_format,
			uses);
	set_image(dst, 0x5a, CANARY);
	if (head->src_format) {
		src = new_image(head->src_width, head->src_height,
				head->src_format, uses);
		put_pixels(src, bytes);
	}
	err = submit(head, stream, engine, dst, src);
	if (err && err != -EOPNOTSUPP)
		case_fail(head, strerror(-err));
	if (!err) {
		get_pixels(dst, packed);
		if (!is_same_result(is_float, packed, bytes + head->src_len,
				    head->dst_len))
			case_fail(head, "wrong pixels");
		put_pixels(dst, bytes + head->src_len);
		if (!is_image(dst, -1, CANARY))
			case_fail(head, "padding was written");
	}
	mem_image_destroy(dst);
	mem_image_destroy(src);
	return !err;
}

static void try_all(enum case_op op, unsigned int every)
{
	struct mem_stream *stream;
	const uint8_t *at = NULL;
	struct case_head head;
	unsigned int i, nr = 0;

	assert_int_equal(mem_stream_create(ctx, 0, 0, &stream), 0);
	memset(nr_done, 0, sizeof(nr_done));
	while ((at = case_next(at, &head))) {
		if (head.op != op)
			continue;
		for (i = 0; i < sizeof(engines) / sizeof(*engines); i++) {
			/* The first two engines support all, so skip some. */
			if (i < 2 && (nr + i) % every)
				continue;
			if (has_engine(engines[i]))
				nr_done[i] += try_case(&head, at + sizeof(head),
						       stream, engines[i]);
		}
		nr++;
	}
	assert_int_equal(mem_stream_destroy(stream), 0);
	assert_true(nr_done[0] >= nr / every && nr_done[1] >= nr / every);
}

static unsigned int every(void)
{
	return getenv("HEAPSIM_QUICK") ? 7 : 1;
}

static void copies_and_fills_are_right(void **state)
{
	(void)state;
	try_all(CASE_COPY, 1);
	assert_true(!has_engine(MEM_ENGINE_VIC) || nr_done[2] >= 7);
	assert_int_equal(nr_done[3], 0);
	try_all(CASE_FILL, 1);
	assert_int_equal(nr_done[2] + nr_done[3], 0);
}

static void conversions_are_right(void **state)
{
	(void)state;
	try_all(CASE_CONVERT, every());
	assert_true(!has_engine(MEM_ENGINE_VIC) || nr_done[2] >= 36);
	assert_int_equal(nr_done[3], 0);
}

static void scaled_images_are_right(void **state)
{
	(void)state;
	try_all(CASE_RESCALE, every());
	assert_true(!has_engine(MEM_ENGINE_VIC) || nr_done[2] >= 4);
	assert_int_equal(nr_done[3], 0);
}

static void averages_are_right(void **state)
{
	(void)state;
	try_all(CASE_BOX, every());
	assert_int_equal(nr_done[2], 0);
	assert_true(!has_engine(MEM_ENGINE_PVA) || nr_done[3] == 3);
}

static void check_corners(const struct case_head *head, const uint8_t *want,
			  struct mem_array *points, struct mem_array *scores,
			  bool is_float)
{
	const struct mem_array_data p = lock_array(points, MEM_READ,
						   MEM_LOCK_HOST);
	const struct mem_array_data s = lock_array(scores, MEM_READ,
						   MEM_LOCK_HOST);
	const size_t nr = head->dst_len / 12;
	uint64_t count;
	size_t i;

	assert_int_equal(mem_array_count(points, &count), 0);
	if (count != nr || *p.count != nr || *s.count != nr)
		case_fail(head, "wrong number of keypoints");
	for (i = 0; i < nr; i++) {
		struct mem_keypoint point;
		float one[3];

		memcpy(one, want + 12 * i, sizeof(one));
		memcpy(&point, (uint8_t *)p.base + i * p.stride, sizeof(point));
		if (point.x != one[0] || point.y != one[1])
			case_fail(head, "wrong keypoint");
		if (!is_same_score(is_float, (uint8_t *)s.base + i * s.stride,
				   one[2]))
			case_fail(head, "wrong score");
	}
	assert_int_equal(mem_array_unlock(points), 0);
	assert_int_equal(mem_array_unlock(scores), 0);
}

static bool try_corners(const struct case_head *head, const uint8_t *bytes,
			struct mem_stream *stream, unsigned int engine,
			bool is_float)
{
	const struct mem_harris how = {
		.size = sizeof(how),
		.gradient_len = head->ints[0],
		.block_len = head->ints[1],
		.strength = (float)head->reals[0],
		.sensitivity = (float)head->reals[1],
		.min_distance = (float)head->reals[2],
	};
	const uint64_t uses = use_of(engine) | MEM_USE_CPU;
	struct mem_array *points, *scores;
	struct mem_image *src;
	int err;

	src = new_image(head->src_width, head->src_height, head->src_format,
			uses);
	put_pixels(src, bytes);
	points = new_array(head->ints[2], MEM_DATA_KEYPOINT, uses);
	scores = new_array(2500, is_float ? MEM_DATA_F32 : MEM_DATA_U32, uses);
	err = mem_image_harris(stream, engine, src, points, scores, &how);
	if (err && err != -EOPNOTSUPP)
		case_fail(head, strerror(-err));
	mem_image_destroy(src);
	if (!err)
		check_corners(head, bytes + head->src_len, points, scores,
			      is_float);
	mem_array_destroy(points);
	mem_array_destroy(scores);
	return !err;
}

static void corners_are_right(void **state)
{
	struct mem_stream *stream = mem_stream_legacy(ctx);
	const uint8_t *at = NULL;
	struct case_head head;
	unsigned int i, nr = 0;

	(void)state;
	memset(nr_done, 0, sizeof(nr_done));
	while ((at = case_next(at, &head))) {
		if (head.op != CASE_HARRIS)
			continue;
		for (i = 0; i < sizeof(engines) / sizeof(*engines); i++)
			if (has_engine(engines[i]))
				nr_done[i] += try_corners(&head,
							  at + sizeof(head),
							  stream, engines[i],
							  nr % 2);
		nr++;
	}
	assert_int_equal(nr_done[0], 37);
	assert_int_equal(nr_done[1], 37);
	assert_int_equal(nr_done[2], 0);
	assert_int_equal(nr_done[3], has_engine(MEM_ENGINE_PVA));
}

/* The jobs are submitted without a wait in between. */
static void jobs_of_a_stream_are_in_order(void **state)
{
	const double one = 1, two = 2;
	struct mem_image *a, *b, *c;
	struct mem_stream *stream;
	unsigned int i, engine;

	(void)state;
	assert_int_equal(mem_stream_create(ctx, 0, 0, &stream), 0);
	a = new_image(100, 50, MEM_FORMAT_U8, 0);
	b = new_image(100, 50, MEM_FORMAT_U8, 0);
	c = new_image(100, 50, MEM_FORMAT_U8, 0);
	for (i = 0; i < 20; i++) {
		engine = i % 2 ? MEM_ENGINE_GPU : MEM_ENGINE_CPU;
		assert_int_equal(mem_image_fill(stream, engine, a, &one, 1), 0);
		engine = i % 3 ? MEM_ENGINE_GPU : MEM_ENGINE_CPU;
		assert_int_equal(mem_image_copy(stream, engine, b, a), 0);
		assert_int_equal(mem_image_fill(stream, MEM_ENGINE_GPU, a, &two,
						1), 0);
		assert_int_equal(mem_image_copy(stream, MEM_ENGINE_CPU, c, a),
				 0);
	}
	assert_true(is_image(b, 1, -1));
	assert_true(is_image(a, 2, -1));
	assert_true(is_image(c, 2, -1));
	mem_image_destroy(a);
	mem_image_destroy(b);
	mem_image_destroy(c);
	assert_int_equal(mem_stream_destroy(stream), 0);
}

static void wait_a_little(void *arg)
{
	usleep(20000);
	(void)arg;
}

/* A destroyed image exists until the jobs that use it have ended. */
static void images_may_be_destroyed_at_once(void **state)
{
	const double value = 7;
	struct mem_stream *stream;
	struct mem_image *a, *b;
	unsigned int i;

	(void)state;
	assert_int_equal(mem_stream_create(ctx, 0, 0, &stream), 0);
	b = new_image(64, 64, MEM_FORMAT_U8, 0);
	for (i = 0; i < 8; i++) {
		const unsigned int engine = i % 2 ? MEM_ENGINE_GPU :
						    MEM_ENGINE_CPU;

		set_image(b, 1, 1);
		a = new_image(64, 64, MEM_FORMAT_U8, 0);
		assert_int_equal(mem_stream_call(stream, wait_a_little, NULL),
				 0);
		assert_int_equal(mem_image_fill(stream, engine, a, &value, 1),
				 0);
		assert_int_equal(mem_image_copy(stream, engine, b, a), 0);
		mem_image_destroy(a);
		assert_true(is_image(b, 7, 1));
	}
	mem_image_destroy(b);
	assert_int_equal(mem_stream_destroy(stream), 0);
}

static void fill_in_a_new_stream(struct mem_image *image, double value)
{
	struct mem_stream *stream;

	assert_int_equal(mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING, 0,
					   &stream), 0);
	assert_int_equal(mem_stream_call(stream, wait_a_little, NULL), 0);
	assert_int_equal(mem_image_fill(stream, MEM_ENGINE_GPU, image, &value,
					1), 0);
	assert_int_equal(mem_stream_destroy(stream), 0);
}

/* A lock waits for all streams with jobs of the image. */
static void a_lock_waits_for_every_stream(void **state)
{
	struct mem_image *image;
	unsigned int i, nr;

	(void)state;
	for (nr = 1; nr <= 20; nr += 19) {
		image = new_image(30, 30, MEM_FORMAT_U8, 0);
		set_image(image, 0, 0);
		for (i = 0; i < nr; i++)
			fill_in_a_new_stream(image, 9);
		assert_true(is_image(image, 9, -1));
		mem_image_destroy(image);
	}
}

static void no_job_uses_a_locked_image(void **state)
{
	struct mem_stream *stream = mem_stream_legacy(ctx);
	const double value = 3;
	struct mem_image *a, *b;

	(void)state;
	a = new_image(8, 8, MEM_FORMAT_U8, 0);
	b = new_image(8, 8, MEM_FORMAT_U8, 0);
	lock_image(a, MEM_READ, MEM_LOCK_HOST);
	assert_int_equal(mem_image_fill(stream, MEM_ENGINE_GPU, a, &value, 1),
			 -EBUSY);
	assert_int_equal(mem_image_copy(stream, MEM_ENGINE_GPU, b, a), -EBUSY);
	assert_int_equal(mem_image_copy(stream, MEM_ENGINE_CPU, a, b), -EBUSY);
	unlock_image(a);
	lock_image(b, MEM_WRITE, MEM_LOCK_DEVICE);
	assert_int_equal(mem_image_copy(stream, MEM_ENGINE_GPU, b, a), -EBUSY);
	unlock_image(b);
	assert_int_equal(mem_image_copy(stream, MEM_ENGINE_GPU, b, a), 0);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	mem_image_destroy(a);
	mem_image_destroy(b);
}

/* An attribute of an image's object */
#define OBJECT_ATTR(object, name, type, i) \
	({ \
		struct mem_attr attr_ = { .key = MEM_ATTR_##name }; \
		\
		assert_int_equal(mem_attrs_get(mem_object_attrs(object), 0, \
					       &attr_, 1), 0); \
		((const type *)attr_.value)[i]; \
	})

/* @image is pitch-linear; @blocks has its pixels, in rows of its own pitch. */
static void have_the_same_rows(struct mem_image *blocks,
			       struct mem_image *image)
{
	struct mem_object *object = lock_image(blocks, MEM_READ,
					       MEM_LOCK_OBJECT).object;
	const struct mem_image_data data = lock_image(image, MEM_READ,
						      MEM_LOCK_HOST);
	const uint8_t *row;
	uint32_t i, y;
	void *ptr;

	assert_int_equal(mem_object_cpu_ptr(object, MEM_READ, &ptr), 0);
	assert_int_equal(mem_object_begin(object, MEM_READ), 0);
	for (i = 0; i < data.nr_planes; i++) {
		const struct mem_plane *plane = &data.planes[i];

		row = (uint8_t *)ptr +
		      OBJECT_ATTR(object, IMAGE_PLANE_OFFSET, uint64_t, i);
		for (y = 0; y < plane->height; y++) {
			assert_memory_equal(row, (uint8_t *)plane->base +
					    y * plane->pitch,
					    plane->width * plane->pixel_len);
			row += OBJECT_ATTR(object, IMAGE_PLANE_PITCH, uint32_t,
					   i);
		}
	}
	assert_int_equal(mem_object_end(object, MEM_READ), 0);
	unlock_image(image);
	unlock_image(blocks);
}

static void fill_at_random(struct mem_image *image)
{
	const struct mem_image_data data = lock_image(image, MEM_WRITE,
						      MEM_LOCK_HOST);
	uint32_t i, x, y;

	for (i = 0; i < data.nr_planes; i++)
		for (y = 0; y < data.planes[i].height; y++)
			for (x = 0; x < data.planes[i].width *
					data.planes[i].pixel_len; x++)
				((uint8_t *)data.planes[i].base)
				[y * data.planes[i].pitch + x] = rand();
	unlock_image(image);
}

/* The VIC requires nothing of rows that are in blocks. */
static void is_wrapped_without_a_copy(struct mem_image *blocks)
{
	const struct mem_image_data data = lock_image(blocks, MEM_READ,
						      MEM_LOCK_OBJECT);
	struct mem_image *wrapper;

	assert_int_equal(mem_image_wrap(ctx, &data, use_of(MEM_ENGINE_VIC),
					&wrapper), 0);
	assert_int_equal(info_of(wrapper).copies, MEM_WRAP_NO_COPY);
	mem_image_destroy(wrapper);
	unlock_image(blocks);
}

/* Pixels go into blocks, from blocks to blocks, and come back. */
static void pixels_go_through_blocks(uint32_t format, uint32_t in_blocks)
{
	const uint64_t uses = GPU_AND_CPU | use_of(MEM_ENGINE_VIC);
	struct mem_stream *stream = mem_stream_legacy(ctx);
	struct mem_image *images[4];
	unsigned int i;

	for (i = 0; i < 4; i++)
		images[i] = new_image(150, 76, i % 3 ? in_blocks : format,
				      uses);
	fill_at_random(images[0]);
	assert_int_equal(mem_image_convert(stream, MEM_ENGINE_VIC, images[1],
					   images[0], NULL), 0);
	assert_int_equal(mem_image_copy(stream, MEM_ENGINE_VIC, images[2],
					images[1]), 0);
	assert_int_equal(mem_image_convert(stream, MEM_ENGINE_VIC, images[3],
					   images[2], NULL), 0);
	have_the_same_rows(images[2], images[0]);
	have_the_same_rows(images[1], images[3]);
	is_wrapped_without_a_copy(images[1]);
	for (i = 0; i < 4; i++)
		mem_image_destroy(images[i]);
}

/* A generic board has no such images. */
static bool has_blocks(void)
{
	struct mem_image *image;

	if (board_of().capability)
		return true;
	assert_int_equal(mem_image_create(ctx, 64, 32, MEM_FORMAT_NV12_BL,
					  GPU_AND_CPU, &image), -EOPNOTSUPP);
	return false;
}

static void block_linear_pixels_are_copied_and_converted(void **state)
{
	(void)state;
	if (!has_blocks())
		return;
	pixels_go_through_blocks(MEM_FORMAT_NV12, MEM_FORMAT_NV12_BL);
	pixels_go_through_blocks(MEM_FORMAT_NV12_ER, MEM_FORMAT_NV12_ER_BL);
	pixels_go_through_blocks(MEM_FORMAT_YUV420, MEM_FORMAT_YUV420_BL);
	pixels_go_through_blocks(MEM_FORMAT_YUV420_ER,
				 MEM_FORMAT_YUV420_ER_BL);
}

static void block_linear_images_say_what_is_wrong(void **state)
{
	static const unsigned int others[] = {
		MEM_ENGINE_GPU, MEM_ENGINE_CPU,
	};
	const uint64_t uses = GPU_AND_CPU | use_of(MEM_ENGINE_VIC);
	const struct mem_convert scaled = {
		.size = sizeof(scaled), .is_saturating = 1, .scale = 2,
	};
	struct mem_stream *stream = mem_stream_legacy(ctx);
	struct mem_image *blocks, *linear, *full, *small;
	const double values[3] = { 1 };
	unsigned int i;

	(void)state;
	if (!has_blocks())
		return;
	small = new_image(32, 32, MEM_FORMAT_NV12_BL, uses);
	blocks = new_image(64, 32, MEM_FORMAT_NV12_BL, uses);
	linear = new_image(64, 32, MEM_FORMAT_NV12, uses);
	full = new_image(64, 32, MEM_FORMAT_NV12_ER, uses);
	for (i = 0; i < 2; i++) {
		assert_int_equal(mem_image_convert(stream, others[i], linear,
						   blocks, NULL), -EOPNOTSUPP);
		assert_int_equal(mem_image_fill(stream, others[i], blocks,
						values, 3), -EOPNOTSUPP);
		assert_int_equal(mem_image_rescale(stream, others[i], small,
						   blocks, MEM_INTERP_NEAREST,
						   MEM_BORDER_CLAMP),
				 -EOPNOTSUPP);
	}
	assert_int_equal(mem_image_copy(stream, MEM_ENGINE_VIC, linear,
					blocks), -EINVAL);
	assert_int_equal(mem_image_convert(stream, MEM_ENGINE_VIC, full,
					   blocks, NULL), -EOPNOTSUPP);
	assert_int_equal(mem_image_convert(stream, MEM_ENGINE_VIC, linear,
					   blocks, &scaled), -EOPNOTSUPP);
	assert_int_equal(mem_image_rescale(stream, MEM_ENGINE_VIC, small,
					   blocks, MEM_INTERP_NEAREST,
					   MEM_BORDER_CLAMP), -EOPNOTSUPP);
	mem_image_destroy(small);
	mem_image_destroy(blocks);
	mem_image_destroy(linear);
	mem_image_destroy(full);
}

static void copies_and_fills_say_what_is_wrong(void **state)
{
	struct mem_stream *stream = mem_stream_legacy(ctx);
	struct mem_image *a, *b, *small, *other, *cpu_only;
	const double values[4] = { 1 };

	(void)state;
	a = new_image(8, 8, MEM_FORMAT_U8, 0);
	b = new_image(8, 8, MEM_FORMAT_U8, 0);
	small = new_image(8, 7, MEM_FORMAT_U8, 0);
	other = new_image(8, 8, MEM_FORMAT_Y8, 0);
	cpu_only = new_image(8, 8, MEM_FORMAT_U8, MEM_USE_CPU);
	assert_int_equal(mem_image_copy(NULL, 0, a, b), -EINVAL);
	assert_int_equal(mem_image_copy(stream, 0, NULL, b), -EINVAL);
	assert_int_equal(mem_image_copy(stream, 0, a, NULL), -EINVAL);
	assert_int_equal(mem_image_copy(stream, 0, a, a), -EINVAL);
	assert_int_equal(mem_image_copy(stream, 0, a, small), -EINVAL);
	assert_int_equal(mem_image_copy(stream, 0, a, other), -EINVAL);
	assert_int_equal(mem_image_copy(stream, 4, a, b), -EINVAL);
	assert_int_equal(mem_image_copy(stream, 0, a, cpu_only), -EACCES);
	assert_int_equal(mem_image_copy(stream, MEM_ENGINE_CPU, a, cpu_only),
			 0);
	if (!has_engine(MEM_ENGINE_DGPU))
		assert_int_equal(mem_image_copy(stream, MEM_ENGINE_DGPU, a, b),
				 -EOPNOTSUPP);
	assert_int_equal(mem_image_fill(NULL, 0, a, values, 1), -EINVAL);
	assert_int_equal(mem_image_fill(stream, 0, NULL, values, 1), -EINVAL);
	assert_int_equal(mem_image_fill(stream, 0, a, NULL, 1), -EINVAL);
	assert_int_equal(mem_image_fill(stream, 0, a, values, 0), -EINVAL);
	assert_int_equal(mem_image_fill(stream, 0, a, values, 2), -EINVAL);
	assert_int_equal(mem_image_fill(stream, 99, a, values, 1), -EINVAL);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	mem_image_destroy(a);
	mem_image_destroy(b);
	mem_image_destroy(small);
	mem_image_destroy(other);
	mem_image_destroy(cpu_only);
}

static void conversions_say_what_is_wrong(void **state)
{
	struct mem_stream *stream = mem_stream_legacy(ctx);
	struct mem_image *u8, *rgb, *nv12, *vector, *small;
	struct {
		struct mem_convert how;
		uint64_t tail;
	} longer = { .how = { .size = sizeof(longer) }, .tail = 1 };
	struct mem_convert how = { .size = sizeof(how) };

	(void)state;
	u8 = new_image(8, 8, MEM_FORMAT_U8, 0);
	rgb = new_image(8, 8, MEM_FORMAT_RGB8, 0);
	nv12 = new_image(8, 8, MEM_FORMAT_NV12, 0);
	vector = new_image(8, 8, MEM_FORMAT_2F32, 0);
	small = new_image(7, 8, MEM_FORMAT_U8, 0);
	assert_int_equal(mem_image_convert(NULL, 0, rgb, u8, NULL), -EINVAL);
	assert_int_equal(mem_image_convert(stream, 0, NULL, u8, NULL), -EINVAL);
	assert_int_equal(mem_image_convert(stream, 0, rgb, NULL, NULL),
			 -EINVAL);
	assert_int_equal(mem_image_convert(stream, 0, u8, u8, NULL), -EINVAL);
	assert_int_equal(mem_image_convert(stream, 0, rgb, small, NULL),
			 -EINVAL);
	assert_int_equal(mem_image_convert(stream, 0, rgb, vector, NULL),
			 -EOPNOTSUPP);
	how.size = 4;
	assert_int_equal(mem_image_convert(stream, 0, rgb, u8, &how), -EINVAL);
	how.size = sizeof(how);
	how.is_saturating = 2;
	assert_int_equal(mem_image_convert(stream, 0, rgb, u8, &how), -EINVAL);
	how.is_saturating = 1;
	how.scale = 2;
	assert_int_equal(mem_image_convert(stream, 0, rgb, u8, &how), 0);
	/* A conversion of colours does not support a scale. */
	assert_int_equal(mem_image_convert(stream, 0, nv12, rgb, &how),
			 -EOPNOTSUPP);
	assert_int_equal(mem_image_convert(stream, 0, rgb, u8, &longer.how),
			 -E2BIG);
	longer.tail = 0;
	assert_int_equal(mem_image_convert(stream, 0, rgb, u8, &longer.how), 0);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	mem_image_destroy(u8);
	mem_image_destroy(rgb);
	mem_image_destroy(nv12);
	mem_image_destroy(vector);
	mem_image_destroy(small);
}

static void windows_say_what_is_wrong(void **state)
{
	struct mem_stream *stream = mem_stream_legacy(ctx);
	struct mem_image *a, *b, *nv12, *nv12_too;

	(void)state;
	a = new_image(8, 8, MEM_FORMAT_U8, 0);
	b = new_image(8, 8, MEM_FORMAT_U8, 0);
	nv12 = new_image(8, 8, MEM_FORMAT_NV12, 0);
	nv12_too = new_image(8, 8, MEM_FORMAT_NV12, 0);
	assert_int_equal(mem_image_rescale(stream, 0, a, nv12, 0, 0), -EINVAL);
	assert_int_equal(mem_image_rescale(stream, 0, a, b, 2, 0), -EINVAL);
	assert_int_equal(mem_image_rescale(stream, 0, a, b, 0, 2), -EINVAL);
	assert_int_equal(mem_image_rescale(stream, 0, a, a, 0, 0), -EINVAL);
	assert_int_equal(mem_image_rescale(stream, 0, a, NULL, 0, 0), -EINVAL);
	assert_int_equal(mem_image_box(stream, 0, a, b, 2, 3, 0), -EINVAL);
	assert_int_equal(mem_image_box(stream, 0, a, b, 3, 0, 0), -EINVAL);
	assert_int_equal(mem_image_box(stream, 0, a, b, 13, 3, 0), -EINVAL);
	assert_int_equal(mem_image_box(stream, 0, a, b, 3, 3, 2), -EINVAL);
	assert_int_equal(mem_image_box(stream, 0, a, a, 3, 3, 0), -EINVAL);
	assert_int_equal(mem_image_box(stream, 0, nv12_too, nv12, 3, 3, 0),
			 -EINVAL);
	assert_int_equal(mem_image_box(stream, 0, NULL, b, 3, 3, 0), -EINVAL);
	mem_image_destroy(a);
	mem_image_destroy(b);
	mem_image_destroy(nv12);
	mem_image_destroy(nv12_too);
}

static void put_bytes(struct mem_array *array, uint64_t nr, int byte)
{
	const struct mem_array_data data = lock_array(array, MEM_RW,
						      MEM_LOCK_HOST);

	memset(data.base, byte, nr * data.stride);
	assert_int_equal(mem_array_set_count(array, nr), 0);
	assert_int_equal(mem_array_unlock(array), 0);
}

/* Checks the number of elements, the last of them, and the one behind it. */
static void check_bytes(struct mem_array *array, uint64_t nr, int last,
			int next)
{
	const struct mem_array_data data = lock_array(array, MEM_READ,
						      MEM_LOCK_HOST);
	const uint8_t *bytes = data.base;

	assert_int_equal(*data.count, nr);
	assert_int_equal(bytes[0], last);
	assert_int_equal(bytes[nr - 1], last);
	assert_int_equal(bytes[nr], next);
	assert_int_equal(mem_array_unlock(array), 0);
}

static void an_array_is_copied_with_its_count(void **state)
{
	struct mem_stream *stream = mem_stream_legacy(ctx);
	struct mem_array *a = new_array(100, MEM_DATA_U8, 0);
	struct mem_array *b = new_array(200, MEM_DATA_U8, 0);
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(engines) / sizeof(*engines); i++) {
		if (!has_engine(engines[i]))
			continue;
		put_bytes(a, 60, i + 1);
		put_bytes(b, 200, CANARY);
		if (engines[i] == MEM_ENGINE_VIC ||
		    engines[i] == MEM_ENGINE_PVA) {
			assert_int_equal(mem_array_copy(stream, engines[i], b,
							a), -EOPNOTSUPP);
			continue;
		}
		assert_int_equal(mem_array_copy(stream, engines[i], b, a), 0);
		check_bytes(b, 60, i + 1, CANARY);
	}
	mem_array_destroy(a);
	mem_array_destroy(b);
}

static void copies_of_arrays_say_what_is_wrong(void **state)
{
	struct mem_stream *stream = mem_stream_legacy(ctx);
	struct mem_array *a = new_array(9, MEM_DATA_U8, 0);
	struct mem_array *b = new_array(9, MEM_DATA_U8, 0);
	struct mem_array *small = new_array(8, MEM_DATA_U8, 0);
	struct mem_array *other = new_array(9, MEM_DATA_S8, 0);

	(void)state;
	assert_int_equal(mem_array_copy(NULL, 0, a, b), -EINVAL);
	assert_int_equal(mem_array_copy(stream, 0, NULL, b), -EINVAL);
	assert_int_equal(mem_array_copy(stream, 0, a, NULL), -EINVAL);
	assert_int_equal(mem_array_copy(stream, 0, a, a), -EINVAL);
	assert_int_equal(mem_array_copy(stream, 0, small, a), -EINVAL);
	assert_int_equal(mem_array_copy(stream, 0, a, small), 0);
	assert_int_equal(mem_array_copy(stream, 0, a, other), -EINVAL);
	lock_array(a, MEM_READ, MEM_LOCK_HOST);
	assert_int_equal(mem_array_copy(stream, 0, a, b), -EBUSY);
	assert_int_equal(mem_array_unlock(a), 0);
	mem_array_destroy(a);
	mem_array_destroy(b);
	mem_array_destroy(small);
	mem_array_destroy(other);
}

static void harris_says_what_is_wrong(void **state)
{
	const struct mem_harris right = {
		.size = sizeof(right), .gradient_len = 3, .block_len = 3,
		.strength = 1, .sensitivity = 0.1f, .min_distance = 2,
	};
	struct mem_stream *stream = mem_stream_legacy(ctx);
	struct mem_array *points, *scores, *bytes;
	struct mem_image *image, *rgb;
	struct mem_harris how;

	(void)state;
	image = new_image(20, 20, MEM_FORMAT_U8, 0);
	rgb = new_image(20, 20, MEM_FORMAT_RGB8, 0);
	points = new_array(9, MEM_DATA_KEYPOINT, 0);
	scores = new_array(9, MEM_DATA_U32, 0);
	bytes = new_array(9, MEM_DATA_U8, 0);
#define HARRIS(src, to, values, with) \
	mem_image_harris(stream, MEM_ENGINE_GPU, src, to, values, with)
#define WRONG(field, value) do {					\
		how = right;						\
		how.field = value;					\
		assert_int_equal(HARRIS(image, points, scores, &how),	\
				 -EINVAL);				\
	} while (0)
	assert_int_equal(HARRIS(image, points, scores, &right), 0);
	assert_int_equal(HARRIS(NULL, points, scores, &right), -EINVAL);
	assert_int_equal(HARRIS(image, NULL, scores, &right), -EINVAL);
	assert_int_equal(HARRIS(image, points, NULL, &right), -EINVAL);
	assert_int_equal(HARRIS(image, points, scores, NULL), -EINVAL);
	assert_int_equal(HARRIS(rgb, points, scores, &right), -EINVAL);
	assert_int_equal(HARRIS(image, scores, scores, &right), -EINVAL);
	assert_int_equal(HARRIS(image, points, bytes, &right), -EINVAL);
	WRONG(gradient_len, 4);
	WRONG(gradient_len, 9);
	WRONG(block_len, 1);
	WRONG(reserved, 1);
	WRONG(strength, -1);
	WRONG(min_distance, -1);
	WRONG(sensitivity, __builtin_nanf(""));
	WRONG(size, 12);
#undef HARRIS
#undef WRONG
	lock_array(points, MEM_READ, MEM_LOCK_HOST);
	assert_int_equal(mem_image_harris(stream, MEM_ENGINE_GPU, image, points,
					  scores, &right), -EBUSY);
	assert_int_equal(mem_array_unlock(points), 0);
	mem_image_destroy(image);
	mem_image_destroy(rgb);
	mem_array_destroy(points);
	mem_array_destroy(scores);
	mem_array_destroy(bytes);
}

static void contexts_do_not_mix(void **state)
{
	struct mem_image *mine, *theirs;
	struct mem_ctx *other;

	(void)state;
	assert_int_equal(mem_ctx_open(NULL, &other), 0);
	mine = new_image(4, 4, MEM_FORMAT_U8, 0);
	assert_int_equal(mem_image_create(other, 4, 4, MEM_FORMAT_U8, 0,
					  &theirs), 0);
	assert_int_equal(mem_image_copy(mem_stream_legacy(ctx), 0, mine,
					theirs), -EXDEV);
	assert_int_equal(mem_image_copy(mem_stream_legacy(other), 0, mine,
					theirs), -EXDEV);
	mem_image_destroy(mine);
	mem_image_destroy(theirs);
	mem_ctx_close(other);
}

struct worker {
	struct mem_image *shared;
	struct mem_image *own;
	unsigned int nr_busy;
	unsigned int nr_wrong;
};

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct mem_image_data data = { .size = sizeof(data) };
	const double value = 4;
	struct mem_stream *stream;
	unsigned int i;
	int err;

	if (mem_stream_per_thread(ctx, &stream))
		return arg;
	for (i = 0; i < 200; i++) {
		err = mem_image_copy(stream, i % 2 ? MEM_ENGINE_GPU :
				     MEM_ENGINE_CPU, worker->own,
				     worker->shared);
		worker->nr_busy += err == -EBUSY;
		worker->nr_wrong += err && err != -EBUSY;
		err = mem_image_lock(worker->shared, MEM_READ,
				     i % 3 ? MEM_LOCK_HOST : MEM_LOCK_DEVICE,
				     &data);
		worker->nr_busy += err == -EBUSY;
		worker->nr_wrong += err && err != -EBUSY;
		if (!err && mem_image_unlock(worker->shared))
			worker->nr_wrong++;
		if (i % 10 == 0 &&
		    mem_image_fill(stream, MEM_ENGINE_GPU, worker->own, &value,
				   1))
			worker->nr_wrong++;
	}
	worker->nr_wrong += mem_stream_sync(stream) != 0;
	return NULL;
}

static void threads_share_an_image(void **state)
{
	struct worker workers[4];
	pthread_t threads[4];
	unsigned int i;
	void *failed;

	(void)state;
	memset(workers, 0, sizeof(workers));
	workers[0].shared = new_image(16, 16, MEM_FORMAT_U8, 0);
	set_image(workers[0].shared, 5, 5);
	for (i = 0; i < 4; i++) {
		workers[i].shared = workers[0].shared;
		workers[i].own = new_image(16, 16, MEM_FORMAT_U8, 0);
		assert_int_equal(pthread_create(&threads[i], NULL, work,
						&workers[i]), 0);
	}
	for (i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(threads[i], &failed), 0);
		assert_null(failed);
		assert_int_equal(workers[i].nr_wrong, 0);
		mem_image_destroy(workers[i].own);
	}
	assert_true(is_image(workers[0].shared, 5, 5));
	mem_image_destroy(workers[0].shared);
}

#define test(name)	cmocka_unit_test_teardown(name, nothing_found)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(copies_and_fills_are_right),
		test(conversions_are_right),
		test(scaled_images_are_right),
		test(averages_are_right),
		test(corners_are_right),
		test(jobs_of_a_stream_are_in_order),
		test(images_may_be_destroyed_at_once),
		test(a_lock_waits_for_every_stream),
		test(no_job_uses_a_locked_image),
		test(block_linear_pixels_are_copied_and_converted),
		test(block_linear_images_say_what_is_wrong),
		test(copies_and_fills_say_what_is_wrong),
		test(conversions_say_what_is_wrong),
		test(windows_say_what_is_wrong),
		test(an_array_is_copied_with_its_count),
		test(copies_of_arrays_say_what_is_wrong),
		test(harris_says_what_is_wrong),
		test(contexts_do_not_mix),
		test(threads_share_an_image),
	};

	return cmocka_run_group_tests(tests, open_watched, close_ctx);
}
