// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Transforms of nvbuf_utils, by the VIC: one buffer becomes another, or several
 * become one. Each is done when the call returns.
 */
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

/* Returns false if @rect is not inside the buffer. */
static bool compose_crop(struct nvbuf_picture *picture,
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

static int compose_picture_of_fd(int fd, struct nvbuf_picture *picture)
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

static int compose_apply_params(const NvBufferTransformParams *params,
				struct nvbuf_picture *dst,
				struct nvbuf_picture *src)
{
	if (params->transform_flag & NVBUFFER_TRANSFORM_FLIP &&
	    params->transform_flip != NvBufferTransform_None)
		return nvbuf_lacks("NvBufferTransform that flips");
	if (params->transform_flag & NVBUFFER_TRANSFORM_CROP_SRC &&
	    !compose_crop(src, &params->src_rect))
		return -EINVAL;
	if (params->transform_flag & NVBUFFER_TRANSFORM_CROP_DST &&
	    !compose_crop(dst, &params->dst_rect))
		return -EINVAL;
	return 0;
}

static unsigned int compose_interp_of(bool is_set,
				      NvBufferTransform_Filter filter)
{
	return is_set && filter == NvBufferTransform_Filter_Nearest ?
	       MEM_INTERP_NEAREST : MEM_INTERP_LINEAR;
}

API int NvBufferTransform(int src_dmabuf_fd, int dst_dmabuf_fd,
			  NvBufferTransformParams *transform_params)
{
	struct nvbuf_work work = { 0 };
	struct nvbuf_picture src, dst;
	struct mem_ctx *ctx;
	int rc, err;

	if (!transform_params)
		return nvbuf_fail(EINVAL);
	work.interp = compose_interp_of(transform_params->transform_flag &
					NVBUFFER_TRANSFORM_FILTER,
					transform_params->transform_filter);
	rc = nvbuf_ctx(&ctx);
	if (!rc)
		rc = compose_picture_of_fd(src_dmabuf_fd, &src);
	if (!rc)
		rc = compose_picture_of_fd(dst_dmabuf_fd, &dst);
	if (!rc)
		rc = compose_apply_params(transform_params, &dst, &src);
	if (rc)
		return nvbuf_rc(rc);
	work.engine = nvbuf_has_vic() ? MEM_ENGINE_VIC : MEM_ENGINE_GPU;
	rc = nvbuf_work_begin(&work);
	if (!rc)
		rc = nvbuf_work_add(&work, &dst, &src);
	err = nvbuf_work_end(&work);
	return nvbuf_rc(rc ? rc : err);
}

API int NvBufferTransformAsync(int src_dmabuf_fd, int dst_dmabuf_fd,
			       NvBufferTransformParams *transform_params,
			       NvBufferSyncObj *syncobj)
{
	if (!syncobj)
		return nvbuf_fail(EINVAL);
	syncobj->outsyncobj = (NvBufferSyncObjParams) { 0 };
	return NvBufferTransform(src_dmabuf_fd, dst_dmabuf_fd,
				 transform_params);
}

API int NvBufferSyncObjWait(NvBufferSyncObjParams *syncobj_params,
			    unsigned int timeout)
{
	(void)timeout;
	return syncobj_params ? 0 : nvbuf_fail(EINVAL);
}

static int compose_check(const int *fds,
			 const NvBufferCompositeParams *params)
{
	uint32_t i;

	if (!fds || !params || !params->input_buf_count ||
	    params->input_buf_count > MAX_COMPOSITE_FRAME)
		return -EINVAL;
	if (!(params->composite_flag & NVBUFFER_BLEND))
		return 0;
	for (i = 0; i < params->input_buf_count; i++)
		if (params->dst_comp_rect_alpha[i] < 1)
			return nvbuf_lacks("NvBufferComposite that blends");
	return 0;
}

static uint8_t compose_byte_of(float share)
{
	if (!(share > 0))
		return 0;
	return share < 1 ? (uint8_t)(share * 255 + 0.5f) : 255;
}

/* What no buffer lies on */
static int compose_add_background(struct nvbuf_work *work,
				  const struct nvbuf_picture *dst,
				  const NvBufferCompositeParams *params)
{
	const NvBufferCompositeBackground *colour = &params->composite_bgcolor;
	const uint8_t rgba[] = { compose_byte_of(colour->r),
				 compose_byte_of(colour->g),
				 compose_byte_of(colour->b), 255 };
	uint32_t i;

	for (i = 0; i < params->input_buf_count; i++)
		if (params->dst_comp_rect[i].width == dst->width &&
		    params->dst_comp_rect[i].height == dst->height)
			return 0;
	return nvbuf_work_fill(work, dst, rgba);
}

static int compose_add(struct nvbuf_work *work, const int *fds,
		       const struct nvbuf_picture *whole,
		       const NvBufferCompositeParams *params)
{
	struct nvbuf_picture src, dst;
	uint32_t i;
	int rc;

	rc = compose_add_background(work, whole, params);
	for (i = 0; i < params->input_buf_count && !rc; i++) {
		dst = *whole;
		rc = compose_picture_of_fd(fds[i], &src);
		if (rc)
			return rc;
		if (!compose_crop(&src, &params->src_comp_rect[i]) ||
		    !compose_crop(&dst, &params->dst_comp_rect[i]))
			return -EINVAL;
		work->interp = compose_interp_of(params->composite_flag &
						 NVBUFFER_COMPOSITE_FILTER,
						 params->composite_filter[i]);
		rc = nvbuf_work_add(work, &dst, &src);
	}
	return rc;
}

API int NvBufferComposite(int *src_dmabuf_fds, int dst_dmabuf_fd,
			  NvBufferCompositeParams *composite_params)
{
	struct nvbuf_work work = { 0 };
	struct nvbuf_picture dst;
	struct mem_ctx *ctx;
	int rc, err;

	rc = compose_check(src_dmabuf_fds, composite_params);
	if (!rc)
		rc = nvbuf_ctx(&ctx);
	if (!rc)
		rc = compose_picture_of_fd(dst_dmabuf_fd, &dst);
	if (rc)
		return nvbuf_rc(rc);
	work.engine = nvbuf_has_vic() ? MEM_ENGINE_VIC : MEM_ENGINE_GPU;
	rc = nvbuf_work_begin(&work);
	if (!rc)
		rc = compose_add(&work, src_dmabuf_fds, &dst,
				 composite_params);
	err = nvbuf_work_end(&work);
	return nvbuf_rc(rc ? rc : err);
}
