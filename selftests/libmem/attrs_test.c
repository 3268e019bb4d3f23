// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests attribute lists: valid values of each key, the calls that each kind of
 * list refuses, and how lists are printed. attrs_merge_test tests merging.
 */
#include "attrs.h"

/* Creating, setting, reading */

static void an_empty_list_has_one_slot_and_nothing_set(void **state)
{
	struct mem_attrs *list = new_list();

	(void)state;
	assert_int_equal(mem_attrs_state(list), MEM_ATTRS_UNRECONCILED);
	assert_int_equal(mem_attrs_slots(list), 1);
	assert_false(is_set(list, MEM_ATTR_TYPES));
	assert_false(is_set(list, MEM_ATTR_ACTUAL_PERM));
	assert_false(is_set(list, MEM_ATTR_CLIENT));
	mem_attrs_destroy(list);
	mem_attrs_destroy(NULL);
}

static void arguments_that_are_null_are_refused(void **state)
{
	struct mem_attrs *list = new_list(), *other = UNTOUCHED;
	struct mem_attrs *none[] = { list, NULL };
	struct mem_attr attr = { .key = MEM_ATTR_TYPES };

	(void)state;
	assert_int_equal(mem_attrs_create(NULL, &other), -EINVAL);
	assert_int_equal(mem_attrs_create(ctx, NULL), -EINVAL);
	assert_int_equal(mem_attrs_clone(NULL, &other), -EINVAL);
	assert_int_equal(mem_attrs_clone(list, NULL), -EINVAL);
	assert_int_equal(mem_attrs_append(NULL, 1, &other), -EINVAL);
	assert_int_equal(mem_attrs_append(none, 2, &other), -EINVAL);
	assert_int_equal(mem_attrs_append(&list, 1, NULL), -EINVAL);
	assert_int_equal(mem_attrs_append(&list, 0, &other), -EINVAL);
	assert_int_equal(mem_attrs_state(NULL), -EINVAL);
	assert_int_equal(mem_attrs_slots(NULL), -EINVAL);
	assert_int_equal(mem_attrs_set(NULL, &attr, 1), -EINVAL);
	assert_int_equal(mem_attrs_set(list, NULL, 1), -EINVAL);
	assert_int_equal(mem_attrs_set(list, &attr, 0), -EINVAL);
	assert_int_equal(mem_attrs_get(NULL, 0, &attr, 1), -EINVAL);
	assert_int_equal(mem_attrs_get(list, 0, NULL, 1), -EINVAL);
	assert_int_equal(mem_attrs_get(list, 0, &attr, 0), -EINVAL);
	assert_int_equal(mem_attrs_get(list, 1, &attr, 1), -EINVAL);
	assert_int_equal(mem_attrs_reconcile(NULL, 1, &other, NULL), -EINVAL);
	assert_int_equal(mem_attrs_reconcile(none, 2, &other, NULL), -EINVAL);
	assert_int_equal(mem_attrs_reconcile(&list, 0, &other, NULL), -EINVAL);
	assert_int_equal(mem_attrs_reconcile(&list, 1, NULL, NULL), -EINVAL);
	assert_int_equal(mem_attrs_validate(NULL, &list, 1), -EINVAL);
	assert_int_equal(mem_attrs_validate(list, &list, 1), -EINVAL);
	assert_int_equal(mem_attrs_dump(NULL, NULL, 0), -EINVAL);
	assert_int_equal(mem_attrs_dump(list, NULL, 1), -EINVAL);
	assert_int_equal(mem_attrs_set_client(NULL, &attr, NULL), -EINVAL);
	assert_int_equal(mem_attrs_set_client(list, NULL, NULL), -EINVAL);
	assert_null(mem_attrs_client(NULL));
	assert_ptr_equal(other, UNTOUCHED);
	mem_attrs_destroy(list);
}

static void what_is_set_can_be_read(void **state)
{
	struct mem_attrs *list =
		LIST(RAW(4096), ATTR(NEED_CPU_ACCESS, uint8_t, 1),
		     ATTR(REQUIRED_PERM, uint32_t, MEM_RW),
		     ATTR(RAW_ALIGN, uint64_t, 256));

	(void)state;
	assert_int_equal(u32_of(list, TYPES), MEM_ATTR_TYPE_RAW);
	assert_int_equal(u64_of(list, RAW_SIZE), 4096);
	assert_int_equal(u64_of(list, RAW_ALIGN), 256);
	assert_int_equal(u8_of(list, NEED_CPU_ACCESS), 1);
	assert_int_equal(u32_of(list, REQUIRED_PERM), MEM_RW);
	assert_false(is_set(list, MEM_ATTR_CPU_CACHE));
	mem_attrs_destroy(list);
}

static void a_key_is_set_once(void **state)
{
	struct mem_attrs *list = LIST(RAW(4096));
	const struct mem_attr twice[] = {
		ATTR(CPU_CACHE, uint8_t, 1), ATTR(CPU_CACHE, uint8_t, 1),
	};
	const struct mem_attr of_client[] = {
		ATTR(CLIENT, uint8_t, 1), ATTR(CLIENT, uint8_t, 1),
	};

	(void)state;
	assert_int_equal(set_one(list, MEM_ATTR_RAW_SIZE, V(uint64_t, 4096)),
			 -EEXIST);
	assert_int_equal(mem_attrs_set(list, twice, 2), -EEXIST);
	assert_int_equal(mem_attrs_set(list, of_client, 2), -EEXIST);
	assert_int_equal(mem_attrs_set(list, of_client, 1), 0);
	assert_int_equal(mem_attrs_set(list, of_client, 1), -EEXIST);
	assert_false(is_set(list, MEM_ATTR_CPU_CACHE));
	assert_int_equal(u64_of(list, RAW_SIZE), 4096);
	mem_attrs_destroy(list);
}

static void all_values_of_a_call_are_set_or_none(void **state)
{
	const struct mem_attr attrs[] = {
		ATTR(NEED_CPU_ACCESS, uint8_t, 1),
		ATTR(CLIENT, uint8_t, 1, 2, 3),
		RAW(4096),
		ATTR(RAW_ALIGN, uint64_t, 3),
	};
	struct mem_attrs *list = new_list();

	(void)state;
	assert_int_equal(mem_attrs_set(list, attrs, NR(attrs)), -EINVAL);
	assert_false(is_set(list, MEM_ATTR_NEED_CPU_ACCESS));
	assert_false(is_set(list, MEM_ATTR_CLIENT));
	assert_false(is_set(list, MEM_ATTR_TYPES));
	assert_int_equal(mem_attrs_set(list, attrs, NR(attrs) - 1), 0);
	mem_attrs_destroy(list);
}

static void types_may_come_after_their_keys(void **state)
{
	struct mem_attrs *list =
		LIST(ATTR(RAW_SIZE, uint64_t, 1),
		     ATTR(TYPES, uint32_t, MEM_ATTR_TYPE_RAW));

	(void)state;
	mem_attrs_destroy(list);
}

static void keys_of_other_types_are_refused(void **state)
{
	struct mem_attrs *list = new_list();
	struct mem_attrs *pyramid =
		LIST(ATTR(TYPES, uint32_t, MEM_ATTR_TYPE_PYRAMID));

	(void)state;
	assert_int_equal(set_one(list, MEM_ATTR_RAW_SIZE, V(uint64_t, 1)),
			 -EINVAL);
	assert_int_equal(set_one(list, MEM_ATTR_TYPES,
				 V(uint32_t, MEM_ATTR_TYPE_RAW)), 0);
	assert_int_equal(set_one(list, MEM_ATTR_IMAGE_LAYOUT, V(uint32_t, 1)),
			 -EINVAL);
	assert_int_equal(set_one(list, MEM_ATTR_RAW_SIZE, V(uint64_t, 1)), 0);
	/* A pyramid has the keys of an image, too. */
	assert_int_equal(set_one(pyramid, MEM_ATTR_IMAGE_LAYOUT,
				 V(uint32_t, 1)), 0);
	assert_int_equal(set_one(pyramid, MEM_ATTR_TENSOR_DIM_COUNT,
				 V(uint32_t, 1)), -EINVAL);
	mem_attrs_destroy(list);
	mem_attrs_destroy(pyramid);
}

static void keys_that_are_none_or_outputs_are_refused(void **state)
{
	static const uint32_t keys[] = {
		0, MEM_ATTR_GPU_COHERENCY + 1, 0x10000, MEM_ATTR_RAW_ALIGN + 1,
		MEM_ATTR_PYRAMID_SIZE + 1, 0x60001, UINT32_MAX,
		MEM_ATTR_CLIENT - 1, MEM_ATTR_CLIENT + MEM_ATTR_CLIENT_KEYS,
	};
	static const uint32_t outputs[] = {
		MEM_ATTR_ACTUAL_PERM, MEM_ATTR_CPU_COHERENCY,
		MEM_ATTR_GPU_COHERENCY, MEM_ATTR_IMAGE_SIZE,
		MEM_ATTR_IMAGE_PLANE_PITCH, MEM_ATTR_TENSOR_SIZE,
		MEM_ATTR_ARRAY_ALIGN, MEM_ATTR_PYRAMID_LEVEL_SIZE,
	};
	struct mem_attrs *list =
		LIST(ATTR(TYPES, uint32_t, 1, 2, 3, 4, 5));
	size_t i;

	(void)state;
	for (i = 0; i < NR(keys); i++) {
		struct mem_attr attr = { .key = keys[i] };

		assert_int_equal(set_one(list, keys[i], V(uint32_t, 1)),
				 -EINVAL);
		assert_int_equal(mem_attrs_get(list, 0, &attr, 1), -EINVAL);
		assert_string_equal(mem_attr_name(keys[i]), "unknown");
	}
	for (i = 0; i < NR(outputs); i++) {
		assert_int_equal(set_one(list, outputs[i], V(uint8_t, 1)),
				 -EINVAL);
		assert_int_equal(set_one(list, outputs[i], V(uint32_t, 1)),
				 -EINVAL);
		assert_int_equal(set_one(list, outputs[i], V(uint64_t, 1)),
				 -EINVAL);
	}
	mem_attrs_destroy(list);
}

/**
 * struct key - a key that can be set
 * @key: enum mem_attr_key
 * @len: length of an element in bytes
 * @max: largest number of elements
 * @good: a valid value of an element
 * @bad: an invalid value; 0: each value is valid
 * @name: name in dumps
 */
struct key {
	uint32_t key;
	uint32_t len;
	uint32_t max;
	uint64_t good;
	uint64_t bad;
	const char *name;
};

#define FLOAT_1		0x3f800000U
#define FLOAT_1_LATER	0x3f800001U

/* All input keys except ids of GPUs, of which each value is valid */
static const struct key keys[] = {
	{ MEM_ATTR_TYPES, 4, 5, 1, 6, "general.types" },
	{ MEM_ATTR_NEED_CPU_ACCESS, 1, 1, 1, 2, "general.need_cpu_access" },
	{ MEM_ATTR_CPU_CACHE, 1, 1, 1, 2, "general.cpu_cache" },
	{ MEM_ATTR_REQUIRED_PERM, 4, 1, MEM_RW, MEM_WRITE,
	  "general.required_perm" },
	{ MEM_ATTR_ENGINES, 8, 1, 1, 1 << 4, "general.engines" },
	{ MEM_ATTR_ENGINES, 8, 1, MEM_ATTR_ENGINE_DMA, 1ULL << 33,
	  "general.engines" },
	{ MEM_ATTR_RAW_SIZE, 8, 1, 1, UINT64_MAX, "raw.size" },
	{ MEM_ATTR_RAW_ALIGN, 8, 1, 1ULL << 63, 12, "raw.align" },
	{ MEM_ATTR_IMAGE_LAYOUT, 4, 1, 1, 2, "image.layout" },
	{ MEM_ATTR_IMAGE_PLANE_COUNT, 4, 1, 3, 4, "image.plane_count" },
	{ MEM_ATTR_IMAGE_PLANE_FORMAT, 4, 3, MEM_FOURCC_F32,
	  MEM_FOURCC('N', 'V', '1', '2'), "image.plane_format" },
	{ MEM_ATTR_IMAGE_PLANE_STD, 4, 3, 8, 9, "image.plane_std" },
	{ MEM_ATTR_IMAGE_PLANE_WIDTH, 4, 3, UINT32_MAX, 0,
	  "image.plane_width" },
	{ MEM_ATTR_IMAGE_PLANE_HEIGHT, 4, 3, 1, 0, "image.plane_height" },
	{ MEM_ATTR_IMAGE_PLANE_ALIGN, 4, 3, 1U << 31, 3,
	  "image.plane_align" },
	{ MEM_ATTR_IMAGE_SCAN, 4, 1, 1, 2, "image.scan" },
	{ MEM_ATTR_TENSOR_DATA_TYPE, 4, 1, 12, 13, "tensor.data_type" },
	{ MEM_ATTR_TENSOR_DIM_COUNT, 4, 1, 8, 9, "tensor.dim_count" },
	{ MEM_ATTR_TENSOR_DIM_SIZE, 8, 8, UINT64_MAX, 0, "tensor.dim_size" },
	{ MEM_ATTR_TENSOR_DIM_ALIGN, 4, 8, 1, 6, "tensor.dim_align" },
	{ MEM_ATTR_TENSOR_BASE_ALIGN, 8, 1, 1, 0, "tensor.base_align" },
	{ MEM_ATTR_ARRAY_DATA_TYPE, 4, 1, 0, 13, "array.data_type" },
	{ MEM_ATTR_ARRAY_STRIDE, 8, 1, 3, 0, "array.stride" },
	{ MEM_ATTR_ARRAY_CAPACITY, 8, 1, 1, 0, "array.capacity" },
	{ MEM_ATTR_PYRAMID_LEVEL_COUNT, 4, 1, 10, 11,
	  "pyramid.level_count" },
	{ MEM_ATTR_PYRAMID_SCALE, 4, 1, FLOAT_1, FLOAT_1_LATER,
	  "pyramid.scale" },
	{ MEM_ATTR_CLIENT, 1, 256, 7, 0, "client" },
	{ MEM_ATTR_CLIENT + 31, 1, 256, 0, 0, "client" },
};

static uint8_t value[400];	/* longer than any value; never aligned */

/* Returns many elements of one value, at an odd address. */
static const void *many(const struct key *key, uint64_t element, uint32_t nr)
{
	uint32_t i;

	for (i = 0; i < nr; i++)
		memcpy(value + 1 + i * key->len, &element, key->len);
	return value + 1;
}

static struct mem_attrs *list_for(const struct key *key)
{
	if (key->key == MEM_ATTR_TYPES)
		return new_list();
	return LIST(ATTR(TYPES, uint32_t, 1, 2, 3, 4, 5));
}

static void set_is(const struct key *key, uint64_t element, uint64_t len,
		   int expected)
{
	struct mem_attrs *list = list_for(key);
	const void *from = many(key, element, (uint32_t)(len / key->len + 1));
	const int err = set_one(list, key->key, from, len);

	if (err != expected)
		fail_msg("%s, %d bytes: %d", key->name, (int)len, err);
	if (!err)
		assert_memory_equal(value_of(list, key->key, len), from, len);
	mem_attrs_destroy(list);
}

static void each_key_takes_values_that_it_can_have(void **state)
{
	const struct key *key;

	(void)state;
	for (key = keys; key < keys + NR(keys); key++) {
		assert_string_equal(mem_attr_name(key->key), key->name);
		set_is(key, key->good, key->len, 0);
		set_is(key, key->good, (uint64_t)key->len * key->max, 0);
		set_is(key, key->good, (uint64_t)key->len * (key->max + 1),
		       -EINVAL);
		set_is(key, key->good, 0, -EINVAL);
		if (key->len > 1)
			set_is(key, key->good, key->len - 1, -EINVAL);
		if (key->key == MEM_ATTR_RAW_SIZE)
			set_is(key, key->bad, key->len, 0);
		else if (key->key < MEM_ATTR_CLIENT)
			set_is(key, key->bad, key->len, -EINVAL);
	}
}

static void lengths_that_wrap_around_are_refused(void **state)
{
	struct mem_attrs *list = LIST(RAW(1));

	(void)state;
	assert_int_equal(set_one(list, MEM_ATTR_RAW_ALIGN, value,
				 UINT64_MAX & ~7ULL), -EINVAL);
	assert_int_equal(set_one(list, MEM_ATTR_CLIENT, value, UINT64_MAX),
			 -EINVAL);
	assert_int_equal(set_one(list, MEM_ATTR_CPU_CACHE, NULL, 1), -EINVAL);
	mem_attrs_destroy(list);
}

static void a_reserved_field_must_be_0(void **state)
{
	const struct mem_attr attr = { MEM_ATTR_CPU_CACHE, 1, V(uint8_t, 1) };
	struct mem_attrs *list = new_list();

	(void)state;
	assert_int_equal(mem_attrs_set(list, &attr, 1), -EINVAL);
	mem_attrs_destroy(list);
}

static void a_scale_is_above_0_and_at_most_1(void **state)
{
	static const float bad[] = {
		0.0f, -0.5f, 1.5f, __builtin_nanf(""), __builtin_inff(),
	};
	struct mem_attrs *list =
		LIST(ATTR(TYPES, uint32_t, MEM_ATTR_TYPE_PYRAMID));
	size_t i;

	(void)state;
	for (i = 0; i < NR(bad); i++)
		assert_int_equal(set_one(list, MEM_ATTR_PYRAMID_SCALE, &bad[i],
					 sizeof(bad[i])), -EINVAL);
	assert_int_equal(set_one(list, MEM_ATTR_PYRAMID_SCALE,
				 V(float, 0.5f)), 0);
	mem_attrs_destroy(list);
}

static void a_gpu_has_one_value(void **state)
{
	const struct mem_attr_gpu_value twice[] = {
		{ { 1 }, 1 }, { { 2 }, 0 }, { { 1 }, 1 },
	};
	struct mem_attrs *list = new_list();

	(void)state;
	assert_int_equal(set_one(list, MEM_ATTR_GPU_CACHE, twice,
				 sizeof(twice)), -EINVAL);
	assert_int_equal(set_one(list, MEM_ATTR_GPU_CACHE, twice,
				 2 * sizeof(*twice)), 0);
	mem_attrs_destroy(list);
}

static void the_values_of_a_call_are_copied(void **state)
{
	uint64_t size = 100;
	const struct mem_attr attrs[] = {
		ATTR(TYPES, uint32_t, MEM_ATTR_TYPE_RAW),
		{ MEM_ATTR_RAW_SIZE, 0, &size, sizeof(size) },
	};
	struct mem_attrs *list = list_of(attrs, NR(attrs));

	(void)state;
	size = 200;
	assert_int_equal(u64_of(list, RAW_SIZE), 100);
	mem_attrs_destroy(list);
}

static void what_was_read_stays_where_it_is(void **state)
{
	struct mem_attrs *list = LIST(ATTR(CLIENT, uint8_t, 1));
	const void *first = value_of(list, MEM_ATTR_CLIENT, 1);
	uint32_t i;

	(void)state;
	for (i = 1; i < MEM_ATTR_CLIENT_KEYS; i++)
		assert_int_equal(set_one(list, MEM_ATTR_CLIENT + i, value,
					 MEM_ATTR_CLIENT_LEN), 0);
	assert_ptr_equal(value_of(list, MEM_ATTR_CLIENT, 1), first);
	mem_attrs_destroy(list);
}

/* Clones, slots */

static void a_clone_is_a_list_of_its_own(void **state)
{
	struct mem_attrs *list = LIST(RAW(64), ATTR(CLIENT, uint8_t, 1, 2));
	struct mem_attrs *clone, *of_result, *result;

	(void)state;
	assert_int_equal(mem_attrs_clone(list, &clone), 0);
	result = reconciled(&list, 1);
	assert_int_equal(mem_attrs_clone(result, &of_result), 0);
	mem_attrs_destroy(result);
	mem_attrs_destroy(list);
	assert_int_equal(u64_of(clone, RAW_SIZE), 64);
	assert_memory_equal(value_of(clone, MEM_ATTR_CLIENT, 2), "\1\2", 2);
	assert_int_equal(set_one(clone, MEM_ATTR_RAW_ALIGN, V(uint64_t, 2)),
			 0);
	assert_int_equal(set_one(clone, MEM_ATTR_CLIENT + 1, V(uint8_t, 1)),
			 0);
	assert_int_equal(mem_attrs_state(of_result), MEM_ATTRS_RECONCILED);
	assert_int_equal(u64_of(of_result, RAW_SIZE), 64);
	mem_attrs_destroy(clone);
	mem_attrs_destroy(of_result);
}

static void an_appended_list_has_all_slots_in_order(void **state)
{
	struct mem_attrs *lists[] = {
		LIST(RAW(1)), LIST(RAW(2), ATTR(CLIENT, uint8_t, 2)),
		new_list(),
	};
	struct mem_attr attr = { .key = MEM_ATTR_RAW_SIZE };
	struct mem_attrs *two, *all, *again[2];

	(void)state;
	assert_int_equal(mem_attrs_append(lists, 2, &two), 0);
	assert_int_equal(mem_attrs_slots(two), 2);
	again[0] = two;
	again[1] = lists[2];
	assert_int_equal(mem_attrs_append(again, 2, &all), 0);
	destroy_all(lists, NR(lists));
	mem_attrs_destroy(two);
	assert_int_equal(mem_attrs_slots(all), 3);
	assert_int_equal(mem_attrs_get(all, 0, &attr, 1), 0);
	assert_int_equal(*(const uint64_t *)attr.value, 1);
	assert_int_equal(mem_attrs_get(all, 1, &attr, 1), 0);
	assert_int_equal(*(const uint64_t *)attr.value, 2);
	assert_int_equal(mem_attrs_get(all, 2, &attr, 1), 0);
	assert_null(attr.value);
	assert_int_equal(attr.len, 0);
	assert_int_equal(mem_attrs_get(all, 3, &attr, 1), -EINVAL);
	assert_int_equal(set_one(all, MEM_ATTR_CPU_CACHE, V(uint8_t, 1)),
			 -EPERM);
	mem_attrs_destroy(all);
}

/* More than one call exports: any number can be reconciled. */
#define NR_MANY		1000U

static void any_number_of_lists_is_merged(void **state)
{
	struct mem_attrs *list = LIST(RAW(8)), *lists[NR_MANY];
	struct mem_attrs *last = LIST(RAW(8), ATTR(RAW_ALIGN, uint64_t, 8192));
	struct mem_attrs *all, *clone, *result, *conflict;
	char text[64];
	size_t i;

	(void)state;
	for (i = 0; i < NR_MANY; i++)
		lists[i] = i == NR_MANY - 1 ? last : list;
	assert_int_equal(mem_attrs_append(lists, NR_MANY, &all), 0);
	assert_int_equal(mem_attrs_slots(all), NR_MANY);
	assert_int_equal(mem_attrs_clone(all, &clone), 0);
	mem_attrs_destroy(all);
	assert_int_equal(mem_attrs_slots(clone), NR_MANY);
	result = reconciled(&clone, 1);
	assert_int_equal(u64_of(result, RAW_ALIGN), 8192);
	assert_int_equal(mem_attrs_validate(result, &clone, 1), 0);
	assert_int_equal(mem_attrs_validate(result, lists, NR_MANY), 0);
	mem_attrs_destroy(result);
	mem_attrs_destroy(last);
	/* The last of them does not fit. */
	lists[NR_MANY - 1] = LIST(RAW(9));
	assert_int_equal(mem_attrs_reconcile(lists, NR_MANY, &result,
					     &conflict), -EADV);
	assert_true(mem_attrs_dump(conflict, text, sizeof(text)) >
		    (int)(NR_MANY * strlen("  list 0: 8\n")));
	result = reconciled(lists, NR_MANY - 1);
	assert_int_equal(mem_attrs_validate(result, lists, NR_MANY), -EADV);
	mem_attrs_destroy(result);
	mem_attrs_destroy(conflict);
	mem_attrs_destroy(clone);
	mem_attrs_destroy(lists[NR_MANY - 1]);
	mem_attrs_destroy(list);
}

static void lists_of_two_contexts_do_not_mix(void **state)
{
	struct mem_attrs *lists[2] = { LIST(RAW(8)) }, *other = UNTOUCHED;
	struct mem_ctx *second;

	(void)state;
	assert_int_equal(mem_ctx_open(NULL, &second), 0);
	assert_int_equal(mem_attrs_create(second, &lists[1]), 0);
	/* The list holds a reference to the context. */
	mem_ctx_close(second);
	assert_int_equal(mem_attrs_append(lists, 2, &other), -EXDEV);
	assert_int_equal(mem_attrs_reconcile(lists, 2, &other, NULL), -EXDEV);
	assert_ptr_equal(other, UNTOUCHED);
	destroy_all(lists, 2);
}

/* Calls that each kind of list permits */

static void a_reconciled_list_cannot_be_set_or_reconciled(void **state)
{
	struct mem_attrs *list = LIST(RAW(8)), *result, *other = UNTOUCHED;

	(void)state;
	result = reconciled(&list, 1);
	assert_int_equal(mem_attrs_state(result), MEM_ATTRS_RECONCILED);
	assert_int_equal(mem_attrs_slots(result), 1);
	assert_int_equal(set_one(result, MEM_ATTR_CPU_CACHE, V(uint8_t, 1)),
			 -EPERM);
	assert_int_equal(mem_attrs_append(&result, 1, &other), -EINVAL);
	assert_int_equal(mem_attrs_reconcile(&result, 1, &other, NULL),
			 -EINVAL);
	assert_int_equal(mem_attrs_validate(result, &result, 1), -EINVAL);
	assert_ptr_equal(other, UNTOUCHED);
	mem_attrs_destroy(list);
	mem_attrs_destroy(result);
}

static void a_conflict_list_can_only_be_dumped(void **state)
{
	struct mem_attrs *lists[] = { LIST(RAW(8)), LIST(RAW(9)) };
	struct mem_attrs *conflict = NULL, *other = UNTOUCHED;
	struct mem_attr attr = { .key = MEM_ATTR_RAW_SIZE };

	(void)state;
	assert_int_equal(mem_attrs_reconcile(lists, 2, &other, NULL), -EADV);
	assert_int_equal(mem_attrs_reconcile(lists, 2, &other, &conflict),
			 -EADV);
	destroy_all(lists, 2);
	assert_int_equal(mem_attrs_slots(conflict), 0);
	assert_int_equal(set_one(conflict, MEM_ATTR_CPU_CACHE, V(uint8_t, 1)),
			 -EPERM);
	assert_int_equal(mem_attrs_get(conflict, 0, &attr, 1), -EPERM);
	assert_int_equal(mem_attrs_clone(conflict, &other), -EINVAL);
	assert_int_equal(mem_attrs_append(&conflict, 1, &other), -EINVAL);
	assert_int_equal(mem_attrs_reconcile(&conflict, 1, &other, NULL),
			 -EINVAL);
	assert_ptr_equal(other, UNTOUCHED);
	assert_true(mem_attrs_dump(conflict, NULL, 0) > 0);
	mem_attrs_destroy(conflict);
}

/* Dumps */

static void a_dump_has_a_line_a_key(void **state)
{
	struct mem_attrs *list =
		LIST(RAW(4096), ATTR(REQUIRED_PERM, uint32_t, MEM_RW),
		     ATTR(ENGINES, uint64_t, MEM_ATTR_ENGINE_DMA | 6),
		     ATTR(CLIENT + 1, uint8_t, 0xde, 0xad));
	static const char expected[] =
		"general.types: raw\n"
		"general.required_perm: read-write\n"
		"general.engines: pva vic dma\n"
		"raw.size: 4096\n"
		"client 1: dead\n";
	struct mem_attrs *two[] = { list, list }, *all;
	char text[sizeof(expected) + 1];

	(void)state;
	assert_int_equal(mem_attrs_dump(list, text, sizeof(text)),
			 sizeof(expected) - 1);
	assert_string_equal(text, expected);
	assert_int_equal(mem_attrs_append(two, 2, &all), 0);
	mem_attrs_destroy(list);
	assert_int_equal(mem_attrs_dump(all, NULL, 0),
			 2 * (sizeof(expected) - 1 + strlen("list 0:\n") +
			      5 * strlen("  ")));
	mem_attrs_destroy(all);
}

/* As with snprintf(), the text is truncated and the full length returned. */
static void a_dump_is_cut_to_its_room(void **state)
{
	struct mem_attrs *list = LIST(RAW(4096)), *empty = new_list();
	char whole[100], text[101];
	int len, i;

	(void)state;
	text[0] = 'x';
	assert_int_equal(mem_attrs_dump(empty, text, sizeof(text)), 0);
	assert_string_equal(text, "");
	mem_attrs_destroy(empty);
	len = mem_attrs_dump(list, whole, sizeof(whole));
	for (i = 0; i <= len + 1; i++) {
		memset(text, 0xa5, sizeof(text));
		assert_int_equal(mem_attrs_dump(list, text, (size_t)i), len);
		assert_int_equal((uint8_t)text[i], 0xa5);
		if (!i)
			continue;
		assert_int_equal(strlen(text), i - 1 < len ? i - 1 : len);
		assert_memory_equal(text, whole, strlen(text));
	}
	mem_attrs_destroy(list);
}

/* Private data that a client attaches to a list */

static int nr_destroyed;

static void count_destroyed(void *client)
{
	*(int *)client += 1;
}

static void a_list_keeps_something_of_a_client(void **state)
{
	struct mem_attrs *list = LIST(RAW(8)), *clone, *result;

	(void)state;
	assert_null(mem_attrs_client(list));
	assert_int_equal(mem_attrs_set_client(list, &nr_destroyed,
					      count_destroyed), 0);
	assert_int_equal(mem_attrs_set_client(list, list, NULL), -EEXIST);
	assert_ptr_equal(mem_attrs_client(list), &nr_destroyed);
	assert_int_equal(mem_attrs_clone(list, &clone), 0);
	result = reconciled(&list, 1);
	assert_null(mem_attrs_client(clone));
	assert_null(mem_attrs_client(result));
	assert_int_equal(mem_attrs_set_client(result, list, NULL), 0);
	mem_attrs_destroy(clone);
	mem_attrs_destroy(result);
	assert_int_equal(nr_destroyed, 0);
	mem_attrs_destroy(list);
	assert_int_equal(nr_destroyed, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_list_has_one_slot_and_nothing_set),
		cmocka_unit_test(arguments_that_are_null_are_refused),
		cmocka_unit_test(what_is_set_can_be_read),
		cmocka_unit_test(a_key_is_set_once),
		cmocka_unit_test(all_values_of_a_call_are_set_or_none),
		cmocka_unit_test(types_may_come_after_their_keys),
		cmocka_unit_test(keys_of_other_types_are_refused),
		cmocka_unit_test(keys_that_are_none_or_outputs_are_refused),
		cmocka_unit_test(each_key_takes_values_that_it_can_have),
		cmocka_unit_test(lengths_that_wrap_around_are_refused),
		cmocka_unit_test(a_reserved_field_must_be_0),
		cmocka_unit_test(a_scale_is_above_0_and_at_most_1),
		cmocka_unit_test(a_gpu_has_one_value),
		cmocka_unit_test(the_values_of_a_call_are_copied),
		cmocka_unit_test(what_was_read_stays_where_it_is),
		cmocka_unit_test(a_clone_is_a_list_of_its_own),
		cmocka_unit_test(an_appended_list_has_all_slots_in_order),
		cmocka_unit_test(any_number_of_lists_is_merged),
		cmocka_unit_test(lists_of_two_contexts_do_not_mix),
		cmocka_unit_test(a_reconciled_list_cannot_be_set_or_reconciled),
		cmocka_unit_test(a_conflict_list_can_only_be_dumped),
		cmocka_unit_test(a_dump_has_a_line_a_key),
		cmocka_unit_test(a_dump_is_cut_to_its_room),
		cmocka_unit_test(a_list_keeps_something_of_a_client),
	};

	return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
