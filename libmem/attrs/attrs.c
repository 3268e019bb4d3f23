// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: attribute lists: creating, setting, reading and copying them. A list
 * is one allocation (two if clients' keys are set later). It only changes by
 * mem_attrs_set() and mem_attrs_set_client().
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "attrs.h"
#include "constraint.h"

/* State of a list's client; CLIENT_SET: @client and @destroy are valid */
enum client_state {
	CLIENT_NONE,
	CLIENT_IS_BEING_SET,
	CLIENT_SET
};

static void attrs_copy_client(struct attrs_client *to,
			      const struct attrs_client *from)
{
	unsigned int i;

	memcpy(to->len, from->len, sizeof(to->len));
	for (i = 0; i < MEM_ATTR_CLIENT_KEYS; i++)
		memcpy(to->bytes[i], from->bytes[i], from->len[i]);
}

/* Returns true if a slot has the same client's values as the one before it. */
static bool attrs_shares_client(const struct attrs_slot *const *slots, size_t i)
{
	return i && slots[i]->client == slots[i - 1]->client;
}

static size_t attrs_nr_clients(const struct attrs_slot *const *slots, size_t nr)
{
	size_t i, nr_clients = 0;

	for (i = 0; i < nr; i++)
		nr_clients += slots[i]->client &&
			      !attrs_shares_client(slots, i);
	return nr_clients;
}

/**
 * attrs_new() - allocate a list
 * @ctx: context, kept by the list
 * @state: kind of list
 * @slots: slots; copied
 * @nr: number of @slots
 * @nr_conflicts: number of conflicts for which there is room
 *
 * Return: the list, or NULL if there is no memory.
 */
struct mem_attrs *attrs_new(struct mem_ctx *ctx, enum mem_attrs_state state,
			    const struct attrs_slot *const *slots, size_t nr,
			    size_t nr_conflicts)
{
	const size_t slots_len = nr * sizeof(**slots);
	const size_t conflicts_len =
		nr_conflicts * sizeof(struct attrs_conflict);
	struct attrs_client *client;
	struct mem_attrs *attrs;
	size_t i;

	attrs = malloc(sizeof(*attrs) + slots_len + conflicts_len +
		       attrs_nr_clients(slots, nr) * sizeof(*client));
	if (!attrs)
		return NULL;
	memset(attrs, 0, sizeof(*attrs));
	if (libmem_handle_add(&attrs->handle, LIBMEM_HANDLE_ATTRS)) {
		free(attrs);
		return NULL;
	}
	attrs->ctx = ctx_get(ctx);
	attrs->state = state;
	attrs->nr_slots = (uint32_t)nr;
	attrs->conflicts = (void *)&attrs->slots[nr];
	client = (void *)(attrs->conflicts + nr_conflicts);
	for (i = 0; i < nr; i++) {
		attrs->slots[i] = *slots[i];
		if (!slots[i]->client)
			continue;
		if (attrs_shares_client(slots, i)) {
			attrs->slots[i].client = attrs->slots[i - 1].client;
			continue;
		}
		attrs_copy_client(client, slots[i]->client);
		attrs->slots[i].client = client++;
	}
	return attrs;
}

API int mem_attrs_create(struct mem_ctx *ctx, struct mem_attrs **attrs)
{
	static const struct attrs_slot empty;
	const struct attrs_slot *slot = &empty;
	struct mem_attrs *new;
	int err;

	if (!ctx || !attrs)
		return -EINVAL;
	err = ctx_may_call(ctx);
	if (err)
		return err;
	new = attrs_new(ctx, MEM_ATTRS_UNRECONCILED, &slot, 1, 0);
	if (!new)
		return -ENOMEM;
	*attrs = new;
	return 0;
}

API void mem_attrs_destroy(struct mem_attrs *attrs)
{
	struct mem_ctx *ctx;

	if (!libmem_handle_put(attrs, LIBMEM_HANDLE_ATTRS))
		return;
	ctx = attrs->ctx;
	if (attrs->client && attrs->destroy)
		attrs->destroy(attrs->client);
	free(attrs->own_client);
	libmem_handle_free(&attrs->handle);
	ctx_put(ctx);
}

static int attrs_copy(const struct mem_attrs *attrs, struct mem_attrs **to)
{
	const struct attrs_slot **slots;
	struct mem_attrs *new;
	uint32_t i;

	slots = malloc(attrs->nr_slots * sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	for (i = 0; i < attrs->nr_slots; i++)
		slots[i] = &attrs->slots[i];
	new = attrs_new(attrs->ctx, attrs->state, slots, attrs->nr_slots, 0);
	free(slots);
	if (!new)
		return -ENOMEM;
	new->is_shared = attrs->is_shared;
	*to = new;
	return 0;
}

API int mem_attrs_clone(const struct mem_attrs *attrs,
			struct mem_attrs **clone)
{
	int err;

	if (!clone || !attrs_is(attrs) || attrs->state == MEM_ATTRS_CONFLICT)
		return -EINVAL;
	err = ctx_may_call(attrs->ctx);
	return err ? err : attrs_copy(attrs, clone);
}

/**
 * attrs_check() - check unreconciled lists that are used together
 * @lists: lists, as passed by a caller
 * @nr_lists: number of lists, as passed by a caller
 * @nr_slots: out: number of their slots
 *
 * Return: 0, or -EINVAL (a pointer is NULL, no lists, a list of another kind),
 * -EXDEV (lists of two contexts), -ENOMEM (more slots than any list can have),
 * or -EPERM of ctx_may_call().
 */
int attrs_check(struct mem_attrs *const *lists, size_t nr_lists,
		size_t *nr_slots)
{
	size_t i, nr = 0;

	if (!lists || !nr_lists)
		return -EINVAL;
	for (i = 0; i < nr_lists; i++) {
		if (!attrs_is(lists[i]) ||
		    lists[i]->state != MEM_ATTRS_UNRECONCILED)
			return -EINVAL;
		nr += lists[i]->nr_slots;
		if (nr > INT_MAX)
			return -ENOMEM;
	}
	for (i = 1; i < nr_lists; i++)
		if (lists[i]->ctx != lists[0]->ctx)
			return -EXDEV;
	*nr_slots = nr;
	return ctx_may_call(lists[0]->ctx);
}

/**
 * attrs_collect() - find the slots of unreconciled lists
 * @lists: lists, as passed by a caller
 * @nr_lists: number of lists, as passed by a caller
 * @slots: out: their slots; free(@slots->at)
 *
 * Return: 0, or as attrs_check(), or -ENOMEM.
 */
int attrs_collect(struct mem_attrs *const *lists, size_t nr_lists,
		  struct attrs_slots *slots)
{
	const struct attrs_slot **to;
	size_t i, nr;
	uint32_t k;
	int err;

	err = attrs_check(lists, nr_lists, &nr);
	if (err)
		return err;
	to = malloc(nr * sizeof(*to));
	if (!to)
		return -ENOMEM;
	*slots = (struct attrs_slots) { .at = to, .nr = nr };
	for (i = 0; i < nr_lists; i++) {
		for (k = 0; k < lists[i]->nr_slots; k++)
			*to++ = &lists[i]->slots[k];
		slots->is_shared |= lists[i]->is_shared;
	}
	return 0;
}

API int mem_attrs_append(struct mem_attrs *const *lists, size_t nr_lists,
			 struct mem_attrs **attrs)
{
	struct attrs_slots slots;
	struct mem_attrs *new;
	int err;

	if (!attrs)
		return -EINVAL;
	err = attrs_collect(lists, nr_lists, &slots);
	if (err)
		return err;
	new = attrs_new(lists[0]->ctx, MEM_ATTRS_UNRECONCILED, slots.at,
			slots.nr, 0);
	free(slots.at);
	if (!new)
		return -ENOMEM;
	new->is_shared = slots.is_shared;
	*attrs = new;
	return 0;
}

API int mem_attrs_state(const struct mem_attrs *attrs)
{
	return attrs_is(attrs) ? (int)attrs->state : -EINVAL;
}

API int mem_attrs_slots(const struct mem_attrs *attrs)
{
	if (!attrs_is(attrs))
		return -EINVAL;
	switch (attrs->state) {
	case MEM_ATTRS_RECONCILED:
		return 1;
	case MEM_ATTRS_CONFLICT:
		return 0;
	default:
		return (int)attrs->nr_slots;
	}
}

/* Setting values */

/**
 * struct setting - values to be set, while they are checked
 * @slot: slot that will hold them
 * @rows: bit for each row that has occurred so far
 * @client_keys: bit for each client's key that has occurred so far
 * @allowed: bit for each row that the slot's types permit
 */
struct setting {
	const struct attrs_slot *slot;
	uint64_t rows;
	uint32_t client_keys;
	uint64_t allowed;
};

static int attrs_check_client(struct setting *setting,
			      const struct mem_attr *attr)
{
	const unsigned int at = attr->key - MEM_ATTR_CLIENT;

	if (attr->len > MEM_ATTR_CLIENT_LEN)
		return -EINVAL;
	if (setting->client_keys >> at & 1 ||
	    slot_has_client(setting->slot, at))
		return -EEXIST;
	setting->client_keys |= 1U << at;
	return 0;
}

/* Checks an aligned copy, since the caller's bytes may be unaligned. */
static int attrs_check_value(const struct attrs_key *row,
			     const struct mem_attr *attr)
{
	uint8_t value[ATTRS_VALUE_MAX] __attribute__((aligned(8)));
	const size_t len = attrs_element_len(row);

	if (attr->len % len || attr->len / len > row->max)
		return -EINVAL;
	memcpy(value, attr->value, attr->len);
	return attrs_value_is_valid(row, value, attr->len / len) ? 0 : -EINVAL;
}

static int attrs_check_attr(struct setting *setting,
			    const struct mem_attr *attr)
{
	int row, err;

	if (attr->reserved || !attr->value || !attr->len)
		return -EINVAL;
	if (attrs_is_client(attr->key))
		return attrs_check_client(setting, attr);
	row = attrs_row_of(attr->key);
	if (row < 0 || attrs_keys[row].merge == MERGE_OUTPUT)
		return -EINVAL;
	if (!(setting->allowed >> row & 1))
		return -EINVAL;
	err = attrs_check_value(&attrs_keys[row], attr);
	if (err)
		return err;
	if ((setting->rows | setting->slot->is_set) >> row & 1)
		return -EEXIST;
	setting->rows |= 1ULL << row;
	return 0;
}

/* Returns the rows of the types that a slot has, or gets by the values. */
static uint64_t attrs_allowed_rows(const struct attrs_slot *slot,
				   const struct mem_attr *values,
				   size_t nr_values)
{
	uint64_t rows = attrs_rows_of(MEM_ATTR_TYPE_GENERAL);
	size_t i, k;

	for (i = 0; i < slot->nr[ROW_TYPES]; i++)
		rows |= attrs_rows_of(slot->values.types[i]);
	for (i = 0; i < nr_values; i++) {
		uint32_t types[ATTRS_TYPES_MAX];

		if (values[i].key != MEM_ATTR_TYPES || !values[i].value ||
		    values[i].len > sizeof(types))
			continue;
		memcpy(types, values[i].value, values[i].len);
		for (k = 0; k < values[i].len / sizeof(*types); k++)
			if (types[k] <= MEM_ATTR_TYPE_PYRAMID)
				rows |= attrs_rows_of(types[k]);
	}
	return rows;
}

static void attrs_slot_store(struct attrs_slot *slot,
			     const struct mem_attr *attr)
{
	const int row = attrs_row_of(attr->key);

	if (attrs_is_client(attr->key)) {
		const unsigned int at = attr->key - MEM_ATTR_CLIENT;

		slot->client->len[at] = (uint16_t)attr->len;
		memcpy(slot->client->bytes[at], attr->value, attr->len);
		return;
	}
	memcpy(slot_value(slot, (unsigned int)row), attr->value, attr->len);
	slot_mark(slot, (unsigned int)row,
		  attr->len / attrs_element_len(&attrs_keys[row]));
}

/**
 * attrs_set_slot() - set keys of a slot, all or none of them
 * @attrs: list of one slot; owns the memory for clients' keys
 * @slot: slot of @attrs
 * @values: values from a caller or from another process, not trusted
 * @nr_values: number of @values
 *
 * Return: 0, or -EINVAL, -EEXIST or -ENOMEM as mem_attrs_set() returns them.
 */
int attrs_set_slot(struct mem_attrs *attrs, struct attrs_slot *slot,
		   const struct mem_attr *values, size_t nr_values)
{
	struct setting setting = {
		.slot = slot,
		.allowed = attrs_allowed_rows(slot, values, nr_values),
	};
	size_t i;
	int err;

	for (i = 0; i < nr_values; i++) {
		err = attrs_check_attr(&setting, &values[i]);
		if (err)
			return err;
	}
	if (setting.client_keys && !slot->client) {
		slot->client = calloc(1, sizeof(*slot->client));
		if (!slot->client)
			return -ENOMEM;
		attrs->own_client = slot->client;
	}
	for (i = 0; i < nr_values; i++)
		attrs_slot_store(slot, &values[i]);
	return 0;
}

API int mem_attrs_set(struct mem_attrs *attrs, const struct mem_attr *values,
		      size_t nr_values)
{
	int err;

	if (!values || !nr_values || !attrs_is(attrs))
		return -EINVAL;
	err = ctx_may_call(attrs->ctx);
	if (err)
		return err;
	if (attrs->state != MEM_ATTRS_UNRECONCILED || attrs->nr_slots != 1)
		return -EPERM;
	return attrs_set_slot(attrs, attrs->slots, values, nr_values);
}

/* Reading values */

static void attrs_slot_look_up(const struct attrs_slot *slot,
			       struct mem_attr *attr)
{
	const int row = attrs_row_of(attr->key);

	attr->value = NULL;
	attr->len = 0;
	if (attrs_is_client(attr->key)) {
		const unsigned int at = attr->key - MEM_ATTR_CLIENT;

		if (!slot_has_client(slot, at))
			return;
		attr->value = slot->client->bytes[at];
		attr->len = slot->client->len[at];
	} else if (slot_has(slot, (unsigned int)row)) {
		attr->value = slot_value_of(slot, (unsigned int)row);
		attr->len = slot->nr[row] * attrs_element_len(&attrs_keys[row]);
	}
}

API int mem_attrs_get(const struct mem_attrs *attrs, unsigned int slot,
		      struct mem_attr *values, size_t nr_values)
{
	size_t i;

	if (!values || !nr_values || !attrs_is(attrs))
		return -EINVAL;
	if (attrs->state == MEM_ATTRS_CONFLICT)
		return -EPERM;
	if (slot >= (unsigned int)mem_attrs_slots(attrs))
		return -EINVAL;
	for (i = 0; i < nr_values; i++)
		if (!attrs_is_client(values[i].key) &&
		    attrs_row_of(values[i].key) < 0)
			return -EINVAL;
	for (i = 0; i < nr_values; i++)
		attrs_slot_look_up(&attrs->slots[slot], &values[i]);
	return 0;
}

/* A client's own data, attached to a list */

API int mem_attrs_set_client(const struct mem_attrs *attrs, void *client,
			     void (*destroy)(void *client))
{
	/* The client's data is not part of the list's value, so const holds. */
	struct mem_attrs *list = (struct mem_attrs *)attrs;
	int none = CLIENT_NONE;

	if (!client || !attrs_is(attrs))
		return -EINVAL;
	if (!atomic_compare_exchange_strong(&list->client_state, &none,
					    CLIENT_IS_BEING_SET))
		return -EEXIST;
	list->client = client;
	list->destroy = destroy;
	atomic_store(&list->client_state, CLIENT_SET);
	return 0;
}

API void *mem_attrs_client(const struct mem_attrs *attrs)
{
	if (!attrs_is(attrs) || atomic_load(&attrs->client_state) != CLIENT_SET)
		return NULL;
	return attrs->client;
}

/* Accessors of reconciled lists, for objects and images */

static const struct attrs_values *attrs_result_of(const struct mem_attrs *attrs)
{
	return &attrs->slots[SLOT_RESULT].values;
}

static uint64_t attrs_larger(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

/**
 * attrs_len() - return the length of a list's buffer
 * @attrs: reconciled list
 *
 * Return: bytes, above 0.
 */
uint64_t attrs_len(const struct mem_attrs *attrs)
{
	const struct attrs_values *v = attrs_result_of(attrs);

	/* Sizes of other types are 0. A pyramid also has an image's size. */
	if (v->pyramid.size)
		return v->pyramid.size;
	return attrs_larger(attrs_larger(v->raw.size, v->array.size),
			    attrs_larger(v->image.size, v->tensor.size));
}

/**
 * attrs_align() - return the alignment of a list's buffer
 * @attrs: reconciled list
 *
 * Return: a power of two.
 */
uint64_t attrs_align(const struct mem_attrs *attrs)
{
	const struct attrs_values *v = attrs_result_of(attrs);

	return attrs_larger(attrs_larger(v->raw.align, v->array.align),
			    attrs_larger(v->image.align, v->tensor.base_align));
}

/**
 * attrs_engines() - return the engines that access a list's buffer
 * @attrs: reconciled list
 *
 * Return: bits of MEM_ATTR_ENGINES, including those of GPUs named by id.
 */
uint64_t attrs_engines(const struct mem_attrs *attrs)
{
	return constraint_engines(attrs->ctx, &attrs->slots[SLOT_RESULT]);
}

/**
 * attrs_perm() - return the permission for a list's buffer
 * @attrs: reconciled list
 *
 * Return: MEM_READ or MEM_RW.
 */
uint32_t attrs_perm(const struct mem_attrs *attrs)
{
	return attrs_result_of(attrs)->actual_perm;
}

/**
 * attrs_has_cpu_access() - check whether the CPU accesses a list's buffer
 * @attrs: reconciled list
 *
 * Return: true if it does.
 */
bool attrs_has_cpu_access(const struct mem_attrs *attrs)
{
	return attrs_result_of(attrs)->need_cpu_access;
}

/**
 * attrs_needs_maintenance() - check whether a buffer needs cache maintenance
 * @attrs: reconciled list
 *
 * Return: value of MEM_ATTR_CPU_COHERENCY.
 */
bool attrs_needs_maintenance(const struct mem_attrs *attrs)
{
	return attrs_result_of(attrs)->cpu_coherency;
}

/**
 * attrs_kind() - return the kind of memory for a list's buffer
 * @attrs: reconciled list
 * @flags: out: MEM_DEVICE_DISCRETE with MEM_KIND_DEVICE, else 0
 *
 * Caching only matters if the CPU has access. Over the module, engines that run
 * kernels cannot access memory with two views, so such a buffer is uncached.
 *
 * Return: MEM_KIND_NONCOHERENT, MEM_KIND_COHERENT or MEM_KIND_UNCACHED for
 * mem_buf_alloc(), or MEM_KIND_DEVICE for mem_alloc().
 */
enum mem_kind attrs_kind(const struct mem_attrs *attrs, unsigned int *flags)
{
	const struct attrs_values *v = attrs_result_of(attrs);
	const bool runs_kernels = attrs_engines(attrs) & ~MEM_ATTR_ENGINE_DMA;

	*flags = 0;
	if (slot_has(&attrs->slots[SLOT_RESULT], ROW_VIDMEM_GPU_ID)) {
		*flags = MEM_DEVICE_DISCRETE;
		return MEM_KIND_DEVICE;
	}
	if (constraint_is_coherent(attrs->ctx))
		return MEM_KIND_COHERENT;
	if (!v->need_cpu_access || !v->cpu_cache)
		return MEM_KIND_UNCACHED;
	if (runs_kernels && attrs->ctx->backend->id == MEM_BACKEND_KERNEL)
		return MEM_KIND_UNCACHED;
	return MEM_KIND_NONCOHERENT;
}

/**
 * attrs_with_perm() - copy a list with another permission
 * @attrs: reconciled list
 * @perm: MEM_READ or MEM_RW
 * @copy_of: out: the copy, owned by the caller: mem_attrs_destroy()
 *
 * Return: 0 or -ENOMEM.
 */
int attrs_with_perm(const struct mem_attrs *attrs, uint32_t perm,
		    struct mem_attrs **copy_of)
{
	struct mem_attrs *new;
	int err;

	err = attrs_copy(attrs, &new);
	if (err)
		return err;
	new->slots[SLOT_RESULT].values.actual_perm = perm;
	*copy_of = new;
	return 0;
}
