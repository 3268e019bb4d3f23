/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NvBufSurface: batches of buffers that the multimedia parts of a Jetson share.
 * Names, numbers and layouts are those of Jetson Linux 38 and 39; which calls
 * heapsim lacks, and what the others do: Documentation/nvbufsurface.rst.
 */
#ifndef NVBUFSURFACE_H_
#define NVBUFSURFACE_H_

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As nvscibuf.h has it */
#ifndef _HEAPSIM_HAS_NVSCIBUFOBJ
#define _HEAPSIM_HAS_NVSCIBUFOBJ
typedef struct NvSciBufObjRefRec *NvSciBufObj;
#endif

#define STRUCTURE_PADDING 4
#define NVBUF_MAX_PLANES 4

#define NVBUFSURFACE_CHROMA_SUBSAMPLING_HORIZ_DEFAULT 0
#define NVBUFSURFACE_CHROMA_SUBSAMPLING_VERT_DEFAULT 1
#define NVBUFSURFACE_CHROMA_SUBSAMPLING_PARAMS_DEFAULT \
	{ NVBUFSURFACE_CHROMA_SUBSAMPLING_HORIZ_DEFAULT, \
	  NVBUFSURFACE_CHROMA_SUBSAMPLING_VERT_DEFAULT }

typedef enum {
	NVBUF_MAP_READ,
	NVBUF_MAP_WRITE,
	NVBUF_MAP_READ_WRITE
} NvBufSurfaceMemMapFlags;

/* Who has allocated; heapsim keeps it for nobody */
typedef enum {
	NvBufSurfaceTag_NONE = 0x0,
	NvBufSurfaceTag_CAMERA = 0x200,
	NvBufSurfaceTag_JPEG = 0x1500,
	NvBufSurfaceTag_PROTECTED = 0x1504,
	NvBufSurfaceTag_VIDEO_ENC = 0x1200,
	NvBufSurfaceTag_VIDEO_DEC = 0x1400,
	NvBufSurfaceTag_VIDEO_CONVERT = 0xf01
} NvBufSurfaceTag;

/* Documentation/nvbufsurface.rst says which of these heapsim has. */
typedef enum {
	NVBUF_COLOR_FORMAT_INVALID,
	NVBUF_COLOR_FORMAT_GRAY8,
	NVBUF_COLOR_FORMAT_YUV420,
	NVBUF_COLOR_FORMAT_YVU420,
	NVBUF_COLOR_FORMAT_YUV420_ER,
	NVBUF_COLOR_FORMAT_YVU420_ER,
	NVBUF_COLOR_FORMAT_NV12,
	NVBUF_COLOR_FORMAT_NV12_ER,
	NVBUF_COLOR_FORMAT_NV21,
	NVBUF_COLOR_FORMAT_NV21_ER,
	NVBUF_COLOR_FORMAT_UYVY,
	NVBUF_COLOR_FORMAT_UYVY_ER,
	NVBUF_COLOR_FORMAT_VYUY,
	NVBUF_COLOR_FORMAT_VYUY_ER,
	NVBUF_COLOR_FORMAT_YUYV,
	NVBUF_COLOR_FORMAT_YUYV_ER,
	NVBUF_COLOR_FORMAT_YVYU,
	NVBUF_COLOR_FORMAT_YVYU_ER,
	NVBUF_COLOR_FORMAT_YUV444,
	NVBUF_COLOR_FORMAT_RGBA,
	NVBUF_COLOR_FORMAT_BGRA,
	NVBUF_COLOR_FORMAT_ARGB,
	NVBUF_COLOR_FORMAT_ABGR,
	NVBUF_COLOR_FORMAT_RGBx,
	NVBUF_COLOR_FORMAT_BGRx,
	NVBUF_COLOR_FORMAT_xRGB,
	NVBUF_COLOR_FORMAT_xBGR,
	NVBUF_COLOR_FORMAT_RGB,
	NVBUF_COLOR_FORMAT_BGR,
	NVBUF_COLOR_FORMAT_NV12_10LE,
	NVBUF_COLOR_FORMAT_NV12_12LE,
	NVBUF_COLOR_FORMAT_YUV420_709,
	NVBUF_COLOR_FORMAT_YUV420_709_ER,
	NVBUF_COLOR_FORMAT_NV12_709,
	NVBUF_COLOR_FORMAT_NV12_709_ER,
	NVBUF_COLOR_FORMAT_YUV420_2020,
	NVBUF_COLOR_FORMAT_NV12_2020,
	NVBUF_COLOR_FORMAT_NV12_10LE_ER,
	NVBUF_COLOR_FORMAT_NV12_10LE_709,
	NVBUF_COLOR_FORMAT_NV12_10LE_709_ER,
	NVBUF_COLOR_FORMAT_NV12_10LE_2020,
	NVBUF_COLOR_FORMAT_SIGNED_R16G16,
	NVBUF_COLOR_FORMAT_R8_G8_B8,
	NVBUF_COLOR_FORMAT_B8_G8_R8,
	NVBUF_COLOR_FORMAT_R32F_G32F_B32F,
	NVBUF_COLOR_FORMAT_B32F_G32F_R32F,
	NVBUF_COLOR_FORMAT_YUV422,
	NVBUF_COLOR_FORMAT_NV21_10LE,
	NVBUF_COLOR_FORMAT_NV21_12LE,
	NVBUF_COLOR_FORMAT_NV12_12LE_2020,
	NVBUF_COLOR_FORMAT_NV16,
	NVBUF_COLOR_FORMAT_NV16_10LE,
	NVBUF_COLOR_FORMAT_NV24,
	NVBUF_COLOR_FORMAT_NV24_10LE,
	NVBUF_COLOR_FORMAT_NV16_ER,
	NVBUF_COLOR_FORMAT_NV24_ER,
	NVBUF_COLOR_FORMAT_NV16_709,
	NVBUF_COLOR_FORMAT_NV24_709,
	NVBUF_COLOR_FORMAT_NV16_709_ER,
	NVBUF_COLOR_FORMAT_NV24_709_ER,
	NVBUF_COLOR_FORMAT_NV24_10LE_709,
	NVBUF_COLOR_FORMAT_NV24_10LE_709_ER,
	NVBUF_COLOR_FORMAT_NV24_10LE_2020,
	NVBUF_COLOR_FORMAT_NV24_12LE_2020,
	NVBUF_COLOR_FORMAT_RGBA_10_10_10_2_709,
	NVBUF_COLOR_FORMAT_RGBA_10_10_10_2_2020,
	NVBUF_COLOR_FORMAT_BGRA_10_10_10_2_709,
	NVBUF_COLOR_FORMAT_BGRA_10_10_10_2_2020,
	NVBUF_COLOR_FORMAT_A32,
	NVBUF_COLOR_FORMAT_UYVP,
	NVBUF_COLOR_FORMAT_UYVP_ER,
	NVBUF_COLOR_FORMAT_YUV444_ER,
	NVBUF_COLOR_FORMAT_YUV444_709,
	NVBUF_COLOR_FORMAT_YUV444_709_ER,
	NVBUF_COLOR_FORMAT_YUV444_2020,
	NVBUF_COLOR_FORMAT_YUV444_10LE,
	NVBUF_COLOR_FORMAT_YUV444_10LE_ER,
	NVBUF_COLOR_FORMAT_YUV444_10LE_709,
	NVBUF_COLOR_FORMAT_YUV444_10LE_709_ER,
	NVBUF_COLOR_FORMAT_YUV444_10LE_2020,
	NVBUF_COLOR_FORMAT_YUV444_12LE,
	NVBUF_COLOR_FORMAT_YUV444_12LE_ER,
	NVBUF_COLOR_FORMAT_YUV444_12LE_709,
	NVBUF_COLOR_FORMAT_YUV444_12LE_709_ER,
	NVBUF_COLOR_FORMAT_YUV444_12LE_2020,
	NVBUF_COLOR_FORMAT_NV12_12LE_ER,
	NVBUF_COLOR_FORMAT_NV12_12LE_709,
	NVBUF_COLOR_FORMAT_NV12_12LE_709_ER,
	NVBUF_COLOR_FORMAT_LAST
} NvBufSurfaceColorFormat;

typedef enum {
	NVBUF_LAYOUT_PITCH,
	NVBUF_LAYOUT_BLOCK_LINEAR
} NvBufSurfaceLayout;

typedef enum {
	NVBUF_MEM_DEFAULT,		/* NVBUF_MEM_SURFACE_ARRAY */
	NVBUF_MEM_CUDA_PINNED,
	NVBUF_MEM_CUDA_DEVICE,
	NVBUF_MEM_CUDA_UNIFIED,
	NVBUF_MEM_SURFACE_ARRAY,
	NVBUF_MEM_HANDLE,
	NVBUF_MEM_SYSTEM,
	NVBUF_MEM_CUDA_ARRAY		/* heapsim lacks it */
} NvBufSurfaceMemType;

typedef enum {
	NVBUF_DISPLAYSCANFORMAT_PROGRESSIVE,
	NVBUF_DISPLAYSCANFORMAT_INTERLACED
} NvBufSurfaceDisplayScanFormat;

typedef struct NvBufSurfacePlaneParamsEx {
	NvBufSurfaceDisplayScanFormat scanformat[NVBUF_MAX_PLANES];
	uint32_t secondfieldoffset[NVBUF_MAX_PLANES];
	uint32_t blockheightlog2[NVBUF_MAX_PLANES];
	uint32_t physicaladdress[NVBUF_MAX_PLANES];
	uint64_t flags[NVBUF_MAX_PLANES];
	void *_reserved[STRUCTURE_PADDING * NVBUF_MAX_PLANES];
} NvBufSurfacePlaneParamsEx;

/* Widths are pixels; pitches, offsets and sizes are bytes. */
typedef struct NvBufSurfacePlaneParams {
	uint32_t num_planes;
	uint32_t width[NVBUF_MAX_PLANES];
	uint32_t height[NVBUF_MAX_PLANES];
	uint32_t pitch[NVBUF_MAX_PLANES];
	uint32_t offset[NVBUF_MAX_PLANES];
	uint32_t psize[NVBUF_MAX_PLANES];
	uint32_t bytesPerPix[NVBUF_MAX_PLANES];
	void *_reserved[STRUCTURE_PADDING * NVBUF_MAX_PLANES];
} NvBufSurfacePlaneParams;

typedef struct NvBufSurfaceChromaSubsamplingParams {
	uint8_t chromaLocHoriz;
	uint8_t chromaLocVert;
} NvBufSurfaceChromaSubsamplingParams;

/**
 * struct NvBufSurfaceCreateParams - what is to be allocated
 * @gpuId: 0
 * @width: pixels
 * @height: rows
 * @size: bytes; above 0: a buffer of so many, all else but @memType is ignored
 * @isContiguous: of CUDA memory: one allocation for the batch
 * @colorFormat: format
 * @layout: NVBUF_LAYOUT_PITCH, or block-linear for surface arrays
 * @memType: kind of memory
 */
typedef struct NvBufSurfaceCreateParams {
	uint32_t gpuId;
	uint32_t width;
	uint32_t height;
	uint32_t size;
	bool isContiguous;
	NvBufSurfaceColorFormat colorFormat;
	NvBufSurfaceLayout layout;
	NvBufSurfaceMemType memType;
} NvBufSurfaceCreateParams;

typedef struct NvBufSurfaceAllocateParams {
	NvBufSurfaceCreateParams params;
	NvBufSurfaceDisplayScanFormat displayscanformat;
	NvBufSurfaceChromaSubsamplingParams chromaSubsampling;
	NvBufSurfaceTag memtag;
	bool disablePitchPadding;	/* of CUDA and system memory */
	uint32_t _reservedParam;
	void *_reserved[STRUCTURE_PADDING];
} NvBufSurfaceAllocateParams;

/* Filled in by NvBufSurfaceMap() */
typedef struct NvBufSurfaceMappedAddr {
	void *addr[NVBUF_MAX_PLANES];
	void *eglImage;
	void *nvmmPtr;
	void *cudaPtr;
	void *_reserved[STRUCTURE_PADDING];
} NvBufSurfaceMappedAddr;

typedef struct NvBufSurfaceParamsEx {
	int32_t startofvaliddata;
	int32_t sizeofvaliddatainbytes;
	NvBufSurfaceChromaSubsamplingParams chromaSubsampling;
	bool is_protected;
	NvBufSurfacePlaneParamsEx planeParamsex;
	void *_reserved[STRUCTURE_PADDING];
} NvBufSurfaceParamsEx;

typedef struct NvBufSurfaceCudaBuffer {
	void *basePtr;
	void *dataPtr;
	void *extMem;
	void *mipmap;
	uint8_t reserved[64];
} NvBufSurfaceCudaBuffer;

/**
 * struct NvBufSurfaceParams - one buffer of a batch
 * @width: pixels
 * @height: rows
 * @pitch: of the first plane, bytes
 * @colorFormat: format
 * @layout: layout
 * @bufferDesc: file descriptor of surface arrays and handles, which stays the
 *	buffer's
 * @dataSize: bytes
 * @dataPtr: CUDA and system memory; of surface arrays NULL
 * @planeParams: its planes
 * @mappedAddr: where they are mapped
 * @paramex: NULL
 * @cudaBuffer: NULL
 * @_reserved: 0
 */
typedef struct NvBufSurfaceParams {
	uint32_t width;
	uint32_t height;
	uint32_t pitch;
	NvBufSurfaceColorFormat colorFormat;
	NvBufSurfaceLayout layout;
	uint64_t bufferDesc;
	uint32_t dataSize;
	void *dataPtr;
	NvBufSurfacePlaneParams planeParams;
	NvBufSurfaceMappedAddr mappedAddr;
	NvBufSurfaceParamsEx *paramex;
	NvBufSurfaceCudaBuffer *cudaBuffer;
	void *_reserved[STRUCTURE_PADDING];
} NvBufSurfaceParams;

/**
 * struct NvBufSurface - a batch of buffers
 * @gpuId: 0
 * @batchSize: buffers
 * @numFilled: of them that hold something, as the program says
 * @isContiguous: one allocation for all
 * @memType: kind of memory
 * @surfaceList: each
 * @isImportedBuf: not used
 * @_reserved: 0
 */
typedef struct NvBufSurface {
	uint32_t gpuId;
	uint32_t batchSize;
	uint32_t numFilled;
	bool isContiguous;
	NvBufSurfaceMemType memType;
	NvBufSurfaceParams *surfaceList;
	bool isImportedBuf;
	void *_reserved[STRUCTURE_PADDING];
} NvBufSurface;

/* For another process, up to Jetson Linux 36 */
typedef struct NvBufSurfaceMapPlaneParams {
	uint32_t width;
	uint32_t height;
	uint32_t pitch;
	uint32_t offset;
	uint32_t psize;
	uint32_t secondfieldoffset;
	uint32_t blockheightlog2;
	uint64_t flags;
	uint8_t reserved[64];
} NvBufSurfaceMapPlaneParams;

typedef struct NvBufSurfaceMapParams {
	uint32_t num_planes;
	uint32_t gpuId;
	uint64_t fd;
	uint32_t totalSize;
	NvBufSurfaceMemType memType;
	NvBufSurfaceLayout layout;
	NvBufSurfaceDisplayScanFormat scanformat;
	NvBufSurfaceColorFormat colorFormat;
	NvBufSurfaceChromaSubsamplingParams chromaSubsampling;
	NvBufSurfaceMapPlaneParams planes[NVBUF_MAX_PLANES];
	uint8_t reserved[64];
} NvBufSurfaceMapParams;

/**
 * NvBufSurfaceCreate() - allocate a batch
 * @surf: out: the batch: NvBufSurfaceDestroy()
 * @batchSize: buffers, 1 to 1024
 * @params: of each
 *
 * The memory is zeroed, but for CUDA's device and unified memory, which is as
 * of cudaMalloc().
 *
 * Context: may sleep; any thread.
 * Return: 0, or -1: errno says why.
 */
int NvBufSurfaceCreate(NvBufSurface **surf, uint32_t batchSize,
		       NvBufSurfaceCreateParams *params);

/**
 * NvBufSurfaceAllocate() - allocate a batch
 * @surf: out: the batch: NvBufSurfaceDestroy()
 * @batchSize: buffers, 1 to 1024
 * @paramsext: of each
 *
 * Context: may sleep; any thread.
 * Return: 0, or -1: errno says why.
 */
int NvBufSurfaceAllocate(NvBufSurface **surf, uint32_t batchSize,
			 NvBufSurfaceAllocateParams *paramsext);

/**
 * NvBufSurfaceDestroy() - give a batch back
 * @surf: batch of NvBufSurfaceCreate() or NvBufSurfaceAllocate()
 *
 * Its descriptors are closed. A batch of NvBufSurfaceFromFd() goes with its
 * descriptor, and is refused here.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -1.
 */
int NvBufSurfaceDestroy(NvBufSurface *surf);

/**
 * NvBufSurfaceMap() - map buffers for the CPU
 * @surf: batch of surface arrays, handles, unified, pinned or system memory;
 *	addresses are filled in
 * @index: buffer, -1: all
 * @plane: plane, -1: all
 * @type: what the CPU will do
 *
 * Before the CPU looks: NvBufSurfaceSyncForCpu().
 *
 * Context: may sleep; any thread.
 * Return: 0, or -1.
 */
int NvBufSurfaceMap(NvBufSurface *surf, int index, int plane,
		    NvBufSurfaceMemMapFlags type);

/**
 * NvBufSurfaceUnMap() - end a mapping
 * @surf: batch
 * @index: buffer, -1: all
 * @plane: plane, -1: all
 *
 * Context: may sleep; any thread.
 * Return: 0, or -1.
 */
int NvBufSurfaceUnMap(NvBufSurface *surf, int index, int plane);

/**
 * NvBufSurfaceCopy() - copy a batch
 * @srcSurf: batch
 * @dstSurf: of as many buffers of the same format and sides, any memory
 *
 * Context: may sleep; any thread.
 * Return: 0, or -1.
 */
int NvBufSurfaceCopy(NvBufSurface *srcSurf, NvBufSurface *dstSurf);

/**
 * NvBufSurface2Raw() - copy a plane out of a buffer
 * @Surf: batch
 * @index: buffer
 * @plane: plane
 * @outwidth: pixels of a row at @ptr
 * @outheight: rows at @ptr
 * @ptr: out: pixels, without padding
 *
 * Context: may sleep; any thread.
 * Return: 0, or -1.
 */
int NvBufSurface2Raw(NvBufSurface *Surf, unsigned int index,
		     unsigned int plane, unsigned int outwidth,
		     unsigned int outheight, unsigned char *ptr);

/**
 * Raw2NvBufSurface() - copy a plane into a buffer
 * @ptr: pixels, without padding
 * @index: buffer
 * @plane: plane
 * @inwidth: pixels of a row at @ptr
 * @inheight: rows at @ptr
 * @Surf: batch
 *
 * Context: may sleep; any thread.
 * Return: 0, or -1.
 */
int Raw2NvBufSurface(unsigned char *ptr, unsigned int index,
		     unsigned int plane, unsigned int inwidth,
		     unsigned int inheight, NvBufSurface *Surf);

/**
 * NvBufSurfaceSyncForCpu() - have the CPU see what engines have written
 * @surf: batch of surface arrays or handles
 * @index: buffer, -1: all
 * @plane: plane, -1: all
 *
 * Context: may sleep; any thread.
 * Return: 0, or -1.
 */
int NvBufSurfaceSyncForCpu(NvBufSurface *surf, int index, int plane);

/**
 * NvBufSurfaceSyncForDevice() - have engines see what the CPU has written
 * @surf: batch of surface arrays or handles
 * @index: buffer, -1: all
 * @plane: plane, -1: all
 *
 * Context: may sleep; any thread.
 * Return: 0, or -1.
 */
int NvBufSurfaceSyncForDevice(NvBufSurface *surf, int index, int plane);

/**
 * NvBufSurfaceFromFd() - the batch of a descriptor
 * @dmabuf_fd: of a batch, of NvBufferCreateEx() or of a locked VPI image, made
 *	in this process
 * @buffer: out: NvBufSurface, which stays the descriptor's
 *
 * Context: any thread.
 * Return: 0, or -1.
 */
int NvBufSurfaceFromFd(int dmabuf_fd, void **buffer);

/**
 * NvBufSurfaceMemSet() - fill buffers
 * @surf: batch
 * @index: buffer, -1: all
 * @plane: plane, -1: all
 * @value: each byte
 *
 * Context: may sleep; any thread.
 * Return: 0, or -1.
 */
int NvBufSurfaceMemSet(NvBufSurface *surf, int index, int plane,
		       uint8_t value);

/**
 * NvBufSurfaceMapEglImage() - heapsim lacks it
 * @surf: batch
 * @index: buffer, -1: all
 *
 * Context: any thread.
 * Return: -1.
 */
int NvBufSurfaceMapEglImage(NvBufSurface *surf, int index);

/**
 * NvBufSurfaceUnMapEglImage() - heapsim lacks it
 * @surf: batch
 * @index: buffer, -1: all
 *
 * Context: any thread.
 * Return: -1.
 */
int NvBufSurfaceUnMapEglImage(NvBufSurface *surf, int index);

/**
 * NvBufSurfaceImport() - heapsim lacks it
 * @out_nvbuf_surf: out: not written
 * @in_params: of another process
 *
 * Context: any thread.
 * Return: -1.
 */
int NvBufSurfaceImport(NvBufSurface **out_nvbuf_surf,
		       const NvBufSurfaceMapParams *in_params);

/**
 * NvBufSurfaceGetMapParams() - a buffer in words for another process
 * @surf: batch of surface arrays or handles
 * @index: buffer
 * @params: out: the words; the descriptor stays the batch's
 *
 * Context: any thread.
 * Return: 0, or -1.
 */
int NvBufSurfaceGetMapParams(const NvBufSurface *surf, int index,
			     NvBufSurfaceMapParams *params);

#ifdef __cplusplus
}
#endif

#endif
