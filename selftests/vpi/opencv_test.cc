// SPDX-License-Identifier: GPL-2.0-only
// Tests matrices of OpenCV and images of VPI with the same memory, and the
// formats of matrices.
#include <vpi/OpenCVInterop.hpp>
#include <vpi/VPI.h>
#include <vpi/algo/BoxFilter.h>
#include <vpi/algo/ConvertImageFormat.h>

#include <opencv2/core.hpp>
#include <vector>

#include "test.h"

namespace {

constexpr int width = 96;
constexpr int height = 24;

VPIImageFormat implied(int type)
{
	cv::Mat mat(4, 4, type);
	VPIImageData data;

	ok(vpiImageDataImportOpenCVMat(mat, &data));
	return data.buffer.pitch.format;
}

void a_matrix_implies_a_format(void **)
{
	assert_true(implied(CV_8UC1) == VPI_IMAGE_FORMAT_U8);
	assert_true(implied(CV_8SC1) == VPI_IMAGE_FORMAT_S8);
	assert_true(implied(CV_16UC1) == VPI_IMAGE_FORMAT_U16);
	assert_true(implied(CV_16SC1) == VPI_IMAGE_FORMAT_S16);
	assert_true(implied(CV_32SC1) == VPI_IMAGE_FORMAT_S32);
	assert_true(implied(CV_32FC1) == VPI_IMAGE_FORMAT_F32);
	assert_true(implied(CV_64FC1) == VPI_IMAGE_FORMAT_F64);
	assert_true(implied(CV_16SC2) == VPI_IMAGE_FORMAT_2S16);
	assert_true(implied(CV_32FC2) == VPI_IMAGE_FORMAT_2F32);
	assert_true(implied(CV_8UC3) == VPI_IMAGE_FORMAT_BGR8);
	assert_true(implied(CV_8UC4) == VPI_IMAGE_FORMAT_BGRA8);
}

void a_wide_matrix_of_three_channels_is_bgr(void **)
{
	VPIImageFormat format = implied(CV_32FC3);

	assert_int_equal(vpiImageFormatGetColorModel(format),
			 VPI_COLOR_MODEL_RGB);
	assert_int_equal(vpiImageFormatGetSwizzle(format), VPI_SWIZZLE_ZYX1);
	assert_int_equal(vpiImageFormatGetPlaneBitsPerPixel(format, 0), 96);
	format = implied(CV_16SC3);
	assert_int_equal(vpiImageFormatGetColorModel(format),
			 VPI_COLOR_MODEL_UNDEFINED);
}

void a_matrix_of_no_format_is_refused(void **)
{
	const int sides[] = { 4, 4, 4 };
	VPIImageData data;
	cv::Mat mat;

	assert_int_equal(vpiImageDataImportOpenCVMat(mat, &data),
			 VPI_ERROR_INVALID_ARGUMENT);
	mat = cv::Mat(3, sides, CV_8UC1);
	assert_int_equal(vpiImageDataImportOpenCVMat(mat, &data),
			 VPI_ERROR_INVALID_ARGUMENT);
	mat = cv::Mat(4, 4, CV_8UC(5));
	assert_int_equal(vpiImageDataImportOpenCVMat(mat, &data),
			 VPI_ERROR_INVALID_IMAGE_FORMAT);
	mat = cv::Mat(4, 4, CV_8UC3);
	assert_int_equal(vpiImageDataImportOpenCVMat(mat, VPI_IMAGE_FORMAT_U8,
						     &data),
			 VPI_ERROR_INVALID_IMAGE_FORMAT);
	assert_int_equal(vpiImageDataImportOpenCVMat(mat, nullptr),
			 VPI_ERROR_INVALID_ARGUMENT);
}

cv::Mat patterned(int rows, int cols, int type)
{
	cv::Mat mat(rows, cols, type);

	for (int y = 0; y < rows; y++)
		for (int x = 0; x < (int)(cols * mat.elemSize()); x++)
			mat.ptr(y)[x] = pattern(x, y);
	return mat;
}

void a_matrix_is_filtered(void **)
{
	cv::Mat in = patterned(height, width, CV_8UC1);
	VPIImage input = nullptr;
	VPIImage output = nullptr;
	VPIStream stream = nullptr;
	VPIImageData data;
	cv::Mat out;

	ok(vpiImageCreateWrapperOpenCVMat(in, 0, &input));
	ok(vpiImageCreate(width, height, VPI_IMAGE_FORMAT_U8, 0, &output));
	ok(vpiStreamCreate(0, &stream));
	ok(vpiSubmitBoxFilter(stream, VPI_BACKEND_CUDA, input, output, 3, 3,
			      VPI_BORDER_ZERO));
	ok(vpiStreamSync(stream));
	ok(vpiImageLockData(output, VPI_LOCK_READ,
			    VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, &data));
	ok(vpiImageDataExportOpenCVMat(data, &out));
	assert_int_equal(out.rows, height);
	assert_int_equal(out.cols, width);
	assert_int_equal(out.type(), CV_8UC1);
	assert_ptr_equal(out.data, data.buffer.pitch.planes[0].data);
	for (int y = 1; y < height - 1; y++)
		for (int x = 1; x < width - 1; x++) {
			int sum = 0;

			for (int i = 0; i < 9; i++)
				sum += in.at<uint8_t>(y + i / 3 - 1,
						      x + i % 3 - 1);
			assert_in_range(out.at<uint8_t>(y, x) + 1,
					sum / 9, sum / 9 + 2);
		}
	ok(vpiImageUnlock(output));
	vpiStreamDestroy(stream);
	vpiImageDestroy(output);
	vpiImageDestroy(input);
}

void a_part_of_a_matrix_is_wrapped(void **)
{
	cv::Mat whole = patterned(height, width, CV_8UC3);
	cv::Mat part = whole(cv::Rect(8, 4, 32, 16));
	VPIImage image = nullptr;
	VPIImageFormat format;
	VPIImageData data;
	cv::Mat seen;

	ok(vpiImageCreateWrapperOpenCVMat(part, 0, &image));
	ok(vpiImageGetFormat(image, &format));
	assert_true(format == VPI_IMAGE_FORMAT_BGR8);
	ok(vpiImageLockData(image, VPI_LOCK_READ_WRITE,
			    VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, &data));
	ok(vpiImageDataExportOpenCVMat(data, &seen));
	assert_int_equal(cv::norm(seen, part, cv::NORM_INF), 0);
	seen.at<cv::Vec3b>(15, 31) = cv::Vec3b(1, 2, 3);
	ok(vpiImageUnlock(image));
	assert_true(whole.at<cv::Vec3b>(19, 39) == cv::Vec3b(1, 2, 3));
	vpiImageDestroy(image);
}

void another_matrix_is_wrapped(void **)
{
	cv::Mat first = patterned(height, width, CV_8UC1);
	cv::Mat second(height, width, CV_8UC1, cv::Scalar(7));
	cv::Mat wide(height, width, CV_16UC1);
	VPIImage image = nullptr;
	VPIImageData data;
	cv::Mat seen;

	ok(vpiImageCreateWrapperOpenCVMat(first, 0, &image));
	ok(vpiImageSetWrappedOpenCVMat(image, second));
	assert_int_equal(vpiImageSetWrappedOpenCVMat(image, wide),
			 VPI_ERROR_INVALID_OPERATION);
	ok(vpiImageLockData(image, VPI_LOCK_READ,
			    VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, &data));
	ok(vpiImageDataExportOpenCVMat(data, &seen));
	assert_int_equal(cv::norm(seen, second, cv::NORM_INF), 0);
	ok(vpiImageUnlock(image));
	vpiImageDestroy(image);
}

void nv12_is_one_matrix_or_two(void **)
{
	cv::Mat stacked = patterned(height * 3 / 2, width, CV_8UC1);
	std::vector<cv::Mat> planes = {
		stacked.rowRange(0, height),
		cv::Mat(height / 2, width / 2, CV_8UC2, stacked.ptr(height),
			stacked.step[0])
	};
	std::vector<cv::Mat> seen;
	VPIImage one = nullptr;
	VPIImage two = nullptr;
	VPIImageData data;
	int32_t w;
	int32_t h;

	ok(vpiImageCreateWrapperOpenCVMat(stacked, VPI_IMAGE_FORMAT_NV12_ER, 0,
					  &one));
	ok(vpiImageGetSize(one, &w, &h));
	assert_int_equal(w, width);
	assert_int_equal(h, height);
	ok(vpiImageLockData(one, VPI_LOCK_READ,
			    VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, &data));
	ok(vpiImageDataExportOpenCVMatPlanes(data, &seen));
	assert_int_equal(seen.size(), 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(seen[i].type(), planes[i].type());
		assert_int_equal(cv::norm(seen[i], planes[i], cv::NORM_INF), 0);
	}
	ok(vpiImageDataExportOpenCVMat(data, &seen[0]));
	assert_int_equal(seen[0].rows, height * 3 / 2);
	assert_int_equal(cv::norm(seen[0], stacked, cv::NORM_INF), 0);
	ok(vpiImageUnlock(one));
	vpiImageDestroy(one);

	ok(vpiImageCreateWrapperOpenCVMatPlanes(
		planes, VPI_IMAGE_FORMAT_NV12_ER, 0, &two));
	ok(vpiImageSetWrappedOpenCVMatPlanes(two, planes));
	planes.pop_back();
	assert_int_equal(vpiImageSetWrappedOpenCVMatPlanes(two, planes),
			 VPI_ERROR_INVALID_OPERATION);
	assert_int_equal(vpiImageCreateWrapperOpenCVMatPlanes(
				 planes, VPI_IMAGE_FORMAT_NV12_ER, 0, &one),
			 VPI_ERROR_INVALID_IMAGE_FORMAT);
	planes.clear();
	assert_int_equal(vpiImageCreateWrapperOpenCVMatPlanes(
				 planes, VPI_IMAGE_FORMAT_NV12_ER, 0, &one),
			 VPI_ERROR_INVALID_ARGUMENT);
	vpiImageDestroy(two);
}

void a_camera_picture_of_two_pixels_a_word_is_described(void **)
{
	cv::Mat mat(height, width, CV_8UC2);
	VPIImageData data;
	cv::Mat seen;

	ok(vpiImageDataImportOpenCVMat(mat, VPI_IMAGE_FORMAT_UYVY, &data));
	assert_int_equal(data.buffer.pitch.numPlanes, 1);
	assert_int_equal(data.buffer.pitch.planes[0].width, width);
	ok(vpiImageDataExportOpenCVMat(data, &seen));
	assert_int_equal(seen.type(), CV_8UC2);
}

void planes_that_are_apart_are_no_one_matrix(void **)
{
	std::vector<cv::Mat> planes = {
		cv::Mat(height, width, CV_8UC1),
		cv::Mat(height / 2, width / 2, CV_8UC2)
	};
	VPIImageData data;
	cv::Mat seen;

	ok(vpiImageDataImportOpenCVMatPlanes(planes, VPI_IMAGE_FORMAT_NV12,
					     &data));
	assert_int_equal(vpiImageDataExportOpenCVMat(data, &seen),
			 VPI_ERROR_INVALID_IMAGE_FORMAT);
	assert_int_equal(vpiImageDataExportOpenCVMat(data, nullptr),
			 VPI_ERROR_INVALID_ARGUMENT);
	data.bufferType = VPI_IMAGE_BUFFER_CUDA_PITCH_LINEAR;
	assert_int_equal(vpiImageDataExportOpenCVMatPlanes(data, &planes),
			 VPI_ERROR_INVALID_IMAGE_FORMAT);
}

} // namespace

int main()
{
	const CMUnitTest tests[] = {
		cmocka_unit_test(a_matrix_implies_a_format),
		cmocka_unit_test(a_wide_matrix_of_three_channels_is_bgr),
		cmocka_unit_test(a_matrix_of_no_format_is_refused),
		cmocka_unit_test_teardown(a_matrix_is_filtered, no_violation),
		cmocka_unit_test_teardown(a_part_of_a_matrix_is_wrapped,
					  no_violation),
		cmocka_unit_test_teardown(another_matrix_is_wrapped,
					  no_violation),
		cmocka_unit_test_teardown(nv12_is_one_matrix_or_two,
					  no_violation),
		cmocka_unit_test(
			a_camera_picture_of_two_pixels_a_word_is_described),
		cmocka_unit_test(planes_that_are_apart_are_no_one_matrix),
	};

	return cmocka_run_group_tests(tests, watch, nullptr);
}
