// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Transforms: an engine converts, scales and crops images of two buffers.
 * NvBufferTransform() does this with the VIC.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nvbuf.h"

/**
 * struct side - a buffer of a transform
 * @image: libmem's image of the buffer, owned by the work
 * @width: pixels
 * @height: rows
 * @format: enum mem_format
 * @linear: enum mem_format of the same pixels in pitch-linear layout
 * @has_alpha: pixels have alpha; false if a fourth component is unused
 */
struct side {
	struct mem_image *image;
	uint32_t width;
	uint32_t height;
	unsigned int format;
	unsigned int linear;
	bool has_alpha;
};

/* Returns true if it is memory of CUDA. */
static bool transform_is_cuda(NvBufSurfaceMemType type)
{
	return type == NVBUF_MEM_CUDA_PINNED ||
	       type == NVBUF_MEM_CUDA_DEVICE || type == NVBUF_MEM_CUDA_UNIFIED;
}

/* Describes the planes of @picture, with offsets in its buffer. */
static int transform_fill_planes(const struct nvbuf_picture *picture,
				 struct mem_image_data *data)
{
	const NvBufSurfaceParams *shown = picture->shown;
	const NvBufSurfacePlaneParams *planes = &shown->planeParams;
	struct nvbuf_format format;
	struct mem_plane *plane;
	uint32_t i, x_div, y_div;

	if (shown->layout != NVBUF_LAYOUT_PITCH ||
	    nvbuf_format(shown->colorFormat, &format))
		return -EOPNOTSUPP;
	data->width = picture->width;
	data->height = picture->height;
	data->nr_planes = format.nr_planes;
	for (i = 0; i < data->nr_planes; i++) {
		plane = &data->planes[i];
		x_div = format.planes[i].x_div;
		y_div = format.planes[i].y_div;
		plane->width = (picture->width + x_div - 1) / x_div;
		plane->height = (picture->height + y_div - 1) / y_div;
		plane->pixel_len = format.planes[i].pixel_len;
		plane->pitch = planes->pitch[i];
		plane->off = planes->offset[i] +
			     (uint64_t)(picture->top / y_div) * plane->pitch +
			     picture->left / x_div * plane->pixel_len;
	}
	return 0;
}

static int transform_cuda_data(const struct nvbuf_picture *picture,
			       struct mem_image_data *data)
{
	const NvBufSurfaceParams *shown = picture->shown;
	uint32_t i;
	int rc;

	if (!shown->dataPtr)
		return -EINVAL;
	memset(data, 0, sizeof(*data));
	data->size = sizeof(*data);
	data->as = MEM_LOCK_DEVICE;
	data->fd = -1;
	data->format = nvbuf_to_mem(shown->colorFormat, shown->layout);
	if (!data->format)
		return -EOPNOTSUPP;
	rc = transform_fill_planes(picture, data);
	for (i = 0; i < data->nr_planes && !rc; i++)
		data->planes[i].base = (char *)shown->dataPtr +
				       data->planes[i].off;
	return rc;
}

/*
 * Describes the memory for mem_image_wrap(). The caller drops the reference to
 * an object.
 */
static int transform_picture_data(const struct nvbuf_picture *picture,
				  unsigned int access,
				  struct mem_image_data *data)
{
	struct nvbuf_batch *batch;
	unsigned int index;
	int rc;

	if (transform_is_cuda(picture->type))
		return transform_cuda_data(picture, data);
	/* It has no descriptor: 0 may be that of another buffer. */
	if (picture->type == NVBUF_MEM_SYSTEM)
		return -EOPNOTSUPP;
	batch = nvbuf_batch_of_fd(picture->shown->bufferDesc, &index);
	if (!batch)
		return -ENOENT;
	rc = nvbuf_data(batch, index, access, data);
	if (rc)
		return rc;
	if (!data->format)
		rc = -EOPNOTSUPP;
	else if (picture->is_part)
		rc = transform_fill_planes(picture, data);
	if (rc)
		mem_object_put(data->object);
	return rc;
}

/* Adds an image to those that are destroyed with the work. */
static int transform_keep_image(struct nvbuf_work *work,
				struct mem_image *image)
{
	const size_t len = (work->nr_images + 1) * sizeof(*work->images);
	struct mem_image **images = realloc(work->images, len);

	if (!images) {
		mem_image_destroy(image);
		return -ENOMEM;
	}
	work->images = images;
	work->images[work->nr_images++] = image;
	return 0;
}

static int transform_open_side(struct nvbuf_work *work,
			       const struct nvbuf_picture *picture,
			       unsigned int access, struct side *side)
{
	struct mem_image_data data;
	struct mem_ctx *ctx;
	int rc;

	rc = nvbuf_ctx(&ctx);
	if (!rc)
		rc = transform_picture_data(picture, access, &data);
	if (rc)
		return rc;
	side->width = picture->width;
	side->height = picture->height;
	side->format = data.format;
	side->linear = nvbuf_to_mem(picture->shown->colorFormat,
				    NVBUF_LAYOUT_PITCH);
	side->has_alpha =
		picture->shown->colorFormat != NVBUF_COLOR_FORMAT_RGBx &&
		picture->shown->colorFormat != NVBUF_COLOR_FORMAT_BGRx;
	rc = mem_image_wrap(ctx, &data, 1ULL << work->engine, &side->image);
	if (data.as == MEM_LOCK_OBJECT)
		mem_object_put(data.object);
	return rc ? rc : transform_keep_image(work, side->image);
}

/* Creates an image for the result of one job and the input of the next. */
static int transform_image_between(struct nvbuf_work *work, uint32_t width,
				   uint32_t height, unsigned int format,
				   struct mem_image **image)
{
	struct mem_ctx *ctx;
	int rc;

	rc = nvbuf_ctx(&ctx);
	if (!rc)
		rc = mem_image_create(ctx, width, height, format,
				      1ULL << work->engine, image);
	return rc ? rc : transform_keep_image(work, *image);
}

/* Transforms pitch-linear pixels, or copies pixels that both have in blocks. */
static int transform_linear(struct nvbuf_work *work, const struct side *dst,
			    const struct side *src)
{
	const unsigned int engine = work->engine;
	struct mem_image *scaled;
	int rc;

	/* libmem does not distinguish them, so alpha would not be set. */
	if (src->format == dst->format && dst->has_alpha && !src->has_alpha)
		return -EOPNOTSUPP;
	if (src->width == dst->width && src->height == dst->height)
		return src->format == dst->format ?
		       mem_image_copy(work->stream, engine, dst->image,
				      src->image) :
		       mem_image_convert(work->stream, engine, dst->image,
					 src->image, NULL);
	if (src->format == dst->format)
		return mem_image_rescale(work->stream, engine, dst->image,
					 src->image, work->interp,
					 MEM_BORDER_CLAMP);
	rc = transform_image_between(work, dst->width, dst->height, src->format,
				     &scaled);
	if (!rc)
		rc = mem_image_rescale(work->stream, engine, scaled, src->image,
				       work->interp, MEM_BORDER_CLAMP);
	return rc ? rc : mem_image_convert(work->stream, engine, dst->image,
					   scaled, NULL);
}

/* Block-linear pixels are converted to pitch-linear ones, and back. */
static int transform_unroll(struct nvbuf_work *work, const struct side *side,
			    struct side *linear)
{
	*linear = *side;
	if (side->format == side->linear)
		return 0;
	linear->format = side->linear;
	return transform_image_between(work, side->width, side->height,
				       side->linear, &linear->image);
}

static int transform_sides(struct nvbuf_work *work, const struct side *dst,
			   const struct side *src)
{
	struct side from, to;
	int rc;

	if (src->linear == dst->linear && src->width == dst->width &&
	    src->height == dst->height)
		return src->format == dst->format ?
		       transform_linear(work, dst, src) :
		       mem_image_convert(work->stream, work->engine, dst->image,
					 src->image, NULL);
	rc = transform_unroll(work, src, &from);
	if (!rc)
		rc = transform_unroll(work, dst, &to);
	if (!rc && from.image != src->image)
		rc = mem_image_convert(work->stream, work->engine, from.image,
				       src->image, NULL);
	if (!rc)
		rc = transform_linear(work, &to, &from);
	if (!rc && to.image != dst->image)
		rc = mem_image_convert(work->stream, work->engine, dst->image,
				       to.image, NULL);
	return rc;
}

/*
 * Returns true if @picture alone makes a transform impossible, and reports why.
 */
static bool transform_picture_lacks(const struct nvbuf_picture *picture)
{
	const NvBufSurfaceParams *shown = picture->shown;
	const NvBufSurfaceColorFormat color = shown->colorFormat;

	if (!nvbuf_to_mem(color, NVBUF_LAYOUT_PITCH))
		nvbuf_lacks("transform of NVBUF_COLOR_FORMAT_%s",
			    nvbuf_format_name(color));
	else if (!nvbuf_to_mem(color, shown->layout))
		nvbuf_lacks("transform of block-linear NVBUF_COLOR_FORMAT_%s",
			    nvbuf_format_name(color));
	else if (picture->is_part && shown->layout != NVBUF_LAYOUT_PITCH)
		nvbuf_lacks("transform of a part of a block-linear surface");
	else if (picture->type == NVBUF_MEM_SYSTEM)
		nvbuf_lacks("transform of NVBUF_MEM_SYSTEM");
	else
		return false;
	return true;
}

/* Reports why there is no such transform. */
static void transform_lacks(const struct nvbuf_work *work,
			    const struct nvbuf_picture *dst,
			    const struct nvbuf_picture *src)
{
	if (transform_picture_lacks(src) || transform_picture_lacks(dst))
		return;
	nvbuf_lacks("transform by %s: %s %ux%u to %s %ux%u",
		    work->engine == MEM_ENGINE_VIC ? "VIC" : "GPU",
		    nvbuf_format_name(src->shown->colorFormat), src->width,
		    src->height, nvbuf_format_name(dst->shown->colorFormat),
		    dst->width, dst->height);
}

/**
 * nvbuf_work_begin() - begin transforms
 * @work: in: @engine, @interp and @stream (NULL: a stream of its own); out:
 *	empty work
 *
 * Return: 0, or an error of mem_stream_create().
 */
int nvbuf_work_begin(struct nvbuf_work *work)
{
	struct mem_ctx *ctx;
	int rc;

	work->nr_images = 0;
	work->images = NULL;
	work->is_own = !work->stream;
	rc = nvbuf_ctx(&ctx);
	if (!rc && work->is_own)
		rc = mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING, 0,
				       &work->stream);
	return rc;
}

/**
 * nvbuf_work_add() - transform a buffer, or a part of it, to another one
 * @work: work from nvbuf_work_begin()
 * @dst: target, inside its buffer
 * @src: source, inside its buffer
 *
 * Return: 0, or -ENOENT (no buffer of this process), -EOPNOTSUPP (a format that
 * images do not support, memory that the engine cannot access, parts of
 * block-linear buffers), or an error of libmem's jobs.
 */
int nvbuf_work_add(struct nvbuf_work *work, const struct nvbuf_picture *dst,
		   const struct nvbuf_picture *src)
{
	struct side to, from;
	int rc;

	rc = transform_open_side(work, src, MEM_READ, &from);
	if (!rc)
		rc = transform_open_side(work, dst, MEM_WRITE, &to);
	if (!rc)
		rc = transform_sides(work, &to, &from);
	if (rc == -EOPNOTSUPP)
		transform_lacks(work, dst, src);
	return rc;
}

/* A picture of one colour, by the GPU: the CPU's caches have no part in it. */
static int transform_open_plain(struct nvbuf_work *work, uint32_t width,
				uint32_t height, const uint8_t *rgba,
				struct side *side)
{
	const double values[] = { rgba[0], rgba[1], rgba[2], rgba[3] };
	struct mem_ctx *ctx;
	int rc;

	*side = (struct side) {
		.width = width, .height = height, .format = MEM_FORMAT_RGBA8,
		.linear = MEM_FORMAT_RGBA8, .has_alpha = true,
	};
	rc = nvbuf_ctx(&ctx);
	if (!rc)
		rc = mem_image_create(ctx, width, height, side->format,
				      1ULL << MEM_ENGINE_GPU |
				      1ULL << work->engine, &side->image);
	if (!rc)
		rc = transform_keep_image(work, side->image);
	return rc ? rc : mem_image_fill(work->stream, MEM_ENGINE_GPU,
					side->image, values, 4);
}

/**
 * nvbuf_work_fill() - give each pixel of a buffer a colour
 * @work: begun
 * @dst: target
 * @rgba: colour
 *
 * Return: as nvbuf_work_add().
 */
int nvbuf_work_fill(struct nvbuf_work *work, const struct nvbuf_picture *dst,
		    const uint8_t *rgba)
{
	struct side to, from;
	int rc;

	rc = transform_open_side(work, dst, MEM_WRITE, &to);
	if (!rc)
		rc = transform_open_plain(work, to.width, to.height, rgba,
					  &from);
	if (!rc)
		rc = transform_sides(work, &to, &from);
	if (rc == -EOPNOTSUPP && !transform_picture_lacks(dst))
		nvbuf_lacks("a background of NVBUF_COLOR_FORMAT_%s",
			    nvbuf_format_name(dst->shown->colorFormat));
	return rc;
}

/**
 * nvbuf_work_end() - wait for transforms and free what they used
 * @work: work from nvbuf_work_begin(), even if that failed
 *
 * Return: 0, or an error of mem_stream_sync().
 */
int nvbuf_work_end(struct nvbuf_work *work)
{
	int rc = work->stream ? mem_stream_sync(work->stream) : 0;
	uint32_t i;

	if (work->is_own)
		mem_stream_destroy(work->stream);
	for (i = 0; i < work->nr_images; i++)
		mem_image_destroy(work->images[i]);
	free(work->images);
	work->images = NULL;
	return rc;
}
