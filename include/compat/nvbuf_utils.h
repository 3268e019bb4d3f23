/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * nvbuf_utils: NvBufSurface's predecessor, up to JetPack 4 and 5. Names,
 * numbers and layouts are those of Jetson Linux 32.6; which calls heapsim
 * lacks, and what the others do: Documentation/nvbufsurface.rst.
 */
#ifndef _NVBUF_UTILS_H_
#define _NVBUF_UTILS_H_

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__has_include)
#if __has_include(<EGL/egl.h>) && __has_include(<EGL/eglext.h>)
#include <EGL/egl.h>
#include <EGL/eglext.h>
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* As EGL's headers have them */
#ifndef EGL_VERSION_1_0
__extension__ typedef void *EGLDisplay;
#endif
#if !defined(_HEAPSIM_HAS_EGLIMAGE) && !defined(EGL_KHR_image)
#define _HEAPSIM_HAS_EGLIMAGE
__extension__ typedef void *EGLImageKHR;
#endif

#define MAX_NUM_PLANES 4
#define MAX_COMPOSITE_FRAME 16
#define NVBUF_MAX_SYNCOBJ_PARAMS 5
#define NVBUFFER_SYNCPOINT_WAIT_INFINITE 0xFFFFFFFF

#define NVBUF_CHROMA_SUBSAMPLING_HORIZ_DEFAULT 0
#define NVBUF_CHROMA_SUBSAMPLING_VERT_DEFAULT 1
#define NVBUF_CHROMA_SUBSAMPLING_PARAMS_DEFAULT \
	{ NVBUF_CHROMA_SUBSAMPLING_HORIZ_DEFAULT, \
	  NVBUF_CHROMA_SUBSAMPLING_VERT_DEFAULT }

typedef enum {
	NvBufferPayload_SurfArray,
	NvBufferPayload_MemHandle
} NvBufferPayloadType;

typedef enum {
	NvBufferDisplayScanFormat_Progressive = 0,
	NvBufferDisplayScanFormat_Interlaced
} NvBufferDisplayScanFormat;

typedef enum {
	NvBufferLayout_Pitch,
	NvBufferLayout_BlockLinear
} NvBufferLayout;

typedef enum {
	NvBufferMem_Read,
	NvBufferMem_Write,
	NvBufferMem_Read_Write
} NvBufferMemFlags;

typedef enum {
	NvBufferTag_NONE = 0x0,
	NvBufferTag_CAMERA = 0x200,
	NvBufferTag_JPEG = 0x1500,
	NvBufferTag_PROTECTED = 0x1504,
	NvBufferTag_VIDEO_ENC = 0x1200,
	NvBufferTag_VIDEO_DEC = 0x1400,
	NvBufferTag_VIDEO_CONVERT = 0xf01
} NvBufferTag;

typedef enum {
	NvBufferColorFormat_YUV420,
	NvBufferColorFormat_YVU420,
	NvBufferColorFormat_YUV422,
	NvBufferColorFormat_YUV420_ER,
	NvBufferColorFormat_YVU420_ER,
	NvBufferColorFormat_NV12,
	NvBufferColorFormat_NV12_ER,
	NvBufferColorFormat_NV21,
	NvBufferColorFormat_NV21_ER,
	NvBufferColorFormat_UYVY,
	NvBufferColorFormat_UYVY_ER,
	NvBufferColorFormat_VYUY,
	NvBufferColorFormat_VYUY_ER,
	NvBufferColorFormat_YUYV,
	NvBufferColorFormat_YUYV_ER,
	NvBufferColorFormat_YVYU,
	NvBufferColorFormat_YVYU_ER,
	NvBufferColorFormat_ABGR32,
	NvBufferColorFormat_XRGB32,
	NvBufferColorFormat_ARGB32,
	NvBufferColorFormat_NV12_10LE,
	NvBufferColorFormat_NV12_10LE_709,
	NvBufferColorFormat_NV12_10LE_709_ER,
	NvBufferColorFormat_NV12_10LE_2020,
	NvBufferColorFormat_NV21_10LE,
	NvBufferColorFormat_NV12_12LE,
	NvBufferColorFormat_NV12_12LE_2020,
	NvBufferColorFormat_NV21_12LE,
	NvBufferColorFormat_YUV420_709,
	NvBufferColorFormat_YUV420_709_ER,
	NvBufferColorFormat_NV12_709,
	NvBufferColorFormat_NV12_709_ER,
	NvBufferColorFormat_YUV420_2020,
	NvBufferColorFormat_NV12_2020,
	NvBufferColorFormat_SignedR16G16,
	NvBufferColorFormat_A32,
	NvBufferColorFormat_YUV444,
	NvBufferColorFormat_GRAY8,
	NvBufferColorFormat_NV16,
	NvBufferColorFormat_NV16_10LE,
	NvBufferColorFormat_NV24,
	NvBufferColorFormat_NV24_10LE,
	NvBufferColorFormat_NV16_ER,
	NvBufferColorFormat_NV24_ER,
	NvBufferColorFormat_NV16_709,
	NvBufferColorFormat_NV24_709,
	NvBufferColorFormat_NV16_709_ER,
	NvBufferColorFormat_NV24_709_ER,
	NvBufferColorFormat_NV24_10LE_709,
	NvBufferColorFormat_NV24_10LE_709_ER,
	NvBufferColorFormat_NV24_10LE_2020,
	NvBufferColorFormat_NV24_12LE_2020,
	NvBufferColorFormat_RGBA_10_10_10_2_709,
	NvBufferColorFormat_RGBA_10_10_10_2_2020,
	NvBufferColorFormat_BGRA_10_10_10_2_709,
	NvBufferColorFormat_BGRA_10_10_10_2_2020,
	NvBufferColorFormat_Invalid
} NvBufferColorFormat;

typedef enum {
	NvBufferTransform_None,
	NvBufferTransform_Rotate90,
	NvBufferTransform_Rotate180,
	NvBufferTransform_Rotate270,
	NvBufferTransform_FlipX,
	NvBufferTransform_FlipY,
	NvBufferTransform_Transpose,
	NvBufferTransform_InvTranspose
} NvBufferTransform_Flip;

typedef enum {
	NvBufferTransform_Filter_Nearest,
	NvBufferTransform_Filter_Bilinear,
	NvBufferTransform_Filter_5_Tap,
	NvBufferTransform_Filter_10_Tap,
	NvBufferTransform_Filter_Smart,
	NvBufferTransform_Filter_Nicest
} NvBufferTransform_Filter;

typedef enum {
	NVBUFFER_TRANSFORM_CROP_SRC = 1,
	NVBUFFER_TRANSFORM_CROP_DST = 1 << 1,
	NVBUFFER_TRANSFORM_FILTER = 1 << 2,
	NVBUFFER_TRANSFORM_FLIP = 1 << 3
} NvBufferTransform_Flag;

typedef enum {
	NVBUFFER_COMPOSITE = 1,
	NVBUFFER_BLEND = 1 << 1,
	NVBUFFER_COMPOSITE_FILTER = 1 << 2
} NvBufferComposite_Flag;

typedef struct _NvBufferSyncObjParams {
	uint32_t syncpointID;
	uint32_t value;
} NvBufferSyncObjParams;

typedef struct _NvBufferSyncObjRec {
	NvBufferSyncObjParams insyncobj[NVBUF_MAX_SYNCOBJ_PARAMS];
	uint32_t num_insyncobj;
	NvBufferSyncObjParams outsyncobj;
	uint32_t use_outsyncobj;
} NvBufferSyncObj;

typedef struct {
	uint32_t top;
	uint32_t left;
	uint32_t width;
	uint32_t height;
} NvBufferRect;

typedef struct _NvBufferSession *NvBufferSession;

typedef struct _NvBufferChromaSubSamplingParams {
	uint8_t chromaLocHoriz;
	uint8_t chromaLocVert;
} NvBufferChromaSubsamplingParams;

typedef struct _NvBufferCreateParams {
	int32_t width;
	int32_t height;
	NvBufferPayloadType payloadType;
	int32_t memsize;		/* of NvBufferPayload_MemHandle */
	NvBufferLayout layout;
	NvBufferColorFormat colorFormat;
	NvBufferTag nvbuf_tag;
} NvBufferCreateParams;

/* Widths are pixels; pitches, offsets and sizes are bytes. */
typedef struct _NvBufferParams {
	uint32_t dmabuf_fd;
	void *nv_buffer;		/* NvBufSurface */
	NvBufferPayloadType payloadType;
	int32_t memsize;
	uint32_t nv_buffer_size;
	NvBufferColorFormat pixel_format;
	uint32_t num_planes;
	uint32_t width[MAX_NUM_PLANES];
	uint32_t height[MAX_NUM_PLANES];
	uint32_t pitch[MAX_NUM_PLANES];
	uint32_t offset[MAX_NUM_PLANES];
	uint32_t psize[MAX_NUM_PLANES];
	uint32_t layout[MAX_NUM_PLANES];
} NvBufferParams;

typedef struct _NvBufferParamsEx {
	NvBufferParams params;
	int32_t startofvaliddata;
	int32_t sizeofvaliddatainbytes;
	NvBufferDisplayScanFormat scanformat[MAX_NUM_PLANES];
	uint32_t secondfieldoffset[MAX_NUM_PLANES];
	uint32_t blockheightlog2[MAX_NUM_PLANES];
	uint32_t physicaladdress[MAX_NUM_PLANES];
	uint64_t flags[MAX_NUM_PLANES];
	void *payloadmetaInfo;
	NvBufferChromaSubsamplingParams chromaSubsampling;
	bool is_protected;
	NvBufferSyncObj syncobj;
	void *reserved;
} NvBufferParamsEx;

/* 0 to 1 */
typedef struct _NvBufferCompositeBackground {
	float r;
	float g;
	float b;
} NvBufferCompositeBackground;

typedef struct _NvBufferCompositeParams {
	uint32_t composite_flag;
	uint32_t input_buf_count;
	NvBufferTransform_Filter composite_filter[MAX_COMPOSITE_FRAME];
	float dst_comp_rect_alpha[MAX_COMPOSITE_FRAME];
	NvBufferRect src_comp_rect[MAX_COMPOSITE_FRAME];
	NvBufferRect dst_comp_rect[MAX_COMPOSITE_FRAME];
	NvBufferCompositeBackground composite_bgcolor;
	NvBufferSession session;
} NvBufferCompositeParams;

typedef struct _NvBufferTransformParams {
	uint32_t transform_flag;
	NvBufferTransform_Flip transform_flip;
	NvBufferTransform_Filter transform_filter;
	NvBufferRect src_rect;
	NvBufferRect dst_rect;
	NvBufferSession session;
} NvBufferTransformParams;

/**
 * NvBufferGetSize() - size of what NvBufferParams.nv_buffer leads to
 *
 * Context: any.
 * Return: bytes.
 */
int NvBufferGetSize(void);

/**
 * NvEGLImageFromFd() - heapsim lacks it
 * @display: EGL's
 * @dmabuf_fd: buffer
 *
 * Context: any thread.
 * Return: NULL.
 */
EGLImageKHR NvEGLImageFromFd(EGLDisplay display, int dmabuf_fd);

/**
 * NvDestroyEGLImage() - heapsim lacks it
 * @display: EGL's
 * @eglImage: of NvEGLImageFromFd()
 *
 * Context: any thread.
 * Return: -1.
 */
int NvDestroyEGLImage(EGLDisplay display, EGLImageKHR eglImage);

/**
 * NvBufferCreate() - allocate a buffer
 * @dmabuf_fd: out: its descriptor: NvBufferDestroy()
 * @width: pixels
 * @height: rows
 * @layout: layout
 * @colorFormat: format
 *
 * Context: may sleep; any thread.
 * Return: 0, or -1: errno says why.
 */
int NvBufferCreate(int *dmabuf_fd, int width, int height,
		   NvBufferLayout layout, NvBufferColorFormat colorFormat);

/**
 * NvBufferCreateEx() - allocate a buffer
 * @dmabuf_fd: out: its descriptor: NvBufferDestroy()
 * @input_params: what is to be allocated
 *
 * Context: may sleep; any thread.
 * Return: 0, or -1: errno says why.
 */
int NvBufferCreateEx(int *dmabuf_fd, NvBufferCreateParams *input_params);

/**
 * NvBufferCreateInterlace() - heapsim lacks it
 * @dmabuf_fd: buffer
 * @input_params: of a buffer
 *
 * Context: any thread.
 * Return: -1.
 */
int NvBufferCreateInterlace(int *dmabuf_fd, NvBufferCreateParams *input_params);

/**
 * NvBufferCreateWithChromaLoc() - heapsim lacks it
 * @dmabuf_fd: buffer
 * @input_params: of a buffer
 * @chromaSubsampling: where chroma lies
 *
 * Context: any thread.
 * Return: -1.
 */
int NvBufferCreateWithChromaLoc(int *dmabuf_fd,
				NvBufferCreateParams *input_params,
				NvBufferChromaSubsamplingParams
				*chromaSubsampling);

/**
 * NvBufferGetParams() - what a buffer is
 * @dmabuf_fd: buffer of this process
 * @params: out: parameters
 *
 * Context: any thread.
 * Return: 0, or -1.
 */
int NvBufferGetParams(int dmabuf_fd, NvBufferParams *params);

/**
 * NvBufferGetParamsEx() - what a buffer is
 * @dmabuf_fd: buffer of this process
 * @exparams: out: parameters
 *
 * Context: any thread.
 * Return: 0, or -1.
 */
int NvBufferGetParamsEx(int dmabuf_fd, NvBufferParamsEx *exparams);

/**
 * NvBufferDestroy() - give a buffer back
 * @dmabuf_fd: of NvBufferCreateEx(), which is closed
 *
 * Context: may sleep; any thread.
 * Return: 0, or -1.
 */
int NvBufferDestroy(int dmabuf_fd);

/**
 * ExtractFdFromNvBuffer() - descriptor of a buffer
 * @nvbuf: NvBufferParams.nv_buffer
 * @dmabuf_fd: out: the descriptor, which stays the buffer's
 *
 * Context: any thread.
 * Return: 0, or -1.
 */
int ExtractFdFromNvBuffer(void *nvbuf, int *dmabuf_fd);

/**
 * NvReleaseFd() - give a descriptor of ExtractFdFromNvBuffer() back
 * @dmabuf_fd: descriptor
 *
 * Context: any thread.
 * Return: 0, or -1.
 */
int NvReleaseFd(int dmabuf_fd);

/**
 * NvBufferMemSyncForCpu() - have the CPU see what engines have written
 * @dmabuf_fd: buffer
 * @plane: plane
 * @pVirtAddr: where its address is
 *
 * Context: may sleep; any thread.
 * Return: 0, or -1.
 */
int NvBufferMemSyncForCpu(int dmabuf_fd, unsigned int plane,
			  void **pVirtAddr);

/**
 * NvBufferMemSyncForDevice() - have engines see what the CPU has written
 * @dmabuf_fd: buffer
 * @plane: plane
 * @pVirtAddr: where its address is
 *
 * Context: may sleep; any thread.
 * Return: 0, or -1.
 */
int NvBufferMemSyncForDevice(int dmabuf_fd, unsigned int plane,
			     void **pVirtAddr);

/**
 * NvBufferMemMap() - map a plane for the CPU
 * @dmabuf_fd: buffer
 * @plane: plane
 * @memflag: what the CPU will do
 * @pVirtAddr: out: address
 *
 * Before the CPU looks: NvBufferMemSyncForCpu().
 *
 * Context: may sleep; any thread.
 * Return: 0, or -1.
 */
int NvBufferMemMap(int dmabuf_fd, unsigned int plane,
		   NvBufferMemFlags memflag, void **pVirtAddr);

/**
 * NvBufferMemUnMap() - end a mapping
 * @dmabuf_fd: buffer
 * @plane: plane
 * @pVirtAddr: where its address is
 *
 * Context: may sleep; any thread.
 * Return: 0, or -1.
 */
int NvBufferMemUnMap(int dmabuf_fd, unsigned int plane, void **pVirtAddr);

/*
 * Of buffers that another process has made: heapsim lacks these, each returns
 * -1.
 */
int NvBufferMemSyncForCpuEx(int dmabuf_fd, NvBufferParamsEx *exparams,
			    unsigned int plane, void **pVirtAddr);
int NvBufferMemSyncForDeviceEx(int dmabuf_fd, NvBufferParamsEx *exparams,
			       unsigned int plane, void **pVirtAddr);
int NvBufferMemMapEx(int dmabuf_fd, NvBufferParamsEx *exparams,
		     unsigned int plane, NvBufferMemFlags memflag,
		     void **pVirtAddr);
int NvBufferMemUnMapEx(int dmabuf_fd, NvBufferParamsEx *exparams,
		       unsigned int plane, void **pVirtAddr);
int NvBufferTransformEx(int src_dmabuf_fd, NvBufferParamsEx *input_params,
			int dst_dmabuf_fd, NvBufferParamsEx *output_params,
			NvBufferTransformParams *transform_params);

/**
 * NvBuffer2Raw() - copy a plane out of a buffer
 * @dmabuf_fd: buffer
 * @plane: plane
 * @out_width: pixels of a row at @ptr
 * @out_height: rows at @ptr
 * @ptr: out: pixels, without padding
 *
 * Context: may sleep; any thread.
 * Return: 0, or -1.
 */
int NvBuffer2Raw(int dmabuf_fd, unsigned int plane, unsigned int out_width,
		 unsigned int out_height, unsigned char *ptr);

/**
 * Raw2NvBuffer() - copy a plane into a buffer
 * @ptr: pixels, without padding
 * @plane: plane
 * @in_width: pixels of a row at @ptr
 * @in_height: rows at @ptr
 * @dmabuf_fd: buffer
 *
 * Context: may sleep; any thread.
 * Return: 0, or -1.
 */
int Raw2NvBuffer(unsigned char *ptr, unsigned int plane,
		 unsigned int in_width, unsigned int in_height,
		 int dmabuf_fd);

/**
 * NvBufferSessionCreate() - a session of transforms
 *
 * Context: any thread.
 * Return: the session, which changes nothing.
 */
NvBufferSession NvBufferSessionCreate(void);

/**
 * NvBufferSessionDestroy() - give a session back
 * @session: session
 *
 * Context: any thread.
 */
void NvBufferSessionDestroy(NvBufferSession session);

/**
 * NvBufferTransform() - scale and convert a buffer into another
 * @src_dmabuf_fd: buffer
 * @dst_dmabuf_fd: buffer
 * @transform_params: filter nearest or bilinear; no flip
 *
 * The VIC does it, or the GPU of a board that has none.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -1: errno says why.
 */
int NvBufferTransform(int src_dmabuf_fd, int dst_dmabuf_fd,
		      NvBufferTransformParams *transform_params);

/**
 * NvBufferTransformAsync() - NvBufferTransform(), which is done at once
 * @src_dmabuf_fd: buffer
 * @dst_dmabuf_fd: buffer
 * @transform_params: as of NvBufferTransform()
 * @syncobj: in and out: nothing is waited for; its outsyncobj is for
 *	NvBufferSyncObjWait()
 *
 * Context: may sleep; any thread.
 * Return: 0, or -1: errno says why.
 */
int NvBufferTransformAsync(int src_dmabuf_fd, int dst_dmabuf_fd,
			   NvBufferTransformParams *transform_params,
			   NvBufferSyncObj *syncobj);

/**
 * NvBufferSyncObjWait() - wait for a transform
 * @syncobj_params: outsyncobj of NvBufferTransformAsync()
 * @timeout: not used
 *
 * Context: any thread.
 * Return: 0, or -1.
 */
int NvBufferSyncObjWait(NvBufferSyncObjParams *syncobj_params,
			unsigned int timeout);

/**
 * NvBufferComposite() - scale and convert buffers into rectangles of another
 * @src_dmabuf_fds: buffers
 * @dst_dmabuf_fd: buffer
 * @composite_params: filters nearest or bilinear; NVBUFFER_BLEND with an alpha
 *	of 1 alone; the background is what no buffer lies on
 *
 * The VIC does it, or the GPU of a board that has none, in order.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -1: errno says why.
 */
int NvBufferComposite(int *src_dmabuf_fds, int dst_dmabuf_fd,
		      NvBufferCompositeParams *composite_params);

#ifdef __cplusplus
}
#endif

#endif
