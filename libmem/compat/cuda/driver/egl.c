// SPDX-License-Identifier: LGPL-2.1-or-later
/* Driver: EGL streams, images and syncs; graphics resources. */
#include <string.h>

#include "core_egl.h"
#include "cudaEGL.h"
#include "driver.h"

#define NS_PER_US	1000ULL

/*
 * A CUeglFrame describes the first plane. These are the others: the shift of
 * their width and height, and their components. The pitch is as many bytes more
 * or less as a row has.
 */
struct chroma {
	unsigned int x_shift;
	unsigned int y_shift;
	unsigned int nr_channels;
};

static struct chroma egl_chroma_of(unsigned int color)
{
	switch (color) {
	case CU_EGL_COLOR_FORMAT_YUV444_PLANAR:
	case CU_EGL_COLOR_FORMAT_YUV444_PLANAR_ER:
	case CU_EGL_COLOR_FORMAT_YVU444_PLANAR:
	case CU_EGL_COLOR_FORMAT_YVU444_PLANAR_ER:
		return (struct chroma){ 0, 0, 1 };
	case CU_EGL_COLOR_FORMAT_YUV444_SEMIPLANAR:
	case CU_EGL_COLOR_FORMAT_YUV444_SEMIPLANAR_ER:
	case CU_EGL_COLOR_FORMAT_YVU444_SEMIPLANAR:
	case CU_EGL_COLOR_FORMAT_YVU444_SEMIPLANAR_ER:
	case CU_EGL_COLOR_FORMAT_Y10V10U10_444_SEMIPLANAR:
	case CU_EGL_COLOR_FORMAT_Y10V10U10_444_SEMIPLANAR_ER:
	case CU_EGL_COLOR_FORMAT_Y12V12U12_444_SEMIPLANAR:
	case CU_EGL_COLOR_FORMAT_Y12V12U12_444_SEMIPLANAR_ER:
	case CU_EGL_COLOR_FORMAT_Y10V10U10_444_SEMIPLANAR_709_ER:
	case CU_EGL_COLOR_FORMAT_Y12V12U12_444_SEMIPLANAR_709_ER:
		return (struct chroma){ 0, 0, 2 };
	case CU_EGL_COLOR_FORMAT_YUV422_PLANAR:
	case CU_EGL_COLOR_FORMAT_YUV422_PLANAR_ER:
	case CU_EGL_COLOR_FORMAT_YVU422_PLANAR:
	case CU_EGL_COLOR_FORMAT_YVU422_PLANAR_ER:
		return (struct chroma){ 1, 0, 1 };
	case CU_EGL_COLOR_FORMAT_YUV422_SEMIPLANAR:
	case CU_EGL_COLOR_FORMAT_YUV422_SEMIPLANAR_ER:
	case CU_EGL_COLOR_FORMAT_YVU422_SEMIPLANAR:
	case CU_EGL_COLOR_FORMAT_YVU422_SEMIPLANAR_ER:
	case CU_EGL_COLOR_FORMAT_Y10V10U10_422_SEMIPLANAR:
	case CU_EGL_COLOR_FORMAT_Y10V10U10_422_SEMIPLANAR_709:
	case CU_EGL_COLOR_FORMAT_Y10V10U10_422_SEMIPLANAR_2020:
		return (struct chroma){ 1, 0, 2 };
	case CU_EGL_COLOR_FORMAT_YUV420_PLANAR:
	case CU_EGL_COLOR_FORMAT_YUV420_PLANAR_ER:
	case CU_EGL_COLOR_FORMAT_YVU420_PLANAR:
	case CU_EGL_COLOR_FORMAT_YVU420_PLANAR_ER:
	case CU_EGL_COLOR_FORMAT_YUV420_PLANAR_2020:
	case CU_EGL_COLOR_FORMAT_YVU420_PLANAR_2020:
	case CU_EGL_COLOR_FORMAT_YUV420_PLANAR_709:
	case CU_EGL_COLOR_FORMAT_YVU420_PLANAR_709:
		return (struct chroma){ 1, 1, 1 };
	case CU_EGL_COLOR_FORMAT_YUV420_SEMIPLANAR:
	case CU_EGL_COLOR_FORMAT_YUV420_SEMIPLANAR_ER:
	case CU_EGL_COLOR_FORMAT_YVU420_SEMIPLANAR:
	case CU_EGL_COLOR_FORMAT_YVU420_SEMIPLANAR_ER:
	case CU_EGL_COLOR_FORMAT_Y10V10U10_420_SEMIPLANAR:
	case CU_EGL_COLOR_FORMAT_Y10V10U10_420_SEMIPLANAR_ER:
	case CU_EGL_COLOR_FORMAT_Y12V12U12_420_SEMIPLANAR:
	case CU_EGL_COLOR_FORMAT_Y12V12U12_420_SEMIPLANAR_ER:
	case CU_EGL_COLOR_FORMAT_YUV420_SEMIPLANAR_2020:
	case CU_EGL_COLOR_FORMAT_YVU420_SEMIPLANAR_2020:
	case CU_EGL_COLOR_FORMAT_YUV420_SEMIPLANAR_709:
	case CU_EGL_COLOR_FORMAT_YVU420_SEMIPLANAR_709:
	case CU_EGL_COLOR_FORMAT_Y10V10U10_420_SEMIPLANAR_709:
	case CU_EGL_COLOR_FORMAT_Y10V10U10_420_SEMIPLANAR_2020:
	case CU_EGL_COLOR_FORMAT_Y10V10U10_420_SEMIPLANAR_709_ER:
	case CU_EGL_COLOR_FORMAT_Y12V12U12_420_SEMIPLANAR_709_ER:
		return (struct chroma){ 1, 1, 2 };
	default:
		/* Other formats have one plane. Further ones are like it. */
		return (struct chroma){ 0, 0, 0 };
	}
}

static void egl_frame_in(const CUeglFrame *from, struct core_egl_frame *to)
{
	const struct chroma chroma = egl_chroma_of(from->eglColorFormat);
	unsigned int i;

	memset(to, 0, sizeof(*to));
	to->nr_planes = from->planeCount;
	to->depth = from->depth;
	to->is_array = from->frameType == CU_EGL_FRAME_TYPE_ARRAY;
	to->color = from->eglColorFormat;
	to->format = from->cuFormat;
	for (i = 0; i < MAX_PLANES && i < from->planeCount; i++) {
		struct core_egl_plane *plane = &to->planes[i];

		plane->width = from->width;
		plane->height = from->height;
		plane->pitch = from->pitch;
		plane->nr_channels = from->numChannels;
		if (i && chroma.nr_channels) {
			plane->width >>= chroma.x_shift;
			plane->height >>= chroma.y_shift;
			plane->nr_channels = chroma.nr_channels;
			plane->pitch = (from->pitch >> chroma.x_shift) *
				       chroma.nr_channels;
		}
		if (to->is_array)
			plane->array = from->frame.pArray[i];
		else
			plane->ptr = from->frame.pPitch[i];
	}
}

static void egl_frame_out(const struct core_egl_frame *from, CUeglFrame *to)
{
	unsigned int i;

	memset(to, 0, sizeof(*to));
	to->width = from->planes[0].width;
	to->height = from->planes[0].height;
	to->depth = from->depth;
	to->pitch = from->planes[0].pitch;
	to->planeCount = from->nr_planes;
	to->numChannels = from->planes[0].nr_channels;
	to->frameType = from->is_array ? CU_EGL_FRAME_TYPE_ARRAY :
					 CU_EGL_FRAME_TYPE_PITCH;
	to->eglColorFormat = (CUeglColorFormat)from->color;
	to->cuFormat = from->format;
	for (i = 0; i < from->nr_planes; i++)
		if (from->is_array)
			to->frame.pArray[i] = from->planes[i].array;
		else
			to->frame.pPitch[i] = from->planes[i].ptr;
}

static CUstream egl_stream_of(const CUstream *stream)
{
	return stream ? *stream : NULL;
}

API CUresult cuEGLStreamConsumerConnectWithFlags(CUeglStreamConnection *conn,
						 EGLStreamKHR stream,
						 unsigned int flags)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!conn || flags > CU_EGL_RESOURCE_LOCATION_VIDMEM)
		return CUDA_ERROR_INVALID_VALUE;
	return core_egl_connect(CORE_EGL_CONSUMER, stream, 0, 0, conn);
}

API CUresult cuEGLStreamConsumerConnect(CUeglStreamConnection *conn,
					EGLStreamKHR stream)
{
	return cuEGLStreamConsumerConnectWithFlags(conn, stream,
					CU_EGL_RESOURCE_LOCATION_SYSMEM);
}

API CUresult cuEGLStreamConsumerDisconnect(CUeglStreamConnection *conn)
{
	const int rc = driver_ready();

	if (rc)
		return rc;
	return conn ? core_egl_disconnect(CORE_EGL_CONSUMER, *conn) :
		      CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuEGLStreamConsumerAcquireFrame(CUeglStreamConnection *conn,
					     CUgraphicsResource *pCudaResource,
					     CUstream *pStream,
					     unsigned int timeout)
{
	const uint64_t ns = timeout == CUDA_EGL_INFINITE_TIMEOUT ?
		MEM_WAIT_FOREVER : timeout * NS_PER_US;
	const int rc = driver_ready();

	if (rc)
		return rc;
	if (!conn || !pCudaResource)
		return CUDA_ERROR_INVALID_VALUE;
	return core_egl_acquire(*conn, egl_stream_of(pStream), ns,
				pCudaResource);
}

API CUresult cuEGLStreamConsumerReleaseFrame(CUeglStreamConnection *conn,
					     CUgraphicsResource pCudaResource,
					     CUstream *pStream)
{
	const int rc = driver_ready();

	if (rc)
		return rc;
	if (!conn)
		return CUDA_ERROR_INVALID_VALUE;
	return core_egl_release(*conn, pCudaResource, egl_stream_of(pStream));
}

API CUresult cuEGLStreamProducerConnect(CUeglStreamConnection *conn,
					EGLStreamKHR stream, EGLint width,
					EGLint height)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!conn || width < 0 || height < 0)
		return CUDA_ERROR_INVALID_VALUE;
	return core_egl_connect(CORE_EGL_PRODUCER, stream, width, height, conn);
}

API CUresult cuEGLStreamProducerDisconnect(CUeglStreamConnection *conn)
{
	const int rc = driver_ready();

	if (rc)
		return rc;
	return conn ? core_egl_disconnect(CORE_EGL_PRODUCER, *conn) :
		      CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuEGLStreamProducerPresentFrame(CUeglStreamConnection *conn,
					     CUeglFrame eglframe,
					     CUstream *pStream)
{
	struct core_egl_frame frame;
	const int rc = driver_ready();

	if (rc)
		return rc;
	if (!conn || (unsigned int)eglframe.frameType >= CU_EGL_FRAME_TYPE_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	egl_frame_in(&eglframe, &frame);
	return core_egl_present(*conn, &frame, egl_stream_of(pStream));
}

API CUresult cuEGLStreamProducerReturnFrame(CUeglStreamConnection *conn,
					    CUeglFrame *eglframe,
					    CUstream *pStream)
{
	struct core_egl_frame frame;
	int rc = driver_ready();

	if (rc)
		return rc;
	if (!conn || !eglframe)
		return CUDA_ERROR_INVALID_VALUE;
	rc = core_egl_return(*conn, egl_stream_of(pStream), &frame);
	if (!rc)
		egl_frame_out(&frame, eglframe);
	return rc;
}

API CUresult cuGraphicsEGLRegisterImage(CUgraphicsResource *pCudaResource,
					EGLImageKHR image, unsigned int flags)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	return pCudaResource ? core_graphics_register(image, flags,
						      pCudaResource) :
			       CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuGraphicsResourceGetMappedEglFrame(CUeglFrame *eglFrame,
						 CUgraphicsResource resource,
						 unsigned int index,
						 unsigned int mipLevel)
{
	struct core_egl_frame frame;
	int rc = driver_ready();

	if (rc)
		return rc;
	if (!eglFrame)
		return CUDA_ERROR_INVALID_VALUE;
	rc = core_graphics_frame(resource, index, mipLevel, &frame);
	if (!rc)
		egl_frame_out(&frame, eglFrame);
	return rc;
}

API CUresult cuEventCreateFromEGLSync(CUevent *phEvent, EGLSyncKHR eglSync,
				      unsigned int flags)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	return phEvent ? core_event_from_sync(eglSync, flags, phEvent) :
			 CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuGraphicsUnregisterResource(CUgraphicsResource resource)
{
	const int rc = driver_ready();

	return rc ? rc : core_graphics_unregister(resource);
}

API CUresult cuGraphicsSubResourceGetMappedArray(CUarray *pArray,
						 CUgraphicsResource resource,
						 unsigned int arrayIndex,
						 unsigned int mipLevel)
{
	const int rc = driver_ready();

	if (rc)
		return rc;
	return pArray ? core_graphics_array(resource, arrayIndex, mipLevel,
					    pArray) :
			CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuGraphicsResourceGetMappedPointer_v2(CUdeviceptr *pDevPtr,
						   size_t *pSize,
						   CUgraphicsResource resource)
{
	void *ptr;
	int rc = driver_ready();

	if (rc)
		return rc;
	if (!pDevPtr)
		return CUDA_ERROR_INVALID_VALUE;
	rc = core_graphics_ptr(resource, &ptr, pSize);
	if (!rc)
		*pDevPtr = driver_address(ptr);
	return rc;
}

/* ALIAS() with names that do not fit a line */
API __typeof__(cuGraphicsResourceGetMappedPointer_v2)
cuGraphicsResourceGetMappedPointer
__attribute__((alias("cuGraphicsResourceGetMappedPointer_v2")));

API CUresult cuGraphicsResourceSetMapFlags_v2(CUgraphicsResource resource,
					      unsigned int flags)
{
	const int rc = driver_ready();

	if (rc)
		return rc;
	if (flags > CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD)
		return CUDA_ERROR_INVALID_VALUE;
	return core_graphics_check(&resource, 1, NULL);
}

ALIAS(cuGraphicsResourceSetMapFlags, cuGraphicsResourceSetMapFlags_v2);

API CUresult cuGraphicsMapResources(unsigned int count,
				    CUgraphicsResource *resources,
				    CUstream hStream)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_graphics_check(resources, count, hStream);
}

PER_THREAD(cuGraphicsMapResources, _ptsz);

API CUresult cuGraphicsMapResources_ptsz(unsigned int count,
					 CUgraphicsResource *resources,
					 CUstream hStream)
{
	return cuGraphicsMapResources(count, resources, driver_own(hStream));
}

API CUresult cuGraphicsUnmapResources(unsigned int count,
				      CUgraphicsResource *resources,
				      CUstream hStream)
{
	return cuGraphicsMapResources(count, resources, hStream);
}

PER_THREAD(cuGraphicsUnmapResources, _ptsz);

API CUresult cuGraphicsUnmapResources_ptsz(unsigned int count,
					   CUgraphicsResource *resources,
					   CUstream hStream)
{
	return cuGraphicsMapResources(count, resources, driver_own(hStream));
}
