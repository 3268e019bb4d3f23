/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libmem: internals of attribute lists. Objects and images only need the
 * functions at the end.
 */
#ifndef _LIBMEM_ATTRS_ATTRS_H
#define _LIBMEM_ATTRS_ATTRS_H

#include "../compat.h"
#include "../internal.h"
#include "key.h"

/**
 * struct attrs_client - values of a client's keys
 * @len: bytes of each value; 0: not set
 * @bytes: values
 */
struct attrs_client {
	uint16_t len[MEM_ATTR_CLIENT_KEYS];
	uint8_t bytes[MEM_ATTR_CLIENT_KEYS][MEM_ATTR_CLIENT_LEN];
};

/**
 * struct attrs_slot - values set by one part of a program
 * @is_set: a bit for each row
 * @nr: number of elements of each value
 * @values: values that are set; others are 0
 * @client: values of clients' keys, owned by the list; NULL: none is set
 */
struct attrs_slot {
	uint64_t is_set;
	uint8_t nr[NR_ROWS];
	struct attrs_values values;
	struct attrs_client *client;
};

/**
 * enum attrs_rule - rules that a key's value can break
 * @RULE_NONE: no rule is broken
 * @RULE_EQUAL: lists that set the key must agree
 * @RULE_TYPES: a buffer must have one type, or be image and tensor
 * @RULE_TOO_MANY: the lists together must not name more than a list can hold
 * @RULE_MANDATORY: a list must set the key
 * @RULE_COUNT: there must be @arg values
 * @RULE_WITH_TENSOR: an image that is also a tensor must be pitch-linear and
 *	have one plane
 * @RULE_ROWS_OF_TENSOR: a dimension of the tensor must be the image's rows
 * @RULE_STRIDE: the stride must be a multiple of the element, @arg bytes
 * @RULE_NO_ENGINE: the board must have each engine that is named
 * @RULE_NO_GPU: the board must have each GPU that is named
 * @RULE_OTHER_GPU: a value must be for a GPU that accesses the buffer
 * @RULE_VIDMEM: only a discrete GPU has memory of its own
 * @RULE_VIDMEM_REACH: only that GPU and the dma engine can access its memory
 * @RULE_LAYOUT: each engine must support the layout
 * @RULE_SWIZZLE: all engines must have the same block-linear layout
 * @RULE_MOST: an engine supports values up to @arg
 * @RULE_TOO_LARGE: sizes and alignments must be at most @arg
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
 * @engine: name of the engine whose rule it is; NULL: a rule of no engine
 * @arg: number in the rule
 */
struct attrs_conflict {
	uint32_t key;
	uint32_t rule;
	const char *engine;
	uint64_t arg;
};

/* Only the first rule that a key breaks is recorded. */
#define CONFLICTS_MAX	(NR_ROWS + MEM_ATTR_CLIENT_KEYS)

/**
 * struct attrs_conflicts - conflicts found by a reconciliation
 * @nr: number of conflicts
 * @rows: bit for each row with a conflict
 * @list: conflicts, in the order in which they were found
 */
struct attrs_conflicts {
	uint32_t nr;
	uint64_t rows;
	struct attrs_conflict list[CONFLICTS_MAX];
};

/* Slots of a reconciled list */
enum {
	SLOT_RESULT,
	SLOT_INPUTS,	/* merged values of the lists */
	NR_SLOTS
};

/**
 * struct mem_attrs - an attribute list
 * @handle: the list's address is its handle
 * @ctx: context; the list holds a reference
 * @state: enum mem_attrs_state
 * @is_shared: another process has had a list from which this one was made
 * @nr_slots: number of @slots
 * @nr_conflicts: number of @conflicts
 * @conflicts: conflicts of a conflict list
 * @own_client: separate allocation of clients' keys; NULL: there are no such
 *	keys, or they are part of this allocation
 * @client_state: enum client_state: protects @client and @destroy
 * @client: data of a client
 * @destroy: destroys @client
 * @slots: SLOT_RESULT and SLOT_INPUTS of a reconciled list; of a conflict list,
 *	the slots of the lists that conflict
 */
struct mem_attrs {
	struct libmem_handle handle;
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

/**
 * struct attrs_slots - slots of several lists
 * @at: slots, which belong to the lists; the caller frees the array
 * @nr: number of @at
 * @is_shared: another process has had one of the lists
 */
struct attrs_slots {
	const struct attrs_slot **at;
	size_t nr;
	bool is_shared;
};

/* attrs.c */
struct mem_attrs *attrs_new(struct mem_ctx *ctx, enum mem_attrs_state state,
			    const struct attrs_slot *const *slots, size_t nr,
			    size_t nr_conflicts);
int attrs_check(struct mem_attrs *const *lists, size_t nr_lists,
		size_t *nr_slots);
int attrs_collect(struct mem_attrs *const *lists, size_t nr_lists,
		  struct attrs_slots *slots);
int attrs_set_slot(struct mem_attrs *attrs, struct attrs_slot *slot,
		   const struct mem_attr *values, size_t nr_values);

/* Returns true if a caller's pointer is a list; see libmem_handle_is(). */
static inline bool attrs_is(const struct mem_attrs *attrs)
{
	return libmem_handle_is(attrs, LIBMEM_HANDLE_ATTRS);
}

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

/* Accessors of reconciled lists, for objects and images: attrs.c */
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
