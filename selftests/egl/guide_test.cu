// SPDX-License-Identifier: GPL-2.0-only
/*
 * The programs of NVIDIA's note "CUDA for Tegra", chapter 4, in their shape:
 * a producer's and a consumer's thread with an EGLStream; a texture that a
 * kernel changes, first with waits of the CPU, then with EGLSyncs. Prints TAP.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>

#include <GL/gl.h>
#include <cudaEGL.h>
#include <cuda_egl_interop.h>

#define WIDTH	256
#define HEIGHT	256
#define NR_FRAMES	20
/* In us; a frame that does not come at all ends the test. */
#define TIMEOUT	10000000U

static int nr_tests, nr_failed;

static void report(const char *name, bool is_ok)
{
	nr_failed += !is_ok;
	std::printf("%sok %d - %s\n", is_ok ? "" : "not ", ++nr_tests, name);
}

static void must(bool condition, const char *what)
{
	if (condition)
		return;
	std::printf("Bail out! %s: CUDA %s, EGL 0x%x\n", what,
		    cudaGetErrorName(cudaGetLastError()), eglGetError());
	std::exit(1);
}

#define MUST(condition)	must(condition, #condition)

/* 4.1: CUDA as producer and consumer */

__global__ void set_all(unsigned char *bytes, unsigned char value, size_t len)
{
	for (size_t i = threadIdx.x; i < len; i += blockDim.x)
		bytes[i] = value;
}

__global__ void check_all(const unsigned char *bytes, unsigned char value,
			  size_t len, int *is_same)
{
	for (size_t i = threadIdx.x; i < len; i += blockDim.x)
		if (bytes[i] != value)
			*is_same = 0;
}

static EGLDisplay display;
static int device;

static void *producer_thread(void *arg)
{
	EGLStreamKHR stream = arg;
	cudaEglStreamConnection conn;
	cudaEglFrame frame;
	cudaStream_t work;
	size_t len;

	MUST(!cudaSetDevice(device));
	MUST(!cudaStreamCreate(&work));
	std::memset(&frame, 0, sizeof(frame));
	frame.planeDesc[0].width = WIDTH;
	frame.planeDesc[0].depth = 0;
	frame.planeDesc[0].height = HEIGHT;
	frame.planeDesc[0].numChannels = 4;
	frame.planeDesc[0].pitch = WIDTH * frame.planeDesc[0].numChannels;
	frame.frameType = cudaEglFrameTypePitch;
	frame.planeCount = 1;
	frame.eglColorFormat = cudaEglColorFormatARGB;
	frame.planeDesc[0].channelDesc.f = cudaChannelFormatKindUnsigned;
	frame.planeDesc[0].channelDesc.w = 8;
	frame.planeDesc[0].channelDesc.x = 8;
	frame.planeDesc[0].channelDesc.y = 8;
	frame.planeDesc[0].channelDesc.z = 8;
	len = frame.planeDesc[0].pitch * frame.planeDesc[0].height;
	MUST(!cudaMalloc(&frame.frame.pPitch[0].ptr, len));
	MUST(!cudaEGLStreamProducerConnect(&conn, stream, WIDTH, HEIGHT));
	for (int i = 1; i <= NR_FRAMES; i++) {
		set_all<<<1, 32, 0, work>>>(
			(unsigned char *)frame.frame.pPitch[0].ptr, i, len);
		MUST(!cudaEGLStreamProducerPresentFrame(&conn, frame, &work));
		cudaError_t rc;
		do {
			rc = cudaEGLStreamProducerReturnFrame(&conn, &frame,
							      &work);
		} while (rc == cudaErrorLaunchTimeout);
		MUST(rc == cudaSuccess);
	}
	MUST(!cudaEGLStreamProducerDisconnect(&conn));
	MUST(!cudaStreamSynchronize(work));
	MUST(!cudaFree(frame.frame.pPitch[0].ptr));
	MUST(!cudaStreamDestroy(work));
	return NULL;
}

static void *consumer_thread(void *arg)
{
	cudaEglStreamConnection conn = *(cudaEglStreamConnection *)arg;
	cudaGraphicsResource_t resource;
	cudaEglFrame frame;
	cudaStream_t work;
	int *is_same;

	MUST(!cudaSetDevice(device));
	MUST(!cudaStreamCreate(&work));
	MUST(!cudaHostAlloc(&is_same, sizeof(*is_same), cudaHostAllocDefault));
	*is_same = 1;
	for (int i = 1; i <= NR_FRAMES; i++) {
		MUST(!cudaEGLStreamConsumerAcquireFrame(&conn, &resource, &work,
							TIMEOUT));
		MUST(!cudaGraphicsResourceGetMappedEglFrame(&frame, resource, 0,
							    0));
		check_all<<<1, 32, 0, work>>>(
			(unsigned char *)frame.frame.pPitch[0].ptr, i,
			(size_t)frame.planeDesc[0].pitch *
			frame.planeDesc[0].height, is_same);
		MUST(!cudaEGLStreamConsumerReleaseFrame(&conn, resource,
							&work));
	}
	MUST(!cudaStreamSynchronize(work));
	report("each frame has its bytes when the consumer's kernel runs",
	       *is_same == 1);
	MUST(!cudaFreeHost(is_same));
	MUST(!cudaStreamDestroy(work));
	return NULL;
}

static void stream_between_threads()
{
	/* So that the only frame can be returned */
	const EGLint attribs[] = { EGL_SUPPORT_REUSE_NV, EGL_FALSE, EGL_NONE };
	EGLStreamKHR stream = eglCreateStreamKHR(display, attribs);
	cudaEglStreamConnection conn;
	pthread_t producer, consumer;
	EGLint state;

	MUST(stream != EGL_NO_STREAM_KHR);
	/* The consumer connects first. */
	MUST(!cudaEGLStreamConsumerConnect(&conn, stream));
	MUST(!pthread_create(&consumer, NULL, consumer_thread, &conn));
	MUST(!pthread_create(&producer, NULL, producer_thread, stream));
	pthread_join(producer, NULL);
	pthread_join(consumer, NULL);
	MUST(eglQueryStreamKHR(display, stream, EGL_STREAM_STATE_KHR, &state));
	report("a disconnected producer disconnects the stream",
	       state == EGL_STREAM_STATE_DISCONNECTED_KHR);
	MUST(!cudaEGLStreamConsumerDisconnect(&conn));
	MUST(eglDestroyStreamKHR(display, stream));
}

/* 4.2 and 4.3: a texture that CUDA changes */

__global__ void changeTexture(cudaSurfaceObject_t arr, unsigned int width,
			      unsigned int height)
{
	unsigned int x = threadIdx.x + blockIdx.x * blockDim.x;
	unsigned int y = threadIdx.y + blockIdx.y * blockDim.y;
	uchar4 data = make_uchar4(1, 2, 3, 4);

	if (x < width && y < height)
		surf2Dwrite(data, arr, x * 4, y);
}

static const unsigned int nr_bytes = WIDTH * HEIGHT * 4;

static bool checkbuf(const unsigned char *ref, const unsigned char *host_surf)
{
	for (unsigned int i = 0; i < nr_bytes; i++)
		if (ref[i] != host_surf[i] || ref[i] != i % 4 + 1)
			return false;
	return true;
}

static EGLImageKHR new_texture(GLuint *tex, const unsigned char *pixels)
{
	EGLint attribs[] = { EGL_IMAGE_PRESERVED_KHR, EGL_FALSE, EGL_NONE,
			     EGL_NONE };
	EGLImageKHR image;

	glGenTextures(1, tex);
	glBindTexture(GL_TEXTURE_2D, *tex);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, WIDTH, HEIGHT, 0, GL_RGBA,
		     GL_UNSIGNED_BYTE, pixels);
	image = eglCreateImageKHR(eglGetCurrentDisplay(),
				  eglGetCurrentContext(), EGL_GL_TEXTURE_2D_KHR,
				  (EGLClientBuffer)(intptr_t)*tex, attribs);
	MUST(image != EGL_NO_IMAGE_KHR);
	return image;
}

static void copy_array(CUarray array, unsigned char *host_surf)
{
	CUDA_MEMCPY3D cpdesc;

	std::memset(&cpdesc, 0, sizeof(cpdesc));
	cpdesc.srcMemoryType = CU_MEMORYTYPE_ARRAY;
	cpdesc.dstMemoryType = CU_MEMORYTYPE_HOST;
	cpdesc.srcArray = array;
	cpdesc.dstHost = host_surf;
	cpdesc.WidthInBytes = WIDTH * 4;
	cpdesc.Height = HEIGHT;
	cpdesc.Depth = 1;
	MUST(!cuMemcpy3D(&cpdesc));
}

static void image_with_waits()
{
	unsigned char *host_surf = (unsigned char *)std::malloc(nr_bytes);
	unsigned char *pixels = (unsigned char *)std::calloc(1, nr_bytes);
	unsigned char *temp = (unsigned char *)std::malloc(nr_bytes);
	CUgraphicsResource resource;
	CUDA_RESOURCE_DESC wdsc;
	CUsurfObject surface;
	EGLImageKHR image;
	CUarray array;
	GLuint tex;

	image = new_texture(&tex, pixels);
	glFinish();
	glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, WIDTH, HEIGHT, GL_RGBA,
			GL_UNSIGNED_BYTE, pixels);
	glFinish();
	MUST(!cuGraphicsEGLRegisterImage(&resource, image,
					 CU_GRAPHICS_REGISTER_FLAGS_NONE));
	MUST(!cuGraphicsSubResourceGetMappedArray(&array, resource, 0, 0));
	MUST(!cuCtxSynchronize());
	std::memset(&wdsc, 0, sizeof(wdsc));
	wdsc.resType = CU_RESOURCE_TYPE_ARRAY;
	wdsc.res.array.hArray = array;
	MUST(!cuSurfObjectCreate(&surface, &wdsc));
	dim3 block(32, 32);
	dim3 grid(WIDTH / block.x, HEIGHT / block.y);
	changeTexture<<<grid, block>>>(surface, WIDTH, HEIGHT);
	MUST(!cuCtxSynchronize());
	copy_array(array, host_surf);
	MUST(!cuCtxSynchronize());
	glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, temp);
	glFinish();
	report("OpenGL reads what a kernel wrote to the image",
	       checkbuf(temp, host_surf));
	MUST(!cuGraphicsUnregisterResource(resource));
	MUST(!cuSurfObjectDestroy(surface));
	MUST(eglDestroyImageKHR(display, image));
	glDeleteTextures(1, &tex);
	MUST(glGetError() == GL_NO_ERROR);
	std::free(host_surf);
	std::free(pixels);
	std::free(temp);
}

static void image_with_syncs()
{
	unsigned char *host_surf = (unsigned char *)std::malloc(nr_bytes);
	unsigned char *pixels = (unsigned char *)std::calloc(1, nr_bytes);
	unsigned char *temp = (unsigned char *)std::malloc(nr_bytes);
	cudaGraphicsResource_t resource;
	cudaSurfaceObject_t surface = 0;
	cudaEvent_t cuda_event, egl_event;
	EGLSyncKHR eglsync1, eglsync2;
	struct cudaResourceDesc desc;
	cudaStream_t stream;
	EGLImageKHR image;
	cudaArray_t array;
	GLuint tex;

	MUST(!cudaEventCreateWithFlags(&cuda_event, cudaEventDisableTiming));
	EGLAttribKHR eglattrib[] = { EGL_CUDA_EVENT_HANDLE_NV,
				     (EGLAttrib)cuda_event, EGL_NONE };
	MUST(!cudaStreamCreateWithFlags(&stream, cudaStreamDefault));
	image = new_texture(&tex, pixels);
	glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, WIDTH, HEIGHT, GL_RGBA,
			GL_UNSIGNED_BYTE, pixels);
	eglsync1 = eglCreateSyncKHR(display, EGL_SYNC_FENCE_KHR, NULL);
	MUST(eglsync1 != EGL_NO_SYNC_KHR);
	MUST(!cuEventCreateFromEGLSync(&egl_event, eglsync1,
				       cudaEventDefault));
	MUST(!cuStreamWaitEvent(stream, egl_event, 0));
	MUST(!cudaGraphicsEGLRegisterImage(&resource, image,
					   cudaGraphicsRegisterFlagsNone));
	MUST(!cudaGraphicsSubResourceGetMappedArray(&array, resource, 0, 0));
	std::memset(&desc, 0, sizeof(desc));
	desc.resType = cudaResourceTypeArray;
	desc.res.array.array = array;
	MUST(!cudaCreateSurfaceObject(&surface, &desc));
	dim3 block(32, 32);
	dim3 grid(WIDTH / block.x, HEIGHT / block.y);
	changeTexture<<<grid, block, 0, stream>>>(surface, WIDTH, HEIGHT);
	MUST(!cuEventRecord(cuda_event, stream));
	eglsync2 = eglCreateSync64KHR(display, EGL_SYNC_CUDA_EVENT_NV,
				      eglattrib);
	MUST(eglsync2 != EGL_NO_SYNC_KHR);
	MUST(eglWaitSyncKHR(display, eglsync2, 0));
	MUST(!cudaMemcpy2DFromArrayAsync(host_surf, WIDTH * 4, array, 0, 0,
					 WIDTH * 4, HEIGHT,
					 cudaMemcpyDeviceToHost, stream));
	MUST(!cudaStreamSynchronize(stream));
	glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, temp);
	report("syncs order OpenGL and CUDA without a wait of the CPU",
	       checkbuf(temp, host_surf));
	MUST(!cudaGraphicsUnregisterResource(resource));
	MUST(!cudaDestroySurfaceObject(surface));
	MUST(eglDestroySyncKHR(display, eglsync1));
	MUST(eglDestroySyncKHR(display, eglsync2));
	MUST(!cudaEventDestroy(egl_event));
	MUST(!cudaEventDestroy(cuda_event));
	MUST(!cudaStreamDestroy(stream));
	MUST(eglDestroyImageKHR(display, image));
	glDeleteTextures(1, &tex);
	MUST(glGetError() == GL_NO_ERROR);
	std::free(host_surf);
	std::free(pixels);
	std::free(temp);
}

/* CUDA only works with images on the integrated GPU. */
static void use_integrated_gpu()
{
	struct cudaDeviceProp prop;
	int nr, i;

	MUST(!cudaGetDeviceCount(&nr));
	for (i = 0; i < nr; i++) {
		MUST(!cudaGetDeviceProperties(&prop, i));
		if (prop.integrated)
			break;
	}
	device = i;
	MUST(!cudaSetDevice(device));
	MUST(!cudaFree(0));
}

int main()
{
	const EGLint wanted[] = { EGL_SURFACE_TYPE, EGL_PBUFFER_BIT,
				  EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
				  EGL_NONE };
	EGLContext context;
	EGLConfig config;
	EGLint nr;

	std::setvbuf(stdout, NULL, _IOLBF, 0);
	display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
	MUST(eglInitialize(display, NULL, NULL));
	MUST(eglBindAPI(EGL_OPENGL_API));
	MUST(eglChooseConfig(display, wanted, &config, 1, &nr) && nr == 1);
	context = eglCreateContext(display, config, EGL_NO_CONTEXT, NULL);
	MUST(context != EGL_NO_CONTEXT);
	MUST(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context));
	use_integrated_gpu();
	stream_between_threads();
	image_with_waits();
	image_with_syncs();
	MUST(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE,
			    EGL_NO_CONTEXT));
	MUST(eglDestroyContext(display, context));
	MUST(eglTerminate(display));
	std::printf("1..%d\n", nr_tests);
	return nr_failed ? 1 : 0;
}
