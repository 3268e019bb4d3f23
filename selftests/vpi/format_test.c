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

static VPIPacking make_packing(VPIEndianness endianness, VPISwizzle swizzle,
			       int x, int y, int z, int w)
{
	const VPIPackingParams params = { endianness, swizzle,
					  { x, y, z, w } };

	return vpiMakePacking(&params);
}

static void a_packing_is_made_of_its_parameters(void **state)
{
	static const VPIPacking all[] = {
		VPI_PACKING_X1, VPI_PACKING_X8, VPI_PACKING_X4Y4,
		VPI_PACKING_X3Y3Z2, VPI_PACKING_X16, VPI_PACKING_b6X10,
		VPI_PACKING_X10b6, VPI_PACKING_X8_Y8, VPI_PACKING_X5Y6Z5,
		VPI_PACKING_b4X4Y4Z4, VPI_PACKING_X5Y5b1Z5,
		VPI_PACKING_X1Y5Z5W5, VPI_PACKING_X8_Y8__X8_Z8,
		VPI_PACKING_Y8_X8__Z8_X8, VPI_PACKING_X8_Y8_Z8,
		VPI_PACKING_X12b4_Y12b4, VPI_PACKING_X10Y11Z11,
		VPI_PACKING_X8_Y8_Z8_W8, VPI_PACKING_X2Y10Z10W10,
		VPI_PACKING_X64_Y64_Z64_W64, VPI_PACKING_X256,
	};
	VPIPackingParams params;
	int32_t bits[4];
	size_t i;
	int len;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		vpiPackingGetParams(all[i], &params);
		assert_int_equal(vpiMakePacking(&params), all[i]);
		/* Two of the packings are of two pixels. */
		len = params.bits[0] + params.bits[1] + params.bits[2] +
		      params.bits[3];
		if (params.swizzle == VPI_SWIZZLE_XYXZ ||
		    params.swizzle == VPI_SWIZZLE_YXZX)
			len /= 2;
		assert_int_equal(len, vpiPackingGetBitsPerPixel(all[i]));
		vpiPackingGetBitsPerComponent(all[i], bits);
		assert_memory_equal(bits, params.bits, sizeof(bits));
	}
	assert_int_equal(make_packing(VPI_BIG_ENDIAN, VPI_SWIZZLE_X000, 16, 0,
				      0, 0), VPI_PACKING_X16);
	assert_int_equal(make_packing(VPI_BIG_ENDIAN, VPI_SWIZZLE_0000, 8, 8, 8,
				      8), VPI_PACKING_X8_Y8_Z8_W8);
	assert_int_equal(make_packing(VPI_HOST_ENDIAN, VPI_SWIZZLE_INVALID, 1,
				      5, 5, 5), VPI_PACKING_X1Y5Z5W5);
	assert_int_equal(make_packing(VPI_HOST_ENDIAN, VPI_SWIZZLE_0000, 8, 8,
				      0, 0), VPI_PACKING_INVALID);
	assert_int_equal(make_packing(VPI_INVALID_ENDIAN, VPI_SWIZZLE_0000, 8,
				      0, 0, 0), VPI_PACKING_INVALID);
	assert_int_equal(make_packing(VPI_BIG_ENDIAN, VPI_SWIZZLE_XYZ0, 8, 8, 8,
				      8), VPI_PACKING_INVALID);
	assert_int_equal(vpiMakePacking(NULL), VPI_PACKING_INVALID);
	vpiPackingGetParams(VPI_PACKING_INVALID, &params);
	assert_int_equal(params.endianness, VPI_INVALID_ENDIAN);
	vpiPackingGetParams(VPI_PACKING_X8, NULL);
	vpiPackingGetBitsPerComponent(VPI_PACKING_X8, NULL);
}

static void check_bits(VPIImageFormat format, int x, int y, int z, int w)
{
	const int32_t want[] = { x, y, z, w };
	int32_t bits[4] = { -1, -1, -1, -1 };

	vpiImageFormatGetBitsPerChannel(format, bits);
	assert_memory_equal(bits, want, sizeof(bits));
}

static void channels_have_their_bits(void **state)
{
	VPIImageFormat format;

	(void)state;
	check_bits(VPI_IMAGE_FORMAT_U8, 8, 0, 0, 0);
	check_bits(VPI_IMAGE_FORMAT_NV12, 8, 8, 8, 0);
	check_bits(VPI_IMAGE_FORMAT_2F32, 32, 32, 0, 0);
	check_bits(VPI_IMAGE_FORMAT_RGBA8, 8, 8, 8, 8);
	check_bits(VPI_IMAGE_FORMAT_YUYV, 8, 8, 8, 0);
	check_bits(VPI_IMAGE_FORMAT_INVALID, 0, 0, 0, 0);
	format = VPI_MAKE_NONCOLOR_IMAGE_FORMAT_ABBREV(PL, UNSIGNED, XY00, 1,
						       X10b6_Y10b6);
	check_bits(format, 10, 10, 0, 0);
	format = VPI_MAKE_NONCOLOR_IMAGE_FORMAT_ABBREV(PL, UNSIGNED, XYZ0, 1,
						       b1X5Y5Z5);
	check_bits(format, 5, 5, 5, 0);
	vpiImageFormatGetBitsPerChannel(format, NULL);
}

static VPIImageFormat make_raw(VPIRawPattern pattern)
{
	return vpiMakeRawImageFormat(pattern, VPI_MEM_LAYOUT_PL,
				     VPI_DATA_TYPE_UNSIGNED, VPI_SWIZZLE_X000,
				     VPI_PACKING_X16, VPI_PACKING_0,
				     VPI_PACKING_0, VPI_PACKING_0);
}

static void a_raw_format_has_its_pattern(void **state)
{
	const VPIImageFormat format =
		VPI_MAKE_RAW_IMAGE_FORMAT_ABBREV(BAYER_GRBG, PL, UNSIGNED,
						 X000, 1, X16);

	(void)state;
	assert_true(make_raw(VPI_RAW_BAYER_GRBG) == format);
	assert_true(vpiImageFormatGetColorModel(format) == VPI_COLOR_MODEL_RAW);
	assert_int_equal(vpiImageFormatGetRawPattern(format),
			 VPI_RAW_BAYER_GRBG);
	assert_int_equal(vpiImageFormatGetRawPattern(VPI_IMAGE_FORMAT_RGB8),
			 VPI_RAW_INVALID);
	assert_int_equal(vpiImageFormatGetRawPattern(VPI_IMAGE_FORMAT_U16),
			 VPI_RAW_INVALID);
	assert_true(vpiImageFormatSetRawPattern(format, VPI_RAW_BAYER_CCCC) ==
		    make_raw(VPI_RAW_BAYER_CCCC));
	assert_true(!vpiImageFormatSetRawPattern(format, VPI_RAW_INVALID));
	assert_true(!vpiImageFormatSetRawPattern(VPI_IMAGE_FORMAT_U16,
						 VPI_RAW_BAYER_RGGB));
	assert_true(!make_raw(VPI_RAW_INVALID));
	assert_true(!make_raw((VPIRawPattern)(VPI_RAW_BAYER_CCCC + 1)));
}

static void formats_are_made_of_their_planes(void **state)
{
	static const VPIImageFormat all[] = {
		VPI_IMAGE_FORMAT_U8, VPI_IMAGE_FORMAT_NV12,
		VPI_IMAGE_FORMAT_NV12_ER_BL, VPI_IMAGE_FORMAT_NV24,
		VPI_IMAGE_FORMAT_YUYV, VPI_IMAGE_FORMAT_RGB8,
		VPI_IMAGE_FORMAT_RGB8p, VPI_IMAGE_FORMAT_BGR8p,
		VPI_IMAGE_FORMAT_RGBA8p, VPI_IMAGE_FORMAT_BGRA8p,
	};
	const VPIImageFormat y8 = VPI_IMAGE_FORMAT_Y8_ER;
	const VPIImageFormat uv =
		VPI_MAKE_YCbCr_IMAGE_FORMAT(VPI_COLOR_SPEC_BT601_ER,
					    VPI_CSS_420, VPI_MEM_LAYOUT_PL,
					    VPI_DATA_TYPE_UNSIGNED,
					    VPI_MAKE_SWIZZLE_ABBREV(0, X, Y, 0),
					    1, VPI_PACKING_X8_Y8);
	VPIImageFormat planes[4];
	size_t i;
	int j;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		for (j = 0; j < 4; j++)
			planes[j] = vpiImageFormatGetPlaneFormat(all[i], j);
		assert_true(vpiMakeImageFormatFromPlanes(planes[0], planes[1],
							 planes[2], planes[3])
			    == all[i]);
	}
	assert_true(vpiImageFormatGetPlaneFormat(VPI_IMAGE_FORMAT_NV12_ER, 0) ==
		    y8);
	assert_true(vpiImageFormatGetPlaneFormat(VPI_IMAGE_FORMAT_NV12_ER, 1) ==
		    uv);
	assert_int_equal(vpiImageFormatGetPlaneSwizzle(VPI_IMAGE_FORMAT_BGR8p,
						       0),
			 VPI_MAKE_SWIZZLE_ABBREV(0, 0, X, 1));
	assert_int_equal(vpiImageFormatGetPlaneSwizzle(VPI_IMAGE_FORMAT_BGR8p,
						       3), VPI_SWIZZLE_0000);
	assert_true(vpiMakeImageFormatFromPlanes(y8, uv, 0, 0) ==
		    VPI_IMAGE_FORMAT_NV12_ER);
	assert_true(!vpiMakeImageFormatFromPlanes(0, 0, 0, 0));
	assert_true(!vpiMakeImageFormatFromPlanes(y8, 0, uv, 0));
	assert_true(!vpiMakeImageFormatFromPlanes(y8, y8, 0, 0));
	assert_true(!vpiMakeImageFormatFromPlanes(VPI_IMAGE_FORMAT_Y8, uv, 0,
						  0));
	assert_true(!vpiMakeImageFormatFromPlanes(VPI_IMAGE_FORMAT_NV12_ER, 0,
						  0, 0));
}

static void swizzle_and_packings_are_replaced(void **state)
{
	const VPIPacking none = VPI_PACKING_INVALID;

	(void)state;
#define REPLACE(format, ...) \
	vpiImageFormatSetSwizzleAndPacking(VPI_IMAGE_FORMAT_##format, \
					   __VA_ARGS__)
	assert_true(REPLACE(RGB8, VPI_SWIZZLE_ZYX1, none, none, none, none) ==
		    VPI_IMAGE_FORMAT_BGR8);
	assert_true(REPLACE(RGB8, VPI_SWIZZLE_XYZW, VPI_PACKING_X8_Y8_Z8_W8,
			    none, none, none) == VPI_IMAGE_FORMAT_RGBA8);
	assert_true(REPLACE(RGB8, VPI_SWIZZLE_INVALID, VPI_PACKING_X8,
			    VPI_PACKING_X8, VPI_PACKING_X8, none) ==
		    VPI_IMAGE_FORMAT_RGB8p);
	assert_true(!REPLACE(RGB8, VPI_SWIZZLE_XYZW, none, none, none, none));
	assert_true(!REPLACE(RGB8, VPI_SWIZZLE_XYZW, none, none,
			     VPI_PACKING_X8, none));
	assert_true(!REPLACE(RGBA8p, VPI_SWIZZLE_XYZW, none, none, none,
			     VPI_PACKING_X128));
	assert_true(!REPLACE(INVALID, VPI_SWIZZLE_X000, VPI_PACKING_X8, none,
			     none, none));
#undef REPLACE
	assert_true(vpiImageFormatSetChromaSubsampling(VPI_IMAGE_FORMAT_NV12,
						       VPI_CSS_444) ==
		    VPI_IMAGE_FORMAT_NV24);
	assert_true(!vpiImageFormatSetChromaSubsampling(VPI_IMAGE_FORMAT_RGB8,
							VPI_CSS_444));
	assert_true(!vpiImageFormatSetChromaSubsampling(VPI_IMAGE_FORMAT_NV12,
							VPI_CSS_INVALID));
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
		cmocka_unit_test(a_packing_is_made_of_its_parameters),
		cmocka_unit_test(channels_have_their_bits),
		cmocka_unit_test(a_raw_format_has_its_pattern),
		cmocka_unit_test(formats_are_made_of_their_planes),
		cmocka_unit_test(swizzle_and_packings_are_replaced),
		cmocka_unit_test(the_version_is_that_of_the_headers),
	};

	return cmocka_run_group_tests_name("vpi format", tests, NULL, NULL);
}
