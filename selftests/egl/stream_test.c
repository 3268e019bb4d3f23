// SPDX-License-Identifier: GPL-2.0-only
/* The display, and streams without frames: attributes, errors, names. */
#include "test.h"

static EGLStreamKHR with(const EGLint *attribs)
{
	EGLStreamKHR stream = eglCreateStreamKHR(display, attribs);

	assert_non_null(stream);
	return stream;
}

static EGLint value_of(EGLStreamKHR stream, EGLenum attribute)
{
	EGLint value;

	egl_ok(eglQueryStreamKHR(display, stream, attribute, &value));
	return value;
}

static void attributes_are_stored(void **state)
{
	const EGLint attribs[] = {
		EGL_CONSUMER_LATENCY_USEC_KHR, 7,
		EGL_CONSUMER_ACQUIRE_TIMEOUT_USEC_KHR, 8,
		EGL_STREAM_FIFO_LENGTH_KHR, 9,
		EGL_STREAM_FIFO_SYNCHRONOUS_NV, EGL_TRUE,
		EGL_SUPPORT_RESET_NV, EGL_TRUE,
		EGL_SUPPORT_REUSE_NV, EGL_FALSE,
		EGL_NONE
	};
	EGLStreamKHR stream = with(attribs);
	EGLAttrib wide;
	unsigned int i;

	(void)state;
	for (i = 0; attribs[i] != EGL_NONE; i += 2)
		assert_int_equal(value_of(stream, attribs[i]), attribs[i + 1]);
	egl_ok(eglStreamAttribKHR(display, stream,
				  EGL_CONSUMER_LATENCY_USEC_KHR, 70));
	egl_ok(eglSetStreamAttribKHR(display, stream,
				     EGL_CONSUMER_ACQUIRE_TIMEOUT_USEC_KHR,
				     80));
	assert_int_equal(value_of(stream, EGL_CONSUMER_LATENCY_USEC_KHR), 70);
	egl_ok(eglQueryStreamAttribKHR(display, stream,
				       EGL_CONSUMER_ACQUIRE_TIMEOUT_USEC_KHR,
				       &wide));
	assert_int_equal(wide, 80);
	egl_ok(eglDestroyStreamKHR(display, stream));

	stream = with(NULL);
	assert_int_equal(value_of(stream, EGL_STREAM_FIFO_LENGTH_KHR), 0);
	assert_int_equal(value_of(stream, EGL_SUPPORT_REUSE_NV), EGL_TRUE);
	assert_int_equal(value_of(stream, EGL_SUPPORT_RESET_NV), EGL_FALSE);
	egl_ok(eglDestroyStreamKHR(display, stream));
}

static void a_wrong_attribute_is_an_error(void **state)
{
	static const struct {
		EGLint attribute;
		EGLint value;
		EGLint error;
	} wrong[] = {
		{ EGL_WIDTH, 1, EGL_BAD_ATTRIBUTE },
		{ EGL_STREAM_STATE_KHR, 1, EGL_BAD_ACCESS },
		{ EGL_PRODUCER_FRAME_KHR, 1, EGL_BAD_ACCESS },
		{ EGL_STREAM_TIME_NOW_KHR, 1, EGL_BAD_ACCESS },
		{ EGL_STREAM_FIFO_LENGTH_KHR, -1, EGL_BAD_PARAMETER },
		{ EGL_STREAM_FIFO_LENGTH_KHR, 65, EGL_BAD_PARAMETER },
		{ EGL_CONSUMER_LATENCY_USEC_KHR, -1, EGL_BAD_PARAMETER },
		{ EGL_SUPPORT_REUSE_NV, 2, EGL_BAD_PARAMETER },
	};
	EGLStreamKHR stream = with(NULL);
	EGLuint64KHR number;
	EGLTimeKHR when;
	EGLint value;
	size_t i;

	(void)state;
	for (i = 0; i < NR(wrong); i++) {
		const EGLint attribs[] = { wrong[i].attribute, wrong[i].value,
					   EGL_NONE };

		egl_fails(eglCreateStreamKHR(display, attribs),
			  EGL_NO_STREAM_KHR, wrong[i].error);
	}
	egl_fails(eglStreamAttribKHR(display, stream, EGL_WIDTH, 1), EGL_FALSE,
		  EGL_BAD_ATTRIBUTE);
	/* Fixed at creation, and counters */
	egl_fails(eglStreamAttribKHR(display, stream,
				     EGL_STREAM_FIFO_LENGTH_KHR, 1),
		  EGL_FALSE, EGL_BAD_ACCESS);
	egl_fails(eglStreamAttribKHR(display, stream, EGL_CONSUMER_FRAME_KHR,
				     1),
		  EGL_FALSE, EGL_BAD_ACCESS);
	egl_fails(eglStreamAttribKHR(display, stream,
				     EGL_CONSUMER_LATENCY_USEC_KHR, -1),
		  EGL_FALSE, EGL_BAD_PARAMETER);
	/* Each query is for values of its type. */
	egl_fails(eglQueryStreamKHR(display, stream, EGL_PRODUCER_FRAME_KHR,
				    &value),
		  EGL_FALSE, EGL_BAD_ATTRIBUTE);
	egl_fails(eglQueryStreamu64KHR(display, stream, EGL_STREAM_STATE_KHR,
				       &number),
		  EGL_FALSE, EGL_BAD_ATTRIBUTE);
	egl_fails(eglQueryStreamTimeKHR(display, stream, EGL_PRODUCER_FRAME_KHR,
					&when),
		  EGL_FALSE, EGL_BAD_ATTRIBUTE);
	egl_fails(eglQueryStreamKHR(display, stream, EGL_STREAM_STATE_KHR,
				    NULL),
		  EGL_FALSE, EGL_BAD_PARAMETER);
	egl_ok(eglDestroyStreamKHR(display, stream));
}

static void a_wrong_handle_is_an_error(void **state)
{
	EGLStreamKHR stream = with(NULL);
	EGLint value;

	(void)state;
	egl_fails(eglCreateStreamKHR(EGL_NO_DISPLAY, NULL), EGL_NO_STREAM_KHR,
		  EGL_BAD_DISPLAY);
	egl_fails(eglQueryStreamKHR(stream, stream, EGL_STREAM_STATE_KHR,
				    &value),
		  EGL_FALSE, EGL_BAD_DISPLAY);
	egl_fails(eglQueryStreamKHR(display, EGL_NO_STREAM_KHR,
				    EGL_STREAM_STATE_KHR, &value),
		  EGL_FALSE, EGL_BAD_STREAM_KHR);
	egl_fails(eglDestroyStreamKHR(display, display), EGL_FALSE,
		  EGL_BAD_STREAM_KHR);
	egl_ok(eglDestroyStreamKHR(display, stream));
	egl_fails(eglDestroyStreamKHR(display, stream), EGL_FALSE,
		  EGL_BAD_STREAM_KHR);
}

static void a_destroyed_stream_can_only_be_queried(void **state)
{
	cudaEglStreamConnection consumer, producer;
	EGLStreamKHR stream = with(NULL);

	(void)state;
	ok(cudaEGLStreamConsumerConnect(&consumer, stream));
	egl_ok(eglDestroyStreamKHR(display, stream));
	assert_int_equal(state_of(stream), EGL_STREAM_STATE_CONNECTING_KHR);
	egl_fails(eglStreamAttribKHR(display, stream,
				     EGL_CONSUMER_LATENCY_USEC_KHR, 1),
		  EGL_FALSE, EGL_BAD_STREAM_KHR);
	egl_fails(eglDestroyStreamKHR(display, stream), EGL_FALSE,
		  EGL_BAD_STREAM_KHR);
	assert_int_equal(cudaEGLStreamProducerConnect(&producer, stream, WIDTH,
						      HEIGHT),
			 cudaErrorUnknown);
	ok(cudaEGLStreamConsumerDisconnect(&consumer));
	egl_fails(eglDestroyStreamKHR(display, stream), EGL_FALSE,
		  EGL_BAD_STREAM_KHR);
}

static void a_disconnected_stream_cannot_be_changed(void **state)
{
	cudaEglStreamConnection consumer;
	EGLStreamKHR stream = with(NULL);

	(void)state;
	ok(cudaEGLStreamConsumerConnect(&consumer, stream));
	ok(cudaEGLStreamConsumerDisconnect(&consumer));
	egl_fails(eglStreamAttribKHR(display, stream,
				     EGL_CONSUMER_LATENCY_USEC_KHR, 1),
		  EGL_FALSE, EGL_BAD_STATE_KHR);
	egl_fails(eglResetStreamNV(display, stream), EGL_FALSE,
		  EGL_BAD_STATE_KHR);
	egl_ok(eglDestroyStreamKHR(display, stream));
}

static void a_reset_discards_frames(void **state)
{
	const EGLint attribs[] = { EGL_SUPPORT_RESET_NV, EGL_TRUE,
				   EGL_STREAM_FIFO_LENGTH_KHR, 2, EGL_NONE };
	cudaEglFrame frame = new_pitch_frame(), back;
	cudaEglStreamConnection consumer, producer;
	EGLStreamKHR stream = with(attribs);
	cudaGraphicsResource_t resource;

	(void)state;
	ok(cudaEGLStreamConsumerConnect(&consumer, stream));
	ok(cudaEGLStreamProducerConnect(&producer, stream, WIDTH, HEIGHT));
	ok(cudaEGLStreamProducerPresentFrame(&producer, frame, NULL));
	egl_ok(eglResetStreamNV(display, stream));
	assert_int_equal(state_of(stream), EGL_STREAM_STATE_EMPTY_KHR);
	assert_int_equal(cudaEGLStreamConsumerAcquireFrame(&consumer, &resource,
							   NULL, 0),
			 cudaErrorUnknown);
	ok(cudaEGLStreamProducerReturnFrame(&producer, &back, NULL));
	assert_ptr_equal(back.frame.pPitch[0].ptr, frame.frame.pPitch[0].ptr);
	ok(cudaEGLStreamProducerDisconnect(&producer));
	ok(cudaEGLStreamConsumerDisconnect(&consumer));
	egl_ok(eglDestroyStreamKHR(display, stream));
	ok(cudaFree(frame.frame.pPitch[0].ptr));
}

static void times_of_frames_can_be_queried(void **state)
{
	cudaEglFrame frame = new_pitch_frame();
	cudaEglStreamConnection consumer, producer;
	EGLTimeKHR now, presented, acquired;
	EGLStreamKHR stream = with(NULL);
	cudaGraphicsResource_t resource;
	const uint64_t start = now_ns();

	(void)state;
	ok(cudaEGLStreamConsumerConnect(&consumer, stream));
	ok(cudaEGLStreamProducerConnect(&producer, stream, WIDTH, HEIGHT));
	ok(cudaEGLStreamProducerPresentFrame(&producer, frame, NULL));
	ok(cudaEGLStreamConsumerAcquireFrame(&consumer, &resource, NULL, 0));
	egl_ok(eglQueryStreamTimeKHR(display, stream,
				     EGL_STREAM_TIME_PRODUCER_KHR, &presented));
	egl_ok(eglQueryStreamTimeKHR(display, stream,
				     EGL_STREAM_TIME_CONSUMER_KHR, &acquired));
	egl_ok(eglQueryStreamTimeKHR(display, stream, EGL_STREAM_TIME_NOW_KHR,
				     &now));
	assert_true(presented >= start && presented <= now);
	assert_true(acquired == presented);
	ok(cudaEGLStreamProducerDisconnect(&producer));
	ok(cudaEGLStreamConsumerDisconnect(&consumer));
	egl_ok(eglDestroyStreamKHR(display, stream));
	ok(cudaFree(frame.frame.pPitch[0].ptr));
}

static bool has_word(const char *list, const char *word)
{
	const size_t len = strlen(word);
	const char *at = list;

	while ((at = strstr(at, word))) {
		if ((at == list || at[-1] == ' ') &&
		    (!at[len] || at[len] == ' '))
			return true;
		at += len;
	}
	return false;
}

static void strings_name_what_there_is(void **state)
{
	const char *list = eglQueryString(display, EGL_EXTENSIONS);

	(void)state;
	assert_true(has_word(list, "EGL_KHR_stream"));
	assert_true(has_word(list, "EGL_KHR_stream_fifo"));
	assert_true(has_word(list, "EGL_KHR_stream_attrib"));
	assert_true(has_word(list, "EGL_NV_stream_reset"));
	assert_true(has_word(list, "EGL_NV_cuda_event"));
	assert_true(has_word(list, "EGL_KHR_stream_cross_process_fd"));
	assert_false(has_word(list, "EGL_KHR_stream_producer_eglsurface"));
	assert_string_equal(eglQueryString(display, EGL_VENDOR), "heapsim");
	assert_memory_equal(eglQueryString(display, EGL_VERSION), "1.5", 3);
	list = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
	assert_true(has_word(list, "EGL_EXT_platform_device"));
	egl_fails(eglQueryString(display, 0), NULL, EGL_BAD_PARAMETER);
}

static void calls_are_found_by_name(void **state)
{
	(void)state;
	assert_true(eglGetProcAddress("eglCreateStreamKHR") ==
		    (void (*)(void))eglCreateStreamKHR);
	assert_non_null(eglGetProcAddress("eglGetStreamFileDescriptorKHR"));
	assert_null(eglGetProcAddress("eglNoSuchCall"));
	assert_null(eglGetProcAddress("egl_fail"));
	assert_null(eglGetProcAddress("malloc"));
	assert_null(eglGetProcAddress(NULL));
}

static void the_board_is_a_device(void **state)
{
	EGLDeviceEXT device;
	EGLAttrib value;
	EGLint nr;

	(void)state;
	egl_ok(eglQueryDevicesEXT(1, &device, &nr));
	assert_int_equal(nr, 1);
	egl_ok(eglQueryDeviceAttribEXT(device, EGL_CUDA_DEVICE_NV, &value));
	assert_ptr_equal(eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT,
						  device, NULL),
			 display);
	egl_fails(eglQueryDevicesEXT(0, &device, &nr), EGL_FALSE,
		  EGL_BAD_PARAMETER);
	egl_fails(eglQueryDeviceAttribEXT(display, EGL_CUDA_DEVICE_NV, &value),
		  EGL_FALSE, EGL_BAD_DEVICE_EXT);
}

static void missing_calls_fail(void **state)
{
	EGLStreamKHR stream = with(NULL);

	(void)state;
	egl_fails(eglStreamConsumerGLTextureExternalKHR(display, stream),
		  EGL_FALSE, EGL_BAD_ACCESS);
	egl_fails(eglStreamConsumerAcquireKHR(display, stream), EGL_FALSE,
		  EGL_BAD_ACCESS);
	egl_ok(eglDestroyStreamKHR(display, stream));
}

static void a_terminated_display_has_no_streams(void **state)
{
	cudaEglStreamConnection consumer;
	EGLStreamKHR stream = with(NULL);
	EGLint value;

	(void)state;
	ok(cudaEGLStreamConsumerConnect(&consumer, stream));
	egl_ok(eglTerminate(display));
	egl_fails(eglCreateStreamKHR(display, NULL), EGL_NO_STREAM_KHR,
		  EGL_NOT_INITIALIZED);
	egl_ok(eglInitialize(display, NULL, NULL));
	egl_fails(eglQueryStreamKHR(display, stream, EGL_STREAM_STATE_KHR,
				    &value),
		  EGL_FALSE, EGL_BAD_STREAM_KHR);
	ok(cudaEGLStreamConsumerDisconnect(&consumer));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attributes_are_stored),
		cmocka_unit_test(a_wrong_attribute_is_an_error),
		cmocka_unit_test(a_wrong_handle_is_an_error),
		cmocka_unit_test(a_destroyed_stream_can_only_be_queried),
		cmocka_unit_test(a_disconnected_stream_cannot_be_changed),
		cmocka_unit_test(a_reset_discards_frames),
		cmocka_unit_test(times_of_frames_can_be_queried),
		cmocka_unit_test(strings_name_what_there_is),
		cmocka_unit_test(calls_are_found_by_name),
		cmocka_unit_test(the_board_is_a_device),
		cmocka_unit_test(missing_calls_fail),
		cmocka_unit_test(a_terminated_display_has_no_streams),
	};

	return cmocka_run_group_tests(tests, open_display, close_display);
}
