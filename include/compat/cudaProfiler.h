/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a profiler shall look: the driver's calls */
#ifndef CUDAPROFILER_H
#define CUDAPROFILER_H

#include "cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * cuProfilerStart() - does nothing
 *
 * Return: CUDA_SUCCESS.
 */
CUresult cuProfilerStart(void);

/**
 * cuProfilerStop() - does nothing
 *
 * Return: CUDA_SUCCESS.
 */
CUresult cuProfilerStop(void);

#ifdef __cplusplus
}
#endif

#endif
