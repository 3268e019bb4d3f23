/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of libmem-vpi share among themselves. */
#ifndef _COMPAT_VPI_VPI_H
#define _COMPAT_VPI_VPI_H

#include <pthread.h>
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

/* What each call begins with: its name for messages, and no status yet. */
#define VPI_ENTER() vpi_enter(__func__)

/* Flags that objects may have beside backends */
#define VPI_OBJECT_FLAGS \
	(VPI_EXCLUSIVE_STREAM_ACCESS | VPI_RESTRICT_MEM_USAGE | \
	 VPI_REQUIRE_BACKENDS)

/* Contexts that a thread has at most */
#define VPI_STACK_MAX	8

enum vpi_kind {
	VPI_KIND_ARRAY,
	VPI_KIND_EVENT,
	VPI_KIND_IMAGE,
	VPI_KIND_PAYLOAD,
	VPI_KIND_STREAM
};

/**
 * struct vpi_object - what each handle leads to, first member of the others
 * @kind: what it is
 * @flags: backends, never none, and flags of its creation
 * @ctx: which owns it
 * @prev: of the context's, the newest first
 * @next: of the context's
 *
 * The lists are protected by the lock of object.c.
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
 * @id: of all that ever were
 * @flags: backends, never none, and flags of its creation
 * @objects: that it owns, in a ring
 */
struct VPIContextImpl {
	uint64_t id;
	uint64_t flags;
	struct vpi_object objects;
};

/**
 * struct VPIStreamImpl - a stream
 * @object: handle
 * @mem: libmem's
 * @cuda: CUDA's; NULL: none yet
 * @is_wrapper: @mem and @cuda are the program's
 * @lock: protects what follows
 * @status: of its work, as host functions see it
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
 * @object: handle
 * @mem: libmem's
 */
struct VPIEventImpl {
	struct vpi_object object;
	struct mem_event *mem;
};

/**
 * struct vpi_hold - a lock of an image
 * @next: older
 * @owner: thread that took it
 * @fd: that NvBufSurface was told of; -1: none
 */
struct vpi_hold {
	struct vpi_hold *next;
	pthread_t owner;
	int fd;
};

/**
 * struct VPIImageImpl - an image
 * @object: handle
 * @mem: libmem's
 * @format: as the program has it
 * @width: pixels
 * @height: rows
 * @wrapped: how it is in the program's memory; VPI_IMAGE_BUFFER_INVALID: the
 *	memory is its own
 * @params: of a wrapper
 * @source: of a view or a wrapper what libmem wraps; its size is 0: nothing.
 *	An object is kept by @mem
 * @is_view: it is of vpiImageCreateView()
 * @lock: protects what follows
 * @holds: locks, the newest first
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
 * @object: handle
 * @mem: libmem's
 * @type: of an element
 * @capacity: elements
 * @stride: bytes from element to element
 * @wrapped: how it is in the program's memory; VPI_ARRAY_BUFFER_INVALID: the
 *	memory is its own
 * @count: of a wrapper, where libmem keeps the number of elements
 * @lock: protects what follows
 * @size_at: where the program sees and sets it: its own, or @given
 * @given: of what is no wrapper
 * @size: what was last there
 * @nr_locks: locks
 * @is_written: the lock is to write
 */
struct VPIArrayImpl {
	struct vpi_object object;
	struct mem_array *mem;
	VPIArrayType type;
	int32_t capacity;
	int32_t stride;
	VPIArrayBufferType wrapped;
	uint64_t *count;

	pthread_mutex_t lock;
	int32_t *size_at;
	int32_t given;
	int32_t size;
	unsigned int nr_locks;
	bool is_written;
};

/**
 * struct VPIPayloadImpl - a payload; all are the Harris detector's
 * @object: handle
 * @width: of images, pixels
 * @height: of images, rows
 */
struct VPIPayloadImpl {
	struct vpi_object object;
	int32_t width;
	int32_t height;
};

/**
 * struct vpi_maker - how libmem makes what it has for a handle
 * @make: make it for MEM_USE_*
 * @drop: take it back
 * @name: what it is, for messages
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

VPIStatus vpi_image_add(struct VPIContextImpl *ctx, struct mem_image *mem,
			VPIImageFormat format, VPIImageBufferType wrapped,
			uint64_t flags, VPIImage *img);
void vpi_image_drop(struct VPIImageImpl *image);
void vpi_array_drop(struct VPIArrayImpl *array);
void vpi_stream_drop(struct VPIStreamImpl *stream);
void vpi_event_drop(struct VPIEventImpl *event);
VPIStatus vpi_array_load(struct VPIArrayImpl *array);
VPIStatus vpi_stream_check(VPIStream stream, uint64_t backend);
VPIStatus vpi_missing(const char *call);

#endif
