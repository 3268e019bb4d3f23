// SPDX-License-Identifier: LGPL-2.1-or-later
/* NvBufSurfTransform: transforms of batches, with the session of a thread. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "heapsim_cuda.h"
#include "nvbuf.h"
#include "nvbufsurftransform.h"

#pragma weak heapsim_cuda_stream

#define WAIT_FOREVER	((uint32_t)-1)

/**
 * struct NvBufSurfTransformSyncObj - an asynchronous call
 * @work: its work
 */
struct NvBufSurfTransformSyncObj {
	struct nvbuf_work work;
};

static __thread NvBufSurfTransformConfigParams session;

static NvBufSurfTransform_Error session_error_of(int rc)
{
	if (!rc)
		return NvBufSurfTransformError_Success;
	errno = -rc;
	switch (rc) {
	case -EINVAL:
	case -ENOENT:
		return NvBufSurfTransformError_Invalid_Params;
	case -ERANGE:
		return NvBufSurfTransformError_ROI_Error;
	case -EOPNOTSUPP:
	case -EACCES:
		return NvBufSurfTransformError_Unsupported;
	default:
		return NvBufSurfTransformError_Execution_Error;
	}
}

/* Sets engine and stream from the parameters of a session. */
static int session_of(const NvBufSurfTransformConfigParams *params,
		      struct nvbuf_work *work)
{
	struct mem_ctx *ctx;
	int rc = nvbuf_ctx(&ctx);

	if (rc)
		return rc;
	if ((unsigned int)params->compute_mode > NvBufSurfTransformCompute_VIC)
		return -EINVAL;
	if (params->compute_mode == NvBufSurfTransformCompute_VIC &&
	    !nvbuf_has_vic())
		return -EOPNOTSUPP;
	work->engine = params->compute_mode == NvBufSurfTransformCompute_GPU ||
		       !nvbuf_has_vic() ? MEM_ENGINE_GPU : MEM_ENGINE_VIC;
	work->stream = NULL;
	if (work->engine != MEM_ENGINE_GPU || !params->cuda_stream)
		return 0;
	if (!heapsim_cuda_stream ||
	    heapsim_cuda_stream(params->cuda_stream, &work->stream))
		return -EINVAL;
	return 0;
}

API NvBufSurfTransform_Error
NvBufSurfTransformSetSessionParams(NvBufSurfTransformConfigParams
				   *config_params)
{
	struct nvbuf_work work;
	int rc;

	if (!config_params)
		return session_error_of(-EINVAL);
	rc = session_of(config_params, &work);
	if (!rc)
		session = *config_params;
	return session_error_of(rc);
}

API NvBufSurfTransform_Error
NvBufSurfTransformGetSessionParams(NvBufSurfTransformConfigParams
				   *config_params)
{
	if (!config_params)
		return session_error_of(-EINVAL);
	*config_params = session;
	return NvBufSurfTransformError_Success;
}

API NvBufSurfTransform_Error NvBufSurfTransformSetDefaultSession(void)
{
	session = (NvBufSurfTransformConfigParams) {
		.compute_mode = NvBufSurfTransformCompute_Default,
	};
	return NvBufSurfTransformError_Success;
}

static int session_interp_of(NvBufSurfTransform_Inter filter,
			     unsigned int *interp)
{
	if ((unsigned int)filter > NvBufSurfTransformInter_Default)
		return -EINVAL;
	*interp = filter == NvBufSurfTransformInter_Nearest ||
		  filter == NvBufSurfTransformInter_Default ?
		  MEM_INTERP_NEAREST : MEM_INTERP_LINEAR;
	return 0;
}

static uint32_t session_nr_buffers(const NvBufSurface *surf)
{
	return surf->numFilled ? surf->numFilled : surf->batchSize;
}

/* Returns true if a plane has fewer pixels than the buffer. */
static bool session_is_subsampled(const NvBufSurfaceParams *shown)
{
	struct nvbuf_format format;
	uint32_t i;

	if (nvbuf_format(shown->colorFormat, &format))
		return false;
	for (i = 1; i < format.nr_planes; i++)
		if (format.planes[i].x_div > 1 || format.planes[i].y_div > 1)
			return true;
	return false;
}

static int picture_get(const NvBufSurface *surf, uint32_t index,
		       const NvBufSurfTransformRect *rect,
		       struct nvbuf_picture *picture)
{
	const NvBufSurfaceParams *shown = &surf->surfaceList[index];
	uint32_t mask = session_is_subsampled(shown) ? ~1U : ~0U;

	*picture = (struct nvbuf_picture) {
		.shown = shown,
		.type = surf->memType,
		.width = shown->width,
		.height = shown->height,
	};
	if (!rect)
		return 0;
	if (rect->width != shown->width || rect->height != shown->height) {
		picture->is_part = true;
		picture->left = rect->left & mask;
		picture->top = rect->top & mask;
		picture->width = rect->width & mask;
		picture->height = rect->height & mask;
	} else if (rect->left || rect->top) {
		return -ERANGE;
	}
	if (!picture->width || !picture->height ||
	    (uint64_t)picture->left + picture->width > shown->width ||
	    (uint64_t)picture->top + picture->height > shown->height)
		return -ERANGE;
	return 0;
}

static int session_check_surf(const NvBufSurface *surf)
{
	return surf && surf->surfaceList && surf->batchSize &&
	       surf->batchSize <= BATCH_MAX &&
	       surf->numFilled <= surf->batchSize ? 0 : -EINVAL;
}

/**
 * struct request - a call that transforms surfaces
 * @add: adds the transforms to a work
 * @src: buffers that are read
 * @dst: buffers that are written
 * @params: parameters of the call, for @add
 * @interp: enum mem_interp
 */
struct request {
	int (*add)(struct nvbuf_work *work, const struct request *request);
	const NvBufSurface *src;
	const NvBufSurface *dst;
	const void *params;
	unsigned int interp;
};

/* Waits for the transforms if @obj is NULL; else returns them in @obj. */
static NvBufSurfTransform_Error session_do(const struct request *request,
					   NvBufSurfTransformSyncObj_t *obj)
{
	struct nvbuf_work work = { .interp = request->interp };
	struct NvBufSurfTransformSyncObj *made = NULL;
	int rc, err;

	rc = session_of(&session, &work);
	if (rc)
		return session_error_of(rc);
	rc = nvbuf_work_begin(&work);
	if (!rc)
		rc = request->add(&work, request);
	if (!rc && obj) {
		made = malloc(sizeof(*made));
		if (!made)
			rc = -ENOMEM;
	}
	if (!made) {
		err = nvbuf_work_end(&work);
		return session_error_of(rc ? rc : err);
	}
	made->work = work;
	*obj = made;
	return NvBufSurfTransformError_Success;
}

static int session_add_batch(struct nvbuf_work *work,
			     const struct request *request)
{
	const NvBufSurfTransformParams *params = request->params;
	const uint32_t flags = params->transform_flag;
	struct nvbuf_picture from, to;
	uint32_t i;
	int rc = 0;

	for (i = 0; i < session_nr_buffers(request->src) && !rc; i++) {
		rc = picture_get(request->src, i,
				 flags & NVBUFSURF_TRANSFORM_CROP_SRC ?
				 &params->src_rect[i] : NULL, &from);
		if (!rc)
			rc = picture_get(request->dst, i,
					 flags & NVBUFSURF_TRANSFORM_CROP_DST ?
					 &params->dst_rect[i] : NULL, &to);
		if (!rc)
			rc = nvbuf_work_add(work, &to, &from);
	}
	return rc;
}

static int session_check_batch(const NvBufSurface *src, const NvBufSurface *dst,
			       const NvBufSurfTransformParams *params,
			       unsigned int *interp)
{
	const uint32_t flags = params ? params->transform_flag : 0;

	if (!params || session_check_surf(src) || session_check_surf(dst) ||
	    session_nr_buffers(src) > dst->batchSize ||
	    (flags & NVBUFSURF_TRANSFORM_CROP_SRC && !params->src_rect) ||
	    (flags & NVBUFSURF_TRANSFORM_CROP_DST && !params->dst_rect))
		return -EINVAL;
	if (flags & NVBUFSURF_TRANSFORM_NORMALIZE)
		return nvbuf_lacks("NvBufSurfTransform that normalises");
	if (flags & NVBUFSURF_TRANSFORM_FLIP &&
	    params->transform_flip != NvBufSurfTransform_None)
		return nvbuf_lacks("NvBufSurfTransform that flips");
	return session_interp_of(flags & NVBUFSURF_TRANSFORM_FILTER ?
				 params->transform_filter :
				 NvBufSurfTransformInter_Default, interp);
}

API NvBufSurfTransform_Error
NvBufSurfTransformAsync(NvBufSurface *src, NvBufSurface *dst,
			NvBufSurfTransformParams *transform_params,
			NvBufSurfTransformSyncObj_t *sync_obj)
{
	struct request request = {
		.add = session_add_batch, .src = src, .dst = dst,
		.params = transform_params,
	};
	int rc;

	rc = session_check_batch(src, dst, transform_params, &request.interp);
	return rc ? session_error_of(rc) : session_do(&request, sync_obj);
}

API NvBufSurfTransform_Error
NvBufSurfTransform(NvBufSurface *src, NvBufSurface *dst,
		   NvBufSurfTransformParams *transform_params)
{
	return NvBufSurfTransformAsync(src, dst, transform_params, NULL);
}

static int session_add_composite(struct nvbuf_work *work,
				 const struct request *request)
{
	const NvBufSurfTransformCompositeParams *params = request->params;
	struct nvbuf_picture from, to;
	uint32_t i;
	int rc = 0;

	for (i = 0; i < params->input_buf_count && !rc; i++) {
		rc = picture_get(request->src, i, &params->src_comp_rect[i],
				 &from);
		if (!rc)
			rc = picture_get(request->dst, 0,
					 &params->dst_comp_rect[i], &to);
		if (!rc)
			rc = nvbuf_work_add(work, &to, &from);
	}
	return rc;
}

static int
session_check_composite(const NvBufSurface *src, const NvBufSurface *dst,
			const NvBufSurfTransformCompositeParams *params,
			unsigned int *interp)
{
	if (!params || session_check_surf(src) || session_check_surf(dst) ||
	    !params->src_comp_rect || !params->dst_comp_rect ||
	    !params->input_buf_count ||
	    params->input_buf_count > src->batchSize)
		return -EINVAL;
	if (params->composite_flag & NVBUFSURF_TRANSFORM_BLEND)
		return nvbuf_lacks("NvBufSurfTransformComposite that blends");
	return session_interp_of(params->composite_flag &
				 NVBUFSURF_TRANSFORM_COMPOSITE_FILTER ?
				 params->composite_filter :
				 NvBufSurfTransformInter_Default, interp);
}

API NvBufSurfTransform_Error
NvBufSurfTransformCompositeAsync(NvBufSurface *src, NvBufSurface *dst,
				 NvBufSurfTransformCompositeParams
				 *composite_params,
				 NvBufSurfTransformSyncObj_t *sync_obj)
{
	struct request request = {
		.add = session_add_composite, .src = src, .dst = dst,
		.params = composite_params,
	};
	int rc;

	rc = session_check_composite(src, dst, composite_params,
				     &request.interp);
	return rc ? session_error_of(rc) : session_do(&request, sync_obj);
}

API NvBufSurfTransform_Error
NvBufSurfTransformComposite(NvBufSurface *src, NvBufSurface *dst,
			    NvBufSurfTransformCompositeParams
			    *composite_params)
{
	return NvBufSurfTransformCompositeAsync(src, dst, composite_params,
						NULL);
}

API NvBufSurfTransform_Error
NvBufSurfTransformSyncObjWait(NvBufSurfTransformSyncObj_t sync_obj,
			      uint32_t time_out)
{
	const struct timespec ms = { .tv_nsec = 1000000 };
	int rc;

	if (!sync_obj)
		return session_error_of(-EINVAL);
	if (time_out == WAIT_FOREVER)
		return session_error_of(mem_stream_sync(sync_obj->work.stream));
	while ((rc = mem_stream_query(sync_obj->work.stream)) == -EBUSY &&
	       time_out--)
		nanosleep(&ms, NULL);
	return session_error_of(rc == -EBUSY ? -ETIME : rc ? rc :
				mem_stream_sync(sync_obj->work.stream));
}

API NvBufSurfTransform_Error
NvBufSurfTransformSyncObjDestroy(NvBufSurfTransformSyncObj_t *sync_obj)
{
	int rc;

	if (!sync_obj || !*sync_obj)
		return session_error_of(-EINVAL);
	rc = nvbuf_work_end(&(*sync_obj)->work);
	free(*sync_obj);
	*sync_obj = NULL;
	return session_error_of(rc);
}
