/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libmem: attribute lists, as the library's own files see them. Objects and
 * images need no more of it than the calls at the end.
 */
#ifndef _LIBMEM_ATTRS_ATTRS_H
#define _LIBMEM_ATTRS_ATTRS_H

#include "../internal.h"
#include "key.h"

/**
 * struct attrs_client - values of a client's keys
 * @len: bytes of each; 0: it is not set
 * @bytes: the values
 */
struct attrs_client {
	uint16_t len[MEM_ATTR_CLIENT_KEYS];
	uint8_t bytes[MEM_ATTR_CLIENT_KEYS][MEM_ATTR_CLIENT_LEN];
};

/**
 * struct attrs_slot - what one part of a program has set
 * @is_set: a bit for each row
 * @nr: elements of each value that is set
 * @values: those that are set; all else is 0
 * @client: the list's own; NULL: no client's key is set
 */
struct attrs_slot {
	uint64_t is_set;
	uint8_t nr[NR_ROWS];
	struct attrs_values values;
	struct attrs_client *client;
};

/**
 * enum attrs_rule - rules that values break
 * @RULE_NONE: none
 * @RULE_EQUAL: lists that set the key agree
 * @RULE_TYPES: a buffer has one type, or is image and tensor
 * @RULE_TOO_MANY: all lists together name more than a list can hold
 * @RULE_MANDATORY: a list sets the key
 * @RULE_COUNT: there are as many values as @arg says
 * @RULE_WITH_TENSOR: an image that is a tensor, too, is pitch-linear and has
 *	one plane
 * @RULE_ROWS_OF_TENSOR: a dimension of the tensor is the image's rows
 * @RULE_STRIDE: the stride is a multiple of the element, @arg bytes
 * @RULE_NO_ENGINE: the board has each engine that is named
 * @RULE_NO_GPU: the board has each GPU that is named
 * @RULE_OTHER_GPU: a value is for a GPU that accesses the buffer
 * @RULE_VIDMEM: only a discrete GPU has memory of its own
 * @RULE_VIDMEM_REACH: that GPU and the dma engine alone reach its memory
 * @RULE_LAYOUT: an engine takes the layout
 * @RULE_SWIZZLE: engines have the same block-linear layout
 * @RULE_MOST: an engine takes values up to @arg
 * @RULE_TOO_LARGE: sizes and alignments are at most @arg
 */
enum attrs_rule {
	RULE_NONE,
	RULE_EQUAL,
	RULE_TYPES,
	RULE_TOO_MANY,
	RULE_MANDATORY,
	RULE_COUNT,
	RULE_WITH_TENSOR,
	RULE_ROWS_OF_TENSOR,
	RULE_STRIDE,
	RULE_NO_ENGINE,
	RULE_NO_GPU,
	RULE_OTHER_GPU,
	RULE_VIDMEM,
	RULE_VIDMEM_REACH,
	RULE_LAYOUT,
	RULE_SWIZZLE,
	RULE_MOST,
	RULE_TOO_LARGE
};

/**
 * struct attrs_conflict - a rule that a key's value breaks
 * @key: enum mem_attr_key
 * @rule: enum attrs_rule
 * @engine: name of the engine whose rule it is; NULL: no engine's
 * @arg: of the rule
 */
struct attrs_conflict {
	uint32_t key;
	uint32_t rule;
	const char *engine;
	uint64_t arg;
};

/* A key breaks one rule at most: the first that is found. */
#define CONFLICTS_MAX	(NR_ROWS + MEM_ATTR_CLIENT_KEYS)

/**
 * struct attrs_conflicts - what a reconciliation has found
 * @nr: of @list
 * @rows: those that have one
 * @list: in the order in which they were found
 */
struct attrs_conflicts {
	uint32_t nr;
	uint64_t rows;
	struct attrs_conflict list[CONFLICTS_MAX];
};

/* Slots of a reconciled list */
enum {
	SLOT_RESULT,
	SLOT_INPUTS,	/* what lists had set, merged: it gives the result */
	NR_SLOTS
};

/**
 * struct mem_attrs - an attribute list
 * @ctx: its context, kept
 * @state: enum mem_attrs_state
 * @is_shared: a list that it was made of has been in another process
 * @nr_slots: of @slots
 * @nr_conflicts: of @conflicts
 * @conflicts: of a conflict list
 * @own_client: to be freed; NULL: the slots have none, or it is part of this
 *	allocation
 * @client_state: enum client_state: orders the two fields below
 * @client: a client's
 * @destroy: of @client
 * @slots: of a reconciled list SLOT_RESULT and SLOT_INPUTS, of a conflict list
 *	those of the lists that it was made of
 */
struct mem_attrs {
	struct mem_ctx *ctx;
	enum mem_attrs_state state;
	bool is_shared;
	uint32_t nr_slots;
	uint32_t nr_conflicts;
	struct attrs_conflict *conflicts;
	struct attrs_client *own_client;
	atomic_int client_state;
	void *client;
	void (*destroy)(void *client);
	struct attrs_slot slots[];
};

/* attrs.c */
struct mem_attrs *attrs_new(struct mem_ctx *ctx, enum mem_attrs_state state,
			    const struct attrs_slot *const *slots, size_t nr,
			    size_t nr_conflicts);
int attrs_collect(struct mem_attrs *const *lists, size_t nr_lists,
		  const struct attrs_slot **slots, size_t *nr_slots,
		  bool *is_shared);
int attrs_set_slot(struct mem_attrs *attrs, struct attrs_slot *slot,
		   const struct mem_attr *values, size_t nr_values);

static inline bool slot_has(const struct attrs_slot *slot, unsigned int row)
{
	return slot->is_set >> row & 1;
}

static inline void *slot_value(struct attrs_slot *slot, unsigned int row)
{
	return (char *)&slot->values + attrs_keys[row].off;
}

static inline const void *slot_value_of(const struct attrs_slot *slot,
					unsigned int row)
{
	return (const char *)&slot->values + attrs_keys[row].off;
}

static inline void slot_mark(struct attrs_slot *slot, unsigned int row,
			     size_t nr)
{
	slot->is_set |= 1ULL << row;
	slot->nr[row] = (uint8_t)nr;
}

static inline bool slot_has_client(const struct attrs_slot *slot,
				   unsigned int at)
{
	return slot->client && slot->client->len[at];
}

static inline bool slot_has_type(const struct attrs_slot *slot, uint32_t type)
{
	unsigned int i;

	for (i = 0; i < slot->nr[ROW_TYPES]; i++)
		if (slot->values.types[i] == type)
			return true;
	return false;
}

/* reconcile.c */
void attrs_conflict(struct attrs_conflicts *conflicts, uint32_t key,
		    enum attrs_rule rule, const char *engine, uint64_t arg);

enum attrs_rule attrs_add_gpu(struct attrs_slot *slot, const uint8_t *id);
int attrs_merge(struct mem_ctx *ctx, const struct attrs_slot *const *from,
		size_t nr, struct mem_attrs **reconciled,
		struct mem_attrs **conflict);

/* result.c */
void attrs_result(struct mem_ctx *ctx, const struct attrs_slot *inputs,
		  struct attrs_slot *result, struct attrs_conflicts *conflicts);

/* wire.c */
int attrs_pack(struct mem_attrs *const *lists, size_t nr_lists, void **bytes,
	       size_t *len);
int attrs_unpack(struct mem_ctx *ctx, const void *bytes, size_t len,
		 struct mem_attrs **attrs);

/* Of reconciled lists, for objects and images: attrs.c */
uint64_t attrs_len(const struct mem_attrs *attrs);
uint64_t attrs_align(const struct mem_attrs *attrs);
enum mem_kind attrs_kind(const struct mem_attrs *attrs, unsigned int *flags);
uint64_t attrs_engines(const struct mem_attrs *attrs);
uint32_t attrs_perm(const struct mem_attrs *attrs);
bool attrs_has_cpu_access(const struct mem_attrs *attrs);
bool attrs_needs_maintenance(const struct mem_attrs *attrs);
int attrs_with_perm(const struct mem_attrs *attrs, uint32_t perm,
		    struct mem_attrs **copy);

#endif
