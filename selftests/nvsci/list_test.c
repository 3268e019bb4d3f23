// SPDX-License-Identifier: GPL-2.0-only
/* Tests attribute lists: keys, values in the vendor's types, reconciliation. */
#include "test.h"

static const uint64_t size = SIZE;

static NvSciBufAttrList list_of(NvSciBufType type)
{
	NvSciBufAttrList list = new_list();

	set_number(list, NvSciBufGeneralAttrKey_Types, type);
	return list;
}

static void modules_open_and_close(void **state)
{
	NvSciBufModule other = NULL;
	bool fits = false;

	(void)state;
	bad(NvSciBufModuleOpen(NULL));
	ok(NvSciBufModuleOpen(&other));
	assert_non_null(other);
	assert_ptr_not_equal(other, module);
	NvSciBufModuleClose(other);
	NvSciBufModuleClose(NULL);
	bad(NvSciBufCheckVersionCompatibility(2, 0, NULL));
	ok(NvSciBufCheckVersionCompatibility(NvSciBufMajorVersion,
					     NvSciBufMinorVersion, &fits));
	assert_true(fits);
	ok(NvSciBufCheckVersionCompatibility(NvSciBufMajorVersion,
					     NvSciBufMinorVersion + 1, &fits));
	assert_false(fits);
	ok(NvSciBufCheckVersionCompatibility(1, 0, &fits));
	assert_false(fits);
}

static void a_list_outlives_its_module(void **state)
{
	NvSciBufAttrList list, result, conflict;
	NvSciBufModule other;

	(void)state;
	ok(NvSciBufModuleOpen(&other));
	ok(NvSciBufAttrListCreate(other, &list));
	NvSciBufModuleClose(other);
	set_number(list, NvSciBufGeneralAttrKey_Types, NvSciBufType_RawBuffer);
	ok(set_one(list, NvSciBufRawBufferAttrKey_Size, &size, sizeof(size)));
	ok(NvSciBufAttrListReconcile(&list, 1, &result, &conflict));
	NvSciBufAttrListFree(list);
	assert_int_equal(value(result, NvSciBufRawBufferAttrKey_Size,
			       uint64_t), SIZE);
	NvSciBufAttrListFree(result);
}

/* A list of libmem belongs to no module, which a reconciliation needs. */
static void a_list_of_libmem_is_of_no_module(void **state)
{
	NvSciBufAttrList result = UNTOUCHED(NvSciBufAttrList);
	NvSciBufAttrList lists[2], conflict;
	struct mem_attrs *own;

	(void)state;
	assert_int_equal(mem_attrs_create(shared_ctx(), &own), 0);
	lists[0] = (NvSciBufAttrList)own;
	lists[1] = new_raw_list(SIZE);
	bad(NvSciBufAttrListReconcile(lists, 1, &result, &conflict));
	bad(NvSciBufAttrListReconcile(lists, 2, &result, &conflict));
	assert_ptr_equal(result, UNTOUCHED(NvSciBufAttrList));
	mem_attrs_destroy(own);
	NvSciBufAttrListFree(lists[1]);
}

static void lists_are_created(void **state)
{
	NvSciBufAttrList list = UNTOUCHED(NvSciBufAttrList);
	bool is_reconciled = true;

	(void)state;
	bad(NvSciBufAttrListCreate(NULL, &list));
	bad(NvSciBufAttrListCreate(module, NULL));
	assert_ptr_equal(list, UNTOUCHED(NvSciBufAttrList));
	list = new_list();
	assert_int_equal(NvSciBufAttrListGetSlotCount(list), 1);
	assert_int_equal(NvSciBufAttrListGetSlotCount(NULL), 0);
	ok(NvSciBufAttrListIsReconciled(list, &is_reconciled));
	assert_false(is_reconciled);
	bad(NvSciBufAttrListIsReconciled(NULL, &is_reconciled));
	bad(NvSciBufAttrListIsReconciled(list, NULL));
	NvSciBufAttrListFree(list);
	NvSciBufAttrListFree(NULL);
}

static void what_may_not_be_set_is_refused(void **state)
{
	NvSciBufAttrList list = list_of(NvSciBufType_RawBuffer);
	NvSciBufAttrKeyValuePair twice[] = {
		PAIR(NvSciBufRawBufferAttrKey_Size, size),
		PAIR(NvSciBufRawBufferAttrKey_Size, size),
	};
	const uint32_t perm = NvSciBufAccessPerm_Auto;
	const uint64_t zero = 0, three = 3;
	const uint8_t two = 2;

	(void)state;
	bad(NvSciBufAttrListSetAttrs(NULL, twice, 1));
	bad(NvSciBufAttrListSetAttrs(list, NULL, 1));
	bad(NvSciBufAttrListSetAttrs(list, twice, 0));
	bad(NvSciBufAttrListSetAttrs(list, twice, 2));
	bad(set_one(list, NvSciBufAttrKey_LowerBound, &size, sizeof(size)));
	bad(set_one(list, NvSciBufAttrKey_UpperBound, &size, sizeof(size)));
	bad(set_one(list, (NvSciBufAttrKey)0x60000, &size, sizeof(size)));
	bad(set_one(list, NvSciBufRawBufferAttrKey_Size, NULL, sizeof(size)));
	bad(set_one(list, NvSciBufRawBufferAttrKey_Size, &size, 4));
	bad(set_one(list, NvSciBufRawBufferAttrKey_Size, &size, 0));
	bad(set_one(list, NvSciBufRawBufferAttrKey_Size, &zero, sizeof(zero)));
	bad(set_one(list, NvSciBufRawBufferAttrKey_Align, &three,
		    sizeof(three)));
	bad(set_one(list, NvSciBufGeneralAttrKey_RequiredPerm, &perm,
		    sizeof(perm)));
	bad(set_one(list, NvSciBufGeneralAttrKey_NeedCpuAccess, &two, 1));
	/* Outputs and keys of another type cannot be set. */
	bad(set_one(list, NvSciBufGeneralAttrKey_ActualPerm, &perm,
		    sizeof(perm)));
	bad(set_one(list, NvSciBufImageAttrKey_Size, &size, sizeof(size)));
	bad(set_one(list, NvSciBufImageAttrKey_Layout, &perm, sizeof(perm)));
	/* A key can be set once, and a call sets all keys or none. */
	ok(NvSciBufAttrListSetAttrs(list, twice, 1));
	bad(NvSciBufAttrListSetAttrs(list, twice, 1));
	assert_false(is_set(list, NvSciBufRawBufferAttrKey_Align));
	NvSciBufAttrListFree(list);
}

static void what_is_not_there_is_not_supported(void **state)
{
	NvSciBufAttrList image = list_of(NvSciBufType_Image);
	NvSciBufAttrList array = list_of(NvSciBufType_Array);
	const NvSciBufPeerLocationInfo place = { 1, 2, 0 };
	const NvSciBufPeerHwEngine engine = { NvSciBufHwEngName_Vic,
					      NvSciBufPlatformName_Orin };
	const uint32_t int4 = NvSciDataType_Int4, raw = NvSciSurfType_RAW;
	const bool yes = true;

	(void)state;
	is(set_one(image, NvSciBufGeneralAttrKey_PeerLocationInfo, &place,
		   sizeof(place)), NotSupported);
	is(set_one(image, NvSciBufGeneralAttrKey_PeerHwEngineArray, &engine,
		   sizeof(engine)), NotSupported);
	is(set_one(image, NvSciBufImageAttrKey_VprFlag, &yes, sizeof(yes)),
	   NotSupported);
	is(set_one(image, NvSciBufImageAttrKey_SurfType, &raw, sizeof(raw)),
	   NotSupported);
	is(set_one(array, NvSciBufArrayAttrKey_DataType, &int4, sizeof(int4)),
	   NotSupported);
	NvSciBufAttrListFree(image);
	NvSciBufAttrListFree(array);
}

/* Keys that libmem only keeps belong to a type like all others. */
static void a_key_of_another_type_is_refused(void **state)
{
	const uint64_t padding[] = { 1, 2 }, one = 1;
	const uint32_t pixels = NvSciColor_A8B8G8R8, width = 640;
	const NvSciBufType image = NvSciBufType_Image;
	const bool no = false;
	const NvSciBufAttrKeyValuePair pairs[] = {
		PAIR(NvSciBufImageAttrKey_TopPadding, padding),
		PAIR(NvSciBufImageAttrKey_VprFlag, no),
		PAIR(NvSciBufImageAttrKey_ImageCount, one),
		PAIR(NvSciBufImageAttrKey_SurfWidthBase, width),
		PAIR(NvSciBufTensorAttrKey_PixelFormat, pixels),
	};
	NvSciBufAttrList raw = list_of(NvSciBufType_RawBuffer);
	NvSciBufAttrList without = new_list(), pyramid = new_list();
	NvSciBufAttrKeyValuePair both[] = {
		pairs[1], PAIR(NvSciBufGeneralAttrKey_Types, image),
	};
	size_t i;

	(void)state;
	for (i = 0; i < NR(pairs); i++) {
		bad(set_one(raw, pairs[i].key, pairs[i].value, pairs[i].len));
		bad(set_one(without, pairs[i].key, pairs[i].value,
			    pairs[i].len));
	}
	/* The type may be set by the same call. */
	ok(NvSciBufAttrListSetAttrs(without, both, NR(both)));
	set_number(pyramid, NvSciBufGeneralAttrKey_Types,
		   NvSciBufType_Pyramid);
	ok(set_one(pyramid, NvSciBufImageAttrKey_ImageCount, &one,
		   sizeof(one)));
	NvSciBufAttrListFree(raw);
	NvSciBufAttrListFree(without);
	NvSciBufAttrListFree(pyramid);
}

static void a_flag_of_one_value_is_set_once(void **state)
{
	NvSciBufAttrList list = list_of(NvSciBufType_Image);
	const bool no = false;

	(void)state;
	assert_false(is_set(list, NvSciBufImageAttrKey_VprFlag));
	ok(set_one(list, NvSciBufImageAttrKey_VprFlag, &no, sizeof(no)));
	assert_false(value(list, NvSciBufImageAttrKey_VprFlag, bool));
	assert_true(is_set(list, NvSciBufImageAttrKey_VprFlag));
	bad(set_one(list, NvSciBufImageAttrKey_VprFlag, &no, sizeof(no)));
	NvSciBufAttrListFree(list);
}

static void values_come_back_as_they_were_set(void **state)
{
	const NvSciBufType types[] = { NvSciBufType_Image,
				       NvSciBufType_Tensor };
	const NvSciBufAttrValGpuCache cache[] = {
		{ { { 1, 2, 3 } }, true }, { { { 4, 5, 6 } }, false },
	};
	const NvSciBufAttrValGpuCompression compression = {
		{ { 7 } }, NvSciBufCompressionType_GenericCompressible,
	};
	const uint32_t colors[] = { NvSciColor_X4Bayer12CRBC,
				    NvSciColor_U8V8 };
	const uint32_t stds[] = { NvSciColorStd_REQ2020PQ_ER,
				  NvSciColorStd_REC709_SR };
	const uint64_t padding[] = { 1, 2 }, dims[] = { 1, 4, 4, 4 }, one = 1;
	const uint32_t data = NvSciDataType_Float16, nr_dims = 4;
	const uint32_t pixels = NvSciColor_A8B8G8R8;
	NvSciBufAttrKeyValuePair pairs[] = {
		PAIR(NvSciBufImageAttrKey_PlaneColorFormat, colors),
		PAIR(NvSciBufGeneralAttrKey_Types, types),
		PAIR(NvSciBufGeneralAttrKey_EnableGpuCache, cache),
		PAIR(NvSciBufGeneralAttrKey_EnableGpuCompression, compression),
		PAIR(NvSciBufImageAttrKey_PlaneColorStd, stds),
		PAIR(NvSciBufImageAttrKey_TopPadding, padding),
		PAIR(NvSciBufImageAttrKey_RightPadding, padding),
		PAIR(NvSciBufImageAttrKey_ImageCount, one),
		PAIR(NvSciBufTensorAttrKey_DataType, data),
		PAIR(NvSciBufTensorAttrKey_NumDims, nr_dims),
		PAIR(NvSciBufTensorAttrKey_SizePerDim, dims),
		PAIR(NvSciBufTensorAttrKey_PixelFormat, pixels),
	};
	NvSciBufAttrList list = new_list(), clone;
	const void *first;
	size_t i;

	(void)state;
	ok(NvSciBufAttrListSetAttrs(list, pairs, NR(pairs)));
	ok(NvSciBufAttrListClone(list, &clone));
	for (i = 0; i < NR(pairs); i++) {
		assert_memory_equal(value_of(list, pairs[i].key, pairs[i].len),
				    pairs[i].value, pairs[i].len);
		assert_memory_equal(value_of(clone, pairs[i].key,
					     pairs[i].len),
				    pairs[i].value, pairs[i].len);
	}
	/* Each call returns the same pointer, valid as long as the list. */
	first = value_of(list, NvSciBufGeneralAttrKey_EnableGpuCache,
			 sizeof(cache));
	assert_ptr_equal(value_of(list, NvSciBufGeneralAttrKey_EnableGpuCache,
				  sizeof(cache)), first);
	assert_false(is_set(list, NvSciBufImageAttrKey_LeftPadding));
	NvSciBufAttrListFree(list);
	NvSciBufAttrListFree(clone);
}

static void compression_cannot_be_set_to_none(void **state)
{
	const NvSciBufAttrValGpuCompression none = {
		{ { 7 } }, NvSciBufCompressionType_None,
	};
	NvSciBufAttrList list = new_list();

	(void)state;
	bad(set_one(list, NvSciBufGeneralAttrKey_EnableGpuCompression, &none,
		    sizeof(none)));
	NvSciBufAttrListFree(list);
}

static void what_may_not_be_read_is_refused(void **state)
{
	NvSciBufAttrList list = new_raw_list(SIZE), result, conflict;
	NvSciBufAttrKeyValuePair perm = {
		NvSciBufGeneralAttrKey_ActualPerm, NULL, 0,
	};
	NvSciBufAttrKeyValuePair asked = {
		NvSciBufGeneralAttrKey_RequiredPerm, NULL, 0,
	};
	NvSciBufAttrKeyValuePair none = { (NvSciBufAttrKey)0x12345, NULL, 0 };

	(void)state;
	bad(NvSciBufAttrListGetAttrs(NULL, &asked, 1));
	bad(NvSciBufAttrListGetAttrs(list, NULL, 1));
	bad(NvSciBufAttrListGetAttrs(list, &asked, 0));
	bad(NvSciBufAttrListGetAttrs(list, &none, 1));
	bad(NvSciBufAttrListGetAttrs(list, &perm, 1));
	bad(NvSciBufAttrListSlotGetAttrs(list, 1, &asked, 1));
	ok(NvSciBufAttrListSlotGetAttrs(list, 0, &asked, 1));
	ok(NvSciBufAttrListReconcile(&list, 1, &result, &conflict));
	ok(NvSciBufAttrListGetAttrs(result, &perm, 1));
	bad(NvSciBufAttrListGetAttrs(result, &asked, 1));
	bad(NvSciBufAttrListSetAttrs(result, &asked, 1));
	NvSciBufAttrListFree(list);
	NvSciBufAttrListFree(result);
}

static void a_reconciled_list_has_what_programs_look_at(void **state)
{
	NvSciBufAttrList list = list_of(NvSciBufType_RawBuffer), result;

	(void)state;
	ok(set_one(list, NvSciBufRawBufferAttrKey_Size, &size, sizeof(size)));
	result = reconciled(list);
	/* The vendor's defaults are no CPU access, no cache, read-only. */
	assert_false(value(result, NvSciBufGeneralAttrKey_NeedCpuAccess,
			   bool));
	assert_false(value(result, NvSciBufGeneralAttrKey_EnableCpuCache,
			   bool));
	assert_false(value(result,
			   NvSciBufGeneralAttrKey_CpuNeedSwCacheCoherency,
			   bool));
	assert_int_equal(value(result, NvSciBufGeneralAttrKey_ActualPerm,
			       NvSciBufAttrValAccessPerm),
			 NvSciBufAccessPerm_Readonly);
	assert_true(value(result, NvSciBufRawBufferAttrKey_Align,
			  uint64_t) > 0);
	assert_int_equal(value(result, NvSciBufGeneralAttrKey_Types,
			       NvSciBufType), NvSciBufType_RawBuffer);
	/* A raw buffer has no keys of an image. */
	assert_false(is_set(result, NvSciBufImageAttrKey_VprFlag));
	assert_false(is_set(result, NvSciBufImageAttrKey_ImageCount));
	NvSciBufAttrListFree(result);
}

static void who_caches_must_flush_where_engines_do_not_snoop(void **state)
{
	NvSciBufAttrList result = reconciled(new_raw_list(SIZE));
	const bool has_gpu = is_set(result, NvSciBufGeneralAttrKey_GpuId);

	(void)state;
	assert_true(value(result, NvSciBufGeneralAttrKey_EnableCpuCache,
			  bool));
	assert_int_equal(value(result,
			       NvSciBufGeneralAttrKey_CpuNeedSwCacheCoherency,
			       bool), has_gpu && !is_io_coherent());
	NvSciBufAttrListFree(result);
}

static void lists_merge_by_each_keys_rule(void **state)
{
	NvSciBufAttrList lists[2] = { new_raw_list(SIZE),
				      list_of(NvSciBufType_RawBuffer) };
	const uint64_t align = 1024 * 1024;
	NvSciBufAttrList result, both;
	NvSciBufAttrList conflict = UNTOUCHED(NvSciBufAttrList);

	(void)state;
	ok(set_one(lists[1], NvSciBufRawBufferAttrKey_Align, &align,
		   sizeof(align)));
	set_bool(lists[1], NvSciBufGeneralAttrKey_NeedCpuAccess, false);
	ok(NvSciBufAttrListReconcile(lists, 2, &result, &conflict));
	/* Programs free it if it is not NULL: NVIDIA's cudaNvSciNvMedia */
	assert_null(conflict);
	assert_int_equal(value(result, NvSciBufRawBufferAttrKey_Align,
			       uint64_t), align);
	assert_true(value(result, NvSciBufGeneralAttrKey_NeedCpuAccess, bool));
	NvSciBufAttrListFree(result);
	ok(NvSciBufAttrListAppendUnreconciled(lists, 2, &both));
	assert_int_equal(NvSciBufAttrListGetSlotCount(both), 2);
	ok(NvSciBufAttrListReconcile(&both, 1, &result, &conflict));
	assert_int_equal(value(result, NvSciBufRawBufferAttrKey_Align,
			       uint64_t), align);
	NvSciBufAttrListFree(result);
	/* A list with several slots can only be read, by slot. */
	bad(set_one(both, NvSciBufRawBufferAttrKey_Size, &size,
		    sizeof(size)));
	NvSciBufAttrListFree(both);
	NvSciBufAttrListFree(lists[0]);
	NvSciBufAttrListFree(lists[1]);
}

/* Programs set it, and use the result as an offset. */
static void an_alignment_of_0_stays_0(void **state)
{
	NvSciBufAttrList lists[2] = { list_of(NvSciBufType_RawBuffer),
				      list_of(NvSciBufType_RawBuffer) };
	const uint64_t zero = 0, align = 65536;
	NvSciBufAttrList result, conflict, clone;

	(void)state;
	ok(set_one(lists[0], NvSciBufRawBufferAttrKey_Size, &size,
		   sizeof(size)));
	ok(set_one(lists[0], NvSciBufRawBufferAttrKey_Align, &zero,
		   sizeof(zero)));
	assert_int_equal(value(lists[0], NvSciBufRawBufferAttrKey_Align,
			       uint64_t), 0);
	ok(NvSciBufAttrListClone(lists[0], &clone));
	assert_int_equal(value(clone, NvSciBufRawBufferAttrKey_Align,
			       uint64_t), 0);
	NvSciBufAttrListFree(clone);
	ok(NvSciBufAttrListReconcile(lists, 2, &result, &conflict));
	assert_int_equal(value(result, NvSciBufRawBufferAttrKey_Align,
			       uint64_t), 0);
	NvSciBufAttrListFree(result);
	ok(set_one(lists[1], NvSciBufRawBufferAttrKey_Align, &align,
		   sizeof(align)));
	ok(NvSciBufAttrListReconcile(lists, 2, &result, &conflict));
	assert_int_equal(value(result, NvSciBufRawBufferAttrKey_Align,
			       uint64_t), align);
	NvSciBufAttrListFree(result);
	NvSciBufAttrListFree(lists[0]);
	NvSciBufAttrListFree(lists[1]);
}

static void a_conflict_names_its_key(void **state)
{
	NvSciBufAttrList lists[2] = { new_raw_list(SIZE),
				      new_raw_list(2 * SIZE) };
	NvSciBufAttrList result = UNTOUCHED(NvSciBufAttrList), conflict = NULL;
	NvSciBufAttrKeyValuePair pair = PAIR(NvSciBufRawBufferAttrKey_Size,
					     size);
	bool is_reconciled = true;
	size_t len = 0;
	void *text;

	(void)state;
	is(NvSciBufAttrListReconcile(lists, 2, &result, &conflict),
	   ReconciliationFailed);
	assert_ptr_equal(result, UNTOUCHED(NvSciBufAttrList));
	assert_non_null(conflict);
	ok(NvSciBufAttrListDebugDump(conflict, &text, &len));
	assert_int_equal(strlen((char *)text) + 1, len);
	assert_non_null(strstr((char *)text, "raw.size"));
	/* The defaults of the module are no list of the program. */
	assert_non_null(strstr((char *)text, "list 1"));
	assert_null(strstr((char *)text, "list 2"));
	free(text);
	ok(NvSciBufAttrListDump(conflict, &text, &len));
	free(text);
	/* A conflict list can only be dumped and freed. */
	bad(NvSciBufAttrListSetAttrs(conflict, &pair, 1));
	bad(NvSciBufAttrListGetAttrs(conflict, &pair, 1));
	bad(NvSciBufAttrListClone(conflict, &result));
	ok(NvSciBufAttrListIsReconciled(conflict, &is_reconciled));
	assert_false(is_reconciled);
	assert_int_equal(NvSciBufAttrListGetSlotCount(conflict), 0);
	NvSciBufAttrListFree(conflict);
	NvSciBufAttrListFree(lists[0]);
	NvSciBufAttrListFree(lists[1]);
}

static void dumps_are_checked(void **state)
{
	NvSciBufAttrList list = new_raw_list(SIZE);
	size_t len;
	void *text;

	(void)state;
	bad(NvSciBufAttrListDebugDump(NULL, &text, &len));
	bad(NvSciBufAttrListDebugDump(list, NULL, &len));
	bad(NvSciBufAttrListDebugDump(list, &text, NULL));
	ok(NvSciBufAttrListDebugDump(list, &text, &len));
	assert_non_null(strstr((char *)text, "raw.size"));
	free(text);
	NvSciBufAttrListFree(list);
}

static void what_is_missing_is_a_conflict(void **state)
{
	NvSciBufAttrList list = list_of(NvSciBufType_RawBuffer);
	NvSciBufAttrList result, conflict = NULL;

	(void)state;
	is(NvSciBufAttrListReconcile(&list, 1, &result, &conflict),
	   ReconciliationFailed);
	NvSciBufAttrListFree(conflict);
	NvSciBufAttrListFree(list);
}

static void reconciliation_checks_what_it_is_given(void **state)
{
	NvSciBufAttrList list = new_raw_list(SIZE), many[100];
	NvSciBufAttrList result = UNTOUCHED(NvSciBufAttrList), conflict;
	NvSciBufAttrList lists[2] = { list, NULL };
	NvSciBufModule other;
	size_t i;

	(void)state;
	bad(NvSciBufAttrListReconcile(NULL, 1, &result, &conflict));
	bad(NvSciBufAttrListReconcile(&list, 0, &result, &conflict));
	bad(NvSciBufAttrListReconcile(&list, 1, NULL, &conflict));
	bad(NvSciBufAttrListReconcile(&list, 1, &result, NULL));
	bad(NvSciBufAttrListReconcile(lists, 2, &result, &conflict));
	for (i = 0; i < NR(many); i++)
		many[i] = list;
	ok(NvSciBufAttrListReconcile(many, NR(many), &result, &conflict));
	/* Reconciled lists cannot be reconciled. */
	bad(NvSciBufAttrListReconcile(&result, 1, &lists[1], &conflict));
	NvSciBufAttrListFree(result);
	result = UNTOUCHED(NvSciBufAttrList);
	ok(NvSciBufModuleOpen(&other));
	ok(NvSciBufAttrListCreate(other, &lists[1]));
	bad(NvSciBufAttrListReconcile(lists, 2, &result, &conflict));
	bad(NvSciBufAttrListAppendUnreconciled(lists, 2, &result));
	assert_ptr_equal(result, UNTOUCHED(NvSciBufAttrList));
	NvSciBufAttrListFree(lists[1]);
	NvSciBufModuleClose(other);
	NvSciBufAttrListFree(list);
}

static void clones_and_lists_of_lists_have_types(void **state)
{
	NvSciBufAttrList empty = new_list(), list = new_raw_list(SIZE), other;
	NvSciBufAttrList lists[2] = { list, empty };

	(void)state;
	bad(NvSciBufAttrListClone(NULL, &other));
	bad(NvSciBufAttrListClone(list, NULL));
	bad(NvSciBufAttrListClone(empty, &other));
	bad(NvSciBufAttrListAppendUnreconciled(NULL, 1, &other));
	bad(NvSciBufAttrListAppendUnreconciled(lists, 0, &other));
	bad(NvSciBufAttrListAppendUnreconciled(lists, 1, NULL));
	bad(NvSciBufAttrListAppendUnreconciled(lists, 2, &other));
	/* A clone is independent of its list. */
	ok(NvSciBufAttrListClone(list, &other));
	NvSciBufAttrListFree(list);
	assert_int_equal(value(other, NvSciBufRawBufferAttrKey_Size,
			       uint64_t), SIZE);
	NvSciBufAttrListFree(other);
	NvSciBufAttrListFree(empty);
}

static void a_list_is_validated_against_others(void **state)
{
	NvSciBufAttrList list = new_raw_list(SIZE), result, conflict;
	NvSciBufAttrList larger = new_raw_list(2 * SIZE);
	bool is_valid = false;

	(void)state;
	ok(NvSciBufAttrListReconcile(&list, 1, &result, &conflict));
	ok(NvSciBufAttrListValidateReconciled(result, &list, 1, &is_valid));
	assert_true(is_valid);
	is(NvSciBufAttrListValidateReconciled(result, &larger, 1, &is_valid),
	   ReconciliationFailed);
	assert_false(is_valid);
	bad(NvSciBufAttrListValidateReconciled(NULL, &list, 1, &is_valid));
	bad(NvSciBufAttrListValidateReconciled(list, &list, 1, &is_valid));
	bad(NvSciBufAttrListValidateReconciled(result, NULL, 1, &is_valid));
	bad(NvSciBufAttrListValidateReconciled(result, &list, 0, &is_valid));
	bad(NvSciBufAttrListValidateReconciled(result, &list, 1, NULL));
	bad(NvSciBufAttrListValidateReconciled(result, &result, 1, &is_valid));
	NvSciBufAttrListFree(list);
	NvSciBufAttrListFree(larger);
	NvSciBufAttrListFree(result);
}

static void a_list_is_validated_against_values(void **state)
{
	const uint32_t readonly = NvSciBufAccessPerm_Readonly;
	const uint32_t read_write = NvSciBufAccessPerm_ReadWrite;
	const uint64_t other = 4096, align = 4096, more = 1024 * 1024;
	NvSciBufAttrList result = reconciled(new_raw_list(SIZE));
	const NvSciBufAttrKeyValuePair fits[] = {
		PAIR(NvSciBufRawBufferAttrKey_Size, size),
		PAIR(NvSciBufRawBufferAttrKey_Align, align),
		PAIR(NvSciBufGeneralAttrKey_ActualPerm, read_write),
	};
	const NvSciBufAttrKeyValuePair differ[] = {
		PAIR(NvSciBufRawBufferAttrKey_Size, other),
		PAIR(NvSciBufRawBufferAttrKey_Align, more),
		PAIR(NvSciBufGeneralAttrKey_ActualPerm, readonly),
	};
	const NvSciBufAttrKeyValuePair wrong =
		PAIR(NvSciBufRawBufferAttrKey_Size, readonly);
	size_t i;

	(void)state;
	ok(NvSciBufAttrListValidateReconciledAgainstAttrs(result, fits,
							  NR(fits)));
	for (i = 0; i < NR(differ); i++)
		is(NvSciBufAttrListValidateReconciledAgainstAttrs(result,
								  &differ[i],
								  1),
		   AttrListValidationFailed);
	bad(NvSciBufAttrListValidateReconciledAgainstAttrs(NULL, fits, 1));
	bad(NvSciBufAttrListValidateReconciledAgainstAttrs(result, NULL, 1));
	bad(NvSciBufAttrListValidateReconciledAgainstAttrs(result, fits, 0));
	bad(NvSciBufAttrListValidateReconciledAgainstAttrs(result, &wrong, 1));
	NvSciBufAttrListFree(result);
}

static void tensors_and_arrays_are_computed(void **state)
{
	NvSciBufAttrList tensor = list_of(NvSciBufType_Tensor);
	NvSciBufAttrList array = list_of(NvSciBufType_Array);
	const uint64_t dims[] = { 2, 3, 5 }, stride = 12, capacity = 10;
	const uint32_t aligns[] = { 1, 16, 1 };
	const uint64_t *strides;

	(void)state;
	set_number(tensor, NvSciBufTensorAttrKey_DataType,
		   NvSciDataType_Int32);
	set_number(tensor, NvSciBufTensorAttrKey_NumDims, 3);
	ok(set_one(tensor, NvSciBufTensorAttrKey_SizePerDim, dims,
		   sizeof(dims)));
	ok(set_one(tensor, NvSciBufTensorAttrKey_AlignmentPerDim, aligns,
		   sizeof(aligns)));
	tensor = reconciled(tensor);
	strides = value_of(tensor, NvSciBufTensorAttrKey_StridesPerDim,
			   3 * sizeof(*strides));
	assert_int_equal(strides[2], 4);
	assert_int_equal(strides[1] % 16, 0);
	assert_true(strides[1] >= 20 && strides[0] >= 3 * strides[1]);
	assert_true(value(tensor, NvSciBufTensorAttrKey_Size, uint64_t) >=
		    2 * strides[0]);
	assert_int_equal(value(tensor, NvSciBufTensorAttrKey_DataType,
			       uint32_t), NvSciDataType_Int32);
	NvSciBufAttrListFree(tensor);

	set_number(array, NvSciBufArrayAttrKey_DataType,
		   NvSciDataType_Float32);
	ok(set_one(array, NvSciBufArrayAttrKey_Stride, &stride,
		   sizeof(stride)));
	ok(set_one(array, NvSciBufArrayAttrKey_Capacity, &capacity,
		   sizeof(capacity)));
	array = reconciled(array);
	assert_true(value(array, NvSciBufArrayAttrKey_Size, uint64_t) >= 120);
	assert_true(value(array, NvSciBufArrayAttrKey_Alignment,
			  uint64_t) > 0);
	NvSciBufAttrListFree(array);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modules_open_and_close),
		cmocka_unit_test(a_list_outlives_its_module),
		cmocka_unit_test(a_list_of_libmem_is_of_no_module),
		cmocka_unit_test(lists_are_created),
		cmocka_unit_test(what_may_not_be_set_is_refused),
		cmocka_unit_test(what_is_not_there_is_not_supported),
		cmocka_unit_test(a_key_of_another_type_is_refused),
		cmocka_unit_test(a_flag_of_one_value_is_set_once),
		cmocka_unit_test(values_come_back_as_they_were_set),
		cmocka_unit_test(compression_cannot_be_set_to_none),
		cmocka_unit_test(what_may_not_be_read_is_refused),
		cmocka_unit_test(a_reconciled_list_has_what_programs_look_at),
		cmocka_unit_test
			(who_caches_must_flush_where_engines_do_not_snoop),
		cmocka_unit_test(lists_merge_by_each_keys_rule),
		cmocka_unit_test(an_alignment_of_0_stays_0),
		cmocka_unit_test(a_conflict_names_its_key),
		cmocka_unit_test(dumps_are_checked),
		cmocka_unit_test(what_is_missing_is_a_conflict),
		cmocka_unit_test(reconciliation_checks_what_it_is_given),
		cmocka_unit_test(clones_and_lists_of_lists_have_types),
		cmocka_unit_test(a_list_is_validated_against_others),
		cmocka_unit_test(a_list_is_validated_against_values),
		cmocka_unit_test(tensors_and_arrays_are_computed),
	};

	return cmocka_run_group_tests(tests, open_module, close_module);
}
