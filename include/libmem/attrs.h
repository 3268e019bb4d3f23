/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Attribute lists: what the parts of a program need of a buffer that they are
 * to share, merged into one description from which the buffer is allocated.
 * Part of libmem.h.
 *
 * Each part that accesses the buffer makes a list and sets what it needs, once
 * a key. Reconciliation merges any number of such lists, validates the result
 * and computes the output keys (sizes, pitches, offsets, coherency) under the
 * constraints of every engine that is named. It gives a reconciled list, or a
 * conflict list that names what does not fit. The model is NvSciBuf's (NVIDIA
 * DRIVE OS documentation, "Buffer Allocation").
 *
 *	list		set	get	reconcile	allocate	dump
 *	unreconciled	once	yes	yes		no		yes
 *	reconciled	no	yes	no		yes		yes
 *	conflict	no	no	no		no		yes
 */
#ifndef _LIBMEM_ATTRS_H
#define _LIBMEM_ATTRS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mem_attrs;
struct mem_ctx;

/* Of an image */
#define MEM_PLANES_MAX		3U
/* Of a tensor */
#define MEM_DIMS_MAX		8U
/* Of a pyramid */
#define MEM_LEVELS_MAX		10U
/* GPUs in a list */
#define MEM_ATTR_GPUS_MAX	16U
/* Slots of the lists that one call exports */
#define MEM_SLOTS_MAX		64U
/* Bytes of a GPU's id, a UUID */
#define MEM_GPU_ID_LEN		16U
/* Keys of a client, and longest value of one, bytes */
#define MEM_ATTR_CLIENT_KEYS	32U
#define MEM_ATTR_CLIENT_LEN	256U

/**
 * enum mem_attr_type - what a buffer holds
 * @MEM_ATTR_TYPE_GENERAL: any: no type of buffer
 * @MEM_ATTR_TYPE_RAW: bytes
 * @MEM_ATTR_TYPE_IMAGE: planes of pixels
 * @MEM_ATTR_TYPE_TENSOR: an array of up to MEM_DIMS_MAX dimensions
 * @MEM_ATTR_TYPE_ARRAY: elements of one size, up to a capacity
 * @MEM_ATTR_TYPE_PYRAMID: an image at several scales
 *
 * The numbers are NvSciBufType's.
 */
enum mem_attr_type {
	MEM_ATTR_TYPE_GENERAL,
	MEM_ATTR_TYPE_RAW,
	MEM_ATTR_TYPE_IMAGE,
	MEM_ATTR_TYPE_TENSOR,
	MEM_ATTR_TYPE_ARRAY,
	MEM_ATTR_TYPE_PYRAMID
};

/**
 * enum mem_attr_key - keys of an attribute list
 *
 * The type of buffer that a key belongs to is in the high half of its number.
 * With each key the type of its value, "[]" if it takes one per plane,
 * dimension, level or GPU; how values of several lists merge; *out* if it is
 * computed. "equal": lists that set it must agree.
 *
 * @MEM_ATTR_TYPES: uint32_t[], enum mem_attr_type. Mandatory before any key of
 *	a type. Equal, or image in one and tensor in another, which gives both
 * @MEM_ATTR_NEED_CPU_ACCESS: uint8_t, 0 or 1. Or
 * @MEM_ATTR_CPU_CACHE: uint8_t, 0 or 1: the CPU's mapping is cached. Or. If no
 *	list sets it, 1
 * @MEM_ATTR_REQUIRED_PERM: uint32_t, MEM_READ or MEM_RW. The largest
 * @MEM_ATTR_ENGINES: uint64_t, bit 1 << enum mem_engine for each engine that
 *	accesses the buffer beside the GPUs of MEM_ATTR_GPU_IDS, bit
 *	MEM_ATTR_ENGINE_DMA for the dma engine. Or. A GPU's bit stands for its
 *	id, which the result has in MEM_ATTR_GPU_IDS
 * @MEM_ATTR_GPU_IDS: uint8_t[MEM_GPU_ID_LEN][], see mem_ctx_gpu_id(). Union,
 *	sorted
 * @MEM_ATTR_VIDMEM_GPU_ID: uint8_t[MEM_GPU_ID_LEN]: the buffer lies in the
 *	memory of this discrete GPU, which it and the dma engine alone reach.
 *	Equal
 * @MEM_ATTR_GPU_CACHE: struct mem_attr_gpu_value[], 0 or 1. And, of one GPU,
 *	which a list names in MEM_ATTR_GPU_IDS. If no list sets it: integrated
 *	GPU 1, discrete GPU 0 with system memory and 1 with its own
 * @MEM_ATTR_GPU_COMPRESSION: struct mem_attr_gpu_value[], enum
 *	mem_compression. Equal of one GPU, which a list names; becomes
 *	MEM_COMPRESSION_NONE if several GPUs, any other engine or the CPU
 *	accesses the buffer
 * @MEM_ATTR_ACTUAL_PERM: out, uint32_t: in a reconciled list what
 *	MEM_ATTR_REQUIRED_PERM has come to, MEM_READ if no list sets that;
 *	MEM_RW in that of an object which was allocated; of an imported object
 *	what was given
 * @MEM_ATTR_CPU_COHERENCY: out, uint8_t: 1 if the CPU's cache must be
 *	maintained by software: cached, CPU access, and an engine that does not
 *	snoop
 * @MEM_ATTR_GPU_COHERENCY: out, struct mem_attr_gpu_value[]: 1 if that GPU's
 *	cache must be: it caches, and another GPU does not, the CPU has access
 *	or any other engine is named
 *
 * @MEM_ATTR_RAW_SIZE: uint64_t, bytes, above 0. Mandatory, equal
 * @MEM_ATTR_RAW_ALIGN: uint64_t, a power of two. The largest. This and the
 *	other alignments are in the result what engines need, if that is more
 *
 * @MEM_ATTR_IMAGE_LAYOUT: uint32_t, enum mem_layout. Mandatory, equal; with
 *	tensors pitch-linear
 * @MEM_ATTR_IMAGE_PLANE_COUNT: uint32_t, 1 to MEM_PLANES_MAX. Mandatory, equal;
 *	with tensors 1
 * @MEM_ATTR_IMAGE_PLANE_FORMAT: uint32_t[], a DRM fourcc of one plane: those of
 *	enum mem_format, and RG88, GR1616, RG1616, RGBA8888, BGRA8888, AYUV,
 *	YUYV, YVYU, UYVY, VYUY, ARGB2101010, ABGR16161616, ABGR16161616F.
 *	Mandatory, equal
 * @MEM_ATTR_IMAGE_PLANE_STD: uint32_t[], enum mem_color_std. Equal;
 *	MEM_COLOR_STD_NONE if no list sets it
 * @MEM_ATTR_IMAGE_PLANE_WIDTH: uint32_t[], pixels, above 0. Mandatory, equal
 * @MEM_ATTR_IMAGE_PLANE_HEIGHT: uint32_t[], rows, above 0. Mandatory, equal
 * @MEM_ATTR_IMAGE_PLANE_ALIGN: uint32_t[], a power of two: alignment of the
 *	plane's first byte. The largest
 * @MEM_ATTR_IMAGE_SCAN: uint32_t, enum mem_scan. Equal; progressive if no list
 *	sets it
 * @MEM_ATTR_IMAGE_SIZE: out, uint64_t, bytes
 * @MEM_ATTR_IMAGE_ALIGN: out, uint64_t, bytes
 * @MEM_ATTR_IMAGE_MODIFIER: out, uint64_t: a DRM format modifier
 * @MEM_ATTR_IMAGE_PLANE_BITS: out, uint32_t[], bits of a pixel
 * @MEM_ATTR_IMAGE_PLANE_OFFSET: out, uint64_t[], bytes from the start
 * @MEM_ATTR_IMAGE_PLANE_PITCH: out, uint32_t[], bytes from row to row
 * @MEM_ATTR_IMAGE_PLANE_ALIGNED_HEIGHT: out, uint32_t[], rows; of one of the
 *	two fields if rows interlace
 * @MEM_ATTR_IMAGE_PLANE_ALIGNED_SIZE: out, uint64_t[], bytes
 * @MEM_ATTR_IMAGE_PLANE_CHANNELS: out, uint8_t[]
 *
 * @MEM_ATTR_TENSOR_DATA_TYPE: uint32_t, enum mem_data_type. Mandatory, equal
 * @MEM_ATTR_TENSOR_DIM_COUNT: uint32_t, 1 to MEM_DIMS_MAX. Mandatory, equal
 * @MEM_ATTR_TENSOR_DIM_SIZE: uint64_t[], elements, above 0. Mandatory, equal.
 *	With an image the elements of one dimension are its rows, whose stride
 *	is the pitch
 * @MEM_ATTR_TENSOR_DIM_ALIGN: uint32_t[], a power of two: the dimension's
 *	stride is a multiple, bytes. The largest
 * @MEM_ATTR_TENSOR_BASE_ALIGN: uint64_t, a power of two. The largest
 * @MEM_ATTR_TENSOR_DIM_STRIDE: out, uint64_t[], bytes; the last dimension is
 *	the innermost
 * @MEM_ATTR_TENSOR_SIZE: out, uint64_t, bytes
 *
 * @MEM_ATTR_ARRAY_DATA_TYPE: uint32_t, enum mem_data_type. Mandatory, equal
 * @MEM_ATTR_ARRAY_STRIDE: uint64_t, bytes from element to element, a multiple
 *	of the data type's size. Mandatory, equal
 * @MEM_ATTR_ARRAY_CAPACITY: uint64_t, elements, above 0. Mandatory, equal
 * @MEM_ATTR_ARRAY_SIZE: out, uint64_t, bytes
 * @MEM_ATTR_ARRAY_ALIGN: out, uint64_t, bytes
 *
 * A pyramid has the image's keys, too: those of its finest level.
 * @MEM_ATTR_PYRAMID_LEVEL_COUNT: uint32_t, 1 to MEM_LEVELS_MAX. Mandatory,
 *	equal
 * @MEM_ATTR_PYRAMID_SCALE: float, above 0, at most 1: the sides of each level
 *	by those of the level before it, cut to whole pixels, 1 at least.
 *	Mandatory, equal
 * @MEM_ATTR_PYRAMID_LEVEL_OFFSET: out, uint64_t[], bytes from the start
 * @MEM_ATTR_PYRAMID_LEVEL_SIZE: out, uint64_t[], bytes
 * @MEM_ATTR_PYRAMID_ALIGN: out, uint64_t, bytes
 * @MEM_ATTR_PYRAMID_SIZE: out, uint64_t, bytes
 *
 * @MEM_ATTR_CLIENT: first of MEM_ATTR_CLIENT_KEYS keys of a client, by which a
 *	library above keeps what no other key expresses: uint8_t[], 1 to
 *	MEM_ATTR_CLIENT_LEN bytes that libmem does not look at. Of no type, so
 *	that MEM_ATTR_TYPES need not be set. Equal
 */
enum mem_attr_key {
	MEM_ATTR_TYPES = 0x00001,
	MEM_ATTR_NEED_CPU_ACCESS,
	MEM_ATTR_CPU_CACHE,
	MEM_ATTR_REQUIRED_PERM,
	MEM_ATTR_ENGINES,
	MEM_ATTR_GPU_IDS,
	MEM_ATTR_VIDMEM_GPU_ID,
	MEM_ATTR_GPU_CACHE,
	MEM_ATTR_GPU_COMPRESSION,
	MEM_ATTR_ACTUAL_PERM,
	MEM_ATTR_CPU_COHERENCY,
	MEM_ATTR_GPU_COHERENCY,

	MEM_ATTR_RAW_SIZE = 0x10001,
	MEM_ATTR_RAW_ALIGN,

	MEM_ATTR_IMAGE_LAYOUT = 0x20001,
	MEM_ATTR_IMAGE_PLANE_COUNT,
	MEM_ATTR_IMAGE_PLANE_FORMAT,
	MEM_ATTR_IMAGE_PLANE_STD,
	MEM_ATTR_IMAGE_PLANE_WIDTH,
	MEM_ATTR_IMAGE_PLANE_HEIGHT,
	MEM_ATTR_IMAGE_PLANE_ALIGN,
	MEM_ATTR_IMAGE_SCAN,
	MEM_ATTR_IMAGE_SIZE,
	MEM_ATTR_IMAGE_ALIGN,
	MEM_ATTR_IMAGE_MODIFIER,
	MEM_ATTR_IMAGE_PLANE_BITS,
	MEM_ATTR_IMAGE_PLANE_OFFSET,
	MEM_ATTR_IMAGE_PLANE_PITCH,
	MEM_ATTR_IMAGE_PLANE_ALIGNED_HEIGHT,
	MEM_ATTR_IMAGE_PLANE_ALIGNED_SIZE,
	MEM_ATTR_IMAGE_PLANE_CHANNELS,

	MEM_ATTR_TENSOR_DATA_TYPE = 0x30001,
	MEM_ATTR_TENSOR_DIM_COUNT,
	MEM_ATTR_TENSOR_DIM_SIZE,
	MEM_ATTR_TENSOR_DIM_ALIGN,
	MEM_ATTR_TENSOR_BASE_ALIGN,
	MEM_ATTR_TENSOR_DIM_STRIDE,
	MEM_ATTR_TENSOR_SIZE,

	MEM_ATTR_ARRAY_DATA_TYPE = 0x40001,
	MEM_ATTR_ARRAY_STRIDE,
	MEM_ATTR_ARRAY_CAPACITY,
	MEM_ATTR_ARRAY_SIZE,
	MEM_ATTR_ARRAY_ALIGN,

	MEM_ATTR_PYRAMID_LEVEL_COUNT = 0x50001,
	MEM_ATTR_PYRAMID_SCALE,
	MEM_ATTR_PYRAMID_LEVEL_OFFSET,
	MEM_ATTR_PYRAMID_LEVEL_SIZE,
	MEM_ATTR_PYRAMID_ALIGN,
	MEM_ATTR_PYRAMID_SIZE,

	MEM_ATTR_CLIENT = 0x70000
};

/* Of MEM_ATTR_ENGINES: the dma engine, which runs no kernels */
#define MEM_ATTR_ENGINE_DMA	(1ULL << 32)

/** enum mem_layout - how pixels lie in memory; NvSciBuf's numbers */
enum mem_layout {
	MEM_LAYOUT_BLOCK_LINEAR,
	MEM_LAYOUT_PITCH_LINEAR
};

/** enum mem_scan - how rows follow each other; NvSciBuf's numbers */
enum mem_scan {
	MEM_SCAN_PROGRESSIVE,
	MEM_SCAN_INTERLACE
};

/** enum mem_compression - what a GPU may do to a buffer's bytes */
enum mem_compression {
	MEM_COMPRESSION_NONE,
	MEM_COMPRESSION_MAY,
	MEM_COMPRESSION_INCOMPRESSIBLE
};

/** enum mem_color_std - what the values of a plane mean */
enum mem_color_std {
	MEM_COLOR_STD_NONE,
	MEM_COLOR_STD_SRGB,
	MEM_COLOR_STD_REC601_SR,	/* studio range: 16 to 235 */
	MEM_COLOR_STD_REC601_ER,	/* full range: 0 to 255 */
	MEM_COLOR_STD_REC709_SR,
	MEM_COLOR_STD_REC709_ER,
	MEM_COLOR_STD_REC2020_SR,
	MEM_COLOR_STD_REC2020_ER,
	MEM_COLOR_STD_RAW		/* of a sensor */
};

/** enum mem_data_type - elements of tensors and arrays */
enum mem_data_type {
	MEM_DATA_U8,
	MEM_DATA_S8,
	MEM_DATA_U16,
	MEM_DATA_S16,
	MEM_DATA_U32,
	MEM_DATA_S32,
	MEM_DATA_U64,
	MEM_DATA_S64,
	MEM_DATA_F16,
	MEM_DATA_F32,
	MEM_DATA_F64,
	MEM_DATA_BOOL,		/* a byte */
	MEM_DATA_KEYPOINT	/* struct mem_keypoint, of mem_array */
};

/**
 * struct mem_attr_gpu_value - a value for one GPU
 * @gpu_id: see mem_ctx_gpu_id()
 * @value: as the key says
 *
 * It has no size, and does not grow: it is an element of a list.
 */
struct mem_attr_gpu_value {
	uint8_t gpu_id[MEM_GPU_ID_LEN];
	uint32_t value;
};

/**
 * struct mem_attr - a key and its value
 * @key: in: enum mem_attr_key
 * @reserved: in: 0
 * @value: in for mem_attrs_set(), copied; out of mem_attrs_get(): the list's
 *	own, valid as long as the list; NULL: not set
 * @len: bytes at @value; 0: not set
 *
 * It has no size, and does not grow: it is an element of a list.
 */
struct mem_attr {
	uint32_t key;
	uint32_t reserved;
	const void *value;
	uint64_t len;
};

/** enum mem_attrs_state - kinds of attribute list */
enum mem_attrs_state {
	MEM_ATTRS_UNRECONCILED,
	MEM_ATTRS_RECONCILED,
	MEM_ATTRS_CONFLICT
};

/**
 * mem_attrs_create() - make an empty unreconciled list of one slot
 * @ctx: context, whose board has the engines; kept by the list
 * @attrs: out: the list, owned by the caller: mem_attrs_destroy()
 *
 * Context: any thread; a list is used by one thread at a time.
 * Return: 0, or -EINVAL (an argument is NULL), -EPERM (a child of a process
 * with an embedded context, or a host function), -ENOMEM.
 */
int mem_attrs_create(struct mem_ctx *ctx, struct mem_attrs **attrs);

/**
 * mem_attrs_destroy() - give a list back
 * @attrs: any list, or NULL, which does nothing
 *
 * What mem_attrs_get() has returned of it is gone, too. A pointer that is no
 * list, or no more, and the list of an object do nothing, and are mistakes that
 * heapsim-run(1) reports (invalid-handle); so does a pointer in any other call,
 * which returns -EINVAL.
 *
 * Context: any thread.
 */
void mem_attrs_destroy(struct mem_attrs *attrs);

/**
 * mem_attrs_clone() - a list like another
 * @attrs: unreconciled or reconciled
 * @clone: out: the list, owned by the caller: mem_attrs_destroy()
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL, a conflict list), -EPERM (see
 * mem_attrs_create()), -ENOMEM.
 */
int mem_attrs_clone(const struct mem_attrs *attrs, struct mem_attrs **clone);

/**
 * mem_attrs_append() - make one unreconciled list of several
 * @lists: unreconciled lists of one context, each of one or more slots
 * @nr_lists: above 0
 * @attrs: out: a list with all their slots in order, owned by the caller
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (a pointer is NULL, no lists, one is not unreconciled),
 * -EXDEV (lists of two contexts), -EPERM (see mem_attrs_create()), -ENOMEM.
 */
int mem_attrs_append(struct mem_attrs *const *lists, size_t nr_lists,
		     struct mem_attrs **attrs);

/**
 * mem_attrs_state() - what kind of list it is
 * @attrs: list
 *
 * Context: any thread.
 * Return: enum mem_attrs_state; -EINVAL: @attrs is NULL.
 */
int mem_attrs_state(const struct mem_attrs *attrs);

/**
 * mem_attrs_slots() - how many slots a list has
 * @attrs: list
 *
 * Context: any thread.
 * Return: 1 or more; a reconciled list has 1, a conflict list 0; -EINVAL:
 * @attrs is NULL.
 */
int mem_attrs_slots(const struct mem_attrs *attrs);

/**
 * mem_attrs_set() - set keys of an unreconciled list
 * @attrs: unreconciled list of one slot
 * @values: @nr_values keys and values, none of which is an output; copied
 * @nr_values: above 0
 *
 * All or none: if one is refused nothing has changed. MEM_ATTR_TYPES may be
 * among @values, at any place.
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (a pointer is NULL, @nr_values is 0, no such key or an
 * output, a value of another length than its key has or with no meaning, a key
 * of a type that is not among MEM_ATTR_TYPES), -EEXIST (the key is set already,
 * or twice in @values), -EPERM (reconciled or conflict list, several slots, or
 * see mem_attrs_create()), -ENOMEM.
 */
int mem_attrs_set(struct mem_attrs *attrs, const struct mem_attr *values,
		  size_t nr_values);

/**
 * mem_attrs_get() - what keys of a list are set to
 * @attrs: unreconciled or reconciled list
 * @slot: which of mem_attrs_slots()
 * @values: in: keys; out: their values, or NULL and 0 for what is not set
 * @nr_values: above 0
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (a pointer is NULL, @nr_values is 0, no such slot or
 * key), -EPERM (a conflict list).
 */
int mem_attrs_get(const struct mem_attrs *attrs, unsigned int slot,
		  struct mem_attr *values, size_t nr_values);

/**
 * mem_attrs_reconcile() - merge lists, validate, compute the outputs
 * @lists: unreconciled lists of one context
 * @nr_lists: above 0
 * @reconciled: out: the result, owned by the caller: mem_attrs_destroy(); not
 *	written on failure
 * @conflict: out: on -EADV (values do not fit) a conflict list, owned by the
 *	caller; not written otherwise; may be NULL
 *
 * The result does not depend on the order of lists, and a list merged with
 * itself gives what it gives alone.
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (a pointer is NULL, no lists, one is not
 * unreconciled), -EXDEV (lists of two contexts), -EADV (values conflict, are
 * missing, or an engine cannot have such a buffer: see mem_attrs_dump() of
 * @conflict), -EPERM (see mem_attrs_create()), -ENOMEM.
 */
int mem_attrs_reconcile(struct mem_attrs *const *lists, size_t nr_lists,
			struct mem_attrs **reconciled,
			struct mem_attrs **conflict);

/**
 * mem_attrs_validate() - check a reconciled list against unreconciled ones
 * @reconciled: reconciled list, typically of another process
 * @lists: unreconciled lists of one context
 * @nr_lists: above 0
 *
 * Each value that a list sets must be met by the result: equal keys are equal,
 * alignments at least as large, engines and GPUs contained.
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (a pointer is NULL, no lists, lists of the wrong
 * kind), -EADV (it does not), -EPERM (see mem_attrs_create()).
 */
int mem_attrs_validate(const struct mem_attrs *reconciled,
		       struct mem_attrs *const *lists, size_t nr_lists);

/**
 * mem_attrs_dump() - a list as text
 * @attrs: any list
 * @text: out: at most @len bytes, terminated if @len is above 0; may be NULL if
 *	that is 0
 * @len: bytes at @text
 *
 * A line a key: its name and value; of a conflict list a line for each key that
 * conflicts, then one for each list's value, then the rule that failed.
 *
 * Context: any thread.
 * Return: bytes of the whole text without its end, as snprintf(); -EINVAL:
 * @attrs is NULL, @text is NULL and @len is not 0.
 */
int mem_attrs_dump(const struct mem_attrs *attrs, char *text, size_t len);

/**
 * mem_attrs_set_client() - have a list keep something of a client's
 * @attrs: any list, an object's own, too
 * @client: what mem_attrs_client() returns from then on; not NULL
 * @destroy: called with @client when the list is destroyed; may be NULL
 *
 * It stays with this list: clones, reconciled lists and descriptors have none.
 *
 * Context: any thread; of several at a time one succeeds.
 * Return: 0, or -EINVAL (@attrs or @client is NULL), -EEXIST (it has one).
 */
int mem_attrs_set_client(const struct mem_attrs *attrs, void *client,
			 void (*destroy)(void *client));

/**
 * mem_attrs_client() - what a list keeps of a client's
 * @attrs: any list
 *
 * Context: any thread.
 * Return: as set by mem_attrs_set_client(); NULL: nothing, or @attrs is NULL.
 */
void *mem_attrs_client(const struct mem_attrs *attrs);

/**
 * mem_attr_name() - a key in a word
 * @key: enum mem_attr_key
 *
 * Context: any.
 * Return: "image.plane_pitch" and so on, as dumps have it; "client" for all of
 * a client's; "unknown".
 */
const char *mem_attr_name(unsigned int key);

#ifdef __cplusplus
}
#endif

#endif
