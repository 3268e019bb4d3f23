// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program whose CUDA consumer makes a mistake with a frame, for report_test.
 * Arguments: the mistake: "store" (into a frame that it holds), "late" (a read
 * of a frame that it has released), or "none"; the context of the consumer:
 * that of the producer ("same"), or an "other" one; memory of the frame:
 * "pitch" or "array".
 */
#include "test.h"

/* With narrower rows, an array has as much padding as another frame needs. */
#define ROW_LEN		(160 * 4)
#define LEN		(ROW_LEN * HEIGHT)

static cudaEglStreamConnection producer, consumer;
static unsigned char bytes[LEN];

static cudaEglFrame new_frame_of(const char *memory)
{
	const struct cudaChannelFormatDesc desc = {
		8, 8, 8, 8, cudaChannelFormatKindUnsigned
	};
	const bool is_array = !strcmp(memory, "array");
	cudaEglFrame frame = new_frame(is_array ? cudaEglFrameTypeArray :
						  cudaEglFrameTypePitch);

	frame.planeDesc[0].width = ROW_LEN / 4;
	frame.planeDesc[0].pitch = is_array ? 0 : ROW_LEN;
	if (is_array)
		ok(cudaMallocArray(&frame.frame.pArray[0], &desc, ROW_LEN / 4,
				   HEIGHT, cudaArraySurfaceLoadStore));
	else
		ok(cudaMalloc(&frame.frame.pPitch[0].ptr, LEN));
	return frame;
}

/* Overwrites the frame, in order of the stream. */
static void store(const cudaEglFrame *frame, cudaStream_t stream)
{
	if (frame->frameType == cudaEglFrameTypePitch)
		ok(cudaMemcpyAsync(frame->frame.pPitch[0].ptr, bytes,
				   LEN, cudaMemcpyHostToDevice, stream));
	else
		ok(cudaMemcpy2DToArrayAsync(frame->frame.pArray[0], 0, 0,
					    bytes, ROW_LEN, ROW_LEN,
					    HEIGHT, cudaMemcpyHostToDevice,
					    stream));
}

static void load(const cudaEglFrame *frame, cudaStream_t stream)
{
	if (frame->frameType == cudaEglFrameTypePitch)
		ok(cudaMemcpyAsync(bytes, frame->frame.pPitch[0].ptr,
				   LEN, cudaMemcpyDeviceToHost, stream));
	else
		ok(cudaMemcpy2DFromArrayAsync(bytes, ROW_LEN,
					      frame->frame.pArray[0], 0, 0,
					      ROW_LEN, HEIGHT,
					      cudaMemcpyDeviceToHost, stream));
}

static void consume(const char *mistake)
{
	cudaGraphicsResource_t resource;
	cudaEglFrame frame;
	cudaStream_t stream;

	ok(cudaStreamCreate(&stream));
	ok(cudaEGLStreamConsumerAcquireFrame(&consumer, &resource, &stream,
					     SOON));
	ok(cudaGraphicsResourceGetMappedEglFrame(&frame, resource, 0, 0));
	load(&frame, stream);
	if (!strcmp(mistake, "store"))
		store(&frame, stream); /* WRITTEN */
	ok(cudaEGLStreamConsumerReleaseFrame(&consumer, resource, &stream));
	if (!strcmp(mistake, "late"))
		load(&frame, stream); /* LATE */
	ok(cudaStreamSynchronize(stream));
	ok(cudaStreamDestroy(stream));
}

int main(int argc, char **argv)
{
	cudaEglFrame frame;
	CUcontext own, other = NULL;
	EGLStreamKHR stream;
	unsigned int i;

	assert_int_equal(argc, 4);
	open_display(NULL);
	stream = new_stream(2);
	ok(cudaFree(NULL));
	cu_ok(cuCtxGetCurrent(&own));
	if (!strcmp(argv[2], "other"))
		cu_ok(cuCtxCreate(&other, NULL, 0, 0));
	ok(cudaEGLStreamConsumerConnect(&consumer, stream));
	cu_ok(cuCtxSetCurrent(own));
	ok(cudaEGLStreamProducerConnect(&producer, stream, ROW_LEN / 4,
					HEIGHT));
	for (i = 0; i < 5; i++) {
		cu_ok(cuCtxSetCurrent(own));
		if (i < 2)
			frame = new_frame_of(argv[3]);
		else
			ok(cudaEGLStreamProducerReturnFrame(&producer, &frame,
							    NULL));
		store(&frame, NULL);
		ok(cudaEGLStreamProducerPresentFrame(&producer, frame, NULL));
		/* A frame stays in the stream until a newer one comes. */
		if (!i)
			continue;
		if (other)
			cu_ok(cuCtxSetCurrent(other));
		consume(argv[1]);
	}
	ok(cudaEGLStreamConsumerDisconnect(&consumer));
	ok(cudaEGLStreamProducerDisconnect(&producer));
	egl_ok(eglDestroyStreamKHR(display, stream));
	return close_display(NULL);
}
