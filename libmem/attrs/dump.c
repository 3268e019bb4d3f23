// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: attribute lists as text, for people: a line a key. A conflict list
 * has for each key that conflicts the values of all lists and the rule that
 * failed.
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
 * struct text - text that may be longer than the room for it
 * @to: room
 * @len: bytes of @to
 * @used: bytes of the whole text so far
 */
struct text {
	char *to;
	size_t len;
	size_t used;
};

__attribute__((format(printf, 2, 3)))
static void add(struct text *text, const char *format, ...)
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

static void add_bytes(struct text *text, const uint8_t *bytes, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		add(text, "%02x", bytes[i]);
}

/* As uuidgen(1) prints it */
static void add_gpu(struct text *text, const uint8_t *id)
{
	static const uint8_t parts[] = { 4, 2, 2, 2, 6 };
	size_t i;

	for (i = 0; i < sizeof(parts); i++) {
		if (i)
			add(text, "-");
		add_bytes(text, id, parts[i]);
		id += parts[i];
	}
}

static void add_fourcc(struct text *text, uint32_t fourcc)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		add(text, "%c", (char)(fourcc >> 8 * i));
}

static void add_engines(struct text *text, uint64_t engines)
{
	const char *between = "";
	unsigned int at;

	if (!engines)
		add(text, "none");
	for (at = 0; engines >> at; at++) {
		if (!(engines >> at & 1))
			continue;
		add(text, "%s%s", between, constraint_name(at));
		between = " ";
	}
}

static void add_number(struct text *text, const struct attrs_key *row,
		       uint64_t number)
{
	switch (row->text) {
	case TEXT_HEX:
		add(text, "0x%" PRIx64, number);
		break;
	case TEXT_FOURCC:
		add_fourcc(text, (uint32_t)number);
		break;
	case TEXT_ENGINES:
		add_engines(text, number);
		break;
	case TEXT_WORDS:
		add(text, "%s", row->words[number]);
		break;
	default:
		add(text, "%" PRIu64, number);
	}
}

static void add_element(struct text *text, const struct attrs_key *row,
			const void *value, unsigned int i)
{
	const struct mem_attr_gpu_value *of_gpu = value;

	switch (row->element) {
	case ELEMENT_U8:
		add_number(text, row, ((const uint8_t *)value)[i]);
		break;
	case ELEMENT_U32:
		add_number(text, row, ((const uint32_t *)value)[i]);
		break;
	case ELEMENT_U64:
		add_number(text, row, ((const uint64_t *)value)[i]);
		break;
	case ELEMENT_FLOAT:
		add(text, "%.9g", (double)((const float *)value)[i]);
		break;
	case ELEMENT_GPU_ID:
		add_gpu(text, (const uint8_t *)value + i * MEM_GPU_ID_LEN);
		break;
	default:
		add_gpu(text, of_gpu[i].gpu_id);
		add(text, "=");
		add_number(text, row, of_gpu[i].value);
	}
}

static void add_value(struct text *text, const struct attrs_slot *slot,
		      unsigned int row)
{
	unsigned int i;

	for (i = 0; i < slot->nr[row]; i++) {
		if (i)
			add(text, ", ");
		add_element(text, &attrs_keys[row], slot_value_of(slot, row),
			    i);
	}
	add(text, "\n");
}

static void add_client(struct text *text, const struct attrs_slot *slot,
		       unsigned int at)
{
	add_bytes(text, slot->client->bytes[at], slot->client->len[at]);
	add(text, "\n");
}

static bool has_client(const struct attrs_slot *slot, unsigned int at)
{
	return slot->client && slot->client->len[at];
}

static void add_slot(struct text *text, const struct attrs_slot *slot,
		     const char *indent)
{
	unsigned int i;

	for (i = 0; i < NR_ROWS; i++) {
		if (!slot_has(slot, i))
			continue;
		add(text, "%s%s: ", indent, attrs_keys[i].name);
		add_value(text, slot, i);
	}
	for (i = 0; i < MEM_ATTR_CLIENT_KEYS; i++) {
		if (!has_client(slot, i))
			continue;
		add(text, "%sclient %u: ", indent, i);
		add_client(text, slot, i);
	}
}

/* Rules with an engine's name and a number have room for both. */
static void add_rule(struct text *text, const struct attrs_conflict *conflict)
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

	add(text, "  rule: ");
	switch (conflict->rule) {
	case RULE_COUNT:
		add(text, "it must have %" PRIu64 " values", conflict->arg);
		break;
	case RULE_STRIDE:
		add(text, "it must be a multiple of %" PRIu64, conflict->arg);
		break;
	case RULE_NO_ENGINE:
		add(text, "the board has no %s", conflict->engine);
		break;
	case RULE_LAYOUT:
		add(text, "the %s takes no such layout", conflict->engine);
		break;
	case RULE_SWIZZLE:
		add(text,
		    "the %s places block-linear pixels in a way of its own",
		    conflict->engine);
		break;
	case RULE_MOST:
		add(text, "the %s takes at most %" PRIu64, conflict->engine,
		    conflict->arg);
		break;
	case RULE_TOO_LARGE:
		add(text, "what it comes to must be at most %" PRIu64,
		    conflict->arg);
		break;
	default:
		add(text, "%s", rules[conflict->rule]);
	}
	add(text, "\n");
}

static void add_conflict(struct text *text, const struct mem_attrs *attrs,
			 const struct attrs_conflict *conflict)
{
	const unsigned int client = conflict->key - MEM_ATTR_CLIENT;
	const int row = attrs_row_of(conflict->key);
	uint32_t i;

	if (row < 0)
		add(text, "client %u: conflict\n", client);
	else
		add(text, "%s: conflict\n", attrs_keys[row].name);
	for (i = 0; i < attrs->nr_slots; i++) {
		const struct attrs_slot *slot = &attrs->slots[i];

		add(text, "  list %u: ", i);
		if (row < 0 && has_client(slot, client))
			add_client(text, slot, client);
		else if (row >= 0 && slot_has(slot, (unsigned int)row))
			add_value(text, slot, (unsigned int)row);
		else
			add(text, "not set\n");
	}
	add_rule(text, conflict);
}

API int mem_attrs_dump(const struct mem_attrs *attrs, char *text, size_t len)
{
	struct text out = { .to = text, .len = len };
	uint32_t i;

	if (!attrs || (!text && len))
		return -EINVAL;
	if (len)
		*text = 0;
	switch (attrs->state) {
	case MEM_ATTRS_RECONCILED:
		add_slot(&out, &attrs->slots[SLOT_RESULT], "");
		break;
	case MEM_ATTRS_CONFLICT:
		for (i = 0; i < attrs->nr_conflicts; i++)
			add_conflict(&out, attrs, &attrs->conflicts[i]);
		break;
	default:
		for (i = 0; i < attrs->nr_slots; i++) {
			if (attrs->nr_slots > 1)
				add(&out, "list %u:\n", i);
			add_slot(&out, &attrs->slots[i],
				 attrs->nr_slots > 1 ? "  " : "");
		}
	}
	return (int)out.used;
}
