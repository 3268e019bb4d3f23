/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scale an image. */
#ifndef NV_VPI_ALGORITHMS_RESCALE_H
#define NV_VPI_ALGORITHMS_RESCALE_H

#include <stdint.h>

#include "../AlgoFlags.h"
#include "../Export.h"
#include "../Status.h"
#include "../Types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * vpiSubmitRescale() - scale an image to the sides of another
 * @stream: in order of this one
 * @backend: VPI_BACKEND_CPU, CUDA or VIC; 0: the first that all have enabled
 * @input: image
 * @output: of the same format
 * @interpolationType: VPI_INTERP_NEAREST or LINEAR
 * @border: VPI_BORDER_ZERO or CLAMP
 * @flags: 0 or VPI_PRECISE, which changes nothing
 *
 * Context: may sleep; any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, INVALID_IMAGE_FORMAT,
 * INVALID_OPERATION (a backend is not enabled), BUFFER_LOCKED,
 * VPI_ERROR_NOT_IMPLEMENTED (the backend does not scale).
 */
VPI_PUBLIC VPIStatus vpiSubmitRescale(VPIStream stream, uint64_t backend,
				      VPIImage input, VPIImage output,
				      VPIInterpolationType interpolationType,
				      VPIBorderExtension border,
				      uint64_t flags);

#ifdef __cplusplus
}
#endif

#endif
