/* SPDX-License-Identifier: GPL-2.0-only */
/* A context of OpenGL for tests, and the GPU that works with images. */
#ifndef _EGL_GL_H
#define _EGL_GL_H

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#include "test.h"

static EGLContext context;

/* CUDA only works with images on the integrated GPU. */
static inline void use_integrated_gpu(void)
{
	struct cudaDeviceProp prop;
	int nr, i;

	ok(cudaGetDeviceCount(&nr));
	for (i = 0; i < nr; i++) {
		ok(cudaGetDeviceProperties(&prop, i));
		if (prop.integrated)
			break;
	}
	assert_int_not_equal(i, nr);
	ok(cudaSetDevice(i));
	ok(cudaFree(0));
}

static inline int open_gl(void **state)
{
	EGLConfig config;
	EGLint nr;

	if (open_display(state))
		return 1;
	use_integrated_gpu();
	egl_ok(eglBindAPI(EGL_OPENGL_API));
	egl_ok(eglChooseConfig(display, NULL, &config, 1, &nr));
	context = eglCreateContext(display, config, EGL_NO_CONTEXT, NULL);
	assert_non_null(context);
	egl_ok(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE,
			      context));
	return 0;
}

static inline int close_gl(void **state)
{
	egl_ok(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE,
			      EGL_NO_CONTEXT));
	egl_ok(eglDestroyContext(display, context));
	return close_display(state);
}

#endif
