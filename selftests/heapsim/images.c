// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that makes one mistake with images, arrays or objects of libmem,
 * for the tests of `heapsim run`. The argument names the mistake; with the
 * prefix "right-" the program does the same without it. Lines that a test
 * searches for have a mark.
 */
#include <err.h>
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <libmem.h>

/* Rows of 100 bytes are followed by padding. */
#define WIDTH	100
#define HEIGHT	40

static struct mem_ctx *ctx;
/* The mistake is not made. */
static int is_right;
static volatile uint8_t sink;

static void check(int ret, const char *what)
{
	if (ret < 0)
		errx(3, "%s: %s", what, strerror(-ret));
}

#define CHECK(call)	check(call, #call)

__attribute__((noinline, noclone))
static void peek(const uint8_t *at)
{
	sink = *(const volatile uint8_t *)at; /* PEEK */
}

__attribute__((noinline, noclone))
static void poke(uint8_t *at, uint8_t value)
{
	*(volatile uint8_t *)at = value; /* POKE */
}

static struct mem_image *picture(unsigned int format)
{
	struct mem_image *image;

	CHECK(mem_image_create(ctx, WIDTH, HEIGHT, format, 0, &image));
	CHECK(mem_image_set_name(image, "frame"));
	return image;
}

__attribute__((noinline, noclone))
static struct mem_image_data lock(struct mem_image *image, unsigned int access,
				  unsigned int as)
{
	struct mem_image_data data = { .size = sizeof(data) };

	CHECK(mem_image_lock(image, access, as, &data)); /* LOCK */
	return data;
}

__attribute__((noinline, noclone))
static void unlock(struct mem_image *image)
{
	CHECK(mem_image_unlock(image)); /* UNLOCK */
}

static void fill(struct mem_image *image, double value)
{
	const double values[3] = { value, value, value };

	CHECK(mem_image_fill(mem_stream_legacy(ctx), MEM_ENGINE_GPU, image,
			     values, 1));
	CHECK(mem_ctx_sync(ctx));
}

static void k_store(const struct mem_block *block, void *arg)
{
	(void)block;
	**(uint8_t **)arg = 9; /* KERNEL */
}

__attribute__((noinline, noclone))
static void launch(uint8_t *at)
{
	const struct mem_launch launch = {
		.size = sizeof(launch),
		.kernel = k_store,
		.grid = { 1, 1, 1 },
		.block = { 1, 1, 1 },
		.args = &at,
		.args_len = sizeof(at),
	};

	CHECK(mem_launch(mem_stream_legacy(ctx), &launch)); /* LAUNCH */
	CHECK(mem_ctx_sync(ctx));
}

static void destroyed_while_locked(void)
{
	struct mem_image *image = picture(MEM_FORMAT_U8);
	struct mem_image_data data = lock(image, MEM_RW, MEM_LOCK_HOST);

	poke(data.planes[0].base, 1);
	if (is_right)
		unlock(image);
	mem_image_destroy(image); /* DESTROY */
}

static void ended_while_locked(void)
{
	struct mem_image *image = picture(MEM_FORMAT_U8);

	lock(image, MEM_READ, MEM_LOCK_HOST); /* KEPT */
	if (is_right) {
		unlock(image);
		mem_image_destroy(image);
	}
}

static void array_kept(void)
{
	struct mem_array_data data = { .size = sizeof(data) };
	struct mem_array *array;

	CHECK(mem_array_create(ctx, 64, MEM_DATA_F32, 0, &array));
	CHECK(mem_array_set_name(array, "scores"));
	CHECK(mem_array_lock(array, MEM_RW, MEM_LOCK_HOST, &data)); /* ARRAY */
	if (is_right)
		CHECK(mem_array_unlock(array));
	mem_array_destroy(array);
}

/* A job has used the image; libmem's own reference must not be reported. */
static void image_kept(void)
{
	struct mem_image *image = picture(MEM_FORMAT_U8); /* IMAGE */

	fill(image, 3);
	if (is_right)
		mem_image_destroy(image);
}

/* The read is in the second plane; the report names the row. */
static void read_after_unlock(void)
{
	struct mem_image *image = picture(MEM_FORMAT_NV12_ER);
	struct mem_image_data data = lock(image, MEM_READ, MEM_LOCK_HOST);
	const uint8_t *at = (uint8_t *)data.planes[1].base +
			    3 * data.planes[1].pitch + 7;

	if (is_right)
		peek(at);
	unlock(image);
	if (!is_right)
		peek(at); /* AFTER */
	mem_image_destroy(image);
}

/* libmem itself has read the same page since the unlock. */
static void read_after_job(void)
{
	struct mem_image *image = picture(MEM_FORMAT_U8);
	struct mem_image *copy = picture(MEM_FORMAT_U8);
	struct mem_image_data data = lock(image, MEM_READ, MEM_LOCK_HOST);

	unlock(image);
	CHECK(mem_image_copy(mem_stream_legacy(ctx), MEM_ENGINE_CPU, copy,
			     image));
	CHECK(mem_ctx_sync(ctx));
	if (is_right)
		data = lock(image, MEM_READ, MEM_LOCK_HOST);
	peek(data.planes[0].base); /* AFTERJOB */
	if (is_right)
		unlock(image);
	mem_image_destroy(image);
	mem_image_destroy(copy);
}

static void store_unlocked(void)
{
	struct mem_image *image = picture(MEM_FORMAT_U8);
	struct mem_image_data data = lock(image, MEM_WRITE, MEM_LOCK_HOST);

	poke(data.planes[0].base, 1);
	unlock(image);
	fill(image, 2);
	if (is_right)
		data = lock(image, MEM_WRITE, MEM_LOCK_HOST);
	poke(data.planes[0].base, 3); /* UNLOCKED */
	if (is_right)
		unlock(image);
	mem_image_destroy(image);
}

static void store_in_read_lock(void)
{
	struct mem_image *image = picture(MEM_FORMAT_U8);
	struct mem_image_data data;

	data = lock(image, is_right ? MEM_RW : MEM_READ, MEM_LOCK_HOST);
	peek(data.planes[0].base);
	poke(data.planes[0].base, 3); /* READONLY */
	unlock(image);
	mem_image_destroy(image);
}

/* Reads twice as many bytes as there are. */
__attribute__((noinline, noclone))
static void receive(uint8_t *at)
{
	const uint8_t row[WIDTH / 2] = { 4 };
	int fds[2];

	CHECK(pipe(fds));
	CHECK(write(fds[1], row, sizeof(row)));
	CHECK(read(fds[0], at, WIDTH)); /* RECEIVE */
	close(fds[0]);
	close(fds[1]);
}

static void call_in_read_lock(void)
{
	struct mem_image *image = picture(MEM_FORMAT_U8);
	struct mem_image_data data;

	data = lock(image, is_right ? MEM_RW : MEM_READ, MEM_LOCK_HOST);
	peek(data.planes[0].base);
	receive(data.planes[0].base); /* CALL */
	unlock(image);
	mem_image_destroy(image);
}

static void kernel_after_unlock(void)
{
	struct mem_image *image = picture(MEM_FORMAT_U8);
	struct mem_image_data data = lock(image, MEM_RW, MEM_LOCK_DEVICE);

	if (!is_right)
		unlock(image);
	launch(data.planes[0].base); /* LATE */
	if (is_right)
		unlock(image);
	mem_image_destroy(image);
}

static void kernel_in_read_lock(void)
{
	struct mem_image *image = picture(MEM_FORMAT_U8);
	struct mem_image_data data = lock(image, is_right ? MEM_RW : MEM_READ,
					  MEM_LOCK_DEVICE);

	launch(data.planes[0].base); /* STORES */
	unlock(image);
	mem_image_destroy(image);
}

static void copy_in_read_lock(void)
{
	struct mem_image *image = picture(MEM_FORMAT_U8);
	struct mem_image_data data = lock(image, is_right ? MEM_RW : MEM_READ,
					  MEM_LOCK_DEVICE);

	CHECK(mem_fill_async(mem_stream_legacy(ctx), /* FILLS */
			     data.planes[0].base, 1, WIDTH));
	CHECK(mem_ctx_sync(ctx));
	unlock(image);
	mem_image_destroy(image);
}

static void kernel_while_locked(void)
{
	struct mem_image *image = picture(MEM_FORMAT_U8);
	struct mem_image_data data = lock(image, MEM_RW, MEM_LOCK_DEVICE);
	uint8_t *device = data.planes[0].base;

	unlock(image);
	if (is_right) {
		data = lock(image, MEM_RW, MEM_LOCK_DEVICE);
		launch(data.planes[0].base);
		unlock(image);
	}
	data = lock(image, MEM_RW, MEM_LOCK_HOST); /* HELD */
	if (!is_right)
		launch(device); /* WHILE */
	poke((uint8_t *)data.planes[0].base + 1, 1);
	unlock(image);
	mem_image_destroy(image);
}

static void surface_while_locked(void)
{
	struct mem_image *image = picture(MEM_FORMAT_U8);
	struct mem_image *other = picture(MEM_FORMAT_U8);
	int err;

	lock(image, MEM_READ, MEM_LOCK_HOST);
	if (is_right)
		unlock(image);
	err = mem_image_copy(mem_stream_legacy(ctx), MEM_ENGINE_GPU, image,
			     other);
	/* The call is refused, so there is nothing to report. */
	if (err != (is_right ? 0 : -EBUSY))
		errx(3, "mem_image_copy: %s", strerror(-err));
	if (!is_right)
		unlock(image);
	CHECK(mem_ctx_sync(ctx));
	mem_image_destroy(image);
	mem_image_destroy(other);
}

/* Describes a picture in memory of the program. */
static struct mem_image_data data_of(unsigned int as, void *ptr)
{
	return (struct mem_image_data) {
		.size = sizeof(struct mem_image_data),
		.as = as,
		.format = MEM_FORMAT_U8,
		.width = WIDTH,
		.height = HEIGHT,
		.nr_planes = 1,
		.planes = { { WIDTH, HEIGHT, 1, 256, 0, ptr } },
		.fd = -1,
	};
}

static void *map_picture(void)
{
	void *ptr = mmap(NULL, 256 * HEIGHT, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (ptr == MAP_FAILED)
		err(3, "mmap");
	return ptr;
}

static void wrapper_outlives(void)
{
	struct mem_image_data data;
	const double value = 1;
	struct mem_image *image;
	void *ptr;
	int err;

	CHECK(mem_alloc(ctx, MEM_KIND_MANAGED, 256 * HEIGHT, MEM_ATTACH_GLOBAL,
			&ptr));
	data = data_of(MEM_LOCK_DEVICE, ptr);
	CHECK(mem_image_wrap(ctx, &data, 1ULL << MEM_ENGINE_GPU, &image));
	CHECK(mem_image_set_name(image, "wrapper"));
	if (!is_right)
		CHECK(mem_free(ctx, ptr)); /* FREE */
	err = mem_image_fill(mem_stream_legacy(ctx), MEM_ENGINE_GPU, /* GONE */
			     image, &value, 1);
	if (is_right)
		CHECK(err);
	else if (!err)
		errx(3, "a job uses memory that is gone");
	CHECK(mem_ctx_sync(ctx));
	mem_image_destroy(image);
	if (is_right)
		CHECK(mem_free(ctx, ptr));
}

static void unmap_picture(void *ptr)
{
	munmap(ptr, 256 * HEIGHT);
}

/* The wrapped memory belongs to the program and has no name. */
__attribute__((noinline, noclone))
static void wrap(void *ptr, void (*release)(void *))
{
	const struct mem_image_data data = data_of(MEM_LOCK_HOST, ptr);
	struct mem_image *image, *copy;
	int err;

	CHECK(mem_image_wrap(ctx, &data, 0, &image));
	if (!is_right)
		release(ptr);
	copy = picture(MEM_FORMAT_U8);
	err = mem_image_copy(mem_stream_legacy(ctx), /* RELEASED */
			     MEM_ENGINE_GPU, copy, image);
	if (is_right)
		CHECK(err);
	else if (!err)
		errx(3, "a job uses memory that is gone");
	CHECK(mem_ctx_sync(ctx));
	mem_image_destroy(copy);
	mem_image_destroy(image);
	if (is_right)
		release(ptr);
}

static void wrapper_of_unmapped(void)
{
	wrap(map_picture(), unmap_picture);
}

/*
 * When a large block is freed, glibc may raise the length from which it maps
 * blocks, so that later ones of the same length remain mapped.
 */
static void wrapper_of_freed(void)
{
	const size_t len = 1 << 20;
	void *volatile first = malloc(len);

	free(first);
	wrap(malloc(len), free);
}

static void wait_for_word(void *word)
{
	while (!__atomic_load_n((uint32_t *)word, __ATOMIC_ACQUIRE))
		sched_yield();
}

/* For example, an OpenCV matrix leaves its scope before the stream is done. */
static void wrapper_unmapped_too_early(void)
{
	struct mem_stream *stream = mem_stream_legacy(ctx);
	struct mem_image *image, *copy = picture(MEM_FORMAT_U8);
	struct mem_image_data data;
	uint32_t word = 0;
	void *ptr;

	ptr = map_picture();
	data = data_of(MEM_LOCK_HOST, ptr);
	CHECK(mem_image_wrap(ctx, &data, 0, &image));
	CHECK(mem_stream_call(stream, wait_for_word, &word));
	CHECK(mem_image_copy(stream, MEM_ENGINE_GPU, copy, image)); /* EARLY */
	if (!is_right)
		munmap(ptr, 256 * HEIGHT);
	__atomic_store_n(&word, 1, __ATOMIC_RELEASE);
	if (mem_ctx_sync(ctx) != (is_right ? 0 : -EFAULT))
		errx(3, "the wait");
	mem_image_destroy(copy);
	mem_image_destroy(image);
	if (is_right)
		munmap(ptr, 256 * HEIGHT);
}

/* Writes the picture as if its rows had no padding. */
static void width_for_pitch(void)
{
	struct mem_image *image = picture(MEM_FORMAT_U8);
	struct mem_image_data data;
	uint8_t pixels[HEIGHT][WIDTH];
	uint8_t *base;
	size_t y;

	memset(pixels, 0x5c, sizeof(pixels));
	data = lock(image, MEM_WRITE, MEM_LOCK_HOST); /* PITCH */
	base = data.planes[0].base;
	if (is_right)
		for (y = 0; y < HEIGHT; y++)
			memcpy(base + y * data.planes[0].pitch, pixels[y],
			       WIDTH);
	else
		memcpy(base, pixels, sizeof(pixels));
	unlock(image);
	/* Writing everything, including padding, is no mistake. */
	data = lock(image, MEM_WRITE, MEM_LOCK_HOST);
	memset(data.planes[0].base, 0x11, HEIGHT * data.planes[0].pitch);
	unlock(image);
	/* Writing only the first rows is no mistake, either. */
	data = lock(image, MEM_WRITE, MEM_LOCK_HOST);
	memset(data.planes[0].base, 0x22, 3 * data.planes[0].pitch);
	unlock(image);
	mem_image_destroy(image);
}

#define GPU	(1ULL << MEM_ENGINE_GPU)

static struct mem_object *raw_object(const char *name, uint64_t engines)
{
	const uint32_t type = MEM_ATTR_TYPE_RAW, perm = MEM_RW;
	const uint64_t len = 16384;
	const uint8_t yes = 1;
	const struct mem_attr values[] = {
		{ MEM_ATTR_TYPES, 0, &type, sizeof(type) },
		{ MEM_ATTR_NEED_CPU_ACCESS, 0, &yes, sizeof(yes) },
		{ MEM_ATTR_REQUIRED_PERM, 0, &perm, sizeof(perm) },
		{ MEM_ATTR_ENGINES, 0, &engines, sizeof(engines) },
		{ MEM_ATTR_RAW_SIZE, 0, &len, sizeof(len) },
	};
	struct mem_attrs *attrs, *reconciled;
	struct mem_object *object;

	CHECK(mem_attrs_create(ctx, &attrs));
	CHECK(mem_attrs_set(attrs, values, sizeof(values) / sizeof(*values)));
	CHECK(mem_attrs_reconcile(&attrs, 1, &reconciled, NULL));
	CHECK(mem_object_alloc(reconciled, name, &object));
	mem_attrs_destroy(attrs);
	mem_attrs_destroy(reconciled);
	return object;
}

static void store_read_only(void)
{
	struct mem_object *object = raw_object("ring", GPU), *other;
	void *ptr;

	CHECK(mem_object_restrict(object, is_right ? MEM_RW : MEM_READ,
				  &other));
	CHECK(mem_object_cpu_ptr(other, is_right ? MEM_RW : MEM_READ, &ptr));
	poke((uint8_t *)ptr + 100, 1); /* FORBIDDEN */
	mem_object_put(other);
	mem_object_put(object);
}

/* On boards without I/O coherency the engine reads old bytes. */
static void object_not_flushed(void)
{
	struct mem_object *object = raw_object("ring", GPU);
	void *cpu, *device;

	CHECK(mem_object_cpu_ptr(object, MEM_RW, &cpu));
	CHECK(mem_object_device_ptr(object, &device));
	poke((uint8_t *)cpu + 128, 1); /* STORE */
	if (is_right)
		CHECK(mem_object_flush(object, 0, 16384));
	launch((uint8_t *)device + 129);
	CHECK(mem_object_flush(object, 0, 16384));
	mem_object_put(object);
}

/* An engine that runs no kernels must be checked, too. */
static void object_of_dma(void)
{
	struct mem_object *object = raw_object("ring", MEM_ATTR_ENGINE_DMA);
	struct mem_job *job;
	void *cpu;

	CHECK(mem_object_cpu_ptr(object, MEM_RW, &cpu));
	poke((uint8_t *)cpu + 128, 1); /* CACHED */
	if (is_right)
		CHECK(mem_object_flush(object, 0, 16384));
	CHECK(mem_job_checksum(mem_object_buf(object), 0, 16384, /* SUM */
			       &job));
	CHECK(mem_job_wait(job, MEM_WAIT_FOREVER, NULL));
	mem_job_destroy(job);
	CHECK(mem_object_flush(object, 0, 16384));
	mem_object_put(object);
}

/* Nobody has used the copy so far: there is nothing to invalidate. */
__attribute__((noinline, noclone))
static void cpu_copies(struct mem_image *from, struct mem_image *to)
{
	CHECK(mem_image_copy(mem_stream_legacy(ctx), MEM_ENGINE_CPU,
			     from, to));
	CHECK(mem_ctx_sync(ctx));
}

static void cpu_job_wastes(void)
{
	struct mem_image *image = picture(MEM_FORMAT_U8);
	struct mem_image *copy = picture(MEM_FORMAT_U8);

	CHECK(mem_image_set_name(copy, "copy"));
	fill(image, 5);
	cpu_copies(image, copy);
	mem_image_destroy(image);
	mem_image_destroy(copy);
}

static void note_start(void *arg)
{
	*(atomic_bool *)arg = true;
}

/* The program ends while a job of the CPU writes an image. */
__attribute__((noinline, noclone))
static void ended_in_a_job(void)
{
	static atomic_bool has_started;
	struct mem_image *image = picture(MEM_FORMAT_U8);
	struct mem_image *from, *to;

	CHECK(mem_image_create(ctx, 4096, 4096, MEM_FORMAT_U8, 0, &from));
	CHECK(mem_image_create(ctx, 4096, 4096, MEM_FORMAT_U8, 0, &to));
	CHECK(mem_stream_call(mem_stream_legacy(ctx), note_start,
			      &has_started));
	CHECK(mem_image_box(mem_stream_legacy(ctx), MEM_ENGINE_CPU, to, from,
			    11, 11, MEM_BORDER_ZERO));
	while (!has_started)
		sched_yield();
	usleep(10000);
	if (!is_right)
		lock(image, MEM_WRITE, MEM_LOCK_HOST); /* BRACKET */
	exit(0);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = {
		{ "destroyed-while-locked", destroyed_while_locked },
		{ "ended-while-locked", ended_while_locked },
		{ "array-kept", array_kept },
		{ "image-kept", image_kept },
		{ "read-after-unlock", read_after_unlock },
		{ "read-after-job", read_after_job },
		{ "store-unlocked", store_unlocked },
		{ "store-in-read-lock", store_in_read_lock },
		{ "call-in-read-lock", call_in_read_lock },
		{ "kernel-after-unlock", kernel_after_unlock },
		{ "kernel-in-read-lock", kernel_in_read_lock },
		{ "copy-in-read-lock", copy_in_read_lock },
		{ "kernel-while-locked", kernel_while_locked },
		{ "surface-while-locked", surface_while_locked },
		{ "wrapper-outlives", wrapper_outlives },
		{ "wrapper-of-unmapped", wrapper_of_unmapped },
		{ "wrapper-of-freed", wrapper_of_freed },
		{ "wrapper-unmapped-too-early", wrapper_unmapped_too_early },
		{ "width-for-pitch", width_for_pitch },
		{ "store-read-only", store_read_only },
		{ "object-not-flushed", object_not_flushed },
		{ "object-of-dma", object_of_dma },
		{ "cpu-job-wastes", cpu_job_wastes },
		{ "ended-in-a-job", ended_in_a_job },
	};
	const char *name = argc > 1 ? argv[1] : "";
	size_t i;

	if (!strncmp(name, "right-", 6)) {
		is_right = 1;
		name += 6;
	}
	CHECK(mem_ctx_open(NULL, &ctx));
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (strcmp(all[i].name, name))
			continue;
		all[i].run();
		mem_ctx_close(ctx);
		return 0;
	}
	errx(2, "no such mistake: %s", name);
}
