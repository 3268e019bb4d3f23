// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Syncs. Each is an eventfd that can be read while the sync is signalled, so
 * that streams of all contexts can wait for it. A sync that is unsignalled gets
 * another eventfd: what waits for the old one continues, however late it looks.
 */
#include <errno.h>
#include <pthread.h>
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
 * @event: work that it stands for, or NULL
 * @lock: protects the fields below
 * @fd: eventfd; its count is 1 while @is_signalled, else 0
 * @changed: signalled when @nr_signals changes
 * @is_signalled: status
 * @nr_signals: how often it became signalled
 */
struct egl_sync {
	struct egl_object object;
	EGLenum type;
	EGLint condition;
	struct mem_event *event;

	pthread_mutex_t lock;
	int fd;
	pthread_cond_t changed;
	bool is_signalled;
	uint64_t nr_signals;
};

static void sync_destroy(struct egl_object *object)
{
	struct egl_sync *sync = (struct egl_sync *)object;

	mem_event_destroy(sync->event);
	pthread_cond_destroy(&sync->changed);
	pthread_mutex_destroy(&sync->lock);
	close(sync->fd);
	free(sync);
}

static bool sync_is_signalled(struct egl_sync *sync)
{
	bool is_signalled;

	pthread_mutex_lock(&sync->lock);
	is_signalled = sync->is_signalled;
	pthread_mutex_unlock(&sync->lock);
	return is_signalled;
}

/* Calls for descriptors are cancellation points. */
static void sync_lock(struct egl_sync *sync, int *cancel)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, cancel);
	pthread_mutex_lock(&sync->lock);
}

static void sync_unlock(struct egl_sync *sync, int cancel)
{
	pthread_mutex_unlock(&sync->lock);
	pthread_setcancelstate(cancel, NULL);
}

static void sync_signal(struct egl_sync *sync)
{
	int cancel;

	sync_lock(sync, &cancel);
	if (!sync->is_signalled) {
		sync->is_signalled = true;
		sync->nr_signals++;
		/* Cannot fail: the count is 0. */
		eventfd_write(sync->fd, 1);
		pthread_cond_broadcast(&sync->changed);
	}
	sync_unlock(sync, cancel);
}

static int sync_new_fd(void)
{
	return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

/* Returns 0, or -errno: the status is unchanged. */
static int sync_unsignal(struct egl_sync *sync)
{
	int fd, cancel, err = 0;

	sync_lock(sync, &cancel);
	if (sync->is_signalled) {
		fd = sync_new_fd();
		if (fd < 0) {
			err = -errno;
		} else {
			close(sync->fd);
			sync->fd = fd;
			sync->is_signalled = false;
		}
	}
	sync_unlock(sync, cancel);
	return err;
}

/*
 * Makes the further work of a stream wait for the sync. In the context of the
 * sync's work it waits for the event, so that libmem knows what is ordered.
 */
static int sync_wait_by_stream(struct egl_sync *sync, struct mem_stream *stream)
{
	int err = -EXDEV, cancel;

	if (sync->event)
		err = mem_stream_wait_event(stream, sync->event);
	if (err != -EXDEV)
		return err;
	/* Waits for nothing. An unsignal would replace the descriptor. */
	sync_lock(sync, &cancel);
	err = mem_stream_wait_fence(stream, sync->fd);
	sync_unlock(sync, cancel);
	return err;
}

/*
 * Waits for a reusable sync end, as if it was signalled
 * (EGL_KHR_reusable_sync). Waits for work go on until the work has ended.
 */
static void sync_drop(struct egl_object *object)
{
	struct egl_sync *sync = (struct egl_sync *)object;

	if (!sync->condition)
		sync_signal(sync);
}

/* Called when the work has ended, also if it failed. */
static void sync_work_done(struct mem_stream *stream, int status, void *arg)
{
	(void)stream;
	(void)status;
	sync_signal(arg);
	egl_object_put(arg);
}

/*
 * Has the sync signalled when the work that its event has recorded has ended. A
 * stream of its own waits for that, so that no other does.
 */
static int sync_follow(struct egl_sync *sync, struct mem_ctx *ctx)
{
	struct mem_stream *stream;
	struct egl_sync *used;
	int err;

	err = mem_stream_create(ctx, MEM_STREAM_FOREIGN, 0, &stream);
	if (err)
		return err;
	err = mem_stream_wait_event(stream, sync->event);
	used = err ? NULL : egl_object_get(EGL_KIND_SYNC, sync);
	if (used) {
		err = mem_stream_add_callback(stream, sync_work_done, used);
		if (err)
			egl_object_put(used);
	}
	mem_stream_destroy(stream);
	return err;
}

/* Lets the sync stand for the work that an event has recorded. */
static int sync_follow_event(struct egl_sync *sync, struct mem_ctx *ctx,
			     struct mem_event *event)
{
	int err;

	err = mem_event_create(ctx, MEM_EVENT_NO_TIMING, &sync->event);
	if (!err)
		err = mem_event_copy(sync->event, event);
	return err ? err : sync_follow(sync, ctx);
}

static int sync_follow_context(struct egl_sync *sync,
			       struct egl_context *context)
{
	int err;

	err = mem_event_create(context->mem, MEM_EVENT_NO_TIMING, &sync->event);
	if (!err)
		err = mem_event_record(sync->event, context->stream);
	return err ? err : sync_follow(sync, context->mem);
}

static void sync_init_lock(struct egl_sync *sync)
{
	pthread_condattr_t attr;

	pthread_mutex_init(&sync->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&sync->changed, &attr);
	pthread_condattr_destroy(&attr);
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
	sync->fd = sync_new_fd();
	if (sync->fd < 0) {
		free(sync);
		egl_fail(EGL_BAD_ALLOC);
		return NULL;
	}
	sync_init_lock(sync);
	sync->object.kind = EGL_KIND_SYNC;
	sync->object.drop = sync_drop;
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

API EGLBoolean eglDestroySync(EGLDisplay dpy, EGLSync handle)
{
	struct egl_sync *sync = sync_get(dpy, handle);
	bool is_deleted;

	if (!sync)
		return EGL_FALSE;
	is_deleted = egl_object_del(EGL_KIND_SYNC, sync);
	egl_object_put(sync);
	return is_deleted ? egl_done() : egl_fail(EGL_BAD_PARAMETER);
}

API EGLBoolean eglDestroySyncKHR(EGLDisplay dpy, EGLSyncKHR sync)
{
	return eglDestroySync(dpy, sync);
}

/* Returns the time of the end of a time-out that begins now. */
static struct timespec sync_end(EGLTime timeout)
{
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += timeout / NS_PER_S;
	end.tv_nsec += timeout % NS_PER_S;
	if (end.tv_nsec >= (long)NS_PER_S) {
		end.tv_nsec -= NS_PER_S;
		end.tv_sec++;
	}
	return end;
}

/* Called when a thread is cancelled while it waits. The lock is held. */
static void sync_wait_cancelled(void *arg)
{
	struct egl_sync *sync = arg;

	pthread_mutex_unlock(&sync->lock);
	egl_object_put(sync);
}

/*
 * Returns true if the sync is signalled in time. If it is signalled and then
 * unsignalled, all that waited for it continue. If the thread is cancelled, the
 * caller's reference is put.
 */
static bool sync_wait(struct egl_sync *sync, EGLTime timeout)
{
	const struct timespec end = sync_end(timeout);
	bool is_signalled;
	uint64_t before;
	int err = 0;

	pthread_mutex_lock(&sync->lock);
	pthread_cleanup_push(sync_wait_cancelled, sync);
	before = sync->nr_signals;
	while (!sync->is_signalled && sync->nr_signals == before && !err)
		err = timeout == EGL_FOREVER ?
			pthread_cond_wait(&sync->changed, &sync->lock) :
			pthread_cond_timedwait(&sync->changed, &sync->lock,
					       &end);
	is_signalled = sync->is_signalled || sync->nr_signals != before;
	pthread_cleanup_pop(0);
	pthread_mutex_unlock(&sync->lock);
	return is_signalled;
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
	err = sync_wait_by_stream(sync, context->stream);
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

	if (!sync)
		return EGL_FALSE;
	if (sync->condition)
		error = EGL_BAD_MATCH;
	else if (mode == EGL_SIGNALED_KHR)
		sync_signal(sync);
	else if (mode == EGL_UNSIGNALED_KHR)
		error = sync_unsignal(sync) ? EGL_BAD_ALLOC : EGL_SUCCESS;
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
	err = sync_wait_by_stream(sync, stream);
	egl_object_put(sync);
	return err;
}
