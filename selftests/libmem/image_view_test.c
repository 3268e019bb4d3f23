// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the algorithms of image jobs as functions over planes: each case of
 * image_cases.py, in one part and in several, with padded rows at any
 * alignment. Needs no context. Prints TAP.
 */
#include "image_cases.h"

#include "../../libmem/image/view.h"

/* Bytes that nothing may overwrite */
#define CANARY		0xc7
#define SPACE		(1U << 20)

static uint8_t src_memory[SPACE], dst_memory[SPACE];

/* Makes planes at an odd address, in memory that is full of canaries. */
static struct view view_make(uint8_t *memory, uint32_t format, uint32_t width,
			     uint32_t height)
{
	const struct mem_format_info info = format_info(format);
	struct view view = {
		.format = format,
		.width = width,
		.height = height,
		.nr_planes = info.nr_planes,
	};
	size_t off = 1;
	uint32_t i;

	memset(memory, CANARY, SPACE);
	for (i = 0; i < info.nr_planes; i++) {
		struct mem_plane *plane = &view.planes[i];

		plane->width = side(width, info.planes[i].x_div);
		plane->height = side(height, info.planes[i].y_div);
		plane->pixel_len = info.planes[i].pixel_len;
		plane->pitch = plane->width * plane->pixel_len + 3 + 2 * i;
		plane->base = memory + off;
		off += (size_t)plane->pitch * plane->height + 5;
	}
	assert_true(off <= SPACE);
	return view;
}

/* Returns true if all bytes outside the pixels are canaries. */
static bool is_clean(uint8_t *memory, const struct view *view)
{
	uint32_t i, y;
	size_t at;

	for (i = 0; i < view->nr_planes; i++)
		for (y = 0; y < view->planes[i].height; y++)
			memset(row_of(&view->planes[i], y), CANARY,
			       (size_t)view->planes[i].width *
			       view->planes[i].pixel_len);
	for (at = 0; at < SPACE; at++)
		if (memory[at] != CANARY)
			return false;
	return true;
}

static void run_part(const struct case_head *head, const struct view *dst,
		     const struct view *src, const struct part *part)
{
	const struct mem_convert how = {
		.size = sizeof(how),
		.is_saturating = head->ints[0],
		.scale = head->reals[0],
		.offset = head->reals[1],
	};

	switch (head->op) {
	case CASE_COPY:
		view_copy(dst, src, part);
		break;
	case CASE_FILL:
		view_fill(dst, head->reals, part);
		break;
	case CASE_CONVERT:
		assert_true(view_can_convert(dst->format, src->format, &how));
		view_convert(dst, src, &how, part);
		break;
	case CASE_RESCALE:
		view_rescale(dst, src, head->ints[0], head->ints[1], part);
		break;
	default:
		view_box(dst, src, head->ints[1], head->ints[2],
			 head->ints[0], part);
		break;
	}
}

static void try_case(const struct case_head *head, const uint8_t *bytes,
		     uint32_t nr_parts)
{
	static uint8_t packed[SPACE];
	const bool is_float = head->dst_format == MEM_FORMAT_F32 ||
			      head->dst_format == MEM_FORMAT_2F32;
	struct part part = { .of = nr_parts };
	struct view dst, src = { 0 };

	if (head->src_format) {
		src = view_make(src_memory, head->src_format, head->src_width,
				head->src_height);
		planes_move(src.planes, src.nr_planes, (uint8_t *)bytes, true);
	}
	dst = view_make(dst_memory, head->dst_format, head->dst_width,
			head->dst_height);
	for (part.at = 0; part.at < part.of; part.at++)
		run_part(head, &dst, &src, &part);
	planes_move(dst.planes, dst.nr_planes, packed, false);
	if (!is_same_result(is_float, packed, bytes + head->src_len,
			    head->dst_len))
		case_fail(head, "wrong pixels");
	if (!is_clean(dst_memory, &dst))
		case_fail(head, "padding was written");
	if (!head->src_format)
		return;
	planes_move(src.planes, src.nr_planes, packed, false);
	if (memcmp(packed, bytes, head->src_len))
		case_fail(head, "the source was written");
}

/* Tries all cases of an operation, and returns their number. */
static unsigned int try_all(enum case_op op)
{
	const uint8_t *at = NULL;
	struct case_head head;
	unsigned int nr = 0;

	while ((at = case_next(at, &head))) {
		if (head.op != op)
			continue;
		try_case(&head, at + sizeof(head), 1);
		try_case(&head, at + sizeof(head), 3);
		try_case(&head, at + sizeof(head), 64);
		nr++;
	}
	return nr;
}

static void copies_are_right(void **state)
{
	(void)state;
	assert_int_equal(try_all(CASE_COPY), 19);
}

static void fills_are_right(void **state)
{
	(void)state;
	assert_int_equal(try_all(CASE_FILL), 19);
}

static void conversions_are_right(void **state)
{
	(void)state;
	assert_true(try_all(CASE_CONVERT) > 400);
}

static void scaled_images_are_right(void **state)
{
	(void)state;
	assert_true(try_all(CASE_RESCALE) > 60);
}

static void averages_are_right(void **state)
{
	(void)state;
	assert_true(try_all(CASE_BOX) > 80);
}

static void try_corners(const struct case_head *head, const uint8_t *bytes,
			bool is_float, uint32_t nr_parts)
{
	const struct mem_harris how = {
		.size = sizeof(how),
		.gradient_len = head->ints[0],
		.block_len = head->ints[1],
		.strength = (float)head->reals[0],
		.sensitivity = (float)head->reals[1],
		.min_distance = (float)head->reals[2],
	};
	static struct mem_keypoint points[2001];
	static uint32_t scores[2 * 2001];
	uint64_t counts[2] = { UINT64_MAX, UINT64_MAX };
	struct harris_out out = {
		.keypoints = points,
		.scores = scores,
		.keypoint_stride = sizeof(*points),
		.score_stride = 8,
		.is_float = is_float,
		.capacity = head->ints[2],
		.counts = { &counts[0], &counts[1] },
	};
	const size_t nr = head->dst_len / 12;
	struct part part = { .of = nr_parts };
	const float *want = (const float *)(bytes + head->src_len);
	float one[3];
	struct view src;
	void *scratch;
	size_t i;

	memset(points, CANARY, sizeof(points));
	src = view_make(src_memory, head->src_format, head->src_width,
			head->src_height);
	planes_move(src.planes, src.nr_planes, (uint8_t *)bytes, true);
	scratch = malloc(harris_scratch_len(src.width, src.height));
	assert_non_null(scratch);
	for (part.at = 0; part.at < part.of; part.at++)
		harris_scores(&src, &how, scratch, &part);
	harris_pick(&src, &how, scratch, &out);
	free(scratch);
	if (counts[0] != nr || counts[1] != nr)
		case_fail(head, "wrong number of keypoints");
	for (i = 0; i < nr; i++) {
		memcpy(one, want + 3 * i, sizeof(one));
		if (points[i].x != one[0] || points[i].y != one[1])
			case_fail(head, "wrong keypoint");
		if (!is_same_score(is_float, &scores[2 * i], one[2]))
			case_fail(head, "wrong score");
	}
	assert_int_equal(*(uint8_t *)&points[nr], CANARY);
}

static void corners_are_right(void **state)
{
	const uint8_t *at = NULL;
	struct case_head head;
	unsigned int nr = 0, nr_found = 0;

	(void)state;
	while ((at = case_next(at, &head))) {
		if (head.op != CASE_HARRIS)
			continue;
		try_corners(&head, at + sizeof(head), true, 1);
		try_corners(&head, at + sizeof(head), false, 5);
		nr++;
		nr_found += head.dst_len > 12;
	}
	assert_int_equal(nr, 37);
	assert_true(nr_found > 20);
}

static void halves_go_away_from_zero(void **state)
{
	(void)state;
	assert_int_equal(div_nearest(5, 2), 3);
	assert_int_equal(div_nearest(-5, 2), -3);
	assert_int_equal(div_nearest(-4, 3), -1);
	assert_int_equal(nearest(2.5, true), 3);
	assert_int_equal(nearest(-2.5, true), -3);
	assert_int_equal(nearest(0.49999999999999994, true), 0);
	assert_int_equal(nearest(1e300, true), INT64_MAX);
	assert_int_equal(nearest(-1e300, false), 0);
	assert_int_equal(nearest(__builtin_nan(""), true), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(halves_go_away_from_zero),
		cmocka_unit_test(copies_are_right),
		cmocka_unit_test(fills_are_right),
		cmocka_unit_test(conversions_are_right),
		cmocka_unit_test(scaled_images_are_right),
		cmocka_unit_test(averages_are_right),
		cmocka_unit_test(corners_are_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
