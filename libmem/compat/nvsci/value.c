// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * NvSciBuf: conversion of values from the vendor's types to libmem's when they
 * are set, and back when they are read. What a program reads is valid as long
 * as the list exists: where the types differ, the list keeps the converted
 * value. One lock protects the converted values of all lists; it is not held
 * while waiting.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../sync.h"
#include "key.h"

_Static_assert((int)NR_KEPT <= (int)SYNC_NEED_CPU,
	       "keys of NvSciBuf and of NvSciSync are different");

/**
 * struct nvsci_value - a converted value
 * @next: value converted before it
 * @key: row of the key
 * @slot: slot of the list
 * @len: number of @bytes
 * @bytes: value in the vendor's type
 */
struct nvsci_value {
	struct nvsci_value *next;
	const struct nvsci_key *key;
	unsigned int slot;
	size_t len;
	uint8_t bytes[] __attribute__((aligned(8)));
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/**
 * nvsci_list_drop_values() - free a list's converted values
 * @list: list that is being destroyed
 */
void nvsci_list_drop_values(struct nvsci_list *list)
{
	while (list->values) {
		struct nvsci_value *value = list->values;

		list->values = value->next;
		free(value);
	}
}

/* Setting */

static void values_refer(struct nvsci_values *values, uint32_t key,
			 const void *value, size_t len)
{
	values->attrs[values->nr++] = (struct mem_attr) {
		.key = key,
		.value = value,
		.len = len,
	};
}

/**
 * nvsci_values_add() - add a key of libmem with a copied value
 * @values: has room for two keys of libmem for each of the vendor's
 * @key: key of libmem
 * @value: value; copied
 * @len: bytes
 *
 * Return: the copy.
 */
void *nvsci_values_add(struct nvsci_values *values, uint32_t key,
		       const void *value, size_t len)
{
	uint8_t *copy = values->bytes + values->used;

	memcpy(copy, value, len);
	values->used += (len + 7) & ~(size_t)7;
	values_refer(values, key, copy, len);
	return copy;
}

static uint32_t value_number_at(const void *value, size_t i)
{
	uint32_t number;

	memcpy(&number, (const uint8_t *)value + i * sizeof(number),
	       sizeof(number));
	return number;
}

static NvSciError value_gpu_bools_in(struct nvsci_values *values,
				     const struct nvsci_key *key,
				     const void *value, size_t nr)
{
	struct mem_attr_gpu_value to[16] = { 0 };
	size_t i;

	for (i = 0; i < nr; i++) {
		const uint8_t *from = (const uint8_t *)value + i * key->len;
		uint8_t number;

		memcpy(&number, from + offsetof(NvSciBufAttrValGpuCache,
						cacheability), 1);
		if (number > 1)
			return NvSciError_BadParameter;
		memcpy(to[i].gpu_id, from, sizeof(to[i].gpu_id));
		to[i].value = number;
	}
	nvsci_values_add(values, key->mem, to, nr * sizeof(*to));
	return NvSciError_Success;
}

static NvSciError value_compression_in(struct nvsci_values *values,
				       const struct nvsci_key *key,
				       const void *value, size_t nr)
{
	struct mem_attr_gpu_value to[16];
	size_t i;

	_Static_assert(sizeof(NvSciBufAttrValGpuCompression) ==
		       sizeof(struct mem_attr_gpu_value) &&
		       (int)NvSciBufCompressionType_None ==
		       (int)MEM_COMPRESSION_NONE &&
		       (int)NvSciBufCompressionType_GenericCompressible ==
		       (int)MEM_COMPRESSION_MAY, "the same bytes");
	memcpy(to, value, nr * sizeof(*to));
	for (i = 0; i < nr; i++)
		if (to[i].value != MEM_COMPRESSION_MAY)
			return NvSciError_BadParameter;
	nvsci_values_add(values, key->mem, to, nr * sizeof(*to));
	return NvSciError_Success;
}

static NvSciError value_data_type_in(struct nvsci_values *values,
				     const struct nvsci_key *key,
				     uint32_t number)
{
	int mem;

	if (number >= NvSciDataType_UpperBound)
		return NvSciError_BadParameter;
	mem = nvsci_mem_data_type(number);
	if (mem < 0)
		return nvsci_missing("NvSciDataType_Int4, Uint4, FloatISP");
	nvsci_values_add(values, key->mem, &mem, sizeof(mem));
	return NvSciError_Success;
}

static NvSciError value_colors_in(struct nvsci_values *values,
				  const struct nvsci_key *key,
				  const void *value, size_t nr)
{
	uint32_t to[NV_SCI_BUF_IMAGE_MAX_PLANES];
	size_t i;

	for (i = 0; i < nr; i++) {
		to[i] = nvsci_fourcc(value_number_at(value, i));
		if (!to[i])
			return NvSciError_BadParameter;
	}
	nvsci_values_add(values, key->mem, to, nr * sizeof(*to));
	values_refer(values, MEM_ATTR_CLIENT + KEPT_COLOR, value,
		     nr * sizeof(*to));
	return NvSciError_Success;
}

static NvSciError value_stds_in(struct nvsci_values *values,
				const struct nvsci_key *key, const void *value,
				size_t nr)
{
	uint32_t to[NV_SCI_BUF_IMAGE_MAX_PLANES];
	size_t i;

	for (i = 0; i < nr; i++) {
		const int mem = nvsci_mem_std(value_number_at(value, i));

		if (mem < 0)
			return NvSciError_BadParameter;
		to[i] = (uint32_t)mem;
	}
	nvsci_values_add(values, key->mem, to, nr * sizeof(*to));
	values_refer(values, MEM_ATTR_CLIENT + KEPT_STD, value,
		     nr * sizeof(*to));
	return NvSciError_Success;
}

/* Values that the vendor does not support, either */
static bool value_surface_is_missing(uint32_t key, uint32_t number)
{
	switch (key) {
	case NvSciBufImageAttrKey_SurfType:
		return number != NvSciSurfType_YUV;
	case NvSciBufImageAttrKey_SurfMemLayout:
		return number == NvSciSurfMemLayout_Packed;
	default:
		return false;
	}
}

static NvSciError value_number_in(struct nvsci_values *values,
				  const struct nvsci_key *key,
				  const void *value)
{
	const uint32_t number = value_number_at(value, 0);

	if (key->limit && number >= key->limit)
		return NvSciError_BadParameter;
	if (key->as == AS_SURFACE && value_surface_is_missing(key->key, number))
		return nvsci_missing(key->name);
	values_refer(values, key->mem, value, key->len);
	return NvSciError_Success;
}

static NvSciError value_align_in(struct nvsci_values *values,
				 const struct nvsci_key *key, const void *value)
{
	uint64_t align;

	memcpy(&align, value, sizeof(align));
	if (align & (align - 1))
		return NvSciError_BadParameter;
	if (!align)
		align = 1;
	nvsci_values_add(values, key->mem, &align, sizeof(align));
	return NvSciError_Success;
}

static NvSciError value_in(struct nvsci_values *values,
			   const struct nvsci_key *key, const void *value)
{
	uint64_t number;

	memcpy(&number, value, sizeof(number));
	if (number != 1)
		return NvSciError_BadParameter;
	values_refer(values, key->mem, value, sizeof(number));
	return NvSciError_Success;
}

/**
 * nvsci_value_in() - add a key that is to be set
 * @values: has room for all keys, once each
 * @key: row of the key
 * @value: the program's value; valid until the keys are set
 * @len: bytes
 *
 * Values that libmem checks are not checked here.
 *
 * Return: NvSciError_Success, NvSciError_BadParameter or
 * NvSciError_NotSupported.
 */
NvSciError nvsci_value_in(struct nvsci_values *values,
			  const struct nvsci_key *key, const void *value,
			  size_t len)
{
	const size_t nr = len / key->len;

	if (!value || !len || len % key->len || nr > key->max ||
	    key->access == ACCESS_OUTPUT)
		return NvSciError_BadParameter;
	switch (key->as) {
	case AS_ALIGN:
		return value_align_in(values, key, value);
	case AS_GPU_BOOL:
		return value_gpu_bools_in(values, key, value, nr);
	case AS_COMPRESSION:
		return value_compression_in(values, key, value, nr);
	case AS_DATA_TYPE:
		return value_data_type_in(values, key,
					  value_number_at(value, 0));
	case AS_COLOR:
		return value_colors_in(values, key, value, nr);
	case AS_STD:
		return value_stds_in(values, key, value, nr);
	case AS_SURFACE:
	case AS_KEPT:
		return value_number_in(values, key, value);
	case AS_ONE:
		return value_in(values, key, value);
	case AS_FALSE:
		if (*(const uint8_t *)value > 1)
			return NvSciError_BadParameter;
		if (*(const uint8_t *)value)
			return nvsci_missing(key->name);
		values_refer(values, key->mem, value, len);
		return NvSciError_Success;
	case AS_MISSING:
		return nvsci_missing(key->name);
	default:
		values_refer(values, key->mem, value, len);
		return NvSciError_Success;
	}
}

/* Keys that another process has kept */

/* Returns true if libmem's key has the value that is first in @values. */
static bool value_is_made_of(const struct mem_attrs *attrs, unsigned int slot,
			     const struct nvsci_values *values)
{
	const struct mem_attr *attr = values->attrs;
	const void *value;
	size_t len;

	value = nvsci_get(attrs, slot, attr->key, &len);
	return value && len == attr->len && !memcmp(value, attr->value, len);
}

static bool value_is_valid(const struct mem_attrs *attrs, unsigned int slot,
			   unsigned int kept)
{
	const struct nvsci_key *key = nvsci_key_kept(kept);
	struct nvsci_values values;
	const void *value, *types;
	size_t len, types_len = 0;

	value = nvsci_get(attrs, slot, MEM_ATTR_CLIENT + kept, &len);
	if (!value || (!key && kept < NR_KEPT))
		return true;
	if (!key)
		return false;
	types = nvsci_get(attrs, slot, MEM_ATTR_TYPES, &types_len);
	if (!nvsci_key_is_of_types(key, types, types_len))
		return false;
	values.nr = 0;
	values.used = 0;
	if (nvsci_value_in(&values, key, value, len))
		return false;
	return (key->as != AS_COLOR && key->as != AS_STD) ||
	       value_is_made_of(attrs, slot, &values);
}

/**
 * nvsci_kept_is_valid() - check the clients' keys of a list
 * @attrs: list received from another process
 *
 * libmem has checked its own keys, but not clients' keys, which are bytes to
 * it.
 *
 * Return: true if the values could have been set here; false for a list of
 * NvSciSync, whose keys follow NvSciBuf's.
 */
bool nvsci_kept_is_valid(const struct mem_attrs *attrs)
{
	unsigned int kept;
	int slot;

	for (slot = 0; slot < mem_attrs_slots(attrs); slot++)
		for (kept = 0; kept < MEM_ATTR_CLIENT_KEYS; kept++)
			if (!value_is_valid(attrs, (unsigned int)slot, kept))
				return false;
	return true;
}

/* Reading */

/**
 * struct reading - a value that is read
 * @attrs: list
 * @slot: slot of the list
 * @key: row of the key
 * @is_reconciled: the list is reconciled
 * @nr: number of elements; 0: not set
 * @bytes: value in the vendor's type
 */
struct reading {
	const struct mem_attrs *attrs;
	unsigned int slot;
	const struct nvsci_key *key;
	bool is_reconciled;
	size_t nr;
	uint8_t bytes[NVSCI_VALUE_MAX] __attribute__((aligned(8)));
};

static const void *reading_get(const struct reading *reading, uint32_t key,
			       size_t *len)
{
	return nvsci_get(reading->attrs, reading->slot, key, len);
}

static bool reading_is_of_type(const struct reading *reading)
{
	const void *types;
	size_t len = 0;

	types = reading_get(reading, MEM_ATTR_TYPES, &len);
	return nvsci_key_is_of_types(reading->key, types, len);
}

static size_t reading_nr_planes(const struct reading *reading)
{
	const uint32_t *nr = reading_get(reading, MEM_ATTR_IMAGE_PLANE_COUNT,
					 NULL);

	return nr ? *nr : 0;
}

static void reading_put(struct reading *reading, uint64_t number)
{
	memcpy(reading->bytes + reading->nr * reading->key->len, &number,
	       reading->key->len);
	reading->nr++;
}

static void reading_fallback(struct reading *reading)
{
	const struct nvsci_key *key = reading->key;
	size_t nr = key->as == AS_PADDING ? reading_nr_planes(reading) : 1;

	if (!key->has_fallback || !reading->is_reconciled ||
	    !reading_is_of_type(reading))
		return;
	while (nr--)
		reading_put(reading, key->fallback);
}

static void reading_gpu_bools(struct reading *reading, const void *value,
			      size_t len)
{
	const struct mem_attr_gpu_value *from = value;
	size_t i;

	for (i = 0; i < len / sizeof(*from); i++) {
		NvSciBufAttrValGpuCache to = { .cacheability = from[i].value };

		memcpy(to.gpuId.bytes, from[i].gpu_id, sizeof(to.gpuId.bytes));
		memcpy(reading->bytes + i * sizeof(to), &to, sizeof(to));
	}
	reading->nr = i;
}

static void reading_align(struct reading *reading, const void *value)
{
	const struct nvsci_list *list = nvsci_list(reading->attrs);
	bool is_0 = list && list->is_align_0;

	if (reading->is_reconciled)
		is_0 = reading_get(reading, MEM_ATTR_CLIENT + KEPT_ALIGN_0,
				   NULL);
	reading_put(reading, is_0 ? 0 : *(const uint64_t *)value);
}

/*
 * Reads the values that were set; converts libmem's if there are none, as in an
 * object of another vendor layer.
 */
static void reading_numbers(struct reading *reading, uint32_t kept,
			    uint32_t mem, int (*turn)(uint32_t number))
{
	size_t i, len;
	const uint32_t *numbers = reading_get(reading, MEM_ATTR_CLIENT + kept,
					      &len);

	if (numbers) {
		memcpy(reading->bytes, numbers, len);
		reading->nr = len / sizeof(*numbers);
		return;
	}
	numbers = reading_get(reading, mem, &len);
	for (i = 0; numbers && i < len / sizeof(*numbers); i++) {
		const int number = turn(numbers[i]);

		if (number < 0) {
			reading->nr = 0;
			return;
		}
		reading_put(reading, (uint64_t)number);
	}
}

static int reading_turn_color(uint32_t fourcc)
{
	const uint32_t color = nvsci_color(fourcc);

	return color == NvSciColor_LowerBound ? -1 : (int)color;
}

static void reading_plane_data_types(struct reading *reading)
{
	uint32_t color;
	size_t i;

	reading_numbers(reading, KEPT_COLOR, MEM_ATTR_IMAGE_PLANE_FORMAT,
			reading_turn_color);
	for (i = 0; i < reading->nr; i++) {
		color = nvsci_color_data_type(value_number_at(reading->bytes,
							      i));
		memcpy(reading->bytes + i * sizeof(color), &color,
		       sizeof(color));
	}
}

/* The second field follows the first. */
static void reading_second_fields(struct reading *reading)
{
	const uint32_t *scan = reading_get(reading, MEM_ATTR_IMAGE_SCAN, NULL);
	const uint64_t *lens;
	size_t i, len;

	lens = reading_get(reading, MEM_ATTR_IMAGE_PLANE_ALIGNED_SIZE, &len);
	for (i = 0; lens && i < len / sizeof(*lens); i++)
		reading_put(reading, scan && *scan == MEM_SCAN_INTERLACE ?
			    lens[i] / 2 : 0);
}

static void reading_value(struct reading *reading)
{
	const struct nvsci_key *key = reading->key;
	const void *value = NULL;
	size_t len = 0;

	if (key->mem)
		value = reading_get(reading, key->mem, &len);
	switch (key->as) {
	case AS_COLOR:
		reading_numbers(reading, KEPT_COLOR, key->mem,
				reading_turn_color);
		break;
	case AS_STD:
		reading_numbers(reading, KEPT_STD, key->mem, nvsci_std);
		break;
	case AS_DATA_TYPE:
		reading_numbers(reading, NR_KEPT, key->mem, nvsci_data_type);
		break;
	case AS_PLANE_DATA_TYPE:
		reading_plane_data_types(reading);
		break;
	case AS_SECOND_FIELD:
		reading_second_fields(reading);
		break;
	case AS_ALIGN:
		if (value)
			reading_align(reading, value);
		break;
	case AS_GPU_BOOL:
		if (value)
			reading_gpu_bools(reading, value, len);
		break;
	default:
		break;
	}
	if (!reading->nr)
		reading_fallback(reading);
}

/* Stores a converted value in the list. The lock is held. */
static struct nvsci_value *value_keep(struct nvsci_list *list,
				      const struct reading *reading)
{
	const size_t len = reading->nr * reading->key->len;
	struct nvsci_value *value;

	for (value = list->values; value; value = value->next)
		if (value->key == reading->key && value->slot == reading->slot)
			return value;
	value = malloc(sizeof(*value) + len);
	if (!value)
		return NULL;
	value->next = list->values;
	value->key = reading->key;
	value->slot = reading->slot;
	value->len = len;
	memcpy(value->bytes, reading->bytes, len);
	list->values = value;
	return value;
}

static bool value_has_same_bytes(const struct nvsci_key *key)
{
	return key->as == AS_IS || key->as == AS_COMPRESSION ||
	       key->as == AS_KEPT || key->as == AS_SURFACE ||
	       key->as == AS_ONE || key->as == AS_PADDING ||
	       key->as == AS_FALSE;
}

/**
 * nvsci_value_out() - read a key
 * @attrs: unreconciled or reconciled list
 * @slot: slot of the list
 * @key: row of the key
 * @value: out: value, owned by the list; NULL: not set
 * @len: out: bytes
 *
 * Return: NvSciError_Success or NvSciError_InsufficientMemory.
 */
NvSciError nvsci_value_out(const struct mem_attrs *attrs, unsigned int slot,
			   const struct nvsci_key *key, const void **value,
			   size_t *len)
{
	struct reading reading = {
		.attrs = attrs,
		.slot = slot,
		.key = key,
		.is_reconciled = mem_attrs_state(attrs) ==
				 MEM_ATTRS_RECONCILED,
	};
	struct nvsci_list *list = nvsci_list(attrs);
	struct nvsci_value *kept;

	*value = NULL;
	*len = 0;
	if (value_has_same_bytes(key) && key->mem)
		*value = nvsci_get(attrs, slot, key->mem, len);
	if (*value)
		return NvSciError_Success;
	*len = 0;
	reading_value(&reading);
	if (!reading.nr)
		return NvSciError_Success;
	if (!list)
		return NvSciError_InsufficientMemory;
	pthread_mutex_lock(&lock);
	kept = value_keep(list, &reading);
	pthread_mutex_unlock(&lock);
	if (!kept)
		return NvSciError_InsufficientMemory;
	*value = kept->bytes;
	*len = kept->len;
	return NvSciError_Success;
}
