// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs of VPI 2 and 3 that say so: they know no offsetBytes, and what is
 * there is not minded.
 */
#include <vpi/VersionDef.h>

#undef NV_VPI_VERSION_API
#define NV_VPI_VERSION_API	NV_VPI_MAKE_VERSION(3, 2)

#include <vpi/Image.h>

#include "test.h"

#define WIDTH	48
#define HEIGHT	8
#define PITCH	64

static void data_dirty(VPIImageBufferType type, uint8_t *memory,
		       VPIImageData *data)
{
	memset(data, 0xa5, sizeof(*data));
	data->bufferType = type;
	data->buffer.pitch.format = VPI_IMAGE_FORMAT_U8;
	data->buffer.pitch.numPlanes = 1;
	data->buffer.pitch.planes[0].pixelType = VPI_PIXEL_TYPE_U8;
	data->buffer.pitch.planes[0].width = WIDTH;
	data->buffer.pitch.planes[0].height = HEIGHT;
	data->buffer.pitch.planes[0].pitchBytes = PITCH;
	data->buffer.pitch.planes[0].data = memory;
}

static void first_is(VPIImage image, const uint8_t *memory)
{
	VPIImageData data;

	ok(vpiImageLockData(image, VPI_LOCK_READ,
			    VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, &data));
	assert_int_equal(data.buffer.pitch.planes[0].offsetBytes, 0);
	assert_int_equal(*(uint8_t *)data.buffer.pitch.planes[0].data,
			 memory[0]);
	ok(vpiImageUnlock(image));
}

static void an_offset_that_nobody_has_set_is_none(void **state)
{
	uint8_t one[PITCH * HEIGHT];
	uint8_t two[PITCH * HEIGHT];
	VPIImageData data;
	VPIImage image;

	(void)state;
	memset(one, 1, sizeof(one));
	memset(two, 2, sizeof(two));
	data_dirty(VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, one, &data);
	ok(vpiImageCreateWrapper(&data, NULL, VPI_BACKEND_CPU, &image));
	first_is(image, one);
	data_dirty(VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, two, &data);
	ok(vpiImageSetWrapper(image, &data));
	first_is(image, two);
	vpiImageDestroy(image);
}

static void what_is_wrong_is_still_refused(void **state)
{
	VPIImageData data;
	VPIImage image;

	(void)state;
	is(vpiImageCreateWrapper(NULL, NULL, 0, &image),
	   VPI_ERROR_INVALID_ARGUMENT, "data is NULL");
	data_dirty(VPI_IMAGE_BUFFER_CUDA_PITCH_LINEAR, NULL, &data);
	is(vpiImageCreateWrapper(&data, NULL, 0, &image),
	   VPI_ERROR_INVALID_ARGUMENT, "pBase is NULL");
	data.bufferType = VPI_IMAGE_BUFFER_NVSCIBUF;
	data.buffer.nvscibuf.buffer = NULL;
	is(vpiImageCreateWrapper(&data, NULL, 0, &image),
	   VPI_ERROR_INVALID_ARGUMENT, "buffer is NULL");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(an_offset_that_nobody_has_set_is_none,
					  no_violation),
		cmocka_unit_test(what_is_wrong_is_still_refused),
	};

	return cmocka_run_group_tests_name("vpi version", tests, watch, NULL);
}
