/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VPI and CUDA in one stream. */
#ifndef NV_VPI_CUDAINTEROP_H
#define NV_VPI_CUDAINTEROP_H

#include <stdint.h>

/* Installed, CUDA's headers lie elsewhere. */
#if defined(__has_include)
#if __has_include("../cuda_runtime_api.h")
#include "../cuda.h"
#include "../cuda_runtime_api.h"
#else
#include <cuda.h>
#include <cuda_runtime_api.h>
#endif
#else
#include <cuda.h>
#include <cuda_runtime_api.h>
#endif

#include "Export.h"
#include "Status.h"
#include "Stream.h"
#include "Types.h"
#include "Version.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*VPICUDAHostFunction)(cudaStream_t cudaStream, void *userData);

/**
 * vpiSubmitCUDAHostFunction() - have the program put CUDA work into a stream
 * @stream: stream with the CUDA backend
 * @hostFunc: called at once, in this thread: all that was submitted before it
 *	is ahead in the same stream; it may not call VPI
 * @userData: its argument
 *
 * VPI calls it in a thread of its own, later; it sees no difference unless it
 * counts threads. The program is to be linked with libmem-cudart.
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, INVALID_OPERATION (no
 * CUDA backend, or no CUDA in the program), VPI_ERROR_DEVICE.
 */
VPI_PUBLIC VPIStatus vpiSubmitCUDAHostFunction(VPIStream stream,
					       VPICUDAHostFunction hostFunc,
					       void *userData);

/**
 * vpiStreamCreateWrapperCUDA() - make a stream of a CUDA stream
 * @cudaStream: CUDA's, which stays the program's and is to last as long
 * @flags: as of vpiStreamCreate(); VPI_BACKEND_CUDA is added
 * @stream: out: the stream: vpiStreamDestroy()
 *
 * Work of all backends is in order with CUDA's.
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or as vpiStreamCreate(); VPI_ERROR_INVALID_OPERATION (no
 * CUDA in the program).
 */
VPI_PUBLIC VPIStatus vpiStreamCreateWrapperCUDA(CUstream cudaStream,
						uint64_t flags,
						VPIStream *stream);

#ifdef __cplusplus
}
#endif

#endif
