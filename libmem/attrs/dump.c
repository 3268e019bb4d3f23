// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: attribute lists as text for people, one line per key. For each key
 * that conflicts, the dump of a conflict list has the values of all lists and
 * the rule that was broken.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "attrs.h"
#include "constraint.h"

/**
 * struct text - text that may exceed its buffer
 * @to: buffer
 * @len: bytes of @to
 * @used: length of the whole text so far, bytes
 */
struct text {
	char *to;
	size_t len;
	size_t used;
};

__attribute__((format(printf, 2, 3)))
static void dump_add(struct text *text, const char *format, ...)
{
	const bool has_room = text->used < text->len;
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(has_room ? text->to + text->used : NULL,
			has_room ? text->len - text->used : 0, format, args);
	va_end(args);
	text->used += (size_t)len;
}

static void dump_add_bytes(struct text *text, const uint8_t *bytes, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		dump_add(text, "%02x", bytes[i]);
}

/* Prints the id in the format of uuidgen(1). */
static void dump_add_gpu(struct text *text, const uint8_t *id)
{
	static const uint8_t parts[] = { 4, 2, 2, 2, 6 };
	size_t i;

	for (i = 0; i < sizeof(parts); i++) {
		if (i)
			dump_add(text, "-");
		dump_add_bytes(text, id, parts[i]);
		id += parts[i];
	}
}

static void dump_add_fourcc(struct text *text, uint32_t fourcc)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		dump_add(text, "%c", (char)(fourcc >> 8 * i));
}

static void dump_add_engines(struct text *text, uint64_t engines)
{
	const char *between = "";
	unsigned int at;

	if (!engines)
		dump_add(text, "none");
	for (at = 0; engines >> at; at++) {
		if (!(engines >> at & 1))
			continue;
		dump_add(text, "%s%s", between, constraint_name(at));
		between = " ";
	}
}

static void dump_add_number(struct text *text, const struct attrs_key *row,
			    uint64_t number)
{
	switch (row->text) {
	case TEXT_HEX:
		dump_add(text, "0x%" PRIx64, number);
		break;
	case TEXT_FOURCC:
		dump_add_fourcc(text, (uint32_t)number);
		break;
	case TEXT_ENGINES:
		dump_add_engines(text, number);
		break;
	case TEXT_WORDS:
		dump_add(text, "%s", row->words[number]);
		break;
	default:
		dump_add(text, "%" PRIu64, number);
	}
}

static void dump_add_element(struct text *text, const struct attrs_key *row,
			     const void *value, unsigned int i)
{
	const struct mem_attr_gpu_value *of_gpu = value;

	switch (row->element) {
	case ELEMENT_U8:
		dump_add_number(text, row, ((const uint8_t *)value)[i]);
		break;
	case ELEMENT_U32:
		dump_add_number(text, row, ((const uint32_t *)value)[i]);
		break;
	case ELEMENT_U64:
		dump_add_number(text, row, ((const uint64_t *)value)[i]);
		break;
	case ELEMENT_FLOAT:
		dump_add(text, "%.9g", (double)((const float *)value)[i]);
		break;
	case ELEMENT_GPU_ID:
		dump_add_gpu(text, (const uint8_t *)value + i * MEM_GPU_ID_LEN);
		break;
	default:
		dump_add_gpu(text, of_gpu[i].gpu_id);
		dump_add(text, "=");
		dump_add_number(text, row, of_gpu[i].value);
	}
}

static void dump_add_value(struct text *text, const struct attrs_slot *slot,
			   unsigned int row)
{
	unsigned int i;

	for (i = 0; i < slot->nr[row]; i++) {
		if (i)
			dump_add(text, ", ");
		dump_add_element(text, &attrs_keys[row], slot_value_of(slot,
								       row),
				 i);
	}
	dump_add(text, "\n");
}

static void dump_add_client(struct text *text, const struct attrs_slot *slot,
			    unsigned int at)
{
	dump_add_bytes(text, slot->client->bytes[at], slot->client->len[at]);
	dump_add(text, "\n");
}

static void dump_add_slot(struct text *text, const struct attrs_slot *slot,
			  const char *indent)
{
	unsigned int i;

	for (i = 0; i < NR_ROWS; i++) {
		if (!slot_has(slot, i))
			continue;
		dump_add(text, "%s%s: ", indent, attrs_keys[i].name);
		dump_add_value(text, slot, i);
	}
	for (i = 0; i < MEM_ATTR_CLIENT_KEYS; i++) {
		if (!slot_has_client(slot, i))
			continue;
		dump_add(text, "%sclient %u: ", indent, i);
		dump_add_client(text, slot, i);
	}
}

/* Prints the rule, with its engine and number if it has them. */
static void dump_add_rule(struct text *text,
			  const struct attrs_conflict *conflict)
{
	static const char *const rules[] = {
		[RULE_EQUAL] = "lists that set it must agree",
		[RULE_TYPES] = "a buffer has one type, or is image and tensor",
		[RULE_TOO_MANY] = "all lists together name too many",
		[RULE_MANDATORY] = "a list must set it",
		[RULE_WITH_TENSOR] =
			"an image that is a tensor is pitch-linear and has one plane",
		[RULE_ROWS_OF_TENSOR] =
			"a dimension of the tensor must be the image's rows, without gaps",
		[RULE_NO_GPU] = "the board has no such GPU",
		[RULE_OTHER_GPU] = "the GPU must be among general.gpu_ids",
		[RULE_VIDMEM] = "only a discrete GPU has memory of its own",
		[RULE_VIDMEM_REACH] =
			"only that GPU and the dma engine reach its memory",
	};

	dump_add(text, "  rule: ");
	switch (conflict->rule) {
	case RULE_COUNT:
		dump_add(text, "it must have %" PRIu64 " values",
			 conflict->arg);
		break;
	case RULE_STRIDE:
		dump_add(text, "it must be a multiple of %" PRIu64,
			 conflict->arg);
		break;
	case RULE_NO_ENGINE:
		dump_add(text, "the board has no %s", conflict->engine);
		break;
	case RULE_LAYOUT:
		dump_add(text, "the %s does not support this layout",
			 conflict->engine);
		break;
	case RULE_SWIZZLE:
		dump_add(text,
			 "the %s places block-linear pixels in a way of its own",
			 conflict->engine);
		break;
	case RULE_MOST:
		dump_add(text, "the %s supports at most %" PRIu64,
			 conflict->engine, conflict->arg);
		break;
	case RULE_TOO_LARGE:
		dump_add(text, "the result must be at most %" PRIu64,
			 conflict->arg);
		break;
	default:
		dump_add(text, "%s", rules[conflict->rule]);
	}
	dump_add(text, "\n");
}

static void dump_add_conflict(struct text *text, const struct mem_attrs *attrs,
			      const struct attrs_conflict *conflict)
{
	const unsigned int client = conflict->key - MEM_ATTR_CLIENT;
	const int row = attrs_row_of(conflict->key);
	uint32_t i;

	if (row < 0)
		dump_add(text, "client %u: conflict\n", client);
	else
		dump_add(text, "%s: conflict\n", attrs_keys[row].name);
	for (i = 0; i < attrs->nr_slots; i++) {
		const struct attrs_slot *slot = &attrs->slots[i];

		dump_add(text, "  list %u: ", i);
		if (row < 0 && slot_has_client(slot, client))
			dump_add_client(text, slot, client);
		else if (row >= 0 && slot_has(slot, (unsigned int)row))
			dump_add_value(text, slot, (unsigned int)row);
		else
			dump_add(text, "not set\n");
	}
	dump_add_rule(text, conflict);
}

API int mem_attrs_dump(const struct mem_attrs *attrs, char *text, size_t len)
{
	struct text out = { .to = text, .len = len };
	uint32_t i;

	if (!attrs_is(attrs) || (!text && len))
		return -EINVAL;
	if (len)
		*text = 0;
	switch (attrs->state) {
	case MEM_ATTRS_RECONCILED:
		dump_add_slot(&out, &attrs->slots[SLOT_RESULT], "");
		break;
	case MEM_ATTRS_CONFLICT:
		for (i = 0; i < attrs->nr_conflicts; i++)
			dump_add_conflict(&out, attrs, &attrs->conflicts[i]);
		break;
	default:
		for (i = 0; i < attrs->nr_slots; i++) {
			if (attrs->nr_slots > 1)
				dump_add(&out, "list %u:\n", i);
			dump_add_slot(&out, &attrs->slots[i],
				      attrs->nr_slots > 1 ? "  " : "");
		}
	}
	return (int)out.used;
}
