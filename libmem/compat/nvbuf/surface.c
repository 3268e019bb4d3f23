// SPDX-License-Identifier: LGPL-2.1-or-later
/* NvBufSurface: creation, mapping and destruction of batches. */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <linux/dma-buf.h>

#include "../../compat.h"
#include "nvbuf.h"
#include "share.h"

static int surface_check_params(const NvBufSurfaceCreateParams *params)
{
	const bool is_object = params->memType == NVBUF_MEM_SURFACE_ARRAY ||
			       params->memType == NVBUF_MEM_HANDLE;

	if ((unsigned int)params->memType > NVBUF_MEM_CUDA_ARRAY)
		return -EINVAL;
	if (params->memType == NVBUF_MEM_CUDA_ARRAY)
		return nvbuf_lacks("surfaces of NVBUF_MEM_CUDA_ARRAY");
	if (params->size)
		return 0;
	if (!params->width || !params->height ||
	    params->width > MEM_IMAGE_MAX || params->height > MEM_IMAGE_MAX ||
	    (unsigned int)params->layout > NVBUF_LAYOUT_BLOCK_LINEAR)
		return -EINVAL;
	if (params->layout == NVBUF_LAYOUT_BLOCK_LINEAR && !is_object)
		return nvbuf_lacks("block-linear surfaces of such memory");
	return 0;
}

static void surface_drop_batch(struct nvbuf_batch *batch)
{
	uint32_t i;

	for (i = 0; i < batch->surf.batchSize; i++)
		nvbuf_free(batch->surf.memType, &batch->buffers[i]);
	nvbuf_batch_free(batch);
}

static int surface_create_batch(NvBufSurface **surf, uint32_t batchSize,
				const NvBufSurfaceCreateParams *asked,
				bool is_packed)
{
	NvBufSurfaceCreateParams params;
	struct nvbuf_batch *batch;
	uint32_t i;
	int rc;

	if (!surf || !asked || !batchSize || batchSize > BATCH_MAX)
		return nvbuf_fail(EINVAL);
	params = *asked;
	if (params.memType == NVBUF_MEM_DEFAULT)
		params.memType = NVBUF_MEM_SURFACE_ARRAY;
	rc = surface_check_params(&params);
	if (rc)
		return nvbuf_rc(rc);
	batch = nvbuf_batch_new(batchSize);
	if (!batch)
		return nvbuf_fail(ENOMEM);
	batch->surf.memType = params.memType;
	for (i = 0; i < batchSize && !rc; i++)
		rc = nvbuf_alloc(&params, is_packed,
				 &batch->surf.surfaceList[i],
				 &batch->buffers[i]);
	if (rc) {
		surface_drop_batch(batch);
		return nvbuf_rc(rc);
	}
	nvbuf_batch_add(batch);
	*surf = &batch->surf;
	return 0;
}

API int NvBufSurfaceCreate(NvBufSurface **surf, uint32_t batchSize,
			   NvBufSurfaceCreateParams *params)
{
	return surface_create_batch(surf, batchSize, params, false);
}

API int NvBufSurfaceAllocate(NvBufSurface **surf, uint32_t batchSize,
			     NvBufSurfaceAllocateParams *paramsext)
{
	if (!paramsext)
		return nvbuf_fail(EINVAL);
	return surface_create_batch(surf, batchSize, &paramsext->params,
				    paramsext->disablePitchPadding);
}

API int NvBufSurfaceDestroy(NvBufSurface *surf)
{
	struct nvbuf_batch *batch = nvbuf_batch_of(surf);

	if (!batch)
		return nvbuf_fail(EINVAL);
	if (batch->nr_users)
		return nvbuf_fail(EPERM);
	if (!nvbuf_batch_take(batch))
		return nvbuf_fail(EINVAL);
	surface_drop_batch(batch);
	return 0;
}

API int NvBufSurfaceFromFd(int dmabuf_fd, void **buffer)
{
	struct nvbuf_batch *batch;
	unsigned int index;

	if (!buffer)
		return nvbuf_fail(EINVAL);
	batch = nvbuf_batch_of_fd(dmabuf_fd, &index);
	if (!batch)
		return nvbuf_fail(ENOENT);
	*buffer = &batch->surf;
	return 0;
}

/**
 * nvbuf_check() - check the index of a buffer and of a plane
 * @batch: batch, or NULL
 * @index: buffer, -1: all
 * @plane: plane, -1: all
 *
 * Return: 0 or -EINVAL.
 */
int nvbuf_check(const struct nvbuf_batch *batch, int index, int plane)
{
	uint32_t i;

	if (!batch || index < -1 || index >= (int)batch->surf.batchSize ||
	    plane < -1)
		return -EINVAL;
	i = index < 0 ? 0 : index;
	if (plane >= (int)batch->surf.surfaceList[i].planeParams.num_planes)
		return -EINVAL;
	return 0;
}

/**
 * nvbuf_each_plane() - call a function for planes, until it fails
 * @surf: batch, as passed by the program
 * @index: buffer, -1: all
 * @plane: plane, -1: all
 * @act: function
 * @arg: argument of @act
 *
 * Return: 0, or -1 with errno: EINVAL (no such batch, buffer or plane), or an
 * error of @act.
 */
int nvbuf_each_plane(const NvBufSurface *surf, int index, int plane,
		     nvbuf_plane_act act, uint32_t arg)
{
	struct nvbuf_batch *batch = nvbuf_batch_of(surf);
	const NvBufSurfacePlaneParams *planes;
	uint32_t i, j;
	int rc;

	rc = nvbuf_check(batch, index, plane);
	for (i = 0; !rc && i < batch->surf.batchSize; i++) {
		if (index >= 0 && (uint32_t)index != i)
			continue;
		planes = &batch->surf.surfaceList[i].planeParams;
		for (j = 0; j < planes->num_planes && !rc; j++)
			if (plane < 0 || (uint32_t)plane == j)
				rc = act(batch, i, j, arg);
	}
	return nvbuf_rc(rc);
}

/**
 * nvbuf_is_cached() - return true if the CPU's cache needs maintenance
 * @batch: batch
 */
bool nvbuf_is_cached(const struct nvbuf_batch *batch)
{
	return batch->surf.memType == NVBUF_MEM_SURFACE_ARRAY ||
	       batch->surf.memType == NVBUF_MEM_HANDLE;
}

/*
 * Maps all planes at once, writable if possible and if the lock is for writing.
 */
static int surface_map_borrowed(struct nvbuf_buffer *buffer,
				NvBufSurfaceMemMapFlags type)
{
	int prot = PROT_READ | PROT_WRITE;
	void *addr;

	if (type != NVBUF_MAP_READ && !(buffer->access & MEM_WRITE))
		return -EACCES;
	if (buffer->memory)
		return buffer->is_read_only && type != NVBUF_MAP_READ ?
		       -EACCES : 0;
	buffer->is_read_only = !(buffer->access & MEM_WRITE);
	if (buffer->is_read_only)
		prot = PROT_READ;
	addr = mmap(NULL, buffer->len, prot, MAP_SHARED, buffer->fd, 0);
	if (addr == MAP_FAILED && errno == EACCES && type == NVBUF_MAP_READ) {
		buffer->is_read_only = true;
		addr = mmap(NULL, buffer->len, PROT_READ, MAP_SHARED,
			    buffer->fd, 0);
	}
	if (addr == MAP_FAILED)
		return -errno;
	buffer->memory = addr;
	return 0;
}

/* Maps an object once, however often its planes are mapped. */
static int surface_map_object(struct nvbuf_buffer *buffer,
			      NvBufSurfaceMemMapFlags type)
{
	const unsigned int access = type == NVBUF_MAP_READ ? MEM_READ : MEM_RW;

	return buffer->mapped ? libmem_object_check(buffer->object, access) :
				libmem_object_map(buffer->object, access,
						  &buffer->addr);
}

/* Returns the CPU address of a buffer, and maps it if needed. */
static int surface_map_buffer(struct nvbuf_batch *batch, uint32_t index,
			      NvBufSurfaceMemMapFlags type, void **addr)
{
	struct nvbuf_buffer *buffer = &batch->buffers[index];
	int rc = 0;

	if (!batch->nr_users && buffer->object) {
		rc = surface_map_object(buffer, type);
		*addr = buffer->addr;
		return rc;
	}
	if (batch->nr_users)
		rc = surface_map_borrowed(buffer, type);
	*addr = buffer->memory;
	return rc;
}

/* Undoes surface_map_buffer(), when no plane is mapped any more. */
static void surface_unmap_buffer(struct nvbuf_batch *batch,
				 struct nvbuf_buffer *buffer)
{
	if (batch->nr_users) {
		munmap(buffer->memory, buffer->len);
		buffer->memory = NULL;
	} else if (buffer->object) {
		mem_buf_unmap(mem_object_buf(buffer->object));
	}
}

static int surface_map_plane(struct nvbuf_batch *batch, uint32_t index,
			     int plane, NvBufSurfaceMemMapFlags type)
{
	NvBufSurfaceParams *shown = &batch->surf.surfaceList[index];
	uint32_t nr = shown->planeParams.num_planes;
	void *addr;
	uint32_t i;
	int rc;

	rc = surface_map_buffer(batch, index, type, &addr);
	if (rc)
		return rc;
	for (i = 0; i < nr; i++) {
		if (plane >= 0 && (uint32_t)plane != i)
			continue;
		shown->mappedAddr.addr[i] = (uint8_t *)addr +
					    shown->planeParams.offset[i];
		batch->buffers[index].mapped |= 1U << i;
	}
	return 0;
}

API int NvBufSurfaceMap(NvBufSurface *surf, int index, int plane,
			NvBufSurfaceMemMapFlags type)
{
	struct nvbuf_batch *batch = nvbuf_batch_of(surf);
	uint32_t i;
	int rc;

	rc = nvbuf_check(batch, index, plane);
	if (rc || (unsigned int)type > NVBUF_MAP_READ_WRITE)
		return nvbuf_fail(EINVAL);
	if (surf->memType == NVBUF_MEM_CUDA_DEVICE)
		return nvbuf_fail(EACCES);
	for (i = 0; i < batch->surf.batchSize && !rc; i++)
		if (index < 0 || (uint32_t)index == i)
			rc = surface_map_plane(batch, i, plane, type);
	return nvbuf_rc(rc);
}

static int surface_unmap_plane(struct nvbuf_batch *batch, uint32_t index,
			       int plane)
{
	NvBufSurfaceParams *shown = &batch->surf.surfaceList[index];
	struct nvbuf_buffer *buffer = &batch->buffers[index];
	unsigned int planes = plane < 0 ? ~0U : 1U << plane;
	uint32_t i;

	if (!(buffer->mapped & planes))
		return -EINVAL;
	buffer->mapped &= ~planes;
	for (i = 0; i < shown->planeParams.num_planes; i++)
		if (planes & 1U << i)
			shown->mappedAddr.addr[i] = NULL;
	if (!buffer->mapped)
		surface_unmap_buffer(batch, buffer);
	return 0;
}

API int NvBufSurfaceUnMap(NvBufSurface *surf, int index, int plane)
{
	struct nvbuf_batch *batch = nvbuf_batch_of(surf);
	uint32_t i;
	int rc;

	rc = nvbuf_check(batch, index, plane);
	for (i = 0; !rc && i < batch->surf.batchSize; i++)
		if (index < 0 || (uint32_t)index == i)
			rc = surface_unmap_plane(batch, i, plane);
	return nvbuf_rc(rc);
}

/**
 * nvbuf_maintain() - maintain the CPU's cache over a plane
 * @batch: batch of surface arrays or handles
 * @index: index of the buffer
 * @plane: plane
 * @op: enum mem_maint_op
 *
 * Return: 0 or -errno.
 */
int nvbuf_maintain(struct nvbuf_batch *batch, uint32_t index, uint32_t plane,
		   uint32_t op)
{
	const NvBufSurfacePlaneParams *planes =
		&batch->surf.surfaceList[index].planeParams;
	struct nvbuf_buffer *buffer = &batch->buffers[index];
	struct dma_buf_sync sync = {
		.flags = DMA_BUF_SYNC_RW | (op == MEM_MAINT_CLEAN ?
					    DMA_BUF_SYNC_END :
					    DMA_BUF_SYNC_START),
	};
	const struct mem_range range = {
		.buf = buffer->object ? mem_object_buf(buffer->object) : NULL,
		.op = op,
		.off = planes->offset[plane],
		.len = planes->psize[plane],
	};
	struct mem_ctx *ctx;
	int rc;

	if (batch->nr_users) {
		/*
		 * The embedded backend's file is no dma-buf and needs no sync.
		 */
		ioctl(buffer->fd, DMA_BUF_IOCTL_SYNC, &sync);
		return 0;
	}
	rc = nvbuf_ctx(&ctx);
	return rc ? rc : mem_buf_maintain(ctx, &range, 1, NULL);
}

static int surface_sync_plane(struct nvbuf_batch *batch, uint32_t index,
			      uint32_t plane, uint32_t op)
{
	if (!(batch->buffers[index].mapped & 1U << plane))
		return -EINVAL;
	if (!nvbuf_is_cached(batch))
		return 0;
	return nvbuf_maintain(batch, index, plane, op);
}

API int NvBufSurfaceSyncForCpu(NvBufSurface *surf, int index, int plane)
{
	return nvbuf_each_plane(surf, index, plane, surface_sync_plane,
				MEM_MAINT_INVALIDATE);
}

API int NvBufSurfaceSyncForDevice(NvBufSurface *surf, int index, int plane)
{
	return nvbuf_each_plane(surf, index, plane, surface_sync_plane,
				MEM_MAINT_CLEAN);
}

API int NvBufSurfaceGetMapParams(const NvBufSurface *surf, int index,
				 NvBufSurfaceMapParams *params)
{
	struct nvbuf_batch *batch = nvbuf_batch_of(surf);
	const NvBufSurfacePlaneParams *planes;
	const NvBufSurfaceParams *shown;
	uint32_t i;

	if (!params || index < 0 || nvbuf_check(batch, index, 0))
		return nvbuf_fail(EINVAL);
	if (!nvbuf_is_cached(batch))
		return nvbuf_fail(EOPNOTSUPP);
	shown = &surf->surfaceList[index];
	planes = &shown->planeParams;
	memset(params, 0, sizeof(*params));
	params->num_planes = planes->num_planes;
	params->gpuId = surf->gpuId;
	params->fd = shown->bufferDesc;
	params->totalSize = shown->dataSize;
	params->memType = surf->memType;
	params->layout = shown->layout;
	params->colorFormat = shown->colorFormat;
	for (i = 0; i < planes->num_planes; i++) {
		params->planes[i].width = planes->width[i];
		params->planes[i].height = planes->height[i];
		params->planes[i].pitch = planes->pitch[i];
		params->planes[i].offset = planes->offset[i];
		params->planes[i].psize = planes->psize[i];
	}
	return 0;
}
