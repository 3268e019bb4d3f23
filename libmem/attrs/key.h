/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libmem: the keys of attribute lists. A table has a row for each key: where
 * its value is stored, which values are valid, how values of several lists are
 * merged, and how a value is printed. Clients' keys are not in the table, since
 * their values are plain bytes.
 */
#ifndef _LIBMEM_ATTRS_KEY_H
#define _LIBMEM_ATTRS_KEY_H

#include <stdbool.h>

#include "libmem/attrs.h"

/* Maximum number of types of a list: all except MEM_ATTR_TYPE_GENERAL */
#define ATTRS_TYPES_MAX		5U
/* Maximum length of a value of the table: a value for each GPU */
#define ATTRS_VALUE_MAX \
	(MEM_ATTR_GPUS_MAX * sizeof(struct mem_attr_gpu_value))

/* Each key's row in the table, and its bit in struct attrs_slot. */
enum attrs_row {
	ROW_TYPES,
	ROW_NEED_CPU_ACCESS,
	ROW_CPU_CACHE,
	ROW_REQUIRED_PERM,
	ROW_ENGINES,
	ROW_GPU_IDS,
	ROW_VIDMEM_GPU_ID,
	ROW_GPU_CACHE,
	ROW_GPU_COMPRESSION,
	ROW_ACTUAL_PERM,
	ROW_CPU_COHERENCY,
	ROW_GPU_COHERENCY,
	ROW_RAW_SIZE,
	ROW_RAW_ALIGN,
	ROW_IMAGE_LAYOUT,
	ROW_IMAGE_PLANE_COUNT,
	ROW_IMAGE_PLANE_FORMAT,
	ROW_IMAGE_PLANE_STD,
	ROW_IMAGE_PLANE_WIDTH,
	ROW_IMAGE_PLANE_HEIGHT,
	ROW_IMAGE_PLANE_ALIGN,
	ROW_IMAGE_SCAN,
	ROW_IMAGE_SIZE,
	ROW_IMAGE_ALIGN,
	ROW_IMAGE_MODIFIER,
	ROW_IMAGE_PLANE_BITS,
	ROW_IMAGE_PLANE_OFFSET,
	ROW_IMAGE_PLANE_PITCH,
	ROW_IMAGE_PLANE_ALIGNED_HEIGHT,
	ROW_IMAGE_PLANE_ALIGNED_SIZE,
	ROW_IMAGE_PLANE_CHANNELS,
	ROW_TENSOR_DATA_TYPE,
	ROW_TENSOR_DIM_COUNT,
	ROW_TENSOR_DIM_SIZE,
	ROW_TENSOR_DIM_ALIGN,
	ROW_TENSOR_BASE_ALIGN,
	ROW_TENSOR_DIM_STRIDE,
	ROW_TENSOR_SIZE,
	ROW_ARRAY_DATA_TYPE,
	ROW_ARRAY_STRIDE,
	ROW_ARRAY_CAPACITY,
	ROW_ARRAY_SIZE,
	ROW_ARRAY_ALIGN,
	ROW_PYRAMID_LEVEL_COUNT,
	ROW_PYRAMID_SCALE,
	ROW_PYRAMID_LEVEL_OFFSET,
	ROW_PYRAMID_LEVEL_SIZE,
	ROW_PYRAMID_ALIGN,
	ROW_PYRAMID_SIZE,
	NR_ROWS
};

/*
 * A value for each key, as described in libmem.h. struct attrs_slot holds which
 * values are set, and how many elements each has.
 */
struct attrs_values {
	uint32_t types[ATTRS_TYPES_MAX];
	uint8_t need_cpu_access;
	uint8_t cpu_cache;
	uint8_t cpu_coherency;
	uint32_t required_perm;
	uint32_t actual_perm;
	uint64_t engines;
	uint8_t gpu_ids[MEM_ATTR_GPUS_MAX][MEM_GPU_ID_LEN];
	uint8_t vidmem_gpu_id[MEM_GPU_ID_LEN];
	struct mem_attr_gpu_value gpu_cache[MEM_ATTR_GPUS_MAX];
	struct mem_attr_gpu_value gpu_compression[MEM_ATTR_GPUS_MAX];
	struct mem_attr_gpu_value gpu_coherency[MEM_ATTR_GPUS_MAX];
	struct {
		uint64_t size;
		uint64_t align;
	} raw;
	struct {
		uint32_t layout;
		uint32_t plane_count;
		uint32_t plane_format[MEM_PLANES_MAX];
		uint32_t plane_std[MEM_PLANES_MAX];
		uint32_t plane_width[MEM_PLANES_MAX];
		uint32_t plane_height[MEM_PLANES_MAX];
		uint32_t plane_align[MEM_PLANES_MAX];
		uint32_t scan;
		uint64_t size;
		uint64_t align;
		uint64_t modifier;
		uint32_t plane_bits[MEM_PLANES_MAX];
		uint64_t plane_offset[MEM_PLANES_MAX];
		uint32_t plane_pitch[MEM_PLANES_MAX];
		uint32_t plane_aligned_height[MEM_PLANES_MAX];
		uint64_t plane_aligned_size[MEM_PLANES_MAX];
		uint8_t plane_channels[MEM_PLANES_MAX];
	} image;
	struct {
		uint32_t data_type;
		uint32_t dim_count;
		uint64_t dim_size[MEM_DIMS_MAX];
		uint32_t dim_align[MEM_DIMS_MAX];
		uint64_t base_align;
		uint64_t dim_stride[MEM_DIMS_MAX];
		uint64_t size;
	} tensor;
	struct {
		uint32_t data_type;
		uint64_t stride;
		uint64_t capacity;
		uint64_t size;
		uint64_t align;
	} array;
	struct {
		uint32_t level_count;
		float scale;
		uint64_t level_offset[MEM_LEVELS_MAX];
		uint64_t level_size[MEM_LEVELS_MAX];
		uint64_t align;
		uint64_t size;
	} pyramid;
};

/**
 * enum attrs_element - type of a value's elements
 * @ELEMENT_U8: uint8_t
 * @ELEMENT_U32: uint32_t
 * @ELEMENT_U64: uint64_t
 * @ELEMENT_FLOAT: float
 * @ELEMENT_GPU_ID: MEM_GPU_ID_LEN bytes
 * @ELEMENT_GPU_VALUE: struct mem_attr_gpu_value
 */
enum attrs_element {
	ELEMENT_U8,
	ELEMENT_U32,
	ELEMENT_U64,
	ELEMENT_FLOAT,
	ELEMENT_GPU_ID,
	ELEMENT_GPU_VALUE
};

/**
 * enum attrs_merge - how values of several lists are merged
 * @MERGE_EQUAL: lists that set it must agree
 * @MERGE_OR: bitwise or
 * @MERGE_MAX: maximum, element by element
 * @MERGE_UNION: all elements, sorted, each once
 * @MERGE_TYPES: as MERGE_UNION, if one buffer can have all the types
 * @MERGE_GPU_AND: the smallest value for each GPU that a list names
 * @MERGE_GPU_EQUAL: lists that name a GPU must agree on its value
 * @MERGE_OUTPUT: is computed and cannot be set
 */
enum attrs_merge {
	MERGE_EQUAL,
	MERGE_OR,
	MERGE_MAX,
	MERGE_UNION,
	MERGE_TYPES,
	MERGE_GPU_AND,
	MERGE_GPU_EQUAL,
	MERGE_OUTPUT
};

/**
 * enum attrs_check - which elements are valid
 * @CHECK_BELOW: 0 to the row's limit
 * @CHECK_RANGE: 1 to the row's limit
 * @CHECK_POWER: a power of two
 * @CHECK_PERM: MEM_READ or MEM_RW
 * @CHECK_ENGINES: bits of engines
 * @CHECK_FORMAT: format of a plane
 * @CHECK_SCALE: above 0, at most 1
 * @CHECK_TYPE: type of a buffer
 * @CHECK_BYTES: any bytes
 */
enum attrs_check {
	CHECK_BELOW,
	CHECK_RANGE,
	CHECK_POWER,
	CHECK_PERM,
	CHECK_ENGINES,
	CHECK_FORMAT,
	CHECK_SCALE,
	CHECK_TYPE,
	CHECK_BYTES
};

/**
 * enum attrs_text - how an element is printed
 * @TEXT_NUMBER: decimal number
 * @TEXT_HEX: hexadecimal number
 * @TEXT_FOURCC: DRM fourcc
 * @TEXT_ENGINES: names of engines
 * @TEXT_WORDS: word from the row's @words
 */
enum attrs_text {
	TEXT_NUMBER,
	TEXT_HEX,
	TEXT_FOURCC,
	TEXT_ENGINES,
	TEXT_WORDS
};

/**
 * struct attrs_key - a row of the table
 * @key: enum mem_attr_key
 * @element: enum attrs_element
 * @max: maximum number of elements
 * @merge: enum attrs_merge
 * @check: enum attrs_check of each element
 * @is_mandatory: a reconciled list of the key's type must have it
 * @text: enum attrs_text
 * @off: offset of the value in struct attrs_values
 * @counted_by: row of the key that has the number of elements; 0: any number
 * @limit: limit of @check
 * @name: name in dumps
 * @words: words of TEXT_WORDS, indexed by value
 */
struct attrs_key {
	uint32_t key;
	uint8_t element;
	uint8_t max;
	uint8_t merge;
	uint8_t check;
	bool is_mandatory;
	uint8_t text;
	uint16_t off;
	uint8_t counted_by;
	uint64_t limit;
	const char *name;
	const char *const *words;
};

extern const struct attrs_key attrs_keys[NR_ROWS];

int attrs_row_of(uint32_t key);
size_t attrs_element_len(const struct attrs_key *row);
bool attrs_value_is_valid(const struct attrs_key *row, const void *value,
			  size_t nr);
uint64_t attrs_rows_of(uint32_t type);

static inline unsigned int attrs_type_of(uint32_t key)
{
	return key >> 16;
}

static inline bool attrs_is_client(uint32_t key)
{
	return key - MEM_ATTR_CLIENT < MEM_ATTR_CLIENT_KEYS;
}

#endif
