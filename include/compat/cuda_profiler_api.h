/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a profiler shall look; heapsim's report looks everywhere */
#ifndef __CUDA_PROFILER_API_H__
#define __CUDA_PROFILER_API_H__

#include "driver_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * cudaProfilerStart() - does nothing
 *
 * Return: cudaSuccess.
 */
cudaError_t cudaProfilerStart(void);

/**
 * cudaProfilerStop() - does nothing
 *
 * Return: cudaSuccess.
 */
cudaError_t cudaProfilerStop(void);

#ifdef __cplusplus
}
#endif

#endif
