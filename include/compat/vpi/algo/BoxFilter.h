/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Average windows of an image. */
#ifndef NV_VPI_ALGORITHMS_BOX_FILTER_H
#define NV_VPI_ALGORITHMS_BOX_FILTER_H

#include <stdint.h>

#include "../Export.h"
#include "../Status.h"
#include "../Types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * vpiSubmitBoxFilter() - average windows of an image
 * @stream: in order of this one
 * @backend: VPI_BACKEND_CPU, CUDA or PVA; 0: the first that all have enabled
 * @input: image of one plane
 * @output: of the same format and sides
 * @kernelWidth: of the window, odd, 1 to 11
 * @kernelHeight: of the window, odd, 1 to 11
 * @border: VPI_BORDER_ZERO or CLAMP
 *
 * Context: may sleep; any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, INVALID_IMAGE_FORMAT,
 * INVALID_OPERATION (a backend is not enabled), BUFFER_LOCKED,
 * VPI_ERROR_NOT_IMPLEMENTED (the backend does not filter).
 */
VPI_PUBLIC VPIStatus vpiSubmitBoxFilter(VPIStream stream, uint64_t backend,
					VPIImage input, VPIImage output,
					int32_t kernelWidth,
					int32_t kernelHeight,
					VPIBorderExtension border);

#ifdef __cplusplus
}
#endif

#endif
