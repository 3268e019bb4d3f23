/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From EGL to libmem: what is behind streams, images and syncs of libmem-egl.
 * The CUDA layer uses this, and so can a program that connects an engine of
 * libmem to an EGL stream, or lets it work with an EGL image.
 *
 * A handle may have any value: one that does not exist is an error. The types
 * are those of EGL, which this header does not need: EGLStreamKHR, EGLImage and
 * EGLSync are pointers to void.
 */
#ifndef _HEAPSIM_EGL_H
#define _HEAPSIM_EGL_H

#include <libmem.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * heapsim_egl_connect_consumer() - connect a consumer to a stream
 * @stream: an EGLStreamKHR
 * @ctx: context of the consumer
 * @end: out: end, owned by the caller: mem_pipe_end_destroy()
 *
 * Context: any thread.
 * Return: 0, -EBADF (no such stream), or as mem_pipe_connect_consumer().
 */
int heapsim_egl_connect_consumer(void *stream, struct mem_ctx *ctx,
				 struct mem_pipe_end **end);

/**
 * heapsim_egl_connect_producer() - connect a producer to a stream
 * @stream: an EGLStreamKHR
 * @ctx: context of the producer
 * @width: of its frames, pixels
 * @height: of its frames, rows
 * @end: out: end, owned by the caller: mem_pipe_end_destroy()
 *
 * Context: any thread.
 * Return: 0, -EBADF (no such stream), or as mem_pipe_connect_producer().
 */
int heapsim_egl_connect_producer(void *stream, struct mem_ctx *ctx,
				 uint32_t width, uint32_t height,
				 struct mem_pipe_end **end);

struct heapsim_egl_memory;

/**
 * struct heapsim_egl_image - the memory of an image
 * @memory: memory, a reference: heapsim_egl_image_put()
 * @ctx: context in which the planes have their addresses
 * @len: bytes of the memory
 * @fourcc: DRM_FORMAT_*
 * @is_texture: it is a texture, which CUDA shows as an array
 * @is_float: components are floating-point numbers of 32 bits, else integers
 * @nr_planes: planes, 1 to MEM_PLANES_MAX
 * @nr_channels: components of a pixel of each plane
 * @planes: planes with addresses for engines; @off is from the start of the
 *	memory
 */
struct heapsim_egl_image {
	struct heapsim_egl_memory *memory;
	struct mem_ctx *ctx;
	uint64_t len;
	uint32_t fourcc;
	uint32_t is_texture;
	uint32_t is_float;
	uint32_t nr_planes;
	uint32_t nr_channels[MEM_PLANES_MAX];
	struct mem_plane planes[MEM_PLANES_MAX];
};

/**
 * heapsim_egl_image_get() - take a reference to the memory of an image
 * @image: an EGLImage
 * @info: out: memory
 *
 * The memory stays when the image is destroyed. There is no synchronisation.
 *
 * Context: any thread.
 * Return: 0, or -EBADF (no such image).
 */
int heapsim_egl_image_get(void *image, struct heapsim_egl_image *info);

/**
 * heapsim_egl_image_put() - give back a reference
 * @memory: memory of heapsim_egl_image_get()
 *
 * Context: may sleep; any thread.
 */
void heapsim_egl_image_put(struct heapsim_egl_memory *memory);

/**
 * heapsim_egl_image_export() - share the memory of an image
 * @memory: memory of heapsim_egl_image_get()
 * @fd: out: descriptor for mem_ptr_import(), owned by the caller
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_ptr_export() or mem_buf_export().
 */
int heapsim_egl_image_export(struct heapsim_egl_memory *memory, int *fd);

/**
 * heapsim_egl_wait() - make further work of a stream wait for a sync
 * @sync: an EGLSync
 * @stream: stream of any context
 *
 * Context: any thread.
 * Return: 0, -EBADF (no such sync), or as mem_stream_wait_fence().
 */
int heapsim_egl_wait(void *sync, struct mem_stream *stream);

#ifdef __cplusplus
}
#endif

#endif
