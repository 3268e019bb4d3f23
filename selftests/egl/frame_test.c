// SPDX-License-Identifier: GPL-2.0-only
/* Frames of arrays, of several planes, of other contexts; misuse. */
#include <pthread.h>

#include "../skip.h"
#include "test.h"

static EGLStreamKHR stream;
static cudaEglStreamConnection producer, consumer;

static void connect_both(EGLint length)
{
	stream = new_stream(length);
	ok(cudaEGLStreamConsumerConnect(&consumer, stream));
	ok(cudaEGLStreamProducerConnect(&producer, stream, WIDTH, HEIGHT));
}

static void disconnect_both(void)
{
	ok(cudaEGLStreamProducerDisconnect(&producer));
	ok(cudaEGLStreamConsumerDisconnect(&consumer));
	egl_ok(eglDestroyStreamKHR(display, stream));
}

static cudaGraphicsResource_t acquire(void)
{
	cudaGraphicsResource_t resource;

	ok(cudaEGLStreamConsumerAcquireFrame(&consumer, &resource, NULL, SOON));
	return resource;
}

static cudaEglFrame mapped(cudaGraphicsResource_t resource)
{
	cudaEglFrame frame;

	ok(cudaGraphicsResourceGetMappedEglFrame(&frame, resource, 0, 0));
	return frame;
}

static void present(cudaEglFrame frame)
{
	ok(cudaEGLStreamProducerPresentFrame(&producer, frame, NULL));
}

static void release(cudaGraphicsResource_t resource)
{
	ok(cudaEGLStreamConsumerReleaseFrame(&consumer, resource, NULL));
}

static cudaArray_t new_array(unsigned char value)
{
	const struct cudaChannelFormatDesc desc = {
		8, 8, 8, 8, cudaChannelFormatKindUnsigned
	};
	static unsigned char bytes[FRAME_LEN];
	cudaArray_t array;

	ok(cudaMallocArray(&array, &desc, WIDTH, HEIGHT,
			   cudaArraySurfaceLoadStore));
	memset(bytes, value, sizeof(bytes));
	ok(cudaMemcpy2DToArray(array, 0, 0, bytes, WIDTH * 4, WIDTH * 4,
			       HEIGHT, cudaMemcpyHostToDevice));
	return array;
}

static void check_array(cudaArray_t array, unsigned char value)
{
	static unsigned char bytes[FRAME_LEN];
	unsigned int i;

	ok(cudaMemcpy2DFromArray(bytes, WIDTH * 4, array, 0, 0, WIDTH * 4,
				 HEIGHT, cudaMemcpyDeviceToHost));
	for (i = 0; i < FRAME_LEN; i++)
		assert_int_equal(bytes[i], value);
}

static void a_frame_of_an_array_arrives_as_an_array(void **state)
{
	cudaEglFrame frame = new_frame(cudaEglFrameTypeArray), got, back;
	cudaEglFrame newer = frame;
	cudaGraphicsResource_t resource;
	cudaArray_t array;
	void *ptr;

	(void)state;
	connect_both(2);
	frame.frame.pArray[0] = new_array(7);
	present(frame);
	resource = acquire();
	got = mapped(resource);
	assert_int_equal(got.frameType, cudaEglFrameTypeArray);
	assert_int_equal(got.planeCount, 1);
	assert_int_equal(got.planeDesc[0].width, WIDTH);
	assert_int_equal(got.planeDesc[0].height, HEIGHT);
	assert_int_equal(got.planeDesc[0].numChannels, 4);
	assert_int_equal(got.planeDesc[0].channelDesc.w, 8);
	assert_int_equal(got.eglColorFormat, cudaEglColorFormatARGB);
	ok(cudaGraphicsSubResourceGetMappedArray(&array, resource, 0, 0));
	assert_ptr_equal(array, got.frame.pArray[0]);
	assert_int_equal(cudaGraphicsSubResourceGetMappedArray(&array, resource,
							       1, 0),
			 cudaErrorInvalidValue);
	assert_int_equal(cudaGraphicsResourceGetMappedPointer(&ptr, NULL,
							      resource),
			 cudaErrorNotMappedAsPointer);
	check_array(array, 7);
	/* It is the stream's, not the consumer's. */
	assert_int_not_equal(cudaFreeArray(array), cudaSuccess);
	release(resource);
	/* A newer frame lets the older one return. */
	newer.frame.pArray[0] = new_array(8);
	present(newer);
	release(acquire());
	ok(cudaEGLStreamProducerReturnFrame(&producer, &back, NULL));
	assert_ptr_equal(back.frame.pArray[0], frame.frame.pArray[0]);
	assert_int_equal(back.frameType, cudaEglFrameTypeArray);
	disconnect_both();
	ok(cudaFreeArray(frame.frame.pArray[0]));
	ok(cudaFreeArray(newer.frame.pArray[0]));
}

/*
 * What a real EGLStream was asked (H100): the pitch may be
 * shorter than a row, or 0; a consumer's frame has no depth, and a pitch.
 */
static void a_width_in_bytes_is_accepted(void **state)
{
	static unsigned char bytes[FRAME_LEN];
	cudaEglFrame frame = new_pitch_frame(), got, back;
	cudaGraphicsResource_t resource;

	(void)state;
	connect_both(2);
	ok(cudaMemset(frame.frame.pPitch[0].ptr, 6, FRAME_LEN));
	frame.planeDesc[0].width = WIDTH * 4;
	frame.planeDesc[0].depth = 1;
	present(frame);
	resource = acquire();
	got = mapped(resource);
	assert_int_equal(got.planeDesc[0].width, WIDTH * 4);
	assert_int_equal(got.planeDesc[0].height, HEIGHT);
	assert_int_equal(got.planeDesc[0].depth, 0);
	assert_int_equal(got.planeDesc[0].pitch, WIDTH * 4);
	assert_int_equal(got.planeDesc[0].numChannels, 4);
	ok(cudaMemcpy(bytes, got.frame.pPitch[0].ptr, FRAME_LEN,
		      cudaMemcpyDeviceToHost));
	assert_int_equal(bytes[FRAME_LEN - 1], 6);
	release(resource);
	frame.planeDesc[0].width = WIDTH;
	frame.planeDesc[0].pitch = 0;
	present(frame);
	resource = acquire();
	assert_int_equal(mapped(resource).planeDesc[0].pitch, WIDTH * 4);
	release(resource);
	ok(cudaEGLStreamProducerReturnFrame(&producer, &back, NULL));
	assert_int_equal(back.planeDesc[0].width, WIDTH * 4);
	assert_int_equal(back.planeDesc[0].depth, 1);
	disconnect_both();
	ok(cudaFree(frame.frame.pPitch[0].ptr));
}

/* The length of a row must not wrap at 32 bits. */
static void a_width_without_a_pitch_is_limited(void **state)
{
	cudaEglFrame frame = new_pitch_frame();

	(void)state;
	connect_both(2);
	frame.planeDesc[0].pitch = 0;
	frame.planeDesc[0].width = 0x40000001;
	assert_int_equal(cudaEGLStreamProducerPresentFrame(&producer, frame,
							   NULL),
			 cudaErrorInvalidValue);
	frame.planeDesc[0].width = WIDTH;
	present(frame);
	disconnect_both();
	ok(cudaFree(frame.frame.pPitch[0].ptr));
}

/*
 * Rows that are longer than the pitch end at the pitch, the last one, too. On a
 * board with two GPUs the frame is copied.
 */
static void a_frame_has_the_rows_that_fit(void **state)
{
	cudaEglFrame frame = new_frame(cudaEglFrameTypePitch);
	const unsigned int pitch = 256, width = 100;
	cudaGraphicsResource_t resource;
	int nr_devices;

	(void)state;
	ok(cudaGetDeviceCount(&nr_devices));
	stream = new_stream(2);
	ok(cudaSetDevice(nr_devices - 1));
	ok(cudaEGLStreamConsumerConnect(&consumer, stream));
	ok(cudaSetDevice(0));
	ok(cudaEGLStreamProducerConnect(&producer, stream, WIDTH, HEIGHT));
	ok(cudaMalloc(&frame.frame.pPitch[0].ptr,
		      pitch * (HEIGHT - 1) + width));
	frame.planeDesc[0].pitch = pitch;
	frame.planeDesc[0].width = width;
	present(frame);
	ok(cudaSetDevice(nr_devices - 1));
	resource = acquire();
	assert_int_equal(mapped(resource).planeDesc[0].height, HEIGHT - 1);
	ok(cudaDeviceSynchronize());
	release(resource);
	ok(cudaSetDevice(0));
	/* One row that fits, and one that does not */
	frame.frame.pPitch[0].ptr = (char *)frame.frame.pPitch[0].ptr +
				    pitch * (HEIGHT - 2);
	present(frame);
	frame.frame.pPitch[0].ptr = (char *)frame.frame.pPitch[0].ptr + pitch;
	assert_int_equal(cudaEGLStreamProducerPresentFrame(&producer, frame,
							   NULL),
			 cudaErrorInvalidValue);
	disconnect_both();
	ok(cudaFree((char *)frame.frame.pPitch[0].ptr - pitch * (HEIGHT - 1)));
}

/* Programs make arrays with a depth of 1 for what is two-dimensional. */
static void an_array_may_have_a_depth(void **state)
{
	const struct cudaChannelFormatDesc desc = {
		8, 8, 8, 8, cudaChannelFormatKindUnsigned
	};
	const struct cudaExtent extent = { WIDTH, HEIGHT, 1 };
	cudaEglFrame frame = new_frame(cudaEglFrameTypeArray), got;
	cudaGraphicsResource_t resource;
	struct cudaExtent seen;

	(void)state;
	connect_both(2);
	ok(cudaMalloc3DArray(&frame.frame.pArray[0], &desc, extent,
			     cudaArraySurfaceLoadStore));
	present(frame);
	resource = acquire();
	got = mapped(resource);
	assert_int_equal(got.planeDesc[0].pitch, WIDTH * 4);
	ok(cudaArrayGetInfo(NULL, &seen, NULL, got.frame.pArray[0]));
	assert_int_equal(seen.width, WIDTH);
	assert_int_equal(seen.height, HEIGHT);
	assert_int_equal(seen.depth, 0);
	release(resource);
	/* The frame must have the array's sides. */
	frame.planeDesc[0].width /= 2;
	assert_int_equal(cudaEGLStreamProducerPresentFrame(&producer, frame,
							   NULL),
			 cudaErrorInvalidValue);
	disconnect_both();
	ok(cudaFreeArray(frame.frame.pArray[0]));
}

/* The driver's frame describes the first plane of NV12 only. */
static void planes_of_the_driver_follow_from_the_colour(void **state)
{
	CUeglFrame frame = {
		.width = WIDTH,
		.height = HEIGHT,
		.pitch = WIDTH,
		.planeCount = 2,
		.numChannels = 1,
		.frameType = CU_EGL_FRAME_TYPE_PITCH,
		.eglColorFormat = CU_EGL_COLOR_FORMAT_YUV420_SEMIPLANAR,
		.cuFormat = CU_AD_FORMAT_UNSIGNED_INT8,
	};
	cudaGraphicsResource_t resource;
	cudaEglFrame got;
	void *memory;

	(void)state;
	connect_both(0);
	ok(cudaMalloc(&memory, WIDTH * HEIGHT * 3 / 2));
	frame.frame.pPitch[0] = memory;
	frame.frame.pPitch[1] = (char *)memory + WIDTH * HEIGHT;
	cu_ok(cuEGLStreamProducerPresentFrame(&producer, frame, NULL));
	resource = acquire();
	got = mapped(resource);
	assert_int_equal(got.planeCount, 2);
	assert_int_equal(got.eglColorFormat,
			 cudaEglColorFormatYUV420SemiPlanar);
	assert_ptr_equal(got.frame.pPitch[1].ptr, frame.frame.pPitch[1]);
	assert_int_equal(got.frame.pPitch[1].pitch, WIDTH);
	assert_int_equal(got.planeDesc[0].numChannels, 1);
	assert_int_equal(got.planeDesc[0].channelDesc.y, 0);
	assert_int_equal(got.planeDesc[1].width, WIDTH / 2);
	assert_int_equal(got.planeDesc[1].height, HEIGHT / 2);
	assert_int_equal(got.planeDesc[1].pitch, WIDTH);
	assert_int_equal(got.planeDesc[1].numChannels, 2);
	assert_int_equal(got.planeDesc[1].channelDesc.y, 8);
	release(resource);
	disconnect_both();
	ok(cudaFree(memory));
}

static void a_frame_has_the_same_resource_again(void **state)
{
	cudaEglFrame frames[] = { new_pitch_frame(), new_pitch_frame() };
	cudaGraphicsResource_t first, second;
	cudaEglFrame back;
	size_t len;
	void *ptr;

	(void)state;
	connect_both(4);
	present(frames[0]);
	present(frames[1]);
	first = acquire();
	ok(cudaGraphicsResourceGetMappedPointer(&ptr, &len, first));
	assert_ptr_equal(ptr, frames[0].frame.pPitch[0].ptr);
	assert_int_equal(len, FRAME_LEN);
	second = acquire();
	assert_ptr_not_equal(first, second);
	release(first);
	release(second);
	ok(cudaEGLStreamProducerReturnFrame(&producer, &back, NULL));
	assert_ptr_equal(back.frame.pPitch[0].ptr, ptr);
	present(frames[0]);
	assert_ptr_equal(acquire(), first);
	release(first);
	/* Once more, without a new frame */
	assert_ptr_equal(acquire(), first);
	release(first);
	disconnect_both();
	ok(cudaFree(frames[0].frame.pPitch[0].ptr));
	ok(cudaFree(frames[1].frame.pPitch[0].ptr));
}

/* A real EGLStream refuses a frame that the producer does not have back. */
static void an_active_frame_cannot_be_presented(void **state)
{
	cudaEglFrame frame = new_pitch_frame(), other, back;
	cudaGraphicsResource_t resource;

	(void)state;
	connect_both(0);
	present(frame);
	assert_int_equal(cudaEGLStreamProducerPresentFrame(&producer, frame,
							   NULL),
			 cudaErrorUnknown);
	resource = acquire();
	release(resource);
	frame.planeDesc[0].depth = 1;
	assert_int_equal(cudaEGLStreamProducerPresentFrame(&producer, frame,
							   NULL),
			 cudaErrorUnknown);
	/* Its memory with other sides is another frame. */
	other = frame;
	other.planeDesc[0].height /= 2;
	present(other);
	release(acquire());
	ok(cudaEGLStreamProducerReturnFrame(&producer, &back, NULL));
	assert_int_equal(back.planeDesc[0].height, HEIGHT);
	present(frame);
	/* Components must be those of the colour and of the description. */
	frame.planeDesc[0].numChannels = 1;
	assert_int_equal(cudaEGLStreamProducerPresentFrame(&producer, frame,
							   NULL),
			 cudaErrorInvalidValue);
	frame.planeDesc[0].channelDesc.y = 0;
	frame.planeDesc[0].channelDesc.z = 0;
	frame.planeDesc[0].channelDesc.w = 0;
	assert_int_equal(cudaEGLStreamProducerPresentFrame(&producer, frame,
							   NULL),
			 cudaErrorInvalidValue);
	disconnect_both();
	ok(cudaFree(frame.frame.pPitch[0].ptr));
}

static void a_wrong_handle_is_an_error(void **state)
{
	cudaEglFrame frame = new_pitch_frame(), got;
	cudaEglStreamConnection none = NULL;
	cudaGraphicsResource_t resource;
	cudaStream_t bad = (cudaStream_t)&frame;

	(void)state;
	connect_both(0);
	assert_int_equal(cudaEGLStreamConsumerConnect(&none, display),
			 cudaErrorUnknown);
	assert_int_equal(cudaEGLStreamConsumerConnect(NULL, stream),
			 cudaErrorInvalidValue);
	assert_int_equal(cudaEGLStreamConsumerConnectWithFlags(&none, stream,
							       2),
			 cudaErrorInvalidValue);
	assert_int_equal(cudaEGLStreamProducerConnect(&none, stream, -1, 1),
			 cudaErrorInvalidValue);
	/* Each call is for one side only. */
	assert_int_equal(cudaEGLStreamProducerPresentFrame(&consumer, frame,
							   NULL),
			 cudaErrorInvalidResourceHandle);
	assert_int_equal(cudaEGLStreamConsumerAcquireFrame(&producer, &resource,
							   NULL, SOON),
			 cudaErrorInvalidResourceHandle);
	assert_int_equal(cudaEGLStreamConsumerDisconnect(&producer),
			 cudaErrorInvalidResourceHandle);
	assert_int_equal(cudaEGLStreamProducerPresentFrame(&none, frame, NULL),
			 cudaErrorInvalidResourceHandle);
	assert_int_equal(cudaEGLStreamProducerPresentFrame(&producer, frame,
							   &bad),
			 cudaErrorInvalidResourceHandle);
	present(frame);
	resource = acquire();
	assert_int_equal(cudaGraphicsResourceGetMappedEglFrame(&got, resource,
							       1, 0),
			 cudaErrorInvalidValue);
	release(resource);
	assert_int_equal(cudaGraphicsResourceGetMappedEglFrame(&got, resource,
							       0, 0),
			 cudaErrorInvalidResourceHandle);
	/* Not an array, and no array at all */
	frame.frameType = cudaEglFrameTypeArray;
	assert_int_equal(cudaEGLStreamProducerPresentFrame(&producer, frame,
							   NULL),
			 cudaErrorInvalidResourceHandle);
	frame.frameType = (cudaEglFrameType)2;
	assert_int_equal(cudaEGLStreamProducerPresentFrame(&producer, frame,
							   NULL),
			 cudaErrorInvalidValue);
	disconnect_both();
	ok(cudaFree(frame.frame.pPitch[0].ptr));
}

static void *disconnect_later(void *arg)
{
	(void)arg;
	usleep(50000);
	ok(cudaEGLStreamConsumerDisconnect(&consumer));
	return NULL;
}

static void a_disconnect_ends_a_wait(void **state)
{
	cudaEglStreamConnection waiting;
	cudaGraphicsResource_t resource;
	pthread_t thread;
	cudaError_t rc;

	(void)state;
	connect_both(0);
	waiting = consumer;
	assert_int_equal(pthread_create(&thread, NULL, disconnect_later, NULL),
			 0);
	rc = cudaEGLStreamConsumerAcquireFrame(&waiting, &resource, NULL,
					       CUDA_EGL_INFINITE_TIMEOUT);
	assert_int_equal(rc, cudaErrorUnknown);
	pthread_join(thread, NULL);
	assert_int_equal(state_of(stream), EGL_STREAM_STATE_DISCONNECTED_KHR);
	ok(cudaEGLStreamProducerDisconnect(&producer));
	egl_ok(eglDestroyStreamKHR(display, stream));
}

static void a_destroyed_context_disconnects(void **state)
{
	CUeglStreamConnection own;
	cudaGraphicsResource_t resource;
	CUcontext ctx;
	int device;

	(void)state;
	cu_ok(cuInit(0));
	ok(cudaGetDevice(&device));
	stream = new_stream(0);
	cu_ok(cuCtxCreate(&ctx, NULL, 0, device));
	cu_ok(cuEGLStreamConsumerConnect(&own, stream));
	cu_ok(cuCtxPopCurrent(&ctx));
	ok(cudaFree(0));
	ok(cudaEGLStreamProducerConnect(&producer, stream, WIDTH, HEIGHT));
	cu_ok(cuCtxDestroy(ctx));
	assert_int_equal(state_of(stream), EGL_STREAM_STATE_DISCONNECTED_KHR);
	assert_int_equal(cudaEGLStreamConsumerAcquireFrame(&own, &resource,
							   NULL, SOON),
			 cudaErrorInvalidResourceHandle);
	ok(cudaEGLStreamProducerDisconnect(&producer));
	egl_ok(eglDestroyStreamKHR(display, stream));
}

/* A context of a thread, as NVIDIA's sample has one for each side */
static CUcontext new_ctx(void)
{
	CUcontext ctx;
	int device;

	ok(cudaGetDevice(&device));
	cu_ok(cuCtxCreate(&ctx, NULL, 0, device));
	cu_ok(cuCtxPopCurrent(&ctx));
	return ctx;
}

static void check_device(CUdeviceptr ptr, unsigned char value)
{
	static unsigned char bytes[FRAME_LEN];
	unsigned int i;

	cu_ok(cuMemcpyDtoH(bytes, ptr, sizeof(bytes)));
	for (i = 0; i < FRAME_LEN; i++)
		assert_int_equal(bytes[i], value);
}

static void memory_of_another_context_arrives(void **state)
{
	CUeglFrame frame = {
		.width = WIDTH,
		.height = HEIGHT,
		.pitch = WIDTH * 4,
		.planeCount = 1,
		.numChannels = 4,
		.frameType = CU_EGL_FRAME_TYPE_PITCH,
		.eglColorFormat = CU_EGL_COLOR_FORMAT_ABGR,
		.cuFormat = CU_AD_FORMAT_UNSIGNED_INT8,
	};
	CUgraphicsResource resource, first = NULL;
	CUcontext here, there;
	CUeglFrame got;
	CUdeviceptr ptrs[2];
	unsigned int i;
	CUresult rc;

	(void)state;
	cu_ok(cuInit(0));
	here = new_ctx();
	there = new_ctx();
	stream = new_stream(0);
	cu_ok(cuCtxPushCurrent(there));
	cu_ok(cuEGLStreamConsumerConnect(&consumer, stream));
	cu_ok(cuCtxPopCurrent(&there));
	cu_ok(cuCtxPushCurrent(here));
	cu_ok(cuEGLStreamProducerConnect(&producer, stream, WIDTH, HEIGHT));
	cu_ok(cuMemAlloc(&ptrs[0], FRAME_LEN));
	cu_ok(cuMemAlloc(&ptrs[1], FRAME_LEN));
	cu_ok(cuCtxPopCurrent(&here));
	for (i = 1; i <= 3; i++) {
		cu_ok(cuCtxPushCurrent(here));
		frame.frame.pPitch[0] = (void *)(uintptr_t)ptrs[i % 2];
		if (i == 3)
			cu_ok(cuEGLStreamProducerReturnFrame(&producer, &got,
							     NULL));
		cu_ok(cuMemsetD8Async(ptrs[i % 2], i, FRAME_LEN, NULL));
		rc = cuEGLStreamProducerPresentFrame(&producer, frame, NULL);
		assert_int_equal(rc, is_embedded() ? CUDA_SUCCESS :
						     CUDA_ERROR_NOT_SUPPORTED);
		cu_ok(cuCtxPopCurrent(&here));
		if (rc)
			break;
		cu_ok(cuCtxPushCurrent(there));
		cu_ok(cuEGLStreamConsumerAcquireFrame(&consumer, &resource,
						      NULL, SOON));
		cu_ok(cuGraphicsResourceGetMappedEglFrame(&got, resource, 0,
							  0));
		assert_int_equal(got.eglColorFormat, CU_EGL_COLOR_FORMAT_ABGR);
		assert_int_equal(got.width, WIDTH);
		/* The memory is imported once. */
		if (i == 1)
			first = resource;
		else
			assert_int_equal(resource == first, i == 3);
		check_device((uintptr_t)got.frame.pPitch[0], i);
		cu_ok(cuEGLStreamConsumerReleaseFrame(&consumer, resource,
						      NULL));
		cu_ok(cuCtxPopCurrent(&there));
	}
	cu_ok(cuEGLStreamProducerDisconnect(&producer));
	cu_ok(cuEGLStreamConsumerDisconnect(&consumer));
	egl_ok(eglDestroyStreamKHR(display, stream));
	cu_ok(cuCtxDestroy(here));
	cu_ok(cuCtxDestroy(there));
	ok(cudaFree(0));
}

/* A stream from CUDA to CUDA, and another one with what arrives */
static void frames_go_through_a_chain(void **state)
{
	cudaEglStreamConnection first_producer, first_consumer;
	cudaEglFrame frame = new_pitch_frame(), other = new_pitch_frame(), back;
	cudaGraphicsResource_t middle, last;
	EGLStreamKHR first;

	(void)state;
	connect_both(2);
	first = stream;
	first_producer = producer;
	first_consumer = consumer;
	connect_both(2);
	ok(cudaEGLStreamProducerPresentFrame(&first_producer, frame, NULL));
	ok(cudaEGLStreamConsumerAcquireFrame(&first_consumer, &middle, NULL,
					     SOON));
	present(mapped(middle));
	last = acquire();
	assert_ptr_equal(mapped(last).frame.pPitch[0].ptr,
			 frame.frame.pPitch[0].ptr);
	release(last);
	/* The last frame stays, so another one pushes it out. */
	present(other);
	release(acquire());
	ok(cudaEGLStreamProducerReturnFrame(&producer, &back, NULL));
	ok(cudaEGLStreamConsumerReleaseFrame(&first_consumer, middle, NULL));
	disconnect_both();
	stream = first;
	producer = first_producer;
	consumer = first_consumer;
	disconnect_both();
	ok(cudaFree(frame.frame.pPitch[0].ptr));
	ok(cudaFree(other.frame.pPitch[0].ptr));
}

/* What a producer says about pixels, packed as CUDA does it */
#define USER(is_array, color, format, nr_channels)		\
	(0xc0daULL << 48 | (is_array) << 7 | (color) << 12 |	\
	 (format) << 20 | (nr_channels) << 28)

/* A frame of a producer that may be in another process, and not CUDA */
struct raw_frame {
	unsigned long long user;
	uint32_t pixel_len;
	cudaError_t rc;
};

static void acquire_raw(struct mem_pipe_end *end, struct mem_stream *work,
			void *ptr, const struct raw_frame *raw)
{
	struct mem_frame frame = {
		.size = sizeof(frame),
		.nr_planes = 1,
		.planes[0] = {
			.width = raw->user ? 16 : 64 / raw->pixel_len,
			.height = 4,
			.pixel_len = raw->pixel_len,
			.pitch = 64,
			.base = ptr,
		},
		.user = (void *)(uintptr_t)raw->user,
	};
	cudaGraphicsResource_t resource;
	unsigned char bytes[4 * 64];
	size_t i;

	assert_int_equal(mem_pipe_present(end, &frame, work, 0), 0);
	assert_int_equal(cudaEGLStreamConsumerAcquireFrame(&consumer, &resource,
							   NULL, SOON),
			 raw->rc);
	if (raw->rc)
		return;
	if (!raw->user) {
		ok(cudaMemcpy(bytes, mapped(resource).frame.pPitch[0].ptr,
			      sizeof(bytes), cudaMemcpyDeviceToHost));
		for (i = 0; i < sizeof(bytes); i++)
			assert_int_equal(bytes[i], 7);
	}
	release(resource);
}

/* The memory is the first GPU's, the consumer has @gpu. */
static void acquire_raws(const struct raw_frame *raws, size_t nr, size_t len,
			 int gpu)
{
	struct mem_stream *work;
	struct mem_pipe_end *end;
	struct mem_ctx *ctx;
	void *ptr;
	size_t i;

	ok(heapsim_cuda_ctx(&ctx));
	stream = new_stream(0);
	ok(cudaSetDevice(gpu));
	ok(cudaEGLStreamConsumerConnect(&consumer, stream));
	ok(cudaSetDevice(0));
	assert_int_equal(heapsim_egl_connect_producer(stream, ctx, 16, 4, &end),
			 0);
	assert_int_equal(mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING, 0,
					   &work), 0);
	ok(cudaMalloc(&ptr, len));
	ok(cudaMemset(ptr, 7, len));
	ok(cudaDeviceSynchronize());
	for (i = 0; i < nr; i++)
		acquire_raw(end, work, ptr, &raws[i]);
	mem_pipe_end_destroy(end);
	mem_stream_destroy(work);
	ok(cudaEGLStreamConsumerDisconnect(&consumer));
	egl_ok(eglDestroyStreamKHR(display, stream));
	ok(cudaFree(ptr));
}

static void a_frame_that_contradicts_itself_is_refused(void **state)
{
	static const struct raw_frame raws[] = {
		{ USER(0, 6ULL, 0x01ULL, 4ULL), 4, cudaSuccess },
		{ USER(1, 6ULL, 0x01ULL, 4ULL), 4, cudaSuccess },
		{ USER(0, 6ULL, 0x20ULL, 4ULL), 1, cudaSuccess },
		/* No such colour, type, number of components */
		{ USER(0, 0x75ULL, 0x01ULL, 4ULL), 4, cudaErrorNotSupported },
		{ USER(0, 6ULL, 0x07ULL, 4ULL), 4, cudaErrorNotSupported },
		{ USER(0, 6ULL, 0x01ULL, 0ULL), 4, cudaErrorNotSupported },
		{ USER(0, 6ULL, 0x01ULL, 15ULL), 4, cudaErrorNotSupported },
		/* Not the length of a pixel */
		{ USER(0, 6ULL, 0x01ULL, 4ULL), 1, cudaErrorNotSupported },
		{ USER(0, 6ULL, 0x20ULL, 4ULL), 4, cudaErrorNotSupported },
		{ USER(1, 6ULL, 0x01ULL, 4ULL), 1, cudaErrorNotSupported },
		{ USER(1, 6ULL, 0x01ULL, 1ULL), 4, cudaErrorNotSupported },
		{ USER(1, 6ULL, 0x20ULL, 4ULL), 4, cudaErrorNotSupported },
	};

	(void)state;
	acquire_raws(raws, NR(raws), 4 * 64, 0);
}

/* The last row has its pixels, but not the bytes up to the pitch. */
static void a_copied_frame_must_fit_its_memory(void **state)
{
	static const struct raw_frame raw = {
		USER(0, 6ULL, 0x20ULL, 4ULL), 1, cudaErrorNotSupported
	};
	int nr_devices;

	(void)state;
	ok(cudaGetDeviceCount(&nr_devices));
	if (nr_devices < 2)
		skip_because("the board has one GPU");
	acquire_raws(&raw, 1, 3 * 64 + 16, 1);
}

/* Its pixels are taken for bytes. */
static void a_frame_of_another_producer_is_copied_whole(void **state)
{
	static const struct raw_frame raws[] = {
		{ 0, 1, cudaSuccess },
		{ 0, 4, cudaSuccess },
		{ 0, 8, cudaSuccess },
		{ 0, 16, cudaSuccess },
	};
	int nr_devices;

	(void)state;
	ok(cudaGetDeviceCount(&nr_devices));
	if (nr_devices < 2)
		skip_because("the board has one GPU");
	acquire_raws(raws, NR(raws), 4 * 64, 1);
}

/* What the first shares of another process might be called */
static void tokens_find_nothing(void)
{
	struct raw_frame raw = { .pixel_len = 1, .rc = cudaErrorUnknown };
	unsigned long long number;

	for (number = 0; number < 8; number++) {
		raw.user = 0xc0dbULL << 48 | number << 7;
		acquire_raws(&raw, 1, 4 * 64, 0);
	}
}

static void a_token_of_another_process_is_refused(void **state)
{
	CUeglFrame frame = {
		.width = WIDTH,
		.height = HEIGHT,
		.pitch = WIDTH,
		.planeCount = 1,
		.numChannels = 1,
		.frameType = CU_EGL_FRAME_TYPE_PITCH,
		.eglColorFormat = CU_EGL_COLOR_FORMAT_L,
		.cuFormat = CU_AD_FORMAT_UNSIGNED_INT8,
	};
	CUeglStreamConnection own_producer, own_consumer;
	CUcontext here = new_ctx();
	EGLStreamKHR own;
	CUdeviceptr ptr;

	(void)state;
	/* A stream between two contexts passes tokens. */
	own = new_stream(0);
	ok(cudaEGLStreamConsumerConnect(&own_consumer, own));
	cu_ok(cuCtxPushCurrent(here));
	cu_ok(cuEGLStreamProducerConnect(&own_producer, own, WIDTH, HEIGHT));
	cu_ok(cuMemAlloc(&ptr, WIDTH * HEIGHT));
	frame.frame.pPitch[0] = (void *)(uintptr_t)ptr;
	assert_int_equal(cuEGLStreamProducerPresentFrame(&own_producer, frame,
							 NULL),
			 is_embedded() ? CUDA_SUCCESS :
					 CUDA_ERROR_NOT_SUPPORTED);
	cu_ok(cuCtxPopCurrent(&here));
	ok(cudaFree(0));
	tokens_find_nothing();
	cu_ok(cuEGLStreamProducerDisconnect(&own_producer));
	cu_ok(cuEGLStreamConsumerDisconnect(&own_consumer));
	egl_ok(eglDestroyStreamKHR(display, own));
	cu_ok(cuCtxDestroy(here));
	ok(cudaFree(0));
}

static void an_array_has_pixels_of_its_length(void **state)
{
	cudaEglFrame frame = new_frame(cudaEglFrameTypeArray);

	(void)state;
	connect_both(2);
	frame.frame.pArray[0] = new_array(7);
	frame.planeDesc[0].channelDesc =
		(struct cudaChannelFormatDesc){ 32, 32, 32, 32,
					cudaChannelFormatKindFloat };
	assert_int_equal(cudaEGLStreamProducerPresentFrame(&producer, frame,
							   NULL),
			 cudaErrorInvalidValue);
	disconnect_both();
	ok(cudaFreeArray(frame.frame.pArray[0]));
}

/* Devices with memory of their own: a frame goes from one GPU to the other. */
static void a_frame_is_copied_between_devices(void **state)
{
	static unsigned char bytes[FRAME_LEN];
	cudaEglFrame frames[3], arrays = new_frame(cudaEglFrameTypeArray);
	uint64_t nr, bytes_before, nr_before, nr_bytes;
	cudaGraphicsResource_t resource;
	unsigned int i, j;
	int nr_devices;

	(void)state;
	ok(cudaGetDeviceCount(&nr_devices));
	if (nr_devices < 2)
		skip_because("the board has one GPU");
	stream = new_stream(0);
	ok(cudaSetDevice(1));
	ok(cudaEGLStreamConsumerConnect(&consumer, stream));
	ok(cudaSetDevice(0));
	ok(cudaEGLStreamProducerConnect(&producer, stream, WIDTH, HEIGHT));
	for (i = 0; i < 3; i++)
		frames[i] = new_pitch_frame();
	arrays.frame.pArray[0] = new_array(1);
	ok(heapsim_cuda_frame_copies(&nr_before, &bytes_before));
	for (i = 1; i <= 3; i++) {
		const cudaEglFrame frame = frames[i - 1];

		ok(cudaMemsetAsync(frame.frame.pPitch[0].ptr, i, FRAME_LEN,
				   NULL));
		present(frame);
		ok(cudaSetDevice(1));
		resource = acquire();
		assert_ptr_not_equal(mapped(resource).frame.pPitch[0].ptr,
				     frame.frame.pPitch[0].ptr);
		ok(cudaMemcpy(bytes, mapped(resource).frame.pPitch[0].ptr,
			      FRAME_LEN, cudaMemcpyDeviceToHost));
		for (j = 0; j < FRAME_LEN; j++)
			assert_int_equal(bytes[j], i);
		release(resource);
		ok(cudaSetDevice(0));
	}
	ok(heapsim_cuda_frame_copies(&nr, &nr_bytes));
	assert_int_equal(nr - nr_before, 3);
	assert_int_equal(nr_bytes - bytes_before, 3 * FRAME_LEN);
	present(arrays);
	assert_int_equal(cudaEGLStreamConsumerAcquireFrame(&consumer, &resource,
							   NULL, SOON),
			 cudaErrorNotSupported);
	disconnect_both();
	for (i = 0; i < 3; i++)
		ok(cudaFree(frames[i].frame.pPitch[0].ptr));
	ok(cudaFreeArray(arrays.frame.pArray[0]));
}

/* The format names the number of components, too. */
static void a_normalised_frame_is_copied_whole(void **state)
{
	CUeglFrame frame = {
		.width = WIDTH,
		.height = HEIGHT,
		.pitch = 4 * WIDTH,
		.planeCount = 1,
		.numChannels = 4,
		.frameType = CU_EGL_FRAME_TYPE_PITCH,
		.eglColorFormat = CU_EGL_COLOR_FORMAT_ARGB,
		.cuFormat = CU_AD_FORMAT_UNORM_INT8X4,
	};
	static unsigned char bytes[FRAME_LEN];
	CUgraphicsResource resource;
	int i, nr_devices;
	CUeglFrame copy;
	void *ptr;

	(void)state;
	ok(cudaGetDeviceCount(&nr_devices));
	if (nr_devices < 2)
		skip_because("the board has one GPU");
	stream = new_stream(0);
	ok(cudaSetDevice(1));
	ok(cudaEGLStreamConsumerConnect(&consumer, stream));
	ok(cudaSetDevice(0));
	ok(cudaEGLStreamProducerConnect(&producer, stream, WIDTH, HEIGHT));
	ok(cudaMalloc(&ptr, FRAME_LEN));
	ok(cudaMemset(ptr, 7, FRAME_LEN));
	frame.frame.pPitch[0] = ptr;
	cu_ok(cuEGLStreamProducerPresentFrame(&producer, frame, NULL));
	ok(cudaSetDevice(1));
	cu_ok(cuEGLStreamConsumerAcquireFrame(&consumer, &resource, NULL,
					      SOON));
	cu_ok(cuGraphicsResourceGetMappedEglFrame(&copy, resource, 0, 0));
	assert_int_equal(copy.cuFormat, CU_AD_FORMAT_UNORM_INT8X4);
	ok(cudaMemcpy(bytes, copy.frame.pPitch[0], FRAME_LEN,
		      cudaMemcpyDeviceToHost));
	for (i = 0; i < (int)FRAME_LEN; i++)
		assert_int_equal(bytes[i], 7);
	cu_ok(cuEGLStreamConsumerReleaseFrame(&consumer, resource, NULL));
	ok(cudaSetDevice(0));
	disconnect_both();
	ok(cudaFree(ptr));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_of_an_array_arrives_as_an_array),
		cmocka_unit_test(a_width_in_bytes_is_accepted),
		cmocka_unit_test(a_width_without_a_pitch_is_limited),
		cmocka_unit_test(a_frame_has_the_rows_that_fit),
		cmocka_unit_test(an_array_may_have_a_depth),
		cmocka_unit_test(planes_of_the_driver_follow_from_the_colour),
		cmocka_unit_test(a_frame_has_the_same_resource_again),
		cmocka_unit_test(an_active_frame_cannot_be_presented),
		cmocka_unit_test(a_wrong_handle_is_an_error),
		cmocka_unit_test(a_disconnect_ends_a_wait),
		cmocka_unit_test(a_destroyed_context_disconnects),
		cmocka_unit_test(memory_of_another_context_arrives),
		cmocka_unit_test(frames_go_through_a_chain),
		cmocka_unit_test(a_frame_that_contradicts_itself_is_refused),
		cmocka_unit_test(a_copied_frame_must_fit_its_memory),
		cmocka_unit_test(a_frame_of_another_producer_is_copied_whole),
		cmocka_unit_test(a_token_of_another_process_is_refused),
		cmocka_unit_test(an_array_has_pixels_of_its_length),
		cmocka_unit_test(a_frame_is_copied_between_devices),
		cmocka_unit_test(a_normalised_frame_is_copied_whole),
	};

	return cmocka_run_group_tests(tests, open_display, close_display);
}
