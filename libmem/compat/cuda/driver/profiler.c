// SPDX-License-Identifier: LGPL-2.1-or-later
/* Driver: profiler control. It has no effect on heapsim's report. */
#include "core.h"
#include "cudaProfiler.h"

API CUresult cuProfilerStart(void)
{
	return CUDA_SUCCESS;
}

API CUresult cuProfilerStop(void)
{
	return CUDA_SUCCESS;
}
