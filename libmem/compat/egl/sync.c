// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Syncs. Each is an eventfd that can be read once the sync is signalled. So the
 * CPU waits with a time-out, and streams of all contexts can wait for it.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "egl.h"
#include "heapsim_cuda.h"

#pragma weak heapsim_cuda_event

#define NS_PER_S	1000000000ULL

/**
 * struct egl_sync - a sync
 * @object: object
 * @type: EGL_SYNC_*
 * @condition: EGL_SYNC_*; 0: it is reusable
 * @fd: eventfd
 * @event: work that it stands for, or NULL
 */
struct egl_sync {
	struct egl_object object;
	EGLenum type;
	EGLint condition;
	int fd;
	struct mem_event *event;
};

static void sync_destroy(struct egl_object *object)
{
	struct egl_sync *sync = (struct egl_sync *)object;

	mem_event_destroy(sync->event);
	close(sync->fd);
	free(sync);
}

static bool sync_is_signalled(const struct egl_sync *sync)
{
	struct pollfd fd = { .fd = sync->fd, .events = POLLIN };

	return poll(&fd, 1, 0) > 0;
}

static void sync_signal(const struct egl_sync *sync)
{
	/* Cannot fail: at most one is added to the counter. */
	if (!sync_is_signalled(sync))
		eventfd_write(sync->fd, 1);
}

/* Called when the work has ended, also if it failed. */
static void sync_work_done(struct mem_stream *stream, int status, void *arg)
{
	(void)stream;
	(void)status;
	sync_signal(arg);
	egl_object_put(arg);
}

/* Lets the sync stand for the work that a stream has now. */
static int sync_follow(struct egl_sync *sync, struct mem_stream *stream)
{
	struct egl_sync *used;
	int err = mem_event_record(sync->event, stream);

	if (err)
		return err;
	used = egl_object_get(EGL_KIND_SYNC, sync);
	if (!used)
		return 0;
	err = mem_stream_add_callback(stream, sync_work_done, used);
	if (err)
		egl_object_put(used);
	return err;
}

/* Waits on a stream of its own, so that the other does not wait for it. */
static int sync_follow_event(struct egl_sync *sync, struct mem_ctx *ctx,
			     struct mem_event *event)
{
	struct mem_stream *stream;
	int err;

	err = mem_event_create(ctx, MEM_EVENT_NO_TIMING, &sync->event);
	if (err)
		return err;
	err = mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING, 0, &stream);
	if (err)
		return err;
	err = mem_stream_wait_event(stream, event);
	if (!err)
		err = sync_follow(sync, stream);
	mem_stream_destroy(stream);
	return err;
}

static int sync_follow_context(struct egl_sync *sync,
			       struct egl_context *context)
{
	struct mem_event *event;
	int err;

	err = mem_event_create(context->mem, MEM_EVENT_NO_TIMING, &event);
	if (err)
		return err;
	err = mem_event_record(event, context->stream);
	if (!err)
		err = sync_follow_event(sync, context->mem, event);
	mem_event_destroy(event);
	return err;
}

/* Makes a sync with a handle. Returns NULL if the call has failed. */
static struct egl_sync *sync_make(EGLenum type, EGLint condition)
{
	struct egl_sync *sync = calloc(1, sizeof(*sync));

	if (!sync) {
		egl_fail(EGL_BAD_ALLOC);
		return NULL;
	}
	sync->type = type;
	sync->condition = condition;
	sync->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (sync->fd < 0) {
		free(sync);
		egl_fail(EGL_BAD_ALLOC);
		return NULL;
	}
	sync->object.kind = EGL_KIND_SYNC;
	sync->object.destroy = sync_destroy;
	egl_object_add(&sync->object);
	return sync;
}

/* Ends a creation, with an error of libmem or 0. */
static EGLSync sync_made(struct egl_sync *sync, int err)
{
	if (!err) {
		egl_done();
		return sync;
	}
	egl_object_del(EGL_KIND_SYNC, sync);
	egl_fail(egl_error_of(err));
	return EGL_NO_SYNC;
}

static EGLSync sync_of_context(void)
{
	struct egl_context *context = egl_current();
	struct egl_sync *sync;

	if (!context) {
		egl_fail(EGL_BAD_MATCH);
		return EGL_NO_SYNC;
	}
	sync = sync_make(EGL_SYNC_FENCE_KHR,
			 EGL_SYNC_PRIOR_COMMANDS_COMPLETE_KHR);
	return sync ? sync_made(sync, sync_follow_context(sync, context)) :
		      EGL_NO_SYNC;
}

static EGLSync sync_of_cuda(struct CUevent_st *handle)
{
	struct egl_sync *sync;
	struct mem_event *event;
	struct mem_ctx *ctx;

	if (!heapsim_cuda_event || heapsim_cuda_event(handle, &event, &ctx)) {
		egl_fail(EGL_BAD_ATTRIBUTE);
		return EGL_NO_SYNC;
	}
	sync = sync_make(EGL_SYNC_CUDA_EVENT_NV,
			 EGL_SYNC_CUDA_EVENT_COMPLETE_NV);
	return sync ? sync_made(sync, sync_follow_event(sync, ctx, event)) :
		      EGL_NO_SYNC;
}

static EGLSync sync_reusable(EGLint status)
{
	struct egl_sync *sync = sync_make(EGL_SYNC_REUSABLE_KHR, 0);

	if (!sync)
		return EGL_NO_SYNC;
	if (status == EGL_SIGNALED_KHR)
		sync_signal(sync);
	return sync_made(sync, 0);
}

API EGLSync eglCreateSync(EGLDisplay dpy, EGLenum type,
			  const EGLAttrib *attrib_list)
{
	struct CUevent_st *event = NULL;

	if (!egl_is_ready(dpy))
		return EGL_NO_SYNC;
	for (; attrib_list && attrib_list[0] != EGL_NONE; attrib_list += 2) {
		if (type != EGL_SYNC_CUDA_EVENT_NV ||
		    attrib_list[0] != EGL_CUDA_EVENT_HANDLE_NV) {
			egl_fail(EGL_BAD_ATTRIBUTE);
			return EGL_NO_SYNC;
		}
		event = (struct CUevent_st *)attrib_list[1];
	}
	switch (type) {
	case EGL_SYNC_FENCE_KHR:
		return sync_of_context();
	case EGL_SYNC_REUSABLE_KHR:
		return sync_reusable(EGL_UNSIGNALED_KHR);
	case EGL_SYNC_CUDA_EVENT_NV:
		return sync_of_cuda(event);
	default:
		egl_fail(EGL_BAD_ATTRIBUTE);
		return EGL_NO_SYNC;
	}
}

API EGLSyncKHR eglCreateSync64KHR(EGLDisplay dpy, EGLenum type,
				  const EGLAttrib *attrib_list)
{
	return eglCreateSync(dpy, type, attrib_list);
}

/* Attributes of this form cannot hold the handle of an event. */
API EGLSyncKHR eglCreateSyncKHR(EGLDisplay dpy, EGLenum type,
				const EGLint *attrib_list)
{
	if (!egl_is_ready(dpy))
		return EGL_NO_SYNC_KHR;
	if (attrib_list && attrib_list[0] != EGL_NONE) {
		egl_fail(EGL_BAD_ATTRIBUTE);
		return EGL_NO_SYNC_KHR;
	}
	return eglCreateSync(dpy, type, NULL);
}

/* Finds a sync. If there is none, the call has failed. */
static struct egl_sync *sync_get(EGLDisplay dpy, EGLSync handle)
{
	struct egl_sync *sync;

	if (!egl_is_ready(dpy))
		return NULL;
	sync = egl_object_get(EGL_KIND_SYNC, handle);
	if (!sync)
		egl_fail(EGL_BAD_PARAMETER);
	return sync;
}

API EGLBoolean eglDestroySync(EGLDisplay dpy, EGLSync sync)
{
	if (!egl_is_ready(dpy))
		return EGL_FALSE;
	return egl_object_del(EGL_KIND_SYNC, sync) ?
		egl_done() : egl_fail(EGL_BAD_PARAMETER);
}

API EGLBoolean eglDestroySyncKHR(EGLDisplay dpy, EGLSyncKHR sync)
{
	return eglDestroySync(dpy, sync);
}

static uint64_t sync_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* Returns true if the sync is signalled in time. */
static bool sync_wait(const struct egl_sync *sync, EGLTime timeout)
{
	const uint64_t start = sync_now_ns();
	struct pollfd fd = { .fd = sync->fd, .events = POLLIN };
	struct timespec left;
	uint64_t passed = 0;
	int nr;

	do {
		left.tv_sec = (timeout - passed) / NS_PER_S;
		left.tv_nsec = (timeout - passed) % NS_PER_S;
		nr = ppoll(&fd, 1, timeout == EGL_FOREVER ? NULL : &left, NULL);
		passed = sync_now_ns() - start;
		if (passed > timeout)
			passed = timeout;
	} while (nr < 0 && errno == EINTR);
	return nr > 0;
}

API EGLint eglClientWaitSync(EGLDisplay dpy, EGLSync handle, EGLint flags,
			     EGLTime timeout)
{
	struct egl_sync *sync = sync_get(dpy, handle);
	bool is_signalled;

	(void)flags;
	if (!sync)
		return EGL_FALSE;
	is_signalled = sync_wait(sync, timeout);
	/* The host has waited for the work, so it may use what that wrote. */
	if (is_signalled && sync->event)
		mem_event_sync(sync->event);
	egl_object_put(sync);
	egl_done();
	return is_signalled ? EGL_CONDITION_SATISFIED : EGL_TIMEOUT_EXPIRED;
}

API EGLint eglClientWaitSyncKHR(EGLDisplay dpy, EGLSyncKHR sync, EGLint flags,
				EGLTimeKHR timeout)
{
	return eglClientWaitSync(dpy, sync, flags, timeout);
}

API EGLBoolean eglWaitSync(EGLDisplay dpy, EGLSync handle, EGLint flags)
{
	struct egl_context *context = egl_current();
	struct egl_sync *sync = sync_get(dpy, handle);
	int err;

	if (!sync)
		return EGL_FALSE;
	if (flags || !context || !sync->condition) {
		egl_object_put(sync);
		return egl_fail(flags ? EGL_BAD_PARAMETER : EGL_BAD_MATCH);
	}
	err = mem_stream_wait_fence(context->stream, sync->fd);
	egl_object_put(sync);
	return err ? egl_fail(egl_error_of(err)) : egl_done();
}

API EGLint eglWaitSyncKHR(EGLDisplay dpy, EGLSyncKHR sync, EGLint flags)
{
	return (EGLint)eglWaitSync(dpy, sync, flags);
}

API EGLBoolean eglSignalSyncKHR(EGLDisplay dpy, EGLSyncKHR handle, EGLenum mode)
{
	struct egl_sync *sync = sync_get(dpy, handle);
	EGLint error = EGL_SUCCESS;
	eventfd_t value;

	if (!sync)
		return EGL_FALSE;
	if (sync->condition)
		error = EGL_BAD_MATCH;
	else if (mode == EGL_SIGNALED_KHR)
		sync_signal(sync);
	else if (mode == EGL_UNSIGNALED_KHR)
		eventfd_read(sync->fd, &value);
	else
		error = EGL_BAD_PARAMETER;
	egl_object_put(sync);
	return error == EGL_SUCCESS ? egl_done() : egl_fail(error);
}

API EGLBoolean eglGetSyncAttrib(EGLDisplay dpy, EGLSync handle,
				EGLint attribute, EGLAttrib *value)
{
	struct egl_sync *sync = sync_get(dpy, handle);
	EGLint error = EGL_SUCCESS;
	EGLAttrib found = 0;

	if (!sync)
		return EGL_FALSE;
	if (!value)
		error = EGL_BAD_PARAMETER;
	else if (attribute == EGL_SYNC_TYPE_KHR)
		found = sync->type;
	else if (attribute == EGL_SYNC_STATUS_KHR)
		found = sync_is_signalled(sync) ? EGL_SIGNALED_KHR :
						  EGL_UNSIGNALED_KHR;
	else if (attribute == EGL_SYNC_CONDITION_KHR && sync->condition)
		found = sync->condition;
	else
		error = EGL_BAD_ATTRIBUTE;
	if (found == EGL_SIGNALED_KHR && sync->event)
		mem_event_query(sync->event);
	egl_object_put(sync);
	if (error != EGL_SUCCESS)
		return egl_fail(error);
	*value = found;
	return egl_done();
}

API EGLBoolean eglGetSyncAttribKHR(EGLDisplay dpy, EGLSyncKHR sync,
				   EGLint attribute, EGLint *value)
{
	EGLAttrib found;

	if (!value)
		return egl_fail(EGL_BAD_PARAMETER);
	if (!eglGetSyncAttrib(dpy, sync, attribute, &found))
		return EGL_FALSE;
	*value = (EGLint)found;
	return EGL_TRUE;
}

API int heapsim_egl_wait(void *handle, struct mem_stream *stream)
{
	struct egl_sync *sync = egl_object_get(EGL_KIND_SYNC, handle);
	int err;

	if (!sync)
		return -EBADF;
	err = mem_stream_wait_fence(stream, sync->fd);
	egl_object_put(sync);
	return err;
}
