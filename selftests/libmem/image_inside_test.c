// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wrappers with a copy inside while other work goes on: who copies, and what
 * keeps the copy until it has been used. On the board that LIBMEM_SOC says;
 * nothing may be found. Prints TAP.
 */
#include "image.h"

#include <sched.h>

static void wait_for_word(void *arg)
{
	const uint32_t *word = arg;

	while (!__atomic_load_n(word, __ATOMIC_ACQUIRE))
		sched_yield();
}

static struct mem_stream *new_stream(void)
{
	struct mem_stream *stream;

	assert_int_equal(mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING, 0,
					   &stream), 0);
	return stream;
}

/* The CPU fills, a GPU copies to device memory: after the image has gone. */
static void a_copy_back_goes_on_without_its_image(void **state)
{
	const double value = 7;
	uint8_t back[64 * HEIGHT];
	struct mem_stream *stream = new_stream();
	struct mem_image *image;
	uint32_t word = 0;
	void *ptr;

	(void)state;
	assert_int_equal(mem_alloc(ctx, MEM_KIND_DEVICE, 64 * HEIGHT, 0, &ptr),
			 0);
	image = wrap(MEM_LOCK_DEVICE, ptr, 64, GPU_AND_CPU);
	assert_int_equal(info_of(image).copies, MEM_WRAP_NO_HOST);
	assert_int_equal(mem_stream_call(stream, wait_for_word, &word), 0);
	assert_int_equal(mem_image_fill(stream, MEM_ENGINE_CPU, image, &value,
					1), 0);
	mem_image_destroy(image);
	__atomic_store_n(&word, 1, __ATOMIC_RELEASE);
	assert_int_equal(mem_stream_sync(stream), 0);
	assert_int_equal(mem_copy(mem_stream_legacy(ctx), back, ptr,
				  sizeof(back), MEM_DIR_DEFAULT), 0);
	assert_int_equal(back[0], 7);
	assert_int_equal(back[64 * (HEIGHT - 1) + WIDTH - 1], 7);
	assert_int_equal(mem_stream_destroy(stream), 0);
	assert_int_equal(mem_free(ctx, ptr), 0);
}

#define test(name)	cmocka_unit_test_teardown(name, nothing_found)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(a_copy_back_goes_on_without_its_image),
	};

	return cmocka_run_group_tests(tests, open_watched, close_ctx);
}
