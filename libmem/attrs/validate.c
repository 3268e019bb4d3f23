// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: checks whether a reconciled list satisfies the values that lists have
 * set. Each value is compared with the result by the rule of its key's row. The
 * result may contain more than the value if the rule is or, union or maximum.
 */
#include <errno.h>
#include <string.h>

#include "attrs.h"

static bool validate_contains_type(const struct attrs_slot *result,
				   const struct attrs_slot *slot)
{
	unsigned int i;

	for (i = 0; i < slot->nr[ROW_TYPES]; i++)
		if (!slot_has_type(result, slot->values.types[i]))
			return false;
	return true;
}

/* Returns the index of a GPU in the result; its GPUs' values have the same. */
static unsigned int validate_gpu_at(const struct attrs_slot *result,
				    const uint8_t *id)
{
	unsigned int i;

	for (i = 0; i < result->nr[ROW_GPU_IDS]; i++)
		if (!memcmp(result->values.gpu_ids[i], id, MEM_GPU_ID_LEN))
			break;
	return i;
}

static bool validate_contains_gpus(const struct attrs_slot *result,
				   const struct attrs_slot *slot)
{
	unsigned int i;

	for (i = 0; i < slot->nr[ROW_GPU_IDS]; i++)
		if (validate_gpu_at(result, slot->values.gpu_ids[i]) ==
		    result->nr[ROW_GPU_IDS])
			return false;
	return true;
}

/* A result without caching or compression for a GPU suits any request. */
static bool validate_suits_gpus(const struct attrs_slot *result,
				const struct attrs_slot *slot, unsigned int row)
{
	const struct mem_attr_gpu_value *got = slot_value_of(result, row);
	const struct mem_attr_gpu_value *asked = slot_value_of(slot, row);
	unsigned int i, at;

	for (i = 0; i < slot->nr[row]; i++) {
		at = validate_gpu_at(result, asked[i].gpu_id);
		if (at >= result->nr[row] ||
		    (got[at].value && got[at].value != asked[i].value))
			return false;
	}
	return true;
}

static bool validate_is_as_large(const struct attrs_slot *result,
				 const struct attrs_slot *slot,
				 unsigned int row)
{
	unsigned int i;

	if (row == ROW_REQUIRED_PERM)
		return slot->values.required_perm <= result->values.actual_perm;
	if (result->nr[row] < slot->nr[row])
		return false;
	for (i = 0; i < slot->nr[row]; i++) {
		const void *got = slot_value_of(result, row);
		const void *asked = slot_value_of(slot, row);

		if (attrs_keys[row].element == ELEMENT_U32 ?
		    ((const uint32_t *)got)[i] < ((const uint32_t *)asked)[i] :
		    ((const uint64_t *)got)[i] < ((const uint64_t *)asked)[i])
			return false;
	}
	return true;
}

static bool validate_has_bits(const struct attrs_slot *result,
			      const struct attrs_slot *slot, unsigned int row)
{
	const void *got = slot_value_of(result, row);
	const void *asked = slot_value_of(slot, row);

	if (attrs_keys[row].element == ELEMENT_U8)
		return !(*(const uint8_t *)asked & ~*(const uint8_t *)got);
	return !(*(const uint64_t *)asked & ~*(const uint64_t *)got);
}

/* An engine that is a GPU may be in the result by its id only. */
static bool validate_has_engines(const struct mem_attrs *reconciled,
				 const struct attrs_slot *slot)
{
	return !(slot->values.engines & ~attrs_engines(reconciled));
}

static bool validate_is_equal(const struct attrs_slot *result,
			      const struct attrs_slot *slot, unsigned int row)
{
	return result->nr[row] == slot->nr[row] &&
	       !memcmp(slot_value_of(result, row), slot_value_of(slot, row),
		       slot->nr[row] * attrs_element_len(&attrs_keys[row]));
}

static bool validate_is_met(const struct mem_attrs *reconciled,
			    const struct attrs_slot *slot, unsigned int row)
{
	const struct attrs_slot *result = &reconciled->slots[SLOT_RESULT];

	if (!slot_has(result, row))
		return false;
	if (row == ROW_ENGINES)
		return validate_has_engines(reconciled, slot);
	switch (attrs_keys[row].merge) {
	case MERGE_TYPES:
		return validate_contains_type(result, slot);
	case MERGE_UNION:
		return validate_contains_gpus(result, slot);
	case MERGE_OR:
		return validate_has_bits(result, slot, row);
	case MERGE_MAX:
		return validate_is_as_large(result, slot, row);
	case MERGE_GPU_AND:
	case MERGE_GPU_EQUAL:
		return validate_suits_gpus(result, slot, row);
	default:
		return validate_is_equal(result, slot, row);
	}
}

static bool validate_client_is_met(const struct attrs_client *result,
				   const struct attrs_client *slot)
{
	unsigned int at;

	for (at = 0; slot && at < MEM_ATTR_CLIENT_KEYS; at++)
		if (slot->len[at] &&
		    (!result || result->len[at] != slot->len[at] ||
		     memcmp(result->bytes[at], slot->bytes[at], slot->len[at])))
			return false;
	return true;
}

static bool validate_slot_is_met(const struct mem_attrs *reconciled,
				 const struct attrs_slot *slot)
{
	const struct attrs_slot *result = &reconciled->slots[SLOT_RESULT];
	unsigned int row;

	if (!validate_client_is_met(result->client, slot->client))
		return false;
	for (row = 0; row < NR_ROWS; row++)
		if (slot_has(slot, row) &&
		    !validate_is_met(reconciled, slot, row))
			return false;
	return true;
}

API int mem_attrs_validate(const struct mem_attrs *reconciled,
			   struct mem_attrs *const *lists, size_t nr_lists)
{
	size_t i, nr;
	uint32_t k;
	int err;

	if (!attrs_is(reconciled) || reconciled->state != MEM_ATTRS_RECONCILED)
		return -EINVAL;
	err = attrs_check(lists, nr_lists, &nr);
	if (err)
		return err == -EPERM ? err : -EINVAL;
	for (i = 0; i < nr_lists; i++)
		for (k = 0; k < lists[i]->nr_slots; k++)
			if (!validate_slot_is_met(reconciled,
						  &lists[i]->slots[k]))
				return -EADV;
	return 0;
}
