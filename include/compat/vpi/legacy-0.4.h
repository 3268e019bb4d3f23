/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * VPI 0.4 and VPI 1 in terms of today's: names that were dropped, and calls
 * that have other parameters now, for programs of that time. VPI has no such
 * header: the program is compiled with -include vpi/legacy-0.4.h, or includes
 * it after all others of VPI.
 *
 * Wrappers, locks and structs are those of 0.4 and 1, which knew host and CUDA
 * memory by calls of two names and locked for the CPU. Where 0.4 took a
 * boundary condition VPI takes a border. What they had and VPI has not is
 * missing here, too: Documentation/vpi.rst.
 */
#ifndef _HEAPSIM_VPI_LEGACY_0_4_H
#define _HEAPSIM_VPI_LEGACY_0_4_H

#include <stdint.h>
#include <string.h>

#include "Array.h"
#include "Context.h"
#include "Event.h"
#include "HostFunction.h"
#include "Image.h"
#include "Status.h"
#include "Stream.h"
#include "Types.h"
#include "algo/BoxFilter.h"
#include "algo/ConvertImageFormat.h"
#include "algo/HarrisCorners.h"
#include "algo/Rescale.h"
#include "detail/LegacyArray.h"

#ifdef __cplusplus
extern "C" {
#endif

#define VPI_LEGACY static inline __attribute__((unused))

/*
 * As cuda.h and CUDAInterop.h have them: a program without CUDA need not have
 * its headers.
 */
#ifndef _HEAPSIM_HAS_CUSTREAM
#define _HEAPSIM_HAS_CUSTREAM
typedef struct CUstream_st *CUstream;
#endif

VPI_PUBLIC VPIStatus vpiStreamCreateWrapperCUDA(CUstream cudaStream,
						uint64_t flags,
						VPIStream *stream);

typedef VPIBorderExtension VPIBoundaryCond;

#define VPI_BOUNDARY_COND_ZERO	VPI_BORDER_ZERO
#define VPI_BOUNDARY_COND_CLAMP	VPI_BORDER_CLAMP
#define VPI_ARRAY_TYPE_KEYPOINT	VPI_ARRAY_TYPE_KEYPOINT_F32
#define VPI_INTERP_LINEAR_FAST	VPI_INTERP_LINEAR

typedef VPIKeypointF32 VPIKeypoint;

typedef struct VPIImagePlaneRec {
	VPIPixelType pixelType;
	int32_t width;
	int32_t height;
	int32_t pitchBytes;
	void *data;
} VPIImagePlane;

/*
 * struct VPILegacyImageData - VPIImageData of VPI 0.4
 * @type: format; 1.0 called it @format
 * @numPlanes: planes
 * @planes: each
 */
typedef struct VPILegacyImageData {
	__extension__ union {
		VPIImageFormat type;
		VPIImageFormat format;
	};
	int32_t numPlanes;
	VPIImagePlane planes[VPI_MAX_PLANE_COUNT];
} VPILegacyImageData;

/*
 * struct VPILegacyArrayData - VPIArrayData of VPI 0.4
 * @type: of an element; 1.0 called it @format
 * @size: elements that it holds; of a lock as it was then
 * @sizePointer: of 1.0: where that is instead; NULL: nowhere
 * @capacity: elements
 * @strideBytes: from element to element; 0: an element
 * @data: first element
 */
typedef struct VPILegacyArrayData {
	__extension__ union {
		VPIArrayType type;
		VPIArrayType format;
	};
	int32_t size;
	int32_t *sizePointer;
	int32_t capacity;
	int32_t strideBytes;
	void *data;
} VPILegacyArrayData;

VPI_LEGACY VPIStatus
vpi_legacy_image_data(const VPILegacyImageData *old,
		      VPIImageBufferType type, VPIImageData *data)
{
	int32_t i;

	memset(data, 0, sizeof(*data));
	data->bufferType = type;
	if (!old || old->numPlanes < 0 || old->numPlanes > VPI_MAX_PLANE_COUNT)
		return VPI_ERROR_INVALID_ARGUMENT;
	data->buffer.pitch.format = old->type;
	data->buffer.pitch.numPlanes = old->numPlanes;
	for (i = 0; i < old->numPlanes; i++) {
		VPIImagePlanePitchLinear *plane =
			&data->buffer.pitch.planes[i];

		plane->pixelType = old->planes[i].pixelType;
		plane->width = old->planes[i].width;
		plane->height = old->planes[i].height;
		plane->pitchBytes = old->planes[i].pitchBytes;
		plane->pBase = (VPIByte *)old->planes[i].data;
	}
	return VPI_SUCCESS;
}

VPI_LEGACY VPIStatus
vpi_legacy_image_wrap(const VPILegacyImageData *old,
		      VPIImageBufferType type, uint64_t flags, VPIImage *img)
{
	VPIImageData data;
	VPIStatus status = vpi_legacy_image_data(old, type, &data);

	return status ? status : vpiImageCreateWrapper(&data, NULL, flags, img);
}

VPI_LEGACY VPIStatus
vpi_legacy_image_rewrap(VPIImage img, const VPILegacyImageData *old,
			VPIImageBufferType type)
{
	VPIImageData data;
	VPIStatus status = vpi_legacy_image_data(old, type, &data);

	return status ? status : vpiImageSetWrapper(img, &data);
}

VPI_LEGACY VPIStatus
vpiImageCreateHostMemWrapper(const VPILegacyImageData *data,
			     uint64_t flags, VPIImage *img)
{
	return vpi_legacy_image_wrap(data, VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR,
				     flags, img);
}

VPI_LEGACY VPIStatus
vpiImageCreateCudaMemWrapper(const VPILegacyImageData *data,
			     uint64_t flags, VPIImage *img)
{
	return vpi_legacy_image_wrap(data, VPI_IMAGE_BUFFER_CUDA_PITCH_LINEAR,
				     flags, img);
}

VPI_LEGACY VPIStatus
vpiImageSetWrappedHostMem(VPIImage img, const VPILegacyImageData *data)
{
	return vpi_legacy_image_rewrap(img, data,
				       VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR);
}

VPI_LEGACY VPIStatus
vpiImageSetWrappedCudaMem(VPIImage img, const VPILegacyImageData *data)
{
	return vpi_legacy_image_rewrap(img, data,
				       VPI_IMAGE_BUFFER_CUDA_PITCH_LINEAR);
}

typedef VPIImageWrapperParams VPIWrapNvBufferParams;

VPI_LEGACY VPIStatus
vpiImageCreateNvBufferWrapper(int32_t fd, const VPIWrapNvBufferParams *params,
			      uint64_t flags, VPIImage *img)
{
	VPIImageData data;

	memset(&data, 0, sizeof(data));
	data.bufferType = VPI_IMAGE_BUFFER_NVBUFFER;
	data.buffer.fd = fd;
	return vpiImageCreateWrapper(&data, params, flags, img);
}

VPI_LEGACY VPIStatus vpiImageSetWrappedNvBuffer(VPIImage img, int32_t fd)
{
	VPIImageData data;

	memset(&data, 0, sizeof(data));
	data.bufferType = VPI_IMAGE_BUFFER_NVBUFFER;
	data.buffer.fd = fd;
	return vpiImageSetWrapper(img, &data);
}

/* Each job looks at the wrapped memory anew. */
VPI_LEGACY VPIStatus vpiImageInvalidate(VPIImage img)
{
	uint64_t flags;

	return vpiImageGetFlags(img, &flags);
}

VPI_LEGACY VPIStatus vpiArrayInvalidate(VPIArray array)
{
	uint64_t flags;

	return vpiArrayGetFlags(array, &flags);
}

VPI_LEGACY VPIStatus
vpi_legacy_image_lock(VPIImage img, VPILockMode mode,
		      VPILegacyImageData *old)
{
	VPIImageData data;
	VPIStatus status;
	int32_t i;

	if (!old)
		return vpiImageLock(img, mode);
	status = vpiImageLockData(img, mode,
				  VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, &data);
	if (status)
		return status;
	memset(old, 0, sizeof(*old));
	old->type = data.buffer.pitch.format;
	old->numPlanes = data.buffer.pitch.numPlanes;
	for (i = 0; i < old->numPlanes; i++) {
		const VPIImagePlanePitchLinear *plane =
			&data.buffer.pitch.planes[i];

		old->planes[i].pixelType = plane->pixelType;
		old->planes[i].width = plane->width;
		old->planes[i].height = plane->height;
		old->planes[i].pitchBytes = plane->pitchBytes;
		old->planes[i].data = plane->pBase + plane->offsetBytes;
	}
	return VPI_SUCCESS;
}

VPI_LEGACY void
vpi_legacy_array_data(const VPILegacyArrayData *old,
		      VPIArrayBufferType type, VPIArrayData *data)
{
	memset(data, 0, sizeof(*data));
	data->bufferType = type;
	data->buffer.aos.type = old->type;
	data->buffer.aos.sizePointer = old->sizePointer;
	data->buffer.aos.capacity = old->capacity;
	data->buffer.aos.strideBytes = old->strideBytes;
	data->buffer.aos.data = old->data;
}

VPI_LEGACY VPIStatus
vpi_legacy_array_wrap(const VPILegacyArrayData *old,
		      VPIArrayBufferType type, uint64_t flags, VPIArray *array)
{
	VPIArrayData data;

	if (!old)
		return VPI_ERROR_INVALID_ARGUMENT;
	vpi_legacy_array_data(old, type, &data);
	if (old->sizePointer)
		return vpiArrayCreateWrapper(&data, flags, array);
	return heapsim_vpi_array_wrap(&data, old->size, flags, array);
}

VPI_LEGACY VPIStatus
vpi_legacy_array_rewrap(VPIArray array, const VPILegacyArrayData *old,
			VPIArrayBufferType type)
{
	VPIArrayData data;

	if (!old)
		return VPI_ERROR_INVALID_ARGUMENT;
	vpi_legacy_array_data(old, type, &data);
	if (old->sizePointer)
		return vpiArraySetWrapper(array, &data);
	return heapsim_vpi_array_rewrap(array, &data, old->size);
}

VPI_LEGACY VPIStatus
vpiArrayCreateHostMemWrapper(const VPILegacyArrayData *data,
			     uint64_t flags, VPIArray *array)
{
	return vpi_legacy_array_wrap(data, VPI_ARRAY_BUFFER_HOST_AOS, flags,
				     array);
}

VPI_LEGACY VPIStatus
vpiArrayCreateCudaMemWrapper(const VPILegacyArrayData *data,
			     uint64_t flags, VPIArray *array)
{
	return vpi_legacy_array_wrap(data, VPI_ARRAY_BUFFER_CUDA_AOS, flags,
				     array);
}

VPI_LEGACY VPIStatus
vpiArraySetWrappedHostMem(VPIArray array, const VPILegacyArrayData *data)
{
	return vpi_legacy_array_rewrap(array, data, VPI_ARRAY_BUFFER_HOST_AOS);
}

VPI_LEGACY VPIStatus
vpiArraySetWrappedCudaMem(VPIArray array, const VPILegacyArrayData *data)
{
	return vpi_legacy_array_rewrap(array, data, VPI_ARRAY_BUFFER_CUDA_AOS);
}

VPI_LEGACY VPIStatus
vpi_legacy_array_lock(VPIArray array, VPILockMode mode,
		      VPILegacyArrayData *old)
{
	VPIArrayData data;
	VPIStatus status;

	if (!old)
		return vpiArrayLock(array, mode);
	status = vpiArrayLockData(array, mode, VPI_ARRAY_BUFFER_HOST_AOS,
				  &data);
	if (status)
		return status;
	memset(old, 0, sizeof(*old));
	old->type = data.buffer.aos.type;
	old->size = *data.buffer.aos.sizePointer;
	old->sizePointer = data.buffer.aos.sizePointer;
	old->capacity = data.buffer.aos.capacity;
	old->strideBytes = data.buffer.aos.strideBytes;
	old->data = data.buffer.aos.data;
	return VPI_SUCCESS;
}

VPI_LEGACY VPIStatus
vpiStreamCreateCudaStreamWrapper(CUstream cudaStream, uint64_t flags,
				 VPIStream *stream)
{
	return vpiStreamCreateWrapperCUDA(cudaStream, flags, stream);
}

VPI_LEGACY VPIStatus vpiStreamWrapCuda(CUstream cudaStream, VPIStream *stream)
{
	return vpiStreamCreateWrapperCUDA(cudaStream, 0, stream);
}

/* VPI 1 wrote some of the names in capitals. */
VPI_LEGACY VPIStatus
vpiImageCreateCUDAMemWrapper(const VPILegacyImageData *data,
			     uint64_t flags, VPIImage *img)
{
	return vpiImageCreateCudaMemWrapper(data, flags, img);
}

VPI_LEGACY VPIStatus
vpiImageSetWrappedCUDAMem(VPIImage img, const VPILegacyImageData *data)
{
	return vpiImageSetWrappedCudaMem(img, data);
}

VPI_LEGACY VPIStatus
vpiArrayCreateCUDAMemWrapper(const VPILegacyArrayData *data,
			     uint64_t flags, VPIArray *array)
{
	return vpiArrayCreateCudaMemWrapper(data, flags, array);
}

VPI_LEGACY VPIStatus
vpiArraySetWrappedCUDAMem(VPIArray array, const VPILegacyArrayData *data)
{
	return vpiArraySetWrappedCudaMem(array, data);
}

VPI_LEGACY VPIStatus
vpiStreamCreateCUDAStreamWrapper(CUstream cudaStream, uint64_t flags,
				 VPIStream *stream)
{
	return vpiStreamCreateWrapperCUDA(cudaStream, flags, stream);
}

VPI_LEGACY VPIStatus vpiArrayGetFormat(VPIArray array, VPIArrayType *type)
{
	return vpiArrayGetType(array, type);
}

VPI_LEGACY VPIStatus
vpiEventElapsedTime(VPIEvent start, VPIEvent end, float *msec)
{
	return vpiEventElapsedTimeMillis(start, end, msec);
}

VPI_LEGACY VPIStatus
vpi_legacy_rescale(VPIStream stream, uint64_t backend, VPIImage input,
		   VPIImage output, VPIInterpolationType interpolationType,
		   VPIBoundaryCond boundary)
{
	return vpiSubmitRescale(stream, backend, input, output,
				interpolationType, boundary, 0);
}

VPI_LEGACY VPIStatus
vpi_legacy_convert(VPIStream stream, uint64_t backend, VPIImage input,
		   VPIImage output, VPIConversionPolicy policy, float scale,
		   float offset)
{
	VPIConvertImageFormatParams params;

	vpiInitConvertImageFormatParams(&params);
	params.policy = policy;
	params.scale = scale;
	params.offset = offset;
	return vpiSubmitConvertImageFormat(stream, backend, input, output,
					   &params);
}

VPI_LEGACY VPIStatus
vpi_legacy_harris(VPIStream stream, VPIPayload payload, VPIImage input,
		  VPIArray outFeatures, VPIArray outScores,
		  const VPIHarrisCornerDetectorParams *params)
{
	return vpiSubmitHarrisCornerDetector(stream, 0, payload, input,
					     outFeatures, outScores, params);
}

#ifdef __cplusplus
}
#endif

#define VPIImageData	VPILegacyImageData
#define VPIArrayData	VPILegacyArrayData
#define vpiImageLock	vpi_legacy_image_lock
#define vpiArrayLock	vpi_legacy_array_lock

/* Calls with more or fewer arguments since then differ in their number. */
#define VPI_LEGACY_OF(a1, a2, a3, a4, a5, a6, a7, call, ...) call
#define vpiSubmitRescale(...)						\
	VPI_LEGACY_OF(__VA_ARGS__, vpiSubmitRescale, vpi_legacy_rescale, 0) \
		(__VA_ARGS__)
#define vpiSubmitConvertImageFormat(...)				\
	VPI_LEGACY_OF(__VA_ARGS__, vpi_legacy_convert, 0,		\
		      vpiSubmitConvertImageFormat, 0)(__VA_ARGS__)
#define vpiSubmitHarrisCornerDetector(...)				\
	VPI_LEGACY_OF(__VA_ARGS__, vpiSubmitHarrisCornerDetector,	\
		      vpi_legacy_harris, 0)(__VA_ARGS__)

#if defined(__cplusplus) && defined(NV_VPI_OPENCV_INTEROP_HPP)
#include "detail/LegacyOpenCV.hpp"
#endif

#endif
