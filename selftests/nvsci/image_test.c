// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests images: lists like those of NVIDIA's samples, surfaces, pyramids, and
 * the resulting layouts.
 */
#include "test.h"

/* Sides that are not aligned */
#define WIDTH	645U
#define HEIGHT	483U

static NvSciBufAttrList new_image_list(uint32_t layout)
{
	NvSciBufAttrList list = new_list();

	set_number(list, NvSciBufGeneralAttrKey_Types, NvSciBufType_Image);
	set_number(list, NvSciBufImageAttrKey_Layout, layout);
	set_bool(list, NvSciBufGeneralAttrKey_NeedCpuAccess, true);
	set_number(list, NvSciBufGeneralAttrKey_RequiredPerm,
		   NvSciBufAccessPerm_ReadWrite);
	return list;
}

/* Makes a list like camera samples: NV12, with paddings of 0. */
static NvSciBufAttrList new_nv12_list(void)
{
	const uint32_t colors[] = { NvSciColor_Y8, NvSciColor_V8U8 };
	const uint32_t stds[] = { NvSciColorStd_REC601_ER,
				  NvSciColorStd_REC601_ER };
	const uint32_t widths[] = { 640, 320 }, heights[] = { 480, 240 };
	const uint32_t aligns[] = { 256, 256 }, nr_planes = 2;
	const uint32_t scan = NvSciBufScan_ProgressiveType;
	const uint64_t padding[] = { 0, 0 };
	const bool no = false;
	NvSciBufAttrKeyValuePair pairs[] = {
		PAIR(NvSciBufImageAttrKey_TopPadding, padding),
		PAIR(NvSciBufImageAttrKey_BottomPadding, padding),
		PAIR(NvSciBufImageAttrKey_LeftPadding, padding),
		PAIR(NvSciBufImageAttrKey_RightPadding, padding),
		PAIR(NvSciBufImageAttrKey_PlaneCount, nr_planes),
		PAIR(NvSciBufImageAttrKey_PlaneColorFormat, colors),
		PAIR(NvSciBufImageAttrKey_PlaneColorStd, stds),
		PAIR(NvSciBufImageAttrKey_PlaneBaseAddrAlign, aligns),
		PAIR(NvSciBufImageAttrKey_PlaneWidth, widths),
		PAIR(NvSciBufImageAttrKey_PlaneHeight, heights),
		PAIR(NvSciBufImageAttrKey_VprFlag, no),
		PAIR(NvSciBufImageAttrKey_ScanType, scan),
	};
	NvSciBufAttrList list = new_image_list(NvSciBufImage_PitchLinearType);

	ok(NvSciBufAttrListSetAttrs(list, pairs, NR(pairs)));
	return list;
}

static void planes_do_not_overlap(NvSciBufAttrList list, size_t nr)
{
	const uint64_t *offs = value_of(list, NvSciBufImageAttrKey_PlaneOffset,
					nr * sizeof(*offs));
	const uint64_t *lens =
		value_of(list, NvSciBufImageAttrKey_PlaneAlignedSize,
			 nr * sizeof(*lens));
	const uint32_t *pitches =
		value_of(list, NvSciBufImageAttrKey_PlanePitch,
			 nr * sizeof(*pitches));
	const uint32_t *heights =
		value_of(list, NvSciBufImageAttrKey_PlaneAlignedHeight,
			 nr * sizeof(*heights));
	size_t i;

	for (i = 0; i < nr; i++) {
		assert_true(lens[i] >= (uint64_t)pitches[i] * heights[i]);
		if (i)
			assert_true(offs[i] >= offs[i - 1] + lens[i - 1]);
	}
	assert_true(value(list, NvSciBufImageAttrKey_Size, uint64_t) >=
		    offs[nr - 1] + lens[nr - 1]);
}

static void an_nv12_image_is_laid_out(void **state)
{
	NvSciBufAttrList list = reconciled(new_nv12_list());
	const uint32_t *numbers;
	const uint64_t *longs;
	const uint8_t *channels;

	(void)state;
	planes_do_not_overlap(list, 2);
	numbers = value_of(list, NvSciBufImageAttrKey_PlaneBitsPerPixel,
			   2 * sizeof(*numbers));
	assert_int_equal(numbers[0], 8);
	assert_int_equal(numbers[1], 16);
	channels = value_of(list, NvSciBufImageAttrKey_PlaneChannelCount, 2);
	assert_int_equal(channels[0], 1);
	assert_int_equal(channels[1], 2);
	numbers = value_of(list, NvSciBufImageAttrKey_PlaneDatatype,
			   2 * sizeof(*numbers));
	assert_int_equal(numbers[0], NvSciDataType_Uint8);
	assert_int_equal(numbers[1], NvSciDataType_Uint8);
	longs = value_of(list, NvSciBufImageAttrKey_PlaneSecondFieldOffset,
			 2 * sizeof(*longs));
	assert_int_equal(longs[0], 0);
	longs = value_of(list, NvSciBufImageAttrKey_PlaneOffset,
			 2 * sizeof(*longs));
	assert_int_equal(longs[0] % 256, 0);
	assert_int_equal(longs[1] % 256, 0);
	assert_int_equal(value(list, NvSciBufImageAttrKey_ImageCount,
			       uint64_t), 1);
	assert_int_equal(value(list, NvSciBufImageAttrKey_PlaneCount,
			       uint32_t), 2);
	assert_true(value(list, NvSciBufImageAttrKey_Alignment,
			  uint64_t) >= 256);
	NvSciBufAttrListFree(list);
}

/* The list is that of NVIDIA's cudaNvSci, with paddings. */
static void an_interlaced_image_is_laid_out(void **state)
{
	const uint32_t color = NvSciColor_B8G8R8A8, nr_planes = 1;
	const uint32_t width = WIDTH, height = HEIGHT;
	const uint32_t scan = NvSciBufScan_InterlaceType;
	const uint64_t rows = 100;
	NvSciBufAttrKeyValuePair pairs[] = {
		PAIR(NvSciBufImageAttrKey_PlaneCount, nr_planes),
		PAIR(NvSciBufImageAttrKey_PlaneColorFormat, color),
		PAIR(NvSciBufImageAttrKey_PlaneWidth, width),
		PAIR(NvSciBufImageAttrKey_PlaneHeight, height),
		PAIR(NvSciBufImageAttrKey_PlaneScanType, scan),
		PAIR(NvSciBufImageAttrKey_TopPadding, rows),
		PAIR(NvSciBufImageAttrKey_BottomPadding, rows),
	};
	NvSciBufAttrList list = new_image_list(NvSciBufImage_PitchLinearType);
	uint64_t second;

	(void)state;
	ok(NvSciBufAttrListSetAttrs(list, pairs, NR(pairs)));
	list = reconciled(list);
	planes_do_not_overlap(list, 1);
	assert_int_equal(value(list, NvSciBufImageAttrKey_PlaneColorFormat,
			       uint32_t), NvSciColor_B8G8R8A8);
	assert_int_equal(value(list, NvSciBufImageAttrKey_TopPadding,
			       uint64_t), 100);
	assert_int_equal(value(list, NvSciBufImageAttrKey_LeftPadding,
			       uint64_t), 0);
	second = value(list, NvSciBufImageAttrKey_PlaneSecondFieldOffset,
		       uint64_t);
	assert_true(second > 0);
	assert_int_equal(second * 2,
			 value(list, NvSciBufImageAttrKey_PlaneAlignedSize,
			       uint64_t));
	NvSciBufAttrListFree(list);
}

/* Programs read numbers of 4 bytes as 8 bytes, so zeros must follow. */
static void one_plane_is_followed_by_nothing(void **state)
{
	const uint32_t color = NvSciColor_A8B8G8R8, nr_planes = 1;
	const uint32_t width = WIDTH, height = HEIGHT;
	NvSciBufAttrKeyValuePair pairs[] = {
		PAIR(NvSciBufImageAttrKey_PlaneCount, nr_planes),
		PAIR(NvSciBufImageAttrKey_PlaneColorFormat, color),
		PAIR(NvSciBufImageAttrKey_PlaneWidth, width),
		PAIR(NvSciBufImageAttrKey_PlaneHeight, height),
	};
	NvSciBufAttrList list = new_image_list(NvSciBufImage_PitchLinearType);
	uint64_t number;

	(void)state;
	ok(NvSciBufAttrListSetAttrs(list, pairs, NR(pairs)));
	list = reconciled(list);
	memcpy(&number, value_of(list, NvSciBufImageAttrKey_PlaneWidth, 4),
	       sizeof(number));
	assert_int_equal(number, WIDTH);
	memcpy(&number, value_of(list, NvSciBufImageAttrKey_PlaneHeight, 4),
	       sizeof(number));
	assert_int_equal(number, HEIGHT);
	NvSciBufAttrListFree(list);
}

static void values_of_planes_are_checked(void **state)
{
	const uint32_t colors[] = { NvSciColor_LowerBound,
				    NvSciColor_UpperBound, 9999 };
	const uint32_t std = NvSciColorStd_REQ2020PQ_ER + 1, four[4] = { 1 };
	const uint64_t two = 2;
	NvSciBufAttrList list = new_image_list(NvSciBufImage_PitchLinearType);
	size_t i;

	(void)state;
	for (i = 0; i < NR(colors); i++)
		bad(set_one(list, NvSciBufImageAttrKey_PlaneColorFormat,
			    &colors[i], sizeof(colors[i])));
	bad(set_one(list, NvSciBufImageAttrKey_PlaneColorStd, &std,
		    sizeof(std)));
	bad(set_one(list, NvSciBufImageAttrKey_PlaneWidth, four,
		    sizeof(four)));
	bad(set_one(list, NvSciBufImageAttrKey_ImageCount, &two,
		    sizeof(two)));
	NvSciBufAttrListFree(list);
}

/* Each format is tested alone. */
static void each_format_is_a_plane(void **state)
{
	const uint32_t nr_planes = 1, width = 64, height = 64;
	NvSciBufAttrKeyValuePair pairs[] = {
		PAIR(NvSciBufImageAttrKey_PlaneCount, nr_planes),
		PAIR(NvSciBufImageAttrKey_PlaneWidth, width),
		PAIR(NvSciBufImageAttrKey_PlaneHeight, height),
	};
	NvSciBufAttrList list;
	uint32_t color, bits;

	(void)state;
	for (color = NvSciColor_LowerBound + 1; color < NvSciColor_UpperBound;
	     color++) {
		list = new_image_list(NvSciBufImage_PitchLinearType);
		ok(NvSciBufAttrListSetAttrs(list, pairs, NR(pairs)));
		set_number(list, NvSciBufImageAttrKey_PlaneColorFormat, color);
		list = reconciled(list);
		assert_int_equal(value(list,
				       NvSciBufImageAttrKey_PlaneColorFormat,
				       uint32_t), color);
		bits = value(list, NvSciBufImageAttrKey_PlaneBitsPerPixel,
			     uint32_t);
		assert_true(bits == 8 || bits == 16 || bits == 32 ||
			    bits == 64);
		NvSciBufAttrListFree(list);
	}
}

/* Numbers of the surface of one test */
struct surface {
	uint32_t memory;
	uint32_t sample;
	uint32_t bpc;
	uint32_t order;
	size_t nr_planes;
	uint32_t colors[3];
	uint32_t widths[3];
	uint32_t heights[3];
};

static NvSciBufAttrList new_surface_list(const struct surface *surface)
{
	NvSciBufAttrList list = new_image_list(NvSciBufImage_PitchLinearType);

	set_number(list, NvSciBufImageAttrKey_SurfType, NvSciSurfType_YUV);
	set_number(list, NvSciBufImageAttrKey_SurfMemLayout, surface->memory);
	set_number(list, NvSciBufImageAttrKey_SurfSampleType,
		   surface->sample);
	set_number(list, NvSciBufImageAttrKey_SurfBPC, surface->bpc);
	set_number(list, NvSciBufImageAttrKey_SurfComponentOrder,
		   surface->order);
	set_number(list, NvSciBufImageAttrKey_SurfWidthBase, WIDTH);
	return list;
}

static void surfaces_are_planes(void **state)
{
	static const struct surface surfaces[] = {
		{ NvSciSurfMemLayout_SemiPlanar, NvSciSurfSampleType_420,
		  NvSciSurfBPC_8, NvSciSurfComponentOrder_YUV, 2,
		  { NvSciColor_Y8, NvSciColor_V8U8 }, { 645, 323 },
		  { 483, 242 } },
		{ NvSciSurfMemLayout_SemiPlanar, NvSciSurfSampleType_422,
		  NvSciSurfBPC_10, NvSciSurfComponentOrder_YVU, 2,
		  { NvSciColor_Y10, NvSciColor_U10V10 }, { 645, 323 },
		  { 483, 483 } },
		{ NvSciSurfMemLayout_Planar, NvSciSurfSampleType_422R,
		  NvSciSurfBPC_16, NvSciSurfComponentOrder_YUV, 3,
		  { NvSciColor_Y16, NvSciColor_U16, NvSciColor_V16 },
		  { 645, 645, 645 }, { 483, 242, 242 } },
		{ NvSciSurfMemLayout_Planar, NvSciSurfSampleType_444,
		  NvSciSurfBPC_8, NvSciSurfComponentOrder_YVU, 3,
		  { NvSciColor_Y8, NvSciColor_V8, NvSciColor_U8 },
		  { 645, 645, 645 }, { 483, 483, 483 } },
		{ NvSciSurfMemLayout_SemiPlanar, NvSciSurfSampleType_420,
		  NvSciSurfBPC_Layout_16_8_8, NvSciSurfComponentOrder_YUV, 2,
		  { NvSciColor_Y16, NvSciColor_V8U8 }, { 645, 323 },
		  { 483, 242 } },
		{ NvSciSurfMemLayout_Planar, NvSciSurfSampleType_400,
		  NvSciSurfBPC_12, NvSciSurfComponentOrder_Luma, 1,
		  { NvSciColor_Y12 }, { 645 }, { 483 } },
	};
	const size_t len = sizeof(uint32_t);
	size_t i;

	(void)state;
	for (i = 0; i < NR(surfaces); i++) {
		const struct surface *of = &surfaces[i];
		NvSciBufAttrList list = new_surface_list(of);

		/* No attribute is set before the last of them. */
		assert_false(is_set(list, NvSciBufImageAttrKey_PlaneCount));
		set_number(list, NvSciBufImageAttrKey_SurfHeightBase, HEIGHT);
		set_number(list, NvSciBufImageAttrKey_SurfColorStd,
			   NvSciColorStd_REC709_ER);
		list = reconciled(list);
		assert_int_equal(value(list, NvSciBufImageAttrKey_PlaneCount,
				       uint32_t), of->nr_planes);
		assert_memory_equal
			(value_of(list, NvSciBufImageAttrKey_PlaneColorFormat,
				  of->nr_planes * len), of->colors,
			 of->nr_planes * len);
		assert_memory_equal
			(value_of(list, NvSciBufImageAttrKey_PlaneWidth,
				  of->nr_planes * len), of->widths,
			 of->nr_planes * len);
		assert_memory_equal
			(value_of(list, NvSciBufImageAttrKey_PlaneHeight,
				  of->nr_planes * len), of->heights,
			 of->nr_planes * len);
		assert_int_equal(*(const uint32_t *)value_of
				 (list, NvSciBufImageAttrKey_PlaneColorStd,
				  of->nr_planes * len),
				 NvSciColorStd_REC709_ER);
		assert_int_equal(value(list, NvSciBufImageAttrKey_SurfBPC,
				       uint32_t), of->bpc);
		planes_do_not_overlap(list, of->nr_planes);
		NvSciBufAttrListFree(list);
	}
}

static void surfaces_are_checked(void **state)
{
	static const struct surface luma = {
		NvSciSurfMemLayout_Planar, NvSciSurfSampleType_420,
		NvSciSurfBPC_8, NvSciSurfComponentOrder_Luma,
		0, { 0 }, { 0 }, { 0 }
	};
	NvSciBufAttrList list = new_surface_list(&luma);
	const uint32_t most = NvSciSurfBPC_MaxValid, height = HEIGHT;

	(void)state;
	/* A surface with only luma has no chroma samples. */
	bad(set_one(list, NvSciBufImageAttrKey_SurfHeightBase, &height,
		    sizeof(height)));
	NvSciBufAttrListFree(list);
	list = new_image_list(NvSciBufImage_PitchLinearType);
	bad(set_one(list, NvSciBufImageAttrKey_SurfBPC, &most, sizeof(most)));
	NvSciBufAttrListFree(list);
}

static void a_pyramid_has_levels(void **state)
{
	const uint32_t color = NvSciColor_Y8, nr_planes = 1;
	const uint32_t width = 640, height = 480, nr_levels = 4;
	const float scale = 0.5f;
	NvSciBufAttrKeyValuePair pairs[] = {
		PAIR(NvSciBufImageAttrKey_PlaneCount, nr_planes),
		PAIR(NvSciBufImageAttrKey_PlaneColorFormat, color),
		PAIR(NvSciBufImageAttrKey_PlaneWidth, width),
		PAIR(NvSciBufImageAttrKey_PlaneHeight, height),
		PAIR(NvSciBufPyramidAttrKey_NumLevels, nr_levels),
		PAIR(NvSciBufPyramidAttrKey_Scale, scale),
	};
	NvSciBufAttrList list = new_list();
	const uint64_t *offs, *lens;
	size_t i;

	(void)state;
	set_number(list, NvSciBufGeneralAttrKey_Types, NvSciBufType_Pyramid);
	set_number(list, NvSciBufImageAttrKey_Layout,
		   NvSciBufImage_PitchLinearType);
	ok(NvSciBufAttrListSetAttrs(list, pairs, NR(pairs)));
	list = reconciled(list);
	offs = value_of(list, NvSciBufPyramidAttrKey_LevelOffset,
			4 * sizeof(*offs));
	lens = value_of(list, NvSciBufPyramidAttrKey_LevelSize,
			4 * sizeof(*lens));
	assert_int_equal(offs[0], 0);
	for (i = 1; i < 4; i++) {
		assert_true(offs[i] >= offs[i - 1] + lens[i - 1]);
		assert_true(lens[i] < lens[i - 1]);
	}
	assert_true(value(list, NvSciBufPyramidAttrKey_Alignment,
			  uint64_t) > 0);
	/* A pyramid has the keys of images, too. */
	assert_int_equal(value(list, NvSciBufImageAttrKey_ImageCount,
			       uint64_t), 1);
	NvSciBufAttrListFree(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_nv12_image_is_laid_out),
		cmocka_unit_test(an_interlaced_image_is_laid_out),
		cmocka_unit_test(one_plane_is_followed_by_nothing),
		cmocka_unit_test(values_of_planes_are_checked),
		cmocka_unit_test(each_format_is_a_plane),
		cmocka_unit_test(surfaces_are_planes),
		cmocka_unit_test(surfaces_are_checked),
		cmocka_unit_test(a_pyramid_has_levels),
	};

	return cmocka_run_group_tests(tests, open_module, close_module);
}
