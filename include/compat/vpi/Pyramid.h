/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pyramids: heapsim lacks them, each call says so. */
#ifndef NV_VPI_PYRAMID_H
#define NV_VPI_PYRAMID_H

#include <stdint.h>

#include "Export.h"
#include "Image.h"
#include "Status.h"
#include "Types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define VPI_MAX_PYRAMID_LEVEL_COUNT (10)

typedef struct VPIPyramidDataRec {
	int32_t numLevels;
	float scale;
	VPIImageData levels[VPI_MAX_PYRAMID_LEVEL_COUNT];
} VPIPyramidData;

/**
 * vpiPyramidCreate() - heapsim lacks it
 * @width: of the finest level, pixels
 * @height: of the finest level, rows
 * @fmt: format
 * @numLevels: levels
 * @scale: from level to level
 * @flags: backends
 * @pyr: out: not written
 *
 * Context: any thread.
 * Return: VPI_ERROR_NOT_IMPLEMENTED.
 */
VPI_PUBLIC VPIStatus vpiPyramidCreate(int32_t width, int32_t height,
				      VPIImageFormat fmt, int32_t numLevels,
				      float scale, uint64_t flags,
				      VPIPyramid *pyr);

/**
 * vpiPyramidDestroy() - does nothing: there are none
 * @pyr: pyramid
 *
 * Context: any thread.
 */
VPI_PUBLIC void vpiPyramidDestroy(VPIPyramid pyr);

/**
 * vpiPyramidGetFlags() - heapsim lacks it
 * @pyr: pyramid
 * @flags: out: not written
 *
 * Context: any thread.
 * Return: VPI_ERROR_NOT_IMPLEMENTED.
 */
VPI_PUBLIC VPIStatus vpiPyramidGetFlags(VPIPyramid pyr, uint64_t *flags);

/**
 * vpiPyramidGetFormat() - heapsim lacks it
 * @pyr: pyramid
 * @fmt: out: not written
 *
 * Context: any thread.
 * Return: VPI_ERROR_NOT_IMPLEMENTED.
 */
VPI_PUBLIC VPIStatus vpiPyramidGetFormat(VPIPyramid pyr, VPIImageFormat *fmt);

/**
 * vpiPyramidGetNumLevels() - heapsim lacks it
 * @pyr: pyramid
 * @numLevels: out: not written
 *
 * Context: any thread.
 * Return: VPI_ERROR_NOT_IMPLEMENTED.
 */
VPI_PUBLIC VPIStatus vpiPyramidGetNumLevels(VPIPyramid pyr,
					    int32_t *numLevels);

/**
 * vpiPyramidGetSize() - heapsim lacks it
 * @pyr: pyramid
 * @outSize: elements at the others
 * @outWidth: out: not written
 * @outHeight: out: not written
 *
 * Context: any thread.
 * Return: VPI_ERROR_NOT_IMPLEMENTED.
 */
VPI_PUBLIC VPIStatus vpiPyramidGetSize(VPIPyramid pyr, int32_t outSize,
				       int32_t *outWidth, int32_t *outHeight);

/**
 * vpiPyramidGetScale() - heapsim lacks it
 * @pyr: pyramid
 * @scale: out: not written
 *
 * Context: any thread.
 * Return: VPI_ERROR_NOT_IMPLEMENTED.
 */
VPI_PUBLIC VPIStatus vpiPyramidGetScale(VPIPyramid pyr, float *scale);

/**
 * vpiPyramidLock() - heapsim lacks it
 * @pyr: pyramid
 * @lock: mode
 *
 * Context: any thread.
 * Return: VPI_ERROR_NOT_IMPLEMENTED.
 */
VPI_PUBLIC VPIStatus vpiPyramidLock(VPIPyramid pyr, VPILockMode lock);

/**
 * vpiPyramidLockData() - heapsim lacks it
 * @pyr: pyramid
 * @lock: mode
 * @bufType: how
 * @out: out: not written
 *
 * Context: any thread.
 * Return: VPI_ERROR_NOT_IMPLEMENTED.
 */
VPI_PUBLIC VPIStatus vpiPyramidLockData(VPIPyramid pyr, VPILockMode lock,
					VPIImageBufferType bufType,
					VPIPyramidData *out);

/**
 * vpiPyramidUnlock() - heapsim lacks it
 * @pyr: pyramid
 *
 * Context: any thread.
 * Return: VPI_ERROR_NOT_IMPLEMENTED.
 */
VPI_PUBLIC VPIStatus vpiPyramidUnlock(VPIPyramid pyr);

/**
 * vpiImageCreateWrapperPyramidLevel() - heapsim lacks it
 * @pyr: pyramid
 * @level: level
 * @img: out: not written
 *
 * Context: any thread.
 * Return: VPI_ERROR_NOT_IMPLEMENTED.
 */
VPI_PUBLIC VPIStatus vpiImageCreateWrapperPyramidLevel(VPIPyramid pyr,
						       int32_t level,
						       VPIImage *img);

#ifdef __cplusplus
}
#endif

#endif
