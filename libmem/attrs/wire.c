// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: attribute lists as bytes for other processes. All numbers are
 * little-endian:
 *
 *	header	magic, version, length of the whole, kind of list, number of
 *		slots, 0 (each 4 bytes); FNV-1a of what follows (8 bytes)
 *	slot	number of values, 0 (each 4 bytes); values
 *	value	key, length (each 4 bytes); bytes, padded with zeros to 8
 *
 * Values of a slot are sorted by key, so that a list has only one encoding. A
 * reconciled list has two slots: its result, then its inputs. What arrives is
 * not trusted, even if its checksum is right: values are set by the same code
 * as a caller's, and a result must equal the one computed here from its inputs.
 * The permission of an object is not part of its list: MEM_ATTR_ACTUAL_PERM is
 * computed from the inputs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attrs.h"

#define MAGIC		0x7274746dU	/* "mttr" */
#define VERSION		1U
#define HEADER_LEN	32U
#define SUM_AT		24U		/* offset of the checksum */
#define SLOT_LEN	8U
#define VALUE_LEN	8U
#define VALUES_MAX	(NR_ROWS + MEM_ATTR_CLIENT_KEYS)

static uint64_t wire_sum_of(const uint8_t *bytes, size_t len)
{
	uint64_t sum = 0xcbf29ce484222325ULL;

	while (len--)
		sum = (sum ^ *bytes++) * 0x100000001b3ULL;
	return sum;
}

static size_t wire_padded(size_t len)
{
	return (len + 7) & ~(size_t)7;
}

/* Writing */

/**
 * struct writer - buffer for bytes that are written
 * @bytes: buffer; NULL: bytes are only counted
 * @at: number of bytes so far
 */
struct writer {
	uint8_t *bytes;
	size_t at;
};

static void wire_write_number(struct writer *to, uint64_t number, size_t len)
{
	size_t i;

	for (i = 0; to->bytes && i < len; i++)
		to->bytes[to->at + i] = (uint8_t)(number >> 8 * i);
	to->at += len;
}

static void wire_write_bytes(struct writer *to, const void *bytes, size_t len)
{
	if (to->bytes)
		memcpy(to->bytes + to->at, bytes, len);
	to->at += len;
}

static void wire_write_element(struct writer *to, const struct attrs_key *row,
			       const void *value, size_t i)
{
	const struct mem_attr_gpu_value *of_gpu = value;
	uint32_t bits;

	switch (row->element) {
	case ELEMENT_U32:
		wire_write_number(to, ((const uint32_t *)value)[i], 4);
		break;
	case ELEMENT_U64:
		wire_write_number(to, ((const uint64_t *)value)[i], 8);
		break;
	case ELEMENT_FLOAT:
		memcpy(&bits, (const float *)value + i, sizeof(bits));
		wire_write_number(to, bits, 4);
		break;
	case ELEMENT_GPU_VALUE:
		wire_write_bytes(to, of_gpu[i].gpu_id, MEM_GPU_ID_LEN);
		wire_write_number(to, of_gpu[i].value, 4);
		break;
	default:
		wire_write_bytes(to, (const uint8_t *)value +
				 i * attrs_element_len(row),
				 attrs_element_len(row));
	}
}

static void wire_write_value(struct writer *to, const struct attrs_slot *slot,
			     unsigned int row)
{
	const size_t len = slot->nr[row] * attrs_element_len(&attrs_keys[row]);
	size_t i;

	wire_write_number(to, attrs_keys[row].key, 4);
	wire_write_number(to, len, 4);
	for (i = 0; i < slot->nr[row]; i++)
		wire_write_element(to, &attrs_keys[row],
				   slot_value_of(slot, row), i);
	wire_write_number(to, 0, wire_padded(len) - len);
}

static void wire_write_client(struct writer *to,
			      const struct attrs_client *client,
			      unsigned int at)
{
	const size_t len = client->len[at];

	wire_write_number(to, MEM_ATTR_CLIENT + at, 4);
	wire_write_number(to, len, 4);
	wire_write_bytes(to, client->bytes[at], len);
	wire_write_number(to, 0, wire_padded(len) - len);
}

/* Omits the permission of a result, since it is the object's. */
static void wire_write_slot(struct writer *to, const struct attrs_slot *slot)
{
	struct writer head = *to;
	uint32_t nr = 0;
	unsigned int i;

	to->at += SLOT_LEN;
	for (i = 0; i < NR_ROWS; i++) {
		if (!slot_has(slot, i) || i == ROW_ACTUAL_PERM)
			continue;
		wire_write_value(to, slot, i);
		nr++;
	}
	for (i = 0; slot->client && i < MEM_ATTR_CLIENT_KEYS; i++) {
		if (!slot->client->len[i])
			continue;
		wire_write_client(to, slot->client, i);
		nr++;
	}
	wire_write_number(&head, nr, 4);
	wire_write_number(&head, 0, 4);
}

static void wire_write_list(struct writer *to, enum mem_attrs_state state,
			    const struct attrs_slot *const *slots, size_t nr)
{
	struct writer head = *to;
	size_t i;

	to->at += HEADER_LEN;
	for (i = 0; i < nr; i++)
		wire_write_slot(to, slots[i]);
	wire_write_number(&head, MAGIC, 4);
	wire_write_number(&head, VERSION, 4);
	wire_write_number(&head, to->at, 4);
	wire_write_number(&head, state, 4);
	wire_write_number(&head, nr, 4);
	wire_write_number(&head, 0, 4);
	wire_write_number(&head,
			  to->bytes ? wire_sum_of(to->bytes + HEADER_LEN,
						  to->at - HEADER_LEN) :
				      0,
			  8);
}

static int wire_pack_slots(enum mem_attrs_state state,
			   const struct attrs_slot *const *slots, size_t nr,
			   void **bytes, size_t *len)
{
	struct writer to = { 0 };

	wire_write_list(&to, state, slots, nr);
	to.bytes = malloc(to.at);
	if (!to.bytes)
		return -ENOMEM;
	to.at = 0;
	wire_write_list(&to, state, slots, nr);
	*bytes = to.bytes;
	*len = to.at;
	return 0;
}

/**
 * attrs_pack() - encode lists as bytes
 * @lists: unreconciled lists, which are combined into one list, or one
 *	reconciled list
 * @nr_lists: 1 to MEM_SLOTS_MAX; 1 for a reconciled list
 * @bytes: out: owned by the caller: free()
 * @len: out: number of @bytes
 *
 * Return: 0, or -EINVAL (a pointer is NULL, no or too many lists, a conflict
 * list or two kinds), -EXDEV (lists of two contexts), -EPERM (see
 * mem_attrs_create()), -ENOMEM.
 */
int attrs_pack(struct mem_attrs *const *lists, size_t nr_lists, void **bytes,
	       size_t *len)
{
	const struct attrs_slot *both[NR_SLOTS];
	struct attrs_slots slots;
	int err;

	if (!lists || !nr_lists || nr_lists > MEM_SLOTS_MAX ||
	    !attrs_is(lists[0]))
		return -EINVAL;
	if (nr_lists == 1 && lists[0]->state == MEM_ATTRS_RECONCILED) {
		err = ctx_may_call(lists[0]->ctx);
		if (err)
			return err;
		both[SLOT_RESULT] = &lists[0]->slots[SLOT_RESULT];
		both[SLOT_INPUTS] = &lists[0]->slots[SLOT_INPUTS];
		return wire_pack_slots(MEM_ATTRS_RECONCILED, both, NR_SLOTS,
				       bytes, len);
	}
	err = attrs_collect(lists, nr_lists, &slots);
	if (err)
		return err;
	err = slots.nr > MEM_SLOTS_MAX ? -EINVAL :
	      wire_pack_slots(MEM_ATTRS_UNRECONCILED, slots.at, slots.nr, bytes,
			      len);
	free(slots.at);
	return err;
}

/* Reading. Everything that is read may be invalid. */

/**
 * struct reader - bytes to be read
 * @bytes: next byte
 * @left: number of bytes left
 */
struct reader {
	const uint8_t *bytes;
	size_t left;
};

static uint64_t wire_number_at(const uint8_t *bytes, size_t len)
{
	uint64_t number = 0;
	size_t i;

	for (i = 0; i < len; i++)
		number |= (uint64_t)bytes[i] << 8 * i;
	return number;
}

/* Returns NULL if fewer than @len bytes are left. */
static const uint8_t *wire_take(struct reader *from, size_t len)
{
	const uint8_t *bytes = from->bytes;

	if (len > from->left)
		return NULL;
	from->bytes += len;
	from->left -= len;
	return bytes;
}

static bool wire_is_zero(const uint8_t *bytes, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (bytes[i])
			return false;
	return true;
}

/* Converts elements to native form. @value has room for the longest value. */
static void wire_read_elements(const struct attrs_key *row, const uint8_t *from,
			       size_t nr, void *value)
{
	const size_t len = attrs_element_len(row);
	struct mem_attr_gpu_value *of_gpu = value;
	uint32_t bits;
	size_t i;

	for (i = 0; i < nr; i++, from += len) {
		switch (row->element) {
		case ELEMENT_U32:
			((uint32_t *)value)[i] =
				(uint32_t)wire_number_at(from, 4);
			break;
		case ELEMENT_U64:
			((uint64_t *)value)[i] = wire_number_at(from, 8);
			break;
		case ELEMENT_FLOAT:
			bits = (uint32_t)wire_number_at(from, 4);
			memcpy((float *)value + i, &bits, sizeof(bits));
			break;
		case ELEMENT_GPU_VALUE:
			memcpy(of_gpu[i].gpu_id, from, MEM_GPU_ID_LEN);
			of_gpu[i].value = (uint32_t)
				wire_number_at(from + MEM_GPU_ID_LEN, 4);
			break;
		default:
			memcpy((uint8_t *)value + i * len, from, len);
		}
	}
}

/**
 * struct unpacking - a slot while it is read
 * @attrs: values of the slot; their bytes are in @values or in the message
 * @nr: number of @attrs
 * @values: values of keys in the table, in native form
 */
struct unpacking {
	struct mem_attr attrs[VALUES_MAX];
	size_t nr;
	struct attrs_values values;
};

static int wire_read_value(struct reader *from, struct unpacking *slot)
{
	struct mem_attr *attr = &slot->attrs[slot->nr];
	const uint8_t *head = wire_take(from, VALUE_LEN);
	const uint8_t *bytes;
	int row;

	if (!head)
		return -EBADMSG;
	*attr = (struct mem_attr) {
		.key = (uint32_t)wire_number_at(head, 4),
		.len = wire_number_at(head + 4, 4),
	};
	if (slot->nr && attr->key <= attr[-1].key)
		return -EBADMSG;
	bytes = wire_take(from, wire_padded(attr->len));
	if (!bytes || !attr->len ||
	    !wire_is_zero(bytes + attr->len,
			  wire_padded(attr->len) - attr->len))
		return -EBADMSG;
	slot->nr++;
	attr->value = bytes;
	if (attrs_is_client(attr->key))
		return 0;
	row = attrs_row_of(attr->key);
	if (row < 0 || attr->len % attrs_element_len(&attrs_keys[row]) ||
	    attr->len / attrs_element_len(&attrs_keys[row]) >
	    attrs_keys[row].max)
		return -EBADMSG;
	attr->value = (char *)&slot->values + attrs_keys[row].off;
	wire_read_elements(&attrs_keys[row], bytes,
			   attr->len / attrs_element_len(&attrs_keys[row]),
			   (void *)attr->value);
	return 0;
}

static int wire_read_slot(struct reader *from, struct unpacking *slot)
{
	const uint8_t *head = wire_take(from, SLOT_LEN);
	uint64_t nr;
	int err = 0;

	if (!head)
		return -EBADMSG;
	nr = wire_number_at(head, 4);
	if (nr > VALUES_MAX || !wire_is_zero(head + 4, 4))
		return -EBADMSG;
	slot->nr = 0;
	while (nr-- && !err)
		err = wire_read_value(from, slot);
	return err;
}

/* Sets a slot of inputs as a caller would. A slot may be empty. */
static int wire_set_slot(struct reader *from, struct mem_attrs **attrs,
			 struct mem_ctx *ctx)
{
	static const struct attrs_slot empty;
	const struct attrs_slot *slots = &empty;
	struct unpacking slot;
	struct mem_attrs *new;
	int err;

	err = wire_read_slot(from, &slot);
	if (err)
		return err;
	new = attrs_new(ctx, MEM_ATTRS_UNRECONCILED, &slots, 1, 0);
	if (!new)
		return -ENOMEM;
	err = attrs_set_slot(new, new->slots, slot.attrs, slot.nr);
	if (err) {
		mem_attrs_destroy(new);
		return err == -ENOMEM ? err : -EBADMSG;
	}
	*attrs = new;
	return 0;
}

/* Compares the result that was read with the one computed here. */
static int wire_compare_result(const struct unpacking *slot,
			       const struct mem_attrs *computed)
{
	const struct attrs_slot *result = &computed->slots[SLOT_RESULT];
	const uint64_t rows = result->is_set & ~(1ULL << ROW_ACTUAL_PERM);
	size_t i, nr = (size_t)__builtin_popcountll(rows);
	unsigned int at;

	for (at = 0; result->client && at < MEM_ATTR_CLIENT_KEYS; at++)
		nr += !!result->client->len[at];
	if (nr != slot->nr)
		return -EBADMSG;
	for (i = 0; i < nr; i++) {
		const struct mem_attr *attr = &slot->attrs[i];
		struct mem_attr own = { .key = attr->key };

		if (attr->key == MEM_ATTR_ACTUAL_PERM ||
		    mem_attrs_get(computed, 0, &own, 1) ||
		    own.len != attr->len ||
		    memcmp(own.value, attr->value, attr->len))
			return -EBADMSG;
	}
	return 0;
}

static int wire_unpack_reconciled(struct mem_ctx *ctx, struct reader *from,
				  struct mem_attrs **attrs)
{
	const struct attrs_slot *slots;
	struct mem_attrs *inputs, *new;
	struct unpacking result;
	int err;

	err = wire_read_slot(from, &result);
	if (err)
		return err;
	err = wire_set_slot(from, &inputs, ctx);
	if (err)
		return err;
	slots = inputs->slots;
	err = from->left ? -EBADMSG :
	      attrs_merge(ctx, &slots, 1, &new, NULL);
	mem_attrs_destroy(inputs);
	if (err)
		return err == -ENOMEM ? err : -EBADMSG;
	err = wire_compare_result(&result, new);
	if (err) {
		mem_attrs_destroy(new);
		return err;
	}
	*attrs = new;
	return 0;
}

static int wire_unpack_unreconciled(struct mem_ctx *ctx, struct reader *from,
				    size_t nr, struct mem_attrs **attrs)
{
	struct mem_attrs *lists[MEM_SLOTS_MAX] = { NULL }, *new = NULL;
	size_t i, nr_read;
	int err = 0;

	for (nr_read = 0; nr_read < nr; nr_read++) {
		err = wire_set_slot(from, &lists[nr_read], ctx);
		if (err)
			break;
	}
	if (!err && from->left)
		err = -EBADMSG;
	/* A single list needs no append, which would copy it. */
	if (!err && nr == 1) {
		*attrs = lists[0];
		return 0;
	}
	if (!err)
		err = mem_attrs_append(lists, nr, &new);
	for (i = 0; i < nr_read; i++)
		mem_attrs_destroy(lists[i]);
	if (!err)
		*attrs = new;
	return err;
}

/**
 * attrs_unpack() - make a list from bytes of another process
 * @ctx: context of the list
 * @bytes: encoded list, need not be aligned
 * @len: number of @bytes
 * @attrs: out: list, marked as shared; owned by the caller: mem_attrs_destroy()
 *
 * Return: 0, or -EBADMSG (not written by attrs_pack() on a board like this
 * one), -EPERM (see mem_attrs_create()), -ENOMEM.
 */
int attrs_unpack(struct mem_ctx *ctx, const void *bytes, size_t len,
		 struct mem_attrs **attrs)
{
	struct reader from = { .bytes = bytes, .left = len };
	const uint8_t *head = wire_take(&from, HEADER_LEN);
	struct mem_attrs *new;
	uint64_t kind, nr;
	int err;

	err = ctx_may_call(ctx);
	if (err)
		return err;
	if (!head || wire_number_at(head, 4) != MAGIC ||
	    wire_number_at(head + 4, 4) != VERSION ||
	    wire_number_at(head + 8, 4) != len)
		return -EBADMSG;
	kind = wire_number_at(head + 12, 4);
	nr = wire_number_at(head + 16, 4);
	if (!nr || nr > MEM_SLOTS_MAX || !wire_is_zero(head + 20, 4) ||
	    wire_number_at(head + SUM_AT, 8) !=
		    wire_sum_of(from.bytes, from.left))
		return -EBADMSG;
	if (kind == MEM_ATTRS_RECONCILED && nr == NR_SLOTS)
		err = wire_unpack_reconciled(ctx, &from, &new);
	else if (kind == MEM_ATTRS_UNRECONCILED)
		err = wire_unpack_unreconciled(ctx, &from, nr, &new);
	else
		err = -EBADMSG;
	if (err)
		return err;
	new->is_shared = true;
	*attrs = new;
	return 0;
}
