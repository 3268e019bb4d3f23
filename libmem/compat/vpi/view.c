// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Views: images of a part of another image. libmem wraps the part of the
 * image's object, or of the memory that the image wraps. Each view has its own
 * internal copy for backends that need one: its jobs copy from and to the
 * program's memory, in the order of their stream, and only the bytes of their
 * part.
 */
#include <errno.h>
#include <string.h>

#include "vpi.h"

#define VIEW_BACKENDS	(VPI_BACKEND_CPU | VPI_BACKEND_CUDA)

/* Describes the image's memory. The caller drops the reference to an object. */
static VPIStatus view_parent_data(struct VPIImageImpl *parent,
				  struct mem_image_data *data)
{
	int rc;

	if (parent->source.size) {
		*data = parent->source;
		if (data->object)
			mem_object_get(data->object);
		return VPI_SUCCESS;
	}
	memset(data, 0, sizeof(*data));
	data->size = sizeof(*data);
	rc = mem_image_lock(parent->mem, MEM_READ, MEM_LOCK_OBJECT, data);
	if (rc == -EBUSY)
		return vpi_fail(VPI_ERROR_BUFFER_LOCKED,
				"the parent is locked to be written: vpiImageUnlock() first");
	if (rc)
		return vpi_errno(rc, "the parent");
	mem_object_get(data->object);
	mem_image_unlock(parent->mem);
	return VPI_SUCCESS;
}

/* Returns the pixels of a plane that correspond to @pixels of the image. */
static int32_t view_plane_pixels(VPIImageFormat format, int plane,
				 int32_t pixels, bool is_width)
{
	if (!pixels)
		return 0;
	return is_width ? vpiImageFormatGetPlaneWidth(format, pixels, plane) :
			  vpiImageFormatGetPlaneHeight(format, pixels, plane);
}

static void view_crop_data(struct mem_image_data *data, VPIImageFormat format,
			   const VPIRectangleI *clip)
{
	struct mem_plane *plane;
	uint64_t delta;
	uint32_t i;

	data->width = clip->width;
	data->height = clip->height;
	data->flags = MEM_IMAGE_ANY_STD;
	for (i = 0; i < data->nr_planes; i++) {
		plane = &data->planes[i];
		plane->width = view_plane_pixels(format, i, clip->width, true);
		plane->height =
			view_plane_pixels(format, i, clip->height, false);
		delta = (uint64_t)view_plane_pixels(format, i, clip->y, false) *
			plane->pitch +
			view_plane_pixels(format, i, clip->x, true) *
			plane->pixel_len;
		plane->off += delta;
		if (plane->base)
			plane->base = (char *)plane->base + delta;
	}
}

static VPIStatus view_check_clip(const struct VPIImageImpl *parent,
				 const VPIRectangleI *clip)
{
	VPIChromaSubsampling css =
		vpiImageFormatGetChromaSubsampling(parent->format);

	if (clip->x < 0 || clip->y < 0 || clip->width < 1 || clip->height < 1 ||
	    (int64_t)clip->x + clip->width > parent->width ||
	    (int64_t)clip->y + clip->height > parent->height)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"clipBounds %dx%d at %d, %d is not inside the parent, %dx%d",
				clip->width, clip->height, clip->x, clip->y,
				parent->width, parent->height);
	if (css != VPI_CSS_NONE && css != VPI_CSS_444 &&
	    (clip->x % 2 || clip->y % 2))
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"clipBounds begins at %d, %d: chroma needs even numbers",
				clip->x, clip->y);
	return VPI_SUCCESS;
}

/* Describes the memory of a view of @parent, like view_parent_data(). */
static VPIStatus view_data(VPIImage parent, const char *name,
			   const VPIRectangleI *clip,
			   struct mem_image_data *data)
{
	VPIStatus status;

	status = vpi_object_check(parent, VPI_KIND_IMAGE, name);
	if (status)
		return status;
	if (!clip)
		return vpi_null("clipBounds");
	status = view_check_clip(parent, clip);
	if (status)
		return status;
	if (parent->wrapped != VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR &&
	    parent->wrapped != VPI_IMAGE_BUFFER_CUDA_PITCH_LINEAR &&
	    parent->object.flags & VPI_BACKEND_MASK & ~VIEW_BACKENDS)
		return vpi_fail(VPI_ERROR_INVALID_OPERATION,
				"a parent of a view wraps memory of the CPU or CUDA, or is made for the backends CPU and CUDA alone");
	if (vpiImageFormatGetMemLayout(parent->format) !=
	    VPI_MEM_LAYOUT_PITCH_LINEAR)
		return vpi_fail(VPI_ERROR_NOT_IMPLEMENTED,
				"a part of block-linear pixels has no rows");
	status = view_parent_data(parent, data);
	if (!status)
		view_crop_data(data, parent->format, clip);
	return status;
}

VPI_PUBLIC VPIStatus vpiImageCreateView(VPIImage imgParent,
					const VPIRectangleI *clipBounds,
					uint64_t flags, VPIImage *imgView)
{
	struct mem_image_data data;
	struct VPIContextImpl *ctx;
	struct mem_image *made;
	struct mem_ctx *mem;
	uint64_t backends;
	VPIStatus status;
	int rc;

	VPI_ENTER();
	if (!imgView)
		return vpi_null("imgView");
	status = view_data(imgParent, "imgParent", clipBounds, &data);
	if (status)
		return status;
	status = vpi_current(&ctx);
	if (!status && ctx != imgParent->object.ctx)
		status = vpi_fail(VPI_ERROR_INVALID_CONTEXT,
				  "imgParent is of another context than the current one");
	if (!status)
		status = vpi_flags(ctx, &flags, VPI_OBJECT_FLAGS, 0);
	backends = flags & imgParent->object.flags & VPI_BACKEND_MASK;
	if (!status && !backends)
		status = vpi_fail(VPI_ERROR_INVALID_OPERATION,
				  "imgParent has none of the backends");
	if (!status)
		status = vpi_mem(&mem);
	if (!status) {
		rc = mem_image_wrap(mem, &data, vpi_uses(backends), &made);
		status = vpi_rc(rc, "the view");
	}
	if (!status)
		status = vpi_image_add(ctx, made, imgParent->format,
				       VPI_IMAGE_BUFFER_INVALID,
				       (flags & ~VPI_BACKEND_MASK) | backends,
				       imgView);
	if (!status) {
		(*imgView)->source = data;
		(*imgView)->is_view = true;
	}
	/* The view's image holds its own reference. */
	if (data.object)
		mem_object_put(data.object);
	return status;
}

VPI_PUBLIC VPIStatus vpiImageSetView(VPIImage view, VPIImage parent,
				     const VPIRectangleI *clipBounds)
{
	struct mem_image_data data;
	VPIStatus status;
	int rc;

	VPI_ENTER();
	status = vpi_object_check(view, VPI_KIND_IMAGE, "view");
	if (!status)
		status = view_data(parent, "parent", clipBounds, &data);
	if (status)
		return status;
	if (!view->is_view)
		status = vpi_fail(VPI_ERROR_INVALID_OPERATION,
				  "view is not of vpiImageCreateView()");
	else if (clipBounds->width != view->width ||
		 clipBounds->height != view->height)
		status = vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				  "clipBounds is %dx%d, the view %dx%d",
				  clipBounds->width, clipBounds->height,
				  view->width, view->height);
	else if (parent->format != view->format)
		status = vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				  "parent and view have two formats");
	else if (data.as != view->source.as)
		status = vpi_fail(VPI_ERROR_INVALID_OPERATION,
				  "parent has memory of another kind than the view was made of");
	if (!status) {
		rc = mem_image_rewrap(view->mem, &data);
		status = rc == -EBUSY ?
			 vpi_fail(VPI_ERROR_INVALID_OPERATION,
				  "view is locked: vpiImageUnlock() first") :
			 vpi_rc(rc, "the view");
	}
	if (!status)
		view->source = data;
	if (data.object)
		mem_object_put(data.object);
	return status;
}
