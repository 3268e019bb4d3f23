/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Images: memory of a format, made for the backends that will use it, and
 * locked to be touched by the program. What wrappers copy:
 * Documentation/vpi.rst.
 */
#ifndef NV_VPI_IMAGE_H
#define NV_VPI_IMAGE_H

#include <stdint.h>

#include "Export.h"
#include "ImageFormat.h"
#include "PixelType.h"
#include "Status.h"
#include "Types.h"
#include "VersionDef.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As nvscibuf.h has it */
#ifndef _HEAPSIM_HAS_NVSCIBUFOBJ
#define _HEAPSIM_HAS_NVSCIBUFOBJ
typedef struct NvSciBufObjRefRec *NvSciBufObj;
#endif

/* As the headers of EGL and CUDA have them */
#if !defined(_HEAPSIM_HAS_EGLIMAGE) && !defined(EGL_KHR_image)
#define _HEAPSIM_HAS_EGLIMAGE
__extension__ typedef void *EGLImageKHR;
#endif
#ifndef _HEAPSIM_HAS_CUDAARRAY
#define _HEAPSIM_HAS_CUDAARRAY
typedef struct cudaArray *cudaArray_t;
#endif

/**
 * struct VPIImagePlanePitchLinearRec - a plane of rows
 * @pixelType: VPI_PIXEL_TYPE_DEFAULT: as the image format has
 * @width: pixels
 * @height: rows
 * @pitchBytes: from row to row
 * @offsetBytes: from @pBase to the first pixel
 * @pBase: where the memory begins, of whoever the buffer type says
 * @data: @pBase by the name of VPI 2 and 3, which have no @offsetBytes: a lock
 *	sets that to 0, and a struct to be wrapped is zeroed first, unless
 *	NV_VPI_VERSION_API is less than 4.0
 */
__extension__ typedef struct VPIImagePlanePitchLinearRec {
	VPIPixelType pixelType;
	int32_t width;
	int32_t height;
	int32_t pitchBytes;
	int64_t offsetBytes;
	union {
		VPIByte *pBase;
		void *data;
	};
} VPIImagePlanePitchLinear;

#define VPI_MAX_PLANE_COUNT (6)

typedef struct VPIImageBufferPitchLinearRec {
	VPIImageFormat format;
	int32_t numPlanes;
	VPIImagePlanePitchLinear planes[VPI_MAX_PLANE_COUNT];
} VPIImageBufferPitchLinear;

/**
 * enum VPIImageBufferType - how an image is in memory
 * @VPI_IMAGE_BUFFER_INVALID: not at all
 * @VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR: pointers of the CPU
 * @VPI_IMAGE_BUFFER_CUDA_PITCH_LINEAR: pointers of CUDA
 * @VPI_IMAGE_BUFFER_CUDA_ARRAY: heapsim lacks it
 * @VPI_IMAGE_BUFFER_EGLIMAGE: heapsim lacks it
 * @VPI_IMAGE_BUFFER_NVBUFFER: file descriptor of an NvBufSurface; locked on
 *	thor alone
 * @VPI_IMAGE_BUFFER_NVSCIBUF: NvSciBufObj
 */
typedef enum {
	VPI_IMAGE_BUFFER_INVALID,
	VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR,
	VPI_IMAGE_BUFFER_CUDA_PITCH_LINEAR,
	VPI_IMAGE_BUFFER_CUDA_ARRAY,
	VPI_IMAGE_BUFFER_EGLIMAGE,
	VPI_IMAGE_BUFFER_NVBUFFER,
	VPI_IMAGE_BUFFER_NVSCIBUF
} VPIImageBufferType;

/**
 * struct NvSciBufDataRec - an object and what it holds
 * @buffer: of a lock VPI's own, valid until the unlock
 * @format: of a wrapper also VPI_IMAGE_FORMAT_INVALID: as its attributes say
 */
typedef struct NvSciBufDataRec {
	NvSciBufObj buffer;
	VPIImageFormat format;
} NvSciBufData;

typedef union VPIImageBufferRec {
	VPIImageBufferPitchLinear pitch;
	cudaArray_t cudaarray;
	EGLImageKHR egl;
	int fd;
	NvSciBufData nvscibuf;
} VPIImageBuffer;

typedef struct VPIImageDataRec {
	VPIImageBufferType bufferType;
	VPIImageBuffer buffer;
} VPIImageData;

/**
 * struct VPIImageWrapperParams - how an image is wrapped
 * @colorSpec: instead of that of the memory; VPI_COLOR_SPEC_DEFAULT: none
 */
typedef struct {
	VPIColorSpec colorSpec;
} VPIImageWrapperParams;

/**
 * vpiImageCreate() - make an image
 * @width: pixels, above 0
 * @height: rows, above 0
 * @fmt: format
 * @flags: backends that will use it, 0: all of the current context that can;
 *	flags of Types.h
 * @img: out: the image, zeroed: vpiImageDestroy()
 *
 * Context: may sleep; any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, INVALID_IMAGE_FORMAT
 * (heapsim lacks it), INVALID_OPERATION (a backend is not enabled, or cannot
 * have such an image), INVALID_CONTEXT, OUT_OF_MEMORY.
 */
VPI_PUBLIC VPIStatus vpiImageCreate(int32_t width, int32_t height,
				    VPIImageFormat fmt, uint64_t flags,
				    VPIImage *img);

/**
 * vpiInitImageWrapperParams() - parameters that change nothing
 * @params: out: parameters
 *
 * Context: any.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT.
 */
VPI_PUBLIC VPIStatus vpiInitImageWrapperParams(VPIImageWrapperParams *params);

/**
 * vpiImageCreateView() - make an image of a part of another's memory
 * @imgParent: image of the current context, also a view; it wraps memory of the
 *	CPU or CUDA, or is made for the backends CPU and CUDA alone
 * @clipBounds: part, inside of it; with chroma that is subsampled it begins at
 *	even numbers
 * @flags: as of vpiImageCreate(); backends that @imgParent has not are left out
 * @imgView: out: the image: vpiImageDestroy(), before @imgParent
 *
 * Nothing is copied, except for a backend that has no access to memory which
 * @imgParent wraps: then each job of the view copies its part in and out, as
 * one of @imgParent does. Locks of a view and of its parent do not know of each
 * other.
 *
 * Context: may sleep; any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, INVALID_OPERATION (the
 * backends of @imgParent, or it has none of @flags), INVALID_CONTEXT,
 * BUFFER_LOCKED (@imgParent is locked to be written), NOT_IMPLEMENTED
 * (block-linear), OUT_OF_MEMORY.
 */
VPI_PUBLIC VPIStatus vpiImageCreateView(VPIImage imgParent,
					const VPIRectangleI *clipBounds,
					uint64_t flags, VPIImage *imgView);

/**
 * vpiImageSetView() - have a view be another part, perhaps of another image
 * @view: of vpiImageCreateView(), not locked
 * @parent: as of vpiImageCreateView(), of the view's format
 * @clipBounds: of the view's sides
 *
 * Context: may sleep; any thread.
 * Return: VPI_SUCCESS, or as vpiImageCreateView(); VPI_ERROR_INVALID_OPERATION
 * (@view is no view, or is locked; @parent has memory of another kind).
 */
VPI_PUBLIC VPIStatus vpiImageSetView(VPIImage view, VPIImage parent,
				     const VPIRectangleI *clipBounds);

/**
 * vpiImageCreateWrapper() - make an image of the program's memory
 * @data: memory, which stays the program's and is to last as long as the image
 * @params: NULL: as vpiInitImageWrapperParams()
 * @flags: as of vpiImageCreate(); that of the memory is added
 * @img: out: the image: vpiImageDestroy()
 *
 * Context: may sleep; any thread.
 * Return: VPI_SUCCESS, or as vpiImageCreate(); VPI_ERROR_NOT_IMPLEMENTED (such
 * memory).
 */
VPI_PUBLIC VPIStatus vpiImageCreateWrapper(const VPIImageData *data,
					   const VPIImageWrapperParams *params,
					   uint64_t flags, VPIImage *img);

/**
 * vpiImageSetWrapper() - have a wrapper wrap other memory
 * @img: of vpiImageCreateWrapper(), not locked
 * @data: of the same kind, format and sides
 *
 * Context: may sleep; any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, INVALID_OPERATION.
 */
VPI_PUBLIC VPIStatus vpiImageSetWrapper(VPIImage img,
					const VPIImageData *data);

/**
 * vpiImageDestroy() - give an image back
 * @img: image, or NULL, which does nothing
 *
 * Context: may sleep; any thread.
 */
VPI_PUBLIC void vpiImageDestroy(VPIImage img);

/**
 * vpiImageGetSize() - sides of an image
 * @img: image
 * @width: out: pixels
 * @height: out: rows
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT.
 */
VPI_PUBLIC VPIStatus vpiImageGetSize(VPIImage img, int32_t *width,
				     int32_t *height);

/**
 * vpiImageGetFormat() - format of an image
 * @img: image
 * @format: out: format
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT.
 */
VPI_PUBLIC VPIStatus vpiImageGetFormat(VPIImage img, VPIImageFormat *format);

/**
 * vpiImageGetFlags() - backends and flags of an image
 * @img: image
 * @flags: out: as of vpiImageCreate(), never without a backend
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT.
 */
VPI_PUBLIC VPIStatus vpiImageGetFlags(VPIImage img, uint64_t *flags);

/**
 * vpiImageLock() - have a wrapper's memory up to date
 * @img: image
 * @mode: VPI_LOCK_READ, VPI_LOCK_WRITE or both
 *
 * Context: may sleep; any thread.
 * Return: as vpiImageLockData().
 */
VPI_PUBLIC VPIStatus vpiImageLock(VPIImage img, VPILockMode mode);

/**
 * vpiImageLockData() - have the memory of an image
 * @img: image
 * @mode: VPI_LOCK_READ, VPI_LOCK_WRITE or both
 * @bufType: how; the CPU backend must be enabled for pointers of the CPU, CUDA
 *	for its own
 * @data: out: the memory, valid until the unlock
 *
 * Waits for work that uses the image. Locks count: several for reading may be
 * held at a time, one for writing excludes all others.
 *
 * Context: may sleep; any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, INVALID_OPERATION (the
 * backend, or the board lacks such memory), BUFFER_LOCKED,
 * VPI_ERROR_NOT_IMPLEMENTED.
 */
VPI_PUBLIC VPIStatus vpiImageLockData(VPIImage img, VPILockMode mode,
				      VPIImageBufferType bufType,
				      VPIImageData *data);

/**
 * vpiImageUnlock() - give the memory back
 * @img: image
 *
 * Context: may sleep; any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, INVALID_OPERATION (it is
 * not locked).
 */
VPI_PUBLIC VPIStatus vpiImageUnlock(VPIImage img);

#if !NV_VPI_VERSION_API_AT_LEAST(4, 0)

/*
 * Programs before VPI 4 know no offsetBytes, and need not have set it.
 * Compilers are not to warn of that.
 */
static __attribute__((noinline, unused)) const VPIImageData *
heapsim_vpi_without_offsets(const VPIImageData *data, VPIImageData *copy)
{
	int32_t i;

	if (!data ||
	    (data->bufferType != VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR &&
	     data->bufferType != VPI_IMAGE_BUFFER_CUDA_PITCH_LINEAR))
		return data;
	*copy = *data;
	for (i = 0; i < VPI_MAX_PLANE_COUNT; i++)
		copy->buffer.pitch.planes[i].offsetBytes = 0;
	return copy;
}

static inline __attribute__((unused)) VPIStatus
heapsim_vpi_wrap_before_4(const VPIImageData *data,
			  const VPIImageWrapperParams *params, uint64_t flags,
			  VPIImage *img)
{
	VPIImageData copy;

	return vpiImageCreateWrapper(heapsim_vpi_without_offsets(data, &copy),
				     params, flags, img);
}

static inline __attribute__((unused)) VPIStatus
heapsim_vpi_rewrap_before_4(VPIImage img, const VPIImageData *data)
{
	VPIImageData copy;

	return vpiImageSetWrapper(img, heapsim_vpi_without_offsets(data,
								   &copy));
}

#define vpiImageCreateWrapper	heapsim_vpi_wrap_before_4
#define vpiImageSetWrapper	heapsim_vpi_rewrap_before_4

#endif

#ifdef __cplusplus
}
#endif

#endif
