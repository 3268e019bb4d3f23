// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Copies of frames whose memory is that of another device: on a board with a
 * discrete GPU, neither GPU can access the device memory of the other. Each
 * acquire copies the frame, in order of the consumer's stream.
 */
#include <stdatomic.h>
#include <string.h>

#include "core_egl.h"
#include "heapsim_cuda.h"
#include "internal.h"

static atomic_ullong nr_copies;
static atomic_ullong nr_bytes;

/* heapsim_cuda.h documents this call. */
API int heapsim_cuda_frame_copies(uint64_t *nr, uint64_t *bytes)
{
	if (!nr || !bytes)
		return CUDA_ERROR_INVALID_VALUE;
	*nr = atomic_load(&nr_copies);
	*bytes = atomic_load(&nr_bytes);
	return CUDA_SUCCESS;
}

/* Returns true if the context's device cannot access the memory. */
static bool copy_is_needed(const struct CUctx_st *ctx, const void *ptr,
			   struct mem_ptr_info *info)
{
	*info = (struct mem_ptr_info){ .size = sizeof(*info) };
	return !mem_ptr_info(ctx->mem, ptr, info) &&
	       info->kind == MEM_KIND_DEVICE &&
	       !!(info->flags & MEM_DEVICE_DISCRETE) !=
	       ctx->device->is_discrete;
}

/* A width may be in bytes: core_egl_pack(). */
static uint64_t copy_row_len(const struct core_egl_frame *frame,
			     const struct core_egl_plane *plane)
{
	unsigned int pixel_len = core_egl_pixel_len(frame->format,
						    plane->nr_channels);
	uint64_t len;

	/* Pixels of a producer that is not CUDA are of any number of bytes. */
	if (!pixel_len)
		pixel_len = plane->nr_channels *
			    core_format_len(frame->format, 1);
	len = (uint64_t)plane->width * pixel_len;
	return len < plane->pitch ? len : plane->pitch;
}

/* Returns true if all rows are in the memory. */
static bool copy_fits(const struct core_egl_frame *frame,
		      const struct core_egl_plane *plane,
		      const struct mem_ptr_info *info)
{
	const uint64_t off = (char *)plane->ptr - (char *)info->base;
	const uint64_t len = (uint64_t)plane->pitch * (plane->height - 1) +
			     copy_row_len(frame, plane);

	return len <= info->len - off;
}

/**
 * core_egl_copy_make() - allocate the copy of a frame, if it needs one
 * @resource: resource with the frame; its planes have the addresses of the
 *	copies after this
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_NOT_SUPPORTED (a frame of arrays; rows
 * beyond the memory, from a producer of another process), or core_error() of
 * mem_alloc(): what was allocated remains.
 */
int core_egl_copy_make(struct CUgraphicsResource_st *resource)
{
	const struct CUctx_st *ctx = resource->ctx;
	const unsigned int flags = ctx->device->is_discrete ?
		MEM_DEVICE_DISCRETE : 0;
	struct core_egl_frame *frame = &resource->frame;
	struct mem_ptr_info info;
	unsigned int i;
	int err;

	for (i = 0; i < frame->nr_planes; i++) {
		struct core_egl_plane *plane = &frame->planes[i];

		if (!copy_is_needed(ctx, plane->ptr, &info))
			continue;
		if (frame->is_array || !copy_fits(frame, plane, &info))
			return CUDA_ERROR_NOT_SUPPORTED;
		err = mem_alloc(ctx->mem, MEM_KIND_DEVICE,
				(uint64_t)plane->pitch * plane->height, flags,
				&resource->copies[i]);
		if (err)
			return core_error(err);
		mem_set_name(ctx->mem, resource->copies[i], "frame");
		resource->sources[i] = plane->ptr;
		plane->ptr = resource->copies[i];
	}
	return CUDA_SUCCESS;
}

/**
 * core_egl_copy_run() - copy a frame that was acquired, if it needs that
 * @resource: resource with the frame
 * @stream: stream of the acquire
 *
 * Return: CUDA_SUCCESS, or core_error() of mem_copy_rows_async().
 */
int core_egl_copy_run(struct CUgraphicsResource_st *resource,
		      struct mem_stream *stream)
{
	const struct core_egl_frame *frame = &resource->frame;
	unsigned int i;
	int err = 0;

	/* The earlier copy may still be in use. */
	if (resource->used)
		err = mem_stream_wait_event(stream, resource->used);
	for (i = 0; i < frame->nr_planes && !err; i++) {
		const struct core_egl_plane *plane = &frame->planes[i];
		const struct mem_rows rows = {
			.dst = resource->copies[i],
			.dst_pitch = plane->pitch,
			.src = resource->sources[i],
			.src_pitch = plane->pitch,
			.row_len = copy_row_len(frame, plane),
			.nr_rows = plane->height,
		};

		if (!resource->copies[i])
			continue;
		err = mem_copy_rows_async(stream, &rows,
					  MEM_DIR_DEVICE_TO_DEVICE);
		if (!err) {
			atomic_fetch_add(&nr_copies, 1);
			atomic_fetch_add(&nr_bytes, rows.row_len *
						    rows.nr_rows);
		}
	}
	return core_error(err);
}

/**
 * core_egl_copy_end() - note the work that uses the copy of a frame
 * @resource: resource that is released
 * @stream: stream of the release
 *
 * Return: CUDA_SUCCESS, or core_error() of mem_event_record().
 */
int core_egl_copy_end(struct CUgraphicsResource_st *resource,
		      struct mem_stream *stream)
{
	bool is_copied = false;
	unsigned int i;
	int err = 0;

	for (i = 0; i < MEM_PLANES_MAX; i++)
		is_copied |= !!resource->copies[i];
	if (!is_copied)
		return CUDA_SUCCESS;
	if (!resource->used)
		err = mem_event_create(resource->ctx->mem, MEM_EVENT_NO_TIMING,
				       &resource->used);
	if (!err)
		err = mem_event_record(resource->used, stream);
	return core_error(err);
}

/**
 * core_egl_copy_free() - free the copy of a frame
 * @resource: resource
 */
void core_egl_copy_free(struct CUgraphicsResource_st *resource)
{
	unsigned int i;

	for (i = 0; i < MEM_PLANES_MAX; i++)
		if (resource->copies[i])
			mem_free(resource->ctx->mem, resource->copies[i]);
	memset(resource->copies, 0, sizeof(resource->copies));
	mem_event_destroy(resource->used);
	resource->used = NULL;
}
