// SPDX-License-Identifier: GPL-2.0-only
/* Tests views: the state shared with their parents, and possible parents. */
#include <stdlib.h>

#include <cuda_runtime_api.h>
#include <vpi/algo/BoxFilter.h>
#include <vpi/algo/ConvertImageFormat.h>

#include "test.h"

#define WIDTH	64
#define HEIGHT	32
#define BOTH	(VPI_BACKEND_CPU | VPI_BACKEND_CUDA)

static VPIImage new_image(int32_t width, int32_t height, VPIImageFormat format,
			  uint64_t flags)
{
	VPIImage image = NULL;

	ok(vpiImageCreate(width, height, format, flags, &image));
	return image;
}

static VPIImage new_view(VPIImage parent, int32_t x, int32_t y, int32_t width,
			 int32_t height, uint64_t flags)
{
	const VPIRectangleI clip = { x, y, width, height };
	VPIImage view = NULL;

	ok(vpiImageCreateView(parent, &clip, flags, &view));
	return view;
}

static VPIImagePlanePitchLinear locked(VPIImage image, VPILockMode mode,
				       int plane)
{
	VPIImageData data;

	ok(vpiImageLockData(image, mode, VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR,
			    &data));
	return data.buffer.pitch.planes[plane];
}

static uint8_t pixel_of(const VPIImagePlanePitchLinear *plane, int32_t x,
			int32_t y)
{
	return plane->pBase[y * plane->pitchBytes + x];
}

static uint8_t in_quadrant(int32_t i, int32_t x, int32_t y)
{
	return pattern(x + i % 2 * WIDTH / 2, y + i / 2 * HEIGHT / 2);
}

static void quadrants_are_read_by_engines(void **state)
{
	VPIImage parent = new_image(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_NV12_ER,
				    BOTH);
	VPIImagePlanePitchLinear plane;
	VPIStream stream;
	VPIImage view[4];
	VPIImage luma[4];
	int32_t i;
	int32_t x;
	int32_t y;

	(void)state;
	image_fill(parent);
	ok(vpiStreamCreate(0, &stream));
	for (i = 0; i < 4; i++) {
		view[i] = new_view(parent, i % 2 * WIDTH / 2,
				   i / 2 * HEIGHT / 2, WIDTH / 2, HEIGHT / 2,
				   0);
		luma[i] = new_image(WIDTH / 2, HEIGHT / 2,
				    VPI_IMAGE_FORMAT_Y8_ER, BOTH);
		ok(vpiSubmitConvertImageFormat(stream, VPI_BACKEND_CUDA,
					       view[i], luma[i], NULL));
	}
	ok(vpiStreamSync(stream));
	for (i = 0; i < 4; i++) {
		plane = locked(luma[i], VPI_LOCK_READ, 0);
		for (y = 0; y < HEIGHT / 2; y++)
			for (x = 0; x < WIDTH / 2; x++)
				assert_int_equal(pixel_of(&plane, x, y),
						 in_quadrant(i, x, y));
		ok(vpiImageUnlock(luma[i]));
		plane = locked(view[i], VPI_LOCK_READ, 1);
		assert_int_equal(plane.width, WIDTH / 4);
		assert_int_equal(plane.height, HEIGHT / 4);
		assert_int_equal(pixel_of(&plane, 3, 2),
				 pattern(3 + i % 2 * WIDTH / 2,
					 2 + i / 2 * HEIGHT / 4));
		ok(vpiImageUnlock(view[i]));
		vpiImageDestroy(view[i]);
		vpiImageDestroy(luma[i]);
	}
	vpiStreamDestroy(stream);
	vpiImageDestroy(parent);
}

static void a_written_view_changes_its_part(void **state)
{
	VPIImage parent = new_image(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_U8, BOTH);
	VPIImage input = new_image(16, 8, VPI_IMAGE_FORMAT_U8, BOTH);
	VPIImage view = new_view(parent, 5, 3, 16, 8, VPI_BACKEND_CUDA);
	VPIImagePlanePitchLinear plane;
	VPIStream stream;
	uint64_t flags;
	int32_t x;
	int32_t y;

	(void)state;
	ok(vpiImageGetFlags(view, &flags));
	assert_int_equal(flags, VPI_BACKEND_CUDA);
	image_fill(parent);
	plane = locked(input, VPI_LOCK_WRITE, 0);
	memset(plane.pBase, 77, 8 * plane.pitchBytes);
	ok(vpiImageUnlock(input));
	ok(vpiStreamCreate(0, &stream));
	ok(vpiSubmitBoxFilter(stream, VPI_BACKEND_CUDA, input, view, 3, 3,
			      VPI_BORDER_CLAMP));
	ok(vpiStreamSync(stream));
	plane = locked(parent, VPI_LOCK_READ, 0);
	for (y = 0; y < HEIGHT; y++)
		for (x = 0; x < WIDTH; x++)
			assert_int_equal(pixel_of(&plane, x, y),
					 x >= 5 && x < 21 && y >= 3 && y < 11 ?
					 77 : pattern(x, y));
	ok(vpiImageUnlock(parent));
	vpiImageDestroy(view);
	vpiImageDestroy(input);
	vpiImageDestroy(parent);
	vpiStreamDestroy(stream);
}

static void a_view_moves(void **state)
{
	VPIImage parent = new_image(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_U8, BOTH);
	VPIImage other = new_image(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_U8, BOTH);
	VPIImage view = new_view(parent, 8, 4, 32, 16, 0);
	VPIImage inner = new_view(view, 2, 1, 8, 8, 0);
	const VPIRectangleI clip = { 40, 20, 8, 8 };
	const VPIRectangleI wide = { 40, 20, 9, 8 };
	VPIImagePlanePitchLinear plane;

	(void)state;
	image_fill(parent);
	image_fill(other);
	plane = locked(inner, VPI_LOCK_READ, 0);
	assert_int_equal(pixel_of(&plane, 7, 7), pattern(17, 12));
	is(vpiImageSetView(inner, other, &clip), VPI_ERROR_INVALID_OPERATION,
	   "locked");
	ok(vpiImageUnlock(inner));
	ok(vpiImageSetView(inner, other, &clip));
	vpiImageDestroy(view);
	vpiImageDestroy(parent);
	plane = locked(inner, VPI_LOCK_READ, 0);
	assert_int_equal(pixel_of(&plane, 7, 7), pattern(47, 27));
	ok(vpiImageUnlock(inner));
	is(vpiImageSetView(inner, other, &wide), VPI_ERROR_INVALID_ARGUMENT,
	   "9x8, the view 8x8");
	is(vpiImageSetView(other, other, &clip), VPI_ERROR_INVALID_OPERATION,
	   "vpiImageCreateView()");
	is(vpiImageSetWrapper(inner, &(VPIImageData){ .bufferType = 1 }),
	   VPI_ERROR_INVALID_OPERATION, "vpiImageCreateWrapper()");
	ok(vpiImageLock(inner, VPI_LOCK_READ_WRITE));
	ok(vpiImageUnlock(inner));
	vpiImageDestroy(inner);
	vpiImageDestroy(other);
}

static VPIImage wrapper_of(void *memory, VPIImageBufferType type,
			   uint64_t flags)
{
	VPIImageData data;
	VPIImage image;

	memset(&data, 0, sizeof(data));
	data.bufferType = type;
	data.buffer.pitch.format = VPI_IMAGE_FORMAT_U8;
	data.buffer.pitch.numPlanes = 1;
	data.buffer.pitch.planes[0].width = WIDTH;
	data.buffer.pitch.planes[0].height = HEIGHT;
	data.buffer.pitch.planes[0].pitchBytes = WIDTH;
	data.buffer.pitch.planes[0].pBase = memory;
	ok(vpiImageCreateWrapper(&data, NULL, flags, &image));
	return image;
}

static void memory_of_the_program_has_views(void **state)
{
	uint8_t *memory = malloc(WIDTH * HEIGHT);
	VPIImage parent = wrapper_of(memory, VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR,
				     VPI_BACKEND_CPU);
	VPIImage view = new_view(parent, 10, 5, 8, 8, 0);
	VPIImagePlanePitchLinear plane = locked(view, VPI_LOCK_READ_WRITE, 0);
	void *managed;

	(void)state;
	assert_ptr_equal(plane.pBase, memory + 5 * WIDTH + 10);
	*plane.pBase = 3;
	ok(vpiImageUnlock(view));
	vpiImageDestroy(view);
	vpiImageDestroy(parent);
	assert_int_equal(memory[5 * WIDTH + 10], 3);
	free(memory);

	assert_int_equal(cudaMallocManaged(&managed, WIDTH * HEIGHT,
					   cudaMemAttachGlobal), 0);
	memset(managed, 9, WIDTH * HEIGHT);
	parent = wrapper_of(managed, VPI_IMAGE_BUFFER_CUDA_PITCH_LINEAR, BOTH);
	view = new_view(parent, 10, 5, 8, 8, VPI_BACKEND_CUDA);
	vpiImageDestroy(view);
	vpiImageDestroy(parent);
	assert_int_equal(cudaFree(managed), 0);
}

/* Copies with a box filter whose window is one pixel. */
static void copy_by(VPIStream stream, uint64_t backend, VPIImage input,
		    VPIImage output)
{
	ok(vpiSubmitBoxFilter(stream, backend, input, output, 1, 1,
			      VPI_BORDER_CLAMP));
}

/* malloc() memory is copied for CUDA, for the parent and for each view. */
static void copied_memory_has_views(void **state)
{
	uint8_t *input = malloc(WIDTH * HEIGHT);
	uint8_t *output = calloc(WIDTH, HEIGHT);
	VPIImage parents[] = {
		wrapper_of(input, VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, 0),
		wrapper_of(output, VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, 0),
	};
	VPIImage from[4];
	VPIImage to[4];
	VPIStream stream[4];
	int32_t i;

	(void)state;
	for (i = 0; i < WIDTH * HEIGHT; i++)
		input[i] = pattern(i % WIDTH, i / WIDTH);
	for (i = 0; i < 4; i++) {
		from[i] = new_view(parents[0], i % 2 * WIDTH / 2,
				   i / 2 * HEIGHT / 2, WIDTH / 2, HEIGHT / 2,
				   0);
		to[i] = new_view(parents[1], i % 2 * WIDTH / 2,
				 i / 2 * HEIGHT / 2, WIDTH / 2, HEIGHT / 2, 0);
		ok(vpiStreamCreate(0, &stream[i]));
		copy_by(stream[i], i % 2 ? VPI_BACKEND_CUDA : VPI_BACKEND_CPU,
			from[i], to[i]);
	}
	for (i = 0; i < 4; i++)
		ok(vpiStreamSync(stream[i]));
	assert_memory_equal(input, output, WIDTH * HEIGHT);
	/* In stream order, one view reads the bytes that the other wrote. */
	memset(output, 0, WIDTH * HEIGHT);
	copy_by(stream[0], VPI_BACKEND_CUDA, parents[0], parents[1]);
	copy_by(stream[0], VPI_BACKEND_CUDA, to[1], from[2]);
	copy_by(stream[0], VPI_BACKEND_CUDA, parents[0], parents[1]);
	ok(vpiStreamSync(stream[0]));
	for (i = 0; i < WIDTH * HEIGHT; i++) {
		const int32_t x = i % WIDTH, y = i / WIDTH;
		const bool is_moved = x < WIDTH / 2 && y >= HEIGHT / 2;

		assert_int_equal(output[i], is_moved ?
				 pattern(x + WIDTH / 2, y - HEIGHT / 2) :
				 pattern(x, y));
	}
	for (i = 0; i < 4; i++) {
		vpiImageDestroy(from[i]);
		vpiImageDestroy(to[i]);
		vpiStreamDestroy(stream[i]);
	}
	vpiImageDestroy(parents[0]);
	vpiImageDestroy(parents[1]);
	free(input);
	free(output);
}

static void wrong_views_are_refused(void **state)
{
	const VPIRectangleI clips[] = {
		{ -1, 0, 8, 8 }, { 0, -1, 8, 8 }, { 57, 0, 8, 8 },
		{ 0, 25, 8, 8 }, { 0, 0, 0, 8 }, { 0, 0, 8, 0 },
		{ INT32_MAX, 0, INT32_MAX, 8 },
	};
	const VPIRectangleI odd = { 1, 0, 8, 8 };
	const VPIRectangleI clip = { 0, 0, 8, 8 };
	VPIImage image = new_image(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_U8, BOTH);
	VPIImage all = new_image(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_U8, 0);
	VPIImage nv12 = new_image(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_NV12, BOTH);
	VPIContext context;
	VPIImageData data;
	VPIImage view;
	uint64_t flags;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(clips) / sizeof(*clips); i++)
		is(vpiImageCreateView(image, &clips[i], 0, &view),
		   VPI_ERROR_INVALID_ARGUMENT, "not inside the parent");
	is(vpiImageCreateView(nv12, &odd, 0, &view), VPI_ERROR_INVALID_ARGUMENT,
	   "even");
	is(vpiImageCreateView(image, NULL, 0, &view),
	   VPI_ERROR_INVALID_ARGUMENT, "clipBounds");
	is(vpiImageCreateView(NULL, &clip, 0, &view),
	   VPI_ERROR_INVALID_ARGUMENT, "imgParent");
	is(vpiImageCreateView(image, &clip, 0, NULL),
	   VPI_ERROR_INVALID_ARGUMENT, "imgView");
	ok(vpiImageGetFlags(all, &flags));
	if (flags & ~(uint64_t)BOTH)
		is(vpiImageCreateView(all, &clip, 0, &view),
		   VPI_ERROR_INVALID_OPERATION, "CPU and CUDA alone");
	vpiImageDestroy(all);
	all = new_image(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_U8, VPI_BACKEND_CPU);
	is(vpiImageCreateView(all, &clip, VPI_BACKEND_CUDA, &view),
	   VPI_ERROR_INVALID_OPERATION, "none of the backends");
	vpiImageDestroy(all);
	ok(vpiImageLock(image, VPI_LOCK_WRITE));
	is(vpiImageCreateView(image, &clip, 0, &view),
	   VPI_ERROR_BUFFER_LOCKED, "vpiImageUnlock()");
	ok(vpiImageUnlock(image));
	ok(vpiImageCreateView(image, &clip, 0, &view));
	is(vpiImageLockData(view, VPI_LOCK_READ, VPI_IMAGE_BUFFER_NVSCIBUF,
			    &data),
	   VPI_ERROR_INVALID_OPERATION, "img is a view");
	vpiImageDestroy(view);
	ok(vpiContextCreate(0, &context));
	ok(vpiContextPush(context));
	is(vpiImageCreateView(image, &clip, 0, &view),
	   VPI_ERROR_INVALID_CONTEXT, "another context");
	ok(vpiContextPop(NULL));
	vpiContextDestroy(context);
	vpiImageDestroy(nv12);
	vpiImageDestroy(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(quadrants_are_read_by_engines,
					  no_violation),
		cmocka_unit_test_teardown(a_written_view_changes_its_part,
					  no_violation),
		cmocka_unit_test_teardown(a_view_moves, no_violation),
		cmocka_unit_test_teardown(memory_of_the_program_has_views,
					  no_violation),
		cmocka_unit_test_teardown(copied_memory_has_views,
					  no_violation),
		cmocka_unit_test_teardown(wrong_views_are_refused,
					  no_violation),
	};

	return cmocka_run_group_tests(tests, watch_cuda, NULL);
}
