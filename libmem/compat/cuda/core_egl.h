/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Connections to EGL streams, and resources: their frames, and images. */
#ifndef _COMPAT_CUDA_CORE_EGL_H
#define _COMPAT_CUDA_CORE_EGL_H

#include "core_array.h"

/* CU_EGL_COLOR_FORMAT_* that are treated specially */
enum core_egl_color {
	CORE_EGL_YUV420_PLANAR = 0x00,
	CORE_EGL_YUV420_SEMIPLANAR = 0x01,
	CORE_EGL_ARGB = 0x06,
	CORE_EGL_RGBA = 0x07,
	CORE_EGL_L = 0x08,
	CORE_EGL_R = 0x09,
	CORE_EGL_ABGR = 0x0e,
	CORE_EGL_BGRA = 0x0f,
	CORE_EGL_RG = 0x11,
	/* How many there are */
	CORE_EGL_NR_COLORS = 0x75,
};

/**
 * struct core_egl_plane - a plane
 * @ptr: address for engines, unless the frame has arrays
 * @array: array, if the frame has arrays
 * @width: pixels
 * @height: rows
 * @pitch: bytes from row to row; 0: an array
 * @nr_channels: components of a pixel
 */
struct core_egl_plane {
	void *ptr;
	CUarray array;
	unsigned int width;
	unsigned int height;
	unsigned int pitch;
	unsigned int nr_channels;
};

/**
 * struct core_egl_frame - a frame of the driver or the runtime
 * @planes: planes
 * @nr_planes: number of planes
 * @depth: of the first plane, as the producer set it; the consumer gets 0
 * @is_array: planes are arrays
 * @color: CU_EGL_COLOR_FORMAT_*, which is cudaEglColorFormat*, too
 * @format: type of a component
 */
struct core_egl_frame {
	struct core_egl_plane planes[MEM_PLANES_MAX];
	unsigned int nr_planes;
	unsigned int depth;
	bool is_array;
	unsigned int color;
	CUarray_format format;
};

/**
 * struct core_egl_memory - the memory of a plane, for another context
 * @id: of the buffer in the producer's context; 0: the plane needs no import
 * @off: offset of the plane
 * @len: bytes of the allocation
 * @flags: of mem_ptr_import()
 * @fd: descriptor
 */
struct core_egl_memory {
	uint64_t id;
	uint64_t off;
	uint64_t len;
	unsigned int flags;
	int fd;
};

/**
 * struct core_egl_shared - a frame that may be of another context
 * @frame: frame; its addresses are the producer's if its memory is imported
 * @memory: memory of each plane
 */
struct core_egl_shared {
	struct core_egl_frame frame;
	struct core_egl_memory memory[MEM_PLANES_MAX];
};

/**
 * struct CUgraphicsResource_st - a frame of a stream, or an image
 * @ctx: context that owns it
 * @is_image: an image; else a frame, which its connection owns
 * @is_held: it can be used: an image, or a frame that is not released
 * @frame: planes; arrays are views, which the resource owns
 * @len: bytes from the first plane's address to the end of the memory; 0:
 *	unknown
 * @id: of the frame in its pipe
 * @age: of a frame: number of the acquire
 * @from: what the producer presented; its descriptors are closed
 * @memory: of an image, a reference
 * @imports: memory of another context, by plane; of an image only the first
 * @copies: copies of planes in memory of another device, or NULL
 * @sources: what they are copies of
 * @used: end of the work that uses the copies; NULL: there was none
 */
struct CUgraphicsResource_st {
	struct CUctx_st *ctx;
	bool is_image;
	bool is_held;
	struct core_egl_frame frame;
	uint64_t len;
	uint64_t id;
	uint64_t age;
	struct core_egl_shared from;
	struct heapsim_egl_memory *memory;
	void *imports[MEM_PLANES_MAX];
	void *copies[MEM_PLANES_MAX];
	void *sources[MEM_PLANES_MAX];
	struct mem_event *used;
};

/* Roles of a connection */
enum core_egl_role {
	CORE_EGL_CONSUMER,
	CORE_EGL_PRODUCER,
};

struct CUeglStreamConnection_st;

/* egl_frame.c */
unsigned int core_egl_pixel_len(CUarray_format format,
				unsigned int nr_channels);
int core_egl_pack(const struct core_egl_frame *frame, unsigned int slot,
		  struct mem_frame *to);
unsigned int core_egl_slot(const struct mem_frame *frame);
int core_egl_unpack(const struct mem_frame *frame, struct core_egl_frame *to);

/* egl_share.c */
struct core_egl_share;

int core_egl_share_create(struct CUctx_st *ctx, struct core_egl_share **share);
void core_egl_share_destroy(struct core_egl_share *share);
int core_egl_share_pack(struct core_egl_share *share, unsigned int slot,
			struct mem_frame *frame);
int core_egl_share_open(const struct mem_frame *frame,
			struct core_egl_shared *shared);
void core_egl_share_close(struct core_egl_shared *shared);
int core_egl_import(struct CUctx_st *ctx, const struct core_egl_shared *shared,
		    struct core_egl_frame *frame, void **imports);
void core_egl_import_free(struct CUctx_st *ctx, void **imports);

/* egl_copy.c */
int core_egl_copy_make(struct CUgraphicsResource_st *resource);
int core_egl_copy_run(struct CUgraphicsResource_st *resource,
		      struct mem_stream *stream);
int core_egl_copy_end(struct CUgraphicsResource_st *resource,
		      struct mem_stream *stream);
void core_egl_copy_free(struct CUgraphicsResource_st *resource);

/* egl.c. Times are in ns. */
CORE_API int core_egl_connect(enum core_egl_role role, void *stream,
			      unsigned int width, unsigned int height,
			      struct CUeglStreamConnection_st **conn);
CORE_API int core_egl_disconnect(enum core_egl_role role,
				 struct CUeglStreamConnection_st *conn);
CORE_API int core_egl_present(struct CUeglStreamConnection_st *conn,
			      const struct core_egl_frame *frame,
			      CUstream stream);
CORE_API int core_egl_return(struct CUeglStreamConnection_st *conn,
			     CUstream stream, struct core_egl_frame *frame);
CORE_API int core_egl_acquire(struct CUeglStreamConnection_st *conn,
			      CUstream stream, uint64_t timeout_ns,
			      CUgraphicsResource *resource);
CORE_API int core_egl_release(struct CUeglStreamConnection_st *conn,
			      CUgraphicsResource resource, CUstream stream);

/* graphics.c */
int core_graphics_view(struct CUctx_st *ctx, struct core_egl_frame *frame);
void core_graphics_unview(struct core_egl_frame *frame);
CORE_API int core_graphics_register(void *image, unsigned int flags,
				    CUgraphicsResource *resource);
CORE_API int core_graphics_unregister(CUgraphicsResource resource);
CORE_API int core_graphics_frame(CUgraphicsResource resource,
				 unsigned int index, unsigned int level,
				 struct core_egl_frame *frame);
CORE_API int core_graphics_array(CUgraphicsResource resource,
				 unsigned int index, unsigned int level,
				 CUarray *array);
CORE_API int core_graphics_ptr(CUgraphicsResource resource, void **ptr,
			       size_t *len);
CORE_API int core_graphics_check(const CUgraphicsResource *all,
				 unsigned int nr, CUstream stream);
CORE_API int core_event_from_sync(void *sync, unsigned int flags,
				  CUevent *event);

#endif
