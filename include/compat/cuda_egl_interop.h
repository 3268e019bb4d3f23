/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * CUDA with EGL: the runtime's calls. Streams, images and syncs are those of
 * libmem-egl; see Documentation/egl.rst. What a call does is described at the
 * driver's call of the same name in cudaEGL.h; its errors have the runtime's
 * names here.
 */
#ifndef __CUDA_EGL_INTEROP_H__
#define __CUDA_EGL_INTEROP_H__

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include "cuda_runtime_api.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CUDA_EGL_MAX_PLANES	3
#ifndef CUDA_EGL_INFINITE_TIMEOUT
/* As a time-out: without a limit */
#define CUDA_EGL_INFINITE_TIMEOUT	0xFFFFFFFF
#endif

typedef enum cudaEglFrameType_enum {
	cudaEglFrameTypeArray = 0,
	cudaEglFrameTypePitch = 1
} cudaEglFrameType;

typedef enum cudaEglResourceLocationFlags_enum {
	cudaEglResourceLocationSysmem = 0x00,
	cudaEglResourceLocationVidmem = 0x01
} cudaEglResourceLocationFlags;

typedef enum cudaEglColorFormat_enum {
	cudaEglColorFormatYUV420Planar = 0x00,
	cudaEglColorFormatYUV420SemiPlanar = 0x01,
	cudaEglColorFormatYUV422Planar = 0x02,
	cudaEglColorFormatYUV422SemiPlanar = 0x03,
	cudaEglColorFormatARGB = 0x06,
	cudaEglColorFormatRGBA = 0x07,
	cudaEglColorFormatL = 0x08,
	cudaEglColorFormatR = 0x09,
	cudaEglColorFormatYUV444Planar = 0x0A,
	cudaEglColorFormatYUV444SemiPlanar = 0x0B,
	cudaEglColorFormatYUYV422 = 0x0C,
	cudaEglColorFormatUYVY422 = 0x0D,
	cudaEglColorFormatABGR = 0x0E,
	cudaEglColorFormatBGRA = 0x0F,
	cudaEglColorFormatA = 0x10,
	cudaEglColorFormatRG = 0x11,
	cudaEglColorFormatAYUV = 0x12,
	cudaEglColorFormatYVU444SemiPlanar = 0x13,
	cudaEglColorFormatYVU422SemiPlanar = 0x14,
	cudaEglColorFormatYVU420SemiPlanar = 0x15,
	cudaEglColorFormatY10V10U10_444SemiPlanar = 0x16,
	cudaEglColorFormatY10V10U10_420SemiPlanar = 0x17,
	cudaEglColorFormatY12V12U12_444SemiPlanar = 0x18,
	cudaEglColorFormatY12V12U12_420SemiPlanar = 0x19,
	cudaEglColorFormatVYUY_ER = 0x1A,
	cudaEglColorFormatUYVY_ER = 0x1B,
	cudaEglColorFormatYUYV_ER = 0x1C,
	cudaEglColorFormatYVYU_ER = 0x1D,
	cudaEglColorFormatYUV_ER = 0x1E,
	cudaEglColorFormatYUVA_ER = 0x1F,
	cudaEglColorFormatAYUV_ER = 0x20,
	cudaEglColorFormatYUV444Planar_ER = 0x21,
	cudaEglColorFormatYUV422Planar_ER = 0x22,
	cudaEglColorFormatYUV420Planar_ER = 0x23,
	cudaEglColorFormatYUV444SemiPlanar_ER = 0x24,
	cudaEglColorFormatYUV422SemiPlanar_ER = 0x25,
	cudaEglColorFormatYUV420SemiPlanar_ER = 0x26,
	cudaEglColorFormatYVU444Planar_ER = 0x27,
	cudaEglColorFormatYVU422Planar_ER = 0x28,
	cudaEglColorFormatYVU420Planar_ER = 0x29,
	cudaEglColorFormatYVU444SemiPlanar_ER = 0x2A,
	cudaEglColorFormatYVU422SemiPlanar_ER = 0x2B,
	cudaEglColorFormatYVU420SemiPlanar_ER = 0x2C,
	cudaEglColorFormatBayerRGGB = 0x2D,
	cudaEglColorFormatBayerBGGR = 0x2E,
	cudaEglColorFormatBayerGRBG = 0x2F,
	cudaEglColorFormatBayerGBRG = 0x30,
	cudaEglColorFormatBayer10RGGB = 0x31,
	cudaEglColorFormatBayer10BGGR = 0x32,
	cudaEglColorFormatBayer10GRBG = 0x33,
	cudaEglColorFormatBayer10GBRG = 0x34,
	cudaEglColorFormatBayer12RGGB = 0x35,
	cudaEglColorFormatBayer12BGGR = 0x36,
	cudaEglColorFormatBayer12GRBG = 0x37,
	cudaEglColorFormatBayer12GBRG = 0x38,
	cudaEglColorFormatBayer14RGGB = 0x39,
	cudaEglColorFormatBayer14BGGR = 0x3A,
	cudaEglColorFormatBayer14GRBG = 0x3B,
	cudaEglColorFormatBayer14GBRG = 0x3C,
	cudaEglColorFormatBayer20RGGB = 0x3D,
	cudaEglColorFormatBayer20BGGR = 0x3E,
	cudaEglColorFormatBayer20GRBG = 0x3F,
	cudaEglColorFormatBayer20GBRG = 0x40,
	cudaEglColorFormatYVU444Planar = 0x41,
	cudaEglColorFormatYVU422Planar = 0x42,
	cudaEglColorFormatYVU420Planar = 0x43,
	cudaEglColorFormatBayerIspRGGB = 0x44,
	cudaEglColorFormatBayerIspBGGR = 0x45,
	cudaEglColorFormatBayerIspGRBG = 0x46,
	cudaEglColorFormatBayerIspGBRG = 0x47,
	cudaEglColorFormatBayerBCCR = 0x48,
	cudaEglColorFormatBayerRCCB = 0x49,
	cudaEglColorFormatBayerCRBC = 0x4A,
	cudaEglColorFormatBayerCBRC = 0x4B,
	cudaEglColorFormatBayer10CCCC = 0x4C,
	cudaEglColorFormatBayer12BCCR = 0x4D,
	cudaEglColorFormatBayer12RCCB = 0x4E,
	cudaEglColorFormatBayer12CRBC = 0x4F,
	cudaEglColorFormatBayer12CBRC = 0x50,
	cudaEglColorFormatBayer12CCCC = 0x51,
	cudaEglColorFormatY = 0x52,
	cudaEglColorFormatYUV420SemiPlanar_2020 = 0x53,
	cudaEglColorFormatYVU420SemiPlanar_2020 = 0x54,
	cudaEglColorFormatYUV420Planar_2020 = 0x55,
	cudaEglColorFormatYVU420Planar_2020 = 0x56,
	cudaEglColorFormatYUV420SemiPlanar_709 = 0x57,
	cudaEglColorFormatYVU420SemiPlanar_709 = 0x58,
	cudaEglColorFormatYUV420Planar_709 = 0x59,
	cudaEglColorFormatYVU420Planar_709 = 0x5A,
	cudaEglColorFormatY10V10U10_420SemiPlanar_709 = 0x5B,
	cudaEglColorFormatY10V10U10_420SemiPlanar_2020 = 0x5C,
	cudaEglColorFormatY10V10U10_422SemiPlanar_2020 = 0x5D,
	cudaEglColorFormatY10V10U10_422SemiPlanar = 0x5E,
	cudaEglColorFormatY10V10U10_422SemiPlanar_709 = 0x5F,
	cudaEglColorFormatY_ER = 0x60,
	cudaEglColorFormatY_709_ER = 0x61,
	cudaEglColorFormatY10_ER = 0x62,
	cudaEglColorFormatY10_709_ER = 0x63,
	cudaEglColorFormatY12_ER = 0x64,
	cudaEglColorFormatY12_709_ER = 0x65,
	cudaEglColorFormatYUVA = 0x66,
	cudaEglColorFormatYUV = 0x67,
	cudaEglColorFormatYVYU = 0x68,
	cudaEglColorFormatVYUY = 0x69,
	cudaEglColorFormatY10V10U10_420SemiPlanar_ER = 0x6A,
	cudaEglColorFormatY10V10U10_420SemiPlanar_709_ER = 0x6B,
	cudaEglColorFormatY10V10U10_444SemiPlanar_ER = 0x6C,
	cudaEglColorFormatY10V10U10_444SemiPlanar_709_ER = 0x6D,
	cudaEglColorFormatY12V12U12_420SemiPlanar_ER = 0x6E,
	cudaEglColorFormatY12V12U12_420SemiPlanar_709_ER = 0x6F,
	cudaEglColorFormatY12V12U12_444SemiPlanar_ER = 0x70,
	cudaEglColorFormatY12V12U12_444SemiPlanar_709_ER = 0x71,
	cudaEglColorFormatUYVY_709 = 0x72,
	cudaEglColorFormatUYVY_709_ER = 0x73,
	cudaEglColorFormatUYVY_2020 = 0x74
} cudaEglColorFormat;

/**
 * struct cudaEglPlaneDesc_st - a plane
 * @width: pixels
 * @height: rows
 * @depth: 0 or 1
 * @pitch: bytes from row to row; 0: an array
 * @numChannels: components of a pixel
 * @channelDesc: type of a component
 * @reserved: not used
 */
struct cudaEglPlaneDesc_st {
	unsigned int width;
	unsigned int height;
	unsigned int depth;
	unsigned int pitch;
	unsigned int numChannels;
	struct cudaChannelFormatDesc channelDesc;
	unsigned int reserved[4];
};

typedef struct cudaEglPlaneDesc_st cudaEglPlaneDesc;

/**
 * struct cudaEglFrame_st - a frame
 * @frame: planes
 * @planeDesc: their sides and types
 * @planeCount: planes, 1 to CUDA_EGL_MAX_PLANES
 * @frameType: whether planes are arrays or addresses
 * @eglColorFormat: order of the components, subsampling
 */
struct cudaEglFrame_st {
	union {
		cudaArray_t pArray[CUDA_EGL_MAX_PLANES];
		struct cudaPitchedPtr pPitch[CUDA_EGL_MAX_PLANES];
	} frame;
	cudaEglPlaneDesc planeDesc[CUDA_EGL_MAX_PLANES];
	unsigned int planeCount;
	cudaEglFrameType frameType;
	cudaEglColorFormat eglColorFormat;
};

typedef struct cudaEglFrame_st cudaEglFrame;

typedef struct CUeglStreamConnection_st *cudaEglStreamConnection;

cudaError_t
cudaGraphicsEGLRegisterImage(struct cudaGraphicsResource **pCudaResource,
			     EGLImageKHR image, unsigned int flags);
cudaError_t cudaEGLStreamConsumerConnect(cudaEglStreamConnection *conn,
					 EGLStreamKHR eglStream);
cudaError_t
cudaEGLStreamConsumerConnectWithFlags(cudaEglStreamConnection *conn,
				      EGLStreamKHR eglStream,
				      unsigned int flags);
cudaError_t cudaEGLStreamConsumerDisconnect(cudaEglStreamConnection *conn);
cudaError_t
cudaEGLStreamConsumerAcquireFrame(cudaEglStreamConnection *conn,
				  cudaGraphicsResource_t *pCudaResource,
				  cudaStream_t *pStream, unsigned int timeout);
cudaError_t
cudaEGLStreamConsumerReleaseFrame(cudaEglStreamConnection *conn,
				  cudaGraphicsResource_t pCudaResource,
				  cudaStream_t *pStream);
cudaError_t cudaEGLStreamProducerConnect(cudaEglStreamConnection *conn,
					 EGLStreamKHR eglStream, EGLint width,
					 EGLint height);
cudaError_t cudaEGLStreamProducerDisconnect(cudaEglStreamConnection *conn);
cudaError_t cudaEGLStreamProducerPresentFrame(cudaEglStreamConnection *conn,
					      cudaEglFrame eglframe,
					      cudaStream_t *pStream);
cudaError_t cudaEGLStreamProducerReturnFrame(cudaEglStreamConnection *conn,
					     cudaEglFrame *eglframe,
					     cudaStream_t *pStream);
cudaError_t
cudaGraphicsResourceGetMappedEglFrame(cudaEglFrame *eglFrame,
				      cudaGraphicsResource_t resource,
				      unsigned int index,
				      unsigned int mipLevel);
cudaError_t cudaEventCreateFromEGLSync(cudaEvent_t *phEvent,
				       EGLSyncKHR eglSync, unsigned int flags);

#ifdef __cplusplus
}
#endif

#endif
