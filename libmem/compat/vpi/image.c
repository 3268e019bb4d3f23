// SPDX-License-Identifier: LGPL-2.1-or-later
/* Images of libmem, locked as VPI's kinds of buffer. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../nvbuf/share.h"
#include "heapsim_vpi.h"
#include "vpi.h"

#pragma weak heapsim_nvbuf_add
#pragma weak heapsim_nvbuf_del
#pragma weak heapsim_nvbuf_find

/**
 * struct kind - a kind of buffer
 * @as: enum mem_lock_as
 * @backend: backend that the image must have enabled
 * @name: VPI's name
 */
struct kind {
	unsigned int as;
	uint64_t backend;
	const char *name;
};

static const struct kind kinds[] = {
	[VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR] = {
		MEM_LOCK_HOST, VPI_BACKEND_CPU,
		"VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR" },
	[VPI_IMAGE_BUFFER_CUDA_PITCH_LINEAR] = {
		MEM_LOCK_DEVICE, VPI_BACKEND_CUDA,
		"VPI_IMAGE_BUFFER_CUDA_PITCH_LINEAR" },
	[VPI_IMAGE_BUFFER_CUDA_ARRAY] = {
		0, 0, "VPI_IMAGE_BUFFER_CUDA_ARRAY" },
	[VPI_IMAGE_BUFFER_EGLIMAGE] = {
		0, 0, "VPI_IMAGE_BUFFER_EGLIMAGE" },
	[VPI_IMAGE_BUFFER_NVBUFFER] = {
		MEM_LOCK_FD, 0, "VPI_IMAGE_BUFFER_NVBUFFER" },
	[VPI_IMAGE_BUFFER_NVSCIBUF] = {
		MEM_LOCK_OBJECT, 0, "VPI_IMAGE_BUFFER_NVSCIBUF" },
};

static VPIStatus image_check_kind(VPIImageBufferType type,
				  const struct kind **kind)
{
	if (type <= VPI_IMAGE_BUFFER_INVALID ||
	    (size_t)type >= sizeof(kinds) / sizeof(*kinds))
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"there is no buffer type %d", (int)type);
	if (type == VPI_IMAGE_BUFFER_CUDA_ARRAY ||
	    type == VPI_IMAGE_BUFFER_EGLIMAGE)
		return vpi_lacks(VPI_ERROR_NOT_IMPLEMENTED, kinds[type].name);
	*kind = &kinds[type];
	return VPI_SUCCESS;
}

/**
 * vpi_image_drop() - free an image
 * @image: image whose handle is not valid any more
 */
void vpi_image_drop(struct VPIImageImpl *image)
{
	struct vpi_hold *hold;

	while ((hold = image->holds)) {
		image->holds = hold->next;
		if (hold->fd >= 0 && heapsim_nvbuf_del)
			heapsim_nvbuf_del(hold->fd);
		free(hold);
	}
	mem_image_destroy(image->mem);
	pthread_mutex_destroy(&image->lock);
	free(image);
}

/**
 * vpi_image_add() - make an image from one of libmem
 * @ctx: context that will own the image
 * @mem: image of libmem; owned by the new image; destroyed on failure
 * @format: VPI's format
 * @wrapped: kind of the memory that it wraps
 * @flags: backends, and flags of creation
 * @img: out: the image
 *
 * Return: VPI_SUCCESS or VPI_ERROR_OUT_OF_MEMORY.
 */
VPIStatus vpi_image_add(struct VPIContextImpl *ctx, struct mem_image *mem,
			VPIImageFormat format, VPIImageBufferType wrapped,
			uint64_t flags, VPIImage *img)
{
	struct mem_image_info info = { .size = sizeof(info) };
	struct VPIImageImpl *image = calloc(1, sizeof(*image));
	VPIStatus status;
	char name[MEM_NAME_LEN];

	if (!image) {
		mem_image_destroy(mem);
		return vpi_rc(-ENOMEM, "the image");
	}
	mem_image_info(mem, &info);
	pthread_mutex_init(&image->lock, NULL);
	image->mem = mem;
	image->format = format;
	image->width = info.width;
	image->height = info.height;
	image->wrapped = wrapped;
	image->params.colorSpec = VPI_COLOR_SPEC_DEFAULT;
	status = vpi_object_add(image, VPI_KIND_IMAGE, flags, ctx);
	if (status) {
		vpi_image_drop(image);
		return status;
	}
	/* For example "VPIImage NV12_ER 320x240" */
	snprintf(name, sizeof(name), "VPIImage %.12s %dx%d",
		 vpiImageFormatGetName(image->format) +
		 strlen("VPI_IMAGE_FORMAT_"), image->width, image->height);
	mem_image_set_name(mem, name);
	*img = image;
	return VPI_SUCCESS;
}

/**
 * struct request - parameters of an image of libmem
 * @ctx: libmem's context
 * @data: memory to be wrapped; NULL: allocate it
 * @width: pixels
 * @height: rows
 * @format: enum mem_format
 */
struct request {
	struct mem_ctx *ctx;
	const struct mem_image_data *data;
	uint32_t width;
	uint32_t height;
	unsigned int format;
};

static int image_request_make(const void *what, uint64_t uses, void **made)
{
	const struct request *request = what;
	struct mem_image *mem;
	int rc;

	if (request->data)
		rc = mem_image_wrap(request->ctx, request->data, uses, &mem);
	else
		rc = mem_image_create(request->ctx, request->width,
				      request->height, request->format, uses,
				      &mem);
	if (!rc)
		*made = mem;
	return rc;
}

static void image_request_drop(void *made)
{
	mem_image_destroy(made);
}

static const struct vpi_maker maker = {
	.make = image_request_make,
	.drop = image_request_drop,
	.name = "image",
};

VPI_PUBLIC VPIStatus vpiImageCreate(int32_t width, int32_t height,
				    VPIImageFormat fmt, uint64_t flags,
				    VPIImage *img)
{
	struct request request = { .width = width, .height = height };
	struct VPIContextImpl *ctx;
	VPIStatus status;
	void *made;

	VPI_ENTER();
	if (!img)
		return vpi_null("img");
	if (width < 1 || height < 1 || width > (int32_t)MEM_IMAGE_MAX ||
	    height > (int32_t)MEM_IMAGE_MAX)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"%dx%d is none of 1x1 to %ux%u", width, height,
				MEM_IMAGE_MAX, MEM_IMAGE_MAX);
	status = vpi_format_check(fmt, &request.format);
	if (!status)
		status = vpi_current(&ctx);
	if (!status)
		status = vpi_flags(ctx, &flags, VPI_OBJECT_FLAGS, 0);
	if (!status)
		status = vpi_mem(&request.ctx);
	if (!status)
		status = vpi_make(&maker, &request, &flags, &made);
	if (status)
		return status;
	return vpi_image_add(ctx, made, fmt, VPI_IMAGE_BUFFER_INVALID, flags,
			     img);
}

VPI_PUBLIC VPIStatus vpiInitImageWrapperParams(VPIImageWrapperParams *params)
{
	VPI_ENTER();
	if (!params)
		return vpi_null("params");
	params->colorSpec = VPI_COLOR_SPEC_DEFAULT;
	return VPI_SUCCESS;
}

/* No board has as much memory. */
#define MAX_OFFSET	(1LL << 40)

static VPIStatus image_check_plane(const VPIImageBufferPitchLinear *pitch,
				   VPIImageFormat format, int32_t i)
{
	const VPIImagePlanePitchLinear *first = &pitch->planes[0];
	const VPIImagePlanePitchLinear *plane = &pitch->planes[i];
	int32_t width = vpiImageFormatGetPlaneWidth(format, first->width, i);
	int32_t height = vpiImageFormatGetPlaneHeight(format, first->height, i);
	int bits = vpiImageFormatGetPlaneBitsPerPixel(format, i);

	if (!plane->pBase)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"planes[%d].pBase is NULL", i);
	if (plane->width < 1 || plane->height < 1 || plane->pitchBytes < 1)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"planes[%d] has no size or pitch", i);
	if (plane->width > (int32_t)MEM_IMAGE_MAX ||
	    plane->height > (int32_t)MEM_IMAGE_MAX)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"planes[%d] is %dx%d, more than %ux%u", i,
				plane->width, plane->height, MEM_IMAGE_MAX,
				MEM_IMAGE_MAX);
	if (plane->width != width || plane->height != height)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"planes[%d] is %dx%d, that of %s is %dx%d", i,
				plane->width, plane->height,
				vpiImageFormatGetName(format), width, height);
	if (plane->pitchBytes < width * bits / 8)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"planes[%d].pitchBytes is %d, a row has %d bytes",
				i, plane->pitchBytes, width * bits / 8);
	if (plane->pixelType &&
	    vpiPixelTypeGetBitsPerPixel(plane->pixelType) != bits)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"planes[%d].pixelType is not that of %s", i,
				vpiImageFormatGetName(format));
	/* Most likely the program has not set it. */
	if (plane->offsetBytes < 0 || plane->offsetBytes > MAX_OFFSET)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"planes[%d].offsetBytes is %lld: zero a VPIImageData before it is filled in",
				i, (long long)plane->offsetBytes);
	return VPI_SUCCESS;
}

static VPIStatus image_data_of_pitch(const VPIImageBufferPitchLinear *pitch,
				     VPIImageFormat format,
				     struct mem_image_data *data)
{
	const VPIImagePlanePitchLinear *plane;
	VPIStatus status;
	int32_t i;

	data->width = pitch->planes[0].width;
	data->height = pitch->planes[0].height;
	data->nr_planes = vpiImageFormatGetPlaneCount(format);
	if (pitch->numPlanes != (int32_t)data->nr_planes)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"numPlanes is %d, %s has %u", pitch->numPlanes,
				vpiImageFormatGetName(format), data->nr_planes);
	for (i = 0; i < pitch->numPlanes; i++) {
		plane = &pitch->planes[i];
		status = image_check_plane(pitch, format, i);
		if (status)
			return status;
		data->planes[i].width = plane->width;
		data->planes[i].height = plane->height;
		data->planes[i].pixel_len =
			vpiImageFormatGetPlaneBitsPerPixel(format, i) / 8;
		data->planes[i].pitch = plane->pitchBytes;
		data->planes[i].base = plane->pBase + plane->offsetBytes;
	}
	return VPI_SUCCESS;
}

static VPIStatus image_data_of_fd(int fd, struct mem_image_data *data)
{
	int rc = heapsim_nvbuf_find ? heapsim_nvbuf_find(fd, data) : -ENOENT;

	if (rc == -ENOENT)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"descriptor %d is no NvBufSurface of this process%s",
				fd, heapsim_nvbuf_find ? "" :
				", which is not linked with libmem-nvbuf");
	if (rc == -EOPNOTSUPP)
		return vpi_fail(VPI_ERROR_INVALID_IMAGE_FORMAT,
				"another lock has made the surface: Documentation/nvbufsurface.rst");
	return VPI_SUCCESS;
}

/* Finds the format of an object that comes without one. */
static VPIStatus image_format_of_planes(const struct mem_image_data *data,
					VPIImageFormat *format)
{
	struct mem_image_info info = { .size = sizeof(info) };
	struct mem_image *image;
	struct mem_ctx *ctx;
	VPIStatus status;
	int rc;

	status = vpi_mem(&ctx);
	if (status)
		return status;
	rc = mem_image_wrap(ctx, data, vpi_uses(VPI_BACKEND_CPU), &image);
	if (rc == -EOPNOTSUPP)
		return vpi_fail(VPI_ERROR_INVALID_IMAGE_FORMAT,
				"no format of heapsim has the planes and colours of the memory: %s",
				data->flags & MEM_IMAGE_ANY_STD ?
				"Documentation/images.rst" :
				"name the format, or a colorSpec");
	if (rc)
		return vpi_rc(rc, "image");
	mem_image_info(image, &info);
	mem_image_destroy(image);
	*format = vpi_format_of_mem(info.format);
	if (!*format)
		return vpi_fail(VPI_ERROR_INVALID_IMAGE_FORMAT,
				"VPI has no format with planes of Y, Cb and Cr");
	return VPI_SUCCESS;
}

/*
 * Describes memory for mem_image_wrap(). @format: out: the program's, or that
 * of the memory. For an NvBufSurface, @data->object has a reference, which the
 * caller drops.
 */
static VPIStatus image_data_of(const VPIImageData *vpi,
			       const VPIImageWrapperParams *params,
			       struct mem_image_data *data,
			       VPIImageFormat *format)
{
	const struct kind *kind = NULL;
	VPIColorSpec spec = params ? params->colorSpec : VPI_COLOR_SPEC_DEFAULT;
	VPIStatus status = image_check_kind(vpi->bufferType, &kind);

	if (status)
		return status;
	memset(data, 0, sizeof(*data));
	data->size = sizeof(*data);
	data->as = kind->as;
	data->fd = -1;
	switch (vpi->bufferType) {
	case VPI_IMAGE_BUFFER_NVBUFFER:
		status = image_data_of_fd(vpi->buffer.fd, data);
		if (status)
			return status;
		*format = vpi_format_of_mem(data->format);
		break;
	case VPI_IMAGE_BUFFER_NVSCIBUF:
		data->object = (struct mem_object *)vpi->buffer.nvscibuf.buffer;
		*format = vpi->buffer.nvscibuf.format;
		if (!data->object)
			return vpi_null("data->buffer.nvscibuf.buffer");
		break;
	default:
		*format = vpi->buffer.pitch.format;
		break;
	}
	if (spec != VPI_COLOR_SPEC_DEFAULT)
		data->flags = MEM_IMAGE_ANY_STD;
	if (!*format && data->as == MEM_LOCK_OBJECT)
		status = image_format_of_planes(data, format);
	if (!status && spec != VPI_COLOR_SPEC_DEFAULT) {
		*format = vpiImageFormatSetColorSpec(*format, spec);
		if (!*format)
			status = vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
					  "the format has no colour spec");
	}
	if (!status)
		status = vpi_format_check(*format, &data->format);
	if (!status && data->as != MEM_LOCK_OBJECT)
		status = image_data_of_pitch(&vpi->buffer.pitch, *format, data);
	if (status && vpi->bufferType == VPI_IMAGE_BUFFER_NVBUFFER)
		mem_object_put(data->object);
	return status;
}

/* Returns true if CUDA has allocated or registered the memory. */
static bool image_is_cuda(unsigned int kind)
{
	return kind == MEM_KIND_MANAGED || kind == MEM_KIND_PINNED ||
	       kind == MEM_KIND_DEVICE || kind == MEM_KIND_REGISTERED;
}

/* Returns true if the plane ends behind the end of its allocation. */
static bool image_plane_is_too_long(const struct mem_plane *plane,
				    const struct mem_ptr_info *info)
{
	const char *first = info->host ? info->host : info->device;
	uint64_t off = first - (const char *)info->base;

	return off + (uint64_t)plane->pitch * (plane->height - 1) +
	       (uint64_t)plane->width * plane->pixel_len > info->len;
}

/* Explains why libmem has refused what image_data_of() has checked. */
static VPIStatus image_wrap_failed(const struct mem_image_data *data,
				   VPIImageFormat format)
{
	struct mem_ptr_info info;
	struct mem_ctx *ctx;
	uint32_t i;

	if (data->as == MEM_LOCK_OBJECT)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"the memory does not have the planes and the range of %s: name another format or a colorSpec",
				vpiImageFormatGetName(format));
	for (i = 0; i < data->nr_planes && !vpi_mem(&ctx); i++) {
		info = (struct mem_ptr_info) { .size = sizeof(info) };
		if (mem_ptr_info(ctx, data->planes[i].base, &info))
			continue;
		if (!image_is_cuda(info.kind) && data->as == MEM_LOCK_DEVICE &&
		    !vpi_has_pageable_access())
			return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
					"planes[%u].pBase is no memory of CUDA",
					i);
		if (image_is_cuda(info.kind) &&
		    image_plane_is_too_long(&data->planes[i], &info))
			return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
					"planes[%u] ends behind its allocation of %llu bytes",
					i, (unsigned long long)info.len);
	}
	return vpi_fail(VPI_ERROR_INVALID_ARGUMENT, "planes overlap");
}

VPI_PUBLIC VPIStatus vpiImageCreateWrapper(const VPIImageData *data,
					   const VPIImageWrapperParams *params,
					   uint64_t flags, VPIImage *img)
{
	struct mem_image_data wrapped;
	struct request request = { .data = &wrapped };
	struct VPIContextImpl *ctx;
	VPIImageFormat format;
	VPIStatus status;
	void *made;

	VPI_ENTER();
	if (!img)
		return vpi_null("img");
	if (!data)
		return vpi_null("data");
	status = image_data_of(data, params, &wrapped, &format);
	if (status)
		return status;
	status = vpi_current(&ctx);
	if (!status)
		status = vpi_flags(ctx, &flags, VPI_OBJECT_FLAGS,
				   kinds[data->bufferType].backend);
	if (!status)
		status = vpi_mem(&request.ctx);
	if (!status) {
		status = vpi_make(&maker, &request, &flags, &made);
		if (status == VPI_ERROR_INVALID_ARGUMENT)
			status = image_wrap_failed(&wrapped, format);
	}
	if (data->bufferType == VPI_IMAGE_BUFFER_NVBUFFER)
		mem_object_put(wrapped.object);
	if (status)
		return status;
	status = vpi_image_add(ctx, made, format, data->bufferType, flags, img);
	if (status)
		return status;
	if (params)
		(*img)->params = *params;
	if (!wrapped.object)
		(*img)->source = wrapped;
	return VPI_SUCCESS;
}

VPI_PUBLIC VPIStatus vpiImageSetWrapper(VPIImage img, const VPIImageData *data)
{
	struct mem_image_data wrapped;
	VPIImageFormat format;
	VPIStatus status;
	int rc;

	VPI_ENTER();
	status = vpi_object_check_out(img, VPI_KIND_IMAGE, "img", data, "data");
	if (status)
		return status;
	if (img->wrapped == VPI_IMAGE_BUFFER_INVALID)
		return vpi_fail(VPI_ERROR_INVALID_OPERATION,
				"img is not of vpiImageCreateWrapper()");
	if (img->wrapped != data->bufferType)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"img wraps another type of buffer");
	status = image_data_of(data, &img->params, &wrapped, &format);
	if (status)
		return status;
	rc = mem_image_rewrap(img->mem, &wrapped);
	if (data->bufferType == VPI_IMAGE_BUFFER_NVBUFFER)
		mem_object_put(wrapped.object);
	if (!rc && !wrapped.object)
		img->source = wrapped;
	if (rc == -EBUSY)
		return vpi_fail(VPI_ERROR_INVALID_OPERATION,
				"img is locked: vpiImageUnlock() first");
	if (rc == -EINVAL &&
	    (data->bufferType == VPI_IMAGE_BUFFER_NVBUFFER ||
	     data->bufferType == VPI_IMAGE_BUFFER_NVSCIBUF ||
	     format != img->format || (int32_t)wrapped.width != img->width ||
	     (int32_t)wrapped.height != img->height))
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"data does not have the format and size of img");
	if (rc == -EINVAL)
		return image_wrap_failed(&wrapped, format);
	return vpi_rc(rc, "img");
}

VPI_PUBLIC void vpiImageDestroy(VPIImage img)
{
	if (vpi_object_del(img, VPI_KIND_IMAGE))
		vpi_image_drop(img);
}

VPI_PUBLIC VPIStatus vpiImageGetSize(VPIImage img, int32_t *width,
				     int32_t *height)
{
	VPIStatus status;

	VPI_ENTER();
	status = vpi_object_check(img, VPI_KIND_IMAGE, "img");
	if (status)
		return status;
	if (!width || !height)
		return vpi_null(width ? "height" : "width");
	*width = img->width;
	*height = img->height;
	return VPI_SUCCESS;
}

VPI_PUBLIC VPIStatus vpiImageGetFormat(VPIImage img, VPIImageFormat *format)
{
	VPIStatus status;

	VPI_ENTER();
	status = vpi_object_check_out(img, VPI_KIND_IMAGE, "img", format,
				      "format");
	if (!status)
		*format = img->format;
	return status;
}

VPI_PUBLIC VPIStatus vpiImageGetFlags(VPIImage img, uint64_t *flags)
{
	VPI_ENTER();
	return vpi_object_flags(img, VPI_KIND_IMAGE, flags);
}

VPI_PUBLIC VPIStatus heapsim_vpi_image(VPIImage image, struct mem_image **mem)
{
	VPIStatus status;

	VPI_ENTER();
	status = vpi_object_check_out(image, VPI_KIND_IMAGE, "image", mem,
				      "mem");
	if (!status)
		*mem = image->mem;
	return status;
}

/* Returns true if it wraps memory that is no object of libmem. */
static bool image_wraps_memory(const struct VPIImageImpl *image)
{
	return image->wrapped != VPI_IMAGE_BUFFER_INVALID &&
	       image->wrapped != VPI_IMAGE_BUFFER_NVBUFFER &&
	       image->wrapped != VPI_IMAGE_BUFFER_NVSCIBUF;
}

static VPIStatus image_lock_failed(int rc, const struct VPIImageImpl *image,
				   const VPIImageData *vpi,
				   const struct kind *kind)
{
	if (rc == -EBUSY)
		return vpi_fail(VPI_ERROR_BUFFER_LOCKED,
				"img is locked in a mode that excludes this one: vpiImageUnlock() first");
	/* The backends have been checked. */
	if (rc == -EACCES)
		return vpi_fail(VPI_ERROR_INVALID_OPERATION,
				"img wraps memory that may only be read");
	if (rc == -EOPNOTSUPP && kind->as >= MEM_LOCK_FD &&
	    image_wraps_memory(image))
		return vpi_fail(VPI_ERROR_INVALID_OPERATION,
				"img wraps memory of the program, which is no surface and no NvSciBufObj");
	if (rc == -EOPNOTSUPP && vpi && kind->as == MEM_LOCK_FD)
		return vpi_fail(VPI_ERROR_INVALID_OPERATION,
				"%s exports no surfaces: lock %s or %s instead",
				vpi_board(),
				kinds[VPI_IMAGE_BUFFER_CUDA_PITCH_LINEAR].name,
				kinds[VPI_IMAGE_BUFFER_NVSCIBUF].name);
	if (rc == -EOPNOTSUPP)
		return vpi_fail(VPI_ERROR_NOT_IMPLEMENTED,
				"block-linear pixels have no pointers: convert the image to a pitch-linear format");
	return vpi_rc(rc, "img");
}

static void image_fill_data(const struct mem_image_data *data,
			    VPIImageBufferType type, VPIImageFormat format,
			    VPIImageData *vpi)
{
	VPIImageBufferPitchLinear *pitch = &vpi->buffer.pitch;
	uint32_t i;

	memset(vpi, 0, sizeof(*vpi));
	vpi->bufferType = type;
	switch (type) {
	case VPI_IMAGE_BUFFER_NVBUFFER:
		vpi->buffer.fd = data->fd;
		return;
	case VPI_IMAGE_BUFFER_NVSCIBUF:
		vpi->buffer.nvscibuf.buffer = (NvSciBufObj)data->object;
		vpi->buffer.nvscibuf.format = format;
		return;
	default:
		break;
	}
	pitch->format = format;
	pitch->numPlanes = data->nr_planes;
	for (i = 0; i < data->nr_planes; i++) {
		pitch->planes[i].pixelType =
			vpiImageFormatGetPlanePixelType(format, i);
		pitch->planes[i].width = data->planes[i].width;
		pitch->planes[i].height = data->planes[i].height;
		pitch->planes[i].pitchBytes = data->planes[i].pitch;
		pitch->planes[i].pBase = data->planes[i].base;
	}
}

/* @vpi may be NULL: only the lock is taken, no data is returned. */
static VPIStatus image_lock(VPIImage img, VPILockMode mode,
			    VPIImageBufferType type, VPIImageData *vpi)
{
	struct mem_image_data data = { .size = sizeof(data) };
	const struct kind *kind = &kinds[type];
	unsigned int access = MEM_RW;
	struct vpi_hold *hold;
	int rc;

	if (mode != VPI_LOCK_READ && mode != VPI_LOCK_WRITE &&
	    mode != VPI_LOCK_READ_WRITE)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"there is no lock mode %d", (int)mode);
	if (kind->backend & ~img->object.flags)
		return vpi_fail(VPI_ERROR_INVALID_OPERATION,
				"%s needs the backend %s, which img was made without",
				kind->name,
				kind->as == MEM_LOCK_HOST ? "CPU" : "CUDA");
	if (img->is_view && kind->as != MEM_LOCK_HOST &&
	    kind->as != MEM_LOCK_DEVICE)
		return vpi_fail(VPI_ERROR_INVALID_OPERATION,
				"img is a view: a part has no %s of its own",
				kind->name);
	hold = calloc(1, sizeof(*hold));
	if (!hold)
		return vpi_rc(-ENOMEM, "img");
	hold->owner = pthread_self();
	hold->fd = -1;
	if (mode != VPI_LOCK_READ_WRITE)
		access = mode == VPI_LOCK_READ ? MEM_READ : MEM_WRITE;
	rc = mem_image_lock(img->mem, access, kind->as, &data);
	if (rc) {
		free(hold);
		return image_lock_failed(rc, img, vpi, kind);
	}
	if (kind->as == MEM_LOCK_FD && heapsim_nvbuf_add &&
	    !heapsim_nvbuf_add(&data, access))
		hold->fd = data.fd;
	pthread_mutex_lock(&img->lock);
	hold->next = img->holds;
	img->holds = hold;
	pthread_mutex_unlock(&img->lock);
	if (vpi)
		image_fill_data(&data, type, img->format, vpi);
	return VPI_SUCCESS;
}

/*
 * Returns the kind of a lock if the program does not pass one. For a wrapper it
 * is the kind that it wraps, since this updates the program's memory. A lock as
 * an object is the last choice, because libmem's checks of accesses end with
 * it.
 */
static VPIImageBufferType image_lock_type(const struct VPIImageImpl *image)
{
	if (image->wrapped != VPI_IMAGE_BUFFER_INVALID)
		return image->wrapped == VPI_IMAGE_BUFFER_NVBUFFER ?
		       VPI_IMAGE_BUFFER_NVSCIBUF : image->wrapped;
	if (vpiImageFormatGetMemLayout(image->format) ==
	    VPI_MEM_LAYOUT_PITCH_LINEAR) {
		if (image->object.flags & VPI_BACKEND_CPU)
			return VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR;
		if (image->object.flags & VPI_BACKEND_CUDA)
			return VPI_IMAGE_BUFFER_CUDA_PITCH_LINEAR;
	}
	return VPI_IMAGE_BUFFER_NVSCIBUF;
}

VPI_PUBLIC VPIStatus vpiImageLock(VPIImage img, VPILockMode mode)
{
	VPIStatus status;

	VPI_ENTER();
	status = vpi_object_check(img, VPI_KIND_IMAGE, "img");
	if (status)
		return status;
	return image_lock(img, mode, image_lock_type(img), NULL);
}

VPI_PUBLIC VPIStatus vpiImageLockData(VPIImage img, VPILockMode mode,
				      VPIImageBufferType bufType,
				      VPIImageData *data)
{
	const struct kind *kind;
	VPIStatus status;

	VPI_ENTER();
	status = vpi_object_check_out(img, VPI_KIND_IMAGE, "img", data, "data");
	if (status)
		return status;
	status = image_check_kind(bufType, &kind);
	return status ? status : image_lock(img, mode, bufType, data);
}

/* Takes the lock that mem_image_unlock() will release. The lock is held. */
static struct vpi_hold *image_take_hold(VPIImage img)
{
	struct vpi_hold **at = &img->holds;
	struct vpi_hold *hold;

	while (*at && !pthread_equal((*at)->owner, pthread_self()))
		at = &(*at)->next;
	if (!*at)
		at = &img->holds;
	hold = *at;
	if (hold)
		*at = hold->next;
	return hold;
}

VPI_PUBLIC VPIStatus vpiImageUnlock(VPIImage img)
{
	struct vpi_hold *hold;
	VPIStatus status;

	VPI_ENTER();
	status = vpi_object_check(img, VPI_KIND_IMAGE, "img");
	if (status)
		return status;
	pthread_mutex_lock(&img->lock);
	hold = image_take_hold(img);
	pthread_mutex_unlock(&img->lock);
	if (!hold)
		return vpi_fail(VPI_ERROR_INVALID_OPERATION,
				"img is not locked");
	if (hold->fd >= 0 && heapsim_nvbuf_del)
		heapsim_nvbuf_del(hold->fd);
	free(hold);
	return vpi_rc(mem_image_unlock(img->mem), "img");
}
