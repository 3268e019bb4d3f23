// SPDX-License-Identifier: GPL-2.0-only
// Programs of VPI 1 that use matrices of OpenCV: compiled with -include
// vpi/legacy-0.4.h, as they are.
#include <opencv2/core.hpp>
#include <vpi/OpenCVInterop.hpp>

#include <vpi/Array.h>
#include <vpi/Image.h>
#include <vpi/Stream.h>
#include <vpi/algo/ConvertImageFormat.h>
#include <vpi/algo/HarrisCorners.h>
#include <vpi/algo/Rescale.h>

#include <vector>

#include "test.h"

namespace {

constexpr int width = 96;
constexpr int height = 64;

void a_matrix_is_converted_and_scaled(void **)
{
	cv::Mat in(height, width, CV_8UC3, cv::Scalar(9, 9, 9));
	VPIImage image = nullptr;
	VPIImage luma = nullptr;
	VPIImage small = nullptr;
	VPIStream stream = nullptr;
	VPIImageData data{};
	cv::Mat out;

	ok(vpiImageCreateOpenCVMatWrapper(in, 0, &image));
	ok(vpiImageCreate(width, height, VPI_IMAGE_FORMAT_U8, 0, &luma));
	ok(vpiImageCreate(width / 2, height / 2, VPI_IMAGE_FORMAT_U8, 0,
			  &small));
	ok(vpiStreamCreate(0, &stream));
	ok(vpiSubmitConvertImageFormat(stream, VPI_BACKEND_CUDA, image, luma,
				       NULL));
	ok(vpiSubmitRescale(stream, VPI_BACKEND_CUDA, luma, small,
			    VPI_INTERP_LINEAR, VPI_BORDER_CLAMP, 0));
	ok(vpiStreamSync(stream));
	ok(vpiImageLock(small, VPI_LOCK_READ, &data));
	assert_int_equal(data.format, VPI_IMAGE_FORMAT_U8);
	ok(vpiImageDataExportOpenCVMat(data, &out));
	assert_int_equal(out.rows, height / 2);
	assert_int_equal(out.cols, width / 2);
	assert_int_equal(out.type(), CV_8UC1);
	assert_ptr_equal(out.data, data.planes[0].data);
	assert_int_equal(cv::norm(out, cv::Mat(out.size(), CV_8UC1,
					       cv::Scalar(9)), cv::NORM_INF),
			 0);
	ok(vpiImageUnlock(small));
	vpiStreamDestroy(stream);
	vpiImageDestroy(small);
	vpiImageDestroy(luma);
	vpiImageDestroy(image);
}

void corners_of_a_matrix_are_found(void **)
{
	cv::Mat in(height, width, CV_8UC1, cv::Scalar(0));
	VPIHarrisCornerDetectorParams params;
	VPIPayload payload = nullptr;
	VPIArray corners = nullptr;
	VPIArray scores = nullptr;
	VPIImage image = nullptr;
	VPIStream stream = nullptr;
	VPIArrayData data = VPIArrayData();

	in(cv::Rect(24, 24, 32, 24)).setTo(255);
	ok(vpiImageCreateOpenCVMatWrapper(in, VPI_IMAGE_FORMAT_U8, 0, &image));
	ok(vpiArrayCreate(8192, VPI_ARRAY_TYPE_KEYPOINT, 0, &corners));
	ok(vpiArrayCreate(8192, VPI_ARRAY_TYPE_U32, 0, &scores));
	ok(vpiStreamCreate(0, &stream));
	ok(vpiCreateHarrisCornerDetector(VPI_BACKEND_CUDA, width, height,
					 &payload));
	ok(vpiInitHarrisCornerDetectorParams(&params));
	ok(vpiSubmitHarrisCornerDetector(stream, VPI_BACKEND_CUDA, payload,
					 image, corners, scores, &params));
	ok(vpiStreamSync(stream));
	ok(vpiArrayLock(corners, VPI_LOCK_READ, &data));
	assert_int_equal(data.format, VPI_ARRAY_TYPE_KEYPOINT);
	assert_int_equal(data.strideBytes, sizeof(VPIKeypoint));
	assert_true(*data.sizePointer >= 4);
	ok(vpiArrayUnlock(corners));
	vpiStreamDestroy(stream);
	vpiPayloadDestroy(payload);
	vpiArrayDestroy(scores);
	vpiArrayDestroy(corners);
	vpiImageDestroy(image);
}

void planes_are_matrices(void **)
{
	std::vector<cv::Mat> planes = {
		cv::Mat(height, width, CV_8UC1, cv::Scalar(5)),
		cv::Mat(height / 2, width / 2, CV_8UC2, cv::Scalar(6, 7))
	};
	std::vector<cv::Mat> others = { planes[0].clone(), planes[1].clone() };
	std::vector<cv::Mat> seen;
	VPIImage image = nullptr;
	VPIImageData data{};

	others[0].setTo(8);
	ok(vpiImageCreateOpenCVMatPlanesWrapper(planes, VPI_IMAGE_FORMAT_NV12,
						0, &image));
	ok(vpiImageSetWrappedOpenCVMatPlanes(image, others));
	ok(vpiImageLock(image, VPI_LOCK_READ, &data));
	ok(vpiImageDataExportOpenCVMatPlanes(data, &seen));
	assert_int_equal(seen.size(), 2);
	for (int i = 0; i < 2; i++)
		assert_int_equal(cv::norm(seen[i], others[i], cv::NORM_INF),
				 0);
	ok(vpiImageUnlock(image));
	data.numPlanes = VPI_MAX_PLANE_COUNT + 1;
	assert_int_equal(vpiImageDataExportOpenCVMatPlanes(data, &seen),
			 VPI_ERROR_INVALID_ARGUMENT);
	vpiImageDestroy(image);
}

}  // namespace

int main()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_matrix_is_converted_and_scaled,
					  no_violation),
		cmocka_unit_test_teardown(corners_of_a_matrix_are_found,
					  no_violation),
		cmocka_unit_test_teardown(planes_are_matrices, no_violation),
	};

	return cmocka_run_group_tests_name("vpi legacy opencv", tests, watch,
					   nullptr);
}
