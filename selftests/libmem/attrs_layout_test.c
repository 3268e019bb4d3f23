// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the results of lists on each board: which constraints determine the
 * layout, which cache must be maintained, and which engines conflict. Expected
 * numbers were calculated by hand.
 */
#include "attrs.h"

#include <drm_fourcc.h>

#define IMAGE_OF(layout, format, width, height) \
	ATTR(TYPES, uint32_t, MEM_ATTR_TYPE_IMAGE), \
	ATTR(IMAGE_LAYOUT, uint32_t, MEM_LAYOUT_##layout), \
	ATTR(IMAGE_PLANE_COUNT, uint32_t, 1), \
	ATTR(IMAGE_PLANE_FORMAT, uint32_t, format), \
	ATTR(IMAGE_PLANE_WIDTH, uint32_t, width), \
	ATTR(IMAGE_PLANE_HEIGHT, uint32_t, height)
#define NV12_OF(layout, width, height) \
	ATTR(TYPES, uint32_t, MEM_ATTR_TYPE_IMAGE), \
	ATTR(IMAGE_LAYOUT, uint32_t, MEM_LAYOUT_##layout), \
	ATTR(IMAGE_PLANE_COUNT, uint32_t, 2), \
	ATTR(IMAGE_PLANE_FORMAT, uint32_t, DRM_FORMAT_R8, DRM_FORMAT_GR88), \
	ATTR(IMAGE_PLANE_WIDTH, uint32_t, width, (width) / 2), \
	ATTR(IMAGE_PLANE_HEIGHT, uint32_t, height, (height) / 2)
#define ENGINES(bits)	ATTR(ENGINES, uint64_t, bits)
#define CPU		ATTR(NEED_CPU_ACCESS, uint8_t, 1)

#define GPU		(1ULL << MEM_ENGINE_GPU)
#define DGPU		(1ULL << MEM_ENGINE_DGPU)
#define PVA		(1ULL << MEM_ENGINE_PVA)
#define VIC		(1ULL << MEM_ENGINE_VIC)
#define DMA		MEM_ATTR_ENGINE_DMA

static struct mem_attrs *one(struct mem_attrs *list)
{
	struct mem_attrs *result = reconciled(&list, 1);

	assert_int_equal(mem_attrs_validate(result, &list, 1), 0);
	mem_attrs_destroy(list);
	return result;
}

/* Checks that the list conflicts, with a message for this key. */
static void conflicts(struct mem_attrs *list, const char *key,
		      const char *rule)
{
	const char *text = conflict_of(&list, 1);

	if (strncmp(text, key, strlen(key)))
		fail_msg("not %s first: %s", key, text);
	has_line(text, rule);
	mem_attrs_destroy(list);
}

/* Checks the values of each plane, dimension or level. */
static void are_u32(const struct mem_attrs *list, uint32_t key,
		    const uint32_t *expected, size_t nr)
{
	const uint32_t *value = value_of(list, key, nr * sizeof(*value));
	size_t i;

	for (i = 0; i < nr; i++)
		if (value[i] != expected[i])
			fail_msg("%s %zu: %u, not %u", mem_attr_name(key), i,
				 value[i], expected[i]);
}

static void are_u64(const struct mem_attrs *list, uint32_t key,
		    const uint64_t *expected, size_t nr)
{
	const uint64_t *value = value_of(list, key, nr * sizeof(*value));
	size_t i;

	for (i = 0; i < nr; i++)
		if (value[i] != expected[i])
			fail_msg("%s %zu: %llu, not %llu", mem_attr_name(key),
				 i, (unsigned long long)value[i],
				 (unsigned long long)expected[i]);
}

#define has_u32(list, of, ...) \
	are_u32(list, MEM_ATTR_##of, (const uint32_t[]) { __VA_ARGS__ }, \
		NR(((const uint32_t[]) { __VA_ARGS__ })))
#define has_u64(list, of, ...) \
	are_u64(list, MEM_ATTR_##of, (const uint64_t[]) { __VA_ARGS__ }, \
		NR(((const uint64_t[]) { __VA_ARGS__ })))

/* Pitch-linear images */

static void rows_and_planes_are_as_the_users_need_them(void **state)
{
	struct mem_attrs *list;

	(void)state;
	board("xavier");
	list = one(LIST(NV12_OF(PITCH_LINEAR, 100, 50)));
	has_u32(list, IMAGE_PLANE_PITCH, 100, 100);
	has_u64(list, IMAGE_PLANE_OFFSET, 0, 5000);
	has_u64(list, IMAGE_SIZE, 7500);
	has_u32(list, IMAGE_PLANE_BITS, 8, 16);
	assert_memory_equal(value_of(list, MEM_ATTR_IMAGE_PLANE_CHANNELS, 2),
			    "\1\2", 2);
	has_u64(list, IMAGE_MODIFIER, DRM_FORMAT_MOD_LINEAR);
	has_u32(list, IMAGE_SCAN, MEM_SCAN_PROGRESSIVE);
	has_u32(list, IMAGE_PLANE_STD, 0, 0);
	mem_attrs_destroy(list);

	/* Alignments of a cache line, a texture and a row of the compositor */
	list = one(LIST(NV12_OF(PITCH_LINEAR, 100, 50), CPU));
	has_u32(list, IMAGE_PLANE_PITCH, 100, 100);
	has_u64(list, IMAGE_PLANE_OFFSET, 0, 5056);
	has_u64(list, IMAGE_ALIGN, 64);
	mem_attrs_destroy(list);
	list = one(LIST(NV12_OF(PITCH_LINEAR, 100, 50), ENGINES(GPU)));
	has_u32(list, IMAGE_PLANE_PITCH, 128, 128);
	has_u32(list, IMAGE_PLANE_ALIGN, 512, 512);
	has_u32(list, IMAGE_PLANE_ALIGNED_HEIGHT, 50, 25);
	has_u64(list, IMAGE_PLANE_ALIGNED_SIZE, 6656, 3584);
	has_u64(list, IMAGE_PLANE_OFFSET, 0, 6656);
	has_u64(list, IMAGE_SIZE, 10240);
	mem_attrs_destroy(list);
	list = one(LIST(NV12_OF(PITCH_LINEAR, 100, 50),
			ENGINES(GPU | VIC | PVA | DMA), CPU));
	has_u32(list, IMAGE_PLANE_PITCH, 256, 256);
	has_u32(list, IMAGE_PLANE_ALIGN, 512, 512);
	mem_attrs_destroy(list);
}

static void a_list_may_ask_for_more(void **state)
{
	struct mem_attrs *list;

	(void)state;
	board("orin");
	list = one(LIST(NV12_OF(PITCH_LINEAR, 64, 64), ENGINES(GPU),
			ATTR(IMAGE_PLANE_ALIGN, uint32_t, 4096, 1)));
	has_u32(list, IMAGE_PLANE_ALIGN, 4096, 512);
	has_u64(list, IMAGE_ALIGN, 4096);
	has_u64(list, IMAGE_PLANE_OFFSET, 0, 4096);
	has_u64(list, IMAGE_SIZE, 8192);
	mem_attrs_destroy(list);
	list = one(LIST(RAW(1), ENGINES(VIC)));
	has_u64(list, RAW_ALIGN, 256);
	mem_attrs_destroy(list);
	list = one(LIST(RAW(1), ENGINES(VIC), ATTR(RAW_ALIGN, uint64_t, 8)));
	has_u64(list, RAW_ALIGN, 256);
	mem_attrs_destroy(list);
}

static struct mem_attrs *pair(struct mem_attrs *one, struct mem_attrs *other)
{
	struct mem_attrs *lists[] = { one, other }, *both;

	assert_int_equal(mem_attrs_append(lists, 2, &both), 0);
	destroy_all(lists, 2);
	return both;
}

static void lists_ask_for_planes_of_their_own(void **state)
{
	struct mem_attrs *list;

	(void)state;
	board("orin");
	list = one(pair(LIST(NV12_OF(PITCH_LINEAR, 64, 64),
			     ATTR(IMAGE_PLANE_ALIGN, uint32_t, 128)),
			LIST(ATTR(TYPES, uint32_t, MEM_ATTR_TYPE_IMAGE),
			     ATTR(IMAGE_PLANE_ALIGN, uint32_t, 64, 1024))));
	has_u32(list, IMAGE_PLANE_ALIGN, 128, 1024);
	mem_attrs_destroy(list);
}

static void rows_of_two_fields_interlace(void **state)
{
	struct mem_attrs *list;

	(void)state;
	board("orin");
	list = one(LIST(IMAGE_OF(PITCH_LINEAR, DRM_FORMAT_ABGR8888, 16, 11),
			ATTR(IMAGE_SCAN, uint32_t, MEM_SCAN_INTERLACE)));
	has_u32(list, IMAGE_PLANE_PITCH, 64);
	has_u32(list, IMAGE_PLANE_ALIGNED_HEIGHT, 6);
	has_u64(list, IMAGE_SIZE, 64 * 6 * 2);
	mem_attrs_destroy(list);
}

static void each_plane_has_a_value_of_each_key(void **state)
{
	(void)state;
	board("orin");
	conflicts(LIST(IMAGE_OF(PITCH_LINEAR, DRM_FORMAT_R8, 8, 8),
		       ATTR(IMAGE_PLANE_STD, uint32_t, 1, 1)),
		  "image.plane_std: conflict", "rule: it must have 1 values");
	conflicts(LIST(IMAGE_OF(PITCH_LINEAR, DRM_FORMAT_R8, 8, 8),
		       ATTR(IMAGE_PLANE_ALIGN, uint32_t, 1, 1)),
		  "image.plane_align: conflict", "  list 0: 1, 1\n");
}

static void sides_are_at_most_what_an_engine_takes(void **state)
{
	(void)state;
	board("orin");
	mem_attrs_destroy(one(LIST(IMAGE_OF(PITCH_LINEAR, DRM_FORMAT_R8, 16384,
					    16384), ENGINES(VIC))));
	conflicts(LIST(IMAGE_OF(PITCH_LINEAR, DRM_FORMAT_R8, 16385, 16384),
		       ENGINES(VIC)),
		  "image.plane_width: conflict",
		  "rule: the vic supports at most 16384");
	mem_attrs_destroy(one(LIST(IMAGE_OF(PITCH_LINEAR, DRM_FORMAT_R8, 131072,
					    65000), ENGINES(GPU))));
	conflicts(LIST(IMAGE_OF(PITCH_LINEAR, DRM_FORMAT_R8, 8, 65001),
		       ENGINES(GPU)),
		  "image.plane_height: conflict",
		  "rule: the gpu supports at most 65000");
}

static void sizes_are_bounded(void **state)
{
	(void)state;
	board("generic-coherent");
	conflicts(LIST(RAW((1ULL << 46) + 1)), "raw.size: conflict",
		  "rule: the result must be at most 70368744177664");
	mem_attrs_destroy(one(LIST(RAW(1ULL << 46))));
	conflicts(LIST(RAW(1), ATTR(RAW_ALIGN, uint64_t, 4 << 20)),
		  "raw.align: conflict", "at most 2097152");
	mem_attrs_destroy(one(LIST(RAW(1),
				   ATTR(RAW_ALIGN, uint64_t, 2 << 20))));
	conflicts(LIST(IMAGE_OF(PITCH_LINEAR, DRM_FORMAT_R8, UINT32_MAX,
				UINT32_MAX)),
		  "image.plane_width: conflict", "at most 70368744177664");
	conflicts(LIST(IMAGE_OF(PITCH_LINEAR, DRM_FORMAT_ABGR16161616,
				UINT32_MAX, 1)),
		  "image.plane_width: conflict", "at most 70368744177664");
	/* Each plane fits, but all together are too large. */
	conflicts(LIST(NV12_OF(PITCH_LINEAR, 1U << 31, 1U << 15)),
		  "image.plane_width: conflict", "at most 70368744177664");
	conflicts(LIST(ATTR(TYPES, uint32_t, MEM_ATTR_TYPE_ARRAY),
		       ATTR(ARRAY_DATA_TYPE, uint32_t, MEM_DATA_U8),
		       ATTR(ARRAY_STRIDE, uint64_t, UINT64_MAX),
		       ATTR(ARRAY_CAPACITY, uint64_t, 2)),
		  "array.capacity: conflict", "at most 70368744177664");
	conflicts(LIST(ATTR(TYPES, uint32_t, MEM_ATTR_TYPE_TENSOR),
		       ATTR(TENSOR_DATA_TYPE, uint32_t, MEM_DATA_F64),
		       ATTR(TENSOR_DIM_COUNT, uint32_t, 2),
		       ATTR(TENSOR_DIM_SIZE, uint64_t, 1ULL << 40, 1ULL << 4)),
		  "tensor.dim_size: conflict", "at most 70368744177664");
}

/* Block-linear images */

#define TEGRA_2D(block)	\
	DRM_FORMAT_MOD_NVIDIA_BLOCK_LINEAR_2D(0, 0, 0, 0xfe, block)
#define VOLTA_2D(block) \
	DRM_FORMAT_MOD_NVIDIA_BLOCK_LINEAR_2D(0, 1, 0, 0xfe, block)
#define TURING_2D(block) \
	DRM_FORMAT_MOD_NVIDIA_BLOCK_LINEAR_2D(0, 1, 2, 0x06, block)

static void a_block_is_as_high_as_the_image_up_to_16_gobs(void **state)
{
	static const struct {
		uint32_t height;
		uint32_t block;
		uint32_t aligned;
	} images[] = {
		{ 1, 0, 8 }, { 8, 0, 8 }, { 9, 1, 16 }, { 33, 3, 64 },
		{ 65, 4, 128 }, { 1080, 4, 1152 },
	};
	struct mem_attrs *list;
	size_t i;

	(void)state;
	board("nano");
	for (i = 0; i < NR(images); i++) {
		list = one(LIST(IMAGE_OF(BLOCK_LINEAR, DRM_FORMAT_R8, 65,
					 images[i].height), ENGINES(GPU)));
		has_u64(list, IMAGE_MODIFIER, TEGRA_2D(images[i].block));
		has_u32(list, IMAGE_PLANE_PITCH, 128);
		has_u32(list, IMAGE_PLANE_ALIGNED_HEIGHT, images[i].aligned);
		has_u64(list, IMAGE_SIZE, 128 * images[i].aligned);
		mem_attrs_destroy(list);
	}
	list = one(LIST(NV12_OF(BLOCK_LINEAR, 1920, 1080), ENGINES(VIC)));
	has_u32(list, IMAGE_PLANE_PITCH, 1920, 1920);
	has_u32(list, IMAGE_PLANE_ALIGNED_HEIGHT, 1152, 640);
	has_u64(list, IMAGE_PLANE_OFFSET, 0, 1920 * 1152);
	has_u64(list, IMAGE_ALIGN, 512);
	mem_attrs_destroy(list);
}

static void the_modifier_is_that_of_the_boards_engines(void **state)
{
	static const struct {
		const char *board;
		uint64_t modifier;
	} boards[] = {
		{ "nano", TEGRA_2D(0) }, { "tx2", TEGRA_2D(0) },
		{ "drive-px2", TEGRA_2D(0) }, { "xavier", VOLTA_2D(0) },
		{ "orin", TURING_2D(0) }, { "orin-nano", TURING_2D(0) },
		{ "thor", TURING_2D(0) },
	};
	struct mem_attrs *list;
	size_t i;

	(void)state;
	for (i = 0; i < NR(boards); i++) {
		board(boards[i].board);
		list = one(LIST(IMAGE_OF(BLOCK_LINEAR, DRM_FORMAT_R8, 8, 8),
				ENGINES(GPU | VIC | DMA), CPU));
		has_u64(list, IMAGE_MODIFIER, boards[i].modifier);
		mem_attrs_destroy(list);
		list = one(LIST(IMAGE_OF(BLOCK_LINEAR, DRM_FORMAT_R8, 8, 8)));
		has_u64(list, IMAGE_MODIFIER, boards[i].modifier);
		mem_attrs_destroy(list);
	}
}

static void block_linear_is_for_engines_that_take_it(void **state)
{
	(void)state;
	board("xavier");
	conflicts(LIST(NV12_OF(BLOCK_LINEAR, 64, 64), ENGINES(PVA | GPU)),
		  "image.layout: conflict",
		  "rule: the pva does not support this layout");
	board("orin");
	mem_attrs_destroy(one(LIST(NV12_OF(BLOCK_LINEAR, 64, 64),
				   ENGINES(PVA | GPU))));
	board("generic-coherent");
	conflicts(LIST(NV12_OF(BLOCK_LINEAR, 64, 64), ENGINES(GPU)),
		  "image.layout: conflict",
		  "rule: the gpu does not support this layout");
	conflicts(LIST(NV12_OF(BLOCK_LINEAR, 64, 64)),
		  "image.layout: conflict",
		  "rule: the board does not support this layout");
}

/* drm_fourcc.h: "incompatible with the equivalent mapping on other GPUs" */
static void two_gpus_need_not_place_pixels_the_same_way(void **state)
{
	struct mem_attrs *list;

	(void)state;
	board("drive-px2");
	list = one(LIST(NV12_OF(BLOCK_LINEAR, 64, 64), ENGINES(DGPU)));
	has_u64(list, IMAGE_MODIFIER, VOLTA_2D(3));
	mem_attrs_destroy(list);
	conflicts(LIST(NV12_OF(BLOCK_LINEAR, 64, 64), ENGINES(DGPU | GPU)),
		  "image.layout: conflict", "in a way of its own");
	mem_attrs_destroy(one(LIST(NV12_OF(PITCH_LINEAR, 64, 64),
				   ENGINES(DGPU | GPU))));
}

/* Tensors, arrays, pyramids */

static void a_tensor_is_dense_but_for_its_alignments(void **state)
{
	struct mem_attrs *list;

	(void)state;
	board("orin");
	list = one(LIST(ATTR(TYPES, uint32_t, MEM_ATTR_TYPE_TENSOR),
			ATTR(TENSOR_DATA_TYPE, uint32_t, MEM_DATA_F16),
			ATTR(TENSOR_DIM_COUNT, uint32_t, 4),
			ATTR(TENSOR_DIM_SIZE, uint64_t, 2, 3, 5, 7),
			ENGINES(DMA)));
	has_u64(list, TENSOR_DIM_STRIDE, 210, 70, 14, 2);
	has_u64(list, TENSOR_SIZE, 420);
	has_u64(list, TENSOR_BASE_ALIGN, 2);
	has_u32(list, TENSOR_DIM_ALIGN, 1, 1, 1, 1);
	mem_attrs_destroy(list);
	list = one(LIST(ATTR(TYPES, uint32_t, MEM_ATTR_TYPE_TENSOR),
			ATTR(TENSOR_DATA_TYPE, uint32_t, MEM_DATA_F16),
			ATTR(TENSOR_DIM_COUNT, uint32_t, 4),
			ATTR(TENSOR_DIM_SIZE, uint64_t, 2, 3, 5, 7),
			ATTR(TENSOR_DIM_ALIGN, uint32_t, 1, 1024, 32, 4),
			ENGINES(GPU)));
	has_u64(list, TENSOR_DIM_STRIDE, 3072, 1024, 32, 4);
	has_u64(list, TENSOR_SIZE, 6144);
	has_u64(list, TENSOR_BASE_ALIGN, 512);
	mem_attrs_destroy(list);
}

#define TENSOR_OF(type, nr, ...) \
	ATTR(TYPES, uint32_t, MEM_ATTR_TYPE_TENSOR), \
	ATTR(TENSOR_DATA_TYPE, uint32_t, MEM_DATA_##type), \
	ATTR(TENSOR_DIM_COUNT, uint32_t, nr), \
	ATTR(TENSOR_DIM_SIZE, uint64_t, __VA_ARGS__)

static void an_image_that_is_a_tensor_has_its_rows(void **state)
{
	struct mem_attrs *list;

	(void)state;
	board("orin");
	list = one(pair(LIST(IMAGE_OF(PITCH_LINEAR, DRM_FORMAT_BGR888, 100, 50),
			     ENGINES(VIC)), LIST(TENSOR_OF(U8, 4, 1, 50, 100,
							   3))));
	has_u32(list, TYPES, MEM_ATTR_TYPE_IMAGE, MEM_ATTR_TYPE_TENSOR);
	has_u32(list, IMAGE_PLANE_PITCH, 512);
	has_u64(list, TENSOR_DIM_STRIDE, 25600, 512, 3, 1);
	has_u64(list, TENSOR_SIZE, 25600);
	has_u64(list, IMAGE_SIZE, 25600);
	mem_attrs_destroy(list);
	/* The larger alignment of rows applies to the pitch, too. */
	list = one(pair(LIST(IMAGE_OF(PITCH_LINEAR, DRM_FORMAT_R8, 100, 50)),
			LIST(TENSOR_OF(U8, 2, 50, 100),
			     ATTR(TENSOR_DIM_ALIGN, uint32_t, 128, 1))));
	has_u32(list, IMAGE_PLANE_PITCH, 128);
	has_u64(list, TENSOR_DIM_STRIDE, 128, 1);
	mem_attrs_destroy(list);
	conflicts(pair(LIST(IMAGE_OF(PITCH_LINEAR, DRM_FORMAT_R8, 100, 50)),
		       LIST(TENSOR_OF(U8, 2, 50, 99))),
		  "tensor.dim_size: conflict", "must be the image's rows");
	conflicts(pair(LIST(IMAGE_OF(PITCH_LINEAR, DRM_FORMAT_R8, 100, 50)),
		       LIST(TENSOR_OF(U8, 2, 50, 100),
			    ATTR(TENSOR_DIM_ALIGN, uint32_t, 1, 2))),
		  "tensor.dim_align: conflict", "without gaps");
	conflicts(pair(LIST(IMAGE_OF(BLOCK_LINEAR, DRM_FORMAT_R8, 100, 50)),
		       LIST(TENSOR_OF(U8, 2, 50, 100))),
		  "image.layout: conflict", "is pitch-linear");
	conflicts(pair(LIST(NV12_OF(PITCH_LINEAR, 100, 50)),
		       LIST(TENSOR_OF(U8, 2, 50, 100))),
		  "image.plane_count: conflict", "has one plane");
}

static void an_array_has_room_for_its_capacity(void **state)
{
	struct mem_attrs *list;

	(void)state;
	board("orin");
	list = one(LIST(ATTR(TYPES, uint32_t, MEM_ATTR_TYPE_ARRAY),
			ATTR(ARRAY_DATA_TYPE, uint32_t, MEM_DATA_KEYPOINT),
			ATTR(ARRAY_STRIDE, uint64_t, 16),
			ATTR(ARRAY_CAPACITY, uint64_t, 100), ENGINES(PVA)));
	has_u64(list, ARRAY_SIZE, 1600);
	has_u64(list, ARRAY_ALIGN, 64);
	mem_attrs_destroy(list);
	conflicts(LIST(ATTR(TYPES, uint32_t, MEM_ATTR_TYPE_ARRAY),
		       ATTR(ARRAY_DATA_TYPE, uint32_t, MEM_DATA_KEYPOINT),
		       ATTR(ARRAY_STRIDE, uint64_t, 12),
		       ATTR(ARRAY_CAPACITY, uint64_t, 100)),
		  "array.stride: conflict", "rule: it must be a multiple of 8");
}

static void levels_of_a_pyramid_follow_each_other(void **state)
{
	struct mem_attrs *list;

	(void)state;
	board("orin");
	list = one(LIST(ATTR(TYPES, uint32_t, MEM_ATTR_TYPE_PYRAMID),
			ATTR(IMAGE_LAYOUT, uint32_t, MEM_LAYOUT_PITCH_LINEAR),
			ATTR(IMAGE_PLANE_COUNT, uint32_t, 1),
			ATTR(IMAGE_PLANE_FORMAT, uint32_t, DRM_FORMAT_R8),
			ATTR(IMAGE_PLANE_WIDTH, uint32_t, 100),
			ATTR(IMAGE_PLANE_HEIGHT, uint32_t, 3),
			ATTR(PYRAMID_LEVEL_COUNT, uint32_t, 4),
			ATTR(PYRAMID_SCALE, float, 0.5f), ENGINES(GPU)));
	/* 100x3 at 128, 50x1 at 64, 25x1 at 32, 12x1 at 32 */
	has_u64(list, PYRAMID_LEVEL_SIZE, 512, 512, 512, 512);
	has_u64(list, PYRAMID_LEVEL_OFFSET, 0, 512, 1024, 1536);
	has_u64(list, PYRAMID_SIZE, 2048);
	has_u64(list, PYRAMID_ALIGN, 512);
	has_u64(list, IMAGE_SIZE, 512);
	mem_attrs_destroy(list);
}

/* Who accesses a buffer */

static void engines_that_a_board_lacks_are_refused(void **state)
{
	(void)state;
	board("nano");
	conflicts(LIST(RAW(1), ENGINES(PVA)), "general.engines: conflict",
		  "rule: the board has no pva");
	conflicts(LIST(RAW(1), ENGINES(DGPU)), "general.engines: conflict",
		  "rule: the board has no dgpu");
	board("generic-coherent");
	conflicts(LIST(RAW(1), ENGINES(VIC)), "general.engines: conflict",
		  "rule: the board has no vic");
	mem_attrs_destroy(one(LIST(RAW(1), ENGINES(GPU | DMA))));
}

static void gpus_are_named_by_their_ids(void **state)
{
	static const uint8_t stranger[MEM_GPU_ID_LEN] = { 1 };
	uint8_t id[MEM_GPU_ID_LEN];
	struct mem_attrs *list;

	(void)state;
	board("orin");
	assert_int_equal(mem_ctx_gpu_id(ctx, MEM_ENGINE_GPU, id), 0);
	list = one(LIST(RAW(1), { MEM_ATTR_GPU_IDS, 0, id, sizeof(id) }));
	assert_memory_equal(value_of(list, MEM_ATTR_GPU_IDS, sizeof(id)), id,
			    sizeof(id));
	has_u64(list, RAW_ALIGN, 512);
	mem_attrs_destroy(list);
	/* The bit of an engine has the same effect as its id. */
	list = one(LIST(RAW(1), ENGINES(GPU)));
	assert_memory_equal(value_of(list, MEM_ATTR_GPU_IDS, sizeof(id)), id,
			    sizeof(id));
	mem_attrs_destroy(list);
#define STRANGER	{ MEM_ATTR_GPU_IDS, 0, stranger, sizeof(stranger) }
	conflicts(LIST(RAW(1), STRANGER), "general.gpu_ids: conflict",
		  "  list 0: 01000000-0000-0000-0000-000000000000\n"
		  "  rule: the board has no such GPU\n");
}

static struct mem_attr_gpu_value gpu_value(unsigned int engine, uint32_t value)
{
	struct mem_attr_gpu_value of = { .value = value };

	assert_int_equal(mem_ctx_gpu_id(ctx, engine, of.gpu_id), 0);
	return of;
}

/* Returns an engine's value of a key that has values for @nr GPUs. */
static uint32_t value_for(const struct mem_attrs *list, uint32_t key, size_t nr,
			  unsigned int engine)
{
	const struct mem_attr_gpu_value own = gpu_value(engine, 0);
	const struct mem_attr_gpu_value *values =
		value_of(list, key, nr * sizeof(*values));

	while (nr--)
		if (!memcmp(values[nr].gpu_id, own.gpu_id, MEM_GPU_ID_LEN))
			return values[nr].value;
	fail_msg("no value for the GPU");
	return 0;
}

static void who_caches_must_maintain_if_others_do_not(void **state)
{
	struct mem_attr_gpu_value off;
	struct mem_attrs *list, *other;

	(void)state;
	board("orin");
	list = one(LIST(RAW(1), ENGINES(GPU)));
	assert_int_equal(value_for(list, MEM_ATTR_GPU_CACHE, 1,
				   MEM_ENGINE_GPU), 1);
	assert_int_equal(value_for(list, MEM_ATTR_GPU_COHERENCY, 1,
				   MEM_ENGINE_GPU), 0);
	mem_attrs_destroy(list);
	list = one(LIST(RAW(1), ENGINES(GPU), CPU));
	assert_int_equal(value_for(list, MEM_ATTR_GPU_COHERENCY, 1,
				   MEM_ENGINE_GPU), 1);
	mem_attrs_destroy(list);
	list = one(LIST(RAW(1), ENGINES(GPU | DMA)));
	assert_int_equal(value_for(list, MEM_ATTR_GPU_COHERENCY, 1,
				   MEM_ENGINE_GPU), 1);
	mem_attrs_destroy(list);
	off = gpu_value(MEM_ENGINE_GPU, 0);
	list = one(LIST(RAW(1), ENGINES(GPU | DMA),
			{ MEM_ATTR_GPU_CACHE, 0, &off, sizeof(off) }));
	assert_int_equal(value_for(list, MEM_ATTR_GPU_CACHE, 1,
				   MEM_ENGINE_GPU), 0);
	assert_int_equal(value_for(list, MEM_ATTR_GPU_COHERENCY, 1,
				   MEM_ENGINE_GPU), 0);
	mem_attrs_destroy(list);
	conflicts(LIST(RAW(1), { MEM_ATTR_GPU_CACHE, 0, &off, sizeof(off) }),
		  "general.gpu_cache: conflict", "among general.gpu_ids");
	/* A list that asks for no cache is satisfied only by no cache. */
	list = one(LIST(RAW(1), ENGINES(GPU)));
	other = LIST({ MEM_ATTR_GPU_CACHE, 0, &off, sizeof(off) });
	assert_int_equal(mem_attrs_validate(list, &other, 1), -EADV);
	mem_attrs_destroy(other);
	off.gpu_id[0] ^= 1;
	other = LIST({ MEM_ATTR_GPU_CACHE, 0, &off, sizeof(off) });
	assert_int_equal(mem_attrs_validate(list, &other, 1), -EADV);
	mem_attrs_destroy(other);
	mem_attrs_destroy(list);
}

static void a_discrete_gpu_caches_its_own_memory_alone(void **state)
{
	uint8_t id[MEM_GPU_ID_LEN];
	struct mem_attrs *list;

	(void)state;
	board("drive-px2");
	assert_int_equal(mem_ctx_gpu_id(ctx, MEM_ENGINE_DGPU, id), 0);
	list = one(LIST(RAW(1), ENGINES(DGPU | GPU)));
	assert_int_equal(value_for(list, MEM_ATTR_GPU_CACHE, 2,
				   MEM_ENGINE_DGPU), 0);
	assert_int_equal(value_for(list, MEM_ATTR_GPU_CACHE, 2,
				   MEM_ENGINE_GPU), 1);
	assert_int_equal(value_for(list, MEM_ATTR_GPU_COHERENCY, 2,
				   MEM_ENGINE_GPU), 1);
	assert_int_equal(value_for(list, MEM_ATTR_GPU_COHERENCY, 2,
				   MEM_ENGINE_DGPU), 0);
	mem_attrs_destroy(list);
	list = one(LIST(RAW(1), ENGINES(DGPU | DMA),
			{ MEM_ATTR_VIDMEM_GPU_ID, 0, id, sizeof(id) }));
	assert_int_equal(value_for(list, MEM_ATTR_GPU_CACHE, 1,
				   MEM_ENGINE_DGPU), 1);
	mem_attrs_destroy(list);
	conflicts(LIST(RAW(1), ENGINES(DGPU | GPU),
		       { MEM_ATTR_VIDMEM_GPU_ID, 0, id, sizeof(id) }),
		  "general.vidmem_gpu_id: conflict", "reach its memory");
	conflicts(LIST(RAW(1), ENGINES(DGPU), CPU,
		       { MEM_ATTR_VIDMEM_GPU_ID, 0, id, sizeof(id) }),
		  "general.vidmem_gpu_id: conflict", "reach its memory");
	assert_int_equal(mem_ctx_gpu_id(ctx, MEM_ENGINE_GPU, id), 0);
	conflicts(LIST(RAW(1), { MEM_ATTR_VIDMEM_GPU_ID, 0, id, sizeof(id) }),
		  "general.vidmem_gpu_id: conflict", "memory of its own");
}

static void pixels_are_compressed_for_one_gpu_alone(void **state)
{
	struct mem_attr_gpu_value may, none;
	struct mem_attrs *list;

	(void)state;
	board("drive-px2");
	may = gpu_value(MEM_ENGINE_GPU, MEM_COMPRESSION_MAY);
	none = gpu_value(MEM_ENGINE_GPU, MEM_COMPRESSION_NONE);
#define MAY	{ MEM_ATTR_GPU_COMPRESSION, 0, &may, sizeof(may) }
#define NOT	{ MEM_ATTR_GPU_COMPRESSION, 0, &none, sizeof(none) }
	list = one(LIST(RAW(1), ENGINES(GPU), MAY));
	assert_int_equal(value_for(list, MEM_ATTR_GPU_COMPRESSION, 1,
				   MEM_ENGINE_GPU), MEM_COMPRESSION_MAY);
	mem_attrs_destroy(list);
	list = one(LIST(RAW(1), ENGINES(GPU)));
	assert_int_equal(value_for(list, MEM_ATTR_GPU_COMPRESSION, 1,
				   MEM_ENGINE_GPU), MEM_COMPRESSION_NONE);
	mem_attrs_destroy(list);
	list = one(LIST(RAW(1), ENGINES(GPU), MAY, CPU));
	assert_int_equal(value_for(list, MEM_ATTR_GPU_COMPRESSION, 1,
				   MEM_ENGINE_GPU), MEM_COMPRESSION_NONE);
	mem_attrs_destroy(list);
	list = one(LIST(RAW(1), ENGINES(GPU | DMA), MAY));
	assert_int_equal(value_for(list, MEM_ATTR_GPU_COMPRESSION, 1,
				   MEM_ENGINE_GPU), MEM_COMPRESSION_NONE);
	mem_attrs_destroy(list);
	list = one(LIST(RAW(1), ENGINES(GPU | DGPU), MAY));
	assert_int_equal(value_for(list, MEM_ATTR_GPU_COMPRESSION, 2,
				   MEM_ENGINE_GPU), MEM_COMPRESSION_NONE);
	mem_attrs_destroy(list);
	conflicts(pair(LIST(RAW(1), ENGINES(GPU), MAY), LIST(NOT)),
		  "general.gpu_compression: conflict", "must agree");
}

static void engines_that_do_not_snoop_need_maintenance(void **state)
{
	static const struct {
		const char *board;
		uint8_t coherency;
	} boards[] = {
		{ "nano", 1 }, { "tx2", 1 }, { "drive-px2", 1 },
		{ "xavier", 0 }, { "orin", 0 }, { "orin-nano", 0 },
		{ "thor", 0 }, { "generic-coherent", 0 },
		{ "generic-noncoherent", 1 },
	};
	struct mem_attrs *list;
	size_t i;

	(void)state;
	for (i = 0; i < NR(boards); i++) {
		board(boards[i].board);
		list = one(LIST(RAW(1), ENGINES(DMA), CPU));
		assert_int_equal(u8_of(list, CPU_COHERENCY),
				 boards[i].coherency);
		mem_attrs_destroy(list);
		list = one(LIST(RAW(1), ENGINES(DMA)));
		assert_int_equal(u8_of(list, CPU_COHERENCY), 0);
		mem_attrs_destroy(list);
		list = one(LIST(RAW(1), CPU));
		assert_int_equal(u8_of(list, CPU_COHERENCY), 0);
		mem_attrs_destroy(list);
		list = one(LIST(RAW(1), ENGINES(GPU), CPU,
				ATTR(CPU_CACHE, uint8_t, 0)));
		assert_int_equal(u8_of(list, CPU_COHERENCY), 0);
		mem_attrs_destroy(list);
	}
}

/* Formats */

static void a_format_is_planes_that_lists_take(void **state)
{
	struct mem_format_info info = { .size = sizeof(info) };
	struct mem_attrs *list;
	unsigned int format, i;

	(void)state;
	board("orin");
	assert_int_equal(mem_format_info(MEM_FORMAT_INVALID, &info), -EINVAL);
	assert_int_equal(mem_format_info(MEM_FORMAT_YUV420_ER_BL + 1, &info),
			 -EINVAL);
	assert_int_equal(mem_format_info(MEM_FORMAT_U8, NULL), -EINVAL);
	for (format = 1; format <= MEM_FORMAT_YUV420_ER_BL; format++) {
		assert_int_equal(mem_format_info(format, &info), 0);
		assert_true(info.nr_planes >= 1 &&
			    info.nr_planes <= MEM_PLANES_MAX);
		for (i = 0; i < info.nr_planes; i++) {
			list = one(LIST(IMAGE_OF(PITCH_LINEAR,
						 info.planes[i].fourcc, 7,
						 1)));
			has_u32(list, IMAGE_PLANE_PITCH,
				7 * info.planes[i].pixel_len);
			mem_attrs_destroy(list);
		}
	}
	assert_int_equal(mem_format_info(MEM_FORMAT_NV12_ER_BL, &info), 0);
	assert_int_equal(info.fourcc, DRM_FORMAT_NV12);
	assert_int_equal(info.layout, MEM_LAYOUT_BLOCK_LINEAR);
	assert_int_equal(info.color_std, MEM_COLOR_STD_REC601_ER);
	assert_int_equal(info.planes[1].x_div, 2);
	assert_int_equal(info.planes[1].nr_channels, 2);
	assert_string_equal(info.name, "nv12-er-bl");
	assert_int_equal(mem_format_info(MEM_FORMAT_YUV420, &info), 0);
	assert_int_equal(info.fourcc, DRM_FORMAT_YUV420);
	assert_int_equal(info.nr_planes, 3);
	assert_int_equal(info.planes[2].y_div, 2);
	/* Bytes R, G, B: DRM names words from the highest byte on. */
	assert_int_equal(mem_format_info(MEM_FORMAT_RGB8, &info), 0);
	assert_int_equal(info.fourcc, DRM_FORMAT_BGR888);
	assert_int_equal(info.planes[0].pixel_len, 3);
	assert_int_equal(mem_format_info(MEM_FORMAT_2F32, &info), 0);
	assert_int_equal(info.fourcc, 0);
	assert_int_equal(info.data_type, MEM_DATA_F32);
	assert_int_equal(info.planes[0].pixel_len, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_and_planes_are_as_the_users_need_them),
		cmocka_unit_test(a_list_may_ask_for_more),
		cmocka_unit_test(lists_ask_for_planes_of_their_own),
		cmocka_unit_test(rows_of_two_fields_interlace),
		cmocka_unit_test(each_plane_has_a_value_of_each_key),
		cmocka_unit_test(sides_are_at_most_what_an_engine_takes),
		cmocka_unit_test(sizes_are_bounded),
		cmocka_unit_test(a_block_is_as_high_as_the_image_up_to_16_gobs),
		cmocka_unit_test(the_modifier_is_that_of_the_boards_engines),
		cmocka_unit_test(block_linear_is_for_engines_that_take_it),
		cmocka_unit_test(two_gpus_need_not_place_pixels_the_same_way),
		cmocka_unit_test(a_tensor_is_dense_but_for_its_alignments),
		cmocka_unit_test(an_image_that_is_a_tensor_has_its_rows),
		cmocka_unit_test(an_array_has_room_for_its_capacity),
		cmocka_unit_test(levels_of_a_pyramid_follow_each_other),
		cmocka_unit_test(engines_that_a_board_lacks_are_refused),
		cmocka_unit_test(gpus_are_named_by_their_ids),
		cmocka_unit_test(who_caches_must_maintain_if_others_do_not),
		cmocka_unit_test(a_discrete_gpu_caches_its_own_memory_alone),
		cmocka_unit_test(pixels_are_compressed_for_one_gpu_alone),
		cmocka_unit_test(engines_that_do_not_snoop_need_maintenance),
		cmocka_unit_test(a_format_is_planes_that_lists_take),
	};

	return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
