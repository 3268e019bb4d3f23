/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interfaces between the files of libmem-vpi. */
#ifndef _COMPAT_VPI_VPI_H
#define _COMPAT_VPI_VPI_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libmem.h>
#include <libmem/image.h>

#include "vpi/Array.h"
#include "vpi/Context.h"
#include "vpi/Event.h"
#include "vpi/Image.h"
#include "vpi/Status.h"
#include "vpi/Stream.h"
#include "vpi/Types.h"

/* Begins each public call: sets its name for messages, resets the status. */
#define VPI_ENTER() vpi_enter(__func__)

/* Flags that objects may have in addition to backends */
#define VPI_OBJECT_FLAGS \
	(VPI_EXCLUSIVE_STREAM_ACCESS | VPI_RESTRICT_MEM_USAGE | \
	 VPI_REQUIRE_BACKENDS)

/* Maximum depth of a thread's stack of contexts */
#define VPI_STACK_MAX	8

enum vpi_kind {
	VPI_KIND_ARRAY,
	VPI_KIND_EVENT,
	VPI_KIND_IMAGE,
	VPI_KIND_PAYLOAD,
	VPI_KIND_STREAM
};

/**
 * struct vpi_object - common part of all objects; must be the first member
 * @kind: kind of object
 * @flags: backends, at least one, and flags of creation
 * @ctx: context that owns the object
 * @prev: next newer object of the context
 * @next: next older object of the context
 *
 * The lock of object.c protects the lists.
 */
struct vpi_object {
	enum vpi_kind kind;
	uint64_t flags;
	struct VPIContextImpl *ctx;
	struct vpi_object *prev;
	struct vpi_object *next;
};

/**
 * struct VPIContextImpl - a context
 * @id: unique id, never used again
 * @flags: backends, at least one, and flags of creation
 * @objects: head of the list of objects that the context owns
 */
struct VPIContextImpl {
	uint64_t id;
	uint64_t flags;
	struct vpi_object objects;
};

/**
 * struct VPIStreamImpl - a stream
 * @object: common part
 * @mem: stream of libmem
 * @cuda: stream of CUDA; NULL: not created yet
 * @is_wrapper: @mem and @cuda belong to the program
 * @lock: protects @status, and the creation of @cuda
 * @status: status of the stream's work, for host functions
 */
struct VPIStreamImpl {
	struct vpi_object object;
	struct mem_stream *mem;
	void *cuda;
	bool is_wrapper;

	pthread_mutex_t lock;
	VPIStatus status;
};

/**
 * struct VPIEventImpl - an event
 * @object: common part
 * @mem: event of libmem
 */
struct VPIEventImpl {
	struct vpi_object object;
	struct mem_event *mem;
};

/**
 * struct vpi_hold - a lock of an image
 * @next: next older lock
 * @owner: thread that took the lock
 * @fd: descriptor passed to heapsim_nvbuf_add(); -1: none
 */
struct vpi_hold {
	struct vpi_hold *next;
	pthread_t owner;
	int fd;
};

/**
 * struct VPIImageImpl - an image
 * @object: common part
 * @mem: image of libmem
 * @format: VPI's format
 * @width: pixels
 * @height: rows
 * @wrapped: kind of the memory that it wraps; VPI_IMAGE_BUFFER_INVALID: it is
 *	no wrapper
 * @params: parameters of a wrapper
 * @source: of a view or a wrapper: memory that libmem wraps; size 0: none. @mem
 *	holds a reference to an object.
 * @is_view: was created by vpiImageCreateView()
 * @lock: protects @holds
 * @holds: locks, newest first
 */
struct VPIImageImpl {
	struct vpi_object object;
	struct mem_image *mem;
	VPIImageFormat format;
	int32_t width;
	int32_t height;
	VPIImageBufferType wrapped;
	VPIImageWrapperParams params;
	struct mem_image_data source;
	bool is_view;

	pthread_mutex_t lock;
	struct vpi_hold *holds;
};

/**
 * struct VPIArrayImpl - an array
 * @object: common part
 * @mem: array of libmem
 * @type: type of an element
 * @capacity: maximum number of elements
 * @stride: bytes from one element to the next
 * @wrapped: kind of the memory that it wraps; VPI_ARRAY_BUFFER_INVALID: it is
 *	no wrapper
 * @nr_users: references: of the handle, of calls in streams
 * @lock: protects the fields below
 * @count: of a wrapper: libmem's number of elements; does not change while the
 *	handle exists
 * @size_at: VPI's number of elements, for the program: in its memory, or @given
 * @given: number of elements of an array that is no wrapper
 * @size: previous value at @size_at, to detect that the program has changed it
 * @nr_locks: number of locks
 * @is_written: it is locked for writing
 */
struct VPIArrayImpl {
	struct vpi_object object;
	struct mem_array *mem;
	VPIArrayType type;
	int32_t capacity;
	int32_t stride;
	VPIArrayBufferType wrapped;
	atomic_uint nr_users;

	pthread_mutex_t lock;
	uint64_t *count;
	int32_t *size_at;
	int32_t given;
	int32_t size;
	unsigned int nr_locks;
	bool is_written;
};

/**
 * struct VPIPayloadImpl - a payload of the Harris detector, the only kind
 * @object: common part
 * @width: width of images, pixels
 * @height: height of images, rows
 */
struct VPIPayloadImpl {
	struct vpi_object object;
	int32_t width;
	int32_t height;
};

/**
 * struct vpi_maker - functions that create libmem's part of an object
 * @make: creates it for users MEM_USE_*
 * @drop: destroys it
 * @name: name in messages
 */
struct vpi_maker {
	int (*make)(const void *request, uint64_t uses, void **made);
	void (*drop)(void *made);
	const char *name;
};

void vpi_enter(const char *call);
VPIStatus vpi_fail(VPIStatus status, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
VPIStatus vpi_null(const char *argument);
VPIStatus vpi_errno(int rc, const char *what);
VPIStatus vpi_rc(int rc, const char *what);

bool vpi_object_is(const void *handle, enum vpi_kind kind);
VPIStatus vpi_object_check(const void *handle, enum vpi_kind kind,
			   const char *argument);
VPIStatus vpi_object_check_out(const void *handle, enum vpi_kind kind,
			       const char *argument, const void *out,
			       const char *out_name);
VPIStatus vpi_object_add(void *handle, enum vpi_kind kind, uint64_t flags,
			 struct VPIContextImpl *ctx);
bool vpi_object_del(void *handle, enum vpi_kind kind);
void vpi_object_drop(struct vpi_object *object);
void vpi_objects_drop(struct VPIContextImpl *ctx);
VPIStatus vpi_object_flags(const void *handle, enum vpi_kind kind,
			   uint64_t *flags);

VPIStatus vpi_mem(struct mem_ctx **mem);
const char *vpi_board(void);
bool vpi_has_pageable_access(void);
VPIStatus vpi_current(struct VPIContextImpl **ctx);
VPIStatus vpi_flags(struct VPIContextImpl *ctx, uint64_t *flags,
		    uint64_t allowed, uint64_t added);
VPIStatus vpi_make(const struct vpi_maker *maker, const void *request,
		   uint64_t *flags, void **made);
uint64_t vpi_uses(uint64_t backends);
const char *vpi_backends_name(uint64_t backends, char *text, size_t len);

unsigned int vpi_format_to_mem(VPIImageFormat format);
VPIImageFormat vpi_format_of_mem(unsigned int format);
VPIStatus vpi_format_check(VPIImageFormat format, unsigned int *mem);
VPIImageFormat vpi_format_planes(VPIImageFormat format, VPISwizzle swizzle,
				 const VPIPacking *packings);

VPIStatus vpi_image_add(struct VPIContextImpl *ctx, struct mem_image *mem,
			VPIImageFormat format, VPIImageBufferType wrapped,
			uint64_t flags, VPIImage *img);
void vpi_image_drop(struct VPIImageImpl *image);
void vpi_array_drop(struct VPIArrayImpl *array);
void vpi_stream_drop(struct VPIStreamImpl *stream);
void vpi_event_drop(struct VPIEventImpl *event);
VPIStatus vpi_array_load(struct VPIArrayImpl *array);
VPIStatus vpi_array_store(struct VPIArrayImpl *array,
			  struct mem_stream *stream);
VPIStatus vpi_stream_check(VPIStream stream);
VPIStatus vpi_missing(const char *call);
VPIStatus vpi_lacks(VPIStatus status, const char *what);

#endif
