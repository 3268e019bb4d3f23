// SPDX-License-Identifier: GPL-2.0-only
/*
 * The answers of a real EGLStream, of the runtime's and of the driver's calls.
 */
#include "test.h"

#include "cases.h"

#define NR_FRAMES	65
#define NR_ACQUIRES	10
/* A busy machine may be late sometimes, but not always. */
#define NR_TRIES	20

static bool is_driver;
static EGLStreamKHR stream;
static cudaEglStreamConnection producer, consumer;
static cudaEglFrame frames[NR_FRAMES];
static cudaGraphicsResource_t resources[NR_ACQUIRES];

static CUeglFrame driver_frame(const cudaEglFrame *frame)
{
	const CUeglFrame driver = {
		.frame.pPitch = { frame->frame.pPitch[0].ptr },
		.width = frame->planeDesc[0].width,
		.height = frame->planeDesc[0].height,
		.pitch = frame->planeDesc[0].pitch,
		.planeCount = frame->planeCount,
		.numChannels = frame->planeDesc[0].numChannels,
		.frameType = CU_EGL_FRAME_TYPE_PITCH,
		.eglColorFormat = CU_EGL_COLOR_FORMAT_ARGB,
		.cuFormat = CU_AD_FORMAT_UNSIGNED_INT8,
	};

	return driver;
}

static cudaError_t present(const cudaEglFrame *frame)
{
	return is_driver ?
		(cudaError_t)cuEGLStreamProducerPresentFrame(&producer,
							driver_frame(frame),
							NULL) :
		cudaEGLStreamProducerPresentFrame(&producer, *frame, NULL);
}

/* Presents a frame in the memory of frames[0] that is odd in some way. */
static cudaError_t present_odd(enum step_kind kind)
{
	cudaEglFrame frame = frames[0];

	switch (kind) {
	case NARROW:
		frame.planeDesc[0].width /= 2;
		break;
	case LARGER:
		frame.planeDesc[0].height *= 2;
		break;
	case NO_PLANES:
		frame.planeCount = 0;
		break;
	case FOUR_PLANES:
		frame.planeCount = 4;
		break;
	default:
		frame.frame.pPitch[0].ptr = NULL;
		break;
	}
	return present(&frame);
}

static cudaError_t present_until(unsigned int end)
{
	unsigned int i;
	cudaError_t rc = cudaSuccess;

	for (i = 0; i < end && !rc; i++)
		rc = present(&frames[i]);
	return rc;
}

/* Returns the number of the frame at an address; -1: there is none. */
static int frame_at(const void *ptr)
{
	int i;

	for (i = 0; i < NR_FRAMES; i++)
		if (frames[i].frame.pPitch[0].ptr == ptr)
			return i;
	return -1;
}

static void *acquired_ptr(cudaGraphicsResource_t resource)
{
	cudaEglFrame frame;
	CUeglFrame driver;

	if (is_driver) {
		cu_ok(cuGraphicsResourceGetMappedEglFrame(&driver,
							  (void *)resource, 0,
							  0));
		assert_int_equal(driver.width, WIDTH);
		assert_int_equal(driver.pitch, WIDTH * 4);
		return driver.frame.pPitch[0];
	}
	ok(cudaGraphicsResourceGetMappedEglFrame(&frame, resource, 0, 0));
	assert_int_equal(frame.planeDesc[0].width, WIDTH);
	assert_int_equal(frame.planeDesc[0].pitch, WIDTH * 4);
	return frame.frame.pPitch[0].ptr;
}

static cudaError_t acquire(const struct step *step)
{
	cudaGraphicsResource_t *resource = &resources[step->number];
	const unsigned int us = step->timeout_ms * 1000;
	const cudaError_t rc = is_driver ?
		(cudaError_t)cuEGLStreamConsumerAcquireFrame(&consumer,
							     (void *)resource,
							     NULL, us) :
		cudaEGLStreamConsumerAcquireFrame(&consumer, resource, NULL,
						  us);

	if (!rc)
		assert_int_equal(frame_at(acquired_ptr(*resource)) + 1,
				 step->frame);
	return rc;
}

static cudaError_t release(cudaGraphicsResource_t resource)
{
	return is_driver ?
		(cudaError_t)cuEGLStreamConsumerReleaseFrame(&consumer,
							     (void *)resource,
							     NULL) :
		cudaEGLStreamConsumerReleaseFrame(&consumer, resource, NULL);
}

static cudaError_t take_back(const struct step *step)
{
	cudaEglFrame frame;
	CUeglFrame driver;
	cudaError_t rc;

	if (is_driver) {
		rc = (cudaError_t)cuEGLStreamProducerReturnFrame(&producer,
								 &driver, NULL);
		if (!rc)
			frame.frame.pPitch[0].ptr = driver.frame.pPitch[0];
	} else {
		rc = cudaEGLStreamProducerReturnFrame(&producer, &frame, NULL);
	}
	if (!rc)
		assert_int_equal(frame_at(frame.frame.pPitch[0].ptr),
				 step->frame);
	return rc;
}

static cudaError_t connect_consumer(void)
{
	cudaEglStreamConnection other;
	cudaEglStreamConnection *end = consumer ? &other : &consumer;

	return is_driver ?
		(cudaError_t)cuEGLStreamConsumerConnect(end, stream) :
		cudaEGLStreamConsumerConnect(end, stream);
}

static cudaError_t connect_producer(void)
{
	return is_driver ?
		(cudaError_t)cuEGLStreamProducerConnect(&producer, stream,
							WIDTH, HEIGHT) :
		cudaEGLStreamProducerConnect(&producer, stream, WIDTH, HEIGHT);
}

static cudaError_t disconnect_consumer(void)
{
	return is_driver ?
		(cudaError_t)cuEGLStreamConsumerDisconnect(&consumer) :
		cudaEGLStreamConsumerDisconnect(&consumer);
}

static cudaError_t disconnect_producer(void)
{
	return is_driver ?
		(cudaError_t)cuEGLStreamProducerDisconnect(&producer) :
		cudaEGLStreamProducerDisconnect(&producer);
}

static cudaError_t run_step(const struct step *step)
{
	switch (step->kind) {
	case CREATE:
		stream = new_stream(step->number);
		return cudaSuccess;
	case CONSUMER:
		return connect_consumer();
	case PRODUCER:
		return connect_producer();
	case PRESENT:
		return present(&frames[step->number]);
	case PRESENT_UNTIL:
		return present_until(step->number);
	case ACQUIRE:
		return acquire(step);
	case RELEASE:
		return release(resources[step->number]);
	case RELEASE_NULL:
		return release(NULL);
	case RETURN:
		return take_back(step);
	case CONSUMER_GOES:
		return disconnect_consumer();
	case PRODUCER_GOES:
		return disconnect_producer();
	default:
		return present_odd(step->kind);
	}
}

/* Returns true if no step took too long. */
static bool run_case(const struct stream_case *one)
{
	const struct step *step;
	bool is_in_time = true;

	consumer = NULL;
	producer = NULL;
	for (step = one->steps; step->kind; step++) {
		const uint64_t start = now_ns();
		const cudaError_t rc = run_step(step);
		const uint64_t ns = now_ns() - start;

		if (rc != step->answer ||
		    ns < step->wait_ms * NS_PER_MS ||
		    (step->state && state_of(stream) != step->state))
			fail_msg("%s, step %td: %s, %llu us, state 0x%x",
				 one->name, step - one->steps,
				 cudaGetErrorName(rc),
				 (unsigned long long)ns / 1000,
				 state_of(stream));
		if (ns > (2 * step->wait_ms + 10) * NS_PER_MS)
			is_in_time = false;
	}
	disconnect_producer();
	disconnect_consumer();
	egl_ok(eglDestroyStreamKHR(display, stream));
	return is_in_time;
}

static void run_cases(bool with_driver)
{
	unsigned int i, nr_tries;

	is_driver = with_driver;
	for (i = 0; i < NR_FRAMES; i++)
		frames[i] = new_pitch_frame();
	for (i = 0; i < NR(stream_cases); i++) {
		for (nr_tries = 1; !run_case(&stream_cases[i]); nr_tries++)
			assert_true(nr_tries < NR_TRIES);
	}
	for (i = 0; i < NR_FRAMES; i++)
		ok(cudaFree(frames[i].frame.pPitch[0].ptr));
}

static void the_runtime_answers_as_recorded(void **state)
{
	(void)state;
	run_cases(false);
}

static void the_driver_answers_as_recorded(void **state)
{
	(void)state;
	cu_ok(cuInit(0));
	run_cases(true);
}

/* The recorded queries, in their order */
static void queries_are_answered_as_recorded(void **state)
{
	const EGLint attribs[] = {
		EGL_STREAM_FIFO_LENGTH_KHR, 4,
		EGL_CONSUMER_LATENCY_USEC_KHR, 1000,
		EGL_CONSUMER_ACQUIRE_TIMEOUT_USEC_KHR, 20000,
		EGL_NONE
	};
	cudaGraphicsResource_t one, other;
	EGLuint64KHR number;
	unsigned int i;
	EGLint value;

	(void)state;
	for (i = 0; i < 2; i++)
		frames[i] = new_pitch_frame();
	stream = eglCreateStreamKHR(display, attribs);
	assert_int_equal(state_of(stream), CREATED);
	egl_ok(eglQueryStreamKHR(display, stream, EGL_CONSUMER_LATENCY_USEC_KHR,
				 &value));
	assert_int_equal(value, 1000);
	egl_ok(eglQueryStreamKHR(display, stream, EGL_STREAM_FIFO_LENGTH_KHR,
				 &value));
	assert_int_equal(value, 4);
	egl_ok(eglQueryStreamKHR(display, stream,
				 EGL_CONSUMER_ACQUIRE_TIMEOUT_USEC_KHR,
				 &value));
	assert_int_equal(value, 20000);
	egl_ok(eglStreamAttribKHR(display, stream,
				  EGL_CONSUMER_LATENCY_USEC_KHR, 2000));
	egl_fails(eglStreamAttribKHR(display, stream, EGL_STREAM_STATE_KHR, 0),
		  EGL_FALSE, EGL_SUCCESS);
	ok(cudaEGLStreamConsumerConnect(&consumer, stream));
	assert_int_equal(state_of(stream), CONNECTING);
	ok(cudaEGLStreamProducerConnect(&producer, stream, WIDTH, HEIGHT));
	assert_int_equal(state_of(stream), EMPTY);
	for (i = 0; i < 2; i++) {
		ok(cudaEGLStreamProducerPresentFrame(&producer, frames[i],
						     NULL));
		assert_int_equal(state_of(stream), NEW);
	}
	egl_ok(eglQueryStreamu64KHR(display, stream, EGL_PRODUCER_FRAME_KHR,
				    &number));
	assert_int_equal(number, 2);
	egl_ok(eglQueryStreamu64KHR(display, stream, EGL_CONSUMER_FRAME_KHR,
				    &number));
	assert_int_equal(number, 0);
	ok(cudaEGLStreamConsumerAcquireFrame(&consumer, &one, NULL, SOON));
	assert_int_equal(state_of(stream), NEW);
	egl_ok(eglQueryStreamu64KHR(display, stream, EGL_CONSUMER_FRAME_KHR,
				    &number));
	assert_int_equal(number, 1);
	egl_ok(eglDestroyStreamKHR(display, stream));
	assert_int_equal(state_of(stream), NEW);
	ok(cudaEGLStreamConsumerAcquireFrame(&consumer, &other, NULL, SOON));
	egl_fails(eglQueryStreamKHR(display, stream, EGL_STREAM_STATE_KHR,
				    &value),
		  EGL_FALSE, EGL_BAD_STREAM_KHR);
	ok(cudaEGLStreamProducerDisconnect(&producer));
	ok(cudaEGLStreamConsumerDisconnect(&consumer));
	for (i = 0; i < 2; i++)
		ok(cudaFree(frames[i].frame.pPitch[0].ptr));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_runtime_answers_as_recorded),
		cmocka_unit_test(the_driver_answers_as_recorded),
		cmocka_unit_test(queries_are_answered_as_recorded),
	};

	return cmocka_run_group_tests(tests, open_display, close_display);
}
