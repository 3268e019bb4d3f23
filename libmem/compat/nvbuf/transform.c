// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Transforms: an engine converts, scales and crops images of two buffers; and
 * NvBufferTransform(), which does so by the VIC.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nvbuf.h"
#include "nvbuf_utils.h"

/**
 * struct _NvBufferSession - nothing but a name: each transform waits
 * @reserved: 0
 */
struct _NvBufferSession {
	int reserved;
};

API NvBufferSession NvBufferSessionCreate(void)
{
	return calloc(1, sizeof(struct _NvBufferSession));
}

API void NvBufferSessionDestroy(NvBufferSession session)
{
	free(session);
}

/**
 * struct side - a buffer of a transform
 * @image: libmem's image of it; the work's
 * @width: pixels
 * @height: rows
 * @format: enum mem_format
 * @has_alpha: the fourth component of its pixels, if there is one, is alpha
 */
struct side {
	struct mem_image *image;
	uint32_t width;
	uint32_t height;
	unsigned int format;
	bool has_alpha;
};

/* Returns true if CUDA allocated such memory. */
static bool type_is_cuda(NvBufSurfaceMemType type)
{
	return type == NVBUF_MEM_CUDA_PINNED ||
	       type == NVBUF_MEM_CUDA_DEVICE || type == NVBUF_MEM_CUDA_UNIFIED;
}

/* The planes of @picture, with offsets from the start of its buffer. */
static int planes_fill(const struct nvbuf_picture *picture,
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

static int cuda_data(const struct nvbuf_picture *picture,
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
	rc = planes_fill(picture, data);
	for (i = 0; i < data->nr_planes && !rc; i++)
		data->planes[i].base = (char *)shown->dataPtr +
				       data->planes[i].off;
	return rc;
}

/* What libmem is to wrap. An object has one reference, the caller's. */
static int picture_data(const struct nvbuf_picture *picture,
			struct mem_image_data *data)
{
	struct nvbuf_batch *batch;
	unsigned int index;
	int rc;

	if (type_is_cuda(picture->type))
		return cuda_data(picture, data);
	/* It has no descriptor, and 0 may be another buffer's. */
	if (picture->type == NVBUF_MEM_SYSTEM)
		return -EOPNOTSUPP;
	batch = nvbuf_batch_of_fd(picture->shown->bufferDesc, &index);
	if (!batch)
		return -ENOENT;
	rc = nvbuf_data(batch, index, data);
	if (rc || !picture->is_part)
		return rc;
	rc = planes_fill(picture, data);
	if (rc)
		mem_object_put(data->object);
	return rc;
}

/* The work keeps @image until it is done. */
static int work_keep(struct nvbuf_work *work, struct mem_image *image)
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

static int side_open(struct nvbuf_work *work,
		     const struct nvbuf_picture *picture, struct side *side)
{
	struct mem_image_data data;
	struct mem_ctx *ctx;
	int rc;

	rc = nvbuf_ctx(&ctx);
	if (!rc)
		rc = picture_data(picture, &data);
	if (rc)
		return rc;
	side->width = picture->width;
	side->height = picture->height;
	side->format = data.format;
	side->has_alpha =
		picture->shown->colorFormat != NVBUF_COLOR_FORMAT_RGBx &&
		picture->shown->colorFormat != NVBUF_COLOR_FORMAT_BGRx;
	rc = mem_image_wrap(ctx, &data, 1ULL << work->engine, &side->image);
	if (data.as == MEM_LOCK_OBJECT)
		mem_object_put(data.object);
	return rc ? rc : work_keep(work, side->image);
}

static int sides_transform(struct nvbuf_work *work, const struct side *dst,
			   const struct side *src)
{
	const unsigned int engine = work->engine;
	struct mem_image *scaled;
	struct mem_ctx *ctx;
	int rc;

	/* To libmem both are one format: alpha would not be set. */
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
	rc = nvbuf_ctx(&ctx);
	if (!rc)
		rc = mem_image_create(ctx, dst->width, dst->height, src->format,
				      1ULL << engine, &scaled);
	if (!rc)
		rc = work_keep(work, scaled);
	if (!rc)
		rc = mem_image_rescale(work->stream, engine, scaled, src->image,
				       work->interp, MEM_BORDER_CLAMP);
	return rc ? rc : mem_image_convert(work->stream, engine, dst->image,
					   scaled, NULL);
}

/**
 * nvbuf_work_begin() - begin transforms
 * @work: in and out: @engine, @interp, and @stream, which NULL makes its own
 *
 * Return: 0, or as mem_stream_create().
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
 * nvbuf_work_add() - transform a buffer into another, or parts
 * @work: begun
 * @dst: target, inside its buffer
 * @src: source, inside its buffer
 *
 * Return: 0, or -ENOENT (no buffer of this process), -EOPNOTSUPP (a format that
 * images lack, memory that the engine has no access to, block-linear parts), or
 * as libmem's jobs.
 */
int nvbuf_work_add(struct nvbuf_work *work, const struct nvbuf_picture *dst,
		   const struct nvbuf_picture *src)
{
	struct side to, from;
	int rc;

	rc = side_open(work, src, &from);
	if (!rc)
		rc = side_open(work, dst, &to);
	return rc ? rc : sides_transform(work, &to, &from);
}

/**
 * nvbuf_work_end() - wait for transforms, and give back what they used
 * @work: begun, also if that failed
 *
 * Return: 0, or as mem_stream_sync().
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

/* Returns false if @rect is not inside the buffer. */
static bool picture_crop(struct nvbuf_picture *picture,
			 const NvBufferRect *rect)
{
	if (!rect->width || !rect->height ||
	    (uint64_t)rect->left + rect->width > picture->width ||
	    (uint64_t)rect->top + rect->height > picture->height)
		return false;
	picture->is_part = rect->width != picture->width ||
			   rect->height != picture->height;
	picture->left = rect->left;
	picture->top = rect->top;
	picture->width = rect->width;
	picture->height = rect->height;
	return true;
}

static int picture_of_fd(int fd, struct nvbuf_picture *picture)
{
	const struct nvbuf_batch *batch;
	unsigned int index;

	batch = nvbuf_batch_of_fd(fd, &index);
	if (!batch)
		return -ENOENT;
	*picture = (struct nvbuf_picture) {
		.shown = &batch->surf.surfaceList[index],
		.type = batch->surf.memType,
		.width = batch->surf.surfaceList[index].width,
		.height = batch->surf.surfaceList[index].height,
	};
	return 0;
}

static int params_apply(const NvBufferTransformParams *params,
			struct nvbuf_picture *dst, struct nvbuf_picture *src)
{
	if (params->transform_flag & NVBUFFER_TRANSFORM_FLIP &&
	    params->transform_flip != NvBufferTransform_None)
		return -EOPNOTSUPP;
	if (params->transform_flag & NVBUFFER_TRANSFORM_CROP_SRC &&
	    !picture_crop(src, &params->src_rect))
		return -EINVAL;
	if (params->transform_flag & NVBUFFER_TRANSFORM_CROP_DST &&
	    !picture_crop(dst, &params->dst_rect))
		return -EINVAL;
	return 0;
}

API int NvBufferTransform(int src_dmabuf_fd, int dst_dmabuf_fd,
			  NvBufferTransformParams *transform_params)
{
	struct nvbuf_work work = { .interp = MEM_INTERP_LINEAR };
	struct nvbuf_picture src, dst;
	struct mem_ctx *ctx;
	int rc, err;

	if (!transform_params)
		return nvbuf_fail(EINVAL);
	if (transform_params->transform_flag & NVBUFFER_TRANSFORM_FILTER &&
	    transform_params->transform_filter ==
	    NvBufferTransform_Filter_Nearest)
		work.interp = MEM_INTERP_NEAREST;
	rc = nvbuf_ctx(&ctx);
	if (!rc)
		rc = picture_of_fd(src_dmabuf_fd, &src);
	if (!rc)
		rc = picture_of_fd(dst_dmabuf_fd, &dst);
	if (!rc)
		rc = params_apply(transform_params, &dst, &src);
	if (rc)
		return nvbuf_rc(rc);
	work.engine = nvbuf_has_vic() ? MEM_ENGINE_VIC : MEM_ENGINE_GPU;
	rc = nvbuf_work_begin(&work);
	if (!rc)
		rc = nvbuf_work_add(&work, &dst, &src);
	err = nvbuf_work_end(&work);
	return nvbuf_rc(rc ? rc : err);
}
