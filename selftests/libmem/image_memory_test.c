// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests images and jobs without memory: each allocation in a call of the
 * library fails in turn. The call must return -ENOMEM and leave nothing behind,
 * and then succeed. Also tests jobs whose brackets fail. Prints TAP.
 */
#include "image.h"
#include "allocations.h"

#include "../../libmem/internal.h"

static uint8_t bytes[64 * HEIGHT], other_bytes[64 * HEIGHT];
static struct mem_image *image, *wrapper;
static struct mem_array *points, *scores;

static int try_create(void)
{
	struct mem_image *new = UNTOUCHED;
	int err;

	err = mem_image_create(ctx, WIDTH, HEIGHT, MEM_FORMAT_NV12, 0, &new);
	if (err)
		assert_ptr_equal(new, UNTOUCHED);
	else
		mem_image_destroy(new);
	return err;
}

static int try_array(void)
{
	struct mem_array *new = UNTOUCHED;
	int err;

	err = mem_array_create(ctx, 10, MEM_DATA_U32, 0, &new);
	if (err)
		assert_ptr_equal(new, UNTOUCHED);
	else
		mem_array_destroy(new);
	return err;
}

static int try_wrap(void)
{
	const struct mem_image_data data = data_of(MEM_LOCK_HOST, bytes, 64);
	struct mem_image *new = UNTOUCHED;
	int err;

	err = mem_image_wrap(ctx, &data, 0, &new);
	if (err)
		assert_ptr_equal(new, UNTOUCHED);
	else
		mem_image_destroy(new);
	return err;
}

static int try_rewrap(void)
{
	const struct mem_image_data data = data_of(MEM_LOCK_HOST,
						   other_bytes, 64);

	return mem_image_rewrap(wrapper, &data);
}

static int try_lock(void)
{
	struct mem_image_data data = { .size = sizeof(data) };
	int err;

	err = mem_image_lock(image, MEM_RW, MEM_LOCK_HOST, &data);
	return err ? err : mem_image_unlock(image);
}

static int try_fill(void)
{
	const double value = 3;

	return mem_image_fill(mem_stream_legacy(ctx), MEM_ENGINE_GPU, image,
			      &value, 1);
}

static int try_fill_by_cpu(void)
{
	const double value = 4;

	return mem_image_fill(mem_stream_legacy(ctx), MEM_ENGINE_CPU, image,
			      &value, 1);
}

/* Jobs with a wrapper: copy in, work, copy out. */
static int try_copy_out(void)
{
	return mem_image_copy(mem_stream_legacy(ctx), MEM_ENGINE_GPU, wrapper,
			      image);
}

static int try_copy_in(void)
{
	return mem_image_copy(mem_stream_legacy(ctx), MEM_ENGINE_GPU, image,
			      wrapper);
}

static int try_harris(unsigned int engine)
{
	const struct mem_harris how = {
		.size = sizeof(how), .gradient_len = 3, .block_len = 3,
		.strength = 1, .sensitivity = 0.05f, .min_distance = 4,
	};

	return mem_image_harris(mem_stream_legacy(ctx), engine, image, points,
				scores, &how);
}

static int try_harris_by_gpu(void)
{
	return try_harris(MEM_ENGINE_GPU);
}

static int try_harris_by_cpu(void)
{
	return try_harris(MEM_ENGINE_CPU);
}

/* Returns how often it failed before it succeeded. */
static int try_all(int (*call)(void))
{
	size_t nr_fds;
	int i, err;

	/* Threads and engines that the first call starts stay. */
	assert_int_equal(call(), 0);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	nr_fds = nr_of_process("fd");
	for (i = 0; i < 200; i++) {
		nr_allocations = i;
		err = call();
		nr_allocations = -1;
		assert_int_equal(mem_ctx_sync(ctx), 0);
		assert_int_equal(nr_of_process("fd"), nr_fds);
		if (!err)
			return i;
		assert_int_equal(err, -ENOMEM);
	}
	fail_msg("it never succeeded");
	return 0;
}

static void nothing_is_made_without_memory(void **state)
{
	(void)state;
	assert_true(try_all(try_create) > 4);
	assert_true(try_all(try_array) > 4);
	assert_true(try_all(try_wrap) > 1);
	try_all(try_rewrap);
}

static void nothing_is_locked_without_memory(void **state)
{
	struct mem_image_info info = { .size = sizeof(info) };

	(void)state;
	assert_true(try_all(try_lock) >= 1);
	assert_int_equal(mem_image_info(image, &info), 0);
	assert_int_equal(info.nr_locks, 0);
}

static void no_job_is_lost_without_memory(void **state)
{
	struct mem_image_data data = { .size = sizeof(data) };

	(void)state;
	assert_true(try_all(try_fill) > 2);
	assert_true(try_all(try_fill_by_cpu) > 2);
	assert_true(try_all(try_copy_out) > 2);
	assert_true(try_all(try_copy_in) > 2);
	assert_true(try_all(try_harris_by_gpu) > 4);
	assert_true(try_all(try_harris_by_cpu) > 2);
	/* The lock waits for all jobs, and the last one has succeeded. */
	assert_int_equal(mem_image_lock(image, MEM_READ, MEM_LOCK_HOST, &data),
			 0);
	assert_int_equal(byte_at(data.planes[0].base), 4);
	assert_int_equal(mem_image_unlock(image), 0);
}

static int make_images(void **state)
{
	const struct mem_image_data data = data_of(MEM_LOCK_HOST,
						   other_bytes, 64);

	if (open_watched(state))
		return 1;
	return mem_image_create(ctx, WIDTH, HEIGHT, MEM_FORMAT_U8, 0, &image) ||
	       mem_image_wrap(ctx, &data, GPU_AND_CPU, &wrapper) ||
	       mem_array_create(ctx, 8, MEM_DATA_KEYPOINT, 0, &points) ||
	       mem_array_create(ctx, 8, MEM_DATA_F32, 0, &scores);
}

static int destroy_images(void **state)
{
	mem_image_destroy(image);
	mem_image_destroy(wrapper);
	mem_array_destroy(points);
	mem_array_destroy(scores);
	return nothing_found(state) | close_ctx(state);
}

static int begin_late(struct mem_buf *buf, unsigned int access)
{
	(void)buf;
	(void)access;
	return -ETIMEDOUT;
}

/* A bracket fails in a job of the CPU, and in the copy for an engine. */
static void a_bracket_that_fails_is_reported_by_a_wait(void **state)
{
	const struct backend *backend = ctx->backend;
	struct mem_stream *stream = mem_stream_legacy(ctx);
	struct backend late = *backend;
	const double value = 9;

	(void)state;
	late.begin = begin_late;
	set_image(image, 4, 4);
	memset(bytes, 4, sizeof(bytes));
	ctx->backend = &late;
	assert_int_equal(mem_image_fill(stream, MEM_ENGINE_CPU, image, &value,
					1), 0);
	assert_int_equal(mem_ctx_sync(ctx), -ETIMEDOUT);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	/* On boards before thor the wrapper has an internal copy. */
	if (info_of(wrapper).copies) {
		assert_int_equal(mem_image_fill(stream, MEM_ENGINE_GPU, wrapper,
						&value, 1), 0);
		assert_int_equal(mem_ctx_sync(ctx), -ETIMEDOUT);
		assert_int_equal(bytes[0], 4);
	}
	ctx->backend = backend;
	assert_int_equal(mem_ctx_sync(ctx), 0);
	assert_true(is_image(image, 4, 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_made_without_memory),
		cmocka_unit_test(nothing_is_locked_without_memory),
		cmocka_unit_test(no_job_is_lost_without_memory),
		cmocka_unit_test(a_bracket_that_fails_is_reported_by_a_wait),
	};

	return cmocka_run_group_tests(tests, make_images, destroy_images);
}
