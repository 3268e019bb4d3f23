// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Contexts of OpenGL, as far as textures need them. A context is a stream.
 * Surfaces exist only so that they can be made current: nothing draws.
 */
#include <pthread.h>
#include <stdlib.h>

#include "egl.h"

/**
 * struct egl_surface - a surface without pixels
 * @object: object
 * @width: pixels
 * @height: rows
 */
struct egl_surface {
	struct egl_object object;
	EGLint width;
	EGLint height;
};

/* The one configuration; its address is its handle. */
static const struct {
	EGLint attribute;
	EGLint value;
} config[] = {
	{ EGL_BUFFER_SIZE, 32 },
	{ EGL_RED_SIZE, 8 },
	{ EGL_GREEN_SIZE, 8 },
	{ EGL_BLUE_SIZE, 8 },
	{ EGL_ALPHA_SIZE, 8 },
	{ EGL_DEPTH_SIZE, 24 },
	{ EGL_STENCIL_SIZE, 8 },
	{ EGL_SAMPLES, 0 },
	{ EGL_SAMPLE_BUFFERS, 0 },
	{ EGL_CONFIG_ID, 1 },
	{ EGL_CONFIG_CAVEAT, EGL_NONE },
	{ EGL_COLOR_BUFFER_TYPE, EGL_RGB_BUFFER },
	{ EGL_CONFORMANT, EGL_OPENGL_BIT | EGL_OPENGL_ES2_BIT },
	{ EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT | EGL_OPENGL_ES_BIT |
			       EGL_OPENGL_ES2_BIT | EGL_OPENGL_ES3_BIT },
	{ EGL_SURFACE_TYPE, EGL_PBUFFER_BIT | EGL_STREAM_BIT_KHR },
	{ EGL_MAX_PBUFFER_WIDTH, 16384 },
	{ EGL_MAX_PBUFFER_HEIGHT, 16384 },
	{ EGL_LEVEL, 0 },
	{ EGL_NATIVE_RENDERABLE, EGL_FALSE },
	{ EGL_NATIVE_VISUAL_ID, 0 },
	{ EGL_TRANSPARENT_TYPE, EGL_NONE },
};

/* What a thread has made current, with references */
struct current {
	struct egl_context *context;
	struct egl_surface *draw;
	struct egl_surface *read;
};

static __thread struct current self;

/* Its destructor releases what a thread that ends has current. */
static pthread_key_t at_exit;
static pthread_once_t at_exit_once = PTHREAD_ONCE_INIT;
static bool has_at_exit;

static void current_set(struct current *now, const struct current *fresh)
{
	const struct current old = *now;

	*now = *fresh;
	if (old.context && old.context != fresh->context)
		atomic_store(&old.context->is_current, false);
	egl_object_put(old.context);
	egl_object_put(old.draw);
	egl_object_put(old.read);
}

static void current_release(void *now)
{
	const struct current none = { NULL };

	current_set(now, &none);
}

static void current_init(void)
{
	has_at_exit = !pthread_key_create(&at_exit, current_release);
}

/* Returns false if the context is current in another thread. */
static bool current_claim(struct egl_context *context)
{
	if (context == self.context)
		return true;
	if (atomic_exchange(&context->is_current, true))
		return false;
	pthread_once(&at_exit_once, current_init);
	if (has_at_exit)
		pthread_setspecific(at_exit, &self);
	return true;
}

/**
 * egl_current() - return the current context
 *
 * Return: context, or NULL if there is none.
 */
EGL_CORE_API struct egl_context *egl_current(void)
{
	return self.context;
}

static const EGLint *context_config_value(EGLint attribute)
{
	size_t i;

	for (i = 0; i < NR(config); i++)
		if (config[i].attribute == attribute)
			return &config[i].value;
	return NULL;
}

static EGLConfig context_config(void)
{
	return (EGLConfig)(uintptr_t)config;
}

/* Masks must be contained, sizes reached; anything else must be equal. */
static bool context_config_fits(EGLint attribute, EGLint wanted, EGLint value)
{
	if (wanted == EGL_DONT_CARE)
		return true;
	switch (attribute) {
	case EGL_CONFORMANT:
	case EGL_RENDERABLE_TYPE:
	case EGL_SURFACE_TYPE:
		return (value & wanted) == wanted;
	case EGL_CONFIG_CAVEAT:
	case EGL_CONFIG_ID:
	case EGL_COLOR_BUFFER_TYPE:
	case EGL_LEVEL:
	case EGL_NATIVE_RENDERABLE:
	case EGL_TRANSPARENT_TYPE:
		return value == wanted;
	default:
		return value >= wanted;
	}
}

API EGLBoolean eglChooseConfig(EGLDisplay dpy, const EGLint *attrib_list,
			       EGLConfig *configs, EGLint config_size,
			       EGLint *num_config)
{
	bool fits = true;
	const EGLint *value;

	if (!egl_is_ready(dpy))
		return EGL_FALSE;
	if (!num_config)
		return egl_fail(EGL_BAD_PARAMETER);
	for (; attrib_list && attrib_list[0] != EGL_NONE; attrib_list += 2) {
		value = context_config_value(attrib_list[0]);
		if (!value)
			return egl_fail(EGL_BAD_ATTRIBUTE);
		fits &= context_config_fits(attrib_list[0], attrib_list[1],
					    *value);
	}
	*num_config = fits && (!configs || config_size > 0);
	if (*num_config && configs)
		configs[0] = context_config();
	return egl_done();
}

API EGLBoolean eglGetConfigs(EGLDisplay dpy, EGLConfig *configs,
			     EGLint config_size, EGLint *num_config)
{
	return eglChooseConfig(dpy, NULL, configs, config_size, num_config);
}

API EGLBoolean eglGetConfigAttrib(EGLDisplay dpy, EGLConfig handle,
				  EGLint attribute, EGLint *value)
{
	const EGLint *found = context_config_value(attribute);

	if (!egl_is_ready(dpy))
		return EGL_FALSE;
	if (handle != context_config())
		return egl_fail(EGL_BAD_CONFIG);
	if (!found)
		return egl_fail(EGL_BAD_ATTRIBUTE);
	if (!value)
		return egl_fail(EGL_BAD_PARAMETER);
	*value = *found;
	return egl_done();
}

static void context_destroy(struct egl_object *object)
{
	struct egl_context *context = (struct egl_context *)object;

	egl_object_put(context->texture);
	mem_stream_destroy(context->stream);
	free(context);
}

API EGLContext eglCreateContext(EGLDisplay dpy, EGLConfig handle,
				EGLContext share_context,
				const EGLint *attrib_list)
{
	struct egl_context *context;
	int err;

	/* All contexts share their textures; versions do not matter. */
	(void)share_context;
	(void)attrib_list;
	if (!egl_is_ready(dpy))
		return EGL_NO_CONTEXT;
	if (handle != context_config() && handle != EGL_NO_CONFIG_KHR) {
		egl_fail(EGL_BAD_CONFIG);
		return EGL_NO_CONTEXT;
	}
	context = calloc(1, sizeof(*context));
	if (!context) {
		egl_fail(EGL_BAD_ALLOC);
		return EGL_NO_CONTEXT;
	}
	context->object.kind = EGL_KIND_CONTEXT;
	context->object.destroy = context_destroy;
	context->mem = egl_ctx();
	err = mem_stream_create(context->mem, MEM_STREAM_FOREIGN, 0,
				&context->stream);
	if (err) {
		free(context);
		egl_fail(egl_error_of(err));
		return EGL_NO_CONTEXT;
	}
	egl_object_add(&context->object);
	egl_done();
	return context;
}

API EGLBoolean eglDestroyContext(EGLDisplay dpy, EGLContext ctx)
{
	if (!egl_is_ready(dpy))
		return EGL_FALSE;
	return egl_object_del(EGL_KIND_CONTEXT, ctx) ?
		egl_done() : egl_fail(EGL_BAD_CONTEXT);
}

API EGLBoolean eglQueryContext(EGLDisplay dpy, EGLContext ctx, EGLint attribute,
			       EGLint *value)
{
	struct egl_context *context;

	if (!egl_is_ready(dpy))
		return EGL_FALSE;
	context = egl_object_get(EGL_KIND_CONTEXT, ctx);
	egl_object_put(context);
	if (!context)
		return egl_fail(EGL_BAD_CONTEXT);
	if (!value)
		return egl_fail(EGL_BAD_PARAMETER);
	switch (attribute) {
	case EGL_CONFIG_ID:
		*value = 1;
		return egl_done();
	case EGL_CONTEXT_CLIENT_TYPE:
		*value = (EGLint)eglQueryAPI();
		return egl_done();
	case EGL_CONTEXT_CLIENT_VERSION:
		*value = 3;
		return egl_done();
	case EGL_RENDER_BUFFER:
		*value = EGL_NONE;
		return egl_done();
	default:
		return egl_fail(EGL_BAD_ATTRIBUTE);
	}
}

static void context_surface_destroy(struct egl_object *object)
{
	free(object);
}

API EGLSurface eglCreatePbufferSurface(EGLDisplay dpy, EGLConfig handle,
				       const EGLint *attrib_list)
{
	struct egl_surface *surface;

	if (!egl_is_ready(dpy))
		return EGL_NO_SURFACE;
	if (handle != context_config()) {
		egl_fail(EGL_BAD_CONFIG);
		return EGL_NO_SURFACE;
	}
	surface = calloc(1, sizeof(*surface));
	if (!surface) {
		egl_fail(EGL_BAD_ALLOC);
		return EGL_NO_SURFACE;
	}
	surface->object.kind = EGL_KIND_SURFACE;
	surface->object.destroy = context_surface_destroy;
	for (; attrib_list && attrib_list[0] != EGL_NONE; attrib_list += 2) {
		if (attrib_list[0] == EGL_WIDTH)
			surface->width = attrib_list[1];
		if (attrib_list[0] == EGL_HEIGHT)
			surface->height = attrib_list[1];
	}
	egl_object_add(&surface->object);
	egl_done();
	return surface;
}

API EGLBoolean eglDestroySurface(EGLDisplay dpy, EGLSurface surface)
{
	if (!egl_is_ready(dpy))
		return EGL_FALSE;
	return egl_object_del(EGL_KIND_SURFACE, surface) ?
		egl_done() : egl_fail(EGL_BAD_SURFACE);
}

API EGLBoolean eglQuerySurface(EGLDisplay dpy, EGLSurface handle,
			       EGLint attribute, EGLint *value)
{
	struct egl_surface *surface;
	EGLint error = EGL_SUCCESS;

	if (!egl_is_ready(dpy))
		return EGL_FALSE;
	surface = egl_object_get(EGL_KIND_SURFACE, handle);
	if (!surface)
		return egl_fail(EGL_BAD_SURFACE);
	if (!value)
		error = EGL_BAD_PARAMETER;
	else if (attribute == EGL_WIDTH)
		*value = surface->width;
	else if (attribute == EGL_HEIGHT)
		*value = surface->height;
	else if (attribute == EGL_CONFIG_ID)
		*value = 1;
	else
		error = EGL_BAD_ATTRIBUTE;
	egl_object_put(surface);
	return error == EGL_SUCCESS ? egl_done() : egl_fail(error);
}

static bool context_surface_get(EGLSurface handle, struct egl_surface **surface)
{
	*surface = NULL;
	if (handle != EGL_NO_SURFACE)
		*surface = egl_object_get(EGL_KIND_SURFACE, handle);
	return handle == EGL_NO_SURFACE || *surface;
}

API EGLBoolean eglMakeCurrent(EGLDisplay dpy, EGLSurface draw, EGLSurface read,
			      EGLContext ctx)
{
	struct current fresh = { NULL };
	EGLint error = EGL_SUCCESS;

	/* What is current can be released after eglTerminate(), too. */
	if (ctx != EGL_NO_CONTEXT && !egl_is_ready(dpy))
		return EGL_FALSE;
	if (ctx != EGL_NO_CONTEXT)
		fresh.context = egl_object_get(EGL_KIND_CONTEXT, ctx);
	if (ctx != EGL_NO_CONTEXT && !fresh.context)
		error = EGL_BAD_CONTEXT;
	else if (ctx == EGL_NO_CONTEXT && (draw || read))
		error = EGL_BAD_MATCH;
	else if (!context_surface_get(draw, &fresh.draw) ||
		 !context_surface_get(read, &fresh.read))
		error = EGL_BAD_SURFACE;
	else if (fresh.context && !current_claim(fresh.context))
		error = EGL_BAD_ACCESS;
	if (error != EGL_SUCCESS) {
		egl_object_put(fresh.context);
		egl_object_put(fresh.draw);
		egl_object_put(fresh.read);
		return egl_fail(error);
	}
	current_set(&self, &fresh);
	return egl_done();
}

API EGLContext eglGetCurrentContext(void)
{
	return self.context ? (EGLContext)self.context : EGL_NO_CONTEXT;
}

API EGLDisplay eglGetCurrentDisplay(void)
{
	return self.context ? eglGetDisplay(EGL_DEFAULT_DISPLAY) :
			      EGL_NO_DISPLAY;
}

API EGLSurface eglGetCurrentSurface(EGLint readdraw)
{
	if (readdraw != EGL_READ && readdraw != EGL_DRAW) {
		egl_fail(EGL_BAD_PARAMETER);
		return EGL_NO_SURFACE;
	}
	return readdraw == EGL_READ ? self.read : self.draw;
}

API EGLBoolean eglWaitClient(void)
{
	if (self.context)
		mem_stream_sync(self.context->stream);
	return egl_done();
}

API EGLBoolean eglWaitGL(void)
{
	return eglWaitClient();
}

/* Nothing is drawn, so there is nothing to show. */
API EGLBoolean eglSwapBuffers(EGLDisplay dpy, EGLSurface surface)
{
	EGLint width;

	return eglQuerySurface(dpy, surface, EGL_WIDTH, &width);
}
