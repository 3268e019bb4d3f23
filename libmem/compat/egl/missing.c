// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Calls that libmem-egl does not implement, so that programs which ask for
 * their addresses find them. They fail, and the report names those that were
 * called.
 */
#include "../../compat.h"
#include "egl.h"

/**
 * egl_missing() - let a call fail that is not implemented
 * @call: its name
 *
 * Return: EGL_FALSE, with EGL_BAD_ACCESS.
 */
EGLBoolean egl_missing(const char *call)
{
	libmem_report_missing(call);
	return egl_fail(EGL_BAD_ACCESS);
}

/* Textures as consumers of streams */
API EGLBoolean eglStreamConsumerGLTextureExternalKHR(EGLDisplay dpy,
						     EGLStreamKHR stream)
{
	(void)dpy;
	(void)stream;
	return egl_missing(__func__);
}

API EGLBoolean eglStreamConsumerAcquireKHR(EGLDisplay dpy, EGLStreamKHR stream)
{
	(void)dpy;
	(void)stream;
	return egl_missing(__func__);
}

API EGLBoolean eglStreamConsumerReleaseKHR(EGLDisplay dpy, EGLStreamKHR stream)
{
	(void)dpy;
	(void)stream;
	return egl_missing(__func__);
}

/* Surfaces as producers of streams */
API EGLSurface
eglCreateStreamProducerSurfaceKHR(EGLDisplay dpy, EGLConfig config,
				  EGLStreamKHR stream, const int32_t *list)
{
	(void)dpy;
	(void)config;
	(void)stream;
	(void)list;
	egl_missing(__func__);
	return EGL_NO_SURFACE;
}
