// SPDX-License-Identifier: GPL-2.0-only
/*
 * OpenGL and CUDA take turns with one texture: an EGLImage shares it, EGLSyncs
 * order the work of both. See README.rst.
 *
 * egl-texture [unsynced]
 */
/* The calls of images and syncs are extensions of EGL. */
#define EGL_EGLEXT_PROTOTYPES

#include <GL/gl.h>
#include <cuda_egl_interop.h>

#include "egl-sample.h"
#include "sample.h"

#define WIDTH		256
#define HEIGHT		256
#define NR_ROUNDS	4
#define NR_THREADS	16

static EGLDisplay display;
static bool is_unsynced;
static unsigned char pixels[HEIGHT][WIDTH][4];

__global__ void invert(cudaSurfaceObject_t texture)
{
	const int x = blockIdx.x * blockDim.x + threadIdx.x;
	const int y = blockIdx.y * blockDim.y + threadIdx.y;
	uchar4 pixel;

	surf2Dread(&pixel, texture, x * sizeof(pixel), y);
	pixel = make_uchar4(255 - pixel.x, 255 - pixel.y, 255 - pixel.z,
			    pixel.w);
	surf2Dwrite(pixel, texture, x * sizeof(pixel), y);
}

/* Surfaces have no pixels here, so none is needed. */
static EGLContext open_gl()
{
	EGLContext context;
	EGLConfig config;
	EGLint nr;

	display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
	EGL(eglInitialize(display, NULL, NULL));
	EGL(eglBindAPI(EGL_OPENGL_API));
	EGL(eglChooseConfig(display, NULL, &config, 1, &nr));
	context = eglCreateContext(display, config, EGL_NO_CONTEXT, NULL);
	EGL(context != EGL_NO_CONTEXT);
	EGL(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context));
	return context;
}

/* The texture as a surface of CUDA, without a copy */
static cudaSurfaceObject_t surface_of(cudaGraphicsResource_t resource)
{
	cudaSurfaceObject_t surface;
	cudaResourceDesc desc;

	memset(&desc, 0, sizeof(desc));
	desc.resType = cudaResourceTypeArray;
	CHECK(cudaGraphicsSubResourceGetMappedArray(&desc.res.array.array,
						    resource, 0, 0));
	CHECK(cudaCreateSurfaceObject(&surface, &desc));
	return surface;
}

static void upload(int round)
{
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++) {
			pixels[y][x][0] = x;
			pixels[y][x][1] = y;
			pixels[y][x][2] = 50 * round;
			pixels[y][x][3] = 255;
		}
	glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, WIDTH, HEIGHT, GL_RGBA,
			GL_UNSIGNED_BYTE, pixels);
}

/* CUDA's further work in the stream waits for OpenGL's work so far. */
static void let_cuda_wait(cudaStream_t stream)
{
	EGLSync sync = eglCreateSync(display, EGL_SYNC_FENCE, NULL);
	cudaEvent_t event;

	EGL(sync != EGL_NO_SYNC);
	CHECK(cudaEventCreateFromEGLSync(&event, sync, cudaEventDefault));
	CHECK(cudaStreamWaitEvent(stream, event, 0));
	CHECK(cudaEventDestroy(event));
	EGL(eglDestroySync(display, sync));
}

/* OpenGL's further work waits for CUDA's work in the stream so far. */
static void let_gl_wait(cudaStream_t stream, cudaEvent_t event)
{
	const EGLAttrib attributes[] = {
		EGL_CUDA_EVENT_HANDLE_NV, (EGLAttrib)event, EGL_NONE
	};
	EGLSync sync;

	CHECK(cudaEventRecord(event, stream));
	sync = eglCreateSync(display, EGL_SYNC_CUDA_EVENT_NV, attributes);
	EGL(sync != EGL_NO_SYNC);
	EGL(eglWaitSync(display, sync, 0));
	EGL(eglDestroySync(display, sync));
}

/* No call but the last one waits for work. */
static void take_turns(int round, cudaSurfaceObject_t surface,
		       cudaStream_t stream, cudaEvent_t event)
{
	const dim3 block(NR_THREADS, NR_THREADS);
	const dim3 grid(WIDTH / NR_THREADS, HEIGHT / NR_THREADS);

	upload(round);
	/* Wrong without: an image orders nothing. */
	if (!is_unsynced)
		let_cuda_wait(stream);
	invert<<<grid, block, 0, stream>>>(surface);	/* found here */
	CHECK_LAUNCH();
	if (!is_unsynced)
		let_gl_wait(stream, event);
	glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

static void print_corner(int round)
{
	const unsigned char *first = pixels[0][0];
	const unsigned char *last = pixels[HEIGHT - 1][WIDTH - 1];

	printf("round %d: from %3d %3d %3d to %3d %3d %3d\n", round, first[0],
	       first[1], first[2], last[0], last[1], last[2]);
}

int main(int argc, char **argv)
{
	cudaGraphicsResource_t resource;
	cudaSurfaceObject_t surface;
	EGLContext context;
	cudaStream_t stream;
	cudaEvent_t event;
	EGLImage image;
	GLuint texture;
	int i;

	is_unsynced = is_asked(argc, argv, "unsynced");
	CHECK(cudaSetDevice(use_integrated_gpu()));
	context = open_gl();
	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, WIDTH, HEIGHT, 0, GL_RGBA,
		     GL_UNSIGNED_BYTE, NULL);
	image = eglCreateImage(display, context, EGL_GL_TEXTURE_2D,
			       (EGLClientBuffer)(uintptr_t)texture, NULL);
	EGL(image != EGL_NO_IMAGE);
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	CHECK(cudaGraphicsEGLRegisterImage(&resource, image,
					   cudaGraphicsRegisterFlagsNone));
	surface = surface_of(resource);
	for (i = 0; i < NR_ROUNDS; i++) {
		take_turns(i, surface, stream, event);
		print_corner(i);
	}
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaDestroySurfaceObject(surface));
	CHECK(cudaGraphicsUnregisterResource(resource));
	CHECK(cudaEventDestroy(event));
	CHECK(cudaStreamDestroy(stream));
	EGL(eglDestroyImage(display, image));
	glDeleteTextures(1, &texture);
	EGL(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE,
			   EGL_NO_CONTEXT));
	EGL(eglDestroyContext(display, context));
	EGL(eglTerminate(display));
	return 0;
}
