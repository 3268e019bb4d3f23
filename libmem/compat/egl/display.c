// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The display, which is the board; errors, strings, devices, addresses of
 * calls.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "../../compat.h"
#include "egl.h"

static struct {
	pthread_mutex_t lock;	/* protects all below */
	bool is_ready;
	struct mem_ctx *ctx;	/* stays when the display is terminated */
} display = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Its address is the handle of the board as a device. */
static const char device;

static __thread EGLint last_error = EGL_SUCCESS;
static __thread EGLenum bound_api = EGL_OPENGL_ES_API;

/* Extensions that do not depend on a display */
static const char *const client_extensions[] = {
	"EGL_EXT_client_extensions",
	"EGL_EXT_device_base",
	"EGL_EXT_device_enumeration",
	"EGL_EXT_device_query",
	"EGL_EXT_platform_base",
	"EGL_EXT_platform_device",
	"EGL_KHR_client_get_all_proc_addresses",
	"EGL_MESA_platform_surfaceless",
};

static const char *const extensions[] = {
	"EGL_EXT_image_dma_buf_import",
	"EGL_KHR_create_context",
	"EGL_KHR_fence_sync",
	"EGL_KHR_get_all_proc_addresses",
	"EGL_KHR_gl_texture_2D_image",
	"EGL_KHR_image",
	"EGL_KHR_image_base",
	"EGL_KHR_no_config_context",
	"EGL_KHR_reusable_sync",
	"EGL_KHR_stream",
	"EGL_KHR_stream_attrib",
	"EGL_KHR_stream_cross_process_fd",
	"EGL_KHR_stream_fifo",
	"EGL_KHR_surfaceless_context",
	"EGL_KHR_wait_sync",
	"EGL_NV_cuda_event",
	"EGL_NV_stream_fifo_synchronous",
	"EGL_NV_stream_reset",
};

/* The same as strings, which a program may keep */
#define LIST_LEN	1024
static char client_list[LIST_LEN];
static char list[LIST_LEN];

static const char device_extensions[] = "EGL_NV_device_cuda";

/**
 * egl_fail() - let a call fail
 * @error: EGL_*, what eglGetError() will return
 *
 * Return: EGL_FALSE.
 */
EGLBoolean egl_fail(EGLint error)
{
	last_error = error;
	return EGL_FALSE;
}

/**
 * egl_done() - let a call succeed
 *
 * Return: EGL_TRUE.
 */
EGLBoolean egl_done(void)
{
	last_error = EGL_SUCCESS;
	return EGL_TRUE;
}

/**
 * egl_error_of() - convert an error of libmem
 * @err: -errno
 *
 * Return: EGL_*.
 */
EGLint egl_error_of(int err)
{
	switch (err) {
	case -EINVAL:
	case -EBADF:
		return EGL_BAD_PARAMETER;
	case -EACCES:
	case -EPERM:
	case -EOPNOTSUPP:
		return EGL_BAD_ACCESS;
	case -EXDEV:
		return EGL_BAD_MATCH;
	default:
		return EGL_BAD_ALLOC;
	}
}

static EGLDisplay display_handle(void)
{
	return &display;
}

/**
 * egl_is_ready() - check a display
 * @handle: any value
 *
 * Return: true if it is initialised; else the call has failed.
 */
bool egl_is_ready(EGLDisplay handle)
{
	bool is_ready;

	if (handle != display_handle())
		return egl_fail(EGL_BAD_DISPLAY);
	pthread_mutex_lock(&display.lock);
	is_ready = display.is_ready;
	pthread_mutex_unlock(&display.lock);
	return is_ready || egl_fail(EGL_NOT_INITIALIZED);
}

/**
 * egl_ctx() - return the context of the board
 *
 * Return: context; the display has been initialised.
 */
struct mem_ctx *egl_ctx(void)
{
	return display.ctx;
}

API EGLint eglGetError(void)
{
	const EGLint error = last_error;

	last_error = EGL_SUCCESS;
	return error;
}

API EGLDisplay eglGetDisplay(EGLNativeDisplayType display_id)
{
	(void)display_id;
	egl_done();
	return display_handle();
}

API EGLDisplay eglGetPlatformDisplay(EGLenum platform, void *native_display,
				     const EGLAttrib *attrib_list)
{
	(void)attrib_list;
	switch (platform) {
	case EGL_PLATFORM_DEVICE_EXT:
		if (native_display != &device) {
			egl_fail(EGL_BAD_PARAMETER);
			return EGL_NO_DISPLAY;
		}
		break;
	case EGL_PLATFORM_SURFACELESS_MESA:
		break;
	default:
		egl_fail(EGL_BAD_PARAMETER);
		return EGL_NO_DISPLAY;
	}
	egl_done();
	return display_handle();
}

API EGLDisplay eglGetPlatformDisplayEXT(EGLenum platform, void *native_display,
					const EGLint *attrib_list)
{
	(void)attrib_list;
	return eglGetPlatformDisplay(platform, native_display, NULL);
}

API EGLBoolean eglInitialize(EGLDisplay dpy, EGLint *major, EGLint *minor)
{
	int err = 0;

	if (dpy != display_handle())
		return egl_fail(EGL_BAD_DISPLAY);
	pthread_mutex_lock(&display.lock);
	if (!display.ctx)
		err = compat_ctx_open(&display.ctx);
	display.is_ready = !err;
	pthread_mutex_unlock(&display.lock);
	if (err)
		return egl_fail(EGL_NOT_INITIALIZED);
	if (major)
		*major = 1;
	if (minor)
		*minor = 5;
	return egl_done();
}

API EGLBoolean eglTerminate(EGLDisplay dpy)
{
	if (dpy != display_handle())
		return egl_fail(EGL_BAD_DISPLAY);
	pthread_mutex_lock(&display.lock);
	display.is_ready = false;
	pthread_mutex_unlock(&display.lock);
	egl_objects_drop();
	return egl_done();
}

/* Fills in a list if it is empty, and returns it. */
static const char *display_list(char *to, const char *const *names, size_t nr)
{
	char *end = to;
	size_t i;

	pthread_mutex_lock(&display.lock);
	for (i = 0; i < nr && (i || !*to); i++)
		end += snprintf(end, to + LIST_LEN - end, "%s%s", i ? " " : "",
				names[i]);
	pthread_mutex_unlock(&display.lock);
	return to;
}

API const char *eglQueryString(EGLDisplay dpy, EGLint name)
{
	if (dpy == EGL_NO_DISPLAY && name == EGL_EXTENSIONS) {
		egl_done();
		return display_list(client_list, client_extensions,
				    NR(client_extensions));
	}
	if (dpy == EGL_NO_DISPLAY && name == EGL_VERSION) {
		egl_done();
		return "1.5";
	}
	if (!egl_is_ready(dpy))
		return NULL;
	egl_done();
	switch (name) {
	case EGL_CLIENT_APIS:
		return "OpenGL OpenGL_ES";
	case EGL_EXTENSIONS:
		return display_list(list, extensions, NR(extensions));
	case EGL_VENDOR:
		return "heapsim";
	case EGL_VERSION:
		return "1.5 libmem";
	default:
		egl_fail(EGL_BAD_PARAMETER);
		return NULL;
	}
}

API EGLBoolean eglBindAPI(EGLenum api)
{
	if (api != EGL_OPENGL_API && api != EGL_OPENGL_ES_API)
		return egl_fail(EGL_BAD_PARAMETER);
	bound_api = api;
	return egl_done();
}

API EGLenum eglQueryAPI(void)
{
	return bound_api;
}

API EGLBoolean eglReleaseThread(void)
{
	eglMakeCurrent(display_handle(), EGL_NO_SURFACE, EGL_NO_SURFACE,
		       EGL_NO_CONTEXT);
	bound_api = EGL_OPENGL_ES_API;
	return egl_done();
}

API EGLBoolean eglQueryDevicesEXT(EGLint max_devices, EGLDeviceEXT *devices,
				  EGLint *num_devices)
{
	if (!num_devices || (devices && max_devices <= 0))
		return egl_fail(EGL_BAD_PARAMETER);
	if (devices)
		devices[0] = (EGLDeviceEXT)(uintptr_t)&device;
	*num_devices = 1;
	return egl_done();
}

API EGLBoolean eglQueryDeviceAttribEXT(EGLDeviceEXT handle, EGLint attribute,
				       EGLAttrib *value)
{
	if (handle != &device)
		return egl_fail(EGL_BAD_DEVICE_EXT);
	if (attribute != EGL_CUDA_DEVICE_NV)
		return egl_fail(EGL_BAD_ATTRIBUTE);
	if (!value)
		return egl_fail(EGL_BAD_PARAMETER);
	*value = 0;
	return egl_done();
}

API const char *eglQueryDeviceStringEXT(EGLDeviceEXT handle, EGLint name)
{
	if (handle != &device) {
		egl_fail(EGL_BAD_DEVICE_EXT);
		return NULL;
	}
	if (name != EGL_EXTENSIONS) {
		egl_fail(EGL_BAD_PARAMETER);
		return NULL;
	}
	egl_done();
	return device_extensions;
}

API EGLBoolean eglQueryDisplayAttribEXT(EGLDisplay dpy, EGLint attribute,
					EGLAttrib *value)
{
	if (!egl_is_ready(dpy))
		return EGL_FALSE;
	if (attribute != EGL_DEVICE_EXT)
		return egl_fail(EGL_BAD_ATTRIBUTE);
	if (!value)
		return egl_fail(EGL_BAD_PARAMETER);
	*value = (EGLAttrib)(uintptr_t)&device;
	return egl_done();
}

typedef __eglMustCastToProperFunctionPointerType egl_call;

/* Searches this library only, since others may have the same names. */
static egl_call display_own_call(const char *name)
{
	Dl_info own, other;
	void *self, *found;

	if (!dladdr((void *)(uintptr_t)eglGetError, &own))
		return NULL;
	self = dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD);
	if (!self)
		return NULL;
	found = dlsym(self, name);
	if (found && (!dladdr(found, &other) ||
		      other.dli_fbase != own.dli_fbase))
		found = NULL;
	dlclose(self);
	return (egl_call)(uintptr_t)found;
}

API egl_call eglGetProcAddress(const char *procname)
{
	egl_call (*next)(const char *name);
	egl_call found = NULL;

	if (!procname)
		return NULL;
	if (!strncmp(procname, "egl", 3) && strncmp(procname, "egl_", 4))
		found = display_own_call(procname);
	else if (!strncmp(procname, "gl", 2))
		found = (egl_call)(uintptr_t)dlsym(RTLD_DEFAULT, procname);
	if (found)
		return found;
	next = (egl_call (*)(const char *))(uintptr_t)
		dlsym(RTLD_NEXT, "eglGetProcAddress");
	return next ? next(procname) : NULL;
}
