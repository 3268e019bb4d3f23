/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Interfaces between the files of libmem-egl, and what libmem-gl uses of it.
 *
 * There is one display, the board. Its objects have handles, which are looked
 * up at each call: any value may be passed. An object lives as long as it has a
 * handle or a user.
 */
#ifndef _COMPAT_EGL_EGL_H
#define _COMPAT_EGL_EGL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include "heapsim_egl.h"
#include "libmem.h"

#define API		__attribute__((visibility("default")))
/* Exported by libmem-egl for libmem-gl only */
#define EGL_CORE_API	__attribute__((visibility("default")))

/* Elements of an array */
#define NR(array)	(sizeof(array) / sizeof(*(array)))

enum egl_kind {
	EGL_KIND_CONTEXT,
	EGL_KIND_SURFACE,
	EGL_KIND_STREAM,
	EGL_KIND_IMAGE,
	EGL_KIND_SYNC,
	EGL_KIND_TEXTURE
};

/**
 * struct egl_object - what all objects begin with
 * @kind: kind
 * @drop: called once when the object loses its handle, by the thread that takes
 *	it away, which has a reference; NULL: there is nothing to do
 * @destroy: frees it; also called in a host function
 * @nr_users: of the object, including its handle
 * @number: of the handle; later ones are larger
 * @next: next object that has a handle, with a smaller number
 */
struct egl_object {
	enum egl_kind kind;
	void (*drop)(struct egl_object *object);
	void (*destroy)(struct egl_object *object);
	unsigned int nr_users;
	uint64_t number;
	struct egl_object *next;
};

/**
 * struct egl_context - a context of OpenGL
 * @object: object
 * @mem: context of the memory
 * @stream: all work of the context, in order
 * @texture: two-dimensional texture that is bound, a reference, or NULL
 * @error: GL_*
 * @is_current: it is current in a thread
 */
struct egl_context {
	struct egl_object object;
	struct mem_ctx *mem;
	struct mem_stream *stream;
	struct egl_texture *texture;
	unsigned int error;
	atomic_bool is_current;
};

/**
 * struct egl_format - how pixels are stored
 * @fourcc: DRM_FORMAT_*
 * @nr_channels: components
 * @channel_len: bytes of a component
 * @is_float: components are floating-point numbers
 */
struct egl_format {
	uint32_t fourcc;
	unsigned int nr_channels;
	unsigned int channel_len;
	bool is_float;
};

/**
 * struct egl_texture - a texture
 * @object: object
 * @name: name for OpenGL
 * @memory: memory, a reference; NULL: it has none yet
 * @format: format of the memory
 */
struct egl_texture {
	struct egl_object object;
	unsigned int name;
	struct heapsim_egl_memory *memory;
	struct egl_format format;
};

/**
 * struct heapsim_egl_memory - memory of images and textures
 * @nr_users: references
 * @image: what heapsim_egl_image_get() returns
 * @ptr: allocated memory; NULL: it is @buf's
 * @buf: imported buffer
 */
struct heapsim_egl_memory {
	unsigned int nr_users;
	struct heapsim_egl_image image;
	void *ptr;
	struct mem_buf *buf;
};

/* object.c */
void egl_object_add(struct egl_object *object);
void *egl_object_get(enum egl_kind kind, const void *handle);
void *egl_object_find(enum egl_kind kind,
		      bool (*is_it)(const struct egl_object *object,
				    unsigned int name),
		      unsigned int name);
EGL_CORE_API void egl_object_put(void *object);
bool egl_object_del(enum egl_kind kind, const void *handle);
void egl_objects_sweep(enum egl_kind kind,
		       bool (*is_gone)(struct egl_object *object));
void egl_objects_drop(void);

/* display.c */
EGLBoolean egl_fail(EGLint error);
EGLBoolean egl_done(void);
bool egl_is_ready(EGLDisplay display);
EGLint egl_error_of(int err);
struct mem_ctx *egl_ctx(void);

/* context.c */
EGL_CORE_API struct egl_context *egl_current(void);

/* memory.c */
int egl_memory_alloc(struct mem_ctx *ctx, unsigned int width,
		     unsigned int height, const struct egl_format *format,
		     struct heapsim_egl_memory **memory);
int egl_memory_import(struct mem_ctx *ctx, int fd,
		      const struct heapsim_egl_image *image,
		      struct heapsim_egl_memory **memory);
struct heapsim_egl_memory *egl_memory_get(struct heapsim_egl_memory *memory);

/* texture.c */
EGL_CORE_API int egl_texture_create(unsigned int *name);
EGL_CORE_API struct egl_texture *egl_texture_get(unsigned int name);
EGL_CORE_API void egl_texture_del(struct egl_texture *texture);
EGL_CORE_API int egl_texture_specify(struct egl_texture *texture,
				     unsigned int width, unsigned int height,
				     const struct egl_format *format);
EGL_CORE_API int egl_texture_write(struct egl_texture *texture,
				   struct mem_stream *stream, unsigned int x,
				   unsigned int y, unsigned int width,
				   unsigned int height, const void *pixels);
EGL_CORE_API int egl_texture_read(struct egl_texture *texture,
				  struct mem_stream *stream, void *pixels);
EGL_CORE_API int egl_texture_copy(struct egl_texture *from, unsigned int from_x,
				  unsigned int from_y, struct egl_texture *to,
				  unsigned int to_x, unsigned int to_y,
				  unsigned int width, unsigned int height,
				  struct mem_stream *stream);
struct heapsim_egl_memory *egl_texture_memory(unsigned int name);

/* missing.c */
EGLBoolean egl_missing(const char *call);

#endif
