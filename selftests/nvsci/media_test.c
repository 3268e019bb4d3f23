// SPDX-License-Identifier: GPL-2.0-only
/* Tests NvMedia's images of NvSciBuf objects. */
#include <nvmedia_image_nvscibuf.h>

#include "test.h"

static NvMediaDevice *device;

static int open_all(void **state)
{
	device = NvMediaDeviceCreate();
	return open_module(state) || !device || NvMediaImageNvSciBufInit();
}

static int close_all(void **state)
{
	NvMediaImageNvSciBufDeinit();
	NvMediaDeviceDestroy(device);
	return close_module(state);
}

/* Attributes of memory of one test */
struct memory {
	uint32_t nr;
	NvMediaSurfAllocAttr attrs[NVM_SURF_ALLOC_ATTR_MAX];
};

static const struct memory vga = {
	3, {
		{ NVM_SURF_ATTR_WIDTH, 640 },
		{ NVM_SURF_ATTR_HEIGHT, 480 },
		{ NVM_SURF_ATTR_CPU_ACCESS, NVM_SURF_ATTR_CPU_ACCESS_CACHED },
	},
};

static NvMediaStatus fill(NvMediaSurfaceType type, const struct memory *memory,
			  NvSciBufAttrList list)
{
	return NvMediaImageFillNvSciBufAttrs(device, type, memory->attrs,
					     memory->nr, 0, list);
}

static NvMediaSurfaceType nv12(void)
{
	NVM_SURF_FMT_DEFINE_ATTR(attrs);

	NVM_SURF_FMT_SET_ATTR_YUV(attrs, YUV, 420, SEMI_PLANAR, UINT, 8, PL);
	return NvMediaSurfaceFormatGetType(attrs, NVM_SURF_FMT_ATTR_MAX);
}

static NvMediaSurfaceType rgba(void)
{
	NVM_SURF_FMT_DEFINE_ATTR(attrs);

	NVM_SURF_FMT_SET_ATTR_RGBA(attrs, RGBA, UINT, 8, PL);
	return NvMediaSurfaceFormatGetType(attrs, NVM_SURF_FMT_ATTR_MAX);
}

static void formats_have_types(void **state)
{
	NvMediaSurfFormatAttr turned[NVM_SURF_FMT_ATTR_MAX];
	NVM_SURF_FMT_DEFINE_ATTR(attrs);
	NvMediaSurfaceType types[8];
	size_t i, k, nr = 0;

	(void)state;
	assert_int_equal(NvMediaSurfaceFormatGetType(attrs,
						     NVM_SURF_FMT_ATTR_MAX),
			 NvMediaSurfaceType_Unsupported);
	types[nr++] = nv12();
	types[nr++] = rgba();
	NVM_SURF_FMT_SET_ATTR_YUV(attrs, YUYV, 422, PACKED, UINT, 8, PL);
	types[nr++] = NvMediaSurfaceFormatGetType(attrs, 7);
	NVM_SURF_FMT_SET_ATTR_YUV(attrs, YUV, 420, SEMI_PLANAR, UINT, 10, BL);
	types[nr++] = NvMediaSurfaceFormatGetType(attrs, 7);
	NVM_SURF_FMT_SET_ATTR_YUV(attrs, LUMA, NONE, PACKED, UINT, 8, PL);
	types[nr++] = NvMediaSurfaceFormatGetType(attrs, 7);
	NVM_SURF_FMT_SET_ATTR_RAW(attrs, RGGB, INT, 12, PL);
	types[nr++] = NvMediaSurfaceFormatGetType(attrs, 7);
	NVM_SURF_FMT_SET_ATTR_RAW(attrs, CCRC, INT, 20, PL);
	types[nr++] = NvMediaSurfaceFormatGetType(attrs, 7);
	NVM_SURF_FMT_SET_ATTR_YUV(attrs, YUV, 422, PLANAR, UINT, 8, PL);
	types[nr++] = NvMediaSurfaceFormatGetType(attrs, 7);
	for (i = 0; i < nr; i++) {
		assert_int_not_equal(types[i],
				     NvMediaSurfaceType_Unsupported);
		for (k = 0; k < i; k++)
			assert_int_not_equal(types[i], types[k]);
	}
	/* Attributes may be in any order, each once. */
	for (i = 0; i < NR(turned); i++)
		turned[i] = attrs[NR(turned) - 1 - i];
	assert_int_equal(NvMediaSurfaceFormatGetType(turned, 7), types[7]);
	turned[0] = turned[1];
	assert_int_equal(NvMediaSurfaceFormatGetType(turned, 7),
			 NvMediaSurfaceType_Unsupported);
	assert_int_equal(NvMediaSurfaceFormatGetType(attrs, 6),
			 NvMediaSurfaceType_Unsupported);
	assert_int_equal(NvMediaSurfaceFormatGetType(NULL, 7),
			 NvMediaSurfaceType_Unsupported);
	attrs[NVM_SURF_ATTR_BITS_PER_COMPONENT].value = 63;
	assert_int_equal(NvMediaSurfaceFormatGetType(attrs, 7),
			 NvMediaSurfaceType_Unsupported);
}

/* The flow of NVIDIA's guide */
static void an_image_is_made_of_an_object(void **state)
{
	NvSciBufAttrList list = new_list(), own, conflict;
	NvSciBufObj object;
	NvMediaImage *image;
	const uint32_t *colors;

	(void)state;
	set_number(list, NvSciBufGeneralAttrKey_RequiredPerm,
		   NvSciBufAccessPerm_ReadWrite);
	assert_int_equal(fill(nv12(), &vga, list), NVMEDIA_STATUS_OK);
	ok(NvSciBufAttrListReconcileAndObjAlloc(&list, 1, &object, &conflict));
	NvSciBufAttrListFree(list);
	ok(NvSciBufObjGetAttrList(object, &own));
	colors = value_of(own, NvSciBufImageAttrKey_PlaneColorFormat, 8);
	assert_int_equal(colors[0], NvSciColor_Y8);
	assert_int_equal(colors[1], NvSciColor_V8U8);
	assert_true(value(own, NvSciBufGeneralAttrKey_EnableCpuCache, bool));
	assert_int_equal(NvMediaImageCreateFromNvSciBuf(device, object,
							&image),
			 NVMEDIA_STATUS_OK);
	/* The image holds a reference to the object. */
	NvSciBufObjFree(object);
	assert_int_equal(image->type, nv12());
	assert_int_equal(image->width, 640);
	assert_int_equal(image->height, 480);
	assert_int_equal(image->imageCount, 1);
	assert_int_equal(image->embeddedDataTopSize, 0);
	assert_int_equal(image->colorStd, NVM_SURF_ATTR_COLOR_STD_REC601_ER);
	assert_null(image->tag);
	NvMediaImageDestroy(image);
	NvMediaImageDestroy(NULL);
}

/* Lines of a sensor above and below the picture */
static void embedded_lines_are_part_of_the_plane(void **state)
{
	const struct memory memory = {
		5, {
			{ NVM_SURF_ATTR_HEIGHT, 480 },
			{ NVM_SURF_ATTR_WIDTH, 640 },
			{ NVM_SURF_ATTR_EMB_LINES_TOP, 2 },
			{ NVM_SURF_ATTR_EMB_LINES_BOTTOM, 4 },
			{ NVM_SURF_ATTR_COLOR_STD_TYPE,
			  NVM_SURF_ATTR_COLOR_STD_SENSOR_RGBA },
		},
	};
	NVM_SURF_FMT_DEFINE_ATTR(attrs);
	NvSciBufAttrList list = new_list(), own;
	NvSciBufObj object;
	NvMediaImage *image;
	uint32_t pitch;

	(void)state;
	NVM_SURF_FMT_SET_ATTR_RAW(attrs, RGGB, INT, 12, PL);
	assert_int_equal(fill(NvMediaSurfaceFormatGetType(attrs, 7), &memory,
			      list), NVMEDIA_STATUS_OK);
	object = new_object(list);
	ok(NvSciBufObjGetAttrList(object, &own));
	assert_int_equal(value(own, NvSciBufImageAttrKey_PlaneHeight,
			       uint32_t), 486);
	assert_int_equal(value(own, NvSciBufImageAttrKey_PlaneColorFormat,
			       uint32_t), NvSciColor_X4Bayer12RGGB);
	pitch = value(own, NvSciBufImageAttrKey_PlanePitch, uint32_t);
	assert_int_equal(NvMediaImageCreateFromNvSciBuf(device, object,
							&image),
			 NVMEDIA_STATUS_OK);
	assert_int_equal(image->height, 480);
	assert_int_equal(image->embeddedDataTopSize, 2 * pitch);
	assert_int_equal(image->embeddedDataBottomSize, 4 * pitch);
	assert_int_equal(image->colorStd, NVM_SURF_ATTR_COLOR_STD_SENSOR_RGBA);
	NvMediaImageDestroy(image);
	NvSciBufObjFree(object);
}

static void planes_have_no_embedded_lines(void **state)
{
	const struct memory memory = {
		4, {
			{ NVM_SURF_ATTR_HEIGHT, 480 },
			{ NVM_SURF_ATTR_WIDTH, 640 },
			{ NVM_SURF_ATTR_EMB_LINES_TOP, 4 },
			{ NVM_SURF_ATTR_EMB_LINES_BOTTOM, 2 },
		},
	};
	NvSciBufAttrList list = new_list(), conflict;
	NvSciBufObj object;
	NvMediaImage *image;

	(void)state;
	set_number(list, NvSciBufGeneralAttrKey_RequiredPerm,
		   NvSciBufAccessPerm_ReadWrite);
	assert_int_equal(fill(nv12(), &memory, list), NVMEDIA_STATUS_OK);
	ok(NvSciBufAttrListReconcileAndObjAlloc(&list, 1, &object, &conflict));
	NvSciBufAttrListFree(list);
	assert_int_equal(NvMediaImageCreateFromNvSciBuf(device, object,
							&image),
			 NVMEDIA_STATUS_OK);
	assert_int_equal(image->height, 480);
	assert_int_equal(image->embeddedDataTopSize, 0);
	assert_int_equal(image->embeddedDataBottomSize, 0);
	NvMediaImageDestroy(image);
	NvSciBufObjFree(object);
}

static void cpu_access_is_as_it_was_asked_for(void **state)
{
	static const struct {
		uint32_t access;
		bool is_mapped;
		bool is_cached;
	} cases[] = {
		{ 0, true, false },
		{ NVM_SURF_ATTR_CPU_ACCESS_UNCACHED, true, false },
		{ NVM_SURF_ATTR_CPU_ACCESS_CACHED, true, true },
		{ NVM_SURF_ATTR_CPU_ACCESS_UNMAPPED, false, false },
	};
	struct memory memory = vga;
	size_t i;

	(void)state;
	for (i = 0; i < NR(cases); i++) {
		NvSciBufAttrList list = new_list();

		memory.attrs[2].value = cases[i].access;
		assert_int_equal(fill(rgba(), &memory, list),
				 NVMEDIA_STATUS_OK);
		list = reconciled(list);
		assert_int_equal(value(list,
				       NvSciBufGeneralAttrKey_NeedCpuAccess,
				       bool), cases[i].is_mapped);
		assert_int_equal(value(list,
				       NvSciBufGeneralAttrKey_EnableCpuCache,
				       bool), cases[i].is_cached);
		NvSciBufAttrListFree(list);
	}
}

static void attributes_are_checked(void **state)
{
	static const NvMediaSurfAllocAttr wrong[] = {
		{ NVM_SURF_ATTR_CPU_ACCESS, 4 },
		{ NVM_SURF_ATTR_SCAN_TYPE, 3 },
		{ NVM_SURF_ATTR_COLOR_STD_TYPE, 13 },
		{ NVM_SURF_ATTR_EMB_LINES_TOP, 129 },
		{ NVM_SURF_ALLOC_ATTR_MAX, 0 },
		{ NVM_SURF_ATTR_WIDTH, 640 },
	};
	NvSciBufAttrList list = new_list();
	struct memory memory = vga;
	NvSciBufObj object;
	NvMediaImage *image;
	size_t i;

	(void)state;
	for (i = 0; i < NR(wrong); i++) {
		memory.attrs[2] = wrong[i];
		assert_int_equal(fill(rgba(), &memory, list),
				 NVMEDIA_STATUS_BAD_PARAMETER);
	}
	memory.attrs[2] = (NvMediaSurfAllocAttr){
		NVM_SURF_ATTR_ALLOC_TYPE, NVM_SURF_ATTR_ALLOC_SECURED,
	};
	assert_int_equal(fill(rgba(), &memory, list),
			 NVMEDIA_STATUS_NOT_SUPPORTED);
	memory.nr = 1;
	assert_int_equal(fill(rgba(), &memory, list),
			 NVMEDIA_STATUS_BAD_PARAMETER);
	assert_int_equal(fill(12345, &vga, list),
			 NVMEDIA_STATUS_BAD_PARAMETER);
	assert_int_equal(fill(rgba(), &vga, NULL),
			 NVMEDIA_STATUS_BAD_PARAMETER);
	assert_int_equal(NvMediaImageFillNvSciBufAttrs(device, rgba(),
						       vga.attrs, vga.nr, 1,
						       list),
			 NVMEDIA_STATUS_BAD_PARAMETER);
	assert_int_equal(NvMediaImageFillNvSciBufAttrs(NULL, rgba(), vga.attrs,
						       vga.nr, 0, list),
			 NVMEDIA_STATUS_BAD_PARAMETER);
	/* The failed call set nothing, so this one can, once. */
	assert_int_equal(fill(rgba(), &vga, list), NVMEDIA_STATUS_OK);
	assert_int_equal(fill(rgba(), &vga, list),
			 NVMEDIA_STATUS_BAD_PARAMETER);
	NvSciBufAttrListFree(list);
	object = new_raw_object();
	assert_int_equal(NvMediaImageCreateFromNvSciBuf(device, object,
							&image),
			 NVMEDIA_STATUS_BAD_PARAMETER);
	assert_int_equal(NvMediaImageCreateFromNvSciBuf(device, NULL, &image),
			 NVMEDIA_STATUS_BAD_PARAMETER);
	assert_int_equal(NvMediaImageCreateFromNvSciBuf(device, object, NULL),
			 NVMEDIA_STATUS_BAD_PARAMETER);
	assert_int_equal(NvMediaImageCreateFromNvSciBuf(NULL, object, &image),
			 NVMEDIA_STATUS_BAD_PARAMETER);
	NvSciBufObjFree(object);
}

static void calls_need_their_init(void **state)
{
	NvSciBufAttrList list = new_list();
	NvSciBufObj object = new_raw_object();
	NvMediaImage *image;

	(void)state;
	NvMediaImageNvSciBufDeinit();
	assert_int_equal(fill(rgba(), &vga, list),
			 NVMEDIA_STATUS_NOT_INITIALIZED);
	assert_int_equal(NvMediaImageCreateFromNvSciBuf(device, object,
							&image),
			 NVMEDIA_STATUS_NOT_INITIALIZED);
	NvMediaImageNvSciBufDeinit();
	assert_int_equal(NvMediaImageNvSciBufInit(), NVMEDIA_STATUS_OK);
	assert_int_equal(fill(rgba(), &vga, list), NVMEDIA_STATUS_OK);
	NvSciBufAttrListFree(list);
	NvSciBufObjFree(object);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_have_types),
		cmocka_unit_test(an_image_is_made_of_an_object),
		cmocka_unit_test(embedded_lines_are_part_of_the_plane),
		cmocka_unit_test(planes_have_no_embedded_lines),
		cmocka_unit_test(cpu_access_is_as_it_was_asked_for),
		cmocka_unit_test(attributes_are_checked),
		cmocka_unit_test(calls_need_their_init),
	};

	return cmocka_run_group_tests(tests, open_all, close_all);
}
