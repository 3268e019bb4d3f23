/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NvBufSurfTransform: the VIC or the GPU converts, scales and crops the buffers
 * of a batch. What heapsim lacks of it: Documentation/nvbufsurface.rst.
 */
#ifndef NVBUFSURFTRANSFORM_H_
#define NVBUFSURFTRANSFORM_H_

#include "nvbufsurface.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As CUDA's headers have it */
#ifndef _HEAPSIM_HAS_CUDASTREAM
#define _HEAPSIM_HAS_CUDASTREAM
typedef struct CUstream_st *cudaStream_t;
#endif

/* Default: the VIC, or the GPU of a board that has none */
typedef enum {
	NvBufSurfTransformCompute_Default,
	NvBufSurfTransformCompute_GPU,
	NvBufSurfTransformCompute_VIC
} NvBufSurfTransform_Compute;

/* Rotations are clockwise. heapsim has None alone. */
typedef enum {
	NvBufSurfTransform_None,
	NvBufSurfTransform_Rotate90,
	NvBufSurfTransform_Rotate180,
	NvBufSurfTransform_Rotate270,
	NvBufSurfTransform_FlipX,
	NvBufSurfTransform_FlipY,
	NvBufSurfTransform_Transpose,
	NvBufSurfTransform_InvTranspose
} NvBufSurfTransform_Flip;

/* Algorithms 1 to 4 are Bilinear here. */
typedef enum {
	NvBufSurfTransformInter_Nearest = 0,
	NvBufSurfTransformInter_Bilinear,
	NvBufSurfTransformInter_Algo1,
	NvBufSurfTransformInter_Algo2,
	NvBufSurfTransformInter_Algo3,
	NvBufSurfTransformInter_Algo4,
	NvBufSurfTransformInter_Default		/* nearest */
} NvBufSurfTransform_Inter;

typedef enum {
	NvBufSurfTransformError_ROI_Error = -4,
	NvBufSurfTransformError_Invalid_Params = -3,
	NvBufSurfTransformError_Execution_Error = -2,
	NvBufSurfTransformError_Unsupported = -1,
	NvBufSurfTransformError_Success = 0
} NvBufSurfTransform_Error;

typedef enum {
	NVBUFSURF_TRANSFORM_CROP_SRC = 1,
	NVBUFSURF_TRANSFORM_CROP_DST = 1 << 1,
	NVBUFSURF_TRANSFORM_FILTER = 1 << 2,
	NVBUFSURF_TRANSFORM_FLIP = 1 << 3,
	NVBUFSURF_TRANSFORM_NORMALIZE = 1 << 4,		/* heapsim lacks it */
	NVBUFSURF_TRANSFORM_ALLOW_ODD_CROP = 1 << 5
} NvBufSurfTransform_Transform_Flag;

typedef enum {
	NVBUFSURF_TRANSFORM_COMPOSITE = 1,
	NVBUFSURF_TRANSFORM_BLEND = 1 << 1,		/* heapsim lacks it */
	NVBUFSURF_TRANSFORM_COMPOSITE_FILTER = 1 << 2
} NvBufSurfTransform_Composite_Flag;

/* Pixels and rows */
typedef struct {
	uint32_t top;
	uint32_t left;
	uint32_t width;
	uint32_t height;
} NvBufSurfTransformRect;

/**
 * struct _NvBufSurfTransformConfigParams - a session, of a thread
 * @compute_mode: who does the work
 * @gpu_id: 0
 * @cuda_stream: of the GPU: the work is in order of this one; NULL: of none
 */
typedef struct _NvBufSurfTransformConfigParams {
	NvBufSurfTransform_Compute compute_mode;
	int32_t gpu_id;
	cudaStream_t cuda_stream;
} NvBufSurfTransformConfigParams;

/**
 * struct _NvBufSurfaceTransformParams - how buffers are transformed
 * @transform_flag: NVBUFSURF_TRANSFORM_*: which of the others count
 * @transform_flip: flip
 * @transform_filter: pixels between pixels
 * @src_rect: of each buffer of the source
 * @dst_rect: of each buffer of the target; what is outside stays as it is
 */
typedef struct _NvBufSurfaceTransformParams {
	uint32_t transform_flag;
	NvBufSurfTransform_Flip transform_flip;
	NvBufSurfTransform_Inter transform_filter;
	NvBufSurfTransformRect *src_rect;
	NvBufSurfTransformRect *dst_rect;
} NvBufSurfTransformParams;

/**
 * struct _NvBufSurfTransformCompositeParams - how buffers become one
 * @composite_flag: NVBUFSURF_TRANSFORM_COMPOSITE, and others
 * @input_buf_count: buffers of the source
 * @src_comp_rect: of each
 * @dst_comp_rect: where each comes to
 * @composite_filter: pixels between pixels
 */
typedef struct _NvBufSurfTransformCompositeParams {
	uint32_t composite_flag;
	uint32_t input_buf_count;
	NvBufSurfTransformRect *src_comp_rect;
	NvBufSurfTransformRect *dst_comp_rect;
	NvBufSurfTransform_Inter composite_filter;
} NvBufSurfTransformCompositeParams;

/* Parts of a colour, 0 to 1 */
typedef struct _NvBufSurfTransform_ColorParams {
	double red;
	double green;
	double blue;
	double alpha;
} NvBufSurfTransform_ColorParams;

/* Of calls that heapsim lacks */
typedef struct _NvBufSurfTransformCompositeBlendParams {
	uint32_t composite_blend_flag;
	uint32_t input_buf_count;
	NvBufSurfTransform_Inter composite_blend_filter;
	NvBufSurfTransform_ColorParams *color_bg;
	uint32_t *perform_blending;
} NvBufSurfTransformCompositeBlendParams;

typedef struct _NvBufSurfTransformCompositeBlendParamsEx {
	NvBufSurfTransformCompositeBlendParams params;
	NvBufSurfTransformRect *src_comp_rect;
	NvBufSurfTransformRect *dst_comp_rect;
	NvBufSurfTransform_Inter *composite_blend_filter;
	float *alpha;
	void *reserved[STRUCTURE_PADDING];
} NvBufSurfTransformCompositeBlendParamsEx;

typedef struct NvBufSurfTransformSyncObj *NvBufSurfTransformSyncObj_t;

/**
 * NvBufSurfTransformSetSessionParams() - set the calling thread's session
 * @config_params: session, copied
 *
 * Context: any thread.
 * Return: Success, or Invalid_Params; Unsupported (the board has no VIC).
 */
NvBufSurfTransform_Error
NvBufSurfTransformSetSessionParams(NvBufSurfTransformConfigParams
				   *config_params);

/**
 * NvBufSurfTransformGetSessionParams() - the calling thread's session
 * @config_params: out: session
 *
 * Context: any thread.
 * Return: Success, or Invalid_Params.
 */
NvBufSurfTransform_Error
NvBufSurfTransformGetSessionParams(NvBufSurfTransformConfigParams
				   *config_params);

/**
 * NvBufSurfTransformSetDefaultSession() - forget the calling thread's session
 *
 * Context: any thread.
 * Return: Success.
 */
NvBufSurfTransform_Error NvBufSurfTransformSetDefaultSession(void);

/**
 * NvBufSurfTransform() - convert, scale and crop a batch
 * @src: numFilled of its buffers, or all if that is 0; also a copy of a batch
 *	that has some of another's buffers
 * @dst: at least as many buffers
 * @transform_params: how
 *
 * Waits until the work is done. With chroma that is subsampled, sides of
 * rectangles are rounded down to even numbers.
 *
 * Context: may sleep; any thread.
 * Return: Success, or Invalid_Params; ROI_Error (a rectangle is not inside its
 * buffer); Unsupported (a flip, a format that images lack, memory that the
 * engine has no access to); Execution_Error.
 */
NvBufSurfTransform_Error
NvBufSurfTransform(NvBufSurface *src, NvBufSurface *dst,
		   NvBufSurfTransformParams *transform_params);

/**
 * NvBufSurfTransformAsync() - the same without a wait
 * @src: as above; stays until the work is done
 * @dst: as above
 * @transform_params: as above, may be given back at once
 * @sync_obj: out: to wait for: NvBufSurfTransformSyncObjDestroy(); NULL: the
 *	call waits
 *
 * Context: may sleep; any thread.
 * Return: as above.
 */
NvBufSurfTransform_Error
NvBufSurfTransformAsync(NvBufSurface *src, NvBufSurface *dst,
			NvBufSurfTransformParams *transform_params,
			NvBufSurfTransformSyncObj_t *sync_obj);

/**
 * NvBufSurfTransformComposite() - put the buffers of a batch into one
 * @src: at least input_buf_count buffers
 * @dst: of one buffer
 * @composite_params: where each comes from and goes to, in order
 *
 * Context: may sleep; any thread.
 * Return: as NvBufSurfTransform().
 */
NvBufSurfTransform_Error
NvBufSurfTransformComposite(NvBufSurface *src, NvBufSurface *dst,
			    NvBufSurfTransformCompositeParams
			    *composite_params);

/**
 * NvBufSurfTransformCompositeAsync() - the same without a wait
 * @src: as above
 * @dst: as above
 * @composite_params: as above
 * @sync_obj: out: as NvBufSurfTransformAsync()
 *
 * Context: may sleep; any thread.
 * Return: as NvBufSurfTransform().
 */
NvBufSurfTransform_Error
NvBufSurfTransformCompositeAsync(NvBufSurface *src, NvBufSurface *dst,
				 NvBufSurfTransformCompositeParams
				 *composite_params,
				 NvBufSurfTransformSyncObj_t *sync_obj);

/**
 * NvBufSurfTransformCompositeBlend() - heapsim lacks it
 * @src0: batch
 * @src1: batch
 * @alpha: weights
 * @dst: batch
 * @blend_params: how
 *
 * Context: any thread.
 * Return: Unsupported.
 */
NvBufSurfTransform_Error
NvBufSurfTransformCompositeBlend(NvBufSurface *src0, NvBufSurface *src1,
				 NvBufSurface *alpha, NvBufSurface *dst,
				 NvBufSurfTransformCompositeBlendParams
				 *blend_params);

/**
 * NvBufSurfTransformMultiInputBufCompositeBlend() - heapsim lacks it
 * @src: batches
 * @dst: batch
 * @composite_blend_params: how
 *
 * Context: any thread.
 * Return: Unsupported.
 */
NvBufSurfTransform_Error NvBufSurfTransformMultiInputBufCompositeBlend
	(NvBufSurface **src, NvBufSurface *dst,
	 NvBufSurfTransformCompositeBlendParamsEx *composite_blend_params);

/**
 * NvBufSurfTransformMultiInputBufCompositeBlendAsync() - heapsim lacks it
 * @src: batches
 * @dst: batch
 * @composite_blend_params: how
 * @sync_obj: out: not written
 *
 * Context: any thread.
 * Return: Unsupported.
 */
NvBufSurfTransform_Error NvBufSurfTransformMultiInputBufCompositeBlendAsync
	(NvBufSurface **src, NvBufSurface *dst,
	 NvBufSurfTransformCompositeBlendParamsEx *composite_blend_params,
	 NvBufSurfTransformSyncObj_t *sync_obj);

/**
 * NvBufSurfTransformSyncObjWait() - wait for what an asynchronous call began
 * @sync_obj: of that call
 * @time_out: ms; (uint32_t)-1: for ever
 *
 * Context: may sleep; any thread.
 * Return: Success, or Invalid_Params; Execution_Error (also: not done in time).
 */
NvBufSurfTransform_Error
NvBufSurfTransformSyncObjWait(NvBufSurfTransformSyncObj_t sync_obj,
			      uint32_t time_out);

/**
 * NvBufSurfTransformSyncObjDestroy() - give it back
 * @sync_obj: in and out: of that call; NULL afterwards
 *
 * Waits for the work, as what it works on may go now.
 *
 * Context: may sleep; any thread.
 * Return: Success, or Invalid_Params.
 */
NvBufSurfTransform_Error
NvBufSurfTransformSyncObjDestroy(NvBufSurfTransformSyncObj_t *sync_obj);

#ifdef __cplusplus
}
#endif

#endif
