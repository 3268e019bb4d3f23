/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Images of VPI and matrices of OpenCV: they refer to the same memory, nothing
 * is copied. A matrix must stay as long as an image wraps it, and a matrix that
 * is exported is valid until the unlock.
 */
#ifndef NV_VPI_OPENCV_INTEROP_HPP
#define NV_VPI_OPENCV_INTEROP_HPP

#include <cstddef>
#include <vector>

#include <opencv2/core/core.hpp>

#include "Image.h"

/* Here it is today's, if a program of VPI 0.4 or 1 has replaced it. */
#pragma push_macro("VPIImageData")
#undef VPIImageData

namespace heapsim_vpi_opencv {

/* Returns the data type of a matrix's elements. */
inline VPIDataType type_of_depth(int depth)
{
	switch (depth) {
	case CV_8U:
	case CV_16U:
		return VPI_DATA_TYPE_UNSIGNED;
	case CV_8S:
	case CV_16S:
	case CV_32S:
		return VPI_DATA_TYPE_SIGNED;
	case CV_32F:
	case CV_64F:
		return VPI_DATA_TYPE_FLOAT;
	default:
		return VPI_DATA_TYPE_INVALID;
	}
}

/* Returns the depth of a matrix with such channels, or -1. */
inline int depth_of_type(VPIDataType type, int bits)
{
	for (int depth = CV_8U; depth <= CV_64F; depth++)
		if (type_of_depth(depth) == type &&
		    (int)CV_ELEM_SIZE1(depth) * 8 == bits)
			return depth;
	return -1;
}

/* Returns the packing of interleaved channels of equal width. */
inline VPIPacking packing_of(int nr_channels, int bits)
{
	static const VPIPacking packings[][4] = {
		{ VPI_PACKING_X8, VPI_PACKING_X8_Y8, VPI_PACKING_X8_Y8_Z8,
		  VPI_PACKING_X8_Y8_Z8_W8 },
		{ VPI_PACKING_X16, VPI_PACKING_X16_Y16,
		  VPI_PACKING_X16_Y16_Z16, VPI_PACKING_X16_Y16_Z16_W16 },
		{ VPI_PACKING_X32, VPI_PACKING_X32_Y32,
		  VPI_PACKING_X32_Y32_Z32, VPI_PACKING_X32_Y32_Z32_W32 },
		{ VPI_PACKING_X64, VPI_PACKING_X64_Y64,
		  VPI_PACKING_X64_Y64_Z64, VPI_PACKING_X64_Y64_Z64_W64 },
	};
	int row = bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : 3;

	if (nr_channels < 1 || nr_channels > 4)
		return VPI_PACKING_INVALID;
	return packings[row][nr_channels - 1];
}

/* Returns the format that a matrix of @type is taken to have. */
inline VPIImageFormat format_of(int type)
{
	static const VPISwizzle swizzles[] = {
		VPI_SWIZZLE_X000, VPI_SWIZZLE_XY00, VPI_SWIZZLE_XYZ0,
		VPI_SWIZZLE_XYZW
	};
	int nr = CV_MAT_CN(type);
	VPIDataType data = type_of_depth(CV_MAT_DEPTH(type));
	VPIPacking packing = packing_of(nr, (int)CV_ELEM_SIZE1(type) * 8);

	if (data == VPI_DATA_TYPE_INVALID || packing == VPI_PACKING_INVALID)
		return VPI_IMAGE_FORMAT_INVALID;
	if (type == CV_8UC3)
		return VPI_IMAGE_FORMAT_BGR8;
	if (type == CV_8UC4)
		return VPI_IMAGE_FORMAT_BGRA8;
	if (nr >= 3 && data != VPI_DATA_TYPE_SIGNED)
		return vpiMakeColorImageFormat(
			VPI_COLOR_MODEL_RGB, VPI_COLOR_SPEC_UNDEFINED,
			VPI_MEM_LAYOUT_PITCH_LINEAR, data,
			nr == 3 ? VPI_SWIZZLE_ZYX1 : VPI_SWIZZLE_ZYXW, packing,
			VPI_PACKING_0, VPI_PACKING_0, VPI_PACKING_0);
	return vpiMakeNonColorImageFormat(
		VPI_MEM_LAYOUT_PITCH_LINEAR, data, swizzles[nr - 1], packing,
		VPI_PACKING_0, VPI_PACKING_0, VPI_PACKING_0);
}

/* Returns the type of a matrix of such pixels, or -1. */
inline int type_of(VPIPixelType pixel)
{
	int nr = vpiPixelTypeGetChannelCount(pixel);
	int bits = vpiPixelTypeGetBitsPerPixel(pixel);
	VPIPacking packing = vpiPixelTypeGetPacking(pixel);
	int depth;

	/* A pixel has its luma and every other pixel's chroma. */
	if (packing == VPI_PACKING_X8_Y8__X8_Z8 ||
	    packing == VPI_PACKING_Y8_X8__Z8_X8)
		nr = 2;
	if (nr < 1 || bits % nr)
		return -1;
	depth = depth_of_type(vpiPixelTypeGetDataType(pixel), bits / nr);
	return depth < 0 ? -1 : CV_MAKETYPE(depth, nr);
}

inline VPIPixelType pixel_of(const VPIImageBufferPitchLinear &pitch, int i)
{
	if (pitch.planes[i].pixelType != VPI_PIXEL_TYPE_DEFAULT)
		return pitch.planes[i].pixelType;
	return vpiImageFormatGetPlanePixelType(pitch.format, i);
}

/* Returns true if rows are laid out as images of VPI can be. */
inline bool is_plain(const cv::Mat &mat)
{
	return !mat.empty() && mat.dims == 2;
}

inline void plane_set(VPIImagePlanePitchLinear *plane, VPIPixelType pixel,
		      const cv::Mat &mat, int width, int height, int row)
{
	plane->pixelType = pixel;
	plane->width = width;
	plane->height = height;
	plane->pitchBytes = (int32_t)mat.step[0];
	plane->offsetBytes = 0;
	plane->pBase = const_cast<VPIByte *>(mat.ptr(row));
}

/* The matrices of @planes are the planes of @fmt. */
inline VPIStatus planes_to_data(const cv::Mat *planes, std::size_t nr,
				VPIImageFormat fmt, VPIImageData *data)
{
	VPIImageData made = VPIImageData();
	VPIImageBufferPitchLinear &pitch = made.buffer.pitch;

	if (!nr)
		return VPI_ERROR_INVALID_ARGUMENT;
	for (std::size_t i = 0; i < nr; i++)
		if (!is_plain(planes[i]))
			return VPI_ERROR_INVALID_ARGUMENT;
	if (nr > VPI_MAX_PLANE_COUNT ||
	    vpiImageFormatGetPlaneCount(fmt) != (int)nr ||
	    vpiImageFormatGetMemLayout(fmt) != VPI_MEM_LAYOUT_PITCH_LINEAR)
		return VPI_ERROR_INVALID_IMAGE_FORMAT;
	made.bufferType = VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR;
	pitch.format = fmt;
	pitch.numPlanes = (int32_t)nr;
	for (int i = 0; i < (int)nr; i++) {
		VPIPixelType pixel = vpiImageFormatGetPlanePixelType(fmt, i);
		const cv::Mat &mat = planes[i];

		if (type_of(pixel) != mat.type() ||
		    mat.cols != vpiImageFormatGetPlaneWidth(
				fmt, planes[0].cols, i) ||
		    mat.rows != vpiImageFormatGetPlaneHeight(
				fmt, planes[0].rows, i))
			return VPI_ERROR_INVALID_IMAGE_FORMAT;
		plane_set(&pitch.planes[i], pixel, mat, mat.cols, mat.rows, 0);
	}
	*data = made;
	return VPI_SUCCESS;
}

/* One matrix has the rows of both planes, as cv::cvtColor() takes NV12. */
inline VPIStatus stacked_to_data(const cv::Mat &mat, VPIImageFormat fmt,
				 VPIImageData *data)
{
	VPIChromaSubsampling css = vpiImageFormatGetChromaSubsampling(fmt);
	int samples = vpiChromaSubsamplingGetSamplesVert(css);
	VPIPixelType pixels[2];
	int height;

	for (int i = 0; i < 2; i++)
		pixels[i] = vpiImageFormatGetPlanePixelType(fmt, i);
	/* Chroma has samples/4 of the luma's rows. */
	if (vpiChromaSubsamplingGetSamplesHoriz(css) != 2 ||
	    vpiImageFormatGetMemLayout(fmt) != VPI_MEM_LAYOUT_PITCH_LINEAR ||
	    type_of(pixels[0]) != mat.type() || mat.cols % 2 ||
	    mat.rows * 4 % (4 + samples))
		return VPI_ERROR_INVALID_IMAGE_FORMAT;
	height = mat.rows * 4 / (4 + samples);
	*data = VPIImageData();
	data->bufferType = VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR;
	data->buffer.pitch.format = fmt;
	data->buffer.pitch.numPlanes = 2;
	plane_set(&data->buffer.pitch.planes[0], pixels[0], mat, mat.cols,
		  height, 0);
	plane_set(&data->buffer.pitch.planes[1], pixels[1], mat, mat.cols / 2,
		  mat.rows - height, height);
	return VPI_SUCCESS;
}

inline VPIStatus mat_to_data(const cv::Mat &mat, VPIImageFormat fmt,
			     VPIImageData *data)
{
	if (!is_plain(mat))
		return VPI_ERROR_INVALID_ARGUMENT;
	if (vpiImageFormatGetPlaneCount(fmt) == 2)
		return stacked_to_data(mat, fmt, data);
	return planes_to_data(&mat, 1, fmt, data);
}

/* Data of a matrix are taken as an image that exists has them. */
inline VPIStatus set_status(VPIStatus status)
{
	return status == VPI_ERROR_INVALID_IMAGE_FORMAT ?
	       VPI_ERROR_INVALID_OPERATION : status;
}

} // namespace heapsim_vpi_opencv

/**
 * vpiImageDataImportOpenCVMat() - describe a matrix
 * @mat: not empty, two-dimensional
 * @fmt: format; semi-planar ones as cv::cvtColor() takes them, too
 * @imgData: out: data to be wrapped; of @mat's memory
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, INVALID_IMAGE_FORMAT
 * (@mat is not of @fmt).
 */
inline VPIStatus vpiImageDataImportOpenCVMat(const cv::Mat &mat,
					     VPIImageFormat fmt,
					     VPIImageData *imgData)
{
	if (!imgData)
		return VPI_ERROR_INVALID_ARGUMENT;
	return heapsim_vpi_opencv::mat_to_data(mat, fmt, imgData);
}

/**
 * vpiImageDataImportOpenCVMat() - describe a matrix, of the format it implies
 * @mat: not empty, two-dimensional; unsigned or float of three channels is BGR,
 *	of four BGRA, all else has no colour
 * @imgData: out: as above
 *
 * Context: any thread.
 * Return: as above.
 */
inline VPIStatus vpiImageDataImportOpenCVMat(const cv::Mat &mat,
					     VPIImageData *imgData)
{
	return vpiImageDataImportOpenCVMat(
		mat, heapsim_vpi_opencv::format_of(mat.type()), imgData);
}

/**
 * vpiImageDataImportOpenCVMatPlanes() - describe planes
 * @matPlanes: a matrix a plane
 * @fmt: format
 * @imgData: out: as above
 *
 * Context: any thread.
 * Return: as above.
 */
inline VPIStatus
vpiImageDataImportOpenCVMatPlanes(const std::vector<cv::Mat> &matPlanes,
				  VPIImageFormat fmt, VPIImageData *imgData)
{
	if (!imgData)
		return VPI_ERROR_INVALID_ARGUMENT;
	return heapsim_vpi_opencv::planes_to_data(
		matPlanes.data(), matPlanes.size(), fmt, imgData);
}

/**
 * vpiImageCreateWrapperOpenCVMat() - make an image of a matrix
 * @mat: as vpiImageDataImportOpenCVMat() has it; stays the program's
 * @fmt: format
 * @flags: as of vpiImageCreateWrapper()
 * @img: out: the image: vpiImageDestroy()
 *
 * Context: may sleep; any thread.
 * Return: as vpiImageDataImportOpenCVMat() and vpiImageCreateWrapper().
 */
inline VPIStatus vpiImageCreateWrapperOpenCVMat(const cv::Mat &mat,
						VPIImageFormat fmt,
						uint64_t flags, VPIImage *img)
{
	VPIImageData data;
	VPIStatus status = vpiImageDataImportOpenCVMat(mat, fmt, &data);

	return status != VPI_SUCCESS ? status :
	       vpiImageCreateWrapper(&data, nullptr, flags, img);
}

/**
 * vpiImageCreateWrapperOpenCVMat() - make an image as a matrix implies
 * @mat: as above
 * @flags: as above
 * @img: out: as above
 *
 * Context: may sleep; any thread.
 * Return: as above.
 */
inline VPIStatus vpiImageCreateWrapperOpenCVMat(const cv::Mat &mat,
						uint64_t flags, VPIImage *img)
{
	return vpiImageCreateWrapperOpenCVMat(
		mat, heapsim_vpi_opencv::format_of(mat.type()), flags, img);
}

/**
 * vpiImageCreateWrapperOpenCVMatPlanes() - make an image of a matrix a plane
 * @matPlanes: as vpiImageDataImportOpenCVMatPlanes() has them
 * @fmt: format
 * @flags: as above
 * @img: out: as above
 *
 * Context: may sleep; any thread.
 * Return: as above.
 */
inline VPIStatus
vpiImageCreateWrapperOpenCVMatPlanes(const std::vector<cv::Mat> &matPlanes,
				     VPIImageFormat fmt, uint64_t flags,
				     VPIImage *img)
{
	VPIImageData data;
	VPIStatus status = vpiImageDataImportOpenCVMatPlanes(matPlanes, fmt,
							     &data);

	return status != VPI_SUCCESS ? status :
	       vpiImageCreateWrapper(&data, nullptr, flags, img);
}

/**
 * vpiImageSetWrappedOpenCVMat() - have a wrapper wrap another matrix
 * @img: of host memory, not locked
 * @mat: of the same type and sides as before
 *
 * Context: may sleep; any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, INVALID_OPERATION (@mat is
 * not as the wrapped one), or as vpiImageSetWrapper().
 */
inline VPIStatus vpiImageSetWrappedOpenCVMat(VPIImage img, const cv::Mat &mat)
{
	VPIImageData data;
	VPIImageFormat fmt;
	VPIStatus status = vpiImageGetFormat(img, &fmt);

	if (status == VPI_SUCCESS)
		status = heapsim_vpi_opencv::set_status(
			vpiImageDataImportOpenCVMat(mat, fmt, &data));
	return status != VPI_SUCCESS ? status : vpiImageSetWrapper(img, &data);
}

/**
 * vpiImageSetWrappedOpenCVMatPlanes() - have it wrap other planes
 * @img: as above
 * @matPlanes: of the same types and sides as before
 *
 * Context: may sleep; any thread.
 * Return: as above.
 */
inline VPIStatus
vpiImageSetWrappedOpenCVMatPlanes(VPIImage img,
				  const std::vector<cv::Mat> &matPlanes)
{
	VPIImageData data;
	VPIImageFormat fmt;
	VPIStatus status = vpiImageGetFormat(img, &fmt);

	if (status == VPI_SUCCESS)
		status = heapsim_vpi_opencv::set_status(
			vpiImageDataImportOpenCVMatPlanes(matPlanes, fmt,
							  &data));
	return status != VPI_SUCCESS ? status : vpiImageSetWrapper(img, &data);
}

/**
 * vpiImageDataExportOpenCVMat() - have a matrix refer to a locked image
 * @imgData: host memory, of vpiImageLockData()
 * @mat: out: of one plane, or of two that follow each other in memory, as
 *	cv::cvtColor() takes them
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, INVALID_IMAGE_FORMAT (no
 * one matrix has such planes).
 */
inline VPIStatus vpiImageDataExportOpenCVMat(const VPIImageData &imgData,
					     cv::Mat *mat)
{
	const VPIImageBufferPitchLinear &pitch = imgData.buffer.pitch;
	const VPIImagePlanePitchLinear *planes = pitch.planes;
	VPIByte *first = planes[0].pBase + planes[0].offsetBytes;
	int height = planes[0].height;
	int type;

	if (!mat)
		return VPI_ERROR_INVALID_ARGUMENT;
	if (imgData.bufferType != VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR ||
	    pitch.numPlanes < 1 || pitch.numPlanes > 2)
		return VPI_ERROR_INVALID_IMAGE_FORMAT;
	if (pitch.numPlanes == 2) {
		VPIByte *second = planes[1].pBase + planes[1].offsetBytes;
		std::ptrdiff_t len = (std::ptrdiff_t)planes[0].pitchBytes *
				     height;

		if (planes[1].width * 2 != planes[0].width ||
		    planes[1].pitchBytes != planes[0].pitchBytes ||
		    second != first + len)
			return VPI_ERROR_INVALID_IMAGE_FORMAT;
		height += planes[1].height;
	}
	type = heapsim_vpi_opencv::type_of(
		heapsim_vpi_opencv::pixel_of(pitch, 0));
	if (type < 0)
		return VPI_ERROR_INVALID_IMAGE_FORMAT;
	*mat = cv::Mat(height, planes[0].width, type, first,
		       (std::size_t)planes[0].pitchBytes);
	return VPI_SUCCESS;
}

/**
 * vpiImageDataExportOpenCVMatPlanes() - have a matrix refer to each plane
 * @imgData: as above
 * @matPlanes: out: a matrix a plane
 *
 * Context: any thread.
 * Return: as above.
 */
inline VPIStatus
vpiImageDataExportOpenCVMatPlanes(const VPIImageData &imgData,
				  std::vector<cv::Mat> *matPlanes)
{
	const VPIImageBufferPitchLinear &pitch = imgData.buffer.pitch;
	std::vector<cv::Mat> mats;

	if (!matPlanes)
		return VPI_ERROR_INVALID_ARGUMENT;
	if (imgData.bufferType != VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR ||
	    pitch.numPlanes < 1 || pitch.numPlanes > VPI_MAX_PLANE_COUNT)
		return VPI_ERROR_INVALID_IMAGE_FORMAT;
	for (int i = 0; i < pitch.numPlanes; i++) {
		const VPIImagePlanePitchLinear &plane = pitch.planes[i];
		int type = heapsim_vpi_opencv::type_of(
			heapsim_vpi_opencv::pixel_of(pitch, i));

		if (type < 0)
			return VPI_ERROR_INVALID_IMAGE_FORMAT;
		mats.push_back(cv::Mat(plane.height, plane.width, type,
				       plane.pBase + plane.offsetBytes,
				       (std::size_t)plane.pitchBytes));
	}
	matPlanes->swap(mats);
	return VPI_SUCCESS;
}

#pragma pop_macro("VPIImageData")

#ifdef _HEAPSIM_VPI_LEGACY_0_4_H
#include "detail/LegacyOpenCV.hpp"
#endif

#endif
