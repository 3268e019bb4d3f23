// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Calls that heapsim does not implement: those for EGL, for other processes,
 * and for blending.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "../../compat.h"
#include "nvbuf.h"
#include "nvbuf_utils.h"
#include "nvbufsurftransform.h"

/**
 * nvbuf_lacks() - a value that heapsim lacks
 * @format: which, for the report of heapsim-run(1), as of printf(): 62 bytes
 *
 * Return: -EOPNOTSUPP.
 */
int nvbuf_lacks(const char *format, ...)
{
	char text[63];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	libmem_report_missing(text);
	return -EOPNOTSUPP;
}

static int missing_call(const char *call)
{
	libmem_report_missing(call);
	return nvbuf_fail(ENOSYS);
}

API int NvBufSurfaceMapEglImage(NvBufSurface *surf, int index)
{
	(void)surf;
	(void)index;
	return missing_call(__func__);
}

API int NvBufSurfaceUnMapEglImage(NvBufSurface *surf, int index)
{
	(void)surf;
	(void)index;
	return missing_call(__func__);
}

API int NvBufSurfaceImport(NvBufSurface **out_nvbuf_surf,
			   const NvBufSurfaceMapParams *in_params)
{
	(void)out_nvbuf_surf;
	(void)in_params;
	return missing_call(__func__);
}

API EGLImageKHR NvEGLImageFromFd(EGLDisplay display, int dmabuf_fd)
{
	(void)display;
	(void)dmabuf_fd;
	missing_call(__func__);
	return NULL;
}

API int NvDestroyEGLImage(EGLDisplay display, EGLImageKHR eglImage)
{
	(void)display;
	(void)eglImage;
	return missing_call(__func__);
}

API int NvBufferCreateInterlace(int *dmabuf_fd,
				NvBufferCreateParams *input_params)
{
	(void)dmabuf_fd;
	(void)input_params;
	return missing_call(__func__);
}

API int NvBufferCreateWithChromaLoc(int *dmabuf_fd,
				    NvBufferCreateParams *input_params,
				    NvBufferChromaSubsamplingParams
				    *chromaSubsampling)
{
	(void)dmabuf_fd;
	(void)input_params;
	(void)chromaSubsampling;
	return missing_call(__func__);
}

API int NvBufferMemSyncForCpuEx(int dmabuf_fd, NvBufferParamsEx *exparams,
				unsigned int plane, void **pVirtAddr)
{
	(void)dmabuf_fd;
	(void)exparams;
	(void)plane;
	(void)pVirtAddr;
	return missing_call(__func__);
}

API int NvBufferMemSyncForDeviceEx(int dmabuf_fd, NvBufferParamsEx *exparams,
				   unsigned int plane, void **pVirtAddr)
{
	(void)dmabuf_fd;
	(void)exparams;
	(void)plane;
	(void)pVirtAddr;
	return missing_call(__func__);
}

API int NvBufferMemMapEx(int dmabuf_fd, NvBufferParamsEx *exparams,
			 unsigned int plane, NvBufferMemFlags memflag,
			 void **pVirtAddr)
{
	(void)dmabuf_fd;
	(void)exparams;
	(void)plane;
	(void)memflag;
	(void)pVirtAddr;
	return missing_call(__func__);
}

API int NvBufferMemUnMapEx(int dmabuf_fd, NvBufferParamsEx *exparams,
			   unsigned int plane, void **pVirtAddr)
{
	(void)dmabuf_fd;
	(void)exparams;
	(void)plane;
	(void)pVirtAddr;
	return missing_call(__func__);
}

API int NvBufferTransformEx(int src_dmabuf_fd, NvBufferParamsEx *input_params,
			    int dst_dmabuf_fd, NvBufferParamsEx *output_params,
			    NvBufferTransformParams *transform_params)
{
	(void)src_dmabuf_fd;
	(void)input_params;
	(void)dst_dmabuf_fd;
	(void)output_params;
	(void)transform_params;
	return missing_call(__func__);
}

API NvBufSurfTransform_Error
NvBufSurfTransformCompositeBlend(NvBufSurface *src0, NvBufSurface *src1,
				 NvBufSurface *alpha, NvBufSurface *dst,
				 NvBufSurfTransformCompositeBlendParams
				 *blend_params)
{
	(void)src0;
	(void)src1;
	(void)alpha;
	(void)dst;
	(void)blend_params;
	missing_call(__func__);
	return NvBufSurfTransformError_Unsupported;
}

API NvBufSurfTransform_Error NvBufSurfTransformMultiInputBufCompositeBlend
	(NvBufSurface **src, NvBufSurface *dst,
	 NvBufSurfTransformCompositeBlendParamsEx *composite_blend_params)
{
	(void)src;
	(void)dst;
	(void)composite_blend_params;
	missing_call(__func__);
	return NvBufSurfTransformError_Unsupported;
}

API NvBufSurfTransform_Error NvBufSurfTransformMultiInputBufCompositeBlendAsync
	(NvBufSurface **src, NvBufSurface *dst,
	 NvBufSurfTransformCompositeBlendParamsEx *composite_blend_params,
	 NvBufSurfTransformSyncObj_t *sync_obj)
{
	(void)src;
	(void)dst;
	(void)composite_blend_params;
	(void)sync_obj;
	missing_call(__func__);
	return NvBufSurfTransformError_Unsupported;
}
