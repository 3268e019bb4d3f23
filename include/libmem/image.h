/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Images and arrays: objects that know their format, are locked to be touched
 * by the program, and are worked on by engines in order of a stream. Part of
 * libmem.h.
 *
 * An image is made for the engines that will use it. A lock gives its memory to
 * the program: as pointers of the CPU or of engines, as a file descriptor or as
 * an object; the unlock gives it back. Between the two no job may use it. What
 * cache maintenance that takes on the board is done by lock and unlock. The
 * model is VPI's (NVIDIA, Vision Programming Interface).
 */
#ifndef _LIBMEM_IMAGE_H
#define _LIBMEM_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include <libmem/attrs.h>
#include <libmem/format.h>
#include <libmem/object.h>

#ifdef __cplusplus
extern "C" {
/* A call may have the name of a struct, as stat() has. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif

struct mem_array;
struct mem_image;
struct mem_stream;

/* Largest width and height, pixels */
#define MEM_IMAGE_MAX		16384U

/*
 * Who will use an image or array: bit 1 << enum mem_engine, and these. 0 stands
 * for all that the board has.
 */
#define MEM_USE_DMA		MEM_ATTR_ENGINE_DMA
#define MEM_USE_CPU		(1ULL << 33)

/* The CPU as an engine of image jobs: the job is a host function. */
#define MEM_ENGINE_CPU		0x100U

/**
 * enum mem_lock_as - what a lock gives
 * @MEM_LOCK_HOST: pointers of the CPU
 * @MEM_LOCK_DEVICE: pointers of engines, for kernels and copies
 * @MEM_LOCK_FD: a file descriptor: a surface. On boards that export surfaces
 *	(thor)
 * @MEM_LOCK_OBJECT: the image's object
 */
enum mem_lock_as {
	MEM_LOCK_HOST,
	MEM_LOCK_DEVICE,
	MEM_LOCK_FD,
	MEM_LOCK_OBJECT
};

/**
 * struct mem_plane - a plane in memory
 * @width: pixels
 * @height: rows
 * @pixel_len: bytes of a pixel
 * @pitch: bytes from row to row
 * @off: bytes from the start of the image's memory
 * @base: first byte, of whoever the lock or wrapper says; NULL with
 *	MEM_LOCK_FD and MEM_LOCK_OBJECT
 *
 * It has no size, and does not grow: it is an element of a list.
 */
struct mem_plane {
	uint32_t width;
	uint32_t height;
	uint32_t pixel_len;
	uint32_t pitch;
	uint64_t off;
	void *base;
};

/**
 * MEM_IMAGE_ANY_STD - the format of a wrapper overrides its object's standard
 *
 * The planes of the object are compared with those of the format as usual, and
 * its colour standards, which have the range, are ignored. Without a format,
 * the first one with colour and these planes is used.
 */
#define MEM_IMAGE_ANY_STD	(1U << 0)

/**
 * struct mem_image_data - the memory of an image, locked or to be wrapped
 * @size: sizeof of this struct
 * @as: enum mem_lock_as
 * @format: enum mem_format
 * @width: pixels
 * @height: rows
 * @nr_planes: as the format has
 * @planes: each
 * @fd: with MEM_LOCK_FD; of a lock the image's own, valid until the unlock, of
 *	a wrapper the caller's; else -1
 * @flags: of a wrapper 0 or MEM_IMAGE_ANY_STD; of a lock 0
 * @object: with MEM_LOCK_OBJECT; of a lock the image's own, valid until the
 *	unlock; of a lock with MEM_LOCK_FD that of @fd, or NULL; else NULL
 */
struct mem_image_data {
	uint32_t size;
	uint32_t as;
	uint32_t format;
	uint32_t width;
	uint32_t height;
	uint32_t nr_planes;
	struct mem_plane planes[MEM_PLANES_MAX];
	int32_t fd;
	uint32_t flags;
	struct mem_object *object;
};

/**
 * enum mem_wrap_why - why a wrapper copies
 * @MEM_WRAP_NO_COPY: it does not
 * @MEM_WRAP_PAGEABLE: engines have no access to the memory
 * @MEM_WRAP_NO_HOST: the CPU has no access to it
 * @MEM_WRAP_ALIGN: an engine needs another pitch or place
 * @MEM_WRAP_READ_ONLY: engines may not write it, the CPU may
 */
enum mem_wrap_why {
	MEM_WRAP_NO_COPY,
	MEM_WRAP_PAGEABLE,
	MEM_WRAP_NO_HOST,
	MEM_WRAP_ALIGN,
	MEM_WRAP_READ_ONLY
};

/**
 * struct mem_image_info - the state of an image
 * @size: in: sizeof of this struct; out: bytes that were filled in
 * @format: out: enum mem_format
 * @width: out: pixels
 * @height: out: rows
 * @uses: out: who may use it, never 0
 * @is_wrapper: out: 1: the memory is the caller's
 * @copies: out: enum mem_wrap_why: 0, or why there is a copy inside
 * @nr_locks: out: locks that are held now
 * @lock_access: out: MEM_READ, MEM_RW or 0
 * @nr_copies: out: copies made so far between the caller's memory and the one
 *	inside
 * @copied_bytes: out: bytes of those
 * @name: out: see mem_image_set_name()
 */
struct mem_image_info {
	uint32_t size;
	uint32_t format;
	uint32_t width;
	uint32_t height;
	uint64_t uses;
	uint32_t is_wrapper;
	uint32_t copies;
	uint32_t nr_locks;
	uint32_t lock_access;
	uint64_t nr_copies;
	uint64_t copied_bytes;
	char name[32];
};

/** enum mem_interp - pixels between pixels */
enum mem_interp {
	MEM_INTERP_NEAREST,
	MEM_INTERP_LINEAR
};

/** enum mem_border - pixels beyond an image */
enum mem_border {
	MEM_BORDER_ZERO,
	MEM_BORDER_CLAMP	/* the nearest pixel of the image */
};

/**
 * struct mem_convert - how a conversion computes
 * @size: in: sizeof of this struct
 * @is_saturating: in: 1: what does not fit becomes the nearest value; 0: it
 *	wraps
 * @scale: in: multiplied with each component; 0 stands for 1
 * @offset: in: then added
 */
struct mem_convert {
	uint32_t size;
	uint32_t is_saturating;
	double scale;
	double offset;
};

/**
 * struct mem_keypoint - a point of an image, element of MEM_DATA_KEYPOINT
 * @x: pixels from the left
 * @y: pixels from the top
 *
 * It has no size, and does not grow: it is an element of an array.
 */
struct mem_keypoint {
	float x;
	float y;
};

/**
 * struct mem_harris - parameters of the Harris detector
 * @size: in: sizeof of this struct
 * @gradient_len: in: width of the gradient's window: 3, 5 or 7
 * @block_len: in: width of the window that gradients are summed over: 3, 5, 7
 * @reserved: in: 0
 * @strength: in: lowest score that is kept
 * @sensitivity: in: k of det - k * trace^2
 * @min_distance: in: of two keypoints nearer than this, pixels, the one of
 *	lower score is dropped
 * @reserved2: in: 0
 */
struct mem_harris {
	uint32_t size;
	uint32_t gradient_len;
	uint32_t block_len;
	uint32_t reserved;
	float strength;
	float sensitivity;
	float min_distance;
	uint32_t reserved2;
};

/**
 * struct mem_array_data - the memory of an array, locked or to be wrapped
 * @size: sizeof of this struct
 * @as: MEM_LOCK_HOST, MEM_LOCK_DEVICE or MEM_LOCK_OBJECT
 * @data_type: enum mem_data_type
 * @stride: bytes from element to element
 * @capacity: elements
 * @count: elements that it holds; of a wrapper where that is kept, in the same
 *	kind of memory; of a lock the array's own
 * @base: first element; NULL with MEM_LOCK_OBJECT
 * @object: with MEM_LOCK_OBJECT, else NULL
 */
struct mem_array_data {
	uint32_t size;
	uint32_t as;
	uint32_t data_type;
	uint32_t stride;
	uint64_t capacity;
	uint64_t *count;
	void *base;
	struct mem_object *object;
};

/**
 * mem_image_create() - make an image
 * @ctx: context; kept by the image
 * @width: 1 to MEM_IMAGE_MAX, pixels
 * @height: 1 to MEM_IMAGE_MAX, rows
 * @format: enum mem_format
 * @uses: engines that will use it, MEM_USE_*, 0: all that the board has
 * @image: out: the image, zeroed, owned by the caller: mem_image_destroy()
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (a pointer is NULL, a number is out of range, no such
 * format or use, sides that the format cannot have), -EOPNOTSUPP (the board has
 * no such engine, or one of them cannot have such an image), -EPERM (see
 * mem_attrs_create()), -EMFILE or -ENFILE, -ENOMEM.
 */
int mem_image_create(struct mem_ctx *ctx, uint32_t width, uint32_t height,
		     unsigned int format, uint64_t uses,
		     struct mem_image **image);

/**
 * mem_image_wrap() - make an image of the caller's memory
 * @ctx: context
 * @data: the memory: MEM_LOCK_HOST: any memory of the process;
 *	MEM_LOCK_DEVICE: managed, pinned, device or registered memory of @ctx;
 *	MEM_LOCK_FD: a dma-buf, what mem_buf_export() gave, or any file that
 *	can be mapped, with the planes at their @off; one that is open for
 *	reading alone is never written;
 *	MEM_LOCK_OBJECT: an object with an image's attributes, which gives the
 *	planes; or, with @data->nr_planes above 0, a part of it: planes at
 *	their @off in the object, of its pitch. @data->format has the same
 *	planes, layout and range of pixels, whatever the colour standard; or it
 *	is MEM_FORMAT_INVALID: the format that has the standard, too, which of
 *	one plane need be of the range alone. Except for an object, which the
 *	image keeps, it is to stay until the image is destroyed
 * @uses: as at mem_image_create()
 * @image: out: the image, owned by the caller: mem_image_destroy()
 *
 * No byte is copied where all of @uses have access to the memory as it is. Else
 * the image has a copy inside, which mem_image_info() explains: it is filled
 * before a job reads it, and copied back before the program may look: at a wait
 * of the host for the job, or at a lock.
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_image_create(); -EINVAL also if planes overlap, do not
 * hold the format's pixels, or the file or object is shorter; -E2BIG (a tail of
 * @data that this library does not know is not 0); -EXDEV (memory or object of
 * another context); -EBADF (@data->fd is not open); -EACCES (neither the CPU
 * nor an engine has access to it); -EOPNOTSUPP also if no format is named and
 * none has the object's planes, layout and colour standard.
 */
int mem_image_wrap(struct mem_ctx *ctx, const struct mem_image_data *data,
		   uint64_t uses, struct mem_image **image);

/**
 * mem_image_rewrap() - have a wrapper wrap other memory
 * @image: of mem_image_wrap(), not locked
 * @data: of the same kind, format and sides as before
 *
 * Waits for the jobs that use the image.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EPERM (@image is no wrapper), -EBUSY (it is locked), or as
 * mem_image_wrap().
 */
int mem_image_rewrap(struct mem_image *image,
		     const struct mem_image_data *data);

/**
 * mem_image_destroy() - give an image back
 * @image: image, or NULL, which does nothing
 *
 * Jobs that use it go on. A lock that is held is reported as a violation.
 *
 * Context: may sleep; any thread.
 */
void mem_image_destroy(struct mem_image *image);

/**
 * mem_image_set_name() - name an image for reports
 * @image: image
 * @name: shorter than MEM_NAME_LEN, copied
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @name is too long), -EPERM (see
 * mem_attrs_create()).
 */
int mem_image_set_name(struct mem_image *image, const char *name);

/**
 * mem_image_info() - the state of an image
 * @image: image
 * @info: in and out: @info->size is set by the caller
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @info->size is below the struct's
 * first version or no multiple of 8), -EPERM (a child of the process that
 * opened the context).
 */
int mem_image_info(struct mem_image *image, struct mem_image_info *info);

/**
 * mem_image_lock() - have the memory of an image
 * @image: image
 * @access: MEM_READ, MEM_WRITE or MEM_RW
 * @as: enum mem_lock_as
 * @data: in and out: @data->size is set by the caller; valid until the unlock
 *
 * Waits for jobs that use the image. Locks count: several for reading may be
 * held at a time, of any kind; one for writing excludes all others. Each needs
 * its mem_image_unlock(). What is not written stays as it is.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (a pointer is NULL, no such @access or @as,
 * @data->size), -EBUSY (a lock is held that excludes this one), -EACCES (its
 * @uses do not include who would have the pointers: the CPU, or an engine that
 * runs kernels; it is to be written, and wraps what may only be read),
 * -EOPNOTSUPP (the board exports no surfaces; block-linear pixels have no
 * pointers; a wrapper has no object, and for MEM_LOCK_FD no dma-buf, either),
 * -EFAULT (what it wraps is there no more, which is a violation), -EPERM (see
 * mem_attrs_create()), -EMFILE or -ENFILE, -ENOMEM, or what ended the work of
 * the context.
 */
int mem_image_lock(struct mem_image *image, unsigned int access,
		   unsigned int as, struct mem_image_data *data);

/**
 * mem_image_unlock() - give it back
 * @image: image
 *
 * The newest lock first, of the calling thread if it has any.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (@image is NULL), -ENOLCK (it is not locked), -EPERM
 * (see mem_attrs_create()), or what a copy to the memory of a wrapper came to,
 * as mem_stream_sync(): then it is unlocked all the same.
 */
int mem_image_unlock(struct mem_image *image);

/**
 * mem_image_copy() - have an engine copy an image
 * @stream: in order of this one
 * @engine: enum mem_engine, or MEM_ENGINE_CPU
 * @dst: of the same format and sides
 * @src: another image
 *
 * This and the calls below return before the job has run. Images may be
 * destroyed at once.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL, formats or sides that do not
 * fit), -EBUSY (an image is locked), -EACCES (an image is not for @engine, or
 * @dst may only be read), -EOPNOTSUPP (the board has no such engine, or that
 * does not do it for such images), -EFAULT (what an image wraps is there no
 * more), -EXDEV (an image of another context), -ENOMEM, or as mem_launch().
 */
int mem_image_copy(struct mem_stream *stream, unsigned int engine,
		   struct mem_image *dst, struct mem_image *src);

/**
 * mem_image_fill() - have an engine fill an image with one colour
 * @stream: in order of this one
 * @engine: enum mem_engine, or MEM_ENGINE_CPU
 * @dst: image
 * @value: a component each, of all planes in order; integers are rounded and
 *	clamped
 * @nr_values: components of the format
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_image_copy().
 */
int mem_image_fill(struct mem_stream *stream, unsigned int engine,
		   struct mem_image *dst, const double *value,
		   size_t nr_values);

/**
 * mem_image_convert() - have an engine convert an image's format
 * @stream: in order of this one
 * @engine: enum mem_engine, or MEM_ENGINE_CPU
 * @dst: of the same sides; block-linear only if @src has the same pixels
 * @src: pitch-linear, or block-linear with the pixels of @dst
 * @how: NULL: no scale, saturating
 *
 * Formats of one component are converted to each other, RGB, luma and NV12
 * formats by BT.601 in the range that each has. Scale and offset apply if the
 * source or the target has one component. Documentation/images.rst has the
 * formulas of this and of all other jobs.
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_image_copy(); -E2BIG (a tail of @how that this library
 * does not know is not 0).
 */
int mem_image_convert(struct mem_stream *stream, unsigned int engine,
		      struct mem_image *dst, struct mem_image *src,
		      const struct mem_convert *how);

/**
 * mem_image_rescale() - have an engine scale an image
 * @stream: in order of this one
 * @engine: enum mem_engine, or MEM_ENGINE_CPU
 * @dst: of the same format
 * @src: pitch-linear
 * @interp: enum mem_interp
 * @border: enum mem_border
 *
 * Pixel centres are at half pixels: x of the source is (x + 0.5) * source width
 * / target width - 0.5.
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_image_copy().
 */
int mem_image_rescale(struct mem_stream *stream, unsigned int engine,
		      struct mem_image *dst, struct mem_image *src,
		      unsigned int interp, unsigned int border);

/**
 * mem_image_box() - have an engine average windows of an image
 * @stream: in order of this one
 * @engine: enum mem_engine, or MEM_ENGINE_CPU
 * @dst: of the same format and sides
 * @src: of one plane
 * @width: of the window, odd, 1 to 11
 * @height: of the window, odd, 1 to 11
 * @border: enum mem_border
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_image_copy().
 */
int mem_image_box(struct mem_stream *stream, unsigned int engine,
		  struct mem_image *dst, struct mem_image *src, uint32_t width,
		  uint32_t height, unsigned int border);

/**
 * mem_image_harris() - have an engine find corners
 * @stream: in order of this one
 * @engine: enum mem_engine, or MEM_ENGINE_CPU
 * @src: MEM_FORMAT_U8, Y8, Y8_ER or S16
 * @keypoints: out: array of MEM_DATA_KEYPOINT, best first
 * @scores: out: array of MEM_DATA_F32 or MEM_DATA_U32, of each keypoint
 * @how: parameters
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_image_copy(); -E2BIG (a tail of @how that this library
 * does not know is not 0).
 */
int mem_image_harris(struct mem_stream *stream, unsigned int engine,
		     struct mem_image *src, struct mem_array *keypoints,
		     struct mem_array *scores, const struct mem_harris *how);

/**
 * mem_array_create() - make an array
 * @ctx: context; kept by the array
 * @capacity: elements, 1 to UINT32_MAX
 * @data_type: enum mem_data_type
 * @uses: as at mem_image_create()
 * @array: out: the array, empty, owned by the caller: mem_array_destroy()
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_image_create().
 */
int mem_array_create(struct mem_ctx *ctx, uint64_t capacity,
		     unsigned int data_type, uint64_t uses,
		     struct mem_array **array);

/**
 * mem_array_wrap() - make an array of the caller's memory
 * @ctx: context
 * @data: the memory, as of mem_image_wrap(), with a count; an object has none,
 *	@data->count is NULL: the array is empty
 * @uses: as at mem_image_create()
 * @array: out: the array, owned by the caller: mem_array_destroy()
 *
 * A wrapper of host memory is copied for engines; one of managed memory is not,
 * and the program has to wait before the CPU looks.
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_image_wrap().
 */
int mem_array_wrap(struct mem_ctx *ctx, const struct mem_array_data *data,
		   uint64_t uses, struct mem_array **array);

/**
 * mem_array_rewrap() - have a wrapper wrap other memory
 * @array: of mem_array_wrap(), not locked
 * @data: of the same kind, type, stride and capacity as before
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_image_rewrap().
 */
int mem_array_rewrap(struct mem_array *array,
		     const struct mem_array_data *data);

/**
 * mem_array_destroy() - give an array back
 * @array: array, or NULL, which does nothing
 *
 * Context: may sleep; any thread.
 */
void mem_array_destroy(struct mem_array *array);

/**
 * mem_array_set_name() - name an array for reports
 * @array: array
 * @name: shorter than MEM_NAME_LEN, copied
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @name is too long), -EPERM (see
 * mem_attrs_create()).
 */
int mem_array_set_name(struct mem_array *array, const char *name);

/**
 * mem_array_count() - how many elements an array holds
 * @array: array
 * @count: out: elements
 *
 * Waits for jobs that use it.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL), -EPERM (see mem_attrs_create()),
 * or what ended the work of the context.
 */
int mem_array_count(struct mem_array *array, uint64_t *count);

/**
 * mem_array_set_count() - say how many it holds
 * @array: array, locked to be written
 * @count: elements, at most its capacity
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (@array is NULL, @count is more), -ENOLCK (it is not
 * locked to be written), -EPERM (see mem_attrs_create()).
 */
int mem_array_set_count(struct mem_array *array, uint64_t count);

/**
 * mem_array_copy() - have an engine copy the elements of an array
 * @stream: in order of this one
 * @engine: MEM_ENGINE_GPU, MEM_ENGINE_DGPU or MEM_ENGINE_CPU
 * @dst: array of the same type, with at least the capacity of @src
 * @src: another array
 *
 * The job copies as many elements as @src holds when it runs, and their count.
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_image_copy().
 */
int mem_array_copy(struct mem_stream *stream, unsigned int engine,
		   struct mem_array *dst, struct mem_array *src);

/**
 * mem_array_lock() - have the memory of an array
 * @array: array
 * @access: MEM_READ, MEM_WRITE or MEM_RW
 * @as: MEM_LOCK_HOST, MEM_LOCK_DEVICE or MEM_LOCK_OBJECT
 * @data: in and out: @data->size is set by the caller; valid until the unlock
 *
 * As mem_image_lock().
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_image_lock().
 */
int mem_array_lock(struct mem_array *array, unsigned int access,
		   unsigned int as, struct mem_array_data *data);

/**
 * mem_array_unlock() - give it back
 * @array: array
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_image_unlock().
 */
int mem_array_unlock(struct mem_array *array);

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif

#endif
