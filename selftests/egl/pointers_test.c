// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that has variables with the names of EGL's calls, as NVIDIA's
 * samples have. Neither the program nor the library may take the other's.
 */
#undef EGL_EGLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>

PFNEGLCREATESTREAMKHRPROC eglCreateStreamKHR;
PFNEGLCREATESTREAMATTRIBKHRPROC eglCreateStreamAttribKHR;
PFNEGLDESTROYSTREAMKHRPROC eglDestroyStreamKHR;
PFNEGLQUERYSTREAMKHRPROC eglQueryStreamKHR;
PFNEGLSTREAMATTRIBKHRPROC eglStreamAttribKHR;
PFNEGLSETSTREAMATTRIBKHRPROC eglSetStreamAttribKHR;

#include "test.h"

#define FIND(call)							\
	do {								\
		call = (__typeof__(call))eglGetProcAddress(#call);	\
		assert_non_null(call);					\
	} while (0)

static void calls_are_found_behind_variables(void **state)
{
	cudaEglStreamConnection consumer;
	EGLStreamKHR stream;

	(void)state;
	FIND(eglCreateStreamKHR);
	FIND(eglDestroyStreamKHR);
	FIND(eglQueryStreamKHR);
	FIND(eglStreamAttribKHR);
	/* The library must not call these variables, which remain NULL. */
	assert_null(eglCreateStreamAttribKHR);
	assert_null(eglSetStreamAttribKHR);
	stream = new_stream(4);
	egl_ok(eglStreamAttribKHR(display, stream,
				  EGL_CONSUMER_LATENCY_USEC_KHR, 1));
	ok(cudaEGLStreamConsumerConnect(&consumer, stream));
	assert_int_equal(state_of(stream), EGL_STREAM_STATE_CONNECTING_KHR);
	ok(cudaEGLStreamConsumerDisconnect(&consumer));
	egl_ok(eglDestroyStreamKHR(display, stream));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_found_behind_variables),
	};

	return cmocka_run_group_tests(tests, open_display, close_display);
}
