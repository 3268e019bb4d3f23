// SPDX-License-Identifier: LGPL-2.1-or-later
/* Functions for libmem-vpi: see share.h. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "nvbuf.h"
#include "share.h"

/* Protects borrowed batches: one is made by the first lock of an image. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void share_fill_borrowed(const struct mem_image_data *data,
				NvBufSurfaceParams *shown,
				struct nvbuf_buffer *buffer)
{
	NvBufSurfacePlaneParams *planes = &shown->planeParams;
	uint32_t i;

	shown->width = data->width;
	shown->height = data->height;
	shown->pitch = data->planes[0].pitch;
	shown->bufferDesc = data->fd;
	buffer->fd = data->fd;
	planes->num_planes = data->nr_planes;
	for (i = 0; i < data->nr_planes; i++) {
		planes->width[i] = data->planes[i].width;
		planes->height[i] = data->planes[i].height;
		planes->pitch[i] = data->planes[i].pitch;
		planes->offset[i] = data->planes[i].off;
		planes->psize[i] = planes->pitch[i] * planes->height[i];
		planes->bytesPerPix[i] = data->planes[i].pixel_len;
		if (buffer->len < data->planes[i].off + planes->psize[i])
			buffer->len = data->planes[i].off + planes->psize[i];
	}
	shown->dataSize = buffer->len;
}

API int heapsim_nvbuf_add(const struct mem_image_data *data,
			  unsigned int access)
{
	NvBufSurfaceColorFormat color;
	struct nvbuf_batch *batch;
	NvBufSurfaceLayout layout;
	unsigned int index;
	int rc = 0;

	color = nvbuf_of_mem(data->format, &layout);
	if (color == NVBUF_COLOR_FORMAT_INVALID)
		return -EOPNOTSUPP;
	pthread_mutex_lock(&lock);
	batch = nvbuf_batch_of_fd(data->fd, &index);
	if (batch) {
		batch->nr_users++;
		goto out_unlock;
	}
	batch = nvbuf_batch_new(1);
	if (!batch) {
		rc = -ENOMEM;
		goto out_unlock;
	}
	batch->nr_users = 1;
	batch->surf.numFilled = 1;
	batch->surf.memType = NVBUF_MEM_SURFACE_ARRAY;
	batch->surf.surfaceList[0].colorFormat = color;
	batch->surf.surfaceList[0].layout = layout;
	batch->buffers[0].object = mem_object_get(data->object);
	batch->buffers[0].access = access == MEM_READ ? MEM_READ : MEM_RW;
	share_fill_borrowed(data, &batch->surf.surfaceList[0],
			    &batch->buffers[0]);
	nvbuf_batch_add(batch);

out_unlock:
	pthread_mutex_unlock(&lock);
	return rc;
}

API void heapsim_nvbuf_del(int fd)
{
	struct nvbuf_batch *batch;
	unsigned int index;

	pthread_mutex_lock(&lock);
	batch = nvbuf_batch_of_fd(fd, &index);
	if (batch && batch->nr_users && !--batch->nr_users &&
	    nvbuf_batch_take(batch)) {
		if (batch->buffers[0].memory)
			munmap(batch->buffers[0].memory,
			       batch->buffers[0].len);
		mem_object_put(batch->buffers[0].object);
		nvbuf_batch_free(batch);
	}
	pthread_mutex_unlock(&lock);
}

/**
 * nvbuf_data() - describe a buffer for mem_image_wrap()
 * @batch: batch
 * @index: index of the buffer
 * @access: MEM_READ or MEM_WRITE
 * @data: out: MEM_LOCK_OBJECT, with a reference to the object; its format is
 *	MEM_FORMAT_INVALID if images do not support that of the buffer
 *
 * Return: 0, or -EOPNOTSUPP (no object), -EACCES (it is borrowed from a lock
 * without @access).
 */
int nvbuf_data(const struct nvbuf_batch *batch, uint32_t index,
	       unsigned int access, struct mem_image_data *data)
{
	const NvBufSurfaceParams *shown = &batch->surf.surfaceList[index];

	memset(data, 0, sizeof(*data));
	data->size = sizeof(*data);
	data->as = MEM_LOCK_OBJECT;
	data->fd = -1;
	data->format = nvbuf_to_mem(shown->colorFormat, shown->layout);
	/* The image from which it is borrowed may have another standard. */
	data->flags = batch->nr_users ? MEM_IMAGE_ANY_STD : 0;
	if (!batch->buffers[index].object)
		return -EOPNOTSUPP;
	if (access & ~batch->buffers[index].access)
		return -EACCES;
	data->object = mem_object_get(batch->buffers[index].object);
	return 0;
}

API int heapsim_nvbuf_find(int fd, struct mem_image_data *data)
{
	struct nvbuf_batch *batch;
	unsigned int index;

	batch = nvbuf_batch_of_fd(fd, &index);
	if (!batch)
		return -ENOENT;
	return batch->nr_users ? -EOPNOTSUPP :
				 nvbuf_data(batch, index, MEM_READ, data);
}
