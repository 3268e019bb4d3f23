// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests wrappers with an internal copy while other work runs: which processor
 * copies, and that the copy exists until it has been used. LIBMEM_SOC chooses
 * the board; nothing may be reported. Prints TAP.
 */
#include "image.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>

static void wait_for_word(void *arg)
{
	const uint32_t *word = arg;

	while (!__atomic_load_n(word, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void k_wait_for_word(const struct mem_block *block, void *arg)
{
	(void)block;
	wait_for_word(*(uint32_t **)arg);
}

/* The CPU fills, and a GPU copies after the image was destroyed. */
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

/* Rows are copied for the compositor while a GPU may use managed memory. */
static void the_cpu_leaves_managed_memory_alone(void **state)
{
	struct mem_launch wait;
	struct mem_stream *stream = new_stream(), *other = new_stream();
	struct mem_image *image, *twin;
	struct mem_image_data data;
	void *ptr, *word;

	(void)state;
	if (!has_engine(MEM_ENGINE_VIC))
		goto out;
	assert_int_equal(mem_alloc(ctx, MEM_KIND_PINNED, 4, 0, &word), 0);
	assert_int_equal(mem_alloc(ctx, MEM_KIND_MANAGED, WIDTH * HEIGHT,
				   MEM_ATTACH_GLOBAL, &ptr), 0);
	memset(ptr, 9, WIDTH * HEIGHT);
	data = data_of(MEM_LOCK_DEVICE, ptr, WIDTH);
	data.format = MEM_FORMAT_Y8;
	assert_int_equal(mem_image_wrap(ctx, &data, use_of(MEM_ENGINE_VIC),
					&image), 0);
	assert_int_equal(info_of(image).copies, MEM_WRAP_ALIGN);
	twin = new_image(WIDTH, HEIGHT, MEM_FORMAT_Y8, 0);
	wait = launch_of(k_wait_for_word, &word, sizeof(word));
	assert_int_equal(mem_launch(other, &wait), 0);
	assert_int_equal(mem_image_copy(stream, MEM_ENGINE_VIC, twin, image),
			 0);
	assert_int_equal(mem_image_copy(stream, MEM_ENGINE_VIC, image, twin),
			 0);
	assert_int_equal(mem_stream_sync(stream), 0);
	assert_true(is_image(twin, 9, -1));
	assert_int_equal(info_of(image).nr_copies, 2);
	__atomic_store_n((uint32_t *)word, 1, __ATOMIC_RELEASE);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	mem_image_destroy(twin);
	mem_image_destroy(image);
	assert_int_equal(mem_free(ctx, ptr), 0);
	assert_int_equal(mem_free(ctx, word), 0);
out:
	assert_int_equal(mem_stream_destroy(stream), 0);
	assert_int_equal(mem_stream_destroy(other), 0);
}

/* The file is open for writing, but sealed against it. */
static void a_sealed_file_is_never_written(void **state)
{
	struct mem_image_data data = data_of(MEM_LOCK_FD, NULL, 64);
	const double value = 1;
	struct mem_image *image;

	(void)state;
	data.fd = memfd_create("sealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	assert_true(data.fd >= 0);
	assert_int_equal(ftruncate(data.fd, 8192), 0);
	assert_int_equal(fcntl(data.fd, F_ADD_SEALS,
			       F_SEAL_SHRINK | F_SEAL_WRITE), 0);
	assert_int_equal(mem_image_wrap(ctx, &data, GPU_AND_CPU, &image), 0);
	close(data.fd);
	assert_int_equal(mem_image_fill(mem_stream_legacy(ctx), MEM_ENGINE_CPU,
					image, &value, 1), -EACCES);
	assert_int_equal(mem_image_fill(mem_stream_legacy(ctx), MEM_ENGINE_GPU,
					image, &value, 1), -EACCES);
	assert_int_equal(mem_image_lock(image, MEM_WRITE, MEM_LOCK_HOST, &data),
			 -EACCES);
	assert_true(is_image(image, 0, 0));
	mem_image_destroy(image);
}

/* So large that checking it takes a while; its memory is never accessed. */
#define BIG		16384U
#define NR_LOCKS	1500

static atomic_bool is_enough;

static struct mem_image_data big_data(void)
{
	struct mem_image_data data = data_of(MEM_LOCK_HOST, NULL, BIG);

	data.width = BIG;
	data.height = BIG;
	data.planes[0].width = BIG;
	data.planes[0].height = BIG;
	data.planes[0].base = mmap(NULL, (size_t)BIG * BIG, PROT_READ |
				   PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS |
				   MAP_NORESERVE, -1, 0);
	return data;
}

/* Memory that is no longer wrapped is unmapped at once. */
static void *wrap_others(void *arg)
{
	struct mem_image *image = arg;
	struct mem_image_data data;
	void *old = NULL, *unused;
	int err = 0;

	while (!is_enough && (!err || err == -EBUSY)) {
		data = big_data();
		err = mem_image_rewrap(image, &data);
		unused = err ? data.planes[0].base : old;
		if (!err)
			old = data.planes[0].base;
		if (unused)
			munmap(unused, (size_t)BIG * BIG);
	}
	return old;
}

static void no_lock_looks_at_memory_of_before(void **state)
{
	struct mem_image_data data = big_data();
	void *first = data.planes[0].base, *last;
	struct mem_image *image;
	pthread_t thread;
	int i, err;

	(void)state;
	assert_int_equal(mem_image_wrap(ctx, &data, MEM_USE_CPU, &image), 0);
	is_enough = false;
	pthread_create(&thread, NULL, wrap_others, image);
	for (i = 0; i < NR_LOCKS; i++) {
		err = mem_image_lock(image, MEM_READ, MEM_LOCK_HOST, &data);
		if (err)
			assert_int_equal(err, -EBUSY);
		else
			unlock_image(image);
	}
	is_enough = true;
	pthread_join(thread, &last);
	mem_image_destroy(image);
	munmap(first, (size_t)BIG * BIG);
	if (last)
		munmap(last, (size_t)BIG * BIG);
}

#define test(name)	cmocka_unit_test_teardown(name, nothing_found)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(a_copy_back_goes_on_without_its_image),
		test(the_cpu_leaves_managed_memory_alone),
		test(a_sealed_file_is_never_written),
		test(no_lock_looks_at_memory_of_before),
	};

	return cmocka_run_group_tests(tests, open_watched, close_ctx);
}
