// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Images: memory of a texture or of a dma-buf. Nothing synchronises those who
 * use it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <drm_fourcc.h>

#include "egl.h"

/**
 * struct egl_image - an image
 * @object: object
 * @memory: memory, a reference
 */
struct egl_image {
	struct egl_object object;
	struct heapsim_egl_memory *memory;
};

/**
 * struct image_attribs - attributes of a dma-buf
 * @width: pixels
 * @height: rows
 * @fourcc: DRM_FORMAT_*
 * @planes: planes; @fd is -1 for one that was not named
 */
struct image_attribs {
	EGLAttrib width;
	EGLAttrib height;
	EGLAttrib fourcc;
	struct {
		EGLAttrib fd;
		EGLAttrib off;
		EGLAttrib pitch;
	} planes[MEM_PLANES_MAX];
};

/**
 * struct image_format - a format of dma-bufs
 * @fourcc: DRM_FORMAT_*
 * @nr_planes: planes
 * @nr_channels: components of a pixel of each plane
 * @x_shift: of the width of planes after the first
 * @y_shift: of their height
 */
struct image_format {
	uint32_t fourcc;
	unsigned int nr_planes;
	unsigned int nr_channels[MEM_PLANES_MAX];
	unsigned int x_shift;
	unsigned int y_shift;
};

/* Components have eight bits. */
static const struct image_format formats[] = {
	{ DRM_FORMAT_R8, 1, { 1 }, 0, 0 },
	{ DRM_FORMAT_GR88, 1, { 2 }, 0, 0 },
	{ DRM_FORMAT_YUYV, 1, { 2 }, 0, 0 },
	{ DRM_FORMAT_UYVY, 1, { 2 }, 0, 0 },
	{ DRM_FORMAT_ARGB8888, 1, { 4 }, 0, 0 },
	{ DRM_FORMAT_XRGB8888, 1, { 4 }, 0, 0 },
	{ DRM_FORMAT_ABGR8888, 1, { 4 }, 0, 0 },
	{ DRM_FORMAT_XBGR8888, 1, { 4 }, 0, 0 },
	{ DRM_FORMAT_RGBA8888, 1, { 4 }, 0, 0 },
	{ DRM_FORMAT_BGRA8888, 1, { 4 }, 0, 0 },
	{ DRM_FORMAT_NV12, 2, { 1, 2 }, 1, 1 },
	{ DRM_FORMAT_NV21, 2, { 1, 2 }, 1, 1 },
	{ DRM_FORMAT_NV16, 2, { 1, 2 }, 1, 0 },
	{ DRM_FORMAT_NV61, 2, { 1, 2 }, 1, 0 },
	{ DRM_FORMAT_YUV420, 3, { 1, 1, 1 }, 1, 1 },
	{ DRM_FORMAT_YVU420, 3, { 1, 1, 1 }, 1, 1 },
};

static void image_destroy(struct egl_object *object)
{
	struct egl_image *image = (struct egl_image *)object;

	heapsim_egl_image_put(image->memory);
	free(image);
}

/* Takes over the reference to the memory. */
static EGLImage image_make(struct heapsim_egl_memory *memory)
{
	struct egl_image *image = calloc(1, sizeof(*image));

	if (!image) {
		heapsim_egl_image_put(memory);
		egl_fail(EGL_BAD_ALLOC);
		return EGL_NO_IMAGE;
	}
	image->memory = memory;
	image->object.kind = EGL_KIND_IMAGE;
	image->object.destroy = image_destroy;
	egl_object_add(&image->object);
	egl_done();
	return image;
}

/* Stores an attribute. Returns EGL_SUCCESS or an error. */
static EGLint image_attribute(struct image_attribs *attribs, EGLAttrib name,
			      EGLAttrib value)
{
	EGLAttrib i;

	switch (name) {
	case EGL_IMAGE_PRESERVED_KHR:
	case EGL_YUV_COLOR_SPACE_HINT_EXT:
	case EGL_SAMPLE_RANGE_HINT_EXT:
	case EGL_YUV_CHROMA_HORIZONTAL_SITING_HINT_EXT:
	case EGL_YUV_CHROMA_VERTICAL_SITING_HINT_EXT:
		return EGL_SUCCESS;
	case EGL_GL_TEXTURE_LEVEL_KHR:
		return value ? EGL_BAD_MATCH : EGL_SUCCESS;
	case EGL_WIDTH:
		attribs->width = value;
		return EGL_SUCCESS;
	case EGL_HEIGHT:
		attribs->height = value;
		return EGL_SUCCESS;
	case EGL_LINUX_DRM_FOURCC_EXT:
		attribs->fourcc = value;
		return EGL_SUCCESS;
	}
	/* The attributes of planes have consecutive numbers. */
	i = (name - EGL_DMA_BUF_PLANE0_FD_EXT) / 3;
	if (name < EGL_DMA_BUF_PLANE0_FD_EXT || i >= MEM_PLANES_MAX)
		return EGL_BAD_ATTRIBUTE;
	switch ((name - EGL_DMA_BUF_PLANE0_FD_EXT) % 3) {
	case 0:
		attribs->planes[i].fd = value;
		break;
	case 1:
		attribs->planes[i].off = value;
		break;
	default:
		attribs->planes[i].pitch = value;
		break;
	}
	return EGL_SUCCESS;
}

/* Returns true if all planes are of one file. */
static bool image_is_one_file(const struct image_attribs *attribs,
			      unsigned int nr_planes)
{
	struct stat first, other;
	unsigned int i;

	if (fstat((int)attribs->planes[0].fd, &first))
		return false;
	for (i = 1; i < nr_planes; i++)
		if (fstat((int)attribs->planes[i].fd, &other) ||
		    other.st_dev != first.st_dev ||
		    other.st_ino != first.st_ino)
			return false;
	return true;
}

/* Describes the planes. Returns EGL_SUCCESS or an error. */
static EGLint image_describe(const struct image_attribs *attribs,
			     struct heapsim_egl_image *image)
{
	const struct image_format *format = NULL;
	unsigned int i;

	for (i = 0; i < NR(formats); i++)
		if (formats[i].fourcc == (uint32_t)attribs->fourcc)
			format = &formats[i];
	if (!attribs->fourcc || attribs->width <= 0 || attribs->height <= 0)
		return EGL_BAD_PARAMETER;
	if (!format)
		return EGL_BAD_MATCH;
	memset(image, 0, sizeof(*image));
	image->fourcc = format->fourcc;
	image->nr_planes = format->nr_planes;
	for (i = 0; i < format->nr_planes; i++) {
		struct mem_plane *plane = &image->planes[i];

		plane->width = attribs->width >> (i ? format->x_shift : 0);
		plane->height = attribs->height >> (i ? format->y_shift : 0);
		plane->pixel_len = format->nr_channels[i];
		plane->pitch = attribs->planes[i].pitch;
		plane->off = attribs->planes[i].off;
		image->nr_channels[i] = format->nr_channels[i];
		if (attribs->planes[i].fd < 0 || attribs->planes[i].off < 0)
			return EGL_BAD_PARAMETER;
		if (!plane->width || !plane->height ||
		    (uint64_t)plane->width * plane->pixel_len > plane->pitch)
			return EGL_BAD_ACCESS;
	}
	return image_is_one_file(attribs, format->nr_planes) ? EGL_SUCCESS :
							       EGL_BAD_MATCH;
}

static EGLImage image_of_dma_buf(const struct image_attribs *attribs)
{
	struct heapsim_egl_memory *memory;
	struct heapsim_egl_image image;
	EGLint error = image_describe(attribs, &image);
	int err;

	if (error == EGL_SUCCESS) {
		err = egl_memory_import(egl_ctx(), (int)attribs->planes[0].fd,
					&image, &memory);
		if (!err)
			return image_make(memory);
		error = egl_error_of(err);
	}
	egl_fail(error);
	return EGL_NO_IMAGE;
}

static EGLImage image_of_texture(EGLContext ctx, EGLClientBuffer buffer)
{
	struct heapsim_egl_memory *memory;
	struct egl_context *context;

	context = egl_object_get(EGL_KIND_CONTEXT, ctx);
	egl_object_put(context);
	if (!context) {
		egl_fail(EGL_BAD_CONTEXT);
		return EGL_NO_IMAGE;
	}
	memory = egl_texture_memory((unsigned int)(uintptr_t)buffer);
	if (!memory) {
		egl_fail(EGL_BAD_PARAMETER);
		return EGL_NO_IMAGE;
	}
	return image_make(memory);
}

static EGLImage image_create(EGLContext ctx, EGLenum target,
			     EGLClientBuffer buffer,
			     const struct image_attribs *attribs)
{
	switch (target) {
	case EGL_GL_TEXTURE_2D_KHR:
		return image_of_texture(ctx, buffer);
	case EGL_LINUX_DMA_BUF_EXT:
		if (!buffer && ctx == EGL_NO_CONTEXT)
			return image_of_dma_buf(attribs);
		break;
	}
	egl_fail(EGL_BAD_PARAMETER);
	return EGL_NO_IMAGE;
}

static void image_attribs_init(struct image_attribs *attribs)
{
	unsigned int i;

	memset(attribs, 0, sizeof(*attribs));
	for (i = 0; i < MEM_PLANES_MAX; i++)
		attribs->planes[i].fd = -1;
}

API EGLImage eglCreateImage(EGLDisplay dpy, EGLContext ctx, EGLenum target,
			    EGLClientBuffer buffer, const EGLAttrib *list)
{
	struct image_attribs attribs;
	EGLint error;

	if (!egl_is_ready(dpy))
		return EGL_NO_IMAGE;
	image_attribs_init(&attribs);
	for (; list && list[0] != EGL_NONE; list += 2) {
		error = image_attribute(&attribs, list[0], list[1]);
		if (error != EGL_SUCCESS) {
			egl_fail(error);
			return EGL_NO_IMAGE;
		}
	}
	return image_create(ctx, target, buffer, &attribs);
}

API EGLImageKHR eglCreateImageKHR(EGLDisplay dpy, EGLContext ctx,
				  EGLenum target, EGLClientBuffer buffer,
				  const EGLint *list)
{
	struct image_attribs attribs;
	EGLint error;

	if (!egl_is_ready(dpy))
		return EGL_NO_IMAGE_KHR;
	image_attribs_init(&attribs);
	for (; list && list[0] != EGL_NONE; list += 2) {
		error = image_attribute(&attribs, list[0], list[1]);
		if (error != EGL_SUCCESS) {
			egl_fail(error);
			return EGL_NO_IMAGE_KHR;
		}
	}
	return image_create(ctx, target, buffer, &attribs);
}

API EGLBoolean eglDestroyImage(EGLDisplay dpy, EGLImage image)
{
	if (!egl_is_ready(dpy))
		return EGL_FALSE;
	return egl_object_del(EGL_KIND_IMAGE, image) ?
		egl_done() : egl_fail(EGL_BAD_PARAMETER);
}

API EGLBoolean eglDestroyImageKHR(EGLDisplay dpy, EGLImageKHR image)
{
	return eglDestroyImage(dpy, image);
}

API int heapsim_egl_image_get(void *handle, struct heapsim_egl_image *info)
{
	struct egl_image *image = egl_object_get(EGL_KIND_IMAGE, handle);

	if (!image)
		return -EBADF;
	*info = image->memory->image;
	info->memory = egl_memory_get(image->memory);
	egl_object_put(image);
	return 0;
}
