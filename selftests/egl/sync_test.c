// SPDX-License-Identifier: GPL-2.0-only
/* Syncs: of a context, of CUDA's events, reusable ones; events of syncs. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/eventfd.h>

#include "../asleep.h"
#include "descriptors.h"
#include "gl.h"

#define MANY_NS		(60 * NS_PER_S)

/* A stream that does nothing until the test opens a gate */
static cudaStream_t stream;
static struct mem_semaphore *gate;
static int gate_fd;

static void close_gate(void)
{
	struct mem_ctx *ctx;
	struct mem_stream *mem;

	ok(heapsim_cuda_ctx(&ctx));
	ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	ok(heapsim_cuda_stream(stream, &mem));
	gate_fd = eventfd(0, EFD_CLOEXEC);
	assert_true(gate_fd >= 0);
	assert_int_equal(mem_semaphore_import(ctx, gate_fd, &gate), 0);
	assert_int_equal(mem_stream_wait_semaphore(mem, gate), 0);
}

static void open_gate(void)
{
	assert_int_equal(eventfd_write(gate_fd, 1), 0);
}

static void remove_gate(void)
{
	ok(cudaStreamSynchronize(stream));
	ok(cudaStreamDestroy(stream));
	mem_semaphore_destroy(gate);
	close(gate_fd);
}

static EGLAttrib status_of(EGLSync sync)
{
	EGLAttrib value;

	egl_ok(eglGetSyncAttrib(display, sync, EGL_SYNC_STATUS, &value));
	return value;
}

static EGLSync sync_of(cudaEvent_t event)
{
	const EGLAttrib attribs[] = { EGL_CUDA_EVENT_HANDLE_NV,
				      (EGLAttrib)event, EGL_NONE };
	EGLSync sync;

	sync = eglCreateSync(display, EGL_SYNC_CUDA_EVENT_NV, attribs);
	assert_non_null(sync);
	return sync;
}

static void a_sync_of_an_event_waits_for_its_work(void **state)
{
	cudaEvent_t event;
	EGLAttrib value;
	EGLSync sync;
	EGLint narrow;

	(void)state;
	close_gate();
	ok(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	ok(cudaEventRecord(event, stream));
	sync = sync_of(event);
	open_gate();
	assert_int_equal(eglClientWaitSync(display, sync, 0, MANY_NS),
			 EGL_CONDITION_SATISFIED);
	assert_int_equal(status_of(sync), EGL_SIGNALED);
	egl_ok(eglGetSyncAttribKHR(display, sync, EGL_SYNC_TYPE_KHR, &narrow));
	assert_int_equal(narrow, EGL_SYNC_CUDA_EVENT_NV);
	egl_ok(eglGetSyncAttrib(display, sync, EGL_SYNC_CONDITION, &value));
	assert_int_equal(value, EGL_SYNC_CUDA_EVENT_COMPLETE_NV);
	egl_ok(eglDestroySync(display, sync));
	ok(cudaEventDestroy(event));
	remove_gate();
}

static void a_sync_is_not_signalled_before(void **state)
{
	cudaEvent_t event;
	uint64_t start;
	EGLSync sync;

	(void)state;
	close_gate();
	ok(cudaEventCreate(&event));
	ok(cudaEventRecord(event, stream));
	sync = sync_of(event);
	assert_int_equal(status_of(sync), EGL_UNSIGNALED);
	assert_int_equal(eglClientWaitSync(display, sync, 0, 0),
			 EGL_TIMEOUT_EXPIRED);
	start = now_ns();
	assert_int_equal(eglClientWaitSync(display, sync, 0, 20 * NS_PER_MS),
			 EGL_TIMEOUT_EXPIRED);
	assert_true(now_ns() - start >= 20 * NS_PER_MS);
	/* An event that is recorded again does not change the sync. */
	ok(cudaEventRecord(event, cudaStreamPerThread));
	ok(cudaEventSynchronize(event));
	assert_int_equal(status_of(sync), EGL_UNSIGNALED);
	open_gate();
	assert_int_equal(eglClientWaitSync(display, sync, 0, EGL_FOREVER),
			 EGL_CONDITION_SATISFIED);
	egl_ok(eglDestroySync(display, sync));
	ok(cudaEventDestroy(event));
	remove_gate();
}

/* A destroyed sync still orders the work that waits for it. */
static void opengl_waits_for_cuda(void **state)
{
	static unsigned char pixels[FRAME_LEN];
	cudaEvent_t event;
	EGLSync sync, after;
	GLuint name;

	(void)state;
	close_gate();
	ok(cudaEventCreate(&event));
	ok(cudaEventRecord(event, stream));
	sync = sync_of(event);
	egl_ok(eglWaitSync(display, sync, 0));
	egl_ok(eglDestroySync(display, sync));
	glGenTextures(1, &name);
	glBindTexture(GL_TEXTURE_2D, name);
	after = eglCreateSync(display, EGL_SYNC_FENCE, NULL);
	assert_non_null(after);
	assert_int_equal(status_of(after), EGL_UNSIGNALED);
	open_gate();
	assert_int_equal(eglClientWaitSync(display, after,
					   EGL_SYNC_FLUSH_COMMANDS_BIT,
					   MANY_NS),
			 EGL_CONDITION_SATISFIED);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, WIDTH, HEIGHT, 0, GL_RGBA,
		     GL_UNSIGNED_BYTE, pixels);
	glFinish();
	glDeleteTextures(1, &name);
	egl_ok(eglDestroySync(display, after));
	ok(cudaEventDestroy(event));
	remove_gate();
}

static void cuda_waits_for_a_sync(void **state)
{
	cudaEvent_t event, other, timed;
	cudaStream_t waiting;
	float ms;
	EGLSync sync;

	(void)state;
	sync = eglCreateSync(display, EGL_SYNC_REUSABLE_KHR, NULL);
	assert_non_null(sync);
	ok(cudaStreamCreateWithFlags(&waiting, cudaStreamNonBlocking));
	ok(cudaEventCreateFromEGLSync(&event, sync, cudaEventDefault));
	ok(cudaEventCreate(&other));
	ok(cudaEventCreate(&timed));
	assert_int_equal(cudaEventQuery(event), cudaErrorNotReady);
	ok(cudaStreamWaitEvent(waiting, event, 0));
	ok(cudaEventRecord(other, waiting));
	assert_int_equal(cudaEventQuery(other), cudaErrorNotReady);
	/* It can neither be recorded nor be used for times. */
	assert_int_equal(cudaEventRecord(event, waiting),
			 cudaErrorNotSupported);
	assert_int_equal(cudaEventElapsedTime(&ms, event, timed),
			 cudaErrorInvalidResourceHandle);
	egl_ok(eglSignalSyncKHR(display, sync, EGL_SIGNALED_KHR));
	ok(cudaEventSynchronize(other));
	ok(cudaEventQuery(event));
	egl_ok(eglDestroySync(display, sync));
	ok(cudaEventDestroy(event));
	ok(cudaEventDestroy(other));
	ok(cudaEventDestroy(timed));
	ok(cudaStreamDestroy(waiting));
}

static void *signal_later(void *sync)
{
	usleep(20000);
	egl_ok(eglSignalSyncKHR(display, sync, EGL_SIGNALED_KHR));
	return NULL;
}

static void a_reusable_sync_is_signalled_by_hand(void **state)
{
	pthread_t thread;
	EGLAttrib value;
	EGLSync sync;

	(void)state;
	sync = eglCreateSyncKHR(display, EGL_SYNC_REUSABLE_KHR, NULL);
	assert_non_null(sync);
	assert_int_equal(status_of(sync), EGL_UNSIGNALED);
	assert_int_equal(pthread_create(&thread, NULL, signal_later, sync), 0);
	assert_int_equal(eglClientWaitSyncKHR(display, sync, 0,
					      EGL_FOREVER_KHR),
			 EGL_CONDITION_SATISFIED_KHR);
	pthread_join(thread, NULL);
	egl_ok(eglSignalSyncKHR(display, sync, EGL_SIGNALED_KHR));
	egl_ok(eglSignalSyncKHR(display, sync, EGL_UNSIGNALED_KHR));
	assert_int_equal(status_of(sync), EGL_UNSIGNALED);
	egl_fails(eglSignalSyncKHR(display, sync, 0), EGL_FALSE,
		  EGL_BAD_PARAMETER);
	egl_fails(eglWaitSync(display, sync, 0), EGL_FALSE, EGL_BAD_MATCH);
	egl_fails(eglGetSyncAttrib(display, sync, EGL_SYNC_CONDITION, &value),
		  EGL_FALSE, EGL_BAD_ATTRIBUTE);
	egl_ok(eglDestroySyncKHR(display, sync));
}

/**
 * struct waiter - a thread that waits for a sync
 * @thread: the thread
 * @tid: number of the thread, set when it begins
 * @sync: sync
 * @result: what the wait returned
 */
struct waiter {
	pthread_t thread;
	atomic_int tid;
	EGLSync sync;
	EGLint result;
};

static void *wait_for_sync(void *arg)
{
	struct waiter *waiter = arg;

	waiter->tid = gettid();
	waiter->result = eglClientWaitSyncKHR(display, waiter->sync, 0,
					      MANY_NS);
	return NULL;
}

/* Starts a thread, and returns when it waits. */
static void start_waiter(struct waiter *waiter, EGLSync sync)
{
	*waiter = (struct waiter){ .sync = sync };
	assert_int_equal(pthread_create(&waiter->thread, NULL, wait_for_sync,
					waiter), 0);
	wait_until_asleep(&waiter->tid);
}

/* Returns a sync that both threads wait for. */
static EGLSync create_with_waiters(struct waiter waiters[2])
{
	EGLSync sync = eglCreateSyncKHR(display, EGL_SYNC_REUSABLE_KHR, NULL);

	assert_non_null(sync);
	start_waiter(&waiters[0], sync);
	start_waiter(&waiters[1], sync);
	return sync;
}

static void waiters_are_released(struct waiter waiters[2])
{
	size_t i;

	for (i = 0; i < 2; i++) {
		pthread_join(waiters[i].thread, NULL);
		assert_int_equal(waiters[i].result,
				 EGL_CONDITION_SATISFIED_KHR);
	}
}

static void a_short_signal_releases_all_that_wait(void **state)
{
	struct waiter waiters[2];
	EGLSync sync;

	(void)state;
	sync = create_with_waiters(waiters);
	egl_ok(eglSignalSyncKHR(display, sync, EGL_SIGNALED_KHR));
	egl_ok(eglSignalSyncKHR(display, sync, EGL_UNSIGNALED_KHR));
	waiters_are_released(waiters);
	/* Who comes later waits for the next signal. */
	assert_int_equal(eglClientWaitSyncKHR(display, sync, 0, 0),
			 EGL_TIMEOUT_EXPIRED_KHR);
	egl_ok(eglDestroySyncKHR(display, sync));
}

/* A wait that begins after it waits for the next signal. */
static void short_signal_releases_a_stream(void)
{
	cudaEvent_t before, after;
	cudaStream_t waiting[2];
	EGLSync sync;
	size_t i;

	sync = eglCreateSyncKHR(display, EGL_SYNC_REUSABLE_KHR, NULL);
	assert_non_null(sync);
	ok(cudaEventCreateFromEGLSync(&before, sync, cudaEventDefault));
	for (i = 0; i < 2; i++)
		ok(cudaStreamCreateWithFlags(&waiting[i],
					     cudaStreamNonBlocking));
	ok(cudaStreamWaitEvent(waiting[0], before, 0));
	egl_ok(eglSignalSyncKHR(display, sync, EGL_SIGNALED_KHR));
	egl_ok(eglSignalSyncKHR(display, sync, EGL_UNSIGNALED_KHR));
	ok(cudaEventCreateFromEGLSync(&after, sync, cudaEventDefault));
	ok(cudaStreamWaitEvent(waiting[1], after, 0));
	ok(cudaStreamSynchronize(waiting[0]));
	assert_int_equal(cudaStreamQuery(waiting[1]), cudaErrorNotReady);
	egl_ok(eglSignalSyncKHR(display, sync, EGL_SIGNALED_KHR));
	ok(cudaStreamSynchronize(waiting[1]));
	egl_ok(eglDestroySyncKHR(display, sync));
	for (i = 0; i < 2; i++)
		ok(cudaStreamDestroy(waiting[i]));
	ok(cudaEventDestroy(before));
	ok(cudaEventDestroy(after));
}

static void a_short_signal_releases_streams(void **state)
{
	int i;

	(void)state;
	/* What waits may look at the sync before it is unsignalled. */
	for (i = 0; i < 10; i++)
		short_signal_releases_a_stream();
}

static void an_unsignal_that_fails_changes_nothing(void **state)
{
	struct rlimit limit;
	EGLBoolean result;
	EGLSync sync;

	(void)state;
	sync = eglCreateSyncKHR(display, EGL_SYNC_REUSABLE_KHR, NULL);
	assert_non_null(sync);
	egl_ok(eglSignalSyncKHR(display, sync, EGL_SIGNALED_KHR));
	limit = use_all_descriptors();
	result = eglSignalSyncKHR(display, sync, EGL_UNSIGNALED_KHR);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	egl_fails(result, EGL_FALSE, EGL_BAD_ALLOC);
	assert_int_equal(status_of(sync), EGL_SIGNALED);
	egl_ok(eglSignalSyncKHR(display, sync, EGL_UNSIGNALED_KHR));
	assert_int_equal(status_of(sync), EGL_UNSIGNALED);
	egl_ok(eglDestroySyncKHR(display, sync));
}

static void a_destroyed_sync_releases_all_that_wait(void **state)
{
	struct waiter waiters[2];
	EGLSync sync;

	(void)state;
	sync = create_with_waiters(waiters);
	egl_ok(eglDestroySyncKHR(display, sync));
	waiters_are_released(waiters);
	egl_fails(eglDestroySyncKHR(display, sync), EGL_FALSE,
		  EGL_BAD_PARAMETER);
}

/* It takes the handles of all objects away. */
static void a_terminated_display_releases_all_that_wait(void **state)
{
	struct waiter waiters[2];

	create_with_waiters(waiters);
	egl_ok(eglTerminate(display));
	waiters_are_released(waiters);
	/* The context has no handle any more. */
	assert_int_equal(open_gl(state), 0);
}

/* The lock and the reference of the wait are not kept. */
static void a_wait_can_be_cancelled(void **state)
{
	struct waiter waiter;
	cudaEvent_t event;
	EGLSync sync;
	void *result;

	(void)state;
	close_gate();
	ok(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	ok(cudaEventRecord(event, stream));
	sync = sync_of(event);
	start_waiter(&waiter, sync);
	assert_int_equal(pthread_cancel(waiter.thread), 0);
	assert_int_equal(pthread_join(waiter.thread, &result), 0);
	assert_ptr_equal(result, PTHREAD_CANCELED);
	assert_int_equal(status_of(sync), EGL_UNSIGNALED);
	open_gate();
	assert_int_equal(eglClientWaitSync(display, sync, 0, MANY_NS),
			 EGL_CONDITION_SATISFIED);
	egl_ok(eglDestroySync(display, sync));
	ok(cudaEventDestroy(event));
	remove_gate();
}

/* Ends in the first call that is a cancellation point. */
static void *signal_cancelled(void *sync)
{
	pthread_cancel(pthread_self());
	eglSignalSyncKHR(display, sync, EGL_SIGNALED_KHR);
	eglSignalSyncKHR(display, sync, EGL_UNSIGNALED_KHR);
	return NULL;
}

static void a_cancelled_signal_keeps_no_lock(void **state)
{
	EGLSyncKHR sync;
	pthread_t thread;

	(void)state;
	sync = eglCreateSyncKHR(display, EGL_SYNC_REUSABLE_KHR, NULL);
	assert_non_null(sync);
	assert_int_equal(pthread_create(&thread, NULL, signal_cancelled, sync),
			 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(status_of(sync), EGL_UNSIGNALED);
	egl_ok(eglDestroySyncKHR(display, sync));
}

static void *make_current(void *arg)
{
	EGLint *error = arg;

	*error = EGL_SUCCESS;
	if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
		*error = eglGetError();
	/* Ends without a release. */
	return NULL;
}

static EGLint error_of_another_thread(void)
{
	pthread_t thread;
	EGLint error;

	assert_int_equal(pthread_create(&thread, NULL, make_current, &error),
			 0);
	pthread_join(thread, NULL);
	return error;
}

static void a_context_is_current_in_one_thread(void **state)
{
	(void)state;
	assert_int_equal(error_of_another_thread(), EGL_BAD_ACCESS);
	egl_ok(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE,
			      EGL_NO_CONTEXT));
	assert_int_equal(error_of_another_thread(), EGL_SUCCESS);
	/* That thread has ended. */
	egl_ok(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE,
			      context));
	egl_ok(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE,
			      context));
}

static void a_wrong_sync_is_an_error(void **state)
{
	const EGLAttrib none[] = { EGL_CUDA_EVENT_HANDLE_NV, 0, EGL_NONE };
	const EGLAttrib odd[] = { EGL_WIDTH, 1, EGL_NONE };
	cudaEvent_t event;
	EGLSync sync;

	(void)state;
	egl_fails(eglCreateSync(display, EGL_SYNC_CUDA_EVENT_NV, none),
		  EGL_NO_SYNC, EGL_BAD_ATTRIBUTE);
	egl_fails(eglCreateSync(display, EGL_SYNC_CUDA_EVENT_NV, NULL),
		  EGL_NO_SYNC, EGL_BAD_ATTRIBUTE);
	egl_fails(eglCreateSync(display, EGL_SYNC_FENCE, odd), EGL_NO_SYNC,
		  EGL_BAD_ATTRIBUTE);
	egl_fails(eglCreateSync(display, EGL_WIDTH, NULL), EGL_NO_SYNC,
		  EGL_BAD_ATTRIBUTE);
	egl_fails(eglDestroySync(display, display), EGL_FALSE,
		  EGL_BAD_PARAMETER);
	assert_int_equal(eglClientWaitSync(display, display, 0, 0), EGL_FALSE);
	assert_int_equal(eglGetError(), EGL_BAD_PARAMETER);
	sync = eglCreateSync(display, EGL_SYNC_FENCE, NULL);
	assert_non_null(sync);
	egl_fails(eglSignalSyncKHR(display, sync, EGL_SIGNALED_KHR), EGL_FALSE,
		  EGL_BAD_MATCH);
	egl_fails(eglWaitSync(display, sync, 1), EGL_FALSE, EGL_BAD_PARAMETER);
	assert_int_equal(cudaEventCreateFromEGLSync(&event, sync,
						    cudaEventInterprocess),
			 cudaErrorInvalidValue);
	assert_int_equal(cudaEventCreateFromEGLSync(NULL, sync, 0),
			 cudaErrorInvalidValue);
	egl_ok(eglDestroySync(display, sync));
	assert_int_equal(cudaEventCreateFromEGLSync(&event, sync, 0),
			 cudaErrorInvalidValue);
	egl_ok(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE,
			      EGL_NO_CONTEXT));
	egl_fails(eglCreateSync(display, EGL_SYNC_FENCE, NULL), EGL_NO_SYNC,
		  EGL_BAD_MATCH);
	egl_ok(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE,
			      context));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sync_of_an_event_waits_for_its_work),
		cmocka_unit_test(a_sync_is_not_signalled_before),
		cmocka_unit_test(opengl_waits_for_cuda),
		cmocka_unit_test(cuda_waits_for_a_sync),
		cmocka_unit_test(a_reusable_sync_is_signalled_by_hand),
		cmocka_unit_test(a_short_signal_releases_all_that_wait),
		cmocka_unit_test(a_short_signal_releases_streams),
		cmocka_unit_test(an_unsignal_that_fails_changes_nothing),
		cmocka_unit_test(a_destroyed_sync_releases_all_that_wait),
		cmocka_unit_test(a_terminated_display_releases_all_that_wait),
		cmocka_unit_test(a_wait_can_be_cancelled),
		cmocka_unit_test(a_cancelled_signal_keeps_no_lock),
		cmocka_unit_test(a_context_is_current_in_one_thread),
		cmocka_unit_test(a_wrong_sync_is_an_error),
	};

	return cmocka_run_group_tests(tests, open_gl, close_gl);
}
