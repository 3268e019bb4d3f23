// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that names, numbers and layout in the headers are those of the vendor,
 * in C99, C11 and C++11. Needs no board. Prints TAP.
 */
#include <cuda_egl_interop.h>
#include <cudaEGL.h>
#include <heapsim_egl.h>
#include <stddef.h>
#include <stdio.h>

struct number {
	const char *name;
	long long is;
	long long want;
};

#define IS(name, want)	{ #name, (long long)(name), want }
#define SIZE(type, want) { "size of " #type, (long long)sizeof(type), want }
#define OFF(type, field, want) \
	{ #type "." #field, (long long)offsetof(type, field), want }

static const struct number numbers[] = {
	IS(MAX_PLANES, 3),
	IS(CUDA_EGL_MAX_PLANES, 3),
	IS(CUDA_EGL_INFINITE_TIMEOUT, 0xffffffff),
	IS(CU_EGL_FRAME_TYPE_ARRAY, 0),
	IS(CU_EGL_FRAME_TYPE_PITCH, 1),
	IS(CU_EGL_RESOURCE_LOCATION_VIDMEM, 1),
	IS(CU_EGL_COLOR_FORMAT_YUV420_PLANAR, 0x00),
	IS(CU_EGL_COLOR_FORMAT_ARGB, 0x06),
	IS(CU_EGL_COLOR_FORMAT_RGBA, 0x07),
	IS(CU_EGL_COLOR_FORMAT_YUYV_422, 0x0c),
	IS(CU_EGL_COLOR_FORMAT_ABGR, 0x0e),
	IS(CU_EGL_COLOR_FORMAT_AYUV, 0x12),
	IS(CU_EGL_COLOR_FORMAT_YVU420_SEMIPLANAR, 0x15),
	IS(CU_EGL_COLOR_FORMAT_YUV420_SEMIPLANAR_ER, 0x26),
	IS(CU_EGL_COLOR_FORMAT_BAYER_RGGB, 0x2d),
	IS(CU_EGL_COLOR_FORMAT_BAYER20_GBRG, 0x40),
	IS(CU_EGL_COLOR_FORMAT_YVU420_PLANAR, 0x43),
	IS(CU_EGL_COLOR_FORMAT_BAYER12_CCCC, 0x51),
	IS(CU_EGL_COLOR_FORMAT_Y, 0x52),
	IS(CU_EGL_COLOR_FORMAT_YUV420_SEMIPLANAR_709, 0x57),
	IS(CU_EGL_COLOR_FORMAT_Y12_709_ER, 0x65),
	IS(CU_EGL_COLOR_FORMAT_YUVA, 0x66),
	IS(CU_EGL_COLOR_FORMAT_Y12V12U12_444_SEMIPLANAR_709_ER, 0x71),
	IS(cudaEglFrameTypeArray, 0),
	IS(cudaEglFrameTypePitch, 1),
	IS(cudaEglResourceLocationVidmem, 1),
	IS(cudaEglColorFormatYUV420SemiPlanar, 1),
	IS(cudaEglColorFormatARGB, 6),
	IS(cudaEglColorFormatRGBA, 7),
	IS(cudaEglColorFormatABGR, 14),
	IS(cudaEglColorFormatBayerRGGB, 45),
	IS(cudaEglColorFormatYVU420Planar, 0x43),
	IS(cudaEglColorFormatY, 0x52),

	SIZE(CUeglFrame, 64),
	OFF(CUeglFrame, width, 24),
	OFF(CUeglFrame, pitch, 36),
	OFF(CUeglFrame, planeCount, 40),
	OFF(CUeglFrame, numChannels, 44),
	OFF(CUeglFrame, frameType, 48),
	OFF(CUeglFrame, eglColorFormat, 52),
	OFF(CUeglFrame, cuFormat, 56),
	SIZE(cudaEglPlaneDesc, 56),
	OFF(cudaEglPlaneDesc, channelDesc, 20),
	OFF(cudaEglPlaneDesc, reserved, 40),
	SIZE(cudaEglFrame, 280),
	OFF(cudaEglFrame, planeDesc, 96),
	OFF(cudaEglFrame, planeCount, 264),
	OFF(cudaEglFrame, eglColorFormat, 272),
	SIZE(CUeglStreamConnection, 8),
	SIZE(cudaEglStreamConnection, 8),
};

int main(void)
{
	const unsigned int nr = sizeof(numbers) / sizeof(numbers[0]);
	unsigned int i;
	int rc = 0;

	printf("1..%u\n", nr);
	for (i = 0; i < nr; i++) {
		const int is_right = numbers[i].is == numbers[i].want;

		printf("%sok %u - %s\n", is_right ? "" : "not ", i + 1,
		       numbers[i].name);
		if (!is_right) {
			printf("# %lld, expected %lld\n", numbers[i].is,
			       numbers[i].want);
			rc = 1;
		}
	}
	return rc;
}
