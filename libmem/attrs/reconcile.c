// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: reconciliation. Values of all slots are merged key by key, by the
 * rule of each key's row, which gives the inputs. result.c computes the result
 * from them. After a key that breaks a rule, merging continues, so that a
 * conflict list names all such keys.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attrs.h"

/**
 * struct merging - a reconciliation in progress
 * @ctx: context of the lists
 * @slots: slots to be merged
 * @nr: number of @slots
 * @inputs: merged values
 * @client: clients' keys of @inputs
 * @conflicts: conflicts found so far
 */
struct merging {
	struct mem_ctx *ctx;
	const struct attrs_slot *const *slots;
	size_t nr;
	struct attrs_slot inputs;
	struct attrs_client client;
	struct attrs_conflicts conflicts;
};

/**
 * attrs_conflict() - record that a key breaks a rule
 * @conflicts: conflicts; only the first rule of a key is recorded
 * @key: enum mem_attr_key
 * @rule: enum attrs_rule
 * @engine: name of the engine whose rule it is, or NULL
 * @arg: number in the rule
 */
void attrs_conflict(struct attrs_conflicts *conflicts, uint32_t key,
		    enum attrs_rule rule, const char *engine, uint64_t arg)
{
	const int row = attrs_row_of(key);

	if (row >= 0) {
		if (conflicts->rows >> row & 1)
			return;
		conflicts->rows |= 1ULL << row;
	}
	conflicts->list[conflicts->nr++] = (struct attrs_conflict) {
		.key = key,
		.rule = rule,
		.engine = engine,
		.arg = arg,
	};
}

static enum attrs_rule merge_equal(const struct attrs_key *row,
				   struct attrs_slot *to,
				   const struct attrs_slot *from)
{
	const unsigned int at = (unsigned int)(row - attrs_keys);

	if (to->nr[at] != from->nr[at] ||
	    memcmp(slot_value(to, at), slot_value_of(from, at),
		   to->nr[at] * attrs_element_len(row)))
		return RULE_EQUAL;
	return RULE_NONE;
}

static enum attrs_rule merge_or(const struct attrs_key *row,
				struct attrs_slot *to,
				const struct attrs_slot *from)
{
	const unsigned int at = (unsigned int)(row - attrs_keys);

	if (row->element == ELEMENT_U8)
		*(uint8_t *)slot_value(to, at) |=
			*(const uint8_t *)slot_value_of(from, at);
	else
		*(uint64_t *)slot_value(to, at) |=
			*(const uint64_t *)slot_value_of(from, at);
	return RULE_NONE;
}

/* Elements that @to does not have count as 0. */
static enum attrs_rule merge_max(const struct attrs_key *row,
				 struct attrs_slot *to,
				 const struct attrs_slot *from)
{
	const unsigned int at = (unsigned int)(row - attrs_keys);
	unsigned int i;

	for (i = 0; i < from->nr[at]; i++) {
		if (row->element == ELEMENT_U32) {
			uint32_t *have = (uint32_t *)slot_value(to, at) + i;
			const uint32_t other =
				((const uint32_t *)slot_value_of(from, at))[i];

			*have = *have > other ? *have : other;
		} else {
			uint64_t *have = (uint64_t *)slot_value(to, at) + i;
			const uint64_t other =
				((const uint64_t *)slot_value_of(from, at))[i];

			*have = *have > other ? *have : other;
		}
	}
	if (to->nr[at] < from->nr[at])
		to->nr[at] = from->nr[at];
	return RULE_NONE;
}

/* Finds where an id is, or is to be inserted, in a sorted list of GPUs. */
static unsigned int merge_gpu_place(const uint8_t *ids, size_t step,
				    unsigned int nr, const uint8_t *id,
				    bool *is_found)
{
	unsigned int i;
	int order;

	*is_found = false;
	for (i = 0; i < nr; i++) {
		order = memcmp(ids + i * step, id, MEM_GPU_ID_LEN);
		*is_found = !order;
		if (order >= 0)
			break;
	}
	return i;
}

/**
 * attrs_add_gpu() - add a GPU to a slot's GPUs
 * @slot: slot, whose GPUs are sorted
 * @id: MEM_GPU_ID_LEN bytes
 *
 * Return: RULE_NONE, or RULE_TOO_MANY.
 */
enum attrs_rule attrs_add_gpu(struct attrs_slot *slot, const uint8_t *id)
{
	const unsigned int nr = slot->nr[ROW_GPU_IDS];
	uint8_t (*ids)[MEM_GPU_ID_LEN] = slot->values.gpu_ids;
	bool is_found;
	unsigned int at;

	at = merge_gpu_place(ids[0], sizeof(*ids), nr, id, &is_found);
	if (is_found)
		return RULE_NONE;
	if (nr == MEM_ATTR_GPUS_MAX)
		return RULE_TOO_MANY;
	memmove(ids[at + 1], ids[at], (nr - at) * sizeof(*ids));
	memcpy(ids[at], id, sizeof(*ids));
	slot_mark(slot, ROW_GPU_IDS, nr + 1);
	return RULE_NONE;
}

static enum attrs_rule merge_gpus(struct attrs_slot *to,
				  const struct attrs_slot *from)
{
	enum attrs_rule rule = RULE_NONE;
	unsigned int i;

	for (i = 0; i < from->nr[ROW_GPU_IDS] && !rule; i++)
		rule = attrs_add_gpu(to, from->values.gpu_ids[i]);
	return rule;
}

static enum attrs_rule merge_gpu_value(const struct attrs_key *row,
				       struct attrs_slot *to,
				       const struct mem_attr_gpu_value *value)
{
	const unsigned int at = (unsigned int)(row - attrs_keys);
	struct mem_attr_gpu_value *values = slot_value(to, at);
	const unsigned int nr = to->nr[at];
	bool is_found;
	unsigned int i;

	i = merge_gpu_place(values->gpu_id, sizeof(*values), nr, value->gpu_id,
			    &is_found);
	if (is_found) {
		if (row->merge == MERGE_GPU_EQUAL)
			return values[i].value == value->value ? RULE_NONE :
			       RULE_EQUAL;
		values[i].value &= value->value;
		return RULE_NONE;
	}
	if (nr == MEM_ATTR_GPUS_MAX)
		return RULE_TOO_MANY;
	memmove(&values[i + 1], &values[i], (nr - i) * sizeof(*values));
	values[i] = *value;
	slot_mark(to, at, nr + 1);
	return RULE_NONE;
}

/*
 * Which GPUs there is no room for depends on the order of lists, and so whether
 * their values are compared: RULE_TOO_MANY is graver than RULE_EQUAL.
 */
static enum attrs_rule merge_graver(enum attrs_rule one, enum attrs_rule other)
{
	return one > other ? one : other;
}

static enum attrs_rule merge_gpu_values(const struct attrs_key *row,
					struct attrs_slot *to,
					const struct attrs_slot *from)
{
	const unsigned int at = (unsigned int)(row - attrs_keys);
	const struct mem_attr_gpu_value *values = slot_value_of(from, at);
	enum attrs_rule rule = RULE_NONE;
	unsigned int i;

	for (i = 0; i < from->nr[at]; i++)
		rule = merge_graver(rule, merge_gpu_value(row, to, &values[i]));
	return rule;
}

/* Merges types to a sorted list in which each occurs once. */
static enum attrs_rule merge_types(struct attrs_slot *to,
				   const struct attrs_slot *from)
{
	const uint32_t both = 1U << MEM_ATTR_TYPE_IMAGE |
			      1U << MEM_ATTR_TYPE_TENSOR;
	uint32_t all = 0, type;
	unsigned int i, nr = 0;

	for (i = 0; i < to->nr[ROW_TYPES]; i++)
		all |= 1U << to->values.types[i];
	for (i = 0; i < from->nr[ROW_TYPES]; i++)
		all |= 1U << from->values.types[i];
	for (type = 1; type <= MEM_ATTR_TYPE_PYRAMID; type++)
		if (all >> type & 1)
			to->values.types[nr++] = type;
	slot_mark(to, ROW_TYPES, nr);
	return nr == 1 || all == both ? RULE_NONE : RULE_TYPES;
}

static enum attrs_rule merge_value(const struct attrs_key *row,
				   struct attrs_slot *to,
				   const struct attrs_slot *from)
{
	switch (row->merge) {
	case MERGE_OR:
		return merge_or(row, to, from);
	case MERGE_MAX:
		return merge_max(row, to, from);
	case MERGE_UNION:
		return merge_gpus(to, from);
	case MERGE_TYPES:
		return merge_types(to, from);
	case MERGE_GPU_AND:
	case MERGE_GPU_EQUAL:
		return merge_gpu_values(row, to, from);
	default:
		return merge_equal(row, to, from);
	}
}

static bool merge_is_set(const struct attrs_key *row)
{
	return row->merge == MERGE_UNION || row->merge == MERGE_TYPES ||
	       row->element == ELEMENT_GPU_VALUE;
}

static void merge_row(struct merging *merging, unsigned int at)
{
	const struct attrs_key *row = &attrs_keys[at];
	struct attrs_slot *to = &merging->inputs;
	enum attrs_rule rule = RULE_NONE;
	size_t i;

	/* Continue after a conflict: the order of lists must not matter. */
	for (i = 0; i < merging->nr; i++) {
		const struct attrs_slot *from = merging->slots[i];

		if (!slot_has(from, at))
			continue;
		/*
		 * Sets are always merged, even into an empty one: this sorts
		 * them.
		 */
		if (!slot_has(to, at) && !merge_is_set(row)) {
			memcpy(slot_value(to, at), slot_value_of(from, at),
			       from->nr[at] * attrs_element_len(row));
			slot_mark(to, at, from->nr[at]);
			continue;
		}
		rule = merge_graver(rule, merge_value(row, to, from));
	}
	if (rule)
		attrs_conflict(&merging->conflicts, row->key, rule, NULL, 0);
}

static void merge_client(struct merging *merging)
{
	struct attrs_client *to = &merging->client;
	unsigned int at;
	size_t i;

	for (i = 0; i < merging->nr; i++) {
		const struct attrs_client *from = merging->slots[i]->client;

		if (!from)
			continue;
		merging->inputs.client = to;
		for (at = 0; at < MEM_ATTR_CLIENT_KEYS; at++) {
			if (from->len[at] && !to->len[at]) {
				to->len[at] = from->len[at];
				memcpy(to->bytes[at], from->bytes[at],
				       from->len[at]);
			}
		}
	}
}

/* Comparing with the first list's value is enough: all must be equal to it. */
static void merge_compare_client(struct merging *merging)
{
	const struct attrs_client *all = &merging->client;
	uint32_t different = 0;
	unsigned int at;
	size_t i;

	for (i = 0; i < merging->nr; i++) {
		const struct attrs_client *one = merging->slots[i]->client;

		for (at = 0; one && at < MEM_ATTR_CLIENT_KEYS; at++)
			if (one->len[at] &&
			    (one->len[at] != all->len[at] ||
			     memcmp(one->bytes[at], all->bytes[at],
				    one->len[at])))
				different |= 1U << at;
	}
	for (at = 0; at < MEM_ATTR_CLIENT_KEYS; at++)
		if (different >> at & 1)
			attrs_conflict(&merging->conflicts,
				       MEM_ATTR_CLIENT + at, RULE_EQUAL, NULL,
				       0);
}

static void merge_require_mandatory(struct merging *merging)
{
	const struct attrs_slot *inputs = &merging->inputs;
	uint64_t rows = attrs_rows_of(MEM_ATTR_TYPE_GENERAL);
	unsigned int i;

	if (merging->conflicts.rows >> ROW_TYPES & 1)
		return;
	for (i = 0; i < inputs->nr[ROW_TYPES]; i++)
		rows |= attrs_rows_of(inputs->values.types[i]);
	for (i = 0; i < NR_ROWS; i++)
		if (rows >> i & 1 && attrs_keys[i].is_mandatory &&
		    !slot_has(inputs, i))
			attrs_conflict(&merging->conflicts, attrs_keys[i].key,
				       RULE_MANDATORY, NULL, 0);
}

/* Checks that keys have as many values as the key that counts them says. */
static void merge_require_counts(struct merging *merging)
{
	const struct attrs_slot *inputs = &merging->inputs;
	unsigned int i;

	for (i = 0; i < NR_ROWS; i++) {
		const unsigned int by = attrs_keys[i].counted_by;
		uint32_t nr;

		if (!by || !slot_has(inputs, i))
			continue;
		nr = *(const uint32_t *)slot_value_of(inputs, by);
		if (slot_has(inputs, by) &&
		    !(merging->conflicts.rows >> by & 1) &&
		    inputs->nr[i] != nr)
			attrs_conflict(&merging->conflicts, attrs_keys[i].key,
				       RULE_COUNT, NULL, nr);
	}
}

/* Merges the keys that can be set; computes @result if there is no conflict. */
static void merge_all(struct merging *merging, struct attrs_slot *result)
{
	unsigned int i;

	for (i = 0; i < NR_ROWS; i++)
		if (attrs_keys[i].merge != MERGE_OUTPUT)
			merge_row(merging, i);
	merge_client(merging);
	merge_compare_client(merging);
	merge_require_mandatory(merging);
	merge_require_counts(merging);
	if (!merging->conflicts.nr)
		attrs_result(merging->ctx, &merging->inputs, result,
			     &merging->conflicts);
}

static int merge_conflict_out(const struct merging *merging,
			      struct mem_attrs **conflict)
{
	const struct attrs_conflicts *conflicts = &merging->conflicts;
	struct mem_attrs *new;

	if (!conflict)
		return -EADV;
	new = attrs_new(merging->ctx, MEM_ATTRS_CONFLICT, merging->slots,
			merging->nr, conflicts->nr);
	if (!new)
		return -ENOMEM;
	memcpy(new->conflicts, conflicts->list,
	       conflicts->nr * sizeof(*conflicts->list));
	new->nr_conflicts = conflicts->nr;
	*conflict = new;
	return -EADV;
}

/**
 * attrs_merge() - make a reconciled list or a conflict list from slots
 * @ctx: context
 * @from: slots
 * @nr: number of slots, above 0
 * @reconciled: out: as in mem_attrs_reconcile()
 * @conflict: out: as in mem_attrs_reconcile()
 *
 * Return: 0, or -EADV or -ENOMEM as mem_attrs_reconcile() returns them.
 */
int attrs_merge(struct mem_ctx *ctx, const struct attrs_slot *const *from,
		size_t nr, struct mem_attrs **reconciled,
		struct mem_attrs **conflict)
{
	struct attrs_slot result;
	const struct attrs_slot *slots[NR_SLOTS];
	struct merging merging;
	struct mem_attrs *new;

	merging.ctx = ctx;
	merging.slots = from;
	merging.nr = nr;
	memset(&merging.inputs, 0, sizeof(merging.inputs));
	memset(merging.client.len, 0, sizeof(merging.client.len));
	merging.conflicts.nr = 0;
	merging.conflicts.rows = 0;
	merge_all(&merging, &result);
	if (merging.conflicts.nr)
		return merge_conflict_out(&merging, conflict);
	slots[SLOT_RESULT] = &result;
	slots[SLOT_INPUTS] = &merging.inputs;
	new = attrs_new(ctx, MEM_ATTRS_RECONCILED, slots, NR_SLOTS, 0);
	if (!new)
		return -ENOMEM;
	*reconciled = new;
	return 0;
}

API int mem_attrs_reconcile(struct mem_attrs *const *lists, size_t nr_lists,
			    struct mem_attrs **reconciled,
			    struct mem_attrs **conflict)
{
	struct mem_attrs *new = NULL;
	struct attrs_slots slots;
	int err;

	if (!reconciled)
		return -EINVAL;
	err = attrs_collect(lists, nr_lists, &slots);
	if (err)
		return err;
	err = attrs_merge(lists[0]->ctx, slots.at, slots.nr, &new, conflict);
	free(slots.at);
	if (err)
		return err;
	new->is_shared = slots.is_shared;
	*reconciled = new;
	return 0;
}
