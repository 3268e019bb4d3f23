// SPDX-License-Identifier: GPL-2.0-only
/* Tests images: locks of each kind, wrappers and their copies, and errors. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <nvbufsurface.h>
#include <vpi/algo/BoxFilter.h>

#include "test.h"

#define WIDTH	48
#define HEIGHT	20

static VPIImage new_image(VPIImageFormat format, uint64_t flags)
{
	VPIImage image = NULL;

	ok(vpiImageCreate(WIDTH, HEIGHT, format, flags, &image));
	assert_non_null(image);
	return image;
}

static struct mem_image_info info_of(VPIImage image)
{
	struct mem_image_info info = { .size = sizeof(info) };
	struct mem_image *mem;

	ok(heapsim_vpi_image(image, &mem));
	assert_int_equal(mem_image_info(mem, &info), 0);
	return info;
}

static void an_image_is_as_it_was_asked_for(void **state)
{
	VPIImageFormat format = VPI_IMAGE_FORMAT_INVALID;
	VPIImage image = new_image(VPI_IMAGE_FORMAT_NV12_ER, 0);
	uint64_t of_context;
	uint64_t flags = 0;
	VPIImageData data;
	int32_t height = 0;
	int32_t width = 0;

	(void)state;
	ok(vpiImageGetSize(image, &width, &height));
	assert_int_equal(width, WIDTH);
	assert_int_equal(height, HEIGHT);
	ok(vpiImageGetFormat(image, &format));
	assert_true(format == VPI_IMAGE_FORMAT_NV12_ER);
	ok(vpiImageGetFlags(image, &flags));
	ok(vpiContextGetFlags(VPI_GLOBAL_CONTEXT, &of_context));
	assert_int_equal(flags, of_context);
	assert_string_equal(info_of(image).name, "VPIImage NV12_ER 48x20");
	ok(vpiImageLockData(image, VPI_LOCK_READ,
			    VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, &data));
	assert_int_equal(data.bufferType, VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR);
	assert_true(data.buffer.pitch.format == VPI_IMAGE_FORMAT_NV12_ER);
	assert_int_equal(data.buffer.pitch.numPlanes, 2);
	assert_int_equal(data.buffer.pitch.planes[1].width, WIDTH / 2);
	assert_int_equal(data.buffer.pitch.planes[1].height, HEIGHT / 2);
	assert_true(data.buffer.pitch.planes[1].pixelType ==
		    VPI_PIXEL_TYPE_2U8);
	assert_int_equal(data.buffer.pitch.planes[0].pBase[0], 0);
	ok(vpiImageUnlock(image));
	vpiImageDestroy(image);
	/* Images may be destroyed twice, and NULL may be passed. */
	vpiImageDestroy(image);
	vpiImageDestroy(NULL);
}

/* Each kind of lock gives the same bytes. */
static void each_lock_has_the_same_memory(void **state)
{
	VPIImage image = new_image(VPI_IMAGE_FORMAT_U8, 0);
	struct mem_image_info info;
	VPIImageData data;
	VPIImage other;

	(void)state;
	image_fill(image);
	info = info_of(image);
	assert_int_equal(info.copies, MEM_WRAP_NO_COPY);
	ok(vpiImageLockData(image, VPI_LOCK_READ,
			    VPI_IMAGE_BUFFER_CUDA_PITCH_LINEAR, &data));
	assert_non_null(data.buffer.pitch.planes[0].pBase);
	assert_int_equal(data.buffer.pitch.planes[0].offsetBytes, 0);
	ok(vpiImageUnlock(image));

	ok(vpiImageLockData(image, VPI_LOCK_READ_WRITE,
			    VPI_IMAGE_BUFFER_NVSCIBUF, &data));
	assert_non_null(data.buffer.nvscibuf.buffer);
	assert_true(data.buffer.nvscibuf.format == VPI_IMAGE_FORMAT_U8);
	data.bufferType = VPI_IMAGE_BUFFER_NVSCIBUF;
	data.buffer.nvscibuf.format = VPI_IMAGE_FORMAT_INVALID;
	ok(vpiImageCreateWrapper(&data, NULL, 0, &other));
	ok(vpiImageUnlock(image));
	assert_int_equal(info_of(other).copies, MEM_WRAP_NO_COPY);
	ok(vpiImageLockData(other, VPI_LOCK_READ,
			    VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, &data));
	assert_int_equal(data.buffer.pitch.planes[0].pBase[5], pattern(5, 0));
	ok(vpiImageUnlock(other));
	vpiImageDestroy(image);
	vpiImageDestroy(other);
}

static void memory_of_the_program_is_no_surface(void **state)
{
	static const VPIImageBufferType types[] = {
		VPI_IMAGE_BUFFER_NVBUFFER, VPI_IMAGE_BUFFER_NVSCIBUF,
	};
	static unsigned char memory[64 * 64];
	VPIImageData data, locked;
	VPIImage image;
	size_t i;

	(void)state;
	memset(&data, 0, sizeof(data));
	data.bufferType = VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR;
	data.buffer.pitch.format = VPI_IMAGE_FORMAT_U8;
	data.buffer.pitch.numPlanes = 1;
	data.buffer.pitch.planes[0].width = 64;
	data.buffer.pitch.planes[0].height = 64;
	data.buffer.pitch.planes[0].pitchBytes = 64;
	data.buffer.pitch.planes[0].pBase = memory;
	/* Other engines would have a copy inside, which is an object. */
	ok(vpiImageCreateWrapper(&data, NULL, VPI_BACKEND_CPU, &image));
	for (i = 0; i < 2; i++)
		is(vpiImageLockData(image, VPI_LOCK_READ, types[i], &locked),
		   VPI_ERROR_INVALID_OPERATION, "wraps memory of the program");
	vpiImageDestroy(image);
}

static void a_surface_is_locked_on_thor(void **state)
{
	VPIImage image = new_image(VPI_IMAGE_FORMAT_NV12, 0);
	NvBufSurface *surf = NULL;
	VPIImageData data;
	void *found;

	(void)state;
	image_fill(image);
	if (!is_board("thor")) {
		is(vpiImageLockData(image, VPI_LOCK_READ,
				    VPI_IMAGE_BUFFER_NVBUFFER, &data),
		   VPI_ERROR_INVALID_OPERATION, "exports no surfaces");
		vpiImageDestroy(image);
		return;
	}
	ok(vpiImageLockData(image, VPI_LOCK_READ, VPI_IMAGE_BUFFER_NVBUFFER,
			    &data));
	assert_int_equal(NvBufSurfaceFromFd(data.buffer.fd, &found), 0);
	surf = found;
	assert_int_equal(surf->batchSize, 1);
	assert_int_equal(surf->surfaceList[0].colorFormat,
			 NVBUF_COLOR_FORMAT_NV12);
	assert_int_equal(surf->surfaceList[0].planeParams.num_planes, 2);
	assert_int_equal(surf->surfaceList[0].width, WIDTH);
	assert_int_equal(NvBufSurfaceMap(surf, 0, -1, NVBUF_MAP_READ), 0);
	assert_int_equal(NvBufSurfaceSyncForCpu(surf, 0, -1), 0);
	assert_int_equal(*((uint8_t *)surf->surfaceList[0].mappedAddr.addr[0] +
			   surf->surfaceList[0].planeParams.pitch[0] + 3),
			 pattern(3, 1));
	/* The lock is for reading. */
	assert_int_equal(NvBufSurfaceMap(surf, 0, 0, NVBUF_MAP_WRITE), -1);
	assert_int_equal(errno, EACCES);
	assert_int_equal(NvBufSurfaceUnMap(surf, 0, -1), 0);
	assert_int_equal(NvBufSurfaceMap(surf, 0, -1, NVBUF_MAP_READ_WRITE),
			 -1);
	assert_int_equal(errno, EACCES);
	/* The surface belongs to the image. */
	assert_int_equal(NvBufSurfaceDestroy(surf), -1);
	ok(vpiImageUnlock(image));
	assert_int_equal(NvBufSurfaceFromFd(data.buffer.fd, &found), -1);
	vpiImageDestroy(image);
}

static NvBufSurface *lock_surface(VPIImage image, VPILockMode mode)
{
	VPIImageData data;
	void *surf;

	ok(vpiImageLockData(image, mode, VPI_IMAGE_BUFFER_NVBUFFER, &data));
	assert_int_equal(NvBufSurfaceFromFd(data.buffer.fd, &surf), 0);
	return surf;
}

static void *lock_for_host(void *arg)
{
	VPIImageData data;

	ok(vpiImageLockData((VPIImage)arg, VPI_LOCK_READ,
			    VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, &data));
	return NULL;
}

/* This holds if another thread has locked it since, too. */
static void a_surface_goes_with_its_threads_lock(void **state)
{
	VPIImage image = new_image(VPI_IMAGE_FORMAT_NV12, 0);
	VPIImageData data;
	pthread_t thread;
	void *found;

	(void)state;
	if (is_board("thor")) {
		ok(vpiImageLockData(image, VPI_LOCK_READ,
				    VPI_IMAGE_BUFFER_NVBUFFER, &data));
		assert_int_equal(NvBufSurfaceFromFd(data.buffer.fd, &found), 0);
		pthread_create(&thread, NULL, lock_for_host, image);
		pthread_join(thread, NULL);
		ok(vpiImageUnlock(image));
		assert_int_equal(NvBufSurfaceFromFd(data.buffer.fd, &found),
				 -1);
		ok(vpiImageUnlock(image));
	}
	vpiImageDestroy(image);
}

/* A lock for reading gives read-only memory. */
static void a_surface_to_read_is_mapped_to_read(void **state)
{
	VPIImage image = new_image(VPI_IMAGE_FORMAT_NV12, 0), wrapper;
	VPIImageData data;
	struct mem_object *to_read;
	NvBufSurface *surf;
	void *found;

	(void)state;
	image_fill(image);
	ok(vpiImageLockData(image, VPI_LOCK_READ, VPI_IMAGE_BUFFER_NVSCIBUF,
			    &data));
	assert_int_equal(mem_object_restrict((struct mem_object *)
					     data.buffer.nvscibuf.buffer,
					     MEM_READ, &to_read), 0);
	ok(vpiImageUnlock(image));
	data.buffer.nvscibuf.buffer = (NvSciBufObj)to_read;
	ok(vpiImageCreateWrapper(&data, NULL, 0, &wrapper));
	if (is_board("thor")) {
		ok(vpiImageLockData(wrapper, VPI_LOCK_READ,
				    VPI_IMAGE_BUFFER_NVBUFFER, &data));
		assert_int_equal(NvBufSurfaceFromFd(data.buffer.fd, &found), 0);
		surf = found;
		assert_int_equal(NvBufSurfaceMap(surf, 0, -1,
						 NVBUF_MAP_READ_WRITE), -1);
		assert_int_equal(NvBufSurfaceMap(surf, 0, -1, NVBUF_MAP_READ),
				 0);
		assert_int_equal(*((uint8_t *)
				   surf->surfaceList[0].mappedAddr.addr[0] + 3),
				 pattern(3, 0));
		assert_int_equal(NvBufSurfaceMap(surf, 0, 0, NVBUF_MAP_WRITE),
				 -1);
		assert_int_equal(NvBufSurfaceUnMap(surf, 0, -1), 0);
		ok(vpiImageUnlock(wrapper));
	}
	vpiImageDestroy(wrapper);
	mem_object_put(to_read);
	vpiImageDestroy(image);
}

static void locks_exclude_each_other(void **state)
{
	VPIImage image = new_image(VPI_IMAGE_FORMAT_U8, 0);
	VPIImage other = new_image(VPI_IMAGE_FORMAT_U8, 0);
	VPIImageData data;
	VPIStream stream;

	(void)state;
	ok(vpiStreamCreate(0, &stream));
	is(vpiImageUnlock(image), VPI_ERROR_INVALID_OPERATION,
	   "vpiImageUnlock(): img is not locked");
	ok(vpiImageLockData(image, VPI_LOCK_READ,
			    VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, &data));
	ok(vpiImageLock(image, VPI_LOCK_READ));
	is(vpiImageLock(image, VPI_LOCK_WRITE), VPI_ERROR_BUFFER_LOCKED,
	   "excludes");
	is(vpiSubmitBoxFilter(stream, VPI_BACKEND_CPU, image, other, 3, 3,
			      VPI_BORDER_ZERO),
	   VPI_ERROR_BUFFER_LOCKED, "locked");
	ok(vpiImageUnlock(image));
	ok(vpiImageUnlock(image));
	ok(vpiImageLock(image, VPI_LOCK_READ_WRITE));
	is(vpiImageLock(image, VPI_LOCK_READ), VPI_ERROR_BUFFER_LOCKED,
	   "excludes");
	ok(vpiImageUnlock(image));
	ok(vpiSubmitBoxFilter(stream, VPI_BACKEND_CPU, image, other, 3, 3,
			      VPI_BORDER_ZERO));
	ok(vpiStreamSync(stream));
	vpiStreamDestroy(stream);
	vpiImageDestroy(image);
	vpiImageDestroy(other);
}

/* The error says that memory was unmapped, not only that a kernel failed. */
static void wrapped_memory_that_has_gone_is_found(void **state)
{
	const size_t len = 256 * HEIGHT;
	VPIImage wrapper, other = new_image(VPI_IMAGE_FORMAT_U8, 0);
	VPIImageData data, locked;
	VPIStream stream;
	void *memory;

	(void)state;
	memory = mmap(NULL, len, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	memset(&data, 0, sizeof(data));
	data.bufferType = VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR;
	data.buffer.pitch.format = VPI_IMAGE_FORMAT_U8;
	data.buffer.pitch.numPlanes = 1;
	data.buffer.pitch.planes[0].width = WIDTH;
	data.buffer.pitch.planes[0].height = HEIGHT;
	data.buffer.pitch.planes[0].pitchBytes = 256;
	data.buffer.pitch.planes[0].pBase = memory;
	ok(vpiStreamCreate(0, &stream));
	ok(vpiImageCreateWrapper(&data, NULL, 0, &wrapper));
	assert_int_equal(munmap(memory, len), 0);
	is(vpiImageLockData(wrapper, VPI_LOCK_READ,
			    VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, &locked),
	   VPI_ERROR_DEVICE, "wrapped memory is gone");
	is(vpiSubmitBoxFilter(stream, VPI_BACKEND_CUDA, wrapper, other, 3, 3,
			      VPI_BORDER_ZERO),
	   VPI_ERROR_DEVICE, "wrapped memory is gone");
	ok(vpiStreamSync(stream));
	vpiStreamDestroy(stream);
	vpiImageDestroy(wrapper);
	vpiImageDestroy(other);
}

/* Also after a lock that gives no pointers. Over the module nobody sees it. */
static void a_touch_after_any_unlock_is_found(void **state)
{
	struct mem_violation violation = { .size = sizeof(violation) };
	struct mem_probe probe = { .size = sizeof(probe) };
	VPIImage image = new_image(VPI_IMAGE_FORMAT_U8, 0);
	struct mem_ctx *ctx;
	VPIImageData data;

	(void)state;
	ok(heapsim_vpi_ctx(&ctx));
	assert_int_equal(mem_ctx_probe(ctx, &probe), 0);
	ok(vpiImageLockData(image, VPI_LOCK_WRITE,
			    VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, &data));
	ok(vpiImageUnlock(image));
	ok(vpiImageLock(image, VPI_LOCK_READ_WRITE));
	ok(vpiImageUnlock(image));
	if (probe.backend == MEM_BACKEND_EMBEDDED) {
		*(volatile uint8_t *)data.buffer.pitch.planes[0].pBase = 1;
		assert_int_equal(mem_ctx_next_violation(ctx, &violation), 1);
		assert_int_equal(violation.kind,
				 MEM_VIOLATION_UNLOCKED_ACCESS);
	}
	vpiImageDestroy(image);
}

static void a_lock_needs_its_backend(void **state)
{
	VPIImage cpu = new_image(VPI_IMAGE_FORMAT_U8, VPI_BACKEND_CPU);
	VPIImage gpu = new_image(VPI_IMAGE_FORMAT_U8, VPI_BACKEND_CUDA);
	VPIImageData data;
	uint64_t flags;

	(void)state;
	ok(vpiImageGetFlags(cpu, &flags));
	assert_int_equal(flags, VPI_BACKEND_CPU);
	is(vpiImageLockData(cpu, VPI_LOCK_READ,
			    VPI_IMAGE_BUFFER_CUDA_PITCH_LINEAR, &data),
	   VPI_ERROR_INVALID_OPERATION, "backend CUDA");
	is(vpiImageLockData(gpu, VPI_LOCK_READ,
			    VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, &data),
	   VPI_ERROR_INVALID_OPERATION, "backend CPU");
	vpiImageDestroy(cpu);
	vpiImageDestroy(gpu);
}

static void block_linear_pixels_have_no_pointers(void **state)
{
	VPIImageData data;
	VPIImage image;

	(void)state;
	if (vpiImageCreate(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_NV12_BL, 0,
			   &image)) {
		assert_int_equal(vpiGetLastStatus(),
				 VPI_ERROR_INVALID_OPERATION);
		skip_because("the board has no such images");
	}
	is(vpiImageLockData(image, VPI_LOCK_READ,
			    VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, &data),
	   VPI_ERROR_NOT_IMPLEMENTED, "block-linear");
	ok(vpiImageLockData(image, VPI_LOCK_READ, VPI_IMAGE_BUFFER_NVSCIBUF,
			    &data));
	ok(vpiImageUnlock(image));
	vpiImageDestroy(image);
}

static void wrong_arguments_are_refused(void **state)
{
	VPIImage image = new_image(VPI_IMAGE_FORMAT_U8, 0);
	VPIImageData data;
	VPIImage other = (VPIImage)&data;
	int32_t width;

	(void)state;
	memset(&data, 0, sizeof(data));
	is(vpiImageCreate(8, 8, VPI_IMAGE_FORMAT_U8, 0, NULL),
	   VPI_ERROR_INVALID_ARGUMENT, "img is NULL");
	is(vpiImageCreate(0, 8, VPI_IMAGE_FORMAT_U8, 0, &other),
	   VPI_ERROR_INVALID_ARGUMENT, "0x8");
	is(vpiImageCreate(8, 8, VPI_IMAGE_FORMAT_INVALID, 0, &other),
	   VPI_ERROR_INVALID_ARGUMENT, "");
	is(vpiImageCreate(8, 8, VPI_IMAGE_FORMAT_NV24, 0, &other),
	   VPI_ERROR_INVALID_IMAGE_FORMAT, "VPI_IMAGE_FORMAT_NV24");
	is(vpiImageCreate(8, 8, VPI_IMAGE_FORMAT_U8, 1ULL << 40, &other),
	   VPI_ERROR_INVALID_ARGUMENT, "flags 0x10000000000");
	is(vpiImageCreate(8, 8, VPI_IMAGE_FORMAT_U8, VPI_REQUIRE_BACKENDS,
			  &other),
	   VPI_ERROR_INVALID_ARGUMENT, "needs backends");
	is(vpiImageCreate(8, 8, VPI_IMAGE_FORMAT_U8,
			  VPI_REQUIRE_BACKENDS | VPI_BACKEND_OFA, &other),
	   VPI_ERROR_INVALID_OPERATION, "OFA");
	is(vpiImageCreate(8, 8, VPI_IMAGE_FORMAT_U8, VPI_BACKEND_OFA, &other),
	   VPI_ERROR_INVALID_OPERATION, "OFA");
	assert_ptr_equal(other, &data);
	is(vpiImageGetSize((VPIImage)&data, &width, &width),
	   VPI_ERROR_INVALID_ARGUMENT, "img is no image");
	is(vpiImageGetSize(NULL, &width, &width), VPI_ERROR_INVALID_ARGUMENT,
	   "img is NULL");
	is(vpiImageGetSize(image, NULL, &width), VPI_ERROR_INVALID_ARGUMENT,
	   "width is NULL");
	is(vpiImageGetFormat(image, NULL), VPI_ERROR_INVALID_ARGUMENT,
	   "format is NULL");
	is(vpiImageGetFlags(image, NULL), VPI_ERROR_INVALID_ARGUMENT,
	   "flags is NULL");
	is(vpiImageLockData(image, VPI_LOCK_READ,
			    VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, NULL),
	   VPI_ERROR_INVALID_ARGUMENT, "data is NULL");
	is(vpiImageLockData(image, (VPILockMode)4,
			    VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, &data),
	   VPI_ERROR_INVALID_ARGUMENT, "no lock mode 4");
	is(vpiImageLockData(image, VPI_LOCK_READ,
			    VPI_IMAGE_BUFFER_INVALID, &data),
	   VPI_ERROR_INVALID_ARGUMENT, "no buffer type 0");
	is(vpiImageLockData(image, VPI_LOCK_READ,
			    VPI_IMAGE_BUFFER_EGLIMAGE, &data),
	   VPI_ERROR_NOT_IMPLEMENTED, "VPI_IMAGE_BUFFER_EGLIMAGE");
	is(vpiImageLockData(image, VPI_LOCK_READ,
			    VPI_IMAGE_BUFFER_CUDA_ARRAY, &data),
	   VPI_ERROR_NOT_IMPLEMENTED, "VPI_IMAGE_BUFFER_CUDA_ARRAY");
	is(vpiImageSetWrapper(image, &data), VPI_ERROR_INVALID_OPERATION,
	   "vpiImageCreateWrapper()");
	is(vpiInitImageWrapperParams(NULL), VPI_ERROR_INVALID_ARGUMENT,
	   "params is NULL");
	vpiImageDestroy(image);
	is(vpiImageLock(image, VPI_LOCK_READ), VPI_ERROR_INVALID_ARGUMENT,
	   "destroyed");
}

/* Wrappers */

static void host_data(uint8_t *memory, int32_t pitch, VPIImageData *data)
{
	memset(data, 0, sizeof(*data));
	data->bufferType = VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR;
	data->buffer.pitch.format = VPI_IMAGE_FORMAT_U8;
	data->buffer.pitch.numPlanes = 1;
	data->buffer.pitch.planes[0].width = WIDTH;
	data->buffer.pitch.planes[0].height = HEIGHT;
	data->buffer.pitch.planes[0].pitchBytes = pitch;
	data->buffer.pitch.planes[0].pBase = memory;
}

/* Checks the copies of a wrapper, and the result of a filter into it. */
static void wrapper_check(const VPIImageData *data, uint64_t flags,
			  uint64_t backend, unsigned int copies,
			  uint64_t nr_copies)
{
	VPIImage input = new_image(VPI_IMAGE_FORMAT_U8, 0);
	VPIImage image = NULL;
	VPIStream stream;

	ok(vpiStreamCreate(0, &stream));
	ok(vpiImageCreateWrapper(data, NULL, flags, &image));
	assert_int_equal(info_of(image).is_wrapper, 1);
	assert_int_equal(info_of(image).copies, copies);
	image_fill(input);
	ok(vpiSubmitBoxFilter(stream, backend, input, image, 1, 1,
			      VPI_BORDER_ZERO));
	ok(vpiStreamSync(stream));
	ok(vpiImageLock(image, VPI_LOCK_READ));
	ok(vpiImageUnlock(image));
	assert_int_equal(info_of(image).nr_copies, nr_copies);
	vpiStreamDestroy(stream);
	vpiImageDestroy(input);
	vpiImageDestroy(image);
}

static void host_memory_is_copied_for_engines(void **state)
{
	const bool has_all = board_of().has_pageable_access;
	uint8_t *memory = calloc(64, HEIGHT);
	VPIImageData data;

	(void)state;
	assert_non_null(memory);
	host_data(memory, 64, &data);
	wrapper_check(&data, VPI_BACKEND_CPU, VPI_BACKEND_CPU,
		      MEM_WRAP_NO_COPY, 0);
	assert_int_equal(memory[64 + 7], pattern(7, 1));
	assert_int_equal(memory[WIDTH], 0);
	memset(memory, 0, (size_t)64 * HEIGHT);
	wrapper_check(&data, VPI_BACKEND_CPU | VPI_BACKEND_CUDA,
		      VPI_BACKEND_CUDA,
		      has_all ? MEM_WRAP_NO_COPY : MEM_WRAP_PAGEABLE,
		      has_all ? 0 : 1);
	assert_int_equal(memory[64 + 7], pattern(7, 1));
	assert_int_equal(memory[WIDTH], 0);
	free(memory);
}

static void device_memory_is_copied_for_the_cpu(void **state)
{
	struct mem_ctx *ctx;
	VPIImageData data;
	void *memory;

	(void)state;
	ok(heapsim_vpi_ctx(&ctx));
	assert_int_equal(mem_alloc(ctx, MEM_KIND_MANAGED, 256 * HEIGHT,
				   MEM_ATTACH_GLOBAL, &memory), 0);
	host_data(memory, 256, &data);
	data.bufferType = VPI_IMAGE_BUFFER_CUDA_PITCH_LINEAR;
	wrapper_check(&data, 0, VPI_BACKEND_CUDA, MEM_WRAP_NO_COPY, 0);
	assert_int_equal(((uint8_t *)memory)[256 + 7], pattern(7, 1));
	assert_int_equal(mem_free(ctx, memory), 0);

	assert_int_equal(mem_alloc(ctx, MEM_KIND_PINNED, 256 * HEIGHT, 0,
				   &memory), 0);
	host_data(memory, 256, &data);
	data.bufferType = VPI_IMAGE_BUFFER_CUDA_PITCH_LINEAR;
	wrapper_check(&data, 0, VPI_BACKEND_CUDA, MEM_WRAP_NO_COPY, 0);
	assert_int_equal(mem_free(ctx, memory), 0);

	assert_int_equal(mem_alloc(ctx, MEM_KIND_DEVICE, 256 * HEIGHT, 0,
				   &memory), 0);
	host_data(memory, 256, &data);
	data.bufferType = VPI_IMAGE_BUFFER_CUDA_PITCH_LINEAR;
	wrapper_check(&data, VPI_BACKEND_CUDA, VPI_BACKEND_CUDA,
		      MEM_WRAP_NO_COPY, 0);
	wrapper_check(&data, VPI_BACKEND_CUDA | VPI_BACKEND_CPU,
		      VPI_BACKEND_CUDA, MEM_WRAP_NO_HOST, 0);
	assert_int_equal(mem_free(ctx, memory), 0);
}

static void a_surface_is_wrapped_as_it_is(void **state)
{
	NvBufSurfaceCreateParams params = {
		.width = WIDTH, .height = HEIGHT,
		.colorFormat = NVBUF_COLOR_FORMAT_NV12,
		.layout = NVBUF_LAYOUT_PITCH,
		.memType = NVBUF_MEM_SURFACE_ARRAY,
	};
	VPIImageFormat format;
	NvBufSurface *surf;
	VPIImageData data;
	VPIImage image;

	(void)state;
	assert_int_equal(NvBufSurfaceCreate(&surf, 1, &params), 0);
	memset(&data, 0, sizeof(data));
	data.bufferType = VPI_IMAGE_BUFFER_NVBUFFER;
	data.buffer.fd = (int)surf->surfaceList[0].bufferDesc;
	ok(vpiImageCreateWrapper(&data, NULL, 0, &image));
	ok(vpiImageGetFormat(image, &format));
	assert_true(format == VPI_IMAGE_FORMAT_NV12);
	assert_int_equal(info_of(image).copies, MEM_WRAP_NO_COPY);
	image_fill(image);
	assert_int_equal(NvBufSurfaceMap(surf, 0, 0, NVBUF_MAP_READ), 0);
	assert_int_equal(NvBufSurfaceSyncForCpu(surf, 0, 0), 0);
	assert_int_equal(*((uint8_t *)surf->surfaceList[0].mappedAddr.addr[0] +
			   9), pattern(9, 0));
	assert_int_equal(NvBufSurfaceUnMap(surf, 0, 0), 0);
	vpiImageDestroy(image);
	assert_int_equal(NvBufSurfaceDestroy(surf), 0);
	is(vpiImageCreateWrapper(&data, NULL, 0, &image),
	   VPI_ERROR_INVALID_ARGUMENT, "no NvBufSurface");
}

static void a_wrapper_can_wrap_other_memory(void **state)
{
	uint8_t *memory = calloc(2 * 64, HEIGHT);
	VPIImageData data;
	VPIImage image;

	(void)state;
	assert_non_null(memory);
	host_data(memory, 64, &data);
	ok(vpiImageCreateWrapper(&data, NULL, VPI_BACKEND_CPU, &image));
	data.buffer.pitch.planes[0].pBase = memory + 64 * HEIGHT;
	ok(vpiImageLock(image, VPI_LOCK_READ));
	is(vpiImageSetWrapper(image, &data), VPI_ERROR_INVALID_OPERATION,
	   "locked");
	ok(vpiImageUnlock(image));
	ok(vpiImageSetWrapper(image, &data));
	image_fill(image);
	assert_int_equal(memory[64 + 7], 0);
	assert_int_equal(memory[64 * HEIGHT + 64 + 7], pattern(7, 1));
	data.buffer.pitch.planes[0].width = WIDTH - 1;
	is(vpiImageSetWrapper(image, &data), VPI_ERROR_INVALID_ARGUMENT,
	   "size");
	data.bufferType = VPI_IMAGE_BUFFER_CUDA_PITCH_LINEAR;
	is(vpiImageSetWrapper(image, &data), VPI_ERROR_INVALID_ARGUMENT,
	   "another type");
	vpiImageDestroy(image);
	free(memory);
}

/* The colour spec of a wrapper's creation also applies to later memory. */
static void other_memory_has_the_same_colours(void **state)
{
	uint8_t memory[64 * HEIGHT];
	VPIImageWrapperParams params = { VPI_COLOR_SPEC_BT601_ER };
	VPIImageFormat format;
	VPIImageData data;
	VPIImage image;

	(void)state;
	host_data(memory, 64, &data);
	data.buffer.pitch.format = VPI_IMAGE_FORMAT_Y8;
	ok(vpiImageCreateWrapper(&data, &params, VPI_BACKEND_CPU, &image));
	ok(vpiImageSetWrapper(image, &data));
	ok(vpiImageGetFormat(image, &format));
	assert_true(format == VPI_IMAGE_FORMAT_Y8_ER);
	vpiImageDestroy(image);
}

static NvBufSurface *new_surface(NvBufSurfaceColorFormat format,
				 VPIImageData *data)
{
	NvBufSurfaceCreateParams params = {
		.width = WIDTH, .height = HEIGHT, .colorFormat = format,
		.layout = NVBUF_LAYOUT_PITCH,
		.memType = NVBUF_MEM_SURFACE_ARRAY,
	};
	NvBufSurface *surf;

	assert_int_equal(NvBufSurfaceCreate(&surf, 1, &params), 0);
	memset(data, 0, sizeof(*data));
	data->bufferType = VPI_IMAGE_BUFFER_NVBUFFER;
	data->buffer.fd = (int)surf->surfaceList[0].bufferDesc;
	return surf;
}

/* The memory says BT.601 of limited range, and BT.709. */
static void a_spec_overrides_that_of_a_surface(void **state)
{
	const NvBufSurfaceColorFormat formats[] = {
		NVBUF_COLOR_FORMAT_NV12, NVBUF_COLOR_FORMAT_NV12_709,
	};
	const VPIRectangleI clip = { 0, 0, 8, 8 };
	VPIImageWrapperParams params = { VPI_COLOR_SPEC_BT601_ER };
	NvBufSurface *surfs[2], *locked;
	VPIImage image, view;
	VPIImageFormat format;
	VPIImageData data[2];
	int i;

	(void)state;
	for (i = 0; i < 2; i++)
		surfs[i] = new_surface(formats[i], &data[i]);
	for (i = 0; i < 2; i++) {
		ok(vpiImageCreateWrapper(&data[i], &params,
					 VPI_BACKEND_CPU | VPI_BACKEND_CUDA,
					 &image));
		ok(vpiImageGetFormat(image, &format));
		assert_true(format == VPI_IMAGE_FORMAT_NV12_ER);
		assert_int_equal(info_of(image).format, MEM_FORMAT_NV12_ER);
		ok(vpiImageSetWrapper(image, &data[!i]));
		ok(vpiImageCreateView(image, &clip, 0, &view));
		vpiImageDestroy(view);
		if (is_board("thor")) {
			locked = lock_surface(image, VPI_LOCK_READ_WRITE);
			assert_int_equal(locked->surfaceList[0].colorFormat,
					 NVBUF_COLOR_FORMAT_NV12_ER);
			assert_int_equal(NvBufSurfaceMemSet(locked, 0, 0, 5),
					 0);
			ok(vpiImageUnlock(image));
		}
		vpiImageDestroy(image);
	}
	is(vpiImageCreateWrapper(&data[1], NULL, 0, &image),
	   VPI_ERROR_INVALID_IMAGE_FORMAT, "name the format, or a colorSpec");
	params.colorSpec = VPI_COLOR_SPEC_BT2020;
	is(vpiImageCreateWrapper(&data[1], &params, 0, &image),
	   VPI_ERROR_INVALID_IMAGE_FORMAT, "VPI_IMAGE_FORMAT_0x");
	for (i = 0; i < 2; i++)
		assert_int_equal(NvBufSurfaceDestroy(surfs[i]), 0);
}

static void a_spec_overrides_that_of_an_object(void **state)
{
	VPIImageWrapperParams params = { VPI_COLOR_SPEC_BT601_ER };
	VPIImage image = new_image(VPI_IMAGE_FORMAT_NV12, 0), wrapper;
	VPIImageFormat format;
	VPIImageData data;
	int i;

	(void)state;
	ok(vpiImageLockData(image, VPI_LOCK_READ, VPI_IMAGE_BUFFER_NVSCIBUF,
			    &data));
	for (i = 0; i < 2; i++) {
		ok(vpiImageCreateWrapper(&data, &params, 0, &wrapper));
		ok(vpiImageGetFormat(wrapper, &format));
		assert_true(format == VPI_IMAGE_FORMAT_NV12_ER);
		vpiImageDestroy(wrapper);
		data.buffer.nvscibuf.format = VPI_IMAGE_FORMAT_INVALID;
	}
	ok(vpiImageCreateWrapper(&data, NULL, 0, &wrapper));
	ok(vpiImageGetFormat(wrapper, &format));
	assert_true(format == VPI_IMAGE_FORMAT_NV12);
	vpiImageDestroy(wrapper);
	ok(vpiImageUnlock(image));
	vpiImageDestroy(image);
}

static void a_plane_has_the_name_of_vpi_3(void **state)
{
	uint8_t *memory = malloc(64 * HEIGHT);
	VPIImageData data;
	VPIImage image;

	(void)state;
	memset(memory, 7, 64 * HEIGHT);
	memset(&data, 0, sizeof(data));
	data.bufferType = VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR;
	data.buffer.pitch.format = VPI_IMAGE_FORMAT_U8;
	data.buffer.pitch.numPlanes = 1;
	data.buffer.pitch.planes[0].width = WIDTH;
	data.buffer.pitch.planes[0].height = HEIGHT;
	data.buffer.pitch.planes[0].pitchBytes = 64;
	data.buffer.pitch.planes[0].data = memory;
	ok(vpiImageCreateWrapper(&data, NULL, 0, &image));
	memset(&data, 0xff, sizeof(data));
	ok(vpiImageLockData(image, VPI_LOCK_READ,
			    VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, &data));
	assert_int_equal(data.buffer.pitch.planes[0].offsetBytes, 0);
	assert_int_equal(*(uint8_t *)data.buffer.pitch.planes[0].data, 7);
	ok(vpiImageUnlock(image));
	vpiImageDestroy(image);
	free(memory);
}

static void wrong_wrappers_are_refused(void **state)
{
	uint8_t memory[64 * HEIGHT];
	VPIImageWrapperParams params;
	VPIImageData data;
	VPIImage image;

	(void)state;
	ok(vpiInitImageWrapperParams(&params));
	assert_int_equal(params.colorSpec, VPI_COLOR_SPEC_DEFAULT);
	host_data(memory, 64, &data);
	is(vpiImageCreateWrapper(NULL, NULL, 0, &image),
	   VPI_ERROR_INVALID_ARGUMENT, "data is NULL");
	is(vpiImageCreateWrapper(&data, NULL, 0, NULL),
	   VPI_ERROR_INVALID_ARGUMENT, "img is NULL");
	data.buffer.pitch.numPlanes = 2;
	is(vpiImageCreateWrapper(&data, NULL, 0, &image),
	   VPI_ERROR_INVALID_ARGUMENT, "numPlanes is 2");
	host_data(NULL, 64, &data);
	is(vpiImageCreateWrapper(&data, NULL, 0, &image),
	   VPI_ERROR_INVALID_ARGUMENT, "pBase is NULL");
	host_data(memory, WIDTH - 1, &data);
	is(vpiImageCreateWrapper(&data, NULL, VPI_BACKEND_CPU, &image),
	   VPI_ERROR_INVALID_ARGUMENT, "");
	host_data(memory, 64, &data);
	data.buffer.pitch.planes[0].pixelType = VPI_PIXEL_TYPE_U16;
	is(vpiImageCreateWrapper(&data, NULL, 0, &image),
	   VPI_ERROR_INVALID_ARGUMENT, "pixelType");
	host_data(memory, 64, &data);
	/* As a program of VPI 3 leaves it */
	data.buffer.pitch.planes[0].offsetBytes = -1;
	is(vpiImageCreateWrapper(&data, NULL, 0, &image),
	   VPI_ERROR_INVALID_ARGUMENT, "planes[0].offsetBytes is -1");
	data.buffer.pitch.planes[0].offsetBytes = 0x7f0012345678;
	is(vpiImageCreateWrapper(&data, NULL, 0, &image),
	   VPI_ERROR_INVALID_ARGUMENT, "zero a VPIImageData");
	host_data(memory, 64, &data);
	data.bufferType = VPI_IMAGE_BUFFER_NVSCIBUF;
	data.buffer.nvscibuf.buffer = NULL;
	is(vpiImageCreateWrapper(&data, NULL, 0, &image),
	   VPI_ERROR_INVALID_ARGUMENT, "buffer is NULL");
	data.bufferType = VPI_IMAGE_BUFFER_NVBUFFER;
	data.buffer.fd = STDERR_FILENO;
	is(vpiImageCreateWrapper(&data, NULL, 0, &image),
	   VPI_ERROR_INVALID_ARGUMENT, "descriptor 2 is no NvBufSurface");
}

static void planes_of(uint8_t *luma, uint8_t *chroma, VPIImageData *data)
{
	VPIImagePlanePitchLinear *planes = data->buffer.pitch.planes;

	host_data(luma, 64, data);
	data->buffer.pitch.format = VPI_IMAGE_FORMAT_NV12;
	data->buffer.pitch.numPlanes = 2;
	planes[1].width = (WIDTH + 1) / 2;
	planes[1].height = (HEIGHT + 1) / 2;
	planes[1].pitchBytes = 64;
	planes[1].pBase = chroma;
}

static void wrong_planes_are_named(void **state)
{
	static uint8_t memory[2 * 64 * HEIGHT];
	VPIImagePlanePitchLinear *planes;
	struct mem_ctx *ctx;
	VPIImageData data;
	VPIImage image;
	void *device;

	(void)state;
	planes = data.buffer.pitch.planes;
	host_data(memory, WIDTH - 1, &data);
	is(vpiImageCreateWrapper(&data, NULL, 0, &image),
	   VPI_ERROR_INVALID_ARGUMENT, "planes[0].pitchBytes is");
	planes[0].pitchBytes = WIDTH;
	planes[0].width = MEM_IMAGE_MAX + 1;
	is(vpiImageCreateWrapper(&data, NULL, 0, &image),
	   VPI_ERROR_INVALID_ARGUMENT, "planes[0] is 16385x");
	planes_of(memory, memory + 64 * HEIGHT, &data);
	ok(vpiImageCreateWrapper(&data, NULL, VPI_BACKEND_CPU, &image));
	planes[1].pBase = memory + 64 * (HEIGHT - 1);
	is(vpiImageSetWrapper(image, &data), VPI_ERROR_INVALID_ARGUMENT,
	   "planes overlap");
	vpiImageDestroy(image);
	is(vpiImageCreateWrapper(&data, NULL, 0, &image),
	   VPI_ERROR_INVALID_ARGUMENT, "planes overlap");
	planes[1].width = WIDTH;
	is(vpiImageCreateWrapper(&data, NULL, 0, &image),
	   VPI_ERROR_INVALID_ARGUMENT, "that of VPI_IMAGE_FORMAT_NV12 is");

	host_data(memory, 64, &data);
	data.bufferType = VPI_IMAGE_BUFFER_CUDA_PITCH_LINEAR;
	if (!board_of().has_pageable_access)
		is(vpiImageCreateWrapper(&data, NULL, 0, &image),
		   VPI_ERROR_INVALID_ARGUMENT,
		   "planes[0].pBase is no memory of CUDA");
	ok(heapsim_vpi_ctx(&ctx));
	assert_int_equal(mem_alloc(ctx, MEM_KIND_DEVICE, 64 * (HEIGHT - 1), 0,
				   &device), 0);
	planes[0].pBase = device;
	is(vpiImageCreateWrapper(&data, NULL, 0, &image),
	   VPI_ERROR_INVALID_ARGUMENT, "planes[0] ends behind its allocation");
	assert_int_equal(mem_free(ctx, device), 0);
}

static void an_object_without_the_planes_is_named(void **state)
{
	VPIImage image = new_image(VPI_IMAGE_FORMAT_NV12, 0), wrapper;
	VPIImageData data;

	(void)state;
	ok(vpiImageLockData(image, VPI_LOCK_READ, VPI_IMAGE_BUFFER_NVSCIBUF,
			    &data));
	data.buffer.nvscibuf.format = VPI_IMAGE_FORMAT_NV12_ER;
	is(vpiImageCreateWrapper(&data, NULL, 0, &wrapper),
	   VPI_ERROR_INVALID_ARGUMENT, "the range of VPI_IMAGE_FORMAT_NV12_ER");
	data.buffer.nvscibuf.format = VPI_IMAGE_FORMAT_U8;
	is(vpiImageCreateWrapper(&data, NULL, 0, &wrapper),
	   VPI_ERROR_INVALID_ARGUMENT, "planes and the range");
	ok(vpiImageUnlock(image));
	vpiImageDestroy(image);
}

static void pyramids_are_missing(void **state)
{
	VPIPyramid pyramid;

	(void)state;
	is(vpiPyramidCreate(8, 8, VPI_IMAGE_FORMAT_U8, 2, 0.5f, 0, &pyramid),
	   VPI_ERROR_NOT_IMPLEMENTED, "vpiPyramidCreate()");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(an_image_is_as_it_was_asked_for,
					  no_violation),
		cmocka_unit_test_teardown(each_lock_has_the_same_memory,
					  no_violation),
		cmocka_unit_test_teardown(memory_of_the_program_is_no_surface,
					  no_violation),
		cmocka_unit_test_teardown(a_surface_is_locked_on_thor,
					  no_violation),
		cmocka_unit_test_teardown(a_surface_goes_with_its_threads_lock,
					  no_violation),
		cmocka_unit_test_teardown(a_surface_to_read_is_mapped_to_read,
					  no_violation),
		cmocka_unit_test_teardown(locks_exclude_each_other,
					  no_violation),
		cmocka_unit_test_teardown(wrapped_memory_that_has_gone_is_found,
					  no_violation),
		cmocka_unit_test_teardown(a_touch_after_any_unlock_is_found,
					  no_violation),
		cmocka_unit_test_teardown(a_lock_needs_its_backend,
					  no_violation),
		cmocka_unit_test_teardown(block_linear_pixels_have_no_pointers,
					  no_violation),
		cmocka_unit_test_teardown(wrong_arguments_are_refused,
					  no_violation),
		cmocka_unit_test_teardown(host_memory_is_copied_for_engines,
					  no_violation),
		cmocka_unit_test_teardown(device_memory_is_copied_for_the_cpu,
					  no_violation),
		cmocka_unit_test_teardown(a_surface_is_wrapped_as_it_is,
					  no_violation),
		cmocka_unit_test_teardown(a_wrapper_can_wrap_other_memory,
					  no_violation),
		cmocka_unit_test_teardown(other_memory_has_the_same_colours,
					  no_violation),
		cmocka_unit_test_teardown(a_spec_overrides_that_of_a_surface,
					  no_violation),
		cmocka_unit_test_teardown(a_spec_overrides_that_of_an_object,
					  no_violation),
		cmocka_unit_test_teardown(a_plane_has_the_name_of_vpi_3,
					  no_violation),
		cmocka_unit_test_teardown(wrong_wrappers_are_refused,
					  no_violation),
		cmocka_unit_test(wrong_planes_are_named),
		cmocka_unit_test(an_object_without_the_planes_is_named),
		cmocka_unit_test(pyramids_are_missing),
	};

	return cmocka_run_group_tests_name("vpi image", tests, watch, NULL);
}
