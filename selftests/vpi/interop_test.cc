// SPDX-License-Identifier: GPL-2.0-only
// Tests NVIDIA's sample of locks: VPI owns the image, and the program gets one
// handle of it, as CUDA's pointer, as a surface, or as an NvSciBufObj.
#include <nvbufsurface.h>
#include <nvscibuf.h>
#include <cuda_runtime_api.h>
#include <vpi/CUDAInterop.h>
#include <vpi/Context.h>
#include <vpi/Image.h>

#include <cstring>
#include <type_traits>
#include <vector>

#include "test.h"

namespace {

constexpr int32_t width = 320;
constexpr int32_t height = 240;

// nvscibuf.h and nvbufsurface.h define the same type.
static_assert(std::is_same<decltype(NvSciBufData::buffer), NvSciBufObj>::value,
	      "NvSciBufObj");

struct Owned {
	VPIContext context = nullptr;
	VPIImage image = nullptr;

	Owned()
	{
		uint64_t flags = 0;

		ok(vpiContextCreate(0, &context));
		ok(vpiContextSetCurrent(context));
		ok(vpiContextGetFlags(context, &flags));
		ok(vpiImageCreate(width, height, VPI_IMAGE_FORMAT_NV12_ER,
				  flags & VPI_BACKEND_ALL, &image));
		image_fill(image);
	}

	~Owned()
	{
		vpiImageDestroy(image);
		vpiContextDestroy(context);
	}
};

void a_cuda_pointer_is_taken(void **)
{
	std::vector<uint8_t> row(width);
	VPIImageData data{};
	Owned owned;

	ok(vpiImageLockData(owned.image, VPI_LOCK_READ,
			    VPI_IMAGE_BUFFER_CUDA_PITCH_LINEAR, &data));
	const VPIImagePlanePitchLinear &plane = data.buffer.pitch.planes[0];
	assert_non_null(plane.pBase);
	assert_true(plane.pitchBytes >= width);
	assert_int_equal(cudaMemcpy(row.data(), plane.pBase +
				    plane.offsetBytes + 3 * plane.pitchBytes,
				    row.size(), cudaMemcpyDefault), 0);
	assert_int_equal(row[17], pattern(17, 3));
	ok(vpiImageUnlock(owned.image));
}

void a_surface_is_taken_on_thor(void **)
{
	NvBufSurface *surface = nullptr;
	VPIImageData data{};
	Owned owned;

	if (!is_board("thor")) {
		is(vpiImageLockData(owned.image, VPI_LOCK_READ,
				    VPI_IMAGE_BUFFER_NVBUFFER, &data),
		   VPI_ERROR_INVALID_OPERATION, "exports no surfaces");
		return;
	}
	ok(vpiImageLockData(owned.image, VPI_LOCK_READ,
			    VPI_IMAGE_BUFFER_NVBUFFER, &data));
	assert_int_equal(NvBufSurfaceFromFd(
				 data.buffer.fd,
				 reinterpret_cast<void **>(&surface)), 0);
	assert_non_null(surface);
	assert_int_equal(surface->surfaceList[0].height, height);
	ok(vpiImageUnlock(owned.image));
}

void an_nvscibuf_object_is_taken(void **)
{
	VPIImageData data{};
	Owned owned;

	ok(vpiImageLockData(owned.image, VPI_LOCK_READ,
			    VPI_IMAGE_BUFFER_NVSCIBUF, &data));
	NvSciBufObj object = data.buffer.nvscibuf.buffer;
	assert_non_null(object);
	// The handle is also an object of libmem.
	auto *mem = reinterpret_cast<struct mem_object *>(object);
	assert_non_null(mem_object_attrs(mem));
	ok(vpiImageUnlock(owned.image));
}

}  // namespace

int main()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_cuda_pointer_is_taken,
					  no_violation),
		cmocka_unit_test_teardown(a_surface_is_taken_on_thor,
					  no_violation),
		cmocka_unit_test_teardown(an_nvscibuf_object_is_taken,
					  no_violation),
	};

	return cmocka_run_group_tests_name("vpi interop", tests, watch_cuda,
					   nullptr);
}
