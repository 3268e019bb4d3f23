// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * NvSciBuf: copies pixels between an image and planes of the program. The
 * program has one plane for each component of YUV; a plane of the image with
 * two components is split or merged.
 */
#include <errno.h>
#include <string.h>

#include "key.h"

#define PLANES_MAX	3U

/**
 * struct plane - a plane of the program, and the place of its pixels in the
 * image
 * @width: pixels
 * @height: rows
 * @len: bytes of a pixel of the program
 * @step: bytes from one pixel to the next in the image
 * @pitch: bytes from one row to the next in the image
 * @at: first pixel in the image
 */
struct plane {
	uint64_t width;
	uint64_t height;
	uint64_t len;
	uint64_t step;
	uint64_t pitch;
	uint8_t *at;
};

/**
 * struct pixels - an image
 * @attrs: attribute list of the image
 * @base: address of the image
 * @size: bytes
 * @nr_image_planes: number of planes of the image
 * @nr: number of @planes
 * @planes: planes of the program
 */
struct pixels {
	const struct mem_attrs *attrs;
	uint8_t *base;
	uint64_t size;
	uint32_t nr_image_planes;
	unsigned int nr;
	struct plane planes[PLANES_MAX + 1];
};

static uint64_t pixels_number(const struct pixels *pixels, uint32_t key,
			      size_t i)
{
	size_t len;
	const void *value = nvsci_get(pixels->attrs, 0, key, &len);

	switch (key) {
	case MEM_ATTR_IMAGE_PLANE_OFFSET:
	case MEM_ATTR_IMAGE_SIZE:
		return value ? ((const uint64_t *)value)[i] : 0;
	case MEM_ATTR_IMAGE_PLANE_CHANNELS:
		return value ? ((const uint8_t *)value)[i] : 0;
	default:
		return value ? ((const uint32_t *)value)[i] : 0;
	}
}

static bool pixels_is_image(const struct mem_attrs *attrs)
{
	size_t i, len;
	const uint32_t *types = nvsci_get(attrs, 0, MEM_ATTR_TYPES, &len);

	for (i = 0; types && i < len / sizeof(*types); i++)
		if (types[i] == MEM_ATTR_TYPE_IMAGE)
			return true;
	return false;
}

/* Returns true if V is the first component of the plane of U and V. */
static bool pixels_is_v_first(const struct pixels *pixels)
{
	NvSciBufAttrKeyValuePair pair = {
		.key = NvSciBufImageAttrKey_PlaneColorFormat,
	};
	uint32_t color;

	if (nvsci_value_out(pixels->attrs, 0, nvsci_key(pair.key), &pair.value,
			    &pair.len) || pair.len < 2 * sizeof(color))
		return false;
	memcpy(&color, (const uint8_t *)pair.value + sizeof(color),
	       sizeof(color));
	return color == NvSciColor_U8V8 || color == NvSciColor_U10V10 ||
	       color == NvSciColor_U12V12 || color == NvSciColor_U16V16;
}

static void pixels_add_plane(struct pixels *pixels, size_t i)
{
	const uint64_t step = pixels_number(pixels, MEM_ATTR_IMAGE_PLANE_BITS,
					    i) / 8;

	pixels->planes[pixels->nr++] = (struct plane) {
		.width = pixels_number(pixels, MEM_ATTR_IMAGE_PLANE_WIDTH, i),
		.height = pixels_number(pixels, MEM_ATTR_IMAGE_PLANE_HEIGHT, i),
		.len = step,
		.step = step,
		.pitch = pixels_number(pixels, MEM_ATTR_IMAGE_PLANE_PITCH, i),
		.at = pixels->base +
		      pixels_number(pixels, MEM_ATTR_IMAGE_PLANE_OFFSET, i),
	};
}

/* Splits the newest plane, which has U and V, into two of the program. */
static void pixels_split_plane(struct pixels *pixels)
{
	struct plane *u = &pixels->planes[pixels->nr - 1];
	struct plane *v = &pixels->planes[pixels->nr++];

	u->len /= 2;
	*v = *u;
	if (pixels_is_v_first(pixels))
		u->at += u->len;
	else
		v->at += v->len;
}

static NvSciError pixels_read_image(struct pixels *pixels)
{
	size_t i;

	if (pixels_number(pixels, MEM_ATTR_IMAGE_LAYOUT, 0) !=
	    MEM_LAYOUT_PITCH_LINEAR ||
	    pixels_number(pixels, MEM_ATTR_IMAGE_SCAN, 0) == MEM_SCAN_INTERLACE)
		return NvSciError_NotSupported;
	pixels->size = pixels_number(pixels, MEM_ATTR_IMAGE_SIZE, 0);
	pixels->nr_image_planes =
		(uint32_t)pixels_number(pixels, MEM_ATTR_IMAGE_PLANE_COUNT, 0);
	for (i = 0; i < pixels->nr_image_planes; i++)
		pixels_add_plane(pixels, i);
	if (pixels->nr_image_planes == 2 &&
	    pixels_number(pixels, MEM_ATTR_IMAGE_PLANE_CHANNELS, 1) == 2)
		pixels_split_plane(pixels);
	return NvSciError_Success;
}

/*
 * Selects a part; only an image with one plane that is no YUV surface has any.
 */
static NvSciError pixels_cut(struct pixels *pixels, const NvSciBufRect *rect)
{
	struct plane *plane = pixels->planes;

	if (!rect)
		return NvSciError_Success;
	if (pixels->nr != 1 ||
	    nvsci_get(pixels->attrs, 0, MEM_ATTR_CLIENT + KEPT_SURFACE, NULL))
		return NvSciError_BadParameter;
	if (rect->x0 > rect->x1 || rect->x1 > plane->width ||
	    rect->y0 > rect->y1 || rect->y1 > plane->height)
		return NvSciError_BadParameter;
	plane->at += rect->y0 * plane->pitch + rect->x0 * plane->step;
	plane->width = rect->x1 - rect->x0;
	plane->height = rect->y1 - rect->y0;
	return NvSciError_Success;
}

static bool pixels_overlap(const void *one, uint64_t one_len, const void *other,
			   uint64_t other_len)
{
	return (uintptr_t)one < (uintptr_t)other + other_len &&
	       (uintptr_t)other < (uintptr_t)one + one_len;
}

static bool pixels_planes_fit(const struct pixels *pixels, void *const *ptrs,
			      const uint32_t *sizes, const uint32_t *pitches)
{
	unsigned int i, k;

	for (i = 0; i < pixels->nr; i++) {
		const struct plane *plane = &pixels->planes[i];
		const uint64_t row = plane->width * plane->len;

		if (!ptrs[i] || !sizes[i] || !pitches[i] || row > pitches[i])
			return false;
		if (plane->height && (plane->height - 1) * pitches[i] + row >
		    sizes[i])
			return false;
		if (pixels_overlap(ptrs[i], sizes[i], pixels->base,
				   pixels->size))
			return false;
		for (k = 0; k < i; k++)
			if (pixels_overlap(ptrs[i], sizes[i], ptrs[k],
					   sizes[k]))
				return false;
	}
	return true;
}

static void pixels_copy_row(const struct plane *plane, uint8_t *image,
			    uint8_t *own, bool is_put)
{
	uint64_t x;

	if (plane->len == plane->step) {
		memcpy(is_put ? image : own, is_put ? own : image,
		       plane->width * plane->len);
		return;
	}
	for (x = 0; x < plane->width; x++) {
		memcpy(is_put ? image : own, is_put ? own : image, plane->len);
		image += plane->step;
		own += plane->len;
	}
}

/* If @is_put, @ptrs are read, else written. */
static NvSciError pixels_copy(NvSciBufObj object, const NvSciBufRect *rect,
			      void *const *ptrs, const uint32_t *sizes,
			      const uint32_t *pitches, bool is_put)
{
	struct pixels pixels = { 0 };
	const struct plane *plane;
	NvSciError error;
	void *base;
	uint64_t y;
	unsigned int i;
	int err;

	if (!ptrs || !sizes || !pitches || !nvsci_object_is(object))
		return NvSciError_BadParameter;
	pixels.attrs = mem_object_attrs(object_of(object));
	if (!pixels_is_image(pixels.attrs))
		return NvSciError_BadParameter;
	err = mem_object_cpu_ptr(object_of(object), is_put ? MEM_RW : MEM_READ,
				 &base);
	if (err)
		return err == -EACCES ? NvSciError_BadParameter :
		       nvsci_error(err);
	pixels.base = base;
	error = pixels_read_image(&pixels);
	if (!error)
		error = pixels_cut(&pixels, rect);
	if (!error && !pixels_planes_fit(&pixels, ptrs, sizes, pitches))
		error = NvSciError_BadParameter;
	for (i = 0; !error && i < pixels.nr; i++) {
		plane = &pixels.planes[i];
		for (y = 0; y < plane->height; y++)
			pixels_copy_row(plane, plane->at + y * plane->pitch,
					(uint8_t *)ptrs[i] + y * pitches[i],
					is_put);
	}
	return error;
}

API NvSciError NvSciBufObjGetPixels(NvSciBufObj bufObj,
				    const NvSciBufRect *rect, void **dstPtrs,
				    const uint32_t *dstPtrSizes,
				    const uint32_t *dstPitches)
{
	return pixels_copy(bufObj, rect, dstPtrs, dstPtrSizes, dstPitches,
			   false);
}

API NvSciError NvSciBufObjPutPixels(NvSciBufObj bufObj,
				    const NvSciBufRect *rect,
				    const void **srcPtrs,
				    const uint32_t *srcPtrSizes,
				    const uint32_t *srcPitches)
{
	return pixels_copy(bufObj, rect, (void *const *)srcPtrs, srcPtrSizes,
			   srcPitches, true);
}
