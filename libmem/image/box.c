// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: averages over a window. For integers the sum is updated along the
 * row: the column that enters the window is added, and the one that leaves it
 * is subtracted.
 */
#include "view.h"

/**
 * struct window - a window over one component of a plane
 * @src: plane that is read
 * @comp: type of its components
 * @nr: number of components of a pixel
 * @at: index of the component
 * @half_width: pixels to either side of the centre
 * @half_height: rows to either side of the centre
 * @is_clamped: beyond the plane, its nearest pixel is used; else 0
 */
struct window {
	const struct mem_plane *src;
	enum comp comp;
	uint32_t nr;
	uint32_t at;
	int64_t half_width;
	int64_t half_height;
	bool is_clamped;
};

/* Finds a component of the window. Returns false if it counts as 0. */
static bool box_window_place(const struct window *window, int64_t x, int64_t y,
			     const uint8_t **row, size_t *at)
{
	const struct mem_plane *src = window->src;
	const int64_t near_x = within(x, src->width);
	const int64_t near_y = within(y, src->height);

	if (!window->is_clamped && (near_x != x || near_y != y))
		return false;
	*row = row_of(src, (uint32_t)near_y);
	*at = (size_t)near_x * window->nr + window->at;
	return true;
}

static int64_t box_column_sum(const struct window *window, int64_t x, int64_t y)
{
	const uint8_t *row;
	int64_t i, sum = 0;
	size_t at;

	for (i = y - window->half_height; i <= y + window->half_height; i++)
		if (box_window_place(window, x, i, &row, &at))
			sum += comp_load(window->comp, row, at);
	return sum;
}

static void box_row_average(const struct window *window, uint8_t *to, int64_t y)
{
	const int64_t half = window->half_width;
	const int64_t nr = (2 * half + 1) * (2 * window->half_height + 1);
	int64_t x, sum = 0;

	for (x = -half; x < half; x++)
		sum += box_column_sum(window, x, y);
	for (x = 0; x < window->src->width; x++) {
		sum += box_column_sum(window, x + half, y);
		comp_store(window->comp, to,
			   (size_t)x * window->nr + window->at,
			   div_nearest(sum, nr));
		sum -= box_column_sum(window, x - half, y);
	}
}

static void box_row_average_floats(const struct window *window, uint8_t *to,
				   int64_t y)
{
	const int64_t half = window->half_width;
	const int64_t nr = (2 * half + 1) * (2 * window->half_height + 1);
	const uint8_t *row;
	int64_t x, i, j;
	double sum;
	size_t at;

	for (x = 0; x < window->src->width; x++) {
		sum = 0;
		for (i = y - window->half_height;
		     i <= y + window->half_height; i++)
			for (j = x - half; j <= x + half; j++)
				if (box_window_place(window, j, i, &row, &at))
					sum += float_load(row, at);
		float_store(to, (size_t)x * window->nr + window->at,
			    (float)(sum / (double)nr));
	}
}

/**
 * view_box() - average over a window
 * @dst: image of the format and sides of @src
 * @src: image of one plane
 * @width: width of the window, odd
 * @height: height of the window, odd
 * @border: enum mem_border
 * @part: rows to be computed
 *
 * Floats are summed in double precision, row by row of the window.
 */
void view_box(const struct view *dst, const struct view *src, uint32_t width,
	      uint32_t height, unsigned int border, const struct part *part)
{
	const struct mem_plane *to = &dst->planes[0];
	struct window window = {
		.src = &src->planes[0],
		.comp = pixel_of(src->format)->comp,
		.half_width = width / 2,
		.half_height = height / 2,
		.is_clamped = border == MEM_BORDER_CLAMP,
	};
	uint32_t y, end;

	window.nr = to->pixel_len / comp_len(window.comp);
	part_rows(part, to->height, &y, &end);
	for (; y < end; y++)
		for (window.at = 0; window.at < window.nr; window.at++)
			if (window.comp == COMP_F32)
				box_row_average_floats(&window, row_of(to, y),
						       y);
			else
				box_row_average(&window, row_of(to, y), y);
}
