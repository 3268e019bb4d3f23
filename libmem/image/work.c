// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: table of which engine supports what for which format, and the
 * dispatch of the work.
 *
 * The table is that of VPI's reference documentation (tables of backends at
 * vpiSubmitConvertImageFormat(), vpiSubmitRescale(), vpiSubmitBoxFilter() and
 * vpiSubmitHarrisCornerDetector(), VPI 2 to 4). Its CPU and CUDA columns lack
 * some formats; here the CPU and GPUs support all. VPI has no fills, and no
 * table for copies: a copy is treated as a conversion of a format to itself;
 * only the CPU and GPUs support fills.
 */
#include "job.h"

#define F(name)		(1U << MEM_FORMAT_##name)
#define ALL_FORMATS	UINT32_MAX
#define NO_LIMIT	UINT32_MAX

#define VIC_COLOURS	(F(Y8) | F(Y8_ER) | F(NV12) | F(NV12_ER) | F(YUV420) | \
			 F(YUV420_ER) | F(RGBA8) | F(BGRA8))
#define VIC_SCALABLE	(VIC_COLOURS | F(Y16) | F(Y16_ER))
#define VIC_BLOCKS	(F(NV12_BL) | F(NV12_ER_BL) | F(YUV420_BL) | \
			 F(YUV420_ER_BL))

/* These support everything. */
#define GPUS_AND_CPU	(1U << MEM_ENGINE_GPU | 1U << MEM_ENGINE_DGPU)

/**
 * struct offer - work that an engine supports
 * @op: enum work_op
 * @engine: enum mem_engine
 * @from: formats of the source
 * @to: formats of the target
 * @min: minimum width and height of each image
 * @max: maximum width and height of each image
 */
struct offer {
	enum work_op op;
	unsigned int engine;
	uint32_t from;
	uint32_t to;
	uint32_t min[2];
	uint32_t max[2];
};

static const struct offer offers[] = {
	{ WORK_COPY, MEM_ENGINE_VIC, VIC_SCALABLE | VIC_BLOCKS | F(2S16),
	  VIC_SCALABLE | VIC_BLOCKS | F(2S16),
	  { 1, 1 }, { NO_LIMIT, NO_LIMIT } },
	{ WORK_CONVERT, MEM_ENGINE_VIC, VIC_COLOURS | VIC_BLOCKS,
	  VIC_COLOURS | VIC_BLOCKS, { 1, 1 }, { NO_LIMIT, NO_LIMIT } },
	{ WORK_CONVERT, MEM_ENGINE_VIC, F(Y16), F(Y16),
	  { 1, 1 }, { NO_LIMIT, NO_LIMIT } },
	{ WORK_CONVERT, MEM_ENGINE_VIC, F(Y16_ER), F(Y16_ER),
	  { 1, 1 }, { NO_LIMIT, NO_LIMIT } },
	{ WORK_CONVERT, MEM_ENGINE_VIC, F(2S16), F(2S16),
	  { 1, 1 }, { NO_LIMIT, NO_LIMIT } },
	{ WORK_RESCALE, MEM_ENGINE_VIC, VIC_SCALABLE, VIC_SCALABLE,
	  { 16, 16 }, { 16384, 16384 } },
	{ WORK_BOX, MEM_ENGINE_PVA, F(U8) | F(U16) | F(S16),
	  F(U8) | F(U16) | F(S16), { 65, 33 }, { 3264, 2448 } },
	{ WORK_SCORES, MEM_ENGINE_PVA, F(S16), ALL_FORMATS,
	  { 160, 120 }, { 3264, 2448 } },
};

static bool work_has_sides(const struct offer *offer, const struct view *view)
{
	return view->width >= offer->min[0] && view->height >= offer->min[1] &&
	       view->width <= offer->max[0] && view->height <= offer->max[1];
}

static bool work_is_among(uint32_t formats, const struct view *view)
{
	return formats >> view->format & 1;
}

static bool work_is_even(const struct view *view)
{
	return pixel_of(view->format)->family != FAMILY_YUV420 ||
	       (view->width % 2 == 0 && view->height % 2 == 0);
}

/* Returns true if the sides differ by a factor of at most 16. */
static bool work_is_near_in_size(uint32_t one, uint32_t other)
{
	return (uint64_t)one * 16 >= other && (uint64_t)other * 16 >= one;
}

/* Rules of the VIC: even sides with chroma, saturation, no scale, clamping */
static bool work_vic_supports(const struct work_args *work)
{
	if (!work_is_even(&work->src) || !work_is_even(&work->dst))
		return false;
	if (work->op == WORK_CONVERT)
		return work->how.is_saturating && work->how.offset == 0 &&
		       (work->how.scale == 0 || work->how.scale == 1);
	if (work->op == WORK_RESCALE)
		return work->rescale.border == MEM_BORDER_CLAMP &&
		       work_is_near_in_size(work->src.width, work->dst.width) &&
		       work_is_near_in_size(work->src.height, work->dst.height);
	return true;
}

/* The PVA only supports a minimum distance of eight pixels. */
static bool work_pva_supports(const struct work_args *work)
{
	return work->op != WORK_SCORES || work->harris.how.min_distance == 8;
}

/**
 * work_is_offered() - check whether an engine supports some work
 * @work: work; its addresses need not be set
 * @engine: enum mem_engine or MEM_ENGINE_CPU
 *
 * Return: true if it does.
 */
bool work_is_offered(const struct work_args *work, unsigned int engine)
{
	const struct offer *offer;

	if (engine == MEM_ENGINE_CPU || GPUS_AND_CPU >> engine & 1)
		return true;
	for (offer = offers; offer < offers + sizeof(offers) / sizeof(*offers);
	     offer++) {
		if (offer->op != work->op || offer->engine != engine ||
		    !work_is_among(offer->from, &work->src) ||
		    !work_has_sides(offer, &work->src))
			continue;
		if (work->dst.format &&
		    (!work_is_among(offer->to, &work->dst) ||
		     !work_has_sides(offer, &work->dst)))
			continue;
		return engine == MEM_ENGINE_VIC ? work_vic_supports(work) :
						  work_pva_supports(work);
	}
	return false;
}

/**
 * work_run() - do a part of the work
 * @work: work
 * @part: part to be done; WORK_PICK has only one
 *
 * Context: in an engine's process or a host function.
 */
void work_run(const struct work_args *work, const struct part *part)
{
	const struct work_harris *harris = &work->harris;

	switch (work->op) {
	case WORK_COPY:
		view_copy(&work->dst, &work->src, part);
		break;
	case WORK_FILL:
		view_fill(&work->dst, work->value, part);
		break;
	case WORK_CONVERT:
		view_convert(&work->dst, &work->src, &work->how, part);
		break;
	case WORK_RESCALE:
		view_rescale(&work->dst, &work->src, work->rescale.interp,
			     work->rescale.border, part);
		break;
	case WORK_BOX:
		view_box(&work->dst, &work->src, work->box.width,
			 work->box.height, work->box.border, part);
		break;
	case WORK_SCORES:
		harris_scores(&work->src, &harris->how, harris->scratch, part);
		break;
	case WORK_PICK:
		harris_pick(&work->src, &harris->how, harris->scratch,
			    &harris->out);
		break;
	case WORK_UPDATE:
		views_update(&work->dst, &work->src, work->is_array, part);
		break;
	}
}
