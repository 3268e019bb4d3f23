// SPDX-License-Identifier: LGPL-2.1-or-later
/* Runtime: EGL streams, images and syncs; graphics resources. */
#include <string.h>

#include "array.h"
#include "core_egl.h"
#include "cuda_egl_interop.h"

#define NS_PER_US	1000ULL

/* All components of a pixel have the type of the first one. */
static int egl_format_of(const struct cudaChannelFormatDesc *desc,
			 CUarray_format *format)
{
	const struct cudaChannelFormatDesc first = { .x = desc->x,
						     .f = desc->f };
	unsigned int nr_channels;

	return cudart_format(&first, format, &nr_channels) ?
		cudaErrorInvalidValue : cudaSuccess;
}

static unsigned int egl_count(const struct cudaChannelFormatDesc *desc)
{
	return !!desc->x + !!desc->y + !!desc->z + !!desc->w;
}

static int egl_frame_in(const cudaEglFrame *from, struct core_egl_frame *to)
{
	unsigned int i;
	int rc;

	memset(to, 0, sizeof(*to));
	if (!from->planeCount || from->planeCount > CUDA_EGL_MAX_PLANES ||
	    (unsigned int)from->frameType > cudaEglFrameTypePitch)
		return cudaErrorInvalidValue;
	to->nr_planes = from->planeCount;
	to->depth = from->planeDesc[0].depth;
	to->is_array = from->frameType == cudaEglFrameTypeArray;
	to->color = from->eglColorFormat;
	for (i = 0; i < from->planeCount; i++) {
		struct core_egl_plane *plane = &to->planes[i];

		plane->width = from->planeDesc[i].width;
		plane->height = from->planeDesc[i].height;
		plane->pitch = from->planeDesc[i].pitch;
		plane->nr_channels = from->planeDesc[i].numChannels;
		if (!to->is_array && plane->nr_channels !=
		    egl_count(&from->planeDesc[i].channelDesc))
			return cudaErrorInvalidValue;
		/* The handles of runtime and driver are the same. */
		if (to->is_array)
			plane->array = (CUarray)from->frame.pArray[i];
		else
			plane->ptr = from->frame.pPitch[i].ptr;
	}
	rc = egl_format_of(&from->planeDesc[0].channelDesc, &to->format);
	/* An array has its format itself. */
	if (rc && to->is_array && core_array_exists(to->planes[0].array)) {
		to->format = to->planes[0].array->desc.Format;
		rc = cudaSuccess;
	}
	return rc;
}

static void egl_plane_out(const struct core_egl_frame *frame,
			  const struct core_egl_plane *from,
			  cudaEglPlaneDesc *to)
{
	const unsigned int nr = from->nr_channels;

	to->width = from->width;
	to->height = from->height;
	to->depth = frame->depth;
	to->pitch = from->pitch;
	to->numChannels = nr;
	to->channelDesc = cudart_channels(frame->format, nr == 3 ? 4 : nr);
	if (nr == 3)
		to->channelDesc.w = 0;
}

static void egl_frame_out(const struct core_egl_frame *from, cudaEglFrame *to)
{
	unsigned int i;

	memset(to, 0, sizeof(*to));
	to->planeCount = from->nr_planes;
	to->frameType = from->is_array ? cudaEglFrameTypeArray :
					 cudaEglFrameTypePitch;
	to->eglColorFormat = (cudaEglColorFormat)from->color;
	for (i = 0; i < from->nr_planes; i++) {
		const struct core_egl_plane *plane = &from->planes[i];

		egl_plane_out(from, plane, &to->planeDesc[i]);
		if (from->is_array)
			to->frame.pArray[i] = (cudaArray_t)plane->array;
		else
			to->frame.pPitch[i] = (struct cudaPitchedPtr){
				.ptr = plane->ptr,
				.pitch = plane->pitch,
				.xsize = plane->width,
				.ysize = plane->height,
			};
	}
}

static CUstream egl_stream_of(const cudaStream_t *stream)
{
	return stream ? *stream : NULL;
}

API cudaError_t
cudaEGLStreamConsumerConnectWithFlags(cudaEglStreamConnection *conn,
				      EGLStreamKHR eglStream,
				      unsigned int flags)
{
	if (!conn || flags > cudaEglResourceLocationVidmem)
		return cudart_return(cudaErrorInvalidValue);
	return cudart_return(core_egl_connect(CORE_EGL_CONSUMER, eglStream, 0,
					      0, conn));
}

API cudaError_t cudaEGLStreamConsumerConnect(cudaEglStreamConnection *conn,
					     EGLStreamKHR eglStream)
{
	return cudaEGLStreamConsumerConnectWithFlags(conn, eglStream,
					cudaEglResourceLocationSysmem);
}

API cudaError_t cudaEGLStreamConsumerDisconnect(cudaEglStreamConnection *conn)
{
	return cudart_return(conn ? core_egl_disconnect(CORE_EGL_CONSUMER,
							*conn) :
				    cudaErrorInvalidValue);
}

API cudaError_t
cudaEGLStreamConsumerAcquireFrame(cudaEglStreamConnection *conn,
				  cudaGraphicsResource_t *pCudaResource,
				  cudaStream_t *pStream, unsigned int timeout)
{
	const uint64_t ns = timeout == CUDA_EGL_INFINITE_TIMEOUT ?
		MEM_WAIT_FOREVER : timeout * NS_PER_US;
	CUgraphicsResource resource;
	int rc;

	if (!conn || !pCudaResource)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_egl_acquire(*conn, egl_stream_of(pStream), ns, &resource);
	if (!rc)
		*pCudaResource = (cudaGraphicsResource_t)resource;
	return cudart_return(rc);
}

API cudaError_t
cudaEGLStreamConsumerReleaseFrame(cudaEglStreamConnection *conn,
				  cudaGraphicsResource_t pCudaResource,
				  cudaStream_t *pStream)
{
	if (!conn)
		return cudart_return(cudaErrorInvalidValue);
	return cudart_return(core_egl_release(*conn,
					      (CUgraphicsResource)pCudaResource,
					      egl_stream_of(pStream)));
}

API cudaError_t cudaEGLStreamProducerConnect(cudaEglStreamConnection *conn,
					     EGLStreamKHR eglStream,
					     EGLint width, EGLint height)
{
	if (!conn || width < 0 || height < 0)
		return cudart_return(cudaErrorInvalidValue);
	return cudart_return(core_egl_connect(CORE_EGL_PRODUCER, eglStream,
					      width, height, conn));
}

API cudaError_t cudaEGLStreamProducerDisconnect(cudaEglStreamConnection *conn)
{
	return cudart_return(conn ? core_egl_disconnect(CORE_EGL_PRODUCER,
							*conn) :
				    cudaErrorInvalidValue);
}

API cudaError_t cudaEGLStreamProducerPresentFrame(cudaEglStreamConnection *conn,
						  cudaEglFrame eglframe,
						  cudaStream_t *pStream)
{
	struct core_egl_frame frame;
	int rc;

	if (!conn)
		return cudart_return(cudaErrorInvalidValue);
	rc = egl_frame_in(&eglframe, &frame);
	if (!rc)
		rc = core_egl_present(*conn, &frame, egl_stream_of(pStream));
	return cudart_return(rc);
}

API cudaError_t cudaEGLStreamProducerReturnFrame(cudaEglStreamConnection *conn,
						 cudaEglFrame *eglframe,
						 cudaStream_t *pStream)
{
	struct core_egl_frame frame;
	int rc;

	if (!conn || !eglframe)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_egl_return(*conn, egl_stream_of(pStream), &frame);
	if (!rc)
		egl_frame_out(&frame, eglframe);
	return cudart_return(rc);
}

API cudaError_t
cudaGraphicsEGLRegisterImage(struct cudaGraphicsResource **pCudaResource,
			     EGLImageKHR image, unsigned int flags)
{
	CUgraphicsResource resource;
	int rc;

	if (!pCudaResource)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_graphics_register(image, flags, &resource);
	if (!rc)
		*pCudaResource = (cudaGraphicsResource_t)resource;
	return cudart_return(rc);
}

API cudaError_t
cudaGraphicsResourceGetMappedEglFrame(cudaEglFrame *eglFrame,
				      cudaGraphicsResource_t resource,
				      unsigned int index, unsigned int mipLevel)
{
	struct core_egl_frame frame;
	int rc;

	if (!eglFrame)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_graphics_frame((CUgraphicsResource)resource, index, mipLevel,
				 &frame);
	if (!rc)
		egl_frame_out(&frame, eglFrame);
	return cudart_return(rc);
}

API cudaError_t cudaEventCreateFromEGLSync(cudaEvent_t *phEvent,
					   EGLSyncKHR eglSync,
					   unsigned int flags)
{
	return cudart_return(phEvent ? core_event_from_sync(eglSync, flags,
							    phEvent) :
				       cudaErrorInvalidValue);
}

API cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t resource)
{
	return cudart_return(core_graphics_unregister((CUgraphicsResource)
						      resource));
}

API cudaError_t
cudaGraphicsSubResourceGetMappedArray(cudaArray_t *array,
				      cudaGraphicsResource_t resource,
				      unsigned int arrayIndex,
				      unsigned int mipLevel)
{
	CUarray found;
	int rc;

	if (!array)
		return cudart_return(cudaErrorInvalidValue);
	rc = core_graphics_array((CUgraphicsResource)resource, arrayIndex,
				 mipLevel, &found);
	if (!rc)
		*array = (cudaArray_t)found;
	return cudart_return(rc);
}

API cudaError_t
cudaGraphicsResourceGetMappedPointer(void **devPtr, size_t *size,
				     cudaGraphicsResource_t resource)
{
	return cudart_return(devPtr ?
			     core_graphics_ptr((CUgraphicsResource)resource,
					       devPtr, size) :
			     cudaErrorInvalidValue);
}

API cudaError_t cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t resource,
						unsigned int flags)
{
	const CUgraphicsResource one = (CUgraphicsResource)resource;

	return cudart_return(flags > cudaGraphicsMapFlagsWriteDiscard ?
			     cudaErrorInvalidValue :
			     core_graphics_check(&one, 1, NULL));
}

API cudaError_t cudaGraphicsMapResources(int count,
					 cudaGraphicsResource_t *resources,
					 cudaStream_t stream)
{
	return cudart_return(core_graphics_check((void *)resources,
						 count > 0 ? count : 0,
						 stream));
}

API cudaError_t cudaGraphicsUnmapResources(int count,
					   cudaGraphicsResource_t *resources,
					   cudaStream_t stream)
{
	return cudaGraphicsMapResources(count, resources, stream);
}
