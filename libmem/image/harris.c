// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: the Harris corner detector, in two steps: the first computes the
 * score of each pixel into scratch memory, the second selects keypoints.
 *
 * Gradients are those of VPI's documentation ("Harris Corner Detector"): a
 * smoothing column times a derivative row, divided by 4, 16 or 64. Sums of
 * their products over a block give the matrix M, and the score is det(M) - k
 * trace(M)^2. The score of a pixel whose windows exceed the image is 0.
 */
#include "view.h"

/**
 * struct sobel - filter of a gradient
 * @smooth: factors across the direction
 * @derive: factors along the direction
 * @scale: divisor of the result
 */
struct sobel {
	int8_t smooth[7];
	int8_t derive[7];
	uint8_t scale;
};

/**
 * struct candidate - a pixel that may be a keypoint
 * @score: score
 * @at: y * width + x
 */
struct candidate {
	float score;
	uint32_t at;
};

/**
 * struct scratch - memory used by both steps
 * @scores: score of each pixel
 * @heap: candidates, a binary heap with the best one first
 * @cells: newest keypoint in each cell, its number plus 1; 0: none
 * @next: for each keypoint, the previous one in its cell, its number plus 1
 *
 * Each array has as many elements as the image has pixels.
 */
struct scratch {
	float *scores;
	struct candidate *heap;
	uint32_t *cells;
	uint32_t *next;
};

static const struct sobel *harris_sobel_of(uint32_t len)
{
	static const struct sobel filters[] = {
		{ { 1, 2, 1 }, { -1, 0, 1 }, 4 },
		{ { 1, 4, 6, 4, 1 }, { -1, -2, 0, 2, 1 }, 16 },
		{ { 1, 6, 15, 20, 15, 6, 1 }, { -1, -4, -5, 0, 5, 4, 1 }, 64 },
	};

	return &filters[len / 2 - 1];
}

/**
 * harris_scratch_len() - return the length of the scratch memory
 * @width: width of the image, pixels
 * @height: height of the image, rows
 *
 * Return: bytes.
 */
uint64_t harris_scratch_len(uint32_t width, uint32_t height)
{
	return (uint64_t)width * height *
	       (sizeof(float) + sizeof(struct candidate) +
		2 * sizeof(uint32_t));
}

static struct scratch harris_scratch_of(void *memory, const struct view *src)
{
	const size_t nr = (size_t)src->width * src->height;
	struct scratch scratch;

	scratch.scores = memory;
	scratch.heap = (struct candidate *)(scratch.scores + nr);
	scratch.cells = (uint32_t *)(scratch.heap + nr);
	scratch.next = scratch.cells + nr;
	return scratch;
}

static void harris_gradient_at(const struct view *src, uint32_t len, uint32_t x,
			       uint32_t y, int64_t *gradient)
{
	const struct sobel *sobel = harris_sobel_of(len);
	const enum comp comp = pixel_of(src->format)->comp;
	const uint8_t *row;
	int64_t value;
	uint32_t i, j;

	gradient[0] = 0;
	gradient[1] = 0;
	for (i = 0; i < len; i++) {
		row = row_of(&src->planes[0], y - len / 2 + i);
		for (j = 0; j < len; j++) {
			value = comp_load(comp, row, x - len / 2 + j);
			gradient[0] += value * sobel->smooth[i] *
				       sobel->derive[j];
			gradient[1] += value * sobel->smooth[j] *
				       sobel->derive[i];
		}
	}
}

/**
 * struct tensor - sums of products of gradients
 * @xx: both along the row
 * @yy: both along the column
 * @xy: one of each
 */
struct tensor {
	int64_t xx;
	int64_t yy;
	int64_t xy;
};

/* Adds the products of a column of the block. */
static void harris_tensor_add(struct tensor *sum, const struct view *src,
			      const struct mem_harris *how, uint32_t x,
			      uint32_t y)
{
	const uint32_t half = how->block_len / 2;
	int64_t gradient[2];
	uint32_t i;

	for (i = y - half; i <= y + half; i++) {
		harris_gradient_at(src, how->gradient_len, x, i, gradient);
		sum->xx += gradient[0] * gradient[0];
		sum->yy += gradient[1] * gradient[1];
		sum->xy += gradient[0] * gradient[1];
	}
}

static float harris_score_of(const struct tensor *sum,
			     const struct mem_harris *how)
{
	const double scale = harris_sobel_of(how->gradient_len)->scale;
	const double xx = (double)sum->xx / (scale * scale);
	const double yy = (double)sum->yy / (scale * scale);
	const double xy = (double)sum->xy / (scale * scale);
	const double trace = xx + yy;

	return (float)(xx * yy - xy * xy -
		       (double)how->sensitivity * trace * trace);
}

static void harris_score_row(const struct view *src,
			     const struct mem_harris *how, uint32_t y,
			     float *scores)
{
	const uint32_t margin = how->gradient_len / 2 + how->block_len / 2;
	const uint32_t nr = how->block_len;
	/* Sums of the block's columns, a ring buffer */
	struct tensor columns[7], sum = { 0 };
	uint32_t x, at;

	memset(columns, 0, sizeof(columns));
	for (x = margin - nr / 2; x < src->width - how->gradient_len / 2; x++) {
		struct tensor *column = &columns[x % nr];

		sum.xx -= column->xx;
		sum.yy -= column->yy;
		sum.xy -= column->xy;
		memset(column, 0, sizeof(*column));
		harris_tensor_add(column, src, how, x, y);
		sum.xx += column->xx;
		sum.yy += column->yy;
		sum.xy += column->xy;
		at = x - nr / 2;
		if (x >= margin + nr / 2)
			scores[at] = harris_score_of(&sum, how);
	}
}

/**
 * harris_scores() - compute the score of each pixel
 * @src: image of one integer component
 * @how: parameters, checked
 * @memory: harris_scratch_len() bytes, aligned to 8
 * @part: rows to be computed
 *
 * Sums are exact, scores are in double precision and then rounded to a float.
 */
void harris_scores(const struct view *src, const struct mem_harris *how,
		   void *memory, const struct part *part)
{
	const struct scratch scratch = harris_scratch_of(memory, src);
	const uint32_t margin = how->gradient_len / 2 + how->block_len / 2;
	const size_t width = src->width;
	uint32_t y, end;

	part_rows(part, src->height, &y, &end);
	for (; y < end; y++) {
		float *scores = scratch.scores + y * width;

		memset(scores, 0, width * sizeof(*scores));
		if (y >= margin && src->height - y > margin &&
		    src->width > 2 * margin)
			harris_score_row(src, how, y, scores);
	}
}

/* Of equal scores, the one further down, then further right, is better. */
static bool harris_is_better(const struct candidate *one,
			     const struct candidate *other)
{
	return one->score > other->score ||
	       (one->score == other->score && one->at > other->at);
}

static void harris_heap_sink(struct candidate *heap, size_t nr, size_t at)
{
	const struct candidate one = heap[at];
	size_t child;

	while ((child = 2 * at + 1) < nr) {
		if (child + 1 < nr &&
		    harris_is_better(&heap[child + 1], &heap[child]))
			child++;
		if (!harris_is_better(&heap[child], &one))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = one;
}

static size_t harris_heap_make(const struct view *src, float strength,
			       const struct scratch *scratch)
{
	const size_t nr_pixels = (size_t)src->width * src->height;
	size_t i, nr = 0;

	for (i = 0; i < nr_pixels; i++)
		if (scratch->scores[i] > 0 && scratch->scores[i] >= strength)
			scratch->heap[nr++] = (struct candidate) {
				scratch->scores[i], (uint32_t)i,
			};
	for (i = nr / 2; i-- > 0;)
		harris_heap_sink(scratch->heap, nr, i);
	return nr;
}

static void harris_put_keypoint(const struct harris_out *out, uint64_t at,
				float x, float y, float score)
{
	const struct mem_keypoint point = { x, y };
	uint32_t whole;

	memcpy((uint8_t *)out->keypoints + at * out->keypoint_stride, &point,
	       sizeof(point));
	if (!out->scores)
		return;
	if (out->is_float) {
		memcpy((uint8_t *)out->scores + at * out->score_stride, &score,
		       sizeof(score));
		return;
	}
	whole = score >= 4294967296.0f ? UINT32_MAX :
		(uint32_t)nearest(score, true);
	memcpy((uint8_t *)out->scores + at * out->score_stride, &whole,
	       sizeof(whole));
}

/**
 * struct grid - keypoints, found by the cell that contains them
 * @scratch: memory of the cells
 * @out: memory of the keypoints
 * @distance: minimum distance of keypoints
 * @cell_len: side of a cell, pixels, at least @distance
 * @width: number of cells in a row
 * @height: number of rows of cells
 */
struct grid {
	const struct scratch *scratch;
	const struct harris_out *out;
	double distance;
	uint32_t cell_len;
	uint32_t width;
	uint32_t height;
};

static bool harris_is_near(const struct grid *grid, uint32_t number, uint32_t x,
			   uint32_t y)
{
	struct mem_keypoint point;
	double dx, dy;

	memcpy(&point, (uint8_t *)grid->out->keypoints +
	       number * grid->out->keypoint_stride, sizeof(point));
	dx = (double)point.x - x;
	dy = (double)point.y - y;
	return dx * dx + dy * dy < grid->distance * grid->distance;
}

static bool harris_is_covered(const struct grid *grid, uint32_t x, uint32_t y)
{
	const uint32_t cx = x / grid->cell_len, cy = y / grid->cell_len;
	const uint32_t last_x = cx + 1 < grid->width ? cx + 1 : cx;
	const uint32_t last_y = cy + 1 < grid->height ? cy + 1 : cy;
	uint32_t i, j, number;

	for (i = cy ? cy - 1 : 0; i <= last_y; i++)
		for (j = cx ? cx - 1 : 0; j <= last_x; j++) {
			number = grid->scratch->cells[i * grid->width + j];
			for (; number; number = grid->scratch->next[number - 1])
				if (harris_is_near(grid, number - 1, x, y))
					return true;
		}
	return false;
}

static void harris_cell_add(const struct grid *grid, uint32_t number,
			    uint32_t x, uint32_t y)
{
	uint32_t *cell = &grid->scratch->cells[y / grid->cell_len *
					       grid->width +
					       x / grid->cell_len];

	grid->scratch->next[number] = *cell;
	*cell = number + 1;
}

static struct grid harris_grid_make(const struct view *src, float distance,
				    const struct scratch *scratch,
				    const struct harris_out *out)
{
	const uint32_t longest = src->width > src->height ? src->width :
							    src->height;
	struct grid grid = { scratch, out, distance, 1, 0, 0 };

	/* A cell is at most as large as the image. */
	if (distance >= (float)longest)
		grid.cell_len = longest;
	else if (distance > 1)
		grid.cell_len = (uint32_t)distance +
				((float)(uint32_t)distance < distance);
	grid.width = (src->width - 1) / grid.cell_len + 1;
	grid.height = (src->height - 1) / grid.cell_len + 1;
	memset(scratch->cells, 0, (size_t)grid.width * grid.height *
	       sizeof(*scratch->cells));
	return grid;
}

/**
 * harris_pick() - select keypoints
 * @src: as in harris_scores()
 * @how: as in harris_scores()
 * @memory: scores of harris_scores(), all parts
 * @out: memory of the keypoints
 *
 * Pixels with a score above 0 are taken from the best score down. A pixel is a
 * keypoint unless one with a better score is nearer than the distance. This
 * ends when there is no more room.
 */
void harris_pick(const struct view *src, const struct mem_harris *how,
		 void *memory, const struct harris_out *out)
{
	const struct scratch scratch = harris_scratch_of(memory, src);
	const struct grid grid =
		harris_grid_make(src, how->min_distance, &scratch, out);
	size_t nr = harris_heap_make(src, how->strength, &scratch);
	struct candidate *heap = scratch.heap;
	uint64_t found = 0;
	uint32_t x, y;

	while (nr && found < out->capacity) {
		const struct candidate best = heap[0];

		heap[0] = heap[--nr];
		harris_heap_sink(heap, nr, 0);
		x = best.at % src->width;
		y = best.at / src->width;
		if (harris_is_covered(&grid, x, y))
			continue;
		harris_put_keypoint(out, found, (float)x, (float)y, best.score);
		harris_cell_add(&grid, (uint32_t)found++, x, y);
	}
	*out->counts[0] = found;
	*out->counts[1] = found;
}
