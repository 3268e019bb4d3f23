/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the tests of the EGL API. */
#ifndef _EGL_TEST_H
#define _EGL_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <cudaEGL.h>
#include <cuda_egl_interop.h>
#include <heapsim_cuda.h>
#include <heapsim_egl.h>
#include <libmem.h>

#define NR(array)	(sizeof(array) / sizeof((array)[0]))

#define NS_PER_MS	1000000ULL
#define NS_PER_S	1000000000ULL

/* Sides of frames */
#define WIDTH		64
#define HEIGHT		16
#define FRAME_LEN	(WIDTH * HEIGHT * 4)

/* Time-outs of acquires, us */
#define SOON		16000

#define ok(call)	assert_int_equal(call, cudaSuccess)
#define cu_ok(call)	assert_int_equal(call, CUDA_SUCCESS)
#define egl_ok(call)	assert_int_equal(call, EGL_TRUE)

/* The call returns a value that means failure, and sets the error. */
#define egl_fails(call, value, error)				\
	do {							\
		assert_true((call) == (value));			\
		assert_int_equal(eglGetError(), error);		\
	} while (0)

static EGLDisplay display;

static inline int open_display(void **state)
{
	(void)state;
	display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
	return !eglInitialize(display, NULL, NULL);
}

static inline int close_display(void **state)
{
	(void)state;
	return !eglTerminate(display);
}

static inline uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static inline EGLStreamKHR new_stream(EGLint length)
{
	const EGLint attribs[] = { EGL_STREAM_FIFO_LENGTH_KHR, length,
				   EGL_NONE };
	EGLStreamKHR stream = eglCreateStreamKHR(display, attribs);

	assert_non_null(stream);
	return stream;
}

static inline EGLint state_of(EGLStreamKHR stream)
{
	EGLint state;

	egl_ok(eglQueryStreamKHR(display, stream, EGL_STREAM_STATE_KHR,
				 &state));
	return state;
}

/* A frame of one plane at an address, or of an array, without its memory */
static inline cudaEglFrame new_frame(cudaEglFrameType type)
{
	cudaEglFrame frame;

	memset(&frame, 0, sizeof(frame));
	frame.planeCount = 1;
	frame.frameType = type;
	frame.eglColorFormat = cudaEglColorFormatARGB;
	frame.planeDesc[0].width = WIDTH;
	frame.planeDesc[0].height = HEIGHT;
	frame.planeDesc[0].numChannels = 4;
	frame.planeDesc[0].pitch = type == cudaEglFrameTypePitch ? WIDTH * 4 :
								   0;
	frame.planeDesc[0].channelDesc =
		(struct cudaChannelFormatDesc){ 8, 8, 8, 8,
					cudaChannelFormatKindUnsigned };
	return frame;
}

static inline cudaEglFrame new_pitch_frame(void)
{
	cudaEglFrame frame = new_frame(cudaEglFrameTypePitch);

	ok(cudaMalloc(&frame.frame.pPitch[0].ptr, FRAME_LEN));
	return frame;
}

static inline bool is_embedded(void)
{
	struct mem_probe probe;
	struct mem_ctx *ctx;

	memset(&probe, 0, sizeof(probe));
	probe.size = sizeof(probe);
	ok(heapsim_cuda_ctx(&ctx));
	assert_int_equal(mem_ctx_probe(ctx, &probe), 0);
	return probe.backend == MEM_BACKEND_EMBEDDED;
}

#endif
