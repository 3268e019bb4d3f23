// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: the table of keys. For keys that NvSciBuf has, merge rules, defaults
 * and mandatory keys are NvSciBuf's (NVIDIA DRIVE OS, "NvSciBuf Enumerations
 * for Attribute Keys").
 */
#include <errno.h>
#include <string.h>

#include "../internal.h"
#include "format.h"
#include "key.h"

static const char *const type_words[] = {
	"general", "raw", "image", "tensor", "array", "pyramid"
};

static const char *const perm_words[] = { "0", "read", "write", "read-write" };

static const char *const compression_words[] = {
	"none", "may", "incompressible"
};

static const char *const layout_words[] = { "block-linear", "pitch-linear" };

static const char *const std_words[] = {
	"none", "srgb", "rec601-sr", "rec601-er", "rec709-sr", "rec709-er",
	"rec2020-sr", "rec2020-er", "raw"
};

static const char *const scan_words[] = { "progressive", "interlace" };

#define LAST(words)	(sizeof(words) / sizeof((words)[0]) - 1)
#define AT(member)	.off = offsetof(struct attrs_values, member)
#define ONE(type, member)	.element = ELEMENT_##type, .max = 1, AT(member)
#define MANY(type, nr, member)	.element = ELEMENT_##type, .max = nr, AT(member)
#define PLANES(type, member) \
	MANY(type, MEM_PLANES_MAX, member), .counted_by = ROW_IMAGE_PLANE_COUNT
#define DIMS(type, member) \
	MANY(type, MEM_DIMS_MAX, member), .counted_by = ROW_TENSOR_DIM_COUNT
#define LEVELS(type, member) \
	MANY(type, MEM_LEVELS_MAX, member), \
	.counted_by = ROW_PYRAMID_LEVEL_COUNT
#define GPU_VALUES(member) \
	MANY(GPU_VALUE, MEM_ATTR_GPUS_MAX, member)
#define WORDS(of) \
	.check = CHECK_BELOW, .limit = LAST(of), .text = TEXT_WORDS, .words = of
#define BOOL		.check = CHECK_BELOW, .limit = 1
#define UP_TO(most)	.check = CHECK_RANGE, .limit = most
#define MANDATORY	.is_mandatory = true
#define OUTPUT		.merge = MERGE_OUTPUT

#define ROW(of, as) \
	[ROW_##of] = { .key = MEM_ATTR_##of, .name = as,

const struct attrs_key attrs_keys[NR_ROWS] = {
	ROW(TYPES, "general.types")
		MANY(U32, ATTRS_TYPES_MAX, types), .merge = MERGE_TYPES,
		.check = CHECK_TYPE, MANDATORY,
		.text = TEXT_WORDS, .words = type_words },
	ROW(NEED_CPU_ACCESS, "general.need_cpu_access")
		ONE(U8, need_cpu_access), BOOL, .merge = MERGE_OR },
	ROW(CPU_CACHE, "general.cpu_cache")
		ONE(U8, cpu_cache), BOOL, .merge = MERGE_OR },
	ROW(REQUIRED_PERM, "general.required_perm")
		ONE(U32, required_perm), .check = CHECK_PERM,
		.merge = MERGE_MAX, .text = TEXT_WORDS, .words = perm_words },
	ROW(ENGINES, "general.engines")
		ONE(U64, engines), .check = CHECK_ENGINES, .merge = MERGE_OR,
		.text = TEXT_ENGINES },
	ROW(GPU_IDS, "general.gpu_ids")
		MANY(GPU_ID, MEM_ATTR_GPUS_MAX, gpu_ids),
		.check = CHECK_BYTES, .merge = MERGE_UNION },
	ROW(VIDMEM_GPU_ID, "general.vidmem_gpu_id")
		ONE(GPU_ID, vidmem_gpu_id), .check = CHECK_BYTES },
	ROW(GPU_CACHE, "general.gpu_cache")
		GPU_VALUES(gpu_cache), BOOL, .merge = MERGE_GPU_AND },
	ROW(GPU_COMPRESSION, "general.gpu_compression")
		GPU_VALUES(gpu_compression), WORDS(compression_words),
		.merge = MERGE_GPU_EQUAL },
	ROW(ACTUAL_PERM, "general.actual_perm")
		ONE(U32, actual_perm), OUTPUT,
		.text = TEXT_WORDS, .words = perm_words },
	ROW(CPU_COHERENCY, "general.cpu_coherency")
		ONE(U8, cpu_coherency), OUTPUT },
	ROW(GPU_COHERENCY, "general.gpu_coherency")
		GPU_VALUES(gpu_coherency), OUTPUT },

	ROW(RAW_SIZE, "raw.size")
		ONE(U64, raw.size), UP_TO(UINT64_MAX), MANDATORY },
	ROW(RAW_ALIGN, "raw.align")
		ONE(U64, raw.align), .check = CHECK_POWER,
		.merge = MERGE_MAX },

	ROW(IMAGE_LAYOUT, "image.layout")
		ONE(U32, image.layout), WORDS(layout_words), MANDATORY },
	ROW(IMAGE_PLANE_COUNT, "image.plane_count")
		ONE(U32, image.plane_count), UP_TO(MEM_PLANES_MAX),
		MANDATORY },
	ROW(IMAGE_PLANE_FORMAT, "image.plane_format")
		PLANES(U32, image.plane_format), .check = CHECK_FORMAT,
		.text = TEXT_FOURCC, MANDATORY },
	ROW(IMAGE_PLANE_STD, "image.plane_std")
		PLANES(U32, image.plane_std), WORDS(std_words) },
	ROW(IMAGE_PLANE_WIDTH, "image.plane_width")
		PLANES(U32, image.plane_width), UP_TO(UINT32_MAX),
		MANDATORY },
	ROW(IMAGE_PLANE_HEIGHT, "image.plane_height")
		PLANES(U32, image.plane_height), UP_TO(UINT32_MAX),
		MANDATORY },
	ROW(IMAGE_PLANE_ALIGN, "image.plane_align")
		PLANES(U32, image.plane_align), .check = CHECK_POWER,
		.merge = MERGE_MAX },
	ROW(IMAGE_SCAN, "image.scan")
		ONE(U32, image.scan), WORDS(scan_words) },
	ROW(IMAGE_SIZE, "image.size")
		ONE(U64, image.size), OUTPUT },
	ROW(IMAGE_ALIGN, "image.align")
		ONE(U64, image.align), OUTPUT },
	ROW(IMAGE_MODIFIER, "image.modifier")
		ONE(U64, image.modifier), OUTPUT, .text = TEXT_HEX },
	ROW(IMAGE_PLANE_BITS, "image.plane_bits")
		PLANES(U32, image.plane_bits), OUTPUT },
	ROW(IMAGE_PLANE_OFFSET, "image.plane_offset")
		PLANES(U64, image.plane_offset), OUTPUT },
	ROW(IMAGE_PLANE_PITCH, "image.plane_pitch")
		PLANES(U32, image.plane_pitch), OUTPUT },
	ROW(IMAGE_PLANE_ALIGNED_HEIGHT, "image.plane_aligned_height")
		PLANES(U32, image.plane_aligned_height), OUTPUT },
	ROW(IMAGE_PLANE_ALIGNED_SIZE, "image.plane_aligned_size")
		PLANES(U64, image.plane_aligned_size), OUTPUT },
	ROW(IMAGE_PLANE_CHANNELS, "image.plane_channels")
		PLANES(U8, image.plane_channels), OUTPUT },

	ROW(TENSOR_DATA_TYPE, "tensor.data_type")
		ONE(U32, tensor.data_type), WORDS(format_data_words),
		MANDATORY },
	ROW(TENSOR_DIM_COUNT, "tensor.dim_count")
		ONE(U32, tensor.dim_count), UP_TO(MEM_DIMS_MAX), MANDATORY },
	ROW(TENSOR_DIM_SIZE, "tensor.dim_size")
		DIMS(U64, tensor.dim_size), UP_TO(UINT64_MAX), MANDATORY },
	ROW(TENSOR_DIM_ALIGN, "tensor.dim_align")
		DIMS(U32, tensor.dim_align), .check = CHECK_POWER,
		.merge = MERGE_MAX },
	ROW(TENSOR_BASE_ALIGN, "tensor.base_align")
		ONE(U64, tensor.base_align), .check = CHECK_POWER,
		.merge = MERGE_MAX },
	ROW(TENSOR_DIM_STRIDE, "tensor.dim_stride")
		DIMS(U64, tensor.dim_stride), OUTPUT },
	ROW(TENSOR_SIZE, "tensor.size")
		ONE(U64, tensor.size), OUTPUT },

	ROW(ARRAY_DATA_TYPE, "array.data_type")
		ONE(U32, array.data_type), WORDS(format_data_words),
		MANDATORY },
	ROW(ARRAY_STRIDE, "array.stride")
		ONE(U64, array.stride), UP_TO(UINT64_MAX), MANDATORY },
	ROW(ARRAY_CAPACITY, "array.capacity")
		ONE(U64, array.capacity), UP_TO(UINT64_MAX), MANDATORY },
	ROW(ARRAY_SIZE, "array.size")
		ONE(U64, array.size), OUTPUT },
	ROW(ARRAY_ALIGN, "array.align")
		ONE(U64, array.align), OUTPUT },

	ROW(PYRAMID_LEVEL_COUNT, "pyramid.level_count")
		ONE(U32, pyramid.level_count), UP_TO(MEM_LEVELS_MAX),
		MANDATORY },
	ROW(PYRAMID_SCALE, "pyramid.scale")
		ONE(FLOAT, pyramid.scale), .check = CHECK_SCALE, MANDATORY },
	ROW(PYRAMID_LEVEL_OFFSET, "pyramid.level_offset")
		LEVELS(U64, pyramid.level_offset), OUTPUT },
	ROW(PYRAMID_LEVEL_SIZE, "pyramid.level_size")
		LEVELS(U64, pyramid.level_size), OUTPUT },
	ROW(PYRAMID_ALIGN, "pyramid.align")
		ONE(U64, pyramid.align), OUTPUT },
	ROW(PYRAMID_SIZE, "pyramid.size")
		ONE(U64, pyramid.size), OUTPUT },
};

/* First row of each type; the keys of a type are numbered from 1. */
static const uint8_t first_row[] = {
	ROW_TYPES, ROW_RAW_SIZE, ROW_IMAGE_LAYOUT, ROW_TENSOR_DATA_TYPE,
	ROW_ARRAY_DATA_TYPE, ROW_PYRAMID_LEVEL_COUNT, NR_ROWS
};

/**
 * attrs_row_of() - find the row of a key
 * @key: key, any number
 *
 * Return: enum attrs_row, or -EINVAL if the table has no such key.
 */
int attrs_row_of(uint32_t key)
{
	const unsigned int type = attrs_type_of(key);
	const uint32_t nr = (key & 0xffff) - 1;

	if (type > MEM_ATTR_TYPE_PYRAMID ||
	    nr >= (uint32_t)(first_row[type + 1] - first_row[type]))
		return -EINVAL;
	return (int)(first_row[type] + nr);
}

/**
 * attrs_rows_of() - return the keys of a type of buffer
 * @type: enum mem_attr_type
 *
 * Return: a bit for each row. A pyramid also has the keys of an image.
 */
uint64_t attrs_rows_of(uint32_t type)
{
	const uint64_t rows = (1ULL << first_row[type + 1]) -
			      (1ULL << first_row[type]);

	if (type == MEM_ATTR_TYPE_PYRAMID)
		return rows | attrs_rows_of(MEM_ATTR_TYPE_IMAGE);
	return rows;
}

/**
 * attrs_element_len() - return the length of an element of a key's value
 * @row: row of the key
 *
 * Return: bytes.
 */
size_t attrs_element_len(const struct attrs_key *row)
{
	static const uint8_t len[] = {
		[ELEMENT_U8] = 1,
		[ELEMENT_U32] = 4,
		[ELEMENT_U64] = 8,
		[ELEMENT_FLOAT] = sizeof(float),
		[ELEMENT_GPU_ID] = MEM_GPU_ID_LEN,
		[ELEMENT_GPU_VALUE] = sizeof(struct mem_attr_gpu_value),
	};

	return len[row->element];
}

/* Returns the number in an element, or 0 if it has none. */
static uint64_t key_element_number(const struct attrs_key *row,
				   const void *value, size_t i)
{
	switch (row->element) {
	case ELEMENT_U8:
		return ((const uint8_t *)value)[i];
	case ELEMENT_U32:
		return ((const uint32_t *)value)[i];
	case ELEMENT_U64:
		return ((const uint64_t *)value)[i];
	case ELEMENT_GPU_VALUE:
		return ((const struct mem_attr_gpu_value *)value)[i].value;
	default:
		return 0;
	}
}

static bool key_number_is_valid(const struct attrs_key *row, uint64_t number)
{
	switch (row->check) {
	case CHECK_BELOW:
		return number <= row->limit;
	case CHECK_RANGE:
		return number && number <= row->limit;
	case CHECK_POWER:
		return number && !(number & (number - 1));
	case CHECK_PERM:
		return number == MEM_READ || number == MEM_RW;
	case CHECK_ENGINES:
		return !(number & ~(((1ULL << NR_ENGINES) - 1) |
				    MEM_ATTR_ENGINE_DMA));
	case CHECK_FORMAT:
		return format_plane(number);
	case CHECK_TYPE:
		return number > MEM_ATTR_TYPE_GENERAL &&
		       number <= MEM_ATTR_TYPE_PYRAMID;
	default:
		return true;
	}
}

/* Returns true if no GPU occurs twice. */
static bool key_gpus_differ(const struct mem_attr_gpu_value *values, size_t nr)
{
	size_t i, k;

	for (i = 1; i < nr; i++)
		for (k = 0; k < i; k++)
			if (!memcmp(values[i].gpu_id, values[k].gpu_id,
				    MEM_GPU_ID_LEN))
				return false;
	return true;
}

/**
 * attrs_value_is_valid() - check a value that is to be set
 * @row: row of the key
 * @value: value, aligned for its elements
 * @nr: number of elements, 1 to the key's maximum
 *
 * Return: true if it is valid.
 */
bool attrs_value_is_valid(const struct attrs_key *row, const void *value,
			  size_t nr)
{
	size_t i;

	if (row->check == CHECK_SCALE)
		return *(const float *)value > 0 && *(const float *)value <= 1;
	for (i = 0; i < nr; i++)
		if (!key_number_is_valid(row,
					 key_element_number(row, value, i)))
			return false;
	return row->element != ELEMENT_GPU_VALUE || key_gpus_differ(value, nr);
}

API const char *mem_attr_name(unsigned int key)
{
	const int row = attrs_row_of(key);

	if (attrs_is_client(key))
		return "client";
	return row < 0 ? "unknown" : attrs_keys[row].name;
}
