// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Memory of buffers. Surface arrays and handles are libmem objects that the CPU
 * and all engines of the board can access; other buffers use CUDA's kinds of
 * memory.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "nvbuf.h"

#define PAGE_LEN	4096U
/* Alignment of rows and planes in memory that is no libmem object */
#define PITCH_ALIGN	256U
#define MAX_KEYS	12

/**
 * struct keys - keys of a list
 * @keys: keys
 * @nr: number of @keys
 */
struct keys {
	struct mem_attr keys[MAX_KEYS];
	size_t nr;
};

static void alloc_add_key(struct keys *keys, uint32_t key, const void *value,
			  size_t len)
{
	keys->keys[keys->nr++] = (struct mem_attr) {
		.key = key, .value = value, .len = len,
	};
}

static uint64_t alloc_align(uint64_t value, uint64_t to)
{
	return (value + to - 1) / to * to;
}

static int alloc_value_get(const struct mem_object *object, uint32_t key,
			   void *value, size_t len)
{
	struct mem_attr attr = { .key = key };

	if (mem_attrs_get(mem_object_attrs(object), 0, &attr, 1) ||
	    attr.len != len)
		return -EINVAL;
	memcpy(value, attr.value, len);
	return 0;
}

/* Adds the engines and the CPU to @keys. */
static int alloc_object(struct mem_ctx *ctx, struct keys *keys,
			struct mem_object **object)
{
	const uint64_t engines = 1ULL << MEM_ENGINE_VIC;
	const uint32_t perm = MEM_RW;
	const uint8_t needs_cpu = 1;
	uint8_t gpu[MEM_GPU_ID_LEN];
	struct mem_attrs *reconciled;
	struct mem_attrs *list;
	int rc;

	rc = mem_ctx_gpu_id(ctx, MEM_ENGINE_GPU, gpu);
	if (!rc)
		rc = mem_attrs_create(ctx, &list);
	if (rc)
		return rc;
	alloc_add_key(keys, MEM_ATTR_REQUIRED_PERM, &perm, sizeof(perm));
	alloc_add_key(keys, MEM_ATTR_NEED_CPU_ACCESS, &needs_cpu,
		      sizeof(needs_cpu));
	alloc_add_key(keys, MEM_ATTR_GPU_IDS, gpu, sizeof(gpu));
	if (nvbuf_has_vic())
		alloc_add_key(keys, MEM_ATTR_ENGINES, &engines,
			      sizeof(engines));
	rc = mem_attrs_set(list, keys->keys, keys->nr);
	if (!rc)
		rc = mem_attrs_reconcile(&list, 1, &reconciled, NULL);
	mem_attrs_destroy(list);
	if (rc)
		return rc == -EADV ? -EOPNOTSUPP : rc;
	rc = mem_object_alloc(reconciled, "NvBufSurface", object);
	mem_attrs_destroy(reconciled);
	return rc;
}

/*
 * In the embedded backend, memory with a descriptor has one view. Where the
 * board needs cache maintenance, an eventfd therefore stands for the buffer:
 * with a real descriptor, no missing sync would ever be found.
 */
static int alloc_name_object(struct mem_object *object, int *fd)
{
	uint8_t is_cached = 0;

	alloc_value_get(object, MEM_ATTR_CPU_COHERENCY, &is_cached,
			sizeof(is_cached));
	if (!is_cached || !nvbuf_is_embedded())
		return mem_object_fd(object, fd);
	*fd = eventfd(0, EFD_CLOEXEC);
	return *fd < 0 ? -errno : 0;
}

static int alloc_raw(struct mem_ctx *ctx, uint64_t len,
		     struct nvbuf_buffer *buffer)
{
	const uint32_t type = MEM_ATTR_TYPE_RAW;
	struct keys keys = { .nr = 0 };

	alloc_add_key(&keys, MEM_ATTR_TYPES, &type, sizeof(type));
	alloc_add_key(&keys, MEM_ATTR_RAW_SIZE, &len, sizeof(len));
	buffer->len = len;
	return alloc_object(ctx, &keys, &buffer->object);
}

static int alloc_planes(struct mem_ctx *ctx, const struct nvbuf_format *format,
			NvBufSurfaceParams *shown, struct nvbuf_buffer *buffer)
{
	NvBufSurfacePlaneParams *planes = &shown->planeParams;
	const uint32_t layout = shown->layout == NVBUF_LAYOUT_PITCH ?
				MEM_LAYOUT_PITCH_LINEAR :
				MEM_LAYOUT_BLOCK_LINEAR;
	const uint32_t type = MEM_ATTR_TYPE_IMAGE;
	const uint32_t nr = format->nr_planes;
	uint32_t fourccs[MEM_PLANES_MAX];
	uint32_t stds[MEM_PLANES_MAX];
	uint64_t offs[MEM_PLANES_MAX];
	uint64_t lens[MEM_PLANES_MAX];
	struct keys keys = { .nr = 0 };
	uint32_t i;
	int rc;

	for (i = 0; i < nr; i++) {
		fourccs[i] = format->planes[i].fourcc;
		stds[i] = format->std;
	}
	alloc_add_key(&keys, MEM_ATTR_TYPES, &type, sizeof(type));
	alloc_add_key(&keys, MEM_ATTR_IMAGE_LAYOUT, &layout, sizeof(layout));
	alloc_add_key(&keys, MEM_ATTR_IMAGE_PLANE_COUNT, &nr, sizeof(nr));
	alloc_add_key(&keys, MEM_ATTR_IMAGE_PLANE_FORMAT, fourccs,
		      nr * sizeof(*fourccs));
	alloc_add_key(&keys, MEM_ATTR_IMAGE_PLANE_STD, stds,
		      nr * sizeof(*stds));
	alloc_add_key(&keys, MEM_ATTR_IMAGE_PLANE_WIDTH, planes->width,
		      nr * sizeof(*planes->width));
	alloc_add_key(&keys, MEM_ATTR_IMAGE_PLANE_HEIGHT, planes->height,
		      nr * sizeof(*planes->height));
	rc = alloc_object(ctx, &keys, &buffer->object);
	if (rc)
		return rc;
	rc = alloc_value_get(buffer->object, MEM_ATTR_IMAGE_PLANE_PITCH,
			     planes->pitch, nr * sizeof(*planes->pitch));
	if (!rc)
		rc = alloc_value_get(buffer->object,
				     MEM_ATTR_IMAGE_PLANE_OFFSET, offs,
				     nr * sizeof(*offs));
	if (!rc)
		rc = alloc_value_get(buffer->object,
				     MEM_ATTR_IMAGE_PLANE_ALIGNED_SIZE, lens,
				     nr * sizeof(*lens));
	if (!rc)
		rc = alloc_value_get(buffer->object, MEM_ATTR_IMAGE_SIZE,
				     &buffer->len, sizeof(buffer->len));
	for (i = 0; i < nr && !rc; i++) {
		planes->offset[i] = offs[i];
		planes->psize[i] = lens[i];
	}
	return rc;
}

static int alloc_memory(struct mem_ctx *ctx, NvBufSurfaceMemType type,
			struct nvbuf_buffer *buffer)
{
	unsigned int kind;

	switch (type) {
	case NVBUF_MEM_CUDA_PINNED:
		kind = MEM_KIND_PINNED;
		break;
	case NVBUF_MEM_CUDA_DEVICE:
		kind = MEM_KIND_DEVICE;
		break;
	case NVBUF_MEM_CUDA_UNIFIED:
		kind = MEM_KIND_MANAGED;
		break;
	case NVBUF_MEM_SYSTEM:
		buffer->memory =
			aligned_alloc(PAGE_LEN,
				      alloc_align(buffer->len, PAGE_LEN));
		if (buffer->memory)
			memset(buffer->memory, 0, buffer->len);
		return buffer->memory ? 0 : -ENOMEM;
	default:
		return -EOPNOTSUPP;
	}
	return mem_alloc(ctx, kind, buffer->len,
			 kind == MEM_KIND_MANAGED ? MEM_ATTACH_GLOBAL : 0,
			 &buffer->memory);
}

/* Computes pitches and offsets of memory that is no libmem object. */
static void alloc_place_planes(bool is_packed, NvBufSurfacePlaneParams *planes,
			       uint64_t *len)
{
	const uint32_t align = is_packed ? 1 : PITCH_ALIGN;
	uint64_t off = 0;
	uint32_t i;

	for (i = 0; i < planes->num_planes; i++) {
		planes->pitch[i] = alloc_align(planes->width[i] *
					       planes->bytesPerPix[i], align);
		planes->offset[i] = off;
		planes->psize[i] = planes->pitch[i] * planes->height[i];
		off += planes->psize[i];
	}
	*len = off;
}

/**
 * nvbuf_alloc() - allocate a buffer
 * @params: parameters of NvBufSurfaceCreate(), checked; @params->memType is not
 *	the default
 * @is_packed: rows have no padding, in memory that is no libmem object
 * @shown: out: description of the buffer for the program
 * @buffer: out: memory, for nvbuf_free()
 *
 * Return: 0 or -errno; on failure, too, there may be memory to be freed.
 */
int nvbuf_alloc(const NvBufSurfaceCreateParams *params, bool is_packed,
		NvBufSurfaceParams *shown, struct nvbuf_buffer *buffer)
{
	const bool is_object = params->memType == NVBUF_MEM_SURFACE_ARRAY ||
			       params->memType == NVBUF_MEM_HANDLE;
	NvBufSurfacePlaneParams *planes = &shown->planeParams;
	struct nvbuf_format format = { .nr_planes = 1 };
	struct mem_ctx *ctx;
	uint32_t i;
	int rc;

	rc = nvbuf_ctx(&ctx);
	if (!rc && !params->size)
		rc = nvbuf_format(params->colorFormat, &format);
	if (rc == -EOPNOTSUPP)
		return nvbuf_lacks("surfaces of colour format %d",
				   (int)params->colorFormat);
	if (rc)
		return rc;
	shown->colorFormat = params->size ? NVBUF_COLOR_FORMAT_INVALID :
			     params->colorFormat;
	shown->layout = params->size ? NVBUF_LAYOUT_PITCH : params->layout;
	shown->width = params->size ? params->size : params->width;
	shown->height = params->size ? 1 : params->height;
	planes->num_planes = format.nr_planes;
	if (params->size)
		format.planes[0] = (struct nvbuf_plane) {
			.pixel_len = 1, .x_div = 1, .y_div = 1,
		};
	for (i = 0; i < format.nr_planes; i++) {
		planes->width[i] = (shown->width - 1) /
				   format.planes[i].x_div + 1;
		planes->height[i] = (shown->height - 1) /
				    format.planes[i].y_div + 1;
		planes->bytesPerPix[i] = format.planes[i].pixel_len;
	}
	alloc_place_planes(is_packed || params->size, planes, &buffer->len);
	if (is_object && params->size)
		rc = alloc_raw(ctx, params->size, buffer);
	else if (is_object)
		rc = alloc_planes(ctx, &format, shown, buffer);
	else
		rc = alloc_memory(ctx, params->memType, buffer);
	if (!rc && is_object)
		rc = alloc_name_object(buffer->object, &buffer->fd);
	if (rc)
		return rc;
	shown->pitch = planes->pitch[0];
	shown->dataSize = buffer->len;
	shown->dataPtr = buffer->memory;
	shown->bufferDesc = is_object ? (uint64_t)buffer->fd : 0;
	return 0;
}

/**
 * nvbuf_free() - free the memory of a buffer
 * @type: kind of memory
 * @buffer: memory
 */
void nvbuf_free(NvBufSurfaceMemType type, struct nvbuf_buffer *buffer)
{
	struct mem_ctx *ctx;

	if (buffer->fd >= 0)
		close(buffer->fd);
	mem_object_put(buffer->object);
	if (type == NVBUF_MEM_SYSTEM)
		free(buffer->memory);
	else if (buffer->memory && !nvbuf_ctx(&ctx))
		mem_free(ctx, buffer->memory);
}
