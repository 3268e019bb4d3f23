/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the tests of the VPI API, in C and in C++. */
#ifndef _VPI_TEST_H
#define _VPI_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
#include <cmocka.h>
#ifdef __cplusplus
}
#endif
#include <heapsim_vpi.h>
#include <vpi/Array.h>
#include <vpi/Context.h>
#include <vpi/Event.h>
#include <vpi/HostFunction.h>
#include <vpi/Image.h>
#include <vpi/Pyramid.h>
#include <vpi/Status.h>
#include <vpi/Stream.h>
#include <vpi/Types.h>

#include "../skip.h"

static inline void print_message_of(VPIStatus status)
{
	char text[VPI_MAX_STATUS_MESSAGE_LENGTH];

	vpiPeekAtLastStatusMessage(text, sizeof(text));
	print_message("# %s: %s\n", vpiStatusGetName(status), text);
}

static inline VPIStatus told(VPIStatus status, VPIStatus expected)
{
	if (status != expected)
		print_message_of(status);
	return status;
}

#define ok(call)	assert_int_equal(told(call, VPI_SUCCESS), VPI_SUCCESS)

/* Checks a status, that it is the last one, and its message. */
#define is(call, error, words) \
	do { \
		char text_[VPI_MAX_STATUS_MESSAGE_LENGTH]; \
		assert_int_equal(told(call, error), error); \
		assert_int_equal(vpiPeekAtLastStatus(), error); \
		assert_int_equal(vpiGetLastStatusMessage(text_, \
			sizeof(text_)), error); \
		if (!strstr(text_, words)) \
			fail_msg("\"%s\" does not say \"%s\"", text_, words); \
		assert_int_equal(vpiPeekAtLastStatus(), VPI_SUCCESS); \
	} while (0)

static inline struct mem_board board_of(void)
{
	struct mem_board board;
	struct mem_ctx *ctx;

	memset(&board, 0, sizeof(board));
	board.size = sizeof(board);
	ok(heapsim_vpi_ctx(&ctx));
	assert_int_equal(mem_ctx_board(ctx, MEM_ENGINE_GPU, &board), 0);
	return board;
}

static inline bool is_board(const char *name)
{
	struct mem_board board = board_of();

	return !strcmp(board.name, name);
}

/* Begins to watch; called before all tests. */
static inline int watch(void **state)
{
	struct mem_ctx *ctx;

	(void)state;
	ok(heapsim_vpi_ctx(&ctx));
	assert_int_equal(mem_ctx_watch(ctx, MEM_WATCH_ERRORS, 64), 0);
	return 0;
}

/* Checks that neither an engine nor the CPU has caused a violation. */
static inline int no_violation(void **state)
{
	struct mem_violation violation;
	struct mem_ctx *ctx;

	(void)state;
	memset(&violation, 0, sizeof(violation));
	violation.size = sizeof(violation);
	ok(heapsim_vpi_ctx(&ctx));
	if (mem_ctx_next_violation(ctx, &violation))
		fail_msg("violation: %s of \"%s\"",
			 mem_violation_name(violation.kind), violation.name);
	return 0;
}

#ifdef CUDART_VERSION
/* VPI's CUDA backend is the SoC's GPU, which may not be CUDA's first one. */
static inline int watch_cuda(void **state)
{
	int integrated = 0;
	int device = -1;

	while (!integrated)
		assert_int_equal(cudaDeviceGetAttribute(&integrated,
							cudaDevAttrIntegrated,
							++device), 0);
	assert_int_equal(cudaSetDevice(device), 0);
	return watch(state);
}
#endif

/* Returns the byte of a test pattern at a pixel. */
static inline uint8_t pattern(int32_t x, int32_t y)
{
	return (uint8_t)(x * 7 + y * 13 + (x * y) / 5);
}

/* The structs of VPI 0.4 are different. */
#ifndef _HEAPSIM_VPI_LEGACY_0_4_H
static inline void image_fill(VPIImage image)
{
	VPIImageData data;
	int32_t i;
	int32_t x;
	int32_t y;

	ok(vpiImageLockData(image, VPI_LOCK_WRITE,
			    VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, &data));
	for (i = 0; i < data.buffer.pitch.numPlanes; i++) {
		const VPIImagePlanePitchLinear *plane =
			&data.buffer.pitch.planes[i];
		int32_t len = plane->width *
			vpiPixelTypeGetBitsPerPixel(plane->pixelType) / 8;

		for (y = 0; y < plane->height; y++)
			for (x = 0; x < len; x++)
				plane->pBase[y * plane->pitchBytes + x] =
					pattern(x, y);
	}
	ok(vpiImageUnlock(image));
}

#endif

#endif
