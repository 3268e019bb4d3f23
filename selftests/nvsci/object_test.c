// SPDX-License-Identifier: GPL-2.0-only
/* Tests objects: permissions, CPU pointers, cache maintenance, pixels. */
#include "test.h"

#include "../fds.h"

static void an_object_is_allocated(void **state)
{
	NvSciBufAttrList list = new_raw_list(SIZE), result, conflict, own;
	NvSciBufObj object = UNTOUCHED(NvSciBufObj);
	uint8_t *bytes;
	void *ptr;
	size_t i;

	(void)state;
	ok(NvSciBufAttrListReconcile(&list, 1, &result, &conflict));
	bad(NvSciBufObjAlloc(NULL, &object));
	bad(NvSciBufObjAlloc(list, &object));
	bad(NvSciBufObjAlloc(result, NULL));
	assert_ptr_equal(object, UNTOUCHED(NvSciBufObj));
	ok(NvSciBufObjAlloc(result, &object));
	NvSciBufAttrListFree(list);
	NvSciBufAttrListFree(result);
	ok(NvSciBufObjGetAttrList(object, &own));
	assert_int_equal(value(own, NvSciBufRawBufferAttrKey_Size, uint64_t),
			 SIZE);
	assert_int_equal(value(own, NvSciBufGeneralAttrKey_ActualPerm,
			       NvSciBufAttrValAccessPerm),
			 NvSciBufAccessPerm_ReadWrite);
	bad(NvSciBufObjGetAttrList(NULL, &own));
	bad(NvSciBufObjGetAttrList(object, NULL));
	ok(NvSciBufObjGetCpuPtr(object, &ptr));
	bytes = ptr;
	for (i = 0; i < SIZE; i++)
		assert_int_equal(bytes[i], 0);
	ok(NvSciBufObjValidate(object));
	bad(NvSciBufObjValidate(NULL));
	NvSciBufObjFree(object);
	NvSciBufObjFree(NULL);
}

static void the_older_names_are_there(void **state)
{
	NvSciBufAttrList list = new_raw_list(SIZE), result, conflict = NULL;
	NvSciBufObj object;

	(void)state;
	ok(NvSciBufAttrListReconcile(&list, 1, &result, &conflict));
	ok(NvSciBufAttrListObjAlloc(result, &object));
	NvSciBufObjFree(object);
	NvSciBufAttrListFree(result);
	conflict = UNTOUCHED(NvSciBufAttrList);
	ok(NvSciBufAttrListReconcileAndObjAlloc(&list, 1, &object, &conflict));
	assert_null(conflict);
	NvSciBufObjFree(object);
	bad(NvSciBufAttrListReconcileAndObjAlloc(&list, 1, NULL, &conflict));
	bad(NvSciBufAttrListReconcileAndObjAlloc(&list, 1, &object, NULL));
	bad(NvSciBufAttrListReconcileAndObjAlloc(NULL, 1, &object, &conflict));
	bad(NvSciBufAttrListReconcileAndObjAlloc(&list, 0, &object,
						 &conflict));
	assert_null(conflict);
	NvSciBufAttrListFree(list);
}

static void the_cpu_has_an_object_whose_list_says_so(void **state)
{
	const uint64_t size = SIZE;
	NvSciBufAttrList list = new_list();
	void *ptr = UNTOUCHED(void *);
	const void *read_only;
	NvSciBufObj object;

	(void)state;
	set_number(list, NvSciBufGeneralAttrKey_Types, NvSciBufType_RawBuffer);
	ok(set_one(list, NvSciBufRawBufferAttrKey_Size, &size, sizeof(size)));
	object = new_object(list);
	bad(NvSciBufObjGetCpuPtr(object, &ptr));
	bad(NvSciBufObjGetConstCpuPtr(object, &read_only));
	is(NvSciBufObjFlushCpuCacheRange(object, 0, 1), NotPermitted);
	assert_ptr_equal(ptr, UNTOUCHED(void *));
	NvSciBufObjFree(object);
	object = new_raw_object();
	bad(NvSciBufObjGetCpuPtr(NULL, &ptr));
	bad(NvSciBufObjGetCpuPtr(object, NULL));
	bad(NvSciBufObjGetConstCpuPtr(NULL, &read_only));
	bad(NvSciBufObjGetConstCpuPtr(object, NULL));
	ok(NvSciBufObjGetCpuPtr(object, &ptr));
	ok(NvSciBufObjGetConstCpuPtr(object, &read_only));
	memset(ptr, 0xa5, SIZE);
	assert_int_equal(((const uint8_t *)read_only)[SIZE - 1], 0xa5);
	NvSciBufObjFree(object);
}

static void permission_can_be_taken_away(void **state)
{
	NvSciBufObj object = new_raw_object(), same, less, more;
	NvSciBufAttrList list;
	const void *read_only;
	void *ptr;

	(void)state;
	bad(NvSciBufObjDup(NULL, &same));
	bad(NvSciBufObjDup(object, NULL));
	bad(NvSciBufObjDupWithReducePerm(NULL, NvSciBufAccessPerm_Readonly,
					 &less));
	bad(NvSciBufObjDupWithReducePerm(object, NvSciBufAccessPerm_Auto,
					 &less));
	bad(NvSciBufObjDupWithReducePerm(object, NvSciBufAccessPerm_Readonly,
					 NULL));
	ok(NvSciBufObjGetCpuPtr(object, &ptr));
	memset(ptr, 7, SIZE);
	ok(NvSciBufObjFlushCpuCacheRange(object, 0, SIZE));
	ok(NvSciBufObjDup(object, &same));
	ok(NvSciBufObjDupWithReducePerm(same, NvSciBufAccessPerm_Readonly,
					&less));
	NvSciBufObjFree(same);
	ok(NvSciBufObjGetAttrList(less, &list));
	assert_int_equal(value(list, NvSciBufGeneralAttrKey_ActualPerm,
			       NvSciBufAttrValAccessPerm),
			 NvSciBufAccessPerm_Readonly);
	bad(NvSciBufObjGetCpuPtr(less, &ptr));
	bad(NvSciBufObjDupWithReducePerm(less, NvSciBufAccessPerm_ReadWrite,
					 &more));
	ok(NvSciBufObjGetConstCpuPtr(less, &read_only));
	/* A process with read-only access must flush before it reads. */
	ok(NvSciBufObjFlushCpuCacheRange(less, 0, SIZE));
	assert_int_equal(*(const uint8_t *)read_only, 7);
	NvSciBufObjFree(object);
	assert_int_equal(*(const uint8_t *)read_only, 7);
	NvSciBufObjFree(less);
}

static void flushes_are_checked(void **state)
{
	NvSciBufObj object = new_raw_object();

	(void)state;
	bad(NvSciBufObjFlushCpuCacheRange(NULL, 0, 1));
	bad(NvSciBufObjFlushCpuCacheRange(object, 0, 0));
	bad(NvSciBufObjFlushCpuCacheRange(object, 0, SIZE + 1));
	bad(NvSciBufObjFlushCpuCacheRange(object, SIZE, 1));
	is(NvSciBufObjFlushCpuCacheRange(object, UINT64_MAX, 2), Overflow);
	ok(NvSciBufObjFlushCpuCacheRange(object, SIZE - 1, 1));
	NvSciBufObjFree(object);
}

/* Returns the sum of the bytes that the dma engine sees. */
static uint64_t sum_of(struct mem_object *object)
{
	struct mem_buf *buf = mem_object_buf(object);
	struct mem_job *job;
	uint64_t sum;

	assert_int_equal(mem_job_checksum(buf, 0, SIZE, &job), 0);
	assert_int_equal(mem_job_wait(job, MEM_WAIT_FOREVER, &sum), 0);
	mem_job_destroy(job);
	return sum;
}

/*
 * Without the flush, an engine of such a board sees old bytes. With the module,
 * the CPU does not cache an object for a GPU.
 */
static void a_flush_brings_stores_to_memory(void **state)
{
	NvSciBufObj object = new_raw_object();
	struct mem_object *mem = (struct mem_object *)object;
	NvSciBufAttrList list;
	uint64_t before, after;
	void *ptr;
	bool need;

	(void)state;
	ok(NvSciBufObjGetAttrList(object, &list));
	need = value(list, NvSciBufGeneralAttrKey_CpuNeedSwCacheCoherency,
		     bool);
	assert_int_equal(need, !is_io_coherent());
	before = sum_of(mem);
	ok(NvSciBufObjGetCpuPtr(object, &ptr));
	memset(ptr, 0x42, SIZE);
	after = sum_of(mem);
	if (need && is_embedded())
		assert_int_equal(after, before);
	else
		assert_int_not_equal(after, before);
	ok(NvSciBufObjFlushCpuCacheRange(object, 0, SIZE));
	assert_int_not_equal(sum_of(mem), before);
	NvSciBufObjFree(object);
}

static void an_object_of_libmems_has_a_list(void **state)
{
	const uint32_t types[] = { MEM_ATTR_TYPE_IMAGE };
	const uint32_t layout = MEM_LAYOUT_PITCH_LINEAR, nr = 1;
	const uint32_t rgba = 'A' | 'B' << 8 | '2' << 16 | '4' << 24;
	const uint32_t side = 64, std = MEM_COLOR_STD_SRGB;
	const struct mem_attr values[] = {
		{ MEM_ATTR_TYPES, 0, types, sizeof(types) },
		{ MEM_ATTR_IMAGE_LAYOUT, 0, &layout, sizeof(layout) },
		{ MEM_ATTR_IMAGE_PLANE_COUNT, 0, &nr, sizeof(nr) },
		{ MEM_ATTR_IMAGE_PLANE_FORMAT, 0, &rgba, sizeof(rgba) },
		{ MEM_ATTR_IMAGE_PLANE_STD, 0, &std, sizeof(std) },
		{ MEM_ATTR_IMAGE_PLANE_WIDTH, 0, &side, sizeof(side) },
		{ MEM_ATTR_IMAGE_PLANE_HEIGHT, 0, &side, sizeof(side) },
	};
	struct mem_attrs *attrs, *result;
	struct mem_object *mem;
	NvSciBufAttrList list;
	NvSciBufObj object;

	(void)state;
	assert_int_equal(mem_attrs_create(shared_ctx(), &attrs), 0);
	assert_int_equal(mem_attrs_set(attrs, values, NR(values)), 0);
	assert_int_equal(mem_attrs_reconcile(&attrs, 1, &result, NULL), 0);
	assert_int_equal(mem_object_alloc(result, "image", &mem), 0);
	mem_attrs_destroy(attrs);
	mem_attrs_destroy(result);
	object = (NvSciBufObj)mem;
	ok(NvSciBufObjGetAttrList(object, &list));
	assert_int_equal(value(list, NvSciBufImageAttrKey_PlaneColorFormat,
			       uint32_t), NvSciColor_A8B8G8R8);
	assert_int_equal(value(list, NvSciBufImageAttrKey_PlaneColorStd,
			       uint32_t), NvSciColorStd_SRGB);
	assert_int_equal(value(list, NvSciBufImageAttrKey_PlaneDatatype,
			       uint32_t), NvSciDataType_Uint8);
	NvSciBufObjFree(object);
}

/* Pixels */

#define WIDTH	18U
#define HEIGHT	10U

static NvSciBufObj new_image(uint32_t nr, const uint32_t *colors,
			     uint32_t div)
{
	const uint32_t widths[] = { WIDTH, WIDTH / div };
	const uint32_t heights[] = { HEIGHT, HEIGHT / div };
	const size_t len = nr * sizeof(uint32_t);
	NvSciBufAttrList list = new_list();

	set_number(list, NvSciBufGeneralAttrKey_Types, NvSciBufType_Image);
	set_number(list, NvSciBufImageAttrKey_Layout,
		   NvSciBufImage_PitchLinearType);
	set_bool(list, NvSciBufGeneralAttrKey_NeedCpuAccess, true);
	set_number(list, NvSciBufImageAttrKey_PlaneCount, nr);
	ok(set_one(list, NvSciBufImageAttrKey_PlaneColorFormat, colors, len));
	ok(set_one(list, NvSciBufImageAttrKey_PlaneWidth, widths, len));
	ok(set_one(list, NvSciBufImageAttrKey_PlaneHeight, heights, len));
	return new_object(list);
}

/* The program has separate Y, U and V; the image has Y and pairs of U and V. */
static void chroma_is_put_together_and_taken_apart(void **state)
{
	static const uint32_t colors[][2] = {
		{ NvSciColor_Y8, NvSciColor_V8U8 },
		{ NvSciColor_Y8, NvSciColor_U8V8 },
	};
	const uint32_t sizes[] = { 20 * HEIGHT, 45, 45 };
	const uint32_t pitches[] = { 20, 9, 9 };
	uint8_t y[20 * HEIGHT], u[45], v[45], y2[20 * HEIGHT], u2[45], v2[45];
	const void *from[] = { y, u, v };
	void *to[] = { y2, u2, v2 };
	const uint64_t *offs;
	NvSciBufAttrList list;
	NvSciBufObj object;
	const uint8_t *pair;
	void *ptr;
	size_t i, k;

	(void)state;
	for (i = 0; i < NR(colors); i++) {
		object = new_image(2, colors[i], 2);
		for (k = 0; k < sizeof(y); k++)
			y[k] = (uint8_t)k;
		memset(u, 'u', sizeof(u));
		memset(v, 'v', sizeof(v));
		memset(y2, 0, sizeof(y2));
		ok(NvSciBufObjPutPixels(object, NULL, from, sizes, pitches));
		ok(NvSciBufObjGetPixels(object, NULL, to, sizes, pitches));
		for (k = 0; k < HEIGHT; k++)
			assert_memory_equal(y2 + k * 20, y + k * 20, WIDTH);
		assert_int_equal(y2[WIDTH], 0);
		assert_memory_equal(u2, u, sizeof(u));
		assert_memory_equal(v2, v, sizeof(v));
		ok(NvSciBufObjGetAttrList(object, &list));
		offs = value_of(list, NvSciBufImageAttrKey_PlaneOffset, 16);
		ok(NvSciBufObjGetCpuPtr(object, &ptr));
		pair = (uint8_t *)ptr + offs[1];
		/* V8U8 has U in the lower byte. */
		assert_int_equal(pair[0], i ? 'v' : 'u');
		assert_int_equal(pair[1], i ? 'u' : 'v');
		NvSciBufObjFree(object);
	}
}

static void part_of_an_image_is_copied(void **state)
{
	static const uint32_t color = NvSciColor_A8B8G8R8;
	const NvSciBufRect rect = { 3, 2, 5, 4 };
	const NvSciBufRect wrong[] = {
		{ 0, 0, WIDTH + 1, 1 }, { 0, 0, 1, HEIGHT + 1 },
		{ 5, 0, 4, 1 }, { 0, 5, 1, 4 },
	};
	uint32_t pixels[4] = { 0x11, 0x22, 0x33, 0x44 }, all[WIDTH * HEIGHT];
	uint32_t size = sizeof(pixels), pitch = 8;
	const void *from = pixels;
	NvSciBufObj object = new_image(1, &color, 1);
	void *to = all;
	size_t i;

	(void)state;
	ok(NvSciBufObjPutPixels(object, &rect, &from, &size, &pitch));
	for (i = 0; i < NR(wrong); i++)
		bad(NvSciBufObjPutPixels(object, &wrong[i], &from, &size,
					 &pitch));
	size = sizeof(all);
	pitch = 4 * WIDTH;
	ok(NvSciBufObjGetPixels(object, NULL, &to, &size, &pitch));
	assert_int_equal(all[2 * WIDTH + 3], 0x11);
	assert_int_equal(all[3 * WIDTH + 4], 0x44);
	assert_int_equal(all[2 * WIDTH + 2], 0);
	assert_int_equal(all[2 * WIDTH + 5], 0);
	NvSciBufObjFree(object);
}

static void pixels_are_checked(void **state)
{
	static const uint32_t colors[] = { NvSciColor_Y8, NvSciColor_V8U8 };
	const NvSciBufRect rect = { 0, 0, 1, 1 };
	uint8_t bytes[2 * WIDTH * HEIGHT];
	uint32_t sizes[] = { WIDTH * HEIGHT, 45, 45 };
	uint32_t pitches[] = { WIDTH, 9, 9 };
	void *to[] = { bytes, bytes + 200, bytes + 250 };
	NvSciBufObj object = new_image(2, colors, 2), raw = new_raw_object();
	NvSciBufObj less;
	void *ptr, *inside[3];

	(void)state;
	ok(NvSciBufObjGetPixels(object, NULL, to, sizes, pitches));
	bad(NvSciBufObjGetPixels(NULL, NULL, to, sizes, pitches));
	bad(NvSciBufObjGetPixels(object, NULL, NULL, sizes, pitches));
	bad(NvSciBufObjGetPixels(object, NULL, to, NULL, pitches));
	bad(NvSciBufObjGetPixels(object, NULL, to, sizes, NULL));
	bad(NvSciBufObjGetPixels(object, &rect, to, sizes, pitches));
	bad(NvSciBufObjGetPixels(raw, NULL, to, sizes, pitches));
	pitches[1] = 8;
	bad(NvSciBufObjGetPixels(object, NULL, to, sizes, pitches));
	pitches[1] = 0;
	bad(NvSciBufObjGetPixels(object, NULL, to, sizes, pitches));
	pitches[1] = 9;
	sizes[2] = 44;
	bad(NvSciBufObjGetPixels(object, NULL, to, sizes, pitches));
	sizes[2] = 45;
	to[2] = NULL;
	bad(NvSciBufObjGetPixels(object, NULL, to, sizes, pitches));
	to[2] = bytes + 240;
	bad(NvSciBufObjGetPixels(object, NULL, to, sizes, pitches));
	ok(NvSciBufObjGetCpuPtr(object, &ptr));
	inside[0] = ptr;
	inside[1] = bytes;
	inside[2] = bytes + 100;
	bad(NvSciBufObjGetPixels(object, NULL, inside, sizes, pitches));
	to[2] = bytes + 250;
	ok(NvSciBufObjDupWithReducePerm(object, NvSciBufAccessPerm_Readonly,
					&less));
	ok(NvSciBufObjGetPixels(less, NULL, to, sizes, pitches));
	bad(NvSciBufObjPutPixels(less, NULL, (const void **)to, sizes,
				 pitches));
	NvSciBufObjFree(less);
	NvSciBufObjFree(object);
	NvSciBufObjFree(raw);
}

/* See also mistakes.c, whose mistakes heapsim-run(1) reports. */
static void what_is_freed_is_refused(void **state)
{
	NvSciBufAttrList list = new_raw_list(SIZE), own;
	NvSciBufObj object = new_raw_object(), other;
	NvSciBufAttrValAccessPerm perm;
	uint64_t words[64] = { 0 };
	void *ptr;

	(void)state;
	ok(NvSciBufObjGetAttrList(object, &own));
	/* The list is the object's. */
	NvSciBufAttrListFree(own);
	assert_int_equal(value(own, NvSciBufRawBufferAttrKey_Size, uint64_t),
			 SIZE);
	ok(NvSciBufObjDup(object, &other));
	NvSciBufObjFree(object);
	ok(NvSciBufObjValidate(other));
	NvSciBufObjFree(other);
	NvSciBufObjFree(object);
	bad(NvSciBufObjValidate(object));
	bad(NvSciBufObjDup(object, &other));
	bad(NvSciBufObjGetCpuPtr(object, &ptr));
	bad(NvSciBufObjGetMaxPerm(object, 0, &perm));
	bad(NvSciBufObjValidate((NvSciBufObj)words));
	bad(NvSciBufObjValidate((NvSciBufObj)list));
	bad(NvSciBufAttrListClone(own, &own));
	NvSciBufAttrListFree(list);
	NvSciBufAttrListFree(list);
	bad(NvSciBufAttrListClone(list, &own));
	assert_int_equal(NvSciBufAttrListGetSlotCount(list), 0);
	/* The allocator may use an address again. */
	list = new_raw_list(SIZE);
	ok(NvSciBufAttrListClone(list, &own));
	NvSciBufAttrListFree(own);
	NvSciBufAttrListFree(list);
}

static void peers_that_come_later_are_not_there(void **state)
{
	NvSciBufObj object = new_raw_object();

	(void)state;
	is(NvSciBufObjAttachPeer(object, NULL, 0), NotSupported);
	NvSciBufObjFree(object);
}

static void use_an_object(void)
{
	NvSciBufObj object = new_raw_object();
	NvSciBufObj less, clone;
	const void *bytes;
	void *ptr;

	ok(NvSciBufObjGetCpuPtr(object, &ptr));
	ok(NvSciBufObjDupWithReducePerm(object, NvSciBufAccessPerm_ReadOnly,
					&less));
	ok(NvSciBufObjGetConstCpuPtr(less, &bytes));
	ok(NvSciBufObjDup(less, &clone));
	sum_of((struct mem_object *)object);
	NvSciBufObjFree(object);
	NvSciBufObjFree(less);
	NvSciBufObjFree(clone);
}

static void no_descriptor_is_left(void **state)
{
	(void)state;
	check_leaves_no_fd(use_an_object);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_object_is_allocated),
		cmocka_unit_test(the_older_names_are_there),
		cmocka_unit_test(the_cpu_has_an_object_whose_list_says_so),
		cmocka_unit_test(permission_can_be_taken_away),
		cmocka_unit_test(flushes_are_checked),
		cmocka_unit_test(a_flush_brings_stores_to_memory),
		cmocka_unit_test(an_object_of_libmems_has_a_list),
		cmocka_unit_test(chroma_is_put_together_and_taken_apart),
		cmocka_unit_test(part_of_an_image_is_copied),
		cmocka_unit_test(pixels_are_checked),
		cmocka_unit_test(what_is_freed_is_refused),
		cmocka_unit_test(peers_that_come_later_are_not_there),
		cmocka_unit_test(no_descriptor_is_left),
	};

	return cmocka_run_group_tests(tests, open_module, close_module);
}
