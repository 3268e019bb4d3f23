// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Copies and fills. The CPU does them for surface arrays and handles, inside a
 * bracket; CUDA's memory is copied as by CUDA.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nvbuf.h"

static const char copy_of_blocks[] = "copy of block-linear surfaces";

static void raw_move_rows(const struct mem_rows *rows)
{
	uint64_t i;

	for (i = 0; i < rows->nr_rows; i++)
		memcpy((uint8_t *)rows->dst + i * rows->dst_pitch,
		       (const uint8_t *)rows->src + i * rows->src_pitch,
		       rows->row_len);
}

static int raw_copy_rows(const struct mem_rows *rows)
{
	struct mem_stream *stream;
	struct mem_ctx *ctx;
	int rc;

	rc = nvbuf_ctx(&ctx);
	if (rc)
		return rc;
	stream = mem_stream_legacy(ctx);
	rc = mem_copy_rows(stream, rows, MEM_DIR_DEFAULT);
	return rc ? rc : mem_stream_sync(stream);
}

/**
 * struct bytes - the program's side of a copy
 * @at: first byte
 * @pitch: from row to row
 * @row_len: of a row
 * @nr_rows: rows
 */
struct bytes {
	uint8_t *at;
	uint64_t pitch;
	uint64_t row_len;
	uint64_t nr_rows;
};

/* The pixels of a plane without what is between rows */
static void raw_bytes_of(const NvBufSurfacePlaneParams *planes, uint32_t plane,
			 struct bytes *bytes)
{
	bytes->row_len = (uint64_t)planes->width[plane] *
			 planes->bytesPerPix[plane];
	bytes->nr_rows = planes->height[plane];
	bytes->pitch = bytes->row_len;
}

/*
 * Parts of rows end within cache lines: what an engine has written beside them
 * is fetched first, else it would be lost.
 */
static unsigned int raw_bracket_of(const NvBufSurfacePlaneParams *planes,
				   uint32_t plane, unsigned int access,
				   const struct bytes *bytes)
{
	struct bytes whole;

	raw_bytes_of(planes, plane, &whole);
	return access == MEM_WRITE && bytes->row_len < whole.row_len ? MEM_RW :
								       access;
}

/* @access: MEM_READ: out of the buffer, MEM_WRITE: into it */
static int raw_move_plane(struct nvbuf_batch *batch, uint32_t index,
			  uint32_t plane, unsigned int access,
			  const struct bytes *bytes)
{
	const NvBufSurfacePlaneParams *planes =
		&batch->surf.surfaceList[index].planeParams;
	const struct nvbuf_buffer *buffer = &batch->buffers[index];
	const unsigned int bracket =
		raw_bracket_of(planes, plane, access, bytes);
	const bool is_read = access == MEM_READ;
	void *memory = buffer->memory;
	struct mem_rows rows = {
		.row_len = bytes->row_len, .nr_rows = bytes->nr_rows,
	};
	int rc = 0;

	if (access & ~buffer->access)
		rc = -EACCES;
	else if (buffer->object)
		rc = mem_object_cpu_ptr(buffer->object,
					is_read ? MEM_READ : MEM_RW, &memory);
	else if (!memory)
		rc = -EOPNOTSUPP;
	if (rc)
		return rc;
	memory = (uint8_t *)memory + planes->offset[plane];
	rows.dst = is_read ? bytes->at : memory;
	rows.dst_pitch = is_read ? bytes->pitch : planes->pitch[plane];
	rows.src = is_read ? memory : bytes->at;
	rows.src_pitch = is_read ? planes->pitch[plane] : bytes->pitch;
	if (!buffer->object && batch->surf.memType != NVBUF_MEM_SYSTEM &&
	    !batch->nr_users)
		return raw_copy_rows(&rows);
	if (buffer->object)
		rc = mem_object_begin(buffer->object, bracket);
	if (rc)
		return rc;
	raw_move_rows(&rows);
	return buffer->object ? mem_object_end(buffer->object, bracket) : 0;
}

/* All pixels of a plane, by way of the program's memory */
static int raw_copy_plane(struct nvbuf_batch *dst, struct nvbuf_batch *src,
			  uint32_t index, uint32_t plane)
{
	struct bytes bytes;
	int rc;

	raw_bytes_of(&src->surf.surfaceList[index].planeParams, plane, &bytes);
	bytes.at = malloc(bytes.pitch * bytes.nr_rows);
	if (!bytes.at)
		return -ENOMEM;
	rc = raw_move_plane(src, index, plane, MEM_READ, &bytes);
	if (!rc)
		rc = raw_move_plane(dst, index, plane, MEM_WRITE, &bytes);
	free(bytes.at);
	return rc;
}

static bool raw_is_same_shape(const NvBufSurfaceParams *a,
			      const NvBufSurfaceParams *b)
{
	return a->width == b->width && a->height == b->height &&
	       a->colorFormat == b->colorFormat && a->layout == b->layout &&
	       a->planeParams.num_planes == b->planeParams.num_planes;
}

API int NvBufSurfaceCopy(NvBufSurface *srcSurf, NvBufSurface *dstSurf)
{
	struct nvbuf_batch *src = nvbuf_batch_of(srcSurf);
	struct nvbuf_batch *dst = nvbuf_batch_of(dstSurf);
	const NvBufSurfaceParams *shown;
	uint32_t i;
	uint32_t j;
	int rc = 0;

	if (!src || !dst || srcSurf->batchSize != dstSurf->batchSize)
		return nvbuf_fail(EINVAL);
	for (i = 0; i < srcSurf->batchSize; i++) {
		shown = &srcSurf->surfaceList[i];
		if (!raw_is_same_shape(shown, &dstSurf->surfaceList[i]))
			return nvbuf_fail(EINVAL);
		if (shown->layout != NVBUF_LAYOUT_PITCH)
			return nvbuf_rc(nvbuf_lacks(copy_of_blocks));
	}
	for (i = 0; i < srcSurf->batchSize; i++) {
		shown = &srcSurf->surfaceList[i];
		for (j = 0; j < shown->planeParams.num_planes && !rc; j++)
			rc = raw_copy_plane(dst, src, i, j);
	}
	return nvbuf_rc(rc);
}

static int raw_move(NvBufSurface *surf, unsigned int index, unsigned int plane,
		    unsigned int width, unsigned int height, unsigned char *ptr,
		    unsigned int access)
{
	struct nvbuf_batch *batch = nvbuf_batch_of(surf);
	struct bytes bytes = { .at = ptr, .nr_rows = height };
	const NvBufSurfacePlaneParams *planes;

	if (!ptr || index >= BATCH_MAX || plane >= NVBUF_MAX_PLANES ||
	    nvbuf_check(batch, index, plane))
		return nvbuf_fail(EINVAL);
	planes = &surf->surfaceList[index].planeParams;
	if (width > planes->width[plane] || height > planes->height[plane])
		return nvbuf_fail(EINVAL);
	if (surf->surfaceList[index].layout != NVBUF_LAYOUT_PITCH)
		return nvbuf_rc(nvbuf_lacks(copy_of_blocks));
	bytes.row_len = (uint64_t)width * planes->bytesPerPix[plane];
	bytes.pitch = bytes.row_len;
	return nvbuf_rc(raw_move_plane(batch, index, plane, access, &bytes));
}

API int NvBufSurface2Raw(NvBufSurface *Surf, unsigned int index,
			 unsigned int plane, unsigned int outwidth,
			 unsigned int outheight, unsigned char *ptr)
{
	return raw_move(Surf, index, plane, outwidth, outheight, ptr, MEM_READ);
}

API int Raw2NvBufSurface(unsigned char *ptr, unsigned int index,
			 unsigned int plane, unsigned int inwidth,
			 unsigned int inheight, NvBufSurface *Surf)
{
	return raw_move(Surf, index, plane, inwidth, inheight, ptr, MEM_WRITE);
}

static int raw_fill_plane(struct nvbuf_batch *batch, uint32_t index,
			  uint32_t plane, uint32_t value)
{
	const NvBufSurfacePlaneParams *planes =
		&batch->surf.surfaceList[index].planeParams;
	struct bytes bytes;
	int rc;

	if (batch->surf.surfaceList[index].layout != NVBUF_LAYOUT_PITCH)
		return nvbuf_lacks(copy_of_blocks);
	raw_bytes_of(planes, plane, &bytes);
	bytes.at = malloc(bytes.pitch * bytes.nr_rows);
	if (!bytes.at)
		return -ENOMEM;
	memset(bytes.at, (uint8_t)value, bytes.pitch * bytes.nr_rows);
	rc = raw_move_plane(batch, index, plane, MEM_WRITE, &bytes);
	free(bytes.at);
	return rc;
}

API int NvBufSurfaceMemSet(NvBufSurface *surf, int index, int plane,
			   uint8_t value)
{
	return nvbuf_each_plane(surf, index, plane, raw_fill_plane, value);
}
