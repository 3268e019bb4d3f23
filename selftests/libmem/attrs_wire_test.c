// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests functions of attribute lists that only the library uses: lists as bytes
 * for other processes, and queries of objects about a reconciled list; and each
 * call without memory. The program is linked with the static library, so that
 * it can replace its allocations.
 */
#include "attrs.h"

#include <drm_fourcc.h>

#include "../../libmem/attrs/attrs.h"
#include "allocations.h"

static struct mem_attrs *raw(void)
{
	return LIST(RAW(4096), ATTR(NEED_CPU_ACCESS, uint8_t, 1),
		    ATTR(REQUIRED_PERM, uint32_t, MEM_RW),
		    ATTR(ENGINES, uint64_t, MEM_ATTR_ENGINE_DMA),
		    ATTR(CLIENT + 7, uint8_t, 1, 2, 3));
}

static struct mem_attrs *pyramid(void)
{
	struct mem_attr_gpu_value cache = { .value = 1 };
	struct mem_attrs *list =
		LIST(ATTR(TYPES, uint32_t, MEM_ATTR_TYPE_PYRAMID),
		     ATTR(IMAGE_LAYOUT, uint32_t, MEM_LAYOUT_PITCH_LINEAR),
		     ATTR(IMAGE_PLANE_COUNT, uint32_t, 2),
		     ATTR(IMAGE_PLANE_FORMAT, uint32_t, DRM_FORMAT_R8,
			  DRM_FORMAT_GR88),
		     ATTR(IMAGE_PLANE_WIDTH, uint32_t, 64, 32),
		     ATTR(IMAGE_PLANE_HEIGHT, uint32_t, 64, 32),
		     ATTR(PYRAMID_LEVEL_COUNT, uint32_t, 3),
		     ATTR(PYRAMID_SCALE, float, 0.5f));

	assert_int_equal(mem_ctx_gpu_id(ctx, MEM_ENGINE_GPU, cache.gpu_id), 0);
	assert_int_equal(set_one(list, MEM_ATTR_GPU_IDS, cache.gpu_id,
				 MEM_GPU_ID_LEN), 0);
	assert_int_equal(set_one(list, MEM_ATTR_GPU_CACHE, &cache,
				 sizeof(cache)), 0);
	return list;
}

/**
 * struct packed - a list as bytes
 * @bytes: bytes, which the owner frees
 * @len: length of @bytes
 */
struct packed {
	uint8_t *bytes;
	size_t len;
};

static struct packed pack(struct mem_attrs *list)
{
	struct packed packed;
	void *bytes;

	assert_int_equal(attrs_pack(&list, 1, &bytes, &packed.len), 0);
	packed.bytes = bytes;
	return packed;
}

/* Sets the checksum in the header: FNV-1a of all bytes after the header. */
static void repair(struct packed packed)
{
	const uint32_t len = (uint32_t)packed.len;
	const uint64_t sum = fnv1a(packed.bytes + 32, packed.len - 32);

	memcpy(packed.bytes + 8, &len, sizeof(len));
	memcpy(packed.bytes + 24, &sum, sizeof(sum));
}

static int unpack(struct packed packed, struct mem_attrs **list)
{
	return attrs_unpack(ctx, packed.bytes, packed.len, list);
}

static void is_refused(struct packed packed)
{
	struct mem_attrs *list = UNTOUCHED;

	assert_int_equal(unpack(packed, &list), -EBADMSG);
	assert_ptr_equal(list, UNTOUCHED);
}

static void are_equal(struct mem_attrs *one, struct mem_attrs *other)
{
	char text[4096], other_text[4096];

	assert_int_equal(mem_attrs_state(one), mem_attrs_state(other));
	assert_int_equal(mem_attrs_slots(one), mem_attrs_slots(other));
	assert_true(mem_attrs_dump(one, text, sizeof(text)) <
		    (int)sizeof(text));
	mem_attrs_dump(other, other_text, sizeof(other_text));
	assert_string_equal(text, other_text);
}

/* An unpacked list must be equal, and pack to the same bytes. */
static void comes_through(struct mem_attrs *list)
{
	struct packed packed = pack(list), again;
	struct mem_attrs *other;

	assert_int_equal(unpack(packed, &other), 0);
	are_equal(list, other);
	assert_true(other->is_shared);
	again = pack(other);
	assert_int_equal(again.len, packed.len);
	assert_memory_equal(again.bytes, packed.bytes, packed.len);
	free(again.bytes);
	free(packed.bytes);
	mem_attrs_destroy(other);
}

static void lists_come_through_as_they_are(void **state)
{
	struct mem_attrs *lists[] = { raw(), new_list(), pyramid() };
	struct mem_attrs *all, *result;
	size_t i;

	(void)state;
	for (i = 0; i < NR(lists); i++)
		comes_through(lists[i]);
	assert_int_equal(mem_attrs_append(lists, NR(lists), &all), 0);
	assert_int_equal(mem_attrs_slots(all), NR(lists));
	comes_through(all);
	mem_attrs_destroy(all);
	for (i = 0; i < NR(lists); i += 2) {
		result = reconciled(&lists[i], 1);
		comes_through(result);
		mem_attrs_destroy(result);
	}
	destroy_all(lists, NR(lists));
}

static void several_lists_become_one(void **state)
{
	struct mem_attrs *lists[] = { raw(), pyramid() }, *all, *other;
	struct packed packed;
	void *bytes;

	(void)state;
	assert_int_equal(attrs_pack(lists, 2, &bytes, &packed.len), 0);
	packed.bytes = bytes;
	assert_int_equal(unpack(packed, &other), 0);
	assert_int_equal(mem_attrs_append(lists, 2, &all), 0);
	are_equal(all, other);
	mem_attrs_destroy(all);
	mem_attrs_destroy(other);
	free(packed.bytes);
	destroy_all(lists, 2);
}

static void what_is_no_list_is_not_packed(void **state)
{
	struct mem_attrs *lists[MEM_SLOTS_MAX + 1], *result, *conflict;
	void *bytes = UNTOUCHED;
	size_t i, len = 5;

	(void)state;
	for (i = 0; i < NR(lists); i++)
		lists[i] = raw();
	result = reconciled(lists, 1);
	assert_int_equal(attrs_pack(NULL, 1, &bytes, &len), -EINVAL);
	assert_int_equal(attrs_pack(lists, 0, &bytes, &len), -EINVAL);
	assert_int_equal(attrs_pack(lists, NR(lists), &bytes, &len), -EINVAL);
	mem_attrs_destroy(lists[1]);
	lists[1] = result;
	assert_int_equal(attrs_pack(lists, 2, &bytes, &len), -EINVAL);
	assert_int_equal(attrs_pack(lists + 1, 2, &bytes, &len), -EINVAL);
	lists[1] = LIST(RAW(5));
	assert_int_equal(mem_attrs_reconcile(lists, 2, &result, &conflict),
			 -EADV);
	assert_int_equal(attrs_pack(&conflict, 1, &bytes, &len), -EINVAL);
	assert_ptr_equal(bytes, UNTOUCHED);
	assert_int_equal(len, 5);
	mem_attrs_destroy(conflict);
	mem_attrs_destroy(result);
	destroy_all(lists, NR(lists));
}

static void cut(struct mem_attrs *list)
{
	struct packed packed = pack(list), other;
	size_t len;

	other.bytes = test_malloc(packed.len + 8);
	for (len = 0; len < packed.len + 8; len++) {
		memset(other.bytes, 0, packed.len + 8);
		memcpy(other.bytes, packed.bytes,
		       len < packed.len ? len : packed.len);
		other.len = len;
		if (len == packed.len)
			continue;
		is_refused(other);
		if (len < 32)
			continue;
		repair(other);
		is_refused(other);
	}
	test_free(other.bytes);
	free(packed.bytes);
}

static void bytes_that_are_cut_or_longer_are_refused(void **state)
{
	struct mem_attrs *list = raw(), *result = reconciled(&list, 1);

	(void)state;
	cut(list);
	cut(result);
	mem_attrs_destroy(result);
	mem_attrs_destroy(list);
}

/*
 * Inverts each bit. This must be refused without a new checksum. With one, the
 * list must be refused or be another list that packs to these bytes.
 */
static void turn_bits(struct mem_attrs *list, bool may_be_another)
{
	struct packed packed = pack(list), again;
	struct mem_attrs *other;
	size_t i;

	for (i = 0; i < 8 * packed.len; i++) {
		packed.bytes[i / 8] ^= 1U << i % 8;
		is_refused(packed);
		if (i / 8 >= 32) {
			repair(packed);
			if (!unpack(packed, &other)) {
				assert_true(may_be_another);
				again = pack(other);
				assert_int_equal(again.len, packed.len);
				assert_memory_equal(again.bytes, packed.bytes,
						    again.len);
				free(again.bytes);
				mem_attrs_destroy(other);
			}
		}
		packed.bytes[i / 8] ^= 1U << i % 8;
		repair(packed);
	}
	assert_int_equal(unpack(packed, &other), 0);
	mem_attrs_destroy(other);
	free(packed.bytes);
}

static void a_turned_bit_is_seen_or_makes_another_list(void **state)
{
	struct mem_attrs *lists[] = { raw(), pyramid() };

	(void)state;
	turn_bits(lists[0], true);
	turn_bits(lists[1], true);
	destroy_all(lists, 2);
}

/* Each input of this list is part of its result, so no bit can be changed. */
static void a_forged_result_is_refused(void **state)
{
	struct mem_attrs *list = pyramid(), *result = reconciled(&list, 1);

	(void)state;
	turn_bits(result, false);
	mem_attrs_destroy(result);
	mem_attrs_destroy(list);
}

static uint32_t u32_at(const uint8_t *bytes)
{
	uint32_t number;

	memcpy(&number, bytes, sizeof(number));
	return number;
}

/*
 * A result with an additional value, or with one left out, is refused. After
 * the header come the number of values and 0, and then for each value its key,
 * its length and its bytes, padded to a multiple of 8.
 */
static void a_result_has_each_output_and_no_other(void **state)
{
	static const uint32_t extra[] = { MEM_ATTR_PYRAMID_SIZE, 8, 1, 0 };
	struct mem_attrs *list = LIST(RAW(4096)), *result, *same;
	struct packed packed, other;
	uint8_t *last, *at;
	uint32_t nr, i;

	(void)state;
	result = reconciled(&list, 1);
	packed = pack(result);
	nr = u32_at(packed.bytes + 32);
	at = packed.bytes + 40;
	last = at;
	for (i = 0; i < nr; i++) {
		last = at;
		at += 8 + (u32_at(at + 4) + 7) / 8 * 8;
	}
	assert_int_equal(u32_at(last), MEM_ATTR_RAW_ALIGN);
	other.bytes = test_malloc(packed.len + sizeof(extra));

	memcpy(other.bytes, packed.bytes, packed.len);
	other.len = packed.len - (size_t)(at - last);
	memmove(other.bytes + (last - packed.bytes),
		other.bytes + (at - packed.bytes),
		packed.len - (size_t)(at - packed.bytes));
	other.bytes[32]--;
	repair(other);
	is_refused(other);

	memcpy(other.bytes, packed.bytes, packed.len);
	other.len = packed.len + sizeof(extra);
	memmove(other.bytes + (at - packed.bytes) + sizeof(extra),
		other.bytes + (at - packed.bytes),
		packed.len - (size_t)(at - packed.bytes));
	memcpy(other.bytes + (at - packed.bytes), extra, sizeof(extra));
	other.bytes[32]++;
	repair(other);
	is_refused(other);

	assert_int_equal(unpack(packed, &same), 0);
	mem_attrs_destroy(same);
	test_free(other.bytes);
	free(packed.bytes);
	mem_attrs_destroy(result);
	mem_attrs_destroy(list);
}

static void a_result_of_another_board_is_refused(void **state)
{
	struct mem_attrs *list, *result;
	struct packed packed;

	(void)state;
	board("xavier");
	list = pyramid();
	result = reconciled(&list, 1);
	packed = pack(result);
	mem_attrs_destroy(result);
	mem_attrs_destroy(list);
	board("orin");
	is_refused(packed);
	free(packed.bytes);
}

static void being_shared_is_passed_on(void **state)
{
	struct mem_attrs *lists[2] = { raw(), raw() }, *clone, *all, *result;
	struct packed packed = pack(lists[0]);

	(void)state;
	assert_false(lists[0]->is_shared);
	result = reconciled(lists, 2);
	assert_false(result->is_shared);
	mem_attrs_destroy(result);
	mem_attrs_destroy(lists[1]);
	assert_int_equal(unpack(packed, &lists[1]), 0);
	assert_int_equal(mem_attrs_clone(lists[1], &clone), 0);
	assert_int_equal(mem_attrs_append(lists, 2, &all), 0);
	result = reconciled(lists, 2);
	assert_true(clone->is_shared);
	assert_true(all->is_shared);
	assert_true(result->is_shared);
	mem_attrs_destroy(result);
	mem_attrs_destroy(all);
	mem_attrs_destroy(clone);
	free(packed.bytes);
	destroy_all(lists, 2);
}

/* Queries of objects */

#define ENGINES(bits)	ATTR(ENGINES, uint64_t, bits)
#define CPU		ATTR(NEED_CPU_ACCESS, uint8_t, 1)
#define UNCACHED	ATTR(CPU_CACHE, uint8_t, 0)

static void kind_is(struct mem_attrs *list, enum mem_kind kind,
		    unsigned int flags)
{
	struct mem_attrs *result = reconciled(&list, 1);
	unsigned int got;

	assert_int_equal(attrs_kind(result, &got), kind);
	assert_int_equal(got, flags);
	assert_int_equal(attrs_needs_maintenance(result),
			 kind == MEM_KIND_NONCOHERENT);
	mem_attrs_destroy(result);
	mem_attrs_destroy(list);
}

static void the_kind_of_memory_is_what_the_list_needs(void **state)
{
	uint8_t id[MEM_GPU_ID_LEN];

	(void)state;
	board("tx2");
	kind_is(LIST(RAW(1), CPU, ENGINES(1)), MEM_KIND_NONCOHERENT, 0);
	kind_is(LIST(RAW(1), CPU, ENGINES(1), UNCACHED), MEM_KIND_UNCACHED, 0);
	kind_is(LIST(RAW(1), ENGINES(1)), MEM_KIND_UNCACHED, 0);
	board("orin");
	kind_is(LIST(RAW(1), CPU, ENGINES(1)), MEM_KIND_COHERENT, 0);
	kind_is(LIST(RAW(1), CPU, UNCACHED), MEM_KIND_COHERENT, 0);
	board("drive-px2");
	assert_int_equal(mem_ctx_gpu_id(ctx, MEM_ENGINE_DGPU, id), 0);
	kind_is(LIST(RAW(1), { MEM_ATTR_VIDMEM_GPU_ID, 0, id, sizeof(id) }),
		MEM_KIND_DEVICE, MEM_DEVICE_DISCRETE);
}

static void a_result_says_what_its_buffer_is(void **state)
{
	struct mem_attrs *lists[] = { raw(), pyramid() }, *result, *other;
	const uint64_t gpu = 1ULL << MEM_ENGINE_GPU;

	(void)state;
	result = reconciled(&lists[0], 1);
	assert_int_equal(attrs_len(result), 4096);
	assert_int_equal(attrs_align(result), 64);
	assert_true(attrs_engines(result) == MEM_ATTR_ENGINE_DMA);
	assert_true(attrs_has_cpu_access(result));
	assert_int_equal(attrs_perm(result), MEM_RW);
	assert_int_equal(attrs_with_perm(result, MEM_READ, &other), 0);
	assert_int_equal(attrs_perm(other), MEM_READ);
	assert_int_equal(u32_of(other, ACTUAL_PERM), MEM_READ);
	/* A list that needs write access is not satisfied by read access. */
	assert_int_equal(mem_attrs_validate(result, lists, 1), 0);
	assert_int_equal(mem_attrs_validate(other, lists, 1), -EADV);
	mem_attrs_destroy(other);
	mem_attrs_destroy(result);
	result = reconciled(&lists[1], 1);
	assert_true(attrs_len(result) == u64_of(result, PYRAMID_SIZE));
	assert_true(attrs_align(result) == u64_of(result, PYRAMID_ALIGN));
	assert_true(attrs_engines(result) == gpu);
	assert_false(attrs_has_cpu_access(result));
	mem_attrs_destroy(result);
	destroy_all(lists, 2);
}

/* Without memory */

static struct mem_attrs *both[2];	/* lists that agree */
static struct mem_attrs *differing[2];	/* lists that conflict */
static struct packed a_list, a_result;
static struct mem_attrs *made, *conflict_made;
static void *made_bytes;

static int try_create(void)
{
	return mem_attrs_create(ctx, &made);
}

static int try_clone(void)
{
	return mem_attrs_clone(both[0], &made);
}

static int try_append(void)
{
	return mem_attrs_append(both, 2, &made);
}

/* After a failure, the list lacks the key, which can be set again. */
static int try_set(void)
{
	struct mem_attrs *list = both[1];
	const int err = set_one(list, MEM_ATTR_CLIENT + 1, V(uint8_t, 9));

	assert_int_equal(is_set(list, MEM_ATTR_CLIENT + 1), !err);
	return err;
}

static int try_reconcile(void)
{
	return mem_attrs_reconcile(both, 2, &made, &conflict_made);
}

static int try_conflict(void)
{
	const int err = mem_attrs_reconcile(differing, 2, &made,
					    &conflict_made);

	return err == -EADV ? 0 : err;
}

static int try_pack(void)
{
	size_t len;

	return attrs_pack(both, 2, &made_bytes, &len);
}

static int try_unpack(void)
{
	return unpack(a_list, &made);
}

static int try_unpack_result(void)
{
	return unpack(a_result, &made);
}

static int try_with_perm(void)
{
	struct mem_attrs *result = NULL;
	int err;

	err = unpack(a_result, &result);
	if (!err)
		err = attrs_with_perm(result, MEM_READ, &made);
	mem_attrs_destroy(result);
	return err;
}

static void a_call_without_memory_loses_nothing(void **state)
{
	static int (*const calls[])(void) = {
		try_create, try_clone, try_append, try_set, try_reconcile,
		try_conflict, try_pack, try_unpack, try_unpack_result,
		try_with_perm,
	};
	struct mem_attrs *result;
	int nr, err;
	size_t i;

	(void)state;
	board("orin");
	both[0] = raw();
	both[1] = LIST(RAW(4096));
	differing[0] = raw();
	differing[1] = LIST(RAW(1));
	result = reconciled(differing, 1);
	a_result = pack(result);
	mem_attrs_destroy(result);
	assert_int_equal(attrs_pack(both, 2, &made_bytes, &a_list.len), 0);
	a_list.bytes = made_bytes;
	for (i = 0; i < NR(calls); i++) {
		for (nr = 0; ; nr++) {
			made = UNTOUCHED;
			conflict_made = UNTOUCHED;
			made_bytes = UNTOUCHED;
			nr_allocations = nr;
			err = calls[i]();
			nr_allocations = -1;
			if (!err)
				break;
			assert_int_equal(err, -ENOMEM);
			assert_ptr_equal(made, UNTOUCHED);
			assert_ptr_equal(conflict_made, UNTOUCHED);
			assert_ptr_equal(made_bytes, UNTOUCHED);
		}
		assert_true(nr > 0);
		if (made != UNTOUCHED)
			mem_attrs_destroy(made);
		if (conflict_made != UNTOUCHED)
			mem_attrs_destroy(conflict_made);
		if (made_bytes != UNTOUCHED)
			free(made_bytes);
	}
	free(a_list.bytes);
	free(a_result.bytes);
	destroy_all(both, 2);
	destroy_all(differing, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_come_through_as_they_are),
		cmocka_unit_test(several_lists_become_one),
		cmocka_unit_test(what_is_no_list_is_not_packed),
		cmocka_unit_test(bytes_that_are_cut_or_longer_are_refused),
		cmocka_unit_test(a_turned_bit_is_seen_or_makes_another_list),
		cmocka_unit_test(a_forged_result_is_refused),
		cmocka_unit_test(a_result_has_each_output_and_no_other),
		cmocka_unit_test(a_result_of_another_board_is_refused),
		cmocka_unit_test(being_shared_is_passed_on),
		cmocka_unit_test(the_kind_of_memory_is_what_the_list_needs),
		cmocka_unit_test(a_result_says_what_its_buffer_is),
		cmocka_unit_test(a_call_without_memory_loses_nothing),
	};

	return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
