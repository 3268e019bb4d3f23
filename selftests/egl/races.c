// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program in which OpenGL and CUDA write to one texture, for report_test.
 * Argument: what orders the work of both, if it does; see main().
 */
#include "gl.h"

static unsigned char pixels[FRAME_LEN];
static cudaStream_t stream;
static cudaArray_t array;

static void write_by_gl(void)
{
	glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, WIDTH, HEIGHT, /* BY_GL */
			GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

static void write_by_cuda(void)
{
	const size_t pitch = WIDTH * 4;

	ok(cudaMemcpy2DToArrayAsync(array, 0, 0, pixels, pitch, /* BY_CUDA */
				    pitch, HEIGHT, cudaMemcpyHostToDevice,
				    stream));
}

static void finish(void)
{
	glFinish();
}

static void flush(void)
{
	glFlush();
}

static void device_sync(void)
{
	ok(cudaDeviceSynchronize());
}

static void stream_sync(void)
{
	ok(cudaStreamSynchronize(stream));
}

/* With a wait of CUDA between, which must not lose the order. */
static void sync_of_gl(void)
{
	EGLSync sync = eglCreateSync(display, EGL_SYNC_FENCE, NULL);
	cudaEvent_t event;

	assert_non_null(sync);
	ok(cudaEventCreateFromEGLSync(&event, sync, cudaEventDefault));
	ok(cudaDeviceSynchronize());
	ok(cudaStreamWaitEvent(stream, event, 0));
	ok(cudaEventDestroy(event));
	egl_ok(eglDestroySync(display, sync));
}

static void client_wait_for_gl(void)
{
	EGLSync sync = eglCreateSync(display, EGL_SYNC_FENCE, NULL);

	assert_int_equal(eglClientWaitSync(display, sync, 0, EGL_FOREVER),
			 EGL_CONDITION_SATISFIED);
	egl_ok(eglDestroySync(display, sync));
}

/* Nobody waits for it. */
static void unused_sync_of_gl(void)
{
	EGLSync sync = eglCreateSync(display, EGL_SYNC_FENCE, NULL);

	usleep(20000);
	egl_ok(eglDestroySync(display, sync));
}

static EGLSync sync_of_event(void)
{
	EGLAttrib attribs[] = { EGL_CUDA_EVENT_HANDLE_NV, 0, EGL_NONE };
	cudaEvent_t event;
	EGLSync sync;

	ok(cudaEventCreate(&event));
	ok(cudaEventRecord(event, stream));
	attribs[1] = (EGLAttrib)event;
	sync = eglCreateSync(display, EGL_SYNC_CUDA_EVENT_NV, attribs);
	assert_non_null(sync);
	ok(cudaEventDestroy(event));
	return sync;
}

static void sync_of_cuda(void)
{
	EGLSync sync = sync_of_event();

	egl_ok(eglWaitSync(display, sync, 0));
	egl_ok(eglDestroySync(display, sync));
}

static void client_wait_for_cuda(void)
{
	EGLSync sync = sync_of_event();

	assert_int_equal(eglClientWaitSync(display, sync, 0, EGL_FOREVER),
			 EGL_CONDITION_SATISFIED);
	egl_ok(eglDestroySync(display, sync));
}

static void told(cudaStream_t of, cudaError_t status, void *flag)
{
	(void)of;
	(void)status;
	__atomic_store_n((int *)flag, 1, __ATOMIC_RELEASE);
}

/* The CPU waits until it is told. */
static void callback_of_cuda(void)
{
	int is_told = 0;

	ok(cudaStreamAddCallback(stream, told, &is_told, 0));
	while (!__atomic_load_n(&is_told, __ATOMIC_ACQUIRE))
		usleep(1000);
}

static void nothing(void)
{
}

int main(int argc, char **argv)
{
	/* What is between the work of the first and of the other one */
	static const struct {
		const char *name;
		bool is_gl_first;
		void (*between)(void);
	} ways[] = {
		{ "gl-finish", true, finish },
		{ "gl-sync", true, sync_of_gl },
		{ "gl-client-wait", true, client_wait_for_gl },
		{ "gl-nothing", true, nothing },
		{ "gl-flush", true, flush },
		{ "gl-device-sync", true, device_sync },
		{ "gl-unused-sync", true, unused_sync_of_gl },
		{ "cuda-stream-sync", false, stream_sync },
		{ "cuda-device-sync", false, device_sync },
		{ "cuda-sync", false, sync_of_cuda },
		{ "cuda-client-wait", false, client_wait_for_cuda },
		{ "cuda-callback", false, callback_of_cuda },
		{ "cuda-nothing", false, nothing },
		{ "cuda-finish", false, finish },
	};
	cudaGraphicsResource_t resource;
	GLuint texture;
	EGLImage image;
	size_t i;
	int j;

	assert_int_equal(argc, 2);
	for (i = 0; i < NR(ways) && strcmp(argv[1], ways[i].name); i++)
		;
	assert_true(i < NR(ways));
	open_gl(NULL);
	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, WIDTH, HEIGHT, 0, GL_RGBA,
		     GL_UNSIGNED_BYTE, pixels);
	glFinish();
	image = eglCreateImage(display, context, EGL_GL_TEXTURE_2D,
			       (EGLClientBuffer)(uintptr_t)texture, NULL);
	assert_non_null(image);
	ok(cudaGraphicsEGLRegisterImage(&resource, image, 0));
	ok(cudaGraphicsSubResourceGetMappedArray(&array, resource, 0, 0));
	ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	for (j = 0; j < 4; j++) {
		if (ways[i].is_gl_first) {
			write_by_gl();
			ways[i].between();
			write_by_cuda();
		} else {
			write_by_cuda();
			ways[i].between();
			write_by_gl();
		}
		ok(cudaDeviceSynchronize());
		glFinish();
	}
	ok(cudaGraphicsUnregisterResource(resource));
	ok(cudaStreamDestroy(stream));
	egl_ok(eglDestroyImage(display, image));
	glDeleteTextures(1, &texture);
	return close_gl(NULL);
}
