// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests images and arrays that wrap the program's memory: for each kind of
 * memory, which engines need a copy, and when the program sees the result.
 * LIBMEM_SOC chooses the board; nothing may be reported. Prints TAP.
 */
#include "image.h"

#include <sys/mman.h>

/* Tests on every board and for every use whether there is an internal copy. */
static void host_memory_is_copied_for_engines(void **state)
{
	const bool has_all = board_of().has_pageable_access;
	uint8_t *bytes = malloc(64 * HEIGHT);
	struct mem_image *image;

	(void)state;
	assert_non_null(bytes);
	memset(bytes, 1, 64 * HEIGHT);
	image = wrap(MEM_LOCK_HOST, bytes, 64, MEM_USE_CPU);
	assert_int_equal(info_of(image).copies, MEM_WRAP_NO_COPY);
	assert_int_equal(info_of(image).is_wrapper, 1);
	fill_by(MEM_ENGINE_CPU, image, 2);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	assert_int_equal(bytes[0], 2);
	assert_int_equal(bytes[WIDTH], 1);
	assert_int_equal(info_of(image).nr_copies, 0);
	mem_image_destroy(image);

	image = wrap(MEM_LOCK_HOST, bytes, 64, GPU_AND_CPU);
	assert_int_equal(info_of(image).copies,
			 has_all ? MEM_WRAP_NO_COPY : MEM_WRAP_PAGEABLE);
	fill_by(MEM_ENGINE_GPU, image, 3);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	assert_int_equal(bytes[0], 3);
	assert_int_equal(bytes[64 * (HEIGHT - 1) + WIDTH - 1], 3);
	assert_int_equal(bytes[WIDTH], 1);
	assert_int_equal(info_of(image).nr_copies, has_all ? 0 : 1);
	assert_int_equal(info_of(image).copied_bytes, has_all ? 0 : PIXELS);
	/* The CPU uses the memory itself. */
	fill_by(MEM_ENGINE_CPU, image, 4);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	assert_int_equal(bytes[5], 4);
	assert_int_equal(info_of(image).nr_copies, has_all ? 0 : 1);
	mem_image_destroy(image);
	free(bytes);
}

/* A wait for a stream, an event or the context suffices, without a lock. */
static void host_memory_has_the_result_after_a_wait(void **state)
{
	static uint8_t in[64 * HEIGHT], out[64 * HEIGHT];
	struct mem_image *a, *b;
	struct mem_stream *stream;
	struct mem_event *event;
	unsigned int i;

	(void)state;
	a = wrap(MEM_LOCK_HOST, in, 64, 0);
	b = wrap(MEM_LOCK_HOST, out, 64, 0);
	assert_int_equal(mem_stream_create(ctx, 0, 0, &stream), 0);
	assert_int_equal(mem_event_create(ctx, 0, &event), 0);
	for (i = 1; i < 30; i++) {
		memset(in, (int)i, sizeof(in));
		assert_int_equal(mem_image_copy(stream, MEM_ENGINE_GPU, b, a),
				 0);
		assert_int_equal(mem_event_record(event, stream), 0);
		if (i % 3 == 0)
			assert_int_equal(mem_stream_sync(stream), 0);
		else if (i % 3 == 1)
			assert_int_equal(mem_event_sync(event), 0);
		else
			assert_int_equal(mem_ctx_sync(ctx), 0);
		assert_int_equal(out[0], i);
		assert_int_equal(out[64 * (HEIGHT - 1) + WIDTH - 1], i);
		assert_int_equal(out[WIDTH], 0);
	}
	mem_event_destroy(event);
	assert_int_equal(mem_stream_destroy(stream), 0);
	mem_image_destroy(a);
	mem_image_destroy(b);
}

static void managed_memory_is_not_copied(void **state)
{
	struct mem_image *image;
	uint8_t *bytes;
	void *ptr;

	(void)state;
	assert_int_equal(mem_alloc(ctx, MEM_KIND_MANAGED, 256 * HEIGHT,
				   MEM_ATTACH_GLOBAL, &ptr), 0);
	bytes = ptr;
	memset(bytes, 1, 256 * HEIGHT);
	image = wrap(MEM_LOCK_DEVICE, bytes, 256, 0);
	assert_int_equal(info_of(image).copies, MEM_WRAP_NO_COPY);
	fill_by(MEM_ENGINE_GPU, image, 8);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	assert_int_equal(bytes[1], 8);
	assert_int_equal(bytes[WIDTH], 1);
	fill_by(MEM_ENGINE_CPU, image, 9);
	fill_by(MEM_ENGINE_GPU, image, 10);
	assert_true(is_image(image, 10, 1));
	assert_int_equal(info_of(image).nr_copies, 0);
	mem_image_destroy(image);
	/* A wrapper with the CPU's address is not copied, either. */
	image = wrap(MEM_LOCK_HOST, bytes, 256, 0);
	assert_int_equal(info_of(image).copies, MEM_WRAP_NO_COPY);
	mem_image_destroy(image);
	assert_int_equal(mem_free(ctx, ptr), 0);
}

static void pinned_and_registered_memory_is_not_copied(void **state)
{
	const struct mem_board board = board_of();
	struct mem_image *image;
	uint8_t *bytes;
	void *ptr;

	(void)state;
	assert_int_equal(mem_alloc(ctx, MEM_KIND_PINNED, 256 * HEIGHT, 0, &ptr),
			 0);
	image = wrap(MEM_LOCK_HOST, ptr, 256, 0);
	assert_int_equal(info_of(image).copies, MEM_WRAP_NO_COPY);
	fill_by(MEM_ENGINE_GPU, image, 5);
	assert_true(is_image(image, 5, 0));
	mem_image_destroy(image);
	assert_int_equal(mem_free(ctx, ptr), 0);
	if (!board.has_host_register)
		return;
	bytes = aligned_alloc(4096, 8192);
	assert_non_null(bytes);
	memset(bytes, 1, 8192);
	/* The kernel backend does not support registered memory. */
	if (!is_embedded()) {
		assert_int_equal(mem_register(ctx, bytes, 8192, 0),
				 -EOPNOTSUPP);
		free(bytes);
		return;
	}
	assert_int_equal(mem_register(ctx, bytes, 8192, 0), 0);
	image = wrap(MEM_LOCK_HOST, bytes, 256, 0);
	assert_int_equal(info_of(image).copies, MEM_WRAP_NO_COPY);
	fill_by(MEM_ENGINE_GPU, image, 6);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	assert_int_equal(bytes[0], 6);
	mem_image_destroy(image);
	/* The engines' address gives the same result. */
	assert_int_equal(mem_device_ptr(ctx, bytes, &ptr), 0);
	image = wrap(MEM_LOCK_DEVICE, ptr, 256, GPU_AND_CPU);
	assert_int_equal(info_of(image).copies, MEM_WRAP_NO_COPY);
	fill_by(MEM_ENGINE_CPU, image, 7);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	assert_int_equal(bytes[0], 7);
	mem_image_destroy(image);
	assert_int_equal(mem_unregister(ctx, bytes), 0);
	free(bytes);
}

static void device_memory_is_copied_for_the_cpu(void **state)
{
	uint8_t back[64 * HEIGHT];
	struct mem_image_data data;
	struct mem_image *image;
	void *ptr;

	(void)state;
	assert_int_equal(mem_alloc(ctx, MEM_KIND_DEVICE, sizeof(back), 0, &ptr),
			 0);
	assert_int_equal(mem_fill(mem_stream_legacy(ctx), ptr, 1, sizeof(back)),
			 0);
	image = wrap(MEM_LOCK_DEVICE, ptr, 64, 1ULL << MEM_ENGINE_GPU);
	assert_int_equal(info_of(image).copies, MEM_WRAP_NO_COPY);
	fill_by(MEM_ENGINE_GPU, image, 2);
	mem_image_destroy(image);

	image = wrap(MEM_LOCK_DEVICE, ptr, 64, GPU_AND_CPU);
	assert_int_equal(info_of(image).copies, MEM_WRAP_NO_HOST);
	data = lock_image(image, MEM_RW, MEM_LOCK_HOST);
	assert_int_equal(byte_at(data.planes[0].base), 2);
	((uint8_t *)data.planes[0].base)[1] = 77;
	unlock_image(image);
	assert_int_equal(info_of(image).nr_copies, 2);
	assert_int_equal(mem_copy(mem_stream_legacy(ctx), back, ptr,
				  sizeof(back), MEM_DIR_DEFAULT), 0);
	assert_int_equal(back[0], 2);
	assert_int_equal(back[1], 77);
	assert_int_equal(back[WIDTH], 1);
	fill_by(MEM_ENGINE_CPU, image, 9);
	fill_by(MEM_ENGINE_GPU, image, 11);
	fill_by(MEM_ENGINE_CPU, image, 12);
	assert_int_equal(mem_copy(mem_stream_legacy(ctx), back, ptr,
				  sizeof(back), MEM_DIR_DEFAULT), 0);
	assert_int_equal(back[0], 12);
	assert_int_equal(back[WIDTH], 1);
	mem_image_destroy(image);
	assert_int_equal(mem_free(ctx, ptr), 0);
}

/* Rows that only the compositor cannot use are copied only for it. */
static void rows_are_copied_for_who_needs_others(void **state)
{
	struct mem_image *image, *twin;
	struct mem_image_data data;
	void *ptr;

	(void)state;
	if (!has_engine(MEM_ENGINE_VIC))
		return;
	assert_int_equal(mem_alloc(ctx, MEM_KIND_PINNED, WIDTH * HEIGHT, 0,
				   &ptr), 0);
	data = data_of(MEM_LOCK_HOST, ptr, WIDTH);
	data.format = MEM_FORMAT_Y8;
	assert_int_equal(mem_image_wrap(ctx, &data, GPU_AND_CPU, &image), 0);
	assert_int_equal(info_of(image).copies, MEM_WRAP_NO_COPY);
	mem_image_destroy(image);
	assert_int_equal(mem_image_wrap(ctx, &data, 0, &image), 0);
	assert_int_equal(info_of(image).copies, MEM_WRAP_ALIGN);
	twin = new_image(WIDTH, HEIGHT, MEM_FORMAT_Y8, 0);
	fill_by(MEM_ENGINE_GPU, image, 5);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	assert_int_equal(info_of(image).nr_copies, 0);
	assert_int_equal(mem_image_copy(mem_stream_legacy(ctx), MEM_ENGINE_VIC,
					twin, image), 0);
	assert_true(is_image(twin, 5, -1));
	assert_int_equal(info_of(image).nr_copies, 1);
	set_image(twin, 6, 6);
	assert_int_equal(mem_image_copy(mem_stream_legacy(ctx), MEM_ENGINE_VIC,
					image, twin), 0);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	assert_int_equal(((uint8_t *)ptr)[WIDTH], 6);
	assert_int_equal(info_of(image).nr_copies, 2);
	mem_image_destroy(image);
	mem_image_destroy(twin);
	assert_int_equal(mem_free(ctx, ptr), 0);
}

static void wrapping_says_what_is_wrong(void **state)
{
	uint8_t bytes[4 * PIXELS];
	struct mem_image_data data = data_of(MEM_LOCK_HOST, bytes, WIDTH);
	struct mem_image_data wrong;
	void *image = UNTOUCHED, *small;

	(void)state;
	assert_int_equal(mem_alloc(ctx, MEM_KIND_PINNED, 100, 0, &small), 0);
#define WRAP(with) \
	mem_image_wrap(ctx, with, GPU_AND_CPU, (struct mem_image **)&image)
#define WRONG(field, value) do {					\
		wrong = data;						\
		wrong.field = value;					\
		assert_int_equal(WRAP(&wrong), -EINVAL);		\
	} while (0)
	assert_int_equal(mem_image_wrap(NULL, &data, 0,
					(struct mem_image **)&image), -EINVAL);
	assert_int_equal(mem_image_wrap(ctx, &data, 0, NULL), -EINVAL);
	assert_int_equal(WRAP(NULL), -EINVAL);
	assert_int_equal(mem_image_wrap(ctx, &data, 1ULL << 50,
					(struct mem_image **)&image), -EINVAL);
	WRONG(size, 16);
	WRONG(as, MEM_LOCK_OBJECT + 1);
	WRONG(flags, MEM_IMAGE_ANY_STD << 1);
	WRONG(format, MEM_FORMAT_INVALID);
	WRONG(format, MEM_FORMAT_U16);
	WRONG(width, 0);
	WRONG(height, MEM_IMAGE_MAX + 1);
	WRONG(nr_planes, 2);
	WRONG(planes[0].width, WIDTH - 1);
	WRONG(planes[0].height, HEIGHT + 1);
	WRONG(planes[0].pixel_len, 2);
	WRONG(planes[0].pitch, WIDTH - 1);
	WRONG(planes[0].base, NULL);
	WRONG(planes[0].base, (void *)UINTPTR_MAX);
	WRONG(planes[0].base, small);
	if (!board_of().has_pageable_access)
		WRONG(as, MEM_LOCK_DEVICE);
	/* Two planes overlap. */
	data.format = MEM_FORMAT_NV12;
	data.nr_planes = 2;
	data.planes[1] = (struct mem_plane) {
		.width = WIDTH / 2, .height = HEIGHT / 2, .pixel_len = 2,
		.pitch = WIDTH, .base = bytes + WIDTH * (HEIGHT - 1),
	};
	assert_int_equal(WRAP(&data), -EINVAL);
	data.as = MEM_LOCK_FD;
	data.planes[1].off = PIXELS;
	data.fd = -1;
	assert_int_equal(WRAP(&data), -EBADF);
	assert_ptr_equal(image, UNTOUCHED);
	data.as = MEM_LOCK_HOST;
	data.planes[1].base = bytes + PIXELS;
	assert_int_equal(WRAP(&data), 0);
	mem_image_destroy(image);
	assert_int_equal(mem_free(ctx, small), 0);
#undef WRAP
#undef WRONG
}

static void memory_of_another_context_is_refused(void **state)
{
	struct mem_image *image, *theirs;
	struct mem_image_data data, object;
	struct mem_ctx *other;
	void *ptr;

	(void)state;
	assert_int_equal(mem_ctx_open(NULL, &other), 0);
	assert_int_equal(mem_alloc(other, MEM_KIND_PINNED, PIXELS, 0, &ptr), 0);
	data = data_of(MEM_LOCK_HOST, ptr, WIDTH);
	assert_int_equal(mem_image_wrap(ctx, &data, 0, &image), -EXDEV);
	assert_int_equal(mem_free(other, ptr), 0);
	assert_int_equal(mem_image_create(other, 8, 8, MEM_FORMAT_U8, 0,
					  &theirs), 0);
	object = lock_image(theirs, MEM_READ, MEM_LOCK_OBJECT);
	assert_int_equal(mem_image_wrap(ctx, &object, 0, &image), -EXDEV);
	unlock_image(theirs);
	mem_image_destroy(theirs);
	mem_ctx_close(other);
}

static void a_wrapper_wraps_other_memory(void **state)
{
	static uint8_t one[PIXELS], two[64 * HEIGHT];
	struct mem_image_data data, wrong;
	struct mem_image *image, *own;
	void *managed;

	(void)state;
	image = wrap(MEM_LOCK_HOST, one, WIDTH, GPU_AND_CPU);
	fill_by(MEM_ENGINE_GPU, image, 1);
	data = data_of(MEM_LOCK_HOST, two, 64);
	/* A new memory is set only after the job. */
	assert_int_equal(mem_image_rewrap(image, &data), 0);
	assert_int_equal(one[0], 1);
	fill_by(MEM_ENGINE_GPU, image, 2);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	assert_int_equal(one[0], 1);
	assert_int_equal(two[0], 2);
	assert_int_equal(two[WIDTH], 0);
	/* The first memory is copied, the second is not. */
	assert_int_equal(mem_alloc(ctx, MEM_KIND_MANAGED, PIXELS,
				   MEM_ATTACH_GLOBAL, &managed), 0);
	data = data_of(MEM_LOCK_HOST, managed, WIDTH);
	assert_int_equal(mem_image_rewrap(image, &data), 0);
	assert_int_equal(info_of(image).copies, MEM_WRAP_NO_COPY);
	fill_by(MEM_ENGINE_GPU, image, 3);
	assert_true(is_image(image, 3, -1));
	lock_image(image, MEM_READ, MEM_LOCK_HOST);
	assert_int_equal(mem_image_rewrap(image, &data), -EBUSY);
	unlock_image(image);
	wrong = data;
	wrong.as = MEM_LOCK_DEVICE;
	assert_int_equal(mem_image_rewrap(image, &wrong), -EINVAL);
	wrong = data;
	wrong.height--;
	wrong.planes[0].height--;
	assert_int_equal(mem_image_rewrap(image, &wrong), -EINVAL);
	assert_int_equal(mem_image_rewrap(NULL, &data), -EINVAL);
	assert_int_equal(mem_image_rewrap(image, NULL), -EINVAL);
	assert_true(is_image(image, 3, -1));
	own = new_image(WIDTH, HEIGHT, MEM_FORMAT_U8, 0);
	assert_int_equal(mem_image_rewrap(own, &data), -EPERM);
	mem_image_destroy(own);
	mem_image_destroy(image);
	assert_int_equal(mem_free(ctx, managed), 0);
}

/* Makes a file of the program, which each side maps separately. */
static int new_file(uint8_t **map)
{
	const int fd = memfd_create("image", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 8192), 0);
	*map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(*map, MAP_FAILED);
	memset(*map, 1, 8192);
	return fd;
}

static void a_file_is_wrapped(void **state)
{
	const size_t nr_fds = nr_of_process("fd");
	struct mem_image_data data;
	struct mem_image *image;
	uint8_t *map;
	int fd;

	(void)state;
	fd = new_file(&map);
	data = data_of(MEM_LOCK_FD, NULL, 64);
	data.planes[0].off = 128;
	data.fd = fd;
	assert_int_equal(mem_image_wrap(ctx, &data, GPU_AND_CPU, &image), 0);
	assert_int_equal(info_of(image).copies,
			 board_of().has_pageable_access ? MEM_WRAP_NO_COPY :
							  MEM_WRAP_PAGEABLE);
	assert_true(is_image(image, 1, -1));
	fill_by(MEM_ENGINE_GPU, image, 2);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	assert_int_equal(map[127], 1);
	assert_int_equal(map[128], 2);
	assert_int_equal(map[128 + WIDTH], 1);
	set_image(image, 3, 4);
	assert_int_equal(map[128], 3);
	mem_image_destroy(image);
	data.planes[0].off = 8192 - 64 * HEIGHT + 64;
	assert_int_equal(mem_image_wrap(ctx, &data, 0, &image), -EINVAL);
	close(fd);
	munmap(map, 8192);
	assert_int_equal(nr_of_process("fd"), nr_fds);
}

/* Engines can access memory that libmem has exported. */
static void a_buffer_of_libmems_is_not_copied(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_COHERENT);
	struct mem_image_data data;
	struct mem_image *image;
	uint8_t *map;
	int fd;

	(void)state;
	map = map_buf(buf);
	memset(map, 1, LEN);
	assert_int_equal(mem_buf_export(buf, &fd), 0);
	data = data_of(MEM_LOCK_FD, NULL, 256);
	data.fd = fd;
	assert_int_equal(mem_image_wrap(ctx, &data, 0, &image), 0);
	close(fd);
	assert_int_equal(info_of(image).copies, MEM_WRAP_NO_COPY);
	fill_by(MEM_ENGINE_GPU, image, 2);
	assert_true(is_image(image, 2, 1));
	assert_int_equal(map[0], 2);
	mem_image_destroy(image);
	mem_buf_destroy(buf);
}

static void a_file_to_read_is_never_written(void **state)
{
	struct mem_image_data data = { .size = sizeof(data) };
	const double value = 1;
	struct mem_image *image, *other;
	char path[64];
	uint8_t *map;
	int fd, to_read;

	(void)state;
	fd = new_file(&map);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	to_read = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(to_read >= 0);
	data = data_of(MEM_LOCK_FD, NULL, 64);
	data.fd = to_read;
	assert_int_equal(mem_image_wrap(ctx, &data, GPU_AND_CPU, &image), 0);
	other = new_image(WIDTH, HEIGHT, MEM_FORMAT_U8, 0);
	assert_int_equal(mem_image_copy(mem_stream_legacy(ctx), MEM_ENGINE_GPU,
					other, image), 0);
	assert_true(is_image(other, 1, -1));
	assert_int_equal(mem_image_copy(mem_stream_legacy(ctx), MEM_ENGINE_CPU,
					image, other), -EACCES);
	assert_int_equal(mem_image_fill(mem_stream_legacy(ctx), MEM_ENGINE_GPU,
					image, &value, 1), -EACCES);
	assert_int_equal(mem_image_lock(image, MEM_WRITE, MEM_LOCK_HOST, &data),
			 -EACCES);
	assert_true(is_image(image, 1, -1));
	mem_image_destroy(other);
	mem_image_destroy(image);
	close(to_read);
	close(fd);
	munmap(map, 8192);
}

static void wait_until_set(void *arg)
{
	const atomic_bool *is_set = arg;

	while (!atomic_load(is_set))
		usleep(1000);
}

static struct mem_image *wrap_new_file(int *fd)
{
	struct mem_image_data data = data_of(MEM_LOCK_FD, NULL, 64);
	struct mem_image *image;
	uint8_t *map;

	data.fd = new_file(&map);
	munmap(map, 8192);
	assert_int_equal(mem_image_wrap(ctx, &data, GPU_AND_CPU, &image), 0);
	*fd = data.fd;
	return image;
}

/* To touch the mapping of a file that was cut is SIGBUS. */
static void a_file_that_was_cut_is_gone(void **state)
{
	struct mem_stream *stream = mem_stream_legacy(ctx);
	struct mem_image_data data = { .size = sizeof(data) };
	const double value = 1;
	struct mem_image *image;
	int fd;

	(void)state;
	image = wrap_new_file(&fd);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(mem_image_fill(stream, MEM_ENGINE_CPU, image, &value,
					1), -EFAULT);
	assert_int_equal(mem_image_fill(stream, MEM_ENGINE_GPU, image, &value,
					1), -EFAULT);
	assert_int_equal(mem_image_lock(image, MEM_READ, MEM_LOCK_HOST, &data),
			 -EFAULT);
	assert_int_equal(ftruncate(fd, 8192), 0);
	assert_true(is_image(image, 0, -1));
	mem_image_destroy(image);
	close(fd);
}

/*
 * While a job is on its way nobody can refuse it, but for a wait. A GPU with
 * pageable access touches the file itself, in a thread of the program.
 */
static void a_file_that_is_cut_ends_the_job(void **state)
{
	static const unsigned int engines[] = {
		MEM_ENGINE_CPU, MEM_ENGINE_GPU,
	};
	struct mem_ctx *const old = ctx;
	const unsigned int nr = board_of().has_pageable_access ? 1 : 2;
	struct mem_image *image, *other;
	atomic_bool is_cut;
	unsigned int i;
	int fd;

	(void)state;
	for (i = 0; i < nr; i++) {
		assert_int_equal(mem_ctx_open(NULL, &ctx), 0);
		image = wrap_new_file(&fd);
		other = new_image(WIDTH, HEIGHT, MEM_FORMAT_U8, 0);
		atomic_init(&is_cut, false);
		assert_int_equal(mem_stream_call(mem_stream_legacy(ctx),
						 wait_until_set, &is_cut), 0);
		assert_int_equal(mem_image_copy(mem_stream_legacy(ctx),
						engines[i], other, image), 0);
		assert_int_equal(ftruncate(fd, 0), 0);
		atomic_store(&is_cut, true);
		assert_int_equal(mem_ctx_sync(ctx), -EFAULT);
		mem_image_destroy(other);
		mem_image_destroy(image);
		close(fd);
		mem_ctx_close(ctx);
	}
	ctx = old;
}

/* Two jobs read it at a time while it is copied in. */
static void jobs_of_two_streams_read_a_wrapper(void **state)
{
	static uint8_t bytes[64 * HEIGHT];
	struct mem_image *image, *outs[2];
	struct mem_stream *streams[2];
	unsigned int i, j;

	(void)state;
	image = wrap(MEM_LOCK_HOST, bytes, 64, 0);
	for (i = 0; i < 2; i++) {
		outs[i] = new_image(WIDTH, HEIGHT, MEM_FORMAT_U8, 0);
		assert_int_equal(mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING,
						   0, &streams[i]), 0);
	}
	for (j = 1; j < 20; j++) {
		memset(bytes, (int)j, sizeof(bytes));
		for (i = 0; i < 2; i++)
			assert_int_equal(mem_image_copy(streams[i],
							MEM_ENGINE_GPU, outs[i],
							image), 0);
		for (i = 0; i < 2; i++)
			assert_true(is_image(outs[i], (int)j, -1));
	}
	for (i = 0; i < 2; i++) {
		mem_image_destroy(outs[i]);
		assert_int_equal(mem_stream_destroy(streams[i]), 0);
	}
	mem_image_destroy(image);
}

/* The program can leave none of the maintenance out that copies inside need. */
static void copies_inside_waste_nothing_of_the_programs(void **state)
{
	static uint8_t bytes[64 * HEIGHT];
	struct mem_violation found = { .size = sizeof(found) };
	struct mem_ctx *const old = ctx;
	struct mem_image *image, *other;
	unsigned int i;

	(void)state;
	assert_int_equal(mem_ctx_open(NULL, &ctx), 0);
	assert_int_equal(mem_ctx_watch(ctx, MEM_WATCH_ERRORS | MEM_WATCH_WASTE,
				       64), 0);
	image = wrap(MEM_LOCK_HOST, bytes, 64, GPU_AND_CPU);
	other = new_image(WIDTH, HEIGHT, MEM_FORMAT_U8, 0);
	for (i = 0; i < 2; i++) {
		assert_int_equal(mem_image_copy(mem_stream_legacy(ctx),
						MEM_ENGINE_GPU, other, image),
				 0);
		assert_int_equal(mem_image_copy(mem_stream_legacy(ctx),
						MEM_ENGINE_GPU, image, other),
				 0);
		assert_int_equal(mem_image_copy(mem_stream_legacy(ctx),
						MEM_ENGINE_CPU, image, other),
				 0);
		assert_int_equal(mem_ctx_sync(ctx), 0);
	}
	assert_int_equal(mem_ctx_next_violation(ctx, &found), 0);
	mem_image_destroy(other);
	mem_image_destroy(image);
	mem_ctx_close(ctx);
	ctx = old;
}

/* Arrays */

static void find_corners(struct mem_array *points, struct mem_array *scores)
{
	const struct mem_harris how = {
		.size = sizeof(how), .gradient_len = 3, .block_len = 3,
		.strength = 1, .sensitivity = 0.05f, .min_distance = 4,
	};
	struct mem_image *image = new_image(40, 40, MEM_FORMAT_U8, 0);
	const struct mem_image_data data = lock_image(image, MEM_WRITE,
						      MEM_LOCK_HOST);
	uint32_t y;

	for (y = 12; y < 28; y++)
		memset((uint8_t *)data.planes[0].base +
		       y * data.planes[0].pitch + 12, 200, 16);
	unlock_image(image);
	assert_int_equal(mem_image_harris(mem_stream_legacy(ctx),
					  MEM_ENGINE_GPU, image, points, scores,
					  &how), 0);
	mem_image_destroy(image);
}

static struct mem_array_data array_data_of(unsigned int as, void *base,
					   uint32_t stride, uint64_t *count)
{
	return (struct mem_array_data) {
		.size = sizeof(struct mem_array_data),
		.as = as,
		.data_type = MEM_DATA_KEYPOINT,
		.stride = stride,
		.capacity = 8,
		.count = count,
		.base = base,
	};
}

/* Keypoints for the CPU are written to the program's memory directly. */
static void keypoints_come_into_memory_of_the_program(void **state)
{
	struct mem_array *scores = new_array(8, MEM_DATA_U32, 0);
	struct mem_keypoint points[3 * 8], *managed;
	struct mem_array_data data;
	struct mem_array *array;
	uint64_t count = 99;
	void *ptr;

	(void)state;
	memset(points, 0xc7, sizeof(points));
	data = array_data_of(MEM_LOCK_HOST, points, 3 * sizeof(*points),
			     &count);
	assert_int_equal(mem_array_wrap(ctx, &data, 0, &array), 0);
	find_corners(array, scores);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	assert_int_equal(count, 4);
	assert_true(points[0].x > 10 && points[0].x < 30);
	assert_true(points[9].x > 10 && points[9].x < 30);
	/* Bytes between elements and after the last must not be written. */
	assert_int_equal(((uint8_t *)points)[sizeof(*points)], 0xc7);
	assert_int_equal(((uint8_t *)&points[12])[0], 0xc7);
	mem_array_destroy(array);

	assert_int_equal(mem_alloc(ctx, MEM_KIND_MANAGED, 4096,
				   MEM_ATTACH_GLOBAL, &ptr), 0);
	managed = ptr;
	data = array_data_of(MEM_LOCK_DEVICE, managed, sizeof(*managed),
			     (uint64_t *)&managed[8]);
	assert_int_equal(mem_array_wrap(ctx, &data, 0, &array), 0);
	find_corners(array, scores);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	assert_int_equal(*data.count, 4);
	assert_true(managed[3].y == points[9].y);
	assert_int_equal(mem_array_count(array, &count), 0);
	assert_int_equal(count, 4);
	mem_array_destroy(array);
	mem_array_destroy(scores);
	assert_int_equal(mem_free(ctx, ptr), 0);
}

static void wrapped_arrays_say_what_is_wrong(void **state)
{
	struct mem_keypoint points[16];
	uint64_t count = 0;
	struct mem_array_data data, wrong;
	struct mem_array *array, *own;
	void *none = UNTOUCHED;

	(void)state;
	data = array_data_of(MEM_LOCK_HOST, points, sizeof(*points), &count);
#define WRAP(with) \
	mem_array_wrap(ctx, with, 0, (struct mem_array **)&none)
#define WRONG(field, value) do {					\
		wrong = data;						\
		wrong.field = value;					\
		assert_int_equal(WRAP(&wrong), -EINVAL);		\
	} while (0)
	assert_int_equal(WRAP(NULL), -EINVAL);
	assert_int_equal(mem_array_wrap(ctx, &data, 0, NULL), -EINVAL);
	WRONG(size, 16);
	WRONG(as, MEM_LOCK_FD);
	WRONG(as, 9);
	WRONG(as, MEM_LOCK_OBJECT);
	WRONG(data_type, MEM_DATA_KEYPOINT + 1);
	WRONG(stride, 0);
	WRONG(stride, sizeof(*points) + 1);
	WRONG(capacity, 0);
	WRONG(base, NULL);
	WRONG(count, NULL);
	assert_ptr_equal(none, UNTOUCHED);
#undef WRAP
	assert_int_equal(mem_array_wrap(ctx, &data, 0, &array), 0);
	wrong = data;
	wrong.base = points + 8;
	assert_int_equal(mem_array_rewrap(array, &wrong), 0);
	wrong.capacity = 4;
	assert_int_equal(mem_array_rewrap(array, &wrong), -EINVAL);
	lock_array(array, MEM_WRITE, MEM_LOCK_HOST);
	assert_int_equal(mem_array_rewrap(array, &data), -EBUSY);
	assert_int_equal(mem_array_unlock(array), 0);
	assert_int_equal(mem_array_rewrap(NULL, &data), -EINVAL);
	assert_int_equal(mem_array_rewrap(array, NULL), -EINVAL);
	own = new_array(8, MEM_DATA_KEYPOINT, 0);
	assert_int_equal(mem_array_rewrap(own, &data), -EPERM);
	mem_array_destroy(own);
	mem_array_destroy(array);
#undef WRONG
}

static void device_memory_holds_an_array(void **state)
{
	struct mem_array *scores = new_array(8, MEM_DATA_F32, 0);
	struct mem_array_data data, locked;
	struct mem_array *array;
	uint64_t count;
	void *ptr;

	(void)state;
	assert_int_equal(mem_alloc(ctx, MEM_KIND_DEVICE, 4096, 0, &ptr), 0);
	assert_int_equal(mem_fill(mem_stream_legacy(ctx), ptr, 0, 4096), 0);
	data = array_data_of(MEM_LOCK_DEVICE, ptr, sizeof(struct mem_keypoint),
			     (uint64_t *)((uint8_t *)ptr + 1024));
	assert_int_equal(mem_array_wrap(ctx, &data, GPU_AND_CPU, &array), 0);
	find_corners(array, scores);
	assert_int_equal(mem_array_count(array, &count), 0);
	assert_int_equal(count, 4);
	locked = lock_array(array, MEM_RW, MEM_LOCK_HOST);
	assert_int_equal(*locked.count, 4);
	assert_true(((struct mem_keypoint *)locked.base)[0].x > 10);
	assert_int_equal(mem_array_set_count(array, 2), 0);
	assert_int_equal(mem_array_unlock(array), 0);
	assert_int_equal(mem_array_count(array, &count), 0);
	assert_int_equal(count, 2);
	mem_array_destroy(array);
	mem_array_destroy(scores);
	assert_int_equal(mem_free(ctx, ptr), 0);
}

#define test(name)	cmocka_unit_test_teardown(name, nothing_found)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(host_memory_is_copied_for_engines),
		test(host_memory_has_the_result_after_a_wait),
		test(managed_memory_is_not_copied),
		test(pinned_and_registered_memory_is_not_copied),
		test(device_memory_is_copied_for_the_cpu),
		test(rows_are_copied_for_who_needs_others),
		test(wrapping_says_what_is_wrong),
		test(memory_of_another_context_is_refused),
		test(a_wrapper_wraps_other_memory),
		test(a_file_is_wrapped),
		test(a_buffer_of_libmems_is_not_copied),
		test(a_file_to_read_is_never_written),
		test(a_file_that_was_cut_is_gone),
		test(a_file_that_is_cut_ends_the_job),
		test(jobs_of_two_streams_read_a_wrapper),
		test(copies_inside_waste_nothing_of_the_programs),
		test(keypoints_come_into_memory_of_the_program),
		test(wrapped_arrays_say_what_is_wrong),
		test(device_memory_holds_an_array),
	};

	return cmocka_run_group_tests(tests, open_watched, close_ctx);
}
