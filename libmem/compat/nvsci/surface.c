// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * NvSciBuf: YUV surfaces. The keys of a surface replace those of its planes. A
 * list keeps both: when the last mandatory key of a surface is set, the planes'
 * keys are computed and set, too.
 */
#include <string.h>

#include "key.h"

/* In the order of the vendor's keys */
enum surface_key {
	SURFACE_TYPE,
	SURFACE_MEMORY,
	SURFACE_SAMPLE,
	SURFACE_BPC,
	SURFACE_ORDER,
	SURFACE_WIDTH,
	SURFACE_HEIGHT,
	SURFACE_STD,
	NR_SURFACE
};

#define NR_MANDATORY	SURFACE_STD

/**
 * struct surface - values of the keys of a surface
 * @had: bits of keys that the list had before
 * @has: bits of keys that the list has after setting
 * @is: values
 */
struct surface {
	uint32_t had;
	uint32_t has;
	uint32_t is[NR_SURFACE];
};

/* Luma, two planes of U and V (U in the low bits, V in the low bits), U, V */
static const uint32_t formats[][5] = {
	[NvSciSurfBPC_Layout_16_8_8] = {
		NvSciColor_Y16, NvSciColor_V8U8, NvSciColor_U8V8,
		NvSciColor_U8, NvSciColor_V8 },
	[NvSciSurfBPC_Layout_10_8_8] = {
		NvSciColor_Y10, NvSciColor_V8U8, NvSciColor_U8V8,
		NvSciColor_U8, NvSciColor_V8 },
	[NvSciSurfBPC_8] = {
		NvSciColor_Y8, NvSciColor_V8U8, NvSciColor_U8V8,
		NvSciColor_U8, NvSciColor_V8 },
	[NvSciSurfBPC_10] = {
		NvSciColor_Y10, NvSciColor_V10U10, NvSciColor_U10V10,
		NvSciColor_U10, NvSciColor_V10 },
	[NvSciSurfBPC_12] = {
		NvSciColor_Y12, NvSciColor_V12U12, NvSciColor_U12V12,
		NvSciColor_U12, NvSciColor_V12 },
	/* As the vendor does: two bits of each component are unused */
	[NvSciSurfBPC_14] = {
		NvSciColor_Y16, NvSciColor_V16U16, NvSciColor_U16V16,
		NvSciColor_U16, NvSciColor_V16 },
	[NvSciSurfBPC_16] = {
		NvSciColor_Y16, NvSciColor_V16U16, NvSciColor_U16V16,
		NvSciColor_U16, NvSciColor_V16 },
};

static void surface_look_at(struct surface *surface,
			    const struct mem_attrs *attrs,
			    const struct nvsci_values *values)
{
	const void *value;
	size_t i;

	for (i = 0; i < NR_SURFACE; i++) {
		value = nvsci_get(attrs, 0,
				  MEM_ATTR_CLIENT + KEPT_SURFACE + i, NULL);
		if (!value)
			continue;
		memcpy(&surface->is[i], value, sizeof(surface->is[i]));
		surface->had |= 1U << i;
	}
	surface->has = surface->had;
	for (i = 0; i < values->nr; i++) {
		const uint32_t at = values->attrs[i].key - MEM_ATTR_CLIENT -
				    KEPT_SURFACE;

		if (at >= NR_SURFACE)
			continue;
		memcpy(&surface->is[at], values->attrs[i].value,
		       sizeof(surface->is[at]));
		surface->has |= 1U << at;
	}
}

/* Chroma has half the width, half the height, or both. */
static void surface_sides(const struct surface *surface, uint32_t *width,
			  uint32_t *height, uint32_t nr)
{
	const uint32_t sample = surface->is[SURFACE_SAMPLE];
	const bool is_narrow = sample == NvSciSurfSampleType_420 ||
			       sample == NvSciSurfSampleType_422;
	const bool is_low = sample == NvSciSurfSampleType_420 ||
			    sample == NvSciSurfSampleType_422R;
	uint32_t i;

	for (i = 0; i < nr; i++) {
		width[i] = surface->is[SURFACE_WIDTH];
		height[i] = surface->is[SURFACE_HEIGHT];
		if (i && is_narrow)
			width[i] = width[i] / 2 + width[i] % 2;
		if (i && is_low)
			height[i] = height[i] / 2 + height[i] % 2;
	}
}

static uint32_t surface_planes(const struct surface *surface, uint32_t *color)
{
	const uint32_t *of = formats[surface->is[SURFACE_BPC]];
	const bool is_yvu = surface->is[SURFACE_ORDER] ==
			    NvSciSurfComponentOrder_YVU;

	color[0] = of[0];
	if (surface->is[SURFACE_SAMPLE] == NvSciSurfSampleType_400)
		return 1;
	if (surface->is[SURFACE_MEMORY] == NvSciSurfMemLayout_SemiPlanar) {
		color[1] = is_yvu ? of[2] : of[1];
		return 2;
	}
	color[1] = is_yvu ? of[4] : of[3];
	color[2] = is_yvu ? of[3] : of[4];
	return 3;
}

static NvSciError surface_add_planes(const struct surface *surface,
				     struct nvsci_values *values, uint32_t *nr)
{
	uint32_t color[NV_SCI_BUF_IMAGE_MAX_PLANES];
	uint32_t width[NV_SCI_BUF_IMAGE_MAX_PLANES];
	uint32_t height[NV_SCI_BUF_IMAGE_MAX_PLANES];
	const size_t len = sizeof(uint32_t);
	bool is_luma, has_no_chroma;
	const void *copy;

	is_luma = surface->is[SURFACE_ORDER] == NvSciSurfComponentOrder_Luma;
	has_no_chroma = surface->is[SURFACE_SAMPLE] == NvSciSurfSampleType_400;
	if (is_luma != has_no_chroma)
		return NvSciError_BadParameter;
	*nr = surface_planes(surface, color);
	surface_sides(surface, width, height, *nr);
	nvsci_values_add(values, MEM_ATTR_IMAGE_PLANE_COUNT, nr, len);
	nvsci_values_add(values, MEM_ATTR_IMAGE_PLANE_WIDTH, width, *nr * len);
	nvsci_values_add(values, MEM_ATTR_IMAGE_PLANE_HEIGHT, height,
			 *nr * len);
	/*
	 * nvsci_value_in() refers to the value, so it needs a copy that stays.
	 */
	copy = memcpy(values->bytes + values->used, color, *nr * len);
	values->used += 16;
	return nvsci_value_in(values,
			      nvsci_key(NvSciBufImageAttrKey_PlaneColorFormat),
			      copy, *nr * len);
}

static NvSciError surface_add_std(const struct surface *surface,
				  struct nvsci_values *values, uint32_t nr)
{
	uint32_t *std = (uint32_t *)(values->bytes + values->used);
	uint32_t i;

	for (i = 0; i < nr; i++)
		std[i] = surface->is[SURFACE_STD];
	values->used += 16;
	return nvsci_value_in(values,
			      nvsci_key(NvSciBufImageAttrKey_PlaneColorStd),
			      std, nr * sizeof(*std));
}

/**
 * nvsci_surface_in() - set the planes' keys if a surface's are complete
 * @attrs: unreconciled list of one slot
 * @values: values to be set; the planes' keys are added
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter: luma alone with a
 * sample type that has chroma, or the reverse.
 */
NvSciError nvsci_surface_in(const struct mem_attrs *attrs,
			    struct nvsci_values *values)
{
	const uint32_t mandatory = (1U << NR_MANDATORY) - 1;
	const uint32_t std = 1U << SURFACE_STD;
	struct surface surface = { 0 };
	NvSciError error;
	uint32_t nr, color[NV_SCI_BUF_IMAGE_MAX_PLANES];

	surface_look_at(&surface, attrs, values);
	if ((surface.has & mandatory) != mandatory ||
	    surface.has == surface.had)
		return NvSciError_Success;
	if ((surface.had & mandatory) == mandatory) {
		nr = surface_planes(&surface, color);
	} else {
		error = surface_add_planes(&surface, values, &nr);
		if (error)
			return error;
	}
	return surface.has & std ? surface_add_std(&surface, values, nr) :
	       NvSciError_Success;
}
