// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of external memory made from libmem's objects, which NvSciBuf objects
 * are, too: mappings, their lifetime, and permissions.
 */
#include <stdlib.h>

#include <heapsim_cuda.h>

#include "test.h"

#define LEN	(64 * 1024UL)
#define NR(array)	(sizeof(array) / sizeof((array)[0]))
#define ONE(key, of)	{ key, 0, &(of), sizeof(of) }

static struct mem_ctx *mem;

static int open_all(void **state)
{
	reset(state);
	return heapsim_cuda_ctx(&mem);
}

static struct mem_object *object_of(const struct mem_attr *values, size_t nr)
{
	struct mem_attrs *attrs, *result;
	struct mem_object *object;

	assert_int_equal(mem_attrs_create(mem, &attrs), 0);
	assert_int_equal(mem_attrs_set(attrs, values, nr), 0);
	assert_int_equal(mem_attrs_reconcile(&attrs, 1, &result, NULL), 0);
	assert_int_equal(mem_object_alloc(result, "shared", &object), 0);
	mem_attrs_destroy(result);
	mem_attrs_destroy(attrs);
	return object;
}

/* A raw buffer that the CPU (cached) and the GPU can access */
static struct mem_object *new_object(void)
{
	const uint32_t type = MEM_ATTR_TYPE_RAW, perm = MEM_RW;
	const uint64_t len = LEN, engines = 1ULL << MEM_ENGINE_GPU;
	const uint8_t yes = 1;
	const struct mem_attr values[] = {
		ONE(MEM_ATTR_TYPES, type),
		ONE(MEM_ATTR_RAW_SIZE, len),
		ONE(MEM_ATTR_NEED_CPU_ACCESS, yes),
		ONE(MEM_ATTR_CPU_CACHE, yes),
		ONE(MEM_ATTR_REQUIRED_PERM, perm),
		ONE(MEM_ATTR_ENGINES, engines),
	};

	return object_of(values, NR(values));
}

static struct cudaExternalMemoryHandleDesc handle_of(struct mem_object *object)
{
	struct cudaExternalMemoryHandleDesc desc = {
		.type = cudaExternalMemoryHandleTypeNvSciBuf,
		.size = LEN,
	};

	desc.handle.nvSciBufObject = object;
	return desc;
}

static cudaExternalMemory_t import(struct mem_object *object)
{
	struct cudaExternalMemoryHandleDesc desc = handle_of(object);
	cudaExternalMemory_t memory;

	ok(cudaImportExternalMemory(&memory, &desc));
	return memory;
}

static void *map(cudaExternalMemory_t memory, uint64_t off, uint64_t len)
{
	struct cudaExternalMemoryBufferDesc desc = {
		.offset = off,
		.size = len,
	};
	void *ptr;

	ok(cudaExternalMemoryGetMappedBuffer(&ptr, memory, &desc));
	return ptr;
}

static uint8_t *cpu_ptr(struct mem_object *object)
{
	void *ptr;

	assert_int_equal(mem_object_cpu_ptr(object, MEM_RW, &ptr), 0);
	return ptr;
}

static void device_and_cpu_share_an_object(void **state)
{
	struct mem_object *object = new_object();
	cudaExternalMemory_t memory = import(object);
	uint8_t *cpu = cpu_ptr(object), bytes[16];
	uint8_t *ptr = map(memory, 0, LEN);

	(void)state;
	memset(cpu, 1, LEN);
	assert_int_equal(mem_object_flush(object, 0, LEN), 0);
	ok(cudaMemcpy(bytes, ptr, sizeof(bytes), cudaMemcpyDeviceToHost));
	assert_int_equal(bytes[15], 1);
	ok(cudaMemset(ptr + 4096, 2, 4096));
	ok(cudaDeviceSynchronize());
	assert_int_equal(mem_object_flush(object, 0, LEN), 0);
	assert_int_equal(cpu[4095], 1);
	assert_int_equal(cpu[4096], 2);
	assert_int_equal(cpu[8192], 1);
	ok(cudaFree(ptr));
	ok(cudaDestroyExternalMemory(memory));
	mem_object_put(object);
}

static void part_of_an_object_is_mapped(void **state)
{
	struct mem_object *object = new_object();
	cudaExternalMemory_t memory = import(object);
	struct cudaExternalMemoryBufferDesc wrong[] = {
		{ .offset = 0, .size = LEN + 1 },
		{ .offset = LEN, .size = 1 },
		{ .offset = LEN - 1, .size = 2 },
		{ .offset = 0, .size = 0 },
		{ .offset = 0, .size = LEN, .flags = 1 },
	};
	struct cudaPointerAttributes what;
	uint8_t *all = map(memory, 0, LEN), *part = map(memory, 4096, 4096);
	void *ptr = (void *)0x5a5a;
	CUdeviceptr base;
	size_t i, len;

	(void)state;
	assert_ptr_equal(part, all + 4096);
	for (i = 0; i < NR(wrong); i++)
		is(cudaExternalMemoryGetMappedBuffer(&ptr, memory, &wrong[i]),
		   cudaErrorInvalidValue);
	assert_ptr_equal(ptr, (void *)0x5a5a);
	ok(cudaPointerGetAttributes(&what, part + 1));
	assert_int_equal(what.type, cudaMemoryTypeDevice);
	assert_ptr_equal(what.devicePointer, part + 1);
	assert_null(what.hostPointer);
	/* The answer is the newest mapping that contains the address. */
	cu(cuMemGetAddressRange(&base, &len, (CUdeviceptr)(part + 1)));
	assert_int_equal(base, (CUdeviceptr)part);
	assert_int_equal(len, 4096);
	is(cudaFree(part + 1), cudaErrorInvalidValue);
	ok(cudaFree(part));
	is(cudaFree(part), cudaErrorInvalidValue);
	cu(cuMemGetAddressRange(&base, &len, (CUdeviceptr)(part + 1)));
	assert_int_equal(base, (CUdeviceptr)all);
	ok(cudaFree(all));
	ok(cudaPointerGetAttributes(&what, all));
	assert_int_equal(what.type, cudaMemoryTypeUnregistered);
	ok(cudaDestroyExternalMemory(memory));
	mem_object_put(object);
}

/* As a producer and a consumer in one program would do */
static void an_object_is_imported_twice(void **state)
{
	struct mem_object *object = new_object();
	cudaExternalMemory_t memories[] = { import(object), import(object) };
	void *ptrs[] = { map(memories[0], 0, LEN), map(memories[1], 0, LEN) };

	(void)state;
	assert_ptr_equal(ptrs[0], ptrs[1]);
	ok(cudaFree(ptrs[0]));
	ok(cudaMemset(ptrs[1], 3, LEN));
	ok(cudaDeviceSynchronize());
	ok(cudaFree(ptrs[1]));
	is(cudaFree(ptrs[1]), cudaErrorInvalidValue);
	ok(cudaDestroyExternalMemory(memories[0]));
	ok(cudaDestroyExternalMemory(memories[1]));
	mem_object_put(object);
}

/* The memory lives until object, import and mapping are all freed. */
static void a_mapping_keeps_its_object(void **state)
{
	struct mem_object *object = new_object();
	cudaExternalMemory_t memory = import(object);
	uint8_t byte;
	void *ptr;

	(void)state;
	mem_object_put(object);
	ptr = map(memory, 0, LEN);
	ok(cudaMemset(ptr, 4, LEN));
	ok(cudaDestroyExternalMemory(memory));
	is(cudaDestroyExternalMemory(memory), cudaErrorInvalidResourceHandle);
	ok(cudaMemcpy(&byte, (uint8_t *)ptr + LEN - 1, 1,
		      cudaMemcpyDeviceToHost));
	assert_int_equal(byte, 4);
	ok(cudaFree(ptr));
}

static void a_reset_gives_all_back(void **state)
{
	struct mem_object *object = new_object();
	cudaExternalMemory_t memory = import(object);
	void *ptr = map(memory, 0, LEN);

	ok(cudaDeviceReset());
	is(cudaFree(ptr), cudaErrorInvalidValue);
	is(cudaDestroyExternalMemory(memory), cudaErrorInvalidResourceHandle);
	/* The program still has the object. */
	assert_int_equal(cpu_ptr(object)[0], 0);
	mem_object_put(object);
	reset(state);
}

static void what_is_no_object_of_the_gpus_is_refused(void **state)
{
	const uint32_t type = MEM_ATTR_TYPE_RAW;
	const uint64_t len = LEN;
	const uint8_t yes = 1;
	const struct mem_attr values[] = {
		ONE(MEM_ATTR_TYPES, type),
		ONE(MEM_ATTR_RAW_SIZE, len),
		ONE(MEM_ATTR_NEED_CPU_ACCESS, yes),
	};
	struct mem_object *object = object_of(values, NR(values));
	struct cudaExternalMemoryHandleDesc desc = handle_of(object);
	cudaExternalMemory_t memory = (cudaExternalMemory_t)0x5a5a;

	(void)state;
	is(cudaImportExternalMemory(&memory, &desc), cudaErrorNotPermitted);
	mem_object_put(object);
	object = new_object();
	desc = handle_of(NULL);
	is(cudaImportExternalMemory(&memory, &desc), cudaErrorInvalidValue);
	desc = handle_of(object);
	desc.size = 16 * LEN;
	is(cudaImportExternalMemory(&memory, &desc), cudaErrorInvalidValue);
	desc.size = 0;
	is(cudaImportExternalMemory(&memory, &desc), cudaErrorInvalidValue);
	assert_ptr_equal(memory, (cudaExternalMemory_t)0x5a5a);
	mem_object_put(object);
}

static struct mem_object *read_only(struct mem_object *object)
{
	struct mem_object *less;

	cpu_ptr(object)[0] = 7;
	assert_int_equal(mem_object_flush(object, 0, LEN), 0);
	assert_int_equal(mem_object_restrict(object, MEM_READ, &less), 0);
	return less;
}

static void a_read_only_object_is_not_written(void **state)
{
	struct mem_object *object = new_object(), *less = read_only(object);
	cudaExternalMemory_t memory = import(less);
	void *ptr = map(memory, 0, LEN);
	uint8_t byte = 0;

	(void)state;
	ok(cudaMemcpy(&byte, ptr, 1, cudaMemcpyDeviceToHost));
	assert_int_equal(byte, 7);
	is(cudaMemset(ptr, 8, LEN), cudaErrorNotPermitted);
	byte = 8;
	is(cudaMemcpy(ptr, &byte, 1, cudaMemcpyHostToDevice),
	   cudaErrorNotPermitted);
	assert_int_equal(mem_object_flush(object, 0, LEN), 0);
	assert_int_equal(cpu_ptr(object)[0], 7);
	ok(cudaFree(ptr));
	ok(cudaDestroyExternalMemory(memory));
	mem_object_put(less);
	mem_object_put(object);
}

static void k_store(const struct mem_block *block, void *arg)
{
	(void)block;
	**(volatile uint8_t **)arg = 9;
}

/* This has to be the last test, as the error stays in the context. */
static void a_kernels_store_to_it_is_an_illegal_address(void **state)
{
	struct mem_object *object, *less;
	struct mem_launch launch = {
		.size = sizeof(launch),
		.kernel = k_store,
		.grid = { 1, 1, 1 },
		.block = { 1, 1, 1 },
		.args_len = sizeof(void *),
	};
	struct mem_stream *stream;
	void *ptr;

	(void)state;
	/* Kernels that run in the program would crash it instead. */
	if (own_attribute(cudaDevAttrPageableMemoryAccess))
		skip_because("kernels run in the program on this board");
	object = new_object();
	less = read_only(object);
	ptr = map(import(less), 0, LEN);
	assert_int_equal(heapsim_cuda_stream(NULL, &stream), 0);
	launch.args = &ptr;
	assert_int_equal(mem_launch(stream, &launch), 0);
	assert_int_equal(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
	assert_int_equal(cpu_ptr(object)[0], 7);
	mem_object_put(less);
	mem_object_put(object);
}

/* An image of one plane, or of two */
static struct mem_object *new_image(uint32_t nr, uint64_t *offs,
				    uint32_t *pitches, uint64_t *len)
{
	const uint32_t type = MEM_ATTR_TYPE_IMAGE;
	const uint32_t layout = MEM_LAYOUT_PITCH_LINEAR;
	const uint32_t formats[] = { MEM_FOURCC('R', '8', ' ', ' '),
				     MEM_FOURCC('G', 'R', '8', '8') };
	const uint32_t widths[] = { 100, 50 }, heights[] = { 60, 30 };
	const uint64_t engines = 1ULL << MEM_ENGINE_GPU;
	const uint8_t yes = 1;
	const struct mem_attr values[] = {
		ONE(MEM_ATTR_TYPES, type),
		ONE(MEM_ATTR_NEED_CPU_ACCESS, yes),
		ONE(MEM_ATTR_ENGINES, engines),
		ONE(MEM_ATTR_IMAGE_LAYOUT, layout),
		ONE(MEM_ATTR_IMAGE_PLANE_COUNT, nr),
		{ MEM_ATTR_IMAGE_PLANE_FORMAT, 0, formats, nr * 4 },
		{ MEM_ATTR_IMAGE_PLANE_WIDTH, 0, widths, nr * 4 },
		{ MEM_ATTR_IMAGE_PLANE_HEIGHT, 0, heights, nr * 4 },
	};
	struct mem_object *object = object_of(values, NR(values));
	struct mem_attr outs[] = {
		{ .key = MEM_ATTR_IMAGE_PLANE_OFFSET },
		{ .key = MEM_ATTR_IMAGE_PLANE_PITCH },
		{ .key = MEM_ATTR_IMAGE_SIZE },
	};

	assert_int_equal(mem_attrs_get(mem_object_attrs(object), 0, outs, 3),
			 0);
	*len = *(const uint64_t *)outs[2].value;
	memcpy(offs, outs[0].value, nr * sizeof(*offs));
	memcpy(pitches, outs[1].value, nr * sizeof(*pitches));
	return object;
}

static cudaMipmappedArray_t map_plane(cudaExternalMemory_t memory, uint64_t off,
				      size_t width, size_t height,
				      struct cudaChannelFormatDesc format)
{
	struct cudaExternalMemoryMipmappedArrayDesc desc = {
		.offset = off,
		.formatDesc = format,
		.extent = { width, height, 0 },
		.numLevels = 1,
	};
	cudaMipmappedArray_t mipmap;

	ok(cudaExternalMemoryGetMappedMipmappedArray(&mipmap, memory, &desc));
	return mipmap;
}

/* Rows of such an array are the rows of the plane. */
static void planes_of_an_image_are_arrays(void **state)
{
	const struct cudaChannelFormatDesc formats[] = {
		{ 8, 0, 0, 0, cudaChannelFormatKindUnsigned },
		{ 8, 8, 0, 0, cudaChannelFormatKindUnsigned },
	};
	const size_t widths[] = { 100, 50 }, heights[] = { 60, 30 };
	uint64_t offs[2];
	uint32_t pitches[2];
	uint64_t len;
	struct mem_object *object = new_image(2, offs, pitches, &len);
	struct cudaExternalMemoryHandleDesc desc = handle_of(object);
	cudaMipmappedArray_t mipmaps[2];
	cudaExternalMemory_t memory;
	struct cudaResourceDesc resource = {
		.resType = cudaResourceTypeArray,
	};
	cudaSurfaceObject_t surface;
	uint8_t rows[60 * 100];
	cudaArray_t level;
	const uint8_t *at;
	size_t i, x, y;

	(void)state;
	desc.size = len;
	ok(cudaImportExternalMemory(&memory, &desc));
	for (i = 0; i < 2; i++) {
		mipmaps[i] = map_plane(memory, offs[i], widths[i], heights[i],
				       formats[i]);
		ok(cudaGetMipmappedArrayLevel(&level, mipmaps[i], 0));
		for (x = 0; x < sizeof(rows); x++)
			rows[x] = (uint8_t)(x * 3 + i);
		ok(cudaMemcpy2DToArray(level, 0, 0, rows, 100, 100, heights[i],
				       cudaMemcpyHostToDevice));
		/* They need no flag for this, as opposed to other arrays. */
		resource.res.array.array = level;
		ok(cudaCreateSurfaceObject(&surface, &resource));
		ok(cudaDestroySurfaceObject(surface));
	}
	ok(cudaDestroyExternalMemory(memory));
	assert_int_equal(mem_object_flush(object, 0, len), 0);
	for (i = 0; i < 2; i++)
		for (y = 0; y < heights[i]; y++) {
			at = cpu_ptr(object) + offs[i] + y * pitches[i];
			for (x = 0; x < 100; x++)
				assert_int_equal(at[x], (uint8_t)
						 ((y * 100 + x) * 3 + i));
		}
	mem_object_put(object);
	for (i = 0; i < 2; i++)
		ok(cudaFreeMipmappedArray(mipmaps[i]));
}

static void an_array_fits_its_plane(void **state)
{
	struct cudaExternalMemoryMipmappedArrayDesc what = {
		.formatDesc = { 8, 8, 8, 8, cudaChannelFormatKindUnsigned },
		.extent = { 4096, 60, 0 },
		.numLevels = 1,
	};
	uint64_t off;
	uint32_t pitch;
	uint64_t len;
	struct mem_object *object = new_image(1, &off, &pitch, &len);
	struct cudaExternalMemoryHandleDesc desc = handle_of(object);
	cudaExternalMemory_t memory;
	cudaMipmappedArray_t mipmap;

	(void)state;
	desc.size = len;
	ok(cudaImportExternalMemory(&memory, &desc));
	what.offset = off;
	is(cudaExternalMemoryGetMappedMipmappedArray(&mipmap, memory, &what),
	   cudaErrorInvalidValue);
	what.extent.width = 16;
	what.extent.height = 6000;
	is(cudaExternalMemoryGetMappedMipmappedArray(&mipmap, memory, &what),
	   cudaErrorInvalidValue);
	ok(cudaDestroyExternalMemory(memory));
	mem_object_put(object);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, open_all, reset)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(device_and_cpu_share_an_object),
		TEST(part_of_an_object_is_mapped),
		TEST(an_object_is_imported_twice),
		TEST(a_mapping_keeps_its_object),
		TEST(a_reset_gives_all_back),
		TEST(what_is_no_object_of_the_gpus_is_refused),
		TEST(a_read_only_object_is_not_written),
		TEST(planes_of_an_image_are_arrays),
		TEST(an_array_fits_its_plane),
		cmocka_unit_test_setup
			(a_kernels_store_to_it_is_an_illegal_address, open_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
