// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests wrappers of objects: the memory of an object as an image, whose format
 * is determined by the object's attributes. Also tests wrappers that are given
 * other memory of their kind, dma-bufs that are surfaces again, and planes
 * whose rows alternate.
 */
#include <fcntl.h>

#include "image.h"
#include "object.h"

#include <drm_fourcc.h>

static void an_object_is_wrapped_as_it_is(void **state)
{
	struct mem_image *image, *other;
	struct mem_image_data data, object;

	(void)state;
	image = new_image(33, 9, MEM_FORMAT_NV12_ER, 0);
	data = lock_image(image, MEM_READ, MEM_LOCK_OBJECT);
	object = (struct mem_image_data) {
		.size = sizeof(object),
		.as = MEM_LOCK_OBJECT,
		.object = data.object,
		.fd = -1,
	};
	assert_int_equal(mem_image_wrap(ctx, &object, 0, &other), 0);
	assert_int_equal(info_of(other).copies, MEM_WRAP_NO_COPY);
	assert_int_equal(info_of(other).format, MEM_FORMAT_NV12_ER);
	assert_int_equal(info_of(other).width, 33);
	assert_int_equal(info_of(other).height, 9);
	unlock_image(image);
	set_image(other, 9, 9);
	/* The wrapper holds a reference to the object. */
	assert_true(is_image(image, 9, 9));
	mem_image_destroy(image);
	assert_true(is_image(other, 9, 9));
	mem_image_destroy(other);
}

/* Describes a part of @whole, from (x, y), with the size in @data. */
static void part_at(const struct mem_image_data *whole, uint32_t x, uint32_t y,
		    struct mem_image_data *data)
{
	data->size = sizeof(*data);
	data->as = MEM_LOCK_OBJECT;
	data->format = whole->format;
	data->object = whole->object;
	data->fd = -1;
	data->nr_planes = 2;
	for (int i = 0; i < 2; i++) {
		data->planes[i] = whole->planes[i];
		data->planes[i].width = (data->width + i) / (i + 1);
		data->planes[i].height = (data->height + i) / (i + 1);
		data->planes[i].off += y / (i + 1) * whole->planes[i].pitch +
				       x / (i + 1) * (i + 1);
	}
}

/* Makes an image in which each byte differs from those near it. */
static struct mem_image *new_pattern(void)
{
	struct mem_image *image = new_image(64, 32, MEM_FORMAT_NV12_ER, 0);
	struct mem_image_data data = lock_image(image, MEM_WRITE,
						MEM_LOCK_HOST);

	for (int i = 0; i < 2; i++)
		for (uint32_t y = 0; y < data.planes[i].height; y++)
			for (uint32_t x = 0; x < 64; x++)
				((uint8_t *)data.planes[i].base)
					[y * data.planes[i].pitch + x] =
					x * 3 + y * 7 + i;
	unlock_image(image);
	return image;
}

static void a_part_of_an_object_is_wrapped(void **state)
{
	struct mem_image_data whole, data = { .width = 16, .height = 8 };
	struct mem_image *image, *part;
	const uint8_t *row;

	(void)state;
	image = new_pattern();
	whole = lock_image(image, MEM_READ, MEM_LOCK_OBJECT);
	part_at(&whole, 24, 10, &data);
	assert_int_equal(mem_image_wrap(ctx, &data, 0, &part), 0);
	assert_int_equal(info_of(part).width, 16);
	assert_int_equal(info_of(part).height, 8);
	unlock_image(image);
	data = lock_image(part, MEM_RW, MEM_LOCK_HOST);
	whole = lock_image(image, MEM_READ, MEM_LOCK_HOST);
	for (int i = 0; i < 2; i++)
		for (uint32_t y = 0; y < data.planes[i].height; y++) {
			row = whole.planes[i].base;
			row += (y + 10 / (i + 1)) * whole.planes[i].pitch + 24;
			assert_memory_equal((uint8_t *)data.planes[i].base +
					    y * data.planes[i].pitch, row, 16);
		}
	unlock_image(image);
	unlock_image(part);
	mem_image_destroy(image);
	mem_image_destroy(part);
}

static void a_part_has_the_format_of_the_whole(void **state)
{
	struct mem_image_data whole, data = { .width = 16, .height = 8 };
	struct mem_image *image, *part;

	(void)state;
	image = new_image(64, 32, MEM_FORMAT_NV12_ER, 0);
	whole = lock_image(image, MEM_READ, MEM_LOCK_OBJECT);
	part_at(&whole, 24, 10, &data);
	data.format = MEM_FORMAT_INVALID;
	assert_int_equal(mem_image_wrap(ctx, &data, 0, &part), 0);
	assert_int_equal(info_of(part).format, MEM_FORMAT_NV12_ER);
	assert_int_equal(info_of(part).width, 16);
	unlock_image(image);
	mem_image_destroy(part);
	mem_image_destroy(image);
}

static void a_part_moves_and_is_written_by_engines(void **state)
{
	const double value[] = { 200, 90, 30 };
	struct mem_image_data whole, data = { .width = 16, .height = 8 };
	struct mem_image *image, *part;
	struct mem_stream *stream;
	uint8_t *luma;

	(void)state;
	image = new_pattern();
	whole = lock_image(image, MEM_READ, MEM_LOCK_OBJECT);
	part_at(&whole, 0, 0, &data);
	assert_int_equal(mem_image_wrap(ctx, &data, use_of(MEM_ENGINE_GPU),
					&part), 0);
	part_at(&whole, 48, 24, &data);
	assert_int_equal(mem_image_rewrap(part, &data), 0);
	unlock_image(image);
	assert_int_equal(mem_stream_create(ctx, 0, 0, &stream), 0);
	assert_int_equal(mem_image_fill(stream, MEM_ENGINE_GPU, part, value, 3),
			 0);
	assert_int_equal(mem_stream_sync(stream), 0);
	whole = lock_image(image, MEM_READ, MEM_LOCK_HOST);
	luma = whole.planes[0].base;
	assert_int_equal(luma[24 * whole.planes[0].pitch + 48], 200);
	assert_int_equal(luma[31 * whole.planes[0].pitch + 63], 200);
	luma = whole.planes[1].base;
	assert_int_equal(luma[12 * whole.planes[1].pitch + 48], 90);
	assert_int_equal(luma[12 * whole.planes[1].pitch + 49], 30);
	unlock_image(image);
	mem_stream_destroy(stream);
	mem_image_destroy(part);
	mem_image_destroy(image);
}

static void what_is_no_part_is_refused(void **state)
{
	struct mem_image_data whole, data = { .width = 16, .height = 8 };
	struct mem_image *image;
	void *other = UNTOUCHED;

	(void)state;
	image = new_image(64, 32, MEM_FORMAT_NV12_ER, 0);
	whole = lock_image(image, MEM_READ, MEM_LOCK_OBJECT);
#define WRAP()	mem_image_wrap(ctx, &data, 0, (struct mem_image **)&other)
	part_at(&whole, 50, 0, &data);
	assert_int_equal(WRAP(), -EINVAL);
	part_at(&whole, 0, 26, &data);
	assert_int_equal(WRAP(), -EINVAL);
	part_at(&whole, 0, 0, &data);
	data.planes[0].pitch *= 2;
	assert_int_equal(WRAP(), -EINVAL);
	part_at(&whole, 0, 0, &data);
	data.planes[1].off++;
	assert_int_equal(WRAP(), -EINVAL);
	part_at(&whole, 0, 0, &data);
	data.planes[1].off -= 2;
	assert_int_equal(WRAP(), -EINVAL);
	part_at(&whole, 0, 0, &data);
	data.nr_planes = 1;
	assert_int_equal(WRAP(), -EINVAL);
#undef WRAP
	assert_ptr_equal(other, UNTOUCHED);
	unlock_image(image);
	mem_image_destroy(image);
}

static void wrong_objects_are_refused(void **state)
{
	struct mem_image_data data, object = { .size = sizeof(object) };
	struct mem_image *image;
	void *other = UNTOUCHED;

	(void)state;
	image = new_image(32, 16, MEM_FORMAT_NV12, 0);
	data = lock_image(image, MEM_READ, MEM_LOCK_OBJECT);
	object.as = MEM_LOCK_OBJECT;
#define WRAP()	mem_image_wrap(ctx, &object, 0, (struct mem_image **)&other)
	assert_int_equal(WRAP(), -EINVAL);
	object.object = data.object;
	object.format = MEM_FORMAT_NV12_ER;
	assert_int_equal(WRAP(), -EINVAL);
	object.format = MEM_FORMAT_U8;
	assert_int_equal(WRAP(), -EINVAL);
	object.format = MEM_FORMAT_NV12;
	object.width = 31;
	assert_int_equal(WRAP(), -EINVAL);
#undef WRAP
	assert_ptr_equal(other, UNTOUCHED);
	unlock_image(image);
	mem_image_destroy(image);
}

/* Returns the format of an object's image, or the error, for @format. */
static int format_of(struct mem_object *object, unsigned int format)
{
	const struct mem_image_data data = {
		.size = sizeof(data),
		.as = MEM_LOCK_OBJECT,
		.format = format,
		.object = object,
		.fd = -1,
	};
	struct mem_image *image;
	int err = mem_image_wrap(ctx, &data, 0, &image);

	if (err)
		return err;
	err = (int)info_of(image).format;
	mem_image_destroy(image);
	return err;
}

/* Makes an object with one plane, or with luma and chroma. */
static struct mem_object *object_of_scan(uint32_t fourcc, uint32_t std,
					 bool has_chroma, uint32_t scan)
{
	const uint32_t nr = has_chroma ? 2 : 1;
	const struct mem_attr attrs[] = {
		ATTR(TYPES, uint32_t, MEM_ATTR_TYPE_IMAGE),
		ATTR(NEED_CPU_ACCESS, uint8_t, 1),
		ATTR(REQUIRED_PERM, uint32_t, MEM_RW),
		ATTR(IMAGE_LAYOUT, uint32_t, MEM_LAYOUT_PITCH_LINEAR),
		ATTR(IMAGE_SCAN, uint32_t, scan),
		ATTR(IMAGE_PLANE_COUNT, uint32_t, nr),
		{ MEM_ATTR_IMAGE_PLANE_FORMAT, 0,
		  ((const uint32_t[]) { fourcc, DRM_FORMAT_GR88 }), 4 * nr },
		{ MEM_ATTR_IMAGE_PLANE_STD, 0,
		  ((const uint32_t[]) { std, std }), 4 * nr },
		{ MEM_ATTR_IMAGE_PLANE_WIDTH, 0,
		  ((const uint32_t[]) { 64, 32 }), 4 * nr },
		{ MEM_ATTR_IMAGE_PLANE_HEIGHT, 0,
		  ((const uint32_t[]) { 32, 16 }), 4 * nr },
	};

	return object_of(list_of(attrs, NR(attrs)));
}

static struct mem_object *object_of_std(uint32_t fourcc, uint32_t std,
					bool has_chroma)
{
	return object_of_scan(fourcc, std, has_chroma, MEM_SCAN_PROGRESSIVE);
}

/* Interlaced rows are not where an image of the same planes has them. */
static void rows_that_interlace_are_no_image(void **state)
{
	struct mem_object *object = object_of_scan(DRM_FORMAT_R8,
						   MEM_COLOR_STD_REC601_ER,
						   false, MEM_SCAN_INTERLACE);

	(void)state;
	assert_int_equal(format_of(object, 0), -EOPNOTSUPP);
	assert_int_equal(format_of(object, MEM_FORMAT_Y8_ER), -EOPNOTSUPP);
	mem_object_put(object);
}

/* The standard of colours is ignored, but the range of values must match. */
static void standards_of_colours_are_distinguished(void **state)
{
	static const struct {
		uint32_t fourcc, std;
		bool has_chroma;
		int found;
		unsigned int named;
	} cases[] = {
		{ DRM_FORMAT_R8, MEM_COLOR_STD_REC601_ER, false,
		  MEM_FORMAT_Y8_ER, MEM_FORMAT_U8 },
		{ DRM_FORMAT_R8, MEM_COLOR_STD_REC709_ER, false,
		  MEM_FORMAT_Y8_ER, MEM_FORMAT_Y8_ER },
		{ DRM_FORMAT_R8, MEM_COLOR_STD_REC2020_SR, false,
		  MEM_FORMAT_Y8, MEM_FORMAT_U8 },
		{ DRM_FORMAT_R8, MEM_COLOR_STD_RAW, false,
		  -EOPNOTSUPP, MEM_FORMAT_U8 },
		{ DRM_FORMAT_ABGR8888, MEM_COLOR_STD_REC709_ER, false,
		  MEM_FORMAT_RGBA8, MEM_FORMAT_RGBA8 },
		{ DRM_FORMAT_R8, MEM_COLOR_STD_REC601_SR, true,
		  MEM_FORMAT_NV12, MEM_FORMAT_NV12 },
		{ DRM_FORMAT_R8, MEM_COLOR_STD_REC709_ER, true,
		  -EOPNOTSUPP, MEM_FORMAT_NV12_ER },
	};
	struct mem_object *object;
	size_t i;

	(void)state;
	for (i = 0; i < NR(cases); i++) {
		object = object_of_std(cases[i].fourcc, cases[i].std,
				       cases[i].has_chroma);
		assert_int_equal(format_of(object, 0), cases[i].found);
		assert_int_equal(format_of(object, cases[i].named),
				 cases[i].named);
		assert_int_equal(format_of(object, MEM_FORMAT_RGB8), -EINVAL);
		mem_object_put(object);
	}
	object = object_of_std(DRM_FORMAT_R8, MEM_COLOR_STD_REC709_SR, true);
	assert_int_equal(format_of(object, MEM_FORMAT_NV12_ER), -EINVAL);
	mem_object_put(object);
	object = raw_object();
	assert_int_equal(format_of(object, 0), -EINVAL);
	mem_object_put(object);
}

static void a_wrapper_may_have_any_standard(void **state)
{
	struct mem_object *object = object_of_std(DRM_FORMAT_R8,
						  MEM_COLOR_STD_REC709_SR,
						  true);
	struct mem_image_data data = {
		.size = sizeof(data), .as = MEM_LOCK_OBJECT, .fd = -1,
		.object = object, .format = MEM_FORMAT_NV12_ER,
	};
	struct mem_image_info info = { .size = sizeof(info) };
	struct mem_image *image;

	(void)state;
	assert_int_equal(mem_image_wrap(ctx, &data, 0, &image), -EINVAL);
	data.flags = MEM_IMAGE_ANY_STD << 1;
	assert_int_equal(mem_image_wrap(ctx, &data, 0, &image), -EINVAL);
	data.flags = MEM_IMAGE_ANY_STD;
	assert_int_equal(mem_image_wrap(ctx, &data, 0, &image), 0);
	assert_int_equal(mem_image_rewrap(image, &data), 0);
	mem_image_destroy(image);
	data.format = MEM_FORMAT_Y8;
	assert_int_equal(mem_image_wrap(ctx, &data, 0, &image), -EINVAL);
	data.format = MEM_FORMAT_INVALID;
	assert_int_equal(mem_image_wrap(ctx, &data, 0, &image), 0);
	assert_int_equal(mem_image_info(image, &info), 0);
	assert_int_equal(info.format, MEM_FORMAT_NV12);
	mem_image_destroy(image);
	mem_object_put(object);
}

static void an_object_to_read_is_never_written(void **state)
{
	struct mem_object *object;
	struct mem_image_data data, lock = { .size = sizeof(lock) };
	struct mem_image *image, *to_read;

	(void)state;
	image = new_image(WIDTH, HEIGHT, MEM_FORMAT_U8, 0);
	set_image(image, 7, 7);
	data = lock_image(image, MEM_READ, MEM_LOCK_OBJECT);
	assert_int_equal(mem_object_restrict(data.object, MEM_READ, &object),
			 0);
	unlock_image(image);
	data.object = object;
	assert_int_equal(mem_image_wrap(ctx, &data, GPU_AND_CPU, &to_read), 0);
	mem_object_put(object);
	assert_true(is_image(to_read, 7, 7));
	assert_int_equal(mem_image_lock(to_read, MEM_RW, MEM_LOCK_HOST, &lock),
			 -EACCES);
	assert_int_equal(mem_image_copy(mem_stream_legacy(ctx), MEM_ENGINE_GPU,
					to_read, image), -EACCES);
	set_image(image, 0, 0);
	assert_int_equal(mem_image_copy(mem_stream_legacy(ctx), MEM_ENGINE_GPU,
					image, to_read), 0);
	assert_true(is_image(image, 0, 0));
	mem_image_destroy(to_read);
	mem_image_destroy(image);
}

/* The first memory must stay as it is when a job writes the second. */
static void goes_from_one_to_the_other(const struct mem_image_data *two)
{
	struct mem_image *image, *others[2];
	int i;

	for (i = 0; i < 2; i++) {
		assert_int_equal(mem_image_wrap(ctx, &two[i], GPU_AND_CPU,
						&others[i]), 0);
		set_image(others[i], i, 0);
	}
	assert_int_equal(mem_image_wrap(ctx, &two[0], GPU_AND_CPU, &image), 0);
	fill_by(MEM_ENGINE_GPU, image, 5);
	assert_int_equal(mem_image_rewrap(image, &two[1]), 0);
	assert_true(is_image(image, 1, -1));
	fill_by(MEM_ENGINE_GPU, image, 6);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	mem_image_destroy(image);
	for (i = 0; i < 2; i++) {
		assert_true(is_image(others[i], 5 + i, -1));
		mem_image_destroy(others[i]);
	}
}

static void a_wrapper_gets_other_memory_of_its_kind(void **state)
{
	struct mem_image_data two[2];
	struct mem_image *images[2];
	struct mem_buf *bufs[2];
	void *ptrs[2];
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		assert_int_equal(mem_alloc(ctx, MEM_KIND_DEVICE, 256 * HEIGHT,
					   0, &ptrs[i]), 0);
		two[i] = data_of(MEM_LOCK_DEVICE, ptrs[i], 256);
	}
	goes_from_one_to_the_other(two);
	for (i = 0; i < 2; i++) {
		assert_int_equal(mem_free(ctx, ptrs[i]), 0);
		bufs[i] = new_buf(MEM_KIND_COHERENT);
		two[i] = data_of(MEM_LOCK_FD, NULL, 256);
		assert_int_equal(mem_buf_export(bufs[i], &two[i].fd), 0);
	}
	goes_from_one_to_the_other(two);
	for (i = 0; i < 2; i++) {
		close(two[i].fd);
		mem_buf_destroy(bufs[i]);
		images[i] = new_image(WIDTH, HEIGHT, MEM_FORMAT_U8, 0);
		two[i] = lock_image(images[i], MEM_READ, MEM_LOCK_OBJECT);
		unlock_image(images[i]);
	}
	goes_from_one_to_the_other(two);
	for (i = 0; i < 2; i++)
		mem_image_destroy(images[i]);
}

/* Its descriptor is not copied, and has the permission of the wrapped one. */
static void a_wrapped_dma_buf_is_a_surface_again(void **state)
{
	const size_t nr_fds = nr_of_process("fd");
	struct mem_buf *buf = new_buf(MEM_KIND_COHERENT);
	struct mem_image_data data, surface = { .size = sizeof(surface) };
	struct mem_image *image, *other;

	(void)state;
	data = data_of(MEM_LOCK_FD, NULL, 256);
	data.planes[0].off = 512;
	assert_int_equal(mem_buf_export(buf, &data.fd), 0);
	assert_int_equal(mem_image_wrap(ctx, &data, 0, &image), 0);
	close(data.fd);
	if (strcmp(board_of().name, "thor")) {
		assert_int_equal(mem_image_lock(image, MEM_READ, MEM_LOCK_FD,
						&surface), -EOPNOTSUPP);
		goto out;
	}
	surface = lock_image(image, MEM_RW, MEM_LOCK_FD);
	assert_int_equal(surface.planes[0].off, 512);
	assert_int_equal(mem_image_wrap(ctx, &surface, 0, &other), 0);
	set_image(other, 7, 1);
	mem_image_destroy(other);
	unlock_image(image);
	assert_true(is_image(image, 7, 1));
	assert_int_equal(info_of(image).copies, MEM_WRAP_NO_COPY);
	assert_int_equal(mem_image_lock(image, MEM_READ, MEM_LOCK_OBJECT,
					&surface), -EOPNOTSUPP);
	mem_image_destroy(image);

	assert_int_equal(mem_buf_export_as(buf, MEM_READ, &data.fd), 0);
	assert_int_equal(mem_image_wrap(ctx, &data, 0, &image), 0);
	close(data.fd);
	surface = lock_image(image, MEM_READ, MEM_LOCK_FD);
	assert_int_equal(fcntl(surface.fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	unlock_image(image);
out:
	mem_image_destroy(image);
	mem_buf_destroy(buf);
	assert_int_equal(nr_of_process("fd"), nr_fds);
}

/* NV12 of 32 x 16 pixels whose chroma begins at byte @chroma of @base. */
static struct mem_image_data alternating(uint8_t *base, size_t chroma)
{
	return (struct mem_image_data) {
		.size = sizeof(struct mem_image_data),
		.as = MEM_LOCK_HOST,
		.format = MEM_FORMAT_NV12_ER,
		.width = 32,
		.height = 16,
		.nr_planes = 2,
		.planes = {
			{ 32, 16, 1, 64, 0, base },
			{ 16, 8, 2, 64, 0, base + chroma },
		},
		.fd = -1,
	};
}

static size_t nr_with(const uint8_t *bytes, size_t len, uint8_t value)
{
	size_t nr = 0;

	while (len--)
		nr += bytes[len] == value;
	return nr;
}

static void rows_of_planes_may_alternate(void **state)
{
	static const double colour[] = { 2, 3, 3 };
	static const size_t rights[] = { 32, 64 * 4 + 32, 15 * 64 + 32 };
	static const size_t wrongs[] = { 0, 31, 33, 64 * 4 + 31, 64 * 15 + 1 };
	struct mem_image_data data;
	struct mem_image *image;
	uint8_t *bytes;
	void *ptr;
	size_t i;

	(void)state;
	assert_int_equal(mem_alloc(ctx, MEM_KIND_MANAGED, 64 * 32,
				   MEM_ATTACH_GLOBAL, &ptr), 0);
	bytes = ptr;
	for (i = 0; i < NR(wrongs); i++) {
		data = alternating(bytes, wrongs[i]);
		assert_int_equal(mem_image_wrap(ctx, &data, 0, &image),
				 -EINVAL);
	}
	data = alternating(bytes, 32);
	data.planes[1].pitch = 128;
	assert_int_equal(mem_image_wrap(ctx, &data, 0, &image), -EINVAL);
	for (i = 0; i < NR(rights); i++) {
		data = alternating(bytes, rights[i]);
		memset(bytes, 1, 64 * 32);
		assert_int_equal(mem_image_wrap(ctx, &data, GPU_AND_CPU,
						&image), 0);
		assert_int_equal(info_of(image).copies, MEM_WRAP_NO_COPY);
		assert_int_equal(mem_image_fill(mem_stream_legacy(ctx),
						MEM_ENGINE_GPU, image, colour,
						NR(colour)), 0);
		(void)lock_image(image, MEM_READ, MEM_LOCK_HOST);
		assert_int_equal(nr_with(bytes, 64 * 32, 2), 32 * 16);
		assert_int_equal(nr_with(bytes, 64 * 32, 3), 32 * 8);
		assert_int_equal(bytes[0], 2);
		assert_int_equal(bytes[rights[i]], 3);
		unlock_image(image);
		mem_image_destroy(image);
	}
	assert_int_equal(mem_free(ctx, ptr), 0);
}

#define test(name)	cmocka_unit_test_teardown(name, nothing_found)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(an_object_is_wrapped_as_it_is),
		test(a_part_of_an_object_is_wrapped),
		test(a_part_has_the_format_of_the_whole),
		test(a_part_moves_and_is_written_by_engines),
		test(what_is_no_part_is_refused),
		test(wrong_objects_are_refused),
		test(rows_that_interlace_are_no_image),
		test(standards_of_colours_are_distinguished),
		test(a_wrapper_may_have_any_standard),
		test(an_object_to_read_is_never_written),
		test(a_wrapper_gets_other_memory_of_its_kind),
		test(a_wrapped_dma_buf_is_a_surface_again),
		test(rows_of_planes_may_alternate),
	};

	return cmocka_run_group_tests(tests, open_watched, close_ctx);
}
