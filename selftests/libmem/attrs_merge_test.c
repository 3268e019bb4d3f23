// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the results of merging lists, and which result satisfies which lists.
 * attrs_layout_test tests the needs of the boards' engines.
 */
#include "attrs.h"

/* Merging: each merge rule once, and each key with a special rule */

static void what_one_list_needs_the_result_has(void **state)
{
	struct mem_attrs *lists[] = {
		LIST(RAW(8), ATTR(NEED_CPU_ACCESS, uint8_t, 0),
		     ATTR(CPU_CACHE, uint8_t, 0)),
		LIST(ATTR(NEED_CPU_ACCESS, uint8_t, 1),
		     ATTR(ENGINES, uint64_t, MEM_ATTR_ENGINE_DMA)),
	};
	struct mem_attrs *result = reconciled(lists, 2);

	(void)state;
	assert_int_equal(u8_of(result, NEED_CPU_ACCESS), 1);
	assert_int_equal(u8_of(result, CPU_CACHE), 0);
	assert_true(u64_of(result, ENGINES) == MEM_ATTR_ENGINE_DMA);
	mem_attrs_destroy(result);
	destroy_all(lists, 2);
}

static void what_no_list_sets_has_its_default(void **state)
{
	struct mem_attrs *list = LIST(RAW(8));
	struct mem_attrs *result = reconciled(&list, 1);

	(void)state;
	assert_int_equal(u8_of(result, NEED_CPU_ACCESS), 0);
	assert_int_equal(u8_of(result, CPU_CACHE), 1);
	assert_int_equal(u32_of(result, REQUIRED_PERM), MEM_READ);
	assert_int_equal(u32_of(result, ACTUAL_PERM), MEM_READ);
	assert_int_equal(u64_of(result, ENGINES), 0);
	assert_int_equal(u8_of(result, CPU_COHERENCY), 0);
	assert_false(is_set(result, MEM_ATTR_GPU_IDS));
	assert_false(is_set(result, MEM_ATTR_GPU_CACHE));
	assert_false(is_set(result, MEM_ATTR_VIDMEM_GPU_ID));
	mem_attrs_destroy(result);
	mem_attrs_destroy(list);
}

static void the_largest_permission_and_alignment_count(void **state)
{
	struct mem_attrs *lists[] = {
		LIST(RAW(8), ATTR(REQUIRED_PERM, uint32_t, MEM_RW),
		     ATTR(RAW_ALIGN, uint64_t, 1024)),
		LIST(RAW(8), ATTR(REQUIRED_PERM, uint32_t, MEM_READ),
		     ATTR(RAW_ALIGN, uint64_t, 8192)),
	};
	struct mem_attrs *result = reconciled(lists, 2);

	(void)state;
	assert_int_equal(u32_of(result, REQUIRED_PERM), MEM_RW);
	assert_int_equal(u32_of(result, ACTUAL_PERM), MEM_RW);
	assert_int_equal(u64_of(result, RAW_ALIGN), 8192);
	mem_attrs_destroy(result);
	destroy_all(lists, 2);
}

static void values_that_must_agree_and_do_not(void **state)
{
	struct mem_attrs *lists[] = {
		LIST(RAW(8), ATTR(CLIENT + 3, uint8_t, 1)),
		LIST(RAW(9), ATTR(CLIENT + 3, uint8_t, 1, 1)),
		LIST(RAW(8)),
	};

	(void)state;
	assert_string_equal(conflict_of(lists, 3),
			    "raw.size: conflict\n"
			    "  list 0: 8\n"
			    "  list 1: 9\n"
			    "  list 2: 8\n"
			    "  rule: lists that set it must agree\n"
			    "client 3: conflict\n"
			    "  list 0: 01\n"
			    "  list 1: 0101\n"
			    "  list 2: not set\n"
			    "  rule: lists that set it must agree\n");
	destroy_all(lists, 3);
}

static void clients_values_that_agree_are_in_the_result(void **state)
{
	struct mem_attrs *lists[] = {
		LIST(RAW(8), ATTR(CLIENT, uint8_t, 1)),
		LIST(ATTR(CLIENT + 1, uint8_t, 2, 3)),
		LIST(ATTR(CLIENT, uint8_t, 1)),
	};
	struct mem_attrs *result = reconciled(lists, 3);

	(void)state;
	assert_memory_equal(value_of(result, MEM_ATTR_CLIENT, 1), "\1", 1);
	assert_memory_equal(value_of(result, MEM_ATTR_CLIENT + 1, 2), "\2\3",
			    2);
	assert_int_equal(mem_attrs_validate(result, lists, 3), 0);
	mem_attrs_destroy(result);
	destroy_all(lists, 3);
}

static void mandatory_keys_must_be_set_by_a_list(void **state)
{
	struct mem_attrs *empty = new_list();
	struct mem_attrs *raw = LIST(ATTR(TYPES, uint32_t, MEM_ATTR_TYPE_RAW));
	struct mem_attrs *pyramid =
		LIST(ATTR(TYPES, uint32_t, MEM_ATTR_TYPE_PYRAMID));
	const char *text = conflict_of(&empty, 1);

	(void)state;
	assert_string_equal(text, "general.types: conflict\n"
			    "  list 0: not set\n"
			    "  rule: a list must set it\n");
	assert_string_equal(conflict_of(&raw, 1), "raw.size: conflict\n"
			    "  list 0: not set\n"
			    "  rule: a list must set it\n");
	text = conflict_of(&pyramid, 1);
	has_line(text, "image.plane_width: conflict\n");
	has_line(text, "pyramid.scale: conflict\n");
	mem_attrs_destroy(empty);
	mem_attrs_destroy(raw);
	mem_attrs_destroy(pyramid);
}

static void a_buffer_has_one_type(void **state)
{
	struct mem_attrs *lists[] = {
		LIST(RAW(8)), LIST(ATTR(TYPES, uint32_t, MEM_ATTR_TYPE_ARRAY)),
	};
	struct mem_attrs *both =
		LIST(ATTR(TYPES, uint32_t, MEM_ATTR_TYPE_ARRAY,
			  MEM_ATTR_TYPE_RAW));

	(void)state;
	assert_string_equal(conflict_of(lists, 2),
			    "general.types: conflict\n"
			    "  list 0: raw\n"
			    "  list 1: array\n"
			    "  rule: a buffer has one type, or is image and tensor\n");
	has_line(conflict_of(&both, 1), "  list 0: array, raw\n");
	mem_attrs_destroy(both);
	destroy_all(lists, 2);
}

/* Each list alone is valid. */
static void all_lists_together_name_at_most_16_gpus(void **state)
{
	struct mem_attr_gpu_value values[2][10] = { 0 };
	uint8_t ids[2][10][MEM_GPU_ID_LEN] = { 0 };
	struct mem_attrs *lists[2];
	const char *text;
	uint8_t i, k;

	(void)state;
	for (i = 0; i < 2; i++) {
		for (k = 0; k < 10; k++) {
			ids[i][k][0] = (uint8_t)(10 * i + k);
			values[i][k].gpu_id[0] = (uint8_t)(10 * i + k);
		}
		lists[i] = LIST(RAW(8));
		assert_int_equal(set_one(lists[i], MEM_ATTR_GPU_IDS, ids[i],
					 sizeof(ids[i])), 0);
		assert_int_equal(set_one(lists[i], MEM_ATTR_GPU_CACHE,
					 values[i], sizeof(values[i])), 0);
	}
	text = conflict_of(lists, 2);
	has_line(text, "general.gpu_ids: conflict");
	has_line(text, "general.gpu_cache: conflict");
	has_line(text, "rule: all lists together name too many");
	destroy_all(lists, 2);
}

/* Both rules are broken; which list comes first makes no difference. */
static void the_rule_that_failed_is_the_same_in_any_order(void **state)
{
	static const size_t orders[][3] = {
		{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 2, 0 }, { 2, 1, 0 },
	};
	const struct mem_attr_gpu_value other = { .value = 1 };
	struct mem_attr_gpu_value values[17] = { 0 };
	struct mem_attrs *lists[3], *ordered[3];
	size_t i, k;

	(void)state;
	for (i = 0; i < NR(values); i++)
		values[i].gpu_id[0] = (uint8_t)i;
	for (i = 0; i < NR(lists); i++)
		lists[i] = LIST(RAW(8));
	assert_int_equal(set_one(lists[0], MEM_ATTR_GPU_COMPRESSION, values,
				 16 * sizeof(*values)), 0);
	assert_int_equal(set_one(lists[1], MEM_ATTR_GPU_COMPRESSION, &other,
				 sizeof(other)), 0);
	assert_int_equal(set_one(lists[2], MEM_ATTR_GPU_COMPRESSION,
				 values + 16, sizeof(*values)), 0);
	for (i = 0; i < NR(orders); i++) {
		for (k = 0; k < NR(lists); k++)
			ordered[k] = lists[orders[i][k]];
		has_line(conflict_of(ordered, NR(lists)),
			 "rule: all lists together name too many");
	}
	destroy_all(lists, NR(lists));
}

/* Validation of a result against lists */

static void validates(const struct mem_attrs *result, int expected,
		      struct mem_attrs *list)
{
	assert_int_equal(mem_attrs_validate(result, &list, 1), expected);
	mem_attrs_destroy(list);
}

#define is_met(...)	validates(result, 0, LIST(__VA_ARGS__))
#define is_not_met(...)	validates(result, -EADV, LIST(__VA_ARGS__))

static void a_result_satisfies_no_more_than_it_has(void **state)
{
	static const uint8_t id[MEM_GPU_ID_LEN] = { 1, 2, 3 };
	struct mem_attrs *list =
		LIST(RAW(4096), ATTR(RAW_ALIGN, uint64_t, 4096),
		     ATTR(NEED_CPU_ACCESS, uint8_t, 1),
		     ATTR(ENGINES, uint64_t, MEM_ATTR_ENGINE_DMA),
		     ATTR(CLIENT, uint8_t, 5));
	struct mem_attrs *result = reconciled(&list, 1);

	(void)state;
	assert_int_equal(mem_attrs_validate(result, &list, 1), 0);
	validates(result, 0, new_list());
	is_met(RAW(4096));
	is_not_met(RAW(4095));
	is_met(RAW(4096), ATTR(RAW_ALIGN, uint64_t, 64));
	is_not_met(RAW(4096), ATTR(RAW_ALIGN, uint64_t, 8192));
	is_met(ATTR(NEED_CPU_ACCESS, uint8_t, 0));
	is_met(ATTR(REQUIRED_PERM, uint32_t, MEM_READ));
	is_not_met(ATTR(REQUIRED_PERM, uint32_t, MEM_RW));
	is_not_met(ATTR(ENGINES, uint64_t, 1));
	is_not_met(ATTR(TYPES, uint32_t, MEM_ATTR_TYPE_ARRAY));
	is_not_met({ MEM_ATTR_GPU_IDS, 0, id, sizeof(id) });
	is_not_met({ MEM_ATTR_VIDMEM_GPU_ID, 0, id, sizeof(id) });
	is_met(ATTR(CLIENT, uint8_t, 5));
	is_not_met(ATTR(CLIENT, uint8_t, 6));
	is_not_met(ATTR(CLIENT + 1, uint8_t, 5));
	mem_attrs_destroy(result);
	mem_attrs_destroy(list);
}

/* This holds whether the result was made of the bit or of the id. */
static void a_gpus_bit_and_its_id_satisfy_each_other(void **state)
{
	const uint64_t bit = 1ULL << MEM_ENGINE_GPU;
	uint8_t id[MEM_GPU_ID_LEN];
	struct mem_attrs *list, *result;

	(void)state;
	assert_int_equal(mem_ctx_gpu_id(ctx, MEM_ENGINE_GPU, id), 0);
	list = LIST(RAW(4096), { MEM_ATTR_GPU_IDS, 0, id, sizeof(id) });
	result = reconciled(&list, 1);
	is_met({ MEM_ATTR_ENGINES, 0, &bit, sizeof(bit) });
	is_not_met(ATTR(ENGINES, uint64_t, MEM_ATTR_ENGINE_DMA));
	mem_attrs_destroy(result);
	mem_attrs_destroy(list);
	list = LIST(RAW(4096), { MEM_ATTR_ENGINES, 0, &bit, sizeof(bit) });
	result = reconciled(&list, 1);
	is_met({ MEM_ATTR_GPU_IDS, 0, id, sizeof(id) });
	mem_attrs_destroy(result);
	mem_attrs_destroy(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_one_list_needs_the_result_has),
		cmocka_unit_test(what_no_list_sets_has_its_default),
		cmocka_unit_test(the_largest_permission_and_alignment_count),
		cmocka_unit_test(values_that_must_agree_and_do_not),
		cmocka_unit_test(clients_values_that_agree_are_in_the_result),
		cmocka_unit_test(mandatory_keys_must_be_set_by_a_list),
		cmocka_unit_test(a_buffer_has_one_type),
		cmocka_unit_test(all_lists_together_name_at_most_16_gpus),
		cmocka_unit_test(the_rule_that_failed_is_the_same_in_any_order),
		cmocka_unit_test(a_result_satisfies_no_more_than_it_has),
		cmocka_unit_test(a_gpus_bit_and_its_id_satisfy_each_other),
	};

	return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
