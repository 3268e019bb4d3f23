// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Resources: frames of EGL streams, and EGL images; events of EGL syncs.
 *
 * libmem-egl has the images and syncs. A program without it has no handle of
 * either, but may call these functions.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core_egl.h"
#include "heapsim_egl.h"
#include "internal.h"

#pragma weak heapsim_egl_image_get
#pragma weak heapsim_egl_image_put
#pragma weak heapsim_egl_image_export
#pragma weak heapsim_egl_wait

#define REGISTER_FLAGS	(CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY | \
			 CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD | \
			 CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST | \
			 CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER)

/**
 * core_graphics_unview() - destroy the arrays of a frame
 * @frame: frame of core_graphics_view(), or one without arrays
 */
void core_graphics_unview(struct core_egl_frame *frame)
{
	unsigned int i;

	for (i = 0; i < MEM_PLANES_MAX; i++) {
		core_array_view_destroy(frame->planes[i].array);
		frame->planes[i].array = NULL;
	}
}

/**
 * core_graphics_view() - make arrays of the addresses of a frame's planes
 * @ctx: context
 * @frame: in and out: frame; nothing is done unless it is one of arrays
 *
 * Return: CUDA_SUCCESS, or an error of core_array_view(): there are none.
 */
int core_graphics_view(struct CUctx_st *ctx, struct core_egl_frame *frame)
{
	CUDA_ARRAY3D_DESCRIPTOR desc = {
		.Format = frame->format,
		.Flags = CUDA_ARRAY3D_SURFACE_LDST,
	};
	unsigned int i;
	int rc = CUDA_SUCCESS;

	for (i = 0; frame->is_array && i < frame->nr_planes && !rc; i++) {
		struct core_egl_plane *plane = &frame->planes[i];

		desc.Width = plane->width;
		desc.Height = plane->height;
		desc.NumChannels = plane->nr_channels;
		rc = core_array_view(ctx, &desc, plane->ptr, plane->pitch,
				     &plane->array);
	}
	if (rc)
		core_graphics_unview(frame);
	return rc;
}

static CUarray_format graphics_format(const struct heapsim_egl_image *image)
{
	const unsigned int len = image->planes[0].pixel_len /
				 image->nr_channels[0];

	if (image->is_float)
		return CU_AD_FORMAT_FLOAT;
	return len == 4 ? CU_AD_FORMAT_UNSIGNED_INT32 :
	       len == 2 ? CU_AD_FORMAT_UNSIGNED_INT16 :
			  CU_AD_FORMAT_UNSIGNED_INT8;
}

/* Finds the colour format by DRM's code, or by the number of components. */
static unsigned int graphics_color(const struct heapsim_egl_image *image)
{
	static const unsigned int by_channels[] = {
		CORE_EGL_R, CORE_EGL_RG, CORE_EGL_ABGR, CORE_EGL_ABGR
	};
	static const struct {
		char code[5];
		unsigned int color;
	} colors[] = {
		{ "YU12", CORE_EGL_YUV420_PLANAR },
		{ "NV12", CORE_EGL_YUV420_SEMIPLANAR },
		{ "NV16", 0x03 },
		{ "AR24", CORE_EGL_ARGB },
		{ "XR24", CORE_EGL_ARGB },
		{ "RA24", 0x07 },
		{ "R8  ", CORE_EGL_R },
		{ "YUYV", 0x0c },
		{ "UYVY", 0x0d },
		{ "AB24", CORE_EGL_ABGR },
		{ "XB24", CORE_EGL_ABGR },
		{ "BA24", 0x0f },
		{ "GR88", CORE_EGL_RG },
		{ "NV61", 0x14 },
		{ "NV21", 0x15 },
		{ "YV12", 0x43 },
	};
	size_t i;

	for (i = 0; i < sizeof(colors) / sizeof(*colors); i++)
		if (!memcmp(colors[i].code, &image->fourcc, 4))
			return colors[i].color;
	return by_channels[(image->nr_channels[0] - 1) % 4];
}

/* Makes the planes accessible in a context that is not theirs. */
static int graphics_import(struct CUgraphicsResource_st *resource,
			   struct heapsim_egl_image *image)
{
	unsigned int i;
	int fd, err;

	if (image->ctx == resource->ctx->mem)
		return CUDA_SUCCESS;
	err = heapsim_egl_image_export(image->memory, &fd);
	if (err)
		return core_error(err);
	err = mem_ptr_import(resource->ctx->mem, fd, 0, image->len, 0,
			     &resource->imports[0]);
	close(fd);
	if (err)
		return core_error(err);
	for (i = 0; i < image->nr_planes; i++)
		image->planes[i].base = (char *)resource->imports[0] +
					image->planes[i].off;
	return CUDA_SUCCESS;
}

static void graphics_free(struct CUgraphicsResource_st *resource)
{
	core_graphics_unview(&resource->frame);
	core_egl_import_free(resource->ctx, resource->imports);
	if (resource->memory)
		heapsim_egl_image_put(resource->memory);
	free(resource);
}

static int graphics_fill(struct CUgraphicsResource_st *resource,
			 struct heapsim_egl_image *image)
{
	struct core_egl_frame *frame = &resource->frame;
	unsigned int i;
	int rc;

	rc = graphics_import(resource, image);
	if (rc)
		return rc;
	resource->len = image->len - image->planes[0].off;
	frame->nr_planes = image->nr_planes;
	frame->depth = 1;
	frame->is_array = image->is_texture;
	frame->color = graphics_color(image);
	frame->format = graphics_format(image);
	for (i = 0; i < image->nr_planes; i++) {
		frame->planes[i].ptr = image->planes[i].base;
		frame->planes[i].width = image->planes[i].width;
		frame->planes[i].height = image->planes[i].height;
		frame->planes[i].pitch = image->planes[i].pitch;
		frame->planes[i].nr_channels = image->nr_channels[i];
	}
	return core_graphics_view(resource->ctx, frame);
}

/**
 * core_graphics_register() - register an image
 * @image: handle, any value
 * @flags: CU_GRAPHICS_REGISTER_FLAGS_*, without an effect
 * @resource: out: resource, owned by the caller: core_graphics_unregister()
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (no such image or flags),
 * CUDA_ERROR_NOT_SUPPORTED (no libmem-egl; a discrete GPU; memory of another
 * context, over the module), CUDA_ERROR_OUT_OF_MEMORY, or core_error() of
 * mem_ptr_import().
 */
CORE_API int core_graphics_register(void *image, unsigned int flags,
				    CUgraphicsResource *resource)
{
	struct CUgraphicsResource_st *new;
	struct heapsim_egl_image info;
	struct CUctx_st *ctx;
	int rc = core_current(&ctx);

	if (rc)
		return rc;
	if (flags & ~REGISTER_FLAGS)
		return CUDA_ERROR_INVALID_VALUE;
	/* Images are in the SoC's memory. */
	if (ctx->device->is_discrete)
		return CUDA_ERROR_NOT_SUPPORTED;
	if (!heapsim_egl_image_get)
		return core_missing("cuGraphicsEGLRegisterImage");
	new = calloc(1, sizeof(*new));
	if (!new)
		return CUDA_ERROR_OUT_OF_MEMORY;
	new->ctx = ctx;
	new->is_image = true;
	new->is_held = true;
	if (heapsim_egl_image_get(image, &info)) {
		free(new);
		return CUDA_ERROR_INVALID_VALUE;
	}
	new->memory = info.memory;
	rc = graphics_fill(new, &info);
	if (!rc)
		rc = core_object_add(CORE_GRAPHICS, new, ctx);
	if (rc)
		graphics_free(new);
	else
		*resource = new;
	return rc;
}

/**
 * core_graphics_unregister() - unregister an image
 * @resource: handle, any value. Of a frame nothing is done: the release ends
 *	its use
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_NOT_PERMITTED (in
 * a host function), or the error that ended the context's work; the resource is
 * destroyed in the last case, too.
 */
CORE_API int core_graphics_unregister(CUgraphicsResource resource)
{
	struct CUctx_st *ctx = core_object_ctx(CORE_GRAPHICS, resource);
	int waited;

	if (!ctx)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!resource->is_image)
		return CUDA_SUCCESS;
	waited = mem_ctx_sync(ctx->mem);
	if (waited == -EPERM)
		return core_error(-EPERM);
	if (!core_object_del(CORE_GRAPHICS, resource))
		return CUDA_ERROR_INVALID_HANDLE;
	graphics_free(resource);
	return core_error(waited);
}

/* Called by core_objects_drop(). Frames are freed by their connection. */
void core_graphics_drop(struct CUctx_st *ctx, void *object)
{
	struct CUgraphicsResource_st *resource = object;

	(void)ctx;
	if (resource->is_image)
		graphics_free(resource);
}

/**
 * core_graphics_frame() - return the frame of a resource
 * @resource: handle, any value
 * @index: 0
 * @level: 0
 * @frame: out: frame; the pitch of an array is the length of its rows, as a
 *	real EGLStream has it; of an image 0
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_HANDLE (no such resource, or a frame
 * that was released), CUDA_ERROR_INVALID_VALUE.
 */
CORE_API int core_graphics_frame(CUgraphicsResource resource,
				 unsigned int index, unsigned int level,
				 struct core_egl_frame *frame)
{
	unsigned int i;

	if (!core_object_ctx(CORE_GRAPHICS, resource) || !resource->is_held)
		return CUDA_ERROR_INVALID_HANDLE;
	if (index || level)
		return CUDA_ERROR_INVALID_VALUE;
	*frame = resource->frame;
	for (i = 0; frame->is_array && i < frame->nr_planes; i++) {
		struct core_egl_plane *plane = &frame->planes[i];

		plane->pitch = resource->is_image ? 0 :
			plane->width * core_egl_pixel_len(frame->format,
							  plane->nr_channels);
	}
	return CUDA_SUCCESS;
}

/**
 * core_graphics_array() - return an array of a resource
 * @resource: handle, any value
 * @index: plane
 * @level: 0
 * @array: out: array, valid as long as the resource
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_HANDLE (no such resource),
 * CUDA_ERROR_INVALID_VALUE (no such plane or level),
 * CUDA_ERROR_NOT_MAPPED_AS_ARRAY.
 */
CORE_API int core_graphics_array(CUgraphicsResource resource,
				 unsigned int index, unsigned int level,
				 CUarray *array)
{
	if (!core_object_ctx(CORE_GRAPHICS, resource) || !resource->is_held)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!resource->frame.is_array)
		return CUDA_ERROR_NOT_MAPPED_AS_ARRAY;
	if (index >= resource->frame.nr_planes || level)
		return CUDA_ERROR_INVALID_VALUE;
	*array = resource->frame.planes[index].array;
	return CUDA_SUCCESS;
}

/**
 * core_graphics_ptr() - return the address of a resource
 * @resource: handle, any value
 * @ptr: out: first plane
 * @len: out: bytes; may be NULL
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_HANDLE (no such resource),
 * CUDA_ERROR_NOT_MAPPED_AS_POINTER.
 */
CORE_API int core_graphics_ptr(CUgraphicsResource resource, void **ptr,
			       size_t *len)
{
	const struct core_egl_plane *plane;

	if (!core_object_ctx(CORE_GRAPHICS, resource) || !resource->is_held)
		return CUDA_ERROR_INVALID_HANDLE;
	if (resource->frame.is_array)
		return CUDA_ERROR_NOT_MAPPED_AS_POINTER;
	plane = &resource->frame.planes[0];
	*ptr = plane->ptr;
	if (len)
		*len = resource->len ? resource->len :
				       (size_t)plane->pitch * plane->height;
	return CUDA_SUCCESS;
}

/**
 * core_graphics_check() - map or unmap resources, which always are mapped
 * @all: handles, any values
 * @nr: number of handles
 * @stream: handle
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (no handles),
 * CUDA_ERROR_INVALID_HANDLE (no such resource or stream).
 */
CORE_API int core_graphics_check(const CUgraphicsResource *all,
				 unsigned int nr, CUstream stream)
{
	struct mem_stream *mem;
	struct CUctx_st *ctx;
	unsigned int i;
	int rc = core_current(&ctx);

	if (!rc && (!all || !nr))
		rc = CUDA_ERROR_INVALID_VALUE;
	if (!rc)
		rc = core_stream(ctx, stream, &mem);
	for (i = 0; i < nr && !rc; i++)
		if (!core_object_ctx(CORE_GRAPHICS, all[i]))
			rc = CUDA_ERROR_INVALID_HANDLE;
	return rc;
}

/* Records an event behind a sync. */
static int graphics_record(struct CUevent_st *event, void *sync)
{
	struct mem_stream *stream;
	int err;

	err = mem_stream_create(event->ctx->mem, MEM_STREAM_NON_BLOCKING, 0,
				&stream);
	if (err)
		return core_error(err);
	err = heapsim_egl_wait(sync, stream);
	if (!err)
		err = mem_event_record(event->mem, stream);
	mem_stream_destroy(stream);
	return err == -EBADF ? CUDA_ERROR_INVALID_VALUE : core_error(err);
}

/**
 * core_event_from_sync() - create an event from a sync
 * @sync: handle, any value
 * @flags: CU_EVENT_DEFAULT or CU_EVENT_BLOCKING_SYNC
 * @event: out: event, owned by the caller: core_event_destroy()
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (no such sync or flags),
 * CUDA_ERROR_NOT_SUPPORTED (no libmem-egl), or as core_event_create().
 */
CORE_API int core_event_from_sync(void *sync, unsigned int flags,
				  CUevent *event)
{
	struct CUctx_st *ctx;
	CUevent new;
	int rc = core_current(&ctx);

	if (rc)
		return rc;
	if (flags & ~CU_EVENT_BLOCKING_SYNC)
		return CUDA_ERROR_INVALID_VALUE;
	if (!heapsim_egl_wait)
		return core_missing("cuEventCreateFromEGLSync");
	rc = core_event_create(ctx, flags | CU_EVENT_DISABLE_TIMING, &new);
	if (rc)
		return rc;
	new->is_sync = true;
	rc = graphics_record(new, sync);
	if (rc)
		core_event_destroy(new);
	else
		*event = new;
	return rc;
}
