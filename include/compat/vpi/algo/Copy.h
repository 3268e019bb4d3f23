/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies of images, arrays and pyramids. */
#ifndef NV_VPI_ALGORITHMS_COPY_H
#define NV_VPI_ALGORITHMS_COPY_H

#include <stdint.h>

#include "../Export.h"
#include "../Status.h"
#include "../Types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * vpiSubmitCopyImage() - copy an image
 * @stream: in order of this one
 * @backend: VPI_BACKEND_CPU, CUDA or VIC; 0: the first that all have enabled
 * @input: image
 * @output: image of the same format, width and height
 *
 * Context: may sleep; any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, INVALID_IMAGE_FORMAT (the
 * formats differ), INVALID_OPERATION (a backend is not enabled), BUFFER_LOCKED,
 * VPI_ERROR_NOT_IMPLEMENTED (the backend does not copy such images).
 */
VPI_PUBLIC VPIStatus vpiSubmitCopyImage(VPIStream stream, uint64_t backend,
					VPIImage input, VPIImage output);

/**
 * vpiSubmitCopyArray() - copy the elements of an array, and their number
 * @stream: in order of this one
 * @backend: VPI_BACKEND_CPU or CUDA; 0: the first that all have enabled
 * @input: array
 * @output: array of the same type, with at least the capacity of @input
 *
 * Context: may sleep; any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, INVALID_ARRAY_TYPE (the
 * types differ), INVALID_OPERATION (a backend is not enabled), BUFFER_LOCKED,
 * VPI_ERROR_NOT_IMPLEMENTED (the backend does not copy arrays).
 */
VPI_PUBLIC VPIStatus vpiSubmitCopyArray(VPIStream stream, uint64_t backend,
					VPIArray input, VPIArray output);

/**
 * vpiSubmitCopyPyramid() - copy all levels of a pyramid
 * @stream: in order of this one
 * @backend: backend
 * @input: pyramid
 * @output: pyramid of the same format, size and number of levels
 *
 * Return: VPI_ERROR_NOT_IMPLEMENTED, since heapsim has no pyramids.
 */
VPI_PUBLIC VPIStatus vpiSubmitCopyPyramid(VPIStream stream, uint64_t backend,
					  VPIPyramid input, VPIPyramid output);

#ifdef __cplusplus
}
#endif

#endif
