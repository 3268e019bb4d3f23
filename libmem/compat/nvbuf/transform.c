// SPDX-License-Identifier: LGPL-2.1-or-later
/* NvBufferTransform(): the VIC converts and scales images of two buffers. */
#include <errno.h>
#include <stdlib.h>

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
 * @image: libmem's image of it
 * @width: pixels
 * @height: rows
 * @format: enum mem_format
 */
struct side {
	struct mem_image *image;
	uint32_t width;
	uint32_t height;
	unsigned int format;
};

static unsigned int engine_of(void)
{
	return nvbuf_has_vic() ? MEM_ENGINE_VIC : MEM_ENGINE_GPU;
}

static int side_open(struct mem_ctx *ctx, int fd, struct side *side)
{
	const NvBufSurfaceParams *shown;
	struct mem_image_data data;
	struct nvbuf_batch *batch;
	unsigned int index;
	int rc;

	batch = nvbuf_batch_of_fd(fd, &index);
	if (!batch)
		return -ENOENT;
	rc = nvbuf_data(batch, index, &data);
	if (rc)
		return rc;
	shown = &batch->surf.surfaceList[index];
	side->width = shown->width;
	side->height = shown->height;
	side->format = data.format;
	rc = mem_image_wrap(ctx, &data, 1ULL << engine_of(), &side->image);
	mem_object_put(data.object);
	return rc;
}

/* Whole buffers alone, as they are */
static int params_check(const NvBufferTransformParams *params,
			const struct side *src, const struct side *dst)
{
	const NvBufferRect *rect = &params->src_rect;

	if (params->transform_flag & NVBUFFER_TRANSFORM_FLIP &&
	    params->transform_flip != NvBufferTransform_None)
		return -EOPNOTSUPP;
	if (params->transform_flag & NVBUFFER_TRANSFORM_CROP_SRC &&
	    (rect->top || rect->left || rect->width != src->width ||
	     rect->height != src->height))
		return -EOPNOTSUPP;
	rect = &params->dst_rect;
	if (params->transform_flag & NVBUFFER_TRANSFORM_CROP_DST &&
	    (rect->top || rect->left || rect->width != dst->width ||
	     rect->height != dst->height))
		return -EOPNOTSUPP;
	return 0;
}

static int images_transform(struct mem_ctx *ctx, struct mem_stream *stream,
			    const struct side *src, const struct side *dst,
			    unsigned int interp)
{
	const unsigned int engine = engine_of();
	struct mem_image *scaled;
	int rc;

	if (src->width == dst->width && src->height == dst->height)
		return src->format == dst->format ?
		       mem_image_copy(stream, engine, dst->image, src->image) :
		       mem_image_convert(stream, engine, dst->image,
					 src->image, NULL);
	if (src->format == dst->format)
		return mem_image_rescale(stream, engine, dst->image,
					 src->image, interp, MEM_BORDER_CLAMP);
	rc = mem_image_create(ctx, dst->width, dst->height, src->format,
			      1ULL << engine, &scaled);
	if (rc)
		return rc;
	rc = mem_image_rescale(stream, engine, scaled, src->image, interp,
			       MEM_BORDER_CLAMP);
	if (!rc)
		rc = mem_image_convert(stream, engine, dst->image, scaled,
				       NULL);
	mem_image_destroy(scaled);
	return rc;
}

API int NvBufferTransform(int src_dmabuf_fd, int dst_dmabuf_fd,
			  NvBufferTransformParams *transform_params)
{
	struct side src = { .image = NULL };
	struct side dst = { .image = NULL };
	struct mem_stream *stream = NULL;
	unsigned int interp;
	struct mem_ctx *ctx;
	int rc;

	if (!transform_params)
		return nvbuf_fail(EINVAL);
	interp = transform_params->transform_flag & NVBUFFER_TRANSFORM_FILTER &&
		 transform_params->transform_filter ==
		 NvBufferTransform_Filter_Nearest ? MEM_INTERP_NEAREST :
		 MEM_INTERP_LINEAR;
	rc = nvbuf_ctx(&ctx);
	if (!rc)
		rc = side_open(ctx, src_dmabuf_fd, &src);
	if (!rc)
		rc = side_open(ctx, dst_dmabuf_fd, &dst);
	if (!rc)
		rc = params_check(transform_params, &src, &dst);
	if (!rc)
		rc = mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING, 0,
				       &stream);
	if (!rc)
		rc = images_transform(ctx, stream, &src, &dst, interp);
	if (!rc)
		rc = mem_stream_sync(stream);
	mem_stream_destroy(stream);
	mem_image_destroy(src.image);
	mem_image_destroy(dst.image);
	return nvbuf_rc(rc);
}
