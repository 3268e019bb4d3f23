// SPDX-License-Identifier: GPL-2.0-only
/* Tests 64-bit formats: their properties, and how they are made. */
#include <vpi/ColorSpec.h>
#include <vpi/DataLayout.h>
#include <vpi/ImageFormat.h>
#include <vpi/PixelType.h>
#include <vpi/Version.h>

#include "test.h"

static const struct {
	VPIImageFormat format;
	const char *name;
	int nr_planes;
	int nr_channels;
	int bits;
	uint32_t fourcc;
} formats[] = {
	{ VPI_IMAGE_FORMAT_U8, "VPI_IMAGE_FORMAT_U8", 1, 1, 8,
	  MEM_FOURCC('R', '8', ' ', ' ') },
	{ VPI_IMAGE_FORMAT_S16, "VPI_IMAGE_FORMAT_S16", 1, 1, 16, 0 },
	{ VPI_IMAGE_FORMAT_F32, "VPI_IMAGE_FORMAT_F32", 1, 1, 32, 0 },
	{ VPI_IMAGE_FORMAT_2F32, "VPI_IMAGE_FORMAT_2F32", 1, 2, 64, 0 },
	{ VPI_IMAGE_FORMAT_NV12, "VPI_IMAGE_FORMAT_NV12", 2, 3, 8,
	  MEM_FOURCC('N', 'V', '1', '2') },
	{ VPI_IMAGE_FORMAT_NV12_ER, "VPI_IMAGE_FORMAT_NV12_ER", 2, 3, 8,
	  MEM_FOURCC('N', 'V', '1', '2') },
	{ VPI_IMAGE_FORMAT_NV24, "VPI_IMAGE_FORMAT_NV24", 2, 3, 8,
	  MEM_FOURCC('N', 'V', '2', '4') },
	{ VPI_IMAGE_FORMAT_UYVY, "VPI_IMAGE_FORMAT_UYVY", 1, 3, 16,
	  MEM_FOURCC('U', 'Y', 'V', 'Y') },
	{ VPI_IMAGE_FORMAT_RGB8, "VPI_IMAGE_FORMAT_RGB8", 1, 3, 24,
	  MEM_FOURCC('B', 'G', '2', '4') },
	{ VPI_IMAGE_FORMAT_BGRA8, "VPI_IMAGE_FORMAT_BGRA8", 1, 4, 32,
	  MEM_FOURCC('A', 'R', '2', '4') },
	{ VPI_IMAGE_FORMAT_RGB8p, "VPI_IMAGE_FORMAT_RGB8p", 3, 3, 8, 0 },
};

static void formats_say_what_they_are(void **state)
{
	VPIImageFormat format;
	VPIColorSpec spec;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		format = formats[i].format;
		assert_string_equal(vpiImageFormatGetName(format),
				    formats[i].name);
		assert_int_equal(vpiImageFormatGetPlaneCount(format),
				 formats[i].nr_planes);
		assert_int_equal(vpiImageFormatGetChannelCount(format),
				 formats[i].nr_channels);
		assert_int_equal(vpiImageFormatGetPlaneBitsPerPixel(format, 0),
				 formats[i].bits);
		assert_int_equal(vpiImageFormatGetFourCC(format),
				 formats[i].fourcc);
	}
	assert_string_equal(vpiImageFormatGetName(VPI_IMAGE_FORMAT_INVALID),
			    "VPI_IMAGE_FORMAT_INVALID");
	assert_int_equal(vpiImageFormatGetPlaneCount(VPI_IMAGE_FORMAT_INVALID),
			 0);
	assert_int_equal(vpiImageFormatGetColorModel(VPI_IMAGE_FORMAT_NV12),
			 VPI_COLOR_MODEL_YCbCr);
	assert_int_equal(vpiImageFormatGetColorModel(VPI_IMAGE_FORMAT_RGB8),
			 VPI_COLOR_MODEL_RGB);
	format = VPI_IMAGE_FORMAT_NV12;
	assert_int_equal(vpiImageFormatGetChromaSubsampling(format),
			 VPI_CSS_420);
	assert_int_equal(vpiImageFormatGetPlaneWidth(format, 33, 1), 17);
	assert_int_equal(vpiImageFormatGetPlaneHeight(format, 9, 1), 5);
	assert_int_equal(vpiImageFormatGetPlaneWidth(format, 33, 2), 0);
	spec = vpiImageFormatGetColorSpec(format);
	assert_int_equal(vpiColorSpecGetRange(spec), VPI_COLOR_RANGE_LIMITED);
	spec = vpiImageFormatGetColorSpec(VPI_IMAGE_FORMAT_NV12_ER);
	assert_int_equal(vpiColorSpecGetRange(spec), VPI_COLOR_RANGE_FULL);
	assert_int_equal(vpiImageFormatGetMemLayout(VPI_IMAGE_FORMAT_NV12_BL),
			 VPI_MEM_LAYOUT_BLOCK_LINEAR);
}

static void formats_are_made_of_their_parts(void **state)
{
	VPIImageFormat format;

	(void)state;
	assert_true(vpiImageFormatGetPlanePixelType(VPI_IMAGE_FORMAT_NV12, 1)
		    == VPI_PIXEL_TYPE_2U8);
	assert_true(vpiMakePixelType(VPI_MEM_LAYOUT_PITCH_LINEAR,
				     VPI_DATA_TYPE_UNSIGNED,
				     VPI_PACKING_X8_Y8) == VPI_PIXEL_TYPE_2U8);
	assert_string_equal(vpiPixelTypeGetName(VPI_PIXEL_TYPE_2U8),
			    "VPI_PIXEL_TYPE_2U8");
	assert_string_equal(vpiPixelTypeGetName(VPI_PIXEL_TYPE_F32),
			    "VPI_PIXEL_TYPE_F32");
	format = vpiMakeYCbCrImageFormat(VPI_COLOR_SPEC_BT601_ER, VPI_CSS_420,
					 VPI_MEM_LAYOUT_PITCH_LINEAR,
					 VPI_DATA_TYPE_UNSIGNED,
					 VPI_SWIZZLE_XYZ0, VPI_PACKING_X8,
					 VPI_PACKING_X8_Y8, VPI_PACKING_0,
					 VPI_PACKING_0);
	assert_true(format == VPI_IMAGE_FORMAT_NV12_ER);
	format = vpiImageFormatSetColorSpec(VPI_IMAGE_FORMAT_NV12,
					    VPI_COLOR_SPEC_BT601_ER);
	assert_true(format == VPI_IMAGE_FORMAT_NV12_ER);
	format = vpiImageFormatSetMemLayout(VPI_IMAGE_FORMAT_NV12,
					    VPI_MEM_LAYOUT_BLOCK_LINEAR);
	assert_true(format == VPI_IMAGE_FORMAT_NV12_BL);
	format = vpiMakeImageFormatFromFourCC(MEM_FOURCC('N', 'V', '1', '2'),
					      VPI_COLOR_SPEC_DEFAULT,
					      VPI_MEM_LAYOUT_PITCH_LINEAR);
	assert_true(format == VPI_IMAGE_FORMAT_NV12);
	assert_true(!vpiMakeImageFormatFromFourCC(1, VPI_COLOR_SPEC_DEFAULT,
						  VPI_MEM_LAYOUT_PITCH_LINEAR));
	assert_true(vpiImageFormatHasSameDataLayout(VPI_IMAGE_FORMAT_NV12,
						    VPI_IMAGE_FORMAT_NV12_ER));
	assert_false(vpiImageFormatHasSameDataLayout(VPI_IMAGE_FORMAT_NV12,
						     VPI_IMAGE_FORMAT_NV24));
	assert_int_equal(vpiMakeChromaSubsampling(2, 2), VPI_CSS_420);
	assert_int_equal(vpiChromaSubsamplingGetSamplesHoriz(VPI_CSS_422), 2);
	assert_int_equal(vpiChromaSubsamplingGetSamplesVert(VPI_CSS_422), 4);
}

static void the_version_is_that_of_the_headers(void **state)
{
	(void)state;
	assert_int_equal(vpiGetVersion(), NV_VPI_VERSION);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_say_what_they_are),
		cmocka_unit_test(formats_are_made_of_their_parts),
		cmocka_unit_test(the_version_is_that_of_the_headers),
	};

	return cmocka_run_group_tests_name("vpi format", tests, NULL, NULL);
}
