// SPDX-License-Identifier: GPL-2.0-only
/* Images of textures and dma-bufs; contexts; textures. */
#include <drm_fourcc.h>

#include "gl.h"

static unsigned char pixels[FRAME_LEN];

static GLuint new_texture(unsigned char value)
{
	GLuint name;

	memset(pixels, value, sizeof(pixels));
	glGenTextures(1, &name);
	glBindTexture(GL_TEXTURE_2D, name);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, WIDTH, HEIGHT, 0, GL_RGBA,
		     GL_UNSIGNED_BYTE, pixels);
	assert_int_equal(glGetError(), GL_NO_ERROR);
	return name;
}

static EGLImageKHR image_of(GLuint name)
{
	EGLImageKHR image;

	image = eglCreateImageKHR(display, context, EGL_GL_TEXTURE_2D_KHR,
				  (EGLClientBuffer)(uintptr_t)name, NULL);
	assert_non_null(image);
	return image;
}

static void check_pixels(unsigned char value)
{
	unsigned int i;

	for (i = 0; i < sizeof(pixels); i++)
		assert_int_equal(pixels[i], value);
}

static void read_texture(void)
{
	glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
	assert_int_equal(glGetError(), GL_NO_ERROR);
}

static void a_texture_keeps_its_pixels(void **state)
{
	GLuint name = new_texture(3);
	const uint32_t one = 0x09090909;

	(void)state;
	memset(pixels, 0, sizeof(pixels));
	read_texture();
	check_pixels(3);
	glTexSubImage2D(GL_TEXTURE_2D, 0, 1, 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE,
			&one);
	read_texture();
	assert_memory_equal(pixels + (2 * WIDTH + 1) * 4, &one, sizeof(one));
	assert_int_equal(pixels[(2 * WIDTH + 2) * 4], 3);
	assert_int_equal(pixels[2 * WIDTH * 4], 3);
	glDeleteTextures(1, &name);
	assert_false(glIsTexture(name));
	assert_int_equal(glGetError(), GL_NO_ERROR);
}

static void a_texture_is_copied_in_order(void **state)
{
	GLuint from = new_texture(3), to = new_texture(4);

	(void)state;
	glCopyImageSubData(from, GL_TEXTURE_2D, 0, 0, 0, 0, to, GL_TEXTURE_2D,
			   0, 1, 2, 0, 1, 1, 1);
	/* The new texture is the bound one. */
	read_texture();
	assert_int_equal(pixels[(2 * WIDTH + 1) * 4], 3);
	assert_int_equal(pixels[(2 * WIDTH + 2) * 4], 4);
	assert_int_equal(pixels[2 * WIDTH * 4], 4);
	glCopyImageSubData(from, GL_TEXTURE_2D, 0, 0, 0, 0, to, GL_TEXTURE_2D,
			   0, 0, 0, 0, WIDTH, HEIGHT, 1);
	read_texture();
	check_pixels(3);
	glCopyImageSubData(from, GL_TEXTURE_2D, 0, 1, 0, 0, to, GL_TEXTURE_2D,
			   0, 0, 0, 0, WIDTH, HEIGHT, 1);
	assert_int_equal(glGetError(), GL_INVALID_VALUE);
	glCopyImageSubData(from, GL_TEXTURE_2D, 1, 0, 0, 0, to, GL_TEXTURE_2D,
			   0, 0, 0, 0, 1, 1, 1);
	assert_int_equal(glGetError(), GL_INVALID_VALUE);
	glCopyImageSubData(from, GL_TEXTURE_3D, 0, 0, 0, 0, to, GL_TEXTURE_2D,
			   0, 0, 0, 0, 1, 1, 1);
	assert_int_equal(glGetError(), GL_INVALID_ENUM);
	glDeleteTextures(1, &to);
	glCopyImageSubData(from, GL_TEXTURE_2D, 0, 0, 0, 0, to, GL_TEXTURE_2D,
			   0, 0, 0, 0, 1, 1, 1);
	assert_int_equal(glGetError(), GL_INVALID_VALUE);
	glDeleteTextures(1, &from);
	assert_int_equal(glGetError(), GL_NO_ERROR);
}

/* As the real call does: only the length of a pixel matters. */
static void a_copy_may_change_the_format(void **state)
{
	GLuint names[2], from = new_texture(3);

	(void)state;
	glGenTextures(2, names);
	glCopyImageSubData(from, GL_TEXTURE_2D, 0, 0, 0, 0, names[0],
			   GL_TEXTURE_2D, 0, 0, 0, 0, 1, 1, 1);
	assert_int_equal(glGetError(), GL_INVALID_OPERATION);
	glBindTexture(GL_TEXTURE_2D, names[0]);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RG, WIDTH, HEIGHT, 0, GL_RG,
		     GL_UNSIGNED_BYTE, NULL);
	glCopyImageSubData(from, GL_TEXTURE_2D, 0, 0, 0, 0, names[0],
			   GL_TEXTURE_2D, 0, 0, 0, 0, 1, 1, 1);
	assert_int_equal(glGetError(), GL_INVALID_OPERATION);
	glBindTexture(GL_TEXTURE_2D, names[1]);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_R32F, WIDTH, HEIGHT, 0, GL_RED,
		     GL_FLOAT, NULL);
	glCopyImageSubData(from, GL_TEXTURE_2D, 0, 0, 0, 0, names[1],
			   GL_TEXTURE_2D, 0, 0, 0, 0, WIDTH, HEIGHT, 1);
	assert_int_equal(glGetError(), GL_NO_ERROR);
	memset(pixels, 0, sizeof(pixels));
	glGetTexImage(GL_TEXTURE_2D, 0, GL_RED, GL_FLOAT, pixels);
	assert_int_equal(glGetError(), GL_NO_ERROR);
	check_pixels(3);
	glDeleteTextures(2, names);
	glDeleteTextures(1, &from);
}

static void a_wrong_texture_call_is_an_error(void **state)
{
	GLuint name = new_texture(0);

	(void)state;
	glTexImage2D(GL_TEXTURE_1D, 0, GL_RGBA, 1, 1, 0, GL_RGBA,
		     GL_UNSIGNED_BYTE, NULL);
	assert_int_equal(glGetError(), GL_INVALID_ENUM);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, -1, 1, 0, GL_RGBA,
		     GL_UNSIGNED_BYTE, NULL);
	assert_int_equal(glGetError(), GL_INVALID_VALUE);
	glTexSubImage2D(GL_TEXTURE_2D, 0, 1, 0, WIDTH, 1, GL_RGBA,
			GL_UNSIGNED_BYTE, pixels);
	assert_int_equal(glGetError(), GL_INVALID_VALUE);
	glGetTexImage(GL_TEXTURE_2D, 0, GL_RED, GL_UNSIGNED_BYTE, pixels);
	assert_int_equal(glGetError(), GL_INVALID_OPERATION);
	glBindTexture(GL_TEXTURE_2D, 0);
	glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
	assert_int_equal(glGetError(), GL_INVALID_OPERATION);
	assert_int_equal(glGetError(), GL_NO_ERROR);
	glDeleteTextures(1, &name);
}

static void cuda_sees_a_texture_as_an_array(void **state)
{
	GLuint name = new_texture(5);
	EGLImageKHR image = image_of(name);
	cudaGraphicsResource_t resource;
	struct cudaExtent extent;
	cudaEglFrame frame;
	cudaArray_t array;

	(void)state;
	glFinish();
	ok(cudaGraphicsEGLRegisterImage(&resource, image,
					cudaGraphicsRegisterFlagsNone));
	ok(cudaGraphicsMapResources(1, &resource, NULL));
	ok(cudaGraphicsResourceGetMappedEglFrame(&frame, resource, 0, 0));
	assert_int_equal(frame.frameType, cudaEglFrameTypeArray);
	assert_int_equal(frame.eglColorFormat, cudaEglColorFormatABGR);
	ok(cudaGraphicsSubResourceGetMappedArray(&array, resource, 0, 0));
	assert_ptr_equal(array, frame.frame.pArray[0]);
	ok(cudaArrayGetInfo(NULL, &extent, NULL, array));
	assert_int_equal(extent.width, WIDTH);
	assert_int_equal(extent.height, HEIGHT);
	memset(pixels, 6, sizeof(pixels));
	ok(cudaMemcpy2DToArray(array, 0, 0, pixels, WIDTH * 4, WIDTH * 4,
			       HEIGHT, cudaMemcpyHostToDevice));
	memset(pixels, 0, sizeof(pixels));
	read_texture();
	check_pixels(6);
	ok(cudaGraphicsUnmapResources(1, &resource, NULL));
	/* The memory stays until the last user has gone. */
	egl_ok(eglDestroyImageKHR(display, image));
	glDeleteTextures(1, &name);
	memset(pixels, 0, sizeof(pixels));
	ok(cudaMemcpy2DFromArray(pixels, WIDTH * 4, array, 0, 0, WIDTH * 4,
				 HEIGHT, cudaMemcpyDeviceToHost));
	check_pixels(6);
	ok(cudaGraphicsUnregisterResource(resource));
	assert_int_equal(cudaGraphicsUnregisterResource(resource),
			 cudaErrorInvalidResourceHandle);
}

static void an_image_can_be_of_another_context(void **state)
{
	GLuint name = new_texture(8);
	EGLImageKHR image = image_of(name);
	CUgraphicsResource resource;
	CUDA_MEMCPY3D copy = { 0 };
	CUresult rc;
	CUcontext ctx;
	int device;

	(void)state;
	glFinish();
	ok(cudaGetDevice(&device));
	cu_ok(cuCtxCreate(&ctx, NULL, 0, device));
	rc = cuGraphicsEGLRegisterImage(&resource, image, 0);
	assert_int_equal(rc, is_embedded() ? CUDA_SUCCESS :
					     CUDA_ERROR_NOT_SUPPORTED);
	if (!rc) {
		cu_ok(cuGraphicsSubResourceGetMappedArray(&copy.srcArray,
							  resource, 0, 0));
		memset(pixels, 0, sizeof(pixels));
		copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
		copy.dstMemoryType = CU_MEMORYTYPE_HOST;
		copy.dstHost = pixels;
		copy.WidthInBytes = WIDTH * 4;
		copy.Height = HEIGHT;
		copy.Depth = 1;
		cu_ok(cuMemcpy3D(&copy));
		check_pixels(8);
		cu_ok(cuGraphicsUnregisterResource(resource));
	}
	cu_ok(cuCtxDestroy(ctx));
	ok(cudaSetDevice(device));
	egl_ok(eglDestroyImageKHR(display, image));
	glDeleteTextures(1, &name);
}

/* NV12 in one buffer, with the first plane behind some bytes */
#define OFFSET		4096

static EGLImageKHR image_of_fd(int fd, EGLint fourcc, EGLint pitch)
{
	const EGLint attribs[] = {
		EGL_WIDTH, WIDTH,
		EGL_HEIGHT, HEIGHT,
		EGL_LINUX_DRM_FOURCC_EXT, fourcc,
		EGL_DMA_BUF_PLANE0_FD_EXT, fd,
		EGL_DMA_BUF_PLANE0_OFFSET_EXT, OFFSET,
		EGL_DMA_BUF_PLANE0_PITCH_EXT, pitch,
		EGL_DMA_BUF_PLANE1_FD_EXT, fd,
		EGL_DMA_BUF_PLANE1_OFFSET_EXT, OFFSET + WIDTH * HEIGHT,
		EGL_DMA_BUF_PLANE1_PITCH_EXT, pitch,
		EGL_NONE
	};

	return eglCreateImageKHR(display, EGL_NO_CONTEXT, EGL_LINUX_DMA_BUF_EXT,
				 NULL, attribs);
}

static void cuda_sees_a_dma_buf_as_planes(void **state)
{
	cudaGraphicsResource_t resource;
	cudaEglFrame frame;
	EGLImageKHR image;
	struct mem_ctx *ctx;
	struct mem_buf *buf;
	unsigned char *cpu;
	cudaArray_t array;
	void *map, *ptr;
	size_t len;
	int fd;

	(void)state;
	ok(heapsim_cuda_ctx(&ctx));
	assert_int_equal(mem_buf_alloc(ctx, MEM_KIND_COHERENT, 2 * OFFSET, NULL,
				       &buf), 0);
	assert_int_equal(mem_buf_export(buf, &fd), 0);
	image = image_of_fd(fd, DRM_FORMAT_NV12, WIDTH);
	assert_non_null(image);
	ok(cudaGraphicsEGLRegisterImage(&resource, image, 0));
	ok(cudaGraphicsResourceGetMappedEglFrame(&frame, resource, 0, 0));
	assert_int_equal(frame.frameType, cudaEglFrameTypePitch);
	assert_int_equal(frame.eglColorFormat,
			 cudaEglColorFormatYUV420SemiPlanar);
	assert_int_equal(frame.planeCount, 2);
	assert_int_equal(frame.planeDesc[1].width, WIDTH / 2);
	assert_int_equal(frame.planeDesc[1].numChannels, 2);
	assert_ptr_equal(frame.frame.pPitch[1].ptr,
			 (char *)frame.frame.pPitch[0].ptr + WIDTH * HEIGHT);
	ok(cudaGraphicsResourceGetMappedPointer(&ptr, &len, resource));
	assert_ptr_equal(ptr, frame.frame.pPitch[0].ptr);
	assert_int_equal(len, OFFSET);
	assert_int_equal(cudaGraphicsSubResourceGetMappedArray(&array, resource,
							       0, 0),
			 cudaErrorNotMappedAsArray);
	ok(cudaMemset(frame.frame.pPitch[1].ptr, 0x5a, WIDTH));
	ok(cudaDeviceSynchronize());
	assert_int_equal(mem_buf_map(buf, &map), 0);
	cpu = map;
	assert_int_equal(mem_buf_begin(buf, MEM_READ), 0);
	assert_int_equal(cpu[OFFSET + WIDTH * HEIGHT], 0x5a);
	assert_int_equal(cpu[OFFSET + WIDTH * HEIGHT - 1], 0);
	assert_int_equal(mem_buf_end(buf, MEM_READ), 0);
	assert_int_equal(mem_buf_unmap(buf), 0);
	ok(cudaGraphicsUnregisterResource(resource));
	egl_ok(eglDestroyImageKHR(display, image));
	/* No such format, a short pitch, planes beyond the memory */
	egl_fails(image_of_fd(fd, 0x1234, WIDTH), EGL_NO_IMAGE_KHR,
		  EGL_BAD_MATCH);
	egl_fails(image_of_fd(fd, DRM_FORMAT_NV12, WIDTH - 1), EGL_NO_IMAGE_KHR,
		  EGL_BAD_ACCESS);
	egl_fails(image_of_fd(fd, DRM_FORMAT_NV12, WIDTH * 64),
		  EGL_NO_IMAGE_KHR, EGL_BAD_ACCESS);
	egl_fails(image_of_fd(-1, DRM_FORMAT_NV12, WIDTH), EGL_NO_IMAGE_KHR,
		  EGL_BAD_PARAMETER);
	close(fd);
	mem_buf_destroy(buf);
}

static void a_wrong_image_is_an_error(void **state)
{
	const EGLint odd[] = { EGL_ALPHA_SIZE, 1, EGL_NONE };
	cudaGraphicsResource_t resource;

	(void)state;
	egl_fails(eglCreateImageKHR(display, context, EGL_GL_TEXTURE_2D_KHR,
				    (EGLClientBuffer)0x1234, NULL),
		  EGL_NO_IMAGE_KHR, EGL_BAD_PARAMETER);
	egl_fails(eglCreateImageKHR(display, EGL_NO_CONTEXT,
				    EGL_GL_TEXTURE_2D_KHR, NULL, NULL),
		  EGL_NO_IMAGE_KHR, EGL_BAD_CONTEXT);
	egl_fails(eglCreateImageKHR(display, context, EGL_NATIVE_PIXMAP_KHR,
				    NULL, NULL),
		  EGL_NO_IMAGE_KHR, EGL_BAD_PARAMETER);
	egl_fails(eglCreateImageKHR(display, context, EGL_GL_TEXTURE_2D_KHR,
				    NULL, odd),
		  EGL_NO_IMAGE_KHR, EGL_BAD_ATTRIBUTE);
	egl_fails(eglDestroyImageKHR(display, display), EGL_FALSE,
		  EGL_BAD_PARAMETER);
	assert_int_equal(cudaGraphicsEGLRegisterImage(&resource, display, 0),
			 cudaErrorInvalidValue);
	assert_int_equal(cudaGraphicsEGLRegisterImage(NULL, display, 0),
			 cudaErrorInvalidValue);
	assert_int_equal(cudaGraphicsUnregisterResource(NULL),
			 cudaErrorInvalidResourceHandle);
}

static void contexts_are_made_current(void **state)
{
	const EGLint wanted[] = { EGL_RED_SIZE, 8, EGL_SURFACE_TYPE,
				  EGL_PBUFFER_BIT, EGL_NONE };
	const EGLint window[] = { EGL_SURFACE_TYPE, EGL_WINDOW_BIT, EGL_NONE };
	const EGLint sides[] = { EGL_WIDTH, 32, EGL_HEIGHT, 8, EGL_NONE };
	EGLConfig config = NULL;
	EGLSurface surface;
	EGLint nr, value;

	(void)state;
	egl_ok(eglChooseConfig(display, window, &config, 1, &nr));
	assert_int_equal(nr, 0);
	egl_ok(eglChooseConfig(display, wanted, &config, 1, &nr));
	assert_int_equal(nr, 1);
	surface = eglCreatePbufferSurface(display, config, sides);
	assert_non_null(surface);
	egl_ok(eglQuerySurface(display, surface, EGL_WIDTH, &value));
	assert_int_equal(value, 32);
	egl_ok(eglMakeCurrent(display, surface, surface, context));
	assert_ptr_equal(eglGetCurrentSurface(EGL_DRAW), surface);
	assert_ptr_equal(eglGetCurrentContext(), context);
	assert_ptr_equal(eglGetCurrentDisplay(), display);
	egl_ok(eglSwapBuffers(display, surface));
	egl_fails(eglMakeCurrent(display, surface, surface, EGL_NO_CONTEXT),
		  EGL_FALSE, EGL_BAD_MATCH);
	egl_fails(eglMakeCurrent(display, display, surface, context), EGL_FALSE,
		  EGL_BAD_SURFACE);
	egl_fails(eglMakeCurrent(display, surface, surface, surface), EGL_FALSE,
		  EGL_BAD_CONTEXT);
	egl_ok(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE,
			      EGL_NO_CONTEXT));
	assert_null(eglGetCurrentContext());
	assert_null(eglGetCurrentDisplay());
	egl_ok(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE,
			      context));
	egl_ok(eglDestroySurface(display, surface));
	assert_true(eglGetProcAddress("glFinish") == (void (*)(void))glFinish);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_texture_keeps_its_pixels),
		cmocka_unit_test(a_texture_is_copied_in_order),
		cmocka_unit_test(a_copy_may_change_the_format),
		cmocka_unit_test(a_wrong_texture_call_is_an_error),
		cmocka_unit_test(cuda_sees_a_texture_as_an_array),
		cmocka_unit_test(an_image_can_be_of_another_context),
		cmocka_unit_test(cuda_sees_a_dma_buf_as_planes),
		cmocka_unit_test(a_wrong_image_is_an_error),
		cmocka_unit_test(contexts_are_made_current),
	};

	return cmocka_run_group_tests(tests, open_gl, close_gl);
}
