// SPDX-License-Identifier: LGPL-2.1-or-later
/* The calls that heapsim has not: those of EGL, and of other processes. */
#include <errno.h>

#include "../../compat.h"
#include "nvbuf.h"
#include "nvbuf_utils.h"

static int missing(const char *call)
{
	libmem_tell_missing(call);
	return nvbuf_fail(ENOSYS);
}

API int NvBufSurfaceMapEglImage(NvBufSurface *surf, int index)
{
	(void)surf;
	(void)index;
	return missing(__func__);
}

API int NvBufSurfaceUnMapEglImage(NvBufSurface *surf, int index)
{
	(void)surf;
	(void)index;
	return missing(__func__);
}

API int NvBufSurfaceImport(NvBufSurface **out_nvbuf_surf,
			   const NvBufSurfaceMapParams *in_params)
{
	(void)out_nvbuf_surf;
	(void)in_params;
	return missing(__func__);
}

API EGLImageKHR NvEGLImageFromFd(EGLDisplay display, int dmabuf_fd)
{
	(void)display;
	(void)dmabuf_fd;
	missing(__func__);
	return NULL;
}

API int NvDestroyEGLImage(EGLDisplay display, EGLImageKHR eglImage)
{
	(void)display;
	(void)eglImage;
	return missing(__func__);
}
