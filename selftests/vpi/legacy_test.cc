// SPDX-License-Identifier: GPL-2.0-only
// Tests programs of VPI 0.4: keypoints in managed memory, in order with CUDA,
// and scaling of NV12 images of nvbuf_utils.
#include <cuda_runtime.h>
#include <nvbuf_utils.h>
#include <vpi/legacy-0.4.h>

#include <cstring>
#include <vector>

#include "test.h"

namespace {

constexpr int32_t side = 64;
constexpr int32_t capacity = 128;

// @Pixel is the type of the image's pixels.
template <typename Pixel> void draw_squares(VPIImage image)
{
	VPIImageData data{};

	ok(vpiImageLock(image, VPI_LOCK_WRITE, &data));
	const auto &plane = data.planes[0];
	auto *bytes = static_cast<uint8_t *>(plane.data);
	for (int32_t y = 0; y < plane.height; y++) {
		auto *row = reinterpret_cast<Pixel *>(bytes +
						      y * plane.pitchBytes);
		for (int32_t x = 0; x < plane.width; x++)
			row[x] = x / 16 % 2 && y / 16 % 2 ? 255 : 0;
	}
	ok(vpiImageUnlock(image));
}

// The order of calls is that of the question in NVIDIA's forum; as its answer
// says, the memory is the GPU's when it is wrapped for CUDA.
void find_in_managed_memory(VPIBackend backend, VPIStream vpi_stream,
			    cudaStream_t cuda_stream)
{
	constexpr int32_t width = 192;
	constexpr int32_t height = 128;
	VPIHarrisCornerDetectorParams params;
	VPIKeypoint *data_managed = nullptr;
	VPIArray vpi_array = nullptr;
	VPIArray scores = nullptr;
	VPIImage image = nullptr;
	VPIPayload payload;
	VPIArrayData vpi_data;
	int32_t size = 0;

	assert_int_equal(cudaMallocManaged(&data_managed,
					   8192 * 2 * sizeof(float)), 0);
	std::memset(&vpi_data, 0, sizeof(vpi_data));
	vpi_data.capacity = 8192;
	vpi_data.type = VPI_ARRAY_TYPE_KEYPOINT;
	vpi_data.strideBytes = 8;
	vpi_data.data = data_managed;
	ok(vpiArrayCreateCudaMemWrapper(&vpi_data, 0, &vpi_array));
	ok(vpiArrayCreate(8192, VPI_ARRAY_TYPE_U32, 0, &scores));
	ok(vpiImageCreate(width, height, VPI_IMAGE_FORMAT_S16, 0, &image));
	draw_squares<int16_t>(image);
	ok(vpiCreateHarrisCornerDetector(backend, width, height, &payload));
	ok(vpiInitHarrisCornerDetectorParams(&params));
	assert_int_equal(cudaStreamAttachMemAsync(cuda_stream, data_managed, 0,
						  cudaMemAttachGlobal), 0);
	ok(vpiSubmitHarrisCornerDetector(vpi_stream, payload, image, vpi_array,
					 scores, &params));
	assert_int_equal(cudaStreamAttachMemAsync(cuda_stream, data_managed, 0,
						  cudaMemAttachHost), 0);
	assert_int_equal(cudaStreamSynchronize(cuda_stream), 0);
	ok(vpiArrayGetSize(vpi_array, &size));
	assert_true(size >= 4);
	for (int32_t i = 0; i < size; i++)
		assert_true(data_managed[i].x >= 0 &&
			    data_managed[i].x < width);
	vpiPayloadDestroy(payload);
	vpiImageDestroy(image);
	vpiArrayDestroy(scores);
	vpiArrayDestroy(vpi_array);
	assert_int_equal(cudaFree(data_managed), 0);
}

void cuda_and_vpi_take_turns_in_a_stream(void **)
{
	cudaStream_t cuda_stream = nullptr;
	VPIStream vpi_stream = nullptr;
	uint64_t enabled = 0;

	assert_int_equal(cudaStreamCreate(&cuda_stream), 0);
	ok(vpiStreamWrapCuda(cuda_stream, &vpi_stream));
	find_in_managed_memory(VPI_BACKEND_CUDA, vpi_stream, cuda_stream);
	vpiStreamDestroy(vpi_stream);
	ok(vpiStreamCreateCudaStreamWrapper(cuda_stream, 0, &vpi_stream));
	ok(vpiContextGetFlags(VPI_GLOBAL_CONTEXT, &enabled));
	if (enabled & VPI_BACKEND_PVA)
		find_in_managed_memory(VPI_BACKEND_PVA, vpi_stream,
				       cuda_stream);
	vpiStreamDestroy(vpi_stream);
	assert_int_equal(cudaStreamDestroy(cuda_stream), 0);
}

void keypoints_are_found_in_managed_memory(void **)
{
	VPIHarrisCornerDetectorParams params;
	VPIKeypoint *keypoints = nullptr;
	cudaStream_t cuda = nullptr;
	VPIArray array = nullptr;
	VPIArray scores = nullptr;
	VPIImage image = nullptr;
	VPIPayload payload;
	VPIStream stream;
	VPIArrayData data;
	int32_t size = 0;

	assert_int_equal(cudaMallocManaged((void **)&keypoints,
					   capacity * sizeof(*keypoints),
					   cudaMemAttachGlobal), 0);
	std::memset(&data, 0, sizeof(data));
	data.capacity = capacity;
	data.type = VPI_ARRAY_TYPE_KEYPOINT;
	data.strideBytes = sizeof(*keypoints);
	data.data = keypoints;
	ok(vpiArrayCreateCudaMemWrapper(&data, 0, &array));
	ok(vpiArrayCreate(capacity, VPI_ARRAY_TYPE_U32, 0, &scores));
	ok(vpiImageCreate(side, side, VPI_IMAGE_FORMAT_U8, 0, &image));
	draw_squares<uint8_t>(image);
	assert_int_equal(cudaStreamCreate(&cuda), 0);
	ok(vpiStreamWrapCuda(cuda, &stream));
	ok(vpiCreateHarrisCornerDetector(VPI_BACKEND_CUDA, side, side,
					 &payload));
	ok(vpiInitHarrisCornerDetectorParams(&params));
	ok(vpiSubmitHarrisCornerDetector(stream, payload, image, array, scores,
					 &params));
	assert_int_equal(cudaStreamAttachMemAsync(cuda, keypoints, 0,
						  cudaMemAttachHost), 0);
	assert_int_equal(cudaStreamSynchronize(cuda), 0);
	ok(vpiArrayGetSize(array, &size));
	assert_true(size >= 4);
	// The CPU reads them without a copy.
	for (int32_t i = 0; i < size; i++)
		assert_true(keypoints[i].x >= 0 && keypoints[i].x < side);
	ok(vpiArrayLock(array, VPI_LOCK_READ, nullptr));
	ok(vpiArrayUnlock(array));
	ok(vpiArrayInvalidate(array));
	vpiStreamDestroy(stream);
	assert_int_equal(cudaStreamDestroy(cuda), 0);
	vpiPayloadDestroy(payload);
	vpiArrayDestroy(array);
	vpiArrayDestroy(scores);
	vpiImageDestroy(image);
	assert_int_equal(cudaFree(keypoints), 0);
}

void keypoints_are_found_in_host_memory(void **)
{
	std::vector<VPIKeypoint> keypoints(capacity);
	VPIArray array = nullptr;
	VPIArrayData data;
	int32_t size = -1;

	std::memset(&data, 0, sizeof(data));
	data.capacity = capacity;
	data.type = VPI_ARRAY_TYPE_KEYPOINT;
	data.size = 3;
	data.data = keypoints.data();
	ok(vpiArrayCreateHostMemWrapper(&data, VPI_BACKEND_ALL, &array));
	ok(vpiArrayGetSize(array, &size));
	assert_int_equal(size, 3);
	data.size = 2;
	ok(vpiArraySetWrappedHostMem(array, &data));
	ok(vpiArrayLock(array, VPI_LOCK_READ, &data));
	assert_int_equal(data.size, 2);
	assert_ptr_equal(data.data, keypoints.data());
	ok(vpiArrayUnlock(array));
	vpiArrayDestroy(array);
}

// A mapped buffer, and an image of the mapped memory
struct Nv12 {
	int fd = -1;
	void *planes[2] = { nullptr, nullptr };
	VPIImage image = nullptr;

	Nv12(int32_t width, int32_t height)
	{
		NvBufferCreateParams create{};
		NvBufferParams params{};
		VPIImageData data;

		create.width = width;
		create.height = height;
		create.layout = NvBufferLayout_Pitch;
		create.payloadType = NvBufferPayload_SurfArray;
		create.colorFormat = NvBufferColorFormat_NV12;
		create.nvbuf_tag = NvBufferTag_VIDEO_CONVERT;
		assert_int_equal(NvBufferCreateEx(&fd, &create), 0);
		assert_int_equal(NvBufferGetParams(fd, &params), 0);
		assert_int_equal(params.num_planes, 2);
		std::memset(&data, 0, sizeof(data));
		data.type = VPI_IMAGE_FORMAT_NV12;
		data.numPlanes = 2;
		for (int i = 0; i < 2; i++) {
			assert_int_equal(NvBufferMemMap(
				fd, i, NvBufferMem_Write, &planes[i]), 0);
			assert_int_equal(NvBufferMemSyncForCpu(fd, i,
							       &planes[i]), 0);
			data.planes[i].width = params.width[i];
			data.planes[i].height = params.height[i];
			data.planes[i].pitchBytes = params.pitch[i];
			data.planes[i].data = planes[i];
			std::memset(planes[i], 90 + i, params.pitch[i] *
				    params.height[i]);
		}
		ok(vpiImageCreateHostMemWrapper(&data, 0, &image));
	}

	~Nv12()
	{
		vpiImageDestroy(image);
		for (int i = 0; i < 2; i++)
			assert_int_equal(NvBufferMemUnMap(fd, i, &planes[i]),
					 0);
		assert_int_equal(NvBufferDestroy(fd), 0);
	}
};

void images_of_nvbuf_utils_are_scaled(void **)
{
	VPIEvent start = nullptr;
	VPIEvent stop = nullptr;
	VPIStream stream;
	float msec = -1;
	Nv12 input(192, 108);
	Nv12 output(64, 48);

	std::memset(output.planes[0], 0, 64);
	ok(vpiStreamCreate(VPI_BACKEND_CUDA, &stream));
	ok(vpiEventCreate(0, &start));
	ok(vpiEventCreate(0, &stop));
	ok(vpiEventRecord(start, stream));
	for (int i = 0; i < 3; i++)
		ok(vpiSubmitRescale(stream, VPI_BACKEND_CUDA, input.image,
				    output.image, VPI_INTERP_LINEAR,
				    VPI_BOUNDARY_COND_ZERO));
	ok(vpiSubmitRescale(stream, VPI_BACKEND_CUDA, input.image,
			    output.image, VPI_INTERP_LINEAR,
			    VPI_BOUNDARY_COND_CLAMP));
	ok(vpiEventRecord(stop, stream));
	ok(vpiEventSync(stop));
	ok(vpiEventElapsedTime(start, stop, &msec));
	assert_true(msec >= 0);
	ok(vpiImageLock(output.image, VPI_LOCK_READ, nullptr));
	assert_int_equal(static_cast<uint8_t *>(output.planes[0])[63], 90);
	ok(vpiImageUnlock(output.image));
	ok(vpiSubmitConvertImageFormat(stream, VPI_BACKEND_CUDA, input.image,
				       input.image, VPI_CONVERSION_CAST, 1, 0)
	   == VPI_ERROR_INVALID_ARGUMENT ? VPI_SUCCESS : VPI_ERROR_INTERNAL);
	vpiEventDestroy(start);
	vpiEventDestroy(stop);
	vpiStreamDestroy(stream);
}

void a_surface_is_wrapped_by_its_descriptor(void **)
{
	NvBufferCreateParams create{};
	VPIImage image = nullptr;
	int fd = -1;

	create.width = 64;
	create.height = 48;
	create.colorFormat = NvBufferColorFormat_ABGR32;
	assert_int_equal(NvBufferCreateEx(&fd, &create), 0);
	ok(vpiImageCreateNvBufferWrapper(fd, nullptr, 0, &image));
	ok(vpiImageSetWrappedNvBuffer(image, fd));
	vpiImageDestroy(image);
	assert_int_equal(NvBufferDestroy(fd), 0);
}

// Names of VPI 1, and its calls that have as many arguments as today's
void vpi_1_has_names_and_arguments_of_its_own(void **)
{
	VPIArrayType type = VPI_ARRAY_TYPE_INVALID;
	VPIHarrisCornerDetectorParams params;
	uint8_t *single = nullptr;
	VPIKeypoint *keypoints = nullptr;
	cudaStream_t cuda = nullptr;
	VPIPayload payload = nullptr;
	VPIStream stream = nullptr;
	VPIArray scores = nullptr;
	VPIArray array = nullptr;
	VPIImage image = nullptr;
	VPIImage half = nullptr;
	int32_t size = 0;
	VPIArrayData elements{};
	VPIImageData data{};

	assert_int_equal(cudaMallocManaged((void **)&single, side * side,
					   cudaMemAttachGlobal), 0);
	assert_int_equal(cudaMallocManaged((void **)&keypoints,
					   capacity * sizeof(*keypoints),
					   cudaMemAttachGlobal), 0);
	data.format = VPI_IMAGE_FORMAT_U8;
	data.numPlanes = 1;
	data.planes[0].width = side;
	data.planes[0].height = side;
	data.planes[0].pitchBytes = side;
	data.planes[0].data = single;
	ok(vpiImageCreateCUDAMemWrapper(&data, 0, &image));
	ok(vpiImageSetWrappedCUDAMem(image, &data));
	elements.format = VPI_ARRAY_TYPE_KEYPOINT;
	elements.sizePointer = &size;
	elements.capacity = capacity;
	elements.strideBytes = sizeof(*keypoints);
	elements.data = keypoints;
	ok(vpiArrayCreateCUDAMemWrapper(&elements, 0, &array));
	ok(vpiArraySetWrappedCUDAMem(array, &elements));
	ok(vpiArrayGetFormat(array, &type));
	assert_int_equal(type, VPI_ARRAY_TYPE_KEYPOINT);
	ok(vpiArrayCreate(capacity, VPI_ARRAY_TYPE_U32, 0, &scores));
	ok(vpiImageCreate(side / 2, side / 2, VPI_IMAGE_FORMAT_U8, 0, &half));
	assert_int_equal(cudaStreamCreate(&cuda), 0);
	ok(vpiStreamCreateCUDAStreamWrapper(cuda, 0, &stream));
	ok(vpiCreateHarrisCornerDetector(VPI_BACKEND_CUDA, side, side,
					 &payload));
	ok(vpiInitHarrisCornerDetectorParams(&params));
	draw_squares<uint8_t>(image);
	ok(vpiSubmitHarrisCornerDetector(stream, VPI_BACKEND_CUDA, payload,
					 image, array, scores, &params));
	ok(vpiStreamSync(stream));
	ok(vpiArrayGetSize(array, &size));
	assert_true(size >= 4);

	ok(vpiImageLock(image, VPI_LOCK_WRITE, &data));
	std::memset(single, 50, side * side);
	ok(vpiImageUnlock(image));
	ok(vpiSubmitRescale(stream, VPI_BACKEND_CUDA, image, half,
			    VPI_INTERP_LINEAR, VPI_BORDER_CLAMP, 0));
	// The format is the same, so the pixels are copied.
	ok(vpiSubmitConvertImageFormat(stream, VPI_BACKEND_CUDA, half, half,
				       nullptr) == VPI_ERROR_INVALID_ARGUMENT
	   ? VPI_SUCCESS : VPI_ERROR_INTERNAL);
	ok(vpiStreamSync(stream));
	ok(vpiImageLock(half, VPI_LOCK_READ, &data));
	assert_int_equal(static_cast<uint8_t *>(data.planes[0].data)[9], 50);
	ok(vpiImageUnlock(half));
	vpiStreamDestroy(stream);
	assert_int_equal(cudaStreamDestroy(cuda), 0);
	vpiPayloadDestroy(payload);
	vpiArrayDestroy(scores);
	vpiArrayDestroy(array);
	vpiImageDestroy(half);
	vpiImageDestroy(image);
	assert_int_equal(cudaFree(keypoints), 0);
	assert_int_equal(cudaFree(single), 0);
}

}  // namespace

int main()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(cuda_and_vpi_take_turns_in_a_stream,
					  no_violation),
		cmocka_unit_test_teardown(keypoints_are_found_in_managed_memory,
					  no_violation),
		cmocka_unit_test_teardown(keypoints_are_found_in_host_memory,
					  no_violation),
		cmocka_unit_test_teardown(images_of_nvbuf_utils_are_scaled,
					  no_violation),
		cmocka_unit_test_teardown(a_surface_is_wrapped_by_its_descriptor,
					  no_violation),
		cmocka_unit_test_teardown(
			vpi_1_has_names_and_arguments_of_its_own, no_violation),
	};

	return cmocka_run_group_tests_name("vpi legacy", tests, watch_cuda,
					   nullptr);
}
