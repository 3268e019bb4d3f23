// SPDX-License-Identifier: GPL-2.0-only
/* Tests algorithms: each backend gives the same bytes as libmem; and errors. */
#include <errno.h>
#include <stdlib.h>

#include <vpi/algo/BoxFilter.h>
#include <vpi/algo/ConvertImageFormat.h>
#include <vpi/algo/Copy.h>
#include <vpi/algo/HarrisCorners.h>
#include <vpi/algo/Rescale.h>

#include "test.h"

#define WIDTH	64
#define HEIGHT	48

static const struct {
	uint64_t backend;
	unsigned int engine;
} backends[] = {
	{ VPI_BACKEND_CPU, MEM_ENGINE_CPU },
	{ VPI_BACKEND_CUDA, MEM_ENGINE_GPU },
	{ VPI_BACKEND_VIC, MEM_ENGINE_VIC },
	{ VPI_BACKEND_PVA, MEM_ENGINE_PVA },
};

#define NR_BACKENDS	(sizeof(backends) / sizeof(*backends))

static VPIStream stream;

static int setup(void **state)
{
	watch(state);
	ok(vpiStreamCreate(0, &stream));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	vpiStreamDestroy(stream);
	return 0;
}

static VPIImage new_image(int32_t width, int32_t height, VPIImageFormat format)
{
	VPIImage image = NULL;

	ok(vpiImageCreate(width, height, format, 0, &image));
	return image;
}

static struct mem_image *mem_of(VPIImage image)
{
	struct mem_image *mem;

	ok(heapsim_vpi_image(image, &mem));
	return mem;
}

static struct mem_stream *mem_stream_of(void)
{
	struct mem_stream *mem;

	ok(heapsim_vpi_stream(stream, &mem));
	return mem;
}

static uint64_t hash_of(const uint8_t *bytes, size_t len, uint64_t hash)
{
	size_t i;

	for (i = 0; i < len; i++)
		hash = (hash ^ bytes[i]) * 1099511628211U;
	return hash;
}

/* Returns a hash of all pixels. */
static uint64_t image_hash(VPIImage image)
{
	uint64_t hash = 14695981039346656037U;
	VPIImageData data;
	int32_t i;
	int32_t y;

	ok(vpiImageLockData(image, VPI_LOCK_READ,
			    VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, &data));
	for (i = 0; i < data.buffer.pitch.numPlanes; i++) {
		const VPIImagePlanePitchLinear *plane =
			&data.buffer.pitch.planes[i];
		int32_t len = plane->width *
			vpiPixelTypeGetBitsPerPixel(plane->pixelType) / 8;

		for (y = 0; y < plane->height; y++)
			hash = hash_of(plane->pBase + y * plane->pitchBytes,
				       len, hash);
	}
	ok(vpiImageUnlock(image));
	return hash;
}

/* Checks that VPI and libmem have both succeeded, with the same pixels. */
static void same(VPIStatus status, int rc, VPIImage vpi, VPIImage mem)
{
	if (rc == -EOPNOTSUPP || rc == -EACCES) {
		assert_int_not_equal(status, VPI_SUCCESS);
		return;
	}
	assert_int_equal(rc, 0);
	ok(status);
	ok(vpiStreamSync(stream));
	assert_true(image_hash(vpi) == image_hash(mem));
}

static void formats_are_converted_as_by_libmem(void **state)
{
	const struct mem_convert how = {
		.size = sizeof(how), .is_saturating = 0, .scale = 1.5,
		.offset = 3,
	};
	static const struct {
		VPIImageFormat from;
		VPIImageFormat to;
	} pairs[] = {
		{ VPI_IMAGE_FORMAT_NV12_ER, VPI_IMAGE_FORMAT_RGBA8 },
		{ VPI_IMAGE_FORMAT_BGR8, VPI_IMAGE_FORMAT_NV12_ER },
		{ VPI_IMAGE_FORMAT_BGR8, VPI_IMAGE_FORMAT_Y8_ER },
		{ VPI_IMAGE_FORMAT_U8, VPI_IMAGE_FORMAT_F32 },
	};
	VPIConvertImageFormatParams params;
	VPIStatus status;
	uint64_t backend;
	VPIImage input;
	VPIImage one;
	VPIImage two;
	size_t i;
	size_t j;
	int rc;

	(void)state;
	ok(vpiInitConvertImageFormatParams(&params));
	params.policy = VPI_CONVERSION_CAST;
	params.scale = 1.5f;
	params.offset = 3;
	for (i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		input = new_image(WIDTH, HEIGHT, pairs[i].from);
		one = new_image(WIDTH, HEIGHT, pairs[i].to);
		two = new_image(WIDTH, HEIGHT, pairs[i].to);
		image_fill(input);
		for (j = 0; j < NR_BACKENDS; j++) {
			backend = backends[j].backend;
			status = vpiSubmitConvertImageFormat(stream, backend,
							     input, one, NULL);
			rc = mem_image_convert(mem_stream_of(),
					       backends[j].engine, mem_of(two),
					       mem_of(input), NULL);
			same(status, rc, one, two);
		}
		status = vpiSubmitConvertImageFormat(stream, VPI_BACKEND_CUDA,
						     input, one, &params);
		rc = mem_image_convert(mem_stream_of(), MEM_ENGINE_GPU,
				       mem_of(two), mem_of(input), &how);
		if (rc == -EINVAL)
			assert_int_equal(status,
					 VPI_ERROR_INVALID_IMAGE_FORMAT);
		else
			same(status, rc, one, two);
		vpiImageDestroy(input);
		vpiImageDestroy(one);
		vpiImageDestroy(two);
	}
}

/* As a decoder gives them: only the VIC has them pitch-linear. */
static void block_linear_pixels_are_converted(void **state)
{
	const uint64_t flags = VPI_BACKEND_CUDA | VPI_BACKEND_VIC |
			       VPI_BACKEND_CPU;
	VPIImage linear, blocks, back;

	(void)state;
	if (vpiImageCreate(64, 32, VPI_IMAGE_FORMAT_NV12_BL, flags, &blocks)) {
		assert_int_equal(vpiGetLastStatus(),
				 VPI_ERROR_INVALID_OPERATION);
		skip_because("the board has no such images");
	}
	ok(vpiImageCreate(64, 32, VPI_IMAGE_FORMAT_NV12, flags, &linear));
	ok(vpiImageCreate(64, 32, VPI_IMAGE_FORMAT_NV12, flags, &back));
	image_fill(linear);
	ok(vpiSubmitConvertImageFormat(stream, VPI_BACKEND_VIC, linear, blocks,
				       NULL));
	ok(vpiSubmitConvertImageFormat(stream, VPI_BACKEND_VIC, blocks, back,
				       NULL));
	ok(vpiStreamSync(stream));
	assert_true(image_hash(back) == image_hash(linear));
	is(vpiSubmitConvertImageFormat(stream, VPI_BACKEND_CUDA, blocks, back,
				       NULL),
	   VPI_ERROR_NOT_IMPLEMENTED, "backend CUDA");
	vpiImageDestroy(linear);
	vpiImageDestroy(back);
	vpiImageDestroy(blocks);
}

static void images_are_scaled_as_by_libmem(void **state)
{
	VPIImage input = new_image(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_NV12_ER);
	VPIImage one = new_image(40, 30, VPI_IMAGE_FORMAT_NV12_ER);
	VPIImage two = new_image(40, 30, VPI_IMAGE_FORMAT_NV12_ER);
	VPIStatus status;
	size_t i;
	int rc;

	(void)state;
	image_fill(input);
	for (i = 0; i < NR_BACKENDS; i++) {
		status = vpiSubmitRescale(stream, backends[i].backend, input,
					  one, VPI_INTERP_LINEAR,
					  VPI_BORDER_CLAMP, 0);
		rc = mem_image_rescale(mem_stream_of(), backends[i].engine,
				       mem_of(two), mem_of(input),
				       MEM_INTERP_LINEAR, MEM_BORDER_CLAMP);
		same(status, rc, one, two);
		if (backends[i].backend == VPI_BACKEND_VIC)
			continue;
		status = vpiSubmitRescale(stream, backends[i].backend, input,
					  one, VPI_INTERP_NEAREST,
					  VPI_BORDER_ZERO, VPI_PRECISE);
		rc = mem_image_rescale(mem_stream_of(), backends[i].engine,
				       mem_of(two), mem_of(input),
				       MEM_INTERP_NEAREST, MEM_BORDER_ZERO);
		same(status, rc, one, two);
	}
	vpiImageDestroy(input);
	vpiImageDestroy(one);
	vpiImageDestroy(two);
}

/* VPI's reference documents this, although the compositor can do more. */
static void the_compositor_clamps_and_is_linear(void **state)
{
	VPIImage input = new_image(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_NV12_ER);
	VPIImage output = new_image(40, 30, VPI_IMAGE_FORMAT_NV12_ER);

	(void)state;
	is(vpiSubmitRescale(stream, VPI_BACKEND_VIC, input, output,
			    VPI_INTERP_NEAREST, VPI_BORDER_CLAMP, 0),
	   VPI_ERROR_INVALID_ARGUMENT, "VIC interpolates by VPI_INTERP_LINEAR");
	is(vpiSubmitRescale(stream, VPI_BACKEND_VIC, input, output,
			    VPI_INTERP_LINEAR, VPI_BORDER_ZERO, 0),
	   VPI_ERROR_INVALID_ARGUMENT, "VIC has border VPI_BORDER_CLAMP");
	vpiImageDestroy(input);
	vpiImageDestroy(output);
}

static void windows_are_averaged_as_by_libmem(void **state)
{
	VPIImage input = new_image(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_U8);
	VPIImage one = new_image(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_U8);
	VPIImage two = new_image(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_U8);
	VPIStatus status;
	size_t i;
	int rc;

	(void)state;
	image_fill(input);
	for (i = 0; i < NR_BACKENDS; i++) {
		status = vpiSubmitBoxFilter(stream, backends[i].backend, input,
					    one, 5, 3, VPI_BORDER_CLAMP);
		rc = mem_image_box(mem_stream_of(), backends[i].engine,
				   mem_of(two), mem_of(input), 5, 3,
				   MEM_BORDER_CLAMP);
		same(status, rc, one, two);
	}
	/* Backend 0 means the first one that is available. */
	ok(vpiSubmitBoxFilter(stream, 0, input, one, 5, 3, VPI_BORDER_CLAMP));
	ok(vpiStreamSync(stream));
	assert_true(image_hash(one) == image_hash(two));
	vpiImageDestroy(input);
	vpiImageDestroy(one);
	vpiImageDestroy(two);
}

/* Draws white squares on black. */
static void draw_squares(VPIImage image)
{
	VPIImageData data;
	int32_t x;
	int32_t y;

	ok(vpiImageLockData(image, VPI_LOCK_WRITE,
			    VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, &data));
	for (y = 0; y < HEIGHT; y++)
		for (x = 0; x < WIDTH; x++)
			data.buffer.pitch.planes[0].pBase
				[y * data.buffer.pitch.planes[0].pitchBytes +
				 x] = x / 16 % 2 && y / 16 % 2 ? 255 : 0;
	ok(vpiImageUnlock(image));
}

static uint64_t corners_hash(VPIArray keypoints, VPIArray scores, int32_t *nr)
{
	uint64_t hash = 14695981039346656037U;
	VPIArrayData data;

	ok(vpiArrayLockData(keypoints, VPI_LOCK_READ,
			    VPI_ARRAY_BUFFER_HOST_AOS, &data));
	*nr = *data.buffer.aos.sizePointer;
	hash = hash_of(data.buffer.aos.data, *nr * sizeof(VPIKeypointF32),
		       hash);
	ok(vpiArrayUnlock(keypoints));
	ok(vpiArrayLockData(scores, VPI_LOCK_READ, VPI_ARRAY_BUFFER_HOST_AOS,
			    &data));
	assert_int_equal(*data.buffer.aos.sizePointer, *nr);
	hash = hash_of(data.buffer.aos.data, *nr * sizeof(uint32_t), hash);
	ok(vpiArrayUnlock(scores));
	return hash;
}

static void corners_are_found_as_by_libmem(void **state)
{
	const struct mem_harris how = {
		.size = sizeof(how), .gradient_len = 3, .block_len = 3,
		.strength = 20, .sensitivity = 0.0625f, .min_distance = 8,
	};
	VPIImage image = new_image(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_U8);
	VPIArray keypoints;
	VPIPayload payload;
	struct mem_array *mem_keypoints;
	struct mem_array *mem_scores;
	uint64_t backend;
	VPIArray scores;
	uint64_t flags;
	uint64_t first;
	int32_t nr;
	size_t i;
	int rc;

	(void)state;
	draw_squares(image);
	ok(vpiArrayCreate(256, VPI_ARRAY_TYPE_KEYPOINT_F32, 0, &keypoints));
	ok(vpiArrayCreate(256, VPI_ARRAY_TYPE_U32, 0, &scores));
	ok(heapsim_vpi_array(keypoints, &mem_keypoints));
	ok(heapsim_vpi_array(scores, &mem_scores));
	ok(vpiCreateHarrisCornerDetector(0, WIDTH, HEIGHT, &payload));
	ok(vpiPayloadGetFlags(payload, &flags));
	assert_true(flags & VPI_BACKEND_CPU && !(flags & VPI_BACKEND_VIC));
	for (i = 0; i < NR_BACKENDS; i++) {
		rc = mem_image_harris(mem_stream_of(), backends[i].engine,
				      mem_of(image), mem_keypoints, mem_scores,
				      &how);
		if (rc == -EOPNOTSUPP || rc == -EACCES)
			continue;
		assert_int_equal(rc, 0);
		ok(vpiStreamSync(stream));
		first = corners_hash(keypoints, scores, &nr);
		assert_true(nr >= 4);
		ok(vpiArraySetSize(keypoints, 0));
		ok(vpiArraySetSize(scores, 0));
		backend = backends[i].backend;
		ok(vpiSubmitHarrisCornerDetector(stream, backend, payload,
						 image, keypoints, scores,
						 NULL));
		ok(vpiStreamSync(stream));
		assert_true(corners_hash(keypoints, scores, &nr) == first);
	}
	vpiPayloadDestroy(payload);
	vpiPayloadDestroy(payload);
	vpiPayloadDestroy(NULL);
	vpiArrayDestroy(keypoints);
	vpiArrayDestroy(scores);
	vpiImageDestroy(image);
}

/* Keypoints are in managed memory, which the program reads without a copy. */
static void corners_arrive_in_wrappers(void **state)
{
	VPIImage image = new_image(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_U8);
	VPIKeypointF32 host[64];
	VPIArray keypoints[2];
	VPIPayload payload;
	struct mem_ctx *ctx;
	VPIArrayData data;
	VPIKeypointF32 *found;
	VPIArray scores;
	int32_t sizes[2] = { 0 };
	void *memory;
	int i;

	(void)state;
	draw_squares(image);
	ok(heapsim_vpi_ctx(&ctx));
	assert_int_equal(mem_alloc(ctx, MEM_KIND_MANAGED, sizeof(host),
				   MEM_ATTACH_GLOBAL, &memory), 0);
	memset(&data, 0, sizeof(data));
	data.bufferType = VPI_ARRAY_BUFFER_CUDA_AOS;
	data.buffer.aos.type = VPI_ARRAY_TYPE_KEYPOINT_F32;
	data.buffer.aos.capacity = 64;
	data.buffer.aos.data = memory;
	data.buffer.aos.sizePointer = &sizes[0];
	ok(vpiArrayCreateWrapper(&data, 0, &keypoints[0]));
	data.bufferType = VPI_ARRAY_BUFFER_HOST_AOS;
	data.buffer.aos.data = host;
	data.buffer.aos.sizePointer = &sizes[1];
	ok(vpiArrayCreateWrapper(&data, 0, &keypoints[1]));
	ok(vpiArrayCreate(64, VPI_ARRAY_TYPE_U32, 0, &scores));
	ok(vpiCreateHarrisCornerDetector(VPI_BACKEND_CUDA, WIDTH, HEIGHT,
					 &payload));
	for (i = 0; i < 2; i++) {
		ok(vpiSubmitHarrisCornerDetector(stream, VPI_BACKEND_CUDA,
						 payload, image, keypoints[i],
						 scores, NULL));
		ok(vpiStreamSync(stream));
		/* The size arrives with the elements, without a lock. */
		assert_true(sizes[i] >= 4);
	}
	assert_int_equal(sizes[0], sizes[1]);
	found = memory;
	for (i = 0; i < sizes[0]; i++)
		assert_true(found[i].x == host[i].x && found[i].y == host[i].y);
	/* Once an array is destroyed, its memory is the program's alone. */
	for (i = 0; i < 2; i++) {
		ok(vpiSubmitHarrisCornerDetector(stream, VPI_BACKEND_CUDA,
						 payload, image, keypoints[i],
						 scores, NULL));
		vpiArrayDestroy(keypoints[i]);
		sizes[i] = -7;
	}
	ok(vpiStreamSync(stream));
	assert_int_equal(sizes[0], -7);
	assert_int_equal(sizes[1], -7);
	vpiPayloadDestroy(payload);
	vpiArrayDestroy(scores);
	vpiImageDestroy(image);
	assert_int_equal(mem_free(ctx, memory), 0);
}

static void image_clear(VPIImage image)
{
	const double zero[3] = { 0 };

	assert_int_equal(mem_image_fill(mem_stream_of(), MEM_ENGINE_CPU,
					mem_of(image), zero, 3), 0);
}

static void images_are_copied_as_by_libmem(void **state)
{
	VPIImage input = new_image(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_NV12_ER);
	VPIImage output = new_image(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_NV12_ER);
	VPIImage copy = new_image(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_NV12_ER);
	VPIImage small = new_image(8, 8, VPI_IMAGE_FORMAT_NV12_ER);
	VPIImage other = new_image(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_NV12);
	VPIStatus status;
	size_t i;
	int rc;

	(void)state;
	image_fill(input);
	for (i = 0; i < NR_BACKENDS; i++) {
		image_clear(output);
		image_clear(copy);
		status = vpiSubmitCopyImage(stream, backends[i].backend, input,
					    output);
		rc = mem_image_copy(mem_stream_of(), backends[i].engine,
				    mem_of(copy), mem_of(input));
		ok(vpiStreamSync(stream));
		same(status, rc, output, copy);
		assert_true(rc || image_hash(output) == image_hash(input));
	}
	is(vpiSubmitCopyImage(NULL, 0, input, output),
	   VPI_ERROR_INVALID_ARGUMENT, "stream is NULL");
	is(vpiSubmitCopyImage(stream, 0, input, input),
	   VPI_ERROR_INVALID_ARGUMENT, "one image");
	is(vpiSubmitCopyImage(stream, 0, input, small),
	   VPI_ERROR_INVALID_ARGUMENT, "64x48");
	is(vpiSubmitCopyImage(stream, 0, input, other),
	   VPI_ERROR_INVALID_IMAGE_FORMAT, "two formats");
	is(vpiSubmitCopyPyramid(stream, 0, NULL, NULL),
	   VPI_ERROR_NOT_IMPLEMENTED, "vpiSubmitCopyPyramid");
	vpiImageDestroy(input);
	vpiImageDestroy(output);
	vpiImageDestroy(copy);
	vpiImageDestroy(small);
	vpiImageDestroy(other);
}

static VPIArray wrap_numbers(uint32_t *numbers, int32_t *size)
{
	VPIArrayData data;
	VPIArray array;

	memset(&data, 0, sizeof(data));
	data.bufferType = VPI_ARRAY_BUFFER_HOST_AOS;
	data.buffer.aos.type = VPI_ARRAY_TYPE_U32;
	data.buffer.aos.capacity = 8;
	data.buffer.aos.strideBytes = 2 * sizeof(*numbers);
	data.buffer.aos.data = numbers;
	data.buffer.aos.sizePointer = size;
	ok(vpiArrayCreateWrapper(&data, 0, &array));
	return array;
}

/* The stride of the wrappers is two elements. */
static void arrays_are_copied_with_their_size(void **state)
{
	uint32_t from[16], to[16];
	int32_t sizes[2] = { 5, 0 };
	VPIArray input = wrap_numbers(from, &sizes[0]);
	VPIArray output = wrap_numbers(to, &sizes[1]);
	VPIArray between, other, small, cpu;
	int32_t size;
	size_t i;

	(void)state;
	for (i = 0; i < 16; i++)
		from[i] = i;
	ok(vpiArrayCreate(8, VPI_ARRAY_TYPE_U32, 0, &between));
	for (i = 0; i < 2; i++) {
		memset(to, 0xff, sizeof(to));
		sizes[0] = 5 + i;
		ok(vpiSubmitCopyArray(stream, backends[i].backend, input,
				      between));
		ok(vpiSubmitCopyArray(stream, backends[i].backend, between,
				      output));
		ok(vpiStreamSync(stream));
		ok(vpiArrayGetSize(between, &size));
		assert_int_equal(size, sizes[0]);
		assert_int_equal(sizes[1], sizes[0]);
		assert_int_equal(to[2 * (size - 1)], 2 * (size - 1));
		assert_int_equal(to[1], UINT32_MAX);
		assert_int_equal(to[2 * size], UINT32_MAX);
	}
	ok(vpiArrayCreate(8, VPI_ARRAY_TYPE_F32, 0, &other));
	ok(vpiArrayCreate(7, VPI_ARRAY_TYPE_U32, 0, &small));
	ok(vpiArrayCreate(8, VPI_ARRAY_TYPE_U32, VPI_BACKEND_CPU, &cpu));
	is(vpiSubmitCopyArray(NULL, 0, input, output),
	   VPI_ERROR_INVALID_ARGUMENT, "stream is NULL");
	is(vpiSubmitCopyArray(stream, 0, NULL, output),
	   VPI_ERROR_INVALID_ARGUMENT, "input is NULL");
	is(vpiSubmitCopyArray(stream, 0, input, NULL),
	   VPI_ERROR_INVALID_ARGUMENT, "output is NULL");
	is(vpiSubmitCopyArray(stream, 0, input, input),
	   VPI_ERROR_INVALID_ARGUMENT, "one array");
	is(vpiSubmitCopyArray(stream, 0, input, other),
	   VPI_ERROR_INVALID_ARRAY_TYPE, "VPI_ARRAY_TYPE_F32");
	is(vpiSubmitCopyArray(stream, 0, input, small),
	   VPI_ERROR_INVALID_ARGUMENT, "room for 8, output for 7");
	is(vpiSubmitCopyArray(stream, VPI_BACKEND_CUDA, input, cpu),
	   VPI_ERROR_INVALID_OPERATION, "the output was made without");
	ok(vpiArrayLock(output, VPI_LOCK_READ));
	is(vpiSubmitCopyArray(stream, 0, input, output),
	   VPI_ERROR_BUFFER_LOCKED, "is locked");
	ok(vpiArrayUnlock(output));
	vpiArrayDestroy(input);
	vpiArrayDestroy(output);
	vpiArrayDestroy(between);
	vpiArrayDestroy(other);
	vpiArrayDestroy(small);
	vpiArrayDestroy(cpu);
}

static void wrong_images_are_refused(void **state)
{
	VPIImage image = new_image(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_U8);
	VPIImage other = new_image(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_U8);
	VPIImage small = new_image(8, 8, VPI_IMAGE_FORMAT_U8);
	VPIImage wide = new_image(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_2F32);
	VPIConvertImageFormatParams params;
	VPIImage cpu;

	(void)state;
	ok(vpiImageCreate(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_U8, VPI_BACKEND_CPU,
			  &cpu));
	is(vpiSubmitBoxFilter(NULL, 0, image, other, 3, 3, VPI_BORDER_ZERO),
	   VPI_ERROR_INVALID_ARGUMENT, "stream is NULL");
	is(vpiSubmitBoxFilter(stream, 0, NULL, other, 3, 3, VPI_BORDER_ZERO),
	   VPI_ERROR_INVALID_ARGUMENT, "input is NULL");
	is(vpiSubmitBoxFilter(stream, 0, image, NULL, 3, 3, VPI_BORDER_ZERO),
	   VPI_ERROR_INVALID_ARGUMENT, "output is NULL");
	is(vpiSubmitBoxFilter(stream, 0, image, image, 3, 3, VPI_BORDER_ZERO),
	   VPI_ERROR_INVALID_ARGUMENT, "one image");
	is(vpiSubmitBoxFilter(stream, 0, image, small, 3, 3, VPI_BORDER_ZERO),
	   VPI_ERROR_INVALID_ARGUMENT, "64x48");
	is(vpiSubmitBoxFilter(stream, 0, image, wide, 3, 3, VPI_BORDER_ZERO),
	   VPI_ERROR_INVALID_IMAGE_FORMAT, "two formats");
	is(vpiSubmitBoxFilter(stream, 0, image, other, 4, 3, VPI_BORDER_ZERO),
	   VPI_ERROR_INVALID_ARGUMENT, "4x3");
	is(vpiSubmitBoxFilter(stream, 0, image, other, 3, 13, VPI_BORDER_ZERO),
	   VPI_ERROR_INVALID_ARGUMENT, "3x13");
	is(vpiSubmitBoxFilter(stream, 0, image, other, 3, 3,
			      VPI_BORDER_MIRROR),
	   VPI_ERROR_NOT_IMPLEMENTED, "VPI_BORDER_MIRROR");
	is(vpiSubmitBoxFilter(stream, 0, image, other, 3, 3,
			      VPI_BORDER_INVALID),
	   VPI_ERROR_INVALID_ARGUMENT, "no border 5");
	is(vpiSubmitBoxFilter(stream, VPI_BACKEND_CUDA, image, cpu, 3, 3,
			      VPI_BORDER_ZERO),
	   VPI_ERROR_INVALID_OPERATION, "the output was made without");
	is(vpiSubmitBoxFilter(stream, VPI_BACKEND_CUDA | VPI_BACKEND_CPU,
			      image, other, 3, 3, VPI_BORDER_ZERO),
	   VPI_ERROR_INVALID_ARGUMENT, "not one backend");
	is(vpiSubmitBoxFilter(stream, VPI_BACKEND_OFA, image, other, 3, 3,
			      VPI_BORDER_ZERO),
	   VPI_ERROR_INVALID_OPERATION, "OFA");
	is(vpiSubmitRescale(stream, 0, image, small, VPI_INTERP_CATMULL_ROM,
			    VPI_BORDER_ZERO, 0),
	   VPI_ERROR_NOT_IMPLEMENTED, "VPI_INTERP_CATMULL_ROM");
	is(vpiSubmitRescale(stream, 0, image, small, VPI_INTERP_NULL,
			    VPI_BORDER_ZERO, 0),
	   VPI_ERROR_INVALID_ARGUMENT, "no interpolation 0");
	is(vpiSubmitRescale(stream, 0, image, small, VPI_INTERP_LINEAR,
			    VPI_BORDER_ZERO, 1),
	   VPI_ERROR_INVALID_ARGUMENT, "flags");
	is(vpiSubmitConvertImageFormat(stream, 0, image, wide, NULL),
	   VPI_ERROR_INVALID_IMAGE_FORMAT, "does not convert");
	is(vpiInitConvertImageFormatParams(NULL), VPI_ERROR_INVALID_ARGUMENT,
	   "params is NULL");
	ok(vpiInitConvertImageFormatParams(&params));
	params.scale = 0;
	is(vpiSubmitConvertImageFormat(stream, 0, image, other, &params),
	   VPI_ERROR_INVALID_ARGUMENT, "scale is 0");
	is(vpiSubmitConvertImageFormatPyramid(stream, 0, NULL, NULL, NULL),
	   VPI_ERROR_NOT_IMPLEMENTED, "vpiSubmitConvertImageFormatPyramid");
	vpiImageDestroy(image);
	vpiImageDestroy(other);
	vpiImageDestroy(small);
	vpiImageDestroy(wide);
	vpiImageDestroy(cpu);
}

static void what_may_only_be_read_is_not_written(void **state)
{
	VPIImage image = new_image(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_U8);
	VPIImage to_read;
	struct mem_object *object;
	VPIImageData data;

	(void)state;
	ok(vpiImageLockData(image, VPI_LOCK_READ, VPI_IMAGE_BUFFER_NVSCIBUF,
			    &data));
	assert_int_equal(mem_object_restrict((struct mem_object *)
					     data.buffer.nvscibuf.buffer,
					     MEM_READ, &object), 0);
	ok(vpiImageUnlock(image));
	data.buffer.nvscibuf.buffer = (NvSciBufObj)object;
	ok(vpiImageCreateWrapper(&data, NULL, 0, &to_read));
	mem_object_put(object);
	is(vpiSubmitBoxFilter(stream, 0, image, to_read, 3, 3,
			      VPI_BORDER_ZERO),
	   VPI_ERROR_INVALID_OPERATION, "may only be read");
	is(vpiImageLockData(to_read, VPI_LOCK_WRITE,
			    VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, &data),
	   VPI_ERROR_INVALID_OPERATION, "may only be read");
	is(vpiImageLock(to_read, VPI_LOCK_READ_WRITE),
	   VPI_ERROR_INVALID_OPERATION, "may only be read");
	ok(vpiSubmitBoxFilter(stream, 0, to_read, image, 3, 3,
			      VPI_BORDER_ZERO));
	vpiImageDestroy(to_read);
	vpiImageDestroy(image);
}

static void wrong_detectors_are_refused(void **state)
{
	VPIImage image = new_image(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_U8);
	VPIHarrisCornerDetectorParams params;
	VPIArray keypoints;
	VPIPayload payload;
	VPIPayload other;
	VPIArray scores;
	uint64_t flags;
	VPIArray few;

	(void)state;
	ok(vpiArrayCreate(16, VPI_ARRAY_TYPE_KEYPOINT_F32, 0, &keypoints));
	ok(vpiArrayCreate(16, VPI_ARRAY_TYPE_U32, 0, &scores));
	ok(vpiArrayCreate(8, VPI_ARRAY_TYPE_U32, 0, &few));
	ok(vpiCreateHarrisCornerDetector(VPI_BACKEND_CPU, WIDTH, HEIGHT,
					 &payload));
	is(vpiCreateHarrisCornerDetector(0, 8, 8, NULL),
	   VPI_ERROR_INVALID_ARGUMENT, "payload is NULL");
	is(vpiCreateHarrisCornerDetector(0, 0, 8, &other),
	   VPI_ERROR_INVALID_ARGUMENT, "0x8");
	is(vpiCreateHarrisCornerDetector(VPI_BACKEND_VIC, 8, 8, &other),
	   VPI_ERROR_NOT_IMPLEMENTED, "CPU, CUDA and PVA");
	is(vpiSubmitHarrisCornerDetector(stream, 0, NULL, image, keypoints,
					 scores, NULL),
	   VPI_ERROR_INVALID_ARGUMENT, "payload is NULL");
	is(vpiSubmitHarrisCornerDetector(stream, 0, (VPIPayload)image, image,
					 keypoints, scores, NULL),
	   VPI_ERROR_INVALID_PAYLOAD_TYPE, "payload");
	is(vpiSubmitHarrisCornerDetector(stream, VPI_BACKEND_CUDA, payload,
					 image, keypoints, scores, NULL),
	   VPI_ERROR_INVALID_OPERATION, "the payload was made without");
	is(vpiSubmitHarrisCornerDetector(stream, 0, payload, image, scores,
					 scores, NULL),
	   VPI_ERROR_INVALID_ARRAY_TYPE, "KEYPOINT_F32");
	is(vpiSubmitHarrisCornerDetector(stream, 0, payload, image, keypoints,
					 few, NULL),
	   VPI_ERROR_INVALID_ARGUMENT, "16");
	is(vpiInitHarrisCornerDetectorParams(NULL),
	   VPI_ERROR_INVALID_ARGUMENT, "params is NULL");
	ok(vpiInitHarrisCornerDetectorParams(&params));
	params.gradientSize = 4;
	is(vpiSubmitHarrisCornerDetector(stream, 0, payload, image, keypoints,
					 scores, &params),
	   VPI_ERROR_INVALID_ARGUMENT, "gradientSize 4");
	vpiPayloadDestroy(payload);
	ok(vpiCreateHarrisCornerDetector(VPI_BACKEND_CPU, 8, 8, &payload));
	is(vpiSubmitHarrisCornerDetector(stream, 0, payload, image, keypoints,
					 scores, NULL),
	   VPI_ERROR_INVALID_ARGUMENT, "8x8");
	vpiPayloadDestroy(payload);
	/* The PVA needs larger images, in S16, whether it is named or not. */
	ok(vpiContextGetFlags(VPI_GLOBAL_CONTEXT, &flags));
	if (flags & VPI_BACKEND_PVA) {
		ok(vpiCreateHarrisCornerDetector(VPI_BACKEND_PVA, WIDTH, HEIGHT,
						 &payload));
		is(vpiSubmitHarrisCornerDetector(stream, 0, payload, image,
						 keypoints, scores, NULL),
		   VPI_ERROR_NOT_IMPLEMENTED, "backend PVA");
		vpiPayloadDestroy(payload);
	}
	vpiArrayDestroy(keypoints);
	vpiArrayDestroy(scores);
	vpiArrayDestroy(few);
	vpiImageDestroy(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(formats_are_converted_as_by_libmem,
					  no_violation),
		cmocka_unit_test_teardown(block_linear_pixels_are_converted,
					  no_violation),
		cmocka_unit_test_teardown(images_are_scaled_as_by_libmem,
					  no_violation),
		cmocka_unit_test_teardown(the_compositor_clamps_and_is_linear,
					  no_violation),
		cmocka_unit_test_teardown(windows_are_averaged_as_by_libmem,
					  no_violation),
		cmocka_unit_test_teardown(corners_are_found_as_by_libmem,
					  no_violation),
		cmocka_unit_test_teardown(corners_arrive_in_wrappers,
					  no_violation),
		cmocka_unit_test_teardown(images_are_copied_as_by_libmem,
					  no_violation),
		cmocka_unit_test_teardown(arrays_are_copied_with_their_size,
					  no_violation),
		cmocka_unit_test(wrong_images_are_refused),
		cmocka_unit_test(wrong_detectors_are_refused),
		cmocka_unit_test(what_may_only_be_read_is_not_written),
	};

	return cmocka_run_group_tests_name("vpi submit", tests, setup,
					   teardown);
}
