// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: computes the layout of a list's buffer: sizes, alignments, pitches,
 * offsets and strides, under the constraints of all engines that access it and
 * of the CPU.
 *
 * Block-linear images (drm_fourcc.h): a GOB is 64 bytes by 8 rows; a block is
 * one GOB wide and a power of two of GOBs high. Heights are multiples of a
 * block. All planes and levels of an image have the block height that suits its
 * highest plane, since the image has one modifier for all.
 */
#include <drm_fourcc.h>

#include "../buddy.h"
#include "constraint.h"
#include "format.h"
#include "layout.h"

#define GOB_WIDTH	64U
#define GOB_HEIGHT	8U
#define GOB_LEN		(GOB_WIDTH * GOB_HEIGHT)
/* log2 of the height of the highest block, in GOBs */
#define MAX_BLOCK	4U

/* Limit of sizes, far above those of any board */
#define MAX_LEN		(1ULL << 46)
/* Both backends place a buffer at a multiple of its length up to this one. */
#define MAX_ALIGN	PRIVATE_ALIGN

/**
 * struct layout - a computation, with its constraints
 * @ctx: context
 * @users: bits of engines, and of the CPU
 * @result: slot of the result
 * @conflicts: conflicts found so far
 * @base_align: alignment that suits all users
 * @pitch_align: alignment of rows that suits all users
 * @height_align: height of a block of block-linear images, else 1
 * @is_block_linear: the image is block-linear
 */
struct layout {
	struct mem_ctx *ctx;
	uint64_t users;
	struct attrs_slot *result;
	struct attrs_conflicts *conflicts;
	uint64_t base_align;
	uint64_t pitch_align;
	uint32_t height_align;
	bool is_block_linear;
};

static uint64_t layout_larger(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

/* @len must be at most MAX_LEN, @align a power of two up to MAX_ALIGN. */
static uint64_t layout_round_up(uint64_t len, uint64_t align)
{
	return (len + align - 1) & ~(align - 1);
}

static void layout_too_large(struct layout *layout, uint32_t key, uint64_t most)
{
	attrs_conflict(layout->conflicts, key, RULE_TOO_LARGE, NULL, most);
}

/* Multiplies lengths. Returns false if the product exceeds MAX_LEN. */
static bool layout_multiply(uint64_t one, uint64_t other, uint64_t *product)
{
	return !__builtin_mul_overflow(one, other, product) &&
	       *product <= MAX_LEN;
}

/* Returns the larger of the alignments that lists ask for and users need. */
static uint64_t layout_align(struct layout *layout, unsigned int row,
			     uint64_t asked, uint64_t needed)
{
	if (asked > MAX_ALIGN)
		layout_too_large(layout, attrs_keys[row].key, MAX_ALIGN);
	return layout_larger(asked, needed);
}

static void layout_set_alignment(struct layout *layout)
{
	struct constraint of;
	unsigned int at;

	layout->base_align = 1;
	layout->pitch_align = 1;
	for (at = 0; layout->users >> at; at++) {
		if (!(layout->users >> at & 1) ||
		    !constraint_find(layout->ctx, at, &of))
			continue;
		layout->base_align =
			layout_larger(layout->base_align, of.base_align);
		layout->pitch_align = layout_larger(layout->pitch_align,
						    of.pitch_align);
	}
}

static void layout_raw(struct layout *layout)
{
	struct attrs_values *v = &layout->result->values;

	if (v->raw.size > MAX_LEN)
		layout_too_large(layout, MEM_ATTR_RAW_SIZE, MAX_LEN);
	v->raw.align = layout_align(layout, ROW_RAW_ALIGN, v->raw.align,
				    layout->base_align);
	slot_mark(layout->result, ROW_RAW_ALIGN, 1);
}

/* Images */

/* In a list that has both, image and tensor describe the same memory. */
static void layout_image_with_tensor(struct layout *layout)
{
	const struct attrs_values *v = &layout->result->values;

	if (v->image.layout != MEM_LAYOUT_PITCH_LINEAR)
		attrs_conflict(layout->conflicts, MEM_ATTR_IMAGE_LAYOUT,
			       RULE_WITH_TENSOR, NULL, 0);
	if (v->image.plane_count != 1)
		attrs_conflict(layout->conflicts, MEM_ATTR_IMAGE_PLANE_COUNT,
			       RULE_WITH_TENSOR, NULL, 0);
}

static void layout_require_sides(struct layout *layout,
				 const struct constraint *of)
{
	const struct attrs_values *v = &layout->result->values;
	unsigned int i;

	for (i = 0; i < v->image.plane_count; i++) {
		if (v->image.plane_width[i] > of->max_width)
			attrs_conflict(layout->conflicts,
				       MEM_ATTR_IMAGE_PLANE_WIDTH, RULE_MOST,
				       of->name, of->max_width);
		if (v->image.plane_height[i] > of->max_height)
			attrs_conflict(layout->conflicts,
				       MEM_ATTR_IMAGE_PLANE_HEIGHT, RULE_MOST,
				       of->name, of->max_height);
	}
}

/* Returns the swizzle that a user has in common with those before it. */
static enum swizzle layout_agree(struct layout *layout, enum swizzle so_far,
				 const struct constraint *of)
{
	if (of->swizzle == SWIZZLE_NONE)
		attrs_conflict(layout->conflicts, MEM_ATTR_IMAGE_LAYOUT,
			       RULE_LAYOUT, of->name, 0);
	else if (of->swizzle != SWIZZLE_ANY && so_far != SWIZZLE_ANY &&
		 of->swizzle != so_far)
		attrs_conflict(layout->conflicts, MEM_ATTR_IMAGE_LAYOUT,
			       RULE_SWIZZLE, of->name, 0);
	return of->swizzle == SWIZZLE_ANY ? so_far : of->swizzle;
}

/* Checks that all users support the image, and returns their swizzle. */
static enum swizzle layout_require_users(struct layout *layout)
{
	enum swizzle swizzle = SWIZZLE_ANY;
	struct constraint of;
	unsigned int at;

	for (at = 0; layout->users >> at; at++) {
		if (!(layout->users >> at & 1) ||
		    !constraint_find(layout->ctx, at, &of))
			continue;
		layout_require_sides(layout, &of);
		if (layout->is_block_linear)
			swizzle = layout_agree(layout, swizzle, &of);
	}
	if (layout->is_block_linear && swizzle == SWIZZLE_ANY) {
		swizzle = constraint_swizzle(layout->ctx);
		if (swizzle == SWIZZLE_NONE)
			attrs_conflict(layout->conflicts, MEM_ATTR_IMAGE_LAYOUT,
				       RULE_LAYOUT, "board", 0);
	}
	return swizzle;
}

static uint32_t layout_block_of(const struct attrs_values *v)
{
	uint32_t highest = 0, block = 0;
	unsigned int i;

	for (i = 0; i < v->image.plane_count; i++)
		highest = (uint32_t)layout_larger(highest,
						  v->image.plane_height[i]);
	if (v->image.scan == MEM_SCAN_INTERLACE)
		highest = highest / 2 + highest % 2;
	while (block < MAX_BLOCK && GOB_HEIGHT << block < highest)
		block++;
	return block;
}

/*
 * The generic page kinds are 0xfe up to Volta (drm_fourcc.h) and 0x06 from
 * Turing on (NV_MMU_PTE_KIND_GENERIC_MEMORY of NVIDIA's open-gpu-doc).
 */
static uint64_t layout_modifier_of(enum swizzle swizzle, uint32_t block)
{
	switch (swizzle) {
	case SWIZZLE_TEGRA:
		return DRM_FORMAT_MOD_NVIDIA_BLOCK_LINEAR_2D(0, 0, 0, 0xfe,
							     block);
	case SWIZZLE_VOLTA:
		return DRM_FORMAT_MOD_NVIDIA_BLOCK_LINEAR_2D(0, 1, 0, 0xfe,
							     block);
	default:
		return DRM_FORMAT_MOD_NVIDIA_BLOCK_LINEAR_2D(0, 1, 2, 0x06,
							     block);
	}
}

/**
 * struct plane - a plane of a pyramid's level
 * @pitch: bytes from one row to the next
 * @aligned_height: rows; of one field if there are two
 * @len: bytes, rounded up so that the next plane is aligned
 */
struct plane {
	uint64_t pitch;
	uint64_t aligned_height;
	uint64_t len;
};

/* Returns false if the plane is too large. */
static bool layout_compute_plane(const struct layout *layout, uint32_t bits,
				 uint32_t width, uint32_t height,
				 struct plane *plane)
{
	const struct attrs_values *v = &layout->result->values;
	const bool has_fields = v->image.scan == MEM_SCAN_INTERLACE;
	uint64_t rows = height;

	plane->pitch = layout_round_up((uint64_t)width * (bits / 8),
				       layout->pitch_align);
	if (has_fields)
		rows = rows / 2 + rows % 2;
	plane->aligned_height = layout_round_up(rows, layout->height_align);
	if (plane->pitch > UINT32_MAX || plane->aligned_height > UINT32_MAX ||
	    !layout_multiply(plane->pitch, plane->aligned_height,
			     &plane->len) ||
	    !layout_multiply(plane->len, has_fields ? 2 : 1, &plane->len))
		return false;
	plane->len = layout_round_up(plane->len, v->image.align);
	return plane->len <= MAX_LEN;
}

/* Computes the finest level, whose planes have keys of their own. */
static void layout_planes(struct layout *layout)
{
	struct attrs_slot *result = layout->result;
	struct attrs_values *v = &result->values;
	const uint32_t nr = v->image.plane_count;
	struct plane plane;
	unsigned int i;

	v->image.size = 0;
	for (i = 0; i < nr; i++) {
		const struct format_plane *format =
			format_plane(v->image.plane_format[i]);

		if (!layout_compute_plane(layout, format->bits,
					  v->image.plane_width[i],
					  v->image.plane_height[i], &plane)) {
			layout_too_large(layout, MEM_ATTR_IMAGE_PLANE_WIDTH,
					 MAX_LEN);
			return;
		}
		v->image.plane_bits[i] = format->bits;
		v->image.plane_channels[i] = (uint8_t)format->nr_channels;
		v->image.plane_pitch[i] = (uint32_t)plane.pitch;
		v->image.plane_aligned_height[i] =
			(uint32_t)plane.aligned_height;
		v->image.plane_aligned_size[i] = plane.len;
		v->image.plane_offset[i] = v->image.size;
		v->image.size += plane.len;
	}
	if (v->image.size > MAX_LEN)
		layout_too_large(layout, MEM_ATTR_IMAGE_PLANE_WIDTH, MAX_LEN);
	slot_mark(result, ROW_IMAGE_SIZE, 1);
	slot_mark(result, ROW_IMAGE_PLANE_BITS, nr);
	slot_mark(result, ROW_IMAGE_PLANE_OFFSET, nr);
	slot_mark(result, ROW_IMAGE_PLANE_PITCH, nr);
	slot_mark(result, ROW_IMAGE_PLANE_ALIGNED_HEIGHT, nr);
	slot_mark(result, ROW_IMAGE_PLANE_ALIGNED_SIZE, nr);
	slot_mark(result, ROW_IMAGE_PLANE_CHANNELS, nr);
}

static void layout_align_planes(struct layout *layout)
{
	struct attrs_slot *result = layout->result;
	struct attrs_values *v = &result->values;
	uint64_t base = layout->base_align;
	unsigned int i;

	if (layout->is_block_linear)
		base = layout_larger(base, GOB_LEN);
	v->image.align = base;
	for (i = 0; i < v->image.plane_count; i++) {
		v->image.plane_align[i] = (uint32_t)
			layout_align(layout, ROW_IMAGE_PLANE_ALIGN,
				     v->image.plane_align[i], base);
		v->image.align = layout_larger(v->image.align,
					       v->image.plane_align[i]);
	}
	slot_mark(result, ROW_IMAGE_PLANE_ALIGN, v->image.plane_count);
	slot_mark(result, ROW_IMAGE_ALIGN, 1);
}

static void layout_image(struct layout *layout)
{
	struct attrs_slot *result = layout->result;
	struct attrs_values *v = &result->values;
	enum swizzle swizzle;
	uint32_t block;

	layout->is_block_linear = v->image.layout == MEM_LAYOUT_BLOCK_LINEAR;
	layout->height_align = 1;
	v->image.modifier = DRM_FORMAT_MOD_LINEAR;
	swizzle = layout_require_users(layout);
	if (layout->is_block_linear) {
		block = layout_block_of(v);
		layout->pitch_align = GOB_WIDTH;
		layout->height_align = GOB_HEIGHT << block;
		v->image.modifier = layout_modifier_of(swizzle, block);
	}
	slot_mark(result, ROW_IMAGE_MODIFIER, 1);
	slot_mark(result, ROW_IMAGE_SCAN, 1);
	if (!slot_has(result, ROW_IMAGE_PLANE_STD))
		slot_mark(result, ROW_IMAGE_PLANE_STD, v->image.plane_count);
	layout_align_planes(layout);
	if (!layout->conflicts->nr)
		layout_planes(layout);
}

/* Sides of a level are those of the finer one, scaled and rounded down. */
static uint32_t layout_scale_side(uint32_t side, float scale)
{
	const uint32_t scaled = (uint32_t)((double)side * (double)scale);

	return scaled ? scaled : 1;
}

static void layout_pyramid(struct layout *layout)
{
	struct attrs_slot *result = layout->result;
	struct attrs_values *v = &result->values;
	uint32_t width[MEM_PLANES_MAX], height[MEM_PLANES_MAX];
	struct plane plane;
	unsigned int i, level;
	uint64_t off = 0;

	for (i = 0; i < v->image.plane_count; i++) {
		width[i] = v->image.plane_width[i];
		height[i] = v->image.plane_height[i];
	}
	for (level = 0; level < v->pyramid.level_count; level++) {
		v->pyramid.level_offset[level] = off;
		v->pyramid.level_size[level] = 0;
		for (i = 0; i < v->image.plane_count; i++) {
			/* Cannot fail: no level is larger than the finest. */
			layout_compute_plane(layout, v->image.plane_bits[i],
					     width[i], height[i], &plane);
			v->pyramid.level_size[level] += plane.len;
			width[i] =
				layout_scale_side(width[i], v->pyramid.scale);
			height[i] =
				layout_scale_side(height[i], v->pyramid.scale);
		}
		off += v->pyramid.level_size[level];
	}
	if (off > MAX_LEN)
		layout_too_large(layout, MEM_ATTR_PYRAMID_LEVEL_COUNT, MAX_LEN);
	v->pyramid.size = off;
	v->pyramid.align = v->image.align;
	slot_mark(result, ROW_PYRAMID_LEVEL_OFFSET, v->pyramid.level_count);
	slot_mark(result, ROW_PYRAMID_LEVEL_SIZE, v->pyramid.level_count);
	slot_mark(result, ROW_PYRAMID_ALIGN, 1);
	slot_mark(result, ROW_PYRAMID_SIZE, 1);
}

/* Tensors and arrays */

/* Returns the bytes of the image's pixels in a row. */
static uint64_t layout_row_len_of(const struct attrs_values *v)
{
	const uint32_t bits = format_plane(v->image.plane_format[0])->bits;

	return (uint64_t)v->image.plane_width[0] * (bits / 8);
}

/*
 * Returns the dimension of the tensor whose elements are the image's rows, or
 * -1: the inner dimensions must fill a row without a gap. If several dimensions
 * match, the last one is returned.
 */
static int layout_rows_of_image(const struct attrs_values *v)
{
	const uint64_t row_len = layout_row_len_of(v);
	uint64_t len = format_data_len(v->tensor.data_type);
	int at;

	for (at = (int)v->tensor.dim_count - 1; at >= 0; at--) {
		if (len == row_len &&
		    v->tensor.dim_size[at] == v->image.plane_height[0])
			return at;
		if (!layout_multiply(len, v->tensor.dim_size[at], &len))
			break;
	}
	return -1;
}

/* The dimension of rows uses the image's pitch, so both alignments apply. */
static int layout_fit_rows(struct layout *layout)
{
	const struct attrs_values *v = &layout->result->values;
	const int at = layout_rows_of_image(v);

	if (at < 0)
		attrs_conflict(layout->conflicts, MEM_ATTR_TENSOR_DIM_SIZE,
			       RULE_ROWS_OF_TENSOR, NULL, 0);
	else
		layout->pitch_align = layout_larger(layout->pitch_align,
						    v->tensor.dim_align[at]);
	return at;
}

/* @rows_at: dimension whose stride is the image's pitch; -1: none */
static void layout_tensor(struct layout *layout, int rows_at)
{
	struct attrs_slot *result = layout->result;
	struct attrs_values *v = &result->values;
	uint64_t len = format_data_len(v->tensor.data_type);
	int at;

	v->tensor.base_align =
		layout_align(layout, ROW_TENSOR_BASE_ALIGN,
			     v->tensor.base_align,
			     layout_larger(layout->base_align, len));
	for (at = (int)v->tensor.dim_count - 1; at >= 0; at--) {
		uint64_t align = layout_align(layout, ROW_TENSOR_DIM_ALIGN,
					      v->tensor.dim_align[at], 1);

		if (layout->conflicts->nr)
			return;
		v->tensor.dim_align[at] = (uint32_t)align;
		if (at != rows_at) {
			len = layout_round_up(len, align);
		} else if (len == layout_row_len_of(v)) {
			len = v->image.plane_pitch[0];
		} else {
			attrs_conflict(layout->conflicts,
				       MEM_ATTR_TENSOR_DIM_ALIGN,
				       RULE_ROWS_OF_TENSOR, NULL, 0);
			return;
		}
		v->tensor.dim_stride[at] = len;
		if (!layout_multiply(len, v->tensor.dim_size[at], &len)) {
			layout_too_large(layout, MEM_ATTR_TENSOR_DIM_SIZE,
					 MAX_LEN);
			return;
		}
	}
	v->tensor.size = len;
	slot_mark(result, ROW_TENSOR_BASE_ALIGN, 1);
	slot_mark(result, ROW_TENSOR_DIM_ALIGN, v->tensor.dim_count);
	slot_mark(result, ROW_TENSOR_DIM_STRIDE, v->tensor.dim_count);
	slot_mark(result, ROW_TENSOR_SIZE, 1);
}

static void layout_array(struct layout *layout)
{
	struct attrs_slot *result = layout->result;
	struct attrs_values *v = &result->values;
	const uint32_t len = format_data_len(v->array.data_type);

	if (v->array.stride % len)
		attrs_conflict(layout->conflicts, MEM_ATTR_ARRAY_STRIDE,
			       RULE_STRIDE, NULL, len);
	if (!layout_multiply(v->array.stride, v->array.capacity,
			     &v->array.size))
		layout_too_large(layout, MEM_ATTR_ARRAY_CAPACITY, MAX_LEN);
	v->array.align = layout_larger(layout->base_align, len);
	slot_mark(result, ROW_ARRAY_SIZE, 1);
	slot_mark(result, ROW_ARRAY_ALIGN, 1);
}

/**
 * layout_compute() - compute sizes, alignments and offsets
 * @ctx: context
 * @users: users of the buffer: bits of engines, and CONSTRAINT_CPU
 * @result: in and out: merged inputs with defaults; outputs are added
 * @conflicts: conflicts found are added; with a conflict, the result is
 *	incomplete
 */
void layout_compute(struct mem_ctx *ctx, uint64_t users,
		    struct attrs_slot *result,
		    struct attrs_conflicts *conflicts)
{
	struct layout layout = {
		.ctx = ctx,
		.users = users,
		.result = result,
		.conflicts = conflicts,
	};
	const bool has_image = slot_has_type(result, MEM_ATTR_TYPE_IMAGE);
	const bool has_tensor = slot_has_type(result, MEM_ATTR_TYPE_TENSOR);
	int rows_at = -1;

	layout_set_alignment(&layout);
	if (has_image && has_tensor) {
		layout_image_with_tensor(&layout);
		rows_at = layout_fit_rows(&layout);
	}
	if (slot_has_type(result, MEM_ATTR_TYPE_RAW))
		layout_raw(&layout);
	if (has_image || slot_has_type(result, MEM_ATTR_TYPE_PYRAMID))
		layout_image(&layout);
	if (slot_has_type(result, MEM_ATTR_TYPE_PYRAMID) && !conflicts->nr)
		layout_pyramid(&layout);
	if (has_tensor && !conflicts->nr)
		layout_tensor(&layout, rows_at);
	if (slot_has_type(result, MEM_ATTR_TYPE_ARRAY))
		layout_array(&layout);
}
