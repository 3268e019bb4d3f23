// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two threads with an EGLStream: one draws frames with CUDA, the other one looks
 * at them with CUDA. See README.rst.
 *
 * egl-stream [marked]
 */
/* The calls of streams are extensions of EGL. */
#define EGL_EGLEXT_PROTOTYPES

#include <cuda_egl_interop.h>
#include <pthread.h>

#include "egl-sample.h"
#include "sample.h"

#define WIDTH		256
#define HEIGHT		256
#define NR_BUFFERS	3
#define NR_FRAMES	12
#define NR_THREADS	256
#define TIMEOUT_US	10000000U	/* a frame that does not come at all */

static EGLDisplay display;
static int device;
static bool is_marked;

/* A disc of white pixels, which moves to the right from frame to frame. */
__global__ void draw(uint8_t *pixels, int nr)
{
	const int y = blockIdx.x, dy = y - HEIGHT / 2;

	for (int x = threadIdx.x; x < WIDTH; x += blockDim.x) {
		const int dx = x - 40 - 16 * nr;

		pixels[y * WIDTH + x] = dx * dx + dy * dy < 30 * 30 ? 255 : 0;
	}
}

/* Each thread adds up a column. */
__global__ void add_columns(const uint8_t *pixels, unsigned int *sums)
{
	unsigned int sum = 0;

	for (int y = 0; y < HEIGHT; y++)
		sum += pixels[y * WIDTH + threadIdx.x];
	sums[threadIdx.x] = sum;
}

__global__ void mark(uint8_t *pixels)
{
	pixels[threadIdx.x] = 128;
}

static cudaEglFrame frame_new()
{
	cudaEglFrame frame;

	memset(&frame, 0, sizeof(frame));
	frame.frameType = cudaEglFrameTypePitch;
	frame.planeCount = 1;
	frame.eglColorFormat = cudaEglColorFormatL;
	frame.planeDesc[0].width = WIDTH;
	frame.planeDesc[0].height = HEIGHT;
	frame.planeDesc[0].pitch = WIDTH;
	frame.planeDesc[0].numChannels = 1;
	frame.planeDesc[0].channelDesc.x = 8;
	frame.planeDesc[0].channelDesc.f = cudaChannelFormatKindUnsigned;
	CHECK(cudaMalloc(&frame.frame.pPitch[0].ptr, WIDTH * HEIGHT));
	set_name(frame.frame.pPitch[0].ptr, "frame");
	return frame;
}

static void take_back(cudaEglStreamConnection *stream, cudaEglFrame *frame,
		      cudaStream_t work)
{
	cudaError_t err;

	/* A return waits for 1 ms. Its error is not that of the next launch. */
	do {
		err = cudaEGLStreamProducerReturnFrame(stream, frame, &work);
		cudaGetLastError();
	} while (err == cudaErrorLaunchTimeout);
	CHECK(err);
}

/* No call waits for a kernel: the streams of both threads do. */
static void *produce(void *arg)
{
	cudaEglFrame frames[NR_BUFFERS], frame;
	cudaEglStreamConnection stream;
	cudaStream_t work;
	int i;

	CHECK(cudaSetDevice(device));
	CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
	CHECK(cudaEGLStreamProducerConnect(&stream, arg, WIDTH, HEIGHT));
	for (i = 0; i < NR_FRAMES; i++) {
		if (i < NR_BUFFERS)
			frame = frames[i] = frame_new();
		else
			take_back(&stream, &frame, work);
		draw<<<HEIGHT, NR_THREADS, 0, work>>>(
			(uint8_t *)frame.frame.pPitch[0].ptr, i);
		CHECK_LAUNCH();
		CHECK(cudaEGLStreamProducerPresentFrame(&stream, frame, &work));
	}
	/* A disconnection would discard what the consumer has not seen. */
	for (i = 0; i < NR_BUFFERS; i++)
		take_back(&stream, &frame, work);
	CHECK(cudaEGLStreamProducerDisconnect(&stream));
	CHECK(cudaStreamSynchronize(work));
	for (i = 0; i < NR_BUFFERS; i++)
		CHECK(cudaFree(frames[i].frame.pPitch[0].ptr));
	CHECK(cudaStreamDestroy(work));
	return NULL;
}

OWN_FRAME static void look_at(cudaEglStreamConnection *stream,
			      unsigned int *sums, cudaStream_t work)
{
	cudaGraphicsResource_t resource = NULL;
	cudaEglFrame frame;
	uint8_t *pixels;

	CHECK(cudaEGLStreamConsumerAcquireFrame(stream, &resource, &work,
						TIMEOUT_US));
	CHECK(cudaGraphicsResourceGetMappedEglFrame(&frame, resource, 0, 0));
	pixels = (uint8_t *)frame.frame.pPitch[0].ptr;
	add_columns<<<1, NR_THREADS, 0, work>>>(pixels, sums);
	/* Wrong: the frame is the producer's, and the consumer may read it. */
	if (is_marked)
		mark<<<1, 16, 0, work>>>(pixels);	/* found here */
	CHECK_LAUNCH();
	CHECK(cudaEGLStreamConsumerReleaseFrame(stream, resource, &work));
}

/* Where the disc is, and how large it is */
static void print_frame(int nr, const unsigned int *sums)
{
	unsigned int i, nr_pixels = 0, first = WIDTH;

	for (i = 0; i < WIDTH; i++) {
		nr_pixels += sums[i] / 255;
		if (sums[i] && i < first)
			first = i;
	}
	printf("frame %2d: %u white pixels, from column %u\n", nr + 1,
	       nr_pixels, first);
}

static void *consume(void *arg)
{
	cudaEglStreamConnection *stream = (cudaEglStreamConnection *)arg;
	unsigned int *sums;
	cudaStream_t work;
	int i;

	CHECK(cudaSetDevice(device));
	CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
	CHECK(cudaHostAlloc((void **)&sums, NR_FRAMES * WIDTH * sizeof(*sums),
			    cudaHostAllocDefault));
	for (i = 0; i < NR_FRAMES; i++)
		look_at(stream, sums + i * WIDTH, work);
	CHECK(cudaStreamSynchronize(work));
	for (i = 0; i < NR_FRAMES; i++)
		print_frame(i, sums + i * WIDTH);
	CHECK(cudaFreeHost(sums));
	CHECK(cudaStreamDestroy(work));
	return NULL;
}

int main(int argc, char **argv)
{
	/* A fifo keeps each frame; without reuse the last one comes back, too. */
	const EGLint attributes[] = {
		EGL_STREAM_FIFO_LENGTH_KHR, NR_BUFFERS,
		EGL_SUPPORT_REUSE_NV, EGL_FALSE, EGL_NONE
	};
	cudaEglStreamConnection consumer;
	pthread_t threads[2];
	EGLStreamKHR stream;
	int i;

	is_marked = is_asked(argc, argv, "marked");
	device = use_integrated_gpu();
	display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
	EGL(eglInitialize(display, NULL, NULL));
	stream = eglCreateStreamKHR(display, attributes);
	EGL(stream != EGL_NO_STREAM_KHR);
	/* Before the producer: after it no consumer could connect. */
	CHECK(cudaEGLStreamConsumerConnect(&consumer, stream));
	if (pthread_create(&threads[0], NULL, consume, &consumer) ||
	    pthread_create(&threads[1], NULL, produce, stream)) {
		fprintf(stderr, "no thread\n");
		return 2;
	}
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	CHECK(cudaEGLStreamConsumerDisconnect(&consumer));
	EGL(eglDestroyStreamKHR(display, stream));
	EGL(eglTerminate(display));
	return 0;
}
