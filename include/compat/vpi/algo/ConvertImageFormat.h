/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Convert an image to another format. */
#ifndef NV_VPI_ALGORITHMS_CONVERT_IMAGE_FORMAT_H
#define NV_VPI_ALGORITHMS_CONVERT_IMAGE_FORMAT_H

#include <stdint.h>

#include "../AlgoFlags.h"
#include "../Export.h"
#include "../Status.h"
#include "../Types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct VPIConvertImageFormatParams - how pixels are converted
 * @policy: what becomes of values that do not fit
 * @scale: multiplied with each channel; for formats of one channel each
 * @offset: then added
 * @flags: 0 or VPI_PRECISE, which changes nothing
 * @chromaUpFilter: VPI_INTERP_NEAREST, VPI_INTERP_LINEAR is the same
 * @chromaDownFilter: VPI_INTERP_NEAREST
 */
typedef struct {
	VPIConversionPolicy policy;
	float scale;
	float offset;
	uint64_t flags;
	VPIInterpolationType chromaUpFilter;
	VPIInterpolationType chromaDownFilter;
} VPIConvertImageFormatParams;

/**
 * vpiInitConvertImageFormatParams() - parameters: clamp, no scale
 * @params: out: parameters
 *
 * Context: any.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT.
 */
VPI_PUBLIC VPIStatus
vpiInitConvertImageFormatParams(VPIConvertImageFormatParams *params);

/**
 * vpiSubmitConvertImageFormat() - convert an image to the format of another
 * @stream: in order of this one
 * @backend: VPI_BACKEND_CPU, CUDA or VIC; 0: the first that all have enabled
 * @input: image
 * @output: of the same sides
 * @params: NULL: as vpiInitConvertImageFormatParams()
 *
 * Context: may sleep; any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, INVALID_IMAGE_FORMAT (not
 * between these), INVALID_OPERATION (a backend is not enabled), BUFFER_LOCKED,
 * VPI_ERROR_NOT_IMPLEMENTED (the backend does not convert).
 */
VPI_PUBLIC VPIStatus
vpiSubmitConvertImageFormat(VPIStream stream, uint64_t backend, VPIImage input,
			    VPIImage output,
			    const VPIConvertImageFormatParams *params);

/**
 * vpiSubmitConvertImageFormatPyramid() - convert all levels of a pyramid
 * @stream: in order of this one
 * @backend: backend
 * @input: pyramid
 * @output: pyramid of the same size and number of levels
 * @params: NULL: as vpiInitConvertImageFormatParams()
 *
 * Return: VPI_ERROR_NOT_IMPLEMENTED, since heapsim has no pyramids.
 */
VPI_PUBLIC VPIStatus
vpiSubmitConvertImageFormatPyramid(VPIStream stream, uint64_t backend,
				   VPIPyramid input, VPIPyramid output,
				   const VPIConvertImageFormatParams *params);

#ifdef __cplusplus
}
#endif

#endif
