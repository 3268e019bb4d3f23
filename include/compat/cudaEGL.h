/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * CUDA with EGL: the driver's calls. Streams, images and syncs are those of
 * libmem-egl; see Documentation/egl.rst.
 */
#ifndef CUDAEGL_H
#define CUDAEGL_H

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include "cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MAX_PLANES		3
/* As a time-out: without a limit */
#define CUDA_EGL_INFINITE_TIMEOUT	0xFFFFFFFF

typedef enum CUeglFrameType_enum {
	CU_EGL_FRAME_TYPE_ARRAY = 0,
	CU_EGL_FRAME_TYPE_PITCH = 1,
	CU_EGL_FRAME_TYPE_MAX
} CUeglFrameType;

typedef enum CUeglResourceLocationFlags_enum {
	CU_EGL_RESOURCE_LOCATION_SYSMEM = 0x00,
	CU_EGL_RESOURCE_LOCATION_VIDMEM = 0x01
} CUeglResourceLocationFlags;

typedef enum CUeglColorFormat_enum {
	CU_EGL_COLOR_FORMAT_YUV420_PLANAR = 0x00,
	CU_EGL_COLOR_FORMAT_YUV420_SEMIPLANAR = 0x01,
	CU_EGL_COLOR_FORMAT_YUV422_PLANAR = 0x02,
	CU_EGL_COLOR_FORMAT_YUV422_SEMIPLANAR = 0x03,
	CU_EGL_COLOR_FORMAT_RGB = 0x04,
	CU_EGL_COLOR_FORMAT_BGR = 0x05,
	CU_EGL_COLOR_FORMAT_ARGB = 0x06,
	CU_EGL_COLOR_FORMAT_RGBA = 0x07,
	CU_EGL_COLOR_FORMAT_L = 0x08,
	CU_EGL_COLOR_FORMAT_R = 0x09,
	CU_EGL_COLOR_FORMAT_YUV444_PLANAR = 0x0A,
	CU_EGL_COLOR_FORMAT_YUV444_SEMIPLANAR = 0x0B,
	CU_EGL_COLOR_FORMAT_YUYV_422 = 0x0C,
	CU_EGL_COLOR_FORMAT_UYVY_422 = 0x0D,
	CU_EGL_COLOR_FORMAT_ABGR = 0x0E,
	CU_EGL_COLOR_FORMAT_BGRA = 0x0F,
	CU_EGL_COLOR_FORMAT_A = 0x10,
	CU_EGL_COLOR_FORMAT_RG = 0x11,
	CU_EGL_COLOR_FORMAT_AYUV = 0x12,
	CU_EGL_COLOR_FORMAT_YVU444_SEMIPLANAR = 0x13,
	CU_EGL_COLOR_FORMAT_YVU422_SEMIPLANAR = 0x14,
	CU_EGL_COLOR_FORMAT_YVU420_SEMIPLANAR = 0x15,
	CU_EGL_COLOR_FORMAT_Y10V10U10_444_SEMIPLANAR = 0x16,
	CU_EGL_COLOR_FORMAT_Y10V10U10_420_SEMIPLANAR = 0x17,
	CU_EGL_COLOR_FORMAT_Y12V12U12_444_SEMIPLANAR = 0x18,
	CU_EGL_COLOR_FORMAT_Y12V12U12_420_SEMIPLANAR = 0x19,
	CU_EGL_COLOR_FORMAT_VYUY_ER = 0x1A,
	CU_EGL_COLOR_FORMAT_UYVY_ER = 0x1B,
	CU_EGL_COLOR_FORMAT_YUYV_ER = 0x1C,
	CU_EGL_COLOR_FORMAT_YVYU_ER = 0x1D,
	CU_EGL_COLOR_FORMAT_YUV_ER = 0x1E,
	CU_EGL_COLOR_FORMAT_YUVA_ER = 0x1F,
	CU_EGL_COLOR_FORMAT_AYUV_ER = 0x20,
	CU_EGL_COLOR_FORMAT_YUV444_PLANAR_ER = 0x21,
	CU_EGL_COLOR_FORMAT_YUV422_PLANAR_ER = 0x22,
	CU_EGL_COLOR_FORMAT_YUV420_PLANAR_ER = 0x23,
	CU_EGL_COLOR_FORMAT_YUV444_SEMIPLANAR_ER = 0x24,
	CU_EGL_COLOR_FORMAT_YUV422_SEMIPLANAR_ER = 0x25,
	CU_EGL_COLOR_FORMAT_YUV420_SEMIPLANAR_ER = 0x26,
	CU_EGL_COLOR_FORMAT_YVU444_PLANAR_ER = 0x27,
	CU_EGL_COLOR_FORMAT_YVU422_PLANAR_ER = 0x28,
	CU_EGL_COLOR_FORMAT_YVU420_PLANAR_ER = 0x29,
	CU_EGL_COLOR_FORMAT_YVU444_SEMIPLANAR_ER = 0x2A,
	CU_EGL_COLOR_FORMAT_YVU422_SEMIPLANAR_ER = 0x2B,
	CU_EGL_COLOR_FORMAT_YVU420_SEMIPLANAR_ER = 0x2C,
	CU_EGL_COLOR_FORMAT_BAYER_RGGB = 0x2D,
	CU_EGL_COLOR_FORMAT_BAYER_BGGR = 0x2E,
	CU_EGL_COLOR_FORMAT_BAYER_GRBG = 0x2F,
	CU_EGL_COLOR_FORMAT_BAYER_GBRG = 0x30,
	CU_EGL_COLOR_FORMAT_BAYER10_RGGB = 0x31,
	CU_EGL_COLOR_FORMAT_BAYER10_BGGR = 0x32,
	CU_EGL_COLOR_FORMAT_BAYER10_GRBG = 0x33,
	CU_EGL_COLOR_FORMAT_BAYER10_GBRG = 0x34,
	CU_EGL_COLOR_FORMAT_BAYER12_RGGB = 0x35,
	CU_EGL_COLOR_FORMAT_BAYER12_BGGR = 0x36,
	CU_EGL_COLOR_FORMAT_BAYER12_GRBG = 0x37,
	CU_EGL_COLOR_FORMAT_BAYER12_GBRG = 0x38,
	CU_EGL_COLOR_FORMAT_BAYER14_RGGB = 0x39,
	CU_EGL_COLOR_FORMAT_BAYER14_BGGR = 0x3A,
	CU_EGL_COLOR_FORMAT_BAYER14_GRBG = 0x3B,
	CU_EGL_COLOR_FORMAT_BAYER14_GBRG = 0x3C,
	CU_EGL_COLOR_FORMAT_BAYER20_RGGB = 0x3D,
	CU_EGL_COLOR_FORMAT_BAYER20_BGGR = 0x3E,
	CU_EGL_COLOR_FORMAT_BAYER20_GRBG = 0x3F,
	CU_EGL_COLOR_FORMAT_BAYER20_GBRG = 0x40,
	CU_EGL_COLOR_FORMAT_YVU444_PLANAR = 0x41,
	CU_EGL_COLOR_FORMAT_YVU422_PLANAR = 0x42,
	CU_EGL_COLOR_FORMAT_YVU420_PLANAR = 0x43,
	CU_EGL_COLOR_FORMAT_BAYER_ISP_RGGB = 0x44,
	CU_EGL_COLOR_FORMAT_BAYER_ISP_BGGR = 0x45,
	CU_EGL_COLOR_FORMAT_BAYER_ISP_GRBG = 0x46,
	CU_EGL_COLOR_FORMAT_BAYER_ISP_GBRG = 0x47,
	CU_EGL_COLOR_FORMAT_BAYER_BCCR = 0x48,
	CU_EGL_COLOR_FORMAT_BAYER_RCCB = 0x49,
	CU_EGL_COLOR_FORMAT_BAYER_CRBC = 0x4A,
	CU_EGL_COLOR_FORMAT_BAYER_CBRC = 0x4B,
	CU_EGL_COLOR_FORMAT_BAYER10_CCCC = 0x4C,
	CU_EGL_COLOR_FORMAT_BAYER12_BCCR = 0x4D,
	CU_EGL_COLOR_FORMAT_BAYER12_RCCB = 0x4E,
	CU_EGL_COLOR_FORMAT_BAYER12_CRBC = 0x4F,
	CU_EGL_COLOR_FORMAT_BAYER12_CBRC = 0x50,
	CU_EGL_COLOR_FORMAT_BAYER12_CCCC = 0x51,
	CU_EGL_COLOR_FORMAT_Y = 0x52,
	CU_EGL_COLOR_FORMAT_YUV420_SEMIPLANAR_2020 = 0x53,
	CU_EGL_COLOR_FORMAT_YVU420_SEMIPLANAR_2020 = 0x54,
	CU_EGL_COLOR_FORMAT_YUV420_PLANAR_2020 = 0x55,
	CU_EGL_COLOR_FORMAT_YVU420_PLANAR_2020 = 0x56,
	CU_EGL_COLOR_FORMAT_YUV420_SEMIPLANAR_709 = 0x57,
	CU_EGL_COLOR_FORMAT_YVU420_SEMIPLANAR_709 = 0x58,
	CU_EGL_COLOR_FORMAT_YUV420_PLANAR_709 = 0x59,
	CU_EGL_COLOR_FORMAT_YVU420_PLANAR_709 = 0x5A,
	CU_EGL_COLOR_FORMAT_Y10V10U10_420_SEMIPLANAR_709 = 0x5B,
	CU_EGL_COLOR_FORMAT_Y10V10U10_420_SEMIPLANAR_2020 = 0x5C,
	CU_EGL_COLOR_FORMAT_Y10V10U10_422_SEMIPLANAR_2020 = 0x5D,
	CU_EGL_COLOR_FORMAT_Y10V10U10_422_SEMIPLANAR = 0x5E,
	CU_EGL_COLOR_FORMAT_Y10V10U10_422_SEMIPLANAR_709 = 0x5F,
	CU_EGL_COLOR_FORMAT_Y_ER = 0x60,
	CU_EGL_COLOR_FORMAT_Y_709_ER = 0x61,
	CU_EGL_COLOR_FORMAT_Y10_ER = 0x62,
	CU_EGL_COLOR_FORMAT_Y10_709_ER = 0x63,
	CU_EGL_COLOR_FORMAT_Y12_ER = 0x64,
	CU_EGL_COLOR_FORMAT_Y12_709_ER = 0x65,
	CU_EGL_COLOR_FORMAT_YUVA = 0x66,
	CU_EGL_COLOR_FORMAT_YUV = 0x67,
	CU_EGL_COLOR_FORMAT_YVYU = 0x68,
	CU_EGL_COLOR_FORMAT_VYUY = 0x69,
	CU_EGL_COLOR_FORMAT_Y10V10U10_420_SEMIPLANAR_ER = 0x6A,
	CU_EGL_COLOR_FORMAT_Y10V10U10_420_SEMIPLANAR_709_ER = 0x6B,
	CU_EGL_COLOR_FORMAT_Y10V10U10_444_SEMIPLANAR_ER = 0x6C,
	CU_EGL_COLOR_FORMAT_Y10V10U10_444_SEMIPLANAR_709_ER = 0x6D,
	CU_EGL_COLOR_FORMAT_Y12V12U12_420_SEMIPLANAR_ER = 0x6E,
	CU_EGL_COLOR_FORMAT_Y12V12U12_420_SEMIPLANAR_709_ER = 0x6F,
	CU_EGL_COLOR_FORMAT_Y12V12U12_444_SEMIPLANAR_ER = 0x70,
	CU_EGL_COLOR_FORMAT_Y12V12U12_444_SEMIPLANAR_709_ER = 0x71,
	CU_EGL_COLOR_FORMAT_UYVY_709 = 0x72,
	CU_EGL_COLOR_FORMAT_UYVY_709_ER = 0x73,
	CU_EGL_COLOR_FORMAT_UYVY_2020 = 0x74,
	CU_EGL_COLOR_FORMAT_MAX
} CUeglColorFormat;

/**
 * struct CUeglFrame_st - a frame
 * @frame: planes
 * @width: of the first plane, pixels
 * @height: of the first plane, rows
 * @depth: of the first plane; 0 or 1
 * @pitch: bytes from row to row of the first plane; 0: an array
 * @planeCount: planes, 1 to MAX_PLANES
 * @numChannels: components of a pixel of the first plane
 * @frameType: whether planes are arrays or addresses
 * @eglColorFormat: order of the components, subsampling
 * @cuFormat: type of a component
 */
struct CUeglFrame_st {
	union {
		CUarray pArray[MAX_PLANES];
		void *pPitch[MAX_PLANES];
	} frame;
	unsigned int width;
	unsigned int height;
	unsigned int depth;
	unsigned int pitch;
	unsigned int planeCount;
	unsigned int numChannels;
	CUeglFrameType frameType;
	CUeglColorFormat eglColorFormat;
	CUarray_format cuFormat;
};

typedef struct CUeglFrame_st CUeglFrame_v1;
typedef CUeglFrame_v1 CUeglFrame;

typedef struct CUeglStreamConnection_st *CUeglStreamConnection;

/**
 * cuGraphicsEGLRegisterImage() - register an image with CUDA
 * @pCudaResource: out: resource: cuGraphicsUnregisterResource()
 * @image: image of eglCreateImageKHR()
 * @flags: CU_GRAPHICS_REGISTER_FLAGS_NONE, _READ_ONLY or _WRITE_DISCARD, which
 *	have no effect
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (no such image or flags),
 * CUDA_ERROR_NOT_SUPPORTED (no libmem-egl; memory that the context cannot
 * access), CUDA_ERROR_OUT_OF_MEMORY.
 */
CUresult cuGraphicsEGLRegisterImage(CUgraphicsResource *pCudaResource,
				    EGLImageKHR image, unsigned int flags);

/**
 * cuEGLStreamConsumerConnect() - connect the consumer to a stream
 * @conn: out: connection: cuEGLStreamConsumerDisconnect()
 * @stream: stream that has no consumer
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (@conn is NULL),
 * CUDA_ERROR_UNKNOWN (no such stream, it has a consumer, it is disconnected),
 * CUDA_ERROR_NOT_SUPPORTED (no libmem-egl), CUDA_ERROR_OUT_OF_MEMORY.
 */
CUresult cuEGLStreamConsumerConnect(CUeglStreamConnection *conn,
				    EGLStreamKHR stream);

/**
 * cuEGLStreamConsumerConnectWithFlags() - connect the consumer to a stream
 * @conn: out: connection: cuEGLStreamConsumerDisconnect()
 * @stream: stream that has no consumer
 * @flags: CU_EGL_RESOURCE_LOCATION_*, which have no effect
 *
 * Return: as cuEGLStreamConsumerConnect(); CUDA_ERROR_INVALID_VALUE (no such
 * @flags).
 */
CUresult cuEGLStreamConsumerConnectWithFlags(CUeglStreamConnection *conn,
					     EGLStreamKHR stream,
					     unsigned int flags);

/**
 * cuEGLStreamConsumerDisconnect() - disconnect the consumer
 * @conn: connection, invalid after this
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_HANDLE (no such connection).
 */
CUresult cuEGLStreamConsumerDisconnect(CUeglStreamConnection *conn);

/**
 * cuEGLStreamConsumerAcquireFrame() - acquire a frame
 * @conn: connection of the consumer
 * @pCudaResource: out: frame, see cuGraphicsResourceGetMappedEglFrame(); valid
 *	until the release
 * @pStream: stream, or NULL, or a NULL stream; further work of it starts when
 *	the producer's work before the present has ended
 * @timeout: how long to wait for a new frame, microseconds;
 *	CUDA_EGL_INFINITE_TIMEOUT
 *
 * If no new frame comes in time, it is the last one again, if that has been
 * released.
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (@pCudaResource is NULL),
 * CUDA_ERROR_INVALID_HANDLE (no such connection or stream), CUDA_ERROR_UNKNOWN
 * (no frame, the stream is disconnected), CUDA_ERROR_NOT_SUPPORTED (arrays of
 * another device).
 */
CUresult cuEGLStreamConsumerAcquireFrame(CUeglStreamConnection *conn,
					 CUgraphicsResource *pCudaResource,
					 CUstream *pStream,
					 unsigned int timeout);

/**
 * cuEGLStreamConsumerReleaseFrame() - release a frame
 * @conn: connection of the consumer
 * @pCudaResource: acquired frame
 * @pStream: stream, as for cuEGLStreamConsumerAcquireFrame(); the producer's
 *	further work starts when all work that it has now has ended
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_HANDLE (no such connection, frame or
 * stream), CUDA_ERROR_UNKNOWN (it was released already, the stream is
 * disconnected).
 */
CUresult cuEGLStreamConsumerReleaseFrame(CUeglStreamConnection *conn,
					 CUgraphicsResource pCudaResource,
					 CUstream *pStream);

/**
 * cuEGLStreamProducerConnect() - connect the producer to a stream
 * @conn: out: connection: cuEGLStreamProducerDisconnect()
 * @stream: stream that has a consumer and no producer
 * @width: of the frames, pixels
 * @height: of the frames, rows
 *
 * Return: as cuEGLStreamConsumerConnect(); CUDA_ERROR_INVALID_VALUE (a side is
 * negative); CUDA_ERROR_UNKNOWN (no consumer).
 */
CUresult cuEGLStreamProducerConnect(CUeglStreamConnection *conn,
				    EGLStreamKHR stream, EGLint width,
				    EGLint height);

/**
 * cuEGLStreamProducerDisconnect() - disconnect the producer
 * @conn: connection, invalid after this
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_HANDLE (no such connection).
 */
CUresult cuEGLStreamProducerDisconnect(CUeglStreamConnection *conn);

/**
 * cuEGLStreamProducerPresentFrame() - present a frame
 * @conn: connection of the producer
 * @eglframe: frame, whose memory is to stay until it has been returned
 * @pStream: stream, or NULL; the consumer's work starts when all work that it
 *	has now has ended
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (planes, sides, formats),
 * CUDA_ERROR_INVALID_HANDLE (no such connection, stream, memory or array),
 * CUDA_ERROR_LAUNCH_TIMEOUT (the fifo was full for 10 s), CUDA_ERROR_UNKNOWN
 * (64 frames are active, the stream is disconnected).
 */
CUresult cuEGLStreamProducerPresentFrame(CUeglStreamConnection *conn,
					 CUeglFrame eglframe,
					 CUstream *pStream);

/**
 * cuEGLStreamProducerReturnFrame() - get a frame back
 * @conn: connection of the producer
 * @eglframe: out: the frame as it was presented
 * @pStream: stream, or NULL; further work of it starts when the consumer's work
 *	before the release has ended
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (@eglframe is NULL),
 * CUDA_ERROR_INVALID_HANDLE (no such connection or stream),
 * CUDA_ERROR_LAUNCH_TIMEOUT (none within 1 ms: try again), CUDA_ERROR_UNKNOWN
 * (no frame is active, the stream is disconnected).
 */
CUresult cuEGLStreamProducerReturnFrame(CUeglStreamConnection *conn,
					CUeglFrame *eglframe,
					CUstream *pStream);

/**
 * cuGraphicsResourceGetMappedEglFrame() - return the frame of a resource
 * @eglFrame: out
 * @resource: of cuEGLStreamConsumerAcquireFrame() or
 *	cuGraphicsEGLRegisterImage()
 * @index: 0
 * @mipLevel: 0
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE (no
 * such resource, or a frame that was released).
 */
CUresult cuGraphicsResourceGetMappedEglFrame(CUeglFrame *eglFrame,
					     CUgraphicsResource resource,
					     unsigned int index,
					     unsigned int mipLevel);

/**
 * cuEventCreateFromEGLSync() - create an event from a sync
 * @phEvent: out: event: cuEventDestroy(). It can be waited for and queried, but
 *	neither be recorded nor be used for elapsed times
 * @eglSync: sync of eglCreateSyncKHR()
 * @flags: CU_EVENT_DEFAULT or CU_EVENT_BLOCKING_SYNC
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (a pointer is NULL, no such
 * sync or flags), CUDA_ERROR_NOT_SUPPORTED (no libmem-egl),
 * CUDA_ERROR_OUT_OF_MEMORY.
 */
CUresult cuEventCreateFromEGLSync(CUevent *phEvent, EGLSyncKHR eglSync,
				  unsigned int flags);

#ifdef __cplusplus
}
#endif

#endif
