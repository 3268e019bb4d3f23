/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interfaces between the files of libmem-nvbuf. */
#ifndef _COMPAT_NVBUF_NVBUF_H
#define _COMPAT_NVBUF_NVBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libmem.h>
#include <libmem/image.h>

#include "nvbufsurface.h"

#define API __attribute__((visibility("default")))

/* Maximum number of buffers in a batch */
#define BATCH_MAX	1024U

/**
 * struct nvbuf_plane - a plane of a colour format
 * @fourcc: fourcc of its pixels
 * @pixel_len: bytes of a pixel
 * @x_div: width of the image divided by width of the plane
 * @y_div: height of the image divided by height of the plane
 */
struct nvbuf_plane {
	uint32_t fourcc;
	uint32_t pixel_len;
	uint32_t x_div;
	uint32_t y_div;
};

/**
 * struct nvbuf_format - a colour format
 * @std: enum mem_color_std
 * @nr_planes: number of @planes, 1 to MEM_PLANES_MAX
 * @planes: planes
 */
struct nvbuf_format {
	uint32_t std;
	uint32_t nr_planes;
	struct nvbuf_plane planes[MEM_PLANES_MAX];
};

/**
 * struct nvbuf_buffer - internal part of an NvBufSurfaceParams
 * @object: object of surface arrays and handles; for a buffer borrowed from
 *	VPI, that of the image, or NULL
 * @access: MEM_RW; MEM_READ: it is borrowed from a lock for reading
 * @memory: CUDA's or system memory; for a buffer borrowed from VPI, its mapping
 * @addr: CPU address of the object while a plane of it is mapped
 * @len: bytes
 * @fd: descriptor; -1: none
 * @mapped: a bit for each plane that is mapped
 * @is_read_only: borrowed buffer that is mapped read-only, since the lock is
 *	for reading or the descriptor permits no more
 */
struct nvbuf_buffer {
	struct mem_object *object;
	unsigned int access;
	void *memory;
	void *addr;
	uint64_t len;
	int fd;
	unsigned int mapped;
	bool is_read_only;
};

/**
 * struct nvbuf_batch - an NvBufSurface, with its internal part
 * @surf: public part; must be the first member
 * @next: next batch
 * @nr_users: number of VPI's locks from which it is borrowed; 0: the program
 *	has created it
 * @buffers: internal parts of the buffers
 */
struct nvbuf_batch {
	NvBufSurface surf;
	struct nvbuf_batch *next;
	unsigned int nr_users;
	struct nvbuf_buffer *buffers;
};

/**
 * struct nvbuf_picture - a buffer of a transform, or a part of it
 * @shown: description of the buffer, may be a copy
 * @type: kind of memory
 * @is_part: only the rectangle of the next four fields is used
 * @left: pixels
 * @top: rows
 * @width: pixels
 * @height: rows
 */
struct nvbuf_picture {
	const NvBufSurfaceParams *shown;
	NvBufSurfaceMemType type;
	bool is_part;
	uint32_t left;
	uint32_t top;
	uint32_t width;
	uint32_t height;
};

/**
 * struct nvbuf_work - transforms in a stream, and the images that they use
 * @engine: enum mem_engine
 * @interp: enum mem_interp
 * @stream: stream
 * @is_own: @stream is destroyed with the work
 * @nr_images: number of @images
 * @images: images of libmem, destroyed with the work
 */
struct nvbuf_work {
	unsigned int engine;
	unsigned int interp;
	struct mem_stream *stream;
	bool is_own;
	uint32_t nr_images;
	struct mem_image **images;
};

/* Processes a plane. Returns 0 or -errno. */
typedef int (*nvbuf_plane_act)(struct nvbuf_batch *batch, uint32_t index,
			       uint32_t plane, uint32_t arg);

int nvbuf_fail(int err);
int nvbuf_rc(int rc);

int nvbuf_ctx(struct mem_ctx **ctx);
bool nvbuf_has_vic(void);
bool nvbuf_is_embedded(void);
struct nvbuf_batch *nvbuf_batch_of(const NvBufSurface *surf);
struct nvbuf_batch *nvbuf_batch_of_fd(int fd, unsigned int *index);
struct nvbuf_batch *nvbuf_batch_new(uint32_t nr);
void nvbuf_batch_free(struct nvbuf_batch *batch);
void nvbuf_batch_add(struct nvbuf_batch *batch);
bool nvbuf_batch_take(struct nvbuf_batch *batch);

int nvbuf_lacks(const char *format, ...) __attribute__((format(printf, 1, 2)));

int nvbuf_format(NvBufSurfaceColorFormat color, struct nvbuf_format *format);
const char *nvbuf_format_name(NvBufSurfaceColorFormat color);
unsigned int nvbuf_to_mem(NvBufSurfaceColorFormat color,
			  NvBufSurfaceLayout layout);
NvBufSurfaceColorFormat nvbuf_of_mem(unsigned int format,
				     NvBufSurfaceLayout *layout);

int nvbuf_alloc(const NvBufSurfaceCreateParams *params, bool is_packed,
		NvBufSurfaceParams *shown, struct nvbuf_buffer *buffer);
void nvbuf_free(NvBufSurfaceMemType type, struct nvbuf_buffer *buffer);

int nvbuf_check(const struct nvbuf_batch *batch, int index, int plane);
int nvbuf_each_plane(const NvBufSurface *surf, int index, int plane,
		     nvbuf_plane_act act, uint32_t arg);
bool nvbuf_is_cached(const struct nvbuf_batch *batch);
int nvbuf_maintain(struct nvbuf_batch *batch, uint32_t index, uint32_t plane,
		   uint32_t op);
int nvbuf_data(const struct nvbuf_batch *batch, uint32_t index,
	       unsigned int access, struct mem_image_data *data);

int nvbuf_work_begin(struct nvbuf_work *work);
int nvbuf_work_add(struct nvbuf_work *work, const struct nvbuf_picture *dst,
		   const struct nvbuf_picture *src);
int nvbuf_work_fill(struct nvbuf_work *work, const struct nvbuf_picture *dst,
		    const uint8_t *rgba);
int nvbuf_work_end(struct nvbuf_work *work);

#endif
