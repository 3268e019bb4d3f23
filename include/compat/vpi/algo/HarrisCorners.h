/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Find corners in an image. */
#ifndef NV_VPI_ALGORITHMS_HARRIS_CORNERS_H
#define NV_VPI_ALGORITHMS_HARRIS_CORNERS_H

#include <stdint.h>

#include "../Export.h"
#include "../Status.h"
#include "../Types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct VPIHarrisCornerDetectorParams - how corners are found
 * @gradientSize: width of the gradient's window: 3, 5 or 7
 * @blockSize: width of the window that gradients are summed over: 3, 5 or 7
 * @strengthThresh: lowest score that is kept
 * @sensitivity: of the Harris-Stephens equation
 * @minNMSDistance: of two corners nearer than this the weaker is dropped
 */
typedef struct {
	int32_t gradientSize;
	int32_t blockSize;
	float strengthThresh;
	float sensitivity;
	float minNMSDistance;
} VPIHarrisCornerDetectorParams;

/**
 * vpiInitHarrisCornerDetectorParams() - parameters: 3, 3, 20, 0.0625, 8
 * @params: out: parameters
 *
 * Context: any.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT.
 */
VPI_PUBLIC VPIStatus
vpiInitHarrisCornerDetectorParams(VPIHarrisCornerDetectorParams *params);

/**
 * vpiCreateHarrisCornerDetector() - make a payload
 * @backends: VPI_BACKEND_CPU, CUDA, PVA
 * @inputWidth: of the images, pixels
 * @inputHeight: of the images, rows
 * @payload: out: the payload: vpiPayloadDestroy()
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, INVALID_OPERATION (a
 * backend is not enabled), INVALID_CONTEXT, OUT_OF_MEMORY,
 * VPI_ERROR_NOT_IMPLEMENTED (a backend finds no corners).
 */
VPI_PUBLIC VPIStatus vpiCreateHarrisCornerDetector(uint64_t backends,
						   int32_t inputWidth,
						   int32_t inputHeight,
						   VPIPayload *payload);

/**
 * vpiSubmitHarrisCornerDetector() - find corners
 * @stream: in order of this one
 * @backend: one of the payload's; 0: its first
 * @payload: of vpiCreateHarrisCornerDetector()
 * @input: VPI_IMAGE_FORMAT_U8, Y8 or S16
 * @outFeatures: out: array of VPI_ARRAY_TYPE_KEYPOINT_F32
 * @outScores: out: array of VPI_ARRAY_TYPE_U32 of the same capacity
 * @params: NULL: as vpiInitHarrisCornerDetectorParams()
 *
 * Context: may sleep; any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, INVALID_IMAGE_FORMAT,
 * INVALID_ARRAY_TYPE, INVALID_PAYLOAD_TYPE, INVALID_OPERATION (a backend is not
 * enabled), BUFFER_LOCKED.
 */
VPI_PUBLIC VPIStatus
vpiSubmitHarrisCornerDetector(VPIStream stream, uint64_t backend,
			      VPIPayload payload, VPIImage input,
			      VPIArray outFeatures, VPIArray outScores,
			      const VPIHarrisCornerDetectorParams *params);

#ifdef __cplusplus
}
#endif

#endif
