/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Matrices of OpenCV and images as VPI 1 has them: legacy-0.4.h and
 * OpenCVInterop.hpp include this, whichever comes second.
 */
#ifndef _HEAPSIM_VPI_LEGACY_OPENCV_HPP
#define _HEAPSIM_VPI_LEGACY_OPENCV_HPP

/* Here it is today's. */
#pragma push_macro("VPIImageData")
#undef VPIImageData

inline VPIStatus vpiImageCreateOpenCVMatWrapper(const cv::Mat &mat,
						VPIImageFormat fmt,
						uint64_t flags, VPIImage *img)
{
	return vpiImageCreateWrapperOpenCVMat(mat, fmt, flags, img);
}

inline VPIStatus vpiImageCreateOpenCVMatWrapper(const cv::Mat &mat,
						uint64_t flags, VPIImage *img)
{
	return vpiImageCreateWrapperOpenCVMat(mat, flags, img);
}

inline VPIStatus
vpiImageCreateOpenCVMatPlanesWrapper(const std::vector<cv::Mat> &matPlanes,
				     VPIImageFormat fmt, uint64_t flags,
				     VPIImage *img)
{
	return vpiImageCreateWrapperOpenCVMatPlanes(matPlanes, fmt, flags, img);
}

inline VPIStatus
vpiImageDataExportOpenCVMat(const VPILegacyImageData &imgData,
			    cv::Mat *mat)
{
	VPIImageData data;
	VPIStatus status = vpi_legacy_image_data(
		&imgData, VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, &data);

	return status != VPI_SUCCESS ? status :
	       vpiImageDataExportOpenCVMat(data, mat);
}

inline VPIStatus
vpiImageDataExportOpenCVMatPlanes(const VPILegacyImageData &imgData,
				  std::vector<cv::Mat> *matPlanes)
{
	VPIImageData data;
	VPIStatus status = vpi_legacy_image_data(
		&imgData, VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, &data);

	return status != VPI_SUCCESS ? status :
	       vpiImageDataExportOpenCVMatPlanes(data, matPlanes);
}

#pragma pop_macro("VPIImageData")

#endif
