// SPDX-License-Identifier: LGPL-2.1-or-later
/* nvbuf_utils: a buffer is a batch of one, found by its descriptor. */
#include <errno.h>
#include <string.h>

#include "nvbuf.h"
#include "nvbuf_utils.h"

#define SAME(name) \
	[NvBufferColorFormat_##name] = NVBUF_COLOR_FORMAT_##name

static const NvBufSurfaceColorFormat colors[] = {
	SAME(YUV420), SAME(YVU420), SAME(YUV422), SAME(YUV420_ER),
	SAME(YVU420_ER), SAME(NV12), SAME(NV12_ER), SAME(NV21), SAME(NV21_ER),
	SAME(UYVY), SAME(UYVY_ER), SAME(VYUY), SAME(VYUY_ER), SAME(YUYV),
	SAME(YUYV_ER), SAME(YVYU), SAME(YVYU_ER),
	/*
	 * These names begin at the highest byte: ABGR32 is R, G, B, A in
	 * memory.
	 */
	[NvBufferColorFormat_ABGR32] = NVBUF_COLOR_FORMAT_RGBA,
	[NvBufferColorFormat_XRGB32] = NVBUF_COLOR_FORMAT_BGRx,
	[NvBufferColorFormat_ARGB32] = NVBUF_COLOR_FORMAT_BGRA,
	SAME(NV12_10LE), SAME(NV12_10LE_709), SAME(NV12_10LE_709_ER),
	SAME(NV12_10LE_2020), SAME(NV21_10LE), SAME(NV12_12LE),
	SAME(NV12_12LE_2020), SAME(NV21_12LE), SAME(YUV420_709),
	SAME(YUV420_709_ER), SAME(NV12_709), SAME(NV12_709_ER),
	SAME(YUV420_2020), SAME(NV12_2020),
	[NvBufferColorFormat_SignedR16G16] = NVBUF_COLOR_FORMAT_SIGNED_R16G16,
	SAME(A32), SAME(YUV444), SAME(GRAY8), SAME(NV16), SAME(NV16_10LE),
	SAME(NV24), SAME(NV24_10LE), SAME(NV16_ER), SAME(NV24_ER),
	SAME(NV16_709), SAME(NV24_709), SAME(NV16_709_ER), SAME(NV24_709_ER),
	SAME(NV24_10LE_709), SAME(NV24_10LE_709_ER), SAME(NV24_10LE_2020),
	SAME(NV24_12LE_2020), SAME(RGBA_10_10_10_2_709),
	SAME(RGBA_10_10_10_2_2020), SAME(BGRA_10_10_10_2_709),
	SAME(BGRA_10_10_10_2_2020),
	[NvBufferColorFormat_Invalid] = NVBUF_COLOR_FORMAT_INVALID,
};

#define NR_COLORS	(sizeof(colors) / sizeof(*colors))

static NvBufferColorFormat utils_color_of(NvBufSurfaceColorFormat color)
{
	size_t i;

	for (i = 0; i < NR_COLORS; i++)
		if (colors[i] == color)
			return (NvBufferColorFormat)i;
	return NvBufferColorFormat_Invalid;
}

API int NvBufferGetSize(void)
{
	return sizeof(NvBufSurface);
}

API int NvBufferCreateEx(int *dmabuf_fd, NvBufferCreateParams *input_params)
{
	NvBufSurfaceCreateParams params = { .isContiguous = true };
	NvBufSurface *surf;

	if (!dmabuf_fd || !input_params)
		return nvbuf_fail(EINVAL);
	switch (input_params->payloadType) {
	case NvBufferPayload_SurfArray:
		if (input_params->width < 1 || input_params->height < 1 ||
		    (size_t)input_params->colorFormat >= NR_COLORS)
			return nvbuf_fail(EINVAL);
		params.memType = NVBUF_MEM_SURFACE_ARRAY;
		params.width = input_params->width;
		params.height = input_params->height;
		params.colorFormat = colors[input_params->colorFormat];
		params.layout = input_params->layout == NvBufferLayout_Pitch ?
				NVBUF_LAYOUT_PITCH : NVBUF_LAYOUT_BLOCK_LINEAR;
		break;
	case NvBufferPayload_MemHandle:
		if (input_params->memsize < 1)
			return nvbuf_fail(EINVAL);
		params.memType = NVBUF_MEM_HANDLE;
		params.size = input_params->memsize;
		break;
	default:
		return nvbuf_fail(EINVAL);
	}
	if (NvBufSurfaceCreate(&surf, 1, &params))
		return -1;
	surf->numFilled = 1;
	*dmabuf_fd = (int)surf->surfaceList[0].bufferDesc;
	return 0;
}

API int NvBufferCreate(int *dmabuf_fd, int width, int height,
		       NvBufferLayout layout, NvBufferColorFormat colorFormat)
{
	NvBufferCreateParams params = {
		.width = width, .height = height, .layout = layout,
		.colorFormat = colorFormat,
		.payloadType = NvBufferPayload_SurfArray,
	};

	return NvBufferCreateEx(dmabuf_fd, &params);
}

/* Returns the batch of a descriptor, or NULL with errno. */
static NvBufSurface *utils_surface_of(int dmabuf_fd, unsigned int *index)
{
	struct nvbuf_batch *batch = nvbuf_batch_of_fd(dmabuf_fd, index);

	if (!batch)
		errno = ENOENT;
	return batch ? &batch->surf : NULL;
}

API int NvBufferGetParams(int dmabuf_fd, NvBufferParams *params)
{
	const NvBufSurfacePlaneParams *planes;
	const NvBufSurfaceParams *shown;
	unsigned int index;
	NvBufSurface *surf;
	uint32_t i;

	if (!params)
		return nvbuf_fail(EINVAL);
	surf = utils_surface_of(dmabuf_fd, &index);
	if (!surf)
		return -1;
	shown = &surf->surfaceList[index];
	planes = &shown->planeParams;
	memset(params, 0, sizeof(*params));
	params->dmabuf_fd = dmabuf_fd;
	params->nv_buffer = surf;
	params->nv_buffer_size = sizeof(*surf);
	params->payloadType = surf->memType == NVBUF_MEM_HANDLE ?
			      NvBufferPayload_MemHandle :
			      NvBufferPayload_SurfArray;
	params->memsize = shown->dataSize;
	params->pixel_format = utils_color_of(shown->colorFormat);
	params->num_planes = planes->num_planes;
	for (i = 0; i < planes->num_planes; i++) {
		params->width[i] = planes->width[i];
		params->height[i] = planes->height[i];
		params->pitch[i] = planes->pitch[i];
		params->offset[i] = planes->offset[i];
		params->psize[i] = planes->psize[i];
		if (shown->layout == NVBUF_LAYOUT_PITCH)
			params->layout[i] = NvBufferLayout_Pitch;
		else
			params->layout[i] = NvBufferLayout_BlockLinear;
	}
	return 0;
}

API int NvBufferGetParamsEx(int dmabuf_fd, NvBufferParamsEx *exparams)
{
	if (!exparams)
		return nvbuf_fail(EINVAL);
	memset(exparams, 0, sizeof(*exparams));
	if (NvBufferGetParams(dmabuf_fd, &exparams->params))
		return -1;
	exparams->sizeofvaliddatainbytes = exparams->params.memsize;
	return 0;
}

API int NvBufferDestroy(int dmabuf_fd)
{
	unsigned int index;
	NvBufSurface *surf = utils_surface_of(dmabuf_fd, &index);

	return surf ? NvBufSurfaceDestroy(surf) : -1;
}

API int ExtractFdFromNvBuffer(void *nvbuf, int *dmabuf_fd)
{
	struct nvbuf_batch *batch = nvbuf_batch_of(nvbuf);

	if (!batch || !dmabuf_fd || batch->buffers[0].fd < 0)
		return nvbuf_fail(EINVAL);
	*dmabuf_fd = batch->buffers[0].fd;
	return 0;
}

/* Does nothing, since the descriptor belongs to the buffer. */
API int NvReleaseFd(int dmabuf_fd)
{
	unsigned int index;

	return utils_surface_of(dmabuf_fd, &index) ? 0 : -1;
}

/* As utils_surface_of(), but also checks the number of a plane. */
static NvBufSurface *utils_surface_of_plane(int dmabuf_fd, unsigned int plane,
					    unsigned int *index)
{
	NvBufSurface *surf = utils_surface_of(dmabuf_fd, index);

	if (surf && plane >= NVBUF_MAX_PLANES) {
		errno = EINVAL;
		return NULL;
	}
	return surf;
}

API int NvBufferMemMap(int dmabuf_fd, unsigned int plane,
		       NvBufferMemFlags memflag, void **pVirtAddr)
{
	unsigned int index;
	NvBufSurface *surf = utils_surface_of_plane(dmabuf_fd, plane, &index);

	if (!surf)
		return -1;
	if (!pVirtAddr)
		return nvbuf_fail(EINVAL);
	if (NvBufSurfaceMap(surf, index, plane,
			    (NvBufSurfaceMemMapFlags)memflag))
		return -1;
	*pVirtAddr = surf->surfaceList[index].mappedAddr.addr[plane];
	return 0;
}

API int NvBufferMemUnMap(int dmabuf_fd, unsigned int plane, void **pVirtAddr)
{
	unsigned int index;
	NvBufSurface *surf = utils_surface_of_plane(dmabuf_fd, plane, &index);

	if (!surf || NvBufSurfaceUnMap(surf, index, plane))
		return -1;
	if (pVirtAddr)
		*pVirtAddr = NULL;
	return 0;
}

API int NvBufferMemSyncForCpu(int dmabuf_fd, unsigned int plane,
			      void **pVirtAddr)
{
	unsigned int index;
	NvBufSurface *surf = utils_surface_of_plane(dmabuf_fd, plane, &index);

	(void)pVirtAddr;
	return surf ? NvBufSurfaceSyncForCpu(surf, index, plane) : -1;
}

API int NvBufferMemSyncForDevice(int dmabuf_fd, unsigned int plane,
				 void **pVirtAddr)
{
	unsigned int index;
	NvBufSurface *surf = utils_surface_of_plane(dmabuf_fd, plane, &index);

	(void)pVirtAddr;
	return surf ? NvBufSurfaceSyncForDevice(surf, index, plane) : -1;
}

API int NvBuffer2Raw(int dmabuf_fd, unsigned int plane, unsigned int out_width,
		     unsigned int out_height, unsigned char *ptr)
{
	unsigned int index;
	NvBufSurface *surf = utils_surface_of(dmabuf_fd, &index);

	return surf ? NvBufSurface2Raw(surf, index, plane, out_width,
				       out_height, ptr) : -1;
}

API int Raw2NvBuffer(unsigned char *ptr, unsigned int plane,
		     unsigned int in_width, unsigned int in_height,
		     int dmabuf_fd)
{
	unsigned int index;
	NvBufSurface *surf = utils_surface_of(dmabuf_fd, &index);

	return surf ? Raw2NvBufSurface(ptr, index, plane, in_width, in_height,
				       surf) : -1;
}
