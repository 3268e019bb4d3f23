// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests images and arrays: creation, locks, coherency, errors, leftovers.
 * LIBMEM_SOC chooses the board; nothing may be reported. Prints TAP.
 */
#include "image.h"

#include <pthread.h>

/* Creation */

static void an_image_is_zeroed_and_says_what_it_is(void **state)
{
	struct mem_image_info info;
	struct mem_image *image;
	uint32_t format;

	(void)state;
	for (format = 1; format <= MEM_FORMAT_YUV420_ER_BL; format++) {
		if (format_info(format).layout == MEM_LAYOUT_BLOCK_LINEAR)
			continue;
		image = new_image(33, 17, format, 0);
		assert_true(is_image(image, 0, -1));
		info = info_of(image);
		assert_int_equal(info.format, format);
		assert_int_equal(info.width, 33);
		assert_int_equal(info.height, 17);
		assert_true(info.uses & MEM_USE_CPU);
		assert_true(info.uses & 1);
		assert_int_equal(info.is_wrapper, 0);
		assert_int_equal(info.copies, MEM_WRAP_NO_COPY);
		assert_int_equal(info.nr_locks, 0);
		assert_true(strlen(info.name) > 0);
		mem_image_destroy(image);
	}
}

static void odd_sides_have_whole_chroma(void **state)
{
	struct mem_image_data data;
	struct mem_image *image;

	(void)state;
	image = new_image(7, 5, MEM_FORMAT_NV12_ER, 0);
	data = lock_image(image, MEM_READ, MEM_LOCK_HOST);
	assert_int_equal(data.nr_planes, 2);
	assert_int_equal(data.planes[0].width, 7);
	assert_int_equal(data.planes[1].width, 4);
	assert_int_equal(data.planes[1].height, 3);
	assert_int_equal(data.planes[1].pixel_len, 2);
	assert_true(data.planes[0].pitch >= 7);
	assert_true(data.planes[1].off >=
		    data.planes[0].off + 5 * data.planes[0].pitch);
	unlock_image(image);
	mem_image_destroy(image);
}

static void creation_says_what_is_wrong(void **state)
{
	void *image = UNTOUCHED, *array = UNTOUCHED;

#define IMAGE(w, h, format, uses) \
	mem_image_create(ctx, w, h, format, uses, (struct mem_image **)&image)
#define ARRAY(capacity, type, uses) \
	mem_array_create(ctx, capacity, type, uses, (struct mem_array **)&array)
	(void)state;
	assert_int_equal(mem_image_create(NULL, 1, 1, MEM_FORMAT_U8, 0,
					  (struct mem_image **)&image),
			 -EINVAL);
	assert_int_equal(mem_image_create(ctx, 1, 1, MEM_FORMAT_U8, 0, NULL),
			 -EINVAL);
	assert_int_equal(IMAGE(0, 1, MEM_FORMAT_U8, 0), -EINVAL);
	assert_int_equal(IMAGE(1, 0, MEM_FORMAT_U8, 0), -EINVAL);
	assert_int_equal(IMAGE(MEM_IMAGE_MAX + 1, 1, MEM_FORMAT_U8, 0),
			 -EINVAL);
	assert_int_equal(IMAGE(1, MEM_IMAGE_MAX + 1, MEM_FORMAT_U8, 0),
			 -EINVAL);
	assert_int_equal(IMAGE(1, 1, MEM_FORMAT_INVALID, 0), -EINVAL);
	assert_int_equal(IMAGE(1, 1, MEM_FORMAT_YUV420_ER_BL + 1, 0), -EINVAL);
	assert_int_equal(IMAGE(1, 1, MEM_FORMAT_U8, 1ULL << 20), -EINVAL);
	if (!has_engine(MEM_ENGINE_DGPU))
		assert_int_equal(IMAGE(1, 1, MEM_FORMAT_U8,
				       1ULL << MEM_ENGINE_DGPU), -EOPNOTSUPP);
	assert_int_equal(mem_array_create(NULL, 1, MEM_DATA_U8, 0,
					  (struct mem_array **)&array),
			 -EINVAL);
	assert_int_equal(mem_array_create(ctx, 1, MEM_DATA_U8, 0, NULL),
			 -EINVAL);
	assert_int_equal(ARRAY(0, MEM_DATA_U8, 0), -EINVAL);
	assert_int_equal(ARRAY(1ULL << 40, MEM_DATA_U8, 0), -EINVAL);
	assert_int_equal(ARRAY(1, MEM_DATA_KEYPOINT + 1, 0), -EINVAL);
	assert_int_equal(ARRAY(1, MEM_DATA_U8, 1ULL << 20), -EINVAL);
#undef IMAGE
#undef ARRAY
	assert_ptr_equal(image, UNTOUCHED);
	assert_ptr_equal(array, UNTOUCHED);
	mem_image_destroy(NULL);
	mem_array_destroy(NULL);
}

static void names_are_kept(void **state)
{
	struct mem_image *image = new_image(4, 4, MEM_FORMAT_U8, 0);
	struct mem_array *array = new_array(4, MEM_DATA_U8, 0);
	char name[MEM_NAME_LEN + 1];

	(void)state;
	memset(name, 'x', MEM_NAME_LEN);
	name[MEM_NAME_LEN] = '\0';
	assert_int_equal(mem_image_set_name(image, "left"), 0);
	assert_int_equal(mem_image_set_name(image, name), -EINVAL);
	assert_int_equal(mem_image_set_name(image, NULL), -EINVAL);
	assert_int_equal(mem_image_set_name(NULL, "left"), -EINVAL);
	assert_string_equal(info_of(image).name, "left");
	assert_int_equal(mem_array_set_name(array, "points"), 0);
	assert_int_equal(mem_array_set_name(array, name), -EINVAL);
	assert_int_equal(mem_array_set_name(NULL, "points"), -EINVAL);
	mem_image_destroy(image);
	mem_array_destroy(array);
}

static void info_has_the_callers_size(void **state)
{
	struct mem_image *image = new_image(4, 4, MEM_FORMAT_U8, 0);
	struct mem_image_info info = { .size = sizeof(info) };

	(void)state;
	assert_int_equal(mem_image_info(NULL, &info), -EINVAL);
	assert_int_equal(mem_image_info(image, NULL), -EINVAL);
	info.size = 8;
	assert_int_equal(mem_image_info(image, &info), -EINVAL);
	mem_image_destroy(image);
}

/* Locks */

static void locks_of_readers_are_counted(void **state)
{
	struct mem_image_data data = { .size = sizeof(data) };
	struct mem_image *image = new_image(8, 8, MEM_FORMAT_U8, 0);

#define LOCK(access, as)	mem_image_lock(image, access, as, &data)
	(void)state;
	assert_int_equal(mem_image_unlock(image), -ENOLCK);
	assert_int_equal(LOCK(MEM_READ, MEM_LOCK_HOST), 0);
	assert_int_equal(LOCK(MEM_READ, MEM_LOCK_DEVICE), 0);
	assert_int_equal(LOCK(MEM_READ, MEM_LOCK_OBJECT), 0);
	assert_non_null(data.object);
	assert_null(data.planes[0].base);
	assert_int_equal(LOCK(MEM_READ, MEM_LOCK_HOST), 0);
	assert_int_equal(info_of(image).nr_locks, 4);
	assert_int_equal(info_of(image).lock_access, MEM_READ);
	assert_int_equal(LOCK(MEM_WRITE, MEM_LOCK_HOST), -EBUSY);
	assert_int_equal(LOCK(MEM_RW, MEM_LOCK_DEVICE), -EBUSY);
	unlock_image(image);
	unlock_image(image);
	unlock_image(image);
	assert_int_equal(LOCK(MEM_WRITE, MEM_LOCK_HOST), -EBUSY);
	unlock_image(image);
	assert_int_equal(mem_image_unlock(image), -ENOLCK);
	assert_int_equal(LOCK(MEM_WRITE, MEM_LOCK_HOST), 0);
	assert_int_equal(info_of(image).lock_access, MEM_WRITE);
	assert_int_equal(LOCK(MEM_READ, MEM_LOCK_HOST), -EBUSY);
	assert_int_equal(LOCK(MEM_WRITE, MEM_LOCK_HOST), -EBUSY);
	unlock_image(image);
	assert_int_equal(LOCK(MEM_RW, MEM_LOCK_DEVICE), 0);
	unlock_image(image);
	assert_int_equal(info_of(image).nr_locks, 0);
	mem_image_destroy(image);
}

static void *lock_elsewhere(void *arg)
{
	struct mem_image_data data = { .size = sizeof(data) };

	if (mem_image_lock(arg, MEM_READ, MEM_LOCK_DEVICE, &data))
		return arg;
	return NULL;
}

/* Each thread unlocks its own lock, whichever thread locked last. */
static void a_lock_is_the_threads(void **state)
{
	struct mem_image *image = new_image(8, 8, MEM_FORMAT_U8, 0);
	/* A lock with a descriptor shows whether it was unlocked. */
	const bool is_thor = !strcmp(board_of().name, "thor");
	struct mem_image_data data;
	pthread_t thread;
	void *locked;

	(void)state;
	data = lock_image(image, MEM_READ, is_thor ? MEM_LOCK_FD :
						     MEM_LOCK_HOST);
	assert_int_equal(pthread_create(&thread, NULL, lock_elsewhere, image),
			 0);
	assert_int_equal(pthread_join(thread, &locked), 0);
	assert_null(locked);
	unlock_image(image);
	assert_int_equal(info_of(image).nr_locks, 1);
	if (is_thor)
		assert_int_equal(fcntl(data.fd, F_GETFD), -1);
	unlock_image(image);
	assert_int_equal(mem_image_unlock(image), -ENOLCK);
	mem_image_destroy(image);
}

static void locks_say_what_is_wrong(void **state)
{
	struct mem_image_data data = { .size = sizeof(data) };
	struct mem_image *image, *cpu, *gpu;

	(void)state;
	image = new_image(8, 8, MEM_FORMAT_U8, 0);
	cpu = new_image(8, 8, MEM_FORMAT_U8, MEM_USE_CPU);
	gpu = new_image(8, 8, MEM_FORMAT_U8, 1ULL << MEM_ENGINE_GPU);
	assert_int_equal(mem_image_lock(NULL, MEM_READ, MEM_LOCK_HOST, &data),
			 -EINVAL);
	assert_int_equal(mem_image_lock(image, MEM_READ, MEM_LOCK_HOST, NULL),
			 -EINVAL);
	assert_int_equal(LOCK(0, MEM_LOCK_HOST), -EINVAL);
	assert_int_equal(LOCK(4, MEM_LOCK_HOST), -EINVAL);
	assert_int_equal(LOCK(MEM_READ, MEM_LOCK_OBJECT + 1), -EINVAL);
	data.size = 8;
	assert_int_equal(LOCK(MEM_READ, MEM_LOCK_HOST), -EINVAL);
	data.size = sizeof(data);
	assert_int_equal(mem_image_lock(cpu, MEM_READ, MEM_LOCK_DEVICE, &data),
			 -EACCES);
	assert_int_equal(mem_image_lock(gpu, MEM_READ, MEM_LOCK_HOST, &data),
			 -EACCES);
	assert_int_equal(mem_image_lock(gpu, MEM_READ, MEM_LOCK_DEVICE, &data),
			 0);
	assert_int_equal(mem_image_unlock(gpu), 0);
	assert_int_equal(mem_image_unlock(NULL), -EINVAL);
	mem_image_destroy(image);
	mem_image_destroy(cpu);
	mem_image_destroy(gpu);
#undef LOCK
}

static void surfaces_are_thors(void **state)
{
	struct mem_image_data data = { .size = sizeof(data) }, object = data;
	const bool is_thor = !strcmp(board_of().name, "thor");
	const size_t nr_fds = nr_of_process("fd");
	struct mem_image *image;
	int err;

	(void)state;
	image = new_image(32, 24, MEM_FORMAT_NV12_ER, 0);
	err = mem_image_lock(image, MEM_READ, MEM_LOCK_FD, &data);
	assert_int_equal(err, is_thor ? 0 : -EOPNOTSUPP);
	if (is_thor) {
		assert_true(data.fd >= 0);
		assert_true(fcntl(data.fd, F_GETFD) >= 0);
		assert_null(data.planes[0].base);
		assert_int_equal(mem_image_lock(image, MEM_READ,
						MEM_LOCK_OBJECT, &object), 0);
		assert_ptr_equal(data.object, object.object);
		unlock_image(image);
		unlock_image(image);
	}
	mem_image_destroy(image);
	assert_int_equal(nr_of_process("fd"), nr_fds);
}

static void block_linear_pixels_have_no_pointers(void **state)
{
	struct mem_image_data data = { .size = sizeof(data) };
	struct mem_image *image, *linear;
	int err;

	(void)state;
	err = mem_image_create(ctx, 64, 32, MEM_FORMAT_NV12_ER_BL,
			       GPU_AND_CPU, &image);
	/* An unknown GPU does not support block-linear images. */
	if (err) {
		assert_int_equal(err, -EOPNOTSUPP);
		return;
	}
	linear = new_image(64, 32, MEM_FORMAT_NV12_ER, 0);
	assert_int_equal(mem_image_lock(image, MEM_READ, MEM_LOCK_HOST, &data),
			 -EOPNOTSUPP);
	assert_int_equal(mem_image_lock(image, MEM_READ, MEM_LOCK_DEVICE,
					&data), -EOPNOTSUPP);
	assert_int_equal(mem_image_lock(image, MEM_READ, MEM_LOCK_OBJECT,
					&data), 0);
	unlock_image(image);
	assert_int_equal(mem_image_convert(mem_stream_legacy(ctx), 0, linear,
					   image, NULL), -EOPNOTSUPP);
	mem_image_destroy(image);
	mem_image_destroy(linear);
}

/* Coherency */

/* The CPU and engines write parts of the same lines in turn. */
static void cpu_and_engines_see_each_other(void **state)
{
	struct mem_image *a = new_image(WIDTH, HEIGHT, MEM_FORMAT_U8, 0);
	struct mem_image *b = new_image(WIDTH, HEIGHT, MEM_FORMAT_U8, 0);
	struct mem_stream *stream = mem_stream_legacy(ctx);
	struct mem_image_data data;
	unsigned int i;

	(void)state;
	for (i = 1; i < 40; i++) {
		fill_by(i % 2 ? MEM_ENGINE_GPU : MEM_ENGINE_CPU, a, i);
		data = lock_image(a, i % 3 ? MEM_WRITE : MEM_RW, MEM_LOCK_HOST);
		((uint8_t *)data.planes[0].base)[data.planes[0].pitch + 3] =
			(uint8_t)(200 + i);
		unlock_image(a);
		assert_int_equal(mem_image_copy(stream, i % 4 < 2 ?
						MEM_ENGINE_GPU : MEM_ENGINE_CPU,
						b, a), 0);
		data = lock_image(b, MEM_READ, MEM_LOCK_HOST);
		assert_int_equal(byte_at((uint8_t *)data.planes[0].base +
					 data.planes[0].pitch + 3),
				 (200 + i) & 0xff);
		assert_int_equal(byte_at((uint8_t *)data.planes[0].base +
					 data.planes[0].pitch + 4), i);
		unlock_image(b);
	}
	mem_image_destroy(a);
	mem_image_destroy(b);
}

static void k_add(const struct mem_block *block, void *args)
{
	const struct mem_plane *plane = args;
	uint32_t x;

	for (x = 0; x < plane->width; x++)
		((uint8_t *)plane->base)[block->index[0] * plane->pitch + x]++;
}

/* Launches a kernel that adds one to each pixel. */
static void launch_add(const struct mem_plane *plane)
{
	struct mem_launch launch = launch_of(k_add, plane, sizeof(*plane));

	launch.grid[0] = plane->height;
	assert_int_equal(mem_launch(mem_stream_legacy(ctx), &launch), 0);
	assert_int_equal(mem_ctx_sync(ctx), 0);
}

/* Kernels may use the pointers of a lock, which excludes other users. */
static void kernels_of_the_program_use_a_lock(void **state)
{
	struct mem_image *image = new_image(WIDTH, HEIGHT, MEM_FORMAT_U8, 0);
	struct mem_image_data data;

	(void)state;
	set_image(image, 6, 7);
	data = lock_image(image, MEM_RW, MEM_LOCK_DEVICE);
	launch_add(&data.planes[0]);
	launch_add(&data.planes[0]);
	unlock_image(image);
	assert_true(is_image(image, 8, 7));
	mem_image_destroy(image);
}

/* The object of a lock can be shared, and exists after the unlock. */
static void an_object_of_a_lock_is_anybodys(void **state)
{
	struct mem_image *image = new_image(WIDTH, HEIGHT, MEM_FORMAT_U8, 0);
	struct mem_image *wrapper;
	struct mem_image_data data;
	struct mem_plane plane;
	void *device, *cpu;

	(void)state;
	set_image(image, 6, 7);
	plane = lock_image(image, MEM_READ, MEM_LOCK_DEVICE).planes[0];
	unlock_image(image);
	data = lock_image(image, MEM_RW, MEM_LOCK_OBJECT);
	assert_int_equal(mem_object_device_ptr(data.object, &device), 0);
	assert_ptr_equal(plane.base, device);
	launch_add(&plane);
	assert_int_equal(mem_object_begin(data.object, MEM_READ), 0);
	assert_int_equal(mem_object_cpu_ptr(data.object, MEM_READ, &cpu), 0);
	assert_int_equal(byte_at(cpu), 7);
	assert_int_equal(mem_object_end(data.object, MEM_READ), 0);
	assert_int_equal(mem_image_wrap(ctx, &data, 0, &wrapper), 0);
	unlock_image(image);
	assert_true(is_image(image, 7, 7));
	set_image(wrapper, 9, 9);
	assert_true(is_image(image, 9, 9));
	mem_image_destroy(image);
	assert_true(is_image(wrapper, 9, 9));
	mem_image_destroy(wrapper);
}

/* Arrays */

static void an_array_holds_what_was_written(void **state)
{
	struct mem_array *array = new_array(10, MEM_DATA_F32, 0);
	struct mem_array_data data = { .size = sizeof(data) };
	uint64_t count = 7;

	(void)state;
	assert_int_equal(mem_array_count(array, &count), 0);
	assert_int_equal(count, 0);
	assert_int_equal(mem_array_set_count(array, 1), -ENOLCK);
	data = lock_array(array, MEM_READ, MEM_LOCK_HOST);
	assert_int_equal(mem_array_set_count(array, 1), -ENOLCK);
	assert_int_equal(mem_array_unlock(array), 0);
	data = lock_array(array, MEM_WRITE, MEM_LOCK_HOST);
	assert_int_equal(data.data_type, MEM_DATA_F32);
	assert_int_equal(data.stride, sizeof(float));
	assert_int_equal(data.capacity, 10);
	((float *)data.base)[9] = 2.5f;
	assert_int_equal(mem_array_set_count(array, 11), -EINVAL);
	assert_int_equal(mem_array_set_count(array, 10), 0);
	assert_int_equal(*data.count, 10);
	assert_int_equal(mem_array_unlock(array), 0);
	assert_int_equal(mem_array_count(array, &count), 0);
	assert_int_equal(count, 10);
	data = lock_array(array, MEM_READ, MEM_LOCK_DEVICE);
	assert_non_null(data.base);
	assert_int_equal(mem_array_unlock(array), 0);
	data = lock_array(array, MEM_READ, MEM_LOCK_OBJECT);
	assert_non_null(data.object);
	assert_null(data.base);
	assert_int_equal(mem_array_unlock(array), 0);
	data = lock_array(array, MEM_READ, MEM_LOCK_HOST);
	assert_true(((float *)data.base)[9] == 2.5f);
	assert_int_equal(mem_array_unlock(array), 0);
	assert_int_equal(mem_array_unlock(array), -ENOLCK);
	assert_int_equal(mem_array_lock(array, MEM_READ, MEM_LOCK_FD, &data),
			 -EINVAL);
	assert_int_equal(mem_array_lock(NULL, MEM_READ, MEM_LOCK_HOST, &data),
			 -EINVAL);
	assert_int_equal(mem_array_unlock(NULL), -EINVAL);
	assert_int_equal(mem_array_count(NULL, &count), -EINVAL);
	assert_int_equal(mem_array_count(array, NULL), -EINVAL);
	assert_int_equal(mem_array_set_count(NULL, 1), -EINVAL);
	mem_array_destroy(array);
}

/* Leftovers */

static void no_descriptor_is_left(void **state)
{
	static uint8_t bytes[PIXELS];
	struct mem_image *image, *other;
	size_t nr_fds = 0, nr_maps = 0;
	unsigned int i;

	(void)state;
	/* Engines and threads that the first rounds start stay. */
	for (i = 0; i < 20; i++) {
		if (i == 4) {
			nr_fds = nr_of_process("fd");
			nr_maps = nr_mappings();
		}
		image = new_image(64, 64, MEM_FORMAT_NV12, 0);
		set_image(image, (int)i, 0);
		mem_image_destroy(image);
		image = wrap(MEM_LOCK_HOST, bytes, WIDTH, 0);
		other = new_image(WIDTH, HEIGHT, MEM_FORMAT_U8, 0);
		assert_int_equal(mem_image_copy(mem_stream_legacy(ctx),
						MEM_ENGINE_GPU, other, image),
				 0);
		mem_image_destroy(image);
		assert_int_equal(mem_ctx_sync(ctx), 0);
		mem_image_destroy(other);
	}
	assert_int_equal(nr_of_process("fd"), nr_fds);
	assert_true(nr_mappings() <= nr_maps + 4);
}

static void *fill_many(void *arg)
{
	struct mem_image *image;
	const double value = 2;
	unsigned int i;
	bool is_right = true;

	for (i = 0; i < 50; i++) {
		if (mem_image_create(ctx, 20, 20, MEM_FORMAT_U8, 0, &image))
			return arg;
		is_right &= !mem_image_fill(mem_stream_legacy(ctx),
					    MEM_ENGINE_GPU, image, &value, 1);
		is_right &= is_image(image, 2, -1);
		mem_image_destroy(image);
	}
	return is_right ? NULL : arg;
}

static void threads_have_images_of_their_own(void **state)
{
	pthread_t threads[3];
	unsigned int i;
	void *failed;

	(void)state;
	for (i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, fill_many,
						&ctx), 0);
	for (i = 0; i < 3; i++) {
		assert_int_equal(pthread_join(threads[i], &failed), 0);
		assert_null(failed);
	}
}

/* Locks and unlocks for reading, and reads while it has the lock. */
static void *look(void *arg)
{
	struct mem_image_data data = { .size = sizeof(data) };
	unsigned int i;

	for (i = 0; i < 400; i++) {
		if (mem_image_lock(arg, MEM_READ, MEM_LOCK_HOST, &data))
			return arg;
		if (byte_at(data.planes[0].base))
			return arg;
		if (mem_image_unlock(arg))
			return arg;
	}
	return NULL;
}

static void no_unlock_takes_the_lock_of_another_thread(void **state)
{
	struct mem_image *image = new_image(WIDTH, HEIGHT, MEM_FORMAT_U8, 0);
	pthread_t threads[4];
	unsigned int i;
	void *failed;

	(void)state;
	for (i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, look, image),
				 0);
	for (i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(threads[i], &failed), 0);
		assert_null(failed);
	}
	mem_image_destroy(image);
}

#define test(name)	cmocka_unit_test_teardown(name, nothing_found)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(an_image_is_zeroed_and_says_what_it_is),
		test(odd_sides_have_whole_chroma),
		test(creation_says_what_is_wrong),
		test(names_are_kept),
		test(info_has_the_callers_size),
		test(locks_of_readers_are_counted),
		test(a_lock_is_the_threads),
		test(locks_say_what_is_wrong),
		test(surfaces_are_thors),
		test(block_linear_pixels_have_no_pointers),
		test(cpu_and_engines_see_each_other),
		test(kernels_of_the_program_use_a_lock),
		test(an_object_of_a_lock_is_anybodys),
		test(an_array_holds_what_was_written),
		test(no_descriptor_is_left),
		test(threads_have_images_of_their_own),
		test(no_unlock_takes_the_lock_of_another_thread),
	};

	return cmocka_run_group_tests(tests, open_watched, close_ctx);
}
